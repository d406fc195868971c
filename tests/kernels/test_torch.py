"""What PyTorch does with operators: opcheck, torch.compile, autocast, graphs, streams, devices."""

import copy
import os
import shutil
import subprocess
import sys
import unittest
import warnings
from pathlib import Path

import support
import torch
from support import BF16, F16, F32, F64, kernels

UTILS = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
# A backend of torch.compile that needs no compiler; all of them with F2L_TEST_WHOLE.
BACKENDS = ["aot_eager", *(["inductor"] if "F2L_TEST_WHOLE" in os.environ else [])]
SHAPE = (2, 6, 4, 2, 2, 16, 16)


def sample(device, dtype=F32, **more):
    return support.inputs(SHAPE, dtype, device=device, **{"gate": "head", "state": "kv", **more})


def training(x, **options):
    """Returns a loss with everything that has a gradient."""
    out, final = kernels.delta_product(**x, n_h=2, output_final_state=True, **options)
    return (out.float() ** 2).sum() + final.sin().sum()


def gradients(x, function):
    leaves = {n: t.detach().clone().requires_grad_() for n, t in x.items()}
    loss = function(leaves)
    loss.backward()
    return [loss.detach(), *(t.grad for t in leaves.values())]


@support.on_devices
class Operators:
    def opcheck(self, operator, arguments):
        done = torch.library.opcheck(operator, arguments, test_utils=UTILS)
        self.assertEqual(done, dict.fromkeys(UTILS, "SUCCESS"))

    def test_opcheck(self):
        from fsa2lrnn.kernels import ops

        for dtype, more, options in (
            (F32, {}, (2, 0.0, 0, 0, 1e-6, 0, 0)),
            (BF16, {"gate": None, "state": "vk"}, (2, 1.0, 2, 1, 1e-6, 1, 0)),
        ):
            x = sample(self.device, dtype, **more)
            given = (*x.values(), None, *options)
            self.opcheck(ops.delta_product_forward, (*given, True, True))
            out, final, kept = ops.delta_product_forward(*given, True, True)
            self.opcheck(
                ops.delta_product_backward, (out, final, kept, *given, 63 - 16 * (not more))
            )
            one = {
                n: t if t is None else t[:, : 1 + (n in ("k", "v", "beta"))] for n, t in x.items()
            }
            state = x["initial_state"].clone()
            step = (*list(one.values())[:5], state, None, *options)
            self.opcheck(ops.delta_product_step, step)

    def test_compile(self):
        x = sample(self.device)
        want = gradients(x, training)
        for backend in BACKENDS:
            for dynamic in (False, True):
                torch._dynamo.reset()
                function = torch.compile(training, fullgraph=True, backend=backend, dynamic=dynamic)
                got = gradients(x, function)
                for a, b in zip(got, want):
                    self.assertLess(
                        support.error_of(a, b), 1e-6 if backend == "inductor" else 1e-12
                    )

    def test_compile_inference(self):
        x = sample(self.device)
        with torch.no_grad():
            want = training(x, beta_kind="sigmoid", l2norm="add")
            torch._dynamo.reset()
            function = torch.compile(training, fullgraph=True, backend="aot_eager")
            got = function(x, beta_kind="sigmoid", l2norm="add")
        self.assertTrue(torch.equal(got, want))

    def test_compile_step(self):
        x = sample(self.device)
        one = {
            n: t[:, : 1 + (n in ("k", "v", "beta"))] for n, t in x.items() if n != "initial_state"
        }

        def decode(one, state):
            return kernels.delta_product_step(**one, state=state, n_h=2) * 2

        a, b = x["initial_state"].clone(), x["initial_state"].clone()
        want = decode(one, a)
        torch._dynamo.reset()
        got = torch.compile(decode, fullgraph=True, backend="aot_eager")(one, b)
        self.assertTrue(torch.equal(got, want))
        self.assertTrue(torch.equal(a, b))
        self.assertFalse(torch.equal(a, x["initial_state"]))

    def test_export(self):
        class Module(torch.nn.Module):
            def forward(self, q, k, v, beta):
                return kernels.delta_rule(q, k, v, beta)[0]

        x = support.inputs((2, 6, 2, 2, 1, 16, 16), F32, device=self.device)
        given = tuple(x[n] for n in ("q", "k", "v", "beta"))
        program = torch.export.export(Module(), given)
        self.assertTrue(torch.equal(program.module()(*given), Module()(*given)))

    def test_autocast(self):
        x = sample(self.device)
        for dtype in (BF16, F16):
            with torch.autocast(self.device, dtype=dtype):
                mixed = {**x, "k": x["k"].to(dtype)}
                leaves = {n: t.detach().clone().requires_grad_() for n, t in mixed.items()}
                out, final = kernels.delta_product(**leaves, n_h=2, output_final_state=True)
                (out.float().sum() + final.sum()).backward()
            self.assertEqual((out.dtype, final.dtype), (dtype, F32))
            rounded = {n: t.to(dtype) if n in "qkv" else t for n, t in x.items()}
            want, _ = kernels.delta_product(**rounded, n_h=2)
            self.assertTrue(torch.equal(out, want))
            for name, leaf in leaves.items():
                self.assertEqual(leaf.grad.dtype, mixed[name].dtype, name)
                self.assertTrue(bool(torch.isfinite(leaf.grad).all()))

    def test_profiler(self):
        """Profilers show the operators by name."""
        x = sample(self.device)
        with torch.profiler.profile() as profile:
            gradients(x, training)
            kernels.causal_conv1d(x["q"].flatten(2), torch.ones(32, 2, device=self.device))
        shown = {event.name for event in profile.events()}
        for name in ("delta_product_forward", "delta_product_backward", "causal_conv1d_forward"):
            self.assertIn(f"fsa2lrnn::{name}", shown)

    def test_checkpoint(self):
        """torch.utils.checkpoint computes forward twice."""
        from torch.utils.checkpoint import checkpoint

        x = sample(self.device)
        got = gradients(x, lambda leaves: checkpoint(training, leaves, use_reentrant=False))
        for a, b in zip(got, gradients(x, training)):
            self.assertTrue(torch.equal(a, b))

    def test_twice(self):
        """There is no second derivative, and that is said."""
        x = sample(self.device)
        q = x["q"].requires_grad_()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (dq,) = torch.autograd.grad(training(x), q, create_graph=True)
            with self.assertRaises(RuntimeError):
                torch.autograd.grad(dq.sum(), q)

    def test_threads(self):
        """Errors are a thread's own."""
        from concurrent.futures import ThreadPoolExecutor

        x = sample(self.device)
        want = training(x)

        def work(i):
            if i % 2:
                return bool(torch.equal(training(x), want))
            try:
                kernels.delta_product(**{**x, "k": x["k"][:, :3]}, n_h=2)
            except kernels.ArgumentError as error:
                return "k [2, 3, 2, 16]" in str(error)

        with ThreadPoolExecutor(4) as pool:
            self.assertTrue(all(pool.map(work, range(40))))


