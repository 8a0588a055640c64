"""Nothing public escapes the laws."""

import inspect

import endd
from endd import distributions, families
from endd.families import Family
from endd.integrals import registry
from tests.laws.table import DISTRIBUTIONS, FAMILIES, PAIRS, make_v


def _final(module: object, base: type) -> set[type]:
    found = {c for _, c in inspect.getmembers(module, inspect.isclass) if issubclass(c, base)}
    return {c for c in found if not inspect.isabstract(c) and c not in (distributions.Atoms, distributions.Normal)}


def test_every_family_has_a_row() -> None:
    assert {type(family) for family in FAMILIES.values()} == _final(families, Family)


def test_every_distribution_has_a_row() -> None:
    made = {type(make_v(name, "categorical")) for name in DISTRIBUTIONS}
    from torch.distributions import Distribution

    assert made == _final(distributions, Distribution)


def test_every_registered_rule_is_reached_by_a_pair() -> None:
    reached = {registry.find(type(FAMILIES[f]), type(make_v(v, f))) for f, v in PAIRS}
    assert reached == {registry.find(*pair) for pair in registry.pairs()}


def test_the_public_names_are_there() -> None:
    for name in endd.__all__:
        assert getattr(endd, name) is not None
