"""Automata from and to AALpy and automata-lib: by objects of their form, and by the packages
themselves where they are installed."""

import importlib.util
import itertools
import json
import random
import unittest
import unittest.mock
from types import SimpleNamespace as Object

import numpy as np

import fsa2lrnn as f
import samples

needs_aalpy = unittest.skipUnless(importlib.util.find_spec("aalpy"), "aalpy is not installed")
needs_automata = unittest.skipUnless(
    importlib.util.find_spec("automata"), "automata-lib is not installed"
)

needs_networkx = unittest.skipUnless(
    importlib.util.find_spec("networkx"), "networkx is not installed"
)
needs_pandas = unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")


class Frame:
    """An object of the form of pandas' DataFrame, or of its Series where `columns` is None."""

    def __init__(self, values, index=None, columns=None):
        self.values = np.array(values, dtype=object)
        self.index = list(range(len(values))) if index is None else list(index)
        if columns is not None:
            self.columns = list(columns)

    def __len__(self):
        return len(self.values)

    def to_numpy(self, dtype=None):
        return self.values

    def tolist(self):
        return self.values.tolist()


def machine(kind, letters, table, outputs):
    """Returns an object of the form of AALpy's machines; kind: is_accepting, output, output_fun."""
    states = [Object(state_id=f"q{i}", transitions={}, **{kind: y}) for i, y in enumerate(outputs)]
    for state, row in zip(states, table):
        state.transitions = {x: states[to] for x, to in zip(letters, row) if to is not None}
    return Object(initial_state=states[0], states=states[::-1])


class Aalpy(unittest.TestCase):
    def test_forms(self):
        table = [[1, 0], [0, 1]]
        a = f.from_aalpy(machine("is_accepting", [0, 1], table, [True, False]))
        self.assertEqual((a.letters, a.states), (("0", "1"), ("q0", "q1")))
        self.assertEqual((a.next.tolist(), a.accept.tolist()), (table, [True, False]))
        a = f.from_aalpy(machine("output", "xy", table, ["r", 5]))
        self.assertEqual((a.outputs, a.accept), (("r", "5"), None))
        a = f.from_aalpy(machine("output_fun", "xy", table, [{"x": 1, "y": 2}, {"x": 3, "y": 4}]))
        self.assertEqual(a.edge_outputs, (("1", "2"), ("3", "4")))

    def test_what_is_refused(self):
        partial = machine("is_accepting", "x", [[1], [None]], [True, False])
        self.assertRaises(f.DomainError, f.from_aalpy, partial)
        self.assertEqual(len(f.from_aalpy(partial, sink=True).states), 3)
        twins = machine("is_accepting", [1, "1"], [[0, 0]], [True])
        self.assertRaisesRegex(f.ArgumentError, "two letters", f.from_aalpy, twins)
        self.assertRaises(f.ArgumentError, f.from_aalpy, object())
        self.assertRaises(f.ArgumentError, f.from_aalpy, None)

    @needs_aalpy
    def test_package(self):
        kinds = [("states", samples.PARITY)]
        kinds += [("outputs", "start a\noutput a p\noutput b q\na x b\na y a\nb x a\nb y b\n")]
        kinds += [("edges", "start a\na x b p\na y a q\nb x a q\nb y b p\n")]
        for label, text in kinds:
            a = f.parse(text)
            m = f.to_aalpy(a)
            back = f.from_aalpy(m)
            self.assertEqual(back.text, a.text)
            for word in samples.words(5, 2, 12, 1):
                m.reset_to_initial()
                steps = [m.step(a.letters[x]) for x in word]
                kind = "accept" if label == "states" else label
                want = samples.labels(a, kind, word)
                if kind == "accept":
                    want = [y == "accept" for y in want]
                self.assertEqual(steps, want)
        self.assertRaises(f.DomainError, f.to_aalpy, f.from_table([[0]]))

    @unittest.skipIf(importlib.util.find_spec("aalpy"), "aalpy is installed")
    def test_without_the_package(self):
        with self.assertRaisesRegex(ImportError, "pip install aalpy"):
            f.to_aalpy(f.parse(samples.PARITY))


