/* Letters of a layer that do the same: gates, factors and biases are equal, number by number, in
 * all of its heads. A layer of a cascade has a letter for every context but few transitions, so
 * what depends on the transition alone is done once for each of these classes. */
#ifndef F2L_SAME_LETTERS_H
#define F2L_SAME_LETTERS_H

#include "models/net/net.h"

typedef struct f2l_same_letters {
    size_t letters, count;
    uint32_t *of;    /* [letters] its class, < count; classes are numbered by their first letters */
    uint32_t *first; /* [count] the first letter of each */
} f2l_same_letters;

/* Of `letters` letters in `heads` heads; *out is zero before. */
f2l_status f2l_same_letters_find(f2l_same_letters *out, const f2l_head *head, size_t heads,
                                 size_t letters, f2l_error *err);
void f2l_same_letters_clear(f2l_same_letters *same);
/* Steps (numeric/base/task.h) that this takes for all heads of a layer. */
uint64_t f2l_same_letters_steps(const f2l_layer *layer);

/* *out <- the head with one letter for every class. All is borrowed from `head` but the array
 * out->letter, which the caller frees (f2l_free). */
f2l_status f2l_same_letters_head(f2l_head *out, const f2l_head *head, const f2l_same_letters *same,
                                 f2l_error *err);

#endif
