"""The report in a real browser, driven through the WebDriver protocol of chromedriver.

    browser.py REPORT.html EXPECTED.json [SCREENSHOT_PREFIX]

Opens the page, sorts, filters and pages the table, opens a group and a pair, and checks what is
then to be seen; that no script failed, that nothing was loaded, and that names are text. EXPECTED
holds what the page must say, made by other programs.
SPDX-License-Identifier: MIT
"""
import base64
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request


class Browser:
    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1400",
                     "--disable-dev-shm-usage", "--hide-scrollbars"]
        options = {"args": arguments, "binary": shutil.which("chromium")}
        for _ in range(200):
            try:
                self.call("GET", "/status")
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.base += "/session/" + session["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"},
                                         method=method)
        # No proxy stands between this machine and itself.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"FAILED: {method} {path}: {error.read().decode()[:2000]}") from None

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, css):
        elements = self.call("POST", "/elements", {"using": "css selector", "value": css})
        return [next(iter(element.values())) for element in elements]

    def click(self, css, number=0):
        self.call("POST", f"/element/{self.find(css)[number]}/click", {})

    def type(self, css, text):
        element = self.find(css)[0]
        self.call("POST", f"/element/{element}/clear", {})
        if text:
            self.call("POST", f"/element/{element}/value", {"text": text})
        else:
            self.run("arguments[0].dispatchEvent(new Event('input'))", {
                "element-6066-11e4-a52e-4f735466cecf": element})

    def texts(self, css):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", css)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"FAILED: {what}: expected {expected!r}, found {found!r}")


def until(what, probe, expected):
    for _ in range(100):
        found = probe()
        if found == expected:
            return
        time.sleep(0.05)
    check(what, found, expected)


def number(text):
    return int(re.sub(r"[^0-9]", "", text))


def main():
    report, expected = os.path.abspath(sys.argv[1]), json.load(open(sys.argv[2], encoding="utf-8"))
    pictures = sys.argv[3] if len(sys.argv) > 3 else None
    browser = Browser()
    try:
        test(browser, report, expected, pictures)
    finally:
        browser.close()


