"""Our trainer: configurations, runs that stop at given steps, and their traces (trainer_trace.c),
logs and checkpoints (models/learn/train/train_checkpoint.h)."""

import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys

import numpy as np

from automaton_file import Automaton

# The first step and the common checkpoints; float runs make START steps from the first weights and
# WINDOW steps from each checkpoint. CI makes a third of the steps.
WHOLE = "F2L_TEST_WHOLE" in os.environ or not {"--all", "--out", "--backend"}.isdisjoint(sys.argv)
STOPS, START, WINDOW = (0, 200, 500, 1000) if WHOLE else (0, 100, 200, 330), 50, 10
STEPS = STOPS[-1]  # of the long comparison in double
RECIPE = (
    "--no-network --log-every 1 --lengths 12 --sequences 8 --batch 32 --from 12 --to 12"
    " --steps 1250 --clip 0.5 --weight-decay 0.1 --heads 2 --head-dim 8 --width 32"
)
S4, VALUES = "symmetric 4", "--additive --no-learned-start"
# name: automaton or task, options of `train`, changes of config.json. The first ones are run
# without --all.
CONFIGURATIONS = {
    "delta-3-values-gate": (
        S4,
        "--householders 3 --additive --learned-start --forget-gate --shorter-too"
        " --decay cosine --decay-from 300 --last-rate 1e-4 --positions 100",
        {'"value_dim":8': '"value_dim":4'},
    ),
    "diagonal-conv": (
        S4,
        "--mixer diagonal --channels 32 --states 4 --convolution 4 --mlp 0 --shorter-too",
        {},
    ),
    "delta-1": (S4, "--householders 1", {}),
    "delta-2": (S4, "--householders 2 --rate 3e-3", {}),
    "delta-4": (S4, "--householders 4 --eigenvalues positive --slope 1 --clip 0", {}),
    "delta-2-values-conv": (
        S4,
        f"--householders 2 --slope 1 --silu --convolution 4 {VALUES} --begin --init fla"
        " --beta2 0.999 --epsilon 1e-7 --rate 2e-3",
        {},
    ),
    "delta-4-values-gate-conv": (
        S4,
        f"--householders 4 --silu --convolution 3 --forget-gate --layers 2 --mlp 0 {VALUES}",
        {},
    ),
    "gated-delta-net": (
        S4,
        f"--householders 1 --silu --convolution 4 --forget-gate {VALUES}",
        {'"silu_keys"': '"output_gate":true,"key_epsilon":1.0000000000000001e-05,"silu_keys"'},
    ),
    "delta-2-output-gate": (
        S4,
        "--householders 2 --mlp 0",
        {'"silu_keys"': '"output_gate":true,"silu_keys"'},
    ),
    "delta-2-clamped-exact": (
        S4,
        f"--householders 2 --clamped-betas --exact-keys {VALUES} --live 0.25 --periodic 0.5",
        {},
    ),
    "delta-2-ternary": (S4, "--householders 2 --slope 1 --clamped-betas --ternary-keys", {}),
    "delta-1-layers-tokens": (
        "symmetric 3",
        "--householders 1 --layers 2 --tokens 2 --rate 4e-4",
        {},
    ),
    "delta-1-arithmetic": (
        "--task arithmetic --modulus 3 --answers last --equals",
        f"--householders 1 --convolution 2 {VALUES}",
        {},
    ),
    "diagonal": (
        S4,
        "--mixer diagonal --channels 32 --states 4 --eigenvalues positive --layers 2",
        {},
    ),
    "diagonal-bias": (
        S4,
        "--mixer diagonal --channels 32 --states 4 --convolution 3 --mlp 0",
        {'"step_rank":2': '"step_rank":2,"convolution_bias":true'},
    ),
}
FEW = 2
# What devices do not train.
NOT_ON_DEVICES = {
    "gated-delta-net": "an output gate",
    "delta-2-output-gate": "an output gate",
    "diagonal-bias": "a bias of the convolution",
    "delta-2-clamped-exact": "a clamped beta",
    "delta-2-ternary": "a clamped beta",
}


class Trace:
    """What trainer_trace wrote: `parameter` and `gradient` of the first step, and words[step] =
    (letters, labels, mask)."""

    def __init__(self, path):
        data = path.read_bytes()
        at = data.index(b"\n") + 1
        self.about = json.loads(data[:at])
        self.step, count = self.about["step"], self.about["parameters"]

        def take(kind, number):
            nonlocal at
            array = np.frombuffer(data, kind, number, at)
            at += array.nbytes
            return array

        self.parameter, self.gradient = take("<f8", count), take("<f8", count)
        self.words = {}
        while at < len(data):
            step, sequences, length = (int(x) for x in take("<u8", 3))
            batch = [take(kind, sequences * length) for kind in ("<u4", "<u4", "u1")]
            self.words[step] = [a.reshape(sequences, length).astype("i8") for a in batch]

    def tensors(self, numbers):
        """Yields (name, array) of every tensor of a vector of parameters."""
        at = 0
        for tensor in self.about["tensors"]:
            size = math.prod(tensor["shape"])
            yield tensor["name"], numbers[at : at + size].reshape(tensor["shape"])
            at += size
        assert at == len(numbers), "the tensors do not add up"


