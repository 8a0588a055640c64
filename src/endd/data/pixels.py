"""Images as bytes, and as numbers on the scale 0 to 1 that become bytes again."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: (N, 32, 32, 3), or (N, 32, 32) for a layer of one colour.
Bytes: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.floating[Any]]

SIDE = 32


def unit(images: Bytes) -> Floats:
    """Bytes as numbers from 0 to 1."""
    return images / 255.0


def to_bytes(values: Floats) -> Bytes:
    """Numbers from 0 to 1 as bytes, cut off and not rounded, as in the released files."""
    return (np.clip(values, 0, 1) * 255).astype(np.uint8)
