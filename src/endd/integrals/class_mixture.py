"""A mixture of class distributions and its mutual information with their gradients, for fast steps on a CPU.

Atoms s with weights w_s say log probabilities l_sk; the mixture is q_k = sum_s w_s p_sk, d_sk = l_sk - log q_k, and the
information I = sum_s w_s sum_k p_sk d_sk. With a gradient g_k of log q_k and h of I,

    t_sk = g_k p_sk / q_k + h p_sk d_sk        and        dz_sk = w_s (t_sk - p_sk sum_j t_sj).

What q moves I by cancels, because sum_s w_s p_sk / q_k = 1. Operation by operation, autograd would keep and walk
through dozens of arrays of the size of z in the place of three.
"""

import math
from typing import Any

import torch
from torch import Tensor

from endd._transforms import kl_terms, log_softmax, log_weights

# Rows go through a few at a time, so many numbers of z: they stay in the caches, and the memory is used again.
NUMBERS_AT_ONCE = 1 << 15


class ClassMixture(torch.autograd.Function):
    """log q (*batch, K) and I (*batch,) of logits z (S, *batch, K), weights (S,) above 0; then what gradients need."""

    @staticmethod
    def forward(z: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
        """log q and I, then p and d of every few rows, which have no gradients of their own."""
        S, *batch, K = z.shape
        mixtures, informations, kept, log_w = [], [], list[Tensor](), weights.log()
        for part in z.reshape(S, math.prod(batch), K).split(_rows(z), 1):
            log_p = part.permute(2, 1, 0).contiguous().log_softmax(0)  # atoms innermost: whole vectors for every sum
            log_q = (log_p + log_w).logsumexp(2, keepdim=True)
            informations.append((weights * kl_terms(log_p, log_q).sum(0)).sum(1))
            mixtures.append(log_q.squeeze(2))
            kept += [log_p.exp(), log_p - log_q]
        return torch.cat(mixtures, 1).mT.reshape(*batch, K), torch.cat(informations).reshape(batch), *kept

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: tuple[Tensor, ...]) -> None:
        """Keep z, the weights, p and d."""
        z, weights = inputs
        ctx.save_for_backward(z, weights, *output[2:])
        ctx.mark_non_differentiable(*output[2:])

    @staticmethod
    def backward(ctx: Any, of_log_q: Tensor, of_information: Tensor, *_: Tensor) -> tuple[Tensor, None]:
        """dz."""
        z, weights, *kept = ctx.saved_tensors
        if torch.is_grad_enabled():  # the gradient is to be differentiated again: operation by operation after all
            both, given = by_operations(z, weights), (of_log_q, of_information)
            return torch.autograd.grad(both, z, given, create_graph=True)[0], None
        _, *batch, K = z.shape
        g = of_log_q.reshape(math.prod(batch), K).mT.split(_rows(z), 1)
        h = of_information.reshape(math.prod(batch)).split(_rows(z))
        parts = []
        for p, d, g_part, h_part in zip(kept[::2], kept[1::2], g, h, strict=True):
            # a class that an atom rules out has p = 0 and d = -inf
            t = g_part.unsqueeze(2) * d.exp() + h_part.unsqueeze(1) * torch.where(p > 0, p * d, 0.0)
            parts.append((weights * (t - p * t.sum(0))).permute(2, 1, 0))
        return torch.cat(parts, 1).reshape(z.shape), None


def by_operations(z: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """The same log q and I, whose gradients autograd finds."""
    w = weights.reshape(-1, *[1] * (z.ndim - 1))
    log_p = log_softmax(z)
    log_q = torch.logsumexp(log_p + log_weights(w), 0)
    return log_q, (w * kl_terms(log_p, log_q)).sum((0, -1))


def _rows(z: Tensor) -> int:
    return max(1, NUMBERS_AT_ONCE // (z.shape[0] * z.shape[-1]))
