"""The figures of docs/results.md are those of the committed results."""

import json
import math
import statistics
from functools import partial
from pathlib import Path

from endd.report.cifar10_outside import outside_tables
from endd.report.cifar10_scores import Scores
from endd.report.cifar10_targets import goals, targets
from endd.report.estimators import beside_trees, gain_kept
from endd.report.uci_targets import targets as uci_targets
from endd.studies.result import Result

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "results.md").read_text()
SAID = " ".join(PAGE.split())


def _mean(result: Result, model: str, metric: str, dataset: str = "clean") -> float:
    """Over the three repeats of a study of images."""
    found = result.values(model, metric, dataset)
    assert len(found) == 3
    return statistics.fmean(found.values())


def test_shares_of_the_gain_come_from_results() -> None:
    rows = json.loads((ROOT / "results" / "bench" / "examples.json").read_text())["rows"]
    for row in rows:
        cells = [f"{sum(row['nll'][model]) / len(row['seeds']):.3f}" for model in ("single", "ensemble", "student")]
        share = f"{100 * row['share']:.0f} % ± {100 * row['half width']:.0f} %"
        assert f"| [{row['example']}](../examples/{row['example']}.py) | {' | '.join(cells)} | {share} |" in PAGE


def test_what_corrupted_images_gave_comes_from_results() -> None:
    def ahead(study: str, other: str, images: str, metric: str) -> str:
        result = Result.load(ROOT / "results" / study)
        tables = {table.title: table for table in outside_tables(result, Scores(result))}
        gains = tables[f"distilled_ood minus {other}"]
        found = {row[0]: dict(zip(gains.header, row, strict=True)) for row in gains.rows}
        mean, width = (float(number) for number in found[images][metric].split(" ± "))
        return f"{mean if metric == 'accuracy' else -mean:.3f} ± {width:.3f}"  # above 0 it is better, nll below

    seen, others, clean = (
        [ahead("cifar10", "distilled_warm", images, metric) for metric in ("accuracy", "nll")]
        for images in ("seen corruptions", "the others", "clean")
    )
    assert (
        f"ahead of `distilled_warm` by {seen[0]} of accuracy and {seen[1]} of nll on the corruptions that it has seen"
        in SAID
    )
    assert f"by {others[0]} and {others[1]} on the twelve others, and by {clean[0]} of accuracy on clean images" in SAID
    control = [
        ahead("cifar10-short", "distilled_late", images, "accuracy") for images in ("seen corruptions", "the others")
    ]
    assert f"by {control[0]} of accuracy on those that it has seen and by {control[1]} on the others" in SAID


def test_what_a_start_from_a_member_keeps_comes_from_results() -> None:
    result = Result.load(ROOT / "results" / "cifar10")
    mean = partial(_mean, result)

    single, ensemble, warm = (mean(model, "nll") for model in ("single", "ensemble", "distilled_warm"))
    assert f"keeps {(single - warm) / (single - ensemble):.2f} of the ensemble's gain in nll" in SAID
    order = mean("distilled_warm", "epistemic_spearman"), mean("ensemble", "epistemic_spearman_reference")
    assert f"(Spearman {order[0]:.3f} and {order[1]:.3f})" in SAID
    apart = [mean(model, "kl_teacher") for model in ("distilled_warm", "distilled_low_rank")]
    other = mean("ensemble", "kl_reference")
    assert f"a KL from it of {apart[0]:.3f}, where the long training has {apart[1]:.3f}" in SAID
    assert f"and another ensemble {other:.3f}" in SAID
    config = result.config
    assert (config["warm"]["epochs"], config["student"]["epochs"]) == (12, 200)
    assert f"{mean('distilled_warm', 'train_seconds') / 60:.0f} minutes on one core of a CPU" in SAID


