"""Certificates `forever` beside an evaluation of the network with 50 digits (mpmath), without any
tolerance: the start is in its set, no letter leads out of the sets, by the least bound of all pairs
of directions; the tree is whole; inner nodes are answered rightly as words, and so are corners and
centres of the boxes of leaves.

usage: forever_exact.py RUN CERTIFICATE ..   pairs; prints one line for each, exit status 1 where a
claim is not true. Without mpmath it says so, with exit status 2."""

import itertools
import random
import sys
from pathlib import Path

from settle_exact import Network, dot, judge, largest, mp, triple

UNIT = mp.mpf(2) ** -40
CORNERS = 32


def column(matrix, v):
    return [matrix[k, v] for k in range(matrix.rows)]


def turn(a, b):
    return a[0] * b[1] - a[1] * b[0]


def highest(directions, numbers, y):
    """Returns the least upper bound of y^T S that follows from the numbers."""
    if len(y) == 1:
        return max(y[0], 0) * numbers[0] + max(-y[0], 0) * numbers[1]
    best = mp.inf
    for i, j in itertools.combinations(range(len(directions)), 2):
        det = turn(directions[i], directions[j])
        if det == 0:
            continue
        a, b = turn(y, directions[j]) / det, turn(directions[i], y) / det
        if a >= 0 and b >= 0:
            best = min(best, a * numbers[i] + b * numbers[j])
    return best


class Claim:
    def __init__(self, folder, certificate):
        self.net = Network(folder)
        text = Path(folder, "automaton.fsa").read_text(encoding="utf-8")
        self.automaton = triple.read_automaton(text)
        self.lines = Path(certificate).read_text(encoding="ascii").split("\n")
        assert self.lines[0] == "learned-cert 1" and self.lines[5] == "claim forever"
        assert self.lines[-2:] == ["end", ""]
        self.at, keys = 6, self.net.keys
        axes = [[mp.mpf(s * (i == k)) for i in range(keys)] for k in range(keys) for s in (1, -1)]
        self.directions = [axes + self.pairs(keys) for _ in range(self.net.heads)]
        self.sets = {}
        while self.lines[self.at].startswith("set "):
            self.read_set()
        maps = range(len(self.automaton.letters) + self.net.read["data"].get("begin", False))
        self.map = [[self.net.map(w, h) for h in range(self.net.heads)] for w in maps]
        self.start = self.net.start()
        if len(maps) > len(self.automaton.letters):
            self.start = [a * s + b for (a, b), s in zip(self.map[-1], self.start)]

    def pairs(self, keys):
        numbers = [int(x) * UNIT for x in self.lines[self.at].split(" ")[1:]]
        self.at += 1
        return [numbers[i : i + keys] for i in range(0, len(numbers), keys)]

    def read_set(self):
        words = self.lines[self.at].split(" ")
        numbers, self.at = [int(x) * UNIT for x in words[2:]], self.at + 1
        heads = []
        for d in self.directions:
            heads.append([numbers[v * len(d) :][: len(d)] for v in range(self.net.values)])
            numbers = numbers[len(d) * self.net.values :]
        assert not numbers
        self.sets[int(words[1]) - 1] = heads

    def check_sets(self):
        """Returns the least room of all inequalities."""
        net, room = self.net, mp.inf
        for h, v in itertools.product(range(net.heads), range(net.values)):
            for i, d in enumerate(self.directions[h]):
                at = dot(d, column(self.start[h], v))
                room = min(room, self.sets[self.automaton.start][h][v][i] - at)
                for q, w in itertools.product(self.sets, range(len(self.automaton.letters))):
                    a, b = self.map[w][h]
                    y = list(a.T * mp.matrix(d))
                    reach = highest(self.directions[h], self.sets[q][h][v], y)
                    to = self.automaton.next[q][w]
                    reach += dot(d, column(b, v))
                    room = min(room, self.sets[to][h][v][i] - reach)
        return room

    def products(self, o, letter):
        """Returns the labels' products after what the heads read, from states that give it."""
        query = self.net.letter[letter][0]
        states, root = [], mp.sqrt(self.net.keys)
        for h in range(self.net.heads):
            q = mp.matrix(query[h])
            states.append(q * mp.matrix([o[h]]) * root / dot(query[h], query[h]))
        return self.net.logits(states, letter)

    def margin(self, o, letter, right):
        found = self.products(o, letter)
        return found[right] - largest(found, right)

    def after(self, q, word):
        for w in word:
            q = self.automaton.next[q][w]
        return q

    def box(self, y, c, states):
        """Returns the lowest and the highest o [heads][values]."""
        net, root = self.net, mp.sqrt(self.net.keys)
        low, high = [], []
        for h in range(net.heads):
            down = [-x for x in y[h]]
            d, sets = self.directions[h], [self.sets[q][h] for q in states]
            more = range(net.values)
            up = [max(highest(d, s[v], y[h]) for s in sets) for v in more]
            high.append([(up[v] + c[h][v]) / root for v in more])
            low.append([(c[h][v] - max(highest(d, s[v], down) for s in sets)) / root for v in more])
        return low, high

    def check_leaf(self, word, y, c, rng):
        net, least = self.net, mp.inf
        ends = {q: self.after(q, word) for q in self.sets}
        for right in set(ends.values()):
            low, high = self.box(y, c, [q for q in ends if ends[q] == right])
            for i in range(CORNERS + 1):
                share = [[rng.randrange(2) if i else mp.mpf(0.5) for _ in x] for x in low]
                o = [
                    [a + (b - a) * s for a, b, s in zip(*some)] for some in zip(low, high, share)
                ]
                least = min(least, self.margin(o, word[-1], right))
        return least

    def check_node(self, word, y, c, rng):
        """Returns the least margin of the node and those below it."""
        kind, self.at = self.lines[self.at], self.at + 1
        if kind.startswith("leaf "):
            self.leaves += 1
            return self.check_leaf(word, y, c, rng)
        assert kind == "inner"
        state = self.start
        for w in word:
            state = [a * s + b for (a, b), s in zip(self.map[w], state)]
        found = self.net.logits(state, word[-1])
        right = self.after(self.automaton.start, word)
        least = found[right] - largest(found, right)
        for w in range(len(self.automaton.letters)):
            least = min(least, self.check_node((w, *word), *self.pull(w, y, c), rng))
        return least

    def pull(self, w, y, c):
        heads = range(self.net.heads)
        new = [list(self.map[w][h][0].T * mp.matrix(y[h])) for h in heads]
        more = [self.map[w][h][1].T * mp.matrix(y[h]) for h in heads]
        return new, [[a + b for a, b in zip(c[h], more[h])] for h in heads]

    def check_tree(self):
        rng, least, self.leaves = random.Random(5), mp.inf, 0
        for w in range(len(self.automaton.letters)):
            zero = [[mp.mpf(0)] * self.net.values for _ in range(self.net.heads)]
            at = self.pull(w, self.net.letter[w][0], zero)
            least = min(least, self.check_node((w,), *at, rng))
        assert self.at == len(self.lines) - 2
        return least


def check(folder, certificate):
    """Returns whether the claim is true, how many leaves it has, the least room and margin."""
    claim = Claim(folder, certificate)
    room, margin = claim.check_sets(), claim.check_tree()
    return room >= 0 and margin > 0, claim.leaves, room, margin


def say_forever(leaves, room, margin):
    return f"{leaves} leaves, least room {mp.nstr(room, 3)}, least margin {mp.nstr(margin, 4)}"


if __name__ == "__main__":
    sys.exit(judge(check, say_forever))
