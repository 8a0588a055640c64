"""What the two estimators share: tables in, an ensemble and its student trained, numbers out."""

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, validate_data
from torch import Tensor
from torch.distributions import Distribution

from endd._checks import check_option
from endd.data.columns import as_object_array, is_frame, missing_cells
from endd.data.tables import TableEncoder
from endd.distributions import Form
from endd.estimators.fitted import FittedMembers
from endd.estimators.networks import Plan, hold_out, train_ensemble, train_student
from endd.estimators.settings import SETTINGS
from endd.families import Family
from endd.models import Ensemble, Prediction
from endd.training import transfer_pool

MODELS = ("student", "teacher")
# A prediction integrates over this many points of z at most; so many numbers are held at once.
POINTS, NUMBERS_AT_ONCE = 256, 4_000_000


class Target(NamedTuple):
    """How y looks to the networks, (N,); to the table encoder, (N, T); by class, where there are classes; weights."""

    y: Tensor
    statistics: NDArray[np.float64]
    strata: NDArray[np.intp] | None
    weights: NDArray[np.float64] | None


class Uncertainty(NamedTuple):
    """Three numbers a row, by attribute, by name and in this order."""

    total: NDArray[np.floating]
    aleatoric: NDArray[np.floating]
    epistemic: NDArray[np.floating]

    def keys(self) -> tuple[str, ...]:
        """The names."""
        return self._fields

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, key) if isinstance(key, str) else tuple.__getitem__(self, key)


def check_complete(y: Any) -> None:
    """Raise unless every row has a target; scikit-learn overlooks None."""
    values = np.asarray(y)
    missing = int(missing_cells(values).sum()) if values.ndim == 1 else 0
    if missing:
        raise ValueError(
            f"Input y contains NaN or None in {missing} rows. Expected a target for each. Drop those rows."
        )


