"""lrnn-check from outside: verdict lines, exit statuses, output that cannot be written; the command
`check`, which runs it; and `check-export`: verdicts on exported language models, whole and changed,
and what is refused (tests/clients/stock_check.py changes many more bytes, and runs the models)."""

import hashlib
import json
import re
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
        usage = "[--stdin SIZES] [--budget N] [--memory SIZE] [--time-limit SECONDS]"
        usage += " AUTOMATON NETWORK CERTIFICATE"
        assert words.startswith(f"usage: {program.name} {usage} {program.name} --help"), words
        assert max(map(len, done.stdout.splitlines())) <= 100, done.stdout
    for program in Path(t.checker).parent.glob("*-check"):
        done = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
        assert f"{program.name} --help | --version\n" in done.stdout, done.stdout
        assert all(f"\n  {option} " in done.stdout for option in ("--memory", "--time-limit"))
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
    files = (OUT[0], "changed.lrnn", OUT[2])
    reason = r"certificate\.cert:3: expected `[0-9a-f]{64}`"
    out = t.tool("check", *files, *checker, rc=1, err=rf"^fsa2lrnn: error: g\.lrnn/{reason}")
    assert out == "s NOT VERIFIED\n"
    t.tool("check", *files, "--quiet", *checker, rc=1, err=reason)
    report = json.loads(t.tool("check", *files, "--json", *checker, rc=1, err=reason))
    assert report["line"] == "s NOT VERIFIED" and re.search(reason, report["reason"]), report
    assert json.loads(t.tool("check", "g.lrnn", "--json", *checker))["reason"] is None


def test_command_names_the_file_that_was_changed(t):
    """Beside the checker's reason, which is a line of the certificate."""
    checker = checked(t)
    about = r"the file is another one, or was changed: its SHA-256 is [0-9a-f]{12}\.\.\., and the"
    own = "the file was changed after it was written: the SHA-256 in its last line is not its own"
    for file, old, new, why in (
        (OUT[0], "odd", "ode", about),
        (OUT[1], "odd", "ode", about),
        (OUT[2], "row 1 ", "row 2 ", own),
    ):
        kept = (t.folder / file).read_text()
        t.write(file, kept.replace(old, new))
        why = rf"^fsa2lrnn: error: g\.lrnn/certificate\.cert:\d+: [^\0]*{file}: warning: {why}"
        assert t.tool("check", "g.lrnn", *checker, rc=1, err=why) == "s NOT VERIFIED\n"
        assert t.errors.count("warning") == 1, t.errors
        t.tool("check", "g.lrnn", "--quiet", *checker, rc=1)
        assert "warning" not in t.errors
        t.write(file, kept)
    t.tool("check", "g.lrnn", *checker)
    t.write(OUT[2], "")
    t.tool("check", "g.lrnn", *checker, rc=1, err="certificate.cert:1: expected a certificate")


def test_command_reads_all_that_the_checker_writes(t):
    """More than a pipe holds on either output does not stop the checker; the first line on standard
    error is the reason."""
    checked(t)
    t.write(
        "loud.sh",
        "#!/bin/sh\necho the reason >&2\nfor i in 1 2 3; do head -c 300000 /dev/zero | tr '\\0' x"
        " >&2; head -c 300000 /dev/zero | tr '\\0' y; echo; done\necho s UNKNOWN\nexit 2\n",
    )
    (t.folder / "loud.sh").chmod(0o755)
    out = t.tool("check", "g.lrnn", "--checker", "./loud.sh", rc=2, err="error: the reason\n$")
    assert out == "s UNKNOWN\n", out


def test_command_no_checker(t):
    """A checker that cannot be run gives UNKNOWN, and so does one with a false exit status."""
    checked(t)
    out = t.tool("check", "g.lrnn", "--checker", "/nowhere/lrnn-check", rc=2, err="cannot be run")
    assert out == "s UNKNOWN\n"
    t.write("liar.sh", "#!/bin/sh\necho s VERIFIED exact\nexit 1\n")
    (t.folder / "liar.sh").chmod(0o755)
    said = r"liar\.sh says: s VERIFIED exact\n"
    out = t.tool("check", "g.lrnn", "--checker", "./liar.sh", rc=2, err=said)
    assert out == "s UNKNOWN\n", out
    t.tool("check", "g.lrnn", "--checker", "false", rc=2, err="error: false says nothing\n")


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


