#!/bin/sh
# test_record.sh - data/record/record.py, as far as that goes without a GPU: its dry run writes a table,
# goes on where it was stopped, and refuses what it cannot mean.
. "$(dirname "$0")/lib.sh"
if ! have python3; then
    skip "data/record/record.py: python3 is not installed"
    finish
fi
export PYTHONDONTWRITEBYTECODE=1
record() { python3 -S data/record/record.py "$@" 2>"$tmp/err"; }
refuses() {
    word=$1
    shift
    if record "$@" >/dev/null; then return 1; fi
    [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "$word" "$tmp/err"
}
rows() { grep -v '^#' "$1" | sed 1d; }
part="--knobs BM=64,128 BN=64 BK=32,64 w=4 G=8"

check "a dry run" record "$tmp/whole.tsv" --dry-run $part
check "has a row for each of 2 x 2 x 7 x 3 configurations" test "$(rows "$tmp/whole.tsv" | wc -l)" -eq 84
check "no two are alike" test "$(rows "$tmp/whole.tsv" | cut -f 1-7 | sort -u | wc -l)" -eq 84
grep -v '^#' data/h200_matmul.tsv | head -n 1 | cut -f 1-14 >"$tmp/columns"
grep -v '^#' "$tmp/whole.tsv" | head -n 1 >"$tmp/mine"
check "its columns are those of the H200's table" cmp "$tmp/columns" "$tmp/mine"
check "and its knobs" grep -qx '# knobs: BM BN BK w s G S' "$tmp/whole.tsv"

head -c 1500 "$tmp/whole.tsv" >"$tmp/part.tsv"        # stopped in the middle of a line
rows "$tmp/part.tsv" | sed '$d' >"$tmp/before"
record "$tmp/part.tsv" --dry-run $part
check "a stopped run keeps its rows" test "$(rows "$tmp/part.tsv" | head -n "$(wc -l <"$tmp/before")")" = "$(cat "$tmp/before")"
check "and is completed" test "$(sort "$tmp/part.tsv")" = "$(sort "$tmp/whole.tsv")"

cp data/README.md "$tmp/other.txt"
check "a file that is no recording is refused" refuses 'choose another file' "$tmp/other.txt" --dry-run
check "and left alone" cmp data/README.md "$tmp/other.txt"
check "an unknown knob is refused" refuses 'NAME of BM' "$tmp/new.tsv" --dry-run --knobs BQ=16
check "a value that is no number is refused" refuses 'NAME=NUMBER' "$tmp/new.tsv" --dry-run --knobs BM=big
check "a K that BK does not divide is refused" refuses 'multiple of every BK' "$tmp/new.tsv" --dry-run --shapes a=8,8,100
check "without a GPU there is only the dry run" refuses 'dry-run' "$tmp/new.tsv"
check_not "and no file" test -e "$tmp/new.tsv"
finish
