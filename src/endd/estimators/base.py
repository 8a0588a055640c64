"""What the two estimators share: tables in, an ensemble and its student trained, numbers out."""

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted
from torch import Tensor
from torch.distributions import Distribution

from endd._checks import check_option
from endd.data.mixing import mixed_rows
from endd.data.tables import TableEncoder
from endd.distributions import Form
from endd.estimators.fitted import FittedMembers
from endd.estimators.inputs import check_parameters, read_rows, weigh_rows
from endd.estimators.networks import Plan, make_pool, parts_aside, train_ensemble, train_student
from endd.estimators.settings import SETTINGS
from endd.families import Family
from endd.models import Ensemble, Prediction, Student

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


class Distilled(BaseEstimator):  # type: ignore[misc]
    """A table of rows in; an ensemble, then one network that says what it says.

    n_members: networks in the ensemble. hidden: the widths of their layers. student_hidden: those of the student, wider
    by default. v: what the student says about z, such as endd.DiagonalNormal. teacher: fitted scikit-learn estimators
    to distil instead of networks. keep_teacher: False drops the ensemble after distillation. validation_fraction,
    early_stopping: every member holds out so many rows, other ones each (of a small table ten, or a fifth of it), and
    keeps the weights that are best on them. epochs, student_epochs, batch_size: chosen by the size of the table
    (`endd.estimators.SETTINGS`). learning_rate: of both. random_state: a number makes a fit repeatable. strict: refuse
    missing and unseen categories, which otherwise count as levels of their own, told in one line. device: such as
    "cuda". verbose: 1 shows progress.

    After fit: student_, an endd.Student of encoded rows; teacher_, an endd.Ensemble of them, or None; encoder_, which
    makes tables into such rows; family_; student_history_, teacher_history_; feature_names_in_, n_features_in_.
    """

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
        verbose: int | str = 0,
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
        check_parameters(self)
        y = self._read_target(y)
        tables = [read_rows(self, X, reset=True)]
        check_consistent_length(tables[0], y)
        tables[0], y, weights = weigh_rows(tables[0], y, sample_weight)
        target = self._learn_target(y, weights)
        Student(torch.nn.Identity(), self.family_, self.v)  # a wrong v is told before anything is trained
        plan = self._plan()
        self.encoder_ = TableEncoder()
        x = torch.as_tensor(
            self.encoder_.fit_transform(tables[0], target.statistics, seed=plan.seed, strict=self.strict)
        )
        if X_unlabelled is not None:
            tables.append(read_rows(self, X_unlabelled, reset=False))
        more = [torch.as_tensor(self.encoder_.transform(table, strict=self.strict)) for table in tables[1:]]
        teacher = self._teach(tables[0], y, x, target, plan)
        self._distil(teacher, tables, torch.cat([x, *more]), plan)
        self.teacher_ = teacher if self.keep_teacher else None
        return self

    def _plan(self) -> Plan:
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        batch_size = None if isinstance(self.batch_size, str) else int(self.batch_size)
        # how progress is told may also be said by name
        progress = self.verbose if isinstance(self.verbose, str) else "auto" if self.verbose else "none"
        return Plan(batch_size, self.learning_rate, seed, self.device, progress)

    def _teach(self, X: Any, y: NDArray[Any], x: Tensor, target: Target, plan: Plan) -> Ensemble | FittedMembers:
        """The teacher that was given, or an ensemble trained on encoded rows x."""
        self.teacher_history_ = None
        if self.teacher is not None:
            return self._fitted_members(X, y, target.weights)
        rows = SETTINGS.validation_rows(len(x), self.validation_fraction) if self.early_stopping else 0
        ensemble, self.teacher_history_ = train_ensemble(
            x,
            target.y,
            None if target.weights is None else torch.as_tensor(target.weights),
            parts_aside(rows, self.n_members, target.strata, len(x), plan.seed),
            self.family_,
            members=self.n_members,
            hidden=self.hidden,
            epochs=self.epochs,
            plan=plan,
        )
        return ensemble

    def _distil(self, teacher: Ensemble | FittedMembers, tables: list[Any], x: Tensor, plan: Plan) -> None:
        """The student learns what the teacher says about tables, whose encoded rows are x, and between their rows."""
        outputs: Ensemble | Tensor
        if isinstance(teacher, FittedMembers):  # they know nothing of encoded rows
            mixed = [mixed_rows(table, SETTINGS.views(len(x)), SETTINGS.pool_mix, plan.seed) for table in tables]
            outputs = torch.cat([teacher.parameters(rows) for rows in mixed], 1)
            pool = torch.cat([torch.as_tensor(self.encoder_.encode(rows)[0]) for rows in mixed])
        else:
            outputs, pool = teacher, make_pool(x, plan.seed)
        wider = [round(SETTINGS.student_width * width) for width in self.hidden]
        self.student_, self.student_history_ = train_student(
            outputs,
            pool,
            self.family_,
            rows=len(x),
            v=self.v,
            hidden=wider if self.student_hidden is None else self.student_hidden,
            epochs=self.student_epochs,
            plan=plan,
        )

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
        rows = read_rows(self, X, reset=False)
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
