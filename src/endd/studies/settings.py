"""What the settings of all studies share: they are frozen, checked, and written down in plain types."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self


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

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """The settings that were written down; what else stands there is left out.

        >>> Settings.from_plain({"preset": "quick", "seeds": 3, "command": "endd ..."})
        Settings(preset='quick', seeds=3, first_seed=0)
        """
        names = [field.name for field in fields(cls) if field.name in plain]
        return cls(**{name: _revived(plain[name]) for name in names})


def check_unchanged(
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    free: Collection[str],
    remedy: str,
    of: str = "the earlier run",
) -> None:
    """Raise if settings in plain types are others than before, but for the `free` ones and the mere name of a preset.

    free: with all that is below them. of: whose settings those before are.

    >>> check_unchanged({"seeds": 1, "member": {"epochs": 2}}, {"seeds": 3, "member": {"epochs": 2}}, ["seeds"], "")
    >>> check_unchanged({"member": {"epochs": 2}}, {"member": {"epochs": 3}}, [], "Choose another --out.")
    Traceback (most recent call last):
        ...
    ValueError: Expected the settings of the earlier run, but member.epochs was 2 and now is 3. Choose another --out.
    """
    ours, theirs = _flat(now), _flat(before)
    bound = [name for name in {**ours, **theirs} if not any(f"{name}.".startswith(f"{one}.") for one in free)]
    changed = [name for name in bound if theirs.get(name) != ours.get(name)]
    if changed and changed != ["preset"]:
        name = changed[0]
        raise ValueError(
            f"Expected the settings of {of}, but {name} was {theirs.get(name)!r} and now is "
            f"{ours.get(name)!r}. {remedy}"
        )


def _flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Settings of settings by names such as member.epochs."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        found |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return found


def _revived(value: Any) -> Any:
    """The opposite of `_plain`: lists were tuples, and settings of settings are how to train."""
    if isinstance(value, dict):
        from endd.training import Recipe  # only here: it loads torch

        return Recipe(**{name: _revived(entry) for name, entry in value.items()})
    return tuple(map(_revived, value)) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | int | float | None) else str(value)
