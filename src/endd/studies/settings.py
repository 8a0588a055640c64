"""What the settings of all studies share: they are frozen, checked, and written down in plain types."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Settings:
    """Settings of a study: which preset they are, how many repeats, and from which seed.

    >>> Settings("quick", seeds=3).as_plain()
    {'preset': 'quick', 'seeds': 3, 'first_seed': 0}
    """

    preset: str = "converged"
    seeds: int = 1
    first_seed: int = 0

    def __post_init__(self) -> None:
        self.check_at_least(1, "seeds")
        self.check_at_least(0, "first_seed")

    def check_at_least(self, least: int, *names: str) -> None:
        """Raise unless the settings of these names are `least` or more."""
        for name in names:
            if getattr(self, name) < least:
                raise ValueError(f"Expected `{name}` of at least {least}, but got {getattr(self, name)}.")

    def all_seeds(self) -> range:
        """first_seed, first_seed + 1, ..."""
        return range(self.first_seed, self.first_seed + self.seeds)

    def as_plain(self) -> dict[str, Any]:
        """The settings in plain types, as they are written down."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | int | float | None) else str(value)
