"""`run --random --write`: labelled words for other people's training."""

import ast
import collections
import json
import struct
import zipfile

from harness import parse_fsa


def network(t, grammar, *options):
    t.write("g.fsa", grammar)
    t.tool("g.fsa", *options, "--force", "--quiet")
    return parse_fsa(t.read("g.lrnn/automaton.fsa").decode())


PARITY = "start even\naccept odd\neven 1 odd\nodd 1 even\neven 0 even\nodd 0 odd\n"
ODD_NAMES = 'start ä\nä "\\"" "b c"\n"b c" "\\"" ä\nä 😀 ä\n"b c" 😀 "b c"\n'


def lines(t, name):
    return [json.loads(line) for line in t.read(name).decode().splitlines()]


def arrays(t, name):
    """Reads the .npy files of an archive, as numpy.load does."""
    found = {}
    with zipfile.ZipFile(t.folder / name) as archive:
        assert archive.testzip() is None
        for entry in archive.namelist():
            data = archive.read(entry)
            assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
            (size,) = struct.unpack("<H", data[8:10])
            assert (10 + size) % 64 == 0 and data[9 + size : 10 + size] == b"\n"
            about = ast.literal_eval(data[10 : 10 + size].decode())
            body, kind, shape = data[10 + size :], about["descr"], about["shape"]
            assert about["fortran_order"] is False
            if kind == "<i4":
                flat = list(struct.unpack(f"<{len(body) // 4}i", body))
            else:
                width = 4 * int(kind[2:])
                flat = [
                    body[i : i + width].decode("utf-32-le").rstrip("\0")
                    for i in range(0, len(body), width)
                ]
            if len(shape) == 2:
                flat = [flat[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])]
            assert len(flat) == shape[0]
            found[entry[:-4]] = flat
    return found


def check_labels(automaton, rows, accept):
    _, _, start, following, accepting = automaton
    for row in rows:
        at, labels = start, []
        for letter in row["word"]:
            at = following[at][letter]
            labels.append(("accept" if at in accepting else "reject") if accept else at)
        assert row["labels"] == labels and row["label"] == labels[-1], row


def test_balanced_by_label_and_length(t):
    automaton = network(t, PARITY, "--label", "accept")
    options = ("--least-length", "3", "--length", "12", "--balance", "labels", "--seed", "5")
    t.tool("run", "g.lrnn", "--random", "2000", *options, "--write", "d.jsonl", out="d.jsonl")
    rows = lines(t, "d.jsonl")
    check_labels(automaton, rows, True)
    assert collections.Counter(r["label"] for r in rows) == {"accept": 1000, "reject": 1000}
    lengths = collections.Counter((r["label"], len(r["word"])) for r in rows)
    assert set(lengths.values()) == {100} and len(lengths) == 20, lengths
    orders = [r["label"] for r in rows]
    assert 800 < sum(a != b for a, b in zip(orders, orders[1:])) < 1200, "in random order"
    short = collections.Counter("".join(r["word"]) for r in rows if len(r["word"]) == 3)
    assert len(short) == 8 and min(short.values()) >= 10, short
    again = t.read("d.jsonl")
    t.tool("run", "g.lrnn", "--random", "2000", *options, "--write", "d.jsonl", "--format", "bf16")
    assert t.read("d.jsonl") == again, "the words depend on the seed alone"


def test_arrays_are_the_lines(t):
    for grammar, accept in ((PARITY, ("--label", "accept")), (ODD_NAMES, ())):
        automaton = network(t, grammar, *accept)
        options = ("--random", "50", "--least-length", "1", "--length", "7")
        t.tool("run", "g.lrnn", *options, "--write", "d.jsonl")
        t.tool("run", "g.lrnn", *options, "--write", "d.npz")
        rows, found = lines(t, "d.jsonl"), arrays(t, "d.npz")
        check_labels(automaton, rows, bool(accept))
        assert found["letter_names"] == automaton[0], found["letter_names"]
        for i, row in enumerate(rows):
            n = found["lengths"][i]
            assert n == 1 + i % 7 == len(row["word"])
            for name, words in (("letter", row["word"]), ("label", row["labels"])):
                numbers = found[{"letter": "letters", "label": "labels"}[name]][i]
                assert [found[name + "_names"][x] for x in numbers[:n]] == words
                assert numbers[n:] == [-1] * (7 - n)


def test_uniform_words_go_on(t):
    """Word i is the same for every length, as far as it goes."""
    network(t, PARITY)
    for length in (9, 20):
        t.tool("run", "g.lrnn", "--random", "3", "--length", length, "--write", f"{length}.jsonl")
    short, long = lines(t, "9.jsonl"), lines(t, "20.jsonl")
    assert [r["word"] for r in short] == [r["word"][:9] for r in long]
    assert len({tuple(r["word"]) for r in long}) == 3, long


def test_refused(t):
    network(t, PARITY, "--label", "accept")
    run = ("run", "g.lrnn", "--random", "10")
    t.tool(*run, "--write", "d.csv", rc=64, err=r"ends with \.jsonl or \.npz")
    t.tool(*run, "--write", ".npz", rc=64, err=r"ends with \.jsonl or \.npz")
    t.tool(*run, "--length", "3", "--least-length", "4", rc=64, err="4 is more than --length 3")
    t.tool("run", "g.lrnn", "--write", "d.npz", stdin="", rc=64, err="belong to --random")
    t.tool(*run, "--write", "none/d.npz", rc=(66, 73), err="none/d.npz")
    t.write("d.npz", "kept")
    t.write("h.fsa", "start p\naccept p\np a q\nq a r\nr a r\n")
    t.tool("h.fsa", "--label", "accept")
    t.tool(
        "run",
        "h.lrnn",
        *("--random", "10", "--balance", "labels", "--write", "d.npz"),
        rc=69,
        err="no word of 100 to 100 letters ends with the label 'accept'",
    )
    assert t.read("d.npz") == b"kept"
