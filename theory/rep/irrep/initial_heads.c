/* Words of a group's elements, the vectors that a subgroup fixes in a representation, and heads
 * modulo a prime. */
#include "numeric/base/mem.h"
#include "theory/rep/householders/reflections.h"
#include "theory/rep/irrep/impl.h"
#include <string.h>

void f2l_word_tree_clear(f2l_word_tree *t)
{
    f2l_free(t->queue);
    f2l_free(t->parent);
    f2l_free(t->letter);
    *t = (f2l_word_tree){0};
}

f2l_status f2l_word_tree_init(f2l_word_tree *t, const f2l_group *group, f2l_error *err)
{
    *t = (f2l_word_tree){.group = group,
                         .queue = f2l_calloc(group->order, sizeof *t->queue),
                         .parent = f2l_calloc(group->order, sizeof *t->parent),
                         .letter = f2l_calloc(group->order, sizeof *t->letter)};
    if (!t->queue || !t->parent || !t->letter) {
        f2l_word_tree_clear(t);
        return f2l_fail_memory(err);
    }
    size_t queued = 1;
    for (size_t x = 0; x < group->order; x++) t->parent[x] = UINT32_MAX;
    t->parent[0] = 0;
    for (size_t at = 0; at < queued; at++) {
        for (size_t s = 0; s < group->needed; s++) {
            const size_t w =
                f2l_group_find(group, group->generator + group->need[s] * group->degree);
            const uint32_t y = f2l_group_multiply(group, t->queue[at], (uint32_t)w);
            if (t->parent[y] != UINT32_MAX) continue;
            t->parent[y] = t->queue[at];
            t->letter[y] = group->need[s];
            t->queue[queued++] = y;
        }
    }
    return F2L_OK;
}

f2l_status f2l_word_matrix(f2l_matrix *out, const f2l_irrep *head, const f2l_word_tree *t,
                           uint32_t g, f2l_error *err)
{
    size_t length = 0;
    for (uint32_t x = g; x != 0; x = t->parent[x]) length++;
    size_t *word = f2l_calloc(length, sizeof *word);
    if (!word) return f2l_fail_memory(err);
    size_t at = length;
    for (uint32_t x = g; x != 0; x = t->parent[x]) word[--at] = t->letter[x];
    f2l_status status = f2l_irrep_word(out, head, word, length, err);
    f2l_free(word);
    return status;
}

/* Rows in reduced echelon form: pivot columns hold one 1 each. */
typedef struct echelon {
    f2l_matrix row; /* [d][d], the first `rows` of them */
    size_t *pivot;  /* [rows] */
    size_t rows;
} echelon;

/* Subtracts scale times `from` from `to`, rows of length d; scale is a copy, as it may be an
 * entry. */
static void subtract_row(f2l_number *to, const f2l_number *from, const f2l_number *scale, size_t d,
                         const f2l_field *k)
{
    f2l_number factor;
    fmpq_poly_init(&factor);
    fmpq_poly_set(&factor, scale);
    for (size_t j = 0; j < d; j++) f2l_field_submul(&to[j], &from[j], &factor, k);
    fmpq_poly_clear(&factor);
}

/* Adds the equation `next`, which is overwritten. */
static void add_equation(echelon *e, f2l_number *next, const f2l_field *k)
{
    const size_t d = e->row.columns;
    for (size_t i = 0; i < e->rows; i++)
        if (!fmpq_poly_is_zero(&next[e->pivot[i]]))
            subtract_row(next, f2l_matrix_at(&e->row, i, 0), &next[e->pivot[i]], d, k);
    size_t pivot = 0;
    while (pivot < d && fmpq_poly_is_zero(&next[pivot])) pivot++;
    if (pivot == d) return;
    f2l_number inverse;
    fmpq_poly_init(&inverse);
    f2l_field_invert(&inverse, &next[pivot], k);
    f2l_number *row = f2l_matrix_at(&e->row, e->rows, 0);
    for (size_t j = 0; j < d; j++) f2l_field_multiply(&row[j], &next[j], &inverse, k);
    fmpq_poly_clear(&inverse);
    for (size_t i = 0; i < e->rows; i++) {
        f2l_number *other = f2l_matrix_at(&e->row, i, 0);
        if (!fmpq_poly_is_zero(&other[pivot])) subtract_row(other, row, &other[pivot], d, k);
    }
    e->pivot[e->rows++] = pivot;
}

