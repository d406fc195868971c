/* check_dplr [SEED]: the recurrence with a gate for each key (cuda/op/cuda_dplr.h) and its gates
 * (cuda/op/cuda_rates.h) on the device against models/learn/op in double, for float and bf16, with
 * and without the rank-one term, heads of 1 to 128 numbers, and arrays at odd addresses: relative
 * Frobenius errors of every output and gradient; equal bits from two launches; a word in pieces has
 * the bits of the whole word. Prints one line per shape and type; exit status 1 when anything
 * failed. */
#include "cuda/check/check_train_run.h"
#include "cuda/op/cuda_dplr.h"
#include "cuda/op/cuda_rates.h"
#include "models/learn/op/op_dplr.h"
#include "models/learn/op/op_rates.h"
#include <time.h>

/* The largest relative error of results that are stored in the type, and of float results of inputs
 * in the type, which are float arithmetic alone. */
static double limit_of(f2l_cuda_type type)
{
    return type == F2L_CUDA_F32 ? 1e-5 : 5e-3;
}

/* Returns whether two arrays have equal bits on the device. */
static bool equal(const array *a, const array *b)
{
    double *x = download(a), *y = download(b);
    const bool same = memcmp(x, y, a->count * sizeof *x) == 0;
    free(x), free(y);
    return same;
}

static void report(const char *what, f2l_cuda_type type, const char *const *name,
                   const double *error, const double *limit, size_t count, bool bits)
{
    bool good = bits;
    for (size_t i = 0; i < count; i++) good = good && error[i] <= limit[i];
    printf("%s %s %s%s:", good ? "ok  " : "FAIL", what, type == F2L_CUDA_F32 ? "fp32" : "bf16",
           bits ? "" : ", BITS DIFFER");
    for (size_t i = 0; i < count; i++) printf(" %s %.1e", name[i], error[i]);
    printf("\n");
    failures += !good;
}

/* --- the recurrence --- */

enum { INPUTS = 7, OUTPUTS = 7 }; /* q, k, w, a, b, v, dout; out, dq, dk, dw, da, db, dv */

/* Returns whether an input or gradient is stored in the type of q. */
static bool typed_in(size_t i)
{
    return i < 2 || i > 4;
}
static bool typed_out(size_t i)
{
    return i < 3 || i > 5;
}

typedef struct job {
    f2l_cuda_dplr_shape s;
    size_t keys, values;
    array in[INPUTS], out[OUTPUTS], again[OUTPUTS], kept, work;
} job;

static size_t count_of(const job *j, size_t output)
{
    return output == 0 || output == 6 ? j->values : j->keys;
}

static void job_init(job *j, const f2l_cuda_dplr_shape *s, size_t shift)
{
    const size_t rows = s->batch * s->tokens * s->heads;
    size_t kept, work;
    *j = (job){.s = *s, .keys = rows * s->key, .values = rows * s->value};
    for (size_t i = 0; i < INPUTS; i++) {
        const f2l_cuda_type type = typed_in(i) ? s->type : F2L_CUDA_F32;
        j->in[i] = array_new(i < 5 ? j->keys : j->values, type);
        for (size_t n = 0; n < j->in[i].count; n++) {
            const double x = draw();
            j->in[i].host[n] = i == 2             ? (x + 1) / 2
                               : i == 3 || i == 4 ? x / sqrt((double)s->key)
                                                  : x;
        }
        upload(&j->in[i], shift);
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        const f2l_cuda_type type = typed_out(i) ? s->type : F2L_CUDA_F32;
        j->out[i] = poisoned(count_of(j, i), type, shift);
        j->again[i] = poisoned(count_of(j, i), type, shift);
    }
    RUN(f2l_cuda_dplr_bytes(&kept, &work, s, &why));
    j->kept = poisoned(kept / 4, F2L_CUDA_F32, 0);
    j->work = poisoned(work / 4, F2L_CUDA_F32, 0);
}

static void job_clear(job *j)
{
    for (size_t i = 0; i < INPUTS; i++) array_clear(&j->in[i]);
    for (size_t i = 0; i < OUTPUTS; i++) array_clear(&j->out[i]), array_clear(&j->again[i]);
    free(download(&j->kept)), free(download(&j->work)); /* looks at the guards */
    array_clear(&j->kept), array_clear(&j->work);
}

