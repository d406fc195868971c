"""The files of a run, as the trainer writes them, and the certificate of a horizon: one spelling
for everything. Nothing here is shared with horizon-check or the product."""

import hashlib
import json
import math
import re
import struct
from typing import NamedTuple

MIXER = "layers.0.mixer."
CONFIG = ("schema", "data", "model", "train", "curriculum", "batch", "positions", "seed")
DATA = ("kind", "when", "automaton", "states", "label", "weights", "tokens")
SHARES = ("live", "periodic")  # of the words of training, written where they are above 0
MODEL = (
    "letters labels layers width mlp convolution epsilon mixer negative initializer_range heads"
    " householders key_dim value_dim slope clamped_betas additive learned_start forget_gate"
    " output_gate"
    " key_epsilon exact_keys ternary_keys silu_keys normalise_keys channels states step_rank"
    " convolution_bias window"
).split()
REALS = "epsilon", "initializer_range", "slope", "key_epsilon"
UNSET = {name: 0 for name in ("initializer_range", "key_epsilon", "window")}
UNSET.update(output_gate=False, convolution_bias=False)
UNSET.update(clamped_betas=False, exact_keys=False, ternary_keys=False)  # these are not written
TRAIN = (
    "steps rate beta1 beta2 epsilon weight_decay clip warmup decay decay_from last_rate log_every"
    " evaluate_every lengths sequences target divergence"
).split()
RATES = "rate beta1 beta2 epsilon weight_decay clip last_rate target divergence".split()
CURRICULUM = "start limit threshold patience shorter_too".split()


class NotLoaded(Exception):
    """Raised for files in which no program finds a network of this kind."""


class Files(NamedTuple):
    fsa: bytes
    config: bytes
    weights: bytes
    certificate: bytes


def rehashed(files):
    """Returns the files with all hashes made right that are in their places."""
    fsa = hashlib.sha256(files.fsa).hexdigest().encode()
    place = re.compile(rb'"automaton":"[0-9a-f]{64}"')
    config = place.sub(b'"automaton":"' + fsa + b'"', files.config, count=1)
    text, new = files.certificate, files._replace(config=config)
    for name, data in zip((b"fsa", b"config", b"weights"), new):
        found = name + b" " + hashlib.sha256(data).hexdigest().encode()
        text = re.sub(rb"^%s [0-9a-f]{64}$" % name, found, text, count=1, flags=re.M)
    return new._replace(certificate=text)


# --- config.json ---


def real(digits):
    def spell(x):
        texts = (f"{float(x):.{d}g}" for d in range(digits, 18))
        return next(text for text in texts if float(text) == float(x))

    return spell


def spell(value, number):
    if isinstance(value, list):
        return "[" + ",".join(spell(x, number) for x in value) + "]"
    return number(value) if isinstance(value, float) else json.dumps(value)


def members(names, values, number, reals=()):
    """Returns the text of an object with exactly these members, in this order."""
    if set(values) != set(names):
        raise NotLoaded("other members")
    one = {n: float(values[n]) if n in reals else values[n] for n in names}
    return "{" + ",".join(f'"{n}":{spell(x, number)}' for n, x in one.items()) + "}"


def model_text(model):
    names = [n for n in MODEL if n in model or n not in UNSET]
    if any(type(model.get(n)) in (int, float, bool) and model[n] == UNSET[n] for n in UNSET):
        raise NotLoaded("a member without effect")
    return members(names, model, real(17), REALS)


def config_text(config):
    """Returns config.json; NotLoaded where it would have other members."""
    names = [*CONFIG, *(["first_weights"] if "first_weights" in config else [])]
    if set(config) != set(names):
        raise NotLoaded("other members")
    data, rest = config["data"], [f'"{n}":{spell(config[n], real(15))}' for n in names[5:]]
    data_names = [*DATA[:2], *(["begin"] if data.get("begin") is True else []), *DATA[2:]]
    data_names += [n for n in SHARES if n in data]
    if not all(data.get(n, 1) > 0 for n in SHARES):
        raise NotLoaded("a member without effect")
    parts = (
        f'{{"schema":{spell(config["schema"], real(15))}',
        f'"data":{members(data_names, data, real(17), set(SHARES) & set(data))}',
        f'"model":{model_text(config["model"])}',
        f'"train":{members(TRAIN, config["train"], real(15), RATES)}',
        f'"curriculum":{members(CURRICULUM, config["curriculum"], real(15), {"threshold"})}',
        ",".join(rest) + "}\n",
    )
    return ",\n".join(parts)


# --- weights.safetensors ---


def shapes(model):
    """Returns {name: shape} of all tensors, in their order."""
    n, mlp, heads, factors = (model[x] for x in ("width", "mlp", "heads", "householders"))
    keys, values = heads * model["key_dim"], heads * model["value_dim"]
    mixer = {"q_proj.weight": [keys, n], "k_proj.weight": [factors * keys, n]}
    if model["additive"]:
        mixer["v_proj.weight"] = [factors * values, n]
    mixer["b_proj.weight"] = [factors * heads, n]
    if model["learned_start"]:
        mixer["initial_state"] = [heads, model["key_dim"], model["value_dim"]]
    mixer.update({"o_norm.weight": [model["value_dim"]], "o_proj.weight": [n, values]})
    return {
        "embedding.weight": [model["letters"], n],
        "layers.0.mixer_norm.weight": [n],
        **{MIXER + name: shape for name, shape in mixer.items()},
        "layers.0.mlp_norm.weight": [n],
        "layers.0.mlp.gate_proj.weight": [mlp, n],
        "layers.0.mlp.up_proj.weight": [mlp, n],
        "layers.0.mlp.down_proj.weight": [n, mlp],
        "norm.weight": [n],
        "head.weight": [model["labels"], n],
    }


def header_of(model):
    """Returns the members of the header, in their order, and the number of bytes behind it."""
    about = {"config": model_text(model), "kind": "sequence-model"}
    out, at = {"__metadata__": {**about, "schema": "1", "tool": "fsa2lrnn"}}, 0
    for name, shape in shapes(model).items():
        size = 4 * math.prod(shape)
        out[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    return out, at


def with_header(text, data):
    """Returns the file with this header, which is filled up with blanks, and these numbers."""
    header = text + b" " * (-len(text) % 8)
    return struct.pack("<Q", len(header)) + header + data


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def split(weights):
    """Returns the header's bytes and the numbers' bytes."""
    if len(weights) < 8 or struct.unpack("<Q", weights[:8])[0] > len(weights) - 8:
        raise NotLoaded("no header")
    end = 8 + struct.unpack("<Q", weights[:8])[0]
    return weights[8:end], weights[end:]


def weights_of(model, data):
    """Returns the file with these numbers' bytes."""
    return with_header(compact(header_of(model)[0]), data)


def is_spelled(config, weights):
    """Returns whether both files are, byte for byte, what the trainer writes for what they say."""
    try:
        read = json.loads(config)
        size, data = header_of(read["model"])[1], split(weights)[1]
        same = config_text(read).encode() == config
        return same and weights_of(read["model"], data) == weights and len(data) == size
    except (NotLoaded, ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return False
