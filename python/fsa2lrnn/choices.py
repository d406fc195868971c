"""The names that arguments take, as types and for errors. tests/python/t_package.py compares them
with the library's."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Literal, Optional, Sequence, Union, get_args

from .errors import ArgumentError

Label = Literal["states", "outputs", "accept", "edges"]
Keys = Literal["dyadic", "naive"]
Cascade = Literal["holonomy", "capped", "zeiger", "pure"]
Target = Literal["diagonal", "complex", "diagonal-positive", "one-reflection"]
WeightsDtype = Literal["auto", "bf16", "f16", "f32", "f64"]
#: Orders of operations that go letter by letter.
Stepping = Literal["every", "fma", "acc32", "recurrent", "cast"]
#: What a network can be exported to.
ExportTarget = Literal[
    "coq",
    "fla-deltanet",
    "fla-gated-deltaproduct",
    "npz",
    "olmo-hybrid",
    "onnx",
    "pytorch",
]
#: Number formats: one text, as "bf16,fp16", or several.
Names = Optional[Union[str, Sequence[str]]]


def one_of(what: str, value: object, choices: Any) -> None:
    """Raises ArgumentError unless the value is one of a Literal's.

    >>> one_of("a", "nave", Literal["naive", "b"])
    Traceback (most recent call last):
    fsa2lrnn.errors.ArgumentError: a must be one of 'naive', 'b', not 'nave'; did you mean 'naive'?
    """
    known = get_args(choices)
    if isinstance(value, str) and value in known:
        return
    near = get_close_matches(value, known, 1) if isinstance(value, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(repr(name) for name in known)
    raise ArgumentError(f"{what} must be one of {listed}, not {value!r}{hint}")


def whole(what: str, value: object, least: int = 1, most: int = 4_000_000_000) -> int:
    """Returns a whole number within bounds; ArgumentError for anything else.

    >>> whole("layers", 0)
    Traceback (most recent call last):
    fsa2lrnn.errors.ArgumentError: layers must be a whole number from 1 to 4000000000, not 0
    """
    number = value.__index__() if hasattr(value, "__index__") else least - 1
    if isinstance(value, bool) or not least <= number <= most:
        raise ArgumentError(f"{what} must be a whole number from {least} to {most}, not {value!r}")
    return int(number)


def names(what: str, value: object) -> str:
    """Returns names as one text with commas between them; ArgumentError for what are no names."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return ",".join(value)
    raise ArgumentError(f"{what} must be a text or a list of texts, not {value!r}")
