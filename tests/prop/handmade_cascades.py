"""Small cascades written by hand: automaton, network and certificate, also with the wiring of the
published proof.

A cascade is a list of [set, level, cover], all states first. The contexts follow from it by the
step of theory/pages/t4.md, T4.2, and each level becomes a layer in one of the forms below, or two
layers where it delays; none of this comes from the compiler, whose delays have another clock and
other letters."""

from fractions import Fraction

import cascade
import triple
from handmade import edges, head, name, spread, vector

PERMUTATION, RESET, IDLE = range(3)


class Levels:
    """Data: sets, contexts[l] = [(letter, from, to)], and what each context does:
    action[l][context] = (kind, image or target)."""

    def __init__(self, a, sets, mealy=False):
        self.a, self.mealy = a, mealy
        self.sets = [[level, sorted(members), []] for members, level, _ in sets]
        number = {frozenset(members): i for i, (members, _, _) in enumerate(sets)}
        for entry, (_, _, cover) in zip(self.sets, sets):
            entry[2] = [number[frozenset(t)] for t in cover]
        self.levels = max(level for _, level, cover in sets if cover)
        self.contexts, self.action = [[(w, 0, 0) for w in range(len(a.letters))]], []
        for l in range(self.levels):
            self.action.append([self.act(l, *x) for x in self.contexts[l]])
            following = [
                (x[0], *self.stages(l, x, old, self.new(act, old)))
                for x, act in zip(self.contexts[l], self.action[l])
                for old in (range(len(self.cover(l, x[1]))) or [None])
            ]
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
        """Returns (X', Y'); a coordinate out of range gives None."""
        return tuple(
            z if not cover else cover[c] if c is not None and c < len(cover) else None
            for z, c in ((x[1], old), (x[2], new))
            for cover in [self.cover(l, z)]
        )

    def width(self, l):
        return max(len(self.cover(l, z)) for z in range(len(self.sets)))

    def saves(self, l, x, act):
        """Returns whether a reset loses an old coordinate on which the next level, or the output of
        an edge, depends."""
        return (l + 1 < self.levels or self.mealy) and act[0] == RESET and self.cover(l, x[1]) != []


def swaps(image):
    """Returns a permutation of rows as transpositions, the first one first."""
    image, out = list(image), []
    for i in range(len(image)):
        while image[i] != i:
            j = image[i]
            out.append((2, {i: Fraction(1), j: Fraction(-1)}, {}))
            image[i], image[j] = image[j], image[i]
    return out


def one_hot(m, x):
    """The form with rows cur_0 .., saved_0 ..; a reset that saves swaps the first two, then every
    row of cur is written."""
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
    """The form with two rows, cur and saved, of m columns; it has no permutations."""
    kind, what, saves, _ = x
    assert kind != PERMUTATION or what == list(range(len(what)))
    save = [(2, vector(1, -1), {})] if saves else []
    return (1, *save, (1, vector(3), {what: Fraction(3)})) if kind == RESET else (1,)


def scalar(m, x):
    """The form with one number, 1 or -1."""
    kind, what, _, gated = x
    if kind == PERMUTATION:
        return 1, *([(2, vector(1), {})] if what == [1, 0] else [])
    return (int(not gated), (1, vector(1), vector(1 - 2 * what))) if kind == RESET else (1,)


def coordinate_head(form, m, moves, start, register):
    if form is scalar:
        return head(1, 1, {(0, 0): 1 - 2 * start}, *moves)
    if form is columns:
        return head(1 + register, m, {(0, start): 1} | ({(1, 0): 1} if register else {}), *moves)
    return head(m * (1 + register), 1, {(start, 0): 1} | ({(m, 0): 1} if register else {}), *moves)


def coordinates(form, m, state):
    """Returns the coordinates that the coordinate's head holds: the present one, and with a
    register the saved one."""
    cells = sorted(state)
    values = (
        [state[0, 0] < 0]
        if form is scalar
        else [c for _, c in cells] if form is columns else [r % m for r, _ in cells]
    )
    return [int(v) for v in values]


def turning(letters):
    """Returns a head of one number, which every letter reflects."""
    return head(1, 1, {(0, 0): 1}, *([(1, (2, vector(1), {}))] * letters))


