#!/bin/sh
# test_kernel_tuner.sh - Kernel Tuner's results become the tables that they should: cache files whole, gzip'd, and as an
# interrupted run leaves them, T4 files, several devices side by side; and the programs run on them. whole.json is made
# by hand: it has every kind of failure and one that never ran; each kt_*.json has one fault of files in the wild.
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

# What a file gives has these last lines; and what is said on stderr about a case.
gives_rows() { sh $import "$1" >"$tmp/out" 2>"$tmp/err" && [ "$(tail -n 2 "$tmp/out")" = "$(printf '%s\n%s' "$2" "$3")" ]; }
said() { sh $import tests/kernel_tuner/$1.json 2>&1 >/dev/null | grep -q "$2"; }
in_time()
{
    awk 'BEGIN { printf "{\"kernel_name\":\"k\",\"tune_params_keys\":[\"a\"],\"cache\":{"
                 for (i = 1; i <= 16000; i++) printf "%s\"%d\":{\"a\":%d,\"time\":%d.5}", (i > 1) ? "," : "", i, i, i % 97 + 1
                 print "}}" }' >"$tmp/large.json"
    (ulimit -t 10; sh $import "$tmp/large.json") 2>/dev/null | tail -n 1 | grep -q '^16000	'
}

# Tables of another kernel than the matmul have other knobs: every program either shows what it can or passes over;
# 04_scheduler, which needs the tasks of its network, refuses them (test_cli.sh).
# shellcheck disable=SC2046  # options, several words
runs() { "$O/$1" --quiet --device $whole.tsv $(short_of "$O/$1") >/dev/null; }
for program in $(echo "$PROGRAMS" | tr ' ' '\n' | grep -v '^04'); do
    check "$program runs on another kernel's table" runs "$program"
done

# Without jq: says how to get it.
mkdir "$tmp/bin"
for tool in sh sed gzip mktemp rm tr cut; do ln -s "$(command -v $tool)" "$tmp/bin/"; done
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

# What an interrupted run leaves: a comma and no closing braces; or half of the next line, which is lost.
sed '$d' $whole.json | sed '$s/}}$/},/' >"$tmp/comma.json"
check "a file without its last braces" gives "$tmp/comma.json" $whole.tsv
sed '$d' $whole.json >"$tmp/brace.json"
check "a file without its last brace" gives "$tmp/brace.json" $whole.tsv
check "and says that it was closed" grep -q interrupted "$tmp/err"
{ sed '$d' $whole.json | sed '$d'; printf '"32,1,row,False": {"block_size_x": 32, "ti'; } >"$tmp/half.json"
sed 's/^# 3 times/# 2 times/; s/; 7 of/; 6 of/; /0.0625/d' $whole.tsv >"$tmp/half.tsv"
check "a file that ends in half a line" gives "$tmp/half.json" "$tmp/half.tsv"

# Without repeats there is no standard deviation to give.
sed 's/"times": \[[^]]*\]/"times": []/' $whole.json >"$tmp/once.json"
cut -f 1-5,7 $whole.tsv >"$tmp/once.tsv"
check "a file without repeats" gives "$tmp/once.json" "$tmp/once.tsv"

# T4 files say the same in other words.
t4() { jq '{ results: [.cache[] | { configuration: { p }, times: { compilation: 500, runtimes: .times },
    invalidity: (if .time == "bad" then "compile" else "correct" end), measurements: [{ name: "time", value: .time }],
    objectives: ["time"] }] }' "$1"; }
echo '{"kernel_name":"time","tune_params_keys":["p"],"tune_params":{"p":[1,2,3]},"cache":{
  "1":{"p":1,"time":2.5,"times":[2,2.5,3],"compile_time":500},"2":{"p":2,"time":"bad","compile_time":500},
  "3":{"p":3,"time":1.5,"times":[1,1.5,2],"compile_time":500}}}' >"$tmp/few.json"
