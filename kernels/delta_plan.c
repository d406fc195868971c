#include "kernels/base/kernels_array.h"
#include "kernels/base/kernels_fail.h"
#include "kernels/base/kernels_number.h"
#include "kernels/delta.h"
#include <math.h>
#include <string.h>

enum { INVALID = FSA2LRNN_KERNELS_EINVAL, DOMAIN = FSA2LRNN_KERNELS_EDOMAIN };

typedef struct range {
    const char *name;
    int64_t value, least, most;
    int status;
} range;

static int check_ranges(const range *r, int n, fsa2lrnn_kernels_error *err)
{
    for (int i = 0; i < n; i++)
        if (r[i].value < r[i].least || r[i].value > r[i].most)
            return f2l_kernels_fail(err, r[i].status, "%s is %lld, and can be %lld to %lld",
                                    r[i].name, (long long)r[i].value, (long long)r[i].least,
                                    (long long)r[i].most);
    return FSA2LRNN_KERNELS_OK;
}

static int check_options(const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    const range options[] = {
        {"device", p->device, 0, FSA2LRNN_KERNELS_CPU, INVALID},
        {"type", p->type, 0, FSA2LRNN_KERNELS_F64, INVALID},
        {"beta_type", p->beta_type, 0, FSA2LRNN_KERNELS_F64, INVALID},
        {"state_type", p->state_type, 0, FSA2LRNN_KERNELS_F64, INVALID},
        {"path", p->path, 0, FSA2LRNN_KERNELS_TENSOR_STATES, INVALID},
        {"beta", p->beta, 0, FSA2LRNN_KERNELS_BETA_TWO_SIGMOID, INVALID},
        {"gate", p->gate, 0, FSA2LRNN_KERNELS_GATE_KEY, INVALID},
        {"norm", p->norm, 0, FSA2LRNN_KERNELS_NORM_MAX, INVALID},
        {"state_order", p->state_order, 0, FSA2LRNN_KERNELS_STATE_VK, INVALID},
    };
    return check_ranges(options, sizeof options / sizeof *options, err);
}

static int check_sizes(const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    const range sizes[] = {
        {"batch", p->batch, 0, INT32_MAX, INVALID},
        {"tokens", p->tokens, 0, INT32_MAX, INVALID},
        {"heads", p->heads, 1, INT32_MAX, INVALID},
        {"key_heads", p->key_heads, 0, p->heads, INVALID},
        {"factors", p->factors, 1, 8, DOMAIN},
        {"key", p->key, 1, 256, DOMAIN},
        {"value", p->value, 1, 256, DOMAIN},
        {"sequences", p->cu_seqlens ? p->sequences : 0, 0, INT32_MAX, INVALID},
        {"states", p->state_indices ? p->states : 0, 0, INT32_MAX, INVALID},
    };
    return check_ranges(sizes, sizeof sizes / sizeof *sizes, err);
}

static int check_types(const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    const bool wide = p->type == FSA2LRNN_KERNELS_F64;
    if (wide && p->device == FSA2LRNN_KERNELS_CUDA)
        return f2l_kernels_fail(err, DOMAIN, "type is f64, which is for the CPU only");
    if (wide != (p->beta_type == FSA2LRNN_KERNELS_F64) ||
        wide != (p->state_type == FSA2LRNN_KERNELS_F64))
        return f2l_kernels_fail(err, INVALID,
                                "type, beta_type and state_type are %d, %d and %d: f64 goes with "
                                "f64 only",
                                p->type, p->beta_type, p->state_type);
    if (p->state_type == FSA2LRNN_KERNELS_F16)
        return f2l_kernels_fail(err, DOMAIN, "state_type is f16, and can be f32 or bf16");
    return FSA2LRNN_KERNELS_OK;
}

