"""Bounds for networks with finitely many exact states: idempotents with efe != fe in `classify`,
`compile` and the main job, their certificates, and what the checkers refuse."""

import json
import re
import subprocess
from pathlib import Path

SCOPE = (
    "for exact networks of contractions with finitely many states; a layer with infinitely many "
    "states, or one that rounds, may do it"
)
COPY = "0033", "0101", "2323"  # two bits: y <- x, x <- 0, x <- 1


def write(t, name, images, labels=""):
    """Writes the automaton of which letter x leads state q to images[x][q]; `labels` are lines."""
    rows = [
        f"q{q} {x} q{row[q]}\n" for q in range(len(images[0])) for x, row in zip("abc", images)
    ]
    states = " ".join(f"q{q}" for q in range(len(images[0])))
    letters = " ".join("abc"[: len(images)])
    text = f"fsa 1\nletters {letters}\nstates {states}\nstart q0\n{labels}" + "".join(rows)
    t.write(name, text)
    return name


def needed(t, name, *options):
    return json.loads(t.tool("classify", name, "--json", *options))["layers_needed"]


def check(t, checker, *files):
    program = str(Path(t.checker).parent / checker)
    return subprocess.run([program, *files], cwd=t.folder, capture_output=True, text=True)


def verdict(t, name, *options):
    """Returns what band-check says of the certificate that classify writes."""
    t.tool("classify", name, "--certificates", "proofs", *options)
    done = check(t, "band-check", "proofs/automaton.fsa", "proofs/band.cert")
    assert done.returncode == 0, done
    return done.stdout


def test_patterns(t):
    """The copy automaton has no fork, all maps of 3 points have one, an elevator has neither."""
    copy = write(t, "copy.fsa", COPY)
    facts = needed(t, copy)
    assert (facts["layers_at_least"], facts["least_by"], facts["scope"]) == (2, "OL.3", "finite")
    assert (facts["margin_at_least"], facts["fork"], facts["one_suffices"]) == (1, None, False)
    assert len(facts["band"]["band_states"]) == 6, facts
    assert verdict(t, copy).startswith("s VERIFIED layers at least 2 finite label states ")
    for output in (t.tool("classify", copy), t.tool("compile", copy, "--out", "a", "--force")):
        line = re.search(r"^bands +(.*(?:\n .*)*)", output, re.M).group(1)
        said = " ".join(line.split())
        assert said.startswith("at least 2 layers (OL.3): the states s, p, r, t, q, t' = q2, q0, ")
        assert "u = b takes s to p, r to t, q to t' and fixes p, t, t'; v = a takes " in said, said
        assert said.endswith("; " + SCOPE), said
    assert "exactly 2 (OL.3, T4), " + SCOPE in t.tool(copy, "--out", "a", "--force")
    t.write("t3.fsa", t.tool("new", "transformations", "3"))
    facts = needed(t, "t3.fsa")
    assert (facts["layers_at_least"], facts["scope"], facts["one_suffices"]) == (2, "margin", False)
    assert facts["fork"] and len(facts["band"]["band_states"]) == 6, facts
    verdict(t, "t3.fsa")
    t.write("elevator.fsa", t.tool("new", "elevator", "5"))
    facts = needed(t, "elevator.fsa")
    seen = facts["band"], facts["one_suffices"], facts["layers_at_least"]
    assert seen == (None, True, 1), facts


def test_one_layer_by_the_theorem(t):
    """Where efe = fe for all idempotents one layer suffices, built or not."""
    name = write(t, "one.fsa", ("1033", "1222"))
    facts = needed(t, name)
    assert (facts["one_suffices"], facts["most_layers"], facts["scope"]) == (True, 1, None), facts
    output = " ".join(t.tool("classify", name).split())
    assert facts["most_is_built"] or (
        "exactly 1: one layer suffices (OL, existence by Ash's theorem; no network built)" in output
    ), output


