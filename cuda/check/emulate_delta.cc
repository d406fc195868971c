/* emulate_delta [SEED]: the kernels of cuda_delta_*.cuh on the emulated warps of
 * cuda/check/emulated_warp.h, compared with their replay in C. Everything except dbeta, whose sums
 * have another order, has the same bits up to a few roundings of sums. Packed words have the bits
 * of words by themselves. Needs a C++ compiler and
 * nothing of CUDA, and is part of `make check`. */
#include "cuda/check/emulated_warp.h"
extern "C" {
#include "numeric/base/rng.h"
#include "tests/support/cuda/replay_delta.h"
}
#include "cuda/delta/cuda_delta_back.cuh"

static f2l_rng rng;
static int good_ones, bad;

static double uniform(void)
{
    return ldexp(static_cast<double>(f2l_rng_u64(&rng) >> 11), -52) - 1;
}

static std::vector<uint16_t> rows(size_t n, size_t row, bool unit)
{
    std::vector<uint16_t> out(n * row + 8);
    std::vector<double> x(row);
    for (size_t i = 0; i < n; i++) {
        double size = 0;
        for (double &y : x) y = uniform(), size += y * y;
        for (size_t j = 0; j < row; j++)
            out[i * row + j] =
                f2l_replay_round(static_cast<float>(unit ? x[j] / sqrt(size) : x[j]));
    }
    return out;
}

static double value(uint16_t x)
{
    return static_cast<double>(f2l_replay_widen(x));
}
static double value(float x)
{
    return static_cast<double>(x);
}
template <typename T>
static double distance(const std::vector<T> &got, const std::vector<T> &want, size_t n)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        difference += (value(got[i]) - value(want[i])) * (value(got[i]) - value(want[i]));
        size += value(want[i]) * value(want[i]);
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

static delta_args arguments(const f2l_delta_mma_in &in, const f2l_delta_shape &s)
{
    delta_args p = {};
    p.q = in.q, p.k = in.k, p.v = in.v, p.beta = in.beta, p.letter = in.letter, p.start = in.h0;
    p.words = static_cast<uint32_t>(s.batch * s.heads);
    p.tokens = static_cast<uint32_t>(s.tokens), p.heads = static_cast<uint32_t>(s.heads);
    p.factors = static_cast<uint32_t>(s.householders);
    p.chunk = static_cast<uint32_t>(f2l_delta_chunk(s.householders));
    p.inverse = (256 + p.factors - 1) / p.factors;
    return p;
}

struct outputs {
    std::vector<uint16_t> out, kept, dq, dk, dv;
    std::vector<float> state, end, dbeta;
    outputs(size_t nq, size_t nk, size_t states, size_t factors)
        : out(nq, 0xffff), kept(nk, 0xffff), dq(nq, 0xffff), dk(nk, 0xffff), dv(nk, 0xffff),
          state(states, NAN), dbeta(factors, NAN)
    {
    }
};

