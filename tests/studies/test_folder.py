"""A study's folder is whole or not there."""

import json
import os
from pathlib import Path

import pytest

from endd.studies import check_folder, study_folder


def write(folder: Path, study: str = "toy") -> None:
    (folder / "figures").mkdir(exist_ok=True)
    (folder / "figures" / "a.png").write_text(study)
    (folder / "metrics.json").write_text(json.dumps({"study": study}))


def test_a_new_folder_appears_whole(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "toy"
    with study_folder(out, "toy") as folder:
        write(folder)
        assert not out.exists()
    assert sorted(path.name for path in out.rglob("*")) == ["a.png", "figures", "metrics.json"]
    assert [*out.parent.iterdir()] == [out]


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    def stops_half_way() -> None:
        with study_folder(tmp_path / "toy", "toy") as folder:
            write(folder)
            raise RuntimeError("half")

    with pytest.raises(RuntimeError, match="half"):
        stops_half_way()
    assert [*tmp_path.iterdir()] == []


def test_the_same_study_is_replaced_and_other_files_stay(tmp_path: Path) -> None:
    out = tmp_path / "toy"
    for text in ("old", "new"):
        with study_folder(out, "toy") as folder:
            write(folder)
            (folder / "table.md").write_text(text)
        (out / "notes.txt").write_text("mine")
    assert (out / "table.md").read_text() == "new"
    assert (out / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("content", ['{"study": "uci"}', "{}", "[]"])
def test_another_study_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "metrics.json").write_text(content)
    with pytest.raises(FileExistsError, match="Choose another --out"):
        check_folder(tmp_path, "toy")
    assert (tmp_path / "metrics.json").read_text() == content


def test_damaged_numbers_are_named_and_stay(tmp_path: Path) -> None:
    """They may be the toy study's, of another study, or none: none of our business to overwrite."""
    for content in ("no json", '{"study": "toy", "conf', ""):
        (tmp_path / "metrics.json").write_text(content)
        with pytest.raises(
            ValueError, match=r"metrics\.json, but it is damaged \(JSONDecodeError\)\. Choose another --out"
        ):
            check_folder(tmp_path, "toy")
        assert (tmp_path / "metrics.json").read_text() == content


def test_nothing_is_written_beside_a_folder_that_is_there(tmp_path: Path) -> None:
    """It may be a disk of its own, as a volume of a container is: files do not move onto it in one step."""
    out = tmp_path / "toy"
    out.mkdir()
    with study_folder(out, "toy") as folder:
        write(folder)
        assert [*tmp_path.iterdir()] == [out]
    assert sorted(path.name for path in out.iterdir()) == ["figures", "metrics.json"]


@pytest.mark.parametrize("below", ["", "deep/down"])
def test_a_file_in_the_way_is_refused(tmp_path: Path, below: str) -> None:
    file = tmp_path / "out"
    file.write_text("")
    with pytest.raises(NotADirectoryError, match="is a file"):
        check_folder(file / below, "toy")


def test_a_file_in_place_of_the_figures_is_refused(tmp_path: Path) -> None:
    (tmp_path / "figures").write_text("")
    with pytest.raises(NotADirectoryError, match="figures is a file"):
        check_folder(tmp_path, "toy")


def test_what_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="not allowed"):
        check_folder(tmp_path / "toy", "toy")
