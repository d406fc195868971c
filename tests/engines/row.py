"""A row of an engine: its file, and its step on numbers, in arithmetic of its own."""

import math
from fractions import Fraction

from arith import FORMATS, fp32, fused, into, round_fraction, round_root, twice_sigmoid
from network import Unsupported

RAW = {"quotient": 4, "reciprocal": 4, "rsqrt": 8, "outside": 32, "max": 1, "rms": 128}
CITED = "name source repository commit path function read-on note beta-most row state".split()
NAMED = ("bf16", "fp16", "fp32", "tf32", "e4m3", "e5m2", "e2m1")
ORDERS = ("left", "halves", "butterfly", "lanes", "blocks")
WORDS = {
    "sum": ORDERS,
    "squares": ORDERS,
    "fuse": ("none", "sum", "update", "both"),
    "work": ("format", "fp32"),
    "operands": ("none", *NAMED),
    "read": ("stored", "unstored"),
    "beta": ("format", "fp32", "logit", "logit-format"),
    "stores": ("letter", "factor"),
    "ring": ("none", "format", *NAMED),
    "second": ("none", "head"),
    "prefill": ("none", "unstored"),
    "handover": NAMED,
    "decay": ("format", "fp32"),
    "scale": ("none", "amax", "pow2", "mx", "static"),
    "norm": tuple(RAW),
    "norm-in": ("fp32", "format"),
    "gate": ("early", "late", "folded"),
    "quotient": ("inverse", "divide", "two"),
    "clamp": ("symmetric", "full", "none"),
    "block": ("row", "head", "tile", "group", "tensor"),
    "draw": ("any", "top", "bottom", "floor"),
    "pair": ("no", "reversed"),
    "residual": ("none", "load", "feedback"),
    "residual-scale": ("none", "amax", "pow2"),
    "keys": ("fp32", "format"),
    "output": ("usual", *NAMED),
    "decode": ("nearest", "linear"),
}
NUMBERS = ("eps", "raw", "most", "letters")
INTEGERS = {"int4": 7, "int8": 127, "int16": 32767}
USUAL = {
    "sum": "left",
    "fuse": "none",
    "gate": "early",
    "work": "format",
    "operands": "none",
    "letters": "1",
    "stores": "letter",
    "ring": "none",
    "scale": "none",
    "quotient": "inverse",
    "clamp": "symmetric",
    "block": "row",
    "second": "none",
    "draw": "any",
    "pair": "no",
    "residual": "none",
    "residual-scale": "none",
    "read": "stored",
    "output": "usual",
    "keys": "format",
    "beta": "format",
    "decay": "format",
    "prefill": "none",
    "handover": "fp32",
    "decode": "nearest",
    "norm": "reciprocal",
    "norm-in": "fp32",
    "squares": "left",
}
HALVES = {"sum": "halves", "fuse": "update", "work": "fp32", "keys": "fp32"}
ROWS = {
    "every": {},
    "fma": {"fuse": "both"},
    "acc32": {"work": "fp32"},
    "recurrent": HALVES,
    "serving": HALVES | {"read": "unstored"},
    "state16": HALVES,
    "store64": HALVES | {"letters": "64"},
    "tf32": HALVES | {"operands": "tf32"},
    "state8": HALVES | {"scale": "pow2"},
    "chunk64": {},
}
# What a state is stored in that is given no format.
STATES = {"recurrent": "fp32", "tf32": "fp32", "state16": "fp16", "state8": "int8"}


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
        if self.row not in ROWS:
            raise Unsupported("row " + self.row)
        self.bits = None  # what a store draws, one after the other; None: it rounds to nearest
        state = state or STATES.get(self.row, "format")
        self.stochastic = state.endswith(":stochastic")
        self.state = state.removesuffix(":stochastic")
        if self.state == "format":
            self.state = name
        self.f = USUAL | ROWS[self.row]
        for k, v in fields.items():
            if k in CITED:
                continue
            if k not in NUMBERS and v.split(":")[0] not in WORDS.get(k, ()):
                raise Unsupported(f"{k} {v}")
            self.f[k] = v
        self.work = "fp32" if self.f["work"] == "fp32" else name
        self.eps = float(self.f["eps"]) if "eps" in self.f else None
        self.letters = int(self.f["letters"])
        self.norm = self.f["norm"]
        self.raw = Fraction(float(self.f.get("raw", RAW[self.norm])))
        if self.f["prefill"] == "chunk64":
            raise Unsupported("prefill chunk64")
        if self.f["block"] == "tensor" and (self.letters > 1 or self.f["prefill"] != "none"):
            raise Unsupported("block tensor in stores that wait, or after a prompt")

    # --- operations ---

    def times(self, a, b):
        return into(a * b, self.work) if self.work != "fp32" else fp32(a * b)

    def plus(self, a, b):
        return into(a + b, self.work) if self.work != "fp32" else fp32(a + b)

    def fma(self, a, b, c):
        """Returns a b + c, rounded once."""
        if self.work == "fp32":
            return fused(a, b, c)
        if not all(map(math.isfinite, (a, b, c))):
            return math.nan
        return into_exactly(Fraction(a) * Fraction(b) + Fraction(c), self.work)

    def operand(self, x):
        name = self.f["operands"]
        return x if name == "none" else into(x, name, saturate=name == "e2m1")

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
        out = self.normalised(out, n)
        wide = self.f["keys"] == "fp32"
        return out if wide else [float(round_fraction(Fraction(v), self.format)) for v in out]

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
        if self.f["norm-in"] == "format":
            products = [into(v, self.format) for v in products]

        def add(a, b):
            return fp32(a + b)

        return in_order(self.f["squares"], products, add, None)

    # --- the step; a state is a list of columns ---

    def sum(self, key, column):
        """Returns the sum of key times column in the row's order."""
        pairs = [(self.operand(k), self.operand(s)) for k, s in zip(key, column)]
        fuse = self.f["fuse"] in ("sum", "both")
        order = self.f["sum"]
        if order in ("halves", "butterfly") or not fuse:
            return in_order(order, [self.times(k, s) for k, s in pairs], self.plus, None)

        def join(total, pair):
            return self.fma(*pair, total)

        return in_order(order, pairs, self.plus, (lambda pair: self.times(*pair), join))

    def factor(self, column, key, beta, value, gate):
        """Returns the column after a factor; `gate` is 1 except in the first of a late gate."""
        folded = gate != 1 and self.f["gate"] == "folded"
        in_sum = [self.times(k, gate) for k in key] if folded else key
        p = self.sum(in_sum, column)
        if gate != 1 and not folded:
            p = self.times(p, gate)
        r = self.operand(self.times(beta, self.plus(value, -p)))
        if gate != 1:
            column = [self.times(s, gate) for s in column]
        some = [(self.operand(k), s) for k, s in zip(key, column)]
        if self.f["fuse"] in ("update", "both"):
            return [self.fma(k, r, s) for k, s in some]
        return [self.plus(s, self.times(k, r)) for k, s in some]

    def letter(self, x, state, weights, updates=None):
        """Returns the state after a letter; appends (key, -update) of its factors to `updates`."""
        gate, factors, bias = weights[x]
        early = self.f["gate"] == "early" or not factors
        if gate != 1 and early:
            state = [[self.times(s, gate) for s in column] for column in state]
        for i, (beta, key, value) in enumerate(factors):
            late = gate if not early and i == 0 else 1
            if i > 0 and self.f["stores"] == "factor":
                state, _ = self.stored(state, None)
            if updates is not None:
                rest = [self.plus(v, -self.sum(key, c)) for c, v in zip(state, value)]
                updates.append((key, [self.times(beta, r) for r in rest]))
            state = [self.factor(c, key, beta, v, late) for c, v in zip(state, value)]
        return [
            [self.plus(s, bias.get((i, j), 0.0)) for i, s in enumerate(column)] if bias else column
            for j, column in enumerate(state)
        ]

    def added(self, sums, updates):
        """Returns the sums of a ring, columns, after more updates: keys and numbers."""
        name = self.format if self.f["ring"] == "format" else self.f["ring"]
        for key, update in updates:
            kept = [into(k, name, name == "e2m1") for k in key]
            d = [into(v, name, name == "e2m1") for v in update]
            sums = [[fused(k, v, s) for k, s in zip(kept, c)] for v, c in zip(d, sums)]
        return sums

    def replayed(self, stored, sums):
        """Returns the state that is made of the last stored one and the sums of a ring."""
        return [[fp32(s + r) for s, r in zip(*two)] for two in zip(stored, sums)]

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

    def initial(self, head):
        """Returns the columns of the initial state, which is not stored yet."""
        return [
            [float(round_fraction(head.initial.get((i, j), Fraction(0)), self.format))
             for i in range(head.n)]
            for j in range(head.d)
        ]

    def stored(self, state, residual):
        """Returns the stored state, and the new residual."""
        load = self.f["residual"].startswith("load")
        feedback = self.f["residual"].startswith("feedback")
        x = state
        if feedback:
            x = [[fp32(s + r) for s, r in zip(a, b)] for a, b in zip(state, residual)]
        y = self.quantised(x)
        if not (load or feedback):
            return y, None
        error = [[fp32(s - t) for s, t in zip(a, b)] for a, b in zip(x, y)]
        error = self.kept_errors(error)
        if feedback:
            return y, error
        return [[fp32(s + t) for s, t in zip(a, b)] for a, b in zip(y, error)], None

    def kept_errors(self, error):
        """Returns what the residual's format keeps of the errors, to nearest."""
        name, scale = self.f["residual"].partition(":")[2] or "fp32", self.f["residual-scale"]
        high = INTEGERS.get(name)
        most = float(high or FORMATS[name][2])

        def narrow(v):
            if high is not None:
                return float(min(high, max(-high, round(v)))) if math.isfinite(v) else v
            return into(v, name, saturate=name == "e2m1")

        def keep(block):
            a = max(map(abs, block))
            if scale == "none" or a == 0:
                return [narrow(v) for v in block]
            e = fp32(most / a)
            c = fp32(1 / e) if e else math.inf
            if scale == "pow2":
                e, c = power_for(a, most)
            if not math.isfinite(e):
                return [0.0] * len(block)
            return [fp32(narrow(fp32(v * e)) * c) for v in block]

        return self.by_blocks(error, keep)

    def by_blocks(self, state, change):
        """Returns the state with each block, a list of numbers, changed."""
        block, _, size = self.f["block"].partition(":")
        if block == "group":
            size = int(size)
            return [
                [v for at in range(0, len(c), size) for v in change(c[at : at + size])]
                for c in state
            ]
        rows = {"row": 1, "tile": int(size or 1)}.get(block, len(state))
        out = []
        for at in range(0, len(state), rows):
            some = state[at : at + rows]
            # Numbers of a block are in the order of the state's rows, as they draw.
            order = [(i, j) for i in range(max(map(len, some))) for j in range(len(some))]
            order = [(i, j) for i, j in order if i < len(some[j])]
            changed = change([some[j][i] for i, j in order])
            made = [list(c) for c in some]
            for (i, j), v in zip(order, changed):
                made[j][i] = v
            out += made
        return out

    def quantised(self, state):
        """Returns the stored state: to nearest where there are no bits."""
        if self.f["scale"] == "none":
            return self.unscaled(state)
        most = float(self.f.get("most", INTEGERS.get(self.state) or FORMATS[self.state][2]))
        second = self.second_scale(state, most)
        return self.by_blocks(state, lambda block: self.scaled(block, most, second))

    def unscaled(self, state):
        if self.f["pair"] == "reversed":
            return [self.narrow(column) for column in state]
        # drawn one row after the other
        rows = [self.narrow([column[i] for column in state]) for i in range(len(state[0]))]
        return [[row[j] for row in rows] for j in range(len(state))]

    def second_scale(self, state, most):
        """Returns the number by which all scales of the head are multiplied before they are kept,
        or None."""
        if self.f["second"] == "none":
            return None
        amax = max(abs(v) for column in state for v in column)
        if amax == 0 or not math.isfinite(amax):
            return 1.0
        of_scales = FORMATS[self.f["scale"].partition(":")[2]][2]
        t = min(fp32(fp32(of_scales * most) / amax), FORMATS["fp32"][2])
        return t or 1.0

    def factors_of(self, a, most, second):
        """Returns what numbers are multiplied by before and after; the first is None where they
        are divided by the second."""
        scale, _, of = self.f["scale"].partition(":")
        quotient = self.f["quotient"]
        if scale == "pow2":
            return power_for(a, most)
        if scale == "mx":
            top = INTEGERS.get(self.state) or FORMATS[self.state][2]
            return power_of(math.frexp(top)[1] - math.frexp(a)[1])
        if second is not None:
            kept = fp32(a * fp32(second * fp32(1 / most)))
            c = fp32(into(kept, of, saturate=True) * fp32(1 / second))
            return (min(fp32(1 / c), FORMATS["fp32"][2]) if c else math.inf), c
        if scale == "amax" and not of and quotient == "inverse":
            e = fp32(most / a)
            return e, (fp32(1 / e) if e else math.inf)
        c = fp32(float(of)) if scale == "static" else fp32(a / most)
        if scale == "amax" and of:
            c = power_above(c) if of == "ue8m0" else into(c, of)
        if not math.isfinite(c):
            return math.nan, c
        if c == 0:
            return math.inf, c
        if quotient == "divide":
            return None, c
        return fp32(most / a) if quotient == "two" else fp32(1 / c), c

    def scaled(self, block, most, second):
        a = max(map(abs, block))
        if not all(map(math.isfinite, block)):
            return [math.nan] * len(block)
        if a == 0:
            return block
        e, c = self.factors_of(a, most, second)
        if e is not None and math.isnan(e):
            return [math.nan] * len(block)
        if e is not None and math.isinf(e):
            return [0.0] * len(block)
        x = [fp32(v / c) if e is None else fp32(v * e) for v in block]
        return [fp32(q * c) for q in self.narrow(x)]

    def narrow(self, numbers):
        """Returns numbers of the state's format, one after the other."""
        if self.bits is None or not self.stochastic:
            return [self.nearest(x) for x in numbers]
        if self.f["pair"] == "no":
            return [self.drawn(x) for x in numbers]
        out = []
        for at in range(0, len(numbers), 2):
            two = numbers[at : at + 2]
            out += self.drawn_pair(*two) if len(two) == 2 else [self.drawn(two[0])]
        return out

    def saturates(self):
        cut = self.f["scale"] != "none" and self.f["clamp"] != "none"
        return cut or self.state == "e2m1"

    def clamped(self, x):
        high = INTEGERS[self.state]
        return float(min(high, max(-high - (self.f["clamp"] == "full"), x)))

    def nearest(self, x):
        if not math.isfinite(x):
            return math.nan
        if self.state in INTEGERS:
            return self.clamped(round(x))
        return into(x, self.state, saturate=self.saturates())

    def take(self, outcomes):
        """Returns the first outcome, or, with the next bit 1, the second, if it is another one."""
        outcomes = list(dict.fromkeys(outcomes))
        return outcomes[0] if len(outcomes) == 1 else outcomes[self.bits.take()]

    def drawn(self, x):
        """Returns the neighbour of x nearer to zero, or, with the next bit 1, the other one."""
        if not math.isfinite(x):
            return math.nan
        draw, _, count = self.f["draw"].partition(":")
        if draw == "any":
            return self.take(self.sides(x))
        last = (1 << int(count)) - 1
        return self.take([self.by_bits(x, 0), self.by_bits(x, last)])  # it only grows with r

    def drawn_pair(self, x, y):
        """Returns what two numbers may become that share their bits: all of these are tried."""
        count = int(self.f["draw"].partition(":")[2])
        if count > 10:
            raise Unsupported("pairs of so many bits")
        if not (math.isfinite(x) and math.isfinite(y)):
            return [self.drawn(x), self.drawn(y)]
        words = [format(r, f"0{count}b") for r in range(1 << count)]
        may = [(self.by_bits(x, int(w, 2)), self.by_bits(y, int(w[::-1], 2))) for w in words]
        first = self.take([a for a, _ in may])
        # the second one's first outcome is that of r = 0
        second = {b for a, b in may if a == first}
        low = self.by_bits(y, 0)
        return [first, self.take(sorted(second, key=lambda b: b != low))]

    def sides(self, x):
        if self.state in INTEGERS:
            return [self.clamped(math.trunc(x)), self.clamped(away(x))]
        return neighbours(x, self.state, self.saturates())

    def by_bits(self, x, r):
        """Returns what x becomes with the random bits r, as a number."""
        draw, _, count = self.f["draw"].partition(":")
        count = int(count)
        if draw == "floor":
            return self.clamped(math.floor(fp32_exactly(Fraction(x) + Fraction(r, 1 << count))))
        low, high = self.sides(x)
        if low == high or x == low:
            return low
        if not math.isfinite(high) or abs(x) > abs(high):
            raise Unsupported("a number that overflows by its bits")
        place = Fraction(2) ** max(math.frexp(x)[1] - 24, -149)
        beyond, gap = (Fraction(abs(v)) - Fraction(abs(low)) for v in (x, high))
        added = gap * r / (1 << count) if draw == "top" else place * r
        return high if beyond + added >= gap else low

    def read(self, before, after):
        unstored = self.f["read"] == "unstored"
        output, _, saturate = self.f["output"].partition(":")
        numbers = before if unstored else after
        if output == "usual":
            output = self.format if unstored else None
        if output is None:
            return numbers
        cut = saturate == "saturate" or output == "e2m1"
        return [[into(v, output, cut) for v in column] for column in numbers]


