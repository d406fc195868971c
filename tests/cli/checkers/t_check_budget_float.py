"""Budgets of lrnn-check-float and lrnn-check-unrounded: small files that need unbounded work end as
UNKNOWN, or soon."""

import triples
from t_check_budget import measured, unknown, verified

BF16 = (
    "format precision 8 emin -126 emax 127 largest 255p120 subnormals yes overflow infinity round"
    " nearest"
)
FP64 = (
    "format precision 53 emin -1022 emax 1023 largest 9007199254740991p971 subnormals yes overflow"
    " infinity round nearest"
)
WIDEST = (
    "format precision 53 emin -16384 emax 16384 largest 9007199254740991p16332 subnormals yes"
    " overflow infinity round nearest"
)
ODD = 9007199254740991


def one_state(letters):
    return f"fsa 1\nletters {' '.join(letters)}\nstates a\nstart a\n" + "".join(
        f"a {x} a\n" for x in letters
    )


def network_of_one_state(letters, body):
    return (
        "field Q\nlabel states\n"
        + f"letters {len(letters)}\n"
        + "".join(f"letter {x}\n" for x in letters)
        + f"labels 1\nsymbol a\nstart 1\nlayers 1\nlayer 1 {body}end\n"
    )


def soon(t, files):
    """Checks that there is a verdict or UNKNOWN within the limits of measured()."""
    status, out, err = measured(t, t.checker, *files)
    assert status in (0, 2), (status, out, err)
    return status


def wired(t, folder, blocks, readouts, values, lines, gated=False):
    """Makes one head with as many rows as readouts, all of which every value changes, by a key or a
    gate; each readout is 0 or 1."""
    letters = [f"x{i}" for i in range(values)]
    network = (
        "label states\n"
        + f"letters {values}\n"
        + "".join(f"letter {x}\n" for x in letters)
        + "labels 1\nsymbol a\nstart 1\ntables 1\ntable 1 inputs values 1 entries 1\n"
        + f"blocks {blocks}\n"
    )
    turn = "factors 1\nfactor 0 u" + "".join(f" {r}:1" for r in range(1, readouts + 1))
    turn = "gate 1/2 factors 0" if gated else f"gate 1 {turn}"
    for b in range(1, blocks + 1):
        network += (
            f"block {b} inputs {values}\npre 0\nheads 1\nhead 1 key {readouts} value 1 slots"
            " 1\nslot 1 wire 1\n"
        )
        network += (
            "".join(f"on {x} {turn}\n" for x in range(1, values + 1)) + f"readouts {readouts}\n"
        )
        network += "".join(
            f"readout {r} head 1 rows {r} {r} codes 2\ncode 1\ncode 2 1.1:1\n"
            for r in range(1, readouts + 1)
        )
        last = b == blocks
        network += (
            "post 1\ngate 1\noutputs " + str(2 + readouts) if last else "post 0\noutputs 1"
        ) + "\n"
    network += (
        f"stages {blocks}\n"
        + "".join(f"stage {b} block {b}\ninitial\n" for b in range(1, blocks + 1))
        + "end\n"
    )
    ones = " 1" * (readouts * blocks)
    certificate = (
        f"claim exact\n{lines}size layers {blocks} heads 1 householders {0 if gated else 1} key"
        f" {readouts} value 1\nletters {values} states 1 rows 1\nrow 1 state 1 codes{ones}"
        f" next{' 1' * values}\nend 1\n"
    )
    return triples.write(t, folder, one_state(letters), network, certificate, wired=True)


def test_combinations_of_codes(t):
    """2.2 kB have 2^20 combinations of codes, which took 11 s for one value; 64 such blocks have
    more values."""
    line = f"unrounded {BF16} schedule cast\n"
    assert sum(len(t.read(f)) for f in wired(t, "one", 1, 20, 1, line)) < 2400
    verified(t, wired(t, "small", 1, 8, 2, line))
    unknown(t, wired(t, "one", 1, 24, 1, line), why="steps")
    if not t.whole:
        return
    soon(t, wired(t, "two", 1, 20, 1, line))
    unknown(t, wired(t, "many", 64, 20, 8, line), why="steps")


def test_combinations_in_many_blocks(t):
    """A hundred kB have 64 * 30 * 2^20 combinations."""
    line = f"unrounded {BF16} schedule every\n"
    verified(t, wired(t, "small", 3, 5, 4, line, gated=True))
    if t.whole:
        unknown(t, wired(t, "many", 64, 20, 30, line, gated=True), why="steps")


