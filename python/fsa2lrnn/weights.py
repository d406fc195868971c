"""The weights of a network in layers as NumPy arrays (docs/formats.md, weights.safetensors)."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Dict

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Tensors = Dict[str, NDArray[np.generic]]
_TYPES = {"BF16": "<u2", "F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4"}


def parse(raw: bytes) -> tuple[dict[str, str], Tensors]:
    """Returns the metadata and the tensors of a safetensors file, BF16 as float32."""
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    about: dict[str, str] = header.pop("__metadata__")
    tensors: Tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        flat = np.frombuffer(raw[start + begin : start + end], _TYPES[entry["dtype"]])
        if entry["dtype"] == "BF16":  # the upper half of a float32
            flat = (flat.astype("<u4") << 16).view("<f4")
        tensors[name] = flat.reshape(entry["shape"])
    return about, tensors


def _frozen(array: NDArray[np.generic]) -> Array:
    out = np.array(array, np.float64)
    out.flags.writeable = False
    return out


class Head:
    """A head of a layer. For the letter x that the layer reads, its state S [n, d] becomes
    gate[x] S, then for each factor i in order S - beta[x, i] k (k^T S - v^T) with k = key[x, i] and
    v = value[x, i], and then bias[x] is added. All arrays are float64 and read-only.
    """

    def __init__(self, prefix: str, tensors: Tensors) -> None:
        self._prefix, self._tensors = prefix, tensors
        #: [letters, n_h] factors; letters with fewer factors are padded with 0
        self.beta = _frozen(tensors[prefix + "beta"])
        #: [n, d] the state before the first letter
        self.initial = _frozen(tensors[prefix + "initial"])

    def _dense(self, name: str, shape: tuple[int, ...]) -> Array | None:
        """Returns a tensor whose last axes are `shape`; -1 in an index is padding."""
        full = self._prefix + name
        if full in self._tensors:
            return _frozen(self._tensors[full])
        if full + "_index" not in self._tensors:
            return None
        index = np.asarray(self._tensors[full + "_index"], np.int64)
        out = np.zeros((*index.shape[:-1], int(np.prod(shape)) + 1))
        np.put_along_axis(out, index, _frozen(self._tensors[full + "_value"]), -1)
        return _frozen(out[..., :-1].reshape(*index.shape[:-1], *shape))

    def _needed(self, name: str, shape: tuple[int, ...]) -> Array:
        array = self._dense(name, shape)
        assert array is not None, name
        return array

    @cached_property
    def key(self) -> Array:
        """[letters, n_h, n] keys, of length 1 in exact arithmetic unless the head is raw."""
        return self._needed("key", self.initial.shape[:1])

    @cached_property
    def value(self) -> Array:
        """[letters, n_h, d] values."""
        return self._needed("value", self.initial.shape[1:])

    @cached_property
    def gate(self) -> Array | None:
        """[letters] gates; None where all are 1."""
        return self._dense("gate", ())

    @cached_property
    def bias(self) -> Array | None:
        """[letters, n, d] biases; None where there is none."""
        return self._dense("bias", self.initial.shape)

    @cached_property
    def codes(self) -> Array:
        """[codes, n, d] the states that the layer's decoder tells apart."""
        return self._needed("codes", self.initial.shape)

    @cached_property
    def boxes(self) -> tuple[Array, Array] | None:
        """Low and high ends [codes, n, d] of the boxes that codes have; None where they are
        points."""
        low, high = self._dense("low", self.initial.shape), self._dense("high", self.initial.shape)
        return None if low is None or high is None else (low, high)

    def matrix(self, letter: int) -> Array:
        """Returns A [n, n] of a letter of the layer: its state S becomes A S + b.

        >>> from fsa2lrnn import compile, regex
        >>> compile(regex("(aa)*"), label="accept").layers[0].heads[0].matrix(0)
        array([[-1.]])
        """
        a: Array = np.eye(len(self.initial)) * (1 if self.gate is None else self.gate[letter])
        for beta, key in zip(self.beta[letter], self.key[letter]):
            a = a - beta * np.outer(key, key @ a)
        return a

    def __repr__(self) -> str:
        (letters, factors), (n, d) = self.beta.shape, self.initial.shape
        return f"<Head: letters {letters}, n_h {factors}, n {n}, d {d}>"


class Layer:
    """A layer: heads side by side and their decoder."""

    def __init__(self, number: int, tensors: Tensors) -> None:
        at = f"layers.{number}."
        found = (re.match(re.escape(at) + r"heads\.(\d+)\.beta$", name) for name in tensors)
        numbers = sorted(int(m[1]) for m in found if m)
        #: the heads
        self.heads = tuple(Head(f"{at}heads.{h}.", tensors) for h in numbers)
        part, reads, first, entries = (
            np.asarray(tensors[at + name], np.int64)
            for name in ("part", "reads", "yield_at", "yield")
        )
        self._decoder = part, reads, first, entries

    @property
    def letters(self) -> int:
        """Number of letters that the layer reads."""
        return len(self._decoder[1])

    @property
    def codes(self) -> int:
        """Number of codes of the layer's state."""
        return len(self._decoder[0])

    @cached_property
    def symbols(self) -> NDArray[np.int64]:
        """[letters, codes] what the layer gives after a letter in the state with a code: a letter
        of the next layer, or of the last one the number of a label; -1 where no word leads."""
        part, reads, first, entries = self._decoder
        table: NDArray[np.int64] = entries[first[:, None] + part[:, reads].T]
        table.flags.writeable = False
        return table

    def __repr__(self) -> str:
        return f"<Layer: letters {self.letters}, codes {self.codes}, {list(self.heads)}>"


def layers_of(tensors: Tensors) -> tuple[Layer, ...]:
    """Returns the layers of a file."""
    count = len([name for name in tensors if re.match(r"layers\.\d+\.reads$", name)])
    return tuple(Layer(i, tensors) for i in range(count))
