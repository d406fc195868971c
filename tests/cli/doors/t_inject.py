"""`inject`: what it writes and says, and what it refuses. tests/clients/inject.py runs what it
writes."""

import hashlib
import json
import os
import signal
import struct
import time

HIDDEN, VOCAB = 4, 20
OWN = ["README.md", "base", "branch", "inject.json", "inject.safetensors", "model.py"]


def safetensors(*tensors):
    """Returns a file of zeros with tensors (name, shape) in F32."""
    header, at = {}, 0
    for name, shape in tensors:
        size = 4
        for dim in shape:
            size *= dim
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(at)


EMBEDDING = ("model.embed_tokens.weight", [VOCAB, HIDDEN])
LAYERS = [(f"model.layers.{i}.mlp.weight", [2, 2]) for i in range(2)]


def model(t, *tensors, folder="old", **members):
    """Writes a checkpoint; members change config.json, None takes one out."""
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": VOCAB,
        "hidden_size": HIDDEN,
        "num_hidden_layers": 2,
        "transformers_version": "5.24.0",
    }
    config.update(members)
    config = {key: value for key, value in config.items() if value is not None}
    t.write(f"{folder}/config.json", json.dumps(config))
    t.write(f"{folder}/model.safetensors", safetensors(*(tensors or [EMBEDDING, *LAYERS])))


def network(t):
    t.new("g.fsa", "parity")
    t.tool("compile", "g.fsa", "--quiet")


def start(t):
    network(t)
    model(t)


def refused(t, *args, rc, err, kept=()):
    """Checks that the command is refused and leaves nothing."""
    t.tool("inject", *args, rc=rc, err=err)
    t.nothing_left("g.fsa", "g.lrnn", "old", *kept)


def bad(t, rc, err, *options, kept=()):
    refused(t, "g.lrnn", "old", "-o", "out", *options, rc=rc, err=err, kept=kept)


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_help_is_golden(t):
    t.golden("help-inject.txt", t.tool("help", "inject"))


def test_what_is_written(t):
    """The old files byte for byte, links followed; a report with the hash of every file."""
    start(t)
    t.write("old/vocab.txt", "a\nb\n")
    t.write("blob", "merges")
    os.symlink("../blob", t.folder / "old/merges.txt")
    t.write("old/original/weights.pth", "not copied")
    t.write("old/optimizer.pt", "not copied")
    t.write("old/.git/config", "not copied")
    printed = t.tool("inject", "g.lrnn", "old", "-o", "out", "--json")
    report = json.loads(printed)
    assert t.read("out/inject.json").decode() == printed
    assert sorted(p.name for p in (t.folder / "out").iterdir()) == OWN
    base = files(t.folder / "out/base")
    assert base == ["config.json", "merges.txt", "model.safetensors", "vocab.txt"]
    assert all(t.read(f"out/base/{name}") == t.read(f"old/{name}") for name in base)
    assert not (t.folder / "out/base/merges.txt").is_symlink()
    assert (t.folder / "out/base/config.json").stat().st_nlink == 1
    assert files(t.folder / "out/branch") == ["config.json", "model.safetensors", "prefix.json"]
    listed = {file["name"]: file for file in report["files"]}
    assert sorted([*listed, "inject.json"]) == files(t.folder / "out")
    for name, file in listed.items():
        content = t.read(f"out/{name}")
        assert len(content) == file["bytes"], name
        assert hashlib.sha256(content).hexdigest() == file["sha256"], name
    old = report["base_model"]
    assert old.pop("not_copied") == ["optimizer.pt", "original"]
    assert old == {
        "model_folder": "old",
        "model_type": "llama",
        "hidden_size": HIDDEN,
        "vocab_size": VOCAB,
        "tensor_count": 3,
        "embedding_tensor": EMBEDDING[0],
        "transformers": "5.24.0",
    }
    assert [claim["claimed_exact"] for claim in report["claims"]][0], report["claims"]
    (t.folder / "blob").unlink()
    text = t.tool("inject", "g.lrnn", "old", "-o", "two", rc=74, err="cannot read 'merges.txt'")
    (t.folder / "old/merges.txt").unlink()
    text = t.tool("inject", "g.lrnn/network.lrnn", "old", "-o", "two")
    assert (
        "\nbase           llama, 3 tensors of width 4, copied byte for byte; not copied: " in text
    )
    assert (
        "\nmodel.py       exact in bfloat16: " in text and "\nprojection     -0 everywhere" in text
    )
    same = set(files(t.folder / "two")) - {"inject.json"}
    assert all(t.read(f"out/{name}") == t.read(f"two/{name}") for name in same)
    assert t.tool("inject", "g.lrnn", "old", "-o", "three", "--quiet", "--dtype", "float16") == ""
    assert json.loads(t.read("three/inject.json"))["claims"][0]["computes_in"] == "float16"


