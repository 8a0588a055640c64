"""Every test starts from the same random state; a tiny toy study is run once for all that read it."""

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
