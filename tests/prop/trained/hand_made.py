"""Tries to get a wrong VERIFIED from horizon-check with small networks that are made by hand
(hand_networks.py): claims `finite`, `roots`, `settles` and `forever` with certificates from a
search of our own, from fsa2lrnn, and changed ones. A network that `finite` is VERIFIED of has no
claim `roots`.

A claim that is VERIFIED is also taken to other weights, as far as it stays so. What is VERIFIED is
judged by words: all of up to 10 letters (2,000 of a length) and z u u .. of 100 letters, in float64
and in the format of the scope. Limits, what float64 finds wrong, what was taken to the edge, and a
part of the others are judged in 50 digits (tests/clients/lengths).

usage: python3 tests/prop/trained/hand_made.py --tool build/release/fsa2lrnn --checker
build/release/lrnn-check [--count N] [--seed S] [--keep DIR]
--checker names the folder of horizon-check. Exit status 1 where a verdict is wrong."""

import argparse
import collections
import itertools
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "clients/lengths")]

import triple
from trained import hand_networks as hand
from trained import run_files, run_finite, run_network
from trained.run_certificate import Wrong
from trained.run_forever import Letters

try:
    import finite_exact
    import forever_exact
    import roots_exact
    import settle_exact
except SystemExit:
    finite_exact = forever_exact = roots_exact = settle_exact = None

NAMES = "automaton.fsa", "config.json", "weights.safetensors", "cert"
KINDS = {"exact": np.float64, "fp32 any-order": np.float32, "fp64 any-order": np.float64}
PRIMES = 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 41, 65537
LENGTH, LONG, MOST_STATES, IN_DIGITS, EDGE, EDGES = 10, 100, 8, 0.2, 12, 0.5


class Case:
    def __init__(self, args, folder, rng):
        self.args, self.folder, self.rng = args, Path(folder), rng
        self.tally = collections.Counter()
        self.was_read = False  # whether the tool reads the last network that it was asked about

    def write(self, files, claim, scope="exact"):
        text = f"learned-cert 1\nfsa {'0' * 64}\nconfig {'0' * 64}\nweights {'0' * 64}\n"
        text += f"scope {scope}\nclaim {claim}end\n"
        files = run_files.rehashed(files._replace(certificate=text.encode()))
        for name, data in zip(NAMES, files):
            Path(self.folder, name).write_bytes(data)
        return files

    def verified(self):
        checker = str(Path(self.args.checker).parent / "horizon-check")
        paths = [str(self.folder / name) for name in NAMES]
        done = subprocess.run([checker, *paths], capture_output=True, text=True)
        if done.returncode not in (0, 1, 2) or done.stderr.count("runtime error"):
            raise SystemExit(f"{paths}: exit status {done.returncode}: {done.stderr}")
        self.tally["VERIFIED" if done.returncode == 0 else "refused"] += 1
        return done.returncode == 0

    def wrong(self, what):
        self.tally["WRONG"] += 1
        kept = ""
        if self.args.keep:
            kept = Path(self.args.keep, f"{self.tally['WRONG']}-{self.rng.random()}")
            kept.mkdir(parents=True)
            for name in NAMES:
                Path(kept, name).write_bytes(Path(self.folder, name).read_bytes())
        print(f"WRONG: {what} {kept}", flush=True)


def right_on_words(files, scope, rng):
    """Returns whether the network answers short words, and long ones that repeat, rightly."""
    a = triple.read_automaton(files.fsa.decode())
    read, tensors = run_network.load(files.config, files.weights)
    begin = read["data"].get("begin") is True
    for kind in {np.float64, KINDS[scope]}:
        net = run_network.Network(read["model"], tensors, kind)
        if run_network.right_up_to(net, a, begin, LENGTH) < LENGTH:
            return False
        if not right_on_repeated(net, Letters(a), begin, rng):
            return False
    return True


