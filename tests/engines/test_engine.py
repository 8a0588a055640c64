"""Parts run anywhere, and their results come back in order."""

import pytest

from endd.engines import Engine, LostPartError, map_parts


def test_results_come_in_the_order_of_parts() -> None:
    assert map_parts(abs, [-3, 2, -1]) == [3, 2, 1]


def test_no_parts_give_no_results() -> None:
    assert map_parts(abs, []) == []


def test_every_part_is_told() -> None:
    told: list[tuple[int, int]] = []
    map_parts(abs, [1, 2], tell=lambda *now: told.append(now))
    assert told == [(1, 2), (2, 2)]


def test_what_a_part_raises_is_raised() -> None:
    with pytest.raises(TypeError, match="bad operand"):
        map_parts(abs, ["x"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "slurm"}, "`engine` to be one of 'local', 'ray'"),
        ({"workers": -1}, "`workers` of at least 0"),
        ({"address": "auto"}, "address with the engine 'ray' only"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Engine(**settings)  # type: ignore[arg-type]


def test_a_lost_part_is_named() -> None:
    assert "part 7" in str(LostPartError(7))
