#!/bin/sh
# test_live_guide.sh - EXPECTED.live.md shows what 06_live printed on the machine of data/cpu_gemm's logs: they are
# played back, and nothing is measured. And a log that is not the run's is noticed.
. "$(dirname "$0")/lib.sh"
play() { sh tests/replay.sh play "$1" "$O/live" --quiet --lang en --demo "$2" 2>"$tmp/err"; }
for log in search:2,3 claims:4 larger:5; do
    check "data/cpu_gemm/${log%:*}.txt" eval 'play "data/cpu_gemm/${log%:*}.txt" "${log#*:}" >>"$tmp/06_live.en"'
done
check "EXPECTED.live.md shows that" sh tests/expected.sh check EXPECTED.live.md "$tmp/06_live.en"
sed '/^[0-9]/s/,correct$/,runtime/; q' data/cpu_gemm/search.txt >"$tmp/cut"
check_not "a log that ends too soon is refused" play "$tmp/cut" 2,3
finish
