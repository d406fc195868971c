"""Decides whether a certificate of a lower bound on the layers is right for an automaton: replays
of words for forks, bands and arcs, the rules of theory/pages/layers.md, FK.6 to FK.8, for tied
sets, with the band rule of one-layer.md, and of separation.md, SP.3 and SP.9, for chains of facts.

Simple and slow: maps are tuples, sets are frozensets. Indices count from 0 here and from 1 in the
files. is_right shares no code with the checkers."""

import itertools
from fractions import Fraction

import triple
from triple import Malformed, integer, need, rational

FIRST = {
    "fork": "lrnn-fork 1",
    "band": "lrnn-band 1",
    "arcs": "lrnn-arcs 1",
    "depth": "lrnn-depth 1",
    "separation": "lrnn-separation 1",
    "stack": "lrnn-stack 1",
}
MAX_WORK = 3_000_000  # products of maps, beyond which a certificate is too long to judge


class TooLong(Exception):
    """Raised where the judgement would take too long."""


class Machine:
    """The classes of the automaton's states, with their transitions."""

    def __init__(self, a, kind, class_of):
        self.a, self.kind = a, kind
        classes = max(class_of) + 1
        states = range(len(a.states))
        self.members = [[q for q in states if class_of[q] == c] for c in range(classes)]
        need(class_of[a.start] >= 0 and all(self.members), "a class without states")
        first = [m[0] for m in self.members]
        need(first == sorted(first), "order of the classes")
        self.start, self.letters = class_of[a.start], len(a.letters)
        self.next = [[class_of[a.next[m[0]][x]] for x in range(self.letters)] for m in self.members]
        for c, members in enumerate(self.members):
            for q in members:
                row = [class_of[r] for r in a.next[q]]
                need(row == self.next[c] and min(row) >= 0, "letters lead a class to two classes")
                need(self.shown(q) == self.shown(members[0]), "a class with two labels")
        reached, todo = {self.start}, [self.start]
        for c in todo:
            for d in self.next[c]:
                if d not in reached:
                    reached.add(d)
                    todo.append(d)
        need(len(reached) == classes, "a class that cannot be reached")

    def shown(self, q):
        """Returns the label of a state, or the outputs of its transitions."""
        return self.a.edge_outputs[q] if self.kind == "edges" else self.a.labels(self.kind)[q]

    def lead(self, c, word):
        for x in word:
            c = self.next[c][x]
        return c

    def apart(self, c, d, word):
        if self.kind == "edges":
            if not word:
                return False
            c, d, x = self.lead(c, word[:-1]), self.lead(d, word[:-1]), word[-1]
            return self.shown(self.members[c][0])[x] != self.shown(self.members[d][0])[x]
        c, d = self.lead(c, word), self.lead(d, word)
        return self.shown(self.members[c][0]) != self.shown(self.members[d][0])


class Lines:
    def __init__(self, text):
        need(text.endswith("\n") and len(text) > 1)
        self.line, self.at = text[:-1].split("\n"), 0

    def take(self, prefix):
        """Returns the words after the prefix on the next line."""
        need(self.at < len(self.line) and self.line[self.at].startswith(prefix), f"no `{prefix}`")
        rest = self.line[self.at][len(prefix) :]
        self.at += 1
        return rest

    def comes(self, prefix):
        return self.at < len(self.line) and self.line[self.at].startswith(prefix)


def numbers(text, least=0):
    """Returns the numbers of " 1 2 3"; none are the empty text."""
    need(not text or text[0] == " ")
    return [integer(n, least) for n in text.split(" ")[1:]]


def word_of(m, text):
    word = [x - 1 for x in numbers(text, 1)]
    need(all(x < m.letters for x in word), "a letter")
    return word


def classes_of(m, text):
    out = [c - 1 for c in numbers(text, 1)]
    need(all(c < len(m.members) for c in out), "a class")
    return out


def at_least(layers):
    return f"layers at least {layers}"


