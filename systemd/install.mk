# Installs what `make build` made. For one person:
#   make install PREFIX=~/.local UNITDIR=~/.config/systemd/user

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBEXECDIR ?= $(PREFIX)/libexec
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
UNITDIR ?= $(PREFIX)/lib/systemd/user
EXTENSIONSDIR ?= $(PREFIX)/lib/extensiond
INTERFACESDIR ?= $(DATADIR)/varlink
GIRDIR ?= $(DATADIR)/gir-1.0
TYPELIBDIR ?= $(LIBDIR)/girepository-1.0
VAPIDIR ?= $(DATADIR)/vala/vapi
# Where the programs were built.
PROGRAMS ?= .build/release

SYSTEMD_DIRECTORY := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
INTERFACES := $(addprefix $(SYSTEMD_DIRECTORY)/../Sources/ExtensionInterfaces/io.extensiond., \
  Admin.varlink Broker.varlink Connection.varlink Extension.varlink)
HEADER := $(SYSTEMD_DIRECTORY)/../Sources/CExtensionKit/include/extensionkit.h
# The view for GTK 4 and what makes it, where `make build` has left them: a system without GTK has no use for it.
GTK_HEADER := $(SYSTEMD_DIRECTORY)/../Sources/CSceneView/include/extensionkit-gtk4.h
INTROSPECTION := $(PROGRAMS)/introspection
GTK_INSTALLED = \
  $(LIBDIR)/libextensionkit-gtk4.so.0 $(LIBDIR)/libextensionkit-gtk4.so $(LIBDIR)/pkgconfig/extensionkit-gtk4.pc \
  $(INCLUDEDIR)/extensionkit-gtk4.h $(GIRDIR)/Extk-0.gir $(TYPELIBDIR)/Extk-0.typelib \
  $(VAPIDIR)/extensionkit-gtk4.vapi $(VAPIDIR)/extensionkit-gtk4.deps
# Every other file that is installed.
INSTALLED = \
  $(BINDIR)/extctl $(BINDIR)/extensiond-browser $(LIBEXECDIR)/extensiond $(LIBEXECDIR)/extensiond-launcher $(LIBEXECDIR)/extension-init \
  $(LIBEXECDIR)/extension-stdio $(LIBEXECDIR)/extensiond-preview $(LIBEXECDIR)/extensiond-preview-window \
  $(LIBDIR)/libextensionkit.so.0 $(LIBDIR)/libextensionkit.so $(LIBDIR)/pkgconfig/extensionkit.pc \
  $(INCLUDEDIR)/extensionkit.h \
  $(UNITDIR)/extensiond.socket $(UNITDIR)/extensiond.service $(UNITDIR)/extensiond-launcher.service \
  $(MANDIR)/man1/extctl.1 $(DATADIR)/bash-completion/completions/extctl $(DATADIR)/zsh/site-functions/_extctl \
  $(DATADIR)/fish/vendor_completions.d/extctl.fish $(DATADIR)/pkgconfig/extensiond.pc \
  $(addprefix $(INTERFACESDIR)/,$(notdir $(INTERFACES)))

# fill-in TEMPLATE PLACE
fill-in = sed -e 's|@prefix@|$(PREFIX)|' -e 's|@libexecdir@|$(LIBEXECDIR)|' -e 's|@libdir@|$(LIBDIR)|' \
  -e 's|@includedir@|$(INCLUDEDIR)|' -e 's|@extensionsdir@|$(EXTENSIONSDIR)|' \
  -e 's|@interfacesdir@|$(INTERFACESDIR)|' -e "s|@version@|$$version|" $(SYSTEMD_DIRECTORY)/$(1) > '$(DESTDIR)$(2)'

.PHONY: install uninstall

