"""Compares states that kernels of a GPU gave with the rows of their presets, in the model's
arithmetic, number by number, and writes reports/results/engines-kernels.json.

    compare_kernels.py --input input.json --states h8k.json --functions approx.json --out FILE
    compare_kernels.py --engines engines.json --out FILE       adds these to FILE

input.json names raw keys and the order of factors of a word; the states are the ones after each
factor, as little-endian fp32 in base64. Each case is tried with several orders of sums, so that the
record says which one the compiler chose."""

import argparse
import base64
import json
import math
import struct
from fractions import Fraction
from pathlib import Path

from arith import fp32, round_fraction
from row import Row

ORDERS = {
    "halves, update fused": {"sum": "halves", "fuse": "update"},
    "halves, nothing fused": {"sum": "halves", "fuse": "none"},
    "left, all fused": {"sum": "left", "fuse": "both"},
    "left, update fused": {"sum": "left", "fuse": "update"},
}


def floats(text):
    data = base64.b64decode(text)
    return struct.unpack(f"<{len(data) // 4}f", data)


def shaped(values, shape):
    if len(shape) == 1:
        return list(values)
    size = len(values) // shape[0]
    return [shaped(values[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]


def row_of(order):
    fields = {"row": "recurrent", "norm": "quotient", "squares": "halves", "eps": "1e-6"}
    return Row(fields | order, "fp32", "bf16")


def raw_key(u, raw, n):
    most = max(abs(v) for v in u)
    out = [float(round_fraction(v / most * raw, "bf16")) for v in u]
    return out + [0.0] * (n - len(u))


def compare(ours, theirs):
    """Returns how many numbers differ, the first step with one, and the largest difference."""
    differ, first, most = 0, None, 0.0
    for t, (a, b) in enumerate(zip(ours, theirs)):
        for x, y in zip(a, b):
            if x != y:
                differ += 1
                first = t + 1 if first is None else first
                most = max(most, abs(x - y))
    numbers = sum(len(a) for a in theirs)
    return {"numbers": numbers, "differ": differ, "first_at": first, "largest_difference": most}


def columns_of(states):
    """Returns states [n][d] as lists of columns joined."""
    return [[s[i][j] for j in range(len(s[0])) for i in range(len(s))] for s in states]


def run_net(net, raw, order, n, take):
    """Returns the states after the steps that `take` names."""
    row = row_of(order)
    u = [[Fraction(v) for v in key] for key in net["u"]]
    keys = [row.normalised(raw_key(k, raw, n), n) for k in u]
    state = [[float(Fraction(v)) for v in c] + [0.0] * (n - net["n"]) for c in net["initial"]]
    out = []
    for t, i in enumerate(net["order"]):
        state = [row.factor(c, keys[i], 2.0, 0.0, 1) for c in state]
        if t + 1 in take:
            out.append([v for c in state for v in c])
    return out


def look_at_net(part, net):
    n = part["shape"][1]
    theirs = columns_of(shaped(floats(part["states"]), part["shape"]))
    take = part.get("letters") or range(1, len(net["order"]) + 1)
    out = {}
    for name, order in ORDERS.items():
        ours = run_net(net, part["raw"], order, n, set(take))
        out[name] = compare(ours, theirs)
    return out


def look_at_random(part):
    n, steps = part["K"], part["T"]
    k, v = shaped(floats(part["k"]), [steps, n]), shaped(floats(part["v"]), [steps, 16])
    beta, alpha = floats(part["beta"]), floats(part["alpha"])
    theirs = columns_of(shaped(floats(part["states"]), [steps, n, 16]))
    out = {}
    for name, order in ORDERS.items():
        row, state, ours = row_of(order), [[0.0] * n for _ in range(16)], []
        for t in range(steps):
            key = row.normalised(k[t], n)
            if alpha[t] != 1:
                state = [[fp32(s * alpha[t]) for s in c] for c in state]
            state = [row.factor(c, key, beta[t], v[t][j], 1) for j, c in enumerate(state)]
            ours.append([x for c in state for x in c])
        out[name] = compare(ours, theirs)
    return out


# --- kernels of engines ---


INTERPRETED = (
    "source run by Triton's interpreter on a CPU, not on a GPU: sums, roots and exponentials are "
    "NumPy's, in its order; casts to bf16 round to nearest, where the interpreter's own cuts off"
)

# A thread that has four neighbours adds these first.
ENGINE_ORDERS = ORDERS | {
    "blocks of 4, update fused": {"sum": "blocks:4", "fuse": "update"},
    "blocks of 4 in two chains, all fused": {"sum": "blocks:4:2", "fuse": "both"},
}


# What Triton's interpreter is compared with: the row's order, and the one in which NumPy adds up to
# 128 numbers: eight chains, then neighbours. Its reciprocal root is rounded twice.
INTERPRETER_ORDERS = {"halves, update fused": ORDERS["halves, update fused"]}
NUMPY = {"sum": "lanes:8", "squares": "lanes:8", "fuse": "none", "norm": "reciprocal"}
AS_NUMPY = "as NumPy adds, nothing fused"


def engine_row(kernel, state, order):
    """Returns the row of a kernel. Where it divides by the root, the device multiplies by the
    reciprocal: the numbers after the first letter are those."""
    fields = {"row": "recurrent", "norm": "reciprocal", "squares": "halves", "eps": "1e-6"}
    if kernel.startswith(("flashinfer", "vllm-fused", "flaggems")):
        fields["norm"] = "rsqrt"
    if kernel.startswith("flaggems"):
        fields |= {"scale": "amax", "quotient": "two", "block": "tile:32"}
    if kernel.startswith("vllm-replay"):
        fields |= {"letters": kernel.removeprefix("vllm-replay"), "ring": "format"}
    return Row(fields | order, state, "bf16")


def step_engine(row, state, ring, key, beta, value, gate):
    """Returns the state before the store after one factor; the ring gets its update."""
    made = state
    if row.f["ring"] != "none":
        made = row.replayed(state, row.added([[0.0] * len(c) for c in state], ring))
    updates = []
    return row.letter(0, made, [(gate, [(beta, key, value)], None)], updates), updates


def run_engine(kernel, part, order):
    """Returns the stored states, and the updates of a ring."""
    row = engine_row(kernel, part["state"], order)
    n, d, count = part["K"], part["V"], part["T"]
    k, v = shaped(floats(part["k"]), [count, n]), shaped(floats(part["v"]), [count, d])
    beta, alpha = floats(part["beta"]), floats(part["alpha"])
    state, ring, states, updates = [[0.0] * n for _ in range(d)], [], [], []
    calls = part.get("steps", 1)
    for t in range(count):
        b = float(round_fraction(Fraction(beta[t]), "bf16")) if row.letters > 1 else beta[t]
        after, some = step_engine(row, state, ring, row.normalised(k[t], n), b, v[t], alpha[t])
        ends = (t + 1) % max(row.letters, calls) == 0
        if row.letters > 1 and not ends:
            ring += some
            updates.append([-float(round_fraction(Fraction(-r), "bf16")) for r in some[0][1]])
        elif row.letters > 1 or calls > 1:
            state, ring = (row.stored(after, None)[0] if ends else after), []
            updates.append([0.0] * d)
        else:
            state = row.stored(after, None)[0]
        if calls == 1 or ends:
            states.append([x for c in state for x in c])
    return states, updates


def as_numpy(part):
    """Returns the part with its rows in another order, so that halves of eight chains are NumPy's
    neighbours."""
    n, count = part["K"], part["T"]
    order = [i - i % 8 + (0, 4, 2, 6, 1, 5, 3, 7)[i % 8] for i in range(n)]
    out = dict(part)
    for name, width in (("k", 1), ("states", part["V"])):
        given = shaped(floats(part[name]), [count, n, width])
        values = [v for letter in given for i in order for v in letter[i]]
        out[name] = base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()
    return out


def look_at_interpreted(kernel, part):
    out = look_at_engine(kernel, part, INTERPRETER_ORDERS)
    return out | look_at_engine(kernel, as_numpy(part), {AS_NUMPY: NUMPY})


def look_at_engine(kernel, part, orders=ENGINE_ORDERS):
    count = part["T"] // part.get("steps", 1)
    theirs = columns_of(shaped(floats(part["states"]), [count, part["K"], part["V"]]))
    out = {}
    for name, order in orders.items():
        states, updates = run_engine(kernel, part, order)
        out[name] = compare(states, theirs)
        if "updates" in part:
            given = shaped(floats(part["updates"]), [part["T"], part["V"]])
            out[name + "; updates in the ring"] = compare(updates, given)
    return out


# --- approximate functions ---


def rounded_root(x):
    return fp32(math.sqrt(x))


EXACT = {
    "tl.sqrt": lambda x, y: rounded_root(x),
    "sqrt.approx": lambda x, y: rounded_root(x),
    "sqrt.rn": lambda x, y: rounded_root(x),
    "sqrt_rn": lambda x, y: rounded_root(x),
    "tl.rsqrt": lambda x, y: fp32(1 / math.sqrt(x)),
    "rsqrt.approx": lambda x, y: fp32(1 / math.sqrt(x)),
    "rsqrtf": lambda x, y: fp32(1 / math.sqrt(x)),
    "/": lambda x, y: fp32(y / x),
    "div.full": lambda x, y: fp32(y / x),
    "div.approx": lambda x, y: fp32(y / x),
    "div.rn": lambda x, y: fp32(y / x),
    "div_rn": lambda x, y: fp32(y / x),
    "y/sqrt(x)": lambda x, y: fp32(y / rounded_root(x)),
    "1/sqrt(x)": lambda x, y: fp32(1 / rounded_root(x)),
    "exp(-x)": lambda x, y: fp32(math.exp(-x)),
    "expf(-x)": lambda x, y: fp32(math.exp(-x)),
    "__expf(-x)": lambda x, y: fp32(math.exp(-x)),
    "ex2.approx": lambda x, y: fp32(2.0**x) if x < 128 else math.inf,
    "sigmoid": lambda x, y: fp32(1 / (1 + math.exp(-x))),
}


def look_at_function(name, rows):
    """rows: (x, y, found). Says where the value is not the correctly rounded one, and whether it is
    at the powers of four that exact keys need."""
    wrong = [(x, y, v) for x, y, v in rows if x > 0 and v != EXACT[name](x, y)]
    fours = [x for x, y, v in wrong if math.frexp(x)[0] == 0.5 and math.frexp(x)[1] % 2 == 1]
    ones = [x for x, y, v in rows if name == "sigmoid" and v == 1.0]
    out = {"values": len(rows), "not_rounded_correctly": len(wrong)}
    out["at_powers_of_four"] = len(fours)
    out["examples"] = [[x, y, v] for x, y, v in wrong[:5]]
    if ones:
        out["sigmoid_is_1_from"] = min(ones)
    return out


def functions_of(states, approximate):
    out = {}
    part = states["parts"].get("functions", {})
    if "out" in part:
        x, y = floats(part["x"]), floats(part["y"])
        values = shaped(floats(part["out"]), [len(part["names"]), part["n"]])
        for name, v in zip(part["names"], values):
            out["Triton " + name] = look_at_function(name, list(zip(x, y, v)))
    if approximate:
        rows = [[float.fromhex(v) for v in row] for row in approximate["rows"]]
        for i, name in enumerate(approximate["names"]):
            out["PTX " + name] = look_at_function(name, [(r[0], r[1], r[2 + i]) for r in rows])
    return out


def add_engines(given, file):
    """Adds the cases to the record: those of Triton's interpreter apart, with what ran them."""
    record = json.loads(file.read_text())
    cases, look = record["cases"], look_at_engine
    if given.get("interpreter"):
        cases, look = {}, look_at_interpreted
        versions = {k: given[k] for k in ("torch", "triton", "numpy")}
        record["interpreted"] = {"what": INTERPRETED} | versions | {"cases": cases}
    for name, part in given["parts"].items():
        if "error" in part:
            cases[name] = {"error": part["error"][-300:]}
            continue
        cases[name] = look(name.removeprefix("dry ").split()[0], part)
        print(name, [v["differ"] for v in cases[name].values()], flush=True)
    file.write_text(json.dumps(record, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", type=Path)
    parser.add_argument("--states", type=Path)
    parser.add_argument("--engines", type=Path)
    parser.add_argument("--functions", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if args.engines:
        add_engines(json.loads(args.engines.read_text()), args.out)
        return
    nets = {(n["name"], n["keys"]): n for n in json.loads(args.input.read_text())}
    states = json.loads(args.states.read_text())
    approximate = json.loads(args.functions.read_text()) if args.functions else None
    record = {k: states[k] for k in ("device", "torch", "triton", "fla") if k in states}
    record["cases"] = {}
    for name, part in states["parts"].items():
        words = name.split()
        if "error" in part:
            record["cases"][name] = {"error": part["error"][-300:]}
        elif words[0] in ("recurrent", "chunk"):
            record["cases"][name] = look_at_net(part, nets[words[1], words[2]])
        elif words[0] == "random":
            record["cases"][name] = look_at_random(part)
    record["functions"] = functions_of(states, approximate)
    args.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
