"""Checkpoints with the names of Megatron in `import`, `evaluate` and `inspect`. What they compute
is compared in tests/clients/checkpoints.py."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients"))
import checkpoint_files as files  # noqa: E402

EVALUATE = ("evaluate", "m", "--regex", "(a|b)*", "--lengths", "4", "--sequences", "2", "--json")
OPTIONS = {"use_short_conv": True, "use_gate": True, "num_v_heads": 4}
MIXER = "decoder.layers.1.mixer."
OWN = "decoder.layers.0.self_attention."


def save(t, config, tensors):
    files.save(t.folder / "m", config, tensors)


def made(**options):
    """Returns the same model as flash-linear-attention and as Megatron name it."""
    config, tensors = files.delta("gated_deltanet", **{**OPTIONS, **options})
    return config, tensors, files.megatron(config, tensors)


def test_the_same_model_under_other_names(t):
    config, tensors, names = made(allow_neg_eigval=False)
    save(t, config, tensors)
    wanted = json.loads(t.tool(*EVALUATE))["scores"]
    save(t, config, names)
    assert json.loads(t.tool(*EVALUATE))["scores"] == wanted
    assert "1 tensor has no effect and is passed over: decoder.final_layernorm._extra" in t.errors
    save(t, config, files.wrapped(names, "module.module."))
    assert json.loads(t.tool(*EVALUATE))["scores"] == wanted
    assert "`module.module.` is left out" in t.errors, t.errors
    save(t, config, files.megatron(config, tensors, local=True, parts=True))
    assert json.loads(t.tool(*EVALUATE))["scores"] == wanted
    t.tool("import", "m", rc=(0, 69))
    cut = files.less_one(tensors)
    save(t, config, tensors)
    wanted = json.loads(t.tool(*EVALUATE))["scores"]
    save(t, files.megatron_arguments(config), files.megatron(config, cut))
    assert json.loads(t.tool(*EVALUATE))["scores"] == wanted


def test_a_head_that_is_the_embedding(t):
    config, tensors, names = made(tie_word_embeddings=True)
    head = names.pop("output_layer.weight")
    save(t, config, names)
    wanted = json.loads(t.tool(*EVALUATE))["scores"]
    names["output_layer.weight"] = names["embedding.word_embeddings.weight"]
    save(t, files.megatron_arguments(config), names)
    t.tool(*EVALUATE)
    save(t, config, names)
    assert json.loads(t.tool(*EVALUATE))["scores"] == wanted
    names["output_layer.weight"] = head
    save(t, config, names)
    t.tool(*EVALUATE, rc=65, err="output_layer.weight is not the same as embedding.word_embedd")


def test_what_the_files_hold(t):
    config, tensors, names = made()
    save(t, config, files.wrapped(names, "module."))
    data = json.loads(t.tool("import", "--list", "m", "--json"))
    use = {x["name"]: x["use"] or x["unused"] for x in data["tensors"]}
    assert data["refused"] is None and data["absent"] == [], data
    assert use["module." + OWN + "in_proj.weight"] == (
        "queries of layer 1, keys of layer 1, values of layer 1, betas of layer 1, "
        "forget gates of layer 1, output gates of layer 1"
    ), use
    assert use["module.output_layer.weight"] == "head"
    t.tool("inspect", "m", "--layer", "2", "--words", "0,6", out="one of 2 layers")
    save(t, *files.megatron_product())
    t.tool("inspect", "m", "--layer", "2", out="4 heads")
    t.tool("inspect", "m", "--layer", "1", rc=69, err="layer 1 has no tensor .*full attention")
    t.tool("import", "--list", "m", out=f"{MIXER}in_proj.weight  F32 .*  queries of layer 2, keys")
    t.tool("import", "--list", "m", out=f"{MIXER}norm.weight .* unused: not in the recurrence")


def test_other_layers_are_refused_by_name(t):
    config, _, names = made()
    bias = files.Tensor([12], [0.0] * 12)
    for name, why in (
        ("decoder.layers.1.self_attention.linear_qkv.weight", "is a projection of full attention"),
        (OWN + "conv1d.bias", "is a bias of a convolution"),
        (OWN + "in_proj.layer_norm_bias", "is a bias of LayerNorm"),
        (OWN + "out_proj.bias", "is a bias of a linear layer"),
        ("decoder.layers.1.mlp.experts.linear_fc1.weight", "is an expert"),
        ("embedding.position_embeddings.weight", "is an embedding of positions"),
    ):
        save(t, config, {**names, name: bias})
        t.tool(*EVALUATE, rc=69, err=f"the tensor {name} {why}, which is not modelled")
    save(t, config, {**names, "decoder.layers.7.more": bias})
    t.tool(*EVALUATE, rc=65, err="the file has a tensor decoder.layers.7.more that the class")
    save(t, config, {**names, "mtp.layers.0.more": bias})
    t.tool(*EVALUATE)
    product, mixer = files.megatron_product()
    save(t, {**product, "swiglu": True}, mixer)
    t.tool(*EVALUATE, rc=69, err="layer 1 has no tensor .* full attention")
    save(t, product, {**mixer, MIXER + "D": bias})
    t.tool("inspect", "m", "--layer", "2", rc=69, err="mixer.D is of Mamba2")
    for name, t1 in list(mixer.items()):
        if name.startswith(MIXER):
            mixer[name.replace("layers.1", "layers.0")] = t1
    del mixer["decoder.layers.0.self_attention.linear_qkv.weight"]
    save(t, {**product, "swiglu": True, "ffn_hidden_size": 5}, mixer)
    t.tool(*EVALUATE, rc=69, err="mixer.norm.weight is the norm behind the output gate")


def test_parts_of_a_model(t):
    """Parts of tensor parallelism, layers in one tensor, and parts of a pipeline."""
    config, _, names = made()
    whole = names[OWN + "in_proj.weight"]
    rows = whole.shape[0] // 2
    names[OWN + "in_proj.weight"] = files.Tensor([rows, 12], whole.numbers[: rows * 12])
    save(t, config, names)
    t.tool(*EVALUATE, rc=69, err=f"has {rows} rows of {2 * rows}: it is one of 2 parts of tensor p")
    names[OWN + "in_proj.weight"] = whole
    stacked = {n.replace("layers.0.", "layers."): x for n, x in names.items() if ".1." not in n}
    save(t, config, stacked)
    t.tool(*EVALUATE, rc=69, err="decoder.layers.self_attention.in_proj.* has all layers in one")
    save(t, config, files.wrapped(names, "model0."))
    t.tool(*EVALUATE, rc=65, err="the name model0.decoder.* parts of a pipeline are to be joined")
    del names["embedding.word_embeddings.weight"]
    save(t, config, names)
    t.tool(*EVALUATE, rc=65, err="has a tensor embedding.word_embeddings.weight that the file has")
    (t.folder / "m" / "config.json").unlink()
    t.tool("evaluate", "m/model.safetensors", "--regex", "a", rc=69, err="names of Megatron")


def test_arguments(t):
    config, tensors, _ = made(allow_neg_eigval=False)
    names = files.megatron(config, tensors)
    arguments = files.megatron_arguments(config)
    for member, value, rc, why in (
        ("experimental_attention_variant", "gdn2", 69, "experimental_attention_variant is gdn2"),
        ("experimental_attention_variant", None, 69, "neither experimental_attention_variant"),
        ("normalization", "LayerNorm", 69, "normalization is not RMSNorm"),
        ("normalization", None, 69, "normalization is not RMSNorm"),
        ("add_bias_linear", True, 69, "add_bias_linear"),
        ("num_experts", 8, 69, "experts are not modelled"),
        ("use_mup", True, 69, "use_mup"),
        ("swiglu", False, 69, "the MLP is not SwiGLU"),
        ("glu_linear_offset", 1.0, 69, "glu_linear_offset"),
        ("linear_num_key_heads", 3, 65, "the member linear_num_key_heads .* not usable"),
        ("linear_key_head_dim", "4", 65, "the member linear_key_head_dim"),
        ("norm_epsilon", None, 65, "the member layernorm_epsilon"),
    ):
        save(t, {**arguments, member: value}, names)
        t.tool(*EVALUATE, rc=rc, err=why)
    for member in ("num_experts", "glu_linear_offset"):  # not in the recurrence
        save(t, {**arguments, member: 1}, names)
        t.tool("inspect", "m", "--layer", "2")
    save(t, arguments, tensors)
    t.tool(*EVALUATE, rc=65, err="no tensor has a name of Megatron's gated delta layers")
    for member, value, why in (
        ("use_short_conv", False, "no convolution"),
        ("use_gate", False, "whose layers have output gates, and config.json has none"),
    ):
        save(t, {**config, member: value}, names)
        t.tool(*EVALUATE, rc=69, err=why)
