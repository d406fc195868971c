"""No lower bound contradicts a network that lrnn-check VERIFIES.

Of random automata of 3 to 6 states (--states N: to N) with all kinds of labels, and with --census
of all rows of docs/census, it takes what `classify` denies: fewer layers, fewer factors or key
dimensions in
one layer, one code for each state, and classes of models. Against this it holds
- the networks of `compile --pareto` that are VERIFIED exactly, by their sizes;
- networks that it makes itself for the quotient of the automaton by equal futures: two states have
  equal futures when their labels agree after every word that is not empty. The compiler's network
  for the quotient, with decoders that read the letter, gives the labels of the automaton, wherever
  letter and class together have one label. lrnn-check must VERIFY each.

Each automaton has a seed of its own, so that a run can be done in parts: --first N begins with
automaton N. --record FILE goes on where the record of an earlier run with the same seed and
--states ends, and keeps it after each automaton. --jobs N takes N of them at a time, and counts
them in their order. Twice a minute a line on standard error says how many are done, and when the
rest may be.

usage: bounds_meet_networks.py --tool build/release/fsa2lrnn --checker build/release/lrnn-check
--bounds build/release/tests/prop/p_bound [--count N] [--states N] [--census] [--seed S]
[--first N] [--record FILE] [--minutes N] [--jobs N]
The seed is the number of the day unless --seed gives one; it is printed."""

import argparse
import collections
import concurrent.futures
import copy
import csv
import datetime
import functools
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import bound_mutate
import handmade
import mutant_run
import mutations
import triple
import triple_judge

ROOT = Path(__file__).resolve().parent.parent.parent
KINDS = "states", "outputs", "accept", "edges"
LITTLE = "--effort", "5", "--formats", "bf16"


# --- automata ---


def random_automaton(rng, kind, most):
    """Returns an automaton, all of whose states are reached."""
    n, k = rng.randrange(3, most + 1), rng.randrange(2, 4)
    a = bound_mutate.automaton(n, k, lambda q, x: 0)
    while True:
        a.next = [[rng.randrange(n) for _ in a.letters] for _ in a.states]
        if rng.random() < 0.6:  # two states with equal futures, told apart by the first letter
            p, q = rng.sample(range(n), 2)
            a.next[p] = list(a.next[q])
            for row in a.next:
                row[:] = [((q, p)[x == 0] if r in (p, q) else r) for x, r in enumerate(row)]
        if mutations.reaches_all(a):
            break
    if kind == "accept":
        a.accept = set(rng.sample(range(n), rng.randrange(1, n)))
    if kind == "outputs":
        a.outputs = [rng.choice("xyz") for _ in a.states]
    if kind == "edges":
        a.edge_outputs = [[rng.choice("xy") for _ in a.letters] for _ in a.states]
    return a


def letters_tell():
    """Returns the automaton that has a network of one layer, one head and one factor with one code
    for each state, where states 0 and 2 share it (theory/pages/separation.md, SP.9)."""
    return bound_mutate.automaton(3, 2, lambda q, x: [[1, 1], [0, 2], [1, 1]][q][x])


def census():
    for table in sorted((ROOT / "docs/census").glob("*.csv")):
        for row in csv.DictReader(table.open(encoding="utf-8")):
            maps = row["automaton"].split(" ")
            yield bound_mutate.automaton(
                len(maps[0]), len(maps), lambda q, x, maps=maps: int(maps[x][q])
            )


def numbered(values):
    """Returns numbers, equal for equal values, in the order of the first ones."""
    number = {}
    return [number.setdefault(v, len(number)) for v in values]


def futures_of(a, kind):
    """Returns (class of every state, states equivalent; class of every state, equal futures)."""
    states, letters = range(len(a.states)), range(len(a.letters))
    alike = numbered([None if kind == "edges" else a.labels(kind)[q] for q in states])
    while True:
        after = [
            tuple((a.label_after(kind, q, x), alike[a.next[q][x]]) for x in letters) for q in states
        ]
        finer = numbered([(alike[q], after[q]) for q in states])
        if max(finer) == max(alike):
            return alike, numbered(after)
        alike = finer


