#!/usr/bin/env bash
# The packages: made by CPack of a build of their own, installed, used and removed in root
# folders of their own. As root and as an ordinary user alike, the system stays as it is.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

export LC_ALL=C.UTF-8
for tool in apt-get dpkg dpkg-deb dpkg-shlibdeps file mandoc nm readelf; do
	command -v $tool >/dev/null || fail "$tool is missing"
done
package=simhash-similarity

# Permissions in a package do not depend on who makes it.
umask 002
cmake -S "$SOURCE_DIR" -B build -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release >cmake.log 2>&1 ||
	fail "$(tail cmake.log)"
cmake --build build -j "$(nproc)" >build.log 2>&1 || fail "$(tail build.log)"
cmake --build build --target package >package.log 2>&1 || fail "$(tail package.log)"
umask 022
version=$(sed -n 's/^#define SIMHASH_VERSION "\(.*\)"/\1/p' "$SOURCE_DIR/include/simhash.h")
deb=./build/${package}_${version}_$(dpkg --print-architecture).deb
[ -f "$deb" ] || fail "no $deb"
archives=(build/*.tar.gz)
[[ ${#archives[@]} = 1 && -f ${archives[0]} ]] || fail "archives: ${archives[*]}"

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

# It depends on the packages of all libraries that are linked, of the versions that are needed.
field Depends | items >depends
readelf -d build/simhash build/simfind build/libsimhash.so >dynamic
libraries=(sqlite3:libsqlite3-0 z:zlib1g jansson:libjansson4 c:libc6)
! grep -q 'NEEDED.*\[libxxhash\.so' dynamic || libraries+=(xxhash:libxxhash0)
build/simhash --version >built.with
grep -q 'built without mysql' built.with || ! grep -q 'NEEDED.*\[libmariadb\.so' dynamic ||
	libraries+=(mariadb:libmariadb3)
for library in "${libraries[@]}"; do
	grep -q "NEEDED.*\[lib${library%:*}\.so" dynamic || fail "not linked: ${library%:*}"
	grep -qE "^${library#*:} \(>= [^)]+\)$" depends ||
		fail "depends: no ${library#*:} in $(cat depends)"
done
mkdir debian
printf 'Source: x\n\nPackage: x\nArchitecture: any\n' >debian/control
dpkg-shlibdeps -O build/simhash build/simfind build/libsimhash.so >computed 2>shlibdeps.log ||
	fail "$(cat shlibdeps.log)"
same "depends" "$(sed -n 's/^shlibs:Depends=//p' computed | items)" "$(cat depends)"
same "shlibs" "libsimhash ${version%%.*} $package (>= $version) libsimhash-index ${version%%.*} $package (>= $version)" \
	"$(dpkg-deb -I "$deb" shlibs | sort | xargs)"

# ---- What is in it ----
dpkg-deb -c "$deb" >contents
same "members of another owner than root" "" "$(awk '$2 != "root/root"' contents)"
same "folders not of mode 755" "" "$(grep ^d contents | grep -v ^drwxr-xr-x || true)"
same "files not of mode 644 or 755" "" \
	"$(grep ^- contents | grep -vE '^-rw(-r--r--|xr-xr-x) ' || true)"
same "executables" "./usr/bin/simfind ./usr/bin/simhash" \
	"$(awk '/^-rwx/ { print $6 }' contents | sort | xargs)"

# ---- Installed ----
# dpkg wants the programs of an administrator in its PATH, and the package's scripts call
# ldconfig, which would work on the system: this one only writes down for whom it was called.
mkdir bin
# shellcheck disable=SC2016  # for the script
printf '#!/bin/sh\necho "$DPKG_ROOT" >>"%s"\n' "$PWD/ldconfig.log" >bin/ldconfig
chmod +x bin/ldconfig

# on ROOT ARGUMENT...: dpkg on a root folder. The log is not the system's, and no file is left
# out, as the system may be set to do with documentation.
on() {
	local root=$1
	shift
	PATH=$PWD/bin:$PATH:/usr/sbin:/sbin dpkg --root="$root" --log="$PWD/dpkg.log" \
		--force-not-root --force-script-chrootless --path-include='/*' "$@"
}
# Nothing is installed, so that what the package depends on is not there.
new_root() {
	mkdir -p "$1"/var/lib/dpkg/{info,updates,triggers}
	touch "$1"/var/lib/dpkg/{status,available}
}
# installed ROOT: the packages that are
installed() {
	dpkg-query --admindir="$1/var/lib/dpkg" -W -f '${db:Status-Status} ${Package}\n' |
		sed -n 's/^installed //p' | sort | xargs
}
tree() {
	(cd "$1" && find . -mindepth 1 ! -path ./var ! -path './var/*' | sort)
}

root=$PWD/root
new_root "$root"
runs 0 on "$root" --force-depends -i "$deb"
same "installed" $package "$(installed "$root")"
same "ldconfig ran for" "$root" "$(cat ldconfig.log)"
same "installed files" "$(awk '{ sub("/$", "", $6); print $6 }' contents | sort)" "$(tree "$root")"
runs 0 on "$root" --verify $package
same "changed files" "" "$(cat out)"
for path in lib/libsimhash.a include/simhash.h lib/cmake/simhash/simhashConfig.cmake \
	share/simhash/sql/examples/all_pairs.sql share/doc/$package/copyright \
	share/doc/$package/README.md share/doc/$package/docs/schema.md \
	share/bash-completion/completions/simhash share/bash-completion/completions/simfind \
	share/zsh/vendor-completions/_simhash share/fish/vendor_completions.d/simhash.fish \
	share/fish/vendor_completions.d/simfind.fish; do
	[ -f "$root/usr/$path" ] || fail "not installed: /usr/$path"
done
for path in bin/simhash bin/simfind lib/libsimhash.so; do
	nm "$root/usr/$path" >symbols 2>&1
	grep -q 'no symbols' symbols || fail "not stripped: $path"
done

# works FOLDER: the programs in it find pairs, and say what they are.
mkdir "$files/sub"
seq 1000 >"$files/a"
cp "$files/a" "$files/sub/b"
seq 999 >"$files/c"
works() {
	local program
	reset
	runs 0 "$1/simhash" "$files"
	summary 3 0 0 0
	runs 0 "$1/simfind"
	same "pairs" "1 identical 1 over" \
		"$(grep -oE '^(identical|about|over)' out | sort | uniq -c | xargs)"
	for program in simhash simfind; do
		runs 0 "$1/$program" --version
		grep -qF "$version" out || fail "$program --version: $(cat out)"
	done
}
works "$root/usr/bin"
for page in simhash simfind; do
	mandoc -Tutf8 "$root/usr/share/man/man1/$page.1.gz" | sed 's/.\x08//g' >page
	grep -q '^NAME' page || fail "$page(1): $(head page)"
	grep -q "^ *$page " page || fail "$page(1): $(head page)"
done
pkgconfig=$(dirname "$(find "$root" -name simhash.pc)")
headers=$(PKG_CONFIG_PATH=$pkgconfig pkg-config --variable=includedir simhash)
[ -f "$headers/simhash.h" ] || fail "simhash.pc does not find simhash.h"

# ---- Removed: the files, and then what dpkg knows of the package ----
runs 0 on "$root" -r $package
same "left behind" "" "$(tree "$root")"
runs 0 on "$root" -P $package
same "installed" "" "$(installed "$root")"
same "left behind by dpkg" "" "$(find "$root/var/lib/dpkg/info" -name "$package*")"

# ---- Beside Debian's simhash ----
mkdir -p dummy/DEBIAN dummy/usr/bin
cat >dummy/DEBIAN/control <<'END'
Package: simhash
Version: 0.0.20161225-2
Architecture: all
Maintainer: nobody <nobody@localhost>
Description: a package of the name of Debian's
END
echo theirs >dummy/usr/bin/simhash
dpkg-deb --root-owner-group --build dummy dummy.deb >build.log 2>&1 || fail "$(cat build.log)"

# Ours takes the place of theirs, as it says that it replaces it; theirs is refused beside ours.
second=$PWD/second
new_root "$second"
runs 0 on "$second" -i dummy.deb
same "installed" simhash "$(installed "$second")"
runs 0 on "$second" --force-depends -i "$deb"
said "will remove simhash in favour of $package"
same "installed" $package "$(installed "$second")"
runs 1 on "$second" --force-depends -i dummy.deb
said "conflicting packages - not installing simhash"
same "installed" $package "$(installed "$second")"
runs 0 "$second/usr/bin/simhash" --version
# Were it not to replace it, ours would be refused beside theirs as well: it conflicts.
dpkg-deb -R "$deb" unpacked
sed -i '/^Replaces:/d' unpacked/DEBIAN/control
dpkg-deb --root-owner-group --build unpacked unreplacing.deb >build.log 2>&1 ||
	fail "$(cat build.log)"
third=$PWD/third
new_root "$third"
runs 0 on "$third" -i dummy.deb
runs 1 on "$third" --force-depends -i unreplacing.deb
said "conflicting packages - not installing $package"
same "installed" simhash "$(installed "$third")"

# ---- Accepted by apt, on the system as it is and where Debian's package is installed ----
awk 'BEGIN { RS = ""; ORS = "\n\n" } !/(^|\n)Package: simhash(-similarity)?(\n|$)/' \
	/var/lib/dpkg/status >status
sed '1a Status: install ok installed' dummy/DEBIAN/control | cat status - >status.theirs
simulates() {
	runs 0 apt-get -s -o Dir::State::status="$PWD/$1" -o Dir::Cache::pkgcache= \
		-o Dir::Cache::srcpkgcache= install "$deb"
	grep -q "^Inst $package ($version " out || fail "apt does not install: $(cat out)"
}
simulates status
same "apt removes" "" "$(grep ^Remv out || true)"
simulates status.theirs
same "apt removes" "Remv simhash [0.0.20161225-2]" "$(grep ^Remv out || true)"

# ---- The archive ----
tar -tzf "${archives[0]}" >members
same "top folders" 1 "$(cut -d / -f 1 members | sort -u | wc -l)"
top=$(cut -d / -f 1 members | sort -u)
tar -xzf "${archives[0]}"
works "$PWD/$top/bin"
for path in share/man/man1/simhash.1 share/zsh/site-functions/_simhash \
	share/doc/simhash/copyright; do
	[ -f "$top/$path" ] || fail "not in the archive: $path"
done
