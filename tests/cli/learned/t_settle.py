"""`horizon --settle` and the claim `settles` of horizon-check: what is proved, and what is refused:
a T that is too small, an answer that is right, other scopes, hashes and words, a tie, networks of
other classes; keys that are 0."""

import hashlib
import json
import re
import struct
import sys

from harness import ROOT
from t_horizon import check, learned

sys.path.insert(0, str(ROOT / "tests/prop"))

from trained import run_files  # noqa: E402

NAMES = "automaton.fsa", "config.json", "weights.safetensors"


def corpus_run(t, name="parity-exact"):
    """Makes the run of a small network that has learned parity up to two letters, or of another
    one of the corpus."""
    path = ROOT / "tests/fuzz/corpus/horizon" / name
    fsa, config, certificate, weights = path.read_bytes().split(b"%%\n", 3)
    files = run_files.rehashed(run_files.Files(fsa, config, weights, certificate))
    for name, data in zip(NAMES, files):
        t.write(f"run/{name}", data)
    return [f"run/{name}" for name in NAMES]


def settle(t, *options, rc=0, **expected):
    return json.loads(
        t.tool("horizon", "run", "--settle", "-o", "claim", "--json", *options, rc=rc, **expected)
    )["settles"]


def changed(t, files, *replaced):
    """Returns the status and the message about the certificate with these parts replaced."""
    text = t.read("claim").decode()
    for old, new in replaced:
        assert re.search(old, text, re.M), (old, text)
        text = re.sub(old, new, text, count=1, flags=re.M)
    t.write("changed", text)
    status, _, message = check(t, *files, "changed", messages=True)
    return status, message


def set_tensor(t, name, values):
    """Sets a tensor's numbers to what `values` makes of their list."""
    files = run_files.Files(*(t.read(f"run/{n}") for n in NAMES), b"")
    head, data = run_files.split(files.weights)
    first, last = json.loads(head)[name]["data_offsets"]
    numbers = list(struct.unpack(f"<{(last - first) // 4}f", data[first:last]))
    new = struct.pack(f"<{len(numbers)}f", *values(numbers))
    data = data[:first] + new + data[last:]
    t.write("run/weights.safetensors", run_files.with_header(head, data))


def test_settle(t):
    """The bound is above the word that is found; the verdict says what the report says."""
    files = learned(t)
    data = settle(t, "--words", "2")
    assert data["settle_verdict"] == "fails" and data["settle_scope"] == "exact"
    assert data["settle_group"] and data["wrong_limits"] > 0 and data["settle_all"]
    prefix, period = data["settle_prefix"], data["settle_period"]
    short = 1 if data["wrong_states"] < data["cycle_states"] else 0
    within = len(prefix) + (data["settle_after"] + short) * len(period)
    assert data["settle_within"] == within >= data["found_letters"] > 5
    assert data["found_expected"] != data["found_got"]
    status, line = check(t, *files, "claim")
    assert status == 0 and line.startswith("s VERIFIED settles scope exact label states letters 6")
    claim = f"cycle {data['cycle_states']} wrong {data['wrong_states']}"
    assert f"{claim} after {data['settle_after']} within {within} fsa" in line
    assert json.loads(t.read("run/settle.json"))["settles"] == data
    assert "At all lengths" in t.read("run/report.html").decode()
    t.tool("horizon", "run", "--settle", "--words", "2", out="all lengths +fails eventually: ")
    assert check(t, *files, "claim", "more")[0] == 64
    for after in (1, data["settle_after"] - 1):
        assert changed(t, files, (r"^after \d+$", f"after {after}"))[0] == 1


def test_one_figure(t):
    """The shortest wrong word is one and the same in evaluate, compare and horizon, and no longer
    than the word that the search for wrong limits met, which is one of the words of the other."""
    learned(t)
    few = "--lengths 8 --sequences 4 --json --quiet --search".split()
    data = json.loads(t.tool("evaluate", "run", *few, "30000"))
    met, word = data["settles"]["found_letters"], data["failing_word"]
    assert word["limit_word"] and word["wrong_letters"] <= met == 50, word
    t.tool("compare", "run", *few, "30000", "-o", "beside.json")
    assert json.loads(t.read("beside.json"))["failing_word"]["wrong_letters"] == met
    few = "--prefix 0 --search 30000 --no-report --json".split()
    assert json.loads(t.tool("horizon", "run", *few))["failing_word"]["wrong_letters"] == met
    text = t.tool("evaluate", "run", "--lengths", "8", "--sequences", "4", "--search", "30000")
    assert "shortest: 50 letters" in text and "a word whose limit is wrong" in text
    assert not re.search(r"^found ", text, re.M), text
    none = json.loads(t.tool("evaluate", "run", "--lengths", "8", "--search", "0", "--json"))
    assert none["settles"].keys() == {"no_settle_reason"} and not none["failing_word"]["limit_word"]


