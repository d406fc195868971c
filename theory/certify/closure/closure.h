/* Closure (theory/pages/closure.md, C1): a finite table of pairs (joint state of all layers, state
 * of the automaton) that is closed under every letter and has the right label on every edge proves
 * the network right on every word. The search is breadth-first, so a failing word is a shortest
 * one. */
#ifndef F2L_CLOSURE_H
#define F2L_CLOSURE_H

#include "models/network/net/net.h"
#include "models/network/schedule/schedule.h"
#include "numeric/base/task.h"

typedef struct f2l_closure {
    f2l_status verdict; /* F2L_OK: verified for all lengths; F2L_REFUTED; F2L_UNKNOWN */
    size_t rows;        /* pairs found */
    /* F2L_REFUTED: a shortest word on which the label is wrong, as letter indices, and both labels
     * after it. The word is owned. */
    uint32_t *word;
    size_t word_length;
    /* A strategy for steps with several outcomes, else NULL: for each letter of the word the bits
     * that its step takes (numeric/format/choices.h), 0 or 1, or "-", with blanks between. Owned.
     */
    char *choices;
    char expected[128], got[128]; /* got: "no code" when the state decodes to nothing */
    char reason[256];             /* F2L_UNKNOWN: what ran out */
    bool uncoded; /* not verified because a state has no code, or its code has no symbol */
    size_t layers, letters, states; /* codes of a joint state (f2l_net_joint); letters of both;
                                       states of the automaton */
    /* For the certificate, when verified; owned: the automaton's [rows] states, [rows][letters]
     * next rows, and the joint states. Exact closure: joint, [rows][layers] code indices. In a
     * format, when kept: numbers, [rows][size] raw numbers. */
    uint32_t *state, *next, *joint;
    double *numbers;
    size_t size; /* numbers of a joint state */
    bool swaps;  /* verified exactly by moving codes (theory/certify/swaps/swaps.h), which the
                    certificate then claims */
} f2l_closure;

void f2l_closure_init(f2l_closure *c);
void f2l_closure_clear(f2l_closure *c);

/* Puts before the reason of an undecided joint closure why another proof, which was tried first,
 * did not suffice; nothing where `reason` is empty. */
void f2l_closure_explain(f2l_closure *joint, const char *reason);

/* The closures release what *out held; it must be initialised. They check first that the network's
 * `start` is the label of the automaton's start state: if not, the empty word refutes. The task's
 * memory budget covers the table.
 *
 * This one closes in exact arithmetic. max_rows 0: 50,000,000. The verdict is UNKNOWN also when an
 * initial state has no code, since rows are codes. The automaton must be deterministic and total
 * with the network's letters (F2L_EDOMAIN otherwise) and have labels of the network's kind. The
 * function returns F2L_OK whenever a verdict was reached, also REFUTED or UNKNOWN; other statuses
 * are real failures. */
f2l_status f2l_closure_exact(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                             size_t max_rows, const f2l_task *task, f2l_error *err);

/* Options of a closure in a format and an operation schedule; max_rows 0: 1,000,000. Joint states
 * are the raw numbers; -0 and +0 count as equal. A row takes the width of the format per number (2
 * bytes in bf16) and at most 12 bytes more (theory/pages/closure.md, C9). With stochastic rounding
 * a letter leads to every state that some choice of neighbours gives, and all must be right; a step
 * with more than 65,536 outcomes makes the verdict UNKNOWN. F2L_EDOMAIN for a schedule without
 * single steps (chunk64). */
typedef struct f2l_closure_float_options {
    size_t max_rows;
    /* Number of threads that step, at most 64; 0: 1. The result does not depend on it (C8). With
     * stochastic rounding one thread steps. */
    size_t jobs;
    bool keep; /* keep the table for a certificate: numbers, state, next; with stochastic rounding,
                  where a letter leads to several rows, without next */
    /* Path of a file. A search above 10^7 rows is saved to it every few minutes, and when it ends
     * UNKNOWN (the reason then mentions the file). A search continues from the file if it exists;
     * F2L_EDOMAIN when the file belongs to another network, automaton, format, schedule or `keep`,
     * F2L_EFORMAT when it is damaged or of another kind; it is then left unchanged. Any other
     * verdict removes the file. The content of the file is trusted (C10). NULL: no file. */
    const char *checkpoint;
} f2l_closure_float_options;
f2l_status f2l_closure_float_with(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                  const f2l_format *format, const f2l_schedule *schedule,
                                  const f2l_closure_float_options *options, const f2l_task *task,
                                  f2l_error *err);
/* Closes with one thread and without keeping the table. */
f2l_status f2l_closure_float(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                             const f2l_format *format, const f2l_schedule *schedule,
                             size_t max_rows, const f2l_task *task, f2l_error *err);

#endif
