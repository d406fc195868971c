"""`table`: works of plans, folders and tables merged; what is left, and what is not believed."""

import csv
import hashlib
import io
import json
import random
import shlex
import shutil

TOOL = {"version": "0.2.0", "commit": "0123456789ab"}
COST = {"host": "node", "seconds": 1.5, "cpu_seconds": 1.25, "memory_mib": 12.5}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def unit(name, job="main", options=(), canonical=None, equal=(), **more):
    """Returns a line of a plan for the file, whose content is its name."""
    folder = more.get("folder") or f"work/{job}-{name}"
    argv = ["fsa2lrnn", *([] if job == "main" else [job]), *options, name]
    argv += ["--out", folder, "--continue"]

    def source(path):
        return {"path": path, "sha256": digest(path), "canonical": canonical or digest(f"c{name}")}

    return {
        "schema": "fsa2lrnn-plan/1",
        "job": job,
        "inputs": [source(name)],
        "equal": [source(path) for path in equal],
        "options": sorted(options),
        "folder": folder,
        "cost_seconds": 0.5,
        **TOOL,
        "argv": argv,
        "command": shlex.join(argv),
        **more,
    }


def compiled(verdict="VERIFIED", reason=None, layers=2):
    """Returns a result of the main job, with what a table takes of it."""
    return {
        "schema": 2,
        "report": "compile",
        "tool": TOOL,
        "automaton": {"states": 3, "letters": 2},
        "construction": {"theorem": "T4", "layers": layers, "heads": 1, "householders": 2}
        | {"key_dim": 4},
        "exact": {"verdict": verdict, "how": "form", "statement": "a page, X.4", "reason": reason},
        "layers_needed": {"layers_at_least": 1, "least_by": None, "scope": None}
        | {"most_layers": layers},
        "formats": [
            {"format": "bf16", "schedule": "every", "verdict": "VERIFIED", "reason": None},
            {"format": "bf16", "schedule": "chunk64", "verdict": "VERIFIED", "reason": None},
            {"format": "fp16", "schedule": "chunk64", "verdict": "UNKNOWN", "reason": "too long"},
        ],
    }


def classified():
    rows = [("diagonal", "cannot"), ("deltanet", "can"), ("rwkv7", "can (published)")]
    rows += [("complex", "not known")]
    return {
        "schema": 2,
        "report": "classify",
        "automaton": {"states": 3, "letters": 2},
        "aperiodic": True,
        "solvable": None,
        "reason": None,
        "layers_needed": {"layers_at_least": 1, "least_by": None, "scope": None}
        | {"most_layers": None},
        "classes": [{"class": name, "answer": answer} for name, answer in rows],
    }


def do(t, line, result, cost=COST, **more):
    """Writes the folder of a unit as if its work was done."""
    text = json.dumps(result)
    options = [w for w in line["argv"][1:-3] if w.startswith("--")]
    record = {
        "schema": "fsa2lrnn-work/2",
        "job": line["job"],
        "inputs": [{k: i[k] for k in ("path", "sha256")} for i in line["inputs"]],
        "settings": sorted(options),
        **{k: line[k] for k in ("version", "commit", "argv", "command")},
        "state": "done",
        "exit_status": 0,
        "reason": None,
        **cost,
        "result": "report.json" if line["job"] == "main" else "result.json",
        "result_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "made_sha256": None,
    }
    record.update(more)
    t.write(f"{line['folder']}/{record['result']}", text)
    t.write_record(line["folder"], record)


def write_plan(t, name, lines):
    return t.write(name, "".join(json.dumps(line) + "\n" for line in lines))


def table(t, *operands, rc=0, err=""):
    text = t.tool("table", *operands, "--json", rc=rc, err=err)
    t.valid(text, operands)
    return json.loads(text)


def corpus(t, count=12):
    """Returns units of two jobs; every third is not done."""
    lines = []
    for k in range(count):
        equal = [f"copy{k}.att"] if k % 4 == 0 else []
        lines.append(unit(f"a{k}.att", equal=equal))
        lines.append(unit(f"a{k}.att", "classify", ["--label=accept"], equal=equal))
    for k, line in enumerate(lines):
        if k % 3 < 2:
            result = compiled(layers=k + 1) if line["job"] == "main" else classified()
            do(t, line, result, cost=COST | {"host": f"node{k % 2}", "seconds": 0.1 * k})
    return lines


