"""--continue: every long command in a folder with a record; killed, refused, done."""

import fcntl
import json
import os
import shutil
import signal
import time

from cluster.rows import untimed
from harness import MINUTES, ROOT

RUN = ROOT / "tests/data/learned-s3"


def record(t, folder):
    return json.loads(t.read(f"{folder}/work.json"))


def prepare(t):
    """Makes the inputs, and returns the commands: {job: its words without the folder}."""
    t.new("s3.fsa", "symmetric", "3")
    t.new("z3.fsa", "counter", "3")
    t.tool("s3.fsa", "-o", "s3.lrnn", "--quiet")
    shutil.copytree(RUN, t.folder / "run")
    starts = "--noise 0.1 --logit 16 --steps 2 --batch 4 --to 8 --sequences 4"
    return {
        "main": ["s3.fsa"],
        "compile": ["compile", "s3.fsa", "--householders", "2"],
        "compile-list": ["compile", "z3.fsa", "--pareto"],
        "census": ["census", "2", "2"],
        "classify": ["classify", "s3.fsa", "--label=states"],
        "starts": ["starts", "s3.fsa", *starts.split()],
        "compare": ["compare", "run", "--lengths", "8", "--search", "100"],
        "horizon": ["horizon", "run", "--most", "4", "--search", "100"],
        "snap": ["snap", "run"],
        "export": ["export", "s3.lrnn", "--to", "npz"],
        "check": ["check", "s3.lrnn", "--checker", str(t.checker)],
    }


def times(t, folder):
    return {p.name: p.stat().st_mtime_ns for p in (t.folder / folder).iterdir()}


def without_places(text):
    """Returns the JSON without times and without the names of folders."""
    return json.dumps(untimed(text)).replace("work/", "")


def test_every_command(t):
    """The first time the work is done, with the result that the command prints; the second time
    nothing is written; the record says what was asked for and what became of it."""
    for job, words in prepare(t).items():
        folder = f"work/{job}"
        t.tool(*words, "-o", folder, "--continue")
        done = record(t, folder)
        assert (done["state"], done["exit_status"]) == ("done", 0), done
        assert done["job"] == job.removesuffix("-list"), done
        assert done["argv"] == ["fsa2lrnn", *words, "-o", folder, "--continue"], done
        assert done["schema"] == "fsa2lrnn-work/2" and done["host"] and done["version"], done
        assert done["cpu_seconds"] > 0 and done["memory_mib"] > 1 and done["seconds"] > 0, done
        text = t.read(f"{folder}/{done['result']}").decode()
        assert "-list" not in job or json.loads(text)["report"] == job
        t.valid(text, job)
        before = times(t, folder)
        again = t.tool(*words, "-o", folder, "--continue", "--json")
        if job != "starts":  # which looks at its runs, and prints their table again
            assert times(t, folder) == before, job
            assert again == text, job
            t.tool(*words, "-o", folder, "--continue", out="done in .* s, exit status 0")
        t.tool(*words, "-o", folder, "--continue", "--quiet", "--jobs", "1", "--memory", "1G")
    for job in ("classify", "census", "check"):
        plain = t.tool(*prepare_words(job, t), "--json")
        assert plain == t.read(f"work/{job}/result.json").decode(), job
    for job in ("main", "compile"):
        t.check(f"work/{job}")
        words = prepare_words(job, t)
        plain = t.tool(*words, "-o", f"plain-{job}", "--json")
        expected = without_places(t.read(f"work/{job}/report.json"))
        assert without_places(plain.replace(f"plain-{job}", job)) == expected, job


def prepare_words(job, t):
    return {
        "main": ["s3.fsa"],
        "compile": ["compile", "s3.fsa", "--householders", "2"],
        "census": ["census", "2", "2"],
        "classify": ["classify", "s3.fsa"],
        "check": ["check", "s3.lrnn", "--checker", str(t.checker)],
    }[job]


