"""Runs what `fsa2lrnn inject` writes. The branch, with PyTorch alone, on networks of several
constructions against automaton.fsa on random letters. With transformers, which is skipped with
one line where it is not installed, the whole beside small random models of several types: the old
logits are equal bit for bit while the projection is -0, labels are exact, and a projection that is
not zero changes the logits and has gradients.

usage: inject.py --tool build/release/fsa2lrnn
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import reader
from automaton_file import Automaton
from export import library

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = ROOT / "models/doors/inject/inject_model.py"
LETTERS, IDLE, SEED = 1000, 150, 5  # letters of a word, and tokens among them that are none
VOCABULARY, FIRST = 61, 7  # letter i is token FIRST + 2 i
# (family, options of compile)
NETWORKS = [
    ("symmetric 3", "--exact-in bf16"),
    ("symmetric 5 --generators", "--exact-in bf16"),
    ("parity", "--label accept"),
    ("random 5 2 3", "--exact-in bf16"),
    ("random 6 2 4", "--exact-in bf16"),
    ("modarith 5", "--exact-in bf16"),
    ("definite 3", ""),
    ("tomita 3", "--label accept"),
    ("edges", "--label edges"),  # the empty word has no label
]
EDGES = "start a\na x b one\nb x a two\na y a two\nb y b one\n"


def write_safetensors(path, tensors):
    """Writes {name: array of float32}."""
    header, data = {}, b""
    for name, array in tensors.items():
        end = len(data) + 4 * array.size
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [len(data), end]}
        data += array.astype("<f4").tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def write_small(folder):
    """A checkpoint as the command wants it, of no model that runs."""
    folder.mkdir()
    config = {"model_type": "llama", "hidden_size": 4, "vocab_size": VOCABULARY}
    (folder / "config.json").write_text(json.dumps(config))
    tensors = {"model.embed_tokens.weight": np.zeros((VOCABULARY, 4))}
    write_safetensors(folder / "model.safetensors", tensors)


class Case:
    """A compiled network, injected beside a model, and words of tokens with the right labels."""

    def __init__(self, tool, folder, family, options, base):
        self.folder = folder
        folder.mkdir()
        text = EDGES if family == "edges" else reader.grammar_of(tool, folder, family)
        (folder / "a.fsa").write_text(text)
        run = [tool, "compile", "a.fsa", "--out", "net", "--quiet", *options.split()]
        subprocess.run(run, cwd=folder, check=True)
        written = (folder / "net/automaton.fsa").read_text()
        if family == "edges":  # without the labels of transitions
            written = re.sub(r"^(\S+ \S+ \S+) (one|two)$", r"\1", written, flags=re.M)
        self.automaton = Automaton(written)
        lines = [f"{json.dumps(a)} {FIRST + 2 * i}\n" for i, a in enumerate(self.automaton.letters)]
        (folder / "tokens").write_text("".join(lines))
        run = [tool, "inject", "net", str(base), "-o", "out", "--tokens", "tokens", "--quiet"]
        subprocess.run(run, cwd=folder, check=True)
        self.out = folder / "out"
        self.about = json.loads((self.out / "inject.json").read_text())
        self.words(np.random.default_rng(SEED))

    def words(self, random):
        """Makes tokens [3, LETTERS + IDLE], the letters among them (-1: none) and the labels."""
        count = len(self.automaton.letters)
        self.letters = random.integers(count, size=(3, LETTERS + IDLE))
        for row in self.letters:
            row[random.choice(LETTERS + IDLE, IDLE, replace=False)] = -1
        self.letters[1, :3] = -1  # no label yet, where the empty word has none
        others = np.setdiff1d(np.arange(VOCABULARY), FIRST + 2 * np.arange(count))
        idle = random.choice(others, self.letters.shape)
        self.tokens = np.where(self.letters < 0, idle, FIRST + 2 * self.letters)
        self.labels = np.array([list(self.run(row)) for row in self.letters])

    def run(self, row):
        names, kind = self.about["label_names"], self.about["label_kind"]
        start = self.about["start_label"]
        state, label = self.automaton.start, -1 if start is None else names.index(start)
        for letter in row:
            if letter >= 0:
                label = names.index(self.answer(state, letter, kind))
                state = self.automaton.next[state][letter]
            yield label

    def answer(self, state, letter, kind):
        if kind == "edges":
            a, q = self.automaton.letters[letter], self.automaton.states[state]
            lines = EDGES.splitlines()
            return next(line.split()[3] for line in lines if line.startswith(f"{q} {a} "))
        return reader.label_of(self.automaton, kind, self.automaton.next[state][letter])


def import_model(path):
    spec = importlib.util.spec_from_file_location("model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def right(case, labels, what, first=0):
    expected = case.labels[:, first : first + labels.shape[1]]
    wrong = np.argwhere(np.asarray(labels.cpu()) != expected)
    assert not len(wrong), f"{what}: {len(wrong)} labels wrong, word and token {wrong[0]}"


# --- the branch ---


def make_branch(case, module):
    sizes = (len(case.about[key]) for key in ("fsa_letters", "label_names"))
    return module.Branch(str(case.out / "branch"), *sizes)


def check_branch(case, torch, module, noticed):
    assert (case.out / "model.py").read_bytes() == MODEL.read_bytes(), "another model.py"
    claim = case.about["claims"][0]
    assert claim["path"] == "model.py" and claim["claimed_exact"], claim
    branch, letters = make_branch(case, module), torch.from_numpy(case.letters)
    whole, _ = branch(letters)
    right(case, whole, "whole")
    parts, state, at = [], None, 0
    for size in (1, 1, 0, 13, 64, 500, LETTERS):
        labels, state = branch(letters[:, at : at + size], state)
        parts.append(labels)
        at += size
    right(case, torch.cat(parts, 1), "in parts")
    right(case, branch.half()(letters[:, :50])[0], "a branch is not cast")
    if len(branch.names) < 40:
        notice_changes(case, torch, branch, letters[:, :60], noticed)


def notice_changes(case, torch, branch, letters, noticed):
    """Changes one tensor after the other, and back."""
    for name in branch.names:
        tensor = getattr(branch, branch.names[name])
        if not tensor.any() or "lm_head" in name and not tensor[: branch.labels].any():
            continue
        kept = tensor.clone()
        tensor.zero_()
        try:
            labels, _ = branch(letters)
            noticed.append(not np.array_equal(labels, case.labels[:, : letters.shape[1]]))
        except ArithmeticError:
            noticed.append(True)
        tensor.copy_(kept)


def check_versions():
    """model.py refuses what is too old before it does anything."""
    for name, value, text in (
        ("sys.version_info", "(3, 7, 3)", "needs Python 3.8 or later, and this is Python 3.7"),
        ("torch.__version__", "'1.12.1+cpu'", "needs PyTorch 1.13 or later, and this is 1.12.1"),
    ):
        program = f"import sys, torch; {name} = {value}; exec(open({str(MODEL)!r}).read())"
        done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and text in done.stderr, done.stderr


# --- the whole ---


def bases(transformers):
    """Yields (name, config, options of save_pretrained)."""
    ends = {"vocab_size": VOCABULARY, "pad_token_id": None, "bos_token_id": None,
            "eos_token_id": None}  # fmt: skip
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 2, "num_key_value_heads": 1, **ends}  # fmt: skip
    linear = {"linear_key_head_dim": 16, "linear_value_head_dim": 16, "linear_num_key_heads": 2,
              "linear_num_value_heads": 2,
              "layer_types": ["linear_attention", "full_attention"]}  # fmt: skip
    experts = {"head_dim": 16, "num_experts": 4, "num_experts_per_tok": 2,
               "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16}  # fmt: skip
    yield "llama", transformers.LlamaConfig(**size), {}
    yield "gpt2", transformers.GPT2Config(
        **ends, n_embd=32, n_layer=2, n_head=2, n_positions=2000
    ), {}
    config = transformers.MambaConfig(**ends, hidden_size=32, num_hidden_layers=2, state_size=8)
    yield "mamba", config, {}
    if hasattr(transformers, "Qwen3NextConfig"):
        config = transformers.Qwen3NextConfig(**size, **linear, **experts)
        yield "qwen3_next", config, {"max_shard_size": "20KB"}
    if hasattr(transformers, "OlmoHybridConfig"):
        config = transformers.OlmoHybridConfig(**size, **linear, rope_parameters=None)
        yield "olmo_hybrid", config, {}


def make_base(torch, transformers, folder, config, options):
    torch.manual_seed(SEED)
    base = transformers.AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        base.get_input_embeddings().weight[:, :3] = -0.0
    base.save_pretrained(folder, **options)


def seen_by(base, run):
    """Returns what `run` gives, and the embeddings that the old model's first layers got."""
    seen = []
    hook = base.base_model.register_forward_pre_hook(
        lambda module, args, options: seen.append(options["inputs_embeds"]), with_kwargs=True
    )
    out = run()
    hook.remove()
    return out, seen[0]


