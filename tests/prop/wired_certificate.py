"""Certificates of wired networks as Python data, their judge, and the rule form
(theory/pages/zeiger.md, Z.3)."""

import itertools
import re
from fractions import Fraction

import triple
from triple import integer, need, sha256
from wired import (
    Block,
    Head,
    Run,
    Wired,
    apply,
    class_error,
    close,
    indices,
    numbers,
    ordinals,
    read_network,
)

# --- certificates ---

SIZE = r"size layers (\d+) heads (\d+) householders (\d+) key (\d+) value (\d+)"


def body_of(c, fsa_text, net_text, claim, lines):
    out = [
        "lrnn-certificate 2",
        f"fsa {sha256(fsa_text)}",
        f"network {sha256(net_text)}",
        f"claim {claim}",
        "size layers {} heads {} householders {} key {} value {}".format(*c.sizes),
        *lines,
        f"end {c.end}",
    ]
    body = "\n".join(out) + "\n"
    return body + f"sha256 {sha256(body)}\n"


class Exact:
    """Data as in triple_judge.Certificate; the codes belong to all readouts, of which there may be
    none."""

    def text(self, fsa_text, net_text):
        lines = [f"letters {self.letters} states {self.states} rows {self.count}"]
        lines += [
            f"row {i + 1} state {q + 1} codes{indices(codes)} next{indices(following)}"
            for i, (q, codes, following) in enumerate(self.rows)
        ]
        return body_of(self, fsa_text, net_text, "exact", lines)

    def holds(self, net, a):
        """Returns whether the table has the reachable pairs with every edge right, for a network of
        the class."""
        rows, run, a = self.rows, Run(net), net.over(a)
        if a is None or (
            (tuple(self.sizes), self.letters, self.states, self.count, self.end)
            != (net.sizes(), len(a.letters), len(a.states), len(rows), len(rows))
            or not rows
        ):
            return False
        places = [len(codes) for b in net.used() for *_, codes in b.readouts]
        if any(
            q >= len(a.states)
            or len(codes) != len(places)
            or any(c >= n for c, n in zip(codes, places))
            or len(following) != len(a.letters)
            or max(following) >= len(rows)
            for q, codes, following in rows
        ):
            return False
        return net.starts_right(a) and triple.edges_hold(rows, run, a, net)


