"""The command `ladder`: the rows of configurations written by hand from the classes' defaults, the
verdict for an automaton, every class of fla, and configurations that are refused."""

import importlib.util
import json
import os
import re
from pathlib import Path

from harness import ROOT

CONFIGS = ROOT / "tests/data/configs"
# File, form, layer, n_h, row, and the layers of both kinds.
EXPECTED = {
    "fla-delta-net.json": ("JSON", "DeltaNet", 1, "deltanet-positive", 24, 0),
    "fla-gated-deltanet.json": ("JSON", "Gated DeltaNet", 1, "deltanet", 16, 5),
    "fla-gated-deltaproduct.json": ("JSON", "Gated DeltaProduct", 3, "gated", 21, 0),
    "fla-kda.json": ("JSON", "KDA", 1, "kda-positive", 24, 0),
    "fla-mamba2.json": ("JSON", "Mamba-2", None, "diagonal-positive", 48, 0),
    "fla-mamba3.json": ("JSON", "Mamba-3", None, "mamba3", 48, 0),
    "fla-path.json": ("JSON", "PaTH", None, "path", 24, 0),
    "fla-rwkv7.json": ("JSON", "RWKV-7", None, "rwkv7", 24, 0),
    "megatron-gdn.args": ("arguments", "Gated DeltaNet", 1, "hybrid-positive", 6, 2),
    "megatron-gdp.yaml": ("YAML", "Gated DeltaProduct", 3, "gated-positive", 2, 0),
    "megatron-printed.txt": ("arguments", "GDN-2", 1, "hybrid-positive", 3, 1),
    "transformers-olmo-hybrid.json": ("JSON", "Gated DeltaNet", 1, "deltanet", 3, 1),
    "transformers-qwen3-next.json": ("JSON", "Gated DeltaNet", 1, "hybrid-positive", 36, 12),
    "vllm-kimi-linear.json": ("JSON", "KDA", 1, "hybrid-positive", 6, 2),
}
ANSWERS = {
    "hybrid-positive": ("can", "can (published)", "not known"),
    "rwkv7": ("can", "cannot", "cannot"),
}


def ladder(t, *args, rc=0):
    return json.loads(t.tool("ladder", *map(str, args), "--json", rc=rc))


def config(t, rc=0, err=None, name="config.json", text=None, **members):
    t.write(name, (text if text is not None else json.dumps(members)).encode())
    if rc:
        return t.tool("ladder", name, rc=rc, err=err)
    return ladder(t, name)


def test_configs(t):
    assert {p.name for p in CONFIGS.iterdir()} == {*EXPECTED, "fla-classes.txt"}
    for name, (form, layer, n_h, row, recurrent, attention) in EXPECTED.items():
        r = ladder(t, CONFIGS / name)
        assert (r["settings_form"], r["layer_name"], r["class"]) == (form, layer, row), r
        assert r["householders"] == n_h, r
        assert (r["layers_recurrent"], r["layers_of_attention"]) == (recurrent, attention), r
        assert r["has_attention"] == (attention > 0) and r["ladder_answer"] is None, r
        assert r["scope"] and r["ladder_claim"] and r["reached_claim"] and r["config_version"], r
        text = t.tool("ladder", str(CONFIGS / name))
        assert max(map(len, text.splitlines())) < 100 and "\nscope " in text, text


