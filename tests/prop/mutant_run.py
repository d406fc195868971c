"""The common parts of the mutation programs: the command line, the checkers' answers, chunks of
changes with their seeds, counting, printing.

A chunk is a function (checker, three texts, seed, runs) -> (tally, bad): tally counts {(part, kind,
outcome): number}, where part is "bytes" or "meaning" and the outcome "WRONG" is a verdict that
differs from the judge's; bad lists these as (what, seen, three files)."""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import mutations
import verdict as verdict_lines

NAMES = "automaton.fsa", "network.lrnn", "certificate.cert"
TEXT_CHANGES = {
    "token": mutations.change_token,
    "line": mutations.change_lines,
    "spelling": mutations.respell,
}
OF_TEXT = tuple(f"{where} of " for where in TEXT_CHANGES)
SHOWN = 5
CHUNK = 25
# Parts of a program's bases, as (network, certificate) have them: joined cascades have several
# heads, levels of several layers, letters that contexts read, or children; faces are labels of
# transitions and classes of letters.
PARTS = {
    "joined": lambda lrnn, cert: re.search(
        r" heads [2-9]|^level \d+ layers [2-9]| reads \d| child \d", cert, re.M
    ),
    "faces": lambda lrnn, cert: "\nlabel edges\n" in lrnn or "\nletter-classes " in lrnn,
}


# --- the command line ---


def program(path):
    return str(Path(path).resolve())


def parser(doc, count, seed):
    """Returns the parser with the options of every program; `count` and `seed` are the defaults."""
    out = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    out.add_argument("--checker", required=True, type=program)
    out.add_argument("--count", type=int, default=count)
    out.add_argument("--seed", type=int, default=seed)
    out.add_argument(
        "--sample",
        type=int,
        default=1,
        metavar="N",
        help="look at every N-th of the unchanged files, chosen by the seed, where they are many",
    )
    out.add_argument(
        "--record", type=Path, help="write the counts of changes of meaning to this file, as JSON"
    )
    return out


def arguments(doc, count, seed=2024, tool=True):
    """Returns the command line of a program that runs chunks; without `tool`, --tool is accepted
    but not used. args.begin is the time of the start."""
    options = parser(doc, count, seed)
    if tool:
        options.add_argument("--tool", type=program)
    else:
        options.add_argument("--tool", help="not used")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument(
        "--bytes", type=int, help="changes of bytes; without it as many as --count"
    )
    options.add_argument("--claim", help="change only certificates of this claim")
    options.add_argument("--part", choices=PARTS, help="change only these of the bases")
    options.add_argument("--keep", type=Path, help="write what was judged wrongly into this folder")
    args = options.parse_args()
    args.begin = time.monotonic()
    args.bytes = args.count if args.bytes is None else args.bytes
    return args


