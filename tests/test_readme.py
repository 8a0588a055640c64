"""The README's figures are those of the committed results, and its code runs."""

import json
import math
import re
import statistics
from pathlib import Path
from typing import Any

import pytest
import torch

import endd
from endd.report.cifar10_outside import outside_tables
from endd.report.cifar10_scores import Scores
from endd.report.cifar10_targets import targets
from endd.studies.result import Result

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def _bench(name: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((ROOT / "results" / "bench" / f"{name}.json").read_text())["rows"]
    return rows


def test_figures_come_from_results() -> None:
    overhead = {(row["student"], row.get("batch")): row for row in _bench("overhead")}
    added = overhead["ResNet-20, low rank", None]["added"]
    assert f"| {100 * float(str(added)):.1f} % |" in README
    assert f"| {overhead['75 units', 1024]['share']} |" in README
    assert f"| {_bench('imports')[0]['student / torch']} |" in README

    training = {(row["work"], row["members"]): row["times faster"] for row in _bench("training")}
    assert f"| {training['toy: 1-10-2, batch 32', 10]} |" in README
    assert f"| {training['UCI: 8-50-2, batch 100, 5 folds x 10', 50]} |" in README
    rival = training["toy, against torchensemble's VotingRegressor", 10]
    assert f"| {rival} |" in README


def test_figures_of_images_come_from_results() -> None:
    training, *answering = _bench("images")
    assert f"| {training['plain / stacked']} |" in README
    assert f"| {training['seconds a member and epoch']} |" in README
    for ratio in ("loop / student, recorded", "loop / student", "stacked / student"):
        assert f"| {' / '.join(str(row[ratio]) for row in answering)} |" in README


def test_shares_of_the_gain_come_from_results() -> None:
    rows = json.loads((ROOT / "results" / "bench" / "examples.json").read_text())["rows"]
    for row in rows:
        cells = [f"{sum(row['nll'][model]) / len(row['seeds']):.3f}" for model in ("single", "ensemble", "student")]
        share = f"{100 * row['share']:.0f} % ± {100 * row['half width']:.0f} %"
        assert f"| [{row['example']}](examples/{row['example']}.py) | {' | '.join(cells)} | {share} |" in README


def test_what_corrupted_images_gave_comes_from_results() -> None:
    said = " ".join(README.split())

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
    assert f"ahead by {seen[0]} of accuracy and {seen[1]} of nll on the corruptions that it has seen" in said
    assert f"by {others[0]} and {others[1]} on the twelve others, and by {clean[0]} of accuracy on clean images" in said
    control = [
        ahead("cifar10-short", "distilled_late", images, "accuracy") for images in ("seen corruptions", "the others")
    ]
    assert f"by {control[0]} of accuracy on those that it has seen and by {control[1]} on the others" in said


def test_what_a_start_from_a_member_keeps_comes_from_results() -> None:
    result, said = Result.load(ROOT / "results" / "cifar10"), " ".join(README.split())

    def mean(model: str, metric: str) -> float:
        found = result.values(model, metric, "clean")
        assert len(found) == 3
        return statistics.fmean(found.values())

    single, ensemble, warm = (mean(model, "nll") for model in ("single", "ensemble", "distilled_warm"))
    assert f"keeps {(single - warm) / (single - ensemble):.2f} of the ensemble's gain in nll" in said
    order = mean("distilled_warm", "epistemic_spearman"), mean("ensemble", "epistemic_spearman_reference")
    assert f"(Spearman {order[0]:.3f} and {order[1]:.3f})" in said
    apart = [mean(model, "kl_teacher") for model in ("distilled_warm", "distilled_low_rank")]
    other = mean("ensemble", "kl_reference")
    assert f"a KL from it of {apart[0]:.3f}, where the long training has {apart[1]:.3f}" in said
    assert f"and another ensemble {other:.3f}" in said
    config = result.config
    assert (config["warm"]["epochs"], config["student"]["epochs"]) == (12, 200)
    assert f"{mean('distilled_warm', 'train_seconds') / 60:.0f} minutes on one core of a CPU" in said


def test_the_frontier_comes_from_results() -> None:
    result, said = Result.load(ROOT / "results" / "frontier"), " ".join(README.split())

    def mean(model: str, metric: str, dataset: str = "clean") -> float:
        found = result.values(model, metric, dataset)
        assert len(found) == 3
        return statistics.fmean(found.values())

    def share_of_time(model: str, rows: int) -> float:
        """Of the ensemble's, side by side or one after another, whichever is faster."""
        ways = ("ms_a_row", "ms_a_row_loop")
        return mean(model, f"ms_a_row@{rows}") / min(mean("ensemble_10", f"{way}@{rows}") for way in ways)

    def lost(metric: str) -> float:
        return abs(mean("student_2", metric) - mean("ensemble_10", metric))

    models = "student_4", "ensemble_10"
    (accuracy, theirs), (nll, their_nll) = ([mean(m, metric) for m in models] for metric in ("accuracy", "nll"))
    assert f"({accuracy:.3f} and {theirs:.3f}) with nearly its nll ({nll:.3f} and {their_nll:.3f})" in said
    assert f"(a KL of {mean('student_4', 'kl_teacher'):.3f} and {mean('ensemble_10', 'kl_reference'):.3f})" in said
    assert f"1024 images in {share_of_time('student_4', 1024):.2f} of its time, one in about a sixth" in said
    assert round(1 / share_of_time("student_4", 1)) == 6
    gain = mean("single_1", "nll") - mean("ensemble_10", "nll")
    assert f"it loses {lost('accuracy'):.3f} of accuracy and {lost('nll') / gain:.2f} of the gain in nll" in said
    assert f"in {share_of_time('student_2', 1024):.2f} of the time" in said
    share = mean("student_4", "multiply_adds") / mean("ensemble_10", "multiply_adds")
    assert f"the widest costs {share:.1f} times its ten members" in said
    far = [mean(model, "nll", "corrupted") for model in ("single_4", *models)]
    there = [mean(model, "accuracy", "corrupted") for model in ("single_4", "student_4")]
    assert (
        f"is more accurate ({mean('single_4', 'accuracy'):.3f}, on corrupted images {there[0]:.3f}, where the student "
        f"has {there[1]:.3f})"
    ) in said
    assert f"(nll {far[0]:.3f}, where the student has {far[1]:.3f} and the ensemble {far[2]:.3f})" in said
    study = Result.load(ROOT / "results" / "cifar10")
    test, chosen_by = (
        statistics.fmean(study.values("distilled_low_rank", "nll", name).values()) for name in ("clean", "validation")
    )
    assert f"the same network has an nll of {test:.3f}" in said
    cheaper = [m for m in result.models() if mean(m, "multiply_adds") < mean("ensemble_3", "multiply_adds")]
    assert all(mean(model, "nll", "validation") > chosen_by for model in cheaper)


def test_the_small_frontier_comes_from_results() -> None:
    result, said = Result.load(ROOT / "results" / "frontier-small"), " ".join(README.split())

    def mean(model: str, metric: str) -> float:
        found = result.values(model, metric, "clean")
        assert len(found) == 3
        return statistics.fmean(found.values())

    wider, ten = mean("single_2", "nll"), mean("ensemble_10", "nll")
    share = mean("single_2", "multiply_adds") / mean("ensemble_10", "multiply_adds")
    assert f"than ten of them ({wider:.3f} and {ten:.3f}) for {share:.2f} of the multiply-adds" in said
    assert all(mean(f"student_{w}", "nll") > mean(f"single_{w}", "nll") for w in ("1", "1.5", "2", "4"))
    kept = [mean(model, "epistemic_spearman") for model in ("student_1", "ensemble_2", "ensemble_3")]
    other = mean("ensemble_10", "epistemic_spearman_reference")
    assert (
        f"with its ensemble of {kept[0]:.3f}, where two of the ten members have {kept[1]:.3f}, three {kept[2]:.3f} and "
        f"another ten {other:.3f}."
    ) in said
    first, second, third, last = (f"{mean(f'student_{w}', 'kl_teacher'):.3f}" for w in ("1", "1.5", "2", "4"))
    assert f"a KL of {first}, {second}, {third} and {last}." in said


def test_what_levers_do_comes_from_results() -> None:
    result, page = Result.load(ROOT / "results" / "frontier-small"), (ROOT / "docs" / "frontier.md").read_text()
    for lever in result.config["levers"]:
        cells = []
        for metric in ("kl_teacher", "epistemic_spearman", "epistemic_ratio"):
            found = result.difference(lever, "student_1", metric, "clean")
            assert found is not None
            cells.append(f"{found.mean:+.4f} ± {found.half_width:.4f}")
        assert f"| `{lever}` | {' | '.join(cells)} |" in page, lever


def test_every_example_is_listed() -> None:
    for file in (ROOT / "examples").glob("*.py"):
        assert f"[{file.name}](examples/{file.name})" in README, file.name


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
        assert f"| {student} | {reference} |" in README


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
        assert f"| {dataset} | {' | '.join(numbers)} |" in README


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
        assert f"| {model} | {' | '.join(cells)} |" in README
    fewer = [mean("distilled", metric) - mean("dropout", metric) for metric in ("accuracy", "nll")]
    assert (
        f"{100 * fewer[0]:.1f} points of accuracy and {-fewer[1]:.3f} of nll ahead of 30 passes of MC dropout" in README
    )
    judged = [target for target in targets(Scores(Result.load(ROOT / "results" / "cifar10"))) if target.known]
    assert f"{sum(target.met for target in judged)} of {len(judged)} targets are met." in README


def test_figures_of_export_come_from_results() -> None:
    text = (ROOT / "docs" / "export.md").read_text()
    for row in _bench("export"):
        cells = [str(row["network"]), str(row["batch"]), f"{row['python / onnxruntime']:.1f}"]
        for where in ("python", "onnxruntime"):
            rivals = ("ensemble in a loop", "bare loop over members", "stacked ensemble")
            cells.append(" / ".join(f"{row[f'{where}: {rival} / student']:.1f}" for rival in rivals))
        assert f"| {' | '.join(cells)} |" in text


def test_python_blocks_run() -> None:
    names = {
        "my_ten_networks": [torch.nn.Linear(3, 2) for _ in range(10)],
        "net": torch.nn.Linear(3, endd.num_outputs(endd.families.Gaussian())),
        "x": torch.randn(8, 3),
        "table": [[number / 20, "even" if number % 2 == 0 else "odd"] for number in range(20)],
        "target": list(range(20)),
    }
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(block, names)
    assert names["student"].predict(names["x"]).epistemic.isfinite().all()  # type: ignore[attr-defined]
    assert names["epistemic"].shape == (20,)  # type: ignore[attr-defined]


def test_python_in_the_maths_runs() -> None:
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "maths.md").read_text(), re.DOTALL):
        exec(block, {"__name__": "docs"})


