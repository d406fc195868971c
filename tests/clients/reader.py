"""Runs docs/run_weights.py on a network of every construction in layers, and docs/run_wired.py on
wired ones, against automaton.fsa, on random letters, and against `fsa2lrnn run` on a short word;
changed weights, codes and tables must be noticed; and the length of both is bounded, as they are
there to be read.

usage: reader.py --tool build/release/fsa2lrnn [--letters N] [--few]

With --few no weights are changed: that tests the readers and not the program that wrote the file.
"""

import argparse
import io
import json
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path

import numpy as np

import wired_sample
from automaton_file import Automaton, tokens

ROOT = Path(__file__).resolve().parent.parent.parent
# Formats and the report are not read here.
BRIEF = ["--force", "--limit", "1000", "--no-report"]
SEED, LINES = 24, {"run_weights.py": 60, "run_wired.py": 80}
sys.path.insert(0, str(ROOT / "docs"))
import run_weights  # noqa: E402
import run_wired  # noqa: E402

# The theorem, what `new` is asked for (or where each letter leads the states 0, 1, ..), and the
# options of `compile`.
CASES = [
    ("T3", "symmetric 5 --generators", ""),
    ("T3", "swaps 6", "--keys naive"),
    ("R1", "symmetric 4", "--layers 1 --key-dim 3"),
    ("R1", "dihedral 7", "--layers 1 --key-dim 2"),
    ("R2", "quaternion", "--layers 1 --key-dim 2"),
    ("D2", "dihedral 5", "--layers 2 --householders 1"),
    ("T5", "cyclic 7", "--layers 2 --householders 1"),
    ("K", "definite 3", ""),
    ("K.6", "elevator 5", ""),
    ("R4", "tomita 2", "--layers 1 --key-dim 2"),
    ("R4.8", "tomita 7", "--layers 2 --cascade holonomy"),
    ("X", "maps 120453 345012 000333", ""),
    ("T4", "tomita 3", "--label accept"),
    ("T4", "random 6 2 4", ""),
    ("T4", "random 6 2 4", "--gated"),
    ("T4", "random 6 3 1", "--cascade zeiger"),
    ("T4", "modarith 5", ""),
    ("G", "flipflop", "--target diagonal"),
    ("R8", "tomita 7", "--target diagonal-positive"),
]
WIRED = [
    ("Z", "transformations 5", "--max-sets 3"),
    ("Z", "tomita 7", "--cascade capped --max-sets 1 --label accept"),
    ("Z", "maps 11200 11200 34300 01200", "--cascade capped --max-sets 1"),  # letters of one class
    ("D1", "cyclic 13", "--householders 1 --layers 5 --exact-in bf16"),
    ("D1", "cyclic 13", "--householders 2 --layers 4 --exact-in bf16"),
    ("D1", "cyclic 13", "--householders 3 --layers 3 --exact-in bf16"),
    ("D1", "cyclic 13", "--householders 4 --layers 3 --exact-in bf16"),
    ("D1", "symmetric 5 --generators", "--householders 2 --layers 3 --exact-in bf16"),
    ("L10", "transformations 5", "--target one-reflection"),
    ("L10", "transformations 4", "--householders 2 --layers 7"),
    ("X", "apart | transformations 4 | transformations 3", "--max-sets 1"),
    ("X", "apart | random 5 2 4 | random 5 2 1", "--max-sets 1"),
    ("X", "apart | symmetric 4 | transformations 4", "--max-sets 1"),
    ("Z", "transformations 5", "--max-sets 3 --weights-dtype f16"),
    ("D1", "symmetric 4", "--householders 2 --layers 3 --exact-in bf16 --weights-dtype f32"),
    ("L10", "transformations 4", "--householders 2 --layers 7 --weights-dtype f64"),
]


