/* Which subfield given elements generate, and its elements in terms of the generator. Both come
 * from the Galois group (Z/e)^* of Q(zeta_e): u takes zeta to zeta^u. */
#include "numeric/base/mem.h"
#include "numeric/exact/impl.h"
#include <flint/fmpq_mat.h>
#include <flint/ulong_extras.h>
#include <string.h>

void f2l_abelian_clear(f2l_abelian *a)
{
    f2l_free(a->fixes);
    f2l_free(a->unit);
    *a = (f2l_abelian){0};
}

f2l_status f2l_abelian_init(f2l_abelian *a, size_t n, f2l_error *err)
{
    *a = (f2l_abelian){.n = n, .units = n_euler_phi(n), .fixing = 1};
    a->fixes = f2l_calloc(n, sizeof *a->fixes);
    a->unit = f2l_calloc(a->units, sizeof *a->unit);
    if (!a->fixes || !a->unit) {
        f2l_abelian_clear(a);
        return f2l_fail_memory(err);
    }
    size_t at = 0;
    for (size_t u = 0; u < n; u++)
        if (n_gcd(u, n) == 1) a->unit[at++] = (uint32_t)u; /* n = 1: the unit 0 */
    a->fixes[a->unit[0]] = true;
    return F2L_OK;
}

slong f2l_ramanujan_sum(size_t n, size_t j)
{
    const ulong m = n / n_gcd(j % n, n);
    return n_moebius_mu(m) * (slong)(n_euler_phi(n) / n_euler_phi(m));
}

/* Images of an element in F_p under all ring homomorphisms of Z[zeta_e], p = 1 modulo e. */
typedef struct images {
    nmod_t p;
    ulong *root;  /* [e] powers of an element of order e */
    ulong *value; /* [e] at u: the image when zeta goes to root[u] */
} images;

static void images_clear(images *m)
{
    f2l_free(m->root);
    f2l_free(m->value);
}

static bool root_has_order(ulong root, ulong e, nmod_t p)
{
    n_factor_t primes;
    n_factor_init(&primes);
    n_factor(&primes, e, 1);
    for (int i = 0; i < primes.num; i++)
        if (nmod_pow_ui(root, e / primes.p[i], p) == 1) return false;
    return true;
}

static f2l_status images_init(images *m, size_t e, ulong above, f2l_error *err)
{
    *m = (images){.root = f2l_calloc(e, sizeof *m->root), .value = f2l_calloc(e, sizeof *m->value)};
    if (!m->root || !m->value) {
        images_clear(m);
        return f2l_fail_memory(err);
    }
    ulong p = above / e * e + 1, root = 1;
    do p += e;
    while (!n_is_prime(p));
    nmod_init(&m->p, p);
    for (ulong g = 2; e > 1 && !root_has_order(root, e, m->p); g++)
        root = nmod_pow_ui(g, (p - 1) / e, m->p);
    m->root[0] = 1;
    for (size_t j = 1; j < e; j++) m->root[j] = nmod_mul(m->root[j - 1], root, m->p);
    return F2L_OK;
}

static void images_of(images *m, const int64_t *value, const f2l_abelian *k)
{
    memset(m->value, 0, k->n * sizeof *m->value);
    for (size_t j = 0; j < k->n; j++) {
        if (value[j] == 0) continue;
        ulong size = value[j] < 0 ? 0 - (ulong)value[j] : (ulong)value[j];
        ulong residue = value[j] < 0 ? nmod_neg(size % m->p.n, m->p) : size % m->p.n;
        for (size_t i = 0; i < k->units; i++) {
            const ulong u = k->unit[i];
            m->value[u] =
                nmod_add(m->value[u], nmod_mul(residue, m->root[j * u % k->n], m->p), m->p);
        }
    }
}

/* Returns whether u fixes the element x whose images are given. Let y = u x - x and s the sum of
 * the absolute values of x's coefficients. If all images of y are 0, p divides y, since p does not
 * ramify and splits completely. Then y = 0, or some conjugate of y is at least p > 2 s in absolute
 * value, which none is. */
static bool is_fixed(const images *m, size_t u, const f2l_abelian *k)
{
    for (size_t i = 0; i < k->units; i++)
        if (m->value[k->unit[i] * u % k->n] != m->value[k->unit[i]]) return false;
    return true;
}

