# Completion of the command line of simfind, for fish.
# SPDX-License-Identifier: MIT

# An index, sqlite:FILE or mysql://USER@HOST/DATABASE, as the value of -d.
function __simfind_database
    set -l value (commandline -ct | string replace -r -- '^(--database=|-[[:alnum:]]*d)' '')
    if string match -q -- 'sqlite:*' $value
        set -l file (string replace -- sqlite: '' $value | string escape)
        printf 'sqlite:%s\n' (complete -C "__simfind_no_command $file")
    else
        printf '%s\t%s\n' sqlite: 'An SQLite file' \
            mysql:// 'A database of a MySQL or MariaDB server'
    end
end

# The directories below a side of --between, which is DIRECTORY or HOST:DIRECTORY.
function __simfind_side
    set -l value (commandline -ct | string replace -r -- '^--between=' '')
    set -l host (string match -r -- '^[[:alnum:]._-]+:' $value)
    __fish_complete_directories (string replace -- "$host" '' $value) | string replace -r -- '^' "$host"
end

# Is the second side of --between at the cursor?
function __simfind_at_second_side
    set -l words (commandline -opc)
    string match -q -- '--between=*' $words[-1]
    or begin
        test (count $words) -gt 2
        and test "$words[-2]" = --between
    end
end

# Which index
complete -c simfind -s d -l database -x -a '(__simfind_database)' -d 'sqlite:FILE or mysql://USER@HOST/DATABASE'
complete -c simfind -l defaults-file -r -F -d 'The option file for a server'
complete -c simfind -s t -l tag-set -r -F -d 'The rows made with the 16 tags of FILE'
complete -c simfind -l host -x -d 'This host\'s files are stored as NAME\'s'

# What is similar
complete -c simfind -s T -l tolerance -x -d '0 to 100, at most six decimal places (default: 1)'
complete -c simfind -l tolerance-for -x -d 'EXTENSION=PERCENT, for files of that extension'
complete -c simfind -l tolerances -r -F -d 'A file of lines EXTENSION=PERCENT'
complete -c simfind -s k -l key -x -a 'uniform scatter skew uniform_ext scatter_ext skew_ext' -d 'Which key, with _ext for files of equal extension'
complete -c simfind -l candidates -x -a 'exact\t"All pairs within the tolerance (default)" key\t"Of these only pairs whose keys are near too"' -d 'All pairs, or only those whose keys are near'
complete -c simfind -l size-ratio -x -d 'The larger is at most RATIO times the smaller (default: 1.5)'
complete -c simfind -l max-change -x -d 'Drop pairs of which an estimated PERCENT was changed'
complete -c simfind -l empty -d 'Empty files too'
complete -c simfind -l hard-links -d 'Names of one file are pairs too'

# Reading the files
complete -c simfind -l confirm -f -a 'all doubtful' -d 'Measure how much of each pair is the same'
complete -c simfind -l min-resemblance -x -d '0 to 1 (default: 0.95)'
complete -c simfind -s z -l decompress -d 'Ask for the content of gzip FILEs too'
complete -c simfind -l measure -x -a 'simhash64 simhash128 minhash bottom' -d 'Pairs by the sketches of another measure'
complete -c simfind -l min-similarity -x -d '0 to 1, for --measure'
complete -c simfind -l compare -d 'What every measure says of two files'
complete -c simfind -l max-inflated -x -d 'Give up on what inflates to more (default: 16G)'

# Which files
complete -c simfind -l files0-from -r -F -d 'Names ended by zero bytes; - is standard input'
complete -c simfind -l stdin-name -x -d 'What FILE - is called, for its extension'
complete -c simfind -l nearest -x -d 'The N nearest of each FILE, whatever the tolerance'
complete -c simfind -l between -x -a '(__simfind_side)' -d 'Only pairs from A to B: directories or HOST:'
complete -c simfind -n __simfind_at_second_side -f -a '(__simfind_side)'

# Output
complete -c simfind -l group -f -a 'representative single' -d 'Groups: representative (default) or single linkage'
complete -c simfind -l expand -d 'Every pair, also of copies with others'
complete -c simfind -l format -x -a 'text csv json jsonl null html' -d 'The format (default: text)'
complete -c simfind -s 0 -l null -d 'The same as --format=null'
complete -c simfind -s o -l output -r -F -d 'Write to FILE instead of standard output'
complete -c simfind -l script -r -F -d 'Write a shell script that could replace or delete copies'
complete -c simfind -l stats -d 'Instead of pairs, how many pass each step, by key'
complete -c simfind -l sweep -f -d 'What --stats counts, by tolerance (default: 0.01:6:1.2)'
complete -c simfind -l progress -x -a 'auto always never' -d 'Show progress'
complete -c simfind -s q -l quiet -d 'No progress and no summary'

# Work
complete -c simfind -s j -l threads -x -d 'Threads (default: one for each processor)'
complete -c simfind -l partition -x -d 'Do part I of N; all parts together are the whole'
complete -c simfind -l fail-on-match -d 'Exit with status 1 if anything is found'
complete -c simfind -s h -l help -d 'Show the help and exit'
complete -c simfind -s V -l version -d 'Show the version and exit'
