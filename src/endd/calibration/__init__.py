"""Recalibration, rejection and conformal prediction: all that is fitted after training, on data it did not see."""

from endd.calibration.conformal import ConformalInterval, ConformalSet
from endd.calibration.cooling import cooled
from endd.calibration.order import order_threshold
from endd.calibration.rejection import Rejector
from endd.calibration.risk import risk_threshold
from endd.calibration.temperature import TemperatureScaling, Tempered, fit_temperature
from endd.calibration.variance import VarianceScaling

__all__ = [
    "ConformalInterval",
    "ConformalSet",
    "Rejector",
    "TemperatureScaling",
    "Tempered",
    "VarianceScaling",
    "cooled",
    "fit_temperature",
    "order_threshold",
    "risk_threshold",
]
