"""endd.fidelity_report."""

from pathlib import Path

import pytest

import endd
from tests.studies.test_fidelity import data, pair


def test_page_text_and_verdict(tmp_path: Path) -> None:
    x, y = data("classes")
    file = tmp_path / "folder" / "page.html"
    found = endd.fidelity_report(*pair("classes"), x, y, file, require="kl_teacher>=0", resamples=2)
    assert found.verdict
    assert file.read_text(encoding="utf-8") == found.page
    assert "May the student replace its ensemble? Yes" in found.text
    assert found.result.config["require"] == "kl_teacher>=0"
    lost = endd.fidelity_report(*pair("classes"), x, require="kl_teacher<=-1", resamples=2)
    assert not lost.verdict


def test_a_page_that_cannot_be_written_is_told_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endd.studies.fidelity.fidelity", None)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotADirectoryError, match=r"is a file\. Choose another place"):
        endd.fidelity_report(*pair("classes"), data("classes")[0], path=tmp_path / "file" / "page.html")
    with pytest.raises(IsADirectoryError, match=r"is a folder\. Choose another name"):
        endd.fidelity_report(*pair("classes"), data("classes")[0], path=tmp_path)
