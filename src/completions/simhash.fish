# Completion of the command line of simhash, simfind or simkeep, for fish.
# SPDX-License-Identifier: MIT

# An index, sqlite:FILE or mysql://USER@HOST/DATABASE, as the value of -d.
function __simhash_database
    set -l value (commandline -ct | string replace -r -- '^(--[[:alnum:]-]+=|-[[:alnum:]]*d)' '')
    if string match -q -- 'sqlite:*' $value
        set -l file (string replace -- sqlite: '' $value | string escape)
        printf 'sqlite:%s\n' (complete -C "__simhash_no_command $file")
    else
        printf '%s\t%s\n' sqlite: 'An SQLite file' \
            mysql:// 'A database of a MySQL or MariaDB server'
    end
end

# The value of an option that @FILE can stand for.
function __simhash_list
    set -l value (commandline -ct | string replace -r -- '^--[[:alnum:]-]+=' '')
    if string match -q -- '@*' $value
        set -l file (string replace -- @ '' $value | string escape)
        printf '@%s\n' (complete -C "__simhash_no_command $file")
    end
end

# The directories below a side of --between, which is DIRECTORY or HOST:DIRECTORY.
function __simhash_side
    set -l value (commandline -ct | string replace -r -- '^--[[:alnum:]-]+=' '')
    set -l host (string match -r -- '^[[:alnum:]._-]+:' $value)
    __fish_complete_directories (string replace -- "$host" '' $value) | string replace -r -- '^' "$host"
end

# Is the second side of option $argv at the cursor?
function __simhash_at_second_side
    set -l words (commandline -opc)
    string match -q -- "$argv=*" $words[-1]
    or begin
        test (count $words) -gt 2
        and test "$words[-2]" = $argv
    end
end

@OPTIONS@
