# Every command a reader needs. `make help` lists them.
# Settings: CC=clang  CFLAGS=-O3  SAN=1  V=1  O=DIR  ARGS="--lang zh"  PREFIX=/usr/local  DESTDIR=
CC      = cc
CFLAGS  =
O       = build
PREFIX  = /usr/local
ARGS    =
# ------------------------------------------------------------------------------------------------------------------

PROGRAMS = 01_landscape 02_autotvm 03_ansor 04_scheduler 05_strategies
HOT      = $(addprefix common/,tun% exp% base/% space/% model/% search/% device/%) # where the time goes; the rest only prints
LEVEL    = $(if $(filter $(HOT),$<),-O2,-O0)                                       # CFLAGS come later and win

JOBS := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
ifeq ($(filter clean,$(MAKECMDGOALS)),)
MAKEFLAGS += -j$(JOBS)
else
.NOTPARALLEL:                               # `make clean all` cleans first
endif
ifneq ($(words $(O)),1)
$(error O='$(O)': expected the name of a folder without spaces)
endif
ifdef SAN
override O := $(O)-san
SANITIZE := -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else
OPENMP := $(shell printf '\043include <omp.h>\nint main(void){return 0;}' | $(CC) -fopenmp -x c - -o /dev/null 2>/dev/null && echo -fopenmp)
endif
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes \
        $(if $(OPENMP),,-Wno-unknown-pragmas)
# Behind the user's CFLAGS, so that none of them can change a printed digit.
ALL_CFLAGS = $(CFLAGS) -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fno-fast-math $(WARN) $(WERROR) $(SANITIZE) \
             $(OPENMP) -Icommon -I$(O)
LIB      := $(O)/libtuning.a
BINS     := $(addprefix $(O)/,$(PROGRAMS) exercises claims)
SOURCES  := $(wildcard common/*.c common/*/*.c)              # the rooms; common/tuning.h lists them
SOURCES_exercises := 05_strategies/answers.c $(wildcard 05_strategies/exercises/*.c)
SOURCES_claims    := $(wildcard data/claims/*.c)
Q        := $(if $(V),,@)
QUIET    := $(findstring s,$(firstword -$(MAKEFLAGS)))
say       = $(if $(V)$(QUIET),,@echo '  $(1)	$(2)' >&2)

all: $(BINS)                                ## build every program (default)
	$(if $(QUIET),,@echo 'Built. Try: make demo01   or: make help')

# A program: its objects and the library. demo01, and so on, builds no other.
define program
$(O)/$(1): $(patsubst %.c,$(O)/obj/%.o,$(or $(SOURCES_$(1)),$(wildcard $(1)/*.c))) $(LIB)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) $$(filter %.o,$$^) $(LIB) -lm -o $$@
NAME_$(firstword $(subst _, ,$(1))) := $(1)
endef
$(foreach p,$(PROGRAMS) exercises claims,$(eval $(call program,$(p))))
NUMBERS := $(foreach p,$(PROGRAMS),$(firstword $(subst _, ,$(p))))

$(O)/flags: FORCE                           # a change of compiler or flags rebuilds everything
	@mkdir -p $(O)
	@echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' > $@

$(O)/obj/%.o: %.c $(O)/flags Makefile
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LEVEL) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(O)/obj/common/report/script.o: $(O)/style_gp.h
$(O)/style_gp.h: plots/style.gp $(O)/flags
	@sed 's/[\\"]/\\&/g; s/.*/"&",/' $< > $@

$(O)/rooms: $(O)/flags FORCE                # a deleted room must not stay in the archive
	@echo '$(SOURCES)' | cmp -s - $@ || echo '$(SOURCES)' > $@

$(LIB): $(SOURCES:%.c=$(O)/obj/%.o) $(O)/rooms
	$(call say,AR,$@)
	@rm -f $@                               # then q, not r: two rooms may share a file name
	$(Q)ar qcs $@ $(filter %.o,$^)

$(foreach n,$(NUMBERS),$(eval demo$(n): $(O)/$(NAME_$(n))))
$(NUMBERS:%=demo%): demo%:                  ## demo01 … demo05: run one program; ARGS="--lang zh" passes options
	@$(O)/$(NAME_$*) $(ARGS)

demos: $(PROGRAMS:%=$(O)/%)                 ## run all programs
	@set -e; for p in $^; do $$p $(ARGS); echo; done

exercises: $(O)/exercises                   ## the lecture's eight exercises, answered
	@$< $(ARGS)

mine: $(LIB)                                ## build and run a program of yours: make mine FILE=my.c
	$(if $(FILE),,$(error which program? make mine FILE=my.c))
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) '$(FILE)' $(LIB) -lm -o $(O)/mine && $(O)/mine $(ARGS)

figures: $(BINS)                            ## every figure as SVG (plots/gallery) and PNG (build/figures)
	@O=$(O) sh plots/render.sh $^

install: $(PROGRAMS:%=$(O)/%)               ## copy the five programs to $(DESTDIR)$(PREFIX)/bin
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 $^ '$(DESTDIR)$(PREFIX)/bin'

clean:                                      ## remove everything that was built
	rm -rf build build-san $(O)

help:                                       ## this list
	@echo 'A lecture on kernel auto-tuning, as programs:'
	@for p in $(PROGRAMS); do printf '  make demo%-14s %s\n' $${p%%_*} "$$p"; done
	@awk -F':.*## ' '/^[a-z$$(][^=]*:.*## / { sub(/.*%=/, "", $$1); sub(/%.*/, "NN", $$1); printf "  make %-18s %s\n", $$1, $$2 }' \
	    Makefile tests/check.mk
	@echo 'May follow any of them: CC=clang  CFLAGS=-O3  SAN=1 (address and undefined sanitizers)  V=1 (show commands)'

include tests/check.mk
-include $(wildcard $(O)/obj/*/*.d $(O)/obj/*/*/*.d)
.PHONY: all demos exercises $(NUMBERS:%=demo%) mine figures install clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:
