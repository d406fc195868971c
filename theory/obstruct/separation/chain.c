/* Chains of facts, and their exact check (SP.3), which shares nothing with the search. */
#include "numeric/base/mem.h"
#include "theory/obstruct/separation/separation.h"

void f2l_chain_cut(f2l_chain *chain, size_t count)
{
    while (chain->terms > count) {
        f2l_chain_term *t = &chain->term[--chain->terms];
        fmpq_clear(t->scale);
        _fmpq_vec_clear(t->z, (slong)chain->states);
        if (t->y) _fmpq_vec_clear(t->y, (slong)chain->states);
    }
}

void f2l_chain_clear(f2l_chain *chain)
{
    f2l_chain_cut(chain, 0);
    f2l_free(chain->term);
    *chain = (f2l_chain){0};
}

f2l_status f2l_chain_add(f2l_chain_term **term, f2l_chain *chain, f2l_chain_kind kind,
                         size_t letter, f2l_error *err)
{
    if (!f2l_grow((void **)&chain->term, &chain->capacity, chain->terms, sizeof *chain->term))
        return f2l_fail_memory(err);
    f2l_chain_term *t = *term = &chain->term[chain->terms++];
    const bool known = kind == F2L_CHAIN_KNOWN || kind == F2L_CHAIN_SLACK;
    *t = (f2l_chain_term){.kind = kind, .step = chain->steps, .letter = letter};
    fmpq_init(t->scale);
    t->z = _fmpq_vec_init((slong)chain->states);
    t->y = known ? _fmpq_vec_init((slong)chain->states) : NULL;
    return F2L_OK;
}

/* What is known: known[0] has the vectors z with G z = 0, known[1 + w] those with S_w(G) z = 0, as
 * rows in reduced echelon form. */
typedef struct facts {
    const f2l_maps *maps;
    fmpq_mat_t *known;
    fmpq *image, *other; /* [states] scratch */
    fmpq_mat_t sum;      /* of the terms of a step */
    f2l_watch *watch;
} facts;

static void set_zero(fmpq *z, size_t n)
{
    for (size_t q = 0; q < n; q++) fmpq_zero(&z[q]);
}

/* Sets image to F_w z. */
static void push_through_letter(fmpq *image, const fmpq *z, const f2l_maps *maps, size_t letter)
{
    set_zero(image, maps->states);
    for (size_t q = 0; q < maps->states; q++) {
        fmpq *to = &image[maps->next[q * maps->letters + letter]];
        fmpq_add(to, to, &z[q]);
    }
}

/* Sets out, which has a row more than m, to the rows of m and the row z, in reduced echelon form;
 * returns whether its rank is that number of rows. */
static bool extended(fmpq_mat_t out, const fmpq_mat_t m, const fmpq *z, const facts *f)
{
    const slong rows = fmpq_mat_nrows(m);
    const size_t columns = f->maps->states;
    for (slong j = 0; j < (slong)columns; j++) {
        for (slong i = 0; i < rows; i++)
            fmpq_set(fmpq_mat_entry(out, i, j), fmpq_mat_entry(m, i, j));
        fmpq_set(fmpq_mat_entry(out, rows, j), &z[j]);
    }
    return f2l_reduce_rows(out, f->watch) > rows;
}

static bool contains(const facts *f, size_t block, const fmpq *z)
{
    fmpq_mat_t larger;
    fmpq_mat_init(larger, fmpq_mat_nrows(f->known[block]) + 1, (slong)f->maps->states);
    const bool more = extended(larger, f->known[block], z, f);
    fmpq_mat_clear(larger);
    return !more && f2l_watch_goes_on(f->watch, 1);
}

static bool learn_null_vector(facts *f, size_t block, const fmpq *z)
{
    fmpq_mat_t larger;
    fmpq_mat_init(larger, fmpq_mat_nrows(f->known[block]) + 1, (slong)f->maps->states);
    const bool more = extended(larger, f->known[block], z, f);
    if (more) fmpq_mat_swap(f->known[block], larger);
    fmpq_mat_clear(larger);
    return more;
}

/* Draws the conclusions of SP.2: G z = 0 gives G F_w z = 0 and S_w(G) z = 0. */
static void conclude_null_vectors(facts *f)
{
    fmpq *z = _fmpq_vec_init((slong)f->maps->states);
    for (bool more = true; more && f2l_watch_goes_on(f->watch, 1);) {
        more = false;
        for (slong i = 0; i < fmpq_mat_nrows(f->known[0]) && !more; i++)
            for (size_t w = 0; w < f->maps->letters; w++) {
                for (size_t q = 0; q < f->maps->states; q++)
                    fmpq_set(&z[q], fmpq_mat_entry(f->known[0], i, (slong)q));
                learn_null_vector(f, 1 + w, z);
                push_through_letter(f->image, z, f->maps, w);
                more = learn_null_vector(f, 0, f->image) || more;
            }
    }
    _fmpq_vec_clear(z, (slong)f->maps->states);
}

