"""Compares eigenvalues that `obstruct` prints for random weights with NumPy's, which are rounded:
every enclosure has an eigenvalue of NumPy's near it, and where none of these is near a border the
counts of products are the same."""

import itertools
import json
import subprocess

import numpy as np
from wired_sample import safetensors

SEED = 20261121
NEAR = 1e-10  # multiple eigenvalues move by the root of an error
BORDER = 1e-4


def weights(rng):
    """Returns tensors of one layer with one head: letters, factors, gates."""
    letters, factors, n = (int(x) for x in rng.integers(1, (4, 4, 6)))
    beta = rng.choice([0, 0.5, 1, 1.75, 2], (letters, factors))
    key = rng.standard_normal((letters, factors, n))
    key /= np.linalg.norm(key, axis=2, keepdims=True)
    gate = rng.choice([1, 0.5, 0], letters, p=[0.6, 0.3, 0.1])
    return {
        "layers.0.heads.0.beta": beta,
        "layers.0.heads.0.key": key,
        "layers.0.heads.0.gate": gate,
    }


def matrices(tensors):
    beta, key, gate = (tensors[f"layers.0.heads.0.{name}"] for name in ("beta", "key", "gate"))
    for x in range(len(beta)):
        a = gate[x] * np.eye(key.shape[2])
        for b, k in zip(beta[x], key[x]):
            a = a - b * np.outer(k, k @ a)
        yield a


def kind(a):
    """Returns "non_negative", "real" or "not_real"; None where rounding could decide it: near
    borders, and where two eigenvalues are near each other, since the exact eigenvalues may be a
    complex pair and NumPy's real, or the other way round."""
    values = np.linalg.eigvals(a)
    pairs = [abs(x - y) for x, y in itertools.combinations(values, 2)]
    certain = len(values) < 2 or min(pairs) > BORDER
    if not certain or min(abs(values.real)) < BORDER:
        return None
    if max(abs(values.imag)) > 0:
        return "not_real"
    return "real" if min(values.real) < 0 else "non_negative"


def compare(head, listed):
    """Returns what is wrong, or None."""
    for a, m in zip(listed, head["matrices"]):
        mine = list(np.linalg.eigvals(a))
        for v in m["eigenvalues"]:
            middle = complex(sum(v["re"]) / 2, sum(v["im"]) / 2)
            for _ in range(v["multiplicity"]):
                nearest = min(mine, key=lambda z: abs(z - middle))
                if abs(nearest - middle) > NEAR ** (1 / min(v["multiplicity"], 2)):
                    return f"{middle} is not among {mine}"
                mine.remove(nearest)
        if mine:
            return f"{mine} are missing"
    for products in head["products_of"]:
        kinds = []
        for word in itertools.product(listed, repeat=products["length"]):
            a = np.eye(len(listed[0]))
            for b in word:
                a = b @ a
            kinds.append(kind(a))
        for name in ("non_negative", "real", "not_real"):
            if not kinds.count(name) <= products[name] <= kinds.count(name) + kinds.count(None):
                return f"{products} against {kinds}"
    return None


def cases(tool, folder, count=60):
    """Yields (name, passed, output)."""
    rng, decided = np.random.default_rng(SEED), 0
    for i in range(count):
        tensors = weights(rng)
        listed = list(matrices(tensors))
        (folder / "w.safetensors").write_bytes(safetensors({"format": "f64"}, tensors))
        done = subprocess.run(
            [tool, "obstruct", str(folder / "w.safetensors"), "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            head = json.loads(done.stdout)["spectra"][0]
            if head["different"] != len(listed):  # equal letters are listed once: not compared
                continue
            wrong = compare(head, listed)
        except (ValueError, KeyError, StopIteration) as error:
            wrong = f"{error!r}\n{done.stdout.decode()}"
        decided += sum(kind(a) is not None for a in listed)
        yield f"eigenvalues {i}, seed {SEED}", wrong is None, wrong or ""
    yield "eigenvalues away from borders", decided > 20, str(decided)
