"""The book that `make docs` builds: its links, its index for searching, and its look in a browser
at two widths, light and dark.

usage: book.py [--out DIR] [--pictures DIR]

Makes the environment with Sphinx where it is not there yet (.ci/python-env book); exit status 77
where that cannot be, with the reason. Without Chromium the site is only read. With --pictures some
pages are kept in that folder as PNG."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import browser
import pages as report_pages

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs/book"))
import build

WIDTHS = (1280, 390)
LINK = re.compile(r'<(?:a|link|script|img|object)\b[^>]*?\b(href|src)="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')
CODE = re.compile(r"<code.*?</code>|<pre.*?</pre>", re.S)
BAR = re.compile(r'<a class="reference internal" href="([^"#]*)"')
LOOKED_AT = ["index", "docs/glossary", "docs/first-idea", "docs/gallery", "docs/book/c-interface",
             "docs/book/python-interface", "docs/man/lrnn.5", "theory/pages/chunk"]
SEARCHES = {
    "holonomy": "docs/glossary.html",
    "contraction": "theory/pages/contraction.html",
    "fsa2lrnn_network_open": "docs/book/c-interface.html",
    "right_up_to": "docs/book/python-interface.html",
}
PICTURES = "[...document.images].filter(e => !e.complete || !e.naturalWidth).map(e => e.src)"
SMALL = """[...document.querySelectorAll('article p, article td, article code, article sub')]
  .filter(e => e.textContent.trim() && parseFloat(getComputedStyle(e).fontSize) < 9)
  .map(e => e.textContent.slice(0, 40)).slice(0, 3)"""
RESULTS = "[...document.querySelectorAll('#search-results li a')].map(e => e.pathname)"


def build_site(out):
    """Builds the site, and returns the folder of its pages; None with a reason if it cannot."""
    environment = subprocess.run(
        ["sh", ".ci/python-env", "book"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if environment.returncode == 77:
        print(environment.stderr.decode().strip().splitlines()[-1])
        return None
    assert environment.returncode == 0, environment.stderr.decode()
    begin, python = os.times(), environment.stdout.decode().split()[-1]
    done = subprocess.run(
        [python, "docs/book/build.py", "--out", out],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout.decode()[-3000:]
    assert done.stdout.decode().count("\n") == 1, done.stdout.decode()[-3000:]
    print(f"built in {os.times().children_user - begin.children_user:.0f} s of processor time")
    return out / "html"


def read_site(site):
    """Returns {path: text} of all pages."""
    return {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}


def check_links(site, texts):
    """Every link leads to a file and a place in it; nothing but links leads out of the folder."""
    ids = {path: set(map(unescape, ID.findall(text))) for path, text in texts.items()}
    wrong, links = [], 0
    for path, text in texts.items():
        for attribute, link in set(LINK.findall(text)):
            links += 1
            name, _, place = unquote(unescape(link)).partition("#")
            if re.match(r"(https?:|mailto:)", name):
                wrong += [f"{path}: loads {link}"] if attribute == "src" else []
                continue
            target = Path(os.path.normpath(path.parent / name.split("?")[0])) if name else path
            inside = target.is_file() and site in target.parents
            if not inside or place and target.suffix == ".html" and place not in ids[target]:
                wrong.append(f"{path.relative_to(site)}: {link}")
    assert not wrong, wrong[:10]
    for path in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?https?:|@import", path.read_text()), path
    print(f"{links} links of {len(texts)} pages lead somewhere")


def check_contents(site, texts):
    """All pages of the book are in the side bar of the first one."""
    bar = {(site / name) for name in BAR.findall(texts[site / "index.html"])}
    wanted = [*(ROOT / "docs").glob("*.md"), *(ROOT / "theory/pages").glob("*.md")]
    own = [path.relative_to(ROOT) for path in wanted if path.stem != "README"]
    others = [path.relative_to(ROOT) for path in (ROOT / "docs/man").glob("*.[15]")]
    own += [build.page_of(path) for path in [*others, *build.MADE]]
    names = {path.with_suffix(".html") for path in own}
    missing = sorted(str(name) for name in names if site / name not in bar)
    assert not missing, missing
    return sorted(bar)


def check_formulas(site, texts):
    """Indices and exponents of theory/pages are set, and statements are places that are linked."""
    for path in (site / "theory/pages").glob("*.html"):
        prose = CODE.sub("", texts[path])
        assert not re.search(r"\w[_^]\{", prose), (path, re.search(r".{40}\w[_^]\{.{20}", prose))
    assert "S<sub>i-1</sub>" in texts[site / "theory/pages/chunk.html"]
    assert '<strong id="T4.10">' in texts[site / "theory/pages/t4.html"]
    assert 'href="../theory/pages/t4.html#T4.10"' in texts[site / "docs/glossary.html"]


def check_look(page, path, site, pictures):
    """A page at both widths: nothing is wider than the window, all pictures are there, no text is
    tiny."""
    for width in WIDTHS:
        page.open(path, width)
        assert page.look(report_pages.OVERFLOW) <= 0, (width, page.look(report_pages.OVERFLOW))
        assert not page.look(PICTURES), page.look(PICTURES)
        assert not page.look(SMALL), page.look(SMALL)
        name = str(path.relative_to(site).with_suffix(""))
        if pictures and name in LOOKED_AT:
            page.picture(pictures / f"{name.replace('/', '-')}-{width}.png")


def check_colours(page, path):
    """A page is light or dark as the reader's system is, with enough contrast in both."""
    page.open(path, WIDTHS[0])
    seen = {}
    for scheme in ("light", "dark"):
        page.media(scheme=scheme)
        time.sleep(0.2)  # colours that change slowly have changed
        seen[scheme] = page.look(report_pages.BACKGROUND)
        faint = page.look(report_pages.CONTRAST)
        assert not faint, (scheme, faint)
    page.media()
    assert seen["light"] != seen["dark"], seen


def check_search(page, site, word, expected):
    """The search finds the page for a word, without a server."""
    page.open(f"{site / 'search.html'}?q={word}", WIDTHS[1])
    found, deadline = [], time.monotonic() + browser.SECONDS
    while not any(name.endswith(expected) for name in found) and time.monotonic() < deadline:
        time.sleep(0.2)
        found = page.look(RESULTS)
    assert any(name.endswith(expected) for name in found), (word, found)
    assert page.look(report_pages.OVERFLOW) <= 0


def look_at(site, shown, pictures):
    """Returns how many looks into the browser passed and failed."""
    page = browser.Browser(browser.find())
    jobs = [(str(p), lambda p=p: check_look(page, p, site, pictures)) for p in shown]
    jobs += [(f"{n}: colours", lambda n=n: check_colours(page, site / f"{n}.html"))
             for n in LOOKED_AT]
    jobs += [(f"search for {w}", lambda w=w: check_search(page, site, w, SEARCHES[w]))
             for w in SEARCHES]
    try:
        return page.run_jobs(jobs)
    finally:
        page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=lambda p: Path(p).resolve())
    parser.add_argument("--pictures", type=Path)
    args = parser.parse_args()
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="f2l-book-") as folder:
        site = build_site(args.out or Path(folder))
        if not site:
            return 77
        texts = read_site(site)
        check_links(site, texts)
        check_formulas(site, texts)
        shown = check_contents(site, texts)
        if not browser.find():
            print("skipped: Chromium is not installed: the book is not looked at")
            print("4 passed, 0 failed")
            return 0
        passed, failed = look_at(site, shown, args.pictures)
    print(f"{passed + 4} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
