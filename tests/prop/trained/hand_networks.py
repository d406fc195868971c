"""Small learned networks that are made by hand, near the edges of what horizon-check may believe:
right ones, and ones that are wrong by little. Betas at 0, at 2, and beside these by some units in
the last place; keys that are 0, short, nearly dependent, or with a number near half of the largest;
ties in the read-out; numbers that are not finite; starts; begin letters; automata with other
letters, starts, sinks and states that no word leads to.

A letter has a coordinate of its own that is 1 before the mixer, so that the columns of projections
are what letters do; the read-out takes the nearest of some codes, and its rows are those codes."""

import itertools
import json
import math
import random
from typing import NamedTuple

import numpy as np
from trained import run_files
from trained.run_files import MIXER

EPSILON = 1e-06
CONFIG = {
    "schema": 1,
    "data": {
        "kind": "automaton", "when": "every", "automaton": "0" * 64, "states": 0,
        "label": "states", "weights": None, "tokens": 1,
    },
    "model": {},
    "train": {
        "steps": 1, "rate": 0.01, "beta1": 0.9, "beta2": 0.95, "epsilon": 1e-08,
        "weight_decay": 0.01, "clip": 1.0, "warmup": 0, "decay": "linear", "decay_from": 0,
        "last_rate": 0.0, "log_every": 100, "evaluate_every": 0, "lengths": [16],
        "sequences": 64, "target": 0.0, "divergence": 10.0,
    },
    "curriculum": {
        "start": 4, "limit": 16, "threshold": 0.9, "patience": 1, "shorter_too": False
    },
    "batch": 32, "positions": 1024, "seed": 1,
}  # fmt: skip


class Machine(NamedTuple):
    """States are numbers; `next` has a row for each."""

    start: int
    next: list

    def text(self):
        letters = [f"a{i}" for i in range(len(self.next[0]))]
        lines = ["fsa 1", f"letters {' '.join(letters)}"]
        lines += [f"states {' '.join(f'q{i}' for i in range(len(self.next)))}"]
        lines += [f"start q{self.start}"]
        for q, row in enumerate(self.next):
            lines += [f"q{q} {letters[w]} q{to}" for w, to in enumerate(row)]
        return "\n".join(lines) + "\n"


class Shape(NamedTuple):
    letters: int
    begin: bool
    heads: int
    factors: int
    keys: int
    values: int
    mlp: int
    negative: bool
    additive: bool
    exact: bool
    ternary: bool
    slope: float

    @property
    def tokens(self):
        return self.letters + self.begin

    @property
    def width(self):
        return self.tokens + 1 + self.heads * self.values


class Acts(NamedTuple):
    """What letters do, as numbers before SiLU, a root or a sigmoid: query [heads][keys], key
    [tokens][factors][heads][keys], beta [tokens][factors][heads], value, start."""

    query: np.ndarray
    key: np.ndarray
    beta: np.ndarray
    value: np.ndarray
    start: np.ndarray


def model_of(s, labels):
    model = {
        "letters": s.tokens, "labels": labels, "layers": 1, "width": s.width, "mlp": s.mlp,
        "convolution": 0, "epsilon": EPSILON, "mixer": "delta-product", "negative": s.negative,
        "heads": s.heads, "householders": s.factors, "key_dim": s.keys, "value_dim": s.values,
        "slope": s.slope, "additive": s.additive, "learned_start": True, "forget_gate": False,
        "silu_keys": False, "normalise_keys": True, "channels": 1, "states": 1, "step_rank": 1,
    }  # fmt: skip
    if s.exact:
        model.update(clamped_betas=True, exact_keys=True)
    if s.ternary:
        model.update(ternary_keys=True)
    return {name: model[name] for name in run_files.MODEL if name in model}


def flat(x, rows):
    return np.reshape(x, (rows, math.prod(x.shape[1:])))


def tensors_of(s, acts, codes, rng):
    """Returns {name: array}; codes [labels][heads values] are the rows of the read-out."""
    n, hv = s.width, s.heads * s.values
    scale = math.sqrt((1 + 1) / n + EPSILON)  # of an embedding: its own coordinate, and a 1
    own, gain = np.eye(n)[: s.tokens], 4.0
    embedding = own + np.eye(n)[s.tokens]
    columns = {
        "q_proj.weight": np.repeat(acts.query[None], s.tokens, 0),
        "k_proj.weight": acts.key,
        "v_proj.weight": acts.value,
        "b_proj.weight": acts.beta / s.slope,
    }
    w = {
        MIXER + name: flat(x * scale, s.tokens).T @ own for name, x in columns.items()
    }
    w["embedding.weight"] = embedding
    w["layers.0.mixer_norm.weight"] = own.sum(0)
    w[MIXER + "initial_state"] = acts.start
    w[MIXER + "o_norm.weight"] = np.ones(s.values)
    w[MIXER + "o_proj.weight"] = gain * np.eye(n)[:, s.tokens + 1 :]
    w["layers.0.mlp_norm.weight"] = np.ones(n)
    for name, shape in (("gate", (s.mlp, n)), ("up", (s.mlp, n)), ("down", (n, s.mlp))):
        w[f"layers.0.mlp.{name}_proj.weight"] = rng.normal(0, 10.0 ** -rng.integers(1, 5), shape)
    w["norm.weight"] = np.ones(n)
    head = np.zeros((len(codes), n))
    head[:, s.tokens + 1 :] = codes
    head[:, s.tokens] = -gain * (codes * codes).sum(1) / 2
    w["head.weight"] = head
    wanted = run_files.shapes(model_of(s, len(codes)))
    return {name: np.reshape(w[name], shape).astype(np.float32) for name, shape in wanted.items()}


