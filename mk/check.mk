# What runs tests, measures speed and proves.

check:
	@sh .ci/install-deps core test
	@$(MAKE) --no-print-directory check-run

# The programs for a GPU are built and linked where nvcc is, since nothing else here uses them; the
# shared libraries are for the Python packages.
check-programs: all $(INTERNAL) $(LRNN_CHECKERS:%=$(B)/plain/%) $(UNIT) $(PROP) $(CLIENT) \
                $(REPLAY) $(EMULATE) \
                $(if $(filter release,$(FLAVOUR)),$(PUBLIC_SO) $(KERNELS_SO) $(GPU_PROGRAMS))
CHECK_RUN = $(PYTHON) tests/check.py --$(if $(filter asan,$(FLAVOUR)),asan,release) $(B) \
            --jobs $(JOBS) --seconds build/seconds-$(FLAVOUR).json
check-run: check-programs
	@$(CHECK_RUN) $(CHECK_ONLY)
# For the impatient: what a whole `make check` before found short, and the rest as far as it comes.
check-quick:
	@sh .ci/install-deps core test
	@$(MAKE) --no-print-directory check-programs
	@$(CHECK_RUN) --quick 120

# Pages in a browser; PICTURES=DIR keeps what is seen.
check-pages: $(BIN)
	@sh .ci/install-deps pages
	@$(PYTHON) tests/html/pages.py --tool $(BIN) $(if $(PICTURES),--pictures $(PICTURES))

# fsa2lrnn.kernels on the CPU and, where there is one, on a GPU; KERNELS_JSON=FILE keeps the errors.
check-kernels: kernels
	@$(PYTHON) tests/kernels/run.py --library $(KERNELS_SO) $(KERNELS_JSON:%=--json %)

bench: all $(INTERNAL) $(BENCH)
	@$(PYTHON) tests/bench/bench.py --build $(B) --out $(B)/bench.json

# Which pairs of maps of three states have one layer: half a minute.
bench-three-states: all
	@$(PYTHON) tests/bench/three_states.py --build $(B) --out reports/results/three-states.json

# Networks in serving engines (docs/engines.md): every cell of S5, and with the record 20 cells of
# each engine, are looked at again by a model in Python, which closes random rows of networks, too.
# What is found of the record's cells is kept, so that the same line goes on where it was stopped;
# ATT=FOLDER names MLRegTest's files. `make engines ATT=FOLDER` makes the record.
ENGINES = reports/results/engines.json
check-engines: all
	@$(PYTHON) tests/engines/check_rows.py --tool $(BIN) --checker $(B)/lrnn-check
	@$(PYTHON) tests/engines/check_engines.py --tool $(BIN) --most 30000 --jobs $(JOBS)
	@$(PYTHON) tests/engines/check_engines.py --tool $(BIN) --most 30000 --jobs $(JOBS) \
	    --record $(ENGINES) --automata build/engines $(ATT:%=--att %) \
	    --keep build/engines/looked-at.jsonl --out build/engines/engines-cells.json
	@$(PYTHON) tests/engines/certificates.py --tool $(BIN) --checker $(B)/lrnn-check \
	    --folder build/engines --jobs $(JOBS) --cells 100
engines: all
	@test -n '$(ATT)' || { echo 'make engines ATT=FOLDER: MLRegTest' >&2; exit 64; }
	@$(PYTHON) tests/engines/record_engines.py --tool $(BIN) --att $(ATT) \
	    --folder build/engines --jobs $(JOBS) \
	    --out $(ENGINES)
	@$(PYTHON) tests/engines/certificates.py --tool $(BIN) --checker $(B)/lrnn-check \
	    --folder build/engines --jobs $(JOBS) --update

# What every row of the ladder says of the gallery and of MLRegTest's files: a few minutes.
ladder-table: all
	@$(PYTHON) tests/bench/ladder_table.py --tool $(B)/fsa2lrnn $(MLREGTEST:%=--data %) \
	    --jobs $(JOBS) --out reports/results/ladder-2026.json
# The tables of docs/census: half an hour.
census: all
	@$(PYTHON) tests/bench/census.py --build $(B) --out reports/results/census.json

# Every automaton of tests/search_cases.py, with little effort and with the default: at most 20
# minutes. The record is kept.
bench-search: all
	@$(PYTHON) tests/bench/search.py --build $(B) --all --out reports/results/search.json

# Plans on clusters that this machine plays; status 77 says that it cannot, with the reason.
slurm-check: all
	@$(PYTHON) tests/cluster/slurm.py --build $(B) || test $$? -eq 77
ray-check: all
	@{ python=$$(sh .ci/python-env ray) && \
	    $$python tests/cluster/ray_nodes.py --build $(B); } || \
	    test $$? -eq 77

# All automata of folders compiled, classified and checked, with one table (docs/corpora.md): make
# corpora DIR='FOLDER ..' [OUT=FOLDER] [COMPLEMENTS=SL,TSL] [RECORD=FILE]; the same line goes on.
OUT ?= build/corpora
corpora: all
	@test -n '$(DIR)' || { echo 'make corpora DIR=FOLDER: the automata' >&2; exit 64; }
	@$(PYTHON) tests/corpora/driver.py --build $(B) --out $(OUT) --jobs $(JOBS) \
	    $(COMPLEMENTS:%=--complements %) $(RECORD:%=--record %) $(DIR)

