"""The peak of what is alive at once."""

import torch

from endd.studies.memory import peak_bytes

UNIT = 4 * 1000


def test_what_is_freed_is_not_counted_twice() -> None:
    x = torch.zeros(1000)

    def work() -> torch.Tensor:
        y = x + 1
        for _ in range(5):
            y = y + 1  # the one before is free once this is there
        return y

    assert peak_bytes(work, held=[x]) == 2 * UNIT


def test_what_is_kept_adds_up() -> None:
    x = torch.zeros(1000)
    assert peak_bytes(lambda: [x + place for place in range(5)], held=[x]) == 5 * UNIT


def test_views_and_held_tensors_are_free() -> None:
    x = torch.zeros(10, 100)
    assert peak_bytes(lambda: x.T.reshape(100, 10)[:5], held=[x]) == 0
    assert peak_bytes(lambda: (x + 1)[:5].T, held=[x]) == UNIT
