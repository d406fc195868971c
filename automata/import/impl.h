/* What the files of automata/import share; private to this folder. */
#ifndef F2L_AUTOMATA_IMPORT_IMPL_H
#define F2L_AUTOMATA_IMPORT_IMPL_H

#include "automata/import/import.h"
#include "numeric/base/names.h"
#include "numeric/base/status.h"
#include "numeric/base/text.h"

#include <stdbool.h>

/* The part of Graphviz DOT that automata are written in: a flat directed graph with attributes.
 * Private to dot*.c and automata/import/import_dot.c. */

#define F2L_DOT_NONE UINT32_MAX

/* Indices into f2l_dot.text; F2L_DOT_NONE: not given. */
typedef struct f2l_dot_attributes {
    uint32_t label, shape, peripheries;
    bool label_is_html;
} f2l_dot_attributes;

typedef struct f2l_dot_node {
    uint32_t name; /* index into text */
    f2l_dot_attributes attributes;
    size_t line, column; /* position of its first occurrence */
} f2l_dot_node;

typedef struct f2l_dot_edge {
    uint32_t from, to; /* nodes */
    f2l_dot_attributes attributes;
    size_t line, column;
} f2l_dot_edge;

typedef struct f2l_dot {
    f2l_names text; /* every identifier and string of the file; escapes other than \" are kept as
                       written */
    uint32_t name;  /* name of the graph */
    f2l_dot_node *node;
    size_t nodes, node_capacity;
    f2l_dot_edge *edge;
    size_t edges, edge_capacity;
    uint32_t *node_of; /* [text] node with this name, or F2L_DOT_NONE */
    size_t node_of_size;
} f2l_dot;

void f2l_dot_init(f2l_dot *dot);
void f2l_dot_clear(f2l_dot *dot);

/* Reads one digraph. Undirected graphs, subgraphs and ports are refused, since no program writes
 * automata with them. */
f2l_status f2l_dot_read(f2l_dot *dot, const char *bytes, size_t size, f2l_error *err);

typedef enum f2l_dot_kind {
    F2L_DOT_ID,     /* identifier or numeral */
    F2L_DOT_STRING, /* "..", pieces joined by + */
    F2L_DOT_HTML,   /* <..> */
    F2L_DOT_ARROW,
    F2L_DOT_LINE, /* -- */
    F2L_DOT_PUNCTUATION,
    F2L_DOT_END
} f2l_dot_kind;

typedef struct f2l_dot_token {
    f2l_dot_kind kind;
    char punctuation; /* one of { } [ ] = ; , : */
    uint32_t text;    /* identifiers and strings */
    size_t line, column;
} f2l_dot_token;

typedef struct f2l_dot_lexer {
    const char *bytes;
    size_t size, at, line, line_start;
    f2l_names *text;
} f2l_dot_lexer;

/* Reads the next token; comments (slash-star, slash-slash, and lines that begin with #) are
 * skipped. */
f2l_status f2l_dot_next(f2l_dot_lexer *lexer, f2l_dot_token *token, f2l_error *err);

/* Regular expressions, translated into the input of libfa. Private to automata/import/regex_parse.c
 * and automata/import/import_regex.c. */

/* libfa works on bytes, and some bytes are operators. Letters are therefore mapped to bytes that it
 * always takes literally: 62 letters and digits, and 128 bytes that are not ASCII. */
#define F2L_REGEX_MAX_LETTERS 190

/* A byte that occurs in no word, used for an empty character class. */
#define F2L_REGEX_NEVER '_'

/* Most letters of an expression whose repetitions are written out. */
#define F2L_REGEX_MAX_SIZE 2000

/* Returns the byte that libfa reads for letter `index`. */
unsigned char f2l_regex_byte(size_t index);

/* Parses a POSIX extended regular expression over UTF-8 characters. `letters` holds the alphabet
 * when it is given, else (empty) it receives the characters of the expression in the order of their
 * appearance. `out` receives the same expression over bytes, with only ( ) | * + ? {} and [..] as
 * operators. Refused: anchors, back-references, and constructs that need the alphabet when none is
 * given. */
f2l_status f2l_regex_parse(f2l_buf *out, f2l_names *letters, const char *regex, f2l_error *err);

/* Functions that the readers of foreign syntaxes share. Private to automata/import/import*.c. */

/* Most edges of an import; more give F2L_UNKNOWN. A few bytes of DOT or GAP can expand to thousands
 * of edges, so that the size of the text is not a bound. */
#define F2L_IMPORT_MAX_EDGES ((size_t)20000000)

/* Computes line and column (1-based, in bytes) of the byte at offset `at`. */
void f2l_import_position(const char *bytes, size_t at, size_t *line, size_t *column);

/* Returns F2L_EFORMAT with a position unless the bytes are non-empty UTF-8 text without NUL. */
f2l_status f2l_import_check_text(const char *bytes, size_t size, f2l_error *err);

/* Records the syntax of the file in the automaton. */
void f2l_import_source(f2l_nfa *nfa, const char *syntax);

/* Gives `state` the Moore output `text`. All states must have been added. */
f2l_status f2l_import_output(f2l_nfa *nfa, size_t state, const char *text, size_t size,
                             f2l_error *err);

/* Reads GAP lists, with a bound on the number of group elements that a list of permutations may
 * generate (0: 1,000,000). */
f2l_status f2l_import_gap_bounded(f2l_nfa *out, const char *bytes, size_t size, size_t max_states,
                                  const f2l_task *task, f2l_error *err);

#endif
