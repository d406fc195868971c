"""Corpora: 60 languages of 16 classes through plan, networks, classes, checks and one table, beside
an independent judge; and the same table from every engine that is here."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import harness
from harness import ROOT

sys.path.insert(0, str(ROOT / "tests"))

from corpora import judge, languages  # noqa: E402

EFFORT = "--label accept --sink --effort 2"
# The plans, each of which may need the work of those before it: folder, command.
PLANS = (
    ("work/network", f"automata {EFFORT} --no-report"),
    ("work/classes", f"classify automata {EFFORT}"),
    ("work/check", "check work/network"),
    ("work/export", "export work/network --to npz"),
)


def call(t, *argv, rc=0, folder="."):
    done = subprocess.run(
        [str(a) for a in argv],
        cwd=t.folder / folder,
        env=t.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == rc, (argv, done.returncode, done.stdout)
    return done.stdout


def build_folder(t):
    return Path(t.program).parent


def test_sixty(t):
    """All classes: VERIFIED, accepted by lrnn-check, and what the judge and the names say."""
    if t.short:
        raise harness.Skip("the sanitizers see each of the commands elsewhere")
    languages.write(t.folder / "automata")
    # One file twice is one automaton: its row names both.
    first = min((t.folder / "automata").iterdir())
    shutil.copy(first, t.folder / f"automata/{first.stem}-again.att")
    argv = [sys.executable, ROOT / "tests/corpora/driver.py", "--build", build_folder(t)]
    argv += ["--out", "out", "automata", "--options", EFFORT, "--jobs", 2, "--record", "record"]
    text = call(t, *argv)
    assert "60 automata in 61 files, 60 VERIFIED, 0 units left" in text, text
    assert "61 languages, 0 faults" in text, text
    record = json.loads(t.read("record"))
    assert (record["languages"], record["verified"], record["checked"]) == (61, 61, 61), record
    at = record["columns"].index("class")
    assert {row[at] for row in record["rows"]} == set(languages.CLASSES), record["columns"]
    t.valid(t.read("out/table.json").decode(), "table")
    # Nothing is done twice, and what was damaged is named and done again.
    record = next((t.folder / "out/network").glob("*/work.json"))
    before = record.read_bytes()
    record.write_bytes(before[:100])
    table = json.loads(t.tool("table", "out/network.jsonl", "--json"))
    assert [one["reason"] for one in table["left_work"]] == [
        "work.json is half written or changed, or no record of this version"
    ]


def test_judge(t):
    """The judge sees what it is there for."""
    even = "0\t1\ta\ta\n1\t0\ta\ta\n0\n"
    starts = "0\t1\ta\ta\n1\t1\ta\ta\n1\t1\tb\tb\n1\n"
    subsequence = "0\t1\ta\ta\n0\t0\tb\tb\n1\t1\ta\ta\n1\t2\tb\tb\n2\t2\ta\ta\n2\t2\tb\tb\n2\n"
    found = [judge.judge(judge.read_att(x)) for x in (even, starts, subsequence)]
    assert [(f["minimal"], f["aperiodic"], f["j_trivial"]) for f in found] == [
        (2, False, False),
        (3, True, False),
        (3, True, True),
    ], found
    assert judge.differ(judge.read_att(even), judge.read_att(even)) is None
    assert judge.differ(judge.read_att(starts), judge.read_att(subsequence)) == ["a"]


def by_loop(t):
    for line in t.read("plan").decode().splitlines():
        call(t, *json.loads(line)["argv"])


def by_other_machine(t):
    """Another place and time zone, one processor, and mathematical functions of a processor without
    products that are added unrounded."""
    tunables = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable"
    other = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "GLIBC_TUNABLES": tunables}
    before = {name: t.env.get(name) for name in other}
    t.env.update(other)
    for line in t.read("plan").decode().splitlines():
        call(t, *json.loads(line)["argv"], "--jobs", 1)
    for name, value in before.items():
        t.env.pop(name)
        if value is not None:
            t.env[name] = value


def by_parallel(t):
    call(t, "sh", ROOT / "examples/parallel.sh", "plan")


def by_nodes(t):
    """The list of nodes has this machine alone, without ssh."""
    t.write("nodes", "2/:\n")
    t.env["NODES"] = "nodes"
    call(t, "sh", ROOT / "examples/parallel.sh", "plan")
    del t.env["NODES"]


def by_snakemake(t):
    if not (t.folder / "table.json").exists():
        argv = ["snakemake", "--snakefile", ROOT / "examples/Snakefile", "--cores", 2]
        t.env.update(HOME=str(t.folder), XDG_CACHE_HOME=str(t.folder / "cache"))
        call(t, *argv, "--config", f"options={EFFORT}")


def checks(table):
    """Returns the pairs (exit status, verdict) of the checks in a table."""
    works = [work for row in table["rows"] for work in row["works"]]
    return [(work["exit_status"], work["checked"]) for work in works if work["job"] == "check"]


def test_engines(t):
    """A loop, also on a machine that differs, GNU parallel, also by a list of nodes, and Snakemake
    give the same bytes."""
    if t.short:
        raise harness.Skip("the sanitizers see each of the commands elsewhere")
    for name, text in languages.languages(2):
        t.write(f"automata/{name}", text)
    (t.folder / "bin").mkdir()
    (t.folder / "bin/fsa2lrnn").symlink_to(t.program)
    t.env.update(PATH=f"{t.folder}/bin:{t.env['PATH']}", JOBS="2")
    tables, missing = {}, []
    for engine in (by_loop, by_other_machine, by_parallel, by_nodes, by_snakemake):
        program = {by_parallel: "parallel", by_nodes: "parallel", by_snakemake: "snakemake"}.get(
            engine, "sh"
        )
        if not shutil.which(program) or not shutil.which("jq"):
            missing.append(program)
            continue
        plans = []
        for folder, words in PLANS:
            plan = t.tool("plan", "--out", folder, "--", *words.split())
            plans.append(t.write(f"plan-{len(plans)}", plan))
            t.write("plan", plan)
            engine(t)
        tables[engine.__name__] = t.tool("table", *plans, "--untimed", "--json")
        (t.folder / "table.json").unlink(missing_ok=True)
        shutil.rmtree(t.folder / "work")
        shutil.rmtree(t.folder / "done", ignore_errors=True)
    assert len(set(tables.values())) == 1, tables
    table = json.loads(tables["by_loop"])
    counts = table["counts"]
    assert (counts["work_count"], counts["left_count"]) == (8, 0), counts
    # a table whose checks had no checker is another one than on a machine that has it
    assert checks(table) == [(0, "VERIFIED")] * 2, table
    if missing:
        raise harness.Skip(f"{' and '.join(sorted(set(missing)))} is not installed")


def test_examples(t):
    """Every engine has one file of at most 60 lines."""
    for name in ("parallel.sh", "slurm.sh", "ray_runs.py", "Snakefile"):
        text = (ROOT / "examples" / name).read_text()
        assert text.count("\n") <= 60, name
        assert re.search(r"fsa2lrnn", text) and os.path.basename(name) == name
