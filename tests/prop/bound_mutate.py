"""What fork-check, band-check, arcs-check, depth-check, separation-check and stack-check must
refuse: certificates with changed bytes, tokens, lines and rules, certificates made at random, and
changed automata with right hashes.

A mutant must be VERIFIED exactly when bound_judge.py finds that every line of it is true. That
holds for some: another fork, a detour of a word, a set that is listed and not used. What is
VERIFIED must also be true of the automaton without the certificate (bound_statement.py).

usage: bound_mutate.py --tool build/release/tests/prop/p_bound
--checker build/release/lrnn-check [--claim fork|band|arcs|depth|separation|stack]
[--count N] [--seed S]
--checker names the folder of the checkers; fsa2lrnn and lrnn-check are in the build folder of
--tool. --count is the number of mutants of each claim."""

import collections
import random
import re
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import bound_judge
import bound_statement
import mutant_run
import mutations
import triple
from rep_mutate import change_byte, change_lines, change_token

KINDS = "fork", "band", "arcs", "depth", "separation", "stack"
# Kinds of changes that have no meaning of their own, and what is counted for no campaign.
TEXT = "token", "line", "byte", "original"


def automaton(states, letters, moves):
    a = triple.Automaton()
    a.states, a.letters, a.start = [f"q{i}" for i in range(states)], list("abcdef"[:letters]), 0
    a.next = [[moves(q, x) for x in range(letters)] for q in range(states)]
    return a


def order_preserving(n):
    """Letter 2 i leads i to i + 1, letter 2 i + 1 leads i + 1 to i."""
    return automaton(
        n, 2 * n - 2, lambda q, x: q + 1 - 2 * (x % 2) if q == x // 2 + x % 2 else q
    )


def transformations(n):
    def moves(q, x):
        return ((q + 1) % n, {0: 1, 1: 0}.get(q, q), 0 if q == 1 else q)[x]

    return automaton(n, 3, moves)


def by_letters(*images):
    """Returns the automaton of which letter x leads state q to images[x][q]."""
    return automaton(len(images[0]), len(images), lambda q, x: int(images[x][q]))


def bases(rng):
    """Returns automata with their kinds of labels."""
    first = automaton(3, 2, lambda q, x: q if q else x + 1)
    known = first, *map(order_preserving, (3, 4)), *map(transformations, (3, 4))
    out = [(a, "states") for a in known]
    twins = automaton(4, 2, lambda q, x: (1 + x, 3, 2, 1)[q])  # 1 and 3 are one class
    twins.accept = {2}
    out.append((twins, "accept"))
    # No fork: bits that are copied, and a small one. And bounds of 3 for finitely many states only.
    finite = by_letters("0033", "0101", "2323"), by_letters("002", "121")
    deep = by_letters("0032", "1213"), by_letters("0212", "1033")
    two = by_letters("0032", "1222"), by_letters("0121", "1233"), by_letters("0031", "1200")
    three = by_letters("23236754", "45104545"), by_letters("23237655", "55234401")
    out += [(a, "states") for a in finite + deep + two + three]
    for kind in ("states", "accept", "outputs", "edges") * 3:
        a = automaton(rng.choice((4, 5)), 2, lambda q, x: 0)
        while True:
            a.next = [[rng.randrange(len(a.states)) for _ in a.letters] for _ in a.states]
            if mutations.reaches_all(a):
                break
        if kind == "accept":
            a.accept = set(rng.sample(range(len(a.states)), 2))
        if kind == "outputs":
            a.outputs = [rng.choice(("x", "y", "z")) for _ in a.states]
        if kind == "edges":
            a.edge_outputs = [[rng.choice(("x", "y")) for _ in a.letters] for _ in a.states]
        out.append((a, kind))
    return out


