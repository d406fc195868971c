"""`reproduce --plan`: runs as commands that other programs start, that are killed and given again
on another machine, and that `--table` merges into the rows of a single `reproduce`."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import harness
from cluster.rows import untimed

# A few steps of the smallest model; the evaluation at the end takes most of the time.
SHORT = ("parity", "--model", "delta-signed", "--scale", "0.01")
GRID = ("parity", "--model", "delta-signed,delta-positive", "--scale", "0.01", "--seeds", "2")


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def plan(t, *args, name=None):
    """Returns the lines of a plan; with a name also writes them to a file."""
    text = t.tool("reproduce", *args, "--plan")
    t.valid(text, args)
    if name:
        t.write(name, text)
    return lines(text)


def on_path(t):
    """Makes the program known by its name, as the commands of a plan call it."""
    (t.folder / "bin").mkdir(exist_ok=True)
    if not (t.folder / "bin/fsa2lrnn").exists():
        (t.folder / "bin/fsa2lrnn").symlink_to(t.program)
        t.env["PATH"] = f"{t.folder}/bin:{t.env['PATH']}"


def start(t, command, folder=None, before=(), **options):
    """Starts a line of a shell in its own group of processes, below the folder of the test."""
    on_path(t)
    return subprocess.Popen(
        [*before, "sh", "-c", f"exec {command}"],
        cwd=t.folder / (folder or "."),
        env=t.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **options,
    )


def finish(process, rc=0, err=""):
    out, errors = process.communicate(timeout=300)
    allowed = rc if isinstance(rc, tuple) else (rc,)
    assert process.returncode in allowed, (process.args, process.returncode, errors.decode())
    assert err in errors.decode(), (err, errors.decode())
    return out.decode()


def shell(t, command, folder=None, **expected):
    return finish(start(t, command, folder), **expected)


def session(leader):
    """Returns the processes of a session, which may be in several groups."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        fields = harness.read_or_empty(stat).rpartition(") ")[2].split()
        if fields and int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def kill(process, path=None, seconds=120):
    """Kills everything that the command started, at once, or as soon as the file is there."""
    for _ in range(seconds * 50 if path else 0):
        if path.exists():
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    for _ in range(100):
        left = session(process.pid)
        for number in left:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not left:
            break
        time.sleep(0.02)
    process.communicate(timeout=60)


def weights(t, folder, model="delta-signed", seed=1):
    return t.read(f"{folder}/{model}/seed-{seed}/weights.safetensors")


