"""Budgets of the certificate checkers: small files that need unbounded work end as UNKNOWN, by the
count of steps and within 1 GiB. Steps are not a time: `make bench` measures how long a machine
takes for the budget."""

import hashlib
import os
import re
import resource
import subprocess
from pathlib import Path

import triples
from harness import ROOT

GIB = 1 << 20  # in KiB, as ru_maxrss counts
HANG = 1800  # seconds of processor time: a checker that takes longer counts no steps


def watched(t, program, *args, stdin=None, limit=None):
    """Returns status, standard output, standard error, and what the process used."""
    process = subprocess.Popen(
        [program, *args],
        cwd=t.folder,
        env=t.env,
        preexec_fn=limit,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = process.stdout.read().decode(), process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close(), process.stderr.close()
    return process.returncode, out, err, used


def measured(t, program, *args):
    """Returns status, standard output and standard error; the process's largest memory is
    limited."""
    asan = "asan" in t.checker

    def limit():
        if not asan:  # address sanitizers map far more
            resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
        resource.setrlimit(resource.RLIMIT_CPU, (HANG, HANG))

    *found, used = watched(t, program, *args, limit=limit)
    seen = f"{program} {args}: {used.ru_utime} s, {used.ru_maxrss} KiB, {found}"
    assert used.ru_maxrss <= (3 if asan else 1) * GIB, seen
    return tuple(found)


def unknown(t, files, *options, why="budget"):
    status, out, err = measured(t, t.checker, *options, *files)
    assert (status, out) == (2, "s UNKNOWN\n") and why in err, (files, options, status, out, err)


def verified(t, files, *options):
    status, out, err = measured(t, t.checker, *options, *files)
    assert status == 0 and out.startswith("s VERIFIED ") and not err, (
        files,
        options,
        status,
        out,
        err,
    )


def test_one_wide_head(t):
    """A network of 279 bytes took 2.1 GB."""
    files = triples.wide(t, "wide", 1 << 24)
    assert len(t.read(files[1])) < 300
    unknown(t, files)
    verified(t, triples.wide(t, "narrow", 1 << 16))


def test_eight_wide_layers(t):
    unknown(t, triples.wide(t, "wide", 1 << 24, layers=8))
    unknown(t, triples.wide(t, "less", 1 << 22, layers=8, letters=20, gates=True))


def test_wide_heads_over_fields(t):
    for lines in ("field -2 0 1 interval 1 2\n", "form 1.1:2\n"):
        unknown(t, triples.wide(t, "wide", 1 << 22, lines=lines))


def test_a_field_of_large_degree(t):
    zeros = " 0" * 20000
    unknown(t, triples.wide(t, "degree", 1, lines=f"field -2{zeros} 1 interval 1 2\n"))


def test_a_large_form(t):
    """A form of 2,000 rows, which are made orthogonal."""
    lines = (
        "form 1.1:3" + "".join(f" {i}.{i + 1}:-1 {i + 1}.{i + 1}:3" for i in range(1, 2000)) + "\n"
    )
    unknown(t, triples.wide(t, "form", 2000, lines=lines))


def cycles(*lengths):
    out, at = "", 1
    for n in lengths:
        out += "(" + " ".join(str(p) for p in range(at, at + n)) + ")"
        at += n
    return out


def test_a_group_of_9699690_elements(t):
    fsa = f"fsa 1\npoints 77\ntrack elements\npermute x {cycles(2, 3, 5, 7, 11, 13, 17, 19)}\n"
    assert len(fsa) < 300
    unknown(t, triples.write(t, "group", fsa, "", "claim exact\n"))


def test_many_points(t):
    for points in (4000000000, 30000000):
        fsa = f"fsa 1\npoints {points}\ntrack points 1\npermute x ()\n"
        unknown(t, triples.write(t, "points", fsa, "", "claim exact\n"))


def test_steps_of_wide_states(t):
    """Each step has few bytes and moves a million zeros."""
    files = triples.wide(t, "steps", 1 << 20, letters=400, gates=True)
    unknown(t, files, why="steps")
    unknown(t, files, "--budget", "1000", "--time-limit", "1", why="limit of time")


def test_options(t):
    files = triples.parity(t, "p")
    verified(t, files)
    for options in (
        ["--budget", "1"],
        ["--budget", "10000"],
        ["--memory", "1G"],
        ["--memory", "200000K"],
        ["--memory", "64M"],
        ["--time-limit", "60"],
        ["--time-limit", "1000000", "--memory", "1000000", "--budget", "3"],
    ):
        verified(t, files, *options)
    unknown(t, files, "--memory", "1K", why="memory")
    unknown(t, files, "--memory", "1000", "--budget", "7", why="memory")
    for options in (
        ["--budget"],
        ["--budget", "0"],
        ["--budget", "-1"],
        ["--budget", "1K"],
        ["--budget", "10001"],
        ["--budget", ""],
        ["--budget", "01"],
        ["--budget", "1 "],
        ["--memory", "1T"],
        ["--memory", "1KB"],
        ["--memory", "K"],
        ["--memory", "1.5G"],
        ["--memory", "99999999999999999999"],
        ["--memory", "99999999999G"],
        ["--time-limit", "0"],
        ["--time-limit", "1000001"],
        ["--time-limit", "1s"],
        ["--budget", "1", "--budget", "1"],
        ["--seed", "1"],
    ):
        status, out, err = measured(t, t.checker, *options, *files)
        assert (status, out) == (64, "") and "usage: " in err, (options, status, out, err)


def test_memory_larger_than_the_budget(t):
    """--memory replaces the budget's bytes, both by more and by less."""
    files = triples.wide(t, "wide", 1 << 23)
    unknown(t, files, why="memory")
    verified(t, files, "--memory", "900M")


def test_versions_name_the_sources(t):
    """--version prints the hash of the program's source files."""
    folder, source = Path(t.checker).parent, ROOT / "theory/check"
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    headers = sorted(source.rglob("*.h"), key=str)
    common, bound, learned = (
        re.search(rf"^{name} := (.*)$", makefile, re.M)[1].split()
        for name in ("CHECK_COMMON", "CHECK_BOUND", "CHECK_LEARNED")
    )
    programs = re.findall(r"^CHECK_PARTS_(\S+) :=(.*)$", makefile, re.M)
    seen = 0
    for program, parts in programs:
        if not (folder / program).exists():
            continue
        own = [*parts.split(), program]
        names = [*common, *own] if program.startswith("lrnn") else [*bound, f"bound/{program}"]
        if program == "horizon-check":
            names = [*learned, f"learned/{program}"]
        files = [source / f"{name}.c" for name in names] + headers
        digest = hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()
        status, out, _ = measured(t, str(folder / program), "--version")
        assert (
            status == 0
            and out.startswith(f"{program} ")
            and out.endswith(f", sources sha256 {digest}\n")
        ), out
        seen += 1
    assert seen >= 7


# --- small wired networks that need unbounded work ---

FSA = "fsa 1\nletters x\nstates a\nstart a\na x a\n"
FACE = "label states\nletters 1\nletter x\nlabels 1\nsymbol a\nstart 1\n"


def write_wired(t, folder, network, certificate):
    """Writes a triple as triples.write does, for a wired network of one letter and one label."""
    network = f"lrnn-wired 2\nfsa {triples.sha256(FSA)}\n{FACE}{network}end\n"
    body = (
        f"lrnn-certificate 2\nfsa {triples.sha256(FSA)}\nnetwork"
        f" {triples.sha256(network)}\n{certificate}"
    )
    texts = FSA, network, f"{body}sha256 {triples.sha256(body)}\n"
    return [t.write(f"{folder}/{name}", text) for name, text in zip(triples.FILES, texts)]


def wide(t, folder, key, stages):
    """Makes stages that share a block with one head, which stays 0."""
    network = (
        f"tables 0\nblocks 1\nblock 1 inputs 1\npre 0\nheads 1\nhead 1 key {key} value 1 slots"
        f" 1\nslot 1 wire 1\non 1 gate 1 factors 0\nreadouts 1\nreadout 1 head 1 rows 1 {key} codes"
        f" 1\ncode 1\npost 0\noutputs 1\nstages {stages}\n"
        + "".join(f"stage {l + 1} block 1\ninitial\n" for l in range(stages))
    )
    return write_wired(
        t,
        folder,
        network,
        f"claim exact\nsize layers {stages} heads 1 householders 0 key {key} value 1\nletters 1"
        f" states 1 rows 1\nrow 1 state 1 codes{' 1' * stages} next 1\nend 1\n",
    )


def test_wide_heads(t):
    unknown(t, wide(t, "wide", 1 << 26, 1), why="memory")
    unknown(t, wide(t, "stages", 1 << 20, 1000), why="steps")
    verified(t, wide(t, "narrow", 1 << 16, 3))


def d1_certificate(clock=1, block=1, elements=1):
    return (
        "claim d1\nsize layers 2 heads 1 householders 0 key 1 value 1\nletters 1 states 1 classes"
        f" 1 clock {clock} block {block} elements {elements}\nclass 1\nlike 1\ncount 0 codes"
        " 1\ncount 1 codes 1\ncount 2 codes 1\nwords 0 elements 1\nwords 1 elements 1\nelement 1"
        " acts 1\ncode 1 means 1\nstep 1 1 to 1\nend 1\n"
    )


def many_codes(t, folder, count, certificate):
    """Makes three stages; the last one has as many codes as values of its slot."""
    idle = (
        "\npre 0\nheads 1\nhead 1 key 1 value 1 slots 1\nslot 1 wire 1\non 1 gate 1 factors 0\n"
        "readouts 1\nreadout 1 head 1 rows 1 1 codes 1\ncode 1\npost 0\noutputs 1\n"
    )
    network = (
        f"tables 1\ntable 1 inputs 1 values {count} entries 1\nblocks 3\nblock 1 inputs"
        f" 1{idle}block 2 inputs 1{idle}block 3 inputs 1\npre 1\ngate 1 1\nheads 1\nhead 1 key 1"
        " value 1 slots 1\nslot 1 wire 2\n"
        + "".join(f"on {v} gate 1 factors 0\n" for v in range(1, count + 1))
        + f"readouts 1\nreadout 1 head 1 rows 1 1 codes {count}\n"
        + "".join(f"code {c} 1.1:{c}\n" for c in range(1, count + 1))
        + "post 0\noutputs 1\nstages 3\n"
        "stage 1 block 1\ninitial\nstage 2 block 2\ninitial\nstage 3 block 3\ninitial 1.1:1\n"
    )
    return write_wired(t, folder, network, certificate)


def test_codes_times_values(t):
    """A number for each code and each value would take 1.6 GB."""
    unknown(t, many_codes(t, "many", 20000, d1_certificate()), why="memory")


def test_numbers_of_a_certificate(t):
    """No number of a certificate causes more work than the files' size allows."""
    for numbers in (
        {},
        {"clock": 4000000000},
        {"block": 4000000000},
        {"block": 100},
        {"elements": 4000000000},
        {"elements": 400},
    ):
        status, out, err = measured(
            t, t.checker, *many_codes(t, "few", 3, d1_certificate(**numbers))
        )
        assert (status, out) == (1, "s NOT VERIFIED\n"), (numbers, status, out, err)
