# Installation, and packages of Debian and Python.

LIBDIR  ?= $(PREFIX)/lib
DOCDIR  := $(PREFIX)/share/doc/fsa2lrnn
TO      = $(DESTDIR)$(PREFIX)
TO_LIB  = $(DESTDIR)$(LIBDIR)
TO_DOC  = $(DESTDIR)$(DOCDIR)
# Reports cite theory/pages/x.md, and the pages link each other, so their folders are kept.
DOCS  := README.md CHANGELOG.md LICENSE $(wildcard docs/*.md docs/run_*.py) \
         $(filter-out %/README.md,$(wildcard theory/pages/*.md))
MAN   := $(wildcard docs/man/*.[15])
# Of the libraries that the static one needs, pkg-config knows these itself.
PC_KNOWS   = $(shell for p in mpfr gmp jansson; do pkg-config --exists $$p && echo $$p; done)
PC_PRIVATE = $(filter-out $(PC_KNOWS:%=-l%),$(LIBS))
FILL   = sed -e 's,@PREFIX@,$(PREFIX),g' -e 's,@LIBDIR@,$(LIBDIR),g' \
             -e 's,@VERSION@,$(VERSION),g' -e 's,@SONAME@,$(SONAME),g' \
             -e 's,@LIBS@,$(PC_PRIVATE),g' -e 's/@REQUIRES@/$(PC_KNOWS)/g'
MAN_PAGE = $(TO)/share/man/man$(lastword $(subst ., ,$1))/$1
# Every file that `make install` writes and `make uninstall` removes.
INSTALLED = $(addprefix $(TO)/bin/,fsa2lrnn $(LRNN_CHECKERS) $(BOUND_CHECKERS) rep-check \
                horizon-check) $(TO)/include/fsa2lrnn.h \
            $(addprefix $(TO_LIB)/,$(notdir $(PUBLIC_SO)) $(SONAME) libfsa2lrnn.so libfsa2lrnn.a \
                pkgconfig/fsa2lrnn.pc $(CMAKE_FILES:%=cmake/fsa2lrnn/%)) \
            $(foreach m,fsa2lrnn.1 $(notdir $(MAN)),$(call MAN_PAGE,$m)) \
            $(addprefix $(TO_DOC)/,$(DOCS)) $(COMPLETION:%=$(TO)/share/%)
# Where bash, zsh and fish look for completions of installed programs.
ZSH := zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
COMPLETION := bash-completion/completions/fsa2lrnn $(ZSH)/_fsa2lrnn \
              fish/vendor_completions.d/fsa2lrnn.fish
CMAKE_FILES := fsa2lrnnConfig.cmake fsa2lrnnConfigVersion.cmake
install: all lib
	@mkdir -p $(sort $(dir $(INSTALLED)))
	install $(if $(STRIP),-s --strip-program=$(STRIP)) -m 755 $(BIN) $(CHECKERS) \
	    $(REP_CHECKER) $(TO)/bin
	install $(if $(STRIP),-s --strip-program=$(STRIP)) -m 644 $(PUBLIC_SO) $(TO_LIB)
	ln -sf $(notdir $(PUBLIC_SO)) $(TO_LIB)/$(SONAME)
	ln -sf $(SONAME) $(TO_LIB)/libfsa2lrnn.so
	install -m 644 $(PUBLIC_A) $(TO_LIB)
	$(if $(STRIP),$(STRIP) --strip-debug $(TO_LIB)/libfsa2lrnn.a)
	install -m 644 include/fsa2lrnn.h $(TO)/include
	@$(FILL) library/fsa2lrnn.pc.in > $(TO_LIB)/pkgconfig/fsa2lrnn.pc
	@for f in $(CMAKE_FILES); do \
	    $(FILL) library/$$f.in > $(TO_LIB)/cmake/fsa2lrnn/$$f || exit 1; done
	@$(BIN) help --man > $(TO)/share/man/man1/fsa2lrnn.1
	@for m in $(MAN); do install -m 644 $$m $(TO)/share/man/man$${m##*.} || exit 1; done
	@for d in $(DOCS); do install -m 644 $$d $(TO_DOC)/$$d || exit 1; done
	@for f in $(COMPLETION); do \
	    $(BIN) completion $$(expr $$f : '\([a-z]*\)') > $(TO)/share/$$f || exit 1; done
# Folders that other programs may use too are removed only when they are empty.
uninstall:
	rm -f $(INSTALLED)
	@rmdir -p --ignore-fail-on-non-empty $(TO_DOC)/theory/pages $(TO_DOC)/docs \
	    $(TO_LIB)/cmake/fsa2lrnn 2>/dev/null || true

# The Debian packages of the last commit, or of a source archive, as debian/ describes them.
DEB := build/deb
deb:
	@sh .ci/install-deps core deb
	@test "$$(dpkg-parsechangelog -S Version)" = $(VERSION) || \
	    { echo 'debian/changelog names another version than $(VERSION)' >&2; exit 1; }
	@rm -rf $(DEB) && mkdir -p $(DEB)/fsa2lrnn-$(VERSION)
	@if git -c safe.directory='*' ls-files --error-unmatch Makefile >/dev/null 2>&1; then \
	    git -c safe.directory='*' archive HEAD; \
	else \
	    tar -c --exclude=./build --exclude=./dist .; \
	fi | tar -x -C $(DEB)/fsa2lrnn-$(VERSION)
	@cd $(DEB)/fsa2lrnn-$(VERSION) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
	    dpkg-buildpackage -us -uc -j$(JOBS) >../build.log 2>&1 || \
	    { tail -n 40 ../build.log >&2; exit 1; }
	@ls -s --block-size=KiB $(DEB)/*.deb $(DEB)/*.dsc

# The Python package with all of its libraries and programs, from this build's objects. What reads
# JFLAP and SCXML is compiled again without libxml2, which would bring 33 MB of ICU. The wheel is
# for machines like this one; `make manylinux` builds one for others. Programs are stripped after
# they are linked: the linker of Debian 11 breaks a program that it strips itself.
WHEEL_TAG ?= linux_x86_64
WHEEL := dist/fsa2lrnn-$(VERSION)-py3-none-$(WHEEL_TAG).whl
SDIST := dist/fsa2lrnn-$(VERSION).tar.gz
WHEEL_B := $(B)/wheel
WHEEL_LIB := $(WHEEL_B)/python/fsa2lrnn/lib
WHEEL_PYTHON = $(or $(shell for p in $(PYTHON) python3 /usr/bin/python3; do \
                   $$p -c 'import setuptools, wheel' 2>/dev/null && echo $$p && break; \
                   done),/usr/bin/python3)
WHEEL_LINK := -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN'
WHEEL_LIBS = $(filter-out $(shell pkg-config --libs libxml-2.0 2>/dev/null),$(LIBS))
WHEEL_AGAIN := automata/import/import_jflap automata/import/charts/scxml cli/version
WHEEL_CHECKERS := $(LRNN_CHECKERS) $(BOUND_CHECKERS) horizon-check
wheel: $(LIB) $(CLI_OBJ) $(CHECKERS) $(REP_CHECKER)
	@$(WHEEL_PYTHON) -c 'import setuptools, wheel' 2>/dev/null || sh .ci/install-deps python
	@rm -rf $(WHEEL_B) && mkdir -p $(WHEEL_LIB)
	@cp -r python/setup.py python/binary_wheel.py python/fsa2lrnn_programs.py \
	    python/fsa2lrnn $(WHEEL_B)/python
	@rm -rf $(WHEEL_B)/python/fsa2lrnn/kernels
	@cp python/package.md $(WHEEL_B)/python/README.md
	$(Q)$(foreach s,$(WHEEL_AGAIN),$(CC) $(CFLAGS_ALL) -I. $(filter-out \
	    $(CFLAGS_XML),$(EXTRA_$s)) -c $s.c -o $(WHEEL_B)/$(notdir $s).o &&) :
	$(Q)$(LINK_FACE) $(WHEEL_LINK) $(FACE_OBJ) $(WHEEL_B)/import_jflap.o $(WHEEL_B)/scxml.o \
	    $(LIB) $(LIBS) -o $(WHEEL_LIB)/libfsa2lrnn.so
	$(Q)$(CC) $(LDFLAGS_ALL) $(WHEEL_LINK) $(filter-out $(B)/cli/version.o,$(CLI_OBJ)) \
	    $(WHEEL_B)/*.o $(LIB) $(WHEEL_LIBS) -o $(WHEEL_LIB)/fsa2lrnn
	$(Q)$(foreach c,$(WHEEL_CHECKERS),$(CC) $(LDFLAGS_ALL) $(WHEEL_LINK) \
	    $($(c)_SRC:theory/check/%.c=$(B)/theory/check/%.o) -lgmp -lm -o $(WHEEL_LIB)/$(c) &&) :
	@install -m 755 $(REP_CHECKER) $(WHEEL_LIB)
	@$(if $(STRIP),$(STRIP) $(WHEEL_LIB)/*)
	@cp include/fsa2lrnn.h $(WHEEL_LIB)
	@$(WHEEL_PYTHON) python/bundle.py $(WHEEL_LIB) $(filter %.a,$(LAPACKE))
	@cd $(WHEEL_B)/python && umask 022 && chmod -R u=rwX,go=rX . && \
	    WHEEL_TAG=$(WHEEL_TAG) HOMEPAGE=$(HOMEPAGE) \
	    $(WHEEL_PYTHON) -W ignore setup.py -q bdist_wheel --dist-dir $(abspath dist)
	@ls -s --block-size=KiB $(WHEEL)

check-wheel: wheel
	@$(WHEEL_PYTHON) tests/python/wheel.py $(WHEEL)

# The last commit as pip takes it: python/build_backend.py runs `make wheel` in it.
sdist:
	@mkdir -p dist && $(PYTHON) python/build_backend.py dist
	@ls -s --block-size=KiB $(SDIST)

# The wheel of the last commit for Linux with glibc 2.31 or later, built in a bare Debian 11, and
# what auditwheel says of it, where pip's index has it.
MANYLINUX := manylinux_2_31_x86_64
manylinux:
	@mkdir -p dist
	@OUT=$(abspath dist) sh .ci/debian-root bullseye sh -c 'sh .ci/install-deps core python && \
	    make -s -j$(JOBS) NVCC= WHEEL_TAG=$(MANYLINUX) wheel && cp dist/*.whl /root/out'
	@$(PYTHON) tests/python/manylinux.py dist/fsa2lrnn-$(VERSION)-py3-none-$(MANYLINUX).whl

# The PyTorch operators with their library, as a distribution of their own; no version of PyTorch is
# in its name, because nothing in it is compiled for one. KERNELS_FILE is another library for it.
KERNELS_FILE ?= $(KERNELS_SO)
KERNELS_WHEEL := dist/fsa2lrnn_kernels-$(KERNELS_VERSION)-py3-none-$(WHEEL_TAG).whl
KERNELS_B := $(B)/kernels-wheel
kernels-wheel: $(KERNELS_FILE)
	@$(WHEEL_PYTHON) -c 'import setuptools, wheel' 2>/dev/null || sh .ci/install-deps python
	@rm -rf $(KERNELS_B) && mkdir -p $(KERNELS_B)/fsa2lrnn
	@cp python/setup_kernels.py python/binary_wheel.py $(KERNELS_B)
	@cp python/kernels.md $(KERNELS_B)/README.md
	@cp -r python/fsa2lrnn/kernels $(KERNELS_B)/fsa2lrnn
	@mkdir $(KERNELS_B)/fsa2lrnn/kernels/lib
	@cp $(KERNELS_FILE) $(KERNELS_B)/fsa2lrnn/kernels/lib/$(KERNELS_SONAME)
	@$(if $(STRIP),$(STRIP) $(KERNELS_B)/fsa2lrnn/kernels/lib/*)
	@cp include/fsa2lrnn_kernels.h LICENSE $(KERNELS_B)/fsa2lrnn/kernels/lib
	@cd $(KERNELS_B) && umask 022 && chmod -R u=rwX,go=rX . && \
	    WHEEL_TAG=$(WHEEL_TAG) HOMEPAGE=$(HOMEPAGE) \
	    $(WHEEL_PYTHON) -W ignore setup_kernels.py -q bdist_wheel --dist-dir $(abspath dist)
	@ls -s --block-size=KiB $(KERNELS_WHEEL)

# The same for Linux with glibc 2.31 or later: nvcc is here, and the linker of a bare Debian 11
# binds the objects to the symbols of its C library.
KERNELS_LINK := dist/kernels-link
kernels-manylinux: $(KERNELS_OBJ)
	@rm -rf $(KERNELS_LINK) && mkdir -p $(KERNELS_LINK)
	$(Q)$(LD) -r $(KERNELS_OBJ) -o $(KERNELS_LINK)/kernels.o
	@cp kernels/exports.map $(if $(NVCC),$(CUDA_HOME)/lib64/libcudart_static.a) $(KERNELS_LINK)
	@OUT=$(abspath $(KERNELS_LINK)) sh .ci/debian-root bullseye sh -c 'apt-get update -q && \
	    apt-get install -q -y --no-install-recommends gcc libc6-dev && cd /root/out && \
	    gcc -shared -Wl,-soname,$(KERNELS_SONAME) -Wl,--as-needed -Wl,--gc-sections \
	    -Wl,--no-undefined -Wl,--version-script=exports.map kernels.o \
	    $(if $(NVCC),libcudart_static.a -ldl -lrt -pthread) -lm -o $(KERNELS_SONAME)' >&2
	@$(MAKE) --no-print-directory WHEEL_TAG=$(MANYLINUX) \
	    KERNELS_FILE=$(KERNELS_LINK)/$(KERNELS_SONAME) kernels-wheel
	@rm -r $(KERNELS_LINK)
	@$(PYTHON) tests/python/manylinux.py \
	    dist/fsa2lrnn_kernels-$(KERNELS_VERSION)-py3-none-$(MANYLINUX).whl

# The wheel in an environment without fsa2lrnn, and its tests there.
check-kernels-wheel: kernels-wheel
	@$(PYTHON) tests/kernels/wheel.py $(KERNELS_WHEEL)

# The library for programs in C: it is no part of `make install`.
install-kernels: $(KERNELS_SO)
	@mkdir -p $(TO_LIB)/pkgconfig $(TO)/include
	install $(if $(STRIP),-s --strip-program=$(STRIP)) -m 644 $(KERNELS_SO) $(TO_LIB)
	ln -sf $(notdir $(KERNELS_SO)) $(TO_LIB)/$(KERNELS_SONAME)
	ln -sf $(KERNELS_SONAME) $(TO_LIB)/libfsa2lrnn-kernels.so
	install -m 644 include/fsa2lrnn_kernels.h $(TO)/include
	@sed -e 's,@PREFIX@,$(PREFIX),g' -e 's,@LIBDIR@,$(LIBDIR),g' \
	    -e 's,@VERSION@,$(KERNELS_VERSION),g' kernels/fsa2lrnn-kernels.pc.in \
	    > $(TO_LIB)/pkgconfig/fsa2lrnn-kernels.pc
