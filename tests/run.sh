#!/bin/sh
# run.sh TEST: runs a test program (cmocka) or a test script (*.sh). run.sh sum VERDICT...: adds up what that printed.
#
# What a test prints is shown only if it failed, or with V=1; then comes its verdict, a line "ok NAME ..." or "FAIL NAME
# ...". Counts are read from closing lines; a test that dies without one, or says "failed" only by its exit status, counts
# as one failed. The last line of a sum is  check: N passed, N failed[, N skipped]  and it fails if anything failed.
set -u
export LC_ALL=C
unset LC_MESSAGES LANG

if [ "$1" = sum ]; then
    shift
    exec awk '
        /^(ok  |FAIL) [^ ]+ +[0-9]+/ { verdict[FILENAME] = $0 }
        END {
            for (i = 1; i < ARGC; i++) {
                if (!split(verdict[ARGV[i]], word, " +")) { print "FAIL " ARGV[i] ": no verdict"; failed++ }
                passed += word[3]
                if (word[1] == "FAIL") failed += word[5]; else skipped += word[4]
            }
            if (passed + failed + skipped == 0) { print "FAIL no tests were given"; failed = 1 }
            print "check: " passed + 0 " passed, " failed + 0 " failed" (skipped ? ", " skipped " skipped" : "")
            exit failed > 0
        }' "$@" </dev/null
fi

# "passed failed skipped" from a test's output; nothing if it has no closing line.
counts() {
    if [ "${1%.sh}" != "$1" ]; then
        tail -n 1 | awk '/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { print $1, $3, $5 + 0 }'
    else
        awk '/^\[  PASSED  \] [0-9]+ test/ { p += $4; closed = 1 }
             /^\[  FAILED  \] [0-9]+ test/ { f += $4; closed = 1 }
             /^\[  SKIPPED \] [0-9]+ test/ { s += $4 }
             END { if (closed) print p + 0, f + 0, s + 0 }'
    fi
}

test=$1 name=${1##*/} status=0
case $test in
*.sh) output=$(sh "$test" 2>&1 </dev/null) || status=$? ;;
*) output=$("$test" 2>&1 </dev/null) || status=$? ;;
esac
# shellcheck disable=SC2046  # three numbers are wanted as three words
set -- $(printf '%s\n' "$output" | counts "$test")
p=${1:-0} f=${2:-0} s=${3:-0} why=
if [ $# = 0 ]; then
    why=", ended without a closing line, exit status $status" f=1
elif [ $status != 0 ] && [ "$f" = 0 ]; then
    why=", exit status $status" f=1
elif [ "$p$f$s" = 000 ]; then
    why=", tested nothing" f=1
fi
if [ -n "${V:-}" ]; then
    printf '%s\n' "$output"
elif [ "$f" != 0 ]; then
    printf '%s\n' "$output" | grep -v '^ok  '      # of a script's checks, those that matter now
else
    printf '%s\n' "$output" | grep '^skipped: '
fi
if [ "$f" != 0 ]; then
    printf 'FAIL %-20s %4d passed, %d failed%s\n' "${name%.sh}" "$p" "$f" "$why"
else
    printf 'ok   %-20s %4d%s\n' "${name%.sh}" "$p" "$([ "$s" = 0 ] || echo ", $s skipped")"
fi
