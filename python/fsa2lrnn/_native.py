"""The library libfsa2lrnn.so: its functions as include/fsa2lrnn.h declares them, and its errors."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Callable

from . import errors
from .speech import in_python

try:
    from cffi import FFI
except ImportError as error:
    raise ImportError("fsa2lrnn needs the package cffi (Debian: python3-cffi)") from error

HERE = Path(__file__).resolve().parent
LIBRARY = "FSA2LRNN_LIBRARY"


def _find() -> tuple[Path, Path]:
    """Returns the library and its header: those of the wheel, or what FSA2LRNN_LIBRARY names, whose
    header is beside it, where `make install` puts it, or in this source tree."""
    named = os.environ.get(LIBRARY)
    library = Path(named) if named else HERE / "lib" / "libfsa2lrnn.so"
    folders = [library.parent, library.parent.parent / "include", HERE.parent.parent / "include"]
    for header in (folder / "fsa2lrnn.h" for folder in folders):
        if library.is_file() and header.is_file():
            return library, header
    where = f"{LIBRARY} is {named}, and" if named else "this is not an installed wheel:"
    raise ImportError(
        f"{where} there is no libfsa2lrnn.so with its header there. Install the wheel (`make "
        f"wheel` writes dist/fsa2lrnn-*.whl), or set {LIBRARY} to a library that `make lib` built"
    )


def declarations(header: str) -> str:
    """Returns what cffi reads: the header without comments and directives, but with the numbers
    that it defines."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"^#ifdef __cplusplus.*?^#endif$", "", text, flags=re.S | re.M)
    lines = text.splitlines()
    return "\n".join(
        line for line in lines if line[:1] != "#" or re.match(r"#define \w+ \d+$", line)
    )


def _load() -> tuple[Any, Any, Path]:
    library, header = _find()
    text = header.read_text(encoding="utf-8")
    ffi: Any = FFI()
    ffi.cdef(declarations(text))
    try:
        lib = ffi.dlopen(str(library))
        version = ffi.string(lib.fsa2lrnn_version()).decode()
    except (OSError, AttributeError) as error:
        raise ImportError(f"{library} cannot be loaded: {error}") from error
    if f'#define FSA2LRNN_VERSION "{version}"' not in text:
        raise ImportError(f"{library} is version {version}, and {header} is not")
    return ffi, lib, library


ffi, lib, LIBRARY_FILE = _load()
NONE: int = 2 ** (8 * ffi.sizeof("size_t")) - 1  # FSA2LRNN_NONE
_RAISES: dict[int, type[errors.Error]] = {
    lib.FSA2LRNN_UNKNOWN: errors.UnknownError,
    lib.FSA2LRNN_EDOMAIN: errors.DomainError,
    lib.FSA2LRNN_EFORMAT: errors.FormatError,
    lib.FSA2LRNN_EIO: errors.FileError,
    lib.FSA2LRNN_EEXIST: errors.ExistsError,
    lib.FSA2LRNN_ENOMEM: errors.NoMemoryError,
    lib.FSA2LRNN_EINVAL: errors.ArgumentError,
}


def string(text: Any) -> str:
    """Returns a C text that is not NULL."""
    return bytes(ffi.string(text)).decode("utf-8", "replace")


def text_or_none(text: Any) -> str | None:
    """Returns a C text, None for NULL."""
    return None if text == ffi.NULL else string(text)


def argument(text: str | None, what: str) -> Any:
    """Returns the C text of an argument, NULL for None."""
    if text is None:
        return ffi.NULL
    if not isinstance(text, str):
        raise errors.ArgumentError(f"{what} is {type(text).__name__}, not a text")
    raw = text.encode("utf-8", "surrogateescape")
    if b"\0" in raw:
        raise errors.ArgumentError(f"{what} has a NUL byte")
    return ffi.new("char[]", raw)


def path(name: str | os.PathLike[str], what: str) -> Any:
    """Returns the C text of a path."""
    return argument(errors.file_name(name, what), what)


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function whose last parameter is the error; raises what it reports."""
    err = ffi.new("fsa2lrnn_error *")
    status = function(*arguments, err)
    if status:
        raise error_of(status, string(err.text), err.line, err.column)


def error_of(status: int, text: str, line: int = 0, column: int = 0) -> errors.Error:
    """Returns the error of a status of the library."""
    return _RAISES.get(status, errors.Error)(in_python(text), line, column)


def take_bytes(pointer: Any, size: int) -> bytes:
    """Returns the bytes, which the library allocated, and frees them."""
    try:
        return bytes(ffi.buffer(pointer, size))
    finally:
        lib.fsa2lrnn_bytes_free(pointer)


def version() -> str:
    return string(lib.fsa2lrnn_version())
