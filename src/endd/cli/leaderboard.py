"""`endd leaderboard`: all models of a study in one order."""

from pathlib import Path

from endd.cli.app import app


@app.command
def leaderboard(folder: Path, /, *, metric: str = "nll") -> None:
    """All models of a study in one order, rows of your own among them, with a picture.

    Parameters
    ----------
    folder
        The folder of a study, such as results/toy.
    metric
        The score to sort by.
    """
    from endd.report import write_leaderboard

    tables, picture = write_leaderboard(folder, metric)
    print(tables)
    print(f"Wrote {folder / 'leaderboard.md'} and {picture}.")
