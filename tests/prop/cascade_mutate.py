"""What lrnn-check must refuse among cascades: changed bytes, and changed meaning with all hashes
computed again.

As in mutate.py, but for certificates of cascades: sets, contexts and pairs for every level.
lrnn-check must say VERIFIED exactly when the network, replayed in fractions with all layers
together, is right on every word, and the certificate passes the check of cascade.py. A certificate
that passes for a network that is wrong is a failure whatever lrnn-check says: there is none
(theory/pages/t4.md, T4.10). The first case is the wiring of the published proof: its layers fit
each other, it is wrong on most letters, and lrnn-check refuses it by condition (2).

usage: cascade_mutate.py --checker build/release/lrnn-check [--tool build/release/fsa2lrnn] [--count
N] [--seed S] [--jobs J]
--count is the number of changes of each kind; with --tool the compiler's own output is changed,
too."""

import copy
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import cascade
import cascade_changes
import handmade
import handmade_cascades
import mutant_run
import mutations
import triple
import triple_judge

LETTERS = 2000
COMPILED = [
    ("3: 231 213 113", []),
    ("3: 231 213 113", ["--label", "accept", "--gated"]),
    ("4: 2344 1123", ["--cascade", "zeiger"]),
    ("4: 2344 1123", ["--cascade", "capped", "--gated"]),
    ("5: 23455 11234", []),
    ("4: 1114 1113 2232 2122", []),
    ("4: 1114 1113 2232 2122", ["--cascade", "pure"]),
    ("5: 23415 11345 55515", ["--label", "accept"]),
    ("3: 231 213 113", ["--gated"]),
    ("4: 2341 1134", ["--gated"]),
    ("3: 231 213 113", ["--target", "complex"]),
    ("4: 2341 1134", ["--target", "complex", "--label", "accept"]),
    ("4: 2344 1123", ["--target", "diagonal", "--label", "accept"]),
    ("4: 2143 3412 1133", ["--target", "diagonal"]),
    ("3: 231 113", ["--target", "one-reflection"]),
    ("8: 21436587 34127856 11151115", []),
    ("8: 21436587 34127856 11151115", ["--gated"]),
]


# --- the runs ---


def mutant(rng, texts, parsed):
    """Returns (kind, three texts) with one change of meaning and all hashes right, or None when
    nothing was changed."""
    a, net, cert = copy.deepcopy(parsed)
    where = rng.choices(
        ("network", "automaton", "certificate", "token", "line"), (40, 10, 35, 10, 5)
    )[0]
    if where in ("token", "line"):
        return mutant_run.changed_text(rng, where, texts, rng.choice((0, 1, 2, 2)))
    if where == "certificate":
        change = rng.choice(cascade_changes.CERTIFICATE)
        change(rng, cert)
        consistent = change in (
            cascade_changes.members,
            cascade_changes.set_level,
            cascade_changes.cover_member,
            cascade_changes.cover_order,
            cascade_changes.set_twin,
            cascade_changes.context_letter,
            cascade_changes.context_set,
        )
    else:
        change = rng.choice(cascade_changes.NETWORK if where == "network" else mutations.AUTOMATON)
        if not change(rng, a, net):
            return None
        cert.sizes, cert.states = list(net.sizes()), len(a.states)
        consistent = triple_judge.class_error(net, a) is None
    # Half of the changes are carried through the certificate, as far as sets, contexts and exact
    # steps allow.
    if consistent and not any(cert.told) and rng.random() < 0.5:
        contexts = [contexts for contexts, _ in cert.tables]
        cert = cascade.close(net, a, cert.sets, contexts, cert.layers, cert.reads) or cert
    files = handmade_cascades.texts(a, net, cert)
    return (f"{where}: {change.__name__}", files) if tuple(files) != tuple(texts) else None


def parse(texts):
    net, _ = triple.read_network(texts[1])
    return (
        triple.read_automaton(texts[0]),
        net,
        cascade.read_certificate(texts[2], texts[0], texts[1]),
    )


def cascade_chunk(checker, texts, seed, runs):
    parsed = parse(texts)
    return mutant_run.meaning_runs(
        checker,
        seed,
        runs,
        lambda rng: mutant(rng, texts, parsed),
        lambda *files: mutant_run.of_network(*cascade.should_verify(*files)),
    )


