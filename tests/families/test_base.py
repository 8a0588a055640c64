"""What every family gets from the base class, seen in families that a user might write."""

import math

import pytest
import torch
from scipy import stats
from torch.distributions import Binomial, Independent, Laplace, StudentT, constraints
from torch.nn.functional import softplus

from endd.families import Family, Poisson, Unitless
from endd.families.base import check_support, component_nodes, draw_fixed


class Student(Family):
    num_parameters = 3

    def standard(self, z):
        loc, scale, df = z.unbind(-1)
        return StudentT(softplus(df) + 2.5, loc, softplus(scale) + 1e-3)


class LaplaceFamily(Family):
    num_parameters = 2

    def standard(self, z):
        return Laplace(z[..., 0], softplus(z[..., 1]))


class Dice(Unitless):
    num_parameters = 1

    def standard(self, z):
        return Binomial(4, logits=z[..., 0])


class Pair(Family):
    num_parameters = 2
    event_shape = torch.Size([2])

    def standard(self, z):
        return Independent(Laplace(z, torch.ones_like(z)), 1)


GENERATOR = torch.Generator().manual_seed(0)
Z = torch.randn(5, 7, 3, generator=GENERATOR, dtype=torch.float64)
Y = torch.randn(7, generator=GENERATOR, dtype=torch.float64)


def test_a_family_needs_standard():
    with pytest.raises(TypeError, match="abstract class Family"):
        Family()


def test_a_users_family_in_units():
    family, other = Student(), Student().in_units(5.0, 2.0)
    torch.testing.assert_close(other.mean(Z), 5 + 2 * family.mean(Z))
    torch.testing.assert_close(other.variance(Z), 4 * family.variance(Z))
    torch.testing.assert_close(other(Z).log_prob(5 + 2 * Y), family(Z).log_prob(Y) - math.log(2))
    torch.testing.assert_close(other.entropy(Z), family.entropy(Z) + math.log(2))
    assert (family.shift, family.scale) == (0.0, 1.0)


def test_a_users_family_in_units_as_scipy():
    loc, scale, df = Z[0, 0].tolist()
    expected = stats.t(math.log1p(math.exp(df)) + 2.5, 5 + 2 * loc, 2 * (math.log1p(math.exp(scale)) + 1e-3))
    q = Student().in_units(5.0, 2.0)(Z[0, 0])
    assert q.log_prob(Y[0]).item() == pytest.approx(expected.logpdf(Y[0]))
    assert q.variance.item() == pytest.approx(expected.var())


def test_quantiles_in_units():
    family, level = LaplaceFamily(), torch.tensor(0.9, dtype=torch.float64)
    z = Z[..., :2]
    torch.testing.assert_close(family.in_units(5.0, 2.0)(z).icdf(level), 5 + 2 * family(z).icdf(level))


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), (1.0, 0.0)])
def test_units_need_a_positive_scale(scale):
    with pytest.raises(ValueError, match=r"Expected `scale` to be a finite number.*, but got"):
        Pair().in_units(0.0, scale)


@pytest.mark.parametrize(("shift", "scale"), [(1.0, 1.0), (0.0, 2.0)])
def test_labels_and_counts_refuse_units(shift, scale):
    with pytest.raises(ValueError, match=rf"label or a count .* shift={shift}, scale={scale}\. Pass y unscaled"):
        Dice().in_units(shift, scale)


def test_labels_and_counts_accept_the_identity():
    family = Poisson()
    assert family.in_units(0.0, 1.0) is family


def test_pairwise_kl_has_no_closed_form_unless_a_family_says_so(weights):
    assert Student().pairwise_kl(Z, weights) is None


def test_covariance_of_a_vector_is_diagonal_unless_a_family_says_so():
    covariance = Pair().covariance(torch.zeros(4, 2))
    torch.testing.assert_close(covariance, (2 * torch.eye(2)).expand(4, 2, 2))


