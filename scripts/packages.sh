#!/usr/bin/env bash
# Make the packages and the wheel, check them with lintian, and install, use, upgrade and remove them
# with apt and pip. This changes the system, so it runs only on a bare machine:
#
#     scripts/bare-machine.sh [--release=CODENAME] --user=root packages
#
# The same packages with an earlier version number are the ones that are upgraded.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

[ -n "${SIMHASH_BARE_MACHINE:-}" ] && [ "$(id -u)" = 0 ] || {
	echo "packages.sh: only as root on a bare machine; see scripts/bare-machine.sh" >&2
	exit 1
}
failed() {
	echo "packages.sh: $*" >&2
	exit 1
}
need_packages "${build_packages[@]}" dpkg-dev file lintian python3-build python3-setuptools python3-wheel python3-venv

# ---- Make them ----
export DEBFULLNAME="A. Packager" DEBEMAIL=packager@simhash.invalid
folder=build-packages
cmake -S . -B $folder -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release -DSIMHASH_WERROR=ON >/dev/null
cmake --build $folder --parallel "$(nproc)" >/dev/null
(cd $folder && cpack >/dev/null)
cmake --build $folder --target wheel >/dev/null
debs=("$folder"/*.deb) wheels=("$folder"/*.whl "$folder"/*/*.whl)
wheel=
for made in "${wheels[@]}"; do
	[ ! -e "$made" ] || wheel=$made
done
[ ${#debs[@]} = 4 ] && [ -n "$wheel" ] || failed "made: ${debs[*]} $wheel"
said=$(lintian --allow-root --fail-on=error,warning "${debs[@]}" 2>&1) || failed "lintian: $said"
[ -z "$said" ] || failed "lintian: $said"
echo "lintian has no remarks on ${debs[*]##*/}"

# The same packages with an earlier version number.
mkdir -p $folder/earlier
for made in "${debs[@]}"; do
	version=$(dpkg-deb -f "$made" Version)
	rm -rf $folder/unpacked
	dpkg-deb -R "$made" $folder/unpacked
	sed -i "s/^Version: .*/Version: $version~earlier/; s/(= $version)/(= $version~earlier)/" $folder/unpacked/DEBIAN/control
	dpkg-deb --root-owner-group --build $folder/unpacked "$folder/earlier/${made##*/}" >/dev/null
done

# ---- Install, upgrade and remove them ----
names=()
for made in "${debs[@]}"; do
	names+=("$(dpkg-deb -f "$made" Package)")
done
# installed: the versions of our packages that are installed
installed() {
	dpkg-query -W -f '${db:Status-Status} ${Version}\n' "${names[@]}" 2>/dev/null | sed -n 's/^installed //p' | sort -u
}
files=$(mktemp -d)
export SIMHASH_DATABASE="sqlite:$files/index.db" PYTHONDONTWRITEBYTECODE=1
mkdir "$files/tree"
seq 1000 >"$files/tree/a"
cp "$files/tree/a" "$files/tree/b"
seq 999 >"$files/tree/c"
# uses: the installed programs and the module find the pairs in the index, which stays for the next version
uses() {
	local program
	simhash -q "$files/tree"
	[ "$(simfind --summary=none | grep -cE '^(identical|>99 %)')" = 2 ] || failed "pairs: $(simfind)"
	for program in simhash simfind simkeep; do
		[ "$(command -v $program)" = /usr/bin/$program ] || failed "$program: $(command -v $program)"
		[ "$($program --version | head -n 1)" = "$program $version" ] || failed "$($program --version)"
	done
	[ "$(cd / && "$@" -c 'import simhash; print(len(list(simhash.Index().pairs())))')" = 2 ] || failed "the module of $*"
}
apt_get() {
	DEBIAN_FRONTEND=noninteractive apt-get -y -qq --no-install-recommends "$@" >"$files/log" 2>&1 ||
		failed "apt-get $*: $(cat "$files/log")"
}
dpkg-query -W -f '${Package}\n' | sort >"$files/before"
find /usr /etc /var/lib/systemd -xdev ! -name __pycache__ ! -path '*/__pycache__/*' ! -path '/etc/ld.so.cache' | sort >"$files/system"
apt_get install ./"$folder"/earlier/*.deb
[ "$(installed)" = "$version~earlier" ] || failed "installed: $(installed)"
uses python3
apt_get install "${debs[@]/#/./}"
[ "$(installed)" = "$version" ] || failed "upgraded: $(installed)"
uses python3
said=$(dpkg --verify "${names[@]}")
[ -z "$said" ] || failed "changed files: $said"
added=$(dpkg-query -W -f '${Package}\n' | sort | comm -13 "$files/before" - | xargs)
echo "The packages were installed, upgraded and used; apt added: $added"
apt_get purge "${names[@]}"
[ -z "$(installed)" ] || failed "not removed: $(installed)"
apt_get autoremove --purge
left=$(find /usr /etc /var/lib/systemd -xdev ! -name __pycache__ ! -path '*/__pycache__/*' ! -path '/etc/ld.so.cache' |
	sort | comm -13 "$files/system" - | grep -i simhash || true)
[ -z "$left" ] || failed "left behind: $left"
echo "The packages were removed without a rest"

# ---- The wheel ----
python3 -m venv "$files/venv"
python=$files/venv/bin/python
python3 -m wheel unpack "$wheel" -d "$files/unpacked" >/dev/null
mv "$files/unpacked"/*/simhash_similarity-*.dist-info "$(echo "$files/unpacked"/*)/simhash_similarity-0.9.dist-info"
sed -i 's/^Version: .*/Version: 0.9/' "$files/unpacked"/*/*.dist-info/METADATA
mkdir "$files/earlier"
python3 -m wheel pack "$files/unpacked"/* -d "$files/earlier" >/dev/null
for made in "$files"/earlier/*.whl "$wheel"; do
	"$files/venv/bin/pip" install -q --no-index --no-deps --upgrade "$made" >"$files/log" 2>&1 ||
		failed "pip: $(cat "$files/log")"
	number=${made##*/simhash_similarity-}
	[ "$("$files/venv/bin/pip" list --format=freeze 2>/dev/null | grep -i simhash)" = "simhash-similarity==${number%%-*}" ] ||
		failed "pip list: $("$files/venv/bin/pip" list)"
	[ "$(cd / && "$python" -c 'import simhash; print(len(list(simhash.Index().pairs())), simhash.scan("/bin/sh").size_bytes > 0)')" = "2 True" ] ||
		failed "the wheel does not work"
done
"$files/venv/bin/pip" uninstall -q -y simhash-similarity
! (cd / && "$python" -c 'import simhash' 2>/dev/null) || failed "the wheel was not removed"
rm -r "$files"
echo "The wheel ${wheel##*/} was installed, upgraded, used and removed"
