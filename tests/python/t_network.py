"""Networks: compiled, verified, run, saved and checked; their arrays; errors and cancellation."""

import copy
import gc
import hashlib
import inspect
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import fsa2lrnn as f
import samples
from fsa2lrnn import _native, weights

MEALY = "start a\na x b p\na y a q\nb x a q\nb y b p\n"


def is_taken(name):
    """Returns whether the library has an option of this name."""
    made = _native.ffi.new("fsa2lrnn_options **")
    _native.call(_native.lib.fsa2lrnn_options_new, made)
    options = _native.ffi.gc(made[0], _native.lib.fsa2lrnn_options_free)
    try:
        _native.call(_native.lib.fsa2lrnn_options_set, options, name.encode(), b"?")
    except f.ArgumentError as error:
        return "there is no option" not in str(error)
    return True


class Compiling(unittest.TestCase):
    def test_options(self):
        a = samples.new("symmetric 3")
        self.assertEqual(f.compile(a, keys="naive", formats=["bf16"]).labels, a.states)
        net = f.compile(a, layers=1, key_dim=2, formats="fp32,fp64", exact_in=None)
        formats = [v["format"] for v in net.report["formats"]]
        self.assertEqual(formats, ["fp32", "fp64"])
        self.assertEqual(net.report["construction"]["key_dim"], 2)
        halves = f.compile(a, weights_dtype="f16").report["weights"]
        self.assertEqual(halves["dtype"], "F16")
        gated = f.compile(samples.new("random 6 2 4"), gated=True, task=f.Task(threads=2))
        self.assertIsNotNone(next(h.gate for y in gated.layers for h in y.heads if y))

    def test_options_are_those_of_the_library(self):
        """The options of `fsa2lrnn compile` that the library takes are in its header, and they are
        the keywords here."""
        asked = [str(samples.BUILD / "fsa2lrnn"), "completion", "words", "--", "compile", "--"]
        lines = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        names = {line.split("\t")[0][2:] for line in lines.splitlines()}
        taken = {name for name in names if is_taken(name)}
        header = (samples.ROOT / "include/fsa2lrnn.h").read_text(encoding="utf-8")
        comment = header[: header.index("fsa2lrnn_status fsa2lrnn_options_set")].rsplit("/*", 1)[1]
        listed = re.sub(r"\([^)]*\)|\n \*", "", comment.split("dashes:")[1].split(". ")[0])
        self.assertEqual({name.strip() for name in listed.split(",")}, taken)
        keywords = set(inspect.signature(f.compile).parameters) - {"automaton", "task"}
        self.assertEqual({name.replace("_", "-") for name in keywords}, taken)

    def test_what_is_refused(self):
        a = samples.new("symmetric 3")
        for options in ({"keys": "x"}, {"layers": 0}, {"layers": -1}, {"formats": ["fp12"]}):
            self.assertRaises(f.ArgumentError, f.compile, a, **options)
        self.assertRaises(f.ArgumentError, f.compile, a, label="colour")
        self.assertRaises(f.DomainError, f.compile, a, label="outputs")
        self.assertRaises(f.DomainError, f.compile, a, target="diagonal")
        self.assertRaises(f.ArgumentError, f.compile, "parity.fsa")
        self.assertRaises(TypeError, f.compile, a, colour=1)
        for limits in ({"seconds": -1}, {"seconds": float("nan")}, {"threads": 2**40}):
            self.assertRaises(f.ArgumentError, f.Task, **limits)

    def test_labels_of_every_kind(self):
        moore = "start a\noutput a p\noutput b q\na x b\na y a\nb x a\nb y b\n"
        for kind, text in (("accept", samples.PARITY), ("outputs", moore), ("edges", MEALY)):
            a = f.parse(text)
            net = f.compile(a, label=kind)
            self.assertTrue(net.verify().verified)
            for word in samples.words(5, 2, 20, 3):
                want = samples.labels(a, kind, word)
                self.assertEqual(net.run(word), want)
                self.assertEqual(samples.replay(net, word), want)
        self.assertIsNone(net.start().label)  # edges: the empty word has no label


