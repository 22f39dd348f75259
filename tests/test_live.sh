#!/bin/sh
# test_live.sh - a device that is a process: tuned by, logged, gone on with, recorded; and whatever it does wrong costs a
# trial or ends the program with one line, and leaves no process behind (tests/device.sh does it wrong).
. "$(dirname "$0")/lib.sh"
program=02_autotvm

# run FAULT OPTION...: a tuning on that device. It ends when all that it started has ended: each holds descriptor 9
# (with hold=2, when the tuning has).
run() {
    fault=$1
    shift
    : "$("$O/$program" --quiet --demo "${demo:-1}" --device "run:exec sh tests/device.sh $fault" --trials 24 --batch 8 --repeats 1 \
        --strategies random --timeout "${timeout:-5}" "$@" 9>&${hold:-1} >"$tmp/out" 2>"$tmp/err"; echo $? >"$tmp/status")"
}
status() { [ "$(cat "$tmp/status")" = "$1" ] || { echo "exit status $(cat "$tmp/status"):"; cat "$tmp/err"; false; }; }
works() { run "$@"; status 0 && [ ! -s "$tmp/err" ] || { cat "$tmp/err"; false; }; }
same_table() { works "$@" && cmp "$tmp/out" "$tmp/good"; }
seconds() { date +%s; }

# errors LOG: "WORD A" of each failed trial, A its first knob; without_cost LOG: all but what a trial cost.
errors() { sed -n 's/.*"config":.\(-*[0-9]*\),.*"error":"\(.*\)"}$/\2 \1/p' "$1" | sort -u; }
without_cost() { sed 's/"seconds":[^,]*,//' "$1"; }

# ---- what works ----

works '' && cp "$tmp/out" "$tmp/good"
check "a tuning on a live device" test -s "$tmp/good"
check "says in whose words it is measured" grep -q 'compiler=cc 1; flags=-O3' "$tmp/good"
check "calls nothing the optimum" grep -q 'share of the best found' "$tmp/good"
check_not "and means it" grep -q 'of the optimum' "$tmp/good"
clock() { "$O/$program" --lang en --demo 1 --device "run:exec sh tests/device.sh" --trials 24 --repeats 1 2>&1 >/dev/null; }
check "how many trials, then how long they take" eval '[ "$(clock | sed "s/of .*/of/")" = "⏱ up to 96 trials; the first 8 tell how long they take
⏱ 96 trials of" ]'
check "answers in another order" same_table turned
check "with line ends of Windows" same_table "| while IFS= read -r line; do printf '%s\r\n' \"\$line\"; done"
check "three workers" same_table '' --workers 3
check "one that ends behind each answer" same_table once
check "one that ends at every third row" same_table third
no_leak() { (ulimit -n 32 && works crashes --trials 40 --workers 2); }
check "started again many times, with few descriptors" no_leak
demo=2,3 program=05_strategies
check "$program on a live device" works '' --strategies random,annealing
check_not "calls nothing the optimum" grep -q optimum "$tmp/out"
demo=1 program=02_autotvm
check "demos that need the whole space are passed over" sh -c "'$O/$program' --quiet --demo 2,3 --device 'run:exec sh tests/device.sh' | grep -c 'passed over' | grep -qx 2"
passed_over() { "$O/$1" --quiet $2 --device "run:exec sh tests/device.sh" >"$tmp/out" 2>"$tmp/err" && [ "$(grep -c 'passed over' "$tmp/out")" = "$3" ] && [ ! -s "$tmp/err" ]; }
while read -r name times options; do
    check "$name $options: passed over, $times times" passed_over $name "$options" $times
