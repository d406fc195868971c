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
    """Returns the files that lrnn-check and its companions share, those that the checkers of lower
    bounds share, and {program: its own files}, as the Makefile names them."""
    make = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    own = dict(re.findall(r"^CHECK_PARTS_(\S+) :=(.*)$", make, re.M))
    common, bound, learned = (
        re.search(rf"^{name} := (.*)$", make, re.M)[1].split()
        for name in ("CHECK_COMMON", "CHECK_BOUND", "CHECK_LEARNED")
    )
    return (
        common,
        bound,
        {
            program: [*names.split(), *last(program, learned)]
            for program, names in own.items()
        },
    )


def last(program, learned):
    """Returns the files of a program that come after those it shares."""
    if program == "horizon-check":
        return [*(n for n in learned if "/" in n), f"learned/{program}"]
    return [program if program.startswith("lrnn") else f"bound/{program}"]


def table():
    common, bound, own = parts()
    reader = ("text", "program", "automaton", "network")
    count = {
        path.relative_to(CHECK).with_suffix("").as_posix(): code_lines(path)
        for path in CHECK.rglob("*.c")
    }
    out = ["| program | its own files | code lines: reader + claims + own |", "|---|---|---|"]
    for program, names in own.items():
        all_have = common if program.startswith("lrnn-check") else bound
        if program == "horizon-check":
            all_have = bound[:3]
        shared = sum(count[n] for n in all_have if n in reader)
        claims = sum(count[n] for n in all_have if n not in reader)
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
