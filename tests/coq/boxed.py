"""Networks with boxes of codes (theory/pages/decay.md) for coq_check.py: the compiler's for claim
cascade, some written by hand for claim exact, and changes of both.

The automaton by hand knows its last letter and the parity of the ones before it. Its states are
infinitely many: the last letter fades, the parity is a sign, and three numbers are only halved."""

import re
import tempfile
from fractions import Fraction
from pathlib import Path

import decay_mutate
import mutant_run
import mutations

STATES = ["0e", "0o", "1e", "1o"]
CODES = ["1 1", "1 -1", "7 1", "7 -1"]
HEADS = [
    ("key 1 value 1", "initial", "on 1 gate 1 factors 1\nfactor 3/4 u 1:1"),
    (
        "key 2 value 1\nraw",
        "initial 1.1:3/4",
        "on 1 gate 1 factors 1\nfactor 1/8 u 2:2 c 1:1",
    ),
    ("key 1 value 2", "initial 1.1:1/8", "on 1 gate 1/2 factors 0 bias 1.2:1/4"),
]
ONES = [
    "on 2 gate 1 factors 1\nfactor 3/4 u 1:1 c 1:1",
    "on 2 gate 1 factors 2\nfactor 2 u 1:1\nfactor 1/8 u 2:2 c 1:1",
    "on 2 gate 1/2 factors 0 bias 1.2:1/4",
]
ROWS = [(1, 1, "1 2"), (4, 4, "3 4"), (2, 2, "3 4"), (3, 3, "1 2")]
NEAR = [
    Fraction(x)
    for x in ("0", "0", "1/16", "-1/16", "1/64", "-1/64", "1/4", "-1/2", "1", "-1/100000")
]


def layer_lines(step):
    """Returns the lines of the layer with boxes; step: it decodes by letter and code."""
    out = [f"layer 1 letters 2 heads 3 codes 4 symbols 4 decode {'step' if step else 'state'}"]
    for number, ((size, initial, zero), one) in enumerate(zip(HEADS, ONES), 1):
        out += [f"head {number} {size}", initial, zero, one]
    for number, code in enumerate(CODES, 1):
        last, sign = map(int, code.split())
        symbol = "*" if step else number
        parity = Fraction(3 * sign, 4)
        out.append(f"code {number} {symbol} 1.1:{last}/8 ; 1.1:{parity} 2.1:1/2 ; 1.2:1/2")
    for number, code in enumerate(CODES, 1):
        last = "0,1/4" if code[0] == "1" else "3/4,1"
        sign = "-1,-1/2" if "-" in code else "1/2,1"
        out.append(f"box {number} 1.1:{last} ; 1.1:{sign} 2.1:0,1 ; 1.1:-1/8,1/8 1.2:0,1")
    return out + ["yield 1 1 1", "yield 1 2 2", "yield 2 3 3", "yield 2 4 4"] * step


def repeated_lines():
    """Returns the lines of a layer without boxes that hands on what it reads."""
    out = ["layer 2 letters 4 heads 1 codes 4 symbols 4 decode state", "head 1 key 1 value 1"]
    out += ["initial 1.1:1"]
    for x in range(1, 5):
        out += [f"on {x} gate 1 factors 1", f"factor 1 u 1:1 c 1:{x}"]
    return out + [f"code {x} {x} 1.1:{x}" for x in range(1, 5)]


def by_hand(step=False, twice=False, classes=False):
    """Returns a triple of claim exact; twice: a second layer; classes: a third letter like 1."""
    letters = ["0", "1", "2"] if classes else ["0", "1"]
    edges = [
        f"{q} {x} {x.replace('2', '1')}{q[1] if x == '0' else 'eo'[q[1] == 'e']}"
        for q in STATES
        for x in letters
    ]
    head = [f"letters {' '.join(letters)}", f"states {' '.join(STATES)}", "start 0e"]
    fsa = "\n".join(["fsa 1", *head, *edges]) + "\n"
    lines = ["lrnn 2", "fsa 0", "field Q", "label states", f"letters {len(letters)}"]
    lines += [f"letter {x}" for x in letters] + ["letter-classes 2 1 2 2"] * classes
    lines += ["labels 4", *(f"symbol {q}" for q in STATES), "start 1", f"layers {1 + twice}"]
    lines += layer_lines(step) + (repeated_lines() if twice else []) + ["end", ""]
    cert = ["lrnn-certificate 2", "fsa 0", "network 0", "claim exact"]
    cert += [f"size layers {1 + twice} heads 3 householders 2 key 2 value 2"]
    cert += ["letters 2 states 4 rows 4"]
    for number, (state, code, following) in enumerate(ROWS, 1):
        codes = f"{code} {code}" if twice else code
        cert.append(f"row {number} state {state} codes {codes} next {following}")
    return mutations.rehash(fsa, "\n".join(lines), "\n".join([*cert, "end 4", "sha256 0", ""]))


