"""What lrnn-check must say of layers with boxes (theory/pages/decay.md): the compiler's networks,
and changed ones.

`fsa2lrnn --target diagonal-positive` compiles aperiodic automata. Numbers of the network are
changed: weights, codes, boxes, the initial state, symbols. All hashes are computed again, the
certificate's tables are kept. lrnn-check must say VERIFIED exactly when the network is in its
class, the boxes are apart, and every listed step takes all of one box into the other, which is
decided here by intervals, not by corners; and never when the network, run in fractions, gives a
wrong label on some of the words tried. Where symbols were changed, it may also refuse because of
them.

Of the automata of three states and two letters, every N-th one is compiled too: it must be VERIFIED
if its monoid is aperiodic, and refused otherwise.

usage: decay_mutate.py --checker build/release/lrnn-check --tool build/release/fsa2lrnn [--count N]
[--seed S] [--jobs J] [--every N]"""

import collections
import concurrent.futures
import copy
import itertools
import random
import re
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import cascade
import mutant_run
from triple import need

GRAMMARS = [
    "counter 2",
    "counter 4",
    "definite 2",
    "tomita 4",
    "tomita 7",
    "dyck 1 3",
    "dyck 2 2",
    "elevator 3",
    "flipflop",
]
NUMBERS = [
    Fraction(x) for x in ("0", "1", "1/2", "1/4", "3/4", "2/3", "4/5", "7/8", "2", "9/4", "-1/2")
]
WORDS, LETTERS = 20, 60


# --- networks: layers of one head of one row, decode part ---


class Layer:
    pass


def entries(text):
    return {
        int(column) - 1: Fraction(value) for column, value in re.findall(r"1\.(\d+):(\S+)", text)
    }


def spell(vector):
    return "".join(f" 1.{j + 1}:{v}" for j, v in sorted(vector.items()) if v)


def read_network(text):
    """Returns (lines before the layers, layers)."""
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("layers "))
    before, rest, layers = lines[: at + 1], iter(lines[at + 1 :]), []

    def line(pattern):
        found = re.fullmatch(pattern, next(rest))
        need(found, pattern)
        return found.groups()

    for _ in range(int(before[-1].split()[1])):
        y = Layer()
        y.letters, codes, y.symbols = map(
            int, line(r"layer \d+ letters (\d+) heads 1 codes (\d+) symbols (\d+) decode part")
        )
        y.values = line(r"parts (.*)")[0]
        y.d = int(line(r"head 1 key 1 value (\d+)")[0])
        y.initial = entries(line("initial(.*)")[0])
        y.on = []
        for _ in range(y.letters):
            gate, factors = line(r"on \d+ gate (\S+) factors (\d+)")
            y.on.append([Fraction(gate), []])
            for _ in range(int(factors)):
                beta, u, c = line(r"factor (\S+) u 1:(\S+)((?: c)?.*)")
                c = {int(j) - 1: Fraction(v) for j, v in re.findall(r" (\d+):(\S+)", c)}
                y.on[-1][1].append([Fraction(beta), Fraction(u), c])
        y.codes, y.boxes = [], []
        for _ in range(codes):
            parts, code = line(r"code \d+ (\S+)(.*)")
            y.codes.append([[int(p) - 1 for p in parts.split(",")], entries(code)])
        rows = [next(rest) for _ in range(y.letters)]
        while rows[0].startswith("box "):
            y.boxes.append(
                [tuple(map(Fraction, v.split(":")[1].split(","))) for v in rows.pop(0).split()[2:]]
            )
            if len(y.boxes) <= codes:
                rows.append(next(rest))
        y.table = [
            (int(part) - 1, symbols.split())
            for part, symbols in (
                re.fullmatch(r"yield \d+ (\d+) (.*)", row).groups() for row in rows
            )
        ]
        layers.append(y)
    need(list(rest) == ["end", ""], "the end")
    need(text_of(before, layers) == text, "written as it was read")
    return before, layers


