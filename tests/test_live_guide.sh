#!/bin/sh
# test_live_guide.sh - EXPECTED.live.md and EXPECTED.live.zh.md show what 06_live printed on the machine of
# data/cpu_gemm's logs: they are played back, and nothing is measured. And a log that is not the run's is noticed.
. "$(dirname "$0")/lib.sh"
check "EXPECTED.live.md shows it" sh tests/expected.sh check EXPECTED.live.md "$O/out/06_live.en"
check "so does EXPECTED.live.zh.md" sh tests/expected.sh check EXPECTED.live.zh.md "$O/out/06_live.zh"
check_not "a log of another run is refused" sh tests/replay.sh play data/cpu_gemm/larger.txt "$O/live" --quiet --demo 4 2>"$tmp/err"
check "in one line" grep -q "replay.sh: asked for 256 256 256" "$tmp/err"
finish
