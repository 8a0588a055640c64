"""A cascade's prediction is row by row that of whoever answered."""

import pytest
import torch

import endd
from endd.cascade import CascadePrediction
from endd.families import Categorical, Gaussian, MultivariateGaussian
from endd.models import Prediction

ASKED = torch.tensor([True, False, False, True, False])


def both(family: endd.families.Family) -> tuple[CascadePrediction, Prediction, Prediction]:
    """A cascade, its student, and the ensemble on all rows."""
    z, other = torch.randn(3, 5, family.num_parameters), torch.randn(3, 5, family.num_parameters)
    student, ensemble = (Prediction(family, endd.Members(each)) for each in (z, other))
    asked = Prediction(family, endd.Members(other[:, ASKED]))
    return CascadePrediction(student, asked, ASKED), student, ensemble


@pytest.mark.parametrize("name", ["mean", "variance", "total", "aleatoric", "epistemic"])
@pytest.mark.parametrize("family", [Gaussian(), MultivariateGaussian(2)])
def test_numbers(name: str, family: endd.families.Family) -> None:
    cascade, student, ensemble = both(family)
    found = getattr(cascade, name)
    torch.testing.assert_close(found[ASKED], getattr(ensemble, name)[ASKED])
    torch.testing.assert_close(found[~ASKED], getattr(student, name)[~ASKED])


def test_quantiles_intervals_and_densities() -> None:
    cascade, student, ensemble = both(Gaussian())
    for level in (0.3, torch.tensor([0.1, 0.9])):
        expected = torch.where(ASKED, ensemble.quantile(level), student.quantile(level))
        torch.testing.assert_close(cascade.quantile(level), expected)
    torch.testing.assert_close(cascade.interval(0.8)[1], cascade.quantile(0.9))
    y = torch.randn(5)
    torch.testing.assert_close(cascade.log_prob(y), torch.where(ASKED, ensemble.log_prob(y), student.log_prob(y)))
    assert len(cascade) == 5
    assert "2 of 5 rows asked" in repr(cascade)


def test_classes() -> None:
    cascade, student, ensemble = both(Categorical(4))
    torch.testing.assert_close(cascade.probs, torch.where(ASKED[:, None], ensemble.probs, student.probs))
    y = torch.randint(0, 4, (5,))
    torch.testing.assert_close(cascade.log_prob(y), torch.where(ASKED, ensemble.log_prob(y), student.log_prob(y)))


def test_without_anybody_asked_it_is_the_students() -> None:
    _, student, _ = both(Gaussian())
    cascade = CascadePrediction(student, None, torch.zeros(5, dtype=torch.bool))
    assert torch.equal(cascade.total, student.total)
    y = torch.randn(5)
    assert torch.equal(cascade.log_prob(y), student.log_prob(y))


def test_intervals_of_vectors_are_merged_row_by_row() -> None:
    family = MultivariateGaussian(2)
    torch.manual_seed(0)
    student, ensemble = (Prediction(family, endd.Members(torch.randn(3, rows, 5))) for rows in (4, 2))
    asked = torch.tensor([False, True, False, True])
    both = CascadePrediction(student, ensemble, asked)
    for mine, students, theirs in zip(both.interval(0.9), student.interval(0.9), ensemble.interval(0.9), strict=True):
        assert torch.equal(mine[~asked], students[~asked])
        assert torch.equal(mine[asked], theirs)
