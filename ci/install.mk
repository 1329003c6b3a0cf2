# SPDX-License-Identifier: GPL-2.0-only
# Where things go on a system. The binary finds its data beside its own folder, so what was built
# need not know PREFIX. DESTDIR is for packaging.

PREFIX ?= /usr/local
DESTDIR ?=
INSTALL_BIN = $(DESTDIR)$(PREFIX)/bin
INSTALL_DATA = $(DESTDIR)$(PREFIX)/share/topolab
INSTALL_DOC = $(DESTDIR)$(PREFIX)/share/doc/topolab
INSTALL_MAN = $(DESTDIR)$(PREFIX)/share/man/man1
INSTALL_COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions

## install: put topolab below PREFIX (/usr/local), with DESTDIR before it
.PHONY: install
install: all
	$(Q)install -d '$(INSTALL_BIN)' '$(INSTALL_DATA)/topologies' '$(INSTALL_DATA)/kernels' \
		'$(INSTALL_DATA)/tests' '$(INSTALL_DOC)' '$(INSTALL_MAN)' '$(INSTALL_COMPLETION)'
	$(Q)install '$(O)/topolab' '$(INSTALL_BIN)/topolab'
	$(Q)install '$(O)/agent' '$(INSTALL_DATA)/agent'
	$(Q)install -m 644 topologies/*.yaml topologies/boot-times.txt \
		'$(INSTALL_DATA)/topologies'
	$(Q)install -m 644 kernels/*.yaml kernels/*.config '$(INSTALL_DATA)/kernels'
	$(Q)cp -R --no-preserve=mode,ownership kernels/patches '$(INSTALL_DATA)/kernels/'
	$(Q)cp -R --no-preserve=mode,ownership tests/guest tests/cases '$(INSTALL_DATA)/tests/'
	$(Q)install -m 644 lab/report/result.schema.json '$(INSTALL_DATA)'
	$(Q)install -m 644 README.md CHANGELOG.md LICENSE '$(INSTALL_DOC)'
	$(Q)install -m 644 '$(O)/topolab.1' '$(INSTALL_MAN)/topolab.1'
	$(Q)install -m 644 '$(O)/completion.bash' '$(INSTALL_COMPLETION)/topolab'

## uninstall: remove what install put below PREFIX
.PHONY: uninstall
uninstall:
	$(Q)rm -f '$(INSTALL_BIN)/topolab' '$(INSTALL_MAN)/topolab.1' '$(INSTALL_COMPLETION)/topolab'
	$(Q)rm -rf '$(INSTALL_DATA)' '$(INSTALL_DOC)'