def test_other_work(t):
    """A folder of another job, input, option, version or commit is refused with the difference."""
    t.new("s3.fsa", "symmetric", "3")
    t.new("z3.fsa", "counter", "3")

    def refused(*words, err):
        before = times(t, "w")
        t.tool(*words, "-o", "w", "--continue", rc=69, err=f"w has other work: .*{err}")
        assert times(t, "w") == before

    t.tool("classify", "s3.fsa", "--effort", "100", "-o", "w", "--continue")
    same = ("classify", "--effort", "100")
    refused("s3.fsa", err="its job is classify, not main")
    refused("classify", "s3.fsa", err="it has --effort=100, and no such setting")
    refused("classify", "s3.fsa", "--effort", "99", err="--effort=100, and --effort=99")
    refused(*same, "s3.fsa", "--sink", err="fewer settings, and --sink is asked for")
    refused(*same, "z3.fsa", err="its input s3.fsa has the SHA-256 .*, and z3.fsa has")
    # the place of the input does not matter, nor how long the work may take
    shutil.copy(t.folder / "s3.fsa", t.folder / "copy.fsa")
    t.tool("--time-limit", "90", *same, "copy.fsa", "-o", "w", "--continue", out="w: done")
    old = record(t, "w")
    for change in ("version", "commit"):
        t.write_record("w", dict(old, **{change: "another"}))
        refused(*same, "s3.fsa", err=f"its {change} is another, not")
    t.write("census/file", "")
    t.tool("census", "2", "2", "-o", "census", "--continue", rc=73, err="has other files")
    t.tool("census", "2", "2", "-o", "census/file", "--continue", rc=73, err="census/file")
    t.tool("census", "2", "3", "-o", "n", "--continue")
    t.tool("census", "3", "2", "-o", "n", "--continue", rc=69, err="operand-1=2, and operand-1=3")


def test_statuses(t):
    """0: done, whatever the verdict; 2: after a limit or a signal; other statuses: it failed."""
    t.new("s6.fsa", "symmetric", "6")
    t.new("t4.fsa", "transformations", "4")
    t.new("s3.fsa", "symmetric", "3")
    t.tool("s3.fsa", "-o", "s3.lrnn", "--quiet")
    t.write("s3.lrnn/network.lrnn", t.read("s3.lrnn/network.lrnn").replace(b"1/2", b"1/3", 1))
    check = ("check", "s3.lrnn", "--checker", str(t.checker), "-o", "check", "--continue")
    t.tool(*check)
    ended = record(t, "check")
    assert (ended["state"], ended["exit_status"]) == ("done", 1) and ended["reason"], ended
    limited = ("classify", "t4.fsa", "--limit", "1", "-o", "limited", "--continue")
    t.tool(*limited)
    assert [record(t, "limited")[k] for k in ("state", "exit_status")] == ["done", 2]
    t.tool(*limited, out="limited: done .* exit status 2")
    busy = ("s6.fsa", *MINUTES, "-o", "busy", "--continue")
    t.tool(*busy, "--time-limit", "0.05", rc=2)
    ended = record(t, "busy")
    assert (ended["state"], ended["exit_status"]) == ("failed", 2), ended
    assert "time limit" in ended["reason"], ended
    for number in (signal.SIGTERM, signal.SIGINT):
        process = start_busy(t, busy)
        process.send_signal(number)
        assert process.wait(timeout=60) == 2, process.communicate()
        ended = record(t, "busy")
        assert (ended["state"], ended["reason"]) == ("failed", number.name), ended
        assert not [name for name in times(t, "busy") if ".f2l-tmp-" in name]
    process = start_busy(t, busy)
    t.tool(*busy, rc=69, err="another process works on busy")
    assert record(t, "busy")["state"] == "begun"
    process.kill()
    process.communicate()
    t.write("bad.fsa", "start a\nstart b\n")
    t.tool("bad.fsa", "-o", "bad", "--continue", rc=65)
    ended = record(t, "bad")
    assert ended["state"] == "failed" and ended["reason"].startswith("bad.fsa:"), ended


def test_what_a_kill_leaves(t):
    """Temporary files of the command's own file go when the folder is next opened, and pages that a
    signal kept from being drawn are drawn then."""
    t.tool("census", "2", "2", "-o", "w", "--continue")
    rows = t.read("w/census.csv")
    names = ["census.csv", "result.json", "work.json", "report.md"]
    unfinished = [f"w/{name}.f2l-tmp-a1b2c3" for name in names]
    kept = ["w/mine.csv.f2l-tmp-a1b2c3", "w/census.csv.tmp-backup", "w/report.md.tmp-261201"]
    for name in [*unfinished, *kept]:
        t.write(name, "half")
    t.tool("census", "2", "2", "-o", "w", "--continue")
    assert not [name for name in unfinished if (t.folder / name).exists()]
    assert {t.read(name) for name in kept} == {b"half"} and t.read("w/census.csv") == rows
    t.new("p.fsa", "parity")
    t.tool("p.fsa", "-o", "p", "--continue")
    pages = {name: t.read(f"p/{name}") for name in ("report.html", "report.md")}
    (t.folder / "p/report.html").unlink()
    t.tool("p.fsa", "-o", "p", "--continue", "--no-report")
    assert not (t.folder / "p/report.html").exists()
    t.tool("p.fsa", "-o", "p", "--continue", out="p: done in")
    assert {name: t.read(f"p/{name}") for name in pages} == pages
    t.new("c.fsa", "parity")
    t.tool("classify", "c.fsa", "-o", "c", "--continue")
    t.tool("classify", "c.fsa", "-o", "c", "--continue")
    assert sorted(os.listdir(t.folder / "c")) == ["result.json", "work.json", "work.lock"]