def test_python_for_images_runs() -> None:
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "images.md").read_text(), re.DOTALL):
        exec(block, names)
    assert names["prediction"].epistemic.shape == (128,)  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", ["calibration", "cascade"])
def test_python_for_what_comes_after_training_runs(page: str) -> None:
    family, x = endd.families.Gaussian(), torch.randn(340, 3)
    student = endd.Student(torch.nn.Linear(3, 5), family)
    ensemble = endd.Ensemble([torch.nn.Linear(3, 2) for _ in range(3)], family)
    names: dict[str, Any] = {"student": student, "ensemble": ensemble, "x": x[300:], "x_held": x[:300]}
    names["y_held"] = 0.5 * torch.randn(300) + student.predict(x[:300]).mean
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text(), re.DOTALL):
        exec(block, names)
    assert names["prediction"].epistemic.shape == (40,)


def test_what_a_cascade_gains_comes_from_results() -> None:
    page = (ROOT / "docs" / "cascade.md").read_text()
    for row in json.loads((ROOT / "results" / "bench" / "cascade.json").read_text())["rows"]:
        cells = [f"{row['nll'][model]:.3f}" for model in ("single", "student", "ensemble", "cascade")]
        cells.append(f"{100 * row['asked']:.1f} %")
        for model in ("student", "cascade"):
            share, half = row["share of the gain"][model]
            cells.append(f"{100 * share:.0f} % ± {100 * half:.0f} %")
        assert f"| {row['data']} | {' | '.join(cells)} |" in page
        behind = [
            f"{mean:+.4f} ± {half:.4f}" for mean, half in (row["student less ensemble"], row["cascade less ensemble"])
        ]
        assert f"| {row['data']} | {' | '.join(behind)} |" in page


