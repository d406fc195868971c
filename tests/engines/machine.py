"""A network in a row: its decoders, and its steps on states in the row's arithmetic."""

import math
from fractions import Fraction
from operator import mul

from network import Unsupported

MANY = 200000  # steps of layers that are kept


def numbers_of(layer, groups):
    """Returns the numbers of a code, columns one after the other, as a step has them."""
    out = []
    for head, cells in zip(layer.heads, groups):
        for j in range(head.d):
            out += [cells.get((i, j), Fraction(0)) for i in range(head.n)]
    return out


class Decoder:
    """The nearest code of each layer, or the one with the nearest direction; exact where two are
    near."""

    def __init__(self, layer, how):
        self.layer, self.how = layer, how
        self.exact = [numbers_of(layer, c) for c in layer.codes]
        self.codes = [[float(v) for v in c] for c in self.exact]
        self.square = [sum(v * v for v in c) for c in self.codes]
        if how == "linear" and 0 in self.square:
            raise Unsupported("a code without a direction")
        if how == "linear" and len(layer.heads) > 1:
            raise Unsupported("directions of several heads, each with its own norm")

    def symbol(self, x, s):
        """Returns what the layer gives after letter x for the numbers s, or None: for a NaN, and
        where several codes are nearest that give different symbols."""
        if not all(math.isfinite(v) for v in s):
            return None
        if self.how == "linear":
            near = self.least([(self.direction(i, s), i) for i in range(len(self.codes))])
        else:
            score = [q - 2 * sum(map(mul, c, s)) for q, c in zip(self.square, self.codes)]
            least = min(score)
            near = [i for i, v in enumerate(score) if v <= least + 1e-6 * (1 + abs(least))]
            if len(near) > 1:
                near = self.least([(self.exactly(i, s), i) for i in near])
        symbols = {self.layer.symbol(x, i) for i in near}
        return symbols.pop() if len(symbols) == 1 else None

    def least(self, scores):
        best = min(scores)[0]
        return [i for score, i in scores if score == best]

    def exactly(self, i, s):
        return sum((c - Fraction(v)) ** 2 for c, v in zip(self.exact[i], s))

    def direction(self, i, s):
        """Returns -(S . c) |S . c| / |c|^2: the less, the nearer."""
        product = sum(c * Fraction(v) for c, v in zip(self.exact[i], s))
        return -product * abs(product) / sum(c * c for c in self.exact[i])


class Machine:
    """The network in a row. A state is a list with the numbers of each head, and what is kept
    beside them: the residual, and the letters since the store, with a ring the sums of theirs."""

    def __init__(self, network, row):
        self.network, self.row = network, row
        self.decoders = [Decoder(layer, row.f["decode"]) for layer in network.layers]
        self.weights = [[row.weights(h) for h in layer.heads] for layer in network.layers]
        self.feedback = row.f["residual"].startswith("feedback")
        self.begun = self.begin()
        self.known = {}  # steps of single layers of several, which meet in many joint states

    def groups(self, layer):
        """Returns the numbers of the heads that are stored together."""
        heads = list(range(len(layer.heads)))
        together = self.row.f["block"] == "tensor" and self.row.f["scale"] != "none"
        return [heads] if together else [[h] for h in heads]

    def store(self, layer, states, residuals, how):
        """Returns states and residuals of the layer's heads after their store."""
        out, kept = list(states), list(residuals)
        for group in self.groups(layer):
            columns = [c for h in group for c in states[h]]
            rest = [c for h in group for c in residuals[h]] if self.feedback else None
            made, rest = how(columns, rest)
            for h in group:
                out[h], made = made[: len(states[h])], made[len(states[h]) :]
                if rest:
                    kept[h], rest = rest[: len(states[h])], rest[len(states[h]) :]
        return out, kept

    def begin(self):
        out = []
        for layer in self.network.layers:
            states = [self.row.initial(h) for h in layer.heads]
            residuals = [[[0.0] * h.n for _ in range(h.d)] if self.feedback else None
                         for h in layer.heads]
            self.row.bits = None
            states, _ = self.store(layer, states, residuals,
                                   lambda x, r: (self.row.quantised(x), r))
            since = [self.empty(s) for s in states]
            out += [(s, (t, r)) for s, t, r in zip(states, since, residuals)]
        return out

    def empty(self, numbers):
        """Returns what is kept of a head after a store: no letters, and the sums of none."""
        if self.row.f["ring"] == "none":
            return 0, None
        return 0, [[0.0] * len(column) for column in numbers]

    def at_code(self, place, code):
        """Returns the states of a layer's heads that are exactly those of a code, or the initial
        ones for None, as they are after a store that rounds nothing."""
        at = sum(len(layer.heads) for layer in self.network.layers[:place])
        out, numbers = [], list(self.decoders[place].codes[code]) if code is not None else None
        for head, state in zip(self.network.layers[place].heads, self.begun[at:]):
            if numbers is None:
                out.append(state)
                continue
            columns = [numbers[j * head.n : (j + 1) * head.n] for j in range(head.d)]
            out.append((columns, state[1]))
            del numbers[: head.n * head.d]
        return out

    def made(self, state):
        """Returns the numbers of a state, of a ring those that are made again."""
        numbers, ((_, sums), _) = state
        return numbers if sums is None else self.row.replayed(numbers, sums)

    def step_layer(self, layer, weights, x, states):
        """Returns the numbers that are decoded, head by head, and the layer's next states."""
        row, before, since, ring = self.row, [], [], self.row.f["ring"] != "none"
        for w, state in zip(weights, states):
            if ring and (w[x][0] != 1 or w[x][2]):
                raise Unsupported("a ring with gates or biases")
            updates, (count, sums) = [] if ring else None, state[1][0]
            before.append(row.letter(x, self.made(state), w, updates))
            since.append((count + 1, row.added(sums, updates) if ring else None))
        count, residuals = since[0][0], [kept[1] for _, kept in states]
        after = before
        if count == row.letters:
            after, residuals = self.store(layer, before, residuals, row.stored)
            since = [self.empty(numbers) for numbers in after]
        read = [row.read(b, a) for b, a in zip(before, after)]
        kept = after
        if ring and count < row.letters:
            kept = [numbers for numbers, _ in states]
        return read, [(s, (t, r)) for s, t, r in zip(kept, since, residuals)]

    def step(self, states, letter):
        """Returns the next states, and the label, or None."""
        out, x = [], letter
        for layer, decoder, weights in zip(self.network.layers, self.decoders, self.weights):
            if x is None:
                return None, None
            mine = states[len(out) : len(out) + len(weights)]
            x, after = self.decoded(layer, decoder, weights, x, mine)
            out += after
        return out, x

    def decoded(self, layer, decoder, weights, x, states):
        """Returns what the layer gives after letter x, and its next states."""
        once = len(self.network.layers) == 1 or self.row.bits is not None
        at = None if once else (id(layer), x, repr(states))
        if at is not None and at in self.known:
            return self.known[at]
        read, after = self.step_layer(layer, weights, x, states)
        symbol = decoder.symbol(x, [v for columns in read for c in columns for v in c])
        if at is not None:
            if len(self.known) == MANY:
                self.known.clear()
            self.known[at] = symbol, after
        return symbol, after
