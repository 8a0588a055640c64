"""The paper's out-of-distribution arm: the student also learns from training images under four corruptions.

These come in late and are neither mixed nor warped, which by itself may change a student: another one, with the same
images as they are in their place, tells what the corruptions are worth.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from endd.data.corruptions import corrupt
from endd.data.pixels import Bytes
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_images import on_device
from endd.studies.cifar10_lessons import Lesson
from endd.studies.cifar10_training import make_pool, student_seed
from endd.studies.cifar10_warm import WarmWorkshop

#: The paper's four, and how severe they are there.
SEEN = ("contrast", "frost", "gaussian_blur", "impulse_noise")
SEVERITY = 2


class LateWorkshop(WarmWorkshop):
    """A workshop whose pools end with more views of some training images, which come in late."""

    def lesson(self, seed: int) -> Lesson:
        """That of the other students, and as many views of every such image."""
        plain = replace(self.config, mix=0.0, patch=0.0, blend=0.0, warp=0.0)
        usual = super().lesson(seed)
        if self._is_last():  # make room
            self.lessons.forget(seed)
        more = self.labelled(seed, make_pool(plain, self.images(student_seed(seed)), student_seed(seed) + 1))
        return Lesson(torch.cat([usual.pool, more.pool]), torch.cat([usual.labels, more.labels], 1))

    def _is_last(self) -> bool:
        """Whether no other group learns from the same after this one."""
        return True

    def late(self) -> tuple[int, int]:
        """All these rows, after the first part of the epochs."""
        rows = len(SEEN) * rows_each(self.config) * self.config.views
        return rows, round(self.config.outside_from * self.config.student.epochs)

    def images(self, seed: int) -> Tensor:
        """Training images, other ones for every corruption."""
        x, rows = self.pictures.x_train, rows_each(self.config)
        order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed)).split(rows)
        chosen = [x[places.to(x.device)].permute(0, 2, 3, 1).cpu().numpy() for places in order[: len(SEEN)]]
        parts = [self.shown(found, name, seed) for name, found in zip(SEEN, chosen, strict=True)]
        return on_device(np.concatenate(parts), self.device)

    def shown(self, images: Bytes, corruption: str, seed: int) -> Bytes:
        """What a student sees of some images: here, these."""
        return images


class OutsideWorkshop(LateWorkshop):
    """One that shows them under the paper's corruptions.

    frost: the pictures of it.
    """

    def __init__(self, *arguments: Any, frost: Sequence[Bytes], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.frost = frost

    def _is_last(self) -> bool:
        """Unless there is a group "late"."""
        models = self.config.models
        return "late" not in self.config.groups or bool(models and "distilled_late" not in models)

    def shown(self, images: Bytes, corruption: str, seed: int) -> Bytes:
        """The same images, corrupted."""
        return corrupt(images, corruption, SEVERITY, seed, self.frost)


def rows_each(config: Config) -> int:
    """Images under each corruption: no image comes twice."""
    return min(config.outside_rows, config.train_rows // len(SEEN))