def test_projection(t):
    """[hidden, labels] of F32, every number -0."""
    start(t)
    t.tool("inject", "g.lrnn", "old", "-o", "out", "--quiet")
    content = t.read("out/inject.safetensors")
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    assert size % 8 == 0 and header["projection"]["shape"] == [HIDDEN, 2], header
    assert content[8 + size :] == struct.pack("<f", -0.0) * (2 * HIDDEN)


def tokens(t, *options, err=None, rc=0):
    """Returns {letter: tokens} and where they come from."""
    text = t.tool("inject", "g.lrnn", "old", "-o", "out", "--json", *options, rc=rc, err=err)
    if rc:
        return None
    report = json.loads(text)
    for name in files(t.folder / "out"):
        (t.folder / "out" / name).unlink()
    for name in ("base", "branch", ""):
        (t.folder / "out" / name).rmdir()
    found = {}
    for pair in report["letter_tokens"]:
        found.setdefault(pair["letter"], []).append(pair["token"])
    return found, report["tokens_from"]


def test_tokens_of_the_tokenizer(t):
    """Of byte pairs, of words with scores, of a list beside; added tokens come first."""
    start(t)
    assert tokens(t) == ({"0": [0], "1": [1]}, "numbers")
    t.tool(
        "inject", "g.lrnn", "old", "-o", "o2", out=r"\ntokens +letter i is token i: .*lacks letters"
    )
    pairs = {"model": {"vocab": {"0": 15, "1": 16, "01": 17}}}
    t.write("old/vocab.json", json.dumps({"1": 3, "0": 4}))
    assert tokens(t) == ({"0": [4], "1": [3]}, "tokenizer")
    t.write("old/tokenizer.json", json.dumps(pairs))
    assert tokens(t) == ({"0": [15], "1": [16]}, "tokenizer")
    pairs["added_tokens"] = [{"id": 18, "content": "1"}]
    t.write("old/tokenizer.json", json.dumps(pairs))
    assert tokens(t) == ({"0": [15], "1": [18]}, "tokenizer")
    t.write(
        "old/tokenizer.json", json.dumps({"model": {"vocab": [["a", -1], ["1", -2], ["0", -3]]}})
    )
    assert tokens(t) == ({"0": [2], "1": [1]}, "tokenizer")
    t.write("old/tokenizer.json", json.dumps({"model": {"vocab": {"0": 15}}}))
    (t.folder / "old/vocab.json").unlink()
    assert tokens(t) == ({"0": [0], "1": [1]}, "numbers")
    t.write("old/tokenizer.json", json.dumps({"model": {"vocab": {"0": 15, "1": VOCAB}}}))
    tokens(
        t, rc=69, err=f"the letter '1' is token {VOCAB}, and the model has {VOCAB}: --tokens FILE"
    )
    t.write("old/tokenizer.json", json.dumps({"model": {"vocab": {"0": 15, "1": 15}}}))
    tokens(t, rc=65, err="token 15 has two letters: '0' and '1'")
    t.write("old/tokenizer.json", '{"model": ')
    tokens(t, rc=65, err="tokenizer.json, line 1: ")
    t.write("list", "0 1\n1 2\n")
    assert tokens(t, "--tokens", "list") == ({"0": [1], "1": [2]}, "file")


