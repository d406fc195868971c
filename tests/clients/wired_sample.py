"""A wired network written by hand as tensors, and wrong ones made from it, which the replay must
accept and refuse.

It counts modulo 8 with the letters inc, reset, hold. Three stages share a block; each keeps one bit
twice and passes on the letter, the carry and the known part of the number; a circuit before them
makes the first carry and number, one after them drops what is not the label. States are named by
their numbers, and the start is 5."""

import hashlib
import json
import struct

import numpy as np

LETTERS, START, BITS = ["inc", "reset", "hold"], 5, 3
STATES = 1 << BITS
INC, RESET, HOLD = range(3)


def automaton():
    lines = [
        "fsa 1",
        "letters " + " ".join(LETTERS),
        "states " + " ".join(map(str, range(STATES))),
        f"start {START}",
    ]
    for q in range(STATES):
        lines += [f"{q} inc {(q + 1) % STATES}", f"{q} reset 0", f"{q} hold {q}"]
    return "\n".join(lines) + "\n"


def grid(function, *sizes):
    table = np.zeros(sizes, dtype=np.int32)
    for at in np.ndindex(*sizes):
        table[at] = function(*at)
    return table


def circuit(b, inputs, outputs, pre=(), post=()):
    """Returns the tensors of a block without heads; gates: (table, wires)."""
    tensors = {f"blocks.{b}.inputs": inputs, f"blocks.{b}.outputs": outputs}
    for name, gates in (("pre", pre), ("post", post)):
        tensors[f"blocks.{b}.{name}.table"] = [table for table, _ in gates]
        tensors[f"blocks.{b}.{name}.wire_at"] = np.cumsum([0] + [len(wires) for _, wires in gates])
        tensors[f"blocks.{b}.{name}.wire"] = [w for _, wires in gates for w in wires]
    for name in ("head", "row", "rows"):
        tensors[f"blocks.{b}.readouts.{name}"] = []
    tensors[f"blocks.{b}.readouts.codes_at"], tensors[f"blocks.{b}.readouts.codes"] = [0], np.zeros(
        (0, 0)
    )
    return tensors


