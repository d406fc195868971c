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


def check(t, *arguments):
    """Returns the exit status and the verdict's line of horizon-check."""
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
    return done.returncode, done.stdout


def learned(t):
    shutil.copytree(ROOT / "tests/data/learned-s3", Path(t.folder) / "run")
    return [f"run/{name}" for name in FILES]


def verify(t, files, text):
    t.write("changed.cert", text)
    return check(t, *files, "changed.cert")[0]


def test_horizon(t):
    files = learned(t)
    data = json.loads(t.tool("horizon", "run", "-o", "s3.cert", "--json"))
    length = data["certified_length"]
    assert 5 <= length < data["first_failure"] == 60
    assert data["horizon_scope"] == "exact" and data["prefix_length"] < length
    hashes = " ".join(
        f"{name} {hashlib.sha256(t.read(file)).hexdigest()}"
        for name, file in zip(("fsa", "config", "weights"), files)
    )
    line = f"s VERIFIED horizon {length} scope exact label states"
    line += " letters 6 states 6 layers 1 heads 4"
    assert check(t, *files, "s3.cert") == (0, f"{line} {hashes}\n")
    t.tool("horizon", "run", "--most", "2", out="certified +words of at most 2 letters")
    t.tool("horizon", rc=64, err="the folder of a run is expected")


def changed(lines, index, word, change):
    words = lines[index].split(" ")
    words[word] = str(change(int(words[word])))
    return "\n".join([*lines[:index], " ".join(words), *lines[index + 1 :]])


def test_changed_certificates(t):
    """Lower norms and radii, higher margins, longer claims, lines that are lost or come twice."""
    files = learned(t)
    length = 4
    t.tool("horizon", "run", "--most", "4", "-o", "s3.cert")
    text = t.read("s3.cert").decode()
    lines = text.split("\n")
    assert verify(t, files, text) == 0
    generator, mutants = random.Random(1), 0
    places = [
        (i, w)
        for i, line in enumerate(lines)
        for w, word in enumerate(line.split(" "))
        if w > (1 if line.startswith("norm") else 0)
        and re.match("norm|radius|margin", line)
        and int(word) > 100
    ]
    for i, w in generator.sample(places, 70):
        up = lines[i].startswith("margin")
        percent = 105 if up else 95
        text = changed(lines, i, w, lambda x, p=percent: x * p // 100)
        assert verify(t, files, text) == 1, (i, w)
        mutants += 1
    for _ in range(25):
        i = generator.randrange(len(lines) - 1)
        for less, more in ((1, 0), (0, 1)):
            text = "\n".join([*lines[: i + 1 - less], *lines[i + 1 - less - more :]])
            mutants += 1
            assert text == "\n".join(lines) or verify(t, files, text) == 1, i
    longer = "\n".join(lines).replace(f"horizon {length}", f"horizon {length + 1}")
    assert verify(t, files, longer) == 1
    last = max(i for i, line in enumerate(lines) if line.startswith("length"))
    more = f"length {length + 1}"
    again = [line.replace(f"length {length}", more) for line in lines[last : last + 3]]
    both = [*lines[: last + 3], *again, *lines[last + 3 :]]
    assert verify(t, files, "\n".join(both)) == 1
    for bad in (longer.replace("\n", "\r\n"), "", "horizon-cert 1\n", longer[:2000]):
        assert verify(t, files, bad) == 1
    assert mutants >= 120


def test_changed_weights(t):
    """Other weights have another hash; with the hash of the changed weights in the certificate,
    large changes are refused, since norms, radii or margins are others."""
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
        assert rehashed != text and verify(t, files, rehashed) == 1, name


def test_other_files(t):
    files = learned(t)
    t.tool("horizon", "run", "--most", "2", "-o", "s3.cert")
    text = t.read("s3.cert").decode()
    config = t.read(files[1])
    for old, new in ((b'"layers":1', b'"layers":2'), (b'"slope":1', b'"slope":2'), (b"]", b"}")):
        t.write(files[1], config.replace(old, new, 1))
        assert verify(t, files, text) == 1
        hexes = [hashlib.sha256(x).hexdigest() for x in (config, t.read(files[1]))]
        expected = 0 if old == b"]" else 1  # what comes after the model does not matter
        assert verify(t, files, text.replace(*hexes)) == expected, new
    t.write(files[1], config)
    assert check(t, *files)[0] == 64
    assert check(t, *files, "none.cert")[0] == 1
    assert check(t, "--memory", "1K", *files, "s3.cert")[0] == 2
    t.new("p.fsa", "parity")
    assert check(t, "p.fsa", *files[1:], "s3.cert")[0] == 1
