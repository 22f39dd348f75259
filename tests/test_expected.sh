#!/bin/sh
# test_expected.sh - the guides show what the programs print; and the check that says so can fail. FULL=1: all of the
# Chinese guide and of the H200's two, else what takes no time.
. "$(dirname "$0")/lib.sh"
expected() { sh tests/expected.sh "$@"; }
quietly() { "$@" >"$tmp/said" 2>&1; }
says() { grep -q "$1" "$tmp/said" || { cat "$tmp/said"; false; }; }
# of KIND: what all programs print.
of() { for program in $PROGRAMS exercises; do echo "$O/out/$program.$1"; done; }

# shellcheck disable=SC2046,SC2086  # names of files
if [ -n "${FULL:-}" ]; then
    check "EXPECTED.zh.md shows what is printed" expected check EXPECTED.zh.md $(of zh)
    check "EXPECTED.h200.md shows what is printed" expected check EXPECTED.h200.md "$O"/out/*.h200
    check "EXPECTED.h200.zh.md shows what is printed" expected check EXPECTED.h200.zh.md "$O"/out/*.h200zh
else
    check "EXPECTED.zh.md shows what is printed, in part" expected compare EXPECTED.zh.md $(of part)
    check "EXPECTED.h200.md shows what is printed, in part" expected compare EXPECTED.h200.md $O/out/01_landscape.h200
    check "EXPECTED.h200.zh.md, too" expected compare EXPECTED.h200.zh.md $O/out/01_landscape.h200zh
fi
check "EXPECTED.md shows what is printed" expected check EXPECTED.md $(of en) ${FULL:+"$O/out/slow02.en"}

# The tables of the Chinese guide hold the numbers of the English one, also where it was not printed just now.
numbers() {
    LC_ALL=C awk '/^```/ { inside = !inside; if (inside) print; next }
        inside {
            for (sub(/^ +/, ""); match($0, /  -?[0-9]+\.[0-9]+(  |$)/); $0 = substr($0, RSTART + 2)) {
                cell = substr($0, RSTART + 2)
                sub(/ .*/, "", cell)
                print cell
            }
        }' "$1"
}
numbers EXPECTED.md >"$tmp/en"
numbers EXPECTED.zh.md >"$tmp/zh"
check "both guides show the same numbers" diff "$tmp/en" "$tmp/zh"
same_numbers() { numbers EXPECTED.h200.md >"$tmp/h200" && numbers EXPECTED.h200.zh.md | diff "$tmp/h200" -; }
check "so do the H200's" same_numbers
check "and they are many" test "$(wc -l <"$tmp/en")" -gt 1000

# indexed GUIDE: its index names every block, in some order, and each has its place to jump to.
indexed() {
    sed -n 's/^```\([a-z]*[0-9]*\.[a-z0-9]*\)$/\1/p' "$1" | sort >"$tmp/blocks"
    grep -o '](#[^)]*)' "$1" | sed 's/](#//; s/)$//' | sort -u >"$tmp/links"
    grep -o '<a id="[^"]*">' "$1" | sed 's/.*="//; s/">//' | sort >"$tmp/places"
    diff "$tmp/blocks" "$tmp/links" && diff "$tmp/links" "$tmp/places"
}
for each in EXPECTED.md EXPECTED.zh.md; do check "$each has an index of all blocks" indexed $each; done

# A guide and outputs of our own.
printf 'Welcome.\n\nDemo 1  One\n\n  a  1\n\nDemo 12  Twelve\n\n  b  2\n\nPublished and here\n\n  c  3\n' >"$tmp/01_one.en"
printf 'Exercise 1  Yes\n\n  d  4\n' >"$tmp/exercises.en"
sed '1,2d; s/^Demo/演示/; s/^Published and here/讲义与本程序/' "$tmp/01_one.en" >"$tmp/01_one.zh"
sed -i.bak '1,2d' "$tmp/01_one.en"
guide=$tmp/EXPECTED.md
of_ours() { verb=$1; shift; quietly expected "$verb" "$guide" "$tmp/01_one.${1:-en}" "$tmp/exercises.en"; }
printf '# Guide\n\n```sh\nmake demos\n```\n\nThe end.\n' >"$guide"
check "update fills a guide without blocks" of_ours update
check "what update wrote passes the check" of_ours check
check "and all of it was written" [ "$(grep -c '^```[de]' "$guide")" = 4 ]
check "update keeps what stands between the blocks" grep -q '^The end\.$' "$guide"
check "update leaves other fences alone" grep -q '^make demos$' "$guide"
check "compare says that all is well" of_ours compare
check "and how much" says 'All 4 blocks are as EXPECTED.md shows them'
cp "$guide" "$tmp/good"
check_not "the check fails on another language" of_ours check zh
check "and shows the heading that differs" says '^+演示 12'

# mutate AWK-SCRIPT: the good guide, changed. notices WHAT AWK-SCRIPT MESSAGE: the check fails on it and says why.
mutate() { LC_ALL=C awk "$1" "$tmp/good" >"$guide"; }
notices() {
    mutate "$2"
    check_not "the check fails on $1" of_ours check
    check "and says: $3" says "$3"
}
digit='/^```/ { demo = /demo/; print; next } demo { sub(/[0-9]/, "#") } 1'
missing='/^```demo01.1$/ { gone = 1 } !gone; /^```$/ { gone = 0 }'
notices "a line more at a block's start" '1; /^```demo/ { print "added" }' '^-added'
notices "a line more at its end" '/^```/ { if (demo) print "added"; demo = /demo/ } 1' '^-added'
notices "a block that stands there twice" '{ sub(/demo01.published$/, "demo01.1") } 1' 'stands there twice'
notices "a block that no program prints" '{ sub(/demo01.1$/, "demo01.99") } 1' 'no program prints it'
notices "a missing block" "$missing" 'no block demo01.1'
check "which compare passes over" of_ours compare
check "update puts it back" of_ours update
check "so that the check passes" of_ours check
notices "a changed digit" "$digit" 'EXPECTED.md: block demo01.1 is not what is printed'
check_not "compare notices that, too" of_ours compare
check "update repairs it" of_ours update
check "to the same bytes" cmp "$tmp/good" "$guide"
printf '```contest.6\nslow\n```\n' >>"$guide"
cp "$tmp/01_one.en" "$tmp/01_one.h200"
check "a guide may hold more than was run" of_ours check
check "also a real GPU's" quietly expected check "$guide" "$tmp/01_one.h200" "$tmp/exercises.en"
printf 'Demo 7  Seven\n' >"$tmp/01_one.en"
check_not "compare fails if nothing was compared" quietly expected compare "$guide" "$tmp/01_one.en"
rm "$guide"
check_not "the check fails without a guide" of_ours check
check_not "and without outputs" quietly expected check EXPECTED.md
finish