def right_on_repeated(net, a, begin, rng, words=16):
    letters = range(len(a.letters))
    columns = []
    for _ in range(words):
        z, u = ([rng.choice(letters) for _ in range(rng.randint(i, 3))] for i in (0, 1))
        columns.append((z + u * LONG)[:LONG])
    for word in columns:
        states, q = net.start(), a.start
        if begin:
            states = net.step(states, len(a.letters))
        for w in word:
            states, q = net.step(states, w), a.next[q][w]
            logits = net.answers(states, w)[0]
            if not (np.isfinite(logits[q]) and (logits >= logits[q]).sum() == 1):
                return False
    return True


def judged(case, files, claim, scope, digits):
    """Counts a verdict VERIFIED that is wrong; with `digits` it is judged in 50 digits, too."""
    name, true, why = claim.split("\n", maxsplit=1)[0], True, ""
    if name not in ("settles", "roots"):
        true = right_on_words(files, scope, case.rng)
    if finite_exact and (digits or not true):
        case.tally["in 50 digits"] += 1
        if name == "finite":
            right, *why = finite_exact.check(case.folder, case.folder / "cert")
        elif name == "settles":
            right, *why = settle_exact.check(case.folder, case.folder / "cert")
        elif name == "roots":
            right, *why = roots_exact.check(case.folder, case.folder / "cert")
        else:
            right = forever_exact.check(case.folder, case.folder / "cert")[0]
        true = right and (true or scope == "exact")
    if not true:
        case.wrong(f"{claim} {scope} {why}")


def edge(case, made, claim, scope):
    """Takes a claim that is VERIFIED to other weights, as far as it stays so; judges it there."""
    s, machine, tensors, labels = made
    to, rng = {name: x.astype(float) for name, x in tensors.items()}, case.rng
    size = 10.0 ** -rng.uniform(-1, 3)
    names = rng.sample(list(to), rng.randint(1, 3))
    if rng.random() < 0.5:
        names = [hand.MIXER + rng.choice(("b", "k", "q")) + "_proj.weight"]
    for name in names:
        to[name] += np.reshape([rng.gauss(0, size) for _ in range(to[name].size)], to[name].shape)
    least, most, kept = 0.0, 1.0, None
    for _ in range(EDGE):
        part = (least + most) / 2
        some = {n: ((1 - part) * x + part * to[n]).astype(np.float32) for n, x in tensors.items()}
        files = case.write(hand.files_of(s, machine, some, labels), claim, scope)
        if case.verified():
            least, kept = part, files
        else:
            most = part
    if kept:
        case.tally["at an edge"] += 1
        for name, data in zip(NAMES, kept):
            Path(case.folder, name).write_bytes(data)
        judged(case, kept, claim, scope, True)


# --- finite ---


def joint_states(network, heads, begin, most):
    """Returns the states of these heads after words, in order, and where letters lead; Wrong where
    they are more."""
    states = heads.first()
    if begin:
        states = heads.step(states, network.model["letters"] - 1)
    seen, order, rows = {tuple(states.values()): 0}, [states], []
    for states in order:
        rows.append([])
        for w in range(network.model["letters"] - begin):
            after = heads.step(states, w)
            place = seen.setdefault(tuple(after.values()), len(seen))
            if place == len(order):
                order.append(after)
            rows[-1].append(place)
        if len(order) > most:
            raise Wrong("too many states")
    return order, rows


def exact_heads(network, scope):
    """Returns the heads that can be followed, one by one."""
    found = []
    for h in range(network.model["heads"]):
        try:
            heads = run_finite.Heads(network, [h], scope)
            joint_states(network, heads, False, 30)
            found.append(h)
        except Wrong:
            pass
    return found


def codes_of(network, heads, order):
    """Returns what the norm makes of the heads that are followed, for each state."""
    states = np.array([heads.read(x) for x in order])
    o = network.heads_read(states, 0)
    n = o / np.sqrt((o * o).mean(-1, keepdims=True) + network.epsilon)
    return n.reshape(len(order), -1)


