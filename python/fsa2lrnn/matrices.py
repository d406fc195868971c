"""What a notebook shows of a network: the matrices of its letters with their eigenvalues."""

from __future__ import annotations

from html import escape
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from . import weights

LETTERS, SIZE, HEADS = 8, 8, 6  # of what is shown at most
_CELL = "padding:0 .5em;text-align:right"


def number(value: complex) -> str:
    """Returns a number with four digits.

    >>> number(-1.0), number(0.5 + 0.8660254j), number(1e-17), number(2 / 3)
    ('-1', '0.5+0.866i', '0', '0.6667')
    """
    real, imaginary = (round(part, 4) + 0.0 for part in (value.real, value.imag))
    if not imaginary:
        return f"{real:.4g}"
    return (f"{real:.4g}" if real else "") + f"{imaginary:{'+' if real else ''}.4g}i"


def eigenvalues(matrix: NDArray[np.float64]) -> str:
    """Returns the eigenvalues, computed in float64, the equal ones once with their number.

    >>> eigenvalues(np.diag([1.0, -1.0, 1.0]))
    '1 (2), -1'
    """
    found: dict[str, int] = {}
    for value in sorted(np.linalg.eigvals(matrix).tolist(), key=lambda z: (-z.real, z.imag)):
        shown = number(value)
        found[shown] = found.get(shown, 0) + 1
    return ", ".join(f"{v} ({n})" if n > 1 else v for v, n in found.items())


def _matrix(matrix: NDArray[np.float64]) -> str:
    if len(matrix) > SIZE:
        return f"{len(matrix)} x {len(matrix)}"
    rows = (
        "<tr>" + "".join(f"<td style='{_CELL}'>{number(v)}</td>" for v in row) + "</tr>"
        for row in matrix.tolist()
    )
    edge = "border:solid currentColor;border-width:0 1px;border-radius:.4em"
    return f"<table style='{edge};margin:0'>{''.join(rows)}</table>"


def html_of(layers: Sequence[weights.Layer], letters: Sequence[str]) -> str:
    """Returns a table of the letters of every head; `letters` are the names of what the first layer
    reads, and the others read numbers."""
    parts, shown = [], 0
    for i, layer in enumerate(layers):
        for h, head in enumerate(layer.heads):
            shown += 1
            if shown > HEADS:
                continue
            names = letters if i == 0 else [str(x) for x in range(layer.letters)]
            parts.append(_head(f"layer {i + 1}, head {h + 1}", head, names))
    if shown > HEADS:
        parts.append(f"<p>and {shown - HEADS} more heads</p>")
    return "".join(parts)


def _head(title: str, head: weights.Head, names: Sequence[str]) -> str:
    rows = []
    for x, name in list(enumerate(names))[:LETTERS]:
        a = head.matrix(x)
        shown = f"<td>{_matrix(a)}</td><td>{escape(eigenvalues(a))}</td>"
        rows.append(f"<tr><th>{escape(name)}</th>{shown}</tr>")
    if len(names) > LETTERS:
        rows.append(f"<tr><td colspan='3'>and {len(names) - LETTERS} more letters</td></tr>")
    head_row = "<tr><th>letter</th><th>matrix</th><th>eigenvalues (float64)</th></tr>"
    return f"<table><caption>{title}</caption>{head_row}{''.join(rows)}</table>"
