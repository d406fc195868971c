/* Bounds for chunk64, compared with the chunked form computed on random words. */
#include "numeric/base/mem.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/theory/local_support.h"
#include "tests/support/theory/unrounded_support.h"
#include "theory/construct/register/register.h"
#include "theory/construct/t3/t3.h"
#include <math.h>

#define SEED 20261123
enum { ROWS = 64, BLOCK = 16 };

/* The factors of a word in a head, dense, as doubles; all numbers here are small dyadics. */
typedef struct rows {
    size_t n, d, count;
    double *k, *beta, *v; /* [count][n], [count], [count][d] */
} rows;

static size_t most_factors(const f2l_layer *layer, const f2l_head *head)
{
    size_t most = 0;
    for (size_t a = 0; a < layer->letters; a++)
        if (head->letter[a].factors > most) most = head->letter[a].factors;
    return most;
}

static void rows_init(rows *r, const f2l_layer *layer, const f2l_head *head, const uint32_t *letter,
                      size_t length)
{
    const size_t per = most_factors(layer, head);
    *r = (rows){.n = head->n, .d = head->d, .count = per * length};
    r->k = calloc(r->count * r->n, sizeof *r->k);
    r->beta = calloc(r->count, sizeof *r->beta);
    r->v = calloc(r->count * r->d, sizeof *r->v);
    for (size_t t = 0; t < length; t++) {
        const f2l_transition *of = &head->letter[letter[t]];
        for (size_t m = 0; m < of->factors; m++) {
            const f2l_factor *factor = &of->factor[m];
            const size_t row = t * per + m;
            double norm = 0;
            for (size_t i = 0; i < factor->u.count; i++)
                norm += pow(mpq_get_d(factor->u.value[i]), 2);
            norm = sqrt(norm);
            r->beta[row] = mpq_get_d(factor->beta);
            for (size_t i = 0; i < factor->u.count; i++)
                r->k[row * r->n + factor->u.index[i]] = mpq_get_d(factor->u.value[i]) / norm;
            for (size_t i = 0; i < factor->c.count; i++)
                r->v[row * r->d + factor->c.index[i]] = mpq_get_d(factor->c.value[i]) / norm;
        }
    }
}

static void rows_clear(rows *r)
{
    free(r->k);
    free(r->beta);
    free(r->v);
}

static const char *const whats[] = {
    "key",          "beta",     "value",      "gram",       "scaled",     "inverse",
    "inverse-sums", "beta-key", "beta-value", "w",          "w-sums",     "u-sums",
    "new",          "new-sums", "state",      "state-sums", "output-sums"};
enum {
    KEY,
    BETA,
    VALUE,
    GRAM,
    SCALED,
    INVERSE,
    INVERSE_SUMS,
    BETA_KEY,
    BETA_VALUE,
    W,
    W_SUMS,
    U_SUMS,
    NEW,
    NEW_SUMS,
    STATE,
    STATE_SUMS,
    OUTPUT_SUMS,
    WHATS
};

/* The claimed bounds of one head's numbers, and the largest numbers that occurred. */
typedef struct claims {
    int places[WHATS];
    double most[WHATS], seen[WHATS];
} claims;

static void claims_init(claims *c, const f2l_unrounded *u, size_t layer, size_t head)
{
    size_t found = 0;
    for (size_t i = 0; i < u->bounds; i++) {
        const f2l_unrounded_bound *bound = &u->bound[i];
        if (bound->layer != layer || bound->head != head) continue;
        cr_assert_str_eq(bound->what, whats[found]);
        c->places[found] = bound->places;
        c->seen[found] = 0;
        c->most[found++] = mpq_get_d(bound->most);
    }
    cr_assert_eq(found, WHATS);
}

static double claimed(claims *c, int what, double x)
{
    const double scaled = ldexp(x, c->places[what]);
    cr_assert(fabs(x) <= c->most[what], "%s: %g is more than %g", whats[what], x, c->most[what]);
    cr_assert(scaled == floor(scaled), "%s: %g is no multiple of 2^-%d", whats[what], x,
              c->places[what]);
    if (fabs(x) > c->seen[what]) c->seen[what] = fabs(x);
    return x;
}

/* Computes T[64][64] from A[64][64] as flash-linear-attention does: blocks of 16 by substitution,
 * then merged. */
