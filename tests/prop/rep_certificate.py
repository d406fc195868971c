"""A certificate of fewest Householder factors as Python data, and an independent judgement of it.

The judge lists the group and conjugates by all elements; it multiplies all pairs of class sums; and
it computes the complex character table numerically (NumPy), from which it finds the ranks and the
minimum a second time."""

import functools
import itertools
import re

import numpy

import triple


class Malformed(Exception):
    """Raised when the text is not in the form that the grammar requires."""


def need(condition):
    if not condition:
        raise Malformed


def cycles_of(image):
    done, out = set(), ""
    for first in range(len(image)):
        cycle, p = [], first
        while p not in done:
            done.add(p)
            cycle.append(str(p + 1))
            p = image[p]
        out += f"({' '.join(cycle)})" if len(cycle) > 1 else ""
    return out or "()"


def image_of(text, degree):
    image = list(range(degree))
    for cycle in re.findall(r"\(([^()]+)\)", text):
        points = [int(p) - 1 for p in cycle.split(" ")]
        need(all(0 <= p < degree for p in points))
        for p, q in zip(points, points[1:] + points[:1]):
            need(image[p] == p)
            image[p] = q
    need(cycles_of(image) == text)
    return tuple(image)


class Certificate:
    """Data: fsa (a hash), degree, names [str] and generators [image], letters, order, exponent,
    classes [(image, size, order, inverse, square)], prime, separate [class], characters [(degree,
    indicator, conjugate, values)], irreps [(character, dimension, most)], minimum, hidden, faithful
    [irrep], least (None in version 2), end; indices count from 0."""

    def text(self):
        lines = [
            f"householders {2 if self.least is None else 3}",
            f"fsa {self.fsa}",
            f"degree {self.degree}",
            f"generators {len(self.generators)}",
        ]
        lines += [
            f"generator {triple.spell(n)} {cycles_of(g)}"
            for n, g in zip(self.names, self.generators)
        ]
        lines += [
            f"letters {self.letters}",
            f"order {self.order}",
            f"exponent {self.exponent}",
            f"classes {len(self.classes)}",
        ]
        lines += [
            f"class {c} element {cycles_of(x)} size {s} order {o} inverse {i + 1} square {q + 1}"
            for c, (x, s, o, i, q) in enumerate(self.classes, 1)
        ]
        lines += [f"prime {self.prime}", "separate" + "".join(f" {c + 1}" for c in self.separate)]
        lines += [
            f"character {s} degree {d} indicator {f} conjugate {t + 1} values"
            f" {' '.join(map(str, v))}"
            for s, (d, f, t, v) in enumerate(self.characters, 1)
        ]
        lines += [f"irreps {len(self.irreps)}"]
        lines += [
            f"irrep {i} character {s + 1} dimension {d} most {b}"
            for i, (s, d, b) in enumerate(self.irreps, 1)
        ]
        lines += [f"minimum {self.minimum}"] + (
            [f"hidden {self.hidden + 1}"] if self.hidden is not None else []
        )
        return "\n".join(
            [
                *lines,
                "faithful" + "".join(f" {i + 1}" for i in self.faithful),
                *([] if self.least is None else [f"least {self.least}"]),
                f"end {self.end}",
                "",
            ]
        )


