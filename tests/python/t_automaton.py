"""Automata: readers and their errors, tables there and back, comparison and classes."""

import itertools
import json
import pickle
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import fsa2lrnn as f
import samples

ODD_NAMES = ["eps", "a b", '"', "[0-9]", "(1 2)", "#", "a,b", "", "é", "\\", "fsa"]


def random_table(rng, states, letters):
    """Returns a table of which words reach every state, in the order of their numbers."""
    table = rng.integers(0, states, (states, letters))
    table[: states - 1, 0] = np.arange(1, states)
    return table


class Reading(unittest.TestCase):
    def test_errors_have_a_place(self):
        with self.assertRaises(f.FormatError) as caught:
            f.parse('start even\neven 0 even\n  even 1 "odd\n')
        self.assertEqual((caught.exception.line, caught.exception.column), (3, 10))
        self.assertTrue(str(caught.exception).startswith("3:10: "))
        self.assertIsInstance(caught.exception, ValueError)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "g.fsa")
            path.write_text(samples.PARITY)
            self.assertEqual(f.read(path).states, ("even", "odd"))
            self.assertEqual(f.read(str(path)).text, f.parse(samples.PARITY).text)
            self.assertRaises(FileNotFoundError, f.read, Path(folder, "none"))
        with self.assertRaisesRegex(f.ArgumentError, "parse\\(\\) a text"):
            f.read(samples.PARITY)

    def test_what_is_refused(self):
        for wrong in (b"", "", "start a", b"\xff\xfe\x00", "start a\na x b"):
            self.assertRaises((f.FormatError, f.DomainError), f.parse, wrong)
        for wrong in (None, 3, Path("x")):
            self.assertRaises(f.ArgumentError, f.parse, wrong)
        self.assertRaises(f.FormatError, f.regex, "(a")
        self.assertRaises(f.ArgumentError, f.regex, None)
        self.assertRaises(f.ArgumentError, f.regex, "a\0b")
        self.assertRaises(f.ArgumentError, f.parse, samples.PARITY, max_states=-1)
        choices = "start 0\n0 a 0\n0 b 0\n0 a 1\n" + "".join(
            f"{i} {x} {i + 1}\n" for i in range(1, 12) for x in "ab"
        )
        self.assertRaises(f.UnknownError, f.parse, choices, sink=True, max_states=100)

    def test_options(self):
        short = "start a\naccept a\na x b\nb y a\n"
        self.assertRaises(f.DomainError, f.parse, short)
        whole = f.parse(short, sink=True)
        self.assertEqual(whole.states, ("a", "b", "sink"))
        self.assertIn("sink", whole.notes)
        numeric = "0 1 1\n1 0 2\n0\n"
        rejects = f.parse("0\t1\tx\n1\n0\t0\ty\n")  # by the definition of AT&T's syntax
        self.assertEqual(rejects.states, ("0", "1", "sink"))
        self.assertIn("they reject in AT&T", rejects.notes)
        self.assertTrue(f.compile(rejects, label="accept").text)
        with self.assertRaisesRegex(f.DomainError, "2 transitions are missing, and in AT&T"):
            f.compile(rejects)
        named = f.parse(numeric, sink=True, symbols="<eps> 0\nopen 1\nclose 2\n")
        self.assertEqual(named.letters, ("open", "close"))
        self.assertEqual(f.parse(numeric, sink=True, numeric=True).letters, ("1", "2"))

    def test_labels(self):
        label = "0\t1\teps\n1\t1\ta\n1\n"
        with self.assertRaisesRegex(f.FormatError, "1:5: .*may be a letter or the empty word"):
            f.parse(label)
        self.assertEqual(f.parse(label, read_as="epsilon=eps").letters, ("a",))
        self.assertEqual(f.parse(label, sink=True, read_as="epsilon=").letters, ("eps", "a"))
        with self.assertRaisesRegex(f.FormatError, "read_as, column 8: expected labels"):
            f.parse(label, read_as="labels=x")
        with self.assertRaisesRegex(f.DomainError, "says nothing about .fsa"):
            f.parse(samples.PARITY, read_as="labels=sets")
        with self.assertRaises(f.ArgumentError):
            f.parse(label, read_as=3)
        numbers = "0\t0\t[0-9]\n0\n"
        self.assertIn("was read as one letter", f.parse(numbers).notes)
        with self.assertRaisesRegex(f.FormatError, "1:5: .*was read as one letter .strict"):
            f.parse(numbers, strict=True)
        self.assertEqual(f.parse(samples.PARITY, strict=True).notes, "")
        partial = "start a\naccept a\na x b\nb y a\n"
        with self.assertRaisesRegex(f.FormatError, "sink"):
            f.parse(partial, sink=True, strict=True)

    def test_finite_words(self):
        marked = (
            'HOA: v1 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0) --BODY--\n'
            "State: 0 [t] 1\nState: 1 {0} [t] 0\n--END--\n"
        )
        self.assertRaises(f.FormatError, f.parse, marked)
        self.assertEqual(f.parse(marked, finite=True).accept.tolist(), [False, True])

    def test_pickle(self):
        a = f.parse(samples.PARITY)
        self.assertEqual(pickle.loads(pickle.dumps(a)).text, a.text)


