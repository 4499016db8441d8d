"""Tests the report of directories in a real browser.

    directories.py PAIRS.html PAIRS.json TWO.html TWO.json ROOM.html [SCREENSHOT_PREFIX]

The JSON is the output of simfind for the same pairs, and for two directories. In ROOM.html, no pair
has its files. Everything is opened with the keyboard, at two widths, in light and dark.
SPDX-License-Identifier: MIT
"""
import json
import os
import sys
import time

from browser import CONTRAST, DOWN, ENTER, WIDTH, Browser, check, number, until

LEFT, RIGHT = "\ue012", "\ue014"
NAMES = {"changed": "changed", "moved": "moved", "only_a": "only in A", "only_b": "only in B", "same": "the same"}
WORDS = {"part_of": "part of", "contains": "contains"}


def load(browser, page):
    browser.call("POST", "/url", {"url": "file://" + os.path.abspath(page)})


def focus(browser, css, place=0):
    browser.run("document.querySelectorAll(arguments[0])[arguments[1]].focus()", css, place)


def size(count):
    unit = 0
    while count >= 999.95:
        count, unit = count / 1000, unit + 1
    return (f"{count:.1f}" if unit else str(count)) + " " + ["bytes", "kB", "MB"][unit]


def test_list(browser, page, pairs):
    load(browser, page)
    check("lead", browser.texts("#lead"), [f"{len(pairs)} pairs of folders have much in common."])
    rows = browser.run("return [...document.querySelectorAll('.open')].map(b => ["
                       "b.querySelectorAll('.path')[0].lastChild.data, b.querySelectorAll('.path')[1].lastChild.data,"
                       "b.querySelector('.kind').textContent, ...[...b.querySelectorAll('.of')].map(e => parseInt(e.textContent)),"
                       "b.querySelector('.saves').textContent])")
    kinds = {"identical": "identical", "contained": "all in B", "similar": "similar"}

    def share(side):
        most = 99 if side["same"] < side["files"] else 100
        return max(side["shared_bytes"] > 0, min(most, 100 * side["shared_bytes"] // side["bytes"]))

    def saves(pair):
        if pair["a"].get("in_archive") or pair["b"].get("in_archive"):
            return "in an archive"
        return f"frees {size(pair['saved_bytes'])}" if pair["saved_bytes"] else ""
    expected = [[p["a"]["path"], p["b"]["path"], kinds[p["match"]], share(p["a"]), share(p["b"]), saves(p)] for p in pairs]
    check("pairs", rows, expected)
    check("an archive is among them", any(row[5] == "in an archive" for row in rows), True)
    browser.choose("#kind", "archive")
    check("pairs with archives", len(browser.find(".open")), sum(row[5] == "in an archive" for row in rows))
    browser.click("#clear")
    browser.type("#text", "backup")
    until("filtered by text", lambda: len(browser.find(".open")), sum("backup" in row[0] + row[1] for row in rows))
    browser.click("#clear")
    browser.choose("#sort", "3")
    paths = browser.run("return [...document.querySelectorAll('.open')].map(b => b.querySelector('.path').lastChild.data)")
    check("sorted by path", paths, sorted(paths))


# A pair shows at most 200 entries.
def test_many(browser, page):
    load(browser, page)
    place = browser.run("return [...document.querySelectorAll('.open')].findIndex(b => b.textContent.includes('/many'))")
    focus(browser, ".open", place)
    started = time.time()
    browser.press(ENTER)
    check("entries at first", len(browser.find(".file")), 200)
    print(f"451 files opened in {time.time() - started:.2f} s")
    browser.click(".tree > li:last-child button")
    check("entries then", len(browser.find(".file")), 400)


def tree_of(browser):
    """[path of folders and name, fate, other] of all files, with each folder open."""
    return browser.run("""
        const found = [];
        const walk = (list, above) => { for (const item of list.children) {
            const button = item.querySelector(":scope > .folder");
            if (button) walk(item.lastChild, above + button.firstChild.textContent);
            else found.push([above + item.querySelector(".path").firstChild.data, item.querySelector(".what").textContent,
                             item.querySelector(".path .soft")?.textContent.slice(1).trim() ?? ""]);
        } };
        walk(document.querySelector(".tree"), "");
        return found;""")


def shown(path):
    return path.replace("\n", "\\n").replace("\x1b", "\\x1b")


def test_two(browser, page, two):
    load(browser, page)
    check("one pair, open", browser.run("return document.querySelector('.open').ariaExpanded"), "true")
    counts = {}
    for file in two["files_of_both"]:
        counts[NAMES[file["match"]]] = counts.get(NAMES[file["match"]], 0) + 1
    buttons = {text.split(" ", 1)[1]: number(text) for text in browser.texts(".shown button")}
    check("counts", buttons, counts)
    # Down moves from the pair to its first folder, right opens it, and left closes it.
    focus(browser, ".open")
    browser.press(DOWN)
    check("the first folder", browser.run("return document.activeElement.className"), "folder")
    browser.press(RIGHT)
    check("open", browser.run("return document.activeElement.ariaExpanded"), "true")
    browser.press(LEFT)
    check("closed", browser.run("return document.activeElement.ariaExpanded"), "false")
    while browser.run("const b = document.querySelector('.folder[aria-expanded=false]'); if (b) b.click(); return b !== null"):
        pass
    expected, kinds, copied = [], set(), ("src/lib/f10.c",)
    for file in two["files_of_both"]:
        what = NAMES[file["match"]]
        percent = min(99, int(100 * file.get("resemblance", 0) + 1e-9))
        part = next((name for name in WORDS if name in file), None)
        if what == "changed" and part is not None:
            what = f"{WORDS[part]} ({min(99, int(100 * file[part] + 1e-9))}\u00a0%)"
            kinds.add("changed part")
        elif what == "changed" and "resemblance" in file:
            what += f", {percent} %"
        is_other = "path_a" in file and "path_b" in file and file["path_a"] != file["path_b"]
        other = "\u2192 " + shown(file["path_b"]) if is_other else ""
        if "like" in file:
            is_copy = file["like"] in copied
            other = ("same as " if is_copy else f"{percent} % like ") + shown(file["like"])
            if part is not None:
                other = f"{WORDS[part]} ({min(99, int(100 * file[part] + 1e-9))}\u00a0%) " + shown(file["like"])
            kinds.add(part or ("copy" if is_copy else "like"))
        elif file["match"] == "changed":
            kinds.add("changed")
        expected.append([shown(file.get("path_a", file.get("path_b"))), what, other])
    check("kinds of files", kinds, {"changed", "copy", "like", "changed part", *WORDS})
    check("files", sorted(tree_of(browser)), sorted(expected))
    for name in ("the same", "moved"):
        place = [text.split(" ", 1)[1] for text in browser.texts(".shown button")].index(name)
        browser.click(".shown button", place)
    check("without equal files", sorted(row[1][:7] for row in tree_of(browser)),
          sorted(row[1][:7] for row in expected if row[1] not in ("the same", "moved")))
    check("injected", browser.run("return window.injected === undefined && document.querySelector('b.injected') === null"), True)


def test_widths(browser, pages, pictures):
    for width in (390, 1000):
        for scheme in ("light", "dark"):
            browser.resize(width, 1100)
            browser.show_as(scheme=scheme)
            for page in pages:
                load(browser, page)
                browser.run("document.querySelectorAll('.open[aria-expanded=false]').forEach(b => b.click());"
                            "document.querySelectorAll('.folder').forEach(b => b.click())")
                where = f"{os.path.basename(page)} at {width} in {scheme}"
                check(f"{where} is as wide as the window", browser.run(WIDTH), 0)
                check(f"contrast of {where}", browser.run(CONTRAST), [])
                if pictures:
                    browser.picture(f"{pictures}-{os.path.basename(page)}-{width}-{scheme}.png")
    browser.show_as(media="print")
    check("on paper", browser.run("return [...document.querySelectorAll('.filters, .shown, #theme')]"
                                  ".filter(e => e.checkVisibility()).length"), 0)
    browser.show_as()


def main():
    pairs_page, pairs, two_page, two, room_page = sys.argv[1:6]
    with open(pairs, encoding="utf-8") as file:
        pairs = json.load(file)
    with open(two, encoding="utf-8") as file:
        two = json.load(file)
    browser = Browser()
    try:
        test_list(browser, pairs_page, pairs)
        test_many(browser, pairs_page)
        test_two(browser, two_page, two)
        load(browser, room_page)
        browser.click(".open")
        check("a command instead", browser.texts(".inside .mono")[0].startswith("simfind --directories "), True)
        test_widths(browser, [pairs_page, two_page], sys.argv[6] if len(sys.argv) > 6 else None)
        check("messages", [entry["message"] for entry in browser.log("browser")], [])
        loads = set()
        for entry in browser.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                loads.add(message["params"]["request"]["url"])
        pages = ["file://" + os.path.abspath(page) for page in (pairs_page, two_page, room_page)]
        check("loaded", sorted(url for url in loads if not url.startswith("data:")), sorted(pages))
    finally:
        browser.close()


if __name__ == "__main__":
    main()
