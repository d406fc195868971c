/* Functions that the readers of foreign syntaxes share: checks of the text, places, lines and
 * words. */
#ifndef F2L_IMPORT_TEXT_H
#define F2L_IMPORT_TEXT_H

#include "automata/import/text/options.h"

/* Most edges of an import; more give F2L_UNKNOWN. A few bytes of DOT or GAP can expand to thousands
 * of edges, so that the size of the text is not a bound. */
#define F2L_IMPORT_MAX_EDGES ((size_t)20000000)

/* Computes line and column (1-based, in bytes) of the byte at offset `at`. */
void f2l_import_position(const char *bytes, size_t at, size_t *line, size_t *column);

/* Returns F2L_EFORMAT for empty and binary input. */
f2l_status f2l_import_check_not_binary(const char *bytes, size_t size, f2l_error *err);

/* Returns F2L_EFORMAT with a position unless the bytes are non-empty UTF-8 text without NUL. */
f2l_status f2l_import_check_text(const char *bytes, size_t size, f2l_error *err);

/* Records the syntax of the file in the automaton. */
void f2l_import_source(f2l_nfa *nfa, const char *syntax);

/* Gives `state` the Moore output `text`. All states must have been added. */
f2l_status f2l_import_output(f2l_nfa *nfa, size_t state, const char *text, size_t size,
                             f2l_error *err);

/* Sets *dead, which the caller frees, to 1 for each state from which no infinite run goes on, and
 * *count to their number. */
f2l_status f2l_import_dead_ends(uint8_t **dead, size_t *count, const f2l_nfa *nfa, f2l_error *err);

/* Finds the only place where a text has the name in quotation marks; returns false, and sets both
 * to 0, where there is none or more than one. */
bool f2l_import_find_quoted(const char *bytes, size_t size, const char *name, size_t name_size,
                            size_t *line, size_t *column);

/* A piece of a line, and its 1-based column. */
typedef struct f2l_word {
    const char *text;
    size_t size, column;
} f2l_word;

/* A line without its end, and what is needed to read the next one. */
typedef struct f2l_line {
    const char *text;
    size_t size, number; /* number: 1-based; 0 before the first line */
    const char *bytes;   /* private: the whole text, its size and the place of the next line */
    size_t all, next;
} f2l_line;

/* Returns the place before the first line, behind a byte-order mark. */
f2l_line f2l_line_start(const char *bytes, size_t size);

/* Goes to the next line; returns false at the end of the text. */
bool f2l_line_next(f2l_line *line);

/* Splits the line at blanks and tabs into at most `most` words; a word that begins with `comment`
 * ends the line (0: there are no comments). Returns their number, or most + 1 when there are
 * more. */
size_t f2l_line_words(f2l_word *word, size_t most, const f2l_line *line, char comment);

bool f2l_word_is(const f2l_word *word, const char *text);

/* Reads a decimal number without sign into *out; returns false when the word is none, or beyond
 * 10^9. */
bool f2l_word_number(size_t *out, const f2l_word *word);

/* Returns the name of the root element of an XML document, without a prefix, behind declarations
 * and comments; an empty word where there is none. */
f2l_word f2l_xml_root(const char *bytes, size_t size);

/* Notes a letter whose name other formats have for the empty word (f2l_letter_may_be_epsilon),
 * unless the user said which names are. */
void f2l_note_epsilon_name(f2l_nfa *nfa, const f2l_read_as *as, const char *label, size_t size,
                           size_t line, size_t column);

/* Fills *err with the place of the word: "`word` text". */
void f2l_word_refuse(const f2l_line *line, const f2l_word *word, const char *text, f2l_error *err);

/* Does the same and returns F2L_EFORMAT, in sight of static analysers: never F2L_OK. */
static inline f2l_status f2l_word_fail(const f2l_line *line, const f2l_word *word, const char *text,
                                       f2l_error *err)
{
    f2l_word_refuse(line, word, text, err);
    return F2L_EFORMAT;
}

/* Returns whether the text is two names with a colon between them, one of the empty word. */
bool f2l_import_is_half_empty(const char *text, size_t size);

/* Returns the note on a letter that looks like something else: another name of the empty word, a
 * list, a range, a formula, a condition, bits of which some are open, or input and output; NULL:
 * none. */
const char *f2l_import_letter_note(const char *text, size_t size);

/* Notes such a letter, unless the user said what labels are. */
void f2l_import_note_letter(f2l_nfa *nfa, const f2l_read_as *as, const char *text, size_t size,
                            size_t line, size_t column);

#endif