done <<END
01_landscape 5
01_landscape 1 --shape stencil
03_ansor 6
04_scheduler 4
05_strategies 3
exercises 3
END
two_at_once() {
    "$O/$program" --quiet --demo 1 --device "run:exec sh tests/device.sh" --trials 24 --batch 8 --repeats 1 --strategies random >"$tmp/other" &
    same_table '' && wait $! && cmp "$tmp/other" "$tmp/good"
}
check "two tuners at one time" two_at_once
check "a trial is measured once: a second strategy costs nothing" works '' --strategies random,random --record "$tmp/twice.tsv"
check "and is one row" [ "$(grep -c '^[0-9]' "$tmp/twice.tsv")" -eq "$(grep '^[0-9]' "$tmp/twice.tsv" | sort -u | wc -l)" ]

# ---- failures: each costs its trial and is no number ----

timeout=0.3
fails() { rm -f "$tmp/log"; works "$1" --log "$tmp/log" ${3:-} ${4:-} ${5:-} ${6:-} && errors "$tmp/log" >"$tmp/errors" && echo "$2" | tr , '\n' | diff - "$tmp/errors"; }
check "outcomes" fails fails 'compile 1,constraints 4,correctness 3,runtime 2'
check "all of their trials" [ "$(wc -l <"$tmp/log")" -eq 25 ]
check "one that hangs while it builds" fails builds 'timeout 1'
check "one that hangs while it runs" fails sleeps 'timeout 1'
timeout=1
check "beside one that is only slow" fails slower 'timeout 1,timeout 2,timeout 3' --workers 2 --trials 7
timeout=0.3
began=$(seconds)
check "one that hangs and has forked" fails forks 'timeout 1'
check "one that ignores TERM, too" fails stubborn 'timeout 1'
check "leave no process behind" [ $(($(seconds) - began)) -lt 30 ]

# ---- refused, in one line that says what it is; the log is kept ----

refused() {         # FAULT WORDS OPTION...
    faulty=$1 words=$2
    shift 2
    rm -f "$tmp/log"
    hold=2
    run "$faulty" --log "$tmp/log" "$@"
    hold=1
    status 2 && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "^$program: .*$words" "$tmp/err" || { cat "$tmp/err"; false; }
}
check "that nothing answers" refused gone 'ended (exit status 7) before it had answered Space'
check "one that ends at every row" refused dies 'ended (exit status 3) at 5 configurations in turn'
check "with its log, in which it is resumed" [ "$(wc -l <"$tmp/log")" -ge 1 ]
check "one that kills itself" refused kills 'ended (signal 9) at 5'
rm -f "$tmp/log"
check "but not one that ends at every row of one kind" works crashes --log "$tmp/log" --batch 16 --trials 16
check "of which there are many" [ "$(grep -c '"error":"runtime"' "$tmp/log")" -gt 5 ]
check "two answers" refused twice "said '.*,5,,,correct'; expected .* the row's one answer"
check "an answer too late" refused late "said '.*,5,,,correct'; expected a,b,c,time_us"
check "half a line" refused half 'ended (exit status 0) at 5'
for number in zero nan minus fast sd; do
    check "a number: $number" refused $number "; expected time_us of at least 0.001"
done
check "an unknown word" refused word "fine'; expected at its end correct, constraints"
check "running, then building" refused runs "said 'building .*; expected building and running at most once"
check "a row that was not asked for" refused stranger "said '9,9,9,5,,,correct'; expected .* a row of Request"
check "what is no text" refused escape "said '?\[31mred'"
check "zeros" refused zeros "said '???'"
check "a megabyte without a line's end" refused megabyte 'expected lines of less than 65536 bytes'
check "one that closes its stdout" refused shut 'ended (killed) at 5'
timeout=0.3
check "one that says nothing" refused silent 'no answer to Space for 0.3 s; --timeout allows more'
check "one that says nothing of any row" refused mute 'said nothing (killed) at 5' --batch 1
timeout=5
other() { run other --workers 2; status 2 && grep -q "worker 1 describes itself as 'node=1'; expected 'node=0'" "$tmp/err"; }
check "workers that differ" other

# ---- kill -9, and on ----

