"""The paper's toy regression: a sine whose noise grows from left to right.

y = sin x + eps, eps ~ N(0, 0.15 / (1 + e^-x)), where 0.15 / (1 + e^-x) is the variance.
"""

import numpy as np

from endd.data.examples import Array, Examples


def toy_mean(x: Array) -> Array:
    """E[y | x] = sin x."""
    return np.asarray(np.sin(x))


def toy_variance(x: Array) -> Array:
    """Var[y | x] = 0.15 / (1 + e^-x)."""
    return np.asarray(0.15 / (1 + np.exp(-x)))


def toy_examples(count: int, reach: float, seed: int | tuple[int, ...]) -> Examples:
    """`count` examples with x ~ U[-reach, reach]; the same seed gives the same examples.

    >>> x, y = toy_examples(1000, reach=3, seed=0)
    >>> x.shape, y.shape
    ((1000, 1), (1000,))
    """
    if count < 1 or not reach > 0:
        raise ValueError(f"Expected at least one example and `reach` above 0, but got {count} and {reach}.")
    random = np.random.default_rng(seed)
    x = random.uniform(-reach, reach, count)
    y = toy_mean(x) + np.sqrt(toy_variance(x)) * random.standard_normal(count)
    return Examples(x[:, None].astype(np.float32), y.astype(np.float32))