class Form:
    """claim zeiger: sizes, letters, states, count (of classes), classes [of every state, from 1, or
    0], like [a state of every class], sources [for every class the (class, letter) that lead to
    it], end."""

    def text(self, fsa_text, net_text):
        lines = [
            f"letters {self.letters} states {self.states} classes {self.count}",
            f"class{numbers(self.classes)}",
            f"like{indices(self.like)}",
        ]
        lines += [
            f"from {y + 1}" + "".join(f" {x + 1}.{w + 1}" for x, w in of)
            for y, of in enumerate(self.sources)
        ]
        return body_of(self, fsa_text, net_text, "zeiger", lines)

    def measure(self, net, a):
        """Sets the figures of the network and the automaton."""
        self.sizes, self.letters, self.states = (
            list(self.proper_sizes(net)),
            net.kinds(),
            len(a.states),
        )

    def proper_sizes(self, net):
        layers, heads, _, key, value = net.sizes()
        return layers, heads, 4 * self.count, key, value

    def derive(self, net, a):
        """Sets the lines that follow from the classes; values that it does not find stay, and all
        stay where the three do not fit."""
        if not self.fits(net, a):
            return
        self.like = [
            self.classes.index(c) if c in self.classes else 0 for c in range(1, self.count + 1)
        ]
        q = self.quotient(net, a)
        if q is not None:
            self.sources = sources_of(q)

    def fits(self, net, a):
        return len(self.classes) == len(a.states) and class_error(net, a) is None

    def of_classes(self):
        """Returns whether `like` has a state of each class."""
        return len(self.like) == self.count and all(
            q < len(self.classes) and self.classes[q] == c + 1 for c, q in enumerate(self.like)
        )

    def quotient(self, net, a):
        """Returns the automaton on the classes of states, named by their states, over the letters
        of the network, or None. Its outputs are the labels of states, or with label edges lists
        of the outputs by each letter."""
        a = net.over(a)
        if a is None:
            return None
        labels = a.edge_outputs if net.label == "edges" else a.labels(net.label)
        q = triple.Automaton()
        if self.classes[a.start] == 0 or {c for c in self.classes if c} != set(
            range(1, self.count + 1)
        ):
            return None
        q.letters, q.states, q.start = (
            a.letters,
            [str(c) for c in range(1, self.count + 1)],
            self.classes[a.start] - 1,
        )
        q.next, q.outputs = [[None] * len(a.letters) for _ in q.states], [None] * self.count
        for s, c in enumerate(self.classes):
            if c == 0:
                continue
            after = [self.classes[t] - 1 for t in a.next[s]]
            if (
                min(after) < 0
                or q.outputs[c - 1] not in (None, labels[s])
                or q.next[c - 1] not in ([None] * len(after), after)
            ):
                return None
            q.next[c - 1], q.outputs[c - 1] = after, labels[s]
        return q

    def holds(self, net, a):
        """Returns whether the classes give a quotient, and the network, of the class, is its rule
        form by meaning."""
        if (tuple(self.sizes), self.letters, self.states, self.end) != (
            self.proper_sizes(net),
            net.kinds(),
            len(a.states),
            self.count,
        ) or len(self.classes) != len(a.states):
            return False
        q = (
            self.quotient(net, a)
            if 2 <= self.count <= len(a.states) and self.of_classes()
            else None
        )
        return (
            q is not None
            and self.sources == sources_of(q)
            and (net.label == "edges" or net.labels[net.start] == q.outputs[q.start])
            and same_meaning(net, rule_form(q), q)
        )


def sources_of(q):
    """Returns for every state the states from which some letter leads to it, each with the first
    such letter."""
    return [
        [(x, after.index(y)) for x, after in enumerate(q.next) if y in after]
        for y in range(len(q.states))
    ]


def exact_of(net, a, rows):
    c = Exact()
    c.sizes, c.letters, c.states = list(net.sizes()), net.kinds(), len(a.states)
    c.rows, c.count, c.end = rows, len(rows), len(rows)
    return c


def form_of(net, a, classes):
    c = Form()
    c.classes, c.count, c.end = list(classes), max(classes), max(classes)
    c.like, c.sources = [0] * c.count, [[] for _ in range(c.count)]
    c.measure(net, a)
    c.derive(net, a)
    return c


def read_certificate(text, fsa_text, net_text):
    lines = text.split("\n")
    need(len(lines) > 8)
    claim, sizes = re.fullmatch("claim (exact|zeiger)", lines[3]), re.fullmatch(SIZE, lines[4])
    counts = re.fullmatch(r"letters (\d+) states (\d+) (rows|classes) (\d+)", lines[5])
    need(claim and sizes and counts)
    c = Exact() if claim[1] == "exact" else Form()
    c.sizes = [integer(x) for x in sizes.groups()]
    c.letters, c.states, c.count = integer(counts[1]), integer(counts[2]), integer(counts[4])
    c.end = integer(lines[-3].removeprefix("end "))
    if claim[1] == "zeiger":
        c.classes, c.like = [integer(x) for x in lines[6].split(" ")[1:]], ordinals(
            lines[7].removeprefix("like")
        )
        c.sources = [
            [tuple(integer(i, 1) - 1 for i in pair.split(".")) for pair in line.split(" ")[2:]]
            for line in lines[8:-3]
        ]
        need(all(len(pair) == 2 for of in c.sources for pair in of))
    else:
        found = [
            re.fullmatch(r"row \d+ state (\d+) codes([ \d]*) next([ \d]+)", line)
            for line in lines[6:-3]
        ]
        need(all(found))
        c.rows = [[integer(m[1], 1) - 1, ordinals(m[2]), ordinals(m[3])] for m in found]
    need(c.text(fsa_text, net_text) == text, "not in canonical form")
    return c


