"""A study over several data sets, one after another: what is found is kept, and an interrupted run goes on."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from endd.engines import Engine
from endd.studies.result import Result
from endd.studies.settings import check_unchanged
from endd.studies.training import say


def stepwise(
    study: str,
    names: Iterable[str],
    run: Callable[[str], Result],
    config: dict[str, Any],
    before: Result | None = None,
    progress: str = "none",
    engine: Engine | None = None,
) -> Iterator[Result]:
    """The result so far, after every data set: kept, it makes a later failure cheap.

    run: from the name of a data set to its result. config: the settings in plain types. before: what an earlier run
    with the same settings found. It comes first, and its data sets are not run again. engine: where data sets are run;
    in processes of their own `run` must be such as can be pickled. Results come in the order of the names.
    """
    result = Result(study, {}, {}, [])
    if before is not None:
        result = checked(before, config)
        yield result
    left = []
    for name in names:
        if name in result.datasets():
            say(f"{study}: {name} is there already", progress)
        else:
            left.append(name)
    found: dict[int, Result] = {}
    written = 0
    for place, one in (engine or Engine()).results(run, left):
        found[place] = one
        while written in found:
            result = result.joined(found[written])
            written += 1
            yield result


def checked(before: Result, config: dict[str, Any]) -> Result:
    """An earlier result, if it was found with the same settings; the data sets may be others."""
    check_unchanged(before.config, config, ["datasets"], "Choose another --out, or run without --resume.")
    return before
