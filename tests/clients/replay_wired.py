"""Runs a wired network from the tensors of weights.safetensors alone: circuits of tables, slots,
readouts by the nearest code. models/network/weights/wired_weights.h defines the tensors.

docs/run_wired.py runs such a file, too. This replay demands more: every wire is read after it is
given, no tensor is left over, keys have norm 1, and after each letter every state equals a code."""

import json

import numpy as np

from automaton_file import require
from weights_file import Head, letter_classes

WORD_LENGTH, WORDS, SEED = 1000, 20, 20240229
WORK = 500_000  # look-ups of all words together; for longer networks words are shorter
SHORTEST = 100
LETTERS = ("beta", "gate", "key", "key_index", "key_value", "value", "value_index", "value_value")
TOLERANCE = 1e-6  # of a squared distance, for weights rounded to float64


class Tensors:
    """The file's tensors, with a record of which were read."""

    def __init__(self, tensors):
        self.tensors, self.read = tensors, set()

    def __getitem__(self, name):
        require(name in self.tensors, f"{name} is missing")
        self.read.add(name)
        return self.tensors[name]

    def __contains__(self, name):
        return name in self.tensors

    def letters(self, prefix):
        """Returns the tensors from which a head makes its letters."""
        names = [prefix + part for part in LETTERS if prefix + part in self.tensors]
        self.read.update(names)
        return {name: self.tensors[name] for name in names}

    def count(self, prefix):
        """Returns the number of different numbers after the prefix, which must be 0, 1, .."""
        numbers = {
            int(name[len(prefix) :].split(".")[0])
            for name in self.tensors
            if name.startswith(prefix)
        }
        require(numbers == set(range(len(numbers))), f"{prefix} leaves numbers out")
        return len(numbers)


def cut(values, ends):
    require(
        len(ends) > 0 and ends[0] == 0 and ends[-1] == len(values) and np.all(np.diff(ends) >= 0),
        "wrong ends",
    )
    return [values[a:b] for a, b in zip(ends, ends[1:])]


class Readout:
    """Rows of a head, and their codes [codes, rows * d]."""

    def __init__(self, head, row, rows, codes):
        self.head, self.row, self.rows, self.codes = head, row, rows, codes

    def decode(self, states, exact):
        part = states[self.row : self.row + self.rows].reshape(self.codes.shape[1], -1)
        distance = np.square(self.codes[:, :, None] - part).sum(axis=1)  # [codes, batch]
        nearest = distance.argmin(axis=0)
        least = distance.min(axis=0)
        require(
            np.all(least == 0) if exact else np.all(least < TOLERANCE),
            "a state has no code near it",
        )
        require(np.all((distance <= least).sum(axis=0) == 1), "a state is as near to two codes")
        return nearest


