"""The checker that is proved in Coq and lrnn-check say the same.

Builds the committed checker (OCaml and Zarith; no Coq). Its header must name the hash of the Coq
sources. On right triples and on mutants of them, with all hashes computed again, its verdict line
must be lrnn-check's, byte for byte, or `s UNKNOWN` of what it does not know: then one of the lines
in UNKNOWN_OF is in the files. At least a tenth of the mutants must be VERIFIED. Last, lies.ml tells
the checker wrong things about right files, which must be refused.

usage: coq_check.py --tool build/release/fsa2lrnn --checker build/release/lrnn-check [--count N]
                    [--seed S] [--jobs J] [--folder build/coq/checker]"""

import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/prop"))
import boxed
import cascade_mutate
import handmade
import handmade_cascades
import mutant_run
import mutate
import triple
import triple_judge

COQ = ROOT / "theory/coq"
# Lines of files that the checker does not know. A verdict without one of them is not UNKNOWN.
UNKNOWN_OF = re.compile(
    r"^(claim (?!(?:exact|cascade)$)|unrounded |lrnn-wired |field [-0-9]|form )", re.M
)
# Automata for unchanged triples, beside those of mutate.py.
MORE = [
    (["symmetric", "4"], []),
    (["symmetric", "5"], []),
    (["symmetric", "5", "--generators"], ["--keys", "naive"]),
    (["alternating", "5", "--generators"], []),
    (["quaternion"], []),
    (["dihedral", "5"], []),
    (["cyclic", "12"], ["--label", "states"]),
    (["swaps", "4"], []),
    (["direct", "S3", "Z2"], []),
    (["flipflop"], []),
    (["counter", "3"], []),
    (["definite", "3"], []),
    (["tomita", "3"], []),
    (["even-pairs"], []),
    (["cycle-navigation", "5"], []),
    (["modarith", "5"], []),
    (["transformations", "3"], []),
    (["dihedral", "6"], ["--target", "one-reflection"]),
    (["random", "5", "2", "1"], []),
    (["cyclic", "5"], ["--householders", "1"]),
    (["cyclic", "5"], ["--layers", "1", "--key-dim", "2"]),
]


def build(folder):
    """Builds the committed checker and the program of lies; returns their paths."""
    subprocess.run(["sh", COQ / "proofs.sh", "checker", folder], check=True)
    (folder / "lies.ml").write_bytes((ROOT / "tests/coq/lies.ml").read_bytes())
    modules = "core sha256 text version visits levels guess"
    objects = [f"{name}.cmx" for name in modules.split()]
    subprocess.run(
        ["ocamlfind", "ocamlopt", "-w", "-a", "-package", "zarith", "-linkpkg"]
        + [*objects, "lies.ml", "-o", "lies"],
        cwd=folder,
        check=True,
    )
    return folder / "lrnn-check-coq", folder / "lies"


def hashes():
    """Returns the hash of the Coq sources, and the one in the committed checker."""
    now = subprocess.run(["sh", COQ / "proofs.sh", "hash"], stdout=subprocess.PIPE, check=True)
    header = (COQ / "checker/core.ml").read_text(encoding="utf-8")
    found = re.search(r"sources sha256 ([0-9a-f]{64})", header)
    return now.stdout.decode().strip(), found and found[1]


def written(folder, texts):
    paths = [folder / name for name in mutant_run.NAMES]
    for path, text in zip(paths, texts):
        path.write_text(text, encoding="utf-8")
    return [str(path) for path in paths]


def compare(checker, coq, folder, texts):
    """Returns what both checkers say, in one word, or a text that begins with WRONG."""
    paths = written(folder, texts)
    ours, theirs = mutant_run.say(coq, paths), mutant_run.say(checker, paths)
    if ours[:2] == (2, b"s UNKNOWN\n"):
        boxed = b"does not know boxes" in ours[2] and "\nbox " in texts[1]
        known = boxed or any(UNKNOWN_OF.search(t) for t in texts)
        return "UNKNOWN" if known else "WRONG UNKNOWN"
    if ours[:2] != theirs[:2]:
        return f"WRONG Coq {ours}, lrnn-check {theirs}"
    return {0: "VERIFIED", 1: "NOT VERIFIED"}.get(ours[0], f"WRONG {ours}")


def through_pipes(coq, folder, texts):
    """Returns whether three pipes get the verdict of files."""
    paths = written(folder, texts)
    pipes = [str(folder / f"{i}.pipe") for i in range(3)]
    for path in pipes:
        os.mkfifo(path)
    writers = [
        threading.Thread(target=Path(pipe).write_text, args=(text,), daemon=True)
        for pipe, text in zip(pipes, texts)
    ]
    for writer in writers:
        writer.start()
    seen = mutant_run.say(coq, pipes)
    return seen == mutant_run.say(coq, paths) and seen[0] == 0


def mutant_of(texts):
    """Returns a function of a random generator that changes the meaning of the triple."""
    if "\nbox " in texts[1]:
        return boxed.mutant_of(texts)
    if "\nclaim cascade\n" in texts[2]:
        parsed = cascade_mutate.parse(texts)
        return lambda rng: cascade_mutate.mutant(rng, texts, parsed)
    a = triple.read_automaton(texts[0])
    net, _ = triple.read_network(texts[1])
    parsed = a, net, triple_judge.read_certificate(texts[2], texts[0], texts[1])
    return lambda rng: mutate.mutant(rng, texts, parsed, mutate.mutations.NETWORK)


