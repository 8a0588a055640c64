"""Ten ResNet-20 on a GPU: training them side by side, and answering with one student in place of them.

Needs a GPU; elsewhere sizes are tiny and the ratios mean nothing.
"""

import itertools
from collections.abc import Callable
from functools import partial

import torch
from torch.nn.functional import cross_entropy

import endd
from benchmarks.epochs import first_epochs
from benchmarks.timing import milliseconds, ratio, seconds, take_turns, write
from endd.nn import ResNet
from endd.streaming import Recorded
from endd.training import flips_and_crops

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
MEMBERS, BATCH, DEPTH = (10, 128, 20) if GPU else (3, 16, 8)
ROWS = 40_000 if GPU else 64
# Epochs of the members side by side that are timed; the first one warms up, compiles and records.
TIMED = 4
# Steps of the plain loop that are timed, of one member: the others take as long.
STEPS = 100 if GPU else 2
FAMILY = endd.families.Categorical(10)


def main() -> None:
    torch.manual_seed(0)
    x = torch.randint(0, 256, (ROWS, 3, 32, 32), dtype=torch.uint8, device=DEVICE)
    y = torch.randint(10, (ROWS,), device=DEVICE)
    write("images" if GPU else "images_cpu", [_training(x, y), *map(_answering, (1, 64, 1024) if GPU else (1, 8))])


def _wait() -> None:
    if GPU:
        torch.cuda.synchronize()


def _training(x: torch.Tensor, y: torch.Tensor) -> dict[str, object]:
    """Seconds that an epoch of one member takes: side by side, and in a plain loop of bf16 steps."""
    ensemble = endd.Ensemble([ResNet(DEPTH, 10) for _ in range(MEMBERS)], FAMILY)
    epochs: list[float] = []

    def timed(number: int, work: Callable[[], None]) -> None:
        epochs.append(seconds(work) / MEMBERS)

    with first_epochs(TIMED, timed):
        endd.fit_ensemble(
            ensemble,
            (x, y),
            epochs=80,
            batch_size=BATCH,
            epoch_rows=ROWS - ROWS % BATCH,
            optimiser="sgd",
            learning_rate=0.1,
            weight_decay=5e-4,
            precision="bf16-mixed",
            device=DEVICE,
            augment=flips_and_crops,
            progress="none",
        )
    plain = _plain_epoch(x, y)
    stacked = min(epochs[1:])
    return {
        "what": f"training {MEMBERS} x ResNet-{DEPTH}, {ROWS} images, batch {BATCH}, bf16",
        "seconds a member and epoch": round(stacked, 4),
        "plain loop": round(plain, 4),
        "plain / stacked": round(plain / stacked, 2),
        "epochs": [round(epoch, 4) for epoch in epochs],
    }


def _plain_epoch(x: torch.Tensor, y: torch.Tensor) -> float:
    """What anybody would write: one member, one batch after another, eager, autocast to bf16."""
    net = ResNet(DEPTH, 10).to(DEVICE)
    optimiser = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)
    generator = torch.Generator()
    order = torch.randperm(len(x), device=DEVICE)

    def step(start: int) -> None:
        rows = order[start : start + BATCH]
        with torch.autocast(DEVICE, torch.bfloat16):
            loss = cross_entropy(net(flips_and_crops(x[rows], generator)), y[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    starts = itertools.cycle(range(0, len(x) - BATCH + 1, BATCH))

    def steps() -> None:
        for _ in range(STEPS):
            step(next(starts))
        _wait()

    steps()
    return seconds(steps) / STEPS * len(x) / BATCH


def _answering(rows: int) -> dict[str, object]:
    """The whole answer, probabilities and the three uncertainties, for images in memory."""
    x = torch.randint(0, 256, (rows, 3, 32, 32), dtype=torch.uint8, device=DEVICE)
    nets = [ResNet(DEPTH, 10).to(DEVICE).eval() for _ in range(MEMBERS)]
    form = endd.ModuloShift.of(endd.LowRankNormal.of(rank=4))
    student = endd.Student(ResNet(DEPTH, endd.num_outputs(FAMILY, form)), FAMILY, form).to(DEVICE).eval()
    models = {
        "student": student,
        "loop over members": endd.Ensemble(nets, FAMILY, stacking="loop"),
        "stacked ensemble": endd.Ensemble(nets, FAMILY, stacking="stacked"),
    }
    contestants: dict[str, Callable[[], object]] = {name: partial(_answer, model, x) for name, model in models.items()}
    contestants["student, recorded"] = partial(_replay, Recorded(student), x)
    times = take_turns(contestants, rounds=15, repeat=3)  # the first rounds warm up, and record
    return {
        "what": f"answering {rows} images with probabilities and uncertainties",
        "loop / student": round(ratio(times, "loop over members", "student"), 2),
        "loop / student, recorded": round(ratio(times, "loop over members", "student, recorded"), 2),
        "stacked / student": round(ratio(times, "stacked ensemble", "student"), 2),
        "ms": milliseconds(times),
    }


def _answer(model: endd.Ensemble | endd.Student, x: torch.Tensor) -> None:
    prediction = model.predict(x)
    _ = prediction.probs, prediction.total, prediction.aleatoric, prediction.epistemic
    _wait()


def _replay(answer: Recorded, x: torch.Tensor) -> None:
    answer(x)
    _wait()
