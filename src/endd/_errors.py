"""Errors of our own, apart from what raises them: the command line knows them without loading torch."""


class TrainingDivergedError(RuntimeError):
    """A network kept going NaN."""