def test_the_frontier_comes_from_results() -> None:
    result = Result.load(ROOT / "results" / "frontier")
    mean = partial(_mean, result)

    def share_of_time(model: str, rows: int) -> float:
        """Of the ensemble's, side by side or one after another, whichever is faster."""
        ways = ("ms_a_row", "ms_a_row_loop")
        return mean(model, f"ms_a_row@{rows}") / min(mean("ensemble_10", f"{way}@{rows}") for way in ways)

    def lost(metric: str) -> float:
        return abs(mean("student_2", metric) - mean("ensemble_10", metric))

    models = "student_4", "ensemble_10"
    (accuracy, theirs), (nll, their_nll) = ([mean(m, metric) for m in models] for metric in ("accuracy", "nll"))
    assert f"({accuracy:.3f} and {theirs:.3f}) with nearly its nll ({nll:.3f} and {their_nll:.3f})" in SAID
    assert f"(a KL of {mean('student_4', 'kl_teacher'):.3f} and {mean('ensemble_10', 'kl_reference'):.3f})" in SAID
    assert f"1024 images in {share_of_time('student_4', 1024):.2f} of its time, one in about a sixth" in SAID
    assert round(1 / share_of_time("student_4", 1)) == 6
    gain = mean("single_1", "nll") - mean("ensemble_10", "nll")
    assert f"it loses {lost('accuracy'):.3f} of accuracy and {lost('nll') / gain:.2f} of the gain in nll" in SAID
    assert f"in {share_of_time('student_2', 1024):.2f} of the time" in SAID
    share = mean("student_4", "multiply_adds") / mean("ensemble_10", "multiply_adds")
    assert f"the widest costs {share:.1f} times its ten members" in SAID
    far = [mean(model, "nll", "corrupted") for model in ("single_4", *models)]
    there = [mean(model, "accuracy", "corrupted") for model in ("single_4", "student_4")]
    assert (
        f"is more accurate ({mean('single_4', 'accuracy'):.3f}, on corrupted images {there[0]:.3f}, where the student "
        f"has {there[1]:.3f})"
    ) in SAID
    assert f"(nll {far[0]:.3f}, where the student has {far[1]:.3f} and the ensemble {far[2]:.3f})" in SAID
    study = Result.load(ROOT / "results" / "cifar10")
    test, chosen_by = (_mean(study, "distilled_low_rank", "nll", name) for name in ("clean", "validation"))
    assert f"the same network has an nll of {test:.3f}" in SAID
    cheaper = [m for m in result.models() if mean(m, "multiply_adds") < mean("ensemble_3", "multiply_adds")]
    assert all(mean(model, "nll", "validation") > chosen_by for model in cheaper)


def test_the_small_frontier_comes_from_results() -> None:
    result = Result.load(ROOT / "results" / "frontier-small")
    mean = partial(_mean, result)

    wider, ten = mean("single_2", "nll"), mean("ensemble_10", "nll")
    share = mean("single_2", "multiply_adds") / mean("ensemble_10", "multiply_adds")
    assert f"than ten of them ({wider:.3f} and {ten:.3f}) for {share:.2f} of the multiply-adds" in SAID
    assert all(mean(f"student_{w}", "nll") > mean(f"single_{w}", "nll") for w in ("1", "1.5", "2", "4"))
    kept = [mean(model, "epistemic_spearman") for model in ("student_1", "ensemble_2", "ensemble_3")]
    other = mean("ensemble_10", "epistemic_spearman_reference")
    assert (
        f"with its ensemble of {kept[0]:.3f}, where two of the ten members have {kept[1]:.3f}, three {kept[2]:.3f} and "
        f"another ten {other:.3f}."
    ) in SAID
    first, second, third, last = (f"{mean(f'student_{w}', 'kl_teacher'):.3f}" for w in ("1", "1.5", "2", "4"))
    assert f"a KL of {first}, {second}, {third} and {last}." in SAID


def _toy(model: str, metric: str) -> list[float]:
    records = json.loads((ROOT / "results" / "toy" / "metrics.json").read_text())["records"]
    return [record["value"] for record in records if (record["model"], record["metric"]) == (model, metric)]


def test_toy_figures_come_from_results() -> None:
    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    models = ("distilled", "reference")
    pairs = {model: list(zip(_toy(model, "rmse"), _toy("ensemble", "rmse"), strict=True)) for model in models}
    rows = [[f"{mean([a / b for a, b in pairs[model]]):.3f}" for model in models]]
    for metric in ("nll", "ause"):
        rows.append([f"{mean(_toy(model, metric)) - mean(_toy('ensemble', metric)):+.3f}" for model in models])
    for metric in ("epistemic_spearman", "epistemic_ratio", "kl_teacher"):
        rows.append([f"{mean(_toy(model, metric)):.3f}" for model in models])
    for student, reference in rows:
        assert f"| {student} | {reference} |" in PAGE
    moments = mean(_toy("distilled", "nll_gaussian")) - mean(_toy("ensemble", "nll_gaussian"))
    assert f"that of the normal with its moments differs by {moments:.3f}" in SAID


def test_uci_figures_come_from_results() -> None:
    records = json.loads((ROOT / "results" / "uci" / "kfold5" / "metrics.json").read_text())["records"]

    def mean(model: str, metric: str) -> float:
        keys = (model, dataset, metric)
        found = [
            record["value"] for record in records if (record["model"], record["dataset"], record["metric"]) == keys
        ]
        return sum(found) / len(found)

    for dataset in ("concrete", "wine-quality-red", "yacht", "kin8nm", "power-plant"):
        teacher, student = mean("ensemble", "nll"), mean("distilled", "nll")
        numbers = [f"{teacher:.3f}", f"{student - teacher:+.3f}"]
        numbers.append(f"{mean('distilled', 'rmse') / mean('ensemble', 'rmse'):.3f}")
        numbers.append(f"{mean('distilled', 'epistemic_ratio'):.3f}")
        spearman, other = mean("distilled", "epistemic_spearman"), mean("ensemble", "epistemic_spearman_reference")
        numbers.append(f"{spearman:.3f} / {other:.3f}")
        numbers.append(f"{mean('distilled', 'kl_teacher'):.4f} / {mean('ensemble', 'kl_reference'):.4f}")
        assert f"| {dataset} | {' | '.join(numbers)} |" in PAGE


