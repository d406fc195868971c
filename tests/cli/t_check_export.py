"""`check-export`: verdicts on exported language models, whole and changed, and what is refused.
tests/clients/stock_check.py changes many more bytes, and runs the models."""

import json
import struct

FILES = "config.json", "model.safetensors", "prefix.json", "export.json", "README.md"
VERIFIED = r"\n {15}VERIFIED\n"


def exported(t, family, target, dtype, options=()):
    """Makes g.fsa, g.lrnn and the model in m."""
    if family.endswith(".fsa"):
        t.write("g.fsa", (t.examples() / family).read_bytes())
    else:
        t.new("g.fsa", *family.split())
    t.tool("compile", "g.fsa", "--force", "--quiet", *options)
    t.tool("export", "g.lrnn", "--to", target, "--dtype", dtype, "-o", "m", "--force", "--quiet")


def check(t, *options, rc=0, **expected):
    return t.tool("check-export", "m", "--fsa", "g.lrnn/automaton.fsa", *options, rc=rc, **expected)


def edit(t, name, change):
    """Changes the JSON of a file; returns its bytes before."""
    before = t.read(f"m/{name}")
    value = json.loads(before)
    change(value)
    t.write(f"m/{name}", json.dumps(value))
    return before


def tensor(t, name):
    """Returns (bytes of the file, where the tensor begins, where it ends, its shape)."""
    data = bytearray(t.read("m/model.safetensors"))
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    entry = json.loads(data[8:begin])[name]
    return data, *(begin + at for at in entry["data_offsets"]), entry["shape"]


def test_help_is_golden(t):
    t.golden("help-check-export.txt", t.tool("help", "check-export"))


def test_verified(t):
    """Every target and type, and every kind of labels; several layers."""
    for target, family, options in (
        ("fla-deltanet", "parity", ()),
        ("fla-deltanet", "shuffle.fsa", ()),
        ("olmo-hybrid", "parity", ()),
        ("olmo-hybrid", "shuffle.fsa", ()),
        ("fla-gated-deltaproduct", "s3.fsa", ()),
        ("fla-gated-deltaproduct", "cyclic 5", ()),
        ("fla-gated-deltaproduct", "s5_generators.fsa", ()),
        ("fla-gated-deltaproduct", "dihedral 5", ("--label", "states")),
        ("fla-gated-deltaproduct", "tomita4.fsa", ("--cascade", "capped")),
        ("fla-gated-deltaproduct", "first-letter.fsa", ()),
    ):
        for dtype in ("bfloat16", "float16"):
            exported(t, family, target, dtype, options)
            report = json.loads(check(t, "--json"))
            claims = json.loads(t.read("m/export.json"))["claims"]
            claimed = {claim["path"]: claim["claimed_exact"] for claim in claims}
            assert report["verdict"] == "VERIFIED" and report["witness"] is None, report
            for path in report["paths"]:
                assert claimed[path["path"]] == path["claimed_exact"], path
                assert path["claimed_exact"] == (path["verdict"] == "VERIFIED"), path


def test_transitions(t):
    """Labels of transitions: the empty word has none."""
    t.write("g.fsa", "start a\na x b one\nb x a two\na y a two\nb y b one\n")
    t.tool("g.fsa", "--label", "edges", "--quiet")
    t.tool("export", "g.lrnn", "--to", "fla-deltanet", "-o", "m", "--quiet")
    check(t, out=VERIFIED)


def test_another_automaton(t):
    """The model is checked against the automaton that is given."""
    exported(t, "parity", "fla-deltanet", "bfloat16")
    t.write("other.fsa", "start even\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1 odd\n")
    other = ("check-export", "m", "--fsa", "other.fsa")
    t.tool(*other, rc=1, out=r"REFUTED\n.*\nword +1 1: the model gives even, the automaton odd\n")
    report = json.loads(t.tool(*other, "--json", rc=1))
    assert report["verdict"] == "REFUTED"
    assert report["witness"] == {"word": ["1", "1"], "expected": "odd", "got": "even"}, report
    t.write("other.fsa", "start even\neven 0 even\neven 2 odd\nodd 0 odd\nodd 2 even\n")
    t.tool(*other, rc=69, err="export.json has no letter 2")
    t.write("other.fsa", "start even\neven 0 even\neven 1 one\none 0 one\none 1 even\n")
    t.tool(*other, rc=69, err="export.json has no label one")
    t.write("other.fsa", "start odd\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n")
    t.tool(*other, rc=1, out="word +the empty word: the model gives even, the automaton odd\n")


