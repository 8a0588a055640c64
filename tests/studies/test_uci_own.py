"""A row of one's own in the UCI study."""

from pathlib import Path

from endd.studies.result import Result
from endd.studies.uci_own import add_row
from tests.studies.own_method import write_method


def test_a_row_on_every_data_set(uci_result: Result, uci_folder: Path, tmp_path: Path) -> None:
    result = add_row(uci_result, write_method(tmp_path), tmp_path / "teachers", "none", uci_folder)
    for dataset in uci_result.datasets():
        ours, teacher = (result.values(model, "nll", dataset) for model in ("match_moments", "ensemble"))
        assert ours.keys() == teacher.keys()
        assert result.difference("match_moments", "ensemble", "rmse", dataset) is not None
    assert (tmp_path / "teachers" / "yacht" / "0" / "model.json").exists()
