"""The report of the UCI study: the paper's Table 1, what it was meant to show, and four figures."""

from collections.abc import Iterable
from dataclasses import replace

from endd.report.document import Drawing, Report
from endd.report.rows import differences, estimates, repeats
from endd.report.tables import MISSING, Table
from endd.report.uci_figures import coverage_figure, epistemic_figure, gaps_figure, sparsification_figure
from endd.report.uci_published import PUBLISHED, Published
from endd.report.uci_targets import targets_table
from endd.studies.result import Result

PREDICTION = ("rmse", "nll", "nll_gaussian", "crps", "ause", "ause10", "coverage95", "train_seconds")
GAPS = ("rmse", "nll", "nll_gaussian", "crps", "ause", "ause10", "coverage95")
FIDELITY = ("kl_teacher", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10", "variance_ratio")
PREDICTION_NOTE = (
    "nll is that of the full marginal, nll_gaussian that of the normal with its moments, which is what the published "
    "rows are. The paper's AUSE has ten points, as ause10. train_seconds: a model's share of its stacked run. single: "
    "one member. reference: a second ensemble on the same data. boosting: scikit-learn's HistGradientBoosting with one "
    "variance from held-out residuals. Deep Ensembles 2017 has five members and the published splits."
)
COMPARISON_NOTE = (
    "From rmse to coverage95: model minus ensemble, paired by split. gain lost: the share of the ensemble's gain in "
    "nll over a single network that is lost, as a ratio of means over splits. kl_teacher: mean KL of the model's "
    "predictive from the ensemble's. epistemic_...: the epistemic variance against the ensemble's, in order (Spearman) "
    "and size (ratio of means). The reference row is what an independent draw of the teacher reaches."
)
PROTOCOLS = {"kfold5": "five shuffled folds", "published20": "the 20 published splits of 90 to 10"}


def uci_report(result: Result) -> Report:
    """All of it, from the records and curves."""
    config = result.config
    seeds = "one seed" if config["seeds"] == 1 else f"{config['seeds']} seeds"
    summary = (
        f"Preset {config['preset']}, {PROTOCOLS[config['splits']]}, {seeds}, {config['members']} members of "
        f"{config['hidden'][0]} units, students of {config['student_hidden'][0]}. Inputs and targets are standardised "
        "on the training part; all numbers are in the units of the data. They are means over splits with 95 % "
        "confidence intervals, which take the splits as independent."
    )
    tables = [] if config["preset"] == "paper" else [targets_table(result)]
    for number, dataset in enumerate(result.datasets()):
        pair = (_prediction_table(result, dataset), _comparison_table(result, dataset))
        # what the columns mean is said once
        tables += pair if number == 0 else [replace(table, note="") for table in pair]
    return Report("UCI regression", summary, tuple(_drawings(result)), tuple(tables))


def _drawings(result: Result) -> Iterable[Drawing]:
    yield Drawing(
        "gaps",
        gaps_figure(result),
        "NLL minus the ensemble's on the same split; below 0 a model is better than its teacher.",
        "A panel a data set with the paired NLL differences of students, another ensemble and a single network.",
    )
    yield Drawing(
        "epistemic",
        epistemic_figure(result),
        "Epistemic deviation at test inputs, the student's against its teacher's; grey is how another ensemble on the "
        "same data agrees with the teacher.",
        "A panel a data set: clouds around the diagonal, the student's beside that of another ensemble.",
    )
    yield Drawing(
        "sparsification",
        sparsification_figure(result),
        "Squared error that remains once the test inputs with the largest total variance are gone; means over splits.",
        "A panel a data set with falling curves of ensemble, distilled and mixture student above the oracle's.",
    )
    yield Drawing(
        "coverage",
        coverage_figure(result),
        "The share of test targets inside central intervals, minus the level; above 0 intervals are too wide.",
        "A panel a data set with the excess coverage of ensemble, distilled and mixture student at levels from 0 to 1.",
    )


def _prediction_table(result: Result, dataset: str) -> Table:
    rows = [
        (model, repeats(result, model, dataset), *estimates(result, model, PREDICTION, dataset))
        for model in result.models()
    ]
    rows += [(name, MISSING, *_cells(found[dataset])) for name, found in PUBLISHED.items() if dataset in found]
    header = ("model", "splits", *PREDICTION)
    return Table(f"{dataset}: prediction", header, tuple(rows), PREDICTION_NOTE)


def _cells(published: Published) -> tuple[str, ...]:
    found = {"rmse": published.rmse, "nll_gaussian": published.nll, "ause10": published.ause}
    shown = {name: f"{value:.2f}" for name, value in found.items() if value is not None}
    return tuple(shown.get(name, MISSING) for name in PREDICTION)


def _comparison_table(result: Result, dataset: str) -> Table:
    rows = tuple(
        (
            model,
            *differences(result, model, "ensemble", GAPS, dataset),
            _gain_lost(result, model, dataset),
            *estimates(result, model, FIDELITY, dataset),
        )
        for model in result.models()
        if model != "ensemble"
    )
    header = ("model", *GAPS, "gain lost", *FIDELITY)
    return Table(f"{dataset}: against the ensemble", header, rows, COMPARISON_NOTE)


def _gain_lost(result: Result, model: str, dataset: str) -> str:
    """The ratio of mean nll gaps: stable where the gain on a single split is not."""
    gap, gain = (result.difference(name, "ensemble", "nll", dataset) for name in (model, "single"))
    if not result.values(model, "gain_lost", dataset) or gap is None or gain is None or gain.mean == 0:
        return MISSING
    return f"{gap.mean / gain.mean:.2f}"
