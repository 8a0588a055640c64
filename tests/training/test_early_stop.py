"""Early stopping of several tracks against each of them alone, step by step."""

import math

import pytest
import torch

from endd.training.early_stop import EarlyStop


@pytest.mark.parametrize("patience", [None, 1, 2, 4])
def test_every_track_keeps_its_own_best_until_it_stops(patience: int | None) -> None:
    losses = torch.rand(12, 5, generator=torch.Generator().manual_seed(0))
    losses[3, 2] = math.inf
    stop, kept = EarlyStop(5, patience), {}
    running = dict.fromkeys(range(5), 0)  # by track, how long it has waited
    for epoch, row in enumerate(losses, 1):
        stop.see(row, epoch, [torch.full((5, 2), float(epoch))])
        for track, waited in list(running.items()):
            if float(row[track]) < kept.get(track, (math.inf,))[0]:
                kept[track], running[track] = (float(row[track]), epoch), 0
            elif patience is not None and waited + 1 == patience:
                del running[track]
            else:
                running[track] = waited + 1
        assert stop.stopped().tolist() == [track not in running for track in range(5)]
    assert stop.best_at.tolist() == [kept[track][1] for track in range(5)]
    assert stop.best is not None
    assert stop.best[0][:, 0].tolist() == stop.best_at.tolist()


def test_it_goes_on_from_its_state() -> None:
    first, second = EarlyStop(2, 2), EarlyStop(2, 2)
    first.see(torch.tensor([1.0, 2.0]), 1, [torch.zeros(2, 3)])
    second.restore(first.state(), torch.device("cpu"))
    for stop in (first, second):
        stop.see(torch.tensor([2.0, 1.0]), 2, [torch.ones(2, 3)])
    assert second.best_at.tolist() == first.best_at.tolist() == [1, 2]
    assert second.waiting.tolist() == [1, 0]


def test_before_anything_is_seen_nobody_has_stopped() -> None:
    stop = EarlyStop(3, 1)
    assert not bool(stop.stopped().any())
    assert stop.best is None
