# SPDX-License-Identifier: GPL-2.0-only
# Everything a user types; `make help` lists it. Caches apart, all output goes below $(O).

.DEFAULT_GOAL := all

CC ?= gcc
V ?= 0
SAN ?=
# What is instrumented lies apart. Leaks of libraries are named one by one, with the reason.
O ?= build$(if $(SAN),-san)
ifneq ($(SAN),)
export LSAN_OPTIONS := suppressions=$(CURDIR)/tests/suppressions/lsan.txt:print_suppressions=0
export UBSAN_OPTIONS := halt_on_error=1:print_stacktrace=1
endif

# The tool is for x86-64 Linux only; say so before anything else is tried.
ifneq ($(shell uname -sm),Linux x86_64)
$(error topolab needs Linux on x86-64, this is $(shell uname -s) on $(shell uname -m))
endif

# Through sudo in the caller's own folder, what is built is built by the caller, or it would be in
# their way ever after. Only what installs, boots or removes is root's.
AS_ROOT := deps test check check-all bench install uninstall clean
ifneq ($(filter-out 0,$(SUDO_UID)),)
ifeq ($(shell id -u):$(shell stat -c %u .),0:$(SUDO_UID))
CALLER := $(SUDO_UID):$(SUDO_GID)
SHELL := /usr/bin/setpriv
.SHELLFLAGS := --reuid=$(SUDO_UID) --regid=$(SUDO_GID) --init-groups -- /bin/sh -c
$(AS_ROOT): private SHELL := /bin/sh
$(AS_ROOT): private .SHELLFLAGS := -c
$(O)/deps.%: private SHELL := /bin/sh
$(O)/deps.%: private .SHELLFLAGS := -c
endif
endif

PACKAGES := glib-2.0 gio-2.0 gio-unix-2.0 libvirt libvirt-qemu hwloc libfyaml jansson libarchive \
	    smartcols libxml-2.0 zlib libdw libelf

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2)';)

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wold-style-definition -Wswitch-enum -Wformat=2 -Wundef -Wvla -Wpointer-arith \
	    -Wwrite-strings -Wcast-qual -Wno-missing-field-initializers
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(WARNINGS) $(CFLAGS) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer) \
	     -D_GNU_SOURCE -Ilab -I$(O)/gen -DTOPOLAB_SOURCE='"$(CURDIR)"' $(PACKAGE_CFLAGS)
ALL_LDFLAGS = $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN))

include ci/deps.mk
include ci/install.mk

# Read once, and only by the rules that compile, so that `make deps` and `make help` need nothing.
PACKAGE_CFLAGS = $(eval PACKAGE_CFLAGS := $$(shell pkg-config --cflags $(PACKAGES)))$(PACKAGE_CFLAGS)
PACKAGE_LIBS = $(eval PACKAGE_LIBS := $$(shell pkg-config --libs $(PACKAGES)))$(PACKAGE_LIBS)

