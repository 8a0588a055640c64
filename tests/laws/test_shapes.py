"""Shapes, expansion and text, for every pair."""

import pytest
import torch

import endd
from endd.integrals import expected_entropy, expected_log_prob, expected_variance, variance_of_mean
from endd.uncertainty import MEASURES
from tests.laws.table import BATCHES, DISTRIBUTIONS, FAMILIES, PAIRS, make_v


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize(("family_name", "v_name"), PAIRS)
def test_every_pair_keeps_its_batch_shape(family_name: str, v_name: str, batch: tuple[int, ...]) -> None:
    family, v = FAMILIES[family_name], make_v(v_name, family_name, batch)
    marginal = endd.marginal(family, v)
    y = marginal.sample(torch.Size([4]))
    assert y.shape == (4, *batch, *family.event_shape)
    assert marginal.log_prob(y).shape == (4, *batch)
    assert expected_log_prob(family, v, y[0]).value.shape == batch
    assert expected_entropy(family, v).value.shape == batch
    assert expected_variance(family, v).value.shape == variance_of_mean(family, v).value.shape
    for measure in MEASURES:
        parts = endd.decompose(family, v, measure)
        assert parts.total.shape == parts.aleatoric.shape == parts.epistemic.shape == batch


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_moments_samples_and_densities_of_v(name: str, batch: tuple[int, ...]) -> None:
    v = DISTRIBUTIONS[name].make(batch, 3, 0.7)
    z = v.sample(torch.Size([4, 5]))
    assert v.batch_shape == batch
    assert v.event_shape == (3,)
    assert v.mean.shape == v.variance.shape == (*batch, 3)
    assert z.shape == (4, 5, *batch, 3)
    if DISTRIBUTIONS[name].integrates_over:
        assert v.rsample(torch.Size([4])).shape == (4, *batch, 3)
        assert v.log_prob(z).shape == (4, 5, *batch)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_expand_repeats_v_over_a_larger_batch(name: str) -> None:
    v = DISTRIBUTIONS[name].make((3,), 3, 0.7)
    larger = v.expand(torch.Size([2, 3]))
    assert type(larger) is type(v)
    assert larger.batch_shape == (2, 3)
    torch.testing.assert_close(larger.mean, v.mean.expand(2, 3, 3))
    torch.testing.assert_close(larger.variance, v.variance.expand(2, 3, 3))
    if DISTRIBUTIONS[name].integrates_over:
        z = v.sample()
        torch.testing.assert_close(larger.log_prob(z), v.log_prob(z).expand(2, 3))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_repr_tells_class_batch_and_size(name: str) -> None:
    text = repr(DISTRIBUTIONS[name].make((3,), 4, 0.7))
    assert "batch=(3,)" in text
    assert "P=4" in text
