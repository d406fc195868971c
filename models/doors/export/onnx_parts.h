/* The parts of a network as nodes of the body of the Scan; private to the target onnx. */
#ifndef F2L_ONNX_PARTS_H
#define F2L_ONNX_PARTS_H

#include "models/doors/export/onnx_graph.h"

/* A head whose weights are constants of the graph. */
typedef struct f2l_onnx_head {
    char prefix[64]; /* "layers.0.heads.0" */
    size_t n, d, factors;
    bool gated, biased;
} f2l_onnx_head;

/* Describes the weights in *out, and, with `add`, adds them as constants. F2L_ENOMEM. */
f2l_status f2l_onnx_add_head(f2l_onnx_head *out, f2l_onnx *o, const char *prefix, size_t n,
                             size_t d, bool add, f2l_error *err);

/* Returns the state [B, n, d] after the letters x [B]. */
f2l_onnx_value f2l_onnx_step(f2l_onnx *o, const f2l_onnx_head *head, f2l_onnx_value state,
                             f2l_onnx_value x);

/* Returns the number [B] of the box (low, high, [codes, w]) nearest to the row of [B, w], the first
 * of equal ones; `high` may be the same value as `low`: boxes are codes. */
f2l_onnx_value f2l_onnx_nearest(f2l_onnx *o, f2l_onnx_value row, f2l_onnx_value low,
                                f2l_onnx_value high);

/* The states of all heads of all stages, in order. */
typedef struct f2l_onnx_states {
    size_t count, capacity;
    struct f2l_onnx_state {
        size_t stage, head, n, d;
        f2l_onnx_value before, after; /* in the body */
    } * state;                        /* [count] owned */
} f2l_onnx_states;

/* Adds the state of a head. Its initial value, the tensor of this name, becomes the constant
 * initial.STAGE.HEAD of shape [1, n, d], unless states are inputs. */
f2l_status f2l_onnx_add_state(f2l_onnx_states *states, f2l_onnx *o, size_t stage, size_t head,
                              const char *initial, f2l_error *err);

/* Add the layers, and the stages, of a network to the body: nodes from *x [B], which they read, and
 * the states before it to what they give, which *x becomes, and the states after it. Where there
 * are none, *x stays what it is. F2L_ENOMEM. */
f2l_status f2l_onnx_layers(f2l_onnx_value *x, f2l_onnx *o, f2l_onnx_states *states, f2l_error *err);
f2l_status f2l_onnx_stages(f2l_onnx_value *x, f2l_onnx *o, f2l_onnx_states *states, f2l_error *err);

#endif
