"""The finer classes of `classify` on a folder of automata, beside the names of the files: each
language is in what its class is inside of, and each pair of words that puts it outside of a class
is replayed by the judge, which shares no code with the program.

usage: finer.py --tool build/release/fsa2lrnn [--jobs N] [--record FILE] [--every N] FOLDER

Prints a table: for each class of names how many languages are in each finer class. Exit status 1
where something is not as it must be."""

import argparse
import concurrent.futures
import json
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corpora import judge  # noqa: E402
from corpora.driver import kind_of  # noqa: E402
from corpora.languages import CLASSES, INSIDE, OUTSIDE  # noqa: E402

OPTIONS = ["--label", "accept", "--sink", "--json", "--quiet", "--jobs", "1"]
POWERS = (1, 2, 3)


def follow(automaton, text, words, n):
    """Returns the state after a text as "u w^n x" or "u (w^n x)^n", from the start."""
    state = automaton[0]
    text = re.sub(r"\(([^()]*)\)\^n", lambda part: part[1] * n, text)
    for name, power in re.findall(r"([uwxyvzt])(\^n)?", text):
        for letter in words[name] * (n if power else 1):
            state = judge.step(automaton, state, letter)
    return state


def are_equivalent(automaton, p, q):
    at = [(state, automaton[1], automaton[2]) for state in (p, q)]
    return judge.differ(*at) is None


def replay(automaton, told):
    """Yields what is wrong with two families of words."""
    words = {name: told[f"word_{name}"] for name in "uwxyvzt"}
    if not words["w"]:
        yield "w is empty"
    for n in POWERS:
        ends = [follow(automaton, told[k], words, n) for k in ("first_words", "second_words")]
        if are_equivalent(automaton, *ends):
            yield f"n = {n}: {ends} are equivalent"


def faults_of(path, report):
    kind, automaton = kind_of(path.name), judge.read(path)
    finer = {one["finer_class"]: one for one in report["finer_classes"]}
    for name, wanted in ((INSIDE.get(kind), True), (OUTSIDE.get(kind), False)):
        if name and finer[name]["is_member"] is not wanted:
            yield f"{path.name}: {name} {finer[name]['is_member']}"
    for name, one in finer.items():
        if one["is_member"] is False:
            if not one["told_apart"]:
                yield f"{path.name}: {name}: no words"
            else:
                wrong = replay(automaton, one["told_apart"])
                yield from (f"{path.name}: {name}: {x}" for x in wrong)
        elif one["is_member"] is None:
            yield f"{path.name}: {name} was not decided"


def classify(tool, path):
    done = subprocess.run(
        [tool, "classify", path, *OPTIONS],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode not in (0, 2):
        raise SystemExit(f"{path}: {done.stderr}")
    report = json.loads(done.stdout)
    members = [one["finer_class"] for one in report["finer_classes"] if one["is_member"]]
    names = [one["finer_class"] for one in report["finer_classes"]]
    return path, names, members, list(faults_of(path, report))


def print_table(counts, total, names):
    print("| class | languages |", " | ".join(names), "|")
    print("|---|---|" + "---|" * len(names))
    for kind in (k for k in CLASSES if total[k]):
        print(f"| {kind} | {total[kind]} |", " | ".join(str(counts[kind, n]) for n in names), "|")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="take each N-th file only")
    parser.add_argument("--record", type=Path)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    began, counts, total, faults, names = time.monotonic(), Counter(), Counter(), [], ()
    paths = sorted(args.folder.glob("*.att"))
    paths = [p for p in paths if kind_of(p.name)][:: args.every]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path, names, members, wrong in pool.map(lambda p: classify(args.tool, p), paths):
            total[kind_of(path.name)] += 1
            counts.update((kind_of(path.name), name) for name in members)
            faults += wrong
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = spent.ru_utime + spent.ru_stime
    print_table(counts, total, names)
    print(
        f"\n{len(paths)} languages, {len(faults)} faults; {time.monotonic() - began:.0f} s,"
        f" {spent:.0f} s of CPU in classify"
    )
    print("\n".join(faults[:20]))
    if args.record:
        rows = {k: {"languages": total[k], **{n: counts[k, n] for n in names}} for k in total}
        said = subprocess.run([args.tool, "--version"], stdout=subprocess.PIPE, text=True).stdout
        record = {"version": said.splitlines()[0], "languages": len(paths)}
        record |= {"faults": len(faults), "classify_cpu_seconds": round(spent, 1)}
        record |= {"options": OPTIONS, "members": rows}
        args.record.write_text(json.dumps(record, indent=1) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
