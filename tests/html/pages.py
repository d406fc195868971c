"""report.html in a browser, at two widths, in light, dark and print, with mouse and keyboard:
`make check-pages`. Automata of all sizes (drawn.py) are looked at, too.

usage: pages.py --tool fsa2lrnn [--pictures DIR]

With --pictures the pages are kept in DIR as PNG."""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import browser
import drawn

ROOT = Path(__file__).resolve().parent.parent.parent
WIDTHS = (1280, 390)
LEAST_TEXT = 9  # pixels
SVG = re.compile(r"<svg\b.*?</svg>", re.S)
# Colour of the page, for light and dark.
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Drawings that cannot be seen though no closed part hides them, or that have no text for readers.
BAD_FIGURES = """[...document.querySelectorAll('svg')].filter(e => {
  const r = e.getBoundingClientRect(), hidden = e.closest('details:not([open])');
  return e.getAttribute('role') != 'img' || !e.getAttribute('aria-label') ||
         !hidden && (r.width < 8 || r.height < 8);
}).map(e => e.outerHTML.slice(0, 120))"""
# The smallest text of a drawing as it is shown, in pixels, and what it says.
SMALLEST = """[...document.querySelectorAll('svg text')].filter(e => e.textContent.trim() &&
  !e.closest('details:not([open])')).map(e => {
    const svg = e.ownerSVGElement, m = e.getScreenCTM();
    return [parseFloat(getComputedStyle(e).fontSize) * Math.hypot(m.a, m.b),
            e.textContent.slice(0, 30)]; }).sort((a, b) => a[0] - b[0])[0] ?? [99, '']"""
# Drawings that are wider than the frame around them, though the frame cannot be moved.
STUCK = """[...document.querySelectorAll('svg.graph:not(.sign),svg.map,svg.chart')].filter(e => {
  const frame = e.closest('.scroll');
  return !e.closest('details:not([open])') && (!frame || !frame.hasAttribute('tabindex') ||
         e.getBoundingClientRect().width > frame.clientWidth + 1 &&
         (frame.scrollWidth <= frame.clientWidth || getComputedStyle(frame).overflowX != 'auto'));
}).length"""
# Of each accepting state: whether two rings are seen, the outer one around the inner one, which
# nothing hides.
RINGS = """[...document.querySelectorAll('svg.graph:not(.sign) .node.accepting')].map(e => {
  const r = [...e.querySelectorAll('ellipse,path')].map(x => [x.getBoundingClientRect(),
      getComputedStyle(x)]);
  return r.length == 2 && r[1][0].width - r[0][0].width > 3 && r[1][1].fill == 'none' &&
         r.every(x => x[1].stroke != 'none'); })"""
# States and arrows of graphs that say nothing where they are pointed at.
SILENT = """[...document.querySelectorAll('svg.graph:not(.sign) g.node:not(.begin),' +
  'svg.graph:not(.sign) g.edge:not(.begin)')].filter(e => !e.querySelector('title')?.textContent)
  .length"""
# What each item of the legends says.
LEGEND = """[...document.querySelectorAll('.legend li')].map(e =>
  (e.querySelector('svg')?.getAttribute('aria-label') ?? e.firstElementChild?.textContent ?? '') +
  ': ' + e.textContent.trim())"""
CHIP = ".chip[class*=' k']"  # the button of a letter that is drawn
COUNT = "document.querySelectorAll({!r}).length"
# Whether the start of each graph that is wider than its frame is inside of it.
START_SEEN = """[...document.querySelectorAll('.scroll g.node.begin')].every(e => {
  const r = e.getBoundingClientRect(), f = e.closest('.scroll').getBoundingClientRect();
  return r.right > f.left && r.left < f.right; })"""