class Tables(unittest.TestCase):
    def test_there_and_back(self):
        rng = np.random.default_rng(5)
        for states, letters in itertools.product((1, 2, 7, 30), (1, 3)):
            table, accept = random_table(rng, states, letters), rng.integers(0, 2, states) > 0
            a = f.from_table(table, accept=accept)
            back = a.to_table()
            np.testing.assert_array_equal(back.next, table)
            np.testing.assert_array_equal(back.accept, accept)
            self.assertEqual((back.start, back.next.dtype), (0, np.int64))
            self.assertRaises(ValueError, back.next.__setitem__, (0, 0), 0)

    def test_outputs_and_names(self):
        table = [[1, 0], [1, 2], [0, 2]]
        a = f.from_table(table, outputs=[7, "x", 7], start=1, states="pqr")
        self.assertEqual((a.outputs, a.start, a.states), (("7", "x", "7"), 1, ("p", "q", "r")))
        self.assertIsNone(a.accept)
        self.assertIsNone(a.edge_outputs)
        m = f.from_table(table, edge_outputs=[[1, 2], [3, 4], [5, 6]], letters=["on", "off"])
        self.assertEqual(m.edge_outputs, (("1", "2"), ("3", "4"), ("5", "6")))
        self.assertEqual((m.letters, m.outputs), (("on", "off"), None))

    def test_every_name_is_kept(self):
        count = len(ODD_NAMES)
        table = np.tile(np.arange(count), (count, 1))
        a = f.from_table(table, letters=ODD_NAMES, states=ODD_NAMES, outputs=ODD_NAMES)
        self.assertEqual(list(a.letters), ODD_NAMES)
        self.assertEqual(list(a.states), ODD_NAMES)
        self.assertEqual(list(a.outputs), ODD_NAMES)
        np.testing.assert_array_equal(a.next, table)
        self.assertEqual(f.parse(a.text).text, a.text)

    def test_missing_transitions(self):
        self.assertRaises(f.DomainError, f.from_table, [[0, -1]])
        a = f.from_table([[0, -1]], accept=[True], sink=True)
        self.assertEqual(a.next.tolist(), [[0, 1], [1, 1]])
        self.assertEqual(a.accept.tolist(), [True, False])

    def test_unreachable_states(self):
        a = f.from_table([[0], [0]])
        self.assertEqual((a.states, a.next.shape), (("0",), (1, 1)))
        self.assertIn("1", a.notes)

    def test_what_is_refused(self):
        good = [[0, 1], [1, 0]]
        for wrong in ([0, 1], [[0.0, 1.0]], [[np.nan]], [[True]], [[]], [["a"]], [[0, 2], [1, 0]]):
            self.assertRaises(f.ArgumentError, f.from_table, wrong)
        for options in (
            {"accept": [0, 1]},
            {"accept": [True]},
            {"start": 2},
            {"start": -1},
            {"letters": ["a"]},
            {"letters": ["a", "a"]},
            {"states": [1, "1"]},
            {"outputs": ["x"]},
            {"edge_outputs": [["x", "y"], ["z"]]},
        ):
            self.assertRaises(f.ArgumentError, f.from_table, good, **options)
        with self.assertRaisesRegex(f.ArgumentError, r"next\[0, 1\] is 5: there are 2 states"):
            f.from_table([[0, 5], [1, 0]])