static void invert(claims *c, double *T, const double *A)
{
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) T[i * ROWS + j] = i == j;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = i / BLOCK * BLOCK; j < i; j++) {
            double sum = -A[i * ROWS + j];
            for (size_t l = j + 1; l < i; l++)
                sum = claimed(c, INVERSE_SUMS,
                              sum - claimed(c, INVERSE_SUMS, A[i * ROWS + l] * T[l * ROWS + j]));
            T[i * ROWS + j] = sum;
        }
    for (size_t down = 1; down < ROWS / BLOCK; down++)
        for (size_t q = 0; q + down < ROWS / BLOCK; q++) {
            const size_t top = (q + down) * BLOCK, left = q * BLOCK;
            double sum[BLOCK][BLOCK] = {{0}}; /* A times T */
            for (size_t i = 0; i < BLOCK; i++)
                for (size_t j = 0; j < BLOCK; j++)
                    for (size_t l = left; l < top; l++)
                        sum[i][j] =
                            claimed(c, INVERSE_SUMS,
                                    sum[i][j] + A[(top + i) * ROWS + l] * T[l * ROWS + left + j]);
            for (size_t i = 0; i < BLOCK; i++)
                for (size_t j = 0; j < BLOCK; j++) {
                    double x = 0;
                    for (size_t l = 0; l < BLOCK; l++)
                        x = claimed(c, INVERSE_SUMS, x - T[(top + i) * ROWS + top + l] * sum[l][j]);
                    T[(top + i) * ROWS + left + j] = x;
                }
        }
    for (size_t i = 0; i < ROWS * ROWS; i++) claimed(c, INVERSE, T[i]);
}

/* Computes rows first .. first + 63 from h[n][d], which becomes the state after them; `reading` is
 * of the state before the letters, plus the terms of the earlier rows. */
static void chunk(claims *c, const rows *r, size_t first, double *h, double *reading)
{
    static double A[ROWS * ROWS], T[ROWS * ROWS];
    const size_t n = r->n, d = r->d, count = r->count - first < ROWS ? r->count - first : ROWS;
    memset(A, 0, sizeof A);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            double sum = 0;
            for (size_t l = 0; l < n; l++)
                sum = claimed(c, GRAM,
                              sum + claimed(c, KEY, r->k[(first + i) * n + l]) *
                                        r->k[(first + j) * n + l]);
            A[i * ROWS + j] = claimed(c, SCALED, sum * claimed(c, BETA, r->beta[first + i]));
        }
    invert(c, T, A);
    double *w = calloc(n, sizeof *w), *new = calloc(ROWS * d, sizeof *new);
    for (size_t i = 0; i < count; i++) {
        for (size_t l = 0; l < n; l++) {
            w[l] = 0;
            for (size_t j = 0; j <= i; j++)
                w[l] = claimed(c, W_SUMS,
                               w[l] + T[i * ROWS + j] *
                                          claimed(c, BETA_KEY,
                                                  r->beta[first + j] * r->k[(first + j) * n + l]));
            claimed(c, W, w[l]);
        }
        for (size_t e = 0; e < d; e++) {
            double u = 0, wh = 0;
            for (size_t j = 0; j <= i; j++)
                u = claimed(c, U_SUMS,
                            u + T[i * ROWS + j] *
                                    claimed(c, BETA_VALUE,
                                            r->beta[first + j] *
                                                claimed(c, VALUE, r->v[(first + j) * d + e])));
            claimed(c, NEW, u);
            for (size_t l = 0; l < n; l++)
                wh = claimed(c, NEW_SUMS, wh + w[l] * claimed(c, STATE, h[l * d + e]));
            new[i * d + e] = claimed(c, NEW, u - wh);
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t l = 0; l < n; l++)
            for (size_t e = 0; e < d; e++) {
                const double more = r->k[(first + i) * n + l] * new[i * d + e];
                h[l * d + e] = claimed(c, STATE_SUMS, h[l * d + e] + more);
                reading[l * d + e] = claimed(c, OUTPUT_SUMS, reading[l * d + e] + more);
            }
    for (size_t i = 0; i < n * d; i++) claimed(c, STATE, h[i]);
    free(w);
    free(new);
}

/* Applies one row to the state of the recurrence. */
static void recur(const rows *r, size_t row, double *s)
{
    for (size_t e = 0; e < r->d; e++) {
        double x = -r->v[row * r->d + e];
        for (size_t l = 0; l < r->n; l++) x += r->k[row * r->n + l] * s[l * r->d + e];
        for (size_t l = 0; l < r->n; l++)
            s[l * r->d + e] -= r->k[row * r->n + l] * r->beta[row] * x;
    }
}

static bool set_has(const f2l_unrounded_set *set, const double *s, size_t n, size_t d,
                    uint32_t column)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->column[i] != column) continue;
        const f2l_qvec *v = &set->vector[i];
        size_t e = 0;
        bool same = true;
        for (size_t l = 0; l < n && same; l++) {
            const bool is = e < v->count && v->index[e] == l;
            same = s[l * d + column] == (is ? mpq_get_d(v->value[e]) : 0);
            e += is;
        }
        if (same) return true;
    }
    return false;
}

