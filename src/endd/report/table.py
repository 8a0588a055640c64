"""The report of a fitted table: how good teacher and student are, and where the student is not sure."""

from collections.abc import Iterable

from endd.report import table_figures as figures
from endd.report.document import Drawing, Report
from endd.report.rows import estimates
from endd.report.tables import Table
from endd.studies.result import Result

REGRESSION = ("rmse", "nll", "nll_gaussian", "crps", "coverage95", "ause")
CLASSIFICATION = ("nll", "accuracy", "brier", "ece", "ause")
FIDELITY = ("kl_teacher", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10", "gain_lost")
NOTES = {
    "regression": (
        "nll is that of the full predictive, nll_gaussian that of the normal with its moments; crps and rmse are in "
        "the units of the target; coverage95: the share of targets inside the 95 % interval; ause: how far the order "
        "of the total variance is from that of the errors."
    ),
    "classification": (
        "nll is the log loss; ece the calibration error of the most probable class; ause: how far the order of the "
        "total entropy is from putting wrong predictions first."
    ),
}
FIDELITY_NOTE = (
    "kl_teacher: mean KL of the model's predictive from the ensemble's. epistemic_...: the epistemic part against the "
    "ensemble's, in order (Spearman) and size (ratio of means). gain_lost: the share of the ensemble's gain in nll "
    "over a single network that the student lost."
)


def table_report(result: Result) -> Report:
    """All of it, from the records and curves."""
    config, rows = result.config, result.config["rows"]
    trained = f"Trained on {rows['train']} rows, tried on {rows['test']} others." if "train" in rows else ""
    summary = (
        f"{config['task'].capitalize()} of {config['target']} in {config['table']}. "
        + (trained or f"Tried on {rows['test']} rows.")
        + " ensemble: the teacher. distilled: one network that says what it says. single: one of its members."
    )
    tables = tuple(_tables(result))
    return Report(f"{config['table']}: {config['target']}", summary, tuple(_drawings(result)), tables)


def _tables(result: Result) -> Iterable[Table]:
    names = REGRESSION if result.config["task"] == "regression" else CLASSIFICATION
    rows = tuple((model, *estimates(result, model, names)) for model in result.models())
    yield Table("Prediction", ("model", *names), rows, NOTES[result.config["task"]])
    others = [model for model in result.models() if result.values(model, "kl_teacher")]
    if others:
        rows = tuple((model, *estimates(result, model, FIDELITY)) for model in others)
        yield Table("Against the ensemble", ("model", *FIDELITY), rows, FIDELITY_NOTE)
    header, cells = (result.curves[name].tolist() for name in ("top_header", "top_cells"))
    note = "row: its number in the table, from 1. What is known of such rows is worth a look, or another label."
    yield Table(
        "Rows with the largest epistemic uncertainty",
        tuple(map(_escaped, header)),
        tuple(tuple(map(_escaped, row)) for row in cells),
        note,
    )


def _escaped(text: str) -> str:
    """A cell that does not end where a bar stands in it."""
    return text.replace("|", "¦")


def _drawings(result: Result) -> Iterable[Drawing]:
    if result.config["task"] == "regression":
        yield Drawing(
            "predictions",
            figures.predictions_figure(result),
            "Predicted against true. Bars are two standard deviations: of the noise in the data on the left, of what "
            "the model does not know on the right.",
            "Two panels of predictions around the diagonal, with aleatoric and with epistemic bars.",
        )
        yield Drawing(
            "reliability",
            figures.coverage_figure(result),
            "The share of targets inside central intervals against their level; on the diagonal a model is calibrated.",
            "Coverage of ensemble and student at levels from 0 to 1.",
        )
    else:
        yield Drawing(
            "predictions",
            figures.classes_figure(result),
            "Left: how often each class was predicted for each true one. Right: the uncertainty of right and wrong "
            "predictions, noise and ignorance apart.",
            "A matrix of true against predicted classes, and bars of the mean uncertainties.",
        )
        yield Drawing(
            "reliability",
            figures.reliability_figure(result),
            "How often the most probable class was right against how probable it was said to be.",
            "Accuracy of ensemble and student in bins of confidence.",
        )
    yield Drawing(
        "sparsification",
        figures.sparsification_figure(result),
        "Error that remains once the rows with the largest total uncertainty are gone; an oracle removes the largest "
        "errors first.",
        "Falling curves of ensemble and student above the oracle's.",
    )
    if "distance" in result.curves:
        yield Drawing(
            "distance",
            figures.distance_figure(result),
            "Epistemic uncertainty against the distance to the nearest row of training, in standardised columns.",
            "A cloud that rises with the distance, and its median.",
        )
