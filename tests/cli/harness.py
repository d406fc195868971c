"""The common parts of the command tests: a separate folder for every test, the programs, and the
checks."""

import hashlib
import io
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import facts  # noqa: E402

GOLDEN = ROOT / "tests" / "golden"
TIMEOUT = 600
PIPES = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}

# Options with which all permutations of five points keep the main job busy for minutes.
MINUTES = "--keys naive --formats fp64 --limit 4000000000".split()
# Options of `train`, without the number of steps: a model that takes milliseconds, and one that
# learns parity in a second. The files of a run.
TINY = "--heads 1 --head-dim 8 --mlp 0 --to 8 --batch 4 --lengths 8,16 --sequences 8".split()
LEARNS = "--heads 1 --head-dim 16 --mlp 0 --to 32 --batch 64 --rate 3e-3 --steps 300".split()
RUN_FILES = [
    "automaton.fsa",
    "checkpoint",
    "config.json",
    "log.jsonl",
    "provenance.json",
    "report.html",
    "report.md",
    "weights.safetensors",
]


def sealed(text):
    """Returns the certificate with the right hash of its lines in the last one."""
    body = text[: text.rindex("sha256 ")]
    return f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n"


def npz(**arrays):
    """Returns an archive as numpy.savez writes it; an array is (type of NumPy, shape, numbers), or
    a list of whole numbers."""
    codes, out = {"<i4": "i", "<u2": "H", "<f4": "f"}, io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            kind, shape, numbers = (
                array if isinstance(array, tuple) else ("<i4", (len(array),), array)
            )
            head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}\n"
            data = struct.pack(f"<{len(numbers)}{codes[kind]}", *numbers)
            about = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
            archive.writestr(f"{name}.npy", about + data)
    return out.getvalue()