class Checkpoint:
    """A checkpoint of our trainer: the step, and [parameters] parameter, mean and square."""

    def __init__(self, path):
        data = path.read_bytes()
        assert data[:8] == b"f2ltrn1\n", f"{path} is no checkpoint"
        assert hashlib.sha256(data[:-64]).hexdigest().encode() == data[-64:], f"{path} is damaged"
        number, count, states, words = (int(x) for x in np.frombuffer(data, "<u8", 4, 72))
        real, bits = f"<f{number}", 8 * number - 1
        self.step = int(np.frombuffer(data, "<u8", 1, 104)[0])
        at = 104 + 8 * (words + states)
        self.parameter, self.mean = np.frombuffer(data, real, 2 * count, at).reshape(2, count)
        at += 2 * count * number
        packed = np.unpackbits(np.frombuffer(data[at:-64], "u1"), bitorder="little")
        square = np.zeros((count, bits + 1), "u1")  # squares have no sign, which is the last bit
        square[:, :bits] = packed[: count * bits].reshape(count, bits)
        self.square = np.packbits(square, bitorder="little").view(real)


class Ours:
    """Our trainer on one configuration, with its runs in a folder."""

    def __init__(self, build, folder, name):
        source, options, changes = CONFIGURATIONS[name]
        self.task = source
        self.build, self.folder, self.name, self.grammar = build, folder, name, "-"
        programs = [build / f / "trainer_trace" for f in ("tests/clients/trainer", "gpu")]
        self.program = next((p for p in programs if p.exists()), programs[0])
        folder.mkdir()
        if not source.startswith("--"):
            (folder / "a.fsa").write_bytes(self.tool("new", *source.split()))
            self.grammar = source = "a.fsa"
        self.arguments = [*source.split(), *RECIPE.split(), *options.split()]
        text = self.tool("train", *self.arguments, "--dry-run").decode()
        text = text[text.index("\n{") + 1 :]
        for old, new in changes.items():
            assert text.count(old) == 1, f"{name}: {old} is not in its configuration once"
            text = text.replace(old, new)
        (folder / "c.json").write_text(text)
        self.config = json.loads(text)

    def tool(self, *argv):
        tool = str(self.build / "fsa2lrnn")
        return subprocess.run(
            [tool, *argv], cwd=self.folder, stdout=subprocess.PIPE, check=True
        ).stdout

    def trace(self, run, backend, until):
        """Lets the run go on to a step. Returns the trace, and the checkpoint before it, which is
        None at the beginning."""
        point = self.folder / run / "checkpoint"
        point = Checkpoint(point) if point.exists() else None
        done = subprocess.run(
            [self.program, run, "c.json", self.grammar, backend, str(until), "trace"],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return Trace(self.folder / "trace"), point

    def course(self, backend):
        """Makes all steps, and keeps the folder at each checkpoint as BACKEND-STEP. Returns the
        (trace, checkpoint) from each of STOPS on."""
        parts = []
        for stop, until in zip(STOPS, [*STOPS[1:], STEPS + WINDOW]):
            if stop > 0:
                shutil.copytree(self.folder / backend, self.folder / f"{backend}-{stop}")
            parts.append(self.trace(backend, backend, until))
        return parts

    def windows(self, backend):
        """Makes the steps of the windows, from the checkpoints that the backend cpu made, and
        returns the same."""
        parts = [self.trace(backend, backend, START)]
        for stop in STOPS[1:]:
            run = f"{backend}-{stop}"
            shutil.copytree(self.folder / f"cpu-{stop}", self.folder / run)
            parts.append(self.trace(run, backend, stop + WINDOW))
        return parts

    def log(self, run):
        """Returns [(loss, rate, length of the gradient)] of all steps."""
        lines = map(json.loads, (self.folder / run / "log.jsonl").read_text().splitlines())
        return np.array(
            [[e["loss"], e["rate"], e["gradient"]] for e in lines if e["event"] == "step"]
        )

    def losses(self, backend, stop):
        """Returns the losses of the window at a checkpoint."""
        run = backend if backend.startswith("cpu") or stop == 0 else f"{backend}-{stop}"
        return self.log(run)[stop : stop + (WINDOW if stop else START), 0]

    def resumes(self, backend):
        """Returns whether `fsa2lrnn train --resume` goes on from the last checkpoint as the traced
        run did, bit for bit."""
        copy = f"resumed-{backend}"
        shutil.copytree(self.folder / f"cpu-{STEPS}", self.folder / copy)
        self.tool("train", "--resume", copy, "--backend", backend, "--no-network")
        here = self.log(backend if backend == "cpu" else f"{backend}-{STEPS}")
        there = self.log(copy)
        return len(here) == STEPS + WINDOW and np.array_equal(there[: len(here)], here)

    def labels_wrong(self, words):
        """Returns the number of labels of {step: words} that count and are not the automaton's;
        None where there is no automaton."""
        if self.grammar == "-":
            return None
        automaton = Automaton((self.folder / self.grammar).read_text())
        begins, wrong = self.config["data"].get("begin", False), 0
        for letters, labels, mask in words.values():
            if begins:
                wrong += np.count_nonzero(labels[:, 0] != len(automaton.states))
                letters, labels, mask = letters[:, 1:], labels[:, 1:], mask[:, 1:]
            for word, answers, counts in zip(letters, labels, mask):
                state = automaton.start
                for letter, answer, count in zip(word, answers, counts):
                    if letter < len(automaton.letters):
                        state = automaton.next[state][letter]
                    wrong += bool(count) and answer != state
        return wrong
