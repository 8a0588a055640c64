"""What is written about every row is what the estimator says, whatever the size of the parts."""

import copy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from endd.calibration import ConformalInterval
from endd.data.files import TableFile
from endd.streaming import check_columns, kinds_of, predict_file

FEATURES = ["first", "second", "group", "sold", "garden"]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endd.streaming.files.ROWS", 50)
    monkeypatch.setattr("endd.streaming.files.ROWS_AT_ONCE", 30)


@pytest.fixture
def frame(houses: Path) -> pd.DataFrame:
    return pd.read_csv(houses, parse_dates=["sold"])


@pytest.fixture
def parquet(frame: pd.DataFrame, tmp_path: Path) -> TableFile:
    frame.to_parquet(tmp_path / "in.parquet")
    return TableFile(tmp_path / "in.parquet")


def test_numbers(priced: Any, parquet: TableFile, frame: pd.DataFrame, tmp_path: Path) -> None:
    model = priced[1]
    assert predict_file(model, parquet, tmp_path / "out.parquet", keep=["price", "group"], progress="none") == 120
    found, X = pd.read_parquet(tmp_path / "out.parquet"), frame[FEATURES]
    expected = {"price": frame["price"], "group": frame["group"], "mean": model.predict(X)}
    expected |= dict(model.predict_uncertainty(X))
    expected["lower"], expected["upper"] = model.predict_quantiles(X, [0.025, 0.975]).T
    assert found.columns.tolist() == list(expected)
    for name in expected.keys() - {"group"}:
        np.testing.assert_allclose(found[name], expected[name], rtol=2e-4, err_msg=name)
    predict_file(model, parquet, tmp_path / "less.parquet", interval=False, progress="none")
    assert pd.read_parquet(tmp_path / "less.parquet").columns.tolist() == ["mean", "total", "aleatoric", "epistemic"]


def test_classes(sized: Any, houses: Path, frame: pd.DataFrame, tmp_path: Path) -> None:
    model = sized[1]
    predict_file(model, TableFile(houses), tmp_path / "out.csv", progress="none")
    found, X = pd.read_csv(tmp_path / "out.csv"), frame[FEATURES]
    assert found.columns.tolist() == ["class", "p_low", "p_middle", "p_top", "total", "aleatoric", "epistemic"]
    assert found["class"].tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(found.iloc[:, 1:4], model.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(found["epistemic"], model.predict_uncertainty(X).epistemic, atol=1e-5)


def test_what_training_did_not_prepare_for_is_counted_once(priced: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    odd = frame.assign(group=["new", *frame["group"][1:-1], "newer"])
    odd.to_parquet(tmp_path / "in.parquet")
    source, out = TableFile(tmp_path / "in.parquet"), tmp_path / "out.parquet"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predict_file(priced[1], source, out, progress="none")
    assert [str(one.message)[:46] for one in caught] == ["Got 2 unseen values ('group' 2) in 120 rows. C"]
    out.unlink()
    priced[1].set_params(strict=True)
    try:
        with pytest.raises(ValueError, match="but got 1 unseen values"):
            predict_file(priced[1], source, out, progress="none")
    finally:
        priced[1].set_params(strict=False)
    assert not out.exists()


def test_columns_must_be_there(priced: Any, parquet: TableFile, tmp_path: Path) -> None:
    check_columns(parquet, ["first"], "of training")
    with pytest.raises(ValueError, match=r"Expected the columns to keep in .* but it lacks 'id'\. Add them; it has"):
        predict_file(priced[1], parquet, tmp_path / "out.csv", keep=["id"])
    assert not (tmp_path / "out.csv").exists()


def test_a_kept_column_has_a_name_of_its_own(priced: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.assign(mean=1.0).to_parquet(tmp_path / "in.parquet")
    with pytest.raises(ValueError, match="Expected columns to keep with names of their own, but got 'mean'"):
        predict_file(priced[1], TableFile(tmp_path / "in.parquet"), tmp_path / "out.csv", keep=["mean"])


def test_no_rows_are_an_error(priced: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.head(0).to_parquet(tmp_path / "in.parquet")
    with pytest.raises(ValueError, match=r"Expected rows in .*in\.parquet, but it has none"):
        predict_file(priced[1], TableFile(tmp_path / "in.parquet"), tmp_path / "out.csv", progress="none")
    assert not (tmp_path / "out.csv").exists()


def test_any_number_of_threads_writes_the_same(priced: Any, parquet: TableFile, tmp_path: Path) -> None:
    for workers in (1, 3):
        predict_file(priced[1], parquet, tmp_path / f"{workers}.csv", workers=workers, progress="none")
    assert (tmp_path / "1.csv").read_text() == (tmp_path / "3.csv").read_text()


def test_kinds(priced: Any) -> None:
    kinds = kinds_of(priced[1].encoder_)
    assert [kinds[name] for name in FEATURES] == ["numeric", "numeric", "categorical", "numeric", "categorical"]


def test_progress_counts_rows(priced: Any, parquet: TableFile, tmp_path: Path, capsys: Any) -> None:
    predict_file(priced[1], parquet, tmp_path / "out.csv", progress="lines")
    assert "predict: rows 120/120" in capsys.readouterr().err


def test_a_table_is_not_overwritten(priced: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    table = tmp_path / "houses.csv"
    frame.to_csv(table, index=False)
    before = table.read_bytes()
    with pytest.raises(ValueError, match=r"Expected another file to write than the table itself, but got .*houses"):
        predict_file(priced[1], TableFile(table), tmp_path / "." / "houses.csv", progress="none")
    assert table.read_bytes() == before


@pytest.mark.parametrize("method", ["normalised", "quantile"])
def test_a_conformal_interval_takes_the_place_of_the_models_own(
    method: str, priced: Any, frame: pd.DataFrame, parquet: TableFile, tmp_path: Path
) -> None:
    model = copy.deepcopy(priced[1])
    x = torch.as_tensor(model.encoder_.transform(frame[model.encoder_.names]))
    prediction = model.student_.predict(x)
    y = prediction.mean + prediction.variance.sqrt() * torch.linspace(-3, 3, len(x))
    model.student_.attach(ConformalInterval.fit(prediction, y, level=0.8, method=method))
    predict_file(model, parquet, tmp_path / "out.csv", progress="none")
    found = pd.read_csv(tmp_path / "out.csv")
    lower, upper = model.student_.attached["interval"](prediction)
    np.testing.assert_allclose(found["lower"], lower, rtol=1e-4, atol=1e-3 * float(y.std()))
    np.testing.assert_allclose(found["upper"], upper, rtol=1e-4, atol=1e-3 * float(y.std()))
