"""A teacher is asked part by part, and known by its hash."""

import torch

import endd
from endd.families import Gaussian
from endd.posteriors import DropoutSampler
from endd.training import OneByOne
from endd.training.cache.asking import outputs, rows_fingerprint, teacher_fingerprint, weights_of
from endd.training.cache.rows import TableRows
from endd.training.teachers import ask
from tests.training.cache.caching import X, ensemble


def test_outputs_come_with_the_hash_of_their_rows() -> None:
    z, seen = outputs(ensemble(), TableRows(X), 10, 30, 7)
    torch.testing.assert_close(z, ask(ensemble(), X[10:30]))
    assert seen == rows_fingerprint(TableRows(X), 10, 30, 20)
    assert seen != rows_fingerprint(TableRows(X), 10, 31, 20)


def test_a_teacher_is_its_members_family_and_weights() -> None:
    members = list(ensemble().members)
    lazy = OneByOne([lambda m=m: m for m in members], Gaussian())  # type: ignore[misc]
    assert teacher_fingerprint(lazy) == teacher_fingerprint(ensemble())
    weighted = endd.Ensemble(members, Gaussian(), weights=torch.tensor([0.5, 0.25, 0.25]))
    others = [ensemble(seed=2), ensemble(2), endd.Ensemble(members[::-1], Gaussian()), weighted]
    others.append(endd.Ensemble(members, Gaussian(min_variance=1e-3)))
    assert len({teacher_fingerprint(teacher) for teacher in [ensemble(), *others]}) == 6
    assert weights_of(weighted) == [0.5, 0.25, 0.25]


def test_draws_of_a_sampler_count() -> None:
    net = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(2, 2))
    few, many = (DropoutSampler(net, Gaussian(), draws) for draws in (3, 4))
    assert teacher_fingerprint(few) != teacher_fingerprint(many)
    assert outputs(few, TableRows(X), 0, 4, 2)[0].shape == (3, 4, 2)
