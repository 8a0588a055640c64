"""Threads between a reader and a writer."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, Self, TypeVar

Part = TypeVar("Part")
Done = TypeVar("Done")


class Workers(Generic[Part, Done]):
    """Threads that work on parts of batches, while the caller reads the next of them and writes the last."""

    def __init__(self, work: Callable[[Part], Done], count: int, ahead: int) -> None:
        self.work, self.ahead = work, ahead
        self._threads = ThreadPoolExecutor(count)
        self._waiting: deque[tuple[Any, list[Future[Done]]]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)

    def add(self, key: Any, parts: Sequence[Part]) -> Iterator[tuple[Any, list[Done]]]:
        """Begin with a batch, and give back those that must be done by now, in order, with their keys."""
        self._waiting.append((key, [self._threads.submit(self.work, part) for part in parts]))
        return self._finished(self.ahead)

    def rest(self) -> Iterator[tuple[Any, list[Done]]]:
        """All that are left."""
        return self._finished(0)

    def _finished(self, left: int) -> Iterator[tuple[Any, list[Done]]]:
        while len(self._waiting) > left:
            key, parts = self._waiting.popleft()
            yield key, [part.result() for part in parts]
