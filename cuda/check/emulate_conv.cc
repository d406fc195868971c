/* emulate_conv [SEED]: the kernels of cuda_conv_walk.cuh, for float, on the emulated warps of
 * cuda/check/emulated_warp.h. Words that are packed have the same bits as words by themselves, of
 * the output and of dx; both agree with the host's operators, with the gradients of the taps, too.
 * Part of `make check`; needs nothing of CUDA. */
#include "cuda/check/emulated_common.h"
extern "C" {
#include "numeric/base/rng.h"
#include "tests/support/cuda/host_operators.h"
}
#include "cuda/op/cuda_conv_walk.cuh"

static f2l_rng rng;
static int good_ones, bad;

static std::vector<float> drawn(size_t n)
{
    std::vector<float> x(n);
    for (float &y : x)
        y = static_cast<float>(ldexp(static_cast<double>(f2l_rng_u64(&rng) >> 11), -52) - 1);
    return x;
}

struct outputs {
    std::vector<float> y, dx, dw;
    explicit outputs(const f2l_cuda_conv_shape &s, size_t rows)
        : y((rows + 1) * s.y_stride, NAN), dx((rows + 1) * s.x_stride, NAN), dw(s.width * s.taps)
    {
    }
};

struct inputs {
    const float *x, *dy, *w;
};

/* Runs a kernel in the launchers' grid. */
template <typename Kernel> static void walk(const f2l_cuda_conv_shape &s, Kernel kernel)
{
    gridDim.y = walk_parts(&s);
    emulated::across = 32;
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
        emulate((static_cast<uint32_t>(s.width) / PIECE<float> + 31) / 32, 32 * WALKERS,
                f2l_rng_u32(&rng), kernel);
}

template <int TAPS, bool PACKED>
static void run(float *y, float *dx, std::vector<float> &dw, const inputs &in,
                const f2l_cuda_conv_shape &s)
{
    std::vector<float> partial(walk_parts(&s) * TAPS * s.width, NAN);
    walk(s, [&] { walk_forward<float, TAPS, PACKED>(y, nullptr, in.x, in.w, nullptr, s); });
    walk(s,
         [&] { walk_back<float, TAPS, false, PACKED>(dx, partial.data(), in.dy, in.x, in.w, s); });
    for (size_t i = 0; i < partial.size(); i++)
        dw[i % s.width * TAPS + i / s.width % TAPS] += partial[i];
}

static double distance(const std::vector<float> &got, const std::vector<float> &want)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < got.size(); i++) {
        if (std::isnan(want[i]) != std::isnan(got[i])) return INFINITY; /* written elsewhere */
        if (std::isnan(want[i])) continue;
        difference += pow(static_cast<double>(got[i]) - static_cast<double>(want[i]), 2);
        size += pow(static_cast<double>(want[i]), 2);
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

template <int TAPS> static void check(const std::vector<uint32_t> &first, size_t width)
{
    const size_t batch = first.size() - 1, rows = first[batch];
    size_t longest = 0;
    for (size_t b = 0; b < batch; b++) longest = std::max<size_t>(longest, first[b + 1] - first[b]);
    const f2l_cuda_conv_shape s = {batch,        longest,   width,     TAPS,
                                   F2L_CUDA_F32, width + 4, width + 8, first.data()};
    const auto x = drawn(rows * s.x_stride), dy = drawn(rows * s.y_stride), w = drawn(width * TAPS);
    outputs packed(s, rows), alone(s, rows), want(s, rows);
    f2l_error err;
    run<TAPS, true>(packed.y.data(), packed.dx.data(), packed.dw, {x.data(), dy.data(), w.data()},
                    s);
    for (size_t b = 0; b < batch; b++) {
        const size_t to_x = first[b] * s.x_stride, to_y = first[b] * s.y_stride;
        f2l_cuda_conv_shape word = s;
        word.batch = 1, word.tokens = first[b + 1] - first[b], word.first = nullptr;
        run<TAPS, false>(alone.y.data() + to_y, alone.dx.data() + to_x, alone.dw,
                         {x.data() + to_x, dy.data() + to_y, w.data()}, word);
    }
    if (f2l_host_conv_forward(want.y.data(), nullptr, nullptr, x.data(), w.data(), nullptr, &s,
                              nullptr, &err) != F2L_OK ||
        f2l_host_conv_backward(want.dx.data(), want.dw.data(), nullptr, dy.data(), x.data(),
                               w.data(), nullptr, &s, nullptr, &err) != F2L_OK)
        exit(2);
    const double e[] = {distance(packed.y, want.y), distance(packed.dx, want.dx),
                        distance(packed.dw, want.dw), distance(alone.dw, want.dw)};
    bool good = memcmp(packed.y.data(), alone.y.data(), packed.y.size() * 4) == 0 &&
                memcmp(packed.dx.data(), alone.dx.data(), packed.dx.size() * 4) == 0;
    for (const double y : e) good = good && y < 1e-6;
    printf("%s emulated convolution, %zu words of up to %zu, width %zu, %d taps: y %.1e dx %.1e dw "
           "%.1e, padded %.1e\n",
           good ? "ok  " : "FAIL", batch, longest, width, TAPS, e[0], e[1], e[2], e[3]);
    good_ones += good;
    bad += !good;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], nullptr, 0) : 1;
    f2l_rng_init(&rng, seed, 0);
    printf("emulate_conv: seed %llu\n", static_cast<unsigned long long>(seed));
    check<4>({0, 1, 3, 43, 44, 60}, 24);
    check<4>({0, 150, 151, 215, 279, 344}, 132);
    check<3>({0, 2, 4, 69}, 8);
    check<2>({0, 64, 65}, 4);
    printf("%d passed, %d failed\n", good_ones, bad);
    return bad ? 1 : 0;
}
