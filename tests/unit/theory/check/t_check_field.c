/* lrnn-check's arithmetic in real number fields, against doubles, and fields and forms that it must
 * refuse. */
#include "numeric/base/rng.h"
#include "tests/support/check/check_support.h"
#include <criterion/criterion.h>

static void read_one_field(text *t)
{
    read_field(t);
}

Test(check_field, fields)
{
    static const char *const good[] = {
        "field -2 0 1 interval 1 2\n",
        "field -2 0 1 interval -2 1\n",
        "field -1 -1 1 interval 8/5 13/8\n",
        "field 6 0 -5 0 1 interval 1 3/2\n", /* not irreducible, which is not required */
        "field -6 11 -6 1 interval 1/2 3/2\n",
        "field 1 0 -8 0 14 0 -7 0 1 interval 19/10 2\n",
    };
    static const char *const bad[] = {
        "field -2 1 interval 1 3\n",
        "field 2 0 1 interval 1 2\n",
        "field -2 0 1 interval 2 3\n",
        "field -2 0 1 interval -2 2\n",
        "field -2 0 1 interval 2 1\n",
        "field -2 0 1 interval 1 1\n",
        "field -4 0 1 interval 2 3\n", /* an end is a root */
        "field 2 -3 1 interval 1 5/2\n",
        "field 2 -3 1 interval 1/2 2\n",
        "field -4 0 1 interval 1 2\n",
        "field 4 0 -4 0 1 interval 1 2\n", /* multiple roots */
        "field -3 7 -5 1 interval 2 4\n",
        "field 0 -2 0 1 interval 1 2\n",
        "field -2 0 2 interval 1/2 2\n",
        "field -2 0 -1 interval 1 2\n",
        "field -2 0 0 interval 1 2\n",
        "field -2 0 1/2 1 interval 1 2\n",
        "field -2 0 1 1 1/2 interval 1 2\n",
        "field -5/2 0 0 1 interval 1 2\n",
        "field -5 0 0 3/2 interval 1 2\n",
        "field -2 0 1 interval 1 2",
        "field -2 0 1 interval 1 2 \n",
        "field -2 0 1  interval 1 2\n",
        "field  -2 0 1 interval 1 2\n",
        "field -2 0 +1 interval 1 2\n",
        "field -2 00 1 interval 1 2\n",
        "field -2 0 1 interval 1 4/2\n",
        "field -2 0 1 interval 1\n",
        "field -2 0 1\n",
        "field \n",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_assert(status_of(read_one_field, good[i]) == 0, "`%s`", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert(status_of(read_one_field, bad[i]) == NOT_VERIFIED, "`%s`", bad[i]);
    cr_assert(status_of(read_one_field, "field -2 0 0 0 0 0 0 0 0 0 0 0 0 1 interval 1 2\n") == 0);
}

/* Fields of x^r - 2: halving an interval takes numbers with far more bits than the few bytes of the
 * input. */
Test(check_field, degrees_within_budgets)
{
    char bytes[9000];
    for (size_t r = 13; r <= 4013; r += 4000) {
        size_t at = (size_t)sprintf(bytes, "field -2");
        for (size_t i = 1; i < r; i++) at += (size_t)sprintf(bytes + at, " 0");
        sprintf(bytes + at, " 1 interval 1 2\n");
        cr_assert(status_within((budget){10000000, (size_t)1 << 28}, read_one_field, bytes) ==
                  (r < 100 ? 0 : UNKNOWN));
    }
    cr_assert(status_within((budget){10000000, 100000}, read_one_field, bytes) == UNKNOWN);
}

/* alpha is about 10^-30; its square is enclosed well, although alpha's interval has 0 inside even
 * after 64 halvings. */
Test(check_field, powers_of_a_small_root)
{
    text t = text_of("field -1 1000000000000000000000000000000 0 1 interval -1 3/2\n");
    field *k = read_field(&t);
    mpq_t *bound = zeros(2), *number = zeros(3);
    mpq_set_ui(number[2], 1, 1);
    enclose(k, bound, number);
    cr_assert(k->bits > 64 && mpq_sgn(bound[0]) >= 0);
    cr_assert(mpq_get_d(bound[0]) < 1.00001e-60 && mpq_get_d(bound[1]) > 0.99999e-60);
}

static const char sqrt2[] = "field -2 0 1 interval 1 2\n",
                  minus_sqrt2[] = "field -2 0 1 interval -2 -1\n";

/* Reads a field, if any, a form on three rows, and a factor. */
static void read_with_factor(text *t)
{
    head h = {.n = 3, .d = 1};
    network net = {0};
    factor f = {0};
    read_geometry(&h, t, &net);
    if (comes(t, "factor")) read_factor(&f, t, &h);
}

Test(check_field, forms)
{
    static const struct {
        int status;
        const char *field, *rest;
    } cases[] = {
        {0, "", "form 1.1:2 1.2:1 2.2:2 3.3:1/9\n"},
        {0, "", "form 1.1:1 1.2:1/2 2.2:1 3.3:1\n"},
        {NOT_VERIFIED, "", "form 1.1:1 2.2:1 3.3:1\n"},
        {NOT_VERIFIED, sqrt2, "form 1.1:1 2.2:1 3.3:1\n"},
        {NOT_VERIFIED, "", "form 1.1:2 1.2:1 2.2:2\n"},
        {NOT_VERIFIED, "", "form\n"},
        {NOT_VERIFIED, "", "form 1.1:2 1.2:2 2.2:2 3.3:1\n"},
        {NOT_VERIFIED, "", "form 1.1:2 1.2:3 2.2:2 3.3:1\n"},
        {NOT_VERIFIED, "", "form 1.1:2 2.1:1 2.2:2 3.3:1\n"},
        {NOT_VERIFIED, "", "form 1.1:2 1.2:1 2.1:1 2.2:2 3.3:1\n"},
        {NOT_VERIFIED, "", "form 1.1:2 2.2:2 3.3:0\n"},
        {NOT_VERIFIED, "", "form 1.1:2 2.2:2 3.3:0,1\n"},
        {NOT_VERIFIED, "", "form 1.1:2 2.2:2 4.4:1\n"},
        {0, sqrt2, "form 1.1:0,1 2.2:0,1 3.3:0,1\n"},
        {NOT_VERIFIED, minus_sqrt2, "form 1.1:0,1 2.2:0,1 3.3:0,1\n"},
        {0, minus_sqrt2, "form 1.1:1 2.2:0,-1 3.3:1\n"},
        {NOT_VERIFIED, sqrt2, "form 1.1:2 1.2:0,1 2.2:1 3.3:1\n"},
        {0, sqrt2, "form 1.1:2 1.2:0,1 2.2:1000001/1000000 3.3:1\n"},
        {NOT_VERIFIED, sqrt2, "form 1.1:2 1.2:0,1 2.2:999999/1000000 3.3:1\n"},
        {NOT_VERIFIED, sqrt2, "form 1.1:2,0 2.2:1 3.3:1\n"},
        {NOT_VERIFIED, sqrt2, "form 1.1:2,1,1 2.2:1 3.3:1\n"},
        {NOT_VERIFIED, sqrt2, "form 1.1:2, 1 2.2:1 3.3:1\n"},
        {0, sqrt2, "factor 2 u 1:0,1 3:1,1 c 1:0,-1/2\n"},
        {NOT_VERIFIED, sqrt2, "factor 0,1 u 1:0,1\n"},
        {NOT_VERIFIED, sqrt2, "factor 2 u 1:0,0\n"},
        {NOT_VERIFIED, sqrt2, "factor 2 u 1:0\n"},
        {NOT_VERIFIED, sqrt2, "factor 2 u 1:0,1,0\n"},
        {NOT_VERIFIED, sqrt2, "factor 2 u 1:0,1 2:0,2/4\n"},
        {NOT_VERIFIED, sqrt2, "factor 2 u 1:0,1,2:1\n"},
        /* modulo (x^2 - 2) (x^2 - 3), at the root of 2: no inverse, and 0 */
        {NOT_VERIFIED, "field 6 0 -5 0 1 interval 1 3/2\n", "factor 2 u 1:-3,0,1\n"},
        {UNKNOWN, "field 6 0 -5 0 1 interval 1 3/2\n", "factor 2 u 1:-2,0,1\n"},
        {UNKNOWN, "field 6 0 -5 0 1 interval 1 3/2\n", "form 1.1:-2,0,1 2.2:1 3.3:1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[200];
        snprintf(bytes, sizeof bytes, "%s%s", cases[i].field, cases[i].rest);
        cr_assert(status_of(read_with_factor, bytes) == cases[i].status, "`%s`", bytes);
    }
}

/* Reads the form of a root system, n x n. */
static void read_chain(text *t)
{
    head h = {.n = number_line(t, "", 1, 1000), .d = 1};
    network net = {0};
    read_geometry(&h, t, &net);
}

Test(check_field, forms_within_budgets)
{
    static const size_t rows[] = {256, 1000};
    char *bytes = malloc(40000);
    cr_assert(bytes);
    for (size_t i = 0; i < 2; i++) {
        size_t at = (size_t)sprintf(bytes, "%zu\nform 1.1:2", rows[i]);
        for (size_t k = 1; k < rows[i]; k++)
            at += (size_t)sprintf(bytes + at, " %zu.%zu:-1 %zu.%zu:2", k, k + 1, k + 1, k + 1);
        strcpy(bytes + at, "\n");
        cr_assert(status_within((budget){20000000, (size_t)1 << 27}, read_chain, bytes) ==
                  (i == 0 ? 0 : UNKNOWN));
    }
    free(bytes);
}

/* Writes a random sparse vector over a field of degree r as text and in doubles; returns the text's
 * length. */
static size_t random_vector(char *out, double *value, size_t n, size_t r, double alpha,
                            f2l_rng *rng)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        value[i] = 0;
        if (i + 1 < n && f2l_rng_below(rng, 3) == 0) continue;
        at += (size_t)sprintf(out + at, " %zu:", i + 1);
        double power = 1;
        for (size_t p = 0; p < r; p++, power *= alpha) {
            const int a =
                p + 1 < r ? (int)f2l_rng_below(rng, 7) - 3 : 1 + (int)f2l_rng_below(rng, 3);
            const bool half = a % 2 != 0 && f2l_rng_below(rng, 2) == 0;
            value[i] += power * a / (half ? 2 : 1);
            at += (size_t)sprintf(out + at, "%s%d%s", p > 0 ? "," : "", a, half ? "/2" : "");
        }
    }
    return at;
}

static double double_of(mpq_t *number, size_t r, double alpha)
{
    double sum = 0;
    for (size_t p = r; p-- > 0;) sum = sum * alpha + mpq_get_d(number[p]);
    return sum;
}

/* Factors over fields with forms, on 3 x 2 states, agree with the formula in doubles; and intervals
 * contain their numbers. */
Test(check_field, factors_over_fields)
{
    static const struct {
        const char *field, *form;
        double alpha, G[9];
    } over[] = {
        {"field -2 0 1 interval 1 2\n", "", 1.4142135623730951, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
        {"field -1 -1 1 interval 1 2\n",
         "form 1.1:2 1.2:0,-1 2.2:2 2.3:-1 3.3:2\n",
         1.618033988749895,
         {2, -1.618033988749895, 0, -1.618033988749895, 2, -1, 0, -1, 2}},
        {"field -1 -2 1 1 interval -1 0\n",
         "form 1.1:3 1.3:0,1,1/2 2.2:1 3.3:5\n",
         -0.4450418679126287,
         {3, 0, -0.34601073582, 0, 1, 0, -0.34601073582, 0, 5}},
        {"field 1 0 -8 0 14 0 -7 0 1 interval 3/2 2\n",
         "",
         1.989043790736547,
         {1, 0, 0, 0, 1, 0, 0, 0, 1}},
    };
    f2l_rng rng;
    f2l_rng_init(&rng, 7, 0); /* seed 7 */
    for (size_t i = 0; i < 400; i++) {
        const size_t o = i % (sizeof over / sizeof *over);
        char bytes[2000];
        double u[3], c[2], S[6], w[3], square = 0;
        size_t at = (size_t)sprintf(bytes, "%s%sfactor 4/3 u", over[o].field, over[o].form);
        text head_text = text_of(bytes);
        head h = {.n = 3, .d = 2};
        network net = {0};
        read_geometry(&h, &head_text, &net);
        const size_t r = h.k->degree;
        at += random_vector(bytes + at, u, 3, r, over[o].alpha, &rng);
        at += (size_t)sprintf(bytes + at, " c");
        at += random_vector(bytes + at, c, 2, r, over[o].alpha, &rng);
        strcpy(bytes + at, "\n");
        text t = text_of(bytes);
        t.at = head_text.at;
        factor *f = grab(1, sizeof *f);
        read_factor(f, &t, &h);
        mpq_t *state = zeros(6 * r), *bound = zeros(2);
        for (size_t k = 0; k < 6 * r; k++)
            mpq_set_si(state[k], (long)f2l_rng_below(&rng, 9) - 4, 1);
        for (size_t k = 0; k < 6; k++) {
            S[k] = double_of(state + k * r, r, over[o].alpha);
            clear(bound, 2);
            enclose(field_of(&h), bound, state + k * r);
            cr_assert(mpq_get_d(bound[0]) < S[k] + 1e-9 && mpq_get_d(bound[1]) > S[k] - 1e-9 &&
                      mpq_get_d(bound[1]) - mpq_get_d(bound[0]) < 1e-12);
        }
        apply_over(&h, state, 2, f);
        for (size_t k = 0; k < 3; k++) {
            w[k] = 0;
            for (size_t l = 0; l < 3; l++) w[k] += over[o].G[3 * k + l] * u[l];
            square += w[k] * u[k];
        }
        for (size_t k = 0; k < 6; k++) {
            const double along =
                w[0] * S[k % 2] + w[1] * S[2 + k % 2] + w[2] * S[4 + k % 2] - c[k % 2];
            const double expected = S[k] - 4. / 3 / square * u[k / 2] * along;
            const double found = double_of(state + k * r, r, over[o].alpha);
            cr_assert(found - expected < 1e-6 && expected - found < 1e-6,
                      "%s: entry %zu: %g, not %g", bytes, k, found, expected);
        }
    }
}

/* Each change of this network with a field and forms must be refused. */
Test(check_field, networks_over_fields)
{
    static const char good[] = "lrnn 2\n"
                               "fsa 0\n"
                               "field Q\n"
                               "label states\n"
                               "letters 1\n"
                               "letter x\n"
                               "labels 2\n"
                               "symbol a\n"
                               "symbol b\n"
                               "start 1\n"
                               "layers 1\n"
                               "layer 1 letters 1 heads 2 codes 2 symbols 2 decode step\n"
                               "head 1 key 2 value 2\n"
                               "field -2 0 1 interval 1 2\n"
                               "form 1.1:2 1.2:0,1 2.2:2\n"
                               "initial 1.1:0,1 2.2:-1/2,3\n"
                               "on 1 gate 1/2 factors 1\n"
                               "factor 2 u 1:1/2,1 2:1 c 2:0,3\n"
                               "head 2 key 1 value 1\n"
                               "form 1.1:2\n"
                               "initial 1.1:5\n"
                               "on 1 gate 1 factors 0\n"
                               "code 1 * 1.1:0,1 2.2:1 ; 1.1:1\n"
                               "code 2 * 1.1:0,1 ;\n"
                               "yield 1 1 1\n"
                               "yield 1 2 2\n"
                               "end\n";
    static const char *const change[][2] = {
        {"field Q\n", ""},
        {"field Q\n", "field -2 0 1 interval 1 2\n"},
        {"field -2 0 1 interval 1 2\n", ""},
        {"field -2 0 1 interval 1 2\n", "field Q\n"},
        {"field -2", "field 2"},
        {"field -2 0 1", "field -2 1"},
        {"form 1.1:2 1.2:0,1 2.2:2\n", "form 1.1:1 2.2:1\n"},
        {"form 1.1:2 1.2:0,1", "form 1.1:2 1.2:0,2"},
        {"2.2:2\ninitial 1.1:0,1 2.2:-1/2,3\n", "2.2:2\n"},
        {"field -2 0 1 interval 1 2\nform 1.1:2 1.2:0,1 2.2:2\n",
         "form 1.1:2 1.2:0,1 2.2:2\nfield -2 0 1 interval 1 2\n"},
        {"form 1.1:2 1.2:0,1 2.2:2\ninitial", "initial 1.1:1\nform 1.1:2 1.2:0,1 2.2:2\ninitial"},
        {"form 1.1:2\n", "form 1.1:1\n"},
        {"form 1.1:2\n", "form 1.1:-2\n"},
        {"form 1.1:2\n", "form 1.1:2,1\n"},
        {"form 1.1:2\n", "field -1 1 interval 0 2\n"},
        {"-1/2,3", "-1/2,3,0"},
        {"-1/2,3", "-1/2,3,1"},
        {"-1/2,3", "-1/2,0"},
        {"-1/2,3", "-1/2,"},
        {"-1/2,3", "-1/2,,3"},
        {"-1/2,3", ",3"},
        {"-1/2,3", "-1/2,6/2"},
        {"-1/2,3", "-0,3"},
        {"-1/2,3", "0,0"},
        {"-1/2,3", "-1/2.3"},
        {"gate 1/2", "gate 0,1"},
        {"factor 2", "factor 0,1"},
        {"u 1:1/2,1 2:1", "u 1:1/2,1,2:1"},
        {"c 2:0,3", "c 2:0,3,1"},
        {"initial 1.1:5", "initial 1.1:5,1"},
        {"code 2 * 1.1:0,1 ;", "code 2 * 1.1:0,1 2.2:1 ; 1.1:1"},
    };
    refuses_each(good, change, sizeof change / sizeof *change);
}

/* Codes that differ modulo a polynomial that is not irreducible, and perhaps as numbers, also
 * behind another head. */
Test(check_field, codes_of_a_reducible_polynomial)
{
    static const char roots[] = "6 0 -5 0 1"; /* (x^2 - 2) (x^2 - 3) */
    static const struct {
        int status;
        const char *polynomial, *interval, *first, *second;
    } cases[] = {
        {0, roots, "1 3/2", " 1.1:0,1", " 1.1:0,-1"},
        {UNKNOWN, roots, "1 3/2", " 1.1:2", " 1.1:0,0,1"},
        {0, roots, "3/2 2", " 1.1:2", " 1.1:0,0,1"},
        {UNKNOWN, roots, "3/2 2", " 1.1:3 2.1:0,1", " 1.1:0,0,1 2.1:0,1"},
        {UNKNOWN, roots, "3/2 2", "", " 2.1:-3,0,1"},
        {0, roots, "1 3/2", "", " 2.1:-3,0,1"},
        {0, roots, "3/2 2", " 1.1:3 2.1:0,1", " 1.1:0,0,1 2.1:1"},
        {0, roots, "1 3/2", " 1.1:0,1 2.1:1", " 1.1:1 2.1:0,1"},
        {NOT_VERIFIED, roots, "1 3/2", " 1.1:0,1", " 1.1:0,1"},
        {UNKNOWN, "2 -2 -1 1", "3/4 5/4", " 1.1:1", " 1.1:0,1"}, /* (x - 1) (x^2 - 2) */
        {UNKNOWN, "2 -2 -1 1", "4/5 5/4", " 1.1:1", " 1.1:0,1"},
        {0, "2 -2 -1 1", "3/4 5/4", " 1.1:1", " 1.1:0,2"},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        char bytes[600];
        const size_t c = i / 2;
        const bool more = i % 2 > 0;
        snprintf(bytes, sizeof bytes,
                 "lrnn 2\n"
                 "fsa 0\n"
                 "field Q\n"
                 "label states\n"
                 "letters 1\n"
                 "letter x\n"
                 "labels 2\n"
                 "symbol a\n"
                 "symbol b\n"
                 "start 1\n"
                 "layers 1\n"
                 "layer 1 letters 1 heads %d codes 2 symbols 2 decode state\n"
                 "%shead %d key 2 value 1\n"
                 "field %s interval %s\n"
                 "initial\n"
                 "on 1 gate 1 factors 0\n"
                 "code 1 1%s%s\n"
                 "code 2 2%s%s\n"
                 "end\n",
                 1 + more,
                 more ? "head 1 key 1 value 3\n"
                        "initial\n"
                        "on 1 gate 1 factors 0\n"
                      : "",
                 1 + more, cases[c].polynomial, cases[c].interval, more ? " 1.2:7 ;" : "",
                 cases[c].first, more ? " 1.2:7 ;" : "", cases[c].second);
        cr_assert(status_of(read_one_network, bytes) == cases[c].status, "`%s`", bytes);
    }
}
