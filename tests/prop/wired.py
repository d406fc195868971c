"""Wired networks and their certificates as Python data: reader, writer, class, replay and closure, and the rule form.

As triple.py: fractions, states as {(row, column): value} without zeros, indices from 0 here and from 1 in the files.
"""
import itertools
import re
from fractions import Fraction

import triple
from triple import distinct, entries, integer, name_of, need, rational, read_vector, sha256, spell, state_text


class Block:
    """inputs [sizes], pre [(table, wires)], heads, readouts [(head, row, rows, codes)], post, outputs [wires]."""

    def __init__(self, inputs, pre=(), heads=(), readouts=(), post=(), outputs=()):
        self.inputs, self.pre, self.heads = list(inputs), [list(g) for g in pre], list(heads)
        self.readouts, self.post, self.outputs = [list(r) for r in readouts], [list(g) for g in post], list(outputs)


class Head:
    """n, d, slots [[wire, [[gate, factors] for every value]]]; a factor is (beta, u, c)."""

    def __init__(self, n, d, slots):
        self.n, self.d, self.slots = n, d, [[wire, [list(t) for t in on]] for wire, on in slots]


def apply(state, gate, factors):
    s = {k: v * gate for k, v in state.items()}
    for beta, u, c in factors:
        ratio = beta / sum(x * x for x in u.values())
        for j in {j for _, j in s} | set(c):
            r = ratio * (sum(x * s.get((i, j), 0) for i, x in u.items()) - c.get(j, 0))
            for i, x in u.items():
                s[i, j] = s.get((i, j), Fraction(0)) - r * x
    return {k: v for k, v in s.items() if v}


class Wired:
    """label, letters, labels (names), start, tables [(sizes, values, entries)], blocks, stages [(block, initial states)]."""

    def used(self):
        return [self.blocks[b] for b, _ in self.stages]

    def sizes(self):
        """As a certificate says them."""
        heads = [h for b in self.used() for h in b.heads]
        factors = [sum(max((len(f) for _, f in on), default=0) for _, on in h.slots) for h in heads]
        return (sum(bool(b.heads) for b in self.used()), max(len(b.heads) for b in self.used()), max(factors, default=0),
                max((h.n for h in heads), default=0), max((h.d for h in heads), default=0))

    def text(self, fsa_hash):
        out = ["lrnn-wired 1", f"fsa {fsa_hash}", f"label {self.label}", f"letters {len(self.letters)}"]
        out += [f"letter {spell(x)}" for x in self.letters]
        out += [f"labels {len(self.labels)}", *(f"symbol {spell(x)}" for x in self.labels), f"start {self.start + 1}"]
        out.append(f"tables {len(self.tables)}")
        for t, (sizes, values, results) in enumerate(self.tables):
            out.append(f"table {t + 1} inputs{numbers(sizes)} values {values} entries{indices(results)}")
        out.append(f"blocks {len(self.blocks)}")
        for i, b in enumerate(self.blocks):
            out.append(f"block {i + 1} inputs{numbers(b.inputs)}")
            out += gate_lines("pre", b.pre) + [f"heads {len(b.heads)}"]
            for k, h in enumerate(b.heads):
                out.append(f"head {k + 1} key {h.n} value {h.d} slots {len(h.slots)}")
                for j, (wire, on) in enumerate(h.slots):
                    out.append(f"slot {j + 1} wire {wire + 1}")
                    for x, (gate, factors) in enumerate(on):
                        out.append(f"on {x + 1} gate {gate} factors {len(factors)}")
                        out += [f"factor {beta} u{entries(u)}{' c' if c else ''}{entries(c)}" for beta, u, c in factors]
            out.append(f"readouts {len(b.readouts)}")
            for r, (h, row, rows, codes) in enumerate(b.readouts):
                out.append(f"readout {r + 1} head {h + 1} rows {row + 1} {row + rows} codes {len(codes)}")
                out += [f"code {c + 1}{state_text(code)}" for c, code in enumerate(codes)]
            out += gate_lines("post", b.post) + [f"outputs{indices(b.outputs)}"]
        out.append(f"stages {len(self.stages)}")
        for l, (b, initial) in enumerate(self.stages):
            out += [f"stage {l + 1} block {b + 1}", *(f"initial{state_text(s)}" for s in initial)]
        return "\n".join([*out, "end"]) + "\n"


