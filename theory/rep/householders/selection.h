/* The cheapest set of representations under which only the identity is trivial: exact search.
 *
 * A target is a minimal normal subgroup; an item (a representation) hits it when the subgroup is
 * not in its kernel. All targets must be hit (R1.8). Items may also restrict how letters are lifted
 * to a cover: each allows some of the lifts of every letter, and the chosen ones together must
 * allow at least one (R2.4).
 *
 * Targets of one `part` are the subgroups of order p of a central elementary abelian p-group. The
 * targets of it that a set of items leaves open are the targets of a subgroup again, and the items
 * act on it as the elements of a matroid (R1.9): repeatedly taking the cheapest item that helps is
 * best for the part, and is a lower bound for the whole. A part with one target has this property
 * too, whatever the target is. */
#ifndef F2L_SELECTION_IMPL_H
#define F2L_SELECTION_IMPL_H

#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct f2l_selection_problem {
    size_t items, targets, parts, letters;
    const size_t *weight;   /* [items] */
    const uint8_t *hits;    /* [items][targets] 0 or 1 */
    const uint32_t *part;   /* [targets] */
    const uint8_t *allowed; /* [items][letters] lifts as bits; NULL where letters == 0 */
} f2l_selection_problem;

typedef struct f2l_selection {
    /* exhausted: nothing is cheaper, or, if not found, nothing exists */
    bool found, exhausted;
    size_t count, weight; /* least weight, then fewest items */
    uint32_t *item;       /* [count] increasing */
    uint8_t *lifts;       /* [letters] lifts that all items allow; NULL where letters == 0 */
} f2l_selection;

/* Searches with at most `nodes` partial choices. Returns F2L_UNKNOWN only when the task says
 * stop. */
f2l_status f2l_selection_build(f2l_selection *out, const f2l_selection_problem *problem,
                               size_t nodes, const f2l_task *task, f2l_error *err);
void f2l_selection_clear(f2l_selection *s);

#endif
