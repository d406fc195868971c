"""Closes random small networks in random rows with the model in Python, and compares what it finds
with `fsa2lrnn round`: the verdict, the joint states or the letters of a shortest wrong word, and
bounds. Where the model does not close, it runs all words of a few letters and long random ones.
Networks are of random automata, with textbook keys, which round, or exact ones; some have betas,
gates and biases that no format holds. A verdict that the model contradicts fails. With --checker
certificates must be accepted, and where the model finds a wrong word, a certificate that claims the
row, made from another row's, must not.

    python3 tests/engines/check_rows.py --tool build/release/fsa2lrnn
        [--checker build/release/lrnn-check] [--rows N] [--seed S]"""

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, deque
from fractions import Fraction
from pathlib import Path

from arith import into
from judge import FARTHEST, letters_of, run_word
from machine import Machine
from network import Exact, Network, Unsupported
from row import Bits, Row

MOST = 1500  # joint states that both close
ALL_WORDS = 8  # letters of all words that are run where the model does not close
LONG = 2000  # letters of its random words
F = ("bf16", "fp16", "fp32", "tf32", "e4m3", "e5m2", "e2m1")
CHOICES = {
    "sum": ("left", "halves", "butterfly", "lanes:2", "lanes:4:2", "blocks:2", "blocks:3:2"),
    "fuse": ("none", "sum", "update", "both"),
    "gate": ("late", "folded"),
    "operands": ("bf16", "tf32", "e4m3"),
    "letters": ("2", "3", "5"),
    "stores": ("factor",),
    "ring": ("format", *F),
    "scale": ("amax", "amax", "pow2", "pow2", "mx", "static:0.125", "static:0.013", "static:1",
              *(f"amax:{f}" for f in F[:-1]), "amax:ue8m0"),
    "quotient": ("divide", "two"),
    "most": ("6", "4", "1", "5"),
    "clamp": ("full", "none"),
    "block": ("group:1", "group:2", "tile:1", "tile:2", "head", "tensor"),
    "second": ("head",),
    "draw": ("top:1", "top:3", "top:16", "bottom:2", "bottom:7", "bottom:23", "floor:2", "floor:4",
             "floor:16", "floor:24"),
    "pair": ("reversed",),
    "residual": ("load", "feedback", "load:fp16", "feedback:bf16", "load:int4", "feedback:int8",
                 "load:e4m3", "feedback:e5m2", "load:e2m1"),
    "residual-scale": ("amax", "pow2"),
    "read": ("stored", "unstored"),
    "output": (*F, "e4m3:saturate", "e5m2:saturate"),
    "beta": ("fp32", "logit", "logit-format"),
    "decay": ("fp32",),
    "prefill": ("unstored",),
    "handover": F,
    "decode": ("linear",),
    "eps": ("0", "1e-6", "1e-2"),
    "raw": ("1", "2", "4", "8", "1.7"),
    "keys": ("format", "fp32"),
    "norm": ("reciprocal", "quotient", "rsqrt", "outside", "max", "rms"),
    "norm-in": ("format",),
    "squares": ("halves", "butterfly", "lanes:2", "blocks:2"),
}
BASES = ("recurrent", "recurrent", "serving", "serving", "acc32", "every", "fma", "state16",
         "store64", "tf32", "state8")
STATES = ("bf16", "fp16", "e4m3", "e5m2", "e2m1", "int8", "int4", "int16", "fp32", "tf32")
PERMUTATIONS = (
    "points 2\ntrack points 1\npermute a (1 2)\npermute b ()\n",
    "points 3\ntrack points 1\npermute a (1 2)\npermute b (2 3)\n",
    "points 3\ntrack points 1\npermute a (1 2 3)\npermute b (1 2)\n",
    "points 4\ntrack points 1\npermute a (1 2 3 4)\npermute b (1 2)\n",
)
# Of the fields that have to do with stores, which a prompt has not.
STORES = (
    *("letters", "stores", "ring", "scale", "quotient", "most", "clamp", "block", "second"),
    *("draw", "pair", "residual", "residual-scale", "prefill", "handover"),
)
PROMPTS = {"store64": {"letters": "1"}, "state8": {"scale": "none"}}
NEEDS = (
    ("stores", "letters", False),
    ("ring", "letters", True),
    ("quotient", "scale", True),
    ("most", "scale", True),
    ("clamp", "scale", True),
    ("block", "scale", True),
    ("second", "scale", True),
    ("second", "quotient", False),
    ("residual-scale", "residual", True),
    ("residual", "pair", False),
    ("residual", "stores", False),
    ("ring", "residual", False),
    ("ring", "operands", False),
    ("ring", "prefill", False),
    ("pair", "draw", True),
    ("handover", "prefill", True),
    *((field, "eps", True) for field in ("raw", "keys", "norm", "norm-in", "squares")),
)


