"""Runs docs/run_weights.py on a network of every construction in layers, against automaton.fsa, on
random letters; changed weights, codes and tables must be noticed; and its length is bounded, as it
is there to be read.

usage: reader.py --tool build/release/fsa2lrnn [--letters N]
"""

import argparse
import io
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path

import numpy as np

from automaton_file import Automaton

ROOT = Path(__file__).resolve().parent.parent.parent
READER, LINES, SEED = ROOT / "docs/run_weights.py", 60, 24
sys.path.insert(0, str(READER.parent))
import run_weights  # noqa: E402

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
    ("R4.8", "tomita 7", "--layers 2"),
    ("X", "maps 0111 1232", ""),
    ("T4", "tomita 3", "--label accept"),
    ("T4", "random 6 2 4", ""),
    ("T4", "random 6 2 4", "--gated"),
    ("T4", "random 6 3 1", "--cascade zeiger"),
    ("T4", "modarith 5", ""),
    ("G", "flipflop", "--target diagonal"),
    ("R8", "tomita 7", "--target diagonal-positive"),
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


def grammar_of(tool, family):
    kind, *maps = family.split()
    if kind != "maps":
        return subprocess.run(
            [tool, "new", kind, *maps], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
    edges = [f"{q} {a} {to}" for a, row in zip("ab", maps) for q, to in enumerate(row)]
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
    except IndexError:  # a changed table names no letter
        return 0
    return None


def changed(network):
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


def results(tool, folder, letters):
    """Yields (name, ok, output) of every case."""
    yield "length", code_lines(READER.read_text()) <= LINES, f"{code_lines(READER.read_text())}"
    refused = changes = 0
    for number, (theorem, family, options) in enumerate(CASES):
        name, out = f"{theorem}: {family} {options}", folder / f"{number}.lrnn"
        grammar = folder / f"{number}.fsa"
        grammar.write_text(grammar_of(tool, family))
        done = subprocess.run(
            [tool, "compile", str(grammar), "--out", str(out), *options.split()],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if f"construction   {theorem} " not in done.stdout:
            yield name, False, done.stdout
            continue
        network = run_weights.Network(str(out / "weights.safetensors"))
        kind = run_weights.read(str(out / "weights.safetensors"))[0]["label"]
        automaton = Automaton((out / "automaton.fsa").read_text())
        wrong = wrong_letter(network, automaton, kind, letters)
        yield name, wrong is None, f"wrong after {wrong} letters"
        for _ in changed(network):
            changes += 1
            refused += wrong_letter(network, automaton, kind, 200) is not None
    yield "changed networks", refused > 0.8 * changes, f"{refused} of {changes} changes noticed"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    parser.add_argument("--letters", type=int, default=1000)
    args = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, ok, output in results(str(Path(args.tool).resolve()), Path(folder), args.letters):
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print(f"FAILED {name}\n{output}")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
