"""What the metrics accept, and the precision in which they answer."""

from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution, MixtureSameFamily, Normal

from endd._checks import check_floating, check_target, describe


def check_real(name: str, value: Any) -> None:
    """Raise unless `value` is a real tensor with at least one entry and no NaN (infinity may pass)."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Expected `{name}` to be a tensor, but got {describe(value)}. Use torch.as_tensor({name}).")
    if value.is_complex():
        raise TypeError(f"Expected `{name}` to be real, but got {describe(value)}. Use {name}.real.")
    if value.numel() == 0:
        raise ValueError(f"Expected `{name}` with at least one row, but got {describe(value)}. Give it data.")
    if bool(value.isnan().any()):
        rows = value.reshape(value.shape[0] if value.ndim else 1, -1).isnan().any(-1).nonzero().flatten().tolist()
        named = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
        raise ValueError(
            f"Expected `{name}` without NaN, but got NaN in {len(rows)} rows ({named}). "
            "Find where the model breaks down, or drop these rows."
        )


def double_rows(**values: Any) -> list[Tensor]:
    """The named values in float64, once all are known to be real, free of NaN and of one shape (B,)."""
    for name, value in values.items():
        check_real(name, value)
        if value.ndim != 1:
            column = value.ndim == 2 and value.shape[1] == 1
            advice = f"Use {name}.squeeze(-1)." if column else "Give one number a row."
            raise ValueError(f"Expected `{name}` of shape (B,), but got {tuple(value.shape)}. {advice}")
    lengths = {name: len(value) for name, value in values.items()}
    if len(set(lengths.values())) > 1:
        named = ", ".join(f"`{name}` {length}" for name, length in lengths.items())
        raise ValueError(f"Expected inputs of equal length, but got {named} rows. Give the same rows to all.")
    return [value.double() for value in values.values()]


def check_probs(probs: Any, name: str = "probs") -> None:
    """Raise unless `probs` is (B, K), K >= 2, with entries from 0 and rows that sum to 1 within 1e-3."""
    check_floating(name, probs)
    check_real(name, probs)
    if probs.ndim != 2 or probs.shape[1] < 2:
        raise ValueError(
            f"Expected `{name}` of shape (B, K) with K >= 2, but got {tuple(probs.shape)}. "
            "For a binary p use torch.stack([1 - p, p], -1)."
        )
    sums = probs.double().sum(-1)
    off = (sums - 1).abs()
    if bool((probs < -1e-6).any()) or not bool((off <= 1e-3).all()):
        worst = int(off.argmax())
        raise ValueError(
            f"Expected rows of `{name}` to be probabilities that sum to 1, but got row {worst} with sum "
            f"{float(sums[worst]):.4g} and a least entry of {float(probs.min()):.4g}. Use logits.softmax(-1)."
        )


def check_labels(y: Any, probs: Tensor) -> None:
    """Raise unless y holds B integer labels in [0, K) for `probs` of shape (B, K)."""
    check_target(y, probs.shape[:1])
    if y.is_floating_point() or y.is_complex() or y.dtype == torch.bool:
        raise TypeError(f"Expected `y` to hold integer labels, but got {describe(y)}. Use y.long().")
    low, high = int(y.min()), int(y.max())
    if low < 0 or high >= probs.shape[1]:
        raise ValueError(
            f"Expected labels `y` from 0 to {probs.shape[1] - 1}, but got values from {low} to {high}. "
            "Number the classes from 0."
        )


def restore(result: Tensor, *inputs: Tensor) -> Tensor:
    """The float64 `result` in the inputs' common dtype, at least float32: sums are long, answers short."""
    dtype = torch.float32
    for value in inputs:
        dtype = torch.promote_types(dtype, value.dtype)
    return result.to(dtype)


def normal_mixture(distribution: Distribution) -> tuple[Tensor, Tensor, Tensor] | None:
    """Weights, means and stds, each (B, C), of a mixture of normals; None for anything else."""
    if not isinstance(distribution, MixtureSameFamily):
        return None
    component = distribution.component_distribution
    if not isinstance(component, Normal):
        return None
    weights = distribution.mixture_distribution.logits.softmax(-1)
    return weights.expand_as(component.loc), component.loc, component.scale