def change_rule(rng, text):
    """Exchanges words, cuts them, adds a detour or a word that may keep all states, or changes one
    rule for the other."""
    lines = text.split("\n")
    i = rng.randrange(4, len(lines) - 1)
    j = rng.randrange(4, len(lines) - 1)
    what = rng.randrange(7)
    if what == 0 and " word" in lines[i]:
        lines[i] += " " + str(rng.randrange(1, 4))
    elif what == 1:
        other = rng.choice(("product", "fork"))
        rules = ("product", "fork"), ("fork", "band"), ("band", other), ("two", "one"), ("u ", "v ")
        for x, y in rules:
            if x in lines[i]:
                lines[i] = lines[i].replace(x, y)
                break
    elif what == 2:
        words = lines[i].split(" ")
        words[-1:] = lines[j].split(" ")[-1:]
        lines[i] = " ".join(words)
    elif what == 3:
        lines[i] += "".join(f" {rng.randrange(1, 4)}" for _ in range(rng.randrange(1, 4)))
    elif what == 4:
        words = lines[i].split(" ")
        lines[i] = " ".join(words[: rng.randrange(1, len(words) + 1)])
    elif what == 5 and not lines[-3].startswith("still"):
        word = [rng.randrange(1, 3) for _ in range(rng.randrange(3))]
        lines.insert(len(lines) - 2, " ".join(["still", *map(str, word)]))
    else:
        words = lines[i].split(" ")
        k = rng.randrange(len(words))
        words[k] = str(rng.randrange(1, 6))
        lines[i] = " ".join(words)
    return "\n".join(lines)


def change_classes(rng, text):
    lines = text.split("\n")
    words = lines[3].split(" ")
    words[rng.randrange(1, len(words))] = str(rng.randrange(len(words)))
    lines[3] = " ".join(words)
    return "\n".join(lines)


def change_band(rng, text, fsa_text):
    """Takes other words, and for some the states to which they lead; or other labels to compare."""
    lines = text.split("\n")
    a = triple.read_automaton(fsa_text)
    m = bound_judge.Machine(a, lines[2][6:], [int(c) - 1 for c in lines[3].split(" ")[1:]])
    what = rng.randrange(4)
    word = [rng.randrange(m.letters) for _ in range(rng.randrange(1, 4))]
    text = "".join(f" {x + 1}" for x in word)
    if what == 0:
        i = rng.choice((5, 6, 7, 8))
        lines[i] = lines[i].split(" ")[0] + text
    elif what == 1:  # states that the words lead to, whether or not they are fixed
        u, v = ([int(x) - 1 for x in line.split(" ")[1:]] for line in lines[6:8])
        u, v = (word, v) if rng.random() < 0.5 else (u, word)
        s = m.lead(m.start, [int(x) - 1 for x in lines[5].split(" ")[1:]])
        p, q = m.lead(s, u), m.lead(s, v)
        r = m.lead(p, v)
        states = s, p, r, m.lead(r, u), q, m.lead(q, u)
        lines[4] = "band" + "".join(f" {c + 1}" for c in states)
        for i, name, letters in (6, "u", u), (7, "v", v):
            lines[i] = name + "".join(f" {x + 1}" for x in letters)
    elif what == 2:  # a power of a word leads as the word does
        i = rng.choice((6, 7))
        name, *letters = lines[i].split(" ")
        lines[i] = " ".join([name, *letters * rng.randrange(2, 4)])
    else:
        words = lines[4].split(" ")
        i, j = rng.sample(range(1, 7), 2)
        words[i] = words[j]
        lines[4] = " ".join(words)
    return "\n".join(lines)


def change_stack(rng, text, fsa_text):
    """Takes other permutations, contents or sources of slots; or adds a point that none moves."""
    lines = text.split("\n")
    heads = [i for i, x in enumerate(lines) if x.startswith("device")]
    head = rng.choice(heads)  # of the layer that is changed
    end = next((i for i in heads if i > head), lines.index("end"))
    what, edges = rng.randrange(5), [i for i in range(head, end) if lines[i].startswith("edges")]
    if what == 0:
        i, points = rng.choice(edges), lines[edges[0]].split(" ")[1:]
        rng.shuffle(points)
        lines[i] = " ".join(["edges", *points])
    elif what == 1:  # each edge moves the points as the next one does
        moved = [lines[i] for i in edges]
        for i, line in zip(edges, moved[1:] + moved[:1]):
            lines[i] = line
    elif what == 2:
        i = rng.choice([k for k, x in enumerate(lines) if x.startswith(("letter", "initial"))])
        words = lines[i].split(" ")
        least, most = (0, 2) if words[0] == "initial" else (1, len(words) + 1)
        words[rng.randrange(1, len(words))] = str(rng.randrange(least, most + 1))
        lines[i] = " ".join(words)
    elif what == 3:  # one layer: a device of one state, without a group
        letters = triple.read_automaton(fsa_text).letters
        lines[4:] = ["slots 1", "initial 0", *["letter 1"] * len(letters), "device 1 points 1"]
        lines += [*["edges 1"] * len(letters), "end", ""]
    else:
        words = lines[head].split(" ")
        degree = int(words[-1]) + 1
        lines[head] = " ".join([*words[:-1], str(degree)])
        for i in edges:
            lines[i] += f" {degree}"
    return "\n".join(lines)


