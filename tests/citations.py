"""Do links and citations lead somewhere?

Statements are the bold numbers of theory/pages/*.md (`**T3.2 (colouring).**`, `- **T1**:`) and the
numbers in the title of a page (`# G: ..`). Checked are *.md as a whole, comments and strings of C,
CUDA and Python, the man pages of docs/man, and *.json of reports/. Refused are
- a relative link of a *.md whose file or heading does not exist;
- a name that ends in .md and is no file, seen from the root, from theory/pages/ or from the folder
of the file that has it;
- a citation with its page (`theory/pages/t4.md, T4.10 and T4.2`, `T4.2 of theory/pages/t4.md`)
whose statement this page does not have;
- a number that no page has, though others of its kind exist (`T4.99`, `R9`);
- a statement that two pages have, and a page or statement that theory/pages/index.md does not list.
Whether a statement supports the text that cites it is not checked.
The blocks of a recipe in docs/recipes.md are text of other files, which need not exist.

usage: citations.py [--root DIR]      prints one line for each fault, exit status 1 if there is one
       citations.py --self-test       finds each kind of fault in a small tree, and nothing else"""

import argparse
import io
import os
import re
import sys
import tempfile
import tokenize
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {".c", ".h", ".inc", ".cc", ".cu", ".cuh"}
NUMBER = r"[A-Z]{1,2}(?:\d+|\.\d+)(?:\.\d+)*(?:[a-z]\b|'(?!\w))?"
# A number by itself: no identifier, path, format or formula continues before it or after it.
ALONE = re.compile(rf"(?<![\w.\-/\\^+*%&=`\[]){NUMBER}(?![\w^*=\[(`]|/\w|\.\w|-\w| roots)")
DEFINED = re.compile(rf"^(?:- )?\*\*({NUMBER}|[A-Z](?=\.))(?: ?\([^*]*\))?\.?\*\*", re.M)
TITLE = re.compile(r"# ((?:[A-Z]{1,2}\d*(?:, )?)+):")
LINK = re.compile(r"\]\(([^)\s]+)\)")
WRITTEN = "report.md"  # a file that the program writes
PAGE = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[\w-]+\.md)\b(?!\.\w)")
AND = r"(?:[,;]\s+|\s+(?:and|to|-)\s+)"
BEHIND = re.compile(rf"\)?,?\s+\(?((?:{NUMBER}(?: \([a-z]\))?{AND}?)+)")
BEFORE = re.compile(rf"((?:{NUMBER}{AND})*{NUMBER})\s+(?:of|in)\s+\[?$")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
# A block of a recipe that is the text of another file, or an edit of it.
RECIPE = re.compile(r"^( *)```\w+ (\S+)\n.*?^\1```$", re.M | re.S)
LISTED = re.compile(r"^\| \[[^]]*\]\(([^)]*)\) \| ([^|]*) \|", re.M)

# What looks like a statement of ours but is not, and the files where it occurs.
FOREIGN = [
    (r"F(16|32|64)", "*"),  # types of numbers in safetensors files
    (r"F33", "tests/cli/*"),  # such a type, misspelt on purpose
    (r"H[12]00s?", "*"),  # GPUs
    (r"T(6|10|12)", "*"),  # the automaton of all maps of n points
    (r"D[3456]|F20", "tests/*"),  # dihedral groups, a Frobenius group
    (r"R0", "tests/*"),  # an output of a sample automaton
    (r"F401", "tests/clients/*"),  # a rule of a Python linter
]


