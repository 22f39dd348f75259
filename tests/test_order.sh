#!/bin/sh
# test_order.sh - includes go one way only, and name the folder:
#     base <- space <- { model <- search, device } <- tuning <- trial_log <- experiment <- report <- demos
. "$(dirname "$0")/lib.sh"

# out_of_order FOLDER: every include that stands against the order, in the tree at FOLDER.
out_of_order() {
    (cd "$1" && grep -n '^ *# *include "' common/*.[ch] common/*/*.[ch]) | awk -F'[:"]' '
        BEGIN {
            room = "base space model search device tuning finalists trial_log trial_line experiment judge report"
            sees["base"] = "base"
            sees["space"] = "base space"
            sees["model"] = "base space model"
            sees["search"] = "base space model search"
            sees["device"] = "base space device"
            sees["tuning"] = "base space model search device tuning"
            sees["finalists"] = sees["tuning"]
            sees["trial_log"] = sees["trial_line"] = sees["tuning"] " trial_log trial_line"
            sees["experiment"] = sees["judge"] = sees["trial_log"] " experiment judge"
            sees["report"] = sees["experiment"] " report"
            generated["plots.h"] = generated["tuning.h"]
        }
        function room_of(path) { sub(/^common\//, "", path); sub(/[.\/].*/, "", path); return path }
        {
            from = room_of($1); to = room_of($4)
            if ($4 == "plots.h" && from == "report") next           # generated
            if (!index(" " sees[from] " ", " " to " ")) print $1 ":" $2 ": " from " may not see " $4
            seen++
        }
        END { if (seen < 50) print "only " seen + 0 " includes" }'
}
in_order() { ! out_of_order "$1" | grep .; }
demos_see_no_demo() { ! grep -n '^ *# *include "[0-9]' 0*/*.[ch] 0*/*/*.[ch] | grep .; }

check "includes go one way" in_order .
check "and no room includes a demo's header" demos_see_no_demo

# It can fail. seeded FILE INCLUDE: notices this include there.
seeded() {
    rm -rf "$tmp/tree" && mkdir "$tmp/tree" && cp -R common "$tmp/tree/" && echo "#include \"$2\"" >>"$tmp/tree/common/$1"
    out_of_order "$tmp/tree" | grep "$1.*may not see $2" >/dev/null
}
check "a search that includes a device is seen" seeded search/random.c device/hypogpu.h
check "a model that includes a search" seeded model/features.h search/strategy.h
check "a device that includes a model" seeded device/device.h model/features.h
check "a space that includes tuning.h" seeded space/space.c tuning.h
check "an experiment that prints" seeded experiment.c report/table.h
check "a file without its folder" seeded base/rng.c stats.h
finish
