/* Text laid out from facts. A template is text with places in braces; a place begins with the path
 * of a fact and says how the fact is shown:
 *
 *   {name}               a text in one line (f2l_buf_visible), a whole number in decimal digits, a
 *                        number as by %g
 *   {name noun}          a count with its noun, "1 letter", "2 letters"; {name class/classes}: with
 *                        both forms of the noun
 *   {name%-8s} {name%.2f}  with a conversion of printf; s takes a text or a count
 *   {name~}              a text as f2l_buf_visible_name spells a name
 *   {name?yes} {name?yes|no}  one of two templates: `yes` when the fact is true, a text that is not
 *                        empty, a number other than 0, an object or a list that is not empty; `no`
 *                        for false, null, "", 0 and an empty list
 *   {name=text?yes|no}   `yes` when the fact is this text or this whole number
 *   {name*item|between}  the template `item` for each item of a list, and `between` between them;
 * an item that is a single value has the path {.}
 *
 * Templates in braces are relative to the same object as the whole, except those for the items of a
 * list. */
#ifndef F2L_LAYOUT_H
#define F2L_LAYOUT_H

#include "numeric/facts/facts.h"

/* Appends the template with the facts of `from`. An error becomes the error of the tree. */
void f2l_layout(f2l_buf *out, f2l_fact from, const char *text);

/* Appends the items first .. end - 1 of the list. */
void f2l_layout_items(f2l_buf *out, f2l_fact list, size_t first, size_t end, const char *item,
                      const char *between);

/* Appends a number with its noun: "1 state", "2 states"; "class/classes" has both forms. */
void f2l_layout_count(f2l_buf *out, uint64_t n, const char *noun);

#endif