# The finer classes of all automata of a folder, their words replayed (docs/corpora.md): make
# corpora-finer DIR=FOLDER [RECORD=FILE].
corpora-finer: all
	@test -n '$(DIR)' || { echo 'make corpora-finer DIR=FOLDER: the automata' >&2; exit 64; }
	@$(PYTHON) tests/corpora/finer.py --tool $(BIN) --jobs $(JOBS) $(RECORD:%=--record %) $(DIR)

# Machines that fail, for five minutes; FAULTS='--seed 2 --seconds 600' for others.
cluster-check: all
	@$(PYTHON) tests/cluster/faults.py --build $(B) $(FAULTS)

# One table of 60 automata from every engine, and what each costs; TABLE='--automata FOLDER' for
# others, and RECORD=FILE.
cluster-table: all
	@$(PYTHON) tests/cluster/table.py --build $(B) $(RECORD:%=--record %) $(TABLE)

# What .ci/run leaves out, with its record; NIGHTLY='--only PART,..' for some of it.
nightly:
	@$(PYTHON) tests/nightly.py $(NIGHTLY)

FUZZ_SECONDS ?= 10
fuzz:
	@$(MAKE) --no-print-directory FLAVOUR=fuzz fuzz-run
fuzz-programs: $(FUZZ:%=$(B)/tests/fuzz/%)
fuzz-run: fuzz-programs
	@$(PYTHON) tests/fuzz/fuzz.py --build $(B) \
	    $(if $(FUZZ_RUNS),--runs $(FUZZ_RUNS),--seconds $(FUZZ_SECONDS))

# Runs the kinds whose checkers' code is not that of the record; CAMPAIGN=--all runs every kind. The
# weakened checkers are compiled in a temporary folder.
CAMPAIGN_RECORD := reports/results/mutation-campaign.json
campaign: all $(INTERNAL) $(B)/tests/prop/p_rep $(B)/tests/prop/p_bound \
          $(B)/tests/clients/points_network
	@$(PYTHON) tests/prop/campaign.py --record $(CAMPAIGN_RECORD) --build $(B) --jobs $(JOBS) \
	    $(CAMPAIGN)
	@$(PYTHON) tests/prop/bounds_meet_networks.py --tool $(BIN) --checker $(CHECKER) \
	    --bounds $(B)/tests/prop/p_bound --count 2000 --states 8 --census --jobs $(JOBS)
	@$(PYTHON) tests/prop/weak/weakened.py --build $(B) --jobs $(JOBS)
	@$(PYTHON) tests/figures.py --tool $(BIN) --count 366 --states 9
	@$(PYTHON) tests/figures.py --tool $(BIN) --folder tests/data/real

# A quarter of an hour. PLANTED=--only-planted leaves out the checkers, which campaign weakens, too.
planted: all $(INTERNAL) $(B)/tests/prop/p_rep $(B)/tests/clients/points_network
	@$(PYTHON) tests/planted/planted.py --build $(B) --jobs $(JOBS) $(PLANTED)

valgrind:
	@$(MAKE) --no-print-directory FLAVOUR=debug valgrind-run
valgrind-run: all $(INTERNAL) $(UNIT)
	@$(PYTHON) tests/valgrind.py --build $(B) --jobs $(JOBS)

# Status 77 of the script: something is not installed, and nothing was proved or built.
# RECORD=reports/results/proofs.json keeps their time and theorems.
proofs: all
	@$(PYTHON) tests/coq/record_proofs.py --folder build/coq $(RECORD:%=--record %) || \
	    { [ $$? -eq 77 ] && exit 0; } && \
	    $(PYTHON) tests/coq/coq_export.py --tool $(BIN) --theory build/coq
lrnn-check-coq:
	@sh theory/coq/proofs.sh checker build/coq/checker || [ $$? -eq 77 ]

# What unit tests, replays and tests of commands execute (clang and llvm).
COVER := build/cover
cover:
	@$(MAKE) --no-print-directory FLAVOUR=cover check-programs
	@LLVM_PROFILE_FILE='$(abspath $(COVER))/%m.profraw' $(PYTHON) tests/check.py \
	    --jobs $(JOBS) --release $(COVER) --only unit,replay,cli
	@llvm-profdata merge -sparse -o $(COVER)/all.profdata $(COVER)/*.profraw
	@llvm-cov report -instr-profile=$(COVER)/all.profdata $(COVER)/fsa2lrnn \
	    $(patsubst %,-object $(COVER)/%,$(LRNN_CHECKERS) $(notdir $(INTERNAL)))
# Which tests the sanitizers leave to the release: tests/sanitizer_left_out.tsv and its record.
sanitizer-cover:
	@$(MAKE) --no-print-directory FLAVOUR=cover check-programs
	@$(PYTHON) tests/sanitizer_cover.py --build $(COVER) --jobs $(JOBS)
