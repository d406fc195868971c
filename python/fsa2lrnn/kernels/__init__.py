"""Operators of PyTorch for products of generalized Householder factors, on GPUs and on the CPU.

`delta_product`, `delta_rule`, `selective_scan` and `causal_conv1d` read sequences, with gradients;
`delta_product_step` reads one token. The package needs PyTorch 2.4 or later and the library
libfsa2lrnn-kernels, and nothing else of fsa2lrnn. The page is docs/kernels.md."""

try:
    import torch
except ImportError as error:
    raise ImportError("fsa2lrnn.kernels needs PyTorch 2.4 or later: pip install torch") from error

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 4):
    raise ImportError(
        f"fsa2lrnn.kernels needs PyTorch 2.4 or later, and this is {torch.__version__}"
    )

from ._errors import ArgumentError, DeviceError, DomainError, KernelError, NoMemoryError
from ._library import VERSION as __version__
from .autograd import delta_product, delta_product_step, delta_rule
from .fla import accelerate_fla, restore_fla
from .scan import causal_conv1d, selective_scan

__all__ = [
    "ArgumentError",
    "DeviceError",
    "DomainError",
    "KernelError",
    "NoMemoryError",
    "__version__",
    "accelerate_fla",
    "causal_conv1d",
    "delta_product",
    "delta_product_step",
    "delta_rule",
    "restore_fla",
    "selective_scan",
]
