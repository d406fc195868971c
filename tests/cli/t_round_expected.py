"""Known facts about networks in formats: figures of the design, parity by rounding, rotations."""

import json


def swaps(t, n, track):
    """Makes a network with naive keys and a letter for each adjacent swap."""
    lines = [f"points {n}", f"track {track}"] + [f"permute s{i} ({i} {i + 1})" for i in range(1, n)]
    t.write("g.fsa", "\n".join(lines) + "\n")
    t.tool("g.fsa", "-o", "g", "--force", "--quiet", "--keys", "naive", "--limit", "1000")
    return "g"


def entries(t, *args):
    data = json.loads(t.tool("round", *args, "--json", rc=(0, 1, 2)))
    return data, {(f["format"], f["schedule"]): f for f in data["formats"]}


def test_naive_keys_close(t):
    for n, track, name, schedule, states in (
        (3, "points 1", "fp32", "every", 35),
        (3, "elements", "fp32", "every", 241),
        (5, "elements", "bf16", "every", 254936),
        (5, "elements", "bf16", "acc32", 120),
        (5, "elements", "bf16", "cast", 120),
    ):
        net = swaps(t, n, track)
        _, e = entries(
            t, net, "--format", name, "--schedule", schedule, "--letters", "0", "--no-horizon"
        )
        f = e[name, schedule]
        seen = (f["verdict"], f["joint_states"])
        # cast multiplies permutation matrices: nothing is rounded
        assert seen == ("VERIFIED", states), (n, track, name, schedule, seen)


def test_naive_keys_drift(t):
    """The state of a recurrent kernel drifts in bf16: a bound holds for hundreds of letters, and
    words of thousands fail."""
    net = swaps(t, 5, "elements")
    _, e = entries(
        t,
        net,
        "--formats",
        "bf16",
        "--schedules",
        "recurrent",
        "--limit",
        "20000",
        "--letters",
        "20000",
    )
    f = e["bf16", "recurrent"]
    assert f["verdict"] == "REFUTED" and f["how"] == "observed", f
    assert (
        100
        < f["horizon"]["letters"]
        < min(o["wrong_at"] for o in f["observed"] if o["wrong_at"])
        < 20000
    ), f


def test_parity_by_rounding(t):
    t.new("parity.fsa", "parity")
    t.tool("parity.fsa", "-o", "parity", "--quiet")
    examples = t.examples()
    t.write("psd.lrnn", (examples / "parity-psd.lrnn").read_text())
    t.write("decay.lrnn", (examples / "parity-decay.lrnn").read_text())
    data, e = entries(
        t,
        "psd.lrnn",
        "--fsa",
        "parity/automaton.fsa",
        "--formats",
        "bf16,fp16,fp32",
        "--schedules",
        "every",
        "--certificates",
        "proofs",
    )
    assert data["exact"]["verdict"] == "REFUTED" and data["positive_semidefinite"], data["exact"]
    assert abs(data["least_eigenvalue"] - 0.313022) < 1e-6, data["exact"]
    assert (
        e["bf16", "every"]["verdict"] == "VERIFIED" and e["bf16", "every"]["joint_states"] == 2
    ), e
    assert e["fp16", "every"]["verdict"] == e["fp32", "every"]["verdict"] == "REFUTED", e
    t.tool(
        "round",
        "psd.lrnn",
        "--fsa",
        "parity/automaton.fsa",
        "--formats",
        "bf16",
        "--schedules",
        "every",
        out="it is the rounding inside the step that does it",
    )
    verdict = t.check_files("parity/automaton.fsa", "psd.lrnn", "proofs/bf16.every.cert")
    assert verdict.startswith("s VERIFIED float "), verdict
    _, e = entries(
        t,
        "decay.lrnn",
        "--fsa",
        "parity/automaton.fsa",
        "--formats",
        "fp16",
        "--schedules",
        "every",
    )
    assert (
        e["fp16", "every"]["verdict"] == "VERIFIED" and e["fp16", "every"]["joint_states"] == 57
    ), e


def test_rotation(t):
    """Five letters of Z_5 as a rotation have bounds in fp16 and fp32, and a wrong word in bf16."""
    t.new("z5.fsa", "cyclic", "5")
    t.tool(
        "compile", "z5.fsa", "-o", "z5", "--quiet", "--key-dim", "2", "--limit", "1000", rc=(0, 2)
    )
    _, e = entries(
        t,
        "z5",
        "--formats",
        "bf16,fp16,fp32",
        "--schedules",
        "every",
        "--limit",
        "100000",
        "--letters",
        "20000",
    )
    assert e["bf16", "every"]["verdict"] == "REFUTED", e["bf16", "every"]
    for name in ("fp16", "fp32"):
        f = e[name, "every"]
        assert f["horizon"]["letters"] > 50 and (
            f["verdict"] == "UNKNOWN" or f["how"] == "observed"
        ), f
