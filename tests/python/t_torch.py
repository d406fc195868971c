"""Networks as modules of PyTorch: equal to net.run, in both forms and all types; state in and out;
gradients against finite differences; what is refused."""

import copy
import importlib.util
import io
import math
import pickle
import tempfile
import unittest
import warnings
from pathlib import Path

import fsa2lrnn as f
import samples

try:
    import torch
except ImportError as error:
    raise unittest.SkipTest("PyTorch is not installed") from error
from fsa2lrnn import torch as ft

warnings.filterwarnings("ignore", "scatter_reduce", UserWarning)  # of PyTorch 1.13
functional_call = getattr(torch, "func", torch.nn.utils.stateless).functional_call


def compiled(kind, options):
    return f.compile(samples.new(kind), **options)


def names(net, labels):
    return [[None if i < 0 else net.labels[i] for i in row] for row in labels.tolist()]


class Running(unittest.TestCase):
    def test_as_the_network(self):
        """Networks whose weights are exact in bf16 are right in every type; the others in float64,
        for 60 letters."""
        for kind, _, statement in samples.LAYERED:
            net, _ = samples.layered(kind, statement)
            words = samples.words(4, len(net.letters), 60, kind)
            want = [net.run(word) for word in words]
            types = [torch.float64]
            if not net.rounded:
                types += [torch.float32, torch.bfloat16, torch.float16]
            for dtype in types:
                for form in ft.FORMS:
                    module = ft.Network(net, dtype=dtype, form=form)
                    out = module(torch.tensor(words))
                    self.assertEqual(names(net, out.labels), want, (statement, dtype, form))
                    self.assertTrue((out.scores.argmax(-1) == out.labels).all())
                    head = module.layers[0].heads[0]
                    self.assertEqual((head.beta.dtype, out.hidden[0][0].dtype), (dtype, dtype))

    def test_shapes(self):
        net = compiled("tomita 3", {"label": "accept"})
        out = ft.Network(net)(torch.tensor(samples.words(3, 2, 7, 1)))
        self.assertEqual((out.labels.shape, out.scores.shape), ((3, 7), (3, 7, len(net.labels))))
        for layer, hidden, state in zip(net.layers, out.hidden, out.state):
            for head, h, s in zip(layer.heads, hidden, state):
                self.assertEqual(tuple(h.shape), (3, 7, *head.initial.shape))
                self.assertTrue(torch.equal(h[:, -1], s))

    def test_scan_is_recurrent(self):
        for kind, _, statement in samples.LAYERED:
            module = ft.Network(samples.layered(kind, statement)[0], dtype=torch.float64)
            for length in (1, 2, 3, 8, 33):
                x = torch.tensor(samples.words(3, len(module.letters), length, length))
                one, two = module(x), module(x, form="recurrent")
                for a, b in zip(sum(one.hidden, ()), sum(two.hidden, ())):
                    torch.testing.assert_close(a, b, atol=1e-9, rtol=0)
                self.assertTrue(torch.equal(one.labels, two.labels))

    def test_state_in_and_out(self):
        for form in ft.FORMS:
            module = ft.Network(compiled("tomita 3", {"label": "accept"}), form=form)
            x = torch.tensor(samples.words(3, 2, 20, 2))
            whole, state, parts = module(x), None, []
            for part in x.split([1, 5, 2, 12], 1):
                out = module(part, state)
                state = out.state
                parts.append(out.labels)
            self.assertTrue(torch.equal(torch.cat(parts, 1), whole.labels))
            for a, b in zip(sum(state, ()), sum(whole.state, ())):
                self.assertTrue(torch.equal(a, b))

    def test_letters_of_a_class(self):
        net = f.compile(f.from_table([[0, 1, 1], [1, 0, 0]]))
        self.assertEqual(net.letter_classes.tolist(), [0, 1, 1])
        words = samples.words(2, 3, 20, 3)
        labels = ft.Network(net)(torch.tensor(words)).labels
        self.assertEqual(names(net, labels), [net.run(word) for word in words])

    def test_a_state_that_decodes_to_nothing(self):
        module = ft.Network(compiled("tomita 3", {"label": "accept"}))
        module.layers[0].symbols.fill_(-1)
        out = module(torch.tensor([[0, 1]]))
        self.assertEqual(out.labels.tolist(), [[-1, -1]])

    def test_copies(self):
        module = ft.Network(compiled("symmetric 3", {}))
        x = torch.tensor(samples.words(2, 6, 9, 4))
        for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
            self.assertTrue(torch.equal(other(x).labels, module(x).labels))
        fresh = ft.Network(compiled("symmetric 3", {}))
        fresh.layers[0].heads[0].key.data.zero_()
        fresh.load_state_dict(module.state_dict())
        self.assertTrue(torch.equal(fresh(x).labels, module(x).labels))

    @unittest.skipUnless(torch.cuda.is_available(), "there is no GPU")
    def test_gpu(self):
        for kind, _, statement in samples.LAYERED:
            net, _ = samples.layered(kind, statement)
            words = samples.words(4, len(net.letters), 60, kind)
            module = ft.Network(net, dtype=torch.float64).to("cuda")
            for form in ft.FORMS:
                out = module(torch.tensor(words, device="cuda"), form=form)
                self.assertEqual(names(net, out.labels), [net.run(w) for w in words], statement)


