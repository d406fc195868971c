/* emulate_select [SEED]: the kernels of cuda_select*.cuh, for float, on the emulated warps of
 * cuda/check/emulated_warp.h. For every layout of states over lanes, odd sizes among them, the
 * results are compared with the host's operators, and must have the same bits for every order in
 * which lanes run between two meetings. Part of `make check`; needs nothing of CUDA. */
#include "cuda/check/emulated_common.h"
extern "C" {
#include "numeric/base/rng.h"
#include "tests/support/cuda/host_operators.h"
}
#include "cuda/op/cuda_select_back.cuh"

static f2l_rng rng;
static int good_ones, bad;

static std::vector<float> drawn(size_t n, double size)
{
    std::vector<float> x(n + 4);
    for (float &y : x)
        y = static_cast<float>(size *
                               (ldexp(static_cast<double>(f2l_rng_u64(&rng) >> 11), -52) - 1));
    return x;
}

struct inputs {
    std::vector<float> u, step, gate, rows, bias, log_rate, skip, dout;
    explicit inputs(const f2l_cuda_select_shape &s)
        : u(drawn(s.batch * s.tokens * s.channels, 1)),
          step(drawn(s.batch * s.tokens * s.channels, 2)),
          gate(drawn(s.batch * s.tokens * s.gate_stride, 2)),
          rows(drawn(s.batch * s.tokens * s.stride, 1)), bias(drawn(s.channels, 1)),
          log_rate(drawn(s.channels * s.states, 1)), skip(drawn(s.channels, 1)),
          dout(drawn(s.batch * s.tokens * s.channels, 1))
    {
    }
    f2l_cuda_select_in in(const f2l_cuda_select_shape &s) const
    {
        return {u.data(),    step.data(),     gate.data(), rows.data(), rows.data() + s.states,
                bias.data(), log_rate.data(), skip.data()};
    }
};

struct outputs {
    std::vector<float> out, du, dstep, dgate, drows, dbias, dlog, dskip;
    explicit outputs(const f2l_cuda_select_shape &s)
        : out(s.batch * s.tokens * s.channels, NAN), du(out), dstep(out),
          dgate(s.batch * s.tokens * s.gate_stride), drows(s.batch * s.tokens * s.stride),
          dbias(s.channels), dlog(s.channels * s.states), dskip(s.channels)
    {
    }
    f2l_cuda_select_grad grad(const f2l_cuda_select_shape &s)
    {
        return {du.data(),    dstep.data(), dgate.data(), drows.data(), drows.data() + s.states,
                dbias.data(), dlog.data(),  dskip.data()};
    }
    std::vector<const std::vector<float> *> all(void) const
    {
        return {&out, &du, &dstep, &dgate, &drows, &dbias, &dlog, &dskip};
    }
};

static bool same(const outputs &x, const outputs &y)
{
    bool equal = true;
    for (size_t i = 0; i < x.all().size(); i++)
        equal =
            equal && memcmp(x.all()[i]->data(), y.all()[i]->data(), x.all()[i]->size() * 4) == 0;
    return equal;
}