def fork(m, lines):
    s, p, q = need_three(classes_of(m, lines.take("fork")))
    need(m.lead(m.start, word_of(m, lines.take("reach"))) == s, "reach")
    for name, to in ("u", p), ("v", q):
        word = word_of(m, lines.take(name))
        need([m.lead(c, word) for c in (s, p, q)] == [to, p, q], name)
    need(m.apart(p, q, word_of(m, lines.take("apart"))), "apart")
    if lines.comes("still"):
        word = word_of(m, lines.take("still"))
        need(word and [m.lead(c, word) for c in (s, p, q)] == [s, p, q], "still")
        return at_least(2), " windows"
    return at_least(2), ""


def band(m, lines):
    states = classes_of(m, lines.take("band"))
    need(len(states) == 6, "six classes")
    s, p, r, t, q, z = states
    need(m.lead(m.start, word_of(m, lines.take("reach"))) == s, "reach")
    u = word_of(m, lines.take("u"))
    need([m.lead(c, u) for c in states] == [p, p, t, t, z, z], "u")
    v = word_of(m, lines.take("v"))
    need([m.lead(c, v) for c in (s, p, r, q)] == [q, r, r, q], "v")
    need(m.apart(t, z, word_of(m, lines.take("apart"))), "apart")
    return at_least(2) + " finite", ""


def need_three(values):
    need(len(values) == 3, "three classes")
    return values


def arcs(m, lines):
    states = classes_of(m, lines.take("states"))
    n = len(states)
    need(n >= 3 and all(x < y for x, y in zip(states, states[1:])), "increasing states")

    def arc(i, j):
        word = word_of(m, lines.take(f"arc {i + 1} {j + 1}"))
        to = [states[j] if c == i else states[c] for c in range(n)]
        need(word and [m.lead(c, word) for c in states] == to, "an arc")

    joined = {0}
    for _ in range(n - 1):
        need(lines.comes("arc "))
        ends = lines.line[lines.at].split(" ")[1:3]
        need(len(ends) == 2)
        i, j = (integer(e, 1) - 1 for e in ends)
        need(i < n and j in joined and i not in joined, "an edge to a new place")
        joined.add(i)
        arc(i, j)
        arc(j, i)
    for i, j in itertools.combinations(range(n), 2):
        word = word_of(m, lines.take(f"apart {i + 1} {j + 1}"))
        need(m.apart(states[i], states[j], word), "apart")
    windows = lines.comes("still")
    if windows:
        word = word_of(m, lines.take("still"))
        need(word and [m.lead(c, word) for c in states] == states, "still")
    return at_least(n - 1), f" arcs {n}" + (" windows" if windows else "")


class Stage:
    """States (classes, increasing) and the maps of them; None: what words make. A map lists the
    images of the states, which are classes."""

    work = 0

    def __init__(self, states, maps=None):
        self.states, self.maps, self.sets = states, maps, []
        self.place = {c: i for i, c in enumerate(states)}

    def times(self, x, y):
        Stage.work += len(x) * len(y)
        if Stage.work > MAX_WORK:
            raise TooLong
        return frozenset(tuple(g[self.place[c]] for c in f) for f in x for g in y)

    def power(self, x):
        p = x
        while self.times(p, p) != p:
            p = self.times(p, x)
        return p

    def fork(self, x, y):
        p = self.power(y)
        f = self.power(self.times(x, p))
        return f | self.times(p, f)

    def band(self, x, y):
        e, f = self.power(x), self.power(y)
        fe = self.times(f, e)
        return fe | self.times(e, fe)

    def descend(self, c, strict=True):
        """Returns the next stage; unless `strict`, from a class that need not be led to, as a wrong
        certificate would have it."""
        need(self.sets and c in self.place, "a class of the stage")
        p = self.power(self.sets[-1])
        need(not strict or any(c in f for f in p), "a class that the power leads to")
        to = sorted({c} | {f[self.place[c]] for f in p})
        return Stage(to, {tuple(f[self.place[d]] for d in to) for f in p})


