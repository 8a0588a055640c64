"""How much faster members train side by side than one after another.

Claims: ten toy members at least 8 times a plain loop with torch's own Adam; fifty of UCI size (five folds of ten) at
least 20 times; and the cost of a member's step falls as members are added.
"""

from functools import partial

import torch
from torch import nn
from torch.nn.functional import softplus

import endd
from benchmarks.timing import seconds, write
from endd.nn import MLP
from endd.training import fit_ensembles

ROUNDS = 5


def plain_loop(nets: list[nn.Module], x: torch.Tensor, y: torch.Tensor, epochs: int, batch: int) -> None:
    """Members one after another, as anybody would write it."""
    for net in nets:
        optimiser = torch.optim.Adam(net.parameters(), 1e-3)
        for _ in range(epochs):
            for rows in torch.randperm(len(x)).split(batch):
                optimiser.zero_grad()
                z = net(x[rows])
                variance = softplus(z[:, 1]) + 1e-6
                loss = ((variance.log() + (y[rows] - z[:, 0]).square() / variance) / 2).mean()
                loss.backward()
                optimiser.step()


def stacked(folds: int, members: int, width: int, x: torch.Tensor, y: torch.Tensor, epochs: int, batch: int) -> None:
    """The same work as one stacked run."""
    family = endd.families.Gaussian()
    ensembles = [endd.Ensemble([MLP(x.shape[1], [width], 2) for _ in range(members)], family) for _ in range(folds)]
    options = {"epochs": epochs, "batch_size": batch, "learning_rate": 1e-3, "schedule": "constant"}
    fit_ensembles(ensembles, [(x, y)] * folds, progress="none", **options)


def speed(folds: int, members: int, width: int, inputs: int, rows: int, batch: int, epochs: int) -> dict[str, object]:
    """Time per member of both ways, in turns."""
    x, y = torch.randn(rows, inputs), torch.randn(rows)
    few = 2  # the loop's time is that of two members, times their number
    ratios, steps = [], epochs * -(-rows // batch)
    for _ in range(ROUNDS):
        alone = seconds(partial(plain_loop, [MLP(inputs, [width], 2) for _ in range(few)], x, y, epochs, batch)) / few
        together = seconds(partial(stacked, folds, members, width, x, y, epochs, batch))
        ratios.append((alone * folds * members / together, 1e6 * together / (folds * members * steps)))
    faster, cost = sorted(ratios)[ROUNDS // 2]
    return {"members": folds * members, "times faster": round(faster, 2), "us per member-step": round(cost, 1)}


def main() -> None:
    torch.manual_seed(0)
    stacked(1, 2, 10, torch.randn(64, 1), torch.randn(64), 1, 32)  # imports and first calls
    rows = [{"work": "toy: 1-10-2, batch 32", **speed(1, m, 10, 1, 1000, 32, 40)} for m in (1, 2, 5, 10, 20, 50, 100)]
    rows.append({"work": "UCI: 8-50-2, batch 100, 5 folds x 10", **speed(5, 10, 50, 8, 800, 100, 40)})
    write("training", rows)
