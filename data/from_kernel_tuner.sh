#!/bin/sh
# from_kernel_tuner.sh FILE > TABLE.tsv - a Kernel Tuner cache file, plain or gzip'd, as a table for --device.
#
# A row is a configuration that ran or failed; times stay in milliseconds. Failures keep their kind (compile_error,
# run_error, invalid). What never ran has no row, and so is "not recorded". Knobs that are not whole numbers (true,
# "float4", 0.5) are numbered from 0 in sorted order; a comment says which number is what. The file of a run that was
# interrupted lacks its closing braces, maybe half a line: what is whole is read.
set -eu

die()
{
    echo "${0##*/}: $*" >&2
    exit 2
}

[ $# -eq 1 ] || die 'expected one argument, a Kernel Tuner cache file (.json or .json.gz)'
[ -f "$1" ] && [ -r "$1" ] || die "$1: cannot be read"
command -v jq >/dev/null 2>&1 ||
    die 'jq is not installed: apt-get install jq, dnf install jq, pacman -S jq or brew install jq'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
gzip -dcf -- "$1" >"$work/json" || die "$1: the gzip data are damaged"

# An interrupted run: close what is open, with the last line or, if that is cut off, without it.
if ! jq empty "$work/json" 2>/dev/null; then
    mended=
    for cut in '' '$d;'; do
        for close in '}' '}}'; do
            [ "$mended" ] && continue
            sed "$cut" "$work/json" | sed '$s/,[[:space:]]*$//' >"$work/try"
            echo "$close" >>"$work/try"
            jq empty "$work/try" 2>/dev/null && mended=yes && mv "$work/try" "$work/json"
        done
    done
    [ "$mended" ] || die "$1: not JSON, also not with closing braces added"
    echo "${0##*/}: $1: the run was interrupted, its file was closed" >&2
fi

cat >"$work/program" <<'JQ'
def word: gsub("[^A-Za-z0-9_]+"; "_");                         # a column name or a reason
def whole: type == "number" and . == floor and . >= -2147483647 and . <= 2147483647;
def failure:
    if type == "number" then "failed"                           # 1e20, in old files
    else { InvalidConfig: "invalid", CompilationFailedConfig: "compile_error",
           RuntimeFailedConfig: "run_error" }[.] // word end;
def deviation: (add / length) as $mean | (map((. - $mean) | . * .) | add) / (length - 1) | sqrt;
def round_to($unit): . / $unit | round | . * $unit | . * 1e9 | round | . / 1e9;

if [objects | .cache | objects] != [] then .
else error("expected a Kernel Tuner cache file, a JSON object with \"cache\"") end
| (.tune_params_keys // (.tune_params | keys_unsorted)) as $keys
| ((.kernel_name // "time") | word) as $name
| (.cache | length) as $entries

# One object a configuration that ran: its knob values, and its time with its deviation or why it failed.
| [.cache | to_entries[] | .key as $key | .value
   | if $keys - keys == [] then . else error("configuration \($key) lacks \($keys - keys | join(", "))") end
   | select(.time | type == "number" or type == "string")
   | [.[$keys[]]] as $values
   | if (.time | type) == "number" and .time > 0 and .time < 1e20
     then { $values, time, sd: ([.times[]? | numbers] | if length > 1 then deviation else null end) }
     else { $values, failure: (.time | failure) } end] as $rows
| [$rows[] | select(.time)] as $legal
| ($legal != [] and all($legal[]; .sd)) as $sd

# For each knob that is not of whole numbers, the values that its numbers stand for; null for the others.
| [range($keys | length) as $i | [$rows[].values[$i]] | unique | if all(whole) then null else . end] as $meaning
| "# Kernel Tuner cache file: kernel \(.kernel_name // "?"), problem size \(.problem_size | tojson)",
  "# \($legal | length) times, \($rows - $legal | length) failures, \($entries - ($rows | length)) never ran",
  (.device_name // empty | "# device: \(.)"),
  "# unit: ms",
  (select($sd) | $legal | map(100 * .sd / .time) | sort | .[length / 2 | floor] | "# noise: \(round_to(0.01))%"),
  (range($keys | length) as $i | $meaning[$i] // empty | to_entries
   | "# knob \($keys[$i]): " + (map("\(.key) = \(.value)") | join(", "))),
  "# knobs: " + ($keys | map(word) | join(" ")),
  ($keys + [$name, if $sd then $name + "_sd" else empty end] | map(word) | join("\t")),
  ([$rows[] | .values = [range($keys | length) as $i | .values[$i] as $v
                         | if $meaning[$i] then $meaning[$i] | index([$v]) else $v | floor end]]
   | sort_by(.values)[]
   | .values + if .time then [.time] + if $sd then [.sd | round_to(1e-6)] else [] end
               else [.failure] + if $sd then ["x"] else [] end end
   | map(tostring) | join("\t"))
JQ
jq -r -f "$work/program" "$work/json" 2>"$work/error" || die "$1: $(sed 's/^jq: error ([^)]*): //' "$work/error")"
