#include "theory/rep/characters/characters.h"
#include "numeric/base/mem.h"
#include "numeric/exact/flint_headers.h"
#include "theory/rep/characters/abelianisation.h"
#include <assert.h>
#include <flint/ulong_extras.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES ((size_t)1 << 26)
#define PRIME_LIMIT (UINT64_C(1) << 32)
/* Larger than the order makes a degree's square its own residue; the rest makes it unlikely that
 * different eigenvalues have equal residues, which costs time only. */
#define LEAST_PRIME_ABELIAN (UINT64_C(1) << 10)
#define LEAST_PRIME (UINT64_C(1) << 28)

uint64_t f2l_mod_inverse(uint64_t a, uint64_t p)
{
    return a % p == 0 ? 0 : n_invmod(a % p, p);
}

void f2l_characters_init(f2l_characters *t)
{
    memset(t, 0, sizeof *t);
}

void f2l_characters_clear(f2l_characters *t)
{
    f2l_free(t->value);
    f2l_free(t->degree);
    f2l_free(t->indicator);
    f2l_free(t->conjugate);
    f2l_characters_init(t);
}

static f2l_status choose_prime(f2l_characters *t, size_t order, f2l_error *err)
{
    const uint64_t least = t->classes == order ? LEAST_PRIME_ABELIAN : LEAST_PRIME, e = t->exponent;
    uint64_t p = (order > least ? order : least) / e * e + 1;
    while (p <= order || !n_is_prime(p)) {
        p += e;
        if (p >= PRIME_LIMIT)
            return f2l_fail(err, F2L_UNKNOWN,
                            "no prime below 2^32 serves a group of order %zu and exponent %zu",
                            order, t->exponent);
    }
    t->prime = p;
    t->root = n_powmod2(n_primitive_root_prime(p), (slong)((p - 1) / e), p);
    return F2L_OK;
}

static f2l_status allocate_characters(f2l_characters *t, const f2l_task *task, f2l_error *err)
{
    const size_t n = t->classes;
    if (n > MOST_VALUES / n)
        return f2l_fail(err, F2L_UNKNOWN, "a character table of %zu classes is too large", n);
    f2l_status status = f2l_task_table(task, "a character table", n * n * sizeof *t->value, err);
    if (status != F2L_OK) return status;
    t->value = f2l_calloc(n * n, sizeof *t->value);
    t->degree = f2l_calloc(n, sizeof *t->degree);
    t->indicator = f2l_calloc(n, sizeof *t->indicator);
    t->conjugate = f2l_calloc(n, sizeof *t->conjugate);
    return t->value && t->degree && t->indicator && t->conjugate ? F2L_OK : f2l_fail_memory(err);
}

/* Restores the degree. R1.5: the normalised character f has order / degree^2 = sum |C| f(C)
 * f(C^-1). */
static void restore_degree(f2l_characters *t, size_t row, const f2l_classes *classes, size_t order)
{
    uint64_t *value = t->value + row * t->classes, sum = 0;
    const uint64_t p = t->prime;
    for (size_t c = 0; c < t->classes; c++)
        sum = (sum + classes->size[c] * f2l_mod_multiply(value[c], value[classes->inverse[c]], p)) %
              p;
    const uint64_t square = f2l_mod_multiply(order, f2l_mod_inverse(sum, p), p);
    const uint64_t degree = n_sqrt(square);
    for (size_t c = 0; c < t->classes; c++) value[c] = f2l_mod_multiply(value[c], degree, p);
}

/* A row while rows are sorted; its degree is its value at the identity. */
typedef struct row {
    size_t values;
    const uint64_t *value;
} row;

static int compare_character_rows(const void *left, const void *right)
{
    const row *a = left, *b = right;
    for (size_t i = 0; i < a->values; i++)
        if (a->value[i] != b->value[i]) return a->value[i] < b->value[i] ? -1 : 1;
    return 0;
}

/* Sorts the rows by degree, then by values; the trivial character comes first since no linear value
 * is 0. */
static f2l_status sort_rows(f2l_characters *t, f2l_error *err)
{
    const size_t n = t->classes;
    row *rows = f2l_calloc(n, sizeof *rows);
    uint64_t *sorted = f2l_calloc(n * n, sizeof *sorted);
    if (!rows || !sorted) {
        f2l_free(rows);
        f2l_free(sorted);
        return f2l_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) rows[i] = (row){n, t->value + i * n};
    qsort(rows, n, sizeof *rows, compare_character_rows);
    for (size_t i = 0; i < n; i++) memcpy(sorted + i * n, rows[i].value, n * sizeof *sorted);
    f2l_free(rows);
    f2l_free(t->value);
    t->value = sorted;
    return F2L_OK;
}

size_t f2l_characters_find(const f2l_characters *t, const uint64_t *value)
{
    size_t from = 0, to = t->characters;
    while (to - from > 1) {
        const size_t middle = from + (to - from) / 2;
        const row a = {t->classes, value}, b = {t->classes, t->value + middle * t->classes};
        if (compare_character_rows(&a, &b) < 0)
            to = middle;
        else
            from = middle;
    }
    return from;
}

/* Fills in conjugates and indicators, and checks that nothing is missing: the squares of the
 * degrees add up to the order. */
