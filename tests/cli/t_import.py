"""`import`, and trained models of other programs in evaluate, inspect, obstruct, run and round."""

import hashlib
import json
import sys
import zipfile
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
import checkpoint_files as files  # noqa: E402

SMALL = ("--heads", "1", "--head-dim", "16", "--mlp", "16", "--to", "32", "--batch", "64")
LEARNS = (*SMALL, "--steps", "300", "--rate", "3e-3", "--lengths", "32")
CLASS = "GatedDeltaProductForCausalLM"
FLA = ("--additive", "--no-learned-start", "--layout", "fla")


def run(t, *options):
    """Trains parity into par.train."""
    t.new("parity.fsa", "parity")
    t.tool("train", "parity.fsa", *LEARNS, *options, "-o", "par.train")


def save(t, name, config, tensors, **how):
    files.save(t.folder / name, config, tensors, **how)
    return name


def test_a_run_in_both_layouts(t):
    run(t, *FLA)
    wanted = json.loads(t.tool("evaluate", "par.train", "--lengths", "16,64", "--json"))["scores"]
    for name, args in (
        ("par.train/fla", ()),
        ("par.train/fla/model.safetensors", ()),
        ("par.train/fla", ("--grammar", "parity.fsa")),
        ("par.train/weights.safetensors", ("--grammar", "parity.fsa")),
    ):
        got = json.loads(t.tool("evaluate", name, *args, "--lengths", "16,64", "--json"))
        assert got["scores"] == wanted, (name, got)
    for name in ("par.train", "par.train/fla"):
        data = json.loads(t.tool("import", name, "-o", "out", "--force", "--json"))
        assert data["vocabulary"] == 2 and data["states"] == 2 and data["no_network"] is None
        assert (data["model_class"] is None) == (name == "par.train")
        assert data["read_out"]["wrong_answers"] == 0 and data["read_out"]["codes"] == 3, data
    assert t.report("out") == data
    for args in ((), ("--grammar", "out/automaton.fsa"), ("--label", "states")):
        got = json.loads(t.tool("evaluate", "out", *args, "--lengths", "16,64", "--json"))
        assert got["scores"] == wanted
    t.tool("inspect", "out", out="2 letters; keys and betas are functions of the letter")
    t.tool("obstruct", "par.train", out="recurrence of a trained model, its betas and keys")


def test_words_of_a_larger_vocabulary(t):
    """Letters and labels may be any words: the scores are those of the model with two words."""
    run(t, *FLA)
    args = ("--grammar", "parity.fsa", "--lengths", "16,64", "--json")
    wanted = json.loads(t.tool("evaluate", "par.train/fla", *args))["scores"]
    config = json.loads(t.read("par.train/fla/config.json"))
    tensors = files.load(t.read("par.train/fla/model.safetensors"))
    for name, words in (("model.embeddings.weight", [3, 1]), ("lm_head.weight", [4, 0])):
        old, width = tensors[name], tensors[name].shape[1]
        numbers = [7.0] * (5 * width)
        for i, word in enumerate(words):
            numbers[word * width : (word + 1) * width] = old.numbers[i * width : (i + 1) * width]
        tensors[name] = files.Tensor((5, width), numbers)
    save(t, "five", {**config, "vocab_size": 5}, tensors)
    words = ("--letter-words", "3,1", "--label-words", "4,0")
    assert json.loads(t.tool("evaluate", "five", *words, *args))["scores"] == wanted
    assert "vocabulary of 5 words 2 are letters" in t.errors, t.errors
    swapped = ("--letter-words", "1,3", "--label-words", "4,0")
    assert json.loads(t.tool("evaluate", "five", *swapped, *args))["scores"] != wanted
    t.tool("import", "five", *words, "--grammar", "parity.fsa", out="wrong for 0 of")
    for bad, why in (
        (("--letter-words", "3,5"), "different numbers below 5"),
        (("--letter-words", "3,3"), "different numbers below 5"),
        (("--letter-words", "3"), "names 1 words: the automaton has 2"),
        (("--label-words", "x"), "not 'x'"),
    ):
        t.tool("evaluate", "five", *bad, *args, rc=64, err=why)
    t.tool("import", "five", *words, rc=64, err="go with --grammar")
    t.tool("evaluate", "par.train", *words, rc=64, err="config.json of another program")