def numbers(sizes):
    return "".join(f" {n}" for n in sizes)


def indices(items):
    return "".join(f" {i + 1}" for i in items)


def gate_lines(word, gates):
    return [f"{word} {len(gates)}", *(f"gate {t + 1}{indices(wires)}" for t, wires in gates)]


def read_network(text):
    """(network, the hash it names). The comparison with what Wired.text writes is the check of form and order."""
    net, lines = Wired(), iter(text.split("\n"))

    def line(pattern):
        found = re.fullmatch(pattern, next(lines, ""))
        need(found, pattern)
        return found.groups()

    def count(word, least=0):
        return range(integer(line(rf"{word} (\d+)")[0], least))

    def gates(word):
        found = [line(r"gate (\d+)([ \d]*)") for _ in count(word)]
        return [[integer(t, 1) - 1, ordinals(wires)] for t, wires in found]

    line("lrnn-wired 1")
    fsa_hash, = line("fsa ([0-9a-f]{64})")
    net.label, = line("label (states|outputs|accept)")
    net.letters = [name_of(line("letter (.*)")[0]) for _ in count("letters", 1)]
    net.labels = distinct([name_of(line("symbol (.*)")[0]) for _ in count("labels", 1)])
    net.start = integer(line("start (.*)")[0], 1) - 1
    net.tables, net.blocks, net.stages = [], [], []
    for _ in count("tables"):
        sizes, values, results = line(r"table \d+ inputs([ \d]*) values (\d+) entries([ \d]*)")
        net.tables.append([[integer(n, 1) for n in sizes.split()], integer(values, 1), ordinals(results)])
    for _ in count("blocks", 1):
        b = Block([integer(n, 1) for n in line(r"block \d+ inputs([ \d]+)")[0].split()], gates("pre"))
        for _ in count("heads"):
            b.heads.append(read_head(net, b, line))
        for _ in count("readouts"):
            h, first, last, codes = (integer(x, 1) for x in line(r"readout \d+ head (\d+) rows (\d+) (\d+) codes (\d+)"))
            need(h <= len(b.heads) and first <= last)
            of = Head(last - first + 1, b.heads[h - 1].d, [])
            b.readouts.append([h - 1, first - 1, of.n, [triple.read_state(line(r"code \d+(.*)")[0], of)
                                                        for _ in range(codes)]])
        b.post, b.outputs = gates("post"), ordinals(line(r"outputs([ \d]+)")[0])
        net.blocks.append(b)
    for _ in count("stages", 1):
        b = integer(line(r"stage \d+ block (\d+)")[0], 1) - 1
        need(b < len(net.blocks))
        net.stages.append([b, [triple.read_state(line("initial(.*)")[0], h) for h in net.blocks[b].heads]])
    need(net.text(fsa_hash) == text, "not in canonical form")
    return net, fsa_hash


def ordinals(text):
    return [integer(i, 1) - 1 for i in text.split()]


def read_head(net, b, line):
    n, d, slots = (integer(x, 1) for x in line(r"head \d+ key (\d+) value (\d+) slots (\d+)"))
    h, sizes = Head(n, d, []), b.inputs + [net.tables[t][1] for t, _ in b.pre if t < len(net.tables)]
    for _ in range(slots):
        wire = integer(line(r"slot \d+ wire (\d+)")[0], 1) - 1
        need(wire < len(sizes))
        on = []
        for _ in range(sizes[wire]):
            gate, factors = line(r"on \d+ gate (\S+) factors (\d+)")
            on.append([rational(gate), []])
            for _ in range(integer(factors)):
                beta, u, c = line(r"factor (\S+) u([^c]*?)(?: c(.*))?")
                need(c != "")
                on[-1][1].append((rational(beta), read_vector(u, n), read_vector(c or "", d)))
        h.slots.append([wire, on])
    return h


# --- the class -------------------------------------------------------------------------------------------------------

