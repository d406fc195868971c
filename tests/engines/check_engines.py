"""Looks at cells of `fsa2lrnn engines` again, with a model in Python that shares nothing with the
program but the network's file: it closes joint states breadth-first, and runs random, periodic and
greedy words. It says of each cell whether its verdict was found again, or was only not contradicted
(UNKNOWN claims nothing), or that the model lacks the row. A contradiction fails.

    python3 tests/engines/check_engines.py --tool build/release/fsa2lrnn [--record FILE]

Without --record the automaton is S5 and all cells are looked at; with it, all cells of S5 and 20
random cells of each engine of the record, half of them REFUTED where there are so many."""

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from collections import Counter, deque
from fractions import Fraction
from operator import mul
from pathlib import Path

from network import Exact, Network, Unsupported
from row import Row, read_engine

ROOT = Path(__file__).resolve().parents[2]
PRESETS = ROOT / "models" / "network" / "engines"
LONG = 600  # letters of its random words
FARTHEST = 40000  # letters of a failing word that it runs


def numbers_of(layer, groups):
    """Returns the numbers of a code, columns one after the other, as a step has them."""
    out = []
    for head, cells in zip(layer.heads, groups):
        for j in range(head.d):
            out += [float(cells.get((i, j), 0)) for i in range(head.n)]
    return out


class Decoder:
    """The nearest code of each layer; exact where two are near."""

    def __init__(self, layer):
        self.layer = layer
        self.codes = [numbers_of(layer, c) for c in layer.codes]
        self.square = [sum(v * v for v in c) for c in self.codes]

    def nearest(self, s):
        """Returns the code, or None for a tie of codes with different symbols or a NaN."""
        if not all(math.isfinite(v) for v in s):
            return None
        score = [q - 2 * sum(map(mul, c, s)) for q, c in zip(self.square, self.codes)]
        least = min(score)
        near = [i for i, v in enumerate(score) if v <= least + 1e-6 * (1 + abs(least))]
        if len(near) > 1:
            exact = [(self.exactly(i, s), i) for i in near]
            best = min(exact)[0]
            near = [i for d, i in exact if d == best]
        if len(near) > 1 and len({self.meaning(i) for i in near}) > 1:
            return None
        return near[0]

    def meaning(self, i):
        return self.layer.symbols[i] if self.layer.decode == "state" else i

    def exactly(self, i, s):
        return sum((Fraction(c) - Fraction(v)) ** 2 for c, v in zip(self.codes[i], s))


class Machine:
    """The network in a row. A state is a list with the numbers and residuals of each head."""

    def __init__(self, network, row):
        self.network, self.row = network, row
        self.decoders = [Decoder(layer) for layer in network.layers]
        self.weights = [[row.weights(h) for h in layer.heads] for layer in network.layers]

    def begin(self):
        out = []
        for layer in self.network.layers:
            for head in layer.heads:
                state = [
                    [float(head.initial.get((i, j), 0)) for i in range(head.n)]
                    for j in range(head.d)
                ]
                feedback = self.row.f["residual"].startswith("feedback")
                kept = [[0.0] * head.n for _ in state] if feedback else None
                if self.row.letters > 1:
                    kept = [] if self.row.f["ring"] != "none" else 0
                out.append((self.row.quantised(state, self.row.state, self.row.f["scale"]), kept))
        return out

    def made(self, state):
        """Returns the numbers of a state, of a ring those that are made again."""
        numbers, kept = state
        if self.row.f["ring"] == "none":
            return numbers
        return self.row.replayed(numbers, [u for some in kept for u in some])

    def step_head(self, x, state, weights):
        """Returns the numbers before the store, those after it, and what is kept beside them."""
        row, (numbers, kept) = self.row, state
        if row.letters == 1:
            before = row.letter(x, numbers, weights)
            return (before, *row.stored(before, kept))
        if row.f["ring"] == "none":
            before = row.letter(x, numbers, weights)
            if kept + 1 < row.letters:
                return before, before, kept + 1
            return before, row.stored(before, None)[0], 0
        if weights[x][0] != 1 or weights[x][2]:
            raise Unsupported("a ring with gates or biases")
        updates = []
        before = row.letter(x, self.made(state), weights, updates)
        if len(kept) + 1 < row.letters:
            return before, numbers, [*kept, updates]
        return before, row.stored(before, None)[0], []

    def step(self, states, letter):
        """Returns the next states, and the label, or None."""
        out, x, at = [], letter, 0
        for layer, decoder, weights in zip(self.network.layers, self.decoders, self.weights):
            numbers = []
            for w in weights:
                if x is None:
                    return None, None
                before, after, kept = self.step_head(x, states[at], w)
                out.append((after, kept))
                for column in self.row.read(before, after):
                    numbers += column
                at += 1
            code = decoder.nearest(numbers)
            x = None if code is None else layer.symbol(x, code)
        return out, x


