"""From a table to models, numbers and curves."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

import endd
from endd.data.files import TableFile
from endd.studies.table import (
    Config,
    input_columns,
    models_of,
    run,
    split_rows,
    targets_of,
    try_table,
)
from tests.conftest import fit_houses


def test_a_regression(priced: Any) -> None:
    result, model = priced
    assert isinstance(model, endd.DistilledRegressor)
    assert result.models() == ["ensemble", "distilled", "single"]
    found = {record.metric for record in result.records if record.model == "distilled"}
    scores = {"rmse", "nll", "nll_gaussian", "crps", "coverage95", "ause", "kl_teacher"}
    assert found == scores | {"epistemic_spearman", "epistemic_ratio", "rejection_overlap@10", "gain_lost"}
    assert result.config["rows"] == {"train": 96, "test": 24}
    assert result.config["columns"] == ["first", "second", "group", "sold", "garden"]
    assert result.curves["distance"].min() >= 0
    assert model.verbose == 0


def test_a_classification(sized: Any) -> None:
    result, model = sized
    assert isinstance(model, endd.DistilledClassifier)
    assert result.config["classes"] == ["low", "middle", "top"]
    assert result.config["task"] == "classification"
    assert 0 <= result.estimate("distilled", "accuracy").mean <= 1


def test_the_same_seed_gives_the_same_numbers(houses: Path, priced: Any) -> None:
    again, _ = fit_houses(houses, "price")
    assert again.records == priced[0].records
    assert fit_houses(houses, "price", seed=1)[0].records != priced[0].records


def test_why_it_is_that_task_is_said(houses: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = Config(houses.name, "size", members=1, epochs=1, student_epochs=1)
    run(config, TableFile(houses), "lines")
    assert "the target 'size' makes this classification, because it holds text" in capsys.readouterr().err


def test_trying_a_table_again(houses: Path, sized: Any, tmp_path: Path) -> None:
    result, model = sized
    frame = pd.read_csv(houses)
    other = try_table(model, result.config, TableFile(houses), "size", "none")
    assert other.study == "evaluation"
    assert other.config["rows"] == {"test": 120}
    right = model.predict(frame[result.config["columns"]].assign(sold=pd.to_datetime(frame["sold"]))) == frame["size"]
    assert other.estimate("distilled", "accuracy").mean == pytest.approx(right.mean())
    frame.assign(size=["huge", *frame["size"][1:]]).to_csv(tmp_path / "t.csv")
    with pytest.raises(ValueError, match=r"Expected the classes 'low', 'middle', 'top' in the target .* got 'huge'"):
        try_table(model, {}, TableFile(tmp_path / "t.csv"), "size", "none")
    frame.head(0).to_csv(tmp_path / "t.csv")
    with pytest.raises(ValueError, match="but it has none"):
        try_table(model, {}, TableFile(tmp_path / "t.csv"), "size", "none")


def test_without_a_teacher_the_student_is_tried_alone(houses: Path, priced: Any) -> None:
    result, model = priced
    teacher, model.teacher_ = model.teacher_, None
    try:
        assert list(models_of(model)) == ["distilled"]
        alone = try_table(model, result.config, TableFile(houses), "price", "none")
    finally:
        model.teacher_ = teacher
    assert alone.models() == ["distilled"]
    assert not alone.values("distilled", "kl_teacher")


def test_columns_of_the_input(houses: Path) -> None:
    config, source = Config("t.csv", "price"), TableFile(houses)
    assert input_columns(config, source) == ["first", "second", "group", "sold", "garden", "size"]
    with pytest.raises(ValueError, match=r"the columns of the target in .* lacks 'prize'"):
        input_columns(replace(config, target="prize"), source)
    with pytest.raises(ValueError, match=r"the columns to drop in .* lacks 'id'"):
        input_columns(replace(config, drop=("id",)), source)
    with pytest.raises(ValueError, match="Expected columns besides the target 'price', but none are left"):
        input_columns(replace(config, drop=tuple(source.names)), source)


def test_rows_are_split_by_class() -> None:
    y = np.array(["a"] * 50 + ["b"] * 49 + ["c"])
    train, test = split_rows(y, Config("t", "y", "classification", seed=3))
    assert sorted([*train, *test]) == list(range(100))
    assert len(test) == 20
    assert "c" in y[train]
    assert abs((y[test] == "a").sum() - 10) <= 1


@pytest.mark.parametrize("classes", [np.array([0, 1]), np.array([0.0, 1.0]), np.array(["0", "1"])])
def test_classes_are_found_by_their_text(classes: Any) -> None:
    column = pa.chunked_array([["1", "0", "1"]])
    assert torch.equal(targets_of(column, "y", classes), torch.tensor([1, 0, 1]))
    with pytest.raises(ValueError, match="missing in 1 of 2 rows"):
        targets_of(pa.chunked_array([["1", None]]), "y", classes)
