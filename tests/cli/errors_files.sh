#!/usr/bin/env bash
# Tests files that cannot be read, and output that cannot be written: everything else is done.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1000 >"$files/a"
runs 0 "$SIMHASH" "$files"

# An empty list requests no files.
: >none
runs 0 "$SIMFIND" --files0-from=none
said "0 pairs (0 identical, 0 similar) among 0 candidates"

# Requested files that cannot be read; the others are answered.
cp "$files/a" b
printf '%s\0' "$files" >list
runs 2 "$SIMFIND" --files0-from=list "$files/missing" b
said "simfind: $files/missing: No such file or directory"
said "simfind: $files: Not a regular file"
same "answer for the readable one" 1 "$(grep -c ^identical out)"

# Output that cannot be written.
cp "$files/a" "$files/d"
runs 0 "$SIMHASH" "$files"
runs 1 "$SIMFIND" -o /no/such/folder/out
said "simfind: cannot write to /no/such/folder/out: No such file or directory"
runs 1 "$SIMFIND" -o /dev/full
said "simfind: cannot write to /dev/full: No space left on device"
runs 1 sh -c '"$0" >/dev/full' "$SIMFIND"
said "simfind: cannot write to standard output: No space left on device"
