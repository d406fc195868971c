"""Looks for parts of the heads of trained networks that move by a double cover of the group.

    python3 tests/bench/cover_parts.py --out FILE RUN..

A run is a folder of `fsa2lrnn train` with one layer of the mixer delta whose letters are all the
elements of a group of permutations. In four dimensions two reflections are x -> p x q for unit
quaternions p and q with equal real parts. If q(a) q(b) = +-q(ab) for all letters a and b, or the
same holds in the other order or for p, this factor is a representation of a double cover of the
group, even where no product of two of the letters' matrices is one of these matrices.

Where a run has two such heads, words are answered with the state of one of them, or of both,
multiplied by -1: answers that stay right only with both are read from the product of both states.

What is found is seen in floating point, not proved."""

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))
from weights_file import read_safetensors

REFLECTS = 1.5  # betas above turn the part
FLAT = 0.1  # singular values of the keys below this fraction of the largest are 0


def silu(x):
    return x / (1 + np.exp(-x))


def quaternion_product(p, q):
    """Returns p q, for arrays [.., 4]."""
    (a, b, c, d), (e, f, g, h) = np.moveaxis(p, -1, 0), np.moveaxis(q, -1, 0)
    terms = (a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g)
    terms += (a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e)
    return np.stack(terms, axis=-1)


def swapped_product(p, q):
    return quaternion_product(q, p)


UNITS = np.eye(4)
# TWO_SIDED[i, j] is the matrix of x -> e_i x e_j
TWO_SIDED = np.array(
    [
        [
            np.array([quaternion_product(quaternion_product(i, k), j) for k in UNITS]).T
            for j in UNITS
        ]
        for i in UNITS
    ]
)


def factors(rotation):
    """Returns the quaternions p and q with rotation x = p x q."""
    left, size, right = np.linalg.svd(np.einsum("ijrs,rs->ij", TWO_SIDED, rotation) / 4)
    return left[:, 0], right[0] * size[0]


class Network:
    """The weights of a run, and what each letter does to each head."""

    def __init__(self, run):
        raw = (run / "weights.safetensors").read_bytes()
        metadata, self.tensor = read_safetensors(raw)
        self.sha256 = hashlib.sha256(raw).hexdigest()
        self.config = c = json.loads(metadata["config"])
        self.begins = json.loads((run / "config.json").read_text())["data"].get("begin", False)
        shape = (c["letters"], c["householders"], c["heads"], c["key_dim"])
        x = self.norm(self.tensor["embedding.weight"], "layers.0.mixer_norm")
        bend = silu if c["silu_keys"] else lambda y: y
        self.query = self.unit(bend(self.project(x, "q")).reshape(shape[0], shape[2], shape[3]))
        self.key = self.unit(bend(self.project(x, "k")).reshape(shape))
        self.beta = 2 / (1 + np.exp(-c["slope"] * self.project(x, "b").reshape(shape[:3])))
        value = np.zeros((*shape[:3], c["value_dim"]))
        if c["additive"]:
            value = silu(self.project(x, "v")).reshape(value.shape)
        self.matrix = np.tile(np.eye(shape[3]), (shape[0], shape[2], 1, 1))
        self.added = np.zeros((shape[0], shape[2], shape[3], c["value_dim"]))
        for n in range(shape[1]):
            k, beta = self.key[:, n], self.beta[:, n, :, None, None]
            for moved in (self.matrix, self.added):
                moved -= beta * np.einsum("ahk,ahj,ahjv->ahkv", k, k, moved)
            self.added += beta * np.einsum("ahk,ahv->ahkv", k, value[:, n])

    def unit(self, y):
        return y / np.sqrt((y * y).sum(-1, keepdims=True) + self.config["epsilon"])

    def norm(self, x, name):
        size = np.sqrt((x * x).mean(-1, keepdims=True) + self.config["epsilon"])
        return x / size * self.tensor[name + ".weight"]

    def project(self, x, name):
        return x @ self.tensor[f"layers.0.mixer.{name}_proj.weight"].T

    def begin(self, count):
        """Returns the states before the first letter."""
        start = self.tensor.get("layers.0.mixer.initial_state", self.added[-1])
        return np.broadcast_to(start, (count, *start.shape))

    def step(self, state, letter):
        return np.einsum("whij,whjv->whiv", self.matrix[letter], state) + self.added[letter]

    def answers(self, state, letter):
        t = self.tensor
        o = np.einsum("whkv,whk->whv", state, self.query[letter]) / self.config["key_dim"] ** 0.5
        o = self.norm(o, "layers.0.mixer.o_norm").reshape(len(letter), -1)
        x = t["embedding.weight"][letter] + self.project(o, "o")
        y = self.norm(x, "layers.0.mlp_norm")
        gate, up, down = (t[f"layers.0.mlp.{x}_proj.weight"] for x in ("gate", "up", "down"))
        x = x + (silu(y @ gate.T) * (y @ up.T)) @ down.T
        return (self.norm(x, "norm") @ t["head.weight"].T).argmax(1)


