/* The ladder of an automaton (theory/obstruct/classify/classify.h), as text, JSON or CSV: what
 * each class of models can and cannot do, by which statement of theory/pages/ladder.md, with
 * witnesses, and on request with the networks of the compiler and their figures. */
#ifndef F2L_CLASSIFY_REPORT_H
#define F2L_CLASSIFY_REPORT_H

#include "reports/automata/one_layer_facts.h"
#include "reports/model/layers_facts.h"
#include "reports/model/shared_facts.h"
#include "theory/compile/compile.h"
#include "theory/obstruct/classify/classify.h"
#include "theory/obstruct/finer/finer.h"
#include "theory/obstruct/survey/survey.h"

/* The result of the compiler for one row. */
typedef struct f2l_classify_built {
    bool tried;
    f2l_status status; /* F2L_OK: there is a network; F2L_EDOMAIN: the compiler has no construction;
                          F2L_UNKNOWN: a limit was reached */
    f2l_compile_options request;
    f2l_compile_entry network; /* F2L_OK: as f2l_compile_record sets it */
    char reason[512];          /* otherwise */
} f2l_classify_built;

typedef struct f2l_classify_report {
    const char *grammar; /* the user's name; the report shows the base name */
    const f2l_classify *classify;
    size_t states; /* number of states of the grammar, before it was minimised */
    f2l_label label;
    const f2l_layers_facts *layers;
    const char *engines;            /* in which nothing rounds (engines_held.h); NULL: no network */
    const f2l_finer *finer;         /* of classify->fsa; NULL: not sought */
    const f2l_one_layer *one_layer; /* one code for each state */
    const f2l_classify_built *built; /* [F2L_LADDER_CLASSES]; NULL: not requested */
    const char *ended; /* what ended the work early: "interrupted", "time limit", "memory limit"; or
                          NULL */
} f2l_classify_report;

/* Returns the line about layers of the survey of `fsa`; its members are borrowed. */
f2l_layers_facts f2l_classify_layers(const f2l_survey *survey, const f2l_fsa *fsa);

/* Put a witness (null where there is none), `groups`, and `compile_options`, with which `compile`
 * has the same request; append the words of a witness. */
void f2l_say_cycle_word(f2l_fact in, const char *name, const f2l_fsa *fsa, const f2l_cycle_word *w);
void f2l_say_ladder_groups(f2l_fact in, const f2l_classify *c);
void f2l_say_compile_options(f2l_fact in, const f2l_compile_options *request);
void f2l_lay_cycle_word(f2l_buf *line, f2l_fact word);

extern const f2l_report_kind f2l_classify_report_kind;

/* Puts the facts of the finer classes, none of them if `finer` is NULL; lays the line of the report
 * that names them, if there are any. */
void f2l_say_finer(f2l_fact in, const f2l_finer *finer, const f2l_fsa *fsa);
void f2l_lay_finer(f2l_buf *out, f2l_fact from, size_t indent, size_t width);

/* The finer classes alone: what each one buys, or why the automaton is not in it. */
extern const f2l_report_kind f2l_finer_report_kind;

/* A table as CSV (RFC 4180, but lines end with a line feed): a line of names, which are paths in
 * the JSON of a class, and a line for each class; what is not known is empty. The last column has
 * the formats in which the network is VERIFIED, separated by blanks. */
extern const f2l_report_kind f2l_classify_csv_kind;

#endif
