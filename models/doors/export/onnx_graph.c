#include "models/doors/export/onnx_graph.h"
#include "numeric/base/mem.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { IR_VERSION = 8, OPERATORS = 15 };
/* Numbers of fields in onnx.proto. */
enum {
    MODEL_IR = 1,
    MODEL_PRODUCER = 2,
    MODEL_GRAPH = 7,
    MODEL_OPERATORS = 8,
    MODEL_METADATA = 14
};
enum { OPERATORS_DOMAIN = 1, OPERATORS_VERSION = 2 };
enum { PAIR_KEY = 1, PAIR_VALUE = 2 };
enum { GRAPH_PARTS = 4 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_CONSTANT = 5 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OPERATION = 4, NODE_ATTRIBUTE = 5 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_G = 6,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20
};
enum { TYPE_INT = 2, TYPE_GRAPH = 5, TYPE_INTS = 7 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9 };
enum { INFO_NAME = 1, INFO_TYPE = 2 };
enum {
    TENSOR_KIND = 1,
    KIND_ELEMENT = 1,
    KIND_SHAPE = 2,
    SHAPE_DIM = 1,
    DIM_VALUE = 1,
    DIM_NAME = 2
};

void f2l_onnx_graph_clear(f2l_onnx_graph *graph)
{
    f2l_buf_clear(&graph->nodes);
    f2l_buf_clear(&graph->constants);
    f2l_buf_clear(&graph->inputs);
    f2l_buf_clear(&graph->outputs);
}

f2l_onnx_value f2l_onnx_named(const char *format, ...)
{
    f2l_onnx_value value;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value.name, sizeof value.name, format, arguments);
    va_end(arguments);
    return value;
}

f2l_safetensors_tensor f2l_onnx_tensor(const f2l_onnx *o, const char *format, ...)
{
    f2l_safetensors_tensor tensor;
    char name[80];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    f2l_safetensors_find(&tensor, &o->weights, name);
    return tensor;
}

int64_t f2l_onnx_integer(const f2l_safetensors_tensor *t, size_t i)
{
    return (int64_t)f2l_safetensors_number(t->data + i * f2l_safetensors_bytes(t->type), t->type);
}

/* --- constants --- */

/* Returns the message without its numbers, and their count. */
static f2l_buf begin_constant(f2l_onnx_value name, f2l_onnx_type type, size_t dims,
                              const int64_t *dim, size_t *count)
{
    f2l_buf tensor;
    f2l_buf_init(&tensor);
    f2l_proto_integers(&tensor, TENSOR_DIMS, dim, dims);
    f2l_proto_integer(&tensor, TENSOR_TYPE, type);
    f2l_proto_text(&tensor, TENSOR_NAME, name.name);
    *count = 1;
    for (size_t i = 0; i < dims; i++) *count *= (size_t)dim[i];
    return tensor;
}

static void put_bits(f2l_buf *out, uint64_t bits, size_t bytes)
{
    unsigned char byte[8];
    for (size_t i = 0; i < bytes; i++) byte[i] = (unsigned char)(bits >> 8 * i);
    f2l_buf_bytes(out, byte, bytes);
}

f2l_onnx_value f2l_onnx_integers(f2l_onnx *o, f2l_onnx_value name, const int64_t *value,
                                 size_t dims, const int64_t *dim)
{
    size_t count;
    f2l_buf raw, tensor = begin_constant(name, F2L_ONNX_INT64, dims, dim, &count);
    f2l_buf_init(&raw);
    for (size_t i = 0; i < count; i++) put_bits(&raw, (uint64_t)value[i], 8);
    f2l_proto_message(&tensor, TENSOR_RAW, &raw);
    f2l_proto_message(&o->main.constants, GRAPH_CONSTANT, &tensor);
    return name;
}

f2l_onnx_value f2l_onnx_numbers(f2l_onnx *o, f2l_onnx_value name, const double *value, size_t dims,
                                const int64_t *dim)
{
    size_t count;
    f2l_buf raw, tensor = begin_constant(name, o->type, dims, dim, &count);
    f2l_buf_init(&raw);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        uint32_t half = 0;
        const float narrow = (float)value[i];
        memcpy(&bits, &value[i], sizeof bits);
        memcpy(&half, &narrow, sizeof half);
        if (o->type == F2L_ONNX_FLOAT)
            put_bits(&raw, half, 4);
        else
            put_bits(&raw, bits, 8);
    }
    f2l_proto_message(&tensor, TENSOR_RAW, &raw);
    f2l_proto_message(&o->main.constants, GRAPH_CONSTANT, &tensor);
    return name;
}

