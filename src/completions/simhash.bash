# shellcheck shell=bash
# Completion of the command lines of simhash, simfind and simkeep, for bash 4 or later by itself.
# SPDX-License-Identifier: MIT

@OPTIONS@

# The words of the line up to the cursor, in typed of the caller. Bash also splits at the
# characters of COMP_WORDBREAKS, such as = and :, and what it split there is joined again.
_simhash_typed() {
	local rest=${COMP_LINE:0:COMP_POINT} word blanks i
	typed=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		blanks=${rest%%[![:blank:]]*}
		rest=${rest#"$blanks"}
		[ "$i" -lt "$COMP_CWORD" ] || word=$rest
		rest=${rest#"$word"}
		if [ "$i" = 0 ] || [ -n "$blanks" ]; then
			typed+=("$word")
		else
			typed[${#typed[@]} - 1]+=$word
		fi
	done
}

# Is $1 short options of which one has a value? If so, it is in letter of the caller, and what
# follows it in rest.
_simhash_cluster() {
	local kind optional i
	local -a words
	[[ $1 == -[!-]* ]] || return 1
	for ((i = 1; i < ${#1}; i++)); do
		letter=-${1:i:1}
		rest=${1:i+1}
		_simhash_value "$letter"
		[ "$kind" = none ] || return 0
	done
	return 1
}

# Which option the word at the cursor is a value of, in option of the caller: - if it is an
# operand after --, and empty if it is an operand or an option.
_simhash_option() {
	local kind optional letter rest word missing=0 i
	local -a words
	option=''
	for ((i = 1; i < ${#typed[@]} - 1; i++)); do
		word=${typed[i]//[\"\'\\]/}
		if [ "$option" = - ]; then
			break
		elif [ "$missing" -gt 0 ]; then
			missing=$((missing - 1))
		elif [ "$word" = -- ]; then
			option=-
			continue
		elif [[ $word == --*=* ]]; then
			option=${word%%=*}
			_simhash_value "$option"
			[ "$kind" != side ] || missing=1
		elif [[ $word == --* ]]; then
			option=$word
			_simhash_value "$option"
			[ "$kind" = none ] || [ -n "$optional" ] || missing=1
			[ "$kind" != side ] || missing=2
		elif _simhash_cluster "$word"; then
			option=$letter
			[ -n "$rest" ] || missing=1
		fi
		[ "$missing" -gt 0 ] || option=''
	done
}

# Offer what begins with value: a line each of standard input, of which readline has got text.
# With $1 they are names of files, to which bash adds no quotes and slashes here.
_simhash_offer() {
	local name rest
	while IFS= read -r name; do
		[[ $name == "$value"* ]] || continue
		rest=${name#"$value"}
		if [ $# -gt 0 ]; then
			[ ! -d "$name" ] || rest+=/
			[ -z "$rest" ] || [[ $current == *[\"\']* ]] || printf -v rest %q "$rest"
		fi
		COMPREPLY+=("$text$rest")
	done
}

# Names of files, or with -d of directories only. Bash does it best by itself, and can if its
# idea of where the name begins is ours.
_simhash_files() {
	if [ "$value" = "$text" ]; then
		[ "$1" = -f ] || compopt +o default -o dirnames
		[ "$1" != -f ] || compopt -o default
		return
	fi
	[[ $current == *[\"\']* ]] || value=${value//\\/}
	_simhash_offer files < <(compgen "$1" -- "$value")
}

_simhash_complete() {
	local IFS=$' \t\n' program=${1##*/} text=${2-}
	local kind optional option letter rest value current name
	local -a words typed
	COMPREPLY=()
	compopt +o default
	_simhash_typed
	_simhash_option
	current=${typed[${#typed[@]} - 1]}
	value=$current
	# An open quote is before the text that readline gets.
	[[ $value != [\"\']* ]] || value=${value:1}

	kind=path
	if [[ $current == *[\<\>]* && $current != *[\"\'\\]* ]]; then
		value=${current##*[<>]} # a redirection
	elif [ -n "$option" ] && [ "$option" != - ]; then
		_simhash_value "$option"
	elif [ -z "$option" ] && [[ $value == --*=* ]]; then
		_simhash_value "${value%%=*}"
		value=${value#*=}
		[[ $value != [\"\']* ]] || value=${value:1}
	elif [ -z "$option" ] && _simhash_cluster "$value" && [ -n "$rest" ]; then
		_simhash_value "$letter"
		value=$rest
	elif [ -z "$option" ] && [[ $value == -* ]]; then
		_simhash_option_words
		kind=word
	fi

	case $kind in
	database)
		if [[ $value == sqlite:* ]]; then
			value=${value#sqlite:}
			_simhash_files -f
		else
			_simhash_offer < <(printf '%s\n' sqlite: mysql://)
		fi
		;;
	list)
		if [[ $value == @* ]]; then
			value=${value#@}
			_simhash_files -f
		fi
		;;
	side)
		value=${value#*:}
		_simhash_files -d
		;;
	path) _simhash_files -f ;;
	word) _simhash_offer < <(printf '%s\n' "${words[@]}") ;;
	esac
	if [ "${#COMPREPLY[@]}" = 1 ] && [[ ${COMPREPLY[0]} == *[=:/] ]]; then
		compopt -o nospace
	fi
}

complete -o default -F _simhash_complete simhash simfind simkeep
