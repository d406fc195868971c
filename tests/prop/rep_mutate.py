"""What rep-check must refuse: certificates with changed bytes, tokens, lines and meaning.

A mutant must be VERIFIED exactly when an independent judgement (rep_certificate.py) finds that
every line of it is true and the claim follows. This holds for some mutants, with another separating
set, another hidden class or another modulus. Half of them are checked against an automaton, whose
form, letters or hash may be changed as well; then the claim must be about it.

usage: rep_mutate.py --tool build/release/tests/prop/p_rep --checker build/release/rep-check
[--count N] [--seed S]
--count is the number of mutants of each certificate."""

import collections
import copy
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mutant_run
import rep_certificate as rc
import triple

GROUPS = {
    "trivial": (1, ["()"]),
    "Z2": (2, ["(1 2)"]),
    "Z3": (3, ["(1 2 3)"]),
    "Z4": (4, ["(1 2 3 4)"]),
    "Z5": (5, ["(1 2 3 4 5)"]),
    "Z6": (5, ["(1 2 3)", "(4 5)"]),
    "Z2xZ2": (4, ["(1 2)", "(3 4)"]),
    "Z4xZ2": (6, ["(1 2 3 4)", "(5 6)"]),
    "S3": (3, ["(1 2)", "(1 2 3)"]),
    "D4": (8, ["(1 2 3 4)(5 6 7 8)", "(1 5)(2 8)(3 7)(4 6)"]),
    "Q8": (8, ["(1 2 3 4)(5 6 7 8)", "(1 5 3 7)(2 8 4 6)"]),
    "A4": (4, ["(1 2 3)", "(2 3 4)"]),
    "S4": (4, ["(1 2)", "(1 2 3 4)"]),
    "F20": (5, ["(1 2 3 4 5)", "(2 3 5 4)"]),
    "A5": (5, ["(1 2 3)", "(1 2 3 4 5)"]),
    "A5 by involutions": (5, ["(1 2)(3 4)", "(1 3)(2 5)", "(1 4)(2 5)"]),
    "SL(2,3)": (8, ["(1 2 3 4)(5 6 7 8)", "(1 5 3 7)(2 8 4 6)", "(2 5 8)(4 7 6)"]),
    "S3xS3": (6, ["(1 2)", "(1 2 3)", "(4 5)", "(4 5 6)"]),
    "S5": (5, ["(1 2)", "(1 2 3 4 5)"]),
}


def resort(c):
    """Sorts the characters as the grammar requires, and changes the numbers that name them."""
    order = sorted(range(len(c.characters)), key=lambda s: (c.characters[s][0], c.characters[s][3]))
    new = {s: i for i, s in enumerate(order)}
    c.characters = [(d, f, new.get(t, t), v) for d, f, t, v in (c.characters[s] for s in order)]
    return order


def retell(c, group):
    """Replaces the lines about irreps by those that follow from the listed characters, and the
    claim accordingly."""
    letters = range(len(group.members)) if c.letters == "elements" else group.generator_classes
    c.irreps, ranks = [], []
    for s, row in enumerate(c.characters):
        if row[2] < s or len(row[3]) != len(group.members):
            continue
        ranks.append(rc.ranks_of(c, group, row))
        c.irreps.append(
            (s, (2 - (row[1] == 1)) * row[0], max((ranks[-1][k] for k in letters), default=0))
        )
    for k in range(0, 50):
        kept = [i for i, irrep in enumerate(c.irreps) if irrep[2] <= k]
        if all(any(ranks[i][x] for i in kept) for x in range(1, len(group.members))):
            break
    c.minimum, c.faithful, c.hidden = k, kept, None
    less = [i for i, irrep in enumerate(c.irreps) if irrep[2] < k]
    hidden = [x for x in range(1, len(group.members)) if not any(ranks[i][x] for i in less)]
    if k > 0:
        c.hidden = hidden[0] if hidden else 1
    best = rc.least_set(c, ranks, len(group.members)) if c.least is not None else None
    if best is not None:
        c.least, c.faithful = best[0], list(best[1])


