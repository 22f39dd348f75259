#!/bin/sh
# test_cli.sh - the command line of every program: bad calls are refused in one line, good ones say the same thing in
# every format, language, number of threads and division into demos.
. "$(dirname "$0")/lib.sh"
unset LC_ALL LC_MESSAGES LANG NO_COLOR
file=$tmp/file
echo 'not a folder' >"$file"
mkdir -p "$tmp/empty"

# refuses ARGUMENT...: exit status 2, one line on stderr that names the program, nothing on stdout, no file left.
refuses() {
    (cd "$tmp/empty" && TMPDIR=$tmp/empty "$O/$program" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null)
    status=$?
    [ $status = 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "^$program: ..*" "$tmp/err" &&
        [ -z "$(find "$tmp/empty" -type f)" ] && return
    echo "exit status $status, stdout $(wc -c <"$tmp/out") bytes, stderr:"
    cat "$tmp/err"
    false
}

refuse_all() {
    while read -r call; do
        eval "set -- $call"
        check "$program refuses: $call" refuses "$@"
    done <<'END'
--nonsense
-x
--facts=yes
extra
''
--demo 1 extra
-- extra
--demo
--demo ''
--demo 0
--demo -1
--demo 99
--demo 1,
--demo ,1
--demo 1,,2
--demo 1,99
--demo +1
--demo ' 1'
--demo 1x
--demo 1.5
--demo 99999999999999999999
--lang
--lang fr
--lang ''
--lang 'en|zh'
--lang zh --format pdf
--format pdf
--format TEXT
--color maybe
--device nofile
--device nofile:time
--device ''
--device "$tmp"
--device "$file"
--device "$root/data/h200_matmul.tsv:nosuchcolumn"
--repeats 0
--repeats -1
--repeats abc
--repeats 3x
--repeats ''
--repeats 99999999999999999999
--trials 0
--trials 1e3
--trials 64.0
--unit 0
--seed -1
--seed 0x10
--seed 99999999999999999999
--jobs 0
--jobs -2
--jobs 1000
--jobs ' 2'
--shape
--shape ''
--shape 4096
--shape 0x1x1
--shape 1x-2x3
--shape 1x2
--shape 1x2x3x4
--shape '1x2x3 '
--shape ' 1x2x3'
--shape 1x2x3,
--shape 1*2*3
--shape 1X2X3
--shape axbxc
--shape 1e3x1x1
--shape 1x1x2000000
--shape 99999999999999999999x1x1
--shape nosuchshape
--explain
--explain ''
--explain 1,2
--explain 64,128,32,2,2,8
--explain 64,128,32,2,2,8,1,1
--explain 64,128,32,2,2,8,
--explain 65,128,32,2,2,8,1
--explain 64,128,32,2,8,8,1
--explain 64,128,x,2,2,8,1
--explain 64,128,32,2,2,8,99999999999999999999
--explain 256,256,256,8,7,1,1
--explain 16,16,32,16,2,1,1
--explain 64,128,32,2,2,8,1 --shape 0x0x0
--strategies
--strategies ''
--strategies nosuchstrategy
--strategies random,
--log
--log ''
--log "$file/log"
--log "$tmp/none/log"
--log log --demo 99
--resume nofile
--resume ''
--resume "$tmp"
--resume "$file"
--figures
--figures ''
--figures "$file"
--figures "$file/figures"
--figures "$tmp/none/figures"
--plot-terminal --shape nosuchshape
--plot-terminal --figures .
--plot-terminal --format json
END
}

# says NAME ARGUMENT...: runs the program into the file $tmp/NAME; success, and nothing on stderr with --quiet.
# A short experiment shows as much of the command line as a long one.
says() {
    said=$tmp/$1
    shift
    # shellcheck disable=SC2086
    "$O/$program" --quiet $short "$@" >"$said" 2>"$tmp/err" </dev/null && ! grep . "$tmp/err" && [ -s "$said" ]
}
same() { cmp "$tmp/$1" "$tmp/$2"; }

plots_a_mistake() { (TMPDIR=$tmp/folders && export TMPDIR && refuses --plot-terminal --shape nosuchshape); }

# full ARGUMENT...: a full disk is noticed, in one line.
full() {
    # shellcheck disable=SC2086
    "$O/$program" --quiet $short "$@" >/dev/full 2>"$tmp/err" </dev/null
    [ $? = 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
}

# Every number that a document in this format shows, sorted: layout may move them. Left out are the lecture's sections
# in the headings, which TSV does not show.
numbers() {
    case $1 in
    text) sed 's/ *\[[^]]*\]$//' ;;
    md) sed '/^## /s/([^()]*)$//' ;;
    tsv) cat ;;
    json) sed 's/\\u000a/ /g; s/"program": "[^"]*"//; s/"section": "[^"]*"//; s/"demo": 0,//' ;;
    esac <"$tmp/$1" | tr -c '0-9.\n' '\n' | sed 's/^\.*//; s/\.*$//' | grep . | LC_ALL=C sort >"$tmp/numbers.$1"
    [ -s "$tmp/numbers.$1" ]
}
same_numbers() { numbers text && numbers "$1" && diff "$tmp/numbers.text" "$tmp/numbers.$1"; }

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
tsv_even() { awk -F'\t' '/^#/ { n = 0; next } n && NF != n { print FILENAME ": " $0; bad = 1 } { n = NF } END { exit bad }' "$tmp/tsv"; }
md_even() { awk -F'(^|[^\\\\])[|]' '!/^[|]/ { n = 0; next } n && NF != n { print FILENAME ": " $0; bad = 1 } { n = NF } END { exit bad }' "$tmp/md"; }

