#!/bin/sh
# test_assignment.sh - the assignment can be solved, the skeleton is judged as what it is, and each broken promise is named.
. "$(dirname "$0")/lib.sh"
# The flags of the make that runs this test stay: others would build all anew.
judge() { make -s assignment "$@" ARGS="--lang en --quiet --repeats 8" >"$tmp/out" 2>&1; }
row() { grep -qE "^  $1 +$2 " "$tmp/out"; }

mkdir "$tmp/of mine"
cp tests/solution.c "$tmp/of mine/"
check "a solution passes" judge FILE="$tmp/of mine/solution.c"
check_not "with nothing that does not hold" grep -qE ' no( |$)' "$tmp/out"
check_not "the skeleton does not" judge
check "because it asks for nothing" row 'goes on until .*' no
check "what is well kept is said, too" row 'never asks for one twice' yes
fault=0
for promise in 'asks for legal' 'never asks for one twice' 'never asks for more' 'goes on until' 'asks the same'; do
    fault=$((fault + 1))
    (echo "#define FAULT $fault" && cat tests/solution.c) >"$tmp/solution.c"
    check_not "fault $fault fails" judge FILE="$tmp/solution.c"
    check "and is named: $promise" row "$promise.*" no
done
finish
