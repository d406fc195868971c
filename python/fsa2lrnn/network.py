"""Networks: compiled or read, with their weights, verdicts and runs."""

from __future__ import annotations

import json
import os
import tempfile
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Callable, Iterable, Union

import numpy as np
from numpy.typing import NDArray

from . import matrices, weights
from ._native import NONE, argument, call, ffi, lib, path, string, take_bytes, text_or_none
from .automaton import Automaton, handle_of, parse
from .errors import ArgumentError, DomainError, file_name, files
from .task import Task, running
from .verdict import Verdict, new_verdict, take_verdict, verdict_of

Letter = Union[str, int]
_FILES = ("automaton.fsa", "network.lrnn", "certificate.cert")


class Run:
    """A network that reads a word letter by letter; `Network.start` makes one."""

    def __init__(self, network: Network, format: str | None, schedule: str | None) -> None:
        out = ffi.new("fsa2lrnn_run **")
        arithmetic = argument(format, "format"), argument(schedule, "schedule")
        call(lib.fsa2lrnn_run_new, out, network._c, *arithmetic)
        # The run borrows the network, which the destructor keeps alive.
        self._c = ffi.gc(out[0], lambda c, _=network._c: lib.fsa2lrnn_run_free(c))
        self._network = network
        self._label = ffi.new("size_t *")
        #: the label of the letters read so far; None where the state decodes to nothing, and for
        #: the empty word where labels are on transitions
        self.label: str | None = None
        self.restart()

    def restart(self) -> None:
        """Goes back to the empty word."""
        call(lib.fsa2lrnn_run_start, self._c, self._label)
        self.label = self._network._label_of(self._label[0])

    def step(self, letter: Letter) -> str | None:
        """Reads a letter, by name or number, and returns the label."""
        call(lib.fsa2lrnn_run_step, self._c, self._network.number(letter), self._label)
        self.label = self._network._label_of(self._label[0])
        return self.label

    @property
    def expected(self) -> str | None:
        """The automaton's label of the letters read so far; None without an automaton."""
        return text_or_none(lib.fsa2lrnn_run_expected(self._c))


