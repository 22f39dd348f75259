#!/bin/sh
# test_door.sh - only one door leads to the hardware. What searches or learns asks the measurer and pays; it refers to
# no device, neither by a symbol (nm) nor by a header (the compiler's own dependency list).
. "$(dirname "$0")/lib.sh"

# Everything in common/ is behind the door but these: the devices, the door itself, and what judges results for the demos.
before_the_door='device hypogpu recorded recording measurer triton experiment program'

forbidden_symbol='^_?(hypogpu|recorded|device|landscape)_'
forbidden_header='common/(hypogpu|recorded|device)\.h'

# Succeeds if the object refers to nothing that is forbidden; else prints what it refers to.
behind_the_door() {
    ! { nm -u "$1" | awk '{ print $NF }' | grep -E "$forbidden_symbol"
        tr -s ' \\' '\n\n' < "${1%.o}.d" | grep -E "$forbidden_header"; } | sort -u | grep .
}

if have nm; then
    for object in "$O"/obj/common/*.o "$O"/obj/common/*/*.o; do
        room=${object#"$O/obj/common/"}
        room=${room%.o}
        [ -f "common/$room.c" ] || continue         # nothing there, or left over from a deleted source
        case " $before_the_door " in
        *" $room "*) ;;
        *) check "$room sees no device" behind_the_door "$object" ;;
        esac
    done
    # The check can fail: these two are allowed to see one, and it must notice.
    check_not "program is seen to use a device" behind_the_door "$O/obj/common/program.o"
    check_not "measurer is seen to use a device" behind_the_door "$O/obj/common/measurer.o"
    # And each half of it alone can: a symbol without its header, a header without a symbol.
    echo 'void device_close(void *); void peek(void); void peek(void) { device_close(0); }' > "$tmp/symbol.c"
    echo '#include "device.h"' > "$tmp/header.c"
    for half in symbol header; do
        # shellcheck disable=SC2086  # CC may be more than one word
        check "$half.c compiles" ${CC:-cc} -Icommon -MMD -c "$tmp/$half.c" -o "$tmp/$half.o"
        check_not "a forbidden $half alone is seen" behind_the_door "$tmp/$half.o"
    done
else
    skip "nm is not installed: whether tuners see a device is not tested"
fi
finish