def read_set(m, stage, lines):
    rest = lines.take(f"set {len(stage.sets) + 1} ")
    if rest.startswith("word") and stage.maps is None:
        word = word_of(m, rest[4:])
        need(word, "an empty word")
        return frozenset([tuple(m.lead(c, word) for c in stage.states)])
    if rest.startswith("images") and stage.maps is not None:
        image = tuple(classes_of(m, rest[6:]))
        need(image in stage.maps, "a map of the stage")
        return frozenset([image])
    rule = rest.split(" ")[0]
    need(rule in ("product", "fork", "band"))
    parents = numbers(rest[len(rule) :], 1)
    need(len(parents) == 2 and max(parents) <= len(stage.sets), "earlier sets")
    x, y = (stage.sets[i - 1] for i in parents)
    return {"product": stage.times, "fork": stage.fork, "band": stage.band}[rule](x, y)


def depth(m, lines):
    layers = integer(lines.take("layers "), 1)
    stage, descents, sets = Stage(list(range(len(m.members)))), 0, 0
    finite, Stage.work = "", 0
    while not lines.comes("one ") and not lines.comes("two "):
        if lines.comes("descend "):
            stage = stage.descend(integer(lines.take("descend "), 1) - 1)
            descents += 1
        else:
            finite = " finite" if lines.comes(f"set {len(stage.sets) + 1} band") else finite
            stage.sets.append(read_set(m, stage, lines))
            sets += 1
    two = lines.comes("two ")
    head, found, tail = lines.take("two" if two else "one").partition(" apart")
    ends, word = classes_of(m, head), word_of(m, tail)
    need(found and len(ends) == (3 if two else 1) and word and stage.sets, "the end")
    need(set(ends) <= set(stage.states), "classes of the stage")
    images = [f[stage.place[ends[0]]] for f in stage.sets[-1]]
    if two:
        need(ends[1] in images and ends[2] in images, "images")
        p, q = ends[1:]
    else:
        need(len(images) == 1, "a single map")
        p, q = ends[0], images[0]
    need(m.apart(p, q, word), "apart")
    need(layers == descents + (2 if two else 1), "the number of layers")
    return at_least(layers) + finite, f" sets {sets}"


class Space:
    """A space of vectors: rows [pivot, vector], 1 at the pivot and 0 there in later rows."""

    def __init__(self):
        self.rows = []

    def reduced(self, v):
        for pivot, row in self.rows:
            v = [x - v[pivot] * y for x, y in zip(v, row)] if v[pivot] else v
        return v

    def learn(self, v):
        v = self.reduced(v)
        pivot = next((i for i, x in enumerate(v) if x), None)
        if pivot is None:
            return False
        self.rows.append((pivot, [x / v[pivot] for x in v]))
        return True


def push(m, x, v):
    out = [Fraction(0)] * len(v)
    for c, value in enumerate(v):
        out[m.next[c][x]] += value
    return out


def vector_of(m, text):
    v, least = [Fraction(0)] * len(m.members), 0
    need(not text or text[0] == " ")
    for item in text.split(" ")[1:]:
        i, value = item.split(":")
        at = integer(i, 1) - 1
        need(least <= at < len(v), "increasing classes")
        v[at], least = rational(value), at + 1
        need(v[at] != 0, "an entry 0")
    need(sum(v) == 0, "the sum of the entries")
    return v


def read_term(m, lines, known):
    """Returns (z, y, letter or None, whether z is learnt), times the factor of a square."""
    word, _, rest = lines.take("").partition(" ")
    need(word in ("form", "letter", "known", "slack"), "a term")
    letter, rest = None, f" {rest}" if rest else ""
    if word in ("letter", "slack"):
        number, _, rest = rest[1:].partition(" ")
        letter, rest = integer(number, 1) - 1, f" {rest}" if rest else ""
        need(letter < m.letters, "a letter")
    if word in ("form", "letter"):
        factor, _, rest = rest[1:].partition(" ")
        need(rational(factor) > 0, "a positive factor")
        z = vector_of(m, f" {rest}" if rest else "")
        return z, [rational(factor) * x for x in z], letter, True
    z = vector_of(m, rest)
    need(not any(known[0 if letter is None else 1 + letter].reduced(z)), "a known vector")
    return z, vector_of(m, lines.take("with")), letter, False


