"""Regular languages of the subregular classes, written from the definitions of the classes, as
AT&T text: the same automata on every machine.

    python3 tests/corpora/languages.py FOLDER [COUNT]

A language is a Boolean combination of observers, each a small deterministic automaton:

- SL, TSL: no forbidden factor of length k occurs (TSL: among the letters of a tier).
- coSL, TcoSL: the complements: one of the factors occurs.
- SP, coSP: no forbidden subsequence occurs; one occurs.
- LT, TLT: a Boolean combination of `the factor occurs`; PT: of `the subsequence occurs`.
- LTT, TLTT: of `the factor occurs at least t times`.
- PLT, TPLT: of `the factors occur one after the other`.
- SF: brackets nested at most d deep, and a condition on the last letter: star-free.
- Zp: the number of some letters is r modulo p; Reg: that, and a language of LT.

The names are LETTERS-CLASS-NUMBER.att. A file has no edges into its rejecting sink, as acceptors
of other collections have none.
"""

import random
import sys
from pathlib import Path

CLASSES = "SL coSL TSL TcoSL SP coSP LT TLT PT LTT TLTT PLT TPLT SF Zp Reg".split()
STAR_FREE = set(CLASSES) - {"Zp", "Reg"}
J_TRIVIAL = {"SP", "coSP", "PT"}
# What each class is inside of, by the names that `classify` has (FC of theory/pages/finer.md): a
# language of the class is in it. The classes with T are about the letters of a tier; the others are
# neutral.
INSIDE = {
    **dict.fromkeys(("SL", "coSL", "LT"), "locally-testable"),
    **dict.fromkeys(("TSL", "TcoSL", "TLT"), "tier-locally-testable"),
    **dict.fromkeys(("SP", "coSP", "PT"), "j-trivial"),
    "LTT": "locally-threshold-testable",
    "TLTT": "tier-locally-threshold-testable",
    "PLT": "dot-depth-one",
    "TPLT": "tier-dot-depth-one",
    "SF": "star-free",
}
OUTSIDE = dict.fromkeys(("Zp", "Reg"), "star-free")
SIZES = (4, 16, 64)
COUNT = 60


class Observer:
    """A deterministic automaton: a start state, a step, and which states say yes."""

    def __init__(self, start, step, says):
        self.start, self.step, self.says = start, step, says


def counting(factor, times):
    """Returns an observer of whether the factor occurs at least `times` times."""
    k = len(factor)

    def step(state, letter):
        last, seen = state
        last = (*last, letter)[-k:]
        seen = min(times, seen + (last == factor))
        return ((), seen) if seen == times else (last[-(k - 1) :] if k > 1 else (), seen)

    return Observer(((), 0), step, lambda state: state[1] == times)


def following(factors):
    """Returns an observer of whether the factors occur one after the other; letters are factors of
    length 1, so that this is also the observer of a subsequence."""

    def step(state, letter):
        at, last = state
        if at == len(factors):
            return state
        last = (*last, letter)[-len(factors[at]) :]
        if last == factors[at]:
            return (at + 1, ())
        keep = len(factors[at]) - 1
        return (at, last[-keep:] if keep else ())

    return Observer((0, ()), step, lambda state: state[0] == len(factors))


def on_tier(observer, tier):
    """Returns an observer that reads the letters of the tier alone."""

    def step(state, letter):
        return observer.step(state, letter) if letter in tier else state

    return Observer(observer.start, step, observer.says)


def nested(opening, closing, depth):
    """Returns an observer of brackets that are nested at most `depth` deep and all closed."""

    def step(state, letter):
        if letter in opening and state is not None:
            return state + 1 if state < depth else None
        if letter in closing and state is not None:
            return state - 1 if state > 0 else None
        return state

    return Observer(0, step, lambda state: state == 0)


def last_in(letters):
    return Observer(False, lambda state, letter: letter in letters, lambda state: state)


def modulo(letters, p, r):
    return Observer(0, lambda s, letter: (s + (letter in letters)) % p, lambda state: state == r)


def combined(observers, formula):
    """Returns an observer of a Boolean function of what the observers say."""

    def step(state, letter):
        return tuple(o.step(s, letter) for o, s in zip(observers, state))

    def says(state):
        return formula([o.says(s) for o, s in zip(observers, state)])

    return Observer(tuple(o.start for o in observers), step, says)