def sampled(args, items):
    """Returns every --sample-th of the items, in their order, which the seed chooses at random."""
    items = list(items)
    count = -(-len(items) // args.sample)
    chosen = random.Random(f"{args.seed}/sample").sample(range(len(items)), count)
    return [items[i] for i in sorted(chosen)]


def of_part(args, bases):
    """Returns those of {name: texts} that --part names."""
    part = PARTS.get(args.part, lambda lrnn, cert: True)
    return {name: texts for name, texts in bases.items() if part(*texts[1:])}


# --- the programs' answers ---


def compiler_agrees(tool, folder, texts):
    """Returns whether fsa2lrnn runs a hand-made network as this folder's replay does."""
    for name, text in zip(NAMES, texts):
        Path(folder, name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [
            tool,
            "run",
            os.path.join(folder, NAMES[1]),
            "--random",
            "20",
            "--length",
            "30",
            "--seed",
            "1",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.returncode == 0 and b"600 labels right, 0 wrong" in done.stdout


def say(checker, paths):
    done = subprocess.run(
        [checker, *paths],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr


def plain_of(checker):
    """Returns the same checker without caches and fast paths, or None where it is not built."""
    plain = Path(checker).parent / "plain" / Path(checker).name
    return str(plain) if plain.exists() else None


def listed_alike(bases, parse, write):
    """Yields whether the certificates of claims zeiger and d1 list, byte for byte, what this
    folder's search finds."""
    for name, texts in bases.items():
        a, net, c = parse(texts)
        if hasattr(c, "derive"):
            c.derive(net, a)
            yield f"{name}: the certificate lists what there is", tuple(write(a, net, c)) == tuple(
                texts
            )


def verdict(checker, folder, files):
    """Returns (exit status, standard output, standard error) of lrnn-check on three byte strings.
    Where the plain checker is built, it must say the same; if it does not, the status is -1."""
    paths = [os.path.join(folder, n) for n in NAMES]
    for path, data in zip(paths, files):
        with open(path, "wb") as out:
            out.write(data)
    seen, plain = say(checker, paths), plain_of(checker)
    same = say(plain, paths) if plain else seen
    return (
        seen
        if same[:2] == seen[:2]
        else (-1, seen[1] + b"plain: " + same[1], seen[2] + b"plain: " + same[2])
    )


def accepted(seen, files=None):
    """Returns True or False for a verdict in its one proper form, None for anything else; with the
    three texts, every word of a right verdict must agree with them."""
    status, out, err = seen
    out = out.decode("utf-8", "replace")
    if b"Sanitizer" in err or b"runtime error" in err:
        return None
    if status == 0 and not err:
        proper = (
            verdict_lines.fits(out, files)
            if files
            else out.startswith("s VERIFIED ") and out.endswith("\n")
        )
        return True if proper else None
    return False if (status, out) in ((1, "s NOT VERIFIED\n"), (2, "s UNKNOWN\n")) and err else None


# --- changes and their judges ---


class Judgement(NamedTuple):
    """The judgement of a judge independent of the checker about three texts."""

    # whether the verdict must be VERIFIED; None: the judge contradicts itself, and any verdict is
    # WRONG
    must: bool
    outcome: str  # the name under which a right verdict is counted
    told: str  # printed with a wrong verdict
    said: bytes = b""  # part that the checker's output must have


def of_replay(right, told="the replay says {}"):
    return Judgement(
        right, "right and accepted" if right else "wrong and refused", told.format(right)
    )


def of_network(right, proved, refused="network right, certificate wrong: refused"):
    """Returns the judgement from whether the network is right for the automaton, and whether the
    certificate is a right proof of it."""
    return Judgement(
        proved if right or not proved else None,
        "right and accepted" if proved else refused if right else "wrong and refused",
        f"replay says network right {right}, certificate right {proved}",
    )


def judged(checker, folder, kind, files, judge, tally, bad):
    """Compares the checker's verdict on three texts with what judge(*files) finds, and counts
    it."""
    found = judge(*files)
    data = [t.encode() for t in files]
    seen = verdict(checker, folder, data)
    said = accepted(seen, files)
    fine = said is not None and said is found.must and found.said in seen[1]
    tally["meaning", kind, found.outcome if fine else "WRONG"] += 1
    if not fine:
        bad.append((f"{kind}; {found.told}", seen, data))


def meaning_runs(checker, seed, runs, make, judge):
    """Runs a chunk of changes of meaning: make(rng) gives (kind, three texts), or None when it
    changed nothing."""
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            made = make(rng)
            if made:
                runs -= 1
                judged(checker, folder, *made, judge, tally, bad)
    return tally, bad


def changed_text(rng, where, texts, which):
    """Returns (kind, three texts) with a token, a line or a spelling of texts[which] changed and
    all hashes right, or None."""
    files = list(texts)
    files[which] = TEXT_CHANGES[where](rng, files[which])
    kind = f"{where} of the {NAMES[which].split('.')[0]}"
    return (kind, mutations.rehash(*files)) if files[which] != texts[which] else None


def byte_chunk(checker, texts, seed, runs):
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    original = [t.encode() for t in texts]
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            which = rng.randrange(3)
            kind, data = mutations.change_bytes(rng, original[which])
            if data == original[which]:
                continue
            runs -= 1
            files = [*original[:which], data, *original[which + 1 :]]
            seen = verdict(checker, folder, files)
            # No hash was made right, so that the file is wrong, and no limit is met.
            fine = accepted(seen) is False and seen[0] == 1
            tally["bytes", f"{kind} in {NAMES[which]}", "refused" if fine else "WRONG"] += 1
            if not fine:
                bad.append((f"{kind} in {NAMES[which]}", seen, files))
    return tally, bad


# --- a whole run ---


def print_facts(facts, shown=lambda what: False):
    """Prints those (what, whether it holds) that do not hold, and those that are to be shown;
    returns the number that do not hold."""
    for what, holds in facts:
        if not holds or shown(what):
            print(what if holds else f"FAILED {what}")
    return sum(not holds for _, holds in facts)


def run_chunks(args, bases, parts):
    """Runs the chunks. Each has its own seed, so that the result depends neither on --jobs nor on
    timing."""
    tally, bad = collections.Counter(), []
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        chunks = []
        for part in parts:
            count = args.bytes if part.__name__ == byte_chunk.__name__ else args.count
            size = max(1, min(CHUNK, count // len(bases)))  # few changes also reach all bases
            for number, first in enumerate(range(0, count, size)):
                chunks.append(
                    pool.submit(
                        part,
                        args.checker,
                        bases[number % len(bases)],
                        f"{args.seed}/{part.__name__}/{number}",
                        min(size, count - first),
                    )
                )
        for chunk in chunks:
            counts, wrong = chunk.result()
            tally.update(counts)
            bad += wrong
    return tally, bad


def keep(folder, bad):
    for number, (_, _, files) in enumerate(bad):
        (folder / str(number)).mkdir(parents=True, exist_ok=True)
        for name, data in files.items() if isinstance(files, dict) else zip(NAMES, files):
            (folder / str(number) / name).write_bytes(data)


def report(tally):
    for part, title in (
        ("bytes", "byte mutations"),
        ("meaning", "semantic mutations, hashes recomputed"),
    ):
        outcomes, kinds = collections.Counter(), set()
        for (where, kind, outcome), n in tally.items():
            if where == part:
                outcomes[outcome] += n
                kinds.add(kind)
        parts = ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items()))
        print(f"{sum(outcomes.values())} {title} of {len(kinds)} kinds: {parts}")


def run(args, bases, parts):
    """Runs all chunks of the parts, keeps and prints wrong verdicts, and prints the totals; returns
    (tally, number of wrong verdicts)."""
    if args.claim:
        bases = [texts for texts in bases if f"\nclaim {args.claim}\n" in texts[2]]
    tally, bad = run_chunks(args, bases, parts)
    if args.record:
        record(
            args.record,
            args.seed,
            {k: n for k, n in tally.items() if k[0] == "meaning" and not k[1].startswith(OF_TEXT)},
            args.begin,
        )
    if args.keep:
        keep(args.keep, bad)
    for what, seen, _ in bad[:SHOWN]:
        print(f"WRONG {what}: exit status {seen[0]}, {seen[1]!r}, {seen[2]!r}")
    report(tally)
    return tally, sum(n for (*_, outcome), n in tally.items() if outcome == "WRONG")


def record(path, seed, tally, begin):
    """Writes a campaign's record of a run: {(.., kind, outcome): number} of changes of meaning with
    right hashes."""
    outcomes = collections.Counter()
    for (*_, outcome), n in tally.items():
        outcomes[outcome] += n
    path.write_text(
        json.dumps(
            {
                "seed": seed,
                "mutants": sum(outcomes.values()),
                "kinds": len({kind for *_, kind, _ in tally}),
                "accepted": outcomes["right and accepted"],
                "wrong": outcomes["WRONG"],
                "seconds": round(time.monotonic() - begin, 1),
                "processor_seconds": round(processor_seconds(), 1),
            }
        )
        + "\n",
        encoding="utf-8",
    )


def processor_seconds():
    """Returns the processor time of this program and of the programs that it has run."""
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


def spent(begin):
    return f"{time.monotonic() - begin:.1f} s"


def close(about, tested, failed):
    """Prints the two lines that end every program, and returns its exit status."""
    print(about)
    print(f"{tested - failed} passed, {failed} failed")
    return 1 if failed else 0
