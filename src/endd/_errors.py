"""Errors of our own, apart from what raises them: the command line knows them without loading torch."""


class TrainingDivergedError(RuntimeError):
    """A network kept going NaN: what happened, and what to do about it."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what, remedy)
        self.what, self.remedy = what, remedy

    def __str__(self) -> str:
        return f"{self.what} {self.remedy}".rstrip()