def text_of(before, layers):
    out = list(before)
    for l, y in enumerate(layers):
        out.append(
            f"layer {l + 1} letters {y.letters} heads 1 codes {len(y.codes)} symbols {y.symbols}"
            " decode part"
        )
        out += [f"parts {y.values}", f"head 1 key 1 value {y.d}", f"initial{spell(y.initial)}"]
        for x, (gate, factors) in enumerate(y.on):
            out.append(f"on {x + 1} gate {gate} factors {len(factors)}")
            for beta, u, c in factors:
                c = "".join(f" {j + 1}:{v}" for j, v in sorted(c.items()) if v)
                out.append(f"factor {beta} u 1:{u}{' c' if c else ''}{c}")
        out += [
            f"code {i + 1} {','.join(str(p + 1) for p in parts)}{spell(code)}"
            for i, (parts, code) in enumerate(y.codes)
        ]
        out += [
            f"box {i + 1}"
            + "".join(f" 1.{j + 1}:{low},{high}" for j, (low, high) in enumerate(box))
            for i, box in enumerate(y.boxes)
        ]
        out += [
            f"yield {x + 1} {part + 1} {' '.join(symbols)}"
            for x, (part, symbols) in enumerate(y.table)
        ]
    return "\n".join([*out, "end"]) + "\n"


def box_of(y, i):
    """Returns the intervals of all numbers; for a code without a box they are points."""
    return y.boxes[i] if y.boxes else [(y.codes[i][1].get(j, Fraction(0)),) * 2 for j in range(y.d)]


def affine(y, x, j):
    """Returns (a, b), where the letter takes number j, S, to a S + b."""
    a, b = y.on[x][0], Fraction(0)
    for beta, u, c in y.on[x][1]:
        a, b = (1 - beta) * a, (1 - beta) * b + beta * c.get(j, Fraction(0)) / u
    return a, b


# --- is it right? ---


def in_class(y):
    return all(
        0 <= gate <= 1 and all(0 <= beta <= 2 and u != 0 for beta, u, _ in factors)
        for gate, factors in y.on
    )


def apart(y):
    """Returns whether boxes hold their codes, and a code is nearest everywhere in its box: there
    the greatest difference of two squares of distances is a sum over the numbers."""
    codes = [tuple(code.get(j, Fraction(0)) for j in range(y.d)) for _, code in y.codes]
    if len(set(codes)) < len(codes):
        return False
    for code, box in zip(codes, y.boxes):
        if not all(low <= x <= high for x, (low, high) in zip(code, box)):
            return False
        for other in codes:
            most = sum(
                (e - c) * (2 * (high if e > c else low) - e - c)
                for c, e, (low, high) in zip(code, other, box)
            )
            if code != other and most >= 0:
                return False
    return True


def holds(y, i, state):
    return all(
        low <= state.get(j, Fraction(0)) <= high for j, (low, high) in enumerate(box_of(y, i))
    )


def leads(y, x, i, k):
    """Returns whether the whole box of code i moves into the box of code k."""
    for j, ((low, high), (least, most)) in enumerate(zip(box_of(y, i), box_of(y, k))):
        a, b = affine(y, x, j)
        low, high = a * (low if a >= 0 else high) + b, a * (high if a >= 0 else low) + b
        if not least <= low <= high <= most:
            return False
    return True


def closed(layers, c):
    """Returns whether every step of the certificate's tables holds."""
    for l, (y, (contexts, pairs), start) in enumerate(zip(layers, c.tables, c.start)):
        if not in_class(y) or not apart(y) or not holds(y, pairs[start][1][0], y.initial):
            return False
        for z, (code,), following in pairs:
            read = [
                cascade.letter_read(c, l, x) for x, (_, old, _) in enumerate(contexts) if old == z
            ]
            if not all(leads(y, x, code, pairs[p][1][0]) for x, p in zip(read, following)):
                return False
    return True