def test_tokens_of_a_file(t):
    start(t)
    t.write("list", '# two spellings of a letter\n"1" 12\n0 19\n1 3\n')
    assert tokens(t, "--tokens", "list") == ({"0": [19], "1": [3, 12]}, "file")
    for text, err in (
        ("0 1\n", "the letter '1' has no token"),
        ("0 1\n1 20\n", "list:2:3: .*below vocab_size"),
        ("0 1\n1 -2\n", "list:2:3: "),
        ("0 1\n1 2 3\n", "list:2:1: .*expected `LETTER TOKEN-NUMBER`"),
        ("0 1\n1 2\nx 3\n", "list:3:1: .*'x' is no letter of the network"),
        ("0 1\n1 1\n", "token 1 has two letters: '0' and '1'"),
        ("", "the letter '0' has no token"),
    ):
        t.write("list", text)
        bad(t, 65, err, "--tokens", "list", kept=["list"])
    bad(t, 74, "none", "--tokens", "none", kept=["list"])


def test_vocabulary_that_is_too_small(t):
    network(t)
    model(t, (EMBEDDING[0], [1, HIDDEN]), *LAYERS, vocab_size=1)
    bad(t, 69, "the letter '1' is token 1, and the model has 1")


def test_missing_tensors(t):
    network(t)
    model(t, *LAYERS)
    bad(t, 65, "the tensor of the input embedding is missing")
    model(t, EMBEDDING, LAYERS[0])
    bad(t, 65, r"config.json says 2 layers, and layer 1 \(from 0\) has none")
    model(t, (EMBEDDING[0], [VOCAB, 5]), *LAYERS)
    bad(t, 69, "has width 5, and the stream hidden_size 4")
    model(t, (EMBEDDING[0], [VOCAB - 1, HIDDEN]), *LAYERS)
    bad(t, 65, "has 19 rows, and vocab_size is 20")
    t.write("old/model.safetensors", safetensors(EMBEDDING, *LAYERS)[:-1])
    bad(
        t,
        65,
        "model.safetensors: the tensor model.layers.1.mlp.weight: its data do not lie in the file",
    )
    t.write("old/model.safetensors", "{}")
    bad(t, 65, "model.safetensors: this is no safetensors file")
    (t.folder / "old/model.safetensors").unlink()
    bad(t, 65, "it has neither model.safetensors nor model.safetensors.index.json")


def test_shards(t):
    start(t)
    index = {
        "weight_map": {EMBEDDING[0]: "a.safetensors", **{n: "b.safetensors" for n, _ in LAYERS}}
    }
    (t.folder / "old/model.safetensors").unlink()
    t.write("old/model.safetensors.index.json", json.dumps(index))
    t.write("old/a.safetensors", safetensors(EMBEDDING))
    bad(t, 65, "the file b.safetensors, which model.safetensors.index.json names, is missing")
    t.write("old/b.safetensors", safetensors(LAYERS[0]))
    bad(t, 65, "the tensor model.layers.1.mlp.weight is missing: .* says that b.safetensors has it")
    t.write("old/b.safetensors", safetensors(*LAYERS))
    report = json.loads(t.tool("inject", "g.lrnn", "old", "-o", "out", "--json"))
    assert report["base_model"]["tensor_count"] == 3
    listed = index["weight_map"].pop(LAYERS[1][0])
    t.write("old/model.safetensors.index.json", json.dumps(index))
    bad(t, 65, f"does not have the tensor {LAYERS[1][0]} of {listed}", kept=["out"])
    index["weight_map"][EMBEDDING[0]] = "../a.safetensors"
    t.write("old/model.safetensors.index.json", json.dumps(index))
    bad(t, 65, f"the tensor {EMBEDDING[0]} is in no file of the folder", kept=["out"])
    for text, err in (
        ("{}", "no object weight_map"),
        ("[]", "no object weight_map"),
        ('{"weight_map": {"a": 1}}', "no file"),
    ):
        t.write("old/model.safetensors.index.json", text)
        bad(t, 65, err, kept=["out"])


