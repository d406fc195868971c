"""The command `classify`: the ladder of the named families, witnesses, limits, and the networks
that --construct verifies."""

import csv
import io
import itertools
import json
import math
import re
import signal
import struct
import subprocess
import time
from fractions import Fraction
from pathlib import Path

from harness import ROOT

REAL = ROOT / "tests/data/real"
NAMES = [
    "diagonal-positive",
    "diagonal",
    "complex",
    "deltanet-positive",
    "deltanet",
    "deltaproduct-positive",
    "deltaproduct",
    "gated-positive",
    "gated",
    "kda-positive",
    "kda",
    "gdn2",
    "gdn2-double",
    "rwkv7",
    "rwkv7-double",
    "pd-ssm",
    "pd-ssm-soft",
    "moore-ssm",
    "block-diagonal",
    "complex-kda-positive",
    "complex-kda",
    "complex-kda-beyond",
    "mamba3",
    "momentum",
    "momentum-plain",
    "kaczmarz",
    "fixed-point",
    "m2rnn",
    "log-linear-positive",
    "log-linear",
    "path",
    "hybrid-diagonal",
    "hybrid-positive",
    "hybrid-letters",
    "transformer",
]
TABLES = "pd-ssm pd-ssm-soft moore-ssm block-diagonal m2rnn path transformer".split()
COMPILED = [name for name in NAMES if name not in TABLES]
# Classes with eigenvalues in [0,1], which track aperiodic automata only.
OTHER_POSITIVE = ["complex-kda-positive", "log-linear-positive", "hybrid-positive"]
POSITIVE = [name for name in NAMES if name.endswith("-positive") and name not in OTHER_POSITIVE]
POSITIVE += ["mamba3", "kaczmarz"]
ONE = "kda gdn2-double rwkv7-double complex-kda complex-kda-beyond momentum-plain log-linear"
ALL_CAN = "deltanet deltaproduct gated pd-ssm pd-ssm-soft moore-ssm block-diagonal m2rnn path"
ALL_CAN = [*ALL_CAN.split(), *ONE.split()]
APERIODIC, TWO, SOLVABLE, OTHER = range(4)
EXPECTED = {
    ("parity",): TWO,
    ("cyclic", 2): TWO,
    ("cyclic", 3): SOLVABLE,
    ("cyclic", 4): TWO,
    ("cyclic", 6): SOLVABLE,
    ("cyclic", 8): TWO,
    ("symmetric", 3): SOLVABLE,
    ("symmetric", 4): SOLVABLE,
    ("alternating", 5): OTHER,
    ("symmetric", 5, "--generators"): OTHER,
    ("tomita", 1): APERIODIC,
    ("tomita", 2): APERIODIC,
    ("tomita", 3): TWO,
    ("tomita", 4): APERIODIC,
    ("tomita", 5): TWO,
    ("tomita", 6): SOLVABLE,
    ("tomita", 7): APERIODIC,
    ("dyck", 1, 5): APERIODIC,
    ("dyck", 2, 3): APERIODIC,
    ("counter", 6): APERIODIC,
    ("modarith", 3): SOLVABLE,
    ("modarith", 5): SOLVABLE,
    ("flipflop",): APERIODIC,
    ("definite", 3): APERIODIC,
    ("elevator", 7): APERIODIC,
}


def classify(t, *family, options=(), rc=0):
    t.write("g.fsa", t.tool("new", *map(str, family)))
    return json.loads(t.tool("classify", "g.fsa", "--json", *options, rc=rc))


def rung(r):
    return (
        APERIODIC
        if r["aperiodic"]
        else TWO if r["two_groups"] else SOLVABLE if r["solvable"] else OTHER
    )


def verdicts(r):
    assert [c["class"] for c in r["classes"]] == NAMES, r["classes"]
    return {c["class"]: c["answer"] for c in r["classes"]}


def edges(t):
    """Returns the automaton as a dictionary, read from its canonical text of edges."""
    found = {}
    for line in t.read("g.fsa").decode().splitlines():
        words = line.split()
        if len(words) == 3 and words[0] not in (
            "fsa",
            "letters",
            "states",
            "start",
            "accept",
            "output",
            "points",
            "track",
        ):
            found[words[0], words[1]] = words[2]
    return found


