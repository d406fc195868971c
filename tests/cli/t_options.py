"""Options, help, the man page, the completion, and the effects of --json, --quiet, --require and a
terminal."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess

from harness import Skip

ORDER = {"VERIFIED": 0, "UNKNOWN": 2, "REFUTED": 1}


def usage(t, *args, err):
    t.tool(*args, rc=64, err=err)
    assert "Try 'fsa2lrnn help" in t.errors, t.errors


def test_no_arguments(t):
    usage(t, err="grammar")


def test_unknown_options(t):
    usage(
        t, "g.fsa", "--fromats", "bf16", err="unknown option '--fromats'; did you mean '--formats'"
    )
    usage(t, "g.fsa", "--lable=accept", err="did you mean '--label'")
    usage(t, "g.fsa", "--jsn", err="did you mean '--json'")
    usage(t, "g.fsa", "-x", err="unknown option '-x'")
    usage(t, "g.fsa", "--entirely-different", err="unknown option '--entirely-different'\n")
    usage(t, "run", "n.lrnn", "--fromat", "bf16", err="did you mean '--format'")
    usage(t, "new", "parity", "--generator", err="did you mean '--generators'")


def test_values(t):
    usage(t, "g.fsa", "--out", err="value is missing after '--out'")
    usage(t, "g.fsa", "--force=yes", err="no value belongs to")
    usage(t, "g.fsa", "--label", "state", err="one of: states, outputs, accept, edges; not 'state'")
    usage(t, "g.fsa", "--formats", "bf16,fp8", err="not 'fp8'")
    usage(t, "g.fsa", "--formats", "", err="not ''")
    usage(t, "g.fsa", "--formats", "bf16,bf16", err="'bf16' twice")
    usage(t, "g.fsa", "--schedule", "some", err="one of: every")
    for bad in ("0", "-1", "1e3", "x", "", "99999999999999999999"):
        usage(t, "g.fsa", f"--limit={bad}", err="--limit takes a number from 1 to")
    for bad in ("0", "7", "2X", "G", "2GB", "99999999999999999999", "999999999G"):
        usage(t, "g.fsa", "--memory", bad, err="--memory takes a size")
    for bad in ("0", "-3", "abc", "5x", "nan", "1e99"):
        usage(t, "g.fsa", "--time-limit", bad, err="--time-limit takes seconds")
    usage(t, "g.fsa", "--jobs", "0", err="--jobs takes a number")
    usage(t, "g.fsa", "--out=", err="--out is empty")


def test_conflicts(t):
    usage(t, "a.fsa", "b.fsa", err="one grammar at a time")
    usage(t, "a.fsa", "--regex", "a*", err="--regex takes the place of the file")
    usage(t, "a.fsa", "--alphabet", "ab", err="--alphabet belongs to --regex")
    usage(t, "--regex", "a*", "--numeric", err="AT&T")
    usage(t, "run", err="a network is expected")
    usage(t, "run", "a", "b", "c", err="not also 'c'")
    usage(t, "run", "a", "--random", "3", "--stream", err="excludes")
    usage(t, "run", "a", "words", "--random", "3", err="too much")
    usage(t, "run", "a", "--fsa", "x.fsa", err="--fsa belongs to --random")
    usage(t, "new", err="kind")
    usage(t, "new", "nothing", "3", err="nothing")
    usage(t, "new", "cyclic", err="cyclic")
    usage(t, "new", "cyclic", "five", err="'five' is not a number")
    usage(t, "new", "cyclic", "0", err="error: ")
    usage(t, "new", "product", "a.fsa", err="two files")
    usage(t, "help", "rnu", err="did you mean 'run'")
    usage(t, "help", "new", "run", err="one command")


def test_help_is_golden(t):
    t.golden("help.txt", t.tool("--help"))
    t.golden("help-compile.txt", t.tool("help", "compile"))
    t.golden("help-new.txt", t.tool("new", "-h"))
    t.golden("help-run.txt", t.tool("help", "run"))
    t.golden("help-help.txt", t.tool("help", "--help"))
    assert t.tool("help") == t.tool("--help")
    for text in (
        t.tool("help"),
        t.tool("help", "compile"),
        t.tool("help", "new"),
        t.tool("help", "run"),
    ):
        assert all(len(line) < 80 for line in text.splitlines()), [
            x for x in text.splitlines() if len(x) > 79
        ]


def test_help_knows_every_option(t):
    """The man page and the completion name exactly the options that --help names."""
    listed = t.tool("help").split("Other commands", 1)[1].split("Options:", 1)[0]
    commands = re.findall(r"^  ([a-z]+) ", listed, re.M)
    assert {"compile", "new", "run", "cascade", "help"} <= set(commands), commands
    everything = t.tool("help") + "".join(t.tool("help", c) for c in commands)
    options = set(re.findall(r"--[a-z][a-z-]*", everything))
    man = set(re.findall(r"--[a-z][a-z-]*", t.tool("help", "--man").replace("\\-", "-")))
    completion = set(re.findall(r"--[a-z][a-z-]*", t.tool("help", "--completion")))
    assert options == man, options ^ man
    assert options == completion, options ^ completion


def test_man_page(t):
    page = re.sub(r"fsa2lrnn \d[^\"]*", "fsa2lrnn VERSION", t.tool("help", "--man"), count=1)
    t.golden("fsa2lrnn.1", page)
    if not shutil.which("groff"):
        raise Skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tascii"],
        input=page,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr


def complete(t, *words):
    script = t.tool("help", "--completion")
    script += (
        f"COMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}; _fsa2lrnn; "
    )
    script += 'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=t.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split()


def test_completion(t):
    t.write("mine.fsa", "")
    assert complete(t, "fsa2lrnn", "ru") == ["run"]
    assert complete(t, "fsa2lrnn", "mi") == ["mine.fsa"]
    assert complete(t, "fsa2lrnn", "new", "quat") == ["quaternion"]
    assert complete(t, "fsa2lrnn", "run", "--fr") == ["--from-start"]
    assert complete(t, "fsa2lrnn", "mine.fsa", "--label", "") == [
        "states",
        "outputs",
        "accept",
        "edges",
    ]
    assert complete(t, "fsa2lrnn", "mine.fsa", "--require", "fp1") == ["fp16"]
    assert complete(t, "fsa2lrnn", "mine.fsa", "--symbols", "m") == ["mine.fsa"]
    assert complete(t, "fsa2lrnn", "help", "ne") == ["new"]
    assert complete(t, "fsa2lrnn", "compile", "--ex") == ["--exact-in"]
    assert complete(t, "fsa2lrnn", "compile", "--lab") == ["--label"]
    assert complete(t, "fsa2lrnn", "mine.fsa", "--ex") == []


def test_version(t):
    t.tool(
        "--version",
        out=(
            r"^fsa2lrnn \d+\.\d+\.\d+ \(commit \w+\)\nGMP \d.*, MPFR \d.*, jansson \d.*, libxml2"
            r" .*, libfa \w+"
        ),
    )
    for command in ("new", "run", "help"):
        assert t.tool(command, "--version") == t.tool("--version")
    assert json.loads(t.tool("--version", "--json"))["libraries"]["GMP"]


def test_places_of_options(t):
    t.new("g.fsa", "cyclic", "3")
    t.tool("--quiet", "g.fsa", "--out=a", "--formats=bf16")
    t.tool("g.fsa", "-o", "b", "--formats", "bf16")
    t.tool("-ob2", "g.fsa", "--formats", "bf16")
    assert t.read("a/network.lrnn") == t.read("b/network.lrnn") == t.read("b2/network.lrnn")
    assert t.tool("--jobs", "1", "new", "cyclic", "3") == t.tool("new", "cyclic", "3")
    # After -- every argument is an operand; a file named like a command is given with its folder.
    t.write("new", t.read("g.fsa"))
    t.tool("./new", "--quiet")
    t.write("--odd.fsa", t.read("g.fsa"))
    t.tool("--quiet", "--", "--odd.fsa")
    t.nothing_left("--odd.fsa", "--odd.lrnn", "a", "b", "b2", "g.fsa", "new", "new.lrnn")


def test_default_out(t):
    t.write("sub/deep.group.fsa", "points 3\ntrack elements\npermute a (1 2 3)\n")
    t.tool("sub/deep.group.fsa")
    t.tool("-", stdin="start a\na x b\nb x a\n")
    t.tool("--regex", "(11)*", "--label", "accept")
    t.nothing_left("sub", "deep.group.lrnn", "stdin.lrnn", "regex.lrnn")
    for out in ("deep.group.lrnn", "stdin.lrnn", "regex.lrnn"):
        t.check(out)
        files = sorted(p.name for p in (t.folder / out).iterdir())
        assert files == [
            "automaton.fsa",
            "certificate.cert",
            "network.lrnn",
            "report.json",
            "weights.safetensors",
        ], files


def test_json_is_the_report(t):
    t.new("g.fsa", "parity")
    printed = t.tool("g.fsa", "--json")
    assert printed.encode() == t.read("g.lrnn/report.json")
    report = json.loads(printed)
    assert report["exact"]["verdict"] == "VERIFIED" and report["fsa"]["states"] == 2, report
    import hashlib

    for entry in report["files"]:
        content = t.read(f"g.lrnn/{entry['name']}")
        assert (
            entry["bytes"] == len(content)
            and entry["sha256"] == hashlib.sha256(content).hexdigest()
        ), entry
    assert report["fsa"]["sha256"] == hashlib.sha256(t.read("g.lrnn/automaton.fsa")).hexdigest()
    assert json.loads(t.tool("new", "parity", "--json"))["fsa"] == t.tool("new", "parity")
    assert json.loads(t.tool("help", "--json"))["help"] == t.tool("help")


def test_quiet(t):
    t.write("nfa.fsa", "start a\naccept a\na x b\nb x a\na eps a\nlost x a\n")
    assert t.tool("nfa.fsa", err="warning: ").strip()
    assert t.tool("nfa.fsa", "--quiet", "--force") == "" and t.errors == ""


def test_same_bytes_twice(t):
    t.new("g.fsa", "dihedral", "5", "--generators")
    t.tool("g.fsa", "--out", "one", "--jobs", "1")
    t.tool("g.fsa", "--out", "two", "--jobs", "2")
    for name in ("automaton.fsa", "network.lrnn", "certificate.cert", "weights.safetensors"):
        assert t.read(f"one/{name}") == t.read(f"two/{name}"), name
    one, two = t.report("one"), t.report("two")
    assert one.pop("timing") and two.pop("timing")
    assert one == two
    for kind in (("random", "5", "2", "7"), ("symmetric", "3"), ("tomita", "3")):
        assert t.tool("new", *kind) == t.tool("new", *kind)


def test_require(t):
    t.new("g.fsa", "symmetric", "3")
    seen = set()
    for options in (
        ["--keys", "dyadic"],
        ["--keys", "naive", "--limit", "300"],
        ["--keys", "naive", "--limit", "50"],
    ):
        for name in ("bf16", "fp16", "fp32"):
            process = t.tool(
                "g.fsa", *options, "--force", "--formats", "bf16", "--require", name, rc=(0, 1, 2)
            )
            report = t.report("g.lrnn")
            assert [f["format"] for f in t.closed(report)] == sorted(
                {"bf16", name}, key=["bf16", "fp16", "fp32"].index
            ), process
            verdicts = [report["exact"]["verdict"]] + [
                f["verdict"] for f in t.closed(report) if f["format"] == name
            ]
            expected = 1 if "REFUTED" in verdicts else max(ORDER[v] for v in verdicts)
            t.tool(
                "g.fsa", *options, "--force", "--formats", "bf16", "--require", name, rc=expected
            )
            t.tool(
                "g.fsa",
                *options,
                "--force",
                "--formats",
                "bf16",
                rc=ORDER[report["exact"]["verdict"]],
            )
            seen.add(expected)
    assert len(seen) > 1, seen


def test_summary_says_what_the_report_says(t):
    t.new("g.fsa", "symmetric", "4")
    summary = t.tool("g.fsa")
    report = t.report("g.lrnn")
    for f in t.closed(report):
        assert re.search(rf"{f['format']}.*{f['verdict']}", summary), summary
    assert re.search(rf"exact.*{report['exact']['verdict']}", summary, re.I), summary
    assert (
        report["fsa"]["sha256"][:8] in summary or str(report["fsa"]["states"]) in summary
    ), summary


def test_warnings_are_about_this_step(t):
    t.write("nfa.fsa", "start a\naccept a\na x b\nb x a\nb x b\na x a\nlost x a\n")
    t.tool(
        "nfa.fsa",
        rc=(0, 69),
        err=(
            r"nfa\.fsa: warning: made deterministic: \d+ states became \d+; this step is outside"
            r" the certificate"
        ),
    )


def test_progress_only_on_a_terminal(t):
    t.new("s5.fsa", "symmetric", "5", "--generators")
    arguments = (
        "s5.fsa",
        "--keys",
        "naive",
        "--formats",
        "fp64",
        "--limit",
        "4000000000",
        "--time-limit",
        "2",
        "--force",
    )
    t.tool(*arguments)
    assert t.errors == "", t.errors
    try:
        master, slave = pty.openpty()
    except OSError as error:
        raise Skip(f"no terminal can be opened here: {error}") from error
    process = t.start(*arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    seen = b""
    try:
        while chunk := os.read(master, 65536):
            seen += chunk
    except OSError:
        pass
    os.close(master)
    process.communicate(timeout=60)
    lines = [x for x in re.split(rb"\r\x1b\[K", seen) if x]
    assert 1 <= len(lines) <= 20, lines
    assert re.search(rb"\d+(,\d{3})*/s", seen), seen[:500]
    assert seen.endswith(b"\r\x1b[K"), seen[-80:]
    assert all(len(x) < 80 for x in lines), lines


def test_messages_cannot_move_the_cursor(t):
    t.write("bad.fsa", b'start a\n"a\\u001b[2J" x\n')
    t.tool("bad.fsa", rc=65)
    t.write("g.fsa", 'states a\nstart a\na x "b\\u001b[2J"\n')
    t.tool("g.fsa", rc=65)
    assert "\x1b" not in t.errors, repr(t.errors)


def test_nohup_keeps_going(t):
    """A signal that the caller ignores stays ignored."""
    t.new("g.fsa", "parity")
    process = t.start(
        "-",
        "--out",
        "h.lrnn",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        prepare=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    import time

    time.sleep(0.3)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    process.communicate(t.read("g.fsa"), timeout=60)
    assert process.returncode == 0
    t.check("h.lrnn")
