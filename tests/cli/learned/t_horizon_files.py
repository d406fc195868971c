"""What horizon-check reads of the files of a run: every byte, so that no other program finds
another network in them; and how much work a small certificate may ask for."""

import json
import math
import struct
import sys

from harness import ROOT
from t_horizon import FILES, check, learned

sys.path.insert(0, str(ROOT / "tests/prop"))

from trained import run_files  # noqa: E402


def run_of(t):
    """Returns the files of a run with a certificate, as bytes."""
    files = learned(t)
    t.tool("horizon", "run", "--most", "2", "-o", "s3.cert")
    return run_files.Files(*(t.read(name) for name in (*files, "s3.cert")))


def said(t, files, *options):
    """Returns exit status and messages of horizon-check about files with right hashes."""
    names = [f"changed/{name}" for name in (*FILES, "horizon.cert")]
    for name, data in zip(names, run_files.rehashed(files)):
        t.write(name, data)
    return check(t, *options, *names, messages=True)


def refused(t, files, why):
    status, out, err = said(t, files)
    assert (status, out) == (1, "s NOT VERIFIED\n") and why in err, (why, status, out, err)


def text_of_header(weights):
    return run_files.split(weights)[0].rstrip(b" ")


def with_header(files, text):
    data = run_files.split(files.weights)[1]
    return files._replace(weights=run_files.with_header(text, data))


def test_three_files_of_another_network(t):
    """These were VERIFIED: a member that changes the network behind the last one that was read, a
    second model, and tensors that are named twice, with exchanged numbers."""
    files = run_of(t)
    assert said(t, files)[0] == 0
    more = files.config.replace(b'"step_rank":2}', b'"step_rank":2,"key_epsilon":1000000}')
    refused(t, files._replace(config=more), "config.json:3: column 378: expected `}`")
    read = json.loads(files.config)
    read["model"]["negative"] = False
    again = b',"model":' + run_files.compact(read["model"]) + b"}\n"
    twice = files.config.rstrip()[:-1] + again
    refused(t, files._replace(config=twice), "config.json:6: column 37: expected `}`")
    text = text_of_header(files.weights)
    at, names = json.loads(text), [f"layers.0.mixer.{x}_proj.weight" for x in "qo"]
    for name, other in zip(names, reversed(names)):
        entry = {**at[name], "data_offsets": at[other]["data_offsets"]}
        one = json.dumps(entry, separators=(",", ":")).replace(":", " :", 1)
        text = text[:-1] + f',"{name}" :{one}}}'.encode()
    end = len(text_of_header(files.weights))
    refused(t, with_header(files, text), f"weights.safetensors:1: column {end}: expected `}}`")