def right(rng, layers, labels, letters, step, start):
    """Returns whether some words give right labels, by the states themselves, decoded by boxes."""
    for _ in range(WORDS):
        states, q = [dict(y.initial) for y in layers], start
        for _ in range(LETTERS):
            w = x = rng.randrange(letters)
            for y, s in zip(layers, states):
                for j in range(y.d):
                    a, b = affine(y, x, j)
                    s[j] = a * s.get(j, Fraction(0)) + b
                code = [i for i in range(len(y.codes)) if holds(y, i, s)]
                if len(code) != 1:
                    return False
                part, symbols = y.table[x]
                symbol = symbols[y.codes[code[0]][0][part]]
                if symbol == "-":
                    return False
                x = int(symbol) - 1
            q = step[q][w]
            if labels[x] != q:
                return False
    return True


def read_automaton(text):
    """Returns (letters, {state: [next states]}, start)."""
    lines = [line.split(" ") for line in text.splitlines()]
    letters = next(line[1:] for line in lines if line[0] == "letters")
    states = next(line[1:] for line in lines if line[0] == "states")
    edges = [line for line in lines if len(line) == 3 and line[0] in states and line[1] in letters]
    step = {q: [None] * len(letters) for q in states}
    for q, w, p in edges:
        step[q][letters.index(w)] = p
    need(all(None not in row for row in step.values()), "a total automaton")
    return letters, step, next(line[1] for line in lines if line[0] == "start")


# --- changes: (rng, layers), False when it does not apply ---


def some(rng, layers, boxed=True):
    found = [y for y in layers if y.boxes or not boxed]
    return rng.choice(found) if found else None


def factor_of(rng, y):
    found = [f for _, factors in y.on for f in factors]
    return rng.choice(found) if found else None


def near(rng, v):
    return rng.choice(
        (*NUMBERS, v + Fraction(1, 64), v - Fraction(1, 64), v + Fraction(1, 1024), -v, v / 2)
    )


def beta(rng, layers):
    f = factor_of(rng, some(rng, layers, False))
    if f:
        f[0] = near(rng, f[0])
        return True


def betas(rng, layers):
    """Makes all resets of a layer fade faster or slower: right, as long as the boxes hold."""
    y = some(rng, layers)
    if y:
        new = rng.choice(
            [Fraction(x) for x in ("3/4", "7/10", "31/40", "4/5", "7/8", "15/16", "1", "5/8")]
        )
        for _, factors in y.on:
            for f in factors:
                f[0] = new
        return True


def write(rng, layers):
    y = some(rng, layers, False)
    f = factor_of(rng, y)
    if f:
        j = rng.randrange(y.d)
        f[2][j] = near(rng, f[2].get(j, Fraction(0)))
        return True


def scaled(rng, layers):
    """Changes the length of a factor's key, but not the factor."""
    f = factor_of(rng, some(rng, layers, False))
    if f:
        z = rng.choice([n for n in NUMBERS if n])
        f[1], f[2] = z * f[1], {j: z * v for j, v in f[2].items()}
        return True


def gate(rng, layers):
    y = some(rng, layers, False)
    rng.choice(y.on)[0] = rng.choice(NUMBERS)
    return True


def initial(rng, layers):
    """Moves the initial state, inside its box or out of it."""
    y = some(rng, layers, False)
    j = rng.randrange(y.d)
    y.initial[j] = near(rng, y.initial.get(j, Fraction(0)))
    return True


def box_end(rng, layers):
    y = some(rng, layers)
    if y:
        box, j = rng.choice(y.boxes), rng.randrange(y.d)
        low, high = box[j]
        box[j] = (near(rng, low), high) if rng.random() < 0.5 else (low, near(rng, high))
        return True


def box_ends(rng, layers):
    """Changes the end of an interval in the same way wherever the interval occurs."""
    y = some(rng, layers)
    if y:
        j = rng.randrange(y.d)
        old = rng.choice(y.boxes)[j]
        by = [Fraction(x) for x in ("0", "0", "1/16", "-1/16", "1/64", "-1/64", "-1/100000")]
        new = old[0] + rng.choice(by), old[1] + rng.choice(by)
        for box in y.boxes:
            if box[j] == old:
                box[j] = new
        return True