static f2l_cuda_dplr_in inputs(const job *j, size_t from)
{
    const size_t key = from * j->s.heads * j->s.key, value = from * j->s.heads * j->s.value,
                 number = f2l_cuda_bytes(j->s.type);
    const bool ranked = j->s.ranked;
    return (f2l_cuda_dplr_in){.q = (char *)j->in[0].on.data + key * number,
                              .k = (char *)j->in[1].on.data + key * number,
                              .v = (char *)j->in[5].on.data + value * number,
                              .w = (const float *)j->in[2].on.data + key,
                              .a = ranked ? (const float *)j->in[3].on.data + key : NULL,
                              .b = ranked ? (const float *)j->in[4].on.data + key : NULL};
}

static void launch(const job *j, array *to)
{
    const f2l_cuda_dplr_in in = inputs(j, 0);
    const bool ranked = j->s.ranked;
    const f2l_cuda_dplr_grad grad = {.dq = to[1].on.data,
                                     .dk = to[2].on.data,
                                     .dv = to[6].on.data,
                                     .dw = (float *)to[3].on.data,
                                     .da = ranked ? (float *)to[4].on.data : NULL,
                                     .db = ranked ? (float *)to[5].on.data : NULL};
    RUN(f2l_cuda_dplr_forward(to[0].on.data, NULL, j->kept.on.data, &in, &j->s, run_stream, &why));
    RUN(f2l_cuda_dplr_backward(&grad, j->in[6].on.data, j->kept.on.data, j->work.on.data, &in,
                               &j->s, run_stream, &why));
}

/* Computes out and gradients in double, from the rounded inputs. */
static void reference(double *want[OUTPUTS], const job *j)
{
    const f2l_dplr_shape s = {j->s.batch, j->s.tokens, j->s.heads, j->s.key, j->s.value};
    const bool ranked = j->s.ranked;
    const f2l_dplr_in_f64 in = {.q = j->in[0].host,
                                .k = j->in[1].host,
                                .v = j->in[5].host,
                                .w = j->in[2].host,
                                .a = ranked ? j->in[3].host : NULL,
                                .b = ranked ? j->in[4].host : NULL};
    const f2l_dplr_grad_f64 grad = {.dq = want[1],
                                    .dk = want[2],
                                    .dv = want[6],
                                    .dw = want[3],
                                    .da = ranked ? want[4] : NULL,
                                    .db = ranked ? want[5] : NULL};
    RUN(f2l_dplr_forward_f64(want[0], NULL, &in, &s, &why));
    RUN(f2l_dplr_backward_f64(&grad, j->in[6].host, &in, &s, &why));
}

/* Reads a word of one sequence in pieces of 1, 2, 3, .. tokens; returns whether the outputs have
 * the bits of the whole word. */
static bool pieces_agree(const job *j, size_t shift)
{
    array out = poisoned(j->values, j->s.type, shift),
          state = array_new(j->s.heads * j->s.key * j->s.value, F2L_CUDA_F32);
    upload(&state, 0);
    for (size_t from = 0, count = 1; from < j->s.tokens; from += count++) {
        f2l_cuda_dplr_shape s = j->s;
        s.tokens = from + count < s.tokens ? count : s.tokens - from;
        const f2l_cuda_dplr_in in = inputs(j, from);
        RUN(f2l_cuda_dplr_forward((char *)out.on.data +
                                      from * s.heads * s.value * f2l_cuda_bytes(s.type),
                                  (float *)state.on.data, NULL, &in, &s, run_stream, &why));
    }
    const bool same = equal(&out, &j->out[0]);
    array_clear(&out), array_clear(&state);
    return same;
}

