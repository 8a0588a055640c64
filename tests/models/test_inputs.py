"""Any input and any output of a module."""

from collections import OrderedDict
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn

import endd
from endd.families import Gaussian
from endd.models.inputs import rows_at_once, take_rows, to_model


class TwoInputs(nn.Module):
    def __init__(self, result: str) -> None:
        super().__init__()
        self.layer, self.result = nn.Linear(3, 2), result

    def forward(self, a: Tensor, mask: Tensor):  # type: ignore[no-untyped-def]
        z = self.layer(a * mask.unsqueeze(-1))
        if self.result == "dict":
            return {"logits": z, "other": None}
        if self.result == "tuple":
            return (None, z)
        return Output(z)


@dataclass
class Output:
    logits: Tensor


@pytest.mark.parametrize(
    ("result", "output"), [("dict", "logits"), ("tuple", 1), ("object", "logits"), ("object", lambda o: o.logits)]
)
def test_dicts_and_tuples_in_and_out(result: str, output) -> None:  # type: ignore[no-untyped-def]
    ensemble = endd.Ensemble([TwoInputs(result) for _ in range(3)], Gaussian(), output=output)
    a, mask = torch.randn(4, 3), torch.tensor([1, 0, 1, 1])
    by_name = ensemble.predict({"a": a, "mask": mask})
    by_place = ensemble.predict((a, mask))
    torch.testing.assert_close(by_name.v.atoms, by_place.v.atoms)
    torch.testing.assert_close(ensemble(OrderedDict(a=a, mask=mask)).atoms, by_name.v.atoms)


def test_an_output_that_is_not_there_is_named() -> None:
    ensemble = endd.Ensemble([TwoInputs("dict") for _ in range(2)], Gaussian())
    with pytest.raises(TypeError, match=r"entries logits, other. Say which part is z with output='logits'"):
        ensemble.predict((torch.randn(4, 3), torch.ones(4)))


def test_inputs_are_moved_to_the_model() -> None:
    ensemble = endd.Ensemble([nn.Linear(3, 2).double() for _ in range(3)], Gaussian())
    x = torch.randn(4, 3)
    assert ensemble.predict(x).mean.dtype == torch.float64
    torch.testing.assert_close(ensemble.predict(x.numpy()).mean, ensemble.predict(x).mean)
    with pytest.raises(TypeError, match=r"Use torch.as_tensor\(x\)"):
        ensemble.predict({1, 2})


def test_the_first_floating_point_parameter_says_where_inputs_go() -> None:
    net = nn.Sequential(OrderedDict(none=nn.Identity(), first=nn.Linear(3, 4).double(), last=nn.Linear(4, 2)))
    net.none.register_parameter("absent", None)
    net.none.register_parameter("counts", nn.Parameter(torch.zeros(2, dtype=torch.int64), requires_grad=False))
    net.register_module("missing", None)
    assert to_model(torch.zeros(1, 3), net).dtype == torch.float64
    assert to_model(torch.zeros(1, 3, dtype=torch.int64), net).dtype == torch.int64
    assert to_model(torch.zeros(1, 3), nn.ReLU()).dtype == torch.float32


def test_large_rows_are_asked_a_few_at_a_time_on_a_cpu() -> None:
    net, image, row = nn.Linear(3, 2), torch.zeros(5, 3, 32, 32), torch.zeros(5, 8)
    assert rows_at_once(image, net) == 128
    assert rows_at_once({"a": image, "b": (image, None)}, net) == 64
    assert rows_at_once(image.numpy(), net) == 128
    assert rows_at_once(image.to("meta"), nn.ReLU()) == 4096
    assert rows_at_once((row, True), net) == 4096
    assert rows_at_once(torch.zeros(5, 10_000_000, device="meta"), net) == 16
    assert rows_at_once(torch.zeros(0, 0), net) == 4096
    assert rows_at_once(image, nn.Linear(3, 2, device="meta")) == 4096


def test_rows_are_taken_of_every_tensor() -> None:
    x = torch.arange(6.0).reshape(3, 2)
    assert take_rows(x, slice(1, 2)).tolist() == [[2.0, 3.0]]
    taken = take_rows({"a": x, "b": (x, [x], "word")}, slice(2, 9))
    assert [t.shape for t in (taken["a"], taken["b"][0], taken["b"][1][0])] == [(1, 2)] * 3
    assert taken["b"][2] == "word"


def test_rows_are_taken_from_all_that_is_a_batch() -> None:
    rows = torch.tensor([True, False, True])
    x = torch.arange(6.0).reshape(3, 2)
    assert take_rows(x, rows).tolist() == [[0, 1], [4, 5]]
    assert take_rows(x.numpy(), rows).tolist() == [[0, 1], [4, 5]]
    taken = take_rows({"ids": x, "flag": True, "scale": torch.ones(())}, rows)
    assert (len(taken["ids"]), taken["flag"], taken["scale"].shape) == (2, True, ())
    assert [len(part) for part in take_rows([x, torch.ones(7)], rows)] == [2, 7]
