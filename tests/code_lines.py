"""The size of the product: lines of code without comments and blank lines, for each top folder.

    python3 tests/code_lines.py [--json] [--since COMMIT] [--folders]

The product is every tracked C, CUDA and Python file and every script outside tests, docs, examples
and recorded results. --since counts the same at an earlier commit, too, and prints the difference.
A line counts when something is left of it without comments; a string that looks like a comment does
not fool the count.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter

NOT_PRODUCT = ("tests/", "docs/", "examples/", "reports/results/", "debian/", ".ci/")
NOT_PRODUCT += ("cuda/check/", "cuda/lab/")
C_FILES = (".c", ".h", ".inc", ".cu", ".cuh")
# A comment, or a literal that may hold what looks like one.
C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def code_lines_of_c(text):
    def keep(match):
        token = match.group()
        return "\n" * token.count("\n") if token.startswith(("/*", "//")) else token

    return sum(1 for line in C_TOKEN.sub(keep, text).splitlines() if line.strip())


def code_lines_of_script(text):
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("#"))


def git(*args):
    return subprocess.run(["git", *args], check=True, capture_output=True, text=True).stdout


def files_at(commit):
    """Yields the name and text of the product's files, in the working tree if commit is None."""
    names = git("ls-files") if commit is None else git("ls-tree", "-r", "--name-only", commit)
    names = [n for n in names.splitlines() if not n.startswith(NOT_PRODUCT)]
    for name in names:
        if not name.endswith((*C_FILES, ".py", ".sh")):
            continue
        if commit is None:
            try:
                with open(name, encoding="utf-8") as file:
                    yield name, file.read()
            except FileNotFoundError:  # removed, and not committed yet
                continue
        else:
            yield name, git("show", f"{commit}:{name}")


def count(commit, depth):
    """Returns a Counter of code lines by folder (the first `depth` parts of the path)."""
    lines = Counter()
    for name, text in files_at(commit):
        folder = "/".join(name.split("/")[:-1][:depth]) or "."
        of = code_lines_of_c if name.endswith(C_FILES) else code_lines_of_script
        lines[folder] += of(text)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--since", metavar="COMMIT", help="compare with an earlier commit")
    parser.add_argument("--folders", action="store_true", help="count each module, not top folders")
    options = parser.parse_args()
    depth = 3 if options.folders else 1
    now = count(None, depth)
    then = count(options.since, depth) if options.since else Counter()
    rows = {folder: (now[folder], then[folder]) for folder in sorted(now | then)}
    total = (sum(now.values()), sum(then.values()))
    if options.json:
        table = {f: {"lines": n, **({"then": t} if then else {})} for f, (n, t) in rows.items()}
        json.dump({"total": total[0], "folders": table}, sys.stdout, indent=2)
        print()
        return
    for folder, (lines, before) in [*rows.items(), ("total", total)]:
        difference = f"{lines - before:+8,}" if then else ""
        print(f"{folder:32} {lines:8,}{difference}")


if __name__ == "__main__":
    main()
