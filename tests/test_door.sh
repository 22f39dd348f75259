#!/bin/sh
# test_door.sh - only one door leads to the hardware. What searches or learns knows nothing of common/device/, neither a
# symbol (nm) nor a header (the compiler's own dependency list). What runs a tuning passes a device on to the measurer,
# which it pays, and asks it nothing itself.
. "$(dirname "$0")/lib.sh"

# calls_none OBJECT ALLOWED: it refers to no symbol of common/device/, but for one room's; else says to which.
calls_none() {
    awk -v object="$1:" -v allowed="$2" 'NR == FNR { if ($1 != allowed) theirs[$2]; next }
        $1 == object && $NF in theirs { print; used = 1 } END { exit used }' "$tmp/theirs" "$tmp/used"
}
includes_none() { ! grep 'common/device/.*\.h' "${1%.o}.d"; }
asks_none() { calls_none "$O/obj/common/$1.o" measurer && ! grep -n 'device *->' "common/$1.c"; }
if have nm; then
    nm -A -g "$O"/obj/common/device/*.o |           # "room symbol", a line for each that is defined there
        awk 'NF == 3 && $2 != "U" { sub(/.*\//, "", $1); sub(/\.o:.*/, "", $1); print $1, $3 }' >"$tmp/theirs"
    nm -A -u "$O"/obj/common/*.o "$O"/obj/common/*/*.o "$O"/obj/05_strategies/pool_*.o >"$tmp/used"
    for room in common/base common/space common/model common/search 05_strategies/pool_; do
        for source in $(ls $room/*.c $room*.c 2>/dev/null); do      # not of sources that are gone
            object=$O/obj/${source%.c}.o
            echo "$object: ${object%.o}.d"
        done >"$tmp/objects"
        behind() {
            awk 'FILENAME == ARGV[1] { theirs[$2]; next } FILENAME == ARGV[2] { object[$1]; next }
                 $1 in object && $NF in theirs { print; used = 1 } END { exit used }' "$tmp/theirs" "$tmp/objects" "$tmp/used" &&
                ! grep -n 'common/device/.*\.h' $(cut -d ' ' -f 2 "$tmp/objects")
        }
        check "$room knows no device" behind
    done
    for room in tuning finalists trial_log; do
        check "$room asks the measurer alone" asks_none $room
    done
    # The check can fail: these ask a device, and it must notice.
    check_not "the measurer is seen to" includes_none "$O/obj/common/device/measurer.o"
    check_not "the judge is seen to" asks_none judge
    check_not "tuning is seen to use the measurer" calls_none "$O/obj/common/tuning.o" -
    # And each half of it alone can: a symbol without its header, a header without a symbol.
    echo 'void device_close(void *); void peek(void); void peek(void) { device_close(0); }' >"$tmp/symbol.c"
    echo '#include "device/measurer.h"' >"$tmp/header.c"
    for half in symbol header; do
        # shellcheck disable=SC2086  # CC may be more than one word
        check "$half.c compiles" ${CC:-cc} -Icommon -MMD -c "$tmp/$half.c" -o "$tmp/$half.o"
        nm -A -u "$tmp/$half.o" >"$tmp/used"
        echo "$tmp/$half.o: $tmp/$half.d" >"$tmp/objects"
        check_not "a forbidden $half alone is seen" behind
    done
else
    skip "nm is not installed: whether tuners see a device is not tested"
fi
finish
