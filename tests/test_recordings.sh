#!/bin/sh
# test_recordings.sh - strangers' tables: what is too large or no table is refused at once, what a name holds does nothing,
# and what is right runs: failures that a trial finds out, several files as one device, several devices in one file.
. "$(dirname "$0")/lib.sh"
both=data/h200_matmul.tsv,data/h200_network.tsv

# One line on stderr that holds the word, status 2 and nothing on stdout, within two seconds.
refuses()
{
    status=0
    (ulimit -t 2 && "$O/01_landscape" --quiet --demo 4 --device "$1") >"$tmp/out" 2>"$tmp/err" || status=$?
    [ $status = 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "$2" "$tmp/err"
}
refuses_piped() { refuses /dev/stdin "$@"; }
# A table of N columns behind a knob; with _sd, each has one beside it.
wide() { awk -v n="$1" -v sd="${2:-}" 'BEGIN { for (r = 0; r < 3; r++) { printf r ? r : "a"
    for (i = 1; i <= n; i++) { printf(r ? "\t%d.5" : "\tt%d", r ? r : i); if (sd) printf(r ? "\t0.1" : "\tt%d_sd", i) }
    print "" } }' >"$tmp/wide.tsv"; }

check 'a time beyond all clocks is refused' refuses tests/cases/overflow.tsv '1e+12 us'
check 'two rows in 2^28 combinations are refused' refuses tests/cases/wide_space.tsv '1 in 1000'
check 'an endless file of zeros is refused' refuses /dev/zero 'a zero byte'
truncate -s 4G "$tmp/sparse.tsv"
check 'a sparse file is refused' refuses "$tmp/sparse.tsv" 'a zero byte'
yes abc | tr -d '\n' | check 'text without line ends is refused' refuses_piped 'lines of at most'
awk 'BEGIN { printf "a"; for (i = 0; i < 3000000; i++) printf "\t"; print "" }' >"$tmp/tabs.tsv"
check 'millions of tabs are refused' refuses "$tmp/tabs.tsv" 'lines of at most'
wide 20000
check 'too many columns are refused' refuses "$tmp/wide.tsv" 'at most 1000 columns'

# shows FILE WORD: runs, in UTF-8 without control characters, and shows the word.
shows()
{
    (ulimit -t 4 && "$O/01_landscape" --quiet --demo 4 --format "${3:-text}" --device "$1") >"$tmp/out" &&
        grep -qF "$2" "$tmp/out" && iconv -f UTF-8 -t UTF-8 "$tmp/out" >/dev/null &&
        ! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$tmp/out"
}
wide 999
check 'many columns are read in time' shows "$tmp/wide.tsv" 't1.'
wide 499 sd
check 'many columns with errors beside them are read in time' shows "$tmp/wide.tsv" 't1.'
check 'a control character in a name is shown as another' shows tests/cases/control_names.tsv 'col?2J'
check 'a name in backquotes is shown as it is' shows tests/cases/backquote.tsv '`touch HERE`'
for format in text json; do
    check "a long name is cut between characters ($format)" shows tests/cases/long_column.tsv '€€…' $format
done

# A log holds failures that a trial found out, and a run that was cut off goes on behind them.
run() { "$O/02_autotvm" --quiet --demo 1 --repeats 1 --trials 200 --strategies grid,random "$@" >"$tmp/out"; }
resumes()
{
    awk 'BEGIN { OFS = "\t"; print "a", "b", "t"; for (i = 0; i < 40; i++) for (j = 0; j < 10; j++)
        print i, j, ((i + j) % 3 ? i + j + 0.5 : "broken") }' >"$tmp/fails.tsv"
    run --device "$tmp/fails.tsv" --log "$tmp/log" && mv "$tmp/out" "$tmp/first" &&
        grep -q '"measured_us":null,"seconds":1,"error":"broken"' "$tmp/log" && cp "$tmp/log" "$tmp/whole" &&
        head -n 150 "$tmp/whole" >"$tmp/log" && run --device "$tmp/fails.tsv" --resume "$tmp/log" &&
        cmp "$tmp/log" "$tmp/whole" && cmp "$tmp/out" "$tmp/first"
}
check 'a run with failures is logged and resumed' resumes
all_measured() { run --device "$tmp/fails.tsv" --trials 97600 && grep -q 'all 400 measured' "$tmp/out" &&
                 grep -q ' 256  *400$' "$tmp/out"; }
