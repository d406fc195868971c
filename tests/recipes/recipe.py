"""Recipes of docs/recipes.md: reading one, and following it on a copy of the tree.

A recipe is a section `## TITLE`. It says how many steps are needed, in words, and has that many
numbered steps. Blocks of code, indented or not:
    ```diff FILE    an edit: lines that begin with a blank or `-` are in FILE, together and once;
                    those that begin with `-` are taken out, those with `+` put in
    ```LANGUAGE FILE    a new file
    ```sh           commands, run in the root of the copy
The step that has a block with a FILE must name it in backticks."""

import argparse
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from same_build import keep_nvcc

WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NEEDED = re.compile(r"^(\w+) steps? (?:is|are) needed\.", re.M)
STEP = re.compile(r"^(\d+)\. ", re.M)
BLOCK = re.compile(r"^( *)```(\w+)(?: (\S+))?\n(.*?)^\1```$", re.M | re.S)
# Objects that a build does not need again for the programs that a recipe builds.
LEFT_OUT = shutil.ignore_patterns(
    "unit", "prop", "clients", "bench", "fuzz", "replay", "emulate", "plain", "gpu", "*.gcda"
)
SECONDS = 600


class Stale(Exception):
    """Raised when the text of the recipe does not fit itself or the tree."""


def read(text, title):
    """Returns [(language, file or None, content)] of the blocks of a recipe, in their order."""
    section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if not section:
        raise Stale(f"there is no recipe '{title}'")
    section = section.group(1)
    outside = BLOCK.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), section)
    steps = [(int(m.group(1)), m.start()) for m in STEP.finditer(outside)]
    needed = NEEDED.search(outside)
    if not needed or needed.group(1).lower() not in WORDS:
        raise Stale("it does not say how many steps are needed")
    if [n for n, _ in steps] != list(range(1, WORDS.index(needed.group(1).lower()) + 1)):
        raise Stale(f"{needed.group(1)} steps are needed, but they are {[n for n, _ in steps]}")
    blocks = []
    for m in BLOCK.finditer(section):
        indent, language, file, content = m.groups()
        lines = [line[len(indent) :] for line in content.splitlines()]
        start = max((at for _, at in steps if at < m.start()), default=0)
        if file and f"`{file}`" not in outside[start : m.start()]:
            raise Stale(f"the step with the block for {file} does not name it")
        if not file and language != "sh":
            raise Stale(f"a block of {language} has no file")
        blocks.append((language, file, "".join(line + "\n" for line in lines)))
    return blocks


def edited(old, diff, name):
    """Returns `old` after an edit."""
    lines = diff.splitlines(keepends=True)
    if any(line[:1] not in (" ", "-", "+") for line in lines):
        raise Stale(f"{name}: a line of the edit begins with none of ' ', '-', '+'")
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines if line[0] != "-")
    found = [m.start() for m in re.finditer(rf"^(?={re.escape(before)})", old, re.M)]
    if not before or len(found) != 1:
        raise Stale(f"{name} does not have these lines once:\n{before}")
    return old[: found[0]] + after + old[found[0] + len(before) :]