def finite_network(rng, numbers):
    """Returns the shape, the tensors and an automaton that the network tracks, or tracks nearly."""
    odd = rng.choice((0, 0, 0.1, 0.3))
    keys = rng.choice((1, 1, 2, 3))
    s = hand.Shape(
        rng.randint(1, 3), rng.random() < 0.15, rng.randint(1, 3), rng.randint(1, 2), keys,
        rng.randint(1, 2), rng.randint(1, 2), rng.random() < 0.6, rng.random() < 0.5, True,
        keys > 1 or rng.random() < 0.3, rng.choice((1.0, 4.0, 0.75)),
    )  # fmt: skip
    acts = hand.acts_exact(rng, s, odd)
    tensors = hand.tensors_of(s, acts, np.zeros((1, s.heads * s.values)), numbers)
    network = run_network.Network(hand.model_of(s, 1), tensors, np.float64)
    followed = exact_heads(network, b"exact")
    if not followed:
        raise Wrong("no exact head")
    heads = run_finite.Heads(network, followed, b"exact")
    order, rows = joint_states(network, heads, s.begin, MOST_STATES)
    codes = codes_of(network, heads, order)
    if not np.isfinite(codes).all():
        raise Wrong("numbers")
    near = min((abs(x - y).max() for x, y in itertools.combinations(codes, 2)), default=1)
    if near < 1e-4 and rng.random() < 0.9:
        raise Wrong("one answer for two states")
    machine = hand.Machine(0, rows)
    if rng.random() < 0.3:
        machine = hand.other_machine(rng, machine)
    if rng.random() < 0.15:  # no word leads there
        machine.next.append([rng.randrange(len(rows) + 1) for _ in range(s.letters)])
        codes = np.vstack([codes, codes[:1] * rng.choice((1, -1, 0.5, 3))])
    codes = np.vstack([codes, codes[:1] * 2]) if s.begin else codes
    tensors = hand.tensors_of(s, acts, codes, numbers)
    for h in set(range(s.heads)) - set(followed):
        leak = rng.choice((0, 1e-3, 0.1, rng.uniform(0, 1)))
        tensors[hand.MIXER + "o_proj.weight"][:, h * s.values : (h + 1) * s.values] *= leak
    spoil(rng, s, tensors, odd)
    return s, machine, tensors, len(codes)


def spoil(rng, s, tensors, odd):
    """Changes the read-out: ties, near ties, numbers that are not finite."""
    head = tensors["head.weight"]
    kind, last = rng.random(), len(head) - 1
    if kind < 0.1:
        head[last] = head[0] * np.float32(rng.choice((1, 1, hand.beside(rng, 1))))
    elif kind < 0.2:
        head[rng.randint(0, last), s.tokens] += rng.gauss(0, 4)
    elif kind < 0.25:
        name = rng.choice(list(tensors))
        flat = tensors[name].reshape(-1)
        flat[rng.randrange(len(flat))] = rng.choice((math.nan, math.inf, -math.inf, 3e38, 1e-45))
    elif kind < 0.3 + odd:
        name = rng.choice(list(tensors))
        flat = tensors[name].reshape(-1)
        flat[rng.randrange(len(flat))] *= 1 + rng.gauss(0, 10.0 ** -rng.randint(0, 6))


def finite_claims(rng, s, tensors, labels):
    """Yields (claim, scope): right ones as far as a search in fractions tells, and changed ones."""
    network = run_network.Network(hand.model_of(s, labels), tensors, np.float64)
    followed = exact_heads(network, b"exact") or [0]
    some = [followed]
    if len(followed) > 1:
        some.append([rng.choice(followed)])
    for heads in some:
        yield from claims_of_heads(rng, s, network, heads)
    every = " ".join(str(h + 1) for h in range(s.heads))
    yield f"finite\nheads {every}\ndenominator 1\njoint 1\n", "exact"


