"""How many functions share their name with another function, and is a name in too many files?

Counted are the functions that C and CUDA files outside tests define. Two measures are printed: the
share of definitions that repeat a name (all but the first of each name), and the share whose name
occurs more than once. Two forms of a function in one file (#if and #else) count once. The functions
that an included *.inc calls do not count, because it chose their names.

Refused are a name that more than five files define, and a tree in which more than 8 % repeat a
name. The names in theory/check count, but are not refused: code there changes only together with
its recorded campaign.

The record (by the first measure FLINT has 3 %, Kissat 1 %):
    2026-11-29, d25343f0: of 9,970 functions 23.5 % repeat a name, 33.1 % share one
    2026-11-29, renamed:  of 9,867 functions  1.3 % repeat a name,  2.5 % share one

usage: names.py [--root DIR]     prints each fault, exit status 1 if there is one
       names.py --list           prints the names that several files define, with these files
       names.py --self-test      finds each kind of fault in a small tree, and nothing else"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from code_lines import C_FILES, C_TOKEN, NOT_PRODUCT

ROOT = Path(__file__).resolve().parent.parent
TOPS = "numeric automata models theory cuda reports library cli".split()
UNCHANGED = "theory/check/"
MANY = 5
MOST, FEW = 0.08, 100  # the share that may repeat a name; trees of fewer functions may repeat more
# clang-format begins a definition in column 0, and puts its brace on a line of its own.
PARAMETERS = r"\((?:[^(){};]|\((?:[^()]|\([^()]*\))*\))*\)"
DEFINITION = re.compile(
    rf"^(?![ \n}}])(?:[^;{{}}()]|\([^()]*\))*?\b(\w+){PARAMETERS}\s*\n\{{", re.M
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
TEMPLATE = re.compile(r'^#include "([^"\n]+\.inc)"', re.M)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def code(text):
    """Returns a text of C without comments, strings and directives."""
    return DIRECTIVE.sub(blank, C_TOKEN.sub(blank, text))


def functions(root, text):
    """Returns the names of the functions of a file that it chose itself."""
    defined = set(DEFINITION.findall(code(text)))
    for name in TEMPLATE.findall(text):
        template = root / name
        if defined and template.is_file():
            defined -= set(re.findall(r"\w+", code(template.read_text(encoding="utf-8"))))
    return defined


def definitions(root):
    """Returns {name: the files that define it}."""
    found = {}
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            file = path.relative_to(root).as_posix()
            if file.endswith(C_FILES) and not file.startswith(NOT_PRODUCT):
                for name in functions(root, path.read_text(encoding="utf-8")):
                    found.setdefault(name, []).append(file)
    return found


def shares(found):
    """Returns the number of definitions, and the shares that repeat a name and that share one."""
    counts = [len(files) for files in found.values()]
    total = sum(counts)
    shared = sum(count for count in counts if count > 1)
    return total, (total - len(counts)) / max(total, 1), shared / max(total, 1)


def faults(found):
    total, repeat, _ = shares(found)
    share = [f"tests/names.py: {repeat:.1%} of {total} functions repeat a name, not {MOST:.0%}"]
    return (share if repeat > MOST and total >= FEW else []) + [
        f"{files[MANY]}: {name} is the name of a function in {len(files)} files, more than {MANY}"
        for name, files in sorted(
            (name, [file for file in files if not file.startswith(UNCHANGED)])
            for name, files in found.items()
        )
        if len(files) > MANY and name != "main"
    ]


def many(name, count, folder="models/net"):
    return {f"{folder}/{i}.c": f"static int {name}(void)\n{{\n}}\n" for i in range(count)}


# Files, the definitions in them that share a name, and the fault or None.
CASES = [
    (many("run", MANY), MANY, None),
    (many("run", MANY + 1), MANY + 1, "models/net/5.c: run is the name of a function in 6 files"),
    (many("run", MANY + 1, "theory/check"), MANY + 1, None),
    (many("run", MANY + 1, "cuda/lab"), 0, None),
    (many("main", MANY + 1), MANY + 1, None),
    (
        {f"cli/{i}.c": f"int f{i % 90}(int a)\n{{\n}}\n" for i in range(FEW)},
        2 * (FEW - 90),
        "10.0% of 100 functions repeat a name, not 8%",
    ),
    (
        {
            "models/a.c": "#if X\nstatic void f(int (*g)(int, void *),\n         int b)\n{\n}\n"
            "#else\nstatic void f(int b)\n{\n}\n#endif\n/*\nvoid h(void)\n{\n*/\n",
            "models/b.cu": "template <int N> __global__ void __launch_bounds__(128) f(int b)\n{\n"
            '    h("x");\n}\nvoid f(int b);\n',
            "models/c.h": "#define h(x)                                    \\\n    x(y)\n"
            "struct h(z)\n{\n}\nINLINE const char *g(void)\n{\n}\n",
        },
        2,
        None,
    ),
    (
        {"models/walk.inc": "WALK int go(int);\nint walk(int a)\n{\n    return go(a);\n}\n"}
        | {f"models/{i}.c": '#include "models/walk.inc"\nint go(int a)\n{\n}\n' for i in range(9)},
        0,
        None,
    ),
]


def self_test():
    """Returns the errors of the self-test as text."""
    wrong = []
    for tree, shared, expected in CASES:
        with tempfile.TemporaryDirectory(prefix="f2l-names-") as root:
            for name, text in tree.items():
                file = Path(root) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            found = definitions(Path(root))
            total, _, part = shares(found)
            if round(part * total) != shared:
                wrong.append(f"{sorted(tree)}: {part * total:.0f} share a name, not {shared}")
            got = faults(found)
            if len(got) != (expected is not None) or (got and expected not in got[0]):
                wrong.append(f"{sorted(tree)}: found {got}, expected {expected}")
    return wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    found = {} if args.self_test else definitions(args.root)
    if args.list:
        for name, files in sorted(found.items(), key=lambda of: -len(of[1])):
            if len(files) > 1:
                print(f"{len(files):3} {name}: {' '.join(files)}")
        return 0
    wrong = self_test() if args.self_test else faults(found)
    if wrong:
        print("\n".join(wrong))
    elif args.self_test:
        print(f"names: {len(CASES)} small trees judged")
    if found:
        total, repeat, shared = shares(found)
        print(f"names: of {total:,} functions {repeat:.1%} repeat a name, {shared:.1%} share one")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
