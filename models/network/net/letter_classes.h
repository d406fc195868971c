/* Letters that a network reads as one: the first layer, or stage, reads the class of a letter.
 * Classes are numbered by their first letters, and there are fewer classes than letters. */
#ifndef F2L_LETTER_CLASSES_H
#define F2L_LETTER_CLASSES_H

#include "numeric/base/names.h"
#include <stdbool.h>

typedef struct f2l_letter_classes {
    size_t count;
    uint32_t *of; /* [letters] < count, owned; NULL: every letter is its own class, and count is
                   * 0 */
} f2l_letter_classes;

void f2l_letter_classes_clear(f2l_letter_classes *classes);
f2l_status f2l_letter_classes_copy(f2l_letter_classes *out, const f2l_letter_classes *classes,
                                   size_t letters, f2l_error *err);

/* Returns whether the classes are numbered in this way. */
bool f2l_letter_classes_valid(const f2l_letter_classes *classes, size_t letters);

static inline size_t f2l_letter_class(const f2l_letter_classes *classes, size_t letter)
{
    return classes->of ? classes->of[letter] : letter;
}

/* Returns the number of letters that the first layer reads. */
static inline size_t f2l_letter_kinds(const f2l_letter_classes *classes, const f2l_names *letters)
{
    return classes->of ? classes->count : letters->count;
}

/* Replaces the letters by the first letters of the classes, each its own class. */
f2l_status f2l_letter_classes_merge(f2l_names *letters, f2l_letter_classes *classes,
                                    f2l_error *err);

#endif
