/* Closure (theory/pages/closure.md, C1): a finite table of pairs (joint state of all layers, state
 * of the automaton), closed under every letter, with the right label on every edge, proves the
 * network right on every word. Breadth-first, so that a failing word is a shortest one. */
#ifndef F2L_CLOSURE_H
#define F2L_CLOSURE_H

#include "models/net/net.h"
#include "models/schedule/schedule.h"
#include "numeric/base/task.h"

typedef struct f2l_closure {
    f2l_status verdict; /* F2L_OK: verified for all lengths; F2L_REFUTED; F2L_UNKNOWN */
    size_t rows;        /* pairs found */
    /* F2L_REFUTED: a shortest word on which the label is wrong, as letter indices, and both labels
     * there. */
    uint32_t *word;
    size_t word_length;
    char expected[128], got[128];   /* got: "no code" when the state decodes to nothing */
    char reason[256];               /* F2L_UNKNOWN: what ran out */
    size_t layers, letters, states; /* of the network, of both, of the automaton */
    /* For the certificate, when verified: the automaton's [rows] states, [rows][letters] next rows,
     * and the joint states. Exact closure: joint, [rows][layers] code indices. In a format, when
     * kept: numbers, [rows][size] raw ones. */
    uint32_t *state, *next, *joint;
    double *numbers;
    size_t size; /* numbers of a joint state */
} f2l_closure;

void f2l_closure_init(f2l_closure *c);
void f2l_closure_clear(f2l_closure *c);

/* `out` is initialised; what it held is released. Both check first that the network's `start` is
 * the label of the automaton's start state: if not, the empty word refutes. The task's memory
 * budget covers the table.
 *
 * Exact arithmetic. max_rows 0: 50,000,000. UNKNOWN also when an initial state has no code, since
 * rows are codes. The automaton is deterministic and total with the network's letters (F2L_EDOMAIN
 * otherwise) and has labels of the network's kind. The function's own status is F2L_OK whenever a
 * verdict was reached, also REFUTED or UNKNOWN; other statuses are real failures. */
f2l_status f2l_closure_exact(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                             size_t max_rows, const f2l_task *task, f2l_error *err);

/* In a format and an operation schedule; max_rows 0: 1,000,000. Joint states are the raw numbers;
 * -0 and +0 are one. A row takes the width of the format per number (2 bytes in bf16) and at most
 * 12 bytes more (theory/pages/closure.md, C9). With stochastic rounding a letter leads to every
 * state that some choice of neighbours gives, and all must be right; a step with more than 65,536
 * outcomes makes the verdict UNKNOWN. F2L_EDOMAIN for a schedule that does not step (chunk64). */
typedef struct f2l_closure_float_options {
    size_t max_rows;
    /* Threads that step, at most 64; 0: 1. The result does not depend on it (C8). One with
     * stochastic rounding. */
    size_t jobs;
    bool keep; /* the table, for a certificate: numbers, state, next. Not with stochastic rounding
                */
    /* A file that a search above 10^7 rows is saved to every few minutes and when it ends UNKNOWN,
     * which the reason says then, and that it goes on from when it exists: F2L_EDOMAIN when it
     * belongs to another network, automaton, format, schedule or `keep`, F2L_EFORMAT when it is
     * damaged or something else; it is left as it is then. When there is another verdict, the file
     * is removed. It is believed (C10). NULL: none. */
    const char *checkpoint;
} f2l_closure_float_options;
f2l_status f2l_closure_float_with(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                  const f2l_format *format, const f2l_schedule *schedule,
                                  const f2l_closure_float_options *options, const f2l_task *task,
                                  f2l_error *err);
/* The same with one thread and nothing kept. */
f2l_status f2l_closure_float(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                             const f2l_format *format, const f2l_schedule *schedule,
                             size_t max_rows, const f2l_task *task, f2l_error *err);

#endif