class Block:
    def __init__(self, tensors, b, shapes):
        """Reads block b; shapes are the shapes of its heads' states."""
        at, self.shapes = f"blocks.{b}.", shapes
        self.inputs, self.outputs = tensors[at + "inputs"], tensors[at + "outputs"]
        self.pre, self.post = self.gates(tensors, at + "pre."), self.gates(tensors, at + "post.")
        self.heads, self.slots = (
            [],
            [],
        )  # slots: per head (wire, first letter, letter after the last)
        for h, shape in enumerate(shapes):
            prefix = f"{at}heads.{h}."
            wire, ends = tensors[prefix + "slot_wire"], tensors[prefix + "slot_at"]
            self.heads.append(Head(tensors.letters(prefix), prefix, shape[1]))
            require(
                len(ends) == len(wire) + 1 and ends[0] == 0 and ends[-1] == self.heads[-1].letters,
                "wrong slots",
            )
            self.slots.append(list(zip(wire.tolist(), ends.tolist(), ends[1:].tolist())))
        self.readouts = self.read_readouts(tensors, at + "readouts.")

    @staticmethod
    def gates(tensors, at):
        table, wires = tensors[at + "table"], cut(tensors[at + "wire"], tensors[at + "wire_at"])
        require(len(table) == len(wires), "gates without wires")
        return [(tensors[f"tables.{t}"], wire) for t, wire in zip(table, wires)]

    def read_readouts(self, tensors, at):
        head, row, rows = (tensors[at + name].tolist() for name in ("head", "row", "rows"))
        if at + "codes" in tensors:
            codes = tensors[at + "codes"]
        else:
            index, value = tensors[at + "codes_index"], tensors[at + "codes_value"]
            codes = np.zeros(
                (len(index), max((n * self.shapes[h][1] for h, n in zip(head, rows)), default=0))
            )
            code, entry = np.nonzero(index >= 0)
            codes[code, index[code, entry]] = value[code, entry]
        codes = cut(codes, tensors[at + "codes_at"])
        require(len(head) == len(row) == len(rows) == len(codes), "readouts without codes")
        return [
            Readout(h, r, n, c[:, : n * self.shapes[h][1]])
            for h, r, n, c in zip(head, row, rows, codes)
        ]

    def sizes(self, values):
        """Returns the sizes of all wires, where a gate's is the number of values that its table may
        give: `values` by id."""
        return (
            [*self.inputs]
            + [values[id(table)] for table, _ in self.pre]
            + [len(r.codes) for r in self.readouts]
            + [values[id(table)] for table, _ in self.post]
        )

    def lookups(self):
        return len(self.pre) + len(self.post) + len(self.readouts) + 10 * sum(map(len, self.slots))

    def step(self, values, states, exact):
        """Returns outputs and new states; values: arrays [batch] of the input wires."""
        values = list(values)
        for table, wires in self.pre:
            values.append(look_up(table, [values[w] for w in wires], len(values[0])))
        stepped = []
        for head, slots, S in zip(self.heads, self.slots, states):
            for wire, first, _ in slots:
                for value in np.unique(values[wire]):
                    letter, chosen = first + value, values[wire] == value
                    if head.factors[letter] or head.gate[letter] != 1:
                        S = np.where(chosen, head.step(letter, S), S)
            stepped.append(S)
        values += [readout.decode(stepped[readout.head], exact) for readout in self.readouts]
        for table, wires in self.post:
            values.append(look_up(table, [values[w] for w in wires], len(values[0])))
        return [values[w] for w in self.outputs], stepped


def look_up(table, inputs, batch):
    return table[tuple(inputs)] if inputs else np.full(batch, table)


