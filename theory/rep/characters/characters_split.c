/* The irreducible characters of degree 2 and more: common eigenvectors of the class sums (R1.2,
 * R1.3). */
#include "numeric/base/mem.h"
#include "numeric/base/names.h"
#include "theory/rep/characters/abelianisation.h"
#include "theory/rep/characters/impl.h"
#include <stdbool.h>

#define SEED 1967u /* seed of the vectors that start Krylov sequences */

/* A space that the class sums leave invariant and that normalised characters span. The basis is
 * reduced: column pivot[i] has 1 in row i and 0 elsewhere. */
typedef struct space {
    nmod_mat_t basis; /* [dimension][classes] */
    uint32_t *pivot;  /* [dimension] */
} space;

typedef struct splitter {
    f2l_characters *t;
    const f2l_group *group;
    const f2l_classes *classes;
    const f2l_task *task;
    uint32_t *member;  /* [order] elements, class by class */
    size_t *member_at; /* [classes + 1] */
    uint64_t *count;   /* [classes] */
    uint32_t *met;     /* [classes] */
    space *stack;      /* spaces still to be split */
    size_t depth, room;
    size_t row; /* next row of t->value */
    f2l_rng rng;
} splitter;

static size_t dimension(const space *v)
{
    return (size_t)nmod_mat_nrows(v->basis);
}

static uint64_t entry_modulo(const nmod_mat_t m, size_t i, size_t j)
{
    return nmod_mat_entry(m, i, j);
}

static void space_clear(space *v)
{
    nmod_mat_clear(v->basis);
    f2l_free(v->pivot);
}

static f2l_status splitter_init(splitter *s, f2l_error *err)
{
    const f2l_classes *k = s->classes;
    s->member = f2l_calloc(s->group->order, sizeof *s->member);
    s->member_at = f2l_calloc(k->classes + 1, sizeof *s->member_at);
    s->count = f2l_calloc(k->classes, sizeof *s->count);
    s->met = f2l_calloc(k->classes, sizeof *s->met);
    if (!s->member || !s->member_at || !s->count || !s->met) return f2l_fail_memory(err);
    for (size_t c = 0; c < k->classes; c++) s->member_at[c + 1] = s->member_at[c] + k->size[c];
    for (uint32_t x = 0; x < s->group->order; x++) s->member[s->member_at[k->class_of[x]]++] = x;
    for (size_t c = k->classes; c > 0; c--) s->member_at[c] = s->member_at[c - 1];
    s->member_at[0] = 0;
    f2l_rng_init(&s->rng, SEED, 0);
    return F2L_OK;
}

static void splitter_clear(splitter *s)
{
    while (s->depth > 0) space_clear(&s->stack[--s->depth]);
    f2l_free(s->stack);
    f2l_free(s->member);
    f2l_free(s->member_at);
    f2l_free(s->count);
    f2l_free(s->met);
}

/* Pushes a space and takes ownership of the matrix and the pivots. */
static f2l_status push_space(splitter *s, nmod_mat_t basis, uint32_t *pivot, f2l_error *err)
{
    if (!pivot || !f2l_grow((void **)&s->stack, &s->room, s->depth, sizeof *s->stack)) {
        f2l_free(pivot);
        nmod_mat_clear(basis);
        return f2l_fail_memory(err);
    }
    space *v = &s->stack[s->depth++];
    v->basis[0] = basis[0];
    v->pivot = pivot;
    return F2L_OK;
}

/* Pushes the first space. R1.4: characters that are not linear sum to 0 over every coset of the
 * derived subgroup. The pivots are all classes but the largest in each coset, for which products
 * are thus never needed. */
