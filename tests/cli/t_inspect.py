"""`inspect`: what a trained network learned, compared with NumPy and with known facts of small
groups."""

import json
import shutil
import signal
import statistics
import subprocess
import time

import harness
from harness import Skip

try:
    import numpy
except ImportError:
    numpy = None

TINY = ("--heads", "2", *harness.TINY[2:], "--steps", "20")
LEARNS = (*harness.LEARNS, "--lengths", "32")


def need_numpy():
    if numpy is None:
        raise Skip("this Python has no NumPy")


def inspect(t, *args):
    return json.loads(t.tool("inspect", *args, "--json"))


def weights_of(t, run):
    """Returns the tensors of weights.safetensors as doubles."""
    data = t.read(f"{run}/weights.safetensors")
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    config = json.loads(header.pop("__metadata__")["config"])
    tensors = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        assert about["dtype"] == "F32"
        tensors[name] = (
            numpy.frombuffer(data[8 + size + begin : 8 + size + end], "<f4")
            .astype(float)
            .reshape(about["shape"])
        )
    return tensors, config


def letters_of(tensors, config):
    """Returns betas [letter][factor][head] and keys [letter][factor][head][dim], from the formulas
    of models/learn/seq/seq.h."""
    x = tensors["embedding.weight"]
    x = (
        tensors["layers.0.mixer_norm.weight"]
        * x
        / numpy.sqrt((x * x).mean(axis=1, keepdims=True) + config["epsilon"])
    )
    shape = (len(x), config["householders"], config["heads"], config["key_dim"])
    keys = (x @ tensors["layers.0.mixer.k_proj.weight"].T).reshape(shape)
    keys = keys / numpy.sqrt((keys * keys).sum(axis=-1, keepdims=True) + config["epsilon"])
    betas = 2 / (1 + numpy.exp(-config["slope"] * (x @ tensors["layers.0.mixer.b_proj.weight"].T)))
    return betas.reshape(shape[:3]), keys


def matrix_of(betas, keys):
    """Returns A(w) of one letter and head."""
    a = numpy.eye(keys.shape[-1])
    for beta, key in zip(betas, keys):
        a = (numpy.eye(len(key)) - beta * numpy.outer(key, key)) @ a
    return a


def same_set(left, right):
    """Returns the greatest distance of a number from its partner among the others."""
    right, worst = list(right), 0
    for x in left:
        partner = min(range(len(right)), key=lambda i: abs(right[i] - x))
        worst = max(worst, abs(right.pop(partner) - x))
    return worst


def test_numbers_are_those_of_the_weights(t):
    """NumPy computes all numbers a second time, from the file of weights alone."""
    need_numpy()
    t.new("s3.fsa", "symmetric", "3")
    t.tool("train", "s3.fsa", *TINY, "--householders", "3", "-o", "run")
    data = inspect(t, "run")
    betas, keys = letters_of(*weights_of(t, "run"))
    assert (
        data["eigenvalues_equal_to_gate"] == 5
        and len(data["per_head"]) == 2
        and data["letters"] == 6
    )
    for h, head in enumerate(data["per_head"]):
        for a, letter in enumerate(head["letter_actions"]):
            matrix = matrix_of(betas[a, :, h], keys[a, :, h])
            assert numpy.allclose(letter["betas"], betas[a, :, h], atol=2e-5), (
                letter["betas"],
                betas[a, :, h],
            )
            assert numpy.allclose(numpy.linalg.norm(letter["key_vectors"], axis=1), 1, atol=1e-7)
            assert numpy.allclose(letter["key_vectors"], keys[a, :, h], atol=1e-5)
            assert (
                same_set(
                    [complex(*x) for x in letter["complex_eigenvalues"]] + [1] * 5,
                    numpy.linalg.eigvals(matrix),
                )
                < 1e-6
            )
            left, singular, right = numpy.linalg.svd(matrix)
            assert same_set(letter["singular_values"] + [1] * 5, singular) < 1e-6
            assert abs(letter["distance"] - numpy.linalg.norm(matrix - left @ right)) < 1e-6
            cosine = [abs(keys[a, n, h] @ keys[a, n + 1, h]) for n in (0, 1)]
            assert numpy.allclose(letter["angles"], numpy.degrees(numpy.arccos(cosine)), atol=1e-3)
        every = keys[:, :, h].reshape(18, 8)
        every = every / numpy.linalg.norm(every, axis=1, keepdims=True)
        value, vector = numpy.linalg.eigh(every.T @ every)
        assert numpy.allclose(head["key_components"]["share"], value[::-1] / 18, atol=1e-7), head[
            "key_components"
        ]["share"]
        assert head["key_components"]["enough"] == 1 + int(
            (numpy.cumsum(value[::-1] / 18) < 0.95).sum()
        )
        for i, component in enumerate(head["key_components"]["directions"][:3]):
            assert abs(abs(numpy.dot(component, vector[:, -1 - i])) - 1) < 1e-6
        p = numpy.sqrt(numpy.maximum(value, 0))
        p = p[p > 0] / p.sum()
        assert (
            abs(head["key_components"]["effective_rank"] - numpy.exp(-(p * numpy.log(p)).sum()))
            < 1e-6
        )
        assert (
            head["beta_spread"]["count"] == 18
            and sum(head["beta_spread"]["bins"]) + head["beta_spread"]["outside"] == 18
        )
        assert numpy.allclose(
            head["beta_spread"]["quantiles"],
            numpy.quantile(betas[:, :, h], (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)),
            atol=2e-5,
        )
        assert head["acting_key_components"]["vectors"] == int((betas[:, :, h] >= 1).sum())


