"""How checkers read their files: once, so that pipes get the verdict of files; within the limit of
memory, whatever their size; and that a file which cannot be read has no verdict."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import triples
from harness import ROOT
from t_check_budget import watched, wide
from t_check_budget_float import BF16, long_refutation, wired
from t_check_companions import BOXES, FIELD, run, sealed
from t_man import unpack

SPARSE = 2 << 30
FILES = {  # of every checker, by the number of its files
    "lrnn-check": 3,
    **{f"lrnn-check-{kind}": 3 for kind in ("field", "float", "swaps", "unrounded", "wired")},
    **{f"{kind}-check": 2 for kind in ("fork", "arcs", "depth", "separation", "rep")},
    "horizon-check": 4,
}


def program(t, name):
    return str(Path(t.checker).parent / name)


def drain(writer, path):
    """Lets a writer end whose pipe the checker did not open, or did not read to its end."""
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # which does not wait for a writer
    while writer.is_alive():
        with contextlib.suppress(BlockingIOError):
            os.read(pipe, 1 << 16)
        writer.join(0.01)
    os.close(pipe)


def through_pipes(t, name, files, *options):
    """Returns what run() returns of pipes with the bytes of the files and their names."""
    folder = t.folder / "pipes"
    folder.mkdir()
    writers = []
    for file in files:
        os.makedirs((folder / file).parent, exist_ok=True)
        os.mkfifo(folder / file)
        bytes_ = t.read(file)
        writer = threading.Thread(target=(folder / file).write_bytes, args=(bytes_,), daemon=True)
        writer.start()
        writers.append((writer, folder / file))
    try:
        done = subprocess.run(
            [program(t, name), *options, *files],
            cwd=folder,
            env=t.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    finally:
        for writer, path in writers:
            drain(writer, path)
            path.unlink()
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir()
        folder.rmdir()
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def swaps(t):
    """Returns a triple of claim swaps: its rows are the ones of claim exact."""
    t.write("s3.fsa", t.tool("new", "symmetric", "3"))
    t.tool("compile", "s3.fsa", "--keys", "naive", "--formats", "bf16", "-o", "s3", "--quiet")
    exact = t.read("s3/certificate.cert")
    lines = [line for line in exact.split(b"\n") if not line.startswith(b"unrounded ")]
    assert b"claim exact" in lines, lines
    text = b"\n".join(lines).replace(b"claim exact", b"claim swaps")
    t.write("s3/swaps.cert", sealed(text))
    return ["s3/automaton.fsa", "s3/network.lrnn", "s3/swaps.cert"]


def of_every_program(t):
    """Returns triples for lrnn-check and each of its companions, with the exit status."""
    return [
        (triples.parity(t, "plain"), 0),
        (triples.parity(t, "plain-wrong", rows=triples.ROWS.replace("next 2 1", "next 1 2")), 1),
        (triples.parity(t, "field", lines=FIELD, one="0,1"), 0),
        (triples.parity(t, "boxes", boxes=BOXES), 0),
        (wide(t, "wired", 8, 2), 0),
        (swaps(t), 0),
        (long_refutation(t, "float", BF16, 4, 2, 3), 0),
        (wired(t, "unrounded", 1, 3, 2, f"unrounded {BF16} schedule cast\n"), 0),
    ]


def test_pipes_get_the_verdict_of_files(t):
    """lrnn-check hands over what it read, with its options."""
    seen = set()
    for files, status in of_every_program(t):
        found = run(t, t.checker, *files)
        assert found[0] == status, (files, found)
        assert through_pipes(t, "lrnn-check", files) == found, files
        seen.add(found[1].split(" ")[2] if status == 0 else found[1])
        for options in (["--memory", "1K"], ["--budget", "3", "--time-limit", "100"]):
            found = run(t, t.checker, *options, *files)
            assert found[0] == (2 if "--memory" in options else status), (files, found)
            assert through_pipes(t, "lrnn-check", files, *options) == found, (options, files)
    assert len(seen) == 4, seen


def test_pipes_of_other_checkers(t):
    shutil.copytree(ROOT / "tests/data/learned-s3", t.folder / "run")
    t.tool("horizon", "run", "--most", "2", "-o", "s3.cert", "--quiet")
    run_files = [f"run/{name}" for name in ("automaton.fsa", "config.json", "weights.safetensors")]
    for name in [name for name, count in FILES.items() if count != 3]:
        horizon = name == "horizon-check"
        files = [*run_files, "s3.cert"] if horizon else unpack(t, f"{name}.1")
        found = run(t, program(t, name), *files)
        assert found[0] == 0 and found[1].startswith("s VERIFIED "), (name, found)
        assert through_pipes(t, name, files) == found, name


def test_standard_input(t):
    """--stdin gives the sizes of three files, one after the other."""
    for files, status in of_every_program(t):
        texts = [t.read(file) for file in files]
        sizes = ",".join(str(len(text)) for text in texts)
        found = run(t, t.checker, *files)
        whole = b"".join(texts)
        assert run(t, t.checker, "--stdin", sizes, *files, stdin=whole) == found, files
        short = run(t, t.checker, "--stdin", sizes, *files, stdin=whole[:-1])
        assert short[:2] == (2, "s UNKNOWN\n") and "ends before" in short[2], short
        longer = run(t, t.checker, "--stdin", sizes, *files, stdin=whole + b"x")
        assert longer[:2] == (2, "s UNKNOWN\n") and "goes on" in longer[2], longer
    for sizes in ("", "1", "1,1,18446744073709551615", "18446744073709551615,1,1", "0,0,0"):
        found = run(t, t.checker, "--stdin", sizes, *files, stdin=whole)
        assert found[0] in (1, 2), (sizes, found)
    for words in (["--stdin", "x", *files], ["--stdin", "1,1,-1", *files], ["--stdin", *files]):
        assert run(t, t.checker, *words)[:2] == (64, ""), words


def test_no_process_is_left(t):
    """The companion takes leave of the process that gave it the files: its parent, which here gets
    the children of others as the first process of a system does, finds none."""
    parent = (
        "import ctypes, os, subprocess, sys\n"
        "assert ctypes.CDLL(None).prctl(36, 1) == 0\n"  # PR_SET_CHILD_SUBREAPER
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
        "try:\n    print(os.waitpid(-1, 0))\n"
        "except ChildProcessError:\n    print('none')\n"
    )
    files = triples.parity(t, "field", lines=FIELD, one="0,1")
    done = subprocess.run(
        [sys.executable, "-c", parent, t.checker, *files],
        cwd=t.folder,
        env=t.env,
        stdout=subprocess.PIPE,
        check=True,
    )
    assert done.stdout == b"none\n", done


def test_a_file_that_changes(t):
    """A program that runs while the files are replaced judges the bytes whose hashes it prints."""
    files = triples.parity(t, "field", lines=FIELD, one="0,1")
    other = triples.parity(t, "other", lines=FIELD, one="0,2")
    hashes = hashlib.sha256(t.read(files[1])).hexdigest()
    fifo, texts = t.folder / "late", [t.read(file) for file in files]
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [t.checker, *files[:2], "late"], cwd=t.folder, env=t.env, stdout=subprocess.PIPE
    )
    with open(fifo, "wb") as late:  # lrnn-check has read the network and waits for the certificate
        t.write(files[1], t.read(other[1]))
        late.write(texts[2])
    out = process.communicate(timeout=60)[0].decode()
    assert process.returncode == 0 and out.endswith(f" network {hashes}\n"), out


def check_limit(t, name, at, limit, options):
    """Checks that a sparse file of 2 GiB, and as much from a pipe, is not read beyond the limit of
    all files, in MiB."""
    asan = "asan" in t.checker
    for pipe in (False, True):
        args = ["small"] * FILES[name]
        args[at] = "/dev/stdin" if pipe else "sparse"
        zeros = subprocess.Popen(["cat", t.folder / "sparse"], stdout=subprocess.PIPE)
        *found, used = watched(t, program(t, name), *options, *args, stdin=zeros.stdout)
        zeros.stdout.close()
        zeros.wait()
        seen = name, at, pipe, options, found
        assert found[:2] == [2, "s UNKNOWN\n"] and "--memory" in found[2], seen
        assert asan or used.ru_maxrss < (limit + 20) * 1024, (used.ru_maxrss, seen)


def test_files_that_cannot_be_read(t):
    """Of a file that is missing, is a folder or fails while it is read there is no verdict,
    whatever the others are."""
    t.write("bad", "x")
    (t.folder / "folder").mkdir()
    reasons = {
        "absent": "No such file or directory",
        "folder": "Is a directory",
        "bad/x": "Not a directory",
        "/proc/self/mem": "Input/output error",
    }
    for name, files in FILES.items():
        for at in range(files):
            for path, reason in reasons.items():
                args = ["bad"] * files
                args[at] = path
                found = run(t, program(t, name), *args)
                self = "lrnn-check" if name.startswith("lrnn-") else name
                said = f"{self}: a file cannot be read: {path}: {reason}\n"
                assert found == (2, "s UNKNOWN\n", said), (args, found)
        status, out, _ = run(t, program(t, name), *["bad"] * files)
        assert (status, out) == (1, "s NOT VERIFIED\n"), name


def test_files_larger_than_the_limit(t):
    t.write("small", "x")
    with open(t.folder / "sparse", "wb") as sparse:
        sparse.truncate(SPARSE)
    for name, files in FILES.items():
        for at in range(files):
            check_limit(t, name, at, 30, ["--memory", "30M"])
    check_limit(t, "lrnn-check", 1, 384, [])
    check_limit(t, "rep-check", 0, 768, [])


def test_files_count_as_memory(t):
    """Three files of 8 MB each are more than 20 MB."""
    for i in range(3):
        t.write(f"file{i}", "x" * 8_000_000)
    files = [f"file{i}" for i in range(3)]
    found = run(t, t.checker, "--memory", "20000000", *files)
    assert found[0] == 2 and "budget of memory" in found[2], found
    assert run(t, t.checker, "--memory", "24000000", *files)[0] == 1