install: ## install under PREFIX (/usr/local), or DESTDIR and PREFIX; needs `make build`
	@for program in extensiond extensiond-launcher extension-init extension-stdio extensiond-preview extensiond-preview-window extctl extensiond-browser libextensionkit.so; do \
	  [ -x $(PROGRAMS)/$$program ] || { echo "$(PROGRAMS)/$$program is missing; run 'make build' first" >&2; exit 1; }; done
	@umask 022; set -e; version=$$($(PROGRAMS)/extensiond --version); version=$${version##* }; \
	install -d $(foreach file,$(INSTALLED),'$(DESTDIR)$(dir $(file))') '$(DESTDIR)$(EXTENSIONSDIR)'; \
	install -m 755 $(addprefix $(PROGRAMS)/,extensiond extensiond-launcher extension-init extension-stdio extensiond-preview extensiond-preview-window) '$(DESTDIR)$(LIBEXECDIR)'; \
	install -m 755 $(addprefix $(PROGRAMS)/,extctl extensiond-browser) '$(DESTDIR)$(BINDIR)'; \
	install -m 644 $(PROGRAMS)/libextensionkit.so '$(DESTDIR)$(LIBDIR)/libextensionkit.so.0'; \
	ln -sf libextensionkit.so.0 '$(DESTDIR)$(LIBDIR)/libextensionkit.so'; \
	install -m 644 $(HEADER) '$(DESTDIR)$(INCLUDEDIR)'; \
	$(call fill-in,extensionkit.pc.in,$(LIBDIR)/pkgconfig/extensionkit.pc); \
	if [ -e $(INTROSPECTION)/Extk-0.typelib ]; then \
	  install -d $(foreach file,$(GTK_INSTALLED),'$(DESTDIR)$(dir $(file))'); \
	  install -m 644 $(PROGRAMS)/libextensionkit-gtk4.so '$(DESTDIR)$(LIBDIR)/libextensionkit-gtk4.so.0'; \
	  ln -sf libextensionkit-gtk4.so.0 '$(DESTDIR)$(LIBDIR)/libextensionkit-gtk4.so'; \
	  install -m 644 $(GTK_HEADER) '$(DESTDIR)$(INCLUDEDIR)'; \
	  install -m 644 $(INTROSPECTION)/Extk-0.gir '$(DESTDIR)$(GIRDIR)'; \
	  install -m 644 $(INTROSPECTION)/Extk-0.typelib '$(DESTDIR)$(TYPELIBDIR)'; \
	  install -m 644 $(addprefix $(INTROSPECTION)/extensionkit-gtk4.,vapi deps) '$(DESTDIR)$(VAPIDIR)'; \
	  $(call fill-in,extensionkit-gtk4.pc.in,$(LIBDIR)/pkgconfig/extensionkit-gtk4.pc); \
	fi; \
	install -m 644 $(SYSTEMD_DIRECTORY)/extensiond.socket '$(DESTDIR)$(UNITDIR)'; \
	$(call fill-in,extensiond.service.in,$(UNITDIR)/extensiond.service); \
	$(call fill-in,extensiond-launcher.service.in,$(UNITDIR)/extensiond-launcher.service); \
	$(call fill-in,extensiond.pc.in,$(DATADIR)/pkgconfig/extensiond.pc); \
	install -m 644 $(INTERFACES) '$(DESTDIR)$(INTERFACESDIR)'; \
	$(PROGRAMS)/extctl manual > '$(DESTDIR)$(MANDIR)/man1/extctl.1'; \
	$(PROGRAMS)/extctl completion bash > '$(DESTDIR)$(DATADIR)/bash-completion/completions/extctl'; \
	$(PROGRAMS)/extctl completion zsh > '$(DESTDIR)$(DATADIR)/zsh/site-functions/_extctl'; \
	$(PROGRAMS)/extctl completion fish > '$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/extctl.fish'
	@echo "installed under $(DESTDIR)$(PREFIX); start with: systemctl --user daemon-reload && systemctl --user enable --now extensiond.socket"

uninstall: ## remove what `make install` put there; bundles stay
	rm -f $(foreach file,$(INSTALLED) $(GTK_INSTALLED),'$(DESTDIR)$(file)')
	rmdir --ignore-fail-on-non-empty '$(DESTDIR)$(EXTENSIONSDIR)' 2>/dev/null || true
