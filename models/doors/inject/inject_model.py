"""A causal language model and beside it a branch that tracks a finite automaton, written by
`fsa2lrnn inject`. Needs Python 3.8, PyTorch 1.13, and the transformers that knows the old model.

    from model import load
    net = load("DIR")                    # dtype=torch.bfloat16, device="cuda"
    out = net(input_ids)                 # out.logits, out.labels, out.past
    out = net(more_ids, out.past)        # goes on where input_ids [B, T] ended

The old model is `base/`, loaded by transformers, and nothing in it is changed. The branch is the
model in `branch/`, with its own embedding, norms, mixers, tables and residual stream. It reads the
tokens that are letters; other tokens, and tokens with attention_mask 0, leave the automaton where
it is. out.labels [B, T] are numbers of net.labels, -1 where there is no label yet.

The branch's label after every token is one-hot, and the projection's column of the label is added
to the token's embedding in the old model: that is all that the old model sees of the branch. Where
there is no label, and everywhere at first, -0 is added, which changes no number, not even -0.

The projection is the only parameter that load leaves trainable; net.base.requires_grad_(True)
trains the old model, too. `python3 model.py` checks this folder."""
import sys

if sys.version_info < (3, 8):
    raise RuntimeError("model.py needs Python 3.8 or later, and this is Python %d.%d"
                       % sys.version_info[:2])

import hashlib
import inspect
import json
import math
import os
from collections import namedtuple

import torch
from torch import nn
from torch.nn import functional as F

if tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2]) < (1, 13):
    raise RuntimeError(f"model.py needs PyTorch 1.13 or later, and this is {torch.__version__}")

