"""`horizon` and horizon-check: a learned network's certificate, what it covers, and what is
refused: numbers of certificates and weights that are changed, longer claims, other files."""

import hashlib
import json
import random
import re
import shutil
import struct
import subprocess
from pathlib import Path

from harness import ROOT

FILES = "automaton.fsa", "config.json", "weights.safetensors"


def check(t, *arguments, messages=False):
    """Returns the exit status and the verdict's line of horizon-check, and its messages where they
    are wanted."""
    done = subprocess.run(
        [str(Path(t.checker).parent / "horizon-check"), *arguments],
        cwd=t.folder,
        env=t.env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    assert done.returncode in (0, 1, 2, 64), done
    assert (done.returncode == 0) == done.stdout.startswith("s VERIFIED"), done
    return (done.returncode, done.stdout, *([done.stderr] if messages else []))


def learned(t):
    shutil.copytree(ROOT / "tests/data/learned-s3", Path(t.folder) / "run")
    return [f"run/{name}" for name in FILES]


def verify(t, files, text):
    t.write("changed.cert", text)
    return check(t, *files, "changed.cert")[0]


def test_horizon(t):
    files = learned(t)
    data = json.loads(t.tool("horizon", "run", "--prefix", "4", "-o", "s3.cert", "--json"))
    length = data["certified_length"]
    word = data["failing_word"]
    assert 5 <= length < word["wrong_letters"] <= 60 and word["all_words_up_to"] >= 4, word
    assert len(word["wrong_word"]) == word["wrong_letters"] and word["got"] != word["expected"]
    assert data["horizon_scope"] == "exact" and data["prefix_length"] < length
    assert data["certified_words"] == sum(6**k for k in range(1, length + 1))
    assert len(data["certified_letters"]) == 6 and data["wrong_word_letters"] is None
    assert data["limiting_word"] is None
    hashes = " ".join(
        f"{name} {hashlib.sha256(t.read(file)).hexdigest()}"
        for name, file in zip(("fsa", "config", "weights"), files)
    )
    line = f"s VERIFIED horizon {length} scope exact label states"
    line += " letters 6 states 6 layers 1 heads 4"
    assert check(t, *files, "s3.cert") == (0, f"{line} {hashes}\n")
    t.tool("horizon", "run", "--most", "2", out="certified +words of at most 2 letters")
    t.tool("horizon", rc=64, err="the folder of a run is expected")


def test_formats(t):
    """A certificate of exact numbers is refused as one of a format. The other way round the claim
    is true and proved: all bounds are computed for the scope that is named, and are smaller."""
    files = learned(t)
    text = {}
    for scope, more in (("exact", ""), ("fp32", " any-order"), ("fp64", " any-order")):
        name = scope + more
        data = json.loads(
            t.tool("horizon", "run", "--most", "3", "--format", scope, "-o", "s3.cert", "--json")
        )
        assert data["certified_length"] == 3 and data["horizon_scope"] == name
        text[scope] = t.read("s3.cert").decode()
        assert f"\nscope {name}\n" in text[scope]
        status, line = check(t, *files, "s3.cert")
        assert status == 0 and line.startswith(f"s VERIFIED horizon 3 scope {name} label"), line
    exact, small = text["exact"], text["fp32"]
    for other in ("fp32 any-order", "fp32", "any-order", "fp16 any-order", "exact any-order", ""):
        assert verify(t, files, exact.replace("scope exact", f"scope {other}")) == 1, other
    assert verify(t, files, text["fp64"].replace("scope fp64", "scope fp32")) == 1
    for other in ("exact", "fp64 any-order"):
        t.write("changed.cert", small.replace("scope fp32 any-order", f"scope {other}"))
        assert f"scope {other} label" in check(t, *files, "changed.cert")[1]
    lines, generator = small.split("\n"), random.Random(3)
    places = [i for i, line in enumerate(lines) if re.match("norm", line)]
    for i in generator.sample(places, 6):
        less = changed(lines, i, len(lines[i].split(" ")) - 1, lambda x: x // 2)
        assert verify(t, files, less) == 1, lines[i]
    t.tool("horizon", "run", "--format", "bf16", rc=64, err="exact, fp32, fp64")


def test_large_numbers(t):
    """A head whose logits are 4,096 times as large answers the same in exact arithmetic; in a
    format numbers might overflow."""
    files = learned(t)
    old = t.read(files[2])
    header = 8 + struct.unpack("<Q", old[:8])[0]
    first, last = json.loads(old[8:header])["head.weight"]["data_offsets"]
    part = struct.unpack(f"<{(last - first) // 4}f", old[header + first : header + last])
    new = bytearray(old)
    new[header + first : header + last] = struct.pack(f"<{len(part)}f", *(4096 * x for x in part))
    hashes = [hashlib.sha256(x).hexdigest() for x in (old, bytes(new))]
    for scope, expected in (("exact", 0), ("fp32", 1)):
        t.tool("horizon", "run", "--most", "2", "--format", scope, "-o", "s3.cert")
        text = t.read("s3.cert").decode()
        t.write(files[2], bytes(new))
        assert verify(t, files, text.replace(*hashes)) == expected
        t.write(files[2], old)
    t.write(files[2], bytes(new))
    t.tool("horizon", "run", "--format", "fp32", rc=69, err="head.weight may overflow in fp32")


def test_folder(t):
    """horizon.json in the folder is what --json prints; pages are drawn; that neither can be
    written is a warning."""
    learned(t)
    run = Path(t.folder) / "run"
    printed = t.tool("horizon", "run", "--most", "2", "--json", "--no-report")
    assert (run / "horizon.json").read_text() == printed
    assert not (run / "report.html").exists()
    t.tool("horizon", "run", "--most", "1", "--format", "fp32")
    data = json.loads((run / "horizon.json").read_text())
    assert data["certified_length"] == 1 and data["horizon_scope"] == "fp32 any-order"
    assert "fp32 any-order" in (run / "report.md").read_text()
    (run / "horizon.json").unlink()
    (run / "horizon.json").mkdir()
    t.tool("horizon", "run", "--most", "1", err="horizon.json is not kept")
    assert [x.name for x in run.iterdir() if ".f2l-tmp-" in x.name] == []


def test_default_first_weights(t):
    """A run with PyTorch's first weights has no initializer_range in config.json."""
    t.new("p.fsa", "parity")
    sizes = "--heads 1 --head-dim 2 --width 4 --mlp 2 --lengths 8 --batch 16".split(" ")
    t.tool("train", "p.fsa", "--label", "states", "--steps", "300", "--rate", "1e-2", *sizes)
    run = next(x for x in Path(t.folder).iterdir() if x.suffix == ".train")
    files = [f"{run.name}/{name}" for name in FILES]
    assert "initializer_range" not in t.read(files[1]).decode()
    for scope in ("exact", "fp32"):
        t.tool("horizon", run.name, "--format", scope, "--most", "4", "-o", "p.cert")
        assert check(t, *files, "p.cert")[0] == 0


def changed(lines, index, word, change):
    words = lines[index].split(" ")
    words[word] = str(change(int(words[word])))
    return "\n".join([*lines[:index], " ".join(words), *lines[index + 1 :]])


def test_changed_certificates(t):
    """Lower norms, longer claims, other letters, lines that are lost or come twice."""
    files = learned(t)
    t.tool("horizon", "run", "--prefix", "1", "-o", "s3.cert")
    text = t.read("s3.cert").decode()
    lines = text.split("\n")
    assert verify(t, files, text) == 0
    generator, mutants = random.Random(1), 0
    places = [
        (i, w)
        for i, line in enumerate(lines)
        for w, word in enumerate(line.split(" "))
        if w > 1 and line.startswith("norm") and int(word) > 1000
    ]
    for i, w in generator.sample(places, 20):
        text = changed(lines, i, w, lambda x: x * 95 // 100)
        assert verify(t, files, text) == 1, (i, w)
        mutants += 1
    for _ in range(25):
        i = generator.randrange(len(lines) - 1)
        for less, more in ((1, 0), (0, 1)):
            text = "\n".join([*lines[: i + 1 - less], *lines[i + 1 - less - more :]])
            mutants += 1
            assert text == "\n".join(lines) or verify(t, files, text) == 1, i
    whole = "\n".join(lines)
    length = int(re.search(r"horizon (\d+)", whole)[1])
    assert "prefix 1\nletters 1 2 3 4 5 6\n" in whole
    longer = whole.replace(f"horizon {length}", f"horizon {length + 1}")
    for bad in (longer, *(whole.replace("prefix 1", f"prefix {x}") for x in (0, 65))):
        assert verify(t, files, bad) == 1
    assert verify(t, files, whole.replace("prefix 1", "prefix 2")) == 0
    for group in ("", " 0 1", " 1 1", " 2 1", " 1 7", " 1  2", " 1 2 "):
        assert verify(t, files, whole.replace("letters 1 2 3 4 5 6", f"letters{group}")) == 1, group
    for bad in (longer.replace("\n", "\r\n"), "", "horizon-cert 2\n", longer[:2000]):
        assert verify(t, files, bad) == 1
    assert mutants >= 60


def test_letters(t):
    """Words of some letters: the verdict names their numbers, and fewer letters go further."""
    files = learned(t)
    asked = ["--letters", '"(1 2 3)" "(1 2)"', "--prefix", "9", "-o", "s3.cert", "--json"]
    data = json.loads(t.tool("horizon", "run", *asked))
    assert data["certified_letters"] == ["(1 2)", "(1 2 3)"] and data["certified_length"] >= 11
    assert data["certified_words"] == 2 ** (data["certified_length"] + 1) - 2
    status, line = check(t, *files, "s3.cert")
    assert status == 0 and " heads 4 over 3,4 fsa " in line, line
    text = t.read("s3.cert").decode()
    assert verify(t, files, text.replace("letters 3 4", "letters 1 2 3 4 5 6")) in (1, 2)
    t.tool("horizon", "run", "--letters", "a", rc=65, err="'a' is not a letter of the automaton")
    t.tool("horizon", "run", "--letters", '"()" "()"', rc=69, err=r"has the letter \(\) twice")
    t.tool("horizon", "run", "--letters", "", rc=69, err="has no letter")


def test_wrong_word(t):
    """A wrong word that the words of the prefix have is named as what limits the length."""
    files = learned(t)
    old = bytearray(t.read(files[2]))
    header = 8 + struct.unpack("<Q", old[:8])[0]
    first = header + json.loads(old[8:header])["head.weight"]["data_offsets"][0]
    generator = random.Random(5)
    row = [x + generator.gauss(0, 1) for x in struct.unpack_from("<128f", old, first)]
    struct.pack_into("<128f", old, first, *row)
    t.write(files[2], bytes(old))
    data = json.loads(t.tool("horizon", "run", "--prefix", "4", "--json"))
    word = data["limiting_word"]
    assert word and len(word) == data["wrong_word_letters"] == data["certified_length"] + 1
    assert len(word) == data["failing_word"]["wrong_letters"], data
    shown = "limited by +a word of [1-6] letters? that is answered wrongly: "
    t.tool("horizon", "run", "--prefix", "4", out=shown)


def test_time(t):
    """The prefix grows with the time; a claim that takes too long ends at the limit."""
    files = learned(t)
    short, more = (
        json.loads(t.tool("horizon", "run", "--prefix-time", x, "-o", f"{x}.cert", "--json"))
        for x in ("0.001", "1")
    )
    assert short["prefix_length"] < more["prefix_length"]
    assert short["certified_length"] < more["certified_length"]
    text = t.read("1.cert").decode()
    t.write("long.cert", re.sub(r"horizon \d+\nprefix \d+", "horizon 42\nprefix 40", text))
    assert check(t, "--time-limit", "1", *files, "long.cert")[0] == 2


def test_changed_weights(t):
    """Other weights have another hash; with the hash of the changed weights in the certificate,
    large changes are refused, since norms or answers are others. With another MLP the network may
    still be right on short words."""
    files = learned(t)
    t.tool("horizon", "run", "--most", "3", "-o", "s3.cert")
    text, old = t.read("s3.cert").decode(), t.read(files[2])
    header = 8 + struct.unpack("<Q", old[:8])[0]
    tensors = {
        name: entry["data_offsets"]
        for name, entry in json.loads(old[8:header]).items()
        if name != "__metadata__"
    }
    generator = random.Random(2)
    for name, (first, last) in tensors.items():
        if name.endswith("norm.weight"):
            continue
        part = old[header + first : header + last]
        numbers = list(struct.unpack(f"<{(last - first) // 4}f", part))
        generator.shuffle(numbers)
        new = bytearray(old)
        new[header + first : header + last] = struct.pack(f"<{len(numbers)}f", *numbers)
        t.write(files[2], bytes(new))
        assert verify(t, files, text) == 1, name
        rehashed = text.replace(
            hashlib.sha256(old).hexdigest(), hashlib.sha256(bytes(new)).hexdigest()
        )
        status = verify(t, files, rehashed)
        assert rehashed != text and (status == 1 or (status == 0 and ".mlp." in name)), name


def test_other_files(t):
    files = learned(t)
    t.tool("horizon", "run", "--most", "2", "-o", "s3.cert")
    text = t.read("s3.cert").decode()
    config = t.read(files[1])
    for old, new in ((b'"layers":1', b'"layers":2'), (b'"slope":1', b'"slope":2'), (b"]", b"}")):
        t.write(files[1], config.replace(old, new, 1))
        assert verify(t, files, text) == 1
        hexes = [hashlib.sha256(x).hexdigest() for x in (config, t.read(files[1]))]
        assert verify(t, files, text.replace(*hexes)) == 1, new
    t.write(files[1], config)
    assert check(t, *files)[0] == 64
    assert check(t, *files, "none.cert")[0] == 2
    assert check(t, "--memory", "1K", *files, "s3.cert")[0] == 2
    t.new("p.fsa", "parity")
    assert check(t, "p.fsa", *files[1:], "s3.cert")[0] == 1


def test_refusals_say_what_to_train(t):
    t.new("p.fsa", "parity")
    tiny = "--heads 1 --head-dim 4 --width 8 --mlp 0 --steps 2 --batch 4 --to 8 --lengths 8"
    t.tool("train", "p.fsa", *tiny.split(), "--quiet")
    t.tool("horizon", "p.train", rc=69, err=r"it has no MLP \(train --mlp 32 makes one\)")
