/* The case that H multiplies a plane over the endomorphisms by lambda: eigenvectors of operators of
 * the Hecke algebra (theory/pages/irreps.md, I.8). */
#include "numeric/base/mem.h"
#include "theory/rep/irrep/impl.h"
#include <flint/ulong_extras.h>

/* Limits on the operators that are tried: single elements, then sums of two and more. */
#define SINGLES 300
#define SUMS 3600
#define MAX_TERMS 6
/* Larger squarefree parts are not searched for. */
#define MAX_RADICAND 1000

/* T = sum of coefficient (g + g^-1). */
typedef struct operator_sum {
    size_t terms;
    uint32_t element[2 * MAX_TERMS]; /* g, g^-1, g', g'^-1, .. */
    int coefficient[2 * MAX_TERMS];
} operator_sum;

typedef struct splitter {
    f2l_orbit *o;
    f2l_square_roots roots;
    f2l_rng rng;
    operator_sum t;
    f2l_number trace, square, difference, root, term; /* of e T e and (e T e)^2; see judge */
    ulong radicand;                                   /* the least radicand so far, or 0 */
} splitter;

/* Adds scale Phi(x) to out; Phi(x) = sum of lambda(h) psi(h x). */
static void add_phi(f2l_number *out, const f2l_orbit *o, uint32_t x, long scale,
                    f2l_number *scratch)
{
    fmpq_poly_scalar_mul_si(scratch, &o->product[o->line[x]], o->minus[x] ? -scale : scale);
    fmpq_poly_add(out, out, scratch);
}

/* Sets out to |H|^2 tr(e T e x) = sum of coefficient lambda(h) Phi(g h x). */
static void hecke_trace(f2l_number *out, splitter *s, uint32_t x)
{
    const f2l_orbit *o = s->o;
    const f2l_group *g = o->world->group;
    fmpq_poly_zero(out);
    for (size_t i = 0; i < o->subgroup->order; i++) {
        const uint32_t hx = f2l_group_multiply(g, o->subgroup->member[i], x);
        const bool minus = f2l_sign_is_minus(o->mask, o->subgroup->parity[i]);
        for (size_t l = 0; l < s->t.terms; l++)
            add_phi(out, o, f2l_group_multiply(g, s->t.element[l], hx),
                    minus ? -s->t.coefficient[l] : s->t.coefficient[l], &s->term);
    }
}

/* Returns the squarefree part of a positive rational, or 0 when it is not small. */
static ulong squarefree_part(const f2l_number *a)
{
    n_factor_t primes;
    fmpz_t product;
    ulong part = 0;
    fmpz_init(product);
    fmpz_mul(product, a->coeffs, a->den);
    if (fmpz_sgn(product) > 0 && fmpz_bits(product) < 60) {
        n_factor_init(&primes);
        n_factor(&primes, fmpz_get_ui(product), 1);
        part = 1;
        for (int i = 0; i < primes.num && part <= MAX_RADICAND; i++)
            if (primes.exp[i] % 2) part *= primes.p[i];
        if (part > MAX_RADICAND) part = 0;
    }
    fmpz_clear(product);
    return part;
}

/* Let theta_1 >= theta_2 be the eigenvalues of e T e on the plane, each of multiplicity delta. With
 * the sum s = tr(e T) / delta and the sum of squares q = tr(e T e T) / delta, theta_1 - theta_2 is
 * the root of 2 q - s^2. Returns true when this root is in the field and not 0: s->trace = s,
 * s->root = theta_1 - theta_2. */
static bool judge_operator(splitter *s)
{
    const f2l_orbit *o = s->o;
    const ulong delta = o->psi->indicator == 1   ? 1
                        : o->psi->indicator == 0 ? 2
                                                 : 4,
                h = o->subgroup->order;
    fmpq_poly_zero(&s->trace);
    for (size_t l = 0; l < s->t.terms; l++)
        add_phi(&s->trace, o, s->t.element[l], s->t.coefficient[l], &s->term);
    fmpq_poly_scalar_div_si(&s->trace, &s->trace, (slong)(delta * h));
    fmpq_poly_zero(&s->square);
    for (size_t l = 0; l < s->t.terms; l++) {
        hecke_trace(&s->difference, s, s->t.element[l]);
        fmpq_poly_scalar_mul_si(&s->difference, &s->difference, s->t.coefficient[l]);
        fmpq_poly_add(&s->square, &s->square, &s->difference);
    }
    fmpq_poly_scalar_mul_si(&s->square, &s->square, 2);
    fmpq_poly_scalar_div_si(&s->square, &s->square, (slong)(delta * h));
    fmpq_poly_scalar_div_si(&s->square, &s->square, (slong)h);
    f2l_field_submul(&s->square, &s->trace, &s->trace, &o->psi->field);
    if (fmpq_poly_is_zero(&s->square)) return false; /* a multiple of the identity on the plane */
    if (f2l_square_root(&s->root, &s->square, &s->roots)) return true;
    if (s->square.length == 1) {
        const ulong d = squarefree_part(&s->square);
        if (d > 1 && (s->radicand == 0 || d < s->radicand)) s->radicand = d;
    }
    return false;
}

