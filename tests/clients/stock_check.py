"""Whether `check-export` says the truth about exported language models, whole and changed.

Every export must be VERIFIED. Then bytes are changed: bits of numbers of every tensor, rows of
tensors, the prefix, names, members of config.json, the file's length. A changed model may be
refused, REFUTED or UNKNOWN. Where it is VERIFIED, stock_model.py must find it right on random
words. Where it is REFUTED, stock_model.py must give the answer that was told on the word that was
told. Without PyTorch the models are not run, which a line says.

usage: stock_check.py --tool build/release/fsa2lrnn [--count N] [--seed S]
"""

import argparse
import hashlib
import importlib.util
import json
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import reader
from automaton_file import Automaton

TARGETS = {
    "fla-deltanet": ["parity", "shuffle.fsa"],
    "fla-gated-deltaproduct": [
        "parity", "symmetric 3", "cyclic 5", "dihedral 5", "tomita 4", "first-letter.fsa",
        "s5_generators.fsa",
    ],
    "olmo-hybrid": ["parity", "shuffle.fsa"],
}
OPTIONS = {"tomita 4": ["--label", "accept", "--cascade", "capped"]}
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
HARMLESS = ["norm_eps", "rms_norm_eps"]  # members of config.json
DTYPES = ["bfloat16", "float16"]
WORDS, LETTERS = 3, 24
# Least part of the changes of bits that must be noticed. The others are of numbers that nothing
# reads, or so small that every answer stays: the model is then run and found right.
NOTICED = 0.2
VERDICTS = {0: "VERIFIED", 1: "REFUTED", 2: "UNKNOWN", 65: "refused", 69: "refused"}


