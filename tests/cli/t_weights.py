"""--weights-dtype: the type of weights.safetensors, what is said of rounding, what is refused."""

import json

SIZES = {"BF16": 2, "F16": 2, "F32": 4, "F64": 8}


def weights(t, folder):
    """Returns the metadata, the types of the tensors that are no integers, and whether they fill
    their shapes."""
    raw = t.read(f"{folder}/weights.safetensors")
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    about, types = header.pop("__metadata__"), set()
    for name, tensor in header.items():
        if tensor["dtype"] == "I32":
            continue
        types.add(tensor["dtype"])
        numbers = 1
        for size in tensor["shape"]:
            numbers *= size
        begin, end = tensor["data_offsets"]
        assert end - begin == numbers * SIZES[tensor["dtype"]], name
    return about, types


def test_types(t):
    t.new("g.fsa", "symmetric", "3")
    for keys, exact in (("dyadic", True), ("naive", False)):
        for asked in ("auto", "bf16", "f16", "f32", "f64"):
            options = ("--keys", keys, "--weights-dtype", asked, "--out", "o.lrnn", "--force")
            report = json.loads(t.tool("g.fsa", "--json", *options))
            given = {"auto": "bf16" if exact else "f64"}.get(asked, asked)
            about, types = weights(t, "o.lrnn")
            assert types == {given.upper()} and report["weights"]["dtype"] == given.upper(), types
            assert report["weights"]["rounded"] is not exact, report["weights"]
            assert about["rounding"] == ("exact" if exact else given), about
            text = t.tool("g.fsa", *options)
            said = "which holds every number exactly" if exact else "rounded: it does not hold"
            assert f"weights        {given.upper()}, {said}" in text, text


def test_only_the_weights_change(t):
    t.new("g.fsa", "tomita", "7")
    for folder, asked in (("a.lrnn", "auto"), ("b.lrnn", "f64")):
        t.tool("compile", "g.fsa", "--weights-dtype", asked, "--out", folder)
    for name in ("automaton.fsa", "network.lrnn", "certificate.cert"):
        assert t.read(f"a.lrnn/{name}") == t.read(f"b.lrnn/{name}"), name
    assert t.read("a.lrnn/weights.safetensors") != t.read("b.lrnn/weights.safetensors")


def test_lists_and_wired_networks(t):
    t.new("g.fsa", "symmetric", "4")
    t.tool("compile", "g.fsa", "--pareto", "--weights-dtype", "f32", "--out", "list.lrnn")
    assert weights(t, "list.lrnn")[1] == {"F32"}
    bounds = ("--layers", "3", "--householders", "2", "--exact-in", "bf16")
    t.tool("compile", "g.fsa", *bounds, "--weights-dtype", "f16", "--out", "w.lrnn")
    about, types = weights(t, "w.lrnn")
    assert about["kind"] == "wired" and about["rounding"] == "exact" and types == {"F16"}, about


def test_refused(t):
    t.new("g.fsa", "parity")
    for name in ("fp32", "F32", "", "i32", "bf16,f32"):
        t.tool(
            "g.fsa",
            "--weights-dtype",
            name,
            "--out",
            "no.lrnn",
            rc=64,
            err=f"--weights-dtype is one of: auto, bf16, f16, f32, f64; not '{name}'",
        )
    t.tool(
        "compile",
        "g.fsa",
        "--pareto",
        "--weights-dtype",
        "f32",
        rc=64,
        err="--weights-dtype belongs to --out, without which --pareto writes nothing",
    )
    assert "no.lrnn" not in t.entries() and "g.lrnn" not in t.entries()
