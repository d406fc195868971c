"""Input that must be refused, with the right exit status, a message that names the place, and
nothing left behind."""

import os
import random
import resource
import signal
import subprocess
import time

from harness import MINUTES, Skip

GOOD = "start even\naccept odd\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n"


def refuse(t, text, rc, err, *options):
    """Checks that the grammar is refused and the folder has nothing else afterwards."""
    t.write("bad.fsa", text)
    t.tool("bad.fsa", *options, rc=rc, err=err)
    t.nothing_left("bad.fsa")


def test_empty(t):
    refuse(t, "", 65, r"fsa2lrnn: bad\.fsa:.*error: ")


def test_only_comments(t):
    refuse(t, "# nothing here\n\n   \n", (65, 69), r"fsa2lrnn: bad\.fsa.*error: ")


def test_binary(t):
    rng = random.Random(20240611)
    refuse(
        t,
        bytes(rng.randrange(256) for _ in range(4096)),
        65,
        r"fsa2lrnn: bad\.fsa:\d+:\d+: error: |fsa2lrnn: bad\.fsa: error: ",
    )
    refuse(t, b"\x7fELF\x02\x01\x01" + bytes(57), 65, r"error: ")


def test_bad_utf8(t):
    refuse(t, b"start a\na x\xff a\n", 65, r"bad\.fsa:2:\d+: error: ")


def test_crlf(t):
    t.write("lf.fsa", GOOD)
    t.write("crlf.fsa", GOOD.replace("\n", "\r\n"))
    t.tool("lf.fsa")
    t.tool("crlf.fsa")
    for name in ("automaton.fsa", "network.lrnn", "certificate.cert", "weights.safetensors"):
        assert t.read(f"lf.lrnn/{name}") == t.read(f"crlf.lrnn/{name}"), name


def test_no_start(t):
    refuse(t, "a x b\nb x a\n", (65, 69), r"bad\.fsa.*error: .*start")


def test_unknown_state(t):
    refuse(t, "states a b\nstart a\na x b\nb x c\n", 65, r"bad\.fsa:4:5: error: .*c")
    refuse(t, "start a\naccept nowhere\na x a\n", 65, r"bad\.fsa:2:8: error: .*nowhere")


def test_unknown_letter(t):
    refuse(t, "letters x\nstart a\na x a\na y a\n", 65, r"bad\.fsa:4:3: error: .*y")


def test_duplicate_names(t):
    refuse(t, "states a b a\nstart a\na x b\nb x a\n", 65, r"bad\.fsa:1:12: error: ")
    refuse(t, "letters x y x\nstart a\na x a\na y a\n", 65, r"bad\.fsa:1:13: error: ")


def test_contradictory_lines(t):
    refuse(
        t, "start a\nstart b\na x b\nb x a\n", 65, r"bad\.fsa:2:\d+: error: |bad\.fsa:2: error: "
    )
    refuse(t, "start a\noutput a one\noutput a two\na x a\n", 65, r"bad\.fsa:3:\d+: error: ")
    refuse(t, "points 3\npoints 4\ntrack elements\npermute a (1 2)\n", 65, r"bad\.fsa:2")
    refuse(t, "points 3\ntrack elements\npermute a (1 2)\npermute a (1 3)\n", 65, r"bad\.fsa:4")
    refuse(t, "points 3\ntrack elements\npermute a (1 2)(2 3)\n", 65, r"bad\.fsa:3:\d+: error: ")
    refuse(t, "start a\na x a\naccept a\n", 65, r"bad\.fsa:3:1: error: ")


def test_no_letters(t):
    refuse(t, "states a\nstart a\n", (65, 69), r"bad\.fsa.*error: .*letter")


def test_missing_transition(t):
    refuse(t, "start a\na x b\nb x a\na y a\n", 69, r"bad\.fsa.*error: .*b.*y")
    refuse(t, "start a\na x b\nb x a\na y a\n", 69, "error: .*--sink")


def test_sink_is_named(t):
    t.write("bad.fsa", "start a\na x b\nb x a\na y a\n")
    warning = "warning: a sink state 'sink' was added for 1 missing transition; automaton.fsa"
    t.tool("bad.fsa", "--sink", "--keys", "naive", rc=69, err=warning)
    t.nothing_left("bad.fsa")
    t.tool("bad.fsa", "--sink", err=warning, out="1 missing transition")


def test_nfa_blow_up(t):
    # The 40th letter from the end is 1: 2^40 subsets.
    lines = ["start q0", "accept q40", "q0 0 q0", "q0 1 q0", "q0 1 q1"]
    lines += [f"q{i} {a} q{i + 1}" for i in range(1, 40) for a in "01"]
    refuse(t, "\n".join(lines) + "\n", 2, r"error: .*1,?000", "--sink", "--max-states", "1000")


