"""Files are fetched once; what is read from them has a fingerprint."""

import logging
from pathlib import Path

import numpy as np
import pooch
import pytest

from endd.data.fetching import cache_folder, fetch, fingerprint


def test_what_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("1")
    assert fetch("http://127.0.0.1:9", ["one.txt"], tmp_path, "it", "it.txt") == tmp_path


def test_a_failure_says_what_to_do_and_leaves_the_logger_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    pooch.get_logger().setLevel(logging.INFO)
    with pytest.raises(FileNotFoundError, match=r"Expected to download that from .*folder that holds it\.txt"):
        fetch("http://127.0.0.1:9", ["one.txt"], tmp_path, "that", "it.txt")
    assert pooch.get_logger().level == logging.INFO


def test_the_cache_is_the_users(tmp_path: Path) -> None:
    assert cache_folder(tmp_path) == tmp_path
    assert cache_folder().name == "endd"


def test_a_fingerprint_is_of_values_not_of_layout() -> None:
    x = np.arange(12.0).reshape(3, 4)
    assert fingerprint(x) == fingerprint(np.asfortranarray(x)) == fingerprint(x.astype(">f8"))
    assert fingerprint(x) != fingerprint(x + 1e-12)
    assert fingerprint(x, x) == fingerprint(np.concatenate([x, x]))
