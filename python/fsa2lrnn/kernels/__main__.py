"""`python -m fsa2lrnn.kernels` prints what is here: the library, the devices, the path that a delta
product takes on each, with the reason, and whether it computes rightly there."""

from __future__ import annotations

import argparse
import ctypes
import platform
import sys
from typing import Callable, List, Tuple

import torch
from torch import Tensor

from . import _library, fla, ops
from ._errors import KernelError
from .autograd import delta_product
from .scan import causal_conv1d, selective_scan

# name, type, key, value, gated
CASES = (
    ("bfloat16, 64 x 64, n_h 2", torch.bfloat16, 64, 64, False),
    ("bfloat16, 128 x 128, n_h 2", torch.bfloat16, 128, 128, False),
    ("bfloat16, 64 x 64, n_h 2, gates", torch.bfloat16, 64, 64, True),
    ("bfloat16, 256 x 64, n_h 2", torch.bfloat16, 256, 64, False),
    ("float32, 64 x 64, n_h 2", torch.float32, 64, 64, False),
)
MOST = {torch.bfloat16: 0.03, torch.float32: 1e-4}  # error, by the length of what is right
NAME = 34


def _driver() -> str:
    """Returns the version of NVIDIA's driver, and of CUDA that it is for, as far as they are
    known."""
    found, named, number = [], ctypes.create_string_buffer(96), ctypes.c_int()
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
        if nvml.nvmlInit_v2() == 0 and nvml.nvmlSystemGetDriverVersion(named, len(named)) == 0:
            found.append(f"driver {named.value.decode()}")
    except (OSError, AttributeError):
        pass
    try:
        if ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number)) == 0:
            found.append(f"for CUDA {number.value // 1000}.{number.value % 1000 // 10}")
    except (OSError, AttributeError):
        pass
    return ", ".join(found) or "no driver"


def _sample(dtype: torch.dtype, key: int, value: int, gated: bool) -> List[Tensor]:
    """Returns q, k, v, beta and, with gates, g, of 40 tokens."""
    numbers = torch.Generator().manual_seed(1)

    def normal(*size: int) -> Tensor:
        return torch.randn(size, generator=numbers)

    k = torch.nn.functional.normalize(normal(1, 80, 2, key), dim=-1)
    x = [normal(1, 40, 2, key).to(dtype), k.to(dtype), normal(1, 80, 2, value).to(dtype)]
    x.append(2 * torch.rand(1, 80, 2, generator=numbers))
    return [*x, -0.1 * normal(1, 40, 2).abs()] if gated else x


def _compute(x: List[Tensor]) -> List[Tensor]:
    """Returns out and the gradients of a delta product."""
    leaves = [t.detach().requires_grad_() for t in x]
    out, _ = delta_product(*leaves, n_h=2)  # type: ignore[misc, arg-type]
    return [out.detach(), *torch.autograd.grad(out.float().square().sum(), leaves)]


def _error(run: Callable[[List[Tensor]], List[Tensor]], x: List[Tensor], device: str) -> float:
    """Returns the largest error of results on a device, relative to those in double on the CPU."""
    want, got = run([t.double() for t in x]), run([t.to(device) for t in x])
    return max(float((a.cpu().double() - b).norm() / b.norm()) for a, b in zip(got, want))


def _path(x: List[Tensor], device: str) -> str:
    g = x[4].to(device) if len(x) > 4 else None
    q, k, v, beta = (t.to(device) for t in x[:4])
    options = ops.options_of(2, 0.0, 0, 0, 1e-6, 0, 0)
    return _library.delta_path(ops.plan_of(q, k, v, beta, g, None, None, None, options).whole)


def _others(x: List[Tensor]) -> List[Tensor]:
    """Returns a convolution, and a scan with its own output as its step."""
    u, write, read, rate = x
    y, _ = causal_conv1d(u, rate)
    return [y, selective_scan(u, y, rate, write, read, gate=u)]


def _tell(name: str, run: Callable[[], Tuple[float, float, str]]) -> bool:
    """Prints a line about one case; returns whether it is right."""
    try:
        error, most, path = run()
    except KernelError as why:
        print(f"  {name:{NAME}}does not run: {why}")
        return False
    good = error <= most
    print(f"  {name:{NAME}}{'right' if good else 'WRONG'}, error {error:.1e}; {path}")
    return good


def _tell_device(device: str) -> bool:
    good = True
    for name, dtype, key, value, gated in CASES:
        x = _sample(dtype, key, value, gated)
        good &= _tell(name, lambda: (_error(_compute, x, device), MOST[dtype], _path(x, device)))
    numbers = torch.Generator().manual_seed(2)
    shapes = ((1, 40, 24), (1, 40, 8), (1, 40, 8), (24, 8))
    y = [torch.randn(size, generator=numbers) for size in shapes]
    text = "convolution and selective scan"
    return _tell(text, lambda: (_error(_others, y, device), 1e-4, "float32")) and good


def _fla() -> str:
    try:
        return f"{fla._installed_version()}, which accelerate_fla() takes"
    except KernelError as why:
        return str(why)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fsa2lrnn.kernels", description=__doc__)
    parser.add_argument("--cpu", action="store_true", help="leave the GPUs out")
    args = parser.parse_args()
    print(f"fsa2lrnn-kernels {_library.VERSION}, {_library.LIBRARY_FILE}")
    print(f"PyTorch {torch.__version__}, Python {platform.python_version()}; fla: {_fla()}")
    count = 0 if args.cpu else torch.cuda.device_count()
    good = True
    for i in range(count):
        major, minor = torch.cuda.get_device_capability(i)
        name = torch.cuda.get_device_name(i)
        print(f"cuda:{i}: {name}, compute capability {major}.{minor}, {_driver()}")
        good &= _tell_device(f"cuda:{i}")
    if not count and not args.cpu:
        print(f"no GPU: {_driver()}, PyTorch is built for CUDA {torch.version.cuda or '(none)'}")
    print("cpu: the reference, which computes in double")
    return 0 if _tell_device("cpu") and good else 1


if __name__ == "__main__":
    sys.exit(main())