def test_answers(t):
    """A row that can says can, with no word; the others have the verdicts of their rows."""
    for at, family in enumerate((("flipflop",), ("symmetric", "3"), ("alternating", "5"))):
        t.write("g.fsa", t.tool("new", *family))
        rows = {r["class"]: r for r in json.loads(t.tool("classify", "g.fsa", "--json"))["classes"]}
        for name, (_, _, _, row, *_) in EXPECTED.items():
            a = ladder(t, CONFIGS / name, "--fsa", "g.fsa")["ladder_answer"]
            assert a["answer"] == rows[row]["answer"], (name, family, a)
            assert a["answer"] == ANSWERS.get(row, (a["answer"],) * 3)[at], (name, family, a)
            assert a["scope"] and (a["answer"] != "cannot" or a["cycle_word"]["word"]), a
    text = t.tool("ladder", str(CONFIGS / "fla-kda.json"), "--fsa", "g.fsa")
    assert "allow_neg_eigval = true: then every automaton, L.10" in " ".join(text.split()), text
    r = ladder(t, CONFIGS / "fla-kda.json", "--regex", "(aa)*")["ladder_answer"]
    assert r["label_kind"] == "accept" and r["answer"] == "cannot", r


def test_one_setting(t):
    """What a setting changes: signs, gates, floors, least steps, and where attention is."""
    neg = {"model_type": "delta_net", "allow_neg_eigval": True}
    assert config(t, **neg)["class"] == "deltanet" and config(t, **neg)["would_change"] is None
    product = {"model_type": "gated_deltaproduct", "num_householder": 2}
    r = config(t, **product)
    assert (r["class"], r["layer_name"]) == ("deltaproduct-positive", "DeltaProduct"), r
    assert "aperiodic automata can (RL.3)" in r["reached_claim"], r
    r = config(t, **product, use_forget_gate=True)
    assert r["class"] == "gated-positive" and "RL.1" in r["reached_claim"], r
    assert config(t, **product, allow_neg_eigval=True)["class"] == "deltaproduct"
    r = config(t, model_type="mamba3", A_floor=0)
    assert r["class"] == "complex" and r["would_change"] is None, r
    r = config(t, model_type="mamba2", fuse_norm=True, time_step_limit=[0.01, 1])
    assert r["layer_gates"].startswith("below 1") and "[0, ..]" in r["would_change"], r
    assert r["ladder_claim"].startswith("definite automata can"), r
    t.write("flipflop.fsa", t.tool("new", "flipflop"))
    t.write("definite.fsa", t.tool("new", "definite", "2"))
    for file, answers in (("flipflop.fsa", ("cannot", "cannot")), ("definite.fsa", ("can",) * 2)):
        a = ladder(t, "config.json", "--fsa", file)["ladder_answer"]
        assert (a["answer"], a["reached_answer"]) == answers, a
    config(t, model_type="retnet")
    a = ladder(t, "config.json", "--fsa", "definite.fsa")["ladder_answer"]
    assert a["answer"] == "not known" and "constants" in a["scope"], a
    r = config(t, model_type="retnet", attn={"layers": [1]}, num_hidden_layers=2)
    assert r["class"] == "transformer" and r["layers_recurrent"] == 1, r
    r = config(t, model_type="rodimus", block_type="rodimus")
    assert r["class"] == "diagonal-positive" and not r["has_attention"], r
    assert config(t, model_type="rodimus")["class"] == "hybrid-diagonal"
    r = config(t, model_type="jamba", num_hidden_layers=32, attn_layer_period=8)
    assert (r["layers_recurrent"], r["layers_of_attention"]) == (28, 4), r
    r = config(t, architectures=["NemotronHForCausalLM"], hybrid_override_pattern="M-M*E|M")
    assert (r["all_layers"], r["layers_recurrent"], r["layers_of_attention"]) == (6, 3, 1), r
    r = config(t, model_type="llama", num_hidden_layers=2)
    assert (r["class"], r["layers_recurrent"]) == ("transformer", 0), r
    kinds = ["linear_attention", "indexed_attention"]
    inner = {"model_type": "glm5_next_text", "layer_types": kinds}
    r = config(t, model_type="glm5_next", text_config=inner)
    assert (r["layer_name"], r["layers_recurrent"], r["layers_of_attention"]) == ("KDA", 1, 1), r
    r = config(t, name="m.yaml", text="hybrid_layer_pattern: MG\nspec: [a, mamba_stack_spec]\n")
    assert r["layer_name"] == "Mamba-2 and Gated DeltaNet", r


