"""A study in parts."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from endd.engines import Engine
from endd.studies.result import Record, Result
from endd.studies.settings import Settings
from endd.studies.stepwise import Part, checked, parts_of, run_parts, stepwise, told_in_parts


@dataclass(frozen=True)
class Config(Settings):
    members: int = 3
    datasets: tuple[str, ...] = ("a", "b")


CONFIG = Config()
AB = [Part("a"), Part("b")]


def result(part: Part) -> Result:
    repeats = part.repeats or (("0", 0),)
    records = [Record("m", part.dataset, split, seed, "nll", 1.0 + seed) for split, seed in repeats]
    curves = {f"{part.dataset}_rows": np.array([seed for _, seed in repeats])}
    return Result("s", CONFIG.as_plain() | {"datasets": [part.dataset]}, {}, records, curves)


def test_a_data_set_in_parts() -> None:
    repeats = [("0", seed) for seed in range(5)]
    first, second, third = parts_of("a", repeats, 2)
    assert [*first.repeats, *second.repeats, *third.repeats] == repeats
    assert str(third) == "a, 0 of seed 4"
    assert first.is_in(result(first))
    assert not second.is_in(result(first))
    assert Part("a").is_in(result(first))
    assert not Part("b").is_in(result(first))


def test_every_part_adds_to_the_result() -> None:
    found = list(stepwise("s", AB, result, CONFIG))
    assert [one.datasets() for one in found] == [one.config["datasets"] for one in found] == [["a"], ["a", "b"]]


def test_repeats_of_a_data_set_are_put_together() -> None:
    parts = parts_of("a", [("0", seed) for seed in range(3)], 2)
    *_, whole = stepwise("s", parts, result, Settings(), growing=("_rows",))
    assert [record.seed for record in whole.records] == whole.curves["a_rows"].tolist() == [0, 1, 2]
    assert whole.config == Settings().as_plain()


def test_only_what_is_missing_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    ran = []

    def run(part: Part) -> Result:
        ran.append(part)
        return result(part)

    steps: Iterator[Result] = stepwise("s", AB, run, CONFIG, result(AB[0]), "lines")
    assert [found.datasets() for found in steps] == [["a"], ["a", "b"]]
    assert ran == AB[1:]
    assert "s: a is there already" in capsys.readouterr().err


def test_other_settings_are_not_mixed() -> None:
    assert checked(result(Part("c")), CONFIG).datasets() == ["c"]
    with pytest.raises(ValueError, match="members was 3 and now is 4"):
        checked(result(Part("c")), Config(members=4))


@dataclass(frozen=True)
class Grouped(Settings):
    together: int = 20


def grouped(seeds: int, together: int, before: Result | None = None) -> Result:
    """A study of so many repeats, of which so many train side by side."""
    config = Grouped(seeds=seeds, together=together)
    parts = parts_of("a", [("0", seed) for seed in range(seeds)], together)
    *_, last = stepwise("s", parts, result, config, before, growing=("_rows",))
    return last


@pytest.mark.parametrize(
    ("first", "then"), [((2, 2), (3, 2)), ((2, 20), (3, 2)), ((4, 2), (7, 2)), ((20, 20), (40, 20))]
)
def test_repeats_are_added_after_whole_parts(first: tuple[int, int], then: tuple[int, int]) -> None:
    more, whole = grouped(*then, before=grouped(*first)), grouped(*then)
    assert (more.config, more.records) == (whole.config, whole.records)
    assert more.curves["a_rows"].tolist() == whole.curves["a_rows"].tolist()


def test_repeats_that_would_tear_parts_apart_are_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"seeds was 2 and now is 3\. Pass --together 2, "):
        grouped(3, 20, before=grouped(2, 20))
    with pytest.raises(ValueError, match=r"together was 2 and now is 1\. Pass --together 2, "):
        grouped(4, 1, before=grouped(4, 2))
    interrupted = replace(grouped(2, 2), config=grouped(4, 2).config)
    with pytest.raises(ValueError, match="seeds was 4 and now is 2"):
        grouped(2, 2, before=interrupted)
    assert grouped(6, 2, before=interrupted).records == grouped(6, 2).records
    for seeds, together in ((2, 2), (7, 2), (7, 3)):  # fewer than there are, and some beside a part that was alone
        with pytest.raises(
            ValueError, match=r"seeds was 5 and now is .* Choose another --out, or run without --resume"
        ):
            grouped(seeds, together, before=grouped(5, 2))


def test_a_setting_that_came_up_later_had_its_default() -> None:
    before = Result("s", {"preset": "converged", "seeds": 1, "first_seed": 0}, {}, [])
    assert checked(before, CONFIG) is before
    with pytest.raises(ValueError, match="members was 3 and now is 4"):
        checked(before, Config(members=4))


def test_processes_find_the_same_in_the_same_order() -> None:
    parts = [Part("a"), *parts_of("b", [("0", 0), ("0", 1)], 1)]
    here = list(stepwise("s", parts, result, CONFIG))
    there = list(stepwise("s", parts, result, CONFIG, engine=Engine(workers=2)))
    assert [found.records for found in there] == [found.records for found in here]


def test_parts_elsewhere_are_told_in_one_bar(capsys: pytest.CaptureFixture[str]) -> None:
    assert [*run_parts(abs, [-1, -2], Engine(workers=1), "lines", "s")] == [1, 2]
    assert "s: part 2/2" in capsys.readouterr().err
    assert [*run_parts(abs, [-1], None, "lines", "s")] == [1]
    assert capsys.readouterr().err == ""
    assert [told_in_parts(engine, "lines") for engine in (None, Engine(), Engine(workers=1))] == [
        "lines",
        "lines",
        "none",
    ]


def test_rows_of_ones_own_stay() -> None:
    before = replace(result(AB[0]), config=result(AB[0]).config | {"own": {"mine": "mine.py:mine"}})
    *_, last = stepwise("s", AB, result, CONFIG, before)
    assert last.config["own"] == {"mine": "mine.py:mine"}
    assert last.datasets() == ["a", "b"]