def test_no_checker(t):
    """A check is done when the checker has spoken, were it to say UNKNOWN; where it is not found or
    was killed the check is left, with the reason, and the same command does it."""
    t.new("s3.fsa", "symmetric", "3")
    t.tool("s3.fsa", "-o", "s3.lrnn", "--quiet")
    words = ("check", "s3.lrnn", "-o", "w", "--continue", "--checker")
    kinds = {
        "killed": "kill -9 $$",
        "limit": "echo lrnn-check: the budget of steps is spent >&2; exit 2",
        "alone": "echo lrnn-check: /nowhere/lrnn-check-float: No such file >&2; exit 2",
        "small": "echo lrnn-check: out of memory >&2; exit 2",
    }
    for name, end in kinds.items():
        t.write(name, f"#!/bin/sh\necho s UNKNOWN\n{end}\n")
        (t.folder / name).chmod(0o755)
    for checker, reason in (
        ("/nowhere/lrnn-check", "cannot be run"),
        ("./killed", "says"),
        ("./alone", "No such file"),
        ("./small", "out of memory"),
    ):
        t.tool(*words, checker, rc=74, err=reason)
        failed = record(t, "w")
        assert (failed["state"], failed["exit_status"]) == ("failed", 74), failed
        assert reason in failed["reason"] and failed["result"] is None, failed
        left = json.loads(t.tool("table", "w", "--json"))["left_work"]
        assert len(left) == 1 and reason in left[0]["reason"], left
    t.tool(*words, t.checker)
    assert (record(t, "w")["state"], record(t, "w")["exit_status"]) == ("done", 0)
    t.tool("check", "s3.lrnn", "-o", "limit.work", "--continue", "--checker", "./limit")
    assert [record(t, "limit.work")[k] for k in ("state", "exit_status")] == ["done", 2]


def test_signal_to_checker_and_program(t):
    """A signal to the whole group of processes, as a terminal or an engine sends, ends the work
    with 2, and not as a failure of the machine."""
    t.new("s3.fsa", "symmetric", "3")
    t.tool("s3.fsa", "-o", "s3.lrnn", "--quiet")
    t.write("slow", "#!/bin/sh\ntouch begun\nexec sleep 60\n")
    (t.folder / "slow").chmod(0o755)
    process = t.start(
        *("check", "s3.lrnn", "-o", "w", "--continue", "--checker", "./slow"),
        start_new_session=True,
    )
    while not (t.folder / "begun").exists() and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 2, process.returncode
    assert record(t, "w")["state"] == "failed" and record(t, "w")["exit_status"] == 2


def test_lock_that_was_removed(t):
    """A process that waits for a lock whose file is removed, and made again by another process that
    works there, does not take the removed one for the lock."""
    t.new("s3.fsa", "symmetric", "3")
    (t.folder / "one").mkdir()
    locks = [t.folder / "one/work.lock", t.folder / "other.lock"]
    files = [path.open("w") for path in locks]
    for file in files:
        fcntl.lockf(file, fcntl.LOCK_EX)
    process = t.start("classify", "s3.fsa", "-o", "one", "--continue")
    time.sleep(0.2)  # a process that begins later meets the second lock alone
    locks[1].rename(locks[0])
    files[0].close()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 69 and b"another process works on one" in errors, errors
    assert not (t.folder / "one/work.json").exists()
    files[1].close()
    t.tool("classify", "s3.fsa", "-o", "one", "--continue")


def start_busy(t, words):
    """Starts the work and waits until its record says begun."""
    work = t.folder / "busy/work.json"
    old = work.stat().st_mtime_ns if work.exists() else 0
    process = t.start(*words)
    while not work.exists() or work.stat().st_mtime_ns == old:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    time.sleep(0.1)
    return process


def test_killed(t):
    """Work that is killed at any moment is done by the same command, with the same result; nothing
    is left of what was half done."""
    t.new("s4.fsa", "symmetric", "4")
    jobs = {
        "main": (["s4.fsa", "--no-report"], "report.json"),
        "census": (["census", "2", "3"], "census.csv"),
        "classify": (["classify", "s4.fsa", "--construct"], "result.json"),
    }
    for job, (words, result) in jobs.items():
        t.tool(*words, "-o", f"whole/{job}", "--continue")
        whole = t.read(f"whole/{job}/{result}")
        took = record(t, f"whole/{job}")["seconds"]
        for part in range(1, 12 if t.whole else 4):
            process = t.start(*words, "-o", f"work/{job}", "--continue")
            time.sleep(took * part / (12 if t.whole else 4))
            process.send_signal(signal.SIGKILL)
            process.communicate()
        t.tool(*words, "-o", f"work/{job}", "--continue")
        assert sorted(times(t, f"work/{job}")) == sorted(times(t, f"whole/{job}")), job
        text = t.read(f"work/{job}/{result}")
        if result.endswith(".csv"):
            assert text == whole
        else:
            place = text.decode().replace("work/main", "whole/main")
            assert untimed(place) == untimed(whole), job
    t.check("work/main")


