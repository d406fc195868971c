"""Automata: read from files, texts, expressions and tables."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from ._native import argument, call, ffi, lib, string, take_bytes, text_or_none
from .choices import Label, one_of, whole
from .drawing import svg_of
from .errors import ArgumentError, file_name, files
from .speech import in_python
from .task import Task, running
from .verdict import Verdict, new_verdict, take_verdict


class Table(NamedTuple):
    """A deterministic automaton as arrays."""

    next: NDArray[np.int64]  #: [states, letters] numbers of states
    start: int  #: number of the start state
    accept: NDArray[np.bool_] | None  #: [states]; None where nothing says which states accept


class Automaton:
    """A deterministic, total automaton, which `read`, `parse`, `regex` or a `from_` function made.

    >>> a = parse("start even\\naccept odd\\neven 0 even\\neven 1 odd\\nodd 0 odd\\nodd 1 even")
    >>> a
    <Automaton: 2 states, 2 letters>
    >>> a.letters, a.states, a.start
    (('0', '1'), ('even', 'odd'), 0)
    >>> a.next.tolist()
    [[0, 1], [1, 0]]
    """

    def __init__(self, handle: Any) -> None:
        self._c = ffi.gc(handle, lib.fsa2lrnn_automaton_free)
        states, letters = lib.fsa2lrnn_automaton_states(handle), lib.fsa2lrnn_automaton_letters(
            handle
        )
        #: names of the letters
        self.letters = tuple(
            string(lib.fsa2lrnn_automaton_letter(handle, i)) for i in range(letters)
        )
        #: names of the states
        self.states = tuple(string(lib.fsa2lrnn_automaton_state(handle, i)) for i in range(states))
        #: number of the start state
        self.start = int(lib.fsa2lrnn_automaton_start(handle))

    @cached_property
    def next(self) -> NDArray[np.int64]:
        """[states, letters] numbers of states."""
        at, shape = lib.fsa2lrnn_automaton_next, (len(self.states), len(self.letters))
        table = np.array([at(self._c, *place) for place in np.ndindex(shape)], np.int64)
        table = table.reshape(shape)
        table.flags.writeable = False
        return table

    def _labels(self, kind: str) -> tuple[str, ...] | None:
        names = [text_or_none(self._label(kind, s, 0)) for s in range(len(self.states))]
        return None if None in names else tuple(n for n in names if n is not None)

    def _label(self, kind: str, state: int, letter: int) -> Any:
        return lib.fsa2lrnn_automaton_label(self._c, kind.encode(), state, letter)

    @cached_property
    def accept(self) -> NDArray[np.bool_] | None:
        """[states] whether a state accepts; None where nothing says so."""
        labels = self._labels("accept")
        return None if labels is None else np.array(labels) == "accept"

    @cached_property
    def outputs(self) -> tuple[str, ...] | None:
        """[states] outputs of states (a Moore machine), or None."""
        return self._labels("outputs")

    @cached_property
    def edge_outputs(self) -> tuple[tuple[str, ...], ...] | None:
        """[states][letters] outputs of transitions (a Mealy machine), or None."""
        if self._label("edges", 0, 0) == ffi.NULL:
            return None
        return tuple(
            tuple(string(self._label("edges", s, a)) for a in range(len(self.letters)))
            for s in range(len(self.states))
        )

    @property
    def text(self) -> str:
        """The canonical `.fsa` text."""
        return string(lib.fsa2lrnn_automaton_text(self._c))

    @property
    def notes(self) -> str:
        """What reading changed, such as "made deterministic: 3 states became 5", or "". These steps
        are outside every proof."""
        return in_python(string(lib.fsa2lrnn_automaton_notes(self._c)))

    def to_table(self) -> Table:
        """Returns next [states, letters], start and accept [states] or None.

        >>> regex("(ab)*").to_table().next.shape
        (3, 2)
        """
        return Table(self.next, self.start, self.accept)

    # --- comparison ---

    @cached_property
    def _canonical(self) -> tuple[object, ...]:
        """What two equal automata share: letters, and, with the states in the order in which words
        reach them, names, transitions and labels."""
        table, order, place = self.next.tolist(), [self.start], {self.start: 0}
        for s in order:
            for to in table[s]:
                if to not in place:
                    place[to] = len(order)
                    order.append(to)
        rows = tuple(tuple(place[to] for to in table[s]) for s in order)
        labels = [
            None if kind is None else tuple(kind[s] for s in order)
            for kind in (self._labels("accept"), self.outputs, self.edge_outputs)
        ]
        return self.letters, tuple(self.states[s] for s in order), rows, *labels

    def __eq__(self, other: object) -> bool:
        """Returns whether both have the same letters in the same order, and the same states by name
        with their transitions and labels, in any order. `equivalent` compares languages.

        >>> even = regex("(aa)*")
        >>> even == parse(even.text), even == regex("(aa)*a")
        (True, False)
        """
        if not isinstance(other, Automaton):
            return NotImplemented
        return self is other or self._canonical == other._canonical

    def __hash__(self) -> int:
        return hash(self._canonical)

    # --- for people ---

    def _repr_svg_(self) -> str | None:
        return svg_of(self)

    def __repr__(self) -> str:
        return f"<Automaton: {len(self.states)} states, {len(self.letters)} letters>"

    def __reduce__(self) -> tuple[Callable[[str], Automaton], tuple[str]]:
        return parse, (self.text,)


def _make(function: Callable[..., int], sources: Sequence[Any], **reading: Any) -> Automaton:
    """Calls a reader with (out, *sources, reading, task, err)."""
    c, kept = ffi.new("fsa2lrnn_reading *"), []
    for field in ("sink", "numeric", "finite", "strict"):
        setattr(c, field, bool(reading.get(field)))
    c.max_states = whole("max_states", reading["max_states"], 0)
    for field in ("symbols", "name", "read_as"):
        kept.append(argument(reading.get(field), field))
        setattr(c, field, kept[-1])
    c.symbols_size = len(kept[0]) - 1 if reading.get("symbols") is not None else 0
    out = ffi.new("fsa2lrnn_automaton **")
    with running(reading["task"]) as t:
        call(function, out, *sources, c, t)
    return Automaton(out[0])


def parse(
    text: str | bytes,
    *,
    sink: bool = False,
    numeric: bool = False,
    symbols: str | None = None,
    finite: bool = False,
    read_as: str | None = None,
    strict: bool = False,
    max_states: int = 0,
    name: str | None = None,
    task: Task | None = None,
) -> Automaton:
    """Reads the text of a grammar: `.fsa`, AT&T, GAP, DOT, JSON, .aut, .kiss2, .mata, .ba, HOA or
    rules of a lexer, recognised by its content, and makes it deterministic.

    sink: missing transitions lead to a new rejecting state; otherwise they are an error, except
    in syntaxes that let them reject, such as AT&T and HOA, for networks with the label accept.
    numeric: numeric labels of AT&T text are names of letters; symbols: its symbol table.
    finite: an HOA file with Buchi acceptance by states is about finite words.
    read_as: how labels are meant, such as "labels=sets,epsilon=i": letters, sets, guards or pairs,
    and names of the empty word. strict: what `notes` would say is an error.
    max_states: limit of the result; 0: 1,000,000. name: of the grammar, for reports.

    Raises FormatError with line and column for malformed text.

    >>> parse("start even\\neven 0 even\\neven 1")
    Traceback (most recent call last):
    fsa2lrnn.errors.FormatError: 3:1: expected an edge, `STATE LETTER STATE`
    """
    if not isinstance(text, (str, bytes)):
        raise ArgumentError(f"a grammar is a text, not {type(text).__name__}")
    raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return _make(
        lib.fsa2lrnn_automaton_read,
        (ffi.from_buffer("char[]", raw), len(raw)),
        sink=sink,
        numeric=numeric,
        symbols=symbols,
        finite=finite,
        read_as=read_as,
        strict=strict,
        max_states=max_states,
        name=name,
        task=task,
    )


def read(path: str | os.PathLike[str], **reading: Any) -> Automaton:
    """Reads the file of a grammar; the other arguments are those of `parse`, which reads a text.

    >>> read("start a")
    Traceback (most recent call last):
    fsa2lrnn.errors.NotFoundError: [Errno 2] No such file or directory: 'start a'
    """
    if isinstance(path, str) and "\n" in path:
        raise ArgumentError("a path has no line feed: read() takes a path, parse() a text")
    file = Path(file_name(path, "path"))
    with files():
        text = file.read_bytes()
    return parse(text, **{"name": file.name, **reading})


def regex(
    expression: str,
    alphabet: str | None = None,
    *,
    sink: bool = False,
    max_states: int = 0,
    name: str | None = None,
    task: Task | None = None,
) -> Automaton:
    """Reads a POSIX extended regular expression. Letters are the characters that it mentions, or
    those of `alphabet`, which `.` and `[^a]` need.

    >>> regex("(a|b)*abb").accept.tolist()
    [False, False, False, True]
    """
    texts = argument(expression, "the expression"), argument(alphabet, "the alphabet")
    return _make(
        lib.fsa2lrnn_automaton_regex, texts, sink=sink, max_states=max_states, name=name, task=task
    )


def equivalent(
    a: Automaton, b: Automaton, label: Label | None = None, *, task: Task | None = None
) -> Verdict:
    """Decides whether two automata with the same letters give every word the same label.

    label: "accept", "outputs", "edges" or "states"; None: the first of accept, outputs and edges
    that `a` has. A refuted verdict has a shortest word on which they differ.

    >>> print(equivalent(regex("(ab)*"), regex("(ab)*(ab)?(abba)?")))
    equivalent: REFUTED after a b b a (reject and accept)
    """
    if label is not None:
        one_of("label", label, Label)
    c = new_verdict()
    with running(task) as t:
        call(lib.fsa2lrnn_equivalent, c, handle_of(a), handle_of(b), argument(label, "label"), t)
    return take_verdict(c, "equivalent", a.letters)


def classify(a: Automaton, label: Label = "states", *, task: Task | None = None) -> dict[str, Any]:
    """Says which classes of models can track the automaton, and how few layers can be enough: the
    facts of `fsa2lrnn classify --json` (docs/json.md).

    >>> facts = classify(regex("(aa)*"), "accept")
    >>> facts["aperiodic"], facts["classes"][0]["class"], facts["classes"][0]["answer"]
    (False, 'diagonal-positive', 'cannot')
    """
    return _facts(lib.fsa2lrnn_classify, a, label, task)


def choose(a: Automaton, label: Label = "states", *, task: Task | None = None) -> dict[str, Any]:
    """Says which layer to take, why, and what is lost one step cheaper: the facts of
    `fsa2lrnn choose --json` (docs/choosing.md). `config_text` of a holder is a config.json that
    transformers or flash-linear-attention loads.

    >>> take = choose(regex("(aa)*"), "accept")["take"]
    >>> take["layer_type"], take["figures"]["layers"], take["state_format"]
    ('DeltaNet', 1, 'bf16')
    """
    return _facts(lib.fsa2lrnn_choose, a, label, task)


def _facts(function: Any, a: Automaton, label: Label, task: Task | None) -> dict[str, Any]:
    one_of("label", label, Label)
    out = ffi.new("char **")
    with running(task) as t:
        call(function, out, handle_of(a), argument(label, "label"), t)
    size = len(ffi.string(out[0]))
    facts: dict[str, Any] = json.loads(take_bytes(out[0], size))
    return facts


def handle_of(a: Automaton) -> Any:
    if not isinstance(a, Automaton):
        hint = ": read() reads a file, parse() a text" if isinstance(a, str) else ""
        raise ArgumentError(f"an Automaton is needed, not {type(a).__name__}{hint}")
    return a._c
