"""Agreement of a student's uncertainties with its teacher's."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from endd.metrics import agreement, mean_ratio, median_ratio, rejection_overlap, spearman

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=20)


def columns(pairs) -> tuple[torch.Tensor, torch.Tensor]:
    a, b = torch.tensor(pairs, dtype=torch.float64).T
    return a, b


@given(PAIRS)
def test_spearman_as_scipy(pairs):
    a, b = columns(pairs)
    constant = len(a.unique()) == 1 or len(b.unique()) == 1
    expected = 0.0 if constant else spearmanr(a.numpy(), b.numpy()).statistic
    assert spearman(a, b).item() == pytest.approx(expected, abs=1e-12)


def test_spearman_of_many_rows_in_float32():
    generator = torch.Generator().manual_seed(0)
    a = torch.randn(10_000, generator=generator)
    b = a + torch.randn(10_000, generator=generator)
    assert spearman(a, b).item() == pytest.approx(spearmanr(a.numpy(), b.numpy()).statistic, abs=1e-6)


@given(PAIRS)
def test_spearman_sees_only_order(pairs):
    a, b = columns(pairs)
    value = spearman(a, b)
    assert -1 <= value.item() <= 1
    assert torch.equal(value, spearman(a.exp(), b / 7 - 3))
    torch.testing.assert_close(spearman(b, a), value)
    torch.testing.assert_close(spearman(-a, b), -value)


def test_spearman_without_any_order_is_0():
    assert spearman(torch.ones(5), torch.arange(5.0)).item() == 0
    assert spearman(torch.ones(1), torch.ones(1)).item() == 0


def test_ratios():
    teacher, student = torch.tensor([1.0, 2.0, 5.0]), torch.tensor([2.0, 2.0, 20.0])
    assert mean_ratio(teacher, student).item() == 3
    assert median_ratio(teacher, student).item() == 2
    assert median_ratio(teacher[:2], student[:2]).item() == 1.5  # the mean of the middle two


def test_median_ratio_leaves_out_rows_without_one():
    teacher, student = torch.tensor([0.0, 0.0, 0.0, 2.0]), torch.tensor([9.0, 0.0, 9.0, 1.0])
    assert median_ratio(teacher, student).item() == 0.5


@pytest.mark.parametrize("call", [mean_ratio, median_ratio])
def test_ratios_to_nothing(call):
    zero = torch.zeros(3)
    assert call(zero, zero).item() == 1
    assert call(zero, zero + 1).item() == torch.inf
    assert call(zero + 1, zero).item() == 0


@pytest.mark.parametrize("call", [mean_ratio, median_ratio])
def test_infinite_uncertainties_have_a_ratio(call):
    endless = torch.full((3,), torch.inf)
    assert call(endless, endless).item() == 1
    assert call(endless, torch.ones(3)).item() == 0
    assert call(torch.ones(3), endless).item() == torch.inf


def top(values: tuple[int, ...], count: int) -> list[set[int]]:
    """The sets of `count` largest rows, one for each order in which ties can be broken."""
    orders = itertools.permutations(range(len(values)))
    falling = [o for o in orders if all(values[i] >= values[j] for i, j in itertools.pairwise(o))]
    return [set(order[:count]) for order in falling]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=5), st.data())
def test_rejection_overlap_is_the_mean_over_all_ways_to_break_ties(pairs, data):
    n = len(pairs)
    count = data.draw(st.integers(1, n))
    teacher, student = zip(*pairs, strict=True)
    expected = np.mean([len(a & b) / count for a in top(teacher, count) for b in top(student, count)])
    assert rejection_overlap(*columns(pairs), fraction=count / n).item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [1, 3, 10, 30, 70, 100, 1000])
@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.1, 0.2, 1.0])
def test_rejection_overlap_takes_the_ceiling_of_the_share(n, fraction):
    count = -(-n * round(100 * fraction) // 100)
    teacher = torch.arange(float(n))
    student = teacher.clone()
    student[n - count] = -1  # the least of those rejected falls out, unless all rows are
    expected = 1.0 if count == n else (count - 1) / count
    assert rejection_overlap(teacher, student, fraction).item() == pytest.approx(expected)
    assert rejection_overlap(teacher, teacher, fraction).item() == 1


def test_rejection_overlap_with_a_constant_student_is_chance():
    assert rejection_overlap(torch.arange(50.0), torch.ones(50), 0.2).item() == pytest.approx(0.2)


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.5, float("nan")])
def test_fractions_that_are_none(fraction):
    with pytest.raises(ValueError, match="`fraction` above 0 and up to 1"):
        rejection_overlap(torch.ones(3), torch.ones(3), fraction)


def test_fidelity_names_and_values():
    generator = torch.Generator().manual_seed(0)
    teacher = {name: torch.rand(200, generator=generator) for name in ("total", "aleatoric", "epistemic")}
    student = {name: 2 * value for name, value in teacher.items()}
    result = agreement(teacher, student)
    expected = {f"{name}_spearman": 1.0 for name in teacher}
    expected |= {f"{name}_{kind}": 2.0 for name in teacher for kind in ("ratio", "ratio_median")}
    expected |= {f"rejection_overlap@{percent}": 1.0 for percent in (1, 5, 10, 20)}
    assert result == pytest.approx(expected)
    assert all(type(value) is float for value in result.values())


def test_fidelity_takes_what_both_have():
    one = torch.rand(20, generator=torch.Generator().manual_seed(0))
    result = agreement({"total": one, "epistemic": one}, {"total": one, "aleatoric": one})
    assert set(result) == {"total_spearman", "total_ratio", "total_ratio_median"}
    with pytest.raises(ValueError, match=r"in both mappings, but got \['total'\] and \['other'\]"):
        agreement({"total": one}, {"other": one})
