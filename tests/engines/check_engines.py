"""Looks at cells of `fsa2lrnn engines` again, with a model in Python that shares nothing with the
program but the network's file: it closes joint states breadth-first, and runs random, periodic and
greedy words. It says of each cell whether its verdict was found again, or was only not contradicted
(UNKNOWN claims nothing), or that the model lacks the row. A contradiction fails.

    python3 tests/engines/check_engines.py --tool build/release/fsa2lrnn [--record FILE]

Without --record the automaton is S5 and all cells are looked at; with it, all cells of S5 and 20
random cells of each engine of the record, half of them REFUTED where there are so many."""

import argparse
import hashlib
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, deque
from concurrent.futures import ProcessPoolExecutor, as_completed
from fractions import Fraction
from operator import mul
from pathlib import Path

from network import Exact, Network, Unsupported
from record_engines import write_automata
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
            out += [cells.get((i, j), Fraction(0)) for i in range(head.n)]
    return out


class Decoder:
    """The nearest code of each layer, or the one with the nearest direction; exact where two are
    near."""

    def __init__(self, layer, how):
        self.layer, self.how = layer, how
        self.exact = [numbers_of(layer, c) for c in layer.codes]
        self.codes = [[float(v) for v in c] for c in self.exact]
        self.square = [sum(v * v for v in c) for c in self.codes]
        if how == "linear" and 0 in self.square:
            raise Unsupported("a code without a direction")
        if how == "linear" and len(layer.heads) > 1:
            raise Unsupported("directions of several heads, each with its own norm")

    def symbol(self, x, s):
        """Returns what the layer gives after letter x for the numbers s, or None: for a NaN, and
        where several codes are nearest that give different symbols."""
        if not all(math.isfinite(v) for v in s):
            return None
        if self.how == "linear":
            near = self.least([(self.direction(i, s), i) for i in range(len(self.codes))])
        else:
            score = [q - 2 * sum(map(mul, c, s)) for q, c in zip(self.square, self.codes)]
            least = min(score)
            near = [i for i, v in enumerate(score) if v <= least + 1e-6 * (1 + abs(least))]
            if len(near) > 1:
                near = self.least([(self.exactly(i, s), i) for i in near])
        symbols = {self.layer.symbol(x, i) for i in near}
        return symbols.pop() if len(symbols) == 1 else None

    def least(self, scores):
        best = min(scores)[0]
        return [i for score, i in scores if score == best]

    def exactly(self, i, s):
        return sum((c - Fraction(v)) ** 2 for c, v in zip(self.exact[i], s))

    def direction(self, i, s):
        """Returns -(S . c) |S . c| / |c|^2: the less, the nearer."""
        product = sum(c * Fraction(v) for c, v in zip(self.exact[i], s))
        return -product * abs(product) / sum(c * c for c in self.exact[i])


class Machine:
    """The network in a row. A state is a list with the numbers of each head, and what is kept
    beside them: the residual, and the letters since the store, or a ring of their updates."""

    def __init__(self, network, row):
        self.network, self.row = network, row
        self.decoders = [Decoder(layer, row.f["decode"]) for layer in network.layers]
        self.weights = [[row.weights(h) for h in layer.heads] for layer in network.layers]
        self.feedback = row.f["residual"].startswith("feedback")

    def groups(self, layer):
        """Returns the numbers of the heads that are stored together."""
        heads = list(range(len(layer.heads)))
        together = self.row.f["block"] == "tensor" and self.row.f["scale"] != "none"
        return [heads] if together else [[h] for h in heads]

    def store(self, layer, states, residuals, how):
        """Returns states and residuals of the layer's heads after their store."""
        out, kept = list(states), list(residuals)
        for group in self.groups(layer):
            columns = [c for h in group for c in states[h]]
            rest = [c for h in group for c in residuals[h]] if self.feedback else None
            made, rest = how(columns, rest)
            for h in group:
                out[h], made = made[: len(states[h])], made[len(states[h]) :]
                if rest:
                    kept[h], rest = rest[: len(states[h])], rest[len(states[h]) :]
        return out, kept

    def begin(self):
        out = []
        for layer in self.network.layers:
            states = [self.row.initial(h) for h in layer.heads]
            residuals = [[[0.0] * h.n for _ in range(h.d)] if self.feedback else None
                         for h in layer.heads]
            self.row.bits = None
            states, _ = self.store(layer, states, residuals,
                                   lambda x, r: (self.row.quantised(x), r))
            since = [] if self.row.f["ring"] != "none" else 0
            out += [(s, (since, r)) for s, r in zip(states, residuals)]
        return out

    def made(self, state):
        """Returns the numbers of a state, of a ring those that are made again."""
        numbers, (since, _) = state
        if self.row.f["ring"] == "none":
            return numbers
        return self.row.replayed(numbers, [u for some in since for u in some])

    def step_layer(self, layer, weights, x, states):
        """Returns the numbers that are decoded, head by head, and the layer's next states."""
        row, before, sinces = self.row, [], []
        for w, state in zip(weights, states):
            ring = row.f["ring"] != "none"
            if ring and (w[x][0] != 1 or w[x][2]):
                raise Unsupported("a ring with gates or biases")
            updates = [] if ring else None
            before.append(row.letter(x, self.made(state), w, updates))
            sinces.append([*state[1][0], updates] if ring else state[1][0] + 1)
        since, residuals = sinces[0], [kept[1] for _, kept in states]
        count = since if isinstance(since, int) else len(since)
        after = before
        if count == row.letters:
            after, residuals = self.store(layer, before, residuals, row.stored)
            sinces = [[] if isinstance(s, list) else 0 for s in sinces]
        read = [row.read(b, a) for b, a in zip(before, after)]
        kept = after
        if row.f["ring"] != "none" and count < row.letters:
            kept = [numbers for numbers, _ in states]
        return read, [(s, (t, r)) for s, t, r in zip(kept, sinces, residuals)]

    def step(self, states, letter):
        """Returns the next states, and the label, or None."""
        out, x = [], letter
        for layer, decoder, weights in zip(self.network.layers, self.decoders, self.weights):
            if x is None:
                return None, None
            mine = states[len(out) : len(out) + len(weights)]
            read, after = self.step_layer(layer, weights, x, mine)
            out += after
            x = decoder.symbol(x, [v for columns in read for c in columns for v in c])
        return out, x


def key_of(machine, states):
    """Returns a text of the states; of a ring the sums of its products."""
    if machine.row.f["ring"] == "none":
        return repr(states)
    out = []
    for numbers, (since, _) in states:
        ring = [u for some in since for u in some]
        none = [[0.0] * len(column) for column in numbers]
        out.append((numbers, len(since), machine.row.replayed(none, ring)))
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

NETWORKS = {}  # of this process, by the line that made them


def make_network(args, folder, net, cache):
    """Returns the network and its exact steps, or why there are none to compare with."""
    made_by = net.get("made_by")
    if made_by not in cache:
        out = folder / f"{os.getpid()}.{len(cache)}"
        words = [w.strip("'") for w in made_by.split()]
        words[words.index("--out") + 1] = str(out)
        source = args.automata / words[1]
        words[1] = str(source)
        try:
            if not source.exists():
                raise Unsupported(f"{source.name} is not in the folder of automata")
            subprocess.run([args.tool, *words[1:], "--quiet"], check=True)
            made = hashlib.sha256((out / "network.lrnn").read_bytes()).hexdigest()
            if made != net["network_sha256"]:
                raise Unsupported("the network is another one now")
            network = Network(out / "network.lrnn")
            cache[made_by] = (network, Exact(network))
        except Unsupported as why:
            cache[made_by] = why
    return cache[made_by]


def look_at(args, folder, cell, nets, cache):
    net = nets[cell["automaton_file"], cell["keys"]]
    if cell["cell_verdict"] == "none":
        return "none"
    made = make_network(args, folder, net, cache)
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


def look_at_one(args, folder, cell, nets):
    """Returns what is found of a cell, which is the same in every process, and in every order."""
    random.seed(f"{args.seed} {cell['automaton_file']} {cell['keys']} {cell['engine']}")
    return look_at(args, folder, cell, nets, NETWORKS)


def looked_at(args, folder, cells, nets):
    """Yields cells, as they are ready, and what is found of them."""
    if args.jobs == 1:
        for cell in cells:
            yield cell, look_at_one(args, folder, cell, nets)
        return
    with ProcessPoolExecutor(args.jobs) as pool:
        asked = {pool.submit(look_at_one, args, folder, cell, nets): cell for cell in cells}
        for done in as_completed(asked):
            yield asked[done], done.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--record", type=Path, help="a record of tests/engines/record_engines.py")
    parser.add_argument("--automaton", type=Path, default=ROOT / "examples" / "s5_generators.fsa")
    parser.add_argument("--automata", type=Path, help="the folder of the record's, where those "
                        "that are no files of MLRegTest are made")
    parser.add_argument("--most", type=int, default=3000, help="joint states that it closes")
    parser.add_argument("--engine", help="only this one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes that look at cells")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    random.seed(args.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        args.automata = args.automata or folder
        if args.record:
            table = json.loads(args.record.read_text())
            args.automata.mkdir(parents=True, exist_ok=True)
            write_automata(args.tool, args.automata)  # but the languages of MLRegTest
        else:
            command = [args.tool, "engines", args.automaton, "--json", "--jobs", "2"]
            command += ["--engine", args.engine] if args.engine else []
            run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            table = json.loads(run.stdout)
        nets = {(n["automaton_file"], n["keys"]): n for n in table["engine_nets"]}
        counts, faults = Counter(), 0
        cells = choose(table["engine_cells"], not args.record)
        for cell, said in looked_at(args, folder, cells, nets):
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
