"""Reads a file of `fsa2lrnn vectors` with NumPy alone."""

import json
import struct
from pathlib import Path

import numpy as np

RESULTS = ("o", "final_state", "dq", "dk", "dv", "dbeta", "dg", "d_initial_state")


def to_single(data, dtype):
    """Returns the numbers of a tensor: fp32 holds all of them, cu_seqlens stay whole numbers."""
    if dtype == "BF16":
        return (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
    kind = {"F16": "<f2", "F32": "<f4", "I32": "<i4"}[dtype]
    array = np.frombuffer(data, kind)
    return array.astype(np.float32) if dtype == "F16" else array


def read_tensors(path):
    """Returns the metadata of a file of the format safetensors, and its tensors by name."""
    data = Path(path).read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    about, tensors = header.pop("__metadata__"), {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = to_single(data[begin:end], entry["dtype"]).reshape(entry["shape"])
    return about, tensors


class VectorFile:
    """One file: its metadata as attributes, its tensors as arrays by name."""

    def __init__(self, path):
        about, self.tensors = read_tensors(path)
        self.name, self.op = Path(path).stem, about["op"]
        self.format, self.keys = about["format"], about["keys"].split()
        self.factors, self.scale = int(about["factors"]), float(about["scale"])
        self.claims = about["claims"].split(", ")

    def __getitem__(self, name):
        return self.tensors.get(name)

    def results(self):
        """Returns the results by name, in a fixed order."""
        return {name: self.tensors[name] for name in RESULTS if name in self.tensors}

    def sequences(self):
        """Returns (batch, first token, token after the last) of every sequence."""
        if self["cu_seqlens"] is None:
            batch, tokens = self["q"].shape[:2]
            return [(b, 0, tokens) for b in range(batch)]
        ends = self["cu_seqlens"]
        return [(0, int(a), int(b)) for a, b in zip(ends[:-1], ends[1:])]


def find_files(folder):
    """Returns the vector files in a folder and those below it, sorted."""
    return sorted(Path(folder).rglob("*.safetensors"))