def test_families(t):
    for family, expected in EXPECTED.items():
        r = classify(t, *family)
        assert rung(r) == expected, (family, r["aperiodic"], r["two_groups"], r["solvable"])
        v = verdicts(r)
        assert v["diagonal-positive"] == ("can" if expected == APERIODIC else "cannot"), (family, v)
        assert {v[name] for name in POSITIVE} == {v["diagonal-positive"]}, (family, v)
        assert v["diagonal"] == ("can" if expected <= TWO else "cannot"), (family, v)
        assert v["complex"] == ("can" if expected <= SOLVABLE else "cannot"), (family, v)
        assert v["transformer"] == (
            "can (published)" if expected <= SOLVABLE else "cannot unless TC0 = NC1"
        ), (family, v)
        assert {v[name] for name in ALL_CAN} == {"can"}, (family, v)
        letter = r["cycle_word"] is not None and len(r["cycle_word"]["word"]) == 1
        assert v["rwkv7"] == v["gdn2"] == ("cannot" if letter else "can"), (family, v)
        assert v["momentum"] == (
            "can" if expected == APERIODIC else "cannot" if letter else "not known"
        ), (family, v)
        assert v["complex-kda-positive"] == v["diagonal"], (family, v)
        assert v["fixed-point"] == v["gdn2"], (family, v)
        assert v["log-linear-positive"] == ("can" if expected == APERIODIC else "not known")
        hybrid = "can" if expected == APERIODIC else v["transformer"]
        assert v["hybrid-diagonal"] == hybrid, (family, v)
        assert v["hybrid-positive"] == (hybrid if expected <= SOLVABLE else "not known"), v
        assert v["hybrid-letters"] == (v["hybrid-positive"] if letter else "can"), (family, v)
        assert (r["two_words"] is not None) == (expected == OTHER), (family, r["two_words"])
        assert (r["cycle_word"] is None) == (expected == APERIODIC) and (
            r["odd_cycle_word"] is None
        ) == (expected <= TWO), (family, r)


def test_witnesses_act(t):
    for family in (("modarith", 3), ("tomita", 6), ("tomita", 3), ("cyclic", 6, "--generators")):
        r, step = classify(t, *family), None
        step = edges(t)
        for witness in filter(None, (r["cycle_word"], r["odd_cycle_word"])):
            cycle = witness["cycle"]
            for at, state in enumerate(cycle):
                for letter in witness["word"]:
                    state = step[state, letter]
                assert state == cycle[(at + 1) % len(cycle)], (family, witness)
            assert len(set(cycle)) == len(cycle) > 1, (family, witness)


def test_rows_name_their_witness(t):
    """The word that a `cannot` names acts as a cycle, of a length that the class cannot follow."""
    for family in (("parity",), ("modarith", 3), ("tomita", 6), ("cyclic", 3)):
        r, step = classify(t, *family), edges(t)
        rows = [row for row in r["classes"] if row["answer"] == "cannot"]
        assert {row["class"] for row in rows} >= {*POSITIVE}, rows
        for row in rows:
            witness = r[row["shown_by"]]
            state = start = witness["cycle"][0]
            for _ in witness["cycle"]:
                for letter in witness["word"]:
                    state = step[state, letter]
            assert state == start and len(witness["cycle"]) > 1, (family, row)
            by_letters = {"GD.7", "L.18", "RL.10", "RL.15"}
            if by_letters & set(re.findall(r"[A-Z]+\.\d+", row["statement"])):
                assert len(witness["word"]) == 1, (family, row)


def test_models(t):
    """The list of classes is that of the rows, each with paper, year, range, claim and scope."""
    listed = json.loads(t.tool("classify", "--models", "--json"))["ladder_models"]
    assert [m["class"] for m in listed] == NAMES, listed
    for m in listed:
        assert re.fullmatch(r"arXiv \d{4}\.\d{5}", m["published_in"]), m
        assert m["year"] % 100 == int(m["published_in"][6:8]), m
        assert m["parameter_range"] and m["ladder_claim"] and m["scope"], m
        assert m["reached_range"] and m["reached_claim"], m
    text = t.tool("classify", "--models")
    text = text.decode() if isinstance(text, bytes) else text
    assert "Megatron-LM" in text and text.count("  scope ") == len(NAMES), text
    t.tool("classify", "g.fsa", "--models", rc=64, err="--models takes nothing else")
    t.tool("classify", "--regex", "a", "--models", rc=64, err="--models takes nothing else")


def test_what_is_reached_without_rounding(t):
    """Gates below 1 track definite automata, rates below 2 aperiodic ones; RL.4 excludes letters
    that hold something."""
    gated = "diagonal-positive diagonal complex gated kda mamba3 pd-ssm pd-ssm-soft".split()
    for family, definite, aperiodic, powers in (
        (("definite", 3), "can", "can", "can"),
        (("flipflop",), "cannot", "can", "cannot"),
        (("symmetric", 3), "cannot", "cannot", "cannot"),
    ):
        rows = {row["class"]: row for row in classify(t, *family)["classes"]}
        reached = {name: row["reached_answer"] for name, row in rows.items()}
        assert {reached[name] for name in gated} == {definite}, (family, reached)
        assert reached["deltanet"] == reached["deltaproduct"] == aperiodic, (family, reached)
        assert {reached[name] for name in ("gdn2", "gdn2-double", "rwkv7")} == {powers}
        assert reached["momentum"] == ("not known" if powers == "can" else powers), reached
        assert reached["m2rnn"] == "can" and reached["path"] == "not known", (family, reached)
        assert rows["gated"]["reached_by"] == ("RL.2" if definite == "can" else "RL.1"), rows


def orbit(step, letters, states):
    """Returns the maps of the states that products of the letters' maps give."""
    found = {tuple(states)}
    queue = list(found)
    for at in queue:
        for word in letters:
            to = at
            for letter in word:
                to = tuple(step[q, letter] for q in to)
            if to not in found:
                found.add(to)
                queue.append(to)
    return found


def test_two_words(t):
    """The two words permute the named set, and generate its symmetric group."""
    for family, count in ((("transformations", 6), 720), (("transformations", 5), 120)):
        r, step = classify(t, *family), edges(t)
        states = r["two_words"]["permuted"] or sorted({q for q, _ in step})
        maps = orbit(step, r["two_words"]["word_pair"], states)
        assert all(sorted(m) == sorted(states) for m in maps) and len(maps) == count, (
            family,
            r["two_words"],
        )
        witness = {c["class"]: c["shown_by"] for c in r["classes"]}
        assert witness["complex"] == witness["transformer"] == "two_words", (family, witness)
    t.tool(
        "classify",
        "g.fsa",
        out=r"two words +\(cycle\) and \(swap\) permute 1 2 3 4 5 and generate a group that is not"
        r" solvable: S_5",
    )


NORMAL = {
    "a": (Fraction(1), Fraction(0)),
    "b": (Fraction(3, 5), Fraction(4, 5)),
    "c": (Fraction(-3, 5), Fraction(4, 5)),
}


def dot(x, y):
    return x[0] * y[0] + x[1] * y[1]


def project(state, letter):
    """Applies one factor with beta = 1: S - k (k^T S), where k is orthogonal to the letter's
    normal."""
    n = NORMAL[letter]
    k = (-n[1], n[0])
    along = dot(k, state)
    return state[0] - along * k[0], state[1] - along * k[1]


def nearest(state):
    """Returns the nearest code +n or -n as (letter, sign); only one code may have the least
    distance."""
    codes = {(x, s): (s * n[0], s * n[1]) for x, n in NORMAL.items() for s in (1, -1)}
    distance = {name: (state[0] - c[0]) ** 2 + (state[1] - c[1]) ** 2 for name, c in codes.items()}
    least = min(distance.values())
    best = [name for name, d in distance.items() if d == least]
    return best[0] if len(best) == 1 else None


def test_scope_of_cannot(t):
    """L.16: one layer of projections with nearest codes tracks (last letter, sign), and DeltaNet
    [0,1] is `cannot`. So the row must say that its decoders are separated; this network's states
    come arbitrarily close to 0."""
    turn = {(x, y): 1 if dot(NORMAL[x], NORMAL[y]) > 0 else -1 for x in NORMAL for y in NORMAL}
    names = {(x, s): x + ("+" if s > 0 else "-") for x in NORMAL for s in (1, -1)}
    lines = [f"{names[x, s]} {y} {names[y, s * turn[x, y]]}" for x, s in names for y in NORMAL]
    t.write("sign.fsa", "start a+\n" + "\n".join(lines) + "\n")
    r = json.loads(t.tool("classify", "sign.fsa", "--json"))
    assert r["automaton"]["states"] == 6 and "".join(r["cycle_word"]["word"]) == "abc", r
    for name in ("deltanet-positive", "diagonal-positive"):
        row = next(c for c in r["classes"] if c["class"] == name)
        assert (
            row["answer"] == "cannot" and "closed convex sets of positive distance" in row["scope"]
        ), row
        assert ("nearest codes (OB.3)" in row["scope"]) == (name == "diagonal-positive"), row
    row = next(c for c in r["classes"] if c["class"] == "deltanet-positive")
    assert "L.16" in row["statement"] and "FALSE in general for nearest codes" in row["scope"], row
    can = next(c for c in classify(t, "dyck", 1, 3)["classes"] if c["class"] == "deltanet-positive")
    assert can["answer"] == "can" and "closed convex sets of positive distance" in can["scope"], can
    wrong = 0
    reached = {(): (NORMAL["a"], ("a", 1))}
    for length in range(8):
        for word in itertools.product(NORMAL, repeat=length):
            state, (last, sign) = reached.pop(word)
            wrong += nearest(state) != (last, sign)
            for x in NORMAL:
                reached[word + (x,)] = project(state, x), (x, sign * turn[last, x])
    assert wrong == 0 and len(reached) == 3**8
    assert all(nearest(state) == label for state, label in reached.values())
    assert min(dot(s, s) for s, _ in reached.values()) < Fraction(1, 1000)


