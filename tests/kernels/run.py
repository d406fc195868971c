"""Runs the tests of fsa2lrnn.kernels, on the CPU and where there is one on the GPU, and ends with a
line `N passed, M failed`. It needs PyTorch and the library of `make kernels`; pytest runs the same
files: FSA2LRNN_KERNELS_LIB=FILE python -m pytest tests/kernels

usage: run.py [--library build/release/libfsa2lrnn-kernels.so.0] [--only test_values]
              [--json FILE]     errors against float64, with the machine, into FILE"""

import argparse
import json
import os
import platform
import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def machine(support):
    """Returns what the recorded numbers depend on."""
    torch = support.torch
    found = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "library": support.kernels.__version__,
        "devices": support.DEVICES,
    }
    if "cuda" in support.DEVICES:
        found["card"] = torch.cuda.get_device_name()
        found["capability"] = list(torch.cuda.get_device_capability())
        found["cuda"] = torch.version.cuda
    return found


def worst(records):
    """Returns the largest error of each kind of test."""
    most = {}
    for r in records:
        if "error" in r:
            key = f"{r['test']} {r['device']} {r['type']} {r['what']}"
            most[key] = max(most.get(key, 0), r["error"])
    return dict(sorted(most.items()))


class Timed(unittest.TextTestResult):
    """Writes what every test took of the processor."""

    def startTest(self, test):
        self.began = time.process_time()
        super().startTest(test)

    def stopTest(self, test):
        self.stream.writeln(f"      {time.process_time() - self.began:.2f} s")
        super().stopTest(test)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", type=Path, metavar="FILE")
    parser.add_argument("--only", default="test_*", metavar="FILE", help="one file, without .py")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("-v", action="store_true", help="a line for each test, with its seconds")
    args = parser.parse_args()
    if args.library:
        os.environ["FSA2LRNN_KERNELS_LIB"] = str(args.library.resolve())
    sys.path.insert(0, str(HERE))
    try:
        import support
    except unittest.SkipTest as error:
        print(f"skipped: tests/kernels: {error}")
        return 0
    suite = unittest.defaultTestLoader.discover(str(HERE), f"{args.only}.py")
    kind = Timed if args.v else unittest.TextTestResult
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=1 + args.v, resultclass=kind)
    result = runner.run(suite)
    for test, why in result.skipped:
        print(f"skipped: {test.id()}: {why}")
    wrong = {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}
    failed = len(wrong)
    passed = result.testsRun - failed - len(result.skipped)
    if args.json:
        about = {"passed": passed, "failed": failed, **machine(support)}
        text = {**about, "worst": worst(support.records), "records": support.records}
        args.json.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")
    print(f"{passed} passed, {failed} failed on {', '.join(support.DEVICES)}")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
