"""MC dropout (Gal and Ghahramani 2016): a network whose dropout stays on, with masks that are fixed."""

import torch
from torch import Tensor, nn

from endd.families import Family
from endd.models.inputs import Output
from endd.models.twin import shared_copy
from endd.nn.masked import MaskedDropout
from endd.posteriors.sampler import Sampler

#: The dropout layers that are known, and how many dimensions after the channels fall together.
KINDS: dict[type[nn.Module], int] = {nn.Dropout: 0, nn.Dropout1d: 1, nn.Dropout2d: 2, nn.Dropout3d: 3}


class DropoutSampler(Sampler):
    """z_s(x) = f(x; w, m_s) with S masks m_s drawn once: every number falls with its layer's rate r.

    A mask holds zeros and 1 / (1 - r) for the features of one input, (S, ...) for each dropout layer, and serves all
    inputs of its draw: a draw is one thinned network. Every single input sees masks of the usual distribution. A
    network with dropout before its head only gives last-layer dropout, and its trunk runs once for all draws.

    net: a trained network with nn.Dropout layers (or Dropout1d, 2d, 3d), rows first, such as
    ResNet(20, 10, dropout=0.05) or, for the last layer, ResNet(20, 10, head_dropout=0.3); it is trained by
    `fit_ensemble` like any other. Functional dropout inside a module's forward is off, as in eval mode, and a layer
    that is called twice drops the same features twice.

    >>> import endd
    >>> net = nn.Sequential(nn.Linear(3, 50), nn.ReLU(), nn.Dropout(0.1), nn.Linear(50, 2))
    >>> DropoutSampler(net, endd.families.Gaussian(), draws=30).predict(torch.randn(8, 3)).v
    Members(batch=(8,), P=2, M=30)
    """

    def __init__(
        self, net: nn.Module, family: Family, draws: int = 30, *, seed: int = 0, output: Output = None
    ) -> None:
        super().__init__(net, family, draws, seed=seed, output=output)
        if not _dropouts(net):
            raise ValueError(
                "Expected a network with nn.Dropout layers of a rate above 0, but got none. Put some into it, or use "
                "endd.nn.ResNet(..., dropout=0.1)."
            )

    def _drawn(self) -> tuple[nn.Module, dict[str, Tensor]]:
        twin = shared_copy(self.net)
        places = _dropouts(twin)
        for place, (name, layer) in enumerate(places.items()):
            twin.set_submodule(name, MaskedDropout(layer.p, KINDS[type(layer)], self.draws, (self.seed, place)))
        device = next((p.device for p in self.net.parameters()), None)
        numbers = torch.arange(self.draws, device=device)
        return twin, {f"{name}.draw": numbers for name in places}


def _dropouts(net: nn.Module) -> dict[str, nn.Dropout]:
    """Dropout layers inside a network by name."""
    return {
        name: part
        for name, part in net.named_modules(remove_duplicate=False)
        if name and type(part) in KINDS and part.p > 0
    }
