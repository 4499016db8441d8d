# Completion of the command line of simhash, for fish.
# SPDX-License-Identifier: MIT

# An index, sqlite:FILE or mysql://USER@HOST/DATABASE, as the value of -d.
function __simhash_database
    set -l value (commandline -ct | string replace -r -- '^(--(database|copy-to)=|-[[:alpha:]]*d)' '')
    if string match -q -- 'sqlite:*' $value
        set -l file (string replace -- sqlite: '' $value | string escape)
        printf 'sqlite:%s\n' (complete -C "__simhash_no_command $file")
    else
        printf '%s\t%s\n' sqlite: 'An SQLite file' \
            mysql:// 'A database of a MySQL or MariaDB server'
    end
end

# Which index
complete -c simhash -s d -l database -x -a '(__simhash_database)' -d 'sqlite:FILE or mysql://USER@HOST/DATABASE'
complete -c simhash -l defaults-file -r -F -d 'The option file for a server'
complete -c simhash -l wait-server -x -d 'Wait so many seconds for a server that is gone'
complete -c simhash -s t -l tag-set -r -F -d 'Count the 16 tags of FILE instead of the built-in ones'
complete -c simhash -l host -x -d 'Store the files as NAME\'s (default: this host\'s name)'

# Which files
complete -c simhash -l exclude -x -d 'Leave out what matches, as in a .gitignore file'
complete -c simhash -l exclude-from -r -F -d 'Leave out what matches a line of FILE'
complete -c simhash -l ignore-files -d 'Heed .gitignore and .ignore files'
complete -c simhash -l hidden -d 'Names that begin with a dot too (default)'
complete -c simhash -l no-hidden -d 'Leave out names that begin with a dot'
complete -c simhash -l ext -x -d 'Only files with these extensions, such as txt,md'
complete -c simhash -l min-size -x -d 'Only files of at least SIZE bytes, or 10k, 5M, 2G'
complete -c simhash -l max-size -x -d 'Only files of at most SIZE'
complete -c simhash -s x -l one-file-system -d 'Stay on the file system of each PATH'
complete -c simhash -s L -l dereference -d 'Follow symbolic links'
complete -c simhash -l files0-from -r -F -d 'The files whose names are in FILE, ended by zero bytes'

# How they are read
complete -c simhash -s z -l decompress -d 'Scan the content of gzip files too'
complete -c simhash -l measure -x -a 'simhash64 simhash128 minhash bottom' -d 'Make sketches by another measure, too'
complete -c simhash -l max-inflated -x -d 'Give up on what inflates to more (default: 16G)'
complete -c simhash -s f -l force -d 'Scan files again that have not changed'
complete -c simhash -s j -l threads -x -d 'Scan with N threads (default: one for each processor)'

# Instead of indexing
complete -c simhash -l status -d 'Show what the index holds'
complete -c simhash -l forget -d 'Remove the rows at and below each PATH'
complete -c simhash -l init-database -d 'Make the index, and print the GRANTs that users need'
complete -c simhash -l copy-to -x -a '(__simhash_database)' -d 'Copy the index to URL'
complete -c simhash -l print -d 'Show sum table and keys of each FILE'

# What is shown
complete -c simhash -l progress -x -a 'auto always never' -d 'Show progress'
complete -c simhash -s q -l quiet -d 'No progress and no summary'
complete -c simhash -s h -l help -d 'Show the help and exit'
complete -c simhash -s V -l version -d 'Show the version and exit'