static f2l_status sum_of_sizes(ulong *sum, const int64_t *value, size_t e, size_t element,
                               f2l_error *err)
{
    const ulong limit = UINT64_C(1) << 50;
    *sum = 0;
    for (size_t j = 0; j < e; j++) {
        ulong size = value[j] < 0 ? 0 - (ulong)value[j] : (ulong)value[j];
        if (size >= limit || (*sum += size) >= limit)
            return f2l_fail(err, F2L_EDOMAIN, "element %zu has coefficients of 2^50 or more",
                            element + 1);
    }
    return F2L_OK;
}

/* Finds k->fixes, the units that fix all elements. */
static f2l_status find_fixing(f2l_abelian *k, const int64_t *value, size_t count, f2l_error *err)
{
    images m;
    ulong largest = 0, sum;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        status = sum_of_sizes(&sum, value + i * k->n, k->n, i, err);
        if (sum > largest) largest = sum;
    }
    if (status != F2L_OK || (status = images_init(&m, k->n, 2 * largest, err)) != F2L_OK)
        return status;
    for (size_t i = 0; i < k->units; i++) k->fixes[k->unit[i]] = true;
    for (size_t x = 0; x < count && status == F2L_OK; x++) {
        images_of(&m, value + x * k->n, k);
        for (size_t i = 0; i < k->units; i++) {
            const uint32_t u = k->unit[i];
            if (k->fixes[u] && !is_fixed(&m, u, k)) k->fixes[u] = false;
        }
        if (!k->fixes[k->unit[k->units - 1]]) /* -1: complex conjugation */
            status = f2l_fail(err, F2L_EDOMAIN, "element %zu is not real", x + 1);
    }
    k->fixing = 1; /* the identity, unit 0 of the list */
    for (size_t i = 1; i < k->units; i++) k->fixing += k->fixes[k->unit[i]];
    images_clear(&m);
    return status;
}

/* Returns whether the field lies in Q(zeta_f), f dividing n: the units that are 1 modulo f fix
 * it. */
static bool lies_in(const f2l_abelian *k, size_t f)
{
    for (size_t i = 0; i < k->units; i++)
        if (k->unit[i] % f == 1 % f && !k->fixes[k->unit[i]]) return false;
    return true;
}

/* Sets *out to the same field in Q(zeta_f) with the least f. */
static f2l_status to_conductor(f2l_abelian *out, const f2l_abelian *k, f2l_error *err)
{
    size_t f = 1;
    while (k->n % f != 0 || !lies_in(k, f)) f++;
    f2l_status status = f2l_abelian_init(out, f, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < k->units; i++)
        if (k->fixes[k->unit[i]]) out->fixes[k->unit[i] % f] = true;
    for (size_t i = 1; i < out->units; i++)
        out->fixing += out->fixes[out->unit[i]]; /* from the identity's 1 on */
    return F2L_OK;
}

/* Sets out to the mean of the conjugates of x a (the trace over the degree, in any field that
 * contains it), x in Q(zeta_e) by its coefficients; sum[j] is Ramanujan's sum for zeta_e^j. */
static void mean_of_product(fmpq_t out, const int64_t *x, const f2l_cyclotomic *a, const fmpz *sum,
                            size_t e)
{
    fmpz_t total, inner, scale;
    const size_t step = e / a->n;
    fmpz_init(total), fmpz_init(inner), fmpz_init(scale);
    for (size_t j = 0; j < e; j++) {
        if (x[j] == 0) continue;
        fmpz_zero(inner);
        for (size_t l = 0; l < a->n; l++)
            if (!fmpz_is_zero(a->coefficient + l))
                fmpz_addmul(inner, a->coefficient + l, sum + (j + l * step) % e);
        fmpz_set_si(scale, x[j]);
        fmpz_addmul(total, inner, scale);
    }
    fmpz_set_ui(scale, n_euler_phi(e));
    fmpz_mul_ui(scale, scale, a->denominator);
    fmpq_set_fmpz_frac(out, total, scale);
    fmpz_clear(total), fmpz_clear(inner), fmpz_clear(scale);
}

/* Finds x = sum of c_i alpha^i from Tr(x alpha^j) = sum of c_i Tr(alpha^(i + j)): a regular system,
 * since the trace form of a number field is regular. */