def should_verify(fsa_text, net_text, cert_text):
    """Returns (network right for the automaton, certificate right), each from the texts alone."""
    try:
        a = triple.read_automaton(fsa_text)
        net, named = read_network(net_text)
        need(named == sha256(fsa_text), "another automaton")
        need(class_error(net, a) is None, "not of the class")
        right = close(net, a) is not None
    except triple.Malformed:
        return False, False
    try:
        return right, read_certificate(cert_text, fsa_text, net_text).holds(net, a)
    except triple.Malformed:
        return right, False


# --- the rule form (theory/pages/zeiger.md, Z.3) ---


class Tables:
    """Tables of functions; equal ones are shared, and numbered by first use."""

    def __init__(self, k):
        self.k, self.list = k, []

    def gate(self, function, values, sizes, wires):
        results = [int(function(*x)) for x in itertools.product(*(range(n) for n in sizes))]
        table = [list(sizes), values, results]
        if table not in self.list:
            self.list.append(table)
        return [self.list.index(table), list(wires)]


def swap(*rows):
    one = Fraction(1)
    return Fraction(2), {r: one if i < 2 else -one for i, r in enumerate(sorted(rows))}, {}


def becomes(row, value):
    return Fraction(1), {row: Fraction(1)}, {0: Fraction(1)} if value else {}


def listed(outputs):
    """Returns whether the outputs of states are lists, of the outputs by each letter."""
    return isinstance(outputs[0], list)


def all_outputs(outputs):
    return list(dict.fromkeys(sum(outputs, []) if listed(outputs) else outputs))


def chain_of_states(numbers, bit):
    """Returns (here, sizes, wires) of each gate of the chain of a bit, where `here` says of these
    wires whether the new state's label has the bit (Z.3)."""
    n = len(numbers)
    return [(bool, [2], [1 + n + y]) for y, number in enumerate(numbers) if number >> bit & 1]


def chain_of_outputs(numbers, bit):
    """Returns the same for the output of the old state's transition by the letter (Z.10)."""
    gates = []
    for x, row in enumerate(numbers):
        has = [number >> bit & 1 for number in row]
        if any(has):
            gates.append((lambda a, old, has=has: old and has[a], [len(row), 2], [0, 1 + x]))
    return gates


def leave_gates(outputs, labels):
    """Returns (function, values, sizes, wires) of the gates of the last block: the bits of the
    number of the label, the lowest first, then the label."""
    n, gates, bit_wires = len(outputs), [], []
    number_of = {label: i for i, label in enumerate(labels)}
    by_letter = listed(outputs)
    numbers = [[number_of[o] for o in row] if by_letter else number_of[row] for row in outputs]
    for bit in range((len(labels) - 1).bit_length()):
        chain = (chain_of_outputs if by_letter else chain_of_states)(numbers, bit)
        first, last = len(gates), lambda: 2 * n + len(gates)
        if not chain:
            gates.append((lambda: 0, 2, [], []))
        for here, sizes, wires in chain:
            if len(gates) == first:
                gates.append((here, 2, sizes, wires))
            else:

                def either(acc, *rest, here=here):
                    return acc or here(*rest)

                gates.append((either, 2, [2, *sizes], [last(), *wires]))
        bit_wires.insert(0, last())
    whole = [2] * len(bit_wires)
    gates.append((lambda *bits: label_at(bits, labels), len(labels), whole, bit_wires))
    return gates


def label_at(bits, labels):
    number = int("0" + "".join(map(str, bits)), 2)
    return number if number < len(labels) else 0


