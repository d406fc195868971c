# fsa2lrnn: `make help` explains what can be made. Here: the library and its programs; mk/ has the
# rest by topic.
# Flavours: make FLAVOUR=release|debug|asan|cover|fuzz; objects live in build/<flavour>.

# The version lives in the public header.
VERSION := $(shell sed -n 's,.define FSA2LRNN_VERSION "\(.*\)",\1,p' include/fsa2lrnn.h)
FLAVOUR ?= release
# CUDA=/usr/local/cuda-12.4 on the command line builds with that one, into folders of its own.
ifneq ($(origin CUDA),command line)
CUDA :=
endif
CUDA_NAME := $(addprefix -,$(notdir $(patsubst %/,%,$(CUDA))))
B       ?= build/$(FLAVOUR)$(CUDA_NAME)
# Another user who installs this build sees the same commit: git reads a repository of another user
# when it is told to, and without git the commit is the last build's. In an archive that git made,
# mk/commit.txt names it.
COMMIT  := $(or $(shell sed -n '1s/^\([0-9a-f]\{12\}\)[0-9a-f]*$$/\1/p' mk/commit.txt), \
                $(shell git -c safe.directory='*' rev-parse --short=12 HEAD 2>/dev/null), \
                $(shell sed -n 's/.* //p' $(B)/commit.stamp 2>/dev/null),unknown)
PREFIX  ?= /usr/local
# The first Python that has NumPy: Debian's package is for /usr/bin/python3, which need not be the
# first on PATH.
PYTHON  ?= $(or $(shell for p in python3 /usr/bin/python3; do \
               $$p -c 'import numpy' 2>/dev/null && echo $$p && break; done),python3)
JOBS    ?= $(shell nproc 2>/dev/null || echo 1)

# A compiler from the command line or the environment wins; libFuzzer and the coverage of regions
# belong to clang.
ifeq ($(origin CC),default)
CC := gcc
endif
ifneq ($(filter fuzz cover,$(FLAVOUR)$(findstring clang,$(CC))),)
CC := clang
endif
# A compiler cache in front of the compilers, such as ccache; .ci/run sets it.
COMPILER_CACHE ?=
# What `make install` strips programs with; `make STRIP= install` leaves them as they are.
STRIP ?= strip
# V=1 prints the commands; otherwise a line names every 50th source that is compiled, with how many
# have begun and how many there are, each source that nvcc compiles, which takes minutes, and each
# linked program; `make -s` prints nothing.
Q := $(if $(filter 1,$(V)),,@)
QUIET = $(or $(filter 1,$(V)),$(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))))
count = $(eval $(1)_BEGUN += x)$(words $($(1)_BEGUN))
tell = $(call tell_nth,$(call count,$(1)),$(words $($(1)_COUNTED)))
tell_nth = $(if $(filter 1 %00 %50,$(1)),$(info [$(1)/$(2)] $<))
TELL_SOURCE = $(if $(QUIET),,$(call tell,$(if $(filter tests/% cuda/check/%,$<),TEST,LIB)))
TELL_CUDA = $(if $(QUIET),,$(info [CUDA $(call count,CUDA)/$(words $(CUDA_COUNTED))] $<))
TELL_LINK = $(if $(QUIET),,$(info [link] $@))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes \
        -Wmissing-prototypes -Wvla -Wundef -Werror
# For exact results: no contraction, never fast-math.
BASE_CFLAGS := -std=c17 -D_POSIX_C_SOURCE=200809L -ffp-contract=off \
               -fPIC -fno-semantic-interposition -g $(WARN)
FLAVOUR_release := -O2
FLAVOUR_debug   := -O0 -DF2L_MEM_FAILURES -D_FORTIFY_SOURCE=0
FLAVOUR_asan    := -O1 -DF2L_MEM_FAILURES -fsanitize=address,undefined \
                   -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAVOUR_cover   := -O1 -DF2L_MEM_FAILURES -fprofile-instr-generate -fcoverage-mapping