class Verdicts(unittest.TestCase):
    def test_a_verdict_is_no_truth_value(self):
        v = f.compile(f.parse(samples.PARITY)).verify("bf16")
        self.assertEqual((v.verified, v.refuted, v.unknown), (True, False, False))
        self.assertRaises(TypeError, bool, v)
        self.assertIn("VERIFIED", v._repr_html_())
        self.assertIn("&lt;b&gt;", f.Verdict("UNKNOWN", "exact", "<b>")._repr_html_())
        hostile = f.Verdict("REFUTED", "exact", "", ("a\u202e", "b\x1b[2J\n"))
        self.assertEqual(str(hostile), "exact: REFUTED after a\\u202e b\\x1b[2J\\n")
        self.assertNotIn("\u202e", hostile._repr_html_())

    def test_a_word_that_refutes(self):
        net = f.compile(samples.new("dihedral 5"), layers=1, key_dim=2, formats="bf16")
        v = net.verify("e4m3", "every")
        self.assertTrue(v.refuted, v)
        run = net.start("e4m3", "every")
        for letter in v.word[:-1]:
            self.assertEqual(run.step(letter), run.expected)
        self.assertNotEqual(run.step(v.word[-1]), run.expected)
        self.assertEqual(v.right_up_to, len(v.word) - 1)
        self.assertEqual(
            net.run(v.word), samples.labels(net.automaton, "states", net.encode(v.word))
        )

    def test_what_is_refused(self):
        net = f.compile(f.parse(samples.PARITY))
        self.assertRaises(f.ArgumentError, net.verify, "bf17")
        self.assertRaises(f.ArgumentError, net.verify, "bf16", "never")
        self.assertRaises(f.ArgumentError, net.verify, None, "every")
        self.assertRaises(f.ArgumentError, net.verify, 16)
        self.assertRaises(f.ArgumentError, net.start, "bf17")
        alone = f.Network.from_text(net.text)
        self.assertEqual(alone.run("101"), net.run("101"))
        for call in (alone.verify, alone.safetensors, alone.check):
            self.assertRaises(f.DomainError, call)
        self.assertRaises(f.DomainError, getattr, alone, "layers")
        self.assertIsNone(alone.automaton)
        self.assertRaises(f.FormatError, f.Network.from_text, net.text, f.parse(MEALY))
        self.assertRaises(f.FormatError, f.Network.from_text, net.text[:-9])

    def test_verify_and_run_are_functions_too(self):
        net = f.compile(f.parse(samples.PARITY))
        self.assertTrue(f.verify(net, "bf16").verified)
        self.assertEqual(f.run(net, "11"), ["odd", "even"])


