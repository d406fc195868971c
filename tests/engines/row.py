"""A row of an engine: its file, and its step on numbers, in arithmetic of its own."""

import math
from fractions import Fraction

from arith import FORMATS, fp32, fused, into, round_fraction, round_root, twice_sigmoid
from network import Unsupported

RAW = {"quotient": 4, "reciprocal": 4, "rsqrt": 8, "outside": 32, "max": 1, "rms": 128}
CITED = "name source repository commit path function read-on note beta-most row state".split()
KNOWN = {
    "sum": ("halves", "left"),
    "fuse": ("none", "sum", "update", "both"),
    "read": ("stored", "unstored"),
    "beta": ("format", "fp32", "logit", "logit-format"),
    "stores": ("letter", "factor"),
    "ring": ("none", "format", "bf16", "fp16", "fp32"),
    "second": ("none", "head"),
    "prefill": ("none", "unstored"),
    "handover": ("fp32", "bf16", "fp16", "e4m3"),
    "decay": ("format", "fp32"),
    "scale": ("none", "amax", "pow2", "amax:bf16", "amax:e4m3"),
    "norm": tuple(RAW),
    "norm-in": ("fp32", "format"),
    "squares": ("left", "halves"),
    "gate": ("early", "late", "folded"),
    "quotient": ("inverse", "divide", "two"),
    "clamp": ("symmetric", "full", "none"),
    "block": ("row", "head", "tile:32", "tile:2", "group:2", "group:16", "tensor"),
    "draw": ("any", "top:13", "top:16", "floor:24", "floor:16"),
    "pair": ("no", "reversed"),
    "residual": ("none", "load:int4", "load", "feedback:fp16", "feedback"),
    "residual-scale": ("none", "amax"),
    "keys": ("fp32", "format"),
}
INTEGERS = {"int4": 7, "int8": 127, "int16": 32767}


def read_engine(path):
    out = {}
    for line in path.read_text(encoding="ascii").splitlines()[1:]:
        if line and not line.startswith("#"):
            name, value = line.split(None, 1)
            out[name] = value
    return out


