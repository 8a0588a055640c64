"""Predictions for tables of any size: rows come in, and go out, a batch at a time."""

from endd.streaming.columns import Estimator
from endd.streaming.files import ROWS, check_columns, kinds_of, predict_file
from endd.streaming.inputs import read_all, read_rows, teacher_of
from endd.streaming.recorded import Answer, Recorded

__all__ = [
    "ROWS",
    "Answer",
    "Estimator",
    "Recorded",
    "check_columns",
    "kinds_of",
    "predict_file",
    "read_all",
    "read_rows",
    "teacher_of",
]
