"""The report of the frontier: what to deploy for a budget, and the numbers behind it."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from endd.report.cifar10_targets import GOAL_ACCURACY_GAP, GOAL_GAIN_LOST, GOAL_OVERLAP
from endd.report.document import Drawing, Report
from endd.report.frontier_figures import frontier_figure, short
from endd.report.frontier_front import CLEAN, CORRUPTED, Choice, family, ordered, size, to_deploy
from endd.report.rows import differences, estimates, gain_lost
from endd.report.tables import MISSING, Table, cell, number
from endd.studies.result import Result

SCORES = ("accuracy", "nll", "ece")
FIDELITY = ("kl_teacher", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10")
NOTE = (
    "Means over repeats with 95 % intervals. ece has 15 bins of equal width. kl_teacher: mean KL of the predictive "
    "from that of the whole ensemble; epistemic_...: the mutual information against the ensemble's, in order "
    "(Spearman) and size (ratio of means); rejection_overlap@10: the share of the ensemble's most uncertain tenth that "
    "the model's holds too. A single network has no such part. The largest ensemble is the teacher, and like "
    "itself by definition."
)
LEVERS = (
    "A student with one setting changed minus student_1, paired by repeat, with 95 % intervals. diagonal: no low-rank "
    "part of v; no_mean, mean_0.9: the weight of the mean prediction; no_epistemic: without the term for the size of "
    "the disagreement; ema: averaged weights; sgd, muon: another optimiser; short, long: a third of the epochs, twice "
    "as many; symmetric: with the mirror image of every image, for twice the multiply-adds; push: all views moved to "
    "where members disagree; no_mixing: views of one image alone; no_warp: none of them warped; blend: half of them "
    "blended with changed ones; few_views: a quarter as many."
)


def frontier_report(result: Result) -> Report:
    """All of it, from the records."""
    return Report("The frontier", _summary(result), tuple(_drawings(result)), tuple(_tables(result)))


def _summary(result: Result) -> str:
    """What to deploy comes first, then how it was made."""
    config = result.config
    study = config["study"]
    made = ", ".join(f"{name} {value}" for name, value in result.environment.items())
    repeats = "one repeat" if config["seeds"] == 1 else f"{config['seeds']} repeats"
    chosen, split = (to_deploy(result, "multiply_adds", split) for split in (False, True))
    needed = f" Where both kinds of uncertainty are needed: {advice(split)}" if split and split != chosen else ""
    return (
        f"{advice(chosen)}{needed} Made by: {config.get('command', 'unknown')} ({made}). Preset "
        f"{config['preset']}, {repeats}. Networks are ResNet-{study['depth']}; 1 is the width of a member, "
        f"{study['width']} channels at the first stage. single_W: a network of width W that learnt from labels for "
        f"{study['member']['epochs']} epochs. student_W: a low-rank normal over logits, {config['epochs']} "
        f"epochs{_views(config)}{_start(result)}. "
        f"{_dense(result)}hydra: a head for each of the {study['members']} members, as many epochs. ensemble_N: the "
        f"first N members. {study['train_rows']} images to learn from, {study['test_rows']} to test on."
        + "".join(f" {note}" for note in config.get("notes") or ())
    )


def _views(config: dict[str, Any]) -> str:
    return f" (views of every image: {config['views']})" if config.get("views") else ""


def _start(result: Result) -> str:
    """How students begin; single networks begin with random weights."""
    if not result.config.get("warm"):
        return ""
    wide = any(family(model) == "student" and size(model) > 1 for model in result.models())
    beside = "; wider ones hold as many of the first members side by side as they have room for" if wide else ""
    return f", from the weights of the first member on, all but the head{beside}"


def _dense(result: Result) -> str:
    if "dense_1" not in result.models():
        return ""
    layers, growth = (result.config["study"][name] for name in ("dense_layers", "dense_growth"))
    return f"dense_1: a student with a dense network of {'+'.join(map(str, layers))} layers and growth {growth}. "


def advice(chosen: list[Choice]) -> str:
    """A sentence for whoever has a budget of multiply-adds.

    >>> advice([Choice(41e6, "student_1"), Choice(92e6, "student_1.5")])
    'With 41 M multiply-adds an image deploy student_1, with 92 M student_1.5.'
    """
    if not chosen:
        return "Nothing can be said about what to deploy yet."
    first, *rest = (f"{short(choice.budget)}" for choice in chosen)
    more = "".join(f", with {budget} {choice.model}" for budget, choice in zip(rest, chosen[1:], strict=True))
    return f"With {first} multiply-adds an image deploy {chosen[0].model}{more}."


def _tables(result: Result) -> Iterator[Table]:
    models = ordered(result.models())
    if models:
        yield from _of_models(result, models)
    yield from _levers(result)


def _of_models(result: Result, models: list[str]) -> Iterator[Table]:
    """What to deploy, what everything costs, and how good and how near to the teacher it is."""
    yield _deployed(result)
    yield _deployed(result, split=True)
    yield _costs(result, models)
    for dataset, title in ((CLEAN, "Clean images"), (CORRUPTED, "Corrupted images")):
        if dataset in result.datasets():
            rows = tuple((model, *estimates(result, model, (*SCORES, *FIDELITY), dataset)) for model in models)
            yield Table(title, ("model", *SCORES, *FIDELITY), rows, NOTE if dataset == CLEAN else _sets(result))
    if family(models[-1]) == "ensemble":
        yield from (_beside_teacher(result, models, name) for name in (CLEAN, CORRUPTED) if name in result.datasets())
    yield from _differences(result, models)


def _sets(result: Result) -> str:
    names, levels = result.config["corruptions"], ", ".join(map(str, result.config["severities"]))
    return (
        f"{', '.join(names)} at severities {levels}: scores are means over these sets, agreement is over all of them "
        "as one."
    )


def _deployed(result: Result, split: bool = False) -> Table:
    names = {"multiply_adds": "multiply-adds", "parameters": "parameters"}
    names |= {f"ms_a_row@{rows}": f"ms an image, {rows} at once" for rows in result.config["batches"]}
    rows = []
    for cost, name in names.items():
        before = None
        for choice in to_deploy(result, cost, split):
            shown = estimates(result, choice.model, ("nll", "accuracy", "epistemic_spearman"), CLEAN)
            gap = MISSING if before is None else differences(result, choice.model, before, ["nll"], CLEAN)[0]
            rows.append((name, short(choice.budget), choice.model, *shown, gap))
            before = choice.model
    header = ("budget", "from", "deploy", "nll", "accuracy", "epistemic_spearman", "nll minus the one before")
    note = (
        "For a budget, the model with the lowest nll on validation images among those that cost at most so much, until "
        "the next row; numbers are those of clean test images. Where the last column's interval holds 0, the repeats "
        "do not say that the larger budget pays. Costs are rounded up to two digits."
    )
    if split:
        note = "The same among models that tell what they do not know from noise: students, Hydra and ensembles."
    title = "What to deploy where both kinds of uncertainty are needed" if split else "What to deploy"
    return Table(title, header, tuple(rows), note)


def _costs(result: Result, models: list[str]) -> Table:
    batches = result.config["batches"]
    rows = []
    for model in models:
        whole = (_plain(result, model, metric) for metric in ("parameters", "multiply_adds"))
        times = (_ms(result, model, f"ms_a_row{way}@{rows}") for rows in batches for way in ("", "_loop"))
        rows.append((model, *whole, *times, estimates(result, model, ["train_seconds"], CLEAN)[0]))
    timed = (name for rows in batches for name in (f"ms @{rows}", f"ms @{rows}, loop"))
    note = (
        "Multiply-adds of all convolutions and linear layers for one image. Milliseconds an image in batches of so "
        f"many, with the whole split, in float32, on {result.environment.get('device', 'this machine')}: medians of "
        f"{result.config['rounds']} rounds, means over repeats with 95 % intervals; loop: where the members answer one "
        "after another. train_seconds: a model's share of a stacked run; a student also needs its teacher."
    )
    return Table("Costs", ("model", "parameters", "multiply_adds", *timed, "train_seconds"), tuple(rows), note)


def _plain(result: Result, model: str, metric: str) -> str:
    value = result.estimate(model, metric, CLEAN)
    return MISSING if value is None else f"{value.mean:,.0f}"


def _ms(result: Result, model: str, metric: str) -> str:
    value = result.estimate(model, metric, CLEAN)
    if value is None:
        return MISSING
    return f"{value.mean:.3g}" + ("" if math.isnan(value.half_width) else f" ± {value.half_width:.2g}")


def _beside_teacher(result: Result, models: list[str], dataset: str) -> Table:
    """How far every model is from the teacher, and what the CIFAR-10 study wants of a student of width 1."""
    teacher = models[-1]
    rows = tuple(
        (
            model,
            *(_gap(result, model, teacher, metric, dataset) for metric in SCORES),
            number(_gain_lost(result, model, teacher, dataset)),
            *estimates(result, model, FIDELITY[-1:], dataset),
        )
        for model in models[:-1]
    )
    note = (
        f"Models minus {teacher}, the teacher, paired by repeat; accuracy is better above 0, nll and ece below. nll "
        "gain lost: the share of the teacher's gain over single_1 that a model does not keep, as a ratio of means."
    )
    if dataset == CLEAN:
        note += (
            f" The goals of the CIFAR-10 study for a student of width 1: at most {GOAL_ACCURACY_GAP:g} of accuracy and "
            f"{GOAL_GAIN_LOST:g} of the gain lost, an overlap of at least {GOAL_OVERLAP:g}."
        )
    return Table(f"Beside the teacher, {dataset} images", ("model", *SCORES, "nll gain lost", FIDELITY[-1]), rows, note)


def _gain_lost(result: Result, model: str, teacher: str, dataset: str) -> float:
    """Over the repeats that all three have."""
    values = [result.values(name, "nll", dataset) for name in (model, teacher, "single_1")]
    shared = sorted(set.intersection(*(set(found) for found in values)))
    return gain_lost(*(math.fsum(found[repeat] for repeat in shared) for found in values))


def _differences(result: Result, models: list[str]) -> Iterator[Table]:
    pairs = [(ours, theirs) for ours, theirs in _pairs(models) if ours in models and theirs in models]
    metrics = (*SCORES, "kl_teacher")
    for dataset in (CLEAN, CORRUPTED):
        rows = tuple(
            (f"{ours} minus {theirs}", *(_gap(result, ours, theirs, metric, dataset) for metric in metrics))
            for ours, theirs in pairs
        )
        if rows and dataset in result.datasets():
            note = "Paired by repeat, with 95 % intervals; accuracy is better above 0, the others below."
            yield Table(f"Differences, {dataset} images", ("models", *metrics), rows, note)


def _levers(result: Result) -> Iterator[Table]:
    """What one setting changes: students with it against the student without."""
    levers = [model for model in result.models() if family(model) == "lever"]
    metrics = (*SCORES, *FIDELITY)
    for dataset in (CLEAN, CORRUPTED):
        rows = tuple(
            (lever, *(_gap(result, lever, "student_1", metric, dataset) for metric in metrics)) for lever in levers
        )
        if rows and dataset in result.datasets():
            yield Table(f"Levers, {dataset} images", ("student", *metrics), rows, LEVERS)


def _gap(result: Result, ours: str, theirs: str, metric: str, dataset: str) -> str:
    return cell(result.difference(ours, theirs, metric, dataset), 4, signed=True)


def _pairs(models: list[str]) -> Iterable[tuple[str, str]]:
    """Students against networks of their width; others of width 1 against the student of it."""
    widths = [size(model) for model in models if model.startswith("student_")]
    yield from ((f"student_{width:g}", f"single_{width:g}") for width in widths)
    yield "dense_1", "student_1"
    yield "hydra", "student_1"


def _drawings(result: Result) -> Iterator[Drawing]:
    if not ordered(result.models()):
        return  # of levers there are tables
    yield Drawing(
        "frontier",
        frontier_figure(result),
        "Above: what to deploy for a budget, until the next piece; chosen on validation images, among all models "
        "and among those that tell both kinds of uncertainty apart. Below: clean test images, with 95 % intervals over "
        "repeats. Numbers say how wide a network is, or how many members an ensemble has. Dashed: how another ensemble "
        "on the same data agrees with the teacher. Times hold the whole split into aleatoric and epistemic "
        "uncertainty, in float32; dotted lines: where members answer one after another.",
        "Sixteen panels with a line for single networks, one for students and one for ensembles: NLL, accuracy, "
        "divergence from the teacher and rank correlation with it over multiply-adds, parameters and the time an image "
        "takes, one at a time and in batches. Strips above them say which model to deploy for a budget.",
    )
