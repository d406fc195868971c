"""Wired networks and their certificates as Python data: reader, writer, class, replay and closure.

As triple.py: fractions, states as {(row, column): value} without zeros, indices from 0 here and
from 1 in the files."""

import re
from fractions import Fraction

import triple
from triple import (
    distinct,
    entries,
    integer,
    name_of,
    need,
    rational,
    read_vector,
    spell,
    state_text,
)


class Block:
    """Data: inputs [sizes], pre [(table, wires)], heads, readouts [(head, row, rows, codes)], post,
    outputs [wires]."""

    def __init__(self, inputs, pre=(), heads=(), readouts=(), post=(), outputs=()):
        self.inputs, self.pre, self.heads = list(inputs), [list(g) for g in pre], list(heads)
        self.readouts, self.post, self.outputs = (
            [list(r) for r in readouts],
            [list(g) for g in post],
            list(outputs),
        )


class Head:
    """Data: n, d, slots [[wire, [[gate, factors] for every value]]]; a factor is (beta, u, c)."""

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


class Wired(triple.OfLetters):
    """Data as in OfLetters, and tables [(sizes, values, entries)], blocks, stages [(block, initial
    states)]."""

    def used(self):
        return [self.blocks[b] for b, _ in self.stages]

    def sizes(self):
        """Returns the sizes as a certificate lists them."""
        heads = [h for b in self.used() for h in b.heads]
        factors = [sum(max((len(f) for _, f in on), default=0) for _, on in h.slots) for h in heads]
        return (
            sum(bool(b.heads) for b in self.used()),
            max(len(b.heads) for b in self.used()),
            max(factors, default=0),
            max((h.n for h in heads), default=0),
            max((h.d for h in heads), default=0),
        )

    def text(self, fsa_hash):
        out = [
            "lrnn-wired 2",
            f"fsa {fsa_hash}",
            f"label {self.label}",
            f"letters {len(self.letters)}",
        ]
        out += [f"letter {spell(x)}" for x in self.letters]
        out += triple.classes_text(self.classes)
        out += [
            f"labels {len(self.labels)}",
            *(f"symbol {spell(x)}" for x in self.labels),
            triple.start_text(self.start),
        ]
        out.append(f"tables {len(self.tables)}")
        for t, (sizes, values, results) in enumerate(self.tables):
            out.append(
                f"table {t + 1} inputs{numbers(sizes)} values {values} entries{indices(results)}"
            )
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
                        out += [
                            f"factor {beta} u{entries(u)}{' c' if c else ''}{entries(c)}"
                            for beta, u, c in factors
                        ]
            out.append(f"readouts {len(b.readouts)}")
            for r, (h, row, rows, codes) in enumerate(b.readouts):
                out.append(
                    f"readout {r + 1} head {h + 1} rows {row + 1} {row + rows} codes {len(codes)}"
                )
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
    """Returns (network, the hash in it). The comparison with what Wired.text writes is the check of
    form and order."""
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

    line("lrnn-wired 2")
    (fsa_hash,) = line("fsa ([0-9a-f]{64})")
    triple.read_face(net, line)
    net.tables, net.blocks, net.stages = [], [], []
    for _ in count("tables"):
        sizes, values, results = line(r"table \d+ inputs([ \d]*) values (\d+) entries([ \d]*)")
        net.tables.append(
            [[integer(n, 1) for n in sizes.split()], integer(values, 1), ordinals(results)]
        )
    for _ in count("blocks", 1):
        b = Block(
            [integer(n, 1) for n in line(r"block \d+ inputs([ \d]+)")[0].split()], gates("pre")
        )
        for _ in count("heads"):
            b.heads.append(read_head(net, b, line))
        for _ in count("readouts"):
            h, first, last, codes = (
                integer(x, 1) for x in line(r"readout \d+ head (\d+) rows (\d+) (\d+) codes (\d+)")
            )
            need(h <= len(b.heads) and first <= last)
            of = Head(last - first + 1, b.heads[h - 1].d, [])
            b.readouts.append(
                [
                    h - 1,
                    first - 1,
                    of.n,
                    [triple.read_state(line(r"code \d+(.*)")[0], of) for _ in range(codes)],
                ]
            )
        b.post, b.outputs = gates("post"), ordinals(line(r"outputs([ \d]+)")[0])
        net.blocks.append(b)
    for _ in count("stages", 1):
        b = integer(line(r"stage \d+ block (\d+)")[0], 1) - 1
        need(b < len(net.blocks))
        net.stages.append(
            [b, [triple.read_state(line("initial(.*)")[0], h) for h in net.blocks[b].heads]]
        )
    need(net.text(fsa_hash) == text, "not in canonical form")
    return net, fsa_hash


