#!/usr/bin/env bash
# Tests that the index survives its own scan: no program closes a file of an index that it has open,
# under any name and in any way, because this would release SQLite's locks. Also tests two writers,
# readers and kills with an index inside the scanned tree.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

export HOME=$TEST_FOLDER/home
unset SIMHASH_DATABASE
data=$HOME/.local/share/simhash
index=$data/simhash.db
mkdir -p "$HOME/notes" other
for i in $(seq 40); do
	seq "$i" $((i + 500)) >"$HOME/notes/$i.txt"
done

whole() {
	same "integrity after $1" ok "$(sqlite3 "$index" 'PRAGMA integrity_check')"
}

# ---- Nothing is closed ----

report=$TEST_FOLDER/closed
# watched WAY STATUS COMMAND...: check that it closes no file of the index while a reader uses it
watched() {
	local way=$1 status=$2
	shift 2
	rm -f "$report"
	if [ -n "$CLOSED_INDEX" ]; then
		runs "$status" env LD_PRELOAD="$CLOSED_INDEX" INDEX_FILE="$index" CLOSED_REPORT="$report" "$@"
	else
		runs "$status" "$@"
	fi
	[ ! -e "$report" ] || fail "$way: a file of the index was closed: $(head -3 "$report")"
	whole "$way"
}
rows_of_index() {
	sqlite3 "$index" "SELECT count(*) FROM file WHERE CAST(name AS TEXT) LIKE 'simhash.db%' OR
		CAST(name AS TEXT) LIKE 'other-name%'"
}

# The check itself notices a close.
if [ -n "$CLOSED_INDEX" ]; then
	runs 0 "$SIMHASH" "$HOME"
	env LD_PRELOAD="$CLOSED_INDEX" INDEX_FILE="$index" CLOSED_REPORT="$report" \
		python3 -c 'import os, sys
first, second = (os.open(sys.argv[1], os.O_RDONLY) for _ in "ab")
os.close(second)' "$index"
	[ -s "$report" ] || fail "the check is blind"
	rm -r "$data"
fi

watched "a home directory" 0 "$SIMHASH" "$HOME"
watched "again" 0 "$SIMHASH" -f "$HOME"
same "rows of the index" 0 "$(rows_of_index)"
# A reader keeps -wal and -shm in existence, so that the programs also find these files.
coproc keeper { exec sqlite3 "$index"; }
echo "BEGIN; SELECT 'reads', count(*) FROM file;" >&"${keeper[1]}"
read -r _ <&"${keeper[0]}"
ln "$index" "$HOME/other-name"
ln "$index-shm" "$HOME/other-name-shm"
ln -s "$index" "$HOME/notes/other-name-linked"
watched "hard links" 0 "$SIMHASH" -f "$HOME"
said "simhash: warning: index sqlite:$index has 2 names (hard links): always use the same name"
watched "symbolic links" 0 "$SIMHASH" -f -L "$HOME"
watched "an index by a symbolic link" 0 "$SIMHASH" -f -d "sqlite:$HOME/notes/other-name-linked" "$HOME"
watched "-z" 0 "$SIMHASH" -f -z "$HOME"
watched "a filter on standard input" 0 "$SIMHASH" -f --filter="db,db-shm,db-wal:cat" "$HOME"
watched "a filter by name" 0 "$SIMHASH" -f --filter="db,db-shm,db-wal:cat %" "$HOME"
find "$HOME" -type f -print0 >list
watched "--files0-from" 0 "$SIMHASH" -f --files0-from=list
watched "sketches" 0 "$SIMHASH" -f --measure=minhash "$HOME"
same "rows of the index" 0 "$(rows_of_index)"
for name in "$index" "$index-shm" "$HOME/other-name"; do
	watched "--files0-from=INDEX" 1 "$SIMHASH" --files0-from="$name"
	watched "-t" 1 "$SIMHASH" -t "$name" "$HOME/notes"
	watched "--import" 1 "$SIMHASH" --host=elsewhere --import="$name"
	watched "--exclude=@" 0 "$SIMHASH" --exclude="@$name" "$HOME/notes"
	watched "FILE" 0 "$SIMFIND" "$name"
	watched "FILE -z" 0 "$SIMFIND" -z "$name"
	watched "--known" 1 "$SIMFIND" --known="$name"
	watched "--against" 1 "$SIMFIND" --against="$name"
	watched "--tolerance=@INDEX" 1 "$SIMFIND" --tolerance=@"$name"
