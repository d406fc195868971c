"""The code lines (neither blank nor comment) that a reader must trust in each checker, and whether
docs/verdicts.md gives the same numbers.

usage: trusted_lines.py             prints the table
       trusted_lines.py --check     exit status 1 unless the table in docs/verdicts.md is this one
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECK = ROOT / "theory/check"


def code_lines(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
    return sum(1 for line in text.split("\n") if line.strip())


def parts():
    """Returns {program: its own files} and the files that all programs have, as the Makefile names
    them."""
    make = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    own = dict(re.findall(r"^CHECK_PARTS_(\S+) :=(.*)$", make, re.M))
    common = re.search(r"^CHECK_COMMON := (.*)$", make, re.M)[1].split()
    return common, {program: [*names.split(), program] for program, names in own.items()}


def table():
    common, own = parts()
    reader = ("text", "automaton", "network")
    count = {path.stem: code_lines(path) for path in CHECK.glob("*.c")}
    shared, claims = sum(count[n] for n in reader), sum(count[n] for n in common if n not in reader)
    out = ["| program | its own files | code lines: reader + claims + own |", "|---|---|---|"]
    for program, names in own.items():
        alone = sum(count[n] for n in names)
        files = ", ".join(f"`{n}.c`" for n in names)
        out.append(
            f"| `{program}` | {files} | {shared} + {claims} + {alone} = {shared + claims + alone} |"
        )
    out.append(f"| `rep-check` | `rep-check.c` | {count['rep-check']} |")
    return "\n".join(out) + "\n"


def main():
    if sys.argv[1:] != ["--check"]:
        print(table(), end="")
        return 0
    if table() in (ROOT / "docs/verdicts.md").read_text(encoding="utf-8"):
        return 0
    print(
        "docs/verdicts.md does not have this table of the checkers' code lines:\n" + table(),
        end="",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