rm -f "$tmp/log"
slow() {
    "$O/$program" --quiet --demo 1 --device "run:exec sh tests/device.sh slow" --trials 24 --batch 8 --repeats 1 --strategies random \
        --workers 2 "$@"
}
killed() {          # by this signal, when the log has so many lines: it leaves no process and a log that resumes
    rm -f "$tmp/log" "$tmp/pid"
    : "$(sh -c 'echo $$ >"$0"; exec "$@"' "$tmp/pid" "$O/$program" --quiet --demo 1 --device "run:exec sh tests/device.sh $3" \
        --trials 24 --batch 8 --repeats 1 --strategies random --workers 2 --log "$tmp/log" 9>&1 >/dev/null 2>&1 &
        until [ "$(cat "$tmp/log" 2>/dev/null | wc -l)" -ge "$2" ] && [ -s "$tmp/pid" ]; do :; done; kill -"$1" "$(cat "$tmp/pid")" 2>/dev/null; seconds >"$tmp/began")"
    [ $(($(seconds) - $(cat "$tmp/began"))) -le 2 ] || return
    left=$(cat "$tmp/log" 2>/dev/null | wc -l)
    [ "$left" -gt 0 ] || return 0
    slow --resume "$tmp/log" >"$tmp/out" 2>"$tmp/err" && without_cost "$tmp/log" >"$tmp/resumed" &&
        cmp "$tmp/out" "$tmp/good" && cmp "$tmp/resumed" "$tmp/whole"
}
slow --log "$tmp/log" >/dev/null && without_cost "$tmp/log" >"$tmp/whole"
for lines in 0 2 12; do
    check "kill -9 at $lines lines" killed 9 $lines slow
done
check "an ordinary kill, as of Ctrl-C" killed TERM 4 slow
check "kill -9 while a trial hangs that has forked" killed 9 2 forks
check "or that ignores TERM" killed 9 2 stubborn
check "rows are in the log before their batch is done" [ $(((left - 1) % 8)) != 0 ]
cut_off() { printf '{"tuning":0,"work' >>"$tmp/log"; slow --resume "$tmp/log" >"$tmp/out" 2>"$tmp/err" && cmp "$tmp/out" "$tmp/good"; }
check "a last line that was cut off is dropped" cut_off
elsewhere() { COMPILER=2 slow --resume "$tmp/log" >"$tmp/out" 2>"$tmp/err"; [ $? = 2 ] && grep -q 'found "compiler":"cc 1"; expected "compiler":"cc 2"' "$tmp/err"; }
check "a log from another compiler is refused" elsewhere

# ---- what is recorded ----

check "--record" works fails --record "$tmp/record.tsv" --log "$tmp/log2"
is_recording() { "$O/$program" --quiet --demo 1 --device "$tmp/record.tsv" --trials 8 --repeats 1 >"$tmp/out"; }
check "is a recording" is_recording
recorded() { awk -F'\t' '/^[0-9]/ { print $1 "," $2 "," $3, ($4 + 0 ? $4 : "null") }' "$tmp/record.tsv" | sort >"$tmp/a"
    sed -n 's/.*"config":.\([^]]*\)],"measured_us":\([^,]*\),.*/\1 \2/p' "$tmp/log2" | sort >"$tmp/b"; cmp "$tmp/a" "$tmp/b"; }
check "of the log's times" recorded
exists() { run '' --record "$tmp/record.tsv"; status 2 && grep -q 'exists; expected the name of a new file' "$tmp/err"; }
check "a file that exists is refused" exists
read_only() { run '' --record "$tmp/none/record.tsv"; status 2 && grep -q -- '--record .*/none/record.tsv: ' "$tmp/err"; }
check "so is one that cannot be written" read_only
[ ! -c /dev/full ] || { full() { run '' --log /dev/full; status 2; }; check "and a full disk" full; }

# ---- in parts: README's own lines, on a cluster that is this machine ----

