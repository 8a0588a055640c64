"""A study in parts, wherever they run: what is found is kept as it comes, and an interrupted run goes on after it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from endd.engines import Engine, stream_parts
from endd.studies.result import OWN, Repeat, Result
from endd.studies.settings import Settings, check_unchanged
from endd.studies.training import say
from endd.training.progress import reporter

Work = TypeVar("Work")
Done = TypeVar("Done")


class Part(NamedTuple):
    """Some repeats on a data set, which train side by side; without repeats, all that there is to it.

    >>> str(Part("yacht")), str(Part("yacht", (("fold0", 0), ("fold1", 0))))
    ('yacht', 'yacht, fold0 of seed 0 to fold1 of seed 0')
    """

    dataset: str
    repeats: tuple[Repeat, ...] = ()

    def __str__(self) -> str:
        ends = dict.fromkeys(f"{split} of seed {seed}" for split, seed in self.repeats[:1] + self.repeats[-1:])
        return ", ".join(filter(None, [self.dataset, " to ".join(ends)]))

    def is_in(self, result: Result) -> bool:
        """Whether a result holds all of it."""
        there = {(record.split, record.seed) for record in result.records if record.dataset == self.dataset}
        return bool(there) and there >= set(self.repeats)


def parts_of(dataset: str, repeats: Sequence[Repeat], together: int) -> list[Part]:
    """A data set in parts of so many repeats."""
    return [Part(dataset, tuple(repeats[start : start + together])) for start in range(0, len(repeats), together)]


def stepwise(
    study: str,
    parts: Sequence[Part],
    run: Callable[[Part], Result],
    config: Settings,
    before: Result | None = None,
    progress: str = "none",
    engine: Engine | None = None,
    growing: tuple[str, ...] = (),
) -> Iterator[Result]:
    """The result so far, after every part: kept, it makes a later failure cheap.

    before: what an earlier run with the same settings found, though with more repeats if parts of them follow those
    that are there. It comes first, and parts that it holds are not run again. engine: where parts run; away from this
    process `run` must be such as can be pickled. Results come in the order of the parts, and are the same whatever the
    engine. growing: see `Result.joined`.
    """
    result = Result(study, {}, {}, [])
    if before is not None:
        result = checked(before, config, parts)
        yield result
    left = [part for part in parts if not part.is_in(result)]
    for part in parts:
        if part not in left:
            say(f"{study}: {part} is there already", progress)
    for one in run_parts(run, left, engine, progress, study):
        result = result.joined(one, growing)
        plain = config.as_plain()
        there = {"datasets": result.datasets()} if "datasets" in plain else {}
        kept = {OWN: before.config[OWN]} if before is not None and OWN in before.config else {}
        result = replace(result, config=plain | there | kept)
        yield result


def run_parts(
    run: Callable[[Work], Done], parts: Sequence[Work], engine: Engine | None, progress: str, title: str
) -> Iterator[Done]:
    """What comes of every part, in their order; those that run elsewhere are told in one bar."""
    with reporter("none" if _here(engine) else progress, title, "part") as told:
        yield from stream_parts(run, parts, engine=engine, tell=lambda done, of: told.update(done, of, {}))


def told_in_parts(engine: Engine | None, progress: str) -> str:
    """How parts themselves tell how far they are: not at all where several run at once."""
    return progress if _here(engine) else "none"


def checked(before: Result, config: Settings, parts: Sequence[Part] = ()) -> Result:
    """An earlier result, if it was found with the same settings; the data sets may be others.

    Repeats may be more if they leave the parts of the earlier run as they are: what trains side by side belongs
    together, and `seeds` and `together` say how to find the same numbers again.
    """
    # a setting that came up since then was at its default
    known = type(config)().as_plain() | before.config
    free, remedy = ["datasets", OWN], "Choose another --out, or run without --resume."
    done = parts_done(before, known.get("together"))
    if done and set(done) <= set(parts) and config.seeds >= known["seeds"]:
        free += ["seeds", "together"]
    elif config.seeds >= known["seeds"] and (fitting := _fitting(done, parts)):
        remedy = f"Pass --together {fitting}, for so many repeats trained side by side there, or choose another --out."
    check_unchanged(known, config.as_plain(), free, remedy)
    return before


def parts_done(result: Result, together: int | None) -> list[Part]:
    """The parts that a result was found in, of so many repeats each; none where repeats are not set apart."""
    if together is None:
        return []
    repeats = dict.fromkeys((record.dataset, record.split, record.seed) for record in result.records)
    of = {name: [(split, seed) for dataset, split, seed in repeats if dataset == name] for name in result.datasets()}
    return [part for name, found in of.items() for part in parts_of(name, found, together)]


def _fitting(done: Sequence[Part], parts: Sequence[Part]) -> int | None:
    """How many repeats at a time would leave the parts that are done as they are, if there is such a number."""
    if not done:
        return None
    together = len(done[0].repeats)
    of: dict[str, list[Repeat]] = {}
    for part in parts:
        of.setdefault(part.dataset, []).extend(part.repeats)
    others = {part for name, repeats in of.items() for part in parts_of(name, repeats, together)}
    return together if set(done) <= others else None


def _here(engine: Engine | None) -> bool:
    return engine is None or engine.here