def test_relations_are_those_of_the_matrices(t):
    need_numpy()
    t.new("s3.fsa", "symmetric", "3")
    t.tool("train", "s3.fsa", *TINY, "--householders", "2", "-o", "run")
    data = inspect(t, "run")
    tensors, config = weights_of(t, "run")
    betas, keys = letters_of(tensors, config)
    names = [x["name"] for x in data["per_letter"]]
    image = {
        "()": (0, 1, 2),
        "(1 2)": (1, 0, 2),
        "(1 3)": (2, 1, 0),
        "(2 3)": (0, 2, 1),
        "(1 2 3)": (1, 2, 0),
        "(1 3 2)": (2, 0, 1),
    }
    name_of = {p: n for n, p in image.items()}
    relations = data["relations"]
    assert (
        relations["order"] == 6
        and relations["letter_pairs"] == relations["letter_pairs_there"] == 36
        and len(relations["conjugacy_classes"]) == 3
    )
    for h, head in enumerate(relations["head_actions"]):
        a = {n: matrix_of(betas[i, :, h], keys[i, :, h]) for i, n in enumerate(names)}
        group = dict(a, **{"()": numpy.eye(8)})  # the empty word
        states = [group[n] @ tensors["layers.0.mixer.initial_state"][h] for n in names]
        moved = numpy.hstack([s - sum(states) / 6 for s in states])
        left, singular, _ = numpy.linalg.svd(moved)
        assert numpy.allclose(head["singular_values"], singular[:8], atol=1e-5)
        m = int((singular >= relations["threshold"] * singular[0]).sum())
        assert head["moving"] == m, (head, singular)
        q = left[:, :m]
        defect = {}
        for w in names:
            for u in names:
                product = a[name_of[tuple(image[u][p] for p in image[w])]] @ q
                defect[w, u] = numpy.linalg.norm(a[u] @ a[w] @ q - product) / numpy.linalg.norm(
                    product
                )
        assert (
            abs(head["worst"] - max(defect.values())) < 1e-4
            and abs(defect[tuple(head["worst_pair"])] - head["worst"]) < 1e-4
        )
        assert abs(head["median"] - numpy.median(list(defect.values()))) < 1e-4
        for c, about in enumerate(relations["conjugacy_classes"]):
            kind = [n for n in names if len(n) == len(about["element"])]
            traces = [numpy.trace(q.T @ group[n] @ q) for n in kind]
            assert len(kind) == about["size"] and abs(head["traces"][c] - numpy.mean(traces)) < 1e-4
        content = sum(
            x * ch["degree"] for x, ch in zip(head["multiplicities"], relations["characters"])
        )
        assert abs(content - m) < 1e-6, head