def quotient(a, class_of):
    first = [class_of.index(c) for c in range(max(class_of) + 1)]
    q = bound_mutate.automaton(
        len(first), len(a.letters), lambda c, x: class_of[a.next[first[c]][x]]
    )
    q.start = class_of[a.start]
    return q


# --- networks of the quotient ---


def with_letters(net, a, kind, class_of):
    """Returns the quotient's network with decoders that read the letter, for the automaton's
    labels, or None where a letter leads to two labels in one class. Every symbol handed up is a
    pair of the old symbol and the letter."""
    letters = range(len(a.letters))
    label = {}
    for q, x in itertools.product(range(len(a.states)), letters):
        at = x, f"q{class_of[a.next[q][x]]}"
        if label.setdefault(at, a.label_after(kind, q, x)) != a.label_after(kind, q, x):
            return None
    out = copy.deepcopy(net)
    out.label, out.letters, out.classes = kind, list(a.letters), None
    first = [a.labels(kind)[a.start]] if kind != "edges" else []
    out.labels = list(dict.fromkeys([*first, *label.values()]))
    out.start = 0 if first else None
    pairs = [(x if net.classes is None else net.classes[x], x) for x in letters]
    for number, (old, y) in enumerate(zip(net.layer, out.layer)):
        last = number + 1 == len(net.layer)
        handed = [(s, x) for s in range(old.symbols) for x in letters]
        given = {p: i for i, p in enumerate(handed)}
        y.letters, y.by_letter, y.yields, y.values, y.table = len(pairs), True, {}, (), []
        y.symbols, y.symbol = (len(out.labels) if last else len(handed)), [None] * len(y.code)
        for h, before in zip(y.head, old.head):
            h.gate = [before.gate[s] for s, _ in pairs]
            h.factors = [before.factors[s] for s, _ in pairs]
            h.bias = before.bias and [before.bias[s] for s, _ in pairs]
        for (i, (s, x)), code in itertools.product(enumerate(pairs), range(len(y.code))):
            symbol = old.symbol_of(s, code)
            if symbol is None or last and (x, net.labels[symbol]) not in label:
                continue
            y.yields[i, code] = (
                out.labels.index(label[x, net.labels[symbol]]) if last else given[symbol, x]
            )
        pairs = handed
    return out


def facts_of(net, rows, alike):
    """Returns what the bounds are about; `one_code`: whether equivalent states have one code of one
    layer."""
    heads = [h for y in net.layer for h in y.head]
    factors = [f for h in heads for fs in h.factors for f in fs]
    codes = {(alike[q], tuple(c)) for q, c, _ in rows}
    plain = all(h.form is None and h.field is None and not h.raw and not h.bias for h in heads)
    ungated = all(g == 1 for h in heads for g in h.gate)
    few = plain and ungated and all(len(fs) <= 1 for h in heads for fs in h.factors)
    positive = all(beta <= 1 for beta, _, _ in factors)
    diagonal = plain and all(len(u) == 1 for _, u, _ in factors)
    classes = {
        "diagonal": diagonal,
        "diagonal-positive": diagonal and positive,
        "complex": diagonal,
        "deltanet": few,
        "deltanet-positive": few and positive,
        "deltaproduct": ungated,
        "gated": True,
    }
    return {
        "layers": len(net.layer),
        "heads": max(len(y.head) for y in net.layer),
        "householders": max(len(fs) for h in heads for fs in h.factors),
        "keys": sum(h.n for h in heads),
        "ungated": ungated,
        "one_code": len(net.layer) == 1 and len(codes) == max(alike) + 1,
        "classes": {name for name, holds in classes.items() if holds},
    }


