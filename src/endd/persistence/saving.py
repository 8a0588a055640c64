"""endd.save and endd.load."""

from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from endd._checks import describe
from endd.estimators import DistilledClassifier, DistilledRegressor
from endd.models import Ensemble, Student
from endd.persistence.estimators import ESTIMATORS, estimator_from_plain, estimator_to_plain
from endd.persistence.folder import ModelFolderError, read_folder, write_folder
from endd.persistence.models import ensemble_from_plain, ensemble_to_plain, student_from_plain, student_to_plain
from endd.persistence.networks import State
from endd.persistence.plain import history_to_plain
from endd.persistence.samplers import SAMPLERS, sampler_from_plain, sampler_to_plain
from endd.posteriors import Sampler
from endd.training import History

Saved = Student | Ensemble | Sampler | DistilledRegressor | DistilledClassifier


def save(model: Saved, path: str | Path, *, history: History | None = None) -> None:
    """Write a model into a folder: tensors as safetensors, everything else as one readable JSON.

    A model that the folder holds already is replaced, whole or not at all. history: of a student's or an ensemble's
    training, which is summed up there; estimators bring their own.

    >>> import tempfile, torch, endd
    >>> family = endd.families.Gaussian()
    >>> student = endd.Student(endd.nn.MLP(3, [50], endd.num_outputs(family)), family)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     endd.save(student, folder)
    ...     again = endd.load(folder)
    >>> x = torch.randn(8, 3)
    >>> torch.equal(again.predict(x).epistemic, student.predict(x).epistemic)
    True
    """
    if isinstance(model, Student):
        described, tensors = student_to_plain(model)
    elif isinstance(model, Ensemble):
        described, tensors = ensemble_to_plain(model)
    elif isinstance(model, Sampler):
        described, tensors = sampler_to_plain(model)
    elif isinstance(model, DistilledRegressor | DistilledClassifier):
        check_is_fitted(model, "student_")
        described, tensors = estimator_to_plain(model)
    else:
        raise TypeError(
            f"Expected a Student, an Ensemble, a sampler or an estimator of endd to save, but got {describe(model)}."
        )
    if history is not None:
        summary, tensors["training"] = history_to_plain(history)
        described["training"] = summary
    write_folder(path, described, tensors)


def load(path: str | Path, net: Any = None) -> Any:
    """The model that `save` wrote, on the CPU and in eval mode; its predictions are the same to the last bit.

    net: the network of a student or a sampler, or the list of networks of an ensemble, where they are not from endd.nn;
    the saved weights are put into them. Nothing in the folder is executed, and damage is named.
    """
    described, tensors = read_folder(path)
    garbled: list[type[Exception]] = [KeyError, AttributeError, IndexError, RuntimeError, OverflowError]
    if net is None:  # otherwise a wrong type may be the caller's
        garbled.append(TypeError)
    try:
        return _built(described, tensors, net)
    except tuple(garbled) as error:
        raise ModelFolderError(f"Expected a whole model in {path}, but it lacks or garbles {error}.") from error


def _built(described: dict[str, Any], tensors: State, net: Any) -> Saved:
    kind = described["kind"]
    if kind == "Student":
        return student_from_plain(described, tensors, net)
    if kind == "Ensemble":
        return ensemble_from_plain(described, tensors, net)
    if kind in SAMPLERS:
        return sampler_from_plain(described, tensors, net)
    if kind not in ESTIMATORS:
        raise ModelFolderError(
            f"Expected a Student, an Ensemble, a sampler or an estimator, but the folder holds a {kind!r}."
        )
    if net is not None:
        raise ValueError(f"Expected no `net` for a {kind}: its networks are endd's own and build themselves.")
    model: Saved = estimator_from_plain(described, tensors)
    return model
