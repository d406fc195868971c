/* Regular expressions brought to the form that libfa is given. Private to automata/import/regex_parse.c and
 * automata/import/import_regex.c. */
#ifndef F2L_REGEX_IMPL_H
#define F2L_REGEX_IMPL_H

#include "numeric/base/names.h"
#include "numeric/base/text.h"

/* libfa works on bytes, and some bytes are operators. Letters are therefore mapped to bytes that it always
 * takes literally: 62 letters and digits, and 128 bytes that are not ASCII. */
#define F2L_REGEX_MAX_LETTERS 190

/* The byte for what no word contains: an empty character class. */
#define F2L_REGEX_NEVER '_'

/* Letters that the expression may have once its repetitions are written out. */
#define F2L_REGEX_MAX_SIZE 2000

/* The byte that stands for letter `index`. */
unsigned char f2l_regex_byte(size_t index);

/* Parses a POSIX extended regular expression over UTF-8 characters. `letters` holds the alphabet when it is
 * given, else (empty) it receives the characters of the expression in the order of their appearance. `out`
 * receives the same expression over bytes, with only ( ) | * + ? {} and [..] as operators. Refused: anchors,
 * back-references, and what needs the alphabet when there is none. */
f2l_status f2l_regex_parse(f2l_buf *out, f2l_names *letters, const char *regex, f2l_error *err);

#endif