def compiled(tool, folder):
    """Returns the compiler's output for some automata, given as images of 1..n by each letter."""
    out = {}
    for images, options in COMPILED:
        n, letters = int(images.split(":")[0]), images.split()[1:]
        grammar, result = folder / "g.fsa", folder / "g.lrnn"
        states = [str(q + 1) for q in range(n)]
        lines = ["fsa 1", f"states {' '.join(states)}", "start 1", "accept 1 3"]
        lines += [
            f"{q} {'abcd'[w]} {image[int(q) - 1]}"
            for q in states
            for w, image in enumerate(letters)
        ]
        grammar.write_text("\n".join(lines) + "\n")
        options = (
            options
            if {"--cascade", "--target"} & set(options)
            else [*options, "--cascade", "holonomy"]
        )
        subprocess.run(
            [tool, str(grammar), "--force", "--formats", "bf16", "--out", str(result), *options],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        out[" ".join([images, *options])] = tuple(
            (result / name).read_text(encoding="utf-8") for name in mutant_run.NAMES
        )
    return out


def wrong_letters(a, net, rng):
    """Returns how many letters of a random word lead to a wrong label, and the first of them."""
    run, a, wrong, first = triple_judge.Run(net), net.over(a), 0, None
    q = a.start
    joint = run.start()
    for t in range(LETTERS):
        w = rng.randrange(len(a.letters))
        joint, symbol = run.step(joint, w)
        if symbol is None or net.labels[symbol] != a.label_after(net.label, q, w):
            wrong, first = wrong + 1, first or t + 1
        q = a.next[q][w]
    return wrong, first


def literal_wiring(checker, folder):
    """Yields whether each statement about the published wiring holds."""
    for name in ("t3", "elevator", "branch"):
        a, net, cert = handmade_cascades.ALL[name]()
        wrong, _ = wrong_letters(a, net, random.Random(3))
        yield (
            f"{name}, repaired: right on {LETTERS} letters",
            wrong == 0 and triple_judge.close(net, a) is not None,
        )
        a, net, cert = getattr(handmade_cascades, name)(literal=True)
        wrong, first = wrong_letters(a, net, random.Random(3))
        texts = handmade_cascades.texts(a, net, cert)
        yield f"{name}, literal: every level fits its sets", cascade.layers_close(cert, net, a)
        yield (
            f"{name}, literal: {wrong} of {LETTERS} letters wrong, the first is number {first}",
            wrong > LETTERS / (2 if name == "t3" else 4) and triple_judge.close(net, a) is None,
        )
        yield (
            f"{name}, literal: the certificate is wrong by fractions",
            not cascade.certificate_holds(cert, net, a),
        )
        status, out, err = mutant_run.verdict(checker, folder, [t.encode() for t in texts])
        yield (
            f"{name}, literal: lrnn-check names condition (2)",
            status == 1 and out == b"s NOT VERIFIED\n" and b"condition (2)" in err,
        )


def other_new_set(a, net, c):
    """Makes the decoder pass on a copy of the new set, from which no context leads on; the network
    is as right as before."""
    c.sets.append(c.sets[1])
    x = next(x for x in c.tables[1][0] if x[2] == 1)
    x[2] = len(c.sets) - 1
    return cascade.close(net, a, c.sets, [contexts for contexts, _ in c.tables], c.layers)


def started_elsewhere(a, net, c):
    """Lists the pairs of the last level in the order in which they are found from a pair with
    another set."""
    pairs = c.tables[-1][1]
    order = [next(p for p, pair in enumerate(pairs) if pair[0] != pairs[0][0])]
    for p in order:
        order += [q for q in dict.fromkeys(pairs[p][2]) if q not in order]
    place = {old: new for new, old in enumerate(order)}
    c.tables[-1][1] = [[pairs[p][0], pairs[p][1], [place[q] for q in pairs[p][2]]] for p in order]


def begun_in_the_other(a, net, c):
    """Lets the last level begin, in the certificate, in the set that it enters with the first
    letter; the network is wrong on exactly this letter."""
    table = c.tables[1]
    x = next(i for i, context in enumerate(table[0]) if context[0] == 1 and context[1] == 1)
    h = net.layer[1].head[0]
    h.factors[x] = copy.deepcopy(
        h.factors[next(i for i, context in enumerate(table[0]) if context[0] == 0)]
    )
    kept = [i for i, pair in enumerate(table[1]) if pair[0] == 2]
    kept.sort(key=lambda i: table[1][i][1] != table[1][0][1])  # the one with the same code first
    table[1] = [
        [z, s, [kept.index(q) for q in following]]
        for z, s, following in (table[1][i] for i in kept)
    ]


# Changes with one fault each and everything else as consistent as possible: (cascade, condition
# that must be named, change).
WRONG = [
    ("t3", 0, started_elsewhere),
    ("t3 delay", 0, started_elsewhere),
    ("entered", 0, begun_in_the_other),
    ("t3 delay", 1, lambda a, net, c: c.tables[0][1][0][2].reverse()),
    ("t3 delay", 2, lambda a, net, c: net.layer[1].table[0][1].reverse()),
    ("t3 delay", 3, lambda a, net, c: c.sets[1][2].pop()),
    ("twins", 0, lambda a, net, c: c.sets[0][1].pop()),
    ("t3", 0, lambda a, net, c: c.tables[0][0].reverse()),
    ("elevator", 1, lambda a, net, c: c.tables[1][1].__setitem__(0, c.tables[1][1][1])),
    ("t3", 1, lambda a, net, c: c.tables[0][1][0][2].reverse()),
    ("t3", 2, lambda a, net, c: net.layer[0].table[0][1].reverse()),
    ("t3", 2, other_new_set),
    ("t3", 3, lambda a, net, c: c.sets[1][2].pop()),
    ("twins", 4, lambda a, net, c: c.sets[2][1].pop()),
    ("elevator", 4, lambda a, net, c: c.sets[1][1].pop()),
    ("flipflop", 5, lambda a, net, c: c.sets[2].__setitem__(0, 1)),
    ("twins", 5, lambda a, net, c: c.sets[2][1].append(4)),
    ("twins", 5, lambda a, net, c: net.layer[0].table[0][1].__setitem__(0, 1)),
]


def conditions(checker, folder):
    """Yields whether lrnn-check refuses each of WRONG for its reason, and whether the check in
    fractions refuses it as well."""
    for number, (name, condition, change) in enumerate(WRONG):
        a, net, c = handmade_cascades.ALL[name]()
        changed = change(a, net, c)
        c = changed if isinstance(changed, cascade.Certificate) else c
        c.recount()
        texts = handmade_cascades.texts(a, net, c)
        status, out, err = mutant_run.verdict(checker, folder, [t.encode() for t in texts])
        yield (
            f"wrong {number} ({name}): refused by condition ({condition}): {err}",
            not cascade.certificate_holds(c, net, a)
            and (status, out) == (1, b"s NOT VERIFIED\n")
            and f"condition ({condition})".encode() in err,
        )


def layer_of_no_level(checker, folder):
    """Adds a layer that exchanges the labels, with a certificate of the levels below it."""
    a, net, c = handmade_cascades.ALL["flipflop"]()
    top = triple.Layer()
    top.letters = top.symbols = len(net.labels)
    top.head, top.values, top.symbol = (
        [handmade.head(1, 1, {(0, 0): 1}, *[(1,)] * top.letters)],
        [1],
        [(0,)],
    )
    top.code, top.table = [[top.head[0].initial]], [
        [0, [top.letters - 1 - x]] for x in range(top.letters)
    ]
    net.layer.append(top)
    c.sizes = list(net.sizes())
    status, out, err = mutant_run.verdict(
        checker, folder, [t.encode() for t in handmade_cascades.texts(a, net, c)]
    )
    yield (
        f"a layer of no level: refused: {err}",
        triple_judge.close(net, a) is None
        and not cascade.certificate_holds(c, net, a)
        and (status, out) == (1, b"s NOT VERIFIED\n")
        and b"belongs to no level" in err,
    )


def unchanged(checker, tool, folder, bases):
    """Yields whether the base is verified as a cascade and, where it has few rows, by all joint
    states."""
    for name, texts in bases.items():
        seen = mutant_run.verdict(checker, folder, [t.encode() for t in texts])
        yield (
            f"{name}: verified",
            mutant_run.accepted(seen)
            and seen[1].startswith(b"s VERIFIED cascade ")
            and cascade.should_verify(*texts) == (True, True),
        )
        a, net, _ = parse(texts)
        joint = triple_judge.certificate_of(net, a, triple_judge.close(net, a)).text(
            texts[0], texts[1]
        )
        seen = mutant_run.verdict(checker, folder, [t.encode() for t in (*texts[:2], joint)])
        yield f"{name}: verified with joint states", mutant_run.accepted(seen) and seen[
            1
        ].startswith(b"s VERIFIED exact ")
        if tool:
            yield f"{name}: fsa2lrnn run agrees", mutant_run.compiler_agrees(tool, folder, texts)


def main():
    args = mutant_run.arguments(__doc__, 1000)
    with tempfile.TemporaryDirectory() as folder:
        bases = {
            name: handmade_cascades.texts(*make()) for name, make in handmade_cascades.ALL.items()
        }
        if args.tool:
            bases.update(compiled(args.tool, Path(folder)))
        bases = mutant_run.of_part(args, bases)
        facts = [*unchanged(args.checker, args.tool, folder, bases)]
        if not args.part:
            facts += literal_wiring(args.checker, folder)
            facts += conditions(args.checker, folder)
            facts += layer_of_no_level(args.checker, folder)
    failed = mutant_run.print_facts(facts, lambda what: "letters wrong" in what)
    tally, wrong = mutant_run.run(
        args, list(bases.values()), (mutant_run.byte_chunk, cascade_chunk)
    )
    return mutant_run.close(
        f"{len(bases)} unchanged triples, seed {args.seed}, {mutant_run.spent(args.begin)}",
        len(facts) + sum(tally.values()),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