def test_layers_are_those_of_the_compiler(t):
    """Z_5 and D_5 by T5 and D2 have two layers with one factor, which compile builds within these
    bounds."""
    for family, statement in ((("cyclic", 5), "T5"), (("dihedral", 5), "D2")):
        row = next(c for c in classify(t, *family)["classes"] if c["class"] == "deltanet")
        assert (row["statement"], row["layers"], row["householders"], row["dimension"]) == (
            statement,
            2,
            1,
            2,
        ), row
        built = json.loads(
            t.tool(
                "compile",
                "g.fsa",
                "--householders",
                "1",
                "--layers",
                "2",
                "--out",
                "g.lrnn",
                "--force",
                "--json",
            )
        )["construction"]
        assert (built["layers"], built["householders"], built["key_dim"]) == (2, 1, 2), built


def test_text(t):
    t.write("p.fsa", t.tool("new", "parity"))
    t.tool(
        "classify", "p.fsa", out=r"aperiodic +no\n2-groups only +yes\nsolvable +yes\ngroups +Z_2"
    )
    t.tool("classify", "p.fsa", out=r"takes even -> odd -> even: a cycle of 2 states")
    text = t.tool("classify", "p.fsa", out=r"diagonal \[0,1\] +cannot +L\.3")
    assert (
        max(map(len, text.decode().splitlines() if isinstance(text, bytes) else text.splitlines()))
        <= 100
    ), text


def test_construct(t):
    """If a class can by the ladder, the compiler's targets must agree; None means any number of
    layers."""
    for family, layers in (
        (("symmetric", 3), {"complex": None, "deltanet": 2, "deltaproduct": 1}),
        (("flipflop",), {"diagonal-positive": 1, "deltanet-positive": 1, "deltanet": 1}),
        (("tomita", 5), {"diagonal": None}),
        (("modarith", 3), {"complex": None, "gated": None}),
        (("dyck", 1, 3), {"diagonal-positive": 4, "deltanet-positive": 4, "diagonal": None}),
        (("tomita", 7), {"diagonal-positive": 5, "diagonal": None, "complex": None, "gated": None}),
    ):
        r = classify(t, *family, options=("--construct", "--formats", "bf16"))
        for row in r["classes"]:
            built = row["compiled"]
            assert (built is not None) == (row["class"] in COMPILED and row["answer"] == "can"), row
            if built and built["status"] == "built":
                assert built["exact"]["verdict"] == "VERIFIED", row
                if row["householders"]:
                    assert built["figures"]["householders"] <= row["householders"], row
        by_class = {row["class"]: row["compiled"] for row in r["classes"]}
        for name, count in layers.items():
            assert by_class[name]["status"] == "built" and count in (
                None,
                by_class[name]["figures"]["layers"],
            ), (family, by_class[name])


# The options by which `compile` is asked for a network of the class, without bounds.
REQUESTS = {
    "diagonal-positive": {"--target diagonal-positive"},
    "diagonal": {"--target diagonal"},
    "complex": {"--target complex", "--target diagonal"},
    "deltanet-positive": {"--target diagonal-positive"},
    "deltanet": {"--target one-reflection", "--target diagonal", ""},
    "deltaproduct": {"--target one-reflection", "--target diagonal", ""},
    "gated": {"--target one-reflection", "--gated", ""},
}
DECAYING = "gdn2 rwkv7 momentum fixed-point hybrid-diagonal hybrid-letters".split()
DECAYING += [*POSITIVE, "log-linear-positive", "hybrid-positive"]
REQUESTS |= {name: REQUESTS["deltanet-positive"] for name in DECAYING}
REQUESTS |= {name: REQUESTS["deltanet"] for name in ONE.split()}
REQUESTS["complex-kda-positive"] = REQUESTS["diagonal"]