def test_lines(t):
    """Every run is a line with its command; the two spellings of the command agree."""
    found = plan(t, *GRID, "--rate", "1e-3,3e-3", "--seed", "7", "-o", "it's a/plan")
    expected = [
        (m, r, s)
        for m in ("delta-signed", "delta-positive")
        for r in (0.001, 0.003)
        for s in (7, 8)
    ]
    assert [(p["model"], p["rate"], p["seed"]) for p in found] == expected, found
    dry = json.loads(t.tool("reproduce", *GRID, "--rate", "1e-3,3e-3", "--dry-run", "--json"))
    assert len({p["folder"] for p in found}) == 8
    for at, p in enumerate(found):
        assert shlex.split(p["command"]) == p["argv"] and p["argv"][0] == "fsa2lrnn", p
        assert p["folder"] == f"it's a/plan/{p['model']}-rate-{p['rate']}-seed-{p['seed']}", p
        assert p["argv"][p["argv"].index("--out") + 1] == p["folder"], p
        assert p["steps"] == dry["plans"][at // 2]["steps"] and p["scale"] == 0.01, p
        assert (p["preset"], p["setting"], p["backend"]) == ("parity", "best", "cpu"), p
        assert "--json" not in p["argv"] and p["version"] and p["commit"] and len(p["recipe"]) == 64
    assert len({p["recipe"] for p in found}) == 4, "models x rates"
    assert plan(t, *GRID, "--json") == plan(t, *GRID)
    (one,) = plan(t, "s3", "--setting", "paper", "--model", "nh2", "--backend", "cuda")
    assert one["folder"] == "s3-paper.reproduce/nh2-seed-1" and "--rate" not in one["argv"], one
    assert one["steps"] == one["full_steps"] and one["backend"] == "cuda", one
    (one,) = plan(t, *SHORT, "--checkpoint-seconds", "2.5", "-o", "-x")
    assert "--checkpoint-seconds 2.5" in one["command"] and one["folder"].startswith("-x/"), one
    t.nothing_left()


def test_table(t):
    """The runs of a plan give the rows of a single reproduce of everything; a table of a part names
    the runs that are missing, with their commands."""
    args = (*SHORT, "--seeds", "2", "--rate", "1e-3,3e-3")
    whole = t.tool("reproduce", *args, "-o", "whole", "--jobs", "2")
    found = plan(t, *args, "-o", "far/away", name="plan.jsonl")
    data = json.loads(t.tool("reproduce", "--table", "plan.jsonl", "--json"))
    assert data["presets"] == [] and data["left"] == [dict(p, begun=False) for p in found], data
    for p in found[::-1][:-2]:
        shell(t, p["command"])
    t.write(f"{found[0]['folder']}/reproduce.json", "")
    data = json.loads(t.tool("reproduce", "--table", "plan.jsonl", "--json"))
    assert [(p["seed"], p["begun"]) for p in data["left"]] == [(1, True), (2, False)], data
    assert data["time"][0]["run_count"] == 2, data["time"]
    listed = "Left of the plan:\n.*seed 1, begun\n.*seed 2\n"
    text = t.tool("reproduce", "--table", "plan.jsonl", out=listed)
    assert all(p["command"] in text for p in found[:2]), text
    # what the table gives is given to a shell as it is
    for line in text.splitlines():
        if line.startswith("    fsa2lrnn reproduce"):
            shell(t, line.strip())
    merged = t.tool("reproduce", "--table", "plan.jsonl", "--json")
    assert untimed(merged) == untimed(t.tool("reproduce", "--table", "whole", "--json"))
    folders = [p["folder"] for p in found]
    swapped = t.tool("reproduce", "--table", *[folders[i] for i in (1, 0, 3, 2)], "--json")
    assert untimed(swapped) == untimed(merged)
    assert t.tool("reproduce", "--table", "plan.jsonl", "plan.jsonl", "--json") == merged
    assert [w.split() for w in whole.splitlines()][:6] == [
        w.split() for w in t.tool("reproduce", "--table", "plan.jsonl").splitlines()
    ][:6]
    for p in found:
        cell = f"{p['model']}-rate-{p['rate']}"
        assert weights(t, p["folder"], p["model"], p["seed"]) == weights(
            t, "whole", cell, p["seed"]
        ), p
    # a run that has ended is not trained again
    before = (t.folder / folders[0] / "delta-signed/seed-1/log.jsonl").stat()
    shell(t, found[0]["command"])
    assert (t.folder / folders[0] / "delta-signed/seed-1/log.jsonl").stat() == before


def other_machine():
    """Returns the beginning of a command that runs under another name of the machine, or nothing
    where this process may not do that."""
    prefix = ["unshare", "--uts", "sh", "-c", 'hostname other && exec "$@"', "sh"]
    if not shutil.which("unshare"):
        return []
    tried = subprocess.run([*prefix, "hostname"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return prefix if tried.stdout == b"other\n" else []


def test_taken_up(t):
    """A run that is killed is taken up elsewhere by the same command from a copy of its folder, and
    ends with the same weights, bit for bit."""
    t.tool("reproduce", *SHORT, "--scale", "0.05", "-o", "whole")
    (p,) = plan(t, *SHORT, "--scale", "0.05", "--checkpoint-seconds", "0", "-o", "runs")
    there = f"{p['folder']}/delta-signed/seed-1"
    kill(start(t, p["command"]), t.folder / there / "checkpoint")
    (t.folder / "other/home").mkdir(parents=True)
    shutil.copytree(t.folder / "runs", t.folder / "other/home/runs")
    finish(start(t, p["command"], "other/home", other_machine()))
    shell(t, p["command"])
    for folder in (f"other/home/{p['folder']}", p["folder"]):
        log = lines(t.read(f"{folder}/delta-signed/seed-1/log.jsonl").decode())
        assert [e["step"] > 0 for e in log if e["event"] == "resume"] == [True], log
        assert weights(t, folder) == weights(t, "whole"), folder


def test_killed_anywhere(t):
    """Kills at any moment, one after the other, lose no more than the steps since the last
    checkpoint: the end is the same."""
    t.tool("reproduce", *SHORT, "-o", "whole")
    (p,) = plan(t, *SHORT, "--checkpoint-seconds", "0", "-o", "runs")
    name = "outcome-parity-best-delta-signed.json"
    delays = (0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.13, 0.2, 0.3)
    for delay in delays[:: 1 if t.whole else 4]:
        process = start(t, p["command"])
        time.sleep(delay)
        kill(process)
    ended = t.folder / p["folder"] / "delta-signed/seed-1/weights.safetensors"
    kill(start(t, p["command"]), ended)
    before = ended.read_bytes()
    shell(t, p["command"])
    assert before == ended.read_bytes() == weights(t, "whole")
    assert untimed(t.read(f"{p['folder']}/{name}")) == untimed(t.read(f"whole/{name}"))


def test_two_at_once(t):
    """Two processes do not work on one run: of several that begin it, one does, and the others say
    so, or find it ended."""
    (p,) = plan(t, *SHORT, "-o", "runs")
    several = [start(t, p["command"]) for _ in range(5 if t.whole else 2)]
    for process in several:
        finish(process, rc=(0, 69))
    assert 0 in [process.returncode for process in several]
    log = t.read(f"{p['folder']}/delta-signed/seed-1/log.jsonl").decode()
    assert [e["event"] for e in lines(log)].count("start") == 1, log
    assert sorted(x.name for x in (t.folder / p["folder"]).iterdir()) == [
        "delta-signed",
        "outcome-parity-best-delta-signed.json",
        "report.html",
        "report.md",
        "reproduce.json",
        "work.json",
        "work.lock",
    ]
    (p,) = plan(t, *SHORT, "--scale", "0.4", "-o", "slow")
    first = start(t, p["command"])
    while not (t.folder / p["folder"] / "delta-signed/seed-1/log.jsonl").exists():
        assert first.poll() is None, first.communicate()
        time.sleep(0.02)
    for command in (p["command"], f"fsa2lrnn reproduce --resume {p['folder']}"):
        shell(t, command, rc=69, err=f"another process works on {p['folder']}")
    finish(first)


def test_half_written(t):
    """Whatever a killed process left is completed; what belongs to something else is refused."""
    (p,) = plan(t, *SHORT, "-o", "runs")
    shell(t, p["command"])
    request = t.read(f"{p['folder']}/reproduce.json").decode()
    whole = weights(t, p["folder"])
    for left in (None, "", request[:30], request) if t.whole else (request[:30],):
        shutil.rmtree(t.folder / "runs")
        if left is None:
            (t.folder / p["folder"]).mkdir(parents=True)
        else:
            (t.folder / p["folder"] / "delta-signed.f2l-tmp-0a1b2c").mkdir(parents=True)
            t.write(f"{p['folder']}/reproduce.json", left)
        shell(t, p["command"])
        assert t.read(f"{p['folder']}/reproduce.json").decode() == request, left
        assert weights(t, p["folder"]) == whole, left
    for other in (request.replace("delta-signed", "delta-positive"), request + "\n", "x"):
        t.write(f"{p['folder']}/reproduce.json", other)
        shell(t, p["command"], rc=69, err="other work is in this folder")
        assert t.read(f"{p['folder']}/reproduce.json").decode() == other
    (t.folder / p["folder"] / "reproduce.json").unlink()
    shell(t, p["command"], rc=73, err="has other files, and no reproduce.json")
    # an empty request, as a kill before its first byte leaves it, is begun anew, and alone
    begin = f"fsa2lrnn reproduce {shlex.join(SHORT)} --no-report -o early"
    for name, rc, err in (("early/other", 73, "early exists already"), (None, 0, "")):
        shutil.rmtree(t.folder / "early", ignore_errors=True)
        t.write("early/reproduce.json", "")
        if name:
            t.write(name, "")
        t.tool("reproduce", "--resume", "early", rc=69, err="nothing was begun.* begin anew by")
        shell(t, begin, rc=rc, err=err)
    assert weights(t, "early") == whole
    t.write("file", "")
    shell(t, f"fsa2lrnn reproduce {shlex.join(SHORT)} -o file/x --continue", rc=73, err="file/x")


def test_other_version(t):
    """A program with another recipe refuses the command; one that only has another commit goes on,
    and the row names both commits."""
    (p,) = plan(t, *SHORT, "--scale", "0.05", "--checkpoint-seconds", "0", "-o", "runs")
    changed = p["command"].replace(p["recipe"], "0" * 64)
    shell(t, changed, rc=69, err="has another recipe")
    assert not (t.folder / "runs").exists()
    folder = f"{p['folder']}/delta-signed"
    kill(start(t, p["command"]), t.folder / folder / "seed-1/checkpoint")
    provenance = json.loads(t.read(f"{folder}/provenance.json"))
    t.write(f"{folder}/provenance.json", json.dumps(dict(provenance, commit="0123456789ab")))
    shell(t, p["command"], err="commit 0123456789ab of this program began it")
    row = json.loads(t.read(f"{p['folder']}/outcome-parity-best-delta-signed.json"))
    assert row["commit"] == f"0123456789ab, {provenance['commit']}", row["commit"]
    t.write("plan.jsonl", json.dumps(p))
    t.tool("reproduce", "--table", "plan.jsonl", out="0123456789ab,")
    for change in ({"recipe": "0" * 64}, {"seed": 2}):
        t.write("plan.jsonl", json.dumps(dict(p, **change)))
        t.tool("reproduce", "--table", "plan.jsonl", rc=69, err="another seed or recipe than")
    t.write("plan.jsonl", json.dumps(p) + '\n{"x":\n')
    t.tool("reproduce", "--table", "plan.jsonl", rc=65, err="plan.jsonl:2:.*no JSON")
    t.write("plan.jsonl", json.dumps(p) + '\n{"x":1}\n')
    t.tool("reproduce", "--table", "plan.jsonl", rc=65, err="plan.jsonl:2:.*no line of a plan")


def test_parallel(t):
    """GNU parallel: jobs that are killed, and the same line again."""
    missing = [name for name in ("jq", "parallel") if not shutil.which(name)]
    if missing:
        raise harness.Skip(f"not installed: {', '.join(missing)}")
    grid = GRID if t.whole else (*GRID, "--seeds", "1")
    t.tool("reproduce", *grid, "-o", "whole")
    found = plan(t, *grid, "--checkpoint-seconds", "0", "-o", "runs", name="plan.jsonl")
    line = "jq -r .command plan.jsonl | parallel --jobs 2 --results logs"
    t.env["PARALLEL_HOME"] = str(t.folder / "home")
    process = start(t, f"sh -c {shlex.quote(line)}")
    kill(process, t.folder / found[0]["folder"] / "delta-signed/seed-1/checkpoint")
    left = json.loads(t.tool("reproduce", "--table", "plan.jsonl", "--json"))["left"]
    assert found[0] in [{k: v for k, v in p.items() if k != "begun"} for p in left], left
    shell(t, f"sh -c {shlex.quote(line)}")
    merged = t.tool("reproduce", "--table", "plan.jsonl", "--json")
    assert untimed(merged) == untimed(t.tool("reproduce", "--table", "whole", "--json"))


def test_refused(t):
    def usage(*args, err):
        t.tool("reproduce", *args, rc=64, err=err)

    usage("parity", "--plan", "--dry-run", err="--dry-run does not go")
    usage("parity", "--plan", "--continue", err="--continue does not go")
    usage("parity", "--plan", "--recipe", "0" * 64, err="--recipe does not go")
    usage("--plan", "--resume", "x", err="--resume does not go")
    usage("parity", "--plan", "--gpus", "2", "--backend", "cuda", err="--gpus does not go")
    usage("parity", "--plan", "-o", "two\nlines", err="without control characters")
    usage("parity", "--plan", "-o", b"\xff".decode("utf-8", "surrogateescape"), err="UTF-8")
    usage("parity", "--recipe", "0" * 64, err="--recipe is for one model and one rate")
    usage("--resume", "x", "--continue", err="takes up what is in the folder")
    usage("--table", "--plan", err="trains nothing")
    usage("s6", "--plan", err="there is no preset 's6'")
    t.nothing_left()
