"""Errors of outputs and gradients on random inputs against float64, by shape and family of keys."""

import functools
from pathlib import Path

import torch

from implementations import IMPLEMENTATIONS, error_text, run_implementation, run_once
from vector_file import read_tensors

# (batch, tokens, heads, key, value, factors)
SHAPES = [
    (2, 193, 2, 64, 64, 1),
    (1, 256, 2, 128, 128, 1),
    (1, 129, 2, 128, 64, 3),
    (2, 65, 4, 32, 32, 4),
]
FAMILIES = ("random", "near", "trained", "repeated", "exact")
# Axes as keys: every number of factors, with keys and values and lengths around chunks of 16 to 64.
SIZES = [(32, 32), (64, 64), (64, 128), (128, 128), (128, 64), (256, 64)]
LENGTHS = (1, 15, 16, 17, 31, 33, 63, 64, 65)
EXACT = [
    (1, LENGTHS[(5 * n + i) % len(LENGTHS)], 2, key, value, n)
    for n in range(1, 9)
    for i, (key, value) in enumerate(SIZES)
]
TRAINED = Path(__file__).resolve().parents[1] / "data/learned-s3/weights.safetensors"


def choose_keys(family, shape, noise):
    """Returns unit keys: independent ones, ones near a common key as trained layers have them, one
    key for all rows, or axes."""
    if family == "exact":
        index = torch.randint(0, 8, shape[:-1], generator=noise)
        return torch.nn.functional.one_hot(index, shape[-1]).double()
    k = torch.randn(shape, generator=noise, dtype=torch.float64)
    if family != "random":
        k = k * (0.5 if family == "near" else 0) + torch.randn(shape[-1], generator=noise)
    return torch.nn.functional.normalize(k, dim=-1)


@functools.cache
def read_trained():
    """Returns queries [letter, 4, 8], keys [letter, 8, 8] and betas [letter, 8] of a trained layer
    in [-1, 1], for each of its letters: of its four heads, and of their two factors."""
    _, w = read_tensors(TRAINED)
    w = {name: torch.from_numpy(x.copy()).double() for name, x in w.items()}
    x = w["embedding.weight"]
    x = x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * w["layers.0.mixer_norm.weight"]
    rows = {name: x @ w[f"layers.0.mixer.{name}_proj.weight"].T for name in "qkb"}
    q, k = (torch.nn.functional.normalize(rows[n].unflatten(1, (-1, 8)), dim=-1) for n in "qk")
    return q, k, 2 * torch.sigmoid(rows["b"])


def put_trained(x, shape, noise):
    """Replaces queries, keys and betas by those of the trained layer on random letters, turned into
    the shape's dimensions."""
    B, T, H, K, _, n = shape
    q, k, beta = read_trained()
    turn = torch.linalg.qr(torch.randn(K, 8, generator=noise, dtype=torch.float64))[0].T
    letters = torch.randint(0, len(q), (B, T), generator=noise)
    which = torch.arange(n * H) % k.shape[1]
    x["q"] = q[letters][:, :, torch.arange(H) % q.shape[1]] @ turn
    x["k"] = (k[letters][:, :, which] @ turn).reshape(B, T * n, H, K)
    x["beta"] = beta[letters][:, :, which].reshape(B, T * n, H)


def make_inputs(shape, family, dtype, gated):
    """Returns inputs on the CPU, rounded to the type, the same for every implementation."""
    B, T, H, K, V, n = shape
    noise = torch.Generator().manual_seed(sum(shape) + gated)
    exact = family == "exact"

    def normal(*size):
        return torch.randn(size, generator=noise, dtype=torch.float64)

    x = {
        "q": choose_keys(family if exact else "random", (B, T, H, K), noise),
        "k": choose_keys(family, (B, T * n, H, K), noise),
        "v": normal(B, T * n, H, V).sign() * (1.0 if exact else normal(B, T * n, H, V).abs()),
        "beta": 2 * torch.rand(B, T * n, H, generator=noise, dtype=torch.float64),
        "do": normal(B, T, H, V),
    }
    if family == "trained":
        put_trained(x, shape, noise)
    if exact:  # reflections of a state that the first row writes
        x["beta"].fill_(2)
        x["v"][:, 1:] = 0
        x["do"] = x["do"].sign() * (torch.rand(x["do"].shape, generator=noise) < 0.02)
    x = {name: value.to(dtype) for name, value in x.items()}
    if gated:
        logits = normal(B, T, H) + 4
        x["g"] = torch.nn.functional.logsigmoid(logits).float() * (0 if exact else 1)
    return {**x, "scale": 0.125 if exact else K**-0.5, "n_h": n}


