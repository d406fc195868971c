/* emulate_kernels [SEED [CASES]]: the delta product of the kernels' C interface, launches and all,
 * on the emulated warps of cuda/check/emulated_warp.h, against the reference on the CPU: strides,
 * grouped heads, packed sequences, K != V, states, fp16, gates, norms; then random CASES. Needs a
 * C++ compiler and nothing of CUDA, and is part of `make check`. */
#include "cuda/check/emulated_warp.h"
#define F2L_KERNELS_LAUNCH_CUH
extern "C" {
#include "kernels/base/kernels_fail.h"
#include "tests/support/kernels/kernels_cases.h"
}

static uint32_t seed_of_lanes = 1;

template <typename Args, typename Kernel>
static int launch_kernel(Kernel kernel, uint32_t blocks, uint32_t threads, uint32_t bytes, bool,
                         const Args &args, void *, const char *, fsa2lrnn_kernels_error *)
{
    if (bytes > 227 << 10) emulated::wrong("more shared memory than a block has");
    emulate(blocks, threads, seed_of_lanes++, [&] { kernel(args); });
    return FSA2LRNN_KERNELS_OK;
}

#include "cuda/kernels/kernels_delta.cu"
#include "cuda/kernels/kernels_tensor.cu"
#include "cuda/kernels/kernels_tensor_gated.cu"
#include "cuda/kernels/kernels_tensor_wide.cu"

int f2l_kernels_tensor_f16(const void *args, bool back, const f2l_kernels_choice *c, void *stream,
                           fsa2lrnn_kernels_error *err)
{
    emulated::f16 = true;
    const int status = launch_for_type<false>(args, back, c, stream, err);
    emulated::f16 = false;
    return status;
}
int f2l_kernels_gated_f16(const void *args, bool back, const f2l_kernels_choice *c, void *stream,
                          fsa2lrnn_kernels_error *err)
{
    emulated::f16 = true;
    const int status = launch_for_type<true>(args, back, c, stream, err);
    emulated::f16 = false;
    return status;
}
int f2l_kernels_wide_f16(const void *args, bool back, bool gated, void *stream,
                         fsa2lrnn_kernels_error *err)
{
    emulated::f16 = true;
    const int status = f2l_kernels_wide_bf16(args, back, gated, stream, err);
    emulated::f16 = false;
    return status;
}

static void *host_alloc(size_t bytes)
{
    return aligned_alloc(256, (bytes + 256) / 256 * 256);
}
static void host_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
static void host_run(void (*launch)(void *what, void *stream), void *what, int round)
{
    emulated::late_copies = round & 1;
    launch(what, nullptr);
}
static const f2l_cases_device host = {host_alloc, free, host_copy, host_copy, host_run};

static f2l_kernels_case of(int type, int64_t batch, int64_t tokens, int64_t key_heads,
                           int64_t heads, int64_t factors, int64_t key, int64_t value)
{
    f2l_kernels_case c = {};
    c.p.type = type, c.p.batch = batch, c.p.tokens = tokens, c.p.key_heads = key_heads;
    c.p.heads = heads, c.p.factors = factors, c.p.key = key, c.p.value = value;
    c.additive = true;
    return c;
}

enum { F32 = FSA2LRNN_KERNELS_F32, BF16 = FSA2LRNN_KERNELS_BF16, F16 = FSA2LRNN_KERNELS_F16 };

static int check_tensor(uint64_t seed)
{
    int bad = 0;
    f2l_kernels_case c = of(BF16, 2, 21, 1, 1, 1, 32, 32);
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(F16, 4, 19, 1, 2, 3, 32, 32), c.packed = c.initial = c.dfinal = true;
    c.layout = F2L_CASE_ODD, c.p.index_bits = 64;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(BF16, 1, 9, 1, 1, 3, 128, 64), c.initial = c.dfinal = true, c.p.scale = 0.7f;
    c.layout = F2L_CASE_WIDE, c.p.state_order = FSA2LRNN_KERNELS_STATE_VK;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(BF16, 3, 9, 1, 2, 2, 40, 90), c.packed = c.initial = c.dfinal = true;
    c.p.beta = FSA2LRNN_KERNELS_BETA_TWO_SIGMOID, c.p.norm = FSA2LRNN_KERNELS_NORM_ADD;
    c.p.norm_eps = 1e-6f, c.p.beta_type = BF16, c.layout = F2L_CASE_HEADS_FIRST;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(BF16, 2, 19, 2, 4, 1, 32, 32), c.p.norm = FSA2LRNN_KERNELS_NORM_MAX;
    c.p.norm_eps = 1e-6f, c.layout = F2L_CASE_WIDE;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(F16, 1, 5, 1, 1, 4, 72, 137), c.initial = c.dfinal = true;
    c.p.state_type = BF16;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(BF16, 3, 7, 1, 2, 2, 20, 32), c.packed = c.pool = true, c.additive = false;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(BF16, 2, 23, 1, 1, 3, 32, 32);
    return bad + f2l_kernels_prefix_fails(&c, 10, seed, &host);
}

