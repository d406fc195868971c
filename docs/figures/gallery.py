"""Makes docs/gallery.md and its figures: `make gallery`.

    python3 docs/figures/gallery.py --tool build/release/fsa2lrnn [--results DIR] [--out docs]

Constructed networks are compiled now. Trained ones are the network tests/data/learned-s3 and the
rows in DIR/training/outcome-*.json; DIR/horizon.json, snap.json and starts.json are shown where
they are. Drawings are taken out of the pages of `fsa2lrnn report`, so that `dot` and `gnuplot` must
be there."""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MOST_BYTES, CARDS, SCALE = 60_000, 6, 0.85
LEAST_SCALE = 0.84  # at which the smallest text of a graph has 9 pixels
SVG = '<svg xmlns="http://www.w3.org/2000/svg"'

# Name, title, how the automaton is made, and what is to be seen.
ITEMS = [
    ("parity", "Parity", ["new", "parity"], "the letter 1 reflects a single number"),
    (
        "modarith",
        "Modular arithmetic",
        ["new", "modarith", "3"],
        "the value of an expression with + - * modulo 3, a cascade whose first level holds the "
        "operator",
    ),
    ("s3", "S3", ["new", "symmetric", "3"], "reflections and rotations of a triangle"),
    ("s4", "S4", ["new", "symmetric", "4", "--generators"], "rotations and reflections in space"),
    (
        "a5",
        "A5",
        ["new", "alternating", "5", "--generators"],
        "the least group that is not solvable",
    ),
    ("s5", "S5", ["new", "symmetric", "5", "--generators"], "a swap and a cycle of five points"),
    ("lexer", "A lexer", ROOT / "examples/lexer.fsa", "tokens of a small language, a cascade"),
    (
        "protocol",
        "A protocol",
        ROOT / "tests/data/real/tcp_endpoint.fsa",
        "an end of a TCP connection (RFC 793), a cascade",
    ),
]
# Records of trained networks of an item: ten seeds of the recipe `best`.
TRAINED = {
    "s3": "outcome-s3-best-nh2-64to512.json",
    "s4": "outcome-s4-best-nh2-64to512.json",
    "a5": "outcome-a5-best-nh2-64to512.json",
    "s5": "outcome-s5-best-nh4-64to512.json",
}

def run(tool, folder, *args):
    done = subprocess.run([tool, *map(str, args)], cwd=folder, stdout=subprocess.PIPE, check=True)
    return done.stdout


def shorter(svg):
    """Returns a drawing with fewer decimals in its coordinates, and without fonts, which the style
    has, and identifiers that nothing refers to."""
    decimals = r"(\.\d)\d+"
    if len(svg) > 50_000:  # in a graph of this size the colours of the edges tell their letters
        decimals = r"(\d)\.\d+"
        svg = re.sub(r'(class="edge(?:(?!</g>).)*?)<text[^>]*>[^<]*</text>', r"\1", svg, flags=re.S)
    svg = re.sub(
        r""" (d|points|x|y|cx|cy|rx|ry|transform)=(["'])(.*?)\2""",
        lambda m: f" {m[1]}={m[2]}{re.sub(decimals, lambda n: n[1], m[3])}{m[2]}",
        svg,
        flags=re.S,
    )
    return re.sub(r' id="(?:f\d+-[sc]|node|edge|clust)[^"]*"| font-family="[^"]*"|\n', "", svg)


def drawings(page, kind):
    """Returns (width, height, element) of every drawing of the kind, in order."""
    page = re.sub(r"<title>.*?</title>", "", page, flags=re.S)  # which images do not show
    found = re.findall(rf'<svg [^>]*class="{kind}".*?</svg>', page, re.S)
    if kind in ("graph", "chart"):
        found = [shorter(x) for x in found]
    sizes = [re.search(r'width="(\d+)" height="(\d+)"', x) for x in found]
    return [(int(s[1]), int(s[2]), x) for s, x in zip(sizes, found)]


