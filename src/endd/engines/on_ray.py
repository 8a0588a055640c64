"""Ray: cores of this machine or of a whole cluster."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from endd.engines.engine import MAX_LOSSES, LostPartError

Part = TypeVar("Part")
Done = TypeVar("Done")


def run_on_ray(
    function: Callable[[Part], Done],
    parts: Sequence[Part],
    workers: int = 0,
    address: str | None = None,
    gpus: float = 0.0,
) -> Iterator[tuple[int, Done]]:
    """(place, function(part)) as they come in; a Ray that was started for it is stopped again."""
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        here = {"num_cpus": workers or None, "include_dashboard": False} if address is None else {}
        ray.init(address=address, log_to_driver=False, logging_level="error", **here)
    try:
        yield from _results(ray, function, parts, workers or int(ray.cluster_resources().get("CPU", 1)), gpus)
    finally:
        if ours:
            ray.shutdown()


def _results(
    ray: Any, function: Callable[[Part], Done], parts: Sequence[Part], workers: int, gpus: float
) -> Iterator[tuple[int, Done]]:
    shared = ray.put(function)  # sent once, however many parts there are
    # lost parts are counted and sent again here, as in the local engine
    task = ray.remote(max_retries=0, num_cpus=1, num_gpus=gpus)(_call)
    waiting, losses = list(range(len(parts)))[::-1], [0] * len(parts)
    running: dict[Any, int] = {}
    while waiting or running:
        while waiting and len(running) < workers:
            place = waiting.pop()
            running[task.remote(shared, parts[place])] = place
        (done, *_), _ = ray.wait(list(running), num_returns=1)
        place = running.pop(done)
        try:
            found = ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except ray.exceptions.RayError:  # its worker or its machine is gone
            losses[place] += 1
            if losses[place] >= MAX_LOSSES:
                raise LostPartError(place) from None
            waiting.append(place)
            continue
        yield place, found


def _call(function: Callable[[Part], Done], part: Part) -> Done:
    return function(part)


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise ImportError("Expected Ray, but it is not installed. Use pip install 'endd[ray]'.") from None
    return ray
