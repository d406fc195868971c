/* Signed permutations as heads with exactly dyadic keys. Statements: O.5 of theory/pages/r1.md. */
#include "numeric/base/mem.h"
#include "theory/construct/r1/impl.h"
#include <stdlib.h>
#include <string.h>

size_t f2l_r1_signed_dimension(size_t points)
{
    return points == 1 ? 1 : points + points % 2;
}

static size_t target(int32_t v)
{
    return (size_t)labs((long)v) - 1;
}

/* Appends u = w_i + sign w_j, or a positive multiple, i < j: the weights of points 2t and 2t + 1
 * are e_2t + e_2t+1 and e_2t - e_2t+1. */
static f2l_status push_key(f2l_qvec *u, size_t i, size_t j, int sign, f2l_error *err)
{
    const uint32_t a = (uint32_t)(i - i % 2), b = (uint32_t)(j - j % 2);
    if (a == b) return f2l_qvec_push_si(u, sign > 0 ? a : a + 1, 1, 1, err);
    f2l_status status = f2l_qvec_push_si(u, a, 1, 1, err);
    if (status == F2L_OK) status = f2l_qvec_push_si(u, a + 1, i % 2 == 0 ? 1 : -1, 1, err);
    if (status == F2L_OK) status = f2l_qvec_push_si(u, b, sign, 1, err);
    if (status == F2L_OK) status = f2l_qvec_push_si(u, b + 1, j % 2 == 0 ? sign : -sign, 1, err);
    return status;
}

typedef struct factors {
    f2l_factor *next; /* the first one not filled */
    size_t open;      /* a point of a negative cycle without partner, or F2L_NO_INDEX */
    f2l_factor *pair; /* place of the factors of pairs of negative cycles, after all others */
    uint8_t *seen;    /* [points] */
} factors;

/* Writes a factor for i < j: both are first points of their cycles, or i is the first point of j's
 * cycle. */
static f2l_status fill_factor(f2l_factor **at, size_t i, size_t j, int sign, f2l_error *err)
{
    f2l_factor *factor = (*at)++;
    mpq_set_ui(factor->beta, 2, 1);
    return push_key(&factor->u, i, j, sign, err);
}

/* Writes the factors of the cycle of p, p first: swaps of w_p with the others, each with the sign
 * with which p comes to it (T3.9). A negative cycle also has to change the sign of w_p; two
 * negative cycles do so by two reflections. */
static f2l_status cycle_factors(factors *f, const int32_t *image, size_t p, f2l_error *err)
{
    f2l_status status = F2L_OK;
    int sign = image[p] < 0 ? -1 : 1;
    f->seen[p] = 1;
    for (size_t x = target(image[p]); x != p && status == F2L_OK; x = target(image[x])) {
        f->seen[x] = 1;
        status = fill_factor(&f->next, p, x, -sign, err);
        if (image[x] < 0) sign = -sign;
    }
    if (sign > 0 || status != F2L_OK) return status;
    if (f->open == F2L_NO_INDEX) {
        f->open = p;
        return F2L_OK;
    }
    status = fill_factor(&f->pair, f->open, p, -1, err);
    if (status == F2L_OK) status = fill_factor(&f->pair, f->open, p, 1, err);
    f->open = F2L_NO_INDEX;
    return status;
}

/* Counts the points that are the first of a negative cycle. */
static size_t negative_cycles(const int32_t *image, size_t points)
{
    size_t count = 0;
    for (size_t p = 0; p < points; p++) {
        size_t x = p, least = p;
        bool negative = false;
        do {
            negative ^= image[x] < 0;
            x = target(image[x]);
            if (x < least) least = x;
        } while (x != p);
        count += least == p && negative;
    }
    return count;
}

f2l_status f2l_r1_signed_factors(f2l_transition *out, const int32_t *image, size_t points,
                                 f2l_error *err)
{
    const size_t count = f2l_dyadic_factors(image, points),
                 negative = negative_cycles(image, points);
    f2l_status status = f2l_transition_set_factors(out, count, err);
    if (status != F2L_OK || count == 0) return status;
    if (points == 1) {
        mpq_set_ui(out->factor[0].beta, 2, 1);
        return f2l_qvec_push_si(&out->factor[0].u, 0, 1, 1, err);
    }
    if (negative % 2 != 0) return f2l_fail(err, F2L_EDOMAIN, "an odd number of sign changes");
    factors f = {.next = out->factor,
                 .open = F2L_NO_INDEX,
                 .pair = out->factor + (count - negative),
                 .seen = f2l_calloc(points, 1)};
    if (f.seen == NULL) return f2l_fail_memory(err);
    for (size_t p = 0; p < points && status == F2L_OK; p++)
        if (!f.seen[p]) status = cycle_factors(&f, image, p, err);
    f2l_free(f.seen);
    return status;
}

void f2l_r1_signed_vector(f2l_number *vector, const f2l_number *x, size_t points, bool half)
{
    if (points == 1) {
        fmpq_poly_set(&vector[0], &x[0]);
        return;
    }
    for (size_t i = 0; i < points; i += 2) {
        fmpq_poly_set(&vector[i], &x[i]);
        fmpq_poly_set(&vector[i + 1], &x[i]);
        if (i + 1 < points) {
            fmpq_poly_add(&vector[i], &vector[i], &x[i + 1]);
            fmpq_poly_sub(&vector[i + 1], &vector[i + 1], &x[i + 1]);
        }
    }
    for (size_t i = 0; half && i < points; i++) fmpq_poly_scalar_div_ui(&vector[i], &vector[i], 2);
}

