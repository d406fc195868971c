"""`snap`: the exact network beside a trained one, its certificate, the weights with the exact
transitions, and what cannot be snapped."""

import hashlib
import json
import re
import shutil

from harness import ROOT, Skip

try:
    import numpy
except ImportError:
    numpy = None

RUN = ROOT / "tests/data/learned-s3"


def snap(t, *args, rc=0):
    return json.loads(t.tool("snap", *args, "--json", rc=rc))


def test_a_learned_network(t):
    """The three files are checked by lrnn-check; the report has their hashes; nothing is written
    without --out."""
    shown = snap(t, RUN)
    t.nothing_left()
    assert shown["snapped"] == "SNAPPED" and shown["reason"] is None and shown["files"] == []
    written = snap(t, RUN, "-o", "s3.snap")
    line = t.check("s3.snap")
    assert "letters 6 states 6" in line and "householders 2" in line, line
    text = t.read("s3.snap/snap.json").decode()
    t.valid(text, "snap.json")
    assert json.loads(text) == written
    names = [file["name"] for file in written["files"]]
    assert names[:3] == ["automaton.fsa", "network.lrnn", "certificate.cert"]
    for file in written["files"]:
        data = t.read(f"s3.snap/{file['name']}")
        assert file["bytes"] == len(data) and file["sha256"] == hashlib.sha256(data).hexdigest()
    parts = written["learned_parts"]
    assert written["exact_network"]["heads"] == len(parts)
    assert any(part["dimension"] == 2 for part in parts) and written["determines_element"]
    for part in parts:
        distances = part["letter_distances"]
        mean = sum(d * d for d in distances) / len(distances) / part["dimension"]
        assert abs(mean**0.5 - part["defect"]) < 1e-6 and part["defect"] <= written["within"]
        assert max(distances) == part["largest_distance"] and part["next_defect"] > 1


def test_text(t):
    """The readable report, without the digits that depend on the processor."""
    text = re.sub(r"\d+\.\d+(e-\d+)?|\de-\d+", "#", t.tool("snap", RUN))
    t.golden("snap-s3.txt", re.sub(r"for letter [^;]*;", "for letter #;", text))


def test_mutated_network_is_refused(t):
    """A network with one changed code, with its hash in the certificate made right, is refused."""
    t.tool("snap", RUN, "-o", "s3.snap")
    network = t.read("s3.snap/network.lrnn").decode()
    certificate = t.read("s3.snap/certificate.cert").decode()
    old = hashlib.sha256(network.encode()).hexdigest()
    assert old in certificate
    found = re.search(r"(?m)^( *initial .*?)(-?\d+)$", network)
    assert found, network[:600]
    changed = network[: found.start(2)] + str(int(found[2]) + 1) + network[found.end(2) :]
    t.write("s3.snap/network.lrnn", changed)
    new = hashlib.sha256(changed.encode()).hexdigest()
    t.write("s3.snap/certificate.cert", certificate.replace(old, new))
    assert "s VERIFIED" not in t.check("s3.snap", rc=1)


def test_put_back(t):
    """The weights with the exact transitions are a run's: evaluate takes them, and a second snap
    finds almost no distance."""
    before = snap(t, RUN, "-o", "first")
    put = before["put_back"]
    assert put["beta_logit"] == 16 and put["beta_distance"] < 1e-5
    again = snap(t, "first/trained", "-o", "second")
    assert len(again["learned_parts"]) == len(before["learned_parts"])
    for part in again["learned_parts"]:
        assert part["largest_distance"] <= 2 * put["largest_distance"] < 1e-4
    assert t.check("second")
    scores = json.loads(
        t.tool("evaluate", "first/trained", "--lengths", "64", "--sequences", "64", "--json")
    )
    assert scores["scores"][0]["accuracy"] > 0.99, scores
    soft = snap(t, RUN, "--logit", "4", "-o", "soft")["put_back"]
    assert 0.03 < soft["beta_distance"] < 0.04 and soft["largest_distance"] > 0.03


def change_letter(t, folder, letter, heads):
    """Copies the run and gives the letter, in these heads, minus the identity on the plane in which
    the transpositions reflect: two factors with the keys of the plane. The rows change by the least
    that changes no other letter."""
    if numpy is None:
        raise Skip("this Python has no NumPy")
    shutil.copytree(RUN, t.folder / folder)
    path = t.folder / folder / "weights.safetensors"
    data = bytearray(path.read_bytes())
    size = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:size])
    config = json.loads(header["__metadata__"]["config"])
    tensor = {
        name: numpy.frombuffer(data, "<f4", offset=size + about["data_offsets"][0])[
            : int(numpy.prod(about["shape"]))
        ].reshape(about["shape"])
        for name, about in header.items()
        if name != "__metadata__"
    }
    names = re.findall(r'(?m)^permute "([^"]*)"', t.read(f"{folder}/automaton.fsa").decode())
    x = tensor["embedding.weight"].astype(float)
    x /= numpy.sqrt((x * x).mean(axis=1, keepdims=True) + config["epsilon"])
    x *= tensor["layers.0.mixer_norm.weight"]
    at = names.index(letter)
    dual = numpy.linalg.pinv(x)[:, at]  # x @ dual is 1 at the letter and 0 at the others
    keys, betas = tensor["layers.0.mixer.k_proj.weight"], tensor["layers.0.mixer.b_proj.weight"]
    count, wide = config["heads"], config["key_dim"]
    for head in heads:
        acting = []
        for name in ("(1 2)", "(1 3)", "(2 3)"):
            y = x[names.index(name)]
            factor = max(range(2), key=lambda n: float(betas[n * count + head] @ y))
            row = (factor * count + head) * wide
            acting.append(keys[row : row + wide] @ y)
            acting[-1] /= numpy.linalg.norm(acting[-1])
        plane = numpy.linalg.svd(numpy.array(acting))[2][:2]
        for factor in range(2):
            row = factor * count + head
            for i in range(wide):
                change = plane[factor][i] - keys[row * wide + i] @ x[at]
                keys[row * wide + i] += (change * dual).astype("f4")
            betas[row] += ((16 / config["slope"] - betas[row] @ x[at]) * dual).astype("f4")
    path.write_bytes(data)


