/* The parts of the check of a stock model; private to this folder. `fault` is a text that says why
 * a number is not certain, NULL where it is. */
#ifndef F2L_CERTIFY_STOCK_IMPL_H
#define F2L_CERTIFY_STOCK_IMPL_H

#include "models/network/net/net.h"
#include "models/network/weights/safetensors_number.h"
#include "numeric/base/index.h"
#include "numeric/format/format.h"
#include "theory/certify/stock/stock.h"
#include <string.h>

#define F2L_WRITTEN_CHUNK 64 /* tokens of a chunk */
#define F2L_WRITTEN_TAPS 4   /* of a convolution */
#define F2L_WRITTEN_NONE UINT32_MAX
#define F2L_WRITTEN_TIE (UINT32_MAX - 1) /* as a label: several logits are largest */

/* --- arithmetic: EB.1, EB.20 --- */

/* A sum of exact terms: its value, the sum of absolute values, and the exponent of the lowest bit
 * that a term has. */
typedef struct f2l_written_sum {
    double value, size;
    int low;
    bool any;
} f2l_written_sum;

void f2l_written_add(f2l_written_sum *sum, double term);
/* Returns whether numbers of `precision` bits with the exponents of fp32 add it up exactly in any
 * order. */
bool f2l_written_fits(const f2l_written_sum *sum, int precision);

/* Set *out to silu(x), and to 2 sigmoid(x), rounded into the format. */
const char *f2l_written_silu(double *out, double x, const f2l_format *format);
const char *f2l_written_beta(double *out, double x, const f2l_format *format);
/* Sets *out to silu(gate) up, whether or not silu(gate) is rounded by itself. */
const char *f2l_written_gated(double *out, double gate, double up, const f2l_format *format);
/* Returns why the square of x may be no normal number of fp32, or NULL. */
const char *f2l_written_square_fault(double x);
/* Sets y[n] to the norm of x[n], whether or not it is rounded before the weights. `size` is the
 * number of coordinates; `others` is the sum of the squares of those beyond n. */
const char *f2l_written_norm(double *y, const double *x, const double *weight, size_t n,
                             size_t size, double others, double epsilon, const f2l_format *format);
/* Sets k[n] to x / |x|, or to zeros. *narrow, *wide become false where the normalisation, rounded
 * into the format or not, does not give this. */
const char *f2l_written_unit(double *k, const double *x, size_t n, const f2l_format *format,
                             bool *narrow, bool *wide);

/* --- the model --- */

typedef struct f2l_written_matrix {
    size_t rows, columns;
    size_t *first;    /* [rows + 1] */
    uint32_t *column; /* of the numbers that are not 0 */
    double *value;
} f2l_written_matrix;

static inline bool f2l_written_row_empty(const f2l_written_matrix *m, size_t row)
{
    return m->first[row] == m->first[row + 1];
}
/* Sets y[rows] to m x, rounded into the format. */
const char *f2l_written_map(double *y, const f2l_written_matrix *m, const double *x,
                            const f2l_format *format);

/* A way of running the model. */
typedef struct f2l_written_path {
    const char *name, *schedule;
    bool wide_keys; /* keys stay in fp32 */
    bool wide;      /* all of the heads is in fp32 */
} f2l_written_path;

typedef struct f2l_written_kind {
    const char *type, *architecture;
    const char *target;                                        /* of `export` */
    const char *embedding, *before_mixer, *before_mlp, *mixer; /* names of tensors */
    bool hybrid;         /* olmo_hybrid: convolutions, output gates, decay, attention */
    bool silu_keys;      /* queries and keys go through SiLU */
    double head_epsilon; /* of the norm of the heads; 0: the one of config.json */
    f2l_written_path path[F2L_STOCK_CHECK_PATHS];
} f2l_written_kind;

typedef struct f2l_written_layer {
    f2l_written_matrix query, key, value, beta, head_gate, output, gate, up, down;
    double *before_mixer, *before_mlp; /* [width] */
    double *head_norm;                 /* [value_dim] */
} f2l_written_layer;

typedef struct f2l_written_model {
    const f2l_written_kind *kind;
    const f2l_format *format;
    size_t vocab, width, inner, all_layers, heads, key_dim, value_dim, factors;
    size_t attention_heads, attention_groups; /* of the layer of attention */
    size_t value_heads, taps;                 /* of olmo_hybrid */
    double epsilon, expand_key, expand_value;
    size_t layers; /* without a layer of attention */
    f2l_written_matrix embedding, labels;
    double *last_norm; /* [width] */
    f2l_written_layer *layer;
    size_t numbers; /* of all tensors */
} f2l_written_model;

