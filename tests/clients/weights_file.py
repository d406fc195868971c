"""Reads weights.safetensors and steps its heads: json for the header, NumPy for the numbers."""

import json
import struct
from fractions import Fraction

import numpy as np

from automaton_file import require


def read_tensor(info, data):
    begin, end = info["data_offsets"]
    raw, shape = data[begin:end], info["shape"]
    if info["dtype"] == "BF16":
        flat = (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
    else:
        flat = np.frombuffer(
            raw, {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4"}[info["dtype"]]
        )
    require(flat.size == np.prod(shape, dtype=int), "a tensor does not fill its shape")
    return flat.reshape(shape).astype(np.int64 if info["dtype"] == "I32" else np.float64)


def read_safetensors(raw):
    (length,) = struct.unpack("<Q", raw[:8])
    header, data = json.loads(raw[8 : 8 + length].decode("utf-8")), raw[8 + length :]
    metadata = header.pop("__metadata__")
    spans = sorted(info["data_offsets"] for info in header.values())
    ends = [0] + [end for _, end in spans]
    require(
        [begin for begin, _ in spans] == ends[:-1] and ends[-1] == len(data),
        "the tensors leave gaps or overlap",
    )
    return metadata, {name: read_tensor(info, data) for name, info in header.items()}


class Head:
    """One head; a batch of states is an array [n, d, batch]. A head without a state of its own (in
    the blocks of wired networks) gets its number of columns from the caller. Keys and values are as
    in the file, in raw heads too, which differ in the check of their class only."""

    def __init__(self, tensors, prefix, columns=None, raw=False):
        part = {
            name[len(prefix) :]: tensor
            for name, tensor in tensors.items()
            if name.startswith(prefix)
        }
        self.initial, self.beta = part.get("initial"), part["beta"]
        if columns is None:
            columns = self.initial.shape[1]
        self.gate = part.get("gate", np.ones(len(self.beta)))
        self.raw, (self.letters, factors) = raw, self.beta.shape
        self.bias = [self.read_bias(part, x) for x in range(self.letters)]  # None, or dense
        self.factors = [[] for _ in range(self.letters)]  # (beta, indices, key, dense value)
        for x in range(self.letters):
            for j in range(factors):
                index, key = self.sparse(part, "key", x, j)
                column, write = self.sparse(part, "value", x, j)
                value = np.zeros(columns)
                value[column] = write
                if self.beta[x, j] != 0:
                    self.factors[x].append((self.beta[x, j], index, key, value))

    def read_bias(self, part, x):
        if "bias" in part:
            return part["bias"][x]
        if "bias_index" not in part:
            return None
        bias, index = np.zeros(self.initial.size), part["bias_index"][x]
        bias[index[index >= 0]] = part["bias_value"][x][index >= 0]
        return bias.reshape(self.initial.shape)

    @staticmethod
    def sparse(part, kind, x, j):
        if kind in part:
            index = np.flatnonzero(part[kind][x, j])
            return index, part[kind][x, j][index]
        index = part[f"{kind}_index"][x, j]
        return index[index >= 0], part[f"{kind}_value"][x, j][index >= 0]

    def step(self, letter, states):
        S = states * self.gate[letter]
        for beta, index, key, value in self.factors[letter]:
            r = np.tensordot(key, S[index], 1) - value[:, None]
            S[index] -= beta * key[:, None, None] * r
        return S if self.bias[letter] is None else S + self.bias[letter][:, :, None]


def letter_classes(automaton, metadata):
    """Returns the class of each letter, for which the tensors of the first layer have a row."""
    letters = len(automaton.letters)
    classes = np.array(json.loads(metadata.get("letter_classes", str(list(range(letters))))))
    require(classes.shape == (letters,), "classes of other letters")
    first = [int(np.argmax(classes == c)) for c in range(classes.max() + 1)]
    require(first == sorted(first) and classes.min() == 0, "classes in another order")
    for row in automaton.next:
        require(
            all(row[first[c]] == q for c, q in zip(classes, row)), "a class that acts in two ways"
        )
    return classes


def check_class(heads, exact):
    """Checks 0 <= gate <= 1, 0 <= beta <= 2 and keys of norm 1, in raw heads beta norm^2 <= 2: by
    rationals, unless the weights are rounded."""
    for head in heads:
        require(np.all((head.gate >= 0) & (head.gate <= 1)), "a gate is out of range")
        for beta, _, key, _ in (factor for letter in head.factors for factor in letter):
            norm2 = sum(Fraction(k) ** 2 for k in key.tolist()) if exact else float(key @ key)
            require(0 < beta and (beta <= 2 or head.raw), "a beta is out of range")
            if head.raw:
                require(
                    (Fraction(float(beta)) if exact else beta) * norm2 <= 2,
                    "beta norm^2 of a raw key is over 2",
                )
                continue
            require(
                norm2 == 1 if exact else abs(norm2 - 1) < 1e-14,
                f"a key has norm^2 {float(norm2)!r}",
            )
