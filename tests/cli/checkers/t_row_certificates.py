"""Certificates of rows of serving engines that are not a closure of one outcome or a plain row:
chunks with settings, one scale for all heads of a layer, stores that draw, and joint states of a
row that was proved level by level. Each is accepted, with all of its row in the line, and a changed
one is refused with its reason."""

import hashlib
import re

from harness import sealed


def certified(t, net, row, folder, fsa="automaton.fsa", formats="bf16", more=()):
    """Returns the names of the three files, the certificate's text, and what the checker says."""
    args = ("round", net, "--formats", formats, "--schedule", row, "--letters", "0", *more)
    t.tool(*args, "--certificates", folder)
    (file,) = (p.name for p in (t.folder / folder).iterdir())
    names = (f"{net}/{fsa}", f"{net}/network.lrnn")
    said = t.check_files(*names, f"{folder}/{file}")
    return names, (t.folder / folder / file).read_text(), said


def refuse(t, names, text, wrongs):
    """Checks that the certificate with one part changed is refused for that reason."""
    for old, new, reason in wrongs:
        changed = re.sub(old, new, text, count=1, flags=re.MULTILINE)
        assert changed != text, old
        t.write("wrong.cert", sealed(changed))
        said = t.check_files(*names, "wrong.cert", rc=1 if reason else 0)
        assert (reason or "s VERIFIED ") in said, (old, new, said)


def test_chunks_with_the_norm_of_an_engine(t):
    t.tool(t.examples() / "s5_generators.fsa", "--out", "s5", "--quiet")
    row = "chunk64,norm=quotient,squares=halves,eps=1e-6,raw=4"
    names, text, said = certified(t, "s5", row, "c", formats="fp32")
    settings = "decode=nearest,norm=quotient,norm-in=fp32,squares=halves"
    line = f"schedule chunk64,{settings} eps 4722366482869645p-72 raw 1p2"
    assert f" {line} decoder nearest fsa " in said.splitlines()[1], said
    refuse(
        t,
        names,
        text,
        (
            ("norm=quotient", "norm=outside", "a weight is rounded"),
            ("raw 1p2", "raw 1p1", "a weight is rounded"),
            ("squares=halves", "squares=lanes:2", None),
            ("decode=nearest", "decode=linear", None),
            (" eps .* raw 1p2$", "", "eps is missing"),
            (",squares=halves", "", "expected `,squares=`"),
            ("squares=halves", "squares=lanes:3", "a power of two of lanes"),
            ("decode=nearest,", "", "expected `,decode=`"),
            ("chunk64,", "chunk64,sum=left,", "expected `,decode=`"),
            ("chunk64,", "recurrent,", "expected the end of the line"),
            (r"(?<=gram places )\d+", "9", "bound 4 is another one"),
            (r"(?<=new-sums places )(.*) most \d+", r"\1 most 3", "bound 14 is another one"),
            (r"^vector image .*\n", "", "expected `vector"),
            (r"(?<=^vector back )1:", "2:", "chunk64: a set of vectors"),
        ),
    )


TWO_HEADS = """lrnn 2
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
layer 1 letters 1 heads 2 codes 2 symbols 2 decode state
head 1 key 1 value 1
initial 1.1:{x}
on 1 gate 1 factors 1
factor 2 u 1:1
head 2 key 1 value 1
initial 1.1:{y}
on 1 gate 1 factors 0
code 1 1 1.1:{x} ; 1.1:{y}
code 2 2 1.1:-{x} ; 1.1:{y}
end
"""


def two_heads(t, x, y):
    """Returns a network whose state a changes the sign of the first head's number."""
    name = f"two{y}"
    (t.folder / name).mkdir()
    t.write(f"{name}/automaton.fsa", f := "fsa 1\nletters a\nstates p q\nstart p\np a q\nq a p\n")
    sha = hashlib.sha256(f.encode()).hexdigest()
    t.write(f"{name}/network.lrnn", TWO_HEADS.format(fsa=sha, x=x, y=y))
    return name


def test_one_scale_for_all_heads_of_a_layer(t):
    """With the unit 8, the least that takes 1000 below 128, 1 becomes 0; alone it stays."""
    row = "serving,state=int8,scale=pow2,block="
    names, text, said = certified(t, two_heads(t, 1, 8), f"{row}tensor", "c0")
    assert "s VERIFIED unrounded " in said and ",block=tensor," in said, said
    refuse(t, names, text, (("block=tensor", "block=head", None),))
    names, text, said = certified(t, two_heads(t, 1, 1000), f"{row}head", "c1")
    wrong = ("block=head", "block=tensor", "a state of all heads is rounded")
    refuse(t, names, text, (wrong, ("block=head", "block=tile:7", None)))
    # 5/4 becomes 1 beside 100, whose unit is 1.
    names, text, said = certified(t, two_heads(t, "5/4", 100), f"{row}tensor", "c2")
    assert "s VERIFIED float " in said and ",block=tensor," in said, said
    assert re.search("(?m)^row 1 state 1 numbers 1 25p2 next 2$", text), text
    refuse(
        t,
        names,
        text,
        (
            ("block=tensor", "block=head", "the first row is not the start"),
            ("scale=pow2", "scale=mx", None),
            ("numbers 1 25p2", "numbers 5p-2 25p2", "the first row is not the start"),
            ("numbers -1 25p2", "numbers -1 3p5", "layer 1 goes to another state"),
            ("numbers -1 25p2", "numbers 1 25p2", "layer 1 goes to another state"),
        ),
    )


