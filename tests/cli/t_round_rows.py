"""`round --schedule` with rows of other fields: how a state is stored decides the verdict, as the
figures of states show; what has no statement says so; what is no schedule is refused. And where
the statements on exactness end (theory/pages/keys.md R3.6, R3.7; theory/pages/t4.md T4.12;
theory/pages/definite.md K.2): each format there is one side of a bound, and with the schedule
`every` either nothing rounds or a shortest wrong word is known."""

import hashlib
import json
import re

from harness import sealed

EXACT = ("VERIFIED", "nothing rounds")

def network(t, *keys):
    name = f"s5{'n' if keys else ''}.lrnn"
    t.tool(t.examples() / "s5_generators.fsa", *keys, "--out", name, "--quiet")
    return name


def files(t, folder):
    path = t.folder / folder
    return sorted(p.name for p in path.iterdir()) if path.exists() else []


def found(t, name, schedule, rc=0, formats="bf16"):
    text = t.tool(
        *("round", name, "--formats", formats, "--schedule", schedule, "--json"),
        *("--limit", "3000", "--letters", "2000"),
        rc=rc,
    )
    (entry,) = json.loads(text)["formats"]
    return entry


def test_exact_keys_survive_every_store_but_a_scale_by_the_largest_number(t):
    name = network(t)
    for schedule in (
        "serving",
        "state16",
        "store64",
        "tf32",
        "state8",
        "state8,block=head",
        "state8,residual=feedback",
        "serving,state=e4m3",
        "serving,state=bf16:stochastic",
        "recurrent,state=int16,scale=pow2,letters=7",
    ):
        entry = found(t, name, schedule)
        assert (entry["verdict"], entry["how"]) == ("VERIFIED", "nothing rounds"), (schedule, entry)
    for schedule in ("state8,scale=amax", "recurrent,state=e4m3,scale=amax"):
        entry = found(t, name, schedule, rc=2)
        assert entry["verdict"] == "UNKNOWN" and "stored" in entry["rounds"], (schedule, entry)
        bound = entry["horizon"]
        assert 0 < bound["letters"] < 100 and not bound["for_ever"], entry


def test_rounded_keys_are_repaired_by_a_grid_and_not_by_choices(t):
    name = network(t, "--keys", "naive")
    for schedule in ("serving", "state8", "serving,state=e4m3"):
        entry = found(t, name, schedule)
        assert (entry["verdict"], entry["joint_states"]) == ("VERIFIED", 120), (schedule, entry)
    entry = found(t, name, "serving,state=bf16:stochastic", rc=1)
    assert entry["verdict"] == "REFUTED", entry


def test_each_form_of_a_norm_has_its_own_least_key(t):
    """S5 has the key e_1, whose raw length is `raw`."""
    name = network(t)
    for norm, least in (("quotient", 4), ("rsqrt", 8), ("outside", 32), ("reciprocal", 4)):
        for raw, exact in ((least, True), (least / 2, False)):
            schedule = f"recurrent,norm={norm},eps=1e-6,raw={raw:g}"
            entry = found(t, name, schedule, rc=0 if exact else 2)
            assert (entry["how"] == "nothing rounds") == exact, (schedule, entry)


def test_no_certificate_for_a_row_that_the_checker_has_not(t):
    name = network(t)
    t.write("one.fsa", t.tool("new", "parity"))
    t.tool("one.fsa", "--out", "one.lrnn", "--quiet")
    for net, row in ((name, "serving,prefill=chunk64"), ("one.lrnn", "serving,operands=int8")):
        t.tool("round", net, "--formats", "bf16", "--schedule", row, "--certificates", "c")
        assert files(t, "c") == [], (row, files(t, "c"))
    # 1 becomes 127, and 127 + u 128, which the clamp takes back to 127.
    t.write("last.fsa", "letters a b\nstates x y\nstart x\nx a x\nx b y\ny a x\ny b y\n")
    t.tool("last.fsa", "--out", "last.lrnn", "--quiet")
    row = "serving,state=int8:stochastic,scale=amax,clamp=full,draw=floor:"
    for bits in (17, 18, 24):
        assert found(t, "last.lrnn", f"{row}{bits}")["how"] == "nothing rounds"
        args = ("--formats", "bf16", "--schedule", f"{row}{bits}", "--certificates", f"l{bits}")
        t.tool("round", "last.lrnn", *args)
        (file,) = files(t, f"l{bits}")
        names = ("last.lrnn/automaton.fsa", "last.lrnn/network.lrnn")
        t.check_files(*names, f"l{bits}/{file}")
    text = (t.folder / "l24" / file).read_text()
    # 1 becomes 64 or 1 of 127, and others of the random numbers move it.
    for old, new in (("scale=amax", "scale=pow2"), ("scale=amax", "scale=static:1")):
        t.write("moved.cert", sealed(text.replace(f",{old},", f",{new},")))
        said = t.check_files(*names, "moved.cert", rc=1)
        assert "a step is rounded" in said, said
    row, drawn = "serving,scale=pow2", "bf16,round=stochastic"
    t.tool("round", name, "--format", drawn, "--schedule", row, "--certificates", "d")
    assert files(t, "d") == [], files(t, "d")
    t.tool("round", name, "--formats", "bf16", "--schedules", "acc32", "--certificates", "e")
    assert files(t, "e") == ["bf16.acc32.cert"], files(t, "e")


