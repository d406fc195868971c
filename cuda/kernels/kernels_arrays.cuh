/* The arrays of a call as the kernels take them; and launches of the kernels before and after.
 * CPU reference: kernels/delta_row.c. */
#ifndef F2L_KERNELS_ARRAYS_CUH
#define F2L_KERNELS_ARRAYS_CUH

#include "cuda/kernels/kernels_launch.cuh"
#include "cuda/kernels/kernels_rows.cuh"

/* Everything that the steps of one call need. */
struct delta_pass {
    const fsa2lrnn_delta_product *p;
    f2l_kernels_choice c;
    f2l_kernels_places at;
    unsigned char *work;
    void *stream;
    fsa2lrnn_kernels_error *err;

    uint32_t rows(bool factors) const
    {
        return static_cast<uint32_t>(p->batch * p->tokens * (factors ? p->factors : 1));
    }
    uint32_t batch_rows(bool factors) const
    {
        return static_cast<uint32_t>(p->tokens * (factors ? p->factors : 1));
    }
};

/* An array of three dimensions beside the last one, of the interface. */
static any_array array_of(const fsa2lrnn_kernels_array &a, int type)
{
    return {a.data,
            {static_cast<size_t>(a.stride[0]), static_cast<size_t>(a.stride[1]),
             static_cast<size_t>(a.stride[2])},
            type,
            false};
}
/* An array of two dimensions beside heads, which are contiguous. */
static any_array array_of_heads(const fsa2lrnn_kernels_array &a, int type)
{
    return {a.data,
            {static_cast<size_t>(a.stride[0]), static_cast<size_t>(a.stride[1]), 1},
            type,
            false};
}
/* An array [rows][heads][width] in the workspace. */
static any_array array_in(void *data, size_t batch_rows, size_t heads, size_t width, int type)
{
    return {data, {batch_rows * heads * width, heads * width, width}, type, false};
}

/* Sets `whole` of an array with rows of `width` numbers. */
static void find_pieces(any_array *a, size_t width)
{
    const size_t bytes = a->type == FSA2LRNN_KERNELS_F32 ? 4 : 2;
    a->whole =
        !(reinterpret_cast<uintptr_t>(a->data) % 16 || width % 8 || a->stride[0] * bytes % 16 ||
          a->stride[1] * bytes % 16 || a->stride[2] * bytes % 16);
}

/* The rows of an array of 16-bit numbers; block_width as in delta_rows. A dimension of one thing
 * may have any stride. */
static delta_rows rows_of(const any_array &a, int64_t width, uint32_t block_width,
                          const fsa2lrnn_delta_product *p, int64_t heads)
{
    delta_rows r = {static_cast<uint16_t *>(a.data),
                    p->batch > 1 ? a.stride[0] : 0,
                    heads > 1 ? a.stride[2] : 0,
                    block_width,
                    static_cast<uint32_t>(a.stride[1]),
                    static_cast<uint32_t>(width),
                    block_width,
                    false};
    r.whole = (reinterpret_cast<uintptr_t>(a.data) | static_cast<size_t>(width) * 2 |
               r.sequence * 2 | r.head * 2 | a.stride[1] * 2) %
                  16 ==
              0;
    return r;
}

static delta_states states_of(const void *data, bool bf16, const fsa2lrnn_delta_product *p)
{
    const size_t K = static_cast<size_t>(p->key), V = static_cast<size_t>(p->value);
    const bool kv = p->state_order == FSA2LRNN_KERNELS_STATE_KV;
    return {const_cast<void *>(data), K * V, kv ? V : 1, kv ? 1 : K, bf16};
}

/* Returns the blocks of threads for `items` things, `at_once` to a block. */
static uint32_t blocks_for(size_t items, size_t at_once)
{
    const size_t blocks = (items + at_once - 1) / at_once;
    return static_cast<uint32_t>(blocks < 132 * 16 ? blocks : 132 * 16);
}

static rows_args row_arguments(const delta_pass &s, bool factors)
{
    rows_args a = {};
    a.rows = s.rows(factors), a.batch_rows = s.batch_rows(factors);
    a.width = static_cast<uint32_t>(s.p->key), a.norm = s.p->norm, a.eps = s.p->norm_eps;
    return a;
}

/* Sets how rows are shared by threads, and launches. */
static int launch_rows(void (*kernel)(rows_args), rows_args a, const char *what,
                       const delta_pass &s)
{
    while (static_cast<uint32_t>(ROW_NUMBERS) << a.lanes < a.width) a.lanes++;
    find_pieces(&a.raw, a.width);
    find_pieces(&a.to, a.part_width && !a.parts.data ? a.part_width : a.width);
    find_pieces(&a.parts, a.part_width);
    if (a.width % ROW_NUMBERS) a.parts.whole = false;
    a.blocks = blocks_for((static_cast<size_t>(a.rows) * a.heads) << a.lanes, ROW_THREADS);
    return launch_kernel<rows_args>(kernel, a.blocks, ROW_THREADS, 0, false, a, s.stream, what,
                                    s.err);
}

