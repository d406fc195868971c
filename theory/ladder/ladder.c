#include "theory/ladder/ladder.h"
#include "theory/ladder/impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- members --- */

/* Reads n_h, of which there is one at least. */
static size_t read_householders(f2l_config_members *m, const char *name, size_t usual)
{
    const size_t n = f2l_config_count(m, name, usual);
    if (n == 0) f2l_config_refuse(m, F2L_EFORMAT, name, "is 0: a letter has one factor at least");
    return n;
}

/* Sets a number, which may be the object {"__float__": "Infinity"} of transformers 5. */
static bool read_bound(double *out, const json_t *value)
{
    const char *name = json_string_value(json_object_get(value, "__float__"));
    *out = name ? HUGE_VAL : json_number_value(value);
    return json_is_number(value) || (name && strcmp(name, "Infinity") == 0);
}

/* Reads a range of two numbers, and returns its lower end; `usual` where it is missing. */
static double read_least(f2l_config_members *m, const char *name, double usual)
{
    const json_t *value = f2l_config_get(m, name);
    if (!value) return usual;
    double low = 0, high = 0;
    if (json_array_size(value) != 2 || !read_bound(&low, json_array_get(value, 0)) ||
        !read_bound(&high, json_array_get(value, 1))) {
        f2l_config_refuse(m, F2L_EFORMAT, name,
                          "is an open range: two numbers are expected, the least and the largest");
    } else if (low > high) {
        f2l_config_refuse(m, F2L_EFORMAT, name,
                          "is an empty range: its least number is the larger");
    } else if (low < 0) {
        f2l_config_refuse(m, F2L_EFORMAT, name, "begins below 0, where steps are not");
    } else if (high == 0) {
        f2l_config_refuse(m, F2L_EFORMAT, name, "ends at 0: nothing would ever be written");
    }
    return low;
}

/* --- the rung --- */

/* Returns whether every automaton has a network of the class. */
static bool has_reflections(f2l_ladder_class row)
{
    static const f2l_ladder_class all[] = {
        F2L_LADDER_DELTANET,    F2L_LADDER_DELTAPRODUCT, F2L_LADDER_GATED, F2L_LADDER_KDA,
        F2L_LADDER_GDN2_DOUBLE, F2L_LADDER_COMPLEX_KDA,  F2L_LADDER_PATH};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (row == all[i]) return true;
    return false;
}

/* Returns whether networks of the row have as many factors for a letter as they need. */
static bool has_products(f2l_ladder_class row)
{
    return row == F2L_LADDER_DELTAPRODUCT || row == F2L_LADDER_GATED;
}

/* Returns whether gates are below 1 at the ends of their range, too. */
static bool always_decays(const f2l_ladder_config *config)
{
    return config->gates == F2L_GATES_DECAY || config->gates == F2L_GATES_FIXED;
}

const char *f2l_ladder_config_claim(const f2l_ladder_config *config)
{
    if (config->partial && config->row == F2L_LADDER_HYBRID_LETTERS)
        return "automata in which no letter acts as a cycle can (L.8, RL.17); others are not "
               "known: attention reads a part of the positions only";
    if (config->partial && !has_reflections(config->row))
        return config->row == F2L_LADDER_TRANSFORMER
                   ? "not known: attention reads a part of the positions only"
                   : "aperiodic automata can (L.8); others are not known: attention reads a part "
                     "of the positions only";
    if (has_products(config->row)) /* with any n_h, as with one factor */
        return f2l_ladder_models[F2L_LADDER_DELTANET].claim;
    if (config->attends || !always_decays(config)) return f2l_ladder_models[config->row].claim;
    return f2l_ladder_reach_claim(config->gates == F2L_GATES_DECAY ? F2L_REACH_DEFINITE
                                                                   : F2L_REACH_FIXED);
}

/* Returns the rung of recurrent layers with layers of attention between them (RL.14), or refuses
 * layers of which it says nothing. */