def weights(t, path):
    """Returns how many numbers the tensors of floats of a dense file have, codes left out."""
    data = t.read(path)
    header = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])
    header.pop("__metadata__")
    assert not any(name.endswith("_index") for name in header), header
    return sum(
        math.prod(tensor["shape"])
        for name, tensor in header.items()
        if tensor["dtype"] != "I32" and not name.endswith((".codes", ".low", ".high"))
    )


def check_options(r, row):
    """The options are the class and the figures of the row, which are those of the network."""
    figures = row["compiled"]["figures"]
    bounds = [
        f"--{option} {figures[name]}"
        for option, name in (
            ("layers", "layers"),
            ("householders", "householders"),
            ("key-dim", "key_dim"),
        )
    ]
    label = "" if r["label_kind"] == "states" else f"--label {r['label_kind']} "
    wanted = {
        f"{label}{asked} {' '.join(bounds)}".replace("  ", " ").strip()
        for asked in REQUESTS[row["class"]]
    }
    assert row["compiled"]["compile_options"] in wanted, (row, wanted)
    for name, of in (("layers",) * 2, ("householders",) * 2, ("dimension", "key_dim")):
        assert row[name] == figures[of], row


def written_network(t, command, cache):
    """Returns the report of `compile`, whose network is checked; each command is run once."""
    if command not in cache:
        written = json.loads(t.tool(*command, "--out", "o.lrnn", "--force", "--json"))
        assert written["construction"]["parameters"] == weights(t, "o.lrnn/weights.safetensors")
        t.check("o.lrnn")
        cache[command] = written
    return cache[command]


def compare(t, r, row, options, cache):
    """Compares the class with what `compile` builds for the same request."""
    built = row["compiled"]
    check_options(r, row)
    command = ("compile", "g.fsa", *built["compile_options"].split(), *options)
    written = written_network(t, command, cache)
    network = written["construction"]
    for name in ("theorem", "variant"):
        assert built[name] == network[name], (name, built, network)
    assert built["figures"] == {name: network[name] for name in built["figures"]}, (built, network)
    assert built["exact"]["verdict"] == written["exact"]["verdict"] == "VERIFIED", built
    names = ("format", "schedule", "verdict", "wrong_after", "reason", "horizon")
    for mine, other in zip(built["formats"], written["formats"]):
        # A list has smaller limits for rounded keys: what it leaves open may be decided.
        if mine["verdict"] != "UNKNOWN":
            assert all(mine[n] == other[n] for n in names), (row["class"], mine, other)


def refused(t, built, options):
    """Where there is no construction for the class, `compile` has none either, for this reason."""
    assert built["status"] == "EDOMAIN" and "figures" not in built, built
    command = ("compile", "g.fsa", *built["compile_options"].split(), *options)
    t.tool(*command, "--out", "no.lrnn", rc=69, err=re.escape(built["reason"]))


def test_figures_are_those_of_compile(t):
    """Every class has the network that `compile` writes for the same request, figure by figure."""
    seen = set()
    for family, options in (
        (("parity",), ()),
        (("symmetric", 3), ("--formats", "e4m3,bf16")),
        (("alternating", 5, "--generators"), ("--effort", "4")),
        (("flipflop",), ("--formats", "fp16")),
        (("tomita", 7), ("--effort", "16", "--label", "accept")),
        (("tomita", 6), ("--label", "accept")),
        (("dihedral", 5), ("--effort", "4")),
        (("transformations", 5), ("--effort", "10")),
    ):
        r, cache = classify(t, *family, options=("--construct", *options)), {}
        given = [o for o in options if o not in ("--label", "accept")]
        formats = dict(zip(given, given[1:])).get("--formats", "bf16,fp16,fp32,fp64").split(",")
        for row in filter(lambda row: row["compiled"], r["classes"]):
            if row["compiled"]["status"] != "built":
                refused(t, row["compiled"], given)
                seen.add((row["class"], row["compiled"]["status"]))
                continue
            assert [f["format"] for f in row["compiled"]["formats"]] == formats, row
            compare(t, r, row, given, cache)
            seen.update((row["class"], f["verdict"]) for f in row["compiled"]["formats"])
    others = {("complex", "UNKNOWN"), ("deltaproduct", "UNKNOWN")}
    assert seen >= {(name, "VERIFIED") for name in COMPILED} | others, seen


