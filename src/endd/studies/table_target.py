"""The target of a table: what kind of task it makes, and whether it can be learnt."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endd.data.columns import missing_cells, nearly_numbers, reads_as_number

if TYPE_CHECKING:
    import pyarrow as pa

# Whole numbers are classes while there are so few of them.
MAX_INTEGER_CLASSES = 20
LEAST_ROWS = 10
# Up to here every whole number is one in double precision too.
MOST_EXACT = 2.0**53


class Target(NamedTuple):
    """Values (N,), the task, and in a few words why it is that one."""

    y: NDArray[Any]
    task: str
    reason: str


def read_target(column: "pa.ChunkedArray", name: str, task: str) -> Target:
    """The target, checked; for the task "auto" it is decided what it is."""
    if hasattr(column.type, "value_type"):
        column = column.cast(column.type.value_type)
    y = np.asarray(column.to_numpy())
    check_values(y, name)
    # whole numbers are written as 1.0 by whoever had a gap among them
    y = y.astype(np.int64) if y.dtype.kind == "f" and bool((np.abs(y) < MOST_EXACT).all() and (y % 1 == 0).all()) else y
    numeric, reason = _kind(y, name)
    chosen = reason.split(",")[0] if task == "auto" else task
    if chosen == "regression" and not numeric:
        raise ValueError(
            f"Expected numbers in the target {name!r} for regression, but got text such as {first_text(y)!r}. Repair "
            "it (1.5, not 1,5, and no row without a value), or use --task classification."
        )
    _check_varies(y, name, chosen)
    return Target(y.astype(np.float64) if chosen == "regression" else y, chosen, reason)


def first_text(y: NDArray[Any]) -> str:
    """What keeps a target from being numbers."""
    texts = list(dict.fromkeys(map(str, y)))
    return nearly_numbers(texts) or next((text for text in texts if not reads_as_number(text)), texts[0])


def check_values(y: NDArray[Any], name: str) -> None:
    """Raise unless every row has a finite value."""
    missing = int(missing_cells(y).sum())
    if missing:
        raise ValueError(
            f"Expected a value of the target {name!r} in every row, but it is missing in {missing} of {len(y)} rows. "
            "Drop those rows."
        )
    infinite = int(np.isinf(y).sum()) if y.dtype.kind == "f" else 0
    if infinite:
        raise ValueError(f"Expected finite numbers in the target {name!r}, but {infinite} are infinite. Repair them.")


def _kind(y: NDArray[Any], name: str) -> tuple[bool, str]:
    """Whether these are numbers, and "classification, because ..." or "regression, because ..."."""
    if y.dtype.kind in "Mm":
        raise ValueError(f"Expected numbers or classes in the target {name!r}, but got dates. Choose another --target.")
    if y.dtype.kind not in "iuf":
        kind = "true and false" if y.dtype.kind == "b" else "text"
        return False, f"classification, because it holds {kind}"
    if y.dtype.kind == "f":
        return True, "regression, because it holds fractions"
    count = len(np.unique(y))
    few = count <= MAX_INTEGER_CLASSES
    return True, f"{'classification' if few else 'regression'}, because it holds {count} different whole numbers"


def _check_varies(y: NDArray[Any], name: str, task: str) -> None:
    if len(y) < LEAST_ROWS:
        raise ValueError(f"Expected at least {LEAST_ROWS} rows to train and test on, but got {len(y)}. Add rows.")
    values = np.unique(y)
    if len(values) == 1:
        what = "one class" if task == "classification" else "one value"
        raise ValueError(
            f"Expected a target {name!r} with different values, but it has only {what}, {values.tolist()[0]!r}. "
            "Choose another --target."
        )
    if task == "classification" and len(values) > len(y) // 2:
        text = y.dtype.kind not in "iufb"
        cure = f"Repair text such as {first_text(y)!r} if these are numbers" if text else "Use --task regression"
        raise ValueError(
            f"Expected classes that repeat in the target {name!r}, but it has {len(values)} in {len(y)} rows. "
            f"{cure}, or choose another --target."
        )