t4 "$tmp/few.json" >"$tmp/t4.json"
sh $import "$tmp/few.json" 2>/dev/null | sed 's/"bad"/compile/; s/	runtime	/	compile	/; /^#/d' >"$tmp/few.tsv"
sh $import "$tmp/t4.json" 2>/dev/null | sed '/^#/d' >"$tmp/t4.tsv"
check "a T4 file gives what its cache file gives" cmp "$tmp/few.tsv" "$tmp/t4.tsv"
check "and both give three rows" [ "$(wc -l <"$tmp/t4.tsv")" -eq 4 ]

# Several devices, one space: a column a device, a row for what any of them tried.
jq '.device_name = "Other GPU" | del(.cache["64,1,col,False"])' $whole.json | sed 's/"time": 2.5/"time": 7.5/' >"$tmp/other.json"
sh $import $whole.json "$tmp/other.json" >"$tmp/two.tsv" 2>/dev/null
check "two devices are two columns" grep -q '	Invented_GPU	.*	Other_GPU	' "$tmp/two.tsv"
check "a row has both times" grep -q '^32	1	1	1	2.5	.*	7.5	' "$tmp/two.tsv"
check "what one device did not try is not recorded there" grep -q '^64	1	0	0	1.25	.*	not_recorded	' "$tmp/two.tsv"
check_not "other knobs are another space" sh $import $whole.json tests/kernel_tuner/kt_cold_start.json 2>/dev/null

# The error of a mean of ten with a cold start among them; and doubts are said with a count.
check "a cold start does not spread the others" gives_rows tests/kernel_tuner/kt_cold_start.json '1	16.8	0' '2	1.5	0'
check "a time that is not the mean of its runs is doubted" said kt_times_differ 'in 1 of 1 configurations .* over 5 %'
check "a knob named as the kernel" gives_rows tests/kernel_tuner/kt_name_clash.json '1	2' '2	3'
check "knobs of one clean name" gives_rows tests/kernel_tuner/kt_knobs_clash.json '1	1	2' '1	2	3'
check "a line end in a device's name sets no unit" gives_rows tests/kernel_tuner/kt_device_newline.json '1	1.5' '2	2.5'
check_not "nor any other comment" grep -q '^# unit: s' "$tmp/out"
for case in kt_name_clash kt_knobs_clash kt_device_newline kt_cold_start; do
    sh $import tests/kernel_tuner/$case.json >"$tmp/$case.tsv" 2>/dev/null
    check "01_landscape reads what $case gives" "$O/01_landscape" --demo 1 --quiet --device "$tmp/$case.tsv" >"$tmp/ran"
done
check "16,000 configurations in linear time" in_time

check "another objective is refused" refuses tests/kernel_tuner/kt_objective.json 'objective is "score"'
check "an empty cache is refused" refuses tests/kernel_tuner/kt_empty_cache.json 'no configuration in it has a time'
echo '{"results": [], "schema_version": "1.0.0"}' >"$tmp/empty.json"
check "another JSON file is refused" refuses "$tmp/empty.json" 'with "cache"'
echo '{"Metadata": {}, "Results": [{"Configuration": []}]}' >"$tmp/ktt.json"
check "KTT's results are named" refuses "$tmp/ktt.json" 'KTT'
printf 'PK\003\004abc' >"$tmp/a.zip"
check "a zip archive is named" refuses "$tmp/a.zip" 'zip'
echo '[]' >"$tmp/array.json"
check "an array is refused" refuses "$tmp/array.json" 'with "cache"'
sed 's/"tile": 2, //' $whole.json >"$tmp/lacks.json"
check "a configuration that lacks a knob is refused" refuses "$tmp/lacks.json" 'lacks tile'
check "a file that is not JSON is refused" refuses $whole.tsv 'not JSON'
check "no file is refused" refuses "$tmp/none.json" 'cannot be read'
finish
