/* Graphviz DOT: the part of the language that automata are written in, and what their labels mean.
 * Private to this folder. */
#ifndef F2L_AUTOMATA_IMPORT_DOT_H
#define F2L_AUTOMATA_IMPORT_DOT_H

#include "automata/fsa/letter.h"
#include "automata/import/cursor.h"
#include "automata/import/text/import_text.h"

#define F2L_DOT_NONE UINT32_MAX

/* The first byte of an HTML string among the texts; no other text begins with it. */
#define F2L_DOT_HTML_MARK '\x01'

/* What attributes say about a node or an edge. */
enum {
    F2L_DOT_INVISIBLE = 1,   /* style=invis or invisible */
    F2L_DOT_BOLD = 2,        /* style=bold */
    F2L_DOT_SHAPELESS = 4,   /* shape=none, plain or plaintext */
    F2L_DOT_POINT = 8,       /* shape=point */
    F2L_DOT_DOUBLE = 16,     /* shape=doublecircle and other double shapes */
    F2L_DOT_RINGS = 32,      /* peripheries=2 or more */
    F2L_DOT_START = 64,      /* initial=1, root=true, .. */
    F2L_DOT_ACCEPT = 128,    /* accepting=1, final=true, .. */
    F2L_DOT_GREEN = 256,     /* the colour of automata-lib's start */
    F2L_DOT_BLACK = 512,     /* fillcolor=black, of a disc that is an arrow's tail */
    F2L_DOT_DASHED = 2048,   /* style=dashed or dotted, as may-edges of modal systems are drawn */
    F2L_DOT_BACKWARDS = 1024 /* dir=back, both or none: the arrow has no head at its end */
};

typedef struct f2l_dot_attributes {
    uint32_t label;        /* index into f2l_dot.text; F2L_DOT_NONE: not given */
    uint32_t flags, given; /* which of the flags are given */
} f2l_dot_attributes;

/* A node, and the place of its first occurrence. */
typedef struct f2l_dot_node {
    uint32_t name; /* index into text */
    uint32_t line, column;
    f2l_dot_attributes attributes;
} f2l_dot_node;

/* A visible edge, and the place of its arrow. */
typedef struct f2l_dot_edge {
    uint32_t from, to; /* nodes */
    uint32_t label;    /* index into text, or F2L_DOT_NONE */
    uint32_t line;
    uint32_t column : 31;
    uint32_t shared : 1; /* the label is of `edge [..]`, or of a chain a -> b -> c */
} f2l_dot_edge;

typedef struct f2l_dot {
    f2l_names text; /* every identifier and string of the file; escapes other than \" are kept as
                       written, and HTML strings have F2L_DOT_HTML_MARK before them */
    uint32_t name;  /* of the graph */
    f2l_dot_attributes graph; /* its label */
    f2l_dot_node *node;
    size_t nodes, node_capacity;
    f2l_dot_edge *edge;
    size_t edges, edge_capacity;
    uint32_t *node_of; /* [text] node with this name, or F2L_DOT_NONE */
    size_t node_of_size;
    bool strict;
    /* The value of the graph's attribute read_as, F2L_DOT_NONE: none; and its place. */
    uint32_t read_as;
    size_t read_as_line, read_as_column;
    uint32_t ornament; /* the last attribute that says nothing, or F2L_DOT_NONE */
    f2l_notes *notes;  /* borrowed */
} f2l_dot;

void f2l_dot_init(f2l_dot *dot, f2l_notes *notes);
void f2l_dot_clear(f2l_dot *dot);

/* Reads one digraph. Undirected graphs are refused. */
f2l_status f2l_dot_read(f2l_dot *dot, const char *bytes, size_t size, f2l_error *err);

/* Returns the text with the index, "" for F2L_DOT_NONE; HTML begins with F2L_DOT_HTML_MARK. */
static inline const char *f2l_dot_text(const f2l_dot *dot, uint32_t index)
{
    return index == F2L_DOT_NONE ? "" : f2l_names_get(&dot->text, index);
}

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
    f2l_cursor cursor;
    f2l_names *text;
} f2l_dot_lexer;

/* Reads the next token; comments (slash-star, slash-slash, and lines that begin with #) are
 * skipped. */
f2l_status f2l_dot_next(f2l_dot_lexer *lexer, f2l_dot_token *token, f2l_error *err);

