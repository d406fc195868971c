/* What a head of a block does with the numbers of its letters and of its readouts' values: a part
 * of the table, of bounded size, which is filled as a run goes on. Stages with few values meet the
 * same row again and again, and a row of it is looked up, not computed. */
#ifndef F2L_MODELS_STAGE_MEMO_H
#define F2L_MODELS_STAGE_MEMO_H

#include <stdbool.h>
#include <stddef.h>

typedef struct f2l_stage_memo {
    size_t slots, readouts; /* numbers of letters, and of values */
    size_t steps;           /* that were asked for before there were rows */
    size_t rows;            /* a power of two; 0: nothing is remembered */
    size_t *row; /* [rows] 1 where it is filled, [slots], values before [readouts] and after */
    size_t *at;  /* the row for what was asked for last */
} f2l_stage_memo;

/* Begins a memo that is empty. It has no rows before it was asked for some, so that a run of few
 * steps costs no memory, and none where there is no memory. */
void f2l_stage_memo_init(f2l_stage_memo *memo, size_t slots, size_t readouts);
void f2l_stage_memo_clear(f2l_stage_memo *memo);

/* Sets after[readouts] and returns true where it is known for letter[slots] and before[readouts];
 * `after` may be `before`. */
bool f2l_stage_memo_find(f2l_stage_memo *memo, size_t *after, const size_t *letter,
                         const size_t *before);

/* Remembers `after` for what was asked for last, and was not known, in the place of another row. */
void f2l_stage_memo_keep(f2l_stage_memo *memo, const size_t *after);

#endif
