"""Our trainer's losses and gradients beside PyTorch's: what trainer.py compares where PyTorch is
installed."""

import math

import numpy as np
import torch

from changes import FINE, TRIED
from ours import START, STEPS, STOPS, WINDOW
from steps import Trainer

# Largest relative differences: of losses, and of gradients relative to the largest entry.
LOSS = {"double": 1e-9, "float": 1e-4}
LOOSE = 1e-6  # of losses in double when rounding has already led two PyTorch runs apart
TRIED_LOSS = 1e-5  # of losses in float where trainers that are wrong are tried
GRADIENT = {"double": 1e-10, "float": 1e-4}
MARGIN = 10  # two PyTorch runs count as apart at a tenth of a bound
BOUNDS = {
    "loss": {**LOSS, "double_loose": LOOSE, "float_tried": TRIED_LOSS},
    "gradient": GRADIENT,
    "margin": MARGIN,
}
AS_IT_IS = "clip_grad_norm_ as it is"  # the change that CLIPPED shows over all steps
CLIPPED = "delta-2"
SHOWN = (1, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)  # steps of the record


def relative(x, y):
    return np.abs(x - y) / np.abs(y)


def above(differences, bound):
    """Returns the first step, from 1, with a larger difference or NaN; None when there is none."""
    found = np.flatnonzero(~(differences <= bound))
    return int(found[0]) + 1 if len(found) else None


def loss_bound(ours, precision):
    return TRIED_LOSS if precision == "float" and ours.name in TRIED else LOSS[precision]


def gradients(trace, first):
    """Returns {tensor: largest difference relative to its largest entry}."""

    def apart(mine, theirs):
        difference, largest = np.abs(mine - theirs).max(), np.abs(theirs).max()
        return float(difference / largest) if largest > 0 else math.inf if difference > 0 else 0.0

    return {name: apart(array, first[name]) for name, array in trace.tensors(trace.gradient)}


def worst(differences):
    """Returns the largest of {tensor: difference} as a record; NaN counts as the largest."""
    name = max(differences, key=lambda n: (differences[n] != differences[n], differences[n]))
    return {"largest": differences[name], "tensor": name}


# --- in double, for all steps ---


def judge_losses(apart, orders, bound):
    """Compares the differences with a bound, up to the step at which two orders of sums are a tenth
    of it apart."""
    end = above(orders, bound / MARGIN)
    steps = STEPS if end is None else end - 1
    largest = float(apart[:steps].max(initial=0))
    return {"bound": bound, "steps": steps, "largest": largest, "ok": bool(largest <= bound)}


def compare_double(ours, parts, verdicts):
    words = {step: w for trace, _ in parts for step, w in trace.words.items()}
    mine = ours.log("cpu-double")[:STEPS, 0]

    def run(**how):
        trainer = Trainer(ours.config, torch.float64, **how)
        return trainer.load(parts[0][0]).steps(words, STEPS)

    theirs = run()
    apart, orders = relative(mine, theirs), relative(run(flipped=True), theirs)
    record = {"judged": [judge_losses(apart, orders, b) for b in (LOSS["double"], LOOSE)]}
    shown = {"loss": mine, "apart": apart, "two_orders": orders}
    if ours.name == CLIPPED:
        shown[AS_IT_IS] = relative(run(change=AS_IT_IS), theirs)
    record["curve"] = [
        {"step": step, **{what: numbers[step - 1] for what, numbers in shown.items()}}
        for step in SHOWN
        if step <= STEPS
    ]
    for j in record["judged"]:
        verdicts.add(
            j["ok"] and j["steps"] >= START,
            f"cpu-double, {j['steps']} steps: {j['largest']:.1e} (at most {j['bound']:g};"
            f" two orders of sums: {orders[: j['steps']].max():.1e})",
        )
    return record


def compare_gradients_double(ours, parts, verdicts):
    found = {}
    for trace, point in parts:
        trainer = Trainer(ours.config, torch.float64).load(trace, point)
        trainer.gradient(trace.words[trace.step])
        found[trace.step] = gradients(trace, trainer.gradients())
    return judge_gradients(found, "double", "cpu-double", verdicts)


