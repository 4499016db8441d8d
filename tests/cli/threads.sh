#!/usr/bin/env bash
# Tests that rows do not depend on the number of threads or the kernel, also for files that are so
# large that several threads share one.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# repeat BYTES SIZE: an endless repetition of BYTES (in printf's notation), cut to this size
repeat() {
	local part="$TEST_FOLDER/part" whole="$TEST_FOLDER/whole"
	# shellcheck disable=SC2059  # the bytes are a format
	printf "$1" >"$part"
	while [ "$(wc -c <"$part")" -lt "$2" ]; do
		cat "$part" "$part" >"$whole"
		mv "$whole" "$part"
	done
	head -c "$2" "$part"
}

# Everything that threads may find at a boundary: zeros out of phase with bytes, and a tag that
# overlaps itself across many boundaries, between ordinary files.
make_tree --files=200 --sizes=5000-50000 "$TEST_FOLDER/ordinary"
{
	random_bytes 3000001 1
	repeat '\x20\0\0\0\0\0\0\0' 9
	head -c 4000000 /dev/zero
	repeat '\x49\x24\x92' 3000000
	find "$TEST_FOLDER/ordinary" -type f -print0 | LC_ALL=C sort -z | xargs -0 cat
	repeat '\x18\xc3\x06' 2000000
	seq 200000
} >"$files/mixed.bin"
{ printf '\x20' && head -c 20000000 /dev/zero; } >"$files/zeros.img"
truncate -s 300M "$files/sparse.img"
random_bytes 17000000 2 >"$files/random.bin"
printf end >>"$files/random.bin"
for number in $(seq 60); do
	mkdir -p "$files/d$((number % 7))/e$((number % 3))/f$number"
	seq "$number" 3000 >"$files/d$((number % 7))/e$((number % 3))/f$number/list.txt"
done
settle "$files"

rows() {
	sql 'SELECT HEX(directory), HEX(name), size, HEX(content_hash), sum_00, sum_01, sum_02,
	            sum_03, sum_04, sum_05, sum_06, sum_07, sum_08, sum_09, sum_10, sum_11, sum_12,
	            sum_13, sum_14, sum_15, uniform, scatter, skew, uniform_ext, scatter_ext, skew_ext
	     FROM file ORDER BY path_hash'
}

runs 0 "$SIMHASH" -j 1 "$files"
summary 64 0 0 0
rows >"$TEST_FOLDER/one"
same "rows" 64 "$(wc -l <"$TEST_FOLDER/one")"
for threads in 2 3 16; do
	reset
	runs 0 "$SIMHASH" -j "$threads" --progress=always "$files"
	rows >"$TEST_FOLDER/many"
	cmp "$TEST_FOLDER/one" "$TEST_FOLDER/many" || fail "-j $threads gives other rows than -j 1"
	runs 0 "$SIMHASH" -j "$threads" "$files"
	summary 0 64 0 0
done
reset
runs 0 env SIMHASH_KERNEL=portable "$SIMHASH" -j 5 "$files"
rows >"$TEST_FOLDER/many"
cmp "$TEST_FOLDER/one" "$TEST_FOLDER/many" || fail "the portable kernel gives other rows"

printf '%s\0' "$files/mixed.bin" | "$ORACLE" counts >"$TEST_FOLDER/expected"
sql "SELECT sum_00, sum_01, sum_02, sum_03, sum_04, sum_05, sum_06, sum_07,
            sum_08, sum_09, sum_10, sum_11, sum_12, sum_13, sum_14, sum_15,
            uniform, scatter, skew, uniform_ext, scatter_ext, skew_ext
     FROM file WHERE name = X'6D697865642E62696E'" >"$TEST_FOLDER/found"
cmp "$TEST_FOLDER/expected" "$TEST_FOLDER/found" || fail "the oracle counts otherwise"

# A file that several threads cannot read is one failure.
copy_for_user "$SIMHASH"
mkdir -m 777 "$TEST_FOLDER/user"
chmod -R a+rX "$files"
chmod 000 "$files/random.bin"
runs 2 as_user "$TEST_FOLDER/bin/simhash" -d "sqlite:$TEST_FOLDER/user/index.db" -j 4 "$files"
summary 63 0 0 1
chmod 600 "$files/random.bin"

# Threads without a file help with large members and compressed files, whose rows equal the rows of
# the plain files.
rm -rf "$files"
mkdir -p "$files/plain"
{
	random_bytes 15000001 3
	repeat '\x18\xc3\x06' 3000000
	printf '\x20'
	head -c 2000000 /dev/zero
	seq 200000
} >"$files/plain/mixed"
{ random_bytes 19000000 4 && head -c 1000003 "$files/plain/mixed"; } >"$files/plain/random"
random_bytes 16777217 5 >"$files/plain/just"
for name in mixed random just; do
	gzip -1c "$files/plain/$name" >"$files/$name.gz"
done
! built_with archives ||
	tar -C "$files/plain" -cf "$files/all.tar" mixed random just
settle "$files"
contents() { # CONDITION
	sql "SELECT DISTINCT HEX(content_hash), size, HEX(resemblance_sketch), sum_00, sum_01, sum_02, sum_03,
	            sum_04, sum_05, sum_06, sum_07, sum_08, sum_09, sum_10, sum_11, sum_12, sum_13, sum_14,
	            sum_15, uniform, scatter, skew
	     FROM file WHERE $1 ORDER BY 1"
}
for options in '-j3 SIMHASH_SANDBOX=yes' '-j16 SIMHASH_SANDBOX=no'; do
	reset
	# shellcheck disable=SC2086  # several options
	runs 0 env ${options#* } "$SIMHASH" -z ${options% *} "$files"
	contents "compressed_size > 0" >"$TEST_FOLDER/members"
	contents "compressed_size = 0 AND extension = X''" >"$TEST_FOLDER/plain"
	same "$options: plain files" 3 "$(wc -l <"$TEST_FOLDER/plain")"
	cmp "$TEST_FOLDER/plain" "$TEST_FOLDER/members" || fail "$options: members have other rows than the files"
done
reset
