"""The programs of the package, and the functions that they do: facts as their option --json prints
them (docs/json.md)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Sequence, Union

from . import choices
from ._native import LIBRARY_FILE, error_of, lib
from .automaton import Automaton, handle_of
from .choices import ExportTarget
from .errors import ArgumentError, Cancelled, Error, NotFoundError, UnknownError, file_name, files
from .grammar import quote
from .network import Letter, Network
from .task import Task

Facts = dict[str, Any]
#: A network, or the path of a folder that the program or `Network.save` wrote.
Source = Union[Network, str, "os.PathLike[str]"]

_STATUS = {  # exit statuses of the program
    64: lib.FSA2LRNN_EINVAL,
    65: lib.FSA2LRNN_EFORMAT,
    69: lib.FSA2LRNN_EDOMAIN,
    71: lib.FSA2LRNN_ENOMEM,
    73: lib.FSA2LRNN_EEXIST,
    74: lib.FSA2LRNN_EIO,
}
_SAID = re.compile(r"fsa2lrnn: (?:(?P<file>.*?)(?::(?P<line>\d+)(?::(?P<column>\d+))?)?: )?error: ")


def program(name: str = "fsa2lrnn") -> Path:
    """Returns the path of a program: the one beside the library of this package, else in PATH.

    >>> program("lrnn-check").name
    'lrnn-check'
    """
    if not isinstance(name, str) or not re.fullmatch(r"[\w.-]*\w", name):
        raise ArgumentError(f"name must be the name of a program, not {name!r}")
    folder = LIBRARY_FILE.resolve().parent
    for place in (folder, folder.parent / "bin", folder.parent.parent / "bin"):
        if (place / name).is_file() and os.access(place / name, os.X_OK):
            return place / name
    found = shutil.which(name)
    if not found:
        raise NotFoundError(f"the program {name} is neither in {folder} nor in PATH")
    return Path(found)


def run_program(argv: Sequence[str], folder: str, text: str, task: Task | None) -> Facts:
    """Runs fsa2lrnn in a folder, with a text as its input; returns the facts that it prints."""
    task = task or Task()
    limits = [("time-limit", task.seconds), ("memory", task.memory), ("jobs", task.threads)]
    given = [f"--{name}={value}" for name, value in limits if value]
    with files():
        child = subprocess.Popen(
            [str(program()), argv[0], "--json", "--quiet", *given, *argv[1:]],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    with child:
        try:
            out, said = _outputs(child, text.encode("utf-8", "surrogateescape"), argv[0], task)
        except BaseException:
            child.terminate()
            raise
    if child.returncode in (0, 1, 2) and out:
        facts: Facts = json.loads(out)
        return facts
    raise _error(child.returncode, said.decode("utf-8", "replace"))


def _outputs(
    child: subprocess.Popen[bytes], text: bytes, phase: str, task: Task
) -> tuple[bytes, bytes]:
    """Returns what the child writes, and calls the progress function at its beginning, so that also
    short work can be stopped, and while it runs."""
    wait = 0.0 if task.progress else None
    first: bytes | None = text
    while True:
        try:
            return child.communicate(first, wait)
        except subprocess.TimeoutExpired:
            first, wait = None, 0.1
        if task.progress:
            try:
                task.progress(phase, 0, 0)
            except Cancelled:
                raise UnknownError("cancelled") from None


def _error(status: int, said: str) -> Error:
    """Returns the error of a run: the last line that says one, and where."""
    lines = [line for line in said.splitlines() if _SAID.match(line)]
    if status < 0 or not lines:
        ended = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return UnknownError(f"the program {ended}" + (f": {said.strip()}" if said.strip() else ""))
    found = _SAID.match(lines[-1])
    assert found
    file = found["file"] if found["file"] not in (None, "stdin") else ""
    text = (f"{file}: " if file else "") + lines[-1][found.end() :]
    place = int(found["line"] or 0), int(found["column"] or 0)
    return error_of(_STATUS.get(status, lib.FSA2LRNN_UNKNOWN), text, *place)


def _options(**values: object) -> list[str]:
    """Returns options of the command line; None and False are left out."""
    given = {name.replace("_", "-"): value for name, value in values.items()}
    return [
        f"--{name}" if value is True else f"--{name}={value}"
        for name, value in given.items()
        if value is not None and value is not False
    ]


def _number(name: str, value: object, least: int = 1) -> int | None:
    return None if value is None else choices.whole(name, value, least)


def _absolute(name: object, what: str) -> str | None:
    return None if name is None else os.path.abspath(file_name(name, what))


@contextmanager
def _at_work(sources: Iterable[Source] = ()) -> Iterator[tuple[str, list[str]]]:
    """Gives a folder for one call and the paths of the sources: a network is saved there, and a
    path is one already."""
    with tempfile.TemporaryDirectory(prefix="fsa2lrnn-") as folder:
        paths: list[str] = []
        for i, source in enumerate(sources):
            if isinstance(source, Network):
                paths.append("network" if i == 0 else f"network-{i + 1}")
                source.save(Path(folder, paths[-1]))
            else:
                paths.append(str(_absolute(source, "the network")))
                with files():
                    os.stat(paths[-1])
        yield folder, paths


# --- automata ---


def group(
    a: Automaton,
    *,
    elements: bool = False,
    kernel: int | None = None,
    max_order: int | None = None,
    certificate: str | os.PathLike[str] | None = None,
    task: Task | None = None,
) -> Facts:
    """Returns the facts of the group that the letters of a permutation automaton generate: name,
    order, classes, characters, representations, and the fewest Householder factors a letter.

    elements: all elements of the group are letters. kernel: most elements of a cover's kernel
    (4). max_order: most elements of the group (400,000). certificate: a file to write with a proof
    that fewer factors do not suffice, for the program rep-check.

    >>> from fsa2lrnn import from_table
    >>> facts = group(from_table([[1, 1], [2, 0], [0, 2]]))
    >>> facts["structure"]["name"], facts["structure"]["order"]
    ('S_3', 6)
    """
    handle_of(a)
    argv = _options(
        elements=bool(elements),
        kernel=_number("kernel", kernel, 0),
        max_order=_number("max_order", max_order),
        certificate=_absolute(certificate, "certificate"),
    )
    with _at_work() as (folder, _):
        return run_program(["group", "-", *argv], folder, a.text, task)


# --- networks ---


def obstruct(
    network: Source,
    *,
    word: Iterable[Letter] | None = None,
    prefix: Iterable[Letter] | None = None,
    formats: choices.Names = None,
    format: str | None = None,
    schedule: str | None = None,
    products: int | None = None,
    most_products: int | None = None,
    limit: int | None = None,
    certificate: str | os.PathLike[str] | None = None,
    task: Task | None = None,
) -> Facts:
    """Returns the facts of what a network cannot do at any length: the eigenvalues of its letters,
    the theorems T1 and T2 that apply, and runs on a word again and again until they recur.

    network: a Network, or the path of a network's or a training run's folder, or of weights
    (.safetensors). word, prefix: letters, by names or numbers; None: a word that turns labels in a
    cycle. formats, format, schedule: of the arithmetic of the runs. products: eigenvalues of
    products of up to this many letters. certificate: a file to write with a proof for lrnn-check
    that the network is wrong.

    >>> from fsa2lrnn import compile, regex
    >>> facts = obstruct(compile(regex("(aa)*"), label="accept"))
    >>> [m["spectrum"] for head in facts["spectra"] for m in head["matrices"]]
    ['real']
    """
    argv = _options(
        word=_word(network, word),
        prefix=_word(network, prefix),
        formats=None if formats is None else choices.names("formats", formats),
        format=format,
        schedule=schedule,
        products=_number("products", products),
        most_products=_number("most_products", most_products),
        limit=_number("limit", limit),
        certificate=_absolute(certificate, "certificate"),
    )
    with _at_work([network]) as (folder, paths):
        return run_program(["obstruct", *paths, *argv], folder, "", task)


def _word(network: Source, word: Iterable[Letter] | None) -> str | None:
    """Returns a word as the program reads it: quoted names with blanks between them."""
    if word is None:
        return None
    if isinstance(network, Network):
        word = [network.letters[i] for i in network.encode(word)]
    return " ".join(quote(str(letter)) for letter in word)


def export(
    network: Source,
    target: ExportTarget,
    folder: str | os.PathLike[str],
    *,
    dtype: str | None = None,
    limit: int | None = None,
    force: bool = False,
    task: Task | None = None,
) -> Facts:
    """Writes a network as a new folder that other programs run, whole or not at all, with a README
    that says how. Returns the facts of its export.json: which ways to run it are exact, and why.

    target: "npz" (NumPy), "pytorch", "onnx", "fla-deltanet", "fla-gated-deltaproduct" and
    "olmo-hybrid" (language models), "coq" (a theorem). dtype: type of the numbers ("float32", ..);
    None: the narrowest in which nothing rounds. limit: most bytes of all files. force: replace a
    folder that is an export.

    >>> import tempfile
    >>> from fsa2lrnn import compile, regex
    >>> with tempfile.TemporaryDirectory() as there:
    ...     facts = export(compile(regex("(aa)*"), label="accept"), "npz", there + "/net")
    >>> [file["name"] for file in facts["files"]], facts["claims"][0]["claimed_exact"]
    (['tensors.npz', 'README.md'], True)
    """
    choices.one_of("target", target, ExportTarget)
    argv = _options(
        to=target,
        out=os.path.abspath(file_name(folder, "folder")),
        dtype=dtype,
        limit=_number("limit", limit),
        force=bool(force),
    )
    with _at_work([network]) as (at, paths):
        return run_program(["export", *paths, *argv], at, "", task)


@dataclass(frozen=True)
class Page:
    """A report, which a notebook shows."""

    html: str = ""  #: one file that needs no network
    markdown: str = ""

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the page; a path that ends in `.md` gets the Markdown. ExistsError for a file that
        is there, unless `force`."""
        name = file_name(path, "path")
        text = self.markdown if name.endswith(".md") else self.html
        with files(), open(name, "w" if force else "x", encoding="utf-8") as file:
            file.write(text)

    def __repr__(self) -> str:
        title = self.markdown.split("\n# ", 1)[-1].split("\n", 1)[0]
        return f"<Page: {title}>"

    def _repr_html_(self) -> str:
        style = "width:100%;height:40em;border:1px solid #8888"
        return f"<iframe style='{style}' srcdoc='{escape(self.html)}'></iframe>"


def report(*networks: Source, task: Task | None = None) -> Page:
    """Draws the page of networks or of the folders of training runs: verdicts with their scope, the
    automaton, the matrices of the letters with their eigenvalues, the number formats.

    >>> from fsa2lrnn import compile, regex
    >>> page = report(compile(regex("(aa)*", name="even"), label="accept"))
    >>> page
    <Page: even: constructed network>
    >>> "VERIFIED" in page.html
    True
    """
    if not networks:
        raise ArgumentError("report needs a network or a folder")
    with _at_work(networks) as (folder, paths):
        run_program(["report", *paths, "--out=page.html"], folder, "", task)
        html, markdown = (Path(folder, f"page.{end}").read_text("utf-8") for end in ("html", "md"))
    return Page(html, markdown)
