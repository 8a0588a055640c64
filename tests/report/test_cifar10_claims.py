"""The paper's claims beside what is found."""

from endd.report.cifar10_claims import claims_table
from endd.report.cifar10_scores import Scores
from tests.report.synthetic_cifar10 import cifar10_result


def test_each_claim_has_a_finding() -> None:
    scores = Scores(cifar10_result())
    found = claims_table(scores)
    cells = [row[1] for row in found.rows]
    assert len(cells) == 7
    assert "-" not in cells
    median = scores.median("ensemble", "ece_quartile")
    assert cells[0].startswith(f"Median ECE (4 bins): ensemble {median:.3f}, distilled_paper ")
    assert cells[1] == "By that median, of 9: distilled_paper is number 6, distilled is number 2."
    assert "distilled -0.00" in cells[2]
    assert "distilled +0.00" in cells[3]
    assert cells[5].endswith("1.0 times.")


def test_without_students_nothing_is_said() -> None:
    rows = claims_table(Scores(cifar10_result(1, ("single",)))).rows
    assert [row[1] for row in rows[1:]] == ["-"] * 6
