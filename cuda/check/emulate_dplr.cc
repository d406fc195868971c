/* emulate_dplr [SEED]: the kernels of cuda_dplr*.cuh and cuda_rates.cuh, for float, on the emulated
 * warps of cuda/check/emulated_warp.h. For every layout of states over lanes, odd sizes among them,
 * the results are compared with the operators of models/learn/op, and must have the same bits for
 * every order in which lanes run between two meetings; a word in pieces has the bits of the whole
 * word. Part of `make check`; needs nothing of CUDA. */
#include "cuda/check/emulated_common.h"
#include <string>
extern "C" {
#include "models/learn/op/op_dplr.h"
#include "models/learn/op/op_rates.h"
#include "numeric/base/rng.h"
}
#include "cuda/op/cuda_dplr_back.cuh"
#include "cuda/op/cuda_rates.cuh"

typedef std::vector<float> numbers;

static f2l_rng rng;
static int good_ones, bad;

static numbers drawn(size_t n, double size, double middle = 0)
{
    numbers x(n + 4);
    for (float &y : x)
        y = static_cast<float>(
            middle + size * (ldexp(static_cast<double>(f2l_rng_u64(&rng) >> 11), -52) - 1));
    return x;
}

static double distance(const numbers &got, const numbers &want, size_t n)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        difference += pow(static_cast<double>(got[i]) - static_cast<double>(want[i]), 2);
        size += pow(static_cast<double>(want[i]), 2);
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

/* Room for arrays that kernels read and write in pieces of 16 bytes. */
static float *pieces(std::vector<float4> &of, size_t n)
{
    of.assign(n / 4 + 1, {NAN, NAN, NAN, NAN});
    return &of[0].x;
}

static void report(const std::string &what, const char *const *name, const double *error,
                   size_t count, bool same)
{
    bool good = same;
    printf("emulated %s%s:", what.c_str(), same ? "" : ", BITS DEPEND ON THE ORDER OF LANES");
    for (size_t i = 0; i < count; i++) {
        printf(" %s %.1e", name[i], error[i]);
        good = good && error[i] < 1e-5;
    }
    printf(" %s\n", good ? "ok" : "FAIL");
    good_ones += good;
    bad += !good;
}

/* --- the recurrence: q, k, w, a, b, v, dout; out, then the gradients in the order of inputs --- */

enum { INPUTS = 7, OUTPUTS = 7 };

struct job {
    f2l_cuda_dplr_shape s;
    size_t keys, values;
    numbers in[INPUTS];
    explicit job(const f2l_cuda_dplr_shape &shape)
        : s(shape), keys(s.batch * s.tokens * s.heads * s.key),
          values(s.batch * s.tokens * s.heads * s.value)
    {
        const double unit = 1 / sqrt(static_cast<double>(s.key));
        for (size_t i = 0; i < INPUTS; i++)
            in[i] = i == 2 ? drawn(keys, 0.5, 0.5)
                           : drawn(i < 5 ? keys : values, i == 3 || i == 4 ? unit : 1);
    }
    size_t count(size_t output) const
    {
        return output == 0 || output == 6 ? values : keys;
    }
};

struct outputs {
    numbers of[OUTPUTS], state;
    explicit outputs(const job &j) : state(j.s.batch * j.s.heads * j.s.key * j.s.value)
    {
        for (size_t i = 0; i < OUTPUTS; i++) of[i].assign(j.count(i) + 4, NAN);
    }
};

static void reference(outputs &to, const job &j)
{
    const f2l_dplr_shape s = {j.s.batch, j.s.tokens, j.s.heads, j.s.key, j.s.value};
    const bool ranked = j.s.ranked;
    const f2l_dplr_in_f32 in = {j.in[0].data(),
                                j.in[1].data(),
                                j.in[5].data(),
                                j.in[2].data(),
                                ranked ? j.in[3].data() : nullptr,
                                ranked ? j.in[4].data() : nullptr};
    const f2l_dplr_grad_f32 grad = {to.of[1].data(), to.of[2].data(), to.of[6].data(),
                                    to.of[3].data(), to.of[4].data(), to.of[5].data()};
    f2l_error err;
    if (f2l_dplr_forward_f32(to.of[0].data(), to.state.data(), &in, &s, &err) != F2L_OK ||
        f2l_dplr_backward_f32(&grad, j.in[6].data(), &in, &s, &err) != F2L_OK)
        exit(2);
}