def check_unchanged(torch, net, tokens):
    """The old model gets the old embeddings bit by bit, with their -0, and gives the old logits."""
    old = net.base(tokens, use_cache=False).logits
    out, embedded = seen_by(net.base, lambda: net(tokens, use_cache=False))
    kind = {4: torch.int32, 2: torch.int16}[embedded.element_size()]
    plain = net.base.get_input_embeddings()(tokens)
    assert torch.equal(embedded.view(kind), plain.view(kind)), "other embeddings"
    assert (plain.view(kind) == torch.zeros((), dtype=plain.dtype).neg().view(kind)).any(), "no -0"
    assert torch.equal(out.logits, old), "other logits"
    assert out.logits.requires_grad == torch.is_grad_enabled()
    return out


def check_cached(case, torch, net, tokens):
    """Token by token the old model's cached logits are unchanged, and labels are those of the
    whole; with a projection that is not zero, logits are those of the whole."""
    for scale in (0, 1):
        torch.manual_seed(SEED)
        with torch.no_grad():
            net.projection.copy_(
                scale * torch.randn_like(net.projection)
                if scale
                else torch.full_like(net.projection, -0.0)
            )
        whole, past, old = net(tokens).logits, None, {}
        for t in range(tokens.shape[1]):
            out = net(tokens[:, t : t + 1], past)
            past = out.past
            right(case, out.labels, f"token {t}", t)
            assert torch.allclose(out.logits[:, 0], whole[:, t], 1e-3, 1e-4), f"token {t} differs"
            if not scale:
                plain = net.base(tokens[:, t : t + 1], use_cache=True, **old)
                old = {key: plain[key] for key in past[0]}
                assert torch.equal(plain.logits, out.logits), f"token {t}: not the old logits"


