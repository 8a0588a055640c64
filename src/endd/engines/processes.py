"""Processes of this machine, any of which may die at any moment."""

import multiprocessing
import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from typing import Any, TypeVar

import torch

from endd.engines.engine import MAX_LOSSES, LostPartError

Part = TypeVar("Part")
Done = TypeVar("Done")


def run_in_processes(
    function: Callable[[Part], Done], parts: Sequence[Part], workers: int
) -> Iterator[tuple[int, Done]]:
    """(place, function(part)) as they come in."""
    waiting, losses = deque(range(len(parts))), [0] * len(parts)
    # new interpreters: a fork would copy locks that threads of this process may hold
    context = multiprocessing.get_context("spawn")
    # as plain bytes: multiprocessing's own pickles would move tensors to shared memory under the feet of their owner
    packed = pickle.dumps(function)
    team = [_Worker(context, packed) for _ in range(min(workers, len(parts)))]
    try:
        while waiting or any(worker.place is not None for worker in team):
            for worker in team:
                if worker.place is None and waiting:
                    worker.begin(waiting.popleft(), parts)
            for worker in _stirred(team):
                place = worker.place
                assert place is not None
                answer = worker.answer()
                if answer is None:
                    losses[place] += 1
                    if losses[place] >= MAX_LOSSES:
                        raise LostPartError(place)
                    waiting.appendleft(place)
                    team[team.index(worker)] = _Worker(context, packed)
                    continue
                done, error = answer
                if error is not None:
                    raise error
                yield place, done
    finally:
        for worker in team:
            worker.end()


class _Worker:
    """A process that is given one part at a time through a pipe."""

    def __init__(self, context: SpawnContext, function: bytes) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, function), daemon=True)
        self.process.start()
        theirs.close()  # so that its end is seen here when the process is gone
        self.place: int | None = None

    def begin(self, place: int, parts: Sequence[Any]) -> None:
        """Hand over a part; a worker that is dead already is found out when its answer is due."""
        self.place = place
        with suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.send_bytes(pickle.dumps(parts[place]))

    def answer(self) -> tuple[Any, Exception | None] | None:
        """(what the part gave, what it raised), or None from the dead."""
        self.place = None
        try:
            return pickle.loads(self.pipe.recv_bytes())  # type: ignore[no-any-return]
        except (EOFError, ConnectionResetError):
            self.end()
            return None

    def end(self) -> None:
        """Let it go."""
        self.pipe.close()
        self.process.kill()
        self.process.join()


def _stirred(team: list[_Worker]) -> list[_Worker]:
    """Those that have answered, or died, once one of them has."""
    busy = {worker.pipe: worker for worker in team if worker.place is not None}
    return [busy[pipe] for pipe in wait(list(busy)) if isinstance(pipe, Connection)]


def _work(pipe: Connection, packed: bytes) -> None:
    """What a worker does: part in, answer out, until nobody asks."""
    torch.set_num_threads(1)  # a core each, as Ray's workers have
    function = pickle.loads(packed)
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            part = pickle.loads(pipe.recv_bytes())
            try:
                answer: tuple[Any, Exception | None] = function(part), None
            except Exception as error:
                answer = None, error
            pipe.send_bytes(pickle.dumps(answer))
