#include "models/learn/seq/mixer.h"
#include "tests/support/train/inspect_support.h"
#include "tests/support/train/seq_f64.h"

#define SEED 41
#define DEGREES (180 / acos(-1))

/* Replaces `change`, the difference of two states of one sequence after `repeats` readings of the
 * letter, by their difference after one more reading: this applies the model's A(w), since values
 * and start cancel. */
static void model_applies(double *change, const seq_case *s, uint32_t letter, size_t repeats)
{
    const f2l_seq_config *c = &s->model.config;
    const size_t numbers = f2l_seq_state_count(&s->model),
                 recurrence = c->mixer == &f2l_mixer_delta ? c->heads * c->key_dim * c->value_dim
                                                           : c->channels * c->states;
    double *one = f2l_calloc(numbers, sizeof *one), *two = f2l_calloc(numbers, sizeof *two),
           logits[8];
    f2l_seq_work_f64 *work = work_of(&s->model, 1, 1, false);
    const f2l_seq_batch batch = {.sequences = 1, .length = 1, .letter = &letter};
    f2l_seq_state_start_f64(one, 1, s->parameter, &s->model);
    for (size_t i = 0; i < repeats; i++) /* fills the convolution */
        cr_assert(f2l_seq_logits_f64(logits, one, &batch, s->parameter, work, NULL) == F2L_OK);
    memcpy(two, one, numbers * sizeof *two);
    for (size_t i = 0; i < recurrence; i++) two[i] += change[i];
    cr_assert(f2l_seq_logits_f64(logits, one, &batch, s->parameter, work, NULL) == F2L_OK);
    cr_assert(f2l_seq_logits_f64(logits, two, &batch, s->parameter, work, NULL) == F2L_OK);
    for (size_t i = 0; i < recurrence; i++) change[i] = two[i] - one[i];
    f2l_seq_work_free_f64(work);
    f2l_free(one);
    f2l_free(two);
}

static void check_delta(const seq_case *s, const f2l_inspect *x, size_t number)
{
    const f2l_seq_config *c = &s->model.config;
    const size_t each = c->key_dim * c->value_dim;
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, number);
    for (uint32_t a = 0; a < c->letters; a++) {
        double change[64], mine[64];
        for (size_t i = 0; i < c->heads * each; i++)
            mine[i] = change[i] = ldexp((double)f2l_rng_u32(&rng), -31) - 1;
        model_applies(change, s, a, x->repeats);
        for (size_t h = 0; h < c->heads; h++)
            f2l_inspect_apply(mine + h * each, x, h, a, c->value_dim);
        for (size_t i = 0; i < c->heads * each; i++)
            cr_assert(fabs(mine[i] - change[i]) < 1e-12 * (1 + fabs(mine[i])),
                      "configuration %zu: %g, not %g", number, mine[i], change[i]);
    }
}

static void check_diagonal(const seq_case *s, const f2l_inspect *x, size_t number)
{
    const f2l_seq_config *c = &s->model.config;
    const size_t each = c->channels * c->states;
    for (uint32_t a = 0; a < c->letters; a++) {
        double change[64];
        for (size_t i = 0; i < each; i++) change[i] = 1;
        model_applies(change, s, a, x->repeats);
        for (size_t i = 0; i < each; i++)
            cr_assert(fabs(x->decay[a * each + i] - change[i]) < 1e-13, "configuration %zu",
                      number);
    }
}

/* The reported transition of a letter equals the model's, in every class of model. */
Test(inspect, transitions_are_those_of_the_model)
{
    f2l_seq_config c;
    for (size_t number = 0; config_sample(&c, number); number++) {
        f2l_inspect x;
        if (c.mixer != &f2l_mixer_delta && c.mixer != &f2l_mixer_diagonal) continue;
        c.layers = 1;
        seq_case s = seq_case_of(&c, SEED + number);
        inspect_build(&x, &s, NULL);
        if (c.mixer == &f2l_mixer_delta)
            check_delta(&s, &x, number);
        else
            check_diagonal(&s, &x, number);
        f2l_inspect_clear(&x);
        f2l_inspect_clear(&x);
        seq_case_free(&s);
    }
}

/* Checks that the whole matrix has the traces of powers, and the sum of squares, that follow from
 * eigenvalues and singular values. */
