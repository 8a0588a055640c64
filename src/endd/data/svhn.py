"""Street view house numbers (Netzer et al. 2011): images that are none of the classes of CIFAR-10.

A folder (`data`, else the environment variable ENDD_DATA) holds svhn/train_first_1083.npz with x, or train_32x32.mat as
its home has it (http://ufldl.stanford.edu/housenumbers, for non-commercial use), of which the same images are taken.
"""

import os
import zipfile
from pathlib import Path

import numpy as np

from endd.data.fetching import fingerprint
from endd.data.pixels import SIDE, Bytes
from endd.data.uci import VARIABLE

COUNT = 1083
FILES = (f"train_first_{COUNT}.npz", "train_32x32.mat")
#: sha256 of the bytes of the images.
FINGERPRINT = "4bb768ab9111c02a5dc8fb453f09f9c05e79fac14cfab8ca8773d8473782ed1a"


def load_svhn(data: str | Path | None = None) -> Bytes:
    """The first 1083 training images (N, 32, 32, 3) in uint8."""
    folder = data or os.environ.get(VARIABLE)
    files = [Path(folder or "") / "svhn" / name for name in FILES]
    file = next((file for file in files if folder and file.is_file()), None)
    if file is None:
        raise FileNotFoundError(
            f"Expected SVHN in a folder, but there is none in {folder}. Point --data or {VARIABLE} at a folder that "
            "holds svhn/train_32x32.mat from http://ufldl.stanford.edu/housenumbers."
        )
    x = _read(file)
    if x.shape[1:] != (SIDE, SIDE, 3) or fingerprint(x) != FINGERPRINT:
        raise ValueError(f"Expected the first {COUNT} images of SVHN, but {file} holds others. Fetch it again.")
    return x


def _read(file: Path) -> Bytes:
    from scipy import io  # only here: it takes a while to import

    try:
        if file.suffix == ".npz":
            with np.load(file, allow_pickle=False) as found:
                x = found["x"]
        else:
            x = io.loadmat(file, variable_names=["X"])["X"].transpose(3, 0, 1, 2)
    except (KeyError, ValueError, NotImplementedError, zipfile.BadZipFile, io.matlab.MatReadError) as error:
        raise ValueError(f"Expected images of SVHN in {file}, but it cannot be read: {error}.") from None
    return np.ascontiguousarray(x[:COUNT], np.uint8)