class Wired:
    def __init__(self, tensors):
        self.tensors = Tensors(tensors)
        self.block_of = self.tensors["stages"].tolist()
        self.tables = [self.tensors[f"tables.{t}"] for t in range(self.tensors.count("tables."))]
        self.initial = [
            [
                self.read_initial(s, h)
                for h in range(self.tensors.count(f"stages.{s}.heads."))
            ]
            for s in range(len(self.block_of))
        ]
        shapes = {
            b: [tensor.shape for tensor in initial]
            for b, initial in zip(self.block_of, self.initial)
        }
        require(set(shapes) == set(range(self.tensors.count("blocks."))), "a block without a stage")
        for b, initial in zip(self.block_of, self.initial):
            require(
                shapes[b] == [tensor.shape for tensor in initial],
                "stages of a block have states of other shapes",
            )
        self.blocks = [Block(self.tensors, b, shapes[b]) for b in range(len(shapes))]

    def read_initial(self, s, h):
        at = f"stages.{s}.heads.{h}.initial"
        if at in self.tensors:
            return self.tensors[at]
        state = np.zeros(self.tensors[f"blocks.{self.block_of[s]}.heads.{h}.shape"])
        state.flat[self.tensors[at + "_index"]] = self.tensors[at + "_value"]
        return state

    def heads(self):
        return [head for block in self.blocks for head in block.heads]

    def start(self, batch):
        return [
            [np.repeat(tensor[:, :, None], batch, axis=2) for tensor in initial]
            for initial in self.initial
        ]

    def step(self, letters, states, exact):
        """Returns labels [batch] and the new states of all stages."""
        values, stepped = [letters], []
        for b, state in zip(self.block_of, states):
            values, new = self.blocks[b].step(values, state, exact)
            stepped.append(new)
        return values[0], stepped

    def check(self, letters, labels):
        """Checks that nothing is out of range, that every wire is read after it is given, and that
        the file holds nothing else."""
        unread = set(self.tensors.tensors) - self.tensors.read
        require(not unread, f"what is {min(unread, default='')} for?")
        values = {id(table): int(table.max()) + 1 for table in self.tables}
        fed = [letters]
        for b in self.block_of:
            block, sizes = self.blocks[b], self.blocks[b].sizes(values)
            require(
                len(fed) == len(block.inputs) and all(a <= s for a, s in zip(fed, block.inputs)),
                "a stage reads what the one before does not give",
            )
            first_readout = len(block.inputs) + len(block.pre)
            first_post = first_readout + len(block.readouts)
            for first, gates in ((len(block.inputs), block.pre), (first_post, block.post)):
                for g, (table, wires) in enumerate(gates):
                    require(
                        all(0 <= w < first + g for w in wires),
                        "a gate reads a wire that is not given yet",
                    )
                    require(
                        table.ndim == len(wires)
                        and all(sizes[w] <= s for w, s in zip(wires, table.shape)),
                        "a gate does not fit its table",
                    )
                    require(table.min() >= 0, "a table gives a negative value")
            for slots, shape, h in zip(block.slots, block.shapes, range(len(block.shapes))):
                for wire, begin, end in slots:
                    require(
                        0 <= wire < first_readout and sizes[wire] <= end - begin,
                        "a slot does not fit its wire",
                    )
                rows = [(r.row, r.row + r.rows) for r in block.readouts if r.head == h]
                require(
                    [0] + [end for _, end in rows] == [row for row, _ in rows] + [shape[0]],
                    "the readouts of a head leave rows out",
                )
            require(all(0 <= w < len(sizes) for w in block.outputs), "an output is no wire")
            fed = [sizes[w] for w in block.outputs]
        require(len(fed) == 1 and fed[0] <= labels, "the last stage does not give a label")


class WiredReplay:
    def __init__(self, automaton, metadata, tensors):
        self.automaton, self.kind, self.exact = (
            automaton,
            metadata["label"],
            metadata["rounding"] == "exact",
        )
        self.class_of = letter_classes(automaton, metadata)
        self.labels, self.empty = json.loads(metadata["labels"]), int(metadata["start"])
        self.network = Wired(tensors)
        cost = sum(self.network.blocks[b].lookups() for b in self.network.block_of)
        self.length = min(WORD_LENGTH, max(SHORTEST, WORK // max(1, cost)))
        self.seen = set()

    def expected(self, state):
        label = self.automaton.label(self.kind, state)
        return {True: "accept", False: "reject"}[label] if self.kind == "accept" else label

    def wiring(self):
        self.network.check(max(self.class_of) + 1, len(self.labels))

    def random_words(self):
        require(
            self.labels[self.empty] == self.expected(self.automaton.start),
            "the empty word has another label",
        )
        random = np.random.default_rng(SEED)
        hidden, states = self.network.start(WORDS), [self.automaton.start] * WORDS
        self.seen.update(states)
        for t in range(self.length):
            letters = random.integers(len(self.automaton.letters), size=WORDS)
            given, hidden = self.network.step(self.class_of[letters], hidden, self.exact)
            states = [self.automaton.next[q][x] for q, x in zip(states, letters)]
            self.seen.update(states)
            for label, state in zip(given, states):
                require(
                    self.labels[label] == self.expected(state),
                    f"after {t + 1} letters {self.labels[label]!r} instead of"
                    f" {self.expected(state)!r} (seed {SEED})",
                )

    def summary(self):
        return (
            f"wired, {len(self.network.block_of)} stages, {len(self.seen)} of"
            f" {len(self.automaton.states)} states seen, {WORDS} words of {self.length} letters"
        )
