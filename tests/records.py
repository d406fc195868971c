"""What records of runs need: git, and JSON files that are written whole or not at all."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def git(*args):
    """Returns the output of a git command in this repository, without the space around it, or None
    where the command fails."""
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", *args],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return done.stdout.strip() if done.returncode == 0 else None


def write_json(path, value, indent=1):
    """Writes the file under another name, then renames it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(value, indent=indent) + "\n", encoding="utf-8")
    new.replace(path)
