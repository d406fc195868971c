#include "models/doors/vectors/vectors.h"
#include "models/doors/vectors/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

#define MOST_TRIES 256
#define MOST_GROUP 8 /* value heads that share a head */
/* The logarithm of a gate of 0, and what 2 sigmoid makes 2 of: exp(-x) is 0 in every format. */
#define LOG_OF_ZERO (-16384)
#define FAR 1024

static const char *const claim_names[] = {"products", "inverse", "W U", "states", "gradient"};

const char *f2l_vector_claim_name(f2l_vector_claim claim)
{
    return claim_names[claim];
}

void f2l_op_vectors_init(f2l_op_vectors *v)
{
    *v = (f2l_op_vectors){.op = NULL};
}

static void clear_tensors(f2l_op_vectors *v)
{
    for (size_t i = 0; i < F2L_VECTOR_TENSORS; i++) f2l_free(v->tensor[i].value);
    memset(v->tensor, 0, sizeof v->tensor);
}

void f2l_op_vectors_clear(f2l_op_vectors *v)
{
    clear_tensors(v);
    f2l_free(v->at);
    f2l_op_vectors_init(v);
}

static void add_tensor(f2l_op_vectors *v, int index, const char *name, bool wide, size_t tokens,
                       size_t heads, size_t width)
{
    const f2l_vector_case *c = v->about;
    const f2l_safetensors_type narrow = strcmp(c->format, "bf16") == 0   ? F2L_SAFETENSORS_BF16
                                        : strcmp(c->format, "fp16") == 0 ? F2L_SAFETENSORS_F16
                                                                         : F2L_SAFETENSORS_F32;
    const size_t batch = c->tokens ? c->sequences : 1;
    f2l_vector_tensor *t = &v->tensor[index];
    *t = (f2l_vector_tensor){.name = name,
                             .type = wide ? F2L_SAFETENSORS_F32 : narrow,
                             .dims = width ? 4 : 3,
                             .dim = {batch, tokens / batch, heads, width},
                             .count = tokens * heads * (width ? width : 1)};
}

static void add_state(f2l_op_vectors *v, int index, const char *name)
{
    const f2l_vector_case *c = v->about;
    const size_t n = f2l_vector_sequences(c);
    v->tensor[index] = (f2l_vector_tensor){.name = name,
                                           .type = F2L_SAFETENSORS_F32,
                                           .dims = 4,
                                           .dim = {n, c->value_heads, c->key, c->value},
                                           .count = n * c->value_heads * c->key * c->value};
}

/* Lists the tensors that the file has. */
static void list_tensors(f2l_op_vectors *v, size_t tokens)
{
    const f2l_vector_case *c = v->about;
    const size_t rows = tokens * c->factors, G = c->heads, H = c->value_heads;
    const bool logits = c->keys[0] != F2L_KEYS_LONG;
    add_tensor(v, F2L_VECTOR_Q, "q", false, tokens, G, c->key);
    add_tensor(v, F2L_VECTOR_K, "k", false, rows, G, c->key);
    add_tensor(v, F2L_VECTOR_V, "v", false, rows, H, c->value);
    add_tensor(v, F2L_VECTOR_BETA, "beta", false, rows, H, 0);
    if (logits) add_tensor(v, F2L_VECTOR_LOGIT, "beta_logit", false, rows, H, 0);
    if (v->op->gated) add_tensor(v, F2L_VECTOR_GATE, "gate", true, tokens, H, 0);
    if (v->op->gated) add_tensor(v, F2L_VECTOR_LOG_GATE, "g", true, tokens, H, 0);
    if (c->start) add_state(v, F2L_VECTOR_START, "initial_state");
    if (!c->tokens)
        v->tensor[F2L_VECTOR_PLACES] = (f2l_vector_tensor){.name = "cu_seqlens",
                                                           .type = F2L_SAFETENSORS_I32,
                                                           .dims = 1,
                                                           .dim = {f2l_vector_sequences(c) + 1},
                                                           .count = f2l_vector_sequences(c) + 1};
    add_tensor(v, F2L_VECTOR_DOUT, "do", false, tokens, H, c->value);
    if (c->end) add_state(v, F2L_VECTOR_DEND, "d_final_state");
    add_tensor(v, F2L_VECTOR_OUT, "o", false, tokens, H, c->value);
    add_state(v, F2L_VECTOR_END, "final_state");
    add_tensor(v, F2L_VECTOR_DQ, "dq", false, tokens, G, c->key);
    add_tensor(v, F2L_VECTOR_DK, "dk", false, rows, G, c->key);
    add_tensor(v, F2L_VECTOR_DV, "dv", false, rows, H, c->value);
    add_tensor(v, F2L_VECTOR_DBETA, "dbeta", false, rows, H, 0);
    if (logits) add_tensor(v, F2L_VECTOR_DLOGIT, "d_beta_logit", false, rows, H, 0);
    if (v->op->gated) add_tensor(v, F2L_VECTOR_DLOG_GATE, "dg", true, tokens, H, 0);
    if (c->start) add_state(v, F2L_VECTOR_DSTART, "d_initial_state");
}

