#!/bin/sh
# portable.sh PROGRAM...: the same bytes from every compiler, optimisation, C library and CPU, on one thread and on three.
#
# Each row builds the programs under $O/portable and compares what they say with the first row that could: with short
# experiments, in Chinese on one thread, in English and as --facts on three; and the default run as it is, but not for
# builds that would take minutes over it. A compiler that is not installed is skipped with a word; where CI is set, that
# is a failure. The last line is  portable: N passed, N failed[, N skipped]
. "$(dirname "$0")/lib.sh"
folder=$O/portable
programs=${*:-$PROGRAMS}
mkdir -p "$folder"
rm -f "$folder"/first.*

# The rows: name | compiler | CFLAGS | more for make | runs the programs | threads of the default runs
# musl-gcc finds glibc's OpenMP, which does not fit; the builds for qemu are static, so that it needs no libraries of theirs.
rows='gcc -O2|gcc|-O2|||1 3
gcc -O0|gcc|-O0|||
gcc -O3 -march=native|gcc|-O3 -march=native|||3
gcc -Ofast|gcc|-Ofast|||
clang -O2|clang|-O2|||3
clang -O3 -ffast-math|clang|-O3 -ffast-math|||3
musl-gcc -O2|musl-gcc|-O2|OPENMP=||3
aarch64 gcc -O2, qemu|aarch64-linux-gnu-gcc|-O2|LDFLAGS=-static|qemu-aarch64|
i686 gcc -O2, qemu|i686-linux-gnu-gcc|-O2|LDFLAGS=-static|qemu-i386|'

row() { printf '%-24s %4s  %-6s  %-22s  %s\n' "$@"; }
fails() { failed=$((failed + 1)); row "$@"; }

# says LENGTH ARGUMENT...: what every program of the row says, with short experiments or in full.
says() {
    length=$1
    shift
    for program in $programs; do
        # shellcheck disable=SC2046,SC2086  # lists of words, or none
        $emulator "$to/$program" --quiet --jobs $jobs "$@" $([ $length = full ] || short_of $emulator "$to/$program") ||
            echo "$program: exit status $?"
    done
}

# verdict KIND: reads what the row's programs said and prints "same", or a checksum if it is the first of its kind, or
# what is wrong; fails if it is.
verdict() {
    first=$folder/first.$1 here=$to.$1
    cat >"$here"
    if grep -q ': exit status' "$here"; then
        echo 'DOES NOT RUN'
        tail -n 3 "$here" >&2
        return 1
    elif [ ! -f "$first" ]; then
        cp "$here" "$first"
        cksum <"$first"
    elif cmp -s "$first" "$here"; then
        echo same
    else
        echo DIFFERENT
        diff "$first" "$here" | head -n 10 >&2
        return 1
    fi
}

row build jobs OpenMP 'short experiments' 'default run'
row ------------------------ ---- ------ ---------------------- ----------------------
while IFS='|' read -r name compiler flags more emulator whole; do
    missing=
    for tool in $compiler $emulator; do
        have "$tool" || missing="$missing $tool"
    done
    if [ -n "$missing" ] && [ -n "${CI:-}" ]; then
        fails "$name" - - "not installed:$missing" ''
        continue
    elif [ -n "$missing" ]; then
        skipped=$((skipped + 1))
        row "$name" - - "skipped: not installed:$missing" ''
        continue
    fi
    to=$folder/$(echo "$name" | tr -cs 'a-zA-Z0-9\n' '-')
    if ! make -s -j2 O="$to" CC="$compiler" CFLAGS="$flags" ${more:+"$more"} >"$to.log" 2>&1; then
        fails "$name" - - "DOES NOT BUILD, see $to.log" ''
        continue
    fi
    openmp=no
    grep -q -e ' -fopenmp' "$to/flags" && openmp=yes
    for jobs in 1 3; do
        good=yes full=-
        if [ $jobs = 1 ]; then
            says short --lang zh
        else
            says short --lang en
            says short --facts
        fi >"$to.said" 2>&1
        brief=$(verdict short$jobs <"$to.said") || good=no
        case " $whole " in
        *" $jobs "*)
            says full --lang en >"$to.said" 2>&1
            full=$(verdict full <"$to.said") || good=no
            ;;
        esac
        if [ $good = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
        row "$name" $jobs $openmp "$brief" "$full"
    done
done <<END
$rows
END
echo "portable: $passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
