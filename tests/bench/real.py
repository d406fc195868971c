"""Automata that the main job must not stall on: those of tests/data/real, and random ones from recorded seeds."""
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data" / "real"
OPTIONS = {"abab_star.dot": ["--sink"], "modarith5_simple.att": ["--numeric"],
           "mqtt_session.fsa": ["--label", "accept"],
           "random30.att": ["--symbols", str(DATA / "random30.syms")]}
REFUSED = {"aalpy_mealy6.dot"}  # a Mealy machine
SEEDS = range(1, 51)


def inputs():
    """(name, arguments of the tool) of every file that can be compiled."""
    for path in sorted(DATA.iterdir()):
        if path.suffix in (".fsa", ".att", ".dot") and path.name not in REFUSED:
            yield path.name, [str(path), *OPTIONS.get(path.name, [])]


def family(seed):
    """Arguments of `fsa2lrnn new`: 20 to 40 states, 2 to 4 letters."""
    return ["random", str(20 + 8 * seed % 21), str(2 + seed % 3), str(seed)]