def change_value(rng, c, group):
    s, k = rng.randrange(len(c.characters)), rng.randrange(len(c.classes))
    d, f, t, v = c.characters[s]
    new = rng.choice(
        [
            rng.randrange(c.prime),
            (v[k] + 1) % c.prime,
            (c.prime - v[k]) % c.prime,
            v[rng.randrange(len(v))],
        ]
    )
    c.characters[s] = d, f, t, v[:k] + (new,) + v[k + 1 :]
    resort(c)


def copy_row(rng, c, group):
    s, u = rng.randrange(len(c.characters)), rng.randrange(len(c.characters))
    c.characters[s] = c.characters[u]
    resort(c)
    retell(c, group)


def mix_rows(rng, c, group):
    """Replaces a row by one that has 1 at the identity and lies in the span of two rows."""
    s, u, x = (
        rng.randrange(len(c.characters)),
        rng.randrange(len(c.characters)),
        rng.randrange(c.prime),
    )
    (d, f, t, v), w = c.characters[s], c.characters[u][3]
    c.characters[s] = d, f, t, tuple((x * a + (1 - x) * b) % c.prime for a, b in zip(v, w))
    resort(c)
    retell(c, group)


def swap_columns(rng, c, group):
    """Exchanges columns, as a wrong class map would: right where this is an automorphism of the
    table."""
    i, j = rng.randrange(len(c.classes)), rng.randrange(len(c.classes))

    def swapped(v):
        v = list(v)
        v[i], v[j] = v[j], v[i]
        return tuple(v)

    c.characters = [(d, f, t, swapped(v)) for d, f, t, v in c.characters]
    resort(c)
    retell(c, group)


def change_degree(rng, c, group):
    s = rng.randrange(len(c.characters))
    d, f, t, v = c.characters[s]
    c.characters[s] = (
        rng.choice([d + 1, max(1, d - 1), 2 * d, c.prime - d, c.characters[-1][0]]),
        f,
        t,
        v,
    )
    resort(c)
    retell(c, group)


def change_indicator(rng, c, group):
    s = rng.randrange(len(c.characters))
    d, _, t, v = c.characters[s]
    c.characters[s] = d, rng.choice([-1, 0, 1]), t, v
    retell(c, group)


def change_conjugate(rng, c, group):
    s = rng.randrange(len(c.characters))
    d, f, _, v = c.characters[s]
    c.characters[s] = d, f, rng.randrange(len(c.characters)), v
    retell(c, group)


def change_claim(rng, c, group):
    c.minimum = max(0, c.minimum + rng.choice([-2, -1, -1, 0, 1, 1, 2]))
    c.hidden = rng.randrange(1, max(2, len(c.classes))) if c.minimum else None
    if rng.random() < 0.5:
        c.faithful = sorted(
            i for i in range(len(c.irreps)) if rng.random() < 0.5 or c.irreps[i][2] <= c.minimum
        )


def change_hidden(rng, c, group):
    if c.hidden is not None:
        c.hidden = rng.randrange(len(c.classes))


def change_faithful(rng, c, group):
    c.faithful = sorted(rng.sample(range(len(c.irreps)), rng.randrange(len(c.irreps) + 1)))


def change_separate(rng, c, group):
    c.separate = sorted(rng.sample(range(len(c.classes)), rng.randrange(len(c.classes) + 1)))


def change_letters(rng, c, group):
    c.letters = "elements" if c.letters == "generators" else "generators"
    if rng.random() < 0.7:
        retell(c, group)


def change_class(rng, c, group):
    k = rng.randrange(len(c.classes))
    x, size, order, inverse, square = c.classes[k]
    what = rng.randrange(5)
    if what == 0:
        x = rng.choice(group.elements)
    elif what == 1:
        size = rng.choice([1, size + 1, len(group.elements)])
    elif what == 2:
        order = rng.choice([1, order + 1, c.exponent])
    elif what == 3:
        inverse = rng.randrange(len(c.classes))
    else:
        square = rng.randrange(len(c.classes))
    c.classes[k] = x, size, order, inverse, square


