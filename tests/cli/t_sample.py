"""`sample`: the sets of words of a language, and --data with a language in the place of a file."""

import collections
import json

ATT = "0\t1\ta\ta\n0\t0\tb\tb\n1\t0\tb\tb\n1\n0\n"  # no two a's beside each other


def draw(t, *options):
    return [json.loads(line) for line in t.tool("sample", *options).splitlines()]


def accepts(word):
    return all(pair != ("a", "a") for pair in zip(word, word[1:]))


def distance_is_one(x, y):
    less = min(len(x), len(y))
    at = next((i for i in range(less) if x[i] != y[i]), less)
    return x != y and (x[at + (len(x) >= len(y)) :] == y[at + (len(y) >= len(x)) :])


def test_sets(t):
    t.write("l.att", ATT)
    drawn = {}
    for name in ("train", "dev", "short-random", "long-random"):
        rows = draw(t, "l.att", "--set", name, "--words", "200", "--quiet")
        drawn[name] = {"".join(row["word"]) for row in rows}
        lengths = range(31, 51) if "long" in name else range(20, 30)
        found = collections.Counter((len(row["word"]), row["label"]) for row in rows)
        assert found == {
            (n, label): 100 // len(lengths) for n in lengths for label in ("accept", "reject")
        }
        assert all(accepts(row["word"]) == (row["label"] == "accept") for row in rows)
        assert name == "train" or len(drawn[name]) == 200
    assert not drawn["train"] & drawn["dev"]
    assert not (drawn["train"] | drawn["dev"]) & drawn["short-random"]


def test_pairs(t):
    t.write("l.att", ATT)
    for name, least, most in (("short-adversarial", 20, 29), ("long-adversarial", 31, 50)):
        rows = draw(t, "l.att", "--set", name, "--words", "200", "--quiet")
        assert len(rows) == 200
        for x, y in zip(rows[::2], rows[1::2]):
            assert x["label"] == "accept" and accepts(x["word"])
            assert y["label"] == "reject" and not accepts(y["word"])
            assert least <= len(x["word"]) <= most and least <= len(y["word"]) <= most
            assert distance_is_one(x["word"], y["word"])
        assert {len(x["word"]) - len(y["word"]) for x, y in zip(rows[::2], rows[1::2])} == {
            -1,
            0,
            1,
        }


def test_seeds_and_equal_automata(t):
    """The words depend on the language, the letters and the seed, and on no names of states."""
    t.write("l.att", ATT)
    text = "letters a b\nstart x y\naccept x y z\nx b x\nx a z\ny b y\ny a z\nz b x\n"
    t.write("nfa.fsa", text)
    one = t.tool("sample", "l.att", "--quiet")
    assert t.tool("sample", "nfa.fsa", "--sink", "--quiet") == one
    assert t.tool("sample", "l.att", "--seed", "1", "--words", "1000", "--quiet") == one
    assert t.tool("sample", "l.att", "--seed", "2", "--quiet") != one
    assert json.loads(t.tool("sample", "l.att", "--json", "--quiet"))["sample"] == one


def test_data_is_the_sample(t):
    """--data mlregtest:FILE has the words of `sample`, and its set dev is tested."""
    t.write("l.att", ATT)
    t.write("train.jsonl", t.tool("sample", "l.att", "--quiet"))
    t.write("dev.jsonl", t.tool("sample", "l.att", "--set", "dev", "--quiet"))
    size = ("--heads", "1", "--head-dim", "4", "--mlp", "0", "--batch", "8", "--steps", "2")
    here = json.loads(t.tool("train", "--data", "mlregtest:l.att", *size, "-o", "a", "--json"))
    there = json.loads(
        t.tool(
            "train", "--data", "train.jsonl", "--test", "dev.jsonl", *size, "-o", "b", "--json"
        )
    )
    assert here["word_list"]["sha256"] == there["word_list"]["sha256"]
    assert here["word_list"]["test_sha256"] == there["word_list"]["test_sha256"]
    out = t.tool("evaluate", "a", "--data", "mlregtest-long-random:l.att")
    assert "1000 words of 31 to 50 letters" in out, out
    out = t.tool("train", "--resume", "a")
    net = t.tool("l.att", "--quiet", "--label", "accept")
    assert not net
    out = t.tool("run", "l.lrnn", "--data", "mlregtest:l.att")
    assert "24500 labels right, 0 wrong" in out, out


def test_refused(t):
    t.write("few.fsa", "start p\naccept p\np a q\nq a p\n")
    t.tool("sample", "few.fsa", rc=69, err="train: too few words of 20 letters are rejected")
    t.write("l.att", ATT)
    t.tool("sample", "l.att", "--words", "50", rc=69, err="a multiple of 40 words, not 50")
    t.tool("sample", "l.att", "--set", "tests", rc=64, err="long-adversarial")
    t.tool("sample", rc=64, err="--regex")
    t.tool("train", "--data", "mlregtest:none.att", rc=74, err="none.att")
    t.tool("train", "--data", "mlregtest-huge:l.att", rc=69, err="is not known")
    t.write("other.fsa", "start p\naccept p\np b p\np c p\n")
    t.tool(
        *("train", "other.fsa", "--label", "accept", "--data", "mlregtest:l.att"),
        rc=69,
        err="'a' is none of the 2 letters",
    )
    t.write("other.fsa", "start p\naccept p\np b p\np a p\n")
    t.tool(
        *("train", "other.fsa", "--label", "accept", "--data", "mlregtest:l.att"),
        rc=69,
        err="this language rejects a word of 20 letters",
    )