def test_time_limit(t):
    """A limit ends the search with what it found, the reason, the proof, and status 2."""
    files = learned(t)
    long = "--words", "12", "--prefix-time", "1000", "--time-limit", "2"
    data = settle(t, *long, rc=2)
    assert data["settle_ended"] == "time limit" and not data["settle_all"]
    assert data["settle_verdict"] == "fails" and data["settle_periods"] >= 6
    assert check(t, *files, "claim")[0] == 0
    assert json.loads(t.read("run/settle.json"))["settles"] == data
    t.tool("horizon", "run", "--settle", *long, rc=2, out="ended by       time limit, before all")
    assert settle(t, "--words", "1")["settle_ended"] is None


def test_periods_are_read(t):
    """A word behind which the answer is that of the limit ends in the period, which is read once at
    least: of z alone the last letter would be another one."""
    moves = "p s q\np r p\np i p\nq s q\nq r p\nq i q\n"
    t.write("bit.fsa", "letters s r i\nstates p q\nstart p\n" + moves)
    made = "--no-network --layers 1 --heads 1 --head-dim 1 --householders 1 --width 8 --mlp 8"
    made += " --additive --learned-start --steps 3 --batch 8 --sequences 8 --quiet --no-report"
    for seed in range(1, 7):
        run = f"r{seed}"
        t.tool("train", "bit.fsa", *made.split(), "--seed", str(seed), "-o", run)
        t.tool("horizon", run, "--settle", "--words", "3", "--no-report", "-o", "c", out="")
        data = json.loads(t.read(f"{run}/settle.json"))["settles"]
        if data["settle_verdict"] == "fails":
            assert data["settle_after"] >= 1 and data["settle_within"] >= data["found_letters"] >= 1


def test_refused(t):
    files = corpus_run(t)
    data = settle(t)
    assert data["cycle_states"] == 2 and data["wrong_states"] == 1
    assert data["found_letters"] <= data["settle_within"] < 10
    assert check(t, *files, "claim")[0] == 0
    after = data["settle_after"]
    assert changed(t, files, (r"^after \d+$", f"after {after + 1}"))[0] == 0
    assert changed(t, files, (r"^after \d+$", "after 4000000000"))[0] == 0
    for more in (
        [(r"^after \d+$", "after 0")],
        [(r"^answer 1$", "answer 2")],
        [(r"^answer 1$", "answer 3")],
        [(r"^answer 1$", "answer 0")],
        [(r"^scope exact$", "scope fp32 any-order")],
        [(r"^scope exact$", "scope fp64 any-order")],
        [(r"^claim settles$", "claim forever")],
        [(r"^claim settles\n", "")],
        [(r"^learned-cert 1$", "learned-cert 2")],
        [(r"^learned-cert 1$", "horizon-cert 2")],
        [(r"^period .*$", "period")],
        [(r"^period .*$", "period 3")],
        [(r"^period .*$", "period 1")],
        [(r"^prefix.*$", "prefix 0")],
        [(r"^after ", "after 0")],
        [(r"^weights [0-9a-f]", "weights g")],
        [(r"^fsa [0-9a-f]{8}", "fsa 00000000")],
        [(r"^end$", "end\nend")],
        [(r"^end\n", "")],
    ):
        status, message = changed(t, files, *more)
        assert status == 1, (more, message)
    status, message = changed(t, files, (r"^scope exact$", "scope fp32 any-order"))
    assert "states settle in the scope exact only" in message
    status, message = changed(t, files, (r"^period .*$", "period 1"))
    assert "the limit's answer is right" in message or "another answer" in message
    t.write("run/config.json", t.read("run/config.json") + b"\n")
    assert changed(t, files)[0] == 1