static f2l_status describe_rows(f2l_characters *t, const f2l_classes *classes, size_t order,
                                f2l_error *err)
{
    const uint64_t p = t->prime, scale = f2l_mod_inverse(order % p, p);
    uint64_t *conjugate = f2l_calloc(t->classes, sizeof *conjugate);
    if (!conjugate) return f2l_fail_memory(err);
    size_t squares = 0;
    for (size_t i = 0; i < t->characters; i++) {
        const uint64_t *value = t->value + i * t->classes;
        uint64_t sum = 0;
        for (uint32_t c = 0; c < t->classes; c++) {
            conjugate[c] = value[classes->inverse[c]];
            sum = (sum + classes->size[c] * value[f2l_classes_power(classes, c, 2)]) % p;
        }
        sum = f2l_mod_multiply(sum, scale, p);
        t->indicator[i] = sum == p - 1 ? -1 : sum == 1;
        t->conjugate[i] = (uint32_t)f2l_characters_find(t, conjugate);
        t->degree[i] = value[0];
        squares += t->degree[i] * t->degree[i];
    }
    f2l_free(conjugate);
    return squares == order ? F2L_OK
                            : f2l_fail(err, F2L_EDOMAIN,
                                       "the classes do not belong to the group: their characters' "
                                       "degrees do not add up");
}

static f2l_status fill_characters(f2l_characters *t, const f2l_group *group,
                                  const f2l_classes *classes, const f2l_task *task, f2l_error *err)
{
    f2l_abelianisation a = {0};
    size_t linear = 0;
    f2l_status status = choose_prime(t, group->order, err);
    if (status == F2L_OK) status = allocate_characters(t, task, err);
    if (status == F2L_OK) status = f2l_abelianisation_build(&a, group, task, err);
    if (status == F2L_OK) status = f2l_characters_linear(t, &linear, group, classes, &a, err);
    if (status == F2L_OK) status = f2l_characters_split(t, linear, group, classes, &a, task, err);
    f2l_abelianisation_clear(&a);
    for (size_t i = linear; status == F2L_OK && i < t->characters; i++)
        restore_degree(t, i, classes, group->order);
    if (status == F2L_OK) status = sort_rows(t, err);
    if (status == F2L_OK) status = describe_rows(t, classes, group->order, err);
    return status;
}

f2l_status f2l_characters_build(f2l_characters *out, const f2l_group *group,
                                const f2l_classes *classes, const f2l_task *task, f2l_error *err)
{
    f2l_characters_init(out);
    out->characters = out->classes = classes->classes;
    out->exponent = classes->exponent;
    f2l_status status = fill_characters(out, group, classes, task, err);
    if (status != F2L_OK) f2l_characters_clear(out);
    return status;
}

static const uint64_t *row_of_character(const f2l_characters *t, size_t character)
{
    return t->value + character * t->classes;
}

size_t f2l_characters_fixed(const f2l_characters *t, const f2l_classes *classes, size_t character,
                            size_t class_number)
{
    const uint64_t *value = row_of_character(t, character);
    if (t->degree[character] == 1) return value[class_number] == 1;
    const uint32_t *power = classes->power + classes->power_at[class_number];
    const uint64_t order = classes->element_order[class_number];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < order; i++) sum += value[power[i]];
    return (size_t)f2l_mod_multiply(sum % t->prime, f2l_mod_inverse(order % t->prime, t->prime),
                                    t->prime);
}

/* Returns the least divisor n of the element's order such that the character has period n on its
 * powers, modulo p. The multiplicities of the eigenvalues are the Fourier transform of these values
 * and less than p, so n is the order of the element's matrix, exactly. */
static size_t period(const ulong *value, size_t order)
{
    for (size_t n = 1; n < order; n++)
        if (order % n == 0 && _nmod_vec_equal(value, value + n, (slong)(order - n))) return n;
    return order;
}

/* The multiplicity of exp(2 pi i j / n) is 1/n times the sum over i < n of chi(g^i) exp(-2 pi i
 * j / n)^i. */
f2l_status f2l_characters_eigenvalues(size_t *multiplicity, const f2l_characters *t,
                                      const f2l_classes *classes, size_t character,
                                      size_t class_number, f2l_error *err)
{
    const uint32_t *power = classes->power + classes->power_at[class_number];
    const size_t order = classes->element_order[class_number];
    nmod_t p;
    assert(order > 0);
    ulong *value = f2l_calloc(order, sizeof *value), at = 1;
    if (!value) return f2l_fail_memory(err);
    for (size_t i = 0; i < order; i++) value[i] = row_of_character(t, character)[power[i]];
    nmod_init(&p, t->prime);
    const size_t n = period(value, order), step = t->exponent / n;
    const ulong root = nmod_pow_ui(nmod_inv(t->root, p), step, p), scale = nmod_inv(n, p);
    memset(multiplicity, 0, t->exponent * sizeof *multiplicity);
    for (size_t j = 0; j < n; j++, at = nmod_mul(at, root, p))
        multiplicity[j * step] =
            nmod_mul(_nmod_poly_evaluate_nmod(value, (slong)n, at, p), scale, p);
    f2l_free(value);
    return F2L_OK;
}

f2l_status f2l_characters_number(double *re, double *im, size_t *multiplicity,
                                 const f2l_characters *t, const f2l_classes *classes,
                                 size_t character, size_t class_number, f2l_error *err)
{
    const f2l_status status =
        f2l_characters_eigenvalues(multiplicity, t, classes, character, class_number, err);
    *re = *im = 0;
    for (size_t j = 0; status == F2L_OK && j < t->exponent; j++) {
        const double angle = 2 * 3.14159265358979323846 * (double)j / (double)t->exponent;
        *re += (double)multiplicity[j] * cos(angle);
        *im += (double)multiplicity[j] * sin(angle);
    }
    return status;
}
