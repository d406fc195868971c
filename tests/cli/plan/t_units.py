"""`plan`: units of work as lines, equal automata once, short units in chunks, and `plan --run`."""

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import time

from harness import MINUTES, ROOT

RUN = ROOT / "tests/data/learned-s3"
MOD3 = "start a\naccept a\na x b\nb x c\nc x a\n"
# the same language with other names, an unreachable state and two equal states
SAME = "start 0\naccept 0 3\n0 x 1\n1 x 2\n2 x 3\n3 x 1\n9 x 9\n"
STARTS = "0\t1\ta\ta\n1\n5\tnot a number\n"


def plan(t, *args, rc=0, err=None, **options):
    text = t.tool("plan", *args, rc=rc, err=err, **options)
    if text:
        t.valid(text, args)
    return [json.loads(line) for line in text.splitlines()]


def corpus(t):
    """Makes a folder of automata; returns the paths."""
    t.write("c/b.fsa", MOD3)
    t.write("c/a.fsa", SAME)
    t.write("c/sub/s3.fsa", t.tool("new", "symmetric", "3"))
    t.write("c/notes.txt", "no automaton\n")
    t.write("c/.hidden.fsa", "none")
    return ["c/a.fsa", "c/b.fsa", "c/sub/s3.fsa"]


def on_path(t):
    (t.folder / "bin").mkdir(exist_ok=True)
    (t.folder / "bin/fsa2lrnn").symlink_to(t.program)
    t.env["PATH"] = f"{t.folder}/bin:{t.env['PATH']}"


def shell(t, line, rc=0):
    done = subprocess.run(["sh", "-c", line], cwd=t.folder, env=t.env, stdout=subprocess.PIPE)
    assert done.returncode == rc, (line, done)
    return done.stdout.decode()


def state(t, folder):
    return json.loads(t.read(f"{folder}/work.json"))["state"]


def test_lines(t):
    """A line for every automaton, equal ones together, the longest first."""
    corpus(t)
    long, both = plan(t, "--", "c", "--label", "accept", "--sink")
    assert long["job"] == both["job"] == "main" and long["cost_seconds"] > both["cost_seconds"]
    assert [i["path"] for i in long["inputs"]] == ["c/sub/s3.fsa"] and long["equal"] == []
    assert [i["path"] for i in both["inputs"] + both["equal"]] == ["c/a.fsa", "c/b.fsa"]
    for i in both["inputs"] + both["equal"]:
        assert i["sha256"] == hashlib.sha256(t.read(i["path"])).hexdigest(), i
        assert i["canonical"] == both["inputs"][0]["canonical"] != long["inputs"][0]["canonical"]
    for line in (long, both):
        assert shlex.split(line["command"]) == line["argv"], line
    words = ["fsa2lrnn", "--label", "accept", "--sink", "c/a.fsa"]
    assert both["argv"] == [*words, "--out", "main.work/a", "--continue"], both
    # with names of states as labels they are two
    assert len(plan(t, "c")) == 3
    # a path that is named twice is one; another spelling is another path
    lines = plan(t, "--", "c", "c/a.fsa", "c/../c/b.fsa")
    assert sorted(len(line["equal"]) for line in lines) == [0, 0, 1], lines
    t.nothing_left("c")


def test_links_and_deep_folders(t):
    """Links to files are read; links to folders are counted, and folders too deep are left out."""
    corpus(t)
    (t.folder / "c/loop").symlink_to(".")
    (t.folder / "c/z.fsa").symlink_to("sub/s3.fsa")
    t.tool("plan", "--", "c", rc=0, out='"c/z.fsa"')
    told = "3 lines for 4 inputs, 0 left out; links to folders that were not followed: 1\n"
    assert t.errors.endswith(told), t.errors
    (t.folder / "c" / "/".join("d" * 70)).mkdir(parents=True)
    t.tool("plan", "--", "c", rc=65, out="s3.fsa")
    assert "left out: folders are searched for inputs 64 deep" in t.errors, t.errors
    for name in ("a", "b"):
        t.tool("classify", "c/a.fsa", "-o", f"w/{name}", "--continue")
    (t.folder / "w/again").symlink_to("a")
    t.tool("table", "w", out="c/a.fsa", err="links to folders that were not followed: 1")