def read_or_empty(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def where_threads_are(process):
    """Returns where a process that does not end, and the processes that it started, wait: a line
    per thread, and their stacks where gdb is installed. The last processes come first: the others
    wait for them, and logs are cut at their ends."""
    children = read_or_empty(Path(f"/proc/{process}/task/{process}/children")).split()
    text = "".join(where_threads_are(int(child)) for child in children)
    for task in sorted(Path(f"/proc/{process}/task").glob("*")):
        state = re.search(r"^State:\s*(.*)$", read_or_empty(task / "status"), re.M)
        text += (
            f"process {process} thread {task.name} {read_or_empty(task / 'comm').strip()}:"
            f" {state[1] if state else 'gone'}, waits in {read_or_empty(task / 'wchan')},"
            f" system call {read_or_empty(task / 'syscall').strip()}\n"
        )
    if shutil.which("gdb"):
        done = subprocess.run(
            ["gdb", "-p", str(process), "-batch", "-ex", "thread apply all backtrace 12"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
        )
        text += "".join(
            re.sub(r" \(.*?\)(?= at |$)", "", x)
            for x in done.stdout.splitlines(True)
            if x.startswith(("#", "Thread"))
        )
    return text


class Skip(Exception):
    """Raised when this machine cannot do what the test needs; the text names it."""


class Test:
    """Runs the programs in a temporary folder; every check raises AssertionError with the observed
    values."""

    def __init__(self, tool, checker, update):
        self.program, self.checker, self.update = tool, checker, update
        self.folder = Path(tempfile.mkdtemp(prefix="f2l-cli-"))
        self.env = dict(os.environ, LC_ALL="C.UTF-8", TMPDIR=str(self.folder))
        self.short = "F2L_TEST_SHORT" in os.environ  # under the sanitizers: fewest repetitions
        self.whole = "F2L_TEST_WHOLE" in os.environ  # otherwise the same paths, fewer repetitions
        self.env.setdefault(
            "ASAN_OPTIONS", "abort_on_error=1:detect_leaks=1:allocator_may_return_null=1"
        )

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def write_record(self, folder, record):
        """Writes the record of work with the hash of its other members."""
        text = json.dumps({k: v for k, v in record.items() if k != "sha256"})
        own = hashlib.sha256(text.encode()).hexdigest()
        return self.write(f"{folder}/work.json", f'{text[:-1]},"sha256":"{own}"}}\n')

    def read(self, name):
        return (self.folder / name).read_bytes()

    def valid(self, text, what):
        """Checks that the JSON has only facts of the table, each of its type, and all of them."""
        found = facts.validate_text(text, facts.load_schema()) if text.strip() else []
        assert not found, f"{what}: {found[:5]}"

    def report(self, out):
        text = self.read(f"{out}/report.json")
        self.valid(text.decode(), out)
        return json.loads(text)

    @staticmethod
    def closed(report):
        """Returns the verdicts of closures; verdicts in other schedules only say whether anything
        is rounded."""
        return [f for f in report["formats"] if f["schedule"] == "every"]

    def entries(self):
        return sorted(p.name for p in self.folder.iterdir())

    def start(self, *args, **options):
        """Starts a process as a terminal would: signals that the caller ignores are not ignored.
        Its output is read by communicate(), unless the options say otherwise."""

        def defaults():
            for number in (
                signal.SIGINT,
                signal.SIGTERM,
                signal.SIGHUP,
                signal.SIGPIPE,
                signal.SIGXFSZ,
            ):
                signal.signal(number, signal.SIG_DFL)
            if "prepare" in extra:
                extra["prepare"]()

        extra = {"prepare": options.pop("prepare")} if "prepare" in options else {}
        return subprocess.Popen(
            [self.program, *map(str, args)],
            cwd=self.folder,
            env=self.env,
            preexec_fn=defaults,
            **{**PIPES, **options},
        )

    def tool(
        self, *args, rc=0, err=None, out=None, stdin=b"", stdout=subprocess.PIPE, prepare=None
    ):
        """Runs fsa2lrnn and returns its standard output; `rc` is the exit status or several allowed
        ones, err and out are patterns."""
        options = {"prepare": prepare} if prepare else {}
        data = stdin.encode() if isinstance(stdin, str) else stdin
        process = self.start(*args, stdin=subprocess.PIPE, stdout=stdout, **options)
        try:
            produced, errors = process.communicate(data, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            threads = where_threads_are(process.pid)
            process.kill()
            process.communicate()
            raise AssertionError(f"{args}: still running after {TIMEOUT} s\n{threads}") from None
        produced = (produced or b"").decode("utf-8", "replace")
        errors = errors.decode("utf-8", "replace")
        allowed = rc if isinstance(rc, tuple) else (rc,)
        seen = (
            f"fsa2lrnn {' '.join(map(str, args))}\nexit"
            f" {process.returncode}\n{produced[-3000:]}\n{errors[-3000:]}"
        )
        assert process.returncode in allowed, f"exit status is not {rc}: {seen}"
        if process.returncode not in (0, 1, 2, 141):
            assert "fsa2lrnn: " in errors, f"no message: {seen}"
        if err is not None:
            assert re.search(err, errors, re.S), f"standard error lacks {err!r}: {seen}"
        if out is not None:
            assert re.search(out, produced, re.S), f"standard output lacks {out!r}: {seen}"
        self.errors = errors
        if "--json" in map(str, args) and process.returncode in (0, 1, 2):
            self.valid(produced, args)
        return produced

    def on_a_full_disk(self, size, script):
        """Runs the shell script, whose $0 is fsa2lrnn, where the folder `small` is a file system of
        this size; returns the exit status and the output."""
        if os.geteuid() != 0:
            raise Skip("mounting a small file system takes root")
        (self.folder / "small").mkdir()
        mount = f"mount -t tmpfs -o size={size} tmpfs small || exit 99; "
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", mount + script, self.program],
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        text = done.stdout.decode("utf-8", "replace")
        if done.returncode == 99 or "unshare:" in text:
            raise Skip("mounting is not permitted here")
        return done.returncode, text

    @staticmethod
    def examples():
        return ROOT / "examples"

    def new(self, name, *family):
        return self.write(name, self.tool("new", *family))

    def check(self, out, fsa=None, rc=0):
        return self.check_certificate(out, f"{out}/certificate.cert", fsa, rc)

    def check_certificate(self, out, certificate, fsa=None, rc=0):
        return self.check_files(
            fsa or f"{out}/automaton.fsa", f"{out}/network.lrnn", certificate, rc
        )

    def check_files(self, fsa, network, certificate, rc=0):
        done = subprocess.run(
            [self.checker, fsa, network, certificate],
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
        )
        text = done.stdout.decode("utf-8", "replace")
        assert (
            done.returncode == rc
        ), f"lrnn-check {network} {certificate}: exit {done.returncode}\n{text}"
        assert rc or text.startswith("s VERIFIED "), text
        return text

    def golden(self, name, text):
        path = GOLDEN / name
        if self.update:
            path.write_text(text)
        expected = path.read_text() if path.exists() else ""
        if text != expected:
            import difflib

            lines = difflib.unified_diff(
                expected.splitlines(), text.splitlines(), str(path), "printed", lineterm=""
            )
            raise AssertionError("\n".join(list(lines)[:60]))

    def nothing_left(self, *kept):
        """Checks that the folder has only the test's files and no half-made output."""
        assert self.entries() == sorted(kept), f"left behind: {self.entries()}"


def tokens(line):
    """Returns the names of a canonical line, which are bare, or quoted as in JSON."""
    return [
        json.loads(t) if t.startswith('"') else t
        for t in re.findall(r'"(?:[^"\\]|\\.)*"|\S+', line)
    ]


def cycles_name(image):
    """Returns the cycle notation of an image tuple over points 0.., with which the group form names
    its elements."""
    seen, text = set(), ""
    for point in range(len(image)):
        cycle = []
        while point not in seen:
            seen.add(point)
            cycle.append(str(point + 1))
            point = image[point]
        if len(cycle) > 1:
            text += "(" + " ".join(cycle) + ")"
    return text or "()"


def expand_group(points, track, letters):
    """Returns states and transitions of a group form: {letter: image}."""
    if track[0] == "points":
        following = {
            str(p + 1): {a: str(image[p] + 1) for a, image in letters.items()}
            for p in range(points)
        }
        return list(following), track[1], following
    identity = tuple(range(points))
    queue, following = [identity], {}
    for element in queue:
        row = following.setdefault(cycles_name(element), {})
        for letter, image in letters.items():
            target = tuple(image[p] for p in element)
            row[letter] = cycles_name(target)
            if row[letter] not in following:
                following[row[letter]] = {}
                queue.append(target)
    return list(following), "()", following


def parse_fsa(text):
    """Reads canonical text of both forms; returns letters, states, start, next[state][letter],
    accept set."""
    letters, states, start, accept, following, points, track, image = (
        [],
        [],
        None,
        set(),
        {},
        0,
        None,
        {},
    )
    for line in text.splitlines():
        head, *rest = tokens(line)
        word = line.split(" ")[0]
        if word == "fsa":
            continue
        if word == "letters":
            letters = rest
        elif word == "states":
            states = rest
        elif word == "start":
            start = rest[0]
        elif word == "accept":
            accept = set(rest)
        elif word == "points":
            points = int(rest[0])
        elif word == "track":
            track = rest
        elif word == "permute":
            moved = list(range(points))
            for cycle in re.findall(
                r"\(([^)]*)\)", re.sub(r'^permute ("(?:[^"\\]|\\.)*"|\S+) ', "", line)
            ):
                cycle = [int(p) - 1 for p in cycle.split()]
                for at, p in enumerate(cycle):
                    moved[p] = cycle[(at + 1) % len(cycle)]
            letters.append(rest[0])
            image[rest[0]] = tuple(moved)
        elif word != "output":
            following.setdefault(head, {})[rest[0]] = rest[1]
    if track:
        states, start, following = expand_group(points, track, image)
    return letters, states, start, following, accept
