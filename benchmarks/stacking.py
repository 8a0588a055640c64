"""When one stacked pass beats a loop over the members: the rule behind stacking="auto"."""

from functools import partial

import torch

from benchmarks.timing import milliseconds, ratio, take_turns, write
from endd.models.stacking import stacked_forward, worth_stacking
from endd.nn import MLP, ResNet


def main() -> None:
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    networks = {
        "MLP 8-50-2": (lambda: MLP(8, [50], 2), (8,), (1, 64, 1024, 8192)),
        "MLP 32-200-200-2": (lambda: MLP(32, [200, 200], 2), (32,), (1, 64, 1024)),
        "ResNet-20": (lambda: ResNet(20, 10), (3, 32, 32), (1, 4, 8, 32)),
    }
    rows: list[dict[str, object]] = []
    for name, (make, shape, batches) in networks.items():
        nets = [make().eval().to(device) for _ in range(10)]
        for batch in batches:
            x = torch.randn(batch, *shape, device=device)
            contestants = {"loop": partial(_loop, nets, x), "stacked": partial(_stacked, nets, x)}
            times = take_turns(contestants, rounds=15)
            speed = ratio(times, "loop", "stacked")
            rows.append(
                {
                    "network": f"10 x {name}",
                    "batch": batch,
                    "loop / stacked": round(speed, 3),
                    "auto": "stacked" if worth_stacking(nets, device, batch) else "loop",
                    "ms": milliseconds(times),
                }
            )
    write(f"stacking_{device.type}", rows)


def _wait(z: torch.Tensor) -> torch.Tensor:
    if z.is_cuda:
        torch.cuda.synchronize()
    return z


def _loop(nets: list[torch.nn.Module], x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return _wait(torch.stack([net(x) for net in nets]))


def _stacked(nets: list[torch.nn.Module], x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return _wait(stacked_forward(nets, x, None))
