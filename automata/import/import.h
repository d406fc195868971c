/* Readers of automata in any supported syntax, recognised by content: `.fsa`, AT&T text (OpenFst
 * and foma dialects), JFLAP .jff, GAP Transformation([...]) lists, Graphviz DOT as AALpy and MONA
 * write it, JSON of automata-lib, Hanoi omega-automata, rules of lexers; and POSIX extended regular
 * expressions (through libfa). All give an f2l_nfa, which f2l_nfa_total makes deterministic and
 * total. */
#ifndef F2L_IMPORT_H
#define F2L_IMPORT_H

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

typedef enum f2l_syntax {
    F2L_SYNTAX_FSA,
    F2L_SYNTAX_ATT,
    F2L_SYNTAX_JFLAP,
    F2L_SYNTAX_GAP,
    F2L_SYNTAX_DOT,
    F2L_SYNTAX_JSON,
    F2L_SYNTAX_HOA,
    F2L_SYNTAX_RULES
} f2l_syntax;

/* Returns the syntax of the text. Text that is not recognised counts as `.fsa`, whose reader gives
 * the error. */
f2l_syntax f2l_syntax_recognise(const char *bytes, size_t size);

/* Recognises the syntax and reads the automaton. Empty and binary input are F2L_EFORMAT. */
f2l_status f2l_import(f2l_nfa *out, const char *bytes, size_t size,
                      const f2l_import_options *options, const f2l_task *task, f2l_error *err);

/* Read one syntax each (automata/import/import_<syntax>.c). JFLAP needs libxml2, and rules and
 * regex need libfa: without them the status is F2L_EDOMAIN and the text names the missing library.
 */
f2l_status f2l_import_att(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err);
f2l_status f2l_import_jflap(f2l_nfa *out, const char *bytes, size_t size,
                            const f2l_import_options *options, f2l_error *err);
f2l_status f2l_import_gap(f2l_nfa *out, const char *bytes, size_t size, f2l_error *err);
f2l_status f2l_import_dot(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err);
f2l_status f2l_import_json(f2l_nfa *out, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err);
f2l_status f2l_import_hoa(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err);

/* A lexer: its outputs are the names of the first rules that match the whole word read. */
f2l_status f2l_import_rules(f2l_nfa *out, const char *bytes, size_t size, f2l_error *err);

/* Reads a POSIX extended regular expression over characters, or, with `tokens`, over names with
 * blanks between them. Every letter that the expression mentions is one (a `.` or a negated class
 * needs `alphabet`, a UTF-8 string of the letters; else NULL is allowed). The result is
 * deterministic and total over those letters. */
f2l_status f2l_import_regex(f2l_nfa *out, const char *regex, const char *alphabet, bool tokens,
                            f2l_error *err);

#endif