def test_a_long_row_has_a_certificate_and_a_strategy(t):
    """Names of files have at most 255 bytes; cut ones are told apart by a hash of the whole."""
    exact = network(t)
    t.tool(t.examples() / "s3.fsa", "--keys", "naive", "--out", "s3n.lrnn", "--quiet")
    row = (
        "recurrent,sum=blocks:4:2,fuse=both,gate=late,state={}:stochastic,scale=pow2,clamp=full,"
        "block=group:128,draw=top:16,pair=reversed,read=unstored,output=fp16:saturate,beta=fp32,"
        "decay=fp32,norm=outside,squares=blocks:4:2,eps=1e-06,raw=32"
    )
    drawn = (
        "serving,sum=blocks:4:2,fuse=both,gate=late,state=e4m3:stochastic,draw=top:16,"
        "pair=reversed,output=fp16:saturate,beta=fp32,decay=fp32,prefill=unstored,handover=fp16,"
        "norm=outside,squares=blocks:4:2,eps=1e-06,raw=32"
    )
    names = []
    for name, long, code, ending in (
        (exact, row.format("int8"), 0, "cert"),
        (exact, row.format("int16"), 0, "cert"),
        ("s3n.lrnn", drawn, 1, "strategy"),
    ):
        folder = f"l{len(names)}"
        whole = f"bf16.{long}"
        args = ("--format", "bf16", "--schedule", long, "--letters", "0", "--limit", "3000")
        t.tool("round", name, *args, "--certificates", folder, rc=code)
        digits = hashlib.sha256(whole.encode()).hexdigest()[:16]
        assert files(t, folder) == [f"{whole[:183]}.{digits}.{ending}"], files(t, folder)
        if code == 0:
            (file,) = files(t, folder)
            t.check_files(f"{exact}/automaton.fsa", f"{exact}/network.lrnn", f"{folder}/{file}")
        names += files(t, folder)
    assert names[0] != names[1], names


PAIRED = ",second=none,draw=floor:16,pair="
# Changed settings of a certificate that say nothing in its row, and what the checker says.
MEANINGLESS = (
    (0, "quotient=inverse", "quotient=divide", "a quotient is for amax and static"),
    (0, "most=largest", "most=1p2", "most is for amax and pow2"),
    (0, "clamp=symmetric", "clamp=full", "clamp=full is for scaled integers"),
    (0, "clamp=symmetric", "clamp=none", "clamp=none is for scaled formats that overflow"),
    (1, "draw=any", "draw=top:3", "draw is for stochastic states"),
    (1, "pair=no", "pair=reversed", "pairs need random bits"),
    (1, "most=largest", "most=1p-1", "most is a number of the state's own format"),
    (2, "fuse=none", "fuse=sum", "sums by halves have no fused products"),
    (2, "fuse=none", "fuse=both", "sums by halves have no fused products"),
    (2, "block=row", "block=head", "a block is for scales"),
    (2, "clamp=symmetric", "clamp=none", "clamp=none is for scaled formats that overflow"),
    (2, "state=format", "state=format:stochastic", "expected `,letters=`"),
    (
        2,
        "work=fp32,operands=none,state=format",
        "work=format,operands=none,state=fp32",
        "the state is wider than the operations",
    ),
    (3, f"block=row{PAIRED}no", f"block=group:2{PAIRED}reversed", None),
    (3, f"block=row{PAIRED}no", f"block=group:3{PAIRED}reversed", "even"),
    (3, f"block=row{PAIRED}no", f"block=tile:2{PAIRED}reversed", "even"),
    (4, "draw=top:16", "draw=any", "pairs need random bits"),
    (4, "state=bf16:stochastic", "state=bf16", "draw is for stochastic states"),
    (7, "scale=amax:bf16", "scale=amax:fp32", "a scale in fp32 has quotient=inverse"),
    (9, "work=fp32", "work=format", "need operations in fp32"),
    (9, "scale=static:1p-3", "scale=static:16777217", "no such static scale"),
    (9, "scale=static:1p-3", "scale=static:1p-127", "no such static scale"),
    (9, "quotient=inverse", "quotient=two", "a static scale has one quotient"),
    (2, "handover=fp32", "handover=bf16", "a handover is for a prompt"),
    (10, "stores=letter", "stores=factor", "letters and stores are for a state that is rounded"),
    (10, "letters=1", "letters=7", "letters and stores are for a state that is rounded"),
    (10, "state=fp32", "state=format", None),
    (11, "stores=letter", "stores=factor", "letters and stores are for a state that is rounded"),
    (11, "letters=1", "letters=7", "letters and stores are for a state that is rounded"),
    (12, "state=e2m1", "state=format", "a second scale is for a state in a format of its own"),
)