class Row:
    """One state of an engine, for weights in a format."""

    def __init__(self, fields, state, name):
        self.format = name
        self.row = fields["row"]
        if self.row != "recurrent":
            raise Unsupported("row " + self.row)
        self.bits = None  # what a store draws, one after the other; None: it rounds to nearest
        self.stochastic = state.endswith(":stochastic")
        self.state = state.removesuffix(":stochastic")
        self.f = dict(fuse="update", sum="halves", read="stored", beta="format", decay="format")
        self.f |= dict(scale="none", squares="left", gate="early", quotient="inverse")
        self.f |= {"clamp": "symmetric", "block": "row", "residual": "none", "norm-in": "fp32"}
        self.f |= {"stores": "letter", "ring": "none", "second": "none", "prefill": "none"}
        self.f |= {"letters": "1", "handover": "fp32"}
        for k, v in fields.items():
            if k in CITED:
                continue
            lanes = k == "sum" and v.split(":")[0] in ("lanes", "blocks")
            easy = k in ("eps", "raw", "most", "letters") or lanes
            if not easy and v not in KNOWN.get(k, ()):
                raise Unsupported(f"{k} {v}")
            self.f[k] = v
        self.eps = float(self.f["eps"]) if "eps" in self.f else None
        self.letters = int(self.f["letters"])
        self.norm = self.f.get("norm", "reciprocal")
        self.raw = Fraction(self.f.get("raw", RAW[self.norm]))
        if self.f["sum"] == "left" and "fuse" not in fields:
            self.f["fuse"] = "update"

    # --- weights ---

    def key(self, u, n):
        """Returns the key's numbers in fp32."""
        out = [0.0] * n
        if self.eps is None:
            square = sum(v * v for v in u.values())
            for i, v in u.items():
                out[i] = float(round_root(v * v / square, self.format, v < 0))
            return out
        most = max(abs(v) for v in u.values())
        for i, v in u.items():
            out[i] = float(round_fraction(v / most * self.raw, self.format))
        return self.normalised(out, n)

    def normalised(self, x, n):
        def g(v):
            v = round_fraction(Fraction(v), "fp32")
            return round_fraction(v, self.format) if self.f["norm-in"] == "format" else v

        s = g(Fraction(self.squares(x)))
        e = Fraction(fp32(self.eps))
        x = [Fraction(v) for v in x]
        if self.norm in ("quotient", "reciprocal"):
            root = g(round_root(g(s + e), "fp32"))
            values = [g(v / root) for v in x]
            if self.norm == "reciprocal":
                r = g(1 / root)
                values = [g(v * r) for v in x]
        elif self.norm == "outside":
            root = g(g(round_root(s, "fp32")) + e)
            values = [g(v / root) for v in x]
        else:
            inner = {"rsqrt": s + e, "max": max(s, g(e * e)), "rms": g(s / n) + e}[self.norm]
            r = g(round_root(1 / g(inner), "fp32"))
            values = [g(v * r) for v in x]
            if self.norm == "rms":
                q = g(round_root(Fraction(1, n), "fp32"))
                values = [g(v * q) for v in values]
        return [float(v) for v in values]

    def squares(self, x):
        products = [fp32(v * v) for v in x]
        if self.f["squares"] == "halves":
            return halves(products)
        total = 0.0
        for v in products:
            total = fp32(total + v)
        return total

    # --- the step; a state is a list of columns ---

    def sum(self, key, column):
        """Returns the sum of key times column in the row's order."""
        order = self.f["sum"].split(":")
        fuse = self.f["fuse"] in ("sum", "both")
        n = len(key)
        if order[0] == "halves":
            return halves([fp32(k * s) for k, s in zip(key, column)])
        if order[0] == "left":
            return chain(range(n), key, column, fuse)
        width = int(order[1])
        if order[0] == "lanes":
            lanes = [range(w, n, width) for w in range(min(width, n))]
        else:
            lanes = [range(at, min(at + width, n)) for at in range(0, n, width)]
        chains = int(order[2]) if len(order) > 2 else 1
        parts = []
        for lane in lanes:
            some = [chain(list(lane)[c::chains], key, column, fuse) for c in range(chains)]
            total = some[0]
            for more in some[1:]:
                total = fp32(total + more)
            parts.append(total)
        return halves(parts)

    def factor(self, column, key, beta, value, gate):
        """Returns the column after a factor; `gate` is 1 except in the first of a late gate."""
        p = self.sum(key, column)
        fuse = self.f["fuse"] in ("update", "both")
        if gate != 1 and fuse:
            r = fused(-gate, p, value)
        else:
            r = fp32(value - (p if gate == 1 else fp32(p * gate)))
        r = fp32(r * beta)
        if gate != 1:
            column = [fp32(s * gate) for s in column]
        if fuse:
            return [fused(k, r, s) for k, s in zip(key, column)]
        return [fp32(s + fp32(k * r)) for k, s in zip(key, column)]

    def letter(self, x, state, weights, updates=None):
        """Returns the state after a letter; appends (key, -update) of its factors to `updates`."""
        gate, factors, bias = weights[x]
        early = self.f["gate"] == "early" or not factors
        if gate != 1 and self.f["gate"] == "folded":
            raise Unsupported("folded gate")
        if gate != 1 and early:
            state = [[fp32(s * gate) for s in column] for column in state]
        for i, (beta, key, value) in enumerate(factors):
            late = gate if not early and i == 0 else 1
            if i > 0 and self.f["stores"] == "factor":
                state, _ = self.stored(state, None)
            if updates is not None:
                rest = [fp32(v - self.sum(key, c)) for c, v in zip(state, value)]
                updates.append((key, [fp32(beta * r) for r in rest]))
            state = [self.factor(c, key, beta, v, late) for c, v in zip(state, value)]
        return [
            [fp32(s + bias.get((i, j), 0.0)) for i, s in enumerate(column)] if bias else column
            for j, column in enumerate(state)
        ]

    def replayed(self, stored, ring):
        """Returns the state that is made of the last stored one and a ring of updates."""
        name = self.format if self.f["ring"] == "format" else self.f["ring"]
        out = []
        for j, column in enumerate(stored):
            sums = [0.0] * len(column)
            for key, update in ring:
                kept = [into(k, name) for k in key]
                sums = [fused(k, into(update[j], name), s) for k, s in zip(kept, sums)]
            out.append([fp32(s + r) for s, r in zip(column, sums)])
        return out

    def beta(self, beta):
        how = self.f["beta"]
        if how.startswith("logit"):
            beta = beta if beta in (0, 2) else twice_sigmoid(beta, self.format)
        return float(round_fraction(beta, "fp32" if how in ("fp32", "logit") else self.format))

    def weights(self, head):
        wide = {"fp32": "fp32", "format": self.format}
        out = []
        for gate, factors, bias in head.letters:
            some = []
            for beta, u, c in factors:
                square = sum(v * v for v in u.values())
                value = [0.0] * head.d
                for j, v in c.items():
                    value[j] = float(round_root(v * v / square, self.format, v < 0))
                some.append((self.beta(beta), self.key(u, head.n), value))
            g = float(round_fraction(gate, wide[self.f["decay"]]))
            add = {at: float(round_fraction(v, self.format)) for at, v in bias.items()}
            out.append((g, some, add))
        return out

    # --- the store ---

    def stored(self, state, residual):
        """Returns the stored state, to nearest, and the new residual."""
        load = self.f["residual"].startswith("load")
        feedback = self.f["residual"].startswith("feedback")
        x = state
        if feedback:
            x = [[fp32(s + r) for s, r in zip(a, b)] for a, b in zip(state, residual)]
        y = self.quantised(x, self.state, self.f["scale"])
        if not (load or feedback):
            return y, None
        error = [[fp32(s - t) for s, t in zip(a, b)] for a, b in zip(x, y)]
        name = self.f["residual"].partition(":")[2] or "fp32"
        error = self.quantised(error, name, self.f.get("residual-scale", "none"))
        if feedback:
            return y, error
        return [[fp32(s + t) for s, t in zip(a, b)] for a, b in zip(y, error)], None

    def largest(self, state):
        """Returns the largest number of each column's block."""
        most = [max(abs(v) for v in column) for column in state]
        block = self.f["block"]
        if block == "row" or block.startswith("group"):
            return most
        rows = int(block.split(":")[1]) if block.startswith("tile") else len(most)
        return [max(most[at - at % rows : at - at % rows + rows]) for at in range(len(most))]

    def quantised(self, state, name, scale):
        high = INTEGERS.get(name)
        low = None if high is None else -high - (self.f["clamp"] == "full" and name == self.state)
        if scale == "none":
            return [[self.narrow(v, name, low, high) for v in column] for column in state]
        most = float(self.f.get("most", high or FORMATS[name][2]))
        second = self.second_scale(state, most)
        limits = (most, low, high, second)
        block = self.f["block"]
        if not block.startswith("group"):
            some = zip(state, self.largest(state))
            return [self.column(c, a, name, scale, limits) for c, a in some]
        size, out = int(block.split(":")[1]), []
        for c in state:
            groups = [c[at : at + size] for at in range(0, len(c), size)]
            some = [self.column(g, max(map(abs, g)), name, scale, limits) for g in groups]
            out.append([v for g in some for v in g])
        return out

    def second_scale(self, state, most):
        """Returns the number by which all scales of the head are multiplied before they are kept,
        or None."""
        if self.f["second"] == "none":
            return None
        amax = max(abs(v) for column in state for v in column)
        if amax == 0 or not math.isfinite(amax):
            return 1.0
        return min(fp32(fp32(FORMATS["e4m3"][2] * most) / amax), FORMATS["fp32"][2])

    def column(self, column, a, name, scale, limits):
        most, low, high, second = limits
        if a == 0:
            return column
        if not math.isfinite(a):
            return [math.nan] * len(column)
        if scale == "pow2":
            k = min(126, max(-126, math.frexp(most)[1] - math.frexp(a)[1] + 1))
            while k > -126 and math.ldexp(a, k) > most:
                k -= 1
            e, c = math.ldexp(1.0, k), math.ldexp(1.0, -k)
        elif second is not None:
            kept = fp32(a * fp32(second * fp32(1 / most)))
            c = fp32(into(kept, "e4m3", saturate=True) * fp32(1 / second))
            e = min(fp32(1 / c), FORMATS["fp32"][2]) if c else math.inf
        elif ":" in scale:
            c = into(fp32(a / most), scale.split(":")[1])
            if not math.isfinite(c):
                return [math.nan] * len(column)
            e = fp32(1 / c) if c else math.inf
            if self.f["quotient"] == "two" and c:
                e = fp32(most / a)
            if self.f["quotient"] == "divide" and c:
                e = None
        elif self.f["quotient"] == "divide":
            e, c = None, fp32(a / most)
        else:
            e = fp32(most / a)
            c = fp32(a / most) if self.f["quotient"] == "two" else fp32(1 / e) if e else math.inf
        if e is not None and not math.isfinite(e):
            return [0.0] * len(column)
        out = []
        for v in column:
            q = self.narrow(fp32(v / c) if e is None else fp32(v * e), name, low, high)
            out.append(fp32(q * c))
        return out

    def narrow(self, x, name, low, high):
        if self.bits is not None and self.stochastic and name == self.state:
            return self.drawn(x, name, low, high)
        if high is not None:
            return float(min(high, max(low, round(x))))
        return into(x, name, saturate=self.f["scale"] != "none" or name == "e2m1")

    def drawn(self, x, name, low, high):
        """Returns the neighbour of x nearer to zero, or, with the next bit 1, the other one."""
        if not math.isfinite(x):
            return x
        if high is not None:
            sides = [float(min(high, max(low, v))) for v in (math.trunc(x), away(x))]
        else:
            sides = neighbours(x, name, self.f["scale"] != "none" or name == "e2m1")
        return sides[0] if sides[0] == sides[1] else sides[self.bits.take()]

    def read(self, before, after):
        if self.f["read"] == "unstored":
            return [[into(v, self.format) for v in column] for column in before]
        return after


