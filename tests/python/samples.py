"""What the tests share: automata, random words, and a network's arrays run by NumPy."""

import os
import random
import subprocess
from functools import lru_cache
from pathlib import Path

import numpy as np

import fsa2lrnn as f

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ["F2L_BUILD"])
PARITY = "start even\naccept odd\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n"
# What `new` is asked for, options of compile, and the statement of the network.
LAYERED = [
    ("parity", {}, "T3"),
    ("symmetric 3", {}, "T3"),
    ("quaternion", {"layers": 1, "key_dim": 2}, "R2"),
    ("dihedral 5", {"layers": 2, "householders": 1, "formats": "bf16"}, "D2"),
    ("cyclic 7", {"layers": 2, "householders": 1, "formats": "bf16"}, "T5"),
    ("tomita 7", {"layers": 2, "cascade": "holonomy"}, "R4.8"),
    ("tomita 3", {"label": "accept"}, "T4"),
    ("random 6 2 4", {"gated": True}, "T4"),
    ("tomita 7", {"target": "diagonal-positive"}, "R8"),
    ("elevator 5", {}, "K.6"),
    ("flipflop", {"target": "diagonal"}, "G"),
]


def new(kind):
    """Returns the automaton of `fsa2lrnn new KIND ..`."""
    argv = [BUILD / "fsa2lrnn", "new", *kind.split()]
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True)
    return f.parse(done.stdout, name=kind)


@lru_cache(maxsize=None)
def layered(kind, statement):
    """Returns the network of a row of LAYERED, and its option label."""
    options = next(o for k, o, s in LAYERED if (k, s) == (kind, statement))
    net = f.compile(new(kind), **options)
    assert net.report["construction"]["theorem"] == statement
    return net, options.get("label", "states")


def words(count, letters, length, seed):
    """Returns random words of letter numbers."""
    rng = random.Random(seed)
    return [[rng.randrange(letters) for _ in range(length)] for _ in range(count)]


def labels(a, kind, word):
    """Returns the labels after every letter, from the automaton's table."""
    state, found = a.start, []
    for x in word:
        edge = a.edge_outputs[state][x] if kind == "edges" else None
        state = int(a.next[state, x])
        accept = None if a.accept is None else ("accept" if a.accept[state] else "reject")
        output = a.outputs[state] if kind == "outputs" else None
        found.append(
            {"states": a.states[state], "accept": accept, "edges": edge, "outputs": output}[kind]
        )
    return found


def replay(net, word):
    """Returns the labels of a network of layers from its arrays alone."""
    states = [[head.initial.copy() for head in layer.heads] for layer in net.layers]
    found = []
    for letter in word:
        x = net.letter_classes[letter]
        for layer, state in zip(net.layers, states):
            far = 0
            for h, head in enumerate(layer.heads):
                s = state[h] if head.gate is None else state[h] * head.gate[x]
                for beta, k, v in zip(head.beta[x], head.key[x], head.value[x]):
                    s = s - beta * np.outer(k, k @ s - v)
                state[h] = s = s if head.bias is None else s + head.bias[x]
                far = far + ((head.codes - s) ** 2).sum((1, 2))
            x = layer.symbols[x, np.argmin(far)]
        found.append(net.labels[x])
    return found