def wire_sizes(net, b):
    """The sizes of all wires, or None when a gate reads what it cannot."""
    sizes = list(b.inputs)
    for part in (b.pre, None, b.post):
        if part is None:
            sizes += [len(codes) for *_, codes in b.readouts]
            continue
        for t, wires in part:
            if (t >= len(net.tables) or any(w >= len(sizes) for w in wires)
                    or [sizes[w] for w in wires] != list(net.tables[t][0])):
                return None
            sizes.append(net.tables[t][1])
    return sizes


def product(sizes):
    out = 1
    for n in sizes:
        out *= n
    return out


def block_error(net, b):
    sizes, before = wire_sizes(net, b), len(b.inputs) + len(b.pre)
    if sizes is None or not b.inputs or min(b.inputs) < 1 or not b.outputs or any(w >= len(sizes) for w in b.outputs):
        return "wires"
    for h in b.heads:
        if not h.slots or any(wire >= before or len(on) != sizes[wire] for wire, on in h.slots):
            return "slots"
        for gate, factors in (t for _, on in h.slots for t in on):
            if not 0 <= gate <= 1 or any(not 0 <= beta <= 2 or not u or max(u) >= h.n or c and max(c) >= h.d
                                         for beta, u, c in factors):
                return "gate or factor"
    rows = [(k, row) for k, row, many, _ in b.readouts for row in range(row, row + many)]
    if rows != [(k, row) for k, h in enumerate(b.heads) for row in range(h.n)] or any(r[2] < 1 for r in b.readouts):
        return "rows"
    for k, _, many, codes in b.readouts:
        if not codes or any(p == q for i, p in enumerate(codes) for q in codes[:i]):
            return "codes"
        if any(r >= many or c >= b.heads[k].d for code in codes for r, c in code):
            return "a code outside"
    return None


def class_error(net, a):
    """Why the network is none of the declared class over the automaton's letters, or None."""
    if net.letters != a.letters or a.labels(net.label) is None or not 0 <= net.start < len(net.labels):
        return "letters, label kind or start"
    for sizes, values, results in net.tables:
        if product(sizes) != len(results) or any(v >= values for v in results) or any(n < 1 for n in sizes):
            return "table"
    for b in net.blocks:
        if block_error(net, b):
            return block_error(net, b)
    given = [len(net.letters)]
    for b, initial in ((net.blocks[b], s) for b, s in net.stages):
        sizes = wire_sizes(net, b)
        if b.inputs != given or len(initial) != len(b.heads):
            return "stage"
        if any(r >= h.n or c >= h.d for h, s in zip(b.heads, initial) for r, c in s):
            return "an initial state outside"
        given = [sizes[w] for w in b.outputs]
    return None if net.stages and given == [len(net.labels)] else "labels"


# --- replay ----------------------------------------------------------------------------------------------------------

class Run:
    """Steps of a network of the class, each of a block computed once."""

    def __init__(self, net):
        self.net, self.known = net, {}

    def codes_of(self, b, states):
        """The readouts of a block whose heads hold these states, None where there is no code."""
        out = []
        for k, row, rows, codes in b.readouts:
            part = {(r - row, c): v for (r, c), v in states[k].items() if row <= r < row + rows}
            out.append(codes.index(part) if part in codes else None)
        return tuple(out)

    def gates(self, part, wires):
        for t, read in part:
            sizes, _, results = self.net.tables[t]
            entry = 0
            for size, w in zip(sizes, read):
                entry = entry * size + wires[w]
            wires.append(results[entry])

    def step_block(self, i, inputs, codes):
        """(codes after, outputs); the outputs are None where a readout has no code."""
        key = i, inputs, codes
        if key not in self.known:
            b, wires = self.net.blocks[i], list(inputs)
            self.gates(b.pre, wires)
            states = [{} for _ in b.heads]
            for (k, row, _, listed), code in zip(b.readouts, codes):
                states[k].update({(r + row, c): v for (r, c), v in listed[code].items()})
            for k, h in enumerate(b.heads):
                for wire, on in h.slots:
                    states[k] = apply(states[k], *on[wires[wire]])
            after = self.codes_of(b, states)
            outputs = None
            if None not in after:
                wires += after
                self.gates(b.post, wires)
                outputs = tuple(wires[w] for w in b.outputs)
            self.known[key] = after, outputs
        return self.known[key]

    def step(self, joint, letter):
        """(joint state, label); None where a stage has no code."""
        inputs, after, at = (letter,), [], 0
        for i, _ in self.net.stages:
            n = len(self.net.blocks[i].readouts)
            codes, inputs = self.step_block(i, inputs, joint[at:at + n])
            if inputs is None:
                return None, None
            after += codes
            at += n
        return tuple(after), inputs[0]

    def start(self):
        return tuple(c for i, initial in self.net.stages for c in self.codes_of(self.net.blocks[i], initial))


