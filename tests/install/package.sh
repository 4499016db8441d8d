#!/usr/bin/env bash
# The packages: made by CPack of a build of their own, installed, used and removed in root
# folders of their own. As root and as an ordinary user alike, the system stays as it is.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

for tool in apt-get dpkg dpkg-deb dpkg-shlibdeps file mandoc nm; do
	command -v $tool >/dev/null || fail "$tool is missing"
done
package=simhash-similarity

# The packages have no group-writable folders, whoever makes them.
umask 002
cmake -S "$SOURCE_DIR" -B build -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release >cmake.log 2>&1 ||
	fail "$(tail cmake.log)"
cmake --build build -j "$(nproc)" >build.log 2>&1 || fail "$(tail build.log)"
cmake --build build --target package >package.log 2>&1 || fail "$(tail package.log)"
version=$(sed -n 's/^#define SIMHASH_VERSION "\(.*\)"/\1/p' "$SOURCE_DIR/include/simhash.h")
deb=build/${package}_${version}_$(dpkg --print-architecture).deb
[ -f "$deb" ] || fail "no $deb"
archives=(build/*.tar.gz)
same "archives" 1 ${#archives[@]}

# ---- What the package says ----
field() {
	dpkg-deb -f "$deb" "$1"
}
items() {
	tr , '\n' | sed 's/^ *//; s/ *$//' | sort
}
same "name" $package "$(field Package)"
same "version" "$version" "$(field Version)"
same "section" utils "$(field Section)"
same "priority" optional "$(field Priority)"
same "conflicts" simhash "$(field Conflicts)"
same "replaces" simhash "$(field Replaces)"
field Maintainer | grep -qE '^[^<>]+ <[^<>@]+@[^<>@]+>$' || fail "maintainer: $(field Maintainer)"
field Description >description
[ "$(wc -l <description)" -gt 1 ] || fail "the description is of one part"
[ "$(wc -L <description)" -lt 80 ] || fail "the description has lines of more than 79 columns"

# It depends on the packages of all libraries that are linked, from the versions that are needed.
field Depends | items >depends
for name in sqlite3:libsqlite3-0 z:zlib1g c:libc6 xxhash:libxxhash0 mariadb:libmariadb3; do
	! readelf -d build/simhash build/simfind | grep -q "NEEDED.*\[lib${name%:*}\.so" ||
		grep -qE "^${name#*:} \(>= [^)]+\)$" depends || fail "depends: no ${name#*:} in $(cat depends)"
done
mkdir debian
printf 'Source: x\n\nPackage: x\nArchitecture: any\n' >debian/control
dpkg-shlibdeps -O build/simhash build/simfind build/libsimhash.so 2>shlibdeps.log >computed ||
	fail "$(cat shlibdeps.log)"
same "depends" "$(sed -n 's/^shlibs:Depends=//p' computed | items)" "$(cat depends)"
dpkg-deb -I "$deb" shlibs >shlibs
same "shlibs" "libsimhash ${version%%.*} $package (>= $version)" "$(cat shlibs)"

# ---- What is in it ----
dpkg-deb -c "$deb" >contents
same "members of another owner than root" "" "$(awk '$2 != "root/root"' contents)"
same "folders not of mode 755" "" "$(grep ^d contents | grep -v ^drwxr-xr-x || true)"
same "files not of mode 644 or 755" "" "$(grep ^- contents | grep -vE '^-rw(-r--r--|xr-xr-x)' || true)"
same "executables" "./usr/bin/simfind ./usr/bin/simhash" \
	"$(awk '/^-rwx/ { print $6 }' contents | sort | xargs)"

# ---- Installed and removed ----
# dpkg wants the programs of an administrator in its PATH, and the package's scripts call
# ldconfig, which would work on the system: this one writes down that it was called.
mkdir bin
printf '#!/bin/sh\necho "$DPKG_ROOT" >>"%s/ldconfig.log"\n' "$PWD" >bin/ldconfig
chmod +x bin/ldconfig
administrator=$PWD/bin:$PATH:/usr/sbin:/sbin

