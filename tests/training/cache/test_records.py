"""Plans, records and manifests are read as they were written, or not at all."""

from dataclasses import replace
from pathlib import Path

import pytest

from endd.training.cache.records import (
    CacheError,
    Plan,
    Record,
    check_same,
    read_plan,
    read_record,
    record_file,
    write_manifest,
    write_plan,
    write_record,
)

PLAN = Plan(20, 8, 3, 2, "float32", "members", False, {"name": "Gaussian"}, None, "abc")
RECORDS = [Record(0, 0, 8, "a", "b"), Record(1, 8, 16, "a", "b"), Record(2, 16, 20, "a", "b")]


def test_shapes_and_spans_follow_from_the_plan() -> None:
    assert PLAN.shape(5) == (3, 5, 2)
    assert replace(PLAN, contents="moments").shape(5) == (5, 5)
    assert (PLAN.span(0), PLAN.span(2)) == ((0, 8), (16, 20))
    assert replace(PLAN, rows=None).span(2) == (16, 24)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert read_plan(tmp_path) is None
    write_plan(tmp_path, PLAN)
    for record in RECORDS:
        write_record(tmp_path, record)
    assert read_plan(tmp_path) == (PLAN, None)
    assert read_record(tmp_path, 1) == RECORDS[1]
    write_manifest(tmp_path, PLAN, RECORDS)
    assert read_plan(tmp_path) == (PLAN, RECORDS)
    assert [file.name for file in tmp_path.iterdir()] == ["manifest.json"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"shard": 0}', "null"])
def test_a_garbled_record_counts_as_none(tmp_path: Path, content: str) -> None:
    record_file(tmp_path, 0).write_text(content)
    assert read_record(tmp_path, 0) is None


@pytest.mark.parametrize("records", [RECORDS[:2], RECORDS[1:], [RECORDS[0], RECORDS[0], RECORDS[2]]])
def test_shards_must_follow_each_other(tmp_path: Path, records: list[Record]) -> None:
    write_manifest(tmp_path, PLAN, records)
    with pytest.raises(CacheError, match="does not"):
        read_plan(tmp_path)


def test_the_first_difference_is_named() -> None:
    check_same(Path("cache"), PLAN, PLAN)
    with pytest.raises(CacheError, match=r"cache began with, but it was labelled by another teacher\."):
        check_same(Path("cache"), PLAN, replace(PLAN, teacher="abd", rows=3))
    with pytest.raises(CacheError, match=r"another weights \(None, now \[1\.0\]\)"):
        check_same(Path("cache"), PLAN, replace(PLAN, weights=[1.0]))