/* Normalises queries or keys to the workspace, where array_in finds them. */
static int prepare(any_array *to, const fsa2lrnn_kernels_array &from, size_t offset, bool factors,
                   const delta_pass &s)
{
    rows_args a = row_arguments(s, factors);
    a.heads = static_cast<uint32_t>(s.p->key_heads), a.part_width = (a.width + 7) / 8 * 8;
    a.raw = array_of(from, s.p->type);
    a.to = *to = array_in(s.work + offset, a.batch_rows, a.heads, a.part_width, s.p->type);
    return launch_rows(prepare_rows, a, "the norm", s);
}

/* Adds the parts of dq or dk, of part_type, and writes the gradient to `to`. */
static int finish(const fsa2lrnn_kernels_array &to, const fsa2lrnn_kernels_array &raw,
                  size_t offset, int part_type, uint32_t parts, uint32_t part_width, bool factors,
                  const delta_pass &s)
{
    if (!to.data) return FSA2LRNN_KERNELS_OK;
    rows_args a = row_arguments(s, factors);
    a.heads = static_cast<uint32_t>(s.p->key_heads);
    a.group = static_cast<uint32_t>(s.p->heads / s.p->key_heads);
    a.raw = array_of(raw, s.p->type), a.to = array_of(to, s.p->type);
    a.parts = array_in(s.work + offset, 0, 0, 0, part_type);
    a.part = parts, a.part_width = part_width;
    a.part_stride = static_cast<size_t>(a.rows) * static_cast<size_t>(s.p->heads) * part_width;
    return launch_rows(finish_rows, a, "the sum of dq or dk", s);
}

static betas_args beta_arguments(const delta_pass &s, bool factors)
{
    betas_args a = {};
    a.rows = s.rows(factors), a.batch_rows = s.batch_rows(factors);
    a.heads = static_cast<uint32_t>(s.p->heads), a.form = s.p->beta;
    a.part_stride = static_cast<size_t>(a.rows) * a.heads;
    a.blocks = blocks_for(a.part_stride, ROW_THREADS);
    return a;
}

/* Returns whether [rows][heads] of an array follow each other, or there is none. */
static bool without_gaps(const any_array &a, const betas_args &b, const delta_pass &s)
{
    const size_t heads = b.heads;
    return !a.data ||
           (a.stride[1] == heads && (s.p->batch == 1 || a.stride[0] == heads * b.batch_rows));
}

static int launch_betas(betas_args a, const delta_pass &s)
{
    a.flat = without_gaps(a.raw, a, s) && without_gaps(a.to, a, s);
    return launch_kernel<betas_args>(finish_betas, a.blocks, ROW_THREADS, 0, false, a, s.stream,
                                     "beta", s.err);
}

/* Computes betas, or gates as they are, to the workspace. */
static int prepare_numbers(any_array *to, const fsa2lrnn_kernels_array &from, size_t offset,
                           bool factors, const delta_pass &s)
{
    betas_args a = beta_arguments(s, factors);
    if (!factors) a.form = FSA2LRNN_KERNELS_BETA;
    a.raw = array_of_heads(from, s.p->beta_type);
    a.to = *to = array_in(s.work + offset, a.batch_rows, a.heads, 1, FSA2LRNN_KERNELS_F32);
    return launch_betas(a, s);
}

/* Adds the parts of numbers [rows][heads] at `offset`; raw: what beta is computed from, or NULL. */
static int finish_numbers(const fsa2lrnn_kernels_array &to, const fsa2lrnn_kernels_array *raw,
                          size_t offset, uint32_t parts, bool factors, const delta_pass &s)
{
    if (!to.data) return FSA2LRNN_KERNELS_OK;
    betas_args a = beta_arguments(s, factors);
    if (raw) a.raw = array_of_heads(*raw, s.p->beta_type);
    a.to = array_of_heads(to, s.p->beta_type);
    a.parts = reinterpret_cast<const float *>(s.work + offset), a.part = parts;
    return launch_betas(a, s);
}

/* Adds the parts of dg [rows][heads][key]. */
static int finish_gates(const fsa2lrnn_kernels_array &to, size_t offset, uint32_t parts,
                        const delta_pass &s)
{
    if (!to.data) return FSA2LRNN_KERNELS_OK;
    rows_args a = row_arguments(s, false);
    a.norm = FSA2LRNN_KERNELS_NO_NORM, a.group = 1, a.heads = static_cast<uint32_t>(s.p->heads);
    a.to = array_of(to, s.p->beta_type);
    a.parts = array_in(s.work + offset, 0, 0, 0, FSA2LRNN_KERNELS_F32), a.part = parts;
    a.part_width = a.width;
    a.part_stride = static_cast<size_t>(a.rows) * a.heads * a.width;
    return launch_rows(finish_rows, a, "the sum of dg", s);
}

#endif