class Equality(unittest.TestCase):
    def test_the_order_of_states_alone_may_differ(self):
        flags = [True, False, False]
        a = f.from_table([[1, 2], [2, 0], [0, 1]], accept=flags, states="pqr")
        other = f.from_table([[1, 0], [2, 1], [0, 2]], accept=flags, states="pqr")
        same = f.parse(a.text)
        turned = f.from_table([[2, 1], [0, 2], [1, 0]], accept=flags, states="prq")
        for b in (same, turned):
            self.assertEqual((a, hash(a)), (b, hash(b)))
        self.assertNotEqual(a.text, turned.text)
        for b in (other, f.from_table(a.next, states="pqr"), "a", None):
            self.assertNotEqual(a, b)
        self.assertEqual(len({a, same, turned, other}), 2)

    def test_what_makes_a_difference(self):
        table, flags = [[0, 1], [1, 0]], [True, False]
        a = f.from_table(table, accept=flags)
        for other in (
            f.from_table(table, accept=flags, letters="10"),
            f.from_table(table, accept=flags, states="ab"),
            f.from_table(table, accept=flags[::-1]),
            f.from_table(table, accept=flags, start=1),
            f.from_table(table, outputs=["accept", "reject"]),
            f.from_table(table, edge_outputs=[["x", "y"], ["y", "x"]]),
        ):
            self.assertNotEqual(a, other)
        self.assertEqual(a, pickle.loads(pickle.dumps(a)))
        moore = f.from_table(table, outputs="xy")
        self.assertEqual(moore, f.from_table(table, outputs="xy"))
        self.assertNotEqual(moore, f.from_table(table, outputs="yx"))


class Drawing(unittest.TestCase):
    """Two ways to draw: by dot, where it is installed, and on a circle."""

    def drawn(self, a):
        found = []
        for which in (shutil.which, lambda name: None):
            with unittest.mock.patch("shutil.which", which):
                found.append(a._repr_svg_())
        return found

    def test_drawings(self):
        names = ["<b>&", '"\\', "a" * 40, "\u202e", "5"]
        for count in (1, 2, 3, 5):
            table = np.arange(count)[:, None] * np.ones((1, 2), int)
            table[:, 1] = (table[:, 1] + 1) % count
            a = f.from_table(table, accept=np.arange(count) == 0, states=names[:count])
            for svg in self.drawn(a):
                root = ElementTree.fromstring(svg)
                self.assertTrue(root.tag.endswith("svg"))
                self.assertNotIn("\u202e", svg)
                self.assertNotIn("<b>", svg)
        mealy = f.from_table([[0, 1], [1, 0]], edge_outputs=[["x", "y"], ["y", "x"]])
        moore = f.from_table([[0, 1], [1, 0]], outputs=["left", "right"])
        for a, shown in ((mealy, "0/x"), (moore, "1/right")):
            for svg in self.drawn(a):
                self.assertIn(shown, svg)

    def test_rings(self):
        svg = self.drawn(f.from_table([[0, 1], [1, 0]], accept=[True, False]))[1]
        circles = [e for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("circle")]
        self.assertEqual(len(circles), 3)

    def test_what_is_too_large(self):
        ring = f.from_table([[(i + 1) % 20] for i in range(20)])
        self.assertIsNone(self.drawn(ring)[1])
        self.assertIsNone(f.from_table([[(i + 1) % 70] for i in range(70)])._repr_svg_())


class Comparing(unittest.TestCase):
    def test_beside_all_short_words(self):
        rng = np.random.default_rng(9)
        seen = set()
        for _ in range(60):
            a, b = (
                f.from_table(random_table(rng, 3, 2), accept=rng.integers(0, 2, 3) > 0)
                for _ in range(2)
            )
            v = f.equivalent(a, b)
            differ = next(
                (
                    word
                    for length in range(7)
                    for word in itertools.product(range(2), repeat=length)
                    if self.last(a, word) != self.last(b, word)
                ),
                None,
            )
            self.assertEqual(v.refuted, differ is not None)
            self.assertEqual(v.verified, differ is None)
            if differ is not None:
                self.assertEqual(v.word, tuple(a.letters[x] for x in differ))
            seen.add(v.verdict)
            self.assertTrue(f.equivalent(a, a).verified)
        self.assertIn("REFUTED", seen)

    def last(self, a, word):
        state = a.start
        for x in word:
            state = a.next[state, x]
        return bool(a.accept[state])

    def test_what_is_refused(self):
        a, b = f.parse(samples.PARITY), f.regex("(ab)*")
        self.assertRaises(f.DomainError, f.equivalent, a, b)
        self.assertRaises(f.DomainError, f.equivalent, a, a, "outputs")
        self.assertRaises(f.ArgumentError, f.equivalent, a, a, "colour")
        self.assertRaises(f.ArgumentError, f.equivalent, a, "b")

    def test_facts_as_the_program(self):
        a = samples.new("tomita 4")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "g.fsa")
            path.write_text(a.text)
            for function in (f.classify, f.choose):
                name = function.__name__
                argv = [samples.BUILD / "fsa2lrnn", name, "--json", "--label", "accept", path]
                shown = json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout)
                self.assertEqual(function(f.read(path), "accept"), shown)
                self.assertRaises(f.DomainError, function, a, "edges")
                self.assertRaises(f.ArgumentError, function, a, "colour")
