# Programs for a machine with a GPU: how they are built, run and carried there.

define GPU_LINK
	@mkdir -p $(@D)
	$(Q)$(TELL_SOURCE)$(CC) $(CFLAGS_ALL) -I. -MMD -MP $< $(filter %.o,$^) $(SUPPORT) $(LIB) \
	    $(LDFLAGS_ALL) $(LIBS) -o $@
endef
$(B)/gpu/%: cuda/check/%.c $(SUPPORT) $(LIB)
	$(GPU_LINK)
$(B)/gpu/trainer_trace: tests/clients/trainer/trainer_trace.c $(SUPPORT) $(LIB)
	$(GPU_LINK)
$(B)/gpu/check_scan $(B)/gpu/bench_recurrent: $(LAB_OBJ)
$(B)/gpu/%: cuda/check/%.cu $(LIB)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVCC_FLAGS) -I. -Xcompiler -Wno-missing-field-initializers -c $< -o $@.o
	$(Q)$(CC) $(LDFLAGS_ALL) $@.o $(LIB) $(LIBS) -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -o $@

# On a machine with a GPU: every kernel against the references; the replays of chunk64 and recurrent
# against the kernels of flash-linear-attention, which also reads our weights (SRC: a folder that
# holds the package fla). Elsewhere the programs are built, and the replays' dumps are checked.
gpu-check: all $(INTERNAL) $(B)/tests/cuda/kernel_dump $(B)/tests/clients/seq_dump \
           $(GPU_PROGRAMS)
	@$(PYTHON) tests/cuda/compare_fla.py dump --build $(B) --dir $(B)/kernels
	@$(PYTHON) tests/cuda/gpu_check.py --programs $(B)/gpu --build $(B) \
	    $(if $(SRC),--src $(SRC))

gpu-bench: all $(if $(NVCC),$(GPU_BENCH:%=$(B)/gpu/%))
	@$(PYTHON) tests/cuda/bench_fla.py --src "$(SRC)" --tool $(BIN) \
	    $(GPU_BENCH:%=--ours $(B)/gpu/%) --out $(B)/gpu-bench.json

# The programs of gpu-check and gpu-bench and fsa2lrnn itself for a machine without our libraries,
# which are in the bundle. On that machine, in the repository: tar -xJf build/gpu-bundle.tar.xz -C
# DIR, then tests/cuda/gpu_check.py and bench_fla.py with the programs of DIR/gpu.
BUNDLE_B := build/gpu-bundle
BUNDLE_RPATH := '\$$\$$ORIGIN:\$$\$$ORIGIN/lib:\$$\$$ORIGIN/../lib'
BUNDLE_LDFLAGS := -s -Wl,--as-needed -Wl,--disable-new-dtags -Wl,-rpath,$(BUNDLE_RPATH)
gpu-bundle:
	@$(MAKE) --no-print-directory BUNDLE=1 B=$(BUNDLE_B) LDFLAGS="$(BUNDLE_LDFLAGS)" \
	    gpu-bundle-run
gpu-bundle-run: all $(GPU_PROGRAMS) $(GPU_BENCH:%=$(B)/gpu/%)
	@rm -rf $(B)/lib && mkdir -p $(B)/lib
	@ldd $(BIN) $(GPU_PROGRAMS) $(GPU_BENCH:%=$(B)/gpu/%) | \
	    awk '$$3 ~ /\/lib/ && $$1 !~ /^lib(c|m|gcc_s|stdc\+\+|pthread|dl|rt)\.so/ {print $$3}' \
	    | sort -u | \
	    xargs -r cp -L -t $(B)/lib
	@tar -C $(B) --exclude='*.[od]' -cJf $(B).tar.xz fsa2lrnn $(LRNN_CHECKERS) lib gpu
	@du -h $(B).tar.xz
