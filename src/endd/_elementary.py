"""Special functions that an exported graph has too.

ONNX knows no digamma, no normal quantile and no QR, and its runtimes lose the small numbers of sigmoid and expm1 and
have softplus in float32 alone. So while a model is exported these are spelled out in elementary operations, in float64
where float32 would cancel; everywhere else they are torch's own.
"""

import math
from functools import reduce

import torch
from torch import Tensor
from torch.nn import functional

#: B_2n / (2n) for n = 1, 2, ...: the asymptotic series of digamma.
DIGAMMA_SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132)
DIGAMMA_SHIFT = 8
# Press et al., Numerical Recipes, section 6.2: erfc(x) = t exp(-x^2 + p(t)), t = 1 / (1 + x / 2), to 1.2e-7 of itself.
ERFC = (
    *(-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806),
    *(0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277),
)
# Abramowitz and Stegun 26.2.23, to 4.5e-4.
QUANTILE_ABOVE, QUANTILE_BELOW = (2.515517, 0.802853, 0.010328), (1.0, 1.432788, 0.189269, 0.001308)


def exporting() -> bool:
    """Whether this call is being written down as a graph: nothing may depend on the values of a tensor."""
    return torch.compiler.is_exporting()


def plain_autograd() -> bool:
    """Whether gradients are those of plain autograd: no torch.func around, no forward mode, no trace or export."""
    transformed = torch._C._functorch.peek_interpreter_stack() is not None
    forwards = torch.autograd.forward_ad._current_level >= 0
    traced = torch._C._get_tracing_state() is not None
    return not (transformed or forwards or traced or exporting())


def expm1(x: Tensor) -> Tensor:
    """exp(x) - 1."""
    return (x.double().exp() - 1).to(x.dtype) if exporting() else torch.expm1(x)


def softplus(x: Tensor) -> Tensor:
    """log(1 + exp(x))."""
    return log1p_exp(x) if exporting() and x.dtype == torch.float64 else functional.softplus(x)


def logsigmoid(x: Tensor) -> Tensor:
    """-log(1 + exp(-x))."""
    return -softplus(-x) if exporting() else functional.logsigmoid(x)


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + (-x).exp()) if exporting() else torch.sigmoid(x)


def digamma(x: Tensor) -> Tensor:
    """psi(x) for x > 0 in float64."""
    return elementary_digamma(x) if exporting() else torch.digamma(x)


def qr(x: Tensor) -> tuple[Tensor, Tensor]:
    """Q and R of a tall matrix x (..., n, t), with LAPACK's signs."""
    if exporting():
        return householder(x)
    Q, R = torch.linalg.qr(x)
    return Q, R


def weigh(values: Tensor, weights: Tensor) -> Tensor:
    """sum_j w_j values_j over the last axis."""
    # onnxruntime multiplies by a column many times as fast as by a vector
    return (values @ weights.unsqueeze(-1)).squeeze(-1) if exporting() else values @ weights


def falling_order(x: Tensor) -> Tensor:
    """The places of the entries along the last axis, the largest first, and of equal ones the first."""
    # ONNX has no stable sort, but says that its TopK is one
    return x.topk(x.shape[-1]).indices if exporting() else x.argsort(dim=-1, descending=True, stable=True)


def log1p_exp(x: Tensor) -> Tensor:
    """log(1 + exp(x)) without overflow, to the rounding unit of 1."""
    return x.clamp(min=0) + (1 + (-x.abs()).exp()).log()


def elementary_digamma(x: Tensor) -> Tensor:
    """psi(x) = psi(x + n) - sum_i 1 / (x + i), and the asymptotic series of psi(x + n)."""
    steps = (1 / (x + i) for i in range(DIGAMMA_SHIFT))
    y = x + DIGAMMA_SHIFT
    square = 1 / (y * y)
    return y.log() - 0.5 / y - square * polynomial(square, DIGAMMA_SERIES) - reduce(Tensor.add, steps)


def elementary_erfc(x: Tensor, gauss: Tensor) -> Tensor:
    """The complementary error function to 1.2e-7 of itself; gauss: exp(-x^2), which whoever asks has at hand."""
    t = 1 / (1 + x.abs() / 2)
    tail = t * polynomial(t, ERFC).exp() * gauss
    return torch.where(x < 0, 2 - tail, tail)


def rough_normal_quantile(p: Tensor) -> Tensor:
    """Phi^-1(p) to 4.5e-4, for iterations that it only leads."""
    tiny = torch.finfo(p.dtype).tiny
    t = (-2 * torch.minimum(p, 1 - p).clamp(min=tiny).log()).sqrt()
    away = t - polynomial(t, QUANTILE_ABOVE) / polynomial(t, QUANTILE_BELOW)
    return torch.where(p < 0.5, -away, away)


def polynomial(x: Tensor, coefficients: tuple[float, ...]) -> Tensor:
    """c_0 + c_1 x + c_2 x^2 + ..."""
    *rest, last = coefficients
    value = x * last + rest.pop()
    for coefficient in reversed(rest):
        value = value * x + coefficient
    return value


def householder(x: Tensor) -> tuple[Tensor, Tensor]:
    """Q (..., n, t) and R (..., t, t) by t reflections, each of which turns a column onto its axis."""
    n, t = x.shape[-2:]
    Q = torch.eye(n, dtype=x.dtype, device=x.device)[:, :t]
    normals = []
    for place in range(t):
        u, x = _reflect_column(x, place)
        normals.append(u)
    for u in reversed(normals):
        Q = Q - 2 * u * (u * Q).sum(-2, keepdim=True)
    return Q, x[..., :t, :].triu()


def _reflect_column(x: Tensor, place: int) -> tuple[Tensor, Tensor]:
    """The unit normal u (..., n, 1) of the mirror, and x - 2 u u' x. Nothing is mirrored that lies on its axis."""
    n = x.shape[-2]
    rows = torch.arange(n, device=x.device).unsqueeze(-1)
    column = torch.where(rows < place, 0.0, x[..., place : place + 1])
    head = column[..., place : place + 1, :]
    below = torch.where(rows > place, column, 0.0).square().sum(-2, keepdim=True)
    length = (head.square() + below).sqrt()
    # away from the axis, so that nothing cancels
    u = column + torch.where(rows == place, torch.where(head < 0, -length, length), 0.0)
    norm = u.square().sum(-2, keepdim=True).sqrt()
    u = torch.where(below > 0, u / norm.clamp(min=math.sqrt(torch.finfo(x.dtype).tiny)), 0.0)
    return u, x - 2 * u * (u * x).sum(-2, keepdim=True)
