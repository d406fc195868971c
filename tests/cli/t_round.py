"""`round`: verdicts in formats and schedules, horizons beside observed failures, certificates,
files, wrong usage."""

import csv
import hashlib
import io
import json
import signal
import time

SCHEDULES = ["every", "acc32", "recurrent", "chunk64"]
KEYS = [
    "format",
    "schedule",
    "decoder",
    "format_data",
    "schedule_data",
    "verdict",
    "how",
    "joint_states",
    "pairs",
    "statement",
    "witness",
    "wrong_after",
    "reason",
    "right_up_to",
    "rounds",
    "horizon",
    "no_horizon_reason",
    "error_bound",
    "observed",
]


def rounded(t, *args, rc=0):
    """Returns the document, after the schema has been checked, and {(format, schedule): entry}."""
    data = json.loads(t.tool("round", *args, "--json", rc=rc))
    assert list(data) == [
        "schema",
        "report",
        "network",
        "engine",
        "engine_source",
        "engine_equals",
        "automaton",
        "certificate",
        "exact",
        "positive_semidefinite",
        "least_eigenvalue",
        "formats",
        "decided",
        "ended",
        "timing",
    ], list(data)
    for f in data["formats"]:
        assert list(f) == KEYS, list(f)
        assert f["reason"] is not None or f["verdict"] != "UNKNOWN", f
        assert f["reason"] is None or f["verdict"] != "VERIFIED", f
        assert f["verdict"] != "VERIFIED" or f["right_up_to"] is None, f
        seen = [o["wrong_at"] for o in f["observed"] if o["wrong_at"] is not None]
        assert not seen or f["verdict"] == "REFUTED", f
        if f["horizon"] and seen:
            assert f["horizon"]["letters"] < min(seen), f
    return data, {(f["format"], f["schedule"]): f for f in data["formats"]}


def compiled(t, name, *family, options=()):
    t.new(f"{name}.fsa", *family)
    t.tool(f"{name}.fsa", "-o", name, "--quiet", *options)
    return name


def test_dyadic_keys_everywhere(t):
    for name, family in (("s3", ["symmetric", "3"]), ("s5", ["symmetric", "5"])):
        net = compiled(t, name, *family)
        data, entry = rounded(t, net, "--formats", "bf16,fp16,fp32,e4m3")
        assert data["exact"]["verdict"] == "VERIFIED", data["exact"]
        assert len(entry) == 4 * len(SCHEDULES)
        for f in entry.values():
            assert f["verdict"] == "VERIFIED" and f["how"] == "nothing rounds", f
    t.tool("round", "s5", out=r"e4m3 +chunk64 +nearest +VERIFIED +all")


def test_naive_keys(t):
    t.write("n3.fsa", "points 3\ntrack points 1\npermute a (1 2)\npermute b (2 3)\n")
    t.tool("n3.fsa", "-o", "n3", "--quiet", "--keys", "naive")
    net = "n3"
    _, entry = rounded(t, net, "--format", "fp32", "--schedule", "every")
    assert (
        entry["fp32", "every"]["how"] == "closure"
        and entry["fp32", "every"]["verdict"] == "VERIFIED"
    ), entry


def test_certificates(t):
    net = compiled(t, "s3", "symmetric", "3")
    rounded(t, net, "--formats", "bf16,e4m3", "--certificates", "proofs")
    names = sorted(p.name for p in (t.folder / "proofs").iterdir())
    assert names == sorted(f"{f}.{s}.cert" for f in ("bf16", "e4m3") for s in SCHEDULES), names
    for name in names:
        verdict = t.check_certificate("s3", f"proofs/{name}")
        assert (
            verdict.startswith("s VERIFIED exact ")
            and verdict.count("\ns VERIFIED unrounded exact ") == 1
        ), verdict
    naive = compiled(t, "n3", "symmetric", "3", options=["--keys", "naive"])
    rounded(t, naive, "--format", "fp32", "--schedule", "every", "--certificates", "floats")
    assert t.check_certificate("n3", "floats/fp32.every.cert").startswith("s VERIFIED float ")
    t.check_certificate("s3", "floats/fp32.every.cert", rc=1)