def test_certificates_name_all_settings_of_a_row(t):
    exact, naive = network(t), network(t, "--keys", "naive")
    rows = (
        (exact, "serving,state=e2m1,scale=mx,norm=outside,squares=lanes:2,eps=1e-6,raw=32"),
        (exact, "serving,state=int8,scale=pow2,block=group:2,sum=blocks:4:2,fuse=both,gate=late"),
        (exact, "every,sum=butterfly,work=fp32,gate=folded"),
        (exact, "serving,state=int8:stochastic,scale=pow2,draw=floor:16,clamp=full"),
        (exact, "serving,state=bf16:stochastic,draw=top:16,pair=reversed"),
        (exact, "serving,state=e4m3:stochastic"),
        (naive, "serving,output=fp16:saturate"),
        (naive, "serving,state=e4m3,scale=amax:bf16,quotient=two,block=tile:2"),
        (naive, "serving,state=int8,scale=amax:bf16,quotient=divide,clamp=full,most=120"),
        (naive, "serving,state=e4m3,scale=static:0.125,beta=fp32,decay=fp32"),
        (exact, "recurrent,sum=butterfly"),
        (exact, "every,sum=butterfly"),
        (exact, "serving,state=e2m1,scale=amax:e4m3,block=group:16,second=head"),
    )
    for i, (name, row) in enumerate(rows):
        args = ("--formats", "bf16", "--schedule", row, "--limit", "3000", "--letters", "0")
        t.tool("round", name, *args, "--certificates", f"c{i}")
        (file,) = files(t, f"c{i}")
        t.check_files(f"{name}/automaton.fsa", f"{name}/network.lrnn", f"c{i}/{file}")
    drawn = (t.folder / "c3" / files(t, "c3")[0]).read_text()
    for old, new in (("draw=floor:16", "draw=floor:24"), ("scale=pow2", "scale=amax")):
        assert drawn.count(old) == 1, old
        t.write("drawn.cert", sealed(drawn.replace(old, new)))
        t.check_files(f"{exact}/automaton.fsa", f"{exact}/network.lrnn", "drawn.cert", rc=1)
    text = (t.folder / "c8" / files(t, "c8")[0]).read_text()
    assert "\nschedule row sum=halves," in text and "most=15p3," in text, text[:600]
    for old, new in (
        ("scale=amax:bf16", "scale=amax"),
        ("state=int8", "state=int4"),
        ("most=15p3", "most=largest"),
        ("letters=1", "letters=2"),
        ("state=int8", "state=int8:stochastic"),
        ("pair=no,", ""),
        ("work=fp32", "work=format"),
    ):
        assert text.count(old) == 1, old
        t.write("wrong.cert", sealed(text.replace(old, new)))
        t.check_files(f"{naive}/automaton.fsa", f"{naive}/network.lrnn", "wrong.cert", rc=1)
    for i, old, new, message in MEANINGLESS:
        text = (t.folder / f"c{i}" / files(t, f"c{i}")[0]).read_text()
        assert text.count(old) >= 1, (i, old)
        t.write("wrong.cert", sealed(text.replace(old, new)))
        name = rows[i][0]
        args = (f"{name}/automaton.fsa", f"{name}/network.lrnn", "wrong.cert")
        said = t.check_files(*args, rc=1 if message else 0)
        assert (message or "") in said, (i, new, said)


LOADED = "serving,state=e4m3,scale=amax:bf16,residual=load:fp16"
# Rows whose certificates were refused once, other settings of them, and what the checker says.
OF_ROWS = (
    (0, "serving,norm=max,eps=1e-6,raw=4", "norm=max", "norm=outside", "a weight is rounded"),
    (0, "serving,norm=rms,eps=1e-6,raw=128", "norm=rms", "norm=rsqrt", None),
    (0, "serving,norm=rms,eps=1e-6,raw=4", "norm=rms", "norm=reciprocal", "another state"),
    (0, "serving,norm-in=format,eps=1e-6,raw=4", "norm-in=format", "norm-in=fp32", None),
    (0, "tf32", "operands=tf32", "operands=fp32", "operands are narrower than fp32"),
    (0, "serving,operands=bf16", "work=fp32", "work=format", "need operations in fp32"),
    (1, "serving,decode=linear", "keys=fp32", "keys=format", None),
    (1, "serving,norm=max,eps=1e-2,raw=1.7", "norm=max", "norm=rsqrt", "another state"),
    (0, LOADED, "load:fp16", "load:int4", "scale"),
    (0, LOADED, "load:fp16", "none", "another state"),
    (0, LOADED, "load", "feedback", "expected ` beside`"),
    (0, "serving,state=int8,scale=pow2,residual=feedback:fp16", "pow2", "amax", "a state is"),
    (1, "serving,state=e4m3,scale=amax:bf16,block=tensor", "=amax:bf16", "=none", "for scales"),
)


def test_certificates_of_operands_norms_residuals_directions_and_tensors(t):
    nets = (network(t), network(t, "--keys", "naive"))
    for i, (net, row, old, new, message) in enumerate(OF_ROWS):
        name = nets[net]
        args = ("--formats", "bf16", "--schedule", row, "--limit", "3000", "--letters", "0")
        t.tool("round", name, *args, "--certificates", f"c{i}")
        (file,) = files(t, f"c{i}")
        names = (f"{name}/automaton.fsa", f"{name}/network.lrnn")
        t.check_files(*names, f"c{i}/{file}")
        text = (t.folder / f"c{i}" / file).read_text()
        line = next(x for x in text.splitlines() if "schedule row " in x)
        assert line.count(old) >= 1, (row, line)
        wrong = text.replace(line, line.replace(old, new, 1))
        t.write("wrong.cert", sealed(wrong))
        said = t.check_files(*names, "wrong.cert", rc=1 if message else 0)
        assert (message or "") in said, (row, new, said)


