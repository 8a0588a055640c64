"""Data sets: arrays in, arrays out."""

from endd.data.toy import Examples, toy_examples, toy_mean, toy_variance

__all__ = ["Examples", "toy_examples", "toy_mean", "toy_variance"]
