"""What the tests of fsa2lrnn.kernels share: the package alone, devices, inputs, a reference in
float64, and the numbers that `run.py --json` records."""

import os
import sys
import tempfile
import types
import unittest
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

try:
    import torch
except ImportError as error:
    raise unittest.SkipTest("PyTorch is not installed") from error
if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 4):
    raise unittest.SkipTest(f"PyTorch {torch.__version__} is older than 2.4")


def import_alone():
    """Imports fsa2lrnn.kernels of this tree as where its wheel alone is installed: without the rest
    of fsa2lrnn, whose library is another one."""
    if "fsa2lrnn" not in sys.modules:
        alone = types.ModuleType("fsa2lrnn")
        alone.__path__ = [str(ROOT / "python/fsa2lrnn")]
        sys.modules["fsa2lrnn"] = alone
    default = ROOT / "build/release/libfsa2lrnn-kernels.so.0"
    os.environ.setdefault("FSA2LRNN_KERNELS_LIB", str(default))
    import fsa2lrnn.kernels

    return fsa2lrnn.kernels


kernels = import_alone()
records = []
F32, F64, BF16, F16 = torch.float32, torch.float64, torch.bfloat16, torch.float16
NAMES = ("q", "k", "v", "beta", "g", "initial_state")


def has_cuda():
    """Returns whether there is a GPU, and the library has kernels for it."""
    if not torch.cuda.is_available():
        return False
    x = torch.zeros(1, 1, 1, 8, device="cuda")
    try:
        kernels.delta_rule(x, x, x, x[..., 0])
    except kernels.DeviceError as error:
        print(f"note: no test on the GPU: {error}")
        return False
    return True


DEVICES = ["cpu", *(["cuda"] if has_cuda() else [])]


def on_devices(case):
    """Makes a test case of each device of a class, which has no tests itself then."""
    module = sys.modules[case.__module__]
    for device in DEVICES:
        name = f"{case.__name__}_{device}"
        made = type(name, (case, unittest.TestCase), {"device": device})
        made.__module__ = case.__module__
        setattr(module, name, made)
    return case


@contextmanager
def folder():
    """Gives a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="f2l-kernels-") as name:
        yield Path(name)


def record(**numbers):
    records.append(numbers)


def inputs(
    shape, dtype=F32, beta_dtype=None, gate=None, state=None, seed=0, device="cpu", ends=None
):
    """Returns {name: tensor} for a shape (B, T, H, Hk, n_h, K, V): keys of length 1, betas in
    [0, 2]."""
    batch, tokens, heads, key_heads, n_h, key, value = shape
    rng = torch.Generator().manual_seed(seed)

    def noise(*size):
        return torch.randn(size, generator=rng, dtype=F64)

    beta_dtype = beta_dtype or (F64 if dtype == F64 else F32)
    k = noise(batch, tokens * n_h, key_heads, key)
    x = {
        "q": noise(batch, tokens, key_heads, key).to(dtype),
        "k": (k / k.norm(dim=-1, keepdim=True)).to(dtype),
        "v": noise(batch, tokens * n_h, heads, value).to(dtype),
        "beta": (2 * torch.rand(batch, tokens * n_h, heads, generator=rng)).to(beta_dtype),
        "g": None,
        "initial_state": None,
    }
    if gate:
        size = (batch, tokens, heads, key) if gate == "key" else (batch, tokens, heads)
        x["g"] = (-0.3 * noise(*size).abs()).to(beta_dtype)
    if state:
        count = batch if ends is None else len(ends) - 1
        inner = (value, key) if state == "vk" else (key, value)
        x["initial_state"] = noise(count, heads, *inner).to(F64 if dtype == F64 else F32)
    return {name: None if t is None else t.to(device) for name, t in x.items()}


def wide(x):
    """Returns the inputs in float64 on the CPU."""
    return {name: None if t is None else t.detach().cpu().to(F64) for name, t in x.items()}


def run(x, options, weights=None):
    """Returns outputs and gradients by name: those of the sum of weights times outputs."""
    leaves = {n: None if t is None else t.detach().clone().requires_grad_() for n, t in x.items()}
    out, final = kernels.delta_product(**leaves, **options)
    got = {"out": out, **({} if final is None else {"final": final})}
    if weights is None:
        weights = weights_of(got)
    loss = sum((t.double() * weights[n].to(t.device)).sum() for n, t in got.items())
    loss.backward()
    found = {n: t.detach() for n, t in got.items()}
    return {**found, **{"d" + n: t.grad for n, t in leaves.items() if t is not None}}


def weights_of(outputs, seed=99):
    rng = torch.Generator().manual_seed(seed)
    return {n: torch.randn(t.shape, generator=rng, dtype=F64) for n, t in outputs.items()}


def error_of(got, want):
    """Returns the length of the difference, relative to that of what is wanted."""
    got, want = got.detach().cpu().double(), want.detach().cpu().double()
    length = float(want.norm())
    return float((got - want).norm()) / length if length else float((got - want).norm())


def _beta(x, kind):
    return x if kind == "number" else torch.sigmoid(x) * (2 if kind == "two_sigmoid" else 1)


def _norm(x, kind, eps):
    if kind is None:
        return x
    squares = (x * x).sum(-1, keepdim=True)
    return x / (squares + eps).sqrt() if kind == "add" else x / squares.sqrt().clamp(min=eps)


def reference(
    q,
    k,
    v,
    beta,
    g=None,
    n_h=1,
    scale=None,
    initial_state=None,
    beta_kind="number",
    l2norm=None,
    l2norm_eps=1e-6,
    state_order="kv",
    output_final_state=True,
):
    """The delta product by its formula, token by token, with operations of PyTorch."""
    batch, tokens, key_heads, key = q.shape
    heads = beta.shape[2]
    group = heads // key_heads
    q = _norm(q, l2norm, l2norm_eps).repeat_interleave(group, 2)
    k = _norm(k, l2norm, l2norm_eps).repeat_interleave(group, 2)
    beta = _beta(beta, beta_kind)
    # The library's scale is a float.
    scale = float(torch.tensor(key**-0.5 if scale is None else scale, dtype=F32))
    s = torch.zeros(batch, heads, key, v.shape[3], dtype=q.dtype)
    if initial_state is not None:
        s = initial_state.transpose(2, 3) if state_order == "vk" else initial_state
    outs = []
    for t in range(tokens):
        if g is not None:
            s = s * (g[:, t].exp()[..., None, None] if g.dim() == 3 else g[:, t].exp()[..., None])
        for j in range(t * n_h, (t + 1) * n_h):
            u = v[:, j] - torch.einsum("bhkv,bhk->bhv", s, k[:, j])
            s = s + torch.einsum("bh,bhk,bhv->bhkv", beta[:, j], k[:, j], u)
        outs.append(scale * torch.einsum("bhkv,bhk->bhv", s, q[:, t]))
    out = torch.stack(outs, 1) if outs else q.new_zeros(batch, 0, heads, v.shape[3])
    return out, s.transpose(2, 3) if state_order == "vk" else s
