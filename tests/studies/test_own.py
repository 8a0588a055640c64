"""Rows that are added to a study."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

import endd
from endd.nn import MLP
from endd.studies.own import kept_teachers, with_row
from endd.studies.result import Record, Result
from endd.studies.toy_config import Config

BEFORE = Result("toy", {"seeds": 1}, {}, [Record("ensemble", "toy", "test", 0, "nll", 1.0)])


def row(value: float) -> list[Record]:
    return [Record("mine", "toy", "test", 0, "nll", value)]


def test_a_row_is_added_and_replaced() -> None:
    once = with_row(BEFORE, "mine", "mine.py:mine", row(2.0))
    again = with_row(once, "mine", "mine.py:mine", row(3.0))
    assert again.models() == ["ensemble", "mine"]
    assert again.values("mine", "nll") == {("test", 0): 3.0}
    assert again.config["own"] == {"mine": "mine.py:mine"}


def test_no_model_of_the_study_is_replaced() -> None:
    with pytest.raises(ValueError, match="Rename the method"):
        with_row(BEFORE, "ensemble", "mine.py:ensemble", row(2.0))


def test_teachers_are_trained_once(tmp_path: Path) -> None:
    trained = []

    def train() -> list[endd.Ensemble]:
        trained.append(1)
        return [endd.Ensemble([MLP(2, [4], 2), MLP(2, [4], 2)], endd.families.Gaussian()) for _ in range(2)]

    config = Config("paper")
    first, again = (kept_teachers(tmp_path / "teachers", 2, config, train) for _ in range(2))
    x = torch.randn(3, 2)
    assert len(trained) == 1
    with pytest.raises(NotADirectoryError, match="Choose another --teacher"):
        kept_teachers(tmp_path / "teachers" / "teachers.json" / "below", 2, config, train)
    assert len(trained) == 1
    for one, other in zip(first, again, strict=True):
        assert torch.equal(one.predict(x).mean, other.predict(x).mean)
    kept_teachers(None, 2, config, train)
    assert len(trained) == 2
    kept_teachers(tmp_path / "teachers", 2, replace(config, student_hidden=(3,)), train)  # none of theirs
    other = replace(config, first_seed=7)
    with pytest.raises(ValueError, match=r"settings of the teachers in .* but first_seed was 0 and now is 7\. Choose"):
        kept_teachers(tmp_path / "teachers", 2, other, train)
    with pytest.raises(ValueError, match="but first_seed was 0 and now is 7"):
        kept_teachers(tmp_path / "teachers", 3, other, train)  # also where some would have to be trained
    weights = next((tmp_path / "teachers" / "1").glob("weights-*"))
    content = weights.read_bytes()
    weights.write_bytes(content[:50])
    with pytest.raises(ValueError, match=rf"{weights.name} as it was saved, but it was changed.* delete {tmp_path}"):
        kept_teachers(tmp_path / "teachers", 2, config, train)
    weights.write_bytes(content)
    (tmp_path / "teachers" / "teachers.json").write_text("{")
    with pytest.raises(ValueError, match=r"settings of the teachers in .*teachers\.json, but it is damaged"):
        kept_teachers(tmp_path / "teachers", 2, config, train)
    (tmp_path / "teachers" / "teachers.json").unlink()
    with pytest.raises(ValueError, match=r"Expected .* teachers with their settings.* Choose another --teacher"):
        kept_teachers(tmp_path / "teachers", 2, config, train)
    assert len(trained) == 2


def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "metrics.json").write_text("{}")

    def train() -> list[endd.Ensemble]:
        raise AssertionError

    with pytest.raises(ValueError, match=f"but {tmp_path} has no teachers.json"):
        kept_teachers(tmp_path, 2, Config("paper"), train)
    assert [file.name for file in tmp_path.iterdir()] == ["metrics.json"]


def test_a_row_is_replaced_by_the_same_method_alone() -> None:
    once = with_row(BEFORE, "mine", "mine.py:mine", row(2.0))
    moved = with_row(once, "mine", "elsewhere/mine.py:mine", row(3.0))
    assert moved.config["own"] == {"mine": "elsewhere/mine.py:mine"}
    with pytest.raises(ValueError, match=r"no other method of the folder has, but 'mine' is the row of mine\.py:mine"):
        with_row(once, "mine", "yours.py:mine", row(3.0))
