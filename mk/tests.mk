# How the programs of tests and fuzzers are built.

# A test program finds the internal library from its own place, so that a build folder may be
# copied.
empty :=
up = $(subst $(empty) ,/,$(patsubst %,..,$(subst /, ,$(patsubst $(B)/%/,%,$(dir $@)))))
# gold links one of the 500 small programs in a quarter of the time of the default linker.
TEST_LINKER := $(if $(shell command -v ld.gold),-fuse-ld=gold)
TEST_LIBS = $(SUPPORT) -L$(B) -lfsa2lrnn-internal -Wl,-rpath,'$$ORIGIN/$(up)' $(TEST_LINKER) \
            $(LDFLAGS_ALL) $(LIBS)
TEST_NEEDS := $(SUPPORT) | $(INTERNAL)
# The library does a test's work, so that optimising the test's own code takes longer than it saves.
# Release needs -O1 for the compiler's warnings about values that are not set.
TEST_O_release := -O1
TEST_O_asan    := -O0
TEST_O = $(TEST_O_$(FLAVOUR))
$(BENCH): TEST_O :=
# Compiled and linked apart, because a compiler cache keeps objects only; $(1) is linked as well.
define TEST_PROGRAM
	@mkdir -p $(@D)
	$(Q)$(TELL_SOURCE)$(COMPILER_CACHE) $(CC) $(CFLAGS_ALL) $(TEST_O) -I. \
	    -MMD -MP -MT $@ -MF $@.d -c $< -o $@.o
	$(Q)$(CC) $@.o $(1) $(TEST_LIBS) -o $@
endef
$(B)/tests/unit/%: tests/unit/%.c $(TEST_NEEDS)
	$(call TEST_PROGRAM,-lcriterion)
$(B)/tests/prop/%: tests/prop/programs/%.c $(TEST_NEEDS)
	$(call TEST_PROGRAM,-lcriterion)
$(B)/tests/%: tests/%.c $(TEST_NEEDS)
	$(call TEST_PROGRAM)
# Built without sanitizers, which cannot follow the lanes' stacks.
$(B)/tests/emulate/%: cuda/check/%.cc $(EMULATE_C) $(wildcard cuda/*/*.cuh cuda/check/emulated_*.h)
	@mkdir -p $(@D)
	$(Q)$(GXX) $(EMULATE_FLAGS) -c $< -o $@.o
	$(Q)$(CC) $(EMULATE_FLAGS) $(EMULATE_C) $@.o -lstdc++ -lm -o $@
# The kernels' C interface on emulated warps as a library: tests/vectors/run_vectors.py --emulated.
EMULATED_SO := $(B)/tests/emulate/libfsa2lrnn-kernels.so
.PHONY: emulated-kernels
emulated-kernels: $(EMULATED_SO)
$(EMULATED_SO): cuda/check/emulate_kernels.cc $(EMULATE_KERNELS) \
                $(wildcard cuda/*/*.cuh cuda/check/emulated_*.h cuda/kernels/*.cu kernels/*.c)
	@mkdir -p $(@D)
	$(Q)$(GXX) -fPIC $(EMULATE_FLAGS) -DF2L_HAVE_CUDA -Dmain=emulate_kernels -c $< -o $@.o
	$(Q)$(CC) -fPIC $(EMULATE_FLAGS) -r kernels/scan_*.c kernels/conv_*.c -o $@.scan.o
	$(Q)$(CC) -fPIC -shared $(EMULATE_FLAGS) -DF2L_HAVE_CUDA $(EMULATE_KERNELS) \
	    $(addprefix numeric/base/,mem.c rng.c status.c text.c visible.c) $@.o $@.scan.o \
	    -lstdc++ -lm -o $@
# Fuzz targets: libFuzzer in the fuzz flavour; a driver that replays the corpus everywhere else.
$(B)/tests/fuzz/%: tests/fuzz/%.c $(SUPPORT) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(TELL_SOURCE)$(CC) $(CFLAGS_ALL) -I. -MMD -MP $< $(SUPPORT) $(LIB) -fsanitize=fuzzer \
	    $(LDFLAGS_ALL) $(LIBS) -o $@
$(REPLAY_MAIN): tests/fuzz/replay.c $(B)/flags.stamp
	@mkdir -p $(@D)
	$(Q)$(COMPILER_CACHE) $(CC) $(CFLAGS_ALL) $(TEST_O) -I. -c $< -o $@
$(B)/tests/replay/%: tests/fuzz/%.c $(REPLAY_MAIN) $(TEST_NEEDS)
	$(call TEST_PROGRAM,$(REPLAY_MAIN))

-include $(B)/tests/cuda/kernel_dump.d $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) \
         $(SUPPORT_SRC:%.c=$(B)/%.d) $(DOUBLE_TEST_SRC:%.c=$(B)/double/%.d) \
         $(UNIT:%=%.d) $(PROP:%=%.d) $(CLIENT:%=%.d) $(BENCH:%=%.d)
