# Every command a reader needs. `make help` lists them.
# Settings: CC=clang  CFLAGS=-O3  SAN=1  V=1  O=DIR  ARGS="--lang zh"  PREFIX=/usr/local  DESTDIR=
CC      = cc
CFLAGS  = -O2 -g
O       = build
PREFIX  = /usr/local
ARGS    =
# ------------------------------------------------------------------------------------------------------------------

PROGRAMS = 01_landscape 02_autotvm 03_ansor 04_scheduler 05_strategies
TESTS    = $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))

SOURCES := $(wildcard common/*.c common/*/*.c)               # the rooms; common/tuning.h lists them in reading order
OPENMP  := $(shell printf '\043include <omp.h>\nint main(void){return 0;}' | $(CC) -fopenmp -x c - -o /dev/null 2>/dev/null && echo -fopenmp)
ifneq ($(words $(O)),1)
$(error O='$(O)': expected the name of a folder without spaces)
endif
ifdef SAN
override O := $(O)-san
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPENMP  :=
endif
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes \
           $(if $(OPENMP),,-Wno-unknown-pragmas)
# Behind the user's CFLAGS, so that none of them can change a printed digit.
ALL_CFLAGS = $(CFLAGS) -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fno-fast-math $(WARN) $(WERROR) $(SANITIZE) \
             $(OPENMP) -Icommon -I$(O)
LIB     := $(O)/libtuning.a
BINS    := $(PROGRAMS:%=$(O)/%) $(O)/exercises $(O)/claims
Q       := $(if $(V),,@)
say      = $(if $(V),,@printf '  %-6s %s\n' $(1) $(2) >&2)
ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
say      =
endif

all: $(BINS)                                ## build every program (default)
	$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,@echo 'Built. Try: make demo01   or: make help')

# ---- building ----

$(O)/flags: FORCE | $(O)                    # a change of compiler or flags rebuilds everything
	@echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' > $@

$(O)/obj/%.o: %.c $(O)/flags Makefile
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(O)/obj/common/report/figure.o: $(O)/plots.h    # plots/NAME.gp as a list of strings, NAME_gp
$(O)/plots.h: $(wildcard plots/*.gp) | $(O)
	@for f in $^; do echo "static const char *const $$(basename $$f .gp)_gp[] = {"; \
	    sed 's/[\\"]/\\&/g; s/.*/"&",/' $$f; echo 'NULL };'; done > $@.part && mv $@.part $@

$(O)/rooms: FORCE | $(O)                    # a deleted room must not stay in the archive
	@echo '$(SOURCES)' | cmp -s - $@ || echo '$(SOURCES)' > $@

$(LIB): $(SOURCES:%.c=$(O)/obj/%.o) $(O)/rooms
	$(call say,AR,$@)
	@rm -f $@                               # then q, not r: two rooms may share a file name
	$(Q)ar qcs $@ $(filter %.o,$^)

