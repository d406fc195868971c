"""Number formats and operation schedules in fractions, closures of small networks in them, and
their certificates.

A third implementation of models/network/schedule/schedule.h, written from this header alone:
numbers are fractions, None is a result that is not finite, and every operation is computed exactly
and rounded by `Format.round`. Square roots are enclosed by integers."""

import copy
from fractions import Fraction
from math import isqrt

import handmade
import triple
import triple_judge
from handmade import HALF, edges, group, head, layer, network, vector
from triple import need

ROUNDINGS = ("nearest", "zero", "up", "down")
ORDERS = ("every", "fma", "acc32", "recurrent", "cast")


def power(e):
    return Fraction(2) ** e


def exponent(x):
    """Returns the exponent of the leading bit of x > 0."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if power(e) <= x else e - 1


class Format:
    def __init__(
        self, p, emin, emax, largest=None, subnormals=True, overflow="infinity", rounding="nearest"
    ):
        self.p, self.emin, self.emax, self.subnormals, self.overflow, self.rounding = (
            p,
            emin,
            emax,
            subnormals,
            overflow,
            rounding,
        )
        self.largest = (2 - power(1 - p)) * power(emax) if largest is None else Fraction(largest)

    def valid(self):
        return (
            2 <= self.p <= 53
            and self.emin <= self.emax
            and power(self.emax) <= self.largest
            and self.largest <= (2 - power(1 - self.p)) * power(self.emax)
            and (self.largest / power(self.emax - self.p + 1)).denominator == 1
        )

    def but(self, **changes):
        out = copy.copy(self)
        vars(out).update(changes)
        return out

    def round(self, x):
        if not x:
            return x
        size, sign = abs(x), 1 if x > 0 else -1
        unit = power(
            (max(exponent(size), self.emin) if self.subnormals else exponent(size)) - self.p + 1
        )
        whole, rest = divmod(size / unit, 1)
        outwards = {
            "zero": False,
            "up": sign > 0,
            "down": sign < 0,
            "nearest": rest > HALF or (rest == HALF and whole % 2 == 1),
        }[self.rounding]
        size = (whole + (outwards and rest > 0)) * unit
        if not self.subnormals and size < power(self.emin):
            return Fraction(0)
        if size > self.largest:
            inwards = self.rounding == "zero" or self.rounding == ("down" if sign > 0 else "up")
            return sign * self.largest if inwards or self.overflow == "saturate" else None
        return sign * size

    def over_root(self, x, square):
        """Returns x / sqrt(square), correctly rounded: rounding is constant between two
        neighbouring multiples of 2^-k."""
        if not x:
            return Fraction(0)
        k = 1200
        z = x * x / square * power(2 * k)
        root = isqrt(z.numerator // z.denominator)
        near = Fraction(root) if root * root == z else root + HALF
        return self.round((1 if x > 0 else -1) * near * power(-k))

    def text(self):
        return (
            f"format precision {self.p} emin {self.emin} emax {self.emax} largest"
            f" {binary(self.largest)} subnormals {'yes' if self.subnormals else 'no'} overflow"
            f" {self.overflow} round {self.rounding}"
        )


FP32 = Format(24, -126, 127)
FORMATS = {
    "bf16": Format(8, -126, 127),
    "fp16": Format(11, -14, 15),
    "fp32": FP32,
    "fp64": Format(53, -1022, 1023),
    "e4m3": Format(4, -6, 8, 448, overflow="nan"),
    "e5m2": Format(3, -14, 15),
    "tf32": Format(11, -126, 127),
}


def binary(x):
    if not x:
        return "0"
    m, e = x.numerator, 1 - x.denominator.bit_length()
    while m % 2 == 0:
        m, e = m // 2, e + 1
    return f"{m}p{e}" if e else str(m)


def read_binary(text):
    m, p, e = text.partition("p")
    try:
        x = int(m) * power(int(e or 0))
    except ValueError:
        raise triple.Malformed("a binary number") from None
    need(
        binary(x) == text and abs(int(m)) < 2**53, "the spelling of a binary number"
    )  # no format has more bits
    return x


class Schedule:
    def __init__(self, order, eps=None, raw=None):
        self.order, self.eps, self.raw = order, eps, raw

    def text(self):
        return f"schedule {self.order}" + (
            f" eps {binary(self.eps)} raw {binary(self.raw)}" if self.eps is not None else ""
        )


class Rounded:
    """A network in a format and a schedule. Joint states are tuples of numbers."""

    def __init__(self, net, data, schedule):
        self.net, self.data, self.order, self.schedule = net, data, schedule.order, schedule
        self.nearest = data.but(rounding="nearest")
        self.work = FP32 if self.order in ("acc32", "recurrent", "chunk64") else data
        self.state = FP32 if self.order in ("recurrent", "chunk64") else data
        self.made = {}
        need(
            self.work is not FP32
            or (data.p <= 24 and data.emax <= 127 and data.emin - data.p >= -150),
            "not in fp32",
        )
        need(schedule.eps is None or (schedule.eps >= 0 and schedule.raw > 0), "eps or raw")

    def start(self):
        return tuple(
            self.nearest.round(h.initial.get((i, j), Fraction(0)))
            for y in self.net.layer
            for h in y.head
            for i in range(h.n)
            for j in range(h.d)
        )

    def keys(self, u):
        """Returns the keys normalised as libraries do it."""
        s, most = Fraction(0), max(map(abs, u.values()))
        x = {i: self.nearest.round(u[i] * self.schedule.raw / most) for i in sorted(u)}
        if None in x.values():
            return dict.fromkeys(x)
        for v in x.values():
            s = add(FP32, s, mul(FP32, v, v))
        s = add(FP32, s, self.schedule.eps)
        root = s and FP32.over_root(s, s)
        r = FP32.round(1 / root) if root else None
        k = {i: mul(FP32, v, r) for i, v in x.items()}
        return (
            k
            if self.order == "recurrent"
            else {i: v if v is None else self.nearest.round(v) for i, v in k.items()}
        )

    def weights(self, h, x):
        """Returns (gate, [(beta, key, value)], bias), without zeros."""
        if (id(h), x) not in self.made:
            factors = []
            for beta, u, c in h.factors[x]:
                square = 1 if h.raw else h.square(u)
                key = {i: self.nearest.over_root(v, square) for i, v in u.items()}
                if self.schedule.eps is not None:
                    key = self.keys(u)
                value = {j: self.nearest.over_root(v, square) for j, v in c.items()}
                factors.append(
                    (
                        self.nearest.round(beta),
                        {i: key[i] for i in sorted(key) if key[i] != 0},
                        value,
                    )
                )
            bias = {k: self.nearest.round(v) for k, v in (h.bias[x] if h.bias else {}).items()}
            self.made[id(h), x] = self.nearest.round(h.gate[x]), factors, bias
        return self.made[id(h), x]

    def matrices(self, h, x):
        if (id(h), x) not in self.made:
            zero, rows = copy.copy(h), []
            zero.d = (
                h.n + h.d
            )  # A and B side by side: the letter's effect on unit vectors, without writes, and on 0
            zero.factors = [
                [(b, u, {j + h.n: v for j, v in c.items()}) for b, u, c in h.factors[x]]
            ]
            zero.gate, zero.bias = [h.gate[x]], (
                [{(i, j + h.n): v for (i, j), v in h.bias[x].items()}] if h.bias else None
            )
            both = zero.step(0, {(i, i): Fraction(1) for i in range(h.n)})
            for i in range(h.n):
                rows.append(
                    [self.nearest.round(both.get((i, k), Fraction(0))) for k in range(zero.d)]
                )
            self.made[id(h), x] = rows
        return self.made[id(h), x]

    def step_head(self, h, x, s):
        """Changes s[i][j] in place."""
        if self.order == "cast":
            ab = self.matrices(h, x)
            new = [
                [
                    (
                        None
                        if None in (*ab[i], *(s[k][j] for k in range(h.n)))
                        else self.data.round(
                            sum(ab[i][k] * s[k][j] for k in range(h.n)) + ab[i][h.n + j]
                        )
                    )
                    for j in range(h.d)
                ]
                for i in range(h.n)
            ]
            s[:] = new
            return
        gate, factors, bias = self.weights(h, x)
        f = self.work
        if gate != 1:
            s[:] = [[mul(f, v, gate) for v in row] for row in s]
        for beta, k, v in factors:
            for j in range(h.d):
                self.push(f, beta, k, v.get(j, Fraction(0)), s, j, h.n)
        for (i, j), v in bias.items():
            s[i][j] = add(f, s[i][j], v)
        if self.order == "acc32":
            s[:] = [[v if v is None else self.data.round(v) for v in row] for row in s]

    def push(self, f, beta, k, v, s, j, n):
        if self.order == "recurrent":
            p = [mul(f, k.get(i, Fraction(0)), s[i][j]) for i in range(n)]
            while len(p) & (len(p) - 1):
                p.append(Fraction(0))
            while len(p) > 1:
                half = len(p) // 2
                p = [add(f, p[i], p[i + half]) for i in range(half)]
            r = mul(f, beta, add(f, v, neg(p[0])))
            for i in k:
                s[i][j] = fma(f, k[i], r, s[i][j])
            return
        r = Fraction(0)
        for i in k:
            r = (
                fma(f, k[i], s[i][j], r)
                if self.order == "fma"
                else add(f, r, mul(f, k[i], s[i][j]))
            )
        if v != 0:
            r = add(f, r, neg(v))
        r = mul(f, beta, r)
        for i in k:
            s[i][j] = (
                fma(f, neg(k[i]), r, s[i][j])
                if self.order == "fma"
                else add(f, s[i][j], neg(mul(f, k[i], r)))
            )

    def step(self, joint, letter):
        """Returns (joint state, symbol), or None."""
        out, at = [], 0
        for y in self.net.layer:
            local = []
            for h in y.head:
                s = [list(joint[at + i * h.d : at + (i + 1) * h.d]) for i in range(h.n)]
                at += h.n * h.d
                self.step_head(h, letter, s)
                local.append(s)
            if any(v is None for s in local for row in s for v in row):
                return None
            letter = self.decode(y, letter, local)
            if letter is None:
                return None
            out += [v for s in local for row in s for v in row]
        return tuple(out), letter

    def decode(self, y, letter, local):
        def distance(code):
            return sum(
                (c.get((i, j), 0) - v) ** 2
                for c, s in zip(code, local)
                for i, row in enumerate(s)
                for j, v in enumerate(row)
            )

        far = [distance(code) for code in y.code]
        symbols = {y.symbol_of(letter, i) for i, x in enumerate(far) if x == min(far)}
        return symbols.pop() if len(symbols) == 1 else None


def add(f, a, b):
    return None if a is None or b is None else f.round(a + b)


def mul(f, a, b):
    return None if a is None or b is None else f.round(a * b)


def fma(f, a, b, c):
    return None if a is None or b is None or c is None else f.round(a * b + c)


def neg(a):
    return None if a is None else -a


class Certificate:
    """Data: format, schedule, sizes, letters, states, numbers, count, end, rows [state, numbers,
    next rows]."""

    def text(self, fsa_text, net_text):
        out = [
            "lrnn-certificate 2",
            f"fsa {triple.sha256(fsa_text)}",
            f"network {triple.sha256(net_text)}",
            "claim float",
            self.format.text(),
            self.schedule.text(),
            "size layers {} heads {} householders {} key {} value {}".format(*self.sizes),
            f"letters {self.letters} states {self.states} numbers {self.numbers} rows {self.count}",
        ]
        out += [
            f"row {i + 1} state {q + 1} numbers {' '.join(map(binary, numbers))} next"
            f" {' '.join(str(r + 1) for r in following)}"
            for i, (q, numbers, following) in enumerate(self.rows)
        ]
        body = "\n".join([*out, f"end {self.end}"]) + "\n"
        return body + f"sha256 {triple.sha256(body)}\n"


def certificate_of(a, net, data, schedule, rows):
    c = Certificate()
    c.format, c.schedule, c.sizes, c.letters, c.states = (
        data,
        schedule,
        list(net.sizes()),
        len(a.letters),
        len(a.states),
    )
    c.numbers, c.rows, c.count, c.end = len(rows[0][1]), rows, len(rows), len(rows)
    return c


def read_certificate(text, fsa_text, net_text):
    c, lines = Certificate(), text.split("\n")
    need(len(lines) > 10)
    f, s = lines[4].split(" "), lines[5].split(" ")
    need(len(f) == 15 and len(s) in (2, 6) and s[1] in ORDERS)
    try:
        c.format = Format(
            int(f[2]), int(f[4]), int(f[6]), read_binary(f[8]), f[10] == "yes", f[12], f[14]
        )
        c.sizes = [int(x) for x in lines[6].split()[2::2]]
        c.letters, c.states, c.numbers, c.count = (int(x) for x in lines[7].split()[1::2])
    except ValueError:
        raise triple.Malformed("a number") from None
    need(len(c.sizes) == 5 and f[14] in ROUNDINGS and f[12] in ("infinity", "nan", "saturate"))
    need(abs(c.format.emin) < 2000 and abs(c.format.emax) < 2000 and c.format.p > 0)
    c.schedule = Schedule(s[1], *map(read_binary, s[3::2]))
    c.rows = []
    for line in lines[8:-3]:
        words = line.split(" ")
        need(len(words) == 7 + c.numbers + c.letters - 1)
        c.rows.append(
            [
                triple.integer(words[3], 1) - 1,
                [read_binary(x) for x in words[5 : 5 + c.numbers]],
                [triple.integer(x, 1) - 1 for x in words[6 + c.numbers :]],
            ]
        )
    c.end = triple.integer(lines[-3].removeprefix("end "))
    need(c.text(fsa_text, net_text) == text, "not in canonical form")
    return c


def plain(net):
    return not any(h.field or h.form is not None for y in net.layer for h in y.head)


def close(a, net, data, schedule, limit=400):
    """Returns the rows, or None when the rounded network is wrong or has more than the limit."""
    run, a = Rounded(net, data, schedule), net.over(a)
    first = (a or triple.Automaton()).start, run.start()
    if a is None or None in first[1] or not net.starts_right(a):
        return None
    pairs, place, rows = [first], {first: 0}, []
    for q, joint in pairs:
        following = []
        for w in range(len(a.letters)):
            after, to = run.step(joint, w), a.next[q][w]
            if after is None or net.labels[after[1]] != a.label_after(net.label, q, w):
                return None
            pair = to, after[0]
            if pair not in place:
                place[pair] = len(pairs)
                pairs.append(pair)
                if len(pairs) > limit:
                    return None
            following.append(place[pair])
        rows.append([q, list(joint), following])
    return rows


def holds(c, a, net):
    """Returns whether the certificate is a table of reachable pairs with every edge right."""
    rows, a = c.rows, net.over(a)
    if (
        a is None
        or tuple(c.sizes) != net.sizes()
        or c.letters != len(a.letters)
        or c.states != len(a.states)
        or not rows
        or c.count != len(rows)
        or c.end != len(rows)
        or not net.starts_right(a)
        or not c.format.valid()
        or not plain(net)
    ):
        return False
    if c.schedule.eps is not None and (
        c.schedule.order == "cast" or any(h.raw for y in net.layer for h in y.head)
    ):
        return False
    run = Rounded(net, c.format, c.schedule)
    if rows[0][0] != a.start or tuple(rows[0][1]) != run.start():
        return False
    if any(
        q >= len(a.states)
        or any(run.state.round(x) != x for x in numbers)
        or any(r >= len(rows) for r in following)
        for q, numbers, following in rows
    ):
        return False
    reached, seen = {0}, set()
    for i, (q, numbers, following) in enumerate(rows):
        pair = q, tuple(numbers)
        if i not in reached or pair in seen:
            return False
        seen.add(pair)
        reached.update(following)
        for w, r in enumerate(following):
            after = run.step(pair[1], w)
            if after is None or (a.next[q][w], after[0]) != (rows[r][0], tuple(rows[r][1])):
                return False
            if net.labels[after[1]] != a.label_after(net.label, q, w):
                return False
    return True


def should_verify(fsa_text, net_text, cert_text):
    try:
        a = triple.read_automaton(fsa_text)
        net, named = triple.read_network(net_text)
        need(named == triple.sha256(fsa_text) and triple_judge.class_error(net, a) is None)
        return holds(read_certificate(cert_text, fsa_text, net_text), a, net)
    except triple.Malformed:
        return False


# --- networks ---


def sign(x, state):
    return int(state[0].get((0, 0), 0) < 0)


def bits(symbols=2):
    return edges(["0", "1"], ["even", "odd"], lambda q, w: q ^ w, accept={1})


def semidefinite():
    """One factor with a positive spectrum and a bias, which computes parity where every operation
    is rounded to 8 bits."""
    a, start, other = bits(), Fraction(-207, 64), Fraction(-55, 128)
    h = head(
        2,
        1,
        {(0, 0): start, (1, 0): other},
        (1,),
        (1, (Fraction(11, 16), vector(Fraction(141, 512), Fraction(123, 128)), {})),
    )
    h.raw, h.bias = True, [{}, {(0, 0): Fraction(-65, 256), (1, 0): Fraction(-55, 64)}]
    net = network(a, "states", layer(2, [head(1, 1, {}, (1,), (1,))], lambda x, s: 0, 2))
    y = net.layer[0]
    y.head = [h]
    y.code = [[h.initial], [{(0, 0): start, (1, 0): Fraction(-109, 256)}]]
    y.symbol = [0, 1]
    return a, net


def shrinking():
    """With beta = 7/4 and key 1 the sign changes for ever, because the least number stays."""
    a = bits()
    net = network(
        a, "states", layer(2, [head(1, 1, {(0, 0): 1}, (1,), (1, (2, vector(1), {})))], sign, 2)
    )
    net.layer[0].head[0].factors[1] = [(Fraction(7, 4), vector(1), {})]
    return a, net


def swaps(points=3, track=0):
    """Neighbouring points are swapped by keys that must be rounded."""
    images = {f"s{i}": f"({i} {i + 1})" for i in range(1, points)}
    a = group(points, track, **images)

    def swap(i):
        return 1, (2, {i: Fraction(1), i + 1: Fraction(-1)}, {})

    initial = {(track or 0, 0): 1} if track is not None else {(i, 0): i + 1 for i in range(points)}
    h = head(points, 1, initial, *map(swap, range(points - 1)))
    return handmade.follow(
        a, network(a, "states", layer(points - 1, [h], lambda x, s: 0, len(a.states)))
    )


def squares():
    """Two columns, writes of numbers that are rounded, and a gate."""
    a = edges(["x", "y", "clear"], ["none", "x", "y"], lambda q, w: (1, 2, 0)[w])
    clean = [(1, vector(1, 0), {}), (1, vector(0, 1), {})]
    h = head(
        2,
        2,
        {},
        (1, *clean, (1, vector(1, 1), vector(1, -2))),
        (HALF, *clean, (1, vector(3, 1), vector(0, 7))),
        (0,),
    )
    return handmade.follow(a, network(a, "states", layer(3, [h], lambda x, s: 0, 3)))


def tied():
    """The state 0 after letter 2 has two nearest codes with the same symbol."""
    a = edges(["1", "2"], ["a", "b"], lambda q, w: w)
    h = head(1, 1, {(0, 0): 1}, (0, (1, vector(1), vector(1))), (0,))
    y = layer(2, [h], lambda x, s: 0, 2)
    y.code, y.symbol = [[{(0, 0): Fraction(x)}] for x in (1, "-1/3", "1/3")], [0, 1, 1]
    return a, network(a, "states", y)


NETWORKS = {
    "parity": handmade.parity,
    "s3": handmade.s3,
    "klein": handmade.klein,
    "mod4": handmade.mod4,
    "clock": handmade.clock,
    "flipflop": handmade.flipflop,
    "semidefinite": semidefinite,
    "shrinking": shrinking,
    "swaps-3": swaps,
    "swaps-3-elements": lambda: swaps(3, None),
    "swaps-4": lambda: swaps(4),
    "squares": squares,
    "tied": tied,
    "trivial": handmade.trivial,
    "shifted": handmade.shifted,
}


def texts(a, net, data, schedule, rows):
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    return fsa, lrnn, certificate_of(a, net, data, schedule, rows).text(fsa, lrnn)
