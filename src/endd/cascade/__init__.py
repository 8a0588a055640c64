"""A student that asks its ensemble where it does not know, and what that costs and gains."""

from endd.cascade.curve import CostRiskCurve, cost_risk_curve
from endd.cascade.model import Cascade
from endd.cascade.prediction import CascadePrediction

__all__ = ["Cascade", "CascadePrediction", "CostRiskCurve", "cost_risk_curve"]
