#include "numeric/base/mem.h"
#include "theory/construct/keys/keys.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MAX_N 32

/* Reads a key as doubled integers; every coordinate must be a multiple of 1/2. */
static void take_key(long twice[MAX_N], f2l_key_kind kind, size_t m, size_t i, size_t j,
                     uint32_t offset, size_t n)
{
    f2l_qvec u;
    f2l_qvec_init(&u);
    cr_assert_eq(f2l_keys_transposition(&u, kind, m, i, j, offset, NULL), F2L_OK);
    memset(twice, 0, MAX_N * sizeof *twice);
    for (size_t e = 0; e < u.count; e++) {
        cr_assert(u.index[e] >= offset && u.index[e] < offset + n);
        mpq_mul_2exp(u.value[e], u.value[e], 1);
        cr_assert(mpz_cmp_ui(mpq_denref(u.value[e]), 1) == 0);
        twice[u.index[e] - offset] = mpz_get_si(mpq_numref(u.value[e]));
    }
    f2l_qvec_clear(&u);
}

static long dot(const long *a, const long *b, size_t n)
{
    long sum = 0;
    for (size_t c = 0; c < n; c++) sum += a[c] * b[c];
    return sum;
}

static const f2l_key_kind kinds[] = {F2L_KEYS_NAIVE, F2L_KEYS_DOUBLED, F2L_KEYS_ROOTS};

/* R3.1: the reflection in u_ij swaps w_i and w_j, fixes the other weights, and w_i - w_j is a
 * positive multiple of u_ij. */
Test(keys, reflections_permute_weights)
{
    for (size_t k = 0; k < 3; k++) {
        for (size_t m = 2; m <= 16; m++) {
            size_t n;
            if (!f2l_keys_dimension(kinds[k], m, &n)) continue;
            long w[16][MAX_N], u[MAX_N];
            for (size_t p = 0; p < m; p++) f2l_keys_weight(w[p], kinds[k], m, p);
            for (size_t i = 0; i < m; i++) {
                for (size_t j = i + 1; j < m; j++) {
                    take_key(u, kinds[k], m, i, j, 7, n);
                    const long norm = dot(u, u, n);
                    cr_assert(norm > 0);
                    for (size_t p = 0; p < m; p++) {
                        const size_t image = p == i ? j : p == j ? i : p;
                        for (size_t c = 0; c < n; c++) {
                            cr_assert_eq(norm * w[p][c] - 2 * dot(u, w[p], n) * u[c],
                                         norm * w[image][c], "%d m=%zu (%zu %zu) point %zu",
                                         (int)kinds[k], m, i, j, p);
                        }
                    }
                    cr_assert_gt(dot(u, w[i], n), 0);
                }
            }
        }
    }
}

/* R3.4: u_ij is the sum of the adjacent keys between i and j. */
Test(keys, adjacent_keys_determine_all)
{
    for (size_t k = 0; k < 3; k++) {
        for (size_t m = 2; m <= 12; m++) {
            size_t n;
            if (!f2l_keys_dimension(kinds[k], m, &n)) continue;
            for (size_t i = 0; i < m; i++) {
                long sum[MAX_N] = {0}, u[MAX_N];
                for (size_t j = i + 1; j < m; j++) {
                    take_key(u, kinds[k], m, j - 1, j, 0, n);
                    for (size_t c = 0; c < n; c++) sum[c] += u[c];
                    take_key(u, kinds[k], m, i, j, 0, n);
                    cr_assert(memcmp(sum, u, n * sizeof *u) == 0);
                }
            }
        }
    }
}

/* R3.5: dyadic unit vectors of the stated systems, with inner products -1/2 between neighbours and
 * 0 otherwise. */
Test(keys, roots_are_simple_roots_of_type_a)
{
    const size_t dimension[] = {0, 0, 1, 4, 4, 6, 6, 7, 7, 8};
    for (size_t m = 2; m <= 9; m++) {
        size_t n;
        long alpha[8][MAX_N], u[MAX_N];
        cr_assert(f2l_keys_dimension(F2L_KEYS_ROOTS, m, &n));
        cr_assert_eq(n, dimension[m]);
        for (size_t i = 0; i + 1 < m; i++) {
            take_key(alpha[i], F2L_KEYS_ROOTS, m, i, i + 1, 0, n);
            for (size_t j = 0; j <= i; j++) {
                cr_assert_eq(dot(alpha[i], alpha[j], n), i == j ? 4 : i == j + 1 ? -2 : 0);
            }
        }
        for (size_t i = 0; i < m; i++) {
            for (size_t j = i + 1; j < m; j++) {
                take_key(u, F2L_KEYS_ROOTS, m, i, j, 0, n);
                cr_assert_eq(dot(u, u, n), 4); /* |u| = 1: either +-e_c or four halves */
                for (size_t c = 0; c < n; c++) cr_assert(labs(u[c]) <= 2);
            }
        }
    }
}

