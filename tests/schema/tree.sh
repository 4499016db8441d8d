#!/usr/bin/env bash
# Makes the files that are in the indexes of this folder: tests/schema/tree.sh FOLDER, which is
# created.
set -euo pipefail
mkdir -p "${1:?is the folder to make}"/{letters,data}
cd "$1"
seq 1000 1400 >letters/draft.txt
sed '/^1200$/s/$/ and a line that is new/' letters/draft.txt >letters/final.txt
cp letters/final.txt 'letters/final (1).txt'
cp letters/final.txt letters/copy.bak
ln letters/draft.txt letters/linked.txt
awk 'BEGIN { for (i = 0; i < 3000; i++) print i, i * i % 977, i * 7 % 13 }' >data/numbers.csv
awk 'NR % 1000 == 0 { print "inserted", NR } 1' data/numbers.csv >data/numbers-new.csv
seq 5000 5600 >data/unlike
: >data/empty
cp data/unlike $'data/odd\nn\xffme.txt'
find . -type f -exec touch -d @1700000000 {} +
