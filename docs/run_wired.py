"""Runs a wired network from its weights.safetensors alone, with NumPy and run_weights.py beside it:

    python3 run_wired.py ladder.lrnn/weights.safetensors 1 0 1

A test of the weights, not a proof: numbers are float64, and rows have the nearest code."""
import json
import sys

import numpy as np

from run_weights import read


class Network:
    def __init__(self, path):
        about, self.tensors = read(path)
        if about.get("kind") != "wired":
            sys.exit(f"{path}: the network is not wired: run_weights.py runs layers")
        self.letters, self.labels = json.loads(about["letters"]), json.loads(about["labels"])
        self.class_of = json.loads(about.get("letter_classes", "null"))

    def vector(self, name, at, size):
        """Returns a row of keys, values or codes; index -1, of padding, has a place of its own."""
        if name in self.tensors:
            return self.tensors[name][at][:size]
        full = np.zeros(size + 1)
        full[self.tensors[name + "_index"][at]] = self.tensors[name + "_value"][at]
        return full[:size]

    def initial(self, stage, block):
        """Returns the first states of the heads of a stage."""
        t, states = self.tensors, []
        while f"blocks.{block}.heads.{len(states)}.beta" in t:
            name = f"stages.{stage}.heads.{len(states)}.initial"
            if name in t:
                states.append(t[name].astype(float))
                continue
            states.append(np.zeros(t[f"blocks.{block}.heads.{len(states)}.shape"]))
            states[-1].flat[t[name + "_index"]] = t[name + "_value"]
        return states

    def look_up(self, at, values):
        """Appends what the gates of a circuit give."""
        t, ends = self.tensors, self.tensors[at + "wire_at"]
        for table, begin, end in zip(t[at + "table"], ends, ends[1:]):
            wires = t[at + "wire"][begin:end]
            values.append(t[f"tables.{table}"][tuple(values[w] for w in wires)])

    def move(self, at, S, values):
        """Returns the state of a head after the letters that its slots read from their wires."""
        t, (n, d) = self.tensors, S.shape
        for wire, first in zip(t[at + "slot_wire"], t[at + "slot_at"]):
            x = first + values[wire]
            S = S * t[at + "gate"][x] if at + "gate" in t else S
            for j in np.flatnonzero(t[at + "beta"][x]):
                k, v = self.vector(at + "key", (x, j), n), self.vector(at + "value", (x, j), d)
                S = S - t[at + "beta"][x, j] * np.outer(k, k @ S - v)
        return S

    def read_out(self, at, states, values):
        """Appends the number of the code nearest to each readout's rows."""
        t, ends = self.tensors, self.tensors[at + "codes_at"]
        for head, row, rows, begin, end in zip(*(t[at + k] for k in ("head", "row", "rows")),
                                               ends, ends[1:]):  # fmt: skip
            part = states[head][row : row + rows].ravel()
            codes = [self.vector(at + "codes", c, part.size) for c in range(begin, end)]
            values.append(self.nearest(np.array(codes), part))

    def nearest(self, codes, part):
        return np.argmin(np.abs(codes - part).sum(1))

    def run(self, word):
        """Yields the label after every letter of a word of letter numbers."""
        blocks = self.tensors["stages"]
        states = [self.initial(stage, block) for stage, block in enumerate(blocks)]
        for a in word:
            values = [self.class_of[a] if self.class_of else a]  # what the first stage reads
            for stage, block in enumerate(blocks):
                at, now = f"blocks.{block}.", states[stage]
                self.look_up(at + "pre.", values)
                now = [self.move(f"{at}heads.{h}.", S, values) for h, S in enumerate(now)]
                self.read_out(at + "readouts.", now, values)
                self.look_up(at + "post.", values)
                states[stage], values = now, [values[w] for w in self.tensors[at + "outputs"]]
            yield self.labels[values[0]]


if __name__ == "__main__":
    network = Network(sys.argv[1])
    print(*network.run([network.letters.index(a) for a in sys.argv[2:]]))
