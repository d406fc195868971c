/* Signed permutation representations: induced from characters with values 1 and -1 of subgroups. */
#include "numeric/base/mem.h"
#include "theory/rep/dyadic/impl.h"
#include "theory/rep/householders/socle.h"
#include <string.h>

/* At most 2^SIGNS of the signs of a subgroup are tried. */
#define SIGNS 10

typedef struct search {
    const f2l_group *group;
    const f2l_classes *classes;
    const f2l_householders *h;
    f2l_signed_subgroup *least;
    size_t enough, work;
    f2l_members sub;
    size_t index;     /* of sub */
    uint32_t *letter; /* [letters] one class of each kind that contains letters */
    size_t letters;
    uint64_t *parity;      /* [members of sub] */
    int64_t *sum, *number; /* [classes] sum of the signs of the members in the class, and their
                              number */
} search;

/* Fills members as words, and the differences between two words for one member in echelon form:
 * relation[b] has highest bit b, or is 0. */
static void fill_parities(uint64_t *parity, uint64_t *relation, const f2l_members *h)
{
    for (size_t i = 1; i < h->count; i++) parity[i] = UINT64_MAX;
    parity[0] = 0;
    for (size_t i = 0; i < h->count; i++) /* every member was first met after an earlier one */
        for (size_t s = 0; s < h->generators; s++) {
            uint64_t word = parity[i] ^ UINT64_C(1) << s;
            uint64_t *to =
                &parity[h->at[f2l_group_multiply(h->group, h->member[i], h->generator[s])] - 1];
            if (*to == UINT64_MAX) *to = word;
            word ^= *to;
            for (size_t b = F2L_MEMBERS_GENERATORS; b-- > 0 && word;) {
                if (!(word >> b & 1)) continue;
                if (!relation[b]) relation[b] = word;
                word ^= relation[b];
            }
        }
}

void f2l_members_parities(uint64_t *parity, uint64_t sign[F2L_MEMBERS_GENERATORS], size_t *signs,
                          const f2l_members *h)
{
    uint64_t relation[F2L_MEMBERS_GENERATORS] = {0};
    fill_parities(parity, relation, h);
    *signs = 0;
    for (size_t f = 0; f < h->generators; f++) {
        if (relation[f]) continue;
        uint64_t x = UINT64_C(1) << f; /* a free generator has -1; the dependent ones above it
                                          follow */
        for (size_t b = f + 1; b < h->generators; b++)
            if (relation[b] && f2l_sign_of(relation[b] & ~(UINT64_C(1) << b), x) < 0)
                x |= UINT64_C(1) << b;
        sign[(*signs)++] = x;
    }
}

/* Returns the value at a class of the character induced from weights of the members of the
 * subgroup: the sum of the weights in the class times |centraliser| / |H|. */
static int64_t induced(const search *s, const int64_t *weight, uint32_t c)
{
    return weight[c] * (int64_t)s->index / (int64_t)s->classes->size[c];
}

/* Returns the dimension of the space that an element of class c fixes. */
static size_t fixed_dimension(const search *s, const int64_t *weight, uint32_t c)
{
    const uint32_t order = s->classes->element_order[c];
    const uint32_t *power = s->classes->power + s->classes->power_at[c];
    int64_t total = induced(s, weight, 0);
    for (uint32_t i = 1; i < order; i++) total += induced(s, weight, power[i]);
    return (size_t)(total / order);
}

/* Sets the cost of R1.13: rank(P - I) for the sign of the subgroup in s->sum, and 1 more where the
 * number of changes is odd. */
static void cost_of(const search *s, f2l_signed_subgroup *item)
{
    const size_t m = s->index;
    size_t most = 0, extra = 0;
    for (size_t l = 0; l < s->letters; l++) {
        const size_t rank = m - fixed_dimension(s, s->sum, s->letter[l]);
        const size_t odd = item->negative && m > 1
                               ? (rank + m - fixed_dimension(s, s->number, s->letter[l])) % 2
                               : 0;
        if (rank + odd > most) most = rank + odd;
        extra |= odd;
    }
    item->factors = most;
    item->points = m + extra;
}

static bool is_cheaper_subgroup(const f2l_signed_subgroup *a, const f2l_signed_subgroup *b)
{
    return a->factors != b->factors ? a->factors < b->factors : a->points < b->points;
}

