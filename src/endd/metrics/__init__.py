"""Pure functions on tensors that say how good a prediction and its uncertainties are.

Every function computes in float64 and answers in the dtype of its inputs (at least float32); a summary is a
0-d tensor. NaN and empty inputs raise. The order of the rows never matters, ties included.
"""

from endd.metrics.calibration import (
    Reliability,
    calibration_error_quantile,
    ece,
    ece_adaptive,
    ece_classwise,
    ece_quartile,
    reliability,
)
from endd.metrics.detection import aupr, auroc, fpr95
from endd.metrics.divergence import kl_categorical, kl_marginal
from endd.metrics.fidelity import agreement, mean_ratio, median_ratio, rejection_overlap, spearman
from endd.metrics.ranked_probability import crps, crps_mixture, crps_normal
from endd.metrics.scoring import accuracy, brier, interval_coverage, interval_width, nll, rmse
from endd.metrics.sparsification import (
    RiskCoverageCurve,
    SparsificationCurve,
    aurc,
    ause,
    ause10,
    risk_coverage_curve,
    sparsification_curve,
)

__all__ = [
    "Reliability",
    "RiskCoverageCurve",
    "SparsificationCurve",
    "accuracy",
    "agreement",
    "aupr",
    "aurc",
    "auroc",
    "ause",
    "ause10",
    "brier",
    "calibration_error_quantile",
    "crps",
    "crps_mixture",
    "crps_normal",
    "ece",
    "ece_adaptive",
    "ece_classwise",
    "ece_quartile",
    "fpr95",
    "interval_coverage",
    "interval_width",
    "kl_categorical",
    "kl_marginal",
    "mean_ratio",
    "median_ratio",
    "nll",
    "rejection_overlap",
    "reliability",
    "risk_coverage_curve",
    "rmse",
    "sparsification_curve",
    "spearman",
]
