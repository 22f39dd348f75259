#!/bin/sh
# test_kernel_tuner.sh - Kernel Tuner cache files become the tables that they should: whole, gzip'd, and as an
# interrupted run leaves them; and the programs run on them. The cache file is made by hand: it has every kind of
# failure and one that never ran.
. "$(dirname "$0")/lib.sh"
import=data/from_kernel_tuner.sh
whole=tests/kernel_tuner/whole

# The same table, line by line; and a refusal: exit status 2, nothing on stdout, one line with this word on stderr.
gives() { sh $import "$1" >"$tmp/out" 2>"$tmp/err" && diff "$2" "$tmp/out"; }
refuses() {
    status=0
    sh $import "$1" >"$tmp/out" 2>"$tmp/err" || status=$?
    [ $status = 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "$2" "$tmp/err"
}

# Tables of another kernel than the matmul have other knobs: every program either shows what it can or passes over.
# shellcheck disable=SC2046  # options, several words
runs() { "$O/$1" --quiet --device $whole.tsv $(short_of "$O/$1") >/dev/null; }
for program in $PROGRAMS; do
    check "$program runs on another kernel's table" runs "$program"
done

# Without jq: says how to get it.
mkdir "$tmp/bin"
for tool in sh sed gzip mktemp rm; do ln -s "$(command -v $tool)" "$tmp/bin/"; done
without_jq() { (PATH=$tmp/bin && refuses "$1" "$2"); }
for tool in wc grep; do ln -s "$(command -v $tool)" "$tmp/bin/"; done
check "without jq it says how to install it" without_jq $whole.json 'apt-get install jq'

if ! have jq; then
    skip "Kernel Tuner import: jq is not installed (apt-get install jq)"
    finish
fi

check "a whole file" gives $whole.json $whole.tsv
gzip -c $whole.json >"$tmp/whole.json.gz"
check "a gzip file" gives "$tmp/whole.json.gz" $whole.tsv

# A table of another kernel, without BLOCK_M: programs show what they can and pass over the rest.
# shellcheck disable=SC2086
runs_all() { for program in $PROGRAMS; do "$O/$program" --device $whole.tsv --quiet >"$tmp/out" || return 1; done; }
check "every program runs on such a table" runs_all

# What an interrupted run leaves: a comma and no closing braces; or half of the next line, which is lost.
sed '$d' $whole.json | sed '$s/}}$/},/' >"$tmp/comma.json"
check "a file without its last braces" gives "$tmp/comma.json" $whole.tsv
sed '$d' $whole.json >"$tmp/brace.json"
check "a file without its last brace" gives "$tmp/brace.json" $whole.tsv
check "and says that it was closed" grep -q interrupted "$tmp/err"
{ sed '$d' $whole.json | sed '$d'; printf '"32,1,row,False": {"block_size_x": 32, "ti'; } >"$tmp/half.json"
sed 's/^# 3 times/# 2 times/; /0.0625/d' $whole.tsv >"$tmp/half.tsv"
check "a file that ends in half a line" gives "$tmp/half.json" "$tmp/half.tsv"

# Without repeats there is no standard deviation to give.
sed 's/"times": \[[^]]*\]/"times": []/' $whole.json >"$tmp/once.json"
sed '/^# noise/d; s/	vector_add_sd$//; /^[0-9]/s/	[^	]*$//' $whole.tsv >"$tmp/once.tsv"
check "a file without repeats" gives "$tmp/once.json" "$tmp/once.tsv"

echo '{"results": [], "schema_version": "1.0.0"}' >"$tmp/t4.json"
check "another JSON file is refused" refuses "$tmp/t4.json" 'with "cache"'
echo '[]' >"$tmp/array.json"
check "an array is refused" refuses "$tmp/array.json" 'with "cache"'
sed 's/"tile": 2, //' $whole.json >"$tmp/lacks.json"
check "a configuration that lacks a knob is refused" refuses "$tmp/lacks.json" 'lacks tile'
check "a file that is not JSON is refused" refuses $whole.tsv 'not JSON'
check "no file is refused" refuses "$tmp/none.json" 'cannot be read'
finish