def change_step(rng, text, fsa_text):
    """Takes another automaton between two layers, drops a step, or adds one: the automaton itself,
    or one that says less, with permutations of their own or none."""
    lines = text.split("\n")
    a = triple.read_automaton(fsa_text)
    heads = [i for i, x in enumerate(lines) if x.startswith("device")]
    at, end, letters = rng.choice(heads), lines.index("end"), len(a.letters)
    until = next((i for i in heads if i > at), end)
    following = [i for i, x in enumerate(lines) if x.startswith("next")]
    what = rng.randrange(4)
    if what == 0 and following:  # a transition that leads elsewhere
        i = rng.choice(following)
        words = lines[i].split(" ")
        words[rng.randrange(1, len(words))] = str(rng.randrange(1, len(following) + 2))
        lines[i] = " ".join(words)
    elif what == 1 and at != heads[0]:
        del lines[at:until]
    elif what == 2:  # twice the same: the second layer has nothing to add
        if at == heads[0]:
            lines[until:until] = ["device 1 points 1", f"next{' 1' * letters}"]
            lines[until + 2 : until + 2] = ["edges 1"] * letters
        else:
            lines[until:until] = lines[at:until]
    else:  # what is claimed becomes known: the layers track the automaton, or some other one
        m = bound_judge.Machine(a, lines[2][6:], [int(c) - 1 for c in lines[3].split(" ")[1:]])
        order = [m.start]
        for q in order:
            order += [to for to in dict.fromkeys(m.next[q]) if to not in order]
        rows = [[order.index(to) + 1 for to in m.next[q]] for q in order]
        if rng.random() < 0.3:
            rows[rng.randrange(len(rows))] = [rng.randrange(1, len(rows) + 1) for _ in a.letters]
        added = [f"device {len(rows)} points 1"]
        added += ["next" + "".join(f" {to}" for to in row) for row in rows]
        lines[end:end] = added + ["edges 1"] * (len(rows) * letters)
        if rng.random() < 0.3:
            del lines[at:until]
    return "\n".join(lines)


def copy_edge(rng, text, fsa_text):
    """Replaces both arcs of an edge by those of another, so that the graph is not connected."""
    lines = text.split("\n")
    edges = [i for i in range(5, len(lines) - 1, 2) if lines[i].startswith("arc ")]
    if len(edges) > 1:
        i, j = rng.sample(edges, 2)
        lines[i : i + 2] = rng.choice([lines[j : j + 2], lines[j + 1 : j - 1 : -1]])
    return "\n".join(lines)


