"""The model of a row: a class of fla, or of transformers for the row with attention, with our
operators inside. A configuration is a file of configs: `class`, `options` of its configuration, and
for Mamba `mamba_low`, the least eigenvalue.

With our operators nothing of the model is left to Triton, whose kernels are tried out for minutes
when they first run: norms, SwiGLU and the loss are PyTorch's, the short convolution is ours. Names
and shapes of weights are fla's. So the models run on a CPU too. With fla's operators these and the
short convolution are Triton's, of at most TRIED variants each, and the rest is the same."""

import hashlib
import importlib
import inspect
import json
import types

from corpus import Refused

MODULES = {
    "DeltaNet": "fla.models",
    "GatedDeltaProduct": "fla.models",
    "Mamba": "fla.models",
    "Llama": "transformers",
}
UNFUSED = {"fuse_norm": False, "fuse_swiglu": False, "fuse_cross_entropy": False}
OURS, THEIRS = "ours", "fla"
TRIED = 2  # variants of a kernel of Triton that are compiled and timed


def read(path):
    """Returns a configuration; refuses one with an option that its class has not."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{path}: {error}") from error
    known = isinstance(config, dict) and set(config) <= {"class", "options", "mamba_low"}
    if not known or config.get("class") not in MODULES or "options" not in config:
        raise Refused(f"{path}: it has class ({', '.join(MODULES)}) and options, not {config}")
    if config["class"] != "Mamba" and "mamba_low" in config:
        raise Refused(f"{path}: mamba_low is for Mamba")
    return config


def options_of(config, name):
    """Returns the configuration object; refuses options that its class does not name."""
    kind = getattr(importlib.import_module(MODULES[config["class"]]), f"{config['class']}Config")
    known = set(inspect.signature(kind.__init__).parameters) | {"tie_word_embeddings"}
    known |= set(getattr(kind, "__annotations__", {}))
    unknown = sorted(set(config["options"]) - known)
    if unknown:
        raise Refused(f"{name}: {config['class']} has no option {', '.join(unknown)}")
    plain = {name: off for name, off in UNFUSED.items() if name in known}
    return kind(**{**config["options"], **plain}, use_cache=False, bos_token_id=0, eos_token_id=0)


def operators(config, which):
    """Puts our operators into fla, or leaves it alone; returns the names that were replaced."""
    if config["class"] == "Llama":
        return []
    from fsa2lrnn.kernels import accelerate_fla, restore_fla

    if which == THEIRS:
        if config.get("mamba_low"):
            raise Refused("fla has no Mamba with eigenvalues in [-1, 1]")
        restore_fla()
        try_few()
        return []
    return accelerate_fla(mamba_low=config.get("mamba_low"))


def plainness(variant):
    """Sorts the variants of a kernel: those that need little shared memory are first."""
    blocks = sum(size for size in variant.kwargs.values() if isinstance(size, int))
    return variant.num_stages, blocks, abs(variant.num_warps - 4)


def try_few():
    """Lets Triton try TRIED variants of a kernel; any of them computes what the kernel is for."""
    from triton.runtime.autotuner import Autotuner

    if Autotuner.prune_configs.__name__ == "few":
        return
    all_of = Autotuner.prune_configs

    def few(self, options):
        return sorted(all_of(self, options), key=plainness)[:TRIED]

    Autotuner.prune_configs = few


def normed(self, x, *_):
    """What fla's RMSNorm computes, in float32."""
    from torch.nn import functional

    return functional.rms_norm(x.float(), self.weight.shape, self.weight, self.eps)


def convolved(self, x, **options):
    """What fla's ShortConvolution computes where it is given no state."""
    from fsa2lrnn.kernels import causal_conv1d

    if options.get("cache") is not None or options.get("cu_seqlens") is not None:
        raise Refused("a short convolution with a state or with packed sequences")
    return causal_conv1d(x, self.weight[:, 0], self.bias, self.activation)[0], None


def fed_forward(self, x, **_):
    """What fla's GatedMLP computes."""
    from torch.nn import functional

    return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


FORWARDS = {"RMSNorm": normed, "ShortConvolution": convolved, "GatedMLP": fed_forward}


def without_triton(model, which=OURS):
    """Gives the modules of fla that compute with Triton another forward; returns the model."""
    replaced = set(FORWARDS) - ({"ShortConvolution"} if which == THEIRS else set())
    for module in model.modules():
        kind = type(module)
        if kind.__module__.startswith("fla.modules") and kind.__name__ in replaced:
            module.forward = types.MethodType(FORWARDS[kind.__name__], module)
    return model


def make(config, name, which=OURS):
    """Returns the model with new weights, which torch's seed decides."""
    options = options_of(config, name)
    operators(config, which)
    module = importlib.import_module(MODULES[config["class"]])
    model = getattr(module, f"{config['class']}ForCausalLM")(options)
    return without_triton(model, which)


def hidden(model, tokens):
    """Returns what the head reads, [batch, tokens, width]."""
    return getattr(model, model.base_model_prefix)(input_ids=tokens, use_cache=False)[0]


def parameters(model):
    """Returns how many numbers are trained; a matrix that has two names counts once."""
    return sum(p.numel() for p in model.parameters())


def weights_sha256(model):
    """Returns the hash of the parameters in bf16, in the order of their names."""
    import torch

    digest = hashlib.sha256()
    for name, p in sorted(model.named_parameters()):
        numbers = p.detach().to("cpu", torch.bfloat16).contiguous().view(torch.int16)
        digest.update(name.encode() + numbers.numpy().tobytes())
    return digest.hexdigest()


def narrow(device):
    """Returns the autocast of evaluation."""
    import torch

    return torch.autocast(device.type, torch.bfloat16)
