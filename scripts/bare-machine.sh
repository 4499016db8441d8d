#!/usr/bin/env bash
# Run both commands of the README on a bare machine: a new Debian from debootstrap, by default with the
# release and the package sources of this machine, in a temporary folder. A clean clone of HEAD is
# copied into it, and scripts/quickstart.sh and scripts/test.sh install the packages that they need.
#
#     scripts/bare-machine.sh [OPTION]... [PRESET]...      (default: as scripts/test.sh)
#
#     --user=root|sudo|both   as root with the checkout in root's home, as a user with sudo, or
#                             one after the other, each on a new machine (default: both)
#     --release=CODENAME      another release of Debian, such as trixie, from the same package source
#     --cache=FOLDER          keep the downloaded packages there for the next run
#     --keep                  do not remove the machine; its folder is printed
#     --check                 only print why a bare machine cannot be made here, if so
#
# Needs root, debootstrap, git, and permission to mount. The mounts and processes are in separate
# namespaces, and end with this script in all cases.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)

# why_not: print the missing requirements; nothing if a bare machine can be made
why_not() {
	if [ "$(uname -s)" != Linux ] || ! command -v apt-get >/dev/null; then
		echo "this is not Debian"
	elif [ -n "${SIMHASH_BARE_MACHINE:-}" ]; then
		echo "this is one already"
	elif [ "$(id -u)" != 0 ]; then
		echo "that needs root"
	elif ! command -v debootstrap >/dev/null; then
		echo "debootstrap is not installed"
	elif [ ! -e "/usr/share/debootstrap/scripts/$codename" ]; then
		echo "debootstrap does not know the release '$codename'"
	elif ! unshare --mount --pid --fork mount -t tmpfs none /mnt 2>/dev/null; then
		echo "mounting is not permitted here"
	fi
}

# shellcheck source=/dev/null
own_codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
codename=$own_codename
users=(root sudo) cache='' keep=false presets=()
for argument; do
	case $argument in
	--user=both) users=(root sudo) ;;
	--user=root | --user=sudo) users=("${argument#*=}") ;;
	--release=?*) codename=${argument#*=} ;;
	--cache=?*)
		mkdir -p "${argument#*=}"
		cache=$(cd "${argument#*=}" && pwd)
		;;
	--keep) keep=true ;;
	--check)
		why_not
		exit
		;;
	-*)
		sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
		exit 1
		;;
	*) presets+=("$argument") ;;
	esac
done
reason=$(why_not)
[ -z "$reason" ] || {
	echo "bare-machine.sh: no bare machine can be made: $reason" >&2
	exit 1
}

machine='' running=''
end() {
	# unshare ignores the signals that end other programs.
	[ -z "$running" ] || kill -KILL "$running" 2>/dev/null || true
	[ -z "$running" ] || wait "$running" 2>/dev/null || true
	running=
	if $keep; then
		echo "The machine is in $machine"
	elif [ -n "$machine" ]; then
		rm -rf --one-file-system "$machine" "$machine.log"
	fi
}
trap end EXIT
trap 'exit 130' INT TERM HUP

# on_machine COMMAND...: run it in the machine, which shares only the network and the clock with
# this one
on_machine() {
	# shellcheck disable=SC2016  # for the inner shell
	unshare --mount --pid --fork --kill-child=KILL bash -euc '
		root=$1 cache=$2
		shift 2
		# A separate mount can have namespaces for mounts inside it.
		mount --bind "$root" "$root"
		mount -t proc proc "$root/proc"
		mount -t sysfs -o ro sysfs "$root/sys"
		mount -t tmpfs -o mode=755 dev "$root/dev"
		mknod -m 666 "$root/dev/null" c 1 3
		mknod -m 666 "$root/dev/zero" c 1 5
		mknod -m 666 "$root/dev/full" c 1 7
		mknod -m 666 "$root/dev/random" c 1 8
		mknod -m 666 "$root/dev/urandom" c 1 9
		mknod -m 666 "$root/dev/tty" c 5 0
		if [ -e /dev/loop-control ]; then
			mknod -m 600 "$root/dev/loop-control" c 10 237
			for number in {0..63}; do
				mknod -m 600 "$root/dev/loop$number" b 7 "$number"
			done
		fi
		[ ! -e /dev/fuse ] || mknod -m 666 "$root/dev/fuse" c 10 229
		ln -s /proc/self/fd "$root/dev/fd"
		for number in 0:stdin 1:stdout 2:stderr; do
			ln -s "/proc/self/fd/${number%:*}" "$root/dev/${number#*:}"
		done
		mkdir "$root/dev/pts" "$root/dev/shm"
		mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
		ln -s pts/ptmx "$root/dev/ptmx"
		mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
		[ -z "$cache" ] || mount --bind "$cache" "$root/var/cache/apt/archives"
		exec chroot "$@"' bash "$machine" "$cache" "$@" </dev/null &
	running=$!
	local status=0
	wait "$running" || status=$?
	running=
	return $status
}

