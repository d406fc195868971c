"""The model of a row: a class of fla, or of transformers for the row with attention, with our
operators inside. A configuration is a file of configs: `class`, `options` of its configuration, and
for Mamba `mamba_low`, the least eigenvalue."""

import contextlib
import hashlib
import importlib
import inspect
import json

from corpus import Refused

MODULES = {
    "DeltaNet": "fla.models",
    "GatedDeltaProduct": "fla.models",
    "Mamba": "fla.models",
    "Llama": "transformers",
}
# A table of our operators' names in fla, which the record has.
OURS, THEIRS = "ours", "fla"


def read(path):
    """Returns a configuration; refuses one with an option that its class has not."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{path}: {error}") from error
    unknown = set(config) - {"class", "options", "mamba_low"}
    if unknown or config.get("class") not in MODULES or "options" not in config:
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
    return kind(**config["options"], use_cache=False, bos_token_id=0, eos_token_id=0)


def operators(config, which):
    """Puts our operators into fla, or leaves it alone; returns the names that were replaced."""
    if config["class"] == "Llama":
        return []
    if which == THEIRS:
        if config.get("mamba_low"):
            raise Refused("fla has no Mamba with eigenvalues in [-1, 1]")
        return []
    from fsa2lrnn.kernels import accelerate_fla

    return accelerate_fla(mamba_low=config.get("mamba_low"))


def make(config, name, which=OURS):
    """Returns the model with new weights, which torch's seed decides."""
    options = options_of(config, name)
    operators(config, which)
    module = importlib.import_module(MODULES[config["class"]])
    return getattr(module, f"{config['class']}ForCausalLM")(options)


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
    """Returns the autocast of evaluation: bf16 on a GPU, nothing on a CPU."""
    import torch

    on_gpu = device.type == "cuda"
    return torch.autocast("cuda", torch.bfloat16) if on_gpu else contextlib.nullcontext()
