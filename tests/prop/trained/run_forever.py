"""The claim `forever` of horizon-check, computed again in float64: sets that no letter leads out
of, each by the least bound of all pairs of directions; the tree of suffixes; answers at corners and
other points of the boxes of leaves, and after random words in the format of the scope
(theory/pages/all-lengths.md, AL.7 to AL.9). It shares nothing with horizon-check or the product."""

import itertools
import math

import numpy as np
from trained import run_network
from trained.run_certificate import NEAR, Lines, Wrong

UNIT = 2.0**-40
DEPTH, HALVINGS, POINTS, WORDS, LETTERS = 65536, 24, 64, 20, 100
SCOPES = {b"exact": np.float64, b"fp32 any-order": np.float32, b"fp64 any-order": np.float64}


def reached(automaton):
    """Returns the states that words lead to, by rising numbers."""
    seen, todo = {automaton.start}, [automaton.start]
    for q in todo:
        new = set(automaton.next[q]) - seen
        seen |= new
        todo += new
    return sorted(seen)


class Cones:
    """What the states of a head have in a direction, at most, by pairs of directions."""

    def __init__(self, directions):
        self.directions = np.array(directions)
        pairs = list(itertools.combinations(range(len(directions)), 2))
        self.pairs = np.array(pairs)
        a, b = self.directions[self.pairs[:, 0]], self.directions[self.pairs[:, 1]]
        if len(directions[0]) == 2:
            self.det = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
            self.kept = abs(self.det) > 1e-12
        self.a, self.b = a, b

    def highest(self, y, numbers):
        """Returns for numbers [..][directions] the least upper bound of y^T S."""
        if len(y) == 1:
            return max(y[0], 0) * numbers[..., 0] + max(-y[0], 0) * numbers[..., 1]
        a, b, det = self.a[self.kept], self.b[self.kept], self.det[self.kept]
        first = (y[0] * b[:, 1] - y[1] * b[:, 0]) / det
        second = (a[:, 0] * y[1] - a[:, 1] * y[0]) / det
        good = (first >= -1e-12) & (second >= -1e-12)
        if not good.any():
            raise Wrong("numbers that are not finite")
        i, j = self.pairs[self.kept][good].T
        return (first[good] * numbers[..., i] + second[good] * numbers[..., j]).min(-1)


class Sets:
    def __init__(self, lines, network, automaton):
        m, units = network.model, UNIT
        self.heads, self.keys, self.values = m["heads"], m["key_dim"], m["value_dim"]
        if self.keys > 2:
            raise Wrong("the key dimension")
        self.states = reached(automaton)
        axes = [s * np.eye(self.keys)[k] for k in range(self.keys) for s in (1, -1)]
        self.cones = []
        for _ in range(self.heads):
            more = lines.rest[-1].count(b" ") if lines.rest else 0
            if more % self.keys or (self.keys == 1 and more) or len(axes) + more // 2 > 64:
                raise Wrong("directions")
            found = lines.numbers(b"directions", more, units).reshape(-1, self.keys)
            self.cones.append(Cones([*axes, *found]))
        count = sum(len(x.directions) for x in self.cones) * self.values
        self.numbers = {}
        for q in self.states:
            flat, at = lines.numbers(b"set %d" % (q + 1), count, units), 0
            self.numbers[q] = []
            for cone in self.cones:
                size = len(cone.directions) * self.values
                self.numbers[q].append(flat[at : at + size].reshape(self.values, -1))
                at += size

    def check_closed(self, network, automaton, start):
        shift = [network.step(np.zeros_like(start), w)[0] for w in range(len(automaton.letters))]
        for h, cone in enumerate(self.cones):
            first = (cone.directions @ start[0][h]).T
            near = NEAR * (1 + abs(first))
            if not (self.numbers[automaton.start][h] >= first - near).all():
                raise Wrong("the start is not in its set")
            for q, w in itertools.product(self.states, range(len(automaton.letters))):
                matrix, to = network.matrix(w)[h], self.numbers[automaton.next[q][w]][h]
                for i, d in enumerate(cone.directions):
                    need = cone.highest(matrix.T @ d, self.numbers[q][h]) + d @ shift[w][h]
                    if not (to[:, i] >= need - NEAR * (1 + abs(need))).all():
                        raise Wrong(f"letter {w + 1} leads out of a set")


