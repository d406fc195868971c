"""Limits and progress of long work."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional

from ._native import ffi, string
from .errors import ArgumentError, Cancelled


@dataclass(frozen=True)
class Task:
    """Limits of one call and its progress function; 0 limits nothing.

    `progress(phase, done, total)` is called now and then with the name of a phase and how much of
    it is done (total 0: not known). An exception from it ends the work and comes out of the call;
    `Cancelled` ends it as a limit does. Ctrl-C works without one, as soon as the library polls.

    >>> Task(seconds=60, threads=2)
    Task(seconds=60, memory=0, threads=2, effort=0, progress=None)
    """

    seconds: float = 0  #: of wall time
    memory: int = 0  #: bytes of search tables
    threads: int = 0  #: 0: one
    effort: int = 0  #: millions of counted steps, the same on every machine; 0: the usual effort
    progress: Optional[Callable[[str, float, float], object]] = None

    def __post_init__(self) -> None:
        for field in ("seconds", "memory", "threads", "effort"):
            if not 0 <= getattr(self, field) < 2**31 * (2**31 if field == "memory" else 1):
                raise ArgumentError(f"{field} is {getattr(self, field)}: not a limit")


@contextmanager
def running(task: Task | None) -> Iterator[Any]:
    """Gives the C task; an exception that the progress function raised comes out at the end."""
    task = task or Task()
    raised: list[BaseException] = []

    def keep(kind: Any, error: BaseException, trace: Any) -> None:
        raised.append(error)

    def progress(context: Any, phase: Any, done: float, total: float) -> int:
        if task.progress:
            task.progress(string(phase), done, total)
        return 0

    function = ffi.callback("int(void *, const char *, double, double)", progress, 1, keep)
    c = ffi.new("fsa2lrnn_task *")
    c.progress, c.context = function, ffi.NULL
    c.seconds, c.memory, c.threads, c.effort = task.seconds, task.memory, task.threads, task.effort
    try:
        yield c
    except Exception:
        if not raised or isinstance(raised[0], Cancelled):
            raise
    if raised and not isinstance(raised[0], Cancelled):
        raise raised[0]
