"""Small cascades written by hand: automaton, network and certificate, with the wiring of the published proof as well.

A cascade is a list of [set, level, cover], all states first. The contexts follow from it by the step of theory/t4.md, T4.2,
and each level becomes a layer in one of the forms below; none of this comes from the compiler.
"""
from fractions import Fraction

import cascade
import triple
from handmade import edges, head, vector

PERMUTATION, RESET, IDLE = range(3)


class Levels:
    """sets, contexts[l] = [(letter, from, to)], and what each does: action[l][context] = (kind, image or target)."""

    def __init__(self, a, sets):
        self.a = a
        self.sets = [[level, sorted(members), []] for members, level, _ in sets]
        number = {frozenset(members): i for i, (members, _, _) in enumerate(sets)}
        for entry, (_, _, cover) in zip(self.sets, sets):
            entry[2] = [number[frozenset(t)] for t in cover]
        self.levels = max(level for _, level, cover in sets if cover)
        self.contexts, self.action = [[(w, 0, 0) for w in range(len(a.letters))]], []
        for l in range(self.levels):
            self.action.append([self.act(l, *x) for x in self.contexts[l]])
            following = [(x[0], *self.stages(l, x, old, self.new(act, old)))
                         for x, act in zip(self.contexts[l], self.action[l])
                         for old in (range(len(self.cover(l, x[1]))) or [None])]
            self.contexts.append(list(dict.fromkeys(following)))

    def cover(self, l, z):
        return self.sets[z][2] if self.sets[z][0] == l + 1 else []

    def image(self, w, z):
        return {self.a.next[q][w] for q in self.sets[z][1]}

    def act(self, l, w, i, j):
        covers = self.cover(l, j)
        if not covers:
            return IDLE, None
        parts = [set(self.sets[t][1]) for t in covers]
        if self.image(w, i) == set(self.sets[j][1]):
            return PERMUTATION, [parts.index(self.image(w, t)) for t in self.cover(l, i)]
        return RESET, [self.image(w, i) <= part for part in parts].index(True)

    def new(self, act, old):
        kind, what = act
        return what[old] if kind == PERMUTATION else what if kind == RESET else old

    def stages(self, l, x, old, new):
        """(X', Y'), where a coordinate out of range gives None."""
        return tuple(z if not cover else cover[c] if c is not None and c < len(cover) else None
                     for z, c in ((x[1], old), (x[2], new)) for cover in [self.cover(l, z)])

    def width(self, l):
        return max(len(self.cover(l, z)) for z in range(len(self.sets)))

    def saves(self, l, x, act):
        return l + 1 < self.levels and act[0] == RESET and self.cover(l, x[1]) != []


def swaps(image):
    """A permutation of rows as transpositions, the first one first."""
    image, out = list(image), []
    for i in range(len(image)):
        while image[i] != i:
            j = image[i]
            out.append((2, {i: Fraction(1), j: Fraction(-1)}, {}))
            image[i], image[j] = image[j], image[i]
    return out


def one_hot(m, x):
    """Rows cur_0 .., saved_0 ..; a reset that saves swaps the two first, then every row of cur is written."""
    kind, what, saves, gated = x
    if kind == PERMUTATION:
        return 1, *swaps(what + list(range(len(what), m)))
    if kind == IDLE:
        return (1,)
    if gated:
        return 0, (1, {what: Fraction(1)}, vector(1))
    save = [(2, {i: Fraction(1), m + i: Fraction(-1)}, {}) for i in range(m)] if saves else []
    return 1, *save, *((1, {i: Fraction(1)}, vector(int(i == what))) for i in range(m))


def columns(m, x):
    """Two rows, cur and saved, of m columns; there are no permutations."""
    kind, what, saves, _ = x
    assert kind != PERMUTATION or what == list(range(len(what)))
    save = [(2, vector(1, -1), {})] if saves else []
    return (1, *save, (1, vector(3), {what: Fraction(3)})) if kind == RESET else (1,)


def scalar(m, x):
    """One number, 1 or -1."""
    kind, what, _, gated = x
    if kind == PERMUTATION:
        return 1, *([(2, vector(1), {})] if what == [1, 0] else [])
    return (int(not gated), (1, vector(1), vector(1 - 2 * what))) if kind == RESET else (1,)


def layer_of(levels, l, form, gated, start, beside):
    """The layer of a level, without symbols; `beside` adds a head that turns with every letter and that nobody reads."""
    m, contexts = levels.width(l), levels.contexts[l]
    todo = [(x, act, levels.saves(l, x, act)) for x, act in zip(contexts, levels.action[l])]
    register = any(saves for *_, saves in todo)
    moves = [form(m, (*act, saves, gated and not register)) for _, act, saves in todo]
    if form is scalar:
        heads = [head(1, 1, {(0, 0): 1 - 2 * start}, *moves)]
    elif form is columns:
        heads = [head(1 + register, m, {(0, start): 1} | ({(1, 0): 1} if register else {}), *moves)]
    else:
        heads = [head(m * (1 + register), 1, {(start, 0): 1} | ({(m, 0): 1} if register else {}), *moves)]
    if beside:
        heads.append(head(1, 1, {(0, 0): 1}, *([(1, (2, vector(1), {}))] * len(contexts))))
    y = triple.Layer()
    y.letters, y.head, y.values = len(contexts), heads, [m] * (1 + register) + [2] * beside
    y.code = [[h.initial for h in heads]]
    for code in y.code:
        for x in range(y.letters):
            state = [h.step(x, s) for h, s in zip(heads, code)]
            y.code += [state] if state not in y.code else []
    for code in y.code:
        cells = sorted(code[0])
        values = [code[0][0, 0] < 0] if form is scalar else [c for _, c in cells] if form is columns else \
            [r % m for r, _ in cells]
        y.symbol.append(tuple(int(v) for v in values) + ((int(code[1][0, 0] < 0),) if beside else ()))
    return y


