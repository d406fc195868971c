"""Signals, --time-limit and --memory hold at any size, and what was VERIFIED before is kept."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from harness import MINUTES, Skip

MIB = 1 << 20
LOADED = 8.0  # seconds by which a busy machine may exceed a limit


def random_automaton(states, letters, seed):
    """Returns an automaton whose cascades with tables take gigabytes and minutes."""
    draw = random.Random(seed)
    names = [chr(ord("a") + i) for i in range(letters)]
    lines = [
        "fsa 1",
        "letters " + " ".join(names),
        "states " + " ".join(f"q{q}" for q in range(states)),
        "start q0",
        "accept q0",
    ]
    lines += [f"q{q} {a} q{draw.randrange(states)}" for q in range(states) for a in names]
    return "\n".join(lines) + "\n"


def need_no_sanitizer(t):
    with open(t.program, "rb") as program:
        if b"__asan_init" in program.read():
            raise Skip("a sanitizer takes memory and time of its own")


def wait_for(process, condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.02)


def whole_or_absent(t, out, errors, *inputs):
    """Checks that OUT is certified and VERIFIED, or does not exist, and that no temporary folder is
    left."""
    if (t.folder / out).exists():
        t.nothing_left(out, *inputs)
        t.check(out)
        report = t.report(out)
        assert report["exact"]["verdict"] == "VERIFIED", report["exact"]
        for file in report["files"]:
            assert (t.folder / out / file["name"]).stat().st_size == file["bytes"], file
        return True
    t.nothing_left(*inputs)
    assert (
        "nothing was written" in errors
        or "no partial output is left" in errors
        or "limit reached" in errors
    ), errors
    return False


# A search for the automaton of 28 states that takes more than a minute.
UNLIMITED = ("--effort", "0", "--max-sets", "100000000")


def test_signals_end_it_within_a_second(t):
    t.write("big.fsa", random_automaton(28, 4, 1))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        process = t.start("big.fsa", "-o", "x", "--force", *UNLIMITED)
        wait_for(process, lambda: any(".f2l-tmp-" in n for n in t.entries()))
        time.sleep(2)
        assert process.poll() is None, process.communicate()
        start = time.monotonic()
        process.send_signal(number)
        produced, errors = process.communicate(timeout=60)
        seconds, errors = time.monotonic() - start, errors.decode()
        assert process.returncode == 128 + number, (process.returncode, errors)
        assert seconds < 1 + LOADED, f"{seconds:.1f} s"
        assert f"interrupted: by {number.name} after " in errors, errors
        written = whole_or_absent(t, "x", errors, "big.fsa")
        assert written == ("written to x" in errors) == (produced != b""), (produced, errors)


def test_a_time_limit_holds(t):
    need_no_sanitizer(t)
    t.write("big.fsa", random_automaton(28, 4, 1))
    start = time.monotonic()
    t.tool("big.fsa", "-o", "x", *UNLIMITED, "--time-limit", "2", rc=(0, 2))
    seconds = time.monotonic() - start
    assert seconds < 3 + LOADED, f"{seconds:.1f} s"
    written = whole_or_absent(t, "x", t.errors, "big.fsa")
    assert written or "time limit reached" in t.errors, t.errors


def test_two_signals_leave_no_time(t):
    """The second signal ends the run at once, but the best network is written and reported once."""
    t.new("s5.fsa", "symmetric", "5", "--generators")
    for wait in (0, 0.005, 0.02, 0.05, 0.2, 0.5):
        process = t.start("s5.fsa", *MINUTES, "-o", "x", "--force")
        wait_for(process, lambda: any(".f2l-tmp-" in n for n in t.entries()))
        time.sleep(wait)
        for number in (signal.SIGHUP, signal.SIGTERM):
            process.send_signal(number)
        produced, errors = process.communicate(timeout=60)
        assert process.returncode in (128 + signal.SIGHUP, 128 + signal.SIGTERM), (
            process.returncode,
            errors,
        )
        assert errors.count(b"interrupted: by SIG") == 1 and errors.count(b"\n") == 1, errors
        # The signal may come after OUT was made and before the summary was printed.
        assert produced.count(b"check it") <= whole_or_absent(
            t, "x", errors.decode(), "s5.fsa"
        ), produced
        shutil.rmtree(t.folder / "x", ignore_errors=True)


def peak(process):
    """Returns the process's peak memory in bytes, as Linux counts it while it runs."""
    text, most = Path(f"/proc/{process.pid}/status"), 0
    while process.poll() is None:
        try:
            seen = [
                int(line.split()[1]) << 10
                for line in text.read_text().splitlines()
                if line.startswith("VmHWM")
            ]
        except OSError:
            seen = []
        most = max([most, *seen])
        time.sleep(0.002)
    return most


