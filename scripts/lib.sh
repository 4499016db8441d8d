# Shared by the scripts: functions to install packages. Source it in bash.
# shellcheck shell=bash disable=SC2034

# Packages for the build, and additional ones for the tests. Only the core package of the server is
# installed: the tests start their own servers, and no server is started here.
build_packages=(gcc libc6-dev make cmake pkg-config zlib1g-dev libsqlite3-dev libxxhash-dev
	libunistring-dev libjansson-dev libmariadb-dev libarchive-dev libexpat1-dev libgmime-3.0-dev libtsk-dev libewf-dev libbfio-dev libseccomp-dev nettle-dev libncurses-dev)
test_packages=(ccache libcmocka-dev libsimde-dev mariadb-server-core mariadb-client-core sqlite3 mandoc
	binutils g++ openssl git python3 chromium chromium-driver zsh fish dpkg-dev file dash valgrind libarchive-tools xz-utils bzip2 zstd lz4
	poppler-utils libimage-exiftool-perl antiword w3m flac lintian systemd e2fsprogs mtools ntfs-3g ewf-tools btrfs-progs xfsprogs exfatprogs exfat-fuse fuse3 libfuse3-dev galera-4
	python3-docx python3-odf python3-pytest python3-numpy python3-build python3-setuptools python3-wheel tmux)

# Additional packages for the presets clang and asan: the sanitizers are in the runtime library of
# clang's version.
clang_packages=(clang libclang-rt-14-dev)

# Additional packages for scripts/fuzz.sh.
fuzz_packages=("${clang_packages[@]}" python3)

# Packages for the tests of the ARM kernel on another machine.
arm64_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
arm64_libraries=(zlib1g zlib1g-dev libsqlite3-0 libsqlite3-dev libxxhash0 libxxhash-dev libunistring2 libunistring-dev libjansson4
	libjansson-dev libcmocka0 libcmocka-dev)

# Download the libraries for 64-bit ARM into a separate folder: apt uses lists and a cache in that
# folder, and the architectures of the system do not change.
get_arm64_libraries() {
	local folder=$1 options package
	[ ! -e "$folder/complete" ] || return 0
	rm -rf "$folder"
	mkdir -p "$folder"/apt/{state/lists,cache/archives}/partial "$folder/packages"
	options=(-o APT::Architecture=arm64 -o APT::Architectures=arm64
		-o "Dir::State=$folder/apt/state" -o Dir::State::status=/dev/null
		-o "Dir::Cache=$folder/apt/cache")
	[ "$(id -u)" != 0 ] || options+=(-o APT::Sandbox::User=root)
	apt-get "${options[@]}" update -qq
	(cd "$folder/packages" && apt-get "${options[@]}" download -qq "${arm64_libraries[@]}")
	for package in "$folder"/packages/*.deb; do
		dpkg-deb -x "$package" "$folder"
	done
	rm -rf "$folder/apt" "$folder/packages"
	touch "$folder/complete"
}

# Download MariaDB's Spider engine, in the version of the server's core package, into a folder. Its
# package would install the complete server and start it.
get_spider() {
	local folder=$1 version
	version=$(dpkg-query -W -f '${Version}' mariadb-server-core)
	if [ "$(cat "$folder/version" 2>/dev/null)" != "$version" ]; then
		rm -rf "$folder"
		mkdir -p "$folder"
		(cd "$folder" && apt-get download -qq -o APT::Sandbox::User=root "mariadb-plugin-spider=$version" &&
			dpkg-deb -x mariadb-plugin-spider*.deb . && rm mariadb-plugin-spider*.deb)
		echo "$version" >"$folder/version"
	fi
}

# Install the missing ones of these packages, and print them.
need_packages() {
	local missing=() package sudo=()
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		echo "This is not Debian, so nothing is installed. You need what Debian calls: $*"
		return
	fi
	for package; do
		dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
			missing+=("$package")
	done
	if [ ${#missing[@]} -eq 0 ]; then
		echo "Nothing to install: all packages are there."
		return
	fi
	echo "Installing: ${missing[*]}"
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null || {
			echo "Packages are missing, and you are neither root nor have sudo. As root, run:" >&2
			echo "    apt-get install ${missing[*]}" >&2
			exit 1
		}
		sudo=(sudo)
	fi
	"${sudo[@]}" apt-get update -qq
	"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends "${missing[@]}" >/dev/null
}
