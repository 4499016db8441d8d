#!/usr/bin/env bash
# Tests the wheel: it is made without the network, the same each time, and used where it is
# installed, by a Python that finds nothing else of this project.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

# make_wheel FOLDER PACKAGE: make a wheel in FOLDER from the folder of a package
export SOURCE_DATE_EPOCH=1700000000 SIMHASH_BUILD_DIR=$BINARY_DIR
make_wheel() {
	runs 0 "$PYTHON" -m build --no-isolation --wheel --outdir "$1" "$2" || fail "$(cat out)"
}
cp -rL "$SOURCE_DIR/python" source
cp -r "$BINARY_DIR/python" built
rm -rf built/build built/*.egg-info
make_wheel first source
make_wheel second built
version=$(sed -n 's/^#define SIMHASH_VERSION "\(.*\)"/\1/p' "$SOURCE_DIR/include/simhash.h")
wheels=(first/*.whl)
same "wheels" 1 ${#wheels[@]}
wheel=${wheels[0]##*/}
[[ $wheel = simhash_similarity-$version-py3-none-linux_*.whl ]] || fail "the wheel is called $wheel"
mkdir installed again
"$PYTHON" -m zipfile -e "first/$wheel" installed
"$PYTHON" -m zipfile -e "second/$wheel" again
diff -r installed again || fail "two wheels differ"
same "files" "__init__.py _content.py _index.py _lib/libsimhash-index.so.${version%%.*} _lib/libsimhash.so.${version%%.*} _library.py _version.py py.typed" \
	"$(cd installed/simhash && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs)"
grep -q '^Name: simhash-similarity$' installed/*.dist-info/METADATA || fail "no metadata"
grep -q '^Tag: py3-none-linux' installed/*.dist-info/WHEEL || fail "$(cat installed/*.dist-info/WHEEL)"

seq 3000 >"$files/a"
sed 3d "$files/a" >"$files/b"
runs 0 "$SIMHASH" "$files"
cat >program.py <<'END'
import pathlib
import simhash

print(pathlib.Path(simhash.__file__).parent.parent.name, simhash.scan(b"content").size_bytes)
with simhash.Index() as index:
    print(*(pathlib.Path(path).name for pair in index.pairs() for path in (pair.a.path, pair.b.path)))
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libsimhash" in line}
print(*sorted("/".join(path.split("/")[-4:-1]) for path in loaded))
END
runs 0 env -u LD_LIBRARY_PATH PYTHONPATH="$PWD/installed" "$PYTHON" program.py
same "its output" "installed 7 a b installed/simhash/_lib installed/simhash/_lib" "$(xargs <out)"

# A source archive would not contain the sources of the libraries.
cd source
runs 1 "$PYTHON" setup.py -q sdist
said "only wheels can be made here"
cd ..
# A missing library is named.
rm installed/simhash/_lib/libsimhash.so.*
runs 1 env -u LD_LIBRARY_PATH PYTHONPATH="$PWD/installed" "$PYTHON" -c 'import simhash'
said "simhash cannot load libsimhash.so."
