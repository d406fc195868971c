"""fla's Mamba with our selective scan, in [0, 1] and [-1, 1]: a layer of the small fla of test_fla
by its formula, and the installed fla's layer where there is one."""

import importlib.util
import logging
import os
import unittest

import support
import test_fla
import torch
from support import F32, F64, kernels

from fsa2lrnn.kernels import fla as ours

LENGTH = 9


def silu(x):
    return x * torch.sigmoid(x)


def by_formula(layer, hidden, mask, low):
    """Returns what a Mamba layer computes, token by token and tap by tap."""
    x, gate = layer.in_proj(hidden).chunk(2, -1)
    seen = 1 if mask is None else mask[..., None].to(x.dtype)
    taps = layer.conv_kernel_size
    x = torch.nn.functional.pad(x * seen, (0, 0, taps - 1, 0))
    weight = layer.conv1d.weight[:, 0]
    x = sum(weight[:, j] * x[:, j : j + hidden.shape[1]] for j in range(taps)) + layer.conv1d.bias
    x = silu(x) * seen
    step, write, read = layer.x_proj(x).split(
        [layer.dt_rank, layer.ssm_state_size, layer.ssm_state_size], -1
    )
    dt = torch.nn.functional.softplus(layer.dt_proj(step))
    h, outs = 0, []
    for t in range(hidden.shape[1]):
        a = low + (1 - low) * torch.exp(-dt[:, t, :, None] * layer.A_log.exp())
        h = a * h + (dt[:, t] * x[:, t])[..., None] * write[:, t, None]
        outs.append((h * read[:, t, None]).sum(-1))
    return layer.out_proj((torch.stack(outs, 1) + layer.D * x) * silu(gate))


def with_gradients(layer, hidden, function):
    hidden = hidden.detach().clone().requires_grad_()
    out = function(hidden)
    inputs = [hidden, *layer.parameters()]
    return [out.detach(), *torch.autograd.grad(out.sin().sum(), inputs)]


