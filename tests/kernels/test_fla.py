"""accelerate_fla and restore_fla, with a small package in the place of fla, which has the modules,
signatures and registries of fla 0.5.2 and 0.6.0; and with the installed fla where there is one."""

import importlib
import importlib.util
import logging
import os
import shutil
import sys
import unittest
from pathlib import Path

import support
import torch
from support import BF16, F32, kernels

from fsa2lrnn.kernels import fla as ours

# fla's functions answer with their names here, so that a test sees who was called.
DELTA = """
def chunk_delta_rule(q, k, v, beta, scale=None, initial_state=None, output_final_state=False,
                     use_qk_l2norm_in_kernel=False, cu_seqlens=None, cu_seqlens_cpu=None, **kwargs):
    return "theirs", "chunk_delta_rule"
"""
PRODUCT = """
def chunk_gated_delta_product(q, k, v, g, beta, num_householder, scale=None, initial_state=None,
                              output_final_state=False, use_qk_l2norm_in_kernel=False,
                              cu_seqlens=None, cu_seqlens_cpu=None):
    return "theirs", "chunk_gated_delta_product"
"""
GATED = """
from {backends} import dispatch

@dispatch("gated_delta_rule")
def chunk_gated_delta_rule(q, k, v, g, beta, scale=None, initial_state=None,
                           output_final_state=False, use_qk_l2norm_in_kernel=False,
                           use_beta_sigmoid_in_kernel=False, allow_neg_eigval=False,
                           state_v_first=False, cu_seqlens=None, cu_seqlens_cpu=None,
                           cp_context=None, **kwargs):
    return "theirs", "chunk_gated_delta_rule"

chunk_gdn = chunk_gated_delta_rule
"""
BACKENDS = """
import functools, os

class BaseBackend:
    backend_type, env_var, priority = "base", None, 5

    def verify(self, name, *args, **kwargs):
        try:
            return getattr(self, name + "_verifier")(*args, **kwargs)
        except Exception as error:
            return False, str(error)

class BackendRegistry:
    _registries = {}

    def __init__(self, name):
        self._backends = {}
        self._registries[name] = self

    @classmethod
    def ensure_initialized(cls, name):
        pass

    def register(self, backend):
        self._backends[backend.backend_type] = backend

def _get_operation_registry(name):
    return BackendRegistry._registries.get(name) or BackendRegistry(name)

def dispatch(name):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            registry = BackendRegistry._registries.get(name)
            for backend in sorted(registry._backends.values(), key=lambda b: b.priority):
                if os.environ.get(backend.env_var, "1") == "0":
                    continue
                if backend.verify(function.__name__, *args, **kwargs)[0]:
                    return getattr(backend, function.__name__)(*args, **kwargs)
            return function(*args, **kwargs)
        _get_operation_registry(name)
        return wrapper
    return decorate
"""

UTILS = """
def get_layer_cache(module, past_key_values):
    return past_key_values.get(module.layer_idx)

def update_layer_cache(module, past_key_values, offset, **states):
    past_key_values[module.layer_idx] = states
"""
MAMBA = """
import torch

class Mamba(torch.nn.Module):
    def __init__(self, width, inner, states, taps, rank):
        super().__init__()
        self.dt_rank, self.ssm_state_size, self.conv_kernel_size = rank, states, taps
        self.activation, self.layer_idx = "silu", 0
        self.in_proj = torch.nn.Linear(width, 2 * inner, bias=False)
        self.conv1d = torch.nn.Conv1d(inner, inner, taps, groups=inner, padding=taps - 1)
        self.x_proj = torch.nn.Linear(inner, rank + 2 * states, bias=False)
        self.dt_proj = torch.nn.Linear(rank, inner)
        self.A_log = torch.nn.Parameter(torch.arange(1.0, states + 1).log().repeat(inner, 1))
        self.D = torch.nn.Parameter(torch.ones(inner))
        self.out_proj = torch.nn.Linear(inner, width, bias=False)

    def forward(self, hidden_states, attention_mask=None, past_key_values=None, use_cache=False,
                output_attentions=False, **kwargs):
        return "theirs", None, past_key_values
"""