def cards(page):
    """Returns (title, classes, drawings) of the matrices of a page, as far as they fit."""
    found = re.findall(
        r'<figure class="card ([^"]*)".*?<figcaption>(.*?)</figcaption>(.*?)</figure>', page, re.S
    )
    return [
        (title, classes, drawings(body, "heat") + drawings(body, "disc"))
        for classes, title, body in found[:CARDS]
    ]


def place(drawing, x, y, scale=1.0):
    """Returns a drawing at a place in another one."""
    width, height, element = drawing
    return re.sub(r' style="min-width:\d+px"', "", element).replace(
        "<svg ", f'<svg x="{x:.0f}" y="{y:.0f}" ', 1
    ).replace(
        f'width="{width}" height="{height}"',
        f'width="{width * scale:.0f}" height="{height * scale:.0f}"',
        1,
    )


def picture(page, name, title):
    """Returns a drawing with the automaton and, below it, the matrices of its letters."""
    style = re.search(r"<style>\n(.*?)</style>", page, re.S)[1]
    graph = (drawings(page, "graph") or drawings(page, "map"))[0]
    scale = max(LEAST_SCALE, min(1, 840 / graph[0], 560 / graph[1]))
    width, y = max(680, round(graph[0] * scale) + 40), 40
    body = [f'<text class="title" x="20" y="28">{title}</text>']
    body.append(place(graph, (width - graph[0] * scale) / 2, y, scale))
    x, y = 20, y + graph[1] * scale + 34
    high = 0
    for letters, _, parts in cards(page):
        across = sum(p[0] * SCALE + 10 for p in parts) + 12
        if x + across > width - 10:
            x, y, high = 20, y + high + 30, 0
        body.append(f'<text class="letters" x="{x:.0f}" y="{y - 6:.0f}">{letters}</text>')
        for part in parts:
            body.append(place(part, x, y, SCALE))
            x += part[0] * SCALE + 10
        x += 12
        high = max(high, *(p[1] * SCALE for p in parts))
    height = y + high + 16
    return finish(body, width, height, style, f"{title}: the automaton and the matrices of {name}")


def finish(body, width, height, style, alt):
    """Returns a whole file."""
    own = (
        ".sheet{fill:var(--card);stroke:var(--line)}text{font-family:system-ui,sans-serif}"
        ".title{font-size:17px;font-weight:700;fill:var(--ink)}"
        ".letters{font-size:12px;fill:var(--soft)}svg.chart{color:var(--ink)}"
    )
    # Of the page's style sheet only colours and drawings are needed.
    drawn = r":root|\.k0|@media screen|svg|\.graph|\.map"
    lines = [x for x in style.split("\n") if re.match(drawn, x)]
    dark = re.search(r"@media \(prefers-color-scheme:dark\)\{.*?\}\}", style, re.S)[0]
    return (
        f'{SVG} role="img" aria-label="{alt}" width="{width}" height="{height:.0f}" '
        f'viewBox="0 0 {width} {height:.0f}"><style>'
        + "".join([*lines[:1], dark, *lines[1:], own]).replace("max-width:100%;", "")
        + f'</style><rect class="sheet" x="1" y="1" width="{width - 2}" height="{height - 2:.0f}" '
        'rx="10"/>' + "".join(body) + "</svg>\n"
    )


def chart(page, title):
    """Returns the drawing of the first chart of a page."""
    style = re.search(r"<style>\n(.*?)</style>", page, re.S)[1]
    drawing = drawings(page, "chart")[0]
    body = [f'<text class="title" x="20" y="28">{title}</text>', place(drawing, 10, 40)]
    return finish(body, drawing[0] + 20, drawing[1] + 50, style, title)


def linked(title, name):
    """Returns the figure as a link to itself in its full size."""
    return f"[![{title}](gallery/{name}.svg)](gallery/{name}.svg)"


