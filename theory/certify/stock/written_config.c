/* config.json: every member is known, and is what the stock model needs (EB.21). */
#include "theory/certify/stock/impl.h"
#include <math.h>
#include <string.h>

#define MOST ((json_int_t)1 << 20) /* of a size */
/* With it the norm of zeros is zero in fp32, too. */
#define LEAST_EPSILON 1e-30

typedef enum member_kind {
    SIZE,
    REAL,
    TRUTH,
    LIE,
    NOTHING,
    TEXT,
    TYPE,
    ARCHITECTURE,
    LAYERS
} member_kind;

typedef struct member {
    const char *name;
    member_kind kind;
    const char *text; /* of TEXT */
    size_t offset;    /* of SIZE and REAL in f2l_written_model */
} member;

#define AT(field) NULL, offsetof(f2l_written_model, field)
static const member common[] = {{"model_type", TYPE, NULL, 0},
                                {"architectures", ARCHITECTURE, NULL, 0},
                                {"vocab_size", SIZE, AT(vocab)},
                                {"hidden_size", SIZE, AT(width)},
                                {"intermediate_size", SIZE, AT(inner)},
                                {"num_hidden_layers", SIZE, AT(all_layers)},
                                {"tie_word_embeddings", LIE, NULL, 0},
                                {"pad_token_id", NOTHING, NULL, 0},
                                {"bos_token_id", NOTHING, NULL, 0},
                                {"eos_token_id", NOTHING, NULL, 0},
                                {NULL, LIE, NULL, 0}};
static const member deltanet[] = {{"attn_mode", TEXT, "chunk", 0},
                                  {"num_heads", SIZE, AT(heads)},
                                  {"expand_k", REAL, AT(expand_key)},
                                  {"expand_v", REAL, AT(expand_value)},
                                  {"qk_activation", TEXT, "identity", 0},
                                  {"qk_norm", TEXT, "l2", 0},
                                  {"use_beta", TRUTH, NULL, 0},
                                  {"use_gate", LIE, NULL, 0},
                                  {"use_short_conv", LIE, NULL, 0},
                                  {"allow_neg_eigval", TRUTH, NULL, 0},
                                  {"hidden_act", TEXT, "swish", 0},
                                  {"norm_eps", REAL, AT(epsilon)},
                                  {NULL, LIE, NULL, 0}};
static const member deltaproduct[] = {
    {"attn_mode", TEXT, "chunk", 0},        {"num_heads", SIZE, AT(heads)},
    {"head_dim", SIZE, AT(key_dim)},        {"expand_v", REAL, AT(expand_value)},
    {"num_householder", SIZE, AT(factors)}, {"use_forget_gate", LIE, NULL, 0},
    {"use_output_gate", LIE, NULL, 0},      {"use_short_conv", LIE, NULL, 0},
    {"allow_neg_eigval", TRUTH, NULL, 0},   {"hidden_act", TEXT, "swish", 0},
    {"norm_eps", REAL, AT(epsilon)},        {NULL, LIE, NULL, 0}};
static const member olmo[] = {{"layer_types", LAYERS, NULL, 0},
                              {"num_attention_heads", SIZE, AT(attention_heads)},
                              {"num_key_value_heads", SIZE, AT(attention_groups)},
                              {"linear_num_key_heads", SIZE, AT(heads)},
                              {"linear_num_value_heads", SIZE, AT(value_heads)},
                              {"linear_key_head_dim", SIZE, AT(key_dim)},
                              {"linear_value_head_dim", SIZE, AT(value_dim)},
                              {"linear_conv_kernel_dim", SIZE, AT(taps)},
                              {"linear_allow_neg_eigval", TRUTH, NULL, 0},
                              {"rope_parameters", NOTHING, NULL, 0},
                              {"hidden_act", TEXT, "silu", 0},
                              {"rms_norm_eps", REAL, AT(epsilon)},
                              {NULL, LIE, NULL, 0}};

/* The ways of running a model; keys are normalised into the model's type, but not where `wide_keys`
 * says so. */
