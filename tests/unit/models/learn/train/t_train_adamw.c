/* The optimiser, its schedule and its options. */
#include "models/learn/train/adamw.h"
#include "models/learn/train/train_options.h"
#include "numeric/base/rng.h"
#include "numeric/json/members.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 37 };

static double uniform(f2l_rng *r)
{
    return (double)f2l_rng_u32(r) / 2147483648.0 - 1;
}

/* The step equals AdamW in its paper (algorithm 2, with bias-corrected moments as separate
 * numbers), in long double. */
Test(train_adamw, equals_the_definition_in_both_precisions)
{
    double p[COUNT], m[COUNT] = {0}, v[COUNT] = {0}, g[COUNT];
    float pf[COUNT], mf[COUNT] = {0}, vf[COUNT] = {0}, gf[COUNT];
    long double q[COUNT], mq[COUNT] = {0}, vq[COUNT] = {0};
    f2l_rng r;
    f2l_rng_init(&r, 11, 0);
    for (size_t i = 0; i < COUNT; i++) q[i] = p[i] = pf[i] = (float)uniform(&r);
    f2l_adamw s = {.decay = 0.3, .beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-3};
    for (uint64_t t = 1; t <= 60; t++) {
        s.rate = 0.02 / (double)t;
        s.scale = t % 3 ? 1 : 0.25;
        s.time = t;
        for (size_t i = 0; i < COUNT; i++) {
            g[i] = gf[i] = (float)uniform(&r);
            const long double d = (long double)g[i] * s.scale;
            mq[i] = s.beta1 * mq[i] + (1 - (long double)s.beta1) * d;
            vq[i] = s.beta2 * vq[i] + (1 - (long double)s.beta2) * d * d;
            const long double mh = mq[i] / (1 - powl(s.beta1, t)),
                              vh = vq[i] / (1 - powl(s.beta2, t));
            q[i] = q[i] - (long double)s.rate * (mh / (sqrtl(vh) + s.epsilon) + s.decay * q[i]);
        }
        f2l_adamw_update_f64(p, m, v, g, COUNT, &s);
        f2l_adamw_update_f32(pf, mf, vf, gf, COUNT, &s);
    }
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_float_eq(p[i], (double)q[i], 1e-13);
        cr_assert_float_eq((double)pf[i], (double)q[i], 2e-6);
    }
}

Test(train_adamw, parts_of_a_vector_may_be_updated_apart)
{
    float p[2][COUNT], m[2][COUNT] = {{0}}, v[2][COUNT] = {{0}}, g[COUNT];
    f2l_rng r;
    f2l_rng_init(&r, 12, 0);
    const f2l_adamw s = {0.01, 0.1, 0.9, 0.999, 1e-8, 0.7, 3};
    for (size_t i = 0; i < COUNT; i++) {
        p[0][i] = p[1][i] = (float)uniform(&r);
        g[i] = (float)uniform(&r);
    }
    f2l_adamw_update_f32(p[0], m[0], v[0], g, COUNT, &s);
    f2l_adamw_update_f32(p[1], m[1], v[1], g, 5, &s);
    f2l_adamw_update_f32(p[1] + 5, m[1] + 5, v[1] + 5, g + 5, COUNT - 5, &s);
    cr_assert_arr_eq(p[0], p[1], sizeof p[0]);
    cr_assert_arr_eq(m[0], m[1], sizeof m[0]);
    cr_assert_arr_eq(v[0], v[1], sizeof v[0]);
}

Test(train_adamw, squares)
{
    float f[COUNT];
    double d[COUNT], sum = 0;
    for (size_t n = 0; n <= COUNT; n++) {
        if (n > 0) {
            d[n - 1] = f[n - 1] = (float)n / 4 - 3;
            sum += d[n - 1] * d[n - 1];
        }
        cr_assert_eq(f2l_adamw_squares_f32(f, n), sum); /* dyadic: exact */
        cr_assert_eq(f2l_adamw_squares_f64(d, n), sum);
    }
    for (size_t i = 0; i < COUNT; i++) {
        const float kept = f[i];
        f[i] = NAN;
        cr_assert(isnan(f2l_adamw_squares_f32(f, COUNT)));
        f[i] = -INFINITY;
        cr_assert(isinf(f2l_adamw_squares_f32(f, COUNT)));
        f[i] = kept;
    }
    f[3] = 1e30f; /* its square is not a float */
    cr_assert(isfinite(f2l_adamw_squares_f32(f, COUNT)));
}