def rule_form(q, key=1):
    """Returns the form of an automaton with outputs; `key` scales the keys and values of its
    factors."""
    n, k, labels = len(q.states), len(q.letters), all_outputs(q.outputs)
    tables, bits = Tables(k), [2] * (2 * n)
    enter = Block(
        [k], [tables.gate(lambda: 1, 2, [], []) for _ in bits], outputs=[0, *range(1, 2 * n + 1)]
    )
    level = level_block(q, tables, n, k, Fraction(key))
    leave = Block([k, *bits])
    leave.pre = [tables.gate(*gate) for gate in leave_gates(q.outputs, labels)]
    leave.outputs = [2 * n + len(leave.pre)]
    net = Wired()
    net.label, net.letters, net.labels, net.start = (
        "edges" if listed(q.outputs) else "outputs",
        list(q.letters),
        labels,
        None if listed(q.outputs) else labels.index(q.outputs[q.start]),
    )
    net.tables, net.blocks = tables.list, [enter, level, leave]
    removed = [c for c in range(n) if c != q.start]
    net.stages = [
        [0, []],
        *([1, [{(2 * c, 0): Fraction(1), (2 * c + 1, 0): Fraction(1)}]] for c in removed),
        [2, []],
    ]
    return net


def level_block(q, tables, n, k, key):
    b = Block([k] + [2] * (2 * n))
    old, new = range(1, n + 1), range(n + 1, 2 * n + 1)

    def pre(function, values, sizes, wires):
        b.pre.append(tables.gate(function, values, sizes, wires))
        return 2 * n + len(b.pre)

    image = []
    for y in range(n):
        wire = None
        for x in range(n):
            hits = [q.next[x][a] == y for a in range(k)]
            if any(hits) and wire is None:
                wire = pre(lambda a, bit, hits=hits: bit and hits[a], 2, [k, 2], [0, old[x]])
            elif any(hits):
                wire = pre(
                    lambda acc, a, bit, hits=hits: acc or bit and hits[a],
                    2,
                    [2, k, 2],
                    [wire, 0, old[x]],
                )
        image.append(pre(lambda: 0, 2, [], []) if wire is None else wire)
    reset, first = None, []
    for y in range(n):
        if y == 0:
            first.append(pre(lambda bit, i: bit and not i, 2, [2, 2], [new[0], image[0]]))
            reset = pre(lambda bit, i: bit and not i, 2, [2, 2], [new[0], image[0]])
        else:
            wires = [reset, new[y], image[y]]
            first.append(pre(lambda f, bit, i: not f and bit and not i, 2, [2, 2, 2], wires))
            reset = pre(lambda f, bit, i: f or bit and not i, 2, [2, 2, 2], wires)
    act = [
        pre(
            lambda f, a, bit, r: k + 1 + r if f else 1 + a if bit else 0,
            k + 3,
            [2, k, 2, 2],
            [reset, 0, old[x], first[x]],
        )
        for x in range(n)
    ]

    def copies(x):
        return 2 * x, 2 * x + 1

    def does(*factors):
        return [
            Fraction(1),
            [
                (beta, {i: key * v for i, v in u.items()}, {i: key * v for i, v in c.items()})
                for beta, u, c in factors
            ],
        ]

    slots = [
        [
            reset,
            [does(*(becomes(r, 0) for r in copies(n + x))), does(swap(*copies(x), *copies(n + x)))],
        ]
        for x in range(n)
    ]
    slots += [
        [
            act[x],
            [
                does(),
                *(does(swap(*copies(x), *copies(n + q.next[x][a]))) for a in range(k)),
                does(*(becomes(r, 0) for r in copies(x))),
                does(*(becomes(r, 1) for r in copies(x))),
            ],
        ]
        for x in range(n)
    ]
    slots += [[reset, [does(swap(*copies(y), *copies(n + y))), does()]] for y in range(n)]
    b.heads = [Head(4 * n, 1, slots)]
    one = {(0, 0): Fraction(1), (1, 0): Fraction(1)}
    b.readouts = [[0, 2 * r, 2, [{}, dict(one)]] for r in range(2 * n)]
    current = 2 * n + 1 + len(b.pre)
    saved = current + n

    def post(function, sizes, wires):
        b.post.append(tables.gate(function, 2, sizes, wires))
        return saved + n - 1 + len(b.post)

    moved = []
    for x in range(n):
        wire = post(lambda a, bit: bit and a == 0, [k, 2], [0, current + q.next[x][0]])
        for j in range(1, k):
            wire = post(
                lambda acc, a, bit, j=j: acc or bit and a == j,
                [2, k, 2],
                [wire, 0, current + q.next[x][j]],
            )
        moved.append(wire)
    b.outputs = [
        0,
        *(
            post(
                lambda bit, f, v, s: bit and not (s if f else v),
                [2] * 4,
                [old[x], reset, moved[x], saved + x],
            )
            for x in range(n)
        ),
        *(post(lambda bit, c: bit and not c, [2, 2], [new[y], current + y]) for y in range(n)),
    ]
    return b


