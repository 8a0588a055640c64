"""The registry of pairs: most special wins, ambiguity is an error."""

import pytest

from endd._dispatch import PairRegistry


class A: ...


class B(A): ...


class C(B): ...


class Left(A): ...


class Right(A): ...


class Both(Left, Right): ...


def registry(*pairs):
    entries = PairRegistry("rule")
    for first, second in pairs:
        entries.register(first, second)(f"{first.__name__}{second.__name__}")
    return entries


def test_nothing_is_found_where_nothing_fits():
    assert registry().find(A, A) is None
    assert registry((B, A)).find(A, A) is None
    assert registry((B, A)).find(B, int) is None


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("pair", "found"),
    [((A, A), "AA"), ((B, A), "BA"), ((B, B), "BB"), ((C, C), "BB"), ((C, A), "BA"), ((A, C), "AA"), ((Left, B), "AA")],
)
def test_the_most_special_wins_in_any_order_of_registration(pair, found, order):
    assert registry(*[(A, A), (B, A), (B, B)][::order]).find(*pair) == found


def test_register_returns_its_argument():
    entries = PairRegistry("rule")

    @entries.register(A, B)
    def rule():
        return 1

    assert rule() == 1
    assert entries.find(A, C) is rule


def test_pairs_lists_what_is_registered():
    assert registry((A, A), (B, A)).pairs() == [(A, A), (B, A)]


def test_a_second_registration_raises():
    with pytest.raises(ValueError, match=r"A rule for \(A, B\) is registered already"):
        registry((A, B)).register(A, B)


@pytest.mark.parametrize(("first", "second"), [((A, B), (B, A)), ((B, A), (A, B))])
def test_a_crossing_registration_raises_and_names_what_to_register(first, second):
    with pytest.raises(ValueError, match=r"Ambiguous rule: .* both match \(B, B\)\. Register \(B, B\) first\."):
        registry(first).register(*second)


@pytest.mark.parametrize("order", [1, -1])
def test_a_crossing_is_fine_once_the_meet_is_registered(order):
    entries = registry((B, B), *[(A, B), (B, A)][::order])
    assert entries.find(C, C) == "BB"
    assert entries.find(A, C) == "AB"
    assert entries.find(C, A) == "BA"


def test_a_refused_registration_leaves_the_registry_as_it_was():
    entries = registry((A, B))
    with pytest.raises(ValueError, match="Ambiguous"):
        entries.register(B, A)
    assert entries.pairs() == [(A, B)]


def test_a_class_with_two_registered_parents_raises_at_lookup():
    entries = registry((Left, A), (Right, A))
    assert entries.find(Left, A) == "LeftA"
    with pytest.raises(
        TypeError, match=r"Ambiguous rule for \(Both, A\): \(Left, A\) and \(Right, A\) match\. Register"
    ):
        entries.find(Both, A)


def test_a_class_with_two_registered_parents_may_have_its_own_entry():
    assert registry((Left, A), (Right, A), (Both, A)).find(Both, B) == "BothA"
