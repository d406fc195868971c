/* weights.safetensors: per layer l and head h
 *
 *   layers.{l}.heads.{h}.beta    [letters, n_h]
 *   layers.{l}.heads.{h}.key     [letters, n_h, n]
 *   layers.{l}.heads.{h}.value   [letters, n_h, d]
 *   layers.{l}.heads.{h}.initial [n, d]
 *   layers.{l}.heads.{h}.gate    [letters]        (only if some gate is not 1)
 *   layers.{l}.heads.{h}.bias    [letters, n, d]  (only if some letter has a bias)
 *   layers.{l}.heads.{h}.codes   [codes, n, d]    the states that the decoder tells apart
 *   layers.{l}.heads.{h}.low, .high [codes, n, d] (only if codes stand for boxes: a state has the
 *                                                 code in whose boxes it lies)
 *
 * and per layer, as I32, the decoder: after letter x the layer gives, in the state with code c,
 * yield[yield_at[x] + part[c, reads[x]]], a letter of the next layer, or of the last one an index
 * of labels; -1 where no word leads:
 *
 *   layers.{l}.part     [codes, parts]
 *   layers.{l}.reads    [letters]
 *   layers.{l}.yield_at [letters]
 *   layers.{l}.yield    [entries]
 *
 * Letters with fewer factors are padded at the end with beta = 0. dtype: the one that is asked for,
 * or the narrowest of BF16, F16, F32, F64 that holds every number exactly, else F64. Where the type
 * does not hold every number, numbers are rounded to the nearest, and metadata rounding names the
 * type: "bf16", "f16", "f32" or "f64"; different codes may then have become equal. When the
 * dense tensors exceed 64 MiB, keys, values and codes are stored as .key_index (I32) / .key_value
 * [letters, n_h, nnz] with index -1 as padding (likewise .value_*); biases as
 * .bias_index / .bias_value [letters, nnz], with indices row * d + column.
 *
 * In raw heads keys and values are u and c as they are, not divided by |u|.
 *
 * Of a network with classes of letters the tensors of the first layer have a row for each class:
 * the metadata string letter_classes is a JSON array with the class of each letter, from 0, and
 * schema is "2".
 *
 * Metadata strings: schema ("1"), tool, format (the dtype's name in this program, such as "bf16"),
 * rounding ("exact" or the type), fsa_sha256, label ("states", ..), letters, states (JSON arrays in
 * automaton order), labels (a JSON array), start (index of the label of the empty word, unless
 * label is "edges"), raw (a JSON array of the raw heads, "layers.0.heads.0", ..) for a network that
 * has some, and basis ("orthonormal") for a network that has heads with a field or a form: the
 * numbers are then the rounded view's (models/network/net/net_orthonormal.h), in which these heads
 * have another basis than in network.lrnn. They are correctly rounded from the exact algebraic
 * numbers. The data lie by
 * decreasing element size, then by name, so that every tensor is aligned; the header's keys are
 * sorted and the header is padded with blanks to a multiple of 8 bytes. */
#ifndef F2L_WEIGHTS_H
#define F2L_WEIGHTS_H

#include "models/network/net/net.h"

/* The type of the numbers that is asked for. */
typedef enum f2l_weights_dtype {
    F2L_WEIGHTS_AUTO, /* the narrowest that holds every number exactly, else F64 */
    F2L_WEIGHTS_BF16,
    F2L_WEIGHTS_F16,
    F2L_WEIGHTS_F32,
    F2L_WEIGHTS_F64
} f2l_weights_dtype;

/* Returns the name that users have for it, "auto", "bf16", "f16", .., and NULL past the last. */
const char *f2l_weights_dtype_name(size_t dtype);

typedef struct f2l_weights_report {
    char dtype[8]; /* "BF16", "F16", "F32", "F64" */
    bool exact;    /* false: rounded to dtype */
    bool sparse;   /* the index/value layout was used */
    size_t bytes;
} f2l_weights_report;

/* Appends the file's bytes to *out; states are the automaton's; the tensors of stages are in
 * models/network/weights/wired_weights.h. F2L_EDOMAIN when the network is not
 * valid, its letters are not the automaton's, or a weight is too large for the type. */
f2l_status f2l_weights_write(f2l_buf *out, f2l_weights_report *report, const f2l_net *net,
                             const f2l_fsa *fsa, f2l_weights_dtype dtype, f2l_error *err);

#endif