def read_step(m, lines, known):
    """Checks a step: the terms sum to 0 for every symmetric form, as a matrix."""
    n = len(m.members)
    total, found = [[Fraction(0)] * n for _ in range(n)], []
    need(lines.take("step") == "", "a step")
    while not lines.comes("step") and not lines.comes("end"):
        z, y, letter, learnt = read_term(m, lines, known)
        parts = [(1, z, y)]
        if letter is not None:
            parts.append((-1, push(m, letter, z), push(m, letter, y)))
        for sign, u, v in parts:
            for i, j in itertools.product(range(n), repeat=2):
                total[i][j] += sign * (u[i] * v[j] + u[j] * v[i])
        if learnt:
            found.append((0 if letter is None else 1 + letter, z))
    need(not any(map(any, total)), "the sum of a step")
    for space, z in found:
        known[space].learn(z)
    todo = [row for _, row in known[0].rows]
    for row in todo:
        for x in range(m.letters):
            known[1 + x].learn(row)
            image = push(m, x, row)
            if known[0].learn(image):
                todo.append(image)


def separation(m, lines):
    pair = classes_of(m, lines.take("pair"))
    need(len(pair) == 2, "two classes")
    word = word_of(m, lines.take("apart"))
    need(word and m.apart(*pair, word), "apart, after a letter or more")
    known, steps = [Space() for _ in range(1 + m.letters)], 0
    while steps == 0 or lines.comes("step"):
        read_step(m, lines, known)
        steps += 1
    ends = [Fraction((c == pair[0]) - (c == pair[1])) for c in range(len(m.members))]
    need(not any(known[0].reduced(ends)), "equal codes")
    head = f"one-layer-one-code infeasible pair {pair[0] + 1} {pair[1] + 1} steps {steps}"
    return head, " decoder before-letter-after covers open"


def read_letters(m, lines, slots):
    """Returns for each letter what each slot reads: a slot, or slots for 0, slots + 1 for 1."""
    reads = []
    for _ in range(m.letters):
        row = [x - 1 for x in numbers(lines.take("letter"), 1)]
        need(len(row) == slots and max(row) < slots + 2, "sources of slots")
        moved = [x for x in row if x < slots]
        need(len(set(moved)) == len(moved), "a slot that is read twice")
        reads.append(row)
    return reads


def device_of(reads, initial, size):
    """Returns the transitions of the contents, by a breadth-first search."""
    number, todo, rows = {tuple(initial): 0}, [tuple(initial)], []
    for content in todo:
        rows.append([])
        for row in reads:
            to = tuple(content[x] if x < len(content) else x - len(content) for x in row)
            if to not in number:
                need(len(number) < size, "the number of contents")
                number[to] = len(number)
                todo.append(to)
            rows[-1].append(number[to])
    need(len(rows) == size, "the number of contents")
    return rows


def possible_states(device, above, start):
    """Returns for each state of the device the states that the automaton above may be in."""
    met = {(0, start)}
    todo = list(met)
    for v, q in todo:
        for to in zip(device[v], above[q]):
            if to not in met:
                met.add(to)
                todo.append(to)
    return [sorted(q for u, q in met if u == v) for v in range(len(device))]


def loops_at(device, above, edges, v, states):
    """Returns the maps of the states that loops make whose permutations have the product 1."""
    one = tuple(range(len(edges[0][0])))
    found, met, todo = set(), set(), [(v, one, tuple(states))]
    for u, points, image in todo:
        if len(todo) > 100_000:
            raise TooLong
        for x, after in enumerate(device[u]):
            to = (
                after,
                tuple(edges[u][x][p] for p in points),
                tuple(above[q][x] for q in image),
            )
            if to[:2] == (v, one):
                found.add(to[2])
            if to not in met:
                met.add(to)
                todo.append(to)
    return [dict(zip(states, image)) for image in found]


