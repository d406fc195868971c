/* Lists of networks of one automaton, for the tests of what is chosen and of what is left open. */
#ifndef PARETO_SUPPORT_H
#define PARETO_SUPPORT_H

#include "compile_support.h"

#define FIGURES 6
#define COMPARED (FIGURES + 2)

/* Few rows are enough for lists. */
static inline void open_listed(fixture *f, const char *kind, uint64_t number)
{
    open_family(f, kind, number, false);
    f->options.float_rows = 500;
}

static inline void list(fixture *f)
{
    f->options.all = true;
    cr_assert_eq(compile(f, NULL), F2L_OK, "%s", f->err.text);
    f->options.all = false;
}

#endif