class Suffix:
    """What the last letters of words make of the states before them."""

    def __init__(self, network, last, states):
        self.last, self.to = last, list(range(states))
        self.y = network.letters[last][0]
        self.c = np.zeros((network.model["heads"], network.model["value_dim"]))

    def prepend(self, network, automaton, w):
        out = object.__new__(Suffix)
        shift = network.step(np.zeros_like(network.start()), w)[0]
        out.last, out.to = self.last, [self.to[q] for q in automaton.next_of(w)]
        out.y = np.einsum("hij,hi->hj", network.matrix(w), self.y)
        out.c = self.c + np.einsum("hkv,hk->hv", shift, self.y)
        return out


class Letters:
    """An automaton whose next states are listed by letters."""

    def __init__(self, automaton):
        self.start, self.letters, self.next = automaton.start, automaton.letters, automaton.next

    def next_of(self, w):
        return [row[w] for row in self.next]


def margins_of(network, o, letter, right):
    """Returns the margins [points] for o [points][heads][value]."""
    found = network.products(o, letter)
    own = found[:, right].copy()
    found[:, right] = -np.inf
    return own - found.max(-1)


def check_leaf(sets, network, suffix, rng):
    root = math.sqrt(sets.keys)
    for right in {suffix.to[q] for q in sets.states}:
        some = [q for q in sets.states if suffix.to[q] == right]
        low, high = np.zeros_like(suffix.c), np.zeros_like(suffix.c)
        for h, cone in enumerate(sets.cones):
            numbers = np.array([sets.numbers[q][h] for q in some])
            high[h] = cone.highest(suffix.y[h], numbers).max(0) + suffix.c[h]
            low[h] = suffix.c[h] - cone.highest(-suffix.y[h], numbers).max(0)
        if not (low <= high + NEAR).all():
            continue  # an empty set: nothing is claimed of it
        at = rng.random((POINTS, *low.shape))
        at[::2] = at[::2].round()
        o = (low + (high - low) * at) / root
        if not (margins_of(network, o, suffix.last, right) > 0).all():
            raise Wrong("an answer in the box of a leaf")


def check_tree(lines, sets, network, automaton, start, rng):
    letters, leaves = len(automaton.letters), 0
    for last in range(letters):
        todo = [(Suffix(network, last, len(automaton.next)).prepend(network, automaton, last), 1)]
        while todo:
            suffix, depth = todo.pop()
            if lines.rest and lines.rest[-1] == b"inner":
                lines.rest.pop()
                o = np.einsum("hkv,hk->hv", start[0], suffix.y) + suffix.c
                right = suffix.to[automaton.start]
                if not margins_of(network, o[None] / math.sqrt(sets.keys), last, right)[0] > 0:
                    raise Wrong("the answer of an inner node")
                if depth == DEPTH:
                    raise Wrong("the depth")
                more = [suffix.prepend(network, automaton, w) for w in range(letters)]
                todo += [(x, depth + 1) for x in reversed(more)]
                continue
            if not 0 <= lines.numbers(b"leaf", 1, 1)[0] <= HALVINGS:
                raise Wrong("halvings")
            check_leaf(sets, network, suffix, rng)
            leaves += 1
    return leaves


def check_words(network, automaton, begin, rng, words=WORDS):
    """Checks answers after random words, of all letters and of few."""
    for _ in range(words):
        states, place = network.start(), automaton.start
        if begin:
            states = network.step(states, len(automaton.letters))
        share = rng.dirichlet(np.full(len(automaton.letters), 0.5))
        for w in rng.choice(len(share), LETTERS, p=share):
            states, place = network.step(states, w), automaton.next[place][w]
            if not network.margins(states, w, place)[0] > 0:
                raise Wrong("the answer after a word")


def check(text, model, tensors, automaton, begin):
    """Returns what the verdict says of the claim, and its scope; raises Wrong where it is not true.
    The numbers of the text that are checked here are right up to float64."""
    lines, rng = Lines(text), np.random.default_rng(7)
    lines.line(b"learned-cert 1")
    for word in (b"fsa ", b"config ", b"weights "):
        lines.line(word)
    scope = lines.line(b"scope ")
    if scope not in SCOPES or lines.line(b"claim ") != b"forever":
        raise Wrong("another claim")
    network, listed = run_network.Network(model, tensors, np.float64), Letters(automaton)
    start = network.start()
    if begin:
        start = network.step(start, len(automaton.letters))
    sets = Sets(lines, network, listed)
    sets.check_closed(network, listed, start)
    leaves = check_tree(lines, sets, network, listed, start, rng)
    lines.end()
    check_words(run_network.Network(model, tensors, SCOPES[scope]), automaton, begin, rng)
    return leaves, scope.decode()
