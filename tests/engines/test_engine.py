"""Parts run anywhere, and their results come back in order."""

import pytest

from endd.engines import Engine, LostPartError, map_parts, stream_parts


def test_results_come_in_the_order_of_parts() -> None:
    assert map_parts(abs, [-3, 2, -1]) == [3, 2, 1]


def test_no_parts_give_no_results() -> None:
    assert map_parts(abs, []) == []


def test_results_are_given_as_soon_as_they_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "results", lambda self, work, parts: iter([(1, "b"), (0, "a"), (2, "c")]))
    told: list[int] = []
    steps = stream_parts(abs, [1, 2, 3], tell=lambda done, of: told.append(done))
    assert (next(steps), told) == ("a", [1, 2])
    assert [*steps] == ["b", "c"]


@pytest.mark.parametrize(("engine", "here"), [(Engine(), True), (Engine(workers=1), False), (Engine("ray"), False)])
def test_where_parts_run(engine: Engine, here: bool) -> None:
    assert engine.here is here


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