def test_changed_tensors(t):
    exported(t, "symmetric 3", "fla-gated-deltaproduct", "bfloat16")
    whole = t.read("m/model.safetensors")
    data, begin, end, (rows, columns) = tensor(t, "lm_head.weight")
    row = [data[begin + 2 * columns * r : begin + 2 * columns * (r + 1)] for r in range(rows)]
    data[begin:end] = b"".join([row[1], row[0], *row[2:]])
    t.write("m/model.safetensors", bytes(data))
    check(t, rc=1, out="the empty word: the model gives")
    data[begin:end] = b"".join([row[0], row[1], row[3], row[2], *row[4:]])
    t.write("m/model.safetensors", bytes(data))
    report = json.loads(check(t, "--json", rc=1))
    assert len(report["witness"]["word"]) == 1, report  # a shortest word
    data[begin:end] = bytes(end - begin)
    t.write("m/model.safetensors", bytes(data))
    check(t, rc=1, out="the model gives several labels")
    t.write("m/model.safetensors", whole)
    data, begin, end, _ = tensor(t, "model.layers.0.attn.k_proj.weight")
    used = [at for at in range(begin, end, 2) if any(data[at : at + 2])][1]
    data[used] ^= 4
    t.write("m/model.safetensors", bytes(data))
    check(t, rc=2, out="UNKNOWN: layer 1, what the heads read: ")
    data[used : used + 2] = b"\x80\x7f"
    t.write("m/model.safetensors", bytes(data))
    check(t, rc=69, err="k_proj.weight has a number that is not finite")
    t.write("m/model.safetensors", whole[:-2])
    check(t, rc=65, err="error")
    t.write("m/model.safetensors", whole.replace(b"lm_head.weight", b"lm_head.weighs"))
    check(t, rc=69, err="lm_head.weight is missing")
    t.write("m/model.safetensors", whole)
    check(t, out=VERIFIED)


def test_config(t):
    """Every member is refused when it is missing or has another value, and so are others."""
    for target in ("fla-deltanet", "fla-gated-deltaproduct", "olmo-hybrid"):
        exported(t, "parity", target, "float16")
        for name, value in json.loads(t.read("m/config.json")).items():
            before = edit(t, "config.json", lambda c: c.pop(name))
            check(t, rc=69, err=name if name != "dtype" else "config.json: dtype")
            other = (
                [] if isinstance(value, list) else "x" if isinstance(value, str)
                else not value if value is None or isinstance(value, bool) else value * 2 + 1
            )  # fmt: skip
            t.write("m/config.json", json.dumps({**json.loads(before), name: other}))
            check(t, rc=69, err="error: ")
            t.write("m/config.json", before)
        before = edit(t, "config.json", lambda c: c.update(attn={"layers": [0]}))
        check(t, rc=69, err="the member attn is not known here")
        t.write("m/config.json", b"{")
        check(t, rc=65, err="config.json, line 1")
        t.write("m/config.json", before)


def test_prefix(t):
    exported(t, "symmetric 3", "fla-gated-deltaproduct", "float16")
    whole = edit(t, "prefix.json", lambda p: p.pop())
    check(t, rc=69, err="prefix.json has 63 tokens, which fill no chunks of 64")
    t.write("m/prefix.json", json.dumps([0] * 64))
    check(t, rc=1, out=r"the empty word: the model gives several labels, the automaton \(\)\n")
    t.write("m/prefix.json", json.dumps([1] * 64))
    check(t, rc=2, out="UNKNOWN: the prefix, layer 1, head 1: a key is no unit vector")
    t.write("m/prefix.json", json.dumps([99] * 64))
    check(t, rc=69, err="entry 1 is no token")
    t.write("m/prefix.json", whole + whole)
    check(t, rc=65, err="prefix.json")
    tokens = json.loads(whole)
    t.write("m/prefix.json", json.dumps(tokens[:1] * 64 + tokens))
    check(t, out=VERIFIED)


def test_names(t):
    exported(t, "parity", "fla-deltanet", "bfloat16")
    whole = edit(t, "export.json", lambda a: a["label_names"].reverse())
    check(t, rc=1, out="the empty word")
    t.write("m/export.json", whole)
    for change, err in (
        (lambda a: a["fsa_letters"].append("0"), "fsa_letters has a name twice"),
        (lambda a: a["fsa_letters"].append("2"), "3 letters, and the automaton 2"),
        (lambda a: a.pop("label_names"), "label_names is no list"),
        (lambda a: a.update(label_kind="x"), "label_kind is no kind of labels"),
        (lambda a: a.update(claims=[]), "claims of no path that it is exact"),
        (lambda a: a["claims"][0].update(path="x"), "of a path that delta_net does not have"),
    ):
        edit(t, "export.json", change)
        check(t, rc=69, err=err)
        t.write("m/export.json", whole)
    t.tool("check-export", "m", "--fsa", "g.lrnn/automaton.fsa", out=VERIFIED)


def test_usage_and_limits(t):
    exported(t, "parity", "fla-deltanet", "bfloat16")
    t.tool("check-export", "m", rc=64, err="--fsa FILE is missing")
    t.tool("check-export", "--fsa", "g.fsa", rc=64, err="one folder is expected")
    t.tool("check-export", "none", "--fsa", "g.fsa", rc=74, err="none/config.json")
    t.tool("export", "g.lrnn", "--to", "npz", "-o", "n", "--quiet")
    t.tool("check-export", "n", "--fsa", "g.fsa", rc=74, err="n/config.json")
    exported(t, "symmetric 5", "fla-gated-deltaproduct", "bfloat16")
    check(t, "--effort", "1", rc=2, out="UNKNOWN: .*effort")
