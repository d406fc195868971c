"""selective_scan and causal_conv1d: against their formulas in PyTorch, and what PyTorch does with
operators."""

import unittest

import support
import torch
from support import BF16, F32, F64, kernels
from torch.nn import functional

UTILS = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")


def scan_inputs(batch, tokens, channels, states, dtype, device, seed=0):
    rng = torch.Generator().manual_seed(seed)

    def noise(*size):
        return torch.randn(size, generator=rng, dtype=F64)

    wide = F64 if dtype == F64 else F32
    like, parts = (batch, tokens, channels), (batch, tokens, states)
    x = {n: noise(*like).to(dtype) for n in ("u", "step", "gate")}
    x.update({n: noise(*parts).to(dtype) for n in "BC"})
    x.update(state_log=noise(channels, states).to(wide) / 2)
    x.update({n: noise(channels).to(wide) for n in ("skip", "bias")})
    return {n: t.to(device) for n, t in x.items()}


def scan_reference(u, step, state_log, B, C, skip=None, gate=None, bias=None, low=0.0):
    dt = functional.softplus(step + (0 if bias is None else bias))
    h, outs = torch.zeros(u.shape[0], u.shape[2], B.shape[2], dtype=u.dtype), []
    for t in range(u.shape[1]):
        a = low + (1 - low) * torch.exp(-dt[:, t, :, None] * state_log.exp())
        h = a * h + (dt[:, t] * u[:, t])[..., None] * B[:, t, None]
        y = (h * C[:, t, None]).sum(-1)
        outs.append(y if skip is None else y + skip * u[:, t])
    y = torch.stack(outs, 1)
    return y if gate is None else y * functional.silu(gate)


def conv_reference(x, weight, bias=None, activation=None):
    padded = functional.pad(x.transpose(1, 2), (weight.shape[1] - 1, 0))
    y = functional.conv1d(padded, weight[:, None], bias, groups=weight.shape[0]).transpose(1, 2)
    return functional.silu(y) if activation else y


def compare(test, function, reference, x, most, **options):
    """Compares outputs and gradients with those of the reference in float64."""

    def run(call, values):
        leaves = {n: t.detach().clone().requires_grad_() for n, t in values.items()}
        out = call(**leaves, **options)
        out = out[0] if isinstance(out, tuple) else out
        weights = torch.randn(out.shape, generator=torch.Generator().manual_seed(7), dtype=F64)
        (out.double() * weights.to(out.device)).sum().backward()
        return {"out": out.detach(), **{"d" + n: t.grad for n, t in leaves.items()}}

    got, want = run(function, x), run(reference, {n: t.cpu().double() for n, t in x.items()})
    for name, value in want.items():
        test.assertLess(support.error_of(got[name], value), most, name)


@support.on_devices
class Scan:
    def types(self):
        return ((F32, 1e-4), (BF16, 2e-2), *(((F64, 1e-12),) if self.device == "cpu" else ()))

    def test_values(self):
        for low in (0.0, -1.0):
            for dtype, most in self.types():
                for shape in ((2, 9, 5, 4), (1, 33, 8, 16)):
                    with self.subTest(low=low, dtype=dtype, shape=shape):
                        x = scan_inputs(*shape, dtype, self.device)
                        compare(self, kernels.selective_scan, scan_reference, x, most, low=low)

    def test_left_out(self):
        x = scan_inputs(2, 9, 5, 4, F32, self.device)
        for names in (("skip",), ("gate", "bias"), ("skip", "gate", "bias")):
            some = {n: t for n, t in x.items() if n not in names}
            compare(self, kernels.selective_scan, scan_reference, some, 1e-4)

    def test_counts_modulo_2(self):
        """With low -1 a state can change its sign at every token."""
        u = torch.ones(1, 6, 1, device=self.device)
        one = torch.ones(1, 1, device=self.device)
        first = torch.tensor([1.0, 0, 0, 0, 0, 0], device=self.device)
        y = kernels.selective_scan(u, 30 * u, 4 * one, first.view(1, 6, 1), u, low=-1.0)
        self.assertEqual((y.flatten() / 30).tolist(), [1, -1, 1, -1, 1, -1])

    def test_operators(self):
        from fsa2lrnn.kernels import scan

        x = scan_inputs(2, 5, 3, 4, F32, self.device)
        given = tuple(x[n] for n in ("u", "step", "gate", "B", "C", "bias", "state_log", "skip"))
        torch.library.opcheck(scan.selective_scan_forward, (*given, 0.0, True), test_utils=UTILS)
        out, kept = scan.selective_scan_forward(*given, 0.0, True)
        arguments = (out, kept, *given, 0.0)
        torch.library.opcheck(scan.selective_scan_backward, arguments, test_utils=UTILS)
        torch._dynamo.reset()
        leaf = x["u"].clone().requires_grad_()

        def function(u):
            return kernels.selective_scan(**{**x, "u": u}).sum()

        (want,) = torch.autograd.grad(function(leaf), leaf)
        compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
        (got,) = torch.autograd.grad(compiled(leaf), leaf)
        self.assertTrue(torch.equal(got, want))

    def test_repeatable(self):
        x = scan_inputs(64, 9, 5, 4, F32, self.device)
        whole = kernels.selective_scan(**x)
        self.assertTrue(torch.equal(whole, kernels.selective_scan(**x)))
        for i in (0, 40):
            one = {n: t[i : i + 1] if t.dim() == 3 else t for n, t in x.items()}
            self.assertTrue(torch.equal(kernels.selective_scan(**one), whole[i : i + 1]))

    def test_refused(self):
        x = scan_inputs(2, 9, 5, 4, F32, self.device)
        for text, changed in (
            ("low is 0.5", {"low": 0.5}),
            ("step [2, 8, 5] float32: it is [2, 9, 5]", {"step": x["step"][:, 1:]}),
            ("C [2, 9, 3] float32: it is [2, 9, 4]", {"C": x["C"][..., 1:]}),
            ("state_log [4, 5] float32: it is [5, 4]", {"state_log": x["state_log"].T}),
            ("B [2, 9, 4] bfloat16", {"B": x["B"].to(BF16)}),
            ("u is list", {"u": [1]}),
        ):
            with self.assertRaises(kernels.ArgumentError) as caught:
                kernels.selective_scan(**{**x, **changed})
            self.assertIn(text, str(caught.exception))


