"""Options, help, the man page, and the effects of --json, --quiet, --require and a
terminal."""

import copy
import json
import os
import pty
import re
import shutil
import signal
import subprocess

import facts
from harness import MINUTES, Skip

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


def test_options_of_other_commands(t):
    """The message names at most three commands that have the option, and the program takes it
    there; a near option of the same command comes first."""
    usage(
        t,
        *("round", "n", "--regex", "a"),
        err=r"round has no option '--regex' \(a network has the automaton .*\); compile, new and"
        " cascade have it",
    )
    usage(t, "g.fsa", "--pareto", err="the main job has no option '--pareto'; compile has it\n")
    err = "parity has no option '--learned-start'; train and starts have"
    usage(t, "parity", "--learned-start", err=err)
    usage(t, "cascade", "-o", "x", err="cascade has no option '-o'; compile, classify and census")
    usage(
        t,
        *("run", "n", "--formats", "bf16"),
        err="run has no option '--formats'; did you mean '--format'\\? compile, classify and parity"
        " have '--formats'",
    )
    usage(
        t,
        *("round", "n", "--regx", "a"),
        err="unknown option '--regx'; did you mean '--regex'\\? compile, new and cascade have it",
    )
    usage(t, "help", "--completion", err="unknown option '--completion'; 'completion' is a command")
    for command in ("run", "round", "obstruct", "census", "inspect", "reproduce", "parity"):
        usage(t, command, "--symbols", "x", err=rf"{command} has no option '--symbols' \(.*\); ")
    for command in (["compile"], ["cascade"], ["new", "product"]):
        t.tool(*command, "--regex", "ab", rc=(0, 64))
        assert "no option" not in t.errors, t.errors


def test_misspelled_commands(t):
    t.new("g.fsa", "parity")
    usage(t, "clasify", "g.fsa", err="no command and no file 'clasify'; did you mean 'classify'")
    usage(t, "comple", "g.fsa", "--pareto", err="did you mean 'compile'")
    usage(t, "--json", "eval", "run", err="did you mean 'evaluate'")
    usage(t, "something", "g.fsa", err="no command and no file 'something'; fsa2lrnn help lists")
    usage(t, "g.fsa", "classify", err="the command 'classify' comes first")
    usage(t, "classify", "cascade", err="'cascade' is a command, and there is no such file")
    usage(t, "round", "check", err="'check' is a command, and there is no such file")
    usage(t, "help", "g.fsa", err="there is no command 'g.fsa'; fsa2lrnn help lists the commands")
    t.tool("missing.fsa", rc=74, err="missing.fsa: No such file")
    # A file is a file, whatever its name is near to.
    t.write("clasify", t.read("g.fsa"))
    t.write("cascade", t.read("g.fsa"))
    t.tool("clasify", "--quiet")
    t.tool("classify", "cascade")


def test_input_options(t):
    """Each command that reads a grammar takes the same options, with the same messages."""
    t.write("numbers.txt", "0 1 1\n1 0 1\n0\n1\n")
    t.write("symbols.txt", "<eps> 0\ntick 1\n")
    t.write("open.fsa", "start a\na x b\nb x a\na y a\n")
    t.write("nfa.fsa", "start a\naccept a\na x b\na x a\nb y a\nb x b\n")
    t.new("parity.fsa", "parity")
    t.tool("train", "parity.fsa", "-o", "run", "--steps", "1", "--batch", "1", "--lengths", "4")
    commands = {
        "main": ["--force"],
        "compile": ["compile", "--force"],
        "classify": ["classify"],
        "cascade": ["cascade"],
        "group": ["group"],
        "product": ["new", "product", "parity.fsa"],
        "train": ["train", "--dry-run"],
        "evaluate": ["evaluate", "run/weights.safetensors", "--sequences", "1", "--lengths", "4"],
    }
    for name, command in commands.items():

        def read(path, *options, command=command, name=name, **expected):
            file = ["--grammar", path] if name == "evaluate" and path else [path] if path else []
            return t.tool(*command, *file, *options, **expected)

        mixed = {"rc": (0, 69), "err": "trained on|letters"} if name == "evaluate" else {}
        read("numbers.txt", rc=(65, 69), err="--symbols|--numeric|symbol")
        read("numbers.txt", "--numeric", **mixed)
        read("numbers.txt", "--symbols", "symbols.txt", **mixed)
        read(None, "--regex", "(aa)*", **mixed)
        read(None, "--regex", "(aa)*|[^a]", "--alphabet", "a", **mixed)
        read("open.fsa", rc=69, err="--sink")
        refused = name in ("group", "evaluate")
        read("open.fsa", "--sink", rc=69 if refused else 0, err="a sink state")
        read("nfa.fsa", "--sink", "--max-states", "1", rc=2, err="states")
        if name != "product":
            read("g.fsa", "--regex", "a", rc=64, err="--regex takes the place of the file")
            read(None, "--regex", "a", "--numeric", rc=64, err="belong to AT&T files")
        read("g.fsa", "--alphabet", "ab", rc=64, err="--alphabet belongs to --regex")
        read("g.fsa", "--numeric", "--symbols", "s", rc=64, err="exclude each other")
        if name in ("cascade", "group", "product"):
            read("g.fsa", "--label", "accept", rc=64, err="--label is refused: .*(labels|states)")
            assert "--label" not in t.tool("help", "new" if name == "product" else name)
        else:
            read("parity.fsa", "--label", "accept", **mixed)
    usage(
        t,
        "new",
        "cyclic",
        "3",
        "--sink",
        err="--sink is for product and cascade: 'cyclic' reads no grammar",
    )
    usage(t, "train", "--task", "arithmetic", "--sink", err="--sink belongs to grammars")


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
    usage(t, "new", "product", "a.fsa", err="--product takes two grammars or more")
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
    """The man page names exactly the options that --help names."""
    listed = t.tool("help").split("Other commands", 1)[1].split("Options:", 1)[0]
    commands = re.findall(r"^  ([a-z-]+) ", listed, re.M)
    assert {"compile", "new", "run", "cascade", "help"} <= set(commands), commands
    everything = t.tool("help") + "".join(t.tool("help", c) for c in commands)
    options = set(re.findall(r"--[a-z][a-z-]*", everything))
    man = set(re.findall(r"--[a-z][a-z-]*", t.tool("help", "--man").replace("\\-", "-")))
    assert options == man, options ^ man


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
            "report.html",
            "report.json",
            "report.md",
            "weights.safetensors",
        ], files


