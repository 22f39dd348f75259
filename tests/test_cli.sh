#!/bin/sh
# test_cli.sh - the command line: bad calls are refused in one line, good ones say the same thing in every format, language,
# number of threads and division into demos. What all programs share is tried on the quickest; of the others, on what takes
# no time.
. "$(dirname "$0")/lib.sh"
unset LC_ALL LC_MESSAGES LANG NO_COLOR
file=$tmp/file
echo 'not a folder' >"$file"
mkdir -p "$tmp/empty"

# refuses ARGUMENT...: exit status 2, one line on stderr that names the program, nothing on stdout, no file left.
one_line() { { read -r line && ! read -r _; } <"$tmp/err" && case $line in "$program: "?*) ;; *) false ;; esac; }
nothing_in() { for left in "$1"/* "$1"/.[!.]*; do [ ! -e "$left" ] || return 1; done; }
refuses() {
    (cd "$tmp/empty" && TMPDIR=$tmp/empty exec "$O/$program" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null)
    status=$?
    [ $status = 2 ] && [ ! -s "$tmp/out" ] && one_line && nothing_in "$tmp/empty" && return
    echo "exit status $status, stdout $(wc -c <"$tmp/out") bytes, stderr:"
    cat "$tmp/err"
    false
}

# refuse_all: the calls on stdin, each by the program at its beginning. What the parser alone sees, test_options.c tries,
# and what is no shape or no configuration, test_options.c and test_space.c; all options' bad values, test_bad_calls.sh.
refuse_all() {
    while read -r program call; do
        eval "set -- $call"
        check "$program refuses: $call" refuses "$@"
    done
}

refuse_all <<'END'
01_landscape --device nofile
01_landscape --device ''
01_landscape --device "$tmp"
01_landscape --device "$file"
01_landscape --device "$root/data/h200_matmul.tsv:nosuchcolumn"
01_landscape --shape nosuchshape
01_landscape --explain 65,128,32,2,2,8,1
01_landscape --explain 64,128,32,2,8,8,1
01_landscape --explain 256,256,256,8,7,1,1
01_landscape --explain 16,16,32,16,2,1,1
01_landscape --explain 64,128,32,2,2,8,1 --shape 0x0x0
02_autotvm --strategies nosuchstrategy
02_autotvm --log ''
02_autotvm --log "$file/log"
02_autotvm --log "$tmp/none/log"
02_autotvm --resume nofile
02_autotvm --resume ''
02_autotvm --resume "$file,$file"
02_autotvm --resume "$tmp"
02_autotvm --resume "$file"
01_landscape --figures ''
01_landscape --figures "$file"
01_landscape --figures "$file/figures"
01_landscape --figures "$tmp/none/figures"
01_landscape --plot-terminal --shape nosuchshape
02_autotvm --device "$file"
03_ansor --device "$file"
04_scheduler --device "$file"
05_strategies --device "$file"
02_autotvm --figures "$file"
END

# says NAME ARGUMENT...: runs the program into the file $tmp/NAME; success, and nothing on stderr with --quiet.
# A short experiment shows as much of the command line as a long one.
says() {
    said=$tmp/$1
    shift
    # shellcheck disable=SC2086
    "$O/$program" --quiet $short "$@" >"$said" 2>"$tmp/err" </dev/null && [ -s "$said" ] && [ ! -s "$tmp/err" ] || { cat "$tmp/err"; false; }
}
same() { cmp "$tmp/$1" "$tmp/$2"; }

# full ARGUMENT...: a full disk is noticed, in one line.
full() {
    # shellcheck disable=SC2086
    "$O/$program" --quiet $short "$@" >/dev/full 2>"$tmp/err" </dev/null
    [ $? = 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
}

# Every number that a document in this format shows, sorted: layout may move them. Left out are the lecture's sections
# in the headings, which TSV does not show.
numbers() {
    LC_ALL=C awk -v format="$1" '
        format == "text" { sub(/ *\[[^]]*\]$/, "") }
        format == "md" && /^## / { sub(/\([^()]*\)$/, "") }
        format == "json" { gsub(/\\u000a/, " "); gsub(/"(program|section)": "[^"]*"|"demo": 0,/, "") }
        {
            gsub(/[^0-9.]+/, " ")
            for (i = 1; i <= NF; i++) { gsub(/^\.+|\.+$/, "", $i); if ($i != "") print $i }
        }' "$tmp/$1" | LC_ALL=C sort >"$tmp/numbers.$1"
    [ -s "$tmp/numbers.$1" ]
}
# None is lost and none is new; one in a head over several columns may stand there more often.
same_numbers() {
    numbers "$1" && LC_ALL=C comm -23 "$tmp/numbers.text" "$tmp/numbers.$1" >"$tmp/lost" && diff /dev/null "$tmp/lost" &&
        uniq "$tmp/numbers.$1" >"$tmp/each" && uniq "$tmp/numbers.text" | diff - "$tmp/each"
}

# With jq or python3, the JSON parses; without, its brackets at least are even.
json_parses() {
    if have jq; then
        jq -e '.sections | length > 0' "$tmp/json" >/dev/null
    elif have python3; then
        python3 -c 'import json, sys; assert json.load(open(sys.argv[1], encoding="utf-8"))["sections"]' "$tmp/json"
    else
        sed 's/\\"//g; s/"[^"]*"//g' "$tmp/json" |
            awk '{ open += gsub(/[[{]/, ""); shut += gsub(/[]}]/, "") } END { exit !(open && open == shut) }'
    fi
}

# Within one table, all rows have as many cells as the head: TSV's stand between comments, Markdown's are lines of |.
# And no two columns have the same name.
tsv_named() {
    awk -F'\t' '/^#/ { head = 1; next }
        head { split("", seen); for (i = 1; i <= NF; i++) if (seen[$i]++) { print "twice " $i ": " $0; bad = 1 } }
        { head = 0 } END { exit bad }' "$tmp/tsv"
}
tsv_even() { awk -F'\t' '/^#/ { n = 0; next } n && NF != n { print FILENAME ": " $0; bad = 1 } { n = NF } END { exit bad }' "$tmp/tsv"; }
md_even() { awk -F'(^|[^\\\\])[|]' '!/^[|]/ { n = 0; next } n && NF != n { print FILENAME ": " $0; bad = 1 } { n = NF } END { exit bad }' "$tmp/md"; }

# The default run is its demos, one after another, but for those on request, and then what was published.
sum_of_demos() {
    : >"$tmp/sum"
    case $program in 02*) last=6 ;; *) last=16 ;; esac
    for demo in $(seq_to $last); do
        short=$(in_short)
        says one --demo "$demo" --jobs 7 --lang en 2>/dev/null || break
        [ "$demo" = 1 ] || echo >>"$tmp/sum"
        cat "$tmp/one" >>"$tmp/sum"
    done
    awk '$0 == "Published and here" { exit } NR > 1 { print line } { line = $0 }' "$tmp/text" | cmp - "$tmp/sum"
}
seq_to() { awk -v n="$1" 'BEGIN { while (i < n) print ++i }'; }

# id<TAB>value, each id once.
facts_are_pairs() {
    awk -F'\t' 'NF != 2 || $1 !~ /^[a-z0-9_]+\.[a-z0-9_]+$/ || $2 == "" || seen[$1]++ { print; bad = 1 }
                END { exit bad || !NR }' "$tmp/facts"
}

# always VARIABLE=VALUE...: --color always, whatever the environment says.
always() { (export "$@"; says one --demo 1 --color always) && same one always; }
escape=$(printf '\033')
escapes() { LC_ALL=C grep -q "$escape" "$tmp/$1"; }
in_terminal() { script -qec "$* $O/$program --demo 1 --quiet $short" /dev/null >"$tmp/terminal" 2>&1 </dev/null; }

# A recording of another kernel: three knobs with holes, no shapes, names that are hard to print.
stencil=$tmp/stencil.tsv
awk 'BEGIN { OFS = "\t"; print "# knobs: bx by tile|z"; print "bx", "by", "tile|z", "a|b/512"
             for (x = -1; x < 64; x += 3) for (y = 1; y < 9; y *= 2) for (z = 0; z < 5; z++) if ((x + y * z) % 7)
                 print x, y, z, (x * y + z) % 11 ? 3 + (x * y * y + z) % 17 / 8 : "oom" }' >"$stencil"

in_short() { short_of "$O/$program" | sed 's/repeats 2/repeats 1/'; }

language() {        # LANGUAGE VARIABLE=VALUE...: what these locale variables choose
    (shift; export "$@"; says chosen --demo 1) && same chosen "demo1.$1"
}

# whole runs once on one thread; its demos, one after another, on seven.
whole() { says text --jobs 1 --lang en; }

for program in $PROGRAMS; do
    demo=
    short=$(in_short)
    check "$program --help" says help --help
    check "$program --help in Chinese" says help.zh --lang zh --help
    check_not "these differ" cmp -s "$tmp/help" "$tmp/help.zh"
    check "$program on one thread" whole
    check "is the sum of its demos on seven" sum_of_demos

    case $program in                    # the rest with demos that take no time
    02*) demo=2 ;;
    03*) demo=[12] ;;
    04*) demo=1 ;;
    05*) demo=5 ;;
    *) demo= ;;
    esac
    [ -z "$demo" ] || short="$(in_short) --demo $(echo "$demo" | tr -d '[]' | sed 's/12/1,2/')"
    for format in text md tsv json; do
        check "$program --format $format" says $format --format $format
        check_not "without colour in a file" escapes $format
        check "with the numbers of the others" same_numbers $format
    done
    check "$program's JSON parses" json_parses
    check "$program's TSV tables are even" tsv_even
    check "$program's columns have a name each" tsv_named
    check "$program's Markdown tables are even" md_even
    check "$program in Chinese" says zh --lang zh
    check_not "differs" cmp -s "$tmp/text" "$tmp/zh"
    case $program in
    04*) check "$program refuses another kernel before it prints" refuses --device "$stencil" ;;
    *)
        for format in text md; do
            check "$program on another kernel, --format $format" says $format --device "$stencil" --format $format --figures "$tmp/other"
        done
        check "with even tables" md_even
        check_not "and without a shape" grep -q 0x0x0 "$tmp/text" ;;
    esac
    if [ -c /dev/full ]; then
        check "$program on a full disk" full
    else
        skip "there is no /dev/full here: a full disk is not tested"
    fi
done

# prints COUNT PATTERN PROGRAM ARGUMENT...: so many lines with this, in English.
prints() {
    count=$1 pattern=$2 program=$3
    shift 3
    short=
    says some --lang en "$@" && [ "$(grep -c "$pattern" "$tmp/some")" = "$count" ]
}
check "one loop nest stands there" prints 1 '^  Sketch [0-9] of' 03_ansor --demo 1
check "and with --nests all" prints 6 '^  Sketch [0-9] of' 03_ansor --demo 1 --nests
picks='first repeat: every pick' few='--demo 2 --repeats 1 --unit 16'
# shellcheck disable=SC2086
check "no pick is explained" prints 0 "$picks" 04_scheduler $few
# shellcheck disable=SC2086
check "with --policy one policy's are" prints 1 "$picks" 04_scheduler $few --policy intensity
# shellcheck disable=SC2086
check "with --why those of all that look" prints 6 "$picks" 04_scheduler $few --why
# shellcheck disable=SC2086
check "a policy that picks as another has no row" prints 1 '^  MetaSchedule: none' 04_scheduler $few

program=claims
check "$program refuses another kernel before it prints" refuses --device "$stencil"

# goes_on LOG: a log that was cut off is gone on with; what is said of it moves no cursor.
goes_on() {
    "$O/$program" --log "$1" $random >/dev/null 2>&1 && printf '{"tu' >>"$1" &&
        "$O/$program" --resume "$1" $random >/dev/null 2>"$tmp/err" && [ "$(wc -l <"$tmp/err")" -eq 2 ] && ! LC_ALL=C grep -q "$escape" "$tmp/err"
}
program=02_autotvm random='--strategies random --trials 64 --repeats 1'
check "$program goes on with a log of any name" goes_on "$tmp/a
b$escape[31m"
# cramped KILOBYTES: the program runs, or says in one line that it cannot; one that cannot be loaded has not run.
cramped() {
    # shellcheck disable=SC2086,SC3045  # a list; where ulimit -v is unknown, there is no limit
    (ulimit -v "$1" 2>/dev/null; exec "$O/$program" --quiet --demo 1 $random) >/dev/null 2>"$tmp/err"
    case $? in 0 | 127) ;; 2) one_line ;; *) false ;; esac
}
for memory in 5000 7000 9000 12000 15000 20000; do
    case $O in
    *-san) skip "sanitizers need more than $memory KB" ;;
    *) if ldd "$O/$program" 2>/dev/null | grep -q libomp; then
           skip "LLVM's OpenMP ends a program by itself in $memory KB"
       else
           check "$program in $memory KB" cramped $memory
       fi ;;
    esac
done

# A batch is what a tuner learns from: another one, other measurements. The default is 64, of 05's small pool 8.
program=02_autotvm
short='--demo 1 --strategies annealing --trials 128 --repeats 1 --shape square'
check "$program" says usual
check "$program --batch 64" says batch --batch 64
check "is the default" same usual batch
check "$program --batch 8" says batch --batch 8 --log "$tmp/batch.log"
check_not "learns sooner" cmp -s "$tmp/usual" "$tmp/batch"
check "which its log knows" grep -q '"batch":8' "$tmp/batch.log"
# Finalists are a table more, and move nothing else; none are none.
check "$program --finalists 0" says none --finalists 0
check "is the default" same usual none
check "$program --finalists 5" says finalists --finalists 5 --lang en
check "adds what it gains and costs" grep -q 'if the 5 fastest of 128 measurements are measured 5' "$tmp/finalists"
check_not "and changes nothing else" sh -c "diff '$tmp/usual' '$tmp/finalists' | grep '^<'"
program=05_strategies short='--demo 3 --strategies pool-model --trials 64 --repeats 2'
check "$program" says usual
check "$program --batch 8" says batch --batch 8
check "is the default" same usual batch
check "$program --batch 32" says batch --batch 32
check_not "learns later" cmp -s "$tmp/usual" "$tmp/batch"

program=01_landscape
short= demo=
if [ "$(id -u)" != 0 ]; then
    mkdir -p "$tmp/locked" && chmod 555 "$tmp/locked"
    check "$program refuses a folder without permission" refuses --figures "$tmp/locked"
fi
check "$program --explain of a tile that is mostly padding" says padded --lang en --explain 128,128,64,4,4,8,1 --shape decode
check "names the largest gain first" grep -q 'helps most: BLOCK_M = 16' "$tmp/padded"
check "and calls it padding" grep -q 'Bottleneck: padding; 88 %' "$tmp/padded"
check "where more blocks gain most" says thin --lang en --explain 64,128,32,2,2,2,1 --shape decode
check "it is the blocks" grep -q 'Bottleneck: too few thread blocks' "$tmp/thin"
check "$program --version" says version --version
check "is one line" [ "$(wc -l <"$tmp/version")" -eq 1 ]
for lang in en zh; do check "$program --lang $lang" says demo1.$lang --demo 1 --lang $lang; done
check "a comma locale changes no number" language en LANG=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8

check "$program --facts" says facts --facts
check "is id<TAB>value, each once" facts_are_pairs
check "in Chinese, too" says facts.zh --facts --lang zh
check "with the same values" same facts facts.zh

check "$program --color always" says always --demo 1 --color always
check "is coloured" escapes always
check "also with NO_COLOR and TERM=dumb" always NO_COLOR=1 TERM=dumb
if have script && script --version 2>/dev/null | grep -q util-linux; then
    check "$program in a terminal" in_terminal TERM=xterm
    check "is coloured" escapes terminal
    check "NO_COLOR=1" in_terminal TERM=xterm NO_COLOR=1
    check_not "is not" escapes terminal
    check "an empty NO_COLOR" in_terminal TERM=xterm NO_COLOR=
    check "counts as absent" escapes terminal
    check "TERM=dumb" in_terminal TERM=dumb
    check_not "is not coloured" escapes terminal
else
    skip "script (util-linux) is not installed: colour in a terminal is not tested"
fi
if [ -c /dev/full ]; then
    for call in --facts --format=json --help --version; do
        check "$program --demo 1 $call on a full disk" full --demo 1 $call
    done
fi
finish