@support.on_devices
class Conv:
    def sample(self, dtype=F32, batch=2, tokens=9, width=5, taps=4):
        rng = torch.Generator().manual_seed(3)
        wide = F64 if dtype == F64 else F32
        x = torch.randn(batch, tokens, width, generator=rng, dtype=F64).to(dtype)
        weight = torch.randn(width, taps, generator=rng, dtype=F64).to(wide)
        bias = torch.randn(width, generator=rng, dtype=F64).to(wide)
        return {n: t.to(self.device) for n, t in (("x", x), ("weight", weight), ("bias", bias))}

    def test_values(self):
        types = ((F32, 1e-5), (BF16, 2e-2), *(((F64, 1e-12),) if self.device == "cpu" else ()))
        for dtype, most in types:
            for shape in ((2, 9, 5, 4), (1, 2, 8, 4), (3, 17, 64, 3), (2, 5, 4, 1)):
                for activation in (None, "silu"):
                    with self.subTest(dtype=dtype, shape=shape, activation=activation):
                        x = self.sample(dtype, *shape)
                        options = {"activation": activation}
                        compare(self, kernels.causal_conv1d, conv_reference, x, most, **options)

    def test_pieces(self):
        x = self.sample()
        whole, last = kernels.causal_conv1d(**x, output_final_state=True)
        past, parts = None, []
        for piece in x["x"].split([1, 2, 6], 1):
            y, past = kernels.causal_conv1d(
                piece, x["weight"], x["bias"], past=past, output_final_state=True
            )
            parts.append(y)
        self.assertTrue(torch.equal(torch.cat(parts, 1), whole))
        self.assertTrue(torch.equal(past, last))
        leaf = x["x"].clone().requires_grad_()
        _, after = kernels.causal_conv1d(**{**x, "x": leaf}, output_final_state=True)
        self.assertTrue(torch.equal(after, last))

    def test_operators(self):
        from fsa2lrnn.kernels import scan

        x = self.sample()
        given = tuple(x.values())
        torch.library.opcheck(scan.causal_conv1d_forward, (*given, None, True), test_utils=UTILS)
        arguments = (x["x"] * 2, *given, 7)
        torch.library.opcheck(scan.causal_conv1d_backward, arguments, test_utils=UTILS)

    def test_strides(self):
        x = self.sample()
        want, _ = kernels.causal_conv1d(**x)
        for view in (
            torch.cat([x["x"], x["x"]], 2)[..., :5],
            x["x"].transpose(1, 2).contiguous().transpose(1, 2),
            torch.cat([x["x"], x["x"]], 1)[:, :9],
        ):
            got, _ = kernels.causal_conv1d(**{**x, "x": view})
            self.assertTrue(torch.equal(got, want))

    def test_refused(self):
        x = self.sample()
        past = torch.zeros(2, 3, 5, device=self.device)
        for text, changed in (
            ("weight [4, 4] float32: it is [5, 4]", {"weight": x["weight"][1:]}),
            ("bias [4] float32: it is [5]", {"bias": x["bias"][1:]}),
            ("past [2, 2, 5] float32: it is [2, 3, 5]", {"past": past[:, 1:]}),
            ("activation is 'relu'", {"activation": "relu"}),
            ("there is none of a piece", {"past": past, "x": x["x"].clone().requires_grad_()}),
        ):
            with self.assertRaises(kernels.ArgumentError) as caught:
                kernels.causal_conv1d(**{**x, **changed})
            self.assertIn(text, str(caught.exception))


class Formula(unittest.TestCase):
    def test_finite_differences(self):
        x = scan_inputs(1, 3, 2, 2, F64, "cpu")
        names = list(x)

        def function(*values):
            return kernels.selective_scan(**dict(zip(names, values)), low=-1.0)

        self.assertTrue(
            torch.autograd.gradcheck(function, [t.requires_grad_() for t in x.values()])
        )