def test_several_layers(t):
    """The band rule for tied sets gives 3 where the fork rule gives 2, and depth-check says of
    which networks."""
    name = write(t, "three.fsa", ("0032", "1213"))
    facts = needed(t, name, "--certificates", "proofs")
    assert (facts["layers_at_least"], facts["least_by"], facts["scope"]) == (3, "OL.4", "finite")
    assert (facts["margin_at_least"], facts["margin_by"]) == (2, "FK.3"), facts
    for file, said in ("depth", "2 label"), ("depth-finite", "3 finite label"):
        done = check(t, "depth-check", "proofs/automaton.fsa", f"proofs/{file}.cert")
        assert done.stdout.startswith(f"s VERIFIED layers at least {said}"), done
    scope = re.search(r"^scope +(.*)", t.tool("classify", name), re.M).group(1)
    assert scope.startswith("at least 2 (FK.3): this bound holds"), scope


def test_labels(t):
    """Covered: labels of transitions, and decoders that read the letter and the state before it,
    for which one layer that turns a sign around tracks q0, q1, q2. Without the labels that tell t
    from t' there is no pattern. The output of a transition is the second bit before it."""
    write(t, "plain.fsa", COPY)
    rows = t.read("plain.fsa").decode()
    for outputs, expected in ((lambda q: int(q in ("q1", "q3")), "OL.3"), (lambda q: 0, None)):
        told = re.sub(
            r"^(q\d) (\w) (q\d)$", lambda m, f=outputs: f"{m[0]} {f(m[1])}", rows, flags=re.M
        )
        t.write("edges.fsa", told)
        options = "--label", "edges", "--out", "e", "--force", "--no-report", "--json"
        facts = json.loads(t.tool("compile", "edges.fsa", *options))["layers_needed"]
        assert facts["least_by"] == expected, facts
        assert facts["one_suffices"] == (expected is None), facts
        assert expected is None or facts["band"]["apart_word"], "a transition has a letter"
    step = write(t, "step.fsa", ("101", "121"))
    facts = needed(t, step)
    assert (facts["one_suffices"], facts["layers_at_least"]) == (True, 1), facts


def test_refused(t):
    """Each wrong line of a certificate is refused with its number."""
    verdict(t, write(t, "copy.fsa", COPY))
    good = t.read("proofs/band.cert").decode()
    assert good.endswith("band 3 1 1 1 4 2\nreach 3\nu 2\nv 1\napart\nend\n"), good
    for old, new, line, why in (
        ("classes 1 2 3 4", "classes 1 2 3 0", 4, "leads from state 2 to no class"),
        ("band 3 1 1 1 4 2", "band 2 1 1 1 4 2", 6, "reach leads to class 3, not to 2"),
        ("band 3 1 1 1 4 2", "band 3 1 1 1 2 2", 8, "v leads from class 3 to class 4, not to 2"),
        ("band 3 1 1 1 4 2", "band 3 1 1 4 4 2", 7, "u leads from class 1 to class 1, not to 4"),
        ("band 3 1 1 1 4 2", "band 3 1 1 1 4 5", 5, ""),
        ("reach 3", "reach", 6, "reach leads to class 1, not to 3"),
        ("u 2", "u", 7, "u leads from class 3 to class 3, not to 1"),
        ("u 2", "u 3", 7, "u leads from class 3 to class 3, not to 1"),
        ("v 1", "v 2", 8, "v leads from class 3 to class 1, not to 4"),
        ("apart\n", "apart 1\n", 9, "do not differ after apart"),
        ("end\n", "", 10, ""),
    ):
        t.write("proofs/bad.cert", good.replace(old, new, 1))
        done = check(t, "band-check", "proofs/automaton.fsa", "proofs/bad.cert")
        assert (done.returncode, done.stdout) == (1, "s NOT VERIFIED\n"), (new, done)
        assert re.search(rf"bad\.cert:{line}\b|line {line}\b", done.stderr), (new, done.stderr)
        assert why in done.stderr, (new, done.stderr)


def test_many_states(t):
    """A thousand states are decided, or said to be open."""
    t.write("r.fsa", t.tool("new", "random", "1000", "2", "1"))
    t.write("c.fsa", t.tool("new", "counter", "999"))
    limits = "--json", "--effort", "60", "--limit", "4"
    facts = json.loads(t.tool("classify", "r.fsa", *limits, rc=2))["layers_needed"]
    assert facts["one_suffices"] is False and facts["band"], facts
    facts = json.loads(t.tool("classify", "c.fsa", *limits, rc=2))["layers_needed"]
    assert facts["one_suffices"] is None and "effort" in facts["band_reason"], facts