def test_a_sign_cover(t):
    """A letter that moves every part of dimension 2 by minus its matrix: the network has learned
    pairs of an element and a sign, which are found, proved against the automaton, and put back."""
    change_letter(t, "minus", "()", (2, 3))
    written = snap(t, "minus", "-o", "snapped")
    t.valid(json.dumps(written), "snap.json")
    assert written["snapped"] == "SNAPPED" and written["group_order"] == 6, written["reason"]
    assert written["sign_cover"] == {"acting_order": 12, "signs": [{"minus_letters": ["()"]}]}
    net = written["exact_network"]
    assert net["codes"] == net["exact"]["joint_states"] == 12
    assert "letters 6 states 6" in t.check("snapped")
    assert t.read("snapped/automaton.fsa") == t.read("minus/automaton.fsa")
    t.tool("snap", "minus", out="with signs of the letters as a group of order 12: - for ()")
    again = snap(t, "snapped/trained", "-o", "again")
    assert again["sign_cover"] == written["sign_cover"]
    for part in again["learned_parts"]:
        assert part["largest_distance"] <= 2 * written["put_back"]["largest_distance"] < 1e-4
    assert t.check("again")
    plain = snap(t, RUN)
    assert plain["sign_cover"] is None and plain["group_order"] == 6


def test_wrong_sign_is_refused(t):
    """One head's letter without its sign, with the hash in the certificate made right."""
    change_letter(t, "minus", "()", (2, 3))
    t.tool("snap", "minus", "-o", "snapped")
    network = t.read("snapped/network.lrnn").decode()
    block = r"(?m)^on 1 gate 1 factors 2\n(factor .*\n){2}"
    changed = re.sub(block, "on 1 gate 1 factors 0\n", network, count=1)
    assert changed != network
    t.write("snapped/network.lrnn", changed)
    old, new = (hashlib.sha256(text.encode()).hexdigest() for text in (network, changed))
    certificate = t.read("snapped/certificate.cert").decode()
    t.write("snapped/certificate.cert", certificate.replace(old, new))
    assert "s VERIFIED" not in t.check("snapped", rc=1)


def test_what_cannot_be(t):
    """A verdict with a reason and exit status 1, and a folder with the report alone."""
    strict = snap(t, RUN, "--within", "0.001", "-o", "strict", rc=1)
    assert strict["snapped"] == "NOT SNAPPED" and "nearest is chi3" in strict["reason"]
    assert strict["exact_network"] is None and strict["put_back"] is None
    assert [p.name for p in (t.folder / "strict").iterdir()] == ["snap.json"]
    t.tool("snap", RUN, "--within", "0.001", rc=1, out="NOT SNAPPED: ")
    folder = t.folder / "alone"
    folder.mkdir()
    shutil.copy(RUN / "weights.safetensors", folder / "w.safetensors")
    assert "no run" in snap(t, "alone/w.safetensors", rc=1)["reason"]


def test_other_models(t):
    """Models of other classes get a verdict, not an error."""
    t.new("s3.fsa", "symmetric", "3")
    tiny = "--width 16 --steps 1 --batch 2 --to 4 --lengths 4 --sequences 2 --no-network".split()
    for reason, options in (
        ("only the mixer delta", ("--mixer", "diagonal")),
        ("only the mixer delta", ("--mixer", "attention")),
        ("more than one layer", ("--layers", "2", "--head-dim", "4")),
        ("by the convolution", ("--convolution", "3", "--head-dim", "4")),
    ):
        shutil.rmtree(t.folder / "run", ignore_errors=True)
        t.tool("train", "s3.fsa", *tiny, *options, "-o", "run")
        report = snap(t, "run", rc=1)
        assert reason in report["reason"] and report["possible_irreps"] == [], report["reason"]


def test_a_merging_automaton(t):
    t.write("reset.fsa", "fsa 1\nletters a b\nstates p q\nstart p\np a q\np b p\nq a q\nq b p\n")
    tiny = ["--heads", "1", "--head-dim", "4", "--width", "8", "--mlp", "0", "--steps", "2"]
    tiny += ["--batch", "4", "--lengths", "4", "--no-network"]
    t.tool("train", "reset.fsa", *tiny, "-o", "reset.train")
    report = snap(t, "reset.train", rc=1)
    assert report["group_order"] is None and "merges" in report["reason"], report["reason"]


def test_usage(t):
    t.tool("snap", rc=64, err="the folder of a run is expected")
    t.tool("snap", RUN, "--within", "0", rc=64, err="must be above 0")
    t.tool("snap", RUN, "--logit", "0", rc=64, err="must be above 0")
    t.tool("snap", "absent", rc=(64, 65, 69, 74))
    t.tool("snap", RUN, "-o", "s3.snap")
    before = t.read("s3.snap/snap.json")
    t.tool("snap", RUN, "-o", "s3.snap", rc=73)
    assert t.read("s3.snap/snap.json") == before
