#!/bin/sh
# expected.sh check|compare|update GUIDE OUTPUT...: holds a reading guide, such as EXPECTED.md, to what the programs print.
#
# An OUTPUT is a file PROGRAM.KIND (01_landscape.en) that holds what the program printed. A fenced block of the guide opened
# by ```demo01.2 holds exactly what demo 2 of program 01 prints, ```exercises.1 exercise 1, ```claims.1 table 1 of claims;
# ```demo01.published a closing table. check shows every difference and exits 1. compare does not mind what only one side
# has. update rewrites the contents of the blocks, nothing else in the guide; a block that is wanted but not there is put at
# the end, for its author to move to where it belongs. Of h200 outputs, a guide shows what it likes. Blocks of a
# program that was not run stay as they are.
set -eu
export LC_ALL=C
usage='usage: expected.sh check|compare|update GUIDE OUTPUT...'
[ $# -gt 2 ] || { echo "$usage" >&2; exit 2; }
verb=$1 guide=$2 name=${2##*/}
shift 2
case $verb in check | compare | update) ;; *) echo "$usage" >&2; exit 2 ;; esac
[ -f "$guide" ] || { echo "$guide: not found; it is written by hand, with empty blocks such as \`\`\`demo01.1" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
here=$tmp/here there=$tmp/there
mkdir "$here" "$there"
wrong=0
complain() { echo "$name: $*"; wrong=1; }

# Splits what the program with this tag printed, on stdin, into one file a block. A block runs from its heading to the
# blank line before the next; what stands before the first heading becomes block 0, which no guide has.
split_output() {
    awk -v to="$here/$1" '
        function heading(line, word, rest) {
            if (index(line, word) != 1) return ""
            rest = substr(line, length(word) + 1)
            return rest ~ /^[0-9]+(  |：)/ ? rest + 0 : ""
        }
        BEGIN { block = to ".0"; split("Demo |演示 |Exercise |练习 |Table |表 ", words, "|") }
        {
            n = ""
            for (w in words) if (n == "") n = heading($0, words[w])
            if ($0 == "Published and here" || $0 == "讲义与本程序") n = "published"
            if (n != "") { block = to "." n; blank = 0 }
            if ($0 == "") { blank++; next }
            for (; blank > 0; blank--) print "" > block
            print > block
        }'
}

# The guide's blocks as they stand, one file each. A tag used twice is an error.
read_guide() {
    awk -v to="$there/" '
        /^```/ {
            inside = !inside
            block = inside ? substr($0, 4) : ""
            sub(/ +$/, "", block)
            if (block !~ /^[a-z]+[0-9]*\.[a-z0-9]+$/) block = ""
            if (block != "") { if (seen[block]++) print block; printf "" > (to block) }
            next
        }
        block != "" { print > (to block) }' "$guide"
}

# The guide with the contents of its blocks as printed; a block that is not printed stays as it is.
rewritten() {
    awk -v from="$here/" '
        /^```/ && !inside {
            print
            inside = 1
            replaced = 0
            block = substr($0, 4)
            sub(/ +$/, "", block)
            if (block ~ /^[a-z]+[0-9]*\.[a-z0-9]+$/)
                while ((getline line < (from block)) > 0) { print line; replaced = 1 }
            next
        }
        /^```/ { inside = replaced = 0 }
        !replaced' "$1"
}

tags=' ' choosy=
for output in "$@"; do
    program=${output##*/}
    case $program in [0-9]*) tag=demo${program%%_*} ;; *) tag=${program%%.*} ;; esac
    case $program in *.h200 | *.h200zh) choosy=yes ;; esac
    tags="$tags$tag "
    split_output "$tag" <"$output"
done
for block in $(read_guide); do complain "block $block stands there twice"; done
if [ "$choosy" ]; then
    for block in $(cd "$here" && ls); do [ -f "$there/$block" ] || rm "$here/$block"; done
fi

if [ "$verb" = update ]; then
    cp "$guide" "$tmp/guide"
    for block in $(cd "$here" && ls); do
        [ -f "$there/$block" ] && continue
        echo "$name: $block was missing and now stands at the end"
        printf '\n```%s\n```\n' "$block" >>"$tmp/guide"
    done
    rewritten "$tmp/guide" >"$guide.part" && mv "$guide.part" "$guide"
    read_guide >/dev/null
fi

same=0
for block in $( (cd "$here" && ls; cd "$there" && ls) | sort -u); do
    if [ -f "$there/$block" ] && [ -f "$here/$block" ]; then
        if diff -u "$there/$block" "$here/$block" >"$tmp/diff"; then
            same=$((same + 1))
        else
            complain "block $block is not what is printed (make expected rewrites it):"
            sed "1s|.*|--- $name $block|; 2s|.*|+++ printed now|" "$tmp/diff"
        fi
    elif [ "$verb" = compare ]; then
        continue
    elif [ -f "$here/$block" ]; then
        complain "no block $block, but it is printed; make expected adds it"
    elif [ "${tags#* "${block%.*}" }" = "$tags" ]; then
        continue
    else
        complain "block $block, but no program prints it"
    fi
done
[ "$same$wrong" != 00 ] || complain "none of these blocks is printed"
[ "$verb$wrong" != compare0 ] || echo "All $same blocks are as $name shows them, byte for byte."
exit $wrong
