/* H^2(G, Z_q) from the relators: values on which all loops agree, modulo the changes that other
 * lifts of the generators make. */
#include "numeric/base/mem.h"
#include "theory/rep/cover/impl.h"
#include <flint/ulong_extras.h>
#include <string.h>

#define MOST_VISITS ((size_t)1 << 18)
#define POLL 1024

/* A submodule of Z_q^n, q a prime power, in Howell's form: row[j], if present, has zeros before
 * column j, and every member with its first non-zero entry in column j is a multiple of row[j] plus
 * later rows. */
typedef struct module {
    size_t q, n;
    uint16_t *row;     /* [n][n] */
    uint8_t *has;      /* [n] */
    uint16_t *pending; /* [pending_count][n] vectors still to be taken in */
    size_t pending_count, pending_room;
} module;

static f2l_status module_init(module *m, size_t q, size_t n, f2l_error *err)
{
    *m = (module){.q = q, .n = n};
    m->row = f2l_calloc(n, n * sizeof *m->row);
    m->has = f2l_calloc(n, 1);
    return m->row && m->has ? F2L_OK : f2l_fail_memory(err);
}

static void module_clear(module *m)
{
    f2l_free(m->row);
    f2l_free(m->has);
    f2l_free(m->pending);
}

/* Returns some f with c f = v modulo q, if there is one; q is small. */
static size_t quotient(size_t v, size_t c, size_t q)
{
    size_t f = 0;
    while (c * f % q != v) f++;
    return f;
}

static bool push(module *m, const uint16_t *v)
{
    if (!f2l_grow((void **)&m->pending, &m->pending_room, m->pending_count, m->n * sizeof *v))
        return false;
    memcpy(m->pending + m->pending_count++ * m->n, v, m->n * sizeof *v);
    return true;
}

/* Subtracts f row from v. */
static void subtract(const module *m, uint16_t *v, const uint16_t *row, size_t f)
{
    for (size_t i = 0; i < m->n; i++) v[i] = (uint16_t)((v[i] + (m->q - f) * row[i]) % m->q);
}

/* Adds the vector, which is overwritten. If it is better than a row, that row is added again later,
 * as is every multiple of a new row whose first entry vanishes. */
static bool take_in(module *m, uint16_t *v)
{
    for (size_t j = 0; j < m->n; j++) {
        if (v[j] == 0) continue;
        uint16_t *row = m->row + j * m->n;
        const size_t divisor = n_gcd(v[j], m->q);
        if (!m->has[j] || n_gcd(row[j], m->q) > divisor) {
            if (m->has[j] && !push(m, row)) return false;
            memcpy(row, v, m->n * sizeof *v);
            m->has[j] = 1;
            for (size_t i = 0; i < m->n; i++) v[i] = (uint16_t)(v[i] * (m->q / divisor) % m->q);
        } else {
            subtract(m, v, row, quotient(v[j], row[j], m->q));
        }
    }
    return true;
}

static f2l_status insert(module *m, const uint16_t *v, uint16_t *scratch, f2l_error *err)
{
    bool good = push(m, v);
    while (good && m->pending_count > 0) {
        memcpy(scratch, m->pending + --m->pending_count * m->n, m->n * sizeof *v);
        good = take_in(m, scratch);
    }
    return good ? F2L_OK : f2l_fail_memory(err);
}

/* Reduces v to its representative modulo the module: entries in pivot columns are below the pivots'
 * divisors. */