static int check_wide(uint64_t seed)
{
    int bad = 0;
    f2l_kernels_case c = of(BF16, 1, 21, 1, 1, 1, 256, 64);
    c.initial = c.dfinal = true;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(F16, 1, 11, 1, 2, 3, 200, 70), c.initial = true, c.layout = F2L_CASE_ODD;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(BF16, 1, 19, 1, 1, 2, 256, 40), c.initial = c.dfinal = true, c.p.scale = 0.7f;
    c.p.gate = FSA2LRNN_KERNELS_GATE_HEAD, c.p.norm = FSA2LRNN_KERNELS_NORM_ADD;
    c.p.norm_eps = 1e-6f;
    return bad + f2l_kernels_case_fails(&c, seed, &host);
}

static int check_gated(uint64_t seed)
{
    int bad = 0;
    f2l_kernels_case c = of(BF16, 2, 41, 1, 2, 1, 32, 32);
    c.p.gate = FSA2LRNN_KERNELS_GATE_HEAD, c.initial = c.dfinal = true;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(F16, 4, 13, 1, 2, 3, 64, 64), c.packed = c.initial = true;
    c.p.gate = FSA2LRNN_KERNELS_GATE_HEAD, c.layout = F2L_CASE_ODD, c.p.beta_type = BF16;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(BF16, 1, 19, 1, 1, 2, 128, 137), c.dfinal = c.shut = true, c.p.scale = 0.7f;
    c.p.gate = FSA2LRNN_KERNELS_GATE_HEAD, c.p.norm = FSA2LRNN_KERNELS_NORM_ADD;
    c.p.norm_eps = 1e-6f;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(F16, 2, 43, 1, 2, 1, 64, 64), c.p.gate = FSA2LRNN_KERNELS_GATE_HEAD;
    c.faint = c.initial = c.dfinal = true;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(BF16, 2, 23, 1, 1, 3, 32, 32), c.p.gate = FSA2LRNN_KERNELS_GATE_HEAD;
    return bad + f2l_kernels_prefix_fails(&c, 10, seed, &host);
}

static int check_recurrent(uint64_t seed)
{
    int bad = 0;
    f2l_kernels_case c = of(F32, 2, 35, 1, 2, 1, 32, 20);
    c.p.gate = FSA2LRNN_KERNELS_GATE_HEAD, c.initial = c.dfinal = true;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(BF16, 4, 9, 1, 2, 3, 50, 24), c.packed = c.initial = c.dfinal = true;
    c.p.gate = FSA2LRNN_KERNELS_GATE_KEY, c.layout = F2L_CASE_ODD, c.p.beta_type = F16;
    c.p.norm = FSA2LRNN_KERNELS_NORM_MAX, c.p.norm_eps = 1e-6f;
    c.p.beta = FSA2LRNN_KERNELS_BETA_SIGMOID;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(F16, 1, 5, 1, 1, 8, 160, 40), c.p.state_order = FSA2LRNN_KERNELS_STATE_VK;
    c.initial = c.dfinal = true;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(F32, 3, 6, 1, 1, 2, 100, 8), c.pool = true, c.layout = F2L_CASE_WIDE;
    bad += f2l_kernels_case_fails(&c, seed, &host);
    c = of(F32, 2, 9, 1, 2, 2, 24, 24), c.p.gate = FSA2LRNN_KERNELS_GATE_KEY;
    bad += f2l_kernels_prefix_fails(&c, 5, seed, &host);
    c.p.tokens = 3, c.p.norm = FSA2LRNN_KERNELS_NORM_ADD, c.p.norm_eps = 1e-6f;
    return bad + f2l_kernels_steps_fail(&c, seed, &host);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], nullptr, 0) : 1;
    printf("emulate_kernels: seed %llu\n", static_cast<unsigned long long>(seed));
    int bad = check_tensor(seed) + check_wide(seed) + check_gated(seed) + check_recurrent(seed);
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (int i = 0; i < (argc > 2 ? atoi(argv[2]) : 0); i++) {
        const f2l_kernels_case c = f2l_kernels_draw_case(&rng, i % 2, true);
        bad += f2l_kernels_case_fails(&c, f2l_rng_u64(&rng), &host);
    }
    printf("emulate_kernels: conflicts of banks %ld\n", emulated::conflicts);
    const int failed = bad + (emulated::conflicts ? 1 : 0);
    printf("%d passed, %d failed\n", failed ? 0 : 1, failed);
    return failed ? 1 : 0;
}
