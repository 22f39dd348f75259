# check.mk - how the programs are checked; the Makefile includes it. What a program prints is made once, in $(O)/out,
# and all tests take it from there. A test's verdict is made, too, so that tests run side by side.
UNITS   := $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/test_*.c))
SCRIPTS := $(patsubst tests/%.sh,$(O)/tests/%.sh,$(wildcard tests/test_*.sh))
TABLE    = data/h200_matmul.tsv
RECORD   = $(TABLE),data/h200_network.tsv
OUT     := $(O)/out
EN      := $(addprefix $(OUT)/,$(addsuffix .en,$(PROGRAMS) exercises))
ZH      := $(EN:.en=.zh)
H200    := $(patsubst %,$(OUT)/%.h200,claims 01_landscape 04_scheduler 05_strategies exercises)
H200ZH  := $(H200:=zh)
SLOW    := $(foreach p,slow02,$(addprefix $(OUT)/$(p).,en zh h200 h200zh))
# Without FULL=1, of the other guides only what takes no time.
SHORT   := $(EN:.en=.part) $(OUT)/01_landscape.h200 $(OUT)/01_landscape.h200zh
OPTIONS_02_autotvm = --demo 2
OPTIONS_03_ansor = --demo 1,2
OPTIONS_04_scheduler = --demo 1
OPTIONS_05_strategies = --demo 1,5
export O CC PROGRAMS FULL
export OMP_WAIT_POLICY = passive            # threads that wait take no time from the test beside them

check: $(UNITS:%=%.log) $(SCRIPTS:%=%.log)  ## all tests, and EXPECTED.md byte for byte; FULL=1: the other guides, too
	@sh tests/run.sh sum $^
test: check                                 ## the same as check

# ---- what is printed ----

comma := ,
saying = @mkdir -p $(@D); $< --quiet $(1) > $@ || echo "$<: exit status $$?" >> $@
$(OUT)/%.en: $(O)/%
	@rm -rf $(OUT)/figures.$*
	$(call saying,--lang en --figures $(OUT)/figures.$*)
$(OUT)/%.zh: $(O)/%
	$(call saying,--lang zh)
$(OUT)/%.part: $(O)/%
	$(call saying,--lang zh $(OPTIONS_$*))
$(OUT)/%.h200: $(O)/% $(TABLE) data/h200_network.tsv
	$(call saying,--lang en --device $(RECORD))
$(OUT)/%.h200zh: $(O)/% $(wildcard data/h200_*.tsv)
	$(call saying,--lang zh --device $(RECORD))
$(OUT)/%.args: $(O)/% FORCE
	$(call saying,$(ARGS))

$(OUT)/mine: README.md $(LIB)               # what the program in README.md says
	@mkdir -p $(@D); awk '/^```c$$/ { inside = 1; next } /^```/ { inside = 0 } inside' $< > $@.c
	@$(MAKE) -s mine FILE=$@.c > $@ 2>&1 || echo "make mine: exit status $$?" >> $@