def random_row():
    """Returns fields, of which few are refused together, and the format of the state."""
    base = random.choice(BASES)
    few = random.choice((0.05, 0.12, 0.25))
    fields = {k: random.choice(v) for k, v in CHOICES.items() if random.random() < few}
    state = random.choice(STATES) if random.random() < 0.7 else None
    if random.random() < 0.5 and "scale" not in fields and base not in ("every", "fma"):
        fields["scale"] = random.choice(CHOICES["scale"])
    if random.random() < 0.1:
        fields |= {"scale": "amax:e4m3", "second": "head", "block": "group:2"}
    if random.random() < 0.25:
        state = random.choice(STATES[:8]) + ":stochastic"
        if random.random() < 0.6:
            fields["draw"] = random.choice(CHOICES["draw"])
            if random.random() < 0.4:
                fields["pair"] = "reversed"
    else:
        fields.pop("draw", None)
        fields.pop("pair", None)
    for field, other, wanted in NEEDS:
        if field in fields and (other in fields) != wanted:
            del fields[field]
    if fields.get("scale", "").split(":")[0] in ("pow2", "mx"):
        fields.pop("quotient", None)
    floor = fields.get("draw", "").startswith("floor")
    if floor and not (state or "").startswith("int"):
        fields["draw"] = "top:2"
    if "eps" in fields:
        fields.setdefault("raw", "1")  # as --schedule has it; a file of an engine has another one
    if fields.get("scale") not in ("amax:e4m3", "amax:e5m2"):
        fields.pop("second", None)
    if fields.get("clamp") == "full" and not (state or base).startswith(("int", "state8")):
        del fields["clamp"]
    if "lanes" not in fields.get("sum", "") and base not in ("acc32", "every", "fma"):
        fields["fuse"] = random.choice(("none", "update"))
    if base in ("every", "fma"):
        for field in ("prefill", "handover", "operands", "ring", "output", "beta", "decay"):
            fields.pop(field, None)
    return {"row": base} | fields, state


class Prompted:
    """A machine that reads a prompt first: a state is (ended, states of the heads)."""

    def __init__(self, network, fields, state, name):
        self.row = Row(fields, state, name)
        self.machine = Machine(network, self.row)
        without = {k: v for k, v in fields.items() if k not in STORES}
        self.prompt = Machine(network, Row(PROMPTS.get(fields["row"], {}) | without, "fp32", name))

    def begin(self):
        if self.row.f["prefill"] == "none":
            return True, self.machine.begin()
        return False, self.prompt.begin()

    def hand_over(self, states):
        name, begun = self.row.f["handover"], self.machine.begin()
        out = []
        for (numbers, _), (_, kept) in zip(states, begun):
            cast = [[into(v, name, name == "e2m1") for v in column] for column in numbers]
            self.row.bits = None  # to nearest
            out.append((self.row.quantised(cast), kept))
        return out

    def draw(self, joint, letter, bits):
        """Returns the next joint state and the label, for the bits that are taken."""
        ended, states = joint
        if not ended:
            if not bits.take():
                after, label = self.prompt.step(states, letter)
                return (False, after), label
            states = self.hand_over(states)
        self.row.bits = bits
        after, label = self.machine.step(states, letter)
        return (True, after), label

    def outcomes(self, joint, letter):
        bits, more = Bits(), True
        while more:
            yield self.draw(joint, letter, bits)
            more = bits.advance()

    def key(self, joint):
        return repr(joint)


