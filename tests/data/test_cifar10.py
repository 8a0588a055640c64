"""CIFAR-10 from a folder or its home, checked whatever the form."""

import functools
import http.server
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from endd.data import cifar10 as room
from endd.data import load_cifar10
from endd.data.cifar10 import download_cifar10
from endd.data.cifar10_forms import ARCHIVE
from tests.data.small_cifar10 import expect_small, write_archive, write_sheets


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Nothing."""


def test_a_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = expect_small(monkeypatch)
    write_sheets(tmp_path / "cifar10")
    found = load_cifar10(tmp_path)
    assert all(np.array_equal(a, b) for a, b in zip(found[:4], expected, strict=True))
    assert found.class_names[3] == "cat"
    monkeypatch.setenv("ENDD_DATA", str(tmp_path))
    assert np.array_equal(load_cifar10().x_test, expected.x_test)


def test_other_images_are_refused(tmp_path: Path) -> None:
    write_sheets(tmp_path / "cifar10")
    with pytest.raises(ValueError, match=r"Expected the images and labels of CIFAR-10, but .* holds others"):
        load_cifar10(tmp_path)


def test_other_labels_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    y_test = expect_small(monkeypatch).y_test
    write_sheets(tmp_path)
    np.savez(tmp_path / "labels.npz", y_train=expect_small(monkeypatch).y_train, y_test=y_test[::-1])
    with pytest.raises(ValueError, match="holds others"):
        load_cifar10(tmp_path)


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"Expected CIFAR-10 in .* Point --data or ENDD_DATA at a folder"):
        load_cifar10(tmp_path)


def test_a_download_is_checked_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = expect_small(monkeypatch)
    write_archive(tmp_path / "home" / ARCHIVE)
    handler = functools.partial(Quiet, directory=str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setattr(room, "HOME", f"http://127.0.0.1:{server.server_port}")
        try:
            first = download_cifar10(tmp_path / "cache")
        finally:
            server.shutdown()
            thread.join()
    assert np.array_equal(first.x_train, expected.x_train)
    monkeypatch.setattr(room, "HOME", "http://127.0.0.1:9")
    assert np.array_equal(download_cifar10(tmp_path / "cache").y_test, expected.y_test)
    monkeypatch.delenv("ENDD_DATA", raising=False)
    monkeypatch.setattr(room, "cache_folder", lambda cache: tmp_path / "cache")
    assert np.array_equal(load_cifar10().x_train, expected.x_train)


def test_no_connection_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(room, "HOME", "http://127.0.0.1:9")
    with pytest.raises(FileNotFoundError, match=r"Point --data or ENDD_DATA at .*cifar-10-python\.tar\.gz"):
        download_cifar10(tmp_path)


@pytest.mark.skipif(
    not (Path(os.environ.get("ENDD_DATA", "")) / "cifar10").is_dir(), reason="ENDD_DATA names no folder with cifar10"
)
def test_the_real_images() -> None:
    found = load_cifar10()
    assert found.x_train.shape == (50000, 32, 32, 3)
    assert np.bincount(found.y_test).tolist() == [1000] * 10
