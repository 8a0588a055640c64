"""`endd export`: a model folder as one graph that runs without endd."""

from pathlib import Path

from endd.cli.app import app


@app.command
def export(model: Path, out: Path, /, *, interval: bool = True) -> None:
    """Write a model as one ONNX graph: inputs in your units, prediction and both uncertainties by name.

    Parameters
    ----------
    model
        The folder that `endd fit` or endd.save wrote.
    out
        The file to write: an ONNX file, or a program of torch.export if its name ends in .pt2.
    interval
        Whether the outputs lower and upper are computed, which cost most of the time.
    """
    from endd.export import export_onnx, export_torch
    from endd.persistence import load

    write = export_torch if out.suffix == ".pt2" else export_onnx
    write(load(model), out, interval=interval)
    print(f"Wrote {out}.")