def rows(levels, net, l, literal):
    """The decoder's table: for every context the part that it reads and the symbol for each of its values."""
    y, labels = net.layer[l], levels.a.labels(net.label)
    last, following = l + 1 == levels.levels, {x: i for i, x in enumerate(levels.contexts[l + 1])}
    for x, act in zip(levels.contexts[l], levels.action[l]):
        part, row = int(levels.saves(l, x, act) and not literal), []
        for v in range(y.values[part]):
            kind, what = act
            old, new = v, v
            if literal and not last:  # the coordinate after the letter is taken for the one before it
                new = what[v] if kind == PERMUTATION and v < len(what) else what if kind == RESET else v
            elif kind == PERMUTATION:
                old = what.index(v) if v in what else None
            elif kind == RESET and part:
                new = what
            elif kind == RESET and not literal and v != what:
                new = None  # never met
            old, new = levels.stages(l, x, old, new)
            if last:
                row.append(None if new is None else net.labels.index(labels[levels.sets[new][1][0]]))
            else:
                row.append(following.get((x[0], old, new)))
        y.table.append([part, row])


def build(a, label, sets, forms, gated=False, literal=False, beside=False):
    """(automaton, network, certificate by closing the pairs)."""
    levels = Levels(a, sets)
    net = triple.Network()
    net.label, net.letters, net.labels = label, list(a.letters), list(dict.fromkeys(a.labels(label)))
    net.start = net.labels.index(a.labels(label)[a.start])
    z = 0
    for l, form in enumerate(forms):
        cover = levels.cover(l, z)
        start = next((c for c, t in enumerate(cover) if a.start in levels.sets[t][1]), 0)
        net.layer.append(layer_of(levels, l, form, gated, start, beside))
        z = cover[start] if cover else z
    for l, y in enumerate(net.layer):
        rows(levels, net, l, literal)
        y.symbols = len(net.labels) if l + 1 == levels.levels else len(levels.contexts[l + 1])
    return a, net, cascade.close(net, a, levels.sets, levels.contexts[:levels.levels])


def subsets(n, covers=None):
    """All sets of 0..n-1 that covers lead to, covered by the sets that lack one state; levels by size."""
    out, covers = [list(range(n))], covers or (lambda x: [[p for p in x if p != q] for q in x])
    for x in out:
        out += [t for t in (covers(x) if len(x) > 1 else []) if t not in out]
    return [[x, n - len(x) + 1, covers(x) if len(x) > 1 else []] for x in out]


def flipflop(**options):
    a = edges(["0", "1", "hold"], ["off", "on"], lambda q, w: (0, 1, q)[w], accept={1})
    return build(a, "states", subsets(2), [scalar], **options)


def t3(**options):
    """All maps of three states: a rotation, a swap, a merge. The first level has permutations and a register."""
    maps = (1, 2, 0), (1, 0, 2), (0, 0, 2)
    a = edges(["turn", "swap", "merge"], ["p", "q", "r"], lambda q, w: maps[w][q], outputs=["x", "y", "x"])
    return build(a, "states", subsets(3), [one_hot, scalar], **options)


def elevator(forms=(columns, columns, scalar), label="outputs", **options):
    """Four floors. Both letters reset on every level, and all but the last one must know the coordinate before."""
    a = edges(["up", "down"], list("0123"), lambda q, w: min(q + 1, 3) if w == 0 else max(q - 1, 0), start=1,
              outputs=["ground", "between", "between", "roof"])
    return build(a, label, subsets(4, lambda x: [x[:-1], x[1:]]), list(forms), **options)


def branch(**options):
    """One member of the first cover is a single state: the second level is idle, or resets without an old coordinate."""
    maps = (1, 2, 0, 3), (3, 3, 3, 3), (0, 1, 2, 1), (0, 0, 2, 2)
    a = edges(["turn", "out", "in", "merge"], list("abcd"), lambda q, w: maps[w][q], start=3)
    sets = [[[0, 1, 2, 3], 1, [[0, 1, 2], [3]]], [[0, 1, 2], 2, [[0, 1], [1, 2], [0, 2]]], [[0, 1], 3, [[0], [1]]],
            [[1, 2], 3, [[1], [2]]], [[0, 2], 3, [[0], [2]]], *([[q], 4, []] for q in range(4))]
    return build(a, "states", sets, [one_hot, one_hot, one_hot], **options)


def twins(**options):
    """Two pairs of states that nobody can tell apart, and one that no word reaches: last sets with several states."""
    a = edges(["0", "1", "hold"], ["off", "on", "off'", "on'", "lost"],
              lambda q, w: (0, 1, 4)[w] if q == 4 else ((2, 0), (3, 1), (q ^ 2, q ^ 2))[w][q // 2], accept={1, 3})
    sets = [[list(range(5)), 1, [[0, 2], [1, 3]]], [[0, 2], 2, []], [[1, 3], 2, []]]
    return build(a, "accept", sets, [scalar], **options)


ALL = {"flipflop": flipflop, "flipflop gated, two heads": lambda: flipflop(gated=True, beside=True), "t3": t3,
       "t3 gated": lambda: t3(gated=True), "t3 two heads": lambda: t3(beside=True), "elevator": elevator,
       "elevator one-hot": lambda: elevator((one_hot, columns, one_hot), "states", gated=True), "branch": branch,
       "twins": twins}


def texts(a, net, certificate):
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    return fsa, lrnn, certificate.text(fsa, lrnn)
