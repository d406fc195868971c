"""Which folder may include which?

Every folder with sources has a README.md with a line that this program reads:

    May include: numeric/base, automata/fsa

It names the other folders whose headers the folder includes directly (`nothing` when there are
none), and it may continue until the next empty line. Folders below tests/ may say `anything`, and
one README there applies to the folders below it. Refused are
- an include of a folder that is not named, and a name that no file uses;
- an include of another folder's impl.h; only a test may do this;
- an include of a room above, in the order of ORDER, and a folder of the product in no room;
- folders that include each other in a circle;
- an include in quotes that names no folder, or no file of the tree, and one of ours in <>;
- a product folder that includes a test;
- anything in theory/check except its own headers, the C library and GMP;
- a call of a module of FLINT without the module's header, in the file or in a header of ours that
  it includes: one of FLINT's headers includes others in one version and not in the next;
- a folder with sources but without README.md or without the line;
- two objects of one archive or program with the same name;
- more than 40 files directly in one folder; more than 25 unless its README.md says why, in a line
that begins with `Large:`. README.md, recorded results and corpora do not count.

usage: layers.py [--root DIR]      prints one line for each fault, exit status 1 if there is one
       layers.py --draw FILE.dot   prints the levels and writes the graph to FILE.dot (and, where
                                   Graphviz is installed, to FILE.svg)
       layers.py --self-test       finds each kind of fault in a small tree, and nothing else"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from includes import reached

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {".c", ".h", ".inc", ".cc", ".cu", ".cuh"}
OBJECTS = {".c", ".cu"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
MAY = re.compile(r"^May include:(.*(?:\n(?!\n).+)*)", re.M)
LARGE = re.compile(r"^Large: \S", re.M)
MANY, TOO_MANY = 25, 40
README = "README.md"
UNCOUNTED = ("reports/results", "tests/fuzz/corpus")
TESTS = ("tests", "cuda/check")
# The rooms of docs/architecture.md from the bottom: a folder includes none of a room above its own.
ORDER = (
    ("include", "numeric"),
    ("automata",),
    ("models/network",),
    ("models/learn", "cuda", "kernels"),
    ("models/doors",),
    ("theory",),
    ("reports",),
    ("library",),
    ("cli",),
    ("examples",),
)
CHECKERS = "theory/check"
CHECKERS_MAY = {"gmp.h", "sys/stat.h", "sys/wait.h", "unistd.h"} | {
    f"{name}.h"
    for name in "assert ctype errno float inttypes limits math signal stdarg stdbool stddef stdint"
    " stdio stdlib string time".split()
}
# A call such as fmpz_mat_init(: every module has a header of its own name.
CALL = re.compile(r"\b([a-z]\w*_\w+)\s*\(")
FLINT = "flint/"
# The objects of one archive or program: its name, the folders, and the files that are left out.
ARCHIVES = [
    (
        "libfsa2lrnn.a",
        ("numeric", "automata", "models", "theory", "cuda", "kernels", "reports", "library"),
        TESTS + (CHECKERS, "cuda/lab"),
    ),
    ("fsa2lrnn", ("cli",), ()),
    ("lrnn-check", (CHECKERS,), ()),
    ("libtest-support.a", ("tests/support",), ()),
]


def below(folder, tops):
    return any(folder == top or folder.startswith(top + "/") for top in tops)


def height(folder):
    """Returns the place of the folder's room in ORDER, None where it is in none."""
    return next((i for i, room in enumerate(ORDER) if below(folder, room)), None)


def names(counted, most=3):
    """Returns the first names of a list, and the number of the others."""
    shown = ", ".join(counted[:most])
    return shown + (f" and {len(counted) - most} more" if len(counted) > most else "")