def key_of(machine, states):
    """Returns a text of the states; of a ring the sums of its products."""
    if machine.row.f["ring"] == "none":
        return repr(states)
    out = []
    for numbers, kept in states:
        ring = [u for some in kept for u in some]
        none = [[0.0] * len(column) for column in numbers]
        out.append((numbers, len(kept), machine.row.replayed(none, ring)))
    return repr(out)


def close(machine, exact, most):
    """Returns ("closed", states), ("wrong", letters) or ("open", None)."""
    first, begun = machine.begin(), exact.begin()
    seen, queue = {(key_of(machine, first), begun)}, deque([(first, begun, 0)])
    while queue:
        states, joint, depth = queue.popleft()
        for x in range(len(machine.network.letters)):
            after, label = machine.step(states, x)
            joint2, right = exact.step(joint, x)
            if label != right:
                return "wrong", depth + 1
            at = (key_of(machine, after), joint2)
            if at not in seen:
                if len(seen) > most:
                    return "open", None
                seen.add(at)
                queue.append((after, joint2, depth + 1))
    return "closed", len(seen)


def run_word(machine, exact, word):
    """Returns the length after which the label is wrong, or None."""
    states, joint = machine.begin(), exact.begin()
    for t, x in enumerate(word):
        states, label = machine.step(states, x)
        joint, right = exact.step(joint, x)
        if label != right:
            return t + 1
    return None


def distance(machine, exact, states, joint):
    """Returns how far the last layer that is farthest is from the exact state."""
    worst, at = 0.0, 0
    for place, layer in enumerate(machine.network.layers):
        code = machine.decoders[place].codes[joint[place]]
        some = [machine.made(state) for state in states[at : at + len(layer.heads)]]
        numbers = [v for s in some for column in s for v in column]
        worst = max(worst, math.dist(numbers, code))
        at += len(layer.heads)
    return worst


def run_greedy(machine, exact, letters):
    states, joint = machine.begin(), exact.begin()
    for t in range(letters):
        best = None
        for x in range(len(machine.network.letters)):
            after, label = machine.step(states, x)
            joint2, right = exact.step(joint, x)
            if label != right:
                return t + 1
            far = distance(machine, exact, after, joint2)
            if best is None or far > best[0]:
                best = (far, after, joint2)
        _, states, joint = best
    return None


def is_fixed(machine, exact, most):
    """Returns whether nothing rounds on exact states: every stored state is the exact one."""
    waits = machine.row.letters > 1  # and then states differ by the letters since the store
    joints, queue = {(exact.begin(), 0)}, deque([(exact.begin(), machine.begin(), 0)])
    while queue:
        joint, states, at = queue.popleft()
        then = (at + 1) % machine.row.letters if waits else 0
        for x in range(len(machine.network.letters)):
            after, label = machine.step(states, x)
            joint2, right = exact.step(joint, x)
            if label != right or distance(machine, exact, after, joint2) != 0:
                return False
            if (joint2, then) not in joints:
                joints.add((joint2, then))
                if len(joints) > most:
                    return None
                queue.append((joint2, after, then))
    return True


def judge(machine, exact, cell, most):
    """Returns "found again", "not contradicted", or a contradiction."""
    verdict, how = cell["cell_verdict"], cell.get("how")
    if verdict == "VERIFIED" and how == "nothing rounds":
        fixed = is_fixed(machine, exact, most)
        return "not contradicted" if fixed is None else "found again" if fixed else "it rounds"
    if machine.row.stochastic:
        return judge_draws(machine, exact, cell)
    if verdict == "VERIFIED" or (verdict == "REFUTED" and how == "closure"):
        found, number = close(machine, exact, most)
        if found == "open":
            return "not contradicted"
        closed = verdict == "VERIFIED"
        number_of = "joint_states" if closed else "wrong_after"
        want = ("closed" if closed else "wrong", cell.get(number_of))
        return "found again" if (found, number) == want else f"{found} {number}"
    if verdict == "REFUTED":
        return judge_long(machine, exact, cell)
    return judge_open(machine, exact, cell)


def judge_draws(machine, exact, cell):
    """Of a store that draws the model runs the draw to nearest, which is one of the choices."""
    count = len(machine.network.letters)
    wrong = run_word(machine, exact, [random.randrange(count) for _ in range(LONG)])
    if cell["cell_verdict"] == "VERIFIED" and wrong:
        return f"wrong at {wrong}"
    return "not contradicted"


def judge_long(machine, exact, cell):
    """Runs the word on which the failure was seen."""
    letters, word = cell.get("wrong_after"), cell.get("wrong_on")
    if letters > FARTHEST or word.startswith("a word that recurs"):
        return "not contradicted"
    if word == "greedy":
        found = run_greedy(machine, exact, letters)
    else:
        found = run_word(machine, exact, letters_of(machine.network, word, letters))
    return "found again" if found == letters else f"the word is wrong at {found}"


