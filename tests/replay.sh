#!/bin/sh
# replay.sh record|play LOG PROGRAM OPTION...: runs a program that looks for cpu_gemm beside itself (06_live), and writes
# down what each cpu_gemm that it started said; or plays that back, on any machine, byte for byte.
#
# A log has a section an invocation, in the order of their starts: "$ arguments", then what it printed. Of a dialogue
# (common/device/live.h) there are the answer to Space, Check's as run lengths, in the order of asking (12+ 3-: 12
# correct, 3 excluded), and Request's rows, without the words before them.
set -eu

# play SECTION ARGUMENTS
play() {
    case $2 in *--*) sed 1d "$1"; return ;; esac
    from=0
    while read -r word count; do
        case $word in
        Space) sed -n '2,/^$/p' "$1" ;;
        Check)
            head -n $((count + 1)) | awk -v from=$from '
                NR == FNR { if (/^[0-9]+[+-]/) for (n = split($0, part, " "); i < n;) run[++runs] = part[++i]; i = 0; next }
                FNR == 1 { print $0 ",invalidity"; next }
                {
                    from++
                    while (at < runs && end < from) end += run[++at] + 0
                    print $0 "," (run[at] ~ /-/ ? "constraints" : "correct")
                }' "$1" -
            from=$((from + count)) ;;
        Request)
            head -n $((count + 1)) | awk -F , '
                NR == FNR && knobs && NF > knobs {
                    row = $1
                    for (k = 2; k <= knobs; k++) row = row "," $k
                    answer[row] = $0
                }
                NR == FNR {
                    if (/^[A-Z]+:[0-9]/) all++
                    if (/^$/) knobs = all
                    next
                }
                { print FNR == 1 ? $0 ",time_us,sd_us,compile_s,invalidity" : answer[$0] }' "$1" - ;;
        esac
    done
}
if [ "$1" = device ]; then # stands where cpu_gemm does; arguments: what, log, cpu_gemm, folder, its arguments
    what=$2 log=$3 cpu_gemm=$4 folder=$5
    shift 5
    set -- "$folder"/[0-9]* -- "$@" # so many before this one
    n=1
    while [ "$1" != -- ]; do [ -d "$1" ] && n=$((n + 1)); shift; done
    shift
    mkdir "$folder/$n"
    if [ "$what" = play ]; then
        awk -v n="$n" '/^\$ / { here = ++sections == n } here' "$log" >"$folder/$n/log"
        if [ "$(head -n 1 "$folder/$n/log")" != "\$ $*" ]; then
            echo "replay.sh: asked for $*; the log has $(head -n 1 "$folder/$n/log")" >&2
            exit 2
        fi
        play "$folder/$n/log" "$*"
        exit
    fi
    echo "\$ $*" >"$folder/$n/log"
    "$cpu_gemm" "$@" | tee "$folder/$n/said"
    awk '
        function close_run() { if (count) printf "%s%d%s", first++ ? " " : "", count, sign; count = 0 }
        /^building |^running |,time_us,/ { next }
        /,invalidity$/ { checks = 1; next }
        checks && /^[0-9,]*,(correct|constraints)$/ && !/\.[0-9]/ {
            is = /correct$/ ? "+" : "-"
            if (is != sign) close_run()
            sign = is
            count++
            next
        }
        count { close_run(); print ""; checks = first = 0 }
        { print }
        END { if (count) { close_run(); print "" } }' "$folder/$n/said" >>"$folder/$n/log"
    rm "$folder/$n/said"
    exit
fi
what=$1 log=$2 program=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd) beside=$(cd "$(dirname "$program")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $log in /*) ;; *) log=$PWD/$log ;; esac
printf '#!/bin/sh\nexec sh "%s/replay.sh" device %s "%s" "%s/cpu_gemm" "%s" "$@"\n' "$here" "$what" "$log" "$beside" "$folder" \
    >"$folder/cpu_gemm"
chmod +x "$folder/cpu_gemm"
ln -s "$beside/${program##*/}" "$folder/program"
"$folder/program" "$@"
if [ "$what" = record ]; then
    sleep 1 # until the last has written what it heard
    n=0
    while [ -f "$folder/$((n += 1))/log" ]; do cat "$folder/$n/log"; done >"$log"
fi
