#!/bin/sh
# test_expected.sh - EXPECTED.md and EXPECTED.zh.md are what the programs print; and the check that says so can fail.
. "$(dirname "$0")/lib.sh"
export O PROGRAMS
export OUTPUTS="$tmp/outputs"       # every program runs once, for all checks below
expected() { sh tests/expected.sh "$@"; }
quietly() { "$@" >"$tmp/said" 2>&1; }
says() { grep -q "$1" "$tmp/said" || { cat "$tmp/said"; false; }; }

check "the guides show what the programs print" expected check

# Guides of our own, so that the rest does not depend on the real ones: empty blocks, filled by update.
guides=$tmp/guides
mkdir "$guides"
for guide in EXPECTED.md EXPECTED.zh.md; do
    { echo "# Guide"; echo; echo '```sh'; echo "make demos"; echo '```'; echo; echo "The end."; } > "$guides/$guide"
done
check "update fills a guide without blocks" quietly expected update "$guides"
check "what update wrote passes the check" quietly expected check "$guides"
check "update keeps what stands between the blocks" grep -q '^The end\.$' "$guides/EXPECTED.md"
check "update leaves other fences alone" grep -q '^make demos$' "$guides/EXPECTED.md"

cp "$guides/EXPECTED.md" "$tmp/good"
cp "$guides/EXPECTED.zh.md" "$tmp/good.zh"
restore() { cp "$tmp/good" "$guides/EXPECTED.md"; cp "$tmp/good.zh" "$guides/EXPECTED.zh.md"; }

# mutate AWK-SCRIPT GUIDE: a good guide, changed.
mutate() {
    restore
    LC_ALL=C awk "$1" "$guides/$2" >"$tmp/mutated" && cp "$tmp/mutated" "$guides/$2"
}
# notices WHAT AWK-SCRIPT GUIDE MESSAGE: the check fails on a guide changed so, and says why.
notices() {
    mutate "$2" "$3"
    check_not "the check fails on $1" quietly expected check "$guides"
    check "and says: $4" says "$4"
}
digit='/^```/ { demo = /demo/; print; next } demo { sub(/[0-9]/, "#") } 1'
missing='/^```demo01.1$/ { gone = 1 } !gone; /^```$/ { gone = 0 }'
notices "a changed digit" "$digit" EXPECTED.md 'EXPECTED.md: block demo01.1 is not what is printed'
notices "a changed digit in Chinese" "$digit" EXPECTED.zh.md 'EXPECTED.zh.md: block demo01.1 is not what is printed'
notices "a line more at a block's start" '1; /^```demo/ { print "added" }' EXPECTED.md '^-added'
notices "a line more at its end" '/^```/ { if (demo) print "added"; demo = /demo/ } 1' EXPECTED.md '^-added'
notices "a missing block" "$missing" EXPECTED.md 'no block demo01.1'
notices "a block that no program prints" '{ sub(/demo01.1$/, "demo01.99") } 1' EXPECTED.md 'no program prints it'
notices "a block that stands there twice" '{ sub(/demo01.published$/, "demo01.1") } 1' EXPECTED.md 'stands there twice'

mutate "$digit" EXPECTED.md
check "update repairs a changed digit" quietly expected update "$guides"
check "to the same bytes" cmp "$tmp/good" "$guides/EXPECTED.md"
mutate "$missing" EXPECTED.md
check "update puts a missing block back" quietly expected update "$guides"
check "so that the check passes" quietly expected check "$guides"

restore
rm "$guides/EXPECTED.zh.md"
check_not "the check fails without a guide" quietly expected check "$guides"
check_not "the check fails without programs" quietly env O="$tmp" PROGRAMS= sh tests/expected.sh check "$guides"
finish
