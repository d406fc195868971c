"""What is refused: an error of Python names the argument and its shape; nothing is launched."""

import math

import support
import torch
from support import BF16, F32, F64, kernels

SHAPE = (2, 6, 4, 2, 2, 16, 8)


@support.on_devices
class Refused:
    def sample(self, **more):
        return support.inputs(
            SHAPE, F32, device=self.device, **{"gate": "head", "state": "kv", **more}
        )

    def refused(self, text, function=kernels.delta_product, error=kernels.ArgumentError, **changed):
        x = {**self.sample(), "n_h": 2, **changed}
        with self.assertRaises(error) as caught:
            function(**x)
        self.assertIn(text, str(caught.exception))

    def test_shapes(self):
        x = self.sample()
        self.refused("q [6, 2, 16] float32 does not have 4 dimensions", q=x["q"][0])
        self.refused("k [2, 11, 2, 16] float32 does not fit q [2, 6, 2, 16]", k=x["k"][:, 1:])
        self.refused("k [2, 12, 2, 15] float32 has other heads or keys", k=x["k"][..., 1:])
        self.refused(
            "v [2, 12, 3, 8] float32 has other heads than beta [2, 12, 4]", v=x["v"][:, :, 1:]
        )
        self.refused("beta [1, 12, 4] float32 does not fit q", beta=x["beta"][:1])
        self.refused("g [2, 6, 3] float32: it is [2, 6, 4]", g=x["g"][..., 1:])
        self.refused("initial_state [2, 4, 8, 16] float32: it is [2, 4, 16, 8]",
                     initial_state=x["initial_state"].transpose(2, 3))  # fmt: skip
        self.refused("initial_state [1, 4, 16, 8]", initial_state=x["initial_state"][:1])
        three = {n: x[n][:, :, :3] for n in ("v", "beta", "g")}
        self.refused("its 2 heads do not divide the 3 heads", **three, initial_state=None)

    def test_factors(self):
        self.refused("[2, 6 x n_h 3 = 18, ..]", n_h=3)
        self.refused("n_h is 0, and can be 1 to 8", n_h=0)
        self.refused("n_h is 9, and can be 1 to 8", n_h=9)
        x = support.inputs((1, 2, 1, 1, 1, 257, 4), F32, device=self.device)
        with self.assertRaisesRegex(kernels.DomainError, "key is 257"):
            kernels.delta_rule(**x)
        with self.assertRaisesRegex(kernels.ArgumentError, "delta_rule has one factor"):
            kernels.delta_rule(**x, n_h=2)

    def test_types(self):
        x = self.sample()
        self.refused("k [2, 12, 2, 16] bfloat16 has another type than q", k=x["k"].to(BF16))
        self.refused("float64 goes with float64 only", beta=x["beta"].double(), g=x["g"].double())
        self.refused("q [2, 6, 2, 16] int64: it can be", q=x["q"].long())
        self.refused("state_type is f16", error=kernels.DomainError,
                     initial_state=x["initial_state"].half())  # fmt: skip
        self.refused("q is list, and has to be a tensor", q=[1])
        self.refused("beta is NoneType", beta=None)

    def test_options(self):
        self.refused("beta_kind is 'sigma', and can be 'number', 'sigmoid', 'two_sigmoid'",
                     beta_kind="sigma")  # fmt: skip
        self.refused("l2norm is True, and can be None, 'add', 'max'", l2norm=True)
        self.refused("state_order is 'kk'", state_order="kk")
        self.refused("path is []", path=[])
        self.refused("scale is 0", scale=0)
        self.refused("norm_eps is -1", l2norm_eps=-1.0)
        self.refused("scale is inf", scale=math.inf)
        self.refused("v is None, which needs an initial_state", v=None, initial_state=None)

    def test_sequences(self):
        one = {n: t[:1] for n, t in self.sample().items()}

        def ends(*numbers, **more):
            return {**one, "cu_seqlens": torch.tensor(numbers, **more), "initial_state": None}

        self.refused("with cu_seqlens all sequences follow each other", initial_state=None,
                     cu_seqlens=torch.tensor([0, 6]))  # fmt: skip
        self.refused("cu_seqlens", **ends(0, 4, 3, 6))
        self.refused("cu_seqlens", **ends(0, 4, 5))
        self.refused("cu_seqlens", **ends(1, 4, 6))
        self.refused("cu_seqlens", **ends(0, 4, 7))
        self.refused("cu_seqlens", **ends(0, 4, 7, 6))
        self.refused("cu_seqlens", **ends(-1, 6))
        self.refused("its type can be int32 or int64", **ends(0, 6, dtype=F32))
        self.refused("cu_seqlens", **ends(dtype=torch.int32))
        self.refused("does not have 1 dimensions", **{**ends(), "cu_seqlens": torch.tensor(3)})
        here = ends(0, 4, 3, 6)
        here["cu_seqlens"] = here["cu_seqlens"].to(self.device)
        self.refused(
            "cu_seqlens falls" if self.device == "cuda" else "cu_seqlens", **here, check=True
        )

    def test_values(self):
        x = self.sample()
        kernels.delta_product(**x, n_h=2, check=True)
        for name in support.NAMES:
            for value in (math.nan, math.inf):
                bad = x[name].clone()
                bad.view(-1)[3] = value
                self.refused(f"{name} {list(bad.shape)} float32 has", **{name: bad}, check=True)
        bad = -x["beta"]
        self.refused("beta [2, 12, 4] float32 has a negative number", beta=bad, check=True)
        kernels.delta_product(**{**x, "beta": bad}, n_h=2, check=True, beta_kind="sigmoid")
        forget = torch.full_like(x["g"], -math.inf)
        out, _ = kernels.delta_product(**{**x, "g": forget}, n_h=2, check=True)
        self.assertTrue(bool(torch.isfinite(out).all()))

    def test_steps(self):
        x = self.sample()
        one = {
            n: t[:, : 1 + (n in ("k", "v", "beta"))] for n, t in x.items() if n != "initial_state"
        }
        good = {**one, "state": x["initial_state"].clone(), "n_h": 2}
        kernels.delta_product_step(**good)

        def step(text, **changed):
            with self.assertRaises(kernels.ArgumentError) as caught:
                kernels.delta_product_step(**{**good, **changed})
            self.assertIn(text, str(caught.exception))

        step("a step takes one token", **{n: x[n] for n in ("q", "k", "v", "beta", "g")})
        step("is not contiguous, and changed in place",
             state=torch.zeros(2, 4, 8, 16, device=self.device).transpose(2, 3))  # fmt: skip
        step("state is NoneType", state=None)
        step("state_indices [3] int64: there are 2 sequences",
             state_indices=torch.zeros(3, dtype=torch.int64, device=self.device))  # fmt: skip

    def test_gradients_that_do_not_fit(self):
        from fsa2lrnn.kernels import ops

        given = (*self.sample().values(), None, 2, 0.0, 0, 0, 1e-6, 0, 0)
        out, final, kept = ops.delta_product_forward(*given, True, True)
        for bad in (
            (out[:1], final, kept),
            (out, final[:1], kept),
            (out, final, kept.new_empty(7)),
        ):
            with self.assertRaisesRegex(kernels.ArgumentError, "is not"):
                ops.delta_product_backward(*bad, *given, 63)

    def test_devices(self):
        x = self.sample()
        meta = {n: t.to("meta") for n, t in x.items()}
        self.refused("is on meta, and q on", k=meta["k"])
        if self.device == "cuda":
            self.refused("k [2, 12, 2, 16] float32 is on cpu, and q on cuda:0", k=x["k"].cpu())
            wide = {n: t.double() for n, t in x.items()}
            self.refused("float64 is for the CPU", **wide)
        out, final = kernels.delta_product(**meta, n_h=2, output_final_state=True)
        self.assertEqual((tuple(out.shape), tuple(final.shape)), ((2, 6, 4, 8), (2, 4, 16, 8)))
        self.assertEqual(F64, torch.float64)
