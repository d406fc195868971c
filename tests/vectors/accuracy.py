"""Errors of outputs and gradients on random inputs against float64, by shape and family of keys."""

import torch

from implementations import IMPLEMENTATIONS, error_text, run_implementation, run_once

# (batch, tokens, heads, key, value, factors)
SHAPES = [
    (2, 193, 2, 64, 64, 1),
    (1, 256, 2, 128, 128, 1),
    (1, 129, 2, 128, 64, 3),
    (2, 65, 4, 32, 32, 4),
]
FAMILIES = ("random", "near", "repeated", "exact")


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
    return {
        name: float((value.double().cpu() - wanted[name]).abs().max() / wanted[name].abs().max())
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


def measure_accuracy(names, device, dtype=torch.bfloat16):
    """Returns a list of cases with the errors of every implementation."""
    table = []
    for shape in SHAPES:
        for gated in (False, True):
            for family in FAMILIES:
                x = make_inputs(shape, family, dtype, gated)
                case = {"shape": shape, "gated": gated, "keys": family, "format": str(dtype)[6:]}
                table.append({**case, "implementations": measure_case(names, x, device)})
    return table


def show_accuracy(table):
    print("\nlargest errors against float64, by the largest number of the result")
    for case in table:
        B, T, H, K, V, n = case["shape"]
        gated = " gated" if case["gated"] else ""
        print(f"({B}, {T}, {H}, {K} x {V}) n_h {n}{gated}, {case['keys']} keys, {case['format']}")
        for name, row in case["implementations"].items():
            if "errors" in row:
                shown = "  ".join(f"{what} {by:.2g}" for what, by in row["errors"].items())
                print(f"  {name:40}{shown}")
