"""What lrnn-check must say of layers with boxes whose keys have several entries (R8.4 and R8.8 of
theory/pages/decay.md): chains of copies written here, and changed ones.

A chain has the numbers y_0 .. y_k of one head. Letters write y_0, or project a pair of numbers on
a line, which copies the one into the other but for an error. Codes are the contents, and the
intervals around a content grow with the number of equal contents beside it (R8.9). Numbers of the
network are changed: weights, codes, boxes, the initial state, symbols. All hashes are right, and
the certificate's table is kept. lrnn-check must say VERIFIED exactly when the table is closed,
which is decided here by the corners of the boxes, run in fractions; and never when the network
gives a wrong label on some of the words tried.

usage: boxes_mutate.py --checker build/release/lrnn-check [--count N] [--seed S] [--jobs J]"""

import collections
import concurrent.futures
import copy
import itertools
import random
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import mutant_run
from decay_mutate import verdict
from triple import need, sha256

# (k, 1/eps, columns of the state)
CHAINS = [(1, 2, 1), (1, 3, 1), (2, 3, 1), (3, 2, 1), (1, 3, 2)]
NUMBERS = [Fraction(x) for x in ("0", "1", "1/2", "1/4", "2/3", "4/5", "2", "9/4", "-1/2")]
WORDS, LETTERS = 10, 60


class Chain:
    """rows, columns; on[letter]: (gate, factors), a factor is [beta, key, values]; a state is a
    list of rows times columns."""

    def __init__(self, k, inverse, columns):
        eps = Fraction(1, inverse)
        self.rows, self.columns = k + 1, columns
        self.scale = [eps**j for j in range(k + 1) for _ in range(columns)]
        self.letters = [("w", bits) for bits in itertools.product((0, 1), repeat=columns)]
        self.letters += [("c", j) for j in range(1, k + 1)]
        self.on = [[Fraction(1), [self.factor(*letter, inverse)]] for letter in self.letters]
        self.contents = [(0,) * (k + 1) * columns]
        for v in self.contents:
            self.contents += [
                to for to in dict.fromkeys(self.following(v)) if to not in self.contents
            ]
        self.codes = [[x * s for x, s in zip(v, self.scale)] for v in self.contents]
        self.boxes = [self.box(v, eps * eps) for v in self.contents]
        self.initial = [Fraction(0)] * len(self.scale)
        self.symbol = list(range(len(self.contents)))
        self.next = [[self.contents.index(to) for to in self.following(v)] for v in self.contents]

    def factor(self, kind, what, inverse):
        key = [Fraction(0)] * self.rows
        if kind == "w":
            key[0] = Fraction(1)
            return [Fraction(1), key, [Fraction(x) for x in what]]
        key[what - 1], key[what] = Fraction(1), Fraction(-inverse)
        return [Fraction(1), key, [Fraction(0)] * self.columns]

    def following(self, v):
        d = self.columns
        for kind, what in self.letters:
            if kind == "w":
                yield what + v[d:]
            else:
                yield v[: d * what] + v[d * (what - 1) : d * what] + v[d * (what + 1) :]

    def box(self, v, eta):
        out = []
        for i, x in enumerate(v):
            end = i // self.columns
            while end < self.rows - 1 and v[(end + 1) * self.columns + i % self.columns] == x:
                end += 1
            error = 1 - 1 / (1 + eta) ** end
            low, high = (0, error) if x == 0 else (1 - error, 1)
            out.append((self.scale[i] * low, self.scale[i] * high))
        return out

    def step(self, letter, state):
        gate, factors = self.on[letter]
        d, out = self.columns, [gate * x for x in state]
        for beta, key, values in factors:
            square = sum(u * u for u in key)
            for j in range(d):
                push = beta * (sum(u * out[i * d + j] for i, u in enumerate(key)) - values[j])
                for i, u in enumerate(key):
                    out[i * d + j] -= push * u / square
        return out

    # --- is it right? ---

    def corners(self, i):
        """Returns the corners of a box; of a code without a box, the code."""
        box = self.boxes[i] if self.boxes else [(x, x) for x in self.codes[i]]
        return [list(corner) for corner in itertools.product(*(sorted(set(e)) for e in box))]

    def holds(self, i, state):
        box = self.boxes[i] if self.boxes else [(x, x) for x in self.codes[i]]
        return all(low <= x <= high for x, (low, high) in zip(state, box))

    def nearest(self, state):
        """Returns the nearest code, or None where two are."""
        order = sorted(
            (sum((x - y) ** 2 for x, y in zip(state, code)), i) for i, code in enumerate(self.codes)
        )
        return None if len(order) > 1 and order[0][0] == order[1][0] else order[0][1]

    def in_class(self):
        return all(
            0 <= gate <= 1 and all(0 <= beta <= 2 and any(key) for beta, key, _ in factors)
            for gate, factors in self.on
        )

    def closed(self):
        """Returns whether the certificate's table is right."""
        if not self.in_class() or len({tuple(code) for code in self.codes}) < len(self.codes):
            return False
        for i, box in enumerate(self.boxes):
            if any(low > high for low, high in box) or not self.holds(i, self.codes[i]):
                return False
            if any(self.nearest(corner) != i for corner in self.corners(i)):
                return False
        return (
            self.holds(0, self.initial)
            and self.symbol == list(range(len(self.contents)))
            and all(
                self.holds(self.next[i][x], self.step(x, corner))
                for i in range(len(self.codes))
                for x in range(len(self.on))
                for corner in self.corners(i)
            )
        )

    def right(self, rng):
        for _ in range(WORDS):
            state, at = list(self.initial), 0
            for _ in range(LETTERS):
                x = rng.randrange(len(self.on))
                state, at = self.step(x, state), self.next[at][x]
                near = self.nearest(state)
                if near is None or self.symbol[near] != at:
                    return False
        return True

    # --- text ---

    def spell(self, numbers):
        return "".join(
            f" {i // self.columns + 1}.{i % self.columns + 1}:{x}"
            for i, x in enumerate(numbers)
            if x
        )

    def texts(self):
        names = [f"x{x}" for x in range(len(self.letters))]
        states = [f"q{i}" for i in range(len(self.contents))]
        fsa = f"fsa 1\nletters {' '.join(names)}\nstates {' '.join(states)}\nstart q0\n" + "".join(
            f"{states[i]} {names[x]} {states[to]}\n"
            for i, row in enumerate(self.next)
            for x, to in enumerate(row)
        )
        out = [f"lrnn 2\nfsa {sha256(fsa)}\nfield Q\nlabel states\nletters {len(names)}"]
        out += [f"letter {name}" for name in names] + [f"labels {len(states)}"]
        out += [f"symbol {state}" for state in states] + ["start 1\nlayers 1"]
        out.append(
            f"layer 1 letters {len(names)} heads 1 codes {len(states)} symbols"
            f" {len(states)} decode state\nhead 1 key {self.rows} value {self.columns}"
        )
        out.append(f"initial{self.spell(self.initial)}")
        for x, (gate, factors) in enumerate(self.on):
            out.append(f"on {x + 1} gate {gate} factors {len(factors)}")
            for beta, key, values in factors:
                u, c = (
                    "".join(f" {i + 1}:{v}" for i, v in enumerate(of) if v) for of in (key, values)
                )
                out.append(f"factor {beta} u{u}{' c' if c else ''}{c}")
        for i, code in enumerate(self.codes):
            out.append(f"code {i + 1} {self.symbol[i] + 1}{self.spell(code)}")
        out += [
            f"box {i + 1}"
            + "".join(
                f" {k // self.columns + 1}.{k % self.columns + 1}:{low},{high}"
                for k, (low, high) in enumerate(box)
            )
            for i, box in enumerate(self.boxes)
        ]
        lrnn = "\n".join([*out, "end"]) + "\n"
        rows = "".join(
            f"row {i + 1} state {i + 1} codes {i + 1} next {' '.join(str(to + 1) for to in row)}\n"
            for i, row in enumerate(self.next)
        )
        body = (
            f"lrnn-certificate 2\nfsa {sha256(fsa)}\nnetwork {sha256(lrnn)}\nclaim exact\nsize"
            f" layers 1 heads 1 householders 1 key {self.rows} value {self.columns}\nletters"
            f" {len(names)} states {len(states)} rows {len(states)}\n{rows}end {len(states)}\n"
        )
        return fsa, lrnn, f"{body}sha256 {sha256(body)}\n"


