"""Outputs and gradients: of float64 on the CPU against the formula in PyTorch and finite
differences, and of every type, shape and device against float64."""

import itertools
import math
import unittest

import support
import torch
from support import BF16, F16, F32, F64, kernels

# (B, T, H, Hk, n_h, K, V)
SMALL = [
    (2, 5, 2, 2, 1, 4, 4),
    (1, 7, 4, 2, 3, 3, 5),
    (3, 1, 2, 1, 2, 8, 2),
    (1, 19, 1, 1, 2, 6, 4),
]
LARGE = [
    (2, 65, 4, 2, 3, 64, 128),
    (1, 130, 2, 2, 1, 128, 128),
    (3, 33, 2, 2, 2, 32, 32),
    (2, 50, 8, 1, 3, 128, 64),
    (1, 40, 2, 2, 1, 256, 256),
    (2, 37, 3, 3, 2, 48, 80),
    (1, 20, 2, 2, 8, 64, 64),
    (5, 1, 2, 2, 2, 64, 32),
    (1, 70, 2, 1, 4, 5, 7),
]
MOST = {F64: 1e-12, F32: 1e-4, BF16: 3e-2, F16: 5e-3}
OPTIONS = [
    {},
    {"beta_kind": "two_sigmoid", "l2norm": "add"},
    {"beta_kind": "sigmoid", "l2norm": "max", "scale": 0.5},
    {"state_order": "vk", "output_final_state": True},
]