BY_HAND = """lrnn 2
fsa {fsa}
field Q
label states
letters 1
letter a
labels 2
symbol p
symbol q
start 1
layers 1
layer 1 letters 1 heads 1 codes 2 symbols 2 decode state
head 1 key 1 value 1
initial 1.1:{value}
on 1 gate 1 factors 1
factor 1 u 1:1 c 1:{value}
code 1 1 1.1:{value}
code 2 2 1.1:-{value}
end
"""
CLAIM = """lrnn-certificate 2
fsa {fsa}
network {network}
claim float
format precision 8 emin -126 emax 127 largest 255p120 subnormals yes overflow infinity round nearest
schedule row {row}
size layers 1 heads 1 householders 1 key 1 value 1
letters 1 states 2 numbers 1 rows 1
row 1 state 1 numbers {number} next 1
end 1
sha256 """
PLAIN = (
    "sum=left,fuse=none,gate=early,work=fp32,operands=none,state=format,letters=1,stores=letter,"
    "ring=none,scale=none,quotient=inverse,most=largest,clamp=symmetric,block=row,second=none,"
    "draw=any,pair=no,residual=none,residual-scale=none,read=stored,output=usual,keys=format,"
    "beta=format,decay=format,prefill=none,handover=fp32,decode=nearest,norm=reciprocal,"
    "norm-in=fp32,squares=left"
)
STATIC = "state=int8 scale=static:1p-126 clamp=full"
DIVIDED = "state=int16 scale=amax:e4m3 quotient=divide read=unstored"
# The value of p's code, settings, what is behind them, the number that the row of the
# certificate claims, the exit status, and what the checker says.
ROWS_BY_HAND = (
    (1, "", "", "1", 0, "schedule row .* decoder nearest"),
    (1, "decode=linear", "", "1", 0, "schedule row .* decoder linear"),
    # A scale that becomes 0 makes zeros of a block, and nothing is divided by it.
    (1, DIVIDED, "", "0", 0, "VERIFIED"),
    (1, DIVIDED.replace("divide", "inverse"), "", "0", 0, "VERIFIED"),
    # What is infinite before its store is not clamped.
    (4, STATIC, "", "127p-126", 1, "first row is not the start"),
    (4, STATIC.replace("full", "symmetric"), "", "127p-126", 1, "first row is not the start"),
    (4, STATIC + " quotient=divide", "", "127p-126", 1, "first row is not the start"),
    (1, "norm=rms", " eps 0 raw 1p-200", "1", 2, "a key is zero before"),
    (1, "", " eps 1p-20 raw 1p-200", "1", 0, "VERIFIED"),
    (1, "norm=max", "", "1", 1, "eps is missing"),
    (1, "norm-in=format", "", "1", 1, "eps is missing"),
)


def test_rows_made_by_hand(t):
    """Networks and certificates that the compiler does not write."""
    t.write("p.fsa", fsa := "fsa 1\nletters a\nstates p q\nstart p\np a p\nq a q\n")
    sha = hashlib.sha256(fsa.encode()).hexdigest()
    for value, changes, behind, number, code, said in ROWS_BY_HAND:
        t.write("p.lrnn", net := BY_HAND.format(fsa=sha, value=value))
        row = dict(x.split("=") for x in [*PLAIN.split(","), *changes.split()])
        row = ",".join(f"{k}={v}" for k, v in row.items()) + behind
        of = hashlib.sha256(net.encode()).hexdigest()
        claim = CLAIM.format(fsa=sha, network=of, row=row, number=number)
        t.write("p.cert", sealed(claim))
        out = t.check_files("p.fsa", "p.lrnn", "p.cert", rc=code)
        assert re.search(said, out), (changes, behind, out)


def test_directions_of_several_heads_are_refused(t):
    """An engine norms each head by itself, so that a total of one length decides nothing."""
    t.write("p.fsa", fsa := "fsa 1\nletters a\nstates p q\nstart p\np a p\nq a q\n")
    sha = hashlib.sha256(fsa.encode()).hexdigest()
    net = BY_HAND.format(fsa=sha, value=1).replace("heads 1", "heads 2")
    (head,) = re.findall("(?ms)^head 1.*(?=^code 1)", net)
    net = net.replace(head, head + head.replace("head 1", "head 2"))
    t.write("p.lrnn", net := re.sub(r"(?m)^(code .*) (1\.1:\S+)$", r"\1 \2 ; \2", net))
    of = hashlib.sha256(net.encode()).hexdigest()
    for decoder, rc, said in (
        ("nearest", 0, "s VERIFIED float .* decoder nearest"),
        ("linear", 2, "decode=linear in a layer of several heads, each with its own norm"),
    ):
        row = PLAIN.replace("decode=nearest", f"decode={decoder}")
        claim = CLAIM.format(fsa=sha, network=of, row=row, number="1 1")
        claim = claim.replace("heads 1", "heads 2").replace("numbers 1 rows", "numbers 2 rows")
        t.write("p.cert", sealed(claim))
        assert re.search(said, out := t.check_files("p.fsa", "p.lrnn", "p.cert", rc=rc)), out
    args = ("round", "p.lrnn", "--fsa", "p.fsa", "--formats", "bf16", "--schedule")
    t.tool(*args, "serving")
    said = t.tool(*args, "serving,decode=linear", rc=2)
    assert "layer 1 has 2 heads, and each head has a norm of its own in engines" in said, said