def test_figure(t):
    net = compiled(t, "n5", "symmetric", "5", options=["--keys", "naive", "--limit", "1000"])
    _, entry = rounded(
        t,
        net,
        "--formats",
        "bf16",
        "--schedules",
        "recurrent",
        "--limit",
        "1000",
        "--letters",
        "20000",
        "--csv",
        "errors.csv",
        rc=(1, 2),
    )
    rows = list(csv.DictReader(io.StringIO(t.read("errors.csv").decode())))
    kinds = {r["kind"] for r in rows}
    assert {"bound", "random", "greedy"} <= kinds, kinds
    bound = {int(r["length"]): float(r["error"]) for r in rows if r["kind"] == "bound"}
    for r in rows:
        if r["kind"] != "bound" and int(r["length"]) in bound:
            assert float(r["error"]) <= bound[int(r["length"])], r
    assert entry["bf16", "recurrent"]["horizon"]["letters"] > 0


def test_any_format(t):
    net = compiled(t, "s3", "symmetric", "3")
    for spec in (
        "p=6,emin=-9,emax=9",
        "e4m3,overflow=saturate",
        "bf16,round=stochastic",
        "e5m2,subnormals=no,round=up",
    ):
        data, entry = rounded(t, net, "--format", spec)
        assert all(f["verdict"] == "VERIFIED" for f in entry.values()), (spec, entry)
    _, entry = rounded(t, net, "--format", "fp32", "--schedule", "recurrent,eps=1e-6,raw=16")
    assert list(entry.values())[0]["how"] == "nothing rounds", entry
    _, entry = rounded(
        t,
        net,
        "--format",
        "fp32",
        "--schedule",
        "recurrent,eps=1e-6,raw=0.5",
        "--limit",
        "1000",
        "--letters",
        "1000",
        rc=(0, 1, 2),
    )
    assert list(entry.values())[0]["how"] != "nothing rounds", entry


def test_refused(t):
    net = compiled(t, "s3", "symmetric", "3")
    t.tool("round", rc=64, err="one network is expected")
    t.tool("round", net, net, rc=64, err="one network is expected")
    t.tool("round", net, "--format", "p=0,emin=0,emax=1", rc=64, err="--format: ")
    t.tool("round", net, "--format", "bf16", "--formats", "bf16", rc=64, err="exclude each other")
    t.tool("round", net, "--schedule", "every,raw=1", rc=64, err="--schedule: ")
    t.tool(
        "round", net, "--schedule", "every", "--schedules", "fma", rc=64, err="exclude each other"
    )
    t.tool("round", net, "--checkpoint", "c", rc=64, err="for one --format and one --schedule")
    t.tool("round", "nothing.lrnn", rc=74, err="nothing.lrnn")
    t.write("s3/automaton.fsa", "fsa 1\nletters a\nstates q\nstart q\nq a q\n")
    t.tool("round", net, rc=65, err="not the automaton of the network")
    t.tool("round", "--help", out="horizon")


def test_wired_networks(t):
    """The rule form of a cascade is exact in the schedules that step; its slots are too many for
    chunk64, in which one reflection per head is exact, without a certificate."""
    net = compiled(t, "t5", "transformations", "5", options=["--max-sets", "5"])
    _, entry = rounded(
        t, net, "--formats", "bf16", "--letters", "2000", "--certificates", "proofs", rc=2
    )
    assert entry["bf16", "chunk64"]["verdict"] == "UNKNOWN", entry
    assert "more than 2^14 vectors" in entry["bf16", "chunk64"]["rounds"], entry
    for schedule in ("every", "acc32", "recurrent"):
        f = entry["bf16", schedule]
        assert f["verdict"] == "VERIFIED" and f["statement"] == "theory/pages/zeiger.md, Z.6", f
        assert "\ns VERIFIED unrounded zeiger " in t.check_certificate(
            net, f"proofs/bf16.{schedule}.cert"
        )


def test_chunks_of_wired_networks(t):
    t.new("s5.fsa", "symmetric", "5", "--generators")
    t.tool("compile", "s5.fsa", "--householders", "1", "--effort", "100", "--quiet")
    _, entry = rounded(t, "s5.lrnn", "--schedules", "chunk64", "--certificates", "proofs")
    assert {f["verdict"] for f in entry.values()} == {"VERIFIED"} and len(entry) == 4, entry
    assert list((t.folder / "proofs").iterdir()) == []


def endless(t):
    """Makes a network whose first row is decided at once, and whose second has too many joint
    states to be closed soon."""
    t.write(
        "g.fsa",
        "points 8\ntrack points 1\n"
        + "".join(f"permute s{i} ({i} {i + 1})\n" for i in range(1, 8)),
    )
    t.tool("g.fsa", "-o", "g", "--quiet", "--keys", "naive", "--limit", "100", rc=(0, 2))
    return (
        "round",
        "g",
        "--formats",
        "e5m2,fp32",
        "--schedules",
        "every,recurrent",
        "--limit",
        "4000000000",
    )


