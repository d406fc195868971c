"""Networks, certificates and verdicts of 366 automata, as a list of SHA-256 that two builds can be
compared by.

The automata are families, random ones, permutations and mixed ones, examples and tests/data/real.
Each is compiled by the main job and by options that give wired networks; reports, certificates in
formats, exported tensors and the checkers' verdicts are hashed too. Versions, commits and times are
left out, and searches are limited by effort, so that equal programs give equal lists.

usage: unchanged.py --tool build/release/fsa2lrnn [--checker build/release/lrnn-check] --out LIST
           [--every N] [--only WORD] [--keep DIR]
       unchanged.py --compare OLD NEW       names every difference; exit status 1 if there is one"""

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import search_cases
from figures import table

ROOT = Path(__file__).resolve().parent.parent
SEED = 20261128
FAMILIES = (
    "parity",
    *(f"cyclic {n}" for n in (3, 5, 6, 12)),
    "symmetric 3",
    "symmetric 4",
    "symmetric 5 --generators",
    "alternating 4",
    "alternating 5 --generators",
    "dihedral 4",
    "dihedral 5",
    "quaternion",
    "swaps 4",
    "direct S3 Z2",
    "direct Z2 Z3",
    "flipflop",
    *(f"counter {n}" for n in (3, 5, 8)),
    *(f"elevator {n}" for n in (4, 9)),
    *(f"definite {n}" for n in (2, 3, 5)),
    "dyck 1 3",
    "dyck 2 2",
    "shuffle-dyck 2 2",
    "flipflop-language",
    "modarith 3",
    "modarith 5",
    "modarith-prec 3",
    *(f"tomita {n}" for n in range(1, 8)),
    "even-pairs",
    "cycle-navigation 5",
    *(f"transformations {n}" for n in (3, 4, 5)),
    "order-preserving 4",
    "order-preserving 5",
)
EXAMPLES = (*sorted((ROOT / "examples").glob("*.fsa")), ROOT / "examples/tokens.rules")
# Compilations of each automaton: name and options. One reflection per head gives wired networks of
# D1, the cascade by rule those of Z, few layers those of blocks and products.
COMPILE = (
    ("main", ()),
    ("one", ("compile", "--householders", "1")),
    ("rule", ("--cascade", "zeiger", "--max-sets", "40")),
    ("key2", ("compile", "--key-dim", "2")),
)
# What a compilation's folder is asked for: name and arguments, with the folder as OUT.
ASK = (
    ("round", ("round", "OUT", "--json", "--formats", "bf16,e4m3", "--schedules",
               "every,acc32,chunk64", "--limit", "2000", "--letters", "200", "--horizon", "1000",
               "--certificates", "OUT/proofs")),
    ("run", ("run", "OUT", "--random", "20", "--length", "50", "--seed", "7", "--format", "bf16")),
    ("npz", ("export", "OUT", "--to", "npz", "--out", "OUT/npz")),
    ("onnx", ("export", "OUT", "--to", "onnx", "--out", "OUT/onnx")),
    ("obstruct", ("obstruct", "OUT", "--json", "--limit", "1000", "--products", "1")),
)  # fmt: skip
EFFORT = ("--effort", "60", "--jobs", "1")
VARYING = {"timing", "tool"}


# --- automata ---


def mixed_row(rng, states):
    kind = rng.random()
    if kind < 0.35:
        return rng.sample(range(states), states)
    if kind < 0.6:
        return [rng.randrange(states)] * states
    if kind < 0.8:
        return sorted(rng.randrange(states) for _ in range(states))
    row = list(range(states))
    row[rng.randrange(states)] = rng.randrange(states)
    return row


def tables():
    """Yields name and text of 50 automata of permutations and 50 mixed ones."""
    rng = random.Random(SEED)
    for i in range(50):
        states, letters = rng.randint(2, 8), rng.randint(2, 3)
        rows = [rng.sample(range(states), states) for _ in range(letters)]
        yield f"perm-{i:03}", table(rng, rows, states)
    for i in range(50):
        states, letters = rng.randint(2, 8), rng.randint(2, 4)
        yield f"mix-{i:03}", table(rng, [mixed_row(rng, states) for _ in range(letters)], states)


