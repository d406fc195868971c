# The source archive, and releases: docs/releasing.md.

.PHONY: source release
# Files of packages have the time of the commit, so that a package is the same whenever it is made.
source sdist wheel deb: export SOURCE_DATE_EPOCH ?= $(or \
    $(shell sed -n '2s/^\([0-9]*\)$$/\1/p' mk/commit.txt), \
    $(shell git -c safe.directory='*' log -1 --format=%ct 2>/dev/null),1)

# git gives the files their order and the commit's time; gzip -n writes no name and no time.
SOURCE := dist/fsa2lrnn-$(VERSION).tar.gz
source:
	@mkdir -p $(dir $(SOURCE))
	@git -c safe.directory='*' -c tar.umask=0022 archive --format=tar \
	    --prefix=fsa2lrnn-$(VERSION)/ --output=$(SOURCE:.gz=) HEAD
	@gzip -9nf $(SOURCE:.gz=)
	@ls -s --block-size=KiB $(SOURCE)

# RELEASE=--skip-tests is a dry run, RELEASE=--check looks only whether the files agree.
release:
	@$(if $(filter command%,$(origin VERSION)),,echo \
	    'make release VERSION=X.Y.Z: the version is missing' >&2; exit 64;) \
	    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u VERSION \
	    python3 .ci/release.py $(VERSION) $(RELEASE)
