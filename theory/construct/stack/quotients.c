/* Partitions that letters respect: the least ones that join two states, and joins of those. */
#include "theory/construct/stack/quotients.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct partition {
    uint8_t class_of[F2L_STACK_QUOTIENT_STATES];
    size_t classes;
} partition;

typedef struct listing {
    const f2l_fsa *fsa;
    partition found[F2L_STACK_QUOTIENTS]; /* [count] of any number of classes */
    size_t count;
} listing;

void f2l_stack_quotients_clear(f2l_stack_quotients *quotients)
{
    f2l_free(quotients->class_of);
    *quotients = (f2l_stack_quotients){0};
}

/* Numbers the classes in the order of their first states. */
static void number_classes(partition *p, size_t states)
{
    uint8_t number[F2L_STACK_QUOTIENT_STATES];
    memset(number, UINT8_MAX, sizeof number);
    p->classes = 0;
    for (size_t q = 0; q < states; q++) {
        if (number[p->class_of[q]] == UINT8_MAX) number[p->class_of[q]] = (uint8_t)p->classes++;
        p->class_of[q] = number[p->class_of[q]];
    }
}

/* Gives the states in the class of `q` to the class of `r`; returns whether they differed. */
static bool merge_classes(partition *p, size_t states, size_t q, size_t r)
{
    const uint8_t from = p->class_of[q], to = p->class_of[r];
    for (size_t i = 0; i < states && from != to; i++)
        if (p->class_of[i] == from) p->class_of[i] = to;
    return from != to;
}

/* Joins two states in a partition that letters respect, and then what letters make of each pair
 * that was joined, so that letters respect it again. */
static void join_states(partition *p, const f2l_fsa *fsa, size_t q, size_t r)
{
    const size_t n = fsa->states.count, letters = fsa->letters.count;
    size_t pair[F2L_STACK_QUOTIENT_STATES][2] = {{q, r}}, pairs = merge_classes(p, n, q, r);
    for (size_t i = 0; i < pairs; i++)
        for (size_t a = 0; a < letters; a++) {
            const size_t x = fsa->next[pair[i][0] * letters + a];
            const size_t y = fsa->next[pair[i][1] * letters + a];
            if (!merge_classes(p, n, x, y)) continue;
            pair[pairs][0] = x;
            pair[pairs++][1] = y;
        }
}

static void add_partition(listing *l, const partition *p)
{
    for (size_t i = 0; i < l->count; i++)
        if (memcmp(&l->found[i], p, sizeof *p) == 0) return;
    if (l->count < F2L_STACK_QUOTIENTS) l->found[l->count++] = *p;
}

/* Adds the join of two partitions: the classes of both that meet are one. */
static void add_join(listing *l, const partition *a, const partition *b)
{
    const size_t n = l->fsa->states.count;
    size_t first[F2L_STACK_QUOTIENT_STATES];
    partition join = *a;
    for (size_t q = n; q-- > 0;) first[b->class_of[q]] = q;
    for (size_t q = 0; q < n; q++) join_states(&join, l->fsa, q, first[b->class_of[q]]);
    number_classes(&join, n);
    add_partition(l, &join);
}

static void list_partitions(listing *l)
{
    const size_t n = l->fsa->states.count;
    for (size_t q = 0; q < n; q++)
        for (size_t r = 0; r < q; r++) {
            partition p = {.classes = 0};
            for (size_t i = 0; i < n; i++) p.class_of[i] = (uint8_t)i;
            join_states(&p, l->fsa, q, r);
            number_classes(&p, n);
            add_partition(l, &p);
        }
    for (size_t i = 1; i < l->count; i++)
        for (size_t k = 0; k < i; k++) add_join(l, &l->found[i], &l->found[k]);
}

f2l_status f2l_stack_quotients_list(f2l_stack_quotients *out, const f2l_fsa *fsa, size_t most,
                                    f2l_error *err)
{
    const size_t n = fsa->states.count;
    if (n > F2L_STACK_QUOTIENT_STATES) return F2L_OK;
    listing *l = f2l_calloc(1, sizeof *l);
    out->class_of = f2l_calloc(F2L_STACK_QUOTIENTS, n);
    out->states = n;
    if (!l || !out->class_of) {
        f2l_free(l);
        return f2l_fail_memory(err);
    }
    l->fsa = fsa;
    list_partitions(l);
    for (size_t classes = 2; classes <= most && classes < n; classes++)
        for (size_t i = 0; i < l->count; i++) {
            if (l->found[i].classes != classes) continue;
            memcpy(out->class_of + out->count * n, l->found[i].class_of, n);
            out->classes[out->count++] = classes;
        }
    f2l_free(l);
    return F2L_OK;
}
