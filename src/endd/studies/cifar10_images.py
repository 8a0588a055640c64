"""The images of the CIFAR-10 study: those to learn from, on the device, and the sets to test on."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import Tensor

from endd.data import load_cifar10, load_svhn
from endd.data.corruptions import corrupted, not_there
from endd.data.fetching import cache_folder
from endd.data.pixels import Bytes
from endd.studies.cifar10_config import Config

CLEAN, SVHN, VALIDATION = "clean", "svhn", "validation"


class Pictures(NamedTuple):
    """Images (N, 3, 32, 32) in uint8 with classes (N,) to learn from and to validate on; test images as they come.

    x_svhn: images of none of the classes.
    """

    x_train: Tensor
    y_train: Tensor
    x_validation: Tensor
    y_validation: Tensor
    x_test: Bytes
    y_test: Tensor
    x_svhn: Bytes

    def to(self, device: torch.device) -> "Pictures":
        """The same images with what is learnt from on a device."""
        learnt: dict[str, Any] = {
            name: part.to(device) for name, part in self._asdict().items() if isinstance(part, Tensor)
        }
        return self._replace(**learnt)


def load_pictures(config: Config, data: str | Path | None, device: torch.device) -> Pictures:
    """CIFAR-10 as the study splits it: the first images to learn from, the last ones to validate on; and SVHN."""
    found, outside = load_cifar10(data), load_svhn(data)[: config.test_rows]
    x, y = on_device(found.x_train, device), torch.as_tensor(found.y_train.astype(np.int64)).to(device)
    learn, check = slice(0, config.train_rows), slice(len(x) - config.validation_rows, len(x))
    y_test = torch.as_tensor(found.y_test.astype(np.int64))[: config.test_rows]
    x_test = found.x_test[: config.test_rows]
    return Pictures(x[learn], y[learn], x[check], y[check], x_test, y_test.to(device), outside)


def on_device(images: Bytes, device: torch.device) -> Tensor:
    """Images (N, H, W, 3) as a tensor (N, 3, H, W) of uint8."""
    return torch.as_tensor(images).to(device).permute(0, 3, 1, 2).contiguous()


def sets_to_test_on(config: Config, pictures: Pictures, data: str | Path | None) -> Iterator[tuple[str, Bytes]]:
    """Name and images of every set: clean, each corruption at each severity, and SVHN."""
    yield CLEAN, pictures.x_test
    for name, severity in _corruptions(config):
        yield f"{name}-{severity}", corrupted(name, severity, pictures.x_test, _kept_in(), data)
    yield SVHN, pictures.x_svhn


def number_of_sets(config: Config) -> int:
    """How many there are."""
    return 2 + len(config.corruptions) * len(config.severities)


def make_corrupted(config: Config, x_test: Bytes, data: str | Path | None, workers: int | None = None) -> None:
    """Make all corrupted sets that are not there yet, several at a time; a few are made when they are read."""
    workers = workers or os.cpu_count() or 1
    wanted = not_there(_corruptions(config), x_test, _kept_in(), data)
    if workers == 1 or len(wanted) * len(x_test) < 100_000:
        return
    # torch is loaded and may run threads, which a forked process would find dead
    spawned = get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(wanted)), spawned, _one_thread) as pool:
        for done in [pool.submit(_make, name, severity, x_test, data) for name, severity in wanted]:
            done.result()


def _one_thread() -> None:
    """Libraries that start as many threads as there are cores would do so in every process."""
    torch.set_num_threads(1)
    threadpool_limits(1)


def _make(name: str, severity: int, x_test: Bytes, data: str | Path | None) -> None:
    corrupted(name, severity, x_test, _kept_in(), data)


def _corruptions(config: Config) -> Iterator[tuple[str, int]]:
    return ((name, severity) for name in config.corruptions for severity in config.severities)


def _kept_in() -> Path:
    return Path(cache_folder(None)) / "cifar10-c"
