/* The reports of `fsa info` and `fsa equivalent`, as text or JSON. All pointers are borrowed. */
#ifndef F2L_FSA_REPORT_H
#define F2L_FSA_REPORT_H

#include "automata/algebra/algebra.h"
#include "automata/fsa/nfa.h"
#include "reports/model/shared_facts.h"

/* An automaton as it is written, and what making it deterministic and minimal gives. */
typedef struct f2l_fsa_info {
    const char *grammar, *syntax; /* the user's name, of which the base name is shown */
    const f2l_nfa *nfa;
    const f2l_fsa *total;          /* deterministic and total */
    const f2l_total_report *steps; /* to `total` */
    bool labelled;                 /* there are labels to minimise by */
    f2l_label label;               /* these labels */
    size_t minimal;                /* states of the minimised automaton, if labelled */
} f2l_fsa_info;

extern const f2l_report_kind f2l_fsa_info_kind;

/* Two automata that were compared. */
typedef struct f2l_fsa_comparison {
    const char *name[2];
    const f2l_names *letters; /* of the first automaton */
    f2l_label label;
    const f2l_difference *difference;
} f2l_fsa_comparison;

extern const f2l_report_kind f2l_fsa_comparison_kind;

#endif
