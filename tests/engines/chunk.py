"""A network in the schedule chunk64, as CH5 - CH13 of theory/pages/chunk.md say: 64 letters at a
time, each layer through all of them before the next."""

import math

from arith import fp32, fused, into
from machine import Decoder
from network import Unsupported

LETTERS = ROWS = 64  # of a chunk, and of a block
GROUP = 16  # rows that are inverted by substitution


def dot(a, b, c=0.0):
    for x, y in zip(a, b):
        if x and y:
            c = fused(x, y, c)
    return c


def dots(left, right, begin=None):
    """Returns left times right, added to `begin`: each number one dot (CH6)."""
    columns = list(zip(*right))
    begin = begin or [[0.0] * len(columns) for _ in left]
    return [[dot(row, c, s) for c, s in zip(columns, some)] for row, some in zip(left, begin)]


def finite(matrix):
    return all(math.isfinite(v) for row in matrix for v in row)


def negative(matrix):
    return [[-v for v in row] for row in matrix]


def part(matrix, rows, columns):
    return [matrix[i][columns.start : columns.stop] for i in rows]


def substituted(a):
    """Returns I + N for a group's part of A (CH7)."""
    size = len(a)
    n = negative(a)
    for i in range(2, size):
        sums = [0.0] * size
        for m in range(i):
            for c in range(m):
                sums[c] = fp32(sums[c] + fp32(-a[i][m] * n[m][c]))
        n[i] = [fp32(v + s) for v, s in zip(n[i], sums)]
    return [[1.0 if i == c else n[i][c] for c in range(size)] for i in range(size)]


def inverse(a):
    """Returns the inverse of I + A, not yet rounded into the format (CH7, CH8)."""
    size = len(a)
    groups = [range(at, min(at + GROUP, size)) for at in range(0, size, GROUP)]
    x = {(i, i): substituted(part(a, g, g)) for i, g in enumerate(groups)}
    for apart in range(1, len(groups)):
        for j in range(len(groups) - apart):
            i = j + apart
            if apart == 1:
                y = dots(x[i, i], part(a, groups[i], groups[j]))
                x[i, j] = negative(dots(y, x[j, j]))
            else:
                y = None
                for m in range(j, i):
                    y = dots(part(a, groups[i], groups[m]), x[m, j], y)
                x[i, j] = negative(dots(x[i, i], y))
    out = [[0.0] * size for _ in range(size)]
    for (i, j), block in x.items():
        for r, row in zip(groups[i], block):
            out[r][groups[j].start : groups[j].stop] = row
    return out