def test_a_layer_of_codes_of_different_lengths_has_no_certificate_of_directions(t):
    """The register's codes are 0 and e_1: decode=linear is refused by the checker, and in a claim
    of decode=nearest that is changed."""
    t.write("last.fsa", "letters a b\nstates x y\nstart x\nx a x\nx b y\ny a x\ny b y\n")
    t.tool("last.fsa", "--out", "last.lrnn", "--quiet")
    args = ("--formats", "bf16", "--schedule", "serving", "--letters", "0")
    t.tool("round", "last.lrnn", *args, "--certificates", "c")
    (file,) = files(t, "c")
    text = (t.folder / "c" / file).read_text()
    assert text.count("decode=nearest") == 1, text
    names = ("last.lrnn/automaton.fsa", "last.lrnn/network.lrnn")
    t.check_files(*names, f"c/{file}")
    t.write("wrong.cert", sealed(text.replace("decode=nearest", "decode=linear")))
    said = t.check_files(*names, "wrong.cert", rc=2)
    assert "codes have different lengths, or are 0" in said, said


def test_a_scale_in_fp32_is_a_row_of_its_own(t):
    """Of the states 11 and -11 amax:fp32 keeps both, and amax neither."""
    t.tool(t.examples() / "parity.fsa", "--out", "p.lrnn", "--quiet")
    path = t.folder / "p.lrnn" / "network.lrnn"
    text = path.read_text().replace("1.1:1\n", "1.1:11\n").replace("1.1:-1\n", "1.1:-11\n")
    path.write_text(text)
    (t.folder / "p.lrnn" / "certificate.cert").unlink()
    for i, (scale, other, states, how) in enumerate(
        (("amax:fp32", "amax", 2, "nothing rounds"), ("amax", "amax:fp32", 11, "closure"))
    ):
        entry = found(t, "p.lrnn", f"serving,state=int8,scale={scale}")
        assert [entry[k] for k in ("verdict", "joint_states", "how")] == ["VERIFIED", states, how]
        row = f"serving,state=int8,scale={scale}"
        args = ("--formats", "bf16", "--schedule", row, "--letters", "0")
        t.tool("round", "p.lrnn", *args, "--certificates", f"c{i}")
        (file,) = files(t, f"c{i}")
        names = ("p.lrnn/automaton.fsa", "p.lrnn/network.lrnn")
        t.check_files(*names, f"c{i}/{file}")
        text = (t.folder / f"c{i}" / file).read_text()
        assert text.count(f",scale={scale},") == 1, text[:400]
        t.write("wrong.cert", sealed(text.replace(f",scale={scale},", f",scale={other},")))
        t.check_files(*names, "wrong.cert", rc=1)


def test_a_scaled_number_that_is_infinite_in_fp32_is_lost(t):
    """1 / 2^-128 is infinite: it is not cut off to the largest number."""
    name = network(t)
    row = "serving,state=fp32,scale=amax,quotient=divide"
    for formats in ("fp32", "e5m2"):
        args = ("--format", formats, "--schedule", row, "--certificates", "c")
        t.tool("round", name, *args, rc=1)
    assert files(t, "c") == [], files(t, "c")


def test_a_scale_in_bf16_closes_and_modulo_powers_of_two_growth_is_proved(t):
    naive = network(t, "--keys", "naive")
    entry = found(t, naive, "serving,state=int8,scale=amax:bf16")
    assert (entry["verdict"], entry["joint_states"]) == ("VERIFIED", 120), entry
    entry = found(t, naive, "serving,state=int8,scale=amax", rc=2)
    assert "modulo powers of two: limit of 3000 joint states" in entry["reason"], entry
    t.tool(t.examples() / "cyclic5.fsa", "--out", "z5.lrnn", "--quiet")
    entry = found(t, "z5.lrnn", "serving,state=e5m2,scale=amax:bf16", rc=1)
    assert (entry["verdict"], entry["how"]) == ("REFUTED", "growth"), entry
    assert entry["wrong_after"] == len(entry["witness"]["word"]) == 16210, entry["wrong_after"]
    assert entry["reason"] is None and len(entry["observed"]) == 0, entry


def test_fields_of_engines_decide(t):
    name = network(t)
    for schedule in (
        "serving,sum=blocks:4:2,fuse=both",
        "serving,sum=lanes:32,gate=late",
        "serving,sum=butterfly,gate=folded",
        "serving,state=int8:stochastic,scale=pow2,draw=floor:16,clamp=full",
        "serving,state=int8,scale=pow2,block=tensor,output=fp16",
        "serving,state=e4m3,scale=mx,block=group:2,residual=load:int4,residual-scale=pow2",
        "serving,norm-in=format,norm=rsqrt,eps=1e-6,raw=16",
    ):
        entry = found(t, name, schedule)
        assert (entry["verdict"], entry["how"]) == EXACT, (schedule, entry)
    entry = found(t, name, "serving,state=e2m1,scale=amax:e4m3,block=group:16")
    assert (entry["verdict"], entry["joint_states"]) == ("VERIFIED", 120), entry
    drawn = "serving,state=int8:stochastic,scale=pow2,draw=floor:24"
    assert found(t, name, drawn, rc=1)["verdict"] == "REFUTED"
    text = t.tool("round", "--schedule", "help")
    assert "draw=: any, top:B, bottom:B or floor:B\n    random bits of" in text, text


PAIRS = "recurrent,state=int8:stochastic,scale=static:1,draw=top:1,pair=reversed,block="