def read(text):
    lines, at = text.split("\n"), 0

    def line(pattern):
        nonlocal at
        need(at < len(lines))
        match = re.fullmatch(pattern, lines[at])
        need(match)
        at += 1
        return match.groups()

    def times(count):
        need(int(count) <= len(lines))
        return range(int(count))

    def indices(text):
        return [int(i) - 1 for i in text.split()]

    c = Certificate()
    n = r"(0|[1-9][0-9]{0,9})"
    (version,) = line("householders ([23])")
    (c.fsa,) = line("fsa ([0-9a-f]{64})")
    c.degree = int(*line(f"degree {n}"))
    need(1 <= c.degree <= 1000)
    named = [
        line(r'generator ("(?:[^"\\]|\\.)*"|[^ "]+) (.*)') for _ in times(*line(f"generators {n}"))
    ]
    try:
        c.names = triple.distinct([triple.name_of(name) for name, _ in named])
    except triple.Malformed:
        raise Malformed from None
    c.generators = [image_of(cycles, c.degree) for _, cycles in named]
    (c.letters,) = line("letters (elements|generators)")
    c.order, c.exponent = int(*line(f"order {n}")), int(*line(f"exponent {n}"))
    c.classes = []
    for k in times(*line(f"classes {n}")):
        number, x, s, o, i, q = line(
            f"class {n} element (.*) size {n} order {n} inverse {n} square {n}"
        )
        need(int(number) == k + 1)
        c.classes.append((image_of(x, c.degree), int(s), int(o), int(i) - 1, int(q) - 1))
    c.prime = int(*line(f"prime {n}"))
    c.separate = indices(*line("separate((?: [0-9]+)*)"))
    c.characters = []
    for k in range(len(c.classes)):
        number, d, f, t, v = line(
            f"character {n} degree {n} indicator (-1|0|1) conjugate {n} values((?: [0-9]+)*)"
        )
        need(int(number) == k + 1)
        c.characters.append((int(d), int(f), int(t) - 1, tuple(map(int, v.split()))))
    c.irreps = []
    for k in times(*line(f"irreps {n}")):
        number, s, d, b = line(f"irrep {n} character {n} dimension {n} most {n}")
        need(int(number) == k + 1)
        c.irreps.append((int(s) - 1, int(d), int(b)))
    c.minimum = int(*line(f"minimum {n}"))
    c.hidden = int(*line(f"hidden {n}")) - 1 if c.minimum > 0 else None
    c.faithful = indices(*line("faithful((?: [0-9]+)*)"))
    c.least = int(*line(f"least {n}")) if version == "3" else None
    c.end = int(*line(f"end {n}"))
    need(lines[at:] == [""] and c.text() == text)
    return c


def product(x, y):
    return tuple(y[p] for p in x)


class Group:
    """Elements in breadth-first order, classes in the order of their first elements, and the
    numerical character table."""

    def __init__(self, degree, generators, most=2000):
        identity = tuple(range(degree))
        self.elements, self.number = [identity], {identity: 0}
        for x in self.elements:
            for g in generators:
                y = product(x, g)
                if y not in self.number:
                    self.number[y] = len(self.elements)
                    self.elements.append(y)
            if len(self.elements) > most:
                raise OverflowError
        n = len(self.elements)
        inverse = [tuple(sorted(range(degree), key=x.__getitem__)) for x in self.elements]
        self.class_of, self.members = [None] * n, []
        for i, x in enumerate(self.elements):
            if self.class_of[i] is None:
                found = sorted(
                    {
                        self.number[product(product(inverse[k], x), a)]
                        for k, a in enumerate(self.elements)
                    }
                )
                for k in found:
                    self.class_of[k] = len(self.members)
                self.members.append(found)
        self.powers = []
        for members in self.members:
            x, row = self.elements[members[0]], [0]
            y = x
            while y != identity:
                row.append(self.class_of[self.number[y]])
                y = product(y, x)
            self.powers.append(row)
        self.generator_classes = {self.class_of[self.number[g]] for g in generators}
        self.constants()
        self.numerical_table()

    def constants(self):
        """Sets a[i][j][k] to the number of pairs in classes i, j with a given product in class
        k."""
        r = len(self.members)
        self.a = numpy.zeros((r, r, r), dtype=object)
        for k, members in enumerate(self.members):
            z = self.elements[members[0]]
            for i, x in enumerate(self.elements):
                y = tuple(z[p] for p in sorted(range(len(x)), key=x.__getitem__))  # x^-1 z
                self.a[self.class_of[i]][self.class_of[self.number[y]]][k] += 1

    def numerical_table(self):
        """Sets the rows (degree, indicator, ranks of the real representation), sorted."""
        r, n = len(self.members), len(self.elements)
        sizes = numpy.array([len(m) for m in self.members], dtype=float)
        rng = numpy.random.default_rng(1)
        mixed = sum(w * self.a[i].astype(float) for i, w in enumerate(rng.normal(size=r)))
        _, vectors = numpy.linalg.eig(mixed)
        omega = (vectors / vectors[0]).T
        self.rows = []
        for row in omega:
            f = row / sizes
            degree = (n / (sizes * abs(f) ** 2).sum()) ** 0.5
            chi = f * degree
            square = [p[2 % len(p)] for p in self.powers]
            indicator = (sizes * chi[square]).sum() / n
            ranks = [degree - sum(chi[c] for c in p) / len(p) for p in self.powers]
            values = [degree, indicator, *ranks]
            whole = [round(v.real) for v in values]
            assert (
                max(abs(v - w) for v, w in zip(values, whole)) < 1e-6
            ), "the numerical table is not exact enough"
            times = 1 if whole[1] == 1 else 2
            self.rows.append((whole[0], whole[1], tuple(times * w for w in whole[2:])))
        self.rows.sort()
        assert sum(row[0] ** 2 for row in self.rows) == n

    def minimum(self, letters):
        classes = range(len(self.members)) if letters == "elements" else self.generator_classes
        for k in itertools.count():
            kept = [ranks for _, _, ranks in self.rows if all(ranks[c] <= k for c in classes)]
            if all(any(ranks[c] > 0 for ranks in kept) for c in range(1, len(self.members))):
                return k


