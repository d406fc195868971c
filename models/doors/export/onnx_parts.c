#include "models/doors/export/onnx_parts.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

/* Adds row `factor` of each letter of a tensor [letters, factors, w] as the constant NAME.factor,
 * of shape [letters, w, 1] for keys, else [letters, 1, w]. */
static void add_factor_rows(f2l_onnx *o, const char *prefix, const char *part, size_t factor,
                            double *spare)
{
    const f2l_safetensors_tensor t = f2l_onnx_tensor(o, "%s.%s", prefix, part);
    const size_t w = t.dims > 2 ? t.dim[2] : 1, bytes = f2l_safetensors_bytes(t.type);
    const bool tall = strcmp(part, "key") == 0;
    const int64_t dim[3] = {(int64_t)t.dim[0], tall ? (int64_t)w : 1, tall ? 1 : (int64_t)w};
    for (size_t x = 0; x < t.dim[0]; x++)
        for (size_t i = 0; i < w; i++)
            spare[x * w + i] =
                f2l_safetensors_number(t.data + ((x * t.dim[1] + factor) * w + i) * bytes, t.type);
    f2l_onnx_numbers(o, f2l_onnx_named("%s.%s.%zu", prefix, part, factor), spare, 3, dim);
}

/* Adds a tensor as a constant of three dimensions. */
static void add_tensor_constant(f2l_onnx *o, const char *name, f2l_onnx_value as,
                                const int64_t dim[3], double *spare)
{
    const f2l_safetensors_tensor t = f2l_onnx_tensor(o, "%s", name);
    for (size_t i = 0; i < t.count; i++)
        spare[i] = f2l_safetensors_number(t.data + i * f2l_safetensors_bytes(t.type), t.type);
    f2l_onnx_numbers(o, as, spare, 3, dim);
}

f2l_status f2l_onnx_add_head(f2l_onnx_head *out, f2l_onnx *o, const char *prefix, size_t n,
                             size_t d, bool add, f2l_error *err)
{
    const f2l_safetensors_tensor beta = f2l_onnx_tensor(o, "%s.beta", prefix);
    const size_t letters = beta.dim[0];
    *out = (f2l_onnx_head){.n = n, .d = d, .factors = beta.dim[1]};
    snprintf(out->prefix, sizeof out->prefix, "%s", prefix);
    out->gated = f2l_onnx_tensor(o, "%s.gate", prefix).present;
    out->biased = f2l_onnx_tensor(o, "%s.bias", prefix).present;
    if (!add) return F2L_OK;
    double *spare = f2l_calloc(letters * n * d + letters * (n + d) + 1, sizeof *spare);
    if (!spare) return f2l_fail_memory(err);
    for (size_t i = 0; i < out->factors; i++) {
        add_factor_rows(o, prefix, "beta", i, spare);
        add_factor_rows(o, prefix, "key", i, spare);
        add_factor_rows(o, prefix, "value", i, spare);
    }
    const f2l_onnx_value gate = f2l_onnx_named("%s.gate", prefix),
                         bias = f2l_onnx_named("%s.bias", prefix);
    const int64_t gates[3] = {(int64_t)letters, 1, 1};
    const int64_t biases[3] = {(int64_t)letters, (int64_t)n, (int64_t)d};
    if (out->gated) add_tensor_constant(o, gate.name, gate, gates, spare);
    if (out->biased) add_tensor_constant(o, bias.name, bias, biases, spare);
    f2l_free(spare);
    return F2L_OK;
}

/* Returns the sum of p [B, n, d] over dimension 1 by halves, [B, 1, d], as the schedule's setting
 * sum=halves does: with N the least power of two >= n, p_i + p_(i + N/2), and so on. */