def test_equal(t):
    """Other letters, labels, or the order of letters: only what the words say counts."""
    t.write("1.fsa", "letters x y\nstart a\naccept a\na x b\nb x a\na y a\nb y b\n")
    t.write("2.fsa", "letters y x\nstart q\naccept q\nq x r\nr x q\nq y q\nr y r\n")
    t.write("3.fsa", "letters x y\nstart a\naccept b\na x b\nb x a\na y a\nb y b\n")
    t.write("4.fsa", "letters x z\nstart a\naccept a\na x b\nb x a\na z a\nb z b\n")
    t.write("5.fsa", "letters x\nstart a\naccept a\na x b\nb x a\n")
    lines = plan(t, "--", *(f"{i}.fsa" for i in range(1, 6)), "--label", "accept")
    found = [[i["path"][0] for i in line["inputs"] + line["equal"]] for line in lines]
    assert sorted(found) == [["1", "2"], ["3"], ["4"], ["5"]], found


def test_every_command(t):
    """A plan for every command, whose lines do the work and then find it done."""
    t.new("s3.fsa", "symmetric", "3")
    shutil.copytree(RUN, t.folder / "runs/one")
    tiny = "--noise 0.1 --logit 16 --steps 2 --batch 4 --to 8 --sequences 4".split()
    parity = "parity --model delta-signed --scale 0.01".split()
    plans = [
        (["s3.fsa"], "main.work/s3"),
        (["compile", "s3.fsa"], "compile.work/s3"),
        (["census", "2", "2"], "census.work/all"),
        (["classify", "--regex", "(aa)*"], "classify.work/regex"),
        (["starts", "s3.fsa", *tiny], "starts.work/s3"),
        (["compare", "runs", "--lengths", "8", "--search", "100"], "compare.work/one"),
        (["horizon", "runs", "--most", "4", "--search", "100"], "horizon.work/one"),
        (["snap", "runs"], "snap.work/one"),
        (["export", "main.work", "--to", "npz"], "export.work/s3"),
        (["check", "main.work", "--checker", str(t.checker)], "check.work/s3"),
    ]
    # the runs of reproduce are done in tests/cli/train/t_plan.py
    text = t.tool("plan", "--", "reproduce", *parity)
    assert text == t.tool("reproduce", *parity, "--plan")
    on_path(t)
    for words, folder in plans:
        (line,) = plan(t, "--", *words)
        assert line["folder"] == folder and line["cost_seconds"] > 0, line
        assert line["job"] == (words[0] if words[0] != "s3.fsa" else "main"), line
        shell(t, line["command"])
        assert state(t, folder) == "done"
        shell(t, line["command"])


def words_of(command):
    """Returns the words that a shell makes of the command."""
    script = f"f() {{ printf '%s\\0' \"$@\"; }}; f {command}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


def test_names(t):
    """Names with quotes, newlines, blanks, leading hyphens, names of commands; names that are equal
    in two folders; and folders that stay below --out."""
    names = ["it's.fsa", "new\nline.fsa", "$(touch x) `touch y`.fsa", "-o.fsa", "ä.fsa", "run"]
    for name in (*names, "c/it's.fsa", "..fsa"):
        t.write(name, MOD3 + f"# {name!r}\n")
    lines = plan(t, "-o", "o'ut", "--", "--", *names, "c/it's.fsa", "c/../..fsa", "../..fsa", rc=65)
    (line,) = lines
    assert len(line["inputs"] + line["equal"]) == len(names) + 2
    found = []
    for name in (*names, "c/it's.fsa", "c/../..fsa"):
        (line,) = plan(t, "-o", "o'ut", "--", "--", name)
        assert words_of(line["command"]) == line["argv"] and "\n" not in line["folder"], line
        assert "\n" not in line["command"], line
        assert line["folder"].startswith("o'ut/") and ".." not in line["folder"].split("/")
        found.append(line)
    on_path(t)
    for line in found[:-2]:
        shell(t, line["command"])
        assert state(t, line["folder"]) == "done"
    t.write("a/s.fsa", MOD3)
    t.write("b/s.fsa", t.tool("new", "counter", "4"))
    folders = sorted(line["folder"] for line in plan(t, "--", "a", "b"))
    assert len(set(folders)) == 2 and all(f.startswith("main.work/s-") for f in folders), folders
    assert not (t.folder / "x").exists() and not (t.folder / "y").exists()


def test_left_out(t):
    """What cannot be read is left out, with file and line; the others are planned; the last line
    counts."""
    corpus(t)
    t.write("bad/junk.fsa", "junk\n")
    t.write("bad/two.fsa", "start a\nstart b\n")
    t.write("bad/starts.att", STARTS)
    t.write("bad/empty.fsa", "")
    t.write("bad/no-accept.fsa", "start a\na x a\n")
    last = r"fsa2lrnn: 1 lines for 7 inputs, 5 left out\n$"
    parts = ("junk.fsa:1:1", "two.fsa:2", "starts.att:3", "empty.fsa", "no-accept.fsa")
    args = ("--", "bad", "c/a.fsa", "c/b.fsa", "--label", "accept", "--sink")
    (line,) = plan(t, *args, rc=65, err=last)
    for part in parts:
        assert f"bad/{part}" in t.errors, (part, t.errors)
    assert line["inputs"][0]["path"] == "c/a.fsa"
    t.write("nul", "c/a.fsa\n\0c/b.fsa\n")
    t.tool("plan", "--list", "nul", "--", "classify", rc=65, err="nul: error: the list has a NUL")
    t.write("list", "# automata\nc/a.fsa\n\nc/none.fsa\r\nbad/two.fsa\n")
    plan(t, "--list", "list", "--", "classify", rc=65, err="list:4: c/none.fsa: .*No such file")
    assert "list:5: bad/two.fsa:2" in t.errors and "1 lines for 3 inputs" in t.errors, t.errors
    nothing = "there is nothing to plan: 5 inputs were left out"
    plan(t, "--", "bad", "--label", "accept", rc=65, err=nothing)
    (t.folder / "none").mkdir()
    plan(t, "--", "none", rc=65, err="there is nothing to plan")
    plan(t, "--", "-", rc=65, err="standard input is no input of a plan")
    plan(t, "--", "classify", "c", "--symbols", "none", rc=65, err="none")


def test_usage(t):
    corpus(t)

    def usage(*words, err):
        plan(t, *words, rc=64, err=err)

    usage(err="a command is expected after --")
    usage("--", "group", "c", err="there are no plans for 'group', but for the main job, compile")
    usage("--", "c", "--out", "x", err="--out does not go with a plan")
    usage("--", "c", "--product", err="--product does not go with a plan")
    usage("--", "c", "--steps", "3", err="the main job has no option '--steps'")
    usage("classify", "c", "--effort", "3", err="plan has no option '--effort'")
    usage("--", "c", "--regex", "a", err="--regex takes the place of files")
    usage("--list", "x", "--", "census", err="--list is for files")
    usage("--run", "x", "--", "c", err="nothing goes with it")
    usage("-o", "a\nb", "--", "c", err="control character")
    usage("-o", "../w", "--", "c", err='--out has a part ".."')
    usage("--max-lines", "2", "--", "c", err="has 3 lines, more than 2: --chunk TIME joins")
    assert len(plan(t, "--max-lines", "3", "--", "c")) == 3
    t.nothing_left("c")


