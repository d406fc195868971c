"""The text of automata that are given as tables (docs/man/fsa.5)."""

from __future__ import annotations

import json
from typing import Iterable, Sequence

from .errors import ArgumentError


def quote(name: str) -> str:
    """Returns a name as a JSON string, which every name may be in `.fsa` text."""
    return json.dumps(name, ensure_ascii=False)


def names_of(things: Sequence[object], what: str) -> list[str]:
    """Returns the texts of names, which must differ."""
    names = [str(thing) for thing in things]
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ArgumentError(f"two {what} have the name {twice!r}")
    return names


def fsa_text(
    letters: Sequence[str],
    states: Sequence[str],
    start: int,
    edges: Iterable[tuple[int, int, int, str | None]],
    accept: Iterable[int] | None = None,
    outputs: Sequence[str] | None = None,
) -> str:
    """Returns `.fsa` text: edges are (state, letter, next state, output or None) by numbers, accept
    the numbers of accepting states, outputs [states]."""
    a, q = [quote(name) for name in letters], [quote(name) for name in states]
    lines = ["fsa 1", " ".join(["letters", *a]), " ".join(["states", *q]), f"start {q[start]}"]
    if accept is not None:
        lines.append(" ".join(["accept", *(q[s] for s in accept)]))
    if outputs is not None:
        lines += [f"output {q[s]} {quote(text)}" for s, text in enumerate(outputs)]
    for state, letter, to, output in edges:
        line = f"{q[state]} {a[letter]} {q[to]}"
        lines.append(line if output is None else f"{line} {quote(output)}")
    return "\n".join(lines) + "\n"
