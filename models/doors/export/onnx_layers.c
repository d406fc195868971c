/* The layers of a network in the body: models/network/weights/weights.h has the tensors and the
 * rule. */
#include "models/doors/export/onnx_parts.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Adds the ends of the boxes of all heads of a layer, [codes, w], w the numbers of all states: the
 * tensors .low or .high where there are some, else .codes. */
static f2l_status add_codes(f2l_onnx *o, f2l_onnx_value name, size_t l, const char *end,
                            f2l_error *err)
{
    size_t codes = 0, width = 0, at = 0, h;
    f2l_safetensors_tensor t;
    for (h = 0; (t = f2l_onnx_tensor(o, "layers.%zu.heads.%zu.codes", l, h)).present; h++) {
        codes = t.dim[0];
        width += t.dim[1] * t.dim[2];
    }
    double *value = f2l_calloc(codes * width + 1, sizeof *value);
    if (!value) return f2l_fail_memory(err);
    for (size_t i = 0; i < h; i++) {
        t = f2l_onnx_tensor(o, "layers.%zu.heads.%zu.%s", l, i, end);
        if (!t.present) t = f2l_onnx_tensor(o, "layers.%zu.heads.%zu.codes", l, i);
        const size_t w = t.dim[1] * t.dim[2], bytes = f2l_safetensors_bytes(t.type);
        for (size_t k = 0; k < codes * w; k++)
            value[k / w * width + at + k % w] = f2l_safetensors_number(t.data + k * bytes, t.type);
        at += w;
    }
    const int64_t dim[2] = {(int64_t)codes, (int64_t)width};
    f2l_onnx_numbers(o, name, value, 2, dim);
    f2l_free(value);
    return F2L_OK;
}

/* Returns the code [B] that is nearest to the states of all heads together. */
static f2l_status decode_layer_states(f2l_onnx_value *out, f2l_onnx *o, size_t l,
                                      const f2l_onnx_value *flat, size_t heads, f2l_error *err)
{
    const f2l_onnx_value low = f2l_onnx_named("layers.%zu.low", l);
    f2l_onnx_value high = low;
    f2l_status status = add_codes(o, low, l, "low", err);
    bool boxes = false;
    for (size_t h = 0; h < heads; h++)
        boxes = boxes || f2l_onnx_tensor(o, "layers.%zu.heads.%zu.low", l, h).present;
    if (boxes && status == F2L_OK) {
        high = f2l_onnx_named("layers.%zu.high", l);
        status = add_codes(o, high, l, "high", err);
    }
    if (status != F2L_OK) return status;
    *out = f2l_onnx_nearest(o, f2l_onnx_node(o, "Concat", 1, flat, heads), low, high);
    return F2L_OK;
}

/* Returns what the layer gives after the letters x in the codes; -1 where x is -1. */
static f2l_status give_layer_symbol(f2l_onnx_value *out, f2l_onnx *o, size_t l, f2l_onnx_value x,
                                    f2l_onnx_value code, f2l_error *err)
{
    static const char *const tables[] = {"part", "reads", "yield_at", "yield"};
    static const int64_t zero = 0;
    const int64_t parts = (int64_t)f2l_onnx_tensor(o, "layers.%zu.part", l).dim[1];
    f2l_onnx_value table[4];
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < 4 && status == F2L_OK; i++) {
        const f2l_safetensors_tensor t = f2l_onnx_tensor(o, "layers.%zu.%s", l, tables[i]);
        table[i] = f2l_onnx_named("layers.%zu.%s", l, tables[i]);
        status = f2l_onnx_copy_integers(o, table[i], &t, err);
    }
    if (status != F2L_OK) return status;
    const f2l_onnx_value first = f2l_onnx_two(o, "Mul", code, f2l_onnx_list(o, &parts, 1));
    const f2l_onnx_value at = f2l_onnx_two(o, "Add", first, f2l_onnx_gather(o, table[1], x));
    const f2l_onnx_value from = f2l_onnx_gather(o, table[2], x);
    const f2l_onnx_value place = f2l_onnx_two(o, "Add", from, f2l_onnx_gather(o, table[0], at));
    *out = f2l_onnx_gather(o, table[3], place);
    if (l == 0) return F2L_OK;
    /* Gather takes -1 for the last row: nothing fails where the layer below gave no letter. */
    const f2l_onnx_value none = f2l_onnx_two(o, "Less", x, f2l_onnx_list(o, &zero, 1));
    const f2l_onnx_value three[3] = {none, x, *out};
    *out = f2l_onnx_node(o, "Where", F2L_ONNX_NO_AXIS, three, 3);
    return F2L_OK;
}

/* Adds layer l, which reads *x, and sets *x to what it gives. */
static f2l_status add_layer(f2l_onnx_value *x, f2l_onnx *o, f2l_onnx_states *states, size_t l,
                            f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_onnx_value code, *flat = NULL;
    size_t heads = 0, capacity = 0;
    for (; status == F2L_OK; heads++) {
        const f2l_onnx_value prefix = f2l_onnx_named("layers.%zu.heads.%zu", l, heads);
        f2l_onnx_head head;
        if (!f2l_onnx_tensor(o, "%s.beta", prefix.name).present) break;
        if (!f2l_grow((void **)&flat, &capacity, heads, sizeof *flat)) {
            status = f2l_fail_memory(err);
            break;
        }
        status = f2l_onnx_add_state(states, o, l, heads,
                                    f2l_onnx_named("%.60s.initial", prefix.name).name, err);
        if (status != F2L_OK) break;
        struct f2l_onnx_state *state = &states->state[states->count - 1];
        status = f2l_onnx_add_head(&head, o, prefix.name, state->n, state->d, true, err);
        state->after = f2l_onnx_step(o, &head, state->before, *x);
        flat[heads] = f2l_onnx_node(o, "Flatten", 1, &state->after, 1);
    }
    if (status == F2L_OK) status = decode_layer_states(&code, o, l, flat, heads, err);
    if (status == F2L_OK) status = give_layer_symbol(x, o, l, *x, code, err);
    f2l_free(flat);
    return status;
}

f2l_status f2l_onnx_layers(f2l_onnx_value *x, f2l_onnx *o, f2l_onnx_states *states, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; status == F2L_OK && f2l_onnx_tensor(o, "layers.%zu.part", l).present; l++)
        status = add_layer(x, o, states, l, err);
    return status;
}
