"""The library libfsa2lrnn-kernels.so.0: its structures as bytes, and its errors.

Structures are packed by `struct` and passed as bytes, which costs a tenth of filling the fields of
an object of ctypes or cffi. tests/kernels compares their layout with the header."""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from pathlib import Path
from typing import Any

from ._errors import ArgumentError, DeviceError, DomainError, KernelError, NoMemoryError

VERSION = "0.2.0"  # of include/fsa2lrnn_kernels.h
NAMED = "FSA2LRNN_KERNELS_LIB"
HERE = Path(__file__).resolve().parent
CUDA, CPU = 0, 1

ARRAY = "P" + "3q"
DELTA = struct.Struct("@N4i7q3i2fPiq2iPq")  # fsa2lrnn_delta_product
DELTA_IN = struct.Struct("@N" + 5 * ARRAY + "P")
DELTA_OUT = struct.Struct("@N" + ARRAY + "P")
DELTA_GRAD = struct.Struct("@N" + ARRAY + "P" + 5 * ARRAY + "P")
NO_ARRAY = (0, 0, 0, 0)
# The same with the strides of each array as bytes.
ROWS = "P" + "24s"
STRIDES = struct.Struct("@3q")
DELTA_IN_ROWS = struct.Struct("@N" + 5 * ROWS + "P")
DELTA_OUT_ROWS = struct.Struct("@N" + ROWS + "P")
DELTA_GRAD_ROWS = struct.Struct("@N" + ROWS + "P" + 5 * ROWS + "P")

_RAISES: dict[int, type[KernelError]] = {
    3: DomainError,
    5: DeviceError,
    7: NoMemoryError,
    8: ArgumentError,
}


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 512)]


class _Local(threading.local):
    """The error of a thread, so that no call makes one."""

    def __init__(self) -> None:
        self.error = _Error()
        self.address = ctypes.addressof(self.error)


_local = _Local()


def _find() -> Path:
    named = os.environ.get(NAMED)
    library = Path(named) if named else HERE / "lib" / "libfsa2lrnn-kernels.so.0"
    if library.is_file():
        return library
    where = f"{NAMED} is {named}, and" if named else "this is not an installed wheel:"
    raise ImportError(
        f"{where} there is no libfsa2lrnn-kernels.so.0. Install the wheel fsa2lrnn-kernels, or set "
        f"{NAMED} to a library that `make kernels` built"
    )


def _load() -> tuple[ctypes.CDLL, Path]:
    file = _find()
    try:
        library = ctypes.CDLL(str(file))
        library.fsa2lrnn_kernels_version.restype = ctypes.c_char_p
        version = library.fsa2lrnn_kernels_version().decode()
    except (OSError, AttributeError) as error:
        raise ImportError(f"{file} cannot be loaded: {error}") from error
    if version != VERSION:
        raise ImportError(f"{file} is version {version}, and this package is for {VERSION}")
    return library, file


lib, LIBRARY_FILE = _load()


def function(name: str, arguments: int) -> Any:
    """Returns a function all of whose arguments are pointers or sizes; the last is the error."""
    found = getattr(lib, f"fsa2lrnn_{name}")
    found.argtypes = [ctypes.c_void_p] * arguments
    found.restype = ctypes.c_int
    return found


def call(what: Any, *arguments: Any) -> None:
    """Calls a function of the library; raises what it reports."""
    if what(*arguments, _local.address):
        raise _error_of(_local.error)


def _error_of(error: _Error) -> KernelError:
    text = error.text.decode("utf-8", "replace")
    kind = _RAISES.get(error.status, KernelError)
    if kind is DeviceError:
        text += "; the operators also run on tensors of the CPU"
    return kind(text)


def sizes(what: Any, count: int, p: bytes) -> tuple[int, ...]:
    """Returns the numbers of bytes that a function of a shape computes."""
    found = (ctypes.c_size_t * count)()
    at, step = ctypes.addressof(found), ctypes.sizeof(ctypes.c_size_t)
    call(what, *range(at, at + count * step, step), p)
    return tuple(found)


_BYTES = function("delta_product_bytes", 5)
_PATH = function("delta_product_path", 4)


def delta_bytes(p: bytes) -> tuple[int, ...]:
    """Returns the bytes of what forward keeps, of its workspace and of backward's."""
    return sizes(_BYTES, 3, p)


def delta_path(p: bytes) -> str:
    """Returns which path the library takes for a shape, and why."""
    text = ctypes.create_string_buffer(512)
    call(_PATH, ctypes.addressof(text), len(text), p)
    return text.value.decode()


delta_forward = function("delta_product_forward", 7)
delta_backward = function("delta_product_backward", 7)
delta_step = function("delta_product_step", 6)