def check_projection(torch, net, tokens):
    """A projection that is not zero changes the logits after the first label, and its gradient is
    that of the embeddings, summed by label."""
    before = net(tokens).logits
    with torch.no_grad():
        net.projection.copy_(torch.randn_like(net.projection))
    out, embedded = seen_by(net.base, lambda: net(tokens, use_cache=False))
    assert not torch.allclose(out.logits, before, 1e-2, 1e-2), "the projection changes nothing"
    embedded.retain_grad()
    torch.nn.functional.cross_entropy(out.logits.flatten(0, 1), tokens.flatten()).backward()
    found = torch.zeros_like(net.projection)
    for label in range(len(net.labels)):
        found[:, label] = embedded.grad[out.labels == label].sum(0)
    assert found.abs().sum(0).gt(0).any() and torch.allclose(found, net.projection.grad, 1e-4, 1e-7)
    assert all(p.grad is None for p in net.base.parameters()), "the old model has gradients"


def check_mask(torch, net, tokens):
    """Letters that attention_mask hides leave the automaton where it is."""
    mask = torch.ones_like(tokens)
    mask[:, :5] = 0
    shown = net(tokens, attention_mask=mask, use_cache=False).labels[:, 5:]
    alone, _ = net.branch(net.letters_in(tokens[:, 5:]))
    assert torch.equal(shown, alone), "hidden letters are read"


def check_saved(torch, module, case, net):
    """What is trained can be kept."""
    path = case.out / "inject.safetensors"
    kept, mine = path.read_bytes(), path.with_name(path.name + ".tmp")
    mine.write_text("a file of the user")
    module.save_projection(net, str(path))
    assert mine.read_text() == "a file of the user"
    mine.unlink()
    assert torch.equal(module.load(str(case.out)).projection, net.projection), "another projection"
    path.write_bytes(kept)