def test_group_beyond_the_limit(t):
    refuse(
        t,
        "points 9\ntrack elements\npermute a (1 2)\npermute b (1 2 3 4 5 6 7 8 9)\n",
        2,
        "error: ",
        "--max-states",
        "1000",
    )


def test_billion_in_header(t):
    refuse(t, "points 1000000000\ntrack elements\npermute a (1 2)\n", (2, 65, 69, 71), "error: ")
    refuse(t, "points 1000000000\ntrack points 1\npermute a (1 2)\n", (2, 65, 69, 71), "error: ")
    refuse(
        t,
        "points 99999999999999999999999\ntrack points 1\npermute a (1 2)\n",
        65,
        r"bad\.fsa:1:8: error: ",
    )


def test_not_a_permutation(t):
    refuse(
        t,
        "start a\na set b\nb set b\na keep a\nb keep b\n",
        69,
        r"bad\.fsa: error: .*set.*T4",
        "--keys",
        "naive",
    )
    message = t.errors
    assert "'a'" in message or " a " in message, message
    assert "cascade" in message.lower(), message


def test_label_without_labels(t):
    refuse(t, "start a\na x b\nb x a\n", 69, "error: .*accept", "--label", "accept")
    refuse(t, GOOD, 69, "error: .*output", "--label", "outputs")


def test_grammar_absent_or_folder(t):
    t.tool("absent.fsa", rc=74, err=r"error: .*absent\.fsa")
    (t.folder / "folder.fsa").mkdir()
    t.tool("folder.fsa", rc=74, err=r"error: .*folder\.fsa")
    t.nothing_left("folder.fsa")


def test_out_exists(t):
    t.write("g.fsa", GOOD)
    t.tool("g.fsa")
    before = {p.name: p.read_bytes() for p in (t.folder / "g.lrnn").iterdir()}
    t.tool("g.fsa", rc=73, err=r"g\.lrnn.*--force|g\.lrnn.*exists")
    assert before == {p.name: p.read_bytes() for p in (t.folder / "g.lrnn").iterdir()}
    t.tool("g.fsa", "--force")
    t.check("g.lrnn")
    t.nothing_left("g.fsa", "g.lrnn")


def test_out_exists_is_said_before_the_work(t):
    t.write("bad.fsa", "not an automaton at all")
    (t.folder / "bad.lrnn").mkdir()
    t.tool("bad.fsa", rc=73, err="bad.lrnn")
    t.nothing_left("bad.fsa", "bad.lrnn")


def test_force_spares_what_is_not_ours(t):
    t.write("g.fsa", GOOD)
    t.write("mine/thesis.tex", "years of work")
    t.tool("g.fsa", "--out", "mine", "--force", rc=73, err="error: .*mine")
    t.write("file", "a file")
    t.tool("g.fsa", "--out", "file", "--force", rc=73, err="error: .*file")
    assert t.read("mine/thesis.tex") == b"years of work" and t.read("file") == b"a file"
    t.nothing_left("g.fsa", "mine", "file")


def test_out_not_writable(t):
    t.write("g.fsa", GOOD)
    t.tool("g.fsa", "--out", "nowhere/deep/out", rc=73, err="error: .*nowhere")
    t.tool("g.fsa", "--out", "g.fsa/out", rc=73, err="error: ")
    t.nothing_left("g.fsa")
    if os.geteuid() != 0:
        (t.folder / "locked").mkdir(mode=0o555)
        t.tool("g.fsa", "--out", "locked/out", rc=73, err="error: .*locked")


def test_stdout_full(t):
    t.new("g.fsa", "cyclic", "5")
    t.tool("g.fsa")
    full = "error: No space left|error: writing failed|standard output: error: "
    for args, stdin in (
        (("g.fsa", "--force"), ""),
        (("new", "parity"), ""),
        (("--version",), ""),
        (("help",), ""),
        (("help", "--man"), ""),
        (("run", "g.lrnn"), "\n" * 5),
        (("run", "g.lrnn", "--stream"), "0\n" * 9),
        (("run", "g.lrnn", "--random", "3"), ""),
        (("g.fsa", "--force", "--json"), ""),
    ):
        with open("/dev/full", "wb") as device:
            t.tool(
                *args,
                rc=74,
                err=full,
                stdin=stdin if "run" not in args or "--random" in args else "\n" * 5 + "1\n",
                stdout=device,
            )
    t.nothing_left("g.fsa", "g.lrnn")