class Gradients(unittest.TestCase):
    def check(self, kind, options, form):
        """Compares the gradients of all parameters with finite differences, at weights a little
        beside the network's, and returns the module."""
        module = ft.Network(compiled(kind, options), dtype=torch.float64, form=form)
        torch.manual_seed(1)
        x = torch.tensor(samples.words(1, len(module.letters), 5, kind))
        keys, start = zip(*((k, p.detach().clone()) for k, p in module.named_parameters()))
        start = [(p + 1e-3 * torch.randn_like(p)).requires_grad_() for p in start]

        def outputs(*values):
            out = functional_call(module, dict(zip(keys, values)), (x,))
            return (*sum(out.hidden, ()), torch.tanh(out.scores[..., :1]))

        self.assertTrue(torch.autograd.gradcheck(outputs, start, atol=1e-6))
        return module

    def test_finite_differences(self):
        for form in ft.FORMS:
            self.check("parity", {}, form)
            self.check("symmetric 3", {"layers": 1, "key_dim": 2}, form)
            self.check("tomita 3", {"label": "accept"}, form)
            self.check("flipflop", {"target": "diagonal"}, form)
            gated = self.check("random 4 2 3", {"gated": True}, form)
            heads = [head for layer in gated.layers for head in layer.heads]
            self.assertTrue(any(head.gate is not None for head in heads))

    def test_no_gradient_through_a_decoder(self):
        module = ft.Network(compiled("tomita 3", {"label": "accept"}))
        self.assertGreater(len(module.layers), 1)
        out = module(torch.tensor(samples.words(4, 2, 9, 5)))
        torch.logsumexp(out.scores, -1).sum().backward()
        have = [
            any(p.grad is not None and bool(p.grad.abs().sum()) for p in layer.parameters())
            for layer in module.layers
        ]
        self.assertEqual(have, [False] * (len(have) - 1) + [True])
        self.assertIn("no gradient passes through it", " ".join(ft.Network.__doc__.split()))

    def test_training_repairs_weights(self):
        """A few steps of gradient descent on the scores bring back weights that were moved."""
        net = compiled("symmetric 3", {})
        module = ft.Network(net, dtype=torch.float64)
        x = torch.tensor(samples.words(16, 6, 12, 6))
        want = module(x).labels
        torch.manual_seed(2)
        with torch.no_grad():
            for p in module.parameters():
                p += 0.15 * torch.randn_like(p)
        loss = lambda: torch.nn.functional.cross_entropy(  # noqa: E731
            module(x).scores.flatten(0, 1), want.flatten()
        )
        before, wrong = loss().item(), (module(x).labels != want).sum().item()
        self.assertGreater(wrong, 0)
        optimiser = torch.optim.Adam(module.parameters(), lr=0.02)
        for _ in range(60):
            optimiser.zero_grad()
            value = loss()
            value.backward()
            optimiser.step()
        self.assertLess(loss().item(), before / 2)
        self.assertLess((module(x).labels != want).sum().item(), wrong)


