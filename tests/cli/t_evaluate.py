"""`evaluate`: weights on words of any length."""

import json
import os
import shutil
import signal
import time

import harness

TINY = (*harness.TINY, "--steps", "20")
LEARNS = (*harness.LEARNS, "--lengths", "32")


def evaluate(t, *args):
    return json.loads(t.tool("evaluate", *args, "--json"))


def test_a_run_that_learned(t):
    t.new("parity.fsa", "parity")
    t.tool("train", "parity.fsa", *LEARNS)
    data = evaluate(t, "parity.train", "--lengths", "16,64", "--sequences", "100")
    assert list(data) == [
        "schema",
        "report",
        "weights_file",
        "source",
        "model_config",
        "model_text",
        "parameters",
        "word_list",
        "data_text",
        "sequences",
        "scores",
        "headline",
        "first_wrong",
        "failing_word",
        "settles",
        "timing",
    ]
    assert [r["length"] for r in data["scores"]] == [16, 64] and data["scores"][1][
        "sequence_accuracy"
    ] == 1.0, data
    assert (
        data["scores"][1]["answers"] == 6400
        and data["first_wrong"] is None
        and data["weights_file"] == "weights.safetensors"
    )
    t.tool(
        "evaluate",
        "parity.train",
        "--lengths",
        "16",
        "--sequences",
        "10",
        out=(
            r"network +weights\.safetensors: delta, 1 layer.*\n +16 +1\.0000 +1\.000000"
            r" +1\.000000 +0\.5[0-9]+\nconstant: .*\n\nwords right, by kind\n +length +random"
            r" +sink-free +periodic +least\n +16 +1\.000 +- +1\.000 +1\.000\nheadline: 1\.000 of"
            r" the words of 16 letters right, in the kind with the least\nno wrong answer"
        ),
    )
    alone = shutil.copy(
        t.folder / "parity.train/weights.safetensors", t.folder / "alone.safetensors"
    )
    for args in (("--grammar", "parity.fsa"), ("--task", "parity")):
        other = evaluate(
            t, os.path.basename(alone), *args, "--lengths", "16,64", "--sequences", "100"
        )
        assert other["scores"] == data["scores"], (args, other)
    assert (
        evaluate(t, "parity.train", "--lengths", "64", "--sequences", "100", "--seed", "9")[
            "scores"
        ][0]["answers"]
        == 6400
    )


def test_errors_are_counted(t):
    """An untrained network is wrong early, and the counts of a length do not depend on the other
    lengths asked for."""
    t.tool("train", "--task", "parity", *TINY, "-o", "run")
    data = evaluate(t, "run", "--lengths", "1,5,50", "--sequences", "64")
    single = evaluate(t, "run", "--lengths", "50", "--sequences", "64")
    assert (
        data["scores"][2] == single["scores"][0]
        and data["first_wrong"] == single["first_wrong"] <= 5
    ), data
    assert data["scores"][2]["sequence_accuracy"] < 0.5
    first = r"first wrong answer after \d+ letter"
    t.tool("evaluate", "run", "--lengths", "50", out=first)
    seen = data["failing_word"]
    assert 1 <= seen["wrong_letters"] <= data["first_wrong"], seen
    assert seen["random_words"] == 64 and len(seen["wrong_word"]) == seen["wrong_letters"]
    alone = evaluate(t, "run", "--lengths", "50", "--sequences", "64", "--search", "0")
    assert alone["failing_word"]["wrong_letters"] == data["first_wrong"]
    assert alone["failing_word"]["letters_read"] == 0 and alone["failing_word"]["no_search_reason"]
    assert single == dict(
        evaluate(t, "run", "--lengths", "50", "--sequences", "64"), timing=single["timing"]
    )
    few = evaluate(t, "run")
    assert [r["length"] for r in few["scores"]] == [64, 128, 256, 512] and few["sequences"] == 512


def test_long_words_in_constant_memory(t):
    t.env["ASAN_OPTIONS"] += ":quarantine_size_mb=0"  # else freed memory is kept
    t.tool("train", "--task", "parity", *TINY, "-o", "run")

    def peak(length):
        process = t.start(
            "evaluate",
            "run",
            "--lengths",
            length,
            "--sequences",
            "1",
            "--json",
        )
        data = json.loads(process.stdout.read())
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0 and data["scores"][0]["answers"] == length, data
        return usage.ru_maxrss

    short, long = peak(1000), peak(1000000)
    assert long < short + 4096, f"{short} KiB for 1000 letters, {long} KiB for 1000000"