# on ROOT ARGUMENT...: dpkg on a root folder. The log is not the system's, and no file is left
# out, as the system may be set to do with documentation.
on() {
	local root=$1
	shift
	PATH=$administrator dpkg --root="$root" --log="$PWD/dpkg.log" --force-not-root \
		--force-script-chrootless --path-include='/*' "$@"
}
# Empty, or with a package called simhash, as Debian has one; what ours depends on is not there.
new_root() {
	mkdir -p "$1"/var/lib/dpkg/{info,updates,triggers}
	touch "$1"/var/lib/dpkg/{status,available}
}
state() {
	on "$1" -l "$2" 2>/dev/null | awk -v name="$2" '$2 == name { print $1 }'
}
what() {
	(cd "$1" && find . ! -path './var/lib/dpkg*' ! -path ./var/lib ! -path ./var ! -path . | sort)
}

root=$PWD/root
new_root "$root"
runs 0 on "$root" --force-depends -i "$deb"
same "state" ii "$(state "$root" $package)"
same "ldconfig ran for" "$root" "$(cat ldconfig.log)"
same "installed" "$(awk '{ sub("/$", "", $6); print $6 }' contents | sort)" "$(what "$root")"
runs 0 on "$root" --verify $package
same "changed files" "" "$(cat out)"
for path in "$root"/usr/bin/*; do
	nm "$path" >symbols 2>&1
	grep -q 'no symbols' symbols || fail "not stripped: $path"
done
for path in lib/libsimhash.a lib/libsimhash.so include/simhash.h lib/cmake/simhash/simhashConfig.cmake \
	share/simhash/sql/examples/all_pairs.sql share/doc/$package/copyright \
	share/bash-completion/completions/simhash share/bash-completion/completions/simfind \
	share/zsh/vendor-completions/_simhash share/fish/vendor_completions.d/simhash.fish \
	share/fish/vendor_completions.d/simfind.fish; do
	[ -f "$root/usr/$path" ] || fail "not installed: /usr/$path"
done
# The programs of a tree find a pair, and say what they are.
mkdir "$files/sub"
seq 1000 >"$files/a"
cp "$files/a" "$files/sub/b"
seq 999 >"$files/c"
works() {
	local program
	reset
	runs 0 "$1/simhash" "$files"
	runs 0 "$1/simfind"
	same "pairs" "1 identical, 1 similar" \
		"$(awk '/^(identical|similar)/ { n[$1]++ } END { print n["identical"] + 0 " identical, " n["similar"] + 0 " similar" }' out)"
	for program in simhash simfind; do
		runs 0 "$1/$program" --version
		grep -qF "$version" out || fail "$program --version: $(cat out)"
	done
}
works "$root/usr/bin"
for page in simhash simfind; do
	mandoc -Tutf8 "$root/usr/share/man/man1/$page.1.gz" | sed 's/.\x08//g' >page
	grep -q '^NAME' page && grep -q "^ *$page " page || fail "$page(1): $(head page)"
done
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name simhash.pc)") pkg-config --variable=includedir simhash >includedir
[ -f "$(cat includedir)/simhash.h" ] || fail "simhash.pc does not find simhash.h"

runs 0 on "$root" -r $package
same "left behind" "" "$(what "$root")"
same "state" "" "$(state "$root" $package)"

# ---- Beside Debian's package ----
mkdir -p dummy/DEBIAN dummy/usr/bin
chmod -R g-w dummy
cat >dummy/DEBIAN/control <<'END'
Package: simhash
Version: 0.0.20161225-2
Architecture: all
Maintainer: nobody <nobody@localhost>
Description: a package of the name of Debian's
END
echo theirs >dummy/usr/bin/simhash
dpkg-deb --root-owner-group --build dummy dummy.deb >/dev/null

# Told to install ours, dpkg refuses while it may remove nothing ...
second=$PWD/second
new_root "$second"
runs 0 on "$second" -i dummy.deb
same "state" ii "$(state "$second" simhash)"