def test_row(t):
    """What a row has of the main job, of `classify` and of a check."""
    lines = [unit("b.att", equal=["a b.att"], canonical="c" * 64)]
    lines += [unit("b.att", "classify", ["--label=accept"], canonical="c" * 64)]
    lines += [unit("b.att", "check", canonical="c" * 64)]
    do(t, lines[0], compiled())
    do(t, lines[1], classified(), cost=COST | {"memory_mib": 30})
    do(t, lines[2], {"schema": 2, "report": "line", "line": "s VERIFIED 00", "reason": None})
    found = table(t, write_plan(t, "plan", lines))
    (row,) = found["rows"]
    assert [s["path"] for s in row["sources"]] == ["a b.att", "b.att", "b.att"], row
    assert [s["reading"] for s in row["sources"]] == [[], ["--label=accept"], []], row
    assert [w["job"] for w in row["works"]] == ["check", "classify", "main"]
    check, classes, main = row["works"]
    assert (main["verdict"], main["layers"], main["householders"]) == ("VERIFIED", 2, 2)
    assert [(s["schedule"], s["verdict"], s["reason"]) for s in main["schedules"]] == [
        ("every", "VERIFIED", None),
        ("chunk64", "UNKNOWN", "too long"),
    ]
    assert classes["cannot_track"] == ["diagonal"] and classes["open_classes"] == ["complex"]
    assert classes["can_track"] == ["deltanet", "rwkv7"] and check["checked"] == "VERIFIED"
    assert found["counts"]["source_count"] == 2 and found["counts"]["verified_works"] == 1
    (line,) = csv.DictReader(io.StringIO(t.tool("table", "plan", "--csv")))
    assert line["verdict"] == "VERIFIED" and line["options"] == "classify --label=accept", line
    assert (line["seconds"], line["memory_mib"]) == ("4.50", "30"), line
    assert line["schedules"] == "every=VERIFIED chunk64=UNKNOWN", line
    assert line["files"] == "a b.att b.att", line
    text = t.tool("table", "plan")
    assert "1 automata in 2 files, 3 works: 1 VERIFIED, 0 UNKNOWN, 0 REFUTED. 0 left" in text, text
    assert "| a b.att b.att | 3 | 2 | VERIFIED |" in text and "Left" not in text, text
    page = t.tool("table", "plan", "--html")
    assert page.startswith("<!DOCTYPE html>") and "a b.att b.att</th>" in page


def read_csv(t, *operands):
    return list(csv.DictReader(io.StringIO(t.tool("table", *operands, "--csv"))))


def make(t, name, *options, folder, check=None):
    """Compiles the file in the folder, and has it checked in another one."""
    plan = t.tool("plan", "-o", folder, "--quiet", "--", name, "--no-report", *options)
    (line,) = map(json.loads, plan.splitlines())
    t.tool(*line["argv"][1:])
    if check:
        words = "--checker", str(t.checker), "--out", check, "--continue"
        t.tool("check", line["folder"], *words)
    return plan


def test_folders(t):
    """A check is about the automaton of the network that it read, whatever the folder's name, and
    in whichever order tables tell of it; and about no other network of that automaton."""
    t.new("c.fsa", "counter", "3")
    for place in ("one", "two"):
        (t.folder / place).mkdir()
        t.new(f"{place}/a.fsa", "cyclic", "2" if place == "one" else "5")
    text = "letters x y\nstart a\naccept a\na x b\na y a\nb x a\nb y {}\n"
    t.write("one/a.fsa", text.format("a"))
    t.write("two/a.fsa", text.format("b"))
    parts = []
    for place in ("one", "two"):
        home, t.folder = t.folder, t.folder / place
        check = "main.work/checked" if place == "two" else None
        t.write("p", make(t, "a.fsa", folder="main.work/net", check=check))
        for operand in ("p", *(["main.work/checked"] if check else [])):
            parts.append(f"{place}-{operand.replace('/', '-')}.json")
            (home / parts[-1]).write_text(t.tool("table", operand, "--json"))
        t.folder = home
    found = table(t, *parts)
    assert [[w["job"] for w in row["works"]] for row in found["rows"]] in (
        [["main"], ["check", "main"]],
        [["check", "main"], ["main"]],
    ), found["rows"]
    (row,) = [row for row in found["rows"] if len(row["works"]) == 2]
    assert row["hashes"] == table(t, "two-p.json")["rows"][0]["hashes"], row
    for seed in range(3):
        random.Random(seed).shuffle(parts)
        t.write("some.json", t.tool("table", *parts[:2], "--json"))
        assert table(t, "some.json", *parts[2:])["rows"] == found["rows"]
    # two networks of one automaton, of which one is checked
    make(t, "c.fsa", folder="w/1", check="w/checked")
    t.tool("compile", "c.fsa", "--householders", "2", "--out", "w/2", "--continue")
    assert [r["checked"] for r in read_csv(t, "w")] == [""]
    make(t, "c.fsa", folder="v/1", check="v/checked")
    make(t, "c.fsa", "--cascade=holonomy", folder="v/2")
    found = sorted((r["options"], r["checked"]) for r in read_csv(t, "v"))
    assert found == [("", "VERIFIED"), ("main --cascade=holonomy", "")], found
    # neither a record nor a network that was changed is believed
    record = json.loads(t.read("w/checked/work.json")) | {"exit_status": 1}
    t.write("w/checked/work.json", json.dumps(record))
    assert "half written or changed" in t.tool("table", "w", rc=65)
    t.write_record("w/checked", record)
    assert "REFUTED" in t.tool("table", "w", "--csv")
    t.write("w/checked/result.json", t.read("w/checked/result.json")[:-1])
    network = t.folder / "w/1/c/network.lrnn"
    text = network.read_text()
    for change in (lambda: network.write_text(text + "# more\n"), network.unlink):
        change()
        reasons = [one["reason"] for one in table(t, "w")["left_work"]]
        assert "the network was changed: work.json has another SHA-256" in reasons, reasons
        t.tool("c.fsa", "--no-report", "--out", "w/1/c", "--continue")
        assert network.read_text() == text


