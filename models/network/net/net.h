/* Networks: stacked linear RNN layers with exact weights, rational or real algebraic, and their
 * decoders.
 *
 * Layer l reads a letter x (layer 1: a letter of the automaton, or the class of one,
 * models/network/net/letter_classes.h; layer l > 1: the symbol that layer l-1 gave). Each of its
 * heads holds S in Q^{n x d} (n = key dimension, d = value dimension) and does, right action,
 * factor 1 first,
 *
 *     S <- gate(x) S
 *     S <- S - (beta / u^T u) u (u^T S - c^T)        for every factor (beta, u, c) of the letter
 *
 * which is the DeltaProduct step with key k = u/|u|, value v = c/|u|: I - beta k k^T is a
 * generalized Householder matrix with 0 <= beta <= 2 (theory/pages/index.md, Layer; [D]). u is any
 * non-zero vector, so nothing needs a square root.
 *
 * After the factors a letter may add a bias: S <- S + b(x), the general B(x) of [U]. In a raw head
 * a factor does
 *
 *     S <- S - beta u (u^T S - c^T),      0 <= beta, beta u^T u <= 2,
 *
 * the same class of matrices; the weights are then the numbers that a format rounds.
 *
 * A head may work over a real number field K = Q(alpha) instead of Q, and declare a symmetric
 * positive definite form G over it (theory/pages/formats.md, F9; models/network/net/head_field.h).
 * Then
 *
 *     S <- S - (beta / u^T G u) u (u^T G S - c^T)
 *
 * which is the step above in an orthonormal basis of G. beta and gates are rational.
 *
 * Decoder: y = dec(S, x). The local state of a layer is the tuple of its heads' S; the decoder
 * lists some local states (codes, pairwise distinct) and gives a symbol per code, or per (letter,
 * code). The last layer's symbols are the labels of the network; layer l's symbols otherwise are
 * the letters of layer l+1. The empty word has the label `start`; layers are not decoded at t = 0.
 *
 * A layer may give every code a box, an interval with rational ends for every number of the state
 * (theory/pages/decay.md). Then the code represents all states in its box, of which there may be
 * infinitely many: exact arithmetic decodes a state as the code whose box holds it, and steps a
 * code to another code when it maps the whole box into the other code's box. Number formats still
 * take the nearest code, so boxes must lie where the nearest code is their own: each box holds its
 * code, and everywhere in it this code is nearer than every other one. Heads of such a layer are
 * over Q, without a form. */
#ifndef F2L_NET_H
#define F2L_NET_H

#include "automata/fsa/fsa.h"
#include "models/network/net/letter_classes.h"
#include "numeric/base/task.h"
#include "numeric/exact/qvec.h"

#define F2L_NO_SYMBOL UINT32_MAX

/* Limits of f2l_net_validate and the reader: numbers in one head's state (n * d; n * d * degree in
 * a head with a field or a form), key dimension of a head with a field or a form, entries of one
 * decoder table (letters * codes when by_letter), decimal digits of a numerator or denominator. */
#define F2L_MAX_STATE ((size_t)1 << 26)
#define F2L_MAX_FIELD_STATE ((size_t)1 << 20)
#define F2L_MAX_FIELD_KEY ((size_t)256)
#define F2L_MAX_TABLE ((size_t)1 << 28)
#define F2L_MAX_DIGITS 4096

/* Sizes in bytes, and so in steps (numeric/base/task.h), of a transition without factors, a factor
 * without entries, and an entry of a vector, each with its numbers. */
#define F2L_TRANSITION_STEPS 160
#define F2L_FACTOR_STEPS 240
#define F2L_ENTRY_STEPS 100
/* Least number of factors between two polls. */
#define F2L_FACTORS_PER_POLL ((size_t)4096)

typedef struct f2l_factor {
    mpq_t beta; /* in [0, 2]; in a raw head beta >= 0 and beta u^T u in [0, 2] */
    f2l_qvec u; /* indices < n, not zero */
    f2l_qvec c; /* indices < d; empty: nothing is written */
} f2l_factor;

typedef struct f2l_transition {
    mpq_t gate;         /* in [0, 1] */
    f2l_factor *factor; /* [factors], factor[0] is applied first */
    size_t factors;
    f2l_qvec bias; /* added after the last factor, index = row * d + column; usually empty. Only
                      over Q, no form */
} f2l_transition;

struct f2l_field;

/* The vectors of a head over a field of degree r hold coefficients of powers of alpha: entry i is
 * the sum of alpha^p times the stored number at i * r + p, p < r. 1, alpha, .. are independent over
 * Q, so equal vectors are equal as data. Over Q r is 1. */
