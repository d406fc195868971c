"""The command `group`: classes, characters, fewest factors, and the certificate that rep-check
verifies."""

import hashlib
import json
import os
import subprocess
from pathlib import Path


def group(t, *family, options=()):
    t.write("g.fsa", t.tool("new", *family))
    return json.loads(t.tool("group", "g.fsa", "--json", *options))


def rep_check(t):
    return str(Path(t.checker).parent / "rep-check")


def verify(t, *arguments, rc=0):
    done = subprocess.run(
        [rep_check(t), *arguments],
        cwd=t.folder,
        env=t.env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
    )
    assert done.returncode == rc, done
    return done.stdout


def test_fewest_factors(t):
    """With all elements as letters, the values are the theory page's."""
    expected = {
        ("cyclic", "2"): 1,
        ("cyclic", "7"): 2,
        ("dihedral", "5"): 2,
        ("symmetric", "3"): 2,
        ("symmetric", "4"): 2,
        ("symmetric", "5"): 4,
        ("symmetric", "6"): 4,
        ("alternating", "4"): 2,
        ("alternating", "5"): 2,
        ("alternating", "6"): 4,
        ("quaternion",): 4,
    }
    for family, n_h in expected.items():
        r = group(t, *family, options=("--elements", "--certificate", "g.rep"))
        assert r["fewest_factors"]["householders"] == n_h, (family, r["fewest_factors"])
        sha256 = hashlib.sha256(t.read("g.fsa")).hexdigest()
        order = r["structure"]["order"]
        classes = len(r["conjugacy_classes"])
        scope = f"letters elements {order} order {order} classes {classes} fsa {sha256}"
        assert r["fewest_factors"]["least_dimension"], family
        claim = f"householders {n_h} dimension {r['fewest_factors']['dimension']} {scope}"
        assert verify(t, "g.fsa", "g.rep") == f"s VERIFIED {claim}\n", family
        assert verify(t, "g.rep") == f"s VERIFIED {claim} unchecked\n", family
        (t.folder / "g.rep").unlink()


def test_table_of_a5(t):
    r = group(t, "alternating", "5")
    assert r["structure"]["name"] == "A_5" and r["structure"]["composition_factors"] == ["A_5"], r[
        "structure"
    ]
    assert [c["degree"] for c in r["characters"]] == [1, 3, 3, 4, 5], r["characters"]
    assert sorted(c["size"] for c in r["conjugacy_classes"]) == [1, 12, 12, 15, 20], r[
        "conjugacy_classes"
    ]
    for character in r["characters"]:
        for value in character["eigenvalue_counts"]:
            assert sum(m for _, m in value) == character["degree"], character
    t.tool("group", "g.fsa", out=r"1\.618.*fewest factors +n_h = 2 for these letters")


def test_dyadic_and_covers(t):
    r = group(t, "symmetric", "4")
    assert r["dyadic_keys"]["lower"] == r["dyadic_keys"]["upper"] == 3, r["dyadic_keys"]
    r = group(t, "quaternion")
    assert (
        r["covers"]["found"] and r["covers"]["householders"] == 2 and r["covers"]["order"] == 16
    ), r["covers"]


def test_wrong_certificate(t):
    group(t, "symmetric", "4", options=("--certificate", "g.rep"))
    text = t.read("g.rep").decode()
    assert "\nminimum 2\n" in text
    t.write("less.rep", text.replace("\nminimum 2\n", "\nminimum 1\n"))
    assert "s NOT VERIFIED" in verify(t, "less.rep", rc=1)
    # The line `least`: another sum, a set that is not the least one, no line, and version 2.
    assert "\nfaithful 5\nleast 3\n" in text and "irrep 4 character 4 dimension 3 " in text
    for old, new in (
        ("\nleast 3\n", "\nleast 2\n"),
        ("\nleast 3\n", "\nleast 4\n"),
        ("\nfaithful 5\nleast 3\n", "\nfaithful 2 5\nleast 4\n"),
        ("\nfaithful 5\nleast 3\n", "\nfaithful 3 5\nleast 5\n"),
        ("\nleast 3\n", "\n"),
        ("householders 3\n", "householders 2\n"),
        ("householders 3\n", "householders 4\n"),
    ):
        assert old in text
        t.write("least.rep", text.replace(old, new))
        assert "s NOT VERIFIED" in verify(t, "least.rep", rc=1), (old, new)
    plain = text.replace("householders 3\n", "householders 2\n").replace("\nleast 3\n", "\n")
    t.write("plain.rep", plain)
    assert "s VERIFIED householders 2 letters" in verify(t, "plain.rep")