def close_codes(y):
    """Sets the codes to all states that any letters lead to."""
    y.code = [[h.initial for h in y.head]]
    for code in y.code:
        for x in range(y.letters):
            state = [h.step(x, s) for h, s in zip(y.head, code)]
            y.code += [state] if state not in y.code else []


def layer_of(levels, l, form, gated, start, beside):
    """Returns the layer of a level, without symbols; `beside` adds a head that turns with every
    letter and that no decoder reads."""
    m, contexts = levels.width(l), levels.contexts[l]
    todo = [(act, levels.saves(l, x, act)) for x, act in zip(contexts, levels.action[l])]
    register = any(saves for _, saves in todo)
    moves = [form(m, (*act, saves, gated and not register)) for act, saves in todo]
    y = triple.Layer()
    y.letters, y.values = len(contexts), [m] * (1 + register) + [2] * beside
    y.head = [coordinate_head(form, m, moves, start, register)] + [turning(len(contexts))] * beside
    close_codes(y)
    y.symbol = [
        tuple(coordinates(form, m, code[0]) + ([int(code[1][0, 0] < 0)] if beside else []))
        for code in y.code
    ]
    return y


def delayed(levels, l, form, gated, start):
    """Returns a level in two layers: coordinate and clock, and two slots, one of which every letter
    writes. The second layer's letters are all (context, coordinate after it, time mod 2); its
    decoder reads the slot written one step earlier."""
    m, contexts = levels.width(l), levels.contexts[l]
    lower, upper = triple.Layer(), triple.Layer()
    moves = [form(m, (*act, False, gated)) for act in levels.action[l]]
    letters = [
        (x, cur, time) for x in range(len(contexts)) for cur in range(m) for time in range(2)
    ]
    lower.letters, lower.values = len(contexts), [m, 2 * m]
    lower.head = [coordinate_head(form, m, moves, start, False), turning(len(contexts))]
    close_codes(lower)
    for code in lower.code:
        (cur,) = coordinates(form, m, code[0])
        lower.symbol.append((cur, 2 * cur + int(code[1][0, 0] < 0)))
    lower.table = [[1, list(range(2 * m * x, 2 * m * x + 2 * m))] for x in range(len(contexts))]
    lower.symbols = upper.letters = len(letters)
    upper.values = [m, m]
    upper.head = [
        head(
            2,
            m,
            {(0, start): 1, (1, 0): 1},
            *((1, (1, {time: Fraction(3)}, {cur: Fraction(3)})) for _, cur, time in letters),
        )
    ]
    close_codes(upper)
    upper.symbol = [tuple(c for _, c in sorted(state)) for state, in upper.code]
    following = {x: i for i, x in enumerate(levels.contexts[l + 1])}
    for x, cur, time in letters:
        row = [levels.stages(l, contexts[x], old, cur) for old in range(m)]
        upper.table.append([1 - time, [following.get((contexts[x][0], *stages)) for stages in row]])
    upper.symbols = len(following)
    return [lower, upper]


def last_label(levels, net, letter, old, new):
    """Returns the label's number, or None where the sets do not determine it."""
    known = old if net.label == "edges" else new
    if known is None:
        return None
    q = levels.sets[known][1][0]
    return net.labels.index(
        levels.a.edge_outputs[q][letter] if net.label == "edges" else levels.a.labels(net.label)[q]
    )


def rows(levels, net, y, l, literal):
    """Fills in the decoder's table: for every context the part that it reads and the symbol for
    each of its values."""
    last, following = l + 1 == levels.levels, {x: i for i, x in enumerate(levels.contexts[l + 1])}
    for x, act in zip(levels.contexts[l], levels.action[l]):
        part, row = int(levels.saves(l, x, act) and not literal), []
        for v in range(y.values[part]):
            kind, what = act
            old, new = v, v
            if (
                literal and not last
            ):  # the coordinate after the letter is used for the old one
                new = (
                    what[v]
                    if kind == PERMUTATION and v < len(what)
                    else what if kind == RESET else v
                )
            elif kind == PERMUTATION:
                old = what.index(v) if v in what else None
            elif kind == RESET and part:
                new = what
            elif kind == RESET and not literal and v != what:
                new = None  # never reached
            old, new = levels.stages(l, x, old, new)
            if last:
                row.append(last_label(levels, net, x[0], old, new))
            else:
                row.append(following.get((x[0], old, new)))
        y.table.append([part, row])


