"""Pictures of frost from a folder."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from endd.data import load_frost
from endd.data.frost import FILES


def write_frost(folder: Path, height: int = 180, width: int = 200) -> None:
    """Five pictures of one grey each, the first with an alpha channel."""
    (folder / "frost").mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(FILES):
        mode = "RGBA" if number == 0 else "RGB"
        Image.new(mode, (width, height), (40 * number,) * len(mode)).save(folder / "frost" / name)


def test_five_pictures_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_frost(tmp_path)
    pictures = load_frost(tmp_path)
    assert [picture.shape for picture in pictures] == [(180, 200, 3)] * 5
    assert [int(picture.mean().round()) for picture in pictures] == [0, 40, 80, 120, 160]
    monkeypatch.setenv("ENDD_DATA", str(tmp_path))
    assert np.array_equal(load_frost()[4], pictures[4])


def test_missing_small_and_broken_pictures_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENDD_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match=r"no frost1\.png, frost2\.png.*Point --data or ENDD_DATA"):
        load_frost()
    write_frost(tmp_path, height=160)
    with pytest.raises(ValueError, match="more than 160 pixels a side"):
        load_frost(tmp_path)
    (tmp_path / "frost" / "frost1.png").write_text("nothing")
    with pytest.raises(ValueError, match=r"Expected a picture in .*frost1\.png"):
        load_frost(tmp_path)
