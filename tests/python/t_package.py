"""The package as a whole: what `import *` gives, names that arguments take, errors as Python says
them, the programs and the functions that they do."""

import builtins
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import get_args

import fsa2lrnn as f
import samples
from fsa2lrnn import choices, programs, speech

SUM = "fsa 1\nletters a b\nstates 0 1 2\nstart 0\n0 a 1\n0 b 0\n1 a 2\n1 b 1\n2 a 0\n2 b 2\n"


def values_of(*words):
    """Returns what the program completes for the last word."""
    asked = [str(samples.BUILD / "fsa2lrnn"), "completion", "words", "--", *words]
    done = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True)
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


class Names(unittest.TestCase):
    def test_import_everything(self):
        given = {}
        exec("from fsa2lrnn import *", given)
        given.pop("__builtins__")
        self.assertEqual(set(given), set(f.__all__))
        self.assertFalse(set(given) & set(dir(builtins)))
        public = {name for name in vars(f) if name[0] != "_" and callable(getattr(f, name))}
        self.assertEqual(public - set(given), {"compile", "version"})

    def test_choices_are_those_of_the_library(self):
        for option, known in (
            ("label", choices.Label),
            ("keys", choices.Keys),
            ("cascade", choices.Cascade),
            ("target", choices.Target),
            ("schedule", choices.Stepping),
            ("weights-dtype", choices.WeightsDtype),
        ):
            found = values_of("compile", f"--{option}", "")
            self.assertEqual(sorted(get_args(known)), sorted(found), option)
        found = values_of("export", "--to", "")
        self.assertEqual(sorted(get_args(choices.ExportTarget)), sorted(found))


class Errors(unittest.TestCase):
    def fails(self, kind, text, call, *args, **kwargs):
        with self.assertRaises(kind) as caught:
            call(*args, **kwargs)
        self.assertIsInstance(caught.exception, f.Error)
        self.assertIn(text, str(caught.exception))
        return caught.exception

    def test_names(self):
        a = f.parse(samples.PARITY)
        labels = "label must be one of 'states', 'outputs', 'accept', 'edges', not 'acept'"
        for call in (f.compile, f.classify):
            self.fails(ValueError, labels, call, a, label="acept")
        self.fails(ValueError, "did you mean 'accept'?", f.equivalent, a, a, "acept")
        self.fails(ValueError, "key_dim must be a whole number from 1", f.compile, a, key_dim=0)
        for wrong in (True, 1.5, "2", -1):
            self.fails(ValueError, "layers must be", f.compile, a, layers=wrong)
        formats = "formats may have 'bf16', 'fp16', 'fp32', 'fp64', 'tf32', 'e4m3', 'e5m2'"
        self.fails(ValueError, formats, f.compile, a, formats="bf17")
        self.fails(ValueError, "exact_in may have 'bf16'", f.compile, a, exact_in=["x"])
        self.fails(ValueError, "formats must be a text or a list", f.compile, a, formats=[16])
        self.fails(ValueError, "gated must be True or False, not 1", f.compile, a, gated=1)
        self.fails(ValueError, "'chunk64'", f.compile, a, schedule="chunk64")

    def test_options_are_keywords(self):
        partial = "start a\naccept a\na x b\nb y a\n"
        self.fails(f.DomainError, "sink=True adds a rejecting sink", f.parse, partial)
        net = f.compile(f.parse(samples.PARITY))
        s3 = samples.new("symmetric 3")
        error = self.fails(f.DomainError, "", f.compile, s3, layers=1, key_dim=1, householders=1)
        self.assertNotIn("--", str(error))
        self.assertRegex(str(error), r"with .*(layers|key_dim|householders)=\d")
        self.assertNotIn("--", f.parse("0\t0\t[0-9]\n0\n").notes)
        with tempfile.TemporaryDirectory() as folder:
            net.save(Path(folder, "net"))
            error = self.fails(FileExistsError, "force=True", net.save, Path(folder, "net"))
            self.assertIsInstance(error, f.FileError)

    def test_every_option_in_messages_is_known(self):
        """Of the options that messages of readers and of the compiler name, none is left."""
        left = {"--isymbols", "--generators", "--to", "--jani", "--exportdot", "--pareto"}
        found = set()
        for folder in ("automata/import", "automata/fsa", "theory/compile", "library"):
            for path in (samples.ROOT / folder).rglob("*.c"):
                for line in path.read_text(encoding="utf-8").splitlines():
                    if '"' in line and "--" in line and not line.lstrip().startswith(("/*", "*")):
                        text = line.split('"')[1]
                        found |= {w for w in speech.in_python(text).split() if w[:2] == "--"}
        found = {word.strip("(),.;:`'\\\"") for word in found} - {"--", "---"}
        self.assertEqual(
            {word for word in found if word not in left and word[2:3].islower()}, set()
        )

    def test_files_that_are_missing(self):
        net = f.compile(f.parse(samples.PARITY))
        with tempfile.TemporaryDirectory() as folder:
            gone = Path(folder, "gone")
            for call in (f.read, f.load, f.check, f.obstruct, f.report):
                error = self.fails(FileNotFoundError, "gone", call, gone)
                self.assertIsInstance(error, f.NotFoundError)
                self.assertEqual(error.errno, 2)
                self.assertTrue(str(error.filename).startswith(str(gone)))
                again = pickle.loads(pickle.dumps(error))
                self.assertEqual((type(again), str(again)), (type(error), str(error)))
                self.assertEqual((again.errno, again.filename), (error.errno, error.filename))
            self.fails(FileNotFoundError, "gone", f.export, gone, "npz", Path(folder, "out"))
            self.fails(f.FileError, "", f.read, folder)  # a folder
            Path(folder, "plain").write_text("x")
            self.fails(f.FileError, "", f.load, Path(folder, "plain"))
            self.fails(f.FileError, "", net.save, Path(folder, "plain", "net"))
        for wrong in (None, 3, "", "a\0b", b"a\0b"):
            for call in (f.read, f.load, f.check, net.save):
                self.fails(f.ArgumentError, "", call, wrong)

    def test_errors_are_copied(self):
        for text in ("start a\nq", "a\0b"):
            try:
                f.parse(text)
            except f.FormatError as error:
                again = pickle.loads(pickle.dumps(error))
                self.assertEqual((str(again), again.line), (str(error), error.line))
                self.assertEqual(again.column, error.column)