def same_meaning(net, form, q):
    """Returns whether the network is the form, up to sharing and numbers of tables, names of labels
    and the spelling of factors."""

    def tables(net, part):
        listed = net.list if isinstance(net, Tables) else net.tables
        return [(listed[t], wires) for t, wires in part]

    if len(net.blocks) != 3 or [b for b, _ in net.stages] != [b for b, _ in form.stages]:
        return False
    if [s for _, s in net.stages] != [s for _, s in form.stages]:
        return False
    for i, (b, c) in enumerate(zip(net.blocks, form.blocks)):
        shape = [
            (b.inputs, b.readouts, tables(net, b.post), len(b.heads))
            for b, net in ((b, net), (c, form))
        ]
        if shape[0] != shape[1]:
            return False
        if i < 2 and (b.outputs, tables(net, b.pre)) != (c.outputs, tables(form, c.pre)):
            return False
    if not set(all_outputs(q.outputs)) <= set(net.labels):
        return False
    own = Tables(len(q.letters))
    gates = [own.gate(*gate) for gate in leave_gates(q.outputs, net.labels)]
    if tables(net, net.blocks[2].pre) != tables(own, gates):
        return False
    if net.blocks[2].outputs != [2 * len(q.states) + len(gates)]:
        return False
    h, g = net.blocks[1].heads[0], form.blocks[1].heads[0]
    return (h.n, h.d, [w for w, _ in h.slots]) == (g.n, g.d, [w for w, _ in g.slots]) and all(
        same_action(one, two, pair)
        for j, ((_, on), (_, of)) in enumerate(zip(h.slots, g.slots))
        for one, two, pair in zip(on, of, pairs_of(q, j, len(on)))
    )


def pairs_of(q, slot, values):
    """Returns for every value of the slot's wire the two copies that it may change."""
    n, k = len(q.states), len(q.letters)
    part, x = divmod(slot, n)
    return [(x, n + (q.next[x][v - 1] if part == 1 and 1 <= v <= k else x)) for v in range(values)]


def same_action(one, two, pair):
    """Returns whether the transition acts as the form's, with no more factors, so that no token
    takes more than 4N (Z.7)."""
    rows = [2 * p + i for p in pair for i in range(2)]
    if (
        one[0] != 1
        or len(one[1]) > len(two[1])
        or any(i not in rows for _, u, _ in one[1] for i in u)
    ):
        return False
    for bits in itertools.product(range(2), repeat=2):
        state = {
            (r, 0): Fraction(1) for r, bit in zip(rows, (bits[0], bits[0], bits[1], bits[1])) if bit
        }
        if apply(state, *one) != apply(state, *two):
            return False
    return True
