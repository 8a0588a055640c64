"""Students that start from members of their teacher: what they still have to learn takes a fraction of the time."""

from dataclasses import replace

from endd.models import Student
from endd.nn import ResNet
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_training import Workshop
from endd.training.starting import start_from


class WarmWorkshop(Workshop):
    """A workshop whose students start from the first member; where `warm` is None, as others do.

    Wider ones start as the first members side by side, as many as they have room for. A head of another shape than a
    member's starts from random weights.
    """

    def beginner(self, name: str, seed: int) -> Student:
        """One whose layers are those of the first members, where they have the same shapes or more room."""
        student = super().beginner(name, seed)
        if self.config.warm is not None:
            start_from(self.first_members(seed), student)
        return student

    def first_members(self, seed: int) -> list[ResNet]:
        """As many as a network of this study's width has room for, and one at least."""
        members = [member for member in self.members(seed).cpu().members if isinstance(member, ResNet)]
        return members[: max(1, self.config.width // members[0].stem.out_channels)]


def warmed(config: Config) -> Config:
    """The settings of students that start from a member in the place of those of the others."""
    assert config.warm is not None  # refused before where there are none
    return replace(config, student=config.warm, views=config.warm_views)
