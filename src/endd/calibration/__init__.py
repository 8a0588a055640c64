"""Recalibration after training, on data that training did not see."""

from endd.calibration.temperature import Tempered, fit_temperature

__all__ = ["Tempered", "fit_temperature"]
