"""A number and the bounds that it should keep."""

import math
from dataclasses import dataclass

from endd.report.tables import MISSING, number


@dataclass(frozen=True)
class Target:
    """A number with bounds; one that is not known is NaN. Where a half-width is given, all of value +- it must keep
    them, and a NaN there says that the interval is not known."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    digits: int = 3
    half_width: float = 0.0

    @property
    def met(self) -> bool:
        """Whether the number, unrounded, keeps its bounds."""
        least, most = self.value - self.half_width, self.value + self.half_width
        return (self.low is None or least >= self.low) and (self.high is None or most <= self.high)

    @property
    def bounds(self) -> str:
        """'<= 1.010', '>= 0.920' or '0.850 to 1.150'; empty where there are none."""
        low, high = (None if bound is None else f"{bound:z.{self.digits}f}" for bound in (self.low, self.high))
        return f"{low} to {high}" if low and high else f"<= {high}" if high else f">= {low}" if low else ""

    @property
    def known(self) -> bool:
        """Whether there is anything to judge."""
        return bool(self.bounds) and not math.isnan(self.value + self.half_width)

    @property
    def number(self) -> str:
        """The value, with its interval where that counts."""
        interval = f" ± {self.half_width:.{self.digits}f}" if self.half_width > 0 else ""
        return number(self.value, self.digits) + interval

    @property
    def verdict(self) -> str:
        """'met', 'missed', or '-' where nothing can be said."""
        return MISSING if not self.known else "met" if self.met else "missed"

    def __str__(self) -> str:
        """'met: 1.003 (<= 1.010)'.

        >>> print(Target("rmse ratio", 1.0031, high=1.01), Target("ratio", 1.2, 0.85, 1.15), sep="; ")
        met: 1.003 (<= 1.010); missed: 1.200 (0.850 to 1.150)
        """
        return f"{self.verdict}: {self.number} ({self.bounds})" if self.known else self.number
