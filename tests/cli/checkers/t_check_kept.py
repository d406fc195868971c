"""Certificates of closures whose rows keep more than a state: the sums of a ring, the errors of
residual=feedback, the letters since the last store. Each is accepted, its line names the whole row,
and what is changed in it is refused for the reason that is named here."""

import re

from harness import sealed

# The network, and the row.
ROWS = {
    "ring": ("s3", "recurrent,state=bf16,letters=3,ring=format,read=unstored"),
    "narrow": ("z3", "serving,state=int8,letters=2,ring=e4m3,scale=pow2"),
    "waits": ("s3", "every,state=e4m3,letters=2"),
    "error": ("z3", "serving,state=int4,scale=amax:bf16,block=head,residual=feedback:int4,"
              "residual-scale=amax"),
    "scaled": ("z3", "serving,state=e2m1,scale=amax:e4m3,block=group:1,second=head,"
               "residual=feedback:int8,residual-scale=pow2"),
    "late": ("z3", "serving,state=e4m3,letters=2,residual=feedback:bf16"),
}


def certificates(t):
    """Returns the certificates' texts, after they were accepted."""
    out = {}
    t.write("z3.fsa", t.tool("new", "cyclic", "3", "--generators"))
    for net, source in (("s3", t.examples() / "s3.fsa"), ("z3", "z3.fsa")):
        t.tool(source, "--keys", "naive", "--out", net, "--quiet", "--formats", "bf16")
    for name, (net, row) in ROWS.items():
        args = ("--formats", "bf16", "--schedule", row, "--letters", "0", "--limit", "5000")
        t.tool("round", net, *args, "--certificates", name, out="VERIFIED .* closure of")
        (path,) = (t.folder / name).iterdir()
        out[name] = path.read_text()
        said = t.check_certificate(net, f"{name}/{path.name}")
        line = next(x for x in out[name].splitlines() if x.startswith("schedule row "))
        assert f" {line} decoder nearest fsa " in said, said
    return out


def rows_of(text):
    return [x.split() for x in text.splitlines() if x.startswith("row ")]


def changed(text, row, change):
    """Returns the text with another row `row`, counted from 0; change gets its words."""
    lines = text.splitlines(keepends=True)
    at = next(i for i, x in enumerate(lines) if x.startswith("row ")) + row
    words = lines[at].split()
    change(words)
    lines[at] = " ".join(words) + "\n"
    return "".join(lines)


def put(word, place, value):
    """Returns a change of the word that comes so many places behind the named one."""

    def change(words):
        at = words.index(word) + place
        assert words[at] != value, words
        words[at] = value

    return change


def without(word, count):
    def change(words):
        at = words.index(word)
        del words[at : at + count]

    return change


def place_of(text, word, wanted):
    """Returns a row of the certificate, and a number behind the word there that is so."""
    for i, words in enumerate(rows_of(text)):
        at = words.index(word)
        for k in range(1, 4):
            if wanted(words[at + k]):
                return i, k, words[at + k]
    raise AssertionError(f"no such number behind {word}")


MOVES = "goes to another state"
# A setting of each row, another value, and what the checker says of it; or None where that row has
# the same joint states: after each third letter the ring is a code in bf16 and e4m3.
SETTINGS = (
    ("ring", "letters=3", "letters=2", "expected a number from 0 to 1"),
    ("ring", "letters=3", "letters=4", "letter 1: 3 letters since the store"),
    ("ring", "letters=3", "letters=1", "a ring has letters"),
    ("ring", "ring=format", "ring=none", "expected ` since `"),
    ("ring", "ring=format", "ring=e4m3", MOVES),
    ("ring", "state=bf16", "state=e4m3", None),
    ("ring", "fuse=update", "fuse=none", None),
    ("ring", "read=unstored", "read=stored", "a ring has letters and read=unstored"),
    ("narrow", "ring=e4m3", "ring=format", MOVES),
    ("narrow", "scale=pow2", "scale=amax", MOVES),
    ("waits", "letters=2", "letters=1", "expected ` next`"),
    ("waits", "letters=2", "letters=3", "letter 1: 2 letters since the store"),
    ("waits", "state=e4m3", "state=e5m2", None),
    ("waits", "residual=none", "residual=feedback", "need operations in fp32"),
    ("error", "residual=feedback:int4", "residual=feedback:int8", MOVES),
    ("error", "residual=feedback:int4", "residual=load:int4", "expected ` next`"),
    ("error", "residual=feedback:int4", "residual=none", "residual-scale is for residuals"),
    ("error", "residual-scale=amax", "residual-scale=pow2", MOVES),
    ("error", "residual-scale=amax", "residual-scale=none", "has a scale"),
    ("error", "block=head", "block=row", None),
    ("error", "letters=1", "letters=2", "expected ` since `"),
    ("error", "state=int4", "state=int4:stochastic", "not for what draws and keeps more"),
    ("error", "prefill=none", "prefill=unstored", "random bits, prompts and chunk64"),
    ("scaled", "residual-scale=pow2", "residual-scale=amax", MOVES),
    ("scaled", "second=head", "second=none", "first row is not the start"),
    ("scaled", "block=group:1", "block=head", MOVES),
    ("late", "residual=feedback:bf16", "residual=feedback:e4m3", MOVES),
    ("late", "residual=feedback:bf16", "residual=feedback", MOVES),
    ("late", "residual=feedback:bf16", "residual=none", "expected ` since `"),
)