static const f2l_written_kind kinds[] = {
    {.type = "delta_net",
     .architecture = "DeltaNetForCausalLM",
     .target = "fla-deltanet",
     .embedding = "model.embeddings",
     .before_mixer = "attn_norm",
     .before_mlp = "mlp_norm",
     .mixer = "attn",
     .path = {{"chunk (more than 64 tokens at once)", "chunk64", false, false},
              {"recurrent (at most 64 tokens, or a state carried on)", "recurrent", false, false}}},
    {.type = "gated_deltaproduct",
     .architecture = "GatedDeltaProductForCausalLM",
     .target = "fla-gated-deltaproduct",
     .embedding = "model.embeddings",
     .before_mixer = "attn_norm",
     .before_mlp = "mlp_norm",
     .mixer = "attn",
     .silu_keys = true,
     .path = {{"chunk (more than 64 tokens at once)", "chunk64", false, false},
              {"recurrent (at most 64 tokens at once)", "recurrent", true, false}}},
    {.type = "olmo_hybrid",
     .architecture = "OlmoHybridForCausalLM",
     .target = "olmo-hybrid",
     .embedding = "model.embed_tokens",
     .before_mixer = "input_layernorm",
     .before_mlp = "post_attention_layernorm",
     .mixer = "linear_attn",
     .hybrid = true,
     .silu_keys = true,
     .head_epsilon = 1e-5,
     .path = {{"chunk, in PyTorch (several tokens at once)", "chunk64", true, true},
              {"recurrent, in PyTorch (one token, with a cache)", "recurrent", true, true}}}};
static const member *const special[] = {deltanet, deltaproduct, olmo};

#define KINDS (sizeof kinds / sizeof *kinds)

f2l_status f2l_written_json(json_t **out, const f2l_buf *bytes, const char *what, f2l_error *err)
{
    json_error_t why;
    *out = json_loadb(bytes->data ? bytes->data : "", bytes->size, JSON_REJECT_DUPLICATES, &why);
    if (*out) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT, "%s, line %d, column %d: %.200s", what, why.line, why.column,
                    why.text);
}

f2l_status f2l_written_members(const json_t *object, const char *const *name, const char *what,
                               f2l_error *err)
{
    if (!json_is_object(object)) return f2l_fail(err, F2L_EFORMAT, "%s is no object", what);
    for (size_t i = 0; name[i]; i++)
        if (!json_object_get(object, name[i]))
            return f2l_fail(err, F2L_EDOMAIN, "%s has no %s", what, name[i]);
    for (void *at = json_object_iter((json_t *)object); at;
         at = json_object_iter_next((json_t *)object, at)) {
        size_t i = 0;
        while (name[i] && strcmp(name[i], json_object_iter_key(at)) != 0) i++;
        if (!name[i])
            return f2l_fail(err, F2L_EDOMAIN, "%s: the member %.80s is not known here", what,
                            json_object_iter_key(at));
    }
    return F2L_OK;
}

/* Returns whether the value is ["linear_attention", .., "full_attention"]. */
static bool are_layers(const json_t *value, size_t layers)
{
    bool right = json_array_size(value) == layers;
    for (size_t i = 0; right && i < layers; i++) {
        const char *text = json_string_value(json_array_get(value, i));
        right = text && strcmp(text, i + 1 < layers ? "linear_attention" : "full_attention") == 0;
    }
    return right;
}

static bool json_text_is(const json_t *value, const char *text)
{
    const char *given = json_string_value(value);
    return given && text && strcmp(given, text) == 0;
}

/* Takes the member's value; returns what it should have been, or NULL. */
static const char *take_config_member(f2l_written_model *m, const member *from, const json_t *value)
{
    void *at = (char *)m + from->offset;
    const json_int_t size = json_is_integer(value) ? json_integer_value(value) : 0;
    const double real = json_is_number(value) ? json_number_value(value) : -1;
    switch (from->kind) {
    case SIZE:
        *(size_t *)at = (size_t)size;
        return size >= 1 && size <= MOST ? NULL : "a number from 1 to 1048576";
    case REAL:
        *(double *)at = real;
        return real >= 0 && real <= (double)MOST ? NULL : "a number from 0 to 1048576";
    case TRUTH:
        return json_is_true(value) ? NULL : "true";
    case LIE:
        return json_is_false(value) ? NULL : "false";
    case NOTHING:
        return json_is_null(value) ? NULL : "null";
    case TEXT:
        return json_text_is(value, from->text) ? NULL : from->text;
    case TYPE:
        return json_text_is(value, m->kind->type) ? NULL : m->kind->type;
    case ARCHITECTURE:
        return json_array_size(value) == 1 &&
                       json_text_is(json_array_get(value, 0), m->kind->architecture)
                   ? NULL
                   : m->kind->architecture;
    case LAYERS:
        break;
    }
    return are_layers(value, m->all_layers) ? NULL : "linear_attention, and full_attention at last";
}

static f2l_status take_all(f2l_written_model *m, const member *members, json_t *config,
                           f2l_error *err)
{
    for (; members->name; members++) {
        const json_t *value = json_object_get(config, members->name);
        if (!value) return f2l_fail(err, F2L_EDOMAIN, "config.json has no %s", members->name);
        const char *wanted = take_config_member(m, members, value);
        if (wanted)
            return f2l_fail(err, F2L_EDOMAIN, "config.json: %s is not %s", members->name, wanted);
        (void)json_object_del(config, members->name);
    }
    return F2L_OK;
}

