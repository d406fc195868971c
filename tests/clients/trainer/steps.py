"""Training steps in PyTorch on the words of our trainer, with torch.optim.AdamW, clip_grad_norm_
and the schedule of models/learn/train/train_options.h."""

import math

import numpy as np
import torch
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

import changes
import model

CLIP_ADDS = 1e-6  # what clip_grad_norm_ adds to the length of the gradient before it divides


def rate(options, step):
    """Returns the rate of step 0, 1, ..."""
    o = options
    if step < o["warmup"]:
        return o["rate"] * (step + 1) / o["warmup"]
    begin = max(o["decay_from"], o["warmup"])
    if o["decay"] == "constant" or step < begin:
        return o["rate"]
    x = (step - begin) / (o["steps"] - begin)
    left = 1 - x if o["decay"] == "linear" else (1 + math.cos(math.pi * x)) / 2
    return o["last_rate"] + (o["rate"] - o["last_rate"]) * left


class Trainer:
    """A model and its optimiser. `change` names a row of changes.CHANGES."""

    decays = staticmethod(model.decays)
    optimiser = torch.optim.AdamW
    late = 0  # steps by which the schedule is late
    supervised_only = True
    clip_adds = 0  # whether to leave in what clip_grad_norm_ adds

    def __init__(self, config, dtype, device="cpu", flipped=False, change=None):
        self.options, sizes = dict(config["train"]), dict(config["model"])
        self.dtype, self.device, self.flipped = dtype, device, flipped
        change = changes.CHANGES[change] if change else (None, None)
        if change[0]:
            change[0](self, sizes)
        self.model = model.Model(sizes).to(device, dtype)
        self.named = dict(self.model.named_parameters())
        if change[1]:
            change[1](self)
        o = self.options
        groups = [
            {
                "params": [p for name, p in self.named.items() if self.decays(name) == decayed],
                "weight_decay": o["weight_decay"] if decayed else 0,
            }
            for decayed in (True, False)
        ]
        self.adam = self.optimiser(
            groups, lr=o["rate"], betas=(o["beta1"], o["beta2"]), eps=o["epsilon"]
        )
        self.step_now, self.first = 0, None

    def steps(self, words, count):
        """Makes steps on words[step], and returns their losses."""
        return np.array([self.step(words[self.step_now]) for _ in range(count)])

    def tensor(self, array):
        return torch.tensor(array, dtype=self.dtype, device=self.device)

    def load(self, trace, point=None):
        """Takes the parameters before the first step of the trace, or all numbers of a
        checkpoint."""
        parts = {name: array for name, array in trace.tensors(trace.parameter)}
        assert {n: p.shape for n, p in self.named.items()} == {n: a.shape for n, a in parts.items()}
        for name, array in parts.items():
            self.named[name].data.copy_(self.tensor(array))
        if point is None:
            return self
        assert point.step == trace.step and np.array_equal(point.parameter, trace.parameter)
        self.step_now = point.step
        moments = zip(trace.tensors(point.mean), trace.tensors(point.square))
        for (name, mean), (_, square) in moments:
            self.adam.state[self.named[name]] = {
                "step": torch.tensor(float(point.step)),
                "exp_avg": self.tensor(mean),
                "exp_avg_sq": self.tensor(square),
            }
        return self

    def gradient(self, words):
        """Computes the gradient and returns the loss."""
        model.Linear.flipped = self.flipped
        if self.flipped:
            words = [array[::-1].copy() for array in words]
        letters, labels, mask = (torch.tensor(array, device=self.device) for array in words)
        self.adam.zero_grad()
        logits = self.model(letters)
        counted = mask.bool() if self.supervised_only else torch.ones_like(mask).bool()
        loss = F.cross_entropy(logits[counted], labels[counted])
        loss.backward()
        return loss.item()

    def gradients(self):
        """Returns {name: array} of the last gradient."""
        return {n: p.grad.double().cpu().numpy().copy() for n, p in self.named.items()}

    def clip(self):
        """Scales the gradient to the length `clip` if it is longer. clip_grad_norm_ divides by the
        length + 1e-6; ours does not, so that the bound is raised by as much."""
        bound = self.options["clip"]
        if bound == 0:
            return
        if self.clip_adds == 0:
            squares = sum(p.grad.square().sum() for p in self.named.values())
            length = math.sqrt(squares.item())
            bound *= (length + CLIP_ADDS) / length
        clip_grad_norm_(self.named.values(), bound)

    def step(self, words):
        """Makes a step and returns the loss before it; `first` keeps the first gradient."""
        loss = self.gradient(words)
        self.first = self.first or self.gradients()
        self.clip()
        for group in self.adam.param_groups:
            group["lr"] = rate(self.options, max(self.step_now - self.late, 0))
        self.adam.step()
        self.step_now += 1
        return loss
