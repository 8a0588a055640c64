"""Every example in a docstring runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import endd

MODULES = [module.name for module in pkgutil.walk_packages(endd.__path__, "endd.") if "__main__" not in module.name]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
