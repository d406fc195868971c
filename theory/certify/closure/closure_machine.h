/* The two kinds of closure, for any network that can be stepped: by codes, exactly, and by numbers,
 * in a format. */
#ifndef F2L_CLOSURE_IMPL_H
#define F2L_CLOSURE_IMPL_H

#include "theory/certify/closure/search.h"

/* A network whose joint states are `codes` code numbers. */
typedef struct f2l_codes_machine {
    void *run;
    size_t codes;
    size_t width; /* bytes that hold a code number */
    /* Sets the initial joint state; F2L_EDOMAIN when an initial state has no code. */
    f2l_status (*start)(void *run, uint32_t *joint, f2l_error *err);
    /* Steps in place; F2L_EDOMAIN when some state has no code; `joint` is then unspecified. */
    f2l_status (*step)(void *run, uint32_t *joint, size_t letter, size_t *label, f2l_error *err);
    size_t total;   /* number of rows if the network is right; 0: not known in advance */
    uint64_t steps; /* steps (numeric/base/task.h) of a letter */
    uint64_t (*work)(const void *run); /* all steps so far; NULL: constant */
} f2l_codes_machine;

/* Sets the verdict with its data, and out->layers, letters, states. *out must be clear; on failure
 * only these three are set. max_rows 0: the default. */
f2l_status f2l_codes_close(f2l_closure *out, const f2l_codes_machine *machine, const f2l_face *face,
                           const f2l_fsa *fsa, size_t max_rows, const f2l_task *task,
                           f2l_error *err);

/* A network whose joint states are `numbers` numbers of a format. */
typedef struct f2l_numbers_machine {
    void *run;
    size_t numbers;
    void (*start)(const void *run, double *joint);
    /* Steps in place; *label is F2L_NO_SYMBOL where the new state has no code. With several jobs,
     * several threads call it at once. */
    f2l_status (*step)(void *run, double *joint, size_t letter, uint32_t *label, f2l_error *err);
    uint64_t steps; /* steps (numeric/base/task.h) of a letter */
} f2l_numbers_machine;

/* Options for closing in several threads, which all step with machine->run, and for keeping or
 * saving the table. */
struct f2l_choices;
typedef struct f2l_numbers_options {
    size_t max_rows, jobs;
    bool keep;
    f2l_saving *saving;
    const f2l_format *state;     /* format of a joint state's numbers; NULL: the run's format */
    struct f2l_choices *choices; /* borrowed; stochastic rounding: the choices that the run's format
                                    uses. One thread steps, and no next rows are kept */
} f2l_numbers_options;
/* Closes as f2l_codes_close does; the caller sets out->layers. */
f2l_status f2l_numbers_close_with(f2l_closure *out, const f2l_numbers_machine *machine,
                                  const f2l_face *face, const f2l_fsa *fsa,
                                  const f2l_format *format, const f2l_numbers_options *options,
                                  const f2l_task *task, f2l_error *err);

/* Closes as f2l_closure_float_with does, but saves tables of `rows` or more rows, every `seconds`;
 * for tests. */
f2l_status f2l_closure_float_saving(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    const f2l_closure_float_options *options, size_t rows,
                                    double seconds, const f2l_task *task, f2l_error *err);

#endif
