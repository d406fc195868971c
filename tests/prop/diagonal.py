"""Which automata compile into diagonal matrices: all of three states and two letters, and the named
families.

The transition monoid and its groups are listed here: an automaton is expected to compile with
--target diagonal iff no word has a cycle of a length with an odd factor, and with --target complex
or one-reflection iff all groups in the monoid are solvable. What compiles must be VERIFIED by the
tool and by lrnn-check; what does not must be refused with exit status 69, and the message names the
level and the group.

usage: diagonal.py --tool build/release/fsa2lrnn --checker build/release/lrnn-check [--jobs J]
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FAMILIES = [
    "parity",
    *(f"cyclic {m}" for m in (2, 3, 4, 5, 6, 8, 12)),
    "symmetric 3",
    "symmetric 4",
    "alternating 4",
    "alternating 5",
    "dihedral 4",
    "dihedral 6",
    "quaternion",
    *(f"tomita {n}" for n in range(1, 8)),
    "flipflop",
    "definite 2",
    "definite 4",
    "counter 3",
    "counter 6",
    "elevator 4",
    "elevator 6",
    "dyck 1 3",
    "dyck 2 2",
    "modarith 2",
    "modarith 3",
    "modarith-prec 2",
    "transformations 3",
    "transformations 4",
    "symmetric 5",
    "transformations 5",
]
MONOID = 20000


def compose(f, g):
    """Returns the map that does f and then g."""
    return tuple(g[x] for x in f)


def monoid(n, letters):
    one = tuple(range(n))
    seen, queue = {one}, [one]
    for f in queue:
        for a in letters:
            g = compose(f, a)
            if g not in seen:
                if len(seen) == MONOID:
                    return None
                seen.add(g)
                queue.append(g)
    return queue


def odd_cycle(f):
    """Returns whether some cycle of f has a length with an odd factor."""
    x = set(f)
    while {f[q] for q in x} != x:
        x = {f[q] for q in x}
    while x:
        q, length = min(x), 0
        while q in x:
            x.remove(q)
            q, length = f[q], length + 1
        if length & (length - 1):
            return True
    return False


def close(n, generators):
    return set(monoid(n, generators))


def solvable(points, group):
    """Returns whether a group, given as permutations of 0 .. points - 1, is solvable."""
    while len(group) > 1:
        inverse = {g: tuple(sorted(range(points), key=g.__getitem__)) for g in group}
        commutators = set()
        for g, h in itertools.product(group, repeat=2):
            commutators.add(compose(compose(inverse[g], inverse[h]), compose(g, h)))
        smaller = close(points, commutators)
        if len(smaller) == len(group):
            return False
        group = smaller
    return True


def groups(elements):
    """Returns the group of permutations of the image of each idempotent, one for each image."""
    images = collections.defaultdict(set)
    for f in elements:
        images[frozenset(f)]
    for e in elements:
        if compose(e, e) == e:
            image = sorted(set(e))
            place = {q: i for i, q in enumerate(image)}
            if len(image) > 1 and not images[frozenset(image)]:
                images[frozenset(image)] = {
                    tuple(place[f[q]] for q in image)
                    for f in elements
                    if {f[q] for q in image} == set(image)
                }
    return [(len(image), group) for image, group in images.items() if group]


def expected(n, letters):
    """Returns (compiles with --target diagonal, with --target complex)."""
    elements = monoid(n, letters)
    if elements is None:
        return None
    two = not any(odd_cycle(f) for f in elements)
    return two, two or all(solvable(points, group) for points, group in groups(elements))


def permutation(points, cycles):
    f = list(range(points))
    for cycle in re.findall(r"\(([\d ]+)\)", cycles):
        at = [int(x) - 1 for x in cycle.split()]
        for x, y in zip(at, at[1:] + at[:1]):
            f[x] = y
    return tuple(f)


def letters_of(text):
    """Returns (states or points, their images by every letter) of the automaton's text, counted
    from 0."""
    lines = [re.findall(r'"[^"]*"|\S+', line) for line in text.splitlines()]
    points = [int(words[1]) for words in lines if words[:1] == ["points"]]
    if points:
        named = re.findall(r'^permute (?:"[^"]*"|\S+) (.*)$', text, re.M)
        return points[0], [permutation(points[0], cycles) for cycles in named]
    states = next(words[1:] for words in lines if words[:1] == ["states"])
    place, moves = {q: i for i, q in enumerate(states)}, collections.defaultdict(dict)
    for words in lines:
        if len(words) == 3 and words[0] in place and words[2] in place:
            moves[words[1]][place[words[0]]] = place[words[2]]
    return len(states), [tuple(move[q] for q in range(len(states))) for move in moves.values()]


def run(command):
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check(name, grammar, args):
    """Returns what is wrong, if anything."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, wrong = Path(temporary), []
        (folder / "g.fsa").write_text(grammar)
        for target in ("diagonal", "complex", "one-reflection"):
            out = folder / target
            status, text, error = run(
                [
                    args.tool,
                    str(folder / "g.fsa"),
                    "--target",
                    target,
                    "--formats",
                    "bf16",
                    "--limit",
                    "1000",
                    "--out",
                    str(out),
                ]
            )
            if target == "diagonal":
                wanted = expected(*letters_of(grammar))
            if wanted is None:
                continue
            can = target == "one-reflection" or wanted[target != "diagonal"]
            if (status == 0) != can:
                wrong.append(
                    f"{name} {target}: exit {status}, expected {wanted}: {error}{text[:200]}"
                )
            elif status == 0:
                net = (out / "network.lrnn").read_text()
                if target == "one-reflection" and re.search(
                    r"^on \d+ gate (?!1 )|^on .* factors (?![01]\b)", net, re.M
                ):
                    wrong.append(f"{name} {target}: more than one factor, or a gate")
                files = [
                    str(out / file)
                    for file in ("automaton.fsa", "network.lrnn", "certificate.cert")
                ]
                if not re.search(r"^exact +VERIFIED", text, re.M):
                    wrong.append(f"{name} {target}: {text}")
                seen = run([args.checker, *files])
                if seen[0] != 0:
                    wrong.append(f"{name} {target}: {seen}")
            elif status != 69 or not re.search(
                r"level \d+ has the group \S+, which is (no 2-group|not solvable)", error
            ):
                wrong.append(f"{name} {target}: exit {status}: {error}")
        return wrong, wanted


