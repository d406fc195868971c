"""What lrnn-check must refuse among networks by blocks and by point wires (claims blocks and
points; theory/pages/blocks.md and d1.md, D1.12).

No judge knows these forms. So a changed network with all hashes right may be refused for any
reason, but one that lrnn-check verifies must give the automaton's labels on random words, by the
replay of wired.py in fractions: otherwise it is a failure. Words are so long that every head turns
many blocks.

usage: forms_mutate.py --checker build/release/lrnn-check --tool build/release/fsa2lrnn [--count N]
[--seed S] [--jobs J]
--count is the number of changes of each kind."""

import collections
import copy
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import d1_mutate
import mutant_run
import mutations
import triple
import wired

CYCLE = "points {n}\ntrack points 1\npermute cycle ({all})\npermute swap (1 2)\n"
# (claim, arguments of `new` or the number of points of a cycle and a swap, factors)
BASES = [
    ("blocks", ["transformations", "4"], 1),
    ("blocks", ["transformations", "4"], 2),
    ("points", 28, 1),
]
WORDS, LETTERS = 8, 600


# --- changes of the network: (rng, automaton, network), False when they do not apply ---


def some_gate(rng, net):
    b = rng.choice(net.blocks)
    return rng.choice([*b.pre, *b.post])


def entry(rng, a, net):
    """Changes an entry of the table of one gate, or of all gates that share it."""
    gate = some_gate(rng, net)
    return net.tables[gate[0]][1] > 1 and d1_mutate.change_table(net, gate, rng)


def two_entries(rng, a, net):
    return entry(rng, a, net) and entry(rng, a, net)


def results_exchanged(rng, a, net):
    """Exchanges two values of one gate everywhere."""
    gate = some_gate(rng, net)
    sizes, values, results = net.tables[gate[0]]
    if values < 2:
        return False
    i = rng.randrange(values)
    j = mutations.other(rng, values, i)
    net.tables.append([sizes, values, [{i: j, j: i}.get(v, v) for v in results]])
    gate[0] = len(net.tables) - 1
    return True


def start_elsewhere(rng, a, net):
    """Starts a head with another one of its codes."""
    i, states = rng.choice(net.stages)
    readout = rng.choice(net.blocks[i].readouts)
    states[readout[0]] = copy.deepcopy(rng.choice(readout[3]))
    return True


def factors_exchanged(rng, a, net):
    """Exchanges what a head does for two values."""
    on = rng.choice(rng.choice(rng.choice(net.blocks).heads).slots)[1]
    if len(on) < 2:
        return False
    i = rng.randrange(len(on))
    j = mutations.other(rng, len(on), i)
    on[i], on[j] = on[j], on[i]
    return True


OWN = [entry, entry, entry, two_entries, results_exchanged, start_elsewhere, factors_exchanged]


def mutant(rng, texts, parsed):
    """Returns (kind, three texts) with one change of the network and all hashes right, or None when
    nothing was changed."""
    a, net = copy.deepcopy(parsed)
    where = rng.choices(("form", "part", "network"), (70, 20, 10))[0]
    change = rng.choice(OWN if where == "form" else d1_mutate.CHANGES[where])
    of = d1_mutate.Part(net, rng.randrange(len(net.stages))) if where == "part" else net
    if not change(rng, a, of):
        return None
    text = net.text(triple.sha256(texts[0]))
    files = mutations.rehash(texts[0], text, texts[2])
    return (f"{where}: {change.__name__}", files) if text != texts[1] else None


# --- the judge ---


def labels_right(rng, a, net):
    """Returns whether the network gives the automaton's labels on random words."""
    a = None if wired.class_error(net, a) else net.over(a)
    run = wired.Run(net)
    if a is None or None in run.start() or not net.starts_right(a):
        return False
    letters = range(len(a.letters))
    for _ in range(WORDS):
        joint, state = run.start(), a.start
        weights = [rng.random() + 0.01 for _ in letters]
        for x in rng.choices(letters, weights, k=LETTERS):
            joint, symbol = run.step(joint, x)
            if symbol is None or net.labels[symbol] != a.label_after(net.label, state, x):
                return False
            state = a.next[state][x]
    return True


def forms_chunk(checker, texts, seed, runs):
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    a, (net, _) = triple.read_automaton(texts[0]), wired.read_network(texts[1])
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            made = mutant(rng, texts, (a, net))
            if not made:
                continue
            runs -= 1
            kind, files = made
            data = [t.encode() for t in files]
            seen = mutant_run.verdict(checker, folder, data)
            said = mutant_run.accepted(seen, files)
            outcome = "refused" if said is False else "WRONG"
            if said and labels_right(rng, a, wired.read_network(files[1])[0]):
                outcome = "right and accepted"
            tally["meaning", kind, outcome] += 1
            if outcome == "WRONG":
                bad.append((kind, seen, data))
    return tally, bad


# --- the runs ---


def grammar_of(tool, what):
    if isinstance(what, int):
        return CYCLE.format(n=what, all=" ".join(map(str, range(1, what + 1)))).encode()
    return subprocess.run([tool, "new", *what], stdout=subprocess.PIPE, check=True).stdout


def compiled(tool, folder, number):
    claim, what, factors = BASES[number]
    grammar, result = folder / f"{number}.fsa", folder / str(number)
    grammar.write_bytes(grammar_of(tool, what))
    options = ["--formats", "bf16", "--householders", str(factors), "--out", str(result)]
    subprocess.run(
        [tool, "compile", str(grammar), *options],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    texts = tuple((result / name).read_text(encoding="utf-8") for name in mutant_run.NAMES)
    return texts, f"\nclaim {claim}\n" in texts[2]


def main():
    args, facts, bases = mutant_run.arguments(__doc__, 300), [], []
    with tempfile.TemporaryDirectory() as folder:
        for number, base in enumerate(BASES):
            texts, claimed = compiled(args.tool, Path(folder), number)
            a, (net, _) = triple.read_automaton(texts[0]), wired.read_network(texts[1])
            seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
            right = labels_right(random.Random(args.seed), a, net)
            facts.append((f"{base}: the claim is another one", claimed))
            facts.append((f"{base}: {seen}", mutant_run.accepted(seen, texts) and right))
            bases.append(texts)
    failed = mutant_run.print_facts(facts)
    tally, wrong = mutant_run.run(args, bases, (mutant_run.byte_chunk, forms_chunk))
    return mutant_run.close(
        f"{len(bases)} unchanged triples, seed {args.seed}, {mutant_run.spent(args.begin)}",
        len(facts) + sum(tally.values()),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
