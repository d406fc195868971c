"""Finite automata to exact linear recurrent networks, with proofs.

>>> import fsa2lrnn as f
>>> a = f.parse("start even\\naccept odd\\neven 0 even\\neven 1 odd\\nodd 0 odd\\nodd 1 even")
>>> net = f.compile(a)
>>> print(net.verify("bf16"))
bf16 every, nearest code: VERIFIED (nothing rounds)
>>> net.run(["1", "0", "1"])
['odd', 'odd', 'even']

`read`, `parse`, `regex`, `from_table`, `from_aalpy` and `from_automata_lib` make
an Automaton; `compile` and `load` a Network, with its weights as NumPy arrays in `layers`;
`export` and `report` write it for other programs and for people;
`fsa2lrnn.torch.Network` is the same as a module of PyTorch. The package is docs/python.md.
"""

import sys

if sys.version_info < (3, 9):  # an old pip installs a wheel that it should not
    raise ImportError("fsa2lrnn needs Python 3.9 or later, and this is " + sys.version.split()[0])

from ._native import version
from .automaton import Automaton, Table, choose, classify, equivalent, parse, read, regex
from .compiling import compile
from .convert import from_aalpy, from_automata_lib, to_aalpy, to_automata_lib, to_networkx
from .errors import (
    ArgumentError,
    Cancelled,
    DeniedError,
    DomainError,
    Error,
    ExistsError,
    FileError,
    FormatError,
    NoMemoryError,
    NotFoundError,
    UnknownError,
)
from .network import Network, Run, check, load
from .programs import Page, export, group, obstruct, program, report
from .tables import from_table
from .task import Task
from .verdict import Verdict
from .weights import Head, Layer

__version__ = version()
#: `run(net, word)`, `verify(net, "bf16")` and `certify(net, automaton)` are `net.run(word)`,
#: `net.verify("bf16")` and `net.certify(automaton)`.
run, verify, certify = Network.run, Network.verify, Network.certify

#: `from fsa2lrnn import *` leaves out `compile`, which would hide Python's own.
__all__ = [
    "ArgumentError",
    "Automaton",
    "Cancelled",
    "DeniedError",
    "DomainError",
    "Error",
    "ExistsError",
    "FileError",
    "FormatError",
    "Head",
    "Layer",
    "Network",
    "NoMemoryError",
    "NotFoundError",
    "Page",
    "Run",
    "Table",
    "Task",
    "UnknownError",
    "Verdict",
    "certify",
    "check",
    "choose",
    "classify",
    "equivalent",
    "export",
    "from_aalpy",
    "from_automata_lib",
    "from_table",
    "group",
    "load",
    "obstruct",
    "parse",
    "program",
    "read",
    "regex",
    "report",
    "run",
    "to_aalpy",
    "to_automata_lib",
    "to_networkx",
    "verify",
]