def test_letters_that_were_never_seen(t):
    t.new("s3.fsa", "symmetric", "3")
    t.tool(
        "train", "s3.fsa", "--weights", "swaps", *TINY, "-o", "run", err="never come in training"
    )
    assert evaluate(t, "run", "--lengths", "8") and t.errors == "", t.errors
    for args in (("--uniform",), ("--grammar", "s3.fsa")):
        t.tool(
            "evaluate",
            "run",
            *args,
            "--lengths",
            "8",
            err=r"never seen in training and come in this evaluation: .*\(1 2 3\)",
        )
        assert '"(1 2)"' not in t.errors, t.errors


def test_refused(t):
    t.new("parity.fsa", "parity")
    t.new("s3.fsa", "symmetric", "3")
    t.tool("train", "parity.fsa", *TINY, "-o", "run")
    t.tool("train", "parity.fsa", *TINY, "--seeds", "2", "-o", "runs")
    for args, rc, error in (
        ((), 64, "the folder of a run or one file"),
        (("run", "run"), 64, "one file"),
        (("absent",), 74, "absent"),
        (("parity.fsa", "--grammar", "parity.fsa"), 65, r"parity\.fsa"),
        (("runs",), 69, "2 seeds: name one of its folders seed-N"),
        ((".",), 74, "is not the folder of a run"),
        (("run", "--lengths", "5,4"), 64, "--lengths takes"),
        (("run", "--sequences", "0"), 64, "--sequences takes"),
        (("run", "--tokens", "2"), 64, "go with --grammar, --regex, --task or --data"),
        (("run", "--grammar", "s3.fsa"), 69, "other letters or labels"),
        (("run", "--grammar", "parity.fsa", "--uniform"), 64, "--uniform is for the data of a run"),
        (("run", "--task", "parity", "--grammar", "parity.fsa"), 64, "--task takes the place"),
    ):
        t.tool("evaluate", *args, rc=rc, err=error)
    t.tool("evaluate", "runs/seed-2", "--lengths", "8")
    shutil.copy(t.folder / "run/weights.safetensors", t.folder / "w.safetensors")
    t.tool(
        "evaluate",
        "w.safetensors",
        rc=64,
        err="no run lies beside w.safetensors: say --grammar FILE, --regex, --task or --data",
    )
    t.tool(
        "evaluate",
        "w.safetensors",
        "--grammar",
        "s3.fsa",
        "--lengths",
        "8",
        rc=69,
        err="the data have 6 letters and 6 labels, the model 2 and 2",
    )
    data = t.read("w.safetensors")
    for damaged in (data[:100], data[:-1], b"", data.replace(b"F32", b"F33", 1), b"\xff" * 64):
        t.write("d.safetensors", damaged)
        t.tool(
            "evaluate", "d.safetensors", "--task", "parity", rc=65, err=r"d\.safetensors: error: "
        )
    swapped = (
        "fsa 1\nletters 1 0\nstart even\naccept odd\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1"
        " even\n"
    )
    t.write("swapped.fsa", swapped)
    t.tool("evaluate", "run", "--grammar", "swapped.fsa", rc=69, err="in another order")


def test_interrupted(t):
    t.tool("train", "--task", "parity", *TINY, "-o", "run")
    process = t.start(
        "evaluate",
        "run",
        "--lengths",
        "4000000000",
    )
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    produced, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and produced == b"" and b"after evaluation: " in errors, (
        process.returncode,
        errors,
    )
    t.tool(
        "evaluate",
        "run",
        "--lengths",
        "4000000000",
        "--time-limit",
        "0.2",
        rc=2,
        err="time limit reached",
    )


WALKS = "--task cycle-navigation --modulus 3".split()


def test_tokens(t):
    t.tool("train", *WALKS, *TINY, "--steps", "2", "-o", "run")
    words = [1, 2, 0, 0, 1, 2, 2]
    t.write("text.npz", harness.npz(tokens=words, lengths=[4, 3]))
    data = evaluate(t, "run", "--token-file", "text.npz")
    assert data["report"] == "evaluate-tokens" and data["token_sequences"] == 2
    assert [(r["from_position"], r["to_position"], r["count"]) for r in data["by_position"]] == [
        (1, 1, 2),
        (2, 3, 3),
    ]
    total = sum(r["count"] * r["mean_loss"] for r in data["by_position"])
    assert abs(total / 5 - data["all_positions"]["mean_loss"]) < 1e-6, data
    labels = ("<i4", (2, 3), [-100, 1, -1, 2, 0, -100])
    t.write("labels.npz", harness.npz(tokens=("<u2", (2, 3), words[:6]), labels=labels))
    data = evaluate(t, "run", "--token-file", "labels.npz")
    assert data["own_labels"] and data["all_positions"]["count"] == 3, data
    text = t.tool("evaluate", "run", "--token-file", "text.npz")
    assert "the answer is the next token" in text and "not proved of others" in text, text