def close(net, a, ignore_labels=False):
    """As triple.close: rows [state, codes, next rows], or None when the network is wrong for the automaton."""
    if class_error(net, a):
        return None
    labels, run = a.labels(net.label), Run(net)
    first = a.start, run.start()
    if None in first[1] or (net.labels[net.start] != labels[a.start] and not ignore_labels):
        return None
    pairs, number, rows = [first], {first: 0}, []
    for q, joint in pairs:
        following = []
        for w in range(len(a.letters)):
            codes, symbol = run.step(joint, w)
            pair = a.next[q][w], codes
            if codes is None or (net.labels[symbol] != labels[pair[0]] and not ignore_labels):
                return None
            if pair not in number:
                number[pair] = len(pairs)
                pairs.append(pair)
            following.append(number[pair])
        rows.append([q, list(joint), following])
    return rows


# --- certificates ----------------------------------------------------------------------------------------------------

SIZE = r"size layers (\d+) heads (\d+) householders (\d+) key (\d+) value (\d+)"


def body_of(c, fsa_text, net_text, claim, lines):
    out = ["lrnn-certificate 1", f"fsa {sha256(fsa_text)}", f"network {sha256(net_text)}", f"claim {claim}",
           "size layers {} heads {} householders {} key {} value {}".format(*c.sizes), *lines, f"end {c.end}"]
    body = "\n".join(out) + "\n"
    return body + f"sha256 {sha256(body)}\n"


class Exact:
    """As triple.Certificate; the codes are those of all readouts, perhaps none."""

    def text(self, fsa_text, net_text):
        lines = [f"letters {self.letters} states {self.states} rows {self.count}"]
        lines += [f"row {i + 1} state {q + 1} codes{indices(codes)} next{indices(following)}"
                  for i, (q, codes, following) in enumerate(self.rows)]
        return body_of(self, fsa_text, net_text, "exact", lines)

    def holds(self, net, a):
        """Is it the table of reachable pairs with every edge right? The network is of the class."""
        rows, run, labels = self.rows, Run(net), a.labels(net.label)
        if ((tuple(self.sizes), self.letters, self.states, self.count, self.end)
                != (net.sizes(), len(a.letters), len(a.states), len(rows), len(rows)) or not rows):
            return False
        places = [len(codes) for b in net.used() for *_, codes in b.readouts]
        if any(q >= len(a.states) or len(codes) != len(places) or any(c >= n for c, n in zip(codes, places))
               or len(following) != len(a.letters) or max(following) >= len(rows) for q, codes, following in rows):
            return False
        if (rows[0][0], tuple(rows[0][1])) != (a.start, run.start()) or labels[a.start] != net.labels[net.start]:
            return False
        reached, seen = {0}, set()
        for i, (q, codes, following) in enumerate(rows):
            pair = q, tuple(codes)
            if i not in reached or pair in seen:
                return False
            seen.add(pair)
            reached.update(following)
            for w, r in enumerate(following):
                after, symbol = run.step(pair[1], w)
                if after is None or (a.next[q][w], after) != (rows[r][0], tuple(rows[r][1])):
                    return False
                if net.labels[symbol] != labels[rows[r][0]]:
                    return False
        return True


