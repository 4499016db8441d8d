#!/usr/bin/env bash
# Checks the manual pages: mandoc reports no errors, no line is wider than a terminal, each sentence
# begins a line of the source, and options and their groups are the same as in --help. Needs
# SIMHASH, SIMFIND, SIMKEEP and SOURCE_DIR.
set -euo pipefail
export LC_ALL=C.UTF-8
status=0

# none WHAT: standard input, which lists errors, is empty
none() {
	local faults
	faults=$(cat)
	[ -z "$faults" ] || {
		printf '%s:\n%s\n' "$1" "$faults"
		status=1
	}
}

# options_of_help: each option, long or with one letter, as "GROUP: OPTION".
options_of_help() {
	awk '/^[A-Z].*:$/ { group = $0 }
		/^(  -., |      )--/ {
			if ($1 ~ /,$/) print group, substr($1, 1, 2)
			match($0, /--[a-z0-9-]+/)
			print group, substr($0, RSTART, RLENGTH)
		}' | sort
}

options_of_page() {
	awk '/^\.S[hs] / { group = substr($0, 5) ":" }
		/^\.It Fl / {
			for (i = 2; i < NF; i++)
				if ($i == "Fl") print group, "-" $(i + 1)
		}' | sort
}

for program in "$SIMHASH" "$SIMFIND" "$SIMKEEP"; do
	name=${program##*/}
	page=$SOURCE_DIR/docs/$name.1
	# Other pages may or may not be installed on this machine.
	none "mandoc's faults" < <(mandoc -T lint "$page" 2>&1 |
		grep -vE 'STYLE: referenced manual not found|outdated mandoc.db|sections out of conventional order: Sh DESCRIPTION' || true)
	rendered=$(mandoc -T utf8 -O width=80 "$page" | sed 's/.\x08//g')
	[ "$(wc -l <<<"$rendered")" -gt 100 ] || echo "nothing" | none "$name(1), rendered"
	none "$name(1), rendered wider than 80 columns" < <(grep -nE '^.{81,}' <<<"$rendered" || true)
	none "$page, wider than 80 columns" < <(grep -nE '^.{81,}' "$page" || true)
	none "$page, two sentences on a line" < <(grep -nE '^[^.].*[.!?][")]* +[A-Z]' "$page" || true)
	help=$("$program" --help | options_of_help)
	[ -n "$help" ] || echo "none" | none "options of $name --help"
	none "options of $name --help (<) and of $name(1) (>)" < <(diff <(echo "$help") <(options_of_page <"$page") || true)
done
exit $status
