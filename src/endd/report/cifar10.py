"""The report of the CIFAR-10 study: the paper's Figure 3, what uncertainty is good for, and how much of it is kept."""

from collections.abc import Iterable, Iterator
from typing import Any

from endd.report.cifar10_boxes import boxes_figure
from endd.report.cifar10_claims import claims_table
from endd.report.cifar10_fidelity_figures import epistemic_figure, fidelity_figure
from endd.report.cifar10_figures import detection_figure, risk_figure
from endd.report.cifar10_methods import DISTILLERS
from endd.report.cifar10_outside import LATE, OUTSIDE, WARM, outside_tables, ovadia_table, passes_table, warm_table
from endd.report.cifar10_scores import STUDENT, Scores
from endd.report.cifar10_tables import (
    chosen_table,
    clean_table,
    difference_tables,
    fidelity_tables,
    quartiles_table,
    severity_tables,
    svhn_table,
    trials_table,
)
from endd.report.cifar10_targets import goals_table, others, targets_table
from endd.report.document import Drawing, Report
from endd.report.tables import Table
from endd.studies.result import Result

RECIPE = ("epochs", "batch_size", "optimiser", "learning_rate", "weight_decay")
TRANSFER = ("views", "mix", "patch", "blend", "warp", "mean_weight", "epistemic_weight")


def cifar10_report(result: Result) -> Report:
    """All of it, from the records and curves."""
    scores = Scores(result)
    drawings = (*_boxes(scores), *_uses(result, scores), *_fidelity(result, scores))
    return Report("CIFAR-10", _summary(result, scores), drawings, tuple(_tables(result, scores)))


def _summary(result: Result, scores: Scores) -> str:
    """How it was made comes first."""
    config = result.config
    made = ", ".join(f"{name} {value}" for name, value in result.environment.items())
    repeats = "one repeat" if config["seeds"] == 1 else f"{config['seeds']} repeats, means with 95 % intervals"
    corruptions = max((len(scores.sets[severity]) for severity in scores.severities), default=0)
    there = [f"{name} {what}" for name, what in others(result, scores).items()]
    other = f" ({'; '.join(there)})" if there else ""
    return (
        f"Made by: {config.get('command', 'unknown')} ({made}). Preset {config['preset']}, {repeats}. "
        f"{config['members']} members and one student of each kind, all ResNet-{config['depth']} with "
        f"{config['width']} channels at the first stage{other}; {config['train_rows']} images to learn from, "
        f"{config['validation_rows']} to validate. Members: {_named(config.get('member'), RECIPE)}. Students: "
        f"{_named(config.get('student'), RECIPE)}, {_named(config, TRANSFER)}.{_apart(config, scores)} Tested on clean "
        f"images, on {corruptions} corruptions of them at {len(scores.severities)} severities, and beside SVHN."
        + "".join(f" {note}" for note in config.get("notes") or ())
    )


def _apart(config: dict[str, Any], scores: Scores) -> str:
    """How students learnt that have a recipe of their own, if there are some."""
    brief = bool(config.get("late_warm"))
    recipes: dict[str, tuple[str, ...]] = {"warm": ("From a member on", WARM), "late": ("With more images late",)}
    recipes["warm" if brief else "late"] += LATE, OUTSIDE
    said = ""
    for name, (what, *models) in recipes.items():
        there = [model for model in models if model in scores.models]
        if config.get(name) and there:
            how = f"{_named(config[name], RECIPE)}, views {config[f'{name}_views']}"
            said += f" {what} ({', '.join(there)}): {how}."
    return said


def _named(settings: dict[str, Any] | None, names: tuple[str, ...]) -> str:
    """'epochs 80, batch_size 128', of what there is."""
    return ", ".join(f"{name} {settings[name]}" for name in names if settings and name in settings) or "-"


def _tables(result: Result, scores: Scores) -> Iterator[Table]:
    there = STUDENT in scores.models  # a run may name other models alone
    if there:
        yield targets_table(result, scores)
        yield goals_table(result, scores)
    yield clean_table(scores)
    yield quartiles_table(scores)
    yield ovadia_table(result, scores)
    if there:
        yield claims_table(scores)
    yield from severity_tables(scores)
    yield from fidelity_tables(scores)
    yield svhn_table(scores)
    yield from warm_table(result, scores)
    yield from outside_tables(result, scores)
    yield from passes_table(result, scores)
    if there:
        yield from difference_tables(scores)
    yield from trials_table(result)
    chosen = chosen_table(result)
    if chosen is not None:
        yield chosen


def _boxes(scores: Scores) -> Iterable[Drawing]:
    spread = "Boxes show minimum, quartiles and maximum over the corruptions of means over repeats; clean is one point."
    yield Drawing(
        "figure3",
        boxes_figure(scores, ("accuracy", "ece_quartile")),
        f"The paper's Figure 3: accuracy, and ECE over four bins at the quartiles of confidence. {spread}",
        "Two panels of boxes by severity and method: accuracy falls and calibration error grows with severity.",
    )
    yield Drawing(
        "figure3_ece15",
        boxes_figure(scores, ("accuracy", "ece")),
        f"The same with ECE over 15 bins of equal width. {spread}",
        "Two panels of boxes by severity and method: accuracy, and calibration error over fifteen bins.",
    )
    yield Drawing(
        "students",
        boxes_figure(scores, ("accuracy", "ece", "nll"), DISTILLERS),
        f"All that stand for the ensemble with one network, beside it. {spread}",
        "Three panels of boxes by severity and student: accuracy, calibration error and negative log likelihood.",
    )
    yield Drawing(
        "scores",
        boxes_figure(scores, ("nll", "brier")),
        f"NLL and Brier score. {spread}",
        "Two panels of boxes by severity and method: negative log likelihood and Brier score grow with severity.",
    )


def _uses(result: Result, scores: Scores) -> Iterable[Drawing]:
    yield Drawing(
        "risk",
        risk_figure(result),
        "The error rate among the images that are kept once the most uncertain are set aside; means over repeats. A "
        "severity holds all its corruptions.",
        "Six panels, clean and severities 1 to 5, with the error rate of each method rising with the share kept.",
    )
    yield Drawing(
        "svhn",
        detection_figure(result, scores),
        "Telling SVHN from CIFAR-10 by each uncertainty: curves are means over repeats, bars the areas under them with "
        "95 % intervals. One network without a split has its total uncertainty only.",
        "ROC curves by total, aleatoric and epistemic uncertainty, and bars with the area under each curve.",
    )


def _fidelity(result: Result, scores: Scores) -> Iterable[Drawing]:
    yield Drawing(
        "epistemic",
        epistemic_figure(result),
        "Epistemic uncertainty of test images, the students' against the teacher's, first repeat; grey is how another "
        "ensemble on the same data agrees with the teacher.",
        "A row a student and a column a severity: clouds around the diagonal, before that of another ensemble.",
    )
    yield Drawing(
        "fidelity",
        fidelity_figure(scores),
        "How the students' epistemic uncertainty agrees with the teacher's in order and in size; lines are medians and "
        "bands quartiles over the corruptions.",
        "Two panels over severity: rank correlation with the teacher's mutual information, and ratio of the means.",
    )
