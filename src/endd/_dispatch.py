"""A registry keyed by a pair of types, in which an ambiguous match is an error."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Pair = tuple[type, type]


def _covers(general: Pair, special: Pair) -> bool:
    return issubclass(special[0], general[0]) and issubclass(special[1], general[1])


def _name(pair: Pair) -> str:
    return f"({pair[0].__name__}, {pair[1].__name__})"


def _meet(a: Pair, b: Pair) -> Pair | None:
    """The pair that two crossing registrations both cover: each is the more special one on one side."""
    for one, other in ((a, b), (b, a)):
        if issubclass(one[0], other[0]) and issubclass(other[1], one[1]):
            return (one[0], other[1])
    return None


class PairRegistry(Generic[T]):
    """Finds the most special entry registered for a pair of types.

    >>> registry = PairRegistry[str]("greeting")
    >>> _ = registry.register(object, object)("hello")
    >>> registry.find(int, str)
    'hello'
    """

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._entries: dict[Pair, T] = {}
        self._found: dict[Pair, T | None] = {}

    def register(self, first: type, second: type) -> Callable[[T], T]:
        """A decorator that registers its argument for (first, second) and all their subclasses."""
        pair = (first, second)
        if pair in self._entries:
            raise ValueError(f"A {self._noun} for {_name(pair)} is registered already; it can't be registered twice.")
        for known in self._entries:
            meet = _meet(pair, known)
            if meet not in (None, pair, known) and meet not in self._entries:
                assert meet is not None
                raise ValueError(
                    f"Ambiguous {self._noun}: {_name(pair)} and {_name(known)} both match {_name(meet)}. "
                    f"Register {_name(meet)} first."
                )

        def remember(entry: T) -> T:
            self._entries[pair] = entry
            self._found.clear()
            return entry

        return remember

    def find(self, first: type, second: type) -> T | None:
        """The most special entry for a pair of types, or None."""
        wanted = (first, second)
        if wanted not in self._found:
            self._found[wanted] = self._search(wanted)
        return self._found[wanted]

    def _search(self, wanted: Pair) -> T | None:
        matches = [pair for pair in self._entries if _covers(pair, wanted)]
        best = [pair for pair in matches if all(_covers(other, pair) for other in matches)]
        if matches and not best:
            names = " and ".join(_name(pair) for pair in matches)
            raise TypeError(
                f"Ambiguous {self._noun} for {_name(wanted)}: {names} match. Register {_name(wanted)} itself."
            )
        return self._entries[best[0]] if best else None

    def pairs(self) -> list[Pair]:
        """All registered pairs."""
        return list(self._entries)