/* Sets the kind; returns the members that only it has, NULL where there is none of this type. */
static const member *find_kind(f2l_written_model *m, const json_t *config)
{
    for (size_t i = 0; i < KINDS; i++)
        if (json_text_is(json_object_get(config, "model_type"), kinds[i].type)) {
            m->kind = &kinds[i];
            return special[i];
        }
    return NULL;
}

static f2l_status find_config_format(f2l_written_model *m, json_t *config, f2l_error *err)
{
    const json_t *value = json_object_get(config, "dtype");
    m->format = json_text_is(value, "bfloat16")  ? f2l_format_find("bf16")
                : json_text_is(value, "float16") ? f2l_format_find("fp16")
                                                 : NULL;
    (void)json_object_del(config, "dtype");
    return m->format
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN, "config.json: dtype is neither bfloat16 nor float16");
}

/* Sets *out to total / parts, which must be a whole number of at least 1. */
static bool divide_evenly(size_t *out, double total, size_t parts)
{
    if (!(total >= 1 && total < 0x1p40) || total != floor(total) || (size_t)total % parts)
        return false;
    *out = (size_t)total / parts;
    return *out <= (size_t)MOST;
}

static f2l_status find_sizes(f2l_written_model *m, f2l_error *err)
{
    const double width = (double)m->width;
    bool whole = true;
    if (m->kind->hybrid) {
        if (m->value_heads != m->heads || m->taps != F2L_WRITTEN_TAPS)
            return f2l_fail(err, F2L_EDOMAIN,
                            "config.json: linear_num_value_heads is not linear_num_key_heads, or "
                            "linear_conv_kernel_dim is not %d",
                            F2L_WRITTEN_TAPS);
        if (m->width % m->attention_heads || m->attention_heads % m->attention_groups)
            return f2l_fail(err, F2L_EDOMAIN,
                            "config.json: heads of attention do not divide "
                            "hidden_size");
    } else if (m->key_dim) {
        whole = divide_evenly(&m->value_dim, (double)m->key_dim * m->expand_value, 1);
    } else {
        whole = divide_evenly(&m->key_dim, width * m->expand_key, m->heads) &&
                divide_evenly(&m->value_dim, width * m->expand_value, m->heads);
    }
    if (!m->factors) m->factors = 1;
    if (!whole)
        return f2l_fail(err, F2L_EDOMAIN,
                        "config.json: expand_k or expand_v gives no whole number");
    if (m->key_dim != 16 && m->key_dim != 64 && m->key_dim != 256)
        return f2l_fail(err, F2L_EDOMAIN,
                        "config.json: heads of %zu key coordinates: not 16, 64 or 256, so that the "
                        "scale of the output is rounded",
                        m->key_dim);
    if (!(m->epsilon >= LEAST_EPSILON && m->epsilon <= 1))
        return f2l_fail(err, F2L_EDOMAIN,
                        "config.json: the epsilon of the norms is not from 1e-30 to 1");
    m->layers = m->all_layers - m->kind->hybrid;
    return m->layers ? F2L_OK
                     : f2l_fail(err, F2L_EDOMAIN, "config.json: there is no layer of heads");
}

static f2l_status read_model_members(f2l_written_model *m, json_t *config, f2l_error *err)
{
    if (!json_is_object(config)) return f2l_fail(err, F2L_EFORMAT, "config.json is no object");
    const member *members = find_kind(m, config);
    if (!members)
        return f2l_fail(err, F2L_EDOMAIN,
                        "config.json: model_type is none of delta_net, gated_deltaproduct, "
                        "olmo_hybrid");
    f2l_status status = find_config_format(m, config, err);
    if (status == F2L_OK) status = take_all(m, common, config, err);
    if (status == F2L_OK) status = take_all(m, members, config, err);
    if (status == F2L_OK && json_object_size(config) > 0)
        return f2l_fail(err, F2L_EDOMAIN, "config.json: the member %.80s is not known here",
                        json_object_iter_key(json_object_iter(config)));
    return status == F2L_OK ? find_sizes(m, err) : status;
}

f2l_status f2l_written_config(f2l_written_model *m, const f2l_buf *bytes, f2l_error *err)
{
    json_t *config;
    f2l_status status = f2l_written_json(&config, bytes, "config.json", err);
    if (status == F2L_OK) status = read_model_members(m, config, err);
    json_decref(config);
    return status;
}
