/* The report on the transition group of a permutation automaton: structure, classes, characters,
 * real irreducible representations, and the fewest Householder factors (theory/pages/rep.md), as
 * text or JSON. All numbers start at 1. All pointers are borrowed. */
#ifndef F2L_GROUP_REPORT_H
#define F2L_GROUP_REPORT_H

#include "automata/group/structure.h"
#include "reports/model/shared_facts.h"
#include "theory/rep/cover/cover.h"
#include "theory/rep/dyadic/dyadic.h"

typedef struct f2l_group_report {
    const char *grammar; /* the user's name; the report shows the base name */
    const char *name;    /* name of the group */
    bool all_letters;    /* all elements are letters, not only the letters of the automaton */
    const f2l_group *group;
    const f2l_classes *classes;
    const f2l_structure *structure;
    const f2l_characters *characters;
    const f2l_householders *householders;
    const f2l_dyadic *dyadic;
    const f2l_cover *cover;   /* NULL: not searched */
    const char *cover_reason; /* the reason why it was not searched */
} f2l_group_report;

/* The text leaves tables of more than 12 classes out, and gives their size. In JSON the value of a
 * character in a class is the eigenvalues of the class: pairs [j, multiplicity] for exp(2 pi i j /
 * exponent), which is exact. Values are left out when there are more than 64 classes. */
extern const f2l_report_kind f2l_group_report_kind;

#endif
