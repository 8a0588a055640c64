"""The tables of the CIFAR-10 study."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from endd.report.cifar10_published import CLEAN_ACCURACY, OVADIA
from endd.report.cifar10_scores import (
    BOTH_SIDES,
    CLEAN,
    CORRUPTED,
    STUDENT,
    SVHN,
    TEACHER,
    Scores,
    Values,
    over_repeats,
    paired,
)
from endd.report.tables import MISSING, Table, cell, number
from endd.studies.result import Result

SCORES = ("accuracy", "nll", "brier", "ece", "ece_quartile", "aurc")
SPREAD = ("accuracy", "ece", "ece_quartile", "nll", "brier")
GAPS = ("accuracy", "nll", "brier", "ece")
FIDELITY = ("kl_teacher", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10")
DETECTION = ("auroc_total", "auroc_aleatoric", "auroc_epistemic", "auroc_temperature")
#: What stands in for the epistemic part where a student has none.
STAND_INS = ("entropy", "temperature")
CLEAN_NOTE = (
    "Means over repeats with 95 % intervals; single and temperature are means over all members' scores. ece has 15 "
    "bins of equal width, ece_quartile the paper's four at the quartiles of confidence; aurc is the area under the "
    "curve of error against the share kept."
)
BOTH_SIDES_NOTE = " single_symmetric and ensemble_symmetric: the same members, asked about mirror images too."
QUARTILES_NOTE = (
    "25 / 50 / 75 % over all corrupted sets, of means over repeats. Rows of Ovadia 2019 are of ResNet-20 on 80 sets; "
    "of nll and brier the medians alone are shown, and the ece there may be binned otherwise."
)
SEVERITY_NOTE = "Medians over the corruptions of means over repeats."
FIDELITY_NOTE = (
    "Means over repeats with 95 % intervals on clean images and on all corrupted ones as one set; at a severity, "
    "medians over the corruptions. kl_teacher: mean KL of the predictive from the ensemble's. epistemic_...: the "
    "mutual information against the ensemble's, in order (Spearman) and size (ratio of means); in brackets what stands "
    "in for it where a model has no such part. rejection_overlap@10: the share of the teacher's most uncertain tenth "
    "that the student's holds too. another ensemble: what an independent draw of the teacher reaches."
)
SVHN_NOTE = "How well an uncertainty tells 1083 images of SVHN from CIFAR-10's test images; 0.5 is chance."
GAPS_NOTE = (
    "The chosen student minus each other method, paired by repeat, with 95 % intervals; accuracy is better above 0, "
    "the others below."
)


def clean_table(scores: Scores) -> Table:
    """The clean test images."""
    rows = [(model, *_cells(scores, model, SCORES), *_cost(scores, model)) for model in scores.models]
    empty = (MISSING,) * (len(SCORES) + 1)
    rows += [(name, f"{value:.4f}".rstrip("0"), *empty) for name, value in CLEAN_ACCURACY.items()]
    both = BOTH_SIDES_NOTE if {*BOTH_SIDES} & {*scores.models} else ""
    return Table("Clean images", ("model", *SCORES, "train_seconds", "parameters"), tuple(rows), CLEAN_NOTE + both)


def _cells(scores: Scores, model: str, metrics: Iterable[str], dataset: str = CLEAN) -> tuple[str, ...]:
    return tuple(cell(over_repeats(scores.values(model, metric, dataset)), 4) for metric in metrics)


def _cost(scores: Scores, model: str) -> tuple[str, str]:
    parameters = number(scores.mean(model, "parameters"), 0)
    return number(scores.mean(model, "train_seconds"), 1), parameters


def quartiles_table(scores: Scores) -> Table:
    """How scores spread over the corrupted sets, beside published ones."""
    rows = [(model, *(_three(scores.quartiles(model, metric)) for metric in SPREAD)) for model in scores.models]
    for name, found in OVADIA.items():
        medians = {metric: f"{MISSING} / {getattr(found, metric):.3f} / {MISSING}" for metric in ("nll", "brier")}
        shown = medians | {"ece": _three(found.ece)}
        rows.append((f"Ovadia 2019: {name}", *(shown.get(metric, MISSING) for metric in SPREAD)))
    return Table("Quartiles over the corrupted sets", ("model", *SPREAD), tuple(rows), QUARTILES_NOTE)


def _three(values: tuple[float, ...]) -> str:
    shown = [number(value) for value in values]
    return MISSING if MISSING in shown else " / ".join(shown)


def severity_tables(scores: Scores) -> Iterator[Table]:
    """Medians by severity, a table a metric."""
    header = ("model", *("clean" if severity == 0 else f"severity {severity}" for severity in scores.sets))
    for metric in SCORES[:-1]:
        rows = tuple(
            (model, *(number(scores.median(model, metric, severity)) for severity in scores.sets))
            for model in scores.models
            if scores.has(model, metric)
        )
        yield Table(f"{metric} by severity", header, rows, SEVERITY_NOTE if metric == SCORES[0] else "")


def fidelity_tables(scores: Scores) -> Iterator[Table]:
    """Agreement with the teacher, a table a metric, with what another ensemble reaches."""
    header = ("model", CLEAN, *(f"severity {severity}" for severity in scores.severities), CORRUPTED)
    for metric in FIDELITY:
        rows = tuple((label, *_agreement(scores, *source)) for label, source in _sources(scores, metric).items())
        yield Table(f"Fidelity: {metric}", header, rows, FIDELITY_NOTE if metric == FIDELITY[0] else "")


def _sources(scores: Scores, metric: str) -> dict[str, tuple[str, str]]:
    """The name of a row, and the model and metric that it is of."""
    sources = {model: (model, metric) for model in scores.models}
    if metric == "epistemic_spearman":
        sources |= {f"{model} ({kind})": (model, f"{metric}_{kind}") for model in scores.models for kind in STAND_INS}
    sources["another ensemble"] = (TEACHER, reference_name(metric))
    return {label: source for label, source in sources.items() if scores.has(*source)}


def reference_name(metric: str) -> str:
    """What the agreement of two ensembles is called.

    >>> [reference_name(metric) for metric in ("kl_teacher", "epistemic_ratio", "rejection_overlap@10")]
    ['kl_reference', 'epistemic_ratio_reference', 'rejection_overlap_reference@10']
    """
    if metric == "kl_teacher":
        return "kl_reference"
    name, at, share = metric.partition("@")
    return f"{name}_reference{at}{share}"


def _agreement(scores: Scores, model: str, metric: str) -> tuple[str, ...]:
    digits = 4 if metric.startswith("kl") else 3
    ends = [cell(over_repeats(scores.values(model, metric, dataset)), digits) for dataset in (CLEAN, CORRUPTED)]
    middle = (number(scores.median(model, metric, severity), digits) for severity in scores.severities)
    return (ends[0], *middle, ends[1])


def svhn_table(scores: Scores) -> Table:
    """Detection of images of another kind."""
    rows = tuple((model, *_cells(scores, model, DETECTION, SVHN)) for model in scores.models)
    return Table("SVHN", ("model", *DETECTION), rows, SVHN_NOTE)


def difference_tables(scores: Scores) -> Iterator[Table]:
    """The student minus every other method."""

    def clean(model: str, metric: str) -> Values:
        return scores.values(model, metric, CLEAN)

    sources = {"clean images": clean, "mean over the corrupted sets": scores.over_corrupted}
    for title, found in sources.items():
        rows = tuple(
            (model, *(cell(paired(found(STUDENT, m), found(model, m)), 4, signed=True) for m in GAPS))
            for model in scores.models
            if model != STUDENT
        )
        table = Table(f"{STUDENT} minus the others: {title}", ("model", *GAPS), rows, GAPS_NOTE)
        yield table if title == "clean images" else replace(table, note="")


def trials_table(result: Result) -> Iterator[Table]:
    """What single networks with an uncertain part were tried with, if any were."""
    trials: dict[str, dict[str, dict[str, float]]] = result.config.get("trials") or {}
    lengths = sorted({int(epochs) for rounds in trials.values() for epochs in rounds})
    rows = tuple(row for model, rounds in trials.items() for row in _tried(model, rounds, lengths))
    if rows:
        note = (
            "On validation images in the first repeat, short trainings of all and whole ones of the best. dropout, "
            "ll_dropout: the rate; svi, ll_svi: the scale of the prior, where 0 is the one that suits the weights of a "
            "layer best, and for svi how much the divergence from it counts, where 1 is the evidence lower bound."
        )
        head = ("model", "value", *(f"nll after {epochs} epochs" for epochs in lengths), "chosen")
        yield Table("Tried on validation images", head, rows, note)


def _tried(model: str, rounds: dict[str, dict[str, float]], lengths: list[int]) -> Iterator[tuple[str, ...]]:
    """A row for every value; the last round tells what was chosen."""
    last = rounds[str(max(map(int, rounds)))]
    best = min(filter(math.isfinite, last.values()), default=math.nan)
    for value in dict.fromkeys(value for losses in rounds.values() for value in losses):
        losses = [rounds.get(str(epochs), {}).get(value) for epochs in lengths]
        cells = ("" if loss is None else number(loss, 4) for loss in losses)
        yield (model, value, *cells, "yes" if last.get(value) == best else "")


def chosen_table(result: Result) -> Table | None:
    """The candidates on validation images, and which of them is the distilled student."""
    chosen: dict[str, Any] = result.config.get("chosen") or {}
    candidates: dict[str, dict[str, float]] = chosen.get("validation") or {}
    if not candidates:
        return None
    metrics = [*dict.fromkeys(metric for found in candidates.values() for metric in found)]
    rows = tuple(
        (name, *(number(found.get(m, float("nan")), 4) for m in metrics), "yes" if name == chosen.get("model") else "")
        for name, found in candidates.items()
    )
    note = f"The one chosen is {STUDENT} in all other tables; the test images had no part in this."
    return Table("Chosen on validation images", ("candidate", *metrics, "chosen"), rows, note)