def small():
    """Yields all automata of three states and two letters that reach their states."""
    for images in itertools.product(range(3), repeat=6):
        a, b = images[:3], images[3:]
        seen = {0}
        for _ in range(3):
            seen |= {f[q] for f in (a, b) for q in seen}
        if len(seen) == 3:
            lines = ["fsa 1", "letters a b", "states 1 2 3", "start 1"]
            lines += [f"{q + 1} {w} {f[q] + 1}" for q in range(3) for w, f in (("a", a), ("b", b))]
            yield f"{a} {b}", "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    parser.add_argument("--checker", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    # Every twentieth under sanitizers.
    every = 20 if "F2L_TEST_SHORT" in os.environ else 1 if "F2L_TEST_WHOLE" in os.environ else 10
    jobs = list(small())[:: every]
    for family in FAMILIES:
        jobs.append((family, run([args.tool, "new", *family.split()])[1]))
    tally, failures = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for wrong, wanted in pool.map(lambda job: check(*job, args), jobs):
            failures += wrong
            tally[wanted] += 1
    for text in failures:
        print("WRONG", text)
    for wanted, count in sorted(tally.items(), key=str):
        print(f"{count} automata: real, complex = {wanted}")
    enough = len(tally) >= 3
    print(f"{len(jobs) - len(failures)} passed, {len(failures) + (not enough)} failed")
    return 1 if failures or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