def change_chain(rng, text, fsa_text):
    """Changes terms of one step alike, which leaves them right, or one vector, pair or word."""
    lines = text.split("\n")
    what, i = rng.randrange(5), rng.randrange(6, len(lines) - 2)
    if what == 0:
        factor = Fraction(rng.randrange(1, 5), rng.randrange(1, 5))
        for j, line in enumerate(lines[6:], 6):
            words = line.split(" ")
            at = {"form": 1, "letter": 2}.get(words[0])
            if words[0] == "with":
                words[1:] = [scaled(item, factor) for item in words[1:]]
            elif at:
                words[at] = str(Fraction(words[at]) * factor)
            lines[j] = " ".join(words)
    elif what == 1:
        words = lines[i].split(" ")
        entries = [j for j, word in enumerate(words) if ":" in word]
        if len(entries) > 1:
            more = rng.choice((-1, 1)) * Fraction(1, rng.randrange(1, 4))
            for j, add in zip(rng.sample(entries, 2), (more, -more)):
                c, v = words[j].split(":")
                words[j] = f"{c}:{Fraction(v) + add}"
        lines[i] = " ".join(words)
    elif what == 2:
        a = triple.read_automaton(fsa_text)
        word = [rng.randrange(1, len(a.letters) + 1) for _ in range(rng.randrange(4))]
        lines[5] = " ".join(["apart", *map(str, word)])
    elif what == 3:
        classes = max(map(int, lines[3].split(" ")[1:]))
        lines[4] = f"pair {rng.randrange(1, classes + 1)} {rng.randrange(1, classes + 1)}"
    else:
        start = max(j for j in range(6, i + 1) if lines[j] == "step" or j == 6)
        lines[start:start] = ["step"] if rng.random() < 0.5 else lines[6:i]
    return "\n".join(lines)


def random_sets(rng, m, stage):
    """Adds sets to the stage, and returns their lines."""
    lines, maps = [], sorted(stage.maps or ())
    for i in range(1, rng.randrange(3, 8)):
        rule = rng.choice(("product", "fork", "band", "band")) if i > 2 else "single"
        if rule != "single":
            x, y = rng.randrange(1, i), rng.randrange(1, i)
            a, b = stage.sets[x - 1], stage.sets[y - 1]
            new = {"product": stage.times, "fork": stage.fork, "band": stage.band}[rule](a, b)
            lines.append(f"set {i} {rule} {x} {y}")
        elif stage.maps is None:
            word = [rng.randrange(m.letters) for _ in range(rng.randrange(1, 4))]
            new = frozenset([tuple(m.lead(c, word) for c in stage.states)])
            lines.append(f"set {i} word {' '.join(str(x + 1) for x in word)}")
        else:
            image = rng.choice(maps)
            if rng.random() < 0.3:  # perhaps no map of the stage
                image = tuple(rng.choice(stage.states) for _ in stage.states)
            new = frozenset([image])
            lines.append(f"set {i} images {' '.join(str(c + 1) for c in image)}")
        stage.sets.append(new)
    return lines


def random_depth(rng, text, fsa_text):
    """Makes a certificate of sets at random, which may descend to a class that no map leads to, and
    ends where labels differ if they do somewhere."""
    lines = text.split("\n")
    a = triple.read_automaton(fsa_text)
    m = bound_judge.Machine(a, lines[2][6:], [int(c) - 1 for c in lines[3].split(" ")[1:]])
    stage, body, descents = bound_judge.Stage(list(range(len(m.members)))), [], 0
    bound_judge.Stage.work = 0
    down = [i for i, line in enumerate(lines) if line.startswith("descend ")]
    if down and rng.random() < 0.5:  # the first stage as it is
        body, read = lines[5 : down[0] + 1], bound_judge.Lines("\n".join([*lines[5:], ""]))
        stage.sets = []
        while read.comes("set "):
            stage.sets.append(bound_judge.read_set(m, stage, read))
        stage, descents = stage.descend(int(body[-1].split(" ")[1]) - 1), 1
    while True:
        body += random_sets(rng, m, stage)
        if descents == 2 or rng.random() < 0.3:
            break
        c = rng.choice(stage.states)
        body.append(f"descend {c + 1}")
        stage, descents = stage.descend(c, strict=False), descents + 1
    last = sorted(stage.sets[-1])
    many = len(last) > 1
    places = list(enumerate(stage.states))
    pairs = [(c, f[i] if many else c, g[i]) for f in last for g in last for i, c in places]
    ends = [
        (c, d, e, [x]) for c, d, e in pairs for x in range(m.letters) if m.apart(d, e, [x])
    ] or [(*rng.choice(pairs), [0])]
    c, d, e, word = rng.choice(ends)
    end = f"two {c + 1} {d + 1} {e + 1}" if many else f"one {c + 1}"
    body.append(f"{end} apart {word[0] + 1}")
    layers = descents + (2 if many else 1)
    return "\n".join([*lines[:4], f"layers {layers}", *body, "end", ""])