static void try_sign(search *s, uint64_t negative)
{
    memset(s->sum, 0, s->classes->classes * sizeof *s->sum);
    for (size_t i = 0; i < s->sub.count; i++)
        s->sum[s->classes->class_of[s->sub.member[i]]] += f2l_sign_of(s->parity[i], negative);
    f2l_signed_subgroup item = {.generators = s->sub.generators, .negative = negative};
    memcpy(item.generator, s->sub.generator, s->sub.generators * sizeof *item.generator);
    cost_of(s, &item);
    for (size_t t = 0; t < s->h->socle.targets; t++)
        if (is_cheaper_subgroup(&item, &s->least[t]) &&
            fixed_dimension(s, s->sum, s->h->socle.target[t]) < s->index)
            s->least[t] = item;
}

static void try_subgroup(search *s)
{
    uint64_t sign[F2L_MEMBERS_GENERATORS];
    size_t signs;
    s->index = s->group->order / s->sub.count;
    f2l_members_parities(s->parity, sign, &signs, &s->sub);
    s->sub.work += s->sub.count * s->sub.generators;
    memset(s->number, 0, s->classes->classes * sizeof *s->number);
    for (size_t i = 0; i < s->sub.count; i++) s->number[s->classes->class_of[s->sub.member[i]]]++;
    for (uint64_t choice = 0; choice < UINT64_C(1) << (signs < SIGNS ? signs : SIGNS); choice++) {
        uint64_t negative = 0;
        for (size_t b = 0; b < signs; b++)
            if (choice >> b & 1) negative ^= sign[b];
        try_sign(s, negative);
    }
}

static bool is_cheap_enough(const search *s)
{
    for (size_t t = 0; t < s->h->socle.targets; t++)
        if (s->least[t].factors > s->enough) return false;
    return true;
}

/* Tries the whole group, and the stabilisers of points. */
static f2l_status try_natural(search *s, const f2l_task *task, f2l_error *err)
{
    for (size_t i = 0; i < s->group->needed; i++)
        f2l_members_add(&s->sub, f2l_needed_generator(s->group, i));
    try_subgroup(s);
    f2l_status status = F2L_OK;
    for (size_t p = 0; status == F2L_OK && p < s->group->degree; p++) {
        status = f2l_task_spend(task, "signed permutations", 16 * s->group->order, err);
        if (status != F2L_OK) break;
        f2l_members_reset(&s->sub);
        for (uint32_t x = 0; x < s->group->order && s->sub.work < s->work; x++)
            if (s->group->element[x * s->group->degree + p] == p) f2l_members_add(&s->sub, x);
        try_subgroup(s);
        if (s->sub.work >= s->work) break;
        status =
            f2l_task_poll(task, "signed permutations", (double)s->sub.work, (double)s->work, err);
    }
    return status;
}

/* Tries subgroups generated by one or two elements, the first up to conjugation. */
static f2l_status try_two_generators(search *s, bool *complete, const f2l_task *task,
                                     f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t c = 0; c < s->classes->classes && !is_cheap_enough(s); c++)
        for (uint32_t y = 0; y < s->group->order && !is_cheap_enough(s); y++) {
            status = f2l_task_spend(task, "signed permutations", 8 * s->group->order, err);
            if (status != F2L_OK) return status;
            f2l_members_reset(&s->sub);
            f2l_members_add(&s->sub, s->classes->representative[c]);
            if (y > 0 && s->sub.at[y]) continue;
            f2l_members_add(&s->sub, y);
            try_subgroup(s);
            status = f2l_task_poll(task, "signed permutations", (double)s->sub.work,
                                   (double)s->work, err);
            if (status != F2L_OK || s->sub.work >= s->work) return status;
        }
    *complete = true;
    return F2L_OK;
}

static f2l_status prepare_dyadic_search(search *s, f2l_error *err)
{
    const size_t n = s->classes->classes;
    f2l_status status = f2l_members_init(&s->sub, s->group, err);
    if (status != F2L_OK) return status;
    s->letter = f2l_calloc(n, sizeof *s->letter);
    s->parity = f2l_calloc(s->group->order, sizeof *s->parity);
    s->sum = f2l_calloc(n, sizeof *s->sum);
    s->number = f2l_calloc(n, sizeof *s->number);
    uint32_t *leader = f2l_calloc(n, sizeof *leader);
    uint8_t *listed = f2l_calloc(n, sizeof *listed);
    if (s->letter && s->parity && s->sum && s->number && leader && listed) {
        f2l_rational_leaders(leader, s->classes);
        for (size_t c = 0; c < n; c++) {
            if (!s->h->letter[c] || listed[leader[c]]) continue;
            listed[leader[c]] = 1;
            s->letter[s->letters++] = leader[c];
        }
    } else {
        status = f2l_fail_memory(err);
    }
    f2l_free(leader);
    f2l_free(listed);
    return status;
}