def choose(number):
    """Returns gate, state and options, all of which come in turn."""
    options = dict(OPTIONS[number % len(OPTIONS)])
    options.setdefault("output_final_state", bool(number & 1))
    gate = (None, "head", "key")[number % 3]
    state = (None, options.get("state_order", "kv"))[number // 2 % 2]
    return gate, state, options


class Formula(unittest.TestCase):
    def test_float64(self):
        for number, shape in enumerate(SMALL * 3):
            gate, state, options = choose(number)
            options["output_final_state"] = True
            x = support.inputs(shape, F64, gate=gate, state=state, seed=number)
            options["n_h"] = shape[4]
            got = support.run(x, options)
            leaves = {n: None if t is None else t.requires_grad_() for n, t in x.items()}
            outputs = dict(zip(("out", "final"), support.reference(**leaves, **options)))
            weights = support.weights_of(outputs)
            sum((t * weights[n]).sum() for n, t in outputs.items()).backward()
            want = {**outputs, **{"d" + n: t.grad for n, t in leaves.items() if t is not None}}
            self.assertEqual(got.keys(), want.keys())
            for name, value in want.items():
                self.assertLess(support.error_of(got[name], value), 1e-12, (shape, options, name))

    def test_finite_differences(self):
        for number, shape in enumerate([(2, 3, 2, 1, 2, 3, 2), (1, 4, 1, 1, 1, 2, 3)] * 2):
            gate, state, options = choose(number + 4)
            options["output_final_state"] = True
            x = support.inputs(shape, F64, gate=gate, state=state, seed=number)
            names = [n for n, t in x.items() if t is not None]

            def function(*values):
                named = dict(zip(names, values))  # noqa: B023
                return kernels.delta_product(**named, n_h=shape[4], **options)  # noqa: B023

            values = tuple(x[n].requires_grad_() for n in names)
            self.assertTrue(torch.autograd.gradcheck(function, values))


@support.on_devices
class Values:
    """Every type on a device against float64 on the CPU, from the same rounded inputs."""

    def check(self, shape, dtype, gate, state, options, seed, **more):
        options = {**options, "n_h": shape[4]}
        x = support.inputs(
            shape, dtype, gate=gate, state=state, seed=seed, device=self.device, **more
        )
        want = support.run(support.wide(x), options)
        ends = options.get("cu_seqlens")
        if ends is not None:
            options["cu_seqlens"] = ends.to(self.device)
        got = support.run(x, options)
        self.assertEqual(got.keys(), want.keys())
        for name, value in want.items():
            error = support.error_of(got[name], value)
            support.record(
                test="values",
                device=self.device,
                shape=list(shape),
                type=str(dtype)[6:],
                gate=gate,
                options={n: v for n, v in options.items() if n != "cu_seqlens"},
                what=name,
                error=error,
            )
            self.assertLess(error, MOST[dtype], (shape, dtype, gate, state, options, name))

    def test_types(self):
        shapes = SMALL if self.device == "cpu" else SMALL + LARGE
        types = (F32, BF16, F16)
        for number, (shape, dtype) in enumerate(itertools.product(shapes, types)):
            with self.subTest(shape=shape, dtype=dtype):
                gate, state, options = choose(number)
                self.check(shape, dtype, None if number % 2 else gate, state, options, number)

    def test_paths(self):
        """Every path, where it serves."""
        for number, shape in enumerate([(2, 40, 2, 2, 2, 64, 64), (1, 33, 4, 2, 3, 128, 64)]):
            for path in ("recurrent", "tensor", "tensor_states"):
                options = {"path": path, "output_final_state": True}
                if self.device == "cpu" and path != "recurrent":
                    shape = (1, 3, 1, 1, 1, 2, 2)
                with self.subTest(shape=shape, path=path):
                    gate = (None, "head")[number]
                    self.check(shape, BF16, gate, "kv", options, number)

    def test_packed(self):
        ends = torch.tensor([0, 3, 3, 4, 37, 37, 60])
        for number, dtype in enumerate((F32, BF16, F16)):
            for bits in (torch.int32, torch.int64):
                options = {"cu_seqlens": ends.to(bits), "output_final_state": True}
                shape = (1, 60, 2, 1, 2, 4, 4) if self.device == "cpu" else (1, 60, 4, 2, 2, 64, 64)
                gate = (None, "head")[number % 2]
                with self.subTest(dtype=dtype, bits=bits):
                    self.check(shape, dtype, gate, "kv", options, number, ends=ends)

    def test_gate_and_beta_of_two_types(self):
        x = support.inputs((1, 7, 2, 2, 1, 8, 8), BF16, gate="head", device=self.device)
        narrow, wide = x["beta"].to(BF16), x["g"].float()
        got = kernels.delta_product(x["q"], x["k"], x["v"], narrow, wide)[0]
        want = kernels.delta_product(x["q"], x["k"], x["v"], narrow.float(), wide)[0]
        self.assertTrue(torch.equal(got, want))

    def test_gates_near_0(self):
        """What does not cross a gate is no part of its gradient: no rounding of it either."""
        for shape, dtype in (((1, 40, 2, 2, 1, 32, 32), F16), ((1, 40, 2, 1, 3, 128, 64), BF16)):
            x = support.inputs(shape, dtype, gate="head", state="kv", device=self.device)
            x["g"] = 100 * x["g"]
            options = {"n_h": shape[4], "output_final_state": True}
            got = support.run(x, options)
            weights = support.weights_of({n: got[n] for n in ("out", "final")})
            want = support.run(support.wide(x), options, weights)["dg"]
            shut = (x["g"] < -12).cpu()
            most = float((got["dg"].cpu() - want)[shut].abs().max())
            self.assertLess(most, 1e-5 * float(want.abs().max()), shape)
            self.assertLess(support.error_of(got["dg"], want), MOST[dtype])

    def test_betas_in_half_types(self):
        for dtype, beta_dtype in ((BF16, BF16), (F16, F16), (F32, BF16)):
            with self.subTest(dtype=dtype):
                shape = (2, 9, 2, 2, 2, 32, 32)
                options = {"n_h": 2, "output_final_state": True}
                x = support.inputs(shape, dtype, beta_dtype, "head", device=self.device)
                got, want = support.run(x, options), support.run(support.wide(x), options)
                for name, value in want.items():
                    self.assertLess(support.error_of(got[name], value), 3e-2, name)
                self.assertEqual(got["dbeta"].dtype, beta_dtype)

    def test_states_in_bfloat16(self):
        x = support.inputs((2, 9, 2, 2, 2, 32, 32), BF16, state="kv", device=self.device)
        x["initial_state"] = x["initial_state"].to(BF16)
        got = support.run(x, {"n_h": 2, "output_final_state": True})
        want = support.run(support.wide(x), {"n_h": 2, "output_final_state": True})
        self.assertEqual(got["final"].dtype, BF16)
        for name, value in want.items():
            self.assertLess(support.error_of(got[name], value), 3e-2, name)

    def test_strides(self):
        """Views of one projection are read in place, and others are copied with a warning."""
        shape = (2, 9, 2, 2, 1, 32, 32)
        x = support.inputs(shape, BF16, device=self.device)
        want = support.run(x, {})
        packed = torch.cat([x["q"], x["k"], x["v"]], 3)
        q, k, v = packed.split([32, 32, 32], 3)
        out, _ = kernels.delta_rule(q, k, v, x["beta"])
        self.assertTrue(torch.equal(out, want["out"]))
        turned = x["q"].transpose(2, 3).contiguous().transpose(2, 3)
        late = x["beta"].transpose(1, 2).contiguous().transpose(1, 2)
        out, _ = kernels.delta_rule(turned, k, v, late)
        self.assertTrue(torch.equal(out, want["out"]))
        heads_first = {n: x[n].transpose(1, 2).contiguous().transpose(1, 2) for n in "qkv"}
        out, _ = kernels.delta_rule(**heads_first, beta=x["beta"])
        self.assertTrue(torch.equal(out, want["out"]))

    def test_no_values(self):
        """v None is v = 0."""
        x = support.inputs((2, 9, 2, 2, 2, 32, 32), F32, state="kv", device=self.device)
        zeros = {**x, "v": torch.zeros_like(x["v"])}
        options = {"n_h": 2, "output_final_state": True}
        got, want = support.run({**x, "v": None}, options), support.run(zeros, options)
        self.assertNotIn("dv", got)
        for name in ("out", "final", "dq", "dk", "dbeta", "dinitial_state"):
            self.assertLess(support.error_of(got[name], want[name]), 1e-6, name)

    def test_some_gradients(self):
        """Only wanted gradients are computed; a loss may need one output only."""
        x = support.inputs(
            (2, 9, 2, 2, 2, 32, 32), F32, gate="head", state="kv", device=self.device
        )
        options = {"n_h": 2, "output_final_state": True}
        whole = support.run(x, options)
        weights = support.weights_of({n: whole[n] for n in ("out", "final")})
        for name in support.NAMES:
            leaves = {n: t.detach().clone() for n, t in x.items()}
            leaves[name].requires_grad_()
            out, final = kernels.delta_product(**leaves, **options)
            loss = (out.double() * weights["out"].to(out.device)).sum()
            (loss + (final.double() * weights["final"].to(out.device)).sum()).backward()
            self.assertTrue(torch.equal(leaves[name].grad, whole["d" + name]), name)
        k = x["k"].clone().requires_grad_()
        _, final = kernels.delta_product(**{**x, "k": k}, **options)
        final.sum().backward()
        self.assertTrue(bool(torch.isfinite(k.grad).all()) and float(k.grad.abs().sum()) > 0)

    def test_empty(self):
        for shape in ((0, 4, 2, 2, 2, 8, 8), (2, 0, 2, 2, 2, 8, 8)):
            x = support.inputs(shape, F32, state="kv", device=self.device)
            got = support.run(x, {"n_h": 2, "output_final_state": True})
            self.assertEqual(tuple(got["out"].shape), (*shape[:3], 8))
            self.assertTrue(torch.equal(got["final"], x["initial_state"]))
        ends = torch.tensor([0, 0], device=self.device)
        x = support.inputs((1, 0, 2, 2, 1, 8, 8), F32, device=self.device)
        _, final = kernels.delta_rule(**x, cu_seqlens=ends, output_final_state=True)
        self.assertEqual(float(final.abs().sum()), 0)

    def test_exact_keys(self):
        """Keys on axes with beta 2 and gate 1: reflections, without any error."""
        for n_h in (1, 2, 4):
            for dtype in (F32, BF16):
                axes = torch.randint(
                    0, 8, (2, 40 * n_h, 2), generator=torch.Generator().manual_seed(1)
                )
                k = torch.nn.functional.one_hot(axes, 32).to(dtype).to(self.device)
                q = k[:, ::n_h].contiguous()
                v = torch.randint(
                    -1, 2, (2, 40 * n_h, 2, 32), generator=torch.Generator().manual_seed(2)
                )
                x = {"q": q, "k": k, "v": v.to(dtype).to(self.device)}
                beta = torch.full((2, 40 * n_h, 2), 2.0, device=self.device)
                out, _ = kernels.delta_product(**x, beta=beta, n_h=n_h, scale=1.0)
                want, _ = support.reference(
                    **{n: t.cpu().double() for n, t in {**x, "beta": beta}.items()},
                    n_h=n_h,
                    scale=1,
                )
                self.assertLess(float(want.abs().max()), 256)
                self.assertTrue(torch.equal(out.cpu().double(), want), (n_h, dtype))


@support.on_devices
class Steps:
    def test_as_a_sequence(self):
        for number, n_h in enumerate((1, 2, 3)):
            gate, _, options = choose(number)
            options.pop("output_final_state")
            order = options.get("state_order", "kv")
            x = support.inputs(
                (3, 6, 4, 2, n_h, 16, 8), F32, gate=gate, state=order, device=self.device
            )
            want, final = kernels.delta_product(
                **x, n_h=n_h, output_final_state=True, **options, path="recurrent"
            )
            state = x["initial_state"].clone()
            for t in range(6):
                a, b = slice(t, t + 1), slice(t * n_h, (t + 1) * n_h)
                g = None if x["g"] is None else x["g"][:, a]
                out = kernels.delta_product_step(
                    x["q"][:, a], x["k"][:, b], x["v"][:, b], x["beta"][:, b], g,
                    state=state, n_h=n_h, **options,
                )  # fmt: skip
                self.assertLess(support.error_of(out, want[:, a]), 1e-5)
            self.assertLess(support.error_of(state, final), 1e-5)

    def test_pool(self):
        x = support.inputs((4, 1, 2, 2, 2, 16, 16), F32, device=self.device)
        pool = torch.randn(6, 2, 16, 16, device=self.device)
        for bits in (torch.int32, torch.int64):
            where = torch.tensor([5, -1, 0, 3], device=self.device, dtype=bits)
            mine, before = pool.clone(), pool.clone()
            x.pop("initial_state", None)
            out = kernels.delta_product_step(**x, state=mine, state_indices=where, n_h=2)
            alone = before[where.long().clamp(min=0)].contiguous()
            want = kernels.delta_product_step(**x, state=alone, n_h=2)
            self.assertEqual(float(out[1].abs().sum()), 0)
            for i in (0, 2, 3):
                self.assertTrue(torch.equal(out[i], want[i]))
                self.assertTrue(torch.equal(mine[where[i]], alone[i]))
            for i in (1, 2, 4):
                self.assertTrue(torch.equal(mine[i], before[i]))


class Reference(unittest.TestCase):
    def test_options_that_change(self):
        """Plans are kept by the values of options, also of numbers in tensors."""
        x = support.inputs((1, 5, 2, 2, 1, 8, 8), F32)
        scale = torch.tensor(1.0)
        first, _ = kernels.delta_product(**x, scale=scale)
        scale.fill_(2)
        second, _ = kernels.delta_product(**x, scale=scale)
        self.assertTrue(torch.equal(second, 2 * first))
        self.assertTrue(torch.equal(kernels.delta_product(**x, scale=1)[0], first))

    def test_scale(self):
        """The default is key^-1/2."""
        x = support.inputs((1, 3, 1, 1, 1, 4, 2), F64)
        a, _ = kernels.delta_rule(**x)
        b, _ = kernels.delta_rule(**x, scale=1 / math.sqrt(4))
        self.assertTrue(torch.equal(a, b))
