# Every command a reader needs. `make help` lists them; the checks stand in tests/check.mk.
CC      = cc
CFLAGS  =
O       = build
PREFIX  = /usr/local
ARGS    =
PROGRAMS = 01_landscape 02_autotvm 03_ansor 04_scheduler 05_strategies
# Where the time goes. What only prints is compiled twice as fast without optimisation, and runs no slower.
HOT      = base/% model/% device/hypogpu% device/minitriton% device/terrain% space/matmul% space/space% space/workload% tuning% \
           search/annealing% search/beam% search/evolution% search/g% search/p% search/shortlist% search/unseen%
LEVEL    = $(if $(filter $(HOT:%=common/%) 05_strategies/ridge% 06_live/cpu_gemm/check%,$<),-O2,-O0)

ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:                               # `make clean all` cleans first
else ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -r -j$(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
endif
$(if $(filter-out 1,$(words $(O))),$(error O='$(O)': expected the name of a folder without spaces))
ifdef SAN
override O := $(O)-san
SANITIZE := -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else ifeq ($(origin OPENMP),undefined)
OPENMP   := $(shell printf '\043include <omp.h>\nint main(void){return 0;}' | $(CC) -fopenmp -x c - -o /dev/null 2>/dev/null && echo -fopenmp)
endif
SSE      := $(if $(shell $(CC) $(CFLAGS) -dM -E -x c /dev/null 2>/dev/null | grep 'FLT_EVAL_METHOD__ 2'),-msse2 -mfpmath=sse)
WARN      = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Wstrict-prototypes -Wmissing-prototypes
# The user's CFLAGS win over LEVEL; what stands behind them keeps every printed digit, also where 80 bits are usual (SSE).
ALL_CFLAGS = $(LEVEL) $(CFLAGS) -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fno-fast-math $(SSE) $(WARN) $(WERROR) \
             $(SANITIZE) $(or $(OPENMP),-Wno-unknown-pragmas) -Icommon -I$(O)
LIB      := $(O)/libtuning.a
BINS     := $(addprefix $(O)/,$(PROGRAMS) exercises claims)
LIVE     := $(addprefix $(O)/,live cpu_gemm)
ROOMS    := $(wildcard common/*.c common/*/*.c)
number    = $(firstword $(subst _, ,$(1)))
DEMOS    := $(foreach p,$(PROGRAMS),demo$(call number,$(p)))
Q        := $(if $(V),,@)
QUIET    := $(findstring s,$(firstword -$(MAKEFLAGS)))
say       = $(if $(V)$(QUIET),,@printf '  %-6s %s\n' $(1) $(2) >&2)

all: $(BINS) $(LIVE)                        ## build every program (default)
	$(if $(QUIET),,@echo 'Built. Try: make demo01   or: make help')
$(O)/flags: FORCE                           # a change of compiler or flags rebuilds everything
	@mkdir -p $(O); echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' > $@
$(O)/rooms: $(O)/flags FORCE                # and a deleted room must not stay in the library
	@echo '$(ROOMS)' | cmp -s - $@ || echo '$(ROOMS)' > $@
$(O)/obj/%.o: %.c $(O)/flags Makefile
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@
$(O)/obj/common/report/figure.o: $(O)/plots.h    # plots/NAME.gp as a list of strings, NAME_gp
$(O)/plots.h: $(wildcard plots/*.gp) $(O)/flags
	@for f in $(filter %.gp,$^); do echo "static const char *const $$(basename $$f .gp)_gp[] = {"; \
	    sed 's/[\\"]/\\&/g; s/.*/"&",/' $$f; echo 'NULL };'; done > $@
$(LIB): $(ROOMS:%.c=$(O)/obj/%.o) $(O)/rooms
	$(call say,AR,$@)
	$(Q)rm -f $@; ar qcs $@ $(filter %.o,$^)    # q, not r: two rooms may share a file name
define program
$(O)/$(1): $(patsubst %.c,$(O)/obj/%.o,$(wildcard $(2))) $(LIB)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) $$(filter %.o,$$^) $(LIB) -lm -ldl -o $$@
endef
$(foreach p,$(PROGRAMS),$(eval $(call program,$(p),$(p)/*.c $(if $(p:04%=),,05_strategies/answers.c))))
$(eval $(call program,exercises,05_strategies/exercises/*.c 05_strategies/answers.c))
$(eval $(call program,claims,data/claims/*.c))
$(eval $(call program,live,06_live/*.c data/claims/verdicts.c))
$(eval $(call program,cpu_gemm,06_live/cpu_gemm/*.c))

# demoNN:                                    ## build and run one program; ARGS="--lang zh" passes options
$(foreach p,$(PROGRAMS),$(eval demo$(call number,$(p)): $(O)/$(p)))
exercises: $(O)/exercises                   ## the lecture's eight exercises, answered
demo06: $(LIVE)                             ## tune a kernel of this processor: minutes, real times
$(DEMOS) demo06 exercises:
	@$< $(ARGS)
demos: $(PROGRAMS:%=$(O)/%)                 ## run all programs
	@set -e; for p in $^; do $$p $(ARGS); echo; done
mine: $(LIB)                                ## build and run a program of yours: make mine FILE=my.c
	@[ -n '$(FILE)' ] || { echo 'make mine FILE=my.c: which file?' >&2; exit 1; }
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) '$(FILE)' $(LIB) -lm -o $(O)/mine && $(O)/mine $(ARGS)
figures: $(BINS)                            ## every figure as SVG (plots/gallery) and PNG; ARGS="--shape decode": build/slides
	@O=$(O) ARGS='$(ARGS)' sh plots/render.sh $^
install: $(PROGRAMS:%=$(O)/%)               ## copy the five programs to $(DESTDIR)$(PREFIX)/bin
	install -d '$(DESTDIR)$(PREFIX)/bin' && install -m 755 $^ '$(DESTDIR)$(PREFIX)/bin'
clean:                                      ## remove everything that was built
	rm -rf build build-san $(O)

include tests/check.mk
-include $(wildcard $(O)/obj/*/*.d $(O)/obj/*/*/*.d)
.PHONY: all demos exercises $(DEMOS) demo06 mine figures install clean FORCE
.DELETE_ON_ERROR .SECONDARY:
