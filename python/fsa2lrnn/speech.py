"""Errors as Python says them: the library speaks of the options of the program fsa2lrnn, whose
users wrote `--max-states 9` where those of this package write `max_states=9`."""

from __future__ import annotations

import re
from functools import partial
from typing import get_args

from . import choices

#: What Python calls an option that has another name on the command line.
_NAMES = {"finite-words": "finite"}
_FLAGS = "sink|numeric|force|gated|strict|finite-words|elements"
_NUMBERS = "layers|householders|key-dim|limit|max-sets|max-states|effort|kernel|max-order"
_CHOICES = "label|target|cascade|keys|schedule|format|formats|exact-in|weights-dtype|dtype"
_KINDS = choices.Label, choices.Target, choices.Cascade, choices.Keys, choices.Stepping
_FORMATS = "bf16", "fp16", "fp32", "fp64", "tf32", "e4m3", "e5m2", "chunk64"
_VALUE = f"(?:{'|'.join(name for kind in _KINDS for name in get_args(kind))}|{'|'.join(_FORMATS)})"
_VALUES = [
    (rf"--({_NUMBERS}) (\d+)", "{}={}"),
    (rf"--({_CHOICES}) ({_VALUE}(?:,{_VALUE})*)(?![\w-])", '{}="{}"'),
    (r"--(read-as) ((?:labels|epsilon)=[^ ,;)]*)", '{}="{}"'),
]
_NAMED = rf"--({_FLAGS}|{_NUMBERS}|{_CHOICES}|read-as|symbols|alphabet)(?![a-z-])( [A-Z]+\b)?"


_WRONG_NAME = re.compile(
    r"(?:--)?([a-z-]+) is (one of|a list, separated by commas, of): (.+); not '(.*)'$", re.S
)


def in_python(text: str) -> str:
    """Returns a text of the library with keyword arguments in place of options.

    >>> in_python("a transition is missing; --sink adds a rejecting sink")
    'a transition is missing; sink=True adds a rejecting sink'
    >>> in_python("D1 with --layers 2 --key-dim 3; compile --target diagonal")
    'D1 with layers=2 key_dim=3; compile target="diagonal"'
    >>> in_python("--read-as labels=sets says that it is a list; pass it with --regex")
    'read_as="labels=sets" says that it is a list; pass it to regex()'
    >>> in_python("--dtype is one of: float32, float64; not 'f'")
    "dtype must be one of 'float32', 'float64', not 'f'"
    """
    wrong = _WRONG_NAME.match(text)
    if wrong:
        listed = ", ".join(repr(name) for name in wrong[3].split(", "))
        several = wrong[2] != "one of"
        must = f"may have {listed}, each once" if several else f"must be one of {listed}"
        return f"{_keyword(wrong[1])} {must}, not {wrong[4]!r}"
    for pattern, form in _VALUES:
        text = re.sub(pattern, partial(_with_value, form), text)
    text = re.sub(rf"--({_FLAGS})(?![a-z-])", lambda m: f"{_keyword(m[1])}=True", text)
    text = re.sub(_NAMED, lambda m: _keyword(m[1]), text)
    return re.sub(r"(?:with )?--regex(?! is| takes)\b", "to regex()", text)


def _keyword(option: str) -> str:
    return _NAMES.get(option, option.replace("-", "_"))


def _with_value(form: str, found: re.Match[str]) -> str:
    return form.format(_keyword(found[1]), found[2])
