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

# The fastest five of each tuning, random's first, are measured again, in turns, so that a drift of the machine is in all:
# who takes the least of many measurements was lucky, and the more good ones he measured, the luckier.
sed -n 's/^{"tuning":\([0-9]*\),.*"config":.\([0-9,]*\)],"measured_us":\([0-9.]*\),.*/\1 \3 \2/p' "$tmp/log" |
    sort -k1,1n -k2,2n | awk '++of[$1] <= 5' >"$tmp/finalists"
for _ in 1 2 3; do
    while read -r tuning _ row; do watched "$tuning,$row" --watch "$row" </dev/null; done <"$tmp/finalists"
    watched blas blas --watch 1,0   # by the kernels that are fastest here
    watched wide blas --watch 1,1
done
# A line a tuning: its winner as it was measured, that again, and the least of the five again.
while read -r tuning us row; do echo "$tuning $us $(median "$tmp/$tuning,$row")"; done <"$tmp/finalists" |
    awk '!($1 in us) { us[$1] = $2; least[$1] = again[$1] = $3 } $3 < least[$1] { least[$1] = $3 }
        END { for (t in us) print t, us[t], again[t], least[t] }' >"$tmp/winners"
# of STRATEGY COLUMN: the median of its tunings.
of() { awk -v n="$repeats" -v s="$1" -v c="$2" '($1 < n) == (s == "random") { print $c }' "$tmp/winners" >"$tmp/of"; median "$tmp/of"; }
tuned=$(of autotvm 4) blas=$(median "$tmp/blas") wide=$(median "$tmp/wide")
best_blas=$(say %s "($wide > 0 && $wide < $blas) ? $wide : $blas")
flop=$(echo "$shape" | awk '{ print 2e-3 * $1 * $2 * $3 }')

began=$(now)
"$O/02_autotvm" --quiet --demo 1 --trials 2000 --batch 64 --repeats 1 --strategies random \
    --device "run:exec sh tests/device.sh big" >/dev/null
door=$(say %.2f "($(now) - $began) * 1000 / 2000")

echo "C = A B, $shape, $trials trials, $repeats repeats; the fastest five measured again; GFLOP/s"
say '  AutoTVM, its best of five          %.1f' "$flop / $tuned"
if [ "$blas" = 0 ]; then
    echo '  OpenBLAS                           not installed'
else
    say '  OpenBLAS, one thread               %.1f' "$flop / $best_blas"
    say '  AutoTVM, %% of OpenBLAS             %.1f (at least 90)' "100 * $best_blas / $tuned"
fi
say '  AutoTVM over random, medians       %.3f (above 1)' "$(of random 4) / $tuned"
say '    by the winner alone, again       %.3f' "$(of random 3) / $(of autotvm 3)"
say '    by the winner as first measured  %.3f' "$(of random 2) / $(of autotvm 2)"
say '  trials a second                    %.2f (at least 2, on two idle cores)' "2 * $trials * $repeats / $seconds"
say '  the door, ms a trial               %s (under 5)' "\"$door\""
