"""Runs a stock model that `fsa2lrnn export` wrote, with PyTorch on the CPU and nothing else.

It does what flash-linear-attention's DeltaNet and GatedDeltaProduct, and transformers' OlmoHybrid,
do with the model's type: every number that they store is rounded to it. The delta rule steps one
factor after the other, in float32, on keys rounded to the type.
"""

import json
import math
import pathlib
import struct

import torch
from torch.nn.functional import silu

TYPES = {"BF16": torch.bfloat16, "F16": torch.float16}


def read_tensors(path):
    """Returns {name: tensor} of a safetensors file of 16-bit numbers."""
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + at for at in entry["data_offsets"])
        numbers = torch.frombuffer(bytearray(data[begin:end]), dtype=TYPES[entry["dtype"]])
        assert numbers.numel() == math.prod(entry["shape"])
        tensors[name] = numbers.reshape(entry["shape"])
    return tensors


class Model:
    """A model of the folder, which reads one token after the other. Its states are [heads, key
    dimension, value dimension]."""

    def __init__(self, folder):
        self.config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        self.tensors = read_tensors(pathlib.Path(folder) / "model.safetensors")
        self.prefix = json.loads((pathlib.Path(folder) / "prefix.json").read_text())
        self.kind = self.config["model_type"]
        self.olmo = self.kind == "olmo_hybrid"
        self.heads = self.config["linear_num_key_heads" if self.olmo else "num_heads"]
        self.factors = self.config.get("num_householder", 1)
        self.layers = self.config["num_hidden_layers"] - self.olmo
        self.dtype = next(iter(self.tensors.values())).dtype
        self.start()

    def start(self):
        """Goes back to the empty word, and returns the label after the prefix."""
        self.states = [None] * self.layers
        for token in self.prefix:
            label = self.step(token)
        return label

    def tensor(self, layer, name):
        return self.tensors[f"model.layers.{layer}.{name}.weight"]

    def linear(self, x, layer, name):
        return (self.tensor(layer, name).float() @ x.float()).to(self.dtype)

    def norm(self, x, weight, epsilon):
        wide = x.float()
        scaled = wide / torch.sqrt((wide * wide).mean(-1, keepdim=True) + epsilon)
        return (scaled * weight.float()).to(self.dtype)

    def keys(self, x):
        """Normalises in float32, as far as the kernel of long sequences does."""
        wide = x.float()
        unit = wide / torch.sqrt((wide * wide).sum(-1, keepdim=True) + 1e-6)
        return unit if self.olmo else unit.to(self.dtype).float()

    def mix(self, x, layer):
        """Returns what the heads of a layer add to the stream."""
        mixer = "linear_attn" if self.olmo else "attn"
        raw = [self.linear(x, layer, f"{mixer}.{name}_proj") for name in "qkv"]
        if self.kind != "delta_net":
            raw[:2] = [silu(raw[0].float()).to(self.dtype), silu(raw[1].float()).to(self.dtype)]
        query = self.keys(raw[0].reshape(self.heads, -1))
        key = self.keys(raw[1].reshape(self.factors, self.heads, -1))
        value = silu(raw[2].float()).to(self.dtype).float().reshape(self.factors, self.heads, -1)
        beta = torch.sigmoid(self.linear(x, layer, f"{mixer}.b_proj").float()).to(self.dtype)
        beta = (beta.float() * 2).reshape(self.factors, self.heads, 1, 1)
        state = self.states[layer]
        if state is None:
            state = torch.zeros(self.heads, key.shape[-1], value.shape[-1])
        for k, v, b in zip(key, value, beta):
            seen = (state * k[:, :, None]).sum(1)
            state = state + b * k[:, :, None] * (v - seen)[:, None, :]
        self.states[layer] = state
        out = ((state * query[:, :, None]).sum(1) / math.sqrt(key.shape[-1])).to(self.dtype)
        out = self.norm(out, self.tensor(layer, f"{mixer}.o_norm"), 1e-5 if self.olmo else 1e-6)
        if self.olmo:
            gate = self.linear(x, layer, f"{mixer}.g_proj").reshape(self.heads, -1)
            out = (out.float() * silu(gate.float())).to(self.dtype)
        return self.linear(out.reshape(-1), layer, f"{mixer}.o_proj")

    def step(self, token):
        """Reads a token and returns the number of the largest logit."""
        embedding = "model.embed_tokens" if self.olmo else "model.embeddings"
        before = ("attn_norm", "mlp_norm")
        if self.olmo:
            before = ("input_layernorm", "post_attention_layernorm")
        x = self.tensors[f"{embedding}.weight"][token]
        for layer in range(self.layers):
            x = x + self.mix(self.norm(x, self.tensor(layer, before[0]), 1e-6), layer)
            y = self.norm(x, self.tensor(layer, before[1]), 1e-6)
            gate = self.linear(y, layer, "mlp.gate_proj").float()
            inner = (silu(gate) * self.linear(y, layer, "mlp.up_proj").float()).to(self.dtype)
            x = x + self.linear(inner, layer, "mlp.down_proj")
        y = self.norm(x, self.tensors["model.norm.weight"], 1e-6)
        logits = self.tensors["lm_head.weight"].float() @ y.float()
        return int(logits.argmax())