class Tree:
    """The folders of a tree, what they include and what they may include."""

    def __init__(self, root):
        self.root, self.faults = root, []
        self.counts, self.sources, self.readme = {}, {}, {}
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(
                f for f in folders if f not in ("build", "__pycache__") and not f.startswith(".")
            )
            here = Path(folder).relative_to(root).as_posix()
            self.counts[here] = sum(f != "README.md" and not f.endswith(".pyc") for f in files)
            self.sources[here] = sorted(f for f in files if Path(f).suffix in SOURCES)
            if "README.md" in files:
                self.readme[here] = (Path(folder) / "README.md").read_text(encoding="utf-8")
        self.sources = {folder: files for folder, files in self.sources.items() if files}
        self.edges = {folder: {} for folder in self.sources}
        self.ours, self.flint, self.calls = {}, {}, {}
        for folder, files in self.sources.items():
            for file in files:
                self.read(folder, file)

    def fault(self, where, what):
        self.faults.append(f"{where}: {what}")

    def read(self, folder, file):
        """Reads the includes of a file."""
        path = file if folder == "." else f"{folder}/{file}"
        text = (self.root / path).read_text(encoding="utf-8", errors="replace")
        text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        self.ours[path], self.flint[path] = set(), set()
        self.calls[path] = {
            m.group(1): text.count("\n", 0, m.start()) + 1 for m in CALL.finditer(text)
        }
        for m in INCLUDE.finditer(text):
            where = f"{path}:{text.count(chr(10), 0, m.start()) + 1}"
            quoted, bracketed = m.groups()
            (self.flint if bracketed else self.ours)[path].add(bracketed or quoted)
            if bracketed:
                self.bracketed(where, folder, bracketed)
            elif "/" not in quoted:
                self.fault(where, f'"{quoted}" names no folder')
            elif not (self.root / quoted).is_file() or ".." in Path(quoted).parts:
                self.fault(where, f'"{quoted}" is not a file of this tree')
            else:
                self.quoted(where, folder, quoted)

    def bracketed(self, where, folder, name):
        if "/" in name and (self.root / name).is_file():
            self.fault(where, f"<{name}> is ours: quotation marks")
        if folder == CHECKERS and name not in CHECKERS_MAY:
            self.fault(where, f"<{name}> is neither the C library nor GMP")

    def quoted(self, where, folder, name):
        target = Path(name).parent.as_posix()
        if target == folder:
            return
        if Path(name).name == "impl.h" and not below(folder, TESTS):
            self.fault(where, f'"{name}" is private to its folder')
        self.edges[folder].setdefault(target, []).append(where)

    def may(self, folder):
        """Returns what a folder may include: names, "anything", or None where no README.md says
        it."""
        at = folder
        while True:
            found = MAY.search(self.readme.get(at, ""))
            if found:
                listed = [name.strip() for name in found.group(1).split(",")]
                listed = [name for name in listed if name and name != "nothing"]
                return "anything" if listed == ["anything"] else listed
            if not below(at, ("tests",)) or at == "tests":
                return None
            at = Path(at).parent.as_posix()

    def check_folder(self, folder):
        may, readme = self.may(folder), f"{folder}/README.md"
        if folder not in self.readme and not below(folder, ("tests",)):
            return self.fault(readme, "missing")
        if may is None:
            return self.fault(readme, "no line `May include: ..`")
        if may == "anything":
            if not below(folder, ("tests",)):
                self.fault(readme, "only a test may include anything")
            return None
        for target, where in sorted(self.edges[folder].items()):
            if target not in may:
                self.fault(where[0], f"{folder} may not include {target}")
        for target in may:
            if target not in self.edges[folder]:
                self.fault(readme, f"nothing here includes {target}")
            if below(target, TESTS) and not below(folder, TESTS):
                self.fault(readme, f"{target} is a test")
        if folder == CHECKERS and may:
            self.fault(readme, "a checker shares nothing")
        return None

    def check_order(self):
        for folder in sorted(self.sources):
            if below(folder, TESTS):
                continue
            if height(folder) is None:
                self.fault(folder, "in no room of ORDER")
                continue
            for target, where in sorted(self.edges[folder].items()):
                if (height(target) or 0) > height(folder):
                    self.fault(where[0], f"{folder} is in a room below {target}")

    def check_sizes(self):
        for folder, count in sorted(self.counts.items()):
            if below(folder, UNCOUNTED):
                continue
            if count > TOO_MANY:
                self.fault(folder, f"{count} files, more than {TOO_MANY}")
            elif count > MANY and not LARGE.search(self.readme.get(folder, "")):
                self.fault(folder, f"{count} files, and no README.md that says why (`Large: ..`)")

    def check_objects(self):
        for archive, tops, without in ARCHIVES:
            seen = {}
            for folder, files in sorted(self.sources.items()):
                if not below(folder, tops) or below(folder, without):
                    continue
                for file in files:
                    if Path(file).suffix in OBJECTS:
                        seen.setdefault(Path(file).stem, []).append(f"{folder}/{file}")
            for stem, paths in seen.items():
                if len(paths) > 1:
                    self.fault(paths[1], f"{archive} has {stem}.o already, of {paths[0]}")

    def circles(self):
        """Returns the sets of folders that include each other."""
        number, low, stack, found = {}, {}, [], []

        def visit(folder):
            number[folder] = low[folder] = len(number)
            stack.append(folder)
            for target in sorted(self.edges.get(folder, ())):
                if target not in number:
                    visit(target)
                if target in stack:
                    low[folder] = min(low[folder], low[target])
            if low[folder] == number[folder]:
                at = stack.index(folder)
                if len(stack) - at > 1:
                    found.append(sorted(stack[at:]))
                del stack[at:]

        for folder in sorted(self.edges):
            if folder not in number:
                visit(folder)
        return found

    def headers_of_flint(self, path):
        """Returns the headers of FLINT that a file includes, itself or by headers of ours."""
        files = reached([path], lambda at: self.ours.get(at, ()))
        return {name for at in files for name in self.flint.get(at, ()) if name.startswith(FLINT)}

    def check_flint(self):
        modules = {
            Path(name).stem
            for names in self.flint.values()
            for name in names
            if name.startswith(FLINT) and name != f"{FLINT}flint.h"  # which all of them include
        }
        for path, calls in self.calls.items():
            used = {}
            for call, line in calls.items():
                of = [module for module in modules if call.startswith(f"{module}_")]
                if of:
                    used[max(of, key=len)] = line
            needed = {f"{FLINT}{module}.h": line for module, line in used.items()}
            for header in sorted(needed.keys() - self.headers_of_flint(path)):
                self.fault(f"{path}:{needed[header]}", f"calls need <{header}>")

    def run(self):
        for folder in sorted(self.sources):
            self.check_folder(folder)
        self.check_order()
        self.check_flint()
        for circle in self.circles():
            lines = [
                where[0]
                for folder in circle
                for target, where in sorted(self.edges[folder].items())
                if target in circle
            ]
            self.fault(circle[0], f"a circle with {names(circle[1:])}: see {names(lines)}")
        self.check_sizes()
        self.check_objects()
        return self.faults

    def levels(self):
        """Returns {folder: level} of the product: 0 includes nothing, every other level is above
        all that it includes."""
        level = {}

        def of(folder):
            if folder not in level:
                level[folder] = 1 + max((of(t) for t in self.edges.get(folder, ())), default=-1)
            return level[folder]

        for folder in self.sources:
            if not below(folder, TESTS):
                of(folder)
        return level