def test_of_which_automaton(t):
    """The verdict is about the given file: its bytes, the names of its letters, and what they do to
    the reachable states."""
    edges = [
        "fsa 1",
        'letters a "b c"',
        "states 1 lost 2 3",
        "start 1",
        "1 a 2",
        '1 "b c" 1',
        "lost a 1",
        'lost "b c" lost',
        "2 a 3",
        '2 "b c" 3',
        "3 a 1",
        '3 "b c" 2',
        "",
    ]
    t.write("g.fsa", "\n".join(edges))
    t.tool("group", "g.fsa", "--certificate", "g.rep")
    text = t.read("g.rep").decode()
    assert '\ngenerator a (1 2 3)\ngenerator "b c" (2 3)\n' in text, text
    assert "for another automaton" in verify(
        t, "g.fsa", "g.rep", rc=1
    )  # the tool drops unreachable states
    reached = "\n".join(line for line in edges if not line.startswith("lost")).replace(
        "1 lost 2", "1 2"
    )
    t.write("g.fsa", reached)
    assert " order 6 " in verify(t, "g.fsa", "g.rep")
    t.write("other.fsa", reached.replace("3 a 1", "3 a 2"))
    assert "for another automaton" in verify(t, "other.fsa", "g.rep", rc=1)
    for old, new in (
        ('"b c" (2 3)', '"b c" (1 2)'),
        ('"b c" (2 3)', "b (2 3)"),
        ('"b c" (2 3)', "a (2 3)"),
    ):
        assert f"generator {old}" in text
        t.write("wrong.rep", text.replace(f"generator {old}", f"generator {new}"))
        assert "s NOT VERIFIED" in verify(t, "g.fsa", "wrong.rep", rc=1), new


def test_version_1(t):
    t.write("old.rep", "householders 1\ndegree 1\n")
    assert "version 1" in verify(t, "old.rep", rc=1)


def test_spelling_of_names(t):
    """A name has one spelling, so that two letters cannot have one name."""

    def certificate(name):
        return (
            "householders 2\nfsa "
            + 64 * "0"
            + f"\ndegree 1\ngenerators 2\ngenerator a ()\ngenerator {name} ()\nletters"
            " generators\norder 1\nexponent 1\nclasses 1\nclass 1 element () size 1 order 1"
            " inverse 1 square 1\nprime 3\nseparate\ncharacter 1 degree 1 indicator 1 conjugate"
            " 1 values 1\nirreps 1\nirrep 1 character 1 dimension 1 most 0\nminimum"
            " 0\nfaithful\nend 1\n"
        )

    for name in (
        "b",
        '"\\n"',
        '"\\u0001"',
        '"\\u001f"',
        '"\\u007f"',
        '"\\""',
        '"a b"',
        '"eps"',
        '""',
        "\\",
        '" \\\\"',
    ):
        t.write("g.rep", certificate(name))
        assert "s VERIFIED householders 0 letters generators 2 order 1 classes 1 " in verify(
            t, "g.rep"
        ), name
    for name in (
        "a",
        '"a"',
        '"b"',
        '"\\u000a"',
        '"\\u000Z"',
        '"\\u001F"',
        '"\\u0000"',
        '"\\u0020"',
        '"\\u00ff"',
        '"\\\\"',
        "eps",
        "a b",
        "#",
        '"\\/"',
        '"\\u00',
        '"',
        "",
        '"\n"',
        "\x01",
    ):
        t.write("g.rep", certificate(name))
        assert "s NOT VERIFIED" in verify(t, "g.rep", rc=1), name