$(foreach p,$(PROGRAMS),$(eval SOURCES_$(p) := $(wildcard $(p)/*.c)))
SOURCES_04_scheduler += 05_strategies/answers.c               # of exercise 7
SOURCES_exercises := 05_strategies/answers.c $(wildcard 05_strategies/exercises/*.c)

SOURCES_claims := $(wildcard data/claims/*.c)

define program
$(O)/$(1): $(SOURCES_$(1):%.c=$(O)/obj/%.o) $(LIB)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) $$(filter %.o,$$^) $(LIB) -lm -o $$@
endef
$(foreach p,$(PROGRAMS) exercises claims,$(eval $(call program,$(p))))
OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(SOURCES) $(foreach p,$(PROGRAMS) exercises claims,$(SOURCES_$(p))))

$(O):
	@mkdir -p $@

# ---- running ----

DEMOS := $(foreach p,$(PROGRAMS),demo$(word 1,$(subst _, ,$(p))))
$(DEMOS): demo%: all-quiet                  ## demo01 … demo05: run one program; ARGS="--lang zh" passes options
	@$(filter $(O)/$*_%,$(BINS)) $(ARGS)

exercises: all-quiet                        ## the lecture's eight exercises, answered
	@$(O)/exercises $(ARGS)

demos: all-quiet                            ## run all programs
	@set -e; for p in $(PROGRAMS:%=$(O)/%); do $$p $(ARGS); echo; done

all-quiet: $(BINS)

figures: all-quiet                          ## every figure as SVG (plots/gallery) and PNG (build/figures)
	@O=$(O) sh plots/render.sh $(BINS)

# ---- checking ----

check: unit-tests $(BINS)                   ## all tests, and EXPECTED.md byte for byte
	@CC='$(CC)' O='$(O)' PROGRAMS='$(PROGRAMS)' sh tests/run.sh $(TESTS:%=$(O)/tests/%) $(sort $(wildcard tests/test_*.sh))

test: check                                 ## the same as check

CMOCKA = $(shell pkg-config --cflags --libs cmocka 2>/dev/null || echo -lcmocka)
unit-tests: $(TESTS:%=$(O)/tests/%)
$(TESTS:%=$(O)/tests/%): $(O)/tests/%: $(O)/obj/tests/%.o $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(LIB) $(CMOCKA) -lm -o $@
$(O)/tests/test_scheduler: $(O)/obj/04_scheduler/network.o
$(O)/tests/test_ridge: $(O)/obj/05_strategies/ridge.o
$(O)/tests/test_strategies: $(patsubst %,$(O)/obj/05_strategies/%.o,pool_evolution pool_model ridge)
$(TESTS:%=$(O)/obj/tests/%.o): | cmocka
cmocka: $(filter setup,$(MAKECMDGOALS))      # also under -j, `make setup check` first sets up
	@printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>\n' | \
	    $(CC) $(CMOCKA) -x c -E - >/dev/null 2>&1 || { echo 'cmocka is not installed: make setup installs it' >&2; exit 1; }

expected: $(BINS)                           ## rewrite the fenced blocks of EXPECTED.md and EXPECTED.zh.md
	@O='$(O)' PROGRAMS='$(PROGRAMS)' sh tests/expected.sh update

h200: all-quiet                             ## the lecture's claims on a real GPU's measurements; rewrites EXPECTED.h200.md
	@rm -rf $(O)/h200
	@O='$(O)' PROGRAMS='$(PROGRAMS)' GUIDES=h200 OUTPUTS=$(O)/h200 sh tests/expected.sh update
	@cat $(O)/h200/claims.h200

portable:                                   ## the same bytes from every compiler, C library and CPU that is here
	@O='$(O)' sh tests/portable.sh $(PROGRAMS)

# The peer, where it is installed (make setup does not: it is large): XGBoost's C API.
XGBOOST  = $(shell printf '\043include <xgboost/c_api.h>\nint main(void){return 0;}' | $(CC) -x c - -lxgboost -o /dev/null 2>/dev/null && \
             echo -DHAVE_XGBOOST)
bench: $(BINS) $(O)/tests/bench             ## speed beside XGBoost (libxgboost-dev) and beside itself
	@$(O)/tests/bench $(PROGRAMS:%=$(O)/%)
$(O)/tests/bench: tests/bench.c tests/bench_xgboost.c tests/bench_xgboost.h $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(XGBOOST) tests/bench.c $(if $(XGBOOST),tests/bench_xgboost.c) $(LDFLAGS) $(LIB) \
	    $(if $(XGBOOST),-lxgboost) -lm -o $@

setup:                                      ## install what tests and figures need (apt-get, dnf, pacman or brew)
	@CC='$(CC)' sh tests/setup.sh

format:                                     ## lay the code out by .clang-format
	clang-format -i $$(git ls-files "*.c" "*.h")

install: $(BINS)                            ## copy the five programs to $(DESTDIR)$(PREFIX)/bin
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 $(PROGRAMS:%=$(O)/%) '$(DESTDIR)$(PREFIX)/bin'

clean:                                      ## remove everything that was built
	rm -rf build build-san $(O)

help:                                       ## this list
	@echo 'A lecture on kernel auto-tuning, as programs:'
	@for p in $(PROGRAMS); do printf '  make demo%-14s %s\n' $${p%%_*} "$$p"; done
	@awk -F':.*## ' '/^[a-z$$(][^=]*:.*## / { sub(/.*DEMOS./, "demoNN", $$1); printf "  make %-18s %s\n", $$1, $$2 }' Makefile
	@echo 'May follow any of them: CC=clang  CFLAGS=-O3  SAN=1 (address and undefined sanitizers)  V=1 (show commands)'

-include $(OBJECTS:.o=.d) $(TESTS:%=$(O)/obj/tests/%.d)
.PHONY: all all-quiet demos exercises h200 $(DEMOS) figures check test unit-tests cmocka expected portable bench setup format install clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:
