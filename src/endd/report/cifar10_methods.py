"""The methods of the CIFAR-10 study as its figures show them: one order, one name and one colour each."""

from collections.abc import Iterable
from typing import NamedTuple

from endd.report.cifar10_scores import BOTH_SIDES, CLEAN
from endd.report.figures import BLUE, GREEN, GREY, ORANGE, PINK


class Method(NamedTuple):
    """What a legend says, and the colour."""

    label: str
    color: str


METHODS = {
    "single": Method("single network", GREY),
    "temperature": Method("single, temperature scaled", "#56b4e9"),
    "single_symmetric": Method("single network, both sides", "#b9bec6"),
    "dropout": Method("MC dropout", "#7f4f24"),
    "ll_dropout": Method("MC dropout, last layer", "#c49a6c"),
    "svi": Method("SVI", "#35605a"),
    "ll_svi": Method("SVI, last layer", "#8fb8ae"),
    "ensemble": Method("ensemble", ORANGE),
    "ensemble_symmetric": Method("ensemble, both sides", "#f4b860"),
    "hydra": Method("Hydra", "#a61e4d"),
    "mixture": Method("mixture student", GREEN),
    "temperature_control": Method("mixture student, learnt temperature", "#8c8c1a"),
    "dirichlet": Method("Dirichlet student", PINK),
    "dirichlet_plain": Method("Dirichlet student, plain", "#e8a9c9"),
    "proxy_dirichlet": Method("Dirichlet student, proxy", "#a0507c"),
    "distilled_paper": Method("distilled, the paper's form", "#d55e00"),
    "distilled_diagonal": Method("distilled, diagonal", "#7b5bb5"),
    "distilled_low_rank": Method("distilled, low rank", "#7b5bb5"),
    "distilled_warm": Method("distilled, from a member", "#6ca0dc"),
    "distilled_ood": Method("distilled, corrupted images too", "#3a3f8f"),
    "distilled_late": Method("distilled, more plain images", "#9aa5e0"),
    "distilled_long": Method("distilled, learnt for longer", "#1f4e8c"),
    "distilled_symmetric": Method("distilled, both sides", "#13805c"),
    "distilled_dense": Method("distilled, dense network", "#00a6b4"),
    "distilled": Method("distilled", BLUE),
}
#: Those of the paper's Figure 3.
FIGURE3 = (
    *("single", "temperature", "dropout", "ll_dropout", "svi", "ll_svi"),
    *("ensemble", "mixture", "dirichlet", "distilled_paper", "distilled"),
)
#: What stands for an ensemble with one network, beside it.
DISTILLERS = tuple(name for name in METHODS if name not in (*FIGURE3[:6], *BOTH_SIDES))
#: Another ensemble on the same data, which is what the teacher is compared with.
REFERENCE = Method("another ensemble", "#a3abb5")
#: Sets of the curves, which hold all corruptions of a severity, with the titles of their panels.
LEVELS = {CLEAN: "Clean"} | {f"severity-{severity}": f"Severity {severity}" for severity in range(1, 6)}


def present(names: Iterable[str], among: Iterable[str] = FIGURE3) -> dict[str, Method]:
    """The methods that are in both, in the order of all figures."""
    known = set(names) & set(among)
    return {name: method for name, method in METHODS.items() if name in known}