static void reduce(const module *m, uint16_t *v)
{
    for (size_t j = 0; j < m->n; j++) {
        if (!m->has[j]) continue;
        const uint16_t *row = m->row + j * m->n;
        const size_t divisor = n_gcd(row[j], m->q);
        subtract(m, v, row, quotient(v[j] - v[j] % divisor, row[j], m->q));
    }
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
static void loop_vector(uint16_t *v, const f2l_presentation *p, size_t r, uint32_t g, size_t q)
{
    const size_t d = p->generators;
    memset(v, 0, p->relators * sizeof *v);
    v[r] = (uint16_t)(q - 1);
    uint32_t at = g;
    for (size_t i = p->word_at[r]; i < p->word_at[r + 1]; i++) {
        const size_t x = p->word[i] / 2;
        const bool inverse = p->word[i] % 2;
        if (inverse) at = p->back[at * d + x];
        const uint16_t *label = p->label + (at * d + x) * p->room;
        for (size_t k = 0; k < p->relators; k++)
            v[k] = (uint16_t)((v[k] + (inverse ? q - label[k] % q : label[k])) % q);
        if (!inverse) at = p->next[at * d + x];
    }
}

/* Adds the constraints of R2.3: a relator has the same value wherever it starts. */
static f2l_status fill_constraints(module *m, const f2l_presentation *p, uint16_t *v,
                                   uint16_t *scratch, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (uint32_t g = 0; status == F2L_OK && g < p->group->order; g++) {
        for (size_t r = 0; status == F2L_OK && r < p->relators; r++) {
            loop_vector(v, p, r, g, m->q);
            bool zero = true;
            for (size_t i = 0; i < m->n && zero; i++) zero = v[i] == 0;
            if (!zero) status = insert(m, v, scratch, err);
        }
        if (status == F2L_OK && g % POLL == POLL - 1)
            status = f2l_task_poll(task, "loops", (double)g, (double)p->group->order, err);
    }
    return status;
}

/* Adds the boundaries of R2.3: another lift of a generator changes a relator's value by its
 * exponent sum there. */
static f2l_status fill_boundaries(module *m, const f2l_presentation *p, uint16_t *v,
                                  uint16_t *scratch, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t x = 0; status == F2L_OK && x < p->generators; x++) {
        memset(v, 0, m->n * sizeof *v);
        for (size_t r = 0; r < p->relators; r++)
            for (size_t i = p->word_at[r]; i < p->word_at[r + 1]; i++)
                if (p->word[i] / 2 == x)
                    v[r] = (uint16_t)((v[r] + (p->word[i] % 2 ? m->q - 1 : 1)) % m->q);
        status = insert(m, v, scratch, err);
    }
    return status;
}

typedef struct enumeration {
    f2l_cohomology *out;
    const module *constraints, *boundaries;
    uint16_t *a, *other; /* [n] */
    size_t limit, visits;
    f2l_error *err;
} enumeration;

/* Keeps a when it represents its class, and none of its multiples by units comes first. */
static f2l_status keep(enumeration *e)
{
    const size_t n = e->constraints->n, q = e->constraints->q;
    for (size_t u = 1; u < q; u++) {
        if (n_gcd(u, q) > 1) continue;
        for (size_t i = 0; i < n; i++) e->other[i] = (uint16_t)(u * e->a[i] % q);
        reduce(e->boundaries, e->other);
        size_t i = 0;
        while (i < n && e->other[i] == e->a[i]) i++;
        if (i < n && (u == 1 || e->other[i] < e->a[i])) return F2L_OK;
    }
    if (e->out->count == e->limit) {
        e->out->complete = false;
        return F2L_OK;
    }
    if (!f2l_grow((void **)&e->out->values, &e->out->room, e->out->count,
                  (n > 0 ? n : 1) * sizeof *e->a))
        return f2l_fail_memory(e->err);
    if (n > 0) memcpy(e->out->values + e->out->count * n, e->a, n * sizeof *e->a);
    e->out->count++;
    return F2L_OK;
}

/* Chooses a[j-1], then the entries before it; in Howell's form every choice can be completed. */
static f2l_status enumerate(enumeration *e, size_t j)
{
    const module *m = e->constraints;
    if (j == 0) {
        if (++e->visits > MOST_VISITS) e->out->complete = false;
        return e->out->complete ? keep(e) : F2L_OK;
    }
    const uint16_t *row = m->row + (j - 1) * m->n;
    f2l_status status = F2L_OK;
    for (size_t value = 0; status == F2L_OK && value < m->q && e->out->complete; value++) {
        size_t sum = row[j - 1] * value;
        for (size_t l = j; l < m->n; l++) sum += (size_t)row[l] * e->a[l];
        if (m->has[j - 1] && sum % m->q != 0) continue;
        e->a[j - 1] = (uint16_t)value;
        status = enumerate(e, j - 1);
    }
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
    *out = (f2l_cohomology){.modulus = q, .complete = true};
    module constraints, boundaries = {0};
    uint16_t *v = f2l_calloc(p->relators, sizeof *v),
             *scratch = f2l_calloc(p->relators, sizeof *scratch);
    f2l_status status = module_init(&constraints, q, p->relators, err);
    if (status == F2L_OK) status = module_init(&boundaries, q, p->relators, err);
    if (status == F2L_OK && (!v || !scratch)) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = fill_constraints(&constraints, p, v, scratch, task, err);
    if (status == F2L_OK) status = fill_boundaries(&boundaries, p, v, scratch, err);
    if (status == F2L_OK) {
        enumeration e = {.out = out,
                         .constraints = &constraints,
                         .boundaries = &boundaries,
                         .a = v,
                         .other = scratch,
                         .limit = limit,
                         .err = err};
        memset(v, 0, p->relators * sizeof *v);
        status = enumerate(&e, p->relators);
    }
    module_clear(&constraints);
    module_clear(&boundaries);
    f2l_free(v);
    f2l_free(scratch);
    if (status != F2L_OK) f2l_cohomology_clear(out);
    return status;
}
