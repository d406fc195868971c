"""`--data`: words of files in train, evaluate, reproduce and run."""

import hashlib
import io
import json
import random
import zipfile

from harness import npz

TINY = "--heads 1 --head-dim 8 --mlp 0 --steps 40 --batch 16 --no-network".split()


def z3(words, length, seed, wrong=None):
    """Returns a CSV file of the word problem of Z3; word number `wrong` has a wrong last label."""
    draw = random.Random(seed)
    rows = ["seed,input,target"]
    for i in range(words):
        letters = length if isinstance(length, int) else draw.randint(*length)
        word = [draw.randrange(3) for _ in range(letters)]
        labels = [sum(word[: k + 1]) % 3 for k in range(len(word))]
        if i == wrong:
            labels[-1] = (labels[-1] + 1) % 3
        rows.append(f"{seed},{' '.join(map(str, word))},{' '.join(map(str, labels))}")
    return "\n".join(rows) + "\n"


Z3 = "start 0\n" + "".join(f"{a} {b} {(a + b) % 3}\n" for a in range(3) for b in range(3))


def sha256(t, name):
    return hashlib.sha256(t.read(name)).hexdigest()


def config(t, run):
    return json.loads(t.read(f"{run}/config.json"))


def test_a_run_keeps_the_hash_and_refuses_other_words(t):
    t.write("a.csv", z3(200, (3, 9), 1))
    t.write("b.csv", z3(50, 12, 2))
    t.tool("train", "--data", "a.csv", "--test", "csv:b.csv", *TINY, "-o", "run")
    data = config(t, "run")["data"]
    assert data["kind"] == "words" and data["sha256"] == sha256(t, "a.csv"), data
    assert data["test"] == sha256(t, "b.csv") and data["words"] == 200, data
    place = json.loads(t.read("run/words.json"))
    assert place["words"] == f"csv:{t.folder.resolve()}/a.csv", place
    t.tool("evaluate", "run", out="50 test words of 12 to 12 letters")
    whole = t.read("a.csv").decode()
    t.write("a.csv", whole + "1,0,0\n")
    t.tool("evaluate", "run", rc=69, err="is not the file of this run")
    t.tool("train", "--resume", "run", rc=69, err="is not the file of this run")
    t.write("moved.csv", whole)
    t.tool("train", "--resume", "run", "--data", "moved.csv")
    (t.folder / "a.csv").unlink()
    t.tool("train", "--resume", "run", rc=74, err="cannot open")
    t.tool("train", "--resume", "run", "--data", "b.csv", rc=69, err="is not the file of this run")


def test_interrupted_and_resumed_runs_end_with_the_same_weights(t):
    t.write("a.csv", z3(200, (3, 9), 1))
    options = [*TINY[:6], "--steps", "400", "--batch", "16", "--no-network"]
    t.tool("train", "--data", "a.csv", *options, "-o", "whole")
    t.tool(
        "train", "--data", "a.csv", *options, "-o", "parts", "--time-limit", "0.05", rc=(0, 2)
    )
    t.tool("train", "--resume", "parts", rc=(0,))
    assert t.read("whole/weights.safetensors") == t.read("parts/weights.safetensors")


def test_what_is_tested(t):
    t.write("a.csv", z3(300, 6, 1))
    report = json.loads(t.tool("train", "--data", "a.csv", *TINY, "-o", "run", "--json"))
    words = report["word_list"]
    assert words["words"] == 300 and words["held_out"] == 0.1, words
    assert words["test_sha256"] is None and words["sha256"] == sha256(t, "a.csv"), words
    tested = report["runs"][0]["scores"][0]
    assert tested["length"] == 6 and 10 <= tested["sequences"] <= 60, tested
    report = json.loads(
        t.tool("train", "--data", "a.csv", "--test", "a.csv", *TINY, "-o", "all", "--json")
    )
    assert report["word_list"]["common_words"] == report["word_list"]["test_words"] == 300
    t.write("longer.csv", z3(20, (6, 12), 3))
    scores = json.loads(
        t.tool("evaluate", "run", "--data", "longer.csv", "--lengths", "4,9", "--json")
    )["scores"]
    rows = t.read("longer.csv").decode().splitlines()[1:]
    lengths = [len(row.split(",")[1].split()) for row in rows]
    assert [s["sequences"] for s in scores] == [20, sum(n >= 9 for n in lengths)], scores
    t.tool("train", "--data", "a.csv", *TINY, "--begin", "-o", "begun")
    t.tool("evaluate", "begun", "--data", "longer.csv", out="20 sequences")


