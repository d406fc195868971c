"""The recipe for a mixer: `sum`, a decaying sum with one parameter."""

import json
import sys

from recipe import main

SUM = ("train", "examples/parity.fsa", "--mixer", "sum", "--no-network", "--dry-run")


def before(copy):
    assert "sum" not in copy.tool("help", "train").split("Mixers:")[1].split("Options:")[0]
    text = copy.tool(*SUM, rc=64)
    assert "one of: delta, diagonal, " in text and "; not 'sum'" in text, text


def after(copy, printed):
    assert "Tested: 2 | Passing: 2 | Failing: 0 | Crashing: 0" in printed, printed
    assert "layers: ok" in printed, printed
    listed = copy.tool("help", "train").split("Mixers:")[1].split("Options:")[0]
    assert "\n  sum  " in listed and "with one parameter" in listed, listed
    assert "decaying sum of the inputs" in (copy.root / "tests/golden/fsa2lrnn.1").read_text()
    config = json.loads((copy.root / "build/sum.train/config.json").read_text())
    assert '"sum"' in json.dumps(config), config
    # Three steps changed the parameter, which starts at 1/2; a run goes on from its checkpoint.
    weights = (copy.root / "build/sum.train/weights.safetensors").read_bytes()
    head = json.loads(weights[8 : 8 + int.from_bytes(weights[:8], "little")])
    at = head["layers.0.mixer.decay"]
    assert at["shape"] == [1] and at["dtype"] == "F32", at
    begin = 8 + int.from_bytes(weights[:8], "little") + at["data_offsets"][0]
    assert weights[begin : begin + 4] != bytes.fromhex("0000003f"), "the parameter did not move"
    text = copy.tool(*SUM)
    assert "sum, 1 layer of width 128, 128 decaying sums" in text, text
    text = copy.tool(*SUM, "--backend", "cuda", rc=69)
    assert "use --backend cpu" in text or "NVIDIA" in text or "CUDA" in text, text
    text = copy.tool("inspect", "build/sum.train", rc=69)
    assert "nothing to inspect in the mixer sum" in text, text


if __name__ == "__main__":
    sys.exit(main("Add a mixer", before, after))