@functools.lru_cache(maxsize=200)
def group_of(degree, generators, most=2000):
    """Returns the group; raises OverflowError when it has more than `most` elements."""
    return Group(degree, generators, most)


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


def increasing(numbers, count):
    return all(0 <= i < count for i in numbers) and all(i < j for i, j in zip(numbers, numbers[1:]))


def ranks_of(c, g, row):
    """Returns the ranks of the real representation of a row, from its residues."""
    degree, indicator, _, values = row
    out = []
    for power in g.powers:
        total = sum(values[k] * pow(len(g.members[k]), -1, c.prime) for k in power) * degree
        out.append(
            (2 - (indicator == 1)) * (degree - total * pow(len(power), -1, c.prime) % c.prime)
        )
    return tuple(out)


def letters_of(a):
    """Returns what the letters of an automaton do: to its points where it tracks elements, else to
    the reachable states."""
    if a.points is not None and a.track is None:
        return [tuple(image) for image in a.image]
    reached = {a.start}
    while True:
        more = reached | {q for s in reached for q in a.next[s]}
        if more == reached:
            break
        reached = more
    order = sorted(reached)
    return [tuple(order.index(a.next[s][w]) for s in order) for w in range(len(a.letters))]


def is_about(c, fsa_text):
    """Returns whether the certificate's hash, names and permutations are the automaton's."""
    try:
        a = triple.read_automaton(fsa_text)
    except triple.Malformed:
        return False
    return (c.fsa, c.names, [tuple(g) for g in c.generators]) == (
        triple.sha256(fsa_text),
        a.letters,
        letters_of(a),
    )


def verdict_of(text, bound):
    """Returns the words of rep-check about a right certificate."""
    c = read(text)
    count = c.order if c.letters == "elements" else len(c.generators)
    return (
        f"s VERIFIED householders {c.minimum}"
        f"{'' if c.least is None else f' dimension {c.least}'} letters {c.letters} {count}"
        f" order {c.order} classes {len(c.classes)} fsa {c.fsa}{'' if bound else ' unchecked'}\n"
    )


def least_set(c, ranks, classes):
    """Returns the least sum of dimensions of a jointly faithful set with ranks up to the minimum,
    and such a set, from the least sum for every intersection of kernels; None: there is no set."""
    cheapest = {frozenset(range(classes)): (0, ())}
    for i, ((_, dimension, most), rank) in enumerate(zip(c.irreps, ranks)):
        if most > c.minimum:
            continue
        for kernel, (cost, chosen) in list(cheapest.items()):
            smaller = frozenset(k for k in kernel if rank[k] == 0)
            more = cost + dimension, (*chosen, i)
            cheapest[smaller] = min(cheapest.get(smaller, more), more)
    return cheapest.get(frozenset([0]))