def test_the_network_of_a_run(t):
    """network.lrnn has the numbers of the weights, says that its read-out is not the trained one,
    and is read by nearest codes."""
    run(t)
    t.tool("import", "par.train", out="3 codes that are means of reached states: not the trained")
    text = t.read("par.import/network.lrnn").decode()
    assert text.split("\n")[3] == "read-out fitted", text[:200]
    assert t.read("par.import/automaton.fsa") == t.read("par.train/automaton.fsa")
    shown = json.loads(t.tool("inspect", "par.train", "--json"))["per_head"][0]
    lines = [line.split() for line in text.split("\n") if line.startswith("factor ")]
    for line, letter in zip(lines, shown["letter_actions"]):
        key = [Fraction(0)] * 16
        for entry in line[line.index("u") + 1 :]:
            at, value = entry.split(":")
            key[int(at) - 1] = Fraction(value)
        square = sum(x * x for x in key)
        assert abs(Fraction(line[1]) * square - Fraction(letter["betas"][0])) < Fraction(1, 10**7)
        assert 0 <= Fraction(line[1]) * square <= 2
        for a, b in zip(key, letter["key_vectors"][0]):
            assert abs(float(a) / float(square) ** 0.5 - b) < 1e-7
    answers = "^odd\neven odd even even\n$"
    t.tool("run", "par.import", "--format", "fp32", stdin="1\n0110\n", out=answers)
    t.tool("run", "par.import", stdin="1\n", rc=1, out=r"^\?\n$")
    t.tool(
        "round",
        "par.import",
        *("--formats", "fp32", "--schedules", "every", "--effort", "1", "--letters", "100"),
        rc=(1, 2),
        err="nothing here holds for the trained network",
        out="fp32      every",
    )
    t.tool("obstruct", "par.import", rc=(0, 1, 2), err="codes are means of states")
    changed = text.replace("read-out fitted", "read-out trained")
    t.write("par.import/network.lrnn", changed)
    t.tool("run", "par.import", stdin="1\n", rc=65, err="expected `fitted`")


def test_the_line_of_a_fitted_network(t):
    """The line has no effect: a network that is proved is proved with it, too; other
    spellings are refused."""
    t.new("parity.fsa", "parity")
    t.tool("compile", "parity.fsa", "-o", "net")
    old = t.read("net/network.lrnn")
    new = old.replace(b"field Q\n", b"field Q\nread-out fitted\n")
    old_hash, new_hash = (hashlib.sha256(x).hexdigest().encode() for x in (old, new))
    t.write("net/network.lrnn", new)
    body = t.read("net/certificate.cert").replace(old_hash, new_hash)
    body = body[: body.rindex(b"sha256 ")]
    own = hashlib.sha256(body).hexdigest().encode()
    t.write("net/certificate.cert", body + b"sha256 " + own + b"\n")
    t.check("net")
    t.tool("check", "net", out="VERIFIED")
    t.tool("round", "net", "--formats", "bf16", "--schedules", "every", err="codes are means")
    for line in (b"read-out\n", b"read-out fitted \n", b"read-out fitted\nread-out fitted\n"):
        t.write("bad.lrnn", new.replace(b"read-out fitted\n", line))
        t.tool("run", "bad.lrnn", rc=65)
        t.check_files("net/automaton.fsa", "bad.lrnn", "net/certificate.cert", rc=1)


