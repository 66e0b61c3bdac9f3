#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The site in a browser without a window: on a narrow and a wide screen, light and dark. The page is not wider than the
screen, pictures load, formulas are drawn, nothing comes from the network, text has contrast, and the search finds pages.

usage: check_site_browser.py SITE [FOLDER]     FOLDER: where to leave a picture of each page"""
import base64
import glob
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

SCREENS = {"narrow": (400, 800), "wide": (1280, 900)}
LIMIT = 60  # seconds for one answer

# What a page says of itself. Contrast is that of WCAG, of text on the page.
LOOK = """(async () => {
  if (window.MathJax && MathJax.Hub) await new Promise(done => MathJax.Hub.Queue(done));
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(x => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
                       return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const text = getComputedStyle(document.querySelector('article') || document.body), page = getComputedStyle(document.body);
  const [a, b] = [light(text.color), light(page.backgroundColor)];
  return JSON.stringify({
    width: document.documentElement.scrollWidth, screen: window.innerWidth,
    broken: [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src),
    hidden: [...document.querySelectorAll('#parameters td')].filter(c => c.getBoundingClientRect().right > window.innerWidth).length,
    formulas: document.querySelectorAll('.math').length, drawn: document.querySelectorAll('.math svg').length,
    wrong: document.querySelectorAll('[data-mml-node=merror], .merror, .MathJax_Error').length,
    contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), dark: b < 0.2});
})()"""


class Browser:
    """Chromium, which takes requests from a pipe: JSON that ends in a zero byte."""

    def __init__(self, program, folder):
        into, self.to = os.pipe()
        self.of, out = os.pipe()
        for pipe, number in ((into, 3), (out, 4)):
            os.set_inheritable(pipe, True)
        # The shell gives the pipes the numbers that Chromium expects.
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={folder}",
                   "--allow-file-access-from-files", "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(["sh", "-c", f'exec "$@" 3<&{into} 4>&{out}', "sh", *command], close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(into)
        os.close(out)
        self.rest, self.number, self.events, self.session = b"", 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{part}.enable")

    def receive(self):
        end = time.time() + LIMIT
        while b"\0" not in self.rest:
            if not select.select([self.of], [], [], max(0, end - time.time()))[0]:
                raise TimeoutError(f"the browser does not answer within {LIMIT} s")
            data = os.read(self.of, 1 << 20)
            if not data:
                raise EOFError("the browser has ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.events.append(message)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def evaluate(self, script):
        return self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)["result"].get("value")

    def open(self, path, screen, dark):
        """The page as JSON, and what went wrong while it was loaded."""
        width, height = SCREENS[screen]
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events = []
        self.ask("Page.navigate", url="file://" + path)
        self.wait_for("Page.loadEventFired")
        seen = json.loads(self.evaluate(LOOK))
        bad = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") in ("Network.loadingFailed", "Runtime.exceptionThrown") or \
                    (event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error"):
                bad.append(params)
            url = params.get("request", {}).get("url", "")
            if url.startswith("http"):
                bad.append(f"loads {url}")
        return seen, bad

    def picture(self, name):
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=False)
        with open(name, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()


def check_pages(browser, site, shots):
    wrong = []
    pages = sorted(glob.glob(os.path.join(site, "docs", "**", "*.html"), recursive=True)) + \
        [os.path.join(site, page) for page in ("README.html", "python/README.html", "problems/README.html")]
    for path in pages:
        for screen, dark in (("narrow", True), ("wide", False)):
            seen, bad = browser.open(path, screen, dark)
            name = os.path.relpath(path, site)[:-5].replace("/", "_")
            if shots:
                browser.picture(os.path.join(shots, f"{name}_{screen}.png"))
            fits = {"is wider than the screen": seen["width"] <= seen["screen"], "lacks pictures": not seen["broken"],
                    "has keys whose meaning is beyond the screen": not seen["hidden"],
                    "has formulas that are not drawn": seen["drawn"] >= seen["formulas"] and not seen["wrong"],
                    "has text of little contrast": seen["contrast"] > 7, "is dark only where this is wanted": seen["dark"] == dark,
                    "has errors": not bad}
            wrong += [f"{name}, {screen}: {what}: {seen} {bad}"[:600] for what, fine in fits.items() if not fine]
    assert not wrong, "\n".join(wrong[:20])


def check_search(browser, site):
    for words, page in (("run.initial", "docs/restart"), ("hlld", "docs/physics/mhd"), ("streamer", "docs/discharges")):
        browser.open(os.path.join(site, f"search.html?q={words}"), "wide", False)
        links, end = "", time.time() + LIMIT
        while page not in links and time.time() < end:
            time.sleep(0.2)
            links = browser.evaluate("[...document.querySelectorAll('#search-results a')].map(a => a.href).join(' ')")
        assert page in links, f"the search for {words} finds no {page}: {links}"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    site, shots = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else None
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("skipped: site_doc: browser: there is no Chromium; install chromium")
        return
    if shots:
        os.makedirs(shots, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            check_pages(browser, site, shots)
            check_search(browser, site)
        finally:
            browser.close()


main()