def test_labels(t):
    """Files that are equal with one label and differ with another one share only the row of the
    first; work of one is never told of the other."""
    text = "letters x\nstart a\naccept b\noutput a {}\noutput b {}\na x b\nb x a\n"
    t.write("a.fsa", text.format("1", "2"))
    t.write("b.fsa", text.format("3", "4"))
    for label in ("accept", "outputs"):
        plan = t.tool("plan", "-o", f"w/{label}", "--", "a.fsa", "b.fsa", "--label", label)
        t.write(label, plan)
        line = next(x for x in map(json.loads, plan.splitlines()) if x["folder"].endswith("/a"))
        t.tool(*line["argv"][1:])
    found = table(t, "accept", "outputs")
    rows = [
        ([s["path"] for s in row["sources"]], [w["options"] for w in row["works"]])
        for row in found["rows"]
    ]
    assert sorted(rows) == [
        (["a.fsa"], [["--label=outputs"]]),
        (["a.fsa", "b.fsa"], [["--label=accept"]]),
        (["b.fsa"], []),
    ], rows
    for label in ("accept", "outputs"):
        t.write(f"{label}.json", t.tool("table", label, "--json"))
    t.write("accept-folders.json", t.tool("table", "w/accept/a", "--json"))
    whole = t.tool("table", "accept", "outputs", "--json")
    for operands in (
        ("outputs.json", "accept.json"),
        ("accept-folders.json", "outputs.json", "accept"),
        ("w/outputs/a", "outputs", "accept.json"),
    ):
        assert t.tool("table", *operands, "--json") == whole, operands


def test_states(t):
    """The states of a row are those of the minimal automaton, whichever of its files was read."""
    t.write("two.fsa", "letters x\nstart a\naccept a\na x b\nb x a\n")
    six = "".join(f"{k} x {(k + 1) % 6}\n" for k in range(6))
    t.write("six.fsa", "start 0\naccept 0 2 4\n" + six)
    for name, other in (("two", "six"), ("six", "two")):
        files = f"{name}.fsa", f"{other}.fsa"
        plan = t.tool("plan", "-o", f"w/{name}", "--", *files, "--label", "accept")
        t.write(f"{name}.jsonl", plan)
        line = json.loads(plan)
        assert line["inputs"][0]["path"] == files[0] and line["equal"][0]["path"] == files[1]
        t.tool(*line["argv"][1:])
    (row,) = table(t, "two.jsonl", "six.jsonl")["rows"]
    assert [w["states"] for w in row["works"]] == [2, 2], row


def test_settings(t):
    """Work without an option of the plan, or with another one, is not the plan's work."""
    t.new("c.fsa", "counter", "3")
    t.tool("c.fsa", "--out", "w/c", "--continue", "--no-report")
    for k, options in enumerate((["--effort", "3"], ["--effort=3"], ["--label", "accept"])):
        t.write(f"p{k}", t.tool("plan", "-o", "w", "--", "c.fsa", *options))
        found = table(t, f"p{k}")
        assert found["left_work"][0]["reason"] == "work.json has other options", found
        assert found["counts"]["verified_works"] == 0
        # what is done in the folder is other work, so that the plan's is left
        assert table(t, f"p{k}", "w")["counts"]["left_count"] == 1
    t.write("p", t.tool("plan", "-o", "w", "--", "c.fsa"))
    assert table(t, "p")["counts"]["verified_works"] == 1
    t.write("syms", "up 1\ndown 2\n")
    t.write("m.att", "0\t1\tup\tup\n1\t0\tup\tup\n0\n")
    line = t.tool("plan", "-o", "w", "--", "m.att", "--label", "accept", "--symbols", "syms")
    t.write("q", line.replace(" --sink", ""))
    t.tool(*json.loads(line)["argv"][1:])
    assert table(t, "q")["counts"]["verified_works"] == 1


