#!/bin/sh
# any.sh - any command as a device (common/device/live.h has the dialogue).
#
#   sh any.sh KNOB=VALUE,VALUE,... ... [rule TEST] [build COMMAND] [check COMMAND] run COMMAND [runs N]
#
# Each COMMAND is a line for the shell, which finds the knobs as environment variables. If the last line that `run`
# prints is a number, these are its seconds; otherwise the clock is read. A configuration for which `rule` fails is
# excluded, one for which `check` fails is wrong. Values that are no integers are numbered from 0 for the tuner.
set -u
die() { echo "any.sh: $*" >&2; exit 2; }
now() { date +%s.%N; }
names='' knobs='' settings='' rule='' build='' check='' run='' runs=3

while [ $# -gt 0 ]; do
    case $1 in
    rule | build | check | run | runs)
        [ $# -gt 1 ] || die "$1: expected something behind it"
        eval "$1=\$2"
        shift
        ;;
    [A-Za-z_]*=?*)
        name=${1%%=*} list=$(printf '%s\n' "${1#*=}" | tr , '\n')
        case $name in *[!A-Za-z0-9_]*) die "$1: expected a name of letters, digits and _" ;; esac
        if printf '%s\n' "$list" | grep -qv '^[0-9]\{1,9\}$'; then
            numbers=$(printf '%s\n' "$list" | awk '{ print NR - 1 }')
        else
            list=$(printf '%s\n' "$list" | sort -n -u) numbers=$list
        fi
        names="$names $name" settings="$settings $name=\"\$value_$name\""
        knobs="$knobs$name:$(printf '%s\n' "$numbers" | paste -s -d , -)
"
        eval "words_$name=\$list numbers_$name=\$numbers"
        ;;
    *) die "$1: expected KNOB=VALUE,..., rule, build, check, run or runs" ;;
    esac
    shift
done
[ "$run" ] && [ "$names" ] || die 'expected at least one KNOB=VALUE,... and run COMMAND'
case $runs in [1-9] | [1-9][0-9]) ;; *) die "runs $runs: expected a number from 1 to 99" ;; esac
header=$(echo $names | tr ' ' ,)

# Sets the knobs to a row's values; fails if it is none of ours, or excluded.
set_knobs() {
    left=$1,
    for name in $names; do
        number=${left%%,*} left=${left#*,}
        eval "line=\$(printf '%s\n' \"\$numbers_$name\" | grep -nx -e \"\$number\")" || return 1
        eval "value_$name=\$(printf '%s\n' \"\$words_$name\" | sed -n \"\${line%%:*}p\")"
    done
    [ -z "$left" ] && { [ -z "$rule" ] || shell "$rule" >&2; }
}
# The knobs are in its environment and in no variable here: one may be called `rows`. stdin and stdout are the tuner's.
shell() { eval "env $settings sh -c \"\$1\"" </dev/null; }

# Seconds of one run, or nothing if it failed or took no time.
seconds() {
    begin=$(now)
    said=$(shell "$run") || return
    printf '%s\n' "$said" | awk -v took="$(echo "$begin $(now)" | awk '{ printf "%.9f", $2 - $1 }')" '
        { last = $1; words = NF }
        END {
            s = words == 1 && last ~ /^[0-9.]+([eE][-+]?[0-9]+)?$/ ? last : took
            if (s + 0 >= 1e-9) print s
            else print "any.sh: run said " s " s: expected at least 1e-9, what a clock can tell" >"/dev/stderr"
        }'
}

# "time_us,sd_us,compile_s,invalidity" of the knobs as they are set.
measure() {
    begin=$(now)
    echo "building $row" >&3
    [ -z "$build" ] || shell "$build" >&2 || { echo ,,,compile; return; }
    built=$(now)
    echo "running $row" >&3
    [ -z "$check" ] || shell "$check" >&2 || { echo ,,,correctness; return; }
    times=''
    while [ "$(echo $times | wc -w)" -lt "$runs" ]; do
        took=$(seconds)
        [ "$took" ] || { echo ,,,runtime; return; }
        times="$times $took"
    done
    echo "$begin $built" $times | awk '{ n = NF - 2; for (i = 3; i <= NF; i++) sum += $i
        for (i = 3; i <= NF; i++) squares += ($i - sum / n) ^ 2
        error = (n > 1) ? sqrt(squares / (n - 1) / n) : 0
        printf "%.3f,%.3f,%.3f,correct\n", 1e6 * sum / n, 1e6 * error, $2 - $1 }'
}

about() {
    echo "device=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1 | grep . || uname -sm)"
    echo "compiler=$(${CC:-cc} --version 2>/dev/null | head -n 1)"
    printf 'flags=\nkernel=%s\nworkload=command\n' "$(echo "$build $check $run" | cksum | cut -d ' ' -f 1)"
}

exec 3>&1 # measure's output is an answer; what it says meanwhile goes here
while read -r word rows; do
    case $word in
    Space) about && printf '%s\n' "$knobs" ;;
    Check | Request)
        read -r asked
        [ "$asked" = "$header" ] || die "'$asked': expected the header $header"
        echo "$header,$([ $word = Check ] || echo time_us,sd_us,compile_s,)invalidity"
        while [ "$rows" -gt 0 ] && read -r row; do
            rows=$((rows - 1))
            if ! set_knobs "$row"; then
                echo "$row,$([ $word = Check ] || echo ,,,)constraints"
            elif [ $word = Check ]; then
                echo "$row,correct"
            else
                answer=$(measure)
                echo "$row,$answer"
            fi
        done
        ;;
    *) die "'$word': expected Space, Check N or Request N" ;;
    esac
done