def repair(t):
    """Writes the sizes and hashes of the files of m into export.json, where it lists them."""
    try:
        about = json.loads(t.read("m/export.json"))
        for entry in about["files"]:
            data = t.read(f"m/{entry['name']}")
            entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    except (ValueError, KeyError, TypeError):
        return
    t.write("m/export.json", json.dumps(about))


def check_export(t, *options, rc=0, repaired=True, **expected):
    if repaired:
        repair(t)
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
    other = ("check-export", "m", "--fsa", "other.fsa", "--another-automaton")
    t.tool(*other[:-1], rc=69, err="export.json names another automaton")
    t.tool("check-export", "m", "--fsa", "g.fsa", out=VERIFIED)  # another spelling
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
        check_export(t, rc=65, err="config.json, line 1, column 1")
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
        (lambda a: a["fsa_letters"].append("2"), "automaton: letters is not 3"),
        (lambda a: a.pop("label_names"), "export.json has no label_names"),
        (lambda a: a.update(label_names={}), "label_names is no list"),
        (lambda a: a.update(label_kind="x"), "label_kind is no kind of labels"),
        (lambda a: a.update(claims=[]), "claims of no path that it is exact"),
        (lambda a: a["claims"][0].update(path="x"), "of a path that delta_net does not have"),
        (lambda a: a["claims"].append(a["claims"][0]), "two claims of the path chunk"),
        (lambda a: a["claims"][0].update(computes_in="float16"), "computes_in is not bfloat16"),
        (lambda a: a["claims"][0].update(claimed_exact=1), "claimed_exact is neither"),
        (lambda a: a["claims"][0].update(x=1), "a claim: the member x is not known"),
        (lambda a: a.update(key_epsilon=1), "export.json: the member key_epsilon is not known"),
        (lambda a: a.update(schema=3), "no report of `export` of schema 2"),
        (lambda a: a.update(report="inject"), "no report of `export` of schema 2"),
        (lambda a: a.update(target="olmo-hybrid"), "target is not fla-deltanet"),
        (lambda a: a.update(schedule="every"), "schedule is not null"),
        (lambda a: a.update(start_label="odd"), "start_label is not the automaton's label"),
        (lambda a: a.update(start_label=None), "start_label is not the automaton's label"),
        (lambda a: a.update(start_label="x"), "start_label is none of label_names"),
        (lambda a: a["automaton"].update(sha256="0" * 64), "names another automaton, of SHA-256 0"),
        (lambda a: a["automaton"].update(sha256="0"), "sha256 is no SHA-256"),
        (lambda a: a["automaton"].update(states=3), "automaton: states is not 2"),
        (lambda a: a["automaton"].update(x=3), "automaton: the member x is not known"),
    ):
        edit(t, "export.json", change)
        check_export(t, rc=69, err=err)
        t.write("m/export.json", whole)
    t.tool("check-export", "m", "--fsa", "g.lrnn/automaton.fsa", out=VERIFIED)


def test_export_files(t):
    """Every file is compared with export.json, and another file is refused."""
    exported(t, "parity", "fla-deltanet", "bfloat16")
    for name in ("config.json", "model.safetensors", "prefix.json", "README.md"):
        whole = t.read(f"m/{name}")
        t.write(f"m/{name}", whole + b" ")
        check_export(t, rc=69, repaired=False, err=f"{name} is not the file that export.json lists")
        (t.folder / "m" / name).unlink()
        check_export(t, rc=74, repaired=False, err=f"m/{name}")
        t.write(f"m/{name}", whole)
    whole = t.read("m/export.json")
    for change, err in (
        (lambda a: a.pop("files"), "files is no list of 4 files"),
        (lambda a: a["files"].pop(), "files is no list of 4 files"),
        (lambda a: a["files"].append(a["files"][0]), "files is no list of 4 files"),
        (lambda a: a["files"].__setitem__(1, a["files"][0]), "has config.json, which is twice"),
        (lambda a: a["files"][0].update(name="x"), "files has x, which is not known"),
        (lambda a: a["files"][0].update(bytes=1), "config.json is not the file"),
        (lambda a: a["files"][0].update(sha256=None), "config.json is not the file"),
        (lambda a: a["files"][0].update(x=1), "an entry of files: the member x is not known"),
    ):
        edit(t, "export.json", change)
        check_export(t, rc=69, repaired=False, err=err)
        t.write("m/export.json", whole)
    t.write("m/export.json", whole.replace(b'"files":', b'"files":[],"files":'))
    check_export(t, rc=65, repaired=False, err="export.json, line 1, column .*duplicate object key")
    t.write("m/export.json", whole)
    for name in (
        "adapter_config.json", "adapter_model.safetensors", "adapter_model.bin",
        "pytorch_model.bin", "model.safetensors.index.json", "model-00001-of-00002.safetensors",
        "model.bf16.safetensors", "pytorch_model.bin.index.json", "generation_config.json",
        "tokenizer_config.json", "modeling_delta_net.py", "configuration_x.py", "tf_model.h5",
        "flax_model.msgpack", "quantize_config.json", ".hidden", "weights",
    ):  # fmt: skip
        if name == "weights":
            (t.folder / "m" / name).mkdir()
        else:
            t.write(f"m/{name}", "{}")
        check_export(t, rc=69, repaired=False, err=f"the folder has {re.escape(name)}, which")
        if name == "weights":
            (t.folder / "m" / name).rmdir()
        else:
            (t.folder / "m" / name).unlink()
    check_export(t, repaired=False, out=VERIFIED)


