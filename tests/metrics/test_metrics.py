"""One conformance suite over everything public in the room."""

import ast
import importlib
import sys
from pathlib import Path

import pytest
import torch

import endd.metrics as metrics

MODULES = (
    "calibration",
    "detection",
    "divergence",
    "fidelity",
    "ranked_probability",
    "scoring",
    "sparsification",
)
B, K = 60, 4


def rows(seed: int, ties: bool = False) -> torch.Tensor:
    """Random rows; with ties, only a few distinct values."""
    values = torch.randn(B, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return (2 * values).round() / 2 if ties else values


def probs(ties: bool = False) -> torch.Tensor:
    logits = torch.stack([rows(10 + k, ties) for k in range(K)], -1)
    return logits.softmax(-1)


def labels() -> torch.Tensor:
    return torch.randint(K, (B,), generator=torch.Generator().manual_seed(7))


# name -> (call, inputs with one row for each of B examples; True where floating point)
CASES = {
    "rmse": (metrics.rmse, lambda t: (rows(0, t), rows(1, t))),
    "nll": (metrics.nll, lambda t: (rows(0, t),)),
    "accuracy": (metrics.accuracy, lambda t: (probs(t), labels())),
    "brier": (metrics.brier, lambda t: (probs(t), labels())),
    "crps_normal": (metrics.crps_normal, lambda t: (rows(0, t), rows(1, t).abs(), rows(2, t))),
    "crps_mixture": (
        metrics.crps_mixture,
        lambda t: (probs(t), rows(0, t)[:, None] + probs(t), probs(t), rows(2, t)),
    ),
    "interval_coverage": (
        metrics.interval_coverage,
        lambda t: (rows(0, t) - 1, rows(0, t) + 1, rows(2, t)),
    ),
    "interval_width": (metrics.interval_width, lambda t: (rows(0, t) - 1, rows(0, t) + rows(1, t).abs())),
    "ece": (metrics.ece, lambda t: (probs(t), labels())),
    "ece_adaptive": (metrics.ece_adaptive, lambda t: (probs(t), labels())),
    "ece_quartile": (metrics.ece_quartile, lambda t: (probs(t), labels())),
    "ece_classwise": (metrics.ece_classwise, lambda t: (probs(t), labels())),
    "calibration_error_quantile": (
        metrics.calibration_error_quantile,
        lambda t: (rows(0, t).sigmoid(),),
    ),
    "ause": (metrics.ause, lambda t: (rows(0, t), rows(1, t))),
    "ause10": (metrics.ause10, lambda t: (rows(0, t), rows(1, t))),
    "aurc": (metrics.aurc, lambda t: (rows(0, t), rows(1, t))),
    "auroc": (metrics.auroc, lambda t: (rows(0, t), rows(1, t) + 1)),
    "aupr": (metrics.aupr, lambda t: (rows(0, t), rows(1, t) + 1)),
    "fpr95": (metrics.fpr95, lambda t: (rows(0, t), rows(1, t) + 1)),
    "spearman": (metrics.spearman, lambda t: (rows(0, t), rows(1, t))),
    "mean_ratio": (metrics.mean_ratio, lambda t: (rows(0, t).abs(), rows(1, t).abs())),
    "median_ratio": (metrics.median_ratio, lambda t: (rows(0, t).abs(), rows(1, t).abs())),
    "rejection_overlap": (metrics.rejection_overlap, lambda t: (rows(0, t), rows(1, t))),
}
CURVES = {"reliability", "risk_coverage_curve", "sparsification_curve"}
ELSEWHERE = {"crps", "kl_categorical", "kl_marginal", "agreement"}  # not summaries of rows of tensors
TYPES = {"Reliability", "RiskCoverageCurve", "SparsificationCurve"}


def test_every_public_name_is_covered():
    assert set(metrics.__all__) == set(CASES) | CURVES | ELSEWHERE | TYPES


def test_every_public_function_of_a_module_is_exported():
    for name in MODULES:
        importlib.import_module(f"endd.metrics.{name}")
        tree = ast.parse(Path(sys.modules[f"endd.metrics.{name}"].__file__).read_text())
        found = {n.name for n in tree.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")}
        assert found - {"reduced"} <= set(metrics.__all__)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_order_of_rows_does_not_matter(name, ties):
    call, inputs = CASES[name]
    order = torch.randperm(B, generator=torch.Generator().manual_seed(3))
    values = inputs(ties)
    torch.testing.assert_close(call(*(v[order] for v in values)), call(*values), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_summary_is_a_finite_0d_tensor_in_the_dtype_of_the_inputs(name):
    call, inputs = CASES[name]
    in64 = call(*inputs(False))
    short = [v.float() if v.is_floating_point() else v for v in inputs(False)]
    in32 = call(*short)
    assert in64.shape == in32.shape == ()
    assert (in64.dtype, in32.dtype) == (torch.float64, torch.float32)
    assert torch.isfinite(in64)
    torch.testing.assert_close(in32.double(), in64, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_half_precision_comes_back_as_float32(name):
    call, inputs = CASES[name]
    values = [v.half() if v.is_floating_point() else v for v in inputs(False)]
    assert call(*values).dtype == torch.float32


@pytest.mark.parametrize("name", CASES)
def test_nan_raises(name):
    call, inputs = CASES[name]
    values = [v.clone() for v in inputs(False)]
    values[0][5] = torch.nan
    with pytest.raises(ValueError, match=r"without NaN, but got NaN in 1 rows \(5\)"):
        call(*values)


@pytest.mark.parametrize("name", CASES)
def test_empty_raises(name):
    call, inputs = CASES[name]
    with pytest.raises(ValueError, match="at least one row"):
        call(*(v[:0] for v in inputs(False)))


@pytest.mark.parametrize("name", sorted(CASES.keys() - {"nll", "auroc", "aupr", "fpr95", "calibration_error_quantile"}))
def test_unequal_lengths_raise(name):
    call, inputs = CASES[name]
    *head, last = inputs(False)
    with pytest.raises(ValueError, match=r"Expected .* but got"):
        call(*head, last[:-1])


@pytest.mark.parametrize("name", CASES)
def test_a_list_is_not_a_tensor(name):
    call, inputs = CASES[name]
    first, *rest = inputs(False)
    with pytest.raises(TypeError, match=r"to be a tensor, but got .*torch\.as_tensor"):
        call(first.tolist(), *rest)


@pytest.mark.parametrize("name", sorted(CASES.keys() - {"rmse"}))
def test_a_column_is_refused(name):
    call, inputs = CASES[name]
    *head, last = inputs(False)
    with pytest.raises(ValueError, match=r"of shape \(.*\), but got \(60, 1\)\. Use \w+\.squeeze\(-1\)"):
        call(*head, last[:, None])


def test_complex_numbers_are_refused():
    with pytest.raises(TypeError, match="to be real"):
        metrics.nll(torch.zeros(3, dtype=torch.complex64))


@pytest.mark.parametrize("name", CASES)
def test_one_row(name):
    call, inputs = CASES[name]
    assert torch.isfinite(call(*(v[:1] for v in inputs(False))))


def test_float32_sums_over_a_million_rows():
    n = 1_000_000
    generator = torch.Generator().manual_seed(0)
    error = 1000 + torch.randn(n, generator=generator)
    uncertainty = torch.rand(n, generator=generator)
    exact = metrics.ause(error.double(), uncertainty.double())
    torch.testing.assert_close(metrics.ause(error, uncertainty).double(), exact, rtol=1e-6, atol=1e-9)
    exact = metrics.rmse(torch.zeros(n, dtype=torch.float64), error.double())
    torch.testing.assert_close(metrics.rmse(torch.zeros(n), error).double(), exact, rtol=1e-7, atol=0)
