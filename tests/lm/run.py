"""Tests of this folder that need no GPU.

    python3 tests/lm/run.py --build build/release [--only NAME]

What needs a package that is not here (tokenizers, PyTorch, transformers with accelerate) is left
out, with a line that says so. The last line is "N passed, M failed"."""

import argparse
import contextlib
import importlib.metadata
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
import zipfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import corpus
import statements
import tokens

LONG = 64  # tokens of a piece that is held out here
SOURCE = b"int f(int x)\n{\n\treturn x + 1;\n}\n"


class Missing(Exception):
    """A package that is not installed."""


def need(*modules):
    for module in modules:
        try:
            there = importlib.util.find_spec(module)
        except ImportError:  # a package without its library
            there = None
        if not there:
            raise Missing(module)


def refused(call, *words):
    """Calls, and fails unless Refused is raised and says the words."""
    try:
        call()
    except corpus.Refused as error:
        assert all(word in str(error) for word in words), error
        assert "\n" not in str(error), error
        return
    raise AssertionError(f"not refused: {words}")


# --- a small corpus ---


def package(folder, name="git-doc", version="1:0"):
    """Writes a package with two files of documentation; returns it as corpus.py has packages."""
    root = folder / "root"
    (root / "DEBIAN").mkdir(parents=True)
    control = f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: a <a@b.c>\n"
    (root / "DEBIAN/control").write_text(control + "Description: a test\n")
    where = root / "usr/share/doc/git-doc"
    where.mkdir(parents=True)
    (where / "one.txt").write_bytes(b"Words of a text.\n" * 9)
    (where / "two.txt").write_bytes(b"Other words.\n" * 9)
    (where / "zero.txt").write_bytes(b"a\0b")
    (where / "same.txt").write_bytes(b"Other words.\n" * 9)
    (where / "latin.txt").write_bytes(b"\xe9\n")
    found = corpus.Package(name, version, "", "GPL-2")
    path = folder / found.file_name()
    argv = ["dpkg-deb", "--root-owner-group", "--build", str(root), str(path)]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return found._replace(sha256=corpus.sha256(path.read_bytes()))


def document(domain, group, number, text):
    return corpus.Document(domain, group, f"{group}/{number}", "MIT", text)


def small(folder):
    """Writes a corpus with something to train on and something that is held out."""
    found = [
        document("code", f"linux/d{n % 40:02d}", n, SOURCE * (2 + n % 5) + b"/* %d */" % n)
        for n in range(200)
    ]
    found += [document("code", "linux/crypto", n, SOURCE * (9 + n)) for n in range(9)]
    found += [document("mathematics", "set.mm/last-tenth", 7, b"|- ( ph -> ph ) $.\n" * 99)]
    found += [document("mathematics", f"set.mm/{n}", n, b"|- ps $.\n" * (n + 9)) for n in range(9)]
    shares = dict.fromkeys(corpus.DOMAINS, 1.0)
    corpus.write(corpus.taken(found, shares), shares, (), folder / "corpus")
    return folder / "corpus"


# --- the corpus ---


def test_a_package_of_another_hash_is_refused(folder, _):
    good = package(folder)
    kept = corpus.taken(corpus.documents(folder, (good,)), dict.fromkeys(corpus.DOMAINS, 1.0))
    names = sorted(d.name.rpartition("/")[2] for found in kept.values() for d in found)
    assert names == ["one.txt", "same.txt"], names
    bad = good._replace(sha256="0" * 64)
    refused(lambda: list(corpus.documents(folder, (bad,))), "SHA-256", "git-doc 1:0")
    path = folder / good.file_name()
    path.write_bytes(path.read_bytes() + b"x")
    refused(lambda: list(corpus.documents(folder, (good,))), "SHA-256")
    path.unlink()
    refused(lambda: list(corpus.documents(folder, (good,))), "No such file")


