"""Is the book whole, and does Markdown show what its pages say?

Refused are
- a page of docs, or a manual page of docs/man, that docs/index.md does not list;
- a text in angle brackets outside of code, such as a group <r>: it is taken for HTML and vanishes;
- an asterisk between letters outside of code, M*M, which begins or ends italics;
- a picture of docs/figures that no page shows, or that is not light and dark by itself;
- a function of the C header that its page lacks, roff that the page of a manual page still has,
  and a link that leads nowhere in what docs/book/build.py gives to Sphinx;
- a Python package that docs/book/conf.py cannot read without its library.
Links are the business of citations.py; tests/html/book.py looks at the built site.

usage: book.py [--root DIR]   prints one line for each fault, exit status 1 if there is one
       book.py --self-test    finds each kind of fault in a small tree, and nothing else"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs/book"))
import build  # what Sphinx reads; it needs Python alone
FENCE = re.compile(r"^( *)```.*?^\1```$", re.M | re.S)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
TAG = re.compile(r"(?<!\\)<(?!img )(?:[A-Za-z][\w-]*(?:\s+[\w:-]+(?:=[^<>]*)?)*\s*/?|/\w+\s*)>")
STAR = re.compile(r"(?<=[A-Za-z0-9])\*(?=[A-Za-z0-9])")
INDEX = Path("docs/index.md")
PAGES = ("*.md", "docs/*.md", "docs/*/README.md", "theory/pages/*.md")
UNLISTED = {"docs/README.md", "docs/index.md"}


def without_code(text):
    """Returns the text with code blank, in the same lines."""
    for code in (FENCE, CODE):
        text = code.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def check_index(root):
    """Yields a line for each page that the table of contents lacks."""
    listed = (root / INDEX).read_text(encoding="utf-8")
    for path in sorted([*(root / "docs").glob("*.md"), *(root / "docs/man").glob("*.[1-9]")]):
        name = str(path.relative_to(root))
        if name not in UNLISTED and f"]({path.relative_to(root / 'docs')})" not in listed:
            yield f"{INDEX}: {name} is not listed"


def check_markdown(path, text):
    """Yields a line for each place that Markdown shows otherwise than it is written."""
    text = without_code(text)
    for pattern, what in ((TAG, "is taken for HTML"), (STAR, "begins or ends italics")):
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            around = " ".join(text[max(0, match.start() - 8) : match.end() + 8].split())
            yield f"{path}:{line}: {match[0]} {what}, write \\{match[0]}: {around}"


def check_pictures(root, pages):
    """Yields a line for each picture that is not shown, or only for light pages."""
    for path in sorted((root / "docs/figures").glob("*.svg")):
        if not any(f"figures/{path.name}" in text for text in pages.values()):
            yield f"docs/figures/{path.name}: no page shows it"
        if "prefers-color-scheme: dark" not in path.read_text(encoding="utf-8"):
            yield f"docs/figures/{path.name}: has no colours for dark pages"


def check_sources(made):
    """Yields a line for each fault of what Sphinx reads, {path: text}."""
    header = (ROOT / build.HEADER).read_text(encoding="utf-8")
    page = made[build.page_of(build.HEADER)]
    for name in sorted(set(re.findall(r"^[a-z][\w *]*?\*?(fsa2lrnn_\w+)\(", header, re.M))):
        if not re.search(rf"c:function\}} .*\b{name}\(", page):
            yield f"{build.HEADER}: the page of the header has no {name}"
    for path, text in made.items():
        if str(path).startswith("docs/man/") and re.search(r"^\.[A-Z]|\\\(", text, re.M):
            yield f"{path}: roff that docs/book/man_page.py does not know"
        if path.suffix == MD:
            for match in build.LINK.finditer(without_code(text)):
                target = Path(os.path.normpath(path.parent / match[2]))
                if ":" not in match[2] and target not in made:
                    yield f"{path}: the link {match[2]} leads nowhere in the book"


def check_package():
    """Yields a line if Sphinx cannot read the Python package."""
    conf = ROOT / "docs/book/conf.py"
    program = f"import runpy; runpy.run_path({str(conf)!r}); import fsa2lrnn, fsa2lrnn.torch"
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        yield f"{conf.relative_to(ROOT)}: {done.stdout.strip().splitlines()[-1]}"


def faults_of(root):
    """Yields a line for each fault."""
    found = [path for pattern in PAGES for path in root.glob(pattern)]
    pages = {p.relative_to(root): p.read_text(encoding="utf-8") for p in sorted(found)}
    yield from check_index(root)
    for path, text in pages.items():
        yield from check_markdown(path, text)
    yield from check_pictures(root, pages)


MD = ".md"  # apart, so that citations.py does not look for these pages
SOUND = {
    str(INDEX): f"| [a](a{MD}) |\n[x(1)](man/x.1)\n",
    f"docs/a{MD}": "`<r>` \\<r> <x, y> 2 * 3 *so* ![a](figures/a.svg)\n```\n<r>\n```\n",
    "docs/man/x.1": "x\n",
    "docs/figures/a.svg": "<svg>@media (prefers-color-scheme: dark)</svg>\n",
}
UNSOUND = [  # what is changed, and the fault
    ({f"docs/b{MD}": ""}, f"{INDEX}: docs/b{MD} is not listed"),
    ({"docs/man/y.5": ""}, f"{INDEX}: docs/man/y.5 is not listed"),
    ({f"theory/pages/t{MD}": "a\nthe group <r> is"}, f"t{MD}:2: <r> is taken for HTML"),
    ({"README.md": "M*M"}, "README.md:1: * begins or ends italics"),
    ({"docs/figures/b.svg": "prefers-color-scheme: dark"}, "b.svg: no page shows it"),
    ({"docs/figures/a.svg": "<svg/>"}, "a.svg: has no colours for dark pages"),
]


def faults_in(files):
    """Returns the faults of a tree with these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text, encoding="utf-8")
        return list(faults_of(Path(folder)))


def self_test():
    """Finds each kind of fault in a small tree, and nothing in a sound one."""
    assert not faults_in(SOUND), faults_in(SOUND)
    for change, fault in UNSOUND:
        found = faults_in(SOUND | change)
        assert len(found) == 1 and fault in found[0], (fault, found)
    print(f"{len(UNSOUND)} passed, 0 failed")
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    faults = [*faults_of(args.root), *check_sources(build.stage_all()), *check_package()]
    print("".join(f"{fault}\n" for fault in faults), end="")
    print(f"{len(faults)} faults in the book")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