class Folder:
    """An exported model: its files, and what the checker says of them after a change."""

    def __init__(self, tool, path, fsa):
        self.tool, self.path, self.fsa = tool, path, fsa
        self.text = fsa.read_text()
        self.files = {
            name: (path / name).read_bytes()
            for name in (
                "config.json", "model.safetensors", "prefix.json", "README.md", "export.json"
            )  # fmt: skip
        }
        data = self.files["model.safetensors"]
        self.begin = 8 + struct.unpack("<Q", data[:8])[0]
        self.tensors = json.loads(data[8 : self.begin])
        self.tensors.pop("__metadata__", None)
        self.about = json.loads(self.files["export.json"])

    def check(self, changed):
        """Returns (exit status, JSON or the message) with some files changed, and their sizes and
        hashes in export.json made right."""
        files = {**self.files, **changed}
        about = json.loads(files["export.json"])
        for entry in about["files"]:
            data = files[entry["name"]]
            entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
        files["export.json"] = json.dumps(about).encode()
        for name, content in files.items():
            (self.path / name).write_bytes(content)
        done = subprocess.run(
            [self.tool, "check-export", str(self.path), "--fsa", str(self.fsa), "--json",
             "--effort", "1500"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
        )  # fmt: skip
        printed = json.loads(done.stdout) if done.returncode in (0, 1, 2) else done.stderr
        assert done.returncode in VERDICTS, (done.returncode, done.stderr)
        return done.returncode, printed

    def expected(self, word):
        """Returns the label after the word, numbers of letters."""
        automaton = Automaton(self.text)
        names = [automaton.letters.index(name) for name in self.about["fsa_letters"]]
        state = automaton.start
        for letter in word:
            state = automaton.next[state][names[letter]]
        return reader.label_of(automaton, self.about["label_kind"], state)


def grammar_of(tool, family):
    if family.endswith(".fsa"):
        return (EXAMPLES / family).read_text()
    return reader.new(tool, *family.split())


# --- running the model ---


def answers(module, folder, word):
    """Returns the model's labels after the empty word and after every letter of the word."""
    model = module.Model(folder.path)
    labels, numbers = folder.about["label_names"], [model.start()]
    numbers += [model.step(letter) for letter in word]
    return [labels[n] if n < len(labels) else f"token {n}, no label" for n in numbers]


def judge(module, folder, status, report, rng):
    """Checks a verdict by running the model."""
    letters = folder.about["fsa_letters"]
    if status == 1:
        word = [letters.index(name) for name in report["witness"]["word"]]
        told, right = report["witness"], folder.expected(word)
        assert told["expected"] == right != told["got"], report
        got = answers(module, folder, word)[-1]
        assert told["got"] in (got, "several labels"), (report, got)
    if status == 0:
        for _ in range(WORDS):
            word = [rng.randrange(len(letters)) for _ in range(LETTERS)]
            for end, got in enumerate(answers(module, folder, word)):
                right = folder.expected(word[:end])
                assert got == right, f"VERIFIED, and {got}, not {right}, after {word[:end]}"


# --- changes ---


def change_bit(folder, rng):
    """Flips a bit of a number of a tensor, mostly of one that is not 0."""
    name = rng.choice(sorted(folder.tensors))
    begin, end = (folder.begin + at for at in folder.tensors[name]["data_offsets"])
    data = bytearray(folder.files["model.safetensors"])
    places = range(begin, end, 2)
    used = [at for at in places if data[at : at + 2] not in (b"\0\0", b"\0\x80")]
    at = rng.choice(used) if used and rng.random() < 0.9 else rng.choice(places)
    bit = rng.randrange(16)
    data[at + bit // 8] ^= 1 << bit % 8
    return f"bit of {name.split('.')[-2]}", {"model.safetensors": bytes(data)}


def swap_rows(folder, rng):
    name = rng.choice([n for n in sorted(folder.tensors) if len(folder.tensors[n]["shape"]) > 1])
    begin, end = (folder.begin + at for at in folder.tensors[name]["data_offsets"])
    rows = folder.tensors[name]["shape"][0]
    size = (end - begin) // rows
    data = bytearray(folder.files["model.safetensors"])
    row = [data[begin + r * size : begin + (r + 1) * size] for r in range(rows)]
    used = [r for r in range(rows) if any(row[r])]
    if not used or rows < 2:
        return None
    a, b = rng.choice(used), rng.randrange(rows)
    row[a], row[b] = row[b], row[a]
    data[begin:end] = b"".join(row)
    return "rows", {"model.safetensors": bytes(data)}


def change_prefix(folder, rng):
    prefix = json.loads(folder.files["prefix.json"])
    kind = rng.randrange(3)
    if kind == 0:
        tokens = json.loads(folder.files["config.json"])["vocab_size"]
        prefix[rng.randrange(len(prefix))] = rng.randrange(tokens)
    elif kind == 1:
        prefix = prefix[:-1]
    else:
        prefix = prefix[-1:] + prefix[:-1]
    return "prefix", {"prefix.json": json.dumps(prefix).encode()}


def change_config(folder, rng):
    config = json.loads(folder.files["config.json"])
    name = rng.choice(sorted(config))
    value = config[name]
    if rng.random() < 0.2:
        del config[name]
    elif isinstance(value, bool) or value is None:
        config[name] = not value
    elif isinstance(value, int):
        config[name] = value + rng.choice([-1, 1, value])
    elif isinstance(value, float):
        config[name] = value * 4
    elif isinstance(value, list):
        config[name] = value[:-1]
    else:
        config[name] = value + "x"
    return f"config {name}", {"config.json": json.dumps(config).encode()}


def change_names(folder, rng):
    about = json.loads(folder.files["export.json"])
    names = about[rng.choice(["fsa_letters", "label_names"])]
    if len(names) < 2:
        return None
    a, b = rng.sample(range(len(names)), 2)
    names[a], names[b] = names[b], names[a]
    return "names", {"export.json": json.dumps(about).encode()}


def cut(folder, rng):
    data = folder.files["model.safetensors"]
    return "cut", {"model.safetensors": data[: rng.randrange(len(data))]}


CHANGES = [change_bit] * 6 + [swap_rows] * 2 + [change_prefix, change_config, change_names, cut]


def try_changes(folder, module, rng, count, seen):
    for _ in range(count):
        made = rng.choice(CHANGES)(folder, rng)
        if not made or all(folder.files[name] == content for name, content in made[1].items()):
            continue
        kind, changed = made
        status, report = folder.check(changed)
        seen[kind.split()[0], VERDICTS[status]] += 1
        if kind.startswith("config") and status == 0:
            print(f"{folder.path.name}: VERIFIED with another {kind.split()[1]}")
            assert kind.split()[1] in HARMLESS, kind
        try:
            if module and kind != "names":
                judge(module, folder, status, report, rng)
        except AssertionError as wrong:
            raise AssertionError(f"{folder.path.name}, {kind}: {wrong}") from wrong


def exports(tool, work):
    """Yields the exported models."""
    for number, (target, family) in enumerate((t, f) for t, all in TARGETS.items() for f in all):
        folder = work / str(number)
        folder.mkdir()
        (folder / "a.fsa").write_text(grammar_of(tool, family))
        options = OPTIONS.get(family, [])
        subprocess.run(
            [tool, "compile", "a.fsa", "-o", "net", "--quiet", *options], cwd=folder, check=True
        )
        for dtype in DTYPES:
            out = folder / f"{family} {target} {dtype}"
            subprocess.run(
                [tool, "export", "net", "--to", target, "--dtype", dtype, "-o", str(out)],
                cwd=folder, check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            yield Folder(tool, out, folder / "net/automaton.fsa")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    parser.add_argument("--count", type=int, default=12, help="changes of each model")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    tool, rng, seen = str(Path(args.tool).resolve()), random.Random(args.seed), Counter()
    module = None
    if importlib.util.find_spec("torch"):
        module = importlib.import_module("stock_model")
    else:
        print("skipped: PyTorch is not installed (python3-torch), so that no model is run")
    models = 0
    with tempfile.TemporaryDirectory() as work:
        for model in exports(tool, Path(work)):
            status, report = model.check({})
            assert status == 0, (model.path.name, report)
            if module:
                judge(module, model, status, report, rng)
            try_changes(model, module, rng, args.count, seen)
            models += 1
    bits = {verdict: n for (kind, verdict), n in seen.items() if kind == "bit"}
    part = 1 - bits.get("VERIFIED", 0) / sum(bits.values())
    for (kind, verdict), n in sorted(seen.items()):
        print(f"{kind:8} {verdict:9} {n}")
    assert part >= NOTICED, f"of the changed bits {part:.2f} were noticed"
    assert not any(v == "VERIFIED" and k == "cut" for k, v in seen), seen
    changes = sum(seen.values())
    print(f"{models} models VERIFIED, {changes} changes; of the bits {part:.2f} noticed")
    print(f"{models + changes} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
