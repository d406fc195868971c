"""Automata of all sizes for the pages: folders that hold an automaton and no network."""

import json
import random
from itertools import product


ONES = [c for c in map(chr, range(0x61, 0x500)) if c.isalpha()]


def names(letter, count, size):
    """Returns different names of this length, or of one character each."""
    if size == 1:
        return ONES[:count] if letter == "l" else ONES[-count:]
    middle = "of_a_rather_long_name_that_somebody_uses"
    return [f"{letter}{i}_{middle}"[:size] if size > 4 else f"{letter}{i}" for i in range(count)]


def protocol(dice, states, letters):
    """Returns a table that leads forward, stays, goes back to the start, and falls into a sink."""
    table = []
    for q in range(states):
        row = [q] * letters
        for a in dice.sample(range(letters), min(letters, 3)):
            row[a] = dice.choice([min(q + 1, states - 1), min(q + 2, states - 1), 0])
        table.append(row)
    table[-1] = [states - 1] * letters
    return table


def mixed(dice, states, letters):
    """Returns a table whose rows have as many different states as they can."""
    return [[dice.randrange(states) for _ in range(letters)] for _ in range(states)]


def layered(dice, states, letters):
    """Returns a table without cycles but loops at its end: a component for each state."""
    return [[min(q + dice.randint(1, 12), states - 1) for _ in range(letters)]
            for q in range(states)]


def group(dice, states, letters):
    """Returns a table of rotations of a ring."""
    return [[(q + a) % states for a in range(letters)] for q in range(states)]


# Kind, states, letters, characters of a name.
CASES = [
    (protocol, 2, 1, 1), (mixed, 2, 100, 40), (protocol, 12, 10, 8), (protocol, 12, 3, 40),
    (protocol, 12, 100, 40), (mixed, 20, 8, 1), (group, 20, 20, 40), (protocol, 20, 10, 8),
    (mixed, 20, 100, 1), (protocol, 60, 4, 1), (protocol, 60, 100, 40), (mixed, 60, 30, 8),
    (group, 60, 2, 8), (protocol, 300, 10, 40), (layered, 300, 100, 1), (group, 300, 1, 8),
]


def write(folder, kind, states, letters, size):
    """Writes automaton.fsa and report.json into the folder; returns how many edges the automaton
    has, parallel ones merged."""
    dice = random.Random(f"{kind.__name__} {states} {letters} {size}")
    table = kind(dice, states, letters)
    reached = [0]
    for q in reached:
        reached += dict.fromkeys(to for to in table[q] if to not in reached)
    state = dict(zip(reached, names("q", len(reached), size)))
    letter = names("l", letters, size)
    lines = ["fsa 1", "letters " + " ".join(letter), "states " + " ".join(state.values())]
    lines += [f"start {state[0]}", f"accept {state[reached[-1]]}"]
    lines += [f"{state[q]} {letter[a]} {state[table[q][a]]}"
              for q, a in product(reached, range(letters))]
    folder.mkdir()
    (folder / "automaton.fsa").write_text("\n".join(lines) + "\n")
    record = {"report": "compile", "exact": {"verdict": "VERIFIED"}}
    record["automaton"] = {"name": folder.name, "states": len(reached), "letters": letters}
    (folder / "report.json").write_text(json.dumps(record))
    return sum(len(set(table[q])) for q in reached)
