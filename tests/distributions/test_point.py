"""A single network."""

import pytest
import torch

from endd.distributions import Point

Z = torch.randn(3, 2, generator=torch.Generator().manual_seed(0))


def test_one_atom_of_weight_one():
    v = Point(Z)
    assert (v.batch_shape, v.event_shape) == ((3,), (2,))
    assert torch.equal(v.atoms, Z[None])
    assert v.weights.tolist() == [1.0]


def test_no_spread():
    v = Point(Z)
    assert torch.equal(v.mean, Z)
    assert torch.equal(v.variance, torch.zeros(3, 2))
    assert torch.equal(v.sample((4,)), Z.expand(4, 3, 2))


def test_raw_outputs_are_z():
    assert Point.from_raw(Z).z is Z
    assert Point.of().from_raw(Z).z is Z
    assert Point.raw_size(7) == Point.of().raw_size(7) == 7


def test_expand():
    v = Point(Z).expand([5, 3])
    assert v.batch_shape == (5, 3)
    assert torch.equal(v.mean, Z.expand(5, 3, 2))


def test_repr():
    assert repr(Point(Z)) == "Point(batch=(3,), P=2)"
    assert repr(Point.of()) == "Point.of()"


def test_shape_and_type_are_checked():
    with pytest.raises(ValueError, match=r"shape \(\.\.\., P\), but got a float32 tensor of shape \(\)"):
        Point(torch.tensor(1.0))
    with pytest.raises(TypeError, match=r"Use torch\.as_tensor\(z\)"):
        Point([0.0])