def test_a_memory_limit_holds(t):
    need_no_sanitizer(t)
    if not os.path.exists("/proc/self/statm"):
        raise Skip("this system does not say what a process takes")
    t.write("big.fsa", random_automaton(28, 4, 1))
    for limit in (100, 300):
        process = t.start("big.fsa", "-o", "x", "--force", "--effort", "0", "--memory", f"{limit}M")
        most = peak(process)
        errors = process.communicate()[1].decode()
        assert process.returncode in (0, 2), (process.returncode, errors)
        assert most <= (limit + 64) * MIB, f"{most / MIB:.0f} MiB of {limit}"
        written = whole_or_absent(t, "x", errors, "big.fsa")
        assert written or "memory limit reached" in errors, errors


def test_a_memory_limit_that_is_not_reached(t):
    """A limit below the program's own memory is not a reason to stop."""
    t.new("parity.fsa", "parity")
    t.tool("parity.fsa", "--memory", "1M", out="exact +VERIFIED")
    t.check("parity.lrnn")


def test_the_required_format_was_not_closed(t):
    """A network that is VERIFIED exactly is written, and the exit status says that the format is
    open."""
    t.new("s5.fsa", "symmetric", "5", "--generators")
    t.tool(
        "s5.fsa",
        "--keys",
        "naive",
        "--formats",
        "bf16,fp64",
        "--limit",
        "4000000000",
        "--require",
        "fp64",
        "--time-limit",
        "1",
        "--quiet",
        rc=2,
    )
    t.nothing_left("s5.fsa", "s5.lrnn")
    t.check("s5.lrnn")
    assert [f["verdict"] for f in t.closed(t.report("s5.lrnn"))][1] == "UNKNOWN"


def test_an_old_network_is_replaced_whole(t):
    t.new("s5.fsa", "symmetric", "5", "--generators")
    t.new("parity.fsa", "parity")
    t.tool("parity.fsa", "-o", "x")
    old = t.read("x/network.lrnn")
    process = t.start("s5.fsa", *MINUTES, "-o", "x", "--force")
    wait_for(
        process,
        lambda: any((t.folder / n / "stage-1" / "report.json").exists() for n in t.entries()),
    )
    time.sleep(0.3)
    assert t.read("x/network.lrnn") == old
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 143 and b"written to x" in errors, (process.returncode, errors)
    t.nothing_left("parity.fsa", "s5.fsa", "x")
    t.check("x")
    assert t.read("x/network.lrnn") != old


def test_somebody_takes_the_name_meanwhile(t):
    """Nothing is left where the best network cannot get its name, and the file with this name
    stays."""
    t.new("s5.fsa", "symmetric", "5", "--generators")
    process = t.start("s5.fsa", *MINUTES, "-o", "x")
    wait_for(
        process,
        lambda: any((t.folder / n / "stage-1" / "report.json").exists() for n in t.entries()),
    )
    t.write("x", "mine")
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (73, 143) and b"written to" not in errors, (
        process.returncode,
        errors,
    )
    t.nothing_left("s5.fsa", "x")
    assert t.read("x") == b"mine"


def test_a_command_that_waits_ends_as_well(t):
    """--time-limit applies to the whole process, also where it waits for input."""
    t.new("parity.fsa", "parity")
    t.tool("parity.fsa", "--quiet")
    process = t.start(
        "run",
        "parity.lrnn",
        "--time-limit",
        "0.5",
        stdin=subprocess.PIPE,
    )
    start = time.monotonic()
    assert process.wait(timeout=60) == 2
    assert time.monotonic() - start < 1.5 + LOADED
    assert b"time limit reached" in process.stderr.read()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def test_the_watchdog_sleeps(t):
    t.new("parity.fsa", "parity")
    t.tool("parity.fsa", "--quiet")
    process = t.start(
        "run",
        "parity.lrnn",
        "--memory",
        "1G",
        stdin=subprocess.PIPE,
    )
    time.sleep(2)
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = int(fields[11]) + int(fields[12])
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    for stream in (process.stdout, process.stderr):
        stream.close()
    assert ticks / os.sysconf("SC_CLK_TCK") < 0.3, f"{ticks} ticks in 2 s"