def change_vector(rng, text, fsa_text):
    """Changes the terms of a step: some changes keep what it proves."""
    lines = text.split("\n")
    terms = [i for i, line in enumerate(lines) if line.split(" ")[0] in ("form", "letter")]
    vectors = [i for i, line in enumerate(lines) if ":" in line]
    i, what = rng.choice(terms), rng.randrange(6)
    words = lines[i].split(" ")
    at = 1 if words[0] == "form" else 2
    if what == 0:  # twice the half
        words[at] = str(Fraction(words[at]) / 2)
        lines[i : i + 1] = [" ".join(words)] * 2
    elif what == 1:  # another length, and often the factor for it
        z = rng.choice((2, 3, Fraction(1, 2), -1))
        words[at] = str(Fraction(words[at]) / z**2) if rng.random() < 0.7 else words[at]
        lines[i] = " ".join([*words[: at + 1], *(scaled(x, z) for x in words[at + 1 :])])
    elif what == 2:
        words[at] = rng.choice(("0", "-1", "1/2", "2"))
        lines[i] = " ".join(words)
    elif what == 3:  # another vector of the sum 0
        i = rng.choice(vectors)
        words = lines[i].split(" ")
        place = next(k for k, x in enumerate(words) if ":" in x)
        ends = sorted(rng.sample(range(1, len(lines[3].split(" "))), 2))
        z = rng.choice((1, -1, 2))
        lines[i] = " ".join([*words[:place], f"{ends[0]}:{z}", f"{ends[1]}:{-z}"])
    elif what == 4:
        pair = lines[4].split(" ")
        lines[4] = " ".join([pair[0], *rng.sample(pair[1:], 2)])
        lines[5] = rng.choice((lines[5], "apart"))
    else:  # vectors of two lines exchanged
        i, j = rng.choice(vectors), rng.choice(vectors)
        (x, v), (y, w) = (re.fullmatch(r"(.*?)( \d+:.*)", lines[k]).groups() for k in (i, j))
        lines[i], lines[j] = x + w, y + v
    return "\n".join(lines)


def scaled(item, z):
    i, value = item.split(":")
    return f"{i}:{Fraction(value) * z}"


def change_automaton(rng, text, fsa_text):
    a = triple.read_automaton(fsa_text)
    q, x = rng.randrange(len(a.states)), rng.randrange(len(a.letters))
    what = rng.randrange(4)
    if what < 2:
        a.next[q][x] = rng.randrange(len(a.states))
    elif what == 2:
        a.start = q
    elif a.accept is not None:
        a.accept ^= {q}
    elif a.outputs:
        a.outputs[q] = rng.choice("xyz")
    elif a.edge_outputs:
        a.edge_outputs[q][x] = rng.choice("xyz")
    changed = a.text()
    return text.replace(triple.sha256(fsa_text), triple.sha256(changed)), changed


CHANGES = {
    "token": change_token,
    "line": change_lines,
    "byte": change_byte,
    "rule": change_rule,
    "classes": change_classes,
}