f2l_status f2l_onnx_copy_integers(f2l_onnx *o, f2l_onnx_value name, const f2l_safetensors_tensor *t,
                                  f2l_error *err)
{
    const int64_t count = (int64_t)t->count;
    int64_t *value = f2l_calloc(t->count + 1, sizeof *value);
    if (!value) return f2l_fail_memory(err);
    for (size_t i = 0; i < t->count; i++) value[i] = f2l_onnx_integer(t, i);
    f2l_onnx_integers(o, name, value, 1, &count);
    f2l_free(value);
    return F2L_OK;
}

f2l_onnx_value f2l_onnx_list(f2l_onnx *o, const int64_t *value, size_t count)
{
    const int64_t dim = (int64_t)count;
    return f2l_onnx_integers(o, f2l_onnx_named("constant%zu", o->values++), value, 1, &dim);
}

/* --- nodes --- */

static void add_integer(f2l_buf *node, const char *name, int64_t value)
{
    f2l_buf attribute;
    f2l_buf_init(&attribute);
    f2l_proto_text(&attribute, ATTRIBUTE_NAME, name);
    f2l_proto_integer(&attribute, ATTRIBUTE_I, value);
    f2l_proto_integer(&attribute, ATTRIBUTE_TYPE, TYPE_INT);
    f2l_proto_message(node, NODE_ATTRIBUTE, &attribute);
}

static void add_integers(f2l_buf *node, const char *name, const int64_t *value, size_t count)
{
    f2l_buf attribute;
    f2l_buf_init(&attribute);
    f2l_proto_text(&attribute, ATTRIBUTE_NAME, name);
    f2l_proto_integers(&attribute, ATTRIBUTE_INTS, value, count);
    f2l_proto_integer(&attribute, ATTRIBUTE_TYPE, TYPE_INTS);
    f2l_proto_message(node, NODE_ATTRIBUTE, &attribute);
}

/* Begins a node with these inputs, and gives each output a name. */
static f2l_buf begin_node(f2l_onnx *o, const char *operation, const f2l_onnx_value *input,
                          size_t inputs, f2l_onnx_value *output, size_t outputs)
{
    f2l_buf node;
    f2l_buf_init(&node);
    for (size_t i = 0; i < inputs; i++) f2l_proto_text(&node, NODE_INPUT, input[i].name);
    for (size_t i = 0; i < outputs; i++) {
        output[i] = f2l_onnx_named("value%zu", o->values++);
        f2l_proto_text(&node, NODE_OUTPUT, output[i].name);
    }
    f2l_proto_text(&node, NODE_OPERATION, operation);
    return node;
}

f2l_onnx_value f2l_onnx_node(f2l_onnx *o, const char *operation, int64_t axis,
                             const f2l_onnx_value *input, size_t inputs)
{
    f2l_onnx_value output;
    f2l_buf node = begin_node(o, operation, input, inputs, &output, 1);
    if (axis != F2L_ONNX_NO_AXIS) add_integer(&node, "axis", axis);
    f2l_proto_message(&o->at->nodes, GRAPH_NODE, &node);
    return output;
}

f2l_onnx_value f2l_onnx_one(f2l_onnx *o, const char *operation, f2l_onnx_value a)
{
    return f2l_onnx_node(o, operation, F2L_ONNX_NO_AXIS, &a, 1);
}

f2l_onnx_value f2l_onnx_two(f2l_onnx *o, const char *operation, f2l_onnx_value a, f2l_onnx_value b)
{
    const f2l_onnx_value both[2] = {a, b};
    return f2l_onnx_node(o, operation, F2L_ONNX_NO_AXIS, both, 2);
}

f2l_onnx_value f2l_onnx_gather(f2l_onnx *o, f2l_onnx_value table, f2l_onnx_value index)
{
    const f2l_onnx_value both[2] = {table, index};
    return f2l_onnx_node(o, "Gather", 0, both, 2);
}

void f2l_onnx_split(f2l_onnx *o, f2l_onnx_value *out, f2l_onnx_value a, const int64_t *size,
                    size_t parts)
{
    const f2l_onnx_value both[2] = {a, f2l_onnx_list(o, size, parts)};
    f2l_buf node = begin_node(o, "Split", both, 2, out, parts);
    add_integer(&node, "axis", 1);
    f2l_proto_message(&o->at->nodes, GRAPH_NODE, &node);
}

f2l_onnx_value f2l_onnx_sum(f2l_onnx *o, f2l_onnx_value a)
{
    static const int64_t axis = 2;
    f2l_onnx_value output;
    const f2l_onnx_value both[2] = {a, f2l_onnx_list(o, &axis, 1)};
    f2l_buf node = begin_node(o, "ReduceSum", both, 2, &output, 1);
    add_integer(&node, "keepdims", 0);
    f2l_proto_message(&o->at->nodes, GRAPH_NODE, &node);
    return output;
}

