/* emulate_pairs [SEED]: the kernels of cuda_pairs*.cuh, for float, on the emulated warps of
 * cuda/check/emulated_warp.h. For attention and mLSTM, heads of every layout, odd sizes and windows
 * among them, the results are compared with the host's operators, and must have the same bits for
 * every order in which lanes run between two meetings; words in pieces are compared with words at
 * once. Part of `make check`; needs nothing of CUDA. */
#include "cuda/check/emulated_common.h"
extern "C" {
#include "models/learn/op/op_attention.h"
#include "models/learn/op/op_mlstm.h"
#include "numeric/base/rng.h"
#include "tests/support/cuda/host_operators.h"
}
#include "cuda/op/cuda_pairs_back.cuh"
#include "cuda/op/cuda_pairs_stream.cuh"

static f2l_rng rng;
static int good_ones, bad;

static std::vector<float> drawn(size_t n, double size)
{
    std::vector<float> x(n);
    for (float &y : x)
        y = static_cast<float>(size *
                               (ldexp(static_cast<double>(f2l_rng_u64(&rng) >> 11), -52) - 1));
    return x;
}

static size_t rows_of(const f2l_cuda_pairs_shape &s)
{
    return s.batch * s.tokens;
}

struct inputs {
    std::vector<float> q, k, v, gates, in_bias, forget_bias, dout;
    explicit inputs(const f2l_cuda_pairs_shape &s)
        : q(drawn(rows_of(s) * s.key_stride, 2)), k(drawn(rows_of(s) * s.key_stride, 2)),
          v(drawn(rows_of(s) * s.value_stride, 1)), gates(drawn(rows_of(s) * s.gate_stride, 2)),
          in_bias(drawn(s.heads, 1)), forget_bias(drawn(s.heads, 2)),
          dout(drawn(rows_of(s) * s.heads * s.value, 1))
    {
    }
    /* The inputs from letter `t` on, of one sequence. */
    f2l_cuda_pairs_in in(const f2l_cuda_pairs_shape &s, size_t t = 0) const
    {
        return {q.data() + t * s.key_stride,
                k.data() + t * s.key_stride,
                v.data() + t * s.value_stride,
                gates.data() + t * s.gate_stride,
                gates.data() + t * s.gate_stride + s.heads,
                in_bias.data(),
                forget_bias.data()};
    }
};

struct outputs {
    std::vector<float> out, dq, dk, dv, dgates, din_bias, dforget_bias;
    explicit outputs(const f2l_cuda_pairs_shape &s)
        : out(rows_of(s) * s.heads * s.value, NAN), dq(rows_of(s) * s.key_stride), dk(dq),
          dv(rows_of(s) * s.value_stride), dgates(rows_of(s) * s.gate_stride), din_bias(s.heads),
          dforget_bias(s.heads)
    {
    }
    f2l_cuda_pairs_grad grad(const f2l_cuda_pairs_shape &s)
    {
        return {
            dq.data(),       dk.data(),          dv.data(), dgates.data(), dgates.data() + s.heads,
            din_bias.data(), dforget_bias.data()};
    }
    std::vector<const std::vector<float> *> all(void) const
    {
        return {&out, &dq, &dk, &dv, &dgates, &din_bias, &dforget_bias};
    }
};

