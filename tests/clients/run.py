"""Lets independent programs read what the compiler wrote: NumPy replays weights.safetensors against automaton.fsa.

usage: run.py --tool build/release/fsa2lrnn
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = [  # (family arguments, options of the main job)
    (["parity"], []),
    (["parity"], ["--label", "accept"]),
    (["cyclic", "5"], []),
    (["cyclic", "12"], []),
    (["symmetric", "3"], []),
    (["symmetric", "4"], ["--keys", "naive"]),
    (["symmetric", "5", "--generators"], []),
    (["symmetric", "5"], []),
    (["alternating", "5", "--generators"], []),
    (["dihedral", "7"], []),
    (["quaternion"], []),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    args = parser.parse_args()
    try:
        import numpy  # noqa: F401  (only to say clearly that it is missing)
    except ImportError:
        print("NumPy is not installed: apt-get install python3-numpy")
        print("0 passed, 1 failed")
        return 1
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for number, (family, options) in enumerate(CASES):
            grammar, out = folder / f"{number}.fsa", folder / f"{number}.lrnn"
            grammar.write_bytes(subprocess.run([args.tool, "new", *family], stdout=subprocess.PIPE, check=True).stdout)
            subprocess.run([args.tool, str(grammar), "--out", str(out), "--formats", "bf16", "--limit", "1000", *options],
                           stdout=subprocess.DEVNULL)
            done = subprocess.run([sys.executable, str(HERE / "replay_safetensors.py"), str(out)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            ok = done.returncode == 0
            passed, failed = passed + ok, failed + (not ok)
            print(" ".join(family + options), "ok" if ok else f"FAILED\n{done.stdout}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