f2l_onnx_value f2l_onnx_least(f2l_onnx *o, f2l_onnx_value a)
{
    f2l_onnx_value output;
    f2l_buf node = begin_node(o, "ArgMin", &a, 1, &output, 1);
    add_integer(&node, "axis", 1);
    add_integer(&node, "keepdims", 0);
    f2l_proto_message(&o->at->nodes, GRAPH_NODE, &node);
    return output;
}

/* --- graphs --- */

void f2l_onnx_declare(f2l_buf *list, unsigned field, f2l_onnx_value value, f2l_onnx_type type,
                      size_t dims, const int64_t *dim)
{
    static const char *const names[] = {"B", "T"};
    f2l_buf info, kind, tensor, shape;
    f2l_buf_init(&info);
    f2l_buf_init(&kind);
    f2l_buf_init(&tensor);
    f2l_buf_init(&shape);
    for (size_t i = 0; i < dims; i++) {
        f2l_buf one;
        f2l_buf_init(&one);
        if (dim[i] < 0)
            f2l_proto_text(&one, DIM_NAME, names[-1 - dim[i]]);
        else
            f2l_proto_integer(&one, DIM_VALUE, dim[i]);
        f2l_proto_message(&shape, SHAPE_DIM, &one);
    }
    f2l_proto_integer(&tensor, KIND_ELEMENT, type);
    f2l_proto_message(&tensor, KIND_SHAPE, &shape);
    f2l_proto_message(&kind, TENSOR_KIND, &tensor);
    f2l_proto_text(&info, INFO_NAME, value.name);
    f2l_proto_message(&info, INFO_TYPE, &kind);
    f2l_proto_message(list, field, &info);
}

/* Joins the parts of a graph to a message, and clears them. */
static f2l_buf close_graph(f2l_onnx_graph *graph, const char *name)
{
    f2l_buf out, *const part[GRAPH_PARTS] = {&graph->nodes, &graph->constants, &graph->inputs,
                                             &graph->outputs};
    f2l_buf_init(&out);
    f2l_proto_text(&out, GRAPH_NAME, name);
    for (size_t i = 0; i < GRAPH_PARTS; i++) {
        if (part[i]->failed) out.failed = true;
        f2l_buf_bytes(&out, part[i]->data, part[i]->size);
    }
    f2l_onnx_graph_clear(graph);
    return out;
}

f2l_onnx_value f2l_onnx_scan(f2l_onnx *o, f2l_onnx_value scanned, const f2l_onnx_value *states,
                             const f2l_onnx_value *end, size_t count)
{
    static const int64_t axis[1] = {1};
    const f2l_onnx_value given = f2l_onnx_named("labels");
    f2l_buf node, attribute, body = close_graph(&o->body, "step");
    f2l_buf_init(&node);
    f2l_buf_init(&attribute);
    for (size_t i = 0; i < count; i++) f2l_proto_text(&node, NODE_INPUT, states[i].name);
    f2l_proto_text(&node, NODE_INPUT, scanned.name);
    for (size_t i = 0; i < count; i++) f2l_proto_text(&node, NODE_OUTPUT, end[i].name);
    f2l_proto_text(&node, NODE_OUTPUT, given.name);
    f2l_proto_text(&node, NODE_OPERATION, "Scan");
    f2l_proto_text(&attribute, ATTRIBUTE_NAME, "body");
    f2l_proto_message(&attribute, ATTRIBUTE_G, &body);
    f2l_proto_integer(&attribute, ATTRIBUTE_TYPE, TYPE_GRAPH);
    f2l_proto_message(&node, NODE_ATTRIBUTE, &attribute);
    add_integer(&node, "num_scan_inputs", 1);
    add_integers(&node, "scan_input_axes", axis, 1);
    add_integers(&node, "scan_output_axes", axis, 1);
    f2l_proto_message(&o->main.nodes, GRAPH_NODE, &node);
    return given;
}

void f2l_onnx_model(f2l_buf *out, f2l_onnx *o, const char *const (*metadata)[2], size_t pairs)
{
    f2l_buf operators, graph = close_graph(&o->main, "network");
    f2l_buf_init(&operators);
    f2l_proto_integer(out, MODEL_IR, IR_VERSION);
    f2l_proto_text(out, MODEL_PRODUCER, "fsa2lrnn");
    f2l_proto_message(out, MODEL_GRAPH, &graph);
    f2l_proto_text(&operators, OPERATORS_DOMAIN, "");
    f2l_proto_integer(&operators, OPERATORS_VERSION, OPERATORS);
    f2l_proto_message(out, MODEL_OPERATORS, &operators);
    for (size_t i = 0; i < pairs; i++) {
        f2l_buf pair;
        f2l_buf_init(&pair);
        f2l_proto_text(&pair, PAIR_KEY, metadata[i][0]);
        f2l_proto_text(&pair, PAIR_VALUE, metadata[i][1]);
        f2l_proto_message(out, MODEL_METADATA, &pair);
    }
}
