#!/usr/bin/env bash
# Tests wrong options and options that cannot be combined: the message is clear and the status is 1.
# Also tests help and version.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1000 >"$files/a"

# Options.
runs 1 "$SIMHASH"
said "simhash: no PATH given; try 'simhash -h'"
runs 1 "$SIMHASH" --no-such-option "$files"
same "one line" "simhash: unknown option --no-such-option; try 'simhash --help'" "$(cat err)"
runs 1 "$SIMHASH" --s "$files"
same "one line" "simhash: ambiguous option --s; did you mean --status, --scrub or --summary?" "$(cat err)"
runs 1 "$SIMHASH" --status=json
same "one line" "simhash: --status does not take a value; try 'simhash --help'" "$(cat err)"
runs 1 "$SIMFIND" --tolerance
same "one line" "simfind: --tolerance needs a value; try 'simfind --help'" "$(cat err)"
runs 1 "$SIMFIND" -qT
same "one line" "simfind: option -T needs a value; try 'simfind --help'" "$(cat err)"
runs 1 "$SIMFIND" -qY
same "one line" "simfind: unknown option -Y; try 'simfind --help'" "$(cat err)"
runs 1 "$SIMHASH" -j 0 "$files"
said "--threads '0': expected a number from 1 to 1024"
runs 1 "$SIMHASH" --host='a b' "$files"
said "--host 'a b': expected 1 to 255 letters, digits, '.', '-' or '_'"
for tolerance in -1 100.5 100.5% 1,5 1.0000001 x % ''; do
	runs 1 "$SIMFIND" -T "$tolerance"
	said "tolerance '$tolerance': expected a number from 0 to 100 with at most six decimal places"
done
runs 1 "$SIMFIND" --size-ratio=0.5
said "size ratio '0.5': expected a number from 1 to 1000000 with at most six decimal places"
# wrong OPTION... MESSAGE: simfind says what was expected
wrong() {
	local message=${*: -1}
	runs 1 "$SIMFIND" "${@:1:$#-1}"
	said "simfind: $message"
}
for how in all key ''; do
	wrong --candidates=$how "--candidates '$how': expected exact, uniform, scatter, skew, uniform_ext, scatter_ext or skew_ext"
done
for part in 0/3 4/3 1 x 1/ /3 1/0 1/3x -1/3; do
	wrong --partition="$part" "--partition '$part': expected I/N, such as 2/8"
done
wrong --group=ward "--group 'ward': expected representative, single, lineage or none"
wrong --verify=some "--verify 'some': expected no, sketch, read or all"
for share in 1.01 80 101% % ' %' '' 1e-1 0.1234567 75%% '75 % '; do
	wrong --min-resemblance="$share" "--min-resemblance '$share': expected a percentage such as 75%, or a number from 0 to 1, with at most six decimal places"
	wrong --directories="$share" "--directories '$share': expected a percentage such as 75%, or a number from 0 to 1, with at most six decimal places"
done
wrong --nearest=0 "--nearest '0': expected a number from 1"
wrong --nearest=3 "--nearest needs a FILE"
wrong --threads=0 "--threads '0': expected a number from 1"
wrong --limits=memory=1M "--limits=memory '1M': expected at least 32M"
wrong --limits=inflated=1M,memory=2M "--limits=memory '2M': expected at least 32M"
wrong --limits=10 "--limits '10': expected memory=SIZE or inflated=SIZE; or --limit=10"
wrong --limits=depth=3 "--limits 'depth=3': expected memory=SIZE or inflated=SIZE"
wrong --limits=memory=much "--limits=memory 'much': expected a number of bytes, or one with a unit such as 10k, 5M or 2G"
wrong --tolerance=ps "tolerance 'ps': expected a number from 0 to 100"
wrong --tolerance=ps=101 "tolerance '101': expected a number from 0 to 100"
wrong --tolerance=@/no/such/file "cannot read /no/such/file: No such file or directory"
printf 'ps=1\nhalf a line\n' >tolerances
wrong --tolerance=@tolerances "tolerances:2: tolerance 'half a line': expected EXTENSION=PERCENT"
printf 'ps=1\n' >other_tolerances
wrong --tolerance=@other_tolerances --tolerance=@/dev/null -o other_tolerances \
	"cannot write to other_tolerances: it has the tolerances of --tolerance"