def test_chunks(t):
    """--chunk joins what is short; the command of a chunk does its units, one after the other."""
    for n in range(2, 9):
        t.write(f"c/z{n}.fsa", t.tool("new", "counter", str(n)))
    units = plan(t, "--", "classify", "c")
    assert len(units) == 7
    lines = plan(t, "--chunk", "0.1", "--", "classify", "c")
    assert 1 < len(lines) < 7
    inner = [unit for line in lines for unit in line.get("units", [line])]
    assert sorted(u["folder"] for u in inner) == sorted(u["folder"] for u in units)
    costs = [line["cost_seconds"] for line in lines]
    assert costs == sorted(costs, reverse=True) and max(costs) <= 0.1, costs
    assert plan(t, "--chunk", "0.1", "--", "classify", "c") == lines
    assert plan(t, "--chunk", "0.1", "--max-lines", "4", "--", "classify", "c") == lines
    chunk = lines[0]
    assert chunk["job"] == "chunk" and chunk["folder"] is None, chunk
    assert chunk["argv"][:3] == ["fsa2lrnn", "plan", "--run"], chunk
    on_path(t)
    # a unit with the name of the folder of chunks has a folder of its own
    t.write("chunks.fsa", t.read("c/z5.fsa"))
    (line,) = plan(t, "--chunk", "1", "--", "classify", "chunks.fsa")
    shell(t, f"{line['command']} >> log")
    t.write("c/z3.fsa", "junk")  # a poison: the others are done
    for line in lines:
        poison = any(u["folder"].endswith("/z3") for u in line["units"])
        shell(t, f"{line['command']} >> log", rc=65 if poison else 0)
    assert sorted(state(t, u["folder"]) for u in units) == ["done"] * 6 + ["failed"]


def test_run(t):
    """`plan --run` goes on after a unit that fails, stops at a signal, and goes on when it is given
    again."""
    t.new("s6.fsa", "symmetric", "6")
    t.new("z4.fsa", "counter", "4")
    t.write("plan.jsonl", t.tool("plan", "--", "s6.fsa", *MINUTES) + t.tool("plan", "--", "z4.fsa"))
    process = t.start("plan", "--run", "plan.jsonl")
    while not (t.folder / "main.work/s6/work.json").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM, process.returncode
    assert state(t, "main.work/s6") == "failed" and not (t.folder / "main.work/z4").exists()
    # a signal that no terminal gave to the unit is passed on to it
    process = t.start("plan", "--run", "plan.jsonl")
    while state(t, "main.work/s6") != "begun":
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGINT, process.returncode
    assert state(t, "main.work/s6") == "failed" and not (t.folder / "main.work/z4").exists()
    # a process that is killed takes its unit with it
    process = t.start("plan", "--run", "plan.jsonl")
    while state(t, "main.work/s6") != "begun":
        time.sleep(0.02)
    process.kill()
    process.communicate()
    t.write("short.jsonl", t.tool("plan", "--", "z4.fsa"))
    told = "short.jsonl: 1 units: 1 done, 0 cut short, 0 failed, 0 not begun, 0 lines left out"
    t.tool("plan", "--run", "short.jsonl", out=told)
    t.tool("plan", "--run", "short.jsonl", out=f"z4: done in .*{told}")
    t.tool("s6.fsa", *MINUTES, "-o", "main.work/s6", "--continue", "--time-limit", "0.05", rc=2)
    t.tool("plan", "--run", "plan.jsonl", "--time-limit", "0.3", rc=2, err=None)
    # every unit is counted once, those of lines and chunks that were not begun, too
    t.write("chunk.jsonl", t.tool("plan", "--chunk", "1h", "--", "z4.fsa", "s6.fsa", *MINUTES))
    t.write("three.jsonl", t.read("chunk.jsonl") + t.read("short.jsonl"))
    names = ("done", "cut", "failed", "left")
    for limit in ("0.000001", "0.3"):
        seen = json.loads(
            t.tool("plan", "--run", "three.jsonl", "--json", "--time-limit", limit, rc=2, err=None)
        )
        counts = [seen[f"{name}_count"] for name in names]
        assert sum(counts) == 3 and counts[3] >= 1 and counts[2] == 0, (limit, seen)
        assert counts == [0, 0, 0, 3] or limit == "0.3", seen


