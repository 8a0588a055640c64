"""What the figures of the CIFAR-10 study draw, from the rows of its test sets."""

from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endd import metrics
from endd.studies.cifar10_images import CLEAN, SVHN
from endd.studies.cifar10_scores import Rows, pooled

Array = NDArray[np.float32]
COVERAGE = np.linspace(0.01, 1, 100)
FALSE_ALARMS = np.linspace(0, 1, 101)
# Images of a panel of the scatter plot.
DRAWN = 400
SCATTERED = ("ensemble", "reference", "distilled_diagonal", "distilled_low_rank", "dirichlet", "distilled_paper")


def levels(names: Iterable[str]) -> dict[str, list[str]]:
    """The sets behind each panel: clean, and all corruptions of a severity.

    >>> levels(["clean", "fog-1", "snow-1", "fog-2", "svhn"])
    {'clean': ['clean'], 'severity-1': ['fog-1', 'snow-1'], 'severity-2': ['fog-2']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        kind, _, severity = name.rpartition("-")
        if name == CLEAN or kind:
            found.setdefault(f"severity-{severity}" if kind else CLEAN, []).append(name)
    return found


def curves_of(rows: dict[str, dict[str, Rows]]) -> dict[str, Array]:
    """Risk against coverage, ROC on SVHN, and samples of epistemic uncertainty, by model; `rows[model][set]`."""
    curves: dict[str, Array] = {}
    for model, found in rows.items():
        panels = {level: pooled([found[name] for name in names]) for level, names in levels(found).items()}
        if model != "reference":
            curves |= {f"{model}/risk/{level}": _risk(panel) for level, panel in panels.items()}
            if SVHN in found:
                curves |= {f"{model}/roc/{name}": curve for name, curve in _detection(found[CLEAN], found[SVHN])}
        if model in SCATTERED:
            curves |= {f"{model}/epistemic/{level}": _sampled(panel.epistemic) for level, panel in panels.items()}
    return curves


def _risk(rows: Rows) -> Array:
    assert rows.wrong is not None
    curve = metrics.risk_coverage_curve(rows.wrong.double(), rows.total)
    return _interpolated(COVERAGE, curve.coverage, curve.risk)


def _detection(inside: Rows, outside: Rows) -> Iterable[tuple[str, Array]]:
    there = outside.uncertainties()
    return ((name, _roc(values, there[name])) for name, values in inside.uncertainties().items())


def _roc(inside: Tensor, outside: Tensor) -> Array:
    """How many of `outside` are flagged where a given share of `inside` is."""
    limits = torch.quantile(inside.double(), 1 - torch.as_tensor(FALSE_ALARMS, device=inside.device))
    flagged = (outside.double().unsqueeze(1) > limits).double().mean(0).cpu().numpy()
    flagged[-1] = 1.0
    return flagged.astype(np.float32)


def _sampled(values: Tensor | None) -> Array:
    """The same rows of every model: evenly spaced over the set."""
    assert values is not None
    places = torch.linspace(0, len(values) - 1, min(DRAWN, len(values)), device=values.device).long()
    return values[places].float().cpu().numpy()


def _interpolated(at: NDArray[np.float64], x: Tensor, y: Tensor) -> Array:
    found: Array = np.interp(at, x.cpu().numpy(), y.cpu().numpy()).astype(np.float32)
    return found