@unittest.skipUnless("cuda" in support.DEVICES, "there is no GPU")
class Cuda(unittest.TestCase):
    def test_graph(self):
        """A captured forward and backward reads new inputs."""
        for dtype in (F32, BF16):
            x = {
                n: t.requires_grad_()
                for n, t in sample("cuda", dtype, gate=None).items()
                if t is not None
            }
            other = sample("cuda", dtype, gate=None, seed=5)
            want = gradients({n: other[n] for n in x}, training)
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    training(x).backward()
            torch.cuda.current_stream().wait_stream(stream)
            for t in x.values():
                t.grad = None
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                loss = training(x)
                loss.backward()
            with torch.no_grad():
                for n, t in x.items():
                    t.copy_(other[n])
            graph.replay()
            torch.cuda.synchronize()
            for a, b in zip([loss, *(t.grad for t in x.values())], want):
                self.assertTrue(torch.equal(a, b), dtype)

    def test_no_check_in_a_graph(self):
        x = sample("cuda")
        kernels.delta_product(**x, n_h=2)
        graph = torch.cuda.CUDAGraph()
        with self.assertRaisesRegex(kernels.ArgumentError, "captured"):
            with torch.cuda.graph(graph):
                kernels.delta_product(**x, n_h=2, check=True)

    def test_side_stream(self):
        """Work is launched on the current stream, behind what is there."""
        x = sample("cuda", BF16, gate=None)
        want = training(x)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            late = {n: torch.zeros_like(t) for n, t in x.items() if t is not None}
            torch.cuda._sleep(50_000_000)
            for n, t in late.items():
                t.copy_(x[n])
            got = training(late)
        stream.synchronize()
        self.assertTrue(torch.equal(got, want))

    def test_ends_of_the_host(self):
        """cu_seqlens on the CPU is checked, and copied to the GPU."""
        x = support.inputs((1, 9, 2, 2, 1, 32, 32), BF16, device="cuda")
        ends = torch.tensor([0, 4, 9])
        want, _ = kernels.delta_rule(**x, cu_seqlens=ends.cuda())
        got, _ = kernels.delta_rule(**x, cu_seqlens=ends)
        self.assertTrue(torch.equal(got, want))
        with self.assertRaisesRegex(kernels.ArgumentError, "cu_seqlens"):
            kernels.delta_rule(**x, cu_seqlens=torch.tensor([0, 4, 8]))