static void check_spectrum(const f2l_inspect *x, size_t head, size_t letter, size_t number)
{
    const f2l_inspect_head *h = &x->head[head];
    const size_t K = x->key_dim, M = x->reduced;
    double a[64] = {0}, power[64], squares = 0, distance = 0;
    for (size_t i = 0; i < K; i++) a[i * K + i] = 1;
    f2l_inspect_apply(a, x, head, letter, K);
    for (size_t i = 0; i < K * K; i++) squares += a[i] * a[i];
    for (size_t i = 0; i < K; i++) {
        const double s = i < M ? h->singular[letter * M + i] : h->gate[letter];
        squares -= s * s;
        distance += (s - 1) * (s - 1);
    }
    cr_assert(fabs(squares) < 1e-12 * (1 + distance), "configuration %zu: %g", number, squares);
    cr_assert(fabs(sqrt(distance) - h->distance[letter]) < 1e-13 * (1 + sqrt(distance)));
    memcpy(power, a, sizeof power);
    for (size_t k = 1; k <= K; k++) {
        double trace = 0, size = 1;
        for (size_t i = 0; i < K; i++) {
            const double re = i < M ? h->re[letter * M + i] : h->gate[letter],
                         im = i < M ? h->im[letter * M + i] : 0;
            const double modulus = pow(hypot(re, im), (double)k);
            trace += power[i * K + i] - modulus * cos((double)k * atan2(im, re));
            size = fmax(size, modulus);
        }
        cr_assert(fabs(trace) < 1e-11 * size, "configuration %zu, power %zu: %g", number, k, trace);
        f2l_inspect_apply(power, x, head, letter, K);
    }
}

Test(inspect, spectra_are_those_of_the_whole_matrices)
{
    f2l_seq_config c;
    for (size_t number = 0; config_sample(&c, number); number++) {
        f2l_inspect x;
        if (c.mixer != &f2l_mixer_delta) continue;
        c.layers = 1;
        c.key_dim = number % 2 ? 2 : 5; /* also fewer dimensions than factors */
        seq_case s = seq_case_of(&c, SEED + number);
        inspect_build(&x, &s, NULL);
        for (size_t h = 0; h < c.heads; h++)
            for (size_t a = 0; a < c.letters; a++) check_spectrum(&x, h, a, number);
        f2l_inspect_clear(&x);
        seq_case_free(&s);
    }
}

/* One factor has the eigenvalue 1 - beta; two of beta 2 at an angle turn by twice the angle. */
Test(inspect, reflections_and_rotations)
{
    const double angle[] = {0, 10, 36, 45, 60, 89, 90, 120, 175}, beta[] = {0, 0.25, 1.1, 1.75, 2};
    const size_t letters = sizeof angle / sizeof *angle;
    f2l_inspect x;
    seq_case s = inspect_case(letters, 2, 2, 4, 1);
    for (size_t a = 0; a < letters; a++) {
        const double t = angle[a] / DEGREES, zero[4] = {0}, first[4] = {3, 0, 4, 0},
                     second[4] = {0.6 * cos(t), sin(t), 0.8 * cos(t), 0};
        inspect_set(&s, a, 0, 0, first, 2);
        inspect_set(&s, a, 0, 1, second, 2);
        inspect_set(&s, a, 1, 0, first, beta[a % 5]);
        inspect_set(&s, a, 1, 1, zero, 2);
    }
    inspect_build(&x, &s, NULL);
    for (size_t a = 0; a < letters; a++) {
        const f2l_inspect_head *h = &x.head[0], *g = &x.head[1];
        const double t = 2 * angle[a] / DEGREES, line = angle[a] > 90 ? 180 - angle[a] : angle[a];
        cr_assert(fabs(h->angle[a] - line) < 1e-7, "%g: %g", angle[a], h->angle[a]);
        cr_assert(fabs(h->re[2 * a] - cos(t)) < 1e-14 && fabs(h->re[2 * a + 1] - cos(t)) < 1e-14);
        cr_assert(fabs(h->im[2 * a] + fabs(sin(t))) < 1e-12 &&
                  fabs(h->im[2 * a + 1] - fabs(sin(t))) < 1e-12);
        cr_assert(h->distance[a] < 1e-14);
        cr_assert(fabs(g->beta[2 * a] - beta[a % 5]) < 1e-14 && g->beta[2 * a + 1] == 0 &&
                  isnan(g->angle[a]));
        cr_assert(fabs(g->re[2 * a] - fmin(1 - beta[a % 5], 1)) < 1e-14 &&
                  fabs(g->re[2 * a + 1] - 1) < 1e-14);
        cr_assert(fabs(g->distance[a] - (1 - fabs(1 - beta[a % 5]))) < 1e-14);
    }
    cr_assert(x.head[0].letters_high == letters && x.head[0].letters_low == 0 &&
              x.head[0].betas.near_high == 2 * letters);
    cr_assert(x.head[1].factor[1].near_low == letters && x.head[1].acting.keys == 5);
    f2l_inspect_clear(&x);
    seq_case_free(&s);
}

