#!/bin/sh
# test_facts.sh - the published values: rows without slips, bands that hold what was published.
. "$(dirname "$0")/lib.sh"

# The rows beside the demos, "id", "section", KIND, { "lecture", "讲义" }, "low", "high", and below it { "what", "内容" }.
sed -n '/^const struct fact published_/,/^};/p' 0*/*.c | grep -A 1 '^    { "' | grep -v '^--$' >"$tmp/rows"

slips() {
    awk -F'"' '
        function slip(what) { print id ": " what; slips++ }
        function number(s) { return s ~ /^-?[0-9]+(\.[0-9]*)?$/ }
        function texts(from, to,    i) {
            for (i = from; i <= to; i += 2)
                if ($i == "" || $i ~ /[|\t]/) slip("a text is empty or cannot stand in a table")
        }
        /^    \{ "/ {
            id = $2; low = $10; high = $12; timed = /FACT_TIME/; rows++
            texts(2, 8)
            if (seen[id]++) slip("stands twice")
            if (timed != (low == "")) slip("a band, or a wall clock?")
            if (high != "" && !(number(low) && number(high) && low + 0 <= high + 0)) slip("the band " low " … " high)
            if (timed || !number($6)) next          # "about 100,000"
            numbers++
            if (high == "" ? $6 != low : $6 + 0 < low + 0 || $6 + 0 > high + 0) slip($6 " lies outside " low " … " high)
            next
        }
        { texts(2, 4) }
        END { if (rows != 108 || numbers < rows / 2) slip(rows " rows, " numbers + 0 " of them numbers"); exit slips > 0 }
    ' "$1"
}

check "108 published values have no slips" slips "$tmp/rows"
sed '/space.configs/s/"157500"/"157501"/3' "$tmp/rows" >"$tmp/wrong"
check_not "a band that misses what was published is one" slips "$tmp/wrong"
finish