def test_a_network_that_learned(t):
    """Parity: one letter does nothing, the other has beta 2 and the eigenvalue -1."""
    t.new("parity.fsa", "parity")
    t.tool("train", "parity.fsa", *LEARNS)
    data = inspect(t, "parity.train")
    assert list(data) == [
        "schema",
        "report",
        "weights_file",
        "unfinished",
        "source",
        "model_config",
        "model_text",
        "parameters",
        "word_list",
        "data_text",
        "layer",
        "layer_of",
        "repeats",
        "letters",
        "letters_used",
        "per_letter",
        "householders",
        "key_dim",
        "eigenvalues_equal_to_gate",
        "per_head",
        "relations",
    ]
    (zero,), (one,) = (
        data["per_head"][0]["letter_actions"][a]["complex_eigenvalues"] for a in (0, 1)
    )
    assert zero[0] > 0.9 and one[0] < -0.9 and zero[1] == one[1] == 0, (zero, one)
    assert (
        data["relations"]["order"] == 2 and data["relations"]["head_actions"][0]["moving"] == 1
    ), data["relations"]
    assert abs(data["relations"]["head_actions"][0]["multiplicities"][1] - 1) < 0.1
    t.tool(
        "inspect",
        "parity.train",
        out=r"beta is near 2 for 1 of 2 letters\n.* 2: three principal components hold 100\.0 %, "
        r"over 95 %.*of the group of order 2: 4 pairs.* 1 of 16 dimensions move.*seen, not proved",
    )
    t.new("flipflop.fsa", "flipflop")
    t.tool("train", "flipflop.fsa", *TINY, "-o", "flipflop")
    assert inspect(t, "flipflop")["relations"] == {
        "reason": "the network has values: its states are not A(word) H_0"
    }
    t.tool("train", "flipflop.fsa", *TINY, "--no-additive", "--learned-start", "-o", "other")
    assert inspect(t, "other")["relations"] == {
        "reason": "a letter does not permute the states of the automaton"
    }
    text = t.tool("inspect", "parity.train")
    assert (
        t.tool("inspect", "parity.train", "-o", "report.txt") == ""
        and t.read("report.txt").decode() == text
    )
    assert t.tool("inspect", "parity.train") == text
    t.tool("inspect", "parity.train", "-o", "no/such/folder", rc=73, err="no/such/folder")
    alone = shutil.copy(
        t.folder / "parity.train/weights.safetensors", t.folder / "alone.safetensors"
    )
    alone = inspect(t, "alone.safetensors")
    assert (
        alone["per_head"]
        == [
            dict(
                h,
                worst_letter=dict(
                    h["worst_letter"], letter={"0": "1", "1": "2"}[h["worst_letter"]["letter"]]
                ),
            )
            for h in data["per_head"]
        ]
        and alone["source"] is None
    )
    assert "no run lies beside" in alone["relations"]["reason"]


def test_other_networks(t):
    """Swaps, where letters that never occurred do not count; diagonal decays; a convolution;
    several layers; a forget gate."""
    t.new("s3.fsa", "symmetric", "3")
    t.tool("train", "s3.fsa", *TINY, "--weights", "swaps", "-o", "swaps")
    data = inspect(t, "swaps")
    assert [x["used"] for x in data["per_letter"]] == [
        len(x["name"]) == 5 for x in data["per_letter"]
    ], data["per_letter"]
    assert (
        data["per_head"][0]["beta_spread"]["count"] == 3 * data["model_config"]["householders"]
        and data["relations"]["letter_pairs"] == 0
    )
    t.tool(
        "inspect",
        "swaps",
        "--letters",
        "2",
        out=r"3 that came in training count.*\(\) \* .*and 4 more letters.*\* never came",
    )
    t.tool(
        "train",
        "--task",
        "parity",
        "--mixer",
        "diagonal",
        *TINY,
        "--channels",
        "3",
        "--states",
        "2",
        "--convolution",
        "4",
        "-o",
        "diagonal",
    )
    data = inspect(t, "diagonal")
    values = [v for x in data["decays"]["letter_decays"] for row in x["decay"] for v in row]
    assert (
        len(values) == 12
        and max(map(abs, values)) <= 1
        and data["repeats"] == 4
        and "heads" not in data
    )
    assert data["decays"]["all"]["low"] == -1 and data["decays"]["all"]["count"] == 12
    assert abs(data["decays"]["all"]["quantiles"][3] - statistics.median(values)) < 1e-8
    t.tool(
        "inspect",
        "diagonal",
        out=r"decays of a letter read 4 times in a row.*3 channels of 2 states, in \[-1, 1\]",
    )
    t.tool(
        "train",
        "s3.fsa",
        *TINY,
        "--layers",
        "2",
        "--forget-gate",
        "--eigenvalues",
        "positive",
        "-o",
        "gated",
    )
    data = inspect(t, "gated")
    assert (
        data["per_head"][0]["beta_spread"]["high"] == 1
        and 0 < data["per_head"][0]["letter_actions"][0]["gate"] < 1
    )
    assert data["relations"] == {"reason": "the network has more than one layer"}
    t.tool(
        "inspect",
        "gated",
        out="later layers are not looked at.*gate +eigenvalues, and 6 that are the gate",
    )


def test_a_run_that_has_not_ended(t):
    process = t.start(
        "train",
        "--task",
        "parity",
        *TINY[:-1],
        "100000",
        "-o",
        "run",
        "--checkpoint-seconds",
        "0.01",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not (t.folder / "run/checkpoint").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    data = inspect(t, "run")
    assert (
        data["unfinished"] is True
        and data["weights_file"] == "checkpoint"
        and len(data["per_head"]) == 2
    )
    t.tool("inspect", "run", out="network +checkpoint: .*the run has not ended")
    checkpoint = t.read("run/checkpoint")
    for damaged, rc in (
        (b"", 65),
        (checkpoint[:90], 65),
        (checkpoint[:-1], (65, 69)),
        (checkpoint[:300] + bytes([checkpoint[300] ^ 1]) + checkpoint[301:], 65),
        (checkpoint[:96] + b"\xff" * 8 + checkpoint[104:], (65, 69)),
        (checkpoint[:80] + b"\1" + checkpoint[81:], (65, 69)),
    ):
        t.write("run/checkpoint", damaged)
        t.tool("inspect", "run", rc=rc, err="run")


def test_refused(t):
    t.new("parity.fsa", "parity")
    t.tool("train", "parity.fsa", *TINY, "-o", "run")
    t.tool("train", "parity.fsa", *TINY, "--seeds", "2", "-o", "runs")
    for args, rc, error in (
        ((), 64, "the folder of a run or one file"),
        (("run", "run"), 64, "one file"),
        (("absent",), 74, "absent"),
        (("parity.fsa",), 65, r"parity\.fsa"),
        ((".",), 74, "is not the folder of a run"),
        (("runs",), 69, "2 seeds: name one of its folders seed-N"),
        (("run", "--threshold", "0"), 64, "--threshold must be"),
        (("run", "--threshold", "1"), 64, "--threshold must be"),
        (("run", "--letters", "-1"), 64, "--letters takes"),
        (("run", "--time-limit", "1e-9"), 2, "time limit reached"),
    ):
        t.tool("inspect", *args, rc=rc, err=error)
    inspect(t, "runs/seed-2")
    data = t.read("run/weights.safetensors")
    for damaged in (data[:100], data[:-1], b"", data.replace(b"F32", b"F33", 1), b"\xff" * 64):
        t.write("run/weights.safetensors", damaged)
        t.tool("inspect", "run", rc=65, err=r"weights\.safetensors: error: ")
    t.new("s3.fsa", "symmetric", "3")
    t.tool("train", "s3.fsa", *TINY, "-o", "other")
    shutil.copy(t.folder / "other/weights.safetensors", t.folder / "run/weights.safetensors")
    t.tool("inspect", "run", rc=65, err="the weights are not of this run")
    (t.folder / "run/weights.safetensors").unlink()
    (t.folder / "run/checkpoint").unlink()
    t.tool("inspect", "run", rc=69, err="has not ended")


def test_tokens(t):
    train = "train --task cycle-navigation --modulus 3 --steps 2 --no-network".split()
    small = ("--layers", "2", "--head-dim", "4", "--to", "8", "--batch", "4", "--lengths", "8")
    t.tool(*train, *small, "--heads", "2", "--householders", "2", "-o", "run")
    words = [i * i % 3 for i in range(200)]
    t.write("text.npz", harness.npz(tokens=words, documents=[0, 90, 120]))
    data = inspect(t, "run", "--token-file", "text.npz")
    heads = [(h["layer"], h["head"]) for h in data["token_heads"]]
    assert heads == [(1, 1), (1, 2), (2, 1), (2, 2)], heads
    for head in data["token_heads"]:
        assert head["token_betas"]["count"] == 400 and sum(head["token_betas"]["bins"]) == 400
        assert head["token_gates"] is None and head["angles_within"]["count"] == 200
        assert head["one_token"]["count"] == 400 and head["five_tokens"]["matrix_count"] == 40
        assert [r["count"] for r in head["rank_by_position"]] == [1, 2, 2, 2, 2, 2, 2, 2]
        assert sum(r["count"] for r in head["norm_by_position"]) == 200
        starts = [(r["tokens_read"], r["count"]) for r in head["rank_at_documents"]]
        assert starts == [(0, 2), *((2**k, 2) for k in range(5)), (32, 1), (64, 1)], starts
    loss = json.loads(t.tool("evaluate", "run", "--token-file", "text.npz", "--json"))
    assert loss["by_position"] == data["by_position"]
    t.tool("inspect", "run", "--token-file", "text.npz", "--json", "-o", "heads.json")
    assert json.loads(t.read("heads.json"))["token_heads"] == data["token_heads"]
    t.tool(*train, *small, "--mixer", "diagonal", "--mlp", "0", "-o", "mamba")
    data = inspect(t, "mamba", "--token-file", "text.npz")
    assert [h["token_betas"] for h in data["token_heads"]] == [None, None]
    t.tool(*train, *small, "--mixer", "attention", "--heads", "1", "-o", "attention")
    refused = {"rc": 69, "err": "mixer of this model is attention"}
    t.tool("inspect", "attention", "--token-file", "text.npz", **refused)
    t.tool("evaluate", "attention", "--token-file", "text.npz")