static f2l_onnx_value sum_by_halves(f2l_onnx *o, f2l_onnx_value p, size_t n)
{
    size_t half = 1;
    while (2 * half < n) half *= 2;
    if (n > 1 && n < 2 * half) {
        /* The first step: p_i with half <= i < n are added to the first n - half of the others. */
        const int64_t size[3] = {(int64_t)(n - half), (int64_t)(2 * half - n), (int64_t)(n - half)};
        f2l_onnx_value part[3];
        f2l_onnx_split(o, part, p, size, 3);
        const f2l_onnx_value joined[2] = {f2l_onnx_two(o, "Add", part[0], part[2]), part[1]};
        p = f2l_onnx_node(o, "Concat", 1, joined, 2);
        n = half;
    }
    for (; n > 1; n /= 2) {
        const int64_t size[2] = {(int64_t)(n / 2), (int64_t)(n / 2)};
        f2l_onnx_value part[2];
        f2l_onnx_split(o, part, p, size, 2);
        p = f2l_onnx_two(o, "Add", part[0], part[1]);
    }
    return p;
}

/* Returns the rows of a constant of the head that the letters x choose. */
static f2l_onnx_value choose_letter_rows(f2l_onnx *o, const f2l_onnx_head *head, const char *part,
                                         size_t factor, f2l_onnx_value x)
{
    return f2l_onnx_gather(o, f2l_onnx_named("%s.%s.%zu", head->prefix, part, factor), x);
}

f2l_onnx_value f2l_onnx_step(f2l_onnx *o, const f2l_onnx_head *head, f2l_onnx_value state,
                             f2l_onnx_value x)
{
    f2l_onnx_value S = state;
    if (head->gated)
        S = f2l_onnx_two(o, "Mul", S,
                         f2l_onnx_gather(o, f2l_onnx_named("%s.gate", head->prefix), x));
    for (size_t i = 0; i < head->factors; i++) {
        const f2l_onnx_value key = choose_letter_rows(o, head, "key", i, x);
        f2l_onnx_value r = sum_by_halves(o, f2l_onnx_two(o, "Mul", key, S), head->n);
        r = f2l_onnx_two(o, "Sub", r, choose_letter_rows(o, head, "value", i, x));
        r = f2l_onnx_two(o, "Mul", choose_letter_rows(o, head, "beta", i, x), r);
        S = f2l_onnx_two(o, "Sub", S, f2l_onnx_two(o, "Mul", key, r));
    }
    if (head->biased)
        S = f2l_onnx_two(o, "Add", S,
                         f2l_onnx_gather(o, f2l_onnx_named("%s.bias", head->prefix), x));
    return S;
}

f2l_onnx_value f2l_onnx_nearest(f2l_onnx *o, f2l_onnx_value row, f2l_onnx_value low,
                                f2l_onnx_value high)
{
    static const int64_t axis = 1;
    const f2l_onnx_value wide = f2l_onnx_two(o, "Unsqueeze", row, f2l_onnx_list(o, &axis, 1));
    f2l_onnx_value far = f2l_onnx_two(o, "Sub", low, wide);
    if (strcmp(low.name, high.name) == 0) {
        far = f2l_onnx_one(o, "Abs", far);
    } else {
        const f2l_onnx_value above = f2l_onnx_two(o, "Sub", wide, high);
        far = f2l_onnx_two(o, "Add", f2l_onnx_one(o, "Relu", far), f2l_onnx_one(o, "Relu", above));
    }
    return f2l_onnx_least(o, f2l_onnx_sum(o, far));
}

f2l_status f2l_onnx_add_state(f2l_onnx_states *states, f2l_onnx *o, size_t stage, size_t head,
                              const char *initial, f2l_error *err)
{
    const f2l_safetensors_tensor t = f2l_onnx_tensor(o, "%s", initial);
    const int64_t dim[3] = {1, (int64_t)t.dim[0], (int64_t)t.dim[1]};
    if (!f2l_grow((void **)&states->state, &states->capacity, states->count, sizeof *states->state))
        return f2l_fail_memory(err);
    states->state[states->count++] = (struct f2l_onnx_state){
        stage, head, t.dim[0], t.dim[1], f2l_onnx_named("before.%zu.%zu", stage, head), {""}};
    if (o->streams) return F2L_OK;
    double *spare = f2l_calloc(t.count + 1, sizeof *spare);
    if (!spare) return f2l_fail_memory(err);
    add_tensor_constant(o, initial, f2l_onnx_named("initial.%zu.%zu", stage, head), dim, spare);
    f2l_free(spare);
    return F2L_OK;
}
