/* The title of a card of several letters, and the classes of these letters, as in data-l: letters
 * in a row, such as p0-l2, p0-l3, p0-l4, are p0-l2-4. */
#ifndef F2L_LETTERS_TITLE_H
#define F2L_LETTERS_TITLE_H

#include "numeric/base/names.h"
#include "reports/page/page.h"

typedef struct f2l_letters_title {
    f2l_buf title, classes;
    size_t letters;
    size_t from, last, at; /* letters of the last row, and where it begins in the classes */
} f2l_letters_title;

void f2l_letters_title_init(f2l_letters_title *t);
void f2l_letters_title_clear(f2l_letters_title *t);
/* Adds a letter: its name while there is room, and its class always. */
void f2l_letters_title_add(f2l_letters_title *t, const f2l_names *letters, size_t letter,
                           size_t part);
/* Ends the title with the number of the letters that it does not name. */
void f2l_letters_title_end(f2l_letters_title *t);

#endif
