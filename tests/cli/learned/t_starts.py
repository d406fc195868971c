"""`starts`: training from a constructed network, with noise and at random; what must be refused."""

import json
import shutil
import time

TINY = (
    *("--heads", "1", "--head-dim", "4", "--width", "8", "--mlp", "8", "--from", "4", "--to", "8"),
    *("--batch", "8", "--steps", "4", "--sequences", "32", "--noise", "0.05"),
)


def weights(t, run):
    return t.read(f"{run}/weights.safetensors")


def test_parity(t):
    """The constructed network is right before any step, and training leaves it so."""
    t.new("g.fsa", "parity")
    text = t.tool("starts", "g.fsa", *TINY, "--seeds", "2", "-o", "out", err="")
    assert "exact, logit 16" in text and "stays 2" in text and "random" in text, text
    found = json.loads(t.read("out/starts.json"))
    t.valid(t.read("out/starts.json").decode(), "starts.json")
    assert [(x["start"], x["logit"], x["noise"], x["seed"]) for x in found["starts"]] == [
        (start, logit, noise, seed)
        for seed in (1, 2)
        for start, logit, noise in (
            ("exact", 16, 0),
            ("exact", 4, 0),
            ("perturbed", 16, 0.05),
            ("perturbed", 4, 0.05),
            ("random", None, None),
        )
    ], found["starts"]
    for run in found["starts"]:
        curve = run["curve"]
        assert [x["step"] for x in curve] == [0, 1, 2, 3, 4], curve
        assert curve[0]["loss"] is None and curve[1]["loss"] is not None, curve
        if run["start"] == "exact":
            assert curve[0]["sequence_accuracy"] == 1 and curve[0]["start_distance"] == 0, curve
            assert run["steps_to_99"] == 0 and run["stability"] == "stays", run
            assert curve[4]["start_distance"] > 0 and curve[1]["loss"] < 1e-4, curve
        if run["start"] == "perturbed":
            assert 0.01 < curve[0]["start_distance"] < 0.1, curve
        if run["start"] == "random":
            assert curve[0]["start_distance"] > 0.5, curve
    drawn = shutil.which("gnuplot") is not None
    assert (found["figure"] == "out/starts.svg") == drawn
    assert (t.folder / "out/starts.svg").exists() == drawn
    first = t.read("out/exact-logit-16-seed-1/seed-1/first.safetensors")
    t.write("first.safetensors", first)
    t.tool("evaluate", "first.safetensors", "--grammar", "g.fsa", "--lengths", "1000", out="1.0000")


def test_random_is_train(t):
    """The random start is the run that `train` makes with the same options."""
    t.new("g.fsa", "parity")
    t.tool("starts", "g.fsa", *TINY, "--logit", "16", "-o", "out")
    plain = TINY[: TINY.index("--noise")]
    t.tool("train", "g.fsa", *plain, "--lengths", "8", "--evaluate-every", "1", "-o", "run")
    assert weights(t, "out/random-seed-1/seed-1") == weights(t, "run")


def test_continue(t):
    """What is killed goes on to the same bits, and a folder that ended is only read."""
    t.new("g.fsa", "parity")
    args = ("g.fsa", *TINY[:-4], "--sequences", "32", "--noise", "0.05", "--steps", "150")
    t.tool("starts", *args, "--jobs", "1", "-o", "whole")
    process = t.start("starts", *args, "--jobs", "1", "--checkpoint-seconds", "0", "-o", "out")
    for _ in range(1000):
        if (t.folder / "out/exact-logit-4-seed-1").exists() or process.poll() is not None:
            break
        time.sleep(0.01)
    process.kill()
    process.wait()
    t.tool("starts", *args, "-o", "out", rc=73, err="go on with it by --continue")
    t.tool("starts", *args, "-o", "out", "--continue")
    for run in ("exact-logit-4", "perturbed-logit-16-noise-0.05", "random"):
        assert weights(t, f"out/{run}-seed-1/seed-1") == weights(t, f"whole/{run}-seed-1/seed-1")
    one, two = (json.loads(t.read(f"{name}/starts.json")) for name in ("whole", "out"))
    assert one["starts"] == two["starts"]
    before = weights(t, "out/random-seed-1/seed-1")
    data = json.loads(t.tool("starts", *args, "-o", "out", "--continue", "--json"))
    assert data["starts"] == two["starts"] and weights(t, "out/random-seed-1/seed-1") == before
    other = (*args, "-o", "out", "--continue", "--rate", "2e-3")
    t.tool("starts", *other, rc=69, err="another experiment")
    # one that was killed while it wrote the folder's first file
    t.write("begun/automaton.fsa.f2l-tmp-a1b2c3", "start")
    t.tool("starts", "g.fsa", *TINY, "-o", "begun", "--continue")
    assert not (t.folder / "begun/automaton.fsa.f2l-tmp-a1b2c3").exists()
    t.write("other/notes.fsa.f2l-tmp-a1b2c3", "mine")
    t.tool("starts", "g.fsa", *TINY, "-o", "other", "--continue", rc=73, err="has other files")