/* Adds scale (x y^T + y x^T) / 2 to the sum. */
static void add_symmetric_product(facts *f, const fmpq_t scale, const fmpq *x, const fmpq *y)
{
    fmpq_t a;
    fmpq_init(a);
    const slong n = (slong)f->maps->states;
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++) {
            fmpq_mul(a, &x[i], &y[j]);
            fmpq_mul(a, a, scale);
            fmpq_div_2exp(a, a, 1);
            fmpq_add(fmpq_mat_entry(f->sum, i, j), fmpq_mat_entry(f->sum, i, j), a);
            fmpq_add(fmpq_mat_entry(f->sum, j, i), fmpq_mat_entry(f->sum, j, i), a);
        }
    fmpq_clear(a);
}

static bool sums_to_zero(const fmpq *z, size_t n)
{
    fmpq_t sum;
    fmpq_init(sum);
    for (size_t q = 0; q < n; q++) fmpq_add(sum, sum, &z[q]);
    const bool zero = fmpq_is_zero(sum);
    fmpq_clear(sum);
    return zero;
}

/* Adds the term to the sum; returns whether it is allowed. */
static bool take_chain_term(facts *f, const f2l_chain_term *t)
{
    const size_t n = f->maps->states;
    if (!f2l_watch_goes_on(f->watch, 64 * (uint64_t)(n * n))) return false;
    const bool known = t->kind == F2L_CHAIN_KNOWN || t->kind == F2L_CHAIN_SLACK;
    const bool moves = t->kind == F2L_CHAIN_LETTER || t->kind == F2L_CHAIN_SLACK;
    const fmpq *y = known ? t->y : t->z;
    if (moves && t->letter >= f->maps->letters) return false;
    if (!sums_to_zero(t->z, n) || !sums_to_zero(y, n)) return false;
    if (known && !contains(f, moves ? 1 + t->letter : 0, t->z)) return false;
    if (!known && fmpq_sgn(t->scale) <= 0) return false;
    fmpq_t scale;
    fmpq_init(scale);
    if (known)
        fmpq_one(scale);
    else
        fmpq_set(scale, t->scale);
    add_symmetric_product(f, scale, t->z, y);
    if (moves) {
        push_through_letter(f->image, t->z, f->maps, t->letter);
        push_through_letter(f->other, y, f->maps, t->letter);
        fmpq_neg(scale, scale);
        add_symmetric_product(f, scale, f->image, f->other);
    }
    fmpq_clear(scale);
    return true;
}

/* Checks the terms from..to of one step, and learns what they say. */
static bool take_chain_step(facts *f, const f2l_chain_term *from, const f2l_chain_term *to)
{
    fmpq_mat_zero(f->sum);
    for (const f2l_chain_term *t = from; t < to; t++)
        if (!take_chain_term(f, t)) return false;
    if (!fmpq_mat_is_zero(f->sum)) return false;
    for (const f2l_chain_term *t = from; t < to; t++)
        if (t->kind == F2L_CHAIN_FORM || t->kind == F2L_CHAIN_LETTER)
            learn_null_vector(f, t->kind == F2L_CHAIN_FORM ? 0 : 1 + t->letter, t->z);
    conclude_null_vectors(f);
    return true;
}

static bool chain_holds(facts *f, const f2l_chain *chain)
{
    const f2l_chain_term *at = chain->term, *end = at + chain->terms;
    while (at < end) {
        const f2l_chain_term *from = at;
        while (at < end && at->step == from->step) at++;
        if (!take_chain_step(f, from, at)) return false;
    }
    set_zero(f->image, f->maps->states);
    fmpq_set_si(&f->image[chain->p], 1, 1);
    fmpq_set_si(&f->image[chain->q], -1, 1);
    return contains(f, 0, f->image);
}

bool f2l_chain_holds(const f2l_chain *chain, const f2l_maps *maps, f2l_watch *watch)
{
    const slong n = (slong)maps->states;
    const bool fits = chain->states == maps->states && chain->letters == maps->letters;
    if (!fits || chain->p >= maps->states || chain->q >= maps->states || chain->p == chain->q)
        return false;
    facts f = {
        .maps = maps, .watch = watch, .known = flint_malloc((maps->letters + 1) * sizeof *f.known)};
    for (size_t b = 0; b <= maps->letters; b++) fmpq_mat_init(f.known[b], 0, n);
    f.image = _fmpq_vec_init(n);
    f.other = _fmpq_vec_init(n);
    fmpq_mat_init(f.sum, n, n);
    const bool right = chain_holds(&f, chain);
    for (size_t b = 0; b <= maps->letters; b++) fmpq_mat_clear(f.known[b]);
    flint_free(f.known);
    _fmpq_vec_clear(f.image, n);
    _fmpq_vec_clear(f.other, n);
    fmpq_mat_clear(f.sum);
    return right;
}
