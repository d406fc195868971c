/* Reading the text forms of ordinary and of wired networks, strictly: every value has one spelling,
 * so that a network that is read and written again has the same bytes. Private to models.
 *
 * Functions consume what they name and give true, or note the first failure with its line and
 * column and give false, after which nothing more may be read. */
#ifndef F2L_SCAN_IMPL_H
#define F2L_SCAN_IMPL_H

#include "models/net/net.h"

typedef struct f2l_scan {
    const char *bytes; /* borrowed, as is err */
    size_t size, at;
    size_t line, line_start;
    f2l_status status; /* of the first failure */
    f2l_error *err;
    mpq_t value; /* scratch */
} f2l_scan;

/* Fewest bytes that one element of a counted list takes in the file: a count that the rest of the
 * file cannot hold is refused before anything is allocated for it. */
enum { F2L_SCAN_TRANSITION_BYTES = sizeof "on 1 gate 1 factors 0\n" - 1 };

void f2l_scan_init(f2l_scan *s, const char *bytes, size_t size, f2l_error *err);
void f2l_scan_clear(f2l_scan *s);

/* Notes an error at byte `at` of the current line; always false. */
bool f2l_scan_fail(f2l_scan *s, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes a failure that has its text already. */
bool f2l_scan_passed(f2l_scan *s, f2l_status status);

bool f2l_scan_next_is(const f2l_scan *s, const char *text);
/* A blank and a digit come next. */
bool f2l_scan_at_number(const f2l_scan *s);
/* Consumes `text`, or fails where the first word of it that is not there should begin. A text that
 * ends a line comes alone or last. */
bool f2l_scan_want(f2l_scan *s, const char *text);
/* The line `end`, after which nothing may follow. */
bool f2l_scan_end(f2l_scan *s);

/* A decimal without sign or leading zeros, from `least` to `most`. */
bool f2l_scan_size(f2l_scan *s, size_t *out, const char *what, size_t least, size_t most);
/* A count of things that take at least `bytes` bytes each in what is left of the file. */
bool f2l_scan_count(f2l_scan *s, size_t *out, const char *what, size_t least, size_t bytes);
/* An ordinal that must come next; `index` counts from 0. */
bool f2l_scan_ordinal(f2l_scan *s, const char *what, size_t index);

/* Blank-led entries up to something that is not a number: I:V, or R.C:V when columns > 0 (then the
 * index is columns + C-1). V is a number of a field of that degree. */
bool f2l_scan_entries(f2l_scan *s, f2l_qvec *out, size_t rows, size_t columns, size_t degree);
/* The lines `field` and `form` of the head, where they come next, and that the head is in range
 * with them. */
bool f2l_scan_field(f2l_scan *s, f2l_head *head);
/* A transition of the head: the line `on`, which may have a bias when `biased`, and those of its
 * factors. Errors call its ordinal, x + 1, `what`. */
bool f2l_scan_transition(f2l_scan *s, const f2l_head *head, f2l_transition *transition, bool biased,
                         const char *what, size_t x);
/* "LO,HI" for entry `index` of the two vectors. */
bool f2l_scan_interval(f2l_scan *s, f2l_qvec *low, f2l_qvec *high, uint32_t index);
/* False with an error when the boxes of the layer, which stand on lines from first_line on, are not
 * as they must be. */
bool f2l_scan_boxes_fit(f2l_scan *s, const f2l_layer *layer, size_t first_line);
/* False with an error when two codes of the layer, which stand on lines from first_line on, are
 * equal. */
bool f2l_scan_codes_differ(f2l_scan *s, const f2l_layer *layer, size_t first_line);

/* Whole lines of the head of the file. */
/* "lrnn 2"; version 1 is refused by name. */
bool f2l_scan_version(f2l_scan *s, const char *format);
bool f2l_scan_sha256(f2l_scan *s, char hex[65]);
bool f2l_scan_label_kind(f2l_scan *s, f2l_label *label);
/* The line `letter-classes`, where it comes next, of that many letters. */
bool f2l_scan_letter_classes(f2l_scan *s, f2l_letter_classes *classes, size_t letters);
/* The line `start`. */
bool f2l_scan_start(f2l_scan *s, size_t *start, f2l_label label, size_t labels);
/* The heading with its count, then the names. */
bool f2l_scan_names(f2l_scan *s, f2l_names *names, const char *heading, const char *each,
                    const char *what);

#endif
