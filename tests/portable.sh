#!/bin/sh
# portable.sh PROGRAM...: the same bytes from every compiler, optimisation, C library and CPU, on one thread and on three.
#
# Each row builds the programs under $O/portable and compares what they say with the first row that could. Two things
# are compared: everything (both languages, and --facts) with short experiments; and the default run as it is, but for the
# builds that would take minutes over it. A compiler that is not installed is skipped with a word; where CI is set, that is
# a failure. The last line is  portable: N passed, N failed[, N skipped]
. "$(dirname "$0")/lib.sh"
folder=$O/portable
programs=${*:-$PROGRAMS}
unset MAKEFLAGS MFLAGS MAKELEVEL SAN        # of the make that called: its flags are not these builds'
mkdir -p "$folder"

# The rows: name | compiler | CFLAGS | more for make | runs the programs | the default run, too?
# musl-gcc finds glibc's OpenMP, which does not fit; the ARM build is static, so that qemu needs no ARM libraries.
rows='gcc -O2|gcc|-O2|||yes
gcc -O0|gcc|-O0|||no
gcc -O3 -march=native|gcc|-O3 -march=native|||yes
gcc -Ofast|gcc|-Ofast|||no
clang -O2|clang|-O2|||yes
clang -O3 -ffast-math|clang|-O3 -ffast-math|||yes
musl-gcc -O2|musl-gcc|-O2|OPENMP=||yes
aarch64 gcc -O2, qemu|aarch64-linux-gnu-gcc|-O2|LDFLAGS=-static|qemu-aarch64|no'

row() { printf '%-24s %4s  %-6s  %-24s %s\n' "$@"; }
fails() { failed=$((failed + 1)); row "$@"; }

# says KIND FOLDER EMULATOR ARGUMENT...: what every program says, with short experiments or in full.
says() {
    kind=$1 from=$2 emulator=$3
    shift 3
    for program in $programs; do
        # shellcheck disable=SC2046,SC2086  # lists of words, or none
        $emulator "$from/$program" --quiet "$@" $([ $kind = full ] || short_of $emulator "$from/$program") ||
            echo "$program: exit status $?"
    done
}

# verdict KIND FILE: "same", or a checksum for the first of its kind, or what is wrong; fails if it is.
verdict() {
    first=$folder/first.$1
    if grep -q ': exit status' "$2"; then
        echo 'DOES NOT RUN'
        return 1
    elif [ ! -f "$first" ]; then
        cp "$2" "$first"
        cksum <"$2"
    elif cmp -s "$first" "$2"; then
        echo same
    else
        echo DIFFERENT
        return 1
    fi
}

rm -f "$folder"/first.*
row build jobs OpenMP 'everything, short' 'default run'
row ------------------------ ---- ------ ------------------------ ------------------------
while IFS='|' read -r name compiler flags more emulator whole; do
    missing=
    for tool in $compiler $emulator; do
        command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
    done
    if [ -n "$missing" ] && [ -n "${CI:-}" ]; then
        fails "$name" - - "not installed:$missing" ""
        continue
    elif [ -n "$missing" ]; then
        skipped=$((skipped + 1))
        row "$name" - - "skipped: not installed:$missing" ""
        continue
    fi
    to=$folder/$(echo "$name" | tr -cs 'a-zA-Z0-9\n' '-')
    if ! make -s -j2 O="$to" CC="$compiler" CFLAGS="$flags" ${more:+"$more"} >"$to.log" 2>&1; then
        fails "$name" - - "DOES NOT BUILD, see $to.log" ""
        continue
    fi
    openmp=no
    grep -q -e ' -fopenmp' "$to/flags" && openmp=yes
    for jobs in 1 3; do
        good=yes full=-
        for what in '--lang en' '--lang zh' --facts; do
            # shellcheck disable=SC2086
            says short "$to" "$emulator" $what --jobs $jobs
        done >"$to.short" 2>&1
        brief=$(verdict short "$to.short") || good=no
        if [ "$whole" = yes ]; then
            says full "$to" "$emulator" --jobs $jobs >"$to.full" 2>&1
            full=$(verdict full "$to.full") || good=no
        fi
        if [ $good = yes ]; then
            passed=$((passed + 1))
            row "$name" $jobs $openmp "$brief" "$full"
        else
            fails "$name" $jobs $openmp "$brief" "$full"
            for kind in short full; do
                [ ! -f "$to.$kind" ] || diff "$folder/first.$kind" "$to.$kind" | head -n 10
            done
        fi
    done
done <<END
$rows
END
echo "portable: $passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