def drop_class(rng, c, group):
    """Removes one class and one character, as if the group had fewer."""
    if len(c.classes) < 2:
        return
    k, s = rng.randrange(1, len(c.classes)), rng.randrange(len(c.characters))
    del c.classes[k], c.characters[s]
    c.characters = [
        (d, f, min(t, len(c.characters) - 1), v[:k] + v[k + 1 :]) for d, f, t, v in c.characters
    ]
    c.end -= 1
    c.separate = [x for x in c.separate if x < len(c.classes)]


def change_modulus(rng, c, group):
    """Changes the modulus: integer values are as good modulo another prime, but not modulo
    composite, small or unsuitable numbers."""

    def near(v):
        return v if v < c.prime // 2 else v - c.prime

    if any(abs(near(v)) > 10**6 for row in c.characters for v in row[3]):
        c.prime = rng.choice([c.prime + 2 * c.exponent, 7, 1])
        return
    new = rng.choice(
        [
            1 + c.exponent,
            1 + c.exponent * rng.randrange(1, 60),
            rng.randrange(3, 100),
            rng.choice([31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]),
        ]
    )
    c.characters = [(d, f, t, tuple(near(v) % new for v in w)) for d, f, t, w in c.characters]
    c.prime = new
    resort(c)
    if rc.is_prime(new) and len(group.elements) % new:
        retell(c, group)


def shuffle_rows(rng, c, group):
    """Lists the same characters in another order."""
    order = list(range(len(c.characters)))
    rng.shuffle(order)
    new = {s: i for i, s in enumerate(order)}
    c.characters = [(d, f, new[t], v) for d, f, t, v in (c.characters[s] for s in order)]
    retell(c, group)


def change_generators(rng, c, group):
    """Takes other elements as generators, perhaps of a smaller group."""
    s = rng.randrange(len(c.generators) + 1)
    x = rng.choice(group.elements)
    if s == len(c.generators):
        c.names.append("more")
    c.generators = (
        c.generators + [x]
        if s == len(c.generators)
        else c.generators[:s] + [x] + c.generators[s + 1 :]
    )


def change_name(rng, c, group):
    """Changes a name to a new one, or to another letter's."""
    c.names[rng.randrange(len(c.names))] = rng.choice(
        [*c.names, "", "eps", "a b", "\x1f", "\\", "\x7f"]
    )


def swap_letters(rng, c, group):
    """Exchanges letters: the group is the same, but its elements have other numbers."""
    i, j = rng.randrange(len(c.names)), rng.randrange(len(c.names))
    c.names[i], c.names[j] = c.names[j], c.names[i]
    if rng.random() < 0.5:
        c.generators[i], c.generators[j] = c.generators[j], c.generators[i]


def change_fsa(rng, c, group):
    at = rng.randrange(64)
    c.fsa = c.fsa[:at] + rng.choice("0123456789abcdef") + c.fsa[at + 1 :]


def change_sizes(rng, c, group):
    what = rng.choice(["order", "exponent", "degree", "end"])
    setattr(c, what, max(1, getattr(c, what) + rng.choice([-1, 1])))


def change_irrep(rng, c, group):
    i = rng.randrange(len(c.irreps))
    s, d, b = c.irreps[i]
    c.irreps[i] = rng.choice(
        [
            (s, d, b + 1),
            (s, d, max(0, b - 1)),
            (s, d + 1, b),
            (rng.randrange(len(c.characters)), d, b),
        ]
    )


MEANING = [
    change_value,
    copy_row,
    mix_rows,
    swap_columns,
    change_degree,
    change_indicator,
    change_conjugate,
    change_claim,
    change_hidden,
    change_faithful,
    change_separate,
    change_letters,
    change_class,
    drop_class,
    change_modulus,
    change_generators,
    change_sizes,
    change_irrep,
    shuffle_rows,
    change_name,
    swap_letters,
    change_fsa,
]


def automaton(c, form):
    """Returns the letters of a certificate as an automaton that tracks elements or points, or has
    edges between the points."""
    a = triple.Automaton()
    a.letters, a.image = list(c.names), [list(g) for g in c.generators]
    if form != "edges":
        a.points, a.track = c.degree, None if form == "elements" else 0
        return a
    a.states, a.start = [f"q {p}" for p in range(c.degree)], 0
    a.next = [[g[p] for g in c.generators] for p in range(c.degree)]
    return a


