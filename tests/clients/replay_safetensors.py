"""Replays OUT/weights.safetensors against OUT/automaton.fsa, knowing nothing but the two file formats: json reads the
header, NumPy the numbers.

The recurrence runs in float64, which is exact for dyadic weights. The hidden states are closed under all letters from
H_0, together with the automaton; every hidden state must go with one label only (with the labels "states" that means one
state, so different states have different hidden states). Then random words must stay inside that table. Networks of one
layer only: the decoders between layers are not in this file.

usage: replay_safetensors.py OUT
"""
import hashlib
import json
import re
import struct
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

WORD_LENGTH, WORDS, SEED = 1000, 20, 20240229
TOLERANCE = 1e-6  # for weights rounded to float64; distinct hidden states lie much further apart
TOKEN = re.compile(r'\s*(?:(#.*)|("(?:[^"\\]|\\.)*")|((?:\([^()]*\)[ \t]*)+)|([^\s"()#]+))')


class Mismatch(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Mismatch(text)


# The automaton.

def tokens(line):
    """(kind, text) of every token: kind "bare", "quoted" or "cycles"."""
    out, at = [], 0
    while line[at:].strip():
        match = TOKEN.match(line, at)
        require(match, f"cannot read {line!r}")
        at = match.end()
        if match[2]:
            out.append(("quoted", json.loads(match[2])))
        elif match[3]:
            out.append(("cycles", match[3].strip()))
        elif match[4]:
            out.append(("bare", match[4]))
    return out


def permutation(text, points):
    """The images of 0..points-1."""
    image = list(range(points))
    for cycle in re.findall(r"\(([^()]*)\)", text):
        members = [int(p) - 1 for p in cycle.split()]
        for a, b in zip(members, members[1:] + members[:1]):
            image[a] = b
    require(sorted(image) == list(range(points)), f"{text} is no permutation of {points} points")
    return tuple(image)


def cycle_notation(image):
    seen, out = set(), ""
    for start in range(len(image)):
        cycle, p = [], start
        while p not in seen:
            seen.add(p)
            cycle.append(str(p + 1))
            p = image[p]
        if len(cycle) > 1:
            out += f"({' '.join(cycle)})"
    return out or "()"


class Automaton:
    """Deterministic and total; next[state][letter], everything 0-based."""

    def __init__(self, text):
        self.letters, self.states, self.start = [], [], 0
        edges, permutations, names = [], [], {"accept": [], "output": {}}
        points, track = 0, None
        for line in text.split("\n"):
            kinds = tokens(line)
            if not kinds:
                continue
            words = [t for _, t in kinds]
            word = words[0] if kinds[0][0] == "bare" else None
            if word == "fsa":
                require(words == ["fsa", "1"], f"unknown version: {line}")
            elif word == "letters":
                self.letters = words[1:]
            elif word == "states":
                self.states = words[1:]
            elif word == "start":
                require(len(words) == 2, "more than one start")
                names["start"] = words[1]
            elif word == "accept":
                names["accept"] = words[1:]
            elif word == "output":
                names["output"][words[1]] = words[2]
            elif word == "points":
                points = int(words[1])
            elif word == "track":
                track = words[1:]
            elif word == "permute":
                self.letters.append(words[1])
                permutations.append(permutation(words[2], points))
            else:
                require(len(words) == 3, f"cannot read {line!r}")
                edges.append(words)
        if track:
            self.from_permutations(permutations, points, track)
        else:
            self.from_edges(edges, names["start"])
        self.accepting = {self.states.index(name) for name in names["accept"]}
        self.output = {self.states.index(name): label for name, label in names["output"].items()}

    def from_edges(self, edges, start):
        state = {name: i for i, name in enumerate(self.states)}
        letter = {name: i for i, name in enumerate(self.letters)}
        self.start = state[start]
        self.next = [[None] * len(letter) for _ in state]
        for source, name, target in edges:
            require(self.next[state[source]][letter[name]] is None, f"two edges from {source} on {name}")
            self.next[state[source]][letter[name]] = state[target]
        require(all(t is not None for row in self.next for t in row), "an edge is missing")

    def from_permutations(self, permutations, points, track):
        if track[0] == "points":
            self.states = [str(p + 1) for p in range(points)]
            self.start = int(track[1]) - 1
            self.next = [[image[p] for image in permutations] for p in range(points)]
            return
        elements = [tuple(range(points))]
        number = {elements[0]: 0}
        self.next = []
        for element in elements:  # grows while it is walked: breadth-first
            row = []
            for image in permutations:
                product = tuple(image[p] for p in element)  # the element, then the letter
                if product not in number:
                    number[product] = len(elements)
                    elements.append(product)
                row.append(number[product])
            self.next.append(row)
        self.states = [cycle_notation(element) for element in elements]

    def label(self, kind, state):
        return {"states": lambda: self.states[state], "outputs": lambda: self.output[state],
                "accept": lambda: state in self.accepting}[kind]()


# The weights.

def read_tensor(info, data):
    begin, end = info["data_offsets"]
    raw, shape = data[begin:end], info["shape"]
    if info["dtype"] == "BF16":
        flat = (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
    else:
        flat = np.frombuffer(raw, {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4"}[info["dtype"]])
    require(flat.size == np.prod(shape, dtype=int), "a tensor does not fill its shape")
    return flat.reshape(shape).astype(np.int64 if info["dtype"] == "I32" else np.float64)


def read_safetensors(raw):
    (length,) = struct.unpack("<Q", raw[:8])
    header, data = json.loads(raw[8:8 + length].decode("utf-8")), raw[8 + length:]
    metadata = header.pop("__metadata__")
    spans = sorted(info["data_offsets"] for info in header.values())
    ends = [0] + [end for _, end in spans]
    require([begin for begin, _ in spans] == ends[:-1] and ends[-1] == len(data), "the tensors leave gaps or overlap")
    return metadata, {name: read_tensor(info, data) for name, info in header.items()}


class Head:
    """One head; a batch of states is an array [n, d, batch]."""

    def __init__(self, tensors, prefix):
        part = {name[len(prefix):]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}
        self.initial, self.beta = part["initial"], part["beta"]
        self.gate = part.get("gate", np.ones(len(self.beta)))
        self.letters, factors = self.beta.shape
        self.factors = [[] for _ in range(self.letters)]  # (beta, indices, key, dense value)
        for x in range(self.letters):
            for j in range(factors):
                index, key = self.sparse(part, "key", x, j)
                column, write = self.sparse(part, "value", x, j)
                value = np.zeros(self.initial.shape[1])
                value[column] = write
                if self.beta[x, j] != 0:
                    self.factors[x].append((self.beta[x, j], index, key, value))

    @staticmethod
    def sparse(part, kind, x, j):
        if kind in part:
            index = np.flatnonzero(part[kind][x, j])
            return index, part[kind][x, j][index]
        index = part[f"{kind}_index"][x, j]
        return index[index >= 0], part[f"{kind}_value"][x, j][index >= 0]

    def step(self, letter, states):
        S = states * self.gate[letter]
        for beta, index, key, value in self.factors[letter]:
            r = np.tensordot(key, S[index], 1) - value[:, None]
            S[index] -= beta * key[:, None, None] * r
        return S


def check_class(heads, exact):
    """0 <= gate <= 1, 0 <= beta <= 2 and keys of norm 1: by rationals, unless the weights are rounded."""
    for head in heads:
        require(np.all((head.gate >= 0) & (head.gate <= 1)), "a gate is out of range")
        for beta, _, key, _ in (factor for letter in head.factors for factor in letter):
            norm2 = sum(Fraction(k) ** 2 for k in key.tolist()) if exact else float(key @ key)
            require(0 < beta <= 2, "a beta is out of range")
            require(norm2 == 1 if exact else abs(norm2 - 1) < 1e-14, f"a key has norm^2 {float(norm2)!r}")


class Table:
    """The hidden states met so far, as flat vectors; equal up to TOLERANCE when the weights are rounded."""

    def __init__(self, exact):
        self.exact, self.number, self.rows = exact, {}, []

    def find(self, vector):
        if self.exact:
            return self.number.get((vector + 0.0).tobytes())  # + 0.0: one zero
        if not self.rows:
            return None
        distance = np.abs(np.array(self.rows) - vector).max(axis=1)
        nearest = int(distance.argmin())
        return nearest if distance[nearest] < TOLERANCE else None

    def add(self, vector):
        self.number[(vector + 0.0).tobytes()] = len(self.rows)
        self.rows.append(vector)
        return len(self.rows) - 1


class Replay:
    def __init__(self, automaton, metadata, tensors):
        heads = len({name.split(".")[3] for name in tensors})
        self.automaton, self.kind = automaton, metadata["label"]
        self.heads = [Head(tensors, f"layers.0.heads.{h}.") for h in range(heads)]
        self.cut = np.cumsum([h.initial.size for h in self.heads])[:-1]
        self.initial = np.concatenate([h.initial.ravel() for h in self.heads])
        self.table, self.labels = Table(metadata["rounding"] == "exact"), {}

    def step(self, letter, vectors):
        """Hidden states [batch, numbers] after the letter."""
        out = []
        for head, part in zip(self.heads, np.split(vectors, self.cut, axis=1)):
            states = part.T.reshape(*head.initial.shape, -1)
            out.append(head.step(letter, states).reshape(-1, len(vectors)).T)
        return np.concatenate(out, axis=1)

    def meet(self, hidden, state):
        """Notes that the hidden state goes with the automaton's state; true when the pair is new."""
        label = self.automaton.label(self.kind, state)
        known = self.labels.setdefault(hidden, label)
        require(known == label, f"one hidden state stands for {known!r} and {label!r}")
        if (hidden, state) in self.pairs:
            return False
        self.pairs.add((hidden, state))
        return True

    def close(self):
        self.pairs = set()
        frontier = [(self.table.add(self.initial), self.automaton.start)]
        self.meet(*frontier[0])
        while frontier:
            vectors, found = np.array([self.table.rows[h] for h, _ in frontier]), []
            for letter in range(len(self.automaton.letters)):
                for (_, state), vector in zip(frontier, self.step(letter, vectors)):
                    hidden = self.table.find(vector)
                    if hidden is None:
                        hidden = self.table.add(vector)
                    pair = hidden, self.automaton.next[state][letter]
                    require(len(self.table.rows) <= 64 * len(self.automaton.states) + 64, "the hidden states do not close")
                    if self.meet(*pair):
                        found.append(pair)
            frontier = found
        require({q for _, q in self.pairs} == set(range(len(self.automaton.states))), "a state is never reached")

    def random_words(self, words):
        random = np.random.default_rng(SEED)
        vectors, states = np.array([self.initial] * words), [self.automaton.start] * words
        for t in range(WORD_LENGTH):
            letters = random.integers(len(self.automaton.letters), size=words)
            for letter in np.unique(letters):
                vectors[letters == letter] = self.step(letter, vectors[letters == letter])
            states = [self.automaton.next[q][x] for q, x in zip(states, letters)]
            for vector, state in zip(vectors, states):
                hidden = self.table.find(vector)
                require(hidden is not None, f"letter {t + 1} leads to an unknown hidden state (seed {SEED})")
                require(self.labels[hidden] == self.automaton.label(self.kind, state),
                        f"wrong after {t + 1} letters (seed {SEED})")


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 64
    out = Path(sys.argv[1])
    text = (out / "automaton.fsa").read_bytes()
    metadata, tensors = read_safetensors((out / "weights.safetensors").read_bytes())
    layers = len({name.split(".")[1] for name in tensors})
    if layers != 1:
        print(f"this client replays networks of one layer; this one has {layers}")
        return 2
    automaton = Automaton(text.decode("utf-8"))
    passed = failed = 0
    replay = Replay(automaton, metadata, tensors)
    words = WORDS if max(len(f) for h in replay.heads for f in h.factors) < 100 else 1

    def metadata_fits():
        require(metadata["fsa_sha256"] == hashlib.sha256(text).hexdigest(), "another automaton")
        require(json.loads(metadata["letters"]) == automaton.letters, "other letters")
        require(json.loads(metadata["states"]) == automaton.states, "other states")
        require(metadata["schema"] == "1" and metadata["rounding"] in ("exact", "f64"), "unknown schema or rounding")
        require(all(h.letters == len(automaton.letters) for h in replay.heads), "tensors of another alphabet")

    for name, check in (("metadata", metadata_fits), ("closure", replay.close),
                        ("class", lambda: check_class(replay.heads, metadata["rounding"] == "exact")),
                        ("random words", lambda: replay.random_words(words))):
        try:
            check()
            passed += 1
        except Mismatch as mismatch:
            failed += 1
            print(f"{name}: {mismatch}")
    print(f"{len(replay.table.rows)} hidden states, {len(automaton.states)} states, {words} words of {WORD_LENGTH} "
          f"letters, weights {metadata['format']} ({metadata['rounding']})")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
