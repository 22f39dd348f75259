#!/bin/sh
# expected.sh check|update [FOLDER]: holds EXPECTED.md, EXPECTED.zh.md and EXPECTED.h200.md in FOLDER (default: the
# project) to what the programs print; the last one to what they print of the recording of an H200.
#
# A fenced block opened by ```demo01.2 holds exactly what demo 2 of program 01 prints, ```exercises.1 exercise 1,
# ```claims.1 table 1 of claims; ```demo01.published a closing table. check shows every difference and exits 1. update rewrites the contents of the blocks, nothing else in the
# guide; a block that is wanted but not there is put at the end, for its author to move to where it belongs.
#
# GUIDES=h200: that guide alone. O: the build folder. PROGRAMS: names of the programs; all in O if not given. OUTPUTS: a folder that keeps what the
# programs print from one call to the next (tests use it: they call often).
set -u
usage='usage: expected.sh check|update [FOLDER]'
verb=${1:-}
folder=$(cd "${2:-$(dirname "$0")/..}" && pwd) || exit 2
. "$(dirname "$0")/lib.sh"
outputs=${OUTPUTS:-$tmp/outputs}
wrong=0
complain() { echo "$*"; wrong=1; }

# The tags of a guide's blocks: demo01.1 demo01.2 ...
guide_blocks() { LC_ALL=C sed -n 's/^```\([a-z][a-z]*[0-9]*\.[a-z0-9][a-z0-9]*\) *$/\1/p' "$1"; }

tag() { case $1 in [0-9]*) echo "demo${1%%_*}" ;; *) echo "$1" ;; esac; }

# Splits stdin, what program $1 printed, into one file a block in folder $2. A block runs from its heading to the blank
# line before the next; what stands before the first heading becomes block 0, which no guide has.
split_output() {
    LC_ALL=C awk -v to="$2/$(tag "$1")" '
        function heading(line, word, rest) {
            if (index(line, word) != 1) return ""
            rest = substr(line, length(word) + 1)
            return match(rest, /^[0-9]+  /) ? substr(rest, 1, RLENGTH - 2) : ""
        }
        BEGIN { block = to ".0"; split("Demo |演示 |Exercise |练习 |Table |表 ", words, "|") }
        {
            n = ""
            for (w in words) if (n == "") n = heading($0, words[w])
            if ($0 == "Published and here" || $0 == "讲义与这里") n = "published"
            if (n != "") { block = to "." n; blank = 0 }
            if ($0 == "") { blank++; next }
            for (; blank > 0; blank--) print "" > block
            print > block
        }'
}

# Everything that the programs $4 print with the options $3, split into blocks in folder $2; $1 names the run.
print_blocks() {
    mkdir -p "$outputs" "$2"
    for program in $4; do
        said=$outputs/$program.$1
        if [ ! -f "$said" ]; then
            # shellcheck disable=SC2086  # $3 is several words
            "$O/$program" $3 --quiet > "$said.part" || complain "$program $3: exit status $?"
            mv "$said.part" "$said"
        fi
        split_output "$program" "$2" < "$said"
    done
}

# The guide $1 with the contents of its blocks from folder $2; a block without a file there stays as it is.
rewritten() {
    LC_ALL=C awk -v from="$2" '
        /^```/ && !inside {
            print
            inside = 1
            replaced = 0
            block = substr($0, 4)
            sub(/ +$/, "", block)
            if (block ~ /^[a-z]+[0-9]*\.[a-z0-9]+$/)
                while ((getline line < (from "/" block)) > 0) { print line; replaced = 1 }
            next
        }
        /^```/ { inside = replaced = 0 }
        !replaced' "$1"
}

# The blocks of guide $1 as they stand, one file each in folder $2. A tag used twice is an error.
read_blocks() {
    mkdir -p "$2"
    for block in $(guide_blocks "$1" | sort | uniq -d); do
        complain "$1: block $block stands there twice"
    done
    for block in $(guide_blocks "$1"); do : > "$2/$block"; done
    LC_ALL=C awk -v to="$2" '
        /^```/ { block = inside ? "" : substr($0, 4); sub(/ +$/, "", block); inside = !inside; next }
        inside && block ~ /^[a-z]+[0-9]*\.[a-z0-9]+$/ { print > (to "/" block) }' "$1"
}

# handle NAME GUIDE OPTIONS PROGRAMS [some]: with "some" the guide shows what it likes of what is printed, else all.
handle() {
    here=$tmp/here.$1 there=$tmp/there.$1
    if [ ! -f "$2" ]; then
        complain "$2: not found; the guide is written by hand, with empty blocks such as \`\`\`demo01.1"
        return
    fi
    print_blocks "$1" "$here" "$3" "$4"
    read_blocks "$2" "$there"
    if [ "${5:-}" = some ]; then
        for block in $(cd "$here" && ls); do [ -f "$there/$block" ] || rm "$here/$block"; done
    fi
    if [ "$verb" = update ]; then
        for block in $(cd "$here" && ls); do
            [ -f "$there/$block" ] && continue
            echo "${2##*/}: $block was missing and now stands at the end"
            printf '\n```%s\n```\n' "$block" >> "$tmp/more.$1"
        done
        cat "$2" "$tmp/more.$1" 2>/dev/null > "$tmp/guide.$1"
        rewritten "$tmp/guide.$1" "$here" > "$2.part" && mv "$2.part" "$2"
        read_blocks "$2" "$there"
    fi
    for block in $(cd "$here" && ls; cd "$there" && ls); do echo "$block"; done | sort -u > "$tmp/blocks.$1"
    while read -r block; do
        if [ ! -f "$there/$block" ]; then
            complain "${2##*/}: no block $block, but it is printed; make expected adds it"
        elif [ ! -f "$here/$block" ]; then
            complain "${2##*/}: block $block, but no program prints it"
        elif ! diff -u "$there/$block" "$here/$block" > "$tmp/diff"; then
            complain "${2##*/}: block $block is not what is printed (make expected rewrites it):"
            sed "1s|.*|--- ${2##*/} $block|; 2s|.*|+++ printed now|" "$tmp/diff"
        fi
    done < "$tmp/blocks.$1"
}

case $verb in
check | update) ;;
*) echo "$usage" >&2; exit 2 ;;
esac
[ -n "$PROGRAMS" ] || { echo "no programs in $O: make builds them" >&2; exit 2; }
others=
[ -x "$O/exercises" ] && others=exercises
if [ "${GUIDES:-all}" = all ]; then
    handle en "$folder/EXPECTED.md" "--lang en" "$PROGRAMS $others"
    handle zh "$folder/EXPECTED.zh.md" "--lang zh" "$PROGRAMS $others"
fi
if [ -f "$folder/EXPECTED.h200.md" ]; then
    handle h200 "$folder/EXPECTED.h200.md" "--lang en --device data/h200_matmul.tsv" "claims 01_landscape 05_strategies" some
fi
exit $wrong
