"""`endd runs`: what was run, and how far it is."""

from pathlib import Path

from endd.cli.app import app


@app.command
def runs(folder: Path = Path("."), /) -> None:
    """List all trainings, caches and studies below a folder with their status and key numbers.

    Parameters
    ----------
    folder
        Where to look.
    """
    from endd.studies.runs import find_runs

    if not folder.is_dir():
        raise NotADirectoryError(f"Expected a folder, but {folder} is none.")
    found = [(str(run.path), run.kind, run.status, run.numbers) for run in find_runs(folder)]
    if not found:
        print(f"Nothing was run in {folder}.")
        return
    widths = [max(len(row[place]) for row in found) for place in range(4)]
    for row in found:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
