"""The pickles of CIFAR-10: dictionaries of bytes, numbers and one array, read without running what a file asks for."""

import io
import pickle
from typing import Any

import numpy as np

_RECONSTRUCT = np.empty(0).__reduce__()[0]
# The only names that the files need, as old and new NumPy spell them: how an array is put together.
ALLOWED = {
    ("numpy.core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
}


class _Restricted(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return ALLOWED[module, name]


def read_pickle(content: bytes, source: str) -> dict[bytes, Any]:
    """The dictionary in a pickle; one that asks for anything but arrays is refused, and nothing in it is run."""
    try:
        found = _Restricted(io.BytesIO(content), encoding="bytes").load()
    except Exception as error:  # a broken pickle raises nearly anything
        raise ValueError(f"Expected a batch of images in {source}, but it cannot be read: {error}.") from None
    if not isinstance(found, dict):
        raise ValueError(f"Expected a dictionary in {source}, but got {type(found).__name__}.")
    return found
