#!/bin/sh
# test_door.sh - only one door leads to the hardware. What searches or learns knows nothing of common/device/, neither a
# symbol (nm) nor a header (the compiler's own dependency list). What runs a tuning passes a device on to the measurer,
# which it pays, and asks it nothing itself.
. "$(dirname "$0")/lib.sh"

# calls_none OBJECT ALLOWED: it refers to no symbol of common/device/, but for one room's; else says to which.
calls_none() {
    nm -u "$1" | awk -v allowed="$2" 'NR == FNR { if ($1 != allowed) theirs[$2]; next }
                                      $NF in theirs { print; used = 1 } END { exit used }' "$tmp/theirs" -
}
includes_none() { ! grep 'common/device/.*\.h' "${1%.o}.d"; }
knows_none() { calls_none "$1" - && includes_none "$1"; }
asks_none() { calls_none "$O/obj/common/$1.o" measurer && ! grep -n 'device *->' "common/$1.c"; }

if have nm; then
    for object in "$O"/obj/common/device/*.o; do    # "room symbol", a line for each that is defined there
        room=${object##*/}
        nm -g "$object" | awk -v room="${room%.o}" 'NF == 3 { print room, $3 }'
    done >"$tmp/theirs"
    for source in common/base/*.c common/space/*.c common/model/*.c common/search/*.c; do
        check "$source knows no device" knows_none "$O/obj/${source%.c}.o"
    done
    for room in tuning trial_log; do
        check "$room asks the measurer alone" asks_none $room
    done
    # The check can fail: these ask a device, and it must notice.
    check_not "the measurer is seen to" knows_none "$O/obj/common/device/measurer.o"
    check_not "the judge is seen to" asks_none judge
    check_not "tuning is seen to use the measurer" calls_none "$O/obj/common/tuning.o" -
    # And each half of it alone can: a symbol without its header, a header without a symbol.
    echo 'void device_close(void *); void peek(void); void peek(void) { device_close(0); }' >"$tmp/symbol.c"
    echo '#include "device/measurer.h"' >"$tmp/header.c"
    for half in symbol header; do
        # shellcheck disable=SC2086  # CC may be more than one word
        check "$half.c compiles" ${CC:-cc} -Icommon -MMD -c "$tmp/$half.c" -o "$tmp/$half.o"
        check_not "a forbidden $half alone is seen" knows_none "$tmp/$half.o"
    done
else
    skip "nm is not installed: whether tuners see a device is not tested"
fi
finish
