#include "theory/rep/householders/socle.h"
#include "numeric/base/mem.h"
#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

void f2l_rational_leaders(uint32_t *leader, const f2l_classes *classes)
{
    for (size_t c = 0; c < classes->classes; c++) leader[c] = UINT32_MAX;
    for (uint32_t c = 0; c < classes->classes; c++) {
        if (leader[c] != UINT32_MAX) continue;
        const size_t order = classes->element_order[c];
        const uint32_t *power = classes->power + classes->power_at[c];
        leader[c] = c;
        for (size_t i = 2; i < order; i++)
            if (n_gcd(i, order) == 1) leader[power[i]] = c;
    }
}

void f2l_socle_clear(f2l_socle *s)
{
    f2l_free(s->target);
    f2l_free(s->part);
    f2l_free(s->prime);
    memset(s, 0, sizeof *s);
}

/* A class of prime order and the irreps in whose kernel it is. */
typedef struct candidate {
    uint32_t class_number;
    size_t kernels; /* number of these irreps */
    uint64_t *in;   /* [words] as bits */
} candidate;

static int compare_candidates(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    if (a->kernels != b->kernels) return a->kernels > b->kernels ? -1 : 1;
    return (a->class_number > b->class_number) - (a->class_number < b->class_number);
}

static bool inside(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (a[w] & ~b[w]) return false;
    return true;
}

/* Lists one candidate for each rational class of prime order; bits is its storage. */
static size_t list_socle_candidates(candidate *list, uint64_t *bits, const uint32_t *leader,
                                    const f2l_householders *h, const f2l_classes *classes)
{
    const size_t words = (h->irreps + 63) / 64;
    size_t count = 0;
    for (uint32_t c = 1; c < h->classes; c++) {
        if (leader[c] != c || !n_is_prime(classes->element_order[c])) continue;
        candidate *k = &list[count];
        *k = (candidate){c, 0, bits + count++ * words};
        for (size_t i = 0; i < h->irreps; i++) {
            if (f2l_householders_rank(h, i, c) > 0) continue;
            k->in[i / 64] |= UINT64_C(1) << i % 64;
            k->kernels++;
        }
    }
    return count;
}

/* Assigns the parts: central subgroups of one prime order are one part, everything else is a part
 * by itself. */
static void assign_parts(f2l_socle *s, const f2l_classes *classes)
{
    for (size_t t = 0; t < s->targets; t++) {
        const size_t prime =
            classes->size[s->target[t]] == 1 ? classes->element_order[s->target[t]] : 0;
        size_t part = prime ? 0 : s->parts;
        while (part < s->parts && s->prime[part] != prime) part++;
        if (part == s->parts) s->prime[s->parts++] = (uint32_t)prime;
        s->part[t] = (uint32_t)part;
    }
}

/* Keeps the candidates with maximal sets. R1.8: the normal closure of a class is the common kernel
 * of the irreps in whose kernel it is; the more of them, the smaller it is. So minimal ones have
 * maximal sets, and these come before the sets inside them. */
static f2l_status keep_maximal(f2l_socle *s, const candidate *list, size_t count, size_t words,
                               const f2l_task *task, f2l_error *err)
{
    const uint64_t **kept = f2l_calloc(count, sizeof *kept);
    f2l_status status = kept ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < count; i++) {
        bool maximal = true;
        for (size_t j = 0; j < s->targets && maximal; j++)
            maximal = !inside(list[i].in, kept[j], words);
        if (maximal) {
            kept[s->targets] = list[i].in;
            s->target[s->targets++] = list[i].class_number;
        }
        if (i % 64 == 63)
            status = f2l_task_poll(task, "minimal normal subgroups", (double)i, (double)count, err);
    }
    f2l_free(kept);
    return status;
}

f2l_status f2l_socle_build(f2l_socle *out, const f2l_householders *h, const f2l_classes *classes,
                           const f2l_task *task, f2l_error *err)
{
    const size_t n = h->classes, words = (h->irreps + 63) / 64;
    memset(out, 0, sizeof *out);
    f2l_status status = f2l_task_table(task, "kernels", n * words * sizeof(uint64_t), err);
    if (status != F2L_OK) return status;
    candidate *list = f2l_calloc(n, sizeof *list);
    uint64_t *bits = f2l_calloc(n, words * sizeof *bits);
    uint32_t *leader = f2l_calloc(n, sizeof *leader);
    out->target = f2l_calloc(n, sizeof *out->target);
    out->part = f2l_calloc(n, sizeof *out->part);
    out->prime = f2l_calloc(n, sizeof *out->prime);
    if (!list || !bits || !leader || !out->target || !out->part || !out->prime)
        status = f2l_fail_memory(err);
    if (status == F2L_OK) {
        f2l_rational_leaders(leader, classes);
        const size_t count = list_socle_candidates(list, bits, leader, h, classes);
        qsort(list, count, sizeof *list, compare_candidates);
        status = keep_maximal(out, list, count, words, task, err);
    }
    if (status == F2L_OK)
        assign_parts(out, classes);
    else
        f2l_socle_clear(out);
    f2l_free(list);
    f2l_free(bits);
    f2l_free(leader);
    return status;
}
