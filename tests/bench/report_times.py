"""Measures the speed of a report in Chromium: opening, sorting, filtering, paging, deciding, redrawing its map.

    report_times.py REPORT.html

SPDX-License-Identifier: MIT
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
import browser  # noqa: E402

# The time from an action until the browser has drawn its result.
TIMED = """const action = arguments[0];
const start = performance.now();
const shown = document.getElementById("shown"), before = shown.textContent;
(new Function(action))();
return new Promise(done => {
    const seen = () => action.includes("'input'") && shown.textContent === before
        ? requestAnimationFrame(seen) : requestAnimationFrame(() => done(performance.now() - start));
    requestAnimationFrame(seen);
});"""

ACTIONS = {
    "sort by size": "const s = document.getElementById('sort'); s.value = '1'; s.dispatchEvent(new Event('change'))",
    "sort by path": "const s = document.getElementById('sort'); s.value = '6'; s.dispatchEvent(new Event('change'))",
    "sort into folders": "document.getElementById('by-folder').click()",
    "next page": "document.getElementById('next').click()",
    "open a group": "document.querySelector('.open').click()",
    "open a pair": "document.querySelector('.compare').click()",
    "close it": "document.getElementById('close').click()",
    # The page first waits 150 ms for further keys.
    "filter by text": "const f = document.getElementById('text'); f.value = '77'; "
                      "f.dispatchEvent(new Event('input'))",
    "and by similarity": "const k = document.getElementById('kind'); k.value = '2'; "
                         "k.dispatchEvent(new Event('change'))",
    "enter a folder": "document.getElementById('clear').click(); document.querySelector('#folders button').click()",
    "decide by a rule": "document.getElementById('clear').click(); document.getElementById('apply').click()",
    "the map": "document.getElementById('space').scrollIntoView()",
    "the map by type": "document.getElementById('shifted').click()",
    "the map enlarged": "document.getElementById('space').dispatchEvent("
                        "new KeyboardEvent('keydown', {key: '+'}))",
}


def main():
    driver = browser.Browser()
    try:
        start = time.time()
        driver.call("POST", "/url", {"url": "file://" + os.path.abspath(sys.argv[1])})
        print(f"{'open':<24} {1000 * (time.time() - start):8.0f} ms")
        for name, action in ACTIONS.items():
            print(f"{name:<24} {driver.run(TIMED, action):8.0f} ms")
    finally:
        driver.close()


main()
