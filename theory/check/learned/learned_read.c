/* Reads config.json and weights.safetensors. Both are the one text that the trainer writes: every
 * byte is compared or used, so that no other program can read another network in them. */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 300 };     /* bytes, more than are compared at once */
enum { MOST_SIZE = 1 << 20 }; /* of other mixers */

/* Says in which column something else is; the header of weights.safetensors is a text of one line.
 */
static _Noreturn void refuse(const text *t, const char *expected)
{
    const char *line = t->at;
    while (line > t->bytes && line[-1] != '\n') line--;
    reject(t, "column %zu: expected %s", (size_t)(t->at - line) + 1, expected);
}

static void take(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads these bytes; where others are, names the first one that differs. */
static void take(text *t, const char *format, ...)
{
    char word[MOST_TEXT], quoted[MOST_TEXT + 2];
    va_list values;
    va_start(values, format);
    vsnprintf(word, sizeof word, format, values);
    va_end(values);
    const char *next = word;
    for (; *next && left(t) > 0 && *t->at == *next; next++)
        if (*t->at++ == '\n') t->line++;
    if (!*next) return;
    snprintf(quoted, sizeof quoted, "`%.*s`", (int)strcspn(next, "\n"), next);
    refuse(t, *next == '\n' ? "the end of the line" : quoted);
}

static bool may_take(text *t, const char *word)
{
    const bool there = comes(t, word);
    if (there) take(t, "%s", word);
    return there;
}

static size_t count(text *t, size_t least, size_t most)
{
    char range[MOST_TEXT];
    const char *from = t->at;
    size_t value = 0;
    for (; *t->at >= '0' && *t->at <= '9' && value < SIZE_MAX / 16; t->at++)
        value = 10 * value + (size_t)(*t->at - '0');
    if (t->at > from && (*from != '0' || t->at == from + 1) && value >= least && value <= most)
        return value;
    snprintf(range, sizeof range, "a whole number from %zu to %zu", least, most);
    t->at = from;
    refuse(t, range);
}

static size_t count_after(text *t, const char *before, size_t least, size_t most)
{
    take(t, "%s", before);
    return count(t, least, most);
}

/* Reads a number >= 0 as printf spells it with the first of digits .. 17 significant digits that
 * give it back. */
static double decimal(text *t, int digits)
{
    char spelled[40] = "", one[40] = "";
    const size_t size = strspn(t->at, "0123456789.e+-");
    if (size < sizeof spelled) memcpy(spelled, t->at, size);
    const double value = strtod(spelled, NULL);
    do snprintf(one, sizeof one, "%.*g", digits, value);
    while (strtod(one, NULL) != value && digits++ < 17);
    if (!(value >= 0 && value < INFINITY) || strcmp(one, spelled) != 0)
        refuse(t, "a decimal number in its one spelling");
    t->at += size;
    return value;
}

/* Reads a number that LH.1 and LH.10 allow. */
static double real_after(text *t, const char *before)
{
    take(t, "%s", before);
    text from = *t;
    const double x = decimal(t, 17);
    if (!(x > 1e-9 && x < 1e6)) refuse(&from, "a number above 1e-9 and below 1e6");
    return x;
}

static bool truth(text *t)
{
    const bool yes = may_take(t, "true");
    if (!yes) take(t, "false");
    return yes;
}

static bool truth_after(text *t, const char *before)
{
    take(t, "%s", before);
    return truth(t);
}

/* Reads what does not belong to the network: # is a whole number, ~ a decimal one, ? true or
 * false. */
static void skip(text *t, const char *pattern)
{
    while (*pattern) {
        const size_t plain = strcspn(pattern, "#~?");
        take(t, "%.*s", (int)plain, pattern);
        pattern += plain;
        if (*pattern == '#') count(t, 0, INT64_MAX);
        if (*pattern == '~') decimal(t, 15);
        if (*pattern == '?') truth(t);
        if (*pattern) pattern++;
    }
}

/* Reads a number that is written only where it is above 0. */
static void skip_positive(text *t, const char *before)
{
    if (may_take(t, before) && decimal(t, 17) == 0) refuse(t, "a number above 0 before it");
}

/* The task: the state after every letter of uniform words; how many words of training were of
 * another kind does not belong to the network. */
static void read_task(learned *net, text *t, const automaton *a, const char *hex)
{
    take(t, "{\"schema\":1,\n\"data\":{\"kind\":\"automaton\",\"when\":\"every\",");
    net->begin = may_take(t, "\"begin\":true,");
    take(t, "\"automaton\":\"%s\",\"states\":%zu,\"label\":\"states\"", hex, a->states.count);
    skip(t, ",\"weights\":null,\"tokens\":1");
    skip_positive(t, ",\"live\":");
    skip_positive(t, ",\"periodic\":");
    take(t, "},\n\"model\":");
}

static void read_model(learned *net, text *t, const automaton *a)
{
    const size_t more = net->begin ? 1 : 0;
    net->letters = a->kinds + more;
    net->labels = a->states.count + more;
    take(t, "{\"letters\":%zu,\"labels\":%zu,\"layers\":1", net->letters, net->labels);
    net->width = count_after(t, ",\"width\":", 1, MAX_TERMS);
    net->mlp = count_after(t, ",\"mlp\":", 1, MAX_TERMS);
    net->epsilon = real_after(t, ",\"convolution\":0,\"epsilon\":");
    net->range = truth_after(t, ",\"mixer\":\"delta-product\",\"negative\":") ? 2 : 1;
    skip_positive(t, ",\"initializer_range\":"); /* of the first weights */
    net->heads = count_after(t, ",\"heads\":", 1, MAX_HEADS);
    net->factors = count_after(t, ",\"householders\":", 1, MAX_FACTORS);
    net->key = count_after(t, ",\"key_dim\":", 1, MAX_DIM);
    net->value = count_after(t, ",\"value_dim\":", 1, MAX_DIM);
    net->slope = real_after(t, ",\"slope\":");
    if (net->exact) take(t, ",\"clamped_betas\":true");
    net->additive = truth_after(t, ",\"additive\":");
    net->starts = truth_after(t, ",\"learned_start\":");
    take(t, ",\"forget_gate\":false");
    if (net->exact) take(t, ",\"exact_keys\":true");
    net->ternary = net->exact && may_take(t, ",\"ternary_keys\":true");
    net->silu = truth_after(t, ",\"silu_keys\":");
    /* sizes of other mixers */
    count_after(t, ",\"normalise_keys\":true,\"channels\":", 1, MOST_SIZE);
    count_after(t, ",\"states\":", 1, MOST_SIZE);
    count_after(t, ",\"step_rank\":", 1, MOST_SIZE);
    if (may_take(t, ",\"window\":")) count(t, 1, MOST_SIZE);
    take(t, "}");
}

static void skip_training(text *t)
{
    static const char *const decay[] = {"constant", "cosine", "linear"};
    skip(t, ",\n\"train\":{\"steps\":#,\"rate\":~,\"beta1\":~,\"beta2\":~,\"epsilon\":~,"
            "\"weight_decay\":~,\"clip\":~,\"warmup\":#,\"decay\":\"");
    size_t i = 0;
    while (i < 2 && !comes(t, decay[i])) i++;
    take(t, "%s", decay[i]);
    skip(t, "\",\"decay_from\":#,\"last_rate\":~,\"log_every\":#,\"evaluate_every\":#,"
            "\"lengths\":[");
    for (bool more = !comes(t, "]"); more; more = may_take(t, ",")) count(t, 1, INT64_MAX);
    skip(t, "],\"sequences\":#,\"target\":~,\"divergence\":~},\n\"curriculum\":{\"start\":#,"
            "\"limit\":#,\"threshold\":~,\"patience\":#,\"shorter_too\":?},\n\"batch\":#,"
            "\"positions\":#,\"seed\":#");
    if (may_take(t, ",\"first_weights\":\"")) {
        const size_t digits = strspn(t->at, "0123456789abcdef");
        if (digits != 64) refuse(t, "a SHA-256 in hexadecimal");
        t->at += digits;
        take(t, "\"");
    }
    take(t, "}\n");
}

void read_config(learned *net, text *t, const automaton *a, const char *hex)
{
    read_task(net, t, a, hex);
    net->model.bytes = t->at;
    read_model(net, t, a);
    net->model.size = (size_t)(t->at - net->model.bytes);
    skip_training(t);
    if (left(t) > 0) refuse(t, "the end of the file");
}

/* The header's text, and the numbers behind it. */
typedef struct tensors {
    text header, data;
    double most; /* of the squares of a tensor's length */
} tensors;

/* Reads the next number, a float32 in little endian, as a double. */
static double next_number(text *data)
{
    const unsigned char *p = (const unsigned char *)data->at;
    const uint32_t bits = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    data->at += sizeof value;
    return value;
}

/* Reads the next tensor, which has this name and shape and follows the one before it; a dimension
 * 0 is none. */
static double *tensor(tensors *f, const char *called, size_t a, size_t b, size_t c)
{
    text *t = &f->header, *data = &f->data;
    const size_t size = a * (b > 0 ? b : 1) * (c > 0 ? c : 1);
    const size_t from = (size_t)(data->at - data->bytes);
    take(t, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[%zu", called, a);
    if (b > 0) take(t, ",%zu", b);
    if (c > 0) take(t, ",%zu", c);
    take(t, "],\"data_offsets\":[%zu,%zu]}", from, from + 4 * size);
    if (left(data) < 4 * size) reject(data, "the file ends within the tensor %s", called);
    double *x = grab(size, sizeof *x);
    for (size_t i = 0; i < size; i++)
        if (!isfinite(x[i] = next_number(data)))
            reject(data, "number %zu of tensor %s is not finite", i + 1, called);
    if (!(dot(x, x, size) < f->most)) reject(data, "tensor %s may overflow", called);
    return x;
}

/* Opens the file: eight bytes with the length of the header, the header, the numbers. */
static tensors open_tensors(const text *t, double most)
{
    size_t size = 0;
    if (left(t) < 8) reject(t, "expected the length of the header in eight bytes");
    for (size_t i = 8; i-- > 0;) {
        if (size > MAX_FILE >> 8) reject(t, "the header is longer than the file");
        size = size << 8 | (unsigned char)t->bytes[i];
    }
    if (size > left(t) - 8) reject(t, "the header is longer than the file");
    const char *header = t->bytes + 8, *data = header + size;
    return (tensors){.header = {t->path, header, header, data, 1},
                     .data = {t->path, data, data, t->end, 1},
                     .most = most};
}

/* Reads the metadata, which have the configuration's text once more. */
static void read_metadata(text *t, const learned *net)
{
    take(t, "{\"__metadata__\":{\"config\":\"");
    for (size_t i = 0; i < net->model.size; i++) {
        const char c = net->model.bytes[i];
        take(t, c == '"' ? "\\%c" : "%c", c);
    }
    take(t, "\",\"kind\":\"sequence-model\",\"schema\":\"1\",\"tool\":\"fsa2lrnn\"}");
}

/* Reads the header's end, which is filled up with blanks to a multiple of eight bytes. */
static void close_tensors(tensors *f)
{
    text *t = &f->header;
    take(t, "}");
    while ((t->at - t->bytes) % 8 != 0) take(t, " ");
    if (left(t) > 0) refuse(t, "the end of the header");
    if (left(&f->data) > 0) reject(&f->data, "%zu bytes follow the last tensor", left(&f->data));
}

void read_weights(learned *net, text *t)
{
    tensors f = open_tensors(t, net->scope->most);
    const size_t n = net->width, hk = net->heads * net->key, hv = net->heads * net->value;
    read_metadata(&f.header, net);
#define MIXER "layers.0.mixer."
    net->embedding = tensor(&f, "embedding.weight", net->letters, n, 0);
    net->mixer_norm = tensor(&f, "layers.0.mixer_norm.weight", n, 0, 0);
    net->q = tensor(&f, MIXER "q_proj.weight", hk, n, 0);
    net->k = tensor(&f, MIXER "k_proj.weight", net->factors * hk, n, 0);
    if (net->additive) net->v = tensor(&f, MIXER "v_proj.weight", net->factors * hv, n, 0);
    net->b = tensor(&f, MIXER "b_proj.weight", net->factors * net->heads, n, 0);
    if (net->starts)
        net->start = tensor(&f, MIXER "initial_state", net->heads, net->key, net->value);
    net->o_norm = tensor(&f, MIXER "o_norm.weight", net->value, 0, 0);
    net->out = tensor(&f, MIXER "o_proj.weight", n, hv, 0);
    net->mlp_norm = tensor(&f, "layers.0.mlp_norm.weight", n, 0, 0);
    net->gate = tensor(&f, "layers.0.mlp.gate_proj.weight", net->mlp, n, 0);
    net->up = tensor(&f, "layers.0.mlp.up_proj.weight", net->mlp, n, 0);
    net->down = tensor(&f, "layers.0.mlp.down_proj.weight", n, net->mlp, 0);
    net->norm = tensor(&f, "norm.weight", n, 0, 0);
    net->head = tensor(&f, "head.weight", net->labels, n, 0);
    close_tensors(&f);
}
