"""Tables on disk: what is read, and what is said where nothing can be."""

import datetime
import gzip
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from endd.data.columns import CATEGORIES, NUMBERS
from endd.data.files import TableFile, arrow, kind_of_file

TEXT = b"a,b,when,flag\n1,x,2020-01-01,true\n2.5,NA,2020-01-02,false\n,y,,true\n"


def made(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", TEXT),
        ("t.csv.gz", gzip.compress(TEXT, mtime=0)),
        ("T.CSV", b"\xef\xbb\xbf" + TEXT),
        ("t.tsv", TEXT.replace(b",", b"\t")),
        ("t.csv", TEXT.replace(b",", b";")),
    ],
    ids=["plain", "compressed", "with a mark", "tabs", "semicolons"],
)
def test_a_csv_is_read(name: str, content: bytes, tmp_path: Path) -> None:
    file = TableFile(made(tmp_path, name, content))
    assert file.names == ["a", "b", "when", "flag"]
    assert file.read(["b", "a"]).to_pydict() == {"b": ["x", None, "y"], "a": [1.0, 2.5, None]}
    assert file.read(["flag", "when"]).column("when").to_pylist()[0] == datetime.date(2020, 1, 1)


def test_commas_in_quotes_separate_nothing(tmp_path: Path) -> None:
    file = TableFile(made(tmp_path, "t.csv", b'"price, gross, EUR";"y"\n1.5;2\n'))
    assert file.names == ["price, gross, EUR", "y"]


def test_a_parquet_file_is_read_as_a_whole_and_in_parts(tmp_path: Path) -> None:
    table = pa.table({"a": np.arange(10), "b": ["x"] * 10})
    pq.write_table(table, tmp_path / "t.parquet")
    file = TableFile(tmp_path / "t.parquet")
    assert file.read(["a", "b"]).equals(table)
    parts = list(file.batches(["a"], {"a": NUMBERS}, rows=4))
    assert [len(part) for part in parts] == [4, 4, 2]
    assert (file.done, file.total, file.unit) == (10, 10, "rows")
    assert next(iter(file.batches(["a"], {}, 4))).column_names == ["a"]


def test_a_csv_comes_in_parts_whose_types_are_those_of_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole numbers may turn into fractions further down, and categories that look like numbers are text."""
    monkeypatch.setattr("endd.data.files.BLOCK", 64)
    rows = "".join(f"{n if n < 50 else n + 0.5},{n},2020-01-01,true\n" for n in range(100))
    file = TableFile(made(tmp_path, "t.csv", f"a,b,when,flag\n{rows}".encode()))
    kinds = {"a": NUMBERS, "b": CATEGORIES, "when": NUMBERS, "flag": CATEGORIES}
    parts = list(file.batches(file.names, kinds, rows=1))
    assert len(parts) > 5
    whole = pa.concat_tables(parts)
    assert [str(kind) for kind in whole.schema.types] == ["double", "string", "date32[day]", "bool"]
    assert whole.column("a").to_pylist()[-1] == 99.5
    assert whole.column("b").to_pylist()[0] == "0"
    assert file.done == file.total > 1


def test_columns_that_an_encoder_does_not_take_are_turned_or_refused(tmp_path: Path) -> None:
    times = [datetime.time(1, 0, 0, 500_000), None]
    table = pa.table({"d": [Decimal("1.5"), None], "t": times, "l": [[1], [2]], "b": [b"\xff", b""]})
    pq.write_table(table, tmp_path / "t.pq")
    file = TableFile(tmp_path / "t.pq")
    assert file.read(["d", "t"]).to_pydict() == {"d": [1.5, None], "t": [3600.5, None]}
    for name in ("l", "b"):
        with pytest.raises(ValueError, match=f"Expected numbers, text or dates in column '{name}'"):
            file.read([name])


LATIN = "name,b\ncafé,2\n".encode("latin-1")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.xlsx", b"", r"Expected a table named \.csv, .* but got .*t\.xlsx\. Save it as one of these"),
        ("t.csv", b"", "it cannot be read: it is empty"),
        ("t.csv", b"\n\n", "it cannot be read: .*Empty CSV"),
        ("t.csv", b"a,a\n1,2\n", "Expected columns with different names, but got 'a' twice"),
        ("t.csv", b"a,b\n1,2,3\n", "it cannot be read: .*Expected 2 columns, got 3"),
        ("t.csv", LATIN, r"Expected utf-8 text in .* but got other bytes .* pass --encoding, such as latin-1"),
        ("t.csv", LATIN + b"x,1\n" * 2_000_000, "Expected utf-8 text in"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16"), "Expected utf-8 text in"),
        ("t.csv.gz", b"a,b\n1,2\n", "it cannot be read: "),
        ("t.csv.gz", gzip.compress(TEXT * 10, mtime=0)[:-20], "it cannot be read: "),
        ("t.parquet", b"PAR1 or not", "Expected a parquet table in .* it cannot be read: "),
    ],
    # the contents would be names of megabytes, and a gzip file holds the time
    ids=["xlsx", "empty", "blank", "twice", "ragged", "latin", "long", "utf-16", "no-gzip", "cut-gzip", "no-parquet"],
)
def test_what_cannot_be_read_is_named(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    def read(path: Path) -> None:
        file = TableFile(path)
        file.read(file.names)

    with pytest.raises(ValueError, match=said) as raised:
        read(made(tmp_path, name, content))
    assert "\n" not in str(raised.value)


def test_another_encoding_is_an_option(tmp_path: Path) -> None:
    file = made(tmp_path, "t.csv", LATIN)
    assert TableFile(file, "latin-1").read(["name"]).to_pydict() == {"name": ["café"]}
    with pytest.raises(ValueError, match="Expected the name of an encoding such as utf-8, but got 'klingon'"):
        TableFile(file, "klingon")


def test_a_part_that_does_not_fit_is_named(tmp_path: Path) -> None:
    file = TableFile(made(tmp_path, "t.csv", b"a\nx\n"))
    with pytest.raises(ValueError, match=r"it cannot be read: .*conversion error to double: invalid value 'x'"):
        list(file.batches(["a"], {"a": NUMBERS}, 10))
    file = TableFile(made(tmp_path, "t.csv", b"a\n1\n"))
    made(tmp_path, "t.csv", b"a\n\xe9\n")
    with pytest.raises(ValueError, match="Expected utf-8 text"):
        list(file.batches(["a"], {"a": CATEGORIES}, 10))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"Expected a table at .*t\.csv, but there is no such file"):
        TableFile(tmp_path / "t.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FileNotFoundError, match="no such file"):
        TableFile(tmp_path / "folder.csv")


def test_without_pyarrow_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'endd\[tables\]'"):
        arrow()


@pytest.mark.parametrize(("name", "kind"), [("a.CSV.GZ", "csv"), ("a.b.pq", "parquet")])
def test_kinds_go_by_names(name: str, kind: Any) -> None:
    assert kind_of_file(Path(name)) == kind