def code_lines(text):
    """Returns the number of lines that hold code: no comments, blank lines or docstrings."""
    lines, skipped = set(), {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT}
    skipped |= {tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
    previous = tokenize.NEWLINE
    for t in tokenize.generate_tokens(io.StringIO(text).readline):
        docstring = t.type == tokenize.STRING and previous in skipped - {tokenize.NL}
        if t.type not in skipped and not docstring:
            lines.update(range(t.start[0], t.end[0] + 1))
        if t.type not in (tokenize.COMMENT, tokenize.NL):
            previous = t.type
    return len(lines)


def new(tool, *arguments):
    return subprocess.run(
        [tool, "new", *arguments], stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def grammar_of(tool, folder, family):
    """Returns the text of the automaton; "apart | A | B" is the product of A and B, which share no
    letters."""
    kind, *maps = family.split()
    if kind == "apart":
        parts = []
        for i, part in enumerate(family.split(" | ")[1:]):
            parts.append(folder / f"part{i}.fsa")
            parts[-1].write_text(new(tool, *part.split()))
        return new(tool, "product", *map(str, parts), "--apart")
    if kind != "maps":
        return new(tool, kind, *maps)
    edges = [f"{q} {a} {to}" for a, row in zip("abcd", maps) for q, to in enumerate(row)]
    return "start 0\n" + "\n".join(edges) + "\n"


def label_of(automaton, kind, state):
    label = automaton.label(kind, state)
    return {True: "accept", False: "reject"}[label] if kind == "accept" else label


def wrong_letter(network, automaton, kind, letters):
    """Returns the number of the first letter of a random word after which the label is wrong, or
    None."""
    word = np.random.default_rng(SEED).integers(len(automaton.letters), size=letters)
    state = automaton.start
    try:
        for t, (letter, label) in enumerate(zip(word, network.run(word))):
            state = automaton.next[state][letter]
            if label != label_of(automaton, kind, state):
                return t + 1
    except (IndexError, ValueError):  # a changed table names no letter, or rows of no code
        return 0
    return None


def changed_layers(network):
    """Changes one array after the other, and back; yields its name."""
    for l, layer in enumerate(network.layers):
        for name in ("yield", "part"):
            kept = layer[name]
            if len(set(kept.ravel().tolist()) - {-1}) < 2:
                continue
            layer[name] = np.where(kept < 0, kept, kept.max() - kept)
            yield f"layer {l} {name}"
            layer[name] = kept
        for name in ("beta", "key", "initial"):
            kept = layer["heads"][0][name]
            if not np.any(kept):
                continue
            layer["heads"][0][name] = kept * 0
            yield f"layer {l} {name}"
            layer["heads"][0][name] = kept


def changed_wired(network):
    """Changes one tensor after the other, and back; yields its name."""
    for name, kept in network.tensors.items():
        last = name.rsplit(".", 1)[-1]
        if kept.dtype.kind == "f" and last != "gate":
            new = kept * 0
        elif name.startswith("tables."):
            new = kept.max() + kept.min() - kept
        elif last in ("outputs", "wire", "table", "slot_wire", "row"):
            new = kept[::-1]
        else:
            continue
        if np.array_equal(new, kept):
            continue
        network.tensors[name] = new
        yield name
        network.tensors[name] = kept


def run_by_tool(tool, out, network, word):
    """Returns the labels after every letter, as `fsa2lrnn run` prints them."""
    line = " ".join(json.dumps(network.letters[a], ensure_ascii=False) for a in word)
    done = subprocess.run(
        [tool, "run", str(out)], input=line + "\n", stdout=subprocess.PIPE, text=True, check=True
    )
    return [label for _, label in tokens(done.stdout)]


def results_of(tool, folder, letters, cases, reader, changed, noticed):
    """Yields (name, ok, output) of every case of one reader; `noticed` is the least part of all
    changes that must be noticed, since some initial states are forgotten at once, and some entries
    are for words that are hardly met."""
    refused = []
    for number, (theorem, family, options) in enumerate(cases):
        name, out = f"{theorem}: {family} {options}", folder / f"{number}.lrnn"
        grammar = folder / f"{number}.fsa"
        grammar.write_text(grammar_of(tool, folder, family))
        done = subprocess.run(
            [tool, "compile", str(grammar), "--out", str(out), *BRIEF, *options.split()],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if f"construction   {theorem} " not in done.stdout:
            yield name, False, done.stdout
            continue
        network = reader.Network(str(out / "weights.safetensors"))
        kind = run_weights.read(str(out / "weights.safetensors"))[0]["label"]
        automaton = Automaton((out / "automaton.fsa").read_text())
        wrong = wrong_letter(network, automaton, kind, letters)
        yield name, wrong is None, f"wrong after {wrong} letters"
        word = np.random.default_rng(SEED).integers(len(network.letters), size=50)
        labels = run_by_tool(tool, out, network, word)
        yield f"{name}: run", labels == list(network.run(word)), f"run prints {labels}"
        for _ in changed(network) if changed else ():
            refused.append(wrong_letter(network, automaton, kind, 200) is not None)
    if changed:
        yield (
            f"changes noticed by {reader.__name__}",
            sum(refused) > noticed * len(refused),
            f"{sum(refused)} of {len(refused)} changes noticed",
        )


def results_by_hand(folder, letters):
    """Yields the same for wired networks that were written by hand, dense and sparse."""
    automaton, file = Automaton(wired_sample.automaton()), folder / "hand.safetensors"
    for name, about, tensors in wired_sample.right():
        file.write_bytes(wired_sample.safetensors(about, tensors))
        network = run_wired.Network(str(file))
        wrong = wrong_letter(network, automaton, "states", letters)
        yield f"by hand: {name}", wrong is None, f"wrong after {wrong} letters"


def results(folder, args):
    """Yields (name, ok, output) of every case."""
    tool, letters = str(Path(args.tool).resolve()), args.letters
    for file, most in LINES.items():
        lines = code_lines((ROOT / "docs" / file).read_text())
        yield f"length of {file}", lines <= most, f"{lines} lines"
    layers, wired = (None, None) if args.few else (changed_layers, changed_wired)
    yield from results_of(tool, folder, letters, CASES, run_weights, layers, 0.8)
    yield from results_of(tool, folder, letters, WIRED, run_wired, wired, 0.95)
    yield from results_by_hand(folder, letters)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    parser.add_argument("--letters", type=int, default=1000)
    parser.add_argument("--few", action="store_true", help="do not change weights")
    args = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, ok, output in results(Path(folder), args):
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print(f"FAILED {name}\n{output}")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