static bool solve_images(f2l_number *image, const int64_t *value, size_t count,
                         const f2l_cyclotomic *power, size_t degree, const fmpz *sum, size_t e,
                         const int64_t *one)
{
    fmpq_mat_t hankel, right, solution;
    const slong r = (slong)degree;
    fmpq_mat_init(hankel, r, r);
    fmpq_mat_init(right, r, (slong)count);
    fmpq_mat_init(solution, r, (slong)count);
    for (slong i = 0; i < r; i++) {
        for (slong j = 0; j < r; j++)
            mean_of_product(fmpq_mat_entry(hankel, i, j), one, &power[i + j], sum, e);
        for (size_t x = 0; x < count; x++)
            mean_of_product(fmpq_mat_entry(right, i, (slong)x), value + x * e, &power[i], sum, e);
    }
    bool solved = count == 0 || fmpq_mat_solve(solution, hankel, right);
    for (size_t x = 0; x < count && solved; x++) {
        fmpq_poly_zero(&image[x]);
        for (slong i = 0; i < r; i++)
            fmpq_poly_set_coeff_fmpq(&image[x], i, fmpq_mat_entry(solution, i, (slong)x));
    }
    fmpq_mat_clear(solution);
    fmpq_mat_clear(hankel);
    fmpq_mat_clear(right);
    return solved;
}

static f2l_status map_elements(f2l_number *image, const int64_t *value, size_t count, size_t e,
                               const f2l_cyclotomic *power, size_t degree, f2l_error *err)
{
    f2l_status status = F2L_OK;
    int64_t *one = f2l_calloc(e, sizeof *one);
    fmpz *sum = f2l_calloc(e, sizeof *sum);
    if (!one || !sum) {
        status = f2l_fail_memory(err);
    } else {
        one[0] = 1;
        for (size_t j = 0; j < e; j++) fmpz_set_si(sum + j, f2l_ramanujan_sum(e, j));
        if (!solve_images(image, value, count, power, degree, sum, e, one))
            status = f2l_fail(err, F2L_EDOMAIN, "no generator of a field of degree %zu", degree);
        for (size_t j = 0; j < e; j++) fmpz_clear(sum + j);
    }
    f2l_free(one);
    f2l_free(sum);
    return status;
}

/* Sets the field, and the powers of its generator: power[2 degree - 1]. */
static f2l_status name_field(f2l_field *out, f2l_cyclotomic *power, const f2l_abelian *k,
                             f2l_error *err)
{
    if (k->units > k->fixing) return f2l_choose_generator(out, power, k, err);
    f2l_field_clear(out);
    f2l_field_init(out);
    f2l_status status = f2l_cyclotomic_init(&power[0], 1, err);
    if (status == F2L_OK) fmpz_one(power[0].coefficient);
    return status;
}

static f2l_status build_cyclotomic_field(f2l_field *out, f2l_number *image, const int64_t *value,
                                         size_t count, size_t e, const f2l_abelian *k,
                                         f2l_error *err)
{
    const size_t degree = k->units / k->fixing, powers = 2 * degree - 1;
    if (degree > F2L_FIELD_MAX_DEGREE)
        return f2l_fail(err, F2L_UNKNOWN, "the field has degree %zu; the limit is %d", degree,
                        F2L_FIELD_MAX_DEGREE);
    f2l_cyclotomic *power = f2l_calloc(powers, sizeof *power);
    if (!power) return f2l_fail_memory(err);
    f2l_status status = name_field(out, power, k, err);
    if (status == F2L_OK) status = map_elements(image, value, count, e, power, degree, err);
    for (size_t i = 0; i < powers; i++) f2l_cyclotomic_clear(&power[i]);
    f2l_free(power);
    return status;
}

f2l_status f2l_field_cyclotomic_real(f2l_field *out, f2l_number *image, const int64_t *value,
                                     size_t count, size_t e, f2l_error *err)
{
    if (e == 0 || e > UINT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "there are no roots of unity of order %zu here", e);
    f2l_abelian all, k = {0};
    f2l_status status = f2l_abelian_init(&all, e, err);
    if (status != F2L_OK) return status;
    status = find_fixing(&all, value, count, err);
    if (status == F2L_OK) status = to_conductor(&k, &all, err);
    if (status == F2L_OK) status = build_cyclotomic_field(out, image, value, count, e, &k, err);
    f2l_abelian_clear(&all);
    f2l_abelian_clear(&k);
    return status;
}