def facts_of_row(row):
    """Returns what the bounds are about for a row of --pareto; key dimensions are not smaller."""
    f = row["figures"]
    return {
        "layers": f["layers"],
        "heads": f["heads"],
        "householders": f["householders"],
        "keys": f["heads"] * f["key_dim"],
        "ungated": not row["gated"],
        "one_code": row["theorem"] == "R4",
        "infinite": row["exact_states"] != "finite",
        "classes": set(),
    }


# --- bounds ---


def contradictions(bounds, network):
    """Returns what the network shows to be wrong."""
    found = []
    least = bounds["margin" if network.get("infinite") else "layers"]
    if network["layers"] < least:
        found.append(f"{network['layers']} layers, at least {least}")
    if network["layers"] == 1 and network["ungated"] and not network.get("infinite"):
        seen = {"householders": network["householders"], "key_dimension": network["keys"]}
        if network["heads"] == 1:
            seen["householders_one_head"] = network["householders"]
        for name, value in seen.items():
            if value < bounds["one layer"].get(name, 0):
                found.append(f"{name} {value}, at least {bounds['one layer'][name]}")
    if network["one_code"] and bounds["infeasible"]:
        found.append("one code for each state, infeasible")
    for name in network["classes"]:
        if name in bounds["cannot"] or network["layers"] < bounds["layers of"].get(name, 0):
            found.append(f"{name} with {network['layers']} layers, denied")
    return found


class Record:
    """What earlier parts of a run found: the number of automata done, counts and failures."""

    def __init__(self, args, version):
        self.version = version
        self.path, self.key = args.record, {"seed": args.seed, "states": args.states}
        self.done, self.tally, self.failed = args.first, {}, []
        if self.path and self.path.exists():
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            if {name: kept[name] for name in self.key} != self.key:
                sys.exit(f"{self.path}: it has another seed or other numbers of states")
            self.done, self.tally, self.failed = kept["done"], kept["counts"], kept["failed"]

    def keep(self, done, run, args, known=None):
        """Writes the record; `known` is the run of the automata of the tables."""
        if not self.path:
            return
        kept = {
            "about": "lower bounds beside networks that lrnn-check VERIFIES, random automata",
            "command": f"tests/prop/bounds_meet_networks.py --count {args.count} --states "
            f"{args.states} --seed {args.seed}{' --census' * args.census}",
            "version": self.version,
            "date": datetime.date.today().isoformat(),
            **self.key,
            "done": done,
            "counts": dict(run.tally),
            "failed": run.failed,
        }
        if known:
            kept["census"] = {"counts": dict(known.tally), "failed": known.failed}
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        new.replace(self.path)


class Progress:
    """Says how far a run is, at most twice a minute."""

    def __init__(self, first, count):
        self.first, self.count = first, count
        self.begin = self.said = time.monotonic()

    def say(self, done, run):
        now = time.monotonic()
        if now - self.said < 30:
            return
        self.said = now
        left = (now - self.begin) / max(1, done - self.first) * (self.count - done)
        print(
            f"{done} of {self.count} automata, {run.tally['contradicted']} contradicted; "
            f"{left / 60:.0f} minutes left",
            file=sys.stderr,
            flush=True,
        )


