"""Predictions for tables of any size: rows come in, and go out, a batch at a time."""

from endd.streaming.columns import Estimator
from endd.streaming.files import ROWS, check_columns, kinds_of, predict_file

__all__ = ["ROWS", "Estimator", "check_columns", "kinds_of", "predict_file"]