def test_models_that_are_refused(t):
    start(t)
    for members, rc, err in (
        ({"model_type": None}, 65, "no model_type"),
        ({"hidden_size": None}, 65, "no hidden_size"),
        ({"vocab_size": "20"}, 65, "no vocab_size"),
        ({"architectures": ["BertForMaskedLM"]}, 69, "BertForMaskedLM is no causal language model"),
        ({"is_encoder_decoder": True}, 69, "llama is no causal language model"),
    ):
        model(t, **members)
        bad(t, rc, err)
    t.write("old/config.json", "[]")
    bad(t, 65, "config.json is no JSON object")
    (t.folder / "old/config.json").unlink()
    bad(t, 65, "no config.json")
    refused(
        t,
        "g.lrnn",
        "g.fsa",
        "-o",
        "out",
        rc=74,
        err="the folder of a model is expected, not 'g.fsa'",
    )
    refused(
        t, "g.lrnn", "none", "-o", "out", rc=74, err="the folder of a model is expected, not 'none'"
    )


def test_pickles(t):
    """They are refused, and the text says how to convert them."""
    start(t)
    (t.folder / "old/model.safetensors").unlink()
    for name in ("pytorch_model.bin", "model.pt", "consolidated.00.pth"):
        t.write(f"old/{name}", "")
        bad(t, 69, f"'{name}' has weights as a pickle.*from_pretrained.*save_pretrained")
        (t.folder / "old" / name).unlink()
    t.write("model.pt", "")
    refused(
        t,
        "g.lrnn",
        "model.pt",
        "-o",
        "out",
        rc=69,
        err="has weights as a pickle",
        kept=["model.pt"],
    )


def test_networks_that_are_refused(t):
    start(t)
    t.new("z.fsa", "cyclic", "5")
    t.tool("compile", "z.fsa", "--layers", "1", "--key-dim", "2", "--quiet")
    kept = ["z.fsa", "z.lrnn"]
    refused(
        t, "z.lrnn", "old", "-o", "out", rc=69, err="z.lrnn.*keys over a number field", kept=kept
    )
    refused(t, "none", "old", "-o", "out", rc=74, err="none", kept=kept)
    refused(t, "z.fsa", "old", "-o", "out", rc=65, err="z.fsa", kept=kept)


def test_folders_that_are_refused(t):
    """Nothing is ever replaced."""
    start(t)
    t.write("out/mine", "mine")
    for out in ("out", "old", "g.fsa"):
        t.tool(
            "inject",
            "g.lrnn",
            "old",
            "-o",
            out,
            rc=73,
            err=f"'{out}' exists already, and is not replaced",
        )
    t.tool("inject", "g.lrnn", "old", "-o", "none/out", rc=73, err="none/out")
    t.tool("inject", "g.lrnn", "old", "-o", "/proc/self/out", rc=73, err="/proc/self/out")
    assert t.read("out/mine") == b"mine"
    t.nothing_left("g.fsa", "g.lrnn", "old", "out")


def test_disk_that_is_full(t):
    """A file that cannot be written leaves nothing."""
    import resource

    start(t)
    t.write("old/large.txt", bytes(200000))

    def few():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    t.tool(
        "inject",
        "g.lrnn",
        "old",
        "-o",
        "out",
        rc=(74,),
        err="cannot write 'base/large.txt'",
        prepare=few,
    )
    t.nothing_left("g.fsa", "g.lrnn", "old")


def test_interrupted(t):
    """A signal amid the copy of a large file leaves nothing."""
    start(t)
    with open(t.folder / "old/large.txt", "wb") as file:
        file.truncate(4 << 30)
    process = t.start("inject", "g.lrnn", "old", "-o", "out")
    until = time.monotonic() + 60
    while not list(t.folder.glob("out.f2l-tmp-*/base/large.txt")):
        assert process.poll() is None and time.monotonic() < until, "no copy begins"
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    errors = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 128 + signal.SIGTERM, errors
    t.nothing_left("g.fsa", "g.lrnn", "old")


def test_usage(t):
    start(t)
    out = ("-o", "out")
    some = "a network and the folder of a language model are expected"
    refused(t, "g.lrnn", *out, rc=64, err=some)
    refused(t, "g.lrnn", "old", "old", *out, rc=64, err=some)
    refused(t, "g.lrnn", "old", rc=64, err="--out OUT is missing")
    bad(t, 64, "bfloat16, float16; not 'float32'", "--dtype", "float32")
    bad(t, 64, "unknown option '--widen'", "--widen")
    bad(t, 64, "no option '--force'|unknown option '--force'", "--force")