static void add_hecke_term(splitter *s, uint32_t x, int coefficient)
{
    const uint32_t inverse = f2l_group_inverse(s->o->world->group, x);
    for (int i = 0; i < 2; i++) {
        s->t.element[s->t.terms] = i == 0 ? x : inverse;
        s->t.coefficient[s->t.terms++] = coefficient;
    }
}

static bool try_sum(splitter *s, size_t terms)
{
    s->t.terms = 0;
    for (size_t i = 0; i < terms; i++) {
        const uint32_t x = (uint32_t)f2l_rng_below(&s->rng, s->o->world->group->order);
        add_hecke_term(s, x, i > 0 && f2l_rng_below(&s->rng, 2) ? -1 : 1);
    }
    return judge_operator(s);
}

static f2l_status search_operators(splitter *s, bool *found, f2l_error *err)
{
    const size_t singles = s->o->lines < SINGLES ? s->o->lines : SINGLES, all = singles + SUMS;
    f2l_status status = F2L_OK;
    *found = false;
    for (size_t i = 0; i < all && !*found && status == F2L_OK; i++) {
        if (i < singles) {
            s->t.terms = 0;
            add_hecke_term(s, s->o->representative[i], 1);
            *found = judge_operator(s);
        } else {
            *found = try_sum(s, 2 + f2l_rng_below(&s->rng, MAX_TERMS - 1));
        }
        status = f2l_task_poll(s->o->world->task, "operators", (double)i, (double)all, err);
    }
    return status;
}

/* Projects. The projection to the eigenspace of theta_1 is (e T e - theta_2 e) / (theta_1 -
 * theta_2). Its product with x has the trace hecke_trace(x) / |H|^2 - theta_2 Phi(x) / |H|, up to
 * this positive factor; here times |H|. */
static f2l_status project_to_eigenspace(splitter *s, f2l_error *err)
{
    f2l_orbit *o = s->o;
    f2l_number *product = f2l_numbers_new(o->lines), smaller;
    if (!product) return f2l_fail_memory(err);
    fmpq_poly_init(&smaller);
    fmpq_poly_sub(&smaller, &s->trace, &s->root);
    fmpq_poly_scalar_div_si(&smaller, &smaller, 2);
    for (size_t i = 0; i < o->lines; i++) {
        hecke_trace(&product[i], s, o->representative[i]);
        fmpq_poly_scalar_div_si(&product[i], &product[i], (slong)o->subgroup->order);
        f2l_field_submul(&product[i], &smaller, &o->product[i], &o->psi->field);
    }
    for (size_t i = 0; i < o->lines; i++) fmpq_poly_swap(&product[i], &o->product[i]);
    fmpq_poly_clear(&smaller);
    f2l_numbers_free(product, o->lines);
    return F2L_OK;
}

f2l_status f2l_orbit_split(f2l_orbit *o, bool *found, ulong *radicand, f2l_error *err)
{
    splitter s = {.o = o};
    f2l_square_roots_init(&s.roots, &o->psi->field);
    f2l_rng_init(&s.rng, o->world->group->order, 3);
    fmpq_poly_init(&s.trace), fmpq_poly_init(&s.square), fmpq_poly_init(&s.difference);
    fmpq_poly_init(&s.root), fmpq_poly_init(&s.term);
    f2l_status status = search_operators(&s, found, err);
    if (status == F2L_OK && *found) status = project_to_eigenspace(&s, err);
    *radicand = *found ? 0 : s.radicand;
    fmpq_poly_clear(&s.trace), fmpq_poly_clear(&s.square), fmpq_poly_clear(&s.difference);
    fmpq_poly_clear(&s.root), fmpq_poly_clear(&s.term);
    return status;
}
