"""Small tables, and estimators that train for a moment."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import endd

QUICK: dict[str, Any] = {"n_members": 3, "hidden": (16,), "epochs": 30, "student_epochs": 20, "random_state": 0}


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