def reduced(tree, level):
    """Yields the edges that no longer path replaces."""
    above = {}
    for folder in sorted(level, key=level.get):
        above[folder] = set().union(*({t} | above[t] for t in tree.edges[folder]), set())
    for folder in sorted(level):
        for target in sorted(tree.edges[folder]):
            if not any(target in above[t] for t in tree.edges[folder]):
                yield folder, target


def draw(tree, dot):
    """Prints the levels and writes the graph to the file `dot`."""
    level = tree.levels()
    lines = ["digraph layers {", "  rankdir=BT;", "  node [shape=box, fontname=Helvetica];"]
    for height in range(max(level.values(), default=-1) + 1):
        here = sorted(folder for folder in level if level[folder] == height)
        print(f"{height:3}  {', '.join(here)}")
        lines.append(f"  {{ rank=same; {' '.join(f'{chr(34)}{f}{chr(34)};' for f in here)} }}")
    lines += [f'  "{folder}" -> "{target}";' for folder, target in reduced(tree, level)]
    dot.parent.mkdir(parents=True, exist_ok=True)
    dot.write_text("\n".join(lines + ["}"]) + "\n")
    if shutil.which("dot"):
        svg = dot.with_suffix(".svg")
        subprocess.run(["dot", "-Tsvg", str(dot), "-o", str(svg)], check=True)
        print(f"graph: {dot}, {svg}")
    else:
        print(f"graph: {dot} (Graphviz is not installed: no picture)")


