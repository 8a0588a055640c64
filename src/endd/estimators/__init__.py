"""scikit-learn estimators: tables in, predictions with both kinds of uncertainty out."""

from endd.estimators.base import Uncertainty
from endd.estimators.classifier import DistilledClassifier
from endd.estimators.regressor import DistilledRegressor
from endd.estimators.settings import SETTINGS, Settings

__all__ = ["SETTINGS", "DistilledClassifier", "DistilledRegressor", "Settings", "Uncertainty"]
