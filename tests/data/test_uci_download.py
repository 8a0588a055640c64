"""The original text files, served by a local server, give what their fingerprint says."""

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from endd.data import load_uci
from endd.data import uci_download as room
from endd.data.fetching import fingerprint
from endd.data.uci_download import FINGERPRINTS, download, parse

ROWS = 40


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, tuple[np.ndarray, ...]]:
    """A set as its home holds it: the target between the inputs, indices as floats; and the arrays in it."""
    folder = tmp_path / "home" / "yacht" / "data"
    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    data = random.normal(size=(ROWS, 4)).round(3)
    np.savetxt(folder / "data.txt", data, fmt="%.3f")
    np.savetxt(folder / "index_features.txt", [0, 1, 3], fmt="%d")
    np.savetxt(folder / "index_target.txt", [2], fmt="%d")
    orders = np.stack([random.permutation(ROWS) for _ in range(20)])
    for k, order in enumerate(orders):
        np.savetxt(folder / f"index_test_{k}.txt", order[:4], fmt="%.18e")
        np.savetxt(folder / f"index_train_{k}.txt", order[4:], fmt="%d")
    return folder, (data[:, [0, 1, 3]], data[:, 2], orders[:, 4:], orders[:, :4])


@pytest.fixture
def served(written: tuple[Path, tuple[np.ndarray, ...]], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server in the place of the home, and the fingerprint of what it holds."""
    folder, (x, y, train, test) = written
    handler = functools.partial(Quiet, directory=str(folder.parent.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr(room, "HOME", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setitem(FINGERPRINTS, "yacht", (fingerprint(x, y), fingerprint(train, test)))
        yield
        server.shutdown()
        thread.join()


def test_text_files_are_read(written: tuple[Path, tuple[np.ndarray, ...]]) -> None:
    folder, expected = written
    for found, array in zip(parse(folder), expected, strict=True):
        assert np.array_equal(found, array)


@pytest.mark.usefixtures("served")
def test_a_download_is_checked_and_kept(
    written: tuple[Path, tuple[np.ndarray, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = download("yacht", tmp_path / "cache")
    assert all(np.array_equal(a, b) for a, b in zip(first, written[1], strict=True))
    monkeypatch.setattr(room, "HOME", "http://127.0.0.1:9")
    assert np.array_equal(download("yacht", tmp_path / "cache")[0], first[0])


@pytest.mark.usefixtures("served")
def test_other_contents_are_refused(written: tuple[Path, tuple[np.ndarray, ...]], tmp_path: Path) -> None:
    data = written[0] / "data.txt"
    data.write_text(data.read_text().replace("0", "1", 1))
    with pytest.raises(ValueError, match="Expected the known contents of 'yacht'"):
        download("yacht", tmp_path / "cache")


def test_no_connection_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(room, "HOME", "http://127.0.0.1:9")
    with pytest.raises(FileNotFoundError, match=r"Point --data or ENDD_DATA at a folder that holds uci/yacht\.npz"):
        download("yacht", tmp_path)


def test_an_unknown_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'boston'"):
        download("boston", tmp_path)


@pytest.mark.skipif("ENDD_DATA" not in os.environ, reason="ENDD_DATA names no folder with the real sets")
@pytest.mark.parametrize("name", FINGERPRINTS)
def test_the_real_sets_have_their_fingerprint(name: str) -> None:
    x, y, train, test = load_uci(name)
    assert (fingerprint(x, y), fingerprint(train, test)) == FINGERPRINTS[name]
