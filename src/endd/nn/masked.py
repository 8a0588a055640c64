"""Dropout whose masks are fixed: every draw of them is a thinned network of its own."""

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor, nn

from endd._points import constants


class MaskedDropout(nn.Module):
    """x (B, ...) times the mask of one draw; `draw` says of which.

    rate: of what falls. together: how many of the last dimensions fall as one. draws: S. seed: of the masks.
    """

    draw: Tensor

    def __init__(self, rate: float, together: int, draws: int, seed: tuple[int, ...]) -> None:
        super().__init__()
        self.rate, self.together, self.draws, self.seed = rate, together, draws, seed
        self.register_buffer("draw", torch.zeros((), dtype=torch.long))

    def forward(self, x: Tensor) -> Tensor:
        """(B, ...) -> (B, ...)."""
        # picked by number: under vmap it is another for every draw
        mask = self._kept(x.shape[1:], x.device).index_select(0, self.draw.reshape(1)).squeeze(0)
        return x * (mask.to(x.dtype) / (1 - self.rate))

    def factors(self, features: tuple[int, ...], like: Tensor) -> Tensor:
        """What all draws multiply features with, (S, *features)."""
        kept = self._kept(features, like.device).to(like.dtype) / (1 - self.rate)
        return kept.expand(self.draws, *features)

    def _kept(self, features: tuple[int, ...], device: torch.device) -> Tensor:
        """Masks of all draws, with 1 for the dimensions that fall together."""
        apart = len(features) - self.together
        return masks(self.rate, self.draws, (*features[:apart], *(1,) * self.together), self.seed, device)


@lru_cache(maxsize=256)
def masks(rate: float, draws: int, features: tuple[int, ...], seed: tuple[int, ...], device: torch.device) -> Tensor:
    """Which features stay in each draw, (S, *features), the same in every call; no global generator is touched.

    >>> masks(0.5, 3, (4,), (0,), torch.device("cpu")).shape
    torch.Size([3, 4])
    """
    with constants():
        return torch.as_tensor(np.random.default_rng(seed).random((draws, *features)) >= rate, device=device)