def test_wrong_schedules(t):
    name = network(t)
    for schedule, message in (
        ("serving,scale=max", "expected none, amax, pow2, mx"),
        ("serving,state=int8,scale=amax:int8", "expected none, amax, pow2, mx, amax:F"),
        ("serving,state=int8,scale=pow2:bf16", "expected none, amax, pow2, mx, amax:F"),
        ("serving,skale=amax", "expected a setting: sum"),
        ("chunk64,sum=left", "expected a setting: decode, norm, norm-in, squares"),
        ("every,letters=0", "expected a number of letters from 1 to 4096"),
        ("serving,state=int8,scale=amax,residual=load:int4", "column 31: a residual in integers"),
        ("serving,gate=folded,operands=tf32", "column 9: gate=folded is not for operands"),
        ("serving,state=int8,scale=pow2,quotient=two", "column 31: quotient is for scale=amax"),
        ("serving,state=e2m1,clamp=full", "column 20: clamp=full is for states in integers"),
        ("serving,state=bf16:stochastic,draw=floor:16", "column 31: draw=floor is for states in"),
        ("serving,state=int8,draw=top:16", "column 20: draw is for a state that is stored with"),
        ("serving,norm-in=format", "column 9: norm-in is for keys that are normalised"),
        ("serving,sum=lanes:3", "expected left, halves, butterfly, lanes:W or blocks:M"),
        ("serving,eps=1e-60", "column 13: expected 0, or a number of fp32 from 1e-45 on"),
        (f"serving,eps=0.{'0' * 40}1", "in at most 31 decimal digits"),
        (PAIRS + "group:3", "column 59: pair=reversed needs an even group: pairs are the rows"),
        (PAIRS + "tile:2", "column 59: pairs are numbers of a row: block is row or group"),
        ("store64,state=fp32", "column 1: letters is for a state that is rounded"),
        ("store64,letters=64,state=fp32", "column 9: letters is for a state that is rounded"),
        ("store64,letters=2,state=fp32", "column 9: letters is for a state that is rounded"),
        ("state8,scale=none,block=head", "column 19: block is for scales"),
        (
            "serving,state=e2m1,scale=amax:e4m3,second=head,block=tensor",
            "a second scale is one for a head: block=tensor is not for it",
        ),
        ("every,beta=logit,state=bf16", "column 7: beta is for operations in fp32"),
        ("every,decay=fp32", "column 7: decay is for operations in fp32"),
        ("every,keys=fp32", "column 7: keys is for keys that are normalised: eps is missing"),
    ):
        t.tool("round", name, "--schedule", schedule, rc=64, err=message)
    entry = found(t, name, "every,scale=amax", rc=2)
    assert "for operations in fp32" in entry["reason"], entry
    # The format is not named: rows that do not apply are left out, but not all of them.
    report = t.tool("round", name, "--schedule", "every,scale=amax", "--json", rc=2)
    rows = json.loads(report)["formats"]
    assert [r["verdict"] for r in rows] == 5 * ["UNKNOWN"], rows
    assert all("for operations in fp32" in r["reason"] for r in rows), rows


MINE = """engine 1
name mine
source local
note power of two for each row
row serving
state int8
scale pow2
"""


def test_engines_are_rows_with_a_source(t):
    name = network(t)
    text = t.tool("round", "--engine", "help")
    assert "vllm-packed/bf16\n  row     recurrent,sum=blocks:4,state=bf16,read=unst" in text, text
    assert "vllm-replay64/bf16\n  row     recurrent,state=bf16,letters=64,ring=format" in text, text
    assert "read on 2026-" in text, text
    report = json.loads(t.tool("round", name, "--engine", "vllm-packed/bf16", "--json"))
    (entry,) = report["formats"]
    assert (entry["format"], entry["how"]) == ("bf16", "nothing rounds"), entry
    assert report["engine"] == "vllm-packed/bf16" and "@03c20345" in report["engine_source"]
    assert report["engine_equals"] is None, report["engine_equals"]
    # With eps outside the root the preset takes raw keys of length 32; with 16 they are rounded.
    report = json.loads(t.tool("round", name, "--engine", "trtllm-triton/bf16", "--json"))
    assert report["formats"][0]["how"] == "nothing rounds", report["formats"]
    entry = found(t, name, "recurrent,norm=outside,eps=1e-6,raw=16", rc=2)
    assert entry["how"] != "nothing rounds", entry
    for engine, message in (
        ("vllm-packed", "vllm-packed has the states fp32 bf16 fp16; name one"),
        ("vllm-packed/int8", "has no such state"),
        ("vllm/bf16", "there is no engine of this name"),
    ):
        t.tool("round", name, "--engine", engine, rc=64, err=message)
    t.tool("round", name, "--engine", "fla", "--schedule", "every", rc=64, err="exclude each other")


