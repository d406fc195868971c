"""Loads the config.json that `fsa2lrnn choose --config` writes with transformers, makes the model
with random weights, and runs it: it has the layers, heads and sizes that the report names, beta
reaches 2, and its cache holds as many numbers of state, in fp32, as the report says.

usage: choose.py --tool build/release/fsa2lrnn
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from stock import transformers_here

ROOT = Path(__file__).resolve().parent.parent.parent
AUTOMATA = ("examples/parity.fsa", "examples/tomita4.fsa", "tests/data/real/bits6.fsa")
TOKENS = 70  # more than a chunk


def chosen(tool, grammar, folder):
    """Returns the report's entry on OLMo Hybrid, whose config.json it writes into the folder."""
    done = subprocess.run(
        [tool, "choose", str(ROOT / grammar), "--config", str(folder), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    [holder] = [h for h in json.loads(done.stdout)["holders"] if h["library"] == "transformers"]
    assert holder["holds"], holder["reason"]
    return holder


def recurrent_states(cache):
    """Returns the states of the recurrent layers, in whichever form the release keeps them."""
    kept = [getattr(layer, "recurrent_states", None) for layer in cache.layers]
    parts = [list(x.values()) if isinstance(x, dict) else [x] for x in kept if x is not None]
    return [state for part in parts for state in part]


def check_config(tool, grammar, folder, transformers):
    import torch

    holder = chosen(tool, grammar, folder)
    path = folder / holder["target"]
    config = transformers.AutoConfig.from_pretrained(path)
    assert config.linear_allow_neg_eigval and config.hidden_size == holder["hidden_size"]
    kinds = config.layer_types
    assert kinds.count("linear_attention") == holder["recurrent_layers"]
    assert kinds.count("full_attention") == holder["attention_layers"]
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    assert type(model).__name__ == "OlmoHybridForCausalLM", type(model)
    assert sum(p.numel() for p in model.parameters()) == holder["parameters"]
    tokens = torch.arange(TOKENS)[None] % config.vocab_size
    with torch.inference_mode():
        out = model(tokens, use_cache=True)
    assert out.logits.shape == (1, TOKENS, config.vocab_size) and out.logits.isfinite().all()
    cache = out.get("cache") if out.get("cache") is not None else out["past_key_values"]
    states = recurrent_states(cache)
    shape = (1, holder["heads"], holder["key_dim"], holder["value_dim"])
    assert [tuple(s.shape) for s in states] == [shape] * holder["recurrent_layers"], states
    assert sum(s.numel() for s in states) == holder["state_numbers"]
    assert {s.dtype for s in states} == {torch.float32}
    assert sum(s.numel() * s.element_size() for s in states) == holder["state_bytes"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    tool = str(Path(parser.parse_args().tool).resolve())
    transformers = transformers_here()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for number, grammar in enumerate(AUTOMATA):
            folder = Path(temporary) / str(number)
            try:
                if transformers:
                    check_config(tool, grammar, folder, transformers)
                else:
                    chosen(tool, grammar, folder)
                passed += 1
                print(f"ok {grammar}{'' if transformers else ', written'}", flush=True)
            except Exception as error:  # whatever the library raises fails this case alone
                failed += 1
                print(f"FAILED {grammar} {type(error).__name__}: {error}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
