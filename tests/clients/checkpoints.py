"""Checkpoints of other programs against a forward pass in NumPy that shares nothing with ours:
logits of the classes of flash-linear-attention with every option that is read, in one file and in
shards, in three types; and betas, gates and keys of a linear layer of the hybrid models. A changed
tensor must be noticed: each is rolled by one in turn.

usage: checkpoints.py --build build/release
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import checkpoint_files as files

SEQUENCES, LENGTH, TOLERANCE = 3, 11, 1e-9
MEGATRON = {"use_short_conv": True, "use_gate": True}
CASES = [
    ("delta_net", {}),
    ("delta_net", {"qk_activation": "identity", "allow_neg_eigval": False}),
    ("delta_net", {"use_short_conv": True, "use_gate": True, "norm_eps": 1e-3}),
    ("gated_deltaproduct", {"num_householder": 3}),
    ("gated_deltaproduct", {"use_forget_gate": True, "use_output_gate": True}),
    ("gated_deltaproduct", {"use_short_conv": True, "num_householder": 1}),
    ("gated_deltanet", {"use_gate": False}),
    ("gated_deltanet", {"use_gate": True, "num_v_heads": 4, "use_short_conv": True}),
    ("mamba", {}),
    ("mamba", {"use_conv_bias": False, "conv_kernel": 1}),
    ("mamba", {"tie_word_embeddings": None}),
    ("delta_net", {"tie_word_embeddings": True}),
    ("gated_deltaproduct", {"num_householder": 3, "use_forget_gate": True}, "paper"),
    ("gated_deltaproduct", {"use_short_conv": True, "use_output_gate": True}, "paper"),
    ("gated_deltaproduct", {"num_householder": 10, "use_short_conv": True}, "paper"),
    ("gated_deltanet", {**MEGATRON}, "megatron"),
    ("gated_deltanet", {**MEGATRON, "num_v_heads": 6}, "local norms"),
    ("gated_deltanet", {**MEGATRON, "num_v_heads": 4}, "parts"),
    (
        "gated_deltanet",
        {**MEGATRON, "num_v_heads": 4, "allow_neg_eigval": False, "norm_eps": 1e-5},
        "arguments",
    ),
]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def softplus(x):
    return np.log1p(np.exp(x))


def rms(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def convolve(x, taps, bias=0.0):
    """x [T, C], taps [C, 1, W]: the last tap is for the present letter."""
    width = taps.shape[2]
    padded = np.concatenate([np.zeros((width - 1, x.shape[1])), x])
    return sum(padded[i : i + len(x)] * taps[:, 0, i] for i in range(width)) + bias


def unit(x):
    return x / np.sqrt((x * x).sum(-1, keepdims=True) + 1e-6)


def delta_layer(x, w, c, seen):
    """Returns what a delta rule layer gives for the normed inputs x [T, width]; appends betas,
    gates, keys and states to `seen`."""
    T, n = len(x), c.get("num_householder", 1)
    heads = c.get("num_v_heads") or c["num_heads"]

    def stream(name, active):
        y = x @ w[f"{name}_proj.weight"].T
        if c["use_short_conv"]:
            y = convolve(y, w[f"{name}_conv1d.weight"])
        return silu(y) if active else y

    active = c.get("qk_activation", "silu") == "silu"
    q = unit(stream("q", active).reshape(T, c["num_heads"], -1))
    k = unit(stream("k", active).reshape(T, n, c["num_heads"], -1))
    v = stream("v", True).reshape(T, n, heads, -1)
    q, k = (np.repeat(y, heads // c["num_heads"], axis=-2) for y in (q, k))
    beta = sigmoid(x @ w["b_proj.weight"].T).reshape(T, n, heads)
    beta = beta * (2 if c["allow_neg_eigval"] else 1)
    gate = np.ones((T, heads))
    if "a_proj.weight" in w:
        gate = np.exp(-np.exp(w["A_log"]) * softplus(x @ w["a_proj.weight"].T + w["dt_bias"]))
    state = np.zeros((heads, q.shape[-1], v.shape[-1]))
    out, states = np.zeros((T, heads, v.shape[-1])), np.zeros((T, *state.shape))
    for t in range(T):
        state = state * gate[t][:, None, None]
        for j in range(n):
            read = np.einsum("hk,hkv->hv", k[t, j], state)
            change = beta[t, j][:, None] * (v[t, j] - read)
            state = state + np.einsum("hk,hv->hkv", k[t, j], change)
        states[t] = state
        out[t] = np.einsum("hk,hkv->hv", q[t], state) / np.sqrt(q.shape[-1])
    seen.append((beta, gate, k, states))
    out = rms(out, w["o_norm.weight"], c["norm_eps"]).reshape(T, -1)
    if "g_proj.weight" in w:
        out = out * silu(x @ w["g_proj.weight"].T)
    return out @ w["o_proj.weight"].T


def mamba_layer(x, w, c, seen):
    """The same; appends decays and states."""
    u, z = np.split(x @ w["in_proj.weight"].T, 2, axis=1)
    u = silu(convolve(u, w["conv1d.weight"], w.get("conv1d.bias", 0.0)))
    rank, states = c["dt_rank"], c["state_size"]
    r, b, read = np.split(u @ w["x_proj.weight"].T, [rank, rank + states], 1)
    dt = softplus(r @ w["dt_proj.weight"].T + w["dt_proj.bias"])
    state, out = np.zeros(w["A_log"].shape), np.zeros(u.shape)
    decay = np.exp(-dt[:, :, None] * np.exp(w["A_log"]))
    decay = 2 * decay - 1 if c.get("signed") else decay
    seen.append((decay, states_of := np.zeros(decay.shape)))
    for t in range(len(x)):
        state = decay[t] * state
        state = state + (dt[t] * u[t])[:, None] * b[t][None, :]
        states_of[t] = state
        out[t] = state @ read[t] + w["D"] * u[t]
    return (out * silu(z)) @ w["out_proj.weight"].T


def logits(config, tensors, letters, seen=None):
    seen = [] if seen is None else seen
    mamba = config["model_type"] == "mamba"
    base, norm, mixer, last = (
        ("backbone", "norm", "mixer", "norm_f") if mamba else ("model", "attn_norm", "attn", "norm")
    )
    eps = config["norm_eps"]
    x = tensors[f"{base}.embeddings.weight"][letters]
    for layer in range(config["num_hidden_layers"]):
        at = f"{base}.layers.{layer}."
        own = f"{at}{mixer}."
        w = {k[len(own) :]: v for k, v in tensors.items() if k.startswith(own)}
        y = rms(x, tensors[at + norm + ".weight"], eps)
        x = x + (mamba_layer if mamba else delta_layer)(y, w, config, seen)
        if not mamba:
            y = rms(x, tensors[at + "mlp_norm.weight"], eps)
            gate, up, down = (
                tensors[at + f"mlp.{p}_proj.weight"] for p in ("gate", "up", "down")
            )
            x = x + (silu(y @ gate.T) * (y @ up.T)) @ down.T
    head = tensors.get("lm_head.weight", tensors[f"{base}.embeddings.weight"])
    return rms(x, tensors[f"{base}.{last}.weight"], eps) @ head.T


def arrays(tensors, dtype="F32"):
    """Returns the numbers as doubles; BF16 cuts them."""
    out = {}
    for name, t in tensors.items():
        x = np.array(t.numbers, "<f4").reshape(t.shape)
        if dtype == "BF16":
            x = (x.view("<u4") & np.uint32(0xFFFF0000)).view("<f4")
        out[name] = x.astype("f8")
    return out


def ours(build, folder, labels):
    subprocess.run(
        [str(build / "tests/clients/checkpoint_dump"), str(folder), str(SEQUENCES), str(LENGTH)],
        check=True,
    )
    return np.fromfile(folder / "logits.f64", "<f8").reshape(SEQUENCES, LENGTH, labels)


def apart(a, b):
    return float(np.abs(a - b).max() / np.abs(b).max())


def written(config, tensors, layout="fla"):
    """Returns configuration and tensors as others write them."""
    if layout == "paper":
        config, tensors = files.paper(config, tensors)
        return config, files.wrapped(tensors, "_orig_mod.")
    if layout == "megatron":
        return config, files.wrapped(files.megatron(config, tensors), "module.")
    if layout == "local norms":
        return config, files.megatron(config, tensors, local=True)
    if layout == "parts":
        return config, files.megatron(config, tensors, parts=True)
    if layout == "arguments":
        cut = files.less_one(tensors)
        return files.megatron_arguments(config), files.megatron(config, cut)
    return config, tensors


def check_model(build, folder, number):
    """Returns the faults of a case."""
    kind, options, *layout = CASES[number]
    make = files.mamba if kind == "mamba" else lambda **o: files.delta(kind, **o)
    config, tensors = make(seed=number + 1, **options)
    if config["tie_word_embeddings"] is not False:
        del tensors["lm_head.weight"]
    dtype, shards = ("F32", "BF16", "F64")[number % 3], 1 + number % 4
    letters = np.random.default_rng(number).integers(0, config["vocab_size"], (SEQUENCES, LENGTH))
    files.save(folder, *written(config, tensors, *layout), shards, dtype)
    letters.astype("<u4").tofile(folder / "letters.u32")
    got = ours(build, folder, config["vocab_size"])
    numbers = arrays(tensors, dtype)
    wanted = np.stack([logits(config, numbers, word) for word in letters])
    faults = [f"apart by {apart(got, wanted)}"] if not apart(got, wanted) < TOLERANCE else []
    for name in numbers:
        keep = numbers[name]
        numbers[name] = np.roll(keep, 1, 0)
        changed = np.stack([logits(config, numbers, word) for word in letters])
        if not apart(got, changed) > 100 * TOLERANCE:
            faults.append(f"{name} has no effect")
        numbers[name] = keep
    return faults


def hybrid_layer(config, w, words):
    """Returns betas |k|^2, gates and unit keys of layer 0 for words read often enough."""
    base = "model.language_model." if "text_config" in config else "model."
    config = config.get("text_config", config)
    groups, heads = config["linear_num_key_heads"], config["linear_num_value_heads"]
    key, value = config["linear_key_head_dim"], config["linear_value_head_dim"]
    share, at = heads // groups, base + "layers.0.linear_attn."
    fused, four = at + "in_proj_qkvz.weight" in w, at + "in_proj_qkv.weight" in w
    qwen = fused or four
    norm = (
        1 + w[base + "layers.0.input_layernorm.weight"]
        if qwen
        else w["model.layers.0.attention_layer_norm.weight"]
    )
    x = rms(w[base + "embed_tokens.weight"][words], norm, config["rms_norm_eps"])
    if four:
        k = w[at + "in_proj_qkv.weight"][groups * key : 2 * groups * key]
        b, a = (w[at + f"in_proj_{p}.weight"] for p in "ba")
        taps = w[at + "conv1d.weight"][groups * key : 2 * groups * key]
    elif fused:
        rows = w[at + "in_proj_qkvz.weight"].reshape(groups, 2 * key + 2 * share * value, -1)
        k = rows[:, key : 2 * key].reshape(groups * key, -1)
        rates = w[at + "in_proj_ba.weight"].reshape(groups, 2 * share, -1)
        b, a = (rates[:, i * share : (i + 1) * share].reshape(heads, -1) for i in (0, 1))
        taps = w[at + "conv1d.weight"][groups * key : 2 * groups * key]
    else:
        k, b, a = (w[at + f"{p}_proj.weight"] for p in ("k", "b", "a"))
        taps = np.concatenate([w[at + f"{p}_conv1d.weight"] for p in "qkv"])
        taps = taps[groups * key : 2 * groups * key]
    k = silu((x @ k.T) * taps.sum(-1)[:, 0]).reshape(len(words), groups, key)
    k = np.repeat(unit(k), share, axis=1)
    length = (k * k).sum(-1)
    top = 2 if config.get("linear_allow_neg_eigval", not qwen) and not qwen else 1
    beta = top * sigmoid(x @ b.T) * length
    gate = np.exp(-np.exp(w[at + "A_log"]) * softplus(x @ a.T + w[at + "dt_bias"]))
    return beta, gate, k / np.sqrt(length)[..., None]


def inspected(build, folder, layer, words):
    """Returns what `inspect` says about the heads of a layer for words of the vocabulary."""
    words = ",".join(map(str, words))
    argv = ["inspect", folder, "--layer", str(layer), "--words", words, "--json"]
    done = subprocess.run([build / "fsa2lrnn", *argv], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["per_head"]


def check_hybrid(build, folder, number):
    kind, options = (
        ("olmo_hybrid", {}),
        ("olmo_hybrid", {"linear_allow_neg_eigval": False, "linear_num_key_heads": 4}),
        ("qwen3_next", {}),
        ("qwen3_next", {"linear_num_key_heads": 1, "rms_norm_eps": 1e-4}),
        ("qwen3_5", {}),
        ("qwen3_5", {"linear_num_key_heads": 1, "rms_norm_eps": 1e-4}),
    )[number]
    config, tensors = files.hybrid(kind, seed=number, **options)
    wanted = hybrid_layer(config, arrays(tensors), words := [1, 4, 6])
    if number == 0:  # transformers cuts the convolution into equal parts
        at = "model.layers.0.linear_attn."
        taps = [tensors.pop(at + f"{p}_conv1d.weight") for p in "qkv"]
        rows, width = sum(t.shape[0] for t in taps), taps[0].shape[2]
        whole = sum((t.numbers for t in taps), [])
        third = -(-rows // 3)
        for i, p in enumerate("qkv"):
            part = whole[i * third * width : (i + 1) * third * width]
            tensors[at + f"{p}_conv1d.weight"] = files.Tensor((len(part) // width, 1, width), part)
    files.save(folder, config, tensors, shards=3)
    faults = []
    for h, head in enumerate(inspected(build, folder, 1, words)):
        for i, row in enumerate(head["letter_actions"]):
            got = [row["betas"][0], row["gate"], *row["key_vectors"][0]]
            should = [wanted[0][i, h], wanted[1][i, h], *wanted[2][i, h]]
            if not np.allclose(got, should, rtol=0, atol=1e-6):
                faults.append(f"head {h + 1}, word {words[i]}: {got}, not {should}")
    return faults


def product_layer(config, w, words):
    """Returns betas |k|^2, gates and unit keys of the mixer of Megatron for words read often
    enough: [word][factor][head]."""
    at, n = "decoder.layers.1.mixer.", config["gdp_num_householder"]
    heads, groups = config["mamba_num_heads"], config["mamba_num_groups"]
    keys, values = groups * config["mamba_state_dim"], heads * config["mamba_head_dim"]
    x = rms(
        w["embedding.word_embeddings.weight"][words],
        w[at + "in_proj.layer_norm_weight"],
        config["layernorm_epsilon"],
    )

    def rows(stem, names):
        return np.concatenate([w[f"{at}{stem}.{name}"] for name in names])

    if at + "in_proj.weight" in w:
        all_rows, taps = w[at + "in_proj.weight"], w[at + "conv1d.weight"]
        k = all_rows[values * (1 + n) : values * (1 + n) + n * keys]
        taps = taps[values * n : values * n + n * keys]
        b, a = all_rows[-(n + 1) * heads : -heads], all_rows[-heads:]
    else:
        k, b = (rows("in_proj.weight", [f"{p}{i}" for i in range(n)]) for p in "Kb")
        a, taps = w[at + "in_proj.weight.a"], rows("conv1d.weight", [f"K{i}" for i in range(n)])
    k = silu((x @ k.T) * taps.sum(-1)[:, 0]).reshape(len(words), n, groups, -1)
    k = np.repeat(unit(k), heads // groups, axis=2)
    length = (k * k).sum(-1)
    beta = sigmoid(x @ b.T).reshape(len(words), n, heads) * length
    gate = np.exp(-np.exp(w[at + "A_log"]) * softplus(x @ a.T + w[at + "dt_bias"]))
    return beta, gate, k / np.sqrt(length)[..., None]


def check_product(build, folder, number):
    """Returns the faults of a GatedDeltaProductMixer of Megatron between other layers."""
    config, tensors = files.megatron_product(
        seed=number, parts=number == 1, gdp_num_householder=2 + number
    )
    files.save(folder, config, tensors, shards=2)
    beta, gate, key = product_layer(config, arrays(tensors), words := [1, 4, 6])
    faults = []
    for h, head in enumerate(inspected(build, folder, 2, words)):
        for i, row in enumerate(head["letter_actions"]):
            got = [*row["betas"], row["gate"], *np.ravel(row["key_vectors"])]
            should = [*beta[i, :, h], gate[i, h], *np.ravel(key[i, :, h])]
            if not np.allclose(got, should, rtol=0, atol=1e-6):
                faults.append(f"head {h + 1}, word {words[i]}: {got}, not {should}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    args, failed = parser.parse_args(), 0
    jobs = [(check_model, n, " ".join(map(str, CASES[n]))) for n in range(len(CASES))]
    jobs += [(check_hybrid, n, f"hybrid {n}") for n in range(6)]
    jobs += [(check_product, n, f"mixer of Megatron {n}") for n in range(2)]
    with tempfile.TemporaryDirectory() as where:
        for number, (check, which, name) in enumerate(jobs):
            faults = check(args.build, Path(where) / str(number), which)
            failed += bool(faults)
            for fault in faults:
                print(f"FAILED {name}: {fault}")
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
