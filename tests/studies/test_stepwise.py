"""Data sets one after another."""

from collections.abc import Iterator

import pytest

from endd.engines import Engine
from endd.studies.result import Record, Result
from endd.studies.stepwise import checked, stepwise

CONFIG = {"members": 3, "datasets": ["a", "b"]}


def result(name: str) -> Result:
    return Result("s", {"members": 3, "datasets": [name]}, {}, [Record("m", name, "0", 0, "nll", 1.0)])


def test_every_data_set_adds_to_the_result() -> None:
    assert [found.datasets() for found in stepwise("s", "ab", result, CONFIG)] == [["a"], ["a", "b"]]


def test_only_what_is_missing_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    ran = []

    def run(name: str) -> Result:
        ran.append(name)
        return result(name)

    steps: Iterator[Result] = stepwise("s", "ab", run, CONFIG, result("a"), "lines")
    assert [found.datasets() for found in steps] == [["a"], ["a", "b"]]
    assert ran == ["b"]
    assert "s: a is there already" in capsys.readouterr().err


def test_other_settings_are_not_mixed() -> None:
    assert checked(result("c"), CONFIG).datasets() == ["c"]
    with pytest.raises(ValueError, match="members was 3 and now is 4"):
        checked(result("c"), CONFIG | {"members": 4})


def test_processes_find_the_same_in_the_same_order() -> None:
    here = list(stepwise("s", "abc", result, CONFIG))
    there = list(stepwise("s", "abc", result, CONFIG, engine=Engine(workers=2)))
    assert [found.records for found in there] == [found.records for found in here]
