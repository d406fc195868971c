"""What lrnn-check must refuse: changed bytes, and changed meaning with all hashes computed again.

Bytes: one of the three files is changed and nothing else; every change must be refused. Meaning:
the automaton, the network, the certificate, or a token, a line or a spelling of them is changed and
all hashes are made right. lrnn-check must say VERIFIED exactly when two independent judgements
(triple_judge.py) both do: the network, replayed in fractions, is right for the automaton on every
word; and the certificate is a right table of the reachable pairs. Half of the networks whose replay
still closes get a certificate made for them, so that consistent lies are tried as well.

usage: mutate.py --checker build/release/lrnn-check [--tool build/release/fsa2lrnn] [--count N]
[--seed S] [--jobs J]
--count is the number of changes of each kind; with --tool the compiler's own output is changed,
too."""

import copy
import subprocess
import sys
import tempfile
from pathlib import Path

import handmade
import mutant_run
import mutations
import triple
import triple_judge

COMPILED = [
    (["parity"], []),
    (["parity"], ["--label", "accept"]),
    (["cyclic", "5"], []),
    (["cyclic", "4"], ["--keys", "naive"]),
    (["symmetric", "3", "--generators"], []),
    (["symmetric", "3"], []),
    (["dihedral", "4", "--generators"], []),
]


def compiled(tool, folder):
    """Returns the compiler's output for some automata, as {name: texts}."""
    out = {}
    for family, options in COMPILED:
        name = " ".join([*family, *options])
        grammar, result = folder / "g.fsa", folder / "g.lrnn"
        grammar.write_bytes(
            subprocess.run([tool, "new", *family], stdout=subprocess.PIPE, check=True).stdout
        )
        subprocess.run(
            [tool, str(grammar), "--force", "--formats", "bf16", "--out", str(result), *options],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        out[name] = tuple((result / n).read_text(encoding="utf-8") for n in mutant_run.NAMES)
    return out


def mutant(rng, texts, parsed, network):
    """Returns (kind, three texts) with one change of meaning and all hashes right, or None when
    nothing was changed."""
    a, net, cert = copy.deepcopy(parsed)
    where = rng.choices(
        ("network", "automaton", "certificate", *mutant_run.TEXT_CHANGES), (45, 20, 20, 10, 5, 10)
    )[0]
    if where in mutant_run.TEXT_CHANGES:
        return mutant_run.changed_text(rng, where, texts, rng.randrange(3))
    if where == "certificate":
        change = rng.choice(mutations.CERTIFICATE)
        change(rng, cert)
    else:
        change = rng.choice(network if where == "network" else mutations.AUTOMATON)
        if not change(rng, a, net):
            return None
        cert.sizes, cert.states = list(net.sizes()), len(a.states)
        rows = triple_judge.close(net, a, ignore_labels=True) if rng.random() < 0.5 else None
        if rows:
            cert = triple_judge.certificate_of(net, a, rows)
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    files = fsa, lrnn, cert.text(fsa, lrnn)
    return (f"{where}: {change.__name__}", files) if files != texts else None


def judge(*texts):
    right, all_right = triple_judge.should_verify(*texts)
    return mutant_run.of_network(right, all_right)._replace(
        must=all_right, told=f"replay says network right {right}, all right {all_right}"
    )


def meaning_chunk(checker, texts, seed, runs, network=mutations.NETWORK):
    a = triple.read_automaton(texts[0])
    net, _ = triple.read_network(texts[1])
    parsed = a, net, triple_judge.read_certificate(texts[2], texts[0], texts[1])
    return mutant_run.meaning_runs(
        checker, seed, runs, lambda rng: mutant(rng, texts, parsed, network), judge
    )


def main():
    args, facts = mutant_run.arguments(__doc__, 2000), []
    with tempfile.TemporaryDirectory() as folder:
        bases = {name: handmade.texts(name) for name in handmade.ALL}
        if args.tool:
            bases = mutant_run.of_part(args, bases | compiled(args.tool, Path(folder)))
            facts += [
                (
                    f"{name}: fsa2lrnn run finds the hand-made network right",
                    mutant_run.compiler_agrees(args.tool, folder, bases[name]),
                )
                for name in handmade.ALL
                if name in bases
            ]
        for name, texts in bases.items():
            seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
            facts.append(
                (
                    f"{name}: unchanged, verified by lrnn-check and the replay",
                    mutant_run.accepted(seen) and triple_judge.should_verify(*texts)[1],
                )
            )
    failed = mutant_run.print_facts(facts)
    tally, wrong = mutant_run.run(
        args, list(bases.values()), (mutant_run.byte_chunk, meaning_chunk)
    )
    return mutant_run.close(
        f"{len(bases)} unchanged triples, seed {args.seed}, {mutant_run.spent(args.begin)}",
        len(facts) + sum(tally.values()),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
