"""The conventions of the Hugging Face Hub: save_pretrained, from_pretrained, push_to_hub."""

import tempfile
from pathlib import Path
from typing import Any

from endd._files import replace_file
from endd.persistence.card import model_card
from endd.persistence.folder import DESCRIPTION
from endd.persistence.saving import Saved, load, save

CARD = "README.md"
# All that a model folder holds: nothing else of a repository is fetched or sent.
FILES = (DESCRIPTION, "weights-*.safetensors", CARD)


def save_pretrained(model: Saved, path: str | Path, *, fidelity: str | None = None) -> None:
    """`endd.save`, and a model card (README.md) beside it; fidelity: Markdown for the card, as fidelity_report's text.

    >>> import tempfile, endd
    >>> student = endd.Student(endd.nn.MLP(3, [5], 5), endd.families.Gaussian())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_pretrained(student, folder)
    ...     again = from_pretrained(folder)
    >>> type(again).__name__
    'Student'
    """
    _write(model, Path(path), str(path), fidelity)


def from_pretrained(
    place: str | Path, net: Any = None, *, revision: str | None = None, token: str | None = None
) -> Any:
    """The model in a folder, or in a repository of the Hub such as "name/model", which is fetched first.

    net: as for `endd.load`. Only the files of a model folder are fetched, and their hashes are checked.
    """
    if Path(place).is_dir():
        return load(place, net)
    found = _hub().snapshot_download(str(place), revision=revision, token=token, allow_patterns=list(FILES))
    return load(found, net)


def push_to_hub(
    model: Saved,
    repo_id: str,
    *,
    fidelity: str | None = None,
    private: bool | None = None,
    token: str | None = None,
    commit_message: str = "Add an endd model",
) -> str:
    """Put a model and its card into a repository of the Hub, which is made if there is none; returns its address."""
    hub = _hub()
    with tempfile.TemporaryDirectory() as folder:
        _write(model, Path(folder), repo_id, fidelity)
        address = hub.create_repo(repo_id, private=private, token=token, exist_ok=True)
        hub.upload_folder(
            repo_id=repo_id,
            folder_path=folder,
            token=token,
            commit_message=commit_message,
            allow_patterns=list(FILES),
            # the weights of the model that was there before
            delete_patterns=[FILES[1]],
        )
    return str(address)


def _write(model: Saved, folder: Path, place: str, fidelity: str | None) -> None:
    save(model, folder)
    replace_file(folder / CARD, model_card(model, place, fidelity).encode())


def _hub() -> Any:
    try:
        import huggingface_hub
    except ImportError:
        raise ImportError("Expected huggingface_hub for models on the Hub. Use pip install 'endd[hub]'.") from None
    return huggingface_hub