/* Computes one solution for every column without pivot. */
static f2l_status solutions(f2l_matrix *out, const echelon *e, const f2l_field *k, f2l_error *err)
{
    const size_t d = e->row.columns;
    f2l_status status = f2l_matrix_init(out, d - e->rows, d, err);
    size_t at = 0;
    for (size_t j = 0; j < d && status == F2L_OK; j++) {
        bool free_column = true;
        for (size_t i = 0; i < e->rows; i++) free_column = free_column && e->pivot[i] != j;
        if (!free_column) continue;
        f2l_number *v = f2l_matrix_at(out, at++, 0);
        fmpq_poly_one(&v[j]);
        for (size_t i = 0; i < e->rows; i++)
            fmpq_poly_neg(&v[e->pivot[i]], f2l_matrix_at(&e->row, i, j));
        status = f2l_simplify_vector(v, d, k, err);
    }
    return status;
}

f2l_status f2l_fixed_space(f2l_matrix *out, const f2l_irrep *head, const f2l_word_tree *t,
                           const uint32_t *generator, size_t count, f2l_error *err)
{
    const size_t d = head->dimension;
    echelon e = {.pivot = f2l_calloc(d, sizeof *e.pivot)};
    f2l_matrix m = {0};
    *out = (f2l_matrix){0};
    f2l_status status = e.pivot ? f2l_matrix_init(&e.row, d, d, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_matrix_init(&m, d, d, err);
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        status = f2l_word_matrix(&m, head, t, generator[i], err);
        for (size_t row = 0; row < d && status == F2L_OK; row++) {
            f2l_number *entry = f2l_matrix_at(&m, row, row);
            fmpq_poly_sub_si(entry, entry, 1);
            if (e.rows < d) add_equation(&e, f2l_matrix_at(&m, row, 0), &head->field);
        }
    }
    if (status == F2L_OK) status = solutions(out, &e, &head->field, err);
    f2l_matrix_clear(&e.row);
    f2l_matrix_clear(&m);
    f2l_free(e.pivot);
    if (status != F2L_OK) f2l_matrix_clear(out);
    return status;
}

void f2l_residual_head_clear(f2l_residual_head *r)
{
    for (size_t l = 0; r->letter && l < r->letters; l++) f2l_free(r->letter[l]);
    f2l_free(r->letter);
    *r = (f2l_residual_head){0};
}

static bool reduce_letters(f2l_residual_head *r, const f2l_irrep *head)
{
    const size_t cells = r->dimension * r->dimension;
    for (size_t l = 0; l < r->letters; l++)
        for (size_t i = 0; r->letter[l] && i < cells; i++)
            if (!f2l_residue(&r->letter[l][i], &head->letter[l].entry[i], &r->map)) return false;
    return true;
}

f2l_status f2l_residual_head_init(f2l_residual_head *r, const f2l_irrep *head,
                                  const f2l_word_tree *t, f2l_error *err)
{
    const size_t d = head->dimension;
    *r = (f2l_residual_head){.dimension = d, .letters = head->letters};
    r->letter = f2l_calloc(head->letters, sizeof *r->letter);
    bool room = r->letter != NULL;
    for (size_t s = 0; s < t->group->needed && room; s++) {
        ulong **to = &r->letter[t->group->need[s]];
        *to = f2l_calloc(d * d, sizeof **to);
        room = *to != NULL;
    }
    if (!room) {
        f2l_residual_head_clear(r);
        return f2l_fail_memory(err);
    }
    ulong above = UINT64_C(1) << 60;
    do {
        f2l_residues_init(&r->map, &head->field, above, 1);
        above = r->map.q.n;
    } while (!reduce_letters(r, head));
    return F2L_OK;
}

/* Sets `to` to m times `from`. */
static void apply_modular_matrix(ulong *to, const ulong *m, const ulong *from, size_t d, nmod_t q)
{
    for (size_t i = 0; i < d; i++) {
        ulong sum = 0;
        for (size_t j = 0; j < d; j++)
            if (m[i * d + j] != 0) NMOD_ADDMUL(sum, m[i * d + j], from[j], q);
        to[i] = sum;
    }
}

void f2l_drop_moving(uint8_t *fixes, ulong *image, const ulong *start, const f2l_residual_head *r,
                     const f2l_word_tree *t)
{
    const size_t d = r->dimension;
    memcpy(image, start, d * sizeof *start); /* element 0 is the identity */
    for (size_t i = 1; i < t->group->order; i++) {
        const uint32_t x = t->queue[i];
        ulong *to = image + x * d;
        apply_modular_matrix(to, r->letter[t->letter[x]], image + t->parent[x] * d, d, r->map.q);
        if (fixes[x] && memcmp(to, start, d * sizeof *start) != 0) fixes[x] = 0;
    }
}