typedef struct f2l_head {
    size_t n, d;
    struct f2l_field *field; /* of degree >= 2, owned; NULL: the field is Q */
    f2l_qvec form;           /* G, index = row * n + column, symmetric; empty: the identity */
    f2l_qvec initial;        /* H_0, index = row * d + column */
    f2l_transition *letter;  /* [layer letters] */
    bool raw;  /* keys are used as stored: a factor does S <- S - beta u (u^T S - c^T), no format
                * normalises keys. Only over Q without a form */
    bool unit; /* only in a rounded view (models/network/net/net_orthonormal.h): keys count as
                * having length 1 as stored */
} f2l_head;

typedef struct f2l_layer {
    size_t letters, heads;
    f2l_head *head; /* [heads] */
    size_t codes;
    f2l_qvec *code;       /* [codes][heads], index = row * d + column: code[c * heads + h] */
    f2l_qvec *low, *high; /* likewise, the ends of the boxes, which are part of the boxes; NULL:
                           * codes are points */
    /* Symbols, F2L_NO_SYMBOL where undefined; f2l_layer_symbol looks one up.
     * - state: symbol[code]
     * - step (by_letter): symbol[letter * codes + code]
     * - part (parts > 0): every code has `parts` values, of which the decoder reads one, chosen by
     *   the letter: symbol[symbol_at[letter] + part[code * parts + reads[letter]]]. So a layer with
     *   a saved register needs no table over pairs of old and new content. */
    bool by_letter;
    uint32_t *symbol;
    size_t parts;
    size_t *part_values; /* [parts] values of a part are 0 .. part_values - 1 */
    uint32_t *part;      /* [codes][parts] */
    uint32_t *reads;     /* [letters] */
    size_t *symbol_at;   /* [letters + 1] */
    size_t symbols;      /* number of symbols: letters of the next layer, or labels */
} f2l_layer;

typedef struct f2l_net {
    char fsa_sha256[65];        /* SHA-256 of OUT/automaton.fsa */
    f2l_label label;            /* kind of the labels */
    f2l_names letters;          /* as in the automaton */
    f2l_letter_classes classes; /* of letters; before a network and an automaton are compared, both
                                 * have their letters merged by class (f2l_letter_classes_merge,
                                 * f2l_fsa_merge_letters) */
    f2l_names labels;
    size_t start; /* label of the empty word; F2L_NO_INDEX with F2L_LABEL_EDGES, where the empty
                   * word has no label */
    bool fitted;  /* the codes are fitted to states of a trained network, whose read-out is another
                   * one (models/doors/checkpoint/fit.h) */
    size_t layers;
    f2l_layer *layer;
    /* In the place of layers, stages whose tokens are tuples of wires
     * (models/network/net/wired.h). */
    size_t tables, blocks, stages;
    struct f2l_wired_table *table;
    struct f2l_wired_block *block;
    struct f2l_wired_stage *stage;
} f2l_net;

/* Returns whether the network has stages in the place of layers. */
static inline bool f2l_net_is_wired(const f2l_net *net)
{
    return net->stages > 0;
}

void f2l_net_init(f2l_net *net);
void f2l_net_clear(f2l_net *net);

/* Make zeroed arrays in an initialised network; every mpq and qvec in them is initialised,
 * gate = 1, symbols are F2L_NO_SYMBOL. Old contents are cleared first. Codes come last with
 * f2l_layer_set_codes: changing the heads drops them. On failure the part is left empty. */
f2l_status f2l_net_set_layers(f2l_net *net, size_t layers, f2l_error *err);
f2l_status f2l_layer_set_heads(f2l_layer *layer, size_t letters, size_t heads, f2l_error *err);
f2l_status f2l_transition_set_factors(f2l_transition *transition, size_t factors, f2l_error *err);
f2l_status f2l_layer_set_codes(f2l_layer *layer, size_t codes, size_t symbols, bool by_letter,
                               f2l_error *err);
/* Adds boxes, after f2l_layer_set_codes; their ends are zero at first. */
f2l_status f2l_layer_set_boxes(f2l_layer *layer, f2l_error *err);
/* Makes a part decoder, after f2l_layer_set_codes(.., by_letter = false, ..): values [parts], reads
 * [letters] < parts. Codes' parts are zero and all symbols F2L_NO_SYMBOL at first. */
f2l_status f2l_layer_set_parts(f2l_layer *layer, size_t parts, const size_t *values,
                               const uint32_t *reads, f2l_error *err);

/* Returns whether gates, factors and biases are equal, number by number. */
bool f2l_transition_equal(const f2l_transition *a, const f2l_transition *b);

/* Returns whether to poll before the next letter, which has `factors` factors, and updates *done,
 * which is zero at first. */
static inline bool f2l_net_poll_due(size_t *done, size_t factors)
{
    const bool due = *done >= F2L_FACTORS_PER_POLL;
    *done = due ? factors : *done + factors;
    return due;
}

