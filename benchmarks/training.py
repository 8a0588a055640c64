"""How much faster members train side by side than one after another.

Claims: ten toy members at least 8 times a plain loop with torch's own Adam; fifty of UCI size (five folds of ten) at
least 20 times; ten toy members at least 5 times torchensemble's VotingRegressor; and the cost of a member's step falls
as members are added (results/bench/training.png).
"""

import contextlib
import io
from functools import partial
from importlib.util import find_spec

import torch
from torch import nn
from torch.nn.functional import softplus
from torch.utils.data import DataLoader, TensorDataset

import endd
from benchmarks.timing import RESULTS, seconds, write
from endd.nn import MLP
from endd.training import fit_ensembles

ROUNDS = 5


def gaussian_nll(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The members' loss, as anybody would write it."""
    variance = softplus(z[:, 1]) + 1e-6
    return ((variance.log() + (y - z[:, 0]).square() / variance) / 2).mean()


def plain_loop(nets: list[nn.Module], x: torch.Tensor, y: torch.Tensor, epochs: int, batch: int) -> None:
    """Members one after another."""
    for net in nets:
        optimiser = torch.optim.Adam(net.parameters(), 1e-3)
        for _ in range(epochs):
            for rows in torch.randperm(len(x)).split(batch):
                optimiser.zero_grad()
                gaussian_nll(net(x[rows]), y[rows]).backward()
                optimiser.step()


def voting(members: int, x: torch.Tensor, y: torch.Tensor, epochs: int, batch: int) -> None:
    """The same work by torchensemble."""
    from torchensemble import VotingRegressor

    loader = DataLoader(TensorDataset(x, y), batch, shuffle=True)
    model = VotingRegressor(MLP, members, {"inputs": x.shape[1], "hidden": [10], "outputs": 2}, cuda=False)
    model.set_criterion(gaussian_nll)
    model.set_optimizer("Adam", lr=1e-3)
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit(loader, epochs, log_interval=10**9, save_model=False)


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


def speed_over_voting(members: int = 10, rows: int = 1000, batch: int = 32, epochs: int = 5) -> dict[str, object]:
    """torchensemble's time over ours, in turns."""
    if find_spec("torchensemble") is None:
        raise SystemExit("Expected torchensemble, a rival, to be installed. Use pip install --no-deps torchensemble.")
    x, y = torch.randn(rows, 1), torch.randn(rows)
    ratios = []
    for _ in range(ROUNDS):
        theirs = seconds(partial(voting, members, x, y, epochs, batch))
        ratios.append(theirs / seconds(partial(stacked, 1, members, 10, x, y, epochs, batch)))
    return {"members": members, "times faster": round(sorted(ratios)[ROUNDS // 2], 2)}


def plot(rows: list[dict[str, object]]) -> None:
    """The cost of one member's step over the number of members."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    axes.loglog([row["members"] for row in rows], [row["us per member-step"] for row in rows], "o-", label="endd")
    alone = [row["us per member-step"] * row["times faster"] for row in rows]  # type: ignore[operator]
    axes.loglog([row["members"] for row in rows], alone, "s--", label="one after another")
    axes.set(xlabel="members", ylabel="µs per member and step", title="Training side by side: 1-10-2, batch 32")
    axes.legend()
    figure.savefig(RESULTS / "training.png", dpi=150)


def main() -> None:
    torch.manual_seed(0)
    stacked(1, 2, 10, torch.randn(64, 1), torch.randn(64), 1, 32)  # imports and first calls
    rows = [{"work": "toy: 1-10-2, batch 32", **speed(1, m, 10, 1, 1000, 32, 40)} for m in (1, 2, 5, 10, 20, 50, 100)]
    rows.append({"work": "UCI: 8-50-2, batch 100, 5 folds x 10", **speed(5, 10, 50, 8, 800, 100, 40)})
    rows.append({"work": "toy, against torchensemble's VotingRegressor", **speed_over_voting()})
    write("training", rows)
    plot(rows[:7])