def test_json_is_the_report(t):
    t.new("g.fsa", "parity")
    printed = t.tool("g.fsa", "--json")
    assert printed.encode() == t.read("g.lrnn/report.json")
    report = json.loads(printed)
    assert report["exact"]["verdict"] == "VERIFIED" and report["automaton"]["states"] == 2, report
    import hashlib

    for entry in report["files"]:
        content = t.read(f"g.lrnn/{entry['name']}")
        assert (
            entry["bytes"] == len(content)
            and entry["sha256"] == hashlib.sha256(content).hexdigest()
        ), entry
    assert (
        report["automaton"]["sha256"] == hashlib.sha256(t.read("g.lrnn/automaton.fsa")).hexdigest()
    )
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
        report["automaton"]["sha256"][:8] in summary
        or str(report["automaton"]["states"]) in summary
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
        *MINUTES,
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
    process = t.start(*arguments, stderr=slave)
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
        prepare=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    import time

    time.sleep(0.3)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    process.communicate(t.read("g.fsa"), timeout=60)
    assert process.returncode == 0
    t.check("h.lrnn")


# --- the table of facts: what is made from it is up to date, and the validator refuses what is not
# in it; the harness validates all JSON that any test sees ---


def test_schema_and_page_are_up_to_date(t):
    rows = facts.read_table(facts.TABLE.read_text())
    assert facts.SCHEMA.read_text() == facts.schema_text(facts.make_schema(rows)), "make schema"
    assert facts.PAGE.read_text() == facts.make_page(rows), "make schema"
    assert facts.load_schema() == facts.make_schema(rows)


def refused(document, why):
    found = facts.validate(document, facts.load_schema())
    assert any(why in fault for fault in found), (why, found)


def change(document, path, value):
    """Returns a copy with the value at the path; None: without it."""
    changed = copy.deepcopy(document)
    at = changed
    for step in path[:-1]:
        at = at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return changed


def test_refusals(t):
    t.new("p.fsa", "parity")
    t.tool("p.fsa", "-o", "p")
    report = t.report("p")
    assert not facts.validate(report, facts.load_schema())
    refused(change(report, ["extra"], 1), "compile: extra is not in the table of facts")
    refused(change(report, ["formats", 0, "extra"], 1), "formats[0]: extra is not in the table")
    refused(change(report, ["automaton", "states"], "2"), 'automaton.states: "2" is no integer')
    refused(change(report, ["automaton", "states"], True), "automaton.states: true is no integer")
    refused(change(report, ["automaton", "states"], -1), "automaton.states: -1 is less than 0")
    refused(change(report, ["automaton", "states"], None), "automaton: states is missing")
    refused(change(report, ["exact", "verdict"], "TRUE"), "exact.verdict")
    refused(change(report, ["exact", "witness"], ["a"]), "exact.witness")
    refused(change(report, ["schema"], 1), "schema: 1 is not 2")
    refused(change(report, ["report"], "compiled"), 'compiled.report: "compiled" is none of')
    refused(change(report, ["files"], {}), "files: {} is no array")
    refused(change(report, ["timing", "formats_seconds"], ["1"]), "formats_seconds[0]")
    refused([], "document: [] is no object")
    refused({"labels": 1}, "line.labels: 1 is no array")
    try:
        import jsonschema
    except ImportError:
        return
    checks = jsonschema.Draft202012Validator(facts.load_schema())
    found = list(checks.iter_errors(change(report, ["automaton", "states"], "2")))
    assert [list(error.absolute_path) for error in found] == [["automaton"]], found


def test_tables_that_are_refused(t):
    good = "a | X | count | | One.\nb | X | [a] | | Two.\n"
    for bad, why in (
        ("a | X | count | One.\n", "columns"),
        ("b | X | count | | One.\na | X | count | | Two.\n", "order"),
        ("a | X | count | | One.\na | Y | text | | Two.\n", "twice"),
        ("a b | X | count | | One.\n", "name"),
        ("a | X | count | | no sentence\n", "sentence"),
        (good, "no type a"),
    ):
        try:
            facts.make_schema(facts.read_table(bad))
        except ValueError as fault:
            assert why in str(fault), (bad, fault)
        else:
            raise AssertionError(f"{bad} is taken")


def test_small_reports(t):
    """Reports that no other test reads."""
    t.new("p.fsa", "parity")
    t.tool("p.fsa", "-o", "p")
    reports = [
        t.tool("--version", "--json"),
        t.tool("help", "new", "--json"),
        t.tool("new", "parity", "--json"),
        t.tool("cascade", "p.fsa", "--dot", "--json"),
        t.tool("check", "p", "--json"),
        t.tool("run", "p", "--random", "3", "--length", "4", "--json"),
    ]
    names = [json.loads(text)["report"] for text in reports]
    assert names == ["version", "help", "fsa", "dot", "line", "run-random"], names
    lines = t.tool("run", "p", "--json", stdin="1 1\n1\n").splitlines()
    assert [json.loads(line)["number"] for line in lines] == [1, 2], lines
