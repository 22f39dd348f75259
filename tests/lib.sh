# lib.sh - what the test scripts share. Each begins with  . "$(dirname "$0")/lib.sh"  and ends with  finish.
#
# A check prints one line; the last line of a script is "N passed, N failed", which run.sh reads. O is the build folder,
# PROGRAMS the programs in it to be tested; both come from make, or are found here when a script is run by itself.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
if [ -z "${PROGRAMS:-}" ]; then
    PROGRAMS=
    for program in "$O"/[0-9][0-9]_*; do
        [ -f "$program" ] && [ -x "$program" ] && PROGRAMS="$PROGRAMS ${program##*/}"
    done
fi

export ASAN_OPTIONS=detect_leaks=0     # a refusal ends a program as it stands; unit tests look for leaks
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); echo "ok      $*"; }
fail() { failed=$((failed + 1)); echo "FAILED  $*"; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }

# check NAME COMMAND...: the command must succeed. check_not: it must fail.
check() { name=$1; shift; if "$@"; then pass "$name"; else fail "$name"; fi; }
check_not() { name=$1; shift; if "$@"; then fail "$name"; else pass "$name"; fi; }

# short_of COMMAND...: options that keep a program's experiments short, if it has experiments; of those that count in
# demo $demo (a digit or [digits]), if that is set.
short_of()
{
    "$@" --lang en --help | awk -v in_it="[(]demos? [0-9, ]*${demo:-.}" '/[(]demos? / && $0 !~ in_it { next } $1 == "--repeats" { printf " --repeats 2" } $1 == "--trials" { printf " --trials 64" }
                       $1 == "--unit" { printf " --unit 16" }'
}

have() { command -v "$1" >/dev/null 2>&1; }

finish() {
    [ "$passed$failed$skipped" != 000 ] || fail "nothing was tested: is anything built in $O?"
    echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
    [ $failed = 0 ]
    exit
}
