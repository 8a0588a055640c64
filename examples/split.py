"""An ensemble's uncertainty, split: where data are noisy it is aleatoric, where there are none it is epistemic.

Ten small networks learn y = sin x + noise from x in [-3, 3]; then they are asked about x in [-5, 5].
"""

import torch

import endd
from endd.nn import MLP
from endd.objectives import NegativeLogLikelihood


def train(net: torch.nn.Module, x: torch.Tensor, y: torch.Tensor, steps: int = 300) -> torch.nn.Module:
    """Plain maximum likelihood."""
    nll = NegativeLogLikelihood(endd.families.Gaussian())
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(steps):
        optimiser.zero_grad()
        nll(endd.Point(net(x)), y=y).mean().backward()
        optimiser.step()
    return net


def main() -> None:
    torch.manual_seed(0)
    x = 6 * torch.rand(1000, 1) - 3
    noise = (0.15 * torch.sigmoid(x[:, 0])).sqrt()
    y = torch.sin(x[:, 0]) + noise * torch.randn(1000)

    members = [train(MLP(1, [10, 10], 2, activation="tanh"), x, y) for _ in range(10)]
    ensemble = endd.Ensemble(members, endd.families.Gaussian())

    places = torch.linspace(-5, 5, 11).unsqueeze(-1)
    prediction = ensemble.predict(places)
    lower, upper = prediction.interval(0.95)
    print("     x    mean   95 % interval     aleatoric  epistemic (variances)")
    for row in zip(
        places[:, 0], prediction.mean, lower, upper, prediction.aleatoric, prediction.epistemic, strict=True
    ):
        print("{:6.1f}  {:6.2f}  [{:6.2f}, {:6.2f}]  {:10.3f} {:10.3f}".format(*(float(value) for value in row)))


if __name__ == "__main__":
    main()
