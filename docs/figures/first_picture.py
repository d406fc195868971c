"""Makes README's first picture, docs/gallery/first.svg: `make gallery`.

    python3 docs/figures/first_picture.py --tool build/release/fsa2lrnn [--out FILE]

On the left the automaton of examples/parity.fsa; on the right what each letter does to the one
number that its network holds; below, both read a word. The numbers are those of the network that
is compiled now, and its answers those of `fsa2lrnn run`."""

import argparse
import re
import subprocess
import tempfile
from fractions import Fraction
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
WORD = "01101"
WIDTH, HEIGHT = 760, 372
STYLE = (
    ":root{color-scheme:light dark;--card:#fff;--ink:#1c2230;--soft:#5c6579;--line:#dfe3ec;"
    "--back:#f2f4f9;--ok:#0d7a4f;--okbg:#e3f5ec;--k0:#2461d6;--k1:#b84a00}"
    "@media (prefers-color-scheme:dark){:root{--card:#1a1f29;--ink:#e6e9f0;--soft:#a0a9bb;"
    "--line:#313948;--back:#232937;--ok:#5fd3a0;--okbg:#143528;--k0:#7eaaff;--k1:#ff9b52}}"
    "text{font:14px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "fill:var(--ink);text-anchor:middle}.title{font-size:16px;font-weight:700;text-anchor:start}"
    ".soft{fill:var(--soft);font-size:13px}.left{text-anchor:start}"
    ".sheet{fill:var(--card);stroke:var(--line)}.state{fill:var(--back);stroke:var(--soft)}"
    ".accept{fill:var(--okbg);stroke:var(--ok)}.ring{fill:none;stroke:var(--ok)}"
    "path,line{fill:none;stroke:var(--soft);stroke-width:1.6}.head{stroke:none}"
    ".axis{stroke:var(--line)}.soft.head,.head{fill:var(--soft)}"
    ".k0{stroke:var(--k0)}.k1{stroke:var(--k1)}"
    ".k0.head,text.k0,tspan.k0{fill:var(--k0);stroke:none}"
    ".k1.head,text.k1,tspan.k1{fill:var(--k1);stroke:none}.k0.text,.k1.text{font-weight:700}"
    ".good{fill:var(--ok);font-weight:700}"
)


class Parity:
    """The automaton and its network, as the compiler writes them."""

    def __init__(self, tool, folder):
        def run(*args, **values):
            done = subprocess.run([tool, *args], cwd=folder, stdout=subprocess.PIPE, check=True,
                                  **values)
            return done.stdout.decode()

        run(str(ROOT / "examples/parity.fsa"), "--quiet", "--no-report")
        net = (folder / "parity.lrnn/network.lrnn").read_text()
        automaton = (folder / "parity.lrnn/automaton.fsa").read_text()
        self.next = {(q, a): to for q, a, to in re.findall(r"^(\S+) (\d) (\S+)$", automaton, re.M)}
        self.start = re.search(r"^start (\S+)$", automaton, re.M)[1]
        symbols = re.findall(r"^symbol (\S+)$", net, re.M)
        codes = re.findall(r"^code \d+ (\d+) 1\.1:(\S+)$", net, re.M)
        self.code = {symbols[int(i) - 1]: Fraction(x) for i, x in codes}
        # Letter i multiplies the number by the product of its factors 1 - beta u^2.
        self.times = {}
        letters = re.findall(r"^on (\d+) gate 1 factors \d+\n((?:factor .*\n)*)", net, re.M)
        for i, factors in letters:
            product = Fraction(1)
            for beta, u in re.findall(r"^factor (\S+) u 1:(\S+)$", factors, re.M):
                product *= 1 - Fraction(beta) * Fraction(u) ** 2
            self.times[str(int(i) - 1)] = product
        self.answers = run("run", "parity.lrnn", input=(WORD + "\n").encode()).split()

    def read(self, word):
        """Returns (letter, state, number) before the word and after each letter."""
        state, number = self.start, self.code[self.start]
        rows = [("", state, number)]
        for letter in word:
            state, number = self.next[state, letter], number * self.times[letter]
            rows.append((letter, state, number))
        return rows


def text(x, y, what, kind=""):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{kind}>{escape(what)}</text>'


def head(x, y, turn, kind):
    """Returns an arrow head at a point, turned by degrees from pointing right."""
    return (f'<path class="head {kind}" d="M0 0l-10-4.5v9z" '
            f'transform="translate({x} {y}) rotate({turn})"/>')