def test_other_texts_of_config(t):
    """Members that come twice, are missing, exchanged, spelled otherwise or unknown, also in the
    parts that say how the network was trained."""
    files = run_of(t)
    for old, new, why in (
        (b"{", b" {", "1: column 1: expected `{"),
        (b'"schema":1', b'"schema":2', "1: column 11: expected `1,`"),
        (b'"tokens":1}', b'"tokens":1,"tokens":3}', "2: column 175: expected `}"),
        (b'"weights":null', b'"weights":[1,1,1,1,1,1]', "2: column 160: expected `null"),
        (b'"states":6,', b"", "2: column 123: expected `states"),
        (b'"layers":1', b'"layers":2', "expected `1`"),
        (b'"mixer":"delta-product"', b'"mixer":"delta"', "expected `-product"),
        (b'"silu_keys"', b'"silu\\u005fkeys"', "expected `_keys"),
        (b'"convolution":0', b'"convolution":4', "expected `0,"),
        (b'"heads":4', b'"heads":04', "column 186: expected a whole number from 1 to 64"),
        (b'"heads":4', b'"heads":4.0', "expected `,"),
        (b'"slope":1', b'"slope":1e0', "expected a decimal number in its one spelling"),
        (b'"slope":1', b'"slope":0x1', "expected a number above 1e-9 and below 1e6"),
        (b'"slope":1', b'"slope":0', "expected a number above 1e-9 and below 1e6"),
        (b"9.9999999999999995e-07", b"1e-06", "expected a decimal number in its one spelling"),
        (b'"initializer_range":0.02', b'"initializer_range":0', "expected a number above 0"),
        (b'"tokens":1}', b'"tokens":1,"live":0}', "expected a number above 0"),
        (b'"tokens":1}', b'"tokens":1,"periodic":1,"live":1}', "expected `}"),
        (b'"forget_gate":false', b'"forget_gate":true', "expected `false"),
        (b'"additive":false', b'"additive": false', "expected `false`"),
        (b'"normalise_keys":true,', b"", "expected `normalise_keys"),
        (b'"rate":0.003', b'"rate":0.0030', "4: column 30: expected a decimal number"),
        (b'"rate":0.003', b'"rate":NaN', "4: column 30: expected a decimal number"),
        (b'"decay":"linear"', b'"decay":"none"', "expected `linear`"),
        (b"[32,64,128,256,512]", b"[32,64,128,256,512,]", "expected a whole number"),
        (b'"shorter_too":false', b'"shorter_too":0', "5: column 79: expected `false`"),
        (b'"seed":1', b'"seed":1,"first_weights":"0"', "6: column 55: expected a SHA-256"),
        (b'"seed":1}\n', b'"seed":1}', "6: column 38: expected the end of the line"),
        (b'"seed":1}\n', b'"seed":1}\n\n', "7: column 1: expected the end of the file"),
        (b'"seed":1}\n', b'"seed":1}\n{}\n', "7: column 1: expected the end of the file"),
        (b'"seed":1}\n', b'"seed":1}\n\0', "7: column 1: expected the end of the file"),
    ):
        assert files.config.count(old) >= 1, old
        refused(t, files._replace(config=files.config.replace(old, new, 1)), why)


def test_other_texts_of_the_header(t):
    files = run_of(t)
    for old, new, why in (
        (b'{"__metadata__"', b'{ "__metadata__"', "1: column 2: expected `"),
        (b'\\"negative\\":true', b'\\"negative\\":false', "expected `t`"),
        (b'"kind":"sequence-model",', b"", "expected `kind"),
        (b'"tool":"fsa2lrnn"', b'"tool":"fsa2lrnn","x":"y"', "expected `}`"),
        (b'"embedding.weight"', b'"\\u0065mbedding.weight"', "expected `embedding.weight"),
        (b'"dtype":"F32"', b'"dtype":"F64"', "expected `32"),
        (b'"dtype":"F32"', b'"dtype":"F32","dtype":"F32"', "expected `shape"),
        (b'"shape":[6,32]', b'"shape":[32,6]', "expected `6`"),
        (b'"shape":[32]', b'"shape":[32,1]', "expected `],"),
        (b"[0,768]", b"[0,772]", "expected `68]"),
        (b"[768,896]", b"[768,0896]", "expected `896]"),
        (b"}}", b"}, }", "expected `}`"),
    ):
        text = text_of_header(files.weights)
        assert old in text, old
        refused(t, with_header(files, text.replace(old, new, 1)), why)
    text = text_of_header(files.weights)
    refused(t, with_header(files, text + b" " * 16), "expected the end of the header")
    for length, why in ((1 << 63, "longer than the file"), (0, "column 1: expected `{")):
        weights = length.to_bytes(8, "little") + files.weights[8:]
        refused(t, files._replace(weights=weights), why)
    refused(t, files._replace(weights=b"{}"), "expected the length of the header")


def test_other_numbers(t):
    """Numbers that are too many, too few, or not finite."""
    files = run_of(t)
    refused(t, files._replace(weights=files.weights + b"\0\0\0\0"), "4 bytes follow")
    refused(t, files._replace(weights=files.weights[:-4]), "ends within the tensor head.weight")
    for bits in (0x7FC00000, 0x7F800000, 0xFF800000):
        weights = files.weights[:-8] + bits.to_bytes(4, "little") + files.weights[-4:]
        refused(
            t, files._replace(weights=weights), "number 191 of tensor head.weight is not finite"
        )