static void check(size_t batch, size_t tokens, size_t heads, size_t key, size_t value, bool ranked,
                  f2l_cuda_type type, size_t shift)
{
    static const char *const name[] = {"out", "dq", "dk", "dw", "da", "db", "dv"};
    const f2l_cuda_dplr_shape shape = {batch, tokens, heads, key, value, ranked, type, NULL};
    job j;
    double *want[OUTPUTS], error[OUTPUTS] = {0}, limit[OUTPUTS];
    char what[128];
    bool bits = true;
    job_init(&j, &shape, shift);
    for (size_t i = 0; i < OUTPUTS; i++) want[i] = doubles(count_of(&j, i));
    launch(&j, j.out);
    launch(&j, j.again);
    reference(want, &j);
    for (size_t i = 0; i < OUTPUTS; i++) {
        limit[i] = typed_out(i) ? limit_of(type) : limit_of(F2L_CUDA_F32);
        if (ranked || (i != 4 && i != 5)) {
            error[i] = error_at(&j.out[i], want[i]);
            bits = bits && equal(&j.out[i], &j.again[i]);
        }
        free(want[i]);
    }
    if (batch == 1) bits = bits && pieces_agree(&j, shift);
    (void)snprintf(what, sizeof what, "dplr%s B %zu T %zu H %zu %zu x %zu", ranked ? " a b" : "",
                   batch, tokens, heads, key, value);
    report(what, type, name, error, limit, OUTPUTS, bits);
    job_clear(&j);
}

/* --- gates --- */

enum { RATES_IN = 7, RATES_OUT = 11 }; /* x, k, y, parameters; w, a, b, key, dx, dk, dy, sums */

static bool typed_rate(size_t i)
{
    return i > 2 && i < 7;
}

static void rates_launch(array *in, array *from, array *to, const f2l_cuda_rates_shape *s)
{
    device_array work;
    const f2l_cuda_rates_in x = {in[0].on.data,          in[1].on.data,
                                 in[2].on.data,          (float *)in[3].on.data,
                                 (float *)in[4].on.data, (float *)in[5].on.data,
                                 (float *)in[6].on.data};
    const f2l_cuda_rates_out out = {(float *)to[0].on.data, (float *)to[1].on.data,
                                    (float *)to[2].on.data, to[3].on.data};
    const f2l_cuda_rates_grad grad = {(float *)from[0].on.data,
                                      (float *)from[1].on.data,
                                      (float *)from[2].on.data,
                                      from[3].on.data,
                                      to[4].on.data,
                                      to[5].on.data,
                                      to[6].on.data,
                                      (float *)to[7].on.data,
                                      (float *)to[8].on.data,
                                      (float *)to[9].on.data,
                                      (float *)to[10].on.data};
    RUN(f2l_cuda_rates_forward(&out, &x, s, run_stream, &why));
    RUN(f2l_cuda_rates_backward(&grad, scratch(&work, f2l_cuda_rates_work(s)), &x, s, run_stream,
                                &why));
    scratch_clear(&work);
}

static void rates_reference(double *want[RATES_OUT], const array *in, const array *from,
                            const f2l_cuda_rates_shape *s)
{
    const f2l_rates_shape shape = {s->rows,    s->heads,    s->key,
                                   s->removal, s->negative, (double)s->epsilon};
    const f2l_rates_in_f64 x = {in[0].host, in[1].host, in[2].host, in[3].host,
                                in[4].host, in[5].host, in[6].host};
    const f2l_rates_out_f64 out = {want[0], want[1], want[2], want[3]};
    const f2l_rates_grad_f64 grad = {from[0].host, from[1].host, from[2].host, from[3].host,
                                     want[4],      want[5],      want[6],      want[7],
                                     want[8],      want[9],      want[10]};
    f2l_rates_forward_f64(&out, &x, &shape);
    f2l_rates_backward_f64(&grad, &x, &shape);
}

