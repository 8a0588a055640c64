"""A teacher that somebody else fitted: a list of scikit-learn estimators, each of which says what y is like."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from endd._checks import describe
from endd.distributions import Members
from endd.families import Categorical, Family, Gaussian
from endd.models import Prediction

# The least noise of a regressor, as a part of the target's variance: some fit their training rows without any.
LEAST_NOISE = 1e-4
# How far a classifier's probabilities are pulled towards equal ones: forests say 0 at times, logits cannot.
PULL = 0.01


@dataclass(frozen=True)
class FittedMembers(ABC):
    """Estimators as the members of an ensemble."""

    estimators: Sequence[Any]
    family: Family

    @abstractmethod
    def outputs(self, estimator: Any, X: Any) -> tuple[NDArray[np.float64], str]:
        """What one estimator says about rows, and the form that it takes."""

    def parameters(self, X: Any) -> Tensor:
        """z of every member, (M, N, P), in float64."""
        said = [self.outputs(estimator, X) for estimator in self.estimators]
        return torch.stack([self.family.canonical(torch.as_tensor(numbers), form) for numbers, form in said])

    def predict(self, X: Any) -> Prediction:
        """What all of them say."""
        return Prediction(self.family, Members(self.parameters(X)))


@dataclass(frozen=True)
class FittedRegressors(FittedMembers):
    """Each says a mean; its noise is its own standard deviation where it gives one, else the variance `noise`."""

    family: Gaussian
    noise: float

    def outputs(self, estimator: Any, X: Any) -> tuple[NDArray[np.float64], str]:
        """Mean and variance, (N, 2)."""
        if gives_std(estimator):
            mean, std = estimator.predict(X, return_std=True)
            variance = np.asarray(std, dtype=np.float64) ** 2
        else:
            mean = estimator.predict(X)
            variance = np.full(len(mean), self.noise)
        variance = np.maximum(variance, LEAST_NOISE * self.family.scale**2)
        return np.stack([np.asarray(mean, dtype=np.float64), variance], -1), "moments"


@dataclass(frozen=True)
class FittedClassifiers(FittedMembers):
    """Each says the probabilities of the classes that it knows."""

    family: Categorical
    classes: NDArray[Any]

    def outputs(self, estimator: Any, X: Any) -> tuple[NDArray[np.float64], str]:
        """The probabilities of all classes, (N, K)."""
        known = np.asarray(estimator.predict_proba(X), dtype=np.float64)
        K = len(self.classes)
        probs = np.zeros((len(known), K))
        probs[:, np.searchsorted(self.classes, estimator.classes_)] = known
        return (1 - PULL) * probs + PULL / K, "probs"


def residual_variance(estimators: Sequence[Any], X: Any, y: NDArray[np.float64], weights: Any = None) -> float:
    """The mean squared error of the estimators that give no standard deviation of their own."""
    silent = [estimator for estimator in estimators if not gives_std(estimator)]
    errors = [np.average((y - estimator.predict(X)) ** 2, weights=weights) for estimator in silent]
    return float(np.mean(errors)) if errors else 0.0


def gives_std(estimator: Any) -> bool:
    """Whether predict offers return_std."""
    return "return_std" in inspect.signature(estimator.predict).parameters


def check_members(estimators: Any, method: str) -> list[Any]:
    """The list, if it holds fitted estimators with the method that is needed."""
    if not isinstance(estimators, Sequence) or isinstance(estimators, str) or not len(estimators):
        raise TypeError(f"Expected `teacher` to be a list of fitted estimators, but got {describe(estimators)}.")
    for number, estimator in enumerate(estimators):
        if not hasattr(estimator, method):
            raise TypeError(f"Expected estimators with {method}, but teacher[{number}] is {describe(estimator)}.")
        try:
            check_is_fitted(estimator)
        except NotFittedError:
            raise ValueError(f"Expected fitted estimators, but teacher[{number}] is not. Call its fit first.") from None
    return list(estimators)