FLAVOUR_fuzz    := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
CFLAGS_ALL := $(BASE_CFLAGS) $(FLAVOUR_$(FLAVOUR)) $(CFLAGS)
LDFLAGS_asan  := -fsanitize=address,undefined
# The sanitizers' tables have 440,000 addresses, which the linker fills in once in place of every
# start of the program.
LDFLAGS_BIN_asan := -no-pie
LDFLAGS_cover := -fprofile-instr-generate
LDFLAGS_fuzz  := -fsanitize=address,undefined
LDFLAGS_ALL := $(LDFLAGS_$(FLAVOUR)) $(LDFLAGS)
# OpenBLAS that starts no threads: the threaded one starts them when the program is loaded, which
# takes time and address space that `ulimit -v` may not leave, and then retries for ever. Its
# archive is linked, because the name libopenblas.so.0 belongs to whichever OpenBLAS a machine
# prefers; where Debian's package is missing, the linker's own choice is used.
installed = $(wildcard $(abspath $(shell $(CC) -print-file-name=$(1) 2>/dev/null)))
OPENBLAS := $(or $(call installed,openblas-serial/libopenblas.a),-lopenblas)
# LAPACK is in OpenBLAS. LAPACKE, its interface for C, is linked as an archive, because the shared
# one brings an OpenBLAS of its own. LAPACK needs the Fortran runtime, which OpenBLAS depends on, so
# that it is there without a Fortran compiler.
LAPACKE := $(or $(call installed,liblapacke.a),-llapacke) $(OPENBLAS) \
           $(if $(call installed,libgfortran.so.5),-l:libgfortran.so.5,-lgfortran)
# FLINT 3 contains Arb; with FLINT 2 it is a library of its own (numeric/exact/arb_headers.h has the
# same condition).
HASH := \#
ARB := $(shell printf '%s\n' '$(HASH)if !__has_include(<flint/arb.h>)' -lflint-arb \
                 '$(HASH)endif' | \
               $(CC) $(CFLAGS) -E -P -x c - 2>/dev/null)
LIBS := $(ARB) -lflint -lmpfr -lgmp -ljansson $(LAPACKE) -lm -ldl -pthread

# Optional libraries: compiled in when found, reported when not (`make features`).
ifeq ($(BUNDLE),)
ifeq ($(shell pkg-config --exists libxml-2.0 2>/dev/null && echo yes),yes)
CFLAGS_XML := -DF2L_HAVE_LIBXML2 $(shell pkg-config --cflags libxml-2.0)
LIBS += $(shell pkg-config --libs libxml-2.0)
else
MISSING += "libxml2: JFLAP import is off"
endif
ifneq ($(wildcard /usr/include/fa.h),)
CFLAGS_FA := -DF2L_HAVE_LIBFA
LIBS += -lfa
else
MISSING += "libfa: --regex is off"
endif
endif

# CUDA parts: built when nvcc is installed (`make NVCC=` leaves them out). Their objects are the
# same for every flavour.
NVCC ?= $(if $(CUDA),$(CUDA)/bin/nvcc,$(firstword \
            $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc)))
ifneq ($(NVCC),)
CUDA_HOME := $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
CUDA_B    := build/cuda$(CUDA_NAME)
CUDA_SRC  := $(sort $(shell find cuda -name '*.cu' ! -path 'cuda/check/*' ! -path 'cuda/lab/*'))
CUDA_OBJ  := $(CUDA_SRC:cuda/%.cu=$(CUDA_B)/%.o)
# Kernels that lost: only check and benchmark programs have them.
LAB_OBJ   := $(patsubst cuda/%.cu,$(CUDA_B)/%.o,$(wildcard cuda/lab/*.cu))
# Machine code for Hopper with its own instructions, and PTX that the driver compiles for later
# devices.
NVCC_FLAGS := -std=c++17 -O3 -lineinfo -gencode arch=compute_90a,code=sm_90a \
              -gencode arch=compute_90,code=compute_90 -Werror all-warnings \
              -Xcompiler -O2,-Wall,-Wextra,-fno-exceptions,-fno-rtti \
              -Xcompiler -fno-threadsafe-statics,-ffp-contract=off
# The kernels are most of the program after OpenBLAS: compressed for size they take a fifth.
NVCC_PACKS := $(shell $(NVCC) --help 2>/dev/null | grep -e --compress-mode)
NVCC_FLAGS += $(if $(NVCC_PACKS),--compress-mode=size)
LIBS += -L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt
else
MISSING += "nvcc: --backend cuda is off"
endif

# Every include names its file from the root: -I. is the only include path of the project's own.
# tests/layers.py checks what a folder may include.
LIB_SRC := $(sort $(shell find numeric automata models theory cuda kernels reports library \
                            -name '*.c' ! -path '*/check/*' ! -path 'cuda/lab/*'))
# The tables of the kernels name all of them, so they are compiled where the kernels are.
KERNEL_TABLES := cuda/cuda_kernels.c cuda/device/cuda_group_device.c cuda/step/cuda_answer_device.c
# What no fuzzer reaches is left out of the fuzzers' library; a fuzzer that comes to need it does
# not link.
ifeq ($(FLAVOUR),fuzz)
LIB_SRC := $(filter-out $(addsuffix /%,automata/export kernels library models/doors/blocks \
               models/doors/export \
               models/doors/inject models/doors/vectors models/learn/inspect \
               reports/html reports/networks \
               theory/census theory/beside/snap), \
               $(LIB_SRC))
endif
# Sources that models/learn/double.sed also makes for double. The library has the double ones that
# `inspect` and `evaluate --tokens` run, tests have all.
DOUBLE_TEST_SRC := models/learn/seq/seq_start.c
DOUBLE_SRC := $(wildcard models/learn/op/*.c) \
              $(wildcard models/learn/seq/*/*_pass.c) models/learn/seq/seq_stream.c \
              models/learn/seq/seq_output.c models/learn/seq/seq_pass.c
LIB_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out $(if $(NVCC),,$(KERNEL_TABLES)),$(LIB_SRC))) \
           $(DOUBLE_SRC:%.c=$(B)/double/%.o) $(CUDA_OBJ)