def bound(text, form):
    """Returns the certificate with the hash of an automaton of this form, and the automaton."""
    c = rc.read(text)
    fsa_text = automaton(c, form).text()
    c.fsa = triple.sha256(fsa_text)
    return c.text(), fsa_text


def change_automaton(rng, text, fsa_text):
    """Changes the form or meaning of the automaton; most times the hash is made right."""
    a = triple.read_automaton(fsa_text)
    i, j = rng.randrange(len(a.letters)), rng.randrange(len(a.letters))
    what = rng.choice(
        ("letter", "letters", "name", "start", "form", "labels", "edge", "spelling", "state")
    )
    if what == "letters":
        a.letters[i], a.letters[j] = a.letters[j], a.letters[i]
    elif what == "name":
        a.letters[i] = rng.choice(["new", "a b", "\t"])
    elif what == "labels":
        a.accept = {0}
    elif what == "form":
        a = automaton(rc.read(text), rng.choice(("elements", "points", "edges")))
    elif what == "start" and a.points is None:
        a.start = rng.randrange(len(a.states))
    elif what == "start" and a.track is not None:
        a.track = rng.randrange(a.points)
    elif what == "letter" and a.points is not None:
        a.image[i] = rng.choice(
            [a.image[j], list(range(a.points)), rng.sample(range(a.points), a.points)]
        )
    elif what == "state" and a.points is None:  # an unreachable state
        at = rng.randrange(len(a.states) + 1)
        a.states.insert(at, "unreached")
        a.start += a.start >= at
        a.next = [[q + (q >= at) for q in row] for row in a.next]
        a.next.insert(at, [a.start] * len(a.letters))
    elif a.points is None:
        a.next[rng.randrange(len(a.states))][i] = rng.randrange(len(a.states))
    changed = a.text()
    if what == "spelling":
        changed = changed.replace("\\u001f", rng.choice(["\\u001F", "\\u001f"])).replace(
            "a1", rng.choice(['"a1"', "a1"])
        )
    if rng.random() < 0.8:
        text = text.replace(
            f"\nfsa {triple.sha256(fsa_text)}\n", f"\nfsa {triple.sha256(changed)}\n"
        )
    return text, changed


BYTES = "token", "line", "byte"  # kinds of changes that have no meaning of their own