def test_every_page_is_linked() -> None:
    for page in (ROOT / "docs").glob("*.md"):
        assert f"[docs/{page.name}](docs/{page.name})" in README, page.name


def test_commands_are_understood() -> None:
    from endd.cli import app

    pages = [README, *((ROOT / "docs" / name).read_text() for name in ("tables.md", "images.md", "frontier.md"))]
    blocks = [block for page in pages for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)]
    commands = [
        line.partition("#")[0].split()[1:] for block in blocks for line in block.splitlines() if "endd " in line
    ]
    assert {command[0] for command in commands} >= {"fit", "predict", "evaluate", "reproduce"}
    for command in commands:
        app.parse_args(command, exit_on_error=False, print_error=False)


def test_estimators_figures_come_from_results() -> None:
    from endd.report.estimators import beside_trees, gain_kept
    from endd.studies.result import Result

    result = Result.load(ROOT / "results" / "estimators")
    for dataset in result.datasets():
        found = [result.estimate(model, "nll", dataset) for model in ("single", "ensemble", "distilled")]
        kept, times = gain_kept(result, dataset), beside_trees(result, dataset)
        assert kept is not None
        cells = [*(f"{value.mean:.3f}" for value in found if value), f"{kept.mean:.2f} ± {kept.half_width:.2f}"]
        assert f"| {dataset} | {' | '.join(cells)} | {times.mean:.2f} |" in README


