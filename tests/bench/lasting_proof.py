"""Proves trained networks right on all words, where clamped betas and exact keys allow it.

    python3 tests/bench/lasting_proof.py [--most N] RUN..

A run is a folder of `fsa2lrnn train` with one layer of the mixer delta, clamped betas and exact
keys (`--clamped-betas --exact-keys` or `--ternary-keys`), and without gates, convolutions and SiLU
on keys. The claim is about the stored numbers as real numbers and exact functions.

A head is exact if every beta of every letter is at an end of its range, and every key has one
number or is ternary. Then letters act by matrices of rational numbers, and its states are
P S_0 + Q v with rational P and Q, v the values, which need not be known. If such a head has
finitely many states it is followed exactly, and all that will ever be reached are the
(automaton's state, P, Q of these heads) that are reached from the start. Other heads are enclosed
for ever: without values no column of a state grows, since every factor has norm 1 at most; with
values only heads of one number that contract are taken. What is left is one read-out for each of
those states and each letter, which is bounded by intervals of whole numbers (in units of 2^-200,
rounded outwards). UNKNOWN says what fails."""

import argparse
import hashlib
import json
import sys
from collections import deque
from fractions import Fraction
from math import isqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))
from automaton_file import Automaton
from weights_file import read_safetensors

BITS = 200
ONE = 1 << BITS
MIXER = "layers.0.mixer."


class Unknown(Exception):
    """Raised with the reason for which nothing is proved."""


# --- intervals ---


