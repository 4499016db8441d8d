#!/usr/bin/env bash
# Tests the packages: CPack makes them in a separate build, and they are installed, used and removed
# in separate root folders, as root or as an ordinary user, without changing the system. lintian and
# systemd-analyze also check the packages.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

export LC_ALL=C.UTF-8
for tool in apt-get dpkg dpkg-deb dpkg-shlibdeps file mandoc nm readelf; do
	command -v $tool >/dev/null || fail "$tool is missing"
done
package=simhash-similarity

# Permissions and times in a package do not depend on who makes it and when.
umask 002
export SOURCE_DATE_EPOCH=1700000000 DEBFULLNAME="A. Packager" DEBEMAIL=packager@simhash.invalid
cmake -S "$SOURCE_DIR" -B build -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release -DSIMHASH_WERROR=ON >cmake.log 2>&1 ||
	fail "$(tail cmake.log)"
cmake --build build -j "$(nproc)" >build.log 2>&1 || fail "$(tail build.log)"
cmake --build build --target package >package.log 2>&1 || fail "$(tail package.log)"
umask 022
version=$(sed -n 's/^#define SIMHASH_VERSION "\(.*\)"/\1/p' "$SOURCE_DIR/include/simhash.h")
architecture=$(dpkg --print-architecture)
soversion=${version%%.*}
library=libsimhash$soversion
deb=./build/${package}_${version}_$architecture.deb
library_deb=./build/${library}_${version}_$architecture.deb
dev_deb=./build/libsimhash-dev_${version}_$architecture.deb
python_deb=./build/python3-simhash_${version}_all.deb
debs=("$library_deb" "$deb" "$dev_deb" "$python_deb")
same "packages" "$(printf '%s\n' "${debs[@]}" | LC_ALL=C sort | xargs)" "$(printf '%s\n' ./build/*.deb | LC_ALL=C sort | xargs)"
archives=(build/*.tar.gz)
[[ ${#archives[@]} = 1 && -f ${archives[0]} ]] || fail "archives: ${archives[*]}"

# If they are made again, later and with another umask, every byte is the same. The programs also
# equal the programs of another folder if those are built in the same way.
mkdir first
cp "${debs[@]}" "${archives[0]}" first
find build -name 'simhash*.pc' -exec touch {} +
(umask 077 && cd build && cpack >/dev/null) || fail "cpack"
for made in "${debs[@]}" "${archives[0]}"; do
	cmp "$made" "first/${made##*/}" || fail "made again, ${made##*/} differs"
done
setting() {
	sed -n "s/^$1:[A-Z]*=//p" "$2/CMakeCache.txt"
}
if [ "$(setting CMAKE_BUILD_TYPE "$BINARY_DIR")" = Release ] &&
	[ "$(setting CMAKE_C_COMPILER "$BINARY_DIR")" = "$(setting CMAKE_C_COMPILER build)" ]; then
	for program in simhash simfind simkeep libsimhash.so libsimhash-index.so; do
		cmp "$BINARY_DIR/$program" "build/$program" || fail "built in another folder, $program differs"
	done
fi

# ---- Descriptions of the packages ----
field() {
	dpkg-deb -f "$2" "$1"
}
items() {
	tr , '\n' | sed 's/^ *//; s/ *$//' | sort
}
for made in "${debs[@]}"; do
	name=${made##*/}
	same "name" "${name%%_*}" "$(field Package "$made")"
	same "version" "$version" "$(field Version "$made")"
	same "priority" optional "$(field Priority "$made")"
	same "maintainer" "$DEBFULLNAME <$DEBEMAIL>" "$(field Maintainer "$made")"
	field Description "$made" >description
	[ "$(wc -l <description)" -gt 1 ] || fail "the description is of one part"
	[ "$(wc -L <description)" -lt 80 ] || fail "the description has lines of more than 79 columns"
	[ "$(sed -n 1p description)" != "$(sed -n '2s/^ //p' description)" ] || fail "a description says all twice: $(cat description)"
done
same "sections" "libs utils libdevel python" "$(for made in "${debs[@]}"; do field Section "$made"; done | xargs)"
same "conflicts" simhash "$(field Conflicts "$deb")"
same "replaces" simhash "$(field Replaces "$deb")"
same "needs of python3-simhash" "$library (= $version) python3:any" "$(field Depends "$python_deb" | items | xargs)"
grep -qF "| \`$library\` |" "$SOURCE_DIR/README.md" || fail "the README names another package than $library"
field Depends "$dev_deb" | items | has -xF "$library (= $version)" || fail "libsimhash-dev needs $(field Depends "$dev_deb")"

# They depend on the packages of all linked libraries, in the required versions.
field Depends "$deb" | items >depends
readelf -d build/simhash build/simfind build/simkeep >dynamic
libraries=(sqlite3:libsqlite3-0 z:zlib1g jansson:libjansson4 c:libc6)
! grep -q 'NEEDED.*\[libxxhash\.so' dynamic || libraries+=(xxhash:libxxhash0)
build/simhash --version >built.with
grep -q 'built without mysql' built.with || ! grep -q 'NEEDED.*\[libmariadb\.so' dynamic ||
	libraries+=(mariadb:libmariadb3)
for name in "${libraries[@]}"; do
	grep -q "NEEDED.*\[lib${name%:*}\.so" dynamic || fail "not linked: ${name%:*}"
	grep -qE "^${name#*:} \(>= [^)]+\)$" depends ||
		fail "depends: no ${name#*:} in $(cat depends)"
done

# They recommend the packages of the libraries that are loaded when they are needed.
recommended=$({ strings -a build/simhash | grep -xE '/.*/lib(tsk|ewf|gmime-[0-9.]*)\.so[.0-9]*' || true; } | xargs -r dpkg -S | cut -d: -f1 | sort)
for made in "$deb" "$library_deb"; do
	same "recommends" "$recommended" "$(field Recommends "$made" | items)"
done
! grep -qE 'libtsk|libewf|libbfio|libgmime|libgobject' dynamic || fail "linked: $(cat dynamic)"
mkdir debian
printf 'Source: x\n\nPackage: x\nArchitecture: any\n' >debian/control
# depends_on DEB FILE...: check the dependencies with dpkg-shlibdeps for the files
depends_on() {
	local made=$1
	shift
	dpkg-shlibdeps -O "$@" >computed 2>shlibdeps.log || fail "$(cat shlibdeps.log)"
	same "depends" "$(sed -n 's/^shlibs:Depends=//p' computed | items)" "$(field Depends "$made" | items)"
}
depends_on "$deb" build/simhash build/simfind build/simkeep
depends_on "$library_deb" build/libsimhash.so build/libsimhash-index.so
same "shlibs" "libsimhash $soversion $library (>= $version) libsimhash-index $soversion $library (>= $version)" \
	"$(dpkg-deb -I "$library_deb" shlibs | sort | xargs)"
# A trigger calls ldconfig; there are no scripts.
same "triggers" "activate-noawait ldconfig" "$(dpkg-deb -I "$library_deb" triggers)"
for made in "${debs[@]}"; do
	dpkg-deb -e "$made" control
	scripts=$(cd control && printf '%s\n' p*)
	[ "$made" != "$python_deb" ] || { same "scripts" "postinst prerm" "$(xargs <<<"$scripts")" && scripts='p*'; }
	same "scripts of $made" 'p*' "$scripts"
	rm -r control
done

# ---- Files in the packages ----
for made in "${debs[@]}"; do dpkg-deb -c "$made"; done >contents
same "members of another owner than root" "" "$(awk '$2 != "root/root"' contents)"
same "folders not of mode 755" "" "$(grep ^d contents | grep -v ^drwxr-xr-x || true)"
same "files not of mode 644 or 755" "" \
	"$(grep ^- contents | grep -vE '^-rw(-r--r--|xr-xr-x) ' || true)"
same "executables" "./usr/bin/simfind ./usr/bin/simhash ./usr/bin/simkeep" \
	"$(awk '/^-rwx/ { print $6 }' contents | sort | xargs)"
dpkg-deb -c "$library_deb" | awk '/^[-l]/ { print $6 }' | grep -v ^./usr/share/doc/ | LC_ALL=C sort >files.library
same "files of $library" "$(for name in -index '' ; do for end in "$soversion" "$version"; do echo "./usr/lib/libsimhash$name.so.$end"; done; done | xargs)" \
	"$(xargs <files.library)"
for made in "${debs[@]}"; do
	name=${made##*/} name=${name%%_*}
	dpkg-deb --fsys-tarfile "$made" | tar -xO "./usr/share/doc/$name/changelog.gz" | gzip -dc >changelog
	same "last line of the changelog" " -- $DEBFULLNAME <$DEBEMAIL>  Tue, 14 Nov 2023 22:13:20 +0000" "$(tail -n 1 changelog)"
	same "first line of the changelog" "$package ($version) unstable; urgency=medium" "$(sed -n 1p changelog)"
	grep -q "/usr/share/doc/$name/copyright$" contents || fail "no copyright in $name"
done

# ---- Installed ----
# dpkg requires the programs of an administrator in its PATH, including ldconfig. ldconfig is for
# triggers of a system, and a root folder is not one.
mkdir bin
printf '#!/bin/sh\necho called >>"%s"\n' "$PWD/ldconfig.log" >bin/ldconfig
chmod +x bin/ldconfig

# on ROOT ARGUMENT...: run dpkg on a root folder. It uses a separate log and leaves out no files,
# which the system's settings may do for documentation.
on() {
	local root=$1
	shift
	PATH=$PWD/bin:$PATH:/usr/sbin:/sbin dpkg --root="$root" --log="$PWD/dpkg.log" \
		--force-not-root --force-script-chrootless --path-include='/*' "$@"
}
# Nothing else is installed, so the dependencies of the package are missing.
new_root() {
	mkdir -p "$1"/var/lib/dpkg/{info,updates,triggers}
	touch "$1"/var/lib/dpkg/{status,available}
}
# installed ROOT: list the installed packages
installed() {
	dpkg-query --admindir="$1/var/lib/dpkg" -W -f '${db:Status-Status} ${Package}\n' |
		sed -n 's/^installed //p' | sort | xargs
}
tree() {
	(cd "$1" && find . -mindepth 1 ! -path ./var ! -path './var/*' | sort)
}

root=$PWD/root
new_root "$root"
runs 0 on "$root" --force-depends -i "${debs[@]}"
packages=("$library" "$package" libsimhash-dev python3-simhash)
same "installed" "$(printf '%s\n' "${packages[@]}" | sort | xargs)" "$(installed "$root")"
[ ! -e ldconfig.log ] || fail "ldconfig ran on the system"
same "installed files" "$(awk '{ sub("/$", "", $6); print $6 }' contents | grep -vx . | sort -u)" "$(tree "$root" | grep -vx .)"
runs 0 on "$root" --verify "${packages[@]}"
same "changed files" "" "$(cat out)"
for path in lib/libsimhash.a lib/systemd/user/simhash@.service lib/systemd/user/simhash@.timer lib/systemd/user/simhash-scrub.timer include/simhash.h lib/cmake/simhash/simhashConfig.cmake \
	share/simhash/sql/examples/all_pairs.sql share/doc/$package/copyright \
	share/doc/$package/README.md share/doc/$package/docs/schema.md \
	share/bash-completion/completions/simhash share/bash-completion/completions/simfind share/bash-completion/completions/simkeep \
	share/zsh/vendor-completions/_simhash share/fish/vendor_completions.d/simhash.fish \
	share/fish/vendor_completions.d/simfind.fish share/fish/vendor_completions.d/simkeep.fish; do
	[ -f "$root/usr/$path" ] || fail "not installed: /usr/$path"
done
for path in bin/simhash bin/simfind bin/simkeep lib/libsimhash.so lib/libsimhash-index.so; do
	nm "$root/usr/$path" >symbols 2>&1
	grep -q 'no symbols' symbols || fail "not stripped: $path"
	readelf -dW "$root/usr/$path" | has 'BIND_NOW\|FLAGS.*NOW' || fail "not hardened: $path"
	readelf -lW "$root/usr/$path" | has GNU_RELRO || fail "not hardened: $path"
	! readelf -dW "$root/usr/$path" | has -E 'RPATH|RUNPATH' || fail "a run path: $path"
done
for name in libsimhash libsimhash-index; do
	same "soname" "$name.so.$soversion" "$(readelf -dW "$root/usr/lib/$name.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
done
! grep -rlF "$PWD" "$root/usr" || fail "files that name the folder of the build"

# works FOLDER: the programs in it find pairs and show their versions
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
	same "pairs" "1 >99 % 1 identical" \
		"$(grep -oE '^(identical|>99 %)' out | sort | uniq -c | xargs)"
	runs 0 "$1/simkeep"
	for program in simhash simfind simkeep; do
		runs 0 "$1/$program" --version
		grep -qF "$version" out || fail "$program --version: $(cat out)"
	done
}
works "$root/usr/bin"
for page in simhash simfind simkeep; do
	mandoc -Tutf8 "$root/usr/share/man/man1/$page.1.gz" | sed 's/.\x08//g' >page
	grep -q '^NAME' page || fail "$page(1): $(head page)"
	grep -q "^ *$page " page || fail "$page(1): $(head page)"
done
pkgconfig=$(dirname "$(find "$root" -name simhash.pc)")
headers=$(PKG_CONFIG_PATH=$pkgconfig pkg-config --variable=includedir simhash)
[ -f "$headers/simhash.h" ] || fail "simhash.pc does not find simhash.h"
archive=$(PKG_CONFIG_PATH=$pkgconfig pkg-config --variable=libdir simhash)/libsimhash.a
[ -f "$archive" ] || fail "simhash.pc does not find libsimhash.a"
runs 0 env LD_LIBRARY_PATH="$root/usr/lib" PYTHONPATH="$root/usr/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1 \
	python3 -c 'import simhash, sys; print(simhash.__file__, simhash.scan(sys.executable).size_bytes > 0, len(list(simhash.Index().pairs())))'
same "module" "$root/usr/lib/python3/dist-packages/simhash/__init__.py True 2" "$(cat out)"

# The units: the program accepts the options in them, and systemd accepts the settings.
unit=$root/usr/lib/systemd/user/simhash@.service
command=$(sed -n 's/^ExecStart=//p' "$unit")
command=${command/\$SIMHASH_OPTIONS/}
# shellcheck disable=SC2086  # words
runs 0 "$root/usr/bin/"${command/\%f/"$files"}
same "directives of simhash@.service that are given" "Nice=19 IOSchedulingClass=idle NoNewPrivileges=yes" \
	"$(grep -xE 'Nice=19|IOSchedulingClass=idle|NoNewPrivileges=yes' "$unit" | xargs)"
mkdir units
# systemd looks for programs in the folders of the system.
sed "s|^ExecStart=|&$root/usr/bin/|; /^Documentation=/d" "$unit" >units/simhash@.service
sed '/^Documentation=/d' "${unit%.service}.timer" >units/simhash@.timer
runs 0 env XDG_RUNTIME_DIR="$PWD" systemd-analyze --user verify "$PWD/units/simhash@tmp.service" "$PWD/units/simhash@tmp.timer"
same "what systemd-analyze says" "" "$(cat out err)"
for name in simhash-scrub.service simhash-scrub.timer; do
	sed "s|^ExecStart=|&$root/usr/bin/|; /^Documentation=/d" "${unit%/*}/$name" >"units/$name"
done
runs 0 env XDG_RUNTIME_DIR="$PWD" systemd-analyze --user verify "$PWD/units/simhash-scrub.service" "$PWD/units/simhash-scrub.timer"
same "what systemd-analyze says" "" "$(cat out err)"
runs 0 lintian --allow-root --fail-on=error,warning "${debs[@]}"
same "output of lintian" "" "$(cat out)"

# ---- Removed: first the files, and then dpkg's records of the package ----
runs 0 on "$root" -r "${packages[@]}"
same "left behind" "" "$(tree "$root")"
runs 0 on "$root" -P "${packages[@]}"
same "installed" "" "$(installed "$root")"
same "left behind by dpkg" "" "$(find "$root/var/lib/dpkg/info" -name '*simhash*')"

# ---- Together with Debian's simhash ----
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

# Our package replaces Debian's, because it declares this; Debian's package is refused if ours is
# installed.
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
# Without this declaration, our package would also be refused, because the two conflict.
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

# ---- Accepted by apt, on the current system and with Debian's package installed ----
awk 'BEGIN { RS = ""; ORS = "\n\n" } !/(^|\n)Package: (simhash|simhash-similarity|libsimhash[0-9]+|libsimhash-dev|python3-simhash)(\n|$)/' \
	/var/lib/dpkg/status >status
sed '1a Status: install ok installed' dummy/DEBIAN/control | cat status - >status.theirs
simulates() {
	runs 0 apt-get -s -o Dir::State::status="$PWD/$1" -o Dir::Cache::pkgcache= \
		-o Dir::Cache::srcpkgcache= install "${debs[@]}"
	for name in "${packages[@]}"; do
		grep -q "^Inst $name ($version " out || fail "apt does not install $name: $(cat out)"
	done
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
[ ! -e "$top/lib/python3" ] || fail "the archive has a module for Debian's Python"

# ---- Installed without a package, and uninstalled ----
# Other files stay, and so do folders that others also use.
mkdir -p prefix/share/man/man1 prefix/lib/cmake/other
touch prefix/share/man/man1/other.1
find prefix | sort >before
runs 0 cmake --install build --prefix "$PWD/prefix"
[ -x prefix/bin/simhash ] || fail "not installed: $(cat out)"
runs 0 cmake --build build --target uninstall
find prefix -type f -o -type l >left
same "files left" prefix/share/man/man1/other.1 "$(cat left)"
same "folders of ours left" "" "$(find prefix -name '*simhash*' -o -name systemd)"
same "files that existed before" "$(cat before)" "$(find prefix | sort | grep -xFf before)"
rm build/install_manifest.txt
runs 2 cmake --build build --target uninstall
grep -q 'Nothing was installed from this build' out err || fail "$(cat out err)"