def test_an_enumerable_y_is_enumerated(weights):
    z = Z[..., :1]
    y, chances, method = Dice().nodes(z, weights)
    assert (method, y.shape) == ("exact", (5, 7))
    expected = torch.einsum("m,mb->b", weights, Dice().mean(z))
    torch.testing.assert_close(chances.sum(0), torch.ones(7, dtype=torch.float64))
    torch.testing.assert_close((chances * y).sum(0), expected)


@pytest.mark.parametrize("units", [(0.0, 1.0), (5.0, 2.0)])
def test_known_quantiles_give_a_grid(units, weights):
    family, z = LaplaceFamily().in_units(*units), Z[..., :2]
    y, node_weights, method = family.nodes(z, weights)
    assert method == "quadrature"
    torch.testing.assert_close(node_weights.sum(0), torch.ones(1, dtype=torch.float64))
    expected = torch.einsum("m,mb->b", weights, family.mean(z))
    torch.testing.assert_close((node_weights * y).sum(0), expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize(("family", "z"), [(Student(), Z), (Pair(), Z[..., :2])])
def test_anything_else_is_drawn_once_for_all(family, z, weights):
    before = torch.get_rng_state()
    y, node_weights, method = family.nodes(z, weights)
    assert method == "sampled"
    assert y.shape == (255, 7, *family.event_shape)
    torch.testing.assert_close(node_weights.sum(0), torch.ones(1, dtype=torch.float64))
    assert torch.equal(y, family.nodes(z, weights).y)
    assert torch.equal(torch.get_rng_state(), before)


def test_drawn_nodes_average_to_the_mixture_mean(weights):
    family, z = Pair(), Z[..., :2]
    y, node_weights, _ = family.nodes(z, weights)
    expected = torch.einsum("m,mbd->bd", weights, family.mean(z))
    torch.testing.assert_close((node_weights[..., None] * y).sum(0), expected, rtol=0, atol=0.4)


def test_component_nodes_pair_each_value_with_its_weight():
    y = torch.arange(6.0).reshape(3, 2, 1)
    nodes = component_nodes(y, torch.tensor([[0.5] * 2, [0.3] * 2, [0.2] * 2]), torch.tensor([0.9, 0.1]), "quadrature")
    assert nodes.y.flatten().tolist() == [0, 1, 2, 3, 4, 5]
    torch.testing.assert_close(nodes.weights.flatten(), torch.tensor([0.45, 0.05, 0.27, 0.03, 0.18, 0.02]))


def test_draw_fixed_ignores_the_global_seed():
    q = Laplace(torch.zeros(2), torch.ones(2))
    torch.manual_seed(1)
    first = draw_fixed(q, 3)
    torch.manual_seed(2)
    assert torch.equal(draw_fixed(q, 3), first)
    assert first.shape == (3, 2)


def test_check_support():
    y = torch.tensor([0.5, 1.0])
    assert check_support(y, constraints.positive, "positive numbers") is y
    with pytest.raises(ValueError, match=r"`y` to hold positive numbers, but got a float32 tensor of shape \(2,\)"):
        check_support(-y, constraints.positive, "positive numbers")


def test_canonical_takes_parameters_only():
    assert Student().canonical(Z) is Z
    with pytest.raises(ValueError, match="`form` to be one of 'parameters', but got 'logits'"):
        Student().canonical(Z, "logits")


@pytest.mark.parametrize("samples", [(), (4,)])
def test_targets_may_carry_samples_in_front_when_allowed(samples):
    y = torch.zeros(*samples, 7)
    assert Student().as_target(y, torch.Size([7]), torch.float64, samples=True) is y


def test_targets_of_another_shape_raise():
    with pytest.raises(ValueError, match=r"Expected `y` of shape \(7,\), but got \(7, 1\)\. Use y\.squeeze\(-1\)\."):
        Student().as_target(Y[:, None], torch.Size([7]), torch.float64, samples=True)
