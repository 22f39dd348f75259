#!/bin/sh
# setup.sh - installs what tests and figures need and this machine lacks, with its package manager. Asks nothing; uses sudo
# only where it must; a second run finds nothing to do. The programs themselves need only a C compiler and make.
set -eu
cd "$(dirname "$0")/.."
have() { command -v "$1" >/dev/null 2>&1; }

# What it is for, and whether it is here.
purpose() {
    case $1 in
    cmocka) echo 'the unit tests' ;;
    pkg-config) echo 'finds cmocka for the compiler' ;;
    gnuplot) echo 'the figures' ;;
    jq) echo 'imports Kernel Tuner files, checks JSON output' ;;
    parallel) echo 'GNU parallel: a run in parts, side by side' ;;
    font) echo 'Chinese labels in PNG figures' ;;
    esac
}
is_here() {
    case $1 in
    cmocka)
        # shellcheck disable=SC2046  # pkg-config prints several options, or none
        printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>\n' |
            ${CC:-cc} $(pkg-config --cflags cmocka 2>/dev/null) -x c -E - >/dev/null 2>&1
        ;;
    parallel) parallel --version 2>/dev/null | grep -q GNU ;; # moreutils has another
    font) fc-list :lang=zh 2>/dev/null | grep -q . ;;
    *) have "$1" ;;
    esac
}

# Package names, in the order of `wanted`. brew needs no font: macOS has Chinese ones.
wanted='cmocka pkg-config gnuplot jq parallel font'
if have apt-get; then
    manager=apt-get names='libcmocka-dev pkg-config gnuplot-nox jq parallel fonts-wqy-microhei'
    install='env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends'
elif have dnf; then
    manager=dnf names='libcmocka-devel pkgconf-pkg-config gnuplot jq parallel wqy-microhei-fonts'
    install='dnf install -y'
elif have pacman; then
    manager=pacman names='cmocka pkgconf gnuplot jq parallel wqy-microhei'
    install='pacman -S --noconfirm --needed'
elif have brew; then
    manager=brew names='cmocka pkgconf gnuplot jq parallel -'
    install='brew install'
else
    manager='' names='- - - - - -'
fi

packages='' font=''
for what in $wanted; do
    name=${names%% *}
    names=${names#* }
    if is_here "$what" || { [ "$what" = font ] && [ "$name" = - ]; }; then
        continue
    fi
    [ -n "$packages$font" ] || echo 'Missing here:'
    printf '  %-12s %s\n' "$what" "$(purpose "$what")"
    if [ "$what" = font ]; then font=$name; else packages="$packages $name"; fi
done
if [ -z "$packages$font" ]; then
    echo 'Everything that tests and figures need is here: nothing to do.'
    exit 0
fi
if [ -z "$manager" ]; then
    echo 'None of apt-get, dnf, pacman, brew is here: install these by hand.' >&2
    exit 1
fi

sudo=
if [ "$manager" != brew ] && [ "$(id -u)" != 0 ]; then
    have sudo || { echo "Run as root: $install$packages $font" >&2; exit 1; }
    sudo=sudo
fi
run() {
    echo "+ $*"
    "$@"
}
# shellcheck disable=SC2086  # commands and lists of packages are to be split into words
{
    if [ $manager = apt-get ]; then run $sudo apt-get update; fi
    if [ -n "$packages" ]; then run $sudo $install $packages; fi
    if [ -n "$font" ] && ! run $sudo $install $font; then
        echo "No $font: PNG figures keep their English labels."      # all else works without
    fi
}
for what in ${wanted% font}; do
    is_here "$what" || { echo "$manager did not bring $what" >&2; exit 1; }
done
echo 'Ready: make check, make figures.'
