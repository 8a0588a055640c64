"""The methods of the CIFAR-10 study as its figures show them: one order, one name and one colour each."""

from collections.abc import Iterable
from typing import NamedTuple

from endd.report.cifar10_scores import CLEAN
from endd.report.figures import BLUE, GREEN, GREY, ORANGE, PINK


class Method(NamedTuple):
    """What a legend says, and the colour."""

    label: str
    color: str


METHODS = {
    "single": Method("single network", GREY),
    "temperature": Method("single, temperature scaled", "#56b4e9"),
    "ensemble": Method("ensemble", ORANGE),
    "mixture": Method("mixture student", GREEN),
    "temperature_control": Method("mixture student, learnt temperature", "#8c8c1a"),
    "dirichlet": Method("Dirichlet student", PINK),
    "distilled_paper": Method("distilled, the paper's form", "#d55e00"),
    "distilled_diagonal": Method("distilled, diagonal", "#7b5bb5"),
    "distilled_low_rank": Method("distilled, low rank", "#7b5bb5"),
    "distilled": Method("distilled", BLUE),
}
#: Another ensemble on the same data, which is what the teacher is compared with.
REFERENCE = Method("another ensemble", "#a3abb5")
#: Sets of the curves, which hold all corruptions of a severity, with the titles of their panels.
LEVELS = {CLEAN: "Clean"} | {f"severity-{severity}": f"Severity {severity}" for severity in range(1, 6)}


def present(names: Iterable[str]) -> dict[str, Method]:
    """The methods among the names, in the order of all figures."""
    known = set(names)
    return {name: method for name, method in METHODS.items() if name in known}
