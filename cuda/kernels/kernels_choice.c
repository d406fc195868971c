#include "cuda/kernels/kernels_choice.h"
#include "cuda/delta/delta_plan.h"
#include "cuda/kernels/kernels_cuda.h"
#include "kernels/base/kernels_fail.h"
#include <stdio.h>
#include <string.h>

enum { ALIGN = 256, MOST_THREADS = 132 * 512, DOMAIN = FSA2LRNN_KERNELS_EDOMAIN };

/* Factors and states are counted in 32 bits. */
static int check_counts(const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    const uint64_t most = INT32_MAX, factors = most / (uint64_t)p->factors;
    if ((!p->batch || (uint64_t)p->tokens + 32 <= factors / (uint64_t)p->batch) &&
        (uint64_t)p->sequences * 8 <= most / (uint64_t)p->heads)
        return FSA2LRNN_KERNELS_OK;
    return f2l_kernels_fail(err, DOMAIN,
                            "%lld x %lld tokens with %lld factors, or the states of %lld sequences "
                            "and %lld heads, are too many for one launch",
                            (long long)p->batch, (long long)p->tokens, (long long)p->factors,
                            (long long)p->sequences, (long long)p->heads);
}

/* Returns why the tensor cores do not serve this, or NULL. */
static const char *refuse_tensor(const fsa2lrnn_delta_product *p)
{
    if (p->type != FSA2LRNN_KERNELS_BF16 && p->type != FSA2LRNN_KERNELS_F16)
        return "the tensor cores take f16 and bf16, and type is f32";
    if (p->gate == FSA2LRNN_KERNELS_GATE_KEY) return "the tensor cores have no gates per key";
    return NULL;
}

static void choose_tensor(f2l_kernels_choice *c, const fsa2lrnn_delta_product *p)
{
    c->key = p->key <= 32 && p->value <= 32 ? 32 : p->key <= 64 ? 64 : p->key <= 128 ? 128 : 256;
    c->value = c->key == 32 ? 32 : p->value <= 64 || c->key == 256 ? 64 : 128;
    c->blocks = (uint32_t)((p->value + c->value - 1) / c->value);
    c->round_rows = p->norm;
    c->round_betas = p->beta || p->beta_type != FSA2LRNN_KERNELS_F32;
    c->sum_rows = p->norm || c->blocks > 1 || p->key_heads != p->heads;
    c->sum_betas = c->round_betas || c->blocks > 1;
    c->round_gates = p->gate && p->beta_type != FSA2LRNN_KERNELS_F32;
    c->sum_gates = p->gate && (c->round_gates || c->blocks > 1);
    c->keep_states = p->gate || p->path == FSA2LRNN_KERNELS_TENSOR_STATES;
}

static void choose_walk(f2l_kernels_choice *c, const fsa2lrnn_delta_product *p)
{
    c->lanes = 1;
    while (F2L_WALK_ROWS * c->lanes < p->key) c->lanes *= 2;
    const uint32_t warp = 32 / c->lanes, most = F2L_WALK_THREADS / c->lanes,
                   columns = ((uint32_t)p->value + warp - 1) / warp * warp;
    c->columns = columns < most ? columns : most;
    c->strips = ((uint32_t)p->value + c->columns - 1) / c->columns;
    c->threads = c->columns * c->lanes;
    const uint64_t items = (uint64_t)p->sequences * (uint64_t)p->heads * c->strips;
    c->walks = items < MOST_THREADS / c->threads ? (uint32_t)items : MOST_THREADS / c->threads;
    c->sum_rows = c->sum_betas = true;
}

int f2l_kernels_choose(f2l_kernels_choice *c, const fsa2lrnn_delta_product *p,
                       fsa2lrnn_kernels_error *err)
{
    const char *why = refuse_tensor(p);
    *c = (f2l_kernels_choice){0};
    if (why && (p->path == FSA2LRNN_KERNELS_TENSOR || p->path == FSA2LRNN_KERNELS_TENSOR_STATES))
        return f2l_kernels_fail(err, DOMAIN, "%s", why);
    c->tensor = !why && p->path != FSA2LRNN_KERNELS_RECURRENT;
    c->why = c->tensor ? "f16 or bf16 without a gate per key" : why ? why : "it was asked for";
    c->tensor ? choose_tensor(c, p) : choose_walk(c, p);
    return check_counts(p, err);
}

/* Adds an array of `numbers` times `count` things of `bytes` bytes to *total, and returns its
 * offset. */
static size_t add_array(size_t *total, bool *fits, size_t bytes, size_t numbers, size_t count)
{
    const size_t at = *total;
    size_t n;
    *fits = *fits && !__builtin_mul_overflow(bytes, numbers, &n) &&
            !__builtin_mul_overflow(n, count, &n) && !__builtin_add_overflow(n, ALIGN - 1, &n) &&
            !__builtin_add_overflow(n / ALIGN * ALIGN, at, total);
    return at;
}

