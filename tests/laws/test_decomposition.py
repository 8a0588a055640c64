"""The laws of the split: parts add up, none is negative, agreement means no epistemic part."""

import pytest
import torch

import endd
from endd.families import Family
from endd.integrals import integrals_of
from endd.uncertainty import MEASURES
from tests.laws.table import DISTRIBUTIONS, F64, FAMILIES, PAIRS, make_v

BATCH = (6,)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("family_name", "v_name"), PAIRS)
def test_parts_add_up_and_epistemic_is_not_negative(family_name: str, v_name: str, measure: str) -> None:
    parts = endd.decompose(FAMILIES[family_name], make_v(v_name, family_name, BATCH), measure)
    assert torch.equal(parts.total, parts.aleatoric + parts.epistemic)
    assert bool((parts.epistemic >= 0).all())
    assert parts.method in ("exact", "quadrature", "qmc", "sampled")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", FAMILIES)
def test_identical_members_have_no_epistemic_part(name: str, measure: str, dtype: torch.dtype) -> None:
    family = FAMILIES[name]
    for scale in (0.1, 1.0, 10.0):
        z = (scale * torch.randn(50, family.num_parameters)).to(dtype)
        parts = endd.decompose(family, endd.Members(z.expand(10, -1, -1)), measure)
        allowed = 8 * torch.finfo(dtype).eps * parts.total.abs().clamp(min=1)
        assert bool((parts.epistemic <= allowed).all()), float((parts.epistemic / allowed).max())
        assert bool((parts.epistemic >= 0).all())


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_point_is_all_aleatoric(name: str, measure: str) -> None:
    parts = endd.decompose(FAMILIES[name], make_v("point", name, BATCH), measure)
    assert bool((parts.epistemic.abs() <= 1e-12 * parts.total.abs().clamp(min=1)).all())


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", FAMILIES)
def test_weights_are_repeated_members(name: str, measure: str) -> None:
    family = FAMILIES[name]
    z = 0.7 * torch.randn(3, 4, family.num_parameters, dtype=F64)
    weighted = endd.Members(z, torch.tensor([0.5, 0.25, 0.25], dtype=F64))
    repeated = endd.Members(z[[2, 0, 1, 0]])
    left, right = (endd.decompose(family, v, measure) for v in (weighted, repeated))
    if left.method != "qmc":  # points drawn for vectors of y depend on the order of the members
        torch.testing.assert_close(left.epistemic, right.epistemic)
    torch.testing.assert_close(left.aleatoric, right.aleatoric)


@pytest.mark.parametrize(("family_name", "v_name"), [pair for pair in PAIRS if "categorical" not in pair[0]])
def test_total_variance_is_the_variance_of_the_marginal(family_name: str, v_name: str) -> None:
    family, v = FAMILIES[family_name], make_v(v_name, family_name, BATCH)
    parts = endd.decompose(family, v, "variance")
    variance = endd.marginal(family, v).variance
    variance = variance.sum(-1) if family.event_shape else variance
    torch.testing.assert_close(variance, parts.total, rtol=2e-3, atol=1e-6)


@pytest.mark.parametrize("v_name", DISTRIBUTIONS)
def test_total_entropy_is_the_entropy_of_the_marginal(v_name: str) -> None:
    family, v = FAMILIES["categorical"], make_v(v_name, "categorical", BATCH)
    torch.testing.assert_close(endd.marginal(family, v).entropy(), endd.decompose(family, v, "entropy").total)


@pytest.mark.parametrize("v_name", ["members", "full_normal"])
def test_units_scale_the_variance_and_leave_the_information(v_name: str) -> None:
    v = make_v(v_name, "gaussian", BATCH)
    plain: Family = endd.families.Gaussian()
    moved = plain.in_units(-3.0, 4.0)
    for measure in MEASURES:
        before, after = endd.decompose(plain, v, measure), endd.decompose(moved, v, measure)
        factor = 16 if measure == "variance" else 1
        torch.testing.assert_close(after.epistemic, factor * before.epistemic)


def test_logits_modulo_shift_keep_the_information_of_two_classes() -> None:
    """Members z = (a, -a) with a ~ N(0, 1): modulo shift finds their information; centred diagonals fall short."""
    family = endd.families.Categorical(2)
    loc, line = torch.zeros(2, dtype=F64), torch.tensor([[1.0], [-1.0]], dtype=F64)
    truth = integrals_of(endd.families.Bernoulli(), endd.DiagonalNormal(loc[:1], 2 * torch.ones(1, dtype=F64)))
    modulo = endd.ModuloShift(endd.LowRankNormal(loc, line, torch.full((2,), 1e-8, dtype=F64)))
    centred = endd.DiagonalNormal(loc, torch.ones(2, dtype=F64))
    found = float(integrals_of(family, modulo).information().value)
    assert found == pytest.approx(float(truth.information().value), rel=0.02)
    assert float(integrals_of(family, centred).information().value) < 0.8 * found
