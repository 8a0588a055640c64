"""The `endd` command. Anything that needs torch is imported inside a command."""

import cyclopts

from endd import __version__

app = cyclopts.App(
    name="endd",
    version=__version__,
    help="Distil an ensemble of networks into one that keeps its prediction and both kinds of its uncertainty.",
)


def main() -> None:
    """Entry point."""
    app()
