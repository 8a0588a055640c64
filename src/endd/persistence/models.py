"""Students and ensembles as plain data and tensors, and back."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import nn

from endd._checks import describe
from endd.models import Ensemble, Student, num_outputs
from endd.persistence.attachments import attachments_from_plain, attachments_to_plain
from endd.persistence.folder import ModelFolderError
from endd.persistence.networks import State, check_state, network_from_plain, network_to_plain, state_of
from endd.persistence.plain import family_from_plain, family_to_plain, form_from_plain, form_to_plain

MEMBER_WEIGHTS = "member_weights"


def student_to_plain(student: Student) -> tuple[dict[str, Any], State]:
    """What a student is, and its tensors."""
    described = {
        "kind": "Student",
        "family": family_to_plain(student.family),
        "v": form_to_plain(student.form),
        "net": network_to_plain(student.net),
        "output": plain_output(student.output),
        "attached": attachments_to_plain(student),
    }
    return described, state_of(student)


def student_from_plain(described: dict[str, Any], state: State, net: Any = None) -> Student:
    """The student that `student_to_plain` described, in eval mode."""
    family, form = family_from_plain(described["family"]), form_from_plain(described["v"])
    outputs = num_outputs(family, form)
    head = under("head.", state)
    inner = network_from_plain(described["net"], under("net.", state), net)
    last = head["bias"].numel() if head else described["net"].get("architecture", {}).get("outputs", outputs)
    if last != outputs:
        raise ModelFolderError(f"Expected {outputs} outputs for {family} with {form}, but the network has {last}.")
    student = Student(inner, family, form, output=described["output"])
    if head:
        # without memory and random numbers of its own
        with torch.device("meta"):
            student.head = nn.Linear(head["weight"].shape[-1], outputs)
        check_state(student.head, head, "model.json describes", ModelFolderError)
        student.head.load_state_dict(head, assign=True)
    for part in attachments_from_plain(described.get("attached", []), under("attached.", state)):
        student.attach(part)
    return student.eval()


def ensemble_to_plain(ensemble: Ensemble) -> tuple[dict[str, Any], State]:
    """What an ensemble is, and its tensors; members that are alike are described once."""
    members = [network_to_plain(member) for member in ensemble.members]
    described = {
        "kind": "Ensemble",
        "family": family_to_plain(ensemble.family),
        "members": [members[0]] if all(member == members[0] for member in members) else members,
        "size": len(members),
        "output": plain_output(ensemble.output),
        "stacking": ensemble.stacking,
    }
    state = state_of(ensemble)
    if ensemble.weights is not None:
        state[MEMBER_WEIGHTS] = torch.as_tensor(ensemble.weights)
    return described, state


def ensemble_from_plain(described: dict[str, Any], state: State, net: Any = None) -> Ensemble:
    """The ensemble that `ensemble_to_plain` described, in eval mode."""
    size, alike = described["size"], described["members"]
    if size > len(state) + 1 or len(alike) not in (1, size):
        raise ModelFolderError(f"Expected tensors for {size} members, but the file of weights holds {len(state)}.")
    nets = _brought(net, size)
    members = [
        network_from_plain(alike[place if len(alike) > 1 else 0], under(f"members.{place}.", state), nets[place])
        for place in range(size)
    ]
    family, weights = family_from_plain(described["family"]), state.get(MEMBER_WEIGHTS)
    options = {"output": described["output"], "stacking": described["stacking"], "weights": weights}
    return Ensemble(members, family, **options).eval()


def under(prefix: str, state: State) -> State:
    """The tensors whose names begin so, without the prefix."""
    return {name.removeprefix(prefix): tensor for name, tensor in state.items() if name.startswith(prefix)}


def with_prefix(prefix: str, state: State) -> State:
    """The tensors under longer names."""
    return {prefix + name: tensor for name, tensor in state.items()}


def _brought(net: Any, size: int) -> Sequence[Any]:
    if net is None:
        return [None] * size
    nets = list(net) if isinstance(net, Iterable) and not isinstance(net, str) else [net]
    if len(nets) != size:
        raise ValueError(f"Expected `net` to be a list of {size} networks, one for each member, but got {len(nets)}.")
    if len({id(one) for one in nets}) < size:
        raise ValueError(
            f"Expected `net` to be a list of {size} networks, each to be filled with a member's weights, but got some "
            "of them twice. Build each anew: [build() for _ in range(M)]."
        )
    return nets


def plain_output(output: Any) -> str | int | None:
    """Which part of a network's output is z, in words."""
    if output is None or isinstance(output, str | int):
        return output
    raise TypeError(
        f"Expected `output` to be a key, an attribute or an index to save it, but got {describe(output)}. "
        "Let the network itself return z."
    )
