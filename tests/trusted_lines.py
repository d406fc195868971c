"""The code lines (neither blank nor comment) that a reader must trust in each checker, and whether
docs/verdicts.md gives the same numbers.

The command check-export is no program of theory/check. What it needs is theory/certify/stock, which
makes the verdict and its line, and every source of the product with a function or a table that a
counted source, or an inline function in a header that it includes, names: the files that the linker
takes. The sources that read --fsa and print the line are not counted: the line has the hash of the
automaton as it was read. Its figures are rounded up to hundreds, since most of these sources change
with the product.

usage: trusted_lines.py             prints the table
       trusted_lines.py --check     exit status 1 unless the table in docs/verdicts.md is this one
"""

import functools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from includes import QUOTED, reached

ROOT = Path(__file__).resolve().parent.parent
CHECK = ROOT / "theory/check"
COQ = ROOT / "theory/coq"
# What lrnn-check-coq is believed for: its theorems' statements with the definitions that they are
# about, and what is linked to the extracted functions. Not read: proofs, which Coq checks; core.ml,
# which `make proofs` compares with what Coq extracts; the parsers, whose guesses are compared with
# the bytes.
COQ_STATEMENTS = ("Ast", "Print", "Spelling", "Automaton", "Model", "Extract")
COQ_THEOREMS = (("Main", "check_files_meaning"), ("Cascade", "check_cascade_files_sound"))
COQ_PROGRAM = ("main", "sha256", "guess")


def code_lines(path):
    return lines_of(path.read_text(encoding="utf-8"), path.suffix)


def lines_of(text, suffix):
    if suffix == ".c":
        return len(code_of(text))
    text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
    return sum(1 for line in text.split("\n") if line.strip())


def code_of(text):
    """Returns the lines of a C text without comments, blank lines and blanks at line ends."""
    text = re.sub(
        r'("(?:[^"\\\n]|\\.)*")|/\*.*?\*/|//[^\n]*', lambda m: m[1] or "", text, flags=re.S
    )
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def common_of(program, common, bound):
    """Returns the files that a program shares with others."""
    if program == "horizon-check":
        return bound[:3]
    return common if program.startswith("lrnn-check") else bound


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
        {program: [*names.split(), *last(program, learned)] for program, names in own.items()},
    )


def last(program, learned):
    """Returns the files of a program that come after those it shares."""
    if program == "horizon-check":
        return [*(n for n in learned if "/" in n), f"learned/{program}"]
    return [program if program.startswith("lrnn") else f"bound/{program}"]


# The library, but for what the check may not include (May include, in the README.md of its folder).
PRODUCT = ("automata", "library", "models", "numeric", "reports", "theory/certify")
STOCK = "theory/certify/stock"
DEFINED = re.compile(r"^(?!static|typedef|extern|#|\s|return)[^\n;{}=]*?\b(f2l_\w+)\s*[(=[;]", re.M)
NAMED = re.compile(r"\bf2l_\w+")


def code_in(path):
    return "\n".join(code_of(path.read_text(encoding="utf-8")))


@functools.cache
def headers_in(name):
    """Returns the headers of the project that a file includes itself."""
    names = QUOTED.findall((ROOT / name).read_text(encoding="utf-8"))
    return [n for n in names if n.endswith(".h") and (ROOT / n).exists()]


def names_in(path):
    """Returns the names in a source and in the inline functions of its headers, whose bodies are
    the indented lines."""
    text = code_in(path)
    inline = "".join(
        line + "\n"
        for name in reached([path.relative_to(ROOT).as_posix()], headers_in)[1:]
        for line in code_in(ROOT / name).split("\n")
        if line.startswith(" ")
    )
    return set(NAMED.findall(text + inline))


def stock_files():
    """Returns the sources that a reader of check-export's verdicts must trust."""
    sources = [path for top in PRODUCT for path in sorted((ROOT / top).rglob("*.c"))]
    defined = {name: path for path in sources for name in DEFINED.findall(code_in(path))}
    found = [path for path in sources if path.parent == ROOT / STOCK]
    for path in found:
        new = {defined[name] for name in names_in(path) if name in defined} - set(found)
        found += sorted(new)
    return found


def stock_row():
    """Returns the row of check-export: its own files are the folder, the claims are the analysis of
    rounding."""
    lines = [0, 0, 0]
    for path in stock_files():
        folder = path.parent.relative_to(ROOT).as_posix()
        lines[2 if folder == STOCK else folder.startswith("theory/")] += code_lines(path)
    shared, claims, own = (-(-n // 100) * 100 for n in lines)
    return (
        f"| `fsa2lrnn check-export` | `{STOCK}/*.c` | {shared} + {claims} + {own} = "
        f"{shared + claims + own} |"
    )


def coq_row():
    """Returns the row of lrnn-check-coq."""
    statements = sum(code_lines(COQ / f"{name}.v") for name in COQ_STATEMENTS)
    for name, theorem in COQ_THEOREMS:
        text = (COQ / f"{name}.v").read_text(encoding="utf-8")
        statement = re.search(rf"^\w+ {theorem} .*?\.\n(?=Proof)", text, re.M | re.S)[0]
        statements += lines_of(statement, ".v")
    program = sum(code_lines(COQ / f"checker/{name}.ml") for name in COQ_PROGRAM)
    names = [f"{name}.v" for name in COQ_STATEMENTS] + [f"{name}.ml" for name in COQ_PROGRAM]
    files = ", ".join(f"`{name}`" for name in names)
    theorems = " and ".join(f"`{theorem}`" for _, theorem in COQ_THEOREMS)
    return (
        f"| `lrnn-check-coq` | {files}, the statements of {theorems} |"
        f" {statements} of Coq + {program} of OCaml = {statements + program} |"
    )


def table():
    common, bound, own = parts()
    reader = ("text", "program", "automaton", "network")
    count = {
        path.relative_to(CHECK).with_suffix("").as_posix(): code_lines(path)
        for path in CHECK.rglob("*.c")
    }
    out = ["| program | its own files | code lines: reader + claims + own |", "|---|---|---|"]
    for program, names in own.items():
        all_have = common_of(program, common, bound)
        shared = sum(count[n] for n in all_have if n in reader)
        claims = sum(count[n] for n in all_have if n not in reader)
        alone = sum(count[n] for n in names)
        files = ", ".join(f"`{n}.c`" for n in names)
        out.append(
            f"| `{program}` | {files} | {shared} + {claims} + {alone} = {shared + claims + alone} |"
        )
    out.append(f"| `rep-check` | `rep-check.c` | {count['rep-check']} |")
    out.append(stock_row())
    out.append(coq_row())
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