# --- changes: (rng, chain), False when it does not apply ---


def near(rng, v):
    steps = [Fraction(1, n) for n in (16, 64, 1024, -16, -64, -1024)]
    return rng.choice((*NUMBERS, *(v + s for s in steps), -v, v / 2))


def any_factor(rng, chain):
    return rng.choice(rng.choice(chain.on)[1])


def beta(rng, chain):
    factor = any_factor(rng, chain)
    factor[0] = near(rng, factor[0])


def key(rng, chain):
    of = any_factor(rng, chain)[1]
    i = rng.randrange(len(of))
    of[i] = near(rng, of[i])


def scaled(rng, chain):
    """Changes the length of a factor's key, but not the factor."""
    factor, z = any_factor(rng, chain), rng.choice([n for n in NUMBERS if n])
    factor[1], factor[2] = [z * u for u in factor[1]], [z * c for c in factor[2]]


def write(rng, chain):
    values = any_factor(rng, chain)[2]
    j = rng.randrange(len(values))
    values[j] = near(rng, values[j])


def gate(rng, chain):
    rng.choice(chain.on)[0] = rng.choice(NUMBERS)


def initial(rng, chain):
    i = rng.randrange(len(chain.initial))
    chain.initial[i] = near(rng, chain.initial[i])


def code(rng, chain):
    of = rng.choice(chain.codes)
    i = rng.randrange(len(of))
    of[i] = near(rng, of[i])


def codes(rng, chain):
    """Moves a number of the codes in all of them alike."""
    i, z = rng.randrange(chain.rows), Fraction(rng.choice((9, 5, 11)), 10)
    for of in chain.codes:
        of[i * chain.columns] *= z


