"""Closes random small networks in random rows with the model in Python, and compares what it finds
with `fsa2lrnn round`: the verdict, and the joint states or the letters of a shortest wrong word.
Networks are of textbook keys, which round, or of exact ones; some have betas that no format holds.
A verdict that the model contradicts fails. With --checker certificates must be accepted, and where
the model finds a wrong word, a certificate that claims the row, made from another row's, must not.

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
from check_engines import Machine, key_of
from network import Exact, Network
from row import Bits, Row

MOST = 1500  # joint states that both close
CHOICES = {
    "beta": ("fp32", "logit", "logit-format"),
    "stores": ("factor",),
    "letters": ("2", "3"),
    "ring": ("format", "fp16", "fp32"),
    "scale": ("amax", "pow2", "amax:bf16", "amax:e4m3"),
    "second": ("head",),
    "block": ("group:2", "tile:2", "head"),
    "quotient": ("two", "divide"),
    "prefill": ("unstored",),
    "handover": ("bf16", "fp16", "e4m3"),
    "fuse": ("none",),
    "sum": ("left",),
}
STATES = ("bf16", "fp16", "e4m3", "e2m1", "int8", "int4", "int16")
PERMUTATIONS = (
    "points 2\ntrack points 1\npermute a (1 2)\npermute b ()\n",
    "points 3\ntrack points 1\npermute a (1 2)\npermute b (2 3)\n",
    "points 3\ntrack points 1\npermute a (1 2 3)\npermute b (1 2)\n",
    "points 4\ntrack points 1\npermute a (1 2 3 4)\npermute b (1 2)\n",
)


NEEDS = (
    ("stores", "letters", False),
    ("ring", "letters", True),
    ("quotient", "scale", True),
    ("block", "scale", True),
    ("handover", "prefill", True),
    ("ring", "prefill", False),
)


def random_row():
    """Returns fields, of which few are refused together, and the format of the state."""
    fields = {k: random.choice(v) for k, v in CHOICES.items() if random.random() < 0.3}
    state = random.choice(STATES)
    if random.random() < 0.2:
        fields |= {"scale": "amax:e4m3", "second": "head", "block": "group:2"}
    for field, other, wanted in NEEDS:
        if field in fields and (other in fields) != wanted:
            del fields[field]
    if fields.get("scale") != "amax:e4m3":
        fields.pop("second", None)
    if "second" in fields or fields.get("scale") == "pow2":
        fields.pop("quotient", None)
    if state.startswith("int") and "scale" not in fields:
        state = "fp16"
    if random.random() < 0.3:
        state += ":stochastic"
    return {"row": "recurrent", "read": "unstored"} | fields, state


class Prompted:
    """A machine that reads a prompt first: a state is (ended, states of the heads)."""

    def __init__(self, network, fields, state):
        self.row = Row(fields, state, "bf16")
        self.machine = Machine(network, self.row)
        without = {k: v for k, v in fields.items() if k in ("row", "read", "beta", "sum", "fuse")}
        self.prompt = Machine(network, Row(without, "fp32", "bf16"))

    def begin(self):
        if self.row.f["prefill"] == "none":
            return True, self.machine.begin()
        return False, self.prompt.begin()

    def hand_over(self, states):
        name, begun = self.row.f["handover"], self.machine.begin()
        out = []
        for (numbers, _), (_, kept) in zip(states, begun):
            cast = [[into(v, name) for v in column] for column in numbers]
            self.row.bits = None  # to nearest
            out.append((self.row.quantised(cast, self.row.state, self.row.f["scale"]), kept))
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
        return joint[0], key_of(self.machine if joint[0] else self.prompt, joint[1])


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


def make_network(tool, folder, beta):
    """Makes a network; returns its folder and its own exact steps."""
    source, out = folder / "source.fsa", folder / "net"
    source.write_text(random.choice(PERMUTATIONS))
    keys = random.choice(("naive", "dyadic"))
    command = [tool, source, "--keys", keys, "--out", out, "--force", "--quiet"]
    subprocess.run(command, check=True)
    exact = Exact(Network(out / "network.lrnn"))
    if beta:
        path = out / "network.lrnn"
        path.write_text(path.read_text().replace("factor 2 ", f"factor {beta} "))
        (out / "certificate.cert").unlink()
    return out, exact


def said_by(tool, folder, fields, state):
    """Returns what `round` says of the row, or None where it refuses it."""
    settings = ",".join(f"{k}={v}" for k, v in fields.items() if k != "row")
    row = f"{fields['row']},state={state},{settings}"
    command = [tool, "round", folder, "--schedule", row, "--formats", "bf16", "--json"]
    command += ["--limit", str(MOST), "--letters", "0", "--no-horizon"]
    command += ["--certificates", folder.parent / "rows"]
    shutil.rmtree(folder.parent / "rows", ignore_errors=True)
    run = subprocess.run(command, capture_output=True, check=False, text=True)
    if run.returncode > 2:
        return row, None
    return row, json.loads(run.stdout)["formats"][0]


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


def check_certificates(args, net, exact):
    """Returns a fault of the checker with the certificates of the last row, or None. Forged claims
    are of settings for which the model finds a wrong word."""
    for certificate in sorted((net.parent / "rows").glob("*.cert")):
        if not accepts(args.checker, net, certificate):
            return f"{certificate.name} is not accepted"
        forged = {"letters": "3", "ring": "format", "read": "unstored"}
        forged["state"] = random.choice(STATES)
        fields = {"row": "recurrent", "keys": "fp32"} | forged
        state = fields.pop("state")
        network = Network(net / "network.lrnn")
        found, _ = close(Prompted(network, fields, state), exact, len(network.letters))
        text = certificate.read_text()
        if found != "REFUTED" or "schedule row " not in text:
            continue
        other = net.parent / "forged.cert"
        other.write_text(claim_of(text, forged))
        if accepts(args.checker, net, other):
            return f"{certificate.name} with {forged} is accepted"
    return None


def strategy_fault(net, network, fields, state, exact):
    """Runs the word and the choices of a row that draws, where they were written; they must be
    wrong after the last letter and not before."""
    for path in (net.parent / "rows").glob("*.strategy"):
        lines = dict(line.split(" ", 1) for line in path.read_text().splitlines()[:-1])
        letters, choices = lines["letters"].split(), lines["choices"].split()
        machine = Prompted(network, fields, state)
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


def word_fault(net, network, fields, state, exact, said):
    """Runs the word that was found; it must be wrong after its last letter and not before."""
    machine = Prompted(network, fields, state)
    joint, states = exact.begin(), machine.begin()
    for t, letter in enumerate(said["witness"]["word"]):
        joint, right = exact.step(joint, network.letters.index(letter))
        (states, label), = machine.outcomes(states, network.letters.index(letter))
        if (label != right) != (t + 1 == said["wrong_after"]):
            raise SystemExit(f"{net}: {fields}, {state}: wrong after {t + 1}")
    return "the word is wrong"


def compare(args, folder):
    """Returns what became of one random row."""
    fields, state = random_row()
    beta = random.choice((None, None, Fraction(63, 32), Fraction(255, 128), Fraction(509, 256)))
    net, exact = make_network(args.tool, folder, beta)
    row, said = said_by(args.tool, net, fields, state)
    if said is None or (said["verdict"] == "UNKNOWN" and "limit" not in said["reason"]):
        return "refused", row
    network = Network(net / "network.lrnn")
    found, number = close(Prompted(network, fields, state), exact, len(network.letters))
    strategy = strategy_fault(net, network, fields, state, exact)
    if strategy:
        return "contradicted", f"{row}, beta {beta}: {strategy}"
    if said["verdict"] == "REFUTED" and found == "UNKNOWN" and fields.get("prefill") is None:
        fault = word_fault(net, network, fields, state, exact, said)
        return f"REFUTED, word of {said['how']}", fault
    want = said["joint_states" if found == "VERIFIED" else "wrong_after"]
    if said["verdict"] != found:
        return "contradicted", f"{row}, beta {beta}: {said['verdict']}, not {found} {number}"
    fault = check_certificates(args, net, exact) if args.checker else None
    if fault:
        return "contradicted", f"{row}, beta {beta}: {fault}"
    if said["how"] == "closure" and number != want:
        return "contradicted", f"{row}, beta {beta}: {want}, not {number}"
    return f"{found}, {said['how']}", row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--checker")
    parser.add_argument("--rows", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    random.seed(args.seed)
    counts = Counter()
    with tempfile.TemporaryDirectory() as name:
        for _ in range(args.rows):
            how, row = compare(args, Path(name))
            counts[how] += 1
            if how == "contradicted" or args.verbose:
                print(how, row, flush=True)
    faults = counts["contradicted"]
    print("rows:", ", ".join(f"{n} {how}" for how, n in sorted(counts.items())))
    print(f"{args.rows - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