def network(key):
    """Returns integer tensors as lists or integer arrays, the others as float arrays; key: the
    first head's, of norm 1."""
    n, value = len(key), np.array([1, 0.5])
    bit = [sign * np.outer(key, value) for sign in (1, -1)]
    copy = [np.array([[sign], [3.0]]) for sign in (1, -1)]
    tensors = {
        "tables.0": np.int32(1),
        "tables.1": np.int32(0),
        "tables.2": grid(lambda a, carry: a == INC and carry, 3, 2),  # flips the bit
        "tables.3": grid(lambda a, flip: 2 if a == RESET else flip, 3, 2),  # hold, flip, reset
        "tables.4": grid(lambda flip, bit: flip and bit == 0, 2, 2),  # carry
        "tables.5": grid(lambda number, bit: number // 2 + STATES // 2 * bit, STATES, 2),
        **circuit(0, [3], [0, 1, 2], [(0, []), (1, [])]),
        **circuit(
            1, [3, 2, STATES], [0, 8, 9], [(2, [0, 1]), (3, [0, 3])], [(4, [3, 6]), (5, [2, 5])]
        ),
        **circuit(2, [3, 2, STATES], [2]),
        # hold, flip and reset, which forgets by its gate
        "blocks.1.heads.0.slot_wire": [4],
        "blocks.1.heads.0.slot_at": [0, 3],
        "blocks.1.heads.0.gate": np.array([1.0, 1, 0]),
        "blocks.1.heads.0.beta": np.array([[0.0], [2], [1]]),
        "blocks.1.heads.0.key": np.array([[np.zeros(n)], [key], [key]]),
        "blocks.1.heads.0.value": np.array([[[0, 0]], [[0, 0]], [value]]),
        # reset writes -1 first (slot 0, by the letter), then 1 (slot 1); row 1 never changes
        "blocks.1.heads.1.slot_wire": [0, 4],
        "blocks.1.heads.1.slot_at": [0, 3, 6],
        "blocks.1.heads.1.beta": np.array([[0.0], [1], [0], [0], [2], [1]]),
        "blocks.1.heads.1.key": np.array([[[x, 0.0]] for x in (0, 1, 0, 0, 1, 1)]),
        "blocks.1.heads.1.value": np.array([[[x]] for x in (0.0, -1, 0, 0, 0, 1)]),
        "blocks.1.readouts.head": [0, 1, 1],
        "blocks.1.readouts.row": [0, 0, 1],
        "blocks.1.readouts.rows": [n, 1, 1],
        "blocks.1.readouts.codes_at": [0, 2, 4, 5],
        "blocks.1.readouts.codes": np.array(
            [code.ravel() for code in bit] + [[x] + [0] * (2 * n - 1) for x in (1, -1, 3)]
        ),
        "stages": [0] + [1] * BITS + [2],
    }
    for s in range(BITS):
        for h, states in enumerate((bit, copy)):
            tensors[f"stages.{s + 1}.heads.{h}.initial"] = states[START >> s & 1]
    return tensors


def sparse(tensors):
    """Returns the same network with keys, values, codes and initial states as indices and
    numbers."""
    out = {}
    for name, tensor in tensors.items():
        if name.endswith(".initial"):
            stage, head = name.split(".")[1], name.split(".")[3]
            block = tensors["stages"][int(stage)]
            out[f"blocks.{block}.heads.{head}.shape"] = np.array(np.shape(tensor))
            out[name + "_index"] = np.flatnonzero(tensor)
            out[name + "_value"] = np.ravel(tensor)[out[name + "_index"]]
            continue
        if name.rsplit(".", 1)[-1] not in ("key", "value", "codes"):
            out[name] = tensor
            continue
        rows = tensor.reshape(int(np.prod(tensor.shape[:-1])), tensor.shape[-1])
        entries = [np.flatnonzero(row) for row in rows]
        width = max(map(len, entries), default=0)
        index, value = np.full((len(rows), width), -1), np.zeros((len(rows), width))
        for i, at in enumerate(entries):
            index[i, : len(at)], value[i, : len(at)] = at, rows[i, at]
        out[name + "_index"] = index.reshape(*tensor.shape[:-1], width)
        out[name + "_value"] = value.reshape(*tensor.shape[:-1], width)
    return out


def metadata(exact, text):
    return {
        "format": "bf16" if exact else "fp64",
        "fsa_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "kind": "wired",
        "label": "states",
        "labels": json.dumps([str(q) for q in range(STATES)]),
        "letters": json.dumps(LETTERS),
        "rounding": "exact" if exact else "f64",
        "schema": "1",
        "start": str(START),
        "states": json.dumps([str(q) for q in range(STATES)]),
        "tool": "fsa2lrnn",
    }


def safetensors(about, tensors):
    header, data = {"__metadata__": about}, b""
    for name, tensor in tensors.items():
        tensor, start = np.asarray(tensor), len(data)
        if tensor.dtype.kind == "i" or not tensor.size and name.rsplit(".", 1)[-1] != "codes":
            dtype, raw = "I32", tensor.astype("<i4")
        elif about["format"] == "bf16":
            dtype, raw = "BF16", (tensor.astype("<f4").view("<u4") >> 16).astype("<u2")
        else:
            dtype, raw = "F64", tensor.astype("<f8")
        data += raw.tobytes()
        header[name] = {
            "dtype": dtype,
            "shape": list(tensor.shape),
            "data_offsets": [start, len(data)],
        }
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


HALVES, ROOTS = np.full(4, 0.5), np.array([1.0, -1, 0]) / np.sqrt(2)


def right():
    """Returns (name, metadata, tensors) of the networks that are right."""
    exact, rounded = metadata(True, automaton()), metadata(False, automaton())
    return [
        ("dense", exact, network(HALVES)),
        ("sparse", exact, sparse(network(HALVES))),
        ("rounded", rounded, network(ROOTS)),
        ("rounded, sparse", rounded, sparse(network(ROOTS))),
    ]


def swapped(array, i, j):
    array = np.array(array)
    array[[i, j]] = array[[j, i]]
    return array


def changed(array, at, value):
    array = np.array(array)
    array[at] = value
    return array


def wrong():
    """Yields (name, the check that must refuse it, metadata, tensors)."""
    about, all_right = metadata(True, automaton()), network(HALVES)
    cases = [  # (check, tensor, its new value; None: left out)
        ("random words", "tables.0", np.int32(0)),
        ("random words", "tables.2", changed(all_right["tables.2"], (HOLD, 1), 1)),
        ("random words", "tables.3", changed(all_right["tables.3"], (INC, 1), 0)),
        ("random words", "tables.4", changed(all_right["tables.4"], (1, 1), 1)),
        ("random words", "tables.5", changed(all_right["tables.5"], (6, 1), 0)),
        ("wiring", "tables.5", changed(all_right["tables.5"], (6, 1), STATES)),
        ("wiring", "tables.5", all_right["tables.5"][:-1]),
        ("random words", "blocks.1.heads.1.slot_wire", [4, 0]),
        ("wiring", "blocks.1.heads.0.slot_wire", [5]),
        ("wiring", "blocks.1.heads.0.slot_wire", [2]),
        ("random words", "blocks.1.heads.0.gate", np.array([1.0, 0.5, 0])),
        ("class", "blocks.1.heads.0.gate", np.array([1.0, 1.5, 0])),
        (
            "random words",
            "blocks.1.heads.0.beta",
            changed(all_right["blocks.1.heads.0.beta"], (2, 0), 0.5),
        ),
        (
            "class",
            "blocks.1.heads.0.beta",
            changed(all_right["blocks.1.heads.0.beta"], (1, 0), 2.5),
        ),
        ("class", "blocks.1.heads.0.key", changed(all_right["blocks.1.heads.0.key"], (1, 0, 0), 1)),
        ("random words", "blocks.1.heads.1.value", -all_right["blocks.1.heads.1.value"]),
        (
            "random words",
            "blocks.1.readouts.codes",
            swapped(all_right["blocks.1.readouts.codes"], 0, 1),
        ),
        (
            "random words",
            "blocks.1.readouts.codes",
            changed(all_right["blocks.1.readouts.codes"], (4, 0), 2),
        ),
        (
            "random words",
            "blocks.1.readouts.codes",
            changed(
                all_right["blocks.1.readouts.codes"], 1, all_right["blocks.1.readouts.codes"][0]
            ),
        ),
        ("wiring", "blocks.1.readouts.row", [0, 0, 0]),
        ("wiring", "blocks.1.pre.wire", [0, 1, 0, 4]),
        ("random words", "blocks.1.post.wire", [3, 6, 2, 6 + 1]),
        ("wiring", "blocks.1.outputs", [0, 9, 8]),
        ("wiring", "blocks.2.outputs", [1, 2]),
        ("tensors", "stages", [0, 1, 2, 1, 1]),
        ("random words", "stages.2.heads.0.initial", -all_right["stages.2.heads.0.initial"]),
        ("tensors", "stages.2.heads.0.initial", None),
        ("tensors", "blocks.0.pre.wire", None),
        ("tensors", "tables.7", grid(lambda a: a, 3)),
        ("wiring", "blocks.1.heads.0.scale", np.array([1.0])),
    ]
    for number, (check, name, value) in enumerate(cases):
        tensors = {k: v for k, v in all_right.items() if k != name}
        if value is not None:
            tensors[name] = value
        yield f"{number}: {name}", check, about, tensors
    for key, value, check in (
        ("start", "4", "random words"),
        ("labels", json.dumps(list("76543210")), "random words"),
        ("labels", json.dumps(list("0123456")), "wiring"),
        ("fsa_sha256", "0" * 64, "metadata"),
        ("letters", json.dumps(LETTERS[::-1]), "metadata"),
    ):
        yield f"metadata {key}", check, {**about, key: value}, all_right