# 06_live's demos, from the logs of one run: demos/log. They are played back, and nothing is measured.
LIVE_RUN = 2,3/search 4/claims 5/larger
$(OUT)/06_live.%: $(O)/live $(patsubst %,data/cpu_gemm/%.txt,$(notdir $(LIVE_RUN)))
	@mkdir -p $(@D); for r in $(LIVE_RUN); do \
	    sh tests/replay.sh play data/cpu_gemm/$${r#*/}.txt $< --quiet --lang $* --demo $${r%/*} || exit 1; echo; done > $@
record-live: $(LIVE)                        ## run 06_live here and keep its logs, for EXPECTED.live.md: minutes, on an idle machine
	@for r in $(LIVE_RUN); do sh tests/replay.sh record data/cpu_gemm/$${r#*/}.txt $< --demo $${r%/*} $(ARGS) || exit 1; done

expected: $(EN) $(ZH) $(OUT)/06_live.en $(OUT)/06_live.zh ## rewrite the fenced blocks of EXPECTED.md, EXPECTED.live.md and the Chinese ones
	@sh tests/expected.sh update EXPECTED.md $(EN)
	@sh tests/expected.sh update EXPECTED.zh.md $(ZH)
	@sh tests/expected.sh update EXPECTED.live.md $(OUT)/06_live.en
	@sh tests/expected.sh update EXPECTED.live.zh.md $(OUT)/06_live.zh

CHINESE  = $(filter zh,$(ARGS))
h200: $(if $(CHINESE),$(H200ZH),$(H200))    ## the lecture's claims on a real GPU's measurements; rewrites EXPECTED.h200.md (ARGS="--lang zh": .zh.md)
	@sh tests/expected.sh update EXPECTED.h200$(CHINESE:%=.%).md $^
	@cat $<

# What only --demo runs: the blocks slow02.7, ... of all guides.
slow: $(SLOW)                               ## the demos that take a minute or two; rewrites their blocks
	@sh tests/expected.sh update EXPECTED.md $(filter %.en,$^)
	@sh tests/expected.sh update EXPECTED.zh.md $(filter %.zh,$^)
	@sh tests/expected.sh update EXPECTED.h200.md $(filter %.h200,$^)
	@sh tests/expected.sh update EXPECTED.h200.zh.md $(filter %.h200zh,$^)
$(OUT)/slow02.%: $(O)/02_autotvm $(TABLE)
	$(call saying,--demo 7$(comma)8 --lang $(if $(findstring zh,$*),zh,en) $(if $(findstring h200,$*),--device $(TABLE)))

# On the recording, and on any others: make bench-search TABLES="a.tsv b.tsv:column"
bench-search: $(OUT)/contest.h200$(CHINESE) ## trials to 95 and 99 % of each strategy (minutes); rewrites EXPECTED.h200.md
	@sh tests/expected.sh update EXPECTED.h200$(CHINESE:%=.%).md $<; cat $<
	@for t in $(TABLES); do echo; $(O)/claims --quiet --demo 8 --device "$$t"; done
$(OUT)/contest.h200 $(OUT)/contest.h200zh: $(O)/claims $(TABLE)
	$(call saying,--lang $(if $(filter %zh,$@),zh,en) --device $(TABLE) --demo 8)

SAID     = $(if $(filter-out --lang en zh,$(ARGS)),args,$(if $(filter zh,$(ARGS)),zh,en))
GUIDE    = EXPECTED$(if $(findstring $(TABLE),$(ARGS)),.h200)$(CHINESE:%=.%).md
COMPARES = $(DEMOS:demo%=compare%)
# compareNN:                                 ## how EXPECTED.md and what a program prints here differ; ARGS="--lang zh"
$(foreach p,$(PROGRAMS),$(eval compare$(call number,$(p)): $(OUT)/$(p).$$(SAID)))
compare: $(EN:en=$(SAID))                   ## the same of all programs
$(COMPARES) compare:
	@sh tests/expected.sh compare $(GUIDE) $^

assignment: $(LIB)                         ## judge a strategy of yours: make assignment [FILE=strategy.c]; assignments/
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) '$(or $(FILE),assignments/strategy/strategy.c)' assignments/strategy/judge.c $(LIB) -lm \
	    -o $(O)/assignment && $(O)/assignment $(ARGS)

# ---- tests ----

$(UNITS:%=%.log): %.log: % FORCE
	@sh tests/run.sh $< > $@; cat $@
$(SCRIPTS:%=%.log): $(O)/tests/%.log: tests/% $(BINS) $(LIVE) FORCE | cmocka
	@mkdir -p $(@D); sh tests/run.sh $< > $@; cat $@
$(O)/tests/test_expected.sh.log: $(EN) $(if $(FULL),$(ZH) $(H200) $(H200ZH) $(OUT)/contest.h200 $(filter-out %zh,$(SLOW)),$(SHORT))
$(O)/tests/test_figures.sh.log: $(EN)
$(O)/tests/test_live_guide.sh.log: $(OUT)/06_live.en $(OUT)/06_live.zh
$(O)/tests/test_mine.sh.log: $(OUT)/mine

CMOCKA = $(shell pkg-config --cflags --libs cmocka 2>/dev/null || echo -lcmocka)
unit-tests: $(UNITS)
$(UNITS): $(O)/tests/%: $(O)/obj/tests/%.o $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(LIB) $(CMOCKA) -lm -o $@
$(O)/tests/test_scheduler: $(O)/obj/04_scheduler/network.o
$(O)/tests/test_ridge: $(O)/obj/05_strategies/ridge.o
$(O)/tests/test_strategies $(O)/tests/test_tuning: $(patsubst %,$(O)/obj/05_strategies/%.o,pool_evolution pool_model ridge)
$(UNITS:$(O)/%=$(O)/obj/%.o): | cmocka
cmocka: $(filter setup,$(MAKECMDGOALS))     # `make setup check` first sets up, also in parallel
	@printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>\n' | \
	    $(CC) $(CMOCKA) -x c -E - >/dev/null 2>&1 || { echo 'cmocka is not installed: make setup installs it' >&2; exit 1; }

portable:                                   ## the same bytes from every compiler, C library and CPU that is here
	@sh tests/portable.sh $(PROGRAMS)

# The peer, where it is installed (make setup does not: it is large): XGBoost's C API.
XGBOOST  = $(shell printf '\043include <xgboost/c_api.h>\nint main(void){return 0;}' | $(CC) -x c - -lxgboost -o /dev/null 2>/dev/null && \
             echo -DHAVE_XGBOOST)
bench: $(BINS) $(O)/tests/bench             ## speed beside XGBoost (libxgboost-dev) and beside itself
	@$(O)/tests/bench $(PROGRAMS:%=$(O)/%)
$(O)/tests/bench: tests/bench.c tests/bench_xgboost.c tests/bench_xgboost.h $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -O2 $(XGBOOST) tests/bench.c $(if $(XGBOOST),tests/bench_xgboost.c) $(LDFLAGS) $(LIB) \
	    $(if $(XGBOOST),-lxgboost) -lm -o $@

bench-live: $(O)/02_autotvm $(O)/cpu_gemm   ## tuned kernels beside OpenBLAS, trials a second: minutes, on an idle machine
	@sh tests/bench_live.sh

setup:                                      ## install what tests and figures need (apt-get, dnf, pacman or brew)
	@sh tests/setup.sh
format:                                     ## lay the code out by .clang-format
	clang-format -i $$(git ls-files "*.c" "*.h")

help:                                       ## this list
	@echo 'A lecture on kernel auto-tuning, as programs:'
	@for p in $(PROGRAMS); do printf '  make demo%-14s %s\n' $${p%%_*} "$$p"; done
	@awk -F':.*## ' '/^(# )?[a-z].*:.*## / { sub(/^# /, "", $$1); printf "  make %-18s %s\n", $$1, $$2 }' Makefile tests/check.mk
	@echo 'May follow any of them: CC=clang  CFLAGS=-O3  O=DIR  SAN=1 (address and undefined sanitizers)  V=1 (show commands)'

.PHONY: check test assignment expected record-live h200 slow bench-search compare $(COMPARES) unit-tests cmocka portable bench bench-live setup format help