static void run_head(claims *c, const f2l_unrounded *u, const f2l_layer *layer, size_t h,
                     const uint32_t *letter, size_t length)
{
    const f2l_head *head = &layer->head[h];
    const size_t size = head->n * head->d, per = most_factors(layer, head);
    rows r;
    rows_init(&r, layer, head, letter, length);
    double *state = calloc(size, sizeof *state), *exact = calloc(size, sizeof *exact);
    double *reading = calloc(size, sizeof *reading);
    for (size_t i = 0; i < head->initial.count; i++)
        exact[head->initial.index[i]] = state[head->initial.index[i]] =
            mpq_get_d(head->initial.value[i]);
    for (size_t first = 0, row = 0; first < r.count; first += ROWS) {
        if (first / ROWS % per == 0) memcpy(reading, state, size * sizeof *state);
        chunk(c, &r, first, state, reading);
        for (; row < r.count && row < first + ROWS; row++) {
            recur(&r, row, exact);
            if ((row + 1) % per == 0)
                for (size_t e = 0; e < head->d; e++)
                    cr_assert(set_has(&u->set[h], exact, head->n, head->d, (uint32_t)e));
        }
        for (size_t i = 0; i < size; i++) cr_assert_eq(state[i], exact[i]);
    }
    free(state);
    free(exact);
    free(reading);
    rows_clear(&r);
}

/* Checks layer 1 on random words; c receives the numbers that occurred, by head. */
static void check_net(f2l_net *net, const char *format_name, size_t words, claims *c, size_t heads)
{
    f2l_net model;
    f2l_unrounded u;
    f2l_rng rng;
    const f2l_format format = named_format(format_name);
    const f2l_schedule schedule = named_schedule("chunk64");
    uint32_t letter[150];
    f2l_net_init(&model);
    model = *net; /* lent */
    f2l_unrounded_init(&u);
    find_unrounded(&u, &model, &format, &schedule);
    cr_assert_eq(u.verdict, F2L_OK, "%s", u.reason);
    cr_assert_eq(heads, net->layer[0].heads);
    f2l_rng_init(&rng, SEED, 0);
    for (size_t h = 0; h < heads; h++) {
        claims_init(&c[h], &u, 0, h);
        for (size_t word = 0; word < words; word++) {
            for (size_t t = 0; t < 150; t++)
                letter[t] = (uint32_t)f2l_rng_below(&rng, net->layer[0].letters);
            run_head(&c[h], &u, &net->layer[0], h, letter, 150);
        }
    }
    f2l_unrounded_clear(&u);
}

typedef struct fixture {
    f2l_fsa fsa;
    f2l_gset set;
    f2l_net net;
} fixture;

