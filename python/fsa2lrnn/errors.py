"""What the functions of this package raise."""

from __future__ import annotations


class Error(Exception):
    """An error of the library. `line` and `column` count from 1, the column in bytes; 0: no
    place."""

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{line}:{column}: {text}" if line else text)
        self.text, self.line, self.column = text, line, column


class FormatError(Error, ValueError):
    """Malformed input; `line` and `column` say where."""


class DomainError(Error, ValueError):
    """Well-formed input that no construction, number format or schedule serves."""


class ArgumentError(Error, ValueError):
    """An argument is out of range, of the wrong type or shape, or not a name that is known."""


class UnknownError(Error):
    """A limit was reached, or the work was cancelled, before there was any result."""


class FileError(Error, OSError):
    """The system refused to read or write, or an output exists already."""


class NoMemoryError(Error, MemoryError):
    """There is not enough memory."""


class Cancelled(Exception):
    """Raised by a progress function, it ends the work as a limit does: nothing is lost, and what
    is not decided is UNKNOWN. Any other exception comes out of the call."""
