"""One run in several processes, as torchrun starts them: who is who, and what each takes of a batch."""

import os
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from endd.training.tables import first_tensor, map_tensors


def world() -> int:
    """How many processes train together; 1 unless torchrun started this one."""
    return int(os.environ["WORLD_SIZE"]) if "TORCHELASTIC_RUN_ID" in os.environ else 1


def rank() -> int:
    """The number of this process among them; the first, 0, is the one that writes and tells."""
    return int(os.environ["RANK"]) if world() > 1 else 0


def local_device(kind: str) -> torch.device:
    """The device of this process: the GPU of its number on this machine, or the first."""
    return torch.device(kind, int(os.environ["LOCAL_RANK"])) if kind == "cuda" and world() > 1 else torch.device(kind)


def placement() -> dict[str, Any]:
    """What Fabric is told of the processes."""
    here = int(os.environ["LOCAL_WORLD_SIZE"])
    return {"devices": here, "num_nodes": world() // here, "strategy": "ddp"}


def shares(batch: Any, accumulate: int = 1) -> Iterator[tuple[Any, float]]:
    """This process's part of a batch (J, B, ...), in `accumulate` pieces, each with its share of the rows.

    A piece without a row gets the batch's first with the share 0, so that all processes take the same steps.
    """
    pieces, first = world() * accumulate, rank() * accumulate
    rows = first_tensor(batch).shape[1]
    for number in range(first, first + accumulate):
        start, stop = rows * number // pieces, rows * (number + 1) // pieces
        yield map_tensors(lambda t, n=number: _piece(t, n, pieces), batch), (stop - start) / rows  # type: ignore[misc]


def _piece(tensor: Tensor, number: int, pieces: int) -> Tensor:
    rows = tensor.shape[1]
    start, stop = rows * number // pieces, rows * (number + 1) // pieces
    return tensor[:, start:stop] if stop > start else tensor[:, :1]


def summed(tensor: Tensor) -> Tensor:
    """The sum over all processes."""
    if world() > 1:
        dist.all_reduce(tensor)
    return tensor


def add_in_order(wrapped: Any) -> None:
    """Let DDP add the gradients of CPU processes by their numbers, so that they have the same bits in every run.

    By itself it adds them in an order that depends on where in its buffers they lie, and that changes after a while.
    """
    if dist.get_backend() == "gloo":
        wrapped.register_comm_hook(None, _ordered_mean)


def _ordered_mean(_: None, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:  # type: ignore[name-defined]
    # DDP insists on this annotation
    own = bucket.buffer()
    parts = [torch.empty_like(own) for _ in range(world())]

    def mean(_: Any) -> Tensor:
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total / world()

    return dist.all_gather(parts, own, async_op=True).get_future().then(mean)  # type: ignore[no-any-return]


def gathered(value: Any) -> list[Any]:
    """What every process has, by its number."""
    if world() == 1:
        return [value]
    found: list[Any] = [None] * world()
    dist.all_gather_object(found, value)
    return found


def of_the_first(value: Any) -> Any:
    """What the first process has, in all of them."""
    if world() == 1:
        return value
    carried = [value]
    dist.broadcast_object_list(carried, src=0)
    return carried[0]


def same_tensors(tensors: list[Tensor]) -> None:
    """Make tensors those of the first process, in place."""
    if world() > 1:
        for tensor in tensors:
            dist.broadcast(tensor.data, src=0)


def leave() -> None:
    """Say goodbye to the other processes: one that ends without it may take them along."""
    if dist.is_initialized():
        dist.destroy_process_group()