def bomb(lengths, lines=()):
    """Returns a certificate that begins with the cyclic group whose generator has cycles of these
    lengths."""
    points, cycles, order = iter(range(1, 200)), "", 1
    for n in lengths:
        cycles += f"({' '.join(str(next(points)) for _ in range(n))})"
        order *= n
    head = [
        "householders 2",
        f"fsa {64 * '0'}",
        f"degree {sum(lengths)}",
        "generators 1",
        f"generator a {cycles}",
        "letters generators",
        f"order {order}",
        f"exponent {order}",
        f"classes {order}",
        *lines,
    ]
    return "\n".join(head) + "\n"


def test_budget(t):
    """Small files that need long work end as UNKNOWN, by the count of steps and within 1 GiB."""
    big = (
        "householders 2\nfsa "
        + 64 * "0"
        + "\ndegree 4000000000\ngenerators 1\ngenerator a (1 2)\nletters generators\n"
    )
    bombs = {
        "powers": bomb((5, 7, 8, 9, 11)),
        "elements": bomb((2, 3, 5, 7, 11, 13, 17, 19)),
        "listing": bomb((3, 4, 5, 7, 11, 13)),
        "degree": big,
        "order": bomb((2,)).replace("order 2", "order 4000000000"),
        "names": bomb((5, 7, 8, 9, 11), ["x" * 40000]),
    }
    for name, text in bombs.items():
        t.write("bomb.rep", text)
        child = subprocess.Popen(
            [rep_check(t), "bomb.rep"],
            cwd=t.folder,
            env=t.env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = child.stdout.read(), child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stdout.close(), child.stderr.close()
        assert (child.returncode, out) == (2, "s UNKNOWN\n") and "budget" in err, (
            name,
            child.returncode,
            out,
            err,
        )
        assert usage.ru_maxrss < 1 << 20, (name, usage.ru_maxrss)


def test_limits_of_ones_own(t):
    t.write("bomb.rep", bomb((5, 7, 8, 9, 11)))
    assert "the time is over" in verify(t, "--time-limit", "0.5s", "bomb.rep", rc=2)
    assert "--memory" in verify(t, "--memory", "10M", "bomb.rep", rc=2)
    for wrong in (
        ["--memory"],
        ["--memory", "x", "bomb.rep"],
        ["--time-limit", "-1", "bomb.rep"],
        ["--what", "1", "bomb.rep"],
        [],
        ["a", "b", "c"],
    ):
        assert "usage: rep-check" in verify(t, *wrong, rc=64), wrong
    assert "usage: rep-check" in verify(t, "--help")
    group(t, "alternating", "4", options=("--certificate", "g.rep"))
    assert "s VERIFIED" in verify(t, "--memory", "1M", "--time-limit", "1m", "g.fsa", "g.rep")


def test_sources(t):
    """--version prints the hash of the program's own source, where this file is available."""
    words = verify(t, "--version").split()
    source = Path(__file__).parents[2] / "theory/check/rep-check.c"
    assert words[:1] == ["rep-check"] and words[-3:] == [
        "sources",
        "sha256",
        hashlib.sha256(source.read_bytes()).hexdigest(),
    ]


def test_refusals(t):
    t.write("f.fsa", t.tool("new", "flipflop"))
    t.tool("group", "f.fsa", rc=69, err="f.fsa: error: ")
    t.tool("group", rc=64, err="one grammar file")
    t.write("s.fsa", t.tool("new", "symmetric", "7", "--generators"))
    t.tool("group", "s.fsa", "--max-order", "100", rc=2, err="100")
    t.tool("group", "s.fsa", "--certificate", "no/where.rep", rc=(73, 74), err="no/where.rep")
