"""The SHA-256 of a checker's code: of the sources that it is built from, as the Makefile names
them, and of the project's headers that they include, without comments and blank lines.

usage: checker_code.py          prints the hash of every checker"""

import functools
import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import trusted_lines
from includes import QUOTED, reached
from trusted_lines import CHECK, ROOT

# Checkers that are no programs of their own: the folder of their code.
FOLDERS = {"check-export": "theory/certify/stock"}


def sources(program):
    """Returns the .c files that a checker is built from, in order."""
    if program in FOLDERS:
        return sorted((ROOT / FOLDERS[program]).glob("*.c"))
    if program == "rep-check":
        return [CHECK / "rep-check.c"]
    common, bound, own = trusted_lines.parts()
    names = [*trusted_lines.common_of(program, common, bound), *own[program]]
    return [CHECK / f"{name}.c" for name in names]


def programs():
    return [*trusted_lines.parts()[2], "rep-check", *FOLDERS]


def with_headers(files, folder):
    """Returns the files and the headers in the folder that they include, each once."""

    def headers_in(path):
        names = QUOTED.findall(path.read_text(encoding="utf-8"))
        return [ROOT / name for name in names if name.startswith(folder)]

    return reached(files, headers_in)


def code_lines_hash(files):
    """Returns the hash of the code of files (name, text)."""
    digest = hashlib.sha256()
    for name, text in files:
        digest.update("\n".join([name, *trusted_lines.code_of(text), ""]).encode())
    return digest.hexdigest()


@functools.lru_cache
def code_hash(program):
    paths = with_headers(sources(program), FOLDERS.get(program, "theory/check") + "/")
    return code_lines_hash(
        [(p.relative_to(ROOT).as_posix(), p.read_text(encoding="utf-8")) for p in paths]
    )


if __name__ == "__main__":
    for name in programs():
        print(code_hash(name), name)
