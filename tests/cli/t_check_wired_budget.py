"""Budgets of lrnn-check-wired: small wired networks that need unbounded work end as UNKNOWN, soon
and within 1 GiB."""

import triples
from t_check_budget import measured, unknown, verified

FSA = "fsa 1\nletters x\nstates a\nstart a\na x a\n"
FACE = "label states\nletters 1\nletter x\nlabels 1\nsymbol a\nstart 1\n"


def write(t, folder, network, certificate):
    """Writes a triple as triples.write does, for a wired network of one letter and one label."""
    network = f"lrnn-wired 2\nfsa {triples.sha256(FSA)}\n{FACE}{network}end\n"
    body = (
        f"lrnn-certificate 2\nfsa {triples.sha256(FSA)}\nnetwork"
        f" {triples.sha256(network)}\n{certificate}"
    )
    texts = FSA, network, f"{body}sha256 {triples.sha256(body)}\n"
    return [t.write(f"{folder}/{name}", text) for name, text in zip(triples.FILES, texts)]


def wide(t, folder, key, stages):
    """Makes stages that share a block with one head, which stays 0."""
    network = (
        f"tables 0\nblocks 1\nblock 1 inputs 1\npre 0\nheads 1\nhead 1 key {key} value 1 slots"
        f" 1\nslot 1 wire 1\non 1 gate 1 factors 0\nreadouts 1\nreadout 1 head 1 rows 1 {key} codes"
        f" 1\ncode 1\npost 0\noutputs 1\nstages {stages}\n"
        + "".join(f"stage {l + 1} block 1\ninitial\n" for l in range(stages))
    )
    return write(
        t,
        folder,
        network,
        f"claim exact\nsize layers {stages} heads 1 householders 0 key {key} value 1\nletters 1"
        f" states 1 rows 1\nrow 1 state 1 codes{' 1' * stages} next 1\nend 1\n",
    )


def test_wide_heads(t):
    unknown(t, wide(t, "wide", 1 << 26, 1), why="memory")
    unknown(t, wide(t, "stages", 1 << 20, 1000), why="steps")
    verified(t, wide(t, "narrow", 1 << 16, 3))


def d1_certificate(clock=1, block=1, elements=1):
    return (
        "claim d1\nsize layers 2 heads 1 householders 0 key 1 value 1\nletters 1 states 1 classes"
        f" 1 clock {clock} block {block} elements {elements}\nclass 1\nlike 1\ncount 0 codes"
        " 1\ncount 1 codes 1\ncount 2 codes 1\nwords 0 elements 1\nwords 1 elements 1\nelement 1"
        " acts 1\ncode 1 means 1\nstep 1 1 to 1\nend 1\n"
    )


def many_codes(t, folder, count, certificate):
    """Makes three stages; the last one has as many codes as values of its slot."""
    idle = (
        "\npre 0\nheads 1\nhead 1 key 1 value 1 slots 1\nslot 1 wire 1\non 1 gate 1 factors 0\n"
        "readouts 1\nreadout 1 head 1 rows 1 1 codes 1\ncode 1\npost 0\noutputs 1\n"
    )
    network = (
        f"tables 1\ntable 1 inputs 1 values {count} entries 1\nblocks 3\nblock 1 inputs"
        f" 1{idle}block 2 inputs 1{idle}block 3 inputs 1\npre 1\ngate 1 1\nheads 1\nhead 1 key 1"
        " value 1 slots 1\nslot 1 wire 2\n"
        + "".join(f"on {v} gate 1 factors 0\n" for v in range(1, count + 1))
        + f"readouts 1\nreadout 1 head 1 rows 1 1 codes {count}\n"
        + "".join(f"code {c} 1.1:{c}\n" for c in range(1, count + 1))
        + "post 0\noutputs 1\nstages 3\n"
        "stage 1 block 1\ninitial\nstage 2 block 2\ninitial\nstage 3 block 3\ninitial 1.1:1\n"
    )
    return write(t, folder, network, certificate)


def test_codes_times_values(t):
    """A number for each code and each value would take 1.6 GB."""
    unknown(t, many_codes(t, "many", 20000, d1_certificate()), why="memory")


def test_numbers_of_a_certificate(t):
    """No number of a certificate causes more work than the files' size allows."""
    for numbers in (
        {},
        {"clock": 4000000000},
        {"block": 4000000000},
        {"block": 100},
        {"elements": 4000000000},
        {"elements": 400},
    ):
        status, out, err = measured(
            t, t.checker, *many_codes(t, "few", 3, d1_certificate(**numbers))
        )
        assert (status, out) == (1, "s NOT VERIFIED\n"), (numbers, status, out, err)
