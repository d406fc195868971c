"""Logits of random models in stock flash-linear-attention, to compare ours with.

    fla_random.py make DIR              on a GPU: models of random weights, letters and logits
    fla_random.py compare DIR --dump P  anywhere: our logits against them; P is checkpoint_dump

DIR has a folder for every model, with config.json, model.safetensors, letters.u32 [4, 64] and
fla.f32 [4, 64, vocab], computed in float32 by the recurrent kernels. The comparison prints JSON
with the largest difference of logits, relative to the largest logit.
"""

import argparse
import json
import pathlib
import subprocess

import numpy

SEQUENCES, LENGTH, VOCAB = 4, 64, 10
BASE = {
    "vocab_size": VOCAB,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_heads": 2,
    "intermediate_size": 96,
    "tie_word_embeddings": False,
    "pad_token_id": None,
}
MODELS = {
    "delta_net": {"use_short_conv": False, "allow_neg_eigval": True},
    "delta_net-conv-gate": {"use_short_conv": True, "use_gate": True, "allow_neg_eigval": False},
    "delta_net-identity": {"use_short_conv": False, "qk_activation": "identity"},
    "gated_deltaproduct": {"num_householder": 3, "allow_neg_eigval": True},
    "gated_deltaproduct-gates": {"use_forget_gate": True, "num_householder": 2},
    "gated_deltanet": {"use_gate": True, "allow_neg_eigval": True},
}
SIZES = {
    "delta_net": {},
    "gated_deltaproduct": {
        "head_dim": 32,
        "expand_v": 1.0,
        "use_short_conv": False,
        "use_output_gate": True,
    },
    "gated_deltanet": {"head_dim": 32, "expand_v": 1.0, "use_short_conv": False},
}


def make(folder):
    import fla  # noqa: F401 registers the models
    import safetensors.torch
    import torch
    import transformers

    torch.manual_seed(1)
    for name, options in MODELS.items():
        kind = name.split("-")[0]
        config = transformers.AutoConfig.for_model(kind, **(BASE | SIZES[kind] | options))
        model = transformers.AutoModelForCausalLM.from_config(config).cuda().float().eval()
        with torch.no_grad():
            for p in model.parameters():
                if p.dim() > 1:
                    p.normal_(0, 0.3)
        letters = torch.randint(VOCAB, (SEQUENCES, LENGTH), device="cuda")
        with torch.inference_mode():
            logits = model(letters, use_cache=False).logits.float().cpu().numpy()
        out = folder / name
        out.mkdir(parents=True)
        tensors = {k: v.detach().cpu().contiguous() for k, v in model.state_dict().items()}
        safetensors.torch.save_file(tensors, out / "model.safetensors")
        config.architectures = [type(model).__name__]
        (out / "config.json").write_text(json.dumps(config.to_dict(), default=str))
        letters.cpu().numpy().astype("<u4").tofile(out / "letters.u32")
        logits.astype("<f4").tofile(out / "fla.f32")
        print(name, logits.std(), flush=True)


def compare(folder, dump):
    for model in sorted(folder.iterdir()):
        command = [dump, model, str(SEQUENCES), str(LENGTH)]
        subprocess.run(command, check=True)
        ours = numpy.fromfile(model / "logits.f64", "<f8")
        theirs = numpy.fromfile(model / "fla.f32", "<f4")
        largest = numpy.abs(theirs).max()
        off = numpy.abs(ours - theirs).max() / largest
        print(json.dumps({"model": model.name, "logits": ours.size, "relative": float(off)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["make", "compare"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--dump")
    args = parser.parse_args()
    if args.what == "make":
        make(args.folder)
    else:
        compare(args.folder, args.dump)


if __name__ == "__main__":
    main()