HOT = "document.querySelectorAll('.card.hot').length"
# Text that is drawn with less contrast than 4.5 to 1 against the page's own background.
CONTRAST = """(() => {
  const parse = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => parse(c).slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 :
      ((v + .055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (parse(c)[3] !== 0) return c; } return 'rgb(255,255,255)'; };
  const texts = 'p,h1,h2,h3,h4,td,th,li,summary,figcaption,button,strong,svg.graph text,' +
                'svg.map text';
  return [...document.querySelectorAll(texts)]
    .filter(e => e.textContent.trim() && !e.classList.contains('key')).map(e => {
      const style = getComputedStyle(e), node = e.closest('.node');
      const a = light(e.ownerSVGElement ? style.fill : style.color);
      const b = light(node ? getComputedStyle(node.querySelector('ellipse,path')).fill : behind(e));
      return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), e.tagName + ' ' + e.className +
              ' ' + e.textContent.slice(0, 30)]; }).filter(x => x[0] < 4.5).slice(0, 3);
})()"""


def run(tool, folder, *args):
    done = subprocess.run(
        [tool, *map(str, args)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert done.returncode == 0 and not done.stderr, (args, done.stderr)


def make_pages(tool, folder):
    """Makes the folders, and returns the pages: name, path, and the figures that each must have."""
    run(tool, folder, ROOT / "examples/parity.fsa")
    run(tool, folder, ROOT / "examples/s3.fsa")
    run(tool, folder, ROOT / "examples/s5_generators.fsa")
    run(tool, folder, ROOT / "examples/json_depth4.fsa")
    run(tool, folder, ROOT / "examples/lexer.fsa", "--effort", "100")
    (folder / "s5.fsa").write_bytes(
        subprocess.run([tool, "new", "symmetric", "5"], stdout=subprocess.PIPE, check=True).stdout
    )
    run(tool, folder, "s5.fsa")
    shutil.copytree(ROOT / "tests/data/learned-s3", folder / "learned")
    shutil.copytree(ROOT / "reports/results/training", folder / "training")
    run(tool, folder, "report", "learned")
    run(tool, folder, "report", "training")
    run(tool, folder, "report", "s3.lrnn", "learned", "-o", "both.html")
    pages = {name: {"graph": 1, "heat": 2, "disc": 2} for name in ("parity", "s3")}
    pages |= {"s5_generators": {"map": 1, "heat": 2}}
    pages |= {"json_depth4": {"graph": 1, "map": 1, "heat": 5}, "lexer": {"graph": 1, "heat": 2}}
    pages |= {"s5": {"map": 1, "heat": 24, "disc": 24}}
    paths = {name: folder / f"{name}.lrnn/report.html" for name in pages}
    pages |= {
        "learned": {"graph": 1, "chart": 3, "heat": 24, "disc": 24},
        "training": {"chart": 10},
        "both": {"graph": 2, "chart": 4, "heat": 30},
    }
    paths |= {name: folder / name / "report.html" for name in ("learned", "training")}
    return [(name, paths.get(name, folder / f"{name}.html"), pages[name]) for name in pages]


def check_text(path, figures):
    """What programs say of the file."""
    text = path.read_text()
    done = subprocess.run(
        ["tidy", "-q", "-e", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert not done.stdout, done.stdout[:1000]
    for svg in SVG.findall(text):
        done = subprocess.run(
            ["xmllint", "--noout", "-"],
            input=svg.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert not done.stdout, (svg[:200], done.stdout[:500])
    away = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?!#)[^"'\s>]+""", text)
    assert not away, away[:3]
    for kind, least in figures.items():
        found = len(re.findall(rf'<svg [^>]*class="{kind}"', text))
        assert found >= least, (kind, found, least)
    ids = re.findall(r'\bid="([^"]*)"', text)
    assert len(ids) == len(set(ids)), sorted(x for x in set(ids) if ids.count(x) > 1)[:5]


def check_drawings(page):
    """What holds for every drawing at the width that is shown."""
    size, text = page.look(SMALLEST)
    assert size >= LEAST_TEXT, f"'{text}' has {size:.1f} pixels"
    assert page.look(STUCK) == 0, "a drawing is cut off"
    assert page.look(START_SEEN), "the start is not in sight"
    assert page.look(SILENT) == 0, "a state or an arrow has no title"
    rings = page.look(RINGS)
    assert all(rings), f"{rings.count(False)} of {len(rings)} accepting states have no two rings"


def check_legend(page):
    """Each sign of a graph is in its legend, and no other."""
    legend = "\n".join(page.look(LEGEND))
    signs = {"two rings": ".graph:not(.sign) .accepting", "arrow from a dot": "g.node.begin",
             "faint arrow": ".graph:not(.sign) .faint",
             "coloured arrow": ".graph:not(.sign) [class*=' k']",
             "others": None, "any": None}
    texts = page.look("[...document.querySelectorAll('.graph:not(.sign) .rest text')]"
                      ".map(e=>e.textContent)")
    for sign, selector in signs.items():
        found = page.look(COUNT.format(selector)) if selector else texts.count(sign)
        assert (found > 0) == (f"{sign}: " in legend), (sign, found, legend)
    assert page.look(COUNT.format("svg.map")) == page.look(COUNT.format(".ramp,.swatch:first-child"
                                                                       ":not(li+li>.swatch)"))


def check_size(page, folder, edges, pictures):
    """The page of an automaton of one of the sizes, at both widths and in the dark."""
    path = folder / "report.html"
    for width, scheme in product(WIDTHS, ("light", "dark")):
        if scheme == "dark" and width == WIDTHS[0]:
            continue
        page.media(scheme=scheme)
        page.open(path, width)
        time.sleep(0.15 if scheme == "dark" else 0)
        assert page.look(OVERFLOW) <= 0, (width, page.look(OVERFLOW))
        bad = page.look(BAD_FIGURES)
        assert not bad, (width, bad[:3])
        check_drawings(page)
        faint = page.look(CONTRAST)
        assert not faint, (scheme, faint)
        if pictures:
            page.picture(pictures / f"{folder.name}-{width}-{scheme}.png")
    check_legend(page)
    text = path.read_text()
    states = json.loads((folder / "report.json").read_text())["automaton"]["states"]
    assert "not drawn:" not in text, re.findall("[^>]*not drawn:[^<]*", text)
    fits = states <= 60 and (edges <= 400 or "generate" in text)
    assert ('class="map"' in text) != fits, "a map is drawn of what is too large"
    markdown = (folder / "report.md").read_text()
    assert not re.search("[Dd]rawn|[Ff]igure|[Pp]oint at", markdown), "Markdown has no drawings"
    page.media()


def check_look(page, path, name, pictures):
    """The page at both widths, in light, dark and print."""
    for width in WIDTHS:
        page.media()
        page.open(path, width)
        assert page.look(OVERFLOW) <= 0, (width, page.look(OVERFLOW))
        bad = page.look(BAD_FIGURES)
        assert not bad, (width, bad[:3])
        check_drawings(page)
        if pictures:
            page.picture(pictures / f"{name}-{width}.png")
    seen = {}
    for scheme in ("light", "dark"):
        page.media(scheme=scheme)
        time.sleep(0.2)  # colours that change slowly have changed
        seen[scheme] = page.look(BACKGROUND)
        faint = page.look(CONTRAST)
        assert not faint, (scheme, faint)
        if pictures and scheme == "dark":
            page.picture(pictures / f"{name}-dark.png")
    assert seen["light"] != seen["dark"], seen
    page.media("print", "dark")
    assert page.look(BACKGROUND) == "rgb(255, 255, 255)", page.look(BACKGROUND)
    page.media()


def check_letters(page, path):
    """A letter that is pointed at, focused or pressed highlights its matrices and edges, and
    nothing else."""
    page.open(path, 1280)
    cards = page.look("document.querySelectorAll('.card').length")
    assert page.look(HOT) == 0
    page.point(CHIP)
    hot = page.look(HOT)
    assert 0 < hot < cards, (hot, cards)
    assert page.look("document.querySelectorAll('.edge.hot').length") > 0
    page.leave()
    assert page.look(HOT) == 0
    page.look(f"document.querySelector({CHIP!r}).focus()")
    assert page.look(HOT) == hot
    page.press("Enter")
    assert page.look(f"document.querySelector({CHIP!r}).getAttribute('aria-pressed')") == "true"
    page.look("document.activeElement.blur()")
    assert page.look(HOT) == hot
    page.press("Escape")
    assert page.look(HOT) == 0
    page.look("document.querySelector('.card').focus()")
    assert page.look("document.querySelectorAll('.chip.hot').length") > 0


def check_keyboard(page, path):
    """Tab reaches the letters, the matrices and the parts that open, and Enter opens one."""
    page.open(path, 1280)
    met = set()
    for _ in range(60):
        page.press("Tab")
        met.add(page.look("(e=>e.tagName+'.'+(e.className.split?.(' ')[0]??''))"
                          "(document.activeElement)"))
    assert {"BUTTON.chip", "FIGURE.card", "SUMMARY.", "DIV.scroll"} <= met, met
    page.look("document.querySelector('details:not([open])>summary').focus()")
    before = page.look("document.querySelectorAll('details[open]').length")
    page.press("Enter")
    assert page.look("document.querySelectorAll('details[open]').length") == before + 1


def shown_figures(path):
    """Returns the names of the figures of a gallery's page, each of which links to itself."""
    found = re.findall(r"\[!\[[^]]*\]\(gallery/([^)]*)\)\]\(gallery/([^)]*)\)", path.read_text())
    assert all(shown == link for shown, link in found), found
    return [shown for shown, _ in found]


def check_gallery(tool, folder):
    """The script makes the page and its figures, each a whole drawing of at most 60 kB."""
    out = folder / "gallery"
    out.mkdir()
    gallery = [sys.executable, ROOT / "docs/figures/gallery.py", "--tool", tool, "--out", out]
    subprocess.run(gallery, check=True)
    named = shown_figures(out / Path("docs/gallery.md").name)
    assert len(named) >= 9, named
    assert sorted(named) == sorted(x.name for x in (out / "gallery").iterdir()), named
    for name in named:
        path = out / "gallery" / name
        done = subprocess.run(
            ["xmllint", "--noout", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert not done.stdout and path.stat().st_size < 60_000, (name, done.stdout)
    assert shown_figures(ROOT / "docs/gallery.md") == named, "docs/gallery.md is old: make gallery"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--pictures", type=Path)
    args = parser.parse_args()
    program = browser.find()
    missing = [name for name in ("tidy", "xmllint", "dot", "gnuplot") if not shutil.which(name)]
    if not program or missing:
        print(f"skipped: {', '.join(([] if program else ['chromium']) + missing)} not installed")
        print("1 passed, 0 failed")
        return 0
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="f2l-html-"))
    page = browser.Browser(program)
    try:
        made = make_pages(args.tool, folder)
        jobs = [(f"{n}: text", lambda p=p, f=f: check_text(p, f)) for n, p, f in made]
        jobs += [
            (f"{n}: look", lambda n=n, p=p: check_look(page, p, n, args.pictures))
            for n, p, _ in made
        ]
        paths = {n: p for n, p, _ in made}
        for kind, states, letters, size in drawn.CASES:
            name = f"{kind.__name__}-{states}-{letters}-{size}"
            edges = drawn.write(folder / name, kind, states, letters, size)
            run(args.tool, folder, "report", name)
            jobs += [(name, lambda n=name, e=edges: check_size(page, folder / n, e, args.pictures))]
        jobs += [(f"{n}: letters", lambda n=n: check_letters(page, paths[n]))
                 for n in ("s3", "parity", "learned", "both")]
        jobs += [("s3: keyboard", lambda: check_keyboard(page, paths["s3"]))]
        jobs += [("gallery", lambda: check_gallery(args.tool, folder))]
        passed, failed = page.run_jobs(jobs)
    finally:
        page.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
