"""`horizon --forever` and the claim `forever` of horizon-check: what is proved, what is not and
why, and what is refused: leaves that are missing or wrong, sets that are a unit too small, a letter
that does not contract, other scopes, hashes and networks."""

import json
import re
import shutil
import sys

from harness import ROOT
from t_horizon import check, learned
from t_settle import changed, corpus_run, set_tensor

sys.path.insert(0, str(ROOT / "tests/prop"))

from trained import run_files  # noqa: E402


def run(t, name):
    """Makes the run of a small network that tells a word's last letters."""
    shutil.rmtree(t.folder / "run", ignore_errors=True)
    return corpus_run(t, f"forever-{name}")


def forever(t, *options, rc=0, **expected):
    return json.loads(
        t.tool("horizon", "run", "--forever", "-o", "claim", "--json", *options, rc=rc, **expected)
    )


def test_forever(t):
    """Intervals, planes, a begin letter and eigenvalues below 0; the verdict names the leaves."""
    for name, scope in (
        ("interval-exact", "exact"),
        ("plane-exact", "exact"),
        ("plane-fp32", "fp32"),
        ("begin-fp32", "fp32"),
        ("signed-exact", "exact"),
    ):
        files = run(t, name)
        data = forever(t, "--format", scope)
        assert data["forever_verdict"] == "proved" and data["forever_limit"] is None
        assert data["forever_scope"].startswith(scope) and data["largest_norm"] < 1
        assert data["suffix_leaves"] <= data["suffix_nodes"] and data["limiting_word"] is None
        status, line = check(t, *files, "claim")
        begin = f"s VERIFIED forever leaves {data['suffix_leaves']} scope {scope}"
        assert status == 0 and line.startswith(begin), line
        kept = json.loads(t.read("run/forever.json"))
        assert kept["suffix_nodes"] == data["suffix_nodes"]
    t.tool("horizon", "run", "--forever", out="all lengths +proved right on every word")


def lines_of(t, word):
    return [x for x in t.read("claim").decode().split("\n") if re.match(word, x)]


def test_refused(t):
    files = run(t, "plane-exact")
    data = forever(t)
    assert data["suffix_nodes"] > data["suffix_leaves"]  # an inner node
    assert check(t, *files, "claim")[0] == 0
    for more, says in (
        ([(r"^leaf \d+\n", "")], ""),  # one is missing
        ([(r"^leaf \d+\nend$", "end")], "expected"),
        ([(r"^(leaf \d+)$", r"\1\n\1")], ""),
        ([(r"^inner\nleaf \d+\nleaf \d+$", "leaf 0")], "the answer after a leaf may be wrong"),
        ([(r"^leaf \d+$", "leaf 25")], ""),
        ([(r"^leaf \d+$", "leaf")], ""),
        ([(r"^inner$", "inner ")], ""),
        ([(r"^scope exact$", "scope fp32 any-order")], "leads out of the set"),
        ([(r"^scope exact$", "scope fp16 any-order")], ""),
        ([(r"^claim forever$", "claim settles")], ""),
        ([(r"^claim forever$", "claim for ever")], ""),
        ([(r"^learned-cert 1$", "horizon-cert 2")], ""),
        ([(r"^weights [0-9a-f]{8}", "weights 00000000")], ""),
        ([(r"^directions -?\d+ ", "directions ")], ""),
        ([(r"^directions .*\n", "")], ""),
        ([(r"^set 2 .*\n", "")], ""),
        ([(r"^set 1 ", "set 3 ")], ""),
        ([(r"^set 1 -?\d+ ", "set 1 9007199254740992 ")], "at most 9007199254740991"),
        ([(r"^set 1 -?\d+ ", "set 1 8000000000000000 ")], "too large"),
        ([(r"^set 1 -?\d+ ", "set 1 0x1 ")], ""),
        ([(r"^set 1 -?\d+ ", "set 1 -0 ")], ""),
        ([(r"^end\n", "")], ""),
        ([(r"^end$", "end\nend")], ""),
    ):
        status, message = changed(t, files, *more)
        assert status == 1 and says in message, (more, status, message)


def test_unit_too_small(t):
    """Every number of the sets is the least one that the others allow, up to some units: it is
    found by bisection, and a unit less is refused."""
    files = run(t, "interval-exact")
    forever(t)
    text = t.read("claim").decode()
    line = lines_of(t, "set 1 ")[0]
    words = line.split(" ")

    def accepted(i, x):
        new = " ".join([*words[:i], str(x), *words[i + 1 :]])
        t.write("changed", text.replace(line, new))
        return check(t, *files, "changed")[0] == 0

    for i in (2, 3, len(words) - 1):
        good, bad = int(words[i]), int(words[i]) - (1 << 40)
        assert accepted(i, good) and not accepted(i, bad)
        while good - bad > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if accepted(i, middle) else (good, middle)
        assert int(words[i]) - good < 1 << 16  # of 2^40
        assert not accepted(i, good - 1)


def test_other_weights(t):
    """A network whose answers are wrong has no certificate, and none is accepted for it."""
    files = run(t, "plane-exact")
    forever(t)
    set_tensor(t, "head.weight", lambda x: [-v for v in x])
    hashes = run_files.rehashed(
        run_files.Files(*(t.read(name) for name in files), t.read("claim"))
    )
    t.write("changed", hashes.certificate)
    assert check(t, *files, "changed")[0] == 1
    data = forever(t, err="nothing is proved, so that no certificate is written")
    assert data["forever_verdict"] == "wrong" and len(data["limiting_word"]) == 1
    t.tool("horizon", "run", "--forever", out="a word of 1 letter is answered wrongly: ")


def test_not_contracting(t):
    """A key that is 0 leaves its head as it is: nothing is proved, and the letter is named."""
    files = run(t, "interval-exact")
    forever(t)
    set_tensor(t, "layers.0.mixer.k_proj.weight", lambda x: [0.0] * len(x))
    data = forever(t, err="nothing is proved")
    assert data["forever_verdict"] == "unknown" and data["forever_limit"] == "contraction"
    assert data["largest_norm"] == 1 and data["limiting_head"] == 1
    new = run_files.rehashed(run_files.Files(*(t.read(name) for name in files), t.read("claim")))
    t.write("changed", new.certificate)
    assert check(t, *files, "changed")[0] == 1
    t.tool("horizon", "run", "--forever", out="letter a does not shorten all that head 1 remembers")


def test_not_in_class(t):
    learned(t)
    t.tool("horizon", "run", "--forever", rc=69, err="key dimensions of 1 and 2 only")
    run(t, "plane-exact")
    t.tool("horizon", "run", "--forever", "--settle", rc=64, err="--forever is without --settle")
    t.tool("horizon", "run", "--forever", "--letters", "a", rc=64, err="without --letters")
    data = forever(t, "--prefix-time", "0.000001", err="nothing is proved")
    assert data["forever_verdict"] == "unknown" and data["forever_limit"] == "time"