def cell(row, path):
    for name in path.split("."):
        row = row.get(name) if row else None
    return "" if row is None else str(row)


def test_csv(t):
    """Python's reader finds in the table what the JSON says, and blanks where it says nothing."""
    quoted = set()
    for family, options in (
        (("symmetric", 3), ("--construct", "--formats", "bf16,e4m3")),
        (("transformations", 5), ("--construct", "--effort", "10")),
        (("modarith", 3), ()),
    ):
        classes = classify(t, *family, options=options)["classes"]
        text = t.tool("classify", "g.fsa", "--csv", *options)
        table = csv.DictReader(io.StringIO(text), strict=True)
        rows = list(table)
        assert [row["class"] for row in rows] == NAMES, text
        assert None not in rows[0] and len(set(table.fieldnames)) == len(table.fieldnames), text
        for row, one in zip(rows, classes):
            built = one["compiled"] or {}
            verified = [f["format"] for f in built.get("formats", []) if f["verdict"] == "VERIFIED"]
            assert row.pop("compiled.verified_in") == " ".join(verified), (row, one)
            assert row == {path: cell(one, path) for path in row}, (row, one)
            figures = {f"compiled.figures.{name}" for name in built.get("figures", [])}
            assert figures <= set(row), figures
            quoted.update(path for path in row if "," in row[path])
    assert quoted >= {"name", "statement", "model_families"}, quoted


def test_limits(t):
    r = classify(t, "transformations", 6, options=("--limit", "4"))
    assert rung(r) == OTHER and not r["groups_known"] and "limit of 4" in r["reason"], r
    r = classify(t, "dyck", 2, 2, options=("--limit", "4"), rc=2)
    assert (r["aperiodic"], r["two_groups"], r["solvable"]) == (None,) * 3, r
    assert verdicts(r)["diagonal"] == "UNKNOWN" and verdicts(r)["deltaproduct"] == "can", r
    # The networks have other limits than the groups.
    assert r["layers_needed"]["most_layers"] == 1 and r["layers_needed"]["most_is_built"], r
    r = classify(t, "modarith", 3, options=("--maps", "3"))
    assert not r["cycle_word"]["shortest"] and rung(r) == SOLVABLE, r


def test_figures_that_were_not_built(t):
    """Without a network the figures are those of a statement, and the report says so; what a limit
    left open is named."""
    r = classify(t, "counter", 2001, options=("--limit", "4"), rc=2)
    needed, layers = r["layers_needed"], {c["class"]: c["layers"] for c in r["classes"]}
    assert (needed["most_layers"], needed["most_by"], needed["most_is_built"]) == (
        2001,
        "T4.9",
        False,
    ), needed
    assert (layers["deltaproduct"], layers["deltanet"]) == (2001, 4004), layers
    unbuilt = r"at most 2001 by T4\.9, which was not built"
    t.tool("classify", "g.fsa", "--limit", "4", rc=2, out=unbuilt)
    needed = classify(t, "transformations", 8, options=("--effort", "1"))["layers_needed"]
    assert needed["most_is_built"] and "L10" in needed["fewer_by"], needed
    t.tool("classify", "g.fsa", "--effort", "1", out=r"; UNKNOWN whether .*L10.* has fewer\n")
    # Nothing has fewer layers than one, whatever a limit left open.
    needed = json.loads(t.tool("classify", REAL / "counter5x5.fsa", "--json"))["layers_needed"]
    assert (needed["most_layers"], needed["fewer_by"]) == (1, None), needed


def two_layers(t, *images, rc=0, options=()):
    """Classifies the automaton of which letter i leads state q to images[i][q]."""
    names, states = " ".join("abcd"[: len(images)]), range(len(images[0]))
    text = f"fsa 1\nletters {names}\nstates {' '.join(map(str, states))}\n"
    moves = [f"{q} {'abcd'[i]} {x[q]}" for q in states for i, x in enumerate(images)]
    t.write("two.fsa", text + "start 0\n" + "\n".join(moves) + "\n")
    return json.loads(t.tool("classify", "two.fsa", "--json", *options, rc=rc))["layers_needed"]


