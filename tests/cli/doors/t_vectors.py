"""`vectors`: what it writes and lists, and what it refuses. tests/vectors reads the numbers."""

import hashlib
import json
import struct


def header(path):
    """Returns the header of a safetensors file, and the number of its bytes of data."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    return json.loads(data[8 : 8 + size]), len(data) - 8 - size


def test_writes(t):
    out = t.tool("vectors", "gated-delta-product", "--only", "t17-n4,t65-n8", "-o", "few")
    assert "written            few: 2 files and vectors.json" in out
    t.valid(t.read("few/vectors.json").decode(), "vectors.json")
    about = json.loads(t.read("few/vectors.json"))
    assert [file["name"] for file in about["vector_files"]] == ["t17-n4", "t65-n8"]
    for file in about["vector_files"]:
        data = (t.folder / f"few/{file['name']}.safetensors").read_bytes()
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
        assert len(data) == file["bytes"]
        assert file["proved_claims"] == ["products", "inverse", "W U", "states", "gradient"]
    tensors, size = header(t.folder / "few/t17-n4.safetensors")
    assert tensors["__metadata__"]["factors"] == "4"
    assert tensors["__metadata__"]["keys"] == "one axes roots"
    assert tensors["k"] == {
        "dtype": "BF16",
        "shape": [2, 68, 3, 32],
        "data_offsets": tensors["k"]["data_offsets"],
    }
    assert max(tensors[name]["data_offsets"][1] for name in tensors if name[0] != "_") == size
    assert "initial_state" in tensors and "d_final_state" not in tensors


def test_default_folder_and_force(t):
    t.tool("vectors", "delta-rule", "--only", "t15", "--quiet")
    first = (t.folder / "delta-rule.vectors/t15.safetensors").read_bytes()
    t.tool("vectors", "delta-rule", "--only", "t15", rc=73, err="exists already")
    t.tool("vectors", "delta-rule", "--only", "t15", "--force", "--quiet")
    assert (t.folder / "delta-rule.vectors/t15.safetensors").read_bytes() == first
    t.write("mine/notes.txt", "mine")
    t.tool("vectors", "delta-rule", "--only", "t15", "--force", "-o", "mine", rc=73)
    assert t.read("mine/notes.txt") == b"mine"


def test_lists(t):
    for op in ("delta-rule", "gated-delta-rule", "delta-product", "gated-delta-product"):
        report = json.loads(t.tool("vectors", op, "--list", "--json"))
        files = report["vector_files"]
        assert len(files) == 27 and report["out"] is None
        lengths = {length for file in files for length in file["sequence_lengths"]}
        around = {border + by for border in (16, 32, 64, 128) for by in (-1, 0, 1)}
        assert lengths >= around | {0, 1, 193, 1024}
        factors = {file["householders"] for file in files}
        assert factors == (set(range(1, 9)) if "product" in op else {1})
        assert {(128, 64)} <= {(file["key_dim"], file["value_dim"]) for file in files}
        families = {key for file in files for key in file["key_families"]}
        assert families == {"one", "axes", "roots", "long", "fine"}
    assert list(t.folder.iterdir()) == []


def test_usage(t):
    t.tool("vectors", rc=64, err="one operator is expected: delta-rule, ")
    t.tool("vectors", "delta", rc=64, err="there is no operator 'delta'; OP is one of: delta-rule")
    t.tool("vectors", "delta-rule", "--only", "t15,t1", rc=64, err="delta-rule has no file 't1'")
    t.tool("vectors", "delta-rule", "--only", "", rc=64, err="delta-rule has no file ''")
    t.tool("vectors", "delta-rule", "--list", "-o", "x", rc=64, err="--list writes nothing")
    t.tool("vectors", "delta-rule", "-o", "no/such/x", rc=73)


def test_help_is_golden(t):
    t.golden("help-vectors.txt", t.tool("help", "vectors"))
