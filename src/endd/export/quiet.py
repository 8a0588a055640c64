"""Silence about things that whoever exports a model can do nothing about."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

# That torchvision is missing, that an axis has only one length, what the graph looked like when it failed.
CHATTY = ("torch.onnx", "torch._export", "torch.export", "torch.fx", "onnxscript")


@contextmanager
def quietly() -> Iterator[None]:
    """Inside, torch's exporters keep their remarks about their own workings to themselves."""
    before = {logger: logger.level for logger in map(logging.getLogger, CHATTY)}
    for logger in before:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)
