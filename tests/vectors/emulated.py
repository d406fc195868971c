"""Our operators with the CUDA kernels on warps that the CPU emulates: tensors of the CPU go to the
library of `make emulated-kernels` as those of a GPU would."""

import importlib
import math

import torch
from implementations import our_kernels

ALIGNED = 256  # what the library wants of memory that a caller gives it


def make(size, steps, dtype):
    """Returns a contiguous tensor whose address is a multiple of ALIGNED."""
    count = math.prod(size)
    if not count:
        return torch.empty(size, dtype=dtype)
    numbers = torch.zeros(count * dtype.itemsize + ALIGNED, dtype=torch.uint8)
    begin = -numbers.data_ptr() % ALIGNED
    return numbers[begin : begin + count * dtype.itemsize].view(dtype).view(size)


def emulate():
    """Lets the operators compute so from now on."""
    our_kernels()
    library = importlib.import_module("fsa2lrnn.kernels._library")
    library.CPU = library.CUDA
    importlib.import_module("fsa2lrnn.kernels._plan").maker = lambda kind: make