def close(machine, exact, letters):
    """Returns ("VERIFIED", states), ("REFUTED", letters) or ("UNKNOWN", None)."""
    first, begun = machine.begin(), exact.begin()
    seen, queue = {(machine.key(first), begun)}, deque([(first, begun, 0)])
    while queue:
        states, joint, depth = queue.popleft()
        for x in range(letters):
            joint2, right = exact.step(joint, x)
            for after, label in machine.outcomes(states, x):
                if label != right:
                    return "REFUTED", depth + 1
                at = (machine.key(after), joint2)
                if at not in seen:
                    if len(seen) >= MOST:
                        return "UNKNOWN", None
                    seen.add(at)
                    queue.append((after, joint2, depth + 1))
    return "VERIFIED", len(seen)


def random_automaton():
    """Returns the text of a small automaton: permutations of points, or any functions of states."""
    if random.random() < 0.4:
        return random.choice(PERMUTATIONS), True
    states, letters = range(random.randint(2, 4)), "abc"[: random.randint(1, 3)]
    lines = ["fsa 1", "letters " + " ".join(letters), "states " + " ".join(map(str, states))]
    lines += ["start 0", "accept " + " ".join(str(q) for q in states if random.random() < 0.5)]
    lines += [f"{q} {x} {random.choice(states)}" for q in states for x in letters]
    return "\n".join(lines) + "\n", False


BETAS = (None, None, "63/32", "255/128", "509/256")
GATES = (None, None, "3/4", "255/256", "511/512")


def change_weights(path):
    """Changes betas and gates, or adds a bias, in some networks, whose labels are then those of the
    automaton for a while only; returns what was done."""
    beta, gate, bias = random.choice(BETAS), random.choice(GATES), random.random() < 0.15
    out, text = [], path.read_text()
    if beta:
        text = text.replace("factor 2 ", f"factor {beta} ")
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["on"] and gate and words[3] == "1" and random.random() < 0.5:
            words[3] = gate
        if words[:1] == ["on"] and bias and "bias" not in words and random.random() < 0.3:
            words += ["bias", "1.1:" + random.choice(("1/64", "-1/8", "1/3", "-1/1000"))]
        out.append(" ".join(words) if words[:1] == ["on"] else line)
    text = "\n".join(out) + "\n"
    if text != path.read_text():
        path.write_text(text)
        (path.parent / "certificate.cert").unlink(missing_ok=True)
    return f"beta {beta}, gate {gate}, bias {bias}"


def make_network(tool, folder):
    """Makes a network; returns its folder, its own exact steps, and what was changed in it."""
    source, out = folder / "source.fsa", folder / "net"
    text, permutes = random_automaton()
    source.write_text(text)
    keys = random.choice(("naive", "dyadic")) if permutes else "dyadic"
    label = "states" if permutes else random.choice(("states", "accept"))
    command = [tool, source, "--keys", keys, "--label", label, "--out", out, "--force", "--quiet"]
    subprocess.run([*command, "--no-report"], check=True)
    exact = Exact(Network(out / "network.lrnn"))
    changed = change_weights(out / "network.lrnn") if random.random() < 0.7 else "nothing"
    return out, exact, f"{keys} keys, {label}, changed: {changed}"


def row_text(fields, state):
    settings = [f"{k}={v}" for k, v in fields.items() if k != "row"]
    return ",".join([fields["row"], *([f"state={state}"] if state else []), *settings])


def said_by(tool, folder, fields, state, name):
    """Returns what `round` says of the row, or None where it refuses it."""
    row = row_text(fields, state)
    command = [tool, "round", folder, "--schedule", row, "--formats", name, "--json"]
    command += ["--limit", str(MOST), "--horizon", "1000000"]
    command += ["--letters", random.choice(("0", "3000"))]
    command += ["--certificates", folder.parent / "rows"]
    shutil.rmtree(folder.parent / "rows", ignore_errors=True)
    run = subprocess.run(command, capture_output=True, check=False, text=True)
    if run.returncode > 2:
        return row, None, run.stderr
    return row, json.loads(run.stdout)["formats"][0], ""


def accepts(checker, net, certificate):
    names = [net / "automaton.fsa", net / "network.lrnn", certificate]
    return subprocess.run([checker, *names], capture_output=True, check=False).returncode == 0


