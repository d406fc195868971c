"""Verdicts, the comparison of automata, and the independent checker."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, NoReturn, Sequence

from ._native import ffi, lib, string

_NAMES = {0: "VERIFIED", 1: "REFUTED", 2: "UNKNOWN"}
_COLOURS = {"VERIFIED": "#1a7f37", "REFUTED": "#cf222e", "UNKNOWN": "#9a6700"}


@dataclass(frozen=True)
class Verdict:
    """VERIFIED, REFUTED or UNKNOWN, about a claim on words of every length.

    A verdict has three values, so it is no truth value: `if verdict:` raises TypeError. Ask for
    `.verified`, `.refuted` or `.unknown`.

    >>> v = Verdict("REFUTED", "bf16 every, nearest code", "expected odd, got even", ("1", "0"))
    >>> v.verified, v.refuted, v.unknown, v.word
    (False, True, False, ('1', '0'))
    >>> print(v)
    bf16 every, nearest code: REFUTED after 1 0 (expected odd, got even)
    """

    verdict: str  #: "VERIFIED", "REFUTED" or "UNKNOWN"
    claim: str  #: "exact", "bf16 every, nearest code", "equivalent" or "lrnn-check"
    text: str  #: what the verdict rests on, or why it is UNKNOWN
    word: tuple[str, ...] | None = None  #: letters of a word that refutes the claim
    #: every word of at most this many letters is right; None: not known
    right_up_to: int | None = None

    @property
    def verified(self) -> bool:
        """Whether the claim is proved for all words."""
        return self.verdict == "VERIFIED"

    @property
    def refuted(self) -> bool:
        """Whether the claim is wrong; `word` shows it."""
        return self.verdict == "REFUTED"

    @property
    def unknown(self) -> bool:
        """Whether nothing is claimed: a limit was reached or the work was cancelled."""
        return self.verdict == "UNKNOWN"

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has three values: ask for .verified, .refuted or .unknown")

    def __str__(self) -> str:
        after = "" if self.word is None else f" after {' '.join(self.word) or 'the empty word'}"
        text = f"{self.claim}: {self.verdict}{after}" + (f" ({self.text})" if self.text else "")
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)

    def _repr_html_(self) -> str:
        rest = str(self).split(self.verdict, 1)[1]
        return (
            f"<span>{escape(self.claim)}: <b style='color:{_COLOURS[self.verdict]}'>"
            f"{self.verdict}</b>{escape(rest)}</span>"
        )


def verdict_of(status: int, claim: str, text: str) -> Verdict:
    """Returns the verdict of a status that is one."""
    return Verdict(_NAMES[status], claim, text)


def take_verdict(c: Any, claim: str, letters: Sequence[str]) -> Verdict:
    """Returns an fsa2lrnn_verdict, whose letters have these names, and frees its word."""
    try:
        refuted = c.verdict == lib.FSA2LRNN_REFUTED
        word = tuple(letters[c.word[i]] for i in range(c.length)) if refuted else None
        right = int(c.right_up_to) if c.right_up_to_known else None
        return Verdict(_NAMES[c.verdict], claim, string(c.text), word, right)
    finally:
        lib.fsa2lrnn_verdict_clear(c)


def new_verdict() -> Any:
    return ffi.new("fsa2lrnn_verdict *")
