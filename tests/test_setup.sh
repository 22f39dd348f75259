#!/bin/sh
# test_setup.sh - setup.sh on machines of our making: a PATH with nothing in it but a package manager that notes down how
# it is called and then puts what was asked for into the PATH.
. "$(dirname "$0")/lib.sh"
setup=$root/tests/setup.sh
shell=$(command -v sh)

# command_named NAME: a program in the machine's PATH; its text comes on stdin.
command_named() { { echo "#!$shell"; cat; } >"$bin/$1" && chmod +x "$bin/$1"; }

# machine MANAGER UID: a new machine. MANAGER none: it has none.
machine() {
    bin=$tmp/machine
    rm -rf "$bin" "$tmp/called"
    mkdir "$bin"
    for tool in dirname cat grep env chmod; do ln -s "$(command -v $tool)" "$bin/$tool"; done
    echo "echo $2" | command_named id
    # a compiler finds cmocka.h once it was installed
    echo "cat >/dev/null; [ -f '$tmp/machine/cmocka.h' ]" | command_named cc
    echo "echo sudo >>'$tmp/called'; \"\$@\"" | command_named sudo
    [ "$1" = none ] || command_named "$1" <<END
echo "$1 \$*" >>'$tmp/called'
for word in "\$@"; do
    case \$word in
    *cmocka*) : >'$bin/cmocka.h' ;;
    pkg*) echo exit 1 >'$bin/pkg-config'; chmod +x '$bin/pkg-config' ;;
    gnuplot* | jq) : >'$bin/'\${word%-nox}; chmod +x '$bin/'\${word%-nox} ;;
    parallel) echo 'echo GNU parallel' >'$bin/parallel'; chmod +x '$bin/parallel' ;;
    *fonts* | wqy*) echo 'echo WenQuanYi' >'$bin/fc-list'; chmod +x '$bin/fc-list' ;;
    esac
done
END
}
runs() { env -i PATH="$bin" "$shell" "$setup" >"$tmp/said" 2>&1 </dev/null; }
called() { grep -q -x -e "$1" "$tmp/called" || { cat "$tmp/called"; false; }; }
says() { grep -q "$1" "$tmp/said" || { cat "$tmp/said"; false; }; }

while IFS='|' read -r manager install packages font; do
    machine $manager 1000
    check "setup with $manager" runs
    check "says why" says 'cmocka  *the unit tests'
    check "installs" called "$manager $install.*$packages"
    [ -z "$font" ] || check "a font" called "$manager $install.*$font"
    if [ $manager = brew ]; then
        check_not "without sudo" grep -q sudo "$tmp/called"
    else
        check "with sudo" called sudo
    fi
    rm "$tmp/called"
    check "a second time" runs
    check "says that there is nothing to do" says 'nothing to do'
    check_not "and does nothing" [ -f "$tmp/called" ]
done <<'END'
apt-get|install -y|libcmocka-dev pkg-config gnuplot-nox jq parallel|fonts-wqy-microhei
dnf|install -y|libcmocka-devel pkgconf-pkg-config gnuplot jq parallel|wqy-microhei-fonts
pacman|-S --noconfirm --needed|cmocka pkgconf gnuplot jq parallel|wqy-microhei
brew|install|cmocka pkgconf gnuplot jq parallel|
END

machine dnf 0
check "setup as root" runs
check_not "needs no sudo" grep -q sudo "$tmp/called"

machine dnf 1000
rm "$bin/sudo"
check_not "setup without root and sudo fails" runs
check "and says what to do" says '^Run as root: dnf install'

machine dnf 0
echo 'exit 1' | command_named dnf
check_not "setup fails when the manager does" runs

machine dnf 0
echo 'exit 0' | command_named dnf
check_not "setup fails when the manager brings nothing" runs
check "and says what" says 'dnf did not bring cmocka'

machine none 0
check_not "setup fails without a manager" runs
check "and says so" says '^None of apt-get, dnf, pacman, brew'
finish