def check_whole(case, torch, module):
    net, tokens = module.load(str(case.out)), torch.from_numpy(case.tokens)
    assert [n for n, p in net.named_parameters() if p.requires_grad] == ["projection"]
    right(case, check_unchanged(torch, net, tokens).labels, "beside the old model")
    with torch.no_grad():
        check_unchanged(torch, net, tokens)
        check_cached(case, torch, net, tokens[:, :40])
        net.projection.fill_(-0.0)
    check_projection(torch, net, tokens[:, :80])
    check_mask(torch, net, tokens[:, :40])
    check_saved(torch, module, case, net)
    loaded = module.load(str(case.out), dtype=torch.bfloat16)
    for narrow in (loaded, module.load(str(case.out)).to(torch.bfloat16)):
        with torch.no_grad():
            right(case, check_unchanged(torch, narrow, tokens).labels, "bfloat16")
    code, printed = run_main(case)
    assert code == 0 and "files: as they were written" in printed, printed
    assert "bit for bit the logits of base/" in printed, printed


def run_main(case):
    """Returns the exit status of model.py, and what it prints."""
    run = [sys.executable, "model.py"]
    done = subprocess.run(run, cwd=case.out, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)  # fmt: skip
    return done.returncode, done.stdout


def refuses(module, case, error, text):
    try:
        module.load(str(case.out))
    except error as found:
        assert text in str(found), found
        return
    raise AssertionError(f"nothing is refused: {text}")


def check_refused(case, module):
    """A folder that was damaged after it was written."""
    base = case.out / "base"
    for path in (base / "config.json", base / "model.safetensors", case.out / "inject.json"):
        kept = path.read_bytes()
        if path.suffix == ".safetensors":
            header = 8 + int.from_bytes(kept[:8], "little")
            names = kept[8:header].replace(b"model.layers.1.mlp.up", b"model.layers.1.mlp.no")
            path.write_bytes(kept[:8] + names + kept[header:])
            refuses(module, case, RuntimeError, "base/ lacks tensors that the model needs")
        elif path.name == "config.json":
            path.write_bytes(kept.replace(b'"llama"', b'"lama9"'))
            refuses(module, case, RuntimeError, "does not load base/, a llama written with")
        else:
            about = json.loads(kept)
            about["start_label"] = about["label_names"][-1]
            path.write_text(json.dumps(about))
            refuses(module, case, ArithmeticError, "does not start with the label")
        if path.parent == base:
            code, printed = run_main(case)
            assert code and f"changed: base/{path.name}" in printed, printed
        path.write_bytes(kept)


# --- all ---


def checked(name, run):
    try:
        run()
    except (AssertionError, subprocess.CalledProcessError) as error:
        return name, False, str(error)
    return name, True, ""


def whole_results(tool, folder, torch, transformers, module):
    transformers.logging.set_verbosity_error()
    for name, config, options in bases(transformers):
        make_base(torch, transformers, folder / name, config, options)
        for number in (0, 4) if name == "llama" else (4,):
            case = Case(tool, folder / f"{name}-{number}", *NETWORKS[number], folder / name)
            run = lambda: check_whole(case, torch, module)  # noqa: E731
            yield checked(f"{name}: {NETWORKS[number][0]}", run)
        if name == "llama":
            yield checked("damaged folders", lambda: check_refused(case, module))


def results(tool, folder):
    """Yields (name, ok, output) of every case."""
    torch, noticed = library("torch", "apt-get install python3-torch"), []
    transformers = library("transformers", "pip install transformers") if torch else None
    if not torch:
        return
    torch.set_num_threads(1)
    module = import_model(MODEL)
    write_small(folder / "small")
    yield checked("versions", check_versions)
    for number, (family, options) in enumerate(NETWORKS):
        case = Case(tool, folder / str(number), family, options, folder / "small")
        run = lambda: check_branch(case, torch, module, noticed)  # noqa: E731
        yield checked(f"branch: {family} {options}", run)
    share = f"{sum(noticed)} of {len(noticed)} changes noticed"
    yield "changed branches", sum(noticed) > 0.8 * len(noticed), share
    if not transformers:
        text = "model.py needs transformers for base/: pip install transformers"
        yield checked("without transformers", lambda: refuses(module, case, RuntimeError, text))
    else:
        yield from whole_results(tool, folder, torch, transformers, module)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    args = parser.parse_args()
    os.environ.update(HF_HUB_OFFLINE="1", HF_HUB_DISABLE_PROGRESS_BARS="1", TQDM_DISABLE="1")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, ok, output in results(str(Path(args.tool).resolve()), Path(folder)):
            passed, failed = passed + ok, failed + (not ok)
            print(f"{'ok' if ok else 'FAILED'} {name} {output}", flush=True)
    if passed + failed == 0:
        passed = 1  # PyTorch is not here, which was said
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