def test_suffix(t):
    """A flip-flop with keys of two dimensions forgets a bit in (r s)^t, which shows only when the
    letter that keeps it is read; the words z u^t alone are right."""
    files = corpus_run(t, "settles-suffix")
    data = settle(t)
    assert data["settle_suffix"][-1] == "i" and data["settle_suffixes"] == 1 + 3 + 9
    assert data["found_suffix"][-1] == "i" and data["found_expected"] != data["found_got"]
    words = [data[f"settle_{x}"] for x in ("prefix", "period", "suffix")]
    after, (z, u, w) = data["settle_after"], map(len, words)
    assert data["settle_within"] == z + after * u + w >= data["found_letters"]
    assert after * u >= 10 and data["cycle_states"] == data["wrong_states"] == 1
    status, line = check(t, *files, "claim")
    numbers = [",".join(str("sri".index(x) + 1) for x in word) for word in words]
    assert status == 0 and f" period {numbers[1]} suffix {numbers[2]} answer " in line
    assert line.split(" within ")[1].split()[0] == str(data["settle_within"])
    t.tool("horizon", "run", "--settle", out=r"\)\^t r i is answered")
    suffix = r"^suffix (.*)$"
    for more, why in (
        ([(suffix, "suffix")], "no letters has no line"),
        ([(r"^suffix .*\n", "")], "right|another answer"),
        ([(suffix, r"suffix \1 1")], "right|another answer"),
        ([(suffix, r"suffix \1 3")], "another answer"),
        ([(suffix, r"suffix \1 4")], "number"),
        ([(suffix, r"suffix \1\nsuffix \1")], "expected `answer"),
        ([(r"^(period .*)\n(suffix .*)$", r"\2\n\1")], "expected `period"),
        ([(r"^after .*$", f"after {after // 4}")], "another answer"),
    ):
        status, message = changed(t, files, *more)
        assert status == 1 and re.search(why, message), (more, message)


def joined(t, answer, ends):
    """Returns status, verdict and messages about the claim that S3's network gives this answer
    after 4^t 1, of an automaton in which 4 turns the states a, b, c and 1 leads them to these."""
    steps = dict(zip("abc", zip("bca", ends)))
    lines = [
        f"{q} {x} {steps.get(q, q + q)[0 if x == 4 else 1] if x in (1, 4) else q}\n"
        for q in "abcdef"
        for x in range(1, 7)
    ]
    fsa = "fsa 1\nletters 1 2 3 4 5 6\nstates a b c d e f\nstart a\n" + "".join(lines)
    claim = (
        "learned-cert 1\nfsa {0}\nconfig {0}\nweights {0}\nscope exact\nclaim settles\n"
        f"prefix\nperiod 4\nsuffix 1\nanswer {answer}\nafter 5000\nend\n"
    ).format("0" * 64)
    files = fsa.encode(), *(t.read(f"run/{x}") for x in NAMES[1:]), claim.encode()
    names = [*(f"run/{x}" for x in NAMES), "joined"]
    for name, data in zip(names, run_files.rehashed(run_files.Files(*files))):
        t.write(name, data)
    return check(t, *names, messages=True)


def test_joined(t):
    """A suffix may lead several states of the cycle to one: those that it leads to the answer are
    right, and as many words in a row."""
    learned(t)
    right = [j for j in range(6) if joined(t, j + 1, 3 * "abcdefa"[j + 1])[0] == 0]
    assert len(right) == 1  # one answer at the limit
    same, other = ("abcdefa"[right[0] + i] for i in (0, 1))
    for ends in (3 * [other], [same, other, other], [same, other, same], [other, same, same]):
        status, line, _ = joined(t, right[0] + 1, ends)
        wrong = ends.count(other)
        within = 5000 + 3 - wrong + 1
        assert status == 0, ends
        assert f" cycle 3 wrong {wrong} after 5000 within {within} " in line, (ends, line)
    status, _, message = joined(t, right[0] + 1, 3 * [same])
    assert status == 1 and "the limit's answer is right" in message


def set_tied_parity(t):
    """Sets weights of which the letter 1 has S_t = -b S_{t-1}, the letter 0 nearly the identity,
    and the logits are o and -o."""
    tensors = {
        "embedding.weight": [1, 0, 0, 0, 1, 1, 0, 0],
        "layers.0.mixer_norm.weight": [1] * 4,
        "layers.0.mixer.q_proj.weight": [1, 0, 0, 0] + [0] * 4,
        "layers.0.mixer.k_proj.weight": [1, 0, 0, 0] + [0] * 4,
        "layers.0.mixer.b_proj.weight": [-0.5, 1.5, 0, 0],
        "layers.0.mixer.initial_state": [1, 0, 0, 0],
        "layers.0.mixer.o_norm.weight": [1, 1],
        "layers.0.mixer.o_proj.weight": [0] * 6 + [1, 0],
        "layers.0.mlp.gate_proj.weight": [0] * 8,
        "norm.weight": [1] * 4,
        "head.weight": [0, 0, 0, 1, 0, 0, 0, -1],
    }
    for name, numbers in tensors.items():
        set_tensor(t, name, lambda old, new=numbers: new)