def away(x):
    return math.ceil(x) if x > 0 else math.floor(x)


def neighbours(x, name, saturate):
    """Returns the numbers of a format around x: the one nearer to zero, and the other."""
    p, emin, most = FORMATS[name]
    if x == 0:
        return [x, x]
    unit = math.ldexp(1.0, max(math.frexp(x)[1] - 1, emin) - p + 1)
    sides = [math.trunc(x / unit) * unit, away(x / unit) * unit]
    over = most if saturate else math.nan if name == "e4m3" else math.inf
    if abs(x) > most:  # what overflows goes to the largest number, or beyond it
        return [math.copysign(most, x), math.copysign(over, x)]
    return [v if abs(v) <= most else math.copysign(over, v) for v in sides]


class Bits:
    """Choices, one sequence after the other: all that a step may draw."""

    def __init__(self, bits=()):
        self.bits, self.at = list(bits), 0

    def take(self):
        if self.at == len(self.bits):
            self.bits.append(0)
        self.at += 1
        return self.bits[self.at - 1]

    def advance(self):
        """Turns to the next sequence; returns whether there is one."""
        del self.bits[self.at :]
        while self.bits and self.bits[-1] == 1:
            self.bits.pop()
        if not self.bits:
            return False
        self.bits[-1], self.at = 1, 0
        return True


def chain(indices, key, column, fuse):
    total = None
    for i in indices:
        if total is None:
            total = fp32(key[i] * column[i])
        elif fuse:
            total = fused(key[i], column[i], total)
        else:
            total = fp32(total + fp32(key[i] * column[i]))
    return total or 0.0


def halves(p):
    n = 1
    while n < len(p):
        n *= 2
    p = p + [0.0] * (n - len(p))
    while n > 1:
        n //= 2
        p = [fp32(p[i] + p[i + n]) for i in range(n)]
    return p[0]