def test_rows_come_as_they_are_decided(t):
    """The first row can be read during the work on the second; an interruption keeps it and names
    the open rows."""
    args = endless(t)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        process = t.start(*args)
        lines = []
        while not lines or not lines[-1].startswith("e5m2 "):
            lines.append(process.stdout.readline().decode())
            assert lines[-1], lines
        assert process.poll() is None, lines
        process.send_signal(number)
        rest, errors = process.communicate(timeout=60)
        rest = rest.decode()
        if number == signal.SIGKILL:
            assert rest == "", rest
            continue
        assert process.returncode == 128 + number and b"interrupted: by SIG" in errors, (
            process.returncode,
            errors,
        )
        assert rest.startswith("fp32 ") and "fp32 every: interrupted: " in rest, rest
        assert rest.endswith(
            "\nended      interrupted; not decided: e5m2 recurrent, fp32 recurrent\n"
        ), rest


def test_interrupted_as_data(t):
    """The output is one document with all rows: decided, interrupted, and not tried."""
    args = endless(t)
    process = t.start(*args, "--json")
    time.sleep(2)  # the first row takes some milliseconds
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 130, (process.returncode, errors)
    data = json.loads(printed)
    reasons = [f["reason"] for f in data["formats"]]
    assert data["ended"] == "interrupted" and data["formats"][0]["verdict"] == "VERIFIED", data
    assert (
        reasons[1].startswith("interrupted: closing")
        and reasons[2:] == ["interrupted: not looked at"] * 2
    ), reasons


def test_time_limit(t):
    """--time-limit applies to the whole command: earlier verdicts are kept, and the status is the
    worst verdict's."""
    args = endless(t)
    data, entry = rounded(t, *args[1:], "--time-limit", "1", rc=2)
    assert data["ended"] == "time limit" and entry["e5m2", "every"]["verdict"] == "VERIFIED", data
    assert entry["fp32", "every"]["reason"].startswith("time limit reached: closing"), entry
    assert entry["fp32", "recurrent"]["reason"] == "time limit reached: not looked at", entry
    t.tool(
        *args,
        "--time-limit",
        "1",
        rc=2,
        out="\nended      time limit; not decided: e5m2 recurrent, fp32 recurrent\n",
    )


def test_effort(t):
    """Counted steps stop one verdict only: the next has as many steps of its own, and equal steps
    give equal bytes."""
    args = endless(t)
    one, two = (rounded(t, *args[1:], "--effort", "20", rc=(1, 2))[0] for _ in range(2))
    assert one.pop("timing") and two.pop("timing") and one == two
    verdicts = [(f["verdict"], f["reason"]) for f in one["formats"]]
    assert one["ended"] == "complete" and verdicts[0] == ("VERIFIED", None), verdicts
    stopped = [
        r
        for v, r in verdicts
        if v == "UNKNOWN" and r.startswith("20.0 million steps of effort do not suffice: ")
    ]
    assert len(stopped) == 2, verdicts
    t.tool(
        "round",
        "g",
        "--effort",
        "4000000001",
        rc=64,
        err="--effort takes a number from 0 to 4000000000",
    )


LEAST = """lrnn 2
fsa {fsa}
field Q
label states
letters 2
letter a
letter b
labels 2
symbol p
symbol q
start 1
layers 1
layer 1 letters 2 heads 1 codes 2 symbols 2 decode state
head 1 key 2 value 1
raw
initial 1.1:-256
on 1 gate 1 factors 1
factor 0 u 1:256 2:1/2
on 2 gate 1 factors 2
factor 1 u 1:1
factor 1 u 1:1 c 1:1/17592186044416
code 1 1 1.1:-256
code 2 2 1.1:1/17592186044416
end
"""


def test_the_least_integer_is_beyond_a_format(t):
    """A product of -2^16, which is -2^63 in the unit of all numbers and above the largest one."""
    fsa = "fsa 1\nletters a b\nstates p q\nstart p\np a p\np b q\nq a q\nq b q\n"
    t.write("g.fsa", fsa)
    t.write("g.lrnn", LEAST.format(fsa=hashlib.sha256(fsa.encode()).hexdigest()))
    least = ("--format", "p=8,emin=-40,emax=10,largest=1024", "--schedule", "every")
    t.tool("round", "g.lrnn", "--fsa", "g.fsa", *least, rc=1, out="wrong after: a; expected p")