class Words(unittest.TestCase):
    def test_letters(self):
        net = f.compile(f.parse(samples.PARITY))
        self.assertEqual(net.run("10"), net.run(["1", "0"]))
        self.assertEqual(net.run([1, np.int32(0)]), net.run("10"))
        self.assertEqual(net.run([]), [])
        for wrong in ("12", [2], [-1], [None], [1.0], [True], [False], ["10"]):
            with self.assertRaisesRegex(f.ArgumentError, "there is no letter"):
                net.run(wrong)
        long = f.compile(f.from_table([[0, 1], [1, 0]], letters=["on", "off"]))
        self.assertEqual(long.run(["off"]), ["1"])
        self.assertRaisesRegex(f.ArgumentError, "give a list", long.run, "off")

    def test_a_run_outlives_its_network(self):
        run = f.compile(f.parse(samples.PARITY)).start("bf16")
        gc.collect()
        self.assertEqual([run.step("1"), run.step("1"), run.expected], ["odd", "even", "even"])
        run.restart()
        self.assertEqual((run.label, run.expected), ("even", "even"))

    def test_arrays_run_as_the_network(self):
        for kind, _, statement in samples.LAYERED:
            net, label = samples.layered(kind, statement)
            for word in samples.words(3, len(net.letters), 60, kind):
                want = samples.labels(samples.new(kind), label, word)
                self.assertEqual(net.run(word), want, kind)
                self.assertEqual(samples.replay(net, word), want, kind)

    def test_shapes(self):
        net, _ = samples.layered("tomita 3", "T4")
        below = len(net.letters)
        for i, layer in enumerate(net.layers):
            self.assertEqual(layer.letters, below)
            for head in layer.heads:
                (letters, factors), (n, d) = head.beta.shape, head.initial.shape
                self.assertEqual(head.key.shape, (letters, factors, n))
                self.assertEqual(head.value.shape, (letters, factors, d))
                self.assertEqual(head.codes.shape, (layer.codes, n, d))
                self.assertEqual((letters, head.beta.dtype), (below, np.float64))
                self.assertRaises(ValueError, head.beta.__setitem__, (0, 0), 0)
            self.assertEqual(layer.symbols.shape, (layer.letters, layer.codes))
            below = layer.symbols.max() + 1
            if i + 1 < len(net.layers):
                self.assertLessEqual(below, net.layers[i + 1].letters)
                below = net.layers[i + 1].letters
        self.assertFalse(net.rounded)
        self.assertTrue(samples.layered("quaternion", "R2")[0].rounded)

    def test_sparse_tensors(self):
        """Files above 64 MiB have indices and values: here, of a small head, by hand."""
        at = "layers.0.heads.0."
        tensors = {
            at + "beta": np.array([[1.0], [2.0]]),
            at + "initial": np.zeros((3, 2)),
            at + "key_index": np.array([[[2, 0]], [[1, -1]]], np.int32),
            at + "key_value": np.array([[[5.0, 7.0]], [[3.0, 0.0]]]),
            at + "value_index": np.array([[[1]], [[-1]]], np.int32),
            at + "value_value": np.array([[[4.0]], [[9.0]]]),
            at + "bias_index": np.array([[5, -1], [0, 3]], np.int32),
            at + "bias_value": np.array([[6.0, 8.0], [1.0, 2.0]]),
        }
        head = weights.Head(at, tensors)
        self.assertEqual(head.key.tolist(), [[[7, 0, 5]], [[0, 3, 0]]])
        self.assertEqual(head.value.tolist(), [[[0, 4]], [[0, 0]]])
        self.assertEqual(head.bias.tolist(), [[[0, 0], [0, 0], [0, 6]], [[1, 0], [0, 2], [0, 0]]])
        self.assertIsNone(head.gate)
        self.assertIsNone(head.boxes)

    def test_a_wired_network(self):
        net = f.compile(samples.new("transformations 4"), max_sets=1)
        self.assertTrue(net.wired and net.verify().verified)
        self.assertRaisesRegex(f.DomainError, "wired", getattr, net, "layers")
        self.assertGreater(len(net.safetensors()), 100)
        word = samples.words(1, len(net.letters), 20, 4)[0]
        self.assertEqual(net.run(word), samples.labels(net.automaton, "states", word))


