"""Certificates `finite` beside an evaluation of the network with 50 digits (mpmath): the rational
states of the heads that are followed are reached in fractions, their number is the certificate's,
all are whole over its denominator, and the answer after each letter is right, with other heads
anywhere. The answers to all short words are computed once more, letter by letter.

usage: finite_exact.py RUN CERTIFICATE ..   pairs; prints one line for each, exit status 1 where a
claim is not true. Without mpmath it says so, with exit status 2."""

import itertools
import random
import re
import sys
from collections import deque
from fractions import Fraction
from pathlib import Path

from settle_exact import Network, dot, judge, largest, mp, triple

ANYWHERE, WORDS, MOST = 8, 300, 5000


class NotTrue(Exception):
    """Raised where the claim cannot be true; the text says why."""


class Heads:
    """The heads that are followed. A state is a tuple of rows of coefficients of the rows of the
    start and of the values of factors over |t|."""

    def __init__(self, net, heads):
        self.net, self.heads = net, heads
        if net.keys > 1 and not net.model.get("ternary_keys"):
            raise NotTrue("keys of any size")
        letters = range(len(net.letter))
        self.acts = {(w, h): [*self.acts_of(w, h)] for w in letters for h in heads}
        start = net.start()
        self.parts = {h: [[*start[h][i, :]] for i in range(net.keys)] for h in heads}
        for (w, h), n in itertools.product(self.acts, range(net.factors)):
            value = self.net.letter[w][3][n * net.heads + h]
            size = next((mp.sqrt(dot(t, t)) for m, t in self.acts[w, h] if m == n), None)
            self.parts[h].append([v / size if size else mp.mpf(0) for v in value])

    def acts_of(self, w, h):
        """Yields (factor, t) of those that are not the identity."""
        _, k, beta, _ = self.net.letter[w]
        for n in range(self.net.factors):
            key, b = k[n * self.net.heads + h], beta[n * self.net.heads + h]
            if b == 0 or not any(key):
                continue
            if b != (2 if self.net.model["negative"] else 1):
                raise NotTrue("a beta inside its range")
            yield n, [int(mp.sign(x)) for x in key]

    def first(self):
        one = int(self.net.model["learned_start"])
        many = range(self.net.keys + len(self.net.letter) * self.net.factors)
        rows = tuple(tuple(Fraction(one * (i == j)) for j in many) for i in range(self.net.keys))
        return tuple(rows for _ in self.heads)

    def step(self, states, w):
        out = []
        for h, rows in zip(self.heads, states):
            for n, t in self.acts[w, h]:
                along = [dot_exact(t, column) / sum(map(abs, t)) for column in zip(*rows)]
                along[self.net.keys + w * self.net.factors + n] -= self.net.model["additive"]
                r = 2 if self.net.model["negative"] else 1
                rows = tuple(
                    tuple(x - r * a * y for x, y in zip(row, along)) for a, row in zip(t, rows)
                )
            out.append(rows)
        return tuple(out)

    def read(self, states, w, rng):
        """Returns the states of all heads, of those that are not followed any."""
        net, out = self.net, []
        for h in range(net.heads):
            q = mp.matrix(net.letter[w][0][h])
            o = [rng.gauss(0, 1) * 10 ** rng.uniform(-4, 3) for _ in range(net.values)]
            size = dot(list(q), list(q)) or 1
            out.append(q * mp.matrix([o]) / size)
        for h, rows in zip(self.heads, states):
            parts = mp.matrix(self.parts[h])
            numbers = [[mp.mpf(x.numerator) / x.denominator for x in row] for row in rows]
            out[h] = mp.matrix(numbers) * parts
        return out


def dot_exact(t, column):
    return sum((a * b for a, b in zip(t, column)), Fraction(0))


def margin(net, states, w, right):
    found = net.logits(states, w)
    return found[right] - largest(found, right)


def follow(heads, automaton, begin, denominator, rng):
    """Returns how many states are reached, and the least margin."""
    states, least = heads.first(), mp.inf
    if begin:
        states = heads.step(states, len(automaton.letters))
    seen, queue = {(automaton.start, states)}, deque([(automaton.start, states)])
    while queue:
        place, states = queue.popleft()
        for w in range(len(automaton.letters)):
            after = automaton.next[place][w], heads.step(states, w)
            if any(denominator % x.denominator for h in after[1] for row in h for x in row):
                raise NotTrue("the denominator")
            for _ in range(ANYWHERE if len(heads.heads) < heads.net.heads else 1):
                read = heads.read(after[1], w, rng)
                least = min(least, margin(heads.net, read, w, after[0]))
            if after not in seen:
                seen.add(after)
                queue.append(after)
        if len(seen) > MOST:
            raise NotTrue("states without end")
    return len(seen), least


def check_words(net, automaton, begin, most=WORDS):
    """Returns the least margin after all words of each length, as long as they are `most`."""
    letters = range(len(automaton.letters))
    maps = [[net.map(w, h) for h in range(net.heads)] for w in range(len(net.letter))]
    start = net.start()
    if begin:
        start = [a * s + b for (a, b), s in zip(maps[-1], start)]
    now, least, count = [(automaton.start, start)], mp.inf, 0
    while now and count + len(now) * len(letters) <= most:
        new = []
        for (q, states), w in itertools.product(now, letters):
            after = [a * s + b for (a, b), s in zip(maps[w], states)]
            new.append((automaton.next[q][w], after))
            least = min(least, margin(net, after, w, new[-1][0]))
        now, count = new, count + len(new)
    return least


def check(folder, certificate):
    """Returns whether the claim is true, what was found, and the least margin."""
    text = Path(certificate).read_text(encoding="ascii")
    claim = re.search(
        r"^claim finite\nheads ([\d ]+)\ndenominator (\d+)\njoint (\d+)\nend\n\Z", text, re.M
    )
    net = Network(folder)
    automaton = triple.read_automaton(Path(folder, "automaton.fsa").read_text(encoding="utf-8"))
    begin, rng = net.read["data"].get("begin", False), random.Random(5)
    try:
        heads = Heads(net, [int(x) - 1 for x in claim[1].split()])
        states, least = follow(heads, automaton, begin, int(claim[2]), rng)
    except NotTrue as why:
        return False, str(why), -mp.inf
    least = min(least, check_words(net, automaton, begin))
    return states == int(claim[3]) and least > 0, f"{states} states", least


def say_finite(states, least):
    return f"{states}, least margin {mp.nstr(least, 4)}"


if __name__ == "__main__":
    sys.exit(judge(check, say_finite))