def files(root):
    """Yields the files that are checked, relative to the root. This one is not, because its
    self-test holds wrong citations."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f != "build" and not f.startswith("."))
        here = Path(folder).relative_to(root)
        for name in sorted(names):
            suffix, data = Path(name).suffix, here.parts[:1] == ("reports",)
            if (
                suffix in SOURCES | {".md", ".py"}
                or (suffix == ".json" and data)
                or here == Path("docs/man")
            ) and here / name != Path("tests/citations.py"):
                yield here / name


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def c_prose(text):
    """Returns comments and strings of C, with everything else blank; neighbouring strings and the
    lines of a comment are joined."""
    token = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
    out, last = [], 0
    for m in token.finditer(text):
        out += [
            blank(text[last : m.start()]),
            blank(m.group()) if m.group()[0] == "'" else m.group(),
        ]
        last = m.end()
    joined = re.sub(r"\n[ \t]*\* ", lambda m: "\n" + blank(m.group()[1:]), "".join(out))
    return re.sub(r"\\n\"|\"[ \t\n]*\"", lambda m: blank(m.group()), joined)


def python_prose(text):
    """Returns comments and strings of Python, with everything else blank."""
    old = text.splitlines(keepends=True)
    new = [list(blank(line)) for line in old]
    for t in tokenize.generate_tokens(io.StringIO(text).readline):
        if t.type not in (tokenize.COMMENT, tokenize.STRING):
            continue
        for row in range(t.start[0] - 1, t.end[0]):
            first = t.start[1] if row == t.start[0] - 1 else 0
            last = t.end[1] if row == t.end[0] - 1 else len(old[row])
            new[row][first:last] = old[row][first:last]
    return "".join("".join(line) for line in new)


def prose(path, text):
    if path.suffix in SOURCES:
        return c_prose(text)
    if path.parts[:2] == ("docs", "man"):
        return text.replace("\\-", "-")  # roff's hyphen
    return python_prose(text) if path.suffix == ".py" else text


def statements(pages):
    """Returns {number: [pages]}; the title of a page gives the numbers that no paragraph has."""
    where = {}
    for page, text in pages.items():
        for number in set(DEFINED.findall(text)):
            where.setdefault(number, []).append(page)
    for page, text in pages.items():
        title = TITLE.match(text)
        for number in title.group(1).split(", ") if title else []:
            where.setdefault(number, [page])
    return where


def kind(number):
    """Returns the number without its last part, with which others of its kind begin."""
    return re.sub(r"\d+[a-z]?'?$", "", number)


def anchors(text):
    """Returns the headings of a page, as links name them."""
    heads = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def ranges(listed):
    """Returns the numbers of a line of the index: the named ones, and those between the ends of a
    range."""
    names = set(re.findall(rf"{NUMBER}|\b[A-Z]\b", listed))
    for first, last in re.findall(rf"({NUMBER}) - ({NUMBER})", listed):
        low, high = (int(re.search(r"\d+(?=\D?$)", x).group()) for x in (first, last))
        names |= {kind(first) + str(i) for i in range(low, high + 1)}
    return names


def without_recipes(text):
    """Returns the text without the blocks of its recipes and without the names of their files."""
    names = {m.group(2) for m in RECIPE.finditer(text)}
    text = RECIPE.sub(lambda m: "\n" * m.group().count("\n"), text)
    for name in names:
        text = text.replace(f"`{name}`", "")
    return text


class Lint:
    def __init__(self, root):
        self.root, self.faults = root, []
        self.text = {
            path: (root / path).read_text(encoding="utf-8", errors="replace")
            for path in files(root)
        }
        guide = Path("docs/recipes.md")
        if guide in self.text:
            self.text[guide] = without_recipes(self.text[guide])
        self.pages = {
            p.name: t
            for p, t in self.text.items()
            if p.parts[:2] == ("theory", "pages") and p.suffix == ".md" and p.name != "README.md"
        }
        self.where = statements(self.pages)
        self.kinds = {kind(n) for n in self.where if kind(n) != n}

    def fault(self, path, text, at, what):
        self.faults.append(f"{path}:{text.count(chr(10), 0, at) + 1}: {what}")

    def has(self, number):
        """Returns the pages that have a number; an apostrophe after it may be a quotation mark."""
        return self.where.get(number) or self.where.get(number.rstrip("'")) or []

    def links(self, path, text):
        for m in LINK.finditer(text):
            target, _, anchor = m.group(1).partition("#")
            file = Path(os.path.normpath(path.parent / target)) if target else path
            if "://" in target or target.startswith("mailto:"):
                continue
            if not (self.root / file).exists():
                self.fault(path, text, m.start(), f"the link {m.group(1)} leads nowhere")
            elif anchor and anchor not in anchors(self.text.get(file, "")):
                self.fault(path, text, m.start(), f"{file} has no heading #{anchor}")

    def page_of(self, path, name):
        """Returns the file that a name means, or None."""
        for base in (Path("."), Path("theory/pages"), path.parent):
            file = Path(os.path.normpath(base / name))
            if (self.root / file).is_file():
                return file
        return None

    def cited(self, path, text):
        """Checks names of pages, and the numbers cited with them."""
        for m in PAGE.finditer(text):
            page = self.page_of(path, m.group(1))
            if m.group(1).rpartition("/")[2] == WRITTEN:
                continue
            if page is None:
                self.fault(path, text, m.start(), f"there is no {m.group(1)}")
                continue
            if page.parts[:2] != ("theory", "pages") or page.name == "index.md":
                continue
            behind, before = BEHIND.match(text, m.end()), BEFORE.search(
                text, max(0, m.start() - 120), m.start()
            )
            for number in re.findall(NUMBER, " ".join(x.group(1) for x in (behind, before) if x)):
                if page.name not in self.has(number):
                    self.fault(path, text, m.start(), f"{page} has no {number}")

    def alone(self, path, text):
        for m in ALONE.finditer(text):
            number = m.group()
            if kind(number) not in self.kinds or self.has(number):
                continue
            if not any(
                re.fullmatch(name, number) and fnmatch(str(path), where) for name, where in FOREIGN
            ):
                self.fault(path, text, m.start(), f"no page has {number}")

    def index(self):
        path, text = Path("theory/pages/index.md"), self.pages.get("index.md", "")
        lines = {m.group(1): m for m in LISTED.finditer(text)}
        for page in self.pages.keys() - lines.keys() - {"index.md"}:
            self.fault(path, text, 0, f"{page} is not listed")
        for number, pages in self.where.items():
            if len(pages) > 1:
                self.fault(path, text, 0, f"{number} stands in {' and '.join(pages)}")
        for page, m in lines.items():
            self.listed(path, text, page, m)

    def listed(self, path, text, page, line):
        """Checks that a line of the index names the page's statements and no others; parts (F2a,
        U3.1) belong to the whole."""
        names = ranges(line.group(2))
        kinds = {kind(n) for n in names}
        for number in (
            n for n, pages in self.where.items() if page in pages and re.search(r"\d", n)
        ):
            whole = (
                re.sub(r"[a-z']$", "", number)
                if kind(number) in kinds
                else number.rpartition(".")[0]
            )
            if number not in names and whole not in names:
                self.fault(path, text, line.start(), f"{page} has {number}, which is not listed")
        for number in names:
            if page not in self.where.get(number, []):
                self.fault(path, text, line.start(), f"{page} has no {number}")

    def run(self):
        for path, text in self.text.items():
            if path.suffix == ".md":
                self.links(path, text)
            seen = prose(path, text)
            self.cited(path, seen)
            if path.suffix != ".json":
                self.alone(path, seen)
        self.index()
        return self.faults


# A tree without faults, and for each kind of fault the text that is appended to a file of it.
SOUND = {
    "README.md": (
        "# Title\n\n## What is proved\nSee [t4](theory/pages/t4.md) (T4.2),"
        " [above](#what-is-proved), an H200.\n"
    ),
    "docs/recipes.md": (
        "1. Write `theory/pages/new.md`.\n\n   ```markdown theory/pages/new.md\n   # N: new\n\n"
        "   **T7 (x).** See [u](u.md).\n   ```\n"
    ),
    "theory/pages/index.md": (
        "| [t4.md](t4.md) | T4, T4.1 - T4.2 | cascades |\n| [c.md](c.md) | C1 - C2; T1 |"
        " closure |\n"
    ),
    "theory/pages/t4.md": "# T4: cascades\n\n**T4.1 (one).** *All.*\n\n**T4.2.** As C1 says.\n",
    "theory/pages/c.md": (
        "# C: closure\n\n**C1 (a).** x\n\n**C2 (b).** y\n\n**C2a (c).** z\n\n- **T1**: *t*\n"
    ),
    "cli/a.c": (
        "/* The proof is T4.2 (theory/pages/t4.md,\n * T4.1 and T4.2). */\nint C9 = 1; /* C1 */\n"
        'const char *s = "see C2 of theory/pages/"\n    "c.md";\n'
    ),
    "docs/man/a.5": ".TH A 5\n(theory/pages/t4.md, T4.2)\n",
    "tests/a.py": '"""As theory/pages/c.md, C1 and C2, say."""\nT9 = 1\n',
}
SEEDED = [
    ("README.md", "[x](theory/pages/gone.md)\n", "the link theory/pages/gone.md leads nowhere"),
    ("README.md", "[x](theory/pages/t4.md#gone)\n", "theory/pages/t4.md has no heading #gone"),
    ("README.md", "a sentence (theory.md T1).\n", "there is no theory.md"),
    ("docs/recipes.md", "[x](gone.md)\n", "the link gone.md leads nowhere"),
    ("docs/recipes.md", "2. Edit `theory/pages/u.md`\n", "there is no theory/pages/u.md"),
    ("docs/a.md", "[x](../README.md) [y](README.md)\n", "the link README.md leads nowhere"),
    ("cli/README.md", "[x](a.c) [y](b.c)\n", "the link b.c leads nowhere"),
    ("theory/pages/t4.md", "By T4.7 above.\n", "no page has T4.7"),
    ("theory/pages/t4.md", "**T4.3 (new).** z\n", "t4.md has T4.3, which is not listed"),
    ("theory/pages/t4.md", "**C2 (b).** again\n", "C2 stands in c.md and t4.md"),
    ("theory/pages/index.md", "| [t5.md](t5.md) | T5 | |\n", "the link t5.md leads nowhere"),
    ("theory/pages/index.md", "| [c.md](c.md) | C1 - C3; T1 | |\n", "c.md has no C3"),
    ("theory/pages/new.md", "# N: new\n", "new.md is not listed"),
    ("cli/a.c", "/* theory/pages/gone.md */\n", "there is no theory/pages/gone.md"),
    ("cli/a.c", "/* theory/pages/c.md,\n * T4.1. */\n", "theory/pages/c.md has no T4.1"),
    (
        "cli/a.c",
        'const char *t = "T4.1 of theory/pages/"\n    "c.md";\n',
        "theory/pages/c.md has no T4.1",
    ),
    ("cli/a.c", 'const char *t = "C9";\n', "no page has C9"),
    ("docs/man/a.5", "(theory/pages/c.md, T4.1)\n", "theory/pages/c.md has no T4.1"),
    ("docs/b.md", "[x](man/b.5)\n", "the link man/b.5 leads nowhere"),
    ("tests/a.py", "# T9 says so\n", "no page has T9"),
    ("reports/a.json", '{"why": "theory/pages/c.md, T4.1"}\n', "theory/pages/c.md has no T4.1"),
]


def faults_of(tree):
    with tempfile.TemporaryDirectory(prefix="f2l-citations-") as root:
        for name, text in tree.items():
            file = Path(root) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Lint(Path(root)).run()


def self_test():
    """Returns the errors of the self-test as text."""
    wrong = [f"sound tree: {fault}" for fault in faults_of(SOUND)]
    for name, more, expected in SEEDED:
        found = faults_of(SOUND | {name: SOUND.get(name, "") + more})
        if not any(
            fault.startswith(name) or "index" in fault
            for fault in found
            if fault.endswith(": " + expected)
        ):
            wrong.append(f"{name} with {more!r}: not found: {expected}; found: {found}")
    return wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    faults = self_test() if args.self_test else Lint(args.root).run()
    print(
        "\n".join(faults)
        if faults
        else f"citations: {len(SEEDED)} seeded faults found" if args.self_test else "citations: ok"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
