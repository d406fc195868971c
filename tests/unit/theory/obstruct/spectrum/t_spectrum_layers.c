#include "numeric/base/rng.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/theory/spectrum_support.h"
#include "theory/obstruct/spectrum/spectra.h"

static void random_vector(f2l_qvec *v, size_t n, f2l_rng *rng)
{
    while (v->count == 0)
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(f2l_qvec_push_si(v, (uint32_t)i, (long)f2l_rng_below(rng, 5) - 2,
                                          1 + f2l_rng_below(rng, 3), NULL),
                         F2L_OK);
}

static void random_head(f2l_head *head, f2l_transition *step, size_t steps, f2l_rng *rng)
{
    *head = (f2l_head){.n = 1 + f2l_rng_below(rng, 5), .d = 1, .raw = f2l_rng_below(rng, 2)};
    for (size_t i = 0; i < steps; i++) {
        step[i] = (f2l_transition){0};
        mpq_init(step[i].gate);
        f2l_qvec_init(&step[i].bias);
        mpq_set_si(step[i].gate, (long)f2l_rng_below(rng, 4), 2);
        mpq_canonicalize(step[i].gate);
        cr_assert_eq(f2l_transition_set_factors(&step[i], f2l_rng_below(rng, 4), NULL), F2L_OK);
        for (size_t f = 0; f < step[i].factors; f++) {
            mpq_set_si(step[i].factor[f].beta, (long)f2l_rng_below(rng, 9), 4);
            mpq_canonicalize(step[i].factor[f].beta);
            random_vector(&step[i].factor[f].u, head->n, rng);
        }
    }
}

/* Does m <- (I - s u u^T) m, or g m. */
static void apply_dense(mpq_t *m, size_t n, const f2l_head *head, const f2l_transition *t)
{
    mpq_t s, sum, x;
    mpq_inits(s, sum, x, (mpq_ptr)NULL);
    for (size_t i = 0; i < n * n; i++) mpq_mul(m[i], m[i], t->gate);
    for (size_t f = 0; f < t->factors; f++) {
        const f2l_qvec *u = &t->factor[f].u;
        mpq_set(s, t->factor[f].beta);
        f2l_qvec_norm2(x, u);
        if (!head->raw) mpq_div(s, s, x);
        for (size_t j = 0; j < n; j++) {
            mpq_set_ui(sum, 0, 1);
            for (size_t i = 0; i < u->count; i++) {
                mpq_mul(x, u->value[i], m[u->index[i] * n + j]);
                mpq_add(sum, sum, x);
            }
            mpq_mul(sum, sum, s);
            for (size_t i = 0; i < u->count; i++) {
                mpq_mul(x, u->value[i], sum);
                mpq_sub(m[u->index[i] * n + j], m[u->index[i] * n + j], x);
            }
        }
    }
    mpq_clears(s, sum, x, (mpq_ptr)NULL);
}

Test(spectrum_layers, products_are_those_of_the_dense_matrix)
{
    f2l_rng rng;
    f2l_field q;
    size_t spanned = 0, plain = 0;
    f2l_rng_init(&rng, SEED, 2);
    f2l_field_init(&q);
    for (size_t round = 0; round < 300; round++) {
        f2l_head head;
        f2l_transition step[3];
        const f2l_transition *list[3] = {&step[0], &step[1], &step[2]};
        const size_t steps = 1 + f2l_rng_below(&rng, 3);
        random_head(&head, step, steps, &rng);
        const size_t n = head.n;
        mpq_t m[25];
        f2l_matrix dense;
        cr_assert_eq(f2l_matrix_init(&dense, n, n, NULL), F2L_OK);
        for (size_t i = 0; i < n * n; i++) {
            mpq_init(m[i]);
            mpq_set_ui(m[i], i % (n + 1) == 0, 1);
        }
        size_t factors = 0;
        for (size_t i = 0; i < steps; i++) {
            apply_dense(m, n, &head, &step[i]);
            factors += step[i].factors;
        }
        spanned += factors <= n;
        plain += factors > n;
        for (size_t i = 0; i < n * n; i++) f2l_number_put(&dense.entry[i], 0, m[i]);
        f2l_spectrum a, b;
        f2l_spectrum_init(&a);
        f2l_spectrum_init(&b);
        cr_assert_eq(f2l_spectrum_of_product(&a, &head, list, steps, true, NULL), F2L_OK);
        cr_assert_eq(f2l_spectrum_of_matrix(&b, &dense, &q, true, true, NULL), F2L_OK);
        cr_assert(a.n == b.n && a.kind == b.kind && a.distinct == b.distinct && a.real == b.real &&
                  a.negative == b.negative);
        for (size_t v = 0; v < a.distinct; v++)
            cr_assert_eq(multiplicity(&b, a.value[v].re_low, a.value[v].im_low),
                         a.value[v].multiplicity);
        f2l_spectrum_clear(&a);
        f2l_spectrum_clear(&b);
        for (size_t i = 0; i < n * n; i++) mpq_clear(m[i]);
        f2l_matrix_clear(&dense);
        for (size_t i = 0; i < steps; i++) {
            cr_assert_eq(f2l_transition_set_factors(&step[i], 0, NULL), F2L_OK);
            mpq_clear(step[i].gate);
            f2l_qvec_clear(&step[i].bias);
            free(step[i].factor);
        }
    }
    cr_assert(spanned > 50 && plain > 50);
    f2l_field_clear(&q);
}

