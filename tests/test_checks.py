"""Messages say what was expected, what came and what to do."""

import pytest
import torch

from endd._checks import (
    broadcast_batch,
    check_finite,
    check_floating,
    check_option,
    check_parameters,
    check_positive,
    check_target,
    describe,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.zeros(32, 1), "a float32 tensor of shape (32, 1)"),
        (torch.zeros((), dtype=torch.int64), "a int64 tensor of shape ()"),
        (int, "the class int"),
        ("abc", "'abc' (str)"),
        (None, "None (NoneType)"),
    ],
)
def test_describe(value, text):
    assert describe(value) == text


def test_option():
    check_option("form", "a", ["a", "b"])
    with pytest.raises(ValueError, match=r"^Expected `form` to be one of 'a', 'b', but got 'c'\.$"):
        check_option("form", "c", (letter for letter in "ab"))


@pytest.mark.parametrize("value", [1e-30, 1, 1e30])
def test_positive_accepts(value):
    check_positive("scale", value)


@pytest.mark.parametrize("value", [0, -1.0, float("inf"), float("nan")])
def test_positive_refuses(value):
    with pytest.raises(ValueError, match=rf"^Expected `scale` to be a finite number above 0, but got {value}\.$"):
        check_positive("scale", value)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_floating_accepts(dtype):
    check_floating("z", torch.zeros(2, dtype=dtype))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1.0], r"^Expected `z` to be a tensor, but got \[1\.0\] \(list\)\. Use torch\.as_tensor\(z\)\.$"),
        (torch.ones(2, dtype=torch.int32), r"floating point tensor, but got a int32 .* \(2,\)\. Use z\.float\(\)\.$"),
        (torch.ones(2, dtype=torch.bool), r"floating point tensor, but got a bool tensor"),
    ],
)
def test_floating_refuses(value, message):
    with pytest.raises(TypeError, match=message):
        check_floating("z", value)


@pytest.mark.parametrize("shape", [(2,), (4, 2), (5, 4, 2)])
def test_parameters_accepts(shape):
    check_parameters(torch.zeros(shape), 2, "Thing()")


@pytest.mark.parametrize("shape", [(), (2, 3), (2, 1)])
def test_parameters_refuses(shape):
    with pytest.raises(
        ValueError, match=r"with 2 parameters .* for Thing\(\), but got .* Give the network 2 outputs\."
    ):
        check_parameters(torch.zeros(shape), 2, "Thing()")


def test_parameters_must_be_floating_point():
    with pytest.raises(TypeError, match=r"Use z\.float\(\)"):
        check_parameters(torch.zeros(4, 2, dtype=torch.int64), 2, "Thing()")


@pytest.mark.parametrize(
    ("shape", "event", "samples"),
    [((4,), (), False), ((4, 3), (3,), False), ((4,), (), True), ((5, 6, 4, 3), (3,), True)],
)
def test_target_accepts(shape, event, samples):
    check_target(torch.zeros(shape), (4,), event, samples=samples)


@pytest.mark.parametrize(
    ("shape", "event", "samples", "advice"),
    [
        ((4, 1), (), False, r"Expected `y` of shape \(4,\), but got \(4, 1\)\. Use y\.squeeze\(-1\)\."),
        ((4, 1), (), True, r"but got \(4, 1\)\. Use y\.squeeze\(-1\)\."),
        ((4, 3, 1), (3,), False, r"but got \(4, 3, 1\)\. Use y\.squeeze\(-1\)\."),
        ((4,), (1,), False, r"Expected `y` of shape \(4, 1\), but got \(4,\)\. Use y\.unsqueeze\(-1\)\."),
        ((5, 4), (), False, r"but got \(5, 4\)\. Reshape y to \(4,\)\."),
        ((3,), (), False, r"but got \(3,\)\. Reshape y to \(4,\)\."),
        ((), (), True, r"but got \(\)\. Reshape y to \(4,\)\."),
        ((3,), (3,), True, r"Reshape y to \(4, 3\)\."),
    ],
)
def test_target_refuses(shape, event, samples, advice):
    with pytest.raises(ValueError, match=advice):
        check_target(torch.zeros(shape), (4,), event, samples=samples)


def test_target_must_be_a_tensor():
    with pytest.raises(TypeError, match=r"`y` to be a tensor, but got \[1\] \(list\)\. Use torch\.as_tensor\(y\)\."):
        check_target([1], (1,))


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [([(4,)], (4,)), ([(4,), (4,), (4,)], (4,)), ([(4,), ()], (4,)), ([(5, 1), (4,)], (5, 4)), ([(), ()], ())],
)
def test_broadcast_batch(shapes, expected):
    assert broadcast_batch(*map(torch.Size, shapes)) == expected


def test_broadcast_batch_refuses_shapes_that_do_not_fit():
    with pytest.raises(RuntimeError, match="broadcast"):
        broadcast_batch(torch.Size([4]), torch.Size([3]))


@pytest.mark.parametrize(
    "value",
    [torch.zeros(3, 2), torch.tensor([3e38, 3e38]), torch.tensor([[3e38], [-3e38]]), torch.zeros(0, 2)],
    ids=["plain", "sum overflows", "large", "empty"],
)
def test_finite_accepts(value):
    check_finite("outputs", value, "Look.")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_finite_names_the_rows(bad):
    value = torch.zeros(4, 3)
    value[1, 2] = value[3, 0] = bad
    with pytest.raises(ValueError, match=r"^Expected finite outputs, but got .* in 2 rows \(1, 3\)\. Look there\.$"):
        check_finite("outputs", value, "Look there.")


def test_finite_sees_infinities_that_cancel():
    with pytest.raises(ValueError, match=r"in 2 rows \(0, 1\)"):
        check_finite("outputs", torch.tensor([torch.inf, -torch.inf]), "Look.")


def test_finite_names_five_rows_at_most():
    with pytest.raises(ValueError, match=r"in 9 rows \(0, 1, 2, 3, 4, \.\.\.\)"):
        check_finite("outputs", torch.full((9, 2), torch.nan), "Look.")


def test_finite_leaves_the_graph_alone():
    value = torch.ones(3, requires_grad=True)
    check_finite("outputs", value, "Look.")
    assert value.grad is None
