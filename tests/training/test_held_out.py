"""Members that hold out parts of their own."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor

import endd
from endd.families import Gaussian
from endd.nn import MLP
from endd.training import fit_ensemble, fit_ensembles
from endd.training.held_out import different_parts, keep_and_check

FAMILY = Gaussian()
SETTINGS: dict[str, Any] = {"epochs": 4, "batch_size": 64, "progress": "none", "learning_rate": 0.05}
X = torch.randn(50, 2, generator=torch.Generator().manual_seed(0))
Y = X[:, 0].sin() + 0.1 * torch.randn(50, generator=torch.Generator().manual_seed(1))


def members(count: int) -> list[MLP]:
    return [MLP(2, [8], 2, generator=torch.Generator().manual_seed(number)) for number in range(count)]


def test_parts_differ_until_all_rows_have_had_their_turn() -> None:
    parts = different_parts(50, 10, 0.1, torch.Generator().manual_seed(0))
    assert [len(part) for part in parts] == [5] * 10
    assert sorted(torch.cat(parts).tolist()) == [*range(50)]
    more = different_parts(50, 15, 0.1, torch.Generator().manual_seed(0))
    assert torch.cat(more).bincount(minlength=50).tolist().count(2) == 25
    assert len(different_parts(3, 1, 0.01, torch.Generator())[0]) == 1


def test_what_is_held_out_is_not_trained_on() -> None:
    table = (X[None], Y[None])
    aside = [torch.tensor([3, 1, 7]), torch.tensor([0, 9])]
    kept, (x, y) = keep_and_check(table, [50], [0, 0], aside)
    for rows, held in zip(kept, aside, strict=True):
        assert sorted([*rows.tolist(), *held.tolist()]) == [*range(50)]
    assert torch.equal(x, torch.stack([X[[3, 1]], X[[0, 9]]]))
    assert torch.equal(y, torch.stack([Y[[3, 1]], Y[[0, 9]]]))


def test_each_member_trains_as_if_its_part_were_given(alone: Any) -> None:
    rows = [torch.arange(10), torch.arange(10, 20)]
    nets, single = members(2), members(2)
    history = fit_ensemble(endd.Ensemble(nets, FAMILY), (X, Y), held_out=rows, **SETTINGS)
    for place, held in enumerate(rows):
        keep = torch.tensor([row for row in range(50) if row not in held.tolist()])
        one = endd.Ensemble([single[place]], FAMILY)
        other = fit_ensemble(one, (X[keep], Y[keep]), validation=(X[held], Y[held]), **SETTINGS)
        assert history.best_epoch is not None
        assert other.best_epoch == [history.best_epoch[place]]
        # all rows are one batch: the order in it changes rounding only
        torch.testing.assert_close(
            dict(nets[place].state_dict()), dict(single[place].state_dict()), rtol=1e-3, atol=1e-5
        )


def test_a_share_is_held_out_by_each_and_all_rows_are_learnt_from() -> None:
    seen: list[Tensor] = []

    def loss(family: Any, z: Tensor, y: Tensor) -> Tensor:
        if torch.is_grad_enabled():
            seen.append(y.clone())
        return -family.log_prob(z, y)

    options = {**SETTINGS, "epochs": 1}
    fit_ensemble(endd.Ensemble(members(5), FAMILY), (X, Y), held_out=0.2, loss=loss, **options)
    assert seen[0].shape == (5, 40)
    assert {*seen[0].flatten().tolist()} == {*Y.tolist()}


def test_ensembles_on_the_same_data_hold_out_other_parts_and_a_seed_repeats() -> None:
    def run() -> list[MLP]:
        nets = members(1)
        ensembles = [endd.Ensemble([net], FAMILY) for net in (nets[0], copy.deepcopy(nets[0]))]
        fit_ensembles(ensembles, [(X, Y), (X, Y)], held_out=0.2, **SETTINGS)
        return [ensemble.members[0] for ensemble in ensembles]  # type: ignore[misc]

    first, again = run(), run()
    states = [dict(net.state_dict()) for net in (*first, *again)]
    assert torch.equal(states[0]["layers.0.weight"], states[2]["layers.0.weight"])
    assert not torch.allclose(states[0]["layers.0.weight"], states[1]["layers.0.weight"])


def test_weights_and_mixed_ensembles() -> None:
    nets = [*members(2), MLP(2, [5], 2)]
    weights = torch.rand(50)
    history = fit_ensemble(endd.Ensemble(nets, FAMILY), (X, Y), held_out=0.2, sample_weight=weights, **SETTINGS)
    assert len(history.best_epoch or []) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"held_out": 1.5}, "between 0 and 1, but got 1.5"),
        ({"held_out": [[0, 1]]}, r"by each of 2 members, but got \[2\] rows"),
        ({"held_out": [[0], []]}, r"but got \[1, 0\] rows"),
        ({"held_out": [[0], range(50)]}, r"and not all of them"),
        ({"held_out": 0.1, "validation": (X, Y)}, "but got both"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_ensemble(endd.Ensemble(members(2), FAMILY), (X, Y), **options, **SETTINGS)


@pytest.mark.parametrize("held_out", [0, 1])
def test_a_part_is_no_whole_number(held_out: int) -> None:
    ensemble = endd.Ensemble([MLP(1, [4], 2) for _ in range(2)], Gaussian())
    with pytest.raises(ValueError, match=r"part between 0 and 1, such as 0\.1, or rows"):
        fit_ensemble(ensemble, (torch.zeros(9, 1), torch.zeros(9)), held_out=held_out, progress="none")
