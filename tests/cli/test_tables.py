"""`endd fit`, `endd predict` and `endd evaluate`, and what they say about tables that cannot be used."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import endd
from tests.cli.running import Run, one_line

QUICK = ["--members", "2", "--epochs", "2", "--student-epochs", "2", "--progress", "none"]


def test_from_a_table_to_predictions(run: Run, houses: Path, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "model"
    assert run("fit", houses, "--target", "price", "--out", out, "--drop", "size", "sold", *QUICK) == 0
    files = {"config.json", "metrics.json", "curves.npz", "table.md", "report.html", "model.json", "figures"}
    assert files < {file.name for file in out.iterdir()}
    assert (out / "table.md").read_text() in capsys.readouterr().out
    assert endd.load(out).encoder_.names == ["first", "second", "group", "garden"]

    assert run("predict", out, houses, "-o", tmp_path / "p.csv", "--keep", "price", "--progress", "none") == 0
    found = pd.read_csv(tmp_path / "p.csv")
    columns = ["price", "mean", "total", "aleatoric", "epistemic", "lower", "upper"]
    assert found.columns.tolist() == columns
    assert len(found) == 120
    assert (found["lower"] < found["mean"]).all()
    assert "Wrote 120 rows" in capsys.readouterr().out
    assert run("predict", out, houses, "-o", tmp_path / "p.parquet", "--no-interval", "--progress", "none") == 0
    assert pd.read_parquet(tmp_path / "p.parquet").columns.tolist() == columns[1:5]

    assert run("evaluate", out, houses, "--progress", "none") == 0
    assert "| distilled |" in capsys.readouterr().out
    assert run("evaluate", out, houses, "--out", tmp_path / "tried", "--progress", "none") == 0
    tried = json.loads((tmp_path / "tried" / "metrics.json").read_text())
    assert (tried["study"], tried["config"]["rows"]) == ("evaluation", {"test": 120})
    assert {file.name for file in tmp_path.iterdir()} == {"model", "p.csv", "p.parquet", "tried"}


def test_classes_from_parquet(run: Run, houses: Path, tmp_path: Path, capsys: Any) -> None:
    pd.read_csv(houses, parse_dates=["sold"]).to_parquet(tmp_path / "t.parquet")
    out, table = tmp_path / "model", tmp_path / "t.parquet"
    assert run("fit", table, "--target", "size", "--out", out, *QUICK[:-2], "--progress", "lines") == 0
    said = capsys.readouterr().err
    assert "classification, because it holds text" in said
    assert all(word in said for word in ("2 members: epoch", "student: epoch", "test: rows 72/72"))
    assert run("predict", out, table, "-o", tmp_path / "p.parquet") == 0
    assert "predict: rows 120/120" in capsys.readouterr().err
    found = pd.read_parquet(tmp_path / "p.parquet")
    assert found.columns.tolist() == ["class", "p_low", "p_middle", "p_top", "total", "aleatoric", "epistemic"]
    np.testing.assert_allclose(found.filter(like="p_").sum(axis=1), 1, atol=1e-6)


def spoiled(houses: Path, how: str) -> bytes:
    """The houses as a CSV that cannot be learnt from."""
    frame = pd.read_csv(houses)
    if how == "encoding":
        return houses.read_bytes().replace(b"a,", "é,".encode("latin-1"))
    if how == "doubled":
        return houses.read_bytes().replace(b"first,second", b"first,first", 1)
    changed = {
        "empty": lambda: frame.head(0),
        "one row": lambda: frame.head(1),
        "missing value": lambda: frame.assign(price=frame["price"].where(frame.index != 3)),
        "infinite": lambda: frame.assign(first=frame["first"].where(frame.index != 3, np.inf)),
        "infinite target": lambda: frame.assign(price=frame["price"].where(frame.index != 3, -np.inf)),
        "constant": lambda: frame.assign(price=2.5),
        "one class": lambda: frame.assign(price="cheap"),
        "only target": lambda: frame[["price"]],
    }[how]()
    return changed.to_csv(index=False).encode()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("empty", "Expected at least 10 rows"),
        ("one row", "Expected at least 10 rows to train and test on, but got 1. Add rows."),
        ("missing value", "the target 'price' in every row, but it is missing in 1 of 120 rows. Drop those rows."),
        ("infinite", "Input X contains infinity, by column: 'first' 1. Expected finite numbers. Repair those rows."),
        ("infinite target", "Expected finite numbers in the target 'price', but 1 are infinite."),
        ("constant", "but it has only one value, 2.5. Choose another --target."),
        ("one class", "but it has only one class, 'cheap'. Choose another --target."),
        ("only target", "Expected columns besides the target 'price', but none are left."),
        ("doubled", "Expected columns with different names, but got 'first' twice."),
        ("encoding", "pass --encoding, such as latin-1."),
    ],
)
def test_a_table_that_cannot_be_fitted(
    how: str, said: str, run: Run, houses: Path, tmp_path: Path, capsys: Any
) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes(spoiled(houses, how))
    assert run("fit", table, "--target", "price", "--out", tmp_path / "model", *QUICK) == 2
    assert said in one_line(capsys)
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", b"", "it is empty"),
        ("t.csv", b"a,b\n1,2\n", "Expected the columns of the target in"),
        ("t.xlsx", b"PK", "Expected a table named .csv"),
        ("t.parquet", b"PAR1", "it cannot be read"),
        ("t.csv", None, "but there is no such file. Check its name."),
    ],
)
def test_a_file_that_cannot_be_fitted(
    name: str, content: bytes | None, said: str, run: Run, tmp_path: Path, capsys: Any
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert run("fit", tmp_path / name, "--target", "price", "--out", tmp_path / "model", *QUICK) == 2
    assert said in one_line(capsys)
    assert not (tmp_path / "model").exists()


def test_a_failure_while_training_leaves_no_folder(
    run: Run, houses: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def fail(_: Any) -> str:
        raise OSError("Expected room on the disk, but there is none.")

    monkeypatch.setattr("endd.report.write_report", fail)
    assert run("fit", houses, "--target", "price", "--out", tmp_path / "model", *QUICK) == 2
    assert "Expected room on the disk" in one_line(capsys)
    assert [*tmp_path.iterdir()] == []


def test_a_text_target_is_no_regression(run: Run, houses: Path, tmp_path: Path, capsys: Any) -> None:
    arguments = ("--target", "size", "--task", "regression", "--out", tmp_path / "model")
    assert run("fit", houses, *arguments, *QUICK) == 2
    assert "Expected numbers in the target 'size' for regression, but got text" in one_line(capsys)


def test_strict_refuses_gaps(run: Run, houses: Path, tmp_path: Path, capsys: Any) -> None:
    frame = pd.read_csv(houses)
    frame.assign(group=frame["group"].where(frame.index != 3)).to_csv(tmp_path / "t.csv", index=False)
    arguments = (tmp_path / "t.csv", "--target", "price", "--out", tmp_path / "model", *QUICK)
    assert run("fit", *arguments, "--strict", "--seed", "1") == 2
    assert "Expected known values in every row, but got 1 missing values ('group' 1)" in one_line(capsys)


@pytest.mark.parametrize("how", ["lacking", "empty", "infinite", "text", "encoding", "doubled", "unknown", "missing"])
@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_a_table_that_cannot_be_predicted(
    command: str, how: str, run: Run, houses: Path, model: Path, tmp_path: Path, capsys: Any
) -> None:
    frame = pd.read_csv(houses)
    spoil: dict[str, tuple[Callable[[], bytes], str]] = {
        "lacking": (lambda: frame.drop(columns="group").to_csv().encode(), "of training in"),
        "empty": (lambda: spoiled(houses, "empty"), "Expected rows in"),
        "infinite": (lambda: spoiled(houses, "infinite"), "Input X contains infinity, by column: 'first' 1"),
        "text": (lambda: frame.assign(first="tall").to_csv().encode(), "invalid value 'tall'"),
        "encoding": (lambda: spoiled(houses, "encoding"), "pass --encoding"),
        "doubled": (lambda: spoiled(houses, "doubled"), "'first' twice"),
        "unknown": (houses.read_bytes, "Expected a table named"),
    }
    table = tmp_path / ("t.json" if how == "unknown" else "t.csv")
    said = "no such file"
    if how != "missing":
        content, said = spoil[how]
        table.write_bytes(content())
    out = ["-o", tmp_path / "p.csv"] if command == "predict" else ["--out", tmp_path / "tried"]
    assert run(command, model, table, *out, "--progress", "none") == 2
    assert said in one_line(capsys)
    assert {file.name for file in tmp_path.iterdir()} <= {table.name}


def test_a_folder_without_a_model_of_tables(run: Run, houses: Path, tmp_path: Path, capsys: Any) -> None:
    assert run("predict", tmp_path, houses, "-o", tmp_path / "p.csv") == 2
    assert "holds no model.json" in one_line(capsys)
    endd.save(endd.Student(endd.nn.MLP(2, [3], 5), endd.families.Gaussian()), tmp_path)
    assert run("predict", tmp_path, houses, "-o", tmp_path / "p.csv") == 2
    assert "a bare Student, which knows nothing of tables" in one_line(capsys)


def test_a_model_that_was_saved_in_python(run: Run, houses: Path, priced: Any, tmp_path: Path, capsys: Any) -> None:
    endd.save(priced[1], tmp_path / "model")
    assert run("evaluate", tmp_path / "model", houses, "--progress", "none") == 2
    assert "does not say it. Pass --target." in one_line(capsys)
    assert run("evaluate", tmp_path / "model", houses, "--target", "price", "--progress", "none") == 0


def test_what_is_odd_is_told_in_one_line(run: Run, houses: Path, model: Path, tmp_path: Path, capsys: Any) -> None:
    frame = pd.read_csv(houses)
    frame.assign(group="new").to_csv(tmp_path / "t.csv", index=False)
    arguments = ("predict", model, tmp_path / "t.csv", "-o", tmp_path / "p.csv", "--progress", "none")
    assert run(*arguments) == 0
    assert "Got 120 unseen values ('group' 120) in 120 rows." in one_line(capsys)
    (tmp_path / "p.csv").unlink()
    assert run(*arguments, "--strict") == 2
    assert "but got 120 unseen values" in one_line(capsys)
    assert not (tmp_path / "p.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["fit", "t.csv", "--out", "m"], "--target"),
        (["fit", "t.csv", "--target", "y"], "--out"),
        (["fit", "t.csv", "--target", "y", "--out", "m", "--task", "ranking"], "classification"),
        (["fit", "t.csv", "--target", "y", "--out", "m", "--test-share", "1.5"], "test-share"),
        (["predict", "m", "t.csv"], "--out"),
    ],
)
def test_what_is_wrong_with_the_command_is_named(arguments: list[str], named: str, run: Run, capsys: Any) -> None:
    assert run(*arguments) != 0
    assert named in "".join(capsys.readouterr())