@unittest.skipUnless(hasattr(torch, "export"), "this PyTorch has no torch.export")
class Exported(unittest.TestCase):
    """torch.export of the module and of the file model.py of `export`: for words of one length, in
    any number."""

    def check(self, module, words, labels_of):
        x = torch.tensor(words)
        batch = {"letters": {0: torch.export.Dim("batch")}}
        with torch.no_grad():
            program = torch.export.export(module, (x,), dynamic_shapes=batch)
        file = io.BytesIO()
        torch.export.save(program, file)
        file.seek(0)
        again = torch.export.load(file).module()
        more = torch.cat([x, x.flip(0), x])
        self.assertTrue(torch.equal(labels_of(again(more)), labels_of(module(more))))
        for wrong in (x - 100, x + 100):
            self.assertRaisesRegex(RuntimeError, "letters", again, wrong)

    def test_module(self):
        net, words = compiled("parity", {}), samples.words(3, 2, 4, 1)
        self.check(ft.Network(net, dtype=torch.float64), words, lambda out: out.labels)

    def test_model_file(self):
        net = compiled("parity", {})
        with tempfile.TemporaryDirectory() as folder:
            f.export(net, "pytorch", Path(folder, "net"))
            spec = importlib.util.spec_from_file_location("model", Path(folder, "net/model.py"))
            model = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(model)
            module = model.load(Path(folder, "net"))
        self.check(module, samples.words(3, 2, 4, 1), lambda out: out[0])


class Traced(unittest.TestCase):
    def test_letters_are_checked(self):
        """torch.jit.trace, which every PyTorch has, records the check."""
        module = ft.Network(compiled("parity", {}))
        x = torch.tensor([[0, 1, 1]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            traced = torch.jit.trace(module, x, check_trace=False)
        self.assertTrue(torch.equal(traced(x.flip(1))[0], module(x.flip(1)).labels))
        self.assertRaises(RuntimeError, traced, x + 5)
        self.assertRaises(RuntimeError, traced, x - 5)


class Refused(unittest.TestCase):
    def test_arguments(self):
        net = compiled("symmetric 3", {})
        module = ft.Network(net)
        x = torch.zeros((2, 3), dtype=torch.long)
        for wrong in (x - 1, x + 6, x.double(), x.bool(), x[0], x[:, :0], [[0]], None):
            self.assertRaises(f.ArgumentError, module, wrong)
        self.assertRaisesRegex(f.ArgumentError, "there is no letter 6", module, x + 6)
        self.assertRaises(f.ArgumentError, module, x, form="fast")
        self.assertRaises(f.ArgumentError, ft.Network, net, form="fast")
        self.assertRaises(f.ArgumentError, ft.Network, net, dtype=torch.int64)
        self.assertRaises(f.ArgumentError, ft.Network, "net")
        state = module(x).state
        self.assertRaises(f.ArgumentError, module, x[:1], state)
        self.assertRaises(f.ArgumentError, module, x, ft.Network(net, dtype=torch.float64)(x).state)
        self.assertRaises(f.ArgumentError, module, x, ())

    def test_weights_that_are_not_finite(self):
        for value in (math.nan, math.inf):
            module = ft.Network(compiled("symmetric 3", {}))
            module.layers[0].heads[0].key.data[1, 0, 0] = value
            with self.assertRaisesRegex(f.ArgumentError, "not finite"):
                module(torch.tensor([[0, 1, 1]]))

    def test_a_wired_network(self):
        net = f.compile(samples.new("transformations 4"), max_sets=1)
        self.assertRaisesRegex(f.DomainError, "wired", ft.Network, net)
