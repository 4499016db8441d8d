#!/usr/bin/env bash
# Compares the output of two builds: about sixty commands, in all formats, on both engines, on a
# tree that is generated from a seed. Standard output, written files and exit statuses must be
# equal. Differences in standard error are shown but are not a failure, because messages may be
# reworded.
#
#     tests/same_outputs.sh OLD_BUILD NEW_BUILD [SEED]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [ -z "${TEST_FOLDER:-}" ]; then
	[ $# -ge 2 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 1; }
	OLD=$(cd "$1" && pwd) NEW=$(cd "$2" && pwd) SEED=${3:-1}
	export OLD NEW SEED
	status=0
	for engine in sqlite mysql; do
		"$here/on_engine.sh" $engine "$here/same_outputs.sh" || status=1
	done
	exit $status
fi

echo "== $TEST_ENGINE, seed $SEED"
export SIMHASH_DATABASE=$TEST_URL LC_ALL=C.UTF-8
tree=$TEST_FOLDER/tree
python3 - "$tree" "$SEED" <<'PYTHON'
import gzip, os, random, sys
tree, seed = sys.argv[1], int(sys.argv[2])
r = random.Random(seed)
words = [bytes(r.choice(b'abcdefghijklmnopqrstuvwxyz') for _ in range(r.randint(2, 9))) for _ in range(3000)]
def text(size):
    out = []
    while size > 0:
        line = b' '.join(r.choice(words) for _ in range(9)) + b'\n'
        out.append(line)
        size -= len(line)
    return b''.join(out)
def edit(b, rate):
    b = bytearray(b)
    for _ in range(max(1, int(len(b) * rate))):
        b[r.randrange(len(b))] = r.randrange(256)
    return bytes(b)
def put(name, b):
    path = os.path.join(os.fsencode(tree), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(b)
    os.utime(path, ns=(1577836800 * 10**9 + r.randrange(10**12),) * 2)
    return path
originals = []
for i in range(120):
    kind = r.choice(['text', 'random', 'zeros', 'mixed'])
    size = int(2 ** r.uniform(3, 18))
    b = {'text': lambda: text(size), 'random': lambda: r.randbytes(size), 'zeros': lambda: bytes(size // 2) + r.randbytes(size // 2 + 1),
         'mixed': lambda: text(size // 2 + 1) + r.randbytes(size // 2 + 1)}[kind]()
    ext = r.choice(['txt', 'TXT', 'bin', 'c', 'conf', 'html', ''])
    name = b'd%d/e%d/%s%03d%s' % (i % 7, i % 3, kind.encode(), i, b'.' + ext.encode() if ext else b'')
    put(name, b)
    originals.append((name, b, ext))
for i, (name, b, ext) in enumerate(originals):
    stem = name[:-len(ext) - 1] if ext else name
    for k, rate in enumerate([0.0005, 0.002, 0.005, 0.02]):
        if r.random() < 0.6:
            put(b'edited/' + stem + b'-%d.' % k + ext.encode(), edit(b, rate))
    if r.random() < 0.5:
        put(b'copies/' + name, b)
    if r.random() < 0.2:
        put(b'copies/' + name + b'.bak', b)
    if r.random() < 0.2:
        put(b'moved/' + name, b[len(b) // 3:] + b[:len(b) // 3])
    if r.random() < 0.15:
        p = put(b'packed/' + os.path.basename(name) + b'.gz', b'')
        with gzip.GzipFile(p, 'wb', mtime=0) as f:
            f.write(b)
        os.utime(p, ns=(1577836800 * 10**9,) * 2)
for i in range(5):
    put(b'empty/%d' % i, b'')
for name in [b'odd/new\nline.txt', b'odd/\xff\xfe.txt', b'odd/tab\there.txt', b'odd/\x1b[31mred.txt', 'odd/\u202eabc.txt'.encode(), b'odd/quote"and,comma.txt', b'odd/-dash.txt', b'odd/back\\slash.txt']:
    put(name, text(5000) if name != b'odd/-dash.txt' else originals[0][1])
put(b'odd/same a.txt', text(3000))
a = os.path.join(os.fsencode(tree), b'odd/same a.txt')
os.link(a, a + b'.link')
os.link(a, os.path.join(os.fsencode(tree), b'd1/link.txt'))
os.symlink(b'../d0', os.path.join(os.fsencode(tree), b'odd/symlink'))
put(b'.hidden/x.txt', originals[1][1])
put(b'ignored/.gitignore', b'*.o\n!keep.o\n')
put(b'ignored/a.o', text(4000))
put(b'ignored/keep.o', text(4000))
with open(os.path.join(tree, '..', 'big'), 'wb') as f:
    pass
put(b'large/a.bin', r.randbytes(20 << 20))
with open(os.path.join(tree, 'large/a.bin'), 'rb') as f:
    big = bytearray(f.read())
for _ in range(100):
    big[r.randrange(len(big))] ^= 1
put(b'large/b.bin', bytes(big))
PYTHON

# Only times and speeds may differ.
clean() {
	sed -E 's/[0-9]+(\.[0-9]+)? (ms|s|seconds)\b/N s/g; s/[0-9.,]+ ([KMG]i?)?B\/s/N B\/s/g; s/in [0-9:.]+//g; s/checksum [0-9a-f]+//' "$1"
}

# Run the commands with one build, and store each result in files N.out, N.err, N.status of a
# folder.
all() {
	local bin=$1 out=$2 n=0
	eval "$TEST_RESET"
	mkdir -p "$out"
	cd "$TEST_FOLDER"
	run() { # PROGRAM ARGUMENT...
		local status=0 program=$1
		shift
		n=$((n + 1))
		local base
		base=$out/$(printf %03d $n)
		printf '%s' "$program" >"$base.command"
		printf ' %q' "$@" >>"$base.command"
		"$bin/$program" "$@" >"$base.raw" 2>"$base.stderr" <"${stdin:-/dev/null}" || status=$?
		echo $status >"$base.status"
		case " $program $* " in
		*' --status '*) sed -E 's/^(size +).*/\1S/; s/[0-9]{4}(-[0-9]{2}){2} [0-9:]{8}/TIME/g' "$base.raw" >"$base.out" ;;
		*=jsonl*) sort "$base.raw" >"$base.out" ;; # sorted, because it depends on threads
		*) mv "$base.raw" "$base.out" ;;
		esac
		clean "$base.stderr" >"$base.err"
	}
	run simhash tree
	run simhash tree
	run simhash --force -j 1 tree
	run simhash --status
	run simfind
	run simfind --summary=none
	run simfind --group=none
	for format in text csv json jsonl null; do
		run simfind --format=$format
		run simfind --format=$format --group
		run simfind --format=$format --group=single
		run simfind --format=$format --verify=all
		run simfind --format=$format tree/d1/e1/* tree/odd/-dash.txt
	done
	run simfind --format=null -T 2 --also=empty
	run simfind --also=hard-links
	run simfind -T 5 --candidates=uniform
	run simfind -T 5 --candidates=scatter_ext
	run simfind -T 3 --candidates=exact --size-ratio=1.2
	run simfind --tolerance=txt=4 --tolerance=bin=0.1 --format=csv
	run simfind --verify=no --format=csv
	run simfind --verify=no -T 4 --group
	run simfind --min-resemblance=0.6 -T 4
	run simfind --min-resemblance=0.7 --format=csv
	run simfind --min-resemblance=0.7 tree/d0/e0/*
	run simfind -T 4 --verify=read --format=csv
	run simfind -T 4 --verify=all --min-resemblance=0.5 --format=csv --group
	run simfind --between tree/d1 tree/edited
	run simfind --nearest=3 tree/d2/e2/*
	run simfind --nearest=2 --format=json tree/d0/e0/*
	for part in 1 2 3; do run simfind --partition=$part/3 --format=csv; done
	run simfind -j 3 --format=csv
	run simfind --fail-on-match
	run simfind -q -o listing.txt
	mv listing.txt "$out/listing.out"
	run simkeep -q
	run simkeep -q --keep=oldest --action=delete tree/d1
	run simkeep -q --action=script:script.sh
	mv script.sh "$out/script.out"
	run simfind --compare tree/large/a.bin tree/large/b.bin
	run simfind --compare tree/d1/e1/* 2>/dev/null
	run simfind -q --format=html -o report.html
	# Each build has its own path in the command, and its own time.
	sed -E 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}[^"<]*//g; s/"command":\[[^]]*\]//' report.html >"$out/report.out"
	rm report.html
	stdin=tree/large/a.bin run simfind -
	stdin=tree/odd/-dash.txt run simfind -
	find tree/d3 -type f -print0 | LC_ALL=C sort -z >list
	stdin=list run simfind --files0-from=-
	run simhash --measure=minhash --measure=simhash64 --measure=simhash128:words=2 tree
	run simhash --status
	for measure in minhash simhash64 simhash128; do
		run simfind --measure=$measure --format=csv
		run simfind --measure=$measure --group
	done
	run simfind --measure=minhash --min-resemblance=0.5 tree/d1/e1/*
	run simhash --print tree/d1/e1/* tree/odd/-dash.txt
	run simhash -z tree
	run simfind -z --format=csv
	run simfind -z tree/packed/*
	run simhash --forget tree/d1 tree/odd/-dash.txt
	run simhash --ext=txt,c --max-size=10k tree/d1
	run simhash --exclude='*.bin' --exclude='.*' --ignore-files tree
	rm -rf other
	cp -a tree/d2 other
	run simhash other
	rm -r other/e1
	run simhash other
	run simfind --format=csv
	run simhash --forget --measure=minhash
	run simhash --status
	rm -rf other copy.db*
	run simhash --copy-to="sqlite:$TEST_FOLDER/copy.db"
	run simfind -d "sqlite:$TEST_FOLDER/copy.db" --format=csv
	rm -f copy.db*
	run simhash --host=elsewhere tree/d4
	run simfind --format=jsonl
	run simfind --no-such-option
	run simhash
	run simhash nowhere
	run simfind -T 101
	run simfind nowhere
	run simfind -d sqlite:/nowhere/x.db
}
all "$OLD" "$TEST_FOLDER/old"
all "$NEW" "$TEST_FOLDER/new"
failed=0 equal=0
for file in "$TEST_FOLDER"/old/*.out "$TEST_FOLDER"/old/*.status; do
	name=${file##*/}
	if cmp -s "$file" "$TEST_FOLDER/new/$name"; then
		equal=$((equal + 1))
		continue
	fi
	failed=1
	echo "DIFFERS: $(cat "${file%.*}.command" 2>/dev/null || echo "$name") (${name##*.})"
	diff -a "$file" "$TEST_FOLDER/new/$name" | cut -c 1-200 | head -n 6 || true
done
for file in "$TEST_FOLDER"/old/*.err; do
	cmp -s "$file" "$TEST_FOLDER/new/${file##*/}" && continue
	echo "message: $(cat "${file%.*}.command")"
	diff -a "$file" "$TEST_FOLDER/new/${file##*/}" | grep -a '^[<>]' | cut -c 1-200 | head -n 4 || true
done
echo "$(find "$TEST_FOLDER/old" -name '*.command' | wc -l) commands, $equal outputs and statuses equal"
exit $failed