def test(browser, report, expected, pictures):
    start = time.time()
    browser.call("POST", "/url", {"url": "file://" + report})
    loaded = time.time() - start
    tiles = dict(zip(browser.texts(".tile span"), browser.texts(".tile b")))
    for name, value in expected["tiles"].items():
        check(name, number(tiles[name]), value)
    if pictures:
        time.sleep(0.3)
        browser.picture(pictures + "-light.png")
        browser.click("#theme")
        browser.click("#shifted")
        time.sleep(0.3)
        browser.picture(pictures + "-dark.png")
        browser.click("#plain")
        browser.click("#theme")

    # The key space is drawn, and drawn anew when a kind is left out and when it is enlarged.
    drawn = ("const c = document.getElementById('space'); const p = new Uint32Array("
             "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);"
             "let sum = 0; for (const v of p) sum = (sum * 31 + v) >>> 0; return sum;")
    settle = "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

    def picture_of_space():
        browser.run(settle)
        return browser.run(drawn)
    whole = picture_of_space()
    browser.click("#shifted")
    if picture_of_space() == whole:
        raise SystemExit("FAILED: the shifted key space looks like the other")
    browser.click("#plain")
    check("key space again", picture_of_space(), whole)
    browser.click("#legend button")
    check("kind left out", browser.run("return document.querySelector('#legend button').ariaPressed"), "false")
    if picture_of_space() == whole:
        raise SystemExit("FAILED: leaving a kind out changes nothing")
    browser.click("#legend button")
    canvas = browser.find("#space")[0]
    browser.call("POST", f"/element/{canvas}/value", {"text": "+"})
    if picture_of_space() == whole:
        raise SystemExit("FAILED: the keyboard does not enlarge")
    browser.call("POST", f"/element/{canvas}/value", {"text": "0"})
    check("key space after 0", picture_of_space(), whole)
    # Dragging enlarges.
    origin = {"type": "pointerMove", "duration": 0, "origin": {"element-6066-11e4-a52e-4f735466cecf": canvas}}
    browser.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
        {**origin, "x": -80, "y": -80}, {"type": "pointerDown", "button": 0},
        {**origin, "x": 80, "y": 80}, {"type": "pointerUp", "button": 0}]}]})
    if picture_of_space() == whole:
        raise SystemExit("FAILED: dragging does not enlarge")
    browser.click("#whole")

    # Sorting: by files, then the other way round; what is seen is in order, and says so.
    def column(index):
        return browser.texts(f"tr.group td:nth-child({index})")
    browser.click("#head th:nth-child(2) button")
    files = [number(text) for text in column(2)]
    check("sorted by files", files, sorted(files, reverse=True))
    check("most files", files[0], expected["most_files"])
    check("aria-sort", browser.run("return document.querySelector('#head th:nth-child(2)').ariaSort"), "descending")
    browser.click("#head th:nth-child(2) button")
    files = [number(text) for text in column(2)]
    check("sorted the other way", files, sorted(files))
    # Least alike first what is most alike, and what it says is of a member.
    browser.click("#head th:nth-child(5) button")
    check("most alike", column(5)[0], "identical")
    browser.click("#head th:nth-child(5) button")
    check("least alike", column(5)[0], expected["least_alike"])
    browser.click("#head th:nth-child(6) button")
    paths = browser.texts("tr.group td.path")
    check("sorted by path", paths, sorted(paths, key=lambda p: p.encode("utf-16-be", "surrogatepass")))

    # Pages.
    groups = expected["tiles"]["Groups"]
    check("rows of a page", len(column(1)), min(groups, 50))
    if groups > 50:
        first = browser.texts("tr.group td.path")
        browser.click("#next")
        if browser.texts("tr.group td.path") == first:
            raise SystemExit("FAILED: the next page is the same")
        browser.click("#previous")
        check("the first page again", browser.texts("tr.group td.path"), first)

    # Filtering.
    browser.type("#filter", expected["filter"]["text"])
    until("groups filtered", lambda: number(browser.texts("#shown")[0].split(" of ")[0]),
          expected["filter"]["groups"])
    browser.type("#filter", "no path has this in it")
    until("nothing left", lambda: len(column(1)), 0)

    # A group opens, and a pair of it, by keyboard too; Escape closes it.
    browser.type("#filter", expected["pair"]["b"])
    until("one group", lambda: len(column(1)), 1)
    check("closed at first", len(browser.find("tr.inner")), 0)
    browser.click("tr.group button")
    check("open", browser.run("return document.querySelector('tr.group button').ariaExpanded"), "true")
    position = browser.texts("tr.inner button.open").index(expected["pair"]["b"])
    button = browser.find("tr.inner button.open")[position]
    browser.call("POST", f"/element/{button}/value", {"text": "\ue007"})
    check("dialog", browser.run("return document.getElementById('pair').open"), True)
    for side, cell in (("a", 2), ("b", 3)):
        found = [number(text) for text in browser.texts(f"#pair-rows td:nth-child({cell})")]
        check(f"counts of {side}", found, expected["pair"]["counts_" + side])
    names = " ".join(browser.texts("#pair-names dd"))
    for side in "ab":
        if expected["pair"][side] not in names:
            raise SystemExit(f"FAILED: {expected['pair'][side]} is not in {names}")
    note = f"In common: {expected['pair']['common']}."
    if note not in browser.texts("#pair-note")[0]:
        raise SystemExit(f"FAILED: {note} is not in {browser.texts('#pair-note')}")
    if pictures:
        time.sleep(0.2)
        browser.picture(pictures + "-pair.png")
    browser.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
        {"type": "keyDown", "value": "\ue00c"}, {"type": "keyUp", "value": "\ue00c"}]}]})
    until("closed by Escape", lambda: browser.run("return document.getElementById('pair').open"), False)

    # Names are text: each is there as such, and none has become an element or run.
    browser.type("#filter", "")
    until("all groups again", lambda: number(browser.texts("#shown")[0]), groups)
    for name in expected["names"]:
        browser.type("#filter", name)
        until(f"a group with {name}", lambda: len(column(1)) > 0, True)
        if browser.run("return document.querySelector('tr.group button').ariaExpanded") == "false":
            browser.click("tr.group button")
        shown = browser.texts("tr.inner td.path, tr.inner button")
        if not any(name in text for text in shown):
            raise SystemExit(f"FAILED: {name} is not shown as it is: {shown}")
    for tag in ("img", "iframe", "object", "body script[src]", "a", "b.injected", "tbody svg"):
        check(f"elements {tag}", len(browser.find(tag)), 0)
    check("injected", browser.run("return window.injected === undefined"), True)

    # No script failed, and nothing was loaded but the page.
    check("messages", [entry["message"] for entry in browser.log("browser")], [])
    loads = set()
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            loads.add(message["params"]["request"]["url"])
    check("loaded", sorted(url for url in loads if not url.startswith("data:")), ["file://" + report])
    print(f"opened in {loaded:.2f} s")


if __name__ == "__main__":
    main()
