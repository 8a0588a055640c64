"""The training loop: J networks side by side, each with its own batches, early stop and recovery."""

import atexit
import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.utils._triton import has_triton

from endd._errors import TrainingDivergedError
from endd.training.averages import Averages
from endd.training.captured import CapturedStep
from endd.training.early_stop import EarlyStop
from endd.training.fabric import fabric_on
from endd.training.history import History
from endd.training.processes import (
    add_in_order,
    gathered,
    leave,
    of_the_first,
    rank,
    same_tensors,
    shares,
    summed,
    world,
)
from endd.training.progress import Reporter
from endd.training.recipe import Recipe
from endd.training.run_folder import RunFolder
from endd.training.schedules import as_schedule
from endd.training.stack import Stack
from endd.training.task import Task

MAX_RESTARTS = 2
# Steps of a run on a GPU from which on it pays to compile kernels for it.
WORTH_COMPILING = 5000
# What a checkpoint holds as it is.
RESTORED = ("epoch", "step", "speed", "restarts")


class Loop:
    """Trains a stack on a task by a recipe."""

    def __init__(self, stack: Stack, task: Task, recipe: Recipe, accumulate: int = 1) -> None:
        self.fabric = fabric_on(recipe.device, recipe.precision)
        if world() > 1:
            self.fabric.launch()
            atexit.register(leave)
        self.recipe, self.task, self.raw, self.accumulate = recipe, task, stack, accumulate
        self.schedule = as_schedule(recipe.schedule)
        optimiser = recipe.make_optimiser([p for p in stack.stacked if p.requires_grad])
        self.stack: Any
        self.optimiser: Any
        self.stack, self.optimiser = self.fabric.setup(stack, optimiser)
        self.alone = self.fabric.world_size == 1
        if not self.alone:
            add_in_order(self.stack._forward_module)
        self.backward: Any = self.fabric.backward
        if recipe.precision == "32-true" and self.alone:
            # in full precision on one device the wrappers do nothing but cost time
            self.stack, self.optimiser = stack, optimiser
            self.backward = torch.autograd.backward
        self.weights = list(stack.stacked)
        self.base_rates = [group["lr"] for group in self.optimiser.param_groups]
        # a user's optimiser may look at its gradients, which no recording can
        records = bool(self._gpus()) and self.alone and isinstance(recipe.optimiser, str)
        self.captured = CapturedStep(self._learn) if records else None
        stack.fuse = records and has_triton() and recipe.epochs * task.steps_per_epoch() >= WORTH_COMPILING
        self._hold_rates()
        self.generator = torch.Generator().manual_seed(recipe.seed)
        J = stack.tracks
        self.step, self.epoch = 0, 0
        self.speed = torch.ones(J)
        self.restarts = [0] * J
        self.history = History()
        self.averages = Averages(stack.tensors(), recipe.ema)
        self.early_stop = EarlyStop(J, recipe.patience)
        self.good = self._snapshot()

    def _gpus(self) -> list[torch.device]:
        """The GPU that the run is on, if it is on one."""
        device = self.weights[0].device
        return [device] if device.type == "cuda" else []

    def _hold_rates(self) -> None:
        """Keep learning rates where steps find them: a recorded one on the GPU, any other in Python."""
        for group in self.optimiser.param_groups:
            rate = float(group["lr"])
            group["lr"] = rate if self.captured is None else torch.tensor(rate, device=self.weights[0].device)
            if "capturable" in group:
                group["capturable"] = self.captured is not None

    # -- state ---------------------------------------------------------------------------------------------------

    def _moments(self) -> list[Tensor]:
        """The optimiser's tensors that have a track dimension."""
        states = self.optimiser.state.values()
        return [value for state in states for value in state.values() if isinstance(value, Tensor) and value.ndim]

    def _tracked(self) -> list[Tensor]:
        """Everything that belongs to a track: weights, buffers, averages and moments."""
        return [*self.raw.tensors(), *self.averages.tensors, *self._moments()]

    def _snapshot(self) -> list[Tensor]:
        return [tensor.detach().clone() for tensor in self._tracked()]

    def state(self) -> dict[str, Any]:
        """Everything needed to go on, in plain types."""
        return {
            "tensors": [t.detach().cpu() for t in self.raw.tensors()],
            "optimiser": self.optimiser.state_dict(),
            "averaged": self.averages.tensors or None,
            "averaged_steps": self.averages.steps,
            "good": self.good,
            "generator": self.generator.get_state(),
            "global_generators": gathered([torch.random.get_rng_state(), *map(torch.cuda.get_rng_state, self._gpus())]),
            "epoch": self.epoch,
            "step": self.step,
            "speed": self.speed,
            "restarts": self.restarts,
            "rows": self.history.rows,
            "restart_lines": self.history.restarts,
            **self.early_stop.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        for tensor, saved in zip(self.raw.tensors(), state["tensors"], strict=True):
            tensor.data.copy_(saved)
        self.optimiser.load_state_dict(state["optimiser"])
        self._hold_rates()
        self.generator.set_state(state["generator"])
        if rank() < len(state["global_generators"]):  # a process that was not there before has its seed
            here, *gpus = state["global_generators"][rank()]
            torch.random.set_rng_state(here)
            for gpu, saved in zip(self._gpus(), gpus, strict=True):
                torch.cuda.set_rng_state(saved, gpu)
        device = self.weights[0].device
        for name in RESTORED:
            setattr(self, name, state[name])
        self.good = [tensor.to(device) for tensor in state["good"]]
        self.averages.tensors = [tensor.to(device) for tensor in state["averaged"] or []]
        steps = state.get("averaged_steps", state["step"])  # a checkpoint from before does not count them apart
        self.averages.steps.fill_(float(steps))
        self.early_stop.restore(state, device)
        self.history.rows, self.history.restarts = state["rows"], state["restart_lines"]

    # -- training ------------------------------------------------------------------------------------------------

    def run(self, report: Reporter, folder: RunFolder | None = None) -> History:
        """Train to the end, from wherever the loop stands, and put the result into the networks."""
        # dropout draws from the device's global generator: seed it for this run and put it back afterwards
        with torch.random.fork_rng(devices=self._gpus()), _quickest_kernels():
            seed = self.recipe.seed + rank()  # noise of its own in every process
            torch.default_generator.manual_seed(seed)
            for gpu in self._gpus():
                torch.cuda.default_generators[gpu.index].manual_seed(seed)
            saved = of_the_first(folder.load() if folder and not rank() else None)
            if saved is not None:
                self.restore(saved)
            while self.epoch < self.recipe.epochs and not bool(self.early_stop.stopped().all()):
                numbers = self._run_epoch()
                report.update(self.epoch, self.recipe.epochs, numbers)
                if folder:
                    self._keep(folder, numbers)
        if folder:
            self._keep(folder)
        self._keep_result()
        return self.history

    def _keep(self, folder: RunFolder, numbers: dict[str, float] | None = None) -> None:
        """A row of metrics, and a checkpoint if it is time to; without numbers the last one. One process writes."""
        if numbers is not None and not rank():
            folder.row({"epoch": self.epoch, **numbers})
        if numbers is None or of_the_first(folder.due()):
            state = self.state()
            if not rank():
                folder.save(state)
        if numbers is None and not rank():
            folder.finish(self.epoch)

    def _run_epoch(self) -> dict[str, float]:
        self.stack.train()
        total, steps = torch.zeros(self.raw.tracks, device=self.weights[0].device), 0
        for batch in self.task.batches(self.epoch, self.generator):
            total += self._take_step(batch)
            steps += 1
        self._recover(self._broken())
        self.epoch += 1
        # a network that was restarted has no loss in this epoch
        loss = float(total[total.isfinite()].mean() / max(steps, 1))
        numbers = {"loss": loss, "learning_rate": float(self.optimiser.param_groups[0]["lr"])}
        validation = self._validate()
        if validation is not None:
            numbers["validation"] = float(validation.mean())
        self.history.rows.append(numbers)
        self.good = self._snapshot()
        return numbers

    def _take_step(self, batch: Any) -> Tensor:
        per_epoch = self.task.steps_per_epoch()
        factor = self.schedule(self.step, self.recipe.epochs * per_epoch, per_epoch)
        for group, rate in zip(self.optimiser.param_groups, self.base_rates, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate * factor)
            else:
                group["lr"] = rate * factor
        if self.captured is not None and not any(self.restarts):
            losses: Tensor = self.captured(batch, self.task.stage(self.epoch))
        else:
            losses = self._learn(batch)
        self.step += 1
        # on a GPU nobody waits for a loss: what went wrong is found at the end of the epoch, in the weights
        if not self._gpus() and not math.isfinite(float(losses.sum())):
            self._recover((~losses.isfinite()).nonzero().flatten().tolist())
        return losses

    def _learn(self, batch: Any) -> Tensor:
        """One step of all networks, on tensors alone: the loss of each before it."""
        for parameter in self.weights:
            parameter.grad = None
        if self.alone and self.accumulate == 1:
            losses = self.task.loss(self.stack, batch, self.epoch)
            self.backward(losses.sum())
        else:
            losses = self._backward_in_pieces(batch)
        if self.recipe.clip is not None:
            self._clip(self.recipe.clip)
        slowed = any(self.restarts)
        before = [p.detach().clone() for p in self.weights] if slowed else []
        self.optimiser.step()
        if slowed:
            self._slow_down(before)
        self.averages.move()
        return losses.detach()

    def _backward_in_pieces(self, batch: Any) -> Tensor:
        """The losses of the whole batch, of which this process takes its part, in as many pieces as was asked for."""
        pieces = list(shares(batch, self.accumulate))
        total = torch.zeros(self.raw.tracks, device=self.weights[0].device)
        for number, (piece, share) in enumerate(pieces):
            last = number == len(pieces) - 1
            with nullcontext() if self.alone or last else self.fabric.no_backward_sync(self.stack):
                losses = self.task.loss(self.stack, piece, self.epoch)
                # gradients are averaged over the processes, each of which has a part of the sum
                self.backward((self.fabric.world_size * share * losses).sum())
            total += share * losses.detach()
        return summed(total)

    @torch.no_grad()
    def _clip(self, largest: float) -> None:
        gradients = [p.grad for p in self.weights if p.grad is not None]
        norm = torch.cat([g.flatten(1) for g in gradients], 1).square().sum(1).sqrt()
        scale = (largest / (norm + 1e-12)).clamp(max=1)
        for gradient in gradients:
            gradient.mul_(scale.reshape(-1, *[1] * (gradient.ndim - 1)))

    @torch.no_grad()
    def _slow_down(self, before: list[Tensor]) -> None:
        """Networks that were restarted take a part of each step."""
        for tensor, old in zip(self.weights, before, strict=True):
            speed = self.speed.to(tensor).reshape(-1, *[1] * (tensor.ndim - 1))
            tensor.copy_(torch.where(speed < 1, torch.lerp(old, tensor, speed), tensor))

    # -- what goes wrong -----------------------------------------------------------------------------------------

    def _broken(self) -> list[int]:
        """Networks whose loss was finite, but whose weights no longer are."""
        finite = [t.detach().reshape(len(t), -1).isfinite().all(1) for t in self.raw.tensors()]
        broken = summed((~torch.stack(finite).all(0)).float())  # running statistics may differ between processes
        return broken.nonzero().flatten().tolist()

    @torch.no_grad()
    def _recover(self, tracks: list[int]) -> None:
        """Set networks back to their last good state and halve their step; after two restarts give up."""
        for track in tracks:
            if self.early_stop.stopped()[track]:
                continue  # its best weights are kept already
            if self.restarts[track] == MAX_RESTARTS:
                raise TrainingDivergedError(
                    f"Expected finite losses, but {self.task.name(track)} went NaN at step {self.step} (epoch "
                    f"{self.epoch}) after {MAX_RESTARTS} restarts with smaller steps.",
                    "Lower learning_rate, set clip, or look for extreme values in the data.",
                )
            self.restarts[track] += 1
            self.speed[track] /= 2
            line = f"{self.task.name(track)} went NaN at step {self.step} and was restarted with half the step"
            self.history.restarts.append(line)
        # before the first step the optimiser has no moments: they restart from 0
        for tensor, good in itertools.zip_longest(self._tracked(), self.good):
            tensor[tracks] = 0 if good is None else good[tracks]

    # -- what is kept --------------------------------------------------------------------------------------------

    @torch.no_grad()
    def _validate(self) -> Tensor | None:
        self.stack.eval()
        with self.averages.instead():
            losses = self.task.validate(self.stack)
        if losses is None:
            return None
        losses = losses.detach().cpu()
        losses = torch.where(losses.isfinite(), losses, math.inf)
        self.early_stop.see(losses, self.epoch, self.averages.of(self.raw.tensors()))
        return losses

    @torch.no_grad()
    def _keep_result(self) -> None:
        best = self.early_stop.best
        result = self.averages.of(self.raw.tensors()) if best is None else best
        for tensor, kept in zip(self.raw.tensors(), [r.clone() for r in result], strict=True):
            tensor.data.copy_(kept)
        if best is not None:
            self.history.best_epoch = self.early_stop.best_at.tolist()
        same_tensors(self.raw.tensors())
        self.raw.unstack()


@contextmanager
def _quickest_kernels() -> Iterator[None]:
    """Let cuDNN try its kernels on the first batches and keep the quickest."""
    before = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = True
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before