def chunk(checker, coq, texts, seed, runs):
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    mutant = mutant_of(texts)
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            made = mutant(rng)
            if not made:
                continue
            runs -= 1
            found = compare(checker, coq, Path(folder), made[1])
            tally[found.split(" ")[0] if found.startswith("WRONG") else found] += 1
            if found.startswith("WRONG"):
                bad.append((made[0], found, made[1]))
    return tally, bad


def mutants(args, coq, bases):
    """Returns the counts of what both say of mutants, and the differences."""
    size, tally, bad = 20, collections.Counter(), []
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        jobs = [
            pool.submit(
                chunk,
                args.checker,
                str(coq),
                bases[number % len(bases)],
                f"{args.seed}/{number}",
                min(size, args.count - first),
            )
            for number, first in enumerate(range(0, args.count, size))
        ]
        for job in jobs:
            counts, wrong = job.result()
            tally.update(counts)
            bad += wrong
    return tally, bad


def unchanged(tool, folder):
    """Returns the triples, as {name: texts}: those made by hand, the compiler's, and examples."""
    out = {name: handmade.texts(name) for name in handmade.ALL}
    out.update(mutate.compiled(tool, folder))
    out.update(cascade_mutate.compiled(tool, folder))
    out.update(boxed.unchanged(tool))
    for name, make in handmade_cascades.ALL.items():
        out[f"cascade {name}"] = handmade_cascades.texts(*make())
    for number, (name, _, change) in enumerate(cascade_mutate.WRONG):
        a, net, c = handmade_cascades.ALL[name]()
        changed = change(a, net, c)
        c = changed if isinstance(changed, type(c)) else c
        c.recount()
        out[f"wrong cascade {number}"] = handmade_cascades.texts(a, net, c)
    grammars = {}
    for family, options in MORE:
        made = subprocess.run([tool, "new", *family], stdout=subprocess.PIPE, check=True)
        grammars[" ".join([*family, *options])] = made.stdout, options
    for path in sorted((ROOT / "examples").glob("*.fsa")):
        grammars[path.name] = path.read_bytes(), []
    for name, (text, options) in grammars.items():
        (folder / "g.fsa").write_bytes(text)
        words = [tool, "compile", folder / "g.fsa", "--force", "--quiet"]
        subprocess.run([*words, "--out", folder / "g.lrnn", *options], check=True)
        paths = [folder / "g.lrnn" / n for n in mutant_run.NAMES]
        out[name] = tuple(p.read_text(encoding="utf-8") for p in paths)
    return out


def lie(program, folder, texts):
    done = subprocess.run(
        [program, *written(folder, texts)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    last = done.stdout.decode().splitlines()[-1] if done.stdout else ""
    told = re.match(r"(\d+) lies, 0 believed$", last)
    return int(told[1]) if told and done.returncode == 0 else f"WRONG {done.stdout.decode()}"


def main():
    options = mutant_run.parser(__doc__, 2000, 2024)
    options.add_argument("--tool", required=True, type=mutant_run.program)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--folder", type=Path, default=ROOT / "build/coq/checker")
    args = options.parse_args()
    facts = []
    coq, lies = build(args.folder.resolve())
    now, committed = hashes()
    facts.append(("the committed checker is from these sources (proofs.sh)", now == committed))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bases = unchanged(args.tool, folder)
        seen = {n: compare(args.checker, coq, folder, texts) for n, texts in bases.items()}
        for n, found in seen.items():
            right = ("NOT VERIFIED",) if n.startswith("wrong ") else ("VERIFIED", "UNKNOWN")
            facts.append((f"{n}: {found}", found in right))
        facts.append(("pipes are read as files", through_pipes(coq, folder, bases["s3"])))
        exact = [bases[n] for n, found in seen.items() if found == "VERIFIED"]
        told = [lie(lies, folder, texts) for texts in exact]
    facts += [(f"lies: {t}", isinstance(t, int)) for t in told]
    failed = mutant_run.print_facts(facts)
    print(f"{len(bases)} triples: {dict(collections.Counter(seen.values()))}")
    print(f"{sum(t for t in told if isinstance(t, int))} lies about {len(told)} triples")
    readable = [t for t in exact if len(t[1]) < 20000]
    tally, bad = mutants(args, coq, readable)
    for what, found, _ in bad[: mutant_run.SHOWN]:
        print(f"{what}: {found}")
    print(f"{sum(tally.values())} mutants with right hashes: {dict(tally)}")
    if 10 * tally["VERIFIED"] < sum(tally.values()):
        print("FAILED fewer than a tenth of the mutants are VERIFIED")
        failed += 1
    total = len(facts) + sum(tally.values()) + 1
    print(f"{total - failed - len(bad)} passed, {failed + len(bad)} failed")
    return 1 if failed or bad else 0


if __name__ == "__main__":
    sys.exit(main())
