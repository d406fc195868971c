"""DOT files as other programs write and read them: random automata that pyformlang, AALpy and pydot
write are read here and answer as these programs do, and pydot reads what `fsa2lrnn` draws."""

import contextlib
import importlib.util
import io
import itertools
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

import fsa2lrnn as f
import samples

SEEDS, LENGTH = 30, 5


def needs(package):
    return unittest.skipUnless(importlib.util.find_spec(package), f"{package} is not installed")


def all_words(letters):
    """Returns the words of up to LENGTH letters."""
    return [w for n in range(LENGTH + 1) for w in itertools.product(letters, repeat=n)]


def end_of(a, word):
    """Returns the state that the word leads to."""
    state = a.start
    for x in word:
        state = a.next[state, a.letters.index(x)]
    return int(state)


def accepts(a, word):
    """Returns whether the word is accepted; a letter that no edge has is in no word."""
    return all(x in a.letters for x in word) and bool(a.accept[end_of(a, word)])


def random_edges(rng, states, labels):
    """Returns edges without doubles, the first with a letter."""
    count = rng.randint(1, 2 * len(states) + 2)
    edges = [(rng.choice(states), rng.choice(labels), rng.choice(states)) for _ in range(count)]
    return list(dict.fromkeys([(states[0], labels[0], rng.choice(states)), *edges]))


class Readers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compare(self, text, letters, accepted):
        """Checks that the file has the language of `accepted`, a function of words."""
        a = f.parse(text, sink=True)
        for word in all_words(letters):
            self.assertEqual(accepts(a, word), accepted(word), (text, word))

    @needs("pyformlang")
    def test_pyformlang(self):
        from pyformlang.finite_automaton import Epsilon, EpsilonNFA, State, Symbol

        letters = ["a", "b c", "ü"]
        for seed in range(SEEDS):
            rng = random.Random(seed)
            states = [f"q {i}" if seed % 2 else f"q{i}" for i in range(rng.randint(2, 4))]
            theirs = EpsilonNFA()
            for p, x, q in random_edges(rng, states, [*letters, None]):
                symbol = Epsilon() if x is None else Symbol(x)
                theirs.add_transition(State(p), symbol, State(q))
            for q in states:
                if q == states[0] or rng.random() < 0.2:
                    theirs.add_start_state(State(q))
                if rng.random() < 0.4:
                    theirs.add_final_state(State(q))
            if not theirs.final_states:
                theirs.add_final_state(State(states[-1]))
            theirs.write_as_dot(str(self.folder / "m.dot"))
            text = (self.folder / "m.dot").read_text(encoding="utf-8")
            self.compare(text, letters, lambda w: theirs.accepts([Symbol(x) for x in w]))

    @needs("aalpy")
    def test_aalpy(self):
        from aalpy.utils import generate_random_deterministic_automata, load_automaton_from_file
        from aalpy.utils import save_automaton_to_file

        for seed, kind in itertools.product(range(SEEDS // 3), ("dfa", "moore", "mealy")):
            random.seed(seed)
            outputs = {} if kind == "dfa" else {"output_alphabet_size": 3}
            made = generate_random_deterministic_automata(kind, 5, 2, **outputs)
            path = self.folder / "m.dot"
            with contextlib.redirect_stdout(io.StringIO()):  # it says that it saves
                save_automaton_to_file(made, path.with_suffix(""), file_type="dot")
            theirs = load_automaton_from_file(path, kind)
            ours = f.parse(path.read_text(encoding="utf-8"))
            self.assertEqual(set(ours.letters), {"i1", "i2"})
            for word in all_words(ours.letters)[1:]:
                want = theirs.execute_sequence(theirs.initial_state, word)[-1]
                if kind == "dfa":
                    got = bool(ours.accept[end_of(ours, word)])
                elif kind == "moore":
                    got = ours.outputs[end_of(ours, word)]
                else:
                    last = ours.letters.index(word[-1])
                    got = ours.edge_outputs[end_of(ours, word[:-1])][last]
                self.assertEqual(got, want, (path.read_text(encoding="utf-8"), word))

    def graph(self, rng, states, edges, final):
        """Returns a text that pydot writes: quoted names and labels, defaults of nodes, and states
        in subgraphs."""
        import pydot

        graph = pydot.Dot("m m", graph_type="digraph", rankdir="LR")
        inner = pydot.Cluster("c", label="inner")
        graph.set_node_defaults(shape="circle")
        graph.add_node(pydot.Node("start", shape="point"))
        for q in states:
            shape = {"shape": "doublecircle"} if q in final else {}
            where = inner if rng.random() < 0.5 else graph
            where.add_node(pydot.Node(pydot.quote_id_if_necessary(q), **shape))
        graph.add_subgraph(inner)
        graph.add_edge(pydot.Edge("start", pydot.quote_id_if_necessary(states[0])))
        for p, x, q in edges:
            ends = [pydot.quote_id_if_necessary(name) for name in (p, q)]
            graph.add_edge(pydot.Edge(*ends, label=f'"{x}"'))
        return graph.to_string()

    @needs("pydot")
    def test_pydot_writes(self):
        letters = ["a", "b", "go on"]
        for seed in range(SEEDS):
            rng = random.Random(seed)
            states = [f"q{i}" if seed % 2 else f"the state {i}" for i in range(rng.randint(2, 5))]
            final = [q for q in states if rng.random() < 0.5] or states[:1]
            edges = random_edges(rng, states, letters)

            def accepted(word):
                now = {states[0]}
                for x in word:
                    now = {q for p, y, q in edges if y == x and p in now}
                return bool(now & set(final))

            self.compare(self.graph(rng, states, edges, final), letters, accepted)

    @needs("pydot")
    def test_pydot_reads(self):
        """What `fsa convert --to dot` draws is the same automaton to pydot."""
        import pydot

        for seed in range(SEEDS // 3):
            rng = random.Random(seed)
            a = f.from_table(
                [[rng.randrange(4) for _ in range(3)] for _ in range(4)],
                accept=[rng.random() < 0.5 for _ in range(4)],
            )
            (self.folder / "m.fsa").write_text(a.text)
            argv = [samples.BUILD / "fsa2lrnn", "fsa", "convert", self.folder / "m.fsa"]
            done = subprocess.run([*argv, "--to", "dot"], capture_output=True, check=True)
            text = done.stdout.decode()
            (graph,) = pydot.graph_from_dot_data(text)
            table, start = {}, None
            for edge in graph.get_edges():
                p, q = (str(edge.get_source()).strip('"'), str(edge.get_destination()).strip('"'))
                label = (edge.get("label") or "").strip('"')
                if not label:
                    start = q
                for x in label.split("\\n") if label else []:
                    for y in x.split(", "):
                        table[p, y] = q
            final = {
                node.get_name().strip('"')
                for node in graph.get_nodes()
                if node.get("shape") == "doublecircle"
            }
            for word in all_words(a.letters):
                state = start
                for x in word:
                    state = table[state, x]
                self.assertEqual(state in final, bool(a.accept[end_of(a, word)]), (text, word))