class Network:
    """A network with exact weights, which `compile`, `load` or `Network.from_text` made. One
    network, with its runs, is used by one thread at a time; different ones by different threads.

    >>> from fsa2lrnn import compile, regex
    >>> net = compile(regex("(aa)*"), label="accept")
    >>> print(net.verify("bf16"))
    bf16 every, nearest code: VERIFIED (nothing rounds)
    >>> net.run("aaa")
    ['reject', 'accept', 'reject']
    >>> net.layers[0].heads[0].key.shape
    (1, 1, 1)
    """

    def __init__(self, handle: Any) -> None:
        c = self._c = ffi.gc(handle, lib.fsa2lrnn_network_free)
        letters, labels = lib.fsa2lrnn_network_letters(c), lib.fsa2lrnn_network_labels(c)
        #: names of the letters
        self.letters = tuple(string(lib.fsa2lrnn_network_letter(c, i)) for i in range(letters))
        #: names of the labels
        self.labels = tuple(string(lib.fsa2lrnn_network_label(c, i)) for i in range(labels))
        self._numbers = {name: i for i, name in enumerate(self.letters)}
        self._single = all(len(name) == 1 for name in self.letters)

    @classmethod
    def from_text(cls, text: str, automaton: Automaton | None = None) -> Network:
        """Reads the text of network.lrnn. It runs words; for verdicts and weights it needs its
        automaton, read from the very text of automaton.fsa."""
        if not isinstance(text, str):
            raise ArgumentError(f"text is {type(text).__name__}, not the text of network.lrnn")
        raw = text.encode("utf-8", "surrogateescape")
        out = ffi.new("fsa2lrnn_network **")
        call(lib.fsa2lrnn_network_read, out, ffi.from_buffer("char[]", raw), len(raw))
        network = cls(out[0])
        if automaton is not None:
            call(lib.fsa2lrnn_network_set_automaton, network._c, handle_of(automaton))
        return network

    # --- words ---

    def number(self, letter: Letter) -> int:
        """Returns the number of a letter, which is given by its name or its number."""
        found = self._numbers.get(letter) if isinstance(letter, str) else None
        whole = isinstance(letter, (int, np.integer)) and not isinstance(letter, bool)
        if whole and 0 <= int(letter) < len(self.letters):
            found = int(letter)
        if found is None:
            named = ", ".join(self.letters[:8]) + (", .." if len(self.letters) > 8 else "")
            raise ArgumentError(f"there is no letter {letter!r}; the letters are {named}")
        return found

    def encode(self, word: Iterable[Letter]) -> list[int]:
        """Returns the numbers of the letters of a word: names or numbers. A text is taken by its
        characters, where all letters have one.

        >>> from fsa2lrnn import compile, regex
        >>> compile(regex("(ab)*")).encode("abba")
        [0, 1, 1, 0]
        """
        if isinstance(word, str) and not self._single:
            raise ArgumentError(
                f"{word[:40]!r} is one text, and letters have several characters: give a list"
            )
        return [self.number(letter) for letter in word]

    def _label_of(self, number: int) -> str | None:
        return None if number == NONE else self.labels[number]

    def start(self, format: str | None = None, schedule: str | None = None) -> Run:
        """Returns a run at the empty word, in exact arithmetic (format None) or in a number format
        and schedule, as `verify` takes them."""
        return Run(self, format, schedule)

    def run(
        self, word: Iterable[Letter], format: str | None = None, schedule: str | None = None
    ) -> list[str | None]:
        """Returns the label after every letter of a word; None where the state decodes to
        nothing."""
        letters, run = self.encode(word), self.start(format, schedule)
        return [run.step(letter) for letter in letters]

    # --- verdicts ---

    def verify(
        self, format: str | None = None, schedule: str | None = None, *, task: Task | None = None
    ) -> Verdict:
        """Decides whether the network gives every word, of every length, the automaton's label:
        exactly (format None), or in a number format ("bf16", "fp32", "p=5,emin=-6,emax=7") and a
        schedule ("every", "fma", "acc32", "recurrent", "cast", "chunk64"; None: "every").

        A network that was read gets a `report` of its verdicts, unless it has one, and, once it is
        VERIFIED exactly, its `certificate`.
        """
        c = new_verdict()
        with running(task) as t:
            arithmetic = argument(format, "format"), argument(schedule, "schedule")
            call(lib.fsa2lrnn_verify, c, self._c, *arithmetic, t)
        return take_verdict(c, _claim(format, schedule), self.letters)

    def certify(
        self,
        automaton: Automaton,
        *,
        format: str | None = None,
        schedule: str | None = None,
        certificate: str | None = None,
        limit: int | None = None,
        task: Task | None = None,
    ) -> tuple[Network, Verdict]:
        """Proves a network that somebody else wrote, which `from_text` read, for an automaton with
        its letters in any order. Returns a network of its own and the verdict: the network has the
        automaton in canonical form, the certificate of the verdict, "" where lrnn-check has no
        claim for the proof, as the verdict's text says, and a report. Its text differs in the line
        that names the automaton.

        format, schedule: as for `verify`. certificate: a certificate of this network, whose levels
        or form the proof may follow; nothing in it is believed. limit: most joint states of a
        closure; None: 1,000,000.

        >>> from fsa2lrnn import Network, compile, parse
        >>> even = "start e\\naccept e\\ne a o\\no a e"
        >>> theirs = Network.from_text(compile(parse(even), label="accept").text)
        >>> proved, verdict = theirs.certify(parse(even))
        >>> print(verdict)
        exact: VERIFIED (closure of 2 joint states)
        >>> proved.check().verified
        True
        """
        out, verdict = ffi.new("fsa2lrnn_network **"), new_verdict()
        claim = ffi.new("fsa2lrnn_claim *")
        texts = argument(format, "format"), argument(schedule, "schedule")
        claim.format, claim.schedule = texts
        held = argument(certificate, "certificate")
        if certificate is not None:
            claim.certificate, claim.certificate_size = held, len(held) - 1
        if limit is not None and not 0 < limit < 2**63:
            raise ArgumentError(f"limit is {limit}: not a number of joint states")
        claim.limit = limit or 0
        with running(task) as t:
            call(lib.fsa2lrnn_certify, out, verdict, self._c, handle_of(automaton), claim, t)
        proved = Network(out[0])
        return proved, take_verdict(verdict, _claim(format, schedule), proved.letters)

    def check(self, checker: str | os.PathLike[str] | None = None) -> Verdict:
        """Lets lrnn-check, which shares no code with the library, verify the certificate."""
        if not self.certificate:
            raise DomainError(
                "the network has no certificate: verify() gives it one when it is VERIFIED exactly "
                "and its automaton is in canonical form, and certify() returns one in any case"
            )
        with tempfile.TemporaryDirectory(prefix="fsa2lrnn-") as folder:
            for name, text in zip(_FILES, (self._automaton_text, self.text, self.certificate)):
                Path(folder, name).write_bytes(text.encode("utf-8", "surrogateescape"))
            return check(folder, checker)

    # --- files ---

    @property
    def text(self) -> str:
        """The text of network.lrnn."""
        return string(lib.fsa2lrnn_network_text(self._c))

    @property
    def certificate(self) -> str:
        """The text of certificate.cert, "" where there is none."""
        return string(lib.fsa2lrnn_network_certificate(self._c))

    @property
    def _automaton_text(self) -> str:
        return string(lib.fsa2lrnn_network_automaton(self._c))

    @cached_property
    def automaton(self) -> Automaton | None:
        """The automaton, None where the network has none."""
        return parse(self._automaton_text) if self._automaton_text else None

    @property
    def report(self) -> dict[str, Any]:
        """The facts of report.json (docs/json.md), empty where there is none."""
        text = string(lib.fsa2lrnn_network_report(self._c))
        facts: dict[str, Any] = json.loads(text) if text else {}
        return facts

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes automaton.fsa, network.lrnn, certificate.cert, weights.safetensors and
        report.json into a new folder, whole or not at all; `force` replaces a folder that holds
        nothing else."""
        call(lib.fsa2lrnn_network_save, self._c, path(folder, "folder"), force)

    # --- weights ---

    def safetensors(self) -> bytes:
        """Returns the bytes of weights.safetensors (docs/formats.md)."""
        out, size = ffi.new("char **"), ffi.new("size_t *")
        call(lib.fsa2lrnn_network_weights, out, size, self._c)
        return take_bytes(out[0], size[0])

    @cached_property
    def _weights(self) -> tuple[dict[str, str], weights.Tensors]:
        return weights.parse(self.safetensors())

    @property
    def wired(self) -> bool:
        """Whether the network is wired: it has circuits beside its heads, and no `layers`."""
        return self.text.startswith("lrnn-wired ")

    @cached_property
    def layers(self) -> tuple[weights.Layer, ...]:
        """The layers with their weights, codes and decoders. DomainError for a wired network, whose
        tensors are in `safetensors`."""
        if self.wired:
            raise DomainError(
                "the network is wired, not layers alone: its tensors are in safetensors(); other "
                "options of compile, such as layers, may give layers"
            )
        return weights.layers_of(self._weights[1])

    @cached_property
    def letter_classes(self) -> NDArray[np.int64]:
        """[letters] what the first layer reads for each letter of a word."""
        classes = self._weights[0].get("letter_classes")
        return np.array(json.loads(classes) if classes else range(len(self.letters)), np.int64)

    @property
    def rounded(self) -> bool:
        """Whether some weight is no binary64 number, and `layers` has it rounded to the nearest."""
        return self._weights[0]["rounding"] != "exact"

    # --- for people ---

    def _facts(self) -> list[tuple[str, str]]:
        report = self.report
        built = report.get("construction", {})
        count = int(lib.fsa2lrnn_network_layers(self._c))
        facts = [("layers", f"{count}" + (f" ({built['theorem']})" if built else ""))]
        keys = ("heads", "heads"), ("n_h", "householders"), ("key dimension", "key_dim")
        facts += [(shown, str(built[key])) for shown, key in keys if key in built]
        facts += [("letters", f"{len(self.letters)}"), ("labels", f"{len(self.labels)}")]
        verdicts = [("exact", report.get("exact")), *_formats(report)]
        return facts + [(name, v["verdict"]) for name, v in verdicts if v]

    def __repr__(self) -> str:
        return f"<Network: {', '.join(f'{name} {value}' for name, value in self._facts())}>"

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(value)}</td></tr>"
            for name, value in self._facts()
        )
        facts = f"<table><caption>fsa2lrnn network</caption>{''.join(rows)}</table>"
        return facts + self._matrices_html()

    def _matrices_html(self) -> str:
        """Returns the matrices of the letters, "" where the network has no layers of weights."""
        if self.wired or not self._automaton_text:
            return ""
        classes = self.letter_classes.tolist()
        names = [
            ", ".join(name for name, of in zip(self.letters, classes) if of == x)
            for x in range(max(classes) + 1)
        ]
        return matrices.html_of(self.layers, names)

    def __reduce__(self) -> tuple[Callable[..., Network], tuple[Any, ...]]:
        if not self._automaton_text:
            return Network.from_text, (self.text,)
        with tempfile.TemporaryDirectory(prefix="fsa2lrnn-") as folder:
            self.save(Path(folder, "net"))
            return _unpack, ({p.name: p.read_bytes() for p in Path(folder, "net").iterdir()},)


def _claim(format: str | None, schedule: str | None) -> str:
    return "exact" if format is None else f"{format} {schedule or 'every'}, nearest code"


def _unpack(files: dict[str, bytes]) -> Network:
    """Returns the network whose folder has these files."""
    with tempfile.TemporaryDirectory(prefix="fsa2lrnn-") as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        return load(folder)


def _formats(report: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(f"{v['format']} {v['schedule']}", v) for v in report.get("formats", [])]


def load(folder: str | os.PathLike[str], *, task: Task | None = None) -> Network:
    """Reads the folder that `Network.save` or the program fsa2lrnn wrote."""
    _find_files(folder, _FILES[:2])
    out = ffi.new("fsa2lrnn_network **")
    with running(task) as t:
        call(lib.fsa2lrnn_network_open, out, path(folder, "folder"), t)
    return Network(out[0])


def _find_files(folder: object, names: Iterable[str]) -> None:
    """Raises NotFoundError, or another FileError, unless the folder has these files."""
    with files():
        for name in names:
            os.stat(Path(file_name(folder, "folder"), name))


def check(
    folder: str | os.PathLike[str] | Network, checker: str | os.PathLike[str] | None = None
) -> Verdict:
    """Lets the program lrnn-check, which shares no code with the library, verify the certificate in
    a network's folder, or of a network. `text` of the verdict is lrnn-check's line, and behind it
    the reason where that is not VERIFIED.

    checker: path of lrnn-check; None: the one in this package, else in PATH.
    """
    if isinstance(folder, Network):
        return folder.check(checker)
    _find_files(folder, _FILES)
    line = ffi.new("char[]", int(lib.FSA2LRNN_LINE))
    err = ffi.new("fsa2lrnn_error *")
    program = ffi.NULL if checker is None else path(checker, "checker")
    files = [path(Path(folder, name).absolute(), "folder") for name in _FILES]
    status = lib.fsa2lrnn_check(line, program, *files, err)
    if status == lib.FSA2LRNN_EINVAL:
        raise ArgumentError(string(err.text))
    reason = "" if status == lib.FSA2LRNN_OK else ": " + string(err.text)
    return verdict_of(status, "lrnn-check", string(line) + reason)