class Distilled(BaseEstimator):  # type: ignore[misc]
    """A table of rows in; an ensemble, then one network that says what it says."""

    family_: Family

    def __init__(
        self,
        *,
        n_members: int = 10,
        hidden: Sequence[int] = (64, 64),
        student_hidden: Sequence[int] | None = None,
        v: Form | None = None,
        teacher: Sequence[Any] | None = None,
        keep_teacher: bool = True,
        validation_fraction: float = 0.1,
        early_stopping: bool = True,
        epochs: int | None = None,
        student_epochs: int | None = None,
        batch_size: int | str = "auto",
        learning_rate: float = 0.01,
        random_state: Any = None,
        strict: bool = False,
        device: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_members = n_members
        self.hidden = hidden
        self.student_hidden = student_hidden
        self.v = v
        self.teacher = teacher
        self.keep_teacher = keep_teacher
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.epochs = epochs
        self.student_epochs = student_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.strict = strict
        self.device = device
        self.verbose = verbose

    # -- what a task must say ------------------------------------------------------------------------------------

    @abstractmethod
    def _read_target(self, y: Any) -> NDArray[Any]:
        """y as a checked array (N,)."""

    @abstractmethod
    def _learn_target(self, y: NDArray[Any], weights: NDArray[np.float64] | None) -> Target:
        """Set family_ and what else belongs to the target."""

    @abstractmethod
    def _fitted_members(self, X: Any, y: NDArray[Any], weights: NDArray[np.float64] | None) -> FittedMembers:
        """The teacher that was given, checked against the data."""

    # -- fitting -------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, X_unlabelled: Any = None) -> Self:
        """Train the ensemble on labelled rows, then the student on what it says about these and about unlabelled ones.

        X: a pandas or polars frame, a pyarrow table, an array or a list of rows; it may hold missing numbers, text,
        categories and dates. y: (N,). sample_weight: (N,), how much each row counts. X_unlabelled: further rows.
        """
        y = self._read_target(y)
        X = self._read_rows(X, reset=True)
        check_consistent_length(X, y)
        X, y, weights = self._weighted(X, y, sample_weight)
        target = self._learn_target(y, weights)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self.encoder_ = TableEncoder()
        x = torch.as_tensor(self.encoder_.fit_transform(X, target.statistics, seed=seed, strict=self.strict))
        batch_size = None if self.batch_size == "auto" else int(self.batch_size)
        progress = "auto" if self.verbose else "none"
        plan = Plan(batch_size, self.learning_rate, seed, self.device, progress)
        teacher = self._teach(X, y, x, target, plan)
        self._distil(teacher, X, x, X_unlabelled, plan)
        self.teacher_ = teacher if self.keep_teacher else None
        return self

    def _teach(self, X: Any, y: NDArray[Any], x: Tensor, target: Target, plan: Plan) -> Ensemble | FittedMembers:
        """The teacher that was given, or an ensemble trained on encoded rows x."""
        if self.teacher is not None:
            return self._fitted_members(X, y, target.weights)
        rows = SETTINGS.validation_rows(len(x), self.validation_fraction) if self.early_stopping else 0
        ensemble, self.teacher_history_ = train_ensemble(
            x,
            target.y,
            None if target.weights is None else torch.as_tensor(target.weights),
            hold_out(rows, target.strata, len(x), plan.seed),
            self.family_,
            members=self.n_members,
            hidden=self.hidden,
            epochs=self.epochs,
            plan=plan,
        )
        return ensemble

    def _distil(self, teacher: Ensemble | FittedMembers, X: Any, x: Tensor, X_unlabelled: Any, plan: Plan) -> None:
        """The student learns on the rows of X and X_unlabelled."""
        more = None if X_unlabelled is None else self._read_rows(X_unlabelled, reset=False)
        if more is not None:
            x = torch.cat([x, torch.as_tensor(self.encoder_.transform(more, strict=self.strict))])
        outputs: Any = teacher
        if isinstance(teacher, FittedMembers):
            outputs = torch.cat([teacher.parameters(rows) for rows in (X, more) if rows is not None], 1)
            pool = x
        else:
            pool = transfer_pool(x, SETTINGS.views(len(x)), mix=SETTINGS.pool_mix, seed=plan.seed)
        wider = [round(SETTINGS.student_width * width) for width in self.hidden]
        self.student_, self.student_history_ = train_student(
            outputs,
            pool,
            self.family_,
            v=self.v,
            hidden=wider if self.student_hidden is None else self.student_hidden,
            epochs=self.student_epochs,
            plan=plan,
        )

    def _weighted(self, X: Any, y: NDArray[Any], sample_weight: Any) -> tuple[Any, NDArray[Any], Any]:
        """Rows without those of weight 0, and their weights if there are any."""
        if sample_weight is None:
            return X, y, None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        kept = np.flatnonzero(weights)
        if not len(kept):
            raise ValueError("Expected sample weights of which some are not zero, but all of them are zero.")
        return _safe_indexing(X, kept), y[kept], weights[kept]

    def _read_rows(self, X: Any, *, reset: bool) -> Any:
        """X as a frame or an array of two dimensions, its columns checked as scikit-learn does."""
        if not is_frame(X):
            return validate_data(self, as_object_array(X), reset=reset, dtype=None, ensure_all_finite="allow-nan")
        validate_data(self, X, reset=reset, skip_check_array=True)
        if X.shape[0] == 0:
            raise ValueError(f"Found a table with 0 rows while {type(self).__name__} requires a minimum of 1.")
        return X

    # -- predictions ---------------------------------------------------------------------------------------------

    def predict_distribution(self, X: Any, *, model: str = "student") -> Distribution:
        """What the student or the teacher says about y: a torch Distribution over all rows, in float64."""
        (prediction,) = self._predictions(X, model, at_once=None)
        return prediction.marginal

    def predict_uncertainty(self, X: Any, *, model: str = "student") -> Uncertainty:
        """The uncertainty of every row: total = aleatoric (noise in the data) + epistemic (ignorance of the model)."""
        parts = self._numbers(X, lambda p: torch.stack([p.total, p.aleatoric, p.epistemic], -1), model)
        return Uncertainty(*np.ascontiguousarray(parts.T))

    def _numbers(self, X: Any, ask: Callable[[Prediction], Tensor], model: str = "student") -> NDArray[Any]:
        """What is asked of every prediction, rows first, as one array."""
        predictions = self._predictions(X, model, NUMBERS_AT_ONCE)
        return np.concatenate([ask(prediction).cpu().numpy() for prediction in predictions])

    def _predictions(self, X: Any, model: str, at_once: int | None) -> Iterator[Prediction]:
        """Predictions for parts of the rows that need so many numbers at once; None for all rows in one."""
        check_is_fitted(self, "student_")
        check_option("model", model, MODELS)
        rows = self._read_rows(X, reset=False)
        chosen = self.student_ if model == "student" else self.teacher_
        if chosen is None:
            raise ValueError("Expected a fitted teacher, but it was not kept. Fit with keep_teacher=True.")
        if isinstance(chosen, FittedMembers):
            return iter([chosen.predict(rows)])
        x = torch.as_tensor(self.encoder_.transform(rows, strict=self.strict))
        size = len(x) if at_once is None else max(at_once // (POINTS * self.family_.num_parameters), 1)
        # in float64 a row's prediction does not depend on its neighbours, and large y keep their digits
        exact = copy.deepcopy(chosen).double()
        return (exact.predict(part) for part in x.split(size))

    # -- what scikit-learn wants to know -------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy; a teacher that somebody fitted stays as it is."""
        params = self.get_params(deep=False)
        return type(self)(**{k: v if k == "teacher" else clone(v, safe=False) for k, v in params.items()})
