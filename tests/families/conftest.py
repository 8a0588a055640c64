"""What the tests of all families share."""

import pytest
import torch
from torch.distributions import kl_divergence


@pytest.fixture
def weights():
    """Of five unequal atoms."""
    return torch.tensor([0.1, 0.3, 0.2, 0.25, 0.15], dtype=torch.float64)


@pytest.fixture
def loop_kl():
    """The mean KL over all pairs of atoms, by the plain double loop."""

    def loop(family, z, weights):
        pairs = [(i, j) for i in range(len(z)) for j in range(len(z))]
        return sum(weights[i] * weights[j] * kl_divergence(family(z[i]), family(z[j])) for i, j in pairs)

    return loop
