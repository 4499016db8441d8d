#!/usr/bin/env bash
# Checks that the completions of bash, zsh and fish match the programs: every option of --help and
# no other, the words of each value, files if a file is expected, and nothing if any text is
# allowed.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
rmdir "$files" # it has the same name as a word

completions=$BINARY_DIR/completions
for shell in bash zsh fish; do
	command -v $shell >/dev/null || fail "no $shell to test the completion with"
done
timeout 60 bash -n "$completions/simhash.bash" || fail "simhash.bash: syntax"
timeout 60 zsh -n "$completions/_simhash" || fail "_simhash: syntax"
for program in simhash simfind simkeep; do
	timeout 60 fish --no-config --no-execute "$completions/$program.fish" ||
		fail "$program.fish: syntax"
done

# Every shell finds the programs by name, and fish also finds the completions by name.
mkdir programs fish zsh
ln -s "$SIMHASH" programs/simhash
ln -s "$SIMFIND" programs/simfind
ln -s "$SIMKEEP" programs/simkeep
ln -s "$completions"/*.fish fish/
export PATH=$PWD/programs:$PATH
touch zebra.file 'okapi house'
mkdir quagga

# ---- The expected completions, each as the complete word ----

lines=() expected=()

# offered LINE WORD...: the last word of LINE is completed to WORDs
offered() {
	lines+=("$1")
	shift
	expected+=("$(for word in "$@"; do echo "$word"; done | sort -u)")
}

# value PROGRAM SHORT LONG HOW WORD...: the value of option LONG, and of SHORT if that is not empty,
# begun with text STARTS, is completed to WORDs. HOW is = if a value is required, and otherwise [.
value() {
	local program=$1 short=$2 long=$3 how=$4
	shift 4
	offered "$program $long=$starts" "${@/#/$long=}"
	[ "$how" = = ] || return 0
	offered "$program $long $starts" "$@"
	[ -z "$short" ] || offered "$program $short $starts" "$@"
}

# words_of PROGRAM LONG: the words that PROGRAM lists when it refuses a value of option LONG, if it
# does
words_of() {
	timeout 60 "$1" "$2=?" --no-such-option 2>&1 | sed -nE "s/^.*'\?': expected (([a-z0-9_:=-]+[A-Z]*, )*[a-z0-9_:=-]+[A-Z]* or [a-z0-9_:=-]+[A-Z]*)$/\1/p" |
		sed -E 's/,? or /,/; s/[A-Z]//g' | tr -d ' ' | tr , '\n'
}

# In a line of --help: the short option, the long option, = or [ before its value, and the value.
option='^ {2}(-[[:alnum:]], | {4})(--[[:alnum:]-]+)(\[?=| )?(\[[A-Z]*:\])?([A-Z]*)'
with_words=''
for program in simhash simfind simkeep; do
	"$program" --help >help
	options=()
	while IFS= read -r line; do
		[[ $line =~ $option ]] || continue
		short=${BASH_REMATCH[1]%, } long=${BASH_REMATCH[2]}
		how=${BASH_REMATCH[3]:0:1} what=${BASH_REMATCH[5]}
		[[ $short == -? ]] || short=''
		# shellcheck disable=SC2206  # nothing, if there is none
		options+=($short "$long")
		case $how$what in
		=* | '['*)
			mapfile -t words < <(words_of "$program" "$long")
			starts=''
			if [ ${#words[@]} -gt 0 ]; then
				with_words+=" $program$long"
				value "$program" "$short" "$long" "$how" "${words[@]}"
			elif [[ $what = @(FILE|DIR|PLACE|DEST) ]]; then
				starts=zeb
				value "$program" "$short" "$long" "$how" zebra.file
				starts=qua
				value "$program" "$short" "$long" "$how" quagga/
			elif [ "$what" = GLOB ] || [ "$long" = --filter ]; then
				value "$program" "$short" "$long" "$how"
				starts=@zeb
				value "$program" "$short" "$long" "$how" @zebra.file
			elif [ "$what" = URL ]; then
				value "$program" "$short" "$long" "$how" sqlite: mysql://
				starts=sqlite:zeb
				value "$program" "$short" "$long" "$how" sqlite:zebra.file
				starts=my
				value "$program" "$short" "$long" "$how" mysql://
			else
				value "$program" "$short" "$long" "$how"
			fi
			;;
		esac
	done <help
	mapfile -t long_options < <(printf '%s\n' "${options[@]}" | grep '^--')
	# The lines above list all options: --help mentions no others.
	same "options of $program --help" "$(printf '%s\n' "${long_options[@]}" | sort -u)" \
		"$(grep -oE -- '--[a-z][a-z0-9-]+' help | sort -u)"
	offered "$program -" "${options[@]}"
	offered "$program --" "${long_options[@]}"
	offered "$program --q" --quiet
	offered "$program zeb" zebra.file
	offered "$program qua" quagga/
	offered "$program -q --threads=3 -d sqlite:x zeb" zebra.file
	offered "$program -- --"
	offered "$program -- zeb" zebra.file
done
same "options whose values are words" \
	" simhash--decompress simhash--hash simhash--require-tls simhash--format simhash--progress simhash--summary simhash--limits simhash--measure simfind--only simfind--also simfind--group simfind--format simfind--sort simfind--color simfind--progress simfind--summary simfind--verify simfind--order simfind--measure simfind--candidates simfind--limits simkeep--keep simkeep--action" \
	"$with_words"
offered "simfind -qo zeb" zebra.file
offered "simfind --candidates skew --format=js" --format=json --format=jsonl
for side in --between= '--between ' '--between=quagga ' '--between quagga '; do
	offered "simfind ${side}qua" "${side##*[a ]}quagga/"
	offered "simfind ${side}zeb"
	offered "simfind ${side}host:qua" "${side##*[a ]}host:quagga/"
done
offered "simfind --between quagga quagga --candidates=un" --candidates=uniform --candidates=uniform_ext
printf '%s\n' "${lines[@]}" >lines

# compare SHELL: with the files offered.SHELL/NUMBER, which have one line for each word, with or
# without = at its end
compare() {
	local i
	for i in "${!lines[@]}"; do
		[ -f "offered.$1/$i" ] || fail "$1 completed $i lines, and then no more"
		same "$1: completion of '${lines[i]}'" "${expected[i]}" \
			"$(sed -E 's/^(-[^=]+)=$/\1/' "offered.$1/$i" | sort -u)"
	done
}

# ---- Bash: its function is called as by readline ----

cat >bash.driver <<'DRIVER'
shopt -s extglob
. "$1"
mkdir offered.bash
compopt() {
	while [ $# -gt 1 ]; do
		set_options[$2]=$1
		shift 2
	done
}
number=0
while IFS= read -r COMP_LINE; do
	specification=$(complete -p "${COMP_LINE%% *}")
	[[ $specification =~ \ -F\ ([^ ]+) ]] || exit 1
	declare -A set_options=()
	[[ $specification != *' -o default'* ]] || set_options[default]=-o
	COMP_POINT=${#COMP_LINE} COMP_WORDS=() rest=$COMP_LINE
	pattern='^ *([=:]+|[^ =:]+)'
	while [[ $rest =~ $pattern ]]; do
		COMP_WORDS+=("${BASH_REMATCH[1]}")
		rest=${rest:${#BASH_REMATCH[0]}}
	done
	[ -z "$rest" ] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	text=${COMP_WORDS[COMP_CWORD]##+([=:])}
	[[ $specification =~ \ -F\ ([^ ]+) ]]
	COMPREPLY=(unset)
	"${BASH_REMATCH[1]}" "${COMP_LINE%% *}" "$text" "${COMP_WORDS[COMP_CWORD - 1]}"
	kind=
	[ "${set_options[default]}" != -o ] || kind=-f
	[ "${set_options[dirnames]}" != -o ] || kind=-d
	if [ ${#COMPREPLY[@]} = 0 ] && [ -n "$kind" ]; then
		while IFS= read -r name; do
			[ ! -d "$name" ] || name+=/
			COMPREPLY+=("$name")
		done < <(compgen $kind -- "$text")
	fi
	word=${COMP_LINE##* }
	for reply in "${COMPREPLY[@]}"; do
		printf '%s\n' "${word%"$text"}$reply"
	done >offered.bash/$number
	number=$((number + 1))
done <lines
DRIVER
timeout 60 bash --noprofile --norc bash.driver "$completions/simhash.bash" || fail "bash: status $?"
compare bash
# Options with a value end in =, and options with an optional value occur twice.
for program in simhash simfind simkeep; do
	"$program" --help | sed -nE 's/^ {2}(-., | {4})(--[a-z0-9-]+\[?=?).*$/\2/p' |
		sed -E 's/^(.*)\[=$/\1\n\1=/' | sort >expected
	same "bash: forms of the options of $program" "$(cat expected)" \
		"$(sort "offered.bash/$(grep -nx -- "$program --" lines | awk -F: '{ print $1 - 1 }')")"
done

# ---- Fish ----

cat >fish.driver <<'DRIVER'
set -p fish_complete_path $PWD/fish
mkdir offered.fish described
set -l number 0
while read -l line
    complete -C $line >described/$number
    string replace -r '\t.*' '' <described/$number >offered.fish/$number
    set number (math $number + 1)
end <lines
DRIVER
timeout 60 fish --no-config fish.driver || fail "fish: status $?"
compare fish
for i in "${!lines[@]}"; do
	[[ ${lines[i]} == *' -' ]] || continue
	! grep -P '^-[^\t]*(\t *)?$' "described/$i" || fail "fish: no description in '${lines[i]}'"
done

# ---- Zsh, and bash again, typed in a terminal ----

# Run a shell in a terminal and type each line of a file and a tab. Control-B makes the shell write
# its line to the file NUMBER in a folder, and then an end mark, which this waits for.
cat >type.zsh <<'DRIVER'
zmodload zsh/zpty || exit 1
folder=$1 input=$2
shift 2
mkdir $folder
export ANSWERS=$folder TERM=dumb
zpty shell "${(@q)@}"
zpty -r shell output '*<READY>*' || exit 1
number=0
while IFS= read -r line; do
	zpty -w -n shell "$line"$'\t\x02'
	zpty -r shell output "*<END $number>*" || exit 1
	((++number))
done <$input
zpty -d shell
DRIVER

cat >zsh/.zshrc <<'SETUP'
fpath=("$COMPLETIONS" $fpath)
autoload -U compinit
compinit -u -D
unsetopt auto_list auto_menu beep prompt_sp prompt_cr
PS1='<READY>'
number=0
mkdir offered.zsh

# Record the completions before they are offered.
compadd() {
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		local -a hits
		local hit
		builtin compadd -O hits "$@"
		for hit in $hits; do
			[[ ! -d $hit ]] || hit+=/
			print -r -- "$IPREFIX$hit" >>offered.zsh/$number
		done
	fi
	builtin compadd "$@"
}
answer() {
	print -r -- "$BUFFER" >$ANSWERS/$number
	: >>offered.zsh/$number
	BUFFER=
	print -n "<END $number>" >/dev/tty
	((++number))
}
zle -N answer
bindkey '^B' answer
bindkey '^I' complete-word
SETUP
cat >bash.setup <<'SETUP'
. "$COMPLETIONS/simhash.bash"
unset HISTFILE
PS1='<READY>'
number=0
answer() {
	printf '%s\n' "$READLINE_LINE" >"$ANSWERS/$number"
	READLINE_LINE=''
	printf '<END %s>' "$number"
	number=$((number + 1))
}
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind -x '"\C-b": answer'
SETUP
export COMPLETIONS=$completions ZDOTDIR=$PWD/zsh
timeout 60 zsh -f type.zsh lines.zsh lines zsh -d -i || fail "zsh: status $?"
compare zsh

# The typed text, and the text after a tab.
cat >typed <<'TYPED'
simfind --form
simfind --format=jso
simhash --progress=au
simhash --progress au
simfind --output=zeb
simfind -o zeb
simfind --output=okap
simfind -d sq
simfind -d sqlite:zeb
simfind --database=sqlite:okap
simfind --between=quagga qua
simfind --between quagga zeb
simhash --threads=zeb
simhash --force okap
simfind -q >zeb
TYPED
cat >made <<'MADE'
simfind --format=
simfind --format=json
simhash --progress=auto 
simhash --progress auto 
simfind --output=zebra.file 
simfind -o zebra.file 
simfind --output=okapi\ house 
simfind -d sqlite:
simfind -d sqlite:zebra.file 
simfind --database=sqlite:okapi\ house 
simfind --between=quagga quagga/
simfind --between quagga zeb
simhash --threads=zeb
simhash --force okapi\ house 
simfind -q >zebra.file 
MADE
for shell in zsh bash; do
	rm -rf offered.zsh
	case $shell in
	zsh) set -- zsh -d -i ;;
	bash)
		# In open quotes, bash does not split words, and zsh closes the quotes differently.
		cat >>typed <<'TYPED'
simfind --database="sqlite:okap
simfind -d 'sqlite:zeb
simfind --format="csv
TYPED
		cat >>made <<'MADE'
simfind --database="sqlite:okapi house" 
simfind -d 'sqlite:zebra.file' 
simfind --format="csv" 
MADE
		set -- bash --noprofile --rcfile bash.setup -i
		;;
	esac
	timeout 60 zsh -f type.zsh made.$shell typed "$@" || fail "$shell in a terminal: status $?"
	for ((i = 0; i < $(wc -l <typed); i++)); do
		cat "made.$shell/$i"
	done >found
	diff made found || fail "$shell: what a tab makes of lines"
done