def test_merging(t):
    """Any grouping and order of folders, plans and tables gives the same bytes."""
    lines = corpus(t)
    write_plan(t, "plan", lines)
    for form in ("--json", "--csv", "--html", "--quiet"):
        whole = t.tool("table", "plan", form)
        shuffled = lines[:]
        for seed in range(2 if t.short else 6):
            dice = random.Random(seed)
            dice.shuffle(shuffled)
            cut = sorted(dice.sample(range(1, len(lines)), 3))
            parts = [shuffled[a:b] for a, b in zip([0, *cut], [*cut, len(lines)])]
            names = [write_plan(t, f"plan{k}", part) for k, part in enumerate(parts)]
            if seed % 2:
                for name in names[:2]:
                    t.write(f"{name}.json", t.tool("table", name, "--json"))
                t.write("two.json", t.tool("table", "plan0.json", "plan1.json", "--json"))
                names = ["two.json", *names[2:], "plan0.json"]
            dice.shuffle(names)
            assert t.tool("table", *names, form) == whole, (form, seed, names)
    folders = table(t, "work")
    assert folders["counts"]["row_count"] == 12 and folders["counts"]["left_count"] == 0, folders
    t.write("folders.json", json.dumps(folders))
    assert t.tool("table", "folders.json", "plan", "--json") == t.tool("table", "plan", "--json")
    bare = t.tool("table", "plan", "--json", "--untimed")
    for line in lines[::3]:
        do(t, line, compiled() if line["job"] == "main" else classified())
    for line in lines:
        if (t.folder / line["folder"] / "work.json").exists():
            record = json.loads(t.read(f"{line['folder']}/work.json"))
            t.write_record(line["folder"], record | {"seconds": 99})
    again = t.tool("table", "plan", "--json", "--untimed")
    assert '"seconds"' not in again
    t.write("bare.json", bare)
    assert json.loads(bare)["counts"]["left_count"] == 8
    assert t.tool("table", "bare.json", "plan", "--json", "--untimed")


def test_left(t):
    """Half-written, changed, foreign and begun work is left, with its reason and command."""
    lines = [unit(f"a{k}.att") for k in range(13)]
    for line in lines[1:]:
        do(t, line, compiled())

    def change(k, **more):
        folder = lines[k]["folder"]
        t.write_record(folder, json.loads(t.read(f"{folder}/work.json")) | more)

    def cut(k, name):
        path = f"{lines[k]['folder']}/{name}"
        t.write(path, t.read(path)[:-40])

    cut(1, "work.json")
    cut(2, "report.json")
    cut(3, "report.json")
    text = t.read(f"{lines[3]['folder']}/report.json")
    change(3, result_sha256=hashlib.sha256(text).hexdigest())
    (t.folder / lines[4]["folder"] / "report.json").unlink()
    change(5, state="begun", exit_status=None)
    change(6, state="failed", reason="time limit")
    change(7, result="../secret.json")
    change(8, commit="ffffffffffff")
    change(9, inputs=[{"path": "a9.att", "sha256": "0" * 64}])
    change(10, settings=["--effort=5"])
    do(t, lines[11], compiled() | {"tool": TOOL | {"commit": "ffffffffffff"}})
    change(12, result_sha256=None)
    write_plan(t, "plan", lines)
    found = table(t, "plan")
    reasons = {one["folder"].split("-a")[1]: one["reason"] for one in found["left_work"]}
    for k, words in enumerate(
        (
            *("not begun", "work.json is half written", "has another SHA-256", "no JSON object"),
            *("is missing", "begun, and not ended", "time limit", "names a result elsewhere"),
            *("another version", "another input", "other options", "of another version"),
            "has no SHA-256 of the result",
        )
    ):
        assert words in reasons[f"{k}.att"], (k, reasons)
    assert found["counts"]["work_count"] == 0 and found["counts"]["row_count"] == 13, found
    assert [one["begun"] for one in found["left_work"]].count(False) == 1
    text = t.tool("table", "plan")
    assert lines[3]["command"] in text and "## Left" in text
    folder = table(t, "work", rc=65, err="work/main-a1.att: warning: left out")
    assert folder["unread"][0]["file"] == "work/main-a1.att", folder["unread"]


