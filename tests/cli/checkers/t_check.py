"""lrnn-check from outside: verdict lines, exit statuses, files that cannot be read, output that
cannot be written; the command `check`, which runs it; and `check-export`: verdicts on exported
language models, whole and changed, and what is refused (tests/clients/stock_check.py changes many
more bytes, and runs the models)."""

import hashlib
import json
import resource
import struct
import subprocess
from pathlib import Path

VERIFIED = r"\n {15}VERIFIED\n"
FILES = "automaton.fsa", "network.lrnn", "certificate.cert"


def run(t, *args, rc, out="", err=None, stdout=subprocess.PIPE, **options):
    """Runs lrnn-check with the arguments; standard output must be exactly `out`, or begin with it
    when it ends with a blank."""
    done = subprocess.run(
        [t.checker, *args],
        cwd=t.folder,
        env=t.env,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=120,
        **options,
    )
    printed, errors = (done.stdout or b"").decode(), done.stderr.decode("utf-8", "replace")
    seen = f"lrnn-check {' '.join(args)}\nexit {done.returncode}\n{printed}\n{errors}"
    assert done.returncode == rc, f"exit status is not {rc}: {seen}"
    assert printed == out or (
        out.endswith(" ") and printed.startswith(out) and printed.count("\n") == 1
    ), seen
    assert (err in errors) if err else not errors, seen
    return printed


def parity(t):
    t.new("p.fsa", "parity")
    t.tool("p.fsa", "--out", "p.lrnn")
    return [f"p.lrnn/{name}" for name in FILES]


def refused(t, *args, err):
    run(t, *args, rc=1, out="s NOT VERIFIED\n", err=err)


def test_verified(t):
    files = parity(t)
    fsa, network = (hashlib.sha256(t.read(f)).hexdigest() for f in files[:2])
    run(
        t,
        *files,
        rc=0,
        out=(
            "s VERIFIED exact label states letters 2 states 2 layers 1 heads 1 householders 1 key"
            f" 1 value 1 rows 2 fsa {fsa} network {network}\n"
        ),
    )


