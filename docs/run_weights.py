"""Runs a network of layers from its weights.safetensors, or tensors.npz, alone, with NumPy:

    python3 run_weights.py parity.lrnn/weights.safetensors 1 0 1

A test of the weights, not a proof: numbers are float64, and a state has the nearest code."""
import json
import sys

import numpy as np

TYPES = {"BF16": "<u2", "F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4"}


def read(path):
    """Returns the metadata and the tensors of a safetensors file, or of an archive of NumPy."""
    raw = open(path, "rb").read()
    if raw[:2] == b"PK":
        tensors = dict(np.load(path))
        return json.loads(tensors.pop("metadata").tobytes()), tensors
    start, tensors = 8 + int.from_bytes(raw[:8], "little"), {}
    header = json.loads(raw[8:start])
    for name in sorted(set(header) - {"__metadata__"}):
        kind, (begin, end) = header[name]["dtype"], header[name]["data_offsets"]
        flat = np.frombuffer(raw[start + begin : start + end], TYPES[kind])
        if kind == "BF16":  # the upper half of a float32
            flat = (flat.astype("<u4") << 16).view("<f4")
        tensors[name] = flat.reshape(header[name]["shape"])
    return header["__metadata__"], tensors


def dense(tensors, name):
    """Returns a tensor; the padding of a sparse one, index -1, has a place of its own."""
    if name in tensors or name + "_index" not in tensors:
        return tensors.get(name)
    n, d = tensors[name.rsplit(".", 1)[0] + ".initial"].shape
    shape = {"key": (n,), "value": (d,)}.get(name.rsplit(".", 1)[1], (n, d))
    index = tensors[name + "_index"]
    full = np.zeros(index.shape[:-1] + (np.prod(shape) + 1,))
    np.put_along_axis(full, index.astype(int), tensors[name + "_value"].astype(float), -1)
    return full[..., :-1].reshape(index.shape[:-1] + shape)


class Network:
    def __init__(self, path):
        about, t = read(path)
        if "kind" in about:
            sys.exit(f"{path}: the network is {about['kind']}, not layers alone")
        self.letters, self.labels = json.loads(about["letters"]), json.loads(about["labels"])
        self.class_of = json.loads(about.get("letter_classes", "null"))
        kinds = ["beta", "key", "value", "initial", "gate", "bias", "codes", "low", "high"]
        heads = sorted({tuple(map(int, k.split(".")[1:4:2])) for k in t if ".beta" in k})
        self.layers = [{k: t[f"layers.{l}.{k}"] for k in ("part", "reads", "yield_at", "yield")}
                       for l in range(heads[-1][0] + 1)]
        for l, h in heads:
            head = {k: dense(t, f"layers.{l}.heads.{h}.{k}") for k in kinds}
            self.layers[l].setdefault("heads", []).append(head)

    def run(self, word):
        """Yields the label after every letter of a word of letter numbers."""
        states = [[np.array(head["initial"], float) for head in y["heads"]] for y in self.layers]
        for a in word:
            x = self.class_of[a] if self.class_of else a  # what the first layer reads
            for y, state in zip(self.layers, states):
                far = 0
                for h, head in enumerate(y["heads"]):
                    S = state[h] if head["gate"] is None else state[h] * head["gate"][x]
                    for beta, k, v in zip(head["beta"][x], head["key"][x], head["value"][x]):
                        S = S - beta * np.outer(k, k @ S - v)
                    state[h] = S = S if head["bias"] is None else S + head["bias"][x]
                    ends = [head["codes"] if head[e] is None else head[e] for e in ("low", "high")]
                    far = far + np.abs(S - np.clip(S, *ends)).sum((1, 2))
                x = y["yield"][y["yield_at"][x] + y["part"][np.argmin(far), y["reads"][x]]]
            yield self.labels[x]


if __name__ == "__main__":
    network = Network(sys.argv[1])
    print(*network.run([network.letters.index(a) for a in sys.argv[2:]]))
