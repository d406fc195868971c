#include "models/learn/op/op_point.h"
#include "tests/support/models/op_support.h"

enum { N = 60, WIDTH = 5 };

enum { MULTIPLY, SILU, SWIGLU, SIGMOID, DECAY, KINDS };

typedef struct sample {
    int kind;
    double low, high, slope;
    double *a, *b, *rate, *bias, *weight, *y;
} sample;

static sample sample_of(int kind, uint64_t seed)
{
    sample s = {kind,
                -1,
                2,
                3,
                noise(N, seed),
                noise(N, seed + 1),
                noise(WIDTH, seed + 2),
                noise(WIDTH, seed + 3),
                noise(N, seed + 4),
                filled(N, NAN)};
    for (size_t i = 0; i < N; i++) s.a[i] *= 4;
    double *all[] = {s.a, s.b, s.weight};
    for (size_t i = 0; i < 3; i++) to_float(all[i], N);
    to_float(s.rate, WIDTH), to_float(s.bias, WIDTH);
    return s;
}

static void sample_clear(sample *s)
{
    free(s->a), free(s->b), free(s->rate), free(s->bias), free(s->weight), free(s->y);
}

static void forward(double *y, const sample *s, const double *a, const double *b)
{
    switch (s->kind) {
    case MULTIPLY:
        f2l_multiply_forward_f64(y, a, b, N);
        break;
    case SILU:
        f2l_silu_forward_f64(y, a, N);
        break;
    case SWIGLU:
        f2l_swiglu_forward_f64(y, a, b, N);
        break;
    case SIGMOID:
        f2l_sigmoid_forward_f64(y, a, s->low, s->high, s->slope, N);
        break;
    default:
        f2l_decay_forward_f64(y, a, s->rate, s->bias, s->low, s->high, N, WIDTH);
    }
}

static void backward(double *da, double *db, double *drate, double *dbias, const sample *s,
                     const double *dy, const double *a, const double *b)
{
    switch (s->kind) {
    case MULTIPLY:
        f2l_multiply_backward_f64(da, db, dy, a, b, N);
        break;
    case SILU:
        f2l_silu_backward_f64(da, dy, a, N);
        break;
    case SWIGLU:
        f2l_swiglu_backward_f64(da, db, dy, a, b, N);
        break;
    case SIGMOID:
        f2l_sigmoid_backward_f64(da, dy, a, s->low, s->high, s->slope, N);
        break;
    default:
        f2l_decay_backward_f64(da, drate, dbias, dy, a, s->rate, s->bias, s->low, s->high, N,
                               WIDTH);
    }
}

static double formula(const sample *s, size_t i)
{
    const double a = s->a[i], b = s->b[i];
    switch (s->kind) {
    case MULTIPLY:
        return a * b;
    case SILU:
        return a / (1 + exp(-a));
    case SWIGLU:
        return a / (1 + exp(-a)) * b;
    case SIGMOID:
        return s->low + (s->high - s->low) / (1 + exp(-s->slope * a));
    default:
        /* exp(-r log(1 + e^z)) */
        return s->low +
               (s->high - s->low) * pow(1 + exp(a + s->bias[i % WIDTH]), -exp(s->rate[i % WIDTH]));
    }
}

static double loss(void *context)
{
    sample *s = context;
    forward(s->y, s, s->a, s->b);
    return dot(s->y, s->weight, N);
}

Test(op_point, forward_agrees_with_the_formula)
{
    for (int kind = 0; kind < KINDS; kind++) {
        sample s = sample_of(kind, 10 * (uint64_t)kind);
        double want[N];
        for (size_t i = 0; i < N; i++) want[i] = formula(&s, i);
        (void)loss(&s);
        near("y", s.y, want, N, 1e-14);
        forward(s.a, &s, s.a, s.b);
        same_bits("in place", s.a, s.y, sizeof want);
        sample_clear(&s);
    }
}

Test(op_point, gradients_by_differences)
{
    for (int kind = 0; kind < KINDS; kind++) {
        sample s = sample_of(kind, 100 + 10 * (uint64_t)kind);
        double da[N], db[N], drate[WIDTH], dbias[WIDTH], in_place[N];
        for (size_t i = 0; i < WIDTH; i++) drate[i] = dbias[i] = 3;
        backward(da, db, drate, dbias, &s, s.weight, s.a, s.b);
        check_gradient("a", da, s.a, N, loss, &s);
        if (kind == MULTIPLY || kind == SWIGLU) check_gradient("b", db, s.b, N, loss, &s);
        if (kind == DECAY) {
            for (size_t i = 0; i < WIDTH; i++) drate[i] -= 3, dbias[i] -= 3;
            check_gradient("rate", drate, s.rate, WIDTH, loss, &s);
            check_gradient("bias", dbias, s.bias, WIDTH, loss, &s);
        }
        memcpy(in_place, s.weight, sizeof in_place);
        backward(in_place, db, NULL, NULL, &s, in_place, s.a, s.b);
        same_bits("dx in place of dy", in_place, da, sizeof in_place);
        memcpy(in_place, s.a, sizeof in_place);
        backward(in_place, s.b, NULL, NULL, &s, s.weight, in_place, s.b);
        same_bits("dx in place of x", in_place, da, sizeof in_place);
        sample_clear(&s);
    }
}