def power_of(k):
    k = min(126, max(-126, k))
    return math.ldexp(1.0, k), math.ldexp(1.0, -k)


def power_for(a, most):
    """Returns 2^k and 2^-k for the largest k <= 126 with a 2^k <= most, but k >= -126."""
    k = 126
    while k > -126 and math.ldexp(a, k) > most:
        k -= 1
    return power_of(k)


def power_above(x):
    """Returns the least power of two from 2^-127 on that is at least x; NaN above 2^127."""
    k = -127
    while math.ldexp(1.0, k) < x:
        k += 1
    return math.ldexp(1.0, k) if k <= 127 else math.nan


def fp32_exactly(x):
    return float(round_fraction(x, "fp32")) if x else 0.0


def into_exactly(x, name):
    """Returns a fraction in the format."""
    y = float(round_fraction(x, name)) if x else 0.0
    return math.copysign(math.inf, y) if abs(y) > FORMATS[name][2] else y


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


def in_order(order, terms, add, fuse):
    """Returns the sum of all terms in the order: numbers, or, where `fuse` is (first, join), what
    these make numbers of in each chain."""
    kind, *sizes = order.split(":")
    n = len(terms)
    first, join = fuse or ((lambda x: x), add)

    def chain(indices):
        total = None
        for i in indices:
            total = first(terms[i]) if total is None else join(total, terms[i])
        return total or 0.0

    if kind == "left":
        return chain(range(n))
    width, chains = int(sizes[0]) if sizes else 1, int(sizes[1]) if len(sizes) > 1 else 1
    if kind == "lanes":
        lanes = [range(w, n, width) for w in range(min(width, n))]
    else:
        lanes = [range(at, min(at + width, n)) for at in range(0, n, width)]
    parts = []
    for lane in lanes:
        total, *rest = [chain(list(lane)[c::chains]) for c in range(chains)]
        for more in rest:
            total = add(total, more)
        parts.append(total)
    size = 1
    while size < len(parts):
        size *= 2
    parts += [0.0] * (size - len(parts))
    while len(parts) > 1:
        size //= 2
        if kind == "butterfly":
            parts = [add(parts[2 * i], parts[2 * i + 1]) for i in range(size)]
        else:
            parts = [add(parts[i], parts[i + size]) for i in range(size)]
    return parts[0]