def claims_of_heads(rng, s, network, heads):
    listed = " ".join(str(h + 1) for h in heads)
    try:
        found = run_finite.Heads(network, heads, b"exact")
        order, rows = joint_states(network, found, s.begin, 60)
        numbers = [x for states in order for h in states.values() for row in h for x in row]
        d, joint = math.lcm(*(x.denominator for x in numbers)), len(rows)
    except Wrong:
        d, joint = rng.choice((1, 2, 4, 9)), rng.randint(1, 8)
    for scope in KINDS if len(heads) == s.heads else ("exact",):
        yield f"finite\nheads {listed}\ndenominator {d}\njoint {joint}\n", scope
    other = rng.choice(((2 * d, joint), (d, joint + 1), (max(1, d // 2), joint), (d, joint - 1)))
    yield f"finite\nheads {listed}\ndenominator {other[0]}\njoint {other[1]}\n", "exact"


def try_finite(case, numbers):
    rng = case.rng
    try:
        s, machine, tensors, labels = finite_network(rng, numbers)
    except Wrong:
        return False
    made, files = (s, machine, tensors, labels), hand.files_of(s, machine, tensors, labels)
    good = None
    for claim, scope in finite_claims(rng, s, tensors, labels):
        files = case.write(files, claim, scope)
        if case.verified():
            judged(case, files, claim, scope, rng.random() < IN_DIGITS)
            good = good if good and rng.random() < 0.5 else (claim, scope)
    if good and not roots_are_refused(case, s, machine, files, good[0]):
        case.wrong(f"{good[0]} and a claim about roots")
    if good and rng.random() < EDGES:
        edge(case, made, *good)
    return True


# --- roots ---


def random_roots(rng, s, machine):
    """Returns a claim about a period that acts as a cycle, if that is easily met."""
    for _ in range(20):
        u = [rng.randrange(s.letters) for _ in range(rng.randint(1, 4))]
        sizes = roots_exact.cycles(machine, u)
        orders = [q for q in (2, 3, 4, 5, 7, 8) if any(n % q == 0 for n in sizes)]
        if orders:
            break
    q = rng.choice(orders or [2])
    return f"roots\n{words_line('period', u)}order {q}\nprime {rng.choice(PRIMES)}\n"


def roots_are_refused(case, s, machine, files, claim):
    """Returns whether claims that a network has no margin for ever are refused, as its states are
    finitely many and all answers are right (the claim)."""
    rng = case.rng
    if not roots_exact:
        return True
    for _ in range(12):
        case.write(files, random_roots(rng, s, machine))
        if case.verified():
            return False
    if proposed(case, "exact", "--settle"):
        return False
    case.write(files, claim)
    return True


def key_of_any_direction(rng, keys):
    """Small whole numbers, of which few products of reflections are of finite order; and others."""
    y = np.array([float(rng.randint(-2, 2)) for _ in range(keys)])
    kind = rng.random()
    if kind < 0.1:
        y = np.array([rng.gauss(0, 1) for _ in range(keys)])
    elif kind < 0.2:
        y *= 2.0 ** rng.randint(-40, 40)
    return y


def roots_network(rng, numbers):
    keys = rng.choice((1, 2, 2, 3, 3, 4))
    s = hand.Shape(
        rng.randint(1, 3), rng.random() < 0.15, rng.randint(1, 3), rng.randint(1, 3), keys,
        1, 1, rng.random() < 0.9, rng.random() < 0.4, True, rng.random() < 0.3,
        rng.choice((1.0, 4.0, 0.75)),
    )  # fmt: skip
    acts = hand.acts_exact(rng, s, rng.choice((0, 0.1, 0.3)))
    if not s.ternary:
        for at in itertools.product(*map(range, acts.key.shape[:-1])):
            acts.key[at] = key_of_any_direction(rng, keys)
    states = rng.randint(2, 6)
    machine = hand.random_machine(rng, s.letters, states)
    if rng.random() < 0.6:  # letters that permute the states
        rows = zip(*(rng.sample(range(states), states) for _ in range(s.letters)))
        machine = hand.Machine(0, [list(row) for row in rows])
    codes = np.zeros((states + s.begin, s.heads * s.values))
    return s, machine, hand.tensors_of(s, acts, codes, numbers), len(codes)


def missed(case, machine):
    """Returns a period that the search should have said, as all eigenvalues are of finite order."""
    network = roots_exact.Network(case.folder)
    for u in itertools.product(range(len(machine.next[0])), repeat=case.rng.randint(1, 2)):
        many = roots_exact.roots_of(roots_exact.angles(network, u))
        if many and any(many % size for size in roots_exact.cycles(machine, u)):
            return u
    return None


def try_roots(case, numbers):
    rng = case.rng
    if not roots_exact:
        return True
    s, machine, tensors, labels = made = roots_network(rng, numbers)
    files, good = hand.files_of(*made), None
    files = case.write(files, random_roots(rng, s, machine))
    claims = [random_roots(rng, s, machine) for _ in range(4)]
    found = proposed(case, "exact", "--settle")
    if found:
        changed = re.sub(r"prime \d+", f"prime {rng.choice(PRIMES)}", found)
        claims += [found, changed, re.sub(r"order \d+", f"order {rng.choice((2, 3, 4, 5))}", found)]
    elif case.was_read and missed(case, machine):
        case.tally["missed"] += 1
    for claim in claims:
        files = case.write(files, claim)
        if case.verified():
            judged(case, files, claim, "exact", True)
            good = claim
        elif claim == found:
            case.tally["proposed and refused"] += 1
    if good and rng.random() < EDGES:
        edge(case, made, good, "exact")
    return True


# --- settles ---


def settle_network(rng, numbers):
    s = hand.Shape(
        rng.randint(1, 3), rng.random() < 0.2, rng.randint(1, 2), rng.randint(1, 2),
        rng.randint(1, 3), rng.randint(1, 2), rng.randint(1, 2), rng.random() < 0.6,
        rng.random() < 0.7, False, False, rng.choice((1.0, 4.0)),
    )  # fmt: skip
    labels = rng.randint(1, 4) + s.begin
    codes = np.array([rng.gauss(0, 1) for _ in range(labels * s.heads * s.values)])
    codes = codes.reshape(labels, -1)
    if rng.random() < 0.2:
        codes[-1] = codes[0] * rng.choice((1, hand.beside(rng, 1)))
    tensors = hand.tensors_of(s, hand.acts_sigmoid(rng, s), codes, numbers)
    spoil(rng, s, tensors, 0)
    return s, hand.random_machine(rng, s.letters, labels - s.begin), tensors, labels


def words_line(name, word):
    return name + "".join(f" {w + 1}" for w in word) + "\n"


def settle_claims(rng, s, labels):
    """Yields claims about three limits, with all answers and a few beginnings."""
    for _ in range(3):
        z, u, w = (
            [rng.randrange(s.letters) for _ in range(rng.randint(*range_))]
            for range_ in ((0, 3), (1, 3), (0, 2))
        )
        words = words_line("prefix", z) + words_line("period", u)
        words += words_line("suffix", w) if w else ""
        for j in range(labels):
            for after in (1, rng.choice((2, 7, 60)), rng.choice((10**4, 10**6))):
                yield f"settles\n{words}answer {j + 1}\nafter {after}\n"


def try_settles(case, numbers):
    rng = case.rng
    s, machine, tensors, labels = settle_network(rng, numbers)
    made, good = (s, machine, tensors, labels), None
    files = hand.files_of(*made)
    for claim in settle_claims(rng, s, labels):
        files = case.write(files, claim)
        if case.verified():
            judged(case, files, claim, "exact", True)
            good = claim
    if good and rng.random() < EDGES:
        edge(case, made, good, "exact")
    return True


# --- forever ---


def forever_network(rng, numbers):
    """Returns a network that tells the last letter, or the last two, if all goes well."""
    s = hand.Shape(
        rng.randint(2, 3), rng.random() < 0.2, rng.randint(2, 3), rng.randint(1, 2), 1,
        rng.randint(1, 2), rng.randint(1, 2), rng.random() < 0.3, True, False, False, 1.0,
    )  # fmt: skip
    acts = hand.acts_sigmoid(rng, s)
    acts.beta[:] = [[[rng.uniform(-1, 6) for _ in x] for x in y] for y in acts.beta]
    acts.key[:] = [[[[rng.choice((-1, 1))] for _ in x] for x in y] for y in acts.key]
    tensors = hand.tensors_of(s, acts, np.zeros((1, s.heads * s.values)), numbers)
    network = run_network.Network(hand.model_of(s, 1), tensors, np.float64)
    last = rng.randint(1, 2)
    names = list(itertools.product(range(s.letters), repeat=last))
    rows = [[names.index((*x[1:], w)) for w in range(s.letters)] for x in names]
    codes = []
    for name in names:
        states = network.start()
        for w in [0] * 5 + list(name):
            states = network.step(states, w)
        o = network.heads_read(states, 0)
        codes.append((o / np.sqrt((o * o).mean(-1, keepdims=True) + network.epsilon)).reshape(-1))
    codes += [codes[0] * 2] if s.begin else []
    machine = hand.Machine(rng.randrange(len(names)), rows)
    if rng.random() < 0.2:
        machine = hand.other_machine(rng, machine)
    return s, machine, hand.tensors_of(s, acts, np.array(codes), numbers), len(codes)


def changed_forever(rng, claim):
    """Returns the lines of a claim with a number nearer to 0, a leaf in a node's place, or one
    line less."""
    lines = claim.split("\n")
    sets = [i for i, x in enumerate(lines) if x.startswith("set ")]
    kind = rng.randrange(4)
    if kind < 2 and sets:
        i = rng.choice(sets)
        words = lines[i].split(" ")
        j = rng.randrange(2, len(words))
        words[j] = str(int(int(words[j]) * rng.choice((0.5, 0.99, 1 - 1e-6, 1.1))))
        lines[i] = " ".join(words)
    elif kind == 2 and "inner" in lines:
        lines[lines.index("inner")] = "leaf 20"
    else:
        del lines[rng.randrange(1, len(lines) - 1)]
    return "\n".join(lines)


def proposed(case, scope, option="--forever"):
    """Returns the tool's claim about the files in the folder, or None."""
    run, made = case.folder, case.folder / "made"
    made.unlink(missing_ok=True)
    argv = [case.args.tool, "horizon", run, option, "--no-report", "--prefix-time", "2"]
    argv += ["-o", made, "--quiet"] + (["--format", scope] if option == "--forever" else [])
    done = subprocess.run([str(x) for x in argv], capture_output=True, timeout=300)
    case.was_read = done.returncode == 0
    text = made.read_text() if made.exists() else ""
    return text[text.index("claim ") + 6 : text.rindex("end\n")] if text else None


def try_forever(case, numbers):
    rng = case.rng
    s, machine, tensors, labels = forever_network(rng, numbers)
    files = case.write(hand.files_of(s, machine, tensors, labels), "forever\n")
    scope = rng.choice(("exact", "fp32"))
    named = scope if scope == "exact" else "fp32 any-order"
    claim = proposed(case, scope)
    if not claim:
        return False
    other = files
    for i in range(8):
        other = files
        if i > 4:  # the old claim about another network
            other_tensors = {name: x.copy() for name, x in tensors.items()}
            spoil(rng, s, other_tensors, 1)
            other = hand.files_of(s, machine, other_tensors, labels)
        text = claim if i == 0 or i > 4 else changed_forever(rng, claim)
        other = case.write(other, text, named)
        if case.verified():
            judged(case, other, text, named, rng.random() < IN_DIGITS)
    if rng.random() < EDGES:
        edge(case, (s, machine, tensors, labels), claim, named)
    return True


# --- all of it ---

PARTS = {
    "finite": (try_finite, 0.4),
    "roots": (try_roots, 0.2),
    "settles": (try_settles, 0.25),
    "forever": (try_forever, 0.15),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--checker", required=True)
    parser.add_argument("--count", type=int, default=60, help="networks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--keep", help="write what was judged wrongly into this folder")
    args = parser.parse_args()
    wrong = right = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (attempt, share) in PARTS.items():
            if args.only not in (None, name):
                continue
            wanted = args.count if args.only else math.ceil(args.count * share)
            rng = random.Random(f"{args.seed}/{name}")
            case, numbers, made = Case(args, folder, rng), np.random.default_rng(args.seed), 0
            with np.errstate(all="ignore"):
                while made < wanted:
                    made += attempt(case, numbers)
            wrong += case.tally["WRONG"]
            right += case.tally["VERIFIED"] + case.tally["refused"] - case.tally["WRONG"]
            counts = ", ".join(f"{n} {what}" for what, n in sorted(case.tally.items()))
            print(f"{name}: {made} networks, {counts}", flush=True)
    print(f"{right} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
