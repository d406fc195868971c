"""D1 networks of small groups, each as (automaton, network, certificate), and their certificates as
data.

Written from theory/pages/d1.md alone, D1.2 - D1.8: states are rows of numbers that permutations
move, and transpositions are the reflections that exchange two numbers of a row, so that no key
system is needed. Everything that D1.8 leaves open (the order of elements and codes, entries of
tables that are never used, the lengths of keys) is chosen at random. Whether a network is a D1 form
by D1.8 is judged here a second time, in fractions (D1.holds)."""

import itertools
import random
import re
from fractions import Fraction

import triple
import wired
import wired_certificate
from handmade import edges, group
from handmade_wired import classes_of, network
from triple import integer, need
from wired import Block, Head

ONE = Fraction(1)


# --- certificates, and the conditions of D1.8 ---


class D1(wired_certificate.Form):
    """claim d1: as Form, without sources, and clock (layers), block (letters of a block), elements;
    and the lists of D1.8: counted [after every token the codes of the clock's heads], words [V_j],
    acts [(element, action)], means [(code, class)], steps [(code, value, code)]."""

    def text(self, fsa_text, net_text):
        lines = [
            (
                f"letters {self.letters} states {self.states} classes {self.count} clock"
                f" {self.clock} block {self.block} elements {self.elements}"
            ),
            f"class{wired.numbers(self.classes)}",
            f"like{wired.indices(self.like)}",
        ]
        lines += [f"count {t} codes{wired.indices(codes)}" for t, codes in enumerate(self.counted)]
        lines += [f"words {j} elements{wired.indices(level)}" for j, level in enumerate(self.words)]
        lines += [f"element {i + 1} acts{wired.indices(action)}" for i, action in self.acts]
        lines += [f"code {h + 1} means {q + 1}" for h, q in self.means]
        lines += [f"step {h + 1} {v + 1} to {g + 1}" for h, v, g in self.steps]
        return wired_certificate.body_of(self, fsa_text, net_text, "d1", lines)

    def proper_sizes(self, net):
        return net.sizes()

    def derive(self, net, a):
        """Sets the certificate's lists by search; what the network does not have is not listed.
        Does nothing where the three do not fit."""
        if not self.fits(net, a):
            return
        self.like = [
            self.classes.index(c) if c in self.classes else 0 for c in range(1, self.count + 1)
        ]
        self.counted, self.words, self.acts, self.means, self.steps = [], [], [], [], []
        q = self.quotient(net, a)
        if (
            q is None
            or min(self.count, self.clock, self.block, self.elements) < 1
            or not self.has_form(net, q)
        ):
            return
        self.counted = clock_codes(net, self.clock, self.block)
        level, act = [0], {0: list(range(len(q.states)))}
        self.words.append(level)
        product = net.blocks[-2].post[2 * self.block + 1]
        for _ in range(self.block):
            after = set()
            for i, w in itertools.product(level, range(len(q.letters))):
                e = look_up(net, product, (i, w + 1))
                after.add(e)
                act.setdefault(e, [q.next[s][w] for s in act[i]])
            level = sorted(after)
            self.words.append(level)
        self.acts = sorted(act.items())
        self.follow(net, q)

    def follow(self, net, q):
        """Sets the pairs and steps that blocks lead to, as far as codes are found."""
        last, act = net.blocks[-1], dict(self.acts)
        codes, portion, known = last.readouts[0][3], net.blocks[-2].post[-2], {}
        if net.stages[-1][1][0] not in codes:
            return
        first = codes.index(net.stages[-1][1][0])
        means, todo = {first: q.start}, [first]
        for code in todo:
            for i in {*self.words[-1], 0}:
                at = code
                for z in range(self.block):
                    f = look_up(net, portion, (i, z))
                    if (at, f) not in known:
                        after = wired.apply(codes[at], *last.heads[0].slots[0][1][f])
                        if after not in codes:
                            break
                        known[at, f] = codes.index(after)
                    at = known[at, f]
                else:
                    todo += [at] if at not in means else []
                    means.setdefault(at, act[i][means[code]])
        self.means, self.steps = sorted(means.items()), sorted(
            (*step, g) for step, g in known.items()
        )

    def holds(self, net, a):
        """Returns whether D1.8, with the certificate's numbers, says that the network, which is in
        the class, is right."""
        if (tuple(self.sizes), self.letters, self.states, self.end) != (
            net.sizes(),
            net.kinds(),
            len(a.states),
            self.count,
        ) or len(self.classes) != len(a.states):
            return False
        q = (
            self.quotient(net, a)
            if min(self.count, self.clock, self.block, self.elements) > 0 and self.of_classes()
            else None
        )
        return (
            q is not None
            and net.labels[net.start] == q.outputs[q.start]
            and self.has_form(net, q)
            and self.counts(net)
            and not net.stages[-2][1][0]
            and self.walks(net, q)
        )

    def has_form(self, net, q):
        rows, k, n = 2 * self.block, len(q.letters), len(q.states)
        if len(net.blocks) != self.clock + 2 or [b for b, _ in net.stages] != list(
            range(self.clock + 2)
        ):
            return False
        *clock, ring, last = net.blocks

        def reads(b, pre, slot, post, outputs):
            return ([w for _, w in b.pre], [w for _, w in b.post], b.outputs) == (
                pre,
                post,
                outputs,
            ) and all(len(h.slots) == 1 and h.slots[0][0] == slot for h in b.heads)

        def gives(part, values, function):
            sizes, size, results = net.tables[part[0]]
            return size == values and results == [
                function(*x) for x in itertools.product(*map(range, sizes))
            ]

        for l, b in enumerate(clock):
            h = len(b.heads)
            if not 1 <= h <= 2 or len(b.readouts) != h:
                return False
            if not reads(
                b, [] if l else [[]], 1, [[1] * (l > 0) + list(range(2, 2 + h))], [0, 2 + h]
            ):
                return False
        at = 3 + rows  # the first post gate
        post = [[1, 3 + j] for j in range(rows)]
        post = [
            *post,
            [at],
            *([at + rows + j - 1, at + j] for j in range(1, rows)),
            *post,
            *[[at + 2 * rows - 1, 1]] * 2,
        ]
        if (
            ring.inputs != [k, rows]
            or len(ring.heads) != 1
            or (ring.heads[0].n, ring.heads[0].d) != (rows, k)
        ):
            return False
        if not reads(
            ring,
            [[1, 0]],
            2,
            post,
            [at + 3 * rows, at + 3 * rows + 1, *range(at + 2 * rows, at + 3 * rows)],
        ):
            return False
        product = net.tables[ring.post[rows + 1][0]]
        if product[1] != self.elements or not gives(
            ring.pre[0], rows * k, lambda z, letter: z * k + letter
        ):
            return False
        half = self.block
        for j in range(rows):
            if not gives(ring.post[j], k + 1, lambda z, x: x if (j < half) != (z < half) else 0):
                return False
            if not gives(
                ring.post[2 * rows + j],
                k + 1,
                lambda z, x: x if (j < half) == (z < half) and j <= z else 0,
            ):
                return False
            chain = net.tables[ring.post[rows + j][0]]
            if chain[1:] != [product[1], product[2][: k + 1] if j == 0 else product[2]]:
                return False
        codes = [{}, *({(0, letter): ONE} for letter in range(k))]
        if ring.readouts != [[0, row, 1, codes] for row in range(rows)]:
            return False
        for v, (gate, factors) in enumerate(ring.heads[0].slots[0][1]):
            t = [c for _, _, c in factors][0].get(v % k, 0) if len(factors) == 1 else 0
            if gate != 1 or not t or factors != [(ONE, {v // k: t}, {v % k: t})]:
                return False
        at = 3 + rows
        post = [[at - 1, 1], *([at + j, 2 + j] for j in range(rows)), [at + rows]]
        if (
            len(last.heads) != 1
            or len(last.readouts) != 1
            or not reads(last, [], 0, post, [at + rows + 1])
        ):
            return False
        if net.tables[last.post[0][0]][1] != n:
            return False
        return all(
            gives(g, n, lambda s, x: q.next[s][x - 1] if x else s) for g in last.post[1:-1]
        ) and gives(last.post[-1], len(net.labels), lambda s: self.number(net, q.outputs[s]))

    def number(self, net, label):
        return net.labels.index(label) if label in net.labels else None

    def counts(self, net):
        """Checks (a), with the codes that are listed."""
        if (
            self.counted != clock_codes(net, self.clock, self.block)
            or len(self.counted) != 2 * self.block + 1
        ):
            return False
        states = [list(initial) for _, initial in net.stages[: self.clock]]
        for t in range(2 * self.block):
            count = None
            for b, now in zip(net.blocks, states):
                count = net.tables[b.pre[0][0]][2][0] if b.pre else count
                wires = [] if b.pre else [count]
                for i, h in enumerate(b.heads):
                    now[i] = wired.apply(now[i], *h.slots[0][1][count])
                    if now[i] not in b.readouts[i][3]:
                        return False
                    wires.append(b.readouts[i][3].index(now[i]))
                count = look_up(net, b.post[0], wires)
            if count != t:
                return False
        return states == [list(initial) for _, initial in net.stages[: self.clock]]

    def walks(self, net, q):
        """Checks (d) and (e), with the listed elements."""
        half, k, n = self.block, len(q.letters), len(q.states)
        product, act, met = (
            net.blocks[-2].post[2 * half + 1],
            dict(self.acts),
            {i for level in self.words for i in level},
        )
        if any(look_up(net, product, (i, 0)) != i for i in range(self.elements)):
            return False
        if (
            len(self.words) != half + 1
            or self.words[0] != [0]
            or any(level != sorted(set(level)) for level in self.words)
            or [i for i, _ in self.acts] != sorted(met)
            or max(met) >= self.elements
            or act[0] != list(range(n))
            or any(len(does) != n or max(does) >= n for does in act.values())
        ):
            return False
        for level, following in zip(self.words, self.words[1:]):
            after = {
                (i, w): look_up(net, product, (i, w + 1))
                for i, w in itertools.product(level, range(k))
            }
            if set(after.values()) != set(following):
                return False
            if any(act[e] != [q.next[s][w] for s in act[i]] for (i, w), e in after.items()):
                return False
        return self.blocks_hold(net, q, act)

    def blocks_hold(self, net, q, act):
        """Checks (e)."""
        half, last, (portion, rest) = self.block, net.blocks[-1], net.blocks[-2].post[-2:]
        codes, means, taken = last.readouts[0][3], dict(self.means), set()
        steps = {(h, v): g for h, v, g in self.steps}
        if (
            [h for h, _ in self.means] != sorted(means)
            or [(h, v) for h, v, _ in self.steps] != sorted(steps)
            or any(s >= len(q.states) for s in means.values())
            or any(max(h, g) >= len(codes) for h, _, g in self.steps)
            or any(h >= len(codes) for h in means)
        ):
            return False
        start = net.stages[-1][1][0]
        if start not in codes or means.get(codes.index(start)) != q.start:
            return False
        for (code, meant), i in itertools.product(self.means, {*self.words[-1], 0}):
            at, state = code, act[i][meant]
            for z in range(half):
                f, r = (look_up(net, g, (i, z)) for g in (portion, rest))
                if (f, r) != tuple(look_up(net, g, (i, z + half)) for g in (portion, rest)) or (
                    at,
                    f,
                ) not in steps:
                    return False
                taken.add((at, f))
                at = steps[at, f]
                if look_up(net, last.post[0], (at, r)) != state:
                    return False
            if means.get(at) != state:
                return False
        on = last.heads[0].slots[0][1]
        return taken == set(steps) and all(
            wired.apply(codes[h], *on[v]) == codes[g] for h, v, g in self.steps
        )


def clock_codes(net, layers, half):
    """Returns the codes of the clock's heads, before all tokens and after each of 2 half tokens, as
    far as all have one."""
    states = [list(initial) for _, initial in net.stages[:layers]]
    out = []
    for t in range(2 * half + 1):
        count = None
        for b, now in zip(net.blocks, states if t else []):
            count = net.tables[b.pre[0][0]][2][0] if b.pre else count
            now[:] = [wired.apply(s, *h.slots[0][1][count]) for s, h in zip(now, b.heads)]
            if any(s not in r[3] for s, r in zip(now, b.readouts)):
                return out
            count = look_up(
                net,
                b.post[0],
                ([] if b.pre else [count]) + [r[3].index(s) for s, r in zip(now, b.readouts)],
            )
        pairs = [(s, r[3]) for b, now in zip(net.blocks, states) for s, r in zip(now, b.readouts)]
        if any(s not in codes for s, codes in pairs):
            return out
        out.append([codes.index(s) for s, codes in pairs])
    return out


def look_up(net, gate, values):
    sizes, _, results = net.tables[gate[0]]
    entry = 0
    for size, value in zip(sizes, values):
        entry = entry * size + value
    return results[entry]


LINES = (
    ("counted", r"count \d+ codes(?: \d+)+"),
    ("words", r"words \d+ elements(?: \d+)*"),
    ("acts", r"element \d+ acts(?: \d+)+"),
    ("means", r"code \d+ means \d+"),
    ("steps", r"step \d+ \d+ to \d+"),
)


def read_certificate(text, fsa_text, net_text):
    lines = text.split("\n")
    need(len(lines) > 10 and lines[3] == "claim d1")
    sizes = re.fullmatch(wired_certificate.SIZE, lines[4])
    counts = re.fullmatch(
        r"letters (\d+) states (\d+) classes (\d+) clock (\d+) block (\d+) elements (\d+)", lines[5]
    )
    need(sizes and counts)
    c = D1()
    c.sizes = [integer(x) for x in sizes.groups()]
    c.letters, c.states, c.count, c.clock, c.block, c.elements = (
        integer(x) for x in counts.groups()
    )
    c.classes, c.end = [integer(x) for x in lines[6].split(" ")[1:]], integer(
        lines[-3].removeprefix("end ")
    )
    c.like = wired.ordinals(lines[7].removeprefix("like"))
    for name, pattern in LINES:
        found = [
            [int(x) for x in re.findall(r"\d+", line)]
            for line in lines[8:-3]
            if re.fullmatch(pattern, line)
        ]
        need(all(min(numbers[name in ("counted", "words") :], default=1) > 0 for numbers in found))
        setattr(c, name, found)
    c.counted, c.words = (
        [[x - 1 for x in numbers[1:]] for numbers in part] for part in (c.counted, c.words)
    )
    c.acts = [(i - 1, [x - 1 for x in does]) for i, *does in c.acts]
    c.means, c.steps = (
        [tuple(x - 1 for x in numbers) for numbers in part] for part in (c.means, c.steps)
    )
    need(c.text(fsa_text, net_text) == text, "not in canonical form")
    return c


# --- permutations: p goes to s[p]; words are products, first letter first ---


def times(s, t):
    return tuple(t[p] for p in s)


def moved(row, s):
    out = [None] * len(row)
    for p, value in enumerate(row):
        out[s[p]] = value
    return tuple(out)


def transposition(n, i, j):
    s = list(range(n))
    s[i], s[j] = j, i
    return tuple(s)


def transpositions(s):
    """Returns pairs of points whose product is s, cycle by cycle (D1.3)."""
    out, done = [], set()
    for p in range(len(s)):
        q = s[p]
        while p not in done and q != p:
            out.append((p, q))
            done.add(q)
            q = s[q]
    return out


def exchange(rng, i, j):
    """Returns the reflection that exchanges rows i and j of a state."""
    z = rng.choice((ONE, Fraction(-1), Fraction(3, 2)))
    return Fraction(2), {i: z, j: -z}, {}


# --- the clock (D1.5) ---


def clock(half, layers, factors, rng):
    """Returns (period, heads, initial states) of every layer, counting to 2 half; heads lack their
    slots' wires."""
    out, period = [], 1
    for l in range(layers):
        weight = half % 3 == 0 and l == (0 if factors > 1 else 1)
        made = []
        if not (weight and factors == 1 and half == 3):
            flip = Fraction(2), {0: rng.choice((ONE, Fraction(5, 4)))}, {}
            flips = [[ONE, [flip] if c == 0 else []] for c in range(period)]
            made.append((Head(1, 1, [[1, flips]]), {(0, 0): -ONE}))
        if weight and l == 0:
            made.append(
                (
                    Head(3, 1, [[1, [[ONE, [exchange(rng, 0, 1), exchange(rng, 0, 2)]]]]]),
                    {(2, 0): ONE},
                )
            )
        elif weight:
            made.append(
                (
                    Head(3, 1, [[1, [[ONE, [exchange(rng, c, c + 1)]] for c in range(2)]]]),
                    {(0, 0): ONE},
                )
            )
        period *= (2 if made[0][0].n == 1 else 1) * (3 if weight else 1)
        out.append((period, [h for h, _ in made], [s for _, s in made]))
    assert period == 2 * half
    return out


def clock_block(k, l, layer, before, tables, rng):
    """Returns codes and table of a layer, by running it for a period; `before` is the period of the
    one below."""
    period, heads, initial = layer
    b = Block([k] if l == 0 else [k, before], heads=heads, outputs=[0, 2 + len(heads)])
    if l == 0:  # any constant: the other transitions are never used
        b.pre.append(tables.gate(lambda: 1, 3, [], []))
        for h in heads:
            h.slots[0][1] = [[Fraction(1, 2), []], h.slots[0][1][0], [ONE, []]]
    states, codes, seen = list(initial), [[] for _ in heads], {}
    for t in range(period):
        value = 1 if l == 0 else t % before
        for i, h in enumerate(heads):
            states[i] = wired.apply(states[i], *h.slots[0][1][value])
            codes[i] += [states[i]] if states[i] not in codes[i] else []
        seen[(() if l == 0 else (value,)) + tuple(c.index(s) for c, s in zip(codes, states))] = t
    assert states == initial and len(seen) == period
    b.readouts = [[i, 0, h.n, c] for i, (h, c) in enumerate(zip(heads, codes))]
    b.post.append(
        tables.gate(
            lambda *x: seen.get(x, rng.randrange(period)),
            period,
            ([] if l == 0 else [before]) + [len(c) for c in codes],
            ([] if l == 0 else [1]) + list(range(2, 2 + len(heads))),
        )
    )
    return b


# --- the ring (D1.6) and the layer that applies (D1.7) ---


class Words:
    """Products of at most `half` letters: element[i], step[i, letter] where it is needed, and last,
    the products of `half` letters."""

    def __init__(self, images, half, rng):
        one = tuple(range(len(images[0])))
        levels, order = [{one}], [one]
        for _ in range(half):
            levels.append({times(s, a) for s in levels[-1] for a in images})
            order += [s for s in sorted(levels[-1]) if s not in order]
        rest = order[1:] + [None]  # None: an element that no word gives
        rng.shuffle(rest)
        self.element = [one, *rest]
        number = {s: i for i, s in enumerate(self.element)}
        self.step = {
            (number[s], w): number[times(s, a)]
            for level in levels[:-1]
            for s in level
            for w, a in enumerate(images)
        }
        self.last = sorted({number[s] for s in levels[-1]} | {0})


def portions_of(s, half, factors):
    """Returns `half` lists of at most `factors` transpositions (D1.3)."""
    all_of_it = transpositions(s)
    assert len(all_of_it) <= half * factors, "no block length"
    return [tuple(all_of_it[z * factors : (z + 1) * factors]) for z in range(half)]


def product_of(n, pairs):
    out = tuple(range(n))
    for i, j in pairs:
        out = times(out, transposition(n, i, j))
    return out


def ring_block(k, half, words, portion, rest, tables, rng):
    """Returns the ring's block; portion[i][z] and rest[i][z] are numbers, for the elements that
    blocks may give."""
    rows, count = 2 * half, len(words.element)
    b = Block([k, rows], pre=[tables.gate(lambda z, a: z * k + a, rows * k, [rows, k], [1, 0])])
    on = []
    for row, a in itertools.product(range(rows), range(k)):
        z = rng.choice((ONE, Fraction(-2), Fraction(7, 3)))
        on.append([ONE, [(ONE, {row: z}, {a: z})]])
    b.heads = [Head(rows, k, [[2, on]])]
    b.readouts = [[0, row, 1, [{}, *({(0, a): ONE} for a in range(k))]] for row in range(rows)]

    def post(function, values, sizes, wires):
        b.post.append(tables.gate(function, values, sizes, wires))
        return 2 + rows + len(b.post)

    def step(i, x):
        return i if x == 0 else words.step.get((i, x - 1), steps[i, x])

    steps = {(i, x): rng.randrange(count) for i in range(count) for x in range(k + 1)}
    before = [
        post(
            lambda z, x, j=j: x if (j < half) != (z < half) else 0, k + 1, [rows, k + 1], [1, 3 + j]
        )
        for j in range(rows)
    ]
    last = post(lambda x: step(0, x), count, [k + 1], [before[0]])
    for wire in before[1:]:
        last = post(step, count, [count, k + 1], [last, wire])
    now = [
        post(
            lambda z, x, j=j: x if (j < half) == (z < half) and j <= z else 0,
            k + 1,
            [rows, k + 1],
            [1, 3 + j],
        )
        for j in range(rows)
    ]
    for numbers in (portion, rest):
        values = 1 + max(v for of in numbers.values() for v in of)
        b.outputs.append(
            post(
                lambda i, z, of=numbers, v=values: of[i][z % half] if i in of else rng.randrange(v),
                values,
                [count, rows],
                [last, 1],
            )
        )
    b.outputs += now
    return b


def applying_block(k, q, rows_of, half, portions, rests, row, reached, tables, rng):
    """Returns the block that applies; the codes are the rows in `reached`, and states mean
    rows_of[state]."""
    n, codes = len(row), sorted(reached)
    rng.shuffle(codes)
    meaning = {r: state for state, r in enumerate(rows_of)}
    b = Block([len(portions), len(rests)] + [k + 1] * (2 * half))
    on = [[ONE, [exchange(rng, i, j) for i, j in pairs]] for pairs in portions]
    b.heads = [Head(n, 1, [[0, on]])]
    b.readouts = [[0, 0, n, [state_of(r) for r in codes]]]
    b.post.append(
        tables.gate(
            lambda c, r: meaning.get(moved(codes[c], rests[r]), rng.randrange(len(q.states))),
            len(q.states),
            [len(codes), len(rests)],
            [2 + 2 * half, 1],
        )
    )
    for j in range(2 * half):
        b.post.append(
            tables.gate(
                lambda s, x: q.next[s][x - 1] if x else s,
                len(q.states),
                [len(q.states), k + 1],
                [3 + 2 * half + j, 2 + j],
            )
        )
    return b


def state_of(row):
    return {(p, 0): Fraction(v) for p, v in enumerate(row) if v}


def d1(a, label, images, row, factors, half, layers, seed=1):
    """Returns (automaton, network, certificate). images: the letters' images of points; row: the
    numbers of the start on them."""
    rng, k, n, classes = random.Random(seed), len(a.letters), len(row), classes_of(a, label)
    certificate = D1()
    certificate.classes, certificate.count = classes, max(classes)
    net = network(a, label, [], [], [])
    q = certificate.quotient(net, a)
    rows_of = {q.start: tuple(row)}
    todo = [q.start]
    for s in todo:
        for w, image in enumerate(images):
            after = moved(rows_of[s], image)
            todo += [q.next[s][w]] if q.next[s][w] not in rows_of else []
            assert rows_of.setdefault(q.next[s][w], after) == after
    rows_of = [rows_of[s] for s in range(len(q.states))]
    assert len(set(rows_of)) == len(rows_of)
    words, tables = Words(images, half, rng), wired_certificate.Tables(k)
    of = {i: portions_of(words.element[i], half, factors) for i in words.last}
    portions = list(dict.fromkeys(p for z in of.values() for p in z))
    left = {i: [product_of(n, sum(p[z + 1 :], ())) for z in range(half)] for i, p in of.items()}
    rests = list(dict.fromkeys(r for z in left.values() for r in z))
    reached, todo = {tuple(row)}, [tuple(row)]
    for r in todo:  # rows at the ends of blocks
        for p in of.values():
            last = r
            for pairs in p:
                last = moved(last, product_of(n, pairs))
                reached.add(last)
            todo += [last] if last not in todo else []
    net.blocks, before = [], 1
    for l, layer in enumerate(clock(half, layers, factors, rng)):
        net.blocks.append(clock_block(k, l, layer, before, tables, rng))
        net.stages.append([l, layer[2]])
        before = layer[0]
    net.blocks.append(
        ring_block(
            k,
            half,
            words,
            {i: [portions.index(p) for p in z] for i, z in of.items()},
            {i: [rests.index(r) for r in z] for i, z in left.items()},
            tables,
            rng,
        )
    )
    net.blocks.append(
        applying_block(k, q, rows_of, half, portions, rests, row, reached, tables, rng)
    )
    net.blocks[-1].post.append(
        tables.gate(
            lambda s: net.labels.index(q.outputs[s]),
            len(net.labels),
            [len(q.states)],
            [3 + 4 * half],
        )
    )
    net.blocks[-1].outputs = [4 + 4 * half]
    net.tables, net.stages = tables.list, [
        *net.stages,
        [layers, [{}]],
        [layers + 1, [state_of(row)]],
    ]
    certificate.end, certificate.clock, certificate.block = certificate.count, layers, half
    certificate.elements = len(words.element)
    certificate.measure(net, a)
    certificate.derive(net, a)
    return a, net, certificate


# --- examples ---


def of_group(
    points, track, factors, half, layers, label="states", accept=None, row=None, seed=1, **images
):
    """Returns a network of the group's elements or, if `track` is a point, of this point."""
    a = group(points, track, **images)
    a.accept = accept
    row = row or (
        tuple(range(1, points + 1))
        if track is None
        else tuple(int(p == track) for p in range(points))
    )
    return d1(a, label, [tuple(image) for image in a.image], row, factors, half, layers, seed)


def parity():
    """The quotient of S3 by signs, on two points."""
    a = group(3, None, a="(1 2)", b="(1 2 3)", c="(2 3)")
    signs = [len(transpositions(tuple(triple.image_of(s, 3)))) % 2 for s in a.states]
    a.accept = {s for s, sign in enumerate(signs) if sign}
    return d1(a, "accept", [(1, 0), (0, 1), (1, 0)], (0, 5), 1, 1, 1, 2)


def lost():
    """A cycle of three states; three others are not reachable, and the start is not the first."""
    step = ((1, 0), (2, 4), (4, 1), (3, 3), (1, 2), (0, 3))
    a = edges(
        ["on", "back"], list("abcdef"), lambda q, w: step[q][w], start=2, outputs=list("uxyvzw")
    )
    return d1(a, "outputs", [(1, 2, 0), (2, 0, 1)], (1, 2, 3), 1, 2, 2, 3)


def nothing():
    """One state, one point, and letters that do nothing."""
    a = edges(["x", "y"], ["q"], lambda q, w: 0, accept=set())
    return d1(a, "accept", [(0,), (0,)], (1,), 1, 1, 1, 4)


GENERATORS = {"a": "(1 2)", "b": "(1 2 3)"}
ALL = {
    "s3, 1 factor": lambda: of_group(3, None, 1, 2, 2, **GENERATORS),
    "s3, 1 factor, blocks of 3": lambda: of_group(3, None, 1, 3, 2, seed=5, **GENERATORS),
    "s3, 2 factors": lambda: of_group(3, None, 2, 1, 1, seed=6, **GENERATORS),
    "s3, 2 factors, 2 layers": lambda: of_group(3, None, 2, 2, 2, seed=7, **GENERATORS),
    "a point of s3": lambda: of_group(3, 1, 1, 2, 2, seed=8, c="(1 3)", **GENERATORS),
    "parity": parity,
    "lost": lost,
    "nothing": nothing,
    "a point of s4": lambda: of_group(
        4, 0, 1, 3, 2, label="accept", accept={1, 2}, seed=9, a="(1 2)", b="(1 2 3 4)"
    ),
}
LARGE = {
    "s4, 2 factors": lambda: of_group(4, None, 2, 3, 1, seed=10, a="(1 2)", b="(1 2 3 4)"),
    "s4, 1 factor": lambda: of_group(4, None, 1, 3, 2, seed=11, a="(1 2)", b="(1 2 3 4)"),
}


def texts(a, net, certificate):
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    return fsa, lrnn, certificate.text(fsa, lrnn)