def files_of(s, machine, tensors, labels):
    """Returns the files, with an empty certificate."""
    config = json.loads(json.dumps(CONFIG))
    config["model"] = model_of(s, labels)
    config["data"]["states"] = len(machine.next)
    if s.begin:
        config["data"] = {"kind": "automaton", "when": "every", "begin": True, **config["data"]}
    data = b"".join(np.ascontiguousarray(x, "<f4").tobytes() for x in tensors.values())
    weights = run_files.weights_of(config["model"], data)
    text = run_files.config_text(config).encode()
    return run_files.rehashed(run_files.Files(machine.text().encode(), text, weights, b""))


# --- what letters do ---


def beside(rng, x):
    """Returns x, or a number beside it."""
    return x * (1 + rng.choice((-1, 1)) * 2.0 ** -rng.randint(8, 26))


def beta_exact(rng, odd):
    """Returns a beta before it is clamped: far outside its range, or in odd networks near or in
    it."""
    sign = rng.choice((-1, 1, 1))
    if rng.random() < odd:
        return sign * rng.choice((2, beside(rng, 2), beside(rng, 2), rng.uniform(0, 2), 1e30))
    return sign * rng.uniform(2.1, 20)


def key_exact(rng, keys, odd):
    t = [rng.choice((-1, 0, 1)) for _ in range(keys)]
    y = np.array([x * rng.uniform(0.8, 1) if x else rng.uniform(-0.4, 0.4) for x in t])
    if rng.random() < 0.1:
        y[:] = 0
    if rng.random() < odd and y.any():
        kind, most = rng.randrange(4), abs(y).argmax()
        if kind == 0:
            y[rng.randrange(keys)] = y[most] * rng.choice((0.5, beside(rng, 0.5), -0.5))
        elif kind == 1:
            y *= 2.0 ** -rng.randint(10, 140)
        elif kind == 2:
            y[:] = y[most] * np.eye(keys)[most]
        else:
            y *= 2.0 ** rng.randint(1, 100)
    return y


def acts_exact(rng, s, odd):
    shape = s.tokens, s.factors, s.heads
    key, beta = np.zeros((*shape, s.keys)), np.zeros(shape)
    for at in itertools.product(*map(range, shape)):
        key[at], beta[at] = key_exact(rng, s.keys, odd), beta_exact(rng, odd)
    query = np.array([[rng.uniform(0.3, 1) for _ in range(s.keys)] for _ in range(s.heads)])
    if rng.random() < odd:
        query *= rng.choice((0.0, 2.0**-21, 2.0**-60, -1.0))
    small = [-2.0, -1.0, 1.0, 2.0, 3.0]
    start = np.array([rng.choice(small) for _ in range(s.heads * s.keys * s.values)])
    value = np.array([rng.choice(small) for _ in range(math.prod(shape) * s.values)])
    if rng.random() < 0.2:
        start[:] = 0
    value, start = value.reshape(*shape, s.values), start.reshape(s.heads, s.keys, s.values)
    return Acts(query, key, beta, value, start)


def key_sigmoid(rng, s, h_keys):
    """Returns a key for usual networks; near one of the head's other keys, sometimes."""
    y = np.array([rng.gauss(0, 1) for _ in range(s.keys)])
    kind = rng.random()
    if kind < 0.1:
        y[:] = 0
    elif kind < 0.3 and h_keys:
        y = rng.choice(h_keys) * rng.choice((1, -1, 2)) + y * 2.0 ** -rng.randint(3, 40)
    elif kind < 0.4:
        y *= 2.0 ** -rng.randint(8, 140)
    return y


def acts_sigmoid(rng, s):
    shape, before = (s.tokens, s.factors, s.heads), [[] for _ in range(s.heads)]
    key = np.zeros((*shape, s.keys))
    for at in itertools.product(*map(range, shape)):
        key[at] = key_sigmoid(rng, s, before[at[2]])
        before[at[2]].append(key[at])
    beta = [rng.choice((rng.gauss(0, 2), rng.gauss(0, 20))) for _ in range(math.prod(shape))]
    size = rng.choice((1, 1, 1, 1e-3, 1e3))
    value = np.array([rng.gauss(0, size) for _ in range(math.prod(shape) * s.values)])
    start = np.array([rng.gauss(0, size) for _ in range(s.heads * s.keys * s.values)])
    query = np.array([[rng.gauss(0, 1) for _ in range(s.keys)] for _ in range(s.heads)])
    start = start.reshape(s.heads, s.keys, s.values) * rng.choice((0, 1, 1))
    value = value.reshape(*shape, s.values)
    return Acts(query, key, np.reshape(beta, shape), value, start)


# --- automata ---


def random_machine(rng, letters, states):
    return Machine(
        rng.randrange(states),
        [[rng.randrange(states) for _ in range(letters)] for _ in range(states)],
    )


def other_machine(rng, machine):
    """Returns the automaton with one thing changed; its states stay the same."""
    states, letters = len(machine.next), len(machine.next[0])
    rows = [list(row) for row in machine.next]
    kind = rng.randrange(4)
    if kind == 0:
        rows[rng.randrange(states)][rng.randrange(letters)] = rng.randrange(states)
    elif kind == 1:
        order = list(range(letters))
        rng.shuffle(order)
        rows = [[row[w] for w in order] for row in rows]
    elif kind == 2:
        rows[rng.randrange(states)] = [rng.randrange(states)] * letters
    else:
        return machine._replace(start=rng.randrange(states))
    return machine._replace(next=rows)
