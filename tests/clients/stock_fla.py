"""Runs exported models in stock flash-linear-attention on a GPU, and counts wrong labels.

    stock_fla.py --cases DIR --out FILE [--minutes M]

DIR has for every network NAME a file NAME.npz, one long word as `fsa2lrnn run --random 1 --write`
writes it, and folders NAME.TARGET.DTYPE, as `fsa2lrnn export` writes them. flash-linear-attention,
transformers and einops must be importable. FILE becomes JSON: for every folder and way of running
the number of letters and of wrong labels. --quick compiles the first configuration of every kernel
instead of all of them, which Triton would time. What a kernel computes does not depend on it but
for the order of sums, which no claim depends on.
"""

import argparse
import json
import pathlib
import time

import fla
import numpy
import torch
import transformers
from triton.runtime.autotuner import Autotuner

PIECE = {"chunk": 65536, "recurrent": 64}  # tokens of a call when the state is carried


def take_first_configuration():
    """Makes Triton's tuner consider one configuration of every kernel."""
    prune = Autotuner.prune_configs
    Autotuner.prune_configs = lambda self, kwargs: prune(self, kwargs)[:1]


class Case:
    def __init__(self, folder, word):
        self.folder = folder
        about = json.loads((folder / "export.json").read_text())
        names = {name: i for i, name in enumerate(about["label_names"])}
        letters = {name: i for i, name in enumerate(about["fsa_letters"])}
        self.claims = about["claims"]
        token = numpy.array([letters[str(name)] for name in word["letter_names"]])
        label = numpy.array([names[str(name)] for name in word["label_names"]])
        self.letters = torch.tensor(token[word["letters"][0]], device="cuda")
        self.labels = torch.tensor(label[word["labels"][0]], device="cuda")
        self.prefix = torch.tensor(json.loads((folder / "prefix.json").read_text()), device="cuda")
        self.model = transformers.AutoModelForCausalLM.from_pretrained(folder).cuda().eval()
        self.dtype = str(next(self.model.parameters()).dtype)

    def wrong(self, logits, first):
        """Returns how many of the largest logits are not the labels from letter `first` on."""
        return int((logits.argmax(-1) != self.labels[first : first + len(logits)]).sum())

    def whole(self, length):
        """Reads a word in one call."""
        tokens = torch.cat([self.prefix, self.letters[:length]])[None]
        logits = self.model(tokens, use_cache=False).logits[0, len(self.prefix) :]
        return self.wrong(logits, 0)

    def carried(self, length, piece):
        """Reads a word in pieces, each with the state that the last one left."""
        out = self.model(self.prefix[None], use_cache=True)
        wrong = 0
        for first in range(0, length, piece):
            part = self.letters[first : min(first + piece, length)][None]
            out = self.model(part, past_key_values=out.past_key_values, use_cache=True)
            wrong += self.wrong(out.logits[0], first)
        return wrong


def runs(deltanet):
    """Yields (way, letters, tokens of a call or None) for a model."""
    yield "one call", 64, None
    yield "one call", 4096, None
    yield "chunk, state carried", 1000000, PIECE["chunk"]
    yield "recurrent, state carried", 64, 1
    yield "recurrent, state carried", 4096, PIECE["recurrent"]
    yield "recurrent, state carried", 1000000 if deltanet else 100000, PIECE["recurrent"]


def measure(folder, word, stop, results):
    case = Case(folder, word)
    for way, letters, piece in runs("deltanet" in folder.name):
        if time.time() > stop:
            return
        start = time.time()
        wrong = case.whole(letters) if piece is None else case.carried(letters, piece)
        torch.cuda.synchronize()
        results.append(
            {
                "case": folder.name,
                "dtype": case.dtype,
                "way": way,
                "letters": letters,
                "wrong": wrong,
                "tokens_a_call": piece or letters + len(case.prefix),
                "seconds": round(time.time() - start, 3),
            }
        )
        print(json.dumps(results[-1]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[""], help="parts of names of folders")
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--quick", action="store_true", help="do not tune kernels")
    args = parser.parse_args()
    if args.quick:
        take_first_configuration()
    stop = time.time() + 60 * args.minutes
    report = {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "fla": fla.__version__,
        "tuned": not args.quick,
        "results": [],
    }
    folders = sorted(p for p in args.cases.iterdir() if p.is_dir())
    with torch.inference_mode():
        for folder in (f for f in folders if any(part in f.name for part in args.only)):
            word = numpy.load(args.cases / f"{folder.name.split('.')[0]}.npz")
            try:
                measure(folder, word, stop, report["results"])
            except Exception as error:  # the other folders are still of use
                report["results"].append({"case": folder.name, "error": repr(error)})
                print(json.dumps(report["results"][-1]), flush=True)
            args.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