def test_stdout_closed_pipe(t):
    t.new("g.fsa", "parity")
    t.tool("g.fsa")
    reader, writer = os.pipe()
    os.close(reader)
    t.tool("run", "g.lrnn", rc=141, stdin="1 0 1\n" * 20000, stdout=writer)
    os.close(writer)
    assert t.errors == "", t.errors


def test_disk_full_by_limit(t):
    t.new("s4.fsa", "symmetric", "4")
    for limit in (100, 1000, 3000):
        t.tool(
            "s4.fsa",
            rc=74,
            err="error: ",
            prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        t.nothing_left("s4.fsa")


def test_disk_full(t):
    t.new("s4.fsa", "symmetric", "4")
    rc, text = t.on_a_full_disk(
        "16k", '"$0" s4.fsa --out small/out; rc=$?; ls -A small | grep . && rc=98; exit $rc'
    )
    assert rc == 74 and "No space left" in text, f"exit {rc}\n{text}"
    t.nothing_left("s4.fsa", "small")


def interrupt(t, *numbers, expected):
    """Sends signals while fp64 is closed and the network is VERIFIED exactly: afterwards it exists
    and is whole."""
    t.new("s5.fsa", "symmetric", "5", "--generators")
    process = t.start("s5.fsa", *MINUTES)
    deadline = time.monotonic() + 60
    while not any(".f2l-tmp-" in n for n in t.entries()):
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.01)
    time.sleep(0.7)
    assert process.poll() is None, process.communicate()
    for number in numbers:
        process.send_signal(number)
    produced, errors = process.communicate(timeout=120)
    assert process.returncode == expected, f"exit {process.returncode}: {errors}"
    t.nothing_left("s5.fsa", "s5.lrnn")
    t.check("s5.lrnn")
    assert [f["verdict"] for f in t.closed(t.report("s5.lrnn"))] == ["UNKNOWN"]
    assert b"the best network so far was written to s5.lrnn" in errors, errors
    return errors.decode()


def test_interrupted(t):
    assert "interrupted: by SIGINT after " in interrupt(t, signal.SIGINT, expected=130)


def test_terminated(t):
    assert "interrupted: by SIGTERM after " in interrupt(t, signal.SIGTERM, expected=143)


def test_interrupted_twice(t):
    interrupt(t, signal.SIGINT, signal.SIGINT, expected=130)


def test_interrupted_while_waiting_for_input(t):
    process = t.start("-", stdin=subprocess.PIPE)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    t.nothing_left()


def test_time_limit(t):
    t.new("s5.fsa", "symmetric", "5", "--generators")
    t.tool("s5.fsa", *MINUTES, "--time-limit", "2", "--require", "fp64", rc=2, out="UNKNOWN")
    formats = t.closed(t.report("s5.lrnn"))
    assert [f["verdict"] for f in formats] == ["UNKNOWN"], formats
    t.check("s5.lrnn")


def test_memory_budget(t):
    t.new("s5.fsa", "symmetric", "5", "--generators")
    t.tool(
        "s5.fsa",
        *MINUTES,
        "--memory",
        "20M",
        "--require",
        "fp64",
        rc=2,
        out="UNKNOWN: memory limit",
    )
    t.check("s5.lrnn")


def little(megabytes):
    """Limits a process's address space, as `ulimit -v` does."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def need_no_sanitizer(t):
    with open(t.program, "rb") as program:
        if b"__asan_init" in program.read():
            raise Skip("a sanitizer reserves terabytes of address space")


def test_starts_in_little_memory(t):
    need_no_sanitizer(t)
    t.tool("--version", prepare=little(120))


def test_out_of_memory(t):
    need_no_sanitizer(t)
    t.new("s5.fsa", "symmetric", "5", "--generators")
    t.tool(
        "s5.fsa",
        *MINUTES,
        rc=71,
        err="out of memory; the best network so far was written to s5.lrnn",
        prepare=little(120),
    )
    t.nothing_left("s5.fsa", "s5.lrnn")
    t.check("s5.lrnn")


def test_training_out_of_memory(t):
    """A network that is too wide is refused, and a small one is trained in the same memory."""
    need_no_sanitizer(t)
    t.new("parity.fsa", "parity")
    tiny = (
        "--heads",
        "1",
        "--head-dim",
        "16",
        "--mlp",
        "0",
        "--to",
        "8",
        "--batch",
        "4",
        "--steps",
        "3",
        "--lengths",
        "8",
        "--sequences",
        "4",
        "-o",
        "run",
    )
    t.tool(
        "train",
        "parity.fsa",
        *tiny,
        "--width",
        "4096",
        rc=71,
        err="out of memory: the activations need [0-9]+ bytes",
        prepare=little(120),
    )
    t.nothing_left("parity.fsa")
    t.tool("train", "parity.fsa", *tiny, prepare=little(120))
