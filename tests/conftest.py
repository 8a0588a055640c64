"""Every test starts from the same random state; tiny studies are run once for all that read them."""

from pathlib import Path

import numpy as np
import pytest
import torch

from endd.studies.result import Result


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def toy_result() -> Result:
    """The toy study at its smallest: two seeds, and one of the trade-off weights."""
    from endd.studies import toy

    return toy.run(toy.Config().smoke(), progress="none")


@pytest.fixture(scope="session")
def uci_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two small sets in the form of the real ones, under the names of two of them."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "uci").mkdir()
    for name, rows, inputs in (("yacht", 63, 3), ("concrete", 87, 2)):
        random = np.random.default_rng(rows)
        x = random.normal(3, 2, (rows, inputs))
        y = 100 + 10 * np.sin(x[:, 0]) + random.normal(size=rows)
        orders = np.stack([random.permutation(rows) for _ in range(20)]).astype(np.uint16)
        np.savez(folder / "uci" / f"{name}.npz", X=x, y=y, train_idx=orders[:, 6:], test_idx=orders[:, :6])
    return folder


@pytest.fixture(scope="session")
def uci_result(uci_folder: Path) -> Result:
    """The UCI study at its smallest, on those two."""
    from endd.studies import uci

    return uci.run(uci.Config(datasets=("yacht", "concrete")).smoke(), "none", uci_folder)