class Chunked:
    """Words in chunks. A head's state h is in fp32, with a row for each coordinate of a key."""

    def __init__(self, network, row):
        self.network, self.row, self.known = network, row, {}
        self.decoders = [Decoder(layer, row.f["decode"]) for layer in network.layers]
        self.heads = [[self.head(h) for h in layer.heads] for layer in network.layers]
        self.factors = [max(1, *(len(rows) for _, some in heads for rows in some))
                        for heads in self.heads]

    def head(self, head):
        weights = self.row.weights(head)
        if any(gate != 1 or bias for gate, _, bias in weights):
            raise Unsupported("chunks with gates or biases")
        return head, [factors for _, factors, _ in weights]

    def into(self, x):
        return into(x, self.row.format, saturate=self.row.format == "e2m1")

    def begin(self):
        """Returns the heads' states, layer by layer."""
        return [[list(map(list, zip(*self.row.initial(head)))) for head, _ in heads]
                for heads in self.heads]

    def prepared(self, place, at, rows):
        """Returns W and U of a block, which its rows decide (CH7 - CH9)."""
        key = place, at, tuple(rows)
        if key not in self.known:
            self.known[key] = self.prepare(*self.heads[place][at], rows)
        return self.known[key]

    def prepare(self, head, factors, rows):
        some = [self.factor(head, factors, row) for row in rows]
        a = [[fp32(beta * dot(k, some[j][1])) if j < i else 0.0 for j in range(len(some))]
             for i, (beta, k, _) in enumerate(some)]
        t = [[self.into(v) for v in row] for row in inverse(a)]
        kb = [[self.into(beta * v) for v in k] for beta, k, _ in some]
        vb = [[self.into(beta * v) for v in value] for beta, _, value in some]
        w = [[self.into(v) for v in row] for row in dots(t, kb)]
        return w, [[self.into(v) for v in row] for row in dots(t, vb)]

    def factor(self, head, factors, row):
        """Returns beta, key and value of a row: (letter, factor)."""
        x, i = row
        none = 0.0, [0.0] * head.n, [0.0] * head.d
        return factors[x][i] if i < len(factors[x]) else none

    def run_head(self, place, at, letters, h):
        """Returns the readings after each letter; changes h (CH10, CH11)."""
        head, factors = self.heads[place][at]
        rows = [(x, i) for x in letters for i in range(self.factors[place])]
        before = [[self.into(v) for v in row] for row in h]
        updates = []
        for first in range(0, len(rows), ROWS):
            block = rows[first : first + ROWS]
            w, u = self.prepared(place, at, block)
            state = [[self.into(v) for v in row] for row in h]
            drop = dots(w, state)
            r = [[self.into(fp32(a - b)) for a, b in zip(*two)] for two in zip(u, drop)]
            for (_, k, _), some in zip((self.factor(head, factors, b) for b in block), r):
                for x, v in enumerate(k):
                    if v:
                        h[x] = [fused(v, some[j], h[x][j]) if some[j] else h[x][j]
                                for j in range(head.d)]
            updates += r
            if not finite([*w, *u, *state, *r]):
                return [[math.nan] * (head.n * head.d)] * len(letters)  # CH12
        return self.readings(place, head, factors, rows, before, updates, len(letters))

    def readings(self, place, head, factors, rows, before, updates, count):
        """Returns after each letter the numbers, columns one after the other."""
        each = self.factors[place]
        sums = [[list(row) for row in before] for _ in range(count)]
        for i in range(each):
            for t in range(count):
                _, k, _ = self.factor(head, factors, rows[t * each + i])
                r = updates[t * each + i]
                for x, v in enumerate(k):
                    for j in range(head.d if v else 0):
                        for later in sums[t:] if r[j] else ():
                            later[x][j] = fused(v, r[j], later[x][j])
        return [[self.into(s[x][j]) for j in range(head.d) for x in range(head.n)] for s in sums]

    def run_layer(self, place, letters, states):
        """Returns the numbers after each letter, and what the layer gives, up to the first None
        (CH13); changes the states."""
        read = [self.run_head(place, at, letters, h) for at, h in enumerate(states)]
        numbers = [[v for some in heads for v in some] for heads in zip(*read)]
        symbols = []
        for x, some in zip(letters, numbers):
            symbols.append(self.decoders[place].symbol(x, some))
        return numbers, symbols

    def first_wrong(self, exact, word, exactly):
        """Returns the letter after which the label is wrong, or, with `exactly`, a reading is not
        the exact state; or None."""
        states, joint = self.begin(), exact.begin()
        for at in range(0, len(word), LETTERS):
            letters = word[at : at + LETTERS]
            wanted = []
            for x in letters:
                joint, right = exact.step(joint, x)
                wanted.append((joint, right))
            given, read = letters, []
            for place, some in enumerate(states):
                numbers, given = self.run_layer(place, given, some)
                read.append(numbers)
                if None in given:
                    given = given[: given.index(None)]
            for t, (joint, right) in enumerate(wanted):
                codes = [d.codes[i] for d, i in zip(self.decoders, joint)]
                if t >= len(given) or given[t] != right:
                    return at + t + 1
                if exactly and any(n[t] != c for n, c in zip(read, codes)):
                    return at + t + 1
        return None
