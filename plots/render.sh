#!/bin/sh
# render.sh PROGRAM...: draws every figure of these programs.
#
# Each program writes NAME.gp to $O/figures; of each come GALLERY/NAME.svg (English), GALLERY/NAME.zh.svg and
# $O/figures/NAME.en.png, and NAME.zh.png where a Chinese font is installed: without one, gnuplot draws black boxes over
# the whole picture and calls it a success. An SVG needs no font here; who looks at it brings one.
# O: the build folder (default build). GALLERY: where the SVGs go (default plots/gallery).
set -eu
export LC_ALL=C.UTF-8       # in the C locale, gnuplot warns that it has no degree sign
here=$PWD
cd "$(dirname "$0")/.."
O=${O:-build}
gallery=${GALLERY:-plots/gallery}
scripts=$O/figures

command -v gnuplot >/dev/null 2>&1 || { echo 'gnuplot is not installed: make setup installs it' >&2; exit 1; }
mkdir -p "$scripts" "$gallery"
gallery=$(cd "$gallery" && pwd)
rm -f "$scripts"/*.gp "$scripts"/*.png "$scripts"/part.*    # figures that no program draws any more
for program in "$@"; do
    case $program in /*) ;; *) program=$here/$program ;; esac
    both=data/h200_matmul.tsv,data/h200_network.tsv
    case ${program##*/} in
    claims) "$program" --figures "$scripts" --quiet --device $both >/dev/null ;;
    04_scheduler)
        "$program" --figures "$scripts" --quiet --demo 1,2 --device $both >/dev/null
        "$program" --figures "$scripts" --quiet >/dev/null ;;
    *) "$program" --figures "$scripts" --quiet >/dev/null ;;
    esac
done
cd "$scripts"       # gnuplot then sees no path that could end up in a picture

zh_font=$(fc-list :lang=zh family 2>/dev/null | head -n 1)
[ -n "$zh_font" ] || echo 'no Chinese font is installed: PNGs in English only (make setup installs one)'

# draw NAME LANGUAGE FILE: into a temporary file first, for gnuplot leaves an empty one when it fails.
draw() {
    part=part.${3##*.}
    if gnuplot -e "out='$part'; lang='$2'" "$1.gp" && [ -s "$part" ]; then
        mv "$part" "$3"
    else
        rm -f "$part"
        echo "$1.gp could not be drawn" >&2
        exit 1
    fi
}

# The gallery's page: every figure with its title, in the order of their names.
page=$gallery/README.md
trap 'rm -f "$page.part"' EXIT
{
    echo '# Every figure'
    echo
    echo 'Drawn by `make figures`; the scripts with their data are then in `build/figures`: change a label and run gnuplot again.'
} >"$page.part"
show() {
    title=$(sed -n "s/''/'/g; s/^name = T('.*', '\(.*\)')$/\1/p" "$1.gp")
    printf '\n**%s** ([中文](%s.zh.svg))\n\n![%s](%s.svg)\n' "$title" "$1" "$title" "$1" >>"$page.part"
}

count=0
for script in *.gp; do
    name=${script%.gp}
    [ "$name" != '*' ] || continue
    count=$((count + 1))
    echo "  $name"
    draw "$name" en "$gallery/$name.svg"
    draw "$name" zh "$gallery/$name.zh.svg"
    draw "$name" en "$name.en.png"
    [ -z "$zh_font" ] || draw "$name" zh "$name.zh.png"
    show "$name"
done
mv "$page.part" "$page"
echo "$count figures: SVG in $gallery, PNG and scripts in $PWD"
