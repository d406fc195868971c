/* Letters of a layer that act alike: gates, factors and biases are equal, number by number, in all
 * heads of the layer. A layer of a cascade has a letter for every context but few transitions, so
 * work that depends on the transition alone is done once for each of these classes. */
#ifndef F2L_SAME_LETTERS_H
#define F2L_SAME_LETTERS_H

#include "models/network/net/net.h"

typedef struct f2l_same_letters {
    size_t letters, count;
    uint32_t *of;    /* [letters] class of the letter, < count; classes are numbered by their first
                      * letters; owned */
    uint32_t *first; /* [count] the first letter of each class; owned */
} f2l_same_letters;

/* Finds the classes of `letters` letters in `heads` heads; *out is zero before. */
f2l_status f2l_same_letters_find(f2l_same_letters *out, const f2l_head *head, size_t heads,
                                 size_t letters, f2l_error *err);
void f2l_same_letters_clear(f2l_same_letters *same);
/* Returns the steps (numeric/base/task.h) that f2l_same_letters_find takes for all heads of a
 * layer. */
uint64_t f2l_same_letters_steps(const f2l_layer *layer);

/* Sets *out to the head with one letter for every class. Everything in *out is borrowed from `head`
 * except the array out->letter, which the caller frees (f2l_free). */
f2l_status f2l_same_letters_head(f2l_head *out, const f2l_head *head, const f2l_same_letters *same,
                                 f2l_error *err);

#endif