/* Keys in three orthogonal directions, with 2, 1 and 1 of them, give these three components. */
Test(inspect, components_of_known_keys)
{
    f2l_inspect x;
    seq_case s = inspect_case(4, 1, 1, 5, 1);
    const double key[4][5] = {{0, 2, 0, 0, 0}, {0, -3, 0, 0, 0}, {1, 0, 0, 0, 1}, {1, 0, 0, 0, -1}};
    for (size_t a = 0; a < 4; a++) inspect_set(&s, a, 0, 0, key[a], a == 3 ? 0.9 : 2);
    inspect_build(&x, &s, NULL);
    const f2l_inspect_components *c = &x.head[0].all, *acting = &x.head[0].acting;
    const double share[5] = {0.5, 0.25, 0.25, 0, 0}, sum = 2 + sqrt(2);
    for (size_t i = 0; i < 5; i++) cr_assert(fabs(c->share[i] - share[i]) < 1e-14);
    cr_assert(c->keys == 4 && c->enough == 3 && fabs(c->component[1] - 1) < 1e-14);
    cr_assert(fabs(c->component[1 * 5 + 1]) < 1e-14 && fabs(c->component[2 * 5 + 1]) < 1e-14);
    const double rank = exp(sqrt(2) / sum * log(sum / sqrt(2)) + 2 / sum * log(sum));
    cr_assert(fabs(c->effective_rank - rank) < 1e-12, "%g, not %g", c->effective_rank, rank);
    cr_assert(acting->keys == 3 && acting->enough == 2 && fabs(acting->share[0] - 2.0 / 3) < 1e-14);
    f2l_inspect_clear(&x);
    /* The last two letters never occurred, so that one direction is left. */
    const unsigned char used[4] = {1, 1, 0, 0};
    inspect_build(&x, &s, used);
    cr_assert(x.head[0].all.enough == 1 && x.head[0].betas.count == 2 && x.used_letters == 2);
    cr_assert(fabs(x.head[0].all.effective_rank - 1) < 1e-12);
    cr_assert(x.head[0].key[2 * 5] > 0.7 && x.head[0].worst < 2);
    f2l_inspect_clear(&x);
    seq_case_free(&s);
}

Test(inspect, spreads_of_known_numbers)
{
    f2l_inspect_spread s;
    double value[] = {2, 0, 0.05, 1.95, 1, 0.1, 2.5, -0.5, 1.9};
    f2l_inspect_spread_of(&s, value, 9, 0, 2);
    cr_assert(s.count == 9 && s.outside == 2 && s.near_low == 4 && s.near_high == 4);
    cr_assert(s.bin[0] == 2 && s.bin[1] == 1 && s.bin[10] == 1 && s.bin[19] == 3);
    cr_assert(s.quantile[0] == -0.5 && s.quantile[3] == 1 && s.quantile[6] == 2.5);
    cr_assert(fabs(s.quantile[1] - (-0.5 + 0.4 * 0.5)) < 1e-15);
    f2l_inspect_spread_of(&s, value, 0, 0, 2);
    cr_assert(s.count == 0 && s.bin[0] == 0);
}

Test(inspect, refused)
{
    f2l_inspect x;
    f2l_error err;
    const unsigned char none[3] = {0};
    f2l_seq_config c = small_config();
    c.normalise_keys = false;
    seq_case s = seq_case_of(&c, SEED);
    f2l_inspect_init(&x);
    cr_assert(f2l_inspect_build(&x, &s.model, s.parameter, none, NULL, &err) == F2L_EDOMAIN);
    const f2l_task little = {.memory = 100};
    cr_assert(f2l_inspect_build(&x, &s.model, s.parameter, NULL, &little, &err) == F2L_UNKNOWN);
    double *key = inspect_tensor(&s, "k_proj.weight");
    for (size_t i = 0; i < 6; i++) key[i] = 1e160;
    cr_assert(f2l_inspect_build(&x, &s.model, s.parameter, NULL, NULL, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "too large") != NULL, "%s", err.text);
    for (size_t i = 0; i < 6; i++) key[i] = 1e308;
    cr_assert(f2l_inspect_build(&x, &s.model, s.parameter, NULL, NULL, &err) == F2L_EDOMAIN);
    cr_assert(x.head == NULL && x.used == NULL);
    seq_case_free(&s);
}

#ifdef F2L_MEM_FAILURES
Test(inspect, memory_failures_leave_nothing)
{
    f2l_seq_config c;
    for (size_t number = 3; number < 10; number += 6) {
        f2l_inspect x;
        size_t failures = 0;
        config_sample(&c, number);
        seq_case s = seq_case_of(&c, SEED);
        f2l_inspect_init(&x);
        for (size_t n = 1; n < 200; n++) {
            f2l_mem_fail_after(n, false);
            const f2l_status status =
                f2l_inspect_build(&x, &s.model, s.parameter, NULL, NULL, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM);
            if (status == F2L_OK) break;
            cr_assert(x.head == NULL && x.decay == NULL && x.used == NULL);
            failures++;
        }
        cr_assert(failures > 5 && failures < 199);
        f2l_inspect_clear(&x);
        seq_case_free(&s);
    }
}
#endif
