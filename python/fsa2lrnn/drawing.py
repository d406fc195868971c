"""Automata as SVG: by dot where Graphviz is installed, else small ones on a circle."""

from __future__ import annotations

import math
import shutil
import subprocess
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .automaton import Automaton

STATES, EDGES = 60, 400  # what a drawing shows at most
ON_CIRCLE = 16  # states that are drawn without dot
_NAME, _LETTERS = 8, 24  # characters of a state's name and of an edge's label
_RADIUS, _MARGIN = 27.0, 70.0  # pixels
# Attributes, not styles, which would reach the rest of a notebook.
_ARROWS = "<g fill='none' stroke='#555' marker-end='url(#f2l-head)'>"
_STATES = (
    "<g fill='#111' font-family='sans-serif' font-size='12' text-anchor='middle' stroke='none'>"
)
_WORDS = _STATES[:-1] + " paint-order='stroke' style='stroke:#fff;stroke-width:4px'>"
_HEAD = (
    "<defs><marker id='f2l-head' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
    "markerHeight='7' orient='auto'><path fill='#555' d='M0 0L8 4L0 8z'/></marker></defs>"
)


def edges_of(a: Automaton) -> dict[tuple[int, int], str]:
    """Returns the label of the arrow between two states: its letters, and outputs behind a /."""
    joined: dict[tuple[int, int], list[str]] = {}
    outputs = a.edge_outputs
    for s, row in enumerate(a.next.tolist()):
        for x, to in enumerate(row):
            letter = a.letters[x] if outputs is None else f"{a.letters[x]}/{outputs[s][x]}"
            joined.setdefault((s, to), []).append(letter)
    return {pair: _short(", ".join(letters), _LETTERS) for pair, letters in joined.items()}


def svg_of(a: Automaton) -> str | None:
    """Returns a drawing, None where it would be too large to read. A state with two rings
    accepts."""
    edges = edges_of(a)
    if len(a.states) > STATES or len(edges) > EDGES:
        return None
    drawn = _by_dot(a, edges)
    if drawn is not None:
        return drawn
    return _on_circle(a, edges) if len(a.states) <= ON_CIRCLE else None