/* Sets in *a what the attribute says of a node or an edge. An attribute that is none of Graphviz's
 * and of no program's whose files are read is noted; attributes that make the graph no finite
 * automaton are refused. */
f2l_status f2l_dot_attribute(f2l_dot *dot, f2l_dot_attributes *a, const f2l_dot_token *name,
                             const f2l_dot_token *value, f2l_error *err);

/* Appends the text as Graphviz shows it, with line feeds for line ends. Returns NULL, or why it is
 * not plain text, static, to be printed after "label `..` ". */
const char *f2l_dot_show(f2l_buf *out, const char *text);

/* Reads an escape \u0061, or \U00000061 and the same with two backslashes, into *point; returns its
 * size, 0 where there is none. */
size_t f2l_dot_code_point(const char *at, uint32_t *point);

/* Appends the text as it is written in the file; of HTML, what is between the brackets. */
void f2l_dot_write_out(f2l_buf *out, const char *text);

/* What a label is: letters, the empty word, or pairs of input and output. */
typedef struct f2l_dot_part {
    uint32_t letter, output; /* F2L_EPSILON; UINT32_MAX: no output */
} f2l_dot_part;

/* A line of a label: its input, and its output where it has one. */
typedef struct f2l_dot_line {
    uint32_t input, output; /* texts: offsets in f2l_dot_labels.shown; output 0: none */
} f2l_dot_line;

typedef struct f2l_dot_label {
    uint32_t text, edge;     /* as written: index into f2l_dot.text; the first edge with it */
    uint32_t shown;          /* as read: offset in f2l_dot_labels.shown */
    uint32_t line, lines;    /* in f2l_dot_labels.line */
    uint32_t part, parts;    /* in f2l_dot_labels.part */
    const char *note, *also; /* what --strict refuses, or NULL */
    bool guessed;            /* several letters that must not contradict other edges */
} f2l_dot_label;

/* The labels of the edges between states, each once, in the order of edges. */
typedef struct f2l_dot_labels {
    f2l_dot_label *item;
    size_t count, capacity;
    uint32_t *of_text; /* [dot.text] label, or F2L_DOT_NONE */
    f2l_buf shown;     /* texts, each with its zero byte; begins with a byte that is no text */
    f2l_dot_line *line;
    size_t lines, line_capacity;
    f2l_dot_part *part;
    size_t parts, part_capacity;
} f2l_dot_labels;

typedef struct f2l_dot_reader {
    f2l_nfa *nfa;
    const f2l_read_as *as; /* never NULL while labels are read */
    bool finite;           /* acceptance of infinite words is meant for finite ones */
    f2l_dot dot;
    uint8_t *is_marker; /* [nodes] only there to mark the start, or not part of the automaton */
    uint32_t *state;    /* [nodes] state of the automaton, F2L_DOT_NONE for markers */
    f2l_dot_labels labels;
    bool pairs;      /* labels are input/output */
    bool tuples;     /* commas are parts of letters */
    bool all_lists;  /* every label is a list of one length, so that these may be letters */
    f2l_names alone; /* the labels' inputs as they are shown */
    f2l_set_edges set_edges;
} f2l_dot_reader;

/* Fails at the first edge with the label: "label `..` " and why, the second with the advice to take
 * labels as they are written. */
f2l_status f2l_dot_fail_label(const f2l_dot_reader *r, const f2l_dot_label *label, const char *why,
                              f2l_error *err);
f2l_status f2l_dot_refuse_label(const f2l_dot_reader *r, const f2l_dot_label *label,
                                const char *why, f2l_error *err);

/* Appends the label's text as Graphviz shows it (f2l_dot_show) or, where the user says that labels
 * are letters or pairs, as it is written. */
const char *f2l_dot_show_label(const f2l_dot_reader *r, f2l_buf *out, const char *text);

static inline const char *f2l_dot_shown(const f2l_dot_reader *r, size_t offset)
{
    return r->labels.shown.data + offset;
}

/* Finds the nodes that mark the start, which are no states. */
f2l_status f2l_dot_find_markers(f2l_dot_reader *r, f2l_error *err);

/* Adds the states, and marks those that start and accept. */
f2l_status f2l_dot_add_states(f2l_dot_reader *r, f2l_error *err);