def letters_of(network, word, count):
    if word.startswith("random, seed "):
        draw = Philox(int(word.removeprefix("random, seed ")))
        return (draw.below(len(network.letters)) for _ in range(count))
    period = [network.letters.index(x) for x in word[1 : word.index(")")].split()]
    return (period[t % len(period)] for t in range(count))


class Philox:
    """The published generator Philox4x32-10, read in order."""

    def __init__(self, seed):
        self.key, self.counter, self.left = (seed & 0xFFFFFFFF, seed >> 32), 0, []

    def block(self):
        c, k = [self.counter & 0xFFFFFFFF, self.counter >> 32, 0, 0], list(self.key)
        for _ in range(10):
            p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [q >> 32 ^ c[1] ^ k[0], q & 0xFFFFFFFF, p >> 32 ^ c[3] ^ k[1], p & 0xFFFFFFFF]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        self.counter += 1
        return c

    def below(self, n):
        while True:
            if not self.left:
                self.left = self.block()
            low, high = self.left[:2]
            self.left = self.left[2:]
            x = high << 32 | low
            if x >= (1 << 64) % n:
                return x % n


def judge_open(machine, exact, cell):
    letters = LONG if cell.get("right_up_to") is None else min(LONG, cell.get("right_up_to"))
    word = [random.randrange(len(machine.network.letters)) for _ in range(letters)]
    wrong = run_word(machine, exact, word)
    bound = wrong and cell.get("right_up_to")
    return f"wrong at {wrong}, within the bound" if bound else "not contradicted"


# --- cells ---


def make_network(args, folder, made_by, cache):
    if made_by not in cache:
        out = folder / str(len(cache))
        words = [w.strip("'") for w in made_by.split()]
        words[words.index("--out") + 1] = str(out)
        words[1] = str(args.automata / words[1])
        subprocess.run([args.tool, *words[1:], "--quiet"], check=True)
        try:
            network = Network(out / "network.lrnn")
            cache[made_by] = (network, Exact(network))
        except Unsupported as why:
            cache[made_by] = why
    return cache[made_by]


def look_at(args, folder, cell, nets, cache):
    made_by = nets[cell["automaton_file"], cell["keys"]]
    if cell["cell_verdict"] == "none":
        return "none"
    made = make_network(args, folder, made_by, cache)
    if isinstance(made, Unsupported):
        return f"not modelled: {made}"
    network, exact = made
    engine, state = cell["engine"].rsplit("/", 1)
    try:
        row = Row(read_engine(PRESETS / f"{engine}.engine"), state, "bf16")
        return judge(Machine(network, row), exact, cell, args.most)
    except Unsupported as why:
        return f"not modelled: {why}"


def choose(cells, everything):
    """Returns the cells to look at: 20 of each engine, half of them REFUTED, and all of S5."""
    out, of_engine = [], {}
    for cell in cells:
        if everything or cell["automaton_file"].startswith("S5"):
            out.append(cell)
        else:
            of_engine.setdefault(cell["engine"], []).append(cell)
    for some in of_engine.values():
        random.shuffle(some)
        refuted = [c for c in some if c["cell_verdict"] == "REFUTED"][:10]
        others = [c for c in some if c["cell_verdict"] in ("VERIFIED", "UNKNOWN")]
        out += refuted + others[: 20 - len(refuted)]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--record", type=Path, help="a record of tests/engines/record_engines.py")
    parser.add_argument("--automaton", type=Path, default=ROOT / "examples" / "s5_generators.fsa")
    parser.add_argument("--automata", type=Path, default=ROOT, help="the folder of the record's")
    parser.add_argument("--most", type=int, default=3000, help="joint states that it closes")
    parser.add_argument("--engine", help="only this one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    random.seed(args.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if args.record:
            table = json.loads(args.record.read_text())
        else:
            command = [args.tool, "engines", args.automaton, "--json", "--jobs", "2"]
            command += ["--engine", args.engine] if args.engine else []
            run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            table = json.loads(run.stdout)
        nets = {(n["automaton_file"], n["keys"]): n.get("made_by") for n in table["engine_nets"]}
        cache, counts, faults = {}, Counter(), 0
        for cell in choose(table["engine_cells"], not args.record):
            said = look_at(args, folder, cell, nets, cache)
            kind = said.split(":")[0]
            fault = kind not in ("found again", "not contradicted", "none", "not modelled")
            faults += fault
            counts["contradicted" if fault else kind] += 1
            if fault or args.verbose:
                names = ("automaton_file", "keys", "engine", "cell_verdict", "how")
                known = [cell.get(k) for k in names]
                known += [cell.get("wrong_after"), cell.get("joint_states")]
                print(*known, "--", said, flush=True)
    print("engines:", ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    print(f"{sum(counts.values()) - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
