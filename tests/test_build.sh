#!/bin/sh
# test_build.sh - the Makefile, on a small tree: in parallel and one by one, `clean all` in this order, what a demo needs and
# no more, and nothing that is built twice or not rebuilt.
. "$(dirname "$0")/lib.sh"
case $O in *-san) skip "sanitizers build as everything else does"; finish ;; esac
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir -p "$tmp/tree/common/base" "$tmp/tree/common/report" "$tmp/tree/plots"
cp -R Makefile tests "$tmp/tree/"
cd "$tmp/tree" || exit 1
rm -f tests/test_*
PROGRAMS='01_one 02_two'
echo 'int one(void); int one(void) { return 0; }' >common/base/one.c
sed 's/one/figure/g' common/base/one.c >common/report/figure.c
for folder in $PROGRAMS 05_strategies/exercises data/claims 06_live 06_live/cpu_gemm; do
    mkdir -p $folder
    echo 'int one(void); int puts(const char *); int main(void) { puts("Demo 1  One"); return one(); }' >$folder/main.c
done
O=build
make_it() { make O=$O CC="${CC:-cc}" PROGRAMS="$PROGRAMS" OPENMP= "$@" >"$tmp/said" 2>&1 || { cat "$tmp/said"; false; }; }
says() { grep -q -e "$1" "$tmp/said" || { cat "$tmp/said"; false; }; }
all_built() { for program in $PROGRAMS exercises claims cpu_gemm live; do [ -x $O/$program ] || return 1; done; }
level() { grep -e "-c $1" "$tmp/said" | grep -oE -e '-O[0-3]' | tail -n 1; }

check "make demo02" make_it demo02
check "builds 02" [ -x build/02_two ]
check_not "and no other" [ -x build/01_one ]
check "make" make_it
check "builds all" all_built
check "make again" make_it
check_not "compiles nothing" says '^  CC'
check "make with other CFLAGS" make_it CFLAGS=-O1 V=1
check "compiles all again" says 'common/base/one.c'
check "at the user's level" [ "$(level common/base/one.c)$(level data/claims/main.c)" = -O1-O1 ]
check "make clean all" make_it clean all V=1
check "cleans, then builds all" all_built
check "what computes at -O2, what prints at -O0" [ "$(level common/base/one.c)$(level data/claims/main.c)" = -O2-O0 ]
check "make -j1 clean all" make_it -j1 clean all
check "builds all" all_built
check "make clean" make_it clean
check_not "leaves nothing" [ -d build ]
mkdir "$tmp/bin"                                 # a machine that does not say how many processors it has
for tool in nproc getconf; do printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/$tool" && chmod +x "$tmp/bin/$tool"; done
one_by_one() { (PATH="$tmp/bin:$PATH" && make_it "$@"); }
check "make without OpenMP where nobody knows the processors" one_by_one
check "builds all" all_built
sed 's/one/two/g' common/base/one.c >common/base/two.c
check "a room more" make_it
rm common/base/two.c
check "and away again" make_it
check_not "does not stay in the library" eval 'ar t build/libtuning.a | grep two'
check_not "a folder with spaces is refused" make_it O='a b'
check "with a word" says 'without spaces'
echo 'int one(void); int main(void) { return one(); }' >my.c
check "make mine FILE=my.c" make_it mine FILE=my.c
check "leaves it in the build folder" [ -x build/mine ]
check_not "make mine alone fails" make_it mine
check "and says how to" says 'make mine FILE=my.c'
printf '```demo01.1\nDemo 1  One\n```\n' >EXPECTED.md
sed 's/One/Eins/' EXPECTED.md >EXPECTED.zh.md
check "make compare01" make_it compare01
check "finds no difference" says 'All 1 blocks'
check_not "make compare in another language" make_it compare01 ARGS='--lang zh'
check "shows it" says '^-Demo 1  Eins'
check "make help" make_it help
check "lists the checks, too" says 'make portable'
finish
