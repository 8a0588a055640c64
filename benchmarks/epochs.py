"""The first epochs of a run that would be as long as a real one, which is what it is compiled and recorded for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import torch

from endd.training.loop import Loop

#: (number of the epoch, what does it, to the end) -> nothing.
Around = Callable[[int, Callable[[], None]], None]


@contextmanager
def first_epochs(count: int, around: Around) -> Iterator[None]:
    """Whatever trains within does so for so many epochs, and `around` does each of them."""
    taken, done = Loop._run_epoch, [0]

    class EnoughError(Exception):
        """The epochs are over."""

    def counted(self: Loop) -> dict[str, float]:
        numbers: dict[str, float] = {}

        def work() -> None:
            numbers.update(taken(self))
            if torch.cuda.is_available():
                torch.cuda.synchronize()

        around(done[0], work)
        done[0] += 1
        if done[0] == count:
            raise EnoughError
        return numbers

    Loop._run_epoch = counted  # type: ignore[method-assign]
    try:
        with suppress(EnoughError):
            yield
    finally:
        Loop._run_epoch = taken  # type: ignore[method-assign]