def test_an_engine_of_a_file(t):
    name = network(t)
    t.write("mine.engine", MINE)
    for engine in ("mine.engine", "./mine.engine", "mine.engine/int8"):
        text = t.tool("round", name, "--engine", engine)
        assert "engine     mine/int8: a file of yours; power of two for each row\n" in text, text
        assert "serving,state=int8,scale=pow2" in text and "nothing rounds" in text, text
    t.write("bad.engine", MINE + "skale amax\n")
    t.tool("round", name, "--engine", "./bad.engine", rc=65, err="bad.engine:8:1: ")
    every = "engine 1\nname mine\nsource local\nrow every\nstate bf16\n"
    for line, message in (
        ("beta logit", "bad.engine:6:1: error: `beta`: beta is for operations in fp32"),
        ("decay fp32", "bad.engine:6:1: error: `decay`: decay is for operations in fp32"),
        ("ring bf16", "bad.engine:6:1: error: `ring`: a ring is for operations in fp32"),
        ("prefill", "bad.engine:6:8: error: `prefill`: its value is missing"),
        ("note " + 160 * "a", "bad.engine:6:6: error: `note`: expected a value of at most 159"),
    ):
        t.write("bad.engine", every + line + "\n")
        t.tool("round", name, "--engine", "./bad.engine", rc=65, err=message)
    t.write("bad.engine", every.replace("every", "store64").replace("bf16", "fp32"))
    message = "bad.engine:4:1: error: `row`: letters is for a state that is rounded"
    t.tool("round", name, "--engine", "./bad.engine", rc=65, err=message)
    t.write("none.engine", every.replace("bf16", "fp32"))
    text = t.tool("round", name, "--engine", "./none.engine", rc=2)
    assert "the state's format has values that bf16 has not" in text, text
    (t.folder / "none.engine").unlink()
    t.tool("round", name, "--engine", "./none.engine", rc=74, err="none.engine")


COPY = """fsa 1
letters a b c
states 00 01 10 11
start 00
00 a 00
00 b 00
00 c 10
01 a 00
01 b 01
01 c 11
10 a 11
10 b 00
10 c 10
11 a 11
11 b 01
11 c 11
"""
BOTH = """lrnn 2
fsa {}
field Q
label states
letters 3
letter a
letter b
letter c
labels 4
symbol 00
symbol 01
symbol 10
symbol 11
start 1
layers 1
layer 1 letters 3 heads 1 codes 4 symbols 4 decode state
head 1 key 2 value 1
initial
on 1 gate 1 factors 1
factor 1 u 1:2 2:-1
on 2 gate 1 factors 1
factor 1 u 2:1
on 3 gate 1 factors 1
factor 1 u 2:1 c 1:1
code 1 1
code 2 2 1.1:1/2
code 3 3 2.1:1
code 4 4 1.1:1/2 2.1:1
end
"""


def test_a_verdict_names_its_decoder(t):
    """The states of this network equal its codes for one letter only, and are nearest to the right
    ones for ever: boxes are found that prove it, and `certify` writes them."""
    t.write("copy.fsa", COPY)
    t.write("copy.lrnn", BOTH.format(hashlib.sha256(COPY.encode()).hexdigest()))
    args = ("copy.lrnn", "--fsa", "copy.fsa", "--format", "e4m3", "--schedule", "every")
    text = t.tool("round", *args)
    assert "VERIFIED for all words by the nearest code (closure of 4 joint states in" in text, text
    assert "\ne4m3      every     nearest  VERIFIED " in text, text
    report = json.loads(t.tool("round", *args, "--json"))
    assert report["exact"]["decoder"] == "nearest", report["exact"]
    assert report["formats"][0]["decoder"] == "nearest", report["formats"]
    t.tool("round", *args, "--certificates", "d")
    line = t.check_files("copy.fsa", "copy.lrnn", "d/e4m3.every.cert")
    assert re.search(r" schedule every decoder nearest fsa [0-9a-f]{64} network ", line), line
    t.tool("certify", "copy.fsa", "copy.lrnn", "-o", "out", out="lines `box`, which the given one")
    line = t.check_files("out/automaton.fsa", "out/network.lrnn", "out/certificate.cert")
    assert " rows 4 with boxes fsa " in line, line


def test_states_of_engines_fail_at_the_letters_that_are_known(t):
    exact, naive = network(t), network(t, "--keys", "naive")
    for name, schedule, first in (
        (naive, "serving,state=fp16", 1276),
        (exact, "serving,state=int8:stochastic,scale=amax", 281),
        (naive, "serving,state=int8:stochastic,scale=amax", 27),
        (naive, "serving,state=int8,scale=amax,residual=feedback:fp16", 807),
        (exact, "serving,state=int8,scale=amax,residual=feedback:fp16", 4839),
        (exact, "serving,state=e4m3,scale=amax", 3252),
        (naive, "store64", 2880),
    ):
        args = ("--schedule", schedule, "--limit", "1000", "--letters", "9000", "--json")
        (entry,) = json.loads(t.tool("round", name, "--format", "bf16", *args, rc=1))["formats"]
        assert (entry["verdict"], entry["wrong_after"]) == ("REFUTED", first), (schedule, entry)
    for name, schedule, how in (
        (exact, "serving,state=int8,scale=pow2", "nothing rounds"),
        (naive, "serving,state=int8,scale=pow2", "closure"),
        (exact, "serving,state=fp16", "nothing rounds"),
        (exact, "store64", "nothing rounds"),
    ):
        entry = found(t, name, schedule)
        assert (entry["verdict"], entry["how"]) == ("VERIFIED", how), (schedule, entry)
        assert entry["joint_states"] in (120, None), (schedule, entry)
    entry = found(t, naive, "serving,state=int8,scale=amax", rc=2)
    assert entry["verdict"] == "UNKNOWN", entry


def test_codes_of_one_length_fail_by_directions_where_they_fail_by_distances(t):
    name = network(t)
    for decoder in ("nearest", "linear"):
        schedule = f"serving,state=int8,scale=amax,decode={decoder}"
        args = ("--schedule", schedule, "--limit", "1000", "--letters", "30000", "--json")
        (entry,) = json.loads(t.tool("round", name, "--format", "bf16", *args, rc=1))["formats"]
        wrong = [o["wrong_at"] for o in entry["observed"]]
        assert (entry["decoder"], wrong) == (decoder, [29779, None, None]), entry


