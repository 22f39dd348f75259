#!/bin/sh
# test_live_guide.sh - EXPECTED.live.md shows what 06_live printed on the machine of data/cpu_gemm's logs: they are
# played back, and nothing is measured. And a log that is not the run's is noticed.
. "$(dirname "$0")/lib.sh"
play() { sh tests/replay.sh play "$1" "$O/live" --quiet --demo "$2" --lang "${3:-en}" 2>>"$tmp/err"; }
play data/cpu_gemm/search.txt 2,3 >"$tmp/1" &
play data/cpu_gemm/claims.txt 4 >"$tmp/2" &
play data/cpu_gemm/larger.txt 5 >"$tmp/3" &
wait
cat "$tmp/1" "$tmp/2" "$tmp/3" >"$tmp/06_live.en"
check "EXPECTED.live.md shows it" sh tests/expected.sh check EXPECTED.live.md "$tmp/06_live.en"
check "in Chinese, too" eval 'play data/cpu_gemm/larger.txt 5 zh | grep -q 只挑'
check_not "a log of another run is refused" play data/cpu_gemm/larger.txt 4
check "in one line" grep -q "replay.sh: asked for 256 256 256" "$tmp/err"
finish
