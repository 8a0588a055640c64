"""What the CIFAR-10 study is meant to show, and whether it does."""

import math
from collections.abc import Iterable, Iterator

from endd.report.cifar10_scores import (
    BOTH_SIDES,
    CLEAN,
    CONTROL,
    CORRUPTED,
    SINGLE,
    STUDENT,
    SVHN,
    TEACHER,
    Scores,
    mean,
    paired,
)
from endd.report.rows import gain_lost
from endd.report.tables import Table
from endd.report.targets import Target
from endd.studies.result import Result

ACCURACY = {SINGLE: 0.915, TEACHER: 0.934, STUDENT: 0.928}
NLL, ACCURACY_GAP, GAIN_LOST = 0.21, 0.008, 0.35
ECE_GAP_CLEAN, ECE_GAP = 0.005, 0.02
SPEARMAN, EPISTEMIC_RATIO, AUROC_GAP = 0.92, (0.85, 1.15), 0.01
#: What would be a student as good as its teacher in all but a little: further than the targets.
GOAL_ACCURACY_GAP, GOAL_GAIN_LOST, GOAL_ECE_GAP, GOAL_OVERLAP = 0.005, 0.25, 0.0, 0.75
COLUMNS = ("target", "verdict", "reached", "bound")
# Students that cost more with no more parameters than the low-rank one, and how; {} are settings of the study.
OTHERS = {
    "distilled_dense": "has a dense network, of one and a half times the multiply-adds",
    "distilled_symmetric": "looks at every image and at its mirror image, for twice the multiply-adds",
    "distilled_long": "learns for {longer} times as many epochs",
}


def others(result: Result, scores: Scores) -> dict[str, str]:
    """Those that are there, and what they cost more."""
    return {name: what.format(**result.config) for name, what in OTHERS.items() if name in scores.models}


def targets(scores: Scores) -> Iterator[Target]:
    """All of them, by the repeats that student and teacher share; a number that the records do not give is NaN."""
    scores = scores.shared_by(STUDENT, TEACHER, SINGLE)
    yield from _prediction(scores)
    yield from _calibration(scores, ECE_GAP_CLEAN, ECE_GAP)
    yield from _fidelity(scores)
    for dataset in (CLEAN, CORRUPTED):
        yield _above_control(scores, dataset)


def goals(scores: Scores, student: str = STUDENT) -> Iterator[Target]:
    """Where a student should come in the end, by the repeats that it shares with its teacher."""
    scores = scores.shared_by(student, TEACHER, SINGLE)
    yield _accuracy_gap(scores, GOAL_ACCURACY_GAP, student)
    yield _loss_of_gain(scores, GOAL_GAIN_LOST, student)
    yield from _calibration(scores, GOAL_ECE_GAP, GOAL_ECE_GAP, student)
    yield Target("rejection_overlap@10, clean", scores.mean(student, "rejection_overlap@10"), low=GOAL_OVERLAP)


def _prediction(scores: Scores) -> Iterator[Target]:
    for model, low in ACCURACY.items():
        yield Target(f"{model}: accuracy, clean", scores.mean(model, "accuracy"), low=low, digits=4)
    yield Target(f"{STUDENT}: nll, clean", scores.mean(STUDENT, "nll"), high=NLL, digits=4)
    yield _accuracy_gap(scores, ACCURACY_GAP)
    yield _loss_of_gain(scores, GAIN_LOST)
    yield Target("nll gain over temperature lost, clean", _gain_lost(scores, "temperature", STUDENT), digits=4)


def _accuracy_gap(scores: Scores, high: float, student: str = STUDENT) -> Target:
    gap = scores.mean(TEACHER, "accuracy") - scores.mean(student, "accuracy")
    return Target("accuracy, clean: teacher minus student", gap, high=high, digits=4)


def _loss_of_gain(scores: Scores, high: float, student: str = STUDENT) -> Target:
    return Target("nll gain over single lost, clean", _gain_lost(scores, SINGLE, student), high=high, digits=4)


def _gain_lost(scores: Scores, baseline: str, student: str) -> float:
    """The share of the ensemble's gain over a baseline that its student does not keep, as a ratio of mean gaps."""
    teacher, ours, other = (scores.mean(model, "nll") for model in (TEACHER, student, baseline))
    return gain_lost(ours, teacher, other)


def _calibration(scores: Scores, clean: float, corrupted: float, student: str = STUDENT) -> Iterator[Target]:
    for severity in range(6):
        ours, teacher = (scores.median(model, "ece", severity) for model in (student, TEACHER))
        name = f"ece, {f'severity {severity}' if severity else CLEAN}: student minus teacher"
        yield Target(name, ours - teacher, high=corrupted if severity else clean, digits=4)


