"""The command `group`: classes, characters, fewest factors, and the certificate that rep-check verifies."""
import json
import subprocess
from pathlib import Path


def group(t, *family, options=()):
    t.write("g.fsa", t.tool("new", *family))
    return json.loads(t.tool("group", "g.fsa", "--json", *options))


def verify(t, name, rc=0):
    done = subprocess.run([str(Path(t.checker).parent / "rep-check"), name], cwd=t.folder, env=t.env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    assert done.returncode == rc, done
    return done.stdout


def test_fewest_factors(t):
    """All elements as letters: the values that the theory page lists."""
    expected = {("cyclic", "2"): 1, ("cyclic", "7"): 2, ("dihedral", "5"): 2, ("symmetric", "3"): 2, ("symmetric", "4"): 2,
                ("symmetric", "5"): 4, ("symmetric", "6"): 4, ("alternating", "4"): 2, ("alternating", "5"): 2,
                ("alternating", "6"): 4, ("quaternion",): 4}
    for family, n_h in expected.items():
        r = group(t, *family, options=("--elements", "--certificate", "g.rep"))
        assert r["fewest_factors"]["householders"] == n_h, (family, r["fewest_factors"])
        assert f"s VERIFIED householders {n_h} " in verify(t, "g.rep"), family
        (t.folder / "g.rep").unlink()


def test_table_of_a5(t):
    r = group(t, "alternating", "5")
    assert r["group"]["name"] == "A_5" and r["group"]["composition_factors"] == ["A_5"], r["group"]
    assert [c["degree"] for c in r["characters"]] == [1, 3, 3, 4, 5], r["characters"]
    assert sorted(c["size"] for c in r["classes"]) == [1, 12, 12, 15, 20], r["classes"]
    for character in r["characters"]:
        for value in character["values"]:
            assert sum(m for _, m in value) == character["degree"], character
    t.tool("group", "g.fsa", out=r"1\.618.*fewest factors +n_h = 2 for these letters")


def test_dyadic_and_covers(t):
    r = group(t, "symmetric", "4")
    assert r["dyadic_keys"]["lower"] == r["dyadic_keys"]["upper"] == 3, r["dyadic_keys"]
    r = group(t, "quaternion")
    assert r["covers"]["found"] and r["covers"]["householders"] == 2 and r["covers"]["order"] == 16, r["covers"]


def test_wrong_certificate(t):
    group(t, "symmetric", "4", options=("--certificate", "g.rep"))
    text = t.read("g.rep").decode()
    assert "\nminimum 2\n" in text
    t.write("less.rep", text.replace("\nminimum 2\n", "\nminimum 1\n"))
    assert "s NOT VERIFIED" in verify(t, "less.rep", rc=1)


def test_refusals(t):
    t.write("f.fsa", t.tool("new", "flipflop"))
    t.tool("group", "f.fsa", rc=69, err="f.fsa: error: ")
    t.tool("group", rc=64, err="one grammar file")
    t.write("s.fsa", t.tool("new", "symmetric", "7", "--generators"))
    t.tool("group", "s.fsa", "--max-order", "100", rc=2, err="100")
    t.tool("group", "s.fsa", "--certificate", "no/where.rep", rc=(73, 74), err="no/where.rep")
