"""Small random checkpoints as other programs write them: configurations and tensors of the classes
of flash-linear-attention and of two hybrid models, as one safetensors file or as shards. Shared by
checkpoints.py, tests/cli/t_import.py and tests/cli/doors/t_megatron.py."""

import array
import json
import random
import struct


class Tensor:
    def __init__(self, shape, numbers):
        self.shape, self.numbers = list(shape), numbers


def safetensors(tensors, dtype="F32", metadata=None):
    """Returns the bytes of a file; BF16 cuts the numbers, F64 widens them."""
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, t in tensors.items():
        code = {"F32": "f", "F64": "d"}.get(dtype)
        if code:
            raw = array.array(code, t.numbers).tobytes()
        else:
            bits = array.array("I", array.array("f", t.numbers).tobytes())
            raw = array.array("H", [b >> 16 for b in bits]).tobytes()
        header[name] = {
            "dtype": dtype,
            "shape": t.shape,
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def load(raw):
    """Returns the tensors of a file of F32."""
    size = struct.unpack("<Q", raw[:8])[0]
    header, data = json.loads(raw[8 : 8 + size]), raw[8 + size :]
    tensors = {}
    for name, t in header.items():
        if name != "__metadata__":
            begin, end = t["data_offsets"]
            tensors[name] = Tensor(t["shape"], list(array.array("f", data[begin:end])))
    return tensors


def save(folder, config, tensors, shards=1, dtype="F32"):
    """Writes config.json and the tensors, in one file or in shards with an index."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    names = list(tensors)
    if shards == 1:
        (folder / "model.safetensors").write_bytes(safetensors(tensors, dtype))
        return
    where = {}
    for i in range(shards):
        file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        part = {name: tensors[name] for name in names[i::shards]}
        where.update(dict.fromkeys(part, file))
        (folder / file).write_bytes(safetensors(part, dtype))
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": 0}, "weight_map": where})
    )


class Maker:
    """Makes tensors of normal numbers."""

    def __init__(self, seed):
        self.random, self.tensors = random.Random(seed), {}

    def add(self, name, *shape, scale=0.5, mean=0.0):
        count = 1
        for size in shape:
            count *= size
        numbers = [self.random.gauss(mean, scale) for _ in range(count)]
        # as floats, so that every type that is not cut holds them
        self.tensors[name] = Tensor(shape, list(array.array("f", numbers)))


COMMON = {
    "vocab_size": 7,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "tie_word_embeddings": False,
    "transformers_version": "5.0",
    "bos_token_id": 1,
}


def mamba(seed=1, **options):
    config = {
        **COMMON,
        "model_type": "mamba",
        "intermediate_size": 24,
        "expand": 2,
        "state_size": 5,
        "conv_kernel": 3,
        "dt_rank": 2,
        "norm_eps": 1e-5,
        "use_bias": False,
        "use_conv_bias": True,
        "hidden_act": "silu",
        **options,
    }
    make, width, inner = Maker(seed), config["hidden_size"], config["intermediate_size"]
    states, rank, words = config["state_size"], config["dt_rank"], config["vocab_size"]
    make.add("backbone.embeddings.weight", words, width)
    for layer in range(config["num_hidden_layers"]):
        at = f"backbone.layers.{layer}."
        make.add(at + "norm.weight", width, mean=1)
        make.add(at + "mixer.in_proj.weight", 2 * inner, width)
        make.add(at + "mixer.conv1d.weight", inner, 1, config["conv_kernel"])
        if config["use_conv_bias"]:
            make.add(at + "mixer.conv1d.bias", inner)
        make.add(at + "mixer.x_proj.weight", rank + 2 * states, inner)
        make.add(at + "mixer.dt_proj.weight", inner, rank)
        make.add(at + "mixer.dt_proj.bias", inner)
        make.add(at + "mixer.A_log", inner, states)
        make.add(at + "mixer.D", inner)
        make.add(at + "mixer.out_proj.weight", width, inner)
    make.add("backbone.norm_f.weight", width, mean=1)
    make.add("lm_head.weight", words, width)
    return config, make.tensors


def delta(kind, seed=1, **options):
    """Returns configuration and tensors of delta_net, gated_deltaproduct or gated_deltanet."""
    config = {
        **COMMON,
        "model_type": kind,
        "num_heads": 2,
        "use_short_conv": False,
        "conv_size": 3,
        "allow_neg_eigval": True,
        "intermediate_size": 9,
        "hidden_act": "swish",
        "norm_eps": 1e-6,
        "attn": None,
    }
    config.update(
        {"expand_k": 1.0, "expand_v": 0.5, "qk_activation": "silu", "qk_norm": "l2"}
        if kind == "delta_net"
        else {"head_dim": 4, "expand_v": 1.5}
    )
    if kind == "gated_deltaproduct":
        config.update(num_householder=2, use_forget_gate=False, use_output_gate=False)
    config.update(options)
    make, width, words = Maker(seed), config["hidden_size"], config["vocab_size"]
    heads = config["num_heads"]
    value_heads = config.get("num_v_heads") or heads
    n = config.get("num_householder", 1)
    if kind == "delta_net":
        key, value = int(width * config["expand_k"]), int(width * config["expand_v"])
    else:
        key = heads * config["head_dim"]
        value = value_heads * int(config["head_dim"] * config["expand_v"])
    gated = kind == "gated_deltanet" or config.get("use_forget_gate", False)
    make.add("model.embeddings.weight", words, width)
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        make.add(at + "attn_norm.weight", width, mean=1)
        make.add(at + "attn.q_proj.weight", key, width)
        make.add(at + "attn.k_proj.weight", n * key, width)
        make.add(at + "attn.v_proj.weight", n * value, width)
        make.add(at + "attn.b_proj.weight", n * value_heads, width)
        if gated:
            make.add(at + "attn.a_proj.weight", value_heads, width)
            make.add(at + "attn.A_log", value_heads)
            make.add(at + "attn.dt_bias", value_heads)
        if config["use_short_conv"]:
            for name, size in (("q", key), ("k", n * key), ("v", n * value)):
                make.add(at + f"attn.{name}_conv1d.weight", size, 1, config["conv_size"])
        if config.get("use_gate") or config.get("use_output_gate"):
            make.add(at + "attn.g_proj.weight", value, width)
        make.add(at + "attn.o_norm.weight", value // value_heads, mean=1)
        make.add(at + "attn.o_proj.weight", width, value)
        make.add(at + "mlp_norm.weight", width, mean=1)
        make.add(at + "mlp.gate_proj.weight", config["intermediate_size"], width)
        make.add(at + "mlp.up_proj.weight", config["intermediate_size"], width)
        make.add(at + "mlp.down_proj.weight", width, config["intermediate_size"])
    make.add("model.norm.weight", width, mean=1)
    make.add("lm_head.weight", words, width)
    return config, make.tensors


def paper(config, tensors):
    """Returns the same gated_deltaproduct as the code of the DeltaProduct paper writes it: one
    tensor for each factor, and convolutions of queries of which only the first is read."""
    config, n, out = dict(config), config["num_householder"], {}
    config["use_gate"] = config.pop("use_output_gate")
    for name, t in tensors.items():
        part = next((p for p in "kvb" if f".{p}_proj." in name or f".{p}_conv1d." in name), None)
        if part:
            rows, size = t.shape[0] // n, len(t.numbers) // n
            for i in range(n):
                at = name.replace("_proj.", f"_projs.{i}.").replace("_conv1d.", f"_conv1ds.{i}.")
                cut = t.numbers[i * size : (i + 1) * size]
                out[at] = Tensor([rows, *t.shape[1:]], cut)
        elif ".q_conv1d." in name:
            for i in range(n):
                numbers = t.numbers if i == 0 else [x + 1 for x in t.numbers]
                out[name.replace("q_conv1d.", f"q_conv1ds.{i}.")] = Tensor(t.shape, numbers)
        else:
            out[name] = t
    return config, out


NORMS = ("attn_norm.weight", "mlp_norm.weight", "o_norm.weight", "model.norm.weight")


def join(*tensors):
    """Returns one tensor with the rows of all."""
    rows = sum(t.shape[0] for t in tensors)
    return Tensor([rows, *tensors[0].shape[1:]], sum((t.numbers for t in tensors), []))


def megatron_layer(out, at, w, local, parts):
    """Adds a layer of GatedDeltaNet with the names of Megatron; w has the names of
    flash-linear-attention without the layer's."""
    own, mlp = at + "self_attention.", at + "mlp."
    out[at + "input_layernorm.weight" if local else own + "in_proj.layer_norm_weight"] = w[
        "attn_norm.weight"
    ]
    rows = {"query": "q", "key": "k", "value": "v", "z": "g", "beta": "b", "alpha": "a"}
    rows = {name: w[f"attn.{p}_proj.weight"] for name, p in rows.items()}
    taps = {name: w[f"attn.{name[0]}_conv1d.weight"] for name in ("query", "key", "value")}
    for name, group in (("in_proj.weight", rows), ("conv1d.weight", taps)):
        if parts:
            out.update({f"{own}{name}.{part}": t for part, t in group.items()})
        else:
            out[own + name] = join(*group.values())
    for name in ("A_log", "dt_bias"):
        out[own + name] = w["attn." + name]
    out[own + "out_norm.weight"] = w["attn.o_norm.weight"]
    out[own + "out_proj.weight"] = w["attn.o_proj.weight"]
    norm = at + "pre_mlp_layernorm.weight" if local else mlp + "linear_fc1.layer_norm_weight"
    out[norm] = w["mlp_norm.weight"]
    out[mlp + "linear_fc1.weight"] = join(w["mlp.gate_proj.weight"], w["mlp.up_proj.weight"])
    out[mlp + "linear_fc2.weight"] = w["mlp.down_proj.weight"]


def megatron(config, tensors, local=False, parts=False):
    """Returns the same gated_deltanet with the names of Megatron: norms in the projections, or
    `local`; projections in one, or in `parts`."""
    out = {"embedding.word_embeddings.weight": tensors["model.embeddings.weight"]}
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        own = {name[len(at) :]: t for name, t in tensors.items() if name.startswith(at)}
        megatron_layer(out, f"decoder.layers.{layer}.", own, local, parts)
    out["decoder.final_layernorm.weight"] = tensors["model.norm.weight"]
    out["decoder.final_layernorm._extra_state"] = Tensor([1], [0.0])
    if "lm_head.weight" in tensors:
        out["output_layer.weight"] = tensors["lm_head.weight"]
    return out


def megatron_arguments(config):
    """Returns the same configuration as Megatron's arguments say it; norms are 1 + weight."""
    heads, key = config["num_heads"], config["head_dim"]
    return {
        "model_type": "megatron",
        "experimental_attention_variant": "gated_delta_net",
        "num_layers": config["num_hidden_layers"],
        "hidden_size": config["hidden_size"],
        "ffn_hidden_size": config["intermediate_size"],
        "padded_vocab_size": config["vocab_size"],
        "vocab_size": None,
        "linear_num_key_heads": heads,
        "linear_num_value_heads": config.get("num_v_heads") or heads,
        "linear_key_head_dim": key,
        "linear_value_head_dim": int(key * config["expand_v"]),
        "linear_conv_kernel_dim": config["conv_size"],
        "normalization": "RMSNorm",
        "norm_epsilon": config["norm_eps"],
        "apply_layernorm_1p": True,
        "add_bias_linear": False,
        "swiglu": True,
        "untie_embeddings_and_output_weights": not config["tie_word_embeddings"],
        "tokenizer_type": "NullTokenizer",
    }


def less_one(tensors):
    """Cuts the weights of norms to 10 bits, and returns the tensors with 1 less there, which is
    exact."""
    out = dict(tensors)
    for name, t in tensors.items():
        if name.endswith(NORMS):
            t.numbers = [round(x * 1024) / 1024 for x in t.numbers]
            out[name] = Tensor(t.shape, [x - 1 for x in t.numbers])
    return out


def megatron_product(seed=1, parts=False, **options):
    """Returns arguments and tensors of two layers: one of attention, and a GatedDeltaProductMixer.
    """
    config = {
        "model_type": "megatron",
        "hybrid_layer_pattern": "*M",
        "num_layers": 2,
        "hidden_size": 12,
        "padded_vocab_size": 7,
        "mamba_num_heads": 4,
        "mamba_num_groups": 2,
        "mamba_state_dim": 4,
        "mamba_head_dim": 3,
        "gdp_num_householder": 2,
        "normalization": "RMSNorm",
        "layernorm_epsilon": 1e-5,
        "add_bias_linear": False,
        **options,
    }
    make, width, at = Maker(seed), config["hidden_size"], "decoder.layers.1.mixer."
    heads, n = config["mamba_num_heads"], config["gdp_num_householder"]
    values, keys = heads * config["mamba_head_dim"], config["mamba_num_groups"] * 4
    each = [(f"V{i}", values) for i in range(n)] + [(f"K{i}", keys) for i in range(n)]
    rows = [("z", values), *each, ("Q", keys), *((f"b{i}", heads) for i in range(n)), ("a", heads)]
    make.add("embedding.word_embeddings.weight", 7, width)
    make.add("decoder.layers.0.self_attention.linear_qkv.weight", 3, width)
    make.add(at + "in_proj.layer_norm_weight", width, mean=1)
    for stem, group, shape in (
        ("in_proj.weight", rows, (width,)),
        ("conv1d.weight", [*each, ("Q", keys)], (1, 4)),
    ):
        if parts:
            for name, size in group:
                make.add(f"{at}{stem}.{name}", size, *shape)
        else:
            make.add(at + stem, sum(size for _, size in group), *shape)
    make.add(at + "A_log", heads)
    make.add(at + "dt_bias", heads)
    make.add(at + "norm.weight", values, mean=1)
    make.add(at + "out_proj.weight", width, values)
    return config, make.tensors


def wrapped(tensors, prefix):
    """Returns the tensors with a beginning before all names."""
    return {prefix + name: t for name, t in tensors.items()}


def hybrid(kind, seed=1, **options):
    """Returns configuration and tensors of olmo_hybrid, qwen3_next, or qwen3_5 with its
    text_config: layer 2 is of attention, and has only its norm here."""
    config = {
        **COMMON,
        "model_type": kind,
        "rms_norm_eps": 1e-6,
        "hidden_act": "silu",
        "num_attention_heads": 2,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 3,
        "linear_value_head_dim": 5,
        "linear_conv_kernel_dim": 4,
        **options,
    }
    make, width = Maker(seed), config["hidden_size"]
    heads, groups = config["linear_num_value_heads"], config["linear_num_key_heads"]
    key = groups * config["linear_key_head_dim"]
    value, taps = heads * config["linear_value_head_dim"], config["linear_conv_kernel_dim"]
    base = "model.language_model." if kind == "qwen3_5" else "model."
    at = base + "layers.0.linear_attn."
    make.add(base + "embed_tokens.weight", config["vocab_size"], width)
    make.add(at + "A_log", heads)
    make.add(at + "dt_bias", heads)
    if kind == "olmo_hybrid":
        make.add("model.layers.0.attention_layer_norm.weight", width, mean=1)
        for name, size in (("q", key), ("k", key), ("v", value), ("a", heads), ("b", heads)):
            make.add(at + f"{name}_proj.weight", size, width)
        for name, size in (("q", key), ("k", key), ("v", value)):
            make.add(at + f"{name}_conv1d.weight", size, 1, taps)
    elif kind == "qwen3_5":
        make.add(base + "layers.0.input_layernorm.weight", width)
        make.add(at + "in_proj_qkv.weight", 2 * key + value, width)
        make.add(at + "in_proj_z.weight", value, width)
        make.add(at + "in_proj_b.weight", heads, width)
        make.add(at + "in_proj_a.weight", heads, width)
        make.add(at + "conv1d.weight", 2 * key + value, 1, taps)
    else:
        make.add("model.layers.0.input_layernorm.weight", width)
        make.add(at + "in_proj_qkvz.weight", 2 * key + 2 * value, width)
        make.add(at + "in_proj_ba.weight", 2 * heads, width)
        make.add(at + "conv1d.weight", 2 * key + value, 1, taps)
    make.add(base + "layers.1.input_layernorm.weight", width, mean=1)
    if kind == "qwen3_5":  # a model of texts and images
        make.add("model.visual.patch_embed.proj.weight", 2, 3)
        inner = {**config, "model_type": "qwen3_5_text"}
        outer = {"model_type": kind, "text_config": inner, "vision_config": {"depth": 1}}
        return outer, make.tensors
    return config, make.tensors