class AutomataLib(unittest.TestCase):
    def dfa(self, **changes):
        table = {"p": {"1": "q", "0": "p"}, "q": {"0": "q", "1": "p"}}
        parts = {"states": {"q", "p"}, "input_symbols": {"1", "0"}, "transitions": table}
        return Object(**{**parts, "initial_state": "p", "final_states": {"q"}, **changes})

    def test_form(self):
        a = f.from_automata_lib(self.dfa())
        self.assertEqual((a.letters, a.states), (("0", "1"), ("p", "q")))
        self.assertEqual((a.next.tolist(), a.accept.tolist()), ([[0, 1], [1, 0]], [False, True]))
        self.assertEqual(f.from_automata_lib(self.dfa(initial_state="q")).states, ("q", "p"))

    def test_what_is_refused(self):
        partial = self.dfa(transitions={"p": {"1": "q", "0": "p"}, "q": {}})
        self.assertRaises(f.DomainError, f.from_automata_lib, partial)
        self.assertEqual(len(f.from_automata_lib(partial, sink=True).states), 3)
        self.assertRaises(f.ArgumentError, f.from_automata_lib, {"states": 3})
        self.assertRaises(f.ArgumentError, f.from_automata_lib, self.dfa(initial_state="r"))

    @needs_automata
    def test_package(self):
        for kind in ("tomita 5", "tomita 7", "modarith 3"):
            a = samples.new(kind)
            if a.accept is None:
                a = f.from_table(a.next, start=a.start, accept=a.next[:, 0] == 0)
            dfa = f.to_automata_lib(a)
            back = f.from_automata_lib(dfa)
            self.assertTrue(f.equivalent(a, back).verified)
            for word in samples.words(10, len(a.letters), 9, 2):
                names = [a.letters[x] for x in word]
                accepted = samples.labels(a, "accept", word)[-1] == "accept"
                self.assertEqual(dfa.accepts_input(names), accepted)
        with self.assertRaises(f.DomainError):
            f.to_automata_lib(f.from_table([[0]]))

    @needs_automata
    def test_json_spellings(self):
        """Random automata, written in the spellings of several programs, accept the words that
        automata-lib accepts."""
        from automata.fa.nfa import NFA

        for seed in range(40):
            rng = random.Random(seed)
            states = [f"q{i}" for i in range(rng.randint(1, 4))]
            letters = ["a", "b"]
            edges = {
                (rng.choice(states), rng.choice([*letters, ""]), rng.choice(states))
                for _ in range(rng.randint(1, 8))
            }
            final = [q for q in states if rng.random() < 0.5]
            table = {q: {} for q in states}
            for p, x, q in sorted(edges):
                table[p].setdefault(x, []).append(q)
            nfa = NFA(
                states=set(states),
                input_symbols=set(letters),
                transitions={p: {x: set(to) for x, to in row.items()} for p, row in table.items()},
                initial_state=states[0],
                final_states=set(final),
            )
            triples = [list(edge) for edge in sorted(edges)]
            keys = ("states", "input_symbols", "transitions", "initial_state", "final_states")
            forms = [
                (keys, table),
                (("states", "alphabet", "delta", "start", "accept"), table),
                (("states", "alphabet", "transitions", "initial_states", "accepting"), triples),
                (("Q", "Sigma", "edges", "q0", "F"), [[[p, x], q] for p, x, q in triples]),
                (
                    ("stateSet", "symbols", "transition function", "start-state", "finals"),
                    [{"from": p, "input": x, "to": q} for p, x, q in triples],
                ),
                (
                    ("states", "letters", "transitions", "start", "accept_states"),
                    {f"({p}, {x})": to for p, row in table.items() for x, to in row.items()},
                ),
            ]
            for names, transitions in forms:
                parts = (states, letters, transitions, states[0], final)
                text = json.dumps(dict(zip(names, parts)))
                a = f.parse(text, sink=True)
                self.assertEqual(a.letters, tuple(letters), text)
                for n in range(5):
                    for word in itertools.product(range(2), repeat=n):
                        state = a.start
                        for x in word:
                            state = a.next[state, x]
                        accepted = nfa.accepts_input([letters[x] for x in word])
                        self.assertEqual(bool(a.accept[state]), accepted, (text, word))


