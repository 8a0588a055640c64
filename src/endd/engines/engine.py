"""One small interface over every place where work can run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from endd._checks import check_option

ENGINES = ("local", "ray")
# How many workers a part may lose before it is held responsible.
MAX_LOSSES = 4

Part = TypeVar("Part")
Done = TypeVar("Done")


class LostPartError(RuntimeError):
    """A part of the work whose worker died time and again."""

    def __init__(self, part: int) -> None:
        super().__init__(
            f"Expected a worker to finish part {part}, but {MAX_LOSSES} of them died at it. Look at its memory, and at "
            "the log of the system."
        )


@dataclass(frozen=True)
class Engine:
    """Where parts run.

    name: "local" (processes of this machine) or "ray". workers: how many at once; with 0 a local engine works in this
    process, and Ray takes as many as it has cores. address: of a Ray cluster, such as "auto"; none starts one here.
    gpus: those that Ray sets aside for each part, a share or a number; it hides them from parts that ask for none.
    """

    name: str = "local"
    workers: int = 0
    address: str | None = None
    gpus: float = 0.0

    def __post_init__(self) -> None:
        check_option("engine", self.name, ENGINES)
        if self.workers < 0:
            raise ValueError(f"Expected `workers` of at least 0, but got {self.workers}.")
        if self.address is not None and self.name != "ray":
            raise ValueError(f"Expected an address with the engine 'ray' only, but got {self.address!r}.")

    @property
    def here(self) -> bool:
        """Whether parts run in this process, one after another."""
        return self.name == "local" and self.workers == 0

    def results(self, function: Callable[[Part], Done], parts: Sequence[Part]) -> Iterator[tuple[int, Done]]:
        """(place, function(part)) as they come in, each once, however many workers die meanwhile."""
        if self.name == "ray":
            from endd.engines.on_ray import run_on_ray

            return run_on_ray(function, parts, self.workers, self.address, self.gpus)
        if self.here:
            return ((place, function(part)) for place, part in enumerate(parts))
        from endd.engines.processes import run_in_processes

        return run_in_processes(function, parts, self.workers)


def map_parts(
    function: Callable[[Part], Done],
    parts: Sequence[Part],
    *,
    engine: Engine | None = None,
    tell: Callable[[int, int], Any] | None = None,
) -> list[Done]:
    """[function(part) for part in parts], wherever they run; the order of results is that of parts.

    Parts are independent, and function and parts can be pickled. A part whose worker dies goes to another one, and
    what it gives counts once. What a part raises is raised here. tell: (done, of) after every part.

    >>> map_parts(abs, [-2, 3])
    [2, 3]
    """
    return list(stream_parts(function, parts, engine=engine, tell=tell))


def stream_parts(
    function: Callable[[Part], Done],
    parts: Sequence[Part],
    *,
    engine: Engine | None = None,
    tell: Callable[[int, int], Any] | None = None,
) -> Iterator[Done]:
    """The results of `map_parts`, each as soon as it and all before it are there."""
    waiting: dict[int, Done] = {}
    given = 0
    for count, (place, done) in enumerate((engine or Engine()).results(function, parts), 1):
        waiting[place] = done
        if tell is not None:
            tell(count, len(parts))
        while given in waiting:
            yield waiting.pop(given)
            given += 1
