/* Private to theory/obstruct/classify*.c. */
#ifndef F2L_THEORY_OBSTRUCT_CLASSIFY_IMPL_H
#define F2L_THEORY_OBSTRUCT_CLASSIFY_IMPL_H

#include "automata/cascade/cascade_group.h"
#include "automata/group/schreier.h"
#include "theory/obstruct/classify/classify.h"

/* Returns whether the task was cancelled or its time is over; limits of this program do not
 * count. */
bool f2l_classify_stopped(const f2l_task *task);

/* Adds the group that the permutations image[generators][degree] generate, unless it is trivial.
 * `name` and `order` are given if known; NULL: they are computed here. Level 0: the group of the
 * permuting letters. Returns F2L_UNKNOWN only when the task says stop. */
f2l_status f2l_classify_add_group(f2l_classify *out, const uint32_t *image, size_t generators,
                                  size_t degree, const char *name, const char *order, size_t level,
                                  const f2l_task *task, f2l_error *err);

/* Adds a non-trivial group of which nothing else is known. */
f2l_status f2l_classify_add_unknown(f2l_classify *out, size_t level, f2l_error *err);

/* Removes the first `count` groups. */
void f2l_classify_drop_groups(f2l_classify *out, size_t count);

/* Sets *name (owned by the caller) to the name of the group that the permutations
 * image[generators][degree] generate if it is not solvable; NULL if it is, or a limit was exceeded.
 * Returns F2L_UNKNOWN only when the task says stop. */
f2l_status f2l_classify_name_unsolvable(char **name, const uint32_t *image, size_t generators,
                                        size_t degree, const f2l_task *task, f2l_error *err);

/* Returns F2L_UNKNOWN only when the task says stop: after other limits the work continues with
 * less. */
f2l_status f2l_classify_pass(f2l_status status, const f2l_task *task);

/* For a permutation automaton: sets n_h by R1, or by T3, for groups of at most max_order elements;
 * and whether T5 or D2 apply. */
f2l_status f2l_classify_represent(f2l_classify *out, size_t max_order, const f2l_task *task,
                                  f2l_error *err);

/* For a holonomy cascade: sets the figures of T4. */
f2l_status f2l_classify_measure(f2l_classify *out, const f2l_cascade *cascade, const f2l_task *task,
                                f2l_error *err);

/* Searches for the witnesses of the answers in *c, and sets the answers that a word proves. */
f2l_status f2l_classify_find_words(f2l_classify *c, const f2l_cascade *cascade,
                                   const f2l_components *all, const f2l_cycle_limits *limits,
                                   const f2l_task *task, f2l_error *err);

/* Fills out->row from everything that is known. */
void f2l_classify_rows(f2l_classify *out);

/* The range of L.16, which includes finitely many exact states; and where it ends. */
#define F2L_SCOPE_SEPARATED \
    "exact arithmetic with decoders that tell states apart by finitely many closed convex sets " \
    "of positive " \
    "distance from each other (L.16; so any decoders where finitely many states are reached)"
#define F2L_SCOPE_NEAREST \
    "FALSE in general for nearest codes whose regions touch where states come arbitrarily close " \
    "(L.16)"

/* The witness that words of these letters may let a state grow, though letters do not. */
#define F2L_REMARK_GROWTH \
    "letters do not let a state grow exponentially, words may: k = (3/5, 4/5) with rates (1, 0), " \
    "then k = (4/5, 3/5) with (0, 1), has an eigenvalue beyond 1.156 (GD.3)"

/* Parts of rows that several classes share: what a limit left open; an aperiodic automaton on
 * decaying numbers (L.8); one reflection for each letter (L.10). */
void f2l_ladder_undecided(f2l_ladder_row *row);
void f2l_ladder_can_decay(f2l_ladder_row *row, const f2l_classify *c);
/* Returns the levels of some cascade: holonomy's where it is known and smaller, otherwise at most
 * |Q| - 1 (T4.7). */
size_t f2l_ladder_least_levels(const f2l_classify *c);

void f2l_ladder_deltanet(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_diagonal_real(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_diagonal_complex(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_table(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_attention(f2l_ladder_row *row, const f2l_classify *c);

/* Fills the row of an automaton that is not aperiodic, or not known to be; returns whether this was
 * to be done. */
bool f2l_ladder_fill_cannot(f2l_ladder_row *row, const f2l_classify *c, const char *statement,
                            const char *scope);

/* Fills the row of a class that tracks the automata in which no letter acts as a cycle (RL.17),
 * where the automaton is not aperiodic, or not known to be; returns whether this was to be done.
 * `statement`: a letter that acts as a cycle excludes the automaton. */
bool f2l_ladder_fill_by_letters(f2l_ladder_row *row, const f2l_classify *c, const char *statement);

/* Fill the rows of products without reflections, KDA, and GDN-2 (ladder.md, gdn2.md). */
void f2l_ladder_products_positive(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_kda_positive(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_kda(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_gdn2(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_gdn2_double(f2l_ladder_row *row, const f2l_classify *c);

/* Fill the rows of layers as they are released (released.md). */
void f2l_ladder_pd_ssm_soft(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_moore_ssm(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_block_diagonal(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_complex_kda_positive(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_complex_kda(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_mamba3(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_momentum(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_momentum_plain(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_kaczmarz(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_fixed_point(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_m2rnn(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_log_linear_positive(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_log_linear(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_path(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_hybrid_diagonal(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_hybrid_positive(f2l_ladder_row *row, const f2l_classify *c);
void f2l_ladder_hybrid_letters(f2l_ladder_row *row, const f2l_classify *c);

#endif