def test_export_members_are_known(t):
    """config.json is read whole, and no member is there twice, nested or not."""
    exported(t, "parity", "olmo-hybrid", "bfloat16")
    whole = t.read("m/config.json")
    assert whole.endswith(b"\n}\n")

    def append(member, rc, err):
        t.write("m/config.json", whole[:-3] + b",\n" + member + b"\n}\n")
        check_export(t, rc=rc, err=err)

    for name in (
        b"key_epsilon", b"auto_map", b"quantization_config", b"torch_dtype", b"use_cache",
        b"configuration_files", b"attn_implementation", b"transformers_version", b"fuse_norm",
    ):  # fmt: skip
        append(b'"' + name + b'": {}', 69, f"config.json: the member {name.decode()} is not known")
    append(b'"dtype": "bfloat16"', 65, "config.json, line [0-9]+, column .*duplicate object key")
    append(b'"x": {"a": 1, "a": 1}', 65, "config.json, line [0-9]+.*duplicate object key")
    append(b'"x": [{"b": {"a": 1, "\\u0061": 1}}]', 65, "duplicate object key")
    for behind in (b"{}", b"0", b"x", b"\0", whole):
        t.write("m/config.json", whole + behind)
        check_export(t, rc=65, err="config.json, line [0-9]+")
    t.write("m/config.json", whole)
    check_export(t, out=VERIFIED)


def test_export_header_is_known(t):
    """The header of model.safetensors is read whole, as the official reader would."""
    exported(t, "parity", "fla-deltanet", "bfloat16")
    whole = t.read("m/model.safetensors")
    begin = 8 + struct.unpack("<Q", whole[:8])[0]
    header, data = whole[8:begin].rstrip(b" "), whole[begin:]
    entry = b'"lm_head.weight":' + re.search(rb'"lm_head.weight":(\{.*?\})', header)[1]

    def write(header, rc, err, data=data):
        t.write("m/model.safetensors", struct.pack("<Q", len(header)) + header + data)
        check_export(t, rc=rc, err=err)

    second = entry.replace(b":", b" :").replace(b"6,16", b"16,6")
    other = b'"x":{"dtype":"BF16","shape":[0],"data_offsets":[0,0]}'
    for changed, rc, err in (
        (header[:-1] + b"," + entry + b"}", 65, "no JSON object"),
        (header[:-1] + b"," + second + b"}", 65, "no JSON object"),
        (header[:-1] + b"," + other + b"}", 69, "the stock model has no tensor x"),
        (header[:-1] + b',"key_epsilon":1}', 65, "the tensor key_epsilon: no type"),
        (header.replace(b'"shape"', b'"x":1,"shape"', 1), 69, "the member x is not known"),
        (header.replace(b'"dtype"', b'"dtype":"F16","dtype"', 1), 65, "no JSON object"),
        (header.replace(b'"shape"', b'"shape":[6,16],"shape"', 1), 65, "no JSON object"),
        (header.replace(b'"pt"', b'"tf"'), 69, "__metadata__: format is not pt"),
        (header.replace(b'"pt"', b'"pt","format":"pt"'), 65, "no JSON object"),
        (header.replace(b'"pt"', b'"pt","x":"y"'), 69, "__metadata__: the member x is not known"),
        (header.replace(b'"__metadata__":{"format":"pt"},', b""), 65, "__metadata__ is no object"),
        (b" " + header, 65, "the header does not begin with { and end with }"),
        (header + b"\n", 65, "the header does not begin with { and end with }"),
        (header + b"\0", 65, "no JSON object"),
        (header + b"{}", 65, "no JSON object"),
        (header.replace(b"[0,192]", b"[0,190]"), 65, "do not fill its shape"),
    ):
        assert changed != header
        write(changed, rc, err)
    write(header, 65, "overlap or leave a gap", data + b"\0\0")
    write(header, 65, "error", data[:-2])
    t.write("m/model.safetensors", struct.pack("<Q", len(header) + 9) + header + b" " * 9 + data)
    check_export(t, out=VERIFIED)


