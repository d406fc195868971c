"""The automata that the tests and benches of the search share: files of tests/data/real, and random
ones."""

from pathlib import Path

REAL = Path(__file__).resolve().parent / "data/real"
SYMBOLS = ("--symbols", str(REAL / "random30.syms"))

# file, options, states and letters as the program reads it with them
READ = [
    ("bits4.fsa", (), 16, 8),
    ("bits6.fsa", (), 64, 12),
    ("bits8.fsa", (), 256, 16),
    ("parity_x_bit.fsa", (), 4, 3),
    ("counter5x5.fsa", (), 36, 4),
    ("flipflop_language.fsa", (), 13, 5),
    ("flipflop_language.fsa", ("--label", "accept"), 13, 5),
    ("json_depth4.fsa", (), 123, 11),
    ("json_depth4.fsa", ("--label", "accept"), 123, 11),
    ("mqtt_session.fsa", (), 264, 20),
    ("mqtt_session.fsa", ("--label", "accept"), 264, 20),
    ("tcp_endpoint.fsa", (), 11, 11),
    ("utf8_validator.fsa", (), 9, 256),
    ("modarith5_simple.att", ("--numeric",), 51, 8),
    ("random30.att", SYMBOLS, 28, 4),
    ("abab_star.dot", (), 3, 2),
    ("aalpy_mealy6.dot", ("--label", "edges"), 6, 2),
]

# file, options, exit status, words of the message
REFUSED = [
    ("aalpy_mealy6.dot", ("--label", "outputs"), 69, "the automaton has no outputs"),
    ("modarith5_simple.att", (), 65, "--numeric"),
    ("random30.att", (), 65, "--symbols"),
]

# Arguments of `fsa2lrnn new random STATES LETTERS SEED`, and the number of reachable states: 20 to
# 40, two or three of each number except the last, with 2, 3 and 4 letters in turn. STATES is the
# least number, from the reachable one on, with which this many are reached; a seed for which none
# below twice the number does was replaced by the seed 50 later.
RANDOM = [
    (26, 2, 101, 20),
    (21, 3, 2, 20),
    (21, 4, 3, 20),
    (26, 2, 54, 21),
    (21, 3, 55, 21),
    (22, 4, 6, 22),
    (31, 2, 7, 22),
    (23, 3, 108, 22),
    (23, 4, 9, 23),
    (29, 2, 10, 23),
    (25, 3, 11, 24),
    (24, 4, 12, 24),
    (28, 2, 13, 24),
    (26, 3, 14, 25),
    (25, 4, 15, 25),
    (30, 2, 66, 26),
    (27, 3, 17, 26),
    (26, 4, 18, 26),
    (34, 2, 169, 27),
    (27, 3, 20, 27),
    (29, 4, 21, 28),
    (37, 2, 22, 28),
    (31, 3, 23, 28),
    (29, 4, 24, 29),
    (36, 2, 25, 29),
    (31, 3, 26, 30),
    (30, 4, 27, 30),
    (40, 2, 28, 31),
    (33, 3, 29, 31),
    (31, 4, 30, 31),
    (35, 2, 31, 32),
    (34, 3, 32, 32),
    (34, 4, 83, 33),
    (41, 2, 134, 33),
    (35, 3, 35, 33),
    (34, 4, 86, 34),
    (48, 2, 37, 34),
    (35, 3, 38, 35),
    (35, 4, 39, 35),
    (44, 2, 90, 35),
    (39, 3, 41, 36),
    (37, 4, 92, 36),
    (44, 2, 43, 37),
    (37, 3, 44, 37),
    (37, 4, 45, 37),
    (57, 2, 46, 38),
    (39, 3, 97, 38),
    (39, 4, 48, 39),
    (50, 2, 49, 39),
    (41, 3, 100, 40),
]


def figures(construction):
    """Returns layers, factors per token and state numbers of the network that a report's
    `construction` describes.

    The factors are the report's for a cascade; otherwise every head counts with the most of its
    layer."""
    rows = construction["per_layer"]
    factors = (construction.get("cascade") or {}).get("factors_per_token")
    if factors is None:
        factors = sum(row["heads"] * row["householders"] for row in rows)
    return construction["layers"], factors, sum(row["state_numbers"] for row in rows)
