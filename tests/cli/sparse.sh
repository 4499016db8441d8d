#!/usr/bin/env bash
# Tests sparse files: holes are not read, the rows are the same as of files without holes, and a file
# with too large holes is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" != mounted ]; then
	in_own_mounts "$0" mounted
	exit
fi

# make_files FOLDER: write files with holes before, between and after data, at any offset
make_files() {
	python3 - "$1" <<'PYTHON'
import ctypes, os, random, sys

folder = sys.argv[1]
rng = random.Random(7)
libc = ctypes.CDLL(None, use_errno=True)
MIB = 1 << 20


def text(size):
    return b''.join(rng.choice([b'word', b'line\n', b'  two', b'\tx y']) + b'%d ' % rng.randrange(10**6)
                    for _ in range(size // 9 + 1))[:size]


def write(name, size, *parts):
    with open(f'{folder}/{name}', 'wb') as file:
        for offset, data in parts:
            file.seek(offset)
            file.write(data)
        file.truncate(size)


def dig(name, offset, size):
    with open(f'{folder}/{name}', 'r+b') as file:
        # 3: dig a hole, and keep the size
        if libc.fallocate(file.fileno(), 3, ctypes.c_long(offset), ctypes.c_long(size)) != 0:
            raise OSError(ctypes.get_errno(), 'fallocate')


r = rng.randbytes
write('only', 2 * MIB)
write('only_odd', 2 * MIB + 77)
write('before', 5 * MIB + 300001, (5 * MIB, r(300001)))
write('between', 3 * MIB + 5000, (0, r(70001)), (3 * MIB + 13, r(4987)))
write('after', 4 * MIB + 1, (0, r(1000)))
write('after_block', 4 * MIB, (0, r(262144)))
write('last_byte', 3 * MIB + 1, (3 * MIB, b'x'))
write('many', 6 * MIB, *[(i * 65536, r(4096)) for i in range(0, 96, 1)])
write('many_odd', 5 * MIB, *[(rng.randrange(5 * MIB - 9000), r(rng.randrange(1, 9000))) for _ in range(40)])
write('bits', 5 * MIB, (100, b'\1'), (2 * MIB - 1, b'\x80'), (4 * MIB + 262144, b'\1'))
write('small', 300000, (100000, r(5)))
write('text.txt', 4 * MIB + 20, (0, text(200000)), (4 * MIB, text(20)))
write('text_blank.txt', 4 * MIB, (0, b'  ' + text(262140) + b' \n'), (3 * MIB, text(9000) + b'  '))
write('utf16.txt', 3 * MIB + 1, (0, b'\xff\xfe' + text(150000).decode().encode('utf-16-le')))
write('shared', 24 * MIB + 11, (0, r(300000)), (9 * MIB + 5, r(MIB)), (20 * MIB, r(262144)), (24 * MIB, r(11)))
write('shared_before', 20 * MIB, (17 * MIB - 3, r(2 * MIB)))
write('shared.txt', 20 * MIB, (0, text(MIB)), (12 * MIB + 1, text(MIB)))
write('dug', 3 * MIB, (0, r(3 * MIB)))
dig('dug', 500000, 2000000)
write('reserved', 0)
with open(f'{folder}/reserved', 'r+b') as file:
    os.posix_fallocate(file.fileno(), 0, 3 * MIB)
    file.seek(MIB + 3)
    file.write(r(50000))
for name in os.listdir(folder):
    os.utime(f'{folder}/{name}', (1577836800, 1577836800))
PYTHON
}

# Every column that depends only on the content and the name, and the sketches and pieces.
columns=
dump() {
	[ -n "$columns" ] || columns=$(sql "SELECT group_concat('quote(' || name || ')') FROM pragma_table_info('file')
		WHERE name NOT IN ('mtime_ns', 'inode', 'scanned_at_ns', 'ctime_ns', 'device', 'links')")
	sql "SELECT $columns FROM file ORDER BY name"
	sql "SELECT hex(content_hash), is_text, size, hex(value) FROM pieces ORDER BY 1, 2"
	sql "SELECT quote(content_hash), quote(value) FROM sketch ORDER BY 1, 2"
}

# bytes_read COMMAND...: run it; the number of bytes that it read is in `read`
bytes_read() {
	read=$(bash -c '"$@" >&2 || exit; sed -n "s/^rchar: //p" /proc/$$/io' - "$@")
}

# index FOLDER [OPTION]...: index it under the same path as all others; its rows are in `rows`
index() {
	reset
	mv "$1" "$disk/files"
	bytes_read "$SIMHASH" -q "${@:2}" "$disk/files"
	mv "$disk/files" "$1"
	rows=$(dump)
}

# check OPTION...
check() {
	local expected
	index "$disk/written" "$@"
	expected=$rows
	index "$disk/sparse" "$@"
	same "files" "$(find "$disk/sparse" -type f | wc -l)" "$(sql "SELECT count(*) FROM file")"
	[ "$rows" = "$expected" ] ||
		fail "$type, $*: $(diff <(echo "$expected") <(echo "$rows") | cut -c 1-300 | first 6)"
	[ "$read" -lt 40000000 ] || fail "$type, $*: $read bytes are read"
}

disk=$TEST_FOLDER/disk
for type in ext4 xfs btrfs tmpfs; do
	(new_file_system "$type" "$disk") || continue
	mkdir "$disk/sparse" "$disk/written"
	make_files "$disk/sparse"
	for file in "$disk/sparse"/*; do
		cat "$file" >"$disk/written/${file##*/}"
		touch -r "$file" "$disk/written/${file##*/}"
	done
	sync -f "$disk"
	check -j1
	check -j4
	[ $type != tmpfs ] || check -j4 -z --pieces=128 --measure=minhash --hash=md5
	umount "$disk"
done

# ---- Only counted and hashed ----
mount -t tmpfs none "$disk"
truncate -s 2G "$disk/large"
printf x | dd of="$disk/large" bs=1 seek=1500000000 conv=notrunc status=none
bytes_read "$SIMHASH" -q "$disk/large"
[ "$read" -lt 20000000 ] || fail "$read bytes of a file with one byte of data are read"
same "tags 00" $((2 * 1024 * 1024 * 1024 - 1)) "$(sql "SELECT sum_00 FROM file WHERE name = X'6c61726765'")"

# ---- Too large ----
truncate -s 65T "$disk/terabytes"
truncate -s 7E "$disk/exabytes"
runs 2 "$SIMHASH" -q "$disk"
said "$disk/terabytes: Has more than 64 TiB of holes"
said "$disk/exabytes: Has more than 64 TiB of holes"
same "lines" 2 "$(grep -c holes err)"
runs 2 "$SIMHASH" --print "$disk/exabytes"
said "Has more than 64 TiB of holes"
umount "$disk"
