/* The report on the transition group of a permutation automaton: structure, classes, characters,
 * real irreducible representations, and the fewest Householder factors (theory/pages/rep.md), as
 * text or JSON. All numbers start at 1. All pointers are borrowed. */
#ifndef F2L_GROUP_REPORT_H
#define F2L_GROUP_REPORT_H

#include "automata/group/structure.h"
#include "numeric/base/text.h"
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

/* Appends the text; tables of more than 12 classes are left out, and their size is given. */
f2l_status f2l_group_report_text(f2l_buf *out, const f2l_group_report *report, f2l_error *err);

/* Appends the JSON, `schema` 1. A character's value in a class is given by the eigenvalues of the
 * class: pairs [j, multiplicity] for exp(2 pi i j / exponent), which is exact. Values are left out
 * when there are more than 64 classes. */
f2l_status f2l_group_report_json(f2l_buf *out, const f2l_group_report *report, f2l_error *err);

#endif