class Run:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.tally, self.failed = collections.Counter(), []

    def add(self, tally, failed):
        self.tally.update(tally)
        self.failed += failed

    def version(self):
        return self.say([self.args.tool, "--version"]).stdout.split("\n")[0]

    def path(self, name):
        return str(self.folder / name)

    def say(self, argv):
        return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def json(self, *argv):
        done = self.say([self.args.tool, *argv, "--json"])
        assert done.returncode in (0, 2), (argv, done)
        return json.loads(done.stdout)

    def certificate(self, a, kind):
        return bound_mutate.certificate(self.args.bounds, "separation", kind, a.text())

    def bounds(self, a, kind):
        """Returns what is denied; classify reads no labels of transitions."""
        if kind == "edges":
            own = ["--no-report", "--out", self.path("own"), "--force"]
            told = self.json("compile", self.path("a.fsa"), "--label", kind, *own)
            needed = told["layers_needed"] or {}
            return {
                "layers": needed.get("layers_at_least") or 1,
                "margin": needed.get("margin_at_least") or 1,
                "one layer": {},
                "infeasible": bool(self.certificate(a, kind)),
                "cannot": set(),
                "layers of": {},
            }
        told = self.json("classify", self.path("a.fsa"), "--label", kind)
        needed = told["layers_needed"]
        return {
            "layers": needed["layers_at_least"] or 1,
            "margin": needed["margin_at_least"] or 1,
            "one layer": {b["bounded"]: b["least_value"] for b in told["one_layer_bounds"]},
            "infeasible": told["one_code_layer"]["one_code"] == "infeasible",
            "cannot": {c["class"] for c in told["classes"] if c["answer"] == "cannot"},
            "layers of": {c["class"]: c["layers_at_least"] or 0 for c in told["classes"]},
        }

    def of_quotient(self, q, *options):
        """Returns the compiler's network for the quotient, or None where it has none in this
        form."""
        if len(q.states) == 1:
            still = handmade.head(1, 1, {}, *[(1,)] * len(q.letters))
            one = handmade.layer(len(q.letters), [still], lambda x, state: 0, 1)
            return handmade.network(q, "states", one)
        (self.folder / "q.fsa").write_text(q.text(), encoding="utf-8")
        out, made = self.path("q"), self.folder / "q/network.lrnn"
        made.unlink(missing_ok=True)  # bounds that nothing is known to keep leave the status 2
        argv = [self.args.tool, "compile", self.path("q.fsa"), "--no-report", "--out", out]
        done = self.say([*argv, "--force", "--quiet", *LITTLE, *options])
        if done.returncode not in (0, 2) or not made.exists():
            return None
        text = made.read_text(encoding="utf-8")
        # A network of infinitely many states gives no rows for a closure.
        known = text.startswith("lrnn 2\n") and "\nbox " not in text
        return triple.read_network(text)[0] if known else None

    def networks(self, a, kind):
        """Makes the networks of the quotient, and returns the facts of those that lrnn-check
        VERIFIES; one that it refuses is a failure."""
        alike, class_of = futures_of(a, kind)
        q, layers = quotient(a, class_of), 3
        for most in (None, 2, 1) if max(class_of) < max(alike) else (None,):
            if most and layers <= most:
                continue
            net = self.of_quotient(q, *(["--layers", str(most)] if most else []))
            made = net and with_letters(net, a, kind, class_of)
            if net and not made:
                break
            if not made:
                continue
            layers, text = len(made.layer), made.text(triple.sha256(a.text()))
            rows = triple_judge.close(made, a)
            if rows is None:
                self.fail(a, kind, "a network of the quotient is wrong", text)
                continue
            proof = triple_judge.certificate_of(made, a, rows).text(a.text(), text)
            (self.folder / "n.lrnn").write_text(text, encoding="utf-8")
            (self.folder / "n.cert").write_text(proof, encoding="utf-8")
            done = self.say([self.args.checker, *map(self.path, ("a.fsa", "n.lrnn", "n.cert"))])
            if done.returncode != 0:
                self.fail(a, kind, f"lrnn-check: {done.stdout}{done.stderr}", text)
                continue
            self.tally["networks of quotients"] += 1
            self.tally["of smaller quotients"] += max(class_of) < max(alike)
            yield facts_of(made, rows, alike), text

    def fail(self, a, kind, what, network=""):
        self.failed.append(f"labels {kind}: {what}\n{a.text()}{network}")

    def one(self, a, kind):
        (self.folder / "a.fsa").write_text(a.text(), encoding="utf-8")
        rows = self.json("compile", self.path("a.fsa"), "--label", kind, "--pareto", *LITTLE)
        bounds = self.bounds(a, kind)
        shown = [
            (facts_of_row(row), f"{row['theorem']} {row['variant']}\n")
            for row in rows["constructions"]
            if row["outcome"] == "built" and row["exact"]["verdict"] == "VERIFIED"
        ]
        self.tally["rows of --pareto"] += len(shown)
        self.tally["several layers"] += bounds["layers"] > 1
        self.tally["finite only"] += bounds["layers"] > bounds["margin"]
        self.tally["infeasible"] += bounds["infeasible"]
        before = len(self.failed)
        for network, text in [*shown, *self.networks(a, kind)]:
            self.tally["one code for each state"] += network["one_code"]
            for what in contradictions(bounds, network):
                self.fail(a, kind, what, text)
        self.tally["automata"] += 1
        self.tally["contradicted"] += len(self.failed) > before


