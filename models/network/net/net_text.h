/* Functions that append the lines that the text forms of ordinary and of wired networks share, and
 * checks of these lines; private to models. */
#ifndef F2L_NET_TEXT_IMPL_H
#define F2L_NET_TEXT_IMPL_H

#include "models/network/net/net.h"

/* Appends " word number". */
void f2l_put_count(f2l_buf *out, const char *word, size_t value);
/* Appends " R.C:V" for every entry of a state of d columns over a field of that degree. */
void f2l_put_state(f2l_buf *out, const f2l_qvec *state, size_t d, size_t degree);
/* Appends the line `on` and the lines of the factors of a transition of the head; `ordinal` counts
 * from 0. */
void f2l_put_transition(f2l_buf *out, const f2l_head *head, const f2l_transition *transition,
                        size_t ordinal);
/* Appends "heading count", then "each NAME" lines. */
void f2l_put_names(f2l_buf *out, const char *heading, const char *each, const f2l_names *names);

/* Appends the line `letter-classes`, if there are classes. */
void f2l_put_letter_classes(f2l_buf *out, const f2l_letter_classes *classes, size_t letters);
/* Appends the line `start`. */
void f2l_put_start(f2l_buf *out, size_t start);

/* Fails with F2L_EDOMAIN and the reason unless classes and start are as models/network/net/net.h
 * requires. */
f2l_status f2l_check_face(const f2l_names *letters, const f2l_letter_classes *classes,
                          const f2l_names *labels, f2l_label label, size_t start, f2l_error *err);

/* Fails with F2L_EDOMAIN unless hex is 64 lower-case hexadecimal digits. */
f2l_status f2l_check_sha256(const char *hex, f2l_error *err);

#endif