static f2l_status push_first(splitter *s, const f2l_abelianisation *a, f2l_error *err)
{
    const f2l_classes *k = s->classes;
    const uint64_t p = s->t->prime;
    uint32_t *largest = f2l_calloc(a->cosets, sizeof *largest), row = 0;
    uint32_t *pivot = f2l_calloc(k->classes, sizeof *pivot);
    if (!largest || !pivot) {
        f2l_free(largest);
        f2l_free(pivot);
        return f2l_fail_memory(err);
    }
    for (uint32_t c = 0; c < k->classes; c++) {
        uint32_t *best = &largest[a->coset[k->representative[c]]];
        if (*best == 0 || k->size[c] > k->size[*best - 1]) *best = c + 1;
    }
    nmod_mat_t basis;
    nmod_mat_init(basis, (slong)(k->classes - a->cosets), (slong)k->classes, p);
    for (uint32_t c = 0; c < k->classes; c++) {
        const uint32_t dependent = largest[a->coset[k->representative[c]]] - 1;
        if (dependent == c) continue;
        nmod_mat_entry(basis, row, c) = 1;
        nmod_mat_entry(basis, row, dependent) =
            p - f2l_mod_multiply(k->size[c] % p, f2l_mod_inverse(k->size[dependent] % p, p), p);
        pivot[row++] = c;
    }
    f2l_free(largest);
    return push_space(s, basis, pivot, err);
}

/* Pushes the space that rows from, from + 1, .. of the matrix span. */
static f2l_status push_rows(splitter *s, const nmod_mat_t rows, size_t from, size_t count,
                            f2l_error *err)
{
    nmod_mat_t basis;
    uint32_t *pivot = f2l_calloc(count, sizeof *pivot);
    nmod_mat_init(basis, (slong)count, nmod_mat_ncols(rows), s->t->prime);
    for (size_t i = 0; i < count; i++)
        for (slong c = 0; c < nmod_mat_ncols(rows); c++)
            nmod_mat_entry(basis, i, c) = nmod_mat_entry(rows, from + i, c);
    nmod_mat_rref(basis);
    for (size_t i = 0; pivot && i < count; i++)
        while (entry_modulo(basis, i, pivot[i]) == 0) pivot[i]++;
    return push_space(s, basis, pivot, err);
}

/* Sets count[l] to the number of x in class j with x y in class l, y the representative of class k;
 * times a factor, which is returned, when it is cheaper to let y run (R1.2). Classes l with a count
 * are in met[]. */
static uint64_t count_products(splitter *s, size_t *met, size_t j, size_t k)
{
    const f2l_classes *c = s->classes;
    const bool swap = c->size[k] < c->size[j];
    const size_t moving = swap ? k : j;
    const uint32_t fixed = c->representative[swap ? j : k];
    *met = 0;
    for (size_t i = s->member_at[moving]; i < s->member_at[moving + 1]; i++) {
        const uint32_t m = s->member[i];
        const uint32_t l = c->class_of[swap ? f2l_group_multiply(s->group, fixed, m)
                                            : f2l_group_multiply(s->group, m, fixed)];
        if (s->count[l]++ == 0) s->met[(*met)++] = l;
    }
    const uint64_t p = s->t->prime;
    return swap ? f2l_mod_multiply(c->size[j] % p, f2l_mod_inverse(c->size[k] % p, p), p) : 1;
}

/* Computes the class sum j on the space, acting on coordinate vectors from the right; stored
 * transposed. */
static f2l_status restrict_class(splitter *s, nmod_mat_t transposed, const space *v, size_t j,
                                 f2l_error *err)
{
    const uint64_t p = s->t->prime;
    const size_t d = dimension(v);
    for (size_t i = 0; i < d; i++) {
        f2l_status status =
            f2l_task_poll(s->task, "characters", (double)s->row, (double)s->t->characters, err);
        if (status != F2L_OK) return status;
        size_t met;
        const uint64_t factor = count_products(s, &met, j, v->pivot[i]);
        for (size_t b = 0; b < d; b++) {
            uint64_t sum = 0;
            for (size_t m = 0; m < met; m++)
                sum = (sum + s->count[s->met[m]] % p * entry_modulo(v->basis, b, s->met[m])) % p;
            nmod_mat_entry(transposed, i, b) = f2l_mod_multiply(sum, factor, p);
        }
        for (size_t m = 0; m < met; m++) s->count[s->met[m]] = 0;
    }
    return F2L_OK;
}