def stack_check(t, text):
    """Returns the exit status and the output for a certificate of the automaton in two."""
    t.write("changed.cert", text)
    checker = str(Path(t.checker).parent / "stack-check")
    words = [checker, "two/automaton.fsa", "changed.cert"]
    done = subprocess.run(words, cwd=t.folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_two_layers(t):
    """A small first layer and a group show that two layers are enough, with or without a network;
    stack-check walks through the loops itself, and refuses what is changed."""
    assert two_layers(t, "1013", "2032")["built_by"] == "LL.2"
    needed = two_layers(t, "1013", "2231", options=("--certificates", "two"))
    assert needed["layers_at_least"] == needed["most_layers"] == 2, needed
    assert (needed["most_by"], needed["two_by"]) == ("LL.2", "group"), needed
    assert not needed["most_is_built"], needed
    t.tool("classify", "two.fsa", out=r"exactly 2 \(FK\.3, LL\.2, which was not built\)")
    good = t.read("two/stack.cert").decode()
    code, out = stack_check(t, good)
    assert code == 0 and out.startswith("s VERIFIED layers at most 2 finite label states "), out
    code, out = stack_check(t, good.replace("edges 2 1", "edges 1 2"))
    assert code == 1 and "does not act as an idempotent\n" in out, out
    code, out = stack_check(t, re.sub(r"\nfsa \w\w", r"\nfsa 00", good))
    assert code == 1 and "(pass AUTOMATON as `fsa2lrnn fsa convert` writes it" in out, out
    code, out = stack_check(t, re.sub("device (.*) points", "device 9 points", good))
    assert code == 1 and "contents, not to 9" in out, out
    code, out = stack_check(t, good.replace("edges 2 1", "edges 2 2"))
    assert code == 1 and "twice in a permutation" in out, out
    code, out = stack_check(t, re.sub("letter .*", "letter 1 1 1 1", good, count=1))
    assert code == 1 and "is read twice" in out, out
    # Three layers are needed where no first layer is good.
    needed = two_layers(t, "0012", "1230")
    assert (needed["layers_at_least"], needed["two_by"]) == (3, None), needed


def test_a_short_certificate_has_many_loops(t):
    """A certificate that the program writes is within its checker's own limits."""
    two_layers(t, "011", "220", "120", options=("--certificates", "two"))
    good = t.read("two/stack.cert").decode()
    assert len(good) < 20000
    code, out = stack_check(t, good)
    assert code == 0 and out.startswith("s VERIFIED layers at most 2 finite label states "), out


def test_three_layers(t):
    """Three layers are needed (FK.8) and enough: two track a quotient, and the certificate takes
    one layer above it as it takes the second above the first. What is changed in it is refused
    with its line."""
    three = "23236754", "45104545"
    needed = two_layers(t, *three, options=("--certificates", "two"))
    assert needed["layers_at_least"] == needed["most_layers"] == 3, needed
    assert needed["two_by"] == "group", needed
    good = t.read("two/stack.cert").decode()
    code, out = stack_check(t, good)
    assert code == 0 and out.startswith("s VERIFIED layers at most 3 finite label states "), out
    lines = good.split("\n")
    first, second = (i for i, x in enumerate(lines) if x.startswith("device"))

    def refused(reason, line, start, *new):
        code, out = stack_check(t, "\n".join([*lines[:start], *new, *lines[start + len(new) :]]))
        assert code == 1 and re.search(rf"changed\.cert:{line}: {reason}", out), out

    found = r"a loop at state \d does not act as an idempotent"
    refused(found, first + 1, first + 1, *["edges 1 2"] * 4)
    edges = second + 5  # after four states with their transitions
    refused(found, second + 1, edges, *["edges 1 2"] * 8)
    refused("state 4 comes before state 3", second + 2, second + 1, "next 2 4")
    refused("the start does not lead to state 3", second + 4, second + 1, *["next 2 1"] * 3)
    refused("expected a number from 1 to 4", second + 2, second + 1, "next 2 5")
    refused("point 1 is twice in a permutation", edges + 1, edges, "edges 1 1")
    # One layer above the first is not enough.
    code, out = stack_check(t, "\n".join([*lines[:second], "end", ""]))
    assert code == 1 and f"changed.cert:{first + 1}: a loop" in out, out
    # Another automaton between them says less than is needed, or cannot be tracked.
    code, out = stack_check(t, good.replace("next 2 1\n", "next 2 2\n", 1))
    assert code == 1, out


def test_no_class_has_more_layers_than_another_network(t):
    """(ab|ba)* has a network of one layer, which DeltaProduct's row has, too."""
    r = json.loads(t.tool("classify", "--regex", "(ab|ba)*", "--label", "accept", "--json"))
    row = next(c for c in r["classes"] if c["class"] == "deltaproduct")
    needed = r["layers_needed"]
    assert (needed["most_layers"], needed["most_by"], row["layers"]) == (1, row["statement"], 1), r
    t.write("c5.fsa", t.tool("new", "counter", "25"))
    r = json.loads(t.tool("classify", "c5.fsa", "--json"))
    assert r["layers_needed"]["most_layers"] < r["levels"], r["layers_needed"]


def test_labels_and_regex(t):
    assert (
        rung(json.loads(t.tool("classify", "--regex", "(aa)*", "--label", "accept", "--json")))
        == TWO
    )
    assert (
        rung(json.loads(t.tool("classify", "--regex", "(aaa)*", "--label", "accept", "--json")))
        == SOLVABLE
    )
    assert (
        rung(json.loads(t.tool("classify", "--regex", "(a|b)*ab", "--label", "accept", "--json")))
        == APERIODIC
    )


def test_refusals(t):
    t.write("p.fsa", t.tool("new", "parity"))
    t.tool("classify", rc=64, err="one grammar file")
    t.tool("classify", "p.fsa", "p.fsa", rc=64, err="one grammar at a time")
    t.tool("classify", "p.fsa", "--alphabet", "ab", rc=64, err="--regex")
    t.tool("classify", "p.fsa", "--regex", "a", rc=64, err="takes the place")
    t.tool("classify", "none.fsa", rc=74, err="none.fsa")
    t.tool("classify", "p.fsa", "--csv", "--json", rc=64, err="--csv and --json exclude each other")
    t.tool("classify", "p.fsa", "--formats", "bf16", rc=64, err="--formats belongs to --construct")
    t.tool("classify", "p.fsa", "--construct", "--formats", "bf17", rc=64, err="bf17")
    t.tool("classify", "p.fsa", "--label", "outputs", rc=69, err="output")
    t.write("bad.fsa", "fsa 1\nstart a\na\n")
    t.tool("classify", "bad.fsa", rc=65, err="bad.fsa:3")


def test_same_bytes(t):
    t.write("m.fsa", t.tool("new", "modarith-prec", "3"))
    assert t.tool("classify", "m.fsa", "--json") == t.tool("classify", "m.fsa", "--json")


# Subsets of 30 states and maps of them: this takes more than minutes.
LONG = ("classify", "r.fsa", "--limit", "4000000000", "--maps", "2000000000", "--effort", "0")


def test_interrupted(t):
    """Decided questions are printed, the others are unknown, and the status is the signal's."""
    t.write("r.fsa", t.tool("new", "random", "30", "4", "7"))
    for number, options in ((signal.SIGINT, ()), (signal.SIGTERM, ("--json",))):
        process = t.start(*LONG, *options)
        time.sleep(1.5)
        process.send_signal(number)
        produced, errors = process.communicate(timeout=60)
        assert process.returncode == 128 + number and b"interrupted: by SIG" in errors, (
            process.returncode,
            errors,
        )
        if options:
            data = json.loads(produced)
            decided = verdicts(data)
            assert (
                data["ended"] == "interrupted"
                and data["solvable"] is None
                and "interrupted" in data["reason"]
            ), data
            assert decided["deltaproduct"] == "can" and decided["transformer"] == "UNKNOWN", decided
        else:
            text = produced.decode()
            assert "\nlimit         interrupted: " in text and text.endswith(
                "\nended: interrupted; what is unknown was not decided\n"
            ), text


def test_time_limit_and_effort(t):
    """Both leave open the questions that they stop, say so, and keep the others; the same effort
    gives the same output twice."""
    t.write("r.fsa", t.tool("new", "random", "30", "4", "7"))
    limited = json.loads(t.tool(*LONG, "--time-limit", "1", "--json", rc=2))
    assert limited["ended"] == "time limit" and "time limit reached" in limited["reason"], limited
    little = ("classify", "r.fsa", "--limit", "10", "--effort", "1", "--json")
    one, two = (json.loads(t.tool(*little, rc=2)) for _ in range(2))
    assert one == two and one["ended"] == "complete" and one["solvable"] is None, one
    assert verdicts(one)["deltaproduct"] == "can", one
    t.tool(
        "classify",
        "r.fsa",
        "--effort",
        "x",
        rc=64,
        err="--effort takes a number from 0 to 4000000000",
    )
