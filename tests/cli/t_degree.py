"""Permutation automata whose group acts on fewer points than there are states."""

import itertools


def subsets(points, size):
    """Returns the automaton of the subsets of a size, moved by swaps of neighbouring points."""
    lines = ["start " + "".join(map(str, range(size)))]
    for subset in itertools.combinations(range(points), size):
        for a in range(points - 1):
            to = sorted({a: a + 1, a + 1: a}.get(p, p) for p in subset)
            lines.append(f"{''.join(map(str, subset))} swap{a} {''.join(map(str, to))}")
    return "\n".join(lines) + "\n"


def test_subsets_need_as_many_points_as_there_are(t):
    for points, size, states in ((7, 2, 21), (8, 2, 28), (7, 3, 35)):
        t.write("x.fsa", subsets(points, size))
        t.tool("x.fsa", "--force", out=rf"on {points} points \({points} sets of states\)")
        report = t.report("x.lrnn")
        construction = report["construction"]
        assert report["automaton"]["states"] == states, report["automaton"]
        assert (construction["layers"], construction["householders"]) == (1, 1), construction
        assert construction["key_dim"] == 7, construction
        verdict = t.check("x.lrnn")
        assert f" states {states} layers 1 heads 1 householders 1 key 7 " in verdict, verdict
        t.tool("run", "x.lrnn", "--random", "20", out="2000 labels right, 0 wrong")
