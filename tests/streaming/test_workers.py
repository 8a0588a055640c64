"""Batches come back in order, and errors reach whoever waits."""

import threading
import time

import pytest

from endd.streaming.workers import Workers


def slow(number: int) -> int:
    time.sleep(0.002 * (number % 3))
    return number


def test_order_is_kept_and_few_wait() -> None:
    with Workers(slow, 3, ahead=2) as pool:
        done = [(key, parts) for key in range(6) for key, parts in pool.add(key, [10 * key, 10 * key + 1])]
        assert [key for key, _ in done] == [0, 1, 2, 3]
        done += pool.rest()
    assert done == [(key, [10 * key, 10 * key + 1]) for key in range(6)]


def test_an_error_is_raised_where_the_result_is_taken() -> None:
    def fail(number: int) -> int:
        raise ValueError(f"Expected anything but {number}.")

    with Workers(fail, 1, ahead=0) as pool, pytest.raises(ValueError, match="anything but 3"):
        list(pool.add("key", [3]))


def test_what_has_not_begun_is_dropped_after_an_error() -> None:
    gate, begun = threading.Event(), []

    def wait(number: int) -> int:
        begun.append(number)
        gate.wait(5)
        return number

    def leave() -> None:
        with Workers(wait, 1, ahead=9) as pool:
            list(pool.add("key", range(50)))
            gate.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()
    assert len(begun) < 50