def one_more_layer(device, edges, above, start):
    """One layer above the device tracks the automaton above."""
    for v, states in enumerate(possible_states(device, above, start)):
        maps = loops_at(device, above, edges, v, states)
        for e, f in itertools.product(maps, repeat=2):
            need(all(e[e[q]] == e[q] and e[f[e[q]]] == e[f[q]] for q in states), "a loop")


def read_sizes(lines):
    words = lines.take("device ").split(" ")
    need(len(words) == 3 and words[1] == "points", "the size of the device")
    size, degree = integer(words[0], 1), integer(words[2], 1)
    need(degree <= 24, "points")
    if size > 3000:
        raise TooLong
    return size, degree


def read_device_edges(m, lines, size, degree):
    edges = []
    for _ in range(size):
        rows = [[p - 1 for p in numbers(lines.take("edges"), 1)] for _ in range(m.letters)]
        need(all(sorted(row) == list(range(degree)) for row in rows), "permutations")
        edges.append(rows)
    return edges


def tracked_device(m, lines):
    """Returns an automaton that layers track, whose states are numbered by a search, and the points
    of the layer above it."""
    size, degree = read_sizes(lines)
    need(size <= 255, "the size of a device")
    device = [[q - 1 for q in numbers(lines.take("next"), 1)] for _ in range(size)]
    need(all(len(row) == m.letters and max(row) < size for row in device), "transitions")
    order = [0]
    for q in order:
        order += [to for to in dict.fromkeys(device[q]) if to not in order]
    need(order == list(range(size)), "the order of a search")
    return device, degree


def stack(m, lines):
    slots = integer(lines.take("slots "), 1)
    initial = numbers(lines.take("initial"))
    need(slots <= 64 and len(initial) == slots and max(initial) <= 2, "contents")
    reads = read_letters(m, lines, slots)
    size, degree = read_sizes(lines)
    device, layers = device_of(reads, initial, size), 2
    edges = read_device_edges(m, lines, size, degree)
    while lines.comes("device "):
        above, degree = tracked_device(m, lines)
        one_more_layer(device, edges, above, 0)
        device, layers = above, layers + 1
        edges = read_device_edges(m, lines, len(device), degree)
    one_more_layer(device, edges, m.next, m.start)
    return f"layers at most {layers} finite", ""


JUDGES = {
    "fork": fork,
    "band": band,
    "arcs": arcs,
    "depth": depth,
    "separation": separation,
    "stack": stack,
}


def verdict_of(kind, text, fsa_text):
    """Returns the line that the checker prints for a right certificate; raises Malformed for a
    wrong one."""
    try:
        a = triple.read_automaton(fsa_text)
        lines = Lines(text)
        lines.take(FIRST[kind])
        need(lines.line[0] == FIRST[kind], "the first line")
        need(lines.take("fsa ") == triple.sha256(fsa_text), "the hash")
        label = lines.take("label ")
        need(label in ("states", "outputs", "accept", "edges") and a.has_labels(label), "the label")
        class_of = [c - 1 for c in numbers(lines.take("classes"))]
        need(len(class_of) == len(a.states) and max(class_of) >= 0, "the classes")
        m = Machine(a, label, class_of)
        head, tail = JUDGES[kind](m, lines)
        need(lines.take("end") == "" and lines.at == len(lines.line), "the end")
    except (IndexError, KeyError, ValueError) as error:
        raise Malformed(str(error)) from None
    return (
        f"s VERIFIED {head} label {label} letters {m.letters} "
        f"states {len(a.states)} classes {len(m.members)}{tail} fsa {triple.sha256(fsa_text)}\n"
    )