def test_tie(t):
    """Parity with S_t = (-b)^t and a read-out that is odd is right for ever, so nothing may be said
    to fail; no answer at the limit is proved."""
    files = corpus_run(t)
    set_tied_parity(t)
    data = settle(t, err="no limit is proved wrong, so that no certificate is written")
    assert data["settle_verdict"] == "tie" and data["found_letters"] is None, data
    # periods of both letters have one key twice
    assert data["tied_limits"] == 2 * data["settle_prefixes"]
    assert data["dependent_periods"] == data["settle_periods"] - 2
    assert data["wrong_limits"] == 0 and data["settle_group"]
    hashes = [hashlib.sha256(t.read(x)).hexdigest() for x in files]
    for answer in (1, 2):
        t.write(
            "claim",
            "learned-cert 1\nfsa {}\nconfig {}\nweights {}\nscope exact\nclaim settles\n"
            "prefix\nperiod 2\nanswer {}\nafter 100000\nend\n".format(*hashes, answer),
        )
        status, _, message = check(t, *files, "claim", messages=True)
        assert status == 1 and "the limit may have another answer" in message, message
    t.tool("horizon", "run", "--settle", out="unknown: limits tie, or no length")
    data = json.loads(t.tool("evaluate", "run", "--lengths", "16", "--json"))
    assert data["scores"][0]["accuracy"] == 1


def test_zero_keys(t):
    """A factor whose key is 0 is the identity, and its key is in no span."""
    files = learned(t)
    model = json.loads(t.read("run/config.json"))["model"]
    rows = model["heads"] * model["key_dim"] * model["width"]
    set_tensor(
        t, "layers.0.mixer.k_proj.weight", lambda x: [0.0] * rows + x[rows:]
    )  # of the first factors
    data = settle(t, "--words", "2")
    assert data["settle_verdict"] == "fails"
    assert check(t, *files, "claim")[0] == 0
    set_tensor(t, "layers.0.mixer.k_proj.weight", lambda x: [0.0] * len(x))
    data = settle(t, "--words", "2")  # no state ever moves
    assert data["settle_verdict"] == "fails" and data["settle_after"] <= 1
    status, line = check(t, *files, "claim")
    assert status == 0 and f" after {data['settle_after']} " in line


def test_other_classes(t):
    """Networks of other classes have no claim, and options of horizons no meaning."""
    learned(t)
    for option in ("--format fp32", "--prefix 2", "--most 9", "--letters a", "--search 5"):
        name = option.split()[0]
        t.tool("horizon", "run", "--settle", *option.split(), rc=64, err=f"is without {name}")
    t.tool("horizon", "run", "--settle", "--words", "13", rc=64)
    for other in ((), ("--forever",)):
        t.tool("horizon", "run", *other, "--words", "3", rc=64, err="--words is with --settle only")
    t.write("a.fsa", "fsa 1\nletters a\nstates p q\nstart p\np a q\nq a p\n")
    small = "--no-network --layers 1 --width 4 --mlp 4 --heads 1 --head-dim 2 --householders 1"
    small += " --steps 1 --no-report --sequences 2"
    for option, why in (
        ("--forget-gate", "it has a forget gate"),
        ("--convolution 2", "it has a short convolution"),
        ("--layers 2", "it has more than one layer"),
        ("--mlp 0", "it has no MLP"),
        ("--mixer diagonal", "the mixer is not delta"),
        ("--mixer rwkv7", "the mixer is not delta"),
        ("--clamped-betas", "its betas"),  # 0 and 2 are reached: AL.1 does not hold
        ("--exact-keys", "its keys"),
    ):
        name = option.strip("-").replace(" ", "")
        t.tool("train", "a.fsa", *small.split(), *option.split(), "-o", name)
        t.tool("horizon", name, "--settle", rc=69, err=why)
        if "--mixer" in option:
            t.tool("horizon", name, "--forever", rc=69, err=why)