def take_one(args, a, kind):
    """Returns the counts and failures of an automaton; an error is one of them."""
    with tempfile.TemporaryDirectory() as temporary:
        run = Run(args, Path(temporary))
        try:
            run.one(a, kind)
        except Exception:
            run.fail(a, kind, traceback.format_exc())
            run.tally["contradicted"] += 1
    return run.tally, run.failed


def take_random(args, i):
    """Returns the counts and failures of random automaton i."""
    kind = KINDS[i % len(KINDS)]
    a = random_automaton(random.Random(f"{args.seed} {i}"), kind, args.states)
    return take_one(args, a, kind)


def walk_random(pool, run, record, args, end):
    """Takes the random automata that are left; returns False where the time ended before them."""
    run.add(record.tally, record.failed)
    progress = Progress(record.done, args.count)
    left = range(record.done, args.count)
    for i, found in zip(left, pool.map(functools.partial(take_random, args), left)):
        run.add(*found)
        record.keep(i + 1, run, args)
        progress.say(i + 1, run)
        if args.minutes and time.monotonic() > end and i + 1 < args.count:
            pool.shutdown(wait=True, cancel_futures=True)
            print(f"{i + 1} of {args.count} automata, {run.tally['contradicted']} contradicted")
            return False
    return True


def walk_known(pool, automata, args):
    """Returns the run of the automata, whose states are their labels."""
    run, progress = Run(args, None), Progress(0, len(automata))
    for i, found in enumerate(pool.map(functools.partial(take_one, args, kind="states"), automata)):
        run.add(*found)
        progress.say(i + 1, run)
    return run


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in "--tool", "--checker", "--bounds":
        parser.add_argument(name, required=True, type=mutant_run.program)
    parser.add_argument("--count", type=int, default=40, help="random automata")
    parser.add_argument("--states", type=int, default=6, help="most states of random automata")
    parser.add_argument("--census", action="store_true", help="all automata of the tables, too")
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--first", type=int, default=0, help="automata that are left out")
    parser.add_argument("--record", type=Path, help="JSON of a run that is done in parts")
    parser.add_argument("--jobs", type=int, default=1, help="automata at a time")
    parser.add_argument("--minutes", type=float, default=0, help="ends after them; 0: never")
    args = parser.parse_args()
    begin = time.monotonic()
    print(f"seed {args.seed}", flush=True)
    run = Run(args, None)
    record = Record(args, run.version())
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        if not walk_random(pool, run, record, args, begin + 60 * args.minutes):
            return 0
        if args.census:
            known = walk_known(pool, list(census()), args)
            record.keep(args.count, run, args, known)
            run.add(known.tally, known.failed)
        known = walk_known(pool, [letters_tell()], args)
        run.add(known.tally, known.failed)
    for what, count in run.tally.items():
        print(f"{what}: {count}")
    for text in run.failed[: mutant_run.SHOWN]:
        print(f"FAILED {text}")
    needed = "of smaller quotients", "several layers", "infeasible", "one code for each state"
    missing = [what for what in needed if args.count >= 40 and run.tally[what] == 0]
    if missing:
        print(f"FAILED there were none: {', '.join(missing)}")
    return mutant_run.close(
        f"seed {args.seed}, {mutant_run.spent(begin)}",
        run.tally["automata"] + 1,
        run.tally["contradicted"] + bool(missing),
    )


if __name__ == "__main__":
    sys.exit(main())
