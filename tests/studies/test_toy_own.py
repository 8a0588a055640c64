"""A row of one's own in the toy study."""

from pathlib import Path

from endd.studies.result import Result
from endd.studies.toy_own import add_row
from tests.studies.own_method import write_method


def test_a_row_is_found_on_the_same_teachers(toy_result: Result, tmp_path: Path) -> None:
    # what the study's own student learns by, under another name: it must find the same numbers
    more = "from endd.objectives import DistributionDistillation\nsame = Method(DistributionDistillation())\n"
    place = write_method(tmp_path, more).replace("match_moments", "same")
    result = add_row(toy_result, place, tmp_path / "teachers", "none")
    for metric in ("rmse", "nll", "kl_teacher", "epistemic_spearman"):
        ours, theirs = result.values("same", metric), result.values("distilled", metric)
        assert ours.keys() == theirs.keys()
        assert all(abs(ours[key] - theirs[key]) <= 1e-4 * (1 + abs(theirs[key])) for key in ours)
    again = add_row(toy_result, place, tmp_path / "teachers", "none")
    assert again.values("same", "nll") == result.values("same", "nll")


def test_the_method_of_the_page_runs(toy_result: Result, tmp_path: Path) -> None:
    result = add_row(toy_result, write_method(tmp_path), None, "none")
    assert len(result.values("match_moments", "nll")) == 2
