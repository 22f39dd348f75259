#!/bin/sh
# test_mine.sh - the program in README.md works as it stands there: `make mine` built it, and it found a configuration.
. "$(dirname "$0")/lib.sh"
mine=$O/out/mine        # see check.mk
check "README.md shows a program" [ -s "$mine.c" ]
check "in at most 20 lines" [ "$(wc -l <"$mine.c")" -le 20 ]
check "it says how near the optimum it came" grep -qE '^[0-9]+\.[0-9] % of the optimum$' "$mine"
check "and nothing else, nor does the compiler" [ "$(wc -l <"$mine")" -eq 1 ]
finish
