"""Every test starts from the same random state; what takes time to make is made once for all that read it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import endd
from endd.studies.result import Result

# One a process, however pytest is started: test processes side by side would fight over the cores, and sums in another
# order differ in their last digits from those of an engine's processes, which have one thread each.
torch.set_num_threads(1)

QUICK: dict[str, Any] = {"n_members": 3, "hidden": (16,), "epochs": 30, "student_epochs": 20, "random_state": 0}


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def pytest_collectstart(collector: pytest.Collector) -> None:
    """What a file draws while it is read is the same each time too, whichever other files are read before it."""
    if isinstance(collector, pytest.Module):
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


def make_table(rows: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A table with numbers, gaps and text, and a target that depends on all of them."""
    random = np.random.default_rng(seed)
    x, group = random.normal(size=(rows, 2)), random.integers(0, 3, rows)
    y = 100 + 10 * (x[:, 0] + 0.5 * x[:, 1] + group + 0.3 * random.normal(size=rows))
    table = pd.DataFrame({"first": x[:, 0], "second": x[:, 1], "group": np.array(["a", "b", "c"])[group]})
    table.loc[random.random(rows) < 0.1, "second"] = np.nan
    return table, y


@pytest.fixture(scope="session")
def table() -> tuple[pd.DataFrame, np.ndarray]:
    return make_table()


@pytest.fixture(scope="session")
def regressor(table: tuple[pd.DataFrame, np.ndarray]) -> endd.DistilledRegressor:
    """Fitted once, and not to be fitted again."""
    return endd.DistilledRegressor(**QUICK).fit(*table)


@pytest.fixture(scope="session")
def classifier(table: tuple[pd.DataFrame, np.ndarray]) -> endd.DistilledClassifier:
    """Fitted once on three classes, and not to be fitted again."""
    X, y = table
    return endd.DistilledClassifier(**QUICK).fit(X, classes_of(y))


def classes_of(y: np.ndarray) -> np.ndarray:
    return np.array(["low", "middle", "top"])[np.digitize(y, [100, 115])]


@pytest.fixture(name="QUICK", scope="session")
def quick() -> dict[str, Any]:
    return QUICK


@pytest.fixture(scope="session")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV with numbers, gaps, text, booleans and dates, and two targets: price, and the class it falls into."""
    frame, y = make_table(120)
    frame["sold"] = pd.date_range("2020-01-01", periods=len(y))
    frame["garden"] = y > 112
    file = tmp_path_factory.mktemp("tables") / "houses.csv"
    frame.assign(price=y.round(3), size=classes_of(y)).to_csv(file, index=False)
    return file


def fit_houses(houses: Path, target: str, **options: Any) -> Any:
    """The study of a table at its smallest, and its model."""
    from endd.data.files import TableFile
    from endd.studies.table import Config, run

    other = "size" if target == "price" else "price"
    config = Config(houses.name, target, drop=(other,), members=2, **{"epochs": 3, "student_epochs": 3} | options)
    return run(config, TableFile(houses), "none")


@pytest.fixture(scope="session")
def priced(houses: Path) -> Any:
    """A regression of the houses: its result and its model."""
    return fit_houses(houses, "price")


@pytest.fixture(scope="session")
def sized(houses: Path) -> Any:
    """A classification of the houses: its result and its model."""
    return fit_houses(houses, "size")


@pytest.fixture(scope="session")
def estimators_result(uci_folder: Path) -> Result:
    """The study of the estimators at its smallest: a set with classes and one with numbers."""
    from endd.studies import estimators

    config = estimators.Config(datasets=("wine", "yacht"), splits=2, members=3, epochs=3, student_epochs=3)
    return estimators.run(config, "none", uci_folder)


@pytest.fixture(scope="session")
def cifar10_study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """The CIFAR-10 study as "smoke" on small images: its folder, with all outputs, and what it found."""
    from endd.studies.cifar10 import PRESETS, run_stepwise
    from tests.studies.small_pictures import use_small_pictures

    out = tmp_path_factory.mktemp("cifar10")
    with pytest.MonkeyPatch.context() as patch:
        use_small_pictures(patch, tmp_path_factory.mktemp("cache"))
        *_, result = run_stepwise(PRESETS["smoke"], out, "none", device="cpu", keep_outputs=True)
    result.save(out)
    return out, result


@pytest.fixture
def small_pictures(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CIFAR-10 study reads small images."""
    from tests.studies.small_pictures import use_small_pictures

    use_small_pictures(monkeypatch, tmp_path_factory.mktemp("cache"))


@pytest.fixture
def trained(small_pictures: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is trained while a test runs, in order."""
    from endd.studies import cifar10_training

    calls: list[str] = []

    def counted(name: str) -> None:
        train = getattr(cifar10_training, name)

        def wrapper(*arguments: Any, **given: Any) -> Any:
            calls.append(name)
            return train(*arguments, **given)

        monkeypatch.setattr(cifar10_training, name, wrapper)

    counted("fit_ensemble")
    counted("distill_many")
    return calls
