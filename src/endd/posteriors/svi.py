"""Stochastic variational inference (Graves 2011, Blundell et al. 2015): draws of a network with uncertain weights."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from endd._checks import check_positive, describe
from endd.families import Family
from endd.models.inputs import Output
from endd.models.twin import shared_copy
from endd.nn.variational import Variational
from endd.posteriors.sampler import Sampler


class SVISampler(Sampler):
    """z_s(x) = f(x; w_s) with S weights w_s = mean + scale * e_s, the noise e_s ~ N(0, 1) drawn once.

    net: a trained `endd.nn.Variational`. With last_only=True there, this is last-layer SVI: the trunk runs once for
    all draws. It is trained by `fit_ensemble`, several repeats side by side (residual networks as grouped convolutions,
    others under torch.vmap), each with noise of its own, the divergence as the penalty and so no weight decay:

    >>> import endd
    >>> x = torch.randn(60, 3)
    >>> repeats = [endd.nn.Variational(endd.nn.MLP(3, [20], 2)) for _ in range(5)]
    >>> ensemble = endd.Ensemble(repeats, endd.families.Gaussian())
    >>> _ = endd.fit_ensemble(ensemble, (x, x[:, 0]), epochs=2, penalty=Divergence(rows=60), progress="none")
    >>> SVISampler(repeats[0], ensemble.family, draws=30).predict(x).v
    Members(batch=(60,), P=2, M=30)
    """

    net: Variational

    def __init__(
        self, net: Variational, family: Family, draws: int = 30, *, seed: int = 0, output: Output = None
    ) -> None:
        if not isinstance(net, Variational):
            raise TypeError(f"Expected a network as endd.nn.Variational(net), but got {describe(net)}.")
        super().__init__(net, family, draws, seed=seed, output=output)
        for place, layer in enumerate(net.uncertain().values()):
            # the noise itself is kept: weights may move on, and the draws with them
            noise = _noise((draws, *layer.weight.shape), seed, place).to(layer.weight)
            self.register_buffer(f"noise_{place}", noise, persistent=False)

    def _drawn(self) -> tuple[nn.Module, dict[str, Tensor]]:
        layers = self.net.uncertain().items()
        weights = {
            f"{name}.weight": layer.weight + layer.scale * getattr(self, f"noise_{place}")
            for place, (name, layer) in enumerate(layers)
        }
        return shared_copy(self.net), weights


def _noise(shape: tuple[int, ...], seed: int, place: int) -> Tensor:
    generator = torch.Generator().manual_seed((seed << 16) + place)
    return torch.stack([torch.randn(shape[1:], generator=generator) for _ in range(shape[0])])


@dataclass(frozen=True)
class Divergence:
    """The penalty KL(weights || prior) / N of a `Variational` network, for `fit_ensemble(..., penalty=...)`.

    rows: N, how many examples it learns from. weight: 1 is the evidence lower bound, less is a tempered ("cold") one.
    """

    rows: int
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_positive("rows", self.rows)

    def __call__(self, net: nn.Module) -> Tensor:
        """weight * KL / N."""
        if not isinstance(net, Variational):
            raise TypeError(f"Expected networks as endd.nn.Variational(net), but got {type(net).__name__}.")
        return self.weight / self.rows * net.divergence()