def build(a, label, sets, forms, gated=False, literal=False, beside=False, delays=()):
    """Returns (automaton, network, certificate by closing the pairs); `delays` are the levels, from
    0, with two layers."""
    levels = Levels(a, sets, label == "edges")
    net = triple.Network()
    net.label, net.letters = label, list(a.letters)
    name(net, a)
    z = 0
    for l, form in enumerate(forms):
        cover = levels.cover(l, z)
        start = next((c for c, t in enumerate(cover) if a.start in levels.sets[t][1]), 0)
        z = cover[start] if cover else z
        if l in delays:
            net.layer += delayed(levels, l, form, gated, start)
            continue
        y = layer_of(levels, l, form, gated, start, beside)
        rows(levels, net, y, l, literal)
        y.symbols = len(net.labels) if l + 1 == levels.levels else len(levels.contexts[l + 1])
        net.layer.append(y)
    return (
        a,
        net,
        cascade.close(
            net,
            a,
            levels.sets,
            levels.contexts[: levels.levels],
            [1 + (l in delays) for l in range(len(forms))],
        ),
    )


def subsets(n, covers=None):
    """Returns all sets of 0..n-1 that covers lead to, covered by the sets that lack one state;
    levels by size."""
    out, covers = [list(range(n))], covers or (lambda x: [[p for p in x if p != q] for q in x])
    for x in out:
        out += [t for t in (covers(x) if len(x) > 1 else []) if t not in out]
    return [[x, n - len(x) + 1, covers(x) if len(x) > 1 else []] for x in out]


def flipflop(**options):
    a = edges(["0", "1", "hold"], ["off", "on"], lambda q, w: (0, 1, q)[w], accept={1})
    return build(a, "states", subsets(2), [scalar], **options)


def t3(**options):
    """All maps of three states: a rotation, a swap, a merge. The first level has permutations and a
    register."""
    maps = (1, 2, 0), (1, 0, 2), (0, 0, 2)
    a = edges(
        ["turn", "swap", "merge"], ["p", "q", "r"], lambda q, w: maps[w][q], outputs=["x", "y", "x"]
    )
    return build(a, "states", subsets(3), [one_hot, scalar], **options)


def elevator(forms=(columns, columns, scalar), label="outputs", **options):
    """An elevator of four floors. Both letters reset on every level, and all levels except the last
    one need the old coordinate."""
    a = edges(
        ["up", "down"],
        list("0123"),
        lambda q, w: min(q + 1, 3) if w == 0 else max(q - 1, 0),
        start=1,
        outputs=["ground", "between", "between", "roof"],
    )
    return build(a, label, subsets(4, lambda x: [x[:-1], x[1:]]), list(forms), **options)


def branch(**options):
    """One member of the first cover is a single state, so that the second level is idle or resets
    without an old coordinate."""
    maps = (1, 2, 0, 3), (3, 3, 3, 3), (0, 1, 2, 1), (0, 0, 2, 2)
    a = edges(["turn", "out", "in", "merge"], list("abcd"), lambda q, w: maps[w][q], start=3)
    sets = [
        [[0, 1, 2, 3], 1, [[0, 1, 2], [3]]],
        [[0, 1, 2], 2, [[0, 1], [1, 2], [0, 2]]],
        [[0, 1], 3, [[0], [1]]],
        [[1, 2], 3, [[1], [2]]],
        [[0, 2], 3, [[0], [2]]],
        *([[q], 4, []] for q in range(4)),
    ]
    return build(a, "states", sets, [one_hot, one_hot, one_hot], **options)


