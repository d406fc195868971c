/* The report on what a network cannot do: eigenvalues, the theorems that apply by them, and runs of
 * a word until a pair recurs, as text or JSON. All pointers are borrowed. */
#ifndef F2L_OBSTRUCT_REPORT_H
#define F2L_OBSTRUCT_REPORT_H

#include "reports/model/shared_facts.h"
#include "theory/obstruct/obstruct.h"
#include "theory/obstruct/spectrum/spectra.h"

typedef struct f2l_obstruct_report {
    const char *network;      /* the user's name; the report shows the base name */
    const f2l_names *letters; /* letters of the first layer; NULL: they have no names */
    const f2l_fsa *fsa;       /* NULL: spectra and theorems only, and `without` is the reason */
    size_t letters_count;     /* of the automaton, before letters of a class were merged */
    const char *without;
    const f2l_spectra *spectra;
    const f2l_theorem *t1, *t2;
    const f2l_witness *word; /* length 0: there is no word, for the reason `no_word`, or, if that is
                                empty, because no word is a cycle */
    const char *no_word;
    const f2l_period *period; /* period of the word */
    size_t runs;
    const f2l_failure *run; /* [runs] results of the runs of the word */
    const double *seconds;  /* [runs] */
} f2l_obstruct_report;

/* Returns true when the theorem excludes exact networks like this one on the word: the network's
 * labels cannot have the period of the automaton's labels. */
bool f2l_obstruct_forbidden(const f2l_obstruct_report *report);
/* Returns the verdict of a run; an exact run is REFUTED by the theorem, too. */
f2l_status f2l_obstruct_verdict(const f2l_obstruct_report *report, size_t run);

/* Intervals are pairs [low, high]. */
extern const f2l_report_kind f2l_obstruct_report_kind;

#endif
