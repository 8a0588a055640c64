"""A student beside its ensemble."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

import endd
from endd.nn import MLP
from endd.studies.fidelity import fidelity
from endd.studies.result import Result

FAMILIES: dict[str, Any] = {
    "numbers": endd.families.Gaussian(),
    "classes": endd.families.Categorical(4),
    "counts": endd.families.Poisson(),
}


def pair(kind: str, members: int = 6) -> tuple[endd.Ensemble, endd.Student]:
    family = FAMILIES[kind]
    ensemble = endd.Ensemble([MLP(3, [8], family.num_parameters) for _ in range(members)], family)
    return ensemble, endd.Student(MLP(3, [8], endd.num_outputs(family)), family)


def data(kind: str, rows: int = 80) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(rows, 3)
    y = {"numbers": x[:, 0], "classes": torch.randint(4, (rows,)), "counts": torch.poisson(torch.ones(rows))}[kind]
    return x, y


def number(result: Result, model: str, metric: str) -> float:
    (value,) = result.values(model, metric).values()
    return value


@pytest.mark.parametrize("kind", FAMILIES)
def test_numbers_are_those_of_the_predictions(kind: str) -> None:
    teacher, student = pair(kind)
    x, y = data(kind)
    result = fidelity(teacher, student, x, y, resamples=5)
    a, b = teacher.predict(x), student.predict(x)
    assert number(result, "distilled", "nll") == pytest.approx(-float(b.log_prob(y).mean()), rel=1e-5)
    assert number(result, "ensemble", "nll") == pytest.approx(-float(a.log_prob(y).mean()), rel=1e-5)
    expected = stats.spearmanr(a.epistemic, b.epistemic).statistic
    assert number(result, "distilled", "epistemic_spearman") == pytest.approx(expected, abs=1e-6)
    ratio = float(b.aleatoric.mean() / a.aleatoric.mean())
    assert number(result, "distilled", "aleatoric_ratio") == pytest.approx(ratio, rel=1e-5)


def test_without_labels_agreement_and_cost_are_left() -> None:
    teacher, student = pair("classes")
    result = fidelity(teacher, student, data("classes")[0], resamples=3)
    assert not result.values("distilled", "nll")
    assert result.config["differences"] == {}
    assert number(result, "distilled", "kl_teacher") > 0
    assert number(result, "ensemble", "parameters") == 6 * sum(p.numel() for p in teacher.members[0].parameters())
    assert number(result, "distilled", "ms_a_row@64") > 0


def test_the_reference_is_two_halves_of_the_ensemble() -> None:
    teacher, student = pair("classes")
    x, _ = data("classes")
    result = fidelity(teacher, student, x, resamples=2)
    halves = [endd.Ensemble(list(teacher.members)[start::2], teacher.family).predict(x) for start in range(2)]
    expected = stats.spearmanr(halves[0].epistemic, halves[1].epistemic).statistic
    assert number(result, "ensemble", "epistemic_spearman_reference") == pytest.approx(expected, abs=1e-6)


def test_three_members_have_no_halves() -> None:
    teacher, student = pair("numbers", members=3)
    result = fidelity(teacher, student, data("numbers")[0], require="epistemic_ratio>=0", resamples=2)
    assert math.isnan(number(result, "ensemble", "kl_reference"))
    assert result.config["verdict"]


def test_the_verdict_follows_the_policy() -> None:
    teacher, student = pair("numbers")
    x, y = data("numbers")
    assert fidelity(teacher, student, x, y, require="kl_teacher>=0, nll<=1e9", resamples=1).config["verdict"]
    lost = fidelity(teacher, student, x, y, require="kl_teacher>=0, nll<=-1e9", resamples=1)
    assert not lost.config["verdict"]
    assert [check[3] for check in lost.config["checks"]] == [True, False]


def test_intervals_hold_the_numbers_and_repeat() -> None:
    teacher, student = pair("numbers")
    x, y = data("numbers", 200)
    first, again = (fidelity(teacher, student, x, y, resamples=60) for _ in range(2))
    assert first.config["intervals"] == again.config["intervals"]
    for model in ("ensemble", "distilled"):
        low, high = first.config["intervals"][model]["nll"]
        assert low < number(first, model, "nll") < high
    low, high = first.config["differences"]["nll"]
    assert low < number(first, "distilled", "nll") - number(first, "ensemble", "nll") < high


def test_the_inputs_that_differ_most_are_listed() -> None:
    teacher, student = pair("classes")
    x, _ = data("classes", 30)
    result = fidelity(teacher, student, x, resamples=1)
    a, b = teacher.predict(x).probs, student.predict(x).probs
    kl = (a * (a.log() - b.log())).sum(-1).detach().numpy()
    assert result.curves["worst_rows"].tolist() == np.argsort(-kl)[:20].tolist()


def test_columns_of_the_inputs_are_shown() -> None:
    teacher, student = pair("classes")
    x, _ = data("classes", 30)
    result = fidelity(teacher, student, x, resamples=1, classes=["a", "b", "c", "d"])
    worst = result.curves["worst_rows"].tolist()
    assert result.config["shown"]["x1"] == [f"{value:.4g}" for value in x[worst, 1].tolist()]
    assert result.config["classes"] == ["a", "b", "c", "d"]
    named = fidelity(teacher, student, x, resamples=1, columns={"name": [f"row {n}" for n in range(30)]})
    assert named.config["shown"] == {"name": [f"row {place}" for place in worst]}


def test_peak_memory_is_more_than_the_weights() -> None:
    teacher, student = pair("numbers")
    result = fidelity(teacher, student, data("numbers")[0], resamples=1)
    for model in ("ensemble", "distilled"):
        assert number(result, model, "peak_bytes@1024") > number(result, model, "peak_bytes@64")
        assert number(result, model, "peak_bytes@64") > number(result, model, "bytes")