Test(spectrum_layers, no_rows_and_too_many)
{
    f2l_field q;
    f2l_matrix m;
    f2l_spectrum s;
    f2l_error err;
    f2l_field_init(&q);
    f2l_spectrum_init(&s);
    cr_assert_eq(f2l_matrix_init(&m, 0, 0, NULL), F2L_OK);
    cr_assert_eq(f2l_spectrum_of_matrix(&s, &m, &q, true, false, NULL), F2L_OK);
    cr_assert(s.n == 0 && s.distinct == 0 && s.kind == F2L_SPECTRUM_NONNEGATIVE);
    f2l_matrix_clear(&m);
    f2l_spectrum_clear(&s);
    cr_assert_eq(f2l_matrix_init(&m, F2L_SPECTRUM_MAX_ROWS + 1, F2L_SPECTRUM_MAX_ROWS + 1, NULL),
                 F2L_OK);
    cr_assert_eq(f2l_spectrum_of_matrix(&s, &m, &q, false, false, &err), F2L_EDOMAIN);
    f2l_matrix_clear(&m);
    f2l_field_clear(&q);
}

/* Makes layers of one head with n = 1 and one letter each, whose matrix is the given number of
 * eighths. */
static void make_scalars(f2l_net *model, const long *eighths, size_t layers)
{
    f2l_net_init(model);
    cr_assert_eq(f2l_net_set_layers(model, layers, NULL), F2L_OK);
    for (size_t l = 0; l < layers; l++) {
        cr_assert_eq(f2l_layer_set_heads(&model->layer[l], 1, 1, NULL), F2L_OK);
        f2l_head *head = &model->layer[l].head[0];
        head->n = head->d = 1;
        hand_factor(head, 0, 1, (const long[]){1}, 0);
        mpq_set_si(head->letter[0].factor[0].beta, 8 - eighths[l], 8);
        mpq_canonicalize(head->letter[0].factor[0].beta);
    }
}

static uint64_t period_of(const f2l_spectra *s, size_t length)
{
    static const size_t word[4] = {0};
    f2l_period p;
    cr_assert_eq(f2l_spectra_period(&p, s, word, length, NULL, NULL), F2L_OK);
    cr_assert(p.known);
    return p.period;
}