def everything(device):
    """Returns outputs and gradients of every operator on a device, on the CPU: both paths of the
    delta product, a step, the scan and the convolution."""
    found = []
    for dtype, gate in ((BF16, None), (BF16, "head"), (F32, "key")):
        x = sample(device, dtype, gate=gate)
        found += gradients({n: t for n, t in x.items() if t is not None}, training)
    state = x.pop("initial_state")
    one = {n: t[:, : 1 + (n in ("k", "v", "beta"))] for n, t in x.items()}
    found += [kernels.delta_product_step(**one, state=state, n_h=2), state]
    rng = torch.Generator().manual_seed(4)
    shapes = {"u": (2, 9, 12), "B": (2, 9, 4), "C": (2, 9, 4), "rate": (12, 4)}
    x = {n: torch.randn(size, generator=rng).to(device) for n, size in shapes.items()}

    def loss(x):
        y, _ = kernels.causal_conv1d(x["u"], x["rate"], activation="silu")
        return kernels.selective_scan(y, y, x["rate"], x["B"], x["C"], gate=x["u"]).sin().sum()

    return [t.cpu() for t in (*found, *gradients(x, loss))]


@unittest.skipUnless("cuda" in support.DEVICES, "there is no GPU")
@unittest.skipUnless(torch.cuda.device_count() > 1, "there is one GPU")
class TwoDevices(unittest.TestCase):
    """Tensors on cuda:1, while cuda:0 is the current device."""

    def expect_equal(self, got, want):
        for a, b in zip(got, want):
            self.assertTrue(torch.equal(a, b))

    def test_second_device(self):
        self.assertEqual(torch.cuda.current_device(), 0)
        x = sample("cuda:1", BF16, gate=None)
        for t in gradients({n: t for n, t in x.items() if t is not None}, training):
            self.assertEqual(t.device.index, 1)
        want = everything("cuda:0")
        for device in ("cuda:1", "cuda:0", "cuda:1"):
            self.expect_equal(everything(device), want)
        self.assertEqual(torch.cuda.current_device(), 0)

    def test_first_call(self):
        """A kernel's first call of a process on cuda:1 is as any: what it asks of a device is
        asked of that one."""
        text = "torch.save(test_torch.everything(sys.argv[1]), sys.argv[2])"
        found = []
        with support.folder() as folder:
            for device in ("cuda:0", "cuda:1"):
                argv = [sys.executable, "-c", f"import sys, test_torch, torch; {text}", device]
                subprocess.run([*argv, folder / "x"], check=True, cwd=Path(__file__).parent)
                found.append(torch.load(folder / "x"))
        self.expect_equal(*found)

    def test_stream(self):
        """Work on cuda:1 goes to the current stream of cuda:1, behind what is there."""
        x = sample("cuda:1", BF16, gate=None)
        want = training(x)
        torch.cuda.synchronize(1)
        stream = torch.cuda.Stream(1)
        late = {n: None if t is None else torch.zeros_like(t) for n, t in x.items()}
        with torch.cuda.stream(stream):
            torch.cuda._sleep(50_000_000)
            for n, t in late.items():
                if t is not None:
                    t.copy_(x[n])
            with torch.cuda.device(0):
                got = training(late)
                done = torch.cuda.Event()
        done.record(stream)
        done.synchronize()
        self.assertTrue(torch.equal(got, want))

    def test_threads(self):
        """Both devices at once, from threads."""
        from concurrent.futures import ThreadPoolExecutor

        want = everything("cuda:0")
        with ThreadPoolExecutor(4) as pool:
            for got in pool.map(everything, [f"cuda:{i % 2}" for i in range(12)]):
                self.expect_equal(got, want)

    def test_graph(self):
        """A graph of cuda:1 holds what was launched there."""
        x = {n: t for n, t in sample("cuda:1", BF16, gate=None).items() if t is not None}
        other = sample("cuda:1", BF16, gate=None, seed=5)
        want = training(other)
        training(x)
        torch.cuda.synchronize(1)
        graph = torch.cuda.CUDAGraph()
        # The stream that torch.cuda.graph makes itself is one of the first device that captured.
        with torch.cuda.device(1), torch.cuda.graph(graph, stream=torch.cuda.Stream(1)):
            with torch.cuda.device(0):
                loss = training(x)
        for n, t in x.items():
            t.copy_(other[n])
        graph.replay()
        torch.cuda.synchronize(1)
        self.assertTrue(torch.equal(loss, want))

    def test_refused(self):
        x = sample("cuda:1")
        x["k"] = x["k"].to("cuda:0")
        with self.assertRaisesRegex(kernels.ArgumentError, "is on cuda:0, and q on cuda:1"):
            kernels.delta_product(**x, n_h=2)


