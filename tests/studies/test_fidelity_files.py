"""A teacher, its student and inputs from disk."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import endd
from endd.nn import MLP
from endd.studies.fidelity_files import Pair, read_data, read_inputs, read_pair
from tests.conftest import classes_of

NUMBER, COUNT = endd.families.Gaussian(), endd.families.Poisson()


def test_models_are_what_they_should_be(tmp_path: Path) -> None:
    endd.save(endd.Ensemble([MLP(3, [4], 2)], NUMBER), tmp_path / "teacher")
    endd.save(endd.Student(MLP(3, [4], 5), NUMBER), tmp_path / "student")
    endd.save(endd.Student(MLP(3, [4], 2), COUNT), tmp_path / "other")
    pair = read_pair(tmp_path / "teacher", tmp_path / "student")
    assert isinstance(pair.teacher, endd.Ensemble)
    assert isinstance(pair.student, endd.Student)
    assert pair.estimator is None
    with pytest.raises(ValueError, match="Expected Student in "):
        read_pair(tmp_path / "teacher", tmp_path / "teacher")
    with pytest.raises(ValueError, match="models of one family"):
        read_pair(tmp_path / "teacher", tmp_path / "other")


def test_inputs_with_and_without_labels(tmp_path: Path) -> None:
    x, y = np.ones((4, 3), np.float32), np.zeros(4)
    np.savez(tmp_path / "both.npz", x=x, y=y)
    np.savez(tmp_path / "inputs.npz", x=x)
    np.savez(tmp_path / "named.npz", ids=x, mask=x)
    found, targets = read_inputs(tmp_path / "both.npz")
    assert torch.equal(found, torch.ones(4, 3))
    assert targets is not None
    assert read_inputs(tmp_path / "inputs.npz")[1] is None
    assert set(read_inputs(tmp_path / "named.npz")[0]) == {"ids", "mask"}


@pytest.mark.parametrize("content", [b"", b"not a zip", None])
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "data.npz"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ValueError, match="cannot be read"):
        read_inputs(file)


def test_targets_alone_are_not_enough(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", y=np.zeros(4))
    with pytest.raises(ValueError, match="Expected inputs beside y"):
        read_inputs(tmp_path / "data.npz")


def test_a_folder_of_an_estimator_holds_both(regressor: Any, table: Any, tmp_path: Path) -> None:
    endd.save(regressor, tmp_path / "model")
    (tmp_path / "model" / "config.json").write_text('{"target": "price"}')
    pair = read_pair(tmp_path / "model", tmp_path / "model")
    assert pair.target == "price"
    rows, y = table
    file = tmp_path / "rows.csv"
    rows.assign(price=y).to_csv(file, index=False)
    found = read_data(file, pair)
    assert pair.student.predict(found.x).mean.numpy() == pytest.approx(regressor.predict(rows))
    assert found.y.numpy() == pytest.approx(y)
    assert list(found.columns or ()) == ["first", "second", "group"]
    rows.to_csv(file, index=False)
    assert read_data(file, pair).y is None
    with pytest.raises(ValueError, match="Expected the columns of the target"):
        read_data(file, pair, "price")


def test_classes_have_names(classifier: Any, table: Any, tmp_path: Path) -> None:
    endd.save(classifier, tmp_path / "model")
    pair = read_pair(tmp_path / "model", tmp_path / "model")
    rows, y = table
    rows.assign(size=classes_of(y)).to_parquet(tmp_path / "rows.parquet")
    found = read_data(tmp_path / "rows.parquet", pair, "size")
    assert found.classes == ["low", "middle", "top"]
    assert np.array(found.classes)[found.y].tolist() == classes_of(y).tolist()


def test_models_that_read_tables_differently_do_not_go_together(
    regressor: Any, table: Any, QUICK: Any, tmp_path: Path
) -> None:
    endd.save(regressor, tmp_path / "one")
    rows, y = table
    endd.save(
        endd.DistilledRegressor(**QUICK | {"epochs": 1, "student_epochs": 1}).fit(rows[50:], y[50:]), tmp_path / "two"
    )
    with pytest.raises(ValueError, match="to read tables alike"):
        read_pair(tmp_path / "one", tmp_path / "two")


def test_a_bare_network_reads_numbers(tmp_path: Path) -> None:
    pair = Pair(endd.Ensemble([MLP(2, [4], 2)], NUMBER), endd.Student(MLP(2, [4], 5), NUMBER))
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": [0.5, 1.0], "b": [3, 4]})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    found = read_data(tmp_path / "rows.csv", pair, "y")
    assert found.x.tolist() == [[1, 3], [2, 4]]
    assert found.y.tolist() == [0.5, 1]
    assert found.columns == {"a": [1, 2], "b": [3, 4]}
    frame.assign(y=[0, 2])[["a", "y", "b"]].to_csv(tmp_path / "rows.csv", index=False)
    assert read_data(tmp_path / "rows.csv", pair, "y").y.dtype == torch.int64
    assert read_data(tmp_path / "rows.csv", pair).y is None
    frame.assign(b=["red", "blue"]).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(ValueError, match="Expected numbers in every column"):
        read_data(tmp_path / "rows.csv", pair, "y")


def test_damaged_settings_of_an_estimator_are_named(regressor: Any, tmp_path: Path) -> None:
    endd.save(regressor, tmp_path)
    (tmp_path / "config.json").write_text('{"target": "pri')
    with pytest.raises(ValueError, match=r"Expected settings in .*config\.json, but it is damaged .*--target"):
        read_pair(tmp_path, tmp_path)
