"""`check`: the verdict of the independent checker about a folder or three files."""

import json

FILES = ("g.lrnn/automaton.fsa", "g.lrnn/network.lrnn", "g.lrnn/certificate.cert")


def compiled(t):
    t.new("g.fsa", "parity")
    t.tool("g.fsa")
    return ("--checker", t.checker)


def test_verified(t):
    checker = compiled(t)
    line = t.tool("check", "g.lrnn", *checker)
    assert line.startswith("s VERIFIED exact label states letters 2 states 2 "), line
    assert line == t.tool("check", *FILES, *checker)
    assert json.loads(t.tool("check", "g.lrnn", "--json", *checker))["line"] == line.rstrip("\n")


def test_refused(t):
    checker = compiled(t)
    network = (t.folder / FILES[1]).read_text()
    t.write("changed.lrnn", network.replace("factor 2 u 1:1", "factor 1 u 1:1"))
    out = t.tool("check", FILES[0], "changed.lrnn", FILES[2], *checker, rc=1)
    assert out == "s NOT VERIFIED\n"


def test_no_checker(t):
    """A checker that cannot be run gives UNKNOWN, and so does one with a false exit status."""
    compiled(t)
    out = t.tool("check", "g.lrnn", "--checker", "/nowhere/lrnn-check", rc=2, err="cannot be run")
    assert out == "s UNKNOWN\n"
    t.write("liar.sh", "#!/bin/sh\necho s VERIFIED exact\nexit 1\n")
    (t.folder / "liar.sh").chmod(0o755)
    t.tool("check", "g.lrnn", "--checker", "./liar.sh", rc=2)


def test_usage(t):
    checker = compiled(t)
    t.tool("check", rc=64, err="a folder, or an automaton, a network and a certificate")
    t.tool("check", "g.lrnn", "g.lrnn", *checker, rc=64, err="are expected")
    t.tool("check", "nothing.lrnn", *checker, rc=74, err="nothing.lrnn/automaton.fsa: error")