def write(out, name, svg):
    assert len(svg) < MOST_BYTES, f"{name}.svg has {len(svg)} bytes"
    (out / "gallery").mkdir(exist_ok=True)
    (out / "gallery" / f"{name}.svg").write_text(svg)


def construct(tool, folder, name, source):
    """Compiles the automaton; returns its report.json and its page."""
    grammar = folder / f"{name}.fsa"
    grammar.write_bytes(
        source.read_bytes() if isinstance(source, Path) else run(tool, folder, *source)
    )
    run(tool, folder, grammar.name, "--effort", "100")
    out = folder / f"{name}.lrnn"
    for _ in range(8):  # on a busy machine a drawing may take longer than a second
        page = (out / "report.html").read_text()
        if "not drawn:" not in page:
            break
        run(tool, folder, "report", out.name)
    return json.loads((out / "report.json").read_text()), page


def sentence(report):
    """Says what was constructed."""
    made, automaton = report["construction"], report["automaton"]
    formats = [f["format"] for f in report["formats"] if f["schedule"] == "every"]
    verified = [
        f["format"]
        for f in report["formats"]
        if f["schedule"] == "every" and f["verdict"] == "VERIFIED"
    ]
    count = lambda n, what: f"{n} {what}" + ("" if n == 1 else "s")  # noqa: E731
    return (
        f"{count(automaton['states'], 'state')}, {count(automaton['letters'], 'letter')}. "
        f"Constructed: {made['theorem']}, {count(made['layers'], 'layer')}, n_h = "
        f"{made['householders']}, keys of dimension {made['key_dim']}; "
        f"{report['exact']['verdict']} for all words exactly, and with every operation rounded in "
        + (", ".join(verified) if verified else f"none of {', '.join(formats)}")
        + "."
    )


def trained(tool, folder, results, out, name, title):
    """Draws the recorded seeds by length; returns what is said of them, or None."""
    if name not in TRAINED:
        return None
    record = results / "training" / TRAINED[name]
    row = json.loads(record.read_text())
    chosen = folder / f"{name}-trained"
    chosen.mkdir()
    shutil.copy(record, chosen)
    run(tool, folder, "report", chosen.name)
    shown = "-".join(record.stem.split("-")[2:])
    page = (chosen / "report.html").read_text().replace(shown, "trained, best seed")
    write(out, f"{name}-trained", chart(page, f"{title}: trained networks by length"))
    longest = row["seeds"][0]["lengths"][-1]["length"]
    good = sum(seed["lengths"][-1]["sequence_accuracy"] >= 0.99 for seed in row["seeds"])
    return (
        f"Trained: {row['trained']}; of {len(row['seeds'])} seeds {good} were right on at least "
        f"99 % of the test words of {longest} letters (measured, not proved). Drawn is the best."
    )


def rows_with(record, fact):
    """Returns (name, object) of every object in a record that has the fact."""
    found = []

    def walk(value, name):
        if isinstance(value, dict):
            names = [value[k] for k in ("run", "network", "name", "folder") if k in value]
            name = names[0] if names else name
            if fact in value:
                found.append((name, value))
            for inner in value.values():
                walk(inner, name)
        elif isinstance(value, list):
            for inner in value:
                walk(inner, name)

    walk(record, "")
    return found


def starts(tool, folder, record, out):
    """Draws the runs of starts.json; returns lines."""
    lines = []
    for run_of in record.get("runs", []):
        stem = Path(run_of["automaton"]).stem
        chosen = folder / f"{stem}-starts"
        chosen.mkdir()
        (chosen / "starts.json").write_text(json.dumps(run_of["report"]))
        run(tool, folder, "report", chosen.name)
        title = f"{stem}: training from different starts"
        write(out, f"{stem}-starts", chart((chosen / "report.html").read_text(), title))
        lines += [linked(title, f"{stem}-starts"), ""]
    return lines