static f2l_ladder_class put_attention(f2l_config_members *m, f2l_ladder_class base)
{
    switch (base) {
    case F2L_LADDER_DIAGONAL_POSITIVE:
    case F2L_LADDER_DIAGONAL_COMPLEX:
    case F2L_LADDER_MAMBA3:
        return F2L_LADDER_HYBRID_DIAGONAL;
    case F2L_LADDER_TRANSFORMER:
        return base;
    case F2L_LADDER_DELTANET_POSITIVE:
    case F2L_LADDER_DELTAPRODUCT_POSITIVE:
    case F2L_LADDER_GATED_POSITIVE:
    case F2L_LADDER_KDA_POSITIVE:
        return F2L_LADDER_HYBRID_POSITIVE;
    case F2L_LADDER_GDN2:
    case F2L_LADDER_RWKV7:
        return F2L_LADDER_HYBRID_LETTERS;
    default:
        if (!has_reflections(base))
            f2l_config_refuse(m, F2L_EDOMAIN, "attn",
                              "gives layers to attention beside layers of this kind: no row is "
                              "about both together");
        return base;
    }
}

/* Says which setting gives the range: "allow_neg_eigval = false, the default". */
static void say_setting(f2l_ladder_config *out, const f2l_config_members *m, const char *name,
                        bool value)
{
    snprintf(out->setting, sizeof out->setting, "%s = %s%s", name, value ? "true" : "false",
             f2l_config_has(m, name) ? "" : ", the default");
}

/* Sets the range of beta, and the setting that would make it [0,2]. */
static void read_signed(f2l_ladder_config *out, f2l_config_members *m, const char *what)
{
    const f2l_layer_class *c = out->class;
    const bool negative = f2l_config_flag(m, c->sign, c->is_signed);
    say_setting(out, m, c->sign, negative);
    out->base = negative ? c->high : c->low;
    snprintf(out->range, sizeof out->range, "%s in [0,%d]", what, negative ? 2 : 1);
    if (!negative)
        snprintf(
            out->change, sizeof out->change,
            "%s = true: then every automaton, L.10; without rounding a rate stays below 2, and "
            "nothing is gained (RL.3)",
            c->sign);
}

static void read_product(f2l_ladder_config *out, f2l_config_members *m)
{
    const bool gated = f2l_config_flag(m, "use_forget_gate", false);
    out->householders = read_householders(m, "num_householder", 1);
    read_signed(out, m, "beta");
    out->layer = gated ? "Gated DeltaProduct" : "DeltaProduct";
    out->gates = gated ? F2L_GATES_OPEN : F2L_GATES_NONE;
    if (!gated && out->base == F2L_LADDER_GATED) out->base = F2L_LADDER_DELTAPRODUCT;
    if (!gated && out->base == F2L_LADDER_GATED_POSITIVE)
        out->base = F2L_LADDER_DELTAPRODUCT_POSITIVE;
}

static void read_kda(f2l_ladder_config *out, f2l_config_members *m)
{
    read_signed(out, m, "beta");
    const double low = f2l_config_number(m, "lower_bound", -1);
    if (low >= 0)
        f2l_config_refuse(m, F2L_EFORMAT, "lower_bound",
                          "leaves an empty range of gates: log gates lie between it and 0");
    if (f2l_config_flag(m, "safe_gate", false) && !f2l_config_has(m, "lower_bound"))
        f2l_config_refuse(m, F2L_EFORMAT, "safe_gate", "needs lower_bound: the range is open");
}

/* Reads Complex KDA, whose gate is one of four kinds: two have a sign, with the others it is KDA. A
 * signed gate's modulus is exp(lower_bound) at least, which no row needs to be less. */
