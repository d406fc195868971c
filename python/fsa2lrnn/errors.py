"""What the functions of this package raise."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Any, Callable, Iterator


class Error(Exception):
    """An error of the library. `line` and `column` count from 1, the column in bytes; 0: no
    place."""

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{line}:{column}: {text}" if line else text)
        self.text, self.line, self.column = text, line, column

    def __reduce__(self) -> tuple[Callable[..., Error], tuple[Any, ...]]:
        return type(self), (self.text, self.line, self.column)


class FormatError(Error, ValueError):
    """Malformed input; `line` and `column` say where."""


class DomainError(Error, ValueError):
    """Well-formed input that no construction, number format or schedule serves."""


class ArgumentError(Error, ValueError):
    """An argument is out of range, of the wrong type or shape, or not a name that is known."""


class UnknownError(Error):
    """A limit was reached, or the work was cancelled, before there was any result."""


class FileError(Error, OSError):
    """The system refused to read or write. `errno` and `filename` are those of OSError, where the
    system said them."""

    def __init__(self, text: str, line: int = 0, column: int = 0, *, cause: Any = None) -> None:
        super().__init__(text, line, column)
        if cause is not None:
            self.errno, self.strerror, self.filename = cause.errno, cause.strerror, cause.filename

    def __reduce__(self) -> tuple[Callable[..., Error], tuple[Any, ...]]:
        system = None if self.errno is None else OSError(self.errno, self.strerror, self.filename)
        return _again, (type(self), self.text, system)


class NotFoundError(FileError, FileNotFoundError):
    """A file, folder or program is missing."""


class ExistsError(FileError, FileExistsError):
    """An output exists already, or cannot be made."""


class DeniedError(FileError, PermissionError):
    """The system does not permit reading or writing."""


class NoMemoryError(Error, MemoryError):
    """There is not enough memory."""


class Cancelled(Exception):
    """Raised by a progress function, it ends the work as a limit does: nothing is lost, and what
    is not decided is UNKNOWN. Any other exception comes out of the call."""


def _again(kind: type[FileError], text: str, cause: OSError | None) -> FileError:
    return kind(text, cause=cause)


def of_system(error: OSError) -> FileError:
    """Returns the error of this package for one of the system."""
    kinds: list[tuple[type[OSError], type[FileError]]] = [
        (FileNotFoundError, NotFoundError),
        (FileExistsError, ExistsError),
        (PermissionError, DeniedError),
    ]
    kind = next((ours for theirs, ours in kinds if isinstance(error, theirs)), FileError)
    return kind(str(error), cause=error)


@contextmanager
def files() -> Iterator[None]:
    """Raises the system's errors as errors of this package."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise of_system(error) from None


def file_name(name: object, what: str) -> str:
    """Returns a path as text; ArgumentError for what is no path."""
    if isinstance(name, (str, bytes, os.PathLike)):
        text = os.fsdecode(name)
        if text and "\0" not in text:
            return text
    raise ArgumentError(f"{what} is {name!r}: a path is needed")
