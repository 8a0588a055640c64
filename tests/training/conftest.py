"""What a stacked run is compared with: networks trained one by one by torch's own means."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from endd.training.schedules import OneCycle
from endd.training.tables import Order

State = dict[str, Tensor]
ONE_CYCLE = OneCycle()


class Alone:
    """Trains a single network on the batches that one track of a stacked run sees."""

    def __init__(self, sizes: Sequence[int], jobs: Sequence[int], batch_size: int, epochs: int, seed: int = 0) -> None:
        order, generator = Order(sizes, jobs, batch_size), torch.Generator().manual_seed(seed)
        rows = torch.arange(max(sizes)).repeat(len(sizes), 1)
        self.epochs = [list(order.batches(rows, generator)) for _ in range(epochs)]

    def train(
        self,
        net: nn.Module,
        track: int,
        loss: Callable[[nn.Module, Tensor], Tensor],
        *,
        clip: float | None = None,
        ema: float | None = None,
        schedule: Any = ONE_CYCLE,
        optimiser: Any = None,
    ) -> list[State]:
        """The state after every epoch; loss: (network, row numbers) -> a number."""
        optimiser = torch.optim.Adam(net.parameters(), lr=1e-2) if optimiser is None else optimiser(net.parameters())
        rate, step, total = optimiser.param_groups[0]["lr"], 0, sum(map(len, self.epochs))
        average = copy.deepcopy(net)
        states = []
        for batches in self.epochs:
            for rows in batches:
                optimiser.param_groups[0]["lr"] = rate * schedule(step, total, len(batches))
                optimiser.zero_grad()
                loss(net.train(), rows[track]).backward()
                if clip is not None:
                    nn.utils.clip_grad_norm_(net.parameters(), clip)
                optimiser.step()
                step += 1
                part = 1.0 if ema is None else (1 - ema) / (1 - ema**step)
                for mean, now in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
                    mean.copy_(torch.lerp(mean, now, part) if now.is_floating_point() else now)
            states.append(copy.deepcopy(dict(average.state_dict())))
        return states


class Looking(nn.Module):
    """Looks at its data to decide what to do, which torch.vmap refuses; (N, 2) -> (N, 2)."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.layer = nn.BatchNorm1d(2), nn.Linear(2, 2)

    def forward(self, x: Tensor) -> Tensor:
        z: Tensor = self.layer(self.norm(x))
        return z.tanh() if x.sum() > 0 else z


@pytest.fixture(autouse=True)
def _on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are compared bit for bit, which a GPU does not promise."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.fixture
def alone() -> type[Alone]:
    return Alone


@pytest.fixture
def looking() -> type[nn.Module]:
    return Looking