LAST = "fsa 1\nletters a b\nstates A B\nstart A\nA a A\nA b B\nB a A\nB b B\n"
RESETS = """lrnn 2
fsa {}
field Q
label states
letters 2
letter a
letter b
labels 2
symbol A
symbol B
start 1
layers 1
layer 1 letters 2 heads 1 codes 2 symbols 2 decode state
head 1 key 2 value 1
initial 1.1:{one}
on 1 gate 0 factors 0 bias 1.1:{one}
on 2 gate 0 factors 0 bias 1.1:16 2.1:{two}
code 1 1 1.1:{one}
code 2 2 1.1:16 2.1:{two}
end
"""


def test_directions_and_distances_give_other_labels(t):
    """17 becomes 16 in e4m3, so that (17, 0) is nearer to (16, 1/2), but keeps its direction."""
    t.write("last.fsa", LAST)
    sha = hashlib.sha256(LAST.encode()).hexdigest()
    t.write("last.lrnn", RESETS.format(sha, one="17", two="1/2"))
    args = ("--fsa", "last.fsa", "--format", "e4m3", "--json", "--schedule")
    (entry,) = json.loads(t.tool("round", "last.lrnn", *args, "every", rc=1))["formats"]
    assert (entry["decoder"], len(entry["witness"]["word"])) == ("nearest", 1), entry
    for schedule in ("every,decode=linear", "recurrent,state=e4m3,decode=linear"):
        (entry,) = json.loads(t.tool("round", "last.lrnn", *args, schedule))["formats"]
        assert (entry["decoder"], entry["verdict"]) == ("linear", "VERIFIED"), entry
    t.write("along.lrnn", RESETS.format(sha, one="17", two="0").replace(" 2.1:0", ""))
    out = t.tool("round", "along.lrnn", *args, "every,decode=linear", rc=2)
    assert "codes 1 and 2 of layer 1 have one direction" in out, out


def verdict(t, net, numbers):
    """Returns (VERIFIED, how) or (REFUTED, the length of the shortest wrong word)."""
    out = t.tool("round", net, "--format", numbers, "--schedule", "every", "--json", rc=(0, 1))
    (f,) = json.loads(out)["formats"]
    return (f["verdict"], len(f["witness"]["word"]) if f["verdict"] == "REFUTED" else f["how"])


def compiled(t, name, *options):
    net = "-".join([name.removesuffix(".fsa"), *(o.strip("-") for o in options)])
    t.tool(name, "-o", net, "--quiet", *options)
    return net


def family(t, name, *kind):
    t.new(name, *kind)
    return name


def test_fp8_needs_room_for_the_codes(t):
    net = compiled(t, family(t, "s6.fsa", "symmetric", "6", "--generators"))
    assert verdict(t, net, "e4m3") == EXACT
    assert verdict(t, net, "e5m2") == ("REFUTED", 5)


def test_levels_in_doubled_coordinates(t):
    for n in ("4", "5"):
        name = family(t, f"t{n}.fsa", "transformations", n)
        plain, gated = compiled(t, name), compiled(t, name, "--gated")
        for net in (plain, gated):
            assert verdict(t, net, "p=2,emin=-2,emax=1,subnormals=no") == EXACT
            assert verdict(t, net, "p=2,emin=-2,emax=0,subnormals=no") == ("REFUTED", 1)
        # Only resets by pairs of projections need 1/4.
        assert verdict(t, plain, "p=6,emin=-1,emax=5,subnormals=no") == ("REFUTED", 5)
        assert verdict(t, gated, "p=2,emin=-1,emax=1,subnormals=no") == EXACT


def test_register_scalar_meets_4(t):
    net = compiled(
        t,
        t.write("two.fsa", "start 1\n1 a 2\n2 a 3\n3 a 3\n1 b 3\n2 b 2\n3 b 3\n"),
        "--cascade",
        "holonomy",
    )
    assert verdict(t, net, "p=2,emin=-1,emax=2,subnormals=no") == EXACT
    assert verdict(t, net, "p=2,emin=-1,emax=1,subnormals=no") == ("REFUTED", 1)


def test_levels_in_root_systems(t):
    t.write("p7.fsa", "points 7\ntrack points 1\npermute c (1 2 3 4 5 6 7)\npermute w (1 2)\n")
    t.new("bit.fsa", "flipflop")
    net = compiled(t, family(t, "both.fsa", "product", "p7.fsa", "bit.fsa"), "--gated")
    assert verdict(t, net, "p=6,emin=-1,emax=4,subnormals=no") == EXACT
    assert verdict(t, net, "e5m2") == ("REFUTED", 32)


def test_register_of_letters(t):
    net = compiled(t, family(t, "last2.fsa", "definite", "2"))
    assert verdict(t, net, "p=2,emin=-1,emax=1,subnormals=no") == EXACT
    assert verdict(t, net, "p=8,emin=0,emax=3,subnormals=no") == ("REFUTED", 2)


def test_register_of_129_classes(t):
    edges = [f"s{q} a{a} s{a}\n" for q in range(129) for a in range(129)]
    net = compiled(t, t.write("last.fsa", "start s0\n" + "".join(edges)))
    assert verdict(t, net, "p=8,emin=0,emax=7,subnormals=no") == EXACT
    assert verdict(t, net, "p=8,emin=-1,emax=6,subnormals=no") == ("REFUTED", 1)