class Tables(unittest.TestCase):
    """DataFrames of pandas: by objects of their form, and by the package itself."""

    def check(self, frame, series):
        words = ["closed", "open"]
        door = frame([["open", "closed"], ["open", "closed"]], words, ["push", "pull"])
        a = f.from_table(door, accept=series([True, False], words[::-1]))
        self.assertEqual((a.letters, a.states), (("push", "pull"), ("closed", "open")))
        self.assertEqual((a.next.tolist(), a.accept.tolist()), ([[1, 0], [1, 0]], [False, True]))
        self.assertEqual(f.from_table(door, start="open").start, 1)
        self.assertEqual(f.from_table(door, accept=[False, True]), a)
        outputs = f.from_table(door, outputs=series(["o", "c"], words[::-1])).outputs
        self.assertEqual(outputs, ("c", "o"))
        edges = frame([["a", "b"], ["c", "d"]], words[::-1], ["pull", "push"])
        self.assertEqual(
            f.from_table(door, edge_outputs=edges).edge_outputs, (("d", "c"), ("b", "a"))
        )
        # Numbers are names, too: not the places of rows.
        turned = frame([[10, 20], [20, 10]], [20, 10], "ab")
        a = f.from_table(turned, start=10)
        self.assertEqual((a.states, a.next.tolist(), a.start), (("20", "10"), [[1, 0], [0, 1]], 1))
        plain = frame([[1, 0], [0, 1]], None, ["x", "y"])
        self.assertEqual(f.from_table(plain).next.tolist(), [[1, 0], [0, 1]])
        for none in (None, float("nan")):
            partial = frame([["q", none]], ["q"], "ab")
            self.assertRaises(f.DomainError, f.from_table, partial)
            self.assertEqual(f.from_table(partial, sink=True).next.tolist(), [[0, 1], [1, 1]])
        for wrong, text in (
            ({"next": door, "letters": ["a", "b"]}, "are its columns"),
            ({"next": door, "start": "shut"}, "start is 'shut'"),
            ({"next": door, "start": 1}, "start is 1"),
            ({"next": door, "accept": series([True, False], ["open", "shut"])}, "different states"),
            ({"next": frame([[1, 0], [0, 2]], None, "ab")}, "an entry is 2"),
            ({"next": frame([[True, False], [0, 1]], None, "ab")}, "an entry is True"),
            ({"next": frame([["a"], ["a"]], ["a", "a"], "x")}, "one name twice"),
            ({"next": [[1, 0], [0, 1]], "accept": series([True, False], [1, 0])}, "has names"),
            ({"next": [[1, 0], [0, 1]], "outputs": series(["x", "y"], ["a", "b"])}, "has names"),
        ):
            with self.assertRaisesRegex(f.ArgumentError, text):
                f.from_table(**wrong)

    def test_forms(self):
        self.check(Frame, Frame)
        with self.assertRaisesRegex(f.ArgumentError, "has columns and no index"):
            f.from_table(Object(columns=["a"], rows=[1]))

    @needs_pandas
    def test_package(self):
        import pandas

        self.check(
            lambda values, index, columns: pandas.DataFrame(values, index, list(columns)),
            pandas.Series,
        )
        nullable = pandas.DataFrame({"a": [1, pandas.NA], "b": [0, 0]}, dtype="Int64")
        self.assertEqual(f.from_table(nullable, sink=True).next[1, 0], 2)


class Networkx(unittest.TestCase):
    @needs_networkx
    def test_package(self):
        for text in (samples.PARITY, "start a\na x b p\na y b q\nb x a q\nb y b p\n"):
            a = f.parse(text)
            graph = f.to_networkx(a)
            self.assertEqual(list(graph), list(a.states))
            self.assertEqual([n for n, d in graph.nodes(data=True) if d["start"]], [a.states[0]])
            self.assertEqual(graph.number_of_edges(), a.next.size)
            for s, to, letter, about in graph.edges(keys=True, data=True):
                place = a.states.index(s), a.letters.index(letter)
                self.assertEqual(a.states[a.next[place]], to)
                outputs = a.edge_outputs
                want = None if outputs is None else outputs[place[0]][place[1]]
                self.assertEqual(about, {"letter": letter, "output": want})

    def test_without_it(self):
        with unittest.mock.patch.dict("sys.modules", {"networkx": None}):
            self.assertRaisesRegex(ImportError, "pip install networkx", f.to_networkx, f.regex("a"))
