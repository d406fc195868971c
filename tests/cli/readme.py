"""Runs the console sessions of README.md and docs/*.md and compares the output.

Every fenced block marked `console` is run, in order, in a new folder for each file. A line `$
command` is a command (bash), the lines below it are its output, standard error included; a line
`...` matches any number of lines. `[exit N]` as the last line says that the command exits with N
instead of 0.

usage: readme.py --tool build/release/fsa2lrnn --checker build/release/lrnn-check
       [--only FILE] [--update]
--only FILE runs one file, named from the root; without it all files run, one after another.
--update writes the output into the file, except below a command whose output has a `...`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def commands(block):
    """Returns [(command, [expected lines])]."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def matches(expected, printed):
    """Returns whether the lines agree; `...` matches any number of lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in expected
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def run(command, folder, env):
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        timeout=600,
    )
    printed = done.stdout.decode("utf-8", "replace").splitlines()
    # A machine without gnuplot is warned, and the documentation shows one that has it.
    printed = [line for line in printed if not line.endswith("because gnuplot was not found")]
    return printed + ([f"[exit {done.returncode}]"] if done.returncode else [])


OTHER_CHECKERS = (
    "rep-check",
    "fork-check",
    "band-check",
    "stack-check",
    "arcs-check",
    "depth-check",
    "separation-check",
    "horizon-check",
)


def books():
    """Returns the files that have console sessions, relative to the root."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [str(p.relative_to(ROOT)) for p in pages if BLOCK.search(p.read_text())]


def replay(name, tool, checker):
    """Returns (text with the real output, number of commands that agreed, of commands that did not)
    for one file."""
    text = (ROOT / name).read_text()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="f2l-readme-") as temporary:
        folder, programs = Path(temporary) / "work", Path(temporary) / "bin"
        folder.mkdir()
        programs.mkdir()
        (programs / "fsa2lrnn").symlink_to(tool)
        (programs / "lrnn-check").symlink_to(checker)
        for other in OTHER_CHECKERS:
            (programs / other).symlink_to(Path(checker).parent / other)
        # The Python that has the packages of the tests.
        (programs / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (programs / "python3").chmod(0o755)
        shutil.copytree(ROOT / "examples", folder / "examples")
        shutil.copytree(ROOT / "tests/data/learned-s3", folder / "learned-s3")
        (folder / "docs").mkdir()
        for example in (ROOT / "docs").glob("*.py"):
            shutil.copy(example, folder / "docs")
        env = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
        for block in BLOCK.findall(text):
            updated = block
            for command, expected in commands(block):
                printed = run(command, folder, env)
                if matches(expected, printed):
                    passed += 1
                    continue
                failed += 1
                print(
                    f"FAILED $ {command}\n{name} says:\n"
                    + "\n".join(expected)
                    + "\nprinted:\n"
                    + "\n".join(printed)
                    + "\n"
                )
                if "..." not in expected:
                    before = "\n".join(["$ " + command, *expected])
                    updated = updated.replace(before, "\n".join(["$ " + command, *printed]), 1)
            text = text.replace(block, updated, 1)
    return text, passed, failed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--checker", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--only", choices=books(), help="one file, named from the root")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    passed = failed = 0
    for name in [args.only] if args.only else books():
        text, good, bad = replay(name, args.tool, args.checker)
        passed, failed = passed + good, failed + bad
        if args.update:
            (ROOT / name).write_text(text)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
