/* Lists of networks of one automaton, for the tests of what is chosen and of what is left open. */
#ifndef PARETO_SUPPORT_H
#define PARETO_SUPPORT_H

#include "f2l_compile.h"
#include "f2l_family.h"
#include <criterion/criterion.h>

#define FIGURES 6
#define COMPARED (FIGURES + 2)

typedef struct fixture {
    f2l_fsa fsa;
    f2l_compile_options options;
    f2l_compile_result result;
    f2l_error err;
} fixture;

static inline void set_up(fixture *f)
{
    f->options = (f2l_compile_options){.schedule = f2l_schedule_find("every"), .float_rows = 500};
    for (size_t i = 0; i < F2L_USUAL_FORMATS; i++) f->options.format[i] = &f2l_formats[i];
    f2l_compile_result_init(&f->result);
    f->err = (f2l_error){0};
}

static inline void open_family(fixture *f, const char *kind, uint64_t number)
{
    set_up(f);
    f2l_fsa_init(&f->fsa);
    cr_assert_eq(f2l_family_build(&f->fsa, kind, &number, number > 0, false, &f->err), F2L_OK, "%s",
                 f->err.text);
}

static inline void done(fixture *f)
{
    f2l_compile_result_clear(&f->result);
    f2l_fsa_clear(&f->fsa);
}

static inline f2l_status compile(fixture *f)
{
    return f2l_compile(&f->result, &f->fsa, &f->options, NULL, &f->err);
}

static inline void list(fixture *f)
{
    f->options.all = true;
    cr_assert_eq(compile(f), F2L_OK, "%s", f->err.text);
    f->options.all = false;
}

#endif
