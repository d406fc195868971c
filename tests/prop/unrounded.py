"""Decides whether nothing is rounded (theory/pages/unrounded.md, U2 to U4 and U7 to U9), for
ordinary networks over Q, in fractions.

Steps are as in handmade_float.py, in formats whose rounding raises `Inexact` where it would change
a number. For chunk64 the least sets are made, and given sets are checked; bounds are (places, most)
as the certificate lists them."""

from fractions import Fraction
from math import isqrt

import handmade_float
import triple
import triple_judge
from handmade_float import FP32, Format, Rounded, power
from triple import need

WHATS = (
    "key",
    "beta",
    "value",
    "gram",
    "scaled",
    "inverse",
    "inverse-sums",
    "beta-key",
    "beta-value",
    "w",
    "w-sums",
    "u-sums",
    "new",
    "new-sums",
    "state",
    "state-sums",
    "output-sums",
)
IN_FP32 = (
    "gram",
    "scaled",
    "inverse-sums",
    "w-sums",
    "u-sums",
    "new-sums",
    "state-sums",
    "output-sums",
)


class Inexact(Exception):
    pass


class Strict(Format):
    def __init__(self, data):
        vars(self).update(vars(data))

    def round(self, x):
        if Format.round(self, x) != x:
            raise Inexact
        return x

    def over_root(self, x, square):
        return self.round(exact_root(x * x / square) * (1 if x > 0 else -1))


def exact_root(z):
    a, b = isqrt(z.numerator), isqrt(z.denominator)
    if a * a != z.numerator or b * b != z.denominator:
        raise Inexact
    return Fraction(a, b)


class StrictRounded(Rounded):
    def __init__(self, net, data, schedule):
        if data.rounding == "stochastic":
            data = data.but(rounding="nearest")
        super().__init__(net, data, schedule)
        self.loose = Rounded(net, data, schedule)
        self.data, self.nearest, self.work, self.state = map(
            Strict, (self.data, self.nearest, self.work, self.state)
        )

    def weights(self, h, x):
        if self.schedule.eps is None:
            return super().weights(h, x)
        f, factors = self.nearest, []
        if h.raw:
            raise Inexact
        for beta, u, c in h.factors[x]:
            root = exact_root(h.square(u))
            key = {i: v / root for i, v in u.items()}
            if self.loose.keys(u) != key:
                raise Inexact
            factors.append(
                (
                    f.round(beta),
                    dict(sorted(key.items())),
                    {j: f.round(v / root) for j, v in c.items()},
                )
            )
        return (
            f.round(h.gate[x]),
            factors,
            {k: f.round(v) for k, v in (h.bias[x] if h.bias else {}).items()},
        )


def steps_exact(net, data, schedule):
    """Checks U2, U3, U4; of chunk64 the part that U3 needs."""
    try:
        run = StrictRounded(net, data, schedule)
        if schedule.eps is not None and schedule.order == "cast":
            return False
        for y in net.layer:
            for k, h in enumerate(y.head):
                states = [(h.initial, run.nearest)] + [(code[k], run.state) for code in y.code]
                for state, f in states:
                    for v in state.values():
                        f.round(v)
                for x in range(y.letters):
                    if schedule.order != "cast":
                        run.weights(h, x)
                    for state, _ in states if schedule.order != "chunk64" else ():
                        run.step_head(
                            h,
                            x,
                            [
                                [state.get((i, j), Fraction(0)) for j in range(h.d)]
                                for i in range(h.n)
                            ],
                        )
        return True
    except (Inexact, triple.Malformed):
        return False


# --- chunk64 ---


