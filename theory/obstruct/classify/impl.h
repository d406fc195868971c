/* Private to theory/obstruct/classify*.c. */
#ifndef F2L_THEORY_OBSTRUCT_CLASSIFY_IMPL_H
#define F2L_THEORY_OBSTRUCT_CLASSIFY_IMPL_H

#include "automata/cascade/cascade_group.h"
#include "automata/group/schreier.h"
#include "theory/obstruct/classify/classify.h"

/* The task was cancelled, or its time is over: not a limit of this program. */
bool f2l_classify_stopped(const f2l_task *task);

/* Adds the group that the permutations image[generators][degree] generate, unless it is trivial.
 * Where `name` and `order` are known they are given; NULL: they are computed here. Level 0: the
 * group of the permuting letters. F2L_UNKNOWN only when the task says stop. */
f2l_status f2l_classify_add_group(f2l_classify *out, const uint32_t *image, size_t generators,
                                  size_t degree, const char *name, const char *order, size_t level,
                                  const f2l_task *task, f2l_error *err);

/* Adds a group that is not trivial, of which nothing else is known. */
f2l_status f2l_classify_add_unknown(f2l_classify *out, size_t level, f2l_error *err);

/* Forgets the first `count` groups. */
void f2l_classify_drop_groups(f2l_classify *out, size_t count);

/* *name (to be freed) is the name of the group that the permutations image[generators][degree]
 * generate if it is not solvable; NULL if it is, or passed a limit. F2L_UNKNOWN only when the task
 * says stop. */
f2l_status f2l_classify_name_unsolvable(char **name, const uint32_t *image, size_t generators,
                                        size_t degree, const f2l_task *task, f2l_error *err);

/* F2L_UNKNOWN only when the task says stop: other limits are a reason to go on with less. */
f2l_status f2l_classify_pass(f2l_status status, const f2l_task *task);

/* Of a permutation automaton: n_h by R1, else T3, for groups of at most max_order elements; and
 * whether T5 or D2 apply. */
f2l_status f2l_classify_represent(f2l_classify *out, size_t max_order, const f2l_task *task,
                                  f2l_error *err);

/* Of a holonomy cascade: what T4 makes of it. */
f2l_status f2l_classify_measure(f2l_classify *out, const f2l_cascade *cascade, const f2l_task *task,
                                f2l_error *err);

/* Looks for the witnesses of the answers in *c, and answers what a word shows. */
f2l_status f2l_classify_find_words(f2l_classify *c, const f2l_cascade *cascade,
                                   const f2l_components *all, const f2l_cycle_limits *limits,
                                   const f2l_task *task, f2l_error *err);

/* Fills out->row from all that is known. */
void f2l_classify_rows(f2l_classify *out);

#endif