class Copy:
    """A copy of the tree, with the objects of a build and their times."""

    def __init__(self, build, folder):
        self.root = Path(folder) / "tree"
        for file in self.tracked():
            target = self.root / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, target)
        shutil.copytree(
            build, self.root / "build/release", ignore=LEFT_OUT, copy_function=shutil.copy2
        )
        kernels = build.parent / "cuda"
        if kernels.is_dir():
            shutil.copytree(kernels, self.root / "build/cuda", copy_function=shutil.copy2)
        self.env = self.environment(Path(folder) / "bin")

    @staticmethod
    def tracked():
        """Returns the files that git keeps or would add; outside a clone all except build/."""
        if (ROOT / ".git").exists():
            listed = subprocess.run(
                ["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                check=True,
            ).stdout.decode()
            return sorted(f for f in set(listed.split("\0")) if f and (ROOT / f).is_file())
        found = []
        for folder, folders, names in os.walk(ROOT):
            folders[:] = [f for f in folders if f not in ("build", "__pycache__")]
            found += [(Path(folder) / name).relative_to(ROOT) for name in names]
        return found

    @staticmethod
    def environment(bin_folder):
        """Returns an environment with this Python under the name python3; of an outer make it has
        only the variables given to it, which are the same for the objects that were copied."""
        bin_folder.mkdir()
        python = bin_folder / "python3"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(python.stat().st_mode | stat.S_IXUSR)
        env = dict(os.environ, LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")
        env["PATH"] = f"{bin_folder}{os.pathsep}{env.get('PATH', os.defpath)}"
        flags = env.pop("MAKEFLAGS", "").partition("-- ")[2].split()
        given = [flag for flag in flags if not flag.startswith(("B=", "FLAVOUR=", "JOBS="))]
        for name in ("MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "GNUMAKEFLAGS"):
            env.pop(name, None)
        if given:
            env["MAKEFLAGS"] = "-- " + " ".join(given)
        return env

    def apply(self, language, file, content):
        """Returns the output of an sh block, else an empty text."""
        if language == "sh":
            return self.run(["sh", "-e", "-c", content])
        path = self.root / file
        if language == "diff":
            path.write_text(edited(path.read_text(), content, file))
        elif path.exists():
            raise Stale(f"{file} exists already")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return ""

    def run(self, argv, rc=0):
        """Returns a command's output, errors included; raises AssertionError for another exit
        status."""
        done = subprocess.run(
            argv,
            cwd=self.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
        text = done.stdout.decode("utf-8", "replace")
        assert done.returncode == rc, f"{argv}: exit status {done.returncode}\n{text}"
        return text

    def tool(self, *args, rc=0):
        return self.run(["build/release/fsa2lrnn", *args], rc)


def wrong_texts():
    """Tests a recipe that fits, and recipes that are refused as stale; raises AssertionError."""
    fits = (
        "## Toy\nTwo steps are needed.\n\n1. Edit `a.c`.\n\n   ```diff a.c\n    x\n   +y\n   ```\n"
        "2. Write `b.c`:\n\n   ```c b.c\n   int b;\n\n   ```\n\n```sh\ntrue\n```\n\n## Next\n"
    )
    assert read(fits, "Toy") == [
        ("diff", "a.c", " x\n+y\n"),
        ("c", "b.c", "int b;\n\n"),
        ("sh", None, "true\n"),
    ], read(fits, "Toy")
    assert edited("w\nx\nz\n", " x\n+y\n", "a.c") == "w\nx\ny\nz\n"
    assert edited("w\nx\nz\n", "-x\n z\n+y\n", "a.c") == "w\nz\ny\n"
    stale = [
        (read, (fits, "Other")),
        (read, (fits.replace("Two", "Three"), "Toy")),
        (read, (fits.replace("Two steps are needed.", ""), "Toy")),
        (read, (fits.replace("`b.c`", "it"), "Toy")),
        (read, (fits.replace("```c b.c", "```c"), "Toy")),
        (edited, ("w\nz\n", " x\n+y\n", "a.c")),
        (edited, ("x\nx\n", " x\n+y\n", "a.c")),
        (edited, ("wx\n", " x\n+y\n", "a.c")),
        (edited, ("x\n", "x\n+y\n", "a.c")),
        (edited, ("x\n", "+y\n", "a.c")),
    ]
    for function, arguments in stale:
        try:
            function(*arguments)
        except Stale:
            continue
        raise AssertionError(f"not refused: {function.__name__}{arguments}")


def main(title, before, after):
    """Follows a recipe: `before` is called with the copy before the first step, `after` with the
    copy and the text that the commands printed. Prints a line `N passed, M failed`."""
    parser = argparse.ArgumentParser(description=f"the recipe '{title}' of docs/recipes.md")
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    args = parser.parse_args()
    keep_nvcc(args.build)
    passed = 0
    try:
        wrong_texts()
        blocks = read((ROOT / "docs/recipes.md").read_text(), title)
        with tempfile.TemporaryDirectory(prefix="f2l-recipe-") as folder:
            copy = Copy(args.build, folder)
            before(copy)
            printed = ""
            for block in blocks:
                printed += copy.apply(*block)
                passed += 1
            after(copy, printed)
            passed += 1
    except Exception as error:
        stale = isinstance(error, Stale)
        print(f"docs/recipes.md, '{title}': {error}" if stale else traceback.format_exc())
        print(f"{passed} passed, 1 failed")
        return 1
    print(f"{passed} passed, 0 failed")
    return 0
