"""ONNX files of students, ensembles and estimators, and where nothing of endd is left."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import endd
from endd.export import export_onnx, onnx_file
from endd.families import Gaussian
from endd.nn import MLP
from tests.export.runtime import arrays, check_agreement, metadata, run_onnx, student_of
from tests.export.test_rows import as_inputs, odd_rows  # noqa: F401  (a fixture)

FRESH = """
import json, sys
class Refuse:
    def find_spec(self, name, *_):
        if name.split(".")[0] in ("torch", "endd"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import numpy as np, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1])
names = [output.name for output in session.get_outputs()]
found = session.run(None, {"x": np.load(sys.argv[2])})
assert not {"torch", "endd"} & set(sys.modules)
print(json.dumps(dict(zip(names, (value.tolist() for value in found)))))
"""


def test_a_fresh_process_without_torch_and_endd(tmp_path: Path) -> None:
    student, x = student_of(Gaussian().in_units(100.0, 3.0)), torch.randn(7, 3)
    export_onnx(student, tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", x.numpy())
    command = [sys.executable, "-c", FRESH, str(tmp_path / "model.onnx"), str(tmp_path / "x.npy")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    found = {name: np.array(value, dtype=np.float32) for name, value in json.loads(done.stdout).items()}
    prediction = student.predict(x)
    lower, upper = prediction.interval()
    expected = {"mean": prediction.mean, "total": prediction.total, "aleatoric": prediction.aleatoric}
    check_agreement(found, arrays(expected | {"epistemic": prediction.epistemic, "lower": lower, "upper": upper}))


def test_a_regressor(regressor: Any, odd_rows: pd.DataFrame, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "model.onnx"
    export_onnx(regressor, path)
    found = run_onnx(path, as_inputs(regressor.encoder_, odd_rows))
    np.testing.assert_allclose(found["mean"], regressor.predict(odd_rows), rtol=1e-7)
    for name, value in zip(("total", "aleatoric", "epistemic"), regressor.predict_uncertainty(odd_rows), strict=True):
        np.testing.assert_allclose(found[name], value, rtol=1e-7)
    ends = regressor.predict_quantiles(odd_rows, (0.025, 0.975))
    np.testing.assert_allclose(np.stack([found["lower"], found["upper"]], 1), ends, rtol=1e-6)
    book = json.loads(metadata(path)["columns"])
    assert book["codes"]["group"]["levels"] == ["a", "b", "c"]


def test_a_classifier(classifier: Any, odd_rows: pd.DataFrame, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "model.onnx"
    export_onnx(classifier, path)
    found = run_onnx(path, as_inputs(classifier.encoder_, odd_rows))
    np.testing.assert_allclose(found["probabilities"], classifier.predict_proba(odd_rows), rtol=1e-7)
    np.testing.assert_allclose(found["epistemic"], classifier.predict_uncertainty(odd_rows).epistemic, rtol=1e-7)
    assert json.loads(metadata(path)["classes"]) == ["low", "middle", "top"]


@pytest.mark.parametrize("stacking", ["loop", "stacked"])
def test_an_ensemble_is_one_graph(stacking: str, tmp_path: Path) -> None:
    ensemble = endd.Ensemble([MLP(3, [4], 2) for _ in range(3)], Gaussian(), stacking=stacking).eval()
    export_onnx(ensemble, tmp_path / "model.onnx")
    for size in (1, 7):
        x = torch.randn(size, 3)
        expected = ensemble.predict(x)
        found = run_onnx(tmp_path / "model.onnx", x)
        for name in ("mean", "total", "epistemic"):
            np.testing.assert_allclose(found[name], getattr(expected, name).numpy(), rtol=2e-5)


def test_a_transformer_with_sequences_of_any_length(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    family = endd.families.Categorical(3)
    sizes = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.BertConfig(**sizes, intermediate_size=16, num_labels=endd.num_outputs(family))
    net = transformers.AutoModelForSequenceClassification.from_config(config)
    student = endd.Student(net, family, output="logits").eval()

    def texts(rows: int, length: int) -> dict[str, torch.Tensor]:
        mask = (torch.arange(length) < torch.randint(1, length + 1, (rows, 1))).long()
        return {"input_ids": torch.randint(0, 50, (rows, length)), "attention_mask": mask}

    export_onnx(student, tmp_path / "model.onnx", example=texts(1, 9))
    spread = student.predict(texts(50, 9))
    for rows, length in ((1, 5), (7, 9), (20, 33)):
        x = texts(rows, length)
        found, expected = run_onnx(tmp_path / "model.onnx", x), student.predict(x)
        for name in ("total", "epistemic"):
            atol = 1e-6 * float(getattr(spread, name).std())
            np.testing.assert_allclose(found[name], getattr(expected, name).numpy(), rtol=1e-5, atol=atol)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(onnx_file, "find_spec", lambda name: None)
    with pytest.raises(
        ImportError, match=r"Expected onnx and onnxscript for an ONNX file. Use pip install 'endd\[onnx"
    ):
        export_onnx(student_of(Gaussian()), tmp_path / "model.onnx")


def test_an_operation_that_onnx_lacks_is_one_line(tmp_path: Path) -> None:
    class Special(torch.nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.special.i0e(super().forward(x))

    with pytest.raises(ValueError, match=r"but torch\.onnx gave up on it: .*i0e") as error:
        export_onnx(endd.Student(Special(3, 5), Gaussian()), tmp_path / "model.onnx", example=torch.zeros(2, 3))
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []
