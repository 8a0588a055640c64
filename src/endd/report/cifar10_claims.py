"""What the paper says about its methods on CIFAR-10, beside what is found here."""

import math
from collections.abc import Iterator

from endd.report.cifar10_methods import METHODS, present
from endd.report.cifar10_scores import BOTH_SIDES, SINGLE, STUDENT, SVHN, TEACHER, Scores, over_repeats, paired
from endd.report.tables import MISSING, Table, cell, number

PAPER, MIXTURE, DIRICHLET = "distilled_paper", "mixture", "dirichlet"


def claims_table(scores: Scores) -> Table:
    """A row a claim."""
    rows = tuple((claim, found or MISSING) for claim, found in _claims(scores))
    note = (
        "The paper's claims in our words; it prints no table for CIFAR-10, so that its side is what its text says of "
        f"its Figure 3. {PAPER} has the paper's form, a diagonal normal over K - 1 logits; {STUDENT} is the student "
        "that was chosen on validation images."
    )
    return Table("The paper's claims", ("the paper says", "found here"), rows, note)


def _claims(scores: Scores) -> Iterator[tuple[str, str]]:
    yield "On corrupted images the student is about as well calibrated as the ensemble.", _calibration(scores)
    yield "It is among the best calibrated of all methods there.", _ranks(scores)
    yield "Its clean accuracy is a little below the ensemble's.", _behind(scores, TEACHER)
    yield "Its clean accuracy is a little below the mixture student's.", _behind(scores, MIXTURE)
    yield "The Dirichlet student shows the same trade of accuracy for calibration.", _dirichlet(scores)
    yield "The student costs less than the ensemble: one pass of one network.", _cost(scores)
    yield "Keeping the split into two uncertainties pays off away from the training data.", _split(scores)


def _calibration(scores: Scores) -> str:
    found = {model: scores.median(model, "ece_quartile") for model in (TEACHER, PAPER, STUDENT, SINGLE)}
    shown = [f"{model} {value:.3f}" for model, value in found.items() if not math.isnan(value)]
    return f"Median ECE (4 bins): {', '.join(shown)}." if shown else ""


def _ranks(scores: Scores) -> str:
    methods = present({*scores.models} - {*BOTH_SIDES}, METHODS)
    medians = {name: scores.median(name, "ece_quartile") for name in methods}
    order = sorted((name for name, value in medians.items() if not math.isnan(value)), key=lambda name: medians[name])
    shown = [f"{name} is number {order.index(name) + 1}" for name in (PAPER, STUDENT) if name in order]
    return f"By that median, of {len(order)}: {', '.join(shown)}." if shown else ""


def _behind(scores: Scores, other: str) -> str:
    """Accuracy minus another's, of both forms."""
    gaps = {name: _gap(scores, name, other) for name in (PAPER, STUDENT)}
    shown = [f"{name} {gap}" for name, gap in gaps.items() if gap != MISSING]
    return f"Student minus {other}: {', '.join(shown)}." if shown else ""


def _gap(scores: Scores, model: str, other: str) -> str:
    ours, theirs = (scores.values(name, "accuracy", "clean") for name in (model, other))
    return cell(paired(ours, theirs), 4, signed=True)


def _dirichlet(scores: Scores) -> str:
    gap, ece = _gap(scores, DIRICHLET, TEACHER), number(scores.median(DIRICHLET, "ece_quartile"))
    return "" if MISSING in (gap, ece) else f"Accuracy minus the ensemble's {gap}; median ECE (4 bins) {ece}."


def _cost(scores: Scores) -> str:
    teacher, student = (scores.mean(model, "parameters") for model in (TEACHER, STUDENT))
    if math.isnan(teacher + student):
        return ""
    return f"{teacher:,.0f} parameters in the ensemble, {student:,.0f} in the student: {teacher / student:.1f} times."


def _split(scores: Scores) -> str:
    kinds = {STUDENT: "epistemic", MIXTURE: "total", TEACHER: "epistemic"}
    found = {name: cell(over_repeats(scores.values(name, f"auroc_{kind}", SVHN))) for name, kind in kinds.items()}
    shown = [f"{name} {found[name]} ({kinds[name]})" for name in kinds if found[name] != MISSING]
    return f"AUROC of SVHN: {', '.join(shown)}." if shown else ""