def verdict(checker, folder, text, fsa_text):
    """Returns (exit status, output); the status is -1 where an answer has not its one form."""
    paths = [folder / "automaton", folder / "certificate"]
    for path, content in zip(paths, (fsa_text, text)):
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
    done = subprocess.run(
        [checker, *map(str, paths)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    refused = (done.returncode, out) in ((1, "s NOT VERIFIED\n"), (2, "s UNKNOWN\n"))
    proper = err.count("\n") == 1 if refused else done.returncode == 0 and not err
    return (done.returncode if proper else -1), out + ("" if proper else err)


class Run:
    def __init__(self, folder, checker, tool):
        self.checkers = {k: str(Path(checker).parent / f"{k}-check") for k in KINDS}
        self.statements = bound_statement.Statements(tool, folder)
        self.folder = folder
        self.tally, self.bad = collections.Counter(), []

    def judge(self, kind, what, text, fsa_text):
        """Compares the verdicts, and returns whether the certificate is right."""
        try:
            said = bound_judge.verdict_of(kind, text, fsa_text)
        except bound_judge.Malformed:
            said = None
        except bound_judge.TooLong:
            return None
        seen = verdict(self.checkers[kind], self.folder, text, fsa_text)
        good = seen == (0, said) if said else seen[0] in (1, 2)
        if seen[0] == 0:
            a = triple.read_automaton(fsa_text)
            good = good and self.statements.hold(kind, seen[1], a, fsa_text)
        outcome = "right and accepted" if said else "wrong and refused"
        self.tally[kind, what, outcome if good else "WRONG"] += 1
        if not good:
            self.bad.append((kind, what, f"judged {said!r}, seen {seen}", text, fsa_text))
        return said is not None


def certificate(tool, kind, label, fsa_text):
    return subprocess.run(
        [tool, "certificate", kind, label],
        input=fsa_text,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout


def mutant(rng, kind, text, fsa_text):
    """Returns (kind of change, certificate, automaton)."""
    made = {"fork": [], "arcs": [copy_edge], "depth": [random_depth] * 3, "band": [change_band] * 3}
    made["stack"] = [change_stack] * 4 + [change_step] * 2
    made["separation"] = [change_vector] * 3 + [change_chain] * 2
    what = rng.choice([*CHANGES, "rule", "automaton", *made[kind]])
    if what == "automaton":
        return what, *change_automaton(rng, text, fsa_text)
    if what not in CHANGES:
        return what.__name__, what(rng, text, fsa_text), fsa_text
    return what, CHANGES[what](rng, text), fsa_text


def mutate(run, rng, kind, bases, count):
    """Judges as many changes that have a meaning, and those without one that come between."""
    while count > 0:
        text, fsa_text = rng.choice(bases)
        what, *changed = mutant(rng, kind, text, fsa_text)
        if changed != [text, fsa_text] and run.judge(kind, what, *changed) is not None:
            count -= what not in TEXT


def main():
    parser = mutant_run.parser(__doc__, 300, 1)
    parser.add_argument("--tool", required=True, type=mutant_run.program)
    parser.add_argument("--claim", choices=KINDS, help="change only certificates of this claim")
    parser.add_argument("--jobs", help="not used")
    parser.add_argument("--bytes", help="not used")
    args = parser.parse_args()
    kinds = KINDS if args.claim is None else [args.claim]
    begin, rng, certificates = time.monotonic(), random.Random(args.seed), 0
    with tempfile.TemporaryDirectory() as temporary:
        tool = Path(args.tool).parents[2] / "fsa2lrnn"
        run, automata = Run(Path(temporary), args.checker, tool), bases(rng)
        parity = automaton(2, 2, lambda q, x: q ^ x).text()
        if not bound_statement.verified(tool, temporary, parity, "states", 1):
            run.bad.append(("no network of one layer is VERIFIED for parity", "", parity))
        for kind in kinds:
            made = [(certificate(args.tool, kind, x, a.text()), a.text()) for a, x in automata]
            made = [texts for texts in made if texts[0]]
            certificates += len(made)
            for texts in made:
                if not run.judge(kind, "original", *texts):
                    run.bad.append((kind, "original", "is wrong itself", *texts))
            mutate(run, rng, kind, made, args.count)
    for (*what, outcome), count in sorted(run.tally.items()):
        print(f"{' '.join(what)}: {outcome} {count}")
    for *what, text, fsa_text in run.bad[: mutant_run.SHOWN]:
        print(f"FAILED {': '.join(what)}\n{fsa_text}{text}")
    if args.record:
        meaning = {k: n for k, n in run.tally.items() if k[1] not in TEXT}
        mutant_run.record(args.record, args.seed, meaning, begin)
    accepted = {k for (k, what, outcome) in run.tally if outcome == "right and accepted"}
    failed = len(run.bad) + (accepted != set(kinds))
    return mutant_run.close(
        f"seed {args.seed}, {certificates} certificates, {mutant_run.spent(begin)}",
        sum(run.tally.values()) + 1,
        failed,
    )


if __name__ == "__main__":
    sys.exit(main())
