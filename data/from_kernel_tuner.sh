#!/bin/sh
# from_kernel_tuner.sh FILE... > TABLE.tsv - tuning results of Kernel Tuner as a table for --device: its cache files and
# the T4 form of them, plain or gzip'd. Several files of one search space, each from another device, make one table
# with a column a device.
#
# A row is a configuration that was tried; times stay in milliseconds. A cell without a time says in T4's words why:
# constraints (the space's own rules exclude it), compile, runtime, timeout, correctness. NAME_sd is the error of the
# recorded time, a mean of n runs with outliers and cold starts among them: 1.4826 MAD / sqrt(n), a robust estimate.
# NAME_compile_s is what compiling took. Knobs that are not whole numbers (true, "float4", 0.5) are numbered from 0 in
# sorted order; a comment says which number is what. The cache file of a run that was interrupted lacks its closing
# braces, maybe half a line: what is whole is read. On stderr: what was dropped, and what the reader should doubt.
set -eu

die()
{
    printf '%s: %s\n' "${0##*/}" "$(printf %s "$*" | LC_ALL=C tr -c '\40-\176\200-\377' '?' | cut -c 1-280)" >&2
    exit 2
}

[ $# -ge 1 ] || die 'expected result files of Kernel Tuner (.json or .json.gz; cache files or T4)'
command -v jq >/dev/null 2>&1 ||
    die 'jq is not installed: apt-get install jq, dnf install jq, pacman -S jq or brew install jq'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# An interrupted run: close what is open, with the last line or, if that is cut off, without it.
mend()
{
    for cut in '' '$d;'; do
        for close in '}' '}}'; do
            sed "$cut" "$2" | sed '$s/,[[:space:]]*$//' >"$work/try"
            echo "$close" >>"$work/try"
            if jq empty "$work/try" 2>/dev/null; then
                mv "$work/try" "$2"
                echo "${0##*/}: $1: the run was interrupted, its file was closed" >&2
                return
            fi
        done
    done
    die "$1: not JSON, also not with closing braces added"
}

cat >"$work/read" <<'JQ'
# One result file as {name, device, problem, keys, size, rows}: a row {values, time, sd, compile} or {values, failure, compile}.
def mad: sort | .[length / 2 | floor] as $m | map(. - $m | fabs) | sort | .[length / 2 | floor];
def error_of_mean: [.[] | numbers] | if length > 1 then 1.4826 * mad / (length | sqrt) else null end;
def positive: type == "number" and . > 1e-9 and . < 1e9;        # ms: what the programs read
def seconds: if positive then . / 1000 else null end;
def doubtful($times): ([$times[] | numbers]) as $t | ($t | length) > 1 and
    (($t | add / length) as $mean | ($mean - .time | fabs) > 0.05 * .time);
def failure: if type == "number" then "runtime"                 # 1e20, in old files
    else { InvalidConfig: "constraints", CompilationFailedConfig: "compile", RuntimeFailedConfig: "runtime" }[.] // "runtime" end;
def row($values; $times): if .time | positive then { $values, time, sd: ($times // [] | error_of_mean), doubt: doubtful($times // []) }
    else { $values, failure: (.time | failure) } end;
def knobs_of($keys): . as $config | if $keys - ($config | keys_unsorted) == [] then [.[$keys[]]]
    else error("a configuration lacks \($keys - ($config | keys_unsorted) | join(", "))") end;
def cache:
    if (.objective // "time") != "time" then error("the objective is \(.objective | tojson); expected \"time\"") else . end
    | (.tune_params_keys // (.tune_params | keys_unsorted)) as $keys
    | { name: (.kernel_name // "time"), device: .device_name, problem: .problem_size, $keys,
        size: ([.tune_params // {} | .[$keys[]]? | length] | if length == ($keys | length) then reduce .[] as $n (1; . * $n) else null end),
        entries: (.cache | length),
        rows: [.cache[] | select(.time | type == "number" or type == "string")
               | . as $entry | row(knobs_of($keys); .times) + { compile: (.compile_time | seconds) }] };
def t4:
    if [.results[].objectives? // [] | select(. != [] and . != ["time"])] != [] then
        error("the objectives are \([.results[].objectives? // empty][0] | tojson); expected [\"time\"]") else . end
    | (.results[0].configuration // {} | keys_unsorted) as $keys
    | { name: "time", device: null, problem: null, $keys, size: null, entries: (.results | length),
        rows: [.results[] | (.configuration | knobs_of($keys)) as $values
               | ([.measurements[]? | select(.name == "time")][0] // {}) as $m | .times.runtimes as $runs
               | (if (.invalidity // "correct") == "correct" then { time: $m.value } | row($values; $runs)
                  else { $values, failure: .invalidity } end) + { compile: (.times.compilation | seconds) }] };
(if type != "object" then error("expected a JSON object with \"cache\" or \"results\"")
 elif .cache | type == "object" then cache
 elif (.results | type == "array") and .results != [] then t4
 elif has("Results") or has("ComputationResults") then error("results of KTT, another tuner: expected Kernel Tuner's")
 else error("expected a cache file of Kernel Tuner, an object with \"cache\", or its T4 form, with \"results\"") end)
| if [.rows[] | select(.time)] == [] then error("no configuration in it has a time") else . end
| (.rows | map(.values) | length - (unique | length)) as $twice
| if $twice > 0 then error("\($twice) configurations stand there twice") else . end
JQ

n=0
for file in "$@"; do
    [ -f "$file" ] && [ -r "$file" ] || die "$file: cannot be read"
    case $(head -c 4 "$file" | od -An -c | tr -d ' ') in
    PK*) die "$file: a zip archive: unpack it first" ;;
    esac
    n=$((n + 1))
    gzip -dcf -- "$file" >"$work/$n.json" || die "$file: the gzip data are damaged"
    jq empty "$work/$n.json" 2>/dev/null || mend "$file" "$work/$n.json"
    jq -c -f "$work/read" "$work/$n.json" >"$work/$n.rows" 2>"$work/error" ||
        die "$file: $(sed 's/^jq: error ([^)]*): //' "$work/error")"
done

cat >"$work/write" <<'JQ'
def word: gsub("[^A-Za-z0-9_]+"; "_") | .[:60] | if test("^[0-9]") then "_" + . else . end | if . == "" then "_" else . end;
def line: tostring | explode | map(if . < 32 or (. >= 127 and . < 160) or (. >= 8206 and . <= 8303) then 63 else . end) | implode | .[:200];
def whole: type == "number" and . == floor and . >= -2147483647 and . <= 2147483647;
def round_to($unit): . / $unit | round | . * $unit | . * 1e9 | round | . / 1e9;
def distinct: reduce .[] as $w ([]; . as $have | . + [$w | until(. as $x | $have | index($x) | not; . + "_")]);

. as $files | .[0].keys as $keys
| if any($files[]; .keys != $keys) then error("the files have different knobs: \([$files[].keys | join(" ")] | unique | join(" | "))") else . end
| ([range($keys | length) as $i | [$files[].rows[].values[$i]] | unique
    | if all(whole) then null else . end]) as $meaning
| [$meaning[] | if . then with_entries({ key: (.value | tojson), value: .key }) else null end] as $number
| ($keys | map(word) | distinct) as $knobs
| ([$files[] | if $files | length > 1 then .device // "device" else .name end | word] as $names
   | $knobs + $names | distinct | .[$knobs | length:]) as $columns
| [range($files | length) as $f | $files[$f].rows | [.[] | select(.time)]
   | { sd: all(.[]; .sd), compile: any(.[]; .compile) }] as $has
| [$files[] | [.rows[] | select(.time)] | length] as $legal
| (reduce range($files | length) as $f ({}; reduce $files[$f].rows[] as $row (.; .[$row.values | tojson][$f] = $row))) as $cells
| ($cells | length) as $rows
| ([range($keys | length) as $i | [$files[].rows[].values[$i]] | unique | length] | reduce .[] as $n (1; . * $n)) as $size
| if ($keys | length) > 64 then error("\($keys | length) knobs; at most 64 are read")
  elif $size > 1000000 and $size > 1000 * $rows then error("\($rows) rows for \($size) combinations of knob values; at least one in 1000 must stand in a table")
  elif $size > 268435456 then error("\($size) combinations of knob values; at most 268435456 are read") else . end
| (range($files | length) as $f | $files[$f]
   | "# Kernel Tuner: kernel \(.name | line), problem size \(.problem | tojson | line), column \($columns[$f])\(if .device then " on " + (.device | line) else "" end)",
     "# \($legal[$f]) times, \((.rows | length) - $legal[$f]) failures, \(.entries - (.rows | length)) never ran\(if .size then "; \(.rows | length) of the \(.size) combinations of its knobs" else "" end)"),
  (if $files | length == 1 then .[0].device // empty else "\($files | length) devices" end | "# device: \(line)"),
  (if $files | length > 1 then "# columns: devices" else empty end), "# unit: ms", "# rules: constraints",
  (range($keys | length) as $i | $meaning[$i] // empty | to_entries
   | "# knob \($knobs[$i]): " + (map("\(.key) = \(.value | line)") | join(", "))),
  "# knobs: " + ($knobs | join(" ")),
  ($knobs + [range($files | length) as $f | $columns[$f], if $has[$f].sd then $columns[$f] + "_sd" else empty end,
             if $has[$f].compile then $columns[$f] + "_compile_s" else empty end] | join("\t")),
  ($cells | to_entries | map({ key: (.key | fromjson | [range($keys | length) as $i | .[$i] as $v
                                     | if $number[$i] then $number[$i][$v | tojson] else $v | floor end]), value })
   | sort_by(.key)[]
   | .key + [range($files | length) as $f | (.value[$f] // { failure: "not_recorded" })
             | .time // (.failure | word),
               if $has[$f].sd then if .time then .sd | round_to(1e-6) else "x" end else empty end,
               if $has[$f].compile then .compile // "x" else empty end]
   | map(tostring) | join("\t"))
JQ
cat "$work"/*.rows 2>/dev/null | jq -s -r 'def n: .; .[] | "\(.entries)\t\(.rows | length)\t\([.rows[] | select(.time)] | length)\t\([.rows[] | select(.doubt)] | length)\t\([.rows[] | select(.doubt)][0].time)"' >"$work/said"
i=0
while IFS='	' read -r entries rows legal doubt first; do
    i=$((i + 1))
    eval "file=\${$i}"
    [ "$entries" = "$rows" ] ||
        printf '%s: %s: %d of %d configurations never ran: dropped\n' "${0##*/}" "$file" $((entries - rows)) "$entries" >&2
    [ "$doubt" = 0 ] ||
        printf '%s: %s: in %d of %d configurations the time and the mean of its runs differ by over 5 %% (first: time %s)\n' \
            "${0##*/}" "$file" "$doubt" "$legal" "$first" >&2
done <"$work/said"
jq -s -r -f "$work/write" $(i=0; while [ $i -lt $n ]; do i=$((i + 1)); echo "$work/$i.rows"; done) >"$work/table" 2>"$work/error" ||
    die "$(sed 's/^jq: error ([^)]*): //' "$work/error")"
cat "$work/table"
