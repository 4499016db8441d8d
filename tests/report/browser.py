"""Tests the report in a real browser, which chromedriver controls through the WebDriver protocol.

    browser.py REPORT.html EXPECTED.json [SCREENSHOT_PREFIX]
    browser.py --others EMPTY.html VERSIONS.html VERSIONS.json HOSTS.html FOLDER
                                        without groups; made with --group=lineage; of two hosts

Opens the page at three widths, in light and dark and on paper, filters and sorts the list, opens a
group and its pairs, and decides. Checks the visible page and the saved file; that no script failed,
that nothing was loaded, and that names and lines of files are text. EXPECTED contains the expected
texts of the page, made by other programs.
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
import tempfile
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
        # Do not use a proxy for connections to this machine.
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
        element = self.find(css)[number]
        # The decisions at the bottom may cover an element that the driver treats as visible.
        self.run("arguments[0].scrollIntoView({block: 'center'})", {"element-6066-11e4-a52e-4f735466cecf": element})
        self.call("POST", f"/element/{element}/click", {})

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

    def command(self, name, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def resize(self, width, height):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=False)

    def show_as(self, media="", scheme="light"):
        self.command("Emulation.setEmulatedMedia", media=media,
                     features=[{"name": "prefers-color-scheme", "value": scheme}])

    def choose(self, css, value):
        self.run("const e = document.querySelector(arguments[0]); e.value = arguments[1];"
                 "e.dispatchEvent(new Event('change'))", css, value)

    def press(self, *keys):
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]}]})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


ENTER, ESCAPE, TAB, DOWN = "\ue007", "\ue00c", "\ue004", "\ue015"


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"FAILED: {what}: expected {expected!r}, found {found!r}")


def until(what, probe, expected):
    for _ in range(600):
        found = probe()
        if found == expected:
            return
        time.sleep(0.05)
    check(what, found, expected)


def number(text):
    return int(re.sub(r"[^0-9]", "", text))


def test_versions(browser, report, lineages):
    browser.call("POST", "/url", {"url": "file://" + os.path.abspath(report)})
    browser.run("document.querySelectorAll('.open').forEach(button => button.click())")
    rows = browser.run("return [...document.querySelectorAll('.version')].map(row => [row.querySelector('.no').textContent,"
                       "document.querySelector('#below .path').textContent + row.querySelector('.path').textContent,"
                       "row.querySelector('.edge').textContent, row.className])")
    expected = {}
    words = {"number": "a number in the names", "rotation": "a rotated log", "backup": "one is named as a backup", "copy": "one is named as a copy",
             "time": "their times", "size": "it is larger"}
    for group in lineages:
        paths = {version["version"]: version["files"][0]["path"] for version in group["versions"]}
        for version in group["versions"]:
            name = os.path.basename(paths.get(version.get("parent"), ""))
            percent = min(99, int(100 * version.get("confidence", 0)))
            expected[paths[version["version"]]] = (
                ("unclear whether it is the first" if any(
                    v.get("parent") == version["version"] and v["order"] == "unclear" for v in group["versions"])
                 else "likely the first") if "parent" not in version
                else f"unclear which is earlier: this one or {name}, " if version["order"] == "unclear"
                else f"from version {version['parent']}, {name}, ", version.get("order"),
                "" if version.get("order") != "clear" else
                f"{percent} % sure by {', '.join(words[reason] for reason in version['reasons']) or 'the other versions'}")
    check("versions", sorted(row[1] for row in rows), sorted(expected))
    for _, path, edge, kind in rows:
        begin, order, end = expected[path]
        check(f"the edge of {path}", (edge.startswith(begin), edge.endswith(end)), (True, True))
        check(f"is {path} unclear", "unclear" in kind, order == "unclear")
    check("both kinds", {order for _, order, _ in expected.values()}, {None, "clear", "unclear"})
    browser.click(".tools .choice button", 1)
    check("files instead", browser.run("return document.querySelector('.inside .files').checkVisibility()"), True)
    for width in (390, 1000):
        browser.resize(width, 1000)
        browser.run("document.querySelectorAll('.tools .choice button')[0].click()")
        check(f"width of versions at {width}", browser.run(WIDTH), 0)
        check(f"contrast of versions at {width}", browser.run(CONTRAST), [])


def test_hosts(browser, report, folder):
    browser.call("POST", "/url", {"url": "file://" + os.path.abspath(report)})
    check("title", browser.call("GET", "/title"), f"Similar files in {folder}/archives and other:{folder}/elsewhere")
    browser.click(".open")
    above = folder + "/archives/"
    check("relations", [row[1:] for row in rows_of(browser)], [
        ["first file", "", above + "part.txt"], ["part of", "", f"other:{folder}/elsewhere/b.txt (>99 %)"],
        ["part of", "", above + "a.txt (>99 %)"],
        ["identical", f"same as {above}a.txt", f"{above}a.txt.gz//a.txtsame as {above}a.txt"]])
    check("container", browser.texts(".container"), ["in a.txt.gz"])
    check("lead", browser.texts("#lead"), ["1 of 5 files is a copy, in an archive. 2 more files resemble another."])
    browser.call("POST", "/url", {"url": "file://" + os.path.abspath(report.replace(".html", "-parts.html"))})
    check("lead without copies", browser.texts("#lead"), ["2 of 5 files resemble another."])
    browser.call("POST", "/url", {"url": "file://" + os.path.abspath(report)})
    browser.click(".open")
    dates = [text.split("kB")[1] for text in browser.texts(".file .facts")]
    check("seconds", [dates[0], dates[2]], ["2021-06-07 08:09:11", "2021-06-07 08:09:10"])


def test_others(report, versions, lineages, hosts, folder):
    browser = Browser()
    try:
        test_hosts(browser, hosts, folder)
        with open(lineages, encoding="utf-8") as file:
            test_versions(browser, versions, json.load(file))
        browser.call("POST", "/url", {"url": "file://" + os.path.abspath(report)})
        check("lead", browser.texts("#lead"), ["None of 1 file is a copy or resembles another."])
        check("no list", browser.run("return document.getElementById('list').checkVisibility()"), False)
        browser.click("#shifted")
        check("messages", [entry["message"] for entry in browser.log("browser")], [])
    finally:
        browser.close()


def main():
    if sys.argv[1] == "--others":
        return test_others(*sys.argv[2:7])
    report, expected = os.path.abspath(sys.argv[1]), json.load(open(sys.argv[2], encoding="utf-8"))
    pictures = sys.argv[3] if len(sys.argv) > 3 else None
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            test(browser, report, expected, pictures, folder)
    finally:
        browser.close()


def shown_groups(browser):
    return number(browser.texts("#shown")[0].split(" of ")[0].split(" group")[0])


def clear(browser, expected):
    if browser.run("return !document.getElementById('clear').hidden"):
        browser.click("#clear")
    until("all groups", lambda: shown_groups(browser), expected["groups"])


def test(browser, report, expected, pictures, folder):
    browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
    start = time.time()
    browser.call("POST", "/url", {"url": "file://" + report})
    loaded = time.time() - start
    test_numbers(browser, expected)
    test_list(browser, expected)
    test_filters(browser, expected)
    test_folders(browser, expected)
    test_pair(browser, expected)
    test_decisions(browser, expected, folder)
    test_map(browser)
    test_names(browser, expected)
    test_widths(browser, report, expected, pictures)

    # No script failed, and only the page itself was loaded.
    check("messages", [entry["message"] for entry in browser.log("browser")], [])
    loads = set()
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            loads.add(message["params"]["request"]["url"])
    check("loaded", sorted(url for url in loads if not url.startswith(("data:", "blob:"))), ["file://" + report])
    print(f"opened in {loaded:.2f} s")


# The text at the top, and the origin of the page.
def test_numbers(browser, expected):
    for kind, (files, size) in enumerate(zip(expected["kinds"], expected["kind_bytes"])):
        tile = browser.run("return [...document.querySelectorAll('.tile')[arguments[0]].children]"
                           ".map(e => e.textContent)", kind)
        check(f"files of kind {kind}", number(tile[1]), files)
        check(f"bytes of kind {kind}", tile[2], size)
    check("title", [browser.call("GET", "/title"), *browser.texts("h1")], 2 * [expected["title"]])
    check("lead", browser.texts("#lead"), [expected["lead"]])
    numbers = [int(n) for n in re.findall(r"\d+", browser.texts("#share-note")[0].replace(",", ""))]
    check("numbers below", numbers, [expected["files"], expected["groups"], *expected["kinds"], expected["groups"],
                                     expected["rows"] - expected["files"]])
    check("sum of kinds and first files", sum(numbers[2:6]), numbers[0])
    about = dict(zip(browser.texts("#about dt"), browser.texts("#about dd")))
    check("command", about["Command"].split("/")[-1], expected["command"])
    for name, part in expected["about"].items():
        if part not in about[name]:
            raise SystemExit(f"FAILED: {part} is not in {about[name]}")
    check("groups", shown_groups(browser), expected["groups"])
    for word in ("skew", "Skew", "tag"):
        for heading in browser.texts("h1, h2, h3, .tile"):
            if word in heading:
                raise SystemExit(f"FAILED: a heading speaks of {word}: {heading}")


# Order, pages, and folders as headings.
def test_list(browser, expected):
    def saved():
        return [number(text) for text in browser.run(
            "return [...document.querySelectorAll('.open .saves')].map(e => e.textContent || '0')")]

    def ids():
        return browser.run("return [...document.querySelectorAll('#rows > li[data-id]')].map(e => e.dataset.id)")
    check("most saved bytes first", ids(), expected["ids"][:50])
    browser.choose("#sort", "3")
    files = [number(text.split(" file")[0]) for text in browser.texts(".open .what")]
    check("sorted by files", files, sorted(files, reverse=True))
    check("most files", files[0], expected["most_files"])
    browser.click("#reverse")
    files = [number(text.split(" file")[0]) for text in browser.texts(".open .what")]
    check("sorted the other way", files, sorted(files))
    browser.click("#reverse")
    browser.choose("#sort", "0")
    check("rows of a page", len(ids()), min(expected["groups"], 50))
    first = ids()
    browser.click("#next")
    if set(ids()) & set(first):
        raise SystemExit("FAILED: the next page has rows of the first")
    browser.click("#previous-below")
    check("the first page again", ids(), first)
    browser.click("#by-folder")
    headings = browser.texts("#rows h3")
    check("headings of folders", len(headings), len(set(headings)))
    if len(headings) < 2:
        raise SystemExit(f"FAILED: folders as headings: {headings}")
    browser.click("#by-folder")
    check("no headings", browser.texts("#rows h3"), [])


# Filters, alone and together, find as many groups as another program does.
def test_filters(browser, expected):
    for filters in expected["filters"]:
        for name, value in filters["set"].items():
            if name in ("text", "folder"):
                browser.type("#" + name, value)
            else:
                browser.choose("#" + name, value)
        until(f"groups with {filters['set']}", lambda: shown_groups(browser), filters["groups"])
        clear(browser, expected)
    browser.type("#text", "no path has this in it")
    until("nothing left", lambda: len(browser.find(".open")), 0)
    clear(browser, expected)
    browser.click(".tile", 1)
    check("a tile filters", browser.run("return document.getElementById('kind').value"), "1")
    check("and says so", browser.run("return document.querySelectorAll('.tile')[1].ariaPressed"), "true")
    browser.click(".tile", 1)
    check("and no longer", shown_groups(browser), expected["groups"])


# The folders: their contents, and the list of the current folder.
def test_folders(browser, expected):
    names = [name.rstrip("/") for name in browser.texts("#folders .path")]
    check("folders", sorted(names), sorted(expected["folders"]))
    for name, much in zip(names, browser.texts("#folders .much")):
        check(f"files of folder {name}", number(much.split(" in ")[1]), expected["folders"][name])
    check("whole folders", browser.run("return [...document.querySelectorAll('#whole-list li')].map(li => [li.children[0].textContent, li.children[1].textContent])"), expected["whole"])
    check("there are some", len(expected["whole"]) > 0, True)
    browser.click("#whole-list button")
    check("its files", browser.run("return document.getElementById('folder').value").rstrip("/").endswith(expected["whole"][0][0].removeprefix("All of ").split(" is ")[0]), True)
    clear(browser, expected)
    browser.click("#folders button")
    entered = browser.run("return document.getElementById('folder').value")
    check("entered", os.path.basename(entered.rstrip("/")), names[0])
    check("crumbs", len(browser.find("#crumbs button")), 2)
    browser.click("#crumbs button")
    check("left", browser.run("return document.getElementById('folder').value"), "")


def open_group(browser, text):
    browser.type("#text", text)
    until(f"a group with {text}", lambda: shown_groups(browser) == 1 or browser.texts("#shown"), True)
    if browser.run("return document.querySelector('.open').ariaExpanded") == "false":
        browser.click(".open")


def rows_of(browser):
    return browser.run("return [...document.querySelectorAll('.file')].map(row => "
                       "[(document.querySelector('#below .path')?.textContent ?? '') + row.querySelector('.path').textContent,"
                       "row.firstChild.textContent, row.querySelector('.as')?.textContent ?? '', row.querySelector('.name').textContent])")


# With the keyboard alone: down to a group, into it, to a pair; Escape closes it and restores the
# focus.
def test_pair(browser, expected):
    pair = expected["pair"]
    browser.run("document.querySelector('.open').focus()")
    browser.press(DOWN)
    check("the next row", browser.run("return [...document.querySelectorAll('.open')].indexOf(document.activeElement)"), 1)
    browser.type("#text", pair["b"])
    until("one group", lambda: shown_groups(browser), 1)
    browser.run("document.querySelector('.open').focus()")
    browser.press(ENTER)
    check("open", browser.run("return document.querySelector('.open').ariaExpanded"), "true")
    index = [row[0] for row in rows_of(browser)].index(pair["b"])
    check("rows", [row[:3] for row in rows_of(browser)], pair["rows"])
    browser.run("document.querySelectorAll('.file')[arguments[0]].querySelector('.compare').focus()", index)
    browser.press(ENTER)
    check("dialog", browser.run("return document.getElementById('pair').open"), True)
    check("paths", browser.texts(".sides .path"), [pair["a"], pair["b"]])
    check("sentence", browser.texts("#pair-note"), [f"A and B have a resemblance of {pair['common']}."])
    check("sizes and dates", browser.texts(".sides dd"), pair["facts"])
    check("lines", browser.texts(".diff span"), pair["lines"])
    check("counts are folded", browser.run("return document.getElementById('counts').open"), False)
    for side, cell in (("a", 2), ("b", 3)):
        found = [number(text) for text in browser.texts(f"#pair-rows td:nth-child({cell})")]
        check(f"counts of {side}", found, pair["counts_" + side])
    browser.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.click(".sides > div:nth-child(2) .tools button")
    until("copied", lambda: browser.texts(".sides > div:nth-child(2) .tools button")[0], "Copied")
    browser.press(ESCAPE)
    until("closed by Escape", lambda: browser.run("return document.getElementById('pair').open"), False)
    check("focus", browser.run("return document.activeElement.className"), "compare")
    clear(browser, expected)
    for text, absence in expected["absences"].items():
        open_group(browser, text)
        browser.click(".compare")
        check(f"no lines of {text}", browser.texts("#difference"), [absence])
        browser.press(ESCAPE)
        clear(browser, expected)
    open_group(browser, expected["hostile"]["path"])
    browser.click(".compare")
    check("hostile lines", [line for line in browser.texts(".diff span") if line[0] in "+-"], expected["hostile"]["lines"])
    check("injected", browser.run("return window.injected === undefined"), True)
    browser.press(ESCAPE)
    clear(browser, expected)
    open_group(browser, expected["pictures"]["path"])
    browser.click(".compare")
    until("pictures", lambda: browser.run("return [...document.querySelectorAll('.sides img')].map(i => i.complete ? i.naturalWidth : 0)"),
          expected["pictures"]["widths"])
    browser.press(ESCAPE)
    clear(browser, expected)


def decided(browser):
    return [int(n) for n in re.findall(r"(\d+) files?", browser.texts("#decided")[0].replace(",", ""))]


# Decisions by hand and by rule: they are kept, saved, and undone.
def test_decisions(browser, expected, folder):
    rules = expected["rules"]
    check("nothing is decided", browser.run("return document.getElementById('basket').hidden"), True)
    open_group(browser, expected["pair"]["b"])
    browser.click(".file .remove")
    check("removed", decided(browser), [0, 1])
    check("seen", browser.run("return document.querySelector('.file').classList.contains('gone')"), True)
    browser.click(".file .remove")
    check("neither", browser.run("return document.getElementById('basket').hidden"), True)
    clear(browser, expected)
    browser.click("#rule summary")
    for name in ("oldest", "newest", "shortest", "folder"):
        browser.type("#text", rules[name]["text"])
        until("the groups of a rule", lambda: shown_groups(browser), rules[name]["groups"])
        browser.choose("#keep", name)
        if name == "folder":
            browser.type("#keep-folder", rules[name]["folder"])
        browser.choose("#scope", rules[name]["scope"])
        browser.click("#apply")
        check(f"decided by {name}", decided(browser), rules[name]["decided"])
        check(f"saved by {name}", kept_in(save(browser, folder)), rules[name]["kept"])
        browser.click("#undo")
        check("undone", browser.run("return document.getElementById('basket').hidden"), True)
        clear(browser, expected)
    browser.choose("#keep", "oldest")
    browser.choose("#scope", "same")
    browser.click("#apply")
    whole = save(browser, folder)
    check("the same groups", [group["id"] for group in whole["groups"]], rules["all_ids"])
    check_format(whole, expected)
    test_loading(browser, whole, folder)
    # They survive a reload, as far as the browser allows.
    before = browser.texts("#decided")
    until("remembered", lambda: browser.run("return Object.values(localStorage).join('').replace(/[^kr]/g, '').length"),
          sum(decided(browser)))
    browser.call("POST", "/refresh", {})
    until("kept", lambda: browser.texts("#decided"), before)
    browser.click("#forget")
    browser.call("POST", "/alert/accept", {})
    check("forgotten", browser.run("return document.getElementById('basket').hidden"), True)
    # Names that are not UTF-8, and names that are only shown differently.
    for name in expected["exact"]:
        open_group(browser, name["shown"])
        paths = [row[0] for row in rows_of(browser)]
        browser.click(".file .keep", next(i for i, path in enumerate(paths) if path.endswith(name["shown"])))
        saved = save(browser, folder)["groups"][0]["files"][0]
        if "path_hex" in name:
            check("bytes of a path", bytes.fromhex(saved["path_hex"]), bytes.fromhex(name["path_hex"]))
        else:
            check("an exact path", saved["path"], name["path"])
            check("no bytes", "path_hex" in saved, False)
        browser.click("#forget")
        browser.call("POST", "/alert/accept", {})
        clear(browser, expected)


# Saved decisions are loaded again, and differences are reported.
def test_loading(browser, whole, folder):
    before = browser.texts("#decided")

    def load(text, *shown):
        path = os.path.join(folder, "saved.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        browser.call("POST", f"/element/{browser.find('#load-file')[0]}/value", {"text": path})
        until("loaded", lambda: browser.texts("#loaded"), list(shown))

    def forget():
        browser.click("#forget")
        browser.call("POST", "/alert/accept", {})
    total = sum(len(group["files"]) for group in whole["groups"])
    forget()
    load(json.dumps(whole), f"Loaded {total} decisions from saved.json.")
    check("decided as before", browser.texts("#decided"), before)
    check("all match", browser.run("return document.getElementById('unmatched').hidden"), True)
    check("saved once more", save(browser, folder), whole)
    browser.click("#unload")
    check("undone", browser.run("return document.getElementById('basket').hidden"), True)
    changed = json.loads(json.dumps(whole))
    files = [file for group in changed["groups"] for file in group["files"]]
    files[0]["size"] += 1
    files[1]["path"] += "<b class=injected>"
    files[2]["host"] = "elsewhere"
    files[3]["hash"] = "0" * 32
    files[4]["decision"] = "burn"
    next(file for file in files[6:] if file["decision"] == "remove")["decision"] = "give up"  # of earlier versions
    del files[5]["size"], files[5]["mtime"]
    load(json.dumps(changed), f"Loaded {total - 5} decisions from saved.json.")
    check("decisions that match", sum(decided(browser)[:2]), total - 5)
    check("differences", browser.texts("#unmatched summary") + browser.texts("#unmatched .soft"),
          ["5 decisions do not match this page", "has changed since", "is not on this page", "is not on this page",
           "has other content now", "is neither kept nor removed"])
    forget()
    # A script of simkeep, with its commands as comments; moves have no decision.
    pairs = [(group["files"][0], file) for group in whole["groups"] for file in group["files"][1:]
             if file["hash"] == group["files"][0]["hash"]]
    lines = ["#!/bin/sh", json.dumps({"format": "simkeep script", "host": whole["groups"][0]["files"][0]["host"]})]
    for kept, copy in pairs:
        lines.append("#delete " + json.dumps({"size": copy["size"], **{
            name + field[4:]: value for name, file in (("kept", kept), ("copy", copy))
            for field, value in file.items() if field.startswith("path")}}))
    lines += ["#move " + json.dumps({"size": 1, "file": "/x", "to": "/y"}), "}"]
    told = {json.dumps([file.get("path"), file.get("path_hex")]) for pair in pairs for file in pair}
    check("a script with commands", len(told) > 1, True)
    load("\n".join(lines), f"Loaded {len(told)} decisions from saved.json. 1 file of the plan moves, which is not shown here.")
    check("decisions of a script", sum(decided(browser)[:2]), len(told))
    forget()
    load("#!/bin/sh\n", "Cannot load saved.json: it is not a script of simkeep.")
    load("[1", "Cannot load saved.json: it is not JSON.")
    load("[]", "Cannot load saved.json: it has no decisions of a simfind report.")
    load(json.dumps({**whole, "format_version": 2}), "Cannot load saved.json: its format_version is 2 instead of 1.")
    check("nothing is decided", browser.run("return document.getElementById('basket').hidden"), True)
    load(json.dumps(whole), f"Loaded {total} decisions from saved.json.")
    # For simkeep --decisions.
    with open("decisions.json", "w", encoding="utf-8") as file:
        json.dump(save(browser, folder), file)


# The browser first creates an empty file with the name, writes to a second file and renames the
# second to the first.
def is_downloaded(folder, path):
    return set(os.listdir(folder)) - {"saved.json"} == {os.path.basename(path)} and os.path.getsize(path) > 0


def save(browser, folder):
    path = os.path.join(folder, "decisions.json")
    browser.click("#save")
    check("the next step", browser.texts("#next-step code"), ["simkeep --decisions=decisions.json", "--action=delete --yes"])
    until("saved", lambda: is_downloaded(folder, path), True)
    with open(path, encoding="utf-8") as file:
        saved = json.load(file)
    os.remove(path)
    return saved


def kept_in(saved):
    return sorted(os.path.basename(file["path"]) for group in saved["groups"] for file in group["files"]
                  if file["decision"] == "keep")


# docs/report.md describes the format.
def check_format(saved, expected):
    check("fields", list(saved), ["format", "format_version", "version", "command", "index", "made", "groups"])
    check("format", [saved["format"], saved["format_version"]], ["simfind decisions", 1])
    check("index", saved["index"], expected["index"])
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", saved["made"]) or not re.fullmatch(r"\d+\.\d+\.\d+.*", saved["version"]):
        raise SystemExit(f"FAILED: {saved['made']}, {saved['version']}")
    for group in saved["groups"]:
        check("fields of a group", list(group), ["id", "files"])
        if not re.fullmatch("[0-9a-f]{16}", group["id"]):
            raise SystemExit(f"FAILED: id {group['id']}")
        for file in group["files"]:
            check("fields of a file", [name for name in file if name != "path_hex"],
                  ["path", "host", "size", "mtime", "hash", "decision"])
            path = bytes.fromhex(file["path_hex"]) if "path_hex" in file else file["path"].encode()
            status = os.stat(path)
            check(f"size of {path}", file["size"], status.st_size)
            seconds, nanoseconds = divmod(status.st_mtime_ns, 10 ** 9)
            check(f"time of {path}", file["mtime"],
                  time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + ".%09dZ" % nanoseconds)
            check(f"hash of {path}", file["hash"], expected["hashes"][os.path.basename(path).decode(errors="replace")])
            check("decision", file["decision"] in ("keep", "remove"), True)
            check("host", file["host"], expected["host"])


# The map is drawn, and drawn again when a kind is left out and when it is enlarged.
def test_map(browser):
    drawn = ("const c = document.getElementById('space'); const p = new Uint32Array("
             "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);"
             "let sum = 0; for (const v of p) sum = (sum * 31 + v) >>> 0; return sum;")
    settle = "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

    def picture_of_space():
        browser.run(settle)
        return browser.run(drawn)
    browser.click("#shifted")
    until("the map is there", lambda: browser.run("return document.getElementById('space').ariaLabel !== null"), True)
    shifted = picture_of_space()
    browser.click("#plain")
    whole = picture_of_space()
    if shifted == whole:
        raise SystemExit("FAILED: the map by type looks like the other")
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
    check("the map after 0", picture_of_space(), whole)
    # Dragging enlarges.
    origin = {"type": "pointerMove", "duration": 0, "origin": {"element-6066-11e4-a52e-4f735466cecf": canvas}}
    browser.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
        {**origin, "x": -80, "y": -80}, {"type": "pointerDown", "button": 0},
        {**origin, "x": 80, "y": 80}, {"type": "pointerUp", "button": 0}]}]})
    if picture_of_space() == whole:
        raise SystemExit("FAILED: dragging does not enlarge")
    browser.click("#whole")


# Names are text: each is shown as such, and none becomes an element or runs.
def test_names(browser, expected):
    for name in expected["names"]:
        open_group(browser, name)
        if not any(name in path for path, *_ in rows_of(browser)):
            raise SystemExit(f"FAILED: {name} is not shown as it is: {rows_of(browser)}")
        clear(browser, expected)
    for tag in ("iframe", "object", "body script[src]", "a", "b.injected", "#rows svg", "#rows img"):
        check(f"elements {tag}", len(browser.find(tag)), 0)
    check("injected", browser.run("return window.injected === undefined"), True)


# Texts whose contrast with their background is below AA in WCAG 2.2 (1.4.3).
CONTRAST = """
const channel = c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
const parse = text => text.match(/[\\d.]+/g).map(Number);
const bad = [];
for (const element of document.querySelectorAll("body *")) {
    if (![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim() !== "")) continue;
    if (!element.checkVisibility({visibilityProperty: true}) || element.closest(":disabled, .hidden, option, script, noscript")) continue;
    const style = getComputedStyle(element), text = parse(element instanceof SVGElement ? style.fill : style.color);
    let behind = element, back = [0, 0, 0, 0];
    while (behind && (back.length === 4 && back[3] === 0)) { back = parse(getComputedStyle(behind).backgroundColor); behind = behind.parentElement; }
    const x = light(text), y = light(back), ratio = (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) bad.push([element.tagName, element.className, element.textContent.slice(0, 40), ratio]);
}
return bad;"""

# Anything wider than the window would make the whole page scroll.
WIDTH = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_widths(browser, report, expected, pictures):
    for width in (390, 800, 1600):
        for scheme in ("light", "dark"):
            browser.resize(width, 1100)
            browser.show_as(scheme=scheme)
            browser.call("POST", "/url", {"url": "file://" + report})
            where = f"at {width} in {scheme}"

            def look(part):
                check(f"{part} is as wide as the window {where}", browser.run(WIDTH), 0)
                check(f"contrast of {part} {where}", browser.run(CONTRAST), [])
                if pictures:
                    time.sleep(0.3)
                    browser.picture(f"{pictures}-{width}-{scheme}-{part}.png")
            look("page")
            open_group(browser, expected["pair"]["b"])
            browser.click(".file .keep")
            browser.click("#rule summary")
            browser.click(".file .remove", 1)
            browser.run("document.getElementById('groups-title').scrollIntoView()")
            look("list")
            browser.click(".compare", -1)
            browser.click("#counts summary")
            look("pair")
            inside = browser.run("const d = document.getElementById('pair'); return d.scrollWidth - d.clientWidth")
            check(f"the dialog's width {where}", inside, 0)
            browser.press(ESCAPE)
            browser.run("document.getElementById('space').scrollIntoView()")
            look("map")
            browser.run("localStorage.clear()")
    browser.show_as(media="print")
    check("on paper", browser.run("return [...document.querySelectorAll('.filters, .rule, .basket, .pager, .file .buttons')]"
                                  ".filter(e => e.checkVisibility()).length"), 0)
    check("groups on paper", browser.run("return document.querySelector('.open').checkVisibility()"), True)
    browser.show_as()


if __name__ == "__main__":
    main()