def damaged(archive):
    """Returns the archive with another last number of its first array."""
    at = archive.index(b"\n\1\0\0\0\2\0\0\0") + 5
    return archive[:at] + b"\0" + archive[at + 1 :]


def twice(archive):
    return archive.replace(b"tokenz", b"tokens")


def test_tokens_refused(t):
    t.tool("train", *WALKS, *TINY, "--steps", "2", "-o", "run")
    for content, rc, error in (
        (harness.npz(tokens=[1, 2, 3]), 69, "sequence 1, place 3: 3 is none of the model's 3"),
        (harness.npz(tokens=[1, -1, 2]), 69, "place 2: -1 is none of the model's 3"),
        (harness.npz(tokens=("<f4", (2,), [0.5, 1])), 69, "this is no whole number"),
        (harness.npz(tokens=[1, 2], lengths=[2, 0]), 65, "place 2: a sequence has no tokens"),
        (harness.npz(tokens=[1, 2], lengths=[1]), 65, "do not add up to the 2 tokens"),
        (harness.npz(tokens=[]), 65, "there are no tokens"),
        (harness.npz(lengths=[1]), 65, "must have an array tokens"),
        (harness.npz(tokens=[1, 2], lables=[1, 2]), 65, "an array 'lables', which is not read"),
        (damaged(harness.npz(tokens=[1, 2])), 65, "the checksum of tokens is another one"),
        (harness.npz(tokens=("<i4", (1,), [1, 2])), 65, "tokens is longer than its shape says"),
        (harness.npz(tokens=("<i4", (3,), [1, 2])), 65, "tokens is shorter than its shape says"),
        (twice(harness.npz(tokens=[1, 2], tokenz=[2, 1])), 65, "has the array tokens twice"),
        (harness.npz(tokens=[1, 2], lengths=[1, 1]), 69, "no token follows another one"),
        (harness.npz(tokens=[1, 2], labels=[-100, -1]), 69, "no label counts"),
        (harness.npz(tokens=[1, 2], labels=[1, 3]), 69, "labels, sequence 1, place 2"),
        (harness.npz(tokens=[1, 2], documents=[1, 1]), 65, "must ascend"),
        (b"start e\n", 65, "no archive of arrays"),
    ):
        t.write("text.npz", content)
        for command in ("evaluate", "inspect"):
            if command == "inspect" and error.startswith("no ") and rc == 69:
                out = t.tool(command, "run", "--token-file", "text.npz")
                assert "no answer counts" in out, out
            else:
                t.tool(command, "run", "--token-file", "text.npz", rc=rc, err=error)
    t.tool("evaluate", "run", "--token-file", "no.npz", rc=74, err="No such file")
    t.tool("inspect", "run", "--token-file", ".", rc=74, err="this is a folder")
    # With fewer labels than letters the next token is no answer, which `inspect` does not need.
    recall = ("--task", "recall", "--pairs", "2", "--keys", "4", "--from", "8", "--to", "8")
    t.tool("train", *recall, *TINY, "--steps", "2", "-o", "few")
    t.write("text.npz", harness.npz(tokens=[0, 5, 1, 6]))
    why = "none of the 4 labels: give an"
    t.tool("evaluate", "few", "--token-file", "text.npz", rc=69, err=why)
    data = json.loads(t.tool("inspect", "few", "--token-file", "text.npz", "--json"))
    assert data["all_positions"] is None and data["token_heads"], data
    for args in (("--lengths", "8"), ("--task", "parity"), ("--sequences", "3"), ("--tokens", "2")):
        t.tool("evaluate", "run", "--token-file", "text.npz", *args, rc=64, err="all that is read")
    for args in (("--layer", "1"), ("--letters", "3"), ("--threshold", "0.1")):
        t.tool("inspect", "run", "--token-file", "text.npz", *args, rc=64, err="is about letters")