wrong --tolerance=ps=1 --compare a b "--compare cannot be combined with --tolerance=EXT=PERCENT"
wrong --group=lineage --verify=no "--group=lineage cannot be combined with --verify=no"
wrong --group --partition=1/2 "--partition cannot be combined with --group=representative"
wrong --between /a "--between needs two values: A B"
wrong --between web1:relative /b "--between 'web1:relative': expected an absolute directory"
wrong --between no-such-directory /b "--between: cannot find directory no-such-directory"
wrong --between /a /b file "--between cannot be combined with a FILE"
wrong --files0-from=/no/such/file "cannot read /no/such/file: No such file or directory"
wrong - - "FILE - cannot be combined with another FILE -: both read standard input"
wrong --between /dev/null /b "--between: /dev/null is not a directory"
: >asked
wrong -o asked asked "cannot write to asked: it is one of the FILEs"
wrong --files0-from=- - "FILE - cannot be combined with --files0-from=-: both read standard input"
printf 'a\0\0b\0' >list0
wrong --files0-from=list0 "list0: empty file name"
runs 1 "$SIMFIND" --format=xml
said "--format 'xml': expected text, csv, json, jsonl, null, html, html:thumbnails or dot"
# A file of lines is recognized as such instead of a list of names, and shown as far as it helps.
seq 1000 >lines
printf 'with\033 a bell\n' | cat - lines >odd_lines
for list in lines odd_lines; do
	for program in "$SIMHASH" "$SIMFIND"; do
		runs 1 "$program" --files0-from=$list
		said "${program##*/}: $list: names are terminated by newlines; expected zero bytes, as from find -print0; found '"
		same "bytes of the list" 60 "$(sed "s/.*; found '\(.*\)'\.\.\.$/\1/" err | python3 -c 'import sys
print(len(sys.stdin.read().rstrip("\n").encode().decode("unicode_escape")))')"
		same "control bytes" 0 "$(LC_ALL=C tr -d '\n -~' <err | wc -c)"
	done
done
printf 'nowhere' >one
runs 2 "$SIMFIND" --files0-from=one
said "simfind: nowhere: No such file or directory"
# Options that cannot be combined. tests/cli/test_options.c tests all pairs of options.
wrong --verify=no --min-resemblance=0.5 "--min-resemblance cannot be combined with --verify=no"
wrong --verify=no --same-extension "--same-extension cannot be combined with --verify=no"
# For an option of simkeep, the message shows the command with the given value.
wrong --keep "--keep is an option of simkeep; try 'simkeep --keep=oldest'"
wrong --keep=newest "--keep is an option of simkeep; try 'simkeep --keep=newest'"
wrong --keep longest-name "--keep is an option of simkeep; try 'simkeep --keep=longest-name'"
wrong --apply="my decisions" "--apply is an option of simkeep; try 'simkeep --decisions='my decisions''"
wrong --undo=j "--undo is an option of simkeep; try 'simkeep --undo=j'"
wrong --script "--script is an option of simkeep; try 'simkeep --action=script:FILE'"
wrong --action=move:/x "--action is an option of simkeep; try 'simkeep --keep=oldest --action=move:/x'"
wrong --protect --yes "--protect is an option of simkeep; try 'simkeep --keep=oldest --protect=DIR'"
wrong --yes "--yes is an option of simkeep; try 'simkeep --keep=oldest --action=delete --journal=FILE --yes'"
wrong --journal=j "--journal is an option of simkeep; try 'simkeep --keep=oldest --action=delete --yes --journal=j'"
# Options of similar tools: the message says what to write instead. answers PROGRAM WORD ANSWER
answers() {
	local program=$1 word=$2
	runs 1 "$program" "$word"
	same "the answer to ${program##*/} $word" "${program##*/}: $word $3" "$(cat err)"
	same "output of ${program##*/} $word" "" "$(cat out)"
}
for program in "$SIMHASH" "$SIMFIND" "$SIMKEEP"; do
	for word in -r --recursive; do
		answers "$program" $word "is not needed; everything below a directory is included"
	done
	for word in --include -g; do
		answers "$program" $word "is unknown; use --ext=txt,md, or --exclude=GLOB for the other files"
	done
done
for word in -n --dry-run; do
	answers "$SIMHASH" $word "is unknown; simhash changes no file, only the index"
	answers "$SIMFIND" $word "is not needed; simfind changes no file"
	answers "$SIMKEEP" $word "is not needed; simkeep changes no file without --yes"
done
answers "$SIMHASH" --json "is unknown; use --summary=json, or --status --format=json"
for word in --json --csv --null --html; do
	answers "$SIMFIND" $word "is unknown; use --format=${word#--}"