f2l_status f2l_dyadic_search(f2l_signed_subgroup *least, bool *complete, const f2l_group *group,
                             const f2l_classes *classes, const f2l_householders *h,
                             size_t enough_factors, size_t work, const f2l_task *task,
                             f2l_error *err)
{
    search s = {.group = group,
                .classes = classes,
                .h = h,
                .least = least,
                .enough = enough_factors,
                .work = work};
    for (size_t t = 0; t < h->socle.targets; t++) least[t].factors = SIZE_MAX;
    *complete = false;
    f2l_status status = prepare_dyadic_search(&s, err);
    if (status == F2L_OK) {
        status = try_natural(&s, task, err);
        if (status == F2L_OK) status = try_two_generators(&s, complete, task, err);
    }
    f2l_members_clear(&s.sub);
    f2l_free(s.letter);
    f2l_free(s.parity);
    f2l_free(s.sum);
    f2l_free(s.number);
    return status;
}

/* Sets coset[x] for every element under H from the left, and one element of each coset H x; returns
 * the number of cosets. */
static size_t list_cosets(uint32_t *coset, uint32_t *first, const f2l_members *h)
{
    uint32_t count = 0;
    for (size_t x = 0; x < h->group->order; x++) coset[x] = UINT32_MAX;
    for (uint32_t x = 0; x < h->group->order; x++) {
        if (coset[x] != UINT32_MAX) continue;
        for (size_t i = 0; i < h->count; i++)
            coset[f2l_group_multiply(h->group, h->member[i], x)] = count;
        first[count++] = x;
    }
    return count;
}

/* Fills the images: H t_p g = H t_q with t_p g = k t_q: point p goes to q with the sign of k. The
 * last point, where it is needed, carries the product of the signs. */
static void fill_signed_images(f2l_dyadic_head *out, const f2l_members *h, const uint64_t *parity,
                               uint64_t negative, const uint32_t *coset, const uint32_t *first,
                               size_t m)
{
    const f2l_group *g = h->group;
    for (size_t s = 0; s < g->generators; s++) {
        const uint32_t x = (uint32_t)f2l_group_find(g, g->generator + s * g->degree);
        int32_t *image = out->image + s * out->points, product = 1;
        for (size_t p = 0; p < m; p++) {
            const uint32_t to = f2l_group_multiply(g, first[p], x), q = coset[to];
            const uint32_t k = f2l_group_multiply(g, to, f2l_group_inverse(g, first[q]));
            const int sign = f2l_sign_of(parity[h->at[k] - 1], negative);
            image[p] = sign * (int32_t)(q + 1);
            product *= sign;
        }
        if (out->points > m) image[m] = product * (int32_t)(m + 1);
    }
}

f2l_status f2l_dyadic_head_build(f2l_dyadic_head *out, const f2l_group *group,
                                 const f2l_signed_subgroup *from, f2l_error *err)
{
    f2l_members h;
    f2l_status status = f2l_members_init(&h, group, err);
    if (status != F2L_OK) return status;
    for (size_t s = 0; s < from->generators; s++) f2l_members_add(&h, from->generator[s]);
    size_t cells;
    const bool fits = f2l_mul_size(&cells, group->generators, from->points);
    out->points = from->points;
    out->image = fits ? f2l_calloc(cells, sizeof *out->image) : NULL;
    uint64_t *parity = f2l_calloc(h.count, sizeof *parity), sign[F2L_MEMBERS_GENERATORS];
    size_t signs;
    uint32_t *coset = f2l_calloc(group->order, sizeof *coset);
    uint32_t *first = f2l_calloc(group->order / h.count, sizeof *first);
    if (out->image && parity && coset && first) {
        f2l_members_parities(parity, sign, &signs, &h);
        const size_t m = list_cosets(coset, first, &h);
        fill_signed_images(out, &h, parity, from->negative, coset, first, m);
    } else {
        f2l_free(out->image);
        out->image = NULL;
        status = f2l_fail_memory(err);
    }
    f2l_free(parity);
    f2l_free(coset);
    f2l_free(first);
    f2l_members_clear(&h);
    return status;
}