static void read_complex(f2l_ladder_config *out, f2l_config_members *m)
{
    static const char *const signs[] = {"signed_sigmoid2", "signed_tanh", NULL};
    static const char *const none[] = {"softplus", "sigmoid", NULL};
    const char *word = f2l_config_word(m, "gate"), *gate = word ? word : signs[0];
    bool negative = false, known = false;
    for (size_t i = 0; signs[i]; i++) {
        negative |= strcmp(gate, signs[i]) == 0;
        known |= strcmp(gate, signs[i]) == 0 || strcmp(gate, none[i]) == 0;
    }
    if (!known)
        f2l_config_refuse(m, F2L_EFORMAT, "gate",
                          "is to be signed_sigmoid2, signed_tanh, softplus or sigmoid");
    read_signed(out, m, negative ? "gates in [-1,1], beta" : "beta");
    if (!negative) {
        out->layer = "KDA";
        out->gates = F2L_GATES_OPEN;
        out->base = out->base == out->class->high ? F2L_LADDER_KDA : F2L_LADDER_KDA_POSITIVE;
    }
    const double low = f2l_config_number(m, "lower_bound", -5);
    if (low < -5 || low >= 0)
        f2l_config_refuse(m, F2L_EFORMAT, "lower_bound",
                          "is outside of [-5, 0): the library refuses it");
}

static void read_steps(f2l_ladder_config *out, f2l_config_members *m)
{
    const char *name = f2l_config_has(m, "mamba_dt_limit") ? "mamba_dt_limit" : "time_step_limit";
    const double least = read_least(m, name, 0);
    snprintf(out->range, sizeof out->range, "gates exp(-a t), steps t from %g on", least);
    snprintf(out->setting, sizeof out->setting, "%s%s", name,
             f2l_config_has(m, name) ? "" : ", the default");
    if (least > 0) {
        out->gates = F2L_GATES_DECAY;
        snprintf(out->change, sizeof out->change,
                 "%s = [0, ..]: then a gate may be 1, and aperiodic automata can, L.8", name);
    }
}

static void read_floor(f2l_ladder_config *out, f2l_config_members *m)
{
    const double least = f2l_config_number(m, "A_floor", 1e-4);
    if (least <= 0)
        f2l_config_refuse(m, F2L_EFORMAT, "A_floor", "is not positive: the library refuses it");
    snprintf(out->range, sizeof out->range,
             "d = exp(-a t + i theta t), a from %g on, theta in [-pi,pi]", least);
    snprintf(out->setting, sizeof out->setting, "A_floor = %g%s", least,
             f2l_config_has(m, "A_floor") ? "" : ", the default");
    snprintf(out->change, sizeof out->change,
             "A_floor = 0, which the library refuses: then automata with solvable groups, L.9 "
             "(RL.6)");
}

/* Returns whether the layers M of a pattern are Gated DeltaProduct: the spec says so, or, where
 * there is none, its own setting. */
static bool is_gated_product(f2l_config_members *m)
{
    const json_t *spec = f2l_config_get(m, "spec");
    const char *name = json_is_array(spec)
                           ? json_string_value(json_array_get(spec, json_array_size(spec) - 1))
                           : json_string_value(spec);
    if (!spec) return f2l_config_has(m, "gdp_num_householder");
    return name && (strstr(name, "gdp") || strstr(name, "gated_delta_product"));
}

static void set_layer(f2l_ladder_config *out, const char *layer, f2l_ladder_class base,
                      const char *range)
{
    out->layer = layer;
    out->base = base;
    snprintf(out->range, sizeof out->range, "%s", range);
}

/* Reads Megatron-LM's settings: beta is a plain sigmoid in all its layers, and no setting makes it
 * more. */