/* Returns the name of the format in config.json: "bfloat16" or "float16". */
static inline const char *f2l_written_type(const f2l_format *format)
{
    return strcmp(format->name, "bf16") == 0 ? "bfloat16" : "float16";
}

f2l_status f2l_written_config(f2l_written_model *out, const f2l_buf *bytes, f2l_error *err);
/* Reads the tensors after config.json. */
f2l_status f2l_written_tensors(f2l_written_model *out, const f2l_buf *bytes, f2l_error *err);
void f2l_written_model_clear(f2l_written_model *model);

/* Reads a JSON document without doubled names; the caller owns *out. */
f2l_status f2l_written_json(json_t **out, const f2l_buf *bytes, const char *what, f2l_error *err);

/* The files that a verdict is about. */
extern const char *const f2l_written_file[F2L_STOCK_HASHED];

/* Looks whether the object has exactly the members `name`, NULL-terminated; `what` is its place. */
f2l_status f2l_written_members(const json_t *object, const char *const *name, const char *what,
                               f2l_error *err);

/* What prefix.json and export.json say. */
typedef struct f2l_written_about {
    f2l_names letters, labels;
    f2l_label label;
    size_t start; /* label of the empty word, F2L_NO_INDEX: none */
    char fsa_sha256[65];
    size_t fsa_states;
    uint32_t *prefix; /* [tokens] */
    size_t tokens;
    bool claimed[F2L_STOCK_CHECK_PATHS];
} f2l_written_about;

f2l_status f2l_written_about_read(f2l_written_about *out, const f2l_written_model *model,
                                  const f2l_stock_files *files, f2l_error *err);
void f2l_written_about_clear(f2l_written_about *about);

/* --- rows of numbers, each kept once --- */

typedef struct f2l_written_rows {
    size_t length, capacity;
    double *number; /* [index.count][length] */
    f2l_index index;
} f2l_written_rows;

/* Sets *id to the number of the row, which is added unless it is there. */
f2l_status f2l_written_rows_add(uint32_t *id, f2l_written_rows *rows, const double *row,
                                const f2l_task *task, f2l_error *err);
const double *f2l_written_row(const f2l_written_rows *rows, uint32_t id);
void f2l_written_rows_clear(f2l_written_rows *rows);

/* --- the stream --- */

/* The channels of the stream that are read, or added to, from a place on. Of the others only the
 * sum of the squares matters, for the norms. A stream is kept as the numbers of these channels, and
 * this sum. */
typedef struct f2l_written_live {
    uint32_t *channel; /* [count] increasing */
    size_t count;
} f2l_written_live;

/* Finds the channels that matter to the layers from `layer` on and to the logits. */
f2l_status f2l_written_live_find(f2l_written_live *out, const f2l_written_model *model,
                                 size_t layer, f2l_error *err);
/* Sets x[width], with zeros in the other channels; returns their sum of squares. */
double f2l_written_expand(double *x, size_t width, const f2l_written_live *live, const double *row);
/* Sets row[count + 1] from x[width] and the sum of squares of channels that x does not hold. */
const char *f2l_written_reduce(double *row, const f2l_written_live *live, const double *x,
                               size_t width, double squares);

/* --- layers on what they read --- */

/* The part of a head's state that may be other than 0. */
typedef struct f2l_written_head {
    size_t rows, columns;
    uint32_t *row, *column; /* their numbers in the head */
    size_t state;           /* where it begins in a layer's state, [rows][columns] */
    size_t query, gate;     /* where they begin in a letter: [rows], [columns] */
    size_t factor;          /* where factor 0 begins: beta, key [rows], value [columns] */
} f2l_written_head;

/* A layer: what it reads (streams), the letters that these give for its heads, its states (codes),
 * and the results of pairs (stream, code). */
typedef struct f2l_written_stage {
    const f2l_written_model *model;
    const f2l_written_layer *layer;
    f2l_written_head *head; /* [heads] */
    size_t factor_size;     /* from one factor of a letter to the next */
    f2l_written_live live;  /* channels of its streams */
    f2l_written_rows stream, letter, code, pair;
    uint32_t *letter_of;   /* [streams] F2L_WRITTEN_NONE: not certain */
    uint32_t *next_stream; /* [pairs] F2L_WRITTEN_NONE: not certain */
    uint32_t *next_code;   /* [pairs] */
    size_t letters_room, next_room, codes_room;
    bool *letter_in_words, *code_in_words; /* used by words, not only by the prefix */
    size_t letter_words_room;
    double *room; /* scratch */
} f2l_written_stage;

/* In a letter: the last two numbers are 1 where its keys and query are exact when they are rounded
 * into the format, and when they are kept in fp32. */
#define F2L_WRITTEN_FLAGS 2