def is_right(text, fsa_text=None):
    """Returns whether every line is true and the claim follows, and, if there is an automaton, the
    claim is about it."""
    try:
        c = read(text)
        if fsa_text is not None and not is_about(c, fsa_text):
            return False
        g = group_of(c.degree, tuple(c.generators), min(c.order, 2000))
    except (Malformed, ValueError, OverflowError):
        return False
    n, r, p = len(g.elements), len(g.members), c.prime
    if (c.order, len(c.classes), c.end) != (n, r, r) or c.exponent != numpy.lcm.reduce(
        [len(w) for w in g.powers]
    ):
        return False
    for k, (x, size, order, inverse, square) in enumerate(c.classes):
        power = g.powers[k]
        if (g.number.get(x), size, order) != (g.members[k][0], len(g.members[k]), len(power)):
            return False
        if (inverse, square) != (power[-1], power[2 % len(power)]):
            return False
    if (
        not is_prime(p)
        or (p - 1) % c.exponent
        or p * p <= 4 * n
        or p >= 2**32
        or not increasing(c.separate, r)
    ):
        return False
    rows = [row[3] for row in c.characters]
    keys = [(row[0], row[3]) for row in c.characters]
    if any(len(w) != r or w[0] != 1 or max(w) >= p for w in rows) or keys != sorted(keys):
        return False
    if len(set(rows)) < r or len({tuple(w[k] for k in c.separate) for w in rows}) < r:
        return False
    for (
        w
    ) in (
        rows
    ):  # homomorphisms of the group ring's centre; at most r exist, so these are all
        for i in range(r):
            for j in range(i, r):
                if (w[i] * w[j] - sum(a * v for a, v in zip(g.a[i][j], w))) % p:
                    return False
    described = []
    for degree, indicator, conjugate, w in c.characters:
        inverse = [power[-1] for power in g.powers]
        norm = sum(w[k] * w[inverse[k]] * pow(len(g.members[k]), -1, p) for k in range(r))
        if degree < 1 or degree * degree > n or (degree * degree * norm - n) % p:
            return False
        real = degree * sum(
            w[power[2 % len(power)]]
            * len(g.members[k])
            * pow(len(g.members[power[2 % len(power)]]), -1, p)
            for k, power in enumerate(g.powers)
        )
        if (real - indicator * n) % p or not 0 <= conjugate < r:
            return False
        if any(rows[conjugate][k] != w[inverse[k]] for k in range(r)):
            return False
        described.append((degree, indicator, ranks_of(c, g, (degree, indicator, conjugate, w))))
    if sorted(described) != g.rows:
        return False
    return claim_is_right(c, g, described)


def claim_is_right(c, g, described):
    r = len(g.members)
    letters = range(r) if c.letters == "elements" else g.generator_classes
    firsts = [s for s in range(r) if c.characters[s][2] >= s]
    expected = [
        (
            s,
            (2 - (described[s][1] == 1)) * described[s][0],
            max((described[s][2][k] for k in letters), default=0),
        )
        for s in firsts
    ]
    if (
        c.irreps != expected
        or c.minimum != g.minimum(c.letters)
        or not increasing(c.faithful, len(c.irreps))
    ):
        return False
    ranks = [described[s][2] for s in firsts]
    if c.minimum > 0:
        if not 1 <= c.hidden < r:
            return False
        if any(b < c.minimum and ranks[i][c.hidden] > 0 for i, (_, _, b) in enumerate(c.irreps)):
            return False
    chosen = [ranks[i] for i in c.faithful]
    if c.least is not None:
        dimensions = [c.irreps[i][1] for i in c.faithful]
        best = least_set(c, ranks, r)
        if best is None or c.least == 0 or not c.least == sum(dimensions) == best[0]:
            return False
    return all(c.irreps[i][2] <= c.minimum for i in c.faithful) and all(
        any(w[k] for w in chosen) for k in range(1, r)
    )
