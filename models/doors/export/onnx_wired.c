/* The stages of a network in the body: models/network/weights/wired_weights.h has the tensors and
 * the rule. */
#include "models/doors/export/onnx_parts.h"
#include "numeric/base/mem.h"
#include <string.h>

/* The wires of a stage, in order. */
typedef struct wires {
    f2l_onnx_value *wire;
    size_t count, capacity;
} wires;

static f2l_status push_wire(wires *w, f2l_onnx_value value, f2l_error *err)
{
    if (!f2l_grow((void **)&w->wire, &w->capacity, w->count, sizeof *w->wire))
        return f2l_fail_memory(err);
    w->wire[w->count++] = value;
    return F2L_OK;
}

/* Returns wire i, which a valid network has. */
static f2l_onnx_value wire_at(const wires *w, size_t i)
{
    return w->wire && i < w->count ? w->wire[i] : f2l_onnx_named("%s", "");
}

/* Returns integer i of a tensor that has it. */
static size_t tensor_integer(const f2l_safetensors_tensor *t, size_t i)
{
    return (size_t)f2l_onnx_integer(t, i);
}

static f2l_onnx_value multiply_by_constant(f2l_onnx *o, f2l_onnx_value a, int64_t factor)
{
    return factor == 1 ? a : f2l_onnx_two(o, "Mul", a, f2l_onnx_list(o, &factor, 1));
}

static f2l_onnx_value add_onnx_constant(f2l_onnx *o, f2l_onnx_value a, int64_t b)
{
    return b == 0 ? a : f2l_onnx_two(o, "Add", a, f2l_onnx_list(o, &b, 1));
}

/* Adds the wire that table t gives of inputs[..]. */
static f2l_status look_up_table(wires *w, f2l_onnx *o, size_t t,
                                const f2l_safetensors_tensor *inputs, size_t first, f2l_error *err)
{
    const f2l_onnx_value name = f2l_onnx_named("tables.%zu", t);
    const json_t *shape = json_object_get(json_object_get(o->weights.header, name.name), "shape");
    f2l_onnx_value index = multiply_by_constant(o, wire_at(w, 0), 0);
    int64_t stride = 1;
    for (size_t i = json_array_size(shape); i-- > 0;) {
        const f2l_onnx_value one =
            multiply_by_constant(o, wire_at(w, tensor_integer(inputs, first + i)), stride);
        index = stride == 1 && i + 1 == json_array_size(shape) ? one
                                                               : f2l_onnx_two(o, "Add", index, one);
        stride *= json_integer_value(json_array_get(shape, i));
    }
    return push_wire(w, f2l_onnx_gather(o, name, index), err);
}

/* Adds the wires of a block's gates, `when` is "pre" or "post". */
static f2l_status add_gates(wires *w, f2l_onnx *o, size_t b, const char *when, f2l_error *err)
{
    const f2l_safetensors_tensor table = f2l_onnx_tensor(o, "blocks.%zu.%s.table", b, when);
    const f2l_safetensors_tensor at = f2l_onnx_tensor(o, "blocks.%zu.%s.wire_at", b, when);
    const f2l_safetensors_tensor inputs = f2l_onnx_tensor(o, "blocks.%zu.%s.wire", b, when);
    f2l_status status = F2L_OK;
    for (size_t g = 0; g < table.count && status == F2L_OK; g++)
        status =
            look_up_table(w, o, tensor_integer(&table, g), &inputs, tensor_integer(&at, g), err);
    return status;
}

/* Adds the heads of stage s, which has block b; the weights of a block are added once. */
static f2l_status add_heads(const wires *w, f2l_onnx *o, f2l_onnx_states *states, size_t s,
                            size_t b, bool *is_added, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t h = 0; status == F2L_OK; h++) {
        const f2l_onnx_value prefix = f2l_onnx_named("blocks.%zu.heads.%zu", b, h);
        const f2l_safetensors_tensor wire = f2l_onnx_tensor(o, "%s.slot_wire", prefix.name);
        const f2l_safetensors_tensor at = f2l_onnx_tensor(o, "%s.slot_at", prefix.name);
        f2l_onnx_head head;
        if (!wire.present) break;
        status = f2l_onnx_add_state(states, o, s, h,
                                    f2l_onnx_named("stages.%zu.heads.%zu.initial", s, h).name, err);
        if (status != F2L_OK) break;
        struct f2l_onnx_state *state = &states->state[states->count - 1];
        status = f2l_onnx_add_head(&head, o, prefix.name, state->n, state->d, !*is_added, err);
        state->after = state->before;
        for (size_t j = 0; j < wire.count; j++)
            state->after = f2l_onnx_step(o, &head, state->after,
                                         add_onnx_constant(o, wire_at(w, tensor_integer(&wire, j)),
                                                           f2l_onnx_integer(&at, j)));
    }
    *is_added = true;
    return status;
}