CLI_SRC := $(sort $(shell find cli -name '*.c'))
CLI_OBJ := $(CLI_SRC:%.c=$(B)/%.o)
# The archive of everything, for programs that are built here; PUBLIC_A is the one that is
# installed.
LIB     := $(B)/libfsa2lrnn-internal.a
# The library that is installed: include/fsa2lrnn.h alone, shared and static.
SOVERSION := $(word 1,$(subst ., ,$(VERSION))).$(word 2,$(subst ., ,$(VERSION)))
SONAME    := libfsa2lrnn.so.$(SOVERSION)
PUBLIC_SO := $(B)/libfsa2lrnn.so.$(VERSION)
PUBLIC_A  := $(B)/libfsa2lrnn.a
# Every object of the library with all its symbols, for test programs: never installed. Test
# programs that link it are small, and need not be linked again when the library changes.
INTERNAL := $(B)/libfsa2lrnn-internal.so
# Sources that test programs share.
SUPPORT_SRC := $(sort $(shell find tests/support -name '*.c'))
ifeq ($(FLAVOUR),fuzz)
SUPPORT_SRC := $(filter %/field_values.c %/import_fuzz.c %/seq_fuzz.c,$(SUPPORT_SRC))
endif
SUPPORT := $(B)/libtest-support.a
BIN     := $(B)/fsa2lrnn
LRNN_CHECKERS := $(basename $(notdir $(wildcard theory/check/lrnn-check*.c)))
# Those of lower bounds, whose certificates are about an automaton alone.
CHECKER := $(B)/lrnn-check
BOUND_CHECKERS := $(basename $(notdir $(wildcard theory/check/bound/*-check.c)))
CHECKERS := $(LRNN_CHECKERS:%=$(B)/%) $(BOUND_CHECKERS:%=$(B)/%) $(B)/horizon-check
REP_CHECKER := $(B)/rep-check
HEADERS := $(sort $(shell find numeric automata models theory cuda kernels reports library \
                            include cli -name '*.h' ! -path '*/check/*'))

UNIT_SRC := $(sort $(shell find tests/unit -name 't_*.c'))
UNIT   := $(UNIT_SRC:%.c=$(B)/%)
PROP   := $(patsubst tests/prop/programs/%.c,$(B)/tests/prop/%, \
            $(wildcard tests/prop/programs/p_*.c))
CLIENT := $(patsubst %.c,$(B)/%,$(wildcard tests/clients/*.c tests/clients/*/*.c))
BENCH  := $(patsubst tests/bench/%.c,$(B)/tests/bench/%,$(wildcard tests/bench/*.c))
FUZZ   := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAY := $(FUZZ:%=$(B)/tests/replay/%)
REPLAY_MAIN := $(B)/tests/replay/main.o
# Programs for a machine with a GPU, where nvcc builds them.
GPU_CHECK := $(patsubst cuda/check/%.c,%,$(wildcard cuda/check/check_*.c))
GPU_BENCH := $(basename $(notdir $(wildcard cuda/check/bench_*.c*)))
GPU_PROGRAMS := $(if $(NVCC),$(GPU_CHECK:%=$(B)/gpu/%) $(B)/gpu/trainer_trace)

# The kernels' own source on warps that this CPU emulates: nothing of CUDA, but GNU's C++ compiler,
# because clang refuses the kernels' inline assembly where there is no GPU.
GXX := g++
ifneq ($(shell command -v $(GXX) 2>/dev/null),)
EMULATE   := $(patsubst cuda/check/%.cc,$(B)/tests/emulate/%,$(wildcard cuda/check/emulate_*.cc))
EMULATE_C := $(wildcard tests/support/cuda/replay_delta*.c) \
             tests/support/cuda/host_diagonal.c tests/support/cuda/host_pairs.c \
             $(addprefix models/learn/op/,op_attention.c op_dplr.c op_mlstm.c op_rates.c) \
             $(addprefix numeric/base/,mem.c rng.c status.c text.c visible.c)
EMULATE_FLAGS := -O2 -Wall -Wextra -Wno-unknown-pragmas -Wno-missing-field-initializers -Werror \
                 -ffp-contract=off -D_POSIX_C_SOURCE=200809L -I.
# The kernels' C interface is emulated with its front door and its reference.
EMULATE_KERNELS := $(wildcard kernels/base/*.c kernels/delta_*.c) cuda/kernels/kernels_choice.c \
                   $(wildcard tests/support/kernels/kernels_*.c)
$(B)/tests/emulate/emulate_kernels: EMULATE_C += $(EMULATE_KERNELS)
$(B)/tests/emulate/emulate_kernels: EMULATE_FLAGS += -DF2L_HAVE_CUDA
$(B)/tests/emulate/emulate_kernels: $(EMULATE_KERNELS) \
        $(wildcard cuda/kernels/*.cu cuda/kernels/*.h)
else
MISSING += "g++: the CUDA kernels are not run on emulated warps"
endif

# What is counted in the lines of a build: the sources of `all` and those of tests.
LIB_COUNTED = $(filter-out $(if $(NVCC),,$(KERNEL_TABLES)),$(LIB_SRC)) $(CLI_SRC) \
              $(sort $(foreach c,$(notdir $(filter-out $(REP_CHECKER),$(CHECKERS))),$($(c)_SRC)))
TEST_COUNTED = $(UNIT) $(PROP) $(CLIENT) $(REPLAY) $(SUPPORT_SRC) $(GPU_PROGRAMS)
CUDA_COUNTED = $(CUDA_OBJ) $(if $(filter $(CUDA_B)/lab/%,$@),$(LAB_OBJ))

.PHONY: all lib kernels demo check check-kernels check-pages check-run check-programs \
        check-quick nightly campaign planted bench bench-search bench-three-states census \
        ladder-table \
        gpu-check gpu-bench gpu-bundle gpu-bundle-run fuzz sanitizer-cover fuzz-programs \
        fuzz-run valgrind valgrind-run lint \
        lint-all layers cover install install-kernels uninstall deb wheel kernels-wheel \
        kernels-manylinux check-kernels-wheel check-wheel sdist manylinux \
        clean help features schema \
        gallery format slurm-check ray-check cluster-check cluster-table corpora corpora-finer \
        proofs lrnn-check-coq FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BIN) $(CHECKERS) $(REP_CHECKER) features
lib: $(PUBLIC_SO) $(PUBLIC_A)

features:
	@for m in $(MISSING); do echo "note: not found: $$m"; done

# A change of the flags, or of what the machine has, makes every object again.
FLAGS_NOW = $(CC) $(CFLAGS_ALL) $(CFLAGS_XML) $(CFLAGS_FA) $(if $(NVCC),nvcc)
$(B)/flags.stamp: FORCE
	@mkdir -p $(@D); echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' > $@
$(B)/%.o: %.c $(B)/flags.stamp
	@mkdir -p $(@D)
	$(Q)$(TELL_SOURCE)$(COMPILER_CACHE) $(CC) $(CFLAGS_ALL) -I. $(EXTRA_$*) -MMD -MP -c $< -o $@
EXTRA_automata/import/import_jflap = $(CFLAGS_XML)
EXTRA_automata/import/charts/scxml = $(CFLAGS_XML)
EXTRA_automata/import/regex_compile = $(CFLAGS_FA)
EXTRA_models/learn/train/backend = $(if $(NVCC),-DF2L_HAVE_CUDA)
# What they have of these files is not in the lists that the compiler makes.
$(B)/models/doors/export/pytorch_export.o: models/doors/export/pytorch_model.py
$(B)/models/doors/inject/inject.o: models/doors/inject/inject_model.py
$(B)/reports/page/words.o: docs/glossary.md
# Loops over arrays of any length are vectorised; none of these flags changes a result.
VECTORISED := $(if $(filter release,$(FLAVOUR)),-O3 -fno-trapping-math -fno-math-errno)
EXTRA_models/learn/op/op_norm = $(VECTORISED)
EXTRA_models/learn/op/op_point = $(VECTORISED)
EXTRA_models/learn/seq/seq_output = $(VECTORISED)
EXTRA_models/learn/op/op_product = $(VECTORISED)
EXTRA_theory/beside/horizon/learned_form = $(VECTORISED)
EXTRA_theory/beside/horizon/learned_limit = $(VECTORISED)
EXTRA_theory/beside/horizon/limit_span = $(VECTORISED)
EXTRA_theory/beside/horizon/learned_net = $(VECTORISED)
EXTRA_theory/beside/horizon/settle_claims = $(VECTORISED)
EXTRA_theory/beside/horizon/settle_reads = $(VECTORISED)
EXTRA_theory/beside/horizon/learned_lanes = $(VECTORISED)
EXTRA_theory/obstruct/separation/separation_path = $(VECTORISED)
EXTRA_theory/obstruct/separation/separation_sieve = $(VECTORISED)
EXTRA_theory/obstruct/separation/separation_fill = $(VECTORISED)
EXTRA_kernels/delta_face = $(if $(NVCC),-DF2L_HAVE_CUDA)
EXTRA_kernels/scan_face = $(if $(NVCC),-DF2L_HAVE_CUDA)
EXTRA_cli/version = $(CFLAGS_XML) $(CFLAGS_FA)
EXTRA_library/version = -DF2L_COMMIT='"$(COMMIT)"'

# A source for double finds the double form of a header with code before the header itself.
DOUBLE_HEADERS := $(patsubst %,$(B)/double/%,models/learn/op/op_delta_strip.h \
               models/learn/op/op_rows.h)
$(B)/double/%: % models/learn/double.sed
	@mkdir -p $(@D)
	@{ echo '#line 1 "$<"'; sed -f models/learn/double.sed $<; } > $@
$(DOUBLE_TEST_SRC:%.c=$(B)/double/%.o): DOUBLE_FLAGS := -include tests/support/train/seq_f64.h
$(B)/double/models/learn/seq/seq_pass.o: DOUBLE_FLAGS := -include models/learn/seq/seq_f64.h
$(B)/double/%.o: $(B)/double/%.c $(DOUBLE_HEADERS) $(B)/flags.stamp
	$(Q)$(COMPILER_CACHE) $(CC) $(CFLAGS_ALL) -I$(B)/double -I. $(DOUBLE_FLAGS) $(EXTRA_$*) \
	    -MMD -MP -c $< -o $@

$(CUDA_B)/%.o: cuda/%.cu
	@mkdir -p $(@D)
	$(Q)$(TELL_CUDA)$(COMPILER_CACHE) $(NVCC) $(NVCC_FLAGS) -I. -MMD -MP -c $< -o $@

# The commit is part of version.o: rebuild it when the commit changes.
$(B)/commit.stamp: FORCE
	@mkdir -p $(@D); echo '$(VERSION) $(COMMIT)' | cmp -s - $@ || \
	    echo '$(VERSION) $(COMMIT)' > $@
FORCE:
$(B)/library/version.o: $(B)/commit.stamp

# What is linked of a list of objects is made again when the list changes: no object is newer where
# a source was removed. The list is the same whatever path leads to the build folder. Every make
# writes a list of its own: one that compared the list which another was writing linked all again.
MEMBERS := $(B)/members.stamp
THIS_MAKE := $(shell echo $$PPID)
$(MEMBERS): FORCE | $(B)/flags.stamp
	$(shell mkdir -p $(@D))$(file >$@.$(THIS_MAKE),$(patsubst $(B)/%,%,$(LIB_OBJ) $(CLI_OBJ)) \
	    $(SUPPORT_SRC))
	@if cmp -s $@.$(THIS_MAKE) $@; then rm $@.$(THIS_MAKE); else mv $@.$(THIS_MAKE) $@; fi
$(LIB): $(LIB_OBJ) $(MEMBERS)
	@rm -f $@
	$(Q)$(TELL_LINK)$(AR) rcs $@ $(LIB_OBJ)

# Only the symbols of the header leave the shared library, and only what they need is in it: nothing
# of the training, its kernels and OpenBLAS. In the static one all objects are joined to one, in
# which all other symbols are local.
FACE_OBJ := $(filter $(B)/library/%,$(LIB_OBJ))
LINK_FACE = $(CC) -shared $(LDFLAGS_ALL) -Wl,-soname,$(SONAME) -Wl,--as-needed \
            -Wl,--version-script=library/exports.map
$(PUBLIC_SO): $(LIB) library/exports.map
	$(Q)$(TELL_LINK)$(LINK_FACE) $(FACE_OBJ) $(LIB) $(LIBS) -o $@
	@ln -sf $(notdir $@) $(B)/$(SONAME); ln -sf $(SONAME) $(B)/libfsa2lrnn.so
$(PUBLIC_A): $(filter-out $(B)/kernels/% $(B)/cuda/kernels/% $(CUDA_B)/kernels/%,$(LIB_OBJ)) \
             $(MEMBERS)
	@rm -f $@
	$(Q)$(LD) -r $(filter %.o,$^) -o $(B)/fsa2lrnn-all.o
	$(Q)objcopy --wildcard --keep-global-symbol='fsa2lrnn_*' $(B)/fsa2lrnn-all.o
	$(Q)ar rcs $@ $(B)/fsa2lrnn-all.o

# The library of the kernels: include/fsa2lrnn_kernels.h alone, with CUDA's runtime inside.
KERNELS_VERSION := $(shell sed -n 's,.define FSA2LRNN_KERNELS_VERSION "\(.*\)",\1,p' \
                       include/fsa2lrnn_kernels.h)
KERNELS_SONAME := libfsa2lrnn-kernels.so.0
KERNELS_SO := $(B)/libfsa2lrnn-kernels.so.$(KERNELS_VERSION)
KERNELS_LIBS := $(if $(NVCC),-L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt -pthread) -lm
LINK_KERNELS = $(CC) -shared $(LDFLAGS_ALL) -Wl,-soname,$(KERNELS_SONAME) -Wl,--as-needed \
               -Wl,--gc-sections -Wl,--no-undefined -Wl,--version-script=kernels/exports.map
# What it consists of, so that it is built without the rest.
KERNELS_OBJ := $(filter $(B)/kernels/% $(B)/cuda/kernels/%,$(LIB_OBJ)) \
               $(patsubst %,$(B)/numeric/base/%.o,mem status text visible) \
               $(filter $(CUDA_B)/kernels/% $(CUDA_B)/delta/cuda_delta.o $(CUDA_B)/op/cuda_conv.o \
                   $(CUDA_B)/op/cuda_select.o $(CUDA_B)/op/cuda_stream.o,$(CUDA_OBJ))
$(KERNELS_SO): $(KERNELS_OBJ) kernels/exports.map $(MEMBERS)
	$(Q)$(TELL_LINK)$(LINK_KERNELS) $(KERNELS_OBJ) $(KERNELS_LIBS) -o $@
	@ln -sf $(notdir $@) $(B)/$(KERNELS_SONAME)
	@ln -sf $(KERNELS_SONAME) $(B)/libfsa2lrnn-kernels.so
kernels: $(KERNELS_SO)

$(INTERNAL): $(LIB)
	$(Q)$(TELL_LINK)$(CC) -shared $(LDFLAGS_ALL) -Wl,--whole-archive $< -Wl,--no-whole-archive \
	    $(LIBS) -o $@

$(SUPPORT): $(SUPPORT_SRC:%.c=$(B)/%.o) $(DOUBLE_TEST_SRC:%.c=$(B)/double/%.o) $(MEMBERS)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

$(BIN): $(CLI_OBJ) $(LIB)
	$(Q)$(TELL_LINK)$(CC) $(LDFLAGS_ALL) $(LDFLAGS_BIN_$(FLAVOUR)) $^ $(LIBS) -o $@

# The checkers share nothing with the library: they need libc and GMP, rep-check only libc.
# lrnn-check finds its companions in its own folder. plain/ holds the same programs without caches
# and without arithmetic in 128 bits.
CHECK_COMMON := text program automaton network claim cascade
CHECK_PARTS_lrnn-check :=
CHECK_PARTS_lrnn-check-field := field boxes
CHECK_PARTS_lrnn-check-wired := wired form zeiger d1 blocks points product
CHECK_PARTS_lrnn-check-swaps := swaps
CHECK_PARTS_lrnn-check-float := real row row_store schedule float
CHECK_PARTS_lrnn-check-unrounded := wired form zeiger d1 blocks points product real row \
    row_store schedule unrounded chunk64
CHECK_BOUND := text program automaton bound/bound
CHECK_PARTS_fork-check :=
CHECK_PARTS_band-check :=
CHECK_PARTS_stack-check :=
CHECK_PARTS_arcs-check :=
CHECK_PARTS_depth-check :=
CHECK_PARTS_separation-check :=
CHECK_LEARNED := text program automaton learned/learned_bound learned/learned_read \
    learned/learned_letters learned/learned_answer learned/learned_lanes learned/learned_words \
    learned/learned_balls learned/learned_settle learned/learned_forever learned/learned_finite \
    learned/learned_roots
CHECK_PARTS_horizon-check :=
define check_rule
$(1)_SRC := $(patsubst %,theory/check/%.c,$(2) $(CHECK_PARTS_$(1)) $(3)$(1))
$(B)/$(1): $$($(1)_SRC:theory/check/%.c=$(B)/theory/check/%.o)
	$$(Q)$$(TELL_LINK)$$(CC) $$(LDFLAGS_ALL) $$^ -lgmp -lm -o $$@
$(B)/plain/$(1): $$($(1)_SRC:theory/check/%.c=$(B)/plain/%.o)
	$$(Q)$$(CC) $$(LDFLAGS_ALL) $$^ -lgmp -lm -o $$@
$(B)/theory/check/$(3)$(1).o $(B)/plain/$(3)$(1).o: EXTRA_CHECK = \
    -DLRNN_CHECK_VERSION='"$(VERSION)"' \
    -DLRNN_CHECK_SOURCES='"$$(shell cat $$($(1)_SRC) $$(CHECK_HEADERS) | sha256sum | cut -c1-64)"'
$(B)/theory/check/$(3)$(1).o $(B)/plain/$(3)$(1).o: $$($(1)_SRC)
endef
CHECK_HEADERS := $(sort $(wildcard theory/check/*.h theory/check/bound/*.h \
                           theory/check/learned/*.h))
$(foreach c,$(LRNN_CHECKERS),$(eval $(call check_rule,$(c),$(CHECK_COMMON),)))
$(foreach c,$(BOUND_CHECKERS),$(eval $(call check_rule,$(c),$(CHECK_BOUND),bound/)))
$(eval $(call check_rule,horizon-check,$(CHECK_LEARNED),learned/))
$(B)/theory/check/%.o: theory/check/%.c $(CHECK_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(TELL_SOURCE)$(CC) $(CFLAGS_ALL) -I. $(EXTRA_CHECK) -c $< -o $@
$(B)/plain/%.o: theory/check/%.c $(CHECK_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -I. -DLRNN_CHECK_PLAIN $(EXTRA_CHECK) -c $< -o $@

REP_CHECK_SOURCES := theory/check/rep-check.c
$(REP_CHECKER): $(REP_CHECK_SOURCES)
	@mkdir -p $(@D)
	$(Q)$(TELL_LINK)$(CC) $(CFLAGS_ALL) -DLRNN_CHECK_VERSION='"$(VERSION)"' \
	    -DCHECK_SOURCES_SHA256="\"$$(cat $(REP_CHECK_SOURCES) | sha256sum | cut -c1-64)\"" $< \
	    $(LDFLAGS_ALL) -o $@

help:
	@echo 'make            build fsa2lrnn and lrnn-check into build/$(FLAVOUR)'
	@echo 'make kernels    the library of the kernels, libfsa2lrnn-kernels.so.0, which needs'
	@echo '                nothing but the C library (docs/kernels.md); CUDA=DIR: with the CUDA'
	@echo '                of that folder'
	@echo 'make demo       install what is missing, build, prove three networks and'
	@echo '                refute one, with pictures to look at'
	@echo 'make check      install what is missing, build, run all tests'
	@echo '                (FLAVOUR=asan for the sanitizers)'
	@echo 'make check-quick  at most two minutes of tests, and what they left out'
	@echo 'make check-pages  report.html in Chromium: sizes of text, rings, legends'
	@echo 'make check-kernels  the PyTorch operators over libfsa2lrnn-kernels, on the CPU and'
	@echo '                where there is one on a GPU (PYTHON=a Python with PyTorch 2.4)'
	@echo 'make bench      speed against targets and anchors, as medians and ratios'
	@echo 'make bench-three-states  which pairs of maps of three states have one layer'
	@echo 'make census     fewest layers of all automata of 3 and 4 states: docs/census'
	@echo 'make ladder-table  every row of the ladder for the gallery and MLREGTEST=DIR'
	@echo 'make bench-search  first and best network, time and memory for real and'
	@echo '                random automata, into reports/results/search.json'
	@echo 'make fuzz       every fuzzer for FUZZ_SECONDS=10, or FUZZ_RUNS=1000000 runs'
	@echo 'make campaign   5,000 changes of meaning of every kind of certificate whose'
	@echo '                checkers changed (CAMPAIGN=--all: of every kind), lower bounds'
	@echo '                of 4,800 automata beside their networks, and checkers weakened'
	@echo '                on purpose, which it catches; the figures of classify,'
	@echo '                the list and the main job on 378 automata'
	@echo 'make planted    faults planted in the sources, one at a time in a copy, and checkers'
	@echo '                weakened on purpose: a test that a change has to pass catches each'
	@echo 'make valgrind   unit tests and the main job under valgrind'
	@echo 'make proofs     the proofs of theory/coq by Coq 8.16 and MathComp 1.15, as in'
	@echo '                Debian 12, and its checker, as coqchk sees them'
	@echo 'make lrnn-check-coq  the checker that is proved in Coq (OCaml and Zarith),'
	@echo '                into build/coq/checker'
	@echo 'make slurm-check  a plan as a Slurm array on two nodes of this machine (munge,'
	@echo '                slurm-wlm and root), one of which fails'
	@echo 'make ray-check  the same with Ray, from the package index of pip'
	@echo 'make cluster-check  work on machines that fail in fourteen ways, from a seed'
	@echo 'make cluster-table  60 automata by GNU parallel, Slurm, Ray and Snakemake:'
	@echo '                one table, and what each engine costs'
	@echo 'make corpora DIR=FOLDER  compiles, classifies and checks all automata of the folder'
	@echo 'make gpu-check  every CUDA kernel against the references, where there is a'
	@echo '                GPU (SRC=DIR: also the library fla)'
	@echo 'make gpu-bench  our kernels and training step beside fla on a GPU'
	@echo '                (SRC=DIR holds the package fla)'
	@echo 'make gpu-bundle the programs of both with their libraries, for a machine'
	@echo '                without them'
	@echo 'make lint       formatting, layers, citations, style, self-contained'
	@echo '                headers, clang-tidy, cppcheck'
	@echo 'make nightly    what .ci/run leaves out: every test under the sanitizers, the'
	@echo '                analyser on all sources, Debian 13, fuzzers for a minute each, the'
	@echo '                campaign and planted faults; the record is kept'
	@echo 'make lint-all   the same with the analyser of clang-tidy on all sources, not only'
	@echo '                on those that changed since its record'
	@echo 'make schema     reports/schema.json and docs/json.md, from reports/facts.txt'
	@echo 'make gallery    the first picture, docs/gallery.md and its figures, from recorded'
	@echo '                results and networks compiled now (dot and gnuplot)'
	@echo 'make layers     what each folder includes: levels, and build/layers.dot'
	@echo 'make cover      line coverage of the unit and command tests'
	@echo 'make docs       the book as a site with search, into build/book/html (Sphinx)'
	@echo 'make deb        the Debian packages of the last commit, into build/deb'
	@echo 'make wheel      the Python package with all of its libraries, into dist'
	@echo 'make check-wheel  the wheel in a bare virtual environment'
	@echo 'make source     the source archive of the last commit, into dist'
	@echo 'make release VERSION=X.Y.Z  checks that the files agree, runs everything, makes the'
	@echo '                archive and all packages twice and compares them (docs/releasing.md)'
	@echo 'make kernels-wheel  the Python package fsa2lrnn.kernels with its library, into dist'
	@echo '                (make check-kernels-wheel: in a bare virtual environment;'
	@echo '                make kernels-manylinux: for other machines)'
	@echo 'make manylinux  the wheel for other machines, from a bare Debian 11 (root)'
	@echo 'make sdist      the source archive that pip builds a wheel of, into dist'
	@echo 'make install-kernels  libfsa2lrnn-kernels, its header and pkg-config'
	@echo 'make install    binaries, library, headers, pkg-config, man page,'
	@echo '                completion under PREFIX=$(PREFIX)'

DEMO := build/demo
demo:
	@sh .ci/install-deps core draw || NO_INSTALL=1 sh .ci/install-deps core
	@$(MAKE) --no-print-directory all
	@sh examples/demo.sh $(BIN) $(CHECKER) $(DEMO)

include $(sort $(wildcard mk/*.mk))

clean:
	rm -rf build dist
