/* H^2(G, Z_q) from the relators: values on which all loops agree, modulo the changes that other
 * lifts of the generators make. */
#include "numeric/base/mem.h"
#include "numeric/exact/flint_headers.h"
#include "theory/rep/cover/impl.h"
#include <flint/nmod_mat.h>
#include <flint/ulong_extras.h>
#include <string.h>

#define MOST_VISITS ((size_t)1 << 18)
#define POLL 1024

/* A submodule of Z_q^n, q a prime power, as 2 n rows: the first n in Howell's form, and `pending`
 * vectors that are still to be taken in. Row j < n is zero or has zeros before column j and a
 * divisor of q in it, and every member with its first non-zero entry in column j is a multiple of
 * row j plus later rows. */
typedef struct module {
    slong n, pending;
    nmod_mat_t rows;
} module;

static void module_init(module *m, size_t n, ulong q)
{
    m->n = (slong)n;
    m->pending = 0;
    nmod_mat_init(m->rows, 2 * m->n, m->n, q);
}

static void settle_pending_rows(module *m)
{
    if (m->pending > 0) nmod_mat_strong_echelon_form(m->rows);
    m->pending = 0;
}

/* Reduces v modulo the rows in Howell's form: to the representative of its class where no vectors
 * are pending, with entries below the pivots in columns with pivots. */
static void reduce_modulo_rows(const module *m, ulong *v)
{
    for (slong j = 0; j < m->n; j++) {
        const ulong *row = nmod_mat_entry_ptr(m->rows, j, j), pivot = row[0];
        if (pivot == 0 || v[j] < pivot) continue;
        const ulong factor = nmod_neg(v[j] / pivot, m->rows->mod);
        _nmod_vec_scalar_addmul_nmod(v + j, row, m->n - j, factor, m->rows->mod);
    }
}

/* Adds the vector, which is overwritten. */
static void insert(module *m, ulong *v)
{
    reduce_modulo_rows(m, v);
    if (_nmod_vec_is_zero(v, m->n)) return;
    _nmod_vec_set(nmod_mat_entry_ptr(m->rows, m->n + m->pending, 0), v, m->n);
    if (++m->pending == m->n) settle_pending_rows(m);
}

size_t f2l_edge_value(const f2l_presentation *p, size_t edge, const uint16_t *values, size_t q)
{
    const uint16_t *label = p->label + edge * p->room;
    size_t sum = 0;
    for (size_t i = 0; i < p->relators; i++) sum += (size_t)label[i] * values[i];
    return sum % q;
}

/* Sets v to the coefficients, in the values of the relators, of the value of relator r at g, minus
 * relator r's own value. */
static void loop_vector(ulong *v, const f2l_presentation *p, size_t r, uint32_t g, nmod_t q)
{
    const size_t d = p->generators;
    _nmod_vec_zero(v, (slong)p->relators);
    v[r] = q.n - 1;
    uint32_t at = g;
    for (size_t i = p->word_at[r]; i < p->word_at[r + 1]; i++) {
        const size_t x = p->word[i] / 2;
        const bool inverse = p->word[i] % 2;
        if (inverse) at = p->back[at * d + x];
        const uint16_t *label = p->label + (at * d + x) * p->room;
        for (size_t k = 0; k < p->relators; k++)
            v[k] = (inverse ? nmod_sub : nmod_add)(v[k], label[k] % q.n, q);
        if (!inverse) at = p->next[at * d + x];
    }
}

/* Adds the constraints of R2.3: a relator has the same value wherever it starts. */
static f2l_status fill_constraints(module *m, const f2l_presentation *p, ulong *v,
                                   const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (uint32_t g = 0; status == F2L_OK && g < p->group->order; g++) {
        for (size_t r = 0; r < p->relators; r++) {
            loop_vector(v, p, r, g, m->rows->mod);
            insert(m, v);
        }
        if (g % POLL == POLL - 1)
            status = f2l_task_poll(task, "loops", (double)g, (double)p->group->order, err);
    }
    settle_pending_rows(m);
    return status;
}

/* Adds the boundaries of R2.3: another lift of a generator changes a relator's value by its
 * exponent sum there. */
