#!/bin/sh
# test_run.sh - run.sh counts what tests say, and no way of failing escapes it.
. "$(dirname "$0")/lib.sh"
unset V

# test_named NAME: a test that does what stands on stdin.
test_named() { { echo '#!/bin/sh'; cat; } >"$tmp/$1" && chmod +x "$tmp/$1"; }

test_named good <<'END'
echo chatter
echo '[==========] 3 test(s) run.'
echo '[  PASSED  ] 3 test(s).' >&2
END
test_named bad <<'END'
echo '[  PASSED  ] 2 test(s).'
echo '[  FAILED  ] 1 test(s), listed below:'
exit 1
END
test_named skips <<'END'
echo '[  PASSED  ] 2 test(s).'
echo '[  SKIPPED ] 1 test(s), listed below:'
END
test_named empty <<'END'
echo '[==========] 0 test(s) run.'
echo '[  PASSED  ] 0 test(s).'
END
test_named dies <<'END'
echo 'last words'
kill -ABRT $$
END
test_named lies <<'END'
echo '[  PASSED  ] 4 test(s).'
exit 1
END
test_named good.sh <<'END'
echo '5 passed, 0 failed, 1 skipped'
END
test_named bad.sh <<'END'
echo '5 passed, 2 failed'
exit 1
END
test_named dies.sh <<'END'
echo '5 passed, 0 failed'
echo 'but then'
END

# run "WANTED LAST LINE" TEST...: what run.sh ends with, and whether its exit status agrees.
run() {
    wanted="check: $1" status=0
    shift
    (cd "$tmp" && rm -f verdict.* && for test in "$@"; do sh "$root/tests/run.sh" "$test" >"verdict.${test##*/}"; done
     cat verdict.*; sh "$root/tests/run.sh" sum ${1:+verdict.*}) >"$tmp/out" 2>/dev/null || status=1
    case $wanted in *', 0 failed'*) agrees=0 ;; *) agrees=1 ;; esac
    [ "$(tail -n 1 "$tmp/out")" = "$wanted" ] && [ $status = $agrees ] || { cat "$tmp/out"; false; }
}
check "good tests" run '8 passed, 0 failed, 1 skipped' ./good ./good.sh
check_not "are quiet" grep -q chatter "$tmp/out"
check "failed tests" run '10 passed, 3 failed' ./good ./bad.sh ./bad
check "a crash" run '3 passed, 1 failed' ./dies ./good
check "shows its last words" grep -q 'last words' "$tmp/out"
check "a script that stops early" run '0 passed, 1 failed' ./dies.sh
check "a failure that only the exit status tells" run '4 passed, 1 failed' ./lies
check "a program without tests" run '0 passed, 1 failed' ./empty
check "skipped tests" run '2 passed, 0 failed, 1 skipped' ./skips
check "a program that is not there" run '3 passed, 1 failed' ./good ./nowhere
touch "$tmp/verdict.none"
check_not "a verdict that is not there" sh tests/run.sh sum "$tmp/verdict.none"
check "nothing to run" run '0 passed, 1 failed'
export V=1
check "V=1" run '3 passed, 0 failed' ./good
check "shows everything" grep -q chatter "$tmp/out"
finish
