"""Certificates `settles` beside an evaluation of the network with 50 digits (mpmath): the states
after z u^t w by powers of the period's map, for t = T, T + 1, T + 2 and 2^100, their answers, and
the automaton's states.

usage: settle_exact.py RUN CERTIFICATE ..   pairs; prints one line for each, exit status 1 where a
claim is not true. Without mpmath it says so, with exit status 2."""

import json
import re
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "prop"))

import triple

try:
    import mpmath as mp
except ImportError:
    print("settle_exact.py: no mpmath")
    sys.exit(2)

mp.mp.dps = 50
MIXER = "layers.0.mixer."


def read_tensors(path):
    """Returns {name: numbers}."""
    data = Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, at in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__":
            first, last = (8 + size + x for x in at["data_offsets"])
            numbers = struct.unpack(f"<{(last - first) // 4}f", data[first:last])
            out[name] = [mp.mpf(x) for x in numbers]
    return out


def rows(numbers, width):
    return [numbers[i : i + width] for i in range(0, len(numbers), width)]


def dot(x, y):
    return mp.fdot(x, y)


def silu(x):
    return x / (1 + mp.exp(-x))


def ternary(y):
    """Returns the numbers of a key as -1, 0 and 1."""
    most = max(abs(a) for a in y)
    return [mp.sign(a) if 2 * abs(a) >= most else mp.mpf(0) for a in y]


class Network:
    def __init__(self, folder):
        self.read = json.loads(Path(folder, "config.json").read_text(encoding="utf-8"))
        m = self.model = self.read["model"]
        self.w = read_tensors(Path(folder, "weights.safetensors"))
        self.width, self.heads, self.factors = m["width"], m["heads"], m["householders"]
        self.keys, self.values = m["key_dim"], m["value_dim"]
        self.epsilon = mp.mpf(m["epsilon"])
        self.exact = bool(m.get("exact_keys"))  # and betas are clamped
        self.letter = [self.read_letter(e) for e in rows(self.w["embedding.weight"], self.width)]

    def norm(self, x, weights):
        scale = 1 / mp.sqrt(dot(x, x) / len(x) + self.epsilon)
        return [a * scale * b for a, b in zip(x, weights)]

    def project(self, name, x):
        return [dot(row, x) for row in rows(self.w[name], len(x))]

    def unit(self, y):
        if self.exact:
            size = mp.sqrt(dot(y, y))
            return [a / size for a in y] if size > 0 else y
        scale = 1 / mp.sqrt(dot(y, y) + self.epsilon)
        return [a * scale for a in y]

    def gate(self, z):
        return min(max(z / 4 + mp.mpf(0.5), 0), 1) if self.exact else 1 / (1 + mp.exp(-z))

    def read_letter(self, e):
        """Returns queries by head, and by factor and head the key, beta and value."""
        m, x = self.model, self.norm(e, self.w["layers.0.mixer_norm.weight"])
        active = silu if m["silu_keys"] else (lambda y: y)
        q, k = (
            rows([active(y) for y in self.project(MIXER + name, x)], self.keys)
            for name in ("q_proj.weight", "k_proj.weight")
        )
        k = [ternary(y) for y in k] if m.get("ternary_keys") else k
        q, k = ([self.unit(y) for y in z] for z in (q, k))
        slope, most = mp.mpf(m["slope"]), 2 if m["negative"] else 1
        beta = [most * self.gate(slope * z) for z in self.project(MIXER + "b_proj.weight", x)]
        v = [[mp.mpf(0)] * self.values] * len(k)
        if m["additive"]:
            v = rows([silu(y) for y in self.project(MIXER + "v_proj.weight", x)], self.values)
        return q, k, beta, v

    def start(self):
        count = self.keys * self.values
        flat = self.w.get(MIXER + "initial_state", [mp.mpf(0)] * (self.heads * count))
        return [mp.matrix(rows(flat[h * count :][:count], self.values)) for h in range(self.heads)]

    def map(self, letter, head):
        """Returns A and B of a letter."""
        _, k, beta, v = self.letter[letter]
        a, b = mp.eye(self.keys), mp.zeros(self.keys, self.values)
        for i in range(self.factors):
            at = i * self.heads + head
            key, value = mp.matrix(k[at]), mp.matrix([v[at]])
            a -= beta[at] * key * (key.T * a)
            b -= beta[at] * key * (key.T * b - value)
        return a, b

    def logits(self, state, letter):
        """Returns what the last norm would scale, times the head's rows."""
        w, scale = self.w, 1 / mp.sqrt(self.keys)
        flat = []
        for h, s in enumerate(state):
            o = [x * scale for x in s.T * mp.matrix(self.letter[letter][0][h])]
            flat += self.norm(o, w[MIXER + "o_norm.weight"])
        e = rows(w["embedding.weight"], self.width)[letter]
        x = [a + b for a, b in zip(e, self.project(MIXER + "o_proj.weight", flat))]
        y = self.norm(x, w["layers.0.mlp_norm.weight"])
        gate, up = (self.project(f"layers.0.mlp.{n}_proj.weight", y) for n in ("gate", "up"))
        hidden = [silu(g) * u for g, u in zip(gate, up)]
        x = [a + b for a, b in zip(x, self.project("layers.0.mlp.down_proj.weight", hidden))]
        x = [a * b for a, b in zip(x, w["norm.weight"])]
        return [dot(row, x) for row in rows(w["head.weight"], self.width)]