class Chunks:
    """The sets and bounds of one head. Vectors are tuples; kinds are columns 0 .. d - 1, d for
    images, d + 1 for back images. `left_out` is a group of runs that tests omit on purpose: 0 the
    runs of columns that begin inside a letter, 1 and 2 those that begin at keys."""

    left_out = None

    def __init__(self, net, y, k, data, schedule):
        self.h, self.y, self.data = y.head[k], y, data
        run, h = StrictRounded(net, data, schedule), y.head[k]
        if h.bias or any(g != 1 for g in h.gate):
            raise Inexact
        self.letters = [
            [
                (
                    b,
                    [key.get(i, Fraction(0)) for i in range(h.n)],
                    [v.get(j, Fraction(0)) for j in range(h.d)],
                )
                for b, key, v in run.weights(h, x)[1]
            ]
            for x in range(y.letters)
        ]
        self.needed = {
            j: {
                (Fraction(0),) * h.n,
                *(
                    tuple(s.get((i, j), Fraction(0)) for i in range(h.n))
                    for s in (h.initial, *(code[k] for code in y.code))
                ),
            }
            for j in range(h.d)
        }

    def run_of(self, kind, y, factors):
        """Returns (vectors, numbers) of a run through factors in this order."""
        vectors, numbers = [y], []
        for beta, key, value in factors:
            r = beta * (
                (value[kind] if kind < self.h.d else 0) - sum(a * b for a, b in zip(key, y))
            )
            y = tuple(a + r * b for a, b in zip(y, key))
            vectors.append(y)
            numbers.append(r)
        return vectors, numbers

    def runs(self, sets):
        d, zero = self.h.d, (Fraction(0),) * self.h.n
        for kind, vectors in sets.items():
            for y in vectors:
                for factors in self.letters:
                    yield kind, *self.run_of(kind, y, factors[::-1] if kind > d else factors)
        for factors in self.letters:
            for q, (beta, key, _) in enumerate(factors):
                for j in range(d) if q and self.left_out != 0 else ():
                    yield j, *self.run_of(j, zero, factors[q:])
                if self.left_out != 1:
                    yield d, *self.run_of(d, tuple(key), factors[q + 1 :])
                if self.left_out != 2:
                    yield d + 1, *self.run_of(
                        d + 1, tuple(beta * k for k in key), factors[:q][::-1]
                    )

    def least(self, most=400):
        sets = {
            kind: dict.fromkeys(sorted(self.needed.get(kind, ()))) for kind in range(self.h.d + 2)
        }
        while True:
            size = sum(map(len, sets.values()))
            for kind, vectors, _ in list(self.runs(sets)):
                if kind < self.h.d or any(vectors[-1]):
                    sets[kind][vectors[-1]] = None
            now = sum(map(len, sets.values()))
            if now > most:
                raise Inexact
            if now == size:
                return {kind: list(vectors) for kind, vectors in sets.items()}

    def closed(self, sets):
        return all(set(sets[j]) >= self.needed[j] for j in range(self.h.d)) and all(
            vectors[-1] in sets[kind] or (kind >= self.h.d and not any(vectors[-1]))
            for kind, vectors, _ in self.runs(sets)
        )

    def bounds(self, sets):
        d, found = self.h.d, {"inverse": [Fraction(1)], "new": [], "w": [], "state": []}
        for kind, vectors, numbers in self.runs(sets):
            if kind <= d:
                found["new" if kind < d else "inverse"] += numbers
            if kind != d:
                found["state" if kind < d else "w"] += [x for y in vectors for x in y]
        weights = [f for factors in self.letters for f in factors]
        found["key"] = [x for _, k, _ in weights for x in k]
        found["beta"] = [b for b, _, _ in weights]
        found["value"] = [x for _, _, v in weights for x in v]
        found["beta-key"] = [b * x for b, k, _ in weights for x in k]
        found["beta-value"] = [b * x for b, _, v in weights for x in v]
        out = {what: span(numbers) for what, numbers in found.items()}
        (sk, bk), (sb, bb), (si, bi), (sw, bw), (sn, bn), (ss, bs) = (
            out[w] for w in ("key", "beta", "inverse", "w", "new", "state")
        )
        gram = max(
            [sum((x * x for x in k), Fraction(0)) for _, k, _ in weights], default=Fraction(0)
        )
        rows = 64 * max(map(len, self.letters))
        out |= {
            "gram": (2 * sk, gram),
            "scaled": (sb + 2 * sk, bb * gram),
            "inverse-sums": (sb + 2 * sk + 2 * si, 768 * bb * gram * bi * bi),
            "w-sums": (si + out["beta-key"][0], 64 * bi * out["beta-key"][1]),
            "u-sums": (si + out["beta-value"][0], 64 * bi * out["beta-value"][1]),
            "new-sums": (max(sw + ss, sn), self.h.n * bw * bs + bn),
            "state-sums": (max(ss, sk + sn), bs + 64 * bk * bn),
            "output-sums": (max(ss, sk + sn), bs + rows * bk * bn),
        }
        return [(what, *out[what]) for what in WHATS]

    def fit(self, bounds):
        for what, s, b in bounds:
            f = FP32 if what in IN_FP32 else self.data
            if b and (
                b * power(s) > power(f.p)
                or b > f.largest
                or -s < f.emin - (f.p - 1 if f.subnormals else 0)
            ):
                return False
        return True


def span(numbers):
    """Returns the least s such that all numbers times 2^s are integers, and the largest size."""
    numbers = [x for x in numbers if x]
    if any(x.denominator & (x.denominator - 1) for x in numbers):
        raise Inexact
    return (
        max(
            (
                x.denominator.bit_length() - (x.numerator & -x.numerator).bit_length()
                for x in numbers
            ),
            default=0,
        ),
        max(map(abs, numbers), default=Fraction(0)),
    )


class Block:
    """The lines after a claim line: format, schedule, heads = [(layer, head, [(kind, vector) ..],
    [(what, places, most) ..])]."""

    def text(self):
        out = [f"unrounded {self.format.text()} {self.schedule.text()}"]
        for l, k, d, vectors, bounds in self.heads:
            out.append(f"set layer {l} head {k} vectors {len(vectors)}")
            out += [
                "vector"
                f" {'column ' + str(kind + 1) if kind < d else 'image' if kind == d else 'back'}"
                + triple.entries({i: x for i, x in enumerate(v) if x})
                for kind, v in vectors
            ]
            out += [f"bound layer {l} head {k} {what} places {s} most {b}" for what, s, b in bounds]
        return "\n".join(out) + "\n"


