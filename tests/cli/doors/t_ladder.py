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
    "complex-kda.json": ("JSON", "Complex KDA", 1, "complex-kda", 24, 0),
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
    "megatron-namespace.txt": ("arguments", "Gated DeltaProduct", 3, "hybrid-positive", 4, 1),
    "megatron-printed.txt": ("arguments", "GDN-2", 1, "hybrid-letters", 3, 1),
    "transformers-olmo-hybrid.json": ("JSON", "Gated DeltaNet", 1, "deltanet", 3, 1),
    "transformers-qwen3-next.json": ("JSON", "Gated DeltaNet", 1, "hybrid-positive", 36, 12),
    "vllm-kimi-linear.json": ("JSON", "KDA", 1, "hybrid-positive", 6, 2),
}
ANSWERS = {
    "hybrid-letters": ("can", "can (published)", "not known"),
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
    assert "with separating decoders and any number of states" in " ".join(text.split()), text
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
    r = config(t, model_type="mamba3")
    assert r["class"] == "mamba3" and "the library refuses" in r["would_change"], r
    r = config(t, model_type="mamba2", fuse_norm=True, time_step_limit=[0.01, 1])
    assert r["layer_gates"].startswith("below 1") and "[0, ..]" in r["would_change"], r
    assert r["ladder_claim"].startswith("definite automata can"), r
    t.write("flipflop.fsa", t.tool("new", "flipflop"))
    t.write("definite.fsa", t.tool("new", "definite", "2"))
    for file, answers in (("flipflop.fsa", ("cannot", "cannot")), ("definite.fsa", ("can",) * 2)):
        a = ladder(t, "config.json", "--fsa", file)["ladder_answer"]
        assert (a["answer"], a["reached_answer"]) == answers, a
    for members, answer in (({}, "cannot"), ({"gate_soft_cap": 15.0}, "cannot"),
                            ({"gate_soft_cap": None}, "can")):
        config(t, model_type="xlstm", **members)
        a = ladder(t, "config.json", "--fsa", "flipflop.fsa")["ladder_answer"]
        assert (a["answer"], a["reached_answer"]) == (answer, "cannot"), (members, a)
    config(t, model_type="retnet")
    a = ladder(t, "config.json", "--fsa", "definite.fsa")["ladder_answer"]
    assert a["answer"] == "not known" and "constants" in a["scope"], a
    assert a["reached_answer"] == "not known", a
    assert "of definite ones nothing" in ladder(t, "config.json")["reached_claim"]
    a = ladder(t, "config.json", "--fsa", "flipflop.fsa")["ladder_answer"]
    assert (a["answer"], a["reached_answer"], a["reached_by"]) == ("cannot", "cannot", "RL.1"), a
    r = config(t, model_type="retnet", attn={"layers": [1]}, num_hidden_layers=2)
    assert r["class"] == "transformer" and r["layers_recurrent"] == 1, r
    r = config(t, model_type="rodimus", block_type="rodimus")
    assert r["class"] == "diagonal-positive" and not r["has_attention"], r
    assert config(t, model_type="rodimus")["class"] == "hybrid-diagonal"
    r = config(t, model_type="jamba", num_hidden_layers=32, attn_layer_period=8,
               attn_layer_offset=4)
    assert (r["layers_recurrent"], r["layers_of_attention"]) == (28, 4), r
    r = config(t, architectures=["NemotronHForCausalLM"], hybrid_override_pattern="M-M*E|M")
    assert (r["all_layers"], r["layers_recurrent"], r["layers_of_attention"]) == (6, 3, 1), r
    r = config(t, model_type="kda", num_hidden_layers=2, attn={"layers": [0, 1]})
    assert r["class"] == "transformer" and r["layer_range"] == "any weights", r
    assert r["layer_gates"] == "none" and r["range_setting"] is r["householders"] is None, r
    assert r["would_change"] is None, r  # a rate of layers that are not there
    r = config(t, model_type="llama", num_hidden_layers=2)
    assert (r["class"], r["layers_recurrent"]) == ("transformer", 0), r
    kinds = ["linear_attention", "indexed_attention"]
    inner = {"model_type": "glm5_next_text", "layer_types": kinds}
    r = config(t, model_type="glm5_next", text_config=inner)
    assert (r["layer_name"], r["layers_recurrent"], r["layers_of_attention"]) == ("KDA", 1, 1), r
    r = config(t, name="m.yaml", text="hybrid_layer_pattern: MG\nspec: [a, mamba_stack_spec]\n")
    assert r["layer_name"] == "Mamba-2 and Gated DeltaNet", r


def test_few_factors(t):
    """Layers of a network that needs more factors than the model has are not said to suffice."""
    t.write("s4.fsa", t.tool("new", "symmetric", "4"))  # one layer of two factors, by R1
    t.write("maps.fsa", t.tool("new", "transformations", "3"))
    for grammar, most in (("s4.fsa", 3), ("maps.fsa", 1)):
        rows = {r["class"]: r for r in json.loads(t.tool("classify", grammar, "--json"))["classes"]}
        for n_h in range(1, most + 1):
            for row in ("deltaproduct", "gated"):
                assert rows[row]["householders"] > 1, rows[row]
                r = config(t, model_type="gated_deltaproduct", num_householder=n_h,
                           allow_neg_eigval=True, use_forget_gate=row == "gated")
                assert r["class"] == row and r["ladder_claim"] == "all automata can (L.10)", r
                a = ladder(t, "config.json", "--fsa", grammar)["ladder_answer"]
                expected = rows[row if n_h > 1 else "deltanet"]
                assert a["answer"] == "can" and a["statement"] == expected["statement"], (n_h, a)
                assert (a["layers"] == 1) == (n_h > 1), (n_h, a)


def test_where_attention_is(t):
    """A list that is missing, odd or of another class is refused; a window is not all positions."""
    t.write("parity.fsa", t.tool("new", "cyclic", "2"))
    t.write("definite.fsa", t.tool("new", "definite", "2"))

    def answer(rc=0, err=None, fsa="parity.fsa", **members):
        config(t, rc, err, **members)
        return None if rc else ladder(t, "config.json", "--fsa", fsa)["ladder_answer"]

    text = "is missing: without it it is not known which layers are of attention"
    for kind, setting in (("olmo_hybrid", "layer_types"), ("granitemoehybrid", "layer_types"),
                          ("nemotron_h", "hybrid_override_pattern"), ("glm5_next", "layer_types"),
                          ("jamba", "attn_layer_period"), ("bamba", "attn_layer_indices"),
                          ("kimi_linear", "linear_attn_config"),
                          ("qwen3_next", "full_attention_interval")):
        answer(69, f"{setting} {text}", model_type=kind, num_hidden_layers=8)
    for members in ({"hybrid_attention_ratio": 0.08, "mamba_num_heads": 8},
                    {"gdp_num_householder": 3}, {"spec": ["a", "mamba_stack_spec"]}):
        answer(69, f"hybrid_layer_pattern {text}", **members, num_layers=8,
               tensor_model_parallel_size=8)
    gdn = {"experimental_attention_variant": "gdn", "num_layers": 4}
    answer(69, f"linear_attention_freq {text}", **gdn)
    for odd in ("([1]*3+[0])*1", 0, -1):
        answer(65, "linear_attention_freq is to be a number", **gdn, linear_attention_freq=odd)
    answer(65, "something else than 0 and 1", **gdn, linear_attention_freq=[1, 1, 1, "0"])
    answer(65, "another number of layers", **gdn, linear_attention_freq=[1, 0])
    kimi = {"model_type": "kimi_linear", "num_hidden_layers": 3}
    for lists in ("x", {"kda_layers": [1, 2, 3]}, {"full_attn_layers": [3]},
                  {"full_attn_layers": 3, "kda_layers": [1, 2]},
                  {"full_attn_layers": [3], "kda_layers": [1, 1]},
                  {"full_attn_layers": [3], "kda_layers": [1]},
                  {"full_attn_layers": ["3"], "kda_layers": [1, 2]},
                  {"full_attn_layers": [2], "kda_layers": [0, 1]}):
        answer(65, "config.json:1:", **kimi, linear_attn_config=lists)
    bamba = {"model_type": "bamba", "num_hidden_layers": 4}
    for indices in (2, [4], [True], [1, 1], "1"):
        answer(65, "attn_layer_indices", **bamba, attn_layer_indices=indices)
    assert answer(**bamba, attn_layer_indices=[2])["answer"] == "can (published)"
    jamba = {"model_type": "jamba", "num_hidden_layers": 4, "attn_layer_period": 8}
    answer(65, "attn_layer_offset is missing", **jamba)
    for kind, setting in (("jamba", "attn_layer_period"), ("bamba", "attn_layer_indices")):
        answer(69, f"{setting} {text}", model_type=kind, layers_block_type=["mamba"] * 4)
    answer(65, "larger than its offset", **jamba, attn_layer_offset=8)
    assert answer(**jamba, attn_layer_offset=4)["answer"] == "cannot"
    assert answer(**jamba, attn_layer_offset=3)["answer"] == "can (published)"
    answer(65, "num_hidden_layers is missing", model_type="qwen3_next", full_attention_interval=4)
    answer(65, "full_attention_interval says something else", model_type="qwen3_next",
           full_attention_interval=2, num_hidden_layers=2, layer_types=["linear_attention"] * 2)
    answer(69, "attn_layer_period places attention in other classes", model_type="mamba2",
           attn_layer_period=2)
    answer(69, "attn places attention in other classes", model_type="mamba2", fuse_norm=True,
           attn={"layers": [0]})
    for kinds in (["linear_attention"] * 2, ["mamba", "full_attention"]):
        answer(69, "layer_types has recurrent layers", model_type="llama", layer_types=kinds)
    for members in ({}, {"layers_block_type": ["hybrid"] * 4}):
        a = answer(model_type="falcon_h1", num_hidden_layers=4, **members)
        r = ladder(t, "config.json")
        assert a["answer"] == "can (published)" and r["class"] == "hybrid-diagonal", (a, r)
        assert (r["layers_recurrent"], r["layers_of_attention"]) == (4, 4), r
    a = answer(model_type="mistral", num_hidden_layers=2, sliding_window=4096)
    assert (a["answer"], a["reached_answer"]) == ("not known", "not known"), a
    a = answer(model_type="qwen3", sliding_window=4096, use_sliding_window=False)
    assert a["answer"] == "can (published)", a
    window = {"layers": [1], "window_size": 64}
    for members in ({"model_type": "samba", "attn": window}, {"model_type": "samba"},
                    {"model_type": "kda", "attn": [{"layers": [0]}, window]},
                    {"model_type": "qwen3", "layer_types": ["full_attention", "sliding_attention"]},
                    {"hybrid_layer_pattern": "MD"}, {"model_type": "rodimus"},
                    {"model_type": "transformer", "window_size": 64},
                    {"experimental_attention_variant": "dsa"}):
        a = answer(**members)
        assert (a["answer"], a["reached_answer"]) == ("not known", "not known"), (members, a)
        assert "a part of the positions" in ladder(t, "config.json")["ladder_claim"], members
    a = answer(fsa="definite.fsa", model_type="kda", attn=window)
    assert (a["answer"], a["reached_answer"], a["reached_by"]) == ("can", "can", "RL.2, RL.14"), a
    a = answer(model_type="kda", allow_neg_eigval=True, attn=window)
    assert (a["answer"], a["reached_answer"]) == ("can", "not known"), a
    config(t, model_type="llama", num_hidden_layers=2)
    assert "layers        2 of attention\n" in t.tool("ladder", "config.json")


def test_letters_beside_attention(t):
    """With GDN-2 or RWKV-7 beside attention an automaton in which no letter acts as a cycle can,
    whatever its groups (RL.17); where a letter does, attention is left."""
    lines = ["start q0"]
    for q in range(5):  # r leads back, so that a letter twice leads to `dead`; with r: S5
        for letter, to in (("a", (q + 1) % 5), ("b", {0: 1, 1: 0}.get(q, q))):
            lines += [f"q{q} {letter} p{to}", f"p{q} {letter} dead"]
        lines += [f"q{q} r dead", f"p{q} r q{q}"]
    lines += [f"dead {letter} dead" for letter in "abr"]
    t.write("turns.fsa", "\n".join(lines) + "\n")
    t.write("parity.fsa", t.tool("new", "cyclic", "2"))
    t.write("a5.fsa", t.tool("new", "alternating", "5"))
    attn = {"layers": [1]}
    gdn2 = {"experimental_attention_variant": "gdn2", "hybrid_layer_pattern": "GG*"}
    for members in ({"model_type": "rwkv7", "attn": attn}, gdn2,
                    {**gdn2, "hybrid_layer_pattern": "MG*"}):
        r = config(t, **members)
        assert r["class"] == "hybrid-letters" and "RL.17" in r["ladder_claim"], r
        assert "separating decoders" in r["scope"], r
        for file, answer, by in (("turns", "can", "RL.17"), ("parity", "can (published)", "L.13"),
                                 ("a5", "not known", "RL.14")):
            a = ladder(t, "config.json", "--fsa", f"{file}.fsa")["ladder_answer"]
            assert (a["answer"], a["reached_answer"]) == (answer, "not known"), (members, a)
            assert by in a["statement"], (members, a)
            assert answer != "can" or a["layers"] == 3, (members, a)
    window = {**attn, "window_size": 64}
    r = config(t, model_type="rwkv7", attn=window)
    assert "RL.17" in r["ladder_claim"] and "a part of the positions" in r["ladder_claim"], r
    for file, answer in (("turns", "can"), ("parity", "not known"), ("a5", "not known")):
        a = ladder(t, "config.json", "--fsa", f"{file}.fsa")["ladder_answer"]
        assert a["answer"] == answer, a
    config(t, model_type="kda", attn=attn)
    a = ladder(t, "config.json", "--fsa", "turns.fsa")["ladder_answer"]
    assert a["answer"] == "not known", a
    for pattern, answers in (("MG", ("can", "cannot", "cannot")),
                             ("GG", ("can", "cannot", "cannot"))):
        r = config(t, **{**gdn2, "hybrid_layer_pattern": pattern})
        assert r["class"] == "gdn2", r
        for file, answer in zip(("turns", "parity", "a5"), answers):
            a = ladder(t, "config.json", "--fsa", f"{file}.fsa")["ladder_answer"]
            assert a["answer"] == answer, (pattern, a)
    config(t, 69, "Gated DeltaProduct and GDN-2: no row", **{**gdn2, "hybrid_layer_pattern": "MG"},
           gdp_num_householder=3)


def test_names_and_arithmetic(t):
    """Settings that change a layer are refused, and names that are nearly names that are read."""
    config(t, 69, "qk_norm has a value that changes", model_type="delta_net", qk_norm="sum")
    assert config(t, model_type="delta_net", qk_norm="l2")["class"] == "deltanet-positive"
    config(t, 69, "mom_backend has a value", model_type="mom", mom_backend="toto")
    config(t, 69, "clamp_min has a value", model_type="gla", clamp_min=-1)
    config(t, 69, "slstm_at has a value", model_type="xlstm", slstm_at=[1])
    assert config(t, model_type="xlstm", slstm_at=[])["layer_name"] == "mLSTM"
    for name in ("allow_neg_eigvals", "linear_allow_neg_eigval", "allow_neg_eigenvalues"):
        config(t, 65, f"config.json:1:24: error: {name} is not read by this class, which reads "
               "allow_neg_eigval", model_type="kda", **{name: True})
    config(t, 65, "is not read by this class", model_type="qwen3_next", allow_neg_eigval=True)
    config(t, 65, "num_householders is not known here: is num_householder meant",
           model_type="gated_deltaproduct", num_householders=2)
    config(t, 65, "time_step_limits is not known here", model_type="mamba2",
           time_step_limits=[1, 2])
    config(t, 65, "time_step_limit ends at 0", model_type="mamba2", time_step_limit=[0, 0])
    r = config(t, model_type="mamba2", time_step_limit=[0, {"__float__": "Infinity"}])
    assert r["layer_range"].endswith("from 0 on"), r
    config(t, 65, "open range", model_type="mamba2", time_step_limit=[0, {"__float__": "x"}])
    assert config(t, text='\ufeff{"model_type": "kda"}')["settings_form"] == "JSON"


def test_python(t):
    """What Python prints of arguments is read, and refused at its place; nothing is evaluated."""
    gdn = "Namespace(num_layers=4, experimental_attention_variant='gdn', %s)"
    r = config(t, name="a.txt", text=gdn % "linear_attention_freq=(1, 1, 0, 1)")
    assert (r["settings_form"], r["layers_recurrent"], r["layers_of_attention"]) == (
        "arguments", 3, 1), r
    r = config(t, text="{'model_type': 'kda', 'allow_neg_eigval': True, 'attn': None}")
    assert (r["class"], r["would_change"]) == ("kda", None), r
    words = ["python", "pretrain.py", "--num-layers", "4", "--hybrid-layer-pattern=MM*M"]
    r = config(t, text=str(words))
    assert (r["layer_name"], r["layers_recurrent"], r["layers_of_attention"]) == (
        "Mamba-2", 3, 1), r
    odd = {"a": [1, (2.5, -3e-5), ()], "b": {"c": 'it\'s "d"'}, "e": None, "f": float("inf")}
    r = config(t, text=str({"model_type": "kda", **odd, "\u00e9": "\x01\u2028"}))
    assert r["class"] == "kda-positive", r
    for text, at, what in (
        ("TransformerConfig(num_layers=4)", "1:1", "a class that is not known here"),
        ("os.system('x')", "1:1", "a class that is not known here"),
        ("Namespace(num_layers=4,\n num-layers=4)", "2:5", "name=value is expected"),
        ("Namespace(num_layers=4,\n\n  num_layers=[4,\n 5])", "3:3", "num_layers is there twice"),
        ("Namespace(a_b=1, **{'a-b': 2})", "1:21", "a_b is there twice"),
        ("{'a': {'b': 1,\n 'b': 2}}", "2:2", "b is there twice"),
        ("Namespace(a=1) + 1", "1:16", "goes on behind"),
        ("Namespace(a=true)", "1:13", "a value of Python is expected"),
        ("Namespace(a=__import__)", "1:13", "a value of Python is expected"),
        ("Namespace(a=1", "1:14", "a closing bracket is expected"),
        ("Namespace(a=f(1, b=2)", "1:22", "a closing bracket is expected"),
        ("Namespace(a='b)", "1:13", "a quote that nothing closes"),
        ("Namespace(a=<b", "1:13", "an angle bracket that nothing closes"),
        ("Namespace(a='\\d')", "1:14", "an escape"),
        ("Namespace(a='\\ud800')", "1:13", "no UTF-8"),
        ("Namespace(a=1+1)", "1:13", "a number is expected"),
        ("Namespace(a=" + "[" * 40, "1:44", "more than 32 brackets"),
        ("['--a', 1]", "1:1", "member 1 of the list of arguments is no text"),
    ):
        config(t, 65, f"a.txt:{at}: error: ", name="a.txt", text=text)
        assert what in t.errors, (text, t.errors)
    config(t, 65, "a text is not evaluated", text=gdn % "linear_attention_freq='([1]*3+[0])*1'")
    config(t, 65, "to be a whole number", text="Namespace(num_layers=torch.x, hybrid_layer_pattern"
           "='MM')")
    config(t, 69, "gdn, gdn2 and dsa are", text=gdn.replace("'gdn'", "<A.gdn: 1>") % "")


def test_complex_kda(t):
    """A signed gate is Complex KDA, the others are KDA; its floor changes nothing, and what the
    library refuses is refused."""
    kind = {"model_type": "complex_kda"}
    r = config(t, **kind)
    assert (r["class"], r["config_library"], r["config_version"]) == (
        "complex-kda", "ComplexKDA", "03af9700"), r
    assert "gates in [-1,1]" in r["layer_range"] and r["layer_gates"] == "in (-1,1)", r
    assert r["would_change"] is None and "RL.1" in r["reached_claim"], r
    for gate, rows in (("signed_tanh", ("complex-kda-positive", "complex-kda")),
                       ("softplus", ("kda-positive", "kda")),
                       ("sigmoid", ("kda-positive", "kda"))):
        for negative in (False, True):
            r = config(t, **kind, gate=gate, allow_neg_eigval=negative, lower_bound=-1)
            assert r["class"] == rows[negative] and (r["would_change"] is None) == negative, r
    t.write("parity.fsa", t.tool("new", "cyclic", "2"))
    t.write("three.fsa", t.tool("new", "cyclic", "3"))
    attn = {"layers": [1]}
    for members, answers in (({"allow_neg_eigval": False}, ("can", "cannot")), ({}, ("can", "can")),
                             ({"attn": attn}, ("can", "can"))):
        config(t, **kind, **members)
        for file, answer in zip(("parity", "three"), answers):
            a = ladder(t, "config.json", "--fsa", f"{file}.fsa")["ladder_answer"]
            assert a["answer"] == answer, (members, file, a)
            assert a["reached_answer"] == ("not known" if "attn" in members else "cannot"), a
    config(t, 69, "no row is about both together", **kind, attn=attn, allow_neg_eigval=False)
    config(t, 65, "gate is to be signed_sigmoid2", **kind, gate="tanh")
    for low in (-5.5, 0):
        config(t, 65, r"lower_bound is outside of \[-5, 0\)", **kind, lower_bound=low)


def test_every_class_of_fla(t):
    """Every configuration class has a row, or is refused by its name; the list is fla's where it is
    installed, or where FLA_DIR names its sources."""
    lines = (CONFIGS / "fla-classes.txt").read_text().splitlines()
    names = [line for line in lines if not line.startswith("#")]
    assert len(names) == len(set(names)) == 41, len(names)
    refused = []
    for name in names:
        model = name.removesuffix("Config") + "ForCausalLM"
        t.write("config.json", json.dumps({"architectures": [model], "fuse_norm": True}).encode())
        out = t.tool("ladder", "config.json", rc=(0, 69))
        assert name in (out or t.errors), (name, out, t.errors)
        refused += [] if out else [name]
    assert len(refused) == 16 and "CombaConfig" in refused, refused
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
    config(t, 65, "A_floor is not positive", model_type="mamba3", A_floor=-1)
    config(t, 65, "A_floor is not positive", model_type="mamba3", A_floor=0)
    config(t, 65, "is to be true or false", model_type="kda", allow_neg_eigval=2)
    config(t, 65, "is to be a whole number", model_type="kda", num_hidden_layers="many")
    for layers in ([0, 1], [0, 0], ["0"], [-1], 0):
        config(t, 65, "config.json:1:48: error: attn ", model_type="kda", num_hidden_layers=1,
               attn={"layers": layers})
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