def test_every_class_of_fla(t):
    """Every configuration class has a row, or is refused by its name; the list is fla's where it is
    installed, or where FLA_DIR names its sources."""
    lines = (CONFIGS / "fla-classes.txt").read_text().splitlines()
    names = [line for line in lines if not line.startswith("#")]
    assert len(names) == len(set(names)) == 40, len(names)
    refused = []
    for name in names:
        model = name.removesuffix("Config") + "ForCausalLM"
        t.write("config.json", json.dumps({"architectures": [model], "fuse_norm": True}).encode())
        out = t.tool("ladder", "config.json", rc=(0, 69))
        assert name in (out or t.errors), (name, out, t.errors)
        refused += [] if out else [name]
    assert len(refused) == 15, refused
    spec = importlib.util.find_spec("fla")
    folder = os.environ.get("FLA_DIR") or (spec and spec.submodule_search_locations[0])
    if folder:
        found = {
            name
            for file in Path(folder).rglob("models/*/configuration_*.py")
            for name in re.findall(r"^class (\w+Config)\(", file.read_text(), re.M)
        }
        assert found and found <= set(names), found - set(names)


def test_refused(t):
    """Each message names the setting, and the line and column where it is."""
    many = '{\n  "model_type": "gated_deltaproduct",\n  "num_householder": 0\n}'
    config(t, 65, "config.json:3:4: error: num_householder is 0", text=many)
    config(t, 65, "m.yaml:2:1: error: gdp_num_householder is 0", name="m.yaml",
           text="num_layers: 4\ngdp_num_householder: 0\n")
    config(t, 65, "1:3: error: gdp-num-householder is 0".replace("-", "_"), name="m.args",
           text="--gdp-num-householder 0")
    config(t, 69, "model_type is toto, a class that is not known", model_type="toto")
    config(t, 69, "architectures is TotoForCausalLM", architectures=["TotoForCausalLM"])
    config(t, 69, "ABCConfig normalises its slots", model_type="abc")
    config(t, 69, "says no class", hidden_size=3)
    steps = {"model_type": "mamba2"}
    config(t, 65, "time_step_limit is an open range", **steps, time_step_limit=[0.1])
    config(t, 65, "time_step_limit is an empty range", **steps, time_step_limit=[1, 0.1])
    config(t, 65, "begins below 0", **steps, time_step_limit=[-1, 1])
    config(t, 65, "lower_bound leaves an empty range", model_type="kda", lower_bound=0.5)
    config(t, 65, "the range is open", model_type="kda", safe_gate=True)
    config(t, 69, "use_beta is false", model_type="delta_net", use_beta=False)
    config(t, 69, "use_gk is false", model_type="gla", use_gk=False)
    config(t, 65, "A_floor is negative", model_type="mamba3", A_floor=-1)
    config(t, 65, "is to be true or false", model_type="kda", allow_neg_eigval=2)
    config(t, 65, "is to be a whole number", model_type="kda", num_hidden_layers="many")
    config(t, 65, "more layers than there are", model_type="kda", num_hidden_layers=1,
           attn={"layers": [0, 1]})
    config(t, 65, "kind of layer", model_type="qwen3_next", layer_types=["toto"])
    config(t, 65, "a letter that is not known", hybrid_layer_pattern="MX")
    config(t, 69, "gdn, gdn2 and dsa are", experimental_attention_variant="toto")
    config(t, 65, "is no JSON", text="{")
    config(t, 65, "there twice", name="m.yaml", text="a: 1\nb:\n  a: 2\n")
    config(t, 65, "m.yaml:2:4: error: this kind of YAML", name="m.yaml", text="a: 1\nb: &c 2\n")
    config(t, 65, "the configuration is empty", text=" \n")
    config(t, 65, "a quote that nothing closes", name="m.args", text="--a 'b")
    t.tool("ladder", rc=64, err="one configuration is expected")
    t.tool("ladder", "nothing.json", rc=74)
