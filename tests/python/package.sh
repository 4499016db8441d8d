#!/usr/bin/env bash
# Tests the package for Python in the build folder: runs its tests and the examples of
# docs/python.md. Needs LAYOUTS, which prints the layout of the public structs, and PYTHON.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

export PYTHONPATH=$BINARY_DIR/python PYTHONDONTWRITEBYTECODE=1
tests=("$SOURCE_DIR/tests/python/test_index.py")
# The other tests need no index.
[ "$TEST_ENGINE" != sqlite ] || tests=("$SOURCE_DIR/tests/python")
(runs 0 "$PYTHON" -m pytest -q -p no:cacheprovider --durations=5 --basetemp="$TEST_FOLDER/pytest" "${tests[@]}") ||
	fail "$(cat "$TEST_FOLDER/out")" # pytest prints the reason there
tail -n 8 out
! grep -qE 'skipped|xfailed' out || fail "tests were skipped: $(cat out)"

# The examples of the documentation, in order, in a folder as they expect it.
mkdir documents
seq 10000 14000 | factor >documents/report.txt
sed 1200,1210d documents/report.txt >documents/draft.txt
cp documents/report.txt documents/copy.txt
seq 20000 24000 | factor >documents/other.txt
reset
runs 0 "$SIMHASH" documents
awk '/^```python$/ { inside = 1; print "#", FNR; next } /^```$/ { inside = 0 } inside' \
	"$SOURCE_DIR/docs/python.md" >examples.py
[ "$(grep -c '^# [0-9]*$' examples.py)" -gt 5 ] || fail "too few examples"
runs 0 "$PYTHON" examples.py
awk '/^```text$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$SOURCE_DIR/docs/python.md" >expected
sed -i "s|$TEST_FOLDER|/home/ada|g" out
diff expected out || fail "the examples print something else"