class Form:
    """claim zeiger: sizes, letters, states, count (of classes), classes [of every state, from 1, or 0], end."""

    def text(self, fsa_text, net_text):
        lines = [f"letters {self.letters} states {self.states} classes {self.count}", f"class{numbers(self.classes)}"]
        return body_of(self, fsa_text, net_text, "zeiger", lines)

    def quotient(self, net, a):
        """The automaton on the classes, its states named by theirs, or None."""
        labels, q = a.labels(net.label), triple.Automaton()
        if self.classes[a.start] == 0 or {c for c in self.classes if c} != set(range(1, self.count + 1)):
            return None
        q.letters, q.states, q.start = a.letters, [str(c) for c in range(1, self.count + 1)], self.classes[a.start] - 1
        q.next, q.outputs = [[None] * len(a.letters) for _ in q.states], [None] * self.count
        for s, c in enumerate(self.classes):
            if c == 0:
                continue
            after = [self.classes[t] - 1 for t in a.next[s]]
            if min(after) < 0 or q.outputs[c - 1] not in (None, labels[s]) or q.next[c - 1] not in ([None] * len(after), after):
                return None
            q.next[c - 1], q.outputs[c - 1] = after, labels[s]
        return q

    def holds(self, net, a):
        """Is it a quotient, and the network, of the class, its rule form by meaning?"""
        if ((tuple(self.sizes), self.letters, self.states, self.end)
                != (net.sizes(), len(a.letters), len(a.states), self.count) or len(self.classes) != len(a.states)):
            return False
        q = self.quotient(net, a) if 2 <= self.count <= len(a.states) else None
        return q is not None and net.labels[net.start] == q.outputs[q.start] and same_meaning(net, rule_form(q), q)


def exact_of(net, a, rows):
    c = Exact()
    c.sizes, c.letters, c.states = list(net.sizes()), len(a.letters), len(a.states)
    c.rows, c.count, c.end = rows, len(rows), len(rows)
    return c


def form_of(net, a, classes):
    c = Form()
    c.sizes, c.letters, c.states = list(net.sizes()), len(a.letters), len(a.states)
    c.classes, c.count, c.end = list(classes), max(classes), max(classes)
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
        c.classes = [integer(x) for x in lines[6].split(" ")[1:]]
    else:
        found = [re.fullmatch(r"row \d+ state (\d+) codes([ \d]*) next([ \d]+)", line) for line in lines[6:-3]]
        need(all(found))
        c.rows = [[integer(m[1], 1) - 1, ordinals(m[2]), ordinals(m[3])] for m in found]
    need(c.text(fsa_text, net_text) == text, "not in canonical form")
    return c


def should_verify(fsa_text, net_text, cert_text):
    """(network right for the automaton, certificate right), each from the texts alone."""
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


# --- the rule form (theory/zeiger.md, Z.3) ---------------------------------------------------------------------------

class Tables:
    """Tables of functions, equal ones once, numbered by first use."""

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


