#!/bin/sh
# device.sh [FAULT]: a live device (common/device/live.h) of 320 configurations that measures nothing, and with a fault
# misbehaves as test_live.sh wants. `rows` counts those of this life.
fault=${1:-}
rows=0 IFS=,

space() {
    printf 'device=made up\ncompiler=cc %s\nflags=-O3\nkernel=none\nworkload=stencil\n' "${COMPILER:-1}"
    [ "$fault" = other ] && echo "node=$WORKER"
    [ "${fault#big}" != "$fault" ] && many=$(i=9; while [ $i -lt 3000 ]; do printf ,$i; i=$((i + 1)); done)
    printf "a:1,2,3,4,5,6,7,8${many:-}\nb:1,2,4,8,16,32,64,128\nc:-1,0,1,2,3\n\n"
}
answer() { echo "$a,$b,$c,$1"; }

good() {
    echo "building $a,$b,$c"
    echo "running $a,$b,$c"
    answer "$(((a - 5) * (a - 5) * 3 + (b > 16 ? b - 16 : 16 - b) + c + 10)).5,0.1,0.01,correct"
}

row() {
    rows=$((rows + 1))
    case $fault in
    third) [ $rows = 3 ] && echo "running $a,$b,$c" && exit 3; good ;;
    dies) exit 3 ;;
    crashes) [ $((a % 2)) = 1 ] && echo "running $a,$b,$c" && exit 3; good ;;
    kills) echo "building $a,$b,$c"; kill -9 $$ ;;
    builds) [ "$a" = 1 ] && echo "building $a,$b,$c" && sleep 60; good ;;
    sleeps) [ "$a" = 1 ] && echo "running $a,$b,$c" && sleep 60; good ;;
    forks) sleep 77 & [ "$a" = 1 ] && exec sleep 60; good ;;
    stubborn) trap '' TERM; [ "$a" = 1 ] && echo "running $a,$b,$c" && sleep 60; good ;;
    slower) trap '' TERM; echo "running $a,$b,$c"; [ "$a" -lt 4 ] && sleep 60; sleep 0.5; answer 5,,,correct ;;
    mute) sleep 60 ;;
    shut) exec >&-; sleep 60 ;;
    twice) good; answer 5,,,correct ;;
    half) printf '%s' "$a,$b"; exit ;;
    zero) answer 0,,,correct ;;
    nan) answer nan,,,correct ;;
    minus) answer -3,,,correct ;;
    fast) answer 0.0001,,,correct ;;
    sd) answer 5,-1,,correct ;;
    word) answer 5,,,fine ;;
    runs) echo "running $a,$b,$c"; echo "building $a,$b,$c" ;;
    stranger) echo "9,9,9,5,,,correct" ;;
    escape) printf '\033[31mred\n' ;;
    megabyte) head -c 1048576 /dev/zero | tr '\0' x ;;
    zeros) printf '\0\0\0\n' ;;
    fails) case $a in 1) answer ,,0.1,compile ;; 2) answer ,,,runtime ;; 3) answer nan,,,correctness ;; 4) answer ,,,constraints ;; *) good ;; esac ;;
    late) good; [ $rows = "$count" ] && sleep 0.05 && answer 5,,,correct ;;
    once) good; [ $rows = "$count" ] && exit ;;
    big_once) [ $((a * b)) -gt 256 ] && exit 9; good; [ $rows = "$count" ] && exit ;;
    slow) sleep 0.02; good ;;
    *) good ;;
    esac
}

[ "$fault" = silent ] && exec sleep 60
[ "$fault" = gone ] && exit 7
IFS=' '
while read -r word count; do
    case $word in
    Space) space; continue ;;
    Check) tail=invalidity ;;
    *) tail=time_us,sd_us,compile_s,invalidity ;;
    esac
    read -r header
    echo "$header,$tail"
    [ "$fault" = turned ] && back= n=0
    n=$count IFS=,
    while [ "$n" -gt 0 ] && read -r a b c; do
        n=$((n - 1))
        if [ $word = Check ]; then
            [ $((a * b)) -gt 256 ] && answer constraints || answer correct
        elif [ "$fault" = turned ]; then
            back="$a $b $c;$back"
        else
            row
        fi
    done
    if [ "$fault" = turned ] && [ $word = Request ]; then
        IFS=';'
        for line in $back; do IFS=' '; set -- $line; a=$1 b=$2 c=$3; good; IFS=';'; done
    fi
    IFS=' '
done
