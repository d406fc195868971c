"""Losses by position, and what the heads of all layers do, in NumPy beside `evaluate --token-file`
and `inspect --token-file`: 1,024 tokens in three sequences, models of flash-linear-attention and of
this project. Eigenvalues here are those of whole matrices, and singular values are NumPy's.

usage: tokens.py --tool build/release/fsa2lrnn
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import checkpoint_files as files
from checkpoints import arrays, logits
from weights_file import read_safetensors

LENGTHS, DOCUMENTS = [600, 7, 417], [0, 100, 103, 250, 600, 620, 700, 1023]
FLA = [
    ("delta_net", {}),
    ("delta_net", {"qk_activation": "identity", "use_short_conv": True}),
    ("gated_deltaproduct", {"num_householder": 3, "use_forget_gate": True}),
    ("gated_deltaproduct", {"num_householder": 2, "allow_neg_eigval": False}),
    ("gated_deltanet", {"use_gate": True, "num_v_heads": 4, "use_short_conv": True}),
    ("mamba", {}),
]
DELTA = "--additive --no-learned-start --silu --mlp 24 --heads 2 --head-dim 8 --slope 1".split()
OURS = [
    [*DELTA, "--householders", "2", "--convolution", "4", "--forget-gate"],
    "--mixer diagonal --convolution 4 --channels 12 --states 4 --width 8 --mlp 0".split(),
]


def bin_of(position):
    return int(position).bit_length() - 1


def binned(positions, values):
    """Returns {bin: (count, mean)}."""
    bins = np.array([bin_of(p) for p in positions], int)
    values = np.array(values)
    return {int(b): (int((bins == b).sum()), values[bins == b].mean()) for b in np.unique(bins)}


def rank(state):
    s = np.linalg.svd(state, compute_uv=False)
    if not s.sum() > 0:
        return 0.0
    p = s / s.sum()
    p = p[p > 0]
    return float(np.exp(-(p * np.log(p)).sum()))


def matrix(beta, gate, key):
    """Returns A of one token: beta [N], key [N, K]."""
    a = np.eye(key.shape[1]) * gate
    for b, k in zip(beta, key, strict=True):
        a = (np.eye(len(k)) - b * np.outer(k, k)) @ a
    return a


def moving(a, gate, keys):
    """Returns the eigenvalues of a without the ones that are the gate on all that no key moves."""
    values = np.linalg.eigvals(a)
    return values[np.argsort(-np.abs(values - gate))][: min(keys, len(a))]


def eigen(values, matrices):
    z = np.concatenate(values) if values else np.zeros(0)
    return {
        "matrix_count": matrices,
        "count": len(z),
        "share_complex": (np.abs(z.imag) > 1e-6).mean(),
        "share_negative": (z.real < -1e-6).mean(),
        "share_near_minus_1": (np.abs(z + 1) < 0.1).mean(),
        "share_small": (np.abs(z) < 0.1).mean(),
        "mean_modulus": np.abs(z).mean(),
        "least_real": z.real.min(),
    }


def spread(values):
    return {
        "count": len(values),
        "average": np.mean(values),
        "least": np.min(values),
        "greatest": np.max(values),
    }


def angles(a, b):
    return np.degrees(np.arccos(np.clip(np.abs((a * b).sum(-1)), 0, 1)))


def of_states(sequences):
    """Returns norms, ranks by position, and ranks where documents begin, of states [T, K, V]."""
    norms, ranks, starts, first = [], [], {}, 0
    for states in sequences:
        norms += [(t + 1, np.linalg.norm(s)) for t, s in enumerate(states)]
        ranks += [
            (t + 1, rank(s))
            for t, s in enumerate(states)
            if (t + 1) & t == 0 or ((t + 1) % 3 == 0 and ((t + 1) // 3) & ((t + 1) // 3 - 1) == 0)
        ]
        inside = [d - first for d in DOCUMENTS if first < d < first + len(states)]
        for d, end in zip(inside, [*inside, len(states)][1:], strict=True):
            starts.setdefault(0, []).append(rank(states[d - 1]))
            for read in (1, 2, 4, 8, 16, 32, 64):
                if d + read <= end:
                    starts.setdefault(read, []).append(rank(states[d + read - 1]))
        first += len(states)
    return {
        "greatest_norm": max(n for _, n in norms),
        "norm_by_position": binned(*zip(*norms, strict=True)),
        "rank_by_position": binned(*zip(*ranks, strict=True)),
        "rank_at_documents": {r: (len(v), np.mean(v)) for r, v in starts.items()},
    }


def delta_head(parts, h):
    """Returns the numbers of a head from (beta, gate, key, state) of every sequence."""
    out, betas, gates, within, across, one, five, products = {}, [], [], [], [], [], [], 0
    for beta, gate, key, _ in parts:
        beta, gate, key = beta[:, :, h], gate[:, h], key[:, :, h]
        length = np.sqrt((key**2).sum(-1))
        betas.append((beta * length**2).ravel())
        gates.append(gate)
        line = key / length[..., None]
        within.append(angles(line[:, 1:], line[:, :-1]).ravel())
        across.append(angles(line[1:, 0], line[:-1, -1]))
        a = [matrix(*x) for x in zip(beta, gate, key, strict=True)]
        n = key.shape[1]
        one += [moving(m, g, n) for m, g in zip(a, gate, strict=True)]
        for t in range(0, len(a) - 4, 5):
            product = a[t + 4] @ a[t + 3] @ a[t + 2] @ a[t + 1] @ a[t]
            five.append(moving(product, gate[t : t + 5].prod(), 5 * n))
            products += 1
    betas, gates = np.concatenate(betas), np.concatenate(gates)
    within, across = np.concatenate(within), np.concatenate(across)
    out["token_betas"] = {
        **spread(betas),
        "share_below_0_1": (betas < 0.1).mean(),
        "share_above_1": (betas > 1).mean(),
        "share_above_1_9": (betas > 1.9).mean(),
    }
    out["token_gates"] = None if (gates == 1).all() else spread(gates)
    out["angles_within"] = spread(within) if len(within) else None
    out["angles_across"] = spread(across)
    out["one_token"] = eigen(one, len(gates))
    out["five_tokens"] = eigen(five, products)
    return out | of_states([p[3][:, h] for p in parts])


def diagonal_layer(parts):
    decays = [p[0].reshape(len(p[0]), -1) for p in parts]
    products = [d[: len(d) // 5 * 5].reshape(-1, 5, d.shape[1]).prod(1) for d in decays]
    out = {
        "token_betas": None,
        "token_gates": spread(np.concatenate(decays).ravel()),
        "angles_within": None,
        "angles_across": None,
        "one_token": eigen([d.ravel() + 0j for d in decays], sum(map(len, decays))),
        "five_tokens": eigen([p.ravel() + 0j for p in products], sum(map(len, products))),
    }
    return out | of_states([p[1] for p in parts])


def same(got, wanted, where, faults, slack=0.0):
    """Appends what differs; a share may be off by one number that is near a border."""
    if isinstance(wanted, dict):
        for name in wanted:
            bounds = 1.5 / wanted["count"] if name.startswith("share") else 0
            same(got[name], wanted[name], f"{where}, {name}", faults, bounds)
    elif wanted is None or got is None:
        if got is not wanted:
            faults.append(f"{where}: {got}, not {wanted}")
    elif not abs(got - wanted) <= slack + 1e-6 * max(1, abs(wanted)):
        faults.append(f"{where}: {got}, not {wanted}")


def same_means(got, wanted, key, where, faults):
    """Compares a list of means with {bin or number: (count, mean)}."""
    numbers = [bin_of(g[key]) if key == "from_position" else g[key] for g in got]
    if numbers != sorted(wanted):
        faults.append(f"{where}: {numbers}, not {sorted(wanted)}")
        return
    for g, number in zip(got, numbers, strict=True):
        pair = dict(zip(("count", "average"), wanted[number], strict=True))
        same(g, pair, f"{where}, {number}", faults)


def losses(scores, words):
    """Returns {bin: (count, loss, accuracy)} of the next tokens."""
    found = {}
    for score, word in zip(scores, words, strict=True):
        top = score.max(1, keepdims=True)
        log = score - top - np.log(np.exp(score - top).sum(1, keepdims=True))
        for t in range(len(word) - 1):
            row = found.setdefault(bin_of(t + 1), [])
            row.append((-log[t, word[t + 1]], log[t].argmax() == word[t + 1]))
    return {b: (len(v), *np.mean(v, axis=0)) for b, v in found.items()}


def report(tool, command, folder):
    argv = [tool, command, folder, "--token-file", folder / "tokens.npz", "--json"]
    return json.loads(subprocess.run(argv, check=True, stdout=subprocess.PIPE).stdout)


def check(tool, folder, config, tensors):
    """Returns the faults of a model in the form of flash-linear-attention."""
    words = np.random.default_rng(5).integers(0, config["vocab_size"], sum(LENGTHS))
    text = {"tokens": words.astype("<u2"), "lengths": LENGTHS, "documents": DOCUMENTS}
    np.savez(folder / "tokens.npz", **text)
    words = np.split(words, np.cumsum(LENGTHS)[:-1])
    seen = [[] for _ in words]
    scores = [logits(config, tensors, w, s) for w, s in zip(words, seen, strict=True)]
    faults, wanted = [], losses(scores, words)
    evaluated, inspected = (report(tool, c, folder) for c in ("evaluate", "inspect"))
    for name, found in (("evaluate", evaluated), ("inspect", inspected)):
        bins = [bin_of(row["from_position"]) for row in found["by_position"]]
        if bins != sorted(wanted):
            faults.append(f"{name}: bins {bins}")
        for row, b in zip(found["by_position"], bins, strict=True):
            pair = dict(zip(("count", "mean_loss", "accuracy"), wanted[b], strict=True))
            same(row, pair, f"{name}, position {2**b}", faults)
    for head in inspected["token_heads"]:
        parts = [s[head["layer"] - 1] for s in seen]
        mamba = config["model_type"] == "mamba"
        want = diagonal_layer(parts) if mamba else delta_head(parts, head["head"] - 1)
        where = f"layer {head['layer']} head {head['head']}"
        for name in ("norm_by_position", "rank_by_position", "rank_at_documents"):
            key = "tokens_read" if name == "rank_at_documents" else "from_position"
            same_means(head[name], want.pop(name), key, f"{where}, {name}", faults)
        same(head, want, where, faults)
    layers = config["num_hidden_layers"]
    each = 1 if mamba else seen[0][0][0].shape[2]
    if len(inspected["token_heads"]) != layers * each:
        faults.append("not all heads are there")
    return faults


def of_fla(tool, folder, number):
    kind, options = FLA[number]
    make = files.mamba if kind == "mamba" else lambda **o: files.delta(kind, **o)
    config, tensors = make(seed=number + 1, **options)
    files.save(folder, config, tensors)
    return check(tool, folder, config, arrays(tensors))


def as_fla(config, tensors):
    """Returns a model of this project under the names of flash-linear-attention."""
    mamba, renamed = config["mixer"] == "diagonal", {}
    base, norm, mixer = ("backbone", "norm", "mixer") if mamba else ("model", "attn_norm", "attn")
    for name, value in tensors.items():
        name = name.replace(".mixer_norm.", f".{norm}.").replace(".mixer.", f".{mixer}.")
        name = name if name.startswith(("head", "norm", "embedding")) else f"{base}.{name}"
        for old, new in {
            "embedding.": f"{base}.embeddings.",
            "head.": "lm_head.",
            "norm.": f"{base}.norm_f." if mamba else f"{base}.norm.",
        }.items():
            name = new + name[len(old) :] if name.startswith(old) else name
        renamed[name] = value * config["slope"] if name.endswith("b_proj.weight") else value
    return {
        "model_type": "mamba" if mamba else "ours",
        "vocab_size": config["letters"],
        "num_hidden_layers": config["layers"],
        "norm_eps": config["epsilon"],
        "num_heads": config["heads"],
        "num_householder": config["householders"],
        "use_short_conv": config["convolution"] > 0,
        "allow_neg_eigval": config["negative"],
        "qk_activation": "silu" if config["silu_keys"] else "identity",
        "dt_rank": config["step_rank"],
        "state_size": config["states"],
        "signed": config["negative"],
    }, renamed


def of_ours(tool, folder, number):
    folder.mkdir()
    argv = "train --task cycle-navigation --modulus 3 --no-network --layers 2".split()
    end = ["--steps", "3", "--batch", "4", "--lengths", "8", "--sequences", "2", "--quiet"]
    subprocess.run([tool, *argv, *OURS[number], *end, "-o", folder / "run"], check=True)
    metadata, tensors = read_safetensors((folder / "run/weights.safetensors").read_bytes())
    config, tensors = as_fla(json.loads(metadata["config"]), tensors)
    return check(tool, folder / "run", config, tensors)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    args, failed = parser.parse_args(), 0
    jobs = [(of_fla, n, " ".join(map(str, FLA[n]))) for n in range(len(FLA))]
    jobs += [(of_ours, n, f"ours {n}") for n in range(len(OURS))]
    with tempfile.TemporaryDirectory() as where:
        for number, (make, which, name) in enumerate(jobs):
            faults = make(args.tool, Path(where) / str(number), which)
            failed += bool(faults)
            for fault in faults[:8]:
                print(f"FAILED {name}: {fault}")
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