def rule_form(q, key=1):
    """The form of an automaton with outputs; `key` scales the keys of its factors and what they write."""
    n, k, labels = len(q.states), len(q.letters), list(dict.fromkeys(q.outputs))
    tables, bits = Tables(k), [2] * (2 * n)
    enter = Block([k], [tables.gate(lambda: 1, 2, [], []) for _ in bits], outputs=[0, *range(1, 2 * n + 1)])
    level = level_block(q, tables, n, k, Fraction(key))
    leave = Block([k, *bits])
    for y, label in enumerate(q.outputs):
        value = labels.index(label)
        if y == 0:
            leave.pre.append(tables.gate(lambda bit, v=value: v if bit else 0, len(labels), [2], [1 + n]))
        else:
            leave.pre.append(tables.gate(lambda acc, bit, v=value: v if bit else acc, len(labels), [len(labels), 2],
                                         [2 * n + y, 1 + n + y]))
    leave.outputs = [3 * n]
    net = Wired()
    net.label, net.letters, net.labels, net.start = "outputs", list(q.letters), labels, labels.index(q.outputs[q.start])
    net.tables, net.blocks = tables.list, [enter, level, leave]
    removed = [c for c in range(n) if c != q.start]
    net.stages = [[0, []], *([1, [{(2 * c, 0): Fraction(1), (2 * c + 1, 0): Fraction(1)}]] for c in removed), [2, []]]
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
                wire = pre(lambda acc, a, bit, hits=hits: acc or bit and hits[a], 2, [2, k, 2], [wire, 0, old[x]])
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
    act = [pre(lambda f, a, bit, r: k + 1 + r if f else 1 + a if bit else 0, k + 3, [2, k, 2, 2], [reset, 0, old[x], first[x]])
           for x in range(n)]

    def copies(x):
        return 2 * x, 2 * x + 1

    def does(*factors):
        return [Fraction(1), [(beta, {i: key * v for i, v in u.items()}, {i: key * v for i, v in c.items()})
                              for beta, u, c in factors]]

    slots = [[reset, [does(*(becomes(r, 0) for r in copies(n + x))), does(swap(*copies(x), *copies(n + x)))]]
             for x in range(n)]
    slots += [[act[x], [does(), *(does(swap(*copies(x), *copies(n + q.next[x][a]))) for a in range(k)),
                        does(*(becomes(r, 0) for r in copies(x))), does(*(becomes(r, 1) for r in copies(x)))]]
              for x in range(n)]
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
            wire = post(lambda acc, a, bit, j=j: acc or bit and a == j, [2, k, 2], [wire, 0, current + q.next[x][j]])
        moved.append(wire)
    b.outputs = [0, *(post(lambda bit, f, v, s: bit and not (s if f else v), [2] * 4, [old[x], reset, moved[x], saved + x])
                      for x in range(n)),
                 *(post(lambda bit, c: bit and not c, [2, 2], [new[y], current + y]) for y in range(n))]
    return b


def same_meaning(net, form, q):
    """Is the network the form, up to sharing and numbers of tables, names of labels and how factors are written?"""
    def tables(net, part):
        return [(net.tables[t], wires) for t, wires in part]

    if len(net.blocks) != 3 or [b for b, _ in net.stages] != [b for b, _ in form.stages]:
        return False
    if [s for _, s in net.stages] != [s for _, s in form.stages]:
        return False
    for i, (b, c) in enumerate(zip(net.blocks, form.blocks)):
        shape = [(b.inputs, b.readouts, b.outputs, tables(net, b.post), len(b.heads)) for b, net in ((b, net), (c, form))]
        if shape[0] != shape[1] or len(b.pre) != len(c.pre) or (i < 2 and tables(net, b.pre) != tables(form, c.pre)):
            return False
    for y, (t, wires) in enumerate(net.blocks[2].pre):
        sizes, values, results = net.tables[t]
        old = range(len(net.labels)) if y else [0]
        want = [(q.outputs[y] if bit else net.labels[acc]) for acc in old for bit in range(2)]
        if (values != len(net.labels) or wires != form.blocks[2].pre[y][1] or sizes != ([values, 2] if y else [2])
                or [net.labels[r] for r in results] != want):
            return False
    h, g = net.blocks[1].heads[0], form.blocks[1].heads[0]
    return ((h.n, h.d, [w for w, _ in h.slots]) == (g.n, g.d, [w for w, _ in g.slots])
            and all(same_action(one, two, pair)
                    for j, ((_, on), (_, of)) in enumerate(zip(h.slots, g.slots))
                    for one, two, pair in zip(on, of, pairs_of(q, j, len(on)))))


def pairs_of(q, slot, values):
    """For every value of the slot's wire the two copies that may be touched."""
    n, k = len(q.states), len(q.letters)
    part, x = divmod(slot, n)
    return [(x, n + (q.next[x][v - 1] if part == 1 and 1 <= v <= k else x)) for v in range(values)]


def same_action(one, two, pair):
    rows = [2 * p + i for p in pair for i in range(2)]
    if one[0] != 1 or any(i not in rows for _, u, _ in one[1] for i in u):
        return False
    for bits in itertools.product(range(2), repeat=2):
        state = {(r, 0): Fraction(1) for r, bit in zip(rows, (bits[0], bits[0], bits[1], bits[1])) if bit}
        if apply(state, *one) != apply(state, *two):
            return False
    return True
