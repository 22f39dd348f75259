#!/bin/sh
# test_live_demos.sh - 06_live on tiny matrices: that the demos run, and say what they must. Times are the machine's.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$tmp/files"
mkdir "$TMPDIR"
live() { "$O/live" --quiet "$@" >"$tmp/said" 2>"$tmp/err"; }
says() { grep -q -e "$1" "$tmp/said" || { cat "$tmp/said" "$tmp/err"; false; }; }
count() { grep -c -e "$1" "$tmp/said"; }

check "demo 1" live --lang en --demo 1 --shape 48x40x64
check "shows the kernel's inner loop" says '^  #define STEP'
check "verifies three configurations" [ "$(count ',correct$')" -eq 3 ]
check "and catches the wrong one" [ "$(count ',correctness$')" -eq 1 ]
check "with what is wrong" says 'cpu_gemm: C\[0\]\[0\] is '
check "demo 2" live --lang en --demo 2 --shape 48x40x64 --trials 4 --batch 4 --strategies random,grid
check "puts what was found beside three loops" [ "$(count '^  three loops')" -eq 3 ]
check "and the peak is the fastest" awk '/^  arithmetic alone/ { ok = $(NF - 1) >= 100 } END { exit !ok }' "$tmp/said"
check_not "a device that measures nothing is refused" live --lang en --device hypogpu
check "in one line" grep -q "expected run:" "$tmp/err"
check "a device that is not cpu_gemm" live --lang en --strategies random --trials 2 --batch 2 \
    --device "run:sh 06_live/any.sh N=1,2,3 run 'echo 0.00\$N'"
check "has a search alone" [ "$(count 'is about cpu_gemm')" -eq 4 ]
refuses() { "$O/cpu_gemm" 48 40 64 "$@" </dev/null >"$tmp/said" 2>"$tmp/err"; [ $? = 2 ] && [ "$(wc -l <"$tmp/err")" = 1 ]; }
for word in ORDER=6 UNROLL=1,3 PACK=4 AHEAD=0, MR= NR=16x FOO=1 KC; do
    check "cpu_gemm refuses $word" refuses "$word"
    check "and names it" grep -q "'$word': expected" "$tmp/err"
done
check "a block larger than the matrix is the last" eval 'echo Space | "$O/cpu_gemm" 48 40 64 KC=32,512 | grep -q "^KC:32,64$"'
check "of 512x512x512 there are ten million" eval 'echo Space | "$O/cpu_gemm" 512 512 512 |
    awk "/^[A-Z]+:/ { n = n ? n * NF : NF } BEGIN { FS = \",\" } END { exit n < 1e7 }"'
check "a command that takes no time has failed" eval 'printf "Request 1\nN\n2\n" |
    sh 06_live/any.sh N=1,2 run "echo 0" 2>"$tmp/err" | grep -qx "2,,,,runtime"'
check "and any.sh says so" grep -q "said 0 s: expected at least 1e-9" "$tmp/err"
check "nothing is left behind" [ "$(ls "$TMPDIR")" = cpu_gemm.lock ]
finish
