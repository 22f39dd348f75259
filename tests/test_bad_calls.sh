#!/bin/sh
# test_bad_calls.sh - every option of every program with every kind of bad value, and pairs of runs on one log. FULL=1:
# all of some 1,600 calls and 200 pairs; else a sample.
. "$(dirname "$0")/lib.sh"
every=16 pairs=5
[ -z "${FULL:-}" ] || every=1 pairs=200
file=$tmp/file
echo text >"$file"
mkdir "$tmp/empty" && cd "$tmp/empty" || exit 1
calls=0 tried=0 wrong=0

# Status 2, nothing on stdout, one line of at most 300 bytes on stderr that a terminal can show.
refused() {
    "$O/$program" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    [ $? = 2 ] && [ ! -s "$tmp/out" ] && LC_ALL=C awk -v most=$((${#program} + 302)) '
        length > most || /[\001-\037\177]|\302[\200-\237]|\342\200[\250-\256]/ || !/: ./ { bad = 1 }
        END { exit bad || NR != 1 }' "$tmp/err"
}

# call ARGUMENT...: is it one of the sample, and refused?
call() {
    calls=$((calls + 1))
    [ $((calls % every)) = 0 ] || return 0
    tried=$((tried + 1))
    refused "$@" || { wrong=$((wrong + 1)); echo "$program $*: status, stdout or stderr:"; cat "$tmp/err"; }
}

long=$(awk 'BEGIN { while (n++ < 500) printf "中" }')
hostile=$(printf 'a\nb\033[31m\302\233\342\200\256\377`touch pwned`')
bad_values() {      # OPTION: calls with each
    for value in '' x - -1 +1 1.5 1e3 0x10 ' 1' '1 ' 99999999999999999999 '1,' '%s%n' / "$long" "$hostile"; do
        case $1 in
        --figures | --log | --resume) call "$1" "$file/$value" ;;
        *) call "$1" "$value" ;;
        esac
    done
}

options_of() { "$O/$program" --lang en --help | sed -n 's/^  \(--.*\)/\1/p'; }
for program in $PROGRAMS claims exercises; do
    options_of >"$tmp/options"
    while read -r option argument rest; do
        case $argument in
        [A-Z]*[A-Z\]] | N | M*\|NAME | en\|zh | text\|* | auto\|*) bad_values "$option"; call "$option" ;;
        *) for value in '' yes 0 "$long" "$hostile"; do call "$option=$value"; done ;;
        esac
        case "$argument $rest" in
        *"(demo"*)  # a demo in which it does not count
            for demo in 1 2 3 4 5; do
                case ${rest##*(demo} in *$demo*) continue ;; esac
                case $argument in
                N) call --demo $demo "$option" 8 ;;
                [A-Z]*) call --demo $demo "$option" decode ;;
                *) call --demo $demo "$option" ;;
                esac
            done ;;
        esac
    done <"$tmp/options"
    for value in '' x - -x --x -- "$long" "$hostile" "--$long" "--$hostile" "-$hostile"; do
        call --quiet "$value" extra
        [ "$value" = -- ] || call "$value"
    done
    call --demo 0,1
    call --plot-terminal --format md
    call --color always --format tsv
done
check "$tried of $calls bad calls: each is refused in one line" [ "$wrong" = 0 ]
cd "$root" || exit 1
check "and leaves no file" rmdir "$tmp/empty"

logs() { "$O/02_autotvm" --quiet --strategies random --trials 64 --repeats 2 "$@" >/dev/null 2>"$tmp/err$1"; }
pair() {            # one starts a log while the other goes on with it
    rm -f "$tmp/log"
    logs --log "$tmp/log" &
    logs --resume "$tmp/log"
    second=$?
    wait $!
    first=$?
    [ "$first$second" != 22 ] && case $first$second in [02][02]) cmp "$tmp/log" "$tmp/whole" ;; *) false ;; esac
}
all_pairs() { for pair in $(awk -v n=$pairs 'BEGIN { while (i < n) print ++i }'); do pair || return; done; }
logs --log "$tmp/whole"
check "$pairs pairs of runs on one log: it is whole" all_pairs
finish