def test_targets_of_tables_come_from_results() -> None:
    result = Result.load(ROOT / "results" / "uci" / "kfold5")
    every = {dataset: {target.name: target for target in uci_targets(result, dataset)} for dataset in result.datasets()}
    judged = [target for found in every.values() for target in found.values()]
    assert f"{sum(target.met for target in judged)} of {len(judged)} targets are met. On concrete" in SAID
    missed = [(name, target) for name, found in every.items() for target in found.values() if not target.met]
    assert [name for name, _ in missed] == ["concrete"] * 3 + ["yacht"]
    nll, rmse, ause, epistemic = (target for _, target in missed)
    assert (
        f"nll is {nll.value:.3f} above the ensemble's, its rmse {rmse.value:.3f} times as large and its AUSE (how "
        f"badly uncertainty sorts errors) {ause.value:.3f} above, where we aim for {nll.high:.3f}, {rmse.high:.3f} and "
        f"{ause.high:.3f}"
    ) in SAID
    assert f"variance is {epistemic.value:.3f} of the ensemble's, where we aim for {epistemic.low:.3f}" in SAID


def test_cifar10_figures_come_from_results() -> None:
    records = json.loads((ROOT / "results" / "cifar10" / "metrics.json").read_text())["records"]
    values: dict[tuple[str, str, str], list[float]] = {}
    for record in records:
        values.setdefault((record["model"], record["metric"], record["dataset"]), []).append(record["value"])
    corrupted = sorted({record["dataset"] for record in records if "-" in record["dataset"]})
    assert len(corrupted) == 80

    def mean(model: str, metric: str, dataset: str = "clean") -> float:
        found = values.get((model, metric, dataset), [])
        return statistics.fmean(found) if found else float("nan")

    rivals = ("mixture", "hydra", "dirichlet", "dirichlet_plain", "proxy_dirichlet", "distilled_paper")
    samplers = ("dropout", "ll_dropout", "svi", "ll_svi")
    brief = ("distilled_warm", "distilled_ood")
    for model in ("single", "temperature", *samplers, "ensemble", *rivals, "distilled", *brief):
        medians = [statistics.median(mean(model, metric, name) for name in corrupted) for metric in ("nll", "ece")]
        other = "_reference" if model == "ensemble" else ""
        fidelity = [mean(model, f"epistemic_{kind}{other}") for kind in ("spearman", "ratio")]
        numbers = [*(mean(model, metric) for metric in ("accuracy", "nll", "ece")), *medians, *fidelity]
        cells = ["-" if math.isnan(number) else f"{number:.3f}" for number in numbers]
        assert f"| {model} | {' | '.join(cells)} |" in PAGE
    fewer = [mean("distilled", metric) - mean("dropout", metric) for metric in ("accuracy", "nll")]
    assert (
        f"{100 * fewer[0]:.1f} points of accuracy and {-fewer[1]:.3f} of nll ahead of 30 passes of MC dropout" in SAID
    )
    orders = [
        mean("distilled", "epistemic_spearman", "corrupted"),
        *(mean("mixture", "epistemic_spearman_entropy", name) for name in ("clean", "corrupted")),
    ]
    assert f"a rank correlation of {orders[0]:.3f}; the entropy of a mixture" in SAID
    assert f"on clean images, with {orders[1]:.3f}, and worse on corrupted ones, with {orders[2]:.3f})" in SAID
    found = [mean(model, "auroc_epistemic", "svhn") for model in ("distilled", "ensemble")]
    assert f"(an AUROC of the epistemic part of {found[0]:.3f}, where the ensemble has {found[1]:.3f})" in SAID
    rivals_there = [mean(model, "auroc_epistemic", "svhn") for model in ("hydra", "proxy_dirichlet")]
    assert f"and find SVHN better ({rivals_there[0]:.3f}, {rivals_there[1]:.3f})" in SAID
    behind = 100 * (mean("single", "accuracy") - mean("svi", "accuracy"))
    assert f"and is {behind:.1f} points of accuracy behind one member" in SAID
    scores = Scores(Result.load(ROOT / "results" / "cifar10"))
    aims, further = ([aim for aim in every(scores) if aim.known] for every in (targets, goals))
    met, reached = (sum(aim.met for aim in known) for known in (aims, further))
    assert f"{met} of {len(aims)} targets are met, and {reached} of {len(further)} goals that go further." in SAID


def test_estimators_figures_come_from_results() -> None:
    result = Result.load(ROOT / "results" / "estimators")
    for dataset in result.datasets():
        found = [result.estimate(model, "nll", dataset) for model in ("single", "ensemble", "distilled")]
        kept, times = gain_kept(result, dataset), beside_trees(result, dataset)
        assert kept is not None
        cells = [*(f"{value.mean:.3f}" for value in found if value), f"{kept.mean:.2f} ± {kept.half_width:.2f}"]
        assert f"| {dataset} | {' | '.join(cells)} | {times.mean:.2f} |" in PAGE
