"""What lrnn-check must refuse among wired networks: changed bytes, and changed meaning with all
hashes computed again.

As in mutate.py, for networks of stages and circuits (wired.py), with certificates that list joint
states (claim exact) or name a quotient whose rule form the network is claimed to be (claim zeiger).
lrnn-check must say VERIFIED exactly when the certificate passes the check of wired_certificate.py:
for claim zeiger, when the network is the form by meaning. Whatever passes must also be right for
the automaton on every word, by a replay in fractions that knows nothing of forms: otherwise it is a
failure, whatever lrnn-check says. Right networks that are not the form are refused, and counted
separately.

usage: wired_mutate.py --checker build/release/lrnn-check [--tool build/release/fsa2lrnn] [--count
N] [--seed S] [--jobs J]
--count is the number of changes of each kind; with --tool the compiler's own output is changed,
too."""

import copy
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import handmade_cascades
import handmade_wired
import mutant_run
import mutations
import triple
import wired
import wired_certificate
import wired_changes

COMPILED = [
    ("3: 231 213 113", "states"),
    ("4: 2344 1123", "accept"),
    ("4: 2341 2134", "states"),
    ("2: 21 11", "states"),
    ("3: 231 213 113", "edges"),
]


# --- the runs ---


def other_automaton(rng, a, net, cert):
    """Returns the rule form of the automaton with one edge changed, by the classes of the
    certificate, or None."""
    changed = copy.deepcopy(a)
    if not mutations.edge(rng, changed, net):
        return None
    classes = wired_certificate.Form()
    classes.classes, classes.count = cert.classes, cert.count
    q = classes.quotient(net, changed)
    if q is None:
        return None
    form = wired_certificate.rule_form(q)
    form.label = net.label
    return form


def mutant(rng, texts, parsed):
    """Returns (kind, three texts) with one change of meaning and all hashes right, or None when
    nothing was changed."""
    a, net, cert = copy.deepcopy(parsed)
    of_form = isinstance(cert, wired_certificate.Form)
    where = rng.choices(
        ("network", "automaton", "certificate", "other form", *mutant_run.TEXT_CHANGES),
        (55, 10, 12, 8 if of_form else 0, 10, 5, 10),
    )[0]
    if where in mutant_run.TEXT_CHANGES:
        return mutant_run.changed_text(rng, where, texts, rng.choice((0, 1, 1, 2)))
    name = where
    if where == "certificate":
        change = rng.choice(wired_changes.FORM if of_form else wired_changes.EXACT)
        change(rng, cert)
        name = f"{where}: {change.__name__}"
        if of_form and rng.random() < 0.7:
            cert.derive(net, a)
    elif where == "other form":
        net = other_automaton(rng, a, net, cert)
        if net is None:
            return None
    else:
        change = rng.choice(wired_changes.NETWORK if where == "network" else mutations.AUTOMATON)
        name = f"{where}: {change.__name__}"
        if not change(rng, a, net):
            return None
        if of_form:
            cert.measure(net, a)
            if where == "automaton" and a.labels(net.label) and rng.random() < 0.5:
                cert = wired_certificate.form_of(net, a, handmade_wired.classes_of(a, net.label))
            cert.derive(net, a)
        else:
            cert.sizes, cert.states = list(net.sizes()), len(a.states)
        if not of_form and rng.random() < 0.7:
            rows = wired.close(net, a, ignore_labels=True)
            cert = wired_certificate.exact_of(net, a, rows) if rows else cert
    files = handmade_wired.texts(a, net, cert)
    return (name, files) if tuple(files) != tuple(texts) else None


def parse(texts):
    net, _ = wired.read_network(texts[1])
    return (
        triple.read_automaton(texts[0]),
        net,
        wired_certificate.read_certificate(texts[2], texts[0], texts[1]),
    )


def wired_chunk(checker, texts, seed, runs):
    parsed = parse(texts)
    refused = (
        "network right, not the form or another quotient: refused"
        if isinstance(parsed[2], wired_certificate.Form)
        else "network right, certificate wrong: refused"
    )
    return mutant_run.meaning_runs(
        checker,
        seed,
        runs,
        lambda rng: mutant(rng, texts, parsed),
        lambda *files: mutant_run.of_network(*wired_certificate.should_verify(*files), refused),
    )


