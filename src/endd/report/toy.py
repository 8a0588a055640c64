"""The report of the toy study: the paper's Figures 1 and 2, the trade-off, and the tables."""

from collections.abc import Iterable

from endd.report.document import Drawing, Report
from endd.report.rows import differences, estimates, repeats
from endd.report.tables import MISSING, Table
from endd.report.toy_figures import PAPER_AUSE10, WEIGHT, bands_figure, plane_figure, sweep_figure
from endd.studies.result import Result

PREDICTION = ("rmse", "nll", "nll_gaussian", "ause", "ause10")
FIDELITY = ("kl_teacher", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10", "variance_ratio")


def toy_report(result: Result) -> Report:
    """All of it, from the records and curves."""
    config, alone = result.config, result.config["seeds"] == 1
    seeds = "one seed" if alone else f"{config['seeds']} seeds"
    numbers = "of that seed" if alone else "means over seeds with 95 % confidence intervals"
    summary = (
        f"Preset {config['preset']}, {seeds}, {config['members']} members. y = sin x + noise; members learn "
        f"{config['train_points']} examples with x in [-3, 3], students what the members say about unlabelled x in "
        f"[-5, 5]; the test has {config['test_points']} points with x in [-5, 5]. Numbers are {numbers}."
    )
    return Report("Toy regression", summary, tuple(_drawings(result)), tuple(_tables(result)))


def _drawings(result: Result) -> Iterable[Drawing]:
    yield Drawing(
        "figure2",
        bands_figure(result),
        "The paper's Figure 2. Top: mean and two standard deviations, noise inside, ignorance around it; one seed. "
        "Bottom: error that remains once the most uncertain points are gone; mean and range over seeds.",
        "Three columns for ensemble, distilled and mixture student. The distilled student's bands follow the "
        "ensemble's, widening outside the data; the mixture student has one band only.",
    )
    yield Drawing(
        "figure1",
        plane_figure(result),
        "In the spirit of the paper's Figure 1: what the members say (dots) and the student's density over it "
        "(ellipses at 1, 2 and 3 standard deviations), inside the data at x = 0 and outside at x = 4; one seed.",
        "Two planes of mean against raw variance. At x = 0 the members lie close together, at x = 4 they spread; in "
        "both the student's ellipses cover them.",
    )
    if any(model.startswith(WEIGHT) for model in result.models()):
        yield Drawing(
            "tradeoff",
            sweep_figure(result),
            "The trade-off weight: 0 learns the members' distribution, 1 only their mean prediction, which leaves the "
            "split of its spread open. Intervals beyond a panel are cut.",
            "Four panels against the weight from 0 to 1: divergence from the teacher, NLL, and the order and size of "
            "the epistemic uncertainty.",
        )


def _tables(result: Result) -> Iterable[Table]:
    models = result.models()
    yield Table(
        "Prediction",
        ("model", "seeds", *PREDICTION, "paper's AUSE", "train_seconds"),
        tuple(_prediction_row(result, model) for model in models),
        "nll is that of the full marginal, nll_gaussian that of the normal with its moments. The paper's AUSE is read "
        "from its printed curves of ten points: compare with ause10. train_seconds: a model's share of its stacked "
        "run. single: one member. reference: a second ensemble on the same data.",
    )
    yield Table(
        "Difference to the ensemble, paired by seed",
        ("model", "seeds", *PREDICTION),
        tuple(_difference_row(result, model) for model in models if model != "ensemble"),
        "Model minus ensemble; below 0 the model is better.",
    )
    yield Table(
        "Fidelity to the ensemble",
        ("model", "seeds", *FIDELITY),
        tuple(_fidelity_row(result, model) for model in models if model != "ensemble"),
        "kl_teacher: mean KL of the model's predictive from the ensemble's. epistemic_...: the epistemic variance "
        "against the ensemble's, in order (Spearman) and size (ratio of means). The reference row is what an "
        "independent draw of the teacher reaches. Single networks and mixture students have no split.",
    )


def _prediction_row(result: Result, model: str) -> tuple[str, ...]:
    paper = f"{PAPER_AUSE10[model]:.3f}" if model in PAPER_AUSE10 else MISSING
    found, seconds = estimates(result, model, PREDICTION), estimates(result, model, ("train_seconds",))
    return (model, repeats(result, model), *found, paper, *seconds)


def _difference_row(result: Result, model: str) -> tuple[str, ...]:
    return (model, repeats(result, model), *differences(result, model, "ensemble", PREDICTION))


def _fidelity_row(result: Result, model: str) -> tuple[str, ...]:
    return (model, repeats(result, model), *estimates(result, model, FIDELITY))
