"""`horizon --forever` of networks with clamped betas and exact keys, and the claim `finite` of
horizon-check: what is proved, in which scope, what is not and why, and what is refused: other
heads, denominators, states, scopes and claims, weights a bit further inside."""

import json
import random
import shutil
import sys

from harness import ROOT
from t_forever import forever
from t_horizon import check
from t_settle import changed, corpus_run, set_tensor

sys.path.insert(0, str(ROOT / "tests/prop"))

from trained import run_files, run_network  # noqa: E402

MIXER = "layers.0.mixer."


def run(t, name):
    shutil.rmtree(t.folder / "run", ignore_errors=True)
    return corpus_run(t, f"finite-{name}")


def refused(t, files, says=""):
    """The old certificate, with the hashes of the files as they are now, is refused."""
    old = run_files.Files(*(t.read(name) for name in files), t.read("claim"))
    t.write("changed", run_files.rehashed(old).certificate)
    status, _, message = check(t, *files, "changed", messages=True)
    assert status == 1 and says in message, (status, message)


def test_finite(t):
    """A group of one number in fp32, one of three numbers exactly, a bit with values in fp32, and
    a head among others that cannot be followed."""
    for name, scope, joint, followed in (
        ("parity-fp32", "fp32", 2, 1),
        ("parity-fp32", "fp64", 2, 1),
        ("s3-exact", "exact", 6, 1),
        ("bit-fp32", "fp32", 3, 1),
        ("heads-exact", "exact", 3, 1),
    ):
        files = run(t, name)
        data = forever(t, "--format", scope)
        assert data["forever_verdict"] == "proved" and data["forever_limit"] is None
        assert (data["joint_states"], data["followed_heads"]) == (joint, followed), data
        assert data["suffix_nodes"] == 0 and data["largest_norm"] is None
        status, line = check(t, *files, "claim")
        assert status == 0, line
        assert line.startswith(f"s VERIFIED forever joint {joint} scope {scope}"), line
    t.tool("horizon", "run", "--forever", out="all lengths +proved right on every word of every")
    t.tool("horizon", "run", "--forever", out="states +3 of the automaton and 1 head together")


def test_refused(t):
    files = run(t, "s3-exact")
    forever(t)
    assert check(t, *files, "claim")[0] == 0
    for old, new, says in (
        ("^heads 1$", "heads 2", ""),
        ("^heads 1$", "heads 1 1", ""),
        ("^heads 1$", "heads", ""),
        ("^heads .*\n", "", ""),
        (r"^denominator (\d+)$", "denominator 0", ""),
        (r"^denominator (\d+)$", "denominator 1073741825", ""),
        (r"^denominator (\d+)$", r"denominator 0\1", ""),
        ("^joint 6$", "joint 5", "more joint states"),
        ("^joint 6$", "joint 7", "fewer joint states"),
        ("^joint 6$", "joint 0", ""),
        ("^joint .*\n", "", ""),
        ("^end\n", "", ""),
        ("^end$", "end\nend", ""),
        ("^scope exact$", "scope fp32 any-order", "again and again"),
        ("^claim finite$", "claim forever", "`additive"),
        ("^claim finite$", "claim settles", "`additive"),
        ("^claim finite$", "claim infinite", ""),
        ("^learned-cert 1$", "horizon-cert 2", ""),
        ("^config [0-9a-f]{8}", "config 00000000", ""),
    ):
        status, message = changed(t, files, (old, new))
        assert status == 1 and says in message, (old, new, status, message)
    assert changed(t, files, ("^denominator 1$", "denominator 30"))[0] == 0  # a multiple
    files = run(t, "heads-exact")
    forever(t)
    status, message = changed(t, files, ("^scope exact$", "scope fp32 any-order"))
    assert status == 1 and "all heads must be followed" in message
    status, message = changed(t, files, ("^heads 1$", "heads 1 2"))
    assert status == 1 and "a beta may be inside its range" in message