class Mamba(test_fla.FakeFla):
    def make(self, version, dtype=F64, **options):
        """Returns a small fla and a layer of it."""
        ours.restore_fla()
        fla = self.start(version)
        torch.manual_seed(3)
        sizes = {"width": 6, "inner": 10, "states": 3, "taps": 4, "rank": 2, **options}
        return fla, fla.layers.mamba.Mamba(**sizes).to(dtype)

    def test_as_the_formula(self):
        hidden = torch.randn(2, LENGTH, 6, dtype=F64)
        mask = torch.ones(2, LENGTH, dtype=torch.long)
        mask[0, :3] = 0
        for version in ours.TESTED:
            for low, mask_ in ((0, None), (0, mask), (-1, None), (-1, mask.bool())):
                fla, layer = self.make(version)
                names = ours.accelerate_fla(mamba_low=low)
                self.assertIn("fla.layers.mamba.Mamba.forward", names)
                self.assertEqual(ours.accelerate_fla(), names)
                got = with_gradients(layer, hidden, lambda x: layer(x, mask_)[0])  # noqa: B023
                want = with_gradients(
                    layer, hidden, lambda x: by_formula(layer, x, mask_, low)  # noqa: B023
                )
                for a, b in zip(got, want):
                    self.assertLess(support.error_of(a, b), 1e-9)
                ours.restore_fla()
                self.assertEqual(layer(hidden)[0], "theirs")
                self.assertFalse(hasattr(fla.layers.mamba.Mamba.forward, "fsa2lrnn"))

    def test_a_layer_says(self):
        """A layer's own `low` is before that of accelerate_fla, which restore_fla forgets."""
        hidden = torch.randn(1, LENGTH, 6, dtype=F64)
        _, layer = self.make("0.6.0")

        def expect(low):
            want = by_formula(layer, hidden, None, low)
            self.assertLess(support.error_of(layer(hidden)[0], want), 1e-9)

        ours.accelerate_fla(mamba_low=-1)
        expect(-1)
        layer.low = 0
        expect(0)
        ours.restore_fla()
        del layer.low
        ours.accelerate_fla()
        expect(0)
        layer.low = -1
        expect(-1)

    def test_caches(self):
        """Pieces by a cache are as the whole in [-1, 1], where fla has no states; else fla's."""
        _, layer = self.make("0.6.0", F32)
        hidden = torch.randn(2, LENGTH, 6)
        ours.accelerate_fla()
        with self.assertLogs("fsa2lrnn.kernels.fla", logging.WARNING) as log:
            for _ in range(2):
                self.assertEqual(layer(hidden, None, {}, True)[0], "theirs")
        self.assertEqual(len(log.output), 1)
        self.assertIn("Mamba stays fla's: states of a cache are wanted", log.output[0])
        ours.accelerate_fla(mamba_low=-1)
        want, cache = layer(hidden)[0], {}
        cuts = (0, 2, LENGTH - 2, LENGTH - 1, LENGTH)
        parts = [layer(hidden[:, a:b], None, cache, True)[0] for a, b in zip(cuts, cuts[1:])]
        self.assertLess(support.error_of(torch.cat(parts, 1), want), 1e-6)
        self.assertEqual(tuple(cache[0]["recurrent_state"].shape), (2, 10, 3))
        self.assertEqual(tuple(cache[0]["conv_state"].shape), (2, 10, 4))

    def test_compile(self):
        _, layer = self.make("0.5.2", F32)
        ours.accelerate_fla(mamba_low=-1)
        hidden = torch.randn(2, LENGTH, 6)
        want = with_gradients(layer, hidden, lambda x: layer(x)[0])
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: layer(x)[0], fullgraph=True, backend="aot_eager")
        for a, b in zip(with_gradients(layer, hidden, compiled), want):
            self.assertLess(support.error_of(a, b), 1e-6)

    def test_refused(self):
        """What is not ours goes to fla in [0, 1], and is an error in [-1, 1]."""
        hidden = torch.randn(2, LENGTH, 6, dtype=F64)
        for change, text in (
            ({"activation": "gelu"}, "hidden_act is gelu"),
            ({"ssm_state_size": 65}, "65 states"),
        ):
            _, layer = self.make("0.6.0")
            for name, value in change.items():
                setattr(layer, name, value)
            ours.accelerate_fla()
            self.assertEqual(layer(hidden)[0], "theirs")
            ours.accelerate_fla(mamba_low=-1)
            with self.assertRaisesRegex(kernels.DomainError, text):
                layer(hidden)
        with self.assertRaisesRegex(kernels.ArgumentError, "mamba_low is -2, and can be 0 or -1"):
            ours.accelerate_fla(mamba_low=-2)
        layer.low = 1
        with self.assertRaisesRegex(kernels.ArgumentError, "low is 1, and can be 0 or -1"):
            layer(hidden)
        os.environ[ours.ENVIRONMENT] = "0"
        try:
            with self.assertRaisesRegex(kernels.DomainError, "leaves fla as it is"):
                ours.accelerate_fla(mamba_low=-1)
        finally:
            del os.environ[ours.ENVIRONMENT]


@unittest.skipUnless(importlib.util.find_spec("fla"), "there is no fla")
@support.on_devices
class Installed:
    def test_as_fla(self):
        """Ours and fla's answers, from its own layer: its code in PyTorch, since mamba_ssm is not
        there."""
        from fla.layers.mamba import Mamba as Theirs

        torch.manual_seed(1)
        layer = Theirs(hidden_size=32, intermediate_size=64, layer_idx=0)
        layer.act = torch.nn.SiLU()  # fla's own is for GPUs alone
        layer = layer.to(self.device)
        hidden = torch.randn(2, 70, 32, device=self.device)
        mask = torch.ones(2, 70, device=self.device)
        mask[1, :5] = 0
        for mask_ in (None, mask):
            want = with_gradients(layer, hidden, lambda x: layer(x, mask_)[0])  # noqa: B023
            ours.accelerate_fla()
            try:
                got = with_gradients(layer, hidden, lambda x: layer(x, mask_)[0])  # noqa: B023
            finally:
                ours.restore_fla()
            for a, b in zip(got, want):
                error = support.error_of(a, b)
                self.assertLess(error, 1e-4)
                support.record(test="fla mamba", device=self.device, type="float32",
                               what="from fla's", error=error)  # fmt: skip
        with torch.no_grad():
            ours.accelerate_fla(mamba_low=-1)
            try:
                got = layer(hidden)[0]
            finally:
                ours.restore_fla()
            want = by_formula(layer.double(), hidden.double(), None, -1)
            self.assertLess(support.error_of(got, want), 1e-4)


if __name__ == "__main__":
    unittest.main()