static f2l_cuda_dplr_in inputs(const job &j)
{
    return {j.in[0].data(), j.in[1].data(), j.in[5].data(),
            j.in[2].data(), j.in[3].data(), j.in[4].data()};
}

template <int KEY, bool RANKED> static void run(outputs &to, const job &j, uint32_t seed)
{
    const size_t warps = (j.s.value + tile<KEY>::WIDTH - 1) / tile<KEY>::WIDTH,
                 threads = 32 * warps, each = 4 * tile<KEY>::PIECES * threads,
                 pairs = j.s.batch * j.s.heads,
                 segments = (j.s.tokens + F2L_CUDA_DPLR_SEGMENT - 1) / F2L_CUDA_DPLR_SEGMENT,
                 blocks = pairs > 1 ? pairs - 1 : 1; /* one block has two pairs */
    const f2l_cuda_dplr_in in = inputs(j);
    const f2l_cuda_dplr_grad grad = {to.of[1].data(), to.of[2].data(), to.of[6].data(),
                                     to.of[3].data(), to.of[4].data(), to.of[5].data()};
    std::vector<float4> kept_room, work_room;
    float *kept = pieces(kept_room, segments * pairs * each),
          *work = pieces(work_room, blocks * (F2L_CUDA_DPLR_SEGMENT - 1) * each);
    emulate(static_cast<uint32_t>(pairs), static_cast<uint32_t>(threads), seed,
            [&] { forward<float, KEY, RANKED>(to.of[0].data(), to.state.data(), kept, in, j.s); });
    emulate(static_cast<uint32_t>(blocks), static_cast<uint32_t>(threads), seed, [&] {
        backward<float, KEY, RANKED>(grad, j.in[6].data(), kept, work, in, j.s,
                                     static_cast<unsigned>(blocks));
    });
}

/* Runs a word of one sequence in two pieces, of which the first has `first` tokens. */
template <int KEY, bool RANKED>
static bool pieces_agree(const outputs &whole, const job &j, size_t first)
{
    const size_t warps = (j.s.value + tile<KEY>::WIDTH - 1) / tile<KEY>::WIDTH;
    numbers out(j.values, NAN), state(whole.state.size());
    for (size_t from = 0, count = first; from < j.s.tokens; from += count, count = j.s.tokens) {
        f2l_cuda_dplr_shape s = j.s;
        s.tokens = from + count < j.s.tokens ? count : j.s.tokens - from;
        const size_t key = from * s.heads * s.key, value = from * s.heads * s.value;
        const f2l_cuda_dplr_in in = {j.in[0].data() + key,   j.in[1].data() + key,
                                     j.in[5].data() + value, j.in[2].data() + key,
                                     j.in[3].data() + key,   j.in[4].data() + key};
        emulate(static_cast<uint32_t>(s.heads), static_cast<uint32_t>(32 * warps), 1, [&] {
            forward<float, KEY, RANKED>(out.data() + value, state.data(), nullptr, in, s);
        });
    }
    return memcmp(out.data(), whole.of[0].data(), j.values * 4) == 0 &&
           memcmp(state.data(), whole.state.data(), state.size() * 4) == 0;
}