def test_members_without_a_role(t):
    """What the trainer may write and does not matter for the network is accepted."""
    files = run_of(t)
    other, data = json.loads(files.config), run_files.split(files.weights)[1]
    other["model"].update(initializer_range=1e-300, window=1048576, channels=1)
    other["data"].update(live=0.25, periodic=0.1)
    other["train"].update(steps=2**53, lengths=[], decay="constant", clip=0.1, rate=1 / 3)
    other.update(first_weights="0123456789abcdef" * 4, seed=4294967295)
    config = run_files.config_text(other).encode()
    weights = run_files.weights_of(other["model"], data)
    assert said(t, files._replace(config=config, weights=weights))[0] == 0
    refused(t, files._replace(config=config), "weights.safetensors:1: column 214: expected `1`")


def by_hand(fsa, sizes, values, lines):
    """Returns a run of one letter, width 1 and one key, whose tensors have one value each, 0 where
    none is given, or a list of values."""
    read = json.loads((ROOT / "tests/data/learned-s3/config.json").read_bytes())
    ones = ("letters", "width", "mlp", "householders", "key_dim", "heads", "value_dim")
    read["model"].update(dict.fromkeys(ones, 1))
    read["model"].update(sizes)
    read["data"]["states"] = read["model"]["labels"]
    numbers = []
    for name, shape in run_files.shapes(read["model"]).items():
        x = values.get(name.removesuffix(".weight").removeprefix("layers.0."), 0)
        numbers += x if isinstance(x, list) else [x] * math.prod(shape)
    hashes = [f"{name} {'0' * 64}" for name in ("fsa", "config", "weights")]
    certificate = "\n".join(["horizon-cert 2", *hashes, "scope exact", *lines, "end", ""])
    data = struct.pack(f"<{len(numbers)}f", *numbers)
    weights = run_files.weights_of(read["model"], data)
    config = run_files.config_text(read).encode()
    return run_files.Files(fsa.encode(), config, weights, certificate.encode())


def test_words_of_the_prefix(t):
    """The start decays: the first answer is wrong, and all later ones are right."""
    norms = dict.fromkeys(("mixer_norm", "mixer.o_norm", "mlp_norm", "norm", "embedding"), 1)
    values = {**norms, "mixer.q_proj": 10, "mixer.k_proj": 10, "mixer.b_proj": -0.78}
    values.update({"mixer.initial_state": 2, "mixer.o_proj": -4, "head": [-1, 1]})
    fsa = "fsa 1\nletters x\nstates a b\nstart a\na x b\nb x b\n"
    lines = ["horizon 2", "prefix 1", "letters 1", "form 1048576", "norm 1 320000"]
    files = by_hand(fsa, {"labels": 2, "epsilon": 1}, values, lines)
    refused(t, files, "horizon.cert:12: the answer may be wrong")
    weights = struct.pack("<f", 2.0), struct.pack("<f", 0.5)
    smaller = files._replace(weights=files.weights.replace(*weights))
    assert smaller != files and said(t, smaller)[0] == 0


def many_labels(labels, letters):
    """Returns a run whose network is right because its state is 0, with a prefix of many
    letters."""
    heads, value = 64, 64
    fsa = f"fsa 1\npoints {labels}\ntrack points 1\npermute a ()\n"
    ones = ("mixer.q_proj", "mixer.k_proj", "mixer.b_proj", "embedding", "norm")
    values = dict.fromkeys((*ones, "mixer_norm", "mlp_norm"), 1)
    values["head"] = [10] + [-10] * (labels - 1)
    lines = [f"horizon {letters + 1}", f"prefix {letters}", "letters 1"]
    lines += [*["form 1048576"] * heads, "norm 1" + " 1050576" * heads]
    sizes = {"labels": labels, "heads": heads, "value_dim": value}
    return by_hand(fsa, sizes, values, lines)


def test_labels_times_heads_times_values(t):
    """An answer costs as much as its labels, heads and values: 54 kB took ten seconds."""
    assert said(t, many_labels(200, 10))[0] == 0
    large = many_labels(2000, 64)
    assert sum(map(len, large)) < 60000
    assert t.short or said(t, large)[0] == 0