static f2l_status make_tensors(f2l_op_vectors *v, f2l_error *err)
{
    const size_t sequences = f2l_vector_sequences(v->about);
    v->at = f2l_calloc(sequences + 1, sizeof *v->at);
    if (!v->at) return f2l_fail_memory(err);
    for (size_t s = 0; s < sequences; s++) v->at[s + 1] = v->at[s] + f2l_vector_length(v->about, s);
    list_tensors(v, v->at[sequences]);
    for (size_t i = 0; i < F2L_VECTOR_TENSORS; i++) {
        f2l_vector_tensor *t = &v->tensor[i];
        if (t->name) t->value = f2l_calloc(t->count, sizeof *t->value);
        if (t->name && !t->value) return f2l_fail_memory(err);
    }
    for (size_t s = 0; v->tensor[F2L_VECTOR_PLACES].value && s <= sequences; s++)
        v->tensor[F2L_VECTOR_PLACES].value[s] = (double)v->at[s];
    return F2L_OK;
}

/* Computes one lane in all ways; sets *good to false where something rounds or a claim fails. */
static f2l_status prove_lane(f2l_op_vectors *v, bool *good, f2l_vector_lane *lane, f2l_error *err)
{
    f2l_status status = f2l_vector_recurrence(lane, good, err);
    for (size_t chunk = 16; status == F2L_OK && *good && chunk <= 64; chunk *= 2)
        status = f2l_vector_chunks(lane, chunk, v->format, v->claim, good, err);
    for (size_t i = 0; i < F2L_CLAIMS; i++) *good = *good && v->claim[i];
    return status;
}

/* Proves the value heads that share `head` in sequence s, and puts their results. */
static f2l_status prove_group(f2l_op_vectors *v, bool *good, size_t s, size_t head, f2l_error *err)
{
    const size_t group = v->about->value_heads / v->about->heads;
    f2l_vector_lane lane[MOST_GROUP] = {{.tokens = 0}};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < F2L_CLAIMS; i++) v->claim[i] = true;
    *good = true;
    for (size_t i = 0; status == F2L_OK && *good && i < group; i++) {
        status = f2l_vector_lane_make(&lane[i], v->about, v->at[s + 1] - v->at[s], err);
        if (status != F2L_OK) break;
        f2l_vector_lane_take(&lane[i], v, s, head * group + i);
        status = prove_lane(v, good, &lane[i], err);
    }
    for (size_t i = 0; i < group; i++) {
        if (status == F2L_OK && *good) f2l_vector_lane_put(v, &lane[i], s, head * group + i);
        f2l_vector_lane_free(&lane[i]);
    }
    return status;
}

/* Fills what follows from beta and from gates. */
static void fill_logarithms(f2l_op_vectors *v)
{
    const f2l_vector_tensor *t = v->tensor, *beta = &t[F2L_VECTOR_BETA];
    for (size_t i = 0; t[F2L_VECTOR_LOGIT].value && i < beta->count; i++) {
        const double x = beta->value[i];
        t[F2L_VECTOR_LOGIT].value[i] = (x - 1) * FAR;
        t[F2L_VECTOR_DLOGIT].value[i] = t[F2L_VECTOR_DBETA].value[i] * x * (2 - x) / 2;
    }
    for (size_t i = 0; i < t[F2L_VECTOR_GATE].count; i++)
        t[F2L_VECTOR_LOG_GATE].value[i] = t[F2L_VECTOR_GATE].value[i] == 1 ? 0 : LOG_OF_ZERO;
}

/* Returns whether all numbers are values of their tensor's type. */
static bool all_fit(const f2l_op_vectors *v)
{
    for (const f2l_vector_tensor *t = v->tensor; t < v->tensor + F2L_VECTOR_TENSORS; t++) {
        const bool wide = t->type == F2L_SAFETENSORS_F32 || t->type == F2L_SAFETENSORS_I32;
        const f2l_format *format = wide ? f2l_format_find("fp32") : v->format;
        for (size_t i = 0; t->value && i < t->count; i++)
            if (f2l_format_round_nearest(format, t->value[i]) != t->value[i]) return false;
    }
    return true;
}

/* Chooses inputs of one sequence and head until everything is proved. */
static f2l_status make_group(f2l_op_vectors *v, size_t s, size_t head, f2l_error *err)
{
    bool good = false;
    f2l_status status = F2L_OK;
    for (size_t tries = 0; status == F2L_OK && !good && tries < MOST_TRIES; tries++) {
        v->tries++;
        status = f2l_vector_fill(v, s, head, err);
        if (status == F2L_OK) status = prove_group(v, &good, s, head, err);
    }
    if (status != F2L_OK || good) return status;
    return f2l_fail(err, F2L_EDOMAIN, "%s: no inputs were found for which the claims hold",
                    v->about->name);
}

f2l_status f2l_op_vectors_make(f2l_op_vectors *v, const f2l_vector_op *op,
                               const f2l_vector_case *about, const f2l_task *task, f2l_error *err)
{
    f2l_op_vectors_clear(v);
    v->op = op;
    v->about = about;
    v->format = f2l_format_find(about->format);
    f2l_status status = make_tensors(v, err);
    for (size_t s = 0; s < f2l_vector_sequences(about); s++)
        for (size_t head = 0; status == F2L_OK && head < about->heads; head++) {
            status = make_group(v, s, head, err);
            if (status == F2L_OK) status = f2l_task_poll(task, about->name, 0, 0, err);
        }
    if (status != F2L_OK) return status;
    fill_logarithms(v);
    return all_fit(v)
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN, "%s: a number is no value of its type", about->name);
}
