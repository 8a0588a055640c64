"""What comes into an estimator, checked as scikit-learn checks it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, validate_data

from endd._checks import describe
from endd.data.columns import as_object_array, column_names, is_frame, missing_cells


def read_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a frame or an array of two dimensions; its columns are remembered, or compared with those of training."""
    if hasattr(X, "collect") and not is_frame(X):
        raise TypeError(f"Expected a table in memory, but got a {type(X).__name__}. Use X.collect().")
    if not is_frame(X):
        return validate_data(estimator, as_object_array(X), reset=reset, dtype=None, ensure_all_finite="allow-nan")
    column_names(X)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if 0 in X.shape:
        raise ValueError(f"Expected a table with rows and columns, but got {X.shape[0]} rows and {X.shape[1]} columns.")
    return X


def check_complete(y: Any) -> None:
    """Raise unless every row has a target; scikit-learn overlooks None."""
    values = np.asarray(y)
    missing = int(missing_cells(values).sum()) if values.ndim == 1 else 0
    if missing:
        raise ValueError(
            f"Input y contains NaN or None in {missing} rows. Expected a target for each. Drop those rows."
        )


def as_labels(y: Any) -> Any:
    """y, with whole numbers and booleans of any kind as numpy's: scikit-learn makes pandas' own into floats."""
    values = np.asarray(y)
    if values.dtype == object and values.ndim == 1 and set(map(type, values.tolist())) in ({int}, {bool}):
        values = np.array(values.tolist())
    return values if values.dtype.kind in "bi" and values.ndim == 1 else y


def weigh_rows(X: Any, y: NDArray[Any], sample_weight: Any) -> tuple[Any, NDArray[Any], NDArray[np.float64] | None]:
    """Rows without those of weight 0, and the weights of the others if there are any."""
    if sample_weight is None:
        return X, y, None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    kept = np.flatnonzero(weights)
    if not len(kept):
        raise ValueError("Expected sample weights of which some are not zero, but all of them are zero.")
    return _safe_indexing(X, kept), y[kept], weights[kept]


def check_parameters(estimator: Any) -> None:
    """Raise unless the estimator's settings make sense, before anything is trained."""
    for name in ("n_members", "epochs", "student_epochs", "batch_size"):
        value = getattr(estimator, name)
        if value not in (None, "auto") and not (isinstance(value, int | np.integer) and value >= 1):
            raise ValueError(f"Expected `{name}` to be a whole number of at least 1, but got {describe(value)}.")
    for name in ("hidden", "student_hidden"):
        widths = getattr(estimator, name)
        if widths is not None and not (isinstance(widths, Sequence | np.ndarray) and all(w >= 1 for w in widths)):
            raise ValueError(f"Expected `{name}` to be a list of layer widths such as (64, 64), but got {widths!r}.")
    if not 0 < estimator.validation_fraction < 1:
        raise ValueError(f"Expected `validation_fraction` between 0 and 1, but got {estimator.validation_fraction}.")
