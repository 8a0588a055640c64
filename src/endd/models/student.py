"""One network that says what an ensemble would say."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Distribution

from endd._checks import check_floating, describe
from endd.distributions import Form, FullNormal, LowRankNormal, ModuloShift
from endd.families import Family
from endd.integrals import check_pair
from endd.models.attachment import Attachment, attach
from endd.models.inputs import Output, as_arguments, pick_output, through_head
from endd.models.model import Model
from endd.models.prediction import Prediction
from endd.models.twin import InferenceTwin

DEFAULT_RANK = 4


def default_form(family: Family) -> Form:
    """The v of a student unless told otherwise.

    Logits modulo shift get a low-rank normal, up to five other parameters a full covariance, more a low-rank one.
    """
    P = family.num_parameters
    if family.shift_invariant:
        return ModuloShift.of(LowRankNormal.of(rank=min(DEFAULT_RANK, P - 1)))
    return FullNormal if P <= 5 else LowRankNormal.of(rank=DEFAULT_RANK)


def num_outputs(family: Family, v: Form | None = None) -> int:
    """How many raw outputs a student's network must give.

    >>> import endd
    >>> endd.num_outputs(endd.families.Gaussian(), endd.DiagonalNormal)
    4
    """
    form = default_form(family) if v is None else v
    return form.raw_size(family.num_parameters)


class Student(Model):
    """One network: x -> v, a distribution over the parameters z of the family.

    net: any module that returns `num_outputs(family, v)` raw numbers an input; with features=H it returns H features
    instead, and a linear head is added. v: a distribution class or `Class.of(...)`; see `default_form`.
    output: as for Ensemble.

    >>> import endd
    >>> student = Student(nn.Linear(3, 5), endd.families.Gaussian())
    >>> student(torch.randn(32, 3))
    FullNormal(batch=(32,), P=2)
    """

    def __init__(
        self,
        net: nn.Module,
        family: Family,
        v: Form | None = None,
        features: int | None = None,
        *,
        output: Output = None,
    ) -> None:
        super().__init__(family)
        if not isinstance(net, nn.Module):
            raise TypeError(f"Expected `net` to be a torch.nn.Module, but got {describe(net)}.")
        self.form = _checked_form(family, default_form(family) if v is None else v)
        self.net = net
        self.head = None if features is None else nn.Linear(features, num_outputs(family, self.form))
        self.output = output
        self.attached = nn.ModuleDict()
        self._twin = InferenceTwin()

    def forward(self, x: Any) -> Distribution:
        """The plain forward pass, with gradients."""
        return self.form.from_raw(self._raw(self.net, x))

    def attach(self, part: Attachment) -> "Student":
        """Keep what was fitted on held-out data, such as an endd.Rejector, under `attached[part.name]`.

        A recalibration is applied by `predict` from now on; the plain forward pass stays as it was trained.
        """
        attach(self.attached, part)
        return self

    def predict(self, x: Any) -> Prediction:
        """The prediction for a batch of inputs, as `Model.predict`, recalibrated by what is attached."""
        prediction = super().predict(x)
        return self._recalibrated(prediction) if len(self.attached) else prediction

    @torch.no_grad()
    def _recalibrated(self, prediction: Prediction) -> Prediction:
        for part in self.attached.values():
            assert isinstance(part, Attachment)
            prediction = part.recalibrate(prediction)
        return prediction

    def _inference(self, inputs: Any) -> tuple[Distribution, Tensor]:
        raw = self._raw(self._twin.of(self.net), inputs)
        return self.form.from_raw(raw), raw

    def _raw(self, net: nn.Module, inputs: Any) -> Tensor:
        arguments, named = as_arguments(inputs)
        raw = through_head(pick_output(net(*arguments, **named), self.output), self.head)
        check_floating("raw outputs", raw)
        expected = num_outputs(self.family, self.form)
        if raw.ndim == 0 or raw.shape[-1] != expected:
            raise ValueError(
                f"Expected {expected} raw outputs an input for {self.family} with {self.form}, but the net gave "
                f"{describe(raw)}. Give it endd.num_outputs(family, v) outputs, or pass features="
                f"{raw.shape[-1] if raw.ndim else 'H'} to have a head added."
            )
        return raw

    def extra_repr(self) -> str:
        """Shown by repr()."""
        return f"family={self.family}, v={self.form}"


def _checked_form(family: Family, form: Any) -> Form:
    """The form, if a distribution that it gives suits the family."""
    if not (callable(getattr(form, "raw_size", None)) and callable(getattr(form, "from_raw", None))):
        raise TypeError(
            "Expected `v` to be a distribution such as endd.FullNormal or endd.LowRankNormal.of(rank=4), "
            f"but got {describe(form)}."
        )
    check_pair(family, form.from_raw(torch.zeros(1, form.raw_size(family.num_parameters))))
    return form  # type: ignore[no-any-return]
