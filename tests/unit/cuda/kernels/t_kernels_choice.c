/* Which path the delta product takes on a GPU, and how much memory. */
#include "cuda/kernels/kernels_choice.h"
#include "cuda/kernels/kernels_cuda.h"
#include <criterion/criterion.h>
#include <string.h>

static fsa2lrnn_delta_product shape(int type, int64_t key, int64_t value)
{
    return (fsa2lrnn_delta_product){.size = sizeof(fsa2lrnn_delta_product),
                                    .type = type,
                                    .batch = 2,
                                    .tokens = 65,
                                    .heads = 4,
                                    .key_heads = 4,
                                    .factors = 3,
                                    .key = key,
                                    .value = value,
                                    .scale = 1,
                                    .sequences = 2,
                                    .states = 2};
}

static void path_is(const fsa2lrnn_delta_product *p, const char *path)
{
    char text[256];
    fsa2lrnn_kernels_error err;
    cr_assert_eq(f2l_kernels_cuda_delta_path(text, sizeof text, p, &err), FSA2LRNN_KERNELS_OK);
    cr_assert(strncmp(text, path, strlen(path)) == 0, "%s, not %s", text, path);
}

Test(kernels_choice, path)
{
    fsa2lrnn_kernels_error err;
    char text[256];
    fsa2lrnn_delta_product p = shape(FSA2LRNN_KERNELS_BF16, 128, 64);
    path_is(&p, "tensor: ");
    p.path = FSA2LRNN_KERNELS_RECURRENT;
    path_is(&p, "recurrent: it was asked for");
    p = shape(FSA2LRNN_KERNELS_F32, 32, 32);
    path_is(&p, "recurrent: the tensor cores take f16 and bf16");
    p.path = FSA2LRNN_KERNELS_TENSOR_STATES;
    cr_assert_eq(f2l_kernels_cuda_delta_path(text, sizeof text, &p, &err),
                 FSA2LRNN_KERNELS_EDOMAIN);
    p.path = FSA2LRNN_KERNELS_TENSOR;
    cr_assert_eq(f2l_kernels_cuda_delta_path(text, sizeof text, &p, &err),
                 FSA2LRNN_KERNELS_EDOMAIN);
    p = shape(FSA2LRNN_KERNELS_F16, 256, 256);
    path_is(&p, "tensor: ");
    p.gate = FSA2LRNN_KERNELS_GATE_KEY;
    path_is(&p, "recurrent: the tensor cores have no gates per key");
    p.gate = FSA2LRNN_KERNELS_GATE_HEAD;
    path_is(&p, "tensor: ");
}

Test(kernels_choice, blocks)
{
    static const uint32_t tiles[][5] = {
        /* key, value, key and value of a block, blocks */
        {1, 1, 32, 32, 1},       {32, 33, 64, 64, 1},   {64, 256, 64, 128, 2}, {65, 64, 128, 64, 1},
        {128, 129, 128, 128, 2}, {129, 64, 256, 64, 1}, {256, 256, 256, 64, 4}};
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        const fsa2lrnn_delta_product p = shape(FSA2LRNN_KERNELS_BF16, tiles[i][0], tiles[i][1]);
        f2l_kernels_choice c;
        cr_assert_eq(f2l_kernels_choose(&c, &p, NULL), FSA2LRNN_KERNELS_OK);
        cr_assert(c.key == tiles[i][2] && c.value == tiles[i][3] && c.blocks == tiles[i][4], "%zu",
                  i);
    }
}

Test(kernels_choice, bytes)
{
    size_t kept, forward, backward;
    fsa2lrnn_delta_product p = shape(FSA2LRNN_KERNELS_BF16, 128, 64);
    cr_assert_eq(f2l_kernels_cuda_delta_bytes(&kept, &forward, &backward, &p, NULL), 0);
    /* G and a state per sequence and head; plain inputs need no workspace */
    cr_assert_eq(kept, 2 * 65 * 3 * 4 * 64 * 2 + 2 * 4 * 128 * 64 * 4);
    cr_assert(forward == 0 && backward == 0);
    p.gate = FSA2LRNN_KERNELS_GATE_HEAD; /* and a state of 16 bits per 10 tokens */
    cr_assert_eq(f2l_kernels_cuda_delta_bytes(&kept, &forward, &backward, &p, NULL), 0);
    cr_assert_eq(kept, 2 * 65 * 3 * 4 * 64 * 2 + 2 * 4 * 128 * 64 * 4 + 2 * 7 * 4 * 128 * 64 * 2);
    cr_assert(forward == 0 && backward == 0);
    const size_t gated = kept;
    p.gate = FSA2LRNN_KERNELS_NO_GATE, p.path = FSA2LRNN_KERNELS_TENSOR_STATES;
    cr_assert_eq(f2l_kernels_cuda_delta_bytes(&kept, &forward, &backward, &p, NULL), 0);
    cr_assert_eq(kept, gated);
    p.path = FSA2LRNN_KERNELS_AUTO;
    p.key_heads = 2;
    cr_assert_eq(f2l_kernels_cuda_delta_bytes(&kept, &forward, &backward, &p, NULL), 0);
    cr_assert(forward == 0 && backward > 0);
    p.norm = FSA2LRNN_KERNELS_NORM_ADD;
    cr_assert_eq(f2l_kernels_cuda_delta_bytes(&kept, &forward, &backward, &p, NULL), 0);
    cr_assert_gt(forward, 0);
    p = shape(FSA2LRNN_KERNELS_F32, 32, 32);
    cr_assert_eq(f2l_kernels_cuda_delta_bytes(&kept, &forward, &backward, &p, NULL), 0);
    cr_assert_eq(kept, 2 * 3 * 4 * 32 * 32 * 4); /* 65 tokens: three states */
    cr_assert_eq(forward, 0);
}

Test(kernels_choice, too_many)
{
    f2l_kernels_choice c;
    fsa2lrnn_kernels_error err;
    fsa2lrnn_delta_product p = shape(FSA2LRNN_KERNELS_BF16, 32, 32);
    p.batch = p.sequences = 1 << 20, p.tokens = 1 << 10;
    cr_assert_eq(f2l_kernels_choose(&c, &p, &err), FSA2LRNN_KERNELS_EDOMAIN);
    cr_assert(strstr(err.text, "too many for one launch"));
    p.tokens = 1, p.heads = 1 << 10;
    cr_assert_eq(f2l_kernels_choose(&c, &p, &err), FSA2LRNN_KERNELS_EDOMAIN);
}
