"""Tables of the CIFAR-10 study that compare across its edges: seen and unseen corruptions, a start from a member and
from scratch, one pass and many, ours and published.
"""

import math
from collections.abc import Iterator

import numpy as np

from endd.report.cifar10_published import OVADIA
from endd.report.cifar10_scores import CLEAN, STUDENT, TEACHER, Scores, paired
from endd.report.tables import MISSING, Table, cell, number
from endd.studies.result import Result
from endd.studies.statistics import Estimate

#: The corruptions that the student "distilled_ood" has seen, at severity 2, on training images.
SEEN = ("contrast", "frost", "gaussian_blur", "impulse_noise")
OUTSIDE, LATE, WARM, LOW_RANK = "distilled_ood", "distilled_late", "distilled_warm", "distilled_low_rank"
DROPOUT = "dropout"
# The settings of the one and of the other: how they train, and from how many views of every image.
LESSONS = (("late", "late_views"), ("student", "views"))
COMPARED = ("single", STUDENT, LOW_RANK, "distilled_diagonal", WARM, LATE, OUTSIDE, TEACHER)
METRICS = ("accuracy", "nll", "ece", "kl_teacher", "epistemic_spearman")
OUTSIDE_NOTE = (
    f"Medians over the sets of means over repeats. {OUTSIDE} also learnt from training images under {', '.join(SEEN)} "
    "at severity 2; all other corruptions are as new to it as to the others."
)
_PAIRED = (
    "Means over the sets, paired by repeat, with 95 % intervals. Accuracy and epistemic_spearman are better above 0, "
    "the others below."
)
_LATE_NOTE = (
    "What the images that come in late gave: two students of the same kind, taught by the same members{}. These images "
    f"are corrupted, but also neither mixed nor warped, which may count as much: {LATE} sees the same ones as they "
    f"are. {_PAIRED}"
)
_CORRUPTED_NOTE = f"What the corruptions alone gave: the same images come in late, as they are in {LATE}. {_PAIRED}"
#: Our names for the methods that Ovadia et al. have too.
THEIRS = {
    "single": "vanilla",
    "temperature": "temperature scaling",
    "ensemble": "ensemble of 10",
    "dropout": "dropout",
    "ll_dropout": "LL dropout",
    "svi": "SVI",
    "ll_svi": "LL SVI",
}
FAR = 0.25
OVADIA_NOTE = (
    "Medians over the corrupted sets; theirs are of ResNet-20 on 80 sets. More than 25 % apart is said so. Theirs "
    "learnt from 50,000 images where ours have 40,000, and their ECE may be binned otherwise."
)


def outside_tables(result: Result, scores: Scores) -> Iterator[Table]:
    """Seen corruptions apart from the others, if there is a student that has seen some, and what that gave it.

    It is compared with the student that learns as it does without them: one that starts from a member, or not.
    """
    if OUTSIDE not in scores.models:
        return
    header = ("model", *(f"{metric}, {kind}" for kind in ("seen", "unseen") for metric in METRICS))
    rows = tuple(
        (model, *(number(_median(scores, model, metric, seen)) for seen in (True, False) for metric in METRICS))
        for model in COMPARED
        if model in scores.models
    )
    yield Table("Corruptions that one student has seen, and the others", header, rows, OUTSIDE_NOTE)
    sets = {CLEAN: [CLEAN], "seen corruptions": _corrupted(scores, True), "the others": _corrupted(scores, False)}
    twin = WARM if result.config.get("late_warm") else _low_rank(scores)
    for other, note in ((twin, _LATE_NOTE.format(_taught(result, twin))), (LATE, _CORRUPTED_NOTE)):
        if other in scores.models:
            yield _gains(scores, OUTSIDE, other, sets, note)


def _taught(result: Result, twin: str) -> str:
    """How long the student that has seen some corruptions learnt, and how long its twin."""
    config = result.config
    if twin == WARM or not config.get("late"):
        return " for as many epochs"
    (ours, views), (theirs, more) = ((config[name]["epochs"], config[seen]) for name, seen in LESSONS)
    return f", but it learnt for {ours} epochs from {views} views of every image, {twin} for {theirs} from {more}"