static size_t whole_pieces(int64_t numbers)
{
    return ((size_t)numbers + 7) / 8 * 8;
}

/* Returns the number of `step` tokens one after the other in all sequences. place_of of
 * cuda/delta/cuda_delta_args.cuh and walk_at of kernels_walk.cuh say which are whose. */
static size_t count_steps(const fsa2lrnn_delta_product *p, size_t step)
{
    const size_t tokens = (size_t)p->tokens;
    return p->cu_seqlens ? tokens / step + (size_t)p->sequences
                         : (size_t)p->batch * ((tokens + step - 1) / step);
}

static void place_tensor(f2l_kernels_places *at, bool *fits, const f2l_kernels_choice *c,
                         const fsa2lrnn_delta_product *p)
{
    const size_t tokens = (size_t)(p->batch * p->tokens), H = (size_t)p->heads,
                 factors = tokens * (size_t)p->factors, key = whole_pieces(p->key),
                 read = c->round_rows ? (size_t)p->key_heads * key : 0,
                 written = c->sum_rows ? c->blocks * H * key : 0;
    at->products = add_array(&at->kept, fits, 2 * factors, H, whole_pieces(p->value));
    at->end = add_array(&at->kept, fits, (size_t)p->sequences * H * 4, (size_t)c->blocks * c->value,
                        c->key);
    at->before = add_array(
        &at->kept, fits,
        c->keep_states ? 2 * count_steps(p, 2 * f2l_delta_chunk((size_t)p->factors)) * H : 0,
        (size_t)c->blocks * c->value, c->key);
    at->q = add_array(&at->forward, fits, 2, tokens, read);
    at->k = add_array(&at->forward, fits, 2, factors, read);
    at->beta = add_array(&at->forward, fits, 4, factors, c->round_betas ? H : 0);
    at->g = add_array(&at->forward, fits, 4, tokens, c->round_gates ? H : 0);
    at->backward = at->forward;
    at->dq = add_array(&at->backward, fits, 2, tokens, written);
    at->dk = add_array(&at->backward, fits, 2, factors, written);
    at->dbeta = add_array(&at->backward, fits, 4, factors, c->sum_betas ? c->blocks * H : 0);
    at->dg = add_array(&at->backward, fits, 4, tokens, c->sum_gates ? c->blocks * H : 0);
}

static void place_walk(f2l_kernels_places *at, bool *fits, const f2l_kernels_choice *c,
                       const fsa2lrnn_delta_product *p)
{
    const size_t tokens = (size_t)(p->batch * p->tokens), rows = (size_t)p->heads * c->strips,
                 factors = tokens * (size_t)p->factors, matrix = F2L_WALK_ROWS * c->threads;
    add_array(&at->kept, fits, 4 * count_steps(p, F2L_WALK_SEGMENT), rows, matrix);
    at->dq = add_array(&at->backward, fits, 4 * tokens, rows, (size_t)p->key);
    at->dk = add_array(&at->backward, fits, 4 * factors, rows, (size_t)p->key);
    at->dbeta = add_array(&at->backward, fits, 4 * factors, rows, 1);
    at->dg = add_array(&at->backward, fits, 4 * tokens, p->gate ? rows : 0,
                       p->gate == FSA2LRNN_KERNELS_GATE_KEY ? (size_t)p->key : 1);
    at->anchors = add_array(&at->backward, fits, 4 * F2L_WALK_SEGMENT, c->walks, matrix);
    at->errors = add_array(&at->backward, fits, 4 * F2L_WALK_SEGMENT * (size_t)p->factors, c->walks,
                           c->columns);
}

int f2l_kernels_place(f2l_kernels_places *at, const f2l_kernels_choice *c,
                      const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    bool fits = true;
    *at = (f2l_kernels_places){0};
    c->tensor ? place_tensor(at, &fits, c, p) : place_walk(at, &fits, c, p);
    if (fits) return FSA2LRNN_KERNELS_OK;
    return f2l_kernels_fail(err, DOMAIN, "%lld x %lld tokens of %lld heads are too many",
                            (long long)p->batch, (long long)p->tokens, (long long)p->heads);
}

int f2l_kernels_cuda_delta_bytes(size_t *kept, size_t *forward_work, size_t *backward_work,
                                 const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    f2l_kernels_choice c;
    f2l_kernels_places at;
    int status = f2l_kernels_choose(&c, p, err);
    if (!status) status = f2l_kernels_place(&at, &c, p, err);
    if (status) return status;
    *kept = at.kept, *forward_work = at.forward, *backward_work = at.backward;
    return FSA2LRNN_KERNELS_OK;
}

int f2l_kernels_cuda_delta_path(char *text, size_t size, const fsa2lrnn_delta_product *p,
                                fsa2lrnn_kernels_error *err)
{
    f2l_kernels_choice c;
    const int status = f2l_kernels_choose(&c, p, err);
    if (!status) snprintf(text, size, "%s: %s", c.tensor ? "tensor" : "recurrent", c.why);
    return status;
}
