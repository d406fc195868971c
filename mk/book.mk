# The book as a site (docs/book): Sphinx is in an environment of its own, which only this needs.
BOOK := build/book
.PHONY: docs
docs:
	@python=$$(NO_INSTALL=1 sh .ci/python-env book 2>/dev/null) || \
	    { echo 'make docs needs Sphinx, MyST and Furo: sh .ci/python-env book' >&2; exit 1; }; \
	$$python docs/book/build.py --out $(BOOK)