def test_bad_plan(t):
    """Lines that are none are named and left out, and the rest is printed."""
    good = json.dumps(unit("a.att"))
    lines = [good, good[:50], "[]", json.dumps(unit("b.att") | {"schema": "fsa2lrnn-plan/9"})]
    lines += [json.dumps(unit("c.att", folder="x/../../etc")), good.replace("a.att", "z.att")]
    t.write("plan", "\n".join(lines))
    found = table(t, "plan", rc=65, err="plan: warning: line 2 is left out")
    assert [u["line_number"] for u in found["unread"]] == [2, 3, 4, 5], found["unread"]
    assert found["counts"]["left_count"] == 2 and found["counts"]["unread_count"] == 4
    assert "Not read" in t.tool("table", "plan", rc=65)
    t.write("empty", "")
    t.tool("table", "empty", rc=65, err="the plan is empty")
    t.tool("table", "nowhere", rc=74, err="nowhere")
    t.tool("table", rc=64, err="a plan, folders of work, or tables are expected")
    t.tool("table", "plan", "--csv", "--html", rc=64, err="exclude each other")
    (t.folder / "bare").mkdir()
    t.tool("table", "bare", rc=69, err="no folder in it has a work.json")


def test_bad_table(t):
    """The JSON of a table is not believed where its shape is another one."""
    lines = corpus(t, 3)
    write_plan(t, "plan", lines)
    right = table(t, "plan")
    row = right["rows"][0]
    for change in (
        {"rows": None},
        {"rows": [{}]},
        {"rows": [row | {"more": 1}]},
        {"rows": [row | {"works": [{}]}]},
        {"rows": [row | {"works": [row["works"][0] | {"verdict": "yes"}]}]},
        {"rows": [row | {"sources": [{"path": 1, "sha256": None, "canonical": None}]}]},
        {"left_work": [{"job": "main"}]},
        {"unread": [{"file": "x", "line_number": -1, "reason": ""}]},
        {"schema": 1},
        {"report": "compile"},
    ):
        t.write("bad.json", json.dumps(right | change))
        t.tool("table", "bad.json", "--json", rc=65, err="bad.json: error")


def test_runs(t):
    """Runs have no inputs; each has a row of its own, and no verdict."""
    lines = [unit("parity", "reproduce", [f"--seed={k}"], folder=f"runs/{k}") for k in (1, 2)]
    for line in lines:
        line["inputs"] = []
        line["preset"] = "parity"
        del line["options"]
        do(t, line, {})
        record = json.loads(t.read(f"{line['folder']}/work.json"))
        record |= {"result": None, "result_sha256": None}
        record["settings"].append("operand-1=parity")
        t.write_record(line["folder"], record)
    found = table(t, write_plan(t, "plan", [*lines, unit("p", "reproduce", folder="runs/3")]))
    assert [w["options"] for row in found["rows"] for w in row["works"]] == [
        ["--seed=1", "operand-1=parity"],
        ["--seed=2", "operand-1=parity"],
    ], found["rows"]
    assert [one["folder"] for one in found["left_work"]] == ["runs/3"]
    assert "| reproduce --seed=1 operand-1=parity |" in t.tool("table", "plan")


def test_chunk(t):
    """The units of a chunk are units."""
    parts = [unit("a.att"), unit("b.att")]
    do(t, parts[0], compiled())
    chunk = {
        "schema": "fsa2lrnn-plan/1",
        "job": "chunk",
        "units": parts,
        "folder": None,
        "inputs": [],
        **TOOL,
        "argv": ["fsa2lrnn", "work", "--units", "x"],
        "command": "fsa2lrnn work --units x",
    }
    found = table(t, write_plan(t, "plan", [chunk]))
    assert found["counts"]["work_count"] == 1 and found["counts"]["left_count"] == 1, found


def test_names(t):
    """Names with quotes, newlines and blanks are one name each, in all forms."""
    odd = "it's \"a\"\nb,c|d.att"
    line = unit(odd)
    do(t, line, compiled())
    write_plan(t, "plan", [line, unit("<b>.att")])
    rows = csv.DictReader(io.StringIO(t.tool("table", "plan", "--csv")))
    (row,) = [r for r in rows if r["verdict"]]
    assert row["files"] == odd, row
    assert "&lt;b&gt;.att" in t.tool("table", "plan", "--html")
    assert "c\\|d.att" in t.tool("table", "plan")
    shutil.rmtree(t.folder / "work")
    assert table(t, "plan")["counts"]["left_count"] == 2
