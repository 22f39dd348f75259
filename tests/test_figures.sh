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
same() { draw "$1" en b.svg && cmp a.svg b.svg; }
no_path() { ! grep -n -e "$root" -e "$tmp" -e "$O" a.svg; }
not_half() { ! find "$1" -type f \( -size 0 -o -name '*.part' -o -name 'part.*' \) | grep .; }

# shellcheck disable=SC2086  # the short options are several words, or none
scripts_of() { "$O/$1" --figures "$2" --quiet $short >"$tmp/text"; }
# shellcheck disable=SC2086
plots_in_terminal() {
    LC_ALL=C "$O/$1" --plot-terminal --quiet $short >"$tmp/out" 2>"$tmp/err" && ! grep . "$tmp/err" &&
        [ "$(wc -l <"$tmp/out")" -gt "$(wc -l <"$tmp/text")" ]
}

for program in $PROGRAMS; do
    figures=$tmp/$program
    short=$(short_of "$O/$program")
    check "$program writes figures" scripts_of "$program" "$figures"
    check "$program leaves no partial script" not_half "$figures"
    cd "$figures" || continue
    for script in *.gp; do
        [ "$script" != '*.gp' ] || continue
        check "$script draws an SVG" draw "$script" en a.svg
        check "$script's SVG names no path" no_path
        check "$script draws in Chinese" draw "$script" zh c.svg
    done
    check "$script draws the same SVG twice" same "$script"
    check "$script draws a PNG" draw "$script" en d.png
    cd "$root" || exit 1
    check "$program --plot-terminal" plots_in_terminal "$program"
done

# A recording whose column is called like a command.
printf '# knobs: a b\na\tb\t`touch %s`\n1\t1\t2.5\n1\t2\t3.5\n2\t1\t4.5\n2\t2\t5.5\n' "$tmp/ran" >"$tmp/command.tsv"
short="--device $tmp/command.tsv"
check "a column called like a command: figures" scripts_of 01_landscape "$tmp/command"
check "it is drawn" draw "$tmp/command/slowdown.gp" en "$tmp/a.svg"
check "its name is shown" grep -q '`touch ' "$tmp/a.svg"
check "--plot-terminal" plots_in_terminal 01_landscape
check "no command ran" [ ! -e "$tmp/ran" ]

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
check "into the gallery, in both languages" [ "$(drawn)" = "README.md good.svg good.zh.svg" ]
rm "$tmp"/gallery/*
check_not "render.sh fails when a figure does" render "$tmp/wrong"
check "and says which" grep -q '^wrong.gp could not be drawn$' "$tmp/said"
check "and leaves nothing in the gallery" [ "$(drawn)" = "*" ]
check "nor a partial picture" not_half "$tmp/build/figures"
finish
