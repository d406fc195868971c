"""Says which part of a group a trained network computes: the fraction of its answers that are right
modulo every normal subgroup.

    python3 examples/quotients.py DIR [--length 128] [--sequences 128]

DIR is a run of `fsa2lrnn train`, or one below a folder of `reproduce`, on a group with all of its
elements as letters, with one layer of the mixer delta and no convolution or gate. An answer y is
right modulo N when it lies in the coset N p of the product p. A network that stays at 1/|N| of the
answers, and has them right modulo N, has learned the quotient by N.
"""

import argparse
import json
import re
import struct
from pathlib import Path

import numpy as np


def read_weights(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    head, base = json.loads(data[8 : 8 + size]), data[8 + size :]
    config = json.loads(head.pop("__metadata__")["config"])
    tensors = {}
    for name, entry in head.items():
        first, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(base[first:end], np.float32).reshape(entry["shape"])
    return config, tensors


def permutation(text, points):
    image = list(range(points))
    for cycle in re.findall(r"\(([^)]*)\)", text):
        moved = [int(point) - 1 for point in cycle.split()]
        for i, point in enumerate(moved):
            image[point] = moved[(i + 1) % len(moved)]
    return tuple(image)


def read_group(path):
    """Returns the elements' names and their table: product[a, b] is a, then b."""
    text = path.read_text()
    names = re.findall(r'^permute "([^"]*)"', text, re.M)
    points = int(re.search(r"^points (\d+)", text, re.M)[1])
    image = [permutation(name, points) for name in names]
    number = {p: i for i, p in enumerate(image)}
    table = [[number[tuple(b[i] for i in a)] for b in image] for a in image]
    return names, np.array(table)


def normal_subgroups(product):
    """Returns all normal subgroups as sorted tuples, normal closures of elements and their joins,
    and the inverses of the elements."""
    size = len(product)
    one = int(np.argmax((product == np.arange(size)).all(axis=1)))
    inverse = np.argmax(product == one, axis=1)

    def closure(elements):
        found = {one, *(product[product[inverse[g], e], g] for e in elements for g in range(size))}
        while True:
            more = {int(product[a, b]) for a in found for b in found} | found
            if len(more) == len(found):
                return tuple(sorted(int(e) for e in found))
            found = more

    groups = {closure({e}) for e in range(size)}
    while True:
        joins = {closure({*a, *b}) for a in groups for b in groups} | groups
        if len(joins) == len(groups):
            return sorted(groups, key=len), inverse
        groups = joins


def silu(x):
    return x / (1 + np.exp(-np.clip(x, -80, 80)))


class Network:
    def __init__(self, config, tensors):
        wrong = {"layers": 1, "convolution": 0, "forget_gate": False, "mixer": "delta-product"}
        for name, value in wrong.items():
            if config[name] != value:
                raise SystemExit(f"{name} is {config[name]}, and must be {value}")
        self.config, self.tensor = config, tensors
        self.letters()

    def norm(self, x, name):
        epsilon = self.config["epsilon"]
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * self.tensor[name]

    def letters(self):
        """Sets queries, keys, values and betas of all letters."""
        c, t = self.config, self.tensor
        x = self.norm(t["embedding.weight"], "layers.0.mixer_norm.weight")
        heads, factors = c["heads"], c["householders"]

        def project(name, *shape):
            return (x @ t[f"layers.0.mixer.{name}.weight"].T).reshape(len(x), *shape, -1)

        def keys(y):
            y = silu(y) if c["silu_keys"] else y
            if not c["normalise_keys"]:
                return y
            return y / np.sqrt((y * y).sum(-1, keepdims=True) + c["epsilon"])

        self.q = keys(project("q_proj", heads))
        self.k = keys(project("k_proj", factors, heads))
        self.v = np.zeros((len(x), factors, heads, c["value_dim"]), np.float32)
        if c["additive"]:
            self.v = silu(project("v_proj", factors, heads))
        beta = 1 / (1 + np.exp(-c["slope"] * project("b_proj", factors)))
        self.beta = (2 if c["negative"] else 1) * beta

    def answers(self, word):
        c, t = self.config, self.tensor
        shape = (len(word), c["heads"], c["key_dim"], c["value_dim"])
        start = t["layers.0.mixer.initial_state"] if c["learned_start"] else 0
        state = np.zeros(shape, np.float32) + start
        answers = []
        for letter in word.T:
            for n in range(c["householders"]):
                k = self.k[letter, n]
                change = np.einsum("bhk,bhkv->bhv", k, state) - self.v[letter, n]
                scaled = self.beta[letter, n][..., None] * k
                state = state - scaled[..., None] * change[:, :, None]
            out = np.einsum("bhk,bhkv->bhv", self.q[letter], state) / np.sqrt(c["key_dim"])
            out = self.norm(out, "layers.0.mixer.o_norm.weight").reshape(len(word), -1)
            x = t["embedding.weight"][letter] + out @ t["layers.0.mixer.o_proj.weight"].T
            answers.append(self.logits(x).argmax(-1))
        return np.stack(answers, 1)

    def logits(self, x):
        t = self.tensor
        if self.config["mlp"]:
            y = self.norm(x, "layers.0.mlp_norm.weight")
            gate, up, down = (
                t[f"layers.0.mlp.{p}_proj.weight"].T for p in ("gate", "up", "down")
            )
            x = x + (silu(y @ gate) * (y @ up)) @ down
        return self.norm(x, "norm.weight") @ t["head.weight"].T


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, metavar="DIR")
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--sequences", type=int, default=128)
    args = parser.parse_args()
    names, product = read_group(args.run / "automaton.fsa")
    network = Network(*read_weights(args.run / "weights.safetensors"))
    word = np.random.default_rng(1).integers(0, len(names), (args.sequences, args.length))
    truth = np.zeros_like(word)
    state = np.full(len(word), names.index("()"))
    for t in range(args.length):
        state = truth[:, t] = product[state, word[:, t]]
    if network.config["letters"] > len(names):  # the begin letter
        word = np.concatenate([np.full((len(word), 1), len(names)), word], 1)
    answer = network.answers(word)[:, -args.length :]
    groups, inverse = normal_subgroups(product)
    known = answer < len(names)
    error = product[np.where(known, answer, 0), inverse[truth]]
    print(f"{'order':>5}  {'elements':28}  right modulo N  in the second half of the words")
    for group in groups:
        right = np.isin(error, group) & known
        some = ", ".join(names[e] for e in group)
        some = some if len(some) <= 28 else some[:25] + "..."
        late = right[:, args.length // 2 :].mean()
        print(f"{len(group):5}  {some:28}  {right.mean():14.4f}  {late:.4f}")


if __name__ == "__main__":
    main()