def code(rng, layers):
    """Moves codes, inside their boxes or out of them."""
    y = some(rng, layers)
    if y:
        j = rng.randrange(y.d)
        old = rng.choice(y.codes)[1].get(j, Fraction(0))
        new = rng.choice(
            (
                old + Fraction(1, 64),
                old - Fraction(1, 32),
                old + Fraction(1, 8),
                old + Fraction(1, 1000),
            )
        )
        for _, c in y.codes:
            if c.get(j, Fraction(0)) == old:
                c[j] = new
        return True


def boxes_lost(rng, layers):
    y = some(rng, layers)
    if y:
        y.boxes = []
        return True


def boxes_exchanged(rng, layers):
    y = some(rng, layers)
    if y and len(y.boxes) > 1:
        i, k = rng.sample(range(len(y.boxes)), 2)
        y.boxes[i], y.boxes[k] = y.boxes[k], y.boxes[i]
        return True


def symbol(rng, layers):
    y = some(rng, layers, False)
    symbols = rng.choice(y.table)[1]
    symbols[rng.randrange(len(symbols))] = rng.choice(("-", str(1 + rng.randrange(y.symbols))))
    return True


WEIGHTS = [
    beta,
    betas,
    write,
    scaled,
    gate,
    initial,
    box_end,
    box_ends,
    code,
    boxes_lost,
    boxes_exchanged,
]
CHANGES = [*WEIGHTS, symbol]


# --- all automata of three states and two letters ---


def is_aperiodic(maps):
    """Returns whether no word has a cycle on the states reachable from the first one."""
    reached = {0}
    for _ in maps[0]:
        reached |= {m[q] for m in maps for q in reached}
    monoid, found = set(), [tuple(sorted(reached))]
    place = {q: i for i, q in enumerate(found[0])}
    while found:
        m = found.pop()
        if m not in monoid:
            monoid.add(m)
            found += [tuple(a[q] for q in m) for a in maps]
    return all(m[place[q]] == q for m in monoid for q in (m[place[m[place[p]]]] for p in reached))


