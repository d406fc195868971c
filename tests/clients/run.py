"""Lets independent programs read the compiler's output: NumPy replays weights.safetensors against
automaton.fsa. The replay of wired networks is itself tested on right and wrong ones written by
hand.

usage: run.py --tool build/release/fsa2lrnn
"""

import argparse
import contextlib
import io
import itertools
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = [  # (family arguments, options of the main job)
    (["parity"], []),
    (["parity"], ["--label", "accept"]),
    (["cyclic", "5"], []),
    (["cyclic", "12"], []),
    (["symmetric", "3"], []),
    (["symmetric", "4"], ["--keys", "naive"]),
    (["symmetric", "5", "--generators"], []),
    (["symmetric", "5"], []),
    (["alternating", "5", "--generators"], []),
    (["dihedral", "7"], []),
    (["quaternion"], []),
    (["transformations", "5"], ["--max-sets", "3"]),
    (["tomita", "7"], ["--label", "accept", "--cascade", "capped", "--max-sets", "1"]),
]

# Letters that act alike: files have them once, by class.
ALIKE = """start e
e a o\ne b o\ne c e\ne d e\ne z z
o a e\no b e\no c o\no d o\no z z
z a z\nz b z\nz c z\nz d z\nz z z
"""
PARITY = "start e\ne a o\ne b o\ne c e\ne d e\no a e\no b e\no c o\no d o\n"
GRAMMARS = [
    ("parity with letters alike", PARITY, []),
    ("wired, letters alike", ALIKE, ["--cascade", "capped", "--max-sets", "1"]),
]


def replay(out):
    """Returns the exit status of replay_safetensors.py, and what it prints; it runs in this
    process, because a Python with NumPy takes longer to begin than a replay."""
    import replay_safetensors

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            status = replay_safetensors.examine(Path(out))
        except Exception:
            traceback.print_exc(file=sys.stdout)
            status = 1
    return status, printed.getvalue()


def program(out):
    """Returns the same of the program in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(HERE / "replay_safetensors.py"), str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def compiled(tool, folder):
    """Yields (name, ok, output) of every case."""
    from reader import grammar_of

    grammars = [
        (
            " ".join(family + options),
            subprocess.run([tool, "new", *family], stdout=subprocess.PIPE, check=True).stdout,
            options,
        )
        for family, options in CASES
    ] + [(name, text.encode(), options) for name, text, options in GRAMMARS]
    product = grammar_of(tool, folder, "apart | transformations 4 | transformations 3")
    grammars.append(("wired product", product.encode(), ["--max-sets", "1"]))
    for number, (name, text, options) in enumerate(grammars):
        grammar, out = folder / f"{number}.fsa", folder / f"{number}.lrnn"
        grammar.write_bytes(text)
        subprocess.run(
            [
                tool,
                str(grammar),
                "--out",
                str(out),
                "--formats",
                "bf16",
                "--limit",
                "1000",
                *options,
            ],
            stdout=subprocess.DEVNULL,
        )
        status, printed = replay(out)
        known = "wired" not in name or printed.startswith("wired, ")
        yield name, status == 0 and known, printed
        if number == 0:
            yield f"{name}, as a program", program(out) == (status, printed), printed


def by_hand(folder):
    """Yields the same for wired networks written by hand."""
    import raw_sample
    import wired_sample

    (folder / "automaton.fsa").write_text(raw_sample.AUTOMATON)
    for name, ok, expected, about, tensors in raw_sample.cases():
        (folder / "weights.safetensors").write_bytes(wired_sample.safetensors(about, tensors))
        status, printed = replay(folder)
        yield f"raw head, {name}", status == 1 - ok and expected in printed, printed
    (folder / "automaton.fsa").write_text(wired_sample.automaton())
    for name, about, tensors in wired_sample.right():
        (folder / "weights.safetensors").write_bytes(wired_sample.safetensors(about, tensors))
        status, printed = replay(folder)
        right = status == 0 and "8 of 8 states" in printed
        yield f"wired by hand, {name}", right, printed
    for name, check, about, tensors in wired_sample.wrong():
        (folder / "weights.safetensors").write_bytes(wired_sample.safetensors(about, tensors))
        status, printed = replay(folder)
        yield f"wrong {name}", status == 1 and f"{check}: " in printed, printed


def eigenvalues(tool, folder):
    import spectra_sample

    yield from spectra_sample.cases(tool, folder)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    args = parser.parse_args()
    try:
        import numpy  # noqa: F401  (only to say clearly that it is missing)
    except ImportError:
        print("NumPy is not installed: apt-get install python3-numpy")
        print("0 passed, 1 failed")
        return 1
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, ok, output in itertools.chain(
            compiled(args.tool, folder), by_hand(folder), eigenvalues(args.tool, folder)
        ):
            passed, failed = passed + ok, failed + (not ok)
            print(name, "ok" if ok else f"FAILED\n{output}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