def test_version_1(t):
    """Files of the first format are refused, and the message says what to do."""
    a, n, c = parity(t)
    for number in (1, 2):
        files = [a, n, c]
        old = (
            t.read(files[number])
            .replace(b"lrnn 2\n", b"lrnn 1\n")
            .replace(b"lrnn-certificate 2\n", b"lrnn-certificate 1\n")
        )
        if number == 1:
            files[1] = t.write("old", old)
            digest = hashlib.sha256(old).hexdigest().encode()
            body = (
                b"\n".join(
                    b"network " + digest if line.startswith(b"network ") else line
                    for line in t.read(c).split(b"\n")[:-2]
                )
                + b"\n"
            )
            files[2] = t.write(
                "cert", body + b"sha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n"
            )
        else:
            files[2] = t.write("cert", old)
        refused(t, *files, err="format version 1 is no longer read: this program reads lrnn")
    t.write("wired", b"lrnn-wired 1\n")
    body = (
        f"lrnn-certificate 2\nfsa {hashlib.sha256(t.read(a)).hexdigest()}\n"
        f"network {hashlib.sha256(t.read('wired')).hexdigest()}\nclaim exact\n"
    )
    t.write("cert", f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n")
    if (Path(t.checker).parent / "lrnn-check-wired").exists():
        refused(t, a, "wired", "cert", err="format version 1 is no longer read")


def test_help_and_version(t):
    for program in Path(t.checker).parent.glob("lrnn-check*"):
        if program.suffix:
            continue
        done = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
        words = " ".join(done.stdout.split())
        usage = "[--budget N] [--memory SIZE] [--time-limit SECONDS] AUTOMATON NETWORK CERTIFICATE"
        assert words.startswith(f"usage: {program.name} {usage} {program.name} --help"), words
        assert max(map(len, done.stdout.splitlines())) <= 100, done.stdout
    run(t, "--version", rc=0, out="lrnn-check ")


def test_usage(t):
    files = parity(t)
    for args in (
        [],
        files[:1],
        files[:2],
        [*files, files[0]],
        ["--unknown"],
        ["--help", *files[:1]],
        ["--version", *files[1:]],
    ):
        run(t, *args, rc=64, err="usage: ")


def test_files_that_cannot_be_read(t):
    files = parity(t)
    for place in range(3):
        for other in ("absent", "p.lrnn"):
            refused(t, *files[:place], other, *files[place + 1 :], err=f"{other}:0: ")


def test_files_in_the_wrong_places(t):
    a, n, c = parity(t)
    for args in ((n, a, c), (a, c, n), (c, n, a), (a, a, a), (n, n, n), (c, c, c)):
        refused(t, *args, err="expected ")
    t.write("empty", "")
    for args in (("empty", n, c), (a, "empty", c), (a, n, "empty")):
        refused(t, *args, err="OUT/automaton.fsa")


def test_the_grammar_instead_of_the_automaton(t):
    """A hand-written grammar is not the automaton.fsa made from it, and the message says which one
    to pass."""
    t.write("g.fsa", "# parity\nstart a\na 0 a\na 1 b\nb 0 b\nb 1 a\n")
    t.tool("g.fsa")
    run(t, *(f"g.lrnn/{name}" for name in FILES), rc=0, out="s VERIFIED exact ")
    refused(t, "g.fsa", *(f"g.lrnn/{name}" for name in FILES[1:]), err="pass OUT/automaton.fsa")


def rewrite(t, files, fsa):
    """Replaces the automaton by another one, with all hashes right."""
    _, n, c = (t.read(f).decode() for f in files)
    lines = n.split("\n")
    lines[1] = f"fsa {hashlib.sha256(fsa.encode()).hexdigest()}"
    n = "\n".join(lines)
    lines = c.split("\n")
    lines[1:3] = [
        f"fsa {hashlib.sha256(fsa.encode()).hexdigest()}",
        f"network {hashlib.sha256(n.encode()).hexdigest()}",
    ]
    body = "\n".join(lines[:-2]) + "\n"
    return [
        t.write(name, text)
        for name, text in zip(
            FILES, (fsa, n, f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n")
        )
    ]


def test_only_deterministic_total_automata(t):
    files = parity(t)
    fsa = t.read(files[0]).decode()
    run(t, *rewrite(t, files, fsa), rc=0, out="s VERIFIED exact ")
    first, *edges = [
        line
        for line in fsa.splitlines(True)
        if line[0].isalpha() and line.count(" ") == 2 and "1" in line[:9]
    ]
    edge = (edges or [first])[-1]
    state, letter, target = edge.split()
    for broken in (
        fsa.replace(edge, ""),
        fsa.replace(edge, edge * 2),
        fsa.replace(edge, f"{state} eps {target}\n"),
        fsa.replace("fsa 1\n", ""),
        fsa.replace(edge, edge + "# comment\n"),
        fsa.replace("\n", "\r\n"),
    ):
        assert broken != fsa
        refused(t, *rewrite(t, files, broken), err="automaton.fsa:")


def test_full_device(t):
    """A verdict that could not be written does not count."""
    with open("/dev/full", "wb") as full:
        run(t, *parity(t), rc=2, err="standard output", stdout=full)
        run(t, "--help", rc=2, err="standard output", stdout=full)


def test_out_of_memory(t):
    """GMP and the checker say only UNKNOWN when memory is out."""
    if "asan" in t.checker:
        return
    t.new("s.fsa", "symmetric", "6")
    t.tool("s.fsa", "--formats", "bf16", "--out", "s.lrnn")
    files = [f"s.lrnn/{name}" for name in FILES]
    seen = set()
    for megabytes in (4, 6, 8, 10, 12, 16, 24, 400):

        def limit(size=megabytes << 20):
            resource.setrlimit(resource.RLIMIT_AS, (size, size))

        done = subprocess.run(
            [t.checker, *files],
            cwd=t.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=limit,
            timeout=120,
        )
        status = done.returncode
        if status == 127 or status < 0 or b"shared" in done.stderr:
            continue  # too little to load the program
        seen.add(status)
        assert (status, done.stdout.split(b" e")[0]) in ((0, b"s VERIFIED"), (2, b"s UNKNOWN\n")), (
            megabytes,
            done,
        )
    assert seen == {0, 2}, seen


# --- the command `check` of the program, about a folder or three files ---

OUT = ("g.lrnn/automaton.fsa", "g.lrnn/network.lrnn", "g.lrnn/certificate.cert")


def checked(t):
    t.new("g.fsa", "parity")
    t.tool("g.fsa")
    return ("--checker", t.checker)


def test_command_verified(t):
    checker = checked(t)
    line = t.tool("check", "g.lrnn", *checker)
    assert line.startswith("s VERIFIED exact label states letters 2 states 2 "), line
    assert line == t.tool("check", *OUT, *checker)
    assert json.loads(t.tool("check", "g.lrnn", "--json", *checker))["line"] == line.rstrip("\n")


def test_command_refused(t):
    checker = checked(t)
    network = (t.folder / OUT[1]).read_text()
    t.write("changed.lrnn", network.replace("factor 2 u 1:1", "factor 1 u 1:1"))
    out = t.tool("check", OUT[0], "changed.lrnn", OUT[2], *checker, rc=1)
    assert out == "s NOT VERIFIED\n"


def test_command_no_checker(t):
    """A checker that cannot be run gives UNKNOWN, and so does one with a false exit status."""
    checked(t)
    out = t.tool("check", "g.lrnn", "--checker", "/nowhere/lrnn-check", rc=2, err="cannot be run")
    assert out == "s UNKNOWN\n"
    t.write("liar.sh", "#!/bin/sh\necho s VERIFIED exact\nexit 1\n")
    (t.folder / "liar.sh").chmod(0o755)
    t.tool("check", "g.lrnn", "--checker", "./liar.sh", rc=2)


def test_command_usage(t):
    checker = checked(t)
    t.tool("check", rc=64, err="a folder, or an automaton, a network and a certificate")
    t.tool("check", "g.lrnn", "g.lrnn", *checker, rc=64, err="are expected")
    t.tool("check", "nothing.lrnn", *checker, rc=74, err="nothing.lrnn/automaton.fsa: error")


# --- check-export ---


def exported(t, family, target, dtype, options=()):
    """Makes g.fsa, g.lrnn and the model in m."""
    if family.endswith(".fsa"):
        t.write("g.fsa", (t.examples() / family).read_bytes())
    else:
        t.new("g.fsa", *family.split())
    t.tool("compile", "g.fsa", "--force", "--quiet", *options)
    t.tool("export", "g.lrnn", "--to", target, "--dtype", dtype, "-o", "m", "--force", "--quiet")


def check_export(t, *options, rc=0, **expected):
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


def test_export_help_is_golden(t):
    t.golden("help-check-export.txt", t.tool("help", "check-export"))


def test_export_verified(t):
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
            report = json.loads(check_export(t, "--json"))
            claims = json.loads(t.read("m/export.json"))["claims"]
            claimed = {claim["path"]: claim["claimed_exact"] for claim in claims}
            assert report["verdict"] == "VERIFIED" and report["witness"] is None, report
            for path in report["paths"]:
                assert claimed[path["path"]] == path["claimed_exact"], path
                assert path["claimed_exact"] == (path["verdict"] == "VERIFIED"), path


def test_export_transitions(t):
    """Labels of transitions: the empty word has none."""
    t.write("g.fsa", "start a\na x b one\nb x a two\na y a two\nb y b one\n")
    t.tool("g.fsa", "--label", "edges", "--quiet")
    t.tool("export", "g.lrnn", "--to", "fla-deltanet", "-o", "m", "--quiet")
    check_export(t, out=VERIFIED)


def test_export_another_automaton(t):
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


def test_export_changed_tensors(t):
    exported(t, "symmetric 3", "fla-gated-deltaproduct", "bfloat16")
    whole = t.read("m/model.safetensors")
    data, begin, end, (rows, columns) = tensor(t, "lm_head.weight")
    row = [data[begin + 2 * columns * r : begin + 2 * columns * (r + 1)] for r in range(rows)]
    data[begin:end] = b"".join([row[1], row[0], *row[2:]])
    t.write("m/model.safetensors", bytes(data))
    check_export(t, rc=1, out="the empty word: the model gives")
    data[begin:end] = b"".join([row[0], row[1], row[3], row[2], *row[4:]])
    t.write("m/model.safetensors", bytes(data))
    report = json.loads(check_export(t, "--json", rc=1))
    assert len(report["witness"]["word"]) == 1, report  # a shortest word
    data[begin:end] = bytes(end - begin)
    t.write("m/model.safetensors", bytes(data))
    check_export(t, rc=1, out="the model gives several labels")
    t.write("m/model.safetensors", whole)
    data, begin, end, _ = tensor(t, "model.layers.0.attn.k_proj.weight")
    used = [at for at in range(begin, end, 2) if any(data[at : at + 2])][1]
    data[used] ^= 4
    t.write("m/model.safetensors", bytes(data))
    check_export(t, rc=2, out="UNKNOWN: layer 1, what the heads read: ")
    data[used : used + 2] = b"\x80\x7f"
    t.write("m/model.safetensors", bytes(data))
    check_export(t, rc=69, err="k_proj.weight has a number that is not finite")
    t.write("m/model.safetensors", whole[:-2])
    check_export(t, rc=65, err="error")
    t.write("m/model.safetensors", whole.replace(b"lm_head.weight", b"lm_head.weighs"))
    check_export(t, rc=69, err="lm_head.weight is missing")
    t.write("m/model.safetensors", whole)
    check_export(t, out=VERIFIED)


def test_export_config(t):
    """Every member is refused when it is missing or has another value, and so are others."""
    for target in ("fla-deltanet", "fla-gated-deltaproduct", "olmo-hybrid"):
        exported(t, "parity", target, "float16")
        for name, value in json.loads(t.read("m/config.json")).items():
            before = edit(t, "config.json", lambda c: c.pop(name))
            check_export(t, rc=69, err=name if name != "dtype" else "config.json: dtype")
            other = (
                [] if isinstance(value, list) else "x" if isinstance(value, str)
                else not value if value is None or isinstance(value, bool) else value * 2 + 1
            )  # fmt: skip
            t.write("m/config.json", json.dumps({**json.loads(before), name: other}))
            check_export(t, rc=69, err="error: ")
            t.write("m/config.json", before)
        before = edit(t, "config.json", lambda c: c.update(attn={"layers": [0]}))
        check_export(t, rc=69, err="the member attn is not known here")
        t.write("m/config.json", b"{")
        check_export(t, rc=65, err="config.json, line 1")
        t.write("m/config.json", before)


def test_export_prefix(t):
    exported(t, "symmetric 3", "fla-gated-deltaproduct", "float16")
    whole = edit(t, "prefix.json", lambda p: p.pop())
    check_export(t, rc=69, err="prefix.json has 63 tokens, which fill no chunks of 64")
    t.write("m/prefix.json", json.dumps([0] * 64))
    check_export(t, rc=1, out=r"word: the model gives several labels, the automaton \(\)\n")
    t.write("m/prefix.json", json.dumps([1] * 64))
    check_export(t, rc=2, out="the prefix, layer 1, head 1: a key is no unit vector")
    t.write("m/prefix.json", json.dumps([99] * 64))
    check_export(t, rc=69, err="entry 1 is no token")
    t.write("m/prefix.json", whole + whole)
    check_export(t, rc=65, err="prefix.json")
    tokens = json.loads(whole)
    t.write("m/prefix.json", json.dumps(tokens[:1] * 64 + tokens))
    check_export(t, out=VERIFIED)


def test_export_names(t):
    exported(t, "parity", "fla-deltanet", "bfloat16")
    whole = edit(t, "export.json", lambda a: a["label_names"].reverse())
    check_export(t, rc=1, out="the empty word")
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
        check_export(t, rc=69, err=err)
        t.write("m/export.json", whole)
    t.tool("check-export", "m", "--fsa", "g.lrnn/automaton.fsa", out=VERIFIED)


def test_export_usage_and_limits(t):
    exported(t, "parity", "fla-deltanet", "bfloat16")
    t.tool("check-export", "m", rc=64, err="--fsa FILE is missing")
    t.tool("check-export", "--fsa", "g.fsa", rc=64, err="one folder is expected")
    t.tool("check-export", "none", "--fsa", "g.fsa", rc=74, err="none/config.json")
    t.tool("export", "g.lrnn", "--to", "npz", "-o", "n", "--quiet")
    t.tool("check-export", "n", "--fsa", "g.fsa", rc=74, err="n/config.json")
    exported(t, "symmetric 5", "fla-gated-deltaproduct", "bfloat16")
    check_export(t, "--effort", "1", rc=2, out="UNKNOWN: .*effort")
