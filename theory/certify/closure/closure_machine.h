/* The two kinds of closure for any network that can be stepped: by codes, exactly, and by numbers,
 * in a format. */
#ifndef F2L_CLOSURE_IMPL_H
#define F2L_CLOSURE_IMPL_H

#include "theory/certify/closure/search.h"

/* A network whose joint states are `codes` code numbers. */
typedef struct f2l_codes_machine {
    void *run;
    size_t codes;
    size_t width; /* bytes that hold a code number */
    /* F2L_EDOMAIN when an initial state has no code. */
    f2l_status (*start)(void *run, uint32_t *joint, f2l_error *err);
    /* In place; F2L_EDOMAIN when some state has no code, and `joint` need not be valid then. */
    f2l_status (*step)(void *run, uint32_t *joint, size_t letter, size_t *label, f2l_error *err);
    size_t total;   /* rows if the network is right; 0: not known before */
    uint64_t steps; /* (numeric/base/task.h) of a letter, and, if they differ much, */
    uint64_t (*work)(const void *run); /* of all of them so far; NULL: they do not */
} f2l_codes_machine;

/* `out` is clear. Sets the verdict, what belongs to it, and out->layers, letters, states. On
 * failure `out` is clear but for these. max_rows 0: the default. */
f2l_status f2l_codes_close(f2l_closure *out, const f2l_codes_machine *machine, const f2l_face *face,
                           const f2l_fsa *fsa, size_t max_rows, const f2l_task *task,
                           f2l_error *err);

/* A network whose joint states are `numbers` numbers of a format. */
typedef struct f2l_numbers_machine {
    void *run;
    size_t numbers;
    void (*start)(const void *run, double *joint);
    /* In place; *label is F2L_NO_SYMBOL where the new state decodes to nothing. With several jobs
     * it is called by several threads at once. */
    f2l_status (*step)(void *run, double *joint, size_t letter, uint32_t *label, f2l_error *err);
    uint64_t steps; /* (numeric/base/task.h) of a letter */
} f2l_numbers_machine;

/* As f2l_codes_close; out->layers is left to the caller. */
f2l_status f2l_numbers_close(f2l_closure *out, const f2l_numbers_machine *machine,
                             const f2l_face *face, const f2l_fsa *fsa, const f2l_format *format,
                             size_t max_rows, const f2l_task *task, f2l_error *err);

/* The same in several threads, which all step with machine->run, keeping the table, or saving it.
 */
struct f2l_choices;
typedef struct f2l_numbers_options {
    size_t max_rows, jobs;
    bool keep;
    f2l_saving *saving;
    const f2l_format *state;     /* that a joint state's numbers are in; NULL: the format */
    struct f2l_choices *choices; /* stochastic rounding: what the run's format takes. One thread
                                    steps, and nothing is kept */
} f2l_numbers_options;
f2l_status f2l_numbers_close_with(f2l_closure *out, const f2l_numbers_machine *machine,
                                  const f2l_face *face, const f2l_fsa *fsa,
                                  const f2l_format *format, const f2l_numbers_options *options,
                                  const f2l_task *task, f2l_error *err);

/* f2l_closure_float_with with a checkpoint for tables of `rows` or more, every `seconds`: for
 * tests. */
f2l_status f2l_closure_float_saving(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    const f2l_closure_float_options *options, size_t rows,
                                    double seconds, const f2l_task *task, f2l_error *err);

#endif
