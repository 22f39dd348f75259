#!/bin/sh
# test_mine.sh - the program in README.md works as it stands there: `make mine` builds it and it finds a configuration.
. "$(dirname "$0")/lib.sh"
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' README.md >"$tmp/my.c"
if [ ! -s "$tmp/my.c" ]; then
    skip "README.md shows no program in C"
    finish
fi
mine() { make -s mine FILE="$1" O="$O" CC="${CC:-cc}" >"$tmp/said" 2>&1; }
check "make mine builds and runs README.md's program" mine "$tmp/my.c"
check "without a word too many" [ "$(wc -l <"$tmp/said")" -eq 1 ]
check "and it says how near the optimum it came" grep -qE '^[0-9]+\.[0-9] % of the optimum$' "$tmp/said"
check "in at most 20 lines" [ "$(wc -l <"$tmp/my.c")" -le 20 ]
check_not "make mine without a file fails" mine ''
check "and says what is missing" grep -q 'make mine FILE=my.c' "$tmp/said"
finish