static int check_relations(const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    if (p->key_heads && p->heads % p->key_heads)
        return f2l_kernels_fail(err, INVALID,
                                "key_heads is %lld, which does not divide heads, %lld",
                                (long long)p->key_heads, (long long)p->heads);
    if (p->index_bits != 0 && p->index_bits != 32 && p->index_bits != 64)
        return f2l_kernels_fail(err, INVALID, "index_bits is %d, and can be 32 or 64",
                                p->index_bits);
    if (!(p->norm_eps >= 0 && isfinite(p->norm_eps)) || !isfinite(p->scale))
        return f2l_kernels_fail(err, INVALID, "norm_eps is %g and scale is %g", (double)p->norm_eps,
                                (double)p->scale);
    if (p->cu_seqlens && p->batch != 1)
        return f2l_kernels_fail(err, INVALID, "batch is %lld with cu_seqlens, and has to be 1",
                                (long long)p->batch);
    const int64_t sequences = p->cu_seqlens ? p->sequences : p->batch;
    const int64_t states = p->state_indices ? p->states : sequences;
    if (!f2l_kernels_countable((int64_t[]){p->batch, p->tokens, p->factors, p->heads, 256}, 5) ||
        !f2l_kernels_countable((int64_t[]){states, p->heads, p->key, p->value}, 4))
        return f2l_kernels_fail(
            err, DOMAIN, "%lld x %lld tokens, %lld heads and %lld states are too many",
            (long long)p->batch, (long long)p->tokens, (long long)p->heads, (long long)states);
    return FSA2LRNN_KERNELS_OK;
}

int64_t f2l_kernels_index(const void *from, int64_t i, const fsa2lrnn_delta_product *p)
{
    return p->index_bits == 64 ? ((const int64_t *)from)[i] : ((const int32_t *)from)[i];
}

/* Checks the numbers of cu_seqlens and state_indices, which are the host's. */
static int check_indices(const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    int64_t before = 0;
    for (int64_t i = 0; p->cu_seqlens && i <= p->sequences; i++) {
        const int64_t x = f2l_kernels_index(p->cu_seqlens, i, p), most = i ? p->tokens : 0,
                      least = i == p->sequences ? p->tokens : before;
        if (x < least || x > most)
            return f2l_kernels_fail(err, INVALID,
                                    "cu_seqlens[%lld] is %lld: it begins at 0, does not fall, and "
                                    "ends at tokens, %lld",
                                    (long long)i, (long long)x, (long long)p->tokens);
        before = x;
    }
    for (int64_t i = 0; p->state_indices && i < p->sequences; i++) {
        const int64_t x = f2l_kernels_index(p->state_indices, i, p);
        if (x < -1 || x >= p->states)
            return f2l_kernels_fail(err, INVALID, "state_indices[%lld] is %lld of %lld states",
                                    (long long)i, (long long)x, (long long)p->states);
    }
    return FSA2LRNN_KERNELS_OK;
}

int f2l_kernels_delta_plan(fsa2lrnn_delta_product *p, const fsa2lrnn_delta_product *from,
                           fsa2lrnn_kernels_error *err)
{
    int status = f2l_kernels_take(p, sizeof *p, from, "p", err);
    if (!status) status = check_options(p, err);
    if (!status) status = check_sizes(p, err);
    if (!status) status = check_types(p, err);
    if (!status) status = check_relations(p, err);
    if (status) return status;
    if (!p->key_heads) p->key_heads = p->heads;
    if (!p->index_bits) p->index_bits = 32;
    if (p->scale == 0) p->scale = (float)(1 / sqrt((double)p->key));
    if (!p->cu_seqlens) p->sequences = p->batch;
    if (!p->state_indices) p->states = p->sequences;
    return p->device == FSA2LRNN_KERNELS_CPU ? check_indices(p, err) : status;
}

f2l_kernels_sequence f2l_kernels_sequence_at(const fsa2lrnn_delta_product *p, int64_t i)
{
    f2l_kernels_sequence at = {i, 0, p->tokens, i};
    if (p->cu_seqlens) {
        at.batch = 0, at.first = f2l_kernels_index(p->cu_seqlens, i, p);
        at.count = f2l_kernels_index(p->cu_seqlens, i + 1, p) - at.first;
    }
    if (p->state_indices) at.state = f2l_kernels_index(p->state_indices, i, p);
    return at;
}
