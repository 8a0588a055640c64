"""Shares of a batch; tests/cluster has real processes."""

import inspect
from typing import Any

import pytest
import torch

from endd.training.processes import (
    _ordered_mean,
    gathered,
    leave,
    local_device,
    of_the_first,
    rank,
    same_tensors,
    shares,
    summed,
    world,
)


def be(monkeypatch: pytest.MonkeyPatch, number: int, of: int) -> None:
    for name, value in {"TORCHELASTIC_RUN_ID": "x", "WORLD_SIZE": of, "RANK": number, "LOCAL_RANK": number}.items():
        monkeypatch.setenv(name, str(value))


def test_one_process_is_the_first_and_only() -> None:
    assert (rank(), world()) == (0, 1)
    assert gathered(3) == [3]
    assert of_the_first("x") == "x"
    assert summed(torch.tensor(2.0)) == 2
    same_tensors([torch.ones(2)])
    leave()


@pytest.mark.parametrize(("processes", "pieces", "rows"), [(1, 1, 5), (2, 1, 7), (3, 2, 7), (4, 1, 3)])
def test_shares_make_up_the_batch(monkeypatch: pytest.MonkeyPatch, processes: int, pieces: int, rows: int) -> None:
    batch: Any = (torch.arange(2 * rows).reshape(2, rows), {"y": torch.arange(2 * rows).reshape(2, rows, 1)})
    found, total = [], 0.0
    for number in range(processes):
        be(monkeypatch, number, processes)
        for (x, named), share in shares(batch, pieces):
            assert x.shape[1] == named["y"].shape[1] >= 1
            found += [x] if share else []
            total += share
    assert torch.equal(torch.cat(found, 1), batch[0])
    assert total == pytest.approx(1)


def test_every_process_has_a_gpu_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert local_device("cuda") == torch.device("cuda")
    be(monkeypatch, 1, 2)
    assert local_device("cuda") == torch.device("cuda", 1)
    assert local_device("cpu") == torch.device("cpu")


def test_gradients_are_added_by_the_number_of_their_process(monkeypatch: pytest.MonkeyPatch) -> None:
    be(monkeypatch, 0, 3)
    given = [torch.tensor([1e8]), torch.tensor([1.0]), torch.tensor([-1e8])]

    class Work:
        def get_future(self) -> Any:
            done: Any = torch.futures.Future()
            done.set_result(None)
            return done

    def all_gather(parts: list[torch.Tensor], own: torch.Tensor, async_op: bool) -> Work:
        for part, value in zip(parts, given, strict=True):
            part.copy_(value)
        return Work()

    class Bucket:
        def buffer(self) -> torch.Tensor:
            return given[0]

    monkeypatch.setattr(torch.distributed, "all_gather", all_gather)
    assert inspect.signature(_ordered_mean).parameters["bucket"].annotation is torch.distributed.GradBucket
    found = _ordered_mean(None, Bucket()).wait()
    assert torch.equal(found, (given[0] + given[1] + given[2]) / 3)
