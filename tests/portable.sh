#!/bin/sh
# portable.sh PROGRAM...: the same bytes from every compiler, optimisation, C library and CPU, on one thread and on three.
#
# Each row builds the programs under $O/portable and compares all that they say (both languages, and --facts) with the
# first row that could be built. A compiler that is not installed is skipped with a word; where CI is set, that is a
# failure. The last line is  portable: N passed, N failed[, N skipped]
set -u
cd "$(dirname "$0")/.." || exit 1
folder=${O:-build}/portable
programs=${*:-01_landscape}
unset MAKEFLAGS MFLAGS MAKELEVEL SAN        # of the make that called: its flags are not these builds'
mkdir -p "$folder"
passed=0 failed=0 skipped=0
first=

# The rows: name | compiler | CFLAGS | more for make | runs the programs.
# musl-gcc finds glibc's OpenMP, which does not fit; the ARM build is static, so that qemu needs no ARM libraries.
rows='gcc -O0|gcc|-O0||
gcc -O2|gcc|-O2||
gcc -O3 -march=native|gcc|-O3 -march=native||
gcc -Ofast|gcc|-Ofast||
clang -O2|clang|-O2||
clang -O3 -ffast-math|clang|-O3 -ffast-math||
musl-gcc -O2|musl-gcc|-O2|OPENMP=|
aarch64 gcc -O2, qemu|aarch64-linux-gnu-gcc|-O2|LDFLAGS=-static|qemu-aarch64'

row() { printf '%-24s %4s  %-6s  %s\n' "$@"; }
passes() { passed=$((passed + 1)); row "$@"; }
fails() { failed=$((failed + 1)); row "$@"; }

# Everything that the programs in folder $1 say with $2 threads, run by $3.
everything() {
    for program in $programs; do
        for what in '--lang en' '--lang zh' --facts; do
            # shellcheck disable=SC2086  # an empty emulator is no word, '--lang en' is two
            $3 "$1/$program" $what --jobs "$2" --quiet || echo "$program $what: exit status $?"
        done
    done
}

row build jobs OpenMP 'output (checksum of the first)'
row ------------------------ ---- ------ -----------------------------
while IFS='|' read -r name compiler flags more emulator; do
    missing=
    for tool in $compiler $emulator; do
        command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
    done
    if [ -n "$missing" ] && [ -n "${CI:-}" ]; then
        fails "$name" - - "not installed:$missing"
        continue
    elif [ -n "$missing" ]; then
        skipped=$((skipped + 1))
        row "$name" - - "skipped: not installed:$missing"
        continue
    fi
    to=$folder/$(echo "$name" | tr -cs 'a-zA-Z0-9\n' '-')
    if ! make -s -j2 O="$to" CC="$compiler" CFLAGS="$flags" ${more:+"$more"} >"$to.log" 2>&1; then
        fails "$name" - - "DOES NOT BUILD, see $to.log"
        continue
    fi
    openmp=no
    grep -q -e ' -fopenmp' "$to/flags" && openmp=yes
    for jobs in 1 3; do
        everything "$to" $jobs "$emulator" >"$to.$jobs" 2>&1
        if grep -q ': exit status' "$to.$jobs"; then
            fails "$name" $jobs $openmp 'DOES NOT RUN'
            tail -n 3 "$to.$jobs"
        elif [ -z "$first" ]; then
            first=$to.$jobs
            passes "$name" $jobs $openmp "$(cksum <"$first")"
        elif cmp -s "$first" "$to.$jobs"; then
            passes "$name" $jobs $openmp same
        else
            fails "$name" $jobs $openmp DIFFERENT
            diff "$first" "$to.$jobs" | head -n 10
        fi
    done
done <<END
$rows
END
echo "portable: $passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