def test_labels_are_the_automatons(t):
    t.write("z3.fsa", Z3)
    t.write("good.csv", z3(100, (1, 8), 1))
    t.write("bad.csv", z3(100, (2, 8), 1, wrong=41))
    row = t.read("bad.csv").decode().split("\n")[42]
    place = f"bad.csv:43:{len(row)}: error: the label"
    t.tool("train", "z3.fsa", "--data", "bad.csv", *TINY, rc=65, err=place)
    t.tool("train", "z3.fsa", "--data", "good.csv", *TINY[:-1], "-o", "run", out="constructed  T")
    t.tool("evaluate", "run", "--data", "bad.csv", rc=65, err=place)
    t.tool("evaluate", "run", "--data", "good.csv", out="3 states")
    t.tool("train", "--resume", "run")
    t.tool("z3.fsa", "--quiet")
    text = t.tool("run", "z3.lrnn", "--data", "good.csv")
    assert sha256(t, "good.csv") in text and " 0 wrong" in text, text
    t.tool("run", "z3.lrnn", "--data", "bad.csv", rc=65, err=place)
    t.write("other.csv", "input,target\n0 3,0 0\n")
    t.tool("run", "z3.lrnn", "--data", "other.csv", rc=65, err="other.csv:2:3: error: '3' is none")
    t.tool("run", "z3.lrnn", "--data", "good.csv", "--random", "3", rc=64, err="--data gives")


def test_what_run_writes_is_read(t):
    t.write("z3.fsa", Z3)
    t.tool("z3.fsa", "--quiet")
    drawn = "--random 60 --least-length 2 --length 9 --write w.jsonl".split()
    t.tool("run", "z3.lrnn", *drawn)
    t.tool("run", "z3.lrnn", "--data", "w.jsonl", out="60 words of 2 to 9 letters")
    t.tool("train", "--data", "w.jsonl", *TINY, out="60 words of 2 to 9 letters")


def flare(t, folder, words, lines):
    """Writes words, the language of an even number of 1s, as FLaRe does."""
    t.folder.joinpath(folder).mkdir(parents=True)
    labels = [w.count("1") % 2 == 0 for w in words]
    t.write(f"{folder}/main.tok", "".join(" ".join(w) + "\n" for w in words))
    t.write(f"{folder}/labels.txt", "".join(f"{int(x)}\n" for x in labels))
    sets = [
        [{"s": "0 1", "e": w[:k].count("1") % 2 == 0} for k in range(len(w) + 1)]
        for w, x in zip(words, labels)
        if x
    ]
    t.write(f"{folder}/next-symbols.jsonl", "".join(json.dumps(s) + "\n" for s in sets[:lines]))


def test_flare(t):
    draw = random.Random(5)
    words = ["".join(draw.choice("01") for _ in range(n % 11)) for n in range(200)]
    flare(t, "even", words, None)
    flare(t, "even/datasets/test", words[:44], None)
    plan = t.tool("train", "--data", "flare:even", "--dry-run")
    assert "181 words of 1 to 10 letters" in plan and "19 without letters" in plan, plan
    assert "40 test words" in plan and "of which 40 are trained on" in plan, plan
    automaton = "start even\naccept even\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n"
    t.write("even.fsa", automaton)
    for kind in ("flare", "flare-prefix"):
        t.tool("train", "even.fsa", "--label", "accept", "--data", f"{kind}:even", "--dry-run")
    t.write("odd.fsa", automaton.replace("accept even", "accept odd"))
    t.tool(
        "train", "odd.fsa", "--label", "accept", "--data", "flare:even", "--dry-run", rc=65,
        err="even/labels.txt:2:1: error: the label",
    )
    plan = t.tool("train", "--data", "flare-next:even", "--dry-run")
    assert "2 labels" in plan, plan
    t.tool("train", "--data", "even", *TINY, "-o", "run", out="the last answer counts")
    t.write("even/labels.txt", "1\n")
    t.tool("train", "--data", "even", *TINY, rc=65, err="even/labels.txt:2:1: error: the label of")


