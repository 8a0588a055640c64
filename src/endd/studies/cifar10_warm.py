"""Students that start from a member of their teacher: what they still have to learn takes a fraction of the time."""

from dataclasses import replace

from endd.models import Student
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_training import Workshop
from endd.training.distillation import start_from


class WarmWorkshop(Workshop):
    """A workshop whose students start from the first member; where `warm` is None, as others do.

    A head of another shape than a member's starts from random weights.
    """

    def beginner(self, name: str, seed: int) -> Student:
        """One whose layers are those of the first member, where they have the same shapes."""
        student = super().beginner(name, seed)
        if self.config.warm is not None:
            start_from(self.members(seed).members[0].cpu(), student)
        return student


def warmed(config: Config) -> Config:
    """The settings of students that start from a member in the place of those of the others."""
    if config.warm is None:
        return config
    return replace(config, student=config.warm, views=config.warm_views)
