"""What the functions of fsa2lrnn.kernels raise. They are not those of fsa2lrnn, which need not be
installed."""


class KernelError(Exception):
    """An error of the library of kernels: nothing was computed."""


class ArgumentError(KernelError, ValueError):
    """An argument is of the wrong shape, type or device, or contradicts another."""


class DomainError(KernelError, ValueError):
    """A shape or a combination that no path takes."""


class DeviceError(KernelError, RuntimeError):
    """There is no driver or no card that serves, or the driver refused."""


class NoMemoryError(KernelError, MemoryError):
    """There is not enough memory, on the CPU."""
