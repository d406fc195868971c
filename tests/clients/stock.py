"""Runs the stock models that `fsa2lrnn export` writes against the automaton, on random words:
with PyTorch on the CPU through stock_model.py, and olmo-hybrid with transformers. Every answer must
be right, changed weights must be noticed, and networks that a model cannot hold must be refused,
with the reason. A library that is not installed is skipped, with one line that says so.

usage: stock.py --tool build/release/fsa2lrnn [--write-only]
"""

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from export import library

ROOT = Path(__file__).resolve().parent.parent.parent
SEED = 83  # of the words and of the changed numbers
LONG, SHORT = (1, 300), (8, 10)  # words and their letters; a changed model reads the short ones
WHOLE, CACHED = (1, 500), 100  # for transformers: at once, and letters one by one
DTYPES = ("bfloat16", "float16")
PRODUCT = ["fla-gated-deltaproduct"]
FLA = ["fla-deltanet", *PRODUCT]
ALL = [*FLA, "olmo-hybrid"]
ONE = "--householders 1"
# An automaton of examples or tests/data/real, or what `new` is asked for, the options of `compile`,
# and the targets that take the network. Letters of several factors are for one target; keys of both
# signs are refused by olmo-hybrid.
CASES = [
    ("parity.fsa", "", ALL),
    ("shuffle.fsa", "", ALL),
    ("s3.fsa", "", PRODUCT),
    ("s3.fsa", ONE, FLA),
    ("tomita4.fsa", "", PRODUCT),
    ("tomita4.fsa", ONE, ALL),
    ("first-letter.fsa", "", PRODUCT),
    ("first-letter.fsa", ONE, ALL),
    ("definite 3", f"{ONE} --exact-in bf16", ALL),
    ("cyclic 5", "", PRODUCT),
    ("dihedral 5", "", PRODUCT),
    ("symmetric 5", "", PRODUCT),
    ("utf8_validator.fsa", "", PRODUCT),
    ("transformations 4", "", PRODUCT),
    ("symmetric 4 --generators", ONE, FLA),  # a wired network, in layers
    ("tomita 4", "--cascade zeiger --max-sets 4", PRODUCT),
]
CHANGED = ("parity.fsa", "s3.fsa")
# The same, with the target, and what the refusal says.
REFUSED = [
    ("s3.fsa", "", "fla-deltanet", "to fla-gated-deltaproduct does any number"),
    ("cyclic 5", "", "olmo-hybrid", "to fla-gated-deltaproduct does any number"),
    ("s3.fsa", ONE, "olmo-hybrid", "makes all keys of this network non-negative"),
    ("cyclic 5", "--layers 1 --key-dim 2", "fla-gated-deltaproduct", "over a number field"),
    ("cyclic 5", ONE, "fla-deltanet", "a letter for each of 60 tuples of wires"),
    ("cyclic 257 --generators", "--layers 1 --formats bf16", *PRODUCT, "have 256, of which 3"),
]


