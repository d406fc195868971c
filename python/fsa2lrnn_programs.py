"""Starts the programs of the package fsa2lrnn. It is a module of its own, so that a command does
not wait for NumPy; each entry point has the name of a program with _ in place of -."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Callable, NoReturn

FOLDER = Path(__file__).resolve().parent / "fsa2lrnn" / "lib"


def start(name: str) -> NoReturn:
    """Becomes the program, with the arguments of this process."""
    program = str(FOLDER / name)
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: error: {error}")


def __getattr__(name: str) -> Callable[[], NoReturn]:
    if name.startswith("_"):
        raise AttributeError(name)
    return partial(start, name.replace("_", "-"))