# A tree without faults, and for each kind of fault the files that are written over it.
SOUND = {
    "README.md": "# Title\n",
    "numeric/base/README.md": "# a\n\nMay include: nothing\n",
    "numeric/base/mem.h": "#include <stdlib.h>\n",
    "numeric/base/mem.c": '#include "numeric/base/mem.h"\n/*\n#include "x.h"\n*/\n',
    "models/doors/README.md": "# b\n\nMay include: numeric/base\n",
    "models/doors/impl.h": '#include "numeric/base/mem.h"\n#include <flint/fmpz.h>\n',
    "models/doors/net.c": '#include "models/doors/impl.h"\nvoid f(void) { fmpz_init(x); }\n',
    "cli/README.md": "May include: models/doors,\nnumeric/base\n\nNo name of this: numeric/exact\n",
    "cli/main.c": '#include "models/doors/net.h"\n  #  include "numeric/base/mem.h"\n',
    "models/doors/net.h": "",
    "theory/check/README.md": "May include: nothing\n",
    "theory/check/lrnn-check.c": '#include "theory/check/reader.h"\n#include <gmp.h>\n',
    "theory/check/reader.h": "#include <stdio.h>\n",
    "tests/README.md": "May include: anything\n",
    "tests/unit/models/doors/t_net.c": '#include "models/doors/impl.h"\n',
    "reports/results/README.md": "",
} | {f"reports/results/{i}.json": "" for i in range(TOO_MANY + 1)}


def several(folder, count):
    return {f"{folder}/{i}.txt": "" for i in range(count)}


