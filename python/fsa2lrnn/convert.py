"""Automata from and to AALpy and automata-lib, and to networkx. These are imported only to make
their objects."""

from __future__ import annotations

from typing import Any, Callable, Hashable, Iterable, Mapping

from . import grammar
from .automaton import Automaton, parse
from .errors import ArgumentError, DomainError


def _in_order(
    start: Any, states: Iterable[Any], after: Callable[[Any], Iterable[Any]]
) -> list[Any]:
    """Returns the states that words reach, breadth-first from the start, and then the others."""
    order = {id(start): start}
    queue = [start]
    for state in queue:
        for to in after(state):
            if id(to) not in order:
                order[id(to)] = to
                queue.append(to)
    for state in states:
        order.setdefault(id(state), state)
    return list(order.values())


def from_aalpy(machine: Any, *, sink: bool = False) -> Automaton:
    """Makes an automaton of an AALpy Dfa, MooreMachine or MealyMachine. Names are the texts of its
    letters and state_ids; outputs become outputs of states or of transitions.

    sink: missing transitions lead to a new rejecting state; otherwise they are an error.
    """
    try:
        states = _in_order(machine.initial_state, machine.states, lambda s: s.transitions.values())
        letters = {x: None for s in states for x in s.transitions}
        column = {x: i for i, x in enumerate(letters)}
        mealy, dfa = hasattr(states[0], "output_fun"), hasattr(states[0], "is_accepting")
        number = {id(s): i for i, s in enumerate(states)}
        edges = [
            (i, column[x], number[id(to)], str(s.output_fun[x]) if mealy else None)
            for i, s in enumerate(states)
            for x, to in s.transitions.items()
        ]
        accept = [i for i, s in enumerate(states) if s.is_accepting] if dfa else None
        outputs = None if mealy or dfa else [str(s.output) for s in states]
        names = [s.state_id for s in states]
    except (AttributeError, TypeError, KeyError) as error:
        raise ArgumentError(
            f"{type(machine).__name__} is no deterministic machine of AALpy: {error}"
        ) from error
    text = grammar.fsa_text(
        grammar.names_of(list(letters), "letters"),
        grammar.names_of(names, "states"),
        0,
        edges,
        accept,
        outputs,
    )
    return parse(text, sink=sink, name="AALpy")


def to_aalpy(a: Automaton) -> Any:
    """Makes an AALpy Dfa, where the automaton says which states accept, else a MooreMachine or
    MealyMachine of its outputs. Letters, state_ids and outputs are texts."""
    automata = _module("aalpy.automata", "aalpy")
    edges = a.edge_outputs
    if a.accept is not None:
        machine, states = automata.Dfa, [
            automata.DfaState(n, bool(y)) for n, y in zip(a.states, a.accept)
        ]
    elif a.outputs is not None:
        machine, states = automata.MooreMachine, [
            automata.MooreState(n, y) for n, y in zip(a.states, a.outputs)
        ]
    elif edges is not None:
        machine, states = automata.MealyMachine, [automata.MealyState(n) for n in a.states]
    else:
        raise DomainError("the automaton has neither accepting states nor outputs")
    for s, state in enumerate(states):
        for x, letter in enumerate(a.letters):
            state.transitions[letter] = states[a.next[s, x]]
            if machine is automata.MealyMachine and edges is not None:
                state.output_fun[letter] = edges[s][x]
    return machine(states[a.start], states)


def from_automata_lib(dfa: Any, *, sink: bool = False) -> Automaton:
    """Makes an automaton of an automata-lib DFA. Letters are in the order of their texts, states
    breadth-first from the start; names are their texts.

    sink: missing transitions (of a DFA with allow_partial) lead to a new rejecting state.
    """
    try:
        letters = sorted(dfa.input_symbols, key=str)
        table: Mapping[Hashable, Mapping[Hashable, Hashable]] = dfa.transitions
        canonical = {s: s for s in sorted(dfa.states, key=str)}
        states = _in_order(
            canonical[dfa.initial_state],
            canonical.values(),
            lambda s: [canonical[table[s][x]] for x in letters if x in table.get(s, {})],
        )
        number = {s: i for i, s in enumerate(states)}
        edges = [
            (number[s], i, number[table[s][x]], None)
            for s in states
            for i, x in enumerate(letters)
            if x in table.get(s, {})
        ]
        accept = [number[s] for s in states if s in dfa.final_states]
    except (AttributeError, TypeError, KeyError) as error:
        raise ArgumentError(f"{type(dfa).__name__} is no DFA of automata-lib: {error}") from error
    text = grammar.fsa_text(
        grammar.names_of(letters, "letters"),
        grammar.names_of(states, "states"),
        0,
        edges,
        accept,
    )
    return parse(text, sink=sink, name="automata-lib")


def to_automata_lib(a: Automaton) -> Any:
    """Makes an automata-lib DFA, whose states and letters are texts."""
    module = _module("automata.fa.dfa", "automata-lib")
    if a.accept is None:
        raise DomainError("the automaton does not say which states accept")
    return module.DFA(
        states=set(a.states),
        input_symbols=set(a.letters),
        transitions={
            s: {x: a.states[to] for x, to in zip(a.letters, row)}
            for s, row in zip(a.states, a.next)
        },
        initial_state=a.states[a.start],
        final_states={s for s, y in zip(a.states, a.accept) if y},
    )


def to_networkx(a: Automaton) -> Any:
    """Makes a networkx MultiDiGraph: states are nodes with `start`, `accept` and `output`, and
    transitions are edges with their letter as key and as `letter`, and `output`; what the automaton
    does not say is None."""
    networkx = _module("networkx", "networkx")
    graph = networkx.MultiDiGraph()
    accept, outputs, edges = a.accept, a.outputs, a.edge_outputs
    for s, name in enumerate(a.states):
        graph.add_node(
            name,
            start=s == a.start,
            accept=None if accept is None else bool(accept[s]),
            output=None if outputs is None else outputs[s],
        )
    for s, row in enumerate(a.next.tolist()):
        for x, to in enumerate(row):
            output = None if edges is None else edges[s][x]
            letter = a.letters[x]
            graph.add_edge(a.states[s], a.states[to], key=letter, letter=letter, output=output)
    return graph


def _module(name: str, package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs the package {package}: pip install {package}") from error