def random_formula(dice, count):
    """Returns a function of `count` truths that depends on all of them."""
    signs = [dice.random() < 0.5 for _ in range(count)]
    parity = dice.random() < 0.3

    def formula(values):
        turned = [v != s for v, s in zip(values, signs)]
        if parity:
            return sum(turned) % 2 == 1
        return turned[0] and any(turned[1:]) if count > 1 else turned[0]

    return formula


def word(dice, letters, k):
    return tuple(dice.choice(letters) for _ in range(k))


def make_observer(name, letters, dice):
    """Returns the observer of a language of the class."""
    tier = sorted(dice.sample(letters, max(2, len(letters) // 2)))
    # All factors are of few letters, or nothing would ever happen among 64 of them.
    among = tier if name.startswith("T") else letters
    few = dice.sample(among, min(3, len(among)))
    base = name.removeprefix("T").removeprefix("co")
    if base == "SL":
        parts = [counting(word(dice, few, 2), 1) for _ in range(2)]
    elif base == "SP":
        parts = [following([(x,) for x in word(dice, few, 3)])]
    elif base == "LT":
        parts = [counting(word(dice, few, 2), 1) for _ in range(2)]
    elif base == "PT":
        parts = [following([(x,) for x in word(dice, few, 2)]) for _ in range(2)]
    elif base == "LTT":
        parts = [counting(word(dice, few, 2), 2), counting(word(dice, few, 1), 1)]
    elif base == "PLT":
        parts = [following([word(dice, few, 2), word(dice, few, 1)])]
    elif base == "SF":
        parts = [nested(few[:1], few[1:2], 2), last_in(few[:2])]
    else:
        parts = [modulo(few[:2], dice.choice((2, 3)), 1)]
        parts += [counting(word(dice, few, 2), 1)] if base == "Reg" else []
    if name.startswith("T"):
        parts = [on_tier(part, tier) for part in parts]
    if base in ("SL", "SP"):
        occurs = name.removeprefix("T").startswith("co")
        return combined(parts, lambda values: any(values) == occurs)
    if base in ("SF", "Zp", "Reg"):
        return combined(parts, all)
    return combined(parts, random_formula(dice, len(parts)))


def explored(observer, letters):
    """Returns (next[state][letter], accepting) of the reachable states, from the start 0 on."""
    number, todo, rows = {observer.start: 0}, [observer.start], []
    for state in todo:
        row = []
        for letter in letters:
            after = observer.step(state, letter)
            if after not in number:
                number[after] = len(number)
                todo.append(after)
            row.append(number[after])
        rows.append(row)
    return rows, {number[s] for s in todo if observer.says(s)}


def is_proper(rows, accepting):
    """Returns whether both answers can still come after some word, and come."""
    return 0 < len(accepting) < len(rows)


def living(rows, accepting):
    """Returns the states from which an accepting one can be reached."""
    alive = set(accepting)
    grows = True
    while grows:
        more = {p for p, row in enumerate(rows) if p not in alive and alive.intersection(row)}
        alive |= more
        grows = bool(more)
    return alive


def att(rows, accepting, letters):
    """Returns the automaton as AT&T text, without the edges into a rejecting sink."""
    alive = living(rows, accepting)
    lines = [
        f"{p}\t{q}\t{a}\t{a}"
        for p, row in enumerate(rows)
        for a, q in zip(letters, row)
        if p in alive and q in alive
    ]
    return "\n".join([*lines, *map(str, sorted(accepting))]) + "\n"


def languages(count=COUNT):
    """Yields (name, text): the classes in turn, each time with other letters."""
    for k in range(count):
        name, size = CLASSES[k % len(CLASSES)], SIZES[k // len(CLASSES) % len(SIZES)]
        letters = [f"{chr(97 + i % 26)}{i // 26 or ''}" for i in range(size)]
        for attempt in range(100):
            observer = make_observer(name, letters, random.Random(f"{name} {k} {attempt}"))
            rows, accepting = explored(observer, letters)
            if is_proper(rows, accepting) and 0 in living(rows, accepting):
                break
        yield f"{size:02}-{name}-{k}.att", att(rows, accepting, letters)


def write(folder, count=COUNT):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in languages(count):
        (folder / name).write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else COUNT)
