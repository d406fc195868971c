/* The space of the codes: the quotient of the sum-zero vectors by the kernel of the form. */
#include "numeric/base/mem.h"
#include "theory/construct/contraction/impl.h"

/* The quotient by the kernel of a form: basis vectors outside `free` are combinations of these. */
typedef struct quotient {
    size_t m, dim;
    size_t *free;       /* [dim] increasing */
    fmpq_mat_t project; /* [dim][m]: column i has the coordinates of basis vector i */
} quotient;

/* The rows of the reduced form give the kernel's equations: where column f is a pivot, the row says
 * how the other columns depend on it. The pivots of the form itself are a basis of the quotient. */
static f2l_status find_quotient(quotient *q, const fmpq_mat_t form, f2l_watch *watch,
                                f2l_error *err)
{
    const slong m = fmpq_mat_nrows(form);
    fmpq_mat_t reduced;
    q->m = (size_t)m;
    q->free = f2l_calloc(q->m + 1, sizeof *q->free);
    if (!q->free) return f2l_fail_memory(err);
    fmpq_mat_init_set(reduced, form);
    q->dim = (size_t)f2l_reduce_rows(reduced, watch);
    fmpq_mat_init(q->project, (slong)q->dim, m);
    for (slong r = 0, c = 0; r < (slong)q->dim; r++, c++) {
        while (fmpq_is_zero(fmpq_mat_entry(reduced, r, c))) c++;
        q->free[r] = (size_t)c;
    }
    /* G x = 0 iff reduced x = 0, so x_c = sum over pivots r of reduced[r][c] x_free[r]. */
    for (slong r = 0; r < (slong)q->dim; r++)
        for (slong c = 0; c < m; c++)
            fmpq_set(fmpq_mat_entry(q->project, r, c), fmpq_mat_entry(reduced, r, c));
    fmpq_mat_clear(reduced);
    return F2L_OK;
}

/* Sets the column of the step for basis vector e_p - e_last: the difference of two codes. */
static void set_column(f2l_code_space *s, const f2l_maps *maps, size_t letter, slong column,
                       size_t p)
{
    const size_t to = maps->next[p * maps->letters + letter];
    const size_t last = maps->next[(maps->states - 1) * maps->letters + letter];
    for (slong i = 0; i < (slong)s->dim; i++)
        fmpq_sub(fmpq_mat_entry(s->step[letter], i, column), fmpq_mat_entry(s->code, (slong)to, i),
                 fmpq_mat_entry(s->code, (slong)last, i));
}

/* Sets z [dim] to a fixed point of a total letter: the centroid of the codes of a cycle. */
static void set_centroid(fmpq *z, const f2l_code_space *space, const f2l_maps *maps, size_t letter)
{
    size_t q = 0, length = 0;
    fmpq_t count;
    for (size_t i = 0; i < maps->states; i++) q = maps->next[q * maps->letters + letter];
    for (size_t i = 0; i < space->dim; i++) fmpq_zero(z + i);
    const size_t first = q;
    do {
        for (size_t i = 0; i < space->dim; i++)
            fmpq_add(z + i, z + i, fmpq_mat_entry(space->code, (slong)q, (slong)i));
        q = maps->next[q * maps->letters + letter];
        length++;
    } while (q != first);
    fmpq_init(count);
    fmpq_set_si(count, (slong)length, 1);
    for (size_t i = 0; i < space->dim; i++) fmpq_div(z + i, z + i, count);
    fmpq_clear(count);
}

static f2l_status fill_code_space(f2l_code_space *s, const quotient *q, const f2l_maps *maps,
                                  const fmpq_mat_t form, f2l_watch *watch, f2l_error *err)
{
    const slong dim = (slong)q->dim;
    s->step = f2l_calloc(maps->letters, sizeof *s->step);
    if (!s->step) return f2l_fail_memory(err);
    s->dim = q->dim;
    s->states = maps->states;
    s->letters = maps->letters;
    fmpq_mat_init(s->form, dim, dim);
    fmpq_mat_init(s->code, (slong)maps->states, dim);
    fmpq_mat_init(s->centre, (slong)maps->letters, dim);
    fmpq_mat_init(s->shift, (slong)maps->letters, dim);
    for (size_t a = 0; a < maps->letters; a++) fmpq_mat_init(s->step[a], dim, dim);
    for (slong i = 0; i < dim; i++)
        for (slong j = 0; j < dim; j++)
            fmpq_set(fmpq_mat_entry(s->form, i, j),
                     fmpq_mat_entry(form, (slong)q->free[i], (slong)q->free[j]));
    for (slong p = 0; p < (slong)q->m; p++)
        for (slong i = 0; i < dim; i++)
            fmpq_set(fmpq_mat_entry(s->code, p, i), fmpq_mat_entry(q->project, i, p));
    for (size_t a = 0; a < maps->letters; a++) {
        if (maps->domain) {
            f2l_code_space_extend(s, maps, a, watch);
            continue;
        }
        for (slong c = 0; c < dim; c++) set_column(s, maps, a, c, q->free[c]);
        set_centroid(fmpq_mat_entry(s->centre, (slong)a, 0), s, maps, a);
    }
    return watch->status;
}

f2l_status f2l_code_space_init(f2l_code_space *out, const f2l_maps *maps, const fmpq_mat_t form,
                               f2l_watch *watch, f2l_error *err)
{
    quotient q = {0};
    *out = (f2l_code_space){0};
    f2l_status status = find_quotient(&q, form, watch, err);
    if (status != F2L_OK) return status;
    status = fill_code_space(out, &q, maps, form, watch, err);
    fmpq_mat_clear(q.project);
    f2l_free(q.free);
    return status;
}

void f2l_code_space_clear(f2l_code_space *space)
{
    if (space->step) {
        fmpq_mat_clear(space->form);
        fmpq_mat_clear(space->code);
        fmpq_mat_clear(space->centre);
        fmpq_mat_clear(space->shift);
        for (size_t a = 0; a < space->letters; a++) fmpq_mat_clear(space->step[a]);
    }
    f2l_free(space->step);
    for (size_t i = 0; i < space->extra; i++) fmpz_clear(space->weight + i);
    f2l_free(space->weight);
    *space = (f2l_code_space){0};
}