TYPES = {"BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32}
CACHES = ("cache", "past_key_values", "cache_params")  # what outputs call their states
Output = namedtuple("Output", "logits labels past base")  # base: all that the old model gave


def read_json(folder, *names):
    with open(os.path.join(folder, *names), encoding="utf-8") as file:
        return json.load(file)


def read_tensors(path):
    """Returns {name: tensor} of a safetensors file."""
    with open(path, "rb") as file:
        raw = bytearray(file.read())
    start = 8 + int.from_bytes(raw[:8], "little")
    header, tensors = json.loads(raw[8:start].decode()), {}
    for name, info in header.items():
        if name != "__metadata__":
            begin, end = info["data_offsets"]
            flat = torch.frombuffer(raw[start + begin : start + end], dtype=TYPES[info["dtype"]])
            tensors[name] = flat.reshape(info["shape"])
    return tensors


def sum_by_halves(x, dim):
    """Returns the sum over a dimension of a power of two: the second half is added to the first,
    until one is left."""
    while x.shape[dim] > 1:
        first, second = x.chunk(2, dim)
        x = first + second
    return x.squeeze(dim)


class Branch(nn.Module):
    """The stock model in branch/. All numbers are held in float32 and rounded to the model's type
    where a number is stored; states and their step are float32. State: (by layer [B, heads, key,
    value], label [B])."""

    def __init__(self, folder, letters, labels):
        super().__init__()
        tensors, config = (read_tensors(os.path.join(folder, "model.safetensors")),
                           read_json(folder, "config.json"))
        self.heads, self.factors = config["num_heads"], config["num_householder"]
        self.layers, self.epsilon = config["num_hidden_layers"], config["norm_eps"]
        self.idle, self.labels = letters, labels  # the idle token is the first after the letters
        self.type, self.names = tensors["lm_head.weight"].dtype, {}
        for i, (name, tensor) in enumerate(tensors.items()):
            self.names[name] = f"t{i}"
            self.register_buffer(f"t{i}", tensor.float(), persistent=False)
        self.start_from(read_json(folder, "prefix.json"))

    def _apply(self, fn, *args, **kwargs):
        """Moves, but never casts: the claim is about these numbers."""
        return super()._apply(lambda t: t.to(fn(t).device), *args, **kwargs)

    def start_from(self, prefix):
        """Keeps the states after the prefix as those before every word."""
        states = [None] * self.layers
        logits = self.run(torch.tensor([prefix]), states)[0, -1, : self.labels]
        self.start_label = int(logits.argmax()) if logits.any() else -1
        for layer, state in enumerate(states):
            self.register_buffer(f"start{layer}", state, persistent=False)

    def start(self, count):
        """Returns the state of `count` empty words."""
        states = [getattr(self, f"start{layer}").expand(count, -1, -1, -1)
                  for layer in range(self.layers)]
        return states, states[0].new_full((count,), self.start_label, dtype=torch.int64)

    # --- arithmetic ---

    def weight(self, name):
        return getattr(self, self.names[name + ".weight"])

    def round(self, x):
        return x.to(self.type).float()

    def linear(self, x, name):
        return self.round(F.linear(x, self.weight(name)))

    def norm(self, x, name):
        root = torch.sqrt((x * x).mean(-1, keepdim=True) + self.epsilon)
        return self.round(x / root * self.weight(name))

    def unit(self, x):
        """Returns vectors of length 1: squares are added from left to right."""
        total = x[..., :1] * x[..., :1]
        for i in range(1, x.shape[-1]):
            total = total + x[..., i : i + 1] * x[..., i : i + 1]
        return self.round(x * (1 / torch.sqrt(total + 1e-6)))

    def mix(self, y, states, layer):
        """Returns what the heads add to the stream [B, T, width], and keeps their states."""
        at = f"model.layers.{layer}.attn."
        many = (*y.shape[:2], self.factors, self.heads, -1)
        query = self.unit(self.round(F.silu(self.linear(y, at + "q_proj")))
                          .reshape(*y.shape[:2], self.heads, -1))
        key = self.unit(self.round(F.silu(self.linear(y, at + "k_proj"))).reshape(many))
        value = self.round(F.silu(self.linear(y, at + "v_proj"))).reshape(many)
        beta = 2 * self.round(torch.sigmoid(self.linear(y, at + "b_proj"))).reshape(many)
        S, read = states[layer], []
        if S is None:
            S = y.new_zeros(len(y), self.heads, key.shape[-1], value.shape[-1])
        for t in range(y.shape[1]):
            for i in range(self.factors):
                k = key[:, t, i, :, :, None]
                rest = value[:, t, i] - sum_by_halves(k * S, 2)
                S = S + k * (beta[:, t, i] * rest)[:, :, None]
            read.append(sum_by_halves(query[:, t, :, :, None] * S, 2))
        states[layer] = S
        out = self.round(torch.stack(read, 1) / math.sqrt(S.shape[2]))
        return self.linear(self.norm(out, at + "o_norm").flatten(2), at + "o_proj")

    def run(self, tokens, states):
        """Returns the logits after each of its own tokens [B, T]; changes the list of states."""
        x = self.weight("model.embeddings")[tokens]
        for layer in range(self.layers):
            at = f"model.layers.{layer}."
            x = self.round(x + self.mix(self.norm(x, at + "attn_norm"), states, layer))
            y = self.norm(x, at + "mlp_norm")
            gate, up = (self.linear(y, f"{at}mlp.{name}_proj") for name in ("gate", "up"))
            x = self.round(x + self.linear(self.round(F.silu(gate) * up), at + "mlp.down_proj"))
        return F.linear(self.norm(x, "model.norm"), self.weight("lm_head"))

    def forward(self, letters, state=None):
        """Returns the labels [B, T] after each letter, -1 for a token that is none, and the state.
        An answer that is not one-hot is an error."""
        states, before = state or self.start(len(letters))
        if letters.shape[1] == 0:
            return letters, (states, before)
        states = list(states)
        with torch.no_grad(), torch.autocast(letters.device.type, enabled=False):
            logits = self.run(torch.where(letters < 0, self.idle, letters), states)
        logits = logits[..., : self.labels]
        ones = (logits == 1).sum(-1) == (letters >= 0)
        if not (ones.all() and ((logits == 0) | (logits == 1)).all()):
            raise ArithmeticError("the branch gave a label that is not one-hot: this device or "
                                  "PyTorch rounds in a way that branch/ is not made for")
        # A token that is no letter has the label of the last letter before it.
        at = torch.arange(1, letters.shape[1] + 1, device=letters.device)
        last = torch.where(letters < 0, 0, at).cummax(1).values
        labels = torch.cat([before[:, None], logits.argmax(-1)], 1).gather(1, last)
        return labels, (states, labels[:, -1])


class Injected(nn.Module):
    def __init__(self, base, branch, projection, about):
        super().__init__()
        self.base, self.branch = base, branch
        self.projection = nn.Parameter(projection)
        self.letters, self.labels = about["fsa_letters"], about["label_names"]
        pairs, number = about["letter_tokens"], {a: i for i, a in enumerate(self.letters)}
        letter_of = torch.full((about["base_model"]["vocab_size"],), -1)
        for pair in pairs:
            letter_of[pair["token"]] = number[pair["letter"]]
        self.register_buffer("letter_of", letter_of, persistent=False)

    def letters_in(self, input_ids, attention_mask=None):
        """Returns the number of the letter of each token, -1 where it is none."""
        known = input_ids < len(self.letter_of)
        letters = torch.where(known, self.letter_of[torch.where(known, input_ids, 0)], -1)
        if attention_mask is not None and attention_mask.dim() == 2:
            seen = attention_mask[:, attention_mask.shape[1] - input_ids.shape[1] :]
            letters = torch.where(seen.bool(), letters, -1)
        return letters

    def columns(self, labels, dtype):
        """Returns the projection's column for each label; -0 for -1."""
        none = self.projection.new_full((1, len(self.projection)), -0.0)
        return F.embedding(labels + 1, torch.cat([none, self.projection.t()])).to(dtype)

    def forward(self, input_ids, past=None, attention_mask=None, **options):
        """Returns Output. The options go to the old model: use_cache=False, position_ids, ..."""
        old, state = past or ({}, None)
        labels, state = self.branch(self.letters_in(input_ids, attention_mask), state)
        embedded = self.base.get_input_embeddings()(input_ids)
        embedded = embedded + self.columns(labels, embedded.dtype)
        if attention_mask is not None:
            options["attention_mask"] = attention_mask
        options.setdefault("use_cache", True)
        out = self.base(inputs_embeds=embedded, **old, **options)
        name = next((name for name in CACHES if out.get(name) is not None), None)
        return Output(out["logits"], labels, ({name: out[name]} if name else {}, state), out)


def load_base(folder, about, dtype, **options):
    """Returns the old model; refuses one that lacks tensors, which transformers would draw at
    random."""
    try:
        import transformers
    except ImportError as error:
        raise RuntimeError("model.py needs transformers for base/: pip install transformers"
                           f" ({error})") from error
    wanted, kind = about["base_model"]["transformers"], about["base_model"]["model_type"]
    if kind not in transformers.CONFIG_MAPPING:
        try:
            import fla  # flash-linear-attention adds its models
        except ImportError:
            pass  # the message below tells the type
    try:
        options[dtype_option(transformers)] = dtype or "auto"
        base, found = transformers.AutoModelForCausalLM.from_pretrained(
            folder, output_loading_info=True, **options)
    except (ValueError, KeyError, ImportError) as error:
        raise RuntimeError(
            f"transformers {transformers.__version__} does not load base/, a {kind} written with"
            f" {wanted or 'an unknown version'}: {error}") from error
    lacking = [*found["missing_keys"], *found["mismatched_keys"]]
    if lacking:
        raise RuntimeError("base/ lacks tensors that the model needs: "
                           + ", ".join(sorted(map(str, lacking))))
    return base


def dtype_option(transformers):
    """Returns what from_pretrained calls the type."""
    version = transformers.__version__.split(".")
    return "dtype" if (int(version[0]), int(version[1])) >= (4, 56) else "torch_dtype"


def load(folder, dtype=None, device=None, **options):
    """Returns the module, in eval mode. dtype is the old model's (default: as it was stored); the
    options go to transformers' from_pretrained."""
    about = read_json(folder, "inject.json")
    sizes = len(about["fsa_letters"]), len(about["label_names"])
    branch = Branch(os.path.join(folder, "branch"), *sizes)
    start = about["start_label"]
    if branch.start_label != (-1 if start is None else about["label_names"].index(start)):
        raise ArithmeticError("the branch does not start with the label of the empty word")
    base = load_base(os.path.join(folder, "base"), about, dtype, **options)
    base.requires_grad_(False)
    projection = read_tensors(os.path.join(folder, "inject.safetensors"))["projection"]
    net = Injected(base, branch, projection, about).eval()
    return net if device is None else net.to(device)


def save_projection(net, path):
    """Writes the projection as inject.safetensors has it."""
    data = net.projection.detach().float().cpu().contiguous().numpy().astype("<f4").tobytes()
    header = json.dumps({"__metadata__": {"format": "pt"}, "projection": {
        "dtype": "F32", "shape": list(net.projection.shape), "data_offsets": [0, len(data)]}})
    header += " " * (-len(header) % 8)
    temporary = f"{path}.f2l-tmp-{os.urandom(3).hex()}"
    with open(temporary, "xb") as file:
        file.write(len(header).to_bytes(8, "little") + header.encode() + data)
    os.replace(temporary, path)


def check(folder):
    """Prints what was checked: the files, and that the logits are the old model's bit for bit while
    the projection is -0."""
    changed = []
    for file in read_json(folder, "inject.json")["files"]:
        hashed = hashlib.sha256()
        with open(os.path.join(folder, file["name"]), "rb") as opened:
            for block in iter(lambda: opened.read(1 << 20), b""):
                hashed.update(block)
        if hashed.hexdigest() != file["sha256"]:
            changed.append(file["name"])
    print("files: " + ("changed: " + ", ".join(changed) if changed else "as they were written"))
    net = load(folder)
    if net.projection.any():
        print("projection: trained; the logits are not compared")
        return not changed
    torch.manual_seed(1)
    tokens = torch.randint(len(net.letter_of), (2, 100))
    with torch.no_grad():
        same = torch.equal(net(tokens, use_cache=False).logits,
                           net.base(tokens, use_cache=False).logits)
    print(f"2 x 100 random tokens: {'bit for bit' if same else 'NOT'} the logits of base/ alone")
    return same and not changed


if __name__ == "__main__":
    sys.exit(not check(os.path.dirname(os.path.abspath(__file__))))