done
answers "$SIMFIND" -0 "is unknown; use --format=null"
answers "$SIMHASH" --csv "is an option of simfind; try 'simfind --format=csv'"
answers "$SIMKEEP" --json "is an option of simfind; try 'simfind --only=copies --format=json'"
for word in -m --print-summarize; do
	answers "$SIMFIND" $word "is not needed; the summary is on standard error, also as --summary=json"
	answers "$SIMKEEP" $word "is not needed; a summary follows the list"
done
answers "$SIMFIND" --delete "is an option of simkeep; try 'simkeep --keep=oldest --action=delete'"
answers "$SIMKEEP" --delete "is unknown; use --keep=oldest --action=delete"
answers "$SIMKEEP" --hardlink "is unknown; use --keep=oldest --action=hardlink"
answers "$SIMHASH" --hidden "is not needed; hidden files are included"
answers "$SIMHASH" --group "is an option of simfind; try 'simfind --help'"
answers "$SIMFIND" --status "is an option of simhash; try 'simhash --help'"
wrong --threshold=80% "--threshold is unknown; use --min-resemblance=80%"
wrong --threshold "--threshold is unknown; use --min-resemblance=75%"
# The suggested value is accepted: similar tools take percents without a sign.
for value in 90=90% 100=100% 1=1 0.9=0.9 2=2%; do
	wrong --threshold="${value%=*}" "--threshold is unknown; use --min-resemblance=${value#*=}"
	runs 1 "$SIMFIND" -d sqlite:/no/such/index --min-resemblance="${value#*=}"
	said "simfind: there is no index"
done
wrong --threshold=200 "--threshold is unknown; use --min-resemblance=200"
runs 1 "$SIMKEEP" --force
same "an answer that is not a command" "simkeep: --force is unknown; --yes carries out the plan, but leaves out no check of a file" "$(cat err)"
wrong --extensions 'a b' "--extensions is unknown; use --ext='a b'"
# For a mistyped option, the message names the nearest option if one letter is missing, added, wrong
# or exchanged; otherwise none.
for word in --exclde --exlude --excludee --exclode --excldue --exclude-=x; do
	wrong $word "unknown option ${word%=*}; did you mean --exclude?"
done
wrong --min-resemblence=1 "unknown option --min-resemblence; did you mean --min-resemblance?"
wrong --grop "unknown option --grop; did you mean --group?"
wrong --nothing-like-it "unknown option --nothing-like-it; try 'simfind --help'"
wrong $'--\033[31m' "unknown option --\\x1b[31m; try 'simfind --help'"
wrong "--$(printf 'x%.0s' {1..300})" "unknown option --xxx"
wrong --progress=always "$0" "--progress=always cannot be combined with a FILE"
wrong --progress=always --files0-from=list0 "list0: empty file name"
printf 'a\0' >list1
wrong --progress=always --files0-from=list1 "--progress=always cannot be combined with --files0-from"
wrong --nearest=3 --between /a /b "--nearest cannot be combined with --between"
wrong --compare a "--compare needs two FILEs"
wrong -z "--decompress needs a FILE"
wrong --limits=inflated=5M x "--limits=inflated needs --decompress"
wrong --progress=sometimes "--progress 'sometimes': expected auto, always or never"
wrong --format=html --partition=1/2 "--partition cannot be combined with --format=html"
for list in x empty,x empty=1 ,empty "empty," ''; do
	wrong --also="$list" "--also '$list': expected empty or hard-links"
done
wrong --format=html:thumbnails --group=none "--group=none cannot be combined with --format=html"
wrong --format=html --group=none "--group=none cannot be combined with --format=html"
# The same for simhash.
hash_wrong() {
	local message=${*: -1}
	runs 1 "$SIMHASH" "${@:1:$#-1}"
	said "simhash: $message"
}
for size in x -1 1X 5MBx '' 99999999999999999999 9999999P; do
	hash_wrong --min-size="$size" "$files" "--min-size '$size': expected a number of bytes, or one with a unit"
done
# Units are the same in upper and lower case; sizes are equal if none is larger than the other.
for sizes in 1000=1kb 1000=1KB 1000=1kB 1024=1K 1024=1kib 1024=1KiB 5242880=5m 5242880=5MiB 5000000=5mb 2147483648=2g; do
	for pair in "${sizes%=*} ${sizes#*=}" "${sizes#*=} ${sizes%=*}"; do
		runs 1 "$SIMHASH" -d sqlite:/no/such/index --min-size="${pair% *}" --max-size="${pair#* }" "$files"
		! grep -q 'size' err || fail "$pair: $(cat err)"
	done