class Package(unittest.TestCase):
    def run_python(self, text, **environment):
        path = {"PYTHONPATH": str(support.ROOT / "python")}
        env = {**os.environ, **path, **environment}
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=env)

    ALONE = f"import sys; sys.path.insert(0, '{Path(__file__).parent}'); import support"

    def test_library_is_not_there(self):
        done = self.run_python(self.ALONE, FSA2LRNN_KERNELS_LIB="/nowhere/x.so")
        self.assertIn("ImportError: FSA2LRNN_KERNELS_LIB is /nowhere/x.so", done.stderr)
        done = self.run_python(self.ALONE, FSA2LRNN_KERNELS_LIB=__file__)
        self.assertIn("cannot be loaded", done.stderr)

    def test_another_version(self):
        with support.folder() as folder:
            package = folder / "fsa2lrnn/kernels"
            shutil.copytree(support.ROOT / "python/fsa2lrnn/kernels", package)
            source = package / "_library.py"
            text = source.read_text(encoding="utf-8")
            source.write_text(text.replace(kernels.__version__, "9.9.9"), encoding="utf-8")
            done = self.run_python("import fsa2lrnn.kernels", PYTHONPATH=str(folder))
        self.assertIn(
            f"is version {kernels.__version__}, and this package is for 9.9.9", done.stderr
        )

    def test_what_is_here(self):
        """`python -m fsa2lrnn.kernels` says what is here; all of it is right."""
        text = "import runpy; runpy.run_module('fsa2lrnn.kernels', run_name='__main__')"
        done = self.run_python(f"{self.ALONE}; {text}")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        for part in (
            f"fsa2lrnn-kernels {kernels.__version__}, ",
            f"PyTorch {torch.__version__}, ",
            "cuda:0: " if "cuda" in support.DEVICES else "no GPU: ",
            "float32, 64 x 64, n_h 2           right, error ",
        ):
            self.assertIn(part, done.stdout)

    def test_version_of_the_header(self):
        header = (support.ROOT / "include/fsa2lrnn_kernels.h").read_text(encoding="utf-8")
        self.assertIn(f'#define FSA2LRNN_KERNELS_VERSION "{kernels.__version__}"', header)

    def test_gradient_in_float64_is_a_copy(self):
        x = sample("cpu", F64)
        again = copy.deepcopy(x)
        gradients(x, training)
        for n, t in x.items():
            self.assertTrue(torch.equal(t, again[n]))
