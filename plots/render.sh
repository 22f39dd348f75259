#!/bin/sh
# render.sh PROGRAM...: draws every figure of these programs.
#
# Each program writes NAME.gp to $O/figures; of each come GALLERY/NAME.svg (English), GALLERY/NAME.zh.svg and
# $O/figures/NAME.en.png, and NAME.zh.png where a Chinese font is installed: without one, gnuplot draws black boxes over
# the whole picture and calls it a success. An SVG needs no font here; who looks at it brings one.
# O: the build folder (default build). GALLERY: where the SVGs go (default plots/gallery).
# ARGS: options for the programs, "--shape decode"; then the SVGs go to $O/slides, not to the gallery, and programs that
# do not take these options are left out.
set -eu
export LC_ALL=C.UTF-8       # in the C locale, gnuplot warns that it has no degree sign
here=$PWD
cd "$(dirname "$0")/.."
O=${O:-build}
ARGS=${ARGS:-}
slides=$O/slides
[ -n "$ARGS" ] || slides=plots/gallery
gallery=${GALLERY:-$slides}
scripts=$O/figures

command -v gnuplot >/dev/null 2>&1 || { echo 'gnuplot is not installed: make setup installs it' >&2; exit 1; }
mkdir -p "$scripts" "$gallery"
gallery=$(cd "$gallery" && pwd)
rm -f "$scripts"/*.gp "$scripts"/*.png "$scripts"/part.*    # figures that no program draws any more
for program in "$@"; do
    case $program in /*) ;; *) program=$here/$program ;; esac
    both=data/h200_matmul.tsv,data/h200_network.tsv
    if [ -n "$ARGS" ]; then
        # shellcheck disable=SC2086  # several words
        "$program" --figures "$scripts" --quiet $ARGS >/dev/null 2>"$scripts/part.said" ||
            echo "  ${program##*/} is left out: $(cat "$scripts/part.said")"
        rm -f "$scripts/part.said"
        continue
    fi
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
page=$gallery/README.md zh_page=$gallery/README.zh.md
trap 'rm -f "$page.part" "$zh_page.part"' EXIT
# shellcheck disable=SC2016  # the backquotes are Markdown's
{
    printf '# Every figure\n\n[中文](README.zh.md). Drawn by `make figures`; the scripts with their data are then in `build/figures`: change a\n'
    printf 'label, or run one again: `gnuplot -e "out='"'slide.pdf'; lang='en'; title=0"'" NAME.gp` (svg, png, pdf, eps, emf or tikz).\n'
} >"$page.part"
# shellcheck disable=SC2016
{
    printf '# 所有的图\n\n[English](README.md)。由 `make figures` 画出；脚本连同数据在 `build/figures` 里，可以改标签，也可以再画：\n'
    printf '`gnuplot -e "out='"'slide.pdf'; lang='zh'; title=0"'" NAME.gp`（svg、png、pdf、eps、emf 或 tikz）。\n'
} >"$zh_page.part"
show() {
    sed -n "s/''/'/g; s/^name = T('\(.*\)', '\(.*\)')$/\2/p" "$1.gp" >part.title
    printf '\n**%s**\n\n![%s](%s.svg)\n' "$(cat part.title)" "$(cat part.title)" "$1" >>"$page.part"
    sed -n "s/''/'/g; s/^name = T('\(.*\)', '\(.*\)')$/\1/p" "$1.gp" >part.title
    printf '\n**%s**\n\n![%s](%s.zh.svg)\n' "$(cat part.title)" "$(cat part.title)" "$1" >>"$zh_page.part"
    rm part.title
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
[ $count -gt 0 ] || { echo 'no program draws a figure' >&2; exit 1; }
mv "$page.part" "$page"
mv "$zh_page.part" "$zh_page"
echo "$count figures: SVG in $gallery, PNG and scripts in $PWD"