f2l_status f2l_written_stage_init(f2l_written_stage *stage, const f2l_written_model *model,
                                  size_t layer, f2l_error *err);
void f2l_written_stage_clear(f2l_written_stage *stage);
/* In the following x[width] is a stream, without the channels of which `squares` is the sum of
 * squares. The first makes the letter that the layer's heads read. The others add to the stream
 * what the heads add, which sets next[] to the state after the letter, and what the SwiGLU block
 * adds. */
const char *f2l_written_letter(double *letter, f2l_written_stage *stage, const double *x,
                               double squares);
const char *f2l_written_mix(double *x, double *next, f2l_written_stage *stage, const double *letter,
                            const double *state);
const char *f2l_written_mlp(double *x, f2l_written_stage *stage, double squares);

/* --- the search --- */

typedef struct f2l_written_search {
    const f2l_written_model *model;
    const f2l_written_about *about;
    const f2l_fsa *fsa;
    f2l_meter meter;
    f2l_written_stage *stage; /* [layers] */
    f2l_written_live live;    /* channels of the logits */
    f2l_written_rows last;    /* streams after the last layer */
    uint32_t *label;          /* [of `last`] F2L_WRITTEN_NONE: not certain */
    size_t label_room;
    uint32_t *token;         /* [letters of the automaton] its token */
    uint32_t *start;         /* [layers] codes after the prefix */
    uint32_t *prefix_letter; /* [layers][tokens of the prefix] */
    f2l_written_rows node;   /* codes of all layers, state of the automaton */
    uint32_t *parent, *by;   /* [nodes] */
    size_t parent_room, by_room;
    char unknown[256]; /* the first reason why a step is not certain */
    bool wrong;
    uint32_t wrong_node, wrong_letter; /* F2L_WRITTEN_NONE: the empty word */
    uint32_t wrong_answer;
    const char *expected;
} f2l_written_search;

/* Makes room for entry `index` of a table, with zeros. */
f2l_status f2l_written_room_for(void **table, size_t *capacity, size_t index, size_t size,
                                f2l_error *err);
/* Adds a stream that layer `at` reads, or that comes after the last; *id is F2L_WRITTEN_NONE where
 * it is not certain. */
f2l_status f2l_written_add_stream(uint32_t *id, f2l_written_search *search, size_t at,
                                  const double *x, double squares, f2l_error *err);
/* Steps a layer; *stream becomes F2L_WRITTEN_NONE where something is not certain. */
f2l_status f2l_written_step_layer(uint32_t *stream, uint32_t *code, f2l_written_search *search,
                                  size_t layer, f2l_error *err);
/* Finds the label of a stream after the last layer; F2L_WRITTEN_NONE where it is not certain. */
f2l_status f2l_written_find_label(uint32_t *label, f2l_written_search *search, uint32_t stream,
                                  f2l_error *err);

/* Runs the model on the prefix and then on all words, up to the first wrong answer. */
f2l_status f2l_written_search_all(f2l_written_search *search, f2l_error *err);
f2l_status f2l_written_search_init(f2l_written_search *search, const f2l_written_model *model,
                                   const f2l_written_about *about, const f2l_fsa *fsa,
                                   const f2l_task *task, f2l_error *err);
void f2l_written_search_clear(f2l_written_search *search);

/* --- the heads --- */

/* Return whether words use the letter, and lead to the code. */
static inline bool f2l_written_letter_used(const f2l_written_stage *g, size_t letter)
{
    return letter < g->letter_words_room && g->letter_in_words[letter];
}
static inline bool f2l_written_code_used(const f2l_written_stage *g, size_t code)
{
    return code < g->codes_room && g->code_in_words[code];
}

static inline bool f2l_written_all_zero(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0) return false;
    return true;
}

/* Returns a factor of a head in a letter: beta, key [rows], value [columns]. */
static inline const double *f2l_written_factor_of(const f2l_written_stage *g, const double *letter,
                                                  size_t head, size_t factor)
{
    return letter + g->head[head].factor + factor * g->factor_size;
}

/* Builds the network of the heads: a letter for every letter that words use, a code for every state
 * that they lead to. *out is initialised. */
f2l_status f2l_written_net(f2l_net *out, const f2l_written_search *search, f2l_error *err);
/* Returns why the prefix may round in the heads, or NULL: EB.25. Writes into `room`. */
const char *f2l_written_prefix_fault(char room[200], const f2l_written_search *search);
/* Decides whether anything rounds in the heads on this path: in the network, and in the
 * normalisation of keys and queries. `net` is NULL where no word was read. */
f2l_status f2l_written_heads(f2l_stock_path_verdict *out, const f2l_written_search *search,
                             const f2l_net *net, const f2l_written_path *path, const f2l_task *task,
                             f2l_error *err);

#endif
