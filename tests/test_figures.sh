#!/bin/sh
# test_figures.sh - every figure can be drawn, without a warning; a figure that cannot leaves nothing behind.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8       # in the C locale, gnuplot warns that it has no degree sign

if ! have gnuplot; then
    skip "gnuplot is not installed: the figures are not tested (make setup installs it)"
    finish
fi

# draw SCRIPT LANGUAGE FILE: without a word on stderr, and something comes out.
draw() {
    gnuplot -e "lang='$2'; out='$3'" "$1" >"$tmp/out" 2>"$tmp/err" || echo "gnuplot: exit status $?" >>"$tmp/err"
    [ -s "$3" ] || echo "nothing was drawn" >>"$tmp/err"
    ! grep . "$tmp/err"
}
same() { draw "$1" en "$tmp/b.svg" && cmp "$tmp/a.svg" "$tmp/b.svg"; }
not_half() { ! find "$1" -type f \( -size 0 -o -name '*.part' -o -name 'part.*' \) | grep .; }

# shellcheck disable=SC2086  # the short options are several words, or none
scripts_of() { "$O/$1" --figures "$2" --quiet $short >"$tmp/text"; }
# shellcheck disable=SC2086
plots_in_terminal() {
    LC_ALL=C "$O/$1" --plot-terminal --quiet $short >"$tmp/out" 2>"$tmp/err" && ! grep . "$tmp/err" &&
        [ "$(wc -l <"$tmp/out")" -gt "$(wc -l <"$tmp/text")" ]
}

# draw_all FOLDER: its scripts in one gnuplot, each in one of the languages, the last also as PNG; then the same checks.
draw_all() {
    rm -f "$tmp"/*.svg "$tmp"/*.png
    for script in "$1"/*.gp; do
        if [ $language = en ]; then language=zh; else language=en; fi
        svg=${script##*/}
        printf "reset session\nlang='%s'; out='%s'; load '%s'\n" $language "$tmp/${svg%.gp}.svg" "$script"
    done >"$tmp/all"
    printf "reset session\nlang='%s'; out='%s'; load '%s'\n" $language "$tmp/one.png" "$script" >>"$tmp/all"
    gnuplot "$tmp/all" >"$tmp/out" 2>"$tmp/err" || echo "gnuplot: exit status $?" >>"$tmp/err"
    ! grep . "$tmp/err"
}
all_drawn() { for script in "$1"/*.gp; do svg=${script##*/}; [ -s "$tmp/${svg%.gp}.svg" ] || return 1; done; [ -s "$tmp/one.png" ]; }
no_path() { ! grep -n -e "$root" -e "$tmp" -e "$O" "$tmp"/*.svg; }

titles() { sed -n 's/^name = //p' "$O"/out/figures.*/*.gp; }
check "no two titles are the same" [ -z "$(titles | sort | uniq -d)" ]
language=zh
for program in $PROGRAMS exercises; do
    folder=$O/out/figures.$program      # made with the output that EXPECTED.md shows
    [ -d "$folder" ] || continue
    check "$program leaves no partial script" not_half "$folder"
    check "its figures are drawn without a warning" draw_all "$folder"
    check "all of them" all_drawn "$folder"
    check "and name no path" no_path
done
cd "$O/out/figures.01_landscape" || exit 1
check "a script draws in English" draw slowdown.gp en "$tmp/a.svg"
check "the same SVG twice" same slowdown.gp
check "and another in Chinese" draw slowdown.gp zh "$tmp/c.svg"
check_not "which differs" cmp -s "$tmp/a.svg" "$tmp/c.svg"
check "its fonts end in sans-serif" grep -q 'font-family="[^"]*sans-serif"' "$tmp/a.svg"
for suffix in png pdf eps emf tikz; do check "a $suffix" draw slowdown.gp zh "$tmp/a.$suffix"; done
check_not "no jpg" draw slowdown.gp en "$tmp/a.jpg"
check "it says what there is" grep -q "a.jpg': expected a name that ends in .svg, .png" "$tmp/err"
untitled() { gnuplot -e "lang='en'; out='$tmp/d.svg'; title=0" slowdown.gp; }
check "title=0" untitled
check_not "leaves the title out" grep -q 'Slowdown of all' "$tmp/d.svg"
cd "$root" || exit 1
short=
check "01_landscape writes figures" scripts_of 01_landscape "$tmp/01"
check "01_landscape --plot-terminal" plots_in_terminal 01_landscape
# In Chinese, frames stand straight: the last columns of a figure's lines are where they are in English.
frame() { "$O/01_landscape" --plot-terminal --quiet --demo 5 --lang "$1" | awk '/^ .*\|$/ { print index($0, "|") }' | sort -u; }
check "also in Chinese" [ "$(frame en)" = "$(frame zh)" ]
wide() { "$O/01_landscape" --plot-terminal --quiet --demo 5 | awk 'length($0) > 90 * (1 + 2 * /[^ -~]/)'; }
check "in 90 columns" [ -z "$(wide)" ]

# render.sh with programs of our own: one draws a good figure, one a figure that fails half-way.
cat >"$tmp/good" <<'END'
#!/bin/sh
mkdir -p "$2"
echo 'set terminal svg; set output out; plot sin(x)' >"$2/good.gp"
END
sed 's/good\.gp/wrong.gp/; s/plot sin(x)/plot nonsense(x)/' "$tmp/good" >"$tmp/wrong"
chmod +x "$tmp/good" "$tmp/wrong"
render() { O=$tmp/build GALLERY=$tmp/gallery sh plots/render.sh "$@" >"$tmp/said" 2>&1; }
drawn() { (cd "$tmp/gallery" && echo *); }

check "render.sh draws" render "$tmp/good"
check "into the gallery, in both languages" [ "$(drawn)" = "README.md README.zh.md good.svg good.zh.svg" ]
rm "$tmp"/gallery/*
check_not "render.sh fails when a figure does" render "$tmp/wrong"
check "and says which" grep -q '^wrong.gp could not be drawn$' "$tmp/said"
check "and leaves nothing in the gallery" [ "$(drawn)" = "*" ]
check "nor a partial picture" not_half "$tmp/build/figures"
finish
