"""A teacher that endd never sees: somebody kept its members' probabilities in a file, and that is enough.

Here the members are ten random forests of scikit-learn.
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import StandardScaler

import endd
from endd.nn import MLP


def main(progress: str = "auto") -> tuple[endd.Prediction, np.ndarray]:
    torch.manual_seed(0)
    x, y = load_wine(return_X_y=True)
    x = StandardScaler().fit_transform(x)
    forests = [RandomForestClassifier(20, max_depth=4, random_state=seed).fit(x, y) for seed in range(10)]
    outputs = np.stack([forest.predict_proba(x) for forest in forests])  # (M, N, K)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "members.npy"
        # a forest says 0 at times; logits cannot, so the probabilities are pulled in a little
        np.save(file, 0.99 * outputs + 0.01 / 3)
        family = endd.families.Categorical(3)
        student = endd.Student(MLP(13, [32], endd.num_outputs(family)), family)
        endd.distill(file, student, x, form="probs", epochs=200, progress=progress)
    return student.predict(x), outputs


if __name__ == "__main__":
    prediction, outputs = main()
    print("largest gap to the forests' mean probability:", float(np.abs(prediction.probs - outputs.mean(0)).max()))
    print("five least certain wines:", prediction.epistemic.topk(5).indices.tolist())