Test(spectrum_layers, theorems_of_scalar_layers)
{
    f2l_net model;
    f2l_spectra s;
    f2l_theorem t;
    static const struct {
        long layer[3];
        size_t layers;
        bool t1;
        uint64_t period[2]; /* for words of 1 and 2 letters */
    } cases[] = {{{8, 2, 0}, 3, true, {1, 2}},
                 {{-4, 8}, 2, false, {2, 2}},  /* (-1/2)^2 > 0 */
                 {{8, -4}, 2, false, {2, 2}},  /* the second layer reads one letter repeatedly */
                 {{-4, -8}, 2, false, {2, 2}}, /* it reads letters in turn: positive squares */
                 {{-1, -1, -1}, 3, false, {2, 2}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_scalars(&model, cases[i].layer, cases[i].layers);
        f2l_spectra_init(&s);
        cr_assert_eq(f2l_spectra_find(&s, &model, 2, 0, NULL, NULL), F2L_OK);
        cr_assert_eq(f2l_spectra_t1(&t, &s, NULL, NULL), F2L_OK);
        cr_assert_eq(t.applies, cases[i].t1 ? F2L_APPLIES_YES : F2L_APPLIES_NO);
        cr_assert_eq(f2l_spectra_t2(&t, &s, NULL, NULL), F2L_OK);
        cr_assert_eq(t.applies, F2L_APPLIES_YES);
        for (size_t length = 1; length <= 2; length++)
            cr_assert_eq(period_of(&s, length), cases[i].period[length - 1], "case %zu, %zu", i,
                         length);
        f2l_spectra_clear(&s);
        f2l_net_clear(&model);
    }
}

/* The product of two reflections is a rotation by a third: T1 and T2 forbid nothing for two
 * letters, and T2 forbids odd cycles when there is only one layer. */
Test(spectrum_layers, products_of_swaps)
{
    f2l_net model;
    f2l_spectra s;
    f2l_theorem t;
    f2l_period p;
    f2l_fsa fsa;
    fsa_from_text(&fsa, hand_swaps_text);
    f2l_net_init(&model);
    hand_swaps(&model, &fsa);
    f2l_spectra_init(&s);
    cr_assert_eq(f2l_spectra_find(&s, &model, 3, 0, NULL, NULL), F2L_OK);
    cr_assert(s.heads == 1 && s.head[0].matrices == 2 && !s.head[0].diagonal);
    const f2l_products *two = &s.head[0].products[1];
    cr_assert(two->complete && two->products == 4 && two->kinds[F2L_SPECTRUM_NONNEGATIVE] == 2 &&
              two->kinds[F2L_SPECTRUM_COMPLEX] == 2);
    cr_assert(two->complex && two->complex[0] != two->complex[1] && !two->negative);
    cr_assert_eq(s.head[0].products[2].kinds[F2L_SPECTRUM_REAL], 8); /* reflections */
    cr_assert_eq(f2l_spectra_t1(&t, &s, NULL, NULL), F2L_OK);
    cr_assert(t.applies == F2L_APPLIES_NO && t.layer == 0 && t.length == 1);
    cr_assert_eq(f2l_spectra_t2(&t, &s, NULL, NULL), F2L_OK);
    cr_assert_eq(t.applies, F2L_APPLIES_YES);
    cr_assert_eq(f2l_spectra_period(&p, &s, (const size_t[]){0, 1}, 2, NULL, NULL), F2L_OK);
    cr_assert(!p.known && p.real == F2L_APPLIES_NO && p.period == 2);
    cr_assert_eq(f2l_spectra_period(&p, &s, (const size_t[]){1}, 1, NULL, NULL), F2L_OK);
    cr_assert(p.known && p.period == 2);
    /* not all products may be examined, so that nothing is said about the rest */
    f2l_products few;
    f2l_products_init(&few);
    cr_assert_eq(f2l_products_find(&few, &s.head[0], 4, 3, NULL, NULL), F2L_OK);
    cr_assert(!few.complete && few.products == 3);
    f2l_products_clear(&few);
    f2l_spectra_clear(&s);
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
}

/* A gate of 0 makes the matrix 0, whatever its factors are. */
Test(spectrum_layers, gates_of_zero_are_one_matrix)
{
    f2l_net model;
    f2l_spectra s;
    f2l_net_init(&model);
    cr_assert_eq(f2l_net_set_layers(&model, 1, NULL), F2L_OK);
    cr_assert_eq(f2l_layer_set_heads(&model.layer[0], 3, 1, NULL), F2L_OK);
    f2l_head *head = &model.layer[0].head[0];
    head->n = 2;
    head->d = 1;
    hand_factor(head, 1, 2, (const long[]){0, 3}, 0);
    hand_factor(head, 2, 1, (const long[]){2, 0}, 0);
    mpq_set_ui(head->letter[0].gate, 0, 1);
    mpq_set_ui(head->letter[2].gate, 0, 1);
    f2l_spectra_init(&s);
    cr_assert_eq(f2l_spectra_find(&s, &model, 1, 10, NULL, NULL), F2L_OK);
    cr_assert_eq(s.head[0].matrices, 2);
    cr_assert_eq(s.head[0].matrix_of[0], s.head[0].matrix_of[2]);
    f2l_spectra_clear(&s);
    f2l_net_clear(&model);
}

/* Diagonal matrices are real by rule, however many there are. With a rotation in layer 2 T2 needs
 * products of two letters. */
Test(spectrum_layers, diagonal_by_rule)
{
    f2l_net model;
    f2l_spectra s;
    f2l_products p;
    f2l_net_init(&model);
    cr_assert_eq(f2l_net_set_layers(&model, 1, NULL), F2L_OK);
    cr_assert_eq(f2l_layer_set_heads(&model.layer[0], 3, 1, NULL), F2L_OK);
    f2l_head *head = &model.layer[0].head[0];
    head->n = 2;
    head->d = 1;
    hand_factor(head, 1, 2, (const long[]){0, 3}, 0);
    hand_factor(head, 2, 1, (const long[]){2, 0}, 0);
    f2l_spectra_init(&s);
    cr_assert_eq(f2l_spectra_find(&s, &model, 1, 10, NULL, NULL), F2L_OK);
    f2l_products_init(&p);
    cr_assert_eq(f2l_products_find(&p, &s.head[0], 3, 10, NULL, NULL), F2L_OK);
    cr_assert(p.complete && p.diagonal && p.worst == F2L_SPECTRUM_REAL && p.products == 0);
    cr_assert_eq(f2l_products_find(&p, &s.head[0], 3, 27, NULL, NULL), F2L_OK);
    cr_assert(p.complete && !p.diagonal && p.worst == F2L_SPECTRUM_REAL && p.products == 27);
    f2l_products_clear(&p);
    f2l_spectra_clear(&s);
    f2l_net_clear(&model);
}