/* Computes the image of an element from the letters of its word. */
static void element_image(int32_t *image, int32_t *next, const f2l_r1_module *m,
                          const f2l_r1_tree *tree, uint32_t x)
{
    const size_t points = m->rep.dimension;
    for (size_t p = 0; p < points; p++) image[p] = (int32_t)p + 1;
    for (; x != 0; x = tree->parent[x]) { /* from the word's end: first the letter, then the known
                                             image */
        const int32_t *letter = m->image + tree->letter[x] * points;
        for (size_t p = 0; p < points; p++) {
            const int32_t to = image[target(letter[p])];
            next[p] = letter[p] < 0 ? -to : to;
        }
        memcpy(image, next, points * sizeof *image);
    }
}

static f2l_status fill_traces(f2l_r1_module *m, const f2l_r1_tables *t, const f2l_r1_tree *tree,
                              f2l_error *err)
{
    const size_t points = m->rep.dimension, n = t->classes.classes;
    int32_t *image = f2l_calloc(2 * points, sizeof *image);
    m->trace = f2l_calloc(n, sizeof *m->trace);
    if (image == NULL || m->trace == NULL) {
        f2l_free(image);
        return f2l_fail_memory(err);
    }
    for (size_t c = 0; c < n; c++) {
        int64_t sum = 0;
        element_image(image, image + points, m, tree, t->classes.representative[c]);
        for (size_t p = 0; p < points; p++)
            sum += target(image[p]) != p ? 0 : image[p] < 0 ? -1 : 1;
        const int64_t prime = (int64_t)t->characters.prime;
        m->trace[c] = (uint64_t)((sum % prime + prime) % prime);
    }
    f2l_free(image);
    return F2L_OK;
}

/* Fills the matrices over Q of the letters that generate the group: A(w) e_p = +-e_q where p goes
 * to q. */
static f2l_status fill_matrices(f2l_r1_module *m, const f2l_group *g, f2l_error *err)
{
    const size_t points = m->rep.dimension;
    f2l_status status = f2l_matrix_init(&m->rep.form, points, points, err);
    if (status != F2L_OK) return status;
    f2l_matrix_one(&m->rep.form);
    m->rep.letter = f2l_calloc(g->generators, sizeof *m->rep.letter);
    if (m->rep.letter == NULL) return f2l_fail_memory(err);
    m->rep.letters = g->generators;
    for (size_t s = 0; s < g->needed && status == F2L_OK; s++) {
        const int32_t *image = m->image + g->need[s] * points;
        f2l_matrix *a = &m->rep.letter[g->need[s]];
        status = f2l_matrix_init(a, points, points, err);
        for (size_t p = 0; p < points && status == F2L_OK; p++)
            fmpq_poly_set_si(f2l_matrix_at(a, target(image[p]), p), image[p] < 0 ? -1 : 1);
    }
    return status;
}

static f2l_status take_dyadic_head(f2l_r1_module *m, f2l_dyadic_head *head, const f2l_r1_plan *plan,
                                   f2l_error *err)
{
    m->image = head->image;
    head->image = NULL;
    m->rep.dimension = head->points;
    m->rep.orthonormal = true;
    m->key_dim = f2l_r1_signed_dimension(head->points);
    const f2l_status status = fill_matrices(m, &plan->tables->group, err);
    return status == F2L_OK ? fill_traces(m, plan->tables, &plan->tree, err) : status;
}

/* Sets *d for the trivial group, which has no heads: one point that no letter moves. */
static f2l_status fixed_point(f2l_dyadic *d, size_t letters, f2l_error *err)
{
    d->head = f2l_calloc(1, sizeof *d->head);
    if (d->head == NULL) return f2l_fail_memory(err);
    d->heads = 1;
    d->head[0].points = 1;
    d->head[0].image = f2l_calloc(letters, sizeof *d->head[0].image);
    if (d->head[0].image == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) d->head[0].image[a] = 1;
    return F2L_OK;
}

f2l_status f2l_r1_signed(f2l_r1_plan *plan, f2l_r1_report *report, size_t work, f2l_error *err)
{
    const f2l_r1_tables *t = plan->tables;
    f2l_dyadic d;
    f2l_status status = f2l_dyadic_build(&d, &t->group, &t->classes, &t->characters,
                                         &t->householders, work, plan->task, err);
    if (status != F2L_OK) return status;
    report->lower = d.lower;
    report->complete = d.complete || d.upper == d.lower;
    if (d.upper == SIZE_MAX)
        status = f2l_fail(err, F2L_UNKNOWN, "no signed permutations were found");
    if (status == F2L_OK && t->group.order == 1) {
        f2l_dyadic_clear(&d);
        status = fixed_point(&d, t->group.generators, err);
    }
    if (status == F2L_OK) status = f2l_r1_modules_new(plan, d.heads, err);
    for (size_t i = 0; i < plan->modules && status == F2L_OK; i++)
        status = take_dyadic_head(&plan->module[i], &d.head[i], plan, err);
    f2l_dyadic_clear(&d);
    return status;
}