def test_folders_and_messages(t):
    run(t, *FLA)
    t.tool("run", "par.train", rc=69, err="par.train has a trained model and no network.lrnn")
    t.tool("round", "par.train/fla", rc=69, err="fsa2lrnn import writes one")
    t.tool("import", "par.train", "-o", "out")
    t.tool("import", "par.train", "-o", "out", rc=73, err="exists already")
    t.tool("import", "par.train", "--dry-run", out="network +3 codes")
    t.tool("import", rc=64, err="one model is expected")
    t.tool("import", "par.train", "--label", "accept", rc=64, err="go with --grammar")
    t.tool("import", "nowhere", rc=74, err="nowhere")
    t.tool("compile", "parity.fsa", "-o", "net.lrnn")
    for command in ("evaluate", "inspect", "import"):
        t.tool(command, "net.lrnn/weights.safetensors", rc=69, err="weights of a network")
        t.tool(command, "net.lrnn", rc=69, err="weights of a network")
        t.tool(command, "net.lrnn/network.lrnn", rc=65, err="a network, which run, round and")
    t.tool("new", "symmetric", "3")
    t.write("s3.fsa", t.tool("new", "symmetric", "3"))
    t.tool("import", "par.train", "--grammar", "s3.fsa", rc=69, err="2 letters and 2 labels")
    t.tool("import", "par.train/fla", "--grammar", "s3.fsa", rc=69, err="a vocabulary of 2")
    # a file without its config.json
    t.write("alone.safetensors", t.read("par.train/fla/model.safetensors"))
    for command in ("evaluate", "inspect", "obstruct", "import"):
        t.tool(command, "alone.safetensors", rc=69, err="no config.json with a model_type")
    assert not (t.folder / "alone.import").exists()


