"""What an exported graph computes: inputs in, the named numbers of their prediction out."""

from typing import Any

from torch import Tensor, nn

from endd.families import Family, Gaussian, MultivariateGaussian
from endd.models import Model

LEVEL = 0.95
PARTS = ("total", "aleatoric", "epistemic")


class Answer(nn.Module):
    """A model as one module of tensors: what `predict` says, by name.

    inputs: a module that turns the graph's inputs into the model's, as a table's encoder does; None if they are the
    same.

    >>> import torch, endd
    >>> student = endd.Student(endd.nn.MLP(3, [5], 5), endd.families.Gaussian())
    >>> list(Answer(student)(torch.zeros(2, 3)))
    ['mean', 'total', 'aleatoric', 'epistemic', 'lower', 'upper']
    """

    def __init__(self, model: Model, inputs: nn.Module | None = None) -> None:
        super().__init__()
        self.model, self.inputs = model, inputs

    def forward(self, x: Any) -> dict[str, Tensor]:
        """The prediction for a tensor, or a dict or tuple of them."""
        if self.inputs is not None:
            x = self.inputs(**x)
        prediction = self.model.predict(x)
        first = "probabilities" if has_classes(self.model.family) else "mean"
        answer = {first: prediction.probs if first == "probabilities" else prediction.mean}
        answer |= {part: getattr(prediction, part) for part in PARTS}
        if is_continuous(self.model.family):
            answer["lower"], answer["upper"] = prediction.interval(LEVEL)
        return answer


def has_classes(family: Family) -> bool:
    """Whether y is a label, of which the graph says probabilities."""
    return family.default_measure == "entropy"


def is_continuous(family: Family) -> bool:
    """Whether y has an interval."""
    return isinstance(family, Gaussian | MultivariateGaussian)


def meanings(family: Family) -> dict[str, str]:
    """What each output of the graph means, in the order of the outputs."""
    if has_classes(family):
        first = {"probabilities": "the probability of each class, or of each label being 1"}
        parts = (
            "entropy of the predicted label in nats",
            "the mean entropy given the parameters",
            "the mutual information of label and parameters",
        )
    else:
        first = {"mean": "the mean of y"}
        entries = ", summed over its entries" if family.event_shape else ""
        parts = (f"variance of y{entries}", "the mean of the noise's variance", "the variance of the predicted mean")
    said = {
        "total": f"{parts[0]}: aleatoric + epistemic",
        "aleatoric": f"noise in the data: {parts[1]}",
        "epistemic": f"ignorance of the model: {parts[2]}",
    }
    if is_continuous(family):
        said["lower"] = f"the lower end of the central {LEVEL:.0%} interval of y"
        said["upper"] = f"the upper end of the central {LEVEL:.0%} interval of y"
    return first | said
