#!/bin/sh
# faults.sh [NUMBER...]: seeds faults, one at a time, and says which of them `make check` catches. Not part of it: a
# caught one takes until the first test fails, a missed one as long as a check. Works in a copy of the tree; a fault whose place is no longer there is an error of this script.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
trap 'exit 1' HUP INT TERM
cp -Rp . "$tree/" && cd "$tree" || exit 1
wanted=" $* " number=0 caught=0 missed=0 broken=0
echo "Without a fault:"
make check >"$tree/log" 2>&1 || { grep -E '^(FAIL|check:)|rror' "$tree/log"; exit 1; }
tail -n 1 "$tree/log"

# fault NAME TEXT SED-SCRIPT: the file is the one that holds the text.
fault() {
    number=$((number + 1))
    case $wanted in '  ' | *" $number "*) ;; *) return ;; esac
    file=$(grep -rlF -e "$2" --include='*.c' --include='*.h' --include='EXPECTED*.md' common data 0* EXPECTED*.md | head -n 1)
    if [ -z "$file" ] || ! cp -p "$file" "$tree/good" || ! sed "$3" "$tree/good" >"$file" || cmp -s "$file" "$tree/good"; then
        broken=$((broken + 1))
        printf '%2d  BROKEN  %s: nothing to change in %s\n' $number "$1" "${file:-any file}"
    elif make check 2>&1 | sed '/^FAIL \|: error: [^F]/q' >"$tree/log"; grep -q '^check: .* 0 failed' "$tree/log"; then
        missed=$((missed + 1))
        printf '%2d  missed  %s (%s)\n' $number "$1" "$file"
    else
        caught=$((caught + 1))
        printf '%2d  caught  %s (%s) by%s\n' $number "$1" "$file" \
            "$(awk '$1 == "FAIL" { printf " " $2 } /: error: [^F]/ { printf " the compiler" }' "$tree/log")"
    fi
    [ -z "$file" ] || [ ! -f "$tree/good" ] || { cp "$tree/good" "$file"; rm "$tree/good"; }    # newer than what was built
}

fault 'a split that sends a bin to the wrong side' '<= question;' 's/<= question;/< question;/'
fault 'a strategy that asks for a configuration twice' 'rng_stream(seed, "random", 0)' \
    's/return \(unseen_draw_many(.*)\);/size_t n = \1; if (n > 1) configs[1] = configs[0]; return n;/'
fault 'a strategy that calls a device' 'rng_stream(seed, "random", 0)' \
    's/^static void random_tell/void device_close(void *device);\n&/; s/(void)self, (void)n/if (!self) device_close(self); (void)n/'
fault 'an include against the order' 'struct space' '1s/^/#include "tuning.h"\n/'
fault 'a stale table in EXPECTED.md' '```demo02.3' '/^```demo02\.3$/,/^```$/s/[0-9]\.[0-9]/9.9/'
fault 'a stale table in EXPECTED.zh.md' '你应该看到什么' '/^```demo04\.3$/,/^```$/s/\([0-9]\.[0-9]\)\( *\)$/9.9\2/'
fault 'noise that is the same in every trial' '"noise", m->trials' 's/"noise", m->trials/"noise", 0/'
fault 'a wrong reason why a configuration is illegal' 'return HYPOGPU_WARPS;' 's/return HYPOGPU_WARPS;/return HYPOGPU_REGISTERS;/'
fault 'a limit of shared memory that lets one more tile in' 'matmul_smem_bytes(v) > ' 's/matmul_smem_bytes(v) > /matmul_smem_bytes(v) > 5 * 1024 + /'
fault 'JSON that is not closed' '"]}\n]}\n"' 's/"\]}\\n\]}\\n"/"]}\\n}\\n"/'
fault 'a number one above its limit is accepted' 'value > row->high' 's/value > row->high/value > row->high + 1/'
fault 'a scheduler with a sign turned' '.alone = -best_us' 's/\.alone = -best_us/.alone = best_us/'
fault 'tuners that stay open' 'tuning_close(&n->tuning' 's/tuning_close(&n->tuning.*;/;/'
fault 'a log that accepts another trial' 'if (!strcmp(found, expected))' 's/if (!strcmp(found, expected))/if (strlen(found) == strlen(expected))/'
fault 'a late device of which only the shell is killed' 'kill(-p->guard' \
    's/kill(-p->guard, SIGTERM)/kill(p->command, SIGTERM)/; s/kill(-p->guard, SIGKILL)/kill(p->guard, SIGKILL), kill(p->command, SIGKILL)/'
fault 'a device that cannot clean up when its tuner is gone' 'kill -TERM 0' 's/kill -TERM 0; sleep 1; //'
fault 'a batch whose rows the rules of a large space do not see' 'configs[n++] = l->rows' 's/configs\[n++\] = /configs[n] = /'
fault 'a row that may be answered twice' 'row->state >= state' 's/row->state >= state/row->state > state/'
fault 'a message in Chinese that says something else' '"讲义与本程序"' 's/"讲义与本程序"/"讲义和这里"/'
fault 'a claim that looks for other tasks' 'UP, QKV, DOWN, DECODE_UP' 's/QKV, DOWN, DECODE_UP/DOWN, QKV, DECODE_UP/'
fault 'a bootstrap that draws each record once' 'rng_below(&m->rng' 's/rng_below(&m->rng, (uint32_t)n)/(uint32_t)i/'
echo "faults: $caught caught, $missed missed, $broken broken"
[ $missed$broken = 00 ]