template <int D, int TT>
static void check(f2l_delta_shape s, bool additive, bool started, bool letters)
{
    using G = geometry<D, D, TT>;
    const size_t words = s.batch * s.heads, tokens = words * s.tokens,
                 factors = tokens * s.householders;
    const size_t nq = letters ? 7 * s.heads : tokens, nk = nq * s.householders;
    const auto q = rows(nq, D, false), k = rows(nk, D, true), v = rows(nk, D, false),
               dout = rows(tokens, D, false);
    std::vector<float> beta(nk + 1), h0(s.heads * D * D);
    for (size_t i = 0; i < nk; i++) beta[i] = i % 11 == 3 ? 0 : static_cast<float>(uniform() + 1);
    for (float &x : h0) x = static_cast<float>(uniform());
    std::vector<uint32_t> letter(s.batch * s.tokens + 1);
    for (uint32_t &x : letter) x = static_cast<uint32_t>(f2l_rng_below(&rng, 7));
    const f2l_delta_mma_in in = {q.data(),
                                 k.data(),
                                 additive ? v.data() : nullptr,
                                 beta.data(),
                                 started ? h0.data() : nullptr,
                                 letters ? letter.data() : nullptr};
    outputs got(tokens * D, factors * D, words * D * D, factors), want = got;
    f2l_error err;
    const f2l_delta_mma_grad grad = {want.dq.data(), want.dk.data(),
                                     additive ? want.dv.data() : nullptr, want.dbeta.data(),
                                     nullptr};
    if (f2l_replay_delta_forward(want.out.data(), want.state.data(), want.kept.data(), false, &in,
                                 &s, &err) != F2L_OK)
        exit(2);
    want.end = want.state;
    if (f2l_replay_delta_backward(&grad, dout.data(), want.kept.data(), want.state.data(), &in, &s,
                                  &err) != F2L_OK)
        exit(2);
    delta_args p = arguments(in, s);
    p.out = got.out.data(), p.kept = got.kept.data(), p.state = got.state.data();
    const uint32_t blocks = (p.words + G::groups - 1) / G::groups, seed = f2l_rng_u32(&rng);
    emulate(blocks, G::threads, seed, [&] {
        letters ? delta_forward<D, D, TT, BY_LETTER, 1>(p)
                : delta_forward<D, D, TT, BY_POSITION, 1>(p);
    });
    got.end = got.state;
    p.dout = dout.data(), p.dq = got.dq.data(), p.dk = got.dk.data(), p.dbeta = got.dbeta.data();
    p.dv = additive ? got.dv.data() : nullptr;
    emulate(blocks, G::threads, seed, [&] {
        letters ? delta_back<D, D, TT, BY_LETTER, 1>(p) : delta_back<D, D, TT, BY_POSITION, 1>(p);
    });
    const double e[] = {distance(got.out, want.out, tokens * D),
                        distance(got.kept, want.kept, factors * D),
                        distance(got.end, want.end, words * D * D),
                        distance(got.dq, want.dq, tokens * D),
                        distance(got.dk, want.dk, factors * D),
                        additive ? distance(got.dv, want.dv, factors * D) : 0,
                        distance(got.dbeta, want.dbeta, factors),
                        distance(got.state, want.state, words * D * D)};
    bool good = emulated::conflicts == 0;
    for (const double x : e)
        good = good && x < 1e-4; /* one rounding to bf16 of 10^4 the other way */
    printf("%s emulated delta B %zu T %zu H %zu n %zu D %zu%s%s%s: o %.1e G %.1e S %.1e dq %.1e dk "
           "%.1e dv %.1e dbeta %.1e dS %.1e, conflicts %ld\n",
           good ? "ok  " : "FAIL", s.batch, s.tokens, s.heads, s.householders, s.key,
           additive ? " v" : "", started ? " h0" : "", letters ? " letters" : "", e[0], e[1], e[2],
           e[3], e[4], e[5], e[6], e[7], emulated::conflicts);
    good_ones += good;
    bad += !good;
}

/* Runs both kernels over words of `s`. */
template <int D, int TT, delta_mode MODE>
static void run(outputs &to, const f2l_delta_mma_in &in, const uint16_t *dout,
                const f2l_delta_shape &s, uint32_t seed)
{
    using G = geometry<D, D, TT>;
    delta_args p = arguments(in, s);
    p.first = in.first;
    p.out = to.out.data(), p.kept = to.kept.data(), p.state = to.state.data();
    const uint32_t blocks = (p.words + G::groups - 1) / G::groups;
    emulate(blocks, G::threads, seed, [&] { delta_forward<D, D, TT, MODE, 1>(p); });
    p.dout = dout, p.dq = to.dq.data(), p.dk = to.dk.data(), p.dbeta = to.dbeta.data();
    p.dv = in.v ? to.dv.data() : nullptr;
    emulate(blocks, G::threads, seed, [&] { delta_back<D, D, TT, MODE, 1>(p); });
}

template <typename T>
static bool same_rows(const std::vector<T> &all, size_t row, const std::vector<T> &part,
                      size_t width, size_t n)
{
    return memcmp(all.data() + row * width, part.data(), n * width * sizeof(T)) == 0;
}

/* Packed words have, word for word, the bits of words by themselves, and nothing is written between
 * or behind them. */
