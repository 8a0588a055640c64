"""What the tests of all distributions share."""

import numpy as np
import pytest
from scipy import stats


@pytest.fixture
def scipy_log_prob():
    """log N(z; loc, S) of z (S, B, P) with loc (B, P) and S (B, P, P), one by one."""

    def log_prob(z, loc, covariance):
        rows = range(len(loc))
        return np.stack([stats.multivariate_normal(loc[b], covariance[b]).logpdf(z[:, b]) for b in rows], 1)

    return log_prob