static void open_group(fixture *f, uint64_t points, f2l_t3_keys keys)
{
    f2l_error err = {0};
    f2l_t3_report report;
    f2l_fsa_init(&f->fsa);
    f2l_gset_init(&f->set);
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_family_build(&f->fsa, "symmetric", &points, 1, false, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(f2l_gset_smallest(&f->set, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(
        f2l_t3_build(&f->net, &report, &f->fsa, F2L_LABEL_STATES, keys, &f->set, NULL, &err),
        F2L_OK, "%s", err.text);
}

static void close_group(fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_gset_clear(&f->set);
    f2l_fsa_clear(&f->fsa);
}

/* Stored numbers are as large as the bounds allow: the bounds are no wider than necessary. */
Test(unrounded_chunk, groups)
{
    static const int stored[] = {KEY, BETA, SCALED, INVERSE, BETA_KEY, W, NEW, STATE};
    for (size_t i = 0; i < 4; i++) {
        fixture f;
        claims c;
        open_group(&f, i < 2 ? 3 : 5, i % 2 == 0 ? F2L_T3_EXACT : F2L_T3_DOUBLED);
        check_net(&f.net, "e4m3", 6, &c, 1);
        for (size_t k = 0; k < sizeof stored / sizeof *stored; k++)
            cr_assert_eq(c.seen[stored[k]], c.most[stored[k]], "%zu: %s, %g of %g", i,
                         whats[stored[k]], c.seen[stored[k]], c.most[stored[k]]);
        close_group(&f);
    }
}

/* Some letters write, so that U is not 0. */
Test(unrounded_chunk, register_of_letters)
{
    f2l_error err = {0};
    f2l_fsa fsa;
    f2l_net net;
    f2l_definite definite;
    f2l_register_report report;
    claims c;
    fsa_from_text(&fsa, "fsa 1\n"
                        "letters a b\n"
                        "states aa ab ba bb\n"
                        "start aa\n"
                        "aa a aa\n"
                        "aa b ab\n"
                        "ab a ba\n"
                        "ab b bb\n"
                        "ba a aa\n"
                        "ba b ab\n"
                        "bb a ba\n"
                        "bb b bb\n");
    f2l_net_init(&net);
    f2l_definite_init(&definite);
    cr_assert_eq(f2l_definite_find(&definite, &fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_register_build(&net, &report, &fsa, F2L_LABEL_STATES, &definite, NULL, &err),
                 F2L_OK, "%s", err.text);
    check_net(&net, "e4m3", 6, &c, 1);
    cr_assert_gt(c.seen[VALUE], 0);
    cr_assert_gt(c.seen[U_SUMS], 0);
    f2l_definite_clear(&definite);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

Test(unrounded_chunk, cascade)
{
    local_fixture f;
    fsa_from_text(&f.fsa, "fsa 1\n"
                          "letters a b c\n"
                          "states 1 2 3\n"
                          "start 1\n"
                          "1 a 2\n"
                          "2 a 3\n"
                          "3 a 1\n"
                          "1 b 2\n"
                          "2 b 1\n"
                          "3 b 3\n"
                          "1 c 1\n"
                          "2 c 1\n"
                          "3 c 3\n");
    local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    claims *c = calloc(f.net.layer[0].heads, sizeof *c);
    check_net(&f.net, "bf16", 4, c, f.net.layer[0].heads);
    free(c);
    local_clear(&f);
}

static void reason_of(f2l_net *net, const char *format_name, char reason[256])
{
    f2l_net model;
    f2l_unrounded u;
    const f2l_format format = named_format(format_name);
    const f2l_schedule schedule = named_schedule("chunk64");
    f2l_net_init(&model);
    model = *net;
    f2l_unrounded_init(&u);
    find_unrounded(&u, &model, &format, &schedule);
    cr_assert_eq(u.verdict, F2L_UNKNOWN);
    memcpy(reason, u.reason, sizeof u.reason);
    f2l_unrounded_clear(&u);
}

/* The letter is a projection and then a reflection: |k . x| halves again and again, and the set of
 * states is infinite. */
#define ENDLESS \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel states\nletters 1\nletter a\nlabels 1\nsymbol p\nstart 1\n" \
    "layers 1\nlayer 1 letters 1 heads 1 codes 1 symbols 1 decode state\nhead 1 key 4 value 1\n" \
    "initial 1.1:1\non 1 gate 1 factors 2\nfactor 1 u 1:1\nfactor 2 u 1:1 2:1 3:1 4:1\n" \
    "code 1 1 1.1:1\nend\n"
#define FAILING_GATE \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel states\nletters 1\nletter a\nlabels 1\nsymbol p\nstart 1\n" \
    "layers 1\nlayer 1 letters 1 heads 1 codes 1 symbols 1 decode state\nhead 1 key 1 value 1\n" \
    "initial 1.1:1\non 1 gate 1/2 factors 1\nfactor 1 u 1:1\ncode 1 1 1.1:1\nend\n"

Test(unrounded_chunk, reasons)
{
    static const char *const of[][2] = {
        {ENDLESS, "layer 1, head 1: inverse: multiples of 2^-"},
        {FAILING_GATE, "layer 1, head 1, letter a: chunk64 is without gates"}};
    for (size_t i = 0; i < 2; i++) {
        f2l_error err = {0};
        f2l_net net;
        char reason[256];
        f2l_net_init(&net);
        cr_assert_eq(f2l_net_read(&net, of[i][0], strlen(of[i][0]), &err), F2L_OK, "%s", err.text);
        reason_of(&net, "bf16", reason);
        cr_assert_eq(strncmp(reason, of[i][1], strlen(of[i][1])), 0, "%s", reason);
        f2l_net_clear(&net);
    }
}

/* The state needs one more bit than e4m3 has. */
Test(unrounded_chunk, a_state_too_large)
{
    fixture f;
    char reason[256];
    open_group(&f, 3, F2L_T3_DOUBLED);
    f2l_layer *layer = &f.net.layer[0];
    for (size_t c = 0; c < layer->codes; c++)
        for (size_t i = 0; i < layer->code[c].count; i++)
            mpq_set_ui(layer->code[c].value[i],
                       8 * mpz_get_ui(mpq_numref(layer->code[c].value[i])) + 1, 1);
    for (size_t i = 0; i < layer->head[0].initial.count; i++)
        mpq_set_ui(layer->head[0].initial.value[i],
                   8 * mpz_get_ui(mpq_numref(layer->head[0].initial.value[i])) + 1, 1);
    reason_of(&f.net, "e4m3", reason);
    cr_assert_str_eq(reason, "layer 1, head 1: row 2, column 1 of the initial state is 17, no "
                             "value of e4m3");
    close_group(&f);
}