class Programs(unittest.TestCase):
    def shown(self, *argv):
        argv = [str(programs.program()), *map(str, argv), "--json", "--quiet"]
        return json.loads(subprocess.run(argv, stdout=subprocess.PIPE).stdout)

    def test_group(self):
        a = f.parse(SUM)
        with tempfile.TemporaryDirectory() as folder:
            path, proof = Path(folder, "automaton.fsa"), Path(folder, "c.rep")
            path.write_text(a.text)
            facts = f.group(a, certificate=proof)
            shown = self.shown("group", path)
            checker = programs.program("rep-check")
            subprocess.run([checker, path, proof], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(facts["structure"]["name"], "Z_3")
        self.assertEqual(facts["structure"], shown["structure"])
        every = f.group(a, elements=True, kernel=2, max_order=10)
        self.assertEqual(every["structure"]["order"], 3)
        with self.assertRaises(f.DomainError):
            f.group(f.regex("ab"))
        with self.assertRaises(f.UnknownError):
            f.group(samples.new("symmetric 4"), max_order=3)
        for wrong in ({"kernel": -1}, {"max_order": 0}, {"certificate": 3}):
            self.assertRaises(f.ArgumentError, f.group, a, **wrong)
        self.assertRaises(f.ArgumentError, f.group, SUM)

    def test_obstruct(self):
        net = f.compile(f.from_table([[1, 0], [0, 1]], letters=["a b", '"']))
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "net")
            net.save(out)
            mine, theirs = f.obstruct(net), f.obstruct(out)
            self.assertEqual(mine["spectra"], theirs["spectra"])
            self.assertEqual(f.obstruct(out)["spectra"], self.shown("obstruct", out)["spectra"])
            wrong = f.compile(samples.new("dihedral 5"), layers=1, key_dim=2, formats="bf16")
            proof = Path(folder, "wrong.cert")
            arithmetic = {"format": "e4m3", "schedule": "fma"}
            facts = f.obstruct(wrong, word=[0], prefix=[1], **arithmetic, certificate=proof)
            self.assertTrue(facts["word_runs"])
        facts = f.obstruct(net, word=["a b", '"', 0], products=1, formats=["bf16"])
        self.assertEqual(len(facts["word_runs"]), 1)
        self.assertRaises(f.ArgumentError, f.obstruct, net, word=["c"])
        self.assertRaises(f.ArgumentError, f.obstruct, net, formats="bf17")
        self.assertRaises(f.Error, f.obstruct, f.Network.from_text(net.text))

    def test_export(self):
        net = f.compile(f.parse(samples.PARITY), label="accept")
        with tempfile.TemporaryDirectory() as folder:
            for target in ("npz", "pytorch", "onnx", "coq"):
                out = Path(folder, target)
                facts = f.export(net, target, out)
                written = json.loads((out / "export.json").read_text())
                self.assertEqual(facts["files"], written["files"])
            with self.assertRaisesRegex(FileExistsError, "force=True") as caught:
                f.export(net, "npz", Path(folder, "npz"))
            self.assertIsInstance(caught.exception, f.ExistsError)
            f.export(net, "npz", Path(folder, "npz"), force=True)
            with self.assertRaisesRegex(f.ArgumentError, "target must be one of 'coq', .*'npz'"):
                f.export(net, "numpy", Path(folder, "x"))
            with self.assertRaisesRegex(
                f.ArgumentError, "dtype of pytorch takes one of: .*float64"
            ):
                f.export(net, "pytorch", Path(folder, "x"), dtype="double")
            with self.assertRaises(f.Error):
                f.export(net, "npz", Path(folder, "x"), limit=10)
            self.assertFalse(Path(folder, "x").exists())
            self.assertRaises(f.ArgumentError, f.export, net, "npz", "")

    def test_report(self):
        net = f.compile(f.parse(samples.PARITY, name="<b>"))
        page = f.report(net, net)
        self.assertIn("VERIFIED", page.markdown)
        self.assertTrue(page.html.startswith("<!doctype html>") or "<html" in page.html[:200])
        self.assertIn("srcdoc='", page._repr_html_())
        self.assertNotIn("srcdoc=''", page._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            markdown = Path(folder, "p").with_suffix(".md")
            page.save(markdown)
            page.save(Path(folder, "p.html"))
            self.assertRaises(f.ExistsError, page.save, Path(folder, "p.html"))
            page.save(Path(folder, "p.html"), force=True)
            self.assertEqual(markdown.read_text(), page.markdown)
        self.assertRaises(f.ArgumentError, f.report)

    def test_limits(self):
        net = f.compile(f.parse(samples.PARITY))
        seen = []
        task = f.Task(seconds=50, threads=1, progress=lambda *now: seen.append(now))
        self.assertTrue(f.obstruct(net, task=task)["spectra"])

        def stop(*now):
            raise f.Cancelled

        def fail(*now):
            raise KeyError(now[0])

        big = samples.new("symmetric 5")
        self.assertRaises(f.UnknownError, f.group, big, task=f.Task(progress=stop))
        self.assertRaises(KeyError, f.group, big, task=f.Task(progress=fail))

    def test_names_that_are_none(self):
        for name in ("", ".", "..", "../fsa2lrnn", "/bin/sh", "a\0b", None, 5, b"fsa2lrnn"):
            self.assertRaises(f.ArgumentError, f.program, name)
        net = f.compile(f.regex("a"), label="accept")
        for folder in (None, 5, ""):
            with self.assertRaisesRegex(f.ArgumentError, "^folder is .*: a path is needed"):
                f.export(net, "npz", folder)

    def test_no_program(self):
        program = (
            "import fsa2lrnn as f, pathlib\n"
            "f.programs.LIBRARY_FILE = pathlib.Path('/nowhere/lib/x.so')\n"
            "try:\n    f.group(f.regex('a'))\n"
            "except FileNotFoundError as e:\n    print(isinstance(e, f.Error), e)\n"
        )
        env = {**os.environ, "PATH": "/nowhere"}
        said = subprocess.run(
            [sys.executable, "-c", program], env=env, capture_output=True, text=True
        ).stdout
        self.assertIn("True the program fsa2lrnn is neither in /nowhere/lib nor in PATH", said)

    def test_module(self):
        argv = [sys.executable, "-m", "fsa2lrnn"]
        done = subprocess.run([*argv, "--version"], capture_output=True, text=True)
        self.assertIn(f.__version__, done.stdout)
        done = subprocess.run([*argv, "run", "none"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 74)
