"""Runs what `fsa2lrnn export` writes, on networks of every construction and wired ones, against
automaton.fsa on random letters: npz with NumPy, pytorch with PyTorch, onnx with onnxruntime. Where
a claim says exact, states must equal codes. Changed weights must be noticed. A target whose library
is not installed is skipped, with one line that says so.

usage: export.py --tool build/release/fsa2lrnn [--write-only]
"""

import argparse
import importlib
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import reader
import wired_sample
from automaton_file import Automaton

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = ROOT / "models/doors/export/pytorch_model.py"
WORDS, LETTERS, SEED = 6, 70, 71  # longer than a chunk of the scan
PART = 13  # letters of the first part of words that are read in two parts
# As reader.CASES, whose networks are all in layers. These are wired, or have letters that act
# alike.
WIRED = [
    ("D1", "dihedral 5", "--layers 3 --householders 2"),
    ("Z", "tomita 7", "--label accept --cascade capped --max-sets 1"),
    ("D1", "alternating 5 --generators", "--householders 1"),
    ("T3", "alike 1032", ""),
]


def library(name, package):
    """Returns the library, or None after a line that says so."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"skipped: {name} is not installed ({package})")
        return None


def grammar_of(tool, folder, family):
    """Returns the text of the automaton; `alike` has four letters that act alike in pairs."""
    if not family.startswith("alike "):
        return reader.grammar_of(tool, folder, family)
    maps = family.split()[1]
    edges = [f"{q} {a} {to}" for q, to in enumerate(maps) for a in "ac"]
    return "start 0\n" + "\n".join(edges + [f"{q} {a} {q}" for q in range(4) for a in "bd"]) + "\n"


def words_of(text, about):
    """Returns random words [WORDS, LETTERS] and the labels after every letter."""
    automaton, labels = Automaton(text), json.loads(about["labels"])
    random = np.random.default_rng(SEED)
    words = random.integers(len(automaton.letters), size=(WORDS, LETTERS))
    right = np.zeros_like(words)
    for word, after in zip(words, right):
        state = automaton.start
        for t, letter in enumerate(word):
            state = automaton.next[state][letter]
            after[t] = labels.index(reader.label_of(automaton, about["label"], state))
    return words, right


class Case:
    """A compiled network, its automaton, and words with the labels that are right."""

    def __init__(self, tool, folder, family, options):
        self.tool, self.folder = tool, folder
        folder.mkdir()
        (folder / "a.fsa").write_text(grammar_of(tool, folder, family))
        done = subprocess.run(
            [tool, "compile", "a.fsa", "--out", "net", "--formats", "bf16", "--limit", "1000",
             *options.split()],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.printed = done.stdout
        self.about, self.tensors = reader.run_weights.read(folder / "net/weights.safetensors")
        self.states = {}  # of PyTorch in float32 after the first part, by the names of onnx
        self.words, self.labels = words_of((folder / "net/automaton.fsa").read_text(), self.about)

    def export(self, target, *options):
        """Returns (folder, what export.json says)."""
        out = self.folder / "-".join([target, *options])
        subprocess.run(
            [self.tool, "export", "net", "--to", target, "--out", str(out), "--quiet", *options],
            cwd=self.folder, check=True,
        )  # fmt: skip
        about = json.loads((out / "export.json").read_text())
        names = {path.name for path in out.iterdir()} - {"export.json"}
        assert names == {file["name"] for file in about["files"]}, names
        return out, about


def right(case, labels, what):
    wrong = np.argwhere(np.asarray(labels) != case.labels)
    assert not len(wrong), f"{what}: {len(wrong)} labels wrong, word and letter {wrong[0]}"


# --- npz ---


def check_npz(case):
    out, _ = case.export("npz")
    arrays = dict(np.load(out / "tensors.npz"))
    assert json.loads(arrays.pop("metadata").tobytes()) == case.about, "another metadata"
    assert sorted(arrays) == sorted(case.tensors), "other names"
    for name, tensor in case.tensors.items():
        found = arrays[name]
        assert found.dtype == tensor.dtype and found.shape == tensor.shape, name
        assert np.array_equal(found, tensor), f"{name} has other numbers"


# --- pytorch ---


def import_model():
    spec = importlib.util.spec_from_file_location("model", MODEL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_exact(torch, net, letters):
    """Every state equals a code."""
    for s, (_, states) in enumerate(net.trace(letters)[1]):
        layer, read = net.layers[net.stage_of[s]], []
        if hasattr(layer, "low"):
            read.append((torch.cat([S.flatten(2) for S in states], 2), layer.low))
        else:
            for r, (h, row, end) in enumerate(layer.readouts):
                read.append((states[h][:, :, row:end].flatten(2), getattr(layer, f"codes_{r}")))
        for S, codes in read:
            assert (S[:, :, None] == codes).all(3).any(2).all(), f"stage {s}: a state is no code"


def step(weights, S, x):
    """Returns the state after a letter, in float32, by the schedule every,sum=halves as
    models/network/schedule/schedule.h has it: number by number."""
    S = S * weights["gate"][x] if weights["gate"] is not None else S.copy()
    for beta, key, value in zip(weights["beta"][x], weights["key"][x], weights["value"][x]):
        if beta == 0:
            continue  # padding
        for j in range(S.shape[1]):
            products = [k * s for k, s in zip(key, S[:, j])]
            while len(products) & (len(products) - 1):
                products.append(np.float32(0))
            while len(products) > 1:
                half = len(products) // 2
                products = [a + b for a, b in zip(products[:half], products[half:])]
            r = beta * (products[0] - value[j])
            S[:, j] = [s - k * r for k, s in zip(key, S[:, j])]
    return S if weights["bias"] is None else S + weights["bias"][x]


def check_order(case, net, letters):
    """The recurrent form has the numbers of `step`, bit by bit, also where they are rounded."""
    for l, (read, states) in enumerate(net.trace(letters)[1]):
        for h, found in enumerate(states):
            at = f"layers.{l}.heads.{h}."
            weights = {part: case.tensors.get(at + part)
                       for part in ("beta", "key", "value", "gate", "bias", "initial")}  # fmt: skip
            weights = {k: w if w is None else w.astype("f4") for k, w in weights.items()}
            S = weights["initial"]
            for t, x in enumerate(read[0][0].tolist()):
                S = step(weights, S, x)
                assert np.array_equal(S, found[0, t]), f"layer {l}, head {h}, letter {t + 1}"


def check_gradients(torch, net, letters):
    """The states of a stage have gradients in the weights of its layer, and in no other's; both
    forms agree."""
    found, s = {}, max(s for s, initial in enumerate(net.initial) if len(initial))
    for net.form in ("recurrent", "scan"):
        net.zero_grad()
        _, states = net.trace(letters)[1][s]
        sum((S * S).sum() for S in states).backward()
        found[net.form] = {k: p.grad for k, p in net.named_parameters() if p.grad is not None}
    last = f"layers.{net.stage_of[s]}."
    for name, one in found["recurrent"].items():
        assert name.startswith((last, f"initial.{s}.")), name
        two = found["scan"][name]
        assert torch.allclose(one, two, 1e-6, 1e-6), f"{name}: the forms have other gradients"
    assert f"{last}heads.0.key" in found["recurrent"], "no gradient"


def changed(torch, net):
    """Changes one tensor of each layer after the other, and back; yields its name."""
    for i, layer in enumerate(net.layers):
        initial = net.initial[net.stage_of.index(i)]
        tensors = [("initial", first) for first in initial[:1]]
        for head in layer.heads[:1]:
            tensors += [("beta", head.beta), ("key", head.key)]
        for name, tensor in tensors:
            if tensor.any():
                kept = tensor.clone()
                tensor.zero_()
                yield f"layer {i} {name}"
                tensor.copy_(kept)


def check_main(case, out):
    """The file prints the labels of a word, and refuses letters that it does not know."""
    letters, labels = (json.loads(case.about[k]) for k in ("letters", "labels"))
    for word, code in ((case.words[0, :5].tolist(), 0), ([-1], 1)):
        names = [letters[x] if x >= 0 else "no letter" for x in word]
        done = subprocess.run([sys.executable, "model.py", *names], cwd=out, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        assert done.returncode == code, done.stderr
        expected = " ".join(labels[x] for x in case.labels[0, :5]) + "\n" if code == 0 else ""
        assert done.stdout == expected and (code == 0 or "'no letter'" in done.stderr), done


def check_pytorch(case, torch, module, noticed):
    out, about = case.export("pytorch")
    assert (out / "model.py").read_bytes() == MODEL.read_bytes(), "another model.py"
    claim = about["claims"][0]
    assert claim["path"] == "recurrent" and claim["because"]
    letters = torch.from_numpy(case.words)
    for dtype in (None, torch.float64):
        net = module.load(str(out), dtype=dtype)
        with torch.no_grad():
            for net.form in ("recurrent", "scan"):
                right(case, net(letters)[0], f"{dtype} {net.form}")
                first, state = net(letters[:, :PART])
                last, _ = net(letters[:, PART:], state)
                right(case, torch.cat([first, last], 1), f"{dtype} {net.form} in two parts")
                assert net(letters[:, :0])[0].shape == (WORDS, 0), "labels of no letters"
            net.form = "recurrent"
            if claim["claimed_exact"]:
                check_exact(torch, net, letters)
    check_gradients(torch, net, letters[:2, :9])
    narrow = module.load(str(out), dtype=torch.float32)
    with torch.no_grad():
        _, states = narrow(letters[:, :PART])
        case.states = {f"state.{s}.{h}": S.numpy()
                       for s, stage in enumerate(states) for h, S in enumerate(stage)}  # fmt: skip
        if "kind" not in case.about:
            check_order(case, narrow, letters[:1, :PART])
    if "kind" not in case.about:
        about = dict(case.about, format="fp64")
        check_file(out, torch, module, about, sparse(case.tensors), case.words, case.labels)
    net.form = "recurrent"
    with torch.no_grad():
        for _ in changed(torch, net):
            found, _ = net(letters[:3, :40])
            noticed.append(not np.array_equal(found, case.labels[:3, :40]))
        if "kind" not in case.about:  # where the first layer gives nothing, there is no label
            net.layers[0].of_yield.fill_(-1)
            assert (net(letters[:3, :5])[0] == -1).all(), "labels out of nothing"
    for wrong in (-1, len(net.letters)):
        try:
            net(letters.new_full((1, 1), wrong))
            raise AssertionError(f"the letter {wrong} is taken")
        except ValueError:
            pass
    return claim["claimed_exact"]


def sparse(tensors):
    """Returns the tensors of a network in layers with keys, values, codes and biases as indices and
    numbers."""
    out = {}
    for name, tensor in tensors.items():
        part = name.rsplit(".", 1)[1]
        if part not in ("key", "value", "codes", "low", "high", "bias"):
            out[name] = tensor
            continue
        kept = 2 if part in ("key", "value") else 1
        rows = tensor.reshape(int(np.prod(tensor.shape[:kept])), -1)
        entries = [np.flatnonzero(row) for row in rows]
        width = max(map(len, entries))
        index, value = np.full((len(rows), width), -1), np.zeros((len(rows), width))
        for i, at in enumerate(entries):
            index[i, : len(at)], value[i, : len(at)] = at, rows[i, at]
        out[name + "_index"] = index.reshape(*tensor.shape[:kept], width)
        out[name + "_value"] = value.reshape(*tensor.shape[:kept], width)
    return out


def check_file(folder, torch, module, about, tensors, words, labels):
    """Runs model.py on a file that is written here."""
    (folder / "weights.safetensors").write_bytes(wired_sample.safetensors(about, tensors))
    net = module.load(str(folder), dtype=torch.float64)
    with torch.no_grad():
        for net.form in ("recurrent", "scan"):
            found, _ = net(torch.from_numpy(words))
            assert np.array_equal(found, labels), f"{net.form}: wrong labels"


def by_hand(folder, torch, module):
    """Yields (name, words, ..) of wired networks written by hand, and checks them."""
    for name, about, tensors in wired_sample.right():
        words, labels = words_of(wired_sample.automaton(), about)
        check_file(folder, torch, module, about, tensors, words, labels)
        yield f"by hand, {name}"


# --- onnx ---


def run_onnx(session, letters, state=()):
    """Returns the labels, and the state after the last letter by name of input."""
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(names, {"letters": letters, **dict(state)})))
    return found.pop("labels"), {k.replace("next", "state"): v for k, v in found.items()}


def labels_of(onnxruntime, model, case):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return run_onnx(session, case.words)[0]


def check_onnx(case, onnxruntime, onnx, noticed):
    for dtype in ("float32", "float64"):
        out, _ = case.export("onnx", "--dtype", dtype)
        path = str(out / "model.onnx")
        session, stream = (onnxruntime.InferenceSession(p, providers=["CPUExecutionProvider"])
                           for p in (path, str(out / "stream.onnx")))  # fmt: skip
        right(case, run_onnx(session, case.words)[0], f"onnx {dtype}")
        first, state = run_onnx(session, case.words[:, :PART])
        if dtype == "float32" and case.states:
            for name, found in state.items():
                assert np.array_equal(found, case.states[name]), f"{name} is not PyTorch's"
        last, _ = run_onnx(stream, case.words[:, PART:], state)
        right(case, np.concatenate([first, last], 1), f"onnx {dtype} in two parts")
    if not onnx:
        return
    for path in (str(out / "stream.onnx"), path):
        onnx.checker.check_model(path, full_check=True)
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if tensor.name.endswith((".key.0", ".beta.0")) or ".yield" == tensor.name[-6:]:
            kept, values = tensor.raw_data, onnx.numpy_helper.to_array(tensor)
            if len(set(values.ravel().tolist()) - {-1}) > 1:
                changed = values[::-1] if values.dtype == np.int64 else values * 0
                tensor.raw_data = np.ascontiguousarray(changed).tobytes()
                labels = labels_of(onnxruntime, model, case)
                noticed.append(not np.array_equal(labels, case.labels))
                tensor.raw_data = kept
    for tensor in model.graph.initializer:
        if tensor.name == "layers.0.yield":  # where the first layer gives nothing
            tensor.raw_data = b"\xff" * len(tensor.raw_data)
            assert (labels_of(onnxruntime, model, case) == -1).all(), "labels out of nothing"


# --- all ---


def results(tool, folder, write_only):
    """Yields (name, ok, output) of every case."""
    noticed, exact = [], []
    torch = None if write_only else library("torch", "apt-get install python3-torch")
    module = import_model() if torch else None
    onnxruntime = None if write_only else library("onnxruntime", "pip install onnxruntime onnx")
    onnx = library("onnx", "pip install onnx") if onnxruntime else None
    if torch:
        torch.set_num_threads(1)
        for name in by_hand(folder, torch, module):
            yield name, True, ""
    for number, (theorem, family, options) in enumerate(reader.CASES + WIRED):
        name = f"{theorem}: {family} {options}"
        try:
            case = Case(tool, folder / str(number), family, options)
            assert f"construction   {theorem} " in case.printed, case.printed
            check_npz(case)
            if torch:
                exact.append(check_pytorch(case, torch, module, noticed))
                if theorem == "K":
                    check_main(case, case.folder / "pytorch")
            if onnxruntime:
                check_onnx(case, onnxruntime, onnx, noticed)
            for target in ("pytorch", "onnx"):
                if write_only:
                    case.export(target)
        except (AssertionError, subprocess.CalledProcessError) as error:
            yield name, False, str(error)
            continue
        yield name, True, ""
    if noticed:
        share = f"{sum(noticed)} of {len(noticed)} changes noticed"
        yield "changed networks", sum(noticed) > 0.8 * len(noticed), share
    if exact:
        share = f"{sum(exact)} of {len(exact)} networks claimed exact"
        yield "claims", 0.4 * len(exact) < sum(exact) < len(exact), share


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    parser.add_argument("--write-only", action="store_true", help="run nothing but NumPy")
    args = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, ok, output in results(
            str(Path(args.tool).resolve()), Path(folder), args.write_only
        ):
            passed, failed = passed + ok, failed + (not ok)
            print(f"{'ok' if ok else 'FAILED'} {name} {output}")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
