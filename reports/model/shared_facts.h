/* The facts that several reports tell: one function for each, so that a name means the same in all.
 * Every function puts its fact into the object `in`. */
#ifndef F2L_SHARED_FACTS_H
#define F2L_SHARED_FACTS_H

#include "automata/fsa/nfa.h"
#include "models/network/schedule/schedule.h"
#include "numeric/base/sha256.h"
#include "numeric/facts/facts.h"
#include "theory/certify/closure/closure.h"

/* Version of the names and their meaning: CHANGELOG.md lists what each version changed. */
#define F2L_REPORT_SCHEMA 2

/* A function that fills the tree of a report, and one that lays its text out. */
typedef void f2l_report_describe(f2l_fact out, const void *report);
typedef void f2l_report_layout(f2l_buf *out, f2l_fact from);

/* The reports of one kind: how the facts of a report are told as JSON and as text. A report is a
 * struct of the kind's header, f2l_group_report for f2l_group_report_kind. */
typedef struct f2l_report_kind {
    const char *name; /* by which the schema knows it */
    f2l_report_describe *describe;
    f2l_report_layout *lay; /* NULL: see lay_beside */
    /* Lays out a text that also tells what is no fact; NULL, like lay: there is no text. */
    void (*lay_beside)(f2l_buf *out, f2l_fact from, const void *report);
    f2l_facts_style style; /* of the JSON */
} f2l_report_kind;

/* Begins a report: `schema`, and `report`, the name by which the schema knows it. */
void f2l_say_report(f2l_fact in, const char *name);

/* Puts `tool`: version and commit of the program. */
void f2l_say_tool(f2l_fact in, const char *version, const char *commit);

/* Append the report as JSON, as text, and as one of them. Equal reports give equal bytes, but for
 * facts about time. */
f2l_status f2l_report_as_json(f2l_buf *out, const f2l_report_kind *kind, const void *report,
                              f2l_error *err);
f2l_status f2l_report_as_text(f2l_buf *out, const f2l_report_kind *kind, const void *report,
                              f2l_error *err);
f2l_status f2l_report_write(f2l_buf *out, const f2l_report_kind *kind, const void *report,
                            bool as_json, f2l_error *err);

/* Puts `files`: name, bytes and hash of each. */
void f2l_say_files(f2l_fact in, const f2l_hashed_file *file, size_t files);

/* Returns `automaton`: the base name of the path (NULL: not known), the SHA-256 of the canonical
 * file (NULL: not computed), states and letters. */
f2l_fact f2l_say_automaton(f2l_fact in, const char *path, const char *sha256, size_t states,
                           size_t letters);

/* `label_kind`: what the labels of a network are. */
void f2l_say_label_kind(f2l_fact in, f2l_label label);

/* Returns "VERIFIED", "REFUTED" or "UNKNOWN". */
const char *f2l_verdict_name(f2l_status verdict);

/* A verdict, and how it was found. */
typedef struct f2l_verdict {
    f2l_status verdict;
    const char *how;          /* as in the table of facts; NULL: not told */
    bool counted;             /* `joint_states` were counted */
    size_t joint_states;      /* number of joint states of a closure */
    size_t pairs;             /* pairs of a local closure; 0: there is none */
    const char *statement;    /* the statement that proves it; NULL: none does */
    const f2l_closure *wrong; /* holds the wrong word of a REFUTED verdict; NULL: not kept */
    const f2l_names *letters; /* of the wrong word */
    size_t wrong_after;       /* letters of the wrong word where `wrong` is NULL */
    const char *reason;       /* why it is not VERIFIED; NULL or empty: no reason is given */
} f2l_verdict;

/* Puts `verdict`, `how`, `joint_states`, `pairs`, `statement`, `witness`, `wrong_after`, `reason`.
 */
void f2l_say_verdict(f2l_fact in, const f2l_verdict *verdict);

/* Puts the names with the indices [n]: a word. */
void f2l_say_word(f2l_fact in, const char *name, const f2l_names *all, const uint32_t *index,
                  size_t n);

/* Lays these words out, in one line; nothing where the automaton does not have them. */
void f2l_lay_judged_words(f2l_buf *out, f2l_fact automaton);
/* Puts `accepted_word` and `rejected_word`, shortest ones; null where there is none of at most
 * 1,000 letters. Nothing where `fsa` does not say which states accept. */
void f2l_say_judged_words(f2l_fact in, const f2l_fsa *fsa);
/* Puts what a reader and f2l_nfa_total did: `letter_sets` and `empty_transitions`. */
void f2l_say_labels_read(f2l_fact in, const f2l_total_report *steps);

/* Puts `decoder`: a state's label is the one of its nearest code, or of the code that it equals or
 * whose box it is in. */
void f2l_say_decoder(f2l_fact in, bool nearest);
/* `format` and `schedule` by name, NULL: null; and their `decoder`. */
void f2l_say_arithmetic(f2l_fact in, const f2l_format *format, const f2l_schedule *schedule);
/* `format_data` and `schedule_data`: what the names stand for. */
void f2l_say_arithmetic_data(f2l_fact in, const f2l_format *format, const f2l_schedule *schedule);

/* `horizon`: the length up to which every word is right; null when it is not known. */
void f2l_say_horizon(f2l_fact in, bool known, bool for_ever, uint64_t letters);

/* Puts an answer that may be open: null. */
void f2l_say_ternary(f2l_fact in, const char *name, bool known, bool value);

/* Put lists. */
void f2l_say_counts(f2l_fact in, const char *name, const size_t *value, size_t n);
void f2l_say_numbers(f2l_fact in, const char *name, const double *value, size_t n);

#endif
