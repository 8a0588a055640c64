"""A scikit-learn classifier with calibrated, split uncertainty."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from endd.distributions import Form
from endd.estimators.base import Distilled, Target
from endd.estimators.fitted import FittedClassifiers, check_members
from endd.estimators.inputs import as_labels, check_complete
from endd.families import Categorical


class DistilledClassifier(ClassifierMixin, Distilled):  # type: ignore[misc]
    """An ensemble of networks that predict class probabilities, distilled into one.

    Parameters and fitted attributes are those of `Distilled`, with classes_ and class_weight: a dict of weights by
    class, or "balanced". Uncertainties are entropies in nats; the distribution is over the places of classes in
    classes_. teacher=[...]: any fitted classifiers with predict_proba.

    Passes scikit-learn's checks but for check_sample_weight_equivalence_on_dense_data, granted to stochastic
    estimators: a weight of 2 and a row given twice agree on average, not in the order of batches.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DistilledClassifier(n_members=3, epochs=5, student_epochs=5, random_state=0).fit(X, y)
    >>> model.predict_proba(X).shape
    (150, 3)
    >>> total, aleatoric, epistemic = model.predict_uncertainty(X)  # entropies, in nats
    """

    family_: Categorical

    def __init__(
        self,
        *,
        n_members: int = 10,
        hidden: Sequence[int] = (64, 64),
        student_hidden: Sequence[int] | None = None,
        v: Form | None = None,
        teacher: Sequence[Any] | None = None,
        keep_teacher: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        validation_fraction: float = 0.1,
        early_stopping: bool = True,
        epochs: int | None = None,
        student_epochs: int | None = None,
        batch_size: int | str = "auto",
        learning_rate: float = 0.01,
        random_state: Any = None,
        strict: bool = False,
        device: Any = None,
        verbose: int | str = 0,
    ) -> None:
        super().__init__(
            n_members=n_members,
            hidden=hidden,
            student_hidden=student_hidden,
            v=v,
            teacher=teacher,
            keep_teacher=keep_teacher,
            validation_fraction=validation_fraction,
            early_stopping=early_stopping,
            epochs=epochs,
            student_epochs=student_epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            random_state=random_state,
            strict=strict,
            device=device,
            verbose=verbose,
        )
        self.class_weight = class_weight

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every row, (N,)."""
        places = self.predict_proba(X).argmax(1)
        return np.asarray(self.classes_[places])

    def predict_proba(self, X: Any) -> NDArray[np.floating]:
        """The probability of every class, (N, K), in the order of `classes_`."""
        return self._numbers(X, lambda prediction: prediction.probs)

    def predict_log_proba(self, X: Any) -> NDArray[np.floating]:
        """The logarithms of `predict_proba`."""
        return self._numbers(X, lambda prediction: prediction.probs.log())

    def _read_target(self, y: Any) -> NDArray[Any]:
        check_complete(y)
        labels = np.asarray(validate_data(self, y=as_labels(y)))
        check_classification_targets(labels)
        return labels

    def _learn_target(self, y: NDArray[Any], weights: NDArray[np.float64] | None) -> Target:
        known = [] if self.teacher is None else check_members(self.teacher, "predict_proba")
        self.classes_ = np.unique(np.concatenate([y, *(member.classes_ for member in known)]))
        K = len(self.classes_)
        if K < 2:
            raise ValueError(f"Expected at least two classes in y, but got one class, {self.classes_.tolist()[0]!r}.")
        self.family_ = Categorical(K)
        codes = np.searchsorted(self.classes_, y)
        statistics = np.eye(K)[codes] if K > 2 else codes[:, None].astype(np.float64)
        return Target(torch.as_tensor(codes), statistics, codes, self._class_weighted(y, codes, weights))

    def _class_weighted(
        self, y: NDArray[Any], codes: NDArray[np.intp], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """The weights of rows times those of their classes."""
        if self.class_weight is None:
            return weights
        present = np.unique(codes)
        of_class = np.ones(len(self.classes_))
        of_class[present] = compute_class_weight(self.class_weight, classes=self.classes_[present], y=y)
        return of_class[codes] * (1.0 if weights is None else weights)

    def _fitted_members(self, X: Any, y: NDArray[Any], weights: Any) -> FittedClassifiers:
        return FittedClassifiers(check_members(self.teacher, "predict_proba"), self.family_, self.classes_)
