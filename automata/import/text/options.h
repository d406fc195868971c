/* What the caller says about a file that is read, for all readers. */
#ifndef F2L_IMPORT_OPTIONS_H
#define F2L_IMPORT_OPTIONS_H

#include "automata/fsa/nfa.h"

#include <stdbool.h>

/* What the labels of a file are, where its format allows several readings. */
typedef enum f2l_labels_as {
    F2L_LABELS_DEFAULT, /* by the rules of docs/formats.md */
    F2L_LABELS_LETTERS, /* each label is one letter, as it is written */
    F2L_LABELS_SETS,    /* `[a-c]` and `a,b` are several letters */
    F2L_LABELS_GUARDS,  /* formulas over propositions, whose valuations are the letters */
    F2L_LABELS_PAIRS    /* input/output, of a Mealy machine */
} f2l_labels_as;

/* All zero: by the rules of docs/formats.md. */
typedef struct f2l_read_as {
    f2l_labels_as labels;
    bool names_epsilon; /* only `epsilon`, which may be empty, are names of the empty word */
    f2l_names epsilon;
} f2l_read_as;

void f2l_read_as_clear(f2l_read_as *as);

/* Reads the value of --read-as, "labels=sets,epsilon=i,epsilon=tau", into *out (all zero before).
 * `epsilon=` alone says that no name is the empty word; an empty label is it always. F2L_EFORMAT
 * with the column. */
f2l_status f2l_read_as_parse(f2l_read_as *out, const char *text, f2l_error *err);

/* Returns F2L_EDOMAIN unless the format obeys what the user said of the labels: their kind is the
 * default or the bit 1 << kind of `kinds`, and names of the empty word are not given where the
 * format has none. `format` names it in the error: ".aut". */
f2l_status f2l_read_as_check(const f2l_read_as *as, unsigned kinds, bool epsilon,
                             const char *format, f2l_error *err);

/* Returns whether the label is a name of the empty word: one of those given, else one of the
 * format's own, a list that ends with NULL. */
bool f2l_read_as_epsilon(const f2l_read_as *as, const char *label, size_t size,
                         const char *const *own);

typedef struct f2l_import_options {
    const f2l_read_as *as; /* NULL: by the rules of docs/formats.md */
    const char *symbols;   /* text of a symbol table (OpenFst: "name number" per line) for AT&T
                              numeric labels; or NULL */
    size_t symbols_size;
    bool numeric;      /* take numeric AT&T labels as letter names */
    bool finite;       /* an HOA file with Buchi acceptance by states is about finite words */
    size_t max_states; /* 0: 1,000,000 */
} f2l_import_options;

#endif