def long_refutation(t, folder, form, codes, entries, rows):
    """Makes a refutation by a long word whose rows all have one state; the codes are far away, have
    many entries of 53 bits, and two of them tie."""
    body = (
        f"letters 1 heads 1 codes {codes} symbols 1 decode state\nhead 1 key {entries} value"
        " 1\ninitial" + " 1.1:1\non 1 gate 1 factors 0\n"
    )
    for c in range(1, codes + 1):
        sign = "-" if c % 2 else ""
        body += f"code {c} - 1.1:1" if c < 3 else f"code {c} 1 1.1:{2 * c + 1}"
        body += (
            "".join(
                f" {i}.1:{sign if i == 2 else ''}{ODD - 2 * (c // 2)}/{2 ** 40}"
                for i in range(2, entries + 1)
            )
            + "\n"
        )
    row = "state 1 numbers 1" + " 0" * (entries - 1)
    certificate = (
        f"claim refuted\n{form}\nschedule every\nsize layers 1 heads 1 householders 0 key {entries}"
        f" value 1\nletters 1 states 1 numbers {entries} rows {rows}\nword{' 1' * rows}\n"
        + "".join(f"row {i} {row}\n" for i in range(1, rows + 1))
        + f"back 1\nend {rows}\n"
    )
    return triples.write(
        t, folder, one_state(["x"]), network_of_one_state(["x"], body), certificate
    )


def test_codes_of_long_words(t):
    """Every row compares all codes again, because two of them are at one distance. Rows and codes
    both take bytes of the file, and the work is their product: little for a few kB, and seconds for
    a file of 400."""
    verified(t, long_refutation(t, "small", FP64, 4, 5, 3))
    soon(t, long_refutation(t, "middle", FP64, 60, 60, 200))
    if t.whole:
        soon(t, long_refutation(t, "large", FP64, 400, 30, 1500))


def one_row(t, folder, claim, lines, key, letters, codes=1, turn="gate 1 factors 0", more=""):
    """Makes a claim of one row about a head that stays in 0."""
    names = [f"x{i}" for i in range(letters)]
    body = (
        f"letters {letters} heads 1 codes {codes} symbols 1 decode state\nhead 1 key {key} value"
        " 1\ninitial\n"
        + "".join(f"on {x} {turn}\n" for x in range(1, letters + 1))
        + "code 1 1\n"
        + "".join(f"code {c} 1 1.1:{c}{more}\n" for c in range(2, codes + 1))
    )
    size = (
        f"size layers 1 heads 1 householders {'1' if 'factor ' in turn else '0'} key {key}"
        " value 1\n"
    )
    state = f"numbers{' 0' * key}" if claim == "float" else "codes 1"
    count = f"numbers {key} rows 1" if claim == "float" else "rows 1"
    certificate = (
        f"claim {claim}\n{lines}{size}letters {letters} states 1 {count}\n"
        f"row 1 state 1 {state} next{' 1' * letters}\nend 1\n"
    )
    return triples.write(
        t, folder, one_state(names), network_of_one_state(names, body), certificate
    )


def test_wide_matrices_of_cast(t):
    """A few bytes of a network give matrices of key^2 numbers."""
    lines = f"unrounded {BF16} schedule cast\n"
    verified(t, one_row(t, "small", "exact", lines, 40, 3))
    for key, letters in ((1 << 20, 1), (3000, 1), (1000, 300)):
        unknown(t, one_row(t, "wide", "exact", lines, key, letters))


def test_weights_of_many_codes(t):
    """Every code is followed by every letter, in every format."""
    lines = "".join(
        f"unrounded {FP64.replace('emin -1022', f'emin -{e}')} schedule every\n"
        for e in range(100, 140)
    )
    turn = "gate 1 factors 1\nfactor 0 u 1:1"
    count = 700 if t.whole else 300
    verified(t, one_row(t, "small", "exact", lines, 2, 3, 5, turn))
    unknown(
        t,
        one_row(
            t,
            "large",
            "exact",
            lines,
            20,
            count,
            count,
            turn,
            "".join(f" {i}.1:{ODD}" for i in range(2, 21)),
        ),
        why="steps",
    )


def test_far_exponents(t):
    """Sums of numbers whose exponents differ by thousands."""
    terms = "".join(f" {i}:1" for i in range(1, 200))
    for schedule in ("cast", "every", "fma"):
        soon(
            t,
            one_row(
                t,
                "far",
                "float",
                f"{WIDEST}\nschedule {schedule}\n",
                200,
                200,
                1,
                f"gate 1 factors 1\nfactor 1 u{terms}",
            ),
        )


def test_long_numbers_in_chunk64(t):
    """Vectors of chunk64 with long numbers, moved by many letters."""
    digits = "3" * 3000
    what = (
        "key beta value gram scaled inverse inverse-sums beta-key beta-value w w-sums u-sums new"
        " new-sums state state-sums output-sums"
    ).split()
    vectors = "".join(f"vector image 1:{digits}{i:03d} 2:{digits}{i:03d}\n" for i in range(100))
    lines = (
        f"unrounded {BF16} schedule chunk64\nset layer 1 head 1 vectors 101\nvector column"
        f" 1\n{vectors}" + "".join(f"bound layer 1 head 1 {w} places 0 most 1\n" for w in what)
    )
    files = one_row(t, "long", "exact", lines, 2, 300, 1, "gate 1 factors 1\nfactor 1 u 1:1 2:1")
    status, out, err = measured(t, t.checker, *files)
    assert status in (1, 2) and "Sanitizer" not in err, (status, out, err)
