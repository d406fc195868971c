"""Chromium without a window, led through a pipe by the DevTools protocol: messages are JSON, each
ended by a zero byte."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60


def find():
    """Returns the path of a browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page of a browser. Messages of its console and exceptions are collected in `errors`."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="f2l-browser-")
        command_end, self.write_end = os.pipe()
        self.read_end, answer_end = os.pipe()
        self.process = subprocess.Popen(
            [
                "sh",
                "-c",
                f'exec "$0" "$@" 3<&{command_end} 4>&{answer_end}',
                program,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-pipe",
                f"--user-data-dir={self.profile}",
                "about:blank",
            ],
            pass_fds=(command_end, answer_end),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_end)
        os.close(answer_end)
        self.number, self.rest, self.events, self.errors = 0, b"", [], []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, deadline):
        """Returns the next message."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read_end], [], [], deadline - time.monotonic())
            if not ready:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        """Keeps an event, and a text of everything that is an error."""
        self.events.append(event)
        method, values = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(values["exceptionDetails"].get("text", "exception"))
        elif method == "Runtime.consoleAPICalled":
            self.errors.append(f"console.{values['type']}")
        elif method == "Log.entryAdded":
            self.errors.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = values["request"]["url"]
            if not url.startswith(("file:", "about:", "data:")):
                self.errors.append(f"a request to {url}")

    def call(self, method, **values):
        """Returns the result of a command."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self.receive(deadline)
            if answer.get("id") != self.number:
                self.note(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def open(self, path, width, height=900):
        """Shows the file in a window of this size."""
        self.size(width, height)
        self.events = []
        self.call("Page.navigate", url=f"file://{path}")
        deadline = time.monotonic() + SECONDS
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.note(self.receive(deadline))

    def size(self, width, height=900):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def look(self, expression):
        """Returns the value of an expression of JavaScript."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']['text']}")
        return result["result"].get("value")

    def media(self, media="", scheme="light"):
        self.call(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def point(self, selector):
        """Moves the mouse to the middle of the first element that the selector finds."""
        x, y = self.look(
            f"(e=>{{e.scrollIntoView({{block:'center'}});const r=e.getBoundingClientRect();"
            f"return [r.x+r.width/2,r.y+r.height/2]}})(document.querySelector({selector!r}))"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def leave(self):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)

    def press(self, key, code=None):
        """Presses a key: Tab, Enter, Escape."""
        number = {"Tab": 9, "Enter": 13, "Escape": 27}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code or key,
                windowsVirtualKeyCode=number,
                **(text if kind == "keyDown" else {}),
            )

    def picture(self, path):
        """Writes the whole page as a PNG."""
        done = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(done["data"]))

    def run_jobs(self, jobs):
        """Runs (name, function) one after another, and returns how many passed and failed. A job
        fails by what it raises, and by an error that the page reports."""
        passed, failed = 0, 0
        for name, job in jobs:
            self.errors = []
            try:
                job()
                assert not self.errors, self.errors[:5]
                passed += 1
            except (AssertionError, RuntimeError) as fault:
                failed += 1
                print(f"FAILED {name}: {fault}")
        return passed, failed