static void fill_boundaries(module *m, const f2l_presentation *p, ulong *v)
{
    for (size_t x = 0; x < p->generators; x++) {
        _nmod_vec_zero(v, m->n);
        for (size_t r = 0; r < p->relators; r++)
            for (size_t i = p->word_at[r]; i < p->word_at[r + 1]; i++)
                if (p->word[i] / 2 == x)
                    v[r] = (p->word[i] % 2 ? nmod_sub : nmod_add)(v[r], 1, m->rows->mod);
        insert(m, v);
    }
    settle_pending_rows(m);
}

typedef struct enumeration {
    f2l_cohomology *out;
    module constraints, boundaries;
    ulong *a, *other; /* [n] */
    size_t limit, visits;
    f2l_error *err;
} enumeration;

/* Keeps a when it represents its class, and none of its multiples by units comes first. */
static f2l_status keep_class_representative(enumeration *e)
{
    const slong n = e->constraints.n;
    const nmod_t q = e->constraints.rows->mod;
    for (ulong u = 1; u < q.n; u++) {
        if (n_gcd(u, q.n) > 1) continue;
        _nmod_vec_scalar_mul_nmod(e->other, e->a, n, u, q);
        reduce_modulo_rows(&e->boundaries, e->other);
        slong i = 0;
        while (i < n && e->other[i] == e->a[i]) i++;
        if (i < n && (u == 1 || e->other[i] < e->a[i])) return F2L_OK;
    }
    if (e->out->count == e->limit) {
        e->out->complete = false;
        return F2L_OK;
    }
    if (!f2l_grow((void **)&e->out->values, &e->out->room, e->out->count,
                  (size_t)(n > 0 ? n : 1) * sizeof *e->out->values))
        return f2l_fail_memory(e->err);
    uint16_t *values = e->out->values + e->out->count++ * (size_t)n;
    for (slong i = 0; i < n; i++) values[i] = (uint16_t)e->a[i];
    return F2L_OK;
}

/* Chooses a[j-1], then the entries before it; in Howell's form every choice can be completed. */
static f2l_status enumerate_classes(enumeration *e, slong j)
{
    const slong n = e->constraints.n;
    const nmod_t q = e->constraints.rows->mod;
    if (j == 0) {
        if (++e->visits > MOST_VISITS) e->out->complete = false;
        return e->out->complete ? keep_class_representative(e) : F2L_OK;
    }
    const ulong *row = nmod_mat_entry_ptr(e->constraints.rows, j - 1, 0);
    const int limbs = _nmod_vec_dot_bound_limbs(n, q);
    f2l_status status = F2L_OK;
    for (e->a[j - 1] = 0; status == F2L_OK && e->a[j - 1] < q.n && e->out->complete; e->a[j - 1]++)
        if (_nmod_vec_dot(row + j - 1, e->a + j - 1, n - j + 1, q, limbs) == 0)
            status = enumerate_classes(e, j - 1);
    return status;
}

void f2l_cohomology_clear(f2l_cohomology *c)
{
    f2l_free(c->values);
    memset(c, 0, sizeof *c);
}

f2l_status f2l_cohomology_build(f2l_cohomology *out, const f2l_presentation *p, size_t q,
                                size_t limit, const f2l_task *task, f2l_error *err)
{
    enumeration e = {.out = out, .limit = limit, .err = err};
    *out = (f2l_cohomology){.modulus = q, .complete = true};
    e.a = f2l_calloc(p->relators, sizeof *e.a);
    e.other = f2l_calloc(p->relators, sizeof *e.other);
    module_init(&e.constraints, p->relators, q);
    module_init(&e.boundaries, p->relators, q);
    f2l_status status = e.a && e.other ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = fill_constraints(&e.constraints, p, e.a, task, err);
    if (status == F2L_OK) {
        fill_boundaries(&e.boundaries, p, e.a);
        status = enumerate_classes(&e, (slong)p->relators);
    }
    nmod_mat_clear(e.constraints.rows);
    nmod_mat_clear(e.boundaries.rows);
    f2l_free(e.a);
    f2l_free(e.other);
    if (status != F2L_OK) f2l_cohomology_clear(out);
    return status;
}