def refused(t, name, text, said, *what):
    """Checks that the row's certificate is refused with these words, or accepted for None."""
    net = ROWS[name][0]
    t.write("wrong.cert", sealed(text))
    names = (f"{net}/automaton.fsa", f"{net}/network.lrnn", "wrong.cert")
    out = t.check_files(*names, rc=1 if said else 0)
    assert (said or "") in out, (name, what, said, out)


def test_other_settings_are_other_rows(t):
    good = certificates(t)
    for name, old, new, said in SETTINGS:
        (line,) = re.findall("(?m)^schedule row .*$", good[name])
        assert f",{old}," in line, (name, old, line)
        text = good[name].replace(line, line.replace(f",{old},", f",{new},"))
        refused(t, name, text, said, new)


def test_what_a_row_keeps_is_a_part_of_it(t):
    good = certificates(t)
    for name, text in good.items():
        last = len(rows_of(text)) - 1
        beside, counts = " beside " in text, " since " in text
        parts = ["numbers", *(["beside"] if beside else [])]
        for word in parts:
            for row, k in ((0, 3), (last, 1)):
                said = MOVES if row else "first row is not the start"
                refused(t, name, changed(text, row, put(word, k, "3p-7")), said, word, row)
        if beside:
            row, k, value = place_of(text, "beside", lambda x: x != "0")
            opposite = value[1:] if value[0] == "-" else f"-{value}"
            for change, said in (
                (put("beside", k, opposite), MOVES),
                (put("beside", k, "0"), MOVES),
                (without("beside", 4), "expected ` beside`"),
                (without(value, 1), "expected a binary number"),
                (put("beside", k, "1p-200"), "not a number of the format"),
            ):
                refused(t, name, changed(text, row, change), said)
        if counts:
            since = [int(words[words.index("since") + 1]) for words in rows_of(text)]
            row = since.index(1)
            for where, change, said in (
                (row, put("since", 1, "0"), "letters since the store"),
                (0, put("since", 1, "1"), "first row is not the start"),
                (row, put("since", 1, str(max(since) + 1)), "expected a number from"),
                (row, without("since", 2), "expected ` since `"),
            ):
                refused(t, name, changed(text, where, change), said)


def test_a_row_that_was_left_out_is_missed(t):
    """Rows that are alike but for what they keep are not one row."""
    good = certificates(t)
    for name in ("ring", "waits", "late"):
        rows, size = rows_of(good[name]), len(rows_of(good[name]))
        at = rows[0].index("next")
        # Row 1 leads to itself by letter 1, where one letter since the store is taken for none.
        assert rows[0][at + 1] != "1"
        said = "letter 1: 1 letters since the store"
        refused(t, name, changed(good[name], 0, put("next", 1, "1")), said)
        fewer = re.sub(f"(?m)^row {size} .*\n", "", good[name])
        fewer = fewer.replace(f" rows {size}\n", f" rows {size - 1}\n")
        fewer = fewer.replace(f"\nend {size}\n", f"\nend {size - 1}\n")
        refused(t, name, fewer, "expected a number from 1")


def test_such_a_row_has_no_refutation(t):
    good = certificates(t)
    for name, text in good.items():
        wrong = text.replace("\nclaim float\n", "\nclaim refuted\n")
        refused(t, name, wrong, "this claim is not for rings, feedback and letters")
    args = ("obstruct", "s3", "--format", "bf16", "--schedule", ROWS["ring"][1])
    t.tool(*args, "--certificate", "c", rc=(0, 1, 2, 65), err="no certificate")
    assert not (t.folder / "c").exists()
