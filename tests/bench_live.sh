#!/bin/sh
# bench_live.sh - tuned kernels of this processor beside OpenBLAS on one thread, and what a trial costs (make bench-live;
# TRIALS=32 REPEATS=1 for a first look). Times are this machine's; nothing is checked.
set -eu
trials=${TRIALS:-128} repeats=${REPEATS:-5} shape=${SHAPE:-512 512 512}
knobs='KC=64,128,256,512 MC=48,96,192,384 NC=128,256,512 UNROLL=1,4 ORDER=0,3 AHEAD=0,8' # as 06_live's demos
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
now() { date +%s.%N; }
say() { awk "BEGIN { printf \"$1\\n\", $2 }"; }
# watched NAME OPTION...: the medians of three of that kernel's times, each in a process of its own, in $tmp/NAME.
watched() {
    name=$1
    shift
    # shellcheck disable=SC2086  # three sizes
    "$O/cpu_gemm" $shape --times 3 "$@" 2>/dev/null | sort -n | awk 'NR == 2 { print $1 }' >>"$tmp/$name"
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print NR ? (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 : 0 }'; }

began=$(now)
"$O/02_autotvm" --quiet --demo 1 --trials "$trials" --batch 8 --repeats "$repeats" --strategies random,annealing \
    --device "run:'$O/cpu_gemm' $shape $knobs" --log "$tmp/log" >/dev/null
seconds=$(say %.1f "$(now) - $began")

# The least of each tuning, random's first; and the configuration of AutoTVM's median repeat.
sed -n 's/^{"tuning":\([0-9]*\),.*"config":.\([0-9,]*\)],"measured_us":\([0-9.]*\),.*/\1 \3 \2/p' "$tmp/log" |
    awk '!($1 in best) || $2 < best[$1] { best[$1] = $2; row[$1] = $3 } END { for (t in best) print t, best[t], row[t] }' >"$tmp/best"
awk -v n="$repeats" '$1 < n { print $2 }' "$tmp/best" >"$tmp/random"
awk -v n="$repeats" '$1 >= n { print $2, $3 }' "$tmp/best" | sort -n >"$tmp/autotvm"
row=$(awk '{ row[NR] = $2 } END { print row[int((NR + 1) / 2)] }' "$tmp/autotvm")

# In turns, so that a drift of the machine is in both. OpenBLAS by the kernels that are fastest here.
for _ in 1 2 3 4 5; do
    watched tuned --watch "$row"
    watched blas blas --watch 1,0
    watched wide blas --watch 1,1
done
tuned=$(median "$tmp/tuned") blas=$(median "$tmp/blas") wide=$(median "$tmp/wide")
best_blas=$(say %s "($wide > 0 && $wide < $blas) ? $wide : $blas")
flop=$(echo "$shape" | awk '{ print 2e-3 * $1 * $2 * $3 }')

began=$(now)
"$O/02_autotvm" --quiet --demo 1 --trials 2000 --batch 64 --repeats 1 --strategies random \
    --device "run:exec sh tests/device.sh big" >/dev/null
door=$(say %.2f "($(now) - $began) * 1000 / 2000")

echo "C = A B, $shape, $trials trials, $repeats repeats; GFLOP/s"
say '  AutoTVM, its median repeat         %.1f' "$flop / $tuned"
if [ "$blas" = 0 ]; then
    echo '  OpenBLAS                           not installed'
else
    say '  OpenBLAS, one thread               %.1f' "$flop / $best_blas"
    say '  AutoTVM, %% of OpenBLAS             %.1f (at least 90)' "100 * $best_blas / $tuned"
fi
say '  AutoTVM over random, medians       %.3f (above 1)' "$(median "$tmp/random") / $(median "$tmp/autotvm")"
say '  trials a second                    %.2f (at least 2, on two idle cores)' "2 * $trials * $repeats / $seconds"
say '  the door, ms a trial               %s (under 5)' "\"$door\""