done
watched "standard input" 0 "$SIMFIND" - <"$index"
watched "a list on standard input" 1 "$SIMFIND" --known=- <"$index"
watched "--compare" 0 "$SIMFIND" --compare "$index" "$HOME/notes/1.txt"
watched "DIR" 0 "$SIMFIND" "$HOME"
watched "--update" 0 "$SIMFIND" --update "$HOME"
ln "$index" "$HOME/notes/.ignore"
watched "an ignore file" 0 "$SIMHASH" --ignore-files "$HOME"
rm "$HOME/notes/.ignore"

# Two indexed copies; then one name is a name of the index.
for way in verify report delete hardlink journal; do
	cp "$HOME/notes/1.txt" "$HOME/notes/copy"
	runs 0 "$SIMHASH" "$HOME"
	ln -f "$index" "$HOME/notes/copy"
	case $way in
	verify) watched "--verify=all" 2 "$SIMFIND" --verify=all ;;
	report) watched "a report" 0 "$SIMFIND" --group --format=html:thumbnails -o report.html ;;
	journal) watched "--undo" 1 "$SIMKEEP" --undo="$HOME/notes/copy" --yes ;;
	*) watched "--action=$way" 2 "$SIMKEEP" --keep=shortest-path --action="$way" --yes --journal="$way.journal" ;;
	esac
	rm -f "$HOME/notes/copy"
done
echo .quit >&"${keeper[1]}"
# shellcheck disable=SC2154  # bash sets it
wait "$keeper_PID" || true

# ---- Two writers and readers, and kills ----

python3 - "$HOME" other <<'END'
import pathlib, sys
for top, directories in zip(sys.argv[1:], (30, 10)):
    for d in range(directories):
        folder = pathlib.Path(top, f"d{d}")
        folder.mkdir()
        for i in range(60):
            (folder / str(i)).write_text(f"{top} {d} {i}\n" * 40)
END
rm -f "$HOME"/other-name* "$HOME/notes/other-name-linked"
# Each of these commands finds the index, while another writer, a reader of another program and one
# of ours run.
ln "$index" "$HOME/other-name"
find "$HOME" -type f -print0 >list
ways=("$HOME" "-L $HOME" "-z $HOME" "--files0-from=list" "--filter=db:cat $HOME" "--update $HOME")
for way in "${ways[@]}"; do
	program=$SIMHASH
	[[ $way != --update* ]] || program=$SIMFIND
	sqlite3 "$index" 'DELETE FROM file; DELETE FROM directory'
	(
		# shellcheck disable=SC2086
		timeout -s KILL 0.15 "$program" -q $way >/dev/null || [ $? = 137 ]
		# shellcheck disable=SC2086
		exec "$program" -q $way >/dev/null
	) 2>first &
	processes=($!)
	(for d in other/*; do "$SIMHASH" -q "$d" || exit; done) 2>second &
	processes+=($!)
	(for _ in $(seq 8); do
		sqlite3 -cmd '.timeout 10000' "$index" 'SELECT count(*) FROM file' || exit
		"$SIMFIND" --summary=none "$index" || exit
	done) >/dev/null 2>third &
	processes+=($!)
	for name in first second third; do
		wait "${processes[0]}" || fail "$way: the $name of three ended with $?: $(cat "$name")"
		processes=("${processes[@]:1}")
	done
	same "rows after $way" $((41 + 30 * 60 + 10 * 60 - 1)) "$(sqlite3 "$index" 'SELECT count(*) FROM file')"
	whole "$way"
done
