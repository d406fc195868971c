/* The exact values of a real character (theory/pages/irreps.md, I.1). */
#include "numeric/base/mem.h"
#include "numeric/exact/field_cyclotomic.h"
#include "theory/rep/irrep/impl.h"
#include <flint/ulong_extras.h>
#include <string.h>

/* 32 MiB of coefficients. Fields within F2L_FIELD_MAX_DEGREE need far less. */
#define MAX_COEFFICIENTS ((size_t)1 << 22)

void f2l_psi_clear(f2l_psi *psi)
{
    f2l_field_clear(&psi->field);
    f2l_numbers_free(psi->value, psi->values);
    f2l_free(psi->value_of);
    f2l_free(psi->residue);
    *psi = (f2l_psi){0};
}

/* Different values found so far, as coefficients of powers of zeta_e. */
typedef struct value_list {
    size_t e, count, room;
    int64_t *coefficient; /* [count][e] */
    size_t *multiplicity; /* [e] scratch: multiplicities of the eigenvalues zeta_e^j */
} value_list;

static f2l_status add_value(value_list *v, uint32_t *index, const f2l_psi *psi, f2l_error *err)
{
    const size_t e = v->e;
    if (v->count >= MAX_COEFFICIENTS / e)
        return f2l_fail(err, F2L_UNKNOWN, "a character takes more than %zu different values",
                        v->count);
    if (!f2l_grow((void **)&v->coefficient, &v->room, v->count, e * sizeof *v->coefficient))
        return f2l_fail_memory(err);
    int64_t *next = v->coefficient + v->count * e;
    for (size_t j = 0; j < e; j++) { /* for indicator -1 both are equal */
        const int64_t own = (int64_t)v->multiplicity[j],
                      mirror = (int64_t)v->multiplicity[(e - j) % e];
        next[j] = psi->indicator == 1 ? own : own + mirror;
    }
    for (*index = 0; *index < v->count; ++*index)
        if (memcmp(v->coefficient + *index * e, next, e * sizeof *next) == 0) break;
    if (*index == v->count) v->count++;
    return F2L_OK;
}

static f2l_status collect_values(value_list *v, f2l_psi *psi, const f2l_irrep_world *world,
                                 f2l_error *err)
{
    f2l_status status = F2L_OK;
    v->e = world->classes->exponent;
    v->multiplicity = f2l_calloc(v->e, sizeof *v->multiplicity);
    if (!v->multiplicity) return f2l_fail_memory(err);
    for (size_t c = 0; c < world->classes->classes && status == F2L_OK; c++) {
        status = f2l_characters_eigenvalues(v->multiplicity, world->characters, world->classes,
                                            psi->character, c, err);
        if (status == F2L_OK) status = add_value(v, &psi->value_of[c], psi, err);
        if (status == F2L_OK)
            status = f2l_task_poll(world->task, "character values", (double)c, 0, err);
    }
    return status;
}

static void fill_residues(f2l_psi *psi, const f2l_characters *t)
{
    const uint64_t *chi = t->value + psi->character * t->classes;
    const uint64_t *other = t->value + t->conjugate[psi->character] * t->classes;
    for (size_t c = 0; c < t->classes; c++)
        psi->residue[c] = psi->indicator == 1 ? chi[c] : (chi[c] + other[c]) % t->prime;
}

/* Returns whether the automorphism zeta_e -> zeta_e^u fixes psi. It takes psi to g -> psi(g^u),
 * again the real character of an irreducible one. Two such characters are equal if and only if they
 * are equal modulo p, where the table still separates characters. */
static bool is_fixed_by(const f2l_psi *psi, const f2l_classes *c, size_t u)
{
    for (uint32_t i = 0; i < c->classes; i++)
        if (psi->residue[f2l_classes_power(c, i, u)] != psi->residue[i]) return false;
    return true;
}

/* Returns an error for fields that are too large before their numbers are made. */
static f2l_status check_degree(const f2l_psi *psi, const f2l_irrep_world *world, f2l_error *err)
{
    size_t units = 1, fixing = 1; /* u = 1 */
    const size_t e = world->classes->exponent;
    for (size_t u = 2; u < e; u++) {
        if (n_gcd(u, e) != 1) continue;
        units++;
        fixing += is_fixed_by(psi, world->classes, u);
    }
    if (units / fixing <= F2L_FIELD_MAX_DEGREE) return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN,
                    "the values of character %zu generate a field of degree %zu; the limit is %d",
                    psi->character + 1, units / fixing, F2L_FIELD_MAX_DEGREE);
}

/* Adds the values over a larger root of unity, and one more: sqrt(d) or twice it. Gauss: the sum of
 * (D / a) zeta_f^a over a modulo f is sqrt(f), where D = f = d if d = 1 modulo 4, and D = f = 4 d
 * otherwise. */
static f2l_status add_square_root(value_list *v, ulong d, f2l_error *err)
{
    const size_t f = d % 4 == 1 ? d : 4 * d, e = v->e / n_gcd(v->e, f) * f;
    if (v->count >= MAX_COEFFICIENTS / e)
        return f2l_fail(err, F2L_UNKNOWN, "a character and sqrt(%lu) take too many roots of unity",
                        d);
    int64_t *larger = f2l_calloc(v->count + 1, e * sizeof *larger);
    if (!larger) return f2l_fail_memory(err);
    for (size_t i = 0; i < v->count; i++)
        for (size_t j = 0; j < v->e; j++)
            larger[i * e + j * (e / v->e)] = v->coefficient[i * v->e + j];
    mpz_t a;
    mpz_init(a);
    for (size_t j = 0; j < f; j++) {
        mpz_set_ui(a, j);
        larger[v->count * e + j * (e / f)] = mpz_si_kronecker((long)f, a);
    }
    mpz_clear(a);
    f2l_free(v->coefficient);
    v->coefficient = larger;
    v->e = e;
    v->count++;
    return F2L_OK;
}

f2l_status f2l_psi_init(f2l_psi *psi, const f2l_irrep_world *world, size_t character,
                        ulong radicand, f2l_error *err)
{
    const f2l_characters *t = world->characters;
    value_list v = {0};
    *psi = (f2l_psi){
        .character = character, .indicator = t->indicator[character], .radicand = radicand};
    f2l_field_init(&psi->field);
    psi->dimension = t->degree[character] * (psi->indicator == 1 ? 1 : 2);
    psi->wanted = psi->indicator == -1 ? 2 : 1;
    psi->value_of = f2l_calloc(t->classes, sizeof *psi->value_of);
    psi->residue = f2l_calloc(t->classes, sizeof *psi->residue);
    f2l_status status = psi->value_of && psi->residue ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        fill_residues(psi, t);
        status = check_degree(psi, world, err);
    }
    if (status == F2L_OK) status = collect_values(&v, psi, world, err);
    if (status == F2L_OK && radicand > 0) status = add_square_root(&v, radicand, err);
    if (status == F2L_OK) {
        psi->value = f2l_numbers_new(v.count);
        if (psi->value) psi->values = v.count;
        status = psi->value ? f2l_field_cyclotomic_real(&psi->field, psi->value, v.coefficient,
                                                        v.count, v.e, err)
                            : f2l_fail_memory(err);
    }
    f2l_free(v.coefficient);
    f2l_free(v.multiplicity);
    if (status != F2L_OK) f2l_psi_clear(psi);
    return status;
}