class Files(unittest.TestCase):
    def test_save_load_check(self):
        net = f.compile(samples.new("symmetric 3"))
        self.assertTrue(net.check().verified)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "s3.lrnn")
            net.save(out)
            self.assertRaises(FileExistsError, net.save, out)
            net.save(str(out), force=True)
            again = f.load(out)
            self.assertEqual((again.text, again.report), (net.text, net.report))
            self.assertEqual(again.safetensors(), (out / "weights.safetensors").read_bytes())
            self.assertTrue(f.check(out).verified)
            self.assertTrue(f.check(again).text.startswith("s VERIFIED exact label states"))
            changed = (out / "network.lrnn").read_text().replace("factor 2 u", "factor 1 u", 1)
            (out / "network.lrnn").write_text(changed)
            self.assertTrue(f.check(out).refuted)
            self.assertTrue(f.check(out, checker=Path(folder, "none")).unknown)
            self.assertRaises(FileNotFoundError, f.check, Path(folder, "none"))
            self.assertRaises(f.FileError, f.load, Path(folder, "none"))

    def test_copies(self):
        net = f.compile(f.parse(samples.PARITY))
        for other in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net)):
            self.assertTrue(other.verify("bf16").verified)
            self.assertEqual(other.automaton.text, net.automaton.text)
            self.assertEqual((other.certificate, other.report), (net.certificate, net.report))
            self.assertEqual(other.safetensors(), net.safetensors())
            self.assertTrue(other.check().verified)
        alone = pickle.loads(pickle.dumps(f.Network.from_text(net.text)))
        self.assertEqual((alone.text, alone.automaton, alone.report), (net.text, None, {}))

    def test_verifying_fills_certificate_and_report(self):
        """A network that was read has neither; what verify() proves, check() finds proved."""
        for kind in ("symmetric 3", "tomita 4", "counter 3", "quaternion"):
            a = samples.new(kind)
            compiled = f.compile(a)
            net = f.Network.from_text(compiled.text, a)
            self.assertEqual((net.certificate, net.report), ("", {}))
            self.assertRaisesRegex(f.DomainError, r"verify\(\) gives it one", net.check)
            self.assertTrue(net.verify("bf16", "fma").verified)
            self.assertTrue(net.verify().verified)
            self.assertTrue(net.check().verified, kind)
            self.assertEqual(net.report["exact"]["verdict"], "VERIFIED")
            formats = [(v["format"], v["schedule"]) for v in net.report["formats"]]
            self.assertEqual(formats, [("bf16", "fma")])
            self.assertIn("bf16 fma VERIFIED", repr(net))
            for other in (pickle.loads(pickle.dumps(net)), copy.copy(net)):
                self.assertEqual((other.certificate, other.report), (net.certificate, net.report))
                self.assertTrue(other.check().verified)
            # What the compiler wrote stays.
            report, certificate = compiled.report, compiled.certificate
            self.assertTrue(compiled.verify().verified)
            self.assertEqual((compiled.report, compiled.certificate), (report, certificate))

    def test_a_certificate_of_something_else(self):
        """verify() replaces the certificate beside a network that it does not belong to."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "net")
            f.compile(samples.new("symmetric 3")).save(out)
            right = (out / "certificate.cert").read_text()
            for wrong in ("", right[:-20], f.compile(f.parse(samples.PARITY)).certificate):
                (out / "certificate.cert").write_text(wrong)
                net = f.load(out)
                self.assertTrue(net.verify().verified)
                self.assertTrue(net.check().verified)
                self.assertEqual(net.certificate, right)

    def test_a_certificate_that_lies_about_a_format(self):
        """verify() keeps nothing of a certificate that it has not proved."""
        a = samples.new("symmetric 3")
        proved, _ = f.certify(f.compile(a), a, format="bf16", schedule="chunk64")
        body = proved.certificate.replace("\nvector column 1 1:-2\n", "\nvector column 1 1:3\n")
        self.assertNotEqual(body, proved.certificate)
        body = body[: body.index("\nsha256 ") + 1]
        with tempfile.TemporaryDirectory() as folder:
            proved.save(Path(folder, "net"))
            seal = hashlib.sha256(body.encode()).hexdigest()
            Path(folder, "net", "certificate.cert").write_text(f"{body}sha256 {seal}\n")
            net = f.load(Path(folder, "net"))
            self.assertTrue(net.check().refuted)
            self.assertTrue(net.verify().verified)
            self.assertTrue(net.check().verified)

    def test_an_automaton_that_is_not_canonical(self):
        """The network names another text of its automaton: no certificate can be about it."""
        text = f.parse(samples.PARITY).text + "# the end\n"
        net = f.compile(f.parse(samples.PARITY))
        old = hashlib.sha256(net.automaton.text.encode()).hexdigest()
        odd = net.text.replace(old, hashlib.sha256(text.encode()).hexdigest())
        other = f.Network.from_text(odd, f.parse(text))
        self.assertTrue(other.verify().verified)
        with self.assertRaisesRegex(f.DomainError, r"automaton is in canonical form") as raised:
            other.check()
        self.assertNotIn("not VERIFIED", str(raised.exception))
        self.assertEqual(pickle.loads(pickle.dumps(other)).text, odd)
        proved, verdict = other.certify(f.parse(text))
        self.assertTrue(verdict.verified and proved.check().verified)
        self.assertEqual(proved.text, net.text)

    def test_certify(self):
        """A network of somebody else, whose letters are in another order."""
        even = "start e\naccept e\ne a o\no a e\ne b e\no b o\n"
        net = f.compile(f.parse(even), label="accept")
        theirs = f.Network.from_text(net.text)
        other = f.parse("start x\naccept x\nx b x\nx a y\ny b y\ny a x\n")
        proved, verdict = f.certify(theirs, other)
        self.assertEqual((verdict.verdict, verdict.claim), ("VERIFIED", "exact"))
        self.assertTrue(proved.check().verified)
        self.assertEqual(proved.letters, ("a", "b"))
        self.assertTrue(proved.report["renamed"])
        self.assertIsNone(theirs.automaton)
        proved, verdict = theirs.certify(other, format="bf16", schedule="chunk64")
        self.assertEqual(str(verdict), "bf16 chunk64, nearest code: VERIFIED (nothing rounds)")
        self.assertTrue(proved.check().verified)
        self.assertIn("\nunrounded format ", proved.certificate)
        wrong = f.parse("start x\naccept x\nx b x\nx a y\ny b y\ny a y\n")
        proved, verdict = theirs.certify(wrong)
        self.assertEqual((verdict.verdict, verdict.word), ("REFUTED", ("a", "a")))
        self.assertIn("s VERIFIED refuted ", proved.check().text)
        self.assertRaises(f.DomainError, theirs.certify, f.parse(MEALY))
        self.assertRaises(f.ArgumentError, theirs.certify, other, schedule="fma")
        self.assertRaises(f.ArgumentError, theirs.certify, other, limit=0)
        self.assertRaises(f.FormatError, theirs.certify, other, certificate="")
        self.assertRaises(f.ArgumentError, theirs.certify, "x")

    def test_the_reason_of_the_checker(self):
        net = f.compile(f.parse(samples.PARITY))
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "net")
            net.save(out)
            (out / "certificate.cert").write_text(net.certificate.replace("row 2", "row 3", 1))
            found = f.check(out)
            self.assertTrue(found.refuted)
            self.assertRegex(found.text, r"^s NOT VERIFIED: .*certificate\.cert:10: expected `")

    def test_for_people(self):
        net = f.compile(f.from_table([[0, 1], [1, 0]], states=["<i>", "&"]))
        self.assertRegex(repr(net), r"<Network: layers 1 \(T3\), .*bf16 every VERIFIED")
        self.assertIn("<table>", net._repr_html_())
        self.assertNotIn("matrix", f.Network.from_text(net.text)._repr_html_())
        self.assertRegex(repr(net.layers), "<Layer: letters 2, codes 2, .*n_h 1, n 1, d 1")


class Matrices(unittest.TestCase):
    def test_what_a_notebook_shows(self):
        for kind, _, statement in samples.LAYERED:
            net, _ = samples.layered(kind, statement)
            html = net._repr_html_()
            self.assertLess(len(html), 100_000)
            ElementTree.fromstring(f"<p>{html}</p>")
            layers, heads = len(net.layers), len(net.layers[0].heads)
            self.assertIn("layer 1, head 1", html)
            self.assertNotIn(f"layer 1, head {heads + 1}", html)
            self.assertEqual("layer 2, head 1" in html, layers > 1 and heads < 6)
        net = f.compile(f.from_table([[0, 1], [1, 0]], letters=["<i>", "&"]))
        html = net._repr_html_()
        self.assertIn("<th>&lt;i&gt;</th>", html)
        self.assertIn("<td>-1</td></tr>", html)
        wired = f.compile(samples.new("transformations 4"), max_sets=1)
        self.assertNotIn("matrix", wired._repr_html_())

    def test_a_matrix_is_what_a_letter_does(self):
        for kind, _, statement in samples.LAYERED:
            net, _ = samples.layered(kind, statement)
            for head in (head for layer in net.layers for head in layer.heads):
                for x in range(len(head.beta)):
                    s = np.random.default_rng(x).normal(size=head.initial.shape)
                    want = s if head.gate is None else s * head.gate[x]
                    for beta, k in zip(head.beta[x], head.key[x]):
                        want = want - beta * np.outer(k, k @ want)
                    np.testing.assert_allclose(head.matrix(x) @ s, want, atol=1e-12)


class LongWork(unittest.TestCase):
    def test_progress(self):
        seen = []
        a = samples.new("random 6 2 4")
        task = f.Task(progress=lambda phase, done, total: seen.append(phase) or True)
        self.assertTrue(f.compile(a, task=task).verify().verified)
        self.assertTrue(seen and all(isinstance(phase, str) for phase in seen))

    def test_an_exception_comes_out(self):
        def stop(phase, done, total):
            raise KeyError(phase)

        net = f.compile(samples.new("symmetric 5"), formats=["bf16"])
        self.assertRaises(KeyError, net.verify, "p=9,emin=-40,emax=40", task=f.Task(progress=stop))

    def test_cancelled(self):
        def stop(phase, done, total):
            raise f.Cancelled

        task = f.Task(progress=stop)
        net = f.compile(samples.new("symmetric 5"), formats=["bf16"])
        v = net.verify("p=9,emin=-40,emax=40", task=task)
        self.assertTrue(v.unknown, v)
        self.assertTrue(net.verify("p=9,emin=-40,emax=40").verified)
        self.assertRaises(f.UnknownError, f.compile, samples.new("symmetric 5"), task=task)

    def test_ctrl_c(self):
        """SIGINT ends a compilation that would take long, with KeyboardInterrupt."""
        table = samples.new("random 60 2 1").next.tolist()
        program = (
            "import fsa2lrnn as f, sys\n"
            f"a = f.from_table({table})\n"
            "print('going', flush=True)\n"
            "try:\n"
            "    f.compile(a, task=f.Task(effort=10**6))\n"
            "except KeyboardInterrupt:\n"
            "    sys.exit(5)\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            # As from a terminal, where a caller in the background may ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as child:
            self.assertEqual(child.stdout.readline(), b"going\n")
            time.sleep(0.5)
            began = time.monotonic()
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(60), 5)
            self.assertLess(time.monotonic() - began, 5)

    def test_threads(self):
        """Different objects are used by different threads at once."""
        found = []

        def work(kind):
            net = f.compile(samples.new(kind))
            found.append(net.verify("bf16").verified)

        threads = [threading.Thread(target=work, args=(f"cyclic {n}",)) for n in (3, 4, 5, 6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * 4)


class Loading(unittest.TestCase):
    def said(self, library, program="import fsa2lrnn"):
        env = {**os.environ, "FSA2LRNN_LIBRARY": str(library)}
        done = subprocess.run(
            [sys.executable, "-c", program], env=env, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 1)
        return done.stderr.splitlines()[-1]

    def test_no_library(self):
        self.assertIn("there is no libfsa2lrnn.so", self.said("/nowhere/libfsa2lrnn.so"))

    def test_wrong_files(self):
        library, header = samples.BUILD / "libfsa2lrnn.so", samples.ROOT / "include/fsa2lrnn.h"
        with tempfile.TemporaryDirectory() as folder:
            text = header.read_text()
            Path(folder, "fsa2lrnn.h").write_text(text.replace('VERSION "', 'VERSION "9.'))
            link = Path(folder, "libfsa2lrnn.so")
            link.symlink_to(library)
            self.assertIn("is version", self.said(link))
            link.unlink()
            link.write_bytes(b"no library")
            self.assertIn("cannot be loaded", self.said(link))

    def test_old_python_and_torch(self):
        old = "import sys; sys.version_info = (3, 8, 1); import fsa2lrnn"
        library = samples.BUILD / "libfsa2lrnn.so"
        self.assertIn("needs Python 3.9 or later", self.said(library, old))
        torch = (
            "import sys, types; t = types.ModuleType('torch'); t.__version__ = '1.12.1+cu1'\n"
            "t.Tensor = t.nn = object; sys.modules['torch'] = t; import fsa2lrnn.torch"
        )
        self.assertIn("needs PyTorch 1.13 or later, and this is 1.12.1", self.said(library, torch))
        none = "import sys; sys.modules['torch'] = None; import fsa2lrnn.torch"
        self.assertIn("pip install torch", self.said(library, none))