def change_token(rng, text):
    words = re.split(r"([ \n])", text)
    at = rng.choice([i for i in range(0, len(words), 2) if words[i]])
    other = words[2 * rng.randrange(len(words) // 2)]
    number = int(words[at]) if re.fullmatch("-?[0-9]+", words[at]) else 1
    words[at] = rng.choice(
        [
            other,
            str(number + 1),
            str(max(0, number - 1)),
            "0" + words[at],
            "",
            "-" + words[at],
            str(rng.randrange(20)),
            words[at] + " " + words[at],
        ]
    )
    return "".join(words)


def change_lines(rng, text):
    lines = text.split("\n")[:-1]
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(5)
    if what == 0:
        del lines[i]
    elif what == 4:
        lines.append(rng.choice([lines[i], "", "end 1"]))
    elif what == 1:
        lines.insert(j, lines[i])
    elif what == 2:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines = lines[:i]
    return "\n".join([*lines, ""])


def change_byte(rng, text):
    at = rng.randrange(len(text))
    return rng.choice(
        [
            text[:at] + text[at + 1 :],
            text[:at] + chr(rng.randrange(128)) + text[at + 1 :],
            text[:at] + rng.choice("0123456789 \n") + text[at:],
            text[:at],
        ]
    )


def splice(rng, text, other):
    """Puts the table of one group under the classes of another."""
    at, from_other = text.index("\nprime "), other.index("\nprime ")
    return text[:at] + other[from_other:]


def mutant(rng, text, texts):
    what = rng.random()
    if what < 0.12:
        return "token", change_token(rng, text)
    if what < 0.2:
        return "line", change_lines(rng, text)
    if what < 0.28:
        return "byte", change_byte(rng, text)
    if what < 0.33:
        return "splice", splice(rng, text, rng.choice(texts))
    c = copy.deepcopy(rc.read(text))
    group = rc.group_of(c.degree, tuple(c.generators))
    changes = rng.sample(MEANING, rng.choice([1, 1, 1, 2]))
    for change in changes:
        try:
            change(rng, c, group)
        except (
            ValueError,
            IndexError,
            KeyError,
        ):  # the first change left nothing for the second
            break
    return changes[0].__name__ if len(changes) == 1 else "two changes", c.text()


def verdict(checker, folder, text, fsa_text):
    """Returns True, False, or what is wrong with the answer itself."""
    path, automaton_path = folder / "certificate", folder / "automaton"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    if fsa_text is not None:
        automaton_path.write_bytes(fsa_text.encode("utf-8", "surrogateescape"))
    paths = [str(automaton_path)] * (fsa_text is not None) + [str(path)]
    done = subprocess.run(
        [checker, *paths],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    out = done.stdout.decode()
    if (done.returncode, out) in (
        (1, "s NOT VERIFIED\n"),
        (2, "s UNKNOWN\n"),
    ) and done.stderr.count(b"\n") == 1:
        return False
    try:
        if (
            done.returncode == 0
            and out == rc.verdict_of(text, fsa_text is not None)
            and not done.stderr
        ):
            return True
    except (rc.Malformed, ValueError):
        pass
    return f"status {done.returncode}, output {out!r}, {done.stderr.decode('utf-8', 'replace')!r}"


def main():
    parser = mutant_run.parser(__doc__, 250, 1)
    parser.add_argument("--tool", required=True, type=mutant_run.program)
    args = parser.parse_args()
    begin, passed, failed = time.monotonic(), 0, 0
    tally, bad = collections.Counter(), []

    def judge(what, text, fsa_text, folder):
        nonlocal passed, failed
        right = rc.is_right(text, fsa_text)
        seen = verdict(args.checker, folder, text, fsa_text)
        good = seen is right
        passed, failed = passed + good, failed + (not good)
        tally[
            what, "WRONG" if not good else "right and accepted" if right else "wrong and refused"
        ] += 1
        if not good:
            bad.append((what, f"judged {right}, rep-check {seen}", text))
        return right

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        texts = []
        for name, (degree, generators) in GROUPS.items():
            for letters in "generators", "elements":
                text = subprocess.run(
                    [args.tool, "certificate", letters, str(degree), *generators],
                    stdout=subprocess.PIPE,
                    check=True,
                    text=True,
                ).stdout
                texts.append(text)
                if not judge("original", text, None, folder) or not judge(
                    "original", *bound(text, "elements"), folder
                ):
                    failed += 1
                    print(f"FAILED {name}, {letters}: the certificate itself is wrong")
        rng = random.Random(args.seed)
        made = 0
        while made < args.count * len(texts):
            text, fsa_text = texts[made % len(texts)], None
            if rng.random() < 0.5:
                text, fsa_text = bound(text, rng.choice(("elements", "points", "edges")))
            if fsa_text is not None and rng.random() < 0.4:
                what, (changed, changed_fsa) = "automaton", change_automaton(rng, text, fsa_text)
            else:
                (what, changed), changed_fsa = mutant(rng, text, texts), fsa_text
            if (changed, changed_fsa) != (text, fsa_text):
                made += 1
                judge(what, changed, changed_fsa, folder)
    for (what, outcome), count in sorted(tally.items()):
        print(f"{what}: {outcome} {count}")
    for what, why, text in bad[: mutant_run.SHOWN]:
        print(f"FAILED {what}: {why}\n{text}")
    if args.record:
        mutant_run.record(
            args.record,
            args.seed,
            {k: n for k, n in tally.items() if k[0] not in ("original", *BYTES)},
            begin,
        )
    return mutant_run.close(f"seed {args.seed}, {len(texts)} certificates", passed + failed, failed)


if __name__ == "__main__":
    sys.exit(main())