/* Takes Moore outputs from the nodes' labels, where these are "name|output" or "name / output". */
f2l_status f2l_dot_add_outputs(f2l_dot_reader *r, f2l_error *err);

/* Lists the labels of the edges between states, as Graphviz shows them or, where --read-as says so,
 * as they are written. */
f2l_status f2l_dot_list_labels(f2l_dot_reader *r, f2l_error *err);

/* Gives every label its parts, and the automaton its letters. */
f2l_status f2l_dot_read_labels(f2l_dot_reader *r, f2l_error *err);

/* Adds a part to the label that is read last. */
f2l_status f2l_dot_add_part(f2l_dot_reader *r, f2l_dot_label *label, size_t letter, size_t output,
                            f2l_error *err);

/* Adds a part with a letter of this name. */
f2l_status f2l_dot_add_letter(f2l_dot_reader *r, f2l_dot_label *label, const char *name,
                              size_t size, size_t output, f2l_error *err);

#define F2L_DOT_READ_EMPTY "was read as the empty word"

/* Adds a part that is the empty word, and notes that unless the user named it. */
f2l_status f2l_dot_add_epsilon(f2l_dot_reader *r, f2l_dot_label *label, size_t output,
                               f2l_error *err);

/* Sets *output to the number of the line's output, UINT32_MAX where it has none. */
f2l_status f2l_dot_line_output(f2l_dot_reader *r, const f2l_dot_line *line, size_t *output,
                               f2l_error *err);

/* Splits labels into lines; sets r->pairs, and splits lines into input and output, where they are
 * pairs. */
f2l_status f2l_dot_split_labels(f2l_dot_reader *r, f2l_error *err);

/* Refuses labels with probabilities, weights, counts or marks of acceptance. */
f2l_status f2l_dot_check_numbers(const f2l_dot_reader *r, f2l_error *err);

/* Sets *all to whether every label is a table of bits of MONA's; then gives labels their parts. */
f2l_status f2l_dot_read_bits(f2l_dot_reader *r, bool *all, f2l_error *err);

/* Sets *all to whether the inputs are formulas, and then gives labels their parts. Where the user
 * or the format says that they are, `asked` is the reason to refuse others; where it is NULL, they
 * need a sign of logic somewhere, and are noted. */
f2l_status f2l_dot_read_guards(f2l_dot_reader *r, const char *asked, bool *all, f2l_error *err);

/* Sets *all to whether the file is dk.brics.automaton's or Lucene's, whose labels are characters
 * and ranges; then gives labels their parts. */
f2l_status f2l_dot_read_ranges(f2l_dot_reader *r, bool *all, f2l_error *err);

/* Sets *all to whether the file is from OpenFst's fstdraw, and then gives labels their parts. */
f2l_status f2l_dot_read_fst(f2l_dot_reader *r, bool *all, f2l_error *err);

/* Gives labels their parts by the general rules: letters, the empty word, lists, sets, ranges. */
f2l_status f2l_dot_read_sets(f2l_dot_reader *r, f2l_error *err);

/* Refuses labels that are all tables of bits, in a file that is not named as MONA's, where they
 * would mean something else. */
f2l_status f2l_dot_doubt_bits(const f2l_dot_reader *r, f2l_error *err);

/* Refuses inputs that are all bits of one width, some of which are left open, as in 01 and 1-. */
f2l_status f2l_dot_doubt_cubes(const f2l_dot_reader *r, f2l_error *err);

/* Returns why the text may be something else than a letter; NULL: it is a letter. */
const char *f2l_dot_doubt(const f2l_dot_reader *r, const char *text, size_t size);

/* Returns the note on a letter that may be meant otherwise; NULL: none. */
const char *f2l_dot_letter_note(const f2l_dot_reader *r, const char *text, size_t size);

/* Returns whether the text is a list in brackets: [a, b], {a, b} or (a|b). */
bool f2l_dot_is_bracketed_list(const char *text, size_t size);

/* Returns the size of the sign of a range at the text: -, .., or a dash, with blanks; 0: none. */
size_t f2l_dot_range_sign(const char *text, size_t size);

/* Returns whether the text is a name of the empty word. */
bool f2l_dot_is_epsilon(const f2l_dot_reader *r, const char *text, size_t size);

/* Returns the text without the blanks around it. */
const char *f2l_dot_trim(const char *text, size_t *size);

#endif