def _short(text: str, most: int) -> str:
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return shown if len(shown) <= most else shown[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _name(a: Automaton, state: int) -> str:
    output = "" if a.outputs is None else f"/{a.outputs[state]}"
    return _short(a.states[state] + output, _NAME)


def _accepts(a: Automaton, state: int) -> bool:
    return a.accept is not None and bool(a.accept[state])


# --- by dot ---


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot_of(a: Automaton, edges: dict[tuple[int, int], str]) -> str:
    """Returns the drawing as Graphviz reads it."""
    lines = [
        "digraph automaton {",
        'rankdir=LR; node [fontname="sans-serif" fontsize=12]; edge [fontname="sans-serif" '
        'fontsize=12]; start [shape=point label=""];',
        f"start -> n{a.start};",
    ]
    for s in range(len(a.states)):
        shape = "doublecircle" if _accepts(a, s) else "circle"
        lines.append(f"n{s} [shape={shape} label={_quoted(_name(a, s))}];")
    lines += [f"n{s} -> n{to} [label={_quoted(label)}];" for (s, to), label in edges.items()]
    return "\n".join([*lines, "}"])


def _by_dot(a: Automaton, edges: dict[tuple[int, int], str]) -> str | None:
    dot = shutil.which("dot")
    if dot is None:
        return None
    try:
        ran = subprocess.run(
            [dot, "-Tsvg"],
            input=dot_of(a, edges).encode("utf-8", "replace"),
            capture_output=True,
            timeout=5,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = ran.stdout.decode("utf-8", "replace")
    return text[text.index("<svg") :] if ran.returncode == 0 and "<svg" in text else None


# --- on a circle ---

Point = tuple[float, float]


def _on_circle(a: Automaton, edges: dict[tuple[int, int], str]) -> str:
    count = len(a.states)
    wide = max(90.0, 34.0 * count) if count > 1 else 0.0
    side = 2 * (wide + _RADIUS + _MARGIN)
    at = [
        (
            side / 2 - wide * math.cos(2 * math.pi * s / count),
            side / 2 - wide * math.sin(2 * math.pi * s / count),
        )
        for s in range(count)
    ]
    middle = (side / 2, side / 2)
    high = side if count > 2 else 2 * (_RADIUS + _MARGIN)
    arrows = [_arrow(at, pair, pair[::-1] in edges, middle) for pair in edges]
    arrows.append(_start_arrow(at[a.start], middle))
    states = [_state(a, s, at[s]) for s in range(count)]
    # Words lie above all lines.
    words = [_words(at, pair, text, pair[::-1] in edges, middle) for pair, text in edges.items()]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{side:.0f}' height='{high:.0f}' "
        f"viewBox='0 {(side - high) / 2:.0f} {side:.0f} {high:.0f}' role='img'>"
        f"<title>automaton</title>{_HEAD}<rect width='{side:.0f}' height='{side:.0f}' fill='#fff'/>"
        f"{_ARROWS}{''.join(arrows)}</g>{_STATES}{''.join(states)}</g>{_WORDS}{''.join(words)}</g>"
        "</svg>"
    )


def _start_arrow(at: Point, middle: Point) -> str:
    dx, dy = _away(at, middle) if at != middle else (-1.0, 0.0)
    (x, y), (u, v) = ((at[0] + r * dx, at[1] + r * dy) for r in (_RADIUS + 34, _RADIUS + 2))
    return f"<path d='M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}'/>"


def _away(point: Point, middle: Point) -> Point:
    """Returns the direction from the middle to a point."""
    dx, dy = point[0] - middle[0], point[1] - middle[1]
    length = math.hypot(dx, dy) or 1.0
    return dx / length, dy / length


def _curve(at: list[Point], pair: tuple[int, int], both: bool) -> tuple[Point, Point, Point]:
    """Returns the ends and the control point of the arrow between two states."""
    (x, y), (u, v) = at[pair[0]], at[pair[1]]
    along = math.hypot(u - x, v - y)
    dx, dy = (u - x) / along, (v - y) / along
    bend = 0.22 * along if both else 0.06 * along
    control = ((x + u) / 2 + dy * bend, (y + v) / 2 - dx * bend)
    ends = []
    for px, py in ((x, y), (u, v)):
        wx, wy = _away(control, (px, py))
        ends.append((px + wx * (_RADIUS + 2), py + wy * (_RADIUS + 2)))
    return ends[0], control, ends[1]


def _arrow(at: list[Point], pair: tuple[int, int], both: bool, middle: Point) -> str:
    if pair[0] == pair[1]:
        (x, y), (dx, dy) = at[pair[0]], _side(at, pair[0], middle)
        p, q = (_turn((dx, dy), angle) for angle in (-0.45, 0.45))
        near, far = _RADIUS + 2, _RADIUS + 44
        path = (
            f"M{x + p[0] * near:.1f} {y + p[1] * near:.1f}C{x + p[0] * far:.1f} "
            f"{y + p[1] * far:.1f} {x + q[0] * far:.1f} {y + q[1] * far:.1f} "
            f"{x + q[0] * near:.1f} {y + q[1] * near:.1f}"
        )
    else:
        (x, y), (cx, cy), (u, v) = _curve(at, pair, both)
        path = f"M{x:.1f} {y:.1f}Q{cx:.1f} {cy:.1f} {u:.1f} {v:.1f}"
    return f"<path d='{path}'/>"


def _side(at: list[Point], state: int, middle: Point) -> Point:
    """Returns the direction of a state's loop: outwards, a quarter turn from the start's arrow."""
    return _turn(_away(at[state], middle), 0.7) if len(at) > 1 else (0.0, -1.0)


def _turn(direction: Point, angle: float) -> Point:
    (x, y), (c, s) = direction, (math.cos(angle), math.sin(angle))
    return c * x - s * y, s * x + c * y


def _words(at: list[Point], pair: tuple[int, int], text: str, both: bool, middle: Point) -> str:
    if pair[0] == pair[1]:
        (x, y), (dx, dy) = at[pair[0]], _side(at, pair[0], middle)
        x, y = x + dx * (_RADIUS + 46), y + dy * (_RADIUS + 42)
    else:
        p, c, q = _curve(at, pair, both)
        x, y = ((p[i] + 2 * c[i] + q[i]) / 4 for i in (0, 1))
    return f"<text x='{x:.1f}' y='{y + 4:.1f}'>{escape(text)}</text>"


def _state(a: Automaton, state: int, at: Point) -> str:
    x, y = at
    rings = (_RADIUS, _RADIUS - 4) if _accepts(a, state) else (_RADIUS,)
    fill = "#e6f4ea" if len(rings) > 1 else "#fff"
    circles = (
        f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{r}' fill='{fill}' stroke='#111'/>" for r in rings
    )
    title = f"<title>{escape(_short(a.states[state], 200))}</title>"
    name = f"<text x='{x:.1f}' y='{y + 4:.1f}'>{escape(_name(a, state))}</text>"
    return f"<g>{title}{''.join(circles)}{name}</g>"