def compiled(tool, folder):
    """Returns rule forms that the compiler writes, for automata given as images of 1..n by each
    letter."""
    out = {}
    for images, label in COMPILED:
        n, letters = int(images.split(":")[0]), images.split()[1:]
        grammar, result = folder / "g.fsa", folder / "g.lrnn"
        lines = ["fsa 1", f"states {' '.join(str(q + 1) for q in range(n))}", "start 1", "accept 1"]
        shown = (lambda q, w: " " + "xyz"[(q + w * w) % 3]) if label == "edges" else lambda q, w: ""
        lines += [
            f"{q + 1} {'abcd'[w]} {image[q]}{shown(q, w)}"
            for q in range(n)
            for w, image in enumerate(letters)
        ]
        grammar.write_text("\n".join(lines) + "\n")
        subprocess.run(
            [
                tool,
                str(grammar),
                "--force",
                "--formats",
                "bf16",
                "--out",
                str(result),
                "--label",
                label,
                "--cascade",
                "zeiger",
                "--max-sets",
                "1",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        out[f"compiled {images}, {label}"] = tuple(
            (result / name).read_text(encoding="utf-8") for name in mutant_run.NAMES
        )
    return out


# Changes with one fault each, which the reason must name: (base, words, change).


def wire_of_gate(a, net, c):
    net.blocks[1].pre[0][1][1] = 2


def state_not_entered(a, net, c):
    """Makes the first old set lack one of the states."""
    net.tables.append([[], 2, [0]])
    net.blocks[0].pre[1][0] = len(net.tables) - 1


def slot_wire_other(a, net, c):
    """Makes slot 2 read the letter instead of the reset bit."""
    slot = net.blocks[1].heads[0].slots[1]
    slot[0] = 0
    slot[1].append(slot[1][1])


def output_of_new_state(a, net, c):
    """Makes the first gate of the last block read the new state in place of the old one."""
    net.blocks[2].pre[0][1][-1] += len(net.blocks[2].inputs) // 2


def another_output(a, net, c):
    """Makes an output of the automaton another one, which the network knows."""
    a.edge_outputs[3][2] = "back"


def larger_action(a, net, c):
    """Adds an action that no entry gives: the network is as right as before."""
    b = net.blocks[1]
    for j in range(3, 6):
        slot = b.heads[0].slots[j]
        net.tables[b.pre[slot[0] - len(b.inputs)][0]][1] = 7
        slot[1].append([Fraction(1), []])


def other_row(a, net, c):
    """Makes a slot of copies 1 and 4 clear copy 2 as well."""
    net.blocks[1].heads[0].slots[3][1][5][1].append(wired_certificate.becomes(3, 0))


NAMED = [
    ("form of t3", "block 2, gate of wire 8:", wire_of_gate),
    ("form of t3", "block 1, gate of wire 3:", state_not_entered),
    ("form of t3", "block 2, gate of wire 20:", larger_action),
    ("form of t3", "block 2, slot 4:", other_row),
    ("form of t3", "block 2, slot 2:", slot_wire_other),
    (
        "form of t3",
        "block 2, slot 5:",
        lambda a, net, c: net.blocks[1].heads[0].slots[4][1][2][1].clear(),
    ),
    ("form of t3", "block 2, readout 4:", lambda a, net, c: net.blocks[1].readouts[3][3].reverse()),
    (
        "form of t3",
        "block 2, initial state of stage 3:",
        lambda a, net, c: net.stages[2].__setitem__(1, net.stages[1][1]),
    ),
    (
        "form of t3",
        "block 2, outputs",
        lambda a, net, c: net.blocks[1].outputs.__setitem__(2, net.blocks[1].outputs[1]),
    ),
    ("form of t3", "block 3, output 1:", lambda a, net, c: net.blocks[2].outputs.__setitem__(0, 0)),
    ("form of t3", "stages, of which there are 3:", lambda a, net, c: net.stages.pop(1)),
    ("form of lost", "the others of its class", lambda a, net, c: c.classes.__setitem__(3, 2)),
    ("form of outputs", "block 3, gate of wire", output_of_new_state),
    ("form of outputs", "the others of its class", another_output),
    ("form of t3", "expected `turn`", lambda a, net, c: net.letters.reverse()),
]


def start_without_class(checker, folder):
    """Tests a start state that no word reaches again. Its successors are the form's classes, and it
    has no class itself, as if no word began there; the form begins in its last class, and has the
    right label for the empty word."""
    a = handmade_wired.edges(
        ["a", "b"], ["s", "p", "q"], lambda q, w: (2 - w, 1 + w, 1 + w)[q], accept={1}
    )
    classes, quotient = [0, 1, 2], copy.deepcopy(a)
    quotient.start = 2
    c = wired_certificate.Form()
    c.classes, c.count = classes, 2
    net = wired_certificate.rule_form(
        c.quotient(handmade_wired.network(a, "accept", [], [], []), quotient)
    )
    net.label = "accept"
    files = handmade_wired.texts(a, net, wired_certificate.form_of(net, a, classes))
    seen = mutant_run.verdict(checker, folder, [t.encode() for t in files])
    yield f"the start has no class: refused: {seen}", (
        seen[:2] == (1, b"s NOT VERIFIED\n")
        and wired.close(net, a) is None
        and wired.class_error(net, a) is None
    )


def wrong_claims(checker, folder, bases):
    """Yields whether reasons name what is wrong, and whether claims about other networks are
    refused."""
    for number, (name, word, change) in enumerate(NAMED):
        a, net, c = handmade_wired.ALL[name]()
        change(a, net, c)
        c.measure(net, a)
        c.derive(net, a)
        status, out, err = mutant_run.verdict(
            checker, folder, [t.encode() for t in handmade_wired.texts(a, net, c)]
        )
        good = (status, out) == (1, b"s NOT VERIFIED\n") and word.encode() in err
        yield f"wrong {number} ({name}): refused because of {word!r}: {err}", good
    cascades = handmade_cascades.texts(*handmade_cascades.ALL["flipflop"]())
    for text, claims in (
        (bases["form of 2"], ("cascade", "exact")),
        (bases["counter"], ("cascade", "zeiger")),
        (cascades, ("zeiger", "exact")),
    ):
        for claim in claims:
            lines = text[2].split("\n")
            lines[3] = f"claim {claim}"
            files = mutations.rehash(text[0], text[1], "\n".join(lines))
            seen = mutant_run.verdict(checker, folder, [t.encode() for t in files])
            yield f"{claim} of something else: refused", seen[:2] == (1, b"s NOT VERIFIED\n")


def main():
    args, facts = mutant_run.arguments(__doc__, 2000), []
    with tempfile.TemporaryDirectory() as folder:
        bases = {name: handmade_wired.texts(*make()) for name, make in handmade_wired.ALL.items()}
        if args.tool:
            bases.update(compiled(args.tool, Path(folder)))
        facts += wrong_claims(args.checker, folder, bases)
        bases = mutant_run.of_part(args, bases)
        facts += mutant_run.listed_alike(
            {name: texts for name, texts in bases.items() if name.startswith("compiled")},
            parse,
            handmade_wired.texts,
        )
        for name, texts in bases.items():
            seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
            facts.append(
                (
                    f"{name}: verified, and right by the replay",
                    mutant_run.accepted(seen)
                    and wired_certificate.should_verify(*texts) == (True, True),
                )
            )
            if args.tool:
                facts.append(
                    (
                        f"{name}: fsa2lrnn run agrees",
                        mutant_run.compiler_agrees(args.tool, folder, texts),
                    )
                )
        facts += start_without_class(args.checker, folder)
    failed = mutant_run.print_facts(facts)
    tally, wrong = mutant_run.run(args, list(bases.values()), (mutant_run.byte_chunk, wired_chunk))
    return mutant_run.close(
        f"{len(bases)} unchanged triples, seed {args.seed}, {mutant_run.spent(args.begin)}",
        len(facts) + sum(tally.values()),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
