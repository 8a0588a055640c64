"""Everything that is not a tensor is written in words, and read as it was."""

import json
from typing import Any

import numpy as np
import pytest
import torch

import endd
from endd.families import Bernoulli, Categorical, Family, Gaussian, MultivariateGaussian, Poisson
from endd.persistence.plain import (
    classes_from_plain,
    classes_to_plain,
    family_from_plain,
    family_to_plain,
    form_from_plain,
    form_to_plain,
    history_from_plain,
    history_to_plain,
)
from endd.training import History


def written(plain: Any) -> Any:
    """As it comes back from a file."""
    return json.loads(json.dumps(plain, allow_nan=False))


@pytest.mark.parametrize(
    "family",
    [
        Gaussian(1e-4).in_units(0.1, 1 / 3),
        MultivariateGaussian(2).in_units((0.1, 2.0), (3.0, 0.7)),
        Categorical(3),
        Categorical(4, reference=1),
        Bernoulli(),
        Bernoulli(5),
        Poisson(),
    ],
)
def test_families_with_their_units(family: Family) -> None:
    assert family_from_plain(written(family_to_plain(family))) == family


@pytest.mark.parametrize(
    "form",
    [
        endd.FullNormal,
        endd.DiagonalNormal.of(min_scale=0.01),
        endd.LowRankNormal.of(rank=2),
        endd.ModuloShift.of(endd.LowRankNormal.of(rank=3)),
        endd.ModuloShift.of(endd.DiagonalNormal),
        endd.Dirichlet.of(max_concentration=1e4),
        endd.Point,
        endd.Members.of(size=3),
    ],
)
def test_forms_with_their_options(form: Any) -> None:
    assert form_from_plain(written(form_to_plain(form))) == form


def test_what_is_not_endds_own_cannot_be_written() -> None:
    class Exponential(Family):
        num_parameters = 1

        def standard(self, z: torch.Tensor) -> torch.distributions.Distribution:
            return torch.distributions.Exponential(z[..., 0].exp())

    with pytest.raises(TypeError, match=r"Expected a family of endd\.families to save"):
        family_to_plain(Exponential())
    with pytest.raises(TypeError, match="Expected a form of v from endd"):
        form_to_plain(endd.distributions.Normal)
    with pytest.raises(TypeError, match="Expected classes that are text or numbers"):
        classes_to_plain(np.array(["2020-01-01"], dtype="datetime64[D]"))


@pytest.mark.parametrize(
    "classes",
    [
        np.array([0, 3]),
        np.array([-1.5, 2.0]),
        np.array([False, True]),
        np.array(["a", "long"]),
        np.array(["a", "b"], dtype=object),
    ],
)
def test_classes(classes: np.ndarray) -> None:
    again = classes_from_plain(written(classes_to_plain(classes)))
    assert again.dtype == classes.dtype
    assert again.tolist() == classes.tolist()


@pytest.mark.parametrize(
    "history", [History(), History([{"loss": float("nan")}, {"loss": 0.1}], ["member 1 again"], [2]), History([{}])]
)
def test_histories(history: History) -> None:
    summary, numbers = history_to_plain(history)
    again = history_from_plain(written(summary), numbers)
    assert (repr(again.rows), again.restarts, again.best_epoch) == (
        repr(history.rows),
        history.restarts,
        history.best_epoch,
    )