def _fidelity(scores: Scores) -> Iterator[Target]:
    spearman, ratio = "epistemic_spearman", "epistemic_ratio"
    yield Target("Spearman of epistemic, clean", scores.mean(STUDENT, spearman), low=SPEARMAN)
    reference = scores.mean(TEACHER, f"{spearman}_reference", CORRUPTED)
    name = "Spearman of epistemic, corrupted, against two ensembles'"
    value = scores.mean(STUDENT, spearman, CORRUPTED)
    # a bound that is not known leaves nothing to judge
    yield Target(name, value, low=None if math.isnan(reference) else reference)
    yield Target("mean epistemic, clean, ratio", scores.mean(STUDENT, ratio), *EPISTEMIC_RATIO)
    teacher, student = (scores.mean(model, "auroc_epistemic", SVHN) for model in (TEACHER, STUDENT))
    yield Target("AUROC of epistemic, SVHN: teacher minus student", teacher - student, high=AUROC_GAP, digits=4)


def _above_control(scores: Scores, dataset: str) -> Target:
    """Whether a learnt distribution says more about the teacher's disagreement than a learnt temperature can."""
    kinds = [scores.values(CONTROL, f"epistemic_spearman_{kind}", dataset) for kind in ("entropy", "temperature")]
    better = max(kinds, key=lambda found: mean(found) if found else -math.inf)
    gain = paired(scores.values(STUDENT, "epistemic_spearman", dataset), better)
    name = f"Spearman of epistemic, {dataset}: student minus the control's better"
    if gain is None:
        return Target(name, math.nan, low=0.0)
    return Target(name, gain.mean, low=0.0, half_width=gain.half_width)


def targets_table(result: Result, scores: Scores) -> Table:
    """A row a target; what was tried for those that were missed stands below."""
    every = [*targets(scores)]
    note = (
        f"{_count(every)} Means over repeats; at a severity, each model's median over corruptions of those. Gains lost "
        "are ratios of mean gaps. The control is a mixture student with a temperature for every input: of its entropy "
        "and its temperature, the one that orders the images more like the teacher's disagreement counts, and the "
        "whole 95 % interval over repeats must lie above 0."
    )
    return Table("Targets", COLUMNS, _rows(every), "\n".join([note, *_tried(result, _missed(every))]))


def _missed(every: list[Target]) -> list[str]:
    return [target.name for target in every if target.known and not target.met]


def _tried(result: Result, names: Iterable[str]) -> list[str]:
    """What was tried for each of these, where that was written down."""
    tried: dict[str, str] = result.config.get("missed") or {}
    return [f"- {name}: {tried[name]}" for name in names if name in tried]


def goals_table(result: Result, scores: Scores) -> Table:
    """A row a goal, beside how another ensemble would do where that can be said, and students that cost more.

    What was tried for those that were missed stands below, where it does not stand with the targets.
    """
    costlier = others(result, scores)
    every = {student: [*goals(scores, student)] for student in (STUDENT, *costlier)}
    another = scores.mean(TEACHER, "rejection_overlap_reference@10")
    counts = " ".join(f"{student}: {_count(found)}" for student, found in every.items())
    note = f"{counts} Bounds further than the targets: a student that lacks little of its teacher."
    if not math.isnan(another):
        note += f" Another ensemble on the same data has an overlap of {another:.3f}."
    if costlier:
        note += f" {'; '.join(f'{name} {what}' for name, what in costlier.items())}."
    both = [scores.mean(model, "nll") for model in BOTH_SIDES]
    if not any(map(math.isnan, both)):
        single, ensemble = (f"{nll:.4f}" for nll in both)
        note += f" Asked about mirror images too, a single network has an nll of {single}, the ensemble of {ensemble}."
    header = ("target", "bound", *(cell for student in every for cell in (student, "verdict")))
    rows = [
        (name, bound, *(cell for found in every.values() for cell in (found[place].number, found[place].verdict)))
        for place, (name, bound) in enumerate((goal.name, goal.bounds) for goal in every[STUDENT])
    ]
    above = _missed([*targets(scores)])
    lines = _tried(result, (name for name in _missed(every[STUDENT]) if name not in above))
    return Table("Goals beyond the targets", header, tuple(rows), "\n".join([note, *lines]))


def _rows(every: list[Target]) -> tuple[tuple[str, ...], ...]:
    return tuple((target.name, target.verdict, target.number, target.bounds or "no bound") for target in every)


def _count(every: list[Target]) -> str:
    known = [target for target in every if target.known]
    return f"{sum(target.met for target in known)} of {len(known)} are met."
