"""Runs the tests of the Python package against the library of a build, and ends with a line
`N passed, M failed`.

usage: run.py --build build/release [--only t_network]"""

import argparse
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--only", default="t_*", metavar="FILE", help="one file, without .py")
    args = parser.parse_args()
    os.environ["FSA2LRNN_LIBRARY"] = str(args.build / "libfsa2lrnn.so")
    os.environ["F2L_BUILD"] = str(args.build)
    os.environ["PYTHONPATH"] = str(ROOT / "python")  # of the processes that tests start
    sys.path[:0] = [str(HERE), str(ROOT / "python")]
    suite = unittest.defaultTestLoader.discover(str(HERE), f"{args.only}.py")
    result = unittest.TextTestRunner(stream=sys.stdout).run(suite)
    for test, why in result.skipped:
        print(f"skipped: {test.id()}: {why}")
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