def box_end(rng, chain):
    box = rng.choice(chain.boxes)
    i = rng.randrange(len(box))
    low, high = box[i]
    box[i] = (near(rng, low), high) if rng.random() < 0.5 else (low, near(rng, high))


def reversed_ends(rng, chain):
    box = rng.choice(chain.boxes)
    i = rng.randrange(len(box))
    box[i] = box[i][::-1]
    return box[i][0] != box[i][1]


def boxes_wider(rng, chain):
    """Widens all boxes in proportion to their sides, on the side of the middle or on the other."""
    z, inside = rng.choice((Fraction(1, 100), Fraction(1, 10), Fraction(1))), rng.random() < 0.7
    for v, box in zip(chain.contents, chain.boxes):
        for i, (low, high) in enumerate(box):
            more = z * (high - low)
            up = (v[i] == 0) == inside
            box[i] = (low, high + more) if up else (low - more, high)


def boxes_shrunk(rng, chain):
    z = rng.choice((Fraction(1, 1000), Fraction(1, 10)))
    for v, box in zip(chain.contents, chain.boxes):
        for i, (low, high) in enumerate(box):
            less = z * (high - low)
            box[i] = (low, high - less) if v[i] == 0 else (low + less, high)


def boxes_alike(rng, chain):
    """Gives equal contents of a number the widest of their intervals."""
    for i in range(len(chain.scale)):
        for bit in (0, 1):
            of = [b[i] for v, b in zip(chain.contents, chain.boxes) if v[i] == bit]
            for v, box in zip(chain.contents, chain.boxes):
                if v[i] == bit:
                    box[i] = min(low for low, _ in of), max(high for _, high in of)


def boxes_lost(rng, chain):
    chain.boxes = []


def exchanged(of):
    def change(rng, chain):
        i, k = rng.sample(range(len(chain.codes)), 2)
        for items in of(chain):
            items[i], items[k] = items[k], items[i]

    return change


boxes_exchanged = exchanged(lambda chain: [chain.boxes])
codes_exchanged = exchanged(lambda chain: [chain.codes])
both_exchanged = exchanged(lambda chain: [chain.codes, chain.boxes])


def symbol(rng, chain):
    i = rng.randrange(len(chain.symbol))
    chain.symbol[i] = rng.randrange(len(chain.symbol))
    return chain.symbol[i] != i


CHANGES = {
    f.__name__: f
    for f in (beta, key, scaled, write, gate, initial, code, codes, box_end, reversed_ends)
}
CHANGES |= {f.__name__: f for f in (boxes_wider, boxes_shrunk, boxes_alike, boxes_lost, symbol)}
CHANGES |= {
    "boxes_exchanged": boxes_exchanged,
    "codes_exchanged": codes_exchanged,
    "both_exchanged": both_exchanged,
}


# --- runs ---


def attempt(checker, base, seed):
    """Returns (kind, expected, said, whether that is sound)."""
    rng = random.Random(seed)
    name = rng.choice(sorted(CHANGES)) if seed % 1000 else "none"
    chain = copy.deepcopy(base)
    if name != "none" and CHANGES[name](rng, chain) is False:
        return "does not apply", True, True, True
    with tempfile.TemporaryDirectory() as folder:
        said = verdict(checker, Path(folder), chain.texts())
    expected = chain.closed()
    return name, expected, said, not said or chain.right(rng)


def main():
    parser = mutant_run.parser(__doc__, 2000, 1)
    parser.add_argument("--tool", help="not used")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    begin, wrong = time.monotonic(), 0
    tally, outcomes = collections.Counter(), collections.Counter()
    bases = [Chain(*sizes) for sizes in CHAINS]
    seeds = [(base, 0) for base in bases] + [
        (bases[s % len(bases)], 1000 * arguments.seed + s)
        for s in range(1, arguments.count + 1)
        if (1000 * arguments.seed + s) % 1000
    ]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (base, seed), (kind, expected, said, sound) in zip(
            seeds, pool.map(lambda job: attempt(arguments.checker, *job), seeds)
        ):
            tally[kind, "VERIFIED" if said else "refused"] += 1
            bad = said != expected or not sound
            if seed and kind != "does not apply":
                outcome = "WRONG" if bad else "right and accepted" if said else "refused"
                outcomes[kind, outcome] += 1
            if bad:
                wrong += 1
                print(CHAINS[bases.index(base)], seed, f"{kind}: said {said}, not {expected}")
    for (kind, said), n in sorted(tally.items()):
        print(f"  {kind:16} {said:9} {n}")
    need(tally["none", "VERIFIED"] == len(bases), "the networks as they are")
    for kind in ("code", "codes", "initial", "scaled", "box_end", "boxes_wider"):
        both = tally[kind, "VERIFIED"] > 0 and (kind == "scaled" or tally[kind, "refused"] > 0)
        need(both or arguments.count < 500, f"both verdicts of {kind}")
    if arguments.record:
        mutant_run.record(arguments.record, arguments.seed, outcomes, begin)
    said = f"seed {arguments.seed}, {len(seeds)} networks, {mutant_run.spent(begin)}"
    return mutant_run.close(said, len(seeds), wrong)


if __name__ == "__main__":
    sys.exit(main())