def test_bad_plans(t):
    """Lines that are none are left out with their number; the others are worked on."""
    t.new("z4.fsa", "counter", "4")
    (good,) = plan(t, "--", "z4.fsa")
    bad = {
        "no JSON": '{"x":',
        "it has no schema": '{"x":1}',
        "another version: its schema is fsa2lrnn-plan/2": dict(good, schema="fsa2lrnn-plan/2"),
        "this line is of version 0.0.9, commit": dict(good, version="0.0.9"),
        "commit ffffffffffff, and the program of": dict(good, commit="f" * 12),
        'has a part ".."': dict(good, folder="a/../../b"),
        "is no command of fsa2lrnn": dict(good, argv=["rm", "z4.fsa"]),
        "a value that is no word": dict(good, argv=["fsa2lrnn", 3]),
        "it has no text command": {k: v for k, v in good.items() if k != "command"},
        "it has no folder": dict(good, folder=None),
        "it has no list argv": dict(good, argv="x"),
        "it has no list units": dict(good, job="chunk", folder=None),
        "this line is a chunk, and has a folder": dict(good, job="chunk"),
        "does not end with --out other/z4 --continue": dict(good, folder="other/z4"),
        "does not end with --out main.work/z4": dict(good, argv=["fsa2lrnn", "plan", "--run", "p"]),
        "a chunk in a chunk": dict(good, units=[dict(good, units=[])]),
    }
    lines = [json.dumps(line) if isinstance(line, dict) else line for line in bad.values()]
    t.write("plan.jsonl", "\n".join([*lines[:3], "", *lines[3:], json.dumps(good)])[:-7])
    t.tool("plan", "--run", "plan.jsonl", rc=65, out="0 units: .* 17 lines left out")
    t.write("plan.jsonl", "\n".join([*lines[:3], "", *lines[3:], json.dumps(good)]))
    t.tool("plan", "--run", "plan.jsonl", rc=65, out="1 units: 1 done, .* 16 lines left out")
    for number, said in enumerate(bad, 1):
        number += number > 3
        assert any(
            f"plan.jsonl:{number}:" in line and said in line
            for line in t.errors.splitlines()
        ), (number, said, t.errors)
    # --json names them, --quiet or not, and is nothing but the report
    left = "plan.jsonl: error: lines that were left out: 16\n$"
    seen = json.loads(t.tool("plan", "--run", "plan.jsonl", "--json", "--quiet", rc=65, err=left))
    counts = [seen[f"{name}_count"] for name in ("done", "cut", "failed")]
    assert seen["report"] == "plan-run" and counts == [1, 0, 0], seen
    for number, (said, one) in enumerate(zip(bad, seen["unread"], strict=True), 1):
        assert one["file"] == "plan.jsonl" and one["line_number"] == number + (number > 3), one
        assert said in one["reason"], (said, one)
    # and without JSON --quiet leaves one line that says why the status is not 0
    assert "left out" not in t.tool("plan", "--run", "plan.jsonl", "--quiet", rc=65, err=left)
    t.write("bad.fsa", "junk")
    left = "error: inputs that were left out: 1\n$"
    one = t.tool("plan", "--quiet", "--", "z4.fsa", "bad.fsa", rc=65, err=left)
    assert json.loads(one)["inputs"][0]["path"] == "z4.fsa"
    t.write("plan.jsonl", "")
    t.tool("plan", "--run", "plan.jsonl", rc=65, err="the plan is empty")
    t.tool("plan", "--run", "none", rc=74, err="none")


def test_many(t):
    """10^4 inputs (10^5 where all is tested) are planned in seconds, in any order."""
    count = 100000 if t.whole else 3000
    (t.folder / "c").mkdir()
    for n in range(count):
        (t.folder / f"c/{n}.fsa").write_text(f"start a\na x b\nb x a\n# {n}\n")
    begin = time.time()
    (line,) = plan(t, "--", "c")
    assert len(line["equal"]) == count - 1 and time.time() - begin < count / 100
    assert os.listdir(t.folder) == ["c"]
