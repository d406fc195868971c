"""Compiling: from an automaton to a network."""

from __future__ import annotations

from . import choices
from ._native import argument, call, ffi, lib
from .automaton import Automaton, handle_of
from .choices import Cascade, Keys, Label, Names, Stepping, Target, WeightsDtype
from .errors import ArgumentError
from .network import Network
from .task import Task, running

_CHOICES = {
    "label": Label,
    "schedule": Stepping,
    "keys": Keys,
    "cascade": Cascade,
    "target": Target,
    "weights_dtype": WeightsDtype,
}


def compile(
    automaton: Automaton,
    *,
    label: Label | None = None,
    layers: int | None = None,
    householders: int | None = None,
    key_dim: int | None = None,
    limit: int | None = None,
    max_sets: int | None = None,
    formats: Names = None,
    exact_in: Names = None,
    schedule: Stepping | None = None,
    keys: Keys | None = None,
    cascade: Cascade | None = None,
    target: Target | None = None,
    gated: bool | None = None,
    weights_dtype: WeightsDtype | None = None,
    task: Task | None = None,
) -> Network:
    """Builds the best network that a construction gives, and proves it.

    The options are those of `fsa2lrnn compile` (docs/commands.md); None: the usual value.
    label: "states", "outputs", "accept" or "edges". layers, householders, key_dim: bounds.
    formats, exact_in: lists of number formats. keys: "dyadic" or "naive". cascade: "holonomy",
    "capped" or "zeiger". target: "diagonal", "complex", "diagonal-positive" or "one-reflection".
    weights_dtype: of weights.safetensors: "bf16", "f16", "f32", "f64" or "auto".

    It also returns when the proof is open: `verify` gives the verdict. Raises DomainError when no
    construction serves, UnknownError when a limit ended the work without a network.
    """
    given = {k: v for k, v in locals().items() if k not in ("automaton", "task") and v is not None}
    out = ffi.new("fsa2lrnn_options **")
    call(lib.fsa2lrnn_options_new, out)
    options = ffi.gc(out[0], lib.fsa2lrnn_options_free)
    for name, value in given.items():
        text = argument(_option(name, value), name)
        call(lib.fsa2lrnn_options_set, options, name.replace("_", "-").encode(), text)
    made = ffi.new("fsa2lrnn_network **")
    with running(task) as t:
        call(lib.fsa2lrnn_compile, made, handle_of(automaton), options, t)
    return Network(made[0])


def _option(name: str, value: object) -> str:
    """Returns the text that the library takes for the value of an option."""
    if name in _CHOICES:
        choices.one_of(name, value, _CHOICES[name])
        return str(value)
    if name == "gated":
        if not isinstance(value, bool):
            raise ArgumentError(f"gated must be True or False, not {value!r}")
        return "yes" if value else "no"
    if name in ("formats", "exact_in"):
        return choices.names(name, value)
    return str(choices.whole(name, value))
