"""A tiny model of bytes, trained by train.py's Trainer and by `fsa2lrnn train --data` from the same
first weights: the losses of both, step by step.

Every step reads the same 64 bytes, because the two draw windows in different orders. The model is
that of tests/clients/trainer, in double; ours computes in float."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

ROOT = Path(__file__).resolve().parent.parent.parent
STEPS, RATE, LONG, CLIP = 40, 2e-3, 64, 0.5
OPTIONS = (
    "--householders 2 --slope 1 --silu --convolution 4 --additive --no-learned-start --heads 2"
    f" --head-dim 8 --width 32 --mlp 32 --layers 1 --batch 1 --clip {CLIP} --weight-decay 0.1"
    " --beta2 0.95 --decay cosine --decay-from 0 --warmup 0 --log-every 1 --no-network"
    f" --from {LONG} --to {LONG} --lengths {LONG} --sequences 1"
)


def text():
    return (ROOT / "tests/lm/corpus.py").read_bytes()[: LONG + 1]


def ours(tool, folder):
    """Returns the losses of `fsa2lrnn train --data`, and the folder of the first weights, which is
    a run of one step with a rate too small to change a number."""
    names = [str(byte) for byte in text()]
    word = json.dumps({"word": names[:-1], "labels": names[1:]}) + "\n"
    for name in ("bytes.jsonl", "test.jsonl"):
        (folder / name).write_text(word)
    argv = [tool, "train", "--data", "jsonl:bytes.jsonl", "--test", "jsonl:test.jsonl"]
    argv += OPTIONS.split()
    for run, steps, rate, last in (("first", 1, 1e-30, 1e-30), ("run", STEPS, RATE, RATE / 10)):
        more = ["--steps", str(steps), "--rate", str(rate), "--last-rate", str(last), "-o", run]
        subprocess.run([*argv, *more], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    lines = map(json.loads, (folder / "run/log.jsonl").read_text().splitlines())
    return [line["loss"] for line in lines if line["event"] == "step"], folder / "first"


def numbered(found):
    """Returns bytes by their place among those that occur, as our trainer numbers names."""
    place = {byte: number for number, byte in enumerate(sorted(set(found)))}
    return np.array([place[byte] for byte in found])


class Bytes(nn.Module):
    """The model with a loss, as Trainer wants it."""

    def __init__(self, first, model):
        super().__init__()
        from safetensors.torch import load_file

        config = json.loads((first / "config.json").read_text())["model"]
        self.inner = model.Model(config).double()
        weights = {n: w.double() for n, w in load_file(first / "weights.safetensors").items()}
        self.inner.load_state_dict(weights)
        for name, p in self.inner.named_parameters():
            p._no_weight_decay = not model.decays(name)

    def forward(self, input_ids, labels):
        logits = self.inner(input_ids)
        return {"loss": functional.cross_entropy(logits.flatten(0, 1), labels.flatten())}


class Window:
    """One window, as often as there are steps."""

    def __init__(self):
        self.item = {"input_ids": numbered(text()[:-1]), "labels": numbered(text()[1:])}

    def __len__(self):
        return STEPS

    def __getitem__(self, number):
        return self.item


def theirs(first, folder, **changes):
    """Returns the losses of train.py's Trainer."""
    sys.path.insert(0, str(ROOT / "tests/clients/trainer"))
    import model
    import train
    from transformers import default_data_collator

    argv = ["--config", "-", "--tokens", "-", "--to", str(folder), "--rate", str(RATE)]
    argv += ["--window", str(LONG), "--step-tokens", str(LONG), "--workers", "0"]
    changes = {"warmup_steps": 0, "max_grad_norm": CLIP, "bf16": False, **changes}
    settings = train.arguments(train.parse(argv), STEPS, 1, **changes)
    trainer = train.trainer_class()(
        model=Bytes(first, model),
        args=settings,
        train_dataset=Window(),
        data_collator=default_data_collator,
    )
    trainer.train()
    return train.history_of(trainer)[0]