def state(x, y, name, accepts):
    rings = f'<circle class="ring" cx="{x}" cy="{y}" r="35"/>' if accepts else ""
    return (f'<circle class="{"accept" if accepts else "state"}" cx="{x}" cy="{y}" r="30"/>{rings}'
            + text(x, y + 5, name))


def automaton():
    """Returns the drawing of the two states."""
    return [
        text(24, 34, "The automaton", "title"),
        text(24, 54, "Is the number of 1s even or odd?", "soft left"),
        '<path d="M28 142h32"/><circle class="soft" cx="28" cy="142" r="3"/>',
        head(66, 142, 0, "soft"),
        state(98, 142, "even", False),
        state(258, 142, "odd", True),
        '<path class="k1" d="M124 126C150 106 196 104 220 119"/>', head(229, 125, 34, "k1"),
        '<path class="k1" d="M228 162C200 180 156 180 133 165"/>', head(124, 158, 215, "k1"),
        text(176, 102, "1", "k1 text"), text(176, 194, "1", "k1 text"),
    ] + [
        part
        for x, r in ((98, 30), (258, 35))
        for part in (
            f'<path class="k0" d="M{x - 12} {142 - r + 1}C{x - 24} {142 - r - 34} {x + 24} '
            f'{142 - r - 34} {x + 15} {142 - r - 3}"/>',
            head(x + 12, 142 - r + 4, 110, "k0"),
            text(x + 28, 142 - r - 16, "0", "k0 text"),
        )
    ]


def network(parity):
    """Returns what the letters do, in words and on the number line."""
    at = {name: 576 + 90 * value for name, value in parity.code.items()}
    even, odd = at["even"], at["odd"]
    said = {1: "leaves h as it is", -1: "turns the sign of h"}
    lines = [
        text(396, 34, "The network", "title"),
        text(396, 54, "One number h, exact on words of every length", "soft left"),
        '<line class="axis" x1="416" y1="160" x2="736" y2="160"/>',
        '<line class="axis" x1="576" y1="154" x2="576" y2="166"/>', text(576, 182, "0", "soft"),
        f'<path class="k1" d="M{even - 4} 149C{even - 34} 112 {odd + 34} 112 {odd + 10} 142"/>',
        head(odd + 5, 149, 126, "k1"),
        f'<path class="k1" d="M{odd + 4} 171C{odd + 34} 208 {even - 34} 208 {even - 10} 178"/>',
        head(even - 5, 171, -54, "k1"),
        text(576, 115, "1", "k1 text"), text(576, 216, "1", "k1 text"),
    ]
    for name, kind in (("even", "state"), ("odd", "accept")):
        value = parity.code[name]
        lines += [f'<circle class="{kind}" cx="{at[name]}" cy="160" r="9"/>',
                  text(at[name] + 40 * value, 148, name),
                  text(at[name] + 40 * value, 184, f"h = {value}".replace("-", "\u2212"), "soft")]
    for i, letter in enumerate(parity.times):
        lines.append(f'<text x="396" y="{78 + 20 * i}" class="left"><tspan class="k{letter} text">'
                     f"{letter}</tspan> {said[int(parity.times[letter])]}</text>")
    return lines


def table(parity):
    """Returns how both read the word."""
    rows = parity.read(WORD)
    titles = ("letter", "automaton", "h", "network says")
    lines = ['<line class="axis" x1="24" y1="238" x2="736" y2="238"/>']
    for i, title in enumerate(titles):
        lines.append(text(24, 264 + 26 * i, title, "soft left"))
    for i, (letter, name, number) in enumerate(rows):
        x = 176 + 104 * i
        if letter:
            lines.append(text(x, 264, letter, f"k{letter} text"))
        lines.append(text(x, 290, name))
        lines.append(text(x, 316, str(number).replace("-", "\u2212")))
        if letter:
            answer = parity.answers[i - 1]
            assert answer == name and parity.code[name] == number, (letter, answer, name, number)
            lines.append(text(x, 342, f"{answer} \u2713", "good"))
    return lines


def picture(parity):
    """Returns the whole file."""
    alt = ("Parity: an automaton with the states even and odd, and a network with one number h, "
           "which the letter 1 multiplies by -1; both read the word " + " ".join(WORD))
    body = automaton() + network(parity) + table(parity)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{alt}" width="{WIDTH}" '
        f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">\n<style>{STYLE}</style>\n'
        f'<rect class="sheet" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="10"/>\n'
        + "\n".join(body) + "\n</svg>\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--tool", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--out", default=ROOT / "docs/gallery/first.svg", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="f2l-first-") as folder:
        args.out.write_text(picture(Parity(args.tool, Path(folder))))


if __name__ == "__main__":
    main()
