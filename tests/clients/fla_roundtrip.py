"""Sequence models there and back through flash-linear-attention: its own classes load the files
that this program wrote and answer as the program does, and the program reads the files that they
save.

    make all build/release/tests/clients/seq_dump
    python3 tests/clients/fla_roundtrip.py --build build/release --src SRC --dir build/fla --out OUT

Of its three steps the first and the last need this program, and the second needs PyTorch, Triton,
transformers and an NVIDIA GPU (the kernels are compiled for it); SRC is a folder that holds the
package `fla`, SRC/COMMIT its commit if known. Without these the second step is skipped, with one
line that says so, and the third reads the files of the first. If the two run on different machines,
--step dump, --step compare (with the folder copied there) and --step back run them one by one;
compare begins OUT, a JSON file, and back completes it.

dump     seq_dump.c: models of every class and option of the layout, their weights, and logits
         in double precision.
compare  from_pretrained must find every tensor and no other. Words of 48 letters in float32, 192
         letters in bfloat16 for DeltaNet and DeltaProduct (their chunked kernels refuse float32),
         192 in float32 for Mamba. Then the entries of each tensor are rolled by one in turn: the
         logits must differ from ours, or the comparison would not notice this tensor. At last
         save_pretrained.
back     seq_dump.c: the saved configuration and weights, bit for bit, and their logits.

The exit status is 1 when the logits differ by more than TOLERANCE, relative to their norm, or
anything else differs."""

import argparse
import concurrent.futures
import datetime
import importlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

TOLERANCE = {"float32": 1e-5, "bfloat16": 5e-2}
CLASSES = {
    "delta_net": "DeltaNetForCausalLM",
    "gated_deltaproduct": "GatedDeltaProductForCausalLM",
    "mamba": "MambaForCausalLM",
}
SHORT = 48  # up to 64 letters the classes use recurrent kernels, which compute in float32
SEEN = 10  # a changed tensor is noticed when the logits move by this many tolerances


def dump(args):
    done = subprocess.run(
        [str(args.build / "tests/clients/seq_dump"), "write", str(args.dir / "ours")],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.split()


# --- the other side ---


def other_side(src):
    """Returns (torch, fla.models, None), or (None, None, why they are missing)."""
    if src:
        sys.path.insert(0, str(src))
    try:
        torch = importlib.import_module("torch")
        if not torch.cuda.is_available():
            return None, None, "there is no GPU that PyTorch can use"
        return torch, importlib.import_module("fla.models"), None
    except ImportError as why:
        return None, None, str(why)


class Case:
    def __init__(self, folder, torch, models):
        import numpy as np

        self.torch, self.folder, self.about = (
            torch,
            folder,
            json.loads((folder / "case.json").read_text()),
        )
        kind = json.loads((folder / "config.json").read_text())["model_type"]
        self.mamba, self.cls = kind == "mamba", getattr(models, CLASSES[kind])
        shape = (self.about["sequences"], self.about["length"])
        letters = np.fromfile(folder / "letters.u32", "<u4").reshape(shape)
        logits = np.fromfile(folder / "logits.f64", "<f8").reshape(*shape, self.about["labels"])
        self.letters = torch.from_numpy(letters.astype("i8")).cuda()
        self.logits = torch.from_numpy(logits).cuda()

    def load(self, dtype):
        model, info = self.cls.from_pretrained(self.folder, dtype=dtype, output_loading_info=True)
        lost = {k: sorted(map(str, v)) for k, v in info.items() if v and k != "error_msgs"}
        return model.cuda().eval(), lost

    def answers(self, model, length):
        with self.torch.no_grad():
            out = model(input_ids=self.letters[:, :length], use_cache=False)
        return out.logits[..., : self.about["labels"]].double()

    def apart(self, model, length):
        """Returns the distance of the logits, relative to their norm, and the share of equal
        answers."""
        theirs, ours = self.answers(model, length), self.logits[:, :length]
        same = (theirs.argmax(-1) == ours.argmax(-1)).double().mean().item()
        return ((theirs - ours).norm() / ours.norm()).item(), same

    def unseen(self, model, limit):
        """Returns the tensors whose entries can be rolled by one without the logits moving
        noticeably."""
        blind = []
        for name, p in model.named_parameters():
            keep = p.data.clone()
            p.data = keep.roll(1, 0)
            if not self.apart(model, SHORT)[0] > limit:
                blind.append(name)
            p.data = keep
        return blind


def float32(case):
    """Tests loading, short words and every tensor; returns (the model, the results)."""
    model, lost = case.load(case.torch.float32)
    lengths = [SHORT, case.about["length"]] if case.mamba else [SHORT]
    runs = [run_of(case, model, "float32", n) for n in lengths]
    blind = case.unseen(model, SEEN * TOLERANCE["float32"])
    unchanged = run_of(case, model, "float32", SHORT) == runs[0]
    found = {
        "class": case.cls.__name__,
        "parameters": case.about["parameters"],
        "lost": lost,
        "rolled_unseen": blind,
        "runs": runs,
        "ok": not lost and not blind and unchanged,
    }
    return model, found


def run_of(case, model, dtype, length):
    apart, same = case.apart(model, length)
    return {
        "dtype": dtype,
        "letters": length,
        "apart": apart,
        "same_answers": same,
        "ok": apart < TOLERANCE[dtype],
    }


def bfloat16(case):
    try:
        return run_of(case, case.load(case.torch.bfloat16)[0], "bfloat16", case.about["length"])
    except Exception as error:  # a failing kernel is a result; earlier results stay
        return {
            "dtype": "bfloat16",
            "letters": case.about["length"],
            "error": f"{type(error).__name__}: {error}"[:300],
            "ok": False,
        }


def save(model, folder):
    folder.mkdir(parents=True, exist_ok=True)
    # These classes have a list there, whose keys transformers 5 reads; untied weights need none.
    model._tied_weights_keys = {}
    model.save_pretrained(folder)


def compare_one(args):
    """Compares one case in a process of its own: a kernel that fails ends the whole process's GPU
    context."""
    torch, models, _ = other_side(args.src)
    case = Case(args.dir / "ours" / args.case, torch, models)
    model, found = float32(case)
    save(model, args.dir / "saved" / args.case)
    if not case.mamba:
        found["runs"].append(bfloat16(case))
    found["ok"] = found["ok"] and all(run["ok"] for run in found["runs"])
    print(json.dumps(found))
    return 0


def compare_apart(args, name):
    command = [
        sys.executable,
        __file__,
        "--step",
        "one",
        "--case",
        name,
        "--dir",
        str(args.dir),
        "--out",
        str(args.out),
    ]
    done = subprocess.run(
        command + (["--src", str(args.src)] if args.src else []),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ, CUDA_LAUNCH_BLOCKING="1"),
    )
    last = (done.stdout.strip().splitlines() or [""])[-1]
    return json.loads(last) if last.startswith("{") else {"error": done.stderr[-1500:], "ok": False}


