/* Building an ONNX graph: a main graph with the constants and one Scan, whose body steps all layers
 * by one letter. Private to this folder.
 *
 * A value is known by its name. Failures are remembered as in f2l_buf. Fields and types
 * have the numbers of onnx.proto (ONNX 1.10, IR version 8, operators of version 15). */
#ifndef F2L_ONNX_GRAPH_H
#define F2L_ONNX_GRAPH_H

#include "models/doors/export/protobuf.h"
#include "models/network/weights/safetensors_number.h"
#include <stdbool.h>

typedef struct f2l_onnx_value {
    char name[80];
} f2l_onnx_value;

/* Types of tensors. */
typedef enum f2l_onnx_type {
    F2L_ONNX_FLOAT = 1,
    F2L_ONNX_INT64 = 7,
    F2L_ONNX_DOUBLE = 11
} f2l_onnx_type;

/* A graph: serialised fields of a GraphProto, by kind. */
typedef struct f2l_onnx_graph {
    f2l_buf nodes, constants, inputs, outputs;
} f2l_onnx_graph;

typedef struct f2l_onnx {
    f2l_safetensors_file weights; /* the source of all numbers */
    f2l_onnx_type type;           /* of the numbers: FLOAT or DOUBLE */
    bool streams;                 /* the states before the first letter are inputs */
    f2l_onnx_graph main, body;
    f2l_onnx_graph *at; /* the graph that nodes go to */
    size_t values;      /* number of values that were named by number */
} f2l_onnx;

void f2l_onnx_graph_clear(f2l_onnx_graph *graph);

/* Returns the value of this name, which is given as for printf. */
f2l_onnx_value f2l_onnx_named(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Finds a tensor of the weights, whose name is given as for printf. */
f2l_safetensors_tensor f2l_onnx_tensor(const f2l_onnx *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns whole number i of a tensor of integers. */
int64_t f2l_onnx_integer(const f2l_safetensors_tensor *t, size_t i);

/* Adds a constant of the main graph, which the body sees too: integers, or numbers in o->type,
 * row-major. Returns its value. */
f2l_onnx_value f2l_onnx_integers(f2l_onnx *o, f2l_onnx_value name, const int64_t *value,
                                 size_t dims, const int64_t *dim);
f2l_onnx_value f2l_onnx_numbers(f2l_onnx *o, f2l_onnx_value name, const double *value, size_t dims,
                                const int64_t *dim);
/* Adds a constant of one dimension that has the integers of the tensor. F2L_ENOMEM. */
f2l_status f2l_onnx_copy_integers(f2l_onnx *o, f2l_onnx_value name, const f2l_safetensors_tensor *t,
                                  f2l_error *err);
/* Adds an unnamed constant: a list of integers. */
f2l_onnx_value f2l_onnx_list(f2l_onnx *o, const int64_t *value, size_t count);

/* Add a node with one output to the graph o->at. `axis` is its attribute axis; F2L_ONNX_NO_AXIS:
 * it has none. */
#define F2L_ONNX_NO_AXIS INT64_MIN
f2l_onnx_value f2l_onnx_node(f2l_onnx *o, const char *operation, int64_t axis,
                             const f2l_onnx_value *input, size_t inputs);
f2l_onnx_value f2l_onnx_one(f2l_onnx *o, const char *operation, f2l_onnx_value a);
f2l_onnx_value f2l_onnx_two(f2l_onnx *o, const char *operation, f2l_onnx_value a, f2l_onnx_value b);
/* Returns table[index] along dimension 0. */
f2l_onnx_value f2l_onnx_gather(f2l_onnx *o, f2l_onnx_value table, f2l_onnx_value index);
/* Cuts dimension 1 into `parts` pieces of these sizes. */
void f2l_onnx_split(f2l_onnx *o, f2l_onnx_value *out, f2l_onnx_value a, const int64_t *size,
                    size_t parts);
/* Returns the sum of a [.., D] over its last dimension, number 2. */
f2l_onnx_value f2l_onnx_sum(f2l_onnx *o, f2l_onnx_value a);
/* Returns the number of the least of a [B, C] along dimension 1, the first of equal ones. */
f2l_onnx_value f2l_onnx_least(f2l_onnx *o, f2l_onnx_value a);

/* Adds the value to a list of inputs or outputs. Dimensions are whole numbers, or -1, -2 for the
 * names "B", "T". */
void f2l_onnx_declare(f2l_buf *list, unsigned field, f2l_onnx_value value, f2l_onnx_type type,
                      size_t dims, const int64_t *dim);
#define F2L_ONNX_INPUT 11
#define F2L_ONNX_OUTPUT 12

/* Adds a node Scan to the main graph that goes through the values `scanned` [B, T] along T with the
 * body; states are its states before, and `end` its states after; returns what it gives,
 * [B, T]. Clears the body. */
f2l_onnx_value f2l_onnx_scan(f2l_onnx *o, f2l_onnx_value scanned, const f2l_onnx_value *states,
                             const f2l_onnx_value *end, size_t count);

/* Appends a ModelProto with the main graph, which is cleared, and metadata[pairs][2]. */
void f2l_onnx_model(f2l_buf *out, f2l_onnx *o, const char *const (*metadata)[2], size_t pairs);

#endif
