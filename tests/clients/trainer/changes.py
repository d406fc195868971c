"""Trainers that are wrong on purpose, which trainer.py must refuse: changes of steps.Trainer."""

import torch

import model


def option(name, value):
    """Returns the change of an option of the optimiser."""
    return (lambda trainer, sizes: trainer.options.update({name: value}), None)


def attribute(name, value):
    """Returns the change of a member of the trainer."""
    return (lambda trainer, sizes: setattr(trainer, name, value), None)


def size(name, value):
    """Returns the change of a member of the model's configuration."""
    return (lambda trainer, sizes: sizes.update({name: value}), None)


class Uncorrected(torch.optim.AdamW):
    """AdamW that believes that many steps were made: its bias corrections are 1."""

    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p not in self.state:
                    self.state[p] = {
                        "step": torch.tensor(1e6),
                        "exp_avg": torch.zeros_like(p),
                        "exp_avg_sq": torch.zeros_like(p),
                    }
        super().step()


class Scaled(torch.autograd.Function):
    """The identity, with its gradient multiplied by a factor."""

    @staticmethod
    def forward(context, x, factor):
        context.factor = factor
        return x.clone()

    @staticmethod
    def backward(context, dy):
        return context.factor * dy, None


def gradient_of(module, factor):
    """Returns the change that multiplies the gradient at the output of the mixer's module."""

    def change(trainer):
        for layer in trainer.model.layers:
            part = layer.mixer.get_submodule(module)
            part.register_forward_hook(lambda m, i, out: Scaled.apply(out, factor))

    return (None, change)


def gradient_of_parameter(name, factor):
    """Returns the change that multiplies the gradient of a parameter of the mixer."""

    def change(trainer):
        for layer in trainer.model.layers:
            getattr(layer.mixer, name).register_hook(lambda dy: factor * dy)

    return (None, change)


# A change is two functions, each of which may be None: of the trainer and the model's sizes before
# the model is made, and of the trainer with its model.
CHANGES = {
    "epsilon 1e-6": option("epsilon", 1e-6),
    "epsilon 1e-7": option("epsilon", 1e-7),
    "beta1 .91": option("beta1", 0.91),
    "beta2 .999": option("beta2", 0.999),
    "beta2 .951": option("beta2", 0.951),
    "no bias correction": attribute("optimiser", Uncorrected),
    "weight decay of the embedding": attribute(
        "decays", lambda name: model.decays(name) or name == "embedding.weight"
    ),
    "weight decay of norms": attribute(
        "decays", lambda name: model.decays(name) or "norm" in name
    ),
    "no weight decay of the head": attribute(
        "decays", lambda name: model.decays(name) and name != "head.weight"
    ),
    "L2 in the gradient": attribute("optimiser", torch.optim.Adam),
    "no clipping": option("clip", 0),
    "clip_grad_norm_ as it is": attribute("clip_adds", 1),
    "clipping at 1.001 of the bound": (
        lambda trainer, sizes: trainer.options.update(clip=1.001 * trainer.options["clip"]),
        None,
    ),
    "schedule one step late": attribute("late", 1),
    "warm-up one step longer": (
        lambda trainer, sizes: trainer.options.update(warmup=trainer.options["warmup"] + 1),
        None,
    ),
    "loss of padding": attribute("supervised_only", False),
    "epsilon of norms 1.1e-6": size("epsilon", 1.1e-6),
    "slope .1 % larger": (lambda trainer, sizes: sizes.update(slope=1.001 * sizes["slope"]), None),
    "gradient of beta .1 % larger": gradient_of("b_proj", 1.001),
    "gradient of keys .1 % larger": gradient_of("k_proj", 1.001),
    "gradient of the output's norm .1 % larger": gradient_of("o_norm", 1.001),
    "no gradient of beta": gradient_of("b_proj", 0),
    "no gradient of H_0": gradient_of_parameter("initial_state", 0),
    "gradient of A_log .1 % larger": gradient_of_parameter("A_log", 1.001),
}
# Configuration: the changes that are tried on it. FINE ones need not be seen in float.
TRIED = {
    "delta-3-values-gate": list(CHANGES),
    "diagonal-conv": ["gradient of A_log .1 % larger", "epsilon of norms 1.1e-6"],
}
FINE = {
    "epsilon 1e-7",
    "beta2 .951",
    "clip_grad_norm_ as it is",
    "clipping at 1.001 of the bound",
    "epsilon of norms 1.1e-6",
}
