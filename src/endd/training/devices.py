"""The device of a run: the one that was asked for, if it can be used."""

import torch

from endd.training.processes import local_device
from endd.training.recipe import Recipe


def training_device(recipe: Recipe) -> torch.device:
    """The first GPU if there is one, unless told otherwise; one a process under torchrun."""
    if recipe.device is None:
        return local_device("cuda" if torch.cuda.is_available() else "cpu")
    return usable_device(recipe.device)


def usable_device(device: str | torch.device) -> torch.device:
    """The device of this process, after a number was put there and read back.

    >>> usable_device("cpu")
    device(type='cpu')
    """
    try:
        named = torch.device(device)
        found = named if named.index is not None else local_device(named.type)
        torch.zeros((), device=found).item()  # read back, which a device of mere shapes cannot do
    except (AssertionError, ImportError, RuntimeError, TypeError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".:")
        raise ValueError(
            f"Expected a device to train on, such as cuda or cpu, but {device!r} cannot be used: {reason}. Name "
            "another, or none to take a GPU if there is one."
        ) from None
    return found
