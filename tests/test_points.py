"""Fixed points that stand for a distribution."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.distributions import Gamma

from endd._points import draw_fixed, normal_line, sobol_normal, sobol_uniform

CPU = torch.device("cpu")
RULES = [
    lambda dtype: normal_line(48, 6.0, dtype, CPU).points,
    lambda dtype: normal_line(48, 6.0, dtype, CPU).weights,
    lambda dtype: sobol_uniform(256, 5, dtype, CPU),
    lambda dtype: sobol_normal(256, 5, dtype, CPU),
]


@pytest.fixture(params=RULES, ids=["line points", "line weights", "uniform", "normal"])
def rule(request):
    return request.param


@pytest.fixture
def forget():
    """Empty the caches, before and after."""

    def clear():
        for cached in (normal_line, sobol_uniform, sobol_normal):
            cached.cache_clear()

    clear()
    yield clear
    clear()


def test_points_repeat_when_made_again(rule, forget):
    first = rule(torch.float64)
    assert rule(torch.float64) is first
    forget()
    torch.manual_seed(123)
    again = rule(torch.float64)
    assert again is not first
    assert torch.equal(again, first)


def test_the_global_generator_is_left_alone(rule, forget):
    before = torch.get_rng_state()
    rule(torch.float64)
    assert torch.equal(torch.get_rng_state(), before)


def test_points_made_in_inference_mode_can_be_used_with_gradients(rule, forget):
    with torch.inference_mode():
        rule(torch.float32)
    points = rule(torch.float32)
    x = torch.ones_like(points, requires_grad=True)
    (x * points).sum().backward()
    assert torch.equal(x.grad, points)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_precision_is_rounded_once(rule, dtype):
    assert rule(dtype).dtype == dtype
    assert torch.equal(rule(dtype), rule(torch.float64).to(dtype))


@pytest.mark.parametrize(("count", "reach"), [(24, 6.0), (25, 5.0), (48, 6.0), (64, 6.0)])
def test_the_line_has_the_moments_of_a_normal(count, reach):
    points, weights = normal_line(count, reach, torch.float64, CPU)
    assert points.shape == weights.shape == (count,)
    assert (points[0].item(), points[-1].item()) == (-reach, reach)
    moments = [(weights * points**k).sum().item() for k in range(5)]
    assert moments == pytest.approx([1, 0, 1, 0, 3], abs=1e-3)


def test_the_line_integrates_an_exponential():
    points, weights = normal_line(48, 6.0, torch.float64, CPU)
    assert (weights * points.exp()).sum().item() == pytest.approx(torch.e**0.5, rel=1e-6)


@pytest.mark.parametrize("size", [1, 5, 14])
def test_uniform_points_lie_inside_the_cube_and_spread_evenly(size):
    u = sobol_uniform(256, size, torch.float64, CPU)
    assert u.shape == (256, size)
    assert u.min() > 0
    assert u.max() < 1
    cells = (u * 256).floor().sort(0).values
    assert torch.equal(cells, torch.arange(256.0, dtype=torch.float64)[:, None].expand(256, size))


@pytest.mark.parametrize(("count", "size"), [(256, 1), (256, 14), (100, 3)])
def test_normal_points_have_exact_first_moments(count, size):
    points = sobol_normal(count, size, torch.float64, CPU)
    assert points.shape == (count, size)
    torch.testing.assert_close(points.mean(0), torch.zeros(size, dtype=torch.float64))
    torch.testing.assert_close(points.square().mean(0), torch.ones(size, dtype=torch.float64))


def test_normal_points_are_nearly_uncorrelated_and_normal():
    points = sobol_normal(256, 6, torch.float64, CPU)
    torch.testing.assert_close(points.T @ points / 256, torch.eye(6, dtype=torch.float64), rtol=0, atol=0.1)
    assert points.pow(4).mean(0).sub(3).abs().max() < 1


def test_threads_draw_the_same_and_leave_the_global_generator_alone() -> None:
    q, before = Gamma(torch.rand(50) + 0.5, torch.ones(50)), torch.get_rng_state()
    expected = draw_fixed(q, 200)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: draw_fixed(q, 200), range(64)))
    assert all(torch.equal(one, expected) for one in found)
    assert torch.equal(torch.get_rng_state(), before)
