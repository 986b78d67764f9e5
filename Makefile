# What there is to do here. Each target says in its line what it is for.

SHELL := /bin/bash
PREFIX ?= /usr/local
RELEASE := .build/release
PACKAGES := bubblewrap gobject-introspection libexpat1-dev libgtk-4-dev libncurses-dev libplist-dev libseccomp-dev libpng-dev libsqlite3-dev libssl-dev libsystemd-dev libwayland-bin libwayland-dev libx11-xcb-dev libxkbcommon-dev libxkbcommon-x11-dev openssh-client plasma-wayland-protocols pkg-config python3 wayland-protocols valac
TEST_PACKAGES := $(PACKAGES) bindfs binutils cmake dbus-user-session fonts-dejavu-core foot gcc gir1.2-gtk-3.0 gir1.2-gtk-4.0 imagemagick libglib2.0-dev libpam-systemd libsdl2-dev meson python3-dbus python3-gi python3-pyqt5 python3-pyqt6 python3-venv qt6-wayland qtwayland5 strace systemd valgrind weston xdg-dbus-proxy xdotool xvfb

.PHONY: help build demo demo-ui test fuzz test-tsan test-escape lint bench install docs reference clean deps test-deps

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps:
	@Tests/Support/packages $(PACKAGES)

test-deps:
	@Tests/Support/packages $(TEST_PACKAGES)

build: deps ## build the programs for installation
	swift build -c release --static-swift-stdlib
	Sources/CSceneView/introspection $(RELEASE) $(RELEASE)/introspection

demo: deps ## play the whole story with real processes, in directories of its own
	@swift build -c release --static-swift-stdlib --product extensiond 2>&1 | tail -n 1
	@for product in extensiond-launcher extension-init extension-stdio extctl greeting-extension c-greeting greeting-host; do \
	  swift build -c release --static-swift-stdlib --product $$product 2>&1 | tail -n 1 || exit 1; done
	@Sources/Examples/demo $(RELEASE)

demo-ui: test-deps ## use an editor and its extensions on a screen of its own; pictures are left in .build/demo-ui
	@for product in extensiond extensiond-launcher extension-init extension-stdio extctl example-editor example-word-count; do \
	  swift build -c release --static-swift-stdlib --product $$product 2>&1 | tail -n 1 || exit 1; done
	@Sources/Examples/demo-ui $(RELEASE) .build/demo-ui

test: test-deps ## build and run all tests
	swift build --build-tests
	Tests/Support/run-tests

fuzz: deps ## give bytes that nobody thought of to what reads those of strangers, 60 s each
	Tests/Support/run-fuzz

test-tsan: test-deps ## run the integration tests and what has threads under ThreadSanitizer
	Tests/Support/run-tsan

test-escape: test-deps ## let a hostile extension try to leave its sandbox, one line an attempt
	swift build
	Tests/Support/run-escape-tests

lint: deps ## check format, layers and sizes; warnings are errors in every build
	swift format lint --strict --recursive Package.swift Sources Tests
	Tests/Support/lint-layers

bench: test-deps ## measure; options in BENCH, such as BENCH=--json
	@Tests/Support/unpack .build/unpacked dbus-broker
	-@Tests/Support/python-environment
	swift build -c release --static-swift-stdlib
	-cc -O2 -o $(RELEASE)/bench-gdbus Sources/bench-peers/gdbus/main.c Sources/bench-peers/measure.c $$(pkg-config --cflags --libs gio-2.0)
	$(RELEASE)/extension-bench $(BENCH)

docs: ## make the generated pages of docs/ anew
	swift build --product extctl
	swift build --product extensiond
	.build/debug/extctl manual --markdown > docs/extctl.md
	.build/debug/extensiond --limits > docs/limits.md
	Sources/Examples/demo .build/debug > docs/demo.txt

reference: deps ## make the API reference with DocC, in .build/reference
	swift build --target ExtensionKitGTKContent
	swift build --target ExtensionDistributed
	Tests/Support/run-reference-tests

clean: ## remove what was built
	rm -rf .build .build-fuzz .build-tsan .build-plugin

-include systemd/install.mk