# The default run is its demos, one after another, and then what was published.
sum_of_demos() {
    : >"$tmp/sum"
    for demo in $(seq_to 16); do
        says one --demo "$demo" 2>/dev/null || break
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
escapes() { LC_ALL=C grep -q "$(printf '\033')" "$tmp/$1"; }
in_terminal() { script -qec "$* $O/$program --demo 1 --quiet $short" /dev/null >"$tmp/terminal" 2>&1 </dev/null; }

# A recording of another kernel: three knobs with holes, no shapes, names that are hard to print.
stencil=$tmp/stencil.tsv
awk 'BEGIN { OFS = "\t"; print "# knobs: bx by tile|z"; print "bx", "by", "tile|z", "a|b/512"
             for (x = -1; x < 64; x += 3) for (y = 1; y < 9; y *= 2) for (z = 0; z < 5; z++) if ((x + y * z) % 7)
                 print x, y, z, (x * y + z) % 11 ? 3 + (x * y * y + z) % 17 / 8 : "oom" }' >"$stencil"

language() {        # LANGUAGE VARIABLE=VALUE...: what these locale variables choose
    (shift; export "$@"; says chosen --demo 1) && same chosen "demo1.$1"
}

for program in $PROGRAMS; do
    short=$(short_of "$O/$program")
    refuse_all
    mkdir "$tmp/folders"
    check "$program refuses --plot-terminal with a mistake" plots_a_mistake
    check "and leaves no folder behind" rmdir "$tmp/folders"
    if [ "$(id -u)" != 0 ]; then
        mkdir -p "$tmp/locked" && chmod 555 "$tmp/locked"
        check "$program refuses a folder without permission" refuses --figures "$tmp/locked"
    fi

    check "$program --help" says help --help
    check "$program --help in Chinese" says help.zh --lang zh --help
    check_not "these differ" cmp -s "$tmp/help" "$tmp/help.zh"
    check "$program --version" says version --version
    check "is one line" [ "$(wc -l <"$tmp/version")" -eq 1 ]

    for format in text md tsv json; do
        check "$program --format $format" says $format --format $format
        check_not "without colour in a file" escapes $format
        check "with the numbers of the others" same_numbers $format
    done
    check "$program's JSON parses" json_parses
    check "$program's TSV tables are even" tsv_even
    check "$program's Markdown tables are even" md_even

    check "$program is the sum of its demos" sum_of_demos
    check "$program --demo 1" says demo1.en --demo 1
    check "--format text" says default --demo 1 --format text --lang en
    check "is the same" same default demo1.en
    check "$program --demo 1 --lang zh" says demo1.zh --demo 1 --lang zh
    check_not "these differ" cmp -s "$tmp/demo1.en" "$tmp/demo1.zh"
    for jobs in 1 7; do
        check "$program --jobs $jobs" says jobs --jobs $jobs
        check "the same bytes" same jobs text
    done

    check "LANG=zh_CN.UTF-8 is Chinese" language zh LANG=zh_CN.UTF-8
    check "LANG=en_US.UTF-8 is English" language en LANG=en_US.UTF-8
    check "LANG=C is English" language en LANG=C
    check "LC_ALL is asked before LC_MESSAGES" language zh LC_ALL=zh_TW.UTF-8 LC_MESSAGES=C LANG=C
    check "LC_MESSAGES before LANG" language en LC_MESSAGES=en_GB.UTF-8 LANG=zh_CN.UTF-8
    check "an empty variable counts as absent" language zh LC_ALL= LANG=zh_CN.UTF-8
    check "a comma locale changes no number" language en LANG=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8

    check "$program --facts" says facts --facts
    check "is id<TAB>value, each once" facts_are_pairs
    check "in Chinese, too" says facts.zh --facts --lang zh
    check "with the same values" same facts facts.zh

    for format in text md json; do
        check "$program on another kernel, --format $format" says $format --device "$stencil" --format $format --figures "$tmp/other"
    done
    check "which parses" json_parses
    check "with even tables" md_even
    check_not "and without a shape" grep -q 0x0x0 "$tmp/text"

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
        for call in '' --facts --format=json --help --version; do
            # shellcheck disable=SC2086  # '' is no argument
            check "$program --demo 1 $call on a full disk" full --demo 1 $call
        done
    else
        skip "there is no /dev/full here: a full disk is not tested"
    fi
done
finish