def test_denominator(t):
    """Keys along (1, 1, 1): thirds are refused where the denominator is no multiple of 3."""
    files = run(t, "s3-exact")
    forever(t)
    width = json.loads(t.read(files[1]))["model"]["width"]
    set_tensor(t, MIXER + "k_proj.weight", lambda x: x[:width] * (len(x) // width))
    refused(t, files, "a state has another denominator")
    t.write("claim", t.read("claim").replace(b"denominator 1\n", b"denominator 3\n"))
    refused(t, files, "may be wrong")


def cancelled(t, name, row, a=2.185882091522217, b=1.5201948881149292):
    """Makes parity from a vector of eight numbers a letter, of which two cancel exactly in the
    products with the row of a projection, and not in doubles."""
    files = run(t, "parity-fp32")
    tensors = {
        "embedding.weight": [1, -1, a, b, 0, 0, 0, 0, 1, 1, a, b, 0, 0, 0, 0],
        "layers.0.mixer_norm.weight": [1, 1, b, a, 1, 1, 1, 1],
        MIXER + "q_proj.weight": [1],
        MIXER + "k_proj.weight": [1],
        MIXER + "b_proj.weight": [0, 100],
        MIXER + "initial_state": [1],
        MIXER + "o_norm.weight": [1],
        MIXER + "o_proj.weight": [0, 0, 0, 0, 1],
        "head.weight": [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, -1],
        name: row,
    }
    for one, numbers in tensors.items():
        set_tensor(t, one, lambda x, numbers=numbers: [*numbers, *[0] * (len(x) - len(numbers))])
    return files


def test_queries_that_cancel(t):
    """A query of which doubles tell nothing may have any sign."""
    files = run(t, "parity-fp32")
    forever(t)
    cancelled(t, MIXER + "q_proj.weight", [-1, 0, 2**70, -(2**70)])
    refused(t, files, "the answer after letter 1 may be wrong")
    forever(t, err="nothing is proved")
    files = run(t, "parity-fp32")
    forever(t, "--format", "fp32")
    set_tensor(t, MIXER + "q_proj.weight", lambda x: [v * 2**-40 for v in x])
    refused(t, files, "in this scope a query is too short")
    assert forever(t, "--format", "fp32", err="nothing")["forever_limit"] == "format"


def test_keys_that_cancel(t):
    """A key that is 0 in doubles alone is none that is 0."""
    files = run(t, "parity-fp32")
    forever(t)
    cancelled(t, MIXER + "k_proj.weight", [2**60, 1, -(2**60)], 1, 1)
    refused(t, files, "a key is too short")
    assert forever(t, err="nothing is proved")["forever_limit"] == "beta"


def test_another_claim_of_usual_networks(t):
    """A network with betas of a sigmoid has no such claim."""
    files = corpus_run(t, "forever-interval-exact")
    forever(t)
    status, message = changed(t, files, ("^claim forever$", "claim finite"))
    assert status == 1 and "clamped_betas" in message, message


def test_wrong(t):
    """Wrong answers have a word, the shortest of its state, and no certificate is accepted."""
    files = run(t, "s3-exact")
    forever(t)
    set_tensor(t, "head.weight", lambda x: [-v for v in x])
    refused(t, files, "the answer after letter 1 may be wrong")
    data = forever(t, err="nothing is proved, so that no certificate is written")
    assert data["forever_verdict"] == "wrong" and len(data["limiting_word"]) == 1
    assert data["joint_states"] is None and data["followed_heads"] is None
    t.tool("horizon", "run", "--forever", out="a word of 1 letter is answered wrongly: ")


def test_not_in_this_class(t):
    """A beta inside its range, a letter that rounds, states without end, a key of any direction."""
    files = run(t, "bit-fp32")
    forever(t)
    set_tensor(t, MIXER + "b_proj.weight", lambda x: [v / 3 for v in x])
    refused(t, files, "a beta may be inside its range")
    data = forever(t, err="nothing is proved")
    assert data["forever_limit"] == "beta" and data["largest_norm_letter"] == "set"
    t.tool("horizon", "run", "--forever", out="not in this class: letter set has a beta inside")
    files = run(t, "s3-exact")
    forever(t)
    data = forever(t, "--format", "fp32", err="nothing is proved")
    assert data["forever_verdict"] == "unknown" and data["forever_limit"] == "format"
    rng = random.Random(1)
    set_tensor(t, MIXER + "k_proj.weight", lambda x: [rng.gauss(0, 1) for _ in x])
    refused(t, files)
    data = forever(t, err="nothing is proved")
    assert data["forever_limit"] == "states", data
    t.tool("horizon", "run", "--forever", out="not in this class: the states of head 1 are more")
    read, tensors = run_network.load(*(t.read(name) for name in files[1:]))
    del read["model"]["ternary_keys"]
    data = run_files.split(t.read(files[2]))[1]
    t.write(files[1], run_files.config_text(read))
    t.write(files[2], run_files.weights_of(read["model"], data))
    t.tool("horizon", "run", "--forever", rc=69, err="several numbers and any direction")
    refused(t, files, "keys have several numbers of any size")
    t.tool("horizon", "run", rc=69, err="its betas are clamped")
    t.tool("horizon", "run", "--settle", out="no margin for ever")  # t_roots.py has more


def test_time(t):
    run(t, "s3-exact")
    data = forever(t, "--prefix-time", "0.000000001", err="nothing is proved")
    assert data["forever_verdict"] == "unknown" and data["forever_limit"] == "time"
    t.tool("horizon", "run", "--forever", "--prefix-time", "0.000000001", out="was over before all")


def test_memory_and_steps_end(t):
    """A claim of more work than a budget allows is UNKNOWN, not accepted."""
    files = run(t, "s3-exact")
    forever(t)
    assert check(t, "--memory", "60K", *files, "claim")[0] == 2
    assert check(t, "--memory", "4M", *files, "claim")[0] == 0
