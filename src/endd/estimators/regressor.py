"""A scikit-learn regressor with calibrated, split uncertainty."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from endd.estimators.base import Distilled, Target
from endd.estimators.fitted import FittedRegressors, check_members, residual_variance
from endd.estimators.inputs import check_complete
from endd.families import Gaussian


class DistilledRegressor(RegressorMixin, Distilled):  # type: ignore[misc]
    """An ensemble of networks that predict a mean and a variance of y, distilled into one.

    Parameters and fitted attributes are those of `Distilled`. Uncertainties are variances in the units of y squared.

    teacher=[...]: any fitted regressors. Each says a mean and a variance: its own where predict offers return_std, else
    one variance for all, the mean squared error on the rows given to fit. Give fit rows that they were not fitted on,
    or that error is too small.

    Passes scikit-learn's checks but for check_sample_weight_equivalence_on_dense_data, granted to stochastic
    estimators: a weight of 2 and a row given twice agree on average, not in the order of batches.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = DistilledRegressor(n_members=3, epochs=5, student_epochs=5, random_state=0).fit(X, y)
    >>> mean, std = model.predict(X, return_std=True)
    >>> total, aleatoric, epistemic = model.predict_uncertainty(X)  # variances
    >>> model.predict_quantiles(X, quantiles=(0.025, 0.975)).shape
    (442, 2)
    """

    family_: Gaussian

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of y for every row, (N,); with return_std also its standard deviation, noise and ignorance alike."""
        if not return_std:
            return self._numbers(X, lambda prediction: prediction.mean)
        both = self._numbers(X, lambda p: torch.stack([p.mean, p.total.sqrt()], -1))
        return both[:, 0], both[:, 1]

    def predict_quantiles(self, X: Any, quantiles: Sequence[float] = (0.025, 0.5, 0.975)) -> NDArray[np.floating]:
        """The values that y stays below with these probabilities, (N, quantiles)."""
        levels = torch.as_tensor(np.asarray(quantiles, dtype=np.float64))
        return self._numbers(X, lambda prediction: prediction.quantile(levels).movedim(0, -1))

    def _read_target(self, y: Any) -> NDArray[np.float64]:
        check_complete(y)
        return np.asarray(validate_data(self, y=y, y_numeric=True), dtype=np.float64)

    def _learn_target(self, y: NDArray[np.float64], weights: NDArray[np.float64] | None) -> Target:
        shift, scale = float(y.mean()), float(y.std())
        # a constant target is learnt as such: its noise shrinks to the family's least
        self.family_ = Gaussian().in_units(shift, scale if scale > 0 else 1.0)
        standard = (y - shift) / self.family_.scale
        return Target(torch.as_tensor(standard).to(torch.get_default_dtype()), standard[:, None], None, weights)

    def _fitted_members(self, X: Any, y: NDArray[np.float64], weights: Any) -> FittedRegressors:
        members = check_members(self.teacher, "predict")
        return FittedRegressors(members, self.family_, residual_variance(members, X, y, weights))