def compare(args):
    torch, _, why = other_side(args.src)
    if why:
        print(f"skipped: flash-linear-attention does not run here: {why}")
        return None
    versions = {
        name: importlib.import_module(name).__version__
        for name in ("torch", "triton", "transformers", "fla")
    }
    commit = args.src / "COMMIT" if args.src else None
    result = {
        "schema": 1,
        "device": torch.cuda.get_device_name(0),
        "python": platform.python_version(),
        **versions,
        "fla_commit": commit.read_text().strip() if commit and commit.exists() else None,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "tolerance": TOLERANCE,
        "cases": {},
    }
    names = sorted(f.name for f in (args.dir / "ours").iterdir())
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, one in zip(names, pool.map(lambda n: compare_apart(args, n), names)):
            result["cases"][name] = one
            print(name, json.dumps(one), flush=True)
    args.out.write_text(json.dumps(result, indent=1) + "\n")
    return result


# --- and back ---


def read_back(args, name, saved):
    done = subprocess.run(
        [str(args.build / "tests/clients/seq_dump"), "back", name, str(args.dir / saved / name)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    last = (done.stdout.strip().splitlines() or [""])[-1]
    found = json.loads(last) if last.startswith("{") else {"error": last}
    found["ok"] = done.returncode == 0
    print(name, "back:", last, flush=True)
    return found


def alone(args):
    """Runs without the other side: the files that were written are at least read again."""
    good = [read_back(args, f.name, "ours")["ok"] for f in sorted((args.dir / "ours").iterdir())]
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if good and all(good) else 1


def back(args):
    result = json.loads(args.out.read_text())
    for name, case in result["cases"].items():
        case["back"] = read_back(args, name, "saved")
    args.out.write_text(json.dumps(result, indent=1) + "\n")
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--src", type=Path, help="a folder that holds the package fla")
    parser.add_argument("--dir", type=Path, help="default: BUILD/fla")
    parser.add_argument("--out", type=Path, help="default: DIR/result.json")
    parser.add_argument("--step", choices=("all", "dump", "compare", "back", "one"), default="all")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=4, help="cases at a time (default: 4)")
    args = parser.parse_args()
    args.dir = args.dir or args.build / "fla"
    args.out = args.out or args.dir / "result.json"
    if args.step == "one":
        return compare_one(args)
    args.dir.mkdir(parents=True, exist_ok=True)
    result = None
    if args.step in ("all", "dump"):
        print(f"{len(dump(args))} models in {args.dir}/ours")
    if args.step in ("all", "compare"):
        result = compare(args)
        if result is None:
            return alone(args) if args.step == "all" else 0
    if args.step in ("all", "back"):
        result = back(args)
    if result is None:
        return 0
    bad = [
        n
        for n, c in result["cases"].items()
        if not c["ok"] or not c.get("back", {"ok": True})["ok"]
    ]
    print(f"{len(result['cases']) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad or not result["cases"] else 0


if __name__ == "__main__":
    sys.exit(main())