/* Returns whether some normalised characters of the space differ on class j (R1.3). */
static bool separates(const space *v, size_t j, uint64_t p)
{
    const size_t d = dimension(v);
    size_t r = 0;
    while (entry_modulo(v->basis, r, 0) == 0) r++;
    for (size_t i = 0; i < d; i++)
        if (f2l_mod_multiply(entry_modulo(v->basis, i, j), entry_modulo(v->basis, r, 0), p) !=
            f2l_mod_multiply(entry_modulo(v->basis, r, j), entry_modulo(v->basis, i, 0), p))
            return true;
    return false;
}

static size_t smallest_separating(const splitter *s, const space *v)
{
    size_t best = F2L_NO_INDEX;
    for (size_t j = 1; j < s->classes->classes; j++)
        if ((best == F2L_NO_INDEX || s->classes->size[j] < s->classes->size[best]) &&
            separates(v, j, s->t->prime))
            best = j;
    return best;
}

static void emit(splitter *s, const nmod_mat_t rows, size_t i)
{
    const uint64_t p = s->t->prime, scale = f2l_mod_inverse(entry_modulo(rows, i, 0), p);
    uint64_t *out = s->t->value + s->row++ * s->t->classes;
    for (size_t c = 0; c < s->t->classes; c++)
        out[c] = f2l_mod_multiply(entry_modulo(rows, i, c), scale, p);
}

/* Splits a space into the eigenspaces of the class sum j. */
static f2l_status split_space(splitter *s, const space *v, size_t j, f2l_error *err)
{
    const slong d = nmod_mat_nrows(v->basis);
    f2l_eigenspaces e;
    nmod_mat_t transposed, rows;
    nmod_mat_init(transposed, d, d, s->t->prime);
    f2l_status status = restrict_class(s, transposed, v, j, err);
    if (status == F2L_OK) status = f2l_eigenspaces_build(&e, transposed, &s->rng, err);
    nmod_mat_clear(transposed);
    if (status != F2L_OK) return status;
    nmod_mat_init(rows, d, nmod_mat_ncols(v->basis), s->t->prime);
    nmod_mat_mul(rows, e.rows, v->basis);
    size_t at = 0;
    for (size_t i = 0; status == F2L_OK && i < e.count; at += e.size[i++]) {
        if (e.size[i] == 1)
            emit(s, rows, at);
        else
            status = push_rows(s, rows, at, e.size[i], err);
    }
    nmod_mat_clear(rows);
    f2l_eigenspaces_clear(&e);
    return status;
}

static f2l_status split_all_spaces(splitter *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && s->depth > 0) {
        space v = s->stack[--s->depth];
        const size_t j = dimension(&v) == 1 ? F2L_NO_INDEX : smallest_separating(s, &v);
        if (j != F2L_NO_INDEX)
            status = split_space(s, &v, j, err);
        else
            emit(s, v.basis, 0);
        space_clear(&v);
    }
    return status;
}

f2l_status f2l_characters_split(f2l_characters *t, size_t first, const f2l_group *group,
                                const f2l_classes *classes, const f2l_abelianisation *a,
                                const f2l_task *task, f2l_error *err)
{
    if (first == t->characters) return F2L_OK;
    splitter s = {.t = t, .group = group, .classes = classes, .task = task, .row = first};
    f2l_status status = splitter_init(&s, err);
    if (status == F2L_OK) status = push_first(&s, a, err);
    if (status == F2L_OK) status = split_all_spaces(&s, err);
    splitter_clear(&s);
    return status;
}
