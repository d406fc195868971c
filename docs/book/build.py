"""Builds the book as a site: `make docs`.

    python3 docs/book/build.py [--out build/book]

README.md, docs/, theory/pages, the C header and the Python package become pages below OUT/html,
which any browser reads from the disk. Files of the repository that a page links are pages of their
own, so that no link leads out of the book. The generator is Sphinx with MyST, which reads Markdown
as GitHub does (CommonMark), and the theme Furo."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import header
import man_page

FENCE = re.compile(r"^( *)```.*?^\1```$", re.M | re.S)
LINK = re.compile(r"(\]\(|<img src=\")([^)\s\"#]+)(?=[)#\"])")
FRONT, BOOK, THEORY = map(Path, ("README.md", "docs/index.md", "theory/pages/index.md"))
HEADER, PACKAGE = Path("include/fsa2lrnn.h"), Path("python/fsa2lrnn/__init__.py")
PICTURES, ROFF = {".svg", ".png"}, {".1", ".5"}
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".json": "json", ".sh": "sh", ".v": "coq"}
LARGE = 60_000  # bytes of a file that is not shown but opened as it is
# Pages that are made of sources, by the file whose links lead to them.
MADE = {
    HEADER: Path("docs/book/c-interface"),
    PACKAGE: Path("docs/book/python-interface"),
}
GUIDES = {HEADER: Path("docs/library.md"), PACKAGE: Path("docs/python.md")}


def outside_fences(text, change):
    """Returns the text with what is outside of blocks of code changed."""
    parts, at = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, change(text[at:])])


def page_of(target):
    """Returns the path of the page that shows a file, or of the picture itself."""
    return target if target.suffix in PICTURES | {".md"} else Path(f"{MADE.get(target, target)}.md")


def links(path, text):
    """Returns the files of the repository that the page links, and the text with links to the
    pages that show them."""
    found = []

    def new_link(match):
        if ":" in match[2]:
            return match[0]
        found.append(Path(os.path.normpath(path.parent / match[2])))
        return match[1] + os.path.relpath(page_of(found[-1]), path.parent)

    return outside_fences(text, lambda prose: LINK.sub(new_link, prose)), found


def show_file(path):
    """Returns the page that shows a file or the names in a folder."""
    head = f"---\nnosearch: true\n---\n\n# {path}\n\n"
    if (ROOT / path).is_dir():
        return head + "".join(f"- `{p.name}`\n" for p in sorted((ROOT / path).iterdir()))
    text = (ROOT / path).read_text(encoding="utf-8")
    if path == HEADER:
        return header.markdown(text)
    if path in MADE:
        return (ROOT / page_of(path)).read_text()
    if path.suffix in ROFF:
        return man_page.markdown(text)
    if len(text) > LARGE:
        return head + f"The file is large: {{download}}`{path.name}`.\n"
    language = LANGUAGES.get(path.suffix, "text")
    return head + f"```{{literalinclude}} {path.name}\n:language: {language}\n```\n"


def stage(path):
    """Returns {path: text} of what is written for a file, and the files that it links."""
    if path.suffix == ".md":
        text, found = links(path, (ROOT / path).read_text(encoding="utf-8"))
        return {path: text + (side_bar() if path == FRONT else "")}, found
    made = {} if path.suffix in PICTURES else {page_of(path): show_file(path)}
    if (ROOT / path).is_file() and path not in MADE and path.suffix not in ROFF:
        made[path] = (ROOT / path).read_text(encoding="utf-8")
    return made, []


def rows(index):
    """Returns {title of a part: [pages]} of a table of contents; without parts the title is its
    own."""
    found, title = {}, ""
    for line in (ROOT / index).read_text(encoding="utf-8").splitlines():
        row = re.match(r"\| \[[^]]*\]\(([^)#]*)\)", line)
        title = line.lstrip("# ") if line.startswith("#") else title
        if row:
            page = Path(os.path.normpath(index.parent / row[1]))
            found.setdefault(title, []).append(page)
    return found


def side_bar():
    """Returns the trees of the side bar, for the end of the first page."""
    parts = {"Contents": [BOOK], **rows(BOOK), "Statements and proofs": [THEORY]}
    parts["Statements and proofs"] += sum(rows(THEORY).values(), [])
    manual = sorted((ROOT / "docs/man").glob("*.[15]"))
    parts["Manual pages"] = [page_of(path.relative_to(ROOT)) for path in manual]
    text = ""
    for title, found in parts.items():
        names = [page for page in found if page != FRONT]
        names += [page_of(path) for path, guide in GUIDES.items() if guide in names]
        text += f"\n```{{toctree}}\n:hidden:\n:titlesonly:\n:caption: {title}\n\n"
        text += "".join(f"/{page.with_suffix('')}\n" for page in names) + "```\n"
    return text


def stage_all():
    """Returns {path: text} of the sources of all pages: those that README.md leads to."""
    todo, known, made = [FRONT], {FRONT}, {}
    while todo:
        more, found = stage(todo.pop())
        new = {path for path in found if (ROOT / path).exists()} - known
        todo += sorted(new)
        known |= new
        made |= more
    return made


def write_all(made, source):
    """Writes the sources; returns whether one of before is gone. Files that stay as they were are
    left alone, so that Sphinx reads only what changed."""
    for name, text in made.items():
        path = source / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    old = [path for path in source.rglob("*") if path.is_file()]
    gone = [path for path in old if path.relative_to(source) not in made]
    for path in gone:
        path.unlink()
    return bool(gone)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build/book")
    out = parser.parse_args().out.resolve()
    if write_all(stage_all(), out / "source"):
        shutil.rmtree(out / "html", ignore_errors=True)
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", HERE]
    done = subprocess.run([*sphinx, "-d", out / "doctrees", out / "source", out / "html"])
    if done.returncode == 0:
        shutil.copyfile(out / "html/README.html", out / "html/index.html")
        print(f"the book: {out / 'html/index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