static double distance(const std::vector<float> &got, const std::vector<float> &want)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < got.size(); i++) {
        difference += pow(static_cast<double>(got[i]) - static_cast<double>(want[i]), 2);
        size += pow(static_cast<double>(want[i]), 2);
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

template <class L>
static void run(outputs &to, const inputs &from, const f2l_cuda_pairs_shape &s, uint32_t seed)
{
    const size_t letters = rows_of(s) * s.heads, heads = s.batch * s.heads,
                 half = s.tokens * (s.key / 2) + 1;
    const f2l_cuda_pairs_in in = from.in(s);
    const f2l_cuda_pairs_grad grad = to.grad(s);
    const uint32_t tiles = static_cast<uint32_t>((s.tokens + L::N - 1) / L::N),
                   grid = static_cast<uint32_t>(heads) * tiles,
                   few = static_cast<uint32_t>((heads + 127) / 128);
    std::vector<double> row(letters, NAN), column(letters, NAN);
    std::vector<float> bound(letters, NAN), size(bound), cosine(half, NAN), sine(half, NAN),
        toward(bound), rows(bound), columns(bound), first(heads, NAN), second(heads, NAN);
    const kept_numbers kept = {row.data(),  column.data(), bound.data(),
                               size.data(), cosine.data(), sine.data()};
    const work_numbers work = {
        toward.data(), rows.data(), columns.data(), {first.data(), second.data()}};
    if (L::MLSTM)
        emulate(few, 128, seed, [&] { gates<float>(kept, in, s); });
    else
        emulate(static_cast<uint32_t>(half / 256 + 1), 256, seed, [&] {
            turns(cosine.data(), sine.data(), static_cast<unsigned>(s.key / 2), half - 1);
        });
    emulate(grid, L::THREADS, seed, [&] { forward<float, L>(to.out.data(), kept, in, s, tiles); });
    emulate(grid, L::THREADS, seed, [&] {
        queries_back<float, L>(to.dq.data(), work, from.dout.data(), to.out.data(), kept, in, s,
                               tiles);
    });
    emulate(grid, L::THREADS, seed, [&] {
        keys_back<float, L>(to.dk.data(), to.dv.data(), work, from.dout.data(), kept, in, s, tiles);
    });
    if (!L::MLSTM) return;
    emulate(few, 128, seed, [&] {
        gates_back<float>(static_cast<float *>(grad.din), static_cast<float *>(grad.dforget), work,
                          in, s);
    });
    for (size_t i = 0; i < heads; i++) {
        to.din_bias[i % s.heads] += first[i];
        to.dforget_bias[i % s.heads] += second[i];
    }
}

static void reference(outputs &to, const inputs &from, const f2l_cuda_pairs_shape &s)
{
    f2l_error err;
    const f2l_cuda_pairs_in in = from.in(s);
    const f2l_cuda_pairs_grad grad = to.grad(s);
    if (f2l_host_pairs_forward(to.out.data(), nullptr, &in, &s, nullptr, &err) != F2L_OK ||
        f2l_host_pairs_backward(&grad, from.dout.data(), nullptr, nullptr, nullptr, &in, &s,
                                nullptr, &err) != F2L_OK)
        exit(2);
}

static void tell(bool good)
{
    printf(" %s\n", good ? "ok" : "FAIL");
    good_ones += good;
    bad += !good;
}

template <class L>
static void check(size_t batch, size_t tokens, size_t heads, size_t key, size_t value,
                  size_t window)
{
    static const char *const name[] = {"out", "dq", "dk", "dv", "dgates", "din_bias", "df_bias"};
    const f2l_cuda_pairs_shape s = {
        L::MLSTM,          batch,         tokens,       heads,  key, value, window, heads * key + 3,
        heads * value + 1, 2 * heads + 5, F2L_CUDA_F32, nullptr};
    const inputs from(s);
    outputs got(s), again(s), want(s);
    reference(want, from, s);
    run<L>(got, from, s, f2l_rng_u32(&rng));
    run<L>(again, from, s, f2l_rng_u32(&rng));
    bool good = true;
    for (size_t i = 0; i < got.all().size(); i++)
        good = good &&
               memcmp(got.all()[i]->data(), again.all()[i]->data(), got.all()[i]->size() * 4) == 0;
    printf("emulated %s B %zu T %zu H %zu K %zu V %zu W %zu, D %d%s:",
           L::MLSTM ? "mlstm" : "attention", batch, tokens, heads, key, value, window, L::D,
           good ? "" : ", BITS DEPEND ON THE ORDER OF LANES");
    for (size_t i = 0; i < got.all().size(); i++) {
        const double error = distance(*got.all()[i], *want.all()[i]);
        printf(" %s %.1e", name[i], error);
        good = good && error < (i < 5 ? 2e-5 : 1e-4); /* of biases: sums that cancel */
    }
    tell(good);
}

/* Reads a word in pieces of `piece` letters. */
static void check_pieces(bool mlstm, size_t tokens, size_t piece, size_t window)
{
    const size_t heads = 3, key = 6, value = 5, dense = heads * value;
    f2l_cuda_pairs_shape s = {mlstm,     1,         tokens,       heads,
                              key,       value,     window,       heads * key + 3,
                              dense + 1, 2 * heads, F2L_CUDA_F32, nullptr};
    const f2l_attention_shape attention = {1, tokens, heads, key, value, window};
    const f2l_mlstm_shape lstm = {1, tokens, heads, key, value};
    const inputs from(s);
    outputs got(s), want(s);
    const uint32_t seed = f2l_rng_u32(&rng);
    const unsigned columns = static_cast<unsigned>(heads * (key + value));
    std::vector<float> state(mlstm ? f2l_mlstm_state(&lstm) : f2l_attention_state(&attention)),
        cosine(window * key / 2, NAN), sine(cosine);
    reference(want, from, s);
    emulate(static_cast<uint32_t>(cosine.size() / 256 + 1), 256, seed, [&] {
        turns(cosine.data(), sine.data(), static_cast<unsigned>(key / 2), cosine.size());
    });
    for (size_t t = 0; t < tokens; t += piece) {
        const f2l_cuda_pairs_in in = from.in(s, t);
        f2l_cuda_pairs_shape part = s;
        part.tokens = tokens - t < piece ? tokens - t : piece;
        float *out = got.out.data() + t * dense;
        if (mlstm) {
            emulate(heads, STREAM_THREADS, seed,
                    [&] { step_letters<float>(out, state.data(), in, part); });
            continue;
        }
        emulate(static_cast<uint32_t>(heads * part.tokens), STREAM_THREADS, seed,
                [&] { attend<float>(out, state.data(), cosine.data(), sine.data(), in, part); });
        emulate((columns + STREAM_THREADS - 1) / STREAM_THREADS, STREAM_THREADS, seed,
                [&] { remember<float>(state.data(), in, part); });
    }
    const double error = distance(got.out, want.out);
    printf("emulated %s T %zu W %zu in pieces of %zu: %.1e", mlstm ? "mlstm" : "attention", tokens,
           window, piece, error);
    tell(error < 1e-5);
}

static bool same_rows(const std::vector<float> &all, const std::vector<float> &part, size_t row,
                      size_t width)
{
    return memcmp(all.data() + row * width, part.data(), part.size() * 4) == 0;
}
static std::vector<float> cut(const std::vector<float> &all, size_t row, size_t rows, size_t width)
{
    return {all.begin() + static_cast<long>(row * width),
            all.begin() + static_cast<long>((row + rows) * width)};
}

/* Packed words have, word for word, the bits of words by themselves. */
template <class L>
static void check_packed(const std::vector<uint32_t> &first, size_t longest, size_t heads,
                         size_t key, size_t value, size_t window)
{
    const f2l_cuda_pairs_shape s = {
        L::MLSTM, first.size() - 1, longest,           heads,         key,          value,
        window,   heads * key + 3,  heads * value + 1, 2 * heads + 5, F2L_CUDA_F32, first.data()};
    const inputs from(s);
    outputs all(s);
    bool good = true;
    run<L>(all, from, s, f2l_rng_u32(&rng));
    for (size_t b = 0; b < s.batch; b++) {
        const size_t row = first[b], rows = first[b + 1] - first[b], dense = heads * value;
        f2l_cuda_pairs_shape word = s;
        word.batch = 1, word.tokens = rows, word.first = nullptr;
        inputs mine = from;
        mine.q = cut(from.q, row, rows, s.key_stride),
        mine.k = cut(from.k, row, rows, s.key_stride);
        mine.v = cut(from.v, row, rows, s.value_stride);
        mine.gates = cut(from.gates, row, rows, s.gate_stride);
        mine.dout = cut(from.dout, row, rows, dense);
        outputs one(word);
        run<L>(one, mine, word, f2l_rng_u32(&rng));
        good = good && same_rows(all.out, one.out, row, dense) &&
               same_rows(all.dq, one.dq, row, s.key_stride) &&
               same_rows(all.dk, one.dk, row, s.key_stride) &&
               same_rows(all.dv, one.dv, row, s.value_stride) &&
               same_rows(all.dgates, one.dgates, row, s.gate_stride);
    }
    printf("emulated %s, %zu packed words of up to %zu, W %zu, D %d:",
           L::MLSTM ? "mlstm" : "attention", s.batch, longest, window, L::D);
    tell(good && std::isnan(all.out[first[s.batch] * heads * value]));
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], nullptr, 0) : 1;
    f2l_rng_init(&rng, seed, 0);
    printf("emulate_pairs: seed %llu\n", static_cast<unsigned long long>(seed));
    check<pairs<32, false>>(2, 37, 3, 16, 20, 1000);
    check<pairs<32, false>>(1, 70, 1, 32, 32, 20);
    check<pairs<32, false>>(2, 33, 2, 2, 1, 1);
    check<pairs<32, false>>(1, 5, 2, 6, 32, 3);
    check<pairs<64, false>>(1, 65, 2, 64, 40, 33);
    check<pairs<64, false>>(1, 40, 1, 10, 64, 64);
    check<pairs<128, false>>(1, 35, 1, 128, 100, 17);
    check<pairs<32, true>>(2, 37, 3, 16, 20, 37);
    check<pairs<32, true>>(1, 70, 1, 31, 32, 70);
    check<pairs<32, true>>(2, 33, 2, 1, 1, 33);
    check<pairs<64, true>>(1, 65, 2, 64, 40, 65);
    check<pairs<128, true>>(1, 35, 1, 100, 128, 35);
    check_packed<pairs<32, false>>({0, 1, 38, 70}, 40, 2, 16, 20, 1000);
    check_packed<pairs<64, false>>({0, 33, 36}, 65, 1, 40, 64, 9);
    check_packed<pairs<32, true>>({0, 1, 38, 70}, 40, 2, 16, 20, 40);
    check_pieces(false, 40, 7, 100);
    check_pieces(false, 40, 1, 5);
    check_pieces(false, 40, 16, 9);
    check_pieces(true, 40, 7, 40);
    check_pieces(true, 40, 1, 40);
    printf("%d passed, %d failed\n", good_ones, bad);
    return bad ? 1 : 0;
}