# lab/guest is the agent, which runs in the guest and links nothing of ours but its own files and
# what both sides of a wire share.
SOURCES := $(sort $(filter-out lab/main.c lab/guest/%,$(wildcard lab/*/*.c)))
OBJECTS := $(SOURCES:lab/%.c=$(O)/lab/%.o) $(O)/gen/tables.o
AGENT_SOURCES := $(sort $(wildcard lab/guest/*.c)) lab/base/frames.c
UNIT_TESTS := $(sort $(wildcard tests/unit/test_*.c))
UNIT_PROGRAMS := $(UNIT_TESTS:tests/unit/%.c=$(O)/tests/%)
FUZZ_TARGETS := $(sort $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
# Each fed with its corpus: regression tests like the others.
UNIT_PROGRAMS += $(FUZZ_TARGETS:%=$(O)/replay/%)
BOOT_TESTS := $(sort $(wildcard tests/boot/test_*.c))
BOOT_PROGRAMS := $(BOOT_TESTS:tests/boot/%.c=$(O)/boot/%)
# Built by check as well, so that nobody breaks it unseen.
BENCH_PROGRAMS := $(O)/bench/bench $(O)/bench/one-shot
# Rules for table rows: a file that defines one row is named after it.
COMMANDS := $(sort $(patsubst lab/cmd/cmd_%.c,%,$(wildcard lab/cmd/cmd_*.c)))
FORMATS := $(sort $(patsubst lab/report/fmt_%.c,%,$(wildcard lab/report/fmt_*.c)))
KERNEL_SOURCES := $(sort $(patsubst lab/kernel/src_%.c,%,$(wildcard lab/kernel/src_*.c)))

## all: build topolab, the guest's agent, the man page and the completion
.PHONY: all
all: $(O)/topolab $(O)/agent $(O)/topolab.1 $(O)/completion.bash

$(O)/topolab: $(O)/lab/main.o $(O)/libtopolab.a
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(PACKAGE_LIBS) -lm

$(O)/libtopolab.a: $(OBJECTS)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(O)/lab/%.o: lab/%.c Makefile | $(O)/deps.build
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The agent is /init of the guest: static, libc and libz only, no sanitizer.
$(O)/agent: $(AGENT_SOURCES) $(wildcard lab/guest/*.h) lab/base/frames.h Makefile | $(O)/deps.build
	$(call say,AGENT,$@)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARNINGS) -O2 -g -D_GNU_SOURCE -Ilab \
		-static -s -o $@ $(AGENT_SOURCES) -lz

# From the rows that parse the command line.
$(O)/topolab.1: $(O)/topolab
	$(call say,GEN,$@)$(O)/topolab generate manual >$@

$(O)/completion.bash: $(O)/topolab
	$(call say,GEN,$@)$(O)/topolab generate completion >$@

# Tables of rows, written from file names, sorted: one touch per addition, and still readable.
comma := ,
row_table = $(if $(3),printf 'extern const struct $(1) %s;\n' $(3:%=$(2)_%) &&) \
	printf 'const struct $(1) *const $(2)_table[] = {\n' && \
	$(if $(3),printf '\t&%s$(comma)\n' $(3:%=$(2)_%) &&) printf '\tNULL,\n};\n'

# A folder is newer than the table when a file came or went.
$(O)/gen/tables.c: Makefile lab/cmd lab/report lab/kernel
	$(call say,GEN,$@)mkdir -p $(@D) && { printf '%s\n' '/* Made from file names by the Makefile. */' \
		'#include "cmd/command.h"' '#include "kernel/kernel.h"' '#include "report/report.h"' && \
		$(call row_table,command,command,$(COMMANDS)) && \
		$(call row_table,report_format,report_format,$(FORMATS)) && \
		$(call row_table,kernel_source,kernel_source,$(KERNEL_SOURCES)); } > $@

$(O)/gen/tables.o: $(O)/gen/tables.c | $(O)/deps.build
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# One program per file; all of them TAP through g_test.
test_program = $(call say,TEST,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -MMD -MP \
	-MF $@.d -o $@ $< $(O)/libtopolab.a $(PACKAGE_LIBS) -lm

$(O)/tests/%: tests/unit/%.c $(O)/libtopolab.a Makefile
	$(test_program)

$(O)/boot/%: tests/boot/%.c $(O)/libtopolab.a Makefile
	$(test_program)

# The binary with a guest's first program of the tests' own in the agent's place.
HOSTILE := $(O)/hostile/topolab $(O)/hostile/agent

$(O)/hostile/topolab: $(O)/topolab
	$(call say,COPY,$@)mkdir -p $(@D) && cp -f $< $@

$(O)/hostile/agent: tests/boot/hostile_init.c Makefile | $(O)/deps.build
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(WARNINGS) -O2 -static -s -o $@ $<

$(O)/boot/test_dump $(O)/boot/test_hostile_init $(O)/boot/test_look: | $(HOSTILE)

$(O)/replay/%: tests/fuzz/%.c tests/fuzz/replay.c $(O)/libtopolab.a Makefile
	$(call say,TEST,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -MMD -MP -MF $@.d \
		-o $@ $< tests/fuzz/replay.c $(O)/libtopolab.a $(PACKAGE_LIBS) -lm

# Only with clang and SAN=fuzzer-no-link,...: `make fuzz` calls make again for that.
$(O)/fuzz/%: tests/fuzz/%.c $(O)/libtopolab.a Makefile
	$(call say,FUZZ,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -fsanitize=fuzzer \
		-MMD -MP -MF $@.d -o $@ $< $(O)/libtopolab.a $(PACKAGE_LIBS) -lm

.PHONY: fuzz-programs
fuzz-programs: $(FUZZ_TARGETS:%=$(O)/fuzz/%)

$(O)/bench/bench: tests/bench/bench.c $(O)/libtopolab.a Makefile
	$(test_program)

$(O)/bench/one-shot: tests/bench/one_shot.c Makefile | $(O)/deps.build
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(WARNINGS) -O2 -static -s -o $@ $<

# The tests that judge what real kernels did, to be linked anew with each changed rule.
MUTANT_TESTS := test_case_saved test_judge_saved test_mutations test_mutations_kernel

$(O)/mutants/%.o: tests/unit/%.c $(O)/libtopolab.a Makefile
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d -c -o $@ $<

$(O)/mutants/mutants: tests/mutants/mutants.c tests/mutants/list.c $(O)/libtopolab.a Makefile
	$(call say,TEST,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ \
		tests/mutants/mutants.c tests/mutants/list.c $(O)/libtopolab.a $(PACKAGE_LIBS) -lm

## unit: the tests that need no guest
.PHONY: unit
unit: all $(UNIT_PROGRAMS) | $(O)/deps.test
	$(Q)prove --exec '' $(UNIT_PROGRAMS)

## check: every test, with a few small guests
.PHONY: check
check: all $(UNIT_PROGRAMS) $(BOOT_PROGRAMS) $(BENCH_PROGRAMS) | $(O)/deps.run $(O)/deps.test
	$(Q)prove --timer --exec '' $(UNIT_PROGRAMS) $(BOOT_PROGRAMS)
	$(Q)ci/check-install $(O)
	$(Q)ci/check-github $(O)

## check-all: check, the full machines and the mutants
.PHONY: check-all
check-all: all $(UNIT_PROGRAMS) $(BOOT_PROGRAMS) | $(O)/deps.run $(O)/deps.test $(O)/deps.kernel \
		$(O)/deps.bpf $(O)/deps.dump
	$(Q)prove --timer --exec '' $(UNIT_PROGRAMS) $(BOOT_PROGRAMS) :: -m slow
	$(Q)$(MAKE) --no-print-directory mutants

# lab-X names a machine for `test`; alone it only builds. Their order and -j do not matter.
LABS := $(patsubst topologies/%.yaml,lab-%,$(sort $(wildcard topologies/*.yaml)))
ASKED_LABS := $(patsubst lab-%,%,$(filter lab-%,$(MAKECMDGOALS)))

## lab-NAME: choose the machine NAME for `test`, as in `make lab-nps4 test`
.PHONY: $(LABS)
$(LABS): all

## test: boot the machines named beside it (nps4-mini if none) and judge them; KERNEL= and RUN= add
.PHONY: test
test: all | $(O)/deps.run
	$(Q)$(O)/topolab run $(or $(ASKED_LABS),nps4-mini) $(addprefix --kernel ,$(KERNEL)) $(RUN)

## repro: every case of tests/cases on the kernels that it lists
.PHONY: repro
repro: all | $(O)/deps.run $(O)/deps.kernel
	$(Q)$(O)/topolab repro all $(addprefix --kernel ,$(KERNEL)) $(RUN)

## mutants: changes every rule a little; evidence of a real kernel must miss it. MUTANTS=LIST, of tests/mutants/rules
MUTANTS ?= $(sort $(patsubst tests/mutants/rules/%.txt,%,$(wildcard tests/mutants/rules/*.txt)))
.PHONY: mutants
mutants: $(O)/mutants/mutants $(MUTANT_TESTS:%=$(O)/mutants/%.o) | $(O)/deps.test
	$(Q)$(O)/mutants/mutants $(O)/libtopolab.a $(O)/mutants $(MUTANTS:%=tests/mutants/rules/%.txt) \
		-- $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -- $(if $(wildcard /usr/bin/ld.gold),-fuse-ld=gold) \
		$(PACKAGE_LIBS) -lm

## nested: small machines under real KVM, in a guest that has it (ci/README.md)
.PHONY: nested
nested: all | $(O)/deps.run $(O)/deps.nested
	$(Q)ci/nested-kvm $(O)/topolab $(O)/nested-kvm

## bench: how much slower than bare QEMU, as ratios of interleaved runs
.PHONY: bench
bench: all $(BENCH_PROGRAMS) | $(O)/deps.run
	$(Q)$(O)/bench/bench nps4-mini 5 nps4 1

## lint: layout, layers, banned calls, licence lines, scripts, man page and completion
.PHONY: lint
lint: all | $(O)/deps.lint
	$(Q)ci/lint $(O)

## valgrind: the unit tests under valgrind
VALGRIND := valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
	    --child-silent-after-fork=yes --suppressions=tests/suppressions/valgrind.txt
.PHONY: valgrind
valgrind: all $(UNIT_PROGRAMS) | $(O)/deps.test $(O)/deps.valgrind
	$(Q)G_SLICE=always-malloc prove --timer --exec '$(VALGRIND)' $(UNIT_PROGRAMS)

## analyze: gcc's static analyzer over the tool and the agent
.PHONY: analyze
analyze:
	$(Q)$(MAKE) --no-print-directory O=$(O)-analyze CC=gcc CFLAGS='-O2 -g -fanalyzer' all

## fuzz: FUZZ_SECONDS=60 of libFuzzer for each target of tests/fuzz, or for FUZZ=NAME
FUZZ_SECONDS ?= 60
FUZZ ?= $(FUZZ_TARGETS:fuzz_%=%)
.PHONY: fuzz
fuzz: | $(O)/deps.build $(O)/deps.clang
	$(Q)$(MAKE) --no-print-directory O=$(O)-fuzz CC=clang SAN=fuzzer-no-link,address,undefined \
		fuzz-programs
	$(Q)ci/fuzz $(O)-fuzz $(FUZZ_SECONDS) $(FUZZ)

## help: this list
.PHONY: help
help:
	@printf 'Targets (O=FOLDER builds elsewhere, V=1 shows commands, SAN=address,undefined instruments):\n'
	@sed -n 's/^## \([^:]*\): \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | sort | \
		awk -F '\t' '{ printf "  %-10s %s\n", $$1, $$2 }'

## clean: remove what was built; caches and results stay
.PHONY: clean
clean:
	$(Q)rm -rf $(O)

-include $(OBJECTS:.o=.d) $(UNIT_PROGRAMS:%=%.d) $(BOOT_PROGRAMS:%=%.d) $(FUZZ_TARGETS:%=$(O)/fuzz/%.d) \
	$(O)/bench/bench.d $(O)/lab/main.d
