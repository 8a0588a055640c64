"""What the target is like in each category: a number for a category with too many siblings for a column each.

The mean of y in a category with n rows is drawn towards the mean of all, (n mean_c + s mean) / (n + s), where s is the
variance within categories over the variance between them: few rows count for little where categories are alike.
"""

import numpy as np
from numpy.typing import NDArray

FOLDS = 5
# Bounds on s, in rows.
MIN_SMOOTHING, MAX_SMOOTHING = 1.0, 100.0


def target_means(
    codes: NDArray[np.intp], levels: int, targets: NDArray[np.float64], seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(table, rows): the smoothed means (levels, T) of targets (N, T), and for each row the mean without its own fold.

    A network that saw a row's own target among its inputs would trust the category more than it may.
    """
    folds = np.random.default_rng(seed).permutation(len(codes)) % FOLDS
    counts = np.bincount(folds * levels + codes, minlength=FOLDS * levels).reshape(FOLDS, levels, 1)
    sums = np.stack([_sums(folds * levels + codes, FOLDS * levels, y) for y in targets.T], -1)
    sums = sums.reshape(FOLDS, levels, -1)
    smoothing = smoothing_of(codes, levels, targets)
    table = _smoothed(sums.sum(0), counts.sum(0), smoothing)
    others = _smoothed(sums.sum(0) - sums, counts.sum(0) - counts, smoothing)
    return table, others[folds, codes]


def smoothing_of(codes: NDArray[np.intp], levels: int, targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """s of each target, (T,): by a one-way analysis of variance with categories of random effect."""
    counts = np.bincount(codes, minlength=levels)[:, None]
    means = np.stack([_sums(codes, levels, y) for y in targets.T], -1) / np.maximum(counts, 1)
    present = int((counts > 0).sum())
    inside = ((targets - means[codes]) ** 2).sum(0) / max(len(codes) - present, 1)
    outside = (counts * (means - targets.mean(0)) ** 2).sum(0) / max(present - 1, 1)
    rows = max((len(codes) - (counts**2).sum() / len(codes)) / max(present - 1, 1), 1e-12)
    between = np.maximum(outside - inside, 0) / rows
    return np.asarray(np.clip(inside / np.maximum(between, 1e-12), MIN_SMOOTHING, MAX_SMOOTHING))


def _sums(codes: NDArray[np.intp], levels: int, y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.bincount(codes, weights=y, minlength=levels), dtype=np.float64)


def _smoothed(
    sums: NDArray[np.float64], counts: NDArray[np.intp], smoothing: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(..., levels, T) from sums and counts of the rows that count."""
    overall = sums.sum(-2, keepdims=True) / np.maximum(counts.sum(-2, keepdims=True), 1)
    return np.asarray((sums + smoothing * overall) / (counts + smoothing))