def unchanged(tool):
    """Returns the triples, as {name: texts}."""
    out = {
        "boxes by hand": by_hand(),
        "boxes by hand, step": by_hand(step=True),
        "boxes by hand, two layers": by_hand(twice=True),
        "boxes by hand, classes": by_hand(step=True, twice=True, classes=True),
    }
    with tempfile.TemporaryDirectory() as folder:
        for grammar in decay_mutate.GRAMMARS:
            base = decay_mutate.Base(tool, grammar, Path(folder))
            if "\nbox " in base.lrnn:
                out[f"boxes of {grammar}"] = base.fsa, base.lrnn, base.cert
    return out


# --- changes: (rng, text of the network), the changed text ---


def some_line(rng, text, words):
    """Returns the number of a line that begins with one of the words, and all lines."""
    lines = text.split("\n")
    return rng.choice([i for i, line in enumerate(lines) if re.match(words, line)]), lines


def number(rng, text):
    """Changes one number of a weight, a code, a box or the first state."""
    at, lines = some_line(rng, text, "box|code|factor|initial .|on .* gate")
    found = list(re.finditer(r"(?<=[:, ])-?\d+(/\d+)?(?=[ ,]|$)", lines[at]))
    if found:
        m = rng.choice(found)
        new = Fraction(m[0]) + rng.choice(NEAR)
        lines[at] = f"{lines[at][: m.start()]}{new}{lines[at][m.end() :]}"
    return "\n".join(lines)


def interval(rng, text):
    """Changes an interval wherever it occurs."""
    at, lines = some_line(rng, text, "box")
    old = rng.choice(re.findall(r" \S+:\S+", lines[at]))
    place, ends = old.split(":")
    low, high = (Fraction(x) + rng.choice(NEAR) for x in ends.split(","))
    return re.sub(f"{re.escape(old)}(?=[ \n])", f"{place}:{low},{high}", text)


def lost(rng, text):
    """Leaves out all boxes, or one."""
    if rng.random() < 0.5:
        return re.sub("^box .*\n", "", text, flags=re.M)
    at, lines = some_line(rng, text, "box")
    return "\n".join(lines[:at] + lines[at + 1 :])


def exchanged(rng, text):
    """Exchanges the boxes of two codes."""
    (at, lines), (other, _) = some_line(rng, text, "box"), some_line(rng, text, "box")
    (a, x), (b, y) = (lines[i].split(" 1.1", 1) for i in (at, other))
    lines[at], lines[other] = f"{a} 1.1{y}", f"{b} 1.1{x}"
    return "\n".join(lines)


def two_entries(rng, text):
    """Gives a key a second entry."""
    at, lines = some_line(rng, text, "factor")
    lines[at] = re.sub("u 1:1", "u 1:1 2:1", lines[at])
    return "\n".join(lines)


def scaled(rng, text):
    """Multiplies a key and its value by a number, which changes nothing but in a raw head."""
    at, lines = some_line(rng, text, "factor")
    by = rng.choice((Fraction(2), Fraction(1, 3), Fraction(-1)))
    before, after = lines[at].split(" u ")
    after = re.sub(r"(?<=:)\S+", lambda m: str(by * Fraction(m[0])), after)
    lines[at] = f"{before} u {after}"
    return "\n".join(lines)


CHANGES = [number, number, interval, interval, lost, exchanged, two_entries, scaled]


def mutant_of(texts):
    """Returns a function of a random generator that changes the meaning of the triple, and returns
    (kind, three texts) or None."""
    fsa, lrnn, cert = texts
    compiled = "\nclaim cascade\n" in cert

    def mutant(rng):
        how = rng.random()
        if how < 0.2:
            where = rng.choice(list(mutant_run.TEXT_CHANGES))
            return mutant_run.changed_text(rng, where, texts, rng.randrange(3))
        if how < 0.6 and compiled:
            change = rng.choice(decay_mutate.CHANGES)
            before, layers = decay_mutate.read_network(lrnn)
            changed = change(rng, layers) and decay_mutate.text_of(before, layers)
        else:
            change = rng.choice(CHANGES)
            changed = change(rng, lrnn)
        if not changed or changed == lrnn:
            return None
        return f"boxes: {change.__name__}", mutations.rehash(fsa, changed, cert)

    return mutant