def table(rows, titles, facts):
    """Returns a table of facts."""
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for name, value in rows:
        cells = [str(name)] + ["" if value.get(x) is None else str(value[x]) for x in facts]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def studies(tool, folder, results, out):
    """Returns lines about the other records of trained networks that are there."""
    lines = []

    def read(name):
        path = results / name
        return json.loads(path.read_text()) if path.is_file() else None

    rows = rows_with(read("horizon.json"), "certified_length")
    if rows:
        lines += ["## Proved horizons", "", "Words of at most this many letters are answered"]
        lines += ["rightly, proved from the stored weights; beside it the first failure found, if"]
        lines += ["one was. Snapped: the exact matrices are put back into the trained weights, and"]
        lines += ["no greater length was tried.", ""]
        facts = ["certified_length", "first_failure"]
        lines += table(rows, ["network", "proved up to", "first failure"], facts)
    rows = [x for x in rows_with(read("snap.json"), "snapped") if isinstance(x[1]["snapped"], str)]
    if rows:
        count = sum(value["snapped"] == "SNAPPED" for _, value in rows)
        for _, value in rows:
            parts = [x.get("largest_distance") for x in value.get("parts") or []]
            far = max((x for x in parts if x is not None), default=None)
            value["farthest"] = None if far is None else f"{far:.2g}"
        lines += ["## Snapped", "", f"Of {len(rows)} trained networks {count} have a proved"]
        lines += ["network next to them.", "", "The distance is the largest of a letter's"]
        lines += ["matrix from the exact one, over the learned parts.", ""]
        titles = ["network", "result", "n_h", "heads", "largest distance"]
        lines += table(rows, titles, ["snapped", "householders", "heads", "farthest"])
    record = read("starts.json")
    if record:
        lines += ["## From different starts", "", *starts(tool, folder, record, out)]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--tool", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--results", default=ROOT / "reports/results", type=Path)
    parser.add_argument("--out", default=ROOT / "docs", type=Path)
    args = parser.parse_args()
    missing = [name for name in ("dot", "gnuplot") if not shutil.which(name)]
    if missing:
        print(f"gallery: {' and '.join(missing)} must be installed", file=sys.stderr)
        return 69
    text = ["# Gallery", ""]
    text += [
        "Automata, the networks that are constructed for them, and networks that were trained on",
        "them. `make gallery` makes this page and its figures anew. The figures are from the pages",
        "that every run of `fsa2lrnn` writes beside its files ([report.html](report.md)): the",
        "automaton above; below, for each letter of the first layer, the matrix that it multiplies",
        "the state by (blue above 0, orange below), what it adds, and the eigenvalues in the unit",
        "disc. Two rings accept. Faint arrows lead into a sink or back to the start; *others* is",
        "every letter that no other arrow of the state names. Of groups, generators are drawn.",
        "Press a figure to see it in its full size.",
        "",
    ]
    folder = Path(tempfile.mkdtemp(prefix="f2l-gallery-"))
    try:
        for name, title, source, what in ITEMS:
            report, page = construct(args.tool, folder, name, source)
            write(args.out, name, picture(page, name, title))
            text += [f"## {title}", "", f"{what[0].upper() + what[1:]}. {sentence(report)}", ""]
            text += [linked(f"{title}: the automaton and its matrices", name), ""]
            said = trained(args.tool, folder, args.results, args.out, name, title)
            if said:
                text += [said, "", linked(f"{title}: trained", f"{name}-trained"), ""]
            if name == "s3":
                shutil.copytree(ROOT / "tests/data/learned-s3", folder / "learned-s3")
                run(args.tool, folder, "report", "learned-s3")
                learned = (folder / "learned-s3/report.html").read_text()
                write(args.out, "s3-learned", picture(learned, "a trained head", "S3, learned"))
                text += ["What the first head of a small trained network does, letter by letter:"]
                text += ["", linked("S3, learned", "s3-learned"), ""]
        text += studies(args.tool, folder, args.results, args.out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    (args.out / "gallery").with_suffix(".md").write_text("\n".join(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