static void read_megatron(f2l_ladder_config *out, f2l_config_members *m)
{
    const char *variant = f2l_config_word(m, "experimental_attention_variant");
    const char *pattern = f2l_config_has(m, "hybrid_layer_pattern") ? "hybrid_layer_pattern"
                                                                    : "hybrid_override_pattern";
    const char *letters = f2l_config_has(m, pattern) ? f2l_config_word(m, pattern) : NULL;
    const bool mixers = letters && strchr(letters, 'M');
    const bool gdn2 = variant && strcmp(variant, "gdn2") == 0;
    const bool gdn =
        variant && (gdn2 || strcmp(variant, "gdn") == 0 || strcmp(variant, "gated_delta_net") == 0);
    if (f2l_config_has(m, "gdp_num_householder"))
        (void)read_householders(m, "gdp_num_householder", 3);
    if (variant && !gdn && strcmp(variant, "dsa") != 0)
        f2l_config_refuse(m, F2L_EDOMAIN, "experimental_attention_variant",
                          "is no kind of layer that is known here: gdn, gdn2 and dsa are");
    out->partial = variant && strcmp(variant, "dsa") == 0;
    if (!letters && gdn && !f2l_config_has(m, "linear_attention_freq"))
        f2l_config_refuse(m, F2L_EDOMAIN, "linear_attention_freq", F2L_CONFIG_MISSING);
    if (!letters && !gdn &&
        (f2l_config_has(m, "mamba_num_heads") || f2l_config_has(m, "gdp_num_householder") ||
         f2l_config_has(m, "hybrid_attention_ratio") || f2l_config_has(m, "spec")))
        f2l_config_refuse(m, F2L_EDOMAIN, "hybrid_layer_pattern", F2L_CONFIG_MISSING);
    snprintf(out->setting, sizeof out->setting, "a plain sigmoid in the code, with no setting");
    if (mixers && is_gated_product(m)) {
        if (gdn2 && strchr(letters, 'G'))
            f2l_config_refuse(m, F2L_EDOMAIN, pattern,
                              "has Gated DeltaProduct and GDN-2: no row is about both together");
        out->householders = read_householders(m, "gdp_num_householder", 3);
        set_layer(out, "Gated DeltaProduct", F2L_LADDER_GATED_POSITIVE, "beta in [0,1]");
    } else if (gdn2 && !mixers) {
        set_layer(out, "GDN-2", F2L_LADDER_GDN2, "b in [0,1] for each channel");
    } else if ((gdn || (letters && strchr(letters, 'G'))) && !mixers) {
        out->householders = 1;
        set_layer(out, "Gated DeltaNet", F2L_LADDER_DELTANET_POSITIVE, "beta in [0,1]");
    } else if (mixers) {
        set_layer(out, "Mamba-2", F2L_LADDER_DIAGONAL_POSITIVE, "gates in [0,1]");
        if (gdn2 && strchr(letters, 'G')) /* Mamba-2's gates are GDN-2's with b = 0 */
            set_layer(out, "Mamba-2 and GDN-2", F2L_LADDER_GDN2, "b and gates in [0,1]");
        else if (strchr(letters, 'G'))
            set_layer(out, "Mamba-2 and Gated DeltaNet", F2L_LADDER_DELTANET_POSITIVE,
                      "beta and gates in [0,1]");
    } else {
        out->gates = F2L_GATES_NONE;
        out->setting[0] = '\0';
        set_layer(out, "attention", F2L_LADDER_TRANSFORMER, "any weights");
    }
}

static void read_class(f2l_ladder_config *out, f2l_config_members *m)
{
    const f2l_layer_class *c = out->class;
    out->layer = c->layer;
    out->base = c->low;
    out->gates = c->gates;
    out->householders = c->low == F2L_LADDER_DELTANET_POSITIVE ||
                        c->low == F2L_LADDER_KDA_POSITIVE ||
                        c->low == F2L_LADDER_COMPLEX_KDA_POSITIVE;
    snprintf(out->range, sizeof out->range, "%s", f2l_ladder_models[c->low].range);
    if (!f2l_config_flag(m, "use_beta", true))
        f2l_config_refuse(m, F2L_EDOMAIN, "use_beta",
                          "is false: beta is 1, and no row is about it");
    if (!f2l_config_flag(m, "use_gk", true) && !f2l_config_flag(m, "use_gv", false))
        f2l_config_refuse(m, F2L_EDOMAIN, "use_gk",
                          "is false: without gates the state is only added to, and no row is about "
                          "that");
    if (strcmp(c->type, "xlstm") == 0) { /* a cap c keeps gates below sigmoid(c) < 1 */
        const bool none = json_is_null(json_object_get(m->object, "gate_soft_cap"));
        out->gates = none ? F2L_GATES_OPEN : F2L_GATES_DECAY;
        snprintf(out->setting, sizeof out->setting, "gate_soft_cap%s",
                 none                                 ? " = null"
                 : f2l_config_has(m, "gate_soft_cap") ? ""
                                                      : ", the default");
    }
    switch (c->kind) {
    case F2L_KIND_SIGNED:
        read_signed(out, m, "beta");
        break;
    case F2L_KIND_PRODUCT:
        read_product(out, m);
        break;
    case F2L_KIND_KDA:
        read_kda(out, m);
        break;
    case F2L_KIND_COMPLEX:
        read_complex(out, m);
        break;
    case F2L_KIND_STEPS:
        read_steps(out, m);
        break;
    case F2L_KIND_FLOOR:
        read_floor(out, m);
        break;
    case F2L_KIND_MEGATRON:
        read_megatron(out, m);
        break;
    default:
        break;
    }
}

