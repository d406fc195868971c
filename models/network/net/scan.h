/* Reading the text forms of ordinary and of wired networks, strictly: every value has one spelling,
 * so that a network that is read and written again has the same bytes. Private to models.
 *
 * Functions consume the text that they name and return true, or note the first failure with its
 * line and column and return false, after which nothing more may be read. */
#ifndef F2L_SCAN_IMPL_H
#define F2L_SCAN_IMPL_H

#include "models/network/net/net.h"

typedef struct f2l_scan {
    const char *bytes; /* borrowed, as is err */
    size_t size, at;
    size_t line, line_start;
    f2l_status status; /* of the first failure */
    f2l_error *err;
    mpq_t value; /* scratch */
} f2l_scan;

/* Least bytes that one element of a counted list takes in the file: a count that the rest of the
 * file cannot hold is refused before anything is allocated for it. */
enum { F2L_SCAN_TRANSITION_BYTES = sizeof "on 1 gate 1 factors 0\n" - 1 };

void f2l_scan_init(f2l_scan *s, const char *bytes, size_t size, f2l_error *err);
void f2l_scan_clear(f2l_scan *s);

/* Notes an error at byte `at` of the current line; always returns false. */
bool f2l_scan_fail(f2l_scan *s, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes a failure whose text is in err already, and returns whether status is F2L_OK. */
bool f2l_scan_passed(f2l_scan *s, f2l_status status);

bool f2l_scan_next_is(const f2l_scan *s, const char *text);
/* Returns whether a blank and a digit come next. */
bool f2l_scan_at_number(const f2l_scan *s);
/* Consumes `text`, or fails at the first word of `text` that is missing. A text that ends a line
 * comes alone or last. */
bool f2l_scan_want(f2l_scan *s, const char *text);
/* Consumes the line `end`, after which nothing may follow. */
bool f2l_scan_end(f2l_scan *s);

/* Reads a decimal without sign or leading zeros, from `least` to `most`. */
bool f2l_scan_size(f2l_scan *s, size_t *out, const char *what, size_t least, size_t most);
/* Reads a count, >= least, of things that take at least `bytes` bytes each in the rest of the
 * file. */
bool f2l_scan_count(f2l_scan *s, size_t *out, const char *what, size_t least, size_t bytes);
/* Reads the ordinal index + 1, which must come next. */
bool f2l_scan_ordinal(f2l_scan *s, const char *what, size_t index);

/* Reads blank-led entries up to something that is not a number: I:V, or R.C:V when columns > 0
 * (then the index is columns + C-1). V is a number of a field of that degree. */
bool f2l_scan_entries(f2l_scan *s, f2l_qvec *out, size_t rows, size_t columns, size_t degree);
/* Reads the lines `field` and `form` of the head, if they come next, and checks that the head is in
 * range with them. */
bool f2l_scan_field(f2l_scan *s, f2l_head *head);
/* Reads a transition of the head: the line `on`, which may have a bias when `biased`, and the lines
 * of its factors. Errors call its ordinal, x + 1, `what`. */
bool f2l_scan_transition(f2l_scan *s, const f2l_head *head, f2l_transition *transition, bool biased,
                         const char *what, size_t x);
/* Reads "LO,HI" for entry `index` of the two vectors. */
bool f2l_scan_interval(f2l_scan *s, f2l_qvec *low, f2l_qvec *high, uint32_t index);
/* Fails when the boxes of the layer, which are on lines from first_line on, are not as
 * models/network/net/net.h requires. */
bool f2l_scan_boxes_fit(f2l_scan *s, const f2l_layer *layer, size_t first_line);
/* Fails when two codes of the layer, which are on lines from first_line on, are equal. */
bool f2l_scan_codes_differ(f2l_scan *s, const f2l_layer *layer, size_t first_line);

/* The rest reads whole lines at the beginning of the file. */
/* Reads "lrnn 2"; version 1 is refused by name. */
bool f2l_scan_version(f2l_scan *s, const char *format);
bool f2l_scan_sha256(f2l_scan *s, char hex[65]);
bool f2l_scan_label_kind(f2l_scan *s, f2l_label *label);
/* Reads the line `letter-classes`, if it comes next, for that many letters. */
bool f2l_scan_letter_classes(f2l_scan *s, f2l_letter_classes *classes, size_t letters);
/* Reads the line `start`. */
bool f2l_scan_start(f2l_scan *s, size_t *start, f2l_label label, size_t labels);
/* Reads the heading with its count, then the names. */
bool f2l_scan_names(f2l_scan *s, f2l_names *names, const char *heading, const char *each,
                    const char *what);

#endif
