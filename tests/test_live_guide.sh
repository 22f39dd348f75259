#!/bin/sh
# test_live_guide.sh - EXPECTED.live.md and EXPECTED.live.zh.md show what 06_live printed on the machine of
# data/cpu_gemm's logs: they are played back, and nothing is measured. And a log that is not the run's is noticed.
. "$(dirname "$0")/lib.sh"
check "EXPECTED.live.md shows it" sh tests/expected.sh check EXPECTED.live.md "$O/out/06_live.en"
check "so does EXPECTED.live.zh.md" sh tests/expected.sh check EXPECTED.live.zh.md "$O/out/06_live.zh"
# The guides' words about kernels.tsv.
command=$(grep '^build/02_autotvm.*kernels.tsv' EXPECTED.live.md)
$O/${command#build/} --quiet --lang en >"$tmp/finalists"
says() { tail -n 8 "$tmp/finalists" | grep -q "^  matmul: $1  *$2  *$3 "; }
check "AutoTVM's choice was luckier" says AutoTVM 97.2 99.6
check "than random's" says Random 97.5 98.6
for word in '97[.]5.*97[.]2' '99[.]6.*98[.]6' "^$command\$"; do check "in Chinese, too: $word" grep -q -e "$word" EXPECTED.live.zh.md; done
check "and in English" eval "tr '\n' ' ' <EXPECTED.live.md | grep -q '97[.]5 % on average.*97[.]2 %.*99[.]6 %,.random at 98[.]6'"
check_not "a log of another run is refused" sh tests/replay.sh play data/cpu_gemm/larger.txt "$O/live" --quiet --demo 4 2>"$tmp/err"
check "in one line" grep -q "replay.sh: asked for 256 256 256" "$tmp/err"
finish