class Interval:
    """The real numbers between low and high, in units of 2^-BITS."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __add__(self, other):
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self):
        return Interval(-self.high, -self.low)

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends) >> BITS, -(-max(ends) >> BITS))

    def inverse(self):
        """Returns 1 / x for x > 0."""
        if self.low <= 0:
            raise Unknown("a divisor may be 0")
        return Interval(ONE * ONE // self.high, -(-ONE * ONE // self.low))

    def root(self):
        """Returns the square root of x >= 0."""
        return Interval(isqrt(max(self.low, 0) << BITS), isqrt(self.high << BITS) + 1)


def exact(x):
    """Returns an interval around a rational number."""
    scaled = Fraction(x) * ONE
    low = scaled.numerator // scaled.denominator
    return Interval(low, low if low == scaled else low + 1)


def add(terms):
    total = Interval(0, 0)
    for term in terms:
        total += term
    return total


def point_exp(x):
    """Returns exp of a number of units x <= 0: 40 terms of the series of x / 2^k, squared k times.
    With |x / 2^k| <= 1/2 the terms left out are below the last one."""
    k = max(0, (-x >> BITS).bit_length() + 1)
    y = exact(Fraction(x, ONE << k))
    term = total = exact(1)
    for n in range(1, 41):
        term = term * y * exact(Fraction(1, n))
        total += term
    size = max(abs(term.low), abs(term.high)) + 1
    total += Interval(-size, size)
    for _ in range(k):
        total *= total
    return Interval(max(total.low, 0), total.high)


def point_sigmoid(x):
    e = point_exp(-abs(x))
    part = (exact(1) + e).inverse()
    return part if x >= 0 else e * part


def silu(x):
    """Returns x sigmoid(x); the sigmoid grows."""
    return x * Interval(point_sigmoid(x.low).low, point_sigmoid(x.high).high)


def length(x):
    """Returns the length of a vector."""
    squares = [Interval(0 if v.low <= 0 <= v.high else min(v.low**2, v.high**2) // ONE,
                        max(v.low**2, v.high**2) // ONE + 1) for v in x]
    return add(squares).root()


def rms(x, epsilon):
    """Returns x / sqrt(mean(x^2) + epsilon)."""
    size = length(x)
    scale = (size * size * exact(Fraction(1, len(x))) + exact(epsilon)).root().inverse()
    return [v * scale for v in x]


# --- the network ---


def product(matrix, vector):
    """Returns matrix times vector, of rational numbers."""
    return [sum((a * b for a, b in zip(row, vector)), Fraction(0)) for row in matrix]


class Network:
    def __init__(self, folder):
        self.config = json.loads((folder / "config.json").read_text())
        m = self.model = self.config["model"]
        needed = {"layers": 1, "mixer": "delta-product", "convolution": 0, "forget_gate": False}
        needed.update(silu_keys=False, normalise_keys=True, clamped_betas=True, exact_keys=True)
        for name, value in needed.items():
            if m.get(name, False) != value:
                raise Unknown(f"its {name} is {m.get(name, False)}, not {value}")
        if m.get("output_gate") or self.config["data"].get("begin"):
            raise Unknown("it has an output gate or a begin letter")
        about, tensors = read_safetensors((folder / "weights.safetensors").read_bytes())
        if json.loads(about["config"]) != m:
            raise Unknown("the weights are of another model than config.json says")
        self.w = {
            name: [[Fraction(float(x)) for x in row] for row in array.reshape(-1, array.shape[-1])]
            for name, array in tensors.items()
        }
        self.epsilon = Fraction(m["epsilon"])
        self.range = 2 if m["negative"] else 1
        self.letters = [self.letter(a) for a in range(m["letters"])]
        self.exact = [h for h in range(m["heads"]) if all(x["exact"][h] for x in self.letters)]

    def row(self, name):
        return self.w[name][0]

    def direction(self, row):
        """Returns t of the key t / |t|, and whether it is known exactly."""
        most = max(abs(y) for y in row)
        if self.model.get("ternary_keys") or len(row) == 1:
            return [0 if most == 0 or abs(y) * 2 < most else 1 if y > 0 else -1 for y in row], True
        return row, most == 0

    def letter(self, a):
        """Returns what a letter does: keys, betas, queries and values, by head."""
        m = self.model
        heads, keys, factors = m["heads"], m["key_dim"], m["householders"]
        e = self.w["embedding.weight"][a]
        y = [u * v for u, v in zip(e, self.row("layers.0.mixer_norm.weight"))]
        mean = sum(u * u for u in e) / len(e) + self.epsilon
        scale = exact(mean).root().inverse()
        k = product(self.w[MIXER + "k_proj.weight"], y)
        q = product(self.w[MIXER + "q_proj.weight"], y)
        b = product(self.w[MIXER + "b_proj.weight"], y)
        out = {"key": [], "beta": [], "query": [], "exact": [True] * heads, "value": None}
        for n in range(factors):
            for h in range(heads):
                at = n * heads + h
                t, known = self.direction(k[at * keys : (at + 1) * keys])
                z = scale * exact(b[at] * Fraction(m["slope"]))
                beta = self.range if z.low >= 2 * ONE else 0 if z.high <= -2 * ONE else None
                none = not any(t)
                out["key"].append(t)
                out["beta"].append(0 if none else beta if beta is not None else self.inside(z))
                out["exact"][h] &= none or beta == 0 or (beta is not None and known)
        for h in range(heads):
            row = q[h * keys : (h + 1) * keys]
            size = exact(sum(x * x for x in row)).root()
            shorter = size.inverse() if any(row) else exact(0)
            out["query"].append([exact(x) * shorter for x in row])
        if m["additive"]:
            v = product(self.w[MIXER + "v_proj.weight"], y)
            out["value"] = [silu(scale * exact(x)) for x in v]
        return out

    def inside(self, z):
        """Returns beta of z, which may lie anywhere between the ends."""
        half = (exact(Fraction(1, 2)) + z * exact(Fraction(1, 4))) * exact(self.range)
        return Interval(max(half.low, 0), min(half.high, self.range * ONE))

    # An exact head's state is a tuple of K rows: K coefficients of the rows of S_0, then one for
    # the value of every factor of every letter.

    def first(self):
        m = self.model
        width = m["key_dim"] + (m["letters"] * m["householders"] if m["additive"] else 0)
        one = tuple(
            tuple(Fraction(int(i == j and m["learned_start"])) for j in range(width))
            for i in range(m["key_dim"])
        )
        return tuple(one for _ in self.exact)

    def step(self, state, a, h):
        """Returns the state of an exact head after a letter."""
        m, x = self.model, self.letters[a]
        for n in range(m["householders"]):
            at = n * m["heads"] + h
            t, beta = x["key"][at], x["beta"][at]
            if beta == 0:
                continue
            square = sum(u * u for u in t)
            if m["additive"] and isqrt(square) ** 2 != square:
                raise Unknown("a value is written by a key of irrational entries")
            along = [sum(t[i] * state[i][j] for i in range(len(t))) for j in range(len(state[0]))]
            if m["additive"]:  # S - beta k (k^T S - v^T) with k = t / |t|
                along[m["key_dim"] + a * m["householders"] + n] -= isqrt(square)
            state = tuple(
                tuple(s - Fraction(beta, square) * t[i] * u for s, u in zip(state[i], along))
                for i in range(len(t))
            )
        return state

    def closes(self, h, most):
        """Returns whether an exact head alone has at most that many states."""
        first = self.first()[0]
        seen, queue = {first}, deque([first])
        while queue:
            state = queue.popleft()
            for a in range(self.model["letters"]):
                after = self.step(state, a, h)
                if after not in seen:
                    seen.add(after)
                    queue.append(after)
            if len(seen) > most:
                return False
        return True

    def output(self, state, h, a):
        """Returns o of an exact head after letter a, without K^-1/2."""
        m, V = self.model, self.model["value_dim"]
        q = self.letters[a]["query"][h]
        result = []
        for d in range(V):
            column = []
            if m["learned_start"]:
                rows = self.w[MIXER + "initial_state"]
                column = [exact(rows[h * m["key_dim"] + i][d]) for i in range(m["key_dim"])]
            else:
                column = [exact(0)] * m["key_dim"]
            if m["additive"]:
                column += [
                    letter["value"][(n * m["heads"] + h) * V + d]
                    for letter in self.letters
                    for n in range(m["householders"])
                ]
            result.append(add(q[i] * add(exact(c) * v for c, v in zip(state[i], column) if c)
                              for i in range(len(q))))
        return result

    def radius(self, h):
        """Returns a bound of the length of what another head gives after any word, its norm without
        the weights: at most sqrt(V), and at most |o| / sqrt(epsilon)."""
        m, K, V = self.model, self.model["key_dim"], self.model["value_dim"]
        sizes = [exact(0)] * V
        if m["learned_start"]:
            rows = self.w[MIXER + "initial_state"][h * K : (h + 1) * K]
            sizes = [exact(sum(row[d] ** 2 for row in rows)).root() for d in range(V)]
        if m["additive"]:
            sizes = [self.contracting(h, d, sizes[d]) for d in range(V)]
        square = add(v * v for v in sizes) * exact(1 / (K * self.epsilon))
        return Interval(0, min(square.root().high, exact(V).root().high))

    def contracting(self, h, d, size):
        """Returns a bound of a state of one number for ever: the least multiple of 2^-BITS that no
        letter leaves, by |S| -> |1 - beta| |S| + beta |v| for each factor."""
        m = self.model
        if m["key_dim"] > 1:
            raise Unknown(f"head {h + 1} is not exact, and writes values into several dimensions")
        most = size.high
        for letter in self.letters:
            shrink, more = exact(1), exact(0)
            for n in range(m["householders"]):
                at = n * m["heads"] + h
                beta = letter["beta"][at]
                beta = beta if isinstance(beta, Interval) else exact(beta)
                off = exact(1) - beta
                off = Interval(0, max(abs(off.low), abs(off.high)))
                value = letter["value"][at * m["value_dim"] + d]
                value = Interval(0, max(abs(value.low), abs(value.high)))
                shrink, more = shrink * off, more * off + beta * value
            if shrink.high >= ONE:
                raise Unknown(f"head {h + 1} is not exact, and a letter does not contract it")
            most = max(most, (more * (exact(1) - shrink).inverse()).high)
        return Interval(0, most)

    def mixed(self):
        """Returns o_proj with the weights of the norm of o: M [width][heads V]."""
        weights, V = self.row(MIXER + "o_norm.weight"), self.model["value_dim"]
        rows = self.w[MIXER + "o_proj.weight"]
        return [[u * weights[j % V] for j, u in enumerate(row)] for row in rows]


class Reader:
    """Bounds read-outs: x = e + M n, n of the exact heads in intervals and of the others in balls.
    A linear form of x is bounded as a whole, so that no correlation between its terms is lost."""

    def __init__(self, net, radii):
        self.net, self.radii, m = net, radii, net.model
        self.m = net.mixed()
        norm = net.row("layers.0.mlp_norm.weight") if m["mlp"] else None
        last = net.row("norm.weight")
        head = [[u * v for u, v in zip(row, last)] for row in net.w["head.weight"]]
        self.pairs = {
            (i, j): self.form([u - v for u, v in zip(head[i], head[j])])
            for i in range(m["labels"])
            for j in range(m["labels"])
            if i != j
        }
        self.gates = self.ups = []
        if m["mlp"]:
            scaled = lambda name: [[u * v for u, v in zip(row, norm)] for row in net.w[name]]
            self.gates = [self.form(row) for row in scaled("layers.0.mlp.gate_proj.weight")]
            self.ups = [self.form(row) for row in scaled("layers.0.mlp.up_proj.weight")]
            down = list(zip(*net.w["layers.0.mlp.down_proj.weight"]))
            self.downs = {
                pair: [exact(sum(u * v for u, v in zip(form[1], column))) for column in down]
                for pair, form in self.pairs.items()
            }
        squares = {h: sum(row[j] ** 2 for row in self.m for j in self.part(h)) for h in radii}
        self.off = add(exact(squares[h]).root() * radii[h] for h in radii)

    def part(self, h):
        V = self.net.model["value_dim"]
        return range(h * V, (h + 1) * V)

    def form(self, row):
        """Returns a linear form of x: in intervals, exactly, and how much the other heads can add
        to it."""
        along = [sum(u * r[j] for u, r in zip(row, self.m)) for j in range(len(self.m[0]))]
        more = Interval(0, 0)
        for h, radius in self.radii.items():
            more += exact(sum(along[j] ** 2 for j in self.part(h))).root() * radius
        return [exact(u) for u in row], row, Interval(-more.high, more.high)

    def value(self, form, x):
        """Returns the bounds of the form, where x is e + M n of the exact heads alone."""
        return add(u * v for u, v in zip(form[0], x)) + form[2]

    def margin(self, outputs, a, label):
        """Returns a number that the logit of the label, times a positive factor, exceeds the others
        by at least; `outputs` are o of the exact heads."""
        net, m = self.net, self.net.model
        root = exact(m["key_dim"]).root().inverse()
        x = [exact(v) for v in net.w["embedding.weight"][a]]
        for h, o in outputs.items():
            n = rms([v * root for v in o], net.epsilon)
            x = [
                u + add(exact(row[j]) * v for j, v in zip(self.part(h), n))
                for u, row in zip(x, self.m)
            ]
        hidden = []
        if m["mlp"]:
            size = length(x)
            least, most = max(0, size.low - self.off.high), size.high + self.off.high
            mean = Interval(least**2 // ONE, most**2 // ONE + 1) * exact(Fraction(1, len(x)))
            scale = (mean + exact(net.epsilon)).root().inverse()
            hidden = [
                silu(scale * self.value(g, x)) * (scale * self.value(u, x))
                for g, u in zip(self.gates, self.ups)
            ]
        margins = []
        for other in range(m["labels"]):
            if other != label:
                form = self.value(self.pairs[label, other], x)
                downs = self.downs[label, other] if m["mlp"] else []
                margins.append((form + add(u * v for u, v in zip(downs, hidden))).low)
        return min(margins)


def prove(folder, most):
    """Returns what is proved of a run; Unknown says why nothing is."""
    net = Network(folder)
    m = net.model
    if net.config["data"]["label"] != "states" or net.config["data"]["tokens"] != 1:
        raise Unknown("its labels are not the states after every letter")
    text = (folder / "automaton.fsa").read_bytes()
    if hashlib.sha256(text).hexdigest() != net.config["data"]["automaton"]:
        raise Unknown("the automaton is not the one that config.json names")
    automaton = Automaton(text.decode())
    if len(automaton.letters) != m["letters"] or len(automaton.states) != m["labels"]:
        raise Unknown("the network has other letters or labels than its automaton")
    start, step = automaton.start, automaton.next
    net.exact = [h for h in net.exact if net.closes(h, most)]
    if not net.exact:
        raise Unknown("no head is exact with finitely many states")
    others = {h: net.radius(h) for h in range(m["heads"]) if h not in net.exact}
    reader = Reader(net, others)
    first = (start, net.first())
    seen, queue, reads, least = {first}, deque([first]), 0, None
    while queue:
        q, heads = queue.popleft()
        for a in range(m["letters"]):
            after = tuple(net.step(s, a, h) for s, h in zip(heads, net.exact))
            to = (step[q][a], after)
            outputs = {h: net.output(s, h, a) for s, h in zip(after, net.exact)}
            margin = reader.margin(outputs, a, to[0])
            if margin <= 0:
                why = "a read-out is not shown to be right" if others else "an answer may be wrong"
                raise Unknown(why)
            least = margin if least is None else min(least, margin)
            reads += 1
            if to not in seen:
                if len(seen) == most:
                    raise Unknown(f"more than {most} states of the exact heads are reached")
                seen.add(to)
                queue.append(to)
    return {"states": len(seen), "read_outs": reads, "exact_heads": len(net.exact),
            "other_heads": len(others), "least_margin": float(Fraction(least, ONE))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=10000, help="states to look at")
    parser.add_argument("run", nargs="+", type=Path)
    arguments = parser.parse_args()
    for folder in arguments.run:
        out = {"run": folder.name}
        for name in ("config.json", "weights.safetensors"):
            out[name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        try:
            out.update(verdict="PROVED", **prove(folder, arguments.most))
        except Unknown as why:
            out.update(verdict="UNKNOWN", reason=str(why))
        print(json.dumps(out))


if __name__ == "__main__":
    main()