static void check_float(int kind)
{
    sample s = sample_of(kind, 500 + (uint64_t)kind);
    double da[N], db[N], drate[WIDTH] = {0}, dbias[WIDTH] = {0};
    (void)loss(&s);
    backward(da, db, drate, dbias, &s, s.weight, s.a, s.b);
    float *a = narrow(s.a, N), *b = narrow(s.b, N), *w = narrow(s.weight, N),
          *rate = narrow(s.rate, WIDTH), *bias = narrow(s.bias, WIDTH);
    float y[N], fa[N], fb[N], frate[WIDTH] = {0}, fbias[WIDTH] = {0};
    const float low = -1, high = 2, slope = 3;
    switch (kind) {
    case MULTIPLY:
        f2l_multiply_forward_f32(y, a, b, N);
        f2l_multiply_backward_f32(fa, fb, w, a, b, N);
        break;
    case SILU:
        f2l_silu_forward_f32(y, a, N);
        f2l_silu_backward_f32(fa, w, a, N);
        break;
    case SWIGLU:
        f2l_swiglu_forward_f32(y, a, b, N);
        f2l_swiglu_backward_f32(fa, fb, w, a, b, N);
        break;
    case SIGMOID:
        f2l_sigmoid_forward_f32(y, a, low, high, slope, N);
        f2l_sigmoid_backward_f32(fa, w, a, low, high, slope, N);
        break;
    default:
        f2l_decay_forward_f32(y, a, rate, bias, low, high, N, WIDTH);
        f2l_decay_backward_f32(fa, frate, fbias, w, a, rate, bias, low, high, N, WIDTH);
        near_float("drate", frate, drate, WIDTH, 1e-5);
        near_float("dbias", fbias, dbias, WIDTH, 1e-5);
    }
    near_float("y", y, s.y, N, 1e-6);
    near_float("da", fa, da, N, 1e-5);
    if (kind == MULTIPLY || kind == SWIGLU) near_float("db", fb, db, N, 1e-5);
    free(a), free(b), free(w), free(rate), free(bias);
    sample_clear(&s);
}

Test(op_point, float_follows_double)
{
    for (int kind = 0; kind < KINDS; kind++) check_float(kind);
}

