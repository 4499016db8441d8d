"""How quick a report is in Chromium: opened, sorted, filtered, paged, its key space redrawn.

    report_times.py REPORT.html

SPDX-License-Identifier: MIT
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
import browser  # noqa: E402

# The time from an action until the browser has drawn what came of it.
TIMED = """const action = arguments[0];
const start = performance.now();
const shown = document.getElementById("shown"), before = shown.textContent;
(new Function(action))();
return new Promise(done => {
    const seen = () => action.includes("filter") && shown.textContent === before
        ? requestAnimationFrame(seen) : requestAnimationFrame(() => done(performance.now() - start));
    requestAnimationFrame(seen);
});"""

ACTIONS = {
    "sort by size": "document.querySelector('#head th:nth-child(3) button').click()",
    "sort by path": "document.querySelector('#head th:nth-child(6) button').click()",
    "next page": "document.getElementById('next').click()",
    "open a group": "document.querySelector('tr.group button').click()",
    "open a pair": "document.querySelector('tr.inner button.open').click()",
    "close it": "document.getElementById('close').click()",
    # The page waits 150 ms for further keys first.
    "filter": "const f = document.getElementById('filter'); f.value = '77'; "
              "f.dispatchEvent(new Event('input'))",
    "key space by extension": "document.getElementById('shifted').click()",
    "key space enlarged": "document.getElementById('space').dispatchEvent("
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