static void check_rates(size_t rows, size_t heads, size_t key, bool removal, bool negative,
                        f2l_cuda_type type, size_t shift)
{
    static const char *const name[] = {"w",  "a",     "b",          "key",      "dx",          "dk",
                                       "dy", "dbias", "drate bias", "dremoval", "dreplacement"};
    const f2l_cuda_rates_shape s = {rows, heads, key, removal, negative, 1e-6F, type};
    const size_t keys = heads * key, n = rows * keys;
    array in[RATES_IN], from[4], out[2][RATES_OUT];
    double *want[RATES_OUT], error[RATES_OUT] = {0}, limit[RATES_OUT];
    bool bits = true;
    char what[128];
    for (size_t i = 0; i < RATES_IN; i++)
        in[i] = drawn(i < 3 ? n : keys, i < 3 ? type : F2L_CUDA_F32, 2, i < 3 ? shift : 0);
    for (size_t i = 0; i < 4; i++) from[i] = drawn(n, i == 3 ? type : F2L_CUDA_F32, 1, shift);
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < RATES_OUT; i++) {
            if (i < 7)
                out[turn][i] = poisoned(n, typed_rate(i) ? type : F2L_CUDA_F32, shift);
            else
                out[turn][i] = drawn(keys, F2L_CUDA_F32, 0, 0);
        }
        rates_launch(in, from, out[turn], &s);
    }
    for (size_t i = 0; i < RATES_OUT; i++) want[i] = doubles(i < 7 ? n : keys);
    rates_reference(want, in, from, &s);
    for (size_t i = 0; i < RATES_OUT; i++) {
        limit[i] = typed_rate(i) ? limit_of(type) : limit_of(F2L_CUDA_F32);
        if (removal || i == 0 || i == 4 || i == 7) {
            error[i] = error_at(&out[0][i], want[i]);
            bits = bits && equal(&out[0][i], &out[1][i]);
        }
        free(want[i]);
        array_clear(&out[0][i]), array_clear(&out[1][i]);
    }
    (void)snprintf(what, sizeof what, "rates%s%s rows %zu H %zu K %zu", removal ? " removal" : "",
                   negative ? " negative" : "", rows, heads, key);
    report(what, type, name, error, limit, RATES_OUT, bits);
    for (size_t i = 0; i < RATES_IN; i++) array_clear(&in[i]);
    for (size_t i = 0; i < 4; i++) array_clear(&from[i]);
}

/* Sizes that no kernel takes are refused. */
static void check_refusals(void)
{
    size_t kept, work;
    const f2l_cuda_dplr_shape wide = {1, 1, 1, 129, 1, true, F2L_CUDA_F32, NULL},
                              high = {1, 1, 1, 1, 129, true, F2L_CUDA_F32, NULL};
    const bool good = f2l_cuda_dplr_bytes(&kept, &work, &wide, NULL) == F2L_EDOMAIN &&
                      f2l_cuda_dplr_bytes(&kept, &work, &high, NULL) == F2L_EDOMAIN;
    printf("%s heads of more than 128 numbers are refused\n", good ? "ok  " : "FAIL");
    failures += !good;
}

static void check_type(f2l_cuda_type type)
{
    static const struct {
        size_t batch, tokens, heads, key, value;
    } shape[] = {{1, 1, 1, 1, 1},       {3, 37, 2, 11, 40},   {1, 33, 3, 16, 32},
                 {70, 40, 3, 32, 32},   {1, 50, 2, 19, 128},  {5, 64, 4, 64, 64},
                 {1, 35, 2, 33, 61},    {2, 48, 2, 128, 128}, {1, 19, 1, 70, 5},
                 {260, 16, 12, 32, 32}, {2, 200, 1, 64, 17}};
    for (size_t i = 0; i < LENGTH(shape); i++)
        for (int ranked = 0; ranked < 2; ranked++)
            check(shape[i].batch, shape[i].tokens, shape[i].heads, shape[i].key, shape[i].value,
                  ranked, type, i % 2);
    for (int kind = 0; kind < 4; kind++) {
        check_rates(3, 2, 5, kind / 2, kind % 2, type, 0);
        check_rates(5000, 3, 32, kind / 2, kind % 2, type, 1);
        check_rates(777, 2, 64, kind / 2, kind % 2, type, 0);
        check_rates(100, 1, 100, kind / 2, kind % 2, type, 1);
        check_rates(20000, 4, 20, kind / 2, kind % 2, type, 0);
    }
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    f2l_cuda_device device;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    RUN(f2l_cuda_device_get(&device, &why));
    RUN(f2l_cuda_stream_new(&run_stream, &why));
    printf("check_dplr, seed %llu, %s\n", (unsigned long long)seed, device.name);
    f2l_rng_init(&run_rng, seed, 6);
    for (size_t i = 0; i < LENGTH(types); i++) check_type(types[i]);
    check_refusals();
    printf("%s\n", failures ? "FAIL" : "all ok");
    return failures ? 1 : 0;
}