def test_interrupted(t):
    t.new("g.fsa", "parity")
    long = ("--steps", "100000", "--time-limit", "0.5", "-o", "out")
    way_on = "go on with: fsa2lrnn starts g.fsa .*--continue"
    t.tool("starts", "g.fsa", *TINY[:-4], *long, rc=2, err=way_on)


def test_diverges(t):
    """A run that diverges is a result: the others end, and the exit status tells of it."""
    t.new("g.fsa", "parity")
    args = (*TINY[:-4], "--steps", "40", "--rate", "100", "--warmup", "0", "--clip", "0")
    args += ("--weight-decay", "0")
    text = t.tool("starts", "g.fsa", *args, "--logit", "16", "-o", "out", rc=2, err="diverged")
    found = json.loads(t.read("out/starts.json"))
    assert "leaves" in {x["stability"] for x in found["starts"]}, text


def test_without_gnuplot(t):
    t.new("g.fsa", "parity")
    old = t.env.get("PATH")
    t.env["PATH"] = "/nowhere"
    try:
        text = t.tool("starts", "g.fsa", *TINY, "-o", "out", err="gnuplot was not found")
    finally:
        t.env["PATH"] = old
    assert "gnuplot was not found" in text
    assert json.loads(t.read("out/starts.json"))["figure"] is None


def test_refused(t):
    t.new("g.fsa", "parity")
    t.new("s3.fsa", "symmetric", "3")
    t.write("reset.fsa", "start a\na x b\nb x b\na y a\nb y a\n")
    shutil.copy(t.examples() / "tomita4.fsa", t.folder / "cascade.fsa")
    small = ("--heads", "3", "--head-dim", "3", "--width", "9", "--householders", "1")
    for args, rc, error in (
        (("s3.fsa", *small), 69, "at least 4 heads of 4 x 4, 2 factors and width 10; the model"),
        (("g.fsa", "--layers", "2"), 69, "one layer of the mixer delta"),
        (("g.fsa", "--mixer", "gla"), 69, "one layer of the mixer delta"),
        (("g.fsa", "--eigenvalues", "positive"), 69, "eigenvalues in"),
        (("reset.fsa",), 69, "reset.fsa: error: training starts from constructed networks"),
        (("cascade.fsa",), 69, "training starts from constructed networks of one layer"),
        (("--task", "arithmetic"), 69, "there is no constructed network to start from"),
        (("g.fsa", "--noise", "0"), 64, "--noise takes at most 8 numbers above 0"),
        (("g.fsa", "--noise", "0.1,x"), 64, "--noise takes"),
        (("g.fsa", "--noise", "0.1,0.1"), 64, "--noise names 0.1 twice"),
        (("g.fsa", "--logit", "100"), 64, "--logit takes at most 8 numbers above 0 and up to 80"),
        (("g.fsa", "--seed", "4294967295", "--seeds", "2"), 64, "seeds are below 2"),
        (("g.fsa", "--begin"), 64, "--begin and --tokens do not go with it"),
        (("g.fsa", "--lengths", "8"), 64, "--lengths"),
        (("g.fsa", "--memory", "1M"), 2, "training needs"),
        (("absent.fsa",), 74, "absent"),
    ):
        t.tool("starts", *args, "-o", "out", rc=rc, err=error)
        assert not (t.folder / "out").exists(), args
    t.write("full/file", "")
    t.tool("starts", "g.fsa", "-o", "full", rc=73, err="other files, and no automaton.fsa")
