"""Faults that a seed chooses: places of the product's C where one small change compiles and may
matter. Many of them change nothing that can be seen, so a person looks at each before it enters
planted.tsv."""

import random
import re
from pathlib import Path

# The checkers have faults of their own, in tests/prop/weak.
ROOMS = "numeric automata models theory cuda reports library cli".split()
LEFT_OUT = ("theory/check", "cuda/check", "cuda/lab")
# (what is changed in a line of a function, what becomes of it)
CHANGES = [
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ 1\b", ""),
    (r" - 1\b", ""),
    (r" \+ ", " - "),
    (r" \+= ", " -= "),
    (r"\b0\b(?![.x])", "1"),
    (r"\b1\b(?![.x])", "2"),
    (r"\bif \((\w[\w>.-]*)\)", r"if (!\1)"),
    (r"\[(\w+)\]\[(\w+)\]", r"[\2][\1]"),
    (r"\[(\w+) \* (\w+) \+ (\w+)\]", r"[\3 * \2 + \1]"),
    (r"^\s+[\w>.\[\]-]+(?: [-+|&]?= [^,?]+|\+\+|\w*(?:clear|free|set)\w*\(.*\));$", ""),
]
DECLARED = re.compile(r"^\s+(?:const |static |unsigned |struct )?\w+ \*?\w+(?: =|\[|,|;)")


def sites(text):
    """Yields (was, becomes) for every change of a line that the text has once."""
    for line in text.splitlines():
        if not line.startswith("    ") or re.search(r'["#*]|//|\bcase\b', line):
            continue
        for pattern, becomes in CHANGES:
            if becomes == "" and pattern.startswith("^") and DECLARED.match(line):
                continue
            for found in re.finditer(pattern, line):
                new = line[: found.start()] + found.expand(becomes) + line[found.end() :]
                if text.count(line.strip()) == 1:
                    yield line.strip(), new.strip()


def suggested(root, count, seed, taken):
    """Returns rows of at most `count` faults, each in another folder, none of which is taken. Rooms
    have turns."""
    chance = random.Random(seed)
    folders = {}
    for room in ROOMS:
        for source in sorted((root / room).rglob("*.c")):
            folder = str(source.parent.relative_to(root))
            if folder not in taken and not folder.startswith(LEFT_OUT):
                folders.setdefault(room, {}).setdefault(folder, []).append(source)
    rows = []
    while len(rows) < count and any(folders.values()):
        for room in [room for room in ROOMS if folders.get(room)]:
            folder = chance.choice(sorted(folders[room]))
            source = chance.choice(folders[room].pop(folder))
            choices = sorted(set(sites(source.read_text())))
            if choices and len(rows) < count:
                was, becomes = chance.choice(choices)
                rows.append((str(source.relative_to(root)), was, becomes, ""))
    return rows
