/* What the files of automata/import share; private to this folder. */
#ifndef F2L_AUTOMATA_IMPORT_IMPL_H
#define F2L_AUTOMATA_IMPORT_IMPL_H

#include "automata/import/cursor.h"
#include "automata/import/hoa_label.h"
#include "automata/import/import.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/names.h"
#include "numeric/base/status.h"
#include "numeric/base/text.h"

#include <stdbool.h>

/* The Hanoi Omega-Automata format, version 1. Private to hoa*.c and import_hoa.c. */

/* Everything before the body. */
typedef struct f2l_hoa_header {
    f2l_cursor lexer;
    f2l_hoa_token token; /* the one to be consumed next */
    bool finite;         /* asked for: Inf(0) is about finite words */
    bool has_states, has_propositions, has_acceptance;
    size_t states;
    f2l_hoa_token *start; /* their numbers and places */
    size_t starts, start_capacity;
    f2l_names propositions;
    f2l_hoa_labels labels;
    f2l_cursor *alias; /* [aliases] where the expression begins */
    size_t alias_capacity;
    size_t sets;                   /* acceptance sets */
    f2l_hoa_token acceptance_name; /* of acc-name:; size 0: not given so far */
    bool marks;                    /* the states in set `marked` accept; else every state does */
    size_t marked;
} f2l_hoa_header;

void f2l_hoa_header_init(f2l_hoa_header *header);
void f2l_hoa_header_clear(f2l_hoa_header *header);

/* Reads the header with header->lexer, and leaves --BODY-- in header->token. */
f2l_status f2l_hoa_header_read(f2l_hoa_header *header, f2l_error *err);

/* Regular expressions, translated into the input of libfa. Private to regex_*.c, import_regex.c and
 * import_rules.c. */

/* libfa works on bytes, and some bytes are operators. Letters are therefore mapped to bytes that it
 * always takes literally: 62 letters and digits, and 128 bytes that are not ASCII. */
#define F2L_REGEX_MAX_LETTERS 190

/* A byte that occurs in no word, used for an empty character class. */
#define F2L_REGEX_NEVER '_'

/* Most letters of an expression whose repetitions are written out. */
#define F2L_REGEX_MAX_SIZE 2000

/* An expression, and how it is read. */
typedef struct f2l_regex_source {
    const char *text;
    size_t size;
    size_t line, column; /* of its first byte, for errors; 1 and 1 where it is not from a file */
    bool tokens;         /* letters are names with blanks between them; else characters */
    bool fixed;          /* the alphabet is given */
    bool in_rules;       /* errors speak of files of rules, not of options */
} f2l_regex_source;

/* Parses a POSIX extended regular expression over UTF-8 characters or names. `letters` holds the
 * alphabet when it is given, else it receives the letters of the expression that it lacks, in the
 * order of their appearance. `out` receives the same expression over bytes, with only ( ) | * + ?
 * {} and [..] as operators. Refused: anchors, back-references, and constructs that need the
 * alphabet when none is given. */
f2l_status f2l_regex_parse(f2l_buf *out, f2l_names *letters, const f2l_regex_source *source,
                           f2l_error *err);

/* Returns the byte that libfa reads for letter `index`. */
unsigned char f2l_regex_byte(size_t index);

/* The parser's state, and its part in automata/import/regex_letters.c. */
typedef struct f2l_regex_parser {
    f2l_regex_source source;
    size_t at, depth; /* the next byte; open parentheses */
    f2l_names *letters;
    f2l_buf *out;
} f2l_regex_parser;

/* Fills *err with the place of byte `at`. */
f2l_status f2l_regex_fail(const f2l_regex_parser *p, size_t at, const char *text, f2l_error *err);
bool f2l_regex_more(const f2l_regex_parser *p);
bool f2l_regex_looking_at(const f2l_regex_parser *p, char c);
/* Skips blanks where they are no letters. */
void f2l_regex_skip_blank(f2l_regex_parser *p);

/* Read [..], in which a backslash is a character like others except in names; a dot; and one
 * letter, perhaps after a backslash. They append to the output; *size is the number of letters. */
f2l_status f2l_regex_bracket(f2l_regex_parser *p, size_t *size, f2l_error *err);
f2l_status f2l_regex_any(f2l_regex_parser *p, size_t *size, f2l_error *err);
f2l_status f2l_regex_letter(f2l_regex_parser *p, f2l_error *err);

/* One rule of a lexer, or an expression alone. */
typedef struct f2l_regex_rule {
    const char *name; /* the output where it matches first of all; NULL: no outputs */
    size_t name_size;
    f2l_buf normal; /* what f2l_regex_parse wrote */
} f2l_regex_rule;

/* Compiles rules, at least one, over the letters to a deterministic, total, minimal automaton. A
 * state accepts where a rule matches the whole word read; its output, where rules have names, is
 * the first such rule's, or F2L_REGEX_NO_RULE. */
f2l_status f2l_regex_compile(f2l_nfa *out, const f2l_regex_rule *rule, size_t rules,
                             const f2l_names *letters, f2l_error *err);

/* The output where no rule matches. */
#define F2L_REGEX_NO_RULE "none"

#endif
