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
no_path() { ! grep -n -e "$root" -e "$tmp" -e "$O" "$tmp/a.svg"; }
not_half() { ! find "$1" -type f \( -size 0 -o -name '*.part' -o -name 'part.*' \) | grep .; }

# shellcheck disable=SC2086  # the short options are several words, or none
scripts_of() { "$O/$1" --figures "$2" --quiet $short >"$tmp/text"; }
# shellcheck disable=SC2086
plots_in_terminal() {
    LC_ALL=C "$O/$1" --plot-terminal --quiet $short >"$tmp/out" 2>"$tmp/err" && ! grep . "$tmp/err" &&
        [ "$(wc -l <"$tmp/out")" -gt "$(wc -l <"$tmp/text")" ]
}

language=zh
for program in $PROGRAMS exercises; do
    [ -d "$O/out/figures.$program" ] || continue    # made with the output that EXPECTED.md shows
    check "$program leaves no partial script" not_half "$O/out/figures.$program"
    cd "$O/out/figures.$program" || continue
    for script in *.gp; do
        if [ $language = en ]; then language=zh; else language=en; fi
        check "$script draws an SVG ($language)" draw "$script" $language "$tmp/a.svg"
        check "that names no path" no_path
    done
    check "$script draws a PNG" draw "$script" $language "$tmp/d.png"
    cd "$root" || exit 1
done
cd "$O/out/figures.01_landscape" || exit 1
for script in *.gp; do
    check "$script draws in English" draw "$script" en "$tmp/a.svg"
    check "the same SVG twice" same "$script"
    check "and in Chinese" draw "$script" zh "$tmp/c.svg"
done
cd "$root" || exit 1
short=
check "01_landscape writes figures" scripts_of 01_landscape "$tmp/01"
check "01_landscape --plot-terminal" plots_in_terminal 01_landscape

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
