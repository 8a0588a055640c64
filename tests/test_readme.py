"""The README's figures are those of the committed results, and its code runs."""

import json
import re
import statistics
from pathlib import Path
from typing import Any

import pytest
import torch

import endd
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


def test_what_levers_do_comes_from_results() -> None:
    result, page = Result.load(ROOT / "results" / "frontier-small"), (ROOT / "docs" / "frontier.md").read_text()
    for lever in result.config["levers"]:
        cells = []
        for metric in ("kl_teacher", "epistemic_spearman", "epistemic_ratio"):
            found = result.difference(lever, "student_1", metric, "clean")
            assert found is not None
            cells.append(f"{found.mean:+.4f} ± {found.half_width:.4f}")
        assert f"| `{lever}` | {' | '.join(cells)} |" in page, lever


#: Rows of the table of what students keep: folder, data set, student and teacher.
STUDENTS = {
    "toy": ("toy", "toy", "distilled", "ensemble"),
    **{
        name: ("uci/kfold5", name, "distilled", "ensemble")
        for name in ("concrete", "wine-quality-red", "yacht", "kin8nm", "power-plant")
    },
    "CIFAR-10, ResNet-20": ("cifar10", "clean", "distilled", "ensemble"),
    "CIFAR-10, four times as wide": ("frontier", "clean", "student_4", "ensemble_10"),
}


def test_what_students_keep_comes_from_results() -> None:
    sizes, in_order, near = [], [], []
    for row, (folder, dataset, student, teacher) in STUDENTS.items():
        values: dict[tuple[str, str], list[float]] = {}
        for record in Result.load(ROOT / "results" / folder).records:
            if record.dataset == dataset:
                values.setdefault((record.model, record.metric), []).append(record.value)
        mean = {key: statistics.fmean(found) for key, found in values.items()}
        errors = [
            mean[model, "rmse"] if (model, "rmse") in mean else 1 - mean[model, "accuracy"]
            for model in (student, teacher)
        ]
        cells = [f"{errors[0] / errors[1]:.3f}", f"{mean[student, 'nll'] - mean[teacher, 'nll']:+.3f}"]
        cells.append(f"{mean[student, 'epistemic_ratio']:.3f}")
        order = mean[student, "epistemic_spearman"], mean[teacher, "epistemic_spearman_reference"]
        apart = mean[student, "kl_teacher"], mean[teacher, "kl_reference"]
        cells += [f"{order[0]:.3f} / {order[1]:.3f}", f"{apart[0]:.4f} / {apart[1]:.4f}"]
        assert f"| {row} | {' | '.join(cells)} |" in README
        sizes.append(mean[student, "epistemic_ratio"])
        in_order.append(order[0] > order[1])
        near.append(apart[0] < apart[1])
    assert all(in_order)
    assert min(sizes) > 0.8
    assert max(sizes) < 1.2
    assert [row for row, nearer in zip(STUDENTS, near, strict=True) if not nearer] == ["CIFAR-10, ResNet-20"]


def test_what_is_said_of_images_is_said_in_full_with_the_results() -> None:
    said, there = (" ".join(text.split()) for text in (README, (ROOT / "docs" / "results.md").read_text()))
    for both in (
        "1.1 points of accuracy and 0.032 of nll ahead of 30 passes of MC dropout",
        "15 of 18 targets are met, and 3 of 9 goals that go further",
        "31 of 35 targets are met",
        "1024 images in 0.29 of its time, one in about a sixth",
    ):
        assert both in said
        assert both in there
    wide = Result.load(ROOT / "results" / "frontier")
    for cost in ("parameters", "multiply_adds"):
        of = [statistics.fmean(wide.values(model, cost, "clean").values()) for model in ("student_4", "ensemble_10")]
        assert round(of[0] / of[1], 1) == 1.6


def test_every_example_is_listed() -> None:
    for file in (ROOT / "examples").glob("*.py"):
        assert f"[{file.name}](examples/{file.name})" in README, file.name


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


@pytest.mark.parametrize("page", ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))])
def test_links_lead_somewhere(page: str) -> None:
    prose = re.sub(r"```.*?```", "", (ROOT / page).read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
        assert target.startswith("http") or (ROOT / page).parent.joinpath(target).exists(), target


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


def test_speed_of_tables_comes_from_results() -> None:
    predict = {row["contestant"]: row for row in _bench("predict")}
    for contestant in ("endd predict", "with the interval"):
        assert f"| {predict[contestant]['speed']} |" in README
    taken = [predict[contestant]["megabytes above the import"] for contestant in ("endd predict", "with the interval")]
    said = f"takes {taken[0]} MB above the import without the interval and {taken[1]} MB with it"
    assert said in " ".join(README.split())
    whole = next(row for row in _bench("uci") if row["data set"] == "all")
    assert f"| {whole['times faster']} |" in README
    assert f"takes {float(str(_bench('fit')[0]['seconds'])):.0f} s for 200,000 rows" in " ".join(README.split())


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
