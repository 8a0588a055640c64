"""Tables are written whole or not at all."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from endd.data.writing import new_table

PART = pa.table({"a": [1, 2], "b": ["x", None]})


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_parts_become_one_table(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("old")
    with new_table(tmp_path / name) as writer:
        writer.write(PART)
        writer.write(PART)
        assert (tmp_path / name).read_text() == "old"
    content = (tmp_path / name).read_bytes()
    if name.endswith("parquet"):
        assert pq.read_table(tmp_path / name).equals(pa.concat_tables([PART, PART]))
    else:
        text = gzip.decompress(content) if name.endswith("gz") else content
        assert text == b'"a","b"\n1,"x"\n2,\n1,"x"\n2,\n'
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["t.csv.gz", "t.parquet"])
def test_after_an_error_nothing_is_left(name: str, tmp_path: Path) -> None:
    def fail() -> None:
        with new_table(tmp_path / name) as writer:
            writer.write(PART)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [*tmp_path.iterdir()] == []


def test_a_wrong_place_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError, match=r"Expected the folder of .* to be there"),
        new_table(tmp_path / "a/b.csv"),
    ):
        pass
    (tmp_path / "c.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"), new_table(tmp_path / "c.csv"):
        pass
    with pytest.raises(ValueError, match="Expected a table named"), new_table(tmp_path / "d.txt"):
        pass
