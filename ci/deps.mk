# SPDX-License-Identifier: GPL-2.0-only
# What has to be installed before anything is built, run or tested. $(O)/deps.build, .run and .test
# are stamps, renewed when the list of packages or the state of dpkg changes; make a rule depend on
# one to have its packages installed first (as root) or named (as anybody else).

## deps: install what is missing (DEPS=upgrade: even if that upgrades something installed)
.PHONY: deps
deps:
	$(Q)DEPS='$(DEPS)' ci/deps

$(O)/deps.%: ci/deps $(wildcard /var/lib/dpkg/status)
	$(Q)DEPS='$(DEPS)' ci/deps --soft $* && mkdir -p $(@D) && touch $@ \
		$(if $(CALLER),&& chown $(CALLER) $(@D) $@)