def claim_of(text, settings):
    """Returns a certificate with other settings of the row, sealed again."""
    lines = text.splitlines(keepends=True)[:-1]
    out = []
    for line in lines:
        if "schedule row " in line:
            for name, value in settings.items():
                head, tail = line.split(f",{name}=", 1)
                rest = tail[len(tail.split(",")[0]) :] if "," in tail else "\n"
                line = f"{head},{name}={value}{rest}"
        out.append(line)
    body = "".join(out)
    return body + "sha256 " + hashlib.sha256(body.encode()).hexdigest() + "\n"


FORGED = {k: CHOICES[k] for k in ("operands", "residual", "decode", "norm", "norm-in", "block")}
FORGED |= {"read": ("unstored", "stored"), "state": STATES[:8], "scale": ("none", "amax", "pow2")}


def check_certificates(args, net, network, exact, row):
    """Returns a fault of the checker with the certificates of the last row, or None. Forged claims
    are of other settings for which the model finds a wrong word."""
    for certificate in sorted((net.parent / "rows").glob("*.cert")):
        if not accepts(args.checker, net, certificate):
            return f"{certificate.name} is not accepted"
        waits = {"letters": "3", "ring": "format", "read": "unstored", "state": "e4m3"}
        some = {k: random.choice(FORGED[k]) for k in random.sample(sorted(FORGED), 3)}
        forged = random.choice((waits, some, some))
        text = certificate.read_text()
        if "schedule row " not in text:
            continue
        fields, state, name = row
        changed = fields | forged
        if "residual" in changed and ("ring" in changed or "stores" in changed):
            continue  # no such row
        state = changed.pop("state", state)
        if "second" in changed and ":" not in changed["scale"]:
            continue  # no row
        try:
            machine = Prompted(network, changed, state, name)
            found, _ = close(machine, exact, len(network.letters))
        except Unsupported:
            continue
        args.forged += found == "REFUTED"
        if found != "REFUTED":
            continue
        other = net.parent / "forged.cert"
        other.write_text(claim_of(text, forged))
        if accepts(args.checker, net, other):
            return f"{certificate.name} with {forged} is accepted"
    return None


def strategy_fault(net, network, machine, exact):
    """Runs the word and the choices of a row that draws, where they were written; they must be
    wrong after the last letter and not before."""
    for path in (net.parent / "rows").glob("*.strategy"):
        lines = dict(line.split(" ", 1) for line in path.read_text().splitlines()[:-1])
        letters, choices = lines["letters"].split(), lines["choices"].split()
        joint, states = exact.begin(), machine.begin()
        for t, (x, bits) in enumerate(zip(letters, choices)):
            joint, right = exact.step(joint, int(x) - 1)
            bits = Bits(int(b) for b in bits.replace("-", ""))
            count = len(bits.bits)
            states, label = machine.draw(states, int(x) - 1, bits)
            if bits.at != count or len(bits.bits) != count:
                return f"letter {t + 1} draws {bits.at} bits, not {count}"
            if (label != right) != (t + 1 == len(letters)):
                return f"the strategy is wrong at {t + 1}"
    return None


def word_fault(network, machine, exact, said):
    """Runs the word that was found, or those on which the failure was seen; they must be wrong
    after their last letter and not before."""
    words = []
    if said["witness"]:
        words = [([network.letters.index(x) for x in said["witness"]["word"]], said["wrong_after"])]
    for seen in said["observed"]:
        if seen["wrong_at"] and seen["words_kind"] != "greedy":
            words.append((letters_of(network, seen["word_text"], FARTHEST), seen["wrong_at"]))
    for word, wrong in words:
        found = run_word(machine.machine, exact, word)
        if found != wrong:
            return f"a word is wrong at {found}, not at {wrong}"
    return None


class RandomBits:
    """What a step draws, at random."""

    def take(self):
        return random.randrange(2)


def first_wrong(machine, exact, letters, most):
    """Returns the length of a wrong word of at most `most` letters: of all short ones, with all
    choices of the first few of them, and of random ones; or None."""
    short = min(most, ALL_WORDS)
    todo = [(exact.begin(), machine.begin(), 0)]
    for _ in range(20000):
        if not todo:
            break
        joint, states, depth = todo.pop(random.randrange(len(todo)) if len(todo) < 64 else -1)
        for x in range(letters):
            joint2, right = exact.step(joint, x)
            for after, label in machine.outcomes(states, x):
                if label != right:
                    return depth + 1
                if depth + 1 < short:
                    todo.append((joint2, after, depth + 1))
    for _ in range(3):
        joint, states, bits = exact.begin(), machine.begin(), RandomBits()
        for t in range(min(most, LONG)):
            x = random.randrange(letters)
            joint, right = exact.step(joint, x)
            states, label = machine.draw(states, x, bits)
            if label != right:
                return t + 1
    return None


