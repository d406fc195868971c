"""Parity in a raw head with a value and a bias, as tensors, right ones and wrong ones: 1 does S <-
S - 1/2 * 2 (2 S - 1) + 2 = 3 - S, from S = 1."""

import hashlib
import json

import numpy as np

AUTOMATON = (
    "fsa 1\nletters 0 1\nstates even odd\nstart even\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1"
    " even\n"
)


def network():
    tensors = {
        "beta": np.array([[0], [0.5]]),
        "key": np.array([[[0.0]], [[2]]]),
        "value": np.array([[[0.0]], [[1]]]),
        "initial": np.array([[1.0]]),
        "bias": np.array([[[0.0]], [[2]]]),
    }
    return {f"layers.0.heads.0.{name}": tensor for name, tensor in tensors.items()}


def cases():
    """Yields (name, right or not, words of the output, metadata, tensors)."""
    about = {
        "format": "bf16",
        "fsa_sha256": hashlib.sha256(AUTOMATON.encode()).hexdigest(),
        "label": "states",
        "letters": json.dumps(["0", "1"]),
        "raw": json.dumps(["layers.0.heads.0"]),
        "rounding": "exact",
        "schema": "1",
        "states": json.dumps(["even", "odd"]),
        "tool": "fsa2lrnn",
    }
    right, head = network(), "layers.0.heads.0."
    sparse = {name: tensor for name, tensor in right.items() if not name.endswith(".bias")}
    sparse[head + "bias_index"], sparse[head + "bias_value"] = np.array([[-1], [0]]), np.array(
        [[0.0], [2]]
    )
    yield "dense", True, "2 hidden states", about, right
    yield "sparse bias", True, "2 hidden states", about, sparse
    yield (
        "not said to be raw",
        False,
        "class: ",
        {k: v for k, v in about.items() if k != "raw"},
        right,
    )
    yield (
        "another is raw",
        False,
        "tensors: ",
        {
            **about,
            "raw": json.dumps(["layers.0.heads.1"]),
        },
        right,
    )
    yield "no value", False, "closure: ", about, {**right, head + "value": np.zeros((2, 1, 1))}
    yield (
        "wrong bias",
        False,
        "closure: ",
        about,
        {
            **right,
            head + "bias": np.array([[[0.0]], [[1]]]),
        },
    )
    # the key of 0 has no entry in the second row's coordinate, but is too long
    tall = {
        head + "initial": np.array([[0.0], [1]]),
        head + "beta": np.array([[1], [0.5]]),
        head + "value": right[head + "value"],
        head + "key": np.array([[[2.0, 0]], [[0, 2]]]),
        head + "bias": np.array([[[0.0], [0]], [[0], [2]]]),
    }
    yield "a key that is too long", False, "class: beta norm^2", about, tall
