"""Automata from NumPy tables."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import frames, grammar
from .automaton import Automaton, parse
from .choices import whole
from .errors import ArgumentError


def from_table(
    next: ArrayLike,
    *,
    start: object = 0,
    accept: ArrayLike | None = None,
    outputs: Sequence[object] | None = None,
    edge_outputs: Sequence[Sequence[object]] | None = None,
    letters: Sequence[object] | None = None,
    states: Sequence[object] | None = None,
    sink: bool = False,
) -> Automaton:
    """Makes an automaton of arrays.

    next: [states, letters] integers, the state to which each letter leads; -1: none, which needs
    `sink`. start: number of the start state. accept: [states] booleans. outputs: [states], or
    edge_outputs: [states][letters], taken by their texts. letters, states: names; without them
    "0", "1", ...

    A DataFrame of pandas is taken by its names: columns are letters, the index are states, and so
    are the entries (None or NaN: no transition), `start` (0: the first state, unless the index says
    otherwise), and the names of `accept`, `outputs` and `edge_outputs` of pandas.

    States that no word reaches are dropped, as `notes` says; the others keep their order.

    >>> from_table([[0, 1], [1, 0]], accept=[False, True]).text.splitlines()[3:5]
    ['start 0', 'accept 1']
    """
    if hasattr(next, "columns"):
        if letters is not None or states is not None:
            raise ArgumentError("letters and states of a DataFrame are its columns and its index")
        frame = frames.Frame(next)
        next, start, letters, states = frame.next, frame.start(start), frame.letters, frame.states
        accept, outputs = (
            frame.by_state(v, w) for v, w in ((accept, "accept"), (outputs, "outputs"))
        )
        edge_outputs = frame.by_edge(edge_outputs)
    for what, values in (("accept", accept), ("outputs", outputs), ("edge_outputs", edge_outputs)):
        if frames.has_names(values):
            raise ArgumentError(f"{what} has names, and next has none: give {what}.to_numpy()")
    table = _integers(next)
    size, width = table.shape
    q = grammar.names_of(range(size) if states is None else states, "states")
    a = grammar.names_of(range(width) if letters is None else letters, "letters")
    for what, want, have in (("states", size, q), ("letters", width, a)):
        if len(have) != want:
            raise ArgumentError(f"there are {want} {what}, and {len(have)} names of {what}")
    first = whole("start", start, 0, size - 1)
    if outputs is not None and len(outputs) != size:
        raise ArgumentError(f"there are {size} states, and {len(outputs)} outputs")
    if edge_outputs is not None and [len(row) for row in edge_outputs] != [width] * size:
        raise ArgumentError(f"edge_outputs is not [{size}][{width}]")
    edges = (
        (s, x, int(to), None if edge_outputs is None else str(edge_outputs[s][x]))
        for (s, x), to in np.ndenumerate(table)
        if to >= 0
    )
    named = None if outputs is None else [str(output) for output in outputs]
    return parse(
        grammar.fsa_text(a, q, first, edges, _accepting(accept, size), named),
        sink=sink,
        name="table",
    )


def _integers(next: ArrayLike) -> NDArray[Any]:
    table = np.asarray(next)
    if table.ndim != 2 or table.size == 0 or table.dtype.kind not in "iu":
        raise ArgumentError(
            f"next is an integer array [states, letters], not {table.dtype} {list(table.shape)}"
        )
    wrong = np.argwhere((table < -1) | (table >= len(table)))
    if len(wrong):
        s, x = wrong[0].tolist()
        raise ArgumentError(f"next[{s}, {x}] is {table[s, x]}: there are {len(table)} states")
    return table


def _accepting(accept: ArrayLike | None, size: int) -> list[int] | None:
    if accept is None:
        return None
    flags = np.asarray(accept)
    if flags.dtype != np.bool_ or flags.shape != (size,):
        raise ArgumentError(
            f"accept is a bool array [{size}], not {flags.dtype} {list(flags.shape)}"
        )
    return [int(s) for s in np.flatnonzero(flags)]