def contradiction(args, said, net, network, machine, exact, row):
    """Returns (what was found, None), or (None, a contradiction)."""
    letters = len(network.letters)
    fault = strategy_fault(net, network, machine, exact)
    if fault:
        return None, fault
    found, number = close(machine, exact, letters)
    verdict, how, bound = said["verdict"], said["how"], said["right_up_to"]
    drawn = machine.row.stochastic or machine.row.f["prefill"] != "none"
    if verdict == "VERIFIED":
        if found == "REFUTED":
            return None, f"VERIFIED ({how}), and wrong at {number}"
        # With other labels, and where letters are decoded, the automaton has more states.
        plain = all(layer.decode == "state" for layer in network.layers)
        same = exact.network.label == "states" and plain
        if found == "VERIFIED" and how == "closure" and same and number != said["joint_states"]:
            return None, f"{said['joint_states']} joint states, not {number}"
        wrong = first_wrong(machine, exact, letters, LONG) if found == "UNKNOWN" else None
        fault = wrong and f"VERIFIED ({how}), and wrong at {wrong}"
        fault = fault or (args.checker and check_certificates(args, net, network, exact, row))
    elif verdict == "REFUTED":
        if found == "VERIFIED" or (found == "REFUTED" and number > said["wrong_after"]):
            return None, f"REFUTED at {said['wrong_after']}, not {found} {number}"
        if how == "closure" and found == "REFUTED" and number != said["wrong_after"]:
            return None, f"a shortest word of {said['wrong_after']}, not {number}"
        fault = None if drawn else word_fault(network, machine, exact, said)
    else:
        if found != "UNKNOWN" and "limit" not in (said["reason"] or "limit"):
            return f"UNKNOWN, {found} by the model", None
        most = bound or 0
        if found == "REFUTED" and number <= most:
            return None, f"right up to {most}, and wrong at {number}"
        wrong = most and first_wrong(machine, exact, letters, most)
        fault = wrong and f"right up to {most}, and wrong at {wrong}"
        how = "bound" if bound else "open"
    return (None, fault) if fault else (f"{verdict}, {how}; model: {found}", None)


def compare(args, folder):
    """Returns what became of one random row."""
    fields, state = random_row()
    name = random.choice(("bf16", "bf16", "bf16", "fp16", "fp32", "e4m3", "tf32"))
    try:
        net, exact, changed = make_network(args.tool, folder)
    except Unsupported as lacks:
        return "not modelled", f"a network with {lacks}"
    row, said, why = said_by(args.tool, net, fields, state, name)
    told = f"{row}, {name}, {changed}"
    if said is None:
        return "refused", f"{row}: {why.strip()[-160:]}"
    network = Network(net / "network.lrnn")
    try:
        machine = Prompted(network, fields, state, name)
        how, fault = contradiction(
            args, said, net, network, machine, exact, (fields, state, name)
        )
    except Unsupported as lacks:
        return "not modelled", f"{told}: {lacks}"
    if not fault:
        return how, told
    if args.keep:
        shutil.copytree(net, args.keep / hashlib.sha256(told.encode()).hexdigest()[:8])
    return "contradicted", f"{told}: {fault}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--checker")
    parser.add_argument("--rows", type=int, default=150, help="rows that are not refused")
    parser.add_argument("--keep", type=Path, help="a folder for networks of contradicted rows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    random.seed(args.seed)
    args.forged = 0
    counts = Counter()
    with tempfile.TemporaryDirectory() as name:
        done = 0
        while done < args.rows:
            how, row = compare(args, Path(name))
            counts[how] += 1
            done += how != "refused"
            if how == "contradicted" or args.verbose:
                print(how, row, flush=True)
    faults = counts["contradicted"]
    print("rows:", ", ".join(f"{n} {how}" for how, n in sorted(counts.items())))
    if args.checker:
        print(f"forged certificates: {args.forged}")
    print(f"{args.rows - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