def small(checker, tool, folder, code):
    """Returns whether automaton number `code` is treated as its monoid requires."""
    maps = [tuple(code // 3 ** (3 * w + q) % 3 for q in range(3)) for w in range(2)]
    source = folder / f"{code}.fsa"
    source.write_text(
        "fsa 1\nletters a b\nstates 0 1 2\nstart 0\n"
        + "".join(f"{q} {'ab'[w]} {maps[w][q]}\n" for q in range(3) for w in range(2))
    )
    out = source.with_suffix("")
    done = subprocess.run(
        [
            tool,
            source,
            "--target",
            "diagonal-positive",
            "--quiet",
            "--formats",
            "bf16",
            "--limit",
            "50",
            "--out",
            out,
        ],
        capture_output=True,
        text=True,
    )
    if not is_aperiodic(maps):
        return done.returncode != 0 and "not aperiodic" in done.stderr
    names = [out / name for name in ("automaton.fsa", "network.lrnn", "certificate.cert")]
    said = subprocess.run([checker, *names], capture_output=True, text=True).stdout
    return done.returncode == 0 and said.startswith("s VERIFIED")


# --- runs ---


class Base:
    def __init__(self, tool, grammar, folder):
        self.name = grammar
        folder = folder / grammar.replace(" ", "-")
        source = folder.with_suffix(".fsa")
        source.write_bytes(
            subprocess.run([tool, "new", *grammar.split()], check=True, capture_output=True).stdout
        )
        subprocess.run(
            [
                tool,
                source,
                "--target",
                "diagonal-positive",
                "--quiet",
                "--formats",
                "bf16",
                "--limit",
                "1000",
                "--out",
                folder,
            ],
            check=True,
        )
        self.fsa, self.lrnn, self.cert = (
            (folder / name).read_text()
            for name in ("automaton.fsa", "network.lrnn", "certificate.cert")
        )
        self.before, self.layers = read_network(self.lrnn)
        self.tables = cascade.read_certificate(self.cert, self.fsa, self.lrnn)
        self.letters, self.step, self.start = read_automaton(self.fsa)
        self.labels = [line.split(" ", 1)[1] for line in self.before if line.startswith("symbol ")]


def verdict(checker, folder, texts):
    """Returns whether the triple is VERIFIED; None where the program does not know such boxes."""
    paths = [folder / name for name in ("a.fsa", "n.lrnn", "c.cert")]
    for path, text in zip(paths, texts):
        path.write_text(text)
    done = subprocess.run([checker, *paths], capture_output=True, text=True)
    need(done.stdout.startswith("s ") and done.returncode in (0, 1, 2), f"a verdict, not {done}")
    return None if "does not know boxes" in done.stderr else done.returncode == 0


def attempt(checker, base, seed):
    """Returns (kind, expected, said); expected None: not VERIFIED unless it is right."""
    rng = random.Random(seed)
    change = rng.choice(CHANGES) if seed % 1000 else None
    layers = copy.deepcopy(base.layers)
    if change and not change(rng, layers):
        return "does not apply", True, True, True
    lrnn = text_of(base.before, layers)
    with tempfile.TemporaryDirectory() as folder:
        said = verdict(checker, Path(folder), (base.fsa, lrnn, base.tables.text(base.fsa, lrnn)))
    if said is None:  # lrnn-check-coq, of boxes that no number keeps apart
        return "does not apply", True, True, True
    expected = closed(layers, base.tables)
    sound = not said or (
        expected and right(rng, layers, base.labels, len(base.letters), base.step, base.start)
    )
    return (
        change.__name__ if change else "none",
        expected if change is not symbol else said,
        said,
        sound,
    )


def main():
    parser = mutant_run.parser(__doc__, 2000, 1)
    parser.add_argument("--tool", required=True, type=mutant_run.program)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=9)
    arguments = parser.parse_args()
    checker, tool, begin = arguments.checker, arguments.tool, time.monotonic()
    wrong, tally, outcomes = 0, collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        bases = [Base(tool, grammar, Path(folder)) for grammar in GRAMMARS]
        codes = range(0, 729, arguments.every)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            fine = list(pool.map(lambda code: small(checker, tool, Path(folder), code), codes))
    for code in itertools.compress(codes, (not good for good in fine)):
        print(f"the maps of number {code} of three states are not treated as they should")
    wrong += fine.count(False)
    seeds = [(base, 0) for base in bases] + [
        (bases[s % len(bases)], 1000 * arguments.seed + s)
        for s in range(1, arguments.count + 1)
        if (1000 * arguments.seed + s) % 1000
    ]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (base, seed), (kind, expected, said, sound) in zip(
            seeds, pool.map(lambda job: attempt(checker, *job), seeds)
        ):
            tally[kind, "VERIFIED" if said else "refused"] += 1
            if seed and kind != "does not apply":
                outcomes[
                    kind,
                    (
                        "WRONG"
                        if said != expected or not sound
                        else "right and accepted" if said else "refused"
                    ),
                ] += 1
            if said != expected or not sound:
                wrong += 1
                print(
                    f"{base.name}, seed {seed}, {kind}: lrnn-check says"
                    f" {'VERIFIED' if said else 'NOT VERIFIED'}, it should"
                    f" {'' if expected else 'not '}be, {'' if sound else 'and that is unsound'}"
                )
    for (kind, said), n in sorted(tally.items()):
        print(f"  {kind:16} {said:9} {n}")
    need(tally["none", "VERIFIED"] == len(bases), "the networks as they are")
    for kind in ("betas", "box_ends", "code", "initial", "scaled"):
        both = tally[kind, "VERIFIED"] > 0 and (kind == "scaled" or tally[kind, "refused"] > 0)
        need(both or arguments.count < 500, f"both verdicts of {kind}")
    if arguments.record:
        mutant_run.record(arguments.record, arguments.seed, outcomes, begin)
    return mutant_run.close(
        f"seed {arguments.seed}, {len(seeds)} networks, {mutant_run.spent(begin)}",
        len(seeds) + len(codes),
        wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