def npy(shape, values):
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    body = b"".join(v.to_bytes(4, "little") for v in values)
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + body


def test_arrays(t):
    """A batch of a generator: words are reversed, so that there are as many answers as letters."""
    draw = random.Random(1)
    words = [[draw.randrange(2) for _ in range(4)] for _ in range(60)]
    one_hot = [int(a == k) for w in words for a in w for k in range(2)]
    backwards = [int(a == k) for w in words for a in reversed(w) for k in range(2)]
    for method, code in ((zipfile.ZIP_STORED, 0), (zipfile.ZIP_DEFLATED, 65)):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as archive:
            archive.writestr("input.npy", npy((60, 4, 2), one_hot))
            archive.writestr("output.npy", npy((60, 4, 2), backwards))
        t.write("b.npz", out.getvalue())
        t.tool(
            "train", "--data", "b.npz", "--dry-run", rc=code,
            **({"err": "compressed"} if code else {"out": "3 letters, 2 labels; 60 words of 8"}),
        )
    # An array of another name is not left out, and one flipped bit is seen.
    arrays = {"input": ("<i4", (2, 3), [0, 1, 0, 1, 1, 0]), "labels": ("<i4", (2, 3), [0] * 6)}
    t.write("b.npz", npz(**arrays, lengths=[2, 3]))
    t.tool("train", "--data", "b.npz", "--dry-run", rc=65, err="an array 'lengths', which is not")
    whole = npz(**arrays)
    at = whole.index(b"\n" + bytes(4) + b"\1") + 5
    t.write("b.npz", whole[:at] + b"\0" + whole[at + 1 :])
    t.tool("train", "--data", "b.npz", "--dry-run", rc=65, err="the checksum of input is another")


def test_reproduce(t):
    t.write("a.csv", z3(200, 8, 1))
    t.write("b.csv", z3(40, 16, 2))
    options = ["--model", "nh1", "--scale", "0.0004", "--data", "a.csv"]
    t.tool("reproduce", "s3", *options, "--test", "b.csv", "-o", "out")
    row = json.loads(t.read("out/outcome-s3-best-nh1.json"))
    assert sha256(t, "a.csv") in row["note"] and sha256(t, "b.csv") in row["note"], row["note"]
    assert [n["length"] for n in row["seeds"][0]["lengths"]] == [16], row
    assert row["seeds"][0]["lengths"][0]["sequences"] == 40, row
    t.tool("reproduce", "--resume", "out", out="SHA-256")
    plan = t.tool("reproduce", "s3", *options, "--held-out", "0.2", "--plan", "-o", "plan")
    argv = json.loads(plan)["argv"][1:]
    assert argv[argv.index("--data") + 1] == f"csv:{t.folder.resolve()}/a.csv", argv
    t.tool(*argv, out=sha256(t, "a.csv")[:30])
    t.write("a.csv", z3(200, 8, 3))
    t.tool("reproduce", "--resume", "out", rc=69, err="the words of this folder are others")
    t.tool(*argv, rc=69, err="has another recipe")


def test_refused(t):
    t.write("a.csv", z3(20, 5, 1))
    t.write("z3.fsa", Z3)
    for args, rc, error in (
        (["--data", "none.csv"], 74, "cannot open none.csv"),
        (["--data", "z3.fsa"], 69, "the format of 'z3.fsa' is not known"),
        (["--data", "flare:none"], 74, "cannot open none/main.tok"),
        (["--data", "a.csv", "--task", "parity"], 64, "--data has words"),
        (["--data", "a.csv", "--weights", "swaps"], 64, "--data has words"),
        (["--data", "a.csv", "--test", "a.csv", "--held-out", "0.5"], 64, "exclude each other"),
        (["z3.fsa", "--held-out", "0.5"], 64, "belong to --data"),
        (["--data", "a.csv", "--held-out", "1"], 69, "below 1"),
        (["--data", "a.csv", "--lengths", "6"], 64, "6 letters"),
    ):
        t.tool("train", *args, *TINY, rc=rc, err=error)
