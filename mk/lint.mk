# Style, layers and static analysis, and what is generated from tables.

# Formatting, every header alone, and two static analysers. Each tool's findings are errors.
LINT_SRC := $(LIB_SRC) $(CLI_SRC) $(wildcard theory/check/*.c theory/check/bound/*.c \
                                          theory/check/learned/*.c)
FORMAT_SRC := $(LINT_SRC) $(HEADERS) $(CHECK_HEADERS) \
              $(sort $(shell find tests -name '*.c' -o -name '*.h'))
CHECK_READER := theory/check/reader.h theory/check/text.c theory/check/automaton.c \
                theory/check/network.c
LINT := headers reader trusted weak campaign citations layers names facts style book glossary \
        figures format cppcheck tidy
.PHONY: lint-parts $(LINT:%=lint-%)
lint: $(LINT:%=lint-%)
# Their names, for tests/check.py, which runs them in its queue.
lint-parts:
	@echo $(LINT)
lint-headers:
	@for h in $(HEADERS); do \
	    $(CC) -std=c17 -D_POSIX_C_SOURCE=200809L $(WARN) -fsyntax-only -I. \
	        -include $$h -x c /dev/null || exit 1; done
lint-reader:
	@h=$$(cat $(CHECK_READER) | sha256sum | cut -c1-64); \
	    grep -q $$h theory/check/reader.log || \
	    { echo "theory/check/reader.log does not say what changed in the shared reader;" \
	           "its files have sha256 $$h" >&2; exit 1; }
lint-trusted:
	python3 tests/trusted_lines.py --check
lint-weak:
	python3 tests/prop/weak/weakened.py --check
	python3 tests/planted/planted.py --check
lint-campaign:
	python3 tests/prop/campaign.py --self-test
	python3 tests/prop/campaign.py --record $(CAMPAIGN_RECORD) --check
lint-book lint-citations lint-glossary lint-layers lint-names lint-style: lint-%:
	python3 tests/$*.py --self-test
	python3 tests/$*.py
lint-figures:
	python3 docs/figures/what_decides.py --check
	python3 docs/figures/words_by_length.py --check
	python3 docs/figures/language.py --check
	python3 docs/figures/settle_table.py --check
lint-facts:
	python3 tests/facts.py --check
	python3 tests/engines.py --check
lint-format:
	clang-format --dry-run -Werror $(FORMAT_SRC)
# LINT_CACHE is a folder in which cppcheck and clang-tidy keep what they found in sources, so that
# those that are the same are not looked at again.
lint-cppcheck:
	$(if $(LINT_CACHE),@mkdir -p $(LINT_CACHE)/cppcheck)
	cppcheck --std=c11 --quiet --error-exitcode=1 --inline-suppr \
	    --suppress=missingIncludeSystem --enable=warning,portability -j $(JOBS) -I. \
	    $(if $(LINT_CACHE),--cppcheck-build-dir=$(LINT_CACHE)/cppcheck) $(LINT_SRC)
lint-tidy:
	python3 tests/tidy.py --self-test
	python3 tests/tidy.py --jobs $(JOBS) $(TIDY_ALL) $(LINT_CACHE:%=--passed %/tidy) \
	    $(LINT_SRC) -- \
	    -std=c17 -D_POSIX_C_SOURCE=200809L -I. $(CFLAGS_XML) $(CFLAGS_FA) \
	    -DF2L_COMMIT='"x"' -DLRNN_CHECK_VERSION='"x"'
# The same with the analyser on every source, and its record, which spares unchanged sources later.
lint-all:
	@$(MAKE) --no-print-directory lint TIDY_ALL=--all
# Each folder's includes: levels on the terminal, the graph as DOT, and as SVG with Graphviz.
layers:
	@python3 tests/layers.py --draw build/layers.dot
schema:
	@$(PYTHON) tests/facts.py --update
gallery: $(BIN)
	@$(PYTHON) docs/figures/first_picture.py --tool $(BIN)
	@$(PYTHON) docs/figures/gallery.py --tool $(BIN)
	@$(PYTHON) docs/figures/what_decides.py
	@$(PYTHON) docs/figures/language.py
	@$(PYTHON) docs/figures/published_table.py --tool $(BIN)
format:
	clang-format -i $(FORMAT_SRC)
