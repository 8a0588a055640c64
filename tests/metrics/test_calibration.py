"""Calibration errors against torchmetrics and plain loops."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torchmetrics.functional.classification import multiclass_calibration_error

from endd.metrics import (
    calibration_error_quantile,
    ece,
    ece_adaptive,
    ece_classwise,
    ece_quartile,
    reliability,
)

ALL = [ece, ece_adaptive, ece_quartile, ece_classwise]


def data(n: int = 500, K: int = 4, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    probs = (2 * torch.randn(n, K, generator=generator, dtype=torch.float64)).softmax(-1)
    return probs, torch.multinomial(probs.sqrt(), 1, generator=generator).squeeze(-1)


def binned(confidence: np.ndarray, hit: np.ndarray, edges: np.ndarray) -> float:
    """sum_s |B_s| / B |acc - conf| over bins (lo, hi], one bin after the other; the first takes its end."""
    total = 0.0
    for s, (low, high) in enumerate(itertools.pairwise(edges)):
        inside = (confidence > low) & (confidence <= high) | ((confidence == low) & (s == 0))
        if inside.any():
            total += inside.mean() * abs(hit[inside].mean() - confidence[inside].mean())
    return total


def binary(confidences: list[float], hits: list[bool]) -> tuple[torch.Tensor, torch.Tensor]:
    """Two classes with the given confidences (>= .5) in class 0, right where `hits` says so."""
    p = torch.tensor(confidences, dtype=torch.float64)
    return torch.stack([p, 1 - p], -1), (~torch.tensor(hits)).long()


@pytest.mark.parametrize("bins", [1, 10, 15])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_ece_as_torchmetrics(bins, seed):
    probs, y = data(seed=seed)
    expected = multiclass_calibration_error(probs, y, num_classes=4, n_bins=bins, norm="l1")
    assert ece(probs, y, bins).item() == pytest.approx(expected.item(), abs=1e-6)


@pytest.mark.parametrize("bins", [1, 7, 15])
def test_ece_against_a_loop(bins):
    probs, y = data()
    confidence, label = probs.numpy().max(-1), probs.numpy().argmax(-1)
    expected = binned(confidence, label == y.numpy(), np.linspace(0, 1, bins + 1))
    assert ece(probs, y, bins).item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_bins_are_closed_above(dtype):
    probs, y = binary([0.6, 0.8, 1.0, 0.61], [True] * 4)
    assert reliability(probs.to(dtype), y, bins=5).count.tolist() == [0, 0, 1, 2, 1]


@pytest.mark.parametrize("bins", [1, 4, 10])
def test_adaptive_bins_hold_equal_numbers(bins):
    probs, y = data(n=200)
    order = probs.max(-1).values.argsort()
    parts = [part.numpy() for part in order.chunk(bins)]
    confidence, hit = probs.numpy().max(-1), probs.numpy().argmax(-1) == y.numpy()
    expected = sum(abs(hit[part].sum() - confidence[part].sum()) for part in parts) / 200
    assert ece_adaptive(probs, y, bins).item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 500])
def test_quartile_bins_against_a_loop(n):
    probs, y = data(n=n)
    confidence, hit = probs.numpy().max(-1), probs.numpy().argmax(-1) == y.numpy()
    edges = np.array([0, *np.quantile(confidence, [0.25, 0.5, 0.75]), 1])
    assert ece_quartile(probs, y).item() == pytest.approx(binned(confidence, hit, edges), abs=1e-12)


@pytest.mark.parametrize("bins", [1, 5, 15])
def test_classwise_against_a_loop(bins):
    probs, y = data()
    expected = np.mean([binned(probs[:, k].numpy(), (y == k).numpy(), np.linspace(0, 1, bins + 1)) for k in range(4)])
    assert ece_classwise(probs, y, bins).item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("call", [ece, ece_adaptive, ece_quartile])
def test_equal_confidences_share_one_bin(call):
    probs, y = binary([0.7] * 10, [True] * 5 + [False] * 5)
    assert call(probs, y).item() == pytest.approx(0.2, abs=1e-12)


@pytest.mark.parametrize("call", [ece, ece_adaptive, ece_quartile])
def test_ties_across_an_edge_stay_together(call):
    # The 60 equal rows cross every quartile: cut there in order of the rows, right ones would lie apart.
    probs, y = binary([0.8] * 60 + [0.9, 1.0], [True] * 30 + [False] * 30 + [True, True])
    flipped = call(probs.flip(0), y.flip(0))
    torch.testing.assert_close(call(probs, y), flipped, rtol=0, atol=1e-12)
    expected = (abs(30 - 48) + 0.1) / 62
    assert call(probs, y).item() == pytest.approx(expected, abs=0.2 / 62)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from([0.5, 0.6, 0.75, 0.9, 1.0]), st.booleans()), min_size=1, max_size=25),
    st.randoms(),
)
def test_order_never_matters_and_errors_stay_in_range(pairs, random):
    probs, y = binary(*map(list, zip(*pairs, strict=True)))
    again = binary(*map(list, zip(*random.sample(pairs, len(pairs)), strict=True)))
    for call in ALL:
        value = call(probs, y).item()
        assert value == pytest.approx(call(*again).item(), abs=1e-12)
        assert value <= 1
        if call is not ece_classwise:
            hits = (y == probs.argmax(-1)).double()
            assert value >= (hits.mean() - probs.max(-1).values.mean()).abs().item() - 1e-12


def test_perfect_and_worst():
    sure = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    for call in ALL:
        assert call(sure, torch.tensor([0, 1])).item() == 0
        assert call(sure, torch.tensor([1, 0])).item() == 1


def test_reliability_adds_up_to_ece():
    probs, y = data()
    r = reliability(probs, y, bins=15)
    assert r.count.sum() == 500
    assert not r.count.is_floating_point()
    expected = (r.count.double() / 500 * (r.accuracy - r.confidence).abs()).sum()
    torch.testing.assert_close(ece(probs, y), expected, rtol=0, atol=1e-12)
    filled = r.count > 0
    assert bool(((r.lower < r.confidence) & (r.confidence <= r.upper))[filled].all())
    assert r.confidence[~filled].tolist() == r.accuracy[~filled].tolist() == [0.0] * int((~filled).sum())
    torch.testing.assert_close(r.lower[1:], r.upper[:-1])
    assert (r.lower[0], r.upper[-1]) == (0, 1)


def test_quantile_calibration_against_a_loop():
    u = torch.rand(101, generator=torch.Generator().manual_seed(0), dtype=torch.float64) ** 2
    levels = np.arange(1, 20) / 20
    expected = np.mean([abs((u.numpy() <= level).mean() - level) for level in levels])
    assert calibration_error_quantile(u).item() == pytest.approx(expected, abs=1e-12)
    assert calibration_error_quantile(u, levels=[0.5]).item() == pytest.approx(abs((u <= 0.5).double().mean() - 0.5))


def test_quantile_calibration_of_a_calibrated_model_is_0():
    u = (torch.arange(1, 101) / 100).float()
    assert calibration_error_quantile(u).item() == pytest.approx(0, abs=1e-7)
    assert calibration_error_quantile(torch.zeros(10)).item() == pytest.approx(0.5)


def test_messages():
    probs, y = data(5)
    for call in (ece, ece_adaptive, ece_classwise, reliability):
        with pytest.raises(ValueError, match="`bins` of at least 1, but got 0"):
            call(probs, y, bins=0)
    with pytest.raises(ValueError, match=r"`cdf_values` in \[0, 1\], but got values from 0 to 2"):
        calibration_error_quantile(torch.tensor([0.0, 2.0]))
    for levels in ([], [0.0, 0.5], [1.0]):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            calibration_error_quantile(torch.tensor([0.5]), levels)
