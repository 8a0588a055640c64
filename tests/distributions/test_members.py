"""The members of an ensemble."""

import pytest
import torch

from endd.distributions import Members

Z = torch.randn(4, 3, 2, generator=torch.Generator().manual_seed(0))


def test_shapes():
    v = Members(Z)
    assert (v.batch_shape, v.event_shape) == ((3,), (2,))
    assert v.atoms is Z


def test_members_are_equal_unless_weighted():
    assert Members(Z).weights.tolist() == [0.25] * 4


def test_weights_take_the_type_of_z_and_sum_to_one():
    v = Members(Z, torch.tensor([0.1, 0.2, 0.3, 0.40005], dtype=torch.float64))
    assert v.weights.dtype == torch.float32
    assert v.weights.sum().item() == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize(
    "weights",
    [torch.ones(4), torch.full((3,), 1 / 3), torch.full((4, 1), 0.25), torch.tensor([1.5, -0.5, 0.0, 0.0])],
    ids=["sum", "number", "shape", "sign"],
)
def test_weights_are_checked(weights):
    with pytest.raises(ValueError, match=r"Expected 4 `weights` .* sum to 1, but got .* with sum .* Divide them by"):
        Members(Z, weights)


@pytest.mark.parametrize("z", [torch.zeros(3), torch.zeros(0, 3, 2)])
def test_shape_is_checked(z):
    with pytest.raises(ValueError, match=r"shape \(M, \.\.\., P\) .* For a single network use endd\.Point\(z\)"):
        Members(z)


def test_type_is_checked():
    with pytest.raises(TypeError, match=r"floating point tensor, but got a int64 tensor .* Use z\.float\(\)"):
        Members(torch.zeros(4, 3, 2, dtype=torch.int64))


@pytest.mark.parametrize("batch", [(5, 3), (2, 5, 3)])
def test_expand(batch):
    weights = torch.tensor([0.1, 0.2, 0.3, 0.4])
    v = Members(Z, weights).expand(batch)
    assert (v.batch_shape, v.atoms.shape) == (batch, (4, *batch, 2))
    torch.testing.assert_close(v.weights, weights)
    torch.testing.assert_close(v.mean, Members(Z, weights).mean.expand(*batch, 2))


def test_raw_numbers_are_the_atoms_one_after_another():
    raw = torch.arange(12.0).reshape(2, 6)
    v = Members.of(size=3).from_raw(raw)
    assert v.atoms.shape == (3, 2, 2)
    assert v.atoms[1].tolist() == [[2.0, 3.0], [8.0, 9.0]]
    assert v.weights.tolist() == pytest.approx([1 / 3] * 3)
    assert Members.of(size=3).raw_size(2) == 6


def test_a_form_knows_how_many_members_it_speaks_for():
    with pytest.raises(TypeError, match=r"Use v=endd\.Members\.of\(size=M\)"):
        Members.raw_size(2)
    with pytest.raises(ValueError, match="`size` of at least 1, but got 0"):
        Members.of(size=0)
    with pytest.raises(ValueError, match="a multiple of 3 raw numbers for a set of members"):
        Members.of(size=3).from_raw(torch.zeros(2, 4))


def test_repr():
    assert repr(Members(Z)) == "Members(batch=(3,), P=2, M=4)"
