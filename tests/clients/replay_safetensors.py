"""Replays OUT/weights.safetensors against OUT/automaton.fsa, using nothing but the two file
formats: json reads the header, NumPy the numbers.

The recurrence runs in float64, which is exact for dyadic weights. The hidden states are closed
under all letters from H_0, together with the automaton; every hidden state must have only one label
(with the labels "states" this is one state, so that different states have different hidden states).
Then random words must stay inside this table. This needs a network of one layer: the decoders
between layers are not in the file. The file of a wired network holds all of it; there random words
must give the automaton's labels.

usage: replay_safetensors.py OUT
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from automaton_file import Automaton, Mismatch, require
from replay_wired import WiredReplay
from weights_file import Head, check_class, letter_classes, read_safetensors

WORD_LENGTH, WORDS, SEED = 1000, 20, 20240229
TOLERANCE = 1e-6  # for weights rounded to float64; distinct hidden states lie much further apart


class Table:
    """The hidden states reached so far, as flat vectors; equal up to TOLERANCE when the weights are
    rounded."""

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
        heads = sum(".beta" in name for name in tensors)
        self.automaton, self.kind = automaton, metadata["label"]
        self.class_of = letter_classes(automaton, metadata)
        raw, names = json.loads(metadata.get("raw", "[]")), [
            f"layers.0.heads.{h}" for h in range(heads)
        ]
        require(set(raw) <= set(names), "a head that is not there is called raw")
        self.heads = [Head(tensors, name + ".", raw=name in raw) for name in names]
        self.cut = np.cumsum([h.initial.size for h in self.heads])[:-1]
        self.initial = np.concatenate([h.initial.ravel() for h in self.heads])
        self.table, self.labels = Table(metadata["rounding"] == "exact"), {}
        self.words = WORDS if max(len(f) for h in self.heads for f in h.factors) < 100 else 1

    def step(self, letter, vectors):
        """Returns the hidden states [batch, numbers] after the letter."""
        out = []
        for head, part in zip(self.heads, np.split(vectors, self.cut, axis=1)):
            states = part.T.reshape(*head.initial.shape, -1)
            out.append(head.step(self.class_of[letter], states).reshape(-1, len(vectors)).T)
        return np.concatenate(out, axis=1)

    def meet(self, hidden, state):
        """Records the hidden state with the automaton's state; returns whether the pair is new."""
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
                    require(
                        len(self.table.rows) <= 64 * len(self.automaton.states) + 64,
                        "the hidden states do not close",
                    )
                    if self.meet(*pair):
                        found.append(pair)
            frontier = found
        require(
            {q for _, q in self.pairs} == set(range(len(self.automaton.states))),
            "a state is never reached",
        )

    def random_words(self):
        words, random = self.words, np.random.default_rng(SEED)
        vectors, states = np.array([self.initial] * words), [self.automaton.start] * words
        for t in range(WORD_LENGTH):
            letters = random.integers(len(self.automaton.letters), size=words)
            for letter in np.unique(letters):
                vectors[letters == letter] = self.step(letter, vectors[letters == letter])
            states = [self.automaton.next[q][x] for q, x in zip(states, letters)]
            for vector, state in zip(vectors, states):
                hidden = self.table.find(vector)
                require(
                    hidden is not None,
                    f"letter {t + 1} leads to an unknown hidden state (seed {SEED})",
                )
                require(
                    self.labels[hidden] == self.automaton.label(self.kind, state),
                    f"wrong after {t + 1} letters (seed {SEED})",
                )

    def summary(self):
        return (
            f"{len(self.table.rows)} hidden states, {len(self.automaton.states)} states,"
            f" {self.words} words of {WORD_LENGTH} letters"
        )


def ordinary_checks(automaton, metadata, tensors):
    """Returns (replay, checks), or None for networks that this client cannot replay."""
    layers = len({name.split(".")[1] for name in tensors})
    if layers != 1:
        print(f"this client replays networks of one layer; this one has {layers}")
        return None
    replay = Replay(automaton, metadata, tensors)

    def alphabet():
        require(
            all(h.letters == max(replay.class_of) + 1 for h in replay.heads),
            "tensors of another alphabet",
        )

    return replay, [
        ("alphabet", alphabet),
        ("closure", replay.close),
        ("class", lambda: check_class(replay.heads, metadata["rounding"] == "exact")),
        ("random words", replay.random_words),
    ]


def wired_checks(automaton, metadata, tensors):
    replay = WiredReplay(automaton, metadata, tensors)
    return replay, [
        ("wiring", replay.wiring),
        ("class", lambda: check_class(replay.network.heads(), metadata["rounding"] == "exact")),
        ("random words", replay.random_words),
    ]


def check_metadata(automaton, text, metadata):
    require(metadata["fsa_sha256"] == hashlib.sha256(text).hexdigest(), "another automaton")
    require(json.loads(metadata["letters"]) == automaton.letters, "other letters")
    require(json.loads(metadata["states"]) == automaton.states, "other states")
    require(
        metadata["schema"] == ("2" if "letter_classes" in metadata else "1")
        and metadata["rounding"] in ("exact", "f64"),
        "unknown schema or rounding",
    )


def examine(out):
    """Checks the files in the folder `out`, prints what was found, and returns the exit status."""
    text = (out / "automaton.fsa").read_bytes()
    metadata, tensors = read_safetensors((out / "weights.safetensors").read_bytes())
    automaton = Automaton(text.decode("utf-8"))
    name, passed, failed = "tensors", 0, 0
    try:
        known = {None: ordinary_checks, "wired": wired_checks}[metadata.get("kind")](
            automaton, metadata, tensors
        )
        if known is None:
            return 2
        replay, checks = known
        for name, check in [
            ("metadata", lambda: check_metadata(automaton, text, metadata)),
            *checks,
        ]:
            check()  # the later ones rely on the earlier ones
            passed += 1
        print(f"{replay.summary()}, weights {metadata['format']} ({metadata['rounding']})")
    except Mismatch as mismatch:
        failed = 1
        print(f"{name}: {mismatch}")
    print(f"{passed} passed, {failed} failed")
    return failed


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 64
    return examine(Path(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
