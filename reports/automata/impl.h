/* Functions that the three forms of the cascade report share. */
#ifndef F2L_REPORTS_AUTOMATA_IMPL_H
#define F2L_REPORTS_AUTOMATA_IMPL_H

#include "reports/automata/cascade_report.h"

typedef struct f2l_cascade_counts {
    size_t contexts, permutations, identities, resets; /* contexts: including idle contexts */
} f2l_cascade_counts;

void f2l_cascade_report_counts(f2l_cascade_counts *out, const f2l_cascade *c);

/* Appends "{a, b}" with at most `most` names (0: all), and the number of the other names. */
void f2l_cascade_report_set(f2l_buf *out, const f2l_cascade *c, uint32_t set, size_t most);

/* Returns the grammar's name without folders. */
const char *f2l_cascade_report_name(const f2l_cascade_report *report);

/* Computes the range first .. end - 1 of the components of `level` (1-based), which are
 * consecutive. */
void f2l_cascade_report_range(const f2l_components *all, size_t level, size_t *first, size_t *end);

/* Computes the coordinates [levels + 1] that encode `state`, 1-based; 0 where the chain skips the
 * level. */
void f2l_cascade_report_chain(const f2l_cascade *c, size_t state, uint32_t *coordinate);

#endif
