"""AugMix (Hendrycks et al. 2020): images blended with chains of changes of themselves."""

import math

import torch
from torch import Tensor

from endd.training.images import change_some, moved_by, some_rows

# Chains that are blended, and how many changes one has at most.
CHAINS, LINKS = 3, 3
# At most: how far an image turns, slants, and moves as a part of half its size.
TURN, SLANT, MOVE = math.pi / 6, 0.3, 1 / 3
# How many bits of a colour are dropped at most.
BITS = 4
TURNED, SLANTED, MOVED, POSTERISED, SOLARISED, STRETCHED, EQUALISED = range(7)
LEVELS = 256


def blends(images: Tensor, generator: torch.Generator, share: float = 1.0) -> Tensor:
    """Images (N, C, H, W); a random `share` of them is blended, the others stay as they are.

    A chain is up to three changes: turned, slanted, moved, with fewer colours, with bright ones inverted, or with
    contrast stretched or equalised. Three chains are averaged by random weights, and so are they and the image. What
    comes out looks worn but natural, as images from elsewhere do, and yet none of it is a blur, a noise or weather.

    Random numbers are drawn on the CPU, so that a run on any device sees the same pictures, up to rounding.

    >>> blends(torch.zeros(10, 3, 32, 32, dtype=torch.uint8), torch.Generator()).shape
    torch.Size([10, 3, 32, 32])
    """
    rows = some_rows(len(images), share, generator)
    many = (len(rows), CHAINS, LINKS)
    kinds = torch.randint(EQUALISED + 1, many, generator=generator)
    strengths = 2 * torch.rand(*many, 2, generator=generator) - 1
    lengths = torch.randint(1, LINKS + 1, many[:2], generator=generator)
    # uniform over all that sum to 1, and so is the part of the chains against the image
    weights = -torch.log(1 - torch.rand(many[:2], generator=generator))
    parts = torch.rand(len(rows), 1, generator=generator) * weights / weights.sum(1, keepdim=True)
    return change_some(images, rows, _blended, (kinds, strengths, lengths, parts))


def _blended(images: Tensor, kinds: Tensor, strengths: Tensor, lengths: Tensor, parts: Tensor) -> Tensor:
    top = 1.0 if images.is_floating_point() else LEVELS - 1.0
    whole = images.float() * ((LEVELS - 1) / top)
    total = _each(1 - parts.sum(1)) * whole
    for chain in range(CHAINS):
        changed = whole
        for link in range(LINKS):
            further = _changed(changed, kinds[:, chain, link], strengths[:, chain, link])
            changed = torch.where(_each(link < lengths[:, chain]), further, changed)
        total = total + _each(parts[:, chain]) * changed
    if images.is_floating_point():
        return (total / (LEVELS - 1)).to(images.dtype)
    return total.round().clamp(0, LEVELS - 1).to(images.dtype)


def _changed(images: Tensor, kinds: Tensor, strengths: Tensor) -> Tensor:
    """Each image changed in its way, from 0 to 255; strengths (N, 2) from -1 to 1."""
    first = strengths[:, 0]
    moved = _moved(images, kinds, strengths)
    others = {
        POSTERISED: posterised(images, (first.abs() * (BITS + 1)).floor().clamp(max=BITS)),
        SOLARISED: solarised(images, (1 - first.abs()) * LEVELS),
        STRETCHED: stretched(images),
        EQUALISED: equalised(images),
    }
    for kind, other in others.items():
        moved = torch.where(_each(kinds == kind), other, moved)
    return moved


def _moved(images: Tensor, kinds: Tensor, strengths: Tensor) -> Tensor:
    """Turned, slanted along an axis, or moved along one; mirrored at the edges."""
    first, along = strengths[:, 0], strengths[:, 1] > 0

    def by(kind: int, most: float) -> Tensor:
        return torch.where(kinds == kind, most * first, 0.0)

    angle, slant, move = by(TURNED, TURN), by(SLANTED, SLANT), by(MOVED, MOVE)
    across, up = torch.where(along, slant, 0.0), torch.where(along, 0.0, slant)
    rows = [angle.cos(), across - angle.sin(), up + angle.sin(), angle.cos()]
    matrices = torch.stack(rows, 1).reshape(-1, 2, 2)
    moves = torch.stack([torch.where(along, move, 0.0), torch.where(along, 0.0, move)], 1).unsqueeze(2)
    return moved_by(images, torch.cat([matrices, moves], 2))


def posterised(images: Tensor, dropped: Tensor) -> Tensor:
    """Colours from 0 to 255 without their last bits, `dropped` (N,) of them."""
    step = _each(2.0**dropped)
    return (images.round() / step).floor() * step


def solarised(images: Tensor, thresholds: Tensor) -> Tensor:
    """Colours from 0 to 255, inverted from a threshold (N,) on."""
    return torch.where(images >= _each(thresholds), LEVELS - 1 - images, images)


def stretched(images: Tensor) -> Tensor:
    """Every channel from its darkest to its brightest, as 0 to 255."""
    low, high = images.amin((2, 3), keepdim=True), images.amax((2, 3), keepdim=True)
    return torch.where(high > low, (images - low) * ((LEVELS - 1) / (high - low).clamp(min=1e-3)), images)


def equalised(images: Tensor) -> Tensor:
    """Every channel with as many dark as bright pixels: by the share of pixels that are darker."""
    places = images.round().clamp(0, LEVELS - 1).long().flatten(2)
    counts = images.new_zeros(*places.shape[:2], LEVELS).scatter_add_(2, places, torch.ones_like(images).flatten(2))
    darker = counts.cumsum(2)
    least = darker.gather(2, places.amin(2, keepdim=True))
    pixels = places.shape[2]
    scale = (LEVELS - 1) / (pixels - least).clamp(min=1)
    even = ((darker - least) * scale).gather(2, places).reshape(images.shape)
    return torch.where((least < pixels).unsqueeze(3), even, images)


def _each(values: Tensor) -> Tensor:
    """One number an image, (N,) to (N, 1, 1, 1)."""
    return values.reshape(-1, 1, 1, 1)