/* Return sums of weights, for numeric/base/task.h: the first over the letters of a head, with
 * weights for each transition, factor and entry of a key; the second over the codes of a layer,
 * with weights for each code and entry. */
uint64_t f2l_head_weigh(const f2l_head *head, size_t letters, uint64_t transition, uint64_t factor,
                        uint64_t entry);
uint64_t f2l_codes_weigh(const f2l_layer *layer, uint64_t code, uint64_t entry);
/* Returns the steps of one letter of a layer in a number format, the mean over its letters. */
uint64_t f2l_layer_letter_steps(const f2l_layer *layer);

/* Returns the numbers in the states of all heads of a layer, [n][d] each. */
size_t f2l_layer_numbers(const f2l_layer *layer);
/* Returns the steps of one letter in exact arithmetic, from a code to a code. */
uint64_t f2l_exact_layer_steps(const f2l_layer *layer);
/* Returns the sum of f2l_layer_letter_steps over all layers. */
uint64_t f2l_net_letter_steps(const f2l_net *net);

/* Returns the decoder's symbol in state `code` after `letter`, or F2L_NO_SYMBOL. */
static inline uint32_t f2l_layer_symbol(const f2l_layer *layer, size_t letter, size_t code)
{
    if (layer->parts > 0)
        return layer->symbol[layer->symbol_at[letter] +
                             layer->part[code * layer->parts + layer->reads[letter]]];
    return layer->symbol[layer->by_letter ? letter * layer->codes + code : code];
}

/* Figures of a network, for the summary, the report and the certificate's claim: maxima over
 * layers, heads, letters, except `states`, the total of n * d over all heads, and `heads`, the most
 * in one layer. Of stages those with heads count as layers. */
typedef struct f2l_net_size {
    size_t layers, heads, householders, key_dim, value_dim, states;
    size_t codes;             /* the most of a layer; 0 for stages */
    size_t factors_per_token; /* maximum over letters of the factors summed over heads of a layer,
                                 summed over layers; of a stage, the sum over the slots of its heads
                                 of the most factors of a value */
    size_t gates;             /* look-ups of the stages for a token */
    size_t table_entries;     /* of all decoders of layers, and of all tables, each once */
    size_t parameters;        /* numbers of the dense tensors of weights.safetensors (of
                                 models/network/weights/weights.h): all but the decoders; of all
                                 blocks, each once, and of the initial states of stages */
} f2l_net_size;
void f2l_net_measure(f2l_net_size *out, const f2l_net *net);

/* Returns whether some factor has beta > 1, so that its Householder matrix has a negative
 * eigenvalue. */
bool f2l_net_reflects(const f2l_net *net);

/* Returns the number of codes of a joint state: one for each layer, then one for each readout of
 * all stages. */
size_t f2l_net_joint(const f2l_net *net);

/* Returns whether some layer has boxes: then exact states may be infinitely many, or differ from
 * the codes. */
bool f2l_net_has_boxes(const f2l_net *net);
/* Returns whether some letter's gate is not 1. All gates of wired networks are 1. */
bool f2l_net_has_gates(const f2l_net *net);

/* Fails with F2L_EDOMAIN unless the network has layers. */
f2l_status f2l_net_check_layers(const f2l_net *net, f2l_error *err);
/* Fails with F2L_EDOMAIN unless there are stages as f2l_wired_validate (models/network/net/wired.h)
 * requires and no layers, or layers with weights in the declared class: 0 <= beta <= 2, u != 0,
 * 0 <= gate <= 1, in raw heads beta u^T u <= 2 instead of beta <= 2, raw heads and biases only over
 * Q without a form, forms symmetric and positive definite, indices in range, codes pairwise
 * distinct, boxes as described above, symbols in range, sizes within the limits above, and as many
 * symbols in every layer as the next layer has letters. The text names layer, head, letter, factor
 * (1-based). A field comes from f2l_field_build: its polynomial is not checked again. fsa_sha256 is
 * not checked. */
f2l_status f2l_net_validate(const f2l_net *net, f2l_error *err);
/* Validates within a task. */
f2l_status f2l_net_validate_within(const f2l_net *net, const f2l_task *task, f2l_error *err);

/* Write and read the text form (grammar in docs/man/lrnn.5), one spelling per
 * value. Writing refuses (F2L_EDOMAIN) a network that f2l_net_validate refuses, or whose fsa_sha256
 * is not 64 lower-case hexadecimal digits, or a rounded view. Reading accepts exactly the output of
 * writing, so that reading and writing are inverse (a form that is the identity is not written, and
 * so read as no form); anything else is F2L_EFORMAT with line and column. Memory stays proportional
 * to the bytes read, whatever their counts claim, apart from a step decoder's table. *out is
 * initialised by the caller and empty. */
f2l_status f2l_net_write(f2l_buf *out, const f2l_net *net, f2l_error *err);
f2l_status f2l_net_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err);

#endif
