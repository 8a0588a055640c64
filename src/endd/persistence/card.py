"""A model card: README.md of a model folder, in the form that the Hugging Face Hub reads."""

from typing import Any

from endd.estimators import DistilledClassifier, DistilledRegressor
from endd.models import Ensemble, Student
from endd.persistence.folder import VERSION

USAGE = """```python
import endd

model = endd.from_pretrained("{place}"){net}
{ask}
```"""


def model_card(model: Any, place: str, fidelity: str | None = None) -> str:
    """The card of a model that is found at `place`: what it is, how to ask it, and how well it speaks for its ensemble.

    fidelity: Markdown, such as the text of endd.fidelity_report.

    >>> import endd
    >>> student = endd.Student(endd.nn.MLP(3, [5], 5), endd.families.Gaussian())
    >>> print(model_card(student, "me/prices").splitlines()[1])
    library_name: endd
    """
    head = ["---", "library_name: endd", "tags:", *(f"- {tag}" for tag in _tags(model)), "---"]
    own = "" if _builds_itself(model) else "  # with net=, the network that was saved, which endd cannot build"
    usage = USAGE.format(place=place, net=own, ask=_ask(model))
    facts = [f"| {name} | {value} |" for name, value in _facts(model).items()]
    table = ["| | |", "| --- | --- |", *facts]
    said = ["## May it replace its ensemble?", "", _below(fidelity)] if fidelity else []
    safe = (
        f"Weights are safetensors, everything else is one readable JSON (format {VERSION}): nothing in this folder is "
        "executed when it is loaded."
    )
    title = f"# {place.rstrip('/').split('/')[-1]}"
    return (
        "\n".join([*head, "", title, "", _sentence(model), "", *table, "", usage, "", safe, "", *said]).rstrip() + "\n"
    )


def _sentence(model: Any) -> str:
    if isinstance(model, Ensemble):
        return f"An ensemble of {len(model)} networks that tells noise in the data from its own ignorance."
    return (
        "One network, distilled from an ensemble, that keeps its prediction and both kinds of its uncertainty: noise "
        "in the data (aleatoric) and ignorance of the model (epistemic)."
    )


def _tags(model: Any) -> list[str]:
    tags = ["uncertainty", "ensemble" if isinstance(model, Ensemble) else "distillation"]
    if isinstance(model, DistilledRegressor):
        return [*tags, "tabular-regression"]
    return [*tags, "tabular-classification"] if isinstance(model, DistilledClassifier) else tags


def _facts(model: Any) -> dict[str, str]:
    inner = _inner(model)
    found = {"kind": type(model).__name__, "predicts": f"`{inner.family}`"}
    if isinstance(inner, Student):
        form = inner.form.__name__ if isinstance(inner.form, type) else str(inner.form)
        found["says of its parameters"] = f"`{form}`"
        found |= {f"attached: {name}": f"`{part}`" for name, part in inner.attached.items()}
    if isinstance(model, DistilledClassifier):
        found["classes"] = ", ".join(map(str, model.classes_.tolist()))
    count = sum(parameter.numel() for parameter in inner.parameters())
    return found | {"parameters": f"{count:,}"}


def _inner(model: Any) -> Any:
    return model.student_ if isinstance(model, DistilledRegressor | DistilledClassifier) else model


def _builds_itself(model: Any) -> bool:
    inner = _inner(model)
    nets = inner.members if isinstance(inner, Ensemble) else [inner.net] if isinstance(inner, Student) else []
    return all(type(net).__module__.startswith("endd.") for net in nets)


def _ask(model: Any) -> str:
    if isinstance(model, DistilledRegressor | DistilledClassifier):
        return "model.predict(rows), model.predict_uncertainty(rows).epistemic"
    return "prediction = model.predict(x)\nprediction.total, prediction.aleatoric, prediction.epistemic"


def _below(text: str) -> str:
    """Headings of a text one level deeper, without its title."""
    lines = [line for line in text.strip().splitlines() if not line.startswith("# ")]
    return "\n".join(f"#{line}" if line.startswith("#") else line for line in lines).strip()