static double distance(const std::vector<float> &got, const std::vector<float> &want)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < got.size(); i++) {
        difference += pow(static_cast<double>(got[i]) - static_cast<double>(want[i]), 2);
        size += pow(static_cast<double>(want[i]), 2);
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

/* Adds up the launchers' partial sums. */
static void add_partials(outputs &to, const partials &part, const f2l_cuda_select_shape &s,
                         size_t blocks)
{
    for (size_t b = 0; b < s.batch; b++)
        for (size_t c = 0; c < s.channels; c++) {
            to.dbias[c] += part.bias[b * s.channels + c];
            to.dskip[c] += part.skip[b * s.channels + c];
            for (size_t n = 0; n < s.states; n++)
                to.dlog[c * s.states + n] += part.state_log[(b * s.channels + c) * s.states + n];
        }
    for (size_t r = 0; r < (s.first ? s.rows : s.batch * s.tokens); r++)
        for (size_t k = 0; k < blocks; k++)
            for (size_t n = 0; n < 2 * s.states; n++)
                to.drows[r * s.stride + n] += part.write_read[(r * blocks + k) * 2 * s.states + n];
}

template <class L, bool PACKED = false>
static void run(outputs &to, const inputs &from, const f2l_cuda_select_shape &s, uint32_t seed)
{
    const size_t chunks = (s.tokens + CHUNK - 1) / CHUNK,
                 blocks = (s.channels + L::CHANNELS - 1) / L::CHANNELS, rows = s.batch * s.tokens;
    const f2l_cuda_select_in in = from.in(s);
    const f2l_cuda_select_grad grad = to.grad(s);
    const bool wide = s.states % 4 == 0;
    std::vector<float4> kept(s.batch * chunks * s.channels * s.states / 4 + 1,
                             {NAN, NAN, NAN, NAN}),
        logs(s.batch * s.channels * s.states / 4 + 1, {NAN, NAN, NAN, NAN});
    std::vector<float> write_read(rows * blocks * 2 * s.states, NAN),
        bias(s.batch * s.channels, NAN), skip(bias);
    float *states = &kept[0].x;
    const partials part = {write_read.data(), &logs[0].x, bias.data(), skip.data()};
    const uint32_t grid = static_cast<uint32_t>(blocks * s.batch);
    emulate(grid, L::THREADS, seed, [&] {
        forward<float, L, PACKED>(to.out.data(), states, in, s, static_cast<unsigned>(blocks),
                                  wide);
    });
    emulate(grid, L::THREADS, seed, [&] {
        backward<float, L, PACKED>(grad, part, from.dout.data(), states, in, s,
                                   static_cast<unsigned>(blocks), wide);
    });
    add_partials(to, part, s, blocks);
}

static void reference(outputs &to, const inputs &from, const f2l_cuda_select_shape &s)
{
    size_t kept_bytes, work_bytes;
    f2l_error err;
    const f2l_cuda_select_in in = from.in(s);
    const f2l_cuda_select_grad grad = to.grad(s);
    if (f2l_host_select_bytes(&kept_bytes, &work_bytes, &s, &err) != F2L_OK) exit(2);
    std::vector<float> kept(kept_bytes / 4), work(work_bytes / 4);
    if (f2l_host_select_forward(to.out.data(), kept.data(), &in, &s, nullptr, &err) != F2L_OK ||
        f2l_host_select_backward(&grad, from.dout.data(), kept.data(), work.data(), &in, &s,
                                 nullptr, &err) != F2L_OK)
        exit(2);
}

template <class L>
static void check(size_t batch, size_t tokens, size_t channels, size_t states, float low)
{
    static const char *const name[] = {"out",   "du",    "dstep", "dgate",
                                       "dB dC", "dbias", "dlog",  "dskip"};
    const f2l_cuda_select_shape s = {batch,        tokens, channels,     states,  2 * states + 3,
                                     channels + 5, low,    F2L_CUDA_F32, nullptr, 0};
    const inputs from(s);
    outputs got(s), again(s), want(s);
    reference(want, from, s);
    run<L>(got, from, s, f2l_rng_u32(&rng));
    run<L>(again, from, s, f2l_rng_u32(&rng));
    bool good = same(got, again);
    printf("emulated select B %zu T %zu C %zu N %zu, %d x %d, low %g%s:", batch, tokens, channels,
           states, L::LANES, L::PER, static_cast<double>(low),
           good ? "" : ", BITS DEPEND ON THE ORDER OF LANES");
    for (size_t i = 0; i < got.all().size(); i++) {
        const double error = distance(*got.all()[i], *want.all()[i]);
        printf(" %s %.1e", name[i], error);
        good = good && error < 1e-5;
    }
    printf(" %s\n", good ? "ok" : "FAIL");
    good_ones += good;
    bad += !good;
}

/* Packed words have, word for word, the bits of words by themselves; gradients of parameters agree
 * with the host's. */
template <class L>
static void check_packed(const std::vector<uint32_t> &first, size_t longest, size_t channels,
                         size_t states)
{
    const size_t batch = first.size() - 1;
    const f2l_cuda_select_shape s = {batch,          longest,      channels, states,
                                     2 * states + 3, channels + 5, -1,       F2L_CUDA_F32,
                                     first.data(),   first[batch]};
    const inputs from(s);
    outputs packed(s), want(s);
    reference(want, from, s);
    run<L, true>(packed, from, s, f2l_rng_u32(&rng));
    bool good = distance(packed.dbias, want.dbias) < 1e-5 &&
                distance(packed.dlog, want.dlog) < 1e-5 &&
                distance(packed.dskip, want.dskip) < 1e-5 &&
                std::isnan(packed.out[first[batch] * channels]);
    for (size_t b = 0; b < batch; b++) {
        f2l_cuda_select_shape word = s;
        word.batch = 1, word.tokens = first[b + 1] - first[b], word.first = nullptr;
        inputs mine = from;
        const auto cut = [&](std::vector<float> &x, size_t width) {
            x.erase(x.begin(), x.begin() + static_cast<long>(first[b] * width));
        };
        cut(mine.u, channels), cut(mine.step, channels), cut(mine.gate, s.gate_stride);
        cut(mine.rows, s.stride), cut(mine.dout, channels);
        outputs alone(word);
        run<L>(alone, mine, word, f2l_rng_u32(&rng));
        const auto same_rows = [&](const std::vector<float> &all, const std::vector<float> &part,
                                   size_t width) {
            return memcmp(all.data() + first[b] * width, part.data(),
                          word.tokens * width * sizeof(float)) == 0;
        };
        good = good && same_rows(packed.out, alone.out, channels) &&
               same_rows(packed.du, alone.du, channels) &&
               same_rows(packed.dstep, alone.dstep, channels) &&
               same_rows(packed.dgate, alone.dgate, s.gate_stride) &&
               same_rows(packed.drows, alone.drows, s.stride);
    }
    printf("emulated select, %zu packed words of up to %zu, C %zu N %zu, %d x %d: %s\n", batch,
           longest, channels, states, L::LANES, L::PER, good ? "ok" : "FAIL");
    good_ones += good;
    bad += !good;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], nullptr, 0) : 1;
    f2l_rng_init(&rng, seed, 0);
    printf("emulate_select: seed %llu\n", static_cast<unsigned long long>(seed));
    for (int low = 0; low >= -1; low--) {
        const float lowest = static_cast<float>(low);
        check<layout<4, 1>>(2, 37, 70, 1, lowest);
        check<layout<4, 1>>(1, 16, 64, 4, lowest);
        check<layout<8, 1>>(2, 19, 67, 5, lowest);
        check<layout<8, 1>>(1, 33, 3, 8, lowest);
        check<layout<8, 2>>(2, 33, 66, 16, lowest);
        check<layout<8, 2>>(1, 7, 64, 11, lowest);
        check<layout<8, 4>>(2, 35, 40, 24, lowest);
        check<layout<8, 8>>(2, 37, 20, 64, lowest);
        check<layout<8, 8>>(1, 18, 16, 35, lowest);
    }
    check_packed<layout<4, 1>>({0, 1, 18, 35, 51}, 20, 70, 3);
    check_packed<layout<8, 2>>({0, 33, 34, 50}, 40, 66, 16);
    printf("%d passed, %d failed\n", good_ones, bad);
    return bad ? 1 : 0;
}
