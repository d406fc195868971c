"""What the operators do with every tensor: types, rows, devices, streams."""

from __future__ import annotations

import math
import warnings
from typing import Any, Callable, Optional, Sequence

import torch
from torch import Tensor

from . import _library
from ._errors import ArgumentError

TYPES = {torch.float32: 0, torch.bfloat16: 1, torch.float16: 2, torch.float64: 3}
_warned: set[str] = set()


def shown(name: str, x: Any) -> str:
    """Returns 'q [2, 3, 4, 8] bfloat16', for errors."""
    if not isinstance(x, Tensor):
        return f"{name} ({type(x).__name__})"
    return f"{name} {list(x.shape)} {str(x.dtype)[6:]}"


def expect(good: Any, text: str) -> None:
    """Raises ArgumentError with the text unless `good`."""
    if not good:
        raise ArgumentError(text)


def same_device(first: str, tensors: dict[str, Optional[Tensor]]) -> None:
    """Raises unless all tensors are where the first one is."""
    where = tensors[first]
    assert where is not None
    for name, x in tensors.items():
        if x is not None and x.device != where.device:
            text = f"{shown(name, x)} is on {x.device}, and {first} on {where.device}"
            raise ArgumentError(text)


def rows(x: Tensor, name: str) -> Tensor:
    """Returns the tensor with a contiguous last dimension: a copy where it is not, which a warning
    says the first time."""
    if x.stride(-1) == 1 or x.shape[-1] == 1 or x.numel() == 0:
        return x
    if name not in _warned:
        _warned.add(name)
        warnings.warn(
            f"{shown(name, x)} has strides {list(x.stride())}: its last dimension is not "
            "contiguous, so every call copies it (said once)",
            stacklevel=6,
        )
    return x.contiguous()


def array(x: Optional[Tensor], rank: int) -> Sequence[int]:
    """Returns the numbers of a fsa2lrnn_kernels_array with `rank` strides."""
    if x is None:
        return _library.NO_ARRAY
    strides = x.stride()
    if rank == 3:
        return x.data_ptr(), strides[0], strides[1], strides[2]
    return x.data_ptr(), strides[0], strides[1], 0


def strides(shape: Sequence[int]) -> bytes:
    """Returns the strides of a contiguous array of 3 or 4 dimensions, as it is in a structure."""
    numbers = [math.prod(shape[i + 1 :]) for i in range(len(shape) - 1)]
    return _library.STRIDES.pack(*numbers, *(0,) * (3 - len(numbers)))


def pointer(x: Optional[Tensor]) -> int:
    return 0 if x is None else x.data_ptr()


def launch(index: int, function: Any, *arguments: Any) -> None:
    """Calls a function of the library on the current stream of a GPU, None in the place of the
    stream; index -1: on the CPU."""
    if index < 0:
        _library.call(function, *arguments, None)
    elif current_device() == index:
        _library.call(function, *arguments, stream_of(index))
    else:
        with torch.cuda.device(index):
            _library.call(function, *arguments, stream_of(index))


def _cuda_stream(index: int) -> int:
    return int(torch.cuda.current_stream(index).cuda_stream)


# What torch.cuda asks, without its layers of Python.
stream_of: Callable[[int], int] = getattr(torch._C, "_cuda_getCurrentRawStream", _cuda_stream)
current_device: Callable[[], int] = getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)


def maker(kind: str) -> Callable[..., Tensor]:
    """Returns the function of size, strides and type that makes a tensor on the current device of a
    kind: that of Inductor, which takes a third of torch.empty's time, where PyTorch has it."""
    guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
    found = getattr(guards, f"_empty_strided_{kind}", None)
    if found is not None:
        return found  # type: ignore[no-any-return]

    def make(size: Sequence[int], steps: Sequence[int], dtype: torch.dtype) -> Tensor:
        return torch.empty_strided(size, steps, dtype=dtype, device=kind)

    return make


def workspace(count: int, like: Tensor) -> Optional[Tensor]:
    """Returns so many bytes beside a tensor, None for 0."""
    return like.new_empty(count, dtype=torch.uint8) if count else None


_PLAIN = (Tensor, torch.nn.Parameter)
_is_compiling = torch.compiler.is_compiling
# What may watch a call: modes, transforms of torch.func, the profiler, torch.jit.trace.
_watches: Any = tuple(
    getattr(place, name, None)
    for place, name in (
        (torch._C, "_len_torch_dispatch_stack"),
        (torch._C, "_are_functorch_transforms_active"),
        (torch.autograd, "_profiler_enabled"),
        (torch._C, "_is_tracing"),
    )
)
_watched = None in _watches


def plain(tensors: Sequence[Optional[Tensor]]) -> bool:
    """Returns whether nothing watches what is done with these tensors: no compiler, no mode, no
    profiler, no subclass. Then an operator's function may be called without the dispatcher, which
    would do the same and takes a third of the time of a call."""
    if _is_compiling() or _watched:
        return False
    modes, transforms, profiler, tracing = _watches
    if modes() or transforms() or profiler() or tracing():
        return False
    for x in tensors:
        if x is not None and type(x) not in _PLAIN:
            return False
    first = tensors[0]
    return first is not None and (first.is_cuda or first.is_cpu)