check 'a budget larger than the space ends with it' all_measured
fails_shown() { "$O/01_landscape" --quiet --demo 4 --device "$tmp/fails.tsv" | grep -q 'of them fail: broken *134 '; }
check 'what fails is counted among the legal' fails_shown

# Both recordings of the H200 are one device of 22 shapes.
shape() { "$O/01_landscape" --quiet --device "$both" --shape "$1" | grep -q "$2"; }
check 'a shape of the first file' shape wgrad 'Its optimum: 64,128,128,4,4,1,4 '
check 'a shape of the second file' shape 512x4096x16 'LoRA B, 512x4096x16'
check 'a column has its own legality' shape lora_b 'illegal *15960 '
check 'what failed in one file fails on its shapes' shape square 'fail: compile_timeout *4 '
times_out() { "$O/01_landscape" --quiet --device "$both" --shape decode_o | grep -q compile_timeout; }
check_not 'and not on those of the other' times_out
check 'a shape that stands twice is refused' refuses "data/h200_matmul.tsv,data/h200_matmul.tsv" 'a shape of its own'
check 'other knobs are refused' refuses "data/h200_matmul.tsv,$tmp/fails.tsv" 'the same knobs'

# Dynamic M, of which a recording has some. The same by awk: of each M the fastest row, and that of M = 16 at 256.
kept() { awk -F '\t' '/^#/ { next } $1 == "BM" { for (i in head) delete head[i]; for (i = 1; i <= NF; i++) head[$i] = i; next }
    $head["why"] == "-" { from = $head["dyn_16"]; to = $head["dyn_256"]
        if (!a || from < a) { a = from; at = to }; if (!b || to < b) b = to } END { printf "%.2f\n", at / b }' data/h200_network.tsv; }
demo5() { "$O/01_landscape" --quiet --demo 5 --device "$1" >"$tmp/out" && grep -q "$2" "$tmp/out"; }
check "what M = 16's optimum costs at M = 256" demo5 "$both" "^  256 .* $(kept)$"
check 'a bucket serves the M below it' demo5 "$both" '^  48 ... 64  .*  48$'
few() { cut -f "1-7,$1,23" data/h200_network.tsv >"$tmp/few.tsv"; }
few 15,17-19 # M = 16, 48, 64, 96
check 'and what has no bucket is left out' demo5 "$tmp/few.tsv" '^  48 ... 64  .*  48$'
check_not 'of every table' grep -q '^  96' "$tmp/out"
exercise8() { "$O/exercises" --quiet --demo 8 --device "$1" >"$tmp/out" && grep -q "$2" "$tmp/out"; }
check 'exercise 8 tunes the powers of two that were recorded' exercise8 "$both" 'the 5 powers of two from 16 to 256'
check 'and needs three of them' exercise8 "$tmp/few.tsv" 'passed over'
few 16,18 # M = 32, 64
check 'without M = 16 demo 5 is passed over' demo5 "$tmp/few.tsv" 'it is passed'

# The claims, of both tables and of one; the lecture's network took 15.29 ms by hand.
claims() { "$O/claims" --quiet --device "$1" --demo "$2" >"$tmp/claims"; }
check_open() { [ "$(grep -c ' not recorded$' "$tmp/claims")" = "$1" ]; }
claim() { grep -q "^  $1.*  $2  *$3$" "$tmp/claims"; }
check 'claims of both recordings' claims "$both" 1,2,7
check "the network's pass" claim '§6.3 the network' '15.29 ms' 'does not hold'
check 'its largest tasks' claim '§6.3 its four' 'up QKV down d.up' holds
check 'BLOCK_M as M doubles' claim '§2.4 even' '16 64 64 128 128' holds
check "M = 16's optimum" claim '§2.4 one' "$(kept)x" holds
check 'cuBLAS is slower where one side is 16' claim beyond '6 of 6; 0 of 5' holds
check 'no claim is open' check_open 0
check 'cuBLAS stands beside each task' grep -q '^  decode O .* [*]11.7 .* 13.9$' "$tmp/claims"
check 'every shape is compared with HypoGPU' [ "$(grep -c '^  .* [0-9]*x[0-9]*x[0-9]* .*0[.]' "$tmp/claims")" = 22 ]
check 'claims of the seven shapes alone' claims data/h200_matmul.tsv 1,6,7
check 'what was not recorded is said' check_open 8

# 04_scheduler wants the network's eleven tasks, by M, N and K whatever their columns are called.
network=data/h200_network.tsv
lacks() # FILES WORD...: refused before anything is printed, in one line that holds each word
{
    "$O/04_scheduler" --device "$1" >"$tmp/out" 2>"$tmp/err"
    [ $? = 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] || return
    shift
    for word; do grep -qF "$word" "$tmp/err" || return; done
}
sed 's/lora_b 512,4096,16;/lora_b 512,4096,17;/' $network >"$tmp/other_k.tsv"
check 'missing tasks are named' lacks data/h200_matmul.tsv 'prefill_o 512x4096x4096' 'decode_ffn_up 16x22016x4096' 'lora_b'
check 'a task of another K is missing' lacks "data/h200_matmul.tsv,$tmp/other_k.tsv" 'lacks lora_b 512x4096x16;'
sed 's/\<decode_o\>/here/g; s/\<lora_a\>/decode_o/g' $network >"$tmp/renamed.tsv"
plays() { "$O/04_scheduler" --quiet --demo 1,2 --repeats 1 --unit 16 --device "data/h200_matmul.tsv,$1" >"$tmp/$2"; }
renamed() { plays $network given && plays "$tmp/renamed.tsv" renamed && cmp "$tmp/given" "$tmp/renamed"; }
check 'tasks are known by their shape' renamed
beside() { grep -Eq 'decode O .* 11\.7 .* 13\.9 +1\.19$' "$tmp/given" && grep -q 'pass takes 15.29 ms' "$tmp/given"; }
check 'the network beside cuBLAS' beside
{ echo '# cuBLAS (torch.mm) us: lora_b fast'; cat $network; } >"$tmp/fast.tsv"
check 'a time of cuBLAS that is none is refused' refuses "$tmp/fast.tsv" "'fast' of lora_b"

# Two devices, one kernel: one's optimum on the other, one teaching the other.
awk 'BEGIN { OFS = "\t"; print "# columns: devices\n# knobs: a b\na", "b", "old", "new"
    for (i = 0; i < 40; i++) for (j = 0; j < 10; j++) print i, j, (i - 9) ^ 2 + j + 1, i == 9 ? "broken" : (i - 20) ^ 2 + j + 1 }' \
    >"$tmp/devices.tsv"
devices() { "$O/$1" --quiet --device "$tmp/devices.tsv" --demo 3 >"$tmp/out" && grep -q "$2" "$tmp/out"; }
check "a device's optimum runs on another, or fails there" devices 01_landscape '^ *old  *1.00  *-$'
check 'one device teaches another' devices 02_autotvm '^  On new, in points over no transfer'

# Every program says of a shape once that it is missing.
missing() { [ "$("$O/$1" --quiet --device "$tmp/fails.tsv" $(short_of "$O/$1") | grep -c 'is no recording of')" -le 1 ]; }
for program in $PROGRAMS; do
    check "$program says once that this is another kernel" missing "$program"
done
finish