def test_pickles(t):
    with zipfile.ZipFile(t.folder / "new.pt", "w") as z:
        z.writestr("archive/data.pkl", b"\x80\x02}q\x00.")
    t.write("old.pth", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19." + bytes(40))
    for name in ("new.pt", "old.pth"):
        for command in ("evaluate", "inspect", "obstruct", "import"):
            t.tool(command, name, rc=65, err="a file of torch.save.*safetensors.torch as s")
    config, _ = files.delta("delta_net")
    t.write("hub/config.json", json.dumps(config))
    t.write("hub/pytorch_model.bin", b"PK\3\4")
    t.tool("import", "hub", rc=69, err="pickles .*safe_serialization=True")


def test_what_is_no_file_of_weights(t):
    """The message says what is expected."""
    t.write("lfs.safetensors", "version https://git-lfs.github.com/spec/v1\nsize 7\n")
    t.new("parity.fsa", "parity")
    for command in ("evaluate", "inspect", "compare", "snap", "horizon", "import"):
        t.tool(command, "parity.fsa", rc=65, err="weights are expected.*`fsa2lrnn train` makes")
        t.tool(command, "lfs.safetensors", rc=65, err="`git lfs pull` fetches the file")
    t.tool("check", "parity.fsa", rc=74, err="an output folder is expected, which `fsa2lrnn FILE`")


def test_options_that_are_not_modelled(t):
    for change, wanted in (
        ({"qk_norm": "sum"}, 'qk_norm = "sum": models here do not have this'),
        ({"use_beta": False}, "use_beta = false"),
        ({"attn": {"layers": [1]}}, r'attn = {"layers":\[1\]}'),
        ({"hidden_act": "powlu"}, 'hidden_act = "powlu"'),
        ({"attnres_block_size": 1}, "attnres_block_size = 1"),
        ({"window": 17}, "window = 17: this member is not known here"),
        (
            {"model_type": "rwkv7"},
            "model_type is rwkv7, which is none of delta_net, .*mamba.*; inspect --layer N reads "
            "also olmo_hybrid, qwen3_next, qwen3_5, .*qwen3_5_moe_text",
        ),
    ):
        config, tensors = files.delta("delta_net")
        save(t, "m", {**config, **change}, tensors)
        for command in ("evaluate", "import"):
            t.tool(command, "m", "--regex", "(a|b)*", rc=69, err=wanted)
    tied = {**files.delta("delta_net")[0], "tie_word_embeddings": True}
    save(t, "m", tied, files.delta("delta_net")[1])
    t.tool("import", "m", rc=65, err="lm_head.weight is not the same as model.embeddings.weight")
    for change in ({"norm_eps": "small"}, {"qk_activation": "relu"}, {"num_heads": 0}):
        config, tensors = files.delta("delta_net")
        save(t, "m", {**config, **change}, tensors)
        t.tool("import", "m", rc=65, err=f"member {next(iter(change))} of config.json")


def test_tensors(t):
    """Missing, extra, misshapen, of another type, not finite: refused by name."""
    config, good = files.delta("gated_deltaproduct")
    name = "model.layers.1.attn.k_proj.weight"
    whole = good[name]

    def refuse(tensors, wanted, **how):
        save(t, "bad", config, tensors, **how)
        t.tool("import", "bad", rc=65, err=wanted)
        assert not (t.folder / "bad.import").exists()

    refuse(
        {k: v for k, v in good.items() if k != name},
        f"the class {CLASS} has a tensor {name} that the file has not",
    )
    refuse(
        {**good, "model.layers.9.x": whole},
        f"the file has a tensor model.layers.9.x that the class {CLASS} has not",
    )
    shape = files.Tensor(whole.shape[::-1], whole.numbers)
    refuse({**good, name: shape}, rf"{name} has a shape.*\[12, 16\], not \[16, 12\]")
    for number in (float("nan"), float("inf")):
        numbers = [*whole.numbers[:-1], number]
        bad = files.Tensor(whole.shape, numbers)
        refuse({**good, name: bad}, f"{name} has a number that is not")
    save(t, "bad", config, good)
    raw = t.read("bad/model.safetensors")
    t.write("bad/model.safetensors", raw.replace(b'"dtype": "F32"', b'"dtype": "I32"', 1))
    t.tool("import", "bad", rc=65, err="not of type BF16")
    t.write("bad/model.safetensors", raw[:-4])
    t.tool("import", "bad", rc=65, err="do not lie in the file|leave a gap")


def network(t, *args):
    """Returns the network of the model m, without the lines that name it."""
    t.tool("import", "m", "--grammar", "parity.fsa", "--force", *args)
    return t.read("m.import/network.lrnn")


def test_names_as_wrappers_write_them(t):
    """Beginnings that all names have are left out, once said; those of some are refused."""
    t.new("parity.fsa", "parity")
    config, good = files.delta("gated_deltaproduct", num_hidden_layers=1, vocab_size=2)
    save(t, "m", config, good)
    wanted = network(t)
    assert "left out" not in t.errors
    for prefix in (
        *("_orig_mod.", "module.", "model.", "module._orig_mod.", "_orig_mod.module."),
        *("model._orig_mod.", "_orig_mod.model.", "_fsdp_wrapped_module.", "_forward_module."),
    ):
        save(t, "m", config, files.wrapped(good, prefix))
        assert network(t) == wanted, prefix
        assert t.errors.count(f"`{prefix}` is left out of the names of all tensors") == 1, t.errors
        save(t, "m", config, good)
    for prefix in ("_orig_mod.", "module."):
        for only in ("lm_head.weight", "model.layers.0.attn_norm.weight"):
            mixed = {prefix + k if k == only else k: v for k, v in good.items()}
            save(t, "m", config, mixed)
            t.tool("import", "m", rc=65, err="do not begin alike")
            assert prefix + only in t.errors, t.errors
    both = {**good, **files.wrapped(good, "_orig_mod.")}
    save(t, "m", config, both)
    t.tool("import", "m", rc=65, err="do not begin alike")
    save(t, "m", config, files.wrapped(good, "ema."))
    t.tool("import", "m", rc=65, err="the file has a tensor ema.model")
    made, tensors = files.mamba()
    save(t, "m", made, files.wrapped(tensors, "module."))
    t.tool("import", "m", "--force", err="`module.` is left out")
    save(t, "m", *files.hybrid("qwen3_next"))
    plain = t.tool("inspect", "m", "--layer", "1", "--json")
    config, tensors = files.hybrid("qwen3_next")
    save(t, "m", config, files.wrapped(tensors, "module."))
    assert t.tool("inspect", "m", "--layer", "1", "--json") == plain


def test_heads_that_are_the_embedding(t):
    t.new("parity.fsa", "parity")
    config, good = files.delta(
        "gated_deltanet", num_hidden_layers=1, vocab_size=2, use_gate=False
    )
    tied, words = {**config, "tie_word_embeddings": True}, good["model.embeddings.weight"]
    head = "lm_head.weight"
    alone = {k: v for k, v in good.items() if k != head}
    save(t, "m", tied, alone)
    wanted = network(t)
    for tensors in (
        {**alone, head: words},
        {head if k == "model.embeddings.weight" else k: v for k, v in alone.items()},
    ):
        save(t, "m", tied, tensors)
        assert network(t) == wanted
    save(t, "m", tied, good)
    t.tool("import", "m", rc=65, err="lm_head.weight is not the same as .*tie_word_embeddings")
    save(t, "m", config, alone)
    t.tool("import", "m", rc=65, err="has a tensor lm_head.weight that the file has not")


def test_tensors_that_have_no_effect(t):
    t.new("parity.fsa", "parity")
    config, good = files.delta(
        "gated_deltanet", num_hidden_layers=1, vocab_size=2, use_gate=False
    )
    save(t, "m", config, good)
    wanted, two = network(t), files.Tensor([2], [1.0, float("nan")])
    known = ("model.layers.0.attn.D", "model.rotary_emb.inv_freq")
    save(t, "m", config, {**good, **dict.fromkeys(known, two)})
    assert network(t) == wanted
    assert "2 tensors have no effect and are passed over: " in t.errors, t.errors
    assert all(name in t.errors for name in known), t.errors
    for name in ("model.layers.0.attn.E", "attn.D", "model.layers.0.attn.q_conv1ds.1.weight"):
        save(t, "m", config, {**good, name: two})
        t.tool("import", "m", rc=65, err=f"the file has a tensor {name} that the class")


def test_the_code_of_the_deltaproduct_paper(t):
    """One tensor for each factor, `use_gate`, and members that its code does not read."""
    t.new("parity.fsa", "parity")
    options = {"num_hidden_layers": 1, "vocab_size": 2}
    config, good = files.delta("gated_deltaproduct", **options)
    save(t, "m", config, good)
    wanted = network(t)
    other, split = files.paper(config, good)
    unread = {"clamp_min": None, "expand_k": 1, "norm_first": False, "use_decay_gate": False}
    unread = {**unread, "use_beta_conv1d": False, "layer_type": "fully_fused"}
    both = {"use_gate": False, "use_output_gate": False}
    # as config.to_dict() of transformers has it
    whole = {"return_dict": True, "pruned_heads": {}, "id2label": {"0": "A"}, "top_k": 50}
    for change in ({}, unread, both, whole, {"model_type": "gated_delta_product"}):
        save(t, "m", {**other, **change}, split)
        assert network(t) == wanted, change
    for change, why in (
        ({"expand_k": 2}, "expand_k = 2"),
        ({"norm_first": True}, "norm_first = true"),
        ({"use_decay_gate": True}, "use_decay_gate = true"),
        ({"use_beta_conv1d": True}, "use_beta_conv1d = true"),
        ({"layer_type": "normal|"}, "layer_type = "),
        ({"clamp_min": 0.1}, "clamp_min = 0.1"),
        ({"hidden_act": 0}, "hidden_act = 0"),
        ({"pruned_heads": {"0": [1]}}, "pruned_heads = "),
    ):
        save(t, "m", {**other, **change}, split)
        t.tool("import", "m", rc=69, err=why)
    save(t, "m", {**other, "use_output_gate": True}, split)
    t.tool("import", "m", rc=65, err="use_gate")
    key = "model.layers.0.attn.k_projs.1.weight"
    missing = {k: v for k, v in split.items() if k != key}
    save(t, "m", other, missing)
    t.tool("import", "m", rc=65, err=f"the class {CLASS} has a tensor {key} that the file has not")
    save(t, "m", other, {**split, key.replace("projs.1", "projs.2"): split[key]})
    t.tool("import", "m", rc=65, err="the file has a tensor .*k_projs.2.weight that the class")
    shifted = dict(split)  # as many rows in all, but not as many for each factor
    first, rows = key.replace("projs.1", "projs.0"), split[key].shape[0]
    numbers, width = split[first].numbers + split[key].numbers, split[key].shape[1]
    shifted[first] = files.Tensor([rows - 1, width], numbers[: (rows - 1) * width])
    shifted[key] = files.Tensor([rows + 1, width], numbers[(rows - 1) * width :])
    save(t, "m", other, shifted)
    t.tool("import", "m", rc=65, err="k_projs.0.weight has a type or a shape that does not fit")
    config, good = files.delta("gated_deltaproduct", use_short_conv=True, conv_size=4)
    config, split = files.paper(config, good)
    del config["conv_size"], config["use_short_conv"]
    save(t, "m", config, split)
    t.tool("import", "m", "--force", err="tensors have no effect.*q_conv1ds.1.weight")


def test_what_the_files_hold(t):
    """--list says what each tensor is used for, or why not, also where the model is refused."""

    def listed():
        data = json.loads(t.tool("import", "--list", "m", "--json"))
        return data, {x["name"]: x["use"] or f"unused: {x['unused']}" for x in data["tensors"]}

    config, good = files.delta("gated_deltaproduct", num_hidden_layers=2, use_short_conv=True)
    config, split = files.paper(config, good)
    extra = {"model.layers.1.attn.D": good["model.norm.weight"]}
    save(t, "m", config, files.wrapped({**split, **extra}, "module."), shards=3)
    data, use = listed()
    at = "module.model.layers.1.attn."
    assert data["refused"] is None and data["absent"] == [] and len(use) == len(split) + 1
    assert data["model_class"] == CLASS
    assert use[at + "k_projs.1.weight"] == "keys of layer 2", use
    assert use["module.lm_head.weight"] == "head", use
    assert use[at + "q_conv1ds.0.weight"] == "convolution of queries of layer 2", use
    assert use[at + "q_conv1ds.1.weight"].startswith("unused: queries are read"), use
    assert use[at + "D"].startswith("unused: a parameter of older versions"), use
    shapes = {x["name"]: (x["dtype"], x["shape"]) for x in data["tensors"]}
    assert shapes[at + "k_conv1ds.0.weight"] == ("F32", [8, 1, 3]), shapes
    assert not list(t.folder.glob("m.import*"))
    wrong = {k: v for k, v in split.items() if k != "lm_head.weight"}
    save(t, "m", config, {**wrong, "model.x": good["model.norm.weight"]}, shards=3)
    (t.folder / "m/model.safetensors").unlink(missing_ok=True)
    data, use = listed()
    assert data["refused"].endswith(f"a tensor model.x that the class {CLASS} has not"), data
    assert use["model.x"] == "unused: the class has no such tensor", use
    assert data["absent"] == ["lm_head.weight"], data
    t.tool("import", "--list", "m", out="import +refused: .*missing +lm_head.weight\n$")
    save(t, "q", *files.hybrid("qwen3_5"))
    where = "model.language_model.layers.0.linear_attn."
    t.tool("import", "--list", "q", out=f"{where}in_proj_qkv.weight  F32 .*  queries of layer 1, ")
    t.tool("import", "--list", "q", out=f"{where}in_proj_z.weight  .*unused: not in the recurrence")
    save(t, "m", {**config, "window": 3}, split)
    data, use = listed()
    assert "window" in data["refused"] and use["lm_head.weight"] == "unused: the model is not read"
    run(t, *FLA)
    t.tool("import", "--list", "par.train", out="import +reads it.*k_proj.weight .* keys of lay")
    t.tool("import", "--list", "par.train/fla", out="DeltaNetForCausalLM")
    t.tool("compile", "parity.fsa", "-o", "net.lrnn")
    t.tool("import", "--list", "net.lrnn", out="refused: these are the weights of a network")
    t.tool("import", "--list", "m", "--grammar", "parity.fsa", rc=64, err="--list writes nothing")
    t.tool("import", "--list", "nowhere", rc=74, err="nowhere")


def test_shards(t):
    config, tensors = files.delta("gated_deltanet", num_v_heads=4, use_gate=True)
    save(t, "m", config, tensors, shards=3, dtype="BF16")
    t.tool("import", "m", out="GatedDeltaNetForCausalLM.*output gate.*written +m.import")
    t.tool("inspect", "m.import", out="gate")
    index = json.loads(t.read("m/model.safetensors.index.json"))
    names = index["weight_map"]
    some = next(iter(names))

    def refuse(change, wanted):
        t.write("m/model.safetensors.index.json", json.dumps({"weight_map": change}))
        t.tool("import", "m", "--dry-run", rc=(65, 66, 69, 74), err=wanted)

    other = "model-00002-of-00003.safetensors"
    refuse({**names, some: other}, f"{some} is missing: .* says that {other} has it")
    refuse({**names, some: "../../etc/passwd"}, "in no file of the folder")
    refuse({**names, some: 1}, "in no file of the folder")
    refuse({k: v for k, v in names.items() if k != some}, f"does not have the tensor {some} of")
    refuse({**names, some: "other.safetensors"}, "other.safetensors")
    refuse({}, "no object weight_map")


def test_layers_of_large_models(t):
    for kind in ("olmo_hybrid", "qwen3_next", "qwen3_5"):
        config, tensors = files.hybrid(kind)
        save(t, kind, config, tensors, shards=4)
        data = json.loads(t.tool("inspect", kind, "--layer", "1", "--words", "0,6", "--json"))
        assert data["layer_of"] == 2 and [x["name"] for x in data["per_letter"]] == ["0", "6"], data
        t.tool("inspect", kind, "--layer", "1", out="one of 2 layers, looked at alone")
        t.tool("inspect", kind, "--layer", "2", rc=69, err="full attention, which is not modelled")
        t.tool("inspect", kind, "--layer", "3", rc=69, err="2 layers")
        t.tool("inspect", kind, rc=69, err="inspect --layer N")
        t.tool("evaluate", kind, "--regex", "a*b*", rc=69, err="not modelled")
        t.tool("import", kind, rc=69, err="not modelled")
        inner = config.get("text_config", config)
        inner["linear_norm"] = 1
        save(t, kind, config, tensors, shards=4)
        t.tool("inspect", kind, "--layer", "1", rc=69, err="linear_norm")
    save(t, "olmo_hybrid", *files.hybrid("olmo_hybrid"))
    for words in ("7", "3,3", "a", "1,", ""):
        t.tool("inspect", "olmo_hybrid", "--layer", "1", "--words", words, rc=64)
    t.tool("inspect", "olmo_hybrid", "--words", "1", rc=64, err="--words is for --layer")
    # Other layers are not read: they may be damaged.
    config, tensors = files.delta("delta_net", num_hidden_layers=3)
    tensors["model.layers.2.attn.k_proj.weight"].numbers[0] = float("nan")
    save(t, "three", config, tensors)
    first = json.loads(t.tool("inspect", "three", "--layer", "1", "--json"))
    t.tool("inspect", "three", "--layer", "3", rc=65, err="layers.2.attn.k_proj.weight has a num")
    tensors["model.layers.2.attn.k_proj.weight"].numbers[0] = 0
    save(t, "three", config, tensors)
    whole = json.loads(t.tool("inspect", "three", "--json"))
    assert [h["letter_actions"] for h in first["per_head"]] == [
        h["letter_actions"] for h in whole["per_head"]
    ]


def test_models_without_a_network(t):
    t.new("ab.fsa", "parity")
    for config, tensors, why in (
        (*files.delta("delta_net"), "more than one layer"),
        (*files.delta("delta_net", num_hidden_layers=1, use_short_conv=True), "a convolution"),
        (*files.mamba(num_hidden_layers=1), "diagonal"),
        (*files.delta("delta_net", num_hidden_layers=1), "--grammar names one"),
    ):
        save(t, "m", config, tensors)
        t.tool("import", "m", "--force", out=f"network +none: .*{why}")
        assert not (t.folder / "m.import/network.lrnn").exists()
        args = () if "grammar" in why else ("--grammar", "ab.fsa")
        data = json.loads(t.tool("import", "m", *args, "--force", "--json"))
        assert why in data["no_network"] and data["read_out"] is None
    t.tool("obstruct", "m", out="recurrence of a trained model")
    config, tensors = files.delta("delta_net")
    save(t, "m", config, tensors)
    t.tool("obstruct", "m", rc=69, err="more than one layer")
    # A model of seven words of which two are letters and two are labels.
    save(t, "m", *files.delta("delta_net", num_hidden_layers=1))
    t.tool("import", "m", "--grammar", "ab.fsa", "--force", err="of 7 words 2 are letters")
    t.tool("evaluate", "m", "--grammar", "ab.fsa", "--lengths", "8", err="are not looked at")