def compose(first, then):
    """Returns the map that is one after the other, as (A, B)."""
    return then[0] * first[0], then[0] * first[1] + then[1]


def power(one, t):
    out = mp.eye(one[0].rows), mp.zeros(one[1].rows, one[1].cols)
    while t:
        if t & 1:
            out = compose(out, one)
        one, t = compose(one, one), t >> 1
    return out


def word_maps(network, word):
    maps = []
    for h in range(network.heads):
        one = mp.eye(network.keys), mp.zeros(network.keys, network.values)
        for w in word:
            one = compose(one, network.map(w, h))
        maps.append(one)
    return maps


def largest(logits, but):
    """Returns the largest of the others."""
    return max((x for j, x in enumerate(logits) if j != but), default=-mp.inf)


def check(folder, certificate):
    """Returns whether the claim is true, and the least margin."""
    text = Path(certificate).read_text(encoding="ascii")
    network = Network(folder)
    automaton = triple.read_automaton(Path(folder, "automaton.fsa").read_text(encoding="utf-8"))
    prefix, period = (
        [int(x) - 1 for x in re.search(rf"^{n}(.*)$", text, re.M)[1].split()]
        for n in ("prefix", "period")
    )
    behind = re.search(r"^suffix (.*)$", text, re.M)
    suffix = [int(x) - 1 for x in behind[1].split()] if behind else []
    answer = int(re.search(r"^answer (\d+)$", text, re.M)[1]) - 1
    after = int(re.search(r"^after ([1-9]\d*)$", text, re.M)[1])
    begin = [len(automaton.letters)] if network.read["data"].get("begin") else []
    before, one, then = (word_maps(network, x) for x in (begin + prefix, period, suffix))
    start = [a * s + b for (a, b), s in zip(before, network.start())]
    q = automaton.start
    for w in prefix + period * min(after, len(automaton.states)):
        q = automaton.next[q][w]
    cycle = [q]
    while True:
        for w in period:
            q = automaton.next[q][w]
        if q == cycle[0]:
            break
        cycle.append(q)
    margins = []
    for t in (after, after + 1, after + 2, 1 << 100):
        maps = [compose(power(x, t), y) for x, y in zip(one, then)]
        states = [a * s + b for (a, b), s in zip(maps, start)]
        logits = network.logits(states, (period + suffix)[-1])
        margins.append(logits[answer] - largest(logits, answer))
    wrong = 0
    for q in cycle:
        for w in suffix:
            q = automaton.next[q][w]
        wrong += q != answer
    return min(margins) > 0 and wrong > 0, wrong, len(cycle), min(margins)


def judge(check, say):
    """Prints a line for each pair of the command line; returns the exit status. `check` returns
    whether a claim is true, and what `say` makes a text of."""
    pairs, failed = sys.argv[1:], 0
    for folder, certificate in zip(pairs[::2], pairs[1::2]):
        true, *found = check(folder, certificate)
        failed += not true
        print(f"{Path(folder).name}: {'true' if true else 'NOT TRUE'}, {say(*found)}", flush=True)
    return 1 if failed else 0


def say_settles(wrong, cycle, margin):
    return f"wrong for {wrong} of {cycle} states, least margin {mp.nstr(margin, 4)}"


if __name__ == "__main__":
    sys.exit(judge(check, say_settles))
