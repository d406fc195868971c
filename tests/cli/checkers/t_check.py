"""lrnn-check from outside: verdict lines, exit statuses, files that cannot be read, output that
cannot be written; and the command `check`, which runs it."""

import hashlib
import json
import resource
import subprocess
from pathlib import Path

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