def test_build_writes_nothing_after_an_error(folder, _):
    argv = [sys.executable, str(HERE / "corpus.py"), "build", "--to", str(folder / "out")]
    argv += ["--packages", str(folder)]
    shares = [["--share", share] for share in ("code=2", "poems=0.5", "code=x")]
    for more in ([], ["--school", "-1"], ["--school", "1"], *shares):
        done = subprocess.run([*argv, *more], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
        assert not (folder / "out").exists() and not list(folder.glob(".out*"))


def test_the_split_is_by_the_hash_of_the_group(_folder, _):
    shares = {"code": 0.1, "prose": 1.0, "mathematics": 1.0}
    names = [f"linux/drivers/d{n}" for n in range(4000)]
    found = [corpus.split_of(document("code", name, 0, b"x"), shares) for name in names]
    assert abs(found.count("held") / 4000 - corpus.HELD_SHARE) < 0.01
    assert abs(found.count("train") / 4000 - 0.1) < 0.02
    more = [corpus.split_of(document("code", n, 1, b"y"), {**shares, "code": 0.3}) for n in names]
    assert all(b == a or (a, b) == ("", "train") for a, b in zip(found, more))
    for group in ("linux/crypto", "linux/fs/xfs/libxfs", "set.mm/last-tenth"):
        domain = "mathematics" if group.startswith("set") else "code"
        assert corpus.split_of(document(domain, group, 0, b"x"), shares) == "held", group
    kept = corpus.split_of(document("code", "linux/cryptography", 0, b"x"), {**shares, "code": 1})
    assert kept == "train", "a directory whose name only begins like one that is held out"


def test_no_group_is_in_both_parts(folder, _):
    rows = (small(folder) / "documents.tsv").read_text().splitlines()
    groups = {"train": set(), "held": set()}
    for domain, split, group, *_rest in (row.split("\t") for row in rows):
        groups[split].add((domain, group))
    assert groups["train"] and groups["held"] and not groups["train"] & groups["held"]


def test_school_problems(folder, _):
    """The same text twice, one group a split and kind, and the wheel's hash. The wheel is not here:
    a small generator takes its place, which imports what the real one does."""
    import school

    wrong = school.wrong_surroundings()
    assert "PYTHONHASHSEED" in wrong or os.environ.get("PYTHONHASHSEED") == "0", wrong
    refused(lambda: list(corpus.of_school(corpus.SCHOOL, folder, 1)), "No such file")
    wheel = folder / corpus.SCHOOL.file_name()
    assert wheel.name == "mathematics_dataset-1.0.1-py3-none-any.whl", wheel
    wheel.write_bytes(b"PK")
    refused(lambda: list(corpus.of_school(corpus.SCHOOL, folder, 1)), "SHA-256")
    for module in ("sympy", "numpy"):
        need(module)
    for name, version in school.VERSIONS.items():
        if importlib.metadata.version(name) != version:
            raise Missing(f"{name} {version}")
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("mathematics_dataset/__init__.py", "")
        archive.writestr("mathematics_dataset/modules/__init__.py", "")
        archive.writestr("mathematics_dataset/modules/modules.py", GENERATOR)
        archive.writestr("mathematics_dataset/util/__init__.py", "")
        archive.writestr("mathematics_dataset/util/composition.py", "class Entity:\n    pass\n")
    argv = [sys.executable, str(HERE / "school.py"), str(wheel), "--documents", "41"]
    texts = [
        subprocess.run(argv, env={**os.environ, "PYTHONHASHSEED": "0"}, **text_of()).stdout
        for _ in range(2)
    ]
    done = subprocess.run(argv, env={**os.environ, "PYTHONHASHSEED": "1"}, **text_of())
    assert done.returncode == 1 and "PYTHONHASHSEED is to be 0" in done.stderr, done
    assert texts[0] == texts[1] and texts[0].count("\n") == 41, texts
    rows = [json.loads(line) for line in texts[0].splitlines()]
    assert rows[0]["name"] == "school/train/a-b/00000" and len(set(r["text"] for r in rows)) == 41
    assert all(len(r["text"].splitlines()) == 2 * school.PROBLEMS for r in rows)
    assert "long" not in texts[0], "a question that is too long"
    for row in rows:
        held = row["name"].startswith("school/held/")
        group, _, number = row["name"].rpartition("/")
        assert held == (int(number) % school.HELD_EVERY == school.HELD_EVERY - 1), row["name"]
        found = corpus.Document("mathematics", group, row["name"], "", b"x")
        assert corpus.split_of(found, {"mathematics": 0.01}) == ("held" if held else "train")


GENERATOR = """
import collections, random
import numpy as np
from absl import logging
from sympy.solvers.diophantine import base_solution_linear
from mathematics_dataset.util.composition import Entity
Problem = collections.namedtuple("Problem", "question answer")
def sums(low):
    def draw():
        a, b = random.randint(low, 999), int(np.random.randint(999))
        if a % 7 == 0:
            return Problem("long" * 99, 0)
        kept = [Entity() for _ in range(40)]
        order = [kept.index(one) for one in {kept[random.randrange(40)] for _ in range(5)}]
        return Problem(f"{a} + {b} {order}", np.array([a + b], dtype=np.object)[0])
    return draw
def train(entropy):
    assert entropy((3, 10)) == (3, 10)
    return {"a": {"c": sums(1), "b": sums(2)}, "d": {"e": sums(3)}}
def test():
    return {"a": {"b": sums(4)}}
"""


def text_of():
    return {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


# --- tokens ---


def encoded(folder, vocabulary=300):
    need("tokenizers")
    there = small(folder)
    tokens.learn(there, vocabulary).save(str(folder / "tokenizer.json"))
    tokens.encode(there, folder / "tokenizer.json", folder / "tokens")
    tokens.hold(there, folder / "tokenizer.json", folder / "tokens", long=LONG)
    return folder / "tokens"


def test_tokens_are_the_text(folder, _):
    there = encoded(folder)
    tokenizer = tokens.load(folder / "tokenizer.json")
    for text in (SOURCE, "\t\t  x = 'é∀';\r\n".encode(), bytes(range(1, 128))):
        ids = tokenizer.encode(text.decode(), add_special_tokens=False).ids
        assert tokenizer.decode(ids, skip_special_tokens=False).encode() == text, text
        assert tokens.byte_lengths(tokenizer)[ids].sum() == len(text), text
    ids = np.fromfile(there / "train.bin", np.uint16)
    parts = np.split(ids, np.flatnonzero(ids == tokens.BORDER_ID) + 1)[:-1]
    read = [tokenizer.decode(part[:-1].tolist()).encode() for part in parts]
    wanted = [text for d in corpus.DOMAINS for text in tokens.texts(folder / "corpus", "train", d)]
    assert read == wanted
    held = tokens.held(there, json.loads((there / "train.json").read_text())["tokenizer"])
    assert held["tokens"].shape[1] == LONG and set(held["domain"]) == {"code", "mathematics"}
    assert max(np.unique(held["unit"], return_counts=True)[1]) <= tokens.MOST["code"]


def test_bad_tokens_are_refused(folder, _):
    there = encoded(folder)
    about = json.loads((there / "train.json").read_text())
    assert len(tokens.Tokens(there, 32)) == len(np.fromfile(there / "train.bin", "u2")) // 32
    for window in (0, 1):
        refused(lambda n=window: tokens.Tokens(there, n), "nothing to predict")
    refused(lambda: tokens.Tokens(there, 10**7), "less than")
    refused(lambda: tokens.held(there, "another"), "another tokenizer")
    refused(lambda: tokens.load(there / "train.json"), "train.json")
    (there / "train.bin").write_bytes((there / "train.bin").read_bytes()[:-2])
    refused(lambda: tokens.Tokens(there, 32), "train.json says")
    np.array([5, 300] * 40, np.uint16).tofile(there / "train.bin")
    about["sha256"] = tokens.sha256_of(there / "train.bin")
    (there / "train.json").write_text(json.dumps(about))
    refused(lambda: tokens.Tokens(there, 32), "beyond the vocabulary")


# --- configurations and training ---


def test_bad_configurations_are_refused(folder, _):
    import networks

    for name in (path.stem for path in (HERE / "configs").glob("*.json")):
        networks.read(HERE / f"configs/{name}.json")
    good = networks.read(HERE / "configs/transformer.json")
    for changed in ({**good, "more": 1}, {**good, "class": "GPT"}, {**good, "mamba_low": -1}, []):
        (folder / "c.json").write_text(json.dumps(changed))
        refused(lambda: networks.read(folder / "c.json"), "c.json")
    refused(lambda: networks.read(folder / "none.json"), "none.json")


def test_unknown_options_are_refused(_folder, _):
    need("torch", "transformers")
    import networks

    good = networks.read(HERE / "configs/transformer.json")
    good["options"]["heads"] = 3
    refused(lambda: networks.options_of(good, "c.json"), "c.json", "heads")


def test_every_row_runs_on_a_cpu(_folder, _):
    need("torch", "transformers", "fla", "fsa2lrnn.kernels")
    import networks
    import torch

    small_one = {"num_hidden_layers": 1, "hidden_size": 64, "vocab_size": 300, "num_heads": 2}
    small_one |= {"head_dim": 32, "num_attention_heads": 2, "num_key_value_heads": 2}
    small_one |= {"intermediate_size": 64}
    for path in sorted((HERE / "configs").glob("*.json")):
        config, letters = networks.read(path), torch.arange(200).reshape(2, 100)
        options = config["options"]
        options.update({n: size for n, size in small_one.items() if n in options})
        network = networks.make(config, path.stem)
        with torch.autocast("cpu", torch.bfloat16):
            loss = network(input_ids=letters, labels=letters).loss
        loss.backward()
        assert abs(loss.item() - np.log(300)) < 0.2, path.stem
        assert all(p.grad is not None for p in network.parameters()), path.stem


def configured(folder, **options):
    """Writes the configuration of a tiny transformer; returns the arguments of train.py."""
    small_one = {"num_hidden_layers": 1, "hidden_size": 16, "num_attention_heads": 2}
    small_one |= {"num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 16}
    about = {"class": "Llama", "options": {"vocab_size": 300, **small_one, **options}}
    (folder / "tiny.json").write_text(json.dumps(about))
    argv = ["--config", str(folder / "tiny.json"), "--tokens", str(folder / "tokens")]
    argv += ["--window", "32", "--step-tokens", "128", "--micro", "2", "--count", "1280"]
    return [*argv, "--evaluate", "--to"]


def test_a_run_goes_on_as_if_it_had_not_stopped(folder, _):
    need("torch", "transformers", "accelerate", "tokenizers")
    import shutil

    import train

    encoded(folder)
    argv = configured(folder)
    whole = train.run(train.parse([*argv, str(folder / "a")]))
    saved = [*argv, str(folder / "b"), "--save-every", "5"]
    train.run(train.parse(saved))
    shutil.rmtree(folder / "b/checkpoint-10")
    again = train.run(train.parse([*saved, "--resume"]))
    for name in ("losses", "weights", "evaluation"):
        one, other = dict(whole)[name], dict(again)[name]
        if name == "evaluation":
            one, other = one["losses"], other["losses"]
        assert one == other, name
    other = train.run(train.parse([*argv, str(folder / "c"), "--seed", "2"]))
    assert other["losses"] != whole["losses"]
    found = json.loads((folder / "a/result.json").read_text())
    ends = found["evaluation"]["ends"]
    assert ends == [64] and found["steps"] == 10, ends
    count = found["evaluation"]["domains"]["code"]
    assert abs(count["nats_a_token"] - np.log(300)) < 0.5, count


def test_bad_runs_are_refused(folder, _):
    need("torch", "transformers", "accelerate", "tokenizers")
    import train

    encoded(folder)
    to = str(folder / "bad")
    argv = configured(folder, vocab_size=301)
    refused(lambda: train.run(train.parse([*argv, to])), "301", "300")
    argv = configured(folder)
    for more in (["--count", "0"], ["--step-tokens", "100"], ["--window", "0"], ["--micro", "0"]):
        refused(lambda m=more: train.run(train.parse([*argv, to, *m])))
    assert not (folder / "bad/result.json").exists()
    import evaluate

    refused(lambda: evaluate.bins(0), "no tokens")
    held = dict(np.load(folder / "tokens/held.npz"))
    refused(lambda: evaluate.evaluate(None, {**held, "tokens": held["tokens"][:, :0]}), "pieces")


def test_losses_are_those_of_our_trainer(folder, build):
    need("torch", "transformers", "accelerate", "safetensors")
    import byte_model

    ours, first = byte_model.ours(str(build / "fsa2lrnn"), folder)
    theirs = byte_model.theirs(first, folder / "theirs")
    apart = np.abs(np.array(ours) - theirs).max()
    assert len(ours) == len(theirs) == byte_model.STEPS and apart < 2e-5, apart
    assert ours[-1] < 0.8 * ours[0], "nothing was learnt"
    for change in ({"weight_decay": 0.0}, {"max_grad_norm": 1.0}, {"adam_beta2": 0.99}):
        other = byte_model.theirs(first, folder / "theirs", **change)
        assert np.abs(np.array(ours) - other).max() > 10 * max(apart, 2e-6), change


# --- statements ---


def row(name, shift=0.0, rise=0.0, seed=1):
    """Returns a result as train.py writes it, of rows whose losses are known."""
    ends = [64 * 2**n for n in range(10)]
    rng = np.random.default_rng(1)
    domain = [d for d in corpus.DOMAINS for _ in range(8)]
    base = 2 + 0.1 * rng.standard_normal((24, 10))
    noise = np.random.default_rng(len(name)).standard_normal((24, 10))
    losses = base + shift + 0.001 * noise
    losses[:, 9] += rise
    losses[:, 6] = losses[:, 9] - rise
    about = {"ends": ends, "domain": domain, "unit": [str(n // 2) for n in range(24)]}
    about["losses"] = losses.tolist()
    falling = [3 - n / 100 for n in range(200)]
    data = {"sha256": "x"}
    return {
        **{"row": name, "seed": seed, "losses": falling, "tokens": 9, "data": data},
        "evaluation": about,
    }


def outcomes(rows):
    return {one["statement"]: one["outcome"] for one in statements.judge(rows)}


def test_statements_see_what_was_put_in(_folder, _):
    rises = {"delta-11": 0.3, "product2-11": 0.2, "product3-11": 0.1, "delta-11-wide": 0.3}
    names = {n for pair in statements.RANGES for n in pair} | set(rises) | set(statements.GATED)
    shifts = {"delta-11": -0.02, "product3-11": -0.02}
    rows = {n: row(n, shifts.get(n, 0.0), rises.get(n, 0.0)) for n in names}
    good = outcomes(rows)
    assert good.pop("f") == "not run" and set(good.values()) == {"holds"}, good
    worse = {
        "b1": {"mamba-11": row("mamba-11", 0.05)},
        "b2": {"delta-11": row("delta-11", 0.005, 0.3)},
        "c": {"product2-11": row("product2-11", 0, 0.05)},
        "d": {"delta-11-wide": row("delta-11-wide", 0, 0.1)},
        "e": {"gated-delta-11": row("gated-delta-11", 0, 0.1)},
    }
    for name, change in worse.items():
        found = outcomes({**rows, **change})
        assert found[name] == "does not hold", (name, found)
        assert statements.judge({**rows, **change})[0]["outcome"] == "does not hold"
    for losses in ([1.0, float("nan")] * 60, [*rows["delta-11"]["losses"], *[2.0] * 60]):
        assert outcomes({**rows, "x": {**row("x"), "losses": losses}})["a"] == "does not hold"
    assert outcomes({"delta-11": rows["delta-11"]})["c"] == "not run"


def test_an_interval_is_of_units(_folder, _):
    values, units = np.repeat([0.0, 1.0], 50), np.repeat(["a", "b"], 50)
    found = statements.interval(values, units)
    assert (found["low"], found["high"], found["units"]) == (0.0, 1.0, 2), found
    found = statements.interval(values, np.arange(100).astype(str))
    assert 0.35 < found["low"] < 0.5 < found["high"] < 0.65, found


def test_a_record_names_what_was_not_run(_folder, _):
    lines = [json.dumps(row(name)) for name in ("delta-11", "delta-01")]
    lines.append(json.dumps(row("delta-11", seed=0)))
    about = statements.collect(lines, ["delta-11", "mamba-01"], {"sha256": "x"})
    assert list(about["not_run"]) == ["mamba-01"] and len(about["rows"]) == 2
    assert "configs/mamba-01.json" in about["not_run"]["mamba-01"] and len(about["trials"]) == 1
    refused(lambda: statements.collect([*lines, lines[0]], [], {"sha256": "x"}), "twice")
    refused(lambda: statements.collect(lines, [], {"sha256": "y"}), "these tokens")
    refused(lambda: statements.collect([lines[2]], [], {"sha256": "x"}), "counts")


def test_rows_are_planned_for_the_gpus(folder, _):
    import all_rows

    free, steps = [100.0, 30.0], 7
    costs = sorted((all_rows.cost(n, steps) / all_rows.SPARE for n in all_rows.COSTS), reverse=True)
    for one in costs:  # each goes to the GPU that is free first
        free[free.index(min(free))] += one
    assert abs(all_rows.last_end([30.0, 100.0], steps) - max(free)) < 1e-9
    domains = {"code": {"tokens": 50 * all_rows.STEP + 1}}
    (folder / "train.json").write_text(json.dumps({"domains": domains}))
    found = {}
    for until in (250, 320, 10**6):
        args = ["--tokens", str(folder), "--to", "x", "--until", str(until), "--rate", "1e-3"]
        args = all_rows.parse([*args, "--later", f"0={folder}/go:9"])
        found[until] = args.steps
        begins = [all_rows.BEGIN + 9.0]
        if 1 < args.steps < 50:
            assert all_rows.last_end(begins, args.steps) <= until
            assert all_rows.last_end(begins, args.steps + 1) > until
    assert 1 == found[250] < found[320] < found[10**6] == 50, found
    assert all_rows.waits(args, "0") and not all_rows.waits(args, "1")
    (folder / "go").write_text("")
    assert not all_rows.waits(args, "0")


def test_first_losses_are_compared(folder, _):
    need("torch", "transformers", "accelerate", "tokenizers")
    import first_losses
    import train

    runs = {"ours": [9.0, 8.0], "ours, another order": [9.0, 8.01], "fla": [9.0, 8.02]}
    assert first_losses.compare(runs)["agree"] is None
    runs["fla, another order"] = [9.001, 8.02]
    assert first_losses.compare(runs)["agree"] is True
    runs["fla"] = runs["fla, another order"] = [9.0, 8.03]
    found = first_losses.compare(runs)
    assert found["agree"] is False and found["apart"]["ours and fla"]["largest"] == 0.03
    encoded(folder)
    argv = configured(folder)
    whole = train.run(train.parse([*argv, str(folder / "a")]))
    cut = train.run(train.parse([*argv, str(folder / "b"), "--stop", "4", "--micro", "1"]))
    apart = np.abs(np.subtract(cut["losses"], whole["losses"][:4]))
    assert len(apart) == 4 and apart.max() < 1e-3, apart


def test_heads_in_short(folder, _):
    import heads

    head = {"layer": 1, "head": 1, "token_betas": dict.fromkeys(heads.BETAS, 0.5)}
    head |= {"token_gates": None, "rank_at_documents": [], "norm_by_position": []}
    head["one_token"] = {"share_negative": 0.25, "share_near_minus_1": 0}
    head["five_tokens"] = {"share_negative": 0.5, "share_complex": 0.125}
    ranks = [{"from_position": p, "average": a} for p, a in ((1, 1.0), (2, 7.0))]
    about = {"token_heads": [{**head, "rank_by_position": ranks}, {**head, "rank_by_position": []}]}
    about |= {"model_text": "x", "token_count": 9, "state_rows": 4, "state_columns": 4}
    about["all_positions"] = {"count": 9, "mean_loss": 2.0}
    (folder / "inspect-delta-11-wide-1.json").write_text(json.dumps(about))
    losses = {**about, "by_position": [{"from_position": 1, "mean_loss": 2.0}]}
    (folder / "evaluate-delta-11-wide-1-look-code.json").write_text(json.dumps(losses))
    result = {"ends": [64, 128, 256], "unit": ["a", heads.PIECES["code"]]}
    result["losses"] = [[0, 0, 0], [1.0, 2.0, 4.0]]
    rows = {("delta-11-wide", 1): {"evaluation": result}}
    found = heads.collect(folder, rows)
    one = found["rows"]["delta-11-wide, seed 1"]
    assert one["rank_mean"] == one["rank_least"] == 7.0 and one["beta_above_1"] == 0.5, one
    assert found["losses"][0]["bf16"] == (64 + 2 * 64 + 4 * 128) / 256 and len(one["heads"]) == 2
    refused(lambda: heads.collect(folder / "none", rows), "no inspect")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--build", type=Path, default=HERE.parent.parent / "build/release")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    passed, failed = 0, 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_") or args.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    test(Path(folder), args.build.resolve())
            except Missing as missing:
                print(f"note: {missing} is not installed: {name[5:].replace('_', ' ')}")
            except Exception:
                failed += 1
                print(f"{name} failed\n{traceback.format_exc()}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
