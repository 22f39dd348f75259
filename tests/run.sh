#!/bin/sh
# run.sh PROGRAM...: runs test programs (cmocka) and test scripts (*.sh), one after another.
#
# What a test prints is shown only if it failed, or with V=1. The last line of all is
#     check: N passed, N failed[, N skipped]
# Counts are read from closing lines; a test that dies without one, or says "failed" only by its exit status, counts
# as one failed. The exit status is 1 if anything failed.
set -u
export LC_ALL=C
unset LC_MESSAGES LANG
passed=0 failed=0 skipped=0

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

for test in "$@"; do
    name=${test##*/}
    name=${name%.sh}
    status=0
    case $test in
    *.sh) output=$(sh "$test" 2>&1 </dev/null) || status=$? ;;
    *) output=$("$test" 2>&1 </dev/null) || status=$? ;;
    esac
    # shellcheck disable=SC2046  # three numbers are wanted as three words
    set -- $(printf '%s\n' "$output" | counts "$test")
    p=${1:-0} f=${2:-0} s=${3:-0}
    if [ $# = 0 ]; then
        why=", ended without a closing line, exit status $status" f=1
    elif [ $status != 0 ] && [ "$f" = 0 ]; then
        why=", exit status $status" f=1
    elif [ "$p$f$s" = 000 ]; then
        why=", tested nothing" f=1
    else
        why=
    fi
    if [ -n "${V:-}" ]; then
        printf '%s\n' "$output"
    elif [ "$f" != 0 ]; then
        printf '%s\n' "$output" | grep -v '^ok  '      # of a script's checks, those that matter now
    else
        printf '%s\n' "$output" | grep '^skipped: '
    fi
    if [ "$f" != 0 ]; then
        printf 'FAIL %-20s %4d passed, %d failed%s\n' "$name" "$p" "$f" "$why"
    else
        printf 'ok   %-20s %4d%s\n' "$name" "$p" "$([ "$s" = 0 ] || echo ", $s skipped")"
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done

[ "$passed$failed$skipped" != 000 ] || { echo 'FAIL no tests were given'; failed=1; }
echo "check: $passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