Test(op_point, ranges_are_reached_exactly_and_nothing_overflows)
{
    const float x[8] = {-3e38F, -1000, -100, 0, 100, 1000, 3e38F, 20};
    float y[8], dx[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    f2l_sigmoid_forward_f32(y, x, 0, 2, 1, 8);
    f2l_sigmoid_backward_f32(dx, ones, x, 0, 2, 1, 8);
    const float want[7] = {0, 0, 0, 1, 2, 2, 2};
    for (size_t i = 0; i < 7; i++)
        cr_assert(fabsf(y[i] - want[i]) <= 1e-30F && (i == 2 || y[i] == want[i]), "%zu: %g", i,
                  (double)y[i]);
    for (size_t i = 0; i < 8; i++) cr_assert(isfinite(dx[i]));
    f2l_sigmoid_forward_f32(y, x, -1, 1, 8, 8);
    cr_assert_eq(y[1], -1);
    cr_assert_eq(y[3], 0);
    cr_assert_eq(y[7], 1);
    f2l_silu_forward_f32(y, x, 8);
    f2l_silu_backward_f32(dx, ones, x, 8);
    cr_assert_eq(y[0], 0);
    cr_assert_eq(y[6], x[6]);
    for (size_t i = 0; i < 8; i++) cr_assert(isfinite(dx[i]) && isfinite(y[i]));
    const float zero = 0;
    f2l_decay_forward_f32(y, x, &zero, &zero, 0, 1, 8, 1);
    f2l_decay_backward_f32(dx, NULL, NULL, ones, x, &zero, &zero, 0, 1, 8, 1);
    cr_assert_eq(y[0], 1);
    cr_assert_eq(y[6], 0);
    for (size_t i = 0; i < 8; i++) cr_assert(isfinite(dx[i]));
}

/* The float exponential is written here, so it is tested all over its range and at its ends. */
Test(op_point, the_float_sigmoid_is_right_to_a_few_last_digits)
{
    for (int i = -100000; i <= 100000; i++) {
        const float x = (float)i / 1000, one = 1;
        const double s = 1 / (1 + exp(-(double)x)), e = exp(-fabs((double)x)),
                     slope = e / ((1 + e) * (1 + e));
        float y, dx, silu;
        f2l_sigmoid_forward_f32(&y, &x, 0, 1, 1, 1);
        f2l_sigmoid_backward_f32(&dx, &one, &x, 0, 1, 1, 1);
        f2l_silu_forward_f32(&silu, &x, 1);
        const bool tiny = fabsf(x) > 87.29F; /* subnormal: 0 */
        cr_assert(fabs((double)y - s) <= 2e-7 * s || (tiny && x < 0 && y >= 0 && y < 2e-38F),
                  "sigmoid(%g) = %.9g", (double)x, (double)y);
        cr_assert(fabs((double)dx - slope) <= 3.3e-7 * slope || (tiny && dx >= 0 && dx < 2e-38F),
                  "slope at %g: %.9g", (double)x, (double)dx);
        cr_assert(fabs((double)silu - x * s) <= 2.5e-7 * fabs(x * s) || (tiny && x < 0),
                  "silu(%g) = %.9g", (double)x, (double)silu);
    }
}

Test(op_point, nan_goes_through)
{
    const float bad = NAN, one = 1;
    float y;
    f2l_sigmoid_forward_f32(&y, &bad, 0, 2, 1, 1);
    cr_assert(isnan(y));
    f2l_sigmoid_backward_f32(&y, &one, &bad, 0, 2, 1, 1);
    cr_assert(isnan(y));
    f2l_swiglu_forward_f32(&y, &bad, &one, 1);
    cr_assert(isnan(y));
    f2l_silu_backward_f32(&y, &one, &bad, 1);
    cr_assert(isnan(y));
}

Test(op_point, add_adds)
{
    float y[3] = {1, 2, 3};
    const float x[3] = {10, 20, 30};
    double z[3] = {1, 2, 3};
    const double w[3] = {10, 20, 30};
    f2l_add_f32(y, x, 3);
    f2l_add_f64(z, w, 2);
    cr_assert_eq(y[2], 33);
    cr_assert_eq(z[1], 22);
    cr_assert_eq(z[2], 3);
}

/* --- the clamp --- */

/* Inputs on both sides of the ends, -2 and 2 of slope x, and at them. */
static double clamp_input(size_t i)
{
    return (double)((int)i - 30) / 8; /* exact; slope 2 makes -7.5 .. 7.25 of it */
}

Test(op_point, a_clamp_reaches_its_ends_exactly)
{
    double x[N], y[N];
    float narrow_x[N], narrow_y[N];
    for (size_t i = 0; i < N; i++) narrow_x[i] = (float)(x[i] = clamp_input(i));
    f2l_clamp_forward_f64(y, x, 0, 2, 2, N);
    f2l_clamp_forward_f32(narrow_y, narrow_x, 0, 2, 2, N);
    size_t low = 0, high = 0;
    for (size_t i = 0; i < N; i++) {
        const double z = 2 * x[i], want = z <= -2 ? 0 : z >= 2 ? 2 : 1 + z / 2;
        cr_assert(y[i] == want && narrow_y[i] == (float)want, "%g: %g", z, y[i]);
        low += y[i] == 0;
        high += y[i] == 2;
    }
    cr_assert(low > 10 && high > 10 && low + high < N);
    f2l_clamp_forward_f64(x, x, 0, 2, 2, N);
    same_bits("in place", x, y, sizeof x);
    const float strange[3] = {NAN, INFINITY, -INFINITY};
    f2l_clamp_forward_f32(narrow_y, strange, 0, 2, 2, 3);
    cr_assert(isnan(narrow_y[0]) && narrow_y[1] == 2 && narrow_y[2] == 0);
}

typedef struct clamp_case {
    double *x, *y, *weight;
} clamp_case;

static double clamp_loss(void *context)
{
    const clamp_case *c = context;
    f2l_clamp_forward_f64(c->y, c->x, -1, 2, 0.5, N);
    return dot(c->y, c->weight, N);
}

/* Between the ends the gradient is that of the function; beyond them it is the same, where the
 * function has none. */
Test(op_point, gradients_pass_straight_through_a_clamp)
{
    clamp_case c = {noise(N, 1), filled(N, 0), noise(N, 2)};
    double dx[N], beyond[N];
    for (size_t i = 0; i < N; i++) c.x[i] *= 3; /* slope x is at most 1.5 */
    f2l_clamp_backward_f64(dx, c.weight, -1, 2, 0.5, N);
    check_gradient("x", dx, c.x, N, clamp_loss, &c);
    for (size_t i = 0; i < N; i++) c.x[i] = c.x[i] < 0 ? -100 : 100;
    f2l_clamp_backward_f64(beyond, c.weight, -1, 2, 0.5, N);
    same_bits("beyond the ends", beyond, dx, sizeof dx);
    float narrow_dy[N], narrow_dx[N];
    for (size_t i = 0; i < N; i++) narrow_dy[i] = (float)c.weight[i];
    f2l_clamp_backward_f32(narrow_dx, narrow_dy, -1, 2, 0.5F, N);
    for (size_t i = 0; i < N; i++) cr_assert_float_eq(narrow_dx[i], dx[i], 1e-6);
    free(c.x), free(c.y), free(c.weight);
}