done
hash_wrong --min-size=2k --max-size=1k "$files" "--min-size is larger than --max-size"
hash_wrong --ext= "$files" "--ext '': expected extensions such as txt,md"
hash_wrong --ext=a,,b "$files" "--ext 'a,,b': expected extensions"
hash_wrong --exclude=@/no/such/file "$files" "cannot read /no/such/file: No such file"
hash_wrong --files0-from=/no/such/file "cannot read /no/such/file: No such file or directory"
hash_wrong --status "$files" "--status cannot be combined with a PATH"
hash_wrong --status --forget "--status cannot be combined with --forget"
hash_wrong --forget "--forget needs a PATH"
hash_wrong --print "--print needs a FILE"
hash_wrong --print --files0-from=x "--print cannot be combined with --files0-from"
hash_wrong --status --host=x "--status cannot be combined with --host"
hash_wrong --forget --exclude='*.c' "$files" "--forget cannot be combined with --exclude"
hash_wrong --print -f "$files/a" "--print cannot be combined with --force"
hash_wrong --print - - "--print: FILE - can be given only once, because standard input is read once"
hash_wrong --one-file-system --files0-from=x "--one-file-system needs a PATH"
hash_wrong --limits=depth=5 "$files" "--limits=depth needs --decompress"
names='depth=N, inflated=SIZE, total=SIZE, memory=SIZE, disk=N, seconds=N, output=SIZE or rate=SIZE'
for limits in 5 '' depth depht=3 'depth=3,' depth=3,,total=1 ',depth=3' =3 dep=3 depth,total=1; do
	hash_wrong -z --limits="$limits" "$files" "--limits '$limits': expected $names"
done
hash_wrong -z --limits=total=1M,depth=17 "$files" "--limits=depth '17': expected a number from 1 to 16"
hash_wrong -z --limits=depth=2 --limits=inflated= "$files" "--limits=inflated '': expected a number of bytes"
hash_wrong -z --limits=memory=1M "$files" "--limits=memory '1M': expected at least 32M"
hash_wrong --print --limits=total=5M -z "$files/a" "--print cannot be combined with --limits=total"
hash_wrong --status --limits=depth=1 "--status cannot be combined with --limits"
hash_wrong --limits "--limits needs a value"
hash_wrong --files0-from=- --exclude=@- "--exclude=@- cannot be combined with --files0-from=-: both read standard input"
hash_wrong --exclude=@- --exclude=@- "$files" "--exclude=@- can be given only once, because standard input is read once"
hash_wrong --progress=no "$files" "--progress 'no': expected auto, always or never"

# Help and version are written to standard output, within 80 columns.
for program in "$SIMHASH" "$SIMFIND" "$SIMKEEP"; do
	name=${program##*/}
	runs 0 "$program" -h
	cp out common
	[ "$(wc -l <common)" -le 25 ] || fail "$name -h has $(wc -l <common) lines"
	tail -n 1 common | has "^All options: $name --help\. " || fail "no way to the other options"
	options=$(grep -oE '^  (-.,|   ) --[a-z0-9-]+' common)
	[ "$(wc -l <<<"$options")" -ge 12 ] || fail "$name -h has too few options"
	runs 0 "$program" --help
	same "options of $name -h that --help has not" "" "$(grep -vxFf <(grep -oE '^  (-.,|   ) --[a-z0-9-]+' out) <<<"$options" || true)"
	for text in common out; do
		head -n 1 $text | has '^Usage: ' || fail "no usage"
		same "columns over 80" 0 "$(awk 'length > 79' $text | wc -l)"
	done
	same "the last group" "For experts:" "$([ "$name" = simkeep ] && echo "For experts:" || grep '^[A-Z].*:$' out | tail -n 1)"
	grep -q '^Exit status: 0 success, 1 failure, ' out || fail "no exit statuses"
	runs 0 "$program" --version
	grep -Eq '^sim(hash|find|keep) [0-9]+\.[0-9]+\.[0-9]+$' out || fail "no version"
	grep -q '^scan kernel: [a-z0-9]' out || fail "no kernel"
	grep -q "^indexes: .*$TEST_ENGINE" out || fail "no $TEST_ENGINE in --version"
	runs 1 sh -c '"$0" --help >/dev/full' "$program"
	said "cannot write to standard output"
done

# The scan kernel can be set, and --version shows it; a kernel that the machine cannot run is an
# error.
runs 0 env SIMHASH_KERNEL=portable "$SIMHASH" --version
grep -q '^scan kernel: portable$' out || fail "kernel not forced"
for program in "$SIMHASH" "$SIMFIND"; do
	runs 1 env SIMHASH_KERNEL=abacus "$program" -d "$TEST_URL" .
	said "scan kernel 'abacus': expected one that this machine has: "
	said portable
done