def block_of(net, data, schedule):
    """Returns the block, or None where something is rounded, or may be."""
    b = Block()
    b.format, b.schedule, b.heads = data, schedule, []
    if not data.valid() or not handmade_float.plain(net) or not steps_exact(net, data, schedule):
        return None
    for l, y in enumerate(net.layer):
        for k, h in enumerate(y.head) if schedule.order == "chunk64" else ():
            try:
                c = Chunks(net, y, k, data, schedule)
                sets = c.least()
                bounds = c.bounds(sets)
            except Inexact:
                return None
            if not c.fit(bounds):
                return None
            b.heads.append(
                [l + 1, k + 1, h.d, [(kind, v) for kind, vs in sets.items() for v in vs], bounds]
            )
    return b


def read_block(lines, net):
    """Reads a block from an iterator of lines, the first of which begins with `unrounded`."""
    b, f = Block(), next(lines).split(" ")
    need(
        len(f) in (18, 22) and f[16] == "schedule" and f[17] in (*handmade_float.ORDERS, "chunk64")
    )
    try:
        b.format = Format(
            int(f[3]),
            int(f[5]),
            int(f[7]),
            handmade_float.read_binary(f[9]),
            f[11] == "yes",
            f[13],
            f[15],
        )
    except ValueError:
        raise triple.Malformed("a number") from None
    need(
        f[13] in ("infinity", "nan", "saturate")
        and f[15] in (*handmade_float.ROUNDINGS, "stochastic")
    )
    need(b.format.p > 0 and abs(b.format.emin) < 2000 and abs(b.format.emax) < 2000)
    b.schedule = handmade_float.Schedule(f[17], *map(handmade_float.read_binary, f[19::2]))
    b.heads = []
    for l, y in enumerate(net.layer):
        for k, h in enumerate(y.head) if b.schedule.order == "chunk64" else ():
            count, vectors = triple.integer(next(lines, "").split(" ")[-1]), []
            for _ in range(count):
                words = next(lines, "").split(" ")
                column = words[:2] == ["vector", "column"]
                need(words[0] == "vector" and len(words) > 1 + column)
                kind = triple.integer(words[2], 1) - 1 if column else h.d + (words[1] == "back")
                v = triple.read_vector(" ".join(words[2 + column :]), h.n)
                vectors.append((kind, tuple(v.get(i, Fraction(0)) for i in range(h.n))))
            bounds = []
            for what in WHATS:
                words = next(lines, "").split(" ")
                need(len(words) == 10 and words[5] == what)
                try:
                    bounds.append((what, int(words[7]), triple.rational(words[9])))
                except ValueError:
                    raise triple.Malformed("a number") from None
            b.heads.append([l + 1, k + 1, h.d, vectors, bounds])
    return b


def holds(b, net):
    """Returns whether U11 holds for the block."""
    if (
        not b.format.valid()
        or not handmade_float.plain(net)
        or not steps_exact(net, b.format, b.schedule)
    ):
        return False
    heads = iter(b.heads)
    for y in net.layer:
        for k, h in enumerate(y.head) if b.schedule.order == "chunk64" else ():
            *_, vectors, bounds = next(heads)
            kinds = [kind for kind, _ in vectors]
            if (
                kinds != sorted(kinds)
                or len(set(vectors)) < len(vectors)
                or any(kind >= h.d and not any(v) for kind, v in vectors)
            ):
                return False
            sets = {kind: [v for of, v in vectors if of == kind] for kind in range(h.d + 2)}
            try:
                c = Chunks(net, y, k, b.format, b.schedule)
                if not c.closed(sets) or c.bounds(sets) != bounds or not c.fit(bounds):
                    return False
            except Inexact:
                return False
    return True


CLAIM = "claim exact\n"


def insert(cert_text, blocks):
    """Returns the certificate with the blocks, sealed again."""
    body = cert_text.replace(CLAIM, CLAIM + "".join(b.text() for b in blocks), 1).rpartition(
        "sha256 "
    )[0]
    return body + f"sha256 {triple.sha256(body)}\n"


def should_verify(fsa_text, net_text, cert_text):
    """Returns whether an exact certificate with blocks is right, from the texts alone."""
    try:
        head, claim, rest = cert_text.partition(CLAIM)
        a = triple.read_automaton(fsa_text)
        net, named = triple.read_network(net_text)
        need(named == triple.sha256(fsa_text) and triple_judge.class_error(net, a) is None)
        lines, blocks = rest.split("\n"), []
        while lines[0].startswith("unrounded "):
            ahead = iter(lines)
            blocks.append(read_block(ahead, net))
            lines = list(ahead)
        bare = head + claim + "\n".join(lines).rpartition("sha256 ")[0]
        bare += f"sha256 {triple.sha256(bare)}\n"
        need(insert(bare, blocks) == cert_text, "not in canonical form")
        need(
            len({b.text().split("\n")[0] for b in blocks}) == len(blocks),
            "a format and schedule twice",
        )
        c = triple_judge.read_certificate(bare, fsa_text, net_text)
        return (
            triple_judge.close(net, a) is not None
            and triple_judge.certificate_holds(c, net, a)
            and all(holds(b, net) for b in blocks)
        )
    except triple.Malformed:
        return False