def judge_gradients(found, precision, what, verdicts):
    """Records {step: {tensor: difference}}: the worst at each step, and of each tensor."""
    record = {"at": {step: worst(tensors) for step, tensors in found.items()}}
    record["tensors"] = {
        name: max(tensors[name] for tensors in found.values()) for name in found[STOPS[0]]
    }
    largest = worst(record["tensors"])
    ok = all(x <= GRADIENT[precision] for t in found.values() for x in t.values())
    verdicts.add(ok, f"{what}, gradients: {largest['largest']:.1e} ({largest['tensor']})")
    return record


# --- in float, in windows ---


class Windows:
    """PyTorch's losses and first gradients in the windows, in float and in double."""

    def __init__(self, ours, parts, device):
        self.found = []
        for trace, point in parts:
            both = {}
            for kind in (torch.float32, torch.float64):
                trainer = Trainer(ours.config, kind, device).load(trace, point)
                losses = trainer.steps(trace.words, WINDOW if trace.step else START)
                both["float" if kind == torch.float32 else "double"] = losses, trainer.first
            self.found.append(both)


def compare_float(ours, backend, parts, windows, verdicts):
    """Compares the windows of a backend with PyTorch's."""
    record = {"windows": []}
    for kind in ("float", "double"):
        found, largest = {}, 0.0
        for (trace, _), both in zip(parts, windows.found):
            losses, first = both[kind]
            apart = relative(ours.losses(backend, trace.step), losses)
            found[trace.step] = gradients(trace, first)
            largest = max(largest, apart.max(), key=lambda x: (x != x, x))
            record["windows"].append(
                {"from": trace.step, "steps": len(losses), "torch": kind, "largest": apart.max()}
            )
        text = f"{backend}, beside PyTorch in {kind}"
        verdicts.add(largest <= loss_bound(ours, "float"), f"{text}: {largest:.1e}")
        record[f"gradients_torch_{kind}"] = judge_gradients(found, "float", text, verdicts)
    return record


# --- trainers that are wrong on purpose ---


def refused_at(change, ours, backend, parts, precision):
    """Returns where the comparison refuses PyTorch with a change: "gradient at S" or "loss of step
    S"; None: it does not."""
    for trace, point in parts:
        trainer = Trainer(ours.config, torch.float64, change=change).load(trace, point)
        mine = ours.losses(backend, trace.step)
        for step, loss in enumerate(mine, trace.step):
            theirs = trainer.step(trace.words[step])
            if not relative(loss, theirs) <= loss_bound(ours, precision):
                return f"loss of step {step + 1}"
            if step > trace.step:
                continue
            if not worst(gradients(trace, trainer.first))["largest"] <= GRADIENT[precision]:
                return f"gradient at {step}"
    return None


def mutate(ours, double, narrow, verdicts):
    record = []
    for change in TRIED.get(ours.name, []):
        row = {
            "change": change,
            "double": refused_at(change, ours, "cpu-double", double, "double"),
            "float": refused_at(change, ours, "cpu", narrow, "float"),
        }
        record.append(row)
        verdicts.add(
            row["double"] and (row["float"] or change in FINE),
            f"refused: {change}: {row['double']}; in float: {row['float']}",
        )
    return record


# --- all of it ---


def compare(record, ours, double, narrow, verdicts):
    """Compares the traces and checkpoints of the double run, and of the runs in float by backend,
    and fills the record."""
    torch.set_num_threads(1)
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    record["cpu-double"] = compare_double(ours, double, verdicts)
    record["cpu-double"]["gradients"] = compare_gradients_double(ours, double, verdicts)
    windows = {}
    for backend, parts in narrow.items():
        device = "cuda" if backend.startswith("cuda") else "cpu"
        if device not in windows:
            windows[device] = Windows(ours, narrow["cpu"], device)
        record[backend] = compare_float(ours, backend, parts, windows[device], verdicts)
    record["bounds"] = BOUNDS
    record["mutated"] = mutate(ours, double, narrow["cpu"], verdicts)