template <int KEY, bool RANKED>
static void check(size_t batch, size_t tokens, size_t heads, size_t key, size_t value)
{
    static const char *const name[] = {"out", "dq", "dk", "dw", "da", "db", "dv", "S"};
    const job j({batch, tokens, heads, key, value, RANKED, F2L_CUDA_F32, nullptr});
    outputs got(j), again(j), want(j);
    double error[OUTPUTS + 1];
    bool same = true;
    reference(want, j);
    run<KEY, RANKED>(got, j, f2l_rng_u32(&rng));
    run<KEY, RANKED>(again, j, f2l_rng_u32(&rng));
    for (size_t i = 0; i < OUTPUTS; i++) {
        const bool wanted = RANKED || (i != 4 && i != 5);
        error[i] = wanted ? distance(got.of[i], want.of[i], j.count(i)) : 0;
        same = same && memcmp(got.of[i].data(), again.of[i].data(), j.count(i) * 4) == 0;
    }
    error[OUTPUTS] = distance(got.state, want.state, want.state.size());
    if (batch == 1) same = same && pieces_agree<KEY, RANKED>(got, j, tokens / 2);
    report("dplr" + std::string(RANKED ? " ranked" : "") + " B " + std::to_string(batch) + " T " +
               std::to_string(tokens) + " H " + std::to_string(heads) + " " + std::to_string(key) +
               " x " + std::to_string(value),
           name, error, OUTPUTS + 1, same);
}

/* Packed words have, word for word, the bits of words by themselves. */
template <int KEY, bool RANKED>
static void check_packed(const std::vector<uint32_t> &first, size_t longest, size_t heads,
                         size_t key, size_t value)
{
    const f2l_cuda_dplr_shape s = {first.size() - 1, longest,      heads,       key, value,
                                   RANKED,           F2L_CUDA_F32, first.data()};
    const job all(s);
    outputs packed(all);
    bool same = std::isnan(packed.of[0][first[s.batch] * heads * value]);
    run<KEY, RANKED>(packed, all, f2l_rng_u32(&rng));
    for (size_t b = 0; b < s.batch; b++) {
        f2l_cuda_dplr_shape word = s;
        word.batch = 1, word.tokens = first[b + 1] - first[b], word.first = nullptr;
        job one(word);
        for (size_t i = 0; i < INPUTS; i++) {
            const size_t width = heads * (i < 5 ? key : value);
            const float *from = all.in[i].data() + first[b] * width;
            one.in[i].assign(from, from + word.tokens * width);
        }
        outputs alone(one);
        run<KEY, RANKED>(alone, one, f2l_rng_u32(&rng));
        for (size_t i = 0; i < OUTPUTS; i++)
            if (RANKED || (i != 4 && i != 5))
                same = same && memcmp(packed.of[i].data() +
                                          first[b] * heads * (i == 0 || i == 6 ? value : key),
                                      alone.of[i].data(), one.count(i) * 4) == 0;
    }
    same = same && std::isnan(packed.of[0][first[s.batch] * heads * value]);
    report("dplr" + std::string(RANKED ? " ranked" : "") + ", " + std::to_string(s.batch) +
               " packed words of up to " + std::to_string(longest),
           nullptr, nullptr, 0, same);
}

template <int KEY> static void check_key(size_t key, size_t wide)
{
    check<KEY, true>(2, 37, 2, key, wide);
    check<KEY, false>(1, 33, 2, KEY, tile<KEY>::WIDTH);
    check<KEY, true>(1, 19, 3, KEY, 5);
    check<KEY, false>(2, 16, 1, key, wide - 3);
}

/* --- gates --- */

