"""What is done in another way on a CPU, against how it would be done otherwise.

Claims: a loss over classes takes less than it takes autograd to walk through every operation (`ClassMixture`), all of
whose terms look at the points of v once; and a ResNet-20 is asked about images faster a few at a time than 4096 at
once (`rows_at_once`).
"""

from typing import Any
from unittest.mock import patch

import torch

from benchmarks.timing import milliseconds, ratio, take_turns, write
from endd import Members, num_outputs
from endd.estimators.networks import student_objective
from endd.families import Categorical
from endd.integrals.categorical_atoms import CategoricalAtoms
from endd.models import Ensemble, Student
from endd.nn import MLP, ResNet
from endd.training.teachers import ask

BATCH, MEMBERS, IMAGES = 128, 10, 4096
CLASSES = (2, 3, 10, 30)
ROUNDS = 15


def step(classes: int) -> dict[str, Any]:
    """Forwards and backwards of the loss that the classifier of scikit-learn's kind has, its network included."""
    family = Categorical(classes)
    student = Student(MLP(20, [128, 128], num_outputs(family), "silu"), family)
    objective = student_objective(student)
    x, teacher = torch.randn(BATCH, 20), Members(3 * torch.randn(MEMBERS, BATCH, classes))

    def closed() -> None:
        objective(student(x), teacher).mean().backward()

    def walked() -> None:
        with (
            patch.object(CategoricalAtoms, "_with_gradients", None),
            patch("endd.objectives.at_points.SharedAtoms", lambda atoms: atoms),
        ):
            closed()

    times = take_turns({"operation by operation": walked, "closed form": closed}, ROUNDS, repeat=10)
    faster = ratio(times, "operation by operation", "closed form")
    return {"step of classes": classes, "times faster": round(faster, 3), "ms": milliseconds(times)}


def asking() -> dict[str, Any]:
    """What a residual network says about images, in parts of two sizes."""
    family = Categorical(10)
    network, images = ResNet(20, 10).eval(), torch.randint(0, 256, (IMAGES, 3, 32, 32), dtype=torch.uint8)
    teacher = Ensemble([network], family)
    ways = {"at once": lambda: ask(teacher, images, IMAGES), "a few at a time": lambda: ask(teacher, images)}
    times = take_turns(ways, rounds=3)
    faster = ratio(times, "at once", "a few at a time")
    return {"images asked": IMAGES, "times faster": round(faster, 3), "ms": milliseconds(times)}


def main() -> None:
    """All of them, on a CPU."""
    write("cores", [*(step(classes) for classes in CLASSES), asking()])