template <int D, int TT>
static void check_packed(const std::vector<uint32_t> &first, size_t heads, size_t n, bool additive,
                         bool started)
{
    const size_t batch = first.size() - 1, tokens = heads * first[batch], factors = tokens * n;
    size_t longest = 0;
    for (size_t b = 0; b < batch; b++) longest = std::max<size_t>(longest, first[b + 1] - first[b]);
    const auto q = rows(tokens, D, false), k = rows(factors, D, true), v = rows(factors, D, false),
               dout = rows(tokens, D, false);
    std::vector<float> beta(factors + 1), h0(heads * D * D);
    for (size_t i = 0; i < factors; i++) beta[i] = static_cast<float>(uniform() + 1);
    for (float &x : h0) x = static_cast<float>(uniform());
    const f2l_delta_mma_in in = {q.data(),
                                 k.data(),
                                 additive ? v.data() : nullptr,
                                 beta.data(),
                                 started ? h0.data() : nullptr,
                                 nullptr,
                                 first.data()};
    outputs all((tokens + 1) * D, (factors + 1) * D, batch * heads * D * D, factors + 1);
    run<D, TT, PACKED>(all, in, dout.data(), {batch, longest, heads, n, D, D}, f2l_rng_u32(&rng));
    bool good = emulated::conflicts == 0 && all.out[tokens * D] == 0xffff &&
                all.dq[tokens * D] == 0xffff && all.dk[factors * D] == 0xffff &&
                std::isnan(all.dbeta[factors]);
    for (size_t b = 0; b < batch; b++) {
        const size_t row = first[b] * heads, count = (first[b + 1] - first[b]) * heads;
        outputs one(count * D, count * n * D, heads * D * D, count * n);
        const f2l_delta_mma_in word = {in.q + row * D,
                                       in.k + row * n * D,
                                       in.v ? in.v + row * n * D : nullptr,
                                       in.beta + row * n,
                                       in.h0,
                                       nullptr,
                                       nullptr};
        run<D, TT, BY_POSITION>(one, word, dout.data() + row * D,
                                {1, first[b + 1] - first[b], heads, n, D, D}, f2l_rng_u32(&rng));
        good = good && same_rows(all.out, row, one.out, D, count) &&
               same_rows(all.kept, row, one.kept, n * D, count) &&
               same_rows(all.dq, row, one.dq, D, count) &&
               same_rows(all.dk, row, one.dk, n * D, count) &&
               same_rows(all.dbeta, row, one.dbeta, n, count) &&
               (!additive || same_rows(all.dv, row, one.dv, n * D, count)) &&
               same_rows(all.state, b * heads, one.state, D * D, heads);
    }
    printf("%s emulated delta, %zu packed words of up to %zu, H %zu n %zu D %d%s%s\n",
           good ? "ok  " : "FAIL", batch, longest, heads, n, D, additive ? " v" : "",
           started ? " h0" : "");
    good_ones += good;
    bad += !good;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], nullptr, 0) : 1;
    f2l_rng_init(&rng, seed, 0);
    printf("emulate_delta: seed %llu\n", static_cast<unsigned long long>(seed));
    for (int late = 0; late < 2; late++) {
        emulated::late_copies = late;
        check<32, 2>({3, 37, 2, 1, 32, 32}, true, true, false);
        check<32, 2>({1, 33, 1, 1, 32, 32}, false, true, true);
        for (size_t n = 2; n <= 8; n++)
            check<32, 1>({3, 5 * n + 3, 2, n, 32, 32}, n % 2 == 0, n % 2 == 1 || n % 3 != 0,
                         n % 4 == 3);
        check<64, 1>({1, 21, 2, 4, 64, 64}, true, true, false);
        check<64, 2>({1, 41, 2, 1, 64, 64}, true, true, true);
        check<128, 1>({1, 21, 1, 4, 128, 128}, true, true, false);
        check<128, 2>({1, 41, 1, 1, 128, 128}, true, false, false);
        check<128, 1>({1, 9, 1, 5, 128, 128}, false, true, true);
        check_packed<32, 2>({0, 1, 18, 55, 71}, 2, 1, true, false);
        check_packed<32, 1>({0, 13, 14, 23}, 2, 4, true, true);
        check_packed<64, 1>({0, 5, 11}, 1, 3, false, true);
        check_packed<128, 2>({0, 17, 18}, 1, 1, true, false);
    }
    printf("%d passed, %d failed\n", good_ones, bad);
    return bad ? 1 : 0;
}
