"""Triples of files written by hand, with all hashes right, for tests that do not need the
compiler."""

import hashlib

FILES = "automaton.fsa", "network.lrnn", "certificate.cert"
PARITY = "fsa 1\nletters x y\nstates a b\nstart a\na x b\na y a\nb x a\nb y b\n"
ROWS = (
    "letters 2 states 2 rows 2\nrow 1 state 1 codes 1 next 2 1\nrow 2 state 2 codes 2 next 1"
    " 2\nend 2\n"
)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def write(t, folder, fsa, network, certificate, wired=False):
    """Writes the three files, the last two without their lines of hashes, and returns their
    names."""
    network = f"lrnn{'-wired' if wired else ''} 2\nfsa {sha256(fsa)}\n{network}"
    body = f"lrnn-certificate 2\nfsa {sha256(fsa)}\nnetwork {sha256(network)}\n{certificate}"
    texts = fsa, network, f"{body}sha256 {sha256(body)}\n"
    return [t.write(f"{folder}/{name}", text) for name, text in zip(FILES, texts)]


def layer(letters, symbols, head, turns, codes, decode="state"):
    return (
        f"letters {letters} heads 1 codes {len(codes)} symbols {symbols} decode {decode}\n{head}"
        + "".join(f"on {x} {turn}\n" for x, turn in enumerate(turns, 1))
        + "".join(codes)
    )


def parity(t, folder, lines="", one="1", boxes="", rows=ROWS):
    """Writes a head that x reflects and y leaves; `lines` come after its dimensions, and its states
    are `one` and its negative."""
    codes = [f"code {i} {i} 1.1:{v}\n" for i, v in ((1, one), (2, one.replace("1", "-1")))]
    network = (
        "field Q\nlabel states\nletters 2\nletter x\nletter y\nlabels 2\nsymbol a\nsymbol b\nstart"
        " 1\nlayers 1\nlayer 1 "
        + layer(
            2,
            2,
            f"head 1 key 1 value 1\n{lines}initial 1.1:{one}\n",
            ["gate 1 factors 1\nfactor 2 u 1:1", "gate 1 factors 0"],
            codes,
        )
        + boxes
        + "end\n"
    )
    return write(
        t,
        folder,
        PARITY,
        network,
        f"claim exact\nsize layers 1 heads 1 householders 1 key 1 value 1\n{rows}",
    )


def wide(t, folder, key, layers=1, letters=1, lines="", gates=False):
    """Writes a head with one state of that many rows of zeros; with gates every letter multiplies
    all of them by another number."""
    names = [f"x{i}" for i in range(letters)]
    fsa = f"fsa 1\nletters {' '.join(names)}\nstates a\nstart a\n" + "".join(
        f"a {x} a\n" for x in names
    )
    head = f"head 1 key {key} value 1\n{lines}initial\n"
    turns = [f"gate 1/{i + 2} factors 0" if gates else "gate 1 factors 0" for i in range(letters)]
    layer_lines = ""
    for l in range(1, layers + 1):
        last = l == layers
        below = layer(
            letters,
            1 if last else letters,
            head,
            turns,
            ["code 1 1\n" if last else "code 1 *\n"],
            "state" if last else "step",
        )
        layer_lines += f"layer {l} {below}" + (
            "" if last else "".join(f"yield {x} 1 {x}\n" for x in range(1, letters + 1))
        )
    network = (
        f"field Q\nlabel states\nletters {letters}\n"
        + "".join(f"letter {x}\n" for x in names)
        + f"labels 1\nsymbol a\nstart 1\nlayers {layers}\n{layer_lines}end\n"
    )
    codes = " 1" * layers
    return write(
        t,
        folder,
        fsa,
        network,
        f"claim exact\nsize layers {layers} heads 1 householders 0 key {key} value 1\nletters"
        f" {letters} states 1 rows 1\nrow 1 state 1 codes{codes} next{' 1' * letters}\nend 1\n",
    )