def twins(**options):
    """Two pairs of equivalent states, and a state that no word reaches: last sets with several
    states."""
    a = edges(
        ["0", "1", "hold"],
        ["off", "on", "off'", "on'", "lost"],
        lambda q, w: (0, 1, 4)[w] if q == 4 else ((2, 0), (3, 1), (q ^ 2, q ^ 2))[w][q // 2],
        accept={1, 3},
    )
    sets = [[list(range(5)), 1, [[0, 2], [1, 3]]], [[0, 2], 2, []], [[1, 3], 2, []]]
    return build(a, "accept", sets, [scalar], **options)


def mealy_flipflop(**options):
    """A flip-flop whose output says what a letter changed."""
    a = flipflop()[0]
    a.edge_outputs = [
        ["stays" if a.next[q][w] == q else ("falls", "rises")[w] for w in range(3)]
        for q in range(2)
    ]
    return build(a, "edges", subsets(2), [columns], **options)


def mealy_t3(**options):
    """Every edge of t3 except two has an output of its own."""
    a = t3()[0]
    a.edge_outputs = [
        [f"{s}{w}" if (s, w) != ("q", "turn") else "" for w in a.letters] for s in a.states
    ]
    a.edge_outputs[2][2] = ""
    return build(a, "edges", subsets(3), [one_hot, one_hot], **options)


def with_classes(made):
    a, net, certificate = made
    return spread(
        a, net, ["turn", "turn too", "swap", "merge", "swap too"], [0, 0, 1, 2, 1], certificate
    )


def entered():
    """The second level is in one of two sets with the same members: in the first one before the
    first letter, and never again."""
    a = edges(["p", "q"], ["s", "p", "q"], lambda q, w: 1 + w, accept={2})
    everything, net = [0, 1, 2], triple.Network()
    sets = [
        [1, everything, [1, 2]],
        [2, list(everything), [3, 4]],
        [2, list(everything), [3, 4]],
        [3, [0, 1], []],
        [3, [2], []],
    ]
    contexts = [[(w, 0, 0) for w in range(2)], [(w, z, 2) for w in range(2) for z in (1, 2)]]
    first, second = triple.Layer(), triple.Layer()
    first.letters, first.symbols, first.values = 2, 4, [2, 2]
    first.head = [coordinate_head(columns, 2, [columns(2, (RESET, 1, True, False))] * 2, 0, True)]
    close_codes(first)
    first.symbol = [tuple(coordinates(columns, 2, code[0])) for code in first.code]
    first.table = [[1, [2 * w, 2 * w + 1]] for w in range(2)]
    second.letters, second.symbols, second.values = 4, 2, [2]
    second.head = [
        coordinate_head(
            scalar, 2, [scalar(2, (RESET, w, False, False)) for w, _, _ in contexts[1]], 0, False
        )
    ]
    close_codes(second)
    second.symbol = [tuple(coordinates(scalar, 2, code[0])) for code in second.code]
    second.table = [[0, [0, 1]] for _ in contexts[1]]
    net.label, net.letters, net.labels, net.start, net.layer = (
        "accept",
        list(a.letters),
        ["reject", "accept"],
        0,
        [first, second],
    )
    return a, net, cascade.close(net, a, sets, contexts, [1, 1])


ALL = {
    "flipflop": flipflop,
    "flipflop gated, two heads": lambda: flipflop(gated=True, beside=True),
    "t3": t3,
    "t3 gated": lambda: t3(gated=True),
    "t3 two heads": lambda: t3(beside=True),
    "elevator": elevator,
    "elevator one-hot": lambda: elevator((one_hot, columns, one_hot), "states", gated=True),
    "branch": branch,
    "twins": twins,
    "t3 delay": lambda: t3(gated=True, delays={0}),
    "branch delay": lambda: branch(delays={1}),
    "entered": entered,
    "elevator delays": lambda: elevator((scalar, scalar, scalar), gated=True, delays={0, 1}),
    "mealy flipflop": mealy_flipflop,
    "mealy flipflop two heads": lambda: mealy_flipflop(beside=True),
    "mealy t3": mealy_t3,
    "mealy t3 two heads": lambda: mealy_t3(beside=True),
    "mealy t3 delay": lambda: mealy_t3(gated=True, delays={0}),
    "classes of t3 two heads": lambda: with_classes(t3(beside=True)),
    "classes of mealy t3": lambda: with_classes(mealy_t3()),
}


def texts(a, net, certificate):
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    return fsa, lrnn, certificate.text(fsa, lrnn)
