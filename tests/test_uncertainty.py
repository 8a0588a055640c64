"""Options and errors of decompose; its laws are in tests/laws."""

import pytest
import torch

import endd
from tests.laws.table import F64, FAMILIES, make_v


def test_covariance_matrices_have_the_split_as_their_trace() -> None:
    for v_name in ("members", "full_normal"):
        family, v = FAMILIES["multivariate_gaussian"], make_v(v_name, "multivariate_gaussian", (6,))
        parts = endd.decompose(family, v, "variance")
        for name in ("total", "aleatoric", "epistemic"):
            trace = torch.diagonal(getattr(parts.covariance, name), dim1=-2, dim2=-1).sum(-1)
            torch.testing.assert_close(trace, getattr(parts, name))


def test_unbiased_variance_divides_by_one_less() -> None:
    z = torch.randn(10, 4, 2, dtype=F64)
    family = endd.families.Gaussian()
    parts = endd.decompose(family, endd.Members(z), unbiased=True)
    torch.testing.assert_close(parts.epistemic, z[..., 0].var(0))
    with pytest.raises(ValueError, match="measure 'variance'"):
        endd.decompose(family, endd.Members(z), "entropy", unbiased=True)
    with pytest.raises(ValueError, match="at least two atoms"):
        endd.decompose(family, endd.Members(z[:1]), unbiased=True)


@pytest.mark.parametrize("measure", ["mean", "mi", ""])
def test_an_unknown_measure_names_the_known_ones(measure: str) -> None:
    with pytest.raises(ValueError, match="'variance', 'entropy', 'pairwise_kl', but got"):
        endd.decompose(endd.families.Gaussian(), endd.Point(torch.zeros(3, 2)), measure)


@pytest.mark.parametrize("measure", ["entropy", "pairwise_kl"])
def test_only_a_variance_has_a_covariance(measure: str) -> None:
    parts = endd.decompose(FAMILIES["multivariate_gaussian"], endd.Members(torch.randn(3, 2, 5)), measure)
    with pytest.raises(ValueError, match="Expected measure 'variance' for a covariance"):
        parts.covariance  # noqa: B018