/* Returns the constant with the codes of readout r, [codes, rows * d], which it adds. */
static f2l_status add_readout_codes(f2l_onnx_value name, f2l_onnx *o, size_t b, size_t r,
                                    size_t width, f2l_error *err)
{
    const f2l_safetensors_tensor t = f2l_onnx_tensor(o, "blocks.%zu.readouts.codes", b);
    const f2l_safetensors_tensor at = f2l_onnx_tensor(o, "blocks.%zu.readouts.codes_at", b);
    const size_t first = tensor_integer(&at, r), codes = tensor_integer(&at, r + 1) - first;
    const int64_t dim[2] = {(int64_t)codes, (int64_t)width};
    double *value = f2l_calloc(codes * width + 1, sizeof *value);
    if (!value) return f2l_fail_memory(err);
    for (size_t c = 0; c < codes; c++)
        for (size_t i = 0; i < width; i++)
            value[c * width + i] = f2l_safetensors_number(
                t.data + ((first + c) * t.dim[1] + i) * f2l_safetensors_bytes(t.type), t.type);
    f2l_onnx_numbers(o, name, value, 2, dim);
    f2l_free(value);
    return F2L_OK;
}

/* Returns rows row .. row + rows - 1 of a state, flat. */
static f2l_onnx_value cut_state_rows(f2l_onnx *o, const struct f2l_onnx_state *state, size_t row,
                                     size_t rows)
{
    static const int64_t axis = 1;
    const int64_t begin = (int64_t)row, end = (int64_t)(row + rows);
    f2l_onnx_value S = state->after;
    if (rows < state->n) {
        const f2l_onnx_value four[4] = {S, f2l_onnx_list(o, &begin, 1), f2l_onnx_list(o, &end, 1),
                                        f2l_onnx_list(o, &axis, 1)};
        S = f2l_onnx_node(o, "Slice", F2L_ONNX_NO_AXIS, four, 4);
    }
    return f2l_onnx_node(o, "Flatten", 1, &S, 1);
}

/* Adds the wires of the readouts of a block; the states of its heads begin at `first`. */
static f2l_status add_readouts(wires *w, f2l_onnx *o, size_t b, const f2l_onnx_states *states,
                               size_t first, bool is_added, f2l_error *err)
{
    const f2l_safetensors_tensor head = f2l_onnx_tensor(o, "blocks.%zu.readouts.head", b);
    const f2l_safetensors_tensor row = f2l_onnx_tensor(o, "blocks.%zu.readouts.row", b);
    const f2l_safetensors_tensor rows = f2l_onnx_tensor(o, "blocks.%zu.readouts.rows", b);
    f2l_status status = F2L_OK;
    for (size_t r = 0; r < head.count && states->state && status == F2L_OK; r++) {
        const struct f2l_onnx_state *of = &states->state[first + tensor_integer(&head, r)];
        const f2l_onnx_value codes = f2l_onnx_named("blocks.%zu.codes.%zu", b, r);
        const f2l_onnx_value S =
            cut_state_rows(o, of, tensor_integer(&row, r), tensor_integer(&rows, r));
        if (!is_added)
            status = add_readout_codes(codes, o, b, r, tensor_integer(&rows, r) * of->d, err);
        if (status == F2L_OK) status = push_wire(w, f2l_onnx_nearest(o, S, codes, codes), err);
    }
    return status;
}

/* Adds stage s, and puts its outputs into the place of its inputs. */
static f2l_status add_stage_nodes(wires *w, f2l_onnx *o, f2l_onnx_states *states, size_t s,
                                  size_t b, bool *is_added, f2l_error *err)
{
    const size_t first = states->count;
    const bool was_added = *is_added;
    const f2l_safetensors_tensor output = f2l_onnx_tensor(o, "blocks.%zu.outputs", b);
    wires next = {0};
    f2l_status status = add_gates(w, o, b, "pre", err);
    if (status == F2L_OK) status = add_heads(w, o, states, s, b, is_added, err);
    if (status == F2L_OK) status = add_readouts(w, o, b, states, first, was_added, err);
    if (status == F2L_OK) status = add_gates(w, o, b, "post", err);
    for (size_t i = 0; i < output.count && status == F2L_OK; i++)
        status = push_wire(&next, wire_at(w, tensor_integer(&output, i)), err);
    f2l_free(w->wire);
    *w = next;
    return status;
}

static f2l_status add_tables(f2l_onnx *o, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t t = 0; status == F2L_OK; t++) {
        const f2l_onnx_value name = f2l_onnx_named("tables.%zu", t);
        const f2l_safetensors_tensor table = f2l_onnx_tensor(o, "%s", name.name);
        if (!table.present) break;
        status = f2l_onnx_copy_integers(o, name, &table, err);
    }
    return status;
}

f2l_status f2l_onnx_stages(f2l_onnx_value *x, f2l_onnx *o, f2l_onnx_states *states, f2l_error *err)
{
    const f2l_safetensors_tensor stages = f2l_onnx_tensor(o, "stages");
    wires w = {0};
    bool *is_added = f2l_calloc(stages.count + 1, sizeof *is_added); /* at most a block a stage */
    f2l_status status = is_added ? add_tables(o, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = push_wire(&w, *x, err);
    for (size_t s = 0; s < stages.count && status == F2L_OK; s++) {
        const size_t b = tensor_integer(&stages, s);
        status = add_stage_nodes(&w, o, states, s, b, &is_added[b], err);
    }
    if (status == F2L_OK) *x = wire_at(&w, 0);
    f2l_free(w.wire);
    f2l_free(is_added);
    return status;
}
