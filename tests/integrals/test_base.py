"""Which rule serves which pair, and which pairs are refused."""

import pytest
import torch
from torch import nn

import endd
from endd.families import Bernoulli, Categorical, Gaussian, Poisson
from endd.integrals import integrals_of, registry
from endd.integrals.base import SharedAtoms

NORMAL = endd.FullNormal(torch.zeros(3, 2), torch.eye(2))


def test_the_best_rule_is_found() -> None:
    rules = {
        "GaussianNormal": (Gaussian(), NORMAL),
        "CategoricalDirichlet": (Categorical(2), endd.Dirichlet(torch.ones(3, 2))),
        "CategoricalAtoms": (Categorical(2), endd.Point(torch.zeros(3, 2))),
        "AtomIntegrals": (Bernoulli(2), NORMAL),
        "PoissonNormal": (Poisson(), endd.DiagonalNormal(torch.zeros(3, 1), torch.ones(3, 1))),
    }
    for name, (family, v) in rules.items():
        assert type(integrals_of(family, v)).__name__ == name


@pytest.mark.parametrize(
    ("family", "v", "error", "message"),
    [
        (Gaussian(), endd.Dirichlet(torch.ones(3, 2)), TypeError, "needs a family whose z is one"),
        (Gaussian(), endd.ModuloShift(NORMAL), TypeError, "needs a family whose z is one"),
        (Bernoulli(2), endd.Dirichlet(torch.ones(3, 2)), TypeError, "needs a family whose z is one"),
        (Categorical(4), NORMAL, ValueError, "over 4 parameters .* but got FullNormal"),
        (NORMAL, Gaussian(), TypeError, r"The order is \(family, v\)"),
        (Gaussian(), torch.zeros(3, 2), TypeError, r"is endd.Point\(z\)"),
        (Gaussian(), nn.Linear(2, 2), TypeError, "Expected a distribution over z"),
    ],
)
def test_invalid_pairs_are_refused(family: object, v: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        endd.decompose(family, v)  # type: ignore[arg-type]


def test_a_rule_cannot_be_registered_twice() -> None:
    with pytest.raises(ValueError, match="registered already"):
        registry.register(Gaussian, endd.distributions.Normal)


def test_an_ambiguous_registration_raises() -> None:
    class Special(endd.DiagonalNormal):
        pass

    with pytest.raises(ValueError, match=r"Ambiguous integration rule: .* Register \(Gaussian, Special\) first"):
        registry.register(endd.families.Family, Special)


def test_shared_atoms_begin_their_integrals_once_a_family() -> None:
    members = endd.Members(torch.randn(4, 6, 3), torch.tensor([0.1, 0.2, 0.3, 0.4]))
    shared, family = SharedAtoms(members), Categorical(3)
    first = integrals_of(family, shared)
    assert integrals_of(family, shared) is first
    assert integrals_of(Categorical(4, reference=0), shared) is not first
    torch.testing.assert_close(first.probabilities(), integrals_of(Categorical(3), members).probabilities())
    with pytest.raises(ValueError, match="over 5 parameters"):
        integrals_of(Categorical(5), shared)


def test_what_is_begun_without_gradients_is_not_for_terms_that_learn() -> None:
    z = torch.randn(4, 6, 3, requires_grad=True)
    shared, family = SharedAtoms(endd.Members(z)), Categorical(3)
    with torch.no_grad():
        weight = integrals_of(family, shared).information().value
    (weight * integrals_of(family, shared).information().value).sum().backward()
    assert z.grad is not None
    assert bool((z.grad != 0).any())


def test_a_family_that_cannot_be_hashed_shares_too() -> None:
    class Mine(Categorical):
        __hash__ = None  # type: ignore[assignment]

    shared, family = SharedAtoms(endd.Members(torch.randn(4, 6, 3))), Mine(3)
    assert integrals_of(family, shared) is integrals_of(family, shared)
