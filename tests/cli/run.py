"""Runs the tests of the commands from outside: every function test_* of the t_*.py files in this
folder and in the folders in it.

usage: run.py --tool build/release/fsa2lrnn --checker build/release/lrnn-check [--only PART]
[--tests FILE.TEST,..] [--update]
--update rewrites the files in tests/golden from the program's output."""

import argparse
import importlib
import sys
import traceback
from pathlib import Path

import harness
from same_build import keep_nvcc

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True, type=lambda p: str(Path(p).resolve()))
    parser.add_argument("--checker", required=True, type=lambda p: str(Path(p).resolve()))
    parser.add_argument("--only", default="", help="run the tests whose name contains this")
    parser.add_argument("--tests", default="", help="run these tests alone, by their whole names")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    keep_nvcc(Path(args.tool).parent)
    tests = set(filter(None, args.tests.split(",")))
    passed = failed = skipped = 0
    for path in sorted(HERE.rglob("t_*.py"), key=lambda path: path.stem):
        sys.path.insert(0, str(path.parent))
        module = importlib.import_module(path.stem)
        for name in [n for n in vars(module) if n.startswith("test_")]:
            whole = f"{path.stem}.{name}"
            if args.only not in whole or (tests and whole not in tests):
                continue
            test = harness.Test(args.tool, args.checker, args.update)
            try:
                getattr(module, name)(test)
                passed += 1
            except harness.Skip as reason:
                skipped += 1
                print(f"skipped {path.stem}.{name}: {reason}")
            except Exception as error:
                failed += 1
                text = (
                    str(error)
                    if isinstance(error, AssertionError) and str(error)
                    else traceback.format_exc()
                )
                print(f"FAILED {path.stem}.{name}\n{text}\n", flush=True)
            finally:
                test.close()
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