# as_root COMMAND... and as_user COMMAND...: run it with the environment of a new login
environment=(LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	TERM=dumb SIMHASH_BARE_MACHINE=1)
for name in http_proxy https_proxy no_proxy; do
	[ -z "${!name:-}" ] || environment+=("$name=${!name}")
done
as_root() {
	on_machine "$machine" env -i "${environment[@]}" HOME=/root USER=root "$@"
}
as_user() {
	on_machine --userspec=tester:tester --groups=tester "$machine" \
		env -i "${environment[@]}" HOME=/home/tester USER=tester "$@"
}

# quietly WHAT COMMAND...: run it and show its output only if it fails
quietly() {
	local what=$1 start=$SECONDS
	shift
	"$@" >"$machine.log" 2>&1 || {
		cat "$machine.log" >&2
		rm "$machine.log"
		echo "bare-machine.sh: failed: $what" >&2
		exit 1
	}
	rm "$machine.log"
	echo "$what: $((SECONDS - start)) s"
}

# Make a Debian with the package sources, keys, proxies and names of this machine. Another release has
# one package source, without its updates.
make_machine() {
	local site path options=(--variant=minbase)
	# Sources without a downloaded list are not shown, and without any list there are none.
	[ -n "$(apt-get indextargets 'Identifier: Packages')" ] || apt-get update -qq
	site=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Identifier: Packages' |
		awk -v release="$own_codename" '$1 == release { print $2; exit }')
	[ -n "$site" ] || {
		echo "bare-machine.sh: no package source of $own_codename is configured" >&2
		exit 1
	}
	[ -z "$cache" ] || options+=(--cache-dir="$cache")
	[[ $site != https:* ]] || options+=(--include=ca-certificates)
	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	[ -z "${proxy:-}" ] || [ "$proxy" = DIRECT ] || export http_proxy=${http_proxy:-$proxy}
	machine=$(mktemp -d "${TMPDIR:-/tmp}/simhash-machine.XXXXXX")
	chmod 755 "$machine"
	quietly "Debian $codename" debootstrap "${options[@]}" "$codename" "$machine" "$site"

	if [ "$codename" = "$own_codename" ]; then
		rm -rf "$machine"/etc/apt/sources.list*
		cp -a /etc/apt/sources.list* "$machine/etc/apt/"
	fi
	for path in preferences preferences.d auth.conf auth.conf.d trusted.gpg trusted.gpg.d keyrings; do
		[ ! -e "/etc/apt/$path" ] || cp -a "/etc/apt/$path" "$machine/etc/apt/"
	done
	cp -an /usr/share/keyrings "$machine/usr/share/"
	# Copy the settings for downloads, but no commands that apt runs on this machine.
	apt-config dump | grep '^Acquire::' >"$machine/etc/apt/apt.conf.d/00fetch"
	cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
	# The machine does not have to survive a power failure.
	echo force-unsafe-io >"$machine/etc/dpkg/dpkg.cfg.d/unsafe-io"
	quietly "package lists" as_root apt-get update
}

# both_commands AS HOME: run the commands of the README in a clone of HEAD
both_commands() {
	local as=$1 home=$2 start=$SECONDS
	git clone -q --no-hardlinks "$source_dir" "$machine$home/simhash"
	[ "$as" = as_root ] || as_root chown -R tester:tester "$home/simhash"
	for command in "scripts/quickstart.sh" "scripts/test.sh ${presets[*]}"; do
		start=$SECONDS
		echo
		echo "== $command, in $home"
		"$as" sh -c "cd '$home/simhash' && exec $command" || {
			echo "bare-machine.sh: failed: $command, in $home" >&2
			exit 1
		}
		echo "$command: $((SECONDS - start)) s"
	done
}

[ -z "$(git -C "$source_dir" status --porcelain)" ] || echo "What is not committed is left out."
for user in "${users[@]}"; do
	make_machine
	if [ "$user" = root ]; then
		both_commands as_root /root
	else
		quietly "sudo" as_root apt-get install -y --no-install-recommends sudo
		as_root useradd --create-home --shell /bin/bash tester
		echo 'tester ALL=(ALL) NOPASSWD: ALL' >"$machine/etc/sudoers.d/tester"
		both_commands as_user /home/tester
	fi
	end
	machine=
done
