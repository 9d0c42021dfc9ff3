# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium over the DevTools protocol, through a pipe: the standard library is enough for that."""
import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 90  # seconds for one answer; a machine may be slow, a browser that is stuck is ended


def find():
    """The browser's path, or None where none is installed."""
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


class Browser:
    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="linn-browser-", ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()
        # The browser reads commands from descriptor 3 and answers on 4. Moved out of the way first: either may be 3 or 4.
        command = ["bash", "-c", f'exec 8<&{theirs_in} 9>&{theirs_out}; exec "$@" 3<&8 4>&9 8<&- 9>&-', "bash",
                   program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
                   "--disable-component-update", "--disable-sync", "--disable-extensions",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.numbers = itertools.count(1)
        self.rest = b""
        self.waiting = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(PATIENCE)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.folder.cleanup()

    def receive(self, end):
        """The next message of the browser."""
        while b"\0" not in self.rest:
            if not select.select([self.back], [], [], max(0.0, end - time.monotonic()))[0]:
                raise RuntimeError("the browser does not answer")
            more = os.read(self.back, 1 << 20)
            if not more:
                raise RuntimeError("the browser is gone")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        end = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(end)
            if answer.get("id") != number:
                self.waiting.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def open(self, path, **options):
        return Page(self, path, **options)


class Page:
    """One page, loaded. What it asked for and complained about is in `requests` and `complaints`."""

    def __init__(self, browser, path, width=1200, height=900, scheme="light", scripts=True):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.requests, self.complaints = [], []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def call(self, method, **parameters):
        result = self.browser.call(method, self.session, **parameters)
        self.sort_events()
        return result

    def sort_events(self):
        waiting, self.browser.waiting = self.browser.waiting, []
        seen = set()
        for event in waiting:
            if event.get("sessionId") != self.session:
                continue
            method, values = event.get("method"), event.get("params", {})
            seen.add(method)
            if method == "Network.requestWillBeSent":
                self.requests.append(values["request"]["url"])
            elif method == "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(values["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
                self.complaints.append(json.dumps(values["args"]))
            elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
                self.complaints.append(values["entry"]["text"])
        return seen

    def wait_for(self, method):
        end = time.monotonic() + PATIENCE
        while method not in self.sort_events():
            self.browser.waiting.append(self.browser.receive(end))

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def click(self, expression):
        """A real click in the middle of the element that the expression names."""
        x, y = self.evaluate(f"""(() => {{
            const e = {expression};
            e.scrollIntoView({{block: "center", inline: "center"}});
            const r = e.getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, text=None):
        """A key on the keyboard, pressed and released."""
        codes = {"Enter": 13, "Tab": 9, " ": 32}
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key, code=key,
                  windowsVirtualKeyCode=codes[key], **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=codes[key])

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True,
                                          printBackground=False)["data"])