def write_fla(folder, version):
    """Writes the package fla of a version."""
    backends = "fla.ops.backends" if version == "0.5.2" else "fla.backends"
    files = {"": f'__version__ = "{version}"\n', "layers": "", "ops": ""}
    files[backends.removeprefix("fla.").replace(".", "/")] = BACKENDS
    for name, text in (
        ("delta_rule", DELTA),
        ("gated_delta_product", PRODUCT),
        ("gated_delta_rule", GATED),
    ):
        files[f"ops/{name}"] = f"from .chunk import chunk_{name}\n"
        files[f"ops/{name}/chunk"] = text.replace("{backends}", backends)
        files[f"layers/{name}"] = f"from fla.ops.{name} import chunk_{name}\n"
        files["ops"] += f"from .{name} import chunk_{name}\n"
        files["layers"] += f"from . import {name}\n"
    files["layers/utils"], files["layers/mamba"] = UTILS, MAMBA
    files["layers"] += "from . import mamba, utils\n"
    files["ops/gated_delta_rule"] = "from .chunk import chunk_gated_delta_rule, chunk_gdn\n"
    files["ops/gated_delta_product/chunk_ref"] = "from fla.ops.delta_rule import chunk_delta_rule\n"
    files["ops/gated_delta_product"] += "from . import chunk_ref\n"
    for name, text in files.items():
        leaf = name.endswith(("chunk", "chunk_ref")) or name.startswith("layers/")
        path = folder / "fla" / (f"{name}.py" if leaf else Path(name, "__init__.py"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class FakeFla(unittest.TestCase):
    """What a test of a small fla needs; `start` makes one."""

    def setUp(self):
        self.place = support.folder()
        self.folder = self.place.__enter__()
        self.before = {n: m for n, m in sys.modules.items() if n.split(".")[0] == "fla"}
        self.forget()
        sys.path.insert(0, str(self.folder))

    def tearDown(self):
        ours.restore_fla()
        sys.path.remove(str(self.folder))
        self.forget()
        sys.modules.update(self.before)
        self.place.__exit__(None, None, None)

    def forget(self):
        for name in [name for name in sys.modules if name.split(".")[0] == "fla"]:
            del sys.modules[name]
        importlib.invalidate_caches()

    def start(self, version):
        """Returns a new fla of a version."""
        self.forget()
        shutil.rmtree(self.folder / "fla", ignore_errors=True)
        write_fla(self.folder, version)
        importlib.import_module("fla.layers")
        return importlib.import_module("fla")


class Operators(FakeFla):
    def setUp(self):
        super().setUp()
        x = support.inputs((2, 9, 2, 2, 2, 16, 16), BF16, gate="head", state="kv")
        self.product = {**x, "num_householder": 2, "output_final_state": True}
        one = support.inputs((2, 9, 4, 2, 1, 16, 8), BF16, BF16, gate="head", state="vk")
        self.gated = {**one, "state_v_first": True, "output_final_state": True}

    def test_replaces_and_restores(self):
        for version in ours.TESTED:
            ours.restore_fla()
            fla = self.start(version)
            theirs = fla.ops.chunk_delta_rule
            old_gated = fla.ops.gated_delta_rule.chunk_gated_delta_rule
            names = ours.accelerate_fla()
            self.assertEqual(ours.accelerate_fla(), names)
            self.assertIn("fla.layers.gated_delta_product.chunk_gated_delta_product", names)
            self.assertIn("fla.ops.gated_delta_rule.chunk_gdn", names)
            self.assertNotIn("fla.ops.gated_delta_product.chunk_ref.chunk_delta_rule", names)
            want, final = kernels.delta_product(
                **{n: t for n, t in self.product.items() if n != "num_householder"}, n_h=2
            )
            got, last = fla.layers.gated_delta_product.chunk_gated_delta_product(**self.product)
            self.assertTrue(torch.equal(got, want) and torch.equal(last, final))
            rule = {n: self.product[n] for n in ("q", "initial_state")}
            rule.update({n: self.product[n][:, ::2] for n in ("k", "v", "beta")})
            want, _ = kernels.delta_rule(**rule, l2norm="add")
            got, last = fla.ops.chunk_delta_rule(**rule, use_qk_l2norm_in_kernel=True)
            self.assertTrue(torch.equal(got, want) and last is None)
            want, final = kernels.delta_rule(
                **{n: t for n, t in self.gated.items() if n not in ("state_v_first", "beta", "g")},
                **{n: self.gated[n].float() for n in ("beta", "g")},
                state_order="vk", beta_kind="two_sigmoid",
            )  # fmt: skip
            more = {"use_beta_sigmoid_in_kernel": True, "allow_neg_eigval": True}
            for function in (fla.ops.chunk_gated_delta_rule, old_gated):
                got, last = function(**self.gated, **more)
                self.assertTrue(torch.equal(got, want) and torch.equal(last, final))
            ours.restore_fla()
            self.assertIs(fla.ops.chunk_delta_rule, theirs)
            self.assertIs(fla.layers.delta_rule.chunk_delta_rule, theirs)
            self.assertEqual(old_gated(**self.gated)[0], "theirs")

    def test_falls_back(self):
        """What is not ours goes to fla, and the log says why once."""
        for version in ours.TESTED:
            ours.restore_fla()
            fla = self.start(version)
            ours.accelerate_fla()
            with self.assertLogs("fsa2lrnn.kernels.fla", logging.WARNING) as log:
                for _ in range(2):
                    wide = {n: self.product[n].float() for n in ("q", "k", "v")}
                    product = fla.ops.chunk_gated_delta_product
                    self.assertEqual(product(**{**self.product, **wide})[0], "theirs")
                    for name in ("use_gate_in_kernel", "unheard_of", "allow_neg_eigval"):
                        got = fla.ops.chunk_gated_delta_rule(**self.gated, **{name: True})
                        self.assertEqual(got[0], "theirs")
            self.assertEqual(len(log.output), 4, log.output)
            self.assertIn("unheard_of is given", log.output[2])

    def test_gradients_and_compile(self):
        for version in ours.TESTED:
            ours.restore_fla()
            fla = self.start(version)
            ours.accelerate_fla()
            q = self.product["q"].clone().requires_grad_()
            layer = fla.layers.gated_delta_product

            def loss(q):
                given = {**self.product, "q": q}
                return layer.chunk_gated_delta_product(**given)[0].sum()  # noqa: B023

            (want,) = torch.autograd.grad(loss(q), q)
            torch._dynamo.reset()
            compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
            (got,) = torch.autograd.grad(compiled(q), q)
            self.assertTrue(torch.equal(got, want))

    def test_refused(self):
        self.start("0.4.1")
        with self.assertRaisesRegex(
            kernels.DomainError, "fla is version 0.4.1, and this is tested"
        ):
            ours.accelerate_fla()
        self.start("0.6.0")
        os.environ[ours.ENVIRONMENT] = "0"
        try:
            self.assertEqual(ours.accelerate_fla(), [])
        finally:
            del os.environ[ours.ENVIRONMENT]

    def test_not_installed(self):
        sys.modules["fla"] = None
        with self.assertRaisesRegex(kernels.ArgumentError, "fla cannot be imported"):
            ours.accelerate_fla()
        del sys.modules["fla"]


@unittest.skipUnless(
    "cuda" in support.DEVICES and importlib.util.find_spec("fla"), "there is no GPU or no fla"
)
class Installed(unittest.TestCase):
    def test_as_fla(self):
        """Ours and fla's answers are near each other, from the same call."""
        import fla.layers
        import fla.ops

        x = support.inputs((2, 130, 2, 2, 2, 64, 64), BF16, state="kv", device="cuda")
        call = {**x, "g": None, "num_householder": 2, "output_final_state": True}
        theirs = fla.ops.gated_delta_product.chunk_gated_delta_product(**call)
        ours.accelerate_fla()
        try:
            got = fla.ops.gated_delta_product.chunk_gated_delta_product(**call)
        finally:
            ours.restore_fla()
        for a, b in zip(got, theirs):
            self.assertLess(support.error_of(a, b), 2e-2)
        self.assertEqual(got[1].dtype, F32)