def recurrence(x):
    """Computes the operator row by row in the type of its inputs."""
    n, tokens = x["n_h"], x["q"].shape[1]
    q, k, v, beta = (x[name].transpose(0, 1) for name in ("q", "k", "v", "beta"))
    S = k.new_zeros(*k.shape[1:], v.shape[-1])
    out = []
    for t in range(tokens):
        if "g" in x:
            S = S * x["g"][:, t].exp()[..., None, None]
        for r in range(n * t, n * t + n):
            e = v[r] - (k[r][..., None] * S).sum(-2)
            S = S + k[r][..., None] * (beta[r][..., None] * e)[..., None, :]
        out.append(x["scale"] * (q[t][..., None] * S).sum(-2))
    return torch.stack(out, 1), S


def as_doubles(x):
    return {name: v.double() if torch.is_tensor(v) else v for name, v in x.items()}


def errors_of(found, wanted):
    """Returns the largest error of each result, relative to its largest number."""
    found = {name: value.double().cpu() for name, value in found.items()}
    return {
        name: float((value - wanted[name]).abs().max() / (wanted[name].abs().max() or 1))
        for name, value in found.items()
    }


def measure_case(names, x, device):
    wanted = {k: v.cpu() for k, v in run_once(recurrence, as_doubles(x), True).items()}
    x = {name: value.to(device) if torch.is_tensor(value) else value for name, value in x.items()}
    row = {}
    for name in names:
        try:
            found, note = run_implementation(IMPLEMENTATIONS[name], x)
        except Exception as why:
            row[name] = {"skipped": error_text(why)}
            continue
        row[name] = {"errors": errors_of(found, wanted), **({"note": note} if note else {})}
    return row


def measure_accuracy(names, device, shapes, late, dtype=torch.bfloat16):
    """Returns a list of cases with the errors of every implementation, to when it is late."""
    table = []
    for shape in shapes:
        for gated in (False, True):
            for family in FAMILIES:
                if late():
                    return table
                x = make_inputs(shape, family, dtype, gated)
                case = {"shape": shape, "gated": gated, "keys": family, "format": str(dtype)[6:]}
                table.append({**case, "implementations": measure_case(names, x, device)})
    return table


def measure_exact(names, device, part, late, dtype=torch.bfloat16):
    """Returns for every implementation how many of the exact shapes it took, how many it computed
    without an error, and what is off in the others, to when it is late."""
    found = {name: {"cases": 0, "exact": 0, "off": []} for name in names}
    for i, shape in list(enumerate(EXACT))[part]:
        if late():
            break
        x = make_inputs(shape, "exact", dtype, bool(i % 2))
        for name, row in measure_case(names, x, device).items():
            if "errors" in row:
                off = {what: by for what, by in row["errors"].items() if by}
                found[name]["cases"] += 1
                found[name]["exact"] += not off
                found[name]["off"] += [{"shape": shape, "gated": bool(i % 2), **off}] * bool(off)
    return found


def show_accuracy(table, exact):
    print("\nlargest errors against float64, by the largest number of the result")
    for case in table:
        B, T, H, K, V, n = case["shape"]
        gated = " gated" if case["gated"] else ""
        print(f"({B}, {T}, {H}, {K} x {V}) n_h {n}{gated}, {case['keys']} keys, {case['format']}")
        for name, row in case["implementations"].items():
            if "errors" in row:
                shown = "  ".join(f"{what} {by:.2g}" for what, by in row["errors"].items())
                print(f"  {name:40}{shown}")
    print("\nexact keys: shapes that were taken, and those computed without an error")
    for name, row in exact.items():
        print(f"  {name:40}{row['cases']:4}{row['exact']:4}")
