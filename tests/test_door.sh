#!/bin/sh
# test_door.sh - only one door leads to the hardware. What searches or learns knows no device, neither by a symbol (nm)
# nor by a header (the compiler's own dependency list); what runs a tuning asks the measurer and pays.
. "$(dirname "$0")/lib.sh"

# knows_no_device OBJECT ALLOWED: it refers to nothing of common/device/, but for one allowed room; else says to what.
knows_no_device() {
    nm -u "$1" | awk '{ print $NF }' >"$tmp/used"
    ! { sed "/^$2 /d; s/.* //" "$tmp/theirs" | grep -Fx -f - "$tmp/used"
        tr -s ' \\' '\n\n' <"${1%.o}.d" | grep 'common/device/.*\.h$' | grep -v "/$2\.h$"; } | sort -u | grep .
}

if have nm; then
    for object in "$O"/obj/common/device/*.o; do    # "room symbol", a line for each that is defined there
        room=${object##*/}
        nm -g "$object" | awk -v room="${room%.o}" 'NF == 3 { print room, $3 }'
    done >"$tmp/theirs"
    cd "$O/obj/common" || exit 1
    rooms=$(find base space model search ./*.o -name '*.o')
    cd "$root" || exit 1
    for room in $rooms; do
        room=${room#./}
        [ -f "common/${room%.o}.c" ] || continue    # left over from a deleted source
        case $room in
        experiment.o) ;;                            # judges results, for the demos
        */*) check "${room%.o} sees no device" knows_no_device "$O/obj/common/$room" - ;;
        *) check "${room%.o} sees no device" knows_no_device "$O/obj/common/$room" measurer ;;
        esac
    done
    # The check can fail: the measurer itself asks a device, and so does what judges.
    check_not "measurer is seen to use a device" knows_no_device "$O/obj/common/device/measurer.o" measurer
    check_not "experiment is seen to use a device" knows_no_device "$O/obj/common/experiment.o" measurer
    # And each half of it alone can: a symbol without its header, a header without a symbol.
    echo 'void device_close(void *); void peek(void); void peek(void) { device_close(0); }' >"$tmp/symbol.c"
    echo '#include "device/hypogpu.h"' >"$tmp/header.c"
    echo '#include "device/measurer.h"' >"$tmp/door.c"
    for half in symbol header door; do
        # shellcheck disable=SC2086  # CC may be more than one word
        check "$half.c compiles" ${CC:-cc} -Icommon -MMD -c "$tmp/$half.c" -o "$tmp/$half.o"
    done
    check_not "a forbidden symbol alone is seen" knows_no_device "$tmp/symbol.o" measurer
    check_not "a forbidden header alone is seen" knows_no_device "$tmp/header.o" measurer
    check_not "where not even the door is allowed, it is seen" knows_no_device "$tmp/door.o" -
else
    skip "nm is not installed: whether tuners see a device is not tested"
fi
finish