/* Returns what is left without rounding: a gate below 1 leaves definite automata. */
static f2l_ladder_reach find_reach(const f2l_ladder_config *out)
{
    const f2l_ladder_reach usual = f2l_ladder_models[out->row].reach;
    const f2l_ladder_reach alone = f2l_ladder_models[out->base].reach;
    if (out->row == F2L_LADDER_TRANSFORMER) return out->partial ? F2L_REACH_OPEN : usual;
    if (out->gates == F2L_GATES_HOLD) return F2L_REACH_OPEN;
    if (out->gates == F2L_GATES_FIXED) return F2L_REACH_FIXED;
    if (out->attends)
        return alone == F2L_REACH_DEFINITE || alone == F2L_REACH_APERIODIC ||
                       alone == F2L_REACH_POWERS
                   ? F2L_REACH_BESIDE
                   : F2L_REACH_OPEN;
    return usual == F2L_REACH_APERIODIC && out->gates != F2L_GATES_NONE ? F2L_REACH_DEFINITE
                                                                        : usual;
}

/* Sets the class, by model_type, by the first architecture, or by what only Megatron-LM has. */
static void find_class(f2l_ladder_config *out, f2l_config_members *m)
{
    static const char *const megatron[] = {"gdp_num_householder", "experimental_attention_variant",
                                           "hybrid_layer_pattern", "mamba_num_heads",
                                           "tensor_model_parallel_size"};
    const char *type = f2l_config_word(m, "model_type");
    const json_t *architectures = f2l_config_get(m, "architectures");
    const char *first = json_string_value(json_array_get(architectures, 0));
    const bool fla = f2l_config_has(m, "attn_mode") || f2l_config_has(m, "fuse_norm") ||
                     f2l_config_has(m, "fuse_swiglu") || f2l_config_has(m, "fuse_cross_entropy");
    const char *named = type ? "model_type" : "architectures";
    /* The arguments in a checkpoint of Megatron-LM have its ModelType there, of whatever layers. */
    if (type && strncmp(type + (type[0] == '<'), "ModelType.", 10) == 0) type = "megatron";
    for (size_t i = 0; !type && !first && i < sizeof megatron / sizeof *megatron; i++)
        if (f2l_config_has(m, megatron[i])) type = "megatron";
    out->class = f2l_layer_class_find(type, first, fla);
    char why[300];
    if (!type && !first)
        f2l_config_refuse(m, F2L_EDOMAIN, "the configuration",
                          "says no class: neither model_type nor architectures, nor a setting of "
                          "Megatron-LM's layers is there");
    else if (!out->class) {
        snprintf(why, sizeof why, "is %.80s, a class that is not known here", type ? type : first);
        f2l_config_refuse(m, F2L_EDOMAIN, named, why);
    } else if (out->class->kind == F2L_KIND_REFUSED) {
        snprintf(why, sizeof why, "is %.80s: %s %s", type ? type : first, out->class->config,
                 out->class->layer);
        f2l_config_refuse(m, F2L_EDOMAIN, named, why);
    }
}