def lines_of(t):
    """Returns {line: meaning} of the export in m, for all paths. It is for its own automaton."""
    report = json.loads(check_export(t, "--json", repaired=False))
    about = [report[name] for name in ("label_kind", "fsa_letters", "label_names", "target")]
    meaning = json.dumps([report["automaton"]["sha256"], report["format"], *about])
    text = check_export(t, repaired=False)
    for path in report["paths"]:
        assert f"\n{path['line']}\n" in text, text
    return {path["line"]: (meaning, path["path"], path["verdict"]) for path in report["paths"]}


def test_export_line(t):
    """The line of a path names the target, the path, the format, the labels and all files."""
    exported(t, "parity", "fla-deltanet", "bfloat16")
    hashes = [
        hashlib.sha256(t.read(name)).hexdigest()
        for name in ("g.lrnn/automaton.fsa", "m/config.json", "m/model.safetensors",
                     "m/prefix.json", "m/export.json")
    ]  # fmt: skip
    words = "fsa", "config", "model", "prefix", "export"
    named = " ".join(f"{word} {sha256}" for word, sha256 in zip(words, hashes))
    assert list(lines_of(t)) == [
        f"s VERIFIED export fla-deltanet path {path} format bf16 label states letters 2 labels 2 "
        f"states 2 {named}"
        for path in ("chunk", "recurrent")
    ]


def test_export_lines_differ(t):
    """Two exports that differ in meaning never give the same line: other labels of the same tokens,
    automata, formats, targets and paths."""
    seen = {}

    def look():
        for line, meaning in lines_of(t).items():
            assert seen.setdefault(line, meaning) == meaning, (line, meaning, seen[line])

    parity = "start even\naccept odd\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n"
    for text in (
        parity,
        parity.replace("odd", "e").replace("even", "o"),
        parity.replace("0", "a").replace("1", "b"),
        parity.replace("accept odd", "accept even"),
        parity.replace("accept odd", "output even x\noutput odd y"),
        parity.replace("accept odd", "output even y\noutput odd x"),
    ):
        t.write("g.fsa", text)
        for kind in ("states", "outputs" if "output" in text else "accept"):
            t.tool("compile", "g.fsa", "--force", "--quiet", "--label", kind)
            for target, dtype in (
                ("fla-deltanet", "bfloat16"), ("fla-deltanet", "float16"),
                ("fla-gated-deltaproduct", "bfloat16"),
            ):  # fmt: skip
                t.tool("export", "g.lrnn", "--to", target, "--dtype", dtype, "-o", "m", "--force",
                       "--quiet")  # fmt: skip
                look()
    # The weights of one export under the labels of another: lines differ, also from the other's.
    t.write("g.fsa", parity)
    t.tool("compile", "g.fsa", "--force", "--quiet", "--label", "states")
    t.tool("export", "g.lrnn", "--to", "fla-deltanet", "-o", "m", "--force", "--quiet")
    look()
    told = {"label_kind": "accept", "label_names": ["reject", "accept"], "start_label": "reject"}
    edit(t, "export.json", lambda a: a.update(told))
    look()
    assert len(seen) == 74 and len(set(seen.values())) == 72, len(seen)


def test_export_usage_and_limits(t):
    exported(t, "parity", "fla-deltanet", "bfloat16")
    t.tool("check-export", "m", rc=64, err="--fsa FILE is missing")
    t.tool("check-export", "--fsa", "g.fsa", rc=64, err="one folder is expected")
    t.tool("check-export", "none", "--fsa", "g.fsa", rc=74, err="cannot open none")
    t.tool("export", "g.lrnn", "--to", "npz", "-o", "n", "--quiet")
    t.tool("check-export", "n", "--fsa", "g.fsa", rc=69, err="to npz is no language model")
    exported(t, "symmetric 5", "fla-gated-deltaproduct", "bfloat16")
    check_export(t, "--effort", "1", rc=2, out="UNKNOWN: .*effort")