def warm_table(result: Result, scores: Scores) -> Iterator[Table]:
    """The student that starts from a member against the one that starts from scratch, if both are there."""
    scratch, how = _low_rank(scores), result.config.get("warm")
    if not {WARM, scratch} <= {*scores.models} or not how:
        return
    sets = {CLEAN: [CLEAN]} | {f"severity {severity}": scores.sets[severity] for severity in scores.severities}
    note = (
        f"What a start from a member is worth: {WARM} begins with the weights of the first one, all but the head, and "
        f"learns for {how['epochs']} epochs, {scratch} begins with random ones and learns for "
        f"{result.config['student']['epochs']}. {_PAIRED}"
    )
    yield _gains(scores, WARM, scratch, sets, note)


def _low_rank(scores: Scores) -> str:
    """The low-rank student; where it has no name of its own it is the chosen one."""
    return LOW_RANK if LOW_RANK in scores.models else STUDENT


def _gains(scores: Scores, ours: str, theirs: str, sets: dict[str, list[str]], note: str) -> Table:
    """One model minus another, on average over every group of sets."""
    rows = tuple(
        (kind, *(cell(_paired_over(scores, metric, names, ours, theirs), 4, signed=True) for metric in METRICS))
        for kind, names in sets.items()
    )
    return Table(f"{ours} minus {theirs}", ("images", *METRICS), rows, note)


def _corrupted(scores: Scores, seen: bool) -> list[str]:
    names = [name for severity in scores.severities for name in scores.sets[severity]]
    return [name for name in names if (name.rpartition("-")[0] in SEEN) == seen]


def _median(scores: Scores, model: str, metric: str, seen: bool) -> float:
    found = [scores.mean(model, metric, name) for name in _corrupted(scores, seen)]
    return float(np.median(found)) if found else float("nan")


def _paired_over(scores: Scores, metric: str, sets: list[str], ours: str, theirs: str) -> Estimate | None:
    """The mean over some sets, of one model minus another."""
    return paired(scores.over_sets(ours, metric, sets), scores.over_sets(theirs, metric, sets))


def passes_table(result: Result, scores: Scores) -> Iterator[Table]:
    """The student, which answers in one pass, against MC dropout in many, if that is there: scores and time."""
    if not {STUDENT, DROPOUT} <= {*scores.models}:
        return
    columns = ("clean", *(f"severity {severity}" for severity in scores.severities))
    rows = [(metric, *(_gap(scores, metric, severity) for severity in scores.sets), MISSING) for metric in METRICS[:3]]
    for size in (1, 256):
        ours, theirs = (scores.mean(model, f"ms_a_row@{size}") for model in (STUDENT, DROPOUT))
        ratio = MISSING if math.isnan(ours / theirs) else f"{ours:.3g} and {theirs:.3g} ms: {theirs / ours:.1f} times"
        rows.append((f"time an image, {size} at once", *(MISSING for _ in columns), ratio))
    note = (
        f"{STUDENT}, one pass, minus {DROPOUT} of {result.config.get('draws', 'several')} passes, a network of the "
        "same size; means over the corruptions, paired by repeat, with 95 % intervals. Accuracy is better above 0, the "
        "others below. Times hold the whole split, in float32."
    )
    yield Table("One pass against many", ("", *columns, "time"), tuple(rows), note)


def _gap(scores: Scores, metric: str, severity: int) -> str:
    return cell(_paired_over(scores, metric, scores.sets[severity], STUDENT, DROPOUT), 4, signed=True)


def ovadia_table(result: Result, scores: Scores) -> Table:
    """Our medians beside those of Ovadia et al., and what is known of why they differ."""
    remarks: dict[str, str] = result.config.get("remarks") or {}
    rows = []
    for model, name in THEIRS.items():
        if model not in scores.models:
            continue
        theirs = {"ece": OVADIA[name].ece[1], "nll": OVADIA[name].nll}
        for metric, printed in theirs.items():
            ours = scores.median(model, metric)
            apart = ours / printed - 1
            verdict = MISSING if math.isnan(apart) else "far" if abs(apart) > FAR else "near"
            share = MISSING if math.isnan(apart) else f"{apart:+.0%}"
            remark = remarks.get(f"{model} {metric}", "")
            rows.append((model, metric, number(ours), number(printed), share, verdict, remark))
    header = ("model", "metric", "here", "Ovadia 2019", "difference", "verdict", "why")
    return Table("Beside Ovadia et al. 2019", header, tuple(rows), OVADIA_NOTE)
