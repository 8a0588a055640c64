"""How a run is carried out: in how many pieces, what it tells while it goes on, and what it keeps."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from endd._checks import check_option
from endd._files import check_can_write
from endd.training.processes import rank
from endd.training.progress import MODES, Reporter, reporter
from endd.training.recipe import Recipe
from endd.training.run_folder import RunFolder


@dataclass(frozen=True)
class Watch:
    """How to carry a run out and follow it; its result does not depend on it.

    progress: "auto" (a bar on a terminal, lines elsewhere), "bar", "lines", "json" or "none". run: a folder for
    settings, metrics and checkpoints; with resume=True an interrupted run goes on from there. checkpoint_seconds: the
    least time between checkpoints. tensorboard: whether the folder gets events for TensorBoard too
    (endd[tensorboard]). accumulate: in how many pieces a batch goes through the network, where one would take too much
    memory; under torchrun each process takes its part of the batch first. The batch itself stays what it was.
    """

    progress: str = "auto"
    run: str | Path | None = None
    resume: bool = False
    checkpoint_seconds: float = 30.0
    tensorboard: bool = False
    accumulate: int = 1

    def __post_init__(self) -> None:
        check_option("progress", self.progress, MODES)
        if self.accumulate < 1:
            raise ValueError(f"Expected `accumulate` of at least 1, but got {self.accumulate}.")
        if self.run is None and (self.resume or self.tensorboard):
            name = "resume" if self.resume else "tensorboard"
            raise ValueError(f"Expected a folder `run` with {name}=True, but got none.")

    def reporter(self, title: str) -> AbstractContextManager[Reporter]:
        """Tells how far training is."""
        return reporter("none" if rank() else self.progress, title)

    def folder(self, config: dict[str, Any]) -> RunFolder | None:
        """The run folder, if one was asked for."""
        if self.run is None:
            return None
        if not rank():  # the one that writes
            check_can_write(Path(self.run), "run folder")
        return RunFolder(
            self.run, config, resume=self.resume, seconds=self.checkpoint_seconds, tensorboard=self.tensorboard
        )


def recipe_and_watch(options: dict[str, Any], **defaults: Any) -> tuple[Recipe, Watch]:
    """How to train and how to follow it, from keyword arguments; an unknown one is named."""
    ours, theirs = ([field.name for field in fields(kind)] for kind in (Watch, Recipe))
    for name in options:
        check_option("option", name, [*theirs, *ours])
    watch = Watch(**{name: value for name, value in options.items() if name in ours})
    return Recipe(**{**defaults, **{name: value for name, value in options.items() if name in theirs}}), watch