SEEDED = [
    (
        {"numeric/base/mem.c": '#include "models/doors/net.h"\n'},
        "may not include models/doors",
    ),
    (
        {"models/doors/README.md": "May include: nothing\n"},
        "models/doors may not include numeric/base",
    ),
    (
        {
            "numeric/base/README.md": "May include: models/doors\n",
            "numeric/base/mem.c": '#include "models/doors/net.h"\n',
        },
        "mem.c:1: numeric/base is in a room below models/doors",
    ),
    (
        {
            "theory/compile/README.md": "May include: reports/page\n",
            "theory/compile/rep.c": '#include "reports/page/page.h"\n',
            "reports/page/README.md": "May include: nothing\n",
            "reports/page/page.h": "",
        },
        "rep.c:1: theory/compile is in a room below reports/page",
    ),
    (
        {"python/README.md": "May include: nothing\n", "python/a.c": ""},
        "python: in no room of ORDER",
    ),
    ({"cli/main.c": '#include "models/doors/impl.h"\n'}, "is private to its folder"),
    (
        {
            "numeric/base/README.md": "May include: models/doors\n",
            "numeric/base/mem.c": '#include "models/doors/net.h"\n',
        },
        "models/doors: a circle with numeric/base: see",
    ),
    ({"cli/main.c": '#include "models/doors/net.h"\n'}, "nothing here includes numeric/base"),
    (
        {"models/doors/README.md": "May include: numeric/base, numeric/bas\n"},
        "nothing here includes numeric/bas",
    ),
    ({"numeric/base/mem.c": '#include "mem.h"\n'}, 'mem.c:1: "mem.h" names no folder'),
    (
        {"numeric/base/mem.c": '\n#include "numeric/base/gone.h"\n'},
        'mem.c:2: "numeric/base/gone.h" is not a file of this tree',
    ),
    (
        {"numeric/base/mem.c": '#include "numeric/../models/doors/net.h"\n'},
        "is not a file of this tree",
    ),
    ({"cli/main.c": "#include <models/doors/net.h>\n"}, "<models/doors/net.h> is ours"),
    (
        {
            "models/doors/net.c": '#include "tests/support/x.h"\n',
            "tests/support/x.h": "",
            "models/doors/README.md": "May include: numeric/base, tests/support\n",
        },
        "models/doors/README.md: tests/support is a test",
    ),
    ({"theory/check/reader.h": "#include <jansson.h>\n"}, "neither the C library nor GMP"),
    (
        {
            "theory/check/README.md": "May include: numeric/base\n",
            "theory/check/reader.h": '#include "numeric/base/mem.h"\n',
        },
        "a checker shares nothing",
    ),
    (
        {"theory/check/reader.h": '#include "numeric/base/mem.h"\n'},
        "theory/check may not include numeric/base",
    ),
    (
        {"cli/main.c": '#include <flint/fmpz_mat.h>\n', "cli/q.c": "\nfmpz_mat_init(m);\n"},
        "cli/q.c:2: calls need <flint/fmpz_mat.h>",
    ),
    ({"numeric/exact/q.c": ""}, "numeric/exact/README.md: missing"),
    ({"numeric/base/README.md": "# a\n"}, "no line `May include: ..`"),
    ({"models/doors/README.md": "May include: anything\n"}, "only a test may include anything"),
    (
        {"models/doors/mem.c": ""},
        "numeric/base/mem.c: libfsa2lrnn.a has mem.o already, of models/doors/mem.c",
    ),
    (
        {"cuda/op/README.md": "May include: nothing\n", "cuda/op/net.cu": ""},
        "models/doors/net.c: libfsa2lrnn.a has net.o already, of cuda/op/net.cu",
    ),
    (
        {"cli/run/README.md": "May include: nothing\n", "cli/run/main.c": ""},
        "cli/run/main.c: fsa2lrnn has main.o already, of cli/main.c",
    ),
    (several("docs", TOO_MANY + 1) | {f"docs/{README}": "Large: x\n"}, "docs: 41 files, more than"),
    (several("docs", MANY + 1), "docs: 26 files, and no README.md that says why"),
]


def faults_of(files):
    with tempfile.TemporaryDirectory(prefix="f2l-layers-") as root:
        for name, text in files.items():
            file = Path(root) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Tree(Path(root)).run()


def self_test():
    """Returns the errors of the self-test as text."""
    wrong = [f"sound tree: {fault}" for fault in faults_of(SOUND)]
    large = faults_of(SOUND | several("docs", MANY + 1) | {f"docs/{README}": "Large: x\n"})
    wrong += [f"a large folder that says why: {fault}" for fault in large]
    for change, expected in SEEDED:
        found = faults_of(SOUND | change)
        if not any(expected in fault for fault in found):
            wrong.append(f"{sorted(change)}: not found: {expected}; found: {found}")
    return wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--draw", type=Path, metavar="FILE.dot")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    tree = None if args.self_test else Tree(args.root)
    faults = self_test() if args.self_test else tree.run()
    if faults:
        print("\n".join(faults))
    elif args.draw:
        draw(tree, args.draw)
    else:
        print(f"layers: {len(SEEDED)} seeded faults found" if args.self_test else "layers: ok")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