def ordinals(text):
    return [integer(i, 1) - 1 for i in text.split()]


def read_head(net, b, line):
    n, d, slots = (integer(x, 1) for x in line(r"head \d+ key (\d+) value (\d+) slots (\d+)"))
    h, sizes = Head(n, d, []), b.inputs + [
        net.tables[t][1] for t, _ in b.pre if t < len(net.tables)
    ]
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


# --- the class ---


def wire_sizes(net, b):
    """Returns the sizes of all wires, or None when a gate reads a wire that it cannot read."""
    sizes = list(b.inputs)
    for part in (b.pre, None, b.post):
        if part is None:
            sizes += [len(codes) for *_, codes in b.readouts]
            continue
        for t, wires in part:
            if (
                t >= len(net.tables)
                or any(w >= len(sizes) for w in wires)
                or [sizes[w] for w in wires] != list(net.tables[t][0])
            ):
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
    if (
        sizes is None
        or not b.inputs
        or min(b.inputs) < 1
        or not b.outputs
        or any(w >= len(sizes) for w in b.outputs)
    ):
        return "wires"
    for h in b.heads:
        if not h.slots or any(wire >= before or len(on) != sizes[wire] for wire, on in h.slots):
            return "slots"
        for gate, factors in (t for _, on in h.slots for t in on):
            if not 0 <= gate <= 1 or any(
                not 0 <= beta <= 2 or not u or max(u) >= h.n or c and max(c) >= h.d
                for beta, u, c in factors
            ):
                return "gate or factor"
    rows = [(k, row) for k, row, many, _ in b.readouts for row in range(row, row + many)]
    if rows != [(k, row) for k, h in enumerate(b.heads) for row in range(h.n)] or any(
        r[2] < 1 for r in b.readouts
    ):
        return "rows"
    for k, _, many, codes in b.readouts:
        if not codes or any(p == q for i, p in enumerate(codes) for q in codes[:i]):
            return "codes"
        if any(r >= many or c >= b.heads[k].d for code in codes for r, c in code):
            return "a code outside"
    return None


def class_error(net, a):
    """Returns why the network is not in the declared class over the automaton's letters, or
    None."""
    if net.face_error(a):
        return net.face_error(a)
    for sizes, values, results in net.tables:
        if (
            product(sizes) != len(results)
            or any(v >= values for v in results)
            or any(n < 1 for n in sizes)
        ):
            return "table"
    for b in net.blocks:
        if block_error(net, b):
            return block_error(net, b)
    given = [net.kinds()]
    for b, initial in ((net.blocks[b], s) for b, s in net.stages):
        sizes = wire_sizes(net, b)
        if b.inputs != given or len(initial) != len(b.heads):
            return "stage"
        if any(r >= h.n or c >= h.d for h, s in zip(b.heads, initial) for r, c in s):
            return "an initial state outside"
        given = [sizes[w] for w in b.outputs]
    return None if net.stages and given == [len(net.labels)] else "labels"


# --- replay ---


class Run:
    """Steps a network of the class; each step of a block is computed once."""

    def __init__(self, net):
        self.net, self.known = net, {}

    def codes_of(self, b, states):
        """Returns the readouts of a block whose heads hold these states, None where there is no
        code."""
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
        """Returns (codes after, outputs); the outputs are None where a readout has no code."""
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
        """Returns (joint state, label); None where a stage has no code."""
        inputs, after, at = (letter,), [], 0
        for i, _ in self.net.stages:
            n = len(self.net.blocks[i].readouts)
            codes, inputs = self.step_block(i, inputs, joint[at : at + n])
            if inputs is None:
                return None, None
            after += codes
            at += n
        return tuple(after), inputs[0]

    def start(self):
        return tuple(
            c for i, initial in self.net.stages for c in self.codes_of(self.net.blocks[i], initial)
        )


def close(net, a, ignore_labels=False):
    """Returns rows [state, codes, next rows] as triple_judge.close does, or None when the network
    is wrong for the automaton."""
    if class_error(net, a):
        return None
    return triple.reachable(Run(net), a, net, ignore_labels)
