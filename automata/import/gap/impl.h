/* What the files of this folder share; private to it. */
#ifndef F2L_GAP_IMPL_H
#define F2L_GAP_IMPL_H

#include "automata/import/text/import_text.h"
#include "numeric/base/text.h"

#define F2L_GAP_MAX_POINT 1000000

typedef enum f2l_gap_kind {
    F2L_GAP_NOTHING,
    F2L_GAP_TRANSFORMATION,
    F2L_GAP_PARTIAL,
    F2L_GAP_PERMUTATION,
    F2L_GAP_IDENTITY /* a transformation of no points */
} f2l_gap_kind;

/* A letter: the images of the points 1..size at image[first..], 1-based; 0 where a partial
 * permutation has none. */
typedef struct f2l_gap_element {
    f2l_gap_kind kind;
    size_t first, size;
    size_t name; /* index into names, F2L_NO_INDEX: none */
    bool listed; /* among the generators of a group or semigroup */
} f2l_gap_element;

/* What a name or an expression is, where it is no element. */
#define F2L_GAP_COLLECTION (F2L_NO_INDEX - 1)
#define F2L_GAP_UNREAD (F2L_NO_INDEX - 2)

typedef struct f2l_gap {
    const char *bytes;
    size_t size, at;
    bool session;                  /* the text had prompts, which were taken out */
    size_t depth;                  /* of nested values */
    size_t generators;             /* depth of groups and semigroups whose generators are read */
    bool has_group, lists_by_name; /* there is one; one is of a list with a name */
    f2l_buf word;                  /* the word in hand, without the line breaks inside it */
    size_t word_at;
    f2l_names names; /* assigned */
    size_t *meaning; /* [names] an element, F2L_GAP_COLLECTION or F2L_GAP_UNREAD */
    size_t meaning_capacity;
    f2l_gap_element *element;
    size_t elements, element_capacity;
    uint32_t *image;
    size_t images, image_capacity;
    uint32_t *cycle; /* points of the cycle or list in hand */
    size_t cycle_capacity;
    f2l_nfa *nfa; /* for its notes */
} f2l_gap;

/* gap_lex.c. */
f2l_status f2l_gap_fail(const f2l_gap *g, size_t at, const char *text, f2l_error *err);
void f2l_gap_skip_blank(f2l_gap *g);
bool f2l_gap_at(f2l_gap *g, char c);
bool f2l_gap_take(f2l_gap *g, char c);
f2l_status f2l_gap_expect(f2l_gap *g, char c, f2l_error *err);
/* Reads a run of letters, digits and _ into g->word, which is empty when there is none. */
f2l_status f2l_gap_word(f2l_gap *g, f2l_error *err);
bool f2l_gap_word_is(const f2l_gap *g, const char *text);
/* Reads a number of at most F2L_GAP_MAX_POINT; 0 only where it is allowed. */
f2l_status f2l_gap_point(f2l_gap *g, bool zero, uint32_t *point, f2l_error *err);
/* Goes behind the semicolon that ends the statement. */
void f2l_gap_skip_statement(f2l_gap *g);

/* Returns whether a line begins with the prompt `gap>`. */
bool f2l_gap_is_session(const char *bytes, size_t size);
/* Writes blanks over the prompts and the lines that GAP printed, so that places remain. */
void f2l_gap_clean_session(char *bytes, size_t size);

/* gap_elements.c: each reads or makes one element, which has no name, at the end of g->element. */
f2l_status f2l_gap_transformation(f2l_gap *g, f2l_error *err);
f2l_status f2l_gap_partial(f2l_gap *g, f2l_error *err);
f2l_status f2l_gap_permutation(f2l_gap *g, f2l_error *err);
f2l_status f2l_gap_identity(f2l_gap *g, f2l_error *err);

/* Appends a product of two elements, the left one acting first, and a power. */
f2l_status f2l_gap_product(f2l_gap *g, size_t left, size_t right, f2l_error *err);
f2l_status f2l_gap_power(f2l_gap *g, size_t base, bool negative, uint32_t exponent, f2l_error *err);

/* Makes the automaton of all elements in g->nfa. */
f2l_status f2l_gap_build(f2l_gap *g, size_t max_states, const f2l_task *task, f2l_error *err);

/* Returns the image of a point, counted from 1, or 0. */
uint32_t f2l_gap_image(const f2l_gap *g, const f2l_gap_element *e, size_t point);

#endif