class Compiled:
    """A compiled network in a folder of its own."""

    def __init__(self, tool, folder, source, options):
        self.tool, self.folder = tool, folder
        folder.mkdir()
        if source.endswith(".fsa"):
            real = ROOT / "tests/data/real" / source
            text = (real if real.exists() else ROOT / "examples" / source).read_text()
        else:
            text = self.call("new", *source.split()).stdout
        (folder / "a.fsa").write_text(text)
        done = self.call("compile", "a.fsa", "--out", "net", "--quiet", *options.split())
        assert done.returncode == 0, done.stderr

    def call(self, *arguments):
        return subprocess.run(
            [self.tool, *arguments], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def export(self, target, dtype):
        """Returns the folder of the model, which is claimed exact in one way at least. Its
        tokenizer is in the folder of the same name with .words."""
        out = self.folder / f"{target}.{dtype}"
        done = self.call("export", "net", "--to", target, "--dtype", dtype, "-o", str(out),
                         "--tokenizer", f"{out}.words")  # fmt: skip
        assert done.returncode == 0, done.stderr
        about = json.loads((out / "export.json").read_text())
        assert about["claims"][0]["claimed_exact"], about["claims"]
        config = json.loads((out / "config.json").read_text())
        assert config["dtype"] == dtype, config
        again = self.call("export", "net", "--to", target, "-o", str(out))
        assert again.returncode == 73 and "exists already" in again.stderr, again
        return out

    def words(self, model, words, letters):
        """Returns [(tokens, labels)] of random words, as numbers of the model's."""
        file = self.folder / f"{words}-{letters}.npz"
        if not file.exists():
            done = self.call("run", "net", "--random", str(words), "--length", str(letters),
                             "--seed", str(SEED), "--write", file.name)  # fmt: skip
            assert done.returncode == 0, done.stderr
        about, found = json.loads((model / "export.json").read_text()), np.load(file)
        numbers = []
        for mine, theirs in (("letter", "fsa_letters"), ("label", "label_names")):
            new = [about[theirs].index(str(name)) for name in found[f"{mine}_names"]]
            numbers.append(np.array(new)[found[f"{mine}s"]].tolist())
        return list(zip(*numbers))


def check_refused(tool, folder, source, options, target, reason):
    net = Compiled(tool, folder, source, options)
    done = net.call("export", "net", "--to", target, "-o", "out")
    assert done.returncode == 69 and reason in done.stderr, done
    assert not (folder / "out").exists(), "a refused export left a folder"


# --- stock_model.py ---


def answers(model, words):
    """Yields for every letter of the words whether the model's label is right."""
    model.start()
    begin = model.states.copy()
    for tokens, labels in words:
        model.states = begin.copy()
        for token, label in zip(tokens, labels):
            yield model.step(token) == label


def changes(model):
    """Changes the numbers of one matrix after the other, and back; yields its name. First the whole
    matrix changes its sign, since a norm does not see its size, and betas become 0. Then one number
    that is not 0 does."""
    random = np.random.default_rng(SEED)
    parts = "q k v b g o gate up down".split()
    matrices = [f"{part}_proj" for part in parts] + ["embed_tokens", "embeddings", "lm_head"]
    for name, tensor in model.tensors.items():
        if name.split(".")[-2] not in matrices or not tensor.any():
            continue
        if name.startswith(f"model.layers.{model.layers}."):
            continue  # OLMo Hybrid's layer of attention, which adds 0
        kept, factor = tensor.clone(), 0 if "b_proj" in name else -1
        tensor.mul_(factor)
        yield name
        tensor.copy_(kept)
        at = tuple(random.choice(np.argwhere(tensor.float().numpy())))
        tensor[at] *= factor
        yield f"{name}, one number"
        tensor.copy_(kept)


def check_model(net, source, target, noticed):
    """Runs a model of each type on words. `noticed` gets, for every change of the first, its name
    and whether there is a wrong label."""
    import torch

    import stock_model

    for dtype in DTYPES:
        folder = net.export(target, dtype)
        model = stock_model.Model(folder)
        assert model.dtype == getattr(torch, dtype), model.dtype
        short, long = net.words(folder, *SHORT), net.words(folder, *LONG)
        assert len({x for _, labels in short for x in labels}) > 1, "words of one label"
        for what, words in (("short words", short), ("a long word", long)):
            right = list(answers(model, words))
            assert all(right), f"{dtype}: {right.count(False)} of {len(right)} wrong in {what}"
        if source in CHANGED and dtype == DTYPES[0]:
            for name in changes(model):
                noticed.append((f"{source} {target} {name}", not all(answers(model, short))))


# --- transformers ---


def check_answers(logits, labels, what):
    """The logit of the label is 1, all others are 0."""
    right = np.zeros(logits.shape, dtype="f4")
    right[np.arange(len(labels)), labels] = 1
    wrong = np.flatnonzero((logits != right).any(1))
    assert not len(wrong), f"{what}: {len(wrong)} wrong, the first after letter {wrong[0] + 1}"


def check_refused_words(tokenizer, letters):
    """Texts that are no words have no tokens: nothing becomes another letter."""
    for text in ("none", "begin", *tokenizer.convert_ids_to_tokens([len(letters)]), "<unk>"):
        try:
            found = tokenizer(text)["input_ids"]
        except Exception as error:  # the library's exceptions have no class of their own
            assert "UNK" in str(error), error
        else:
            raise AssertionError(f"{text!r} has tokens: {found}")


def check_tokenizer(model, folder, word, transformers):
    """AutoTokenizer and `generate` give the label of a word, and the tokenizer the same tokens as
    prefix.json and export.json."""
    about = json.loads((folder / "export.json").read_text())
    tokenizer = transformers.AutoTokenizer.from_pretrained(f"{folder}.words")
    tokens, labels = word[0][:CACHED], word[1][:CACHED]
    text = " ".join(about["fsa_letters"][token] for token in tokens)
    asked = tokenizer(text, return_tensors="pt")
    prefix = json.loads((folder / "prefix.json").read_text())
    assert asked["input_ids"].tolist() == [prefix + tokens]
    assert tokenizer(text, add_special_tokens=False)["input_ids"] == tokens
    assert tokenizer.decode(tokens) == text
    if max(map(len, about["fsa_letters"])) == 1:
        assert tokenizer(text.replace(" ", ""))["input_ids"] == prefix + tokens
    check_refused_words(tokenizer, about["fsa_letters"])
    found = model.generate(**asked, max_new_tokens=1)[0]
    assert found[:-1].tolist() == prefix + tokens and found[-1] == labels[-1], found[-1]


def cache_of(model, transformers):
    """Returns the argument of `forward` that holds an empty cache: `cache` from transformers 5.24
    on, whose `past_key_values` ends with 5.40."""
    names = inspect.signature(model.forward).parameters
    name = "cache" if "cache" in names else "past_key_values"
    return {name: transformers.DynamicCache(config=model.config)}


def check_transformers(net, transformers):
    """Reads a word at once, and letter by letter with the state that the model keeps."""
    import torch

    for dtype in DTYPES:
        folder = net.export("olmo-hybrid", dtype)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
        assert type(model).__name__ == "OlmoHybridForCausalLM", type(model)
        assert model.dtype == getattr(torch, dtype), model.dtype
        prefix = json.loads((folder / "prefix.json").read_text())
        ((tokens, labels),) = net.words(folder, *WHOLE)
        with torch.inference_mode():
            out = model(torch.tensor([prefix + tokens]), use_cache=False)
            check_answers(out.logits[0, len(prefix) :].float().numpy(), labels, f"{dtype} at once")
            check_tokenizer(model, folder, (tokens, labels), transformers)
            state = cache_of(model, transformers)
            model(torch.tensor([prefix]), **state)
            for t in range(CACHED):
                out = model(torch.tensor([tokens[t : t + 1]]), **state)
                found = out.logits[0].float().numpy()
                check_answers(found, labels[t : t + 1], f"{dtype} with a cache, letter {t + 1}")


# --- all ---


def transformers_here():
    """Returns transformers, told to be quiet, or None after a line that says why not."""
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    found = library("transformers", "pip install transformers")
    if found and not hasattr(found, "OlmoHybridForCausalLM"):
        print(f"skipped: transformers {found.__version__} has no OLMo Hybrid (5.24 has)")
        return None
    if found:
        found.utils.logging.disable_progress_bar()
    return found


def checks(tool, folder, write_only, noticed):
    """Yields (name, function without arguments) of every case."""
    torch = None if write_only else library("torch", "apt-get install python3-torch")
    transformers = transformers_here() if torch else None
    if torch:
        torch.set_num_threads(1)
    for number, (source, options, target, reason) in enumerate(REFUSED):
        at = folder / f"refused{number}"
        yield (
            f"refused: {source} {options} to {target}",
            lambda: check_refused(tool, at, source, options, target, reason),
        )
    for number, (source, options, targets) in enumerate(CASES):
        net = Compiled(tool, folder / str(number), source, options)
        for target in targets:
            name = f"{source} {options} to {target}"
            if torch:
                yield name, lambda: check_model(net, source, target, noticed)
            else:
                yield f"{name}, written", lambda: [net.export(target, d) for d in DTYPES]
            if transformers and target == "olmo-hybrid":
                again = Compiled(tool, folder / f"{number}-transformers", source, options)
                yield f"{name}, transformers", lambda: check_transformers(again, transformers)


def results(tool, folder, write_only):
    """Yields (name, ok, output) of every case."""
    noticed = []
    for name, check in checks(tool, folder, write_only, noticed):
        try:
            check()
            yield name, True, ""
        except Exception as error:  # whatever a library raises fails this case alone
            yield name, False, f"{type(error).__name__}: {error}"
    for what, least in (("matrix", 0.95), ("one number", 0.5)):
        one = what == "one number"
        seen = [found for name, found in noticed if name.endswith("one number") == one]
        if seen:
            share = f"{sum(seen)} of {len(seen)} noticed"
            yield f"changes: {what}", sum(seen) > least * len(seen), share


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    parser.add_argument("--write-only", action="store_true", help="write models, and run none")
    args = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tool = str(Path(args.tool).resolve())
        for name, ok, output in results(tool, Path(folder), args.write_only):
            passed, failed = passed + ok, failed + (not ok)
            print(f"{'ok' if ok else 'FAILED'} {name} {output}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