def automata(tool, folder):
    """Yields name and arguments of every automaton; those that the program makes go to the
    folder."""
    made = [("fam-" + f.replace("--", "").replace(" ", "_"), f.split()) for f in FAMILIES]
    made += [
        (f"rnd-{i:03}", ["random", str(2 + i % 8), str(2 + i // 8 % 2), str(1000 + i)])
        for i in range(200)
    ]
    for name, words in made:
        yield name, write(folder, name, run(tool, "new", *words).stdout)
    for name, text in tables():
        yield name, write(folder, name, text.encode())
    for path in EXAMPLES:
        yield f"example-{path.name}", (str(path),)
    for name, options, _, _ in search_cases.READ:
        label = "-".join(["real", name, *options[1:2]]) if "--label" in options else f"real-{name}"
        yield label, (str(search_cases.REAL / name), *options)


def write(folder, name, text):
    path = folder / f"{name}.fsa"
    path.write_bytes(text)
    return (str(path),)


# --- outputs ---


def run(program, *args):
    return subprocess.run(
        [program, *args], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )


def without_varying(value):
    if isinstance(value, dict):
        return {k: without_varying(v) for k, v in value.items() if k not in VARYING}
    if isinstance(value, list):
        return [without_varying(v) for v in value]
    return value


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def hash_json(name, data, folder):
    """Yields a line for each member of the JSON object, without times, versions and the folder."""
    for key, value in without_varying(json.loads(data)).items():
        text = json.dumps(value).replace(str(folder), "OUT")
        yield f"{name}:{key}", sha256(text.encode())


def hash_answer(name, done, folder, made):
    """Yields lines for the exit status and output of a command, without the paths of the network's
    folder and of the automata that were made."""
    yield f"{name} status", str(done.returncode)
    text = done.stdout if done.returncode in (0, 1, 2) else done.stderr
    if text.startswith(b"{"):
        yield from hash_json(name, text, folder)
    else:
        text = text.replace(str(folder).encode(), b"OUT")
        yield name, sha256(text.replace(str(made).encode(), b"MADE"))


def hash_folder(folder):
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".json":
            yield from hash_json(name, path.read_bytes(), folder)
        else:
            yield name, sha256(path.read_bytes())


def hash_checks(checker, folder):
    for cert in [folder / "certificate.cert", *sorted(folder.glob("proofs/*"))]:
        if cert.is_file():
            done = run(checker, folder / "automaton.fsa", folder / "network.lrnn", cert)
            yield f"check {cert.name} status", str(done.returncode)


def measure(options, args, compilation, folder, made):
    """Yields what is hashed of one compilation of one automaton."""
    tool, extra = options.tool, compilation[1]
    verb, extra = (extra[:1], extra[1:]) if extra[:1] == ("compile",) else ((), extra)
    written = ("--out", str(folder), "--no-report", "--json")
    done = run(tool, *verb, *args, *extra, *EFFORT, *written)
    yield from hash_answer("compile", done, folder, made)
    if not (folder / "network.lrnn").is_file():
        return
    for name, words in ASK:
        if name == "obstruct" and compilation[0] != "main":
            continue  # combinations of slots take seconds
        words = [w.replace("OUT", str(folder)) for w in words]
        yield from hash_answer(name, run(tool, *words, "--jobs", "1", "--quiet"), folder, made)
    yield from hash_folder(folder)
    if options.checker:
        yield from hash_checks(options.checker, folder)


def list_automata(options, folder, out):
    keep = options.keep or folder / "out"
    keep.mkdir(parents=True, exist_ok=True)
    for number, (name, args) in enumerate(automata(options.tool, folder)):
        if number % options.every or options.only not in name:
            continue
        for compilation in COMPILE:
            place = keep / f"{name}.{compilation[0]}"
            for what, value in measure(options, args, compilation, place, folder):
                out.write(f"{name} {compilation[0]} {what} {value}\n")
            if not options.keep:
                shutil.rmtree(place, ignore_errors=True)


# --- two lists ---


def read_list(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.rsplit(" ", 1) for line in lines)


def compare(old, new):
    old, new = read_list(old), read_list(new)
    names = [n for n in [*old, *(n for n in new if n not in old)] if old.get(n) != new.get(n)]
    for name in names:
        print(name, "differs" if name in old and name in new else
              "is gone" if name in old else "is new")  # fmt: skip
    print(f"{len(old)} and {len(new)} lines, {len(names)} differences")
    return 1 if names or not old else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", type=Path)
    parser.add_argument("--checker", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take every N-th automaton")
    parser.add_argument("--only", default="", help="take automata with this in their names")
    parser.add_argument("--keep", type=Path, help="keep the outputs in this folder")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("OLD", "NEW"))
    options = parser.parse_args()
    if options.compare:
        return compare(*options.compare)
    if not options.tool or not options.out:
        parser.error("--tool and --out are needed, or --compare")
    with tempfile.TemporaryDirectory() as folder, options.out.open("w") as out:
        list_automata(options, Path(folder), out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