/* The keys k = u/|u| of the two exact kinds are multiples of 1/2. */
Test(keys, exact_keys_have_rational_length)
{
    for (size_t m = 2; m <= 16; m++) {
        long u[MAX_N];
        take_key(u, F2L_KEYS_DOUBLED, m, 0, m - 1, 0, 2 * m);
        cr_assert_eq(dot(u, u, 2 * m), 16); /* |u| = 2 */
        take_key(u, F2L_KEYS_NAIVE, m, 0, m - 1, 0, m);
        cr_assert_eq(dot(u, u, m), 8); /* |u|^2 = 2 */
    }
}

static unsigned long gcd(unsigned long a, unsigned long b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* Returns 4^(s+1) |H_0|^2 of R3.7 for the code on m points, where H_0 is the sum of code times
 * weight over the common divisor. */
static long room(long w[9][MAX_N], const unsigned *code, size_t m, size_t n)
{
    long x[MAX_N] = {0};
    unsigned long divisor = 0;
    for (size_t p = 0; p < m; p++) {
        for (size_t c = 0; c < n; c++) x[c] += (long)code[p] * w[p][c];
    }
    for (size_t c = 0; c < n; c++) divisor = gcd(divisor, (unsigned long)labs(x[c]));
    if (divisor == 0) return 0;
    unsigned long twos = divisor & -divisor;
    for (size_t c = 0; c < n; c++) x[c] /= (long)divisor;
    return (long)(4 * twos * twos) * dot(x, x, n);
}

/* R3.7: for every code of at most 9 points, colours numbered by first appearance or one colour's
 * indicator, everything the recurrence meets has at most 8 significant bits. */
Test(keys, roots_fit_eight_bits)
{
    size_t codes = 0;
    for (size_t m = 2; m <= 9; m++) {
        size_t n;
        long w[9][MAX_N];
        unsigned code[9] = {0};
        cr_assert(f2l_keys_dimension(F2L_KEYS_ROOTS, m, &n));
        for (size_t p = 0; p < m; p++) f2l_keys_weight(w[p], F2L_KEYS_ROOTS, m, p);
        for (;;) {
            size_t i = m - 1; /* the next restricted growth string */
            for (; i > 0; i--) {
                unsigned most = 0;
                for (size_t j = 0; j < i; j++) most = code[j] > most ? code[j] : most;
                if (code[i] <= most) break;
            }
            if (i == 0) break;
            code[i]++;
            for (size_t j = i + 1; j < m; j++) code[j] = 0;
            cr_assert_leq(room(w, code, m, n), 256 * 256);
            codes++;
        }
        for (unsigned set = 1; set + 1 < 1u << m; set++) {
            for (size_t p = 0; p < m; p++) code[p] = set >> p & 1;
            cr_assert_leq(room(w, code, m, n), 256 * 256);
        }
    }
    cr_assert_eq(codes, 26433); /* Bell numbers of 2 .. 9 less the constant codes */
}

Test(keys, dimensions_and_descriptions)
{
    size_t n;
    cr_assert(f2l_keys_dimension(F2L_KEYS_NAIVE, 1, &n) && n == 1);
    cr_assert(!f2l_keys_dimension(F2L_KEYS_NAIVE, 0, &n));
    cr_assert(!f2l_keys_dimension(F2L_KEYS_DOUBLED, 1, &n));
    cr_assert(!f2l_keys_dimension(F2L_KEYS_ROOTS, 1, &n) &&
              !f2l_keys_dimension(F2L_KEYS_ROOTS, 10, &n));
    cr_assert(f2l_keys_dimension(F2L_KEYS_DOUBLED, 2000, &n) && n == 4000);
    cr_assert_str_eq(f2l_keys_describe(F2L_KEYS_ROOTS, 9), "E8 roots (dimension 8)");
    cr_assert_str_eq(f2l_keys_describe(F2L_KEYS_ROOTS, 3), f2l_keys_describe(F2L_KEYS_ROOTS, 4));
    cr_assert_str_eq(f2l_keys_describe(F2L_KEYS_ROOTS, 10), "none");
    cr_assert_str_neq(f2l_keys_describe(F2L_KEYS_NAIVE, 3), f2l_keys_describe(F2L_KEYS_DOUBLED, 3));
}

Test(keys, no_roots_for_ten_points)
{
    f2l_qvec u;
    f2l_error err = {0};
    f2l_qvec_init(&u);
    cr_assert_eq(f2l_keys_transposition(&u, F2L_KEYS_ROOTS, 10, 0, 1, 0, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "10") != NULL && u.count == 0);
    f2l_qvec_clear(&u);
}

#ifdef F2L_MEM_FAILURES
Test(keys, out_of_memory)
{
    for (size_t k = 0; k < 3; k++) {
        f2l_status status = F2L_ENOMEM;
        for (size_t n = 1; status == F2L_ENOMEM; n++) {
            f2l_qvec u;
            f2l_qvec_init(&u);
            f2l_mem_fail_after(n, false);
            status = f2l_keys_transposition(&u, kinds[k], 9, 2, 7, 0, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK ? u.count >= 2 : u.count == 0);
            f2l_qvec_clear(&u);
        }
        cr_assert_eq(status, F2L_OK);
    }
}
#endif