Test(train_adamw, rates)
{
    f2l_train_options o = f2l_train_options_default(1000);
    cr_assert_eq(f2l_train_options_check(&o, NULL), F2L_OK);
    cr_assert_eq(o.warmup, 100);
    cr_assert_float_eq(f2l_train_rate(&o, 0), 1e-5, 1e-18);
    cr_assert_float_eq(f2l_train_rate(&o, 49), 5e-4, 1e-18);
    cr_assert_eq(f2l_train_rate(&o, 99), 1e-3);
    cr_assert_eq(f2l_train_rate(&o, 100), 1e-3);
    cr_assert_eq(f2l_train_rate(&o, 500), 1e-3);
    cr_assert_float_eq(f2l_train_rate(&o, 750), 5e-4, 1e-18);
    cr_assert_float_eq(f2l_train_rate(&o, 999), 2e-6, 1e-17);
    o.decay = F2L_TRAIN_CONSTANT;
    cr_assert_eq(f2l_train_rate(&o, 999), 1e-3);
    o.decay = F2L_TRAIN_COSINE;
    o.decay_from = 0; /* begins after the warm-up */
    o.last_rate = 1e-4;
    cr_assert_eq(f2l_train_rate(&o, 100), 1e-3);
    cr_assert_float_eq(f2l_train_rate(&o, 400), 1e-4 + 9e-4 * 0.75, 1e-15); /* cos(pi / 3) = 1/2 */
    cr_assert_float_eq(f2l_train_rate(&o, 550), 5.5e-4, 1e-15);
    cr_assert_eq(f2l_train_rate(&o, 1000), 1e-4);
    for (uint64_t s = 101; s < 1000; s++)
        cr_assert_leq(f2l_train_rate(&o, s), f2l_train_rate(&o, s - 1));
    o.warmup = o.decay_from = o.steps;
    cr_assert_eq(f2l_train_rate(&o, 999), 1e-3);
    o.warmup = 0;
    cr_assert_eq(f2l_train_rate(&o, 0), 1e-3);
}

static const size_t ascending[] = {4, 9}, equal[] = {4, 4}, zero[] = {0, 4};

#define REFUSE(change) \
    do { \
        f2l_train_options o = f2l_train_options_default(1000); \
        f2l_error err = {0}; \
        o.length = ascending; \
        o.lengths = 2; \
        cr_assert_eq(f2l_train_options_check(&o, &err), F2L_OK); \
        change; \
        cr_assert_eq(f2l_train_options_check(&o, &err), F2L_EDOMAIN, #change); \
        cr_assert_gt(strlen(err.text), 5); \
    } while (0)

Test(train_adamw, options_that_make_no_sense)
{
    REFUSE(o.steps = 0);
    REFUSE(o.steps = UINT64_MAX);
    REFUSE(o.rate = 0);
    REFUSE(o.rate = NAN);
    REFUSE(o.rate = INFINITY);
    REFUSE(o.last_rate = -1);
    REFUSE(o.last_rate = 1);
    REFUSE(o.beta1 = 1);
    REFUSE(o.beta1 = NAN);
    REFUSE(o.beta2 = -0.1);
    REFUSE(o.beta2 = 1);
    REFUSE(o.epsilon = 0);
    REFUSE(o.weight_decay = -1);
    REFUSE(o.weight_decay = 1001);
    REFUSE(o.clip = -1);
    REFUSE(o.decay = F2L_TRAIN_DECAYS);
    REFUSE(o.warmup = 1001);
    REFUSE(o.decay_from = 1001);
    REFUSE(o.log_every = 0);
    REFUSE(o.sequences = 0);
    REFUSE(o.length = equal);
    REFUSE(o.length = zero);
    REFUSE(o.target = 1.5);
    REFUSE(o.target = NAN);
    REFUSE((o.target = 1, o.lengths = 0));
    REFUSE((o.evaluate_every = 1, o.lengths = 0));
    REFUSE(o.divergence = 1);
    REFUSE(o.divergence = -1);
    REFUSE(o.checkpoint_seconds = NAN);
    REFUSE(o.checkpoint_seconds = -1);
}

Test(train_adamw, options_as_text_name_everything_that_matters)
{
    f2l_train_options o = f2l_train_options_default(1000);
    f2l_buf a, b;
    f2l_buf_init(&a);
    f2l_buf_init(&b);
    o.length = ascending;
    o.lengths = 2;
    f2l_members_write(&a, &f2l_train_options_members, &o);
    cr_assert_str_eq(
        a.data, "{\"steps\":1000,\"rate\":0.001,\"beta1\":0.9,\"beta2\":0.95,\"epsilon\":1e-08,"
                "\"weight_decay\":0.01,\"clip\":1,\"warmup\":100,\"decay\":\"linear\","
                "\"decay_from\":500,\"last_rate\":0,\"log_every\":100,\"evaluate_every\":0,"
                "\"lengths\":[4,9],\"sequences\":512,\"target\":0,\"divergence\":10}");
    o.checkpoint_seconds = 3;
    f2l_members_write(&b, &f2l_train_options_members, &o);
    cr_assert_str_eq(a.data, b.data);
    o.rate = nextafter(o.rate, 1);
    f2l_buf_clear(&b);
    f2l_members_write(&b, &f2l_train_options_members, &o);
    cr_assert_str_neq(a.data, b.data);
    f2l_buf_clear(&a);
    f2l_buf_clear(&b);
}

Test(train_adamw, numbers_read_back)
{
    f2l_rng r;
    f2l_rng_init(&r, 13, 0);
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = f2l_rng_u64(&r);
        double x;
        f2l_buf b;
        memcpy(&x, &bits, sizeof x);
        f2l_buf_init(&b);
        f2l_json_number(&b, x);
        if (isfinite(x))
            cr_assert_eq(strtod(b.data, NULL), x, "%s", b.data);
        else
            cr_assert_str_eq(b.data, "null");
        f2l_buf_clear(&b);
    }
}