def test_damaged(t):
    """A record that is cut off, a result that is gone or changed, and a copy that was made while
    the work went on are begun again; they are never believed."""
    t.new("s3.fsa", "symmetric", "3")
    words = ("classify", "s3.fsa", "-o", "w", "--continue")
    t.tool(*words)
    result, work = t.read("w/result.json"), t.read("w/work.json")
    changed = work.replace(b'"exit_status":0', b'"exit_status":1')
    assert changed != work
    t.write_record("w", dict(record(t, "w"), state="begun", result=None, exit_status=None))
    begun = t.read("w/work.json")
    t.write("w/work.json", work)
    for name in ("work.json.f2l-tmp-a1b2c3", "result.json.f2l-tmp-a1b2c3"):
        t.write(f"w/{name}", work[:40])
    t.tool(*words, out="done in")
    assert sorted(times(t, "w")) == ["result.json", "work.json", "work.lock"], times(t, "w")
    for name, left in (
        ("work.json", work[:40]),
        ("work.json", b""),
        ("work.json", b"{}"),
        ("work.json", begun),
        ("work.json", changed),
        ("result.json", result[:40]),
        ("result.json", None),
    ):
        path = t.folder / "w" / name
        path.unlink()
        if left is not None:
            path.write_bytes(left)
        t.tool(*words)
        assert t.read("w/result.json") == result and record(t, "w")["state"] == "done", name
    os.symlink("w", t.folder / "link")
    t.tool("classify", "s3.fsa", "-o", "link", "--continue", out="link: done")


def test_usage(t):
    """What does not go with --continue is said, and nothing is made."""
    t.new("s3.fsa", "symmetric", "3")

    def usage(*words, err, rc=64):
        t.tool(*words, rc=rc, err=err)
        t.nothing_left("s3.fsa")

    usage("s3.fsa", "--continue", err="--continue works in a folder: --out FOLDER is missing")
    usage("s3.fsa", "--continue", "--force", "-o", "w", err="--continue and --force exclude")
    usage("classify", "s3.fsa", "-o", "w", err="--out belongs to --continue")
    usage("group", "s3.fsa", "--continue", err="group has no option '--continue'")
    usage("classify", "s3.fsa", "--csv", "-o", "a/w", "--continue", err="--csv")
    usage("export", "s3.fsa", "-o", "a/b/w", "--continue", err="--to TARGET is missing")
    usage("none.fsa", "-o", "w", "--continue", err="none.fsa: No such file", rc=74)
    usage("-", "-o", "w", "--continue", err="standard input cannot be continued", rc=69)
    usage("reproduce", "none", "-o", "w", "--continue", err="there is no preset")


def test_trained(t):
    """`starts` goes on with its runs from their checkpoints after a kill."""
    t.new("s3.fsa", "symmetric", "3")
    words = ["starts", "s3.fsa", "--noise", "0.1", "--logit", "16", "--steps", "10"]
    words += "--checkpoint-seconds 0 --batch 4 --to 8 --sequences 4".split()
    t.tool(*words, "-o", "whole", "--continue")
    process = t.start(*words, "-o", "work", "--continue")
    found = t.folder / "work"
    while not list(found.glob("*/seed-1/checkpoint")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert record(t, "work")["state"] == "begun"
    t.tool(*words, "-o", "work", "--continue")
    assert record(t, "work")["state"] == "done"
    for weights in (t.folder / "whole").glob("*/seed-1/weights.safetensors"):
        there = found / weights.relative_to(t.folder / "whole")
        assert there.read_bytes() == weights.read_bytes(), there


def test_full_disk(t):
    """Where the disk is full the work fails with 74, and the same command does it when there is
    room again."""
    t.new("s4.fsa", "symmetric", "4")
    script = """
    head -c 76k /dev/zero > small/fill
    "$0" s4.fsa -o small/w --continue --quiet; echo full $?
    rm small/fill
    "$0" s4.fsa -o small/w --continue --quiet; echo free $?
    ls small/w; cat small/w/work.json
    """
    status, text = t.on_a_full_disk("100k", script)
    assert status == 0 and "full 74" in text and "free 0" in text, text
    assert '"state":"done"' in text and ".f2l-tmp-" not in text, text