/* Sets the row of all layers together, and whether some are of attention: where no setting says how
 * many, the class does. */
static void settle_attention(f2l_ladder_config *out, f2l_config_members *m)
{
    const char *type = f2l_config_word(m, "block_type");
    const bool window =
        out->class->kind == F2L_KIND_RODIMUS && (!type || strcmp(type, "rodimus_plus") == 0);
    if (window) out->attention_known = false;
    out->partial |= window;
    out->attends = out->attention > 0 || !out->attention_known;
    out->row = out->attends ? put_attention(m, out->base) : out->base;
    /* What always decays adds nothing that is known to what attention does. */
    if (out->attends && always_decays(out)) out->row = F2L_LADDER_TRANSFORMER;
    if (out->base == F2L_LADDER_TRANSFORMER ||
        (out->attention > 0 && out->recurrent == 0 && out->attention == out->layers)) {
        out->row = F2L_LADDER_TRANSFORMER;
        out->attention_known = out->attends = true;
        out->attention = out->layers;
        out->recurrent = out->householders = 0;
        out->gates = F2L_GATES_NONE; /* what settings say of recurrent layers is about none */
        out->setting[0] = out->change[0] = '\0';
        snprintf(out->range, sizeof out->range, "%s", f2l_ladder_models[out->row].range);
    }
    out->partial &= out->attends;
}

f2l_status f2l_ladder_config_find(f2l_ladder_config *out, const f2l_config_text *settings,
                                  f2l_error *err)
{
    const json_t *inner = json_object_get(settings->object, "text_config");
    f2l_config_members m = {.settings = settings,
                            .object = json_is_object(inner) ? inner : settings->object,
                            .err = err,
                            .status = F2L_OK};
    memset(out, 0, sizeof *out);
    find_class(out, &m);
    if (m.status != F2L_OK) return m.status;
    read_class(out, &m);
    f2l_config_check_names(out, &m);
    f2l_config_count_layers(out, &m);
    settle_attention(out, &m);
    out->reach = find_reach(out);
    if (has_reflections(out->row)) out->change[0] = '\0';
    return m.status;
}

/* Returns the row for the model's n_h: a network of products that needs more factors than the model
 * has, or nobody knows how many, gives way to one with one factor for each letter. */
static f2l_ladder_row row_for_factors(const f2l_ladder_config *config, const f2l_classify *c)
{
    const f2l_ladder_row *row = &c->row[config->row];
    const bool enough = row->householders > 0 && row->householders <= config->householders;
    return has_products(config->row) && !enough ? c->row[F2L_LADDER_DELTANET] : *row;
}

f2l_ladder_answer f2l_ladder_config_answer(const f2l_ladder_config *config, const f2l_classify *c)
{
    f2l_ladder_row row = row_for_factors(config, c);
    f2l_ladder_decide_reached(&row, config->reach, c);
    f2l_ladder_answer out = {row.verdict,    row.reached, row.statement,
                             row.reached_by, row.scope,   row.layers};
    if (config->partial && out.closed != F2L_LADDER_CAN && out.closed != F2L_LADDER_UNKNOWN) {
        out.closed = F2L_LADDER_OPEN;
        out.closed_by = "";
        out.scope = "attention reads a part of the positions only, and L.11, L.13 and RL.14 are "
                    "about all of them; without attention see the row of the recurrent layers";
    }
    if (config->attends || !always_decays(config)) return out;
    f2l_ladder_decide_reached(&row, F2L_REACH_DEFINITE, c);
    out.scope = "any number of layers, in exact arithmetic with separating decoders: gates are "
                "below 1 at the ends of their range, too";
    if (config->gates == F2L_GATES_FIXED && row.reached == F2L_LADDER_CAN) {
        row.reached = F2L_LADDER_OPEN;
        row.reached_by = "";
        out.scope = "decays are constants, and RL.2 needs one of 1/4; of definite automata "
                    "nothing is known";
    }
    out.closed = out.reached = row.reached;
    out.closed_by = out.reached_by = row.reached_by;
    return out;
}
