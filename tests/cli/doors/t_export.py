"""`export`: what it writes and claims, and what it refuses. tests/clients/export.py runs the
files."""

import hashlib
import json
import re
import shutil

from corpora.languages import att, combined, explored, following
from harness import ROOT

README = "README.md"


def network(t, *family, options=()):
    t.new("g.fsa", *(family or ("parity",)))
    t.tool("compile", "g.fsa", "--quiet", *options)


def refused(t, *args, rc, err, kept=()):
    """Checks that the command is refused and leaves nothing."""
    t.tool("export", *args, rc=rc, err=err)
    t.nothing_left("g.fsa", "g.lrnn", *kept)


def targets(t):
    lines = t.tool("help", "export").split("\nTargets:\n")[1].split("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines if line[2] != " "]


def test_help_is_golden(t):
    t.golden("help-export.txt", t.tool("help", "export"))


def test_every_target(t):
    """The report names the files of the folder with their hashes; equal input gives equal bytes."""
    network(t)
    for target in targets(t):
        printed = t.tool("export", "g.lrnn", "--to", target, "-o", "a", "--json")
        report = json.loads(printed)
        assert t.read("a/export.json").decode() == printed, target
        assert report["target"] == target and report["network"] == "g.lrnn"
        assert len(report["fsa_letters"]) == len(report["label_names"]) == 2
        assert report["start_label"] == "even" and report["claims"], report
        names = sorted(path.name for path in (t.folder / "a").iterdir())
        assert names == sorted([f["name"] for f in report["files"]] + ["export.json"])
        for file in report["files"]:
            content = t.read(f"a/{file['name']}")
            assert len(content) == file["bytes"]
            assert hashlib.sha256(content).hexdigest() == file["sha256"]
        text = t.tool("export", "g.lrnn/network.lrnn", "--to", target, "-o", "b")
        lines = text.splitlines()
        if "config.json" in names:
            size = len(t.read("b/model.safetensors"))
            assert re.fullmatch(rf"sizes .* parameters, {size} bytes", lines.pop(0))
        assert lines[0].startswith(target) and len(lines) == 1 + len(report["claims"])
        assert all(t.read(f"a/{n}") == t.read(f"b/{n}") for n in names if n != "export.json")
        assert t.tool("export", "g.lrnn", "--to", target, "-o", "a", "--force", "--quiet") == ""
        for folder in ("a", "b"):
            for name in names:
                (t.folder / folder / name).unlink()
            (t.folder / folder).rmdir()
    t.nothing_left("g.fsa", "g.lrnn")


def test_claims(t):
    """Exact in the narrowest type in which nothing rounds; otherwise the reason is told."""
    network(t, "cyclic", "5")
    for target in ("onnx", "pytorch"):
        run = ("export", "g.lrnn", "--to", target, "--force", "-o", "out")
        t.tool(*run, out=r"\n\w+ +exact in float32: nothing rounds")
        t.tool(*run, "--dtype", "float64", out=r"\n\w+ +exact in float64: nothing rounds")
    t.tool("compile", "g.fsa", "--layers", "1", "--key-dim", "2", "--force", "--quiet")
    for target in ("onnx", "pytorch"):
        run = ("export", "g.lrnn", "--to", target, "--force", "-o", "out")
        t.tool(*run, out=r"\n\w+ +not claimed exact in float64: .*field")
        t.tool(*run, "--dtype", "float32", out=r"\n\w+ +not claimed exact in float32: ")
    t.tool("export", "g.lrnn", "--to", "npz", "-o", "z", out="tensors +not claimed exact: numbers")


def test_stock_models(t):
    """What a stock model cannot say is refused, with what could be done."""
    network(t, "symmetric", "3")
    for target in ("fla-deltanet", "olmo-hybrid"):
        why = "a letter has 2 factors, .* 1 a token; --to fla-gated-deltaproduct does any number"
        refused(t, "g.lrnn", "--to", target, "-o", "out", rc=69, err=why)
    run = ("export", "g.lrnn", "--to", "fla-gated-deltaproduct", "--force", "-o", "out")
    for dtype in ("bfloat16", "float16"):
        t.tool(*run, "--dtype", dtype, out=rf"\nchunk .* exact in {dtype}: nothing rounds")
        t.tool(*run, "--dtype", dtype, out=rf"\nrecurrent .* not claimed exact in {dtype}: .* key")
    t.tool(*run, "--dtype", "float32", rc=64, err="takes one of: bfloat16, float16; not 'float32'")
    for options, why in (
        (("--keys", "naive"), "nothing would be exact in bfloat16: layer 1, head 1, letter .*key"),
        (("--layers", "1", "--key-dim", "2"), "layer 1, head 1: keys over a number field"),
    ):
        t.tool("compile", "g.fsa", "--force", "--quiet", *options)
        t.tool(*run, rc=69, err=why)


def wired(t, claim, *command):
    """Compiles g.fsa into a wired network whose certificate has this claim."""
    t.tool(*command, "g.fsa", "-o", "g.lrnn", "--force", "--quiet", "--no-report")
    assert f"\nclaim {claim}\n" in t.read("g.lrnn/certificate.cert").decode(), claim


def check_in_layers(t, target):
    """Exports g.lrnn, and checks that the model is right on all words."""
    t.tool("export", "g.lrnn", "--to", target, "-o", target, out=r"exact in bfloat16: .*, EB.13\)")
    text = t.tool("check-export", target, "--fsa", "g.lrnn/automaton.fsa")
    assert f"s VERIFIED export {target} path chunk " in text, text
    shutil.rmtree(t.folder / target)


def test_wired_networks(t):
    """A reflection a token (D1), a cascade by levels, the rule form and a product go out in layers:
    as stock models that check-export proves, and to Coq with a certificate."""
    rule = ("--cascade", "zeiger", "--max-sets", "4")
    t.new("t.fsa", "tomita", "4")
    t.write("f.fsa", (ROOT / "tests/data/real/flipflop_language.fsa").read_text())
    t.new("s.fsa", "symmetric", "4", "--generators")
    t.new("p.fsa", "transformations", "3")
    t.write("two.fsa", t.tool("new", "product", "p.fsa", "p.fsa", "--apart"))
    for source, claim, command in (
        ("s.fsa", "d1", ("compile", "--householders", "1")),
        ("f.fsa", "blocks", ("compile", "--householders", "1")),
        ("t.fsa", "zeiger", rule),
        ("two.fsa", "product", rule[2:]),
    ):
        t.write("g.fsa", t.read(source).decode())
        wired(t, claim, *command)
        for target in ("fla-deltanet", "fla-gated-deltaproduct"):
            if target != "fla-deltanet" or claim in ("d1", "blocks"):
                check_in_layers(t, target)
        t.tool(
            *("export", "g.lrnn", "--to", "coq", "-o", "out", "--force"),
            out=r"theorem +exact: .* in layers \(EB.13\)",
        )
        text = t.read("out/network.v").decode()
        for name in ("automaton.fsa", "network.lrnn", "certificate.cert"):
            t.write(f"v/{name}", literals(text, name.replace(".", "_")))
        assert t.read("v/automaton.fsa") == t.read("g.lrnn/automaton.fsa")
        assert t.read("v/network.lrnn").startswith(b"lrnn 2\n")
        assert "s VERIFIED exact " in t.tool("check", "v", "--checker", t.checker)


def test_refusals_of_wired_networks(t):
    """The command that a refusal names works, and what comes out of it goes out."""
    large = "as a layer, stage 3 has a letter for each of 60 tuples .* at least [0-9]+ local states"
    for family, target, why in (
        (("cyclic", "5"), "fla-deltanet", large),
        (("symmetric", "4", "--generators"), "olmo-hybrid", "makes all keys .* non-negative"),
        (("symmetric", "5", "--generators"), "coq", "no certificate that Coq checks in a minute"),
    ):
        t.new("g.fsa", *family)
        wired(t, "d1", "compile", "--householders", "1", "--effort", "100")
        t.tool("export", "g.lrnn", "--to", target, "-o", "out", rc=69, err=why)
        command = t.errors.strip().rsplit(": fsa2lrnn ", 1)[1].split()
        t.tool(*command)
        if command[0] != "export":
            target = "coq" if target == "coq" else "fla-gated-deltaproduct"
            t.tool("export", "OUT", "--to", target, "-o", "DIR")
        for name in ("OUT", "DIR"):
            shutil.rmtree(t.folder / name, ignore_errors=True)


def test_a_product_too_large_for_layers(t):
    """A product that is proved by parts has too many joint states for Coq, as it has without
    bounds; the command that the refusal names makes a cascade, which goes out."""
    words = [following([(x,) for x in word]) for word in ("dcdb", "bbaa", "dabb")]
    language = combined(words, lambda found: found[2] if found[0] else found[1])
    rows, accepting = explored(language, "abcd")
    t.write("g.att", att(rows, accepting, "abcd"))
    t.tool("g.att", "--label", "accept", "--sink", "--no-report", "--quiet", "-o", "g.lrnn")
    assert b"\nclaim product\n" in t.read("g.lrnn/certificate.cert")
    why = "no certificate that Coq checks in a minute: .*; as one cascade the automaton may have"
    t.tool("export", "g.lrnn", "--to", "coq", "-o", "out", rc=69, err=why)
    t.tool(*t.errors.strip().rsplit(": fsa2lrnn ", 1)[1].split(), "--no-report")
    t.tool("export", "OUT", "--to", "coq", "-o", "out")
    assert b"claim cascade" in t.read("OUT/certificate.cert")


def test_stock_models_with_signs(t):
    """Swaps of neighbours have keys that signs make non-negative: every way is exact."""
    t.write("g.fsa", "points 3\ntrack points 1\npermute a (1 2)\npermute b (2 3)\n")
    t.tool("compile", "g.fsa", "--quiet")
    for target in ("fla-deltanet", "fla-gated-deltaproduct", "olmo-hybrid"):
        text = t.tool("export", "g.lrnn", "--to", target, "-o", f"out-{target}")
        assert len(text.splitlines()) == 4 and text.count(" exact in bfloat16: ") == 2, text
        prefix = json.loads(t.read(f"out-{target}/prefix.json"))
        assert len(prefix) == 64 and prefix[0] == 2 and max(prefix) == prefix[-1]


def test_models_that_fit(t):
    """Registers with their saved content share heads: one of them reads what the letter asks for,
    all columns at once, and no key needs a sign."""
    t.tool("compile", str(ROOT / "tests/data/real/utf8_validator.fsa"), "-o", "u", "--quiet")
    text = t.tool("export", "u", "--to", "fla-gated-deltaproduct", "-o", "out")
    assert re.match("sizes +4 layers, hidden size 32, 1 head of 16 x 16, inner size 40: ", text)
    assert text.count(" exact in bfloat16: ") == 2 and "not claimed" not in text, text
    assert len(t.read("out/model.safetensors")) < 110_000
    text = t.tool("check-export", "out", "--fsa", "u/automaton.fsa")
    assert text.count("\n               VERIFIED\n") == 2, text


def test_limit(t):
    """Files over --limit are refused after the sizes are printed, and nothing is written."""
    network(t)
    for target in ("npz", "onnx", "fla-deltanet"):
        run = ("export", "g.lrnn", "--to", target, "-o", "out")
        report = json.loads(t.tool(*run, "--json"))
        size = sum(file["bytes"] for file in report["files"])
        whole = sum(file.stat().st_size for file in (t.folder / "out").iterdir())
        shutil.rmtree(t.folder / "out")
        why = f"the files would take {size} bytes, more than --limit, which is {size - 1} bytes"
        text = t.tool(*run, "--limit", f"{size - 1}", rc=69, err=why)
        assert text.startswith("sizes ") == (target == "fla-deltanet"), text
        t.nothing_left("g.fsa", "g.lrnn")
        t.tool(*run, "--limit", f"{size}", rc=69, err=f"more than --limit, which is {size} bytes")
        t.nothing_left("g.fsa", "g.lrnn")
        t.tool(*run, "--limit", f"{whole + 100}")  # export.json has times
        shutil.rmtree(t.folder / "out")
    t.tool(*run, "--limit", "100", rc=69, err="take [0-9]+ bytes, more than --limit, which is 100")
    t.tool(*run, "--limit", "0", rc=64)
    t.nothing_left("g.fsa", "g.lrnn")


def literals(text, name):
    """Returns the bytes that the Coq file defines under this name."""
    body = text.split(f"Definition {name} : bytes := List.concat [\n")[1].split("].\n")[0]
    assert body.startswith('b "') and body.endswith('"')
    return "".join(body[3:-1].split('";\nb "')).replace('""', '"')


def test_coq(t):
    """The Coq file has the bytes of the three files, also where they are longer than a literal."""
    boxes = ("--target", "diagonal-positive", "--formats", "bf16")
    for family, options in (
        (("parity",), ()),
        (("tomita", "4"), boxes),
        (("symmetric", "3"), ()),
        (("symmetric", "5"), ()),
    ):
        network(t, *family, options=("--force", *options))
        t.tool(
            *("export", "g.lrnn", "--to", "coq", "-o", "out", "--force"),
            out=r"theorem +exact: the file is about the exact network",
        )
        text = t.read("out/network.v").decode()
        for name in ("automaton.fsa", "network.lrnn", "certificate.cert"):
            word = name.replace(".", "_")
            assert literals(text, word) == t.read(f"g.lrnn/{name}").decode(), name
    assert max(map(len, text.split('b "'))) < 9000
    assert text.count("vm_cast_no_check") == 1 and "Theorem correct : proved" in text


def test_coq_refuses(t):
    """What the checker in Coq does not know is refused, with the reason."""
    network(t)
    out = ("--to", "coq", "-o", "out")
    lines = t.read("g.lrnn/certificate.cert").decode().splitlines()
    t.write("g.lrnn/certificate.cert", "\n".join([*lines[:2], "network 0", *lines[3:], ""]))
    refused(t, "g.lrnn", *out, rc=69, err="the certificate beside the network is about other files")
    t.write("g.lrnn/certificate.cert", "\n".join([*lines[:3], "claim swaps", *lines[4:], ""]))
    refused(t, "g.lrnn", *out, rc=69, err="claim exact and claim cascade, and .* another claim")
    (t.folder / "g.lrnn/certificate.cert").unlink()
    refused(t, "g.lrnn", *out, rc=69, err="no certificate.cert beside the network")
    for family, options, why in (
        (("cyclic", "5"), ("--layers", "1", "--key-dim", "2"), "layer 1, head 1: .*number field"),
    ):
        network(t, *family, options=("--force", *options))
        refused(t, "g.lrnn", *out, rc=69, err=why)


def test_labels_of_transitions(t):
    """The empty word has no label."""
    t.write("g.fsa", "start a\na x b one\nb x a two\na y a two\nb y b one\n")
    t.tool("g.fsa", "--label", "edges", "--quiet")
    report = json.loads(t.tool("export", "g.lrnn", "--to", "npz", "-o", "out", "--json"))
    assert report["start_label"] is None and report["label_kind"] == "edges", report
    assert "Before the first letter" not in t.read(f"out/{README}").decode()


def test_names_in_readme(t):
    """Names stay in their code spans, and are neither Markdown nor HTML nor unseen."""
    states = [
        "a`b", "<img onerror=x>", "e\033[2J", "r\u202eb", "\u00fc\u200b", "t\U000e0041", "q\u2080"
    ]  # fmt: skip
    letters = ["x`y", "\u202ez", "&lt;"]
    spell = lambda name: json.dumps(name, ensure_ascii=False)  # noqa: E731
    edges = "".join(
        f"{spell(q)} {spell(x)} {spell(states[(i + (x == letters[0])) % len(states)])}\n"
        for i, q in enumerate(states)
        for x in letters
    )
    t.write("g.fsa", f"start {spell(states[0])}\n{edges}")
    t.tool("g.fsa", "--quiet")
    t.tool("export", "g.lrnn", "--to", "fla-gated-deltaproduct", "-o", "out", "--quiet")
    readme = t.read(f"out/{README}").decode()
    own = readme.split("A model for")[0] + readme.split("## What is claimed")[1]
    assert not re.search("[<>&\0-\x09\x0b-\x1f\x7f\u200b\u202e\U000e0041]", own), own
    spans = re.findall(r"[0-9] `([^`]*)`", own)
    shown = [
        r"x\u0060y", r"\u202ez", r"\u0026lt;", r"a\u0060b", r'"\u003cimg onerror=x\u003e"',
        r'"e\u001b[2J"', r"r\u202eb", "\u00fc" r"\u200b", r"t\udb40\udc41", "q\u2080",
    ]  # fmt: skip
    assert spans == shown, spans
    assert r"letter x\u0060y: the key" in own and own.count("`") == 2 * len(shown) + 4, own


def test_usage(t):
    network(t)
    out = ("-o", "out")
    some = r"one of: coq, .*npz, .*onnx, .*pytorch"
    refused(t, "g.lrnn", "--to", "torch", *out, rc=64, err=f"no target 'torch'; .*({some})")
    refused(t, "g.lrnn", *out, rc=64, err=f"--to TARGET is missing, ({some})")
    refused(t, "g.lrnn", "--to", "npz", rc=64, err="--out DIR is missing")
    refused(t, "--to", "npz", *out, rc=64, err="one network is expected")
    refused(t, "g.lrnn", "g.lrnn", "--to", "npz", *out, rc=64, err="one network is expected")
    refused(t, "g.lrnn", "--to", "npz", "--dtype", "float32", *out, rc=64, err="not for npz")
    refused(
        t,
        *("g.lrnn", "--to", "onnx", "--dtype", "bfloat16", *out),
        rc=64,
        err="--dtype of onnx takes one of: float32, float64; not 'bfloat16'",
    )
    refused(t, "g.lrnn", "--to", "npz", "--sink", *out, rc=64, err="no option '--sink'")


def test_other_exports_are_not_checked(t):
    """check-export says which exports it is for, where another one is given."""
    network(t)
    t.tool("export", "g.lrnn", "--to", "pytorch", "-o", "out", "--quiet")
    check = ("check-export", "out", "--fsa", "g.lrnn/automaton.fsa")
    t.tool(*check, rc=69, err="an export to pytorch is no language model, of which there are fla-")
    t.write("out/export.json", "{")
    t.tool(*check, rc=69, err="the folder has model.py, which `export` did not write there")


def test_tokenizer(t):
    """A folder beside the model, which check-export reads as before; only language models have
    one. tests/clients/stock.py gives it to transformers."""
    network(t)
    run = ("export", "g.lrnn", "--to", "fla-deltanet", "-o", "out")
    to = (*run, "--tokenizer", "words")
    t.tool(*to, out="\ntokenizer      words: tokenizer.json, tokenizer_config.json\n")
    assert t.read("words/export.json") == t.read("out/export.json")
    about, made = json.loads(t.read("out/export.json")), json.loads(t.read("words/tokenizer.json"))
    prefix = json.loads(t.read("out/prefix.json"))
    numbers = made["model"]["vocab"]
    assert [name for name, number in numbers.items() if number < 2] == about["fsa_letters"]
    begin = made["post_processor"]["special_tokens"]["begin"]
    assert begin["ids"] == prefix and [numbers[name] for name in begin["tokens"]] == prefix
    assert made["model"]["unk_token"] not in numbers
    t.tool("check-export", "out", "--fsa", "g.lrnn/automaton.fsa")
    t.tool(*to, "--force", "--quiet")
    for folder in ("./out", "words/../out/words", str(t.folder / "out/words")):
        t.tool(*run, "--force", "--tokenizer", folder, rc=64, err="names a folder beside 'out'")
    t.tool(*to, rc=73, err="'out' exists already")
    shutil.rmtree(t.folder / "out")
    t.tool(*to, rc=73, err="'words' exists already")
    (t.folder / "words/export.json").unlink()
    t.tool(*to, "--force", rc=73, err="'words' has no file 'export.json', so that it is not ours")
    t.write("words/notes", "mine")
    t.tool(*to, "--force", rc=73, err="holds 'notes', which is not ours")
    t.nothing_left("g.fsa", "g.lrnn", "words")
    whole = str(t.folder / "out")
    for folder in ("out", "out/", "out/words", "./out", ".//out/", "words/../out", whole):
        t.tool(*run, "--tokenizer", folder, rc=64, err="names a folder beside 'out'")
    to = ("export", "g.lrnn", "--to", "npz", "-o", "out", "--tokenizer", "words")
    t.tool(*to, rc=64, err="--tokenizer is not for npz")
    t.nothing_left("g.fsa", "g.lrnn", "words")


def test_networks_that_are_refused(t):
    network(t)
    to = ("--to", "npz", "-o", "out")
    refused(t, "missing", *to, rc=74, err="missing")
    t.write("bad", "lrnn 9\n")
    refused(t, "bad", *to, rc=65, err="bad:1:", kept=["bad"])
    (t.folder / "bad").unlink()
    t.write("other.fsa", "start a\na x a\n")
    refused(t, "g.lrnn", "--fsa", "other.fsa", *to, rc=65, err="other.fsa", kept=["other.fsa"])


def test_folders_that_are_refused(t):
    network(t)
    to = ("export", "g.lrnn", "--to", "npz", "-o")
    t.write(f"out/{README}", "mine")
    for force in ((), ("--force",)):
        t.tool(*to, "out", *force, rc=73, err="'out' has no file 'export.json'")
    assert t.read(f"out/{README}") == b"mine"
    t.write("out/export.json", "{}")
    t.write("out/thesis.tex", "mine")
    t.tool(*to, "out", "--force", rc=73, err="holds 'thesis.tex', which is not ours")
    t.tool(*to, "g.lrnn", "--force", rc=73, err="which is not ours")
    t.tool(*to, "none/out", rc=73, err="none/out")
    t.tool(*to, "g.fsa", "--force", rc=73, err="not a folder")
    t.tool(*to, "/proc/self/out", rc=73, err="/proc/self/out")
    t.nothing_left("g.fsa", "g.lrnn", "out")
