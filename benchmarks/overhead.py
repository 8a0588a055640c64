"""What the split adds to a student's forward pass, and what a student costs beside its ensemble.

Claims: predict + decompose adds at most 15 % to the forward pass of a ResNet-20 (batch 256, ten classes, a normal
over logits); a 75-unit Gaussian student with its variance split, batch 1024, takes at most a third of the time of a
loop over ten 50-unit members with the same split.
"""

import copy

import torch

import endd
from benchmarks.timing import milliseconds, ratio, take_turns, write
from endd.families import Categorical, Gaussian
from endd.nn import MLP, ResNet


def classifier() -> list[dict[str, object]]:
    family, x, rows = Categorical(10), torch.randn(256, 3, 32, 32), []
    forms = {"low rank": None, "diagonal": endd.ModuloShift.of(endd.DiagonalNormal), "dirichlet": endd.Dirichlet}
    for name, form in forms.items():
        student = endd.Student(ResNet(20, endd.num_outputs(family, form)), family, form)
        net = copy.deepcopy(student.net).eval()

        def forward(net: torch.nn.Module = net) -> object:
            with torch.no_grad():
                return net(x)

        def split(student: endd.Student = student) -> object:
            prediction = student.predict(x)
            return prediction.probs, prediction.total

        times = take_turns({"net": forward, "predict + split": split}, rounds=60)
        added = ratio(times, "predict + split", "net") - 1
        rows.append({"student": f"ResNet-20, {name}", "added": round(added, 4), "ms": milliseconds(times)})
    return rows


def regressor() -> list[dict[str, object]]:
    family, rows = Gaussian(), []
    student = endd.Student(MLP(8, [75], endd.num_outputs(family)), family)
    nets = [MLP(8, [50], 2) for _ in range(10)]
    loop = endd.Ensemble(nets, family, stacking="loop")
    for batch in (1, 64, 1024):
        x = torch.randn(batch, 8)
        contestants = {
            "student": lambda x=x: student.predict(x).decompose(),
            "loop over members": lambda x=x: loop.predict(x).decompose(),
        }
        times = take_turns(contestants, rounds=60, repeat=10)
        share = ratio(times, "student", "loop over members")
        rows.append({"student": "75 units", "batch": batch, "share": round(share, 3), "ms": milliseconds(times)})
    return rows


def main() -> None:
    torch.manual_seed(0)
    write("overhead", classifier() + regressor())