template <int PER, bool WITH_REMOVAL>
static void check_rates(size_t rows, size_t heads, size_t key, bool negative)
{
    static const char *const name[] = {"w",  "a",     "b",          "key",      "dx",          "dk",
                                       "dy", "dbias", "drate bias", "dremoval", "dreplacement"};
    const size_t keys = heads * key, n = rows * keys;
    const stripes parts = {static_cast<unsigned>((rows + 2) / 3), 3};
    numbers in[3], p[4], from[4], out[2][7], sum[2][4], again[7];
    for (numbers &x : in) x = drawn(n, 2);
    for (numbers &x : p) x = drawn(keys, 1);
    for (numbers &x : from) x = drawn(n, 1);
    for (int i = 0; i < 2; i++) {
        for (numbers &x : out[i]) x.assign(n, NAN);
        for (numbers &x : sum[i]) x.assign(keys, 0);
    }
    const f2l_cuda_rates_shape s = {rows, heads, key, WITH_REMOVAL, negative, 1e-6f, F2L_CUDA_F32};
    const f2l_rates_shape same_shape = {rows, heads, key, WITH_REMOVAL, negative, 1e-6};
    const f2l_cuda_rates_in x = {in[0].data(), in[1].data(), in[2].data(), p[0].data(),
                                 p[1].data(),  p[2].data(),  p[3].data()};
    const f2l_rates_in_f32 y = {in[0].data(), in[1].data(), in[2].data(), p[0].data(),
                                p[1].data(),  p[2].data(),  p[3].data()};
    const f2l_rates_out_f32 want = {out[1][0].data(), out[1][1].data(), out[1][2].data(),
                                    out[1][3].data()};
    const f2l_rates_grad_f32 want_grad = {from[0].data(),   from[1].data(),   from[2].data(),
                                          from[3].data(),   out[1][4].data(), out[1][5].data(),
                                          out[1][6].data(), sum[1][0].data(), sum[1][1].data(),
                                          sum[1][2].data(), sum[1][3].data()};
    f2l_rates_forward_f32(&want, &y, &same_shape);
    f2l_rates_backward_f32(&want_grad, &y, &same_shape);
    numbers partial(PARAMETERS * parts.count * keys, NAN);
    bool same = true;
    for (int turn = 0; turn < 2; turn++) {
        const f2l_cuda_rates_out to = {out[0][0].data(), out[0][1].data(), out[0][2].data(),
                                       out[0][3].data()};
        const f2l_cuda_rates_grad grad = {from[0].data(),   from[1].data(),   from[2].data(),
                                          from[3].data(),   out[0][4].data(), out[0][5].data(),
                                          out[0][6].data(), nullptr,          nullptr,
                                          nullptr,          nullptr};
        const uint32_t grid = static_cast<uint32_t>((parts.count * heads + RATES_WARPS - 1) /
                                                    RATES_WARPS),
                       seed = f2l_rng_u32(&rng);
        emulate(grid, 32 * RATES_WARPS, seed,
                [&] { rates_forward<float, PER, WITH_REMOVAL>(to, x, s, parts); });
        emulate(grid, 32 * RATES_WARPS, seed, [&] {
            rates_backward<float, PER, WITH_REMOVAL>(grad, partial.data(), x, s, parts);
        });
        for (int i = 0; i < 7; i++) {
            if (turn) same = same && memcmp(again[i].data(), out[0][i].data(), n * 4) == 0;
            again[i] = out[0][i];
        }
    }
    for (size_t i = 0; i < (WITH_REMOVAL ? PARAMETERS : 1) * parts.count * keys; i++)
        sum[0][i / keys / parts.count][i % keys] += partial[i];
    double error[11] = {};
    for (size_t i = 0; i < 7; i++)
        if (WITH_REMOVAL || i == 0 || i == 4) error[i] = distance(out[0][i], out[1][i], n);
    for (size_t i = 0; i < (WITH_REMOVAL ? 4 : 1); i++)
        error[7 + i] = distance(sum[0][i], sum[1][i], keys);
    report(std::string("rates") + (WITH_REMOVAL ? " removal" : "") + (negative ? " negative" : "") +
               " rows " + std::to_string(rows) + " H " + std::to_string(heads) + " K " +
               std::to_string(key),
           name, error, 11, same);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], nullptr, 0) : 1;
    f2l_rng_init(&rng, seed, 0);
    printf("emulate_dplr: seed %llu\n", static_cast<unsigned long long>(seed));
    check_key<16>(11, 40);
    check_key<32>(19, 128);
    check_key<64>(33, 64);
    check_key<128>(70, 40);
    check_packed<32, true>({0, 1, 38, 70}, 40, 2, 19, 40);
    check_packed<64, false>({0, 16, 35}, 33, 1, 64, 20);
    for (int negative = 0; negative < 2; negative++) {
        check_rates<1, true>(7, 3, 20, negative);
        check_rates<2, true>(5, 2, 64, negative);
        check_rates<4, true>(4, 1, 100, negative);
        check_rates<1, false>(8, 2, 32, negative);
        check_rates<2, false>(3, 3, 40, negative);
    }
    printf("%d passed, %d failed\n", good_ones, bad);
    return bad ? 1 : 0;
}