POINTS = "points 2\ntrack points 1\npermute a (1 2)\npermute b ()\n"
ENGINE = "serving,state={},norm=quotient,eps=1e-6,raw=4"


def test_states_that_are_drawn(t):
    t.write("p.fsa", POINTS)
    t.tool("p.fsa", "--keys", "naive", "--out", "p", "--quiet")
    row = ENGINE.format("bf16:stochastic")
    names, text, said = certified(t, "p", row, "c")
    assert re.search(r" rows 11 format .*,state=bf16:stochastic,.*,draw=any,", said), said
    rows = re.findall("(?m)^row .*\n", text)
    assert len(rows) == 11 and not any("next" in row for row in rows), rows
    more = "row 12 state 1 numbers 1 1\n"
    exchanged = rows[2].replace("row 3", "row 2") + rows[1].replace("row 2", "row 3")
    refuse(
        t,
        names,
        text,
        (
            # an outcome is missing: its row; or a row is no outcome
            (rf"rows 11((.|\n)*){rows[-1]}end 11", r"rows 10\1end 10", "an outcome is no row"),
            ("255p-8$", "253p-8", "an outcome is no row"),
            (rf"{rows[2]}", rows[1].replace("row 2", "row 3"), "the row is listed twice"),
            (rf"rows 11((.|\n)*)end 11", rf"rows 12\1{more}end 12", "no earlier row leads"),
            (rf"{rows[1]}{rows[2]}", exchanged, None),
            ("(?<=row 1 state )1", "2", "the first row is not the start"),
            ("(?<=row 2 state )2", "1", "an outcome is no row"),
            (r"(?<=255p-8)$", " next 1 1", "expected the end of the line"),
            ("draw=any", "draw=top:3", "not for stochastic rounding, random bits"),
            ("state=bf16:stochastic", "state=bf16", "expected ` next`"),
            ("state=bf16:stochastic", "state=tf32:stochastic", "no row has is drawn"),
            ("letters=1", "letters=2", "draws and keeps more than a state"),
            ("residual=none", "residual=feedback", "draws and keeps more than a state"),
            ("round nearest", "round stochastic", "not for stochastic rounding, random bits"),
            ("claim float", "claim refuted", "a state that is drawn has no run"),
        ),
    )
    # scaled, where a number of the format draws, too, if its quotient is none
    names, text, said = certified(t, "p", ENGINE.format("int8:stochastic,scale=amax"), "d")
    refuse(
        t,
        names,
        text,
        (
            ("scale=amax", "scale=amax:bf16", "the first row is not the start"),
            ("norm=quotient", "norm=outside", "no row has is drawn"),
            ("block=row", "block=tensor", None),
        ),
    )


LETTERS = {"p": "yzxw", "t": "yxzw", "r": "xxxx", "u": "wwww"}


def test_joint_states_of_a_proof_by_levels(t):
    """Three states that p and t move, resets r, and a state that only r leaves."""
    steps = [f"{q} {a} {to}" for a, word in LETTERS.items() for q, to in zip("xyzw", word)]
    t.write("r.fsa", "letters p t r u\nstates x y z w\nstart x\n" + "\n".join(steps) + "\n")
    t.tool("r.fsa", "--out", "r", "--quiet")
    row = "serving,state=int8,scale=amax,residual=load:int4,residual-scale=amax"
    names, text, said = certified(t, "r", row, "c")
    found = t.tool("round", "r", "--formats", "bf16", "--schedule", row, "--letters", "0")
    assert re.search(r"VERIFIED +all +- +local closure of \d+ pairs\n", found), found
    assert re.search(r"s VERIFIED float .* rows \d+ .*,residual=load:int4,", said), said
    refuse(t, names, text, (("load:int4", "load:int8", "another state"),))
    args = ("--formats", "bf16", "--schedule", row, "--letters", "0", "--limit", "100")
    out = t.tool("round", "r", *args, "--certificates", "few", rc=(0, 2), err=r"(?s).*")
    assert not list((t.folder / "few").iterdir()), out
