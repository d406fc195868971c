"""lrnn-check and the compiler's own readers accept the same files.

Over hand-made triples, mutants of them and the fuzz corpora `check`, `net` and `wired`:
- where lrnn-check says VERIFIED, `fsa2lrnn run` accepts the network, and the automaton read and
written again has the same bytes (with one exception: lrnn-check's proof needs no irreducible
polynomial, which the compiler's reader requires);
- where either of these fails, lrnn-check does not say VERIFIED;
- where lrnn-check refuses the text of the automaton or the network because something else is
expected there, the compiler's readers refuse it too.
Every spelling of a name except the proper one is refused by all of them.

usage: differential.py --checker build/release/lrnn-check --tool build/release/fsa2lrnn --client
build/release/tests/clients/fsa_text [--count N] [--seed S]
--count is the number of mutants of each kind of triple; --sample N takes every N-th file of the
corpora."""

import collections
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import cascade_mutate
import d1_mutate
import handmade
import handmade_cascades
import handmade_d1
import handmade_wired
import mutant_run
import mutate
import mutations
import triple
import wired_mutate

CORPUS = Path(__file__).resolve().parent.parent / "fuzz" / "corpus"


REDUCIBLE = "65, reducible"


class Programs:
    def __init__(self, checker, tool, client, folder):
        self.checker, self.tool, self.client, self.folder = checker, tool, client, folder

    def run_status(self):
        """Returns the exit status of `fsa2lrnn run` on no words, or REDUCIBLE."""
        done = subprocess.run(
            [self.tool, "run", os.path.join(self.folder, "network.lrnn")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=120,
        )
        asks = (
            done.returncode == 65
            and b"the minimal polynomial of a field must be irreducible" in done.stderr
        )
        return REDUCIBLE if asks else done.returncode

    def canonical(self, data):
        done = subprocess.run(
            [self.client, os.path.join(self.folder, "automaton.fsa")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=120,
        )
        return done.returncode == 0 and done.stdout == data

    def look(self, files):
        """Returns (verified, lrnn-check's words, status of run, whether the automaton is canonical)
        for three byte strings."""
        seen = mutant_run.verdict(self.checker, self.folder, files)
        return (
            seen[0] == 0 and seen[1].startswith(b"s VERIFIED "),
            seen[2],
            self.run_status(),
            self.canonical(files[0]),
        )


def names_its_automaton(files):
    """Returns whether hash, label kind and letters of the network agree with the automaton.
    Otherwise the network's text alone does not decide what is expected."""
    try:
        a = triple.read_automaton(files[0].decode())
    except (triple.Malformed, UnicodeDecodeError):
        return False
    letters = "".join(f"letter {triple.spell(x)}\n" for x in a.letters)
    begin = rf"lrnn(-wired)? 2\nfsa {triple.sha256(files[0].decode())}\n(field Q\n)?label \w+\n"
    begin += re.escape(f"letters {len(a.letters)}\n{letters}")
    return re.match(begin.encode(), files[1]) is not None


def disagreement(files, verified, said, status, canonical):
    """Returns what is wrong, or None."""
    if verified and status not in (0, REDUCIBLE):
        return f"VERIFIED, and run exits with {status}"
    if verified and not canonical:
        return "VERIFIED, and the automaton has other bytes when it is written again"
    if status not in (0, 2, 65, 69, REDUCIBLE):
        return f"run exits with {status}"
    if re.search(rb"automaton\.fsa:\d+: expected", said) and canonical:
        return "lrnn-check alone refuses the text of the automaton"
    if (
        re.search(rb"network\.lrnn:\d+: expected", said)
        and status not in (65, REDUCIBLE)
        and names_its_automaton(files)
    ):
        return "lrnn-check alone refuses the text of the network"
    return None


# --- what is looked at ---


def goldens():
    for name in handmade.ALL:
        yield name, handmade.texts(name)
    for module in (handmade_cascades, handmade_wired, handmade_d1):
        for name, make in module.ALL.items():
            yield f"{module.__name__}, {name}", module.texts(*make())


def mutants(seed, count):
    """Yields (kind, texts): `count` of layers, cascades, rule forms and D1 networks each."""
    kinds = (
        (
            mutate,
            handmade.ALL,
            handmade.texts,
            lambda rng, texts, parsed: mutate.mutant(rng, texts, parsed, mutations.NETWORK),
            lambda t: (
                triple.read_automaton(t[0]),
                triple.read_network(t[1])[0],
                mutate.triple_judge.read_certificate(t[2], *t[:2]),
            ),
        ),
        *(
            (
                module,
                made.ALL,
                lambda name, made=made: made.texts(*made.ALL[name]()),
                module.mutant,
                module.parse,
            )
            for module, made in (
                (cascade_mutate, handmade_cascades),
                (wired_mutate, handmade_wired),
                (d1_mutate, handmade_d1),
            )
        ),
    )
    for module, names, texts_of, mutant, parse in kinds:
        rng, bases = random.Random(f"{seed}/{module.__name__}"), {}
        while count > len(bases) < len(names):
            name = list(names)[len(bases)]
            texts = texts_of(name)
            bases[name] = texts, parse(texts)
        made = 0
        while made < count:
            texts, parsed = rng.choice(list(bases.values()))
            found = mutant(rng, texts, parsed)
            if found:
                made += 1
                yield f"{module.__name__}, {found[0]}", found[1]


def corpora():
    """Yields (name, three byte strings): triples as they are; networks with an automaton that has
    their letters and one state."""
    for path in sorted((CORPUS / "check").iterdir()):
        parts = path.read_bytes().split(b"%%\n")
        if len(parts) == 3:
            yield f"check/{path.name}", parts
    cert = handmade.texts("parity")[2].encode()
    for part in ("net", "wired"):
        for path in sorted((CORPUS / part).iterdir()):
            data = path.read_bytes()
            letters = re.findall(rb"^letter (.*)$", data, re.M)
            fsa = (
                b"fsa 1\nletters "
                + b" ".join(letters)
                + b"\nstates q\nstart q\naccept q\noutput q q\n"
            )
            fsa += b"".join(
                b"q " + x + b" q" + b" x" * (b"\nlabel edges\n" in data) + b"\n" for x in letters
            )
            named = triple.hashlib.sha256(fsa).hexdigest().encode()
            yield f"{part}/{path.name}", [
                fsa,
                re.sub(rb"\nfsa [0-9a-f]{64}\n", b"\nfsa " + named + b"\n", data, count=1),
                cert,
            ]


RIGHT = [
    b'"\\n"',
    b'"\\u001a"',
    b'"\\u007f"',
    b'""',
    b"a\\b",
    b'"a \\\\b"',
    b'"a \\"b"',
    b'"a\\b"',
    b'"eps"',
    "\u00e9".encode(),
    b"/",
    b'"a /"',
]
WRONG = [
    b'"\\u000a"',
    b'"\\u000Z"',
    b'"\\u001A"',
    b'"\\u0041"',
    b'"x"',
    b'"\\/ "',
    b'"\\x"',
    b"eps",
    b'"\t"',
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b'"\xff "',
    b'"\\ud800"',
    b'"\\u0000"',
    b'"a',
    b'a"b',
]


def named(spelled, second=b"1"):
    """Returns parity with letters of these spellings, and all hashes right."""
    fsa, net, cert = (t.encode() for t in handmade.texts("parity"))
    fsa = fsa.replace(b"letters 0 1", b"letters " + spelled + b" " + second)
    fsa = re.sub(rb"^(even|odd) 0 ", lambda m: m[1] + b" " + spelled + b" ", fsa, flags=re.M)
    fsa = re.sub(rb"^(even|odd) 1 ", lambda m: m[1] + b" " + second + b" ", fsa, flags=re.M)
    net = net.replace(b"letter 0\nletter 1", b"letter " + spelled + b"\nletter " + second)

    def sha(data):
        return triple.hashlib.sha256(data).hexdigest().encode()

    net = re.sub(rb"\nfsa [0-9a-f]{64}", b"\nfsa " + sha(fsa), net)
    cert = re.sub(
        rb"\nfsa [0-9a-f]{64}\nnetwork [0-9a-f]{64}",
        b"\nfsa " + sha(fsa) + b"\nnetwork " + sha(net),
        cert,
    )
    body = cert[: cert.rindex(b"sha256 ")]
    return fsa, net, body + b"sha256 " + sha(body) + b"\n"


def spellings(programs):
    """Yields (what, whether all programs agree that the one spelling of a name is right, or that
    another one is not)."""
    for spelled in RIGHT:
        found = programs.look(named(spelled))
        yield f"the name {spelled}: {found}", (found[0], found[2], found[3]) == (True, 0, True)
    for pair in ((b'"\\n"', b'"\\u000a"'), *((spelled, b"1") for spelled in WRONG)):
        found = programs.look(named(*pair))
        yield f"the names {pair}: {found}", (found[0], found[2], found[3]) == (False, 65, False)


def main():
    options = mutant_run.parser(__doc__, 250, 2024)
    options.add_argument("--tool", type=mutant_run.program, required=True)
    options.add_argument("--client", type=mutant_run.program, required=True)
    args = options.parse_args()
    tally, bad = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(args.checker, args.tool, args.client, folder)
        cases = [
            (name, [t.encode() for t in texts])
            for name, texts in (*goldens(), *mutants(args.seed, args.count))
        ]
        for name, files in (*cases, *mutant_run.sampled(args, corpora())):
            found = programs.look(files)
            wrong = disagreement(files, *found)
            tally[
                "VERIFIED" if found[0] else "not VERIFIED",
                f"run {found[2]}",
                "canonical" if found[3] else "other text",
            ] += 1
            bad += [f"{name}: {wrong}: {found[1]}"] if wrong else []
        facts = list(spellings(programs))
    for (said, status, text), n in sorted(tally.items()):
        print(f"{n:6} {said}, {status}, {text}")
    failed = mutant_run.print_facts(facts)
    for line in bad[: mutant_run.SHOWN]:
        print(f"WRONG {line}")
    return mutant_run.close(
        f"seed {args.seed}", len(facts) + sum(tally.values()), failed + len(bad)
    )


if __name__ == "__main__":
    sys.exit(main())
