"""Sparsification and risk-coverage curves against plain loops and the paper's printed numbers."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from endd.metrics import (
    SparsificationCurve,
    aurc,
    ause,
    ause10,
    risk_coverage_curve,
    sparsification_curve,
)

KINDS = {
    "mse": lambda e: (e**2).mean(),
    "rmse": lambda e: np.sqrt((e**2).mean()),
    "mae": lambda e: np.abs(e).mean(),
}

# Printed in the figure of the toy study of Lindqvist et al. (2020): fraction removed, model, oracle.
FRACTION = [0, 0.111, 0.222, 0.333, 0.444, 0.555, 0.666, 0.777, 0.888, 1]
ORACLE = [
    *(1, 0.415010022038201, 0.220495306828978, 0.140568898023833, 0.0896301513515062),
    *(0.0545189042944929, 0.0288827800707969, 0.0135183068144718, 0.00326162132324048, 0),
]
ENSEMBLE_ORACLE = [
    *(1, 0.409733311421693, 0.216824191829413, 0.140948747127818, 0.090310161982688),
    *(0.0517130587292011, 0.0262998626240422, 0.0118536356612258, 0.00340379835701472, 0),
]
PRINTED = {
    "ensemble": [
        *(1, 0.731444785834719, 0.467346300941728, 0.360480792390979, 0.297738912812318),
        *(0.230614169589372, 0.134925595850052, 0.0861632955193016, 0.0412408818443691, 0),
    ],
    "distilled": [
        *(1, 0.706968080047036, 0.452007648552203, 0.379916477200322, 0.32329944392194),
        *(0.249299347888119, 0.162968075364699, 0.109211135406219, 0.0531650202130078, 0),
    ],
    "mixture": [
        *(1, 0.785811598334373, 0.538864184201333, 0.39538560199486, 0.328610070974142),
        *(0.249299370776428, 0.163914461951185, 0.118682734430194, 0.0596425058035741, 0),
    ],
}


def data(n: int = 57, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    scale = torch.rand(n, generator=generator, dtype=torch.float64) + 0.1
    return scale * torch.randn(n, generator=generator, dtype=torch.float64), scale


def loop(error: np.ndarray, key: np.ndarray, removed: list[int], by: str) -> np.ndarray:
    """The curve by its definition, for distinct keys: sort, cut, average, divide; then the closing 0."""
    kept_first = error[np.argsort(key)]
    curve = [KINDS[by](kept_first[: len(error) - k]) for k in removed]
    return np.array([*(value / curve[0] for value in curve), 0.0])


@pytest.mark.parametrize(("name", "expected"), [("ensemble", 0.155), ("distilled", 0.163), ("mixture", 0.186)])
def test_the_papers_printed_toy_curves(name, expected):
    oracle = ENSEMBLE_ORACLE if name == "ensemble" else ORACLE
    curve = SparsificationCurve(*(torch.tensor(v, dtype=torch.float64) for v in (FRACTION, PRINTED[name], oracle)))
    assert round(curve.area.item(), 3) == expected


def test_the_papers_printed_fractions():
    error, uncertainty = data(1000)
    fraction = sparsification_curve(error, uncertainty, points=10).fraction
    np.testing.assert_allclose(fraction.numpy(), FRACTION, atol=1e-12)


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("points", [None, 2, 10, 200])
def test_curves_against_a_loop(points, by):
    error, uncertainty = data()
    n = len(error)
    removed = list(range(n)) if points is None else [n * i // (points - 1) for i in range(points - 1)]
    curve = sparsification_curve(error, uncertainty, points, by)
    e, u = error.numpy(), uncertainty.numpy()
    np.testing.assert_allclose(curve.fraction.numpy(), [*(k / n for k in removed), 1.0])
    np.testing.assert_allclose(curve.model.numpy(), loop(e, u, removed, by), atol=1e-12)
    np.testing.assert_allclose(curve.oracle.numpy(), loop(e, np.abs(e), removed, by), atol=1e-12)


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("n", [1, 2, 5, 9, 10, 57, 1000])
def test_areas_against_a_loop(n, by):
    error, uncertainty = data(n)
    e, u = error.numpy(), uncertainty.numpy()
    for call, removed in ((ause, list(range(n))), (ause10, [n * i // 9 for i in range(9)])):
        gap = loop(e, u, removed, by) - loop(e, np.abs(e), removed, by)
        expected = np.trapezoid(gap, [*(k / n for k in removed), 1.0])
        assert call(error, uncertainty, by).item() == pytest.approx(expected, abs=1e-12)


def test_ten_points_come_close_to_all():
    error, uncertainty = data(20_000)
    assert ause10(error, uncertainty).item() == pytest.approx(ause(error, uncertainty).item(), abs=0.02)


def test_the_ideal_uncertainty_has_area_0_and_the_worst_the_largest():
    error, uncertainty = data()
    assert ause(error, error.abs()).item() == 0
    assert ause(error, -error.abs()) > ause(error, uncertainty) > 0


def test_signed_and_absolute_errors_agree():
    error, uncertainty = data()
    assert torch.equal(ause(error, uncertainty), ause(error.abs(), uncertainty))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=5))
def test_ties_give_the_mean_over_all_ways_to_break_them(pairs):
    key, error = torch.tensor(pairs, dtype=torch.float64).T
    keys = sorted(k for k, _ in pairs)
    orders = [o for o in itertools.permutations(pairs) if [k for k, _ in o] == keys]
    curves = [[np.mean([e**2 for _, e in order[:k]]) for k in range(len(pairs), 0, -1)] for order in orders]
    mean = np.mean(curves, axis=0)
    expected = mean / mean[0] if mean[0] > 0 else 0 * mean
    np.testing.assert_allclose(sparsification_curve(error, key).model[:-1].numpy(), expected, atol=1e-12)


def test_constant_uncertainty_keeps_the_error_flat():
    error, uncertainty = data()
    model = sparsification_curve(error, torch.ones_like(uncertainty)).model
    torch.testing.assert_close(model[:-1], torch.ones_like(model[:-1]))


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-3, 3)), min_size=1, max_size=30), st.randoms())
def test_invariances(pairs, random):
    error, key = torch.tensor(pairs, dtype=torch.float64).T
    shuffled = random.sample(pairs, len(pairs))
    for call in (ause, ause10):
        value = call(error, key)
        assert value.item() >= 0
        assert torch.equal(value, call(*torch.tensor(shuffled, dtype=torch.float64).T))
        assert torch.equal(value, call(error, (key / 2).exp()))
        torch.testing.assert_close(value, call(1e-3 * error, key))


@pytest.mark.parametrize("by", KINDS)
def test_no_error_at_all(by):
    curve = sparsification_curve(torch.zeros(5), torch.rand(5), by=by)
    assert curve.model.tolist() == curve.oracle.tolist() == [0.0] * 6
    assert ause(torch.zeros(5), torch.rand(5), by).item() == ause10(torch.zeros(5), torch.rand(5), by).item() == 0


def test_one_row():
    curve = sparsification_curve(torch.tensor([3.0]), torch.tensor([1.0]))
    assert [part.tolist() for part in curve] == [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]


def test_infinite_uncertainty_is_removed_first_and_huge_errors_do_not_overflow():
    error, uncertainty = torch.tensor([1e30, 1.0, 2.0]), torch.tensor([torch.inf, 0.0, 1.0])
    assert ause(error, uncertainty).item() == 0
    assert torch.isfinite(ause(torch.tensor([1e300, 1.0], dtype=torch.float64), torch.zeros(2)))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-4, 4)), min_size=1, max_size=5))
def test_risk_coverage_is_the_mean_over_all_ways_to_break_ties(pairs):
    key, loss = torch.tensor(pairs, dtype=torch.float64).T
    keys = sorted(k for k, _ in pairs)
    orders = [o for o in itertools.permutations(pairs) if [k for k, _ in o] == keys]
    risks = [[np.mean([e for _, e in order[: k + 1]]) for k in range(len(pairs))] for order in orders]
    expected = np.mean(risks, axis=0)
    curve = risk_coverage_curve(loss, key)
    np.testing.assert_allclose(curve.risk.numpy(), expected, atol=1e-12)
    np.testing.assert_allclose(curve.coverage.numpy(), np.arange(1, len(pairs) + 1) / len(pairs))
    assert aurc(loss, key).item() == pytest.approx(expected.mean(), abs=1e-12)


def test_aurc_of_right_and_wrong():
    wrong = torch.tensor([False, True, False, True])
    assert aurc(wrong, torch.tensor([0.0, 3.0, 1.0, 2.0])).item() == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)


def test_messages():
    error, uncertainty = torch.ones(3), torch.ones(3)
    with pytest.raises(ValueError, match="`by` to be one of 'mse', 'rmse', 'mae', but got 'mean'"):
        ause(error, uncertainty, by="mean")
    with pytest.raises(ValueError, match="`points` of at least 2, but got 1"):
        sparsification_curve(error, uncertainty, points=1)
    with pytest.raises(ValueError, match="Expected finite `error`"):
        ause(error * torch.inf, uncertainty)
    with pytest.raises(ValueError, match="Expected finite `loss`"):
        aurc(error * torch.inf, uncertainty)
    with pytest.raises(ValueError, match="`error` 3, `uncertainty` 2 rows"):
        ause(error, uncertainty[:2])
