#!/bin/sh
# test_live_devices.sh - what stands behind the door: cpu_gemm, any.sh and record.py --serve, asked as a tuner does
# (common/device/live.h). Kernels are compiled without optimisation, on tiny matrices: this is about what is said.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$tmp/files"
mkdir "$TMPDIR"
cpu_gemm=$O/cpu_gemm names=MR,NR,KC,MC,NC,UNROLL,PACK,ORDER,AHEAD
gemm() { "$cpu_gemm" "$@" --flags -O0 2>"$tmp/err"; }

# question WORD HEADER ROW...: as it stands on a device's stdin.
question() {
    printf '%s %d\n%s\n' "$1" $(($# - 2)) "$2"
    shift 2
    printf '%s\n' "$@"
}
# answers_to QUESTION-FILE: an answer to Request on stdin has its header, each row once, and behind it what may be;
# building and running come before. Says what is wrong.
answers_to() {
    awk -F , '
        function bad(why) { print "answer, line " FNR ": " why ": " $0; failed = 1; exit }
        { row = $0 }
        NR == FNR { if (FNR == 2) header = $0; if (FNR > 2) { asked[$0]; knobs = NF; rows++ } next }
        FNR == 1 { if ($0 != header ",time_us,sd_us,compile_s,invalidity") bad("header"); next }
        sub(/^building /, "", row) { if (!(row in asked) || built[row]++) bad("not asked for, or twice"); next }
        sub(/^running /, "", row) { if (!built[row] || ran[row]++) bad("not built, or twice"); next }
        NF != knobs + 4 { bad("cells") }
        {
            row = $1
            for (k = 2; k <= knobs; k++) row = row "," $k
            if (!(row in asked) || done[row]++) bad("not asked for, or twice")
            if ($NF !~ /^(correct|constraints|compile|runtime|timeout|correctness)$/) bad("word")
            if (($NF == "correct") != ($(knobs + 1) > 0)) bad("time")
            if ($NF == "correct" && !ran[row]) bad("never ran")
            if ($NF == "correct" && !($(knobs + 2) >= 0 && $(knobs + 3) >= 0)) bad("spread or compile time")
            answers++
        }
        END {
            if (!failed && answers != rows) { print answers + 0 " of " rows " answers"; failed = 1 }
            exit failed
        }' "$1" -
}
# request DEVICE-COMMAND... -- HEADER ROW...: asks, checks the form, and leaves the answer in $tmp/answer.
request() {
    device=$1
    shift
    question Request "$@" >"$tmp/question"
    $device <"$tmp/question" >"$tmp/answer" || return
    answers_to "$tmp/question" <"$tmp/answer"
}
outcomes() {
    sed '1d; /^building/d; /^running/d; s/.*,//' "$tmp/answer" | sort | uniq -c | awk '{ print $1, $2 }' | paste -s -d , -
}
ends_with() { [ "$(outcomes)" = "$1" ] || { outcomes; cat "$tmp/answer"; cat "$tmp/err"; false; }; }

# ---- cpu_gemm ----

space_of() { echo Space | gemm "$@"; }
vector=$(space_of 8 8 8 | sed -n 's/^NR:\([0-9]*\).*/\1/p')
check "it says how many floats a vector has" [ "${vector:-0}" -ge 4 ]
space_of 64 48 40 >"$tmp/space"
for key in device compiler flags kernel workload; do
    check "its space has a line $key=" grep -q "^$key=." "$tmp/space"
done
check "and nine knobs" [ "$(grep -c '^[A-Z]*:[0-9,]*$' "$tmp/space")" -eq 9 ]
check "and ends with an empty line" [ -z "$(tail -n 1 "$tmp/space")" ]
check "of blocks as large as the matrix there is one" grep -qx 'KC:32,64' "$tmp/space"
full() { echo Space | "$cpu_gemm" 8 8 8 --flags -O0 "$@" >/dev/full 2>"$tmp/err"; [ $? = 2 ] && grep -q '^cpu_gemm: stdout' "$tmp/err"; }
[ ! -c /dev/full ] || { check "a full disk" full; check "a kernel on it" full --print "1,$vector,32,24,64,1,0,0,0"; }
check "KNOB=VALUE keeps some" eval 'space_of 64 48 40 MR=4,6 | grep -qx MR:4,6'
space_of 64 48 40 NC=256,512 KC=32,512 >"$tmp/space"
check "a block larger than the matrix is one as large" [ "$(grep -cx -e NC:64 -e KC:32,64 "$tmp/space")" -eq 2 ]
count() { space_of "$@" | awk -F '[:,]' 'BEGIN { n = 1 } /:/ { n *= NF - 1 } END { print n }'; }
check "some 10,000,000 configurations at 512 x 512 x 512" [ "$(count 512 512 512)" -ge 10000000 ]
check "not many more" [ "$(count 512 512 512)" -le 15000000 ]

good=4,$vector,32,24,64,2,3,0,8
question Check $names $good "14,$((4 * vector)),32,24,64,2,3,0,8" 4,3,32,24,64,2,3,0,8 |
    gemm 64 48 40 >"$tmp/answer"
check "Check builds nothing and says what is excluded" ends_with '2 constraints,1 correct'

# Every loop order and packing, on sizes that nothing divides; tiles larger than the matrix; blocks that end in one.
tile=$((2 * vector))
check "edges: 53 x 47 x 41" request "gemm 53 47 41" $names "4,$vector,32,24,64,2,0,0,0" "5,$tile,32,24,64,4,1,1,4" \
    "7,$vector,32,48,64,8,2,2,8" "3,$tile,64,24,64,1,3,3,16" "10,$vector,32,24,64,4,0,4,0" \
    "5,$vector,64,72,64,2,3,5,0"
check "are right" ends_with '6 correct'
check "1 x 1 x 1" request "gemm 1 1 1" $names "4,$vector,32,24,64,2,0,0,0" "5,$tile,32,24,64,4,3,1,4"
check "is right" ends_with '2 correct'
check "1 x 200 x 3" request "gemm 1 200 3" $names "4,$vector,32,24,64,2,0,5,4" "5,$tile,32,24,128,4,2,3,4"
check "is right" ends_with '2 correct'
check "three loops" request "gemm 20 30 40 naive" ORDER 0 3 5
check "are right" ends_with '3 correct'
kernel() { gemm 64 48 40 --print "$good"; }
check "a kernel is printed" eval 'kernel | grep -q "^void gemm"'
check "and is C" eval 'kernel >"$tmp/kernel.c" && ${CC:-cc} -c "$tmp/kernel.c" -o "$tmp/kernel.o"'

while read -r fault outcome limit; do
    check "fault $fault" request "gemm 40 64 100 --fault $fault --limit $limit" $names $good
    check "is caught: $outcome" ends_with "1 $outcome"
done <<END
half correctness 20
past correctness 20
add correctness 20
skip correctness 20
once correctness 20
crash runtime 20
hang timeout 1
text compile 20
END
check "one left out of 2,600 products, for one number" request "gemm 1 1 2600 --fault skip" $names $good
check "is caught" ends_with '1 correctness'

printf 'Space\nSpace\n' | gemm 8 8 8 >"$tmp/answer"
check "it answers twice, then ends" [ "$(grep -c '^device=' "$tmp/answer")" -eq 2 ]
refuses() {
    word=$1
    shift
    if printf "$1" | (shift; gemm "$@") >/dev/null; then return 1; fi
    [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "$word" "$tmp/err" || { cat "$tmp/err"; false; }
}
check "an unknown question is refused" refuses 'Space, Check N or Request N' 'Hello\n' 8 8 8
check "another header" refuses 'expected the header' 'Check 1\nA,B\n1,2\n' 8 8 8
check "a row too short" refuses 'row 1 of 1' "Check 1\n$names\n1,2\n" 8 8 8
check "an end within a question" refuses 'row 2 of 2' "Check 2\n$names\n1,2,3,4,5,6,7,8,9\n" 8 8 8
check "a size of 0" refuses 'a number from 1 to' '' 0 8 8
check "an unknown knob" refuses 'KNOB=VALUE' '' 8 8 8 XX=1
no_compiler() { CC=false refuses 'does not compile' '' 8 8 8; }
check "a compiler that is none" no_compiler

question Request $names $good >"$tmp/question"
"$cpu_gemm" 64 48 40 --flags -O0 --fault hang <"$tmp/question" >"$tmp/answer" 2>&1 &
device=$!
tries=100
while ! grep -q running "$tmp/answer" && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
check "while it works there are files" eval 'ls "$TMPDIR"/cpu_gemm.*/*.so >/dev/null'
kill $device
wait $device
check "a signal ends it" [ $? -eq 143 ]
check "and none of its files is left, nor of any other" [ "$(ls "$TMPDIR")" = cpu_gemm.lock ]

# By the time that all hold no descriptor 9 any more, the device is gone, too.
tuner_ended_by() {
    log=$tmp/log.$1 tries=600
    while [ "$(cat "$log" 2>/dev/null | wc -l)" -lt 2 ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done && kill -"$1" "$(cat "$tmp/pid")" &
    : "$(exec 2>/dev/null; sh -c 'echo $$ >"$0"; exec "$@"' "$tmp/pid" "$O/02_autotvm" --quiet --demo 1 --repeats 1 --batch 8 \
        --strategies random --device "run:'$cpu_gemm' 64 64 64 --flags -O0; :" --log "$log" 9>&1 >/dev/null; :)"
    wait
    [ "$(wc -l <"$log")" -ge 2 ] && [ "$(wc -l <"$log")" -lt 1025 ] && [ "$(ls "$TMPDIR")" = cpu_gemm.lock ]
}
if [ "$(sh -c 'kill -INT $$; echo ignored' 2>/dev/null)" ]; then # by what runs the tests, and so by all that they run
    skip "SIGINT is ignored here: what is left after a Ctrl-C of the tuner"
else
    check "nor after a Ctrl-C of the tuner" tuner_ended_by INT
fi
check "nor after kill -9 of the tuner" tuner_ended_by KILL
request_one() { "$cpu_gemm" 64 48 40 --flags -O0 <"$tmp/question" >"$tmp/answer.$1" 2>/dev/null; }
request_one 1 & request_one 2
wait
check "two at a time both answer" [ "$(grep -c ',correct$' "$tmp/answer.1" "$tmp/answer.2" | grep -c ':1$')" -eq 2 ]

# ---- any.sh ----

any() { sh 06_live/any.sh LEVEL=-O0,-O1,-Obad N=8,2,100 rule '[ $N -lt 50 ]' \
    build "\${CC:-cc} \$LEVEL -o '$tmp/any' '$tmp/any.c'" \
    check '[ $LEVEL$N != -O12 ]' runs 4 run "'$tmp/any' \$N" 2>"$tmp/err"; }
printf '#include <stdio.h>\nint main(int n, char **v) { return n < 2 || printf("0.00%%s\\n", v[1]) < 0; }\n' \
    >"$tmp/any.c"
check "any command's space" eval '[ "$(echo Space | any | grep :)" = "LEVEL:0,1,2
N:2,8,100" ]'
check "any command" request any LEVEL,N 0,2 0,8 1,2 2,2 0,100 7,2
check "ends in each way" ends_with '1 compile,2 constraints,2 correct,1 correctness'
check "its seconds are the last line" grep -q '^0,8,8000.000,0.000,' "$tmp/answer"
question Check LEVEL,N 0,2 0,100 | any >"$tmp/answer"
check "Check asks its rule" ends_with '1 constraints,1 correct'
own_names() { sh 06_live/any.sh row=1,2 runs=5,7 left=3 run 'echo 0.00$row$runs$left'; }
check "knobs with the names of its own variables" request own_names row,runs,left 1,5,3 2,7,3
check "are the commands' alone" grep -q '^2,7,3,2730.000,' "$tmp/answer"
by_clock() { sh 06_live/any.sh S=1,2 run 'sleep 0.$S; [ $S = 1 ]'; }
check "the clock" request by_clock S 1 2
check "and a failure" ends_with '1 correct,1 runtime'
check "are seen" awk -F, '/correct$/ { seen = $2 >= 100000 && $2 < 3000000 } END { exit !seen }' "$tmp/answer"

# ---- record.py ----

# Its compiler prints to stdout, as Triton does where ptxas refuses the code.
record() {
    python3 -S -c 'import sys; sys.path.insert(0, "data/record"); sys.argv[1:] = ["--serve", "decode_qkv", "--dry-run"]
import record; measure = record.MadeUp.measure
record.MadeUp.measure = lambda self, config: print("\n==== ptxas fatal") or measure(self, config)
record.main()' 2>"$tmp/err"
}
if have python3; then
    export PYTHONDONTWRITEBYTECODE=1
    check "record.py says its shape" eval 'echo Space | record | grep -qx "workload=decode_qkv 16x12288x4096"'
    check "it is asked" request record BLOCK_M,BLOCK_N,BLOCK_K,num_warps,num_stages,GROUP_M,SPLIT_K 64,64,32,4,3,8,1 256,256,32,1,3,8,1 256,256,64,8,7,8,1
    check "in the words by which a tuner knows what each means" grep -q '^BLOCK_M,.*,SPLIT_K,time_us' "$tmp/answer"
    check "and answers" ends_with '1 compile,1 constraints,1 correct'
else
    skip "record.py --serve: python3 is not installed"
fi
finish
