"""Arrays come out of a pickle; nothing else does, and nothing is run."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from endd.data.pickles import read_pickle


class Harmful:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.file),)


@pytest.mark.parametrize("protocol", [0, 4])
def test_arrays_are_read(protocol: int) -> None:
    if protocol == 0:  # what Python 2 wrote
        content = (
            b"(dp1\nS'data'\ncnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I2\ntcnumpy\n"
            b"dtype\n(S'u1'\nI0\nI1\ntR(I3\nS'|'\nNNNI-1\nI-1\nI0\ntbI00\nS'\\x07\\x08'\ntbs."
        )
    else:
        content = pickle.dumps({b"data": np.array([7, 8], np.uint8)}, protocol=protocol)
    assert read_pickle(content, "a file")[b"data"].tolist() == [7, 8]


def test_what_a_pickle_asks_for_is_not_run(tmp_path: Path) -> None:
    content = pickle.dumps({b"data": Harmful(tmp_path / "made")})
    with pytest.raises(ValueError, match=r"Expected a batch of images in a file.*asks for \w+\.mkdir"):
        read_pickle(content, "a file")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps([1])])
def test_what_is_no_batch_is_named(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"Expected .* a file"):
        read_pickle(content, "a file")
