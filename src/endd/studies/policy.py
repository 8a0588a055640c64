"""What must hold before a student may replace its ensemble: "kl_teacher<=kl_reference, rejection_overlap@10>=0.8"."""

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

SIGNS = ("<=", ">=")
PATTERN = re.compile(r"\s*([\w@]+)\s*(<=|>=)\s*([\w@.+-]+)\s*")
#: What is asked where nobody says otherwise: the student is as near to the ensemble as one half of it to the other, and
#: its ignorance has about the size of the ensemble's; to overstate it is the lesser fault.
DEFAULT = (
    "kl_teacher<=kl_reference, epistemic_spearman>=epistemic_spearman_reference, "
    "epistemic_ratio>=0.8, epistemic_ratio<=1.5"
)


class Requirement(NamedTuple):
    """A number, by name, and its bound: another number's name, or a value."""

    name: str
    sign: str
    bound: str

    def __str__(self) -> str:
        return f"{self.name} {self.sign} {self.bound}"


class Check(NamedTuple):
    """A requirement with both its numbers. One that is not there, or not a number, does not meet it."""

    requirement: Requirement
    value: float
    bound: float

    @property
    def met(self) -> bool:
        """Whether it holds."""
        return self.value <= self.bound if self.requirement.sign == "<=" else self.value >= self.bound


def parse_policy(text: str) -> list[Requirement]:
    """Requirements from text, separated by commas.

    >>> [str(requirement) for requirement in parse_policy("nll<=0.3, rejection_overlap@10 >= 0.8")]
    ['nll <= 0.3', 'rejection_overlap@10 >= 0.8']
    """
    found = []
    for part in text.split(","):
        match = PATTERN.fullmatch(part)
        if match is None:
            raise ValueError(
                f"Expected requirements such as 'kl_teacher<=kl_reference, rejection_overlap@10>=0.8', but got "
                f"{part.strip()!r}."
            )
        found.append(Requirement(*match.groups()))
    return found


def check_policy(requirements: list[Requirement], numbers: Mapping[str, float]) -> list[Check]:
    """Every requirement with its numbers."""
    return [Check(each, _known(each.name, numbers), _bound(each.bound, numbers)) for each in requirements]


def _bound(text: str, numbers: Mapping[str, float]) -> float:
    try:
        return float(text)
    except ValueError:
        return _known(text, numbers)


def _known(name: str, numbers: Mapping[str, float]) -> float:
    if name not in numbers:
        raise ValueError(f"Expected one of {', '.join(sorted(numbers))} in a requirement, but got {name!r}.")
    return numbers[name] if numbers[name] is not None else math.nan