def products(run):
    """Returns the table of the group, [first letter][then letter]."""
    lines = re.findall(r'^permute "(.*)" ', (run / "automaton.fsa").read_text(), re.M)
    points = 1 + max(int(x) for x in re.findall(r"\d+", " ".join(lines)))
    group = []
    for line in lines:
        image = list(range(points))
        for cycle in re.findall(r"\(([\d ]+)\)", line):
            on = [int(x) for x in cycle.split()]
            for here, there in zip(on, on[1:] + on[:1]):
                image[here] = there
        group.append(tuple(image))
    number = {g: i for i, g in enumerate(group)}
    return np.array([[number[tuple(b[i] for i in a)] for b in group] for a in group])


def relation(element, table, multiply):
    """Returns the mean and the largest distance of multiply(x_b, x_a) from +-x_ab."""
    one, other = np.meshgrid(*[np.arange(len(table))] * 2, indexing="ij")
    found, wanted = multiply(element[other], element[one]), element[table]
    axes = tuple(range(2, found.ndim))
    far = [np.sqrt(((found - sign * wanted) ** 2).sum(axes)) for sign in (1, -1)]
    least = np.minimum(*far)
    return [float(f"{x:.3g}") for x in (least.mean(), least.max())]


def part_of(network, table, head):
    """Returns facts about a head's part of four dimensions and its basis; None: no such part."""
    letters = len(table)
    acting = network.beta[:letters, :, head] > REFLECTS
    size, direction = np.linalg.svd(network.key[:letters, :, head][acting])[1:]
    if acting.sum() < letters or (size > FLAT * size[0]).sum() != 4:
        return None
    basis = direction[:4].T
    inside = np.einsum("ki,akl,lj->aij", basis, network.matrix[:letters, head], basis)
    left, _, right = np.linalg.svd(inside)
    rotation = left @ right
    if (np.linalg.det(rotation) < 0).any():
        return None
    pair = np.array([factors(m) for m in rotation])
    sides = sorted(
        min(relation(pair[:, side], table, way) for way in (quaternion_product, swapped_product))
        for side in (0, 1)
    )
    facts = {
        "in_head": head + 1,
        "from_rotations": float(f"{np.sqrt(((inside - rotation) ** 2).sum((1, 2))).max():.3g}"),
        "matrices_up_to_sign": relation(rotation, table, np.matmul),
        "nearer_factor_up_to_sign": sides[0],
        "other_factor_up_to_sign": sides[1],
    }
    return facts, basis


def answers(network, table, parts, length, words):
    """Returns the fraction of last answers that are right, by the heads that are negated."""
    draw = np.random.default_rng(1)
    state, element = network.begin(words), np.zeros(words, int)
    for _ in range(length):
        letter = draw.integers(0, len(table), words)
        state, element = network.step(state, letter), table[element, letter]
    right = {}
    names = [facts["in_head"] for facts, _ in parts]
    for negated in [[], names[:1], names[1:2], names[:2]]:
        other = state.copy()
        for facts, basis in parts:
            if facts["in_head"] in negated:
                head = facts["in_head"] - 1
                other[:, head] -= 2 * basis @ (basis.T @ state[:, head])
        label = ", ".join(map(str, negated)) or "none"
        right[label] = float((network.answers(other, letter) == element).mean())
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--words", type=int, default=1000)
    args = parser.parse_args()
    found = []
    for run in args.runs:
        network, table = Network(run), products(run)
        heads = range(network.config["heads"])
        parts = [x for x in (part_of(network, table, head) for head in heads) if x]
        row = {"run": run.name, "weights_sha256": network.sha256, "parts": [x for x, _ in parts]}
        if len(parts) == 2:
            row["last_answers_right"] = answers(network, table, parts, args.length, args.words)
        found.append(row)
        print(json.dumps(row))
    args.out.write_text(json.dumps({"runs": found}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