home=$tmp/cluster
mkdir -p "$home/bin" && ln -s "$O" "$home/build"
printf '#!/bin/sh\n[ "$1" != -o ] || shift 2\necho "$1" >>"$HOME/hosts"\nshift\n[ "$1" != -- ] || shift\nexport SHELL=/bin/sh; cd "$HOME" && exec sh -c "$*"\n' >"$home/bin/ssh"
printf '#!/bin/sh\nfor n in 1 2 3 4; do SLURM_ARRAY_TASK_ID=$n sh -c "${2#--wrap=}" & done\nwait\n' >"$home/bin/sbatch"
printf '#!/bin/sh\ncd "%s" && exec sh tests/device.sh\n' "$root" >"$home/blur"
chmod +x "$home"/bin/* "$home/blur"
small='--quiet --strategies random,genetic --trials 64 --repeats'
line() { sed -n "s/^ *\($1.*\)/\1/p" "$root/README${2:-}.md"; }
there() { (cd "$home" && export HOME="$home" PATH="$home/bin:$PATH" && eval "$(line "$1" | sed "s/--repeats 20/$small 4/")") >"$tmp/out" 2>"$tmp/err"; }
# shellcheck disable=SC2086
sweep() { "$O/$program" --demo 1 $small 4 "$@"; }
merged() {
    rm -f "$home"/*.jsonl
    there "$1 " && there 'build.*--log all' && cmp "$tmp/sweep" "$home/all.jsonl" && cmp "$tmp/out" "$tmp/table" || { cat "$tmp/err"; false; }
}
sweep --log "$tmp/sweep" >"$tmp/table"
for way in 'for k' sbatch parallel; do
    check "README has the same in both languages: $way" [ "$(line "$way ")" = "$(line "$way " .zh)" ]
    if [ "$way" != parallel ] || parallel --version 2>/dev/null | grep -q GNU; then
        check "parts by $way merge to one run" merged "$way"
    else
        skip "GNU parallel is not installed: parts on several hosts"
    fi
done
hosts() { rm -f "$home/hosts"; small='--quiet'; there 'build.*BatchMode'; [ "$(sort "$home/hosts" | paste -s -d ' ' -)" = 'node0 node1 node2 node3' ]; }
part=$home/part
lacks() { sweep --log "$tmp/merged" --resume "${part}3.jsonl,${part}1.jsonl" >"$tmp/again" && cmp "$tmp/sweep" "$tmp/merged"; }
check "a part that is missing is measured" lacks
commas() {
    rm "$tmp/merged"
    mv "${part}2.jsonl" "${part}2,of,4" && mv "${part}3.jsonl" "${part}3,of,4" &&
        sweep --log "$tmp/merged" --resume "${part}1.jsonl,${part}2,of,4,${part}3,of,4,${part}4.jsonl" >"$tmp/again" && cmp "$tmp/sweep" "$tmp/merged"
}
check "logs with commas in their names" commas
twice() { rm "$tmp/merged"; ! sweep --log "$tmp/merged" --resume "${part}1.jsonl,${part}1.jsonl" >"$tmp/again" 2>"$tmp/err" && grep -q "part1.jsonl:2: found" "$tmp/err"; }
check "a part that stands twice is refused" twice
check_not "and leaves no new log that would be in the way" [ -e "$tmp/merged" ]
check "README's command on four hosts" hosts

# ---- many trials ----

many() { (ulimit -v "$1" 2>/dev/null; works big --jobs 1 --trials 10000 --batch 64); }
case $O in *-san) memory=unlimited ;; *) memory=60000 ;; esac
began=$(seconds)
check "10,000 trials in bounded memory" many $memory
check "at less than 5 ms a trial" [ $(($(seconds) - began)) -lt 50 ]
excluded() { rm -f "$tmp/log"; works big_once --log "$tmp/log" && errors "$tmp/log" | grep -q . && ! errors "$tmp/log" | grep -v constraints; }
check "what Check excludes in a large space is not measured" excluded
finish