def test_speed_of_tables_comes_from_results() -> None:
    predict = {row["contestant"]: row for row in _bench("predict")}
    for contestant in ("endd predict", "with the interval"):
        assert f"| {predict[contestant]['speed']} |" in README
    assert f"takes {predict['endd predict']['megabytes above the import']} MB" in README
    whole = next(row for row in _bench("uci") if row["data set"] == "all")
    assert f"| {whole['times faster']} |" in README
    assert f"takes {float(str(_bench('fit')[0]['seconds'])):.0f} s for 200,000 rows" in README


def test_the_arithmetic_of_scale_comes_from_results() -> None:
    page = (ROOT / "docs" / "scale.md").read_text()
    label, learn, flat, limited = _bench("scale")
    hours = 1e9 / float(str(label["member-images a second"])) / 3600
    assert (
        f"| 10^9 forward passes at {label['member-images a second']} a second and core | {hours:,.0f} core-hours |"
        in page
    )
    hours = 1e8 / float(str(learn["images a second"])) / 3600
    assert f"| 10^8 steps at {learn['images a second']} images a second and core | {hours:,.0f} core-hours |" in page
    ratios = (label["speed over bare loop"], label["2 processes over 1"], learn["cache over memory"])
    for number in (*ratios, limited["blocks over memory"]):
        assert f" {number} " in page.replace("\n", " ")
    for number in (flat["peak MB, 10000000 rows"], flat["peak MB, 1000000 rows"]):
        assert f" {number} MB" in page
